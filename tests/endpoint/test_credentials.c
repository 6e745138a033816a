/* test_credentials.c - an endpoint with an authenticator, embedded in a program: who may send what,
 * checks that answer later, never, or wrongly, and the metadata. */
#include "endpoint/asking.h"
#include "endpoint/identifying.h"

#define CHALLENGE "*WWW-Authenticate: Bearer realm='one'*"
#define REFUSED "{'error':'invalid_token'}"

static haft_endpoint_options options_with(struct identifying *one)
{
    return (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .authenticator = &one->base);
}

static void close_all(struct bench *bench, const struct identifying *one)
{
    assert_true(haft_endpoint_idle(bench->endpoint));
    bench_close(bench);
    identifying_assert_over(one);
}

/* ---- every way in ---- */

static void checks_every_request(void **state)
{
    static const struct row rows[] = {
        {"POST", "/mcp", JSON, PING, 401, REFUSED, CHALLENGE},
        {"POST", "/mcp/", JSON, PING, 401, REFUSED, CHALLENGE},
        {"POST", "/mcp", JSON AS("bad"), PING, 401, REFUSED, CHALLENGE},
        {"POST", "/mcp", JSON AS("ann"), PING, 200, PONG, NULL},
        {"GET", "/mcp", HOST, "", 401, REFUSED, CHALLENGE},
        {"GET", "/mcp", HOST AS("ann"), "", 405, "*", NULL},
        {"DELETE", "/mcp", HOST, "", 401, REFUSED, CHALLENGE},
        {"DELETE", "/mcp", HOST AS("ann"), "", 405, "*", NULL},
        {"HEAD", "/mcp", HOST, "", 401, REFUSED, CHALLENGE},
        {"HEAD", "/mcp", HOST AS("ann"), "", 405, "*", NULL},
        {"OPTIONS", "/mcp", HOST, "", 401, REFUSED, CHALLENGE},
        {"PUT", "/mcp", HOST, "", 401, REFUSED, CHALLENGE},
        {"POST", "/mcp", MODERN("tools/call") "mcp-name: say\n",
         CALL(1, "say", ",'arguments':{'text':'hi'}," META), 401, REFUSED, CHALLENGE},
        {"POST", "/mcp", MODERN("tools/call") "mcp-name: say\n" AS("ann"),
         CALL(1, "say", ",'arguments':{'text':'hi'}," META), 200, "*'text':'hi'*", NULL},
        {"POST", "/mcp", LEGACY, HELLO, 401, REFUSED, CHALLENGE},
        {"GET", "/sse", HOST, "", 401, REFUSED, CHALLENGE},
        {"POST", "/messages?session=1", JSON, PING, 401, REFUSED, CHALLENGE},
        {"POST", "/messages?session=1", JSON AS("ann"), PING, 404, "*", NULL},
        /* What is not there is so for everybody, and probes need nothing. */
        {"GET", "/else", HOST, "", 404, "*", NULL},
        {"GET", "/healthz", HOST, "", 200, "*", NULL},
        /* The guard comes first. */
        {"POST", "/mcp", "host: evil.example\ncontent-type: application/json\n", PING, 403, "*",
         NULL},
        {"POST", "/mcp", JSON "origin: http://evil.example\n" AS("ann"), PING, 403, "*", NULL},
    };
    struct identifying one = IDENTIFYING("one");
    haft_endpoint_options options = options_with(&one);
    struct bench *bench;

    (void)state;
    options.legacy_sse = true;
    bench = bench_open(NULL, options);
    check_rows(bench, rows, COUNT_OF(rows));
    /* The paths of 2024-11-05 belong to the same resource. */
    assert_string_equal(one.path, "/mcp");
    close_all(bench, &one);
}

