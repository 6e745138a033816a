/* test_rates.c - whose calls of a tool are counted together over HTTP: those of a principal, else
 * those of an address, whatever a client calls itself and however many sessions it opens. */
#include <haft.h>
#include <haft/http.h>
#include <stdio.h>
#include <string.h>

#include "support/headers.h"
#include "support/test.h"

static int nod(haft_call *call)
{
    return haft_text(call, "done");
}
HAFT_TOOL_BARE(nod, "Nods", .quick = true, .rate = {.calls = 2, .per_ms = 60000});

static void on_respond(void *context, const haft_response *response)
{
    char headers[1024];

    headers_write(response->headers, response->n_headers, headers, sizeof headers);
    snprintf(context, 2048, "%s%.*s", headers, (int)response->size,
             response->size ? response->body : "");
}

static int number(void *context, void *bytes, size_t size)
{
    static unsigned char n;

    (void)context;
    memset(bytes, ++n, size);
    return 0;
}

/* One that is legacy has `initialize` before it, in a session of its own, unless it is `alone`. */
struct asked {
    const char *peer, *principal, *client;
    enum { MODERN, SESSION, ALONE } as;
};

static haft_time now = 1000;

static const char *post(haft_endpoint *endpoint, const struct asked *asked, const char *extra,
                        const char *body)
{
    static const haft_responder responder = {.respond = on_respond};
    static char reply[2048];
    struct header_lines lines;
    char headers[1024];
    haft_request request = {.method = "POST",
                            .path = "/mcp",
                            .query = "",
                            .body = body,
                            .body_size = strlen(body),
                            .peer = asked->peer,
                            .principal = asked->principal};

    snprintf(headers, sizeof headers, "host: localhost\ncontent-type: application/json\n%s", extra);
    headers_read(&lines, headers, &request.headers, &request.n_headers);
    reply[0] = '\0';
    assert_null(haft_endpoint_handle(endpoint, &request, &responder, reply, now));
    return reply;
}

#define CALL "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"nod\""

static const char *ask_modern(haft_endpoint *endpoint, const struct asked *asked)
{
    char body[1024];

    snprintf(body, sizeof body,
             CALL ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                  "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"%s\",\"version\":\"1\"},"
                  "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
             asked->client);
    return post(endpoint, asked,
                "mcp-protocol-version: 2026-07-28\nmcp-method: tools/call\nmcp-name: nod\n", body);
}

static const char *ask_in_session(haft_endpoint *endpoint, const struct asked *asked)
{
    char body[1024], extra[256] = "mcp-protocol-version: 2025-11-25\n";
    const char *id;

    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":"
             "\"%s\",\"version\":\"1\"}}}",
             asked->client);
    id = strstr(post(endpoint, asked, "", body), "Mcp-Session-Id: ");
    assert_non_null(id);
    id += strlen("Mcp-Session-Id: ");
    snprintf(extra + strlen(extra), sizeof extra - strlen(extra), "mcp-session-id: %.*s\n",
             (int)strcspn(id, "\r"), id);
    return post(endpoint, asked, extra, CALL "}}");
}

static const char *ask(haft_endpoint *endpoint, const struct asked *asked)
{
    switch (asked->as) {
    case MODERN:
        return ask_modern(endpoint, asked);
    case SESSION:
        return ask_in_session(endpoint, asked);
    default:
        return post(endpoint, asked, "mcp-protocol-version: 2025-11-25\n", CALL "}}");
    }
}

