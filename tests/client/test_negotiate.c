/* test_negotiate.c - how a client finds the revision of a server: what it sends, and what follows
 * from each answer. */
#include "client/client.h"
#include "client/script.h"

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}"
#define ERROR(code, data)                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":" #code ",\"message\":\"no\"" data "}}"
#define SUPPORTED(list) ",\"data\":{\"supported\":" list "}"
#define DISCOVERED(list)                                                                           \
    RESULT("{\"resultType\":\"complete\",\"supportedVersions\":" list                              \
           ",\"capabilities\":{\"tools\":{}},\"instructions\":\"be kind\",\"_meta\":{"             \
           "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}")
#define GREETING(revision)                                                                         \
    RESULT("{\"protocolVersion\":\"" revision                                                      \
           "\",\"capabilities\":{\"logging\":{}},\"serverInfo\":{\"name\":\"old\"}}")
#define PING                                                                                       \
    {                                                                                              \
        "\"ping\"", SCRIPT_SAY, RESULT("{}"), 0                                                    \
    }

enum { STEPS = 6 };

static const struct negotiate_row {
    const char *what;
    const char *revision; /* of the options */
    bool http;
    struct script_row steps[STEPS];
    int status;        /* of the negotiation */
    const char *found; /* revision, or a part of the error */
    unsigned restarts;
} rows[] = {
    {"a modern server",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, DISCOVERED("[\"2026-07-28\"]"), 0}},
     0,
     "2026-07-28",
     0},
    {"the same process-like",
     NULL,
     false,
     {{"server/discover", SCRIPT_SAY, DISCOVERED("[\"2026-07-28\"]"), 0}},
     0,
     "2026-07-28",
     0},
    {"a server of the future",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, DISCOVERED("[\"2030-01-01\",\"2026-07-28\"]"), 0}},
     0,
     "2026-07-28",
     0},
    {"it does not know the method",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, ERROR(-32601, ""), 0},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0}},
     0,
     "2025-11-25",
     0},
    {"it answers nonsense",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, RESULT("{}"), 0},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2025-03-26"), 0}},
     0,
     "2025-03-26",
     0},
    {"it names no array",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, RESULT("{\"supportedVersions\":\"x\"}"), 0},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2025-06-18"), 0}},
     0,
     "2025-06-18",
     0},
    {"it wants an initialize first",
     NULL,
     false,
     {{"server/discover", SCRIPT_SAY, ERROR(-32600, ""), 0},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2024-11-05"), 0}},
     0,
     "2024-11-05",
     0},
    {"an error without an id",
     NULL,
     false,
     {{"server/discover", SCRIPT_SAY,
       "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"what\"}}", 0},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0}},
     0,
     "2025-11-25",
     0},
    {"refused, though it lists the revision",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2026-07-28\"]")), 0},
      {"server/discover", SCRIPT_SAY, DISCOVERED("[\"2026-07-28\"]"), 0}},
     0,
     "2026-07-28",
     0},
    {"refused again and again",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2026-07-28\"]")), 0},
      {"server/discover", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2026-07-28\"]")), 0},
      {"server/discover", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2026-07-28\"]")), 0}},
     HAFT_EPROTOCOL,
     "refuses revision 2026-07-28, which it lists",
     0},
    {"older ones only",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2024-11-05\",\"2025-06-18\"]")),
       0},
      {"\"protocolVersion\":\"2025-06-18\"", SCRIPT_SAY, GREETING("2025-06-18"), 0}},
     0,
     "2025-06-18",
     0},
    {"nothing in common",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2030-01-01\"]")), 0}},
     HAFT_EPROTOCOL,
     "no protocol revision that haft supports",
     0},
    {"refused without a list",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, ERROR(-32022, ""), 0},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0}},
     0,
     "2025-11-25",
     0},
    {"headers that do not match",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY, ERROR(-32020, ""), 0}},
     HAFT_EPROTOCOL,
     "rejected the first request: no (-32020)",
     0},
    {"a malformed description",
     NULL,
     true,
     {{"server/discover", SCRIPT_SAY,
       RESULT("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":5}"), 0}},
     HAFT_EPROTOCOL,
     "capabilities must be an object, not a number",
     0},
    {"an HTTP status",
     NULL,
     true,
     {{"server/discover", SCRIPT_FAIL, "the server answered 405", 405},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0}},
     0,
     "2025-11-25",
     0},
    {"no access",
     NULL,
     true,
     {{"server/discover", SCRIPT_FAIL, "the server answered 401", 401}},
     HAFT_EDENIED,
     "the server answered 401",
     0},
    {"no connection",
     NULL,
     true,
     {{"server/discover", SCRIPT_FAIL, "refused", 0}},
     HAFT_ECLOSED,
     "refused",
     0},
    {"silence of a process",
     NULL,
     false,
     {{"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0}},
     0,
     "2025-11-25",
     1},
    {"silence over HTTP",
     NULL,
     true,
     {{NULL, SCRIPT_SAY, NULL, 0}},
     HAFT_ETIMEOUT,
     "server/discover timed out after 30 s",
     0},
    {"a process that ends",
     NULL,
     false,
     {{"server/discover", SCRIPT_CLOSE, "", 0},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0}},
     0,
     "2025-11-25",
     1},
    {"a process that ends again",
     NULL,
     false,
     {{"server/discover", SCRIPT_CLOSE, "", 0}, {"\"initialize\"", SCRIPT_CLOSE, "", 0}},
     HAFT_ECLOSED,
     "the server has ended the connection",
     1},
    {"a process that ends, with words",
     NULL,
     false,
     {{"server/discover", SCRIPT_END, "exited", 0},
      {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0}},
     0,
     "2025-11-25",
     1},
    {"a process that reads nothing",
     NULL,
     false,
     {{"server/discover", SCRIPT_END, "no such program", 1}},
     HAFT_ECLOSED,
     "no such program",
     0},
    {"a handshake that is refused",
     "2025-11-25",
     true,
     {{"\"initialize\"", SCRIPT_SAY, ERROR(-32602, ""), 0}},
     HAFT_EPROTOCOL,
     "the server rejected the handshake: no (-32602)",
     0},
    {"a revision that nobody knows",
     "2025-11-25",
     true,
     {{"\"initialize\"", SCRIPT_SAY, GREETING("2099-01-01"), 0}},
     HAFT_EPROTOCOL,
     "chose protocol revision 2099-01-01",
     0},
    {"a modern one by the handshake",
     "2025-11-25",
     true,
     {{"\"initialize\"", SCRIPT_SAY, GREETING("2026-07-28"), 0}},
     HAFT_EPROTOCOL,
     "chose protocol revision 2026-07-28",
     0},
    {"a malformed greeting",
     "2025-11-25",
     true,
     {{"\"initialize\"", SCRIPT_SAY, RESULT("{\"protocolVersion\":5}"), 0}},
     HAFT_EPROTOCOL,
     "the server's answer to initialize is malformed: protocolVersion must be a string",
     0},
    {"an older answer than asked for",
     "2025-11-25",
     true,
     {{"\"initialize\"", SCRIPT_SAY, GREETING("2025-03-26"), 0}},
     0,
     "2025-03-26",
     0},
    {"2024-11-05",
     "2024-11-05",
     false,
     {{"\"protocolVersion\":\"2024-11-05\"", SCRIPT_SAY, GREETING("2024-11-05"), 0}},
     0,
     "2024-11-05",
     0},
    {"a modern one that is fixed",
     "2026-07-28",
     true,
     {{NULL, SCRIPT_SAY, NULL, 0}},
     0,
     "2026-07-28",
     0},
};

struct readiness {
    int calls, status;
};

static void on_ready(void *context, haft_client *client, int status)
{
    struct readiness *readiness = context;

    (void)client;
    readiness->calls++;
    readiness->status = status;
}

/* Blocking, and on a loop. */
static void check_row(const struct negotiate_row *row, bool has_wait)
{
    static struct script script;
    struct readiness readiness = {.calls = 0};
    struct client_start start = {.probe = true, .ready = on_ready, .context = &readiness};
    haft_transport transport;
    haft_client *client;
    haft_reason reason;
    int status;

    print_message("%s\n", row->what);
    script_init(&script, row->steps, row->http, has_wait);
    transport = script_transport(&script);
    client = hf_client_start(&transport, HAFT_WITH(haft_client_options, .revision = row->revision),
                             &start, &script.receiver, &reason);
    assert_non_null(client);
    assert_int_equal(readiness.calls, 0);
    for (int i = 0; !has_wait && i < 40 && !readiness.calls; i++) {
        script_run(&script);
        script.now += 1000;
    }
    status = hf_client_settle(client);
    assert_int_equal(status, row->status);
    assert_int_equal(readiness.calls, 1);
    assert_int_equal(readiness.status, row->status);
    assert_int_equal(script.restarts, row->restarts);
    if (!status) {
        assert_string_equal(haft_client_revision(client), row->found);
        assert_string_equal(script.revision, row->found);
        assert_int_equal(!strstr(script.log, "notifications/initialized"),
                         !strcmp(row->found, "2026-07-28"));
    } else {
        assert_non_null(strstr(haft_client_error(client, NULL), row->found));
        assert_int_equal(haft_client_send(client, "ping", NULL), HAFT_ECLOSED);
    }
    haft_client_free(client);
    assert_int_equal(readiness.calls, 1);
    script_finish(&script);
}

static void every_answer_leads_somewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_row(&rows[i], true);
        check_row(&rows[i], false);
    }
}