/* What a program says about the client does not replace the check. */
static void counts_refusals(void **state)
{
    static const struct row rows[] = {
        {"POST", "/mcp", JSON AS("bad"), PING, 401, REFUSED, CHALLENGE},
        {"POST", "/mcp", JSON, PING, 401, REFUSED, CHALLENGE},
        {"POST", "/mcp", JSON AS("ann"), PING, 200, PONG, NULL},
        {"GET", "/mcp", HOST AS("bad"), "", 401, REFUSED, CHALLENGE},
    };
    static const char *const counted[] = {
        "# TYPE mcp_server_authentication_refused_total counter\n",
        "\nmcp_server_authentication_refused_total{reason=\"no_credentials\"} 1\n",
        "\nmcp_server_authentication_refused_total{reason=\"bad_signature\"} 2\n"};
    struct identifying one = IDENTIFYING("one");
    struct bench *bench = bench_open(NULL, options_with(&one));
    haft_buffer text;

    (void)state;
    assert_int_equal(haft_metrics_enable(bench->server), 0);
    check_rows(bench, rows, COUNT_OF(rows));
    haft_buffer_init(&text, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(bench->server, &text), 0);
    haft_buffer_add(&text, "", 1);
    for (size_t i = 0; i < COUNT_OF(counted); i++)
        if (!strstr(text.data, counted[i]))
            fail_msg("%s is not in %s", counted[i], text.data);
    haft_buffer_finish(&text);
    close_all(bench, &one);
}

static void ignores_a_principal_from_elsewhere(void **state)
{
    struct identifying one = IDENTIFYING("one");
    struct bench *bench = bench_open(NULL, options_with(&one));

    (void)state;
    bench->principal = "mallory";
    check(bench, &(struct row){"POST", "/mcp", JSON, PING, 401, REFUSED, CHALLENGE}, 0);
    check(bench, &(struct row){"POST", "/mcp", LEGACY AS("ann"), HELLO, 200, "*", NULL}, 1);
    bench->principal = "ann";
    check(bench, &(struct row){"POST", "/mcp", SESSION AS("bob"), PING, 404, "*", NULL}, 2);
    bench->principal = "bob";
    check(bench, &(struct row){"POST", "/mcp", SESSION AS("ann"), PING, 200, PONG, NULL}, 3);
    close_all(bench, &one);
}

static void keeps_sessions_apart(void **state)
{
    static const struct row rows[] = {
        {"POST", "/mcp", LEGACY AS("ann"), HELLO, 200, "*", NULL},
        {"POST", "/mcp", SESSION AS("bob"), PING, 404, "*Session not found*", NULL},
        {"GET", "/mcp", SESSION AS("bob"), "", 404, "*Session not found*", NULL},
        {"GET", "/mcp", SESSION AS("bob") "last-event-id: 1-0\n", "", 404, "*", NULL},
        {"DELETE", "/mcp", SESSION AS("bob"), "", 404, "*Session not found*", NULL},
        {"POST", "/mcp", SESSION, PING, 401, REFUSED, CHALLENGE},
        {"POST", "/mcp", SESSION AS("nonce-bob"), PING, 404, "*Session not found*",
         "*DPoP-Nonce: n-1*"},
        {"POST", "/mcp", SESSION AS("ann"), PING, 200, PONG, NULL},
        {"POST", "/mcp", SESSION AS("nonce-ann"), PING, 200, PONG, "*DPoP-Nonce: n-1*"},
        {"DELETE", "/mcp", SESSION AS("ann"), "", 200, "", NULL},
    };
    struct identifying one = IDENTIFYING("one");
    struct bench *bench = bench_open(NULL, options_with(&one));

    (void)state;
    check_rows(bench, rows, COUNT_OF(rows));
    close_all(bench, &one);
}

static void fails_closed(void **state)
{
    static const struct row rows[] = {
        {"POST", "/mcp", JSON AS("broken"), PING, 500, "*Internal Server Error*", NULL},
        {"POST", "/mcp", JSON AS("nobody"), PING, 500, "*Internal Server Error*", NULL},
        {"POST", "/mcp", JSON AS("hungry"), PING, 503, "*Out of memory*", "*Retry-After: 1*"},
        {"POST", "/mcp", JSON AS("nonce-bad"), PING, 401, REFUSED, "*DPoP-Nonce: n-1*"},
    };
    struct identifying one = IDENTIFYING("one");
    struct bench *bench = bench_open(NULL, options_with(&one));

    (void)state;
    check_rows(bench, rows, COUNT_OF(rows));
    close_all(bench, &one);
}

/* ---- checks that answer later ---- */

static void check_later(struct bench *bench, struct identifying *one, const char *headers,
                        const char *body, int status, const char *answer)
{
    struct reply *reply = ask(bench, "POST", "/mcp", headers, body);
    char *expected = expand(bench, answer);

    assert_non_null(reply->exchange);
    assert_false(haft_endpoint_idle(bench->endpoint));
    identifying_answer(one);
    assert_false(reply->over);
    haft_endpoint_tick(bench->endpoint, bench->now);
    note_session(bench, reply);
    if (!reply->over || reply->status != status || !matches(expected, reply->body))
        fail_msg("%s: %d %s", headers, reply->status, reply->body);
    free(expected);
}

