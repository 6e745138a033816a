/* test_store.c - legacy sessions and their events in a store: one that answers later, that fails, that never answers,
 * and that two processes share. */
#include "endpoint/job.h"
#include "engine/session/remember.h"

#include "endpoint/asking.h" /* whose macros have names that are also in there */
#include "support/late_store.h"

#define SET_LEVEL                                                                                  \
    "{'jsonrpc':'2.0','id':2,'method':'logging/setLevel','params':{'level':'warning'}}"
#define SUBSCRIBE(uri)                                                                             \
    "{'jsonrpc':'2.0','id':2,'method':'resources/subscribe','params':{'uri':'" uri "'}}"
#define DONE2 "{'jsonrpc':'2.0','id':2,'result':{}}"

struct stand {
    haft_store *memory;
    struct late_store *late;
    struct bench *bench;
};

static char lines[4096]; /* of the log */

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    (void)size;
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\n", text);
}

static struct stand stand_open(enum late_mode mode, const haft_allocator *allocator)
{
    struct stand stand = {.memory = haft_store_memory_new(NULL)};

    assert_non_null(stand.memory);
    lines[0] = '\0';
    stand.late = late_store_new(stand.memory, mode, 0);
    stand.bench =
        bench_open(allocator, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options,
                                                               .store = late_store_of(stand.late)));
    if (stand.bench->server)
        hf_server_set_log(stand.bench->server, on_log, NULL);
    return stand;
}

static void stand_close(struct stand *stand)
{
    bench_close(stand->bench);
    assert_int_equal(late_store_waiting(stand->late), 0);
    late_store_free(stand->late);
    haft_store_free(stand->memory);
}

/* Lets the store answer until nothing waits for it. */
static size_t settle(struct stand *stand)
{
    size_t n = 0, answered;

    do {
        answered = late_store_release(stand->late, 0);
        haft_endpoint_tick(stand->bench->endpoint, stand->bench->now);
        n += answered;
    } while (answered || late_store_waiting(stand->late));
    return n;
}

/* Asks, and is not answered before the store is. */
static void check_waits(struct stand *stand, struct reply *reply, const struct row *row)
{
    struct bench *bench = stand->bench;
    char *body = expand(bench, row->answer);

    ask_into(bench, reply, row->method, row->path, row->headers, row->body);
    assert_true(reply->exchange && !reply->over && !reply->streams);
    assert_true(settle(stand) > 0);
    note_session(bench, reply);
    if (reply->status != row->status % 1000 || reply->streams != (row->status % 2000 >= STREAMS) ||
        reply->over != (row->status < OPEN) || !matches(body, reply->body))
        fail_msg("%s %s: %d %s", row->method, row->body, reply->status, reply->body);
    free(body);
}

/* ---- a store that answers later ---- */

