/* test_starved.c - a client without memory: each allocation fails once, and then every one from there
 * on.  Every request is reported once, nothing leaks, and the client can be closed. */
#include "client/client.h"
#include "client/script.h"
#include "support/failing.h"
#include "support/starving.h"

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}"
#define SAID(text) RESULT("{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")
#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":"       \
    "\"Region\"}}}"
#define FORM                                                                                       \
    "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{"       \
    "\"type\":\"string\",\"default\":\"Ann\"}}}}"
#define TASK(status)                                                                               \
    "\"taskId\":\"T1\",\"status\":\"" status "\",\"pollIntervalMs\":5000,\"ttlMs\":90000"
#define GREETING                                                                                   \
    RESULT("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"logging\":{},\"tools\":{"      \
           "\"listChanged\":true},\"resources\":{\"subscribe\":true},\"tasks\":{\"requests\":{"    \
           "\"tools\":{\"call\":{}}}}},\"serverInfo\":{}}")

static const struct script_row modern[] = {
    {"server/discover", SCRIPT_SAY,
     RESULT("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":"
            "true},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}"),
     0},
    {"subscriptions/listen", SCRIPT_PASS, NULL, 1},
    {"tools/list", SCRIPT_SAY,
     RESULT("{\"tools\":[{\"name\":\"t\",\"inputSchema\":" SCHEMA ",\"outputSchema\":{}}],"
            "\"nextCursor\":\"1\",\"ttlMs\":5000}"),
     0},
    {"tools/list", SCRIPT_SAY,
     RESULT(
         "{\"tools\":[{\"name\":\"bad\",\"inputSchema\":{\"properties\":{\"a\":{\"x-mcp-header\":"
         "5}}}}],\"ttlMs\":5000}"),
     0},
    {"tools/call", SCRIPT_SAY,
     RESULT("{\"resultType\":\"input_required\",\"requestState\":\"s\",\"inputRequests\":{\"k\":{"
            "\"method\":\"elicitation/create\",\"params\":" FORM "}}}"),
     0},
    {"inputResponses", SCRIPT_SAY, RESULT("{\"content\":[],\"structuredContent\":{\"a\":1}}"), 0},
    {"tools/call", SCRIPT_SAY, RESULT("{\"resultType\":\"task\"," TASK("working") "}"), 0},
    {"taskIds", SCRIPT_PASS, NULL, 1},
    {NULL, SCRIPT_SAY,
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{\"taskId\":\"T1\"}}", 0},
    {"\"tasks/get\"", SCRIPT_SAY,
     RESULT("{" TASK("input_required") ",\"inputRequests\":{\"k\":{\"method\":"
                                       "\"elicitation/create\",\"params\":" FORM "}}}"),
     0},
    {"\"tasks/update\"", SCRIPT_SAY, RESULT("{}"), 0},
    {"\"tasks/get\"", SCRIPT_SAY,
     RESULT("{" TASK("completed") ",\"result\":{\"content\":[],\"structuredContent\":{}}}"), 0},
    {NULL, SCRIPT_SAY, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}", 0},
    {NULL, SCRIPT_PASS, NULL, 40000},
    {NULL, 0, NULL, 0}};

static const struct script_row old[] = {
    {"server/discover", SCRIPT_SAY,
     "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":-32601,\"message\":\"no\"}}", 0},
    {"\"initialize\"", SCRIPT_SAY, GREETING, 0},
    {"logging/setLevel", SCRIPT_SAY, RESULT("{}"), 0},
    {"tools/list", SCRIPT_SAY,
     RESULT("{\"tools\":[{\"name\":\"t\",\"inputSchema\":" SCHEMA ",\"execution\":{\"taskSupport\":"
            "\"required\"}}]}"),
     0},
    {"tools/call", SCRIPT_GONE, "gone", 0},
    {"\"initialize\"", SCRIPT_SAY, GREETING, 0},
    {"logging/setLevel", SCRIPT_SAY, RESULT("{}"), 0},
    {NULL, SCRIPT_SAY,
     "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\",\"params\":" FORM "}", 0},
    {"tools/call", SCRIPT_SAY, "[" SAID("yes") "]", 0},
    {"tools/call", SCRIPT_SAY, RESULT("{\"task\":{" TASK("working") "}}"), 0},
    {"\"tasks/get\"", SCRIPT_SAY, RESULT("{" TASK("completed") "}"), 0},
    {"\"tasks/result\"", SCRIPT_SAY, SAID("done"), 0},
    {NULL, SCRIPT_PASS, NULL, 40000},
    {NULL, 0, NULL, 0}};

static int ask(void *context, haft_question *question)
{
    (void)context;
    return haft_question_accept(question, NULL);
}

static void on_changed(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    (void)context;
    (void)client;
    (void)kind;
    (void)uri;
}

static void on_ready(void *context, haft_client *client, int status)
{
    (void)client;
    (void)status;
    ++*(unsigned *)context;
}

static void on_done(void *context, haft_client *client, int status, const haft_result *result)
{
    (void)client;
    (void)status;
    (void)result;
    ++*(unsigned *)context;
}

/* A life with everything in it.  Returns whether the server's part was played to its end. */
static bool live(const struct script_row *rows, const haft_allocator *allocator)
{
    static struct script script;
    unsigned ready = 0, begun = 0, done = 0, told = 0;
    struct client_start start = {.probe = true, .ready = on_ready, .context = &ready};
    haft_transport transport;
    haft_client *client;

    script_init(&script, rows, true, false);
    transport = script_transport(&script);
    client = hf_client_start(&transport,
                             HAFT_WITH(haft_client_options, .allocator = allocator, .ask = ask,
                                       .log_level = "info", .check_arguments = true,
                                       .check_results = true, .max_in_flight = 2),
                             &start, &script.receiver, NULL);
    if (client) {
        haft_buffer text;

        haft_client_subscribe(client,
                              HAFT_WITH(haft_topics, .tools = true,
                                        .uris = (const char *const[]){"a:b", NULL},
                                        .answered = on_done),
                              on_changed, &told);
        for (int i = 0; i < 4; i++)
            begun += haft_client_begin(client, HAFT_WITH(haft_client_exchange, .tool = "t",
                                                         .arguments = "{\"region\":\"\\u00e9\"}",
                                                         .done = on_done, .context = &done)) > 0;
        script_run(&script);
        for (int i = 0; i < 50; i++) {
            script.now += 10000;
            script_run(&script);
        }
        assert_int_equal(done, begun);
        assert_int_equal(ready, 1);
        haft_buffer_init(&text, allocator, 4096);
        haft_client_discovery(client, &text);
        haft_buffer_finish(&text);
    }
    haft_client_free(client);
    assert_int_equal(done, begun);
    assert_true(told <= 1);
    script_finish(&script);
    return !script.rows->wants && !script.rows->text && !script.rows->number;
}

/* Arenas allocate large blocks: here each piece of one fails. */
static void every_piece_fails_once(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (size_t nth = 1;; nth++) {
            struct failing failing;

            failing_init(&failing, 0);
            starve_at(nth, i / 2);
            live(i % 2 ? old : modern, &failing.allocator);
            failing_check(&failing);
            if (!starved())
                break;
        }
        starve_at(0, false);
    }
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            bool whole;

            failing_init(&failing, nth);
            failing.keep_failing = i / 2;
            whole = live(i % 2 ? old : modern, &failing.allocator);
            failing_check(&failing);
            if (!failing.failures) {
                assert_true(whole);
                break;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once),
                                       cmocka_unit_test(every_piece_fails_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
