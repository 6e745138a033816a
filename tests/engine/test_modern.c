/* test_modern.c - 2026-07-28: every request says what it is, and is refused when it does not. */
#include <stdio.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/test.h"

static int who(haft_call *call)
{
    return haft_text(call, "%s|%s|%s|%s", haft_call_revision(call), haft_client_name(call),
                     haft_client_version(call), haft_request_id(call));
}
HAFT_TOOL_BARE(who, "Says who asks");

static haft_server *serve(void)
{
    haft_server *server =
        haft_server_new_with("test", "1",
                             HAFT_WITH(haft_server_options, .instructions = "Be \"nice\".",
                                       .extensions = "{\n  \"acme/x\": { }\n}"));

    assert_non_null(server);
    assert_int_equal(haft_add(server, &who_tool), 0);
    return server;
}

#define P "'io.modelcontextprotocol/"
#define OK_META P "protocolVersion':'2026-07-28'," P "clientCapabilities':{}"
#define ENVELOPE(what, key)                                                                        \
    "'error':{'code':-32602,'message':'Invalid params: _meta[\\'io.modelcontextprotocol/" key      \
    "\\'] is " what "','data':{'envelope':{'" what "':['io.modelcontextprotocol/" key "']}}}}"
#define VERSION(requested)                                                                         \
    "'error':{'code':-32022,'message':'Unsupported protocol version','data':{'supported':["        \
    "'2026-07-28'],'requested':'" requested "'}}}"

/* The _meta of a request, and the answer after its id. */
static const struct row {
    const char *meta, *answer;
} rows[] = {
    {"{" OK_META "}", "'result':*"},
    {"{" OK_META "," P "clientInfo':{'name':'n','version':'v'}}", "'result':*n|v*"},
    {"{" OK_META "," P "clientInfo':{'name':5}}", "'result':*"},
    {"{" OK_META "," P "clientInfo':7}", "'result':*"},
    {"{" OK_META ",'traceparent':'00-0af7','other/key':{}}", "'result':*"},
    {"{" P "protocolVersion':'2026-07-28'}", ENVELOPE("missing", "clientCapabilities")},
    {"{" P "protocolVersion':'2026-07-28'," P "clientCapabilities':[]}",
     ENVELOPE("malformed", "clientCapabilities")},
    {"{" P "protocolVersion':'2026-07-28'," P "clientCapabilities':null}",
     ENVELOPE("malformed", "clientCapabilities")},
    {"{" P "protocolVersion':20260728," P "clientCapabilities':{}}",
     ENVELOPE("malformed", "protocolVersion")},
    {"{" P "protocolVersion':null," P "clientCapabilities':{}}",
     ENVELOPE("malformed", "protocolVersion")},
    {"{" P "protocolVersion':'v999.0.0'," P "clientCapabilities':{}}", VERSION("v999.0.0")},
    {"{" P "protocolVersion':'2025-11-25'," P "clientCapabilities':{}}", VERSION("2025-11-25")},
    {"{" P "protocolVersion':''," P "clientCapabilities':{}}", VERSION("")},
    {"{" OK_META "," P "logLevel':5}", ENVELOPE("malformed", "logLevel")},
};

static void envelopes(void **state)
{
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char ask[512], expect[512];

        snprintf(ask, sizeof ask, "R 'i' tools/call {'name':'who','_meta':%s}", rows[i].meta);
        snprintf(expect, sizeof expect, "< {'jsonrpc':'2.0','id':'i',%s", rows[i].answer);
        dialogue_alone(server, LINES(ask, expect));
        /* whatever was agreed on before */
        dialogue_alone(server, LINES(GREETING("2025-06-18", "{}"), ask, expect));
    }
    haft_server_free(server);
}

/* On a session that is all modern, a request without an envelope is no legacy one. */
static void modern_session(void **state)
{
    static const char *const params[] = {"", " {}", " {'_meta':{}}", " {'_meta':5}",
                                         " {'_meta':{" P "clientCapabilities':{}}}"};
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(params); i++) {
        struct wire *wire = wire_open_with(
            server, (haft_session_options)HAFT_INIT(haft_session_options, .modern = true));
        char ask[128];

        snprintf(ask, sizeof ask, "R 1 server/discover%s", params[i]);
        dialogue(wire,
                 LINES(ask, "< {'jsonrpc':'2.0','id':1," ENVELOPE("missing", "protocolVersion"),
                       "R 2 initialize {'protocolVersion':'2025-11-25'}",
                       "< {'jsonrpc':'2.0','id':2," ENVELOPE("missing", "protocolVersion"),
                       "M 3 server/discover", "= 3 *"));
        wire_close(wire);
    }
    haft_server_free(server);
}

static void discover(void **state)
{
    haft_server *server = serve();

    (void)state;
    dialogue_alone(
        server, LINES("M 1 server/discover",
                      "= 1 {'supportedVersions':['2026-07-28'],'capabilities':{'logging':{},"
                      "'completions':{},'tools':{'listChanged':true},'extensions':{'acme/x':{}}},"
                      "'instructions':'Be \\'nice\\'.','ttlMs':0,'cacheScope':'private',$T}",
                      /* and nothing has been agreed on by it */
                      "R 2 tools/call {'name':'who'}",
                      "= 2 {'content':[{'type':'text','text':'2025-11-25|||2'}]}"));
    haft_server_free(server);
}

/* What this revision no longer has. */
static void removed_methods(void **state)
{
    static const char *const methods[] = {
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "unknown/method",
        "tasks/get",
        "notifications/initialized",
        "sampling/createMessage",
        "roots/list",
        "elicitation/create",
    };
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        char ask[64];

        snprintf(ask, sizeof ask, "M 1 %s", methods[i]);
        dialogue_alone(server, LINES(ask, "! 1 -32601 Method not found"));
    }
    haft_server_free(server);
}

/* An answer of the server never has null for what is not there. */
static void no_nulls(void **state)
{
    static const struct {
        const char *method, *params;
        bool modern;
    } asks[] = {
        {"server/discover", NULL, true},
        {"tools/list", NULL, true},
        {"tools/call", "\"name\":\"who\"", true},
        {"nope", NULL, true},
        {"tools/list", NULL, false},
        {"tools/call", "\"name\":\"who\"", false},
        {"nope", NULL, false},
        {"initialize", "\"protocolVersion\":\"x\"", false},
    };
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(asks); i++) {
        struct wire *wire = wire_open(server);
        const char *answer;

        wire->modern = asks[i].modern;
        answer = wire_call(wire, asks[i].method, asks[i].params);
        assert_non_null(answer);
        assert_null(strstr(answer, "null"));
        wire_close(wire);
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(envelopes), cmocka_unit_test(modern_session),
        cmocka_unit_test(discover),  cmocka_unit_test(removed_methods),
        cmocka_unit_test(no_nulls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