static void waits_for_the_store(void **state)
{
    static const struct row rows[] = {
        {"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL},
        {"POST", "/mcp", SESSION, PING, 200, PONG, NULL},
        {"POST", "/mcp", SESSION, SET_LEVEL, 200, DONE2, NULL},
        {"POST", "/mcp", SESSION, "{'jsonrpc':'2.0','method':'notifications/initialized'}", 202, "",
         NULL},
        {"POST", "/mcp", SESSION, CALL(3, "say", ",'arguments':{'text':'hi'}"), 200, "*hi*", NULL},
        {"POST", "/mcp", SESSION, CALL(4, "count", TOKEN), 200 + STREAMS,
         "id: 4-0\n*id: 4-1\n*'one'*id: 4-2\n*'two'*id: 4-3\n*counted*", NULL},
        {"GET", "/mcp", SESSION "last-event-id: 4-1\n", "", 200 + STREAMS,
         "id: 4-2\n*'two'*id: 4-3\n*counted*", NULL},
        {"GET", "/mcp", SESSION "last-event-id: 9-9\n", "", 400, "*Last-Event-ID*", NULL},
        {"DELETE", "/mcp", SESSION, "", 200, "", NULL},
        {"POST", "/mcp", SESSION, PING, 404, "*Session not found*", NULL},
    };
    struct stand stand = stand_open(LATE_HELD, NULL);
    struct reply reply;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_waits(&stand, &reply, &rows[i]);
    assert_string_equal(lines, "");
    stand_close(&stand);
}

/* Events that are said while others wait to be kept come in their order, also to a client that comes back. */
static void keeps_the_order(void **state)
{
    struct stand stand = stand_open(LATE_HELD, NULL);
    struct bench *bench = stand.bench;
    struct reply call, again, stream;

    (void)state;
    check_waits(&stand, &call, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL});
    check_waits(&stand, &stream,
                &(struct row){"GET", "/mcp", SESSION, "", 2200 + STREAMS, "*", NULL});
    ask_into(bench, &call, "POST", "/mcp", SESSION, CALL(5, "hold", TOKEN));
    settle(&stand);
    haft_progress(held, 1, 9, NULL);
    haft_progress(held, 2, 9, NULL);
    settle(&stand);
    assert_true(matches("id: 2-0\n*id: 2-1\n*id: 2-2\n*", call.body));
    haft_exchange_gone(call.exchange);
    haft_progress(held, 3, 9, NULL);
    ask_into(bench, &again, "GET", "/mcp", SESSION "last-event-id: 2-1\n", "");
    late_store_release(stand.late, 0);
    haft_endpoint_tick(bench->endpoint, bench->now);
    haft_progress(held, 4, 9, NULL);
    let_go("here you are");
    assert_int_equal(haft_offer_rename(bench->server, HAFT_OFFER_TOOL, "say", "say"), 0);
    settle(&stand);
    assert_true(again.over);
    assert_true(matches("id: 2-2\n*id: 2-3\n*id: 2-4\n*id: 2-5\n*here you are*", again.body));
    assert_non_null(strstr(stream.body, "list_changed"));
    assert_false(stream.over);
    check_waits(&stand, &call, &(struct row){"DELETE", "/mcp", SESSION, "", 200, "", NULL});
    assert_true(stream.over);
    stand_close(&stand);
}

/* Clients leave, and sessions end, while the store is asked. */
static void outlives_those_who_wait(void **state)
{
    static const struct {
        const char *method, *headers, *body;
    } rows[] = {
        {"POST", LEGACY, HELLO},      {"POST", SESSION, PING},
        {"POST", SESSION, SET_LEVEL}, {"POST", SESSION, CALL(4, "count", TOKEN)},
        {"GET", SESSION, ""},         {"GET", SESSION "last-event-id: 1-0\n", ""},
        {"DELETE", SESSION, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int steps = 0; steps < 4; steps++)
            for (int ends = 0; ends < 3; ends++) {
                struct stand stand = stand_open(LATE_HELD, NULL);
                struct bench *bench = stand.bench;
                struct http_session *session;
                struct reply reply;

                check_waits(&stand, &reply,
                            &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL});
                check_waits(&stand, &reply,
                            &(struct row){"POST", "/mcp", SESSION, CALL(1, "count", TOKEN),
                                          200 + STREAMS, "*", NULL});
                ask_into(bench, &reply, rows[i].method, "/mcp", rows[i].headers, rows[i].body);
                for (int step = 0; step < steps; step++) {
                    late_store_release(stand.late, 0);
                    haft_endpoint_tick(bench->endpoint, bench->now);
                }
                session =
                    hf_http_session_find(bench->endpoint, bench->session, strlen(bench->session));
                if (ends == 0 && reply.exchange && !reply.over)
                    haft_exchange_gone(reply.exchange);
                if (ends == 1 && session)
                    hf_http_session_end(session);
                if (ends < 2)
                    settle(&stand);
                stand_close(&stand);
            }
}

/* ---- a store that fails ---- */