static const struct {
    struct asked asked;
    bool limited;
} rows[] = {
    /* another name is not another client */
    {{"192.0.2.1", NULL, "a", MODERN}, false},
    {{"192.0.2.1", NULL, "b", MODERN}, false},
    {{"192.0.2.1", NULL, "c", MODERN}, true},
    /* nor is another session, or none */
    {{"192.0.2.1", NULL, "d", SESSION}, true},
    {{"192.0.2.1", NULL, "e", SESSION}, true},
    {{"192.0.2.1", NULL, "", ALONE}, true},
    /* clients with one name are not one client */
    {{"192.0.2.2", NULL, "a", MODERN}, false},
    {{"192.0.2.3", NULL, "a", MODERN}, false},
    {{"192.0.2.3", NULL, "a", MODERN}, false},
    {{"192.0.2.3", NULL, "a", MODERN}, true},
    /* sessions of one address share what it is allowed */
    {{"192.0.2.4", NULL, "a", SESSION}, false},
    {{"192.0.2.4", NULL, "a", SESSION}, false},
    {{"192.0.2.4", NULL, "a", SESSION}, true},
    {{"192.0.2.4", NULL, "a", MODERN}, true},
    {{"192.0.2.5", NULL, "", ALONE}, false},
    /* who has an address of IPv6 has a network of them */
    {{"2001:db8::1", NULL, "a", MODERN}, false},
    {{"2001:db8::2", NULL, "b", SESSION}, false},
    {{"2001:db8:0:0:ffff::", NULL, "c", MODERN}, true},
    {{"2001:db8:0:1::1", NULL, "c", MODERN}, false},
    /* a principal is the same wherever it is, and is not its address */
    {{"192.0.2.1", "amy", "a", MODERN}, false},
    {{"192.0.2.9", "amy", "b", SESSION}, false},
    {{"192.0.2.8", "amy", "c", MODERN}, true},
    {{"192.0.2.9", "bob", "c", MODERN}, false},
    {{"192.0.2.9", NULL, "c", MODERN}, false},
    /* those who have no address are one */
    {{NULL, NULL, "a", MODERN}, false},
    {{NULL, NULL, "b", SESSION}, false},
    {{NULL, NULL, "c", MODERN}, true},
};

static void counts_by_principal_or_address(void **state)
{
    haft_server *tool = haft_server_new("test", "1");
    haft_server *client = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .client_rate = {.calls = 2, .per_ms = 60000}));
    haft_server *servers[] = {tool, client};
    haft_tool free_tool = nod_tool;

    (void)state;
    free_tool.rate = (haft_rate){0};
    assert_int_equal(haft_add(tool, &nod_tool), 0);
    assert_int_equal(haft_add(client, &free_tool), 0);
    for (size_t s = 0; s < COUNT_OF(servers); s++) {
        haft_endpoint *endpoint = haft_endpoint_new(
            servers[s],
            HAFT_WITH(haft_endpoint_options, .loop = HAFT_WITH(haft_loop, .random = number)));

        assert_non_null(endpoint);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const char *reply = ask(endpoint, &rows[i].asked);

            if (!strstr(reply, rows[i].limited ? "Rate limited: " : "\"done\""))
                fail_msg("server %zu, row %zu: %s", s, i, reply);
        }
        haft_endpoint_free(endpoint);
        haft_server_free(servers[s]);
    }
}

/* ---- rates of tools, and of a client over all of them ---- */

static void counts_each_tool_apart(void **state)
{
    static const struct {
        unsigned client;             /* calls of the client's rate; 0 for none */
        const char *tools, *limited; /* what is called, and which of these calls are refused */
    } cases[] = {
        {0, "nnnbb", "..x.."},
        {1, "nb", ".x"},
        {3, "nbnb", "...x"},
        {3, "nnnb",
         "..xx"}, /* one that its tool's rate refuses is a call of the client's all the same */
    };
    haft_tool bow_tool = nod_tool;

    (void)state;
    bow_tool.name = "bow";
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        haft_server *server = haft_server_new_with(
            "test", "1",
            HAFT_WITH(haft_server_options,
                      .client_rate = {.calls = cases[i].client, .per_ms = 60000}));
        haft_endpoint *endpoint =
            haft_endpoint_new(server, HAFT_WITH(haft_endpoint_options,
                                                .loop = HAFT_WITH(haft_loop, .random = number)));

        assert_non_null(endpoint);
        assert_int_equal(haft_add(server, &nod_tool), 0);
        assert_int_equal(haft_add(server, &bow_tool), 0);
        for (size_t k = 0; cases[i].tools[k]; k++) {
            const char *reply, *name = cases[i].tools[k] == 'n' ? "nod" : "bow";
            char body[128];

            snprintf(
                body, sizeof body,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"}}",
                name);
            reply = post(endpoint, &(struct asked){"192.0.2.1", NULL, "", ALONE},
                         "mcp-protocol-version: 2025-11-25\n", body);
            if (!strstr(reply, cases[i].limited[k] == 'x' ? "Rate limited: " : "\"done\""))
                fail_msg("case %zu, call %zu: %s", i, k, reply);
        }
        haft_endpoint_free(endpoint);
        haft_server_free(server);
    }
}

