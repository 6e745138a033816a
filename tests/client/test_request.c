/* test_request.c - requests with callbacks: each is reported exactly once, however it ends, and the
 * client may be closed by any of its callbacks. */
#include <haft/testing.h>

#include "client/client.h"
#include "client/script.h"
#include "support/counting.h"

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}"
#define SAID(text) RESULT("{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")
#define PROGRESS                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$,"  \
    "\"progress\":1,\"total\":4,\"message\":\"on\"}}"

static const struct script_row nothing[] = {{NULL, 0, NULL, 0}};

/* What a callback has seen. */
struct seen {
    unsigned done, progress;
    int status, code;
    char text[256], error[256];
    bool closes; /* the client, in the callback */
    haft_client **client;
};

static void on_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct seen *seen = context;

    seen->done++;
    seen->status = status;
    seen->code = result ? result->error_code : 0;
    assert_int_equal(!result, !!status);
    snprintf(seen->text, sizeof seen->text, "%s", result ? result->text : "");
    snprintf(seen->error, sizeof seen->error, "%s", haft_client_error(client, NULL));
    if (seen->closes) {
        haft_client_free(client);
        *seen->client = NULL;
    }
}

static void on_progress(void *context, double progress, double total, const char *message)
{
    struct seen *seen = context;

    assert_true(progress == 1 && total == 4);
    assert_string_equal(message, "on");
    seen->progress++;
}

static haft_client *open_script(struct script *script, const struct script_row *rows, bool http,
                                bool has_wait, const haft_client_options *options)
{
    struct client_start start = {.probe = false};
    haft_transport transport;

    script_init(script, rows, http, has_wait);
    transport = script_transport(script);
    return hf_client_start(&transport, options, &start, &script->receiver, NULL);
}

static int64_t call_tool(haft_client *client, struct seen *seen)
{
    return haft_client_begin(client,
                             HAFT_WITH(haft_client_exchange, .method = "x/call", .params = "{}",
                                       .done = on_done, .progress = on_progress, .context = seen));
}

/* ---- how a request ends ---- */

enum { STEPS = 6 };