/* Sessions of this process go on, and new ones begin; what is only in the store is refused. */
static void sessions_go_on_without_a_store(void **state)
{
    static const struct row failing[] = {
        {"POST", "/mcp", SESSION, PING, 200, PONG, NULL},
        {"POST", "/mcp", SESSION, SET_LEVEL, 200, DONE2, NULL},
        {"GET", "/mcp", SESSION "last-event-id: 1-0\n", "", 503,
         "*The session store is unavailable*", "*Retry-After: 1\r\n*"},
        {"DELETE", "/mcp", SESSION, "", 503, "*The session store is unavailable*", NULL},
        {"POST", "/mcp",
         LEGACY "mcp-session-id: 00010000000000000000000000000000000077\n" /* of another one */,
         PING, 503, "*The session store is unavailable*", "*Retry-After: 1\r\n*"},
        {"POST", "/mcp", LEGACY, PING, 200, PONG, NULL}, /* without a session */
        {"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL},
        {"POST", "/mcp", SESSION, PING, 200, PONG, NULL}, /* of the new one */
    };
    struct stand stand = stand_open(LATE_AT_ONCE, NULL);
    struct bench *bench = stand.bench;
    struct reply streams[2];
    struct http_session *session;

    (void)state;
    check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    ask_into(bench, &streams[0], "GET", "/mcp", SESSION, "");
    late_store_set(stand.late, LATE_FAILS);
    check_rows(bench, failing, COUNT_OF(failing));
    ask_into(bench, &streams[1], "GET", "/mcp", SESSION, "");
    assert_true(streams[0].streams && streams[1].streams && !streams[1].over);
    assert_string_equal(lines, "the session store (late) failed: failed\n");
    session = hf_http_session_find(bench->endpoint, bench->session, strlen(bench->session));
    assert_int_equal(session->version, 0);
    late_store_set(stand.late, LATE_AT_ONCE);
    check(bench, &(struct row){"POST", "/mcp", SESSION, SET_LEVEL, 200, DONE2, NULL}, 2);
    assert_string_equal(lines, "the session store (late) failed: failed\n"
                               "the session store (late) is responding again\n");
    assert_true(session->version); /* others can take it over now */
    check(bench, &(struct row){"POST", "/mcp", SESSION, PING, 200, PONG, NULL}, 3);
    stand_close(&stand);
}

/* A call that has begun goes on, and its events are sent although they cannot be kept. */
static void goes_on_without_a_store(void **state)
{
    struct stand stand = stand_open(LATE_AT_ONCE, NULL);
    struct bench *bench = stand.bench;
    struct reply call;

    (void)state;
    check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    ask_into(bench, &call, "POST", "/mcp", SESSION, CALL(5, "hold", TOKEN));
    for (int mode = 0; mode < 2; mode++) {
        late_store_set(stand.late, mode ? LATE_HELD : LATE_FAILS);
        haft_progress(held, mode + 1, 9, NULL);
        late_store_release(stand.late, HAFT_EBUSY);
        haft_endpoint_tick(bench->endpoint, bench->now);
    }
    assert_true(matches("id: 1-0\n*id: 1-1\n*id: 1-2\n*", call.body));
    late_store_set(stand.late, LATE_FAILS);
    let_go("here you are");
    assert_true(call.over);
    assert_non_null(strstr(call.body, "here you are"));
    stand_close(&stand);
}

/* ---- a store that never answers ---- */

static void gives_up_in_time(void **state)
{
    static const struct row rows[] = {
        {"POST", "/mcp", LEGACY, HELLO, 504, "*The session store did not answer in time*", NULL},
        {"POST", "/mcp", SESSION, PING, 504, "*The session store did not answer in time*", NULL},
        {"GET", "/mcp", SESSION, "", 504, "*The session store did not answer in time*", NULL},
        {"DELETE", "/mcp", SESSION, "", 504, "*The session store did not answer in time*", NULL},
    };

    (void)state;
    for (int holds_on = 0; holds_on < 2; holds_on++) {
        struct stand stand = stand_open(LATE_AT_ONCE, NULL);
        struct bench *bench = stand.bench;
        struct reply *replies = calloc(COUNT_OF(rows), sizeof *replies);

        assert_non_null(replies);
        check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
        late_store_set(stand.late, LATE_NEVER);
        if (holds_on)
            late_store_hold_on(stand.late);
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            ask_into(bench, &replies[i], rows[i].method, rows[i].path, rows[i].headers,
                     rows[i].body);
        haft_endpoint_tick(bench->endpoint, bench->now += 29999);
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            assert_false(replies[i].over);
        haft_endpoint_tick(bench->endpoint, bench->now += 1);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            assert_true(replies[i].over);
            assert_int_equal(replies[i].status, rows[i].status);
            assert_true(matches(rows[i].answer, replies[i].body));
        }
        assert_string_equal(lines, "the session store (late) failed: it did not answer in time\n");
        hf_endpoint_abandon(bench->endpoint);
        assert_int_equal(haft_endpoint_idle(bench->endpoint), !holds_on);
        late_store_release(stand.late, 0);
        haft_endpoint_tick(bench->endpoint, bench->now);
        assert_true(haft_endpoint_idle(bench->endpoint));
        stand_close(&stand);
        free(replies);
    }
}

