/* test_hold.c - stages and rate stores that answer later: what happens to a call at each moment
 * while it is held. */
#include <haft.h>
#include <stdio.h>
#include <string.h>

#include "engine/call/call.h"
#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

static haft_call *held;
static int answer;       /* that a stage returns, or continues with */
static bool at_once;     /* it continues before it returns */
static char heard[1024]; /* by stages and the log */

static void hear(const char *text)
{
    snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s%s", *heard ? "|" : "", text);
}

static int nod(haft_call *call)
{
    hear("handler");
    return haft_text(call, "ok");
}
HAFT_TOOL_BARE(nod, "Nods", .timeout_ms = 1500);

static int limited(haft_call *call)
{
    return nod(call);
}
HAFT_TOOL_BARE(limited, "Nods, not often", .rate = {.calls = 5, .per_ms = 60000});

static int hold(haft_call *call, void *data)
{
    hear(data);
    if (answer != HAFT_PENDING)
        return answer;
    held = call;
    if (at_once)
        haft_continue(call, 0);
    return HAFT_PENDING;
}

static int pass(haft_call *call, void *data)
{
    (void)call;
    hear(data);
    return 0;
}

static void after(haft_call *call, haft_outcome outcome, void *data)
{
    (void)call;
    (void)data;
    hear(haft_outcome_name(outcome));
}

static char before_name[] = "before", ready_name[] = "ready", second_name[] = "second";
static const haft_stage before_stage =
    HAFT_INIT(haft_stage, .name = "slow", .before = hold, .after = after, .data = before_name);
static const haft_stage ready_stage =
    HAFT_INIT(haft_stage, .name = "slow", .ready = hold, .after = after, .data = ready_name);
static const haft_stage second_stage =
    HAFT_INIT(haft_stage, .name = "second", .before = pass, .data = second_name);
static const haft_stage third_stage =
    HAFT_INIT(haft_stage, .name = "third", .ready = pass, .data = second_name);

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)size;
    if (level >= HAFT_WARNING)
        hear(text);
}

static haft_server *serve(bool ready, haft_store *store)
{
    haft_server *server =
        haft_server_new_with("test", "1",
                             HAFT_WITH(haft_server_options, .log = on_log, .store = store,
                                       .store_rate = HAFT_AWAY_CLOSED,
                                       .client_rate = {.calls = store ? 9 : 0, .per_ms = 1000}));

    assert_int_equal(haft_add(server, &nod_tool), 0);
    assert_int_equal(haft_add(server, &limited_tool), 0);
    if (!store)
        assert_int_equal(haft_stage_add(server, ready ? &ready_stage : &before_stage), 0);
    assert_int_equal(haft_stage_add(server, ready ? &third_stage : &second_stage), 0);
    held = NULL;
    at_once = false;
    answer = HAFT_PENDING;
    heard[0] = '\0';
    return server;
}

static void act(void *context, const char *word)
{
    struct wire *wire = context;

    if (!strcmp(word, "go on"))
        haft_continue(held, 0);
    else if (!strcmp(word, "refuse"))
        haft_continue(held, haft_refuse(held, "no"));
    else if (!strcmp(word, "fail"))
        haft_continue(held, HAFT_EBUSY);
    else if (!strcmp(word, "pending"))
        haft_continue(held, HAFT_PENDING);
    else if (!strcmp(word, "unknown"))
        haft_continue(held, 4711);
    else if (!strcmp(word, "at once"))
        at_once = true;
    else if (!strcmp(word, "end"))
        haft_session_free(wire->session);
    else if (!strcmp(word, "cancelled"))
        assert_true(haft_call_cancelled(held));
    else if (!strcmp(word, "1500 left"))
        assert_int_equal(haft_call_time_left(held), 1500);
    else
        fail_msg("no such word: %s", word);
}

#define CALL "R 1 tools/call {'name':'nod'}"
#define OK "= 1 {'content':[{'type':'text','text':'ok'}]}"
#define SAYS(text) "= 1 {'content':[{'type':'text','text':'" text "'}],'isError':true}"