static const struct end_row {
    const char *what;
    bool http;
    struct script_row steps[STEPS];
    int status, code;
    const char *text; /* a part of the result's text, or of the reason */
    unsigned progress, strays;
} ends[] = {
    {"an answer", false, {{"x/call", SCRIPT_SAY, SAID("hello"), 0}}, 0, 0, "hello", 0, 0},
    {"an error",
     false,
     {{"x/call", SCRIPT_SAY,
       "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-5,\"message\":\"no\"}}", 0}},
     0,
     -5,
     "no",
     0,
     0},
    {"twice",
     false,
     {{"x/call", SCRIPT_SAY, SAID("hello"), 0},
      {NULL, SCRIPT_SAY, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 0}},
     0,
     0,
     "hello",
     0,
     1},
    {"an unknown id, a string, and none",
     false,
     {{NULL, SCRIPT_SAY, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}", 0},
      {NULL, SCRIPT_SAY, "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}", 0},
      {NULL, SCRIPT_SAY, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"\"}}", 0},
      {NULL, SCRIPT_SAY, "what is this", 0},
      {"x/call", SCRIPT_SAY, SAID("hello"), 0}},
     0,
     0,
     "hello",
     0,
     4},
    {"an error without an id over its connection",
     true,
     {{"x/call", SCRIPT_SAY,
       "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-7,\"message\":\"bad\"}}", 0}},
     0,
     -7,
     "bad",
     0,
     0},
    {"an answer in an array",
     false,
     {{"x/call", SCRIPT_SAY, "[" PROGRESS "," SAID("both") "]", 0}},
     0,
     0,
     "both",
     1,
     0},
    {"an empty array",
     false,
     {{NULL, SCRIPT_SAY, "[]", 0}, {"x/call", SCRIPT_SAY, SAID("hello"), 0}},
     0,
     0,
     "hello",
     0,
     0},
    {"not JSON over its connection",
     true,
     {{"x/call", SCRIPT_SAY, "\x1b[31mhello {", 0}},
     HAFT_EPROTOCOL,
     0,
     "?[31mhello {",
     0,
     0},
    {"both",
     false,
     {{"x/call", SCRIPT_SAY,
       "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}", 0}},
     HAFT_EPROTOCOL,
     0,
     "either a result or an error",
     0,
     0},
    {"neither",
     false,
     {{"x/call", SCRIPT_SAY, "{\"jsonrpc\":\"2.0\",\"id\":$}", 0}},
     HAFT_EPROTOCOL,
     0,
     "invalid message from the server",
     0,
     0},
    {"another version",
     false,
     {{"x/call", SCRIPT_SAY, "{\"jsonrpc\":\"1.0\",\"id\":$,\"result\":{}}", 0}},
     HAFT_EPROTOCOL,
     0,
     "\"jsonrpc\" must be \"2.0\"",
     0,
     0},
    {"a result that is not an object",
     false,
     {{"x/call", SCRIPT_SAY, RESULT("[]"), 0}},
     HAFT_EPROTOCOL,
     0,
     "the result must be an object, not an array",
     0,
     0},
    {"an error that is not one",
     false,
     {{"x/call", SCRIPT_SAY, "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":\"x\"}}", 0}},
     HAFT_EPROTOCOL,
     0,
     "code must be an integer",
     0,
     0},
    {"silence",
     false,
     {{NULL, SCRIPT_PASS, NULL, 30000}},
     HAFT_ETIMEOUT,
     0,
     "x/call timed out after 30 s",
     0,
     0},
    {"silence over HTTP",
     true,
     {{NULL, SCRIPT_PASS, NULL, 30000}},
     HAFT_ETIMEOUT,
     0,
     "x/call timed out after 30 s",
     0,
     0},
    {"progress",
     false,
     {{NULL, SCRIPT_PASS, NULL, 29000},
      {"x/call", SCRIPT_PASS, NULL, 1},
      {NULL, SCRIPT_SAY,
       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,"
       "\"progress\":1,\"total\":4,\"message\":\"on\"}}",
       0},
      {NULL, SCRIPT_PASS, NULL, 29000},
      {"x/call", SCRIPT_SAY, SAID("late"), 0}},
     0,
     0,
     "late",
     1,
     0},
    {"a login",
     true,
     {{"x/call", SCRIPT_HOLD, "", 0},
      {NULL, SCRIPT_PASS, NULL, 700000},
      {"x/call", SCRIPT_PASS, NULL, 1},
      {"x/call", SCRIPT_SAY, SAID("in"), 0}},
     0,
     0,
     "in",
     0,
     0},
    {"a lost connection",
     true,
     {{"x/call", SCRIPT_CLOSE_IT, "", 0}},
     HAFT_ECLOSED,
     0,
     "the server has ended the connection",
     0,
     0},
    {"a lost server",
     false,
     {{"x/call", SCRIPT_CLOSE, "", 0}},
     HAFT_ECLOSED,
     0,
     "the server has ended the connection",
     0,
     0},
    {"no access",
     true,
     {{"x/call", SCRIPT_FAIL, "403 Forbidden", 403}},
     HAFT_EDENIED,
     0,
     "403 Forbidden",
     0,
     0},
    {"a long message",
     true,
     {{"x/call", SCRIPT_LONG, "", 0}},
     HAFT_ETOOBIG,
     0,
     "99 bytes exceeds the limit",
     0,
     0},
    {"a long message of nobody",
     false,
     {{"x/call", SCRIPT_LONG, "", 1}},
     HAFT_ETOOBIG,
     0,
     "99 bytes exceeds the limit",
     0,
     0},
};