/* ---- a store that two processes share ---- */

static void put_memory(const struct bench *bench, haft_buffer *out)
{
    struct http_session *session =
        hf_http_session_find(bench->endpoint, bench->session, strlen(bench->session));

    assert_non_null(session);
    haft_buffer_clear(out);
    hf_session_put_memory(session->engine, out);
    haft_buffer_add(out, "", 1);
    assert_int_equal(out->status, 0);
}

static void moves_to_another_process(void **state)
{
    const struct row hello = {"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL};
    const struct row works = {"POST", "/mcp", SESSION, PING, 200, PONG, NULL};
    const struct row gone = {"POST", "/mcp", SESSION, PING, 404, "*Session not found*", NULL};
    haft_store *store = haft_store_memory_new(NULL);
    haft_endpoint_options options = HAFT_INIT(haft_endpoint_options, .store = store);
    struct bench *one = bench_open(NULL, options), *two = bench_open(NULL, options);
    haft_buffer before, after;

    (void)state;
    haft_buffer_init(&before, NULL, 1 << 16);
    haft_buffer_init(&after, NULL, 1 << 16);
    check(one, &hello, 0);
    one->server->options.resource_subscriptions = true;
    check(one, &(struct row){"POST", "/mcp", SESSION, SET_LEVEL, 200, DONE2, NULL}, 1);
    check(one, &(struct row){"POST", "/mcp", SESSION, SUBSCRIBE("a:/b"), 200, DONE2, NULL}, 1);
    check(one, &(struct row){"POST", "/mcp", SESSION, SUBSCRIBE("a:/c"), 200, DONE2, NULL}, 1);
    put_memory(one, &before);
    assert_non_null(strstr(before.data, "\"level\":3"));
    assert_non_null(strstr(before.data, "\"subscriptions\":[\"a:/c\",\"a:/b\"]"));
    assert_non_null(strstr(before.data, "\"name\":\"c\""));
    snprintf(two->session, sizeof two->session, "%s", one->session);
    check(two, &works, 2);
    put_memory(two, &after);
    assert_string_equal(before.data, after.data);
    /* It comes back, and goes again: each finds that the other has it. */
    for (size_t i = 3; i < 7; i++)
        check(i % 2 ? one : two, &works, i);
    check(two, &(struct row){"DELETE", "/mcp", SESSION, "", 200, "", NULL}, 7);
    check(one, &gone, 8);
    check(two, &gone, 9);
    haft_buffer_finish(&before);
    haft_buffer_finish(&after);
    bench_close(one);
    bench_close(two);
    haft_store_free(store);
}

/* A process ends without a word; another goes on with its session, and with its events. */
static void outlives_its_process(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_endpoint_options options = HAFT_INIT(haft_endpoint_options, .store = store);
    struct bench *one = bench_open(NULL, options), *two;
    struct reply stream, again;
    char id[64];

    (void)state;
    check(one, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    ask_into(one, &stream, "GET", "/mcp", SESSION, "");
    check(one,
          &(struct row){"POST", "/mcp", SESSION, CALL(4, "count", TOKEN), 200 + STREAMS,
                        "id: 2-0\n*id: 2-3\n*", NULL},
          1);
    assert_int_equal(haft_offer_rename(one->server, HAFT_OFFER_TOOL, "say", "say"), 0);
    haft_endpoint_tick(one->endpoint, one->now);
    assert_non_null(strstr(stream.body, "id: 1-1\n"));
    snprintf(id, sizeof id, "%s", one->session);
    bench_close(one);
    two = bench_open(NULL, options);
    snprintf(two->session, sizeof two->session, "%s", id);
    check(two,
          &(struct row){"GET", "/mcp", SESSION "last-event-id: 2-1\n", "", 200 + STREAMS,
                        "id: 2-2\n*id: 2-3\n*counted*", NULL},
          2);
    /* What it hears unasked goes on where it was, with numbers that nobody has had. */
    ask_into(two, &again, "GET", "/mcp", SESSION "last-event-id: 1-0\n", "");
    assert_true(matches("id: 1-1\n*list_changed*", again.body) && !again.over);
    assert_int_equal(haft_offer_rename(two->server, HAFT_OFFER_TOOL, "say", "say"), 0);
    haft_endpoint_tick(two->endpoint, two->now);
    assert_non_null(strstr(again.body, "id: 1-4294967297\n"));
    check(two,
          &(struct row){"POST", "/mcp", SESSION, CALL(4, "count", TOKEN), 200 + STREAMS,
                        "id: 4294967297-0\n*id: 4294967297-3\n*", NULL},
          3);
    bench_close(two);
    haft_store_free(store);
}

/* Neither another principal, nor another endpoint, gets at it. */
static void moves_to_nobody_else(void **state)
{
    static const struct {
        const char *owner, *asker, *path;
        int status;
    } rows[] = {
        {"ann", "ann", "/mcp", 200}, {"ann", "bob", "/mcp", 404},   {"ann", NULL, "/mcp", 404},
        {NULL, "ann", "/mcp", 404},  {"ann", "ann", "/other", 404},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *store = haft_store_memory_new(NULL);
        struct bench *one = bench_open(
            NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .store = store));
        struct bench *two =
            bench_open(NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .store = store,
                                                              .path = rows[i].path));

        one->principal = rows[i].owner;
        two->principal = rows[i].asker;
        check(one, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, i);
        snprintf(two->session, sizeof two->session, "%s", one->session);
        check(two, &(struct row){"POST", rows[i].path, SESSION, PING, rows[i].status, "*", NULL},
              i);
        check(one, &(struct row){"POST", "/mcp", SESSION, PING, 200, PONG, NULL}, i);
        bench_close(one);
        bench_close(two);
        haft_store_free(store);
    }
}