static void waits_for_a_check(void **state)
{
    static const struct {
        const char *headers, *body;
        int status;
        const char *answer;
    } rows[] = {
        {JSON AS("wait-ann"), PING, 200, PONG},
        {JSON AS("wait-bad"), PING, 401, REFUSED},
        {JSON AS("wait-"), PING, 401, REFUSED},
        {JSON AS("wait-broken"), PING, 500, "*Internal*"},
        {JSON AS("wait-nobody"), PING, 500, "*Internal*"},
        {JSON AS("wait-hungry"), PING, 503, "*memory*"},
        {JSON AS("wait-nonce-ann"), PING, 200, PONG},
        {LEGACY AS("wait-ann"), HELLO, 200, "*serverInfo*"},
        {SESSION AS("wait-ann"), PING, 200, PONG},
        {SESSION AS("wait-bob"), PING, 404, "*Session not found*"},
        {MODERN("tools/call") "mcp-name: say\n" AS("wait-ann"),
         CALL(1, "say", ",'arguments':{'text':'hi'}," META), 200, "*'text':'hi'*"},
    };
    struct identifying one = IDENTIFYING("one");
    struct bench *bench = bench_open(NULL, options_with(&one));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_later(bench, &one, rows[i].headers, rows[i].body, rows[i].status, rows[i].answer);
        if (strstr(rows[i].headers, "nonce"))
            assert_non_null(strstr(bench->reply.headers, "DPoP-Nonce: n-1"));
    }
    close_all(bench, &one);
}

/* A call that goes on after the check, and its stream. */
static void streams_after_a_check(void **state)
{
    struct identifying one = IDENTIFYING("one");
    struct bench *bench = bench_open(NULL, options_with(&one));
    struct reply *reply;

    (void)state;
    reply = ask(bench, "POST", "/mcp", MODERN("tools/call") "mcp-name: hold\n" AS("wait-nonce-ann"),
                CALL(1, "hold", "," META));
    identifying_answer(&one);
    haft_endpoint_tick(bench->endpoint, bench->now);
    assert_false(reply->over);
    let_go("done");
    assert_true(reply->over);
    assert_non_null(strstr(reply->headers, "DPoP-Nonce: n-1"));
    assert_non_null(strstr(reply->body, "done"));
    /* The client leaves during the call, which is cancelled. */
    reply = ask(bench, "POST", "/mcp", MODERN("tools/call") "mcp-name: hold\n" AS("nonce-ann"),
                CALL(1, "hold", "," META));
    assert_non_null(reply->exchange);
    haft_exchange_gone(reply->exchange);
    assert_true(haft_call_cancelled(held));
    let_go("too late");
    assert_false(reply->over);
    close_all(bench, &one);
}

#define LISTEN                                                                                     \
    "{'jsonrpc':'2.0','id':8,'method':'subscriptions/listen','params':{"                           \
    "'notifications':{'toolsListChanged':true}," META "}}"

/* Streams of one client, and a call. */
struct streams {
    struct reply older, stream, sse, listen, call;
};

static void streams_open(struct streams *all, struct bench *bench, const char *session,
                         const char *modern, const char *as)
{
    char sse[256];

    snprintf(sse, sizeof sse, "%s%s", HOST, as);
    ask_into(bench, &all->older, "GET", "/mcp", session, "");
    ask_into(bench, &all->stream, "GET", "/mcp", session, "");
    ask_into(bench, &all->sse, "GET", "/sse", sse, "");
    ask_into(bench, &all->listen, "POST", "/mcp", modern, LISTEN);
    ask_into(bench, &all->call, "POST", "/mcp", session, CALL(1, "hold", ""));
    assert_true(all->older.streams && all->stream.streams && all->sse.streams &&
                all->listen.streams);
}

static bool streams_are_over(const struct streams *all)
{
    bool over = all->listen.over;

    assert_int_equal(all->older.over, over);
    assert_int_equal(all->stream.over, over);
    assert_int_equal(all->sse.over, over);
    return over;
}