static void every_end_is_reported_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ends) * 2; i++) {
        static struct script script;
        const struct end_row *row = &ends[i / 2];
        struct seen seen = {.closes = i % 2};
        haft_client *client = open_script(&script, row->steps, row->http, false, NULL);

        print_message("%s\n", row->what);
        seen.client = &client;
        assert_true(call_tool(client, &seen) > 0);
        assert_int_equal(seen.done, 0);
        script_run(&script);
        assert_int_equal(seen.done, 1);
        assert_int_equal(seen.status, row->status);
        assert_int_equal(seen.code, row->code);
        assert_int_equal(seen.progress, row->progress);
        assert_non_null(strstr(row->status ? seen.error : seen.text, row->text));
        assert_int_equal(!client, seen.closes);
        if (client) {
            assert_int_equal(haft_client_strays(client), row->strays);
            haft_client_free(client);
        }
        assert_int_equal(seen.done, 1);
        script_finish(&script);
    }
}

/* ---- cancelling ---- */

static void what_is_cancelled_is_told(void **state)
{
    static const struct {
        const char *revision;
        bool http;
        const char *sent; /* NULL for nothing */
        unsigned let_go;
    } rows[] = {
        {"2026-07-28", true, NULL, 1},
        {"2026-07-28", false, "notifications/cancelled\",\"params\":{\"requestId\":1}", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct script script;
        struct seen seen = {.done = 0};
        haft_client *client =
            open_script(&script, nothing, rows[i].http, false,
                        HAFT_WITH(haft_client_options, .revision = rows[i].revision));
        int64_t id = call_tool(client, &seen);

        assert_int_equal(haft_client_cancel(client, id), 0);
        assert_int_equal(seen.done, 1);
        assert_int_equal(seen.status, HAFT_ECANCELLED);
        assert_int_equal(haft_client_cancel(client, id), HAFT_ENOTFOUND);
        assert_int_equal(script.let_go, rows[i].let_go);
        if (rows[i].sent)
            assert_non_null(strstr(script.log, rows[i].sent));
        else
            assert_null(strstr(script.log, "cancelled"));
        /* closed in the callback of a request that is cancelled */
        seen = (struct seen){.closes = true, .client = &client};
        id = call_tool(client, &seen);
        assert_int_equal(haft_client_cancel(client, id), 0);
        assert_int_equal(seen.done, 1);
        assert_null(client);
        script_finish(&script);
    }
}

static void closing_cancels_everything(void **state)
{
    static struct script script;
    struct seen seen[5] = {{.done = 0}};
    haft_client *client = open_script(&script, nothing, true, false,
                                      HAFT_WITH(haft_client_options, .max_in_flight = 2));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        seen[i].client = &client;
        assert_true(call_tool(client, &seen[i]) > 0);
    }
    seen[1].closes = true; /* while it is being closed */
    haft_client_free(client);
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        assert_int_equal(seen[i].done, 1);
        assert_int_equal(seen[i].status, HAFT_ECANCELLED);
    }
    script_finish(&script);
}

/* ---- many at a time ---- */

static void further_requests_wait(void **state)
{
    static const struct script_row steps[] = {
        {"\"id\":2", SCRIPT_SAY, SAID("2"), 0}, {"\"id\":1", SCRIPT_SAY, SAID("1"), 0},
        {"\"id\":4", SCRIPT_SAY, SAID("4"), 0}, {"\"id\":3", SCRIPT_SAY, SAID("3"), 0},
        {NULL, SCRIPT_PASS, NULL, 30000},       {NULL, 0, NULL, 0}};
    static struct script script;
    struct seen seen[6] = {{.done = 0}};
    haft_client *client = open_script(&script, steps, false, false,
                                      HAFT_WITH(haft_client_options, .max_in_flight = 2));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(seen); i++)
        assert_int_equal(call_tool(client, &seen[i]), i + 1);
    assert_int_equal(script.n_sent, 2);
    assert_int_equal(haft_client_cancel(client, 6), 0); /* one that was never sent */
    script_run(&script);
    for (size_t i = 0; i < 4; i++) {
        char text[2] = {(char)('1' + i), '\0'};

        assert_string_equal(seen[i].text, text);
    }
    assert_int_equal(seen[4].status, HAFT_ETIMEOUT);
    assert_int_equal(seen[5].status, HAFT_ECANCELLED);
    for (size_t i = 0; i < COUNT_OF(seen); i++)
        assert_int_equal(seen[i].done, 1);
    assert_null(strstr(script.log, "\"id\":6"));
    haft_client_free(client);
    script_finish(&script);
}