/* A call that the client's rate refuses is not one of the tool's. */
static void spares_the_tool_what_the_client_may_not(void **state)
{
    static const struct {
        haft_time later; /* milliseconds since the first call */
        bool limited;
    } calls[] = {{0, false}, {1, true}, {2, true}, {20, false}, {40, true}};
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .client_rate = {.calls = 1, .per_ms = 10}));
    haft_endpoint *endpoint = haft_endpoint_new(
        server, HAFT_WITH(haft_endpoint_options, .loop = HAFT_WITH(haft_loop, .random = number)));

    (void)state;
    assert_non_null(endpoint);
    assert_int_equal(haft_add(server, &nod_tool), 0);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        const char *reply;

        now = 1000 + calls[i].later;
        reply = ask(endpoint, &(struct asked){"192.0.2.1", NULL, "", ALONE});
        if (!strstr(reply, calls[i].limited ? "Rate limited: " : "\"done\""))
            fail_msg("call %zu: %s", i, reply);
    }
    now = 1000;
    haft_endpoint_free(endpoint);
    haft_server_free(server);
}

/* ---- what a store of the program's own is given ---- */

struct store {
    haft_store store; /* first */
    haft_store *sessions;
    char key[256];
};

static int take(haft_store *given, haft_store_request *request)
{
    struct store *store = (struct store *)given;

    if (strcmp(request->space, "rate") != 0)
        return haft_store_submit(store->sessions, request);
    snprintf(store->key, sizeof store->key, "%.*s|%.*s", (int)request->ops[0].key.size,
             request->ops[0].key.data, (int)request->group.size, request->group.data);
    request->status = request->ops[0].status = 1;
    return 0;
}

static void keys_name_the_address(void **state)
{
    static const struct {
        struct asked asked;
        const char *key;
    } keys[] = {
        {{"192.0.2.1", NULL, "a", MODERN}, "nod|a192.0.2.1"},
        {{"192.0.2.1", NULL, "a", SESSION}, "nod|a192.0.2.1"},
        {{"2001:db8::1", NULL, "a", MODERN}, "nod|620010db800000000"},
        {{"2001:DB8:0:0:1:2:3:4", NULL, "a", MODERN}, "nod|620010db800000000"},
        {{"fe80::1%eth0", NULL, "a", MODERN}, "nod|6fe80000000000000"},
        {{"::1", NULL, "a", MODERN}, "nod|60000000000000000"},
        {{"1:2:3:4:5:6:7::", NULL, "a", MODERN}, "nod|60001000200030004"},
        /* an address of IPv4 is one however it is written */
        {{"::ffff:192.0.2.1", NULL, "a", MODERN}, "nod|a192.0.2.1"},
        {{"::ffff:c000:201", NULL, "a", MODERN}, "nod|a192.0.2.1"},
        {{"64:ff9b::192.0.2.1", NULL, "a", MODERN}, "nod|60064ff9b00000000"},
        /* what is not an address is a client all the same */
        {{"2001:db8::1::2", NULL, "a", MODERN}, "nod|a2001:db8::1::2"},
        {{"1:2:3:4:5:6:7:8:9", NULL, "a", MODERN}, "nod|a1:2:3:4:5:6:7:8:9"},
        {{"12345::", NULL, "a", MODERN}, "nod|a12345::"},
        {{"1:2:", NULL, "a", MODERN}, "nod|a1:2:"},
        {{NULL, NULL, "a", MODERN}, "nod|a"},
        {{NULL, NULL, "a", SESSION}, "nod|a"},
        {{"192.0.2.1", "amy", "a", MODERN}, "nod|pamy"},
    };
    static const haft_store_methods methods =
        HAFT_INIT(haft_store_methods, .name = "test", .submit = take);
    struct store store = {.store = {&methods}, .sessions = haft_store_memory_new(NULL)};
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .store = &store.store));
    haft_endpoint *endpoint = haft_endpoint_new(
        server, HAFT_WITH(haft_endpoint_options, .loop = HAFT_WITH(haft_loop, .random = number)));

    (void)state;
    assert_int_equal(haft_add(server, &nod_tool), 0);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        ask(endpoint, &keys[i].asked);
        assert_string_equal(store.key, keys[i].key);
    }
    haft_endpoint_free(endpoint);
    haft_server_free(server);
    haft_store_free(store.sessions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_principal_or_address),
        cmocka_unit_test(counts_each_tool_apart),
        cmocka_unit_test(spares_the_tool_what_the_client_may_not),
        cmocka_unit_test(keys_name_the_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