static void a_call_is_held(void **state)
{
    const struct row {
        const char *const *lines;
        const char *heard; /* after the stage's own name */
    } rows[] = {
        {LINES(CALL, "@ 1500 left", "@ go on", OK), "second|handler|ok"},
        {LINES("@ at once", CALL, OK), "second|handler|ok"},
        {LINES(CALL, "@ refuse", SAYS("no")), "error"},
        {LINES(CALL, "@ fail", SAYS("The server is busy. Try again later.")),
         "failed|[1] nod: failed: busy"},
        {LINES(CALL, "@ pending", SAYS("The tool failed.")),
         "[1] nod: the stage \"slow\" continued with 1, which is not a haft status code|failed|[1] nod: failed: invalid argument"},
        {LINES(CALL, "@ unknown", SAYS("The tool failed.")),
         "[1] nod: the stage \"slow\" continued with 4711, which is not a haft status code|failed|[1] nod: failed: invalid argument"},
        /* a second one does not wait for the first, and its id is taken */
        {LINES(CALL, CALL, "! 1 -32600 Invalid Request: the id is already in use", "R 2 ping",
               "= 2 {}", "@ go on", OK),
         "invalid_arguments|second|handler|ok"},
        {LINES(CALL, "N notifications/cancelled {'requestId':1}", "@ cancelled", "@ go on"),
         "cancelled"},
        {LINES(CALL, "N notifications/cancelled {'requestId':1}", "@ refuse"), "cancelled"},
        {LINES(CALL, "+ 1499", "@ go on", OK), "second|handler|ok"},
        {LINES(CALL, "+ 1500", SAYS("timed out after 1500 ms"), "@ cancelled", "@ go on"),
         "[1] nod: timed out after 1500 ms; the stage \"slow\" returned 1 (HAFT_PENDING), and haft_continue was not called|timed_out"},
        {LINES(CALL, "+ 1500", SAYS("timed out after 1500 ms"), "@ unknown"),
         "[1] nod: timed out after 1500 ms; the stage \"slow\" returned 1 (HAFT_PENDING), and haft_continue was not called|timed_out"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        const struct row *row = &rows[i / 2];
        haft_server *server = serve(i % 2, NULL);
        struct wire *wire = wire_open(server);
        const char *name = i % 2 ? ready_name : before_name;

        dialogue_with(wire, row->lines, act, wire);
        assert_int_equal(strncmp(heard, name, strlen(name)), 0);
        assert_string_equal(heard + strlen(name) + 1, row->heard);
        assert_int_equal(haft_session_in_flight(wire->session), 0);
        wire_close(wire);
        haft_server_free(server);
    }
}

/* Whatever a stage returns, its call is answered. */
static void unknown_values_end_the_call(void **state)
{
    static const int values[] = {HAFT_AGAIN, 4, 4711, -1000, -4711};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(values) * 2; i++) {
        haft_server *server = serve(i % 2, NULL);
        char expected[256];

        answer = values[i / 2];
        dialogue_alone(server, LINES(CALL, SAYS("The tool failed.")));
        snprintf(
            expected, sizeof expected,
            "%s|[1] nod: the stage \"slow\" returned %d, which is not a haft status code|failed|[1] nod: failed: "
            "invalid argument",
            i % 2 ? ready_name : before_name, answer);
        assert_string_equal(heard, expected);
        haft_server_free(server);
    }
}

/* The session lives until the stage has let go. */
static void count_gone(void *context)
{
    (*(int *)context)++;
}

static void send_nothing(void *context, const haft_outgoing *message)
{
    (void)context;
    (void)message;
    fail();
}