static void count_done(void *context, haft_client *client, int status, const haft_result *result)
{
    unsigned *n = context;

    (void)client;
    (void)result;
    assert_int_equal(status, 0);
    ++*n;
}

/* A thousand at a time, answered backwards; the second thousand needs no further memory. */
static void a_thousand_at_a_time(void **state)
{
    enum { MANY = 1000 };
    static struct script script;
    struct counting counting;
    haft_client *client;
    unsigned n = 0;
    int64_t held = 0;

    (void)state;
    counting_init(&counting, NULL);
    client = open_script(
        &script, nothing, false, false,
        HAFT_WITH(haft_client_options, .max_in_flight = MANY, .allocator = &counting.allocator));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            assert_true(haft_client_begin(client, HAFT_WITH(haft_client_exchange, .method = "x",
                                                            .done = count_done, .context = &n)) >
                        0);
        for (size_t i = script.n_sent; i-- > script.n_sent - MANY;)
            script_say(&script, SAID("x"), script.sent[i].text, NULL);
        assert_int_equal(n, (round + 1) * MANY);
        script.log[0] = '\0';
        if (!round)
            held = atomic_load(&counting.counts->bytes);
    }
    assert_int_equal(atomic_load(&counting.counts->bytes), held);
    haft_client_free(client);
    assert_int_equal(atomic_load(&counting.counts->bytes), 0);
    script_finish(&script);
}

/* ---- functions that wait ---- */