/* The client comes back, and is asked for other credentials. What it has called is answered. */
static void ends_streams_with_credentials(void **state)
{
    static const struct {
        const char *hello, *session, *modern, *as;
    } rows[] = {
#define STREAMS_OF(who)                                                                            \
    {LEGACY AS(who), SESSION AS(who), MODERN("subscriptions/listen") AS(who), AS(who)}
        STREAMS_OF("until-ann"), STREAMS_OF("key-ann"), STREAMS_OF("key-bob"), STREAMS_OF("ann")};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct identifying one = IDENTIFYING("one");
        haft_endpoint_options options = options_with(&one);
        struct streams *all = calloc(1, sizeof *all);
        struct bench *bench;

        options.legacy_sse = true;
        bench = bench_open(NULL, options);
        one.expires = START + 10000;
        ask(bench, "POST", "/mcp", rows[i].hello, HELLO);
        streams_open(all, bench, rows[i].session, rows[i].modern, rows[i].as);
        bench->now += 10000 - 1;
        one.version++;
        haft_endpoint_tick(bench->endpoint, bench->now);
        assert_false(streams_are_over(all));
        bench->now += 1;
        one.version++;
        one.withdrawn = "key-ann";
        haft_endpoint_tick(bench->endpoint, bench->now);
        assert_int_equal(streams_are_over(all), i < 2);
        if (i < 2)
            assert_non_null(strstr(all->listen.body, "\"id\":8,\"result\""));
        assert_false(all->call.over);
        let_go("still");
        assert_non_null(strstr(all->call.body, "still"));
        check(bench, &(struct row){"POST", "/mcp", rows[i].session, PING, 200, PONG, NULL}, 0);
        bench_close(bench);
        identifying_assert_over(&one);
        free(all);
    }
}

static void answers_for_a_late_check(void **state)
{
    (void)state;
    for (int refuses = 0; refuses < 2; refuses++) {
        struct identifying one = IDENTIFYING("one");
        struct bench *bench = bench_open(NULL, options_with(&one));
        struct reply *reply = ask(bench, "POST", "/mcp", JSON AS("wait-ann"), PING);

        one.refuses_to_cancel = refuses;
        haft_endpoint_tick(bench->endpoint, bench->now += 10 * MINUTE);
        assert_true(reply->over);
        assert_int_equal(reply->status, 504);
        assert_non_null(strstr(reply->body, "in time"));
        assert_int_equal(haft_endpoint_idle(bench->endpoint), !refuses);
        if (refuses)
            identifying_answer(&one);
        haft_endpoint_tick(bench->endpoint, bench->now);
        assert_int_equal(one.n_cancelled, !refuses);
        close_all(bench, &one);
    }
}

/* Sends a body of so many spaces, for longer ones than ask_into takes. */
static void ask_long(struct bench *bench, struct reply *reply, size_t size)
{
    static const haft_header headers[] = {{"host", "localhost:8808"},
                                          {"content-type", "application/json"},
                                          {"authorization", "Bearer wait-ann"}};
    char *body = malloc(size);
    haft_request request = {.method = "POST",
                            .path = "/mcp",
                            .query = "",
                            .headers = headers,
                            .n_headers = COUNT_OF(headers),
                            .body = body,
                            .body_size = size};

    assert_non_null(body);
    memset(body, ' ', size);
    memset(reply, 0, sizeof *reply);
    reply->exchange =
        haft_endpoint_handle(bench->endpoint, &request, &responder, reply, bench->now);
    free(body);
}

/* The bodies of all that wait are bounded, but for one alone. */
static void bounds_the_bodies_that_wait(void **state)
{
    static const size_t sizes[] = {33 << 20, 65 << 20};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct identifying one = IDENTIFYING("one");
        struct bench *bench = bench_open(NULL, options_with(&one));
        struct reply *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);

        assert_true(first && second);
        ask_long(bench, first, sizes[i]);
        assert_false(first->over);
        ask_long(bench, second, sizes[i]);
        assert_true(second->over);
        assert_int_equal(second->status, 503);
        assert_non_null(strstr(second->headers, "Retry-After: 5"));
        assert_int_equal(one.n_cancelled, 1);
        identifying_answer(&one);
        haft_endpoint_tick(bench->endpoint, bench->now);
        assert_true(first->over);
        ask_long(bench, second, sizes[i]);
        assert_false(second->over);
        haft_exchange_gone(second->exchange);
        free(first);
        free(second);
        close_all(bench, &one);
    }
}