/* ---- what is known about the server ---- */

static haft_client *connect_script(struct script *script, const haft_client_options *options)
{
    struct client_start start = {.probe = true};
    haft_transport transport = script_transport(script);
    haft_client *client = hf_client_start(&transport, options, &start, &script->receiver, NULL);

    if (client)
        assert_int_equal(hf_client_settle(client), 0);
    return client;
}

static void a_discovery_saves_the_question(void **state)
{
    static const struct script_row modern[] = {
        {"server/discover", SCRIPT_SAY, DISCOVERED("[\"2026-07-28\"]"), 0}, {NULL, 0, NULL, 0}};
    static const struct script_row old[] = {
        {"server/discover", SCRIPT_SAY, ERROR(-32601, ""), 0},
        {"\"initialize\"", SCRIPT_SAY, GREETING("2025-06-18"), 0},
        {NULL, 0, NULL, 0}};
    static const struct script_row greeting[] = {
        {"\"protocolVersion\":\"2025-06-18\"", SCRIPT_SAY, GREETING("2025-06-18"), 0},
        {NULL, 0, NULL, 0}};
    static const struct script_row nothing[] = {{NULL, 0, NULL, 0}};
    static const struct {
        const struct script_row *first, *second;
        const char *text;
    } both[] = {
        {modern, nothing,
         "{\"revision\":\"2026-07-28\",\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"},"
         "\"capabilities\":{\"tools\":{}},\"instructions\":\"be kind\"}"},
        {old, greeting,
         "{\"revision\":\"2025-06-18\",\"serverInfo\":{\"name\":\"old\"},\"capabilities\":{"
         "\"logging\":{}}}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        static struct script script;
        haft_client *client;
        haft_buffer text;

        script_init(&script, both[i].first, true, true);
        client = connect_script(&script, NULL);
        haft_buffer_init(&text, NULL, 4096);
        assert_int_equal(haft_client_discovery(client, &text), 0);
        haft_buffer_add(&text, "", 1);
        assert_string_equal(text.data, both[i].text);
        haft_client_free(client);
        script_finish(&script);

        script_init(&script, both[i].second, true, true);
        client = connect_script(&script, HAFT_WITH(haft_client_options, .discovery = text.data));
        assert_null(strstr(script.log, "server/discover"));
        assert_non_null(haft_client_server_info(client));
        assert_non_null(haft_client_capabilities(client));
        assert_int_equal(!haft_client_instructions(client), i == 1);
        haft_client_free(client);
        script_finish(&script);
        haft_buffer_finish(&text);
    }
}