static void waits_end_with_the_deadline(void **state)
{
    static const struct script_row steps[] = {{"\"a\"", SCRIPT_SAY, PROGRESS, 0},
                                              {NULL, SCRIPT_PASS, NULL, 25000},
                                              {"\"b\"", SCRIPT_SAY, SAID("b"), 0},
                                              {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, false, true, NULL);
    haft_result result;
    struct seen seen = {.done = 0};
    int64_t id;

    (void)state;
    assert_int_equal(haft_client_request(client, "a", NULL, &result), HAFT_ETIMEOUT);
    assert_string_equal(haft_client_error(client, NULL), "a timed out after 30 s");
    assert_true(script.now >= 31000);
    assert_non_null(strstr(script.log, "notifications/cancelled"));
    assert_non_null(strstr(script.log, "\"reason\":\"timed out after 30 s\""));
    assert_int_equal(haft_client_request(client, "b", NULL, &result), 0);
    assert_string_equal(result.text, "b");
    id = haft_client_send(client, "c", NULL);
    assert_int_equal(haft_client_wait(client, id, 10, &result), HAFT_PENDING);
    assert_int_equal(haft_client_wait(client, id, 40000, &result), HAFT_ETIMEOUT);
    assert_int_equal(haft_client_wait(client, id, 10, &result), HAFT_ENOTFOUND);
    id = call_tool(client, &seen);
    assert_int_equal(haft_client_wait(client, id, 40000, &result), HAFT_ENOTFOUND);
    assert_int_equal(seen.status, HAFT_ETIMEOUT);
    assert_int_equal(haft_client_run(client, 5), 0);
    haft_client_free(client);
    script_finish(&script);
}

/* However much progress there is. */
static void progress_has_an_end(void **state)
{
    static struct script script;
    haft_client *client = open_script(&script, nothing, false, false,
                                      HAFT_WITH(haft_client_options, .max_ms = 100000));
    struct seen seen = {.done = 0};

    (void)state;
    call_tool(client, &seen);
    for (int i = 0; i < 11 && !seen.done; i++) {
        script.now += 10000;
        script_say(&script, PROGRESS, script.sent[0].text, NULL);
        script_run(&script);
    }
    assert_int_equal(seen.progress, 10);
    assert_int_equal(seen.status, HAFT_ETIMEOUT);
    assert_non_null(strstr(seen.error, "timed out after 100 s"));
    haft_client_free(client);
    script_finish(&script);
}

static void wait_inside(void *context, haft_client *client, int status, const haft_result *result)
{
    int *inside = context;
    haft_result other;

    (void)status;
    (void)result;
    *inside = haft_client_request(client, "inner", NULL, &other);
}

static void callbacks_do_not_wait(void **state)
{
    static const struct script_row steps[] = {{"outer", SCRIPT_SAY, SAID("x"), 0},
                                              {"inner", SCRIPT_SAY, SAID("y"), 0},
                                              {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client = open_script(&script, steps, false, true, NULL);
    haft_result result;
    int inside = 0;
    int64_t id;

    (void)state;
    id = haft_client_begin(client, HAFT_WITH(haft_client_exchange, .method = "outer",
                                             .done = wait_inside, .context = &inside));
    assert_true(id > 0);
    haft_client_run(client, 1);
    assert_int_equal(inside, HAFT_PENDING);
    assert_int_equal(haft_client_wait(client, haft_client_latest(client), 5, &result), 0);
    assert_string_equal(result.text, "y");
    haft_client_free(client);
    script_finish(&script);
}

static void wrong_requests_are_refused(void **state)
{
    static struct script script;
    haft_client *client = open_script(&script, nothing, false, true, NULL);
    haft_client_exchange unsized = {.method = "x"};

    (void)state;
    assert_int_equal(haft_client_begin(NULL, HAFT_WITH(haft_client_exchange, .method = "x")),
                     HAFT_EINVAL);
    assert_int_equal(haft_client_begin(client, NULL), HAFT_EINVAL);
    assert_int_equal(haft_client_begin(client, &unsized), HAFT_EINVAL);
    assert_int_equal(haft_client_begin(client, HAFT_WITH(haft_client_exchange, .context = client)),
                     HAFT_EINVAL);
    assert_int_equal(
        haft_client_begin(client, HAFT_WITH(haft_client_exchange, .method = "x", .tool = "y")),
        HAFT_EINVAL);
    assert_int_equal(
        haft_client_begin(client, HAFT_WITH(haft_client_exchange, .tool = "y", .arguments = "[]")),
        HAFT_EINVAL);
    assert_int_equal(
        haft_client_begin(client, HAFT_WITH(haft_client_exchange, .tool = "y", .arguments = "{")),
        HAFT_EINVAL);
    assert_int_equal(haft_client_begin(client, HAFT_WITH(haft_client_exchange, .tool = "\xff")),
                     HAFT_EINVAL);
    assert_int_equal(script.n_sent, 0);
    haft_client_free(client);
    script_finish(&script);
}

/* A transport that was compiled before there were times and tags. */
static void an_older_transport_works(void **state)
{
    static const struct script_row steps[] = {{"tools/call", SCRIPT_SAY, SAID("old"), 0},
                                              {NULL, 0, NULL, 0}};
    static struct script script;
    haft_transport transport;
    haft_client *client;
    haft_result result;

    (void)state;
    script_init(&script, steps, false, true);
    transport = script_transport(&script);
    transport.struct_size = offsetof(haft_transport, negotiated);
    client = haft_client_open(&transport, NULL, &script.receiver);
    assert_int_equal(haft_client_call(client, "a", NULL, &result), 0);
    assert_string_equal(result.text, "old");
    assert_int_equal(haft_client_call(client, "a", NULL, &result), HAFT_PENDING);
    haft_client_free(client);
    script_finish(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_is_reported_once), cmocka_unit_test(what_is_cancelled_is_told),
        cmocka_unit_test(closing_cancels_everything), cmocka_unit_test(further_requests_wait),
        cmocka_unit_test(a_thousand_at_a_time),       cmocka_unit_test(waits_end_with_the_deadline),
        cmocka_unit_test(progress_has_an_end),        cmocka_unit_test(callbacks_do_not_wait),
        cmocka_unit_test(wrong_requests_are_refused), cmocka_unit_test(an_older_transport_works),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
