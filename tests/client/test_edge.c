/* test_edge.c - servers that do not behave, and programs that use the client where it is not
 * expected: every function returns, and nothing is freed that is still needed. */
#include <haft/testing.h>

#include "client/question.h"
#include "client/script.h"

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}"
#define SAID(text) RESULT("{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")
#define GREETING                                                                                   \
    RESULT("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{}}")
#define LIST(tools) RESULT("{\"tools\":[" tools "],\"ttlMs\":60000,\"cacheScope\":\"private\"}")
#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{}}"
#define CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}"
#define ROOTS "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}"
#define UNSUPPORTED(list)                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{"       \
    "\"supported\":[" list "]}}}"

static struct script script;

static haft_client *open_with(const struct script_row *rows, bool http,
                              const haft_client_options *options)
{
    haft_transport transport;

    script_init(&script, rows, http, true);
    transport = script_transport(&script);
    return haft_client_open(&transport, options, &script.receiver);
}

static void close_it(haft_client *client)
{
    haft_client_free(client);
    script_finish(&script);
}

/* ---- what a request points to ---- */

/* The result is so large that its memory is not kept for later. */
static void arguments_may_be_of_the_latest_result(void **state)
{
    static const struct script_row rows[] = {{"tools/call", SCRIPT_SAY, SAID("two"), 0},
                                             {NULL, 0, NULL, 0}};
    static char text[200000];
    haft_client *client = open_with(rows, false, NULL);
    int64_t id = haft_client_send(client, "x/one", NULL);
    haft_result result;
    int n = snprintf(text, sizeof text,
                     "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[{\"type\":"
                     "\"text\",\"text\":\"{\\\"deep\\\":\\\"%0150000d\\\"}\"}]}}",
                     (int)id, 7);

    (void)state;
    script.receiver.message(script.receiver.context, text, (size_t)n, NULL, 0);
    assert_int_equal(haft_client_wait(client, id, 0, &result), 0);
    assert_int_equal(haft_client_call(client, "t", result.text, &result), 0);
    assert_string_equal(result.text, "two");
    assert_int_equal(strlen(strstr(script.sent[1].text, "000")) > 149000, 1);
    close_it(client);
}

static const char *const strings[] = {"probe-name", "9.8.7", "{\"x-own\":{}}", "debug"};

static void strings_of_the_options_are_copied(void **state)
{
    static const struct script_row rows[] = {{"x/one", SCRIPT_SAY, SAID("one"), 0},
                                             {NULL, 0, NULL, 0}};
    char own[COUNT_OF(strings)][32];
    haft_client *client;
    haft_result result;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(strings); i++)
        snprintf(own[i], sizeof own[i], "%s", strings[i]);
    client = open_with(rows, false,
                       HAFT_WITH(haft_client_options, .name = own[0], .version = own[1],
                                 .capabilities = own[2], .log_level = own[3]));
    memset(own, 'x', sizeof own);
    assert_int_equal(haft_client_request(client, "x/one", NULL, &result), 0);
    for (size_t i = 0; i < COUNT_OF(strings); i++)
        assert_non_null(strstr(script.log, strings[i]));
    close_it(client);
}

/* ---- a session that cannot be renewed ---- */

static void a_request_fails_once_without_a_new_session(void **state)
{
    static const struct script_row rows[] = {{"initialize", SCRIPT_SAY, GREETING, 0},
                                             {NULL, 0, NULL, 0}};
    haft_client *client =
        open_with(rows, false, HAFT_WITH(haft_client_options, .revision = "2025-11-25"));
    haft_failure gone = {.status = HAFT_ECLOSED, .session_gone = true};
    haft_result result;

    (void)state;
    script.receiver.failed(script.receiver.context, NULL, &gone);
    script.restart_status = HAFT_ECLOSED;
    assert_int_equal(haft_client_request(client, "x/one", NULL, &result), HAFT_ECLOSED);
    assert_string_equal(haft_client_error(client, NULL), "cannot connect again: connection closed");
    assert_int_equal(haft_client_request(client, "x/two", NULL, &result), HAFT_ECLOSED);
    assert_int_equal(client->requests.n, 0);
    close_it(client);
}