static void a_session_ends(void **state)
{
    static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                               "\"params\":{\"name\":\"nod\"}}";

    (void)state;
    for (int i = 0; i < 2; i++) {
        haft_server *server = serve(i, NULL);
        int gone = 0;
        haft_session *session = haft_session_new(
            server, HAFT_WITH(haft_session_options,
                              .transport = HAFT_WITH(haft_transport, .send = send_nothing,
                                                     .close = count_gone, .context = &gone)));

        haft_session_receive(session, text, strlen(text), NULL, 1000);
        haft_session_free(session);
        assert_int_equal(gone, 0);
        assert_true(haft_call_cancelled(held));
        haft_continue(held, i ? HAFT_EBUSY : 0);
        assert_int_equal(gone, 1);
        assert_string_equal(heard, i ? "ready|cancelled" : "before|cancelled");
        haft_server_free(server);
    }
}

/* ---- a store that counts, and answers later ---- */

struct counting_store {
    haft_store store; /* first */
    int status;       /* that it returns */
    haft_store_request *asked;
};

static void store_answer(haft_store_request *request, int status, size_t refused)
{
    request->status = status;
    for (size_t i = 0; i < request->n_ops; i++)
        request->ops[i].status = i != refused || status;
    request->ops[refused].ret_wait_ms = 1500;
}

static int store_submit(haft_store *given, haft_store_request *request)
{
    struct counting_store *store = (struct counting_store *)given;
    char text[128];
    int size = snprintf(text, sizeof text, "%s %.*s", request->space, (int)request->group.size,
                        request->group.data);

    for (size_t i = 0; i < request->n_ops; i++)
        size += snprintf(text + size, sizeof text - (size_t)size, " %.*s=%u",
                         (int)request->ops[i].key.size, request->ops[i].key.data,
                         request->ops[i].rate.calls);
    hear(text);
    store->asked = request;
    store_answer(request, 1, 0);
    if (at_once)
        request->done(request);
    return store->status;
}

static struct counting_store counting;

static void act_as_store(void *context, const char *word)
{
    haft_store_request *request = counting.asked;

    if (!strcmp(word, "allow"))
        store_answer(request, 1, 0);
    else if (!strcmp(word, "deny all"))
        store_answer(request, 0, 0);
    else if (!strcmp(word, "deny"))
        store_answer(request, 0, 1);
    else if (!strcmp(word, "break"))
        store_answer(request, HAFT_EBUSY, 0);
    else {
        act(context, word);
        return;
    }
    request->done(request);
}

#define LIMITED "R 1 tools/call {'name':'limited'}"
#define RATED "rate s1 =9 limited=5"
#define REFUSED(what, how)                                                                         \
    "= 1 {'content':[{'type':'text','text':'Rate limited: " what " may be called " how             \
    ". Try again in 2 s.'}],'isError':true,'_meta':{'haft/retryAfterMs':1500}}"

