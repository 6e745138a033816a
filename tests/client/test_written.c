/* test_written.c - parameters that haft has written itself are sent as they are: the message is the same as
 * that of a program's parameters, which are read and written again. */
#include "client/client.h"

#include "client/script.h"

#define MODERN_META "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{}}"
#define SESSION                                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"protocolVersion\":\"2025-11-25\","                \
    "\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}"
#define TOOLS                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":{\"tools\":[{\"name\":\"add\",\"inputSchema\":{"     \
    "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\","                             \
    "\"x-mcp-header\":\"A\"}}}}],\"resultType\":\"complete\",\"ttlMs\":0,"                         \
    "\"cacheScope\":\"private\"}}"

static const struct script_row greeting[] = {{"\"initialize\"", SCRIPT_SAY, SESSION, 0},
                                             {"tools/list", SCRIPT_SAY, TOOLS, 0},
                                             {NULL, 0, NULL, 0}};

static void written_done(void *context, haft_client *client, int status, const haft_result *result)
{
    (void)context;
    (void)client;
    (void)status;
    (void)result;
}

static void written_progress(void *context, double progress, double total, const char *message)
{
    (void)context;
    (void)progress;
    (void)total;
    (void)message;
}

static const struct written_row {
    const char *method, *members, *meta;
    bool legacy, http, progress;
    bool early; /* the request is begun before the server has answered the handshake, and waits */
} rows[] = {
    {"tools/call", "\"name\":\"add\",\"arguments\":{\"a\":1}", MODERN_META, false, false, false,
     false},
    {"tools/call", "\"name\":\"add\",\"arguments\":{\"a\":1}", MODERN_META ",\"own\":[1,{}]", false,
     false, true, false},
    {"tools/call", "\"name\":\"add\",\"arguments\":{\"a\":1}", MODERN_META, false, true, false,
     false},
    {"resources/read", "\"uri\":\"a:\\\"b\\\"\"", MODERN_META, false, true, false, false},
    {"x/none", "", MODERN_META, false, false, false, false},
    {"tools/call", "\"name\":\"add\",\"arguments\":{}", "", true, false, false, false},
    {"tools/call", "\"name\":\"add\",\"arguments\":{}", "\"own\":\"x\"", true, false, true, false},
    {"tools/call", "\"name\":\"add\",\"arguments\":{}", "\"own\":\"x\"", true, true, true, false},
    {"tools/call", "\"name\":\"add\",\"arguments\":{}", "\"own\":\"x\"", true, false, false, true},
    {"x/none", "", "", true, false, false, false},
};

/* Sends the request of a row twice in a new client; the log has what was sent. */
static void send_row(const struct written_row *row, struct script *script, bool written)
{
    struct client_start start = {.probe = false};
    char params[512];
    struct client_written at = {.members = 1 + strlen(row->members)};
    haft_client_exchange exchange =
        HAFT_INIT(haft_client_exchange, .method = row->method, .params = params,
                  .done = written_done, .progress = row->progress ? written_progress : NULL);
    haft_transport transport;
    haft_client *client;

    snprintf(params, sizeof params, "{%s%s\"_meta\":{%s}}", row->members, *row->members ? "," : "",
             row->meta);
    at.meta = strlen(params) - strlen(row->meta) - 2;
    script_init(script, row->legacy ? greeting : greeting + 1, row->http, false);
    transport = script_transport(script);
    client = hf_client_start(&transport,
                             HAFT_WITH(haft_client_options, .no_tasks = true,
                                       .revision = row->legacy ? "2025-11-25" : "2026-07-28"),
                             &start, &script->receiver, NULL);
    assert_non_null(client);
    if (!row->early)
        script_run(script);
    for (int i = 0; i < 2; i++) { /* the first may wait for the list of tools */
        int64_t id = written ? hf_client_begin_written(client, &exchange, at)
                             : haft_client_begin(client, &exchange);

        assert_true(id > 0);
        script_run(script);
    }
    haft_client_free(client);
    script_finish(script);
}

static void written_parameters_are_sent_alike(void **state)
{
    static struct script read, written;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        send_row(&rows[i], &read, false);
        send_row(&rows[i], &written, true);
        assert_non_null(strstr(read.log, rows[i].method));
        assert_string_equal(written.log, read.log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_parameters_are_sent_alike)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