static void an_invalid_discovery_is_refused(void **state)
{
    static const char *const texts[] = {"", "5", "{}", "{\"revision\":\"1999-01-01\"}"};
    static struct script script;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        script_init(&script, NULL, true, true);
        assert_null(connect_script(&script, HAFT_WITH(haft_client_options, .discovery = texts[i])));
        script_finish(&script);
    }
}

static int answer(void *context, const char *method, haft_value *params, haft_buffer *ret_result)
{
    (void)context;
    (void)method;
    (void)params;
    (void)ret_result;
    return 1;
}

/* What the client declares, in each revision. */
static void capabilities_follow_the_revision(void **state)
{
    static const struct {
        struct script_row steps[2];
        const char *revision, *capabilities, *handlerless;
    } tables[] = {
        {{{"\"initialize\"", SCRIPT_SAY, GREETING("2024-11-05"), 0}},
         "2024-11-05",
         "\"capabilities\":{\"sampling\":{},\"roots\":{}}",
         "\"capabilities\":{}"},
        {{{"\"initialize\"", SCRIPT_SAY, GREETING("2025-06-18"), 0}},
         "2025-06-18",
         "\"capabilities\":{\"elicitation\":{},\"sampling\":{},\"roots\":{}}",
         "\"capabilities\":{}"},
        {{{"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0}},
         "2025-11-25",
         "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{\"tools\":{}},\"roots\":{}}",
         "\"capabilities\":{}"},
        {{{"\"ping\"", SCRIPT_SAY, RESULT("{}"), 0}},
         "2026-07-28",
         "clientCapabilities\":{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{\"tools\":{"
         "}},\"roots\":{}}",
         "clientCapabilities\":{}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(tables) * 2; i++) {
        static struct script script;
        haft_client *client;
        haft_result result;

        script_init(&script, tables[i / 2].steps, false, true);
        client = connect_script(&script,
                                HAFT_WITH(haft_client_options, .revision = tables[i / 2].revision,
                                          .answer = i % 2 ? NULL : answer));
        haft_client_request(client, "ping", NULL, &result);
        assert_non_null(
            strstr(script.log, i % 2 ? tables[i / 2].handlerless : tables[i / 2].capabilities));
        haft_client_free(client);
        script_finish(&script);
    }
}

/* ---- later ---- */

static void a_lost_session_is_begun_again(void **state)
{
    static const struct script_row steps[] = {
        {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0},
        {"logging/setLevel", SCRIPT_SAY, RESULT("{}"), 0},
        {"tools/call", SCRIPT_GONE, "gone", 0},
        {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0},
        {"logging/setLevel", SCRIPT_SAY, ERROR(-32601, ""), 0},
        {"tools/call", SCRIPT_SAY, RESULT("{\"content\":[{\"type\":\"text\",\"text\":\"yes\"}]}"),
         0},
        {"tools/call", SCRIPT_GONE, "gone", 0},
        {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0},
        {"logging/setLevel", SCRIPT_SAY, RESULT("{}"), 0},
        {"tools/call", SCRIPT_GONE, "gone again", 0},
        {"\"initialize\"", SCRIPT_FAIL, "the server is down", 503},
        {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0},
        {"logging/setLevel", SCRIPT_SAY, RESULT("{}"), 0},
        {"tools/call", SCRIPT_SAY, RESULT("{\"content\":[{\"type\":\"text\",\"text\":\"back\"}]}"),
         0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    haft_client *client;
    haft_result result;
    int http_status;

    (void)state;
    script_init(&script, steps, true, true);
    client = connect_script(
        &script, HAFT_WITH(haft_client_options, .revision = "2025-11-25", .log_level = "info"));
    assert_int_equal(haft_client_call(client, "a", NULL, &result), 0);
    assert_string_equal(result.text, "yes");
    /* not more than once for one request */
    assert_int_equal(haft_client_call(client, "a", NULL, &result), HAFT_ECLOSED);
    assert_string_equal(haft_client_error(client, &http_status), "gone again");
    assert_int_equal(http_status, 404);
    assert_int_equal(haft_client_call(client, "a", NULL, &result), HAFT_ECLOSED);
    assert_string_equal(haft_client_error(client, &http_status), "the server is down");
    assert_int_equal(haft_client_call(client, "a", NULL, &result), 0);
    assert_string_equal(result.text, "back");
    haft_client_free(client);
    script_finish(&script);
}

/* The only connection is gone: it is made again with the next request, and nothing is repeated. */
static void a_lost_connection_is_made_again(void **state)
{
    static const struct script_row steps[] = {
        {"\"initialize\"", SCRIPT_SAY, GREETING("2024-11-05"), 0},
        {NULL, SCRIPT_GONE, "the stream ended", 0},
        {"\"initialize\"", SCRIPT_SAY, GREETING("2024-11-05"), 0},
        {"\"again\"", SCRIPT_SAY, RESULT("{}"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    haft_transport transport;
    haft_client *client;
    haft_result result;

    (void)state;
    script_init(&script, steps, true, true);
    transport = script_transport(&script);
    transport.restart = script_restart;
    client = haft_client_open(&transport, HAFT_WITH(haft_client_options, .revision = "2024-11-05"),
                              &script.receiver);
    assert_non_null(client);
    assert_int_equal(haft_client_request(client, "once", NULL, &result), HAFT_ECLOSED);
    assert_string_equal(haft_client_error(client, NULL), "the stream ended");
    assert_int_equal(haft_client_request(client, "again", NULL, &result), 0);
    assert_int_equal(script.restarts, 1);
    haft_client_free(client);
    script_finish(&script);
}

/* A server that changes its mind: the request is repeated in another revision. */
static void a_revision_that_is_refused_later(void **state)
{
    static const struct {
        const char *revision;
        struct script_row steps[STEPS];
        const char *text; /* "" for the server's error */
    } tables[] = {
        {"2026-07-28",
         {{"\"ping\"", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2026-07-28\"]")), 0}, PING},
         "{}"},
        {"2026-07-28",
         {{"\"ping\"", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2026-07-28\"]")), 0},
          {"\"ping\"", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2026-07-28\"]")), 0}},
         ""},
        {"2026-07-28",
         {{"\"ping\"", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2025-11-25\"]")), 0}},
         ""},
        {NULL,
         {{"server/discover", SCRIPT_SAY, DISCOVERED("[\"2026-07-28\"]"), 0},
          {"\"ping\"", SCRIPT_SAY, ERROR(-32022, SUPPORTED("[\"2025-11-25\"]")), 0},
          {"\"initialize\"", SCRIPT_SAY, GREETING("2025-11-25"), 0},
          PING},
         "{}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        static struct script script;
        haft_client *client;
        haft_result result;

        script_init(&script, tables[i].steps, true, true);
        client =
            connect_script(&script, HAFT_WITH(haft_client_options, .revision = tables[i].revision));
        assert_int_equal(haft_client_request(client, "ping", NULL, &result), 0);
        assert_int_equal(result.error_code, *tables[i].text ? 0 : -32022);
        haft_client_free(client);
        script_finish(&script);
    }
}

/* Requests wait for the negotiation, and end with it. */
static void requests_wait_for_the_negotiation(void **state)
{
    static const struct script_row good[] = {
        {"server/discover", SCRIPT_SAY, DISCOVERED("[\"2026-07-28\"]"), 0},
        PING,
        {NULL, 0, NULL, 0}};
    static const struct script_row bad[] = {{"server/discover", SCRIPT_FAIL, "no", 401},
                                            {NULL, 0, NULL, 0}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        static struct script script;
        struct client_start start = {.probe = true};
        haft_transport transport;
        haft_client *client;
        haft_result result;
        int64_t id;

        script_init(&script, i ? bad : good, true, false);
        transport = script_transport(&script);
        client = hf_client_start(&transport, NULL, &start, &script.receiver, NULL);
        assert_int_equal(haft_client_send(client, "ping", "[]"), HAFT_EINVAL);
        id = haft_client_send(client, "ping", NULL);
        assert_true(id > 0);
        assert_null(strstr(script.log, "ping"));
        assert_int_equal(haft_client_wait(client, id, 5, &result), HAFT_PENDING);
        script_run(&script);
        assert_int_equal(haft_client_wait(client, id, 5, &result), i ? HAFT_EDENIED : 0);
        haft_client_free(client);
        script_finish(&script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_leads_somewhere),
        cmocka_unit_test(a_discovery_saves_the_question),
        cmocka_unit_test(an_invalid_discovery_is_refused),
        cmocka_unit_test(capabilities_follow_the_revision),
        cmocka_unit_test(a_lost_session_is_begun_again),
        cmocka_unit_test(a_lost_connection_is_made_again),
        cmocka_unit_test(a_revision_that_is_refused_later),
        cmocka_unit_test(requests_wait_for_the_negotiation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