/* A process that needs longer to start than the client waits gets `initialize`. */
static void a_modern_server_may_start_slowly(void **state)
{
    static const struct {
        const char *supported;
        struct script_row last;
        int status;
        const char *revision;
    } rows[] = {
        {UNSUPPORTED("\"2026-07-28\""),
         {"server/discover", SCRIPT_SAY,
          RESULT("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}"), 0},
         0,
         "2026-07-28"},
        {UNSUPPORTED("\"2024-11-05\""),
         {"initialize", SCRIPT_SAY,
          RESULT("{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},\"serverInfo\":{}}"), 0},
         0,
         "2024-11-05"},
        {UNSUPPORTED("\"1999-01-01\""), {NULL, 0, NULL, 0}, HAFT_EPROTOCOL, NULL},
        {UNSUPPORTED("\"2024-11-05\""),
         {"initialize", SCRIPT_SAY, UNSUPPORTED("\"1999-01-01\""), 0},
         HAFT_EPROTOCOL,
         NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct script_row steps[] = {
            {"initialize", SCRIPT_SAY, rows[i].supported, 0}, rows[i].last, {NULL, 0, NULL, 0}};
        haft_transport transport;
        haft_client *client;

        script_init(&script, steps, false, true);
        transport = script_transport(&script);
        client = hf_client_start(&transport, NULL, &(struct client_start){.probe = true},
                                 &script.receiver, NULL);
        script.sent[0].used = true; /* by the process before */
        script.now += 6000;
        assert_int_equal(hf_client_settle(client), rows[i].status);
        assert_int_equal(script.restarts, 1);
        if (rows[i].revision)
            assert_string_equal(haft_client_revision(client), rows[i].revision);
        close_it(client);
    }
}

static void note_change(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    char *seen = context;

    (void)client;
    (void)kind;
    snprintf(seen + strlen(seen), 32, "%s ", uri ? uri : "list");
}

#define OFFERS                                                                                     \
    RESULT("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":"                      \
           "{\"listChanged\":true},\"resources\":{\"subscribe\":true}},\"serverInfo\":{}}")

static void a_session_is_renewed_for_subscriptions(void **state)
{
    static const struct script_row rows[] = {{"initialize\"", SCRIPT_SAY, OFFERS, 0},
                                             {"resources/subscribe", SCRIPT_SAY, RESULT("{}"), 0},
                                             {NULL, SCRIPT_GONE, "the session is gone", 0},
                                             {"initialize\"", SCRIPT_FAIL, "busy", 503},
                                             {"initialize\"", SCRIPT_SAY, OFFERS, 0},
                                             {"resources/subscribe", SCRIPT_SAY, RESULT("{}"), 0},
                                             {NULL, 0, NULL, 0}};
    static const char *const uris[] = {"a:b", NULL};
    char seen[256] = "";
    haft_client *client =
        open_with(rows, true, HAFT_WITH(haft_client_options, .revision = "2025-11-25"));

    (void)state;
    assert_non_null(haft_client_subscribe(
        client, HAFT_WITH(haft_topics, .tools = true, .uris = uris), note_change, seen));
    assert_int_equal(haft_client_run(client, 10000), 0);
    assert_string_equal(seen, "list a:b ");
    assert_int_equal(script.listens, 2);
    assert_null(script.rows->wants);
    close_it(client);
}

/* ---- lists ---- */

static void a_list_for_a_call_is_not_returned_later(void **state)
{
    static const struct script_row rows[] = {
        {"tools/list", SCRIPT_SAY, LIST(TOOL("a")), 0},
        {"tools/call", SCRIPT_SAY, SAID("done"), 0},
        {"tools/list", SCRIPT_SAY, LIST(TOOL("a") "," TOOL("b")), 0},
        {NULL, 0, NULL, 0}};

    (void)state;
    for (int expires = 0; expires < 2; expires++) {
        haft_client *client = open_with(rows, true, NULL);
        haft_result result;

        assert_int_equal(haft_client_call(client, "a", NULL, &result), 0);
        if (expires)
            script.now += 60001;
        else
            script.receiver.message(script.receiver.context, CHANGED, strlen(CHANGED), NULL, 0);
        assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
        assert_int_equal(yyjson_arr_size(result.content), 2);
        close_it(client);
    }
}

static void an_error_in_an_array_is_the_result_of_a_list(void **state)
{
    static const struct script_row rows[] = {
        {"initialize", SCRIPT_SAY, GREETING, 0},
        {"tools/list", SCRIPT_SAY,
         "[{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-5,\"message\":\"no\"}}]", 0},
        {NULL, 0, NULL, 0}};
    haft_client *client =
        open_with(rows, false, HAFT_WITH(haft_client_options, .revision = "2025-11-25"));
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    assert_int_equal(result.error_code, -5);
    close_it(client);
}

/* ---- questions ---- */

static int keep_question(void *context, haft_question *question)
{
    haft_question **kept = context;

    *kept = question;
    return 0;
}

static void a_call_returns_if_the_program_must_answer(void **state)
{
    static const struct script_row rows[] = {{"initialize", SCRIPT_SAY, GREETING, 0},
                                             {"x/one", SCRIPT_PASS, "", 1},
                                             {NULL, SCRIPT_SAY, ROOTS, 0},
                                             {"\"roots\":[]", SCRIPT_PASS, "", 1},
                                             {"x/one", SCRIPT_SAY, SAID("one"), 0},
                                             {NULL, 0, NULL, 0}};
    haft_question *kept = NULL;
    haft_client *client = open_with(rows, false,
                                    HAFT_WITH(haft_client_options, .revision = "2025-11-25",
                                              .ask = keep_question, .context = &kept));
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_request(client, "x/one", NULL, &result), HAFT_PENDING);
    assert_non_null(kept);
    assert_int_equal(haft_question_answer(kept, "{\"roots\":[]}"), 0);
    assert_int_equal(haft_client_wait(client, haft_client_latest(client), 1000, &result), 0);
    assert_string_equal(result.text, "one");
    close_it(client);
}

static int answer_roots(void *context, const char *method, haft_value *params,
                        haft_buffer *ret_result)
{
    (void)context;
    (void)method;
    (void)params;
    haft_buffer_puts(ret_result, "{\"roots\":[]}");
    return 0;
}

/* A server that asks again and again without an answer of its own. */
static haft_time ask_for_ever(void *context, unsigned milliseconds)
{
    struct script *own = context;

    if (script_step(own))
        return own->now;
    own->now += milliseconds < 400 ? milliseconds : 400;
    if (own->n_sent < SCRIPT_SENT - 10)
        own->receiver.message(own->receiver.context, ROOTS, strlen(ROOTS), NULL, own->now);
    return own->now;
}

static void questions_do_not_extend_a_request_for_ever(void **state)
{
    static const struct script_row rows[] = {{"initialize", SCRIPT_SAY, GREETING, 0},
                                             {NULL, 0, NULL, 0}};
    haft_transport transport;
    haft_client *client;
    haft_result result;

    (void)state;
    script_init(&script, rows, false, true);
    transport = script_transport(&script);
    transport.wait = ask_for_ever;
    client = haft_client_open(&transport,
                              HAFT_WITH(haft_client_options, .revision = "2025-11-25",
                                        .answer = answer_roots, .timeout_ms = 1000, .max_ms = 5000),
                              &script.receiver);
    assert_non_null(client);
    assert_int_equal(haft_client_request(client, "x/one", NULL, &result), HAFT_ETIMEOUT);
    assert_in_range(script.now, 6000, 6400);
    assert_string_equal(haft_client_error(client, NULL), "x/one timed out after 5 s");
    close_it(client);
}

static void a_timeout_may_exceed_the_maximum(void **state)
{
    static const struct script_row rows[] = {{NULL, 0, NULL, 0}};
    haft_client *client =
        open_with(rows, false, HAFT_WITH(haft_client_options, .timeout_ms = 9000, .max_ms = 2000));
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_request(client, "x/one", NULL, &result), HAFT_ETIMEOUT);
    assert_int_equal(script.now, 10000);
    assert_string_equal(haft_client_error(client, NULL), "x/one timed out after 9 s");
    close_it(client);
}