static void forgets_a_client_that_leaves(void **state)
{
    (void)state;
    for (int refuses = 0; refuses < 2; refuses++) {
        struct identifying one = IDENTIFYING("one");
        struct bench *bench = bench_open(NULL, options_with(&one));
        struct reply *reply = ask(bench, "POST", "/mcp", JSON AS("wait-ann"), PING);

        one.refuses_to_cancel = refuses;
        haft_exchange_gone(reply->exchange);
        assert_int_equal(haft_endpoint_idle(bench->endpoint), !refuses);
        if (refuses)
            identifying_answer(&one);
        haft_endpoint_tick(bench->endpoint, bench->now);
        assert_false(reply->over);
        close_all(bench, &one);
    }
}

static void ends_while_a_check_is_pending(void **state)
{
    struct identifying one = IDENTIFYING("one");
    struct bench *bench = bench_open(NULL, options_with(&one));
    struct reply *reply = calloc(1, sizeof *reply);

    (void)state;
    assert_non_null(reply);
    ask_into(bench, reply, "POST", "/mcp", JSON AS("wait-ann"), PING);
    haft_endpoint_shut_down(bench->endpoint);
    assert_false(haft_endpoint_idle(bench->endpoint));
    check(bench, &(struct row){"POST", "/mcp", JSON AS("ann"), PING, 503, "*shutting*", NULL}, 0);
    identifying_answer(&one);
    haft_endpoint_tick(bench->endpoint, bench->now);
    assert_true(reply->over);
    free(reply);
    close_all(bench, &one);
}

/* ---- metadata ---- */

#define RESOURCE "/.well-known/oauth-protected-resource"

static void publishes_metadata(void **state)
{
    static const struct row rows[] = {
        {"GET", RESOURCE "/mcp", HOST, "", 200, "{'resource':'one/mcp','scopes':'','name':'test'}",
         "*application/json*max-age=3600*Access-Control-Allow-Origin: *"},
        {"GET", RESOURCE "/mcp/", HOST, "", 200, "{'resource':'one/mcp'*", NULL},
        {"GET", RESOURCE, HOST, "", 200, "{'resource':'one/mcp'*", NULL},
        {"GET", RESOURCE, HOST "origin: https://page.example\n", "", 200, "*", NULL},
        {"HEAD", RESOURCE, HOST, "", 200, "*", NULL},
        {"OPTIONS", RESOURCE, HOST "origin: https://page.example\n", "", 204, "",
         "*Access-Control-Allow-Methods: GET, HEAD*"},
        {"POST", RESOURCE, JSON AS("ann"), PING, 405, "", "*Allow: GET, HEAD, OPTIONS*"},
        {"DELETE", RESOURCE "/mcp", HOST, "", 405, "", NULL},
        {"GET", RESOURCE "/else", HOST, "", 404, "*", NULL},
        {"GET", RESOURCE "x", HOST, "", 404, "*", NULL},
        {"GET", RESOURCE, "host: evil.example\n", "", 403, "*host*", NULL},
        {"GET", RESOURCE "/else", HOST "origin: https://page.example\n", "", 403, "*", NULL},
    };
    struct identifying one = IDENTIFYING("one");
    struct bench *bench = bench_open(NULL, options_with(&one));

    (void)state;
    check_rows(bench, rows, COUNT_OF(rows));
    assert_int_equal(one.n_checks, 0);
    close_all(bench, &one);
}

static void has_no_metadata_without_issuers(void **state)
{
    static const struct row rows[] = {
        {"GET", RESOURCE "/mcp", HOST, "", 404, "*", NULL},
        {"GET", RESOURCE, HOST "origin: https://page.example\n", "", 403, "*", NULL},
    };
    struct identifying one = IDENTIFYING("one");
    struct bench *bench;

    (void)state;
    one.has_no_metadata = true;
    bench = bench_open(NULL, options_with(&one));
    check_rows(bench, rows, COUNT_OF(rows));
    close_all(bench, &one);
}

