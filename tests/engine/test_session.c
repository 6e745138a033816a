/* test_session.c - getting to know each other: revisions, eras on one session, ids, arrays. */
#include <stdio.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

static int hello(haft_call *call)
{
    return haft_text(call, "%s %s %s", haft_call_revision(call), haft_client_name(call),
                     haft_client_can(call, "sampling") ? "samples" : "does not sample");
}
HAFT_TOOL_BARE(hello, "Says who asks");

static int tell_id(haft_call *call)
{
    return haft_text(call, "%s", haft_request_id(call));
}
HAFT_TOOL_BARE(tell_id, "Tells its id");

static haft_call *held[4];
static size_t n_held;

static int hold(haft_call *call)
{
    if (n_held == COUNT_OF(held))
        return haft_error(call, "full");
    held[n_held++] = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold, "Answers later");

static void let_go(void *context, const char *word)
{
    haft_call *call = held[--n_held];

    (void)context;
    haft_text(call, "%s", word);
    haft_finish(call, 0);
}

static haft_server *serve(void)
{
    haft_server *server = haft_server_new("test", "1");

    assert_non_null(server);
    assert_int_equal(haft_add(server, &hello_tool), 0);
    assert_int_equal(haft_add(server, &hold_tool), 0);
    assert_int_equal(haft_add(server, &tell_id_tool), 0);
    n_held = 0;
    return server;
}

/* ---- versions ---- */

#define ABOUT                                                                                      \
    "'capabilities':{'logging':{},'completions':{},'tools':{'listChanged':true}},"                 \
    "'serverInfo':{'name':'test','version':'1'}"

static void versions(void **state)
{
    static const struct {
        const char *asked, *agreed;
    } rows[] = {
        {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"},  {"2025-06-18", "2025-06-18"},
        {"2025-11-25", "2025-11-25"}, {"2026-07-28", "2025-11-25"},  {"1999-01-01", "2025-11-25"},
        {"", "2025-11-25"},           {"2025-11-25 ", "2025-11-25"}, {"v2", "2025-11-25"},
    };
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = wire_open(server);
        char ask[256], expect[512], call[256];

        snprintf(ask, sizeof ask, "R 1 initialize {'protocolVersion':'%s','capabilities':{}}",
                 rows[i].asked);
        snprintf(expect, sizeof expect, "= 1 {'protocolVersion':'%s'," ABOUT "}", rows[i].agreed);
        snprintf(call, sizeof call,
                 "= 2 {'content':[{'type':'text','text':'%s  does not sample'}]}", rows[i].agreed);
        dialogue(wire, LINES(ask, expect, "N notifications/initialized",
                             "R 2 tools/call {'name':'hello'}", call));
        wire_close(wire);
    }
    haft_server_free(server);
}

static void initialize_badly(void **state)
{
    haft_server *server = serve();

    (void)state;
    dialogue_alone(
        server,
        LINES("R 1 initialize", "! 1 -32602 Invalid params: \\'protocolVersion\\' must be a string",
              "R 2 initialize {}",
              "! 2 -32602 Invalid params: \\'protocolVersion\\' must be a string",
              "R 3 initialize {'protocolVersion':20251125}",
              "! 3 -32602 Invalid params: \\'protocolVersion\\' must be a string",
              "R 4 initialize {'protocolVersion':'2025-06-18','capabilities':7,'clientInfo':[]}",
              "= 4 {'protocolVersion':'2025-06-18',*"));
    haft_server_free(server);
}

static void initialize_again(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue_with(
        wire,
        LINES(GREETING("2025-11-25", "{'sampling':{}}"), "R 1 tools/call {'name':'hold'}",
              "R 2 initialize {'protocolVersion':'2025-06-18'}",
              "! 2 -32600 Invalid Request: initialize is not allowed while calls are in flight",
              "@ done", "= 1 {'content':[{'type':'text','text':'done'}]}",
              "R 3 initialize {'protocolVersion':'2025-06-18'}",
              "= 3 {'protocolVersion':'2025-06-18',*", "R 4 tools/call {'name':'hello'}",
              "= 4 {'content':[{'type':'text','text':'2025-06-18  does not sample'}]}"),
        let_go, NULL);
    wire_close(wire);
    haft_server_free(server);
}