/* ---- memory ---- */

static void use_it_later(struct stand *stand)
{
    struct bench *bench = stand->bench;
    struct reply *replies = calloc(4, sizeof *replies);

    assert_non_null(replies);
    held = NULL;
    ask_into(bench, &replies[0], "POST", "/mcp", LEGACY, HELLO);
    settle(stand);
    note_session(bench, &replies[0]);
    ask_into(bench, &replies[1], "GET", "/mcp", SESSION, "");
    ask_into(bench, &replies[2], "POST", "/mcp", SESSION, CALL(5, "hold", TOKEN));
    settle(stand);
    if (held) {
        haft_progress(held, 1, 2, NULL);
        if (replies[2].exchange && !replies[2].over)
            haft_exchange_gone(replies[2].exchange);
        haft_progress(held, 2, 2, NULL);
        ask_into(bench, &replies[3], "GET", "/mcp", SESSION "last-event-id: 2-0\n", "");
        settle(stand);
        let_go("done");
        settle(stand);
    }
    ask(bench, "DELETE", "/mcp", SESSION, "");
    settle(stand);
    haft_endpoint_tick(bench->endpoint, bench->now += MINUTE);
    hf_endpoint_abandon(bench->endpoint);
    settle(stand);
    free(replies);
}

/* Puts something into the store as a later version of the library would. */
static void put_entry(haft_store *store, const char *space, haft_store_kind kind, const char *id,
                      const char *key, const char *value)
{
    haft_store_op op = {.kind = kind, .key = HAFT_SLICE(key), .value = HAFT_SLICE(value)};
    haft_store_request request = {
        .space = space, .group = HAFT_SLICE(id), .ops = &op, .n_ops = 1, .now = START};

    assert_int_equal(haft_store_submit(store, &request), 0);
    assert_int_equal(request.status, 1);
}