static void a_legacy_server_may_not_have_too_many_questions(void **state)
{
    static const struct script_row rows[] = {{"initialize", SCRIPT_SAY, GREETING, 0},
                                             {NULL, 0, NULL, 0}};
    static haft_question *kept[QUESTIONS_OPEN];
    haft_question *latest = NULL;
    haft_client *client = open_with(rows, false,
                                    HAFT_WITH(haft_client_options, .revision = "2025-11-25",
                                              .ask = keep_question, .context = &latest));

    (void)state;
    for (size_t i = 0; i < QUESTIONS_OPEN; i++) {
        script.receiver.message(script.receiver.context, ROOTS, strlen(ROOTS), NULL, 0);
        kept[i] = latest;
        latest = NULL;
        assert_non_null(kept[i]);
    }
    script.receiver.message(script.receiver.context, ROOTS, strlen(ROOTS), NULL, 0);
    assert_null(latest);
    assert_non_null(strstr(script.log, "too many questions are open"));
    haft_client_free(client);
    for (size_t i = 0; i < QUESTIONS_OPEN; i++)
        assert_int_equal(haft_question_decline(kept[i]), HAFT_ECLOSED);
    script_finish(&script);
}

static void a_round_may_not_have_too_many_questions(void **state)
{
    static const struct script_row rows[] = {{NULL, 0, NULL, 0}};
    static char text[16384];
    haft_client *client =
        open_with(rows, false, HAFT_WITH(haft_client_options, .answer = answer_roots));
    haft_result result;
    int64_t id = haft_client_send(client, "x/one", NULL);
    int n = snprintf(text, sizeof text,
                     "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"resultType\":\"input_required\","
                     "\"inputRequests\":{",
                     (int)id);

    (void)state;
    for (int i = 0; i <= QUESTIONS_OPEN; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s\"%d\":{\"method\":\"roots/list\"}",
                      i ? "," : "", i);
    n += snprintf(text + n, sizeof text - (size_t)n, "}}}");
    script.receiver.message(script.receiver.context, text, (size_t)n, NULL, 0);
    assert_int_equal(haft_client_wait(client, id, 0, &result), HAFT_EPROTOCOL);
    assert_non_null(strstr(haft_client_error(client, NULL), "has more than 64 questions"));
    close_it(client);
}