/* A client that never introduced itself is taken for one of the newest legacy revision. */
static void first_message(void **state)
{
    haft_server *server = serve();

    (void)state;
    dialogue_alone(server, LINES("R 1 ping", "= 1 {}"));
    dialogue_alone(server, LINES("R 1 tools/call {'name':'hello'}",
                                 "= 1 {'content':[{'type':'text','text':'2025-11-25  does not "
                                 "sample'}]}"));
    dialogue_alone(server,
                   LINES("R 1 what/ever", "! 1 -32601 Method not found", "R 2 ping", "= 2 {}"));
    dialogue_alone(server, LINES("N what/ever", "R 2 ping", "= 2 {}"));
    dialogue_alone(server, LINES("> nonsense", "! - -32700 Parse error: *", "R 2 ping", "= 2 {}"));
    dialogue_alone(server, LINES("M 1 server/discover", "= 1 {'supportedVersions':['2026-07-28'],*",
                                 GREETING("2025-03-26", "{}"), "R 2 ping", "= 2 {}"));
    haft_server_free(server);
}

/* ---- both eras on one session ---- */

#define SAID(text) "{'content':[{'type':'text','text':'" text "'}]}"
#define SAID_MODERN(text) "{'content':[{'type':'text','text':'" text "'}],$T}"

static void eras_interleaved(void **state)
{
    haft_server *server = serve();

    (void)state;
    dialogue_alone(
        server,
        LINES("A 1 tools/call 'name':'hello'", "= 1 " SAID_MODERN("2026-07-28  samples"),
              /* nothing is inferred from it */
              "M 2 tools/call 'name':'hello'", "= 2 " SAID_MODERN("2026-07-28  does not sample"),
              "R 3 tools/call {'name':'hello'}", "= 3 " SAID("2025-11-25  does not sample"),
              GREETING("2025-06-18", "{'sampling':{}}"), "R 4 tools/call {'name':'hello'}",
              "= 4 " SAID("2025-06-18 c samples"), "M 5 tools/call 'name':'hello'",
              "= 5 " SAID_MODERN("2026-07-28  does not sample"), "M 6 ping",
              "! 6 -32601 Method not found", "R 7 ping", "= 7 {}", "R 8 server/discover",
              "! 8 -32601 Method not found", "M 9 initialize 'protocolVersion':'2025-11-25'",
              "! 9 -32601 Method not found", "R 10 tools/call {'name':'hello'}",
              "= 10 " SAID("2025-06-18 c samples")));
    haft_server_free(server);
}

static void eras_in_flight(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue_with(wire,
                  LINES(GREETING("2025-11-25", "{}"), "R 1 tools/call {'name':'hold'}",
                        "M 2 tools/call 'name':'hold'", "R 3 ping", "= 3 {}", "@ b",
                        "= 2 " SAID_MODERN("b"), "@ a", "= 1 " SAID("a")),
                  let_go, NULL);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- ids ---- */

static void checks_ids(void **state)
{
    static const char *const ids[] = {
        "0",
        "1",
        "-1",
        "1700000000000",
        "9007199254740993",
        "-9223372036854775808",
        "''",
        "'a'",
        "'0'",
        "'18446744073709551615'",
        "18446744073709551615",
        "'\\u00e9\\\\'",
    };
    static const char *const echoed[] = {
        "0",
        "1",
        "-1",
        "1700000000000",
        "9007199254740993",
        "-9223372036854775808",
        "''",
        "'a'",
        "'0'",
        "'18446744073709551615'",
        "18446744073709551615",
        "'\xc3\xa9\\\\'",
    };
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        char ask[128], expect[128];

        snprintf(ask, sizeof ask, "R %s ping", ids[i]);
        snprintf(expect, sizeof expect, "= %s {}", echoed[i]);
        dialogue_alone(server, LINES(ask, expect));
        snprintf(ask, sizeof ask, "R %s no/such", ids[i]);
        snprintf(expect, sizeof expect, "! %s -32601 Method not found", echoed[i]);
        dialogue_alone(server, LINES(ask, expect));
    }
    haft_server_free(server);
}

static void tells_ids_as_text(void **state)
{
    static const struct {
        const char *id, *text;
    } rows[] = {
        {"7", "7"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {"'7'", "7"},
        {"''", ""},
        {"'a\\u0000b'", "a\\\\u0000b"},
        {"'\\u0000'", "\\\\u0000"},
        {"'\\\"\\\\'", "\\\"\\\\"},
    };
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char ask[128], expect[128];

        snprintf(ask, sizeof ask, "R %s tools/call {'name':'tell_id'}", rows[i].id);
        snprintf(expect, sizeof expect, "= %s " SAID("%s"), rows[i].id, rows[i].text);
        dialogue_alone(server, LINES(ask, expect));
    }
    haft_server_free(server);
}