static void a_store_answers_later(void **state)
{
    static const haft_store_methods methods =
        HAFT_INIT(haft_store_methods, .name = "test", .submit = store_submit);
    const struct {
        int status;
        const char *const *lines;
        const char *heard;
    } stores[] = {
        {HAFT_PENDING, LINES(LIMITED, "@ allow", OK), RATED "|second|handler"},
        {HAFT_PENDING, LINES("@ at once", LIMITED, OK), RATED "|second|handler"},
        {0, LINES(LIMITED, OK), RATED "|second|handler"},
        {HAFT_PENDING, LINES(LIMITED, "@ deny", REFUSED("limited", "5 times in 60 s")), RATED},
        {HAFT_PENDING, LINES(LIMITED, "@ deny all", REFUSED("tools", "9 times in 1 s")), RATED},
        {HAFT_PENDING, LINES(LIMITED, "@ break", SAYS("The server is busy. Try again later.")),
         RATED "|rate limits: the store (test) failed: busy|[1] limited: failed: busy"},
        {HAFT_PENDING, LINES(LIMITED, "+ 30000", SAYS("timed out after 30 s"), "@ allow"),
         RATED
         "|[1] limited: timed out after 30000 ms; the stage \"rate limit\" returned 1 (HAFT_PENDING), and haft_continue was not called"},
        {HAFT_PENDING, LINES(LIMITED, "N notifications/cancelled {'requestId':1}", "@ deny"),
         RATED},
        {HAFT_EBUSY, LINES(LIMITED, SAYS("The server is busy. Try again later.")),
         RATED "|rate limits: the store (test) failed: busy|[1] limited: failed: busy"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(stores); i++) {
        haft_server *server;
        struct wire *wire;

        counting = (struct counting_store){.store = {&methods}, .status = stores[i].status};
        server = serve(false, &counting.store);
        wire = wire_open(server);
        dialogue_with(wire, stores[i].lines, act_as_store, wire);
        assert_string_equal(heard, stores[i].heard);
        assert_int_equal(haft_session_in_flight(wire->session), 0);
        wire_close(wire);
        haft_server_free(server);
    }
}

/* The store fails: the policy decides. A refusal of the store is remembered, and not asked for again. */
static void a_store_is_away(void **state)
{
    static const haft_store_methods methods =
        HAFT_INIT(haft_store_methods, .name = "test", .submit = store_submit);
    static const struct {
        haft_store_away policy;
        unsigned replicas, allowed; /* of 7 calls, at a limit of 5 */
    } rows[] = {{HAFT_AWAY_LOCAL, 1, 5},
                {HAFT_AWAY_LOCAL, 2, 2},
                {HAFT_AWAY_LOCAL, 9, 1},
                {HAFT_AWAY_CLOSED, 1, 0},
                {HAFT_AWAY_OPEN, 3, 7}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server;
        struct wire *wire;

        counting = (struct counting_store){.store = {&methods}, .status = HAFT_EFAIL};
        server = serve(false, &counting.store);
        server->options.store_rate = rows[i].policy;
        server->options.replicas = rows[i].replicas;
        wire = wire_open(server);
        for (unsigned k = 0; k < 7; k++)
            dialogue_with(wire,
                          k < rows[i].allowed ? LINES(LIMITED, OK)
                          : rows[i].policy == HAFT_AWAY_CLOSED
                              ? LINES(LIMITED, "= 1 *")
                              : LINES(LIMITED, "= 1 *Rate limited*"),
                          act_as_store, wire);
        counting.status = HAFT_PENDING;
        dialogue_with(wire, LINES(LIMITED, "@ deny", REFUSED("limited", "5 times in 60 s")),
                      act_as_store, wire);
        heard[0] = '\0';
        dialogue_with(wire, LINES(LIMITED, REFUSED("limited", "5 times in 60 s")), act_as_store,
                      wire);
        assert_string_equal(heard, "");
        dialogue_with(wire, LINES("+ 1500", LIMITED, "@ allow", OK), act_as_store, wire);
        wire_close(wire);
        haft_server_free(server);
    }
}

/* ---- the table of states ---- */

static void states_follow_each_other(void **state)
{
    (void)state;
    assert_true(hf_call_state_may_follow(CALL_STAGES, CALL_HELD));
    assert_true(hf_call_state_may_follow(CALL_HELD, CALL_STAGES));
    assert_false(hf_call_state_may_follow(CALL_HELD, CALL_RUNNING));
    for (enum call_state i = CALL_READ; i < CALL_OVER; i++) {
        assert_true(hf_call_state_may_follow(i, CALL_OVER));
        assert_false(hf_call_state_may_follow(CALL_OVER, i));
        assert_false(hf_call_state_may_follow(i, CALL_READ));
    }
}

#if !defined NDEBUG
static void wrong_moves_are_logged(void **state)
{
    haft_server *server = serve(false, NULL);
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue_with(wire, LINES(CALL), act, wire);
    call_move(held, CALL_PENDING);
    assert_non_null(
        strstr(heard, "invalid transition of a call from \"held by a stage\" to \"pending\""));
    held->state = CALL_HELD;
    dialogue_with(wire, LINES("@ go on", OK), act, wire);
    wire_close(wire);
    haft_server_free(server);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_held),
        cmocka_unit_test(unknown_values_end_the_call),
        cmocka_unit_test(a_session_ends),
        cmocka_unit_test(a_store_answers_later),
        cmocka_unit_test(a_store_is_away),
        cmocka_unit_test(states_follow_each_other),
#if !defined NDEBUG
        cmocka_unit_test(wrong_moves_are_logged),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