static void lets_pages_send_credentials(void **state)
{
    static const struct row rows[] = {
        {"OPTIONS", "/mcp",
         HOST "origin: https://page.example\naccess-control-request-method: POST\n", "", 204, "",
         "*Access-Control-Allow-Headers: *Authorization, DPoP*"},
        {"POST", "/mcp", JSON "origin: https://page.example\n", PING, 401, REFUSED,
         "*WWW-Authenticate: *Access-Control-Expose-Headers: *WWW-Authenticate, DPoP-Nonce*"},
        {"POST", "/mcp", JSON "origin: https://page.example\n" AS("ann"), PING, 200, PONG,
         "*Access-Control-Expose-Headers: *WWW-Authenticate, DPoP-Nonce*"},
    };
    struct identifying one = IDENTIFYING("one");
    haft_endpoint_options options = options_with(&one);
    struct bench *bench;

    (void)state;
    options.cors_origin = "https://page.example";
    bench = bench_open(NULL, options);
    check_rows(bench, rows, COUNT_OF(rows));
    close_all(bench, &one);
}

/* ---- memory ---- */

static void use_it(struct bench *bench, struct identifying *one)
{
    struct reply *reply = calloc(1, sizeof *reply);

    assert_non_null(reply);
    ask(bench, "POST", "/mcp", JSON AS("nonce-ann"), PING);
    ask(bench, "GET", RESOURCE, HOST, "");
    ask_into(bench, reply, "POST", "/mcp", JSON AS("wait-nonce-ann"), PING);
    if (one->n_pending) {
        identifying_answer(one);
        haft_endpoint_tick(bench->endpoint, bench->now);
    }
    assert_true(reply->over);
    one->refuses_to_cancel = true;
    ask_into(bench, reply, "POST", "/mcp", JSON AS("wait-ann"), PING);
    if (one->n_pending) {
        identifying_answer(one);
        haft_endpoint_tick(bench->endpoint, bench->now);
    }
    one->refuses_to_cancel = false;
    assert_true(reply->over);
    free(reply);
}

static void answers_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct identifying one = IDENTIFYING("one");
        struct failing failing;
        struct bench *bench;
        bool failed;

        failing_init(&failing, nth);
        bench = bench_open(&failing.allocator, options_with(&one));
        if (bench->endpoint) {
            use_it(bench, &one);
            failing.fail_at = 0;
            check(bench, &(struct row){"POST", "/mcp", JSON AS("ann"), PING, 200, PONG, NULL}, nth);
            check(bench, &(struct row){"POST", "/mcp", JSON, PING, 401, REFUSED, CHALLENGE}, nth);
        }
        failed = failing.failures;
        bench_close(bench);
        failing_check(&failing);
        identifying_assert_over(&one);
        if (!failed)
            break;
    }
}

/* A check that answers at once costs no memory. */
static void allocates_nothing_later(void **state)
{
    struct identifying one = IDENTIFYING("one");
    struct failing failing;
    struct bench *bench;
    size_t calls = 0;

    (void)state;
    failing_init(&failing, 0);
    bench = bench_open(&failing.allocator, options_with(&one));
    for (int i = 0; i < 8; i++) {
        calls = failing.calls;
        check(bench,
              &(struct row){"POST", "/mcp", MODERN("tools/call") "mcp-name: say\n" AS("ann"),
                            CALL(1, "say", ",'arguments':{'text':'hi'}," META), 200, "*hi*", NULL},
              0);
    }
    assert_int_equal(failing.calls, calls);
    close_all(bench, &one);
    failing_check(&failing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_every_request),
        cmocka_unit_test(counts_refusals),
        cmocka_unit_test(ignores_a_principal_from_elsewhere),
        cmocka_unit_test(keeps_sessions_apart),
        cmocka_unit_test(fails_closed),
        cmocka_unit_test(waits_for_a_check),
        cmocka_unit_test(bounds_the_bodies_that_wait),
        cmocka_unit_test(streams_after_a_check),
        cmocka_unit_test(ends_streams_with_credentials),
        cmocka_unit_test(answers_for_a_late_check),
        cmocka_unit_test(forgets_a_client_that_leaves),
        cmocka_unit_test(ends_while_a_check_is_pending),
        cmocka_unit_test(publishes_metadata),
        cmocka_unit_test(has_no_metadata_without_issuers),
        cmocka_unit_test(lets_pages_send_credentials),
        cmocka_unit_test(answers_without_memory),
        cmocka_unit_test(allocates_nothing_later),
    };

    return cmocka_run_group_tests_name("credentials", tests, NULL, NULL);
}