static void duplicate_ids(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue_with(wire,
                  LINES("R 7 tools/call {'name':'hold'}", "R 7 ping",
                        "! 7 -32600 Invalid Request: the id is already in use",
                        /* a text is not a number */
                        "R '7' ping", "= '7' {}", "@ a", "= 7 " SAID("a"), "R 7 ping", "= 7 {}",
                        "M 8 subscriptions/listen 'notifications':{}",
                        "~ notifications/subscriptions/acknowledged *", "R 8 ping",
                        "! 8 -32600 Invalid Request: the id is already in use"),
                  let_go, NULL);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- arguments that are many ---- */

static int count_all(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "counted");
}

#define MANY                                                                                       \
    "{'content':[{'type':'text','text':'Input validation error: Invalid arguments for tool t: "    \
    "arguments contain more than the maximum of 4 elements'}],'isError':true}"

static void elements(void **state)
{
    static const char document[] = "{\"type\":\"object\"}";
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .max_elements = 4));
    haft_tool_builder *builder = haft_tool_new("t");
    haft_schema *schema;

    (void)state;
    assert_int_equal(haft_schema_parse(document, sizeof document - 1, NULL, &schema, NULL), 0);
    haft_tool_input(builder, schema);
    haft_tool_handler(builder, count_all, NULL);
    assert_int_equal(haft_tool_build(builder, server), 0);
    dialogue_alone(
        server,
        LINES("R 1 tools/call {'name':'t'}", "= 1 " SAID("counted"),
              "R 2 tools/call {'name':'t','arguments':{'a':[1,[2]]}}", "= 2 " SAID("counted"),
              "R 3 tools/call {'name':'t','arguments':{'a':[1,[2]],'b':''}}", "= 3 " MANY,
              "R 4 tools/call {'name':'t','arguments':{'a':[1,2,3,4,5,6,7]}}", "= 4 " MANY,
              "R 5 tools/call {'name':'t','arguments':{'a':{'b':{'c':{'d':{'e':1}}}}}}",
              "= 5 " MANY));
    haft_server_free(server);
}

static void too_many(void **state)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .max_in_flight = 2));
    struct wire *wire;

    (void)state;
    n_held = 0;
    assert_int_equal(haft_add(server, &hold_tool), 0);
    wire = wire_open(server);
    dialogue_with(wire,
                  LINES("R 1 tools/call {'name':'hold'}", "R 2 tools/call {'name':'hold'}",
                        "R 3 tools/call {'name':'hold'}", "! 3 -32603 Too many calls are in flight",
                        "R 3 tools/list", "! 3 -32603 Too many calls are in flight", "R 3 ping",
                        "= 3 {}", "@ b", "= 2 " SAID("b"), "R 4 tools/call {'name':'hold'}", "@ c",
                        "= 4 " SAID("c"), "@ a", "= 1 " SAID("a")),
                  let_go, NULL);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- arrays ---- */

#define PING(id) "{'jsonrpc':'2.0','id':" id ",'method':'ping'}"
#define PONG(id) "{'jsonrpc':'2.0','id':" id ",'result':{}}"
#define NOTE "{'jsonrpc':'2.0','method':'notifications/initialized'}"
#define HOLD(id) "{'jsonrpc':'2.0','id':" id ",'method':'tools/call','params':{'name':'hold'}}"
#define CANCEL(id)                                                                                 \
    "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':" id "}}"
#define BAD(id, why)                                                                               \
    "{'jsonrpc':'2.0','id':" id ",'error':{'code':-32600,'message':'Invalid Request: " why "'}}"
#define FULL(id, text) "{'jsonrpc':'2.0','id':" id ",'result':" SAID(text) "}"

static void arrays(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue_with(
        wire,
        LINES(GREETING("2025-03-26", "{}"), "> [" PING("1") "]", "< [" PONG("1") "]",
              "> [" PING("1") "," NOTE "," PING("'b'") "]", "< [" PONG("1") "," PONG("'b'") "]",
              /* only notifications: no answer */
              "> [" NOTE "," NOTE "]",
              /* a member that is wrong does not harm the others; without an id it has no answer */
              "> [1,{'jsonrpc':'2.0','id':2},{'id':3,'method':'ping'},{'foo':'boo'},[]," PING(
                  "4") "]",
              "< [" BAD("2", "\\'method\\' must be a string") "," BAD(
                  "3", "\\'jsonrpc\\' must be \\'2.0\\'") "," PONG("4") "]",
              "> [1,2,3]", "> []",
              /* one that takes time */
              "> [" PING("5") "," HOLD("6") "," PING("7") "]", "R 8 ping", "= 8 {}", "@ late",
              "< [" PONG("5") "," PONG("7") "," FULL("6", "late") "]",
              /* cancelled: the others are answered at once, and it never is */
              "> [" HOLD("9") "," PING("10") "]", "> " CANCEL("9"), "< [" PONG("10") "]", "@ never",
              "> [" HOLD("11") "," CANCEL("11") "]", "@ never",
              /* by itself, without an array, it goes on */
              "R 12 ping", "= 12 {}"),
        let_go, NULL);
    wire_close(wire);
    haft_server_free(server);
}