/* ---- callbacks ---- */

struct nested {
    haft_client *client;
    int status, ran;
    unsigned calls;
};

static struct nested inner;

/* As a transport calls the program while it waits, such as with a line of an error output. */
static haft_time wait_and_call(void *context, unsigned milliseconds)
{
    haft_result result;

    if (inner.client && !inner.calls++) {
        inner.status = haft_client_request(inner.client, "x/inner", NULL, &result);
        inner.ran = haft_client_run(inner.client, 10);
    }
    return script_wait(context, milliseconds);
}

static void a_call_in_a_callback_of_the_transport_is_pending(void **state)
{
    static const struct script_row rows[] = {{"x/one", SCRIPT_SAY, SAID("one"), 0},
                                             {NULL, 0, NULL, 0}};
    haft_transport transport;
    haft_result result;

    (void)state;
    inner = (struct nested){.calls = 0};
    script_init(&script, rows, false, true);
    transport = script_transport(&script);
    transport.wait = wait_and_call;
    inner.client = haft_client_open(&transport, NULL, &script.receiver);
    assert_int_equal(haft_client_request(inner.client, "x/one", NULL, &result), 0);
    assert_int_equal(inner.status, HAFT_PENDING);
    assert_int_equal(inner.ran, HAFT_PENDING);
    close_it(inner.client);
}

static void on_lost(void *context, haft_client *client, int status)
{
    struct nested *nested = context;

    nested->calls++;
    nested->status = status;
    assert_string_equal(haft_client_error(client, NULL), "the server has ended the connection");
    if (nested->client) {
        haft_client_free(client);
        nested->client = NULL;
    }
}

static void the_end_of_the_server_is_reported(void **state)
{
    static const struct script_row rows[] = {{NULL, 0, NULL, 0}};

    (void)state;
    for (int frees = 0; frees < 2; frees++) {
        struct nested nested = {.calls = 0};
        haft_client *client = open_with(
            rows, false, HAFT_WITH(haft_client_options, .lost = on_lost, .context = &nested));

        nested.client = frees ? client : NULL;
        script.receiver.closed(script.receiver.context, NULL);
        assert_int_equal(nested.calls, 1);
        assert_int_equal(nested.status, HAFT_ECLOSED);
        if (!frees)
            haft_client_free(client);
        assert_int_equal(nested.calls, 1);
        script_finish(&script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_may_be_of_the_latest_result),
        cmocka_unit_test(strings_of_the_options_are_copied),
        cmocka_unit_test(a_request_fails_once_without_a_new_session),
        cmocka_unit_test(a_modern_server_may_start_slowly),
        cmocka_unit_test(a_session_is_renewed_for_subscriptions),
        cmocka_unit_test(a_list_for_a_call_is_not_returned_later),
        cmocka_unit_test(an_error_in_an_array_is_the_result_of_a_list),
        cmocka_unit_test(a_call_returns_if_the_program_must_answer),
        cmocka_unit_test(questions_do_not_extend_a_request_for_ever),
        cmocka_unit_test(a_timeout_may_exceed_the_maximum),
        cmocka_unit_test(a_legacy_server_may_not_have_too_many_questions),
        cmocka_unit_test(a_round_may_not_have_too_many_questions),
        cmocka_unit_test(a_call_in_a_callback_of_the_transport_is_pending),
        cmocka_unit_test(the_end_of_the_server_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
