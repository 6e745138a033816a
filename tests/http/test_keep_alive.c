/* Streams that are quiet: a comment now and then, and only then.  The endpoint has no clock, so the
 * test is the clock. */
#include <haft/http.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

enum { QUIET = 15000, START = 1000000 };

#define MODERN                                                                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define COMMENT ": keep-alive\n\n"

/* ---- a client ---- */

struct client {
    char heard[4096];
    size_t size;
    char session[64];
    int status;
    bool ended;
};

static void hear(struct client *client, const char *bytes, size_t size)
{
    assert_true(client->size + size < sizeof client->heard);
    if (size)
        memcpy(client->heard + client->size, bytes, size);
    client->size += size;
    client->heard[client->size] = '\0';
}

static void start(struct client *client, const haft_response *head)
{
    const char *id = haft_header_find(head->headers, head->n_headers, "mcp-session-id");

    client->status = head->status;
    if (id)
        sscanf(id, "%63[0-9a-f]", client->session);
}

static void on_respond(void *context, const haft_response *response)
{
    start(context, response);
    hear(context, response->body, response->size);
    ((struct client *)context)->ended = true;
}

static void on_stream(void *context, const haft_response *head)
{
    start(context, head);
}

static void on_write(void *context, const char *bytes, size_t size)
{
    hear(context, bytes, size);
}

static void on_end(void *context)
{
    ((struct client *)context)->ended = true;
}

static const haft_responder responder = {on_respond, on_stream, on_write, on_end};

/* `headers` are pairs of names and values, NULL after the last. */
static haft_exchange *request(haft_endpoint *endpoint, struct client *client, const char *method,
                              const char *path, const char *const *headers, const char *body,
                              haft_time now)
{
    haft_header list[16];
    haft_request request = {.method = method,
                            .path = path,
                            .query = "",
                            .headers = list,
                            .body = body,
                            .body_size = strlen(body)};

    for (; *headers; headers += 2)
        list[request.n_headers++] = (haft_header){headers[0], headers[1]};
    memset(client, 0, sizeof *client);
    return haft_endpoint_handle(endpoint, &request, &responder, client, now);
}

static int same_bytes(void *context, void *bytes, size_t size)
{
    (void)context;
    memset(bytes, 7, size);
    return 0;
}

/* ---- the streams that can be quiet ---- */

static haft_exchange *listen_modern(haft_endpoint *endpoint, struct client *client)
{
    static const char *const headers[] = {"host",
                                          "localhost",
                                          "content-type",
                                          "application/json",
                                          "mcp-protocol-version",
                                          "2026-07-28",
                                          "mcp-method",
                                          "subscriptions/listen",
                                          NULL};

    return request(endpoint, client, "POST", "/mcp", headers,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{"
                   "\"notifications\":{\"toolsListChanged\":true}," MODERN "}}",
                   START);
}

static haft_exchange *listen_session(haft_endpoint *endpoint, struct client *client)
{
    static const char *const first[] = {"host", "localhost", "content-type", "application/json",
                                        NULL};
    struct client introduced;
    const char *headers[] = {"host", "localhost", "mcp-session-id", introduced.session, NULL};

    request(endpoint, &introduced, "POST", "/mcp", first,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
            "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
            "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
            START);
    assert_true(introduced.session[0]);
    return request(endpoint, client, "GET", "/mcp", headers, "", START);
}

static haft_exchange *listen_sse(haft_endpoint *endpoint, struct client *client)
{
    static const char *const headers[] = {"host", "localhost", NULL};

    return request(endpoint, client, "GET", "/sse", headers, "", START);
}

typedef haft_exchange *listen_function(haft_endpoint *endpoint, struct client *client);

static int answer(haft_call *call)
{
    return haft_text(call, "yes");
}
HAFT_TOOL_BARE(answer, "Answers");

/* What has been said since, and forgets it. */
static void assert_heard(struct client *client, const char *wanted)
{
    assert_string_equal(client->heard, wanted);
    client->size = 0;
    client->heard[0] = '\0';
}

static void check(listen_function *listen, bool changes)
{
    haft_server *server = haft_server_new("quiet", "1");
    haft_endpoint_options options = HAFT_INIT(haft_endpoint_options, .legacy_sse = true,
                                              .loop = HAFT_WITH(haft_loop, .random = same_bytes));
    haft_endpoint *endpoint;
    haft_exchange *exchange;
    struct client client;

    assert_int_equal(haft_add(server, &answer_tool), 0);
    endpoint = haft_endpoint_new(server, &options);
    exchange = listen(endpoint, &client);
    assert_non_null(exchange);
    assert_int_equal(client.status, 200);
    client.size = 0;
    client.heard[0] = '\0';

    haft_endpoint_tick(endpoint, START + QUIET - 1);
    assert_heard(&client, "");
    haft_endpoint_tick(endpoint, START + QUIET);
    assert_heard(&client, COMMENT);
    haft_endpoint_tick(endpoint, START + 2 * QUIET - 1);
    assert_heard(&client, "");
    if (changes) {
        /* Something said is as good as a comment. */
        assert_int_equal(haft_tool_replace(server, "answer", &answer_tool), 0);
        haft_endpoint_tick(endpoint, START + 2 * QUIET);
        assert_non_null(strstr(client.heard, "list_changed"));
        assert_null(strstr(client.heard, COMMENT));
        client.size = 0;
        client.heard[0] = '\0';
        haft_endpoint_tick(endpoint, START + 3 * QUIET - 1);
        assert_heard(&client, "");
    }
    haft_endpoint_tick(endpoint, START + 4 * QUIET);
    assert_heard(&client, COMMENT);
    haft_exchange_gone(exchange);
    haft_endpoint_tick(endpoint, START + 9 * QUIET);
    assert_heard(&client, "");
    assert_false(client.ended);
    haft_endpoint_free(endpoint);
    haft_server_free(server);
}

static void quiet_streams(void **state)
{
    (void)state;
    check(listen_modern, true);
    check(listen_session, true);
    check(listen_sse, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quiet_streams)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