/* The first hundred are served; the others are told. */
static void long_array(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);
    char text[8192] = "[";
    const char *answer;
    size_t n = 0;

    (void)state;
    wire_greet(wire, "2025-03-26");
    for (int i = 1; i <= 102; i++) {
        size_t used = strlen(text);

        snprintf(text + used, sizeof text - used,
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}%s", i, i < 102 ? "," : "]");
    }
    assert_int_equal(wire_send(wire, text), 0);
    answer = wire_next(wire);
    for (const char *at = strstr(answer, "\"result\":{}"); at; at = strstr(at + 1, "\"result\":{}"))
        n++;
    assert_int_equal(n, 100);
    assert_non_null(strstr(answer,
                           "{\"jsonrpc\":\"2.0\",\"id\":102,\"error\":{\"code\":-32600,"
                           "\"message\":\"Invalid Request: too many messages in the batch\"}}]"));
    assert_null(wire_next(wire));
    wire_close(wire);
    haft_server_free(server);
}

static void array_with_listen(void **state)
{
    haft_server *server = serve();

    (void)state;
    dialogue_alone(
        server,
        LINES(GREETING("2025-03-26", "{}"),
              "> [{'jsonrpc':'2.0','id':1,'method':'subscriptions/listen','params':{"
              "'notifications':{},'_meta':{'io.modelcontextprotocol/protocolVersion':"
              "'2026-07-28','io.modelcontextprotocol/clientCapabilities':{}}}}," PING("2") "]",
              "~ notifications/subscriptions/acknowledged *", "< [" PONG("2") "]"));
    haft_server_free(server);
}

/* Only one revision has arrays.  Those before 2025-11-25 have no error without an id either: there
 * each request is told, so that nobody waits for it, and an array without any is passed over. */
static void arrays_elsewhere(void **state)
{
    static const char refused[] = "! - -32600 Invalid Request: batches are not accepted";
    static const char *const revisions[] = {"2024-11-05", "2025-06-18"};
    haft_server *server = serve();

    (void)state;
    dialogue_alone(server, LINES("> [" PING("1") "]", refused));
    dialogue_alone(server, LINES("> []", refused));
    dialogue_alone(server, LINES(GREETING("2025-11-25", "{}"), "> [" PING("1") "]", refused));
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        struct wire *wire = wire_open(server);

        wire_greet(wire, revisions[i]);
        dialogue(wire,
                 LINES("> [" PING("1") "," NOTE
                                       ",5,{'jsonrpc':'2.0','id':7,'result':{}}," PING("'b'") "]",
                       "! 1 -32600 Invalid Request: batches are not accepted",
                       "! 'b' -32600 Invalid Request: batches are not accepted", "> [" NOTE "]",
                       "> []", "R 2 ping", "= 2 {}"));
        wire_close(wire);
    }
    haft_server_free(server);
}

/* A session that ends takes what waits with it; a handler that is still at work ends in silence. */
static void end(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue(wire, LINES(GREETING("2025-03-26", "{}"), "> [" HOLD("1") "," PING("2") "]",
                         "R 3 tools/call {'name':'hold'}"));
    assert_int_equal(haft_session_in_flight(wire->session), 2);
    haft_session_free(wire->session);
    wire->session = NULL;
    for (; n_held; n_held--) {
        assert_true(haft_call_cancelled(held[n_held - 1]));
        haft_finish(held[n_held - 1], 0);
    }
    assert_null(wire_next(wire));
    wire_close(wire);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions),         cmocka_unit_test(initialize_badly),
        cmocka_unit_test(initialize_again), cmocka_unit_test(first_message),
        cmocka_unit_test(eras_interleaved), cmocka_unit_test(eras_in_flight),
        cmocka_unit_test(checks_ids),       cmocka_unit_test(tells_ids_as_text),
        cmocka_unit_test(duplicate_ids),    cmocka_unit_test(too_many),
        cmocka_unit_test(elements),         cmocka_unit_test(arrays),
        cmocka_unit_test(long_array),       cmocka_unit_test(array_with_listen),
        cmocka_unit_test(arrays_elsewhere), cmocka_unit_test(end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