static void check_entry(haft_store *store, const char *id, const char *value)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_store_op op = {.kind = HAFT_STORE_GET, .key = HAFT_SLICE("record")};
    haft_store_request request = {.space = "session",
                                  .group = HAFT_SLICE(id),
                                  .ops = &op,
                                  .n_ops = 1,
                                  .now = START,
                                  .arena = arena};

    assert_int_equal(haft_store_submit(store, &request), 0);
    assert_int_equal(op.status, 1);
    assert_int_equal(op.ret_value.size, strlen(value));
    assert_memory_equal(op.ret_value.data, value, strlen(value));
    haft_arena_free(arena);
}

/* Entries of a later version are not read and not changed. */
static void leaves_other_versions_alone(void **state)
{
    static const char id[] = "00010000000000000000000000000000000042";
    static const char *const records[] = {"{\"format\":2,\"server\":\"test\",\"path\":\"/mcp\"}",
                                          "{\"novelty\":true}", "\x01\x02"};
    struct stand stand = stand_open(LATE_AT_ONCE, NULL);
    struct bench *bench = stand.bench;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(records); i++) {
        put_entry(stand.memory, "session", HAFT_STORE_PUT, id, "record", records[i]);
        snprintf(bench->session, sizeof bench->session, "%s", id);
        for (int k = 0; k < 2; k++)
            check(bench,
                  &(struct row){"POST", "/mcp", SESSION, PING, 404, "*Session not found*", NULL},
                  i);
        check(bench, &(struct row){"DELETE", "/mcp", SESSION, "", 404, "*", NULL}, i);
        check_entry(stand.memory, id, records[i]);
    }
    check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    check(bench,
          &(struct row){"POST", "/mcp", SESSION, CALL(4, "count", TOKEN), 200 + STREAMS, "*", NULL},
          1);
    put_entry(stand.memory, "events", HAFT_STORE_APPEND, bench->session, "log",
              "v2 something else");
    check(bench,
          &(struct row){"GET", "/mcp", SESSION "last-event-id: 1-1\n", "", 404,
                        "*events of the session are of another version*", NULL},
          2);
    stand_close(&stand);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (int mode = LATE_AT_ONCE; mode <= LATE_HELD; mode++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            struct stand stand;
            bool failed;

            failing_init(&failing, nth);
            stand = stand_open((enum late_mode)mode, &failing.allocator);
            if (stand.bench->endpoint)
                use_it_later(&stand);
            failed = failing.failures;
            stand_close(&stand);
            failing_check(&failing);
            if (!failed)
                break;
        }
}

/* A request of a session costs no memory where the store answers at once. */
static void allocates_nothing(void **state)
{
    struct failing failing;
    struct bench *bench;
    size_t calls;

    (void)state;
    failing_init(&failing, 0);
    bench = bench_open(&failing.allocator,
                       (haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
    check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    for (size_t i = 0; i < 3; i++)
        check(bench, &(struct row){"POST", "/mcp", SESSION, PING, 200, PONG, NULL}, i);
    calls = failing.calls;
    for (size_t i = 0; i < 10; i++)
        check(bench, &(struct row){"POST", "/mcp", SESSION, PING, 200, PONG, NULL}, i);
    assert_int_equal(failing.calls, calls);
    bench_close(bench);
    failing_check(&failing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_the_store),
        cmocka_unit_test(keeps_the_order),
        cmocka_unit_test(outlives_those_who_wait),
        cmocka_unit_test(sessions_go_on_without_a_store),
        cmocka_unit_test(goes_on_without_a_store),
        cmocka_unit_test(gives_up_in_time),
        cmocka_unit_test(moves_to_another_process),
        cmocka_unit_test(outlives_its_process),
        cmocka_unit_test(moves_to_nobody_else),
        cmocka_unit_test(leaves_other_versions_alone),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(allocates_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
