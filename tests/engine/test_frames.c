/* test_frames.c - whatever comes, whoever can be told is told, nobody else is, and the session
 * lives on. */
#include <stdlib.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/test.h"

static int hello(haft_call *call)
{
    return haft_text(call, "hello");
}
HAFT_TOOL_BARE(hello, "Greets");

static haft_server *serve(void)
{
    haft_server *server = haft_server_new("test", "1");

    assert_non_null(server);
    assert_int_equal(haft_add(server, &hello_tool), 0);
    return server;
}

#define NO_ID "! - -32600 Invalid Request: \\'id\\' must be a string or an integer"

/* A frame, and what it is answered with; NULL for silence. */
static const struct row {
    const char *frame, *answer;
} rows[] = {
    /* not JSON */
    {"> {nope", "! - -32700 Parse error: *"},
    {"> ", "! - -32700 Parse error: *"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping'", "! - -32700 Parse error: *"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping'} x", "! - -32700 Parse error: *"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping',}", "! - -32700 Parse error: *"},
    {"> {'jsonrpc':'2.0','id':01,'method':'ping'}", "! - -32700 Parse error: *"},
    {"> {'jsonrpc':'2.0','id':NaN,'method':'ping'}", "! - -32700 Parse error: *"},
    {"> {'jsonrpc':'2.0','id':'\xff','method':'ping'}",
     "! - -32700 Parse error: not valid UTF-8 at byte 23"},
    {"> {'jsonrpc':'2.0','id':'\xed\xa0\x80','method':'ping'}",
     "! - -32700 Parse error: not valid UTF-8 at byte 23"},
    {"> {'jsonrpc':'2.0','id':'\\ud800','method':'ping'}", "! - -32700 Parse error: *"},
    /* JSON that is no message */
    {"> 1", "! - -32600 Invalid Request: a message must be an object"},
    {"> null", "! - -32600 Invalid Request: a message must be an object"},
    {"> 'ping'", "! - -32600 Invalid Request: a message must be an object"},
    {"> {'hello':1}", NULL},
    {"> {}", NULL},
    /* ids that are none */
    {"> {'jsonrpc':'2.0','id':null,'method':'ping'}", NO_ID},
    {"> {'jsonrpc':'2.0','id':1.5,'method':'ping'}", NO_ID},
    {"> {'jsonrpc':'2.0','id':1.0,'method':'ping'}", NO_ID},
    {"> {'jsonrpc':'2.0','id':true,'method':'ping'}", NO_ID},
    {"> {'jsonrpc':'2.0','id':{},'method':'ping'}", NO_ID},
    {"> {'jsonrpc':'2.0','id':[1],'method':'ping'}", NO_ID},
    {"> {'jsonrpc':'2.0','id':99999999999999999999,'method':'ping'}", NO_ID},
    /* with an id that can be read */
    {"> {'jsonrpc':'2.0','id':1}", "! 1 -32600 Invalid Request: \\'method\\' must be a string"},
    {"> {'jsonrpc':'2.0','id':1,'method':null}",
     "! 1 -32600 Invalid Request: \\'method\\' must be a string"},
    {"> {'jsonrpc':'2.0','id':1,'method':5}",
     "! 1 -32600 Invalid Request: \\'method\\' must be a string"},
    {"> {'jsonrpc':'1.0','id':1,'method':'ping'}",
     "! 1 -32600 Invalid Request: \\'jsonrpc\\' must be \\'2.0\\'"},
    {"> {'id':1,'method':'ping'}", "! 1 -32600 Invalid Request: \\'jsonrpc\\' must be \\'2.0\\'"},
    {"> {'jsonrpc':2.0,'id':'x','method':'ping'}",
     "! 'x' -32600 Invalid Request: \\'jsonrpc\\' must be \\'2.0\\'"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping','params':[]}",
     "! 1 -32600 Invalid Request: \\'params\\' must be an object"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping','params':null}",
     "! 1 -32600 Invalid Request: \\'params\\' must be an object"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping','params':'x'}",
     "! 1 -32600 Invalid Request: \\'params\\' must be an object"},
    {"> {'jsonrpc':'2.0','id':1,'method':''}", "! 1 -32601 Method not found"},
    {"> {'jsonrpc':'2.0','id':1,'method':'Ping'}", "! 1 -32601 Method not found"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping\\u0000x'}", "! 1 -32601 Method not found"},
    {"> {'jsonrpc':'2.0','id':1,'method':'tools/call\\u0000','params':{'name':'hello'}}",
     "! 1 -32601 Method not found"},
    /* more than a message has is no harm */
    {"> {'jsonrpc':'2.0','id':1,'method':'ping','extra':{'a':[1]}}", "= 1 {}"},
    {"> \t{ 'method' : 'ping' , 'id' : 1 , 'jsonrpc' : '2.0' } ", "= 1 {}"},
    /* twice the same member: which one is meant? */
    {"> {'jsonrpc':'2.0','id':1,'method':'ping','id':2}",
     "! - -32600 Invalid Request: a member occurs more than once"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping','method':'tools/list'}",
     "! 1 -32600 Invalid Request: a member occurs more than once"},
    {"> {'jsonrpc':'2.0','method':'ping','method':'ping'}", NULL},
    {"> {'jsonrpc':'2.0','id':1,'id':1,'result':{}}", NULL},
    {"> {'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'hello','name':'goodbye'}}",
     "! 1 -32600 Invalid Request: a member occurs more than once"},
    {"> {'jsonrpc':'2.0','id':1,'method':'ping','params':{'_meta':{'progressToken':1,"
     "'progressToken':2}}}",
     "! 1 -32600 Invalid Request: a member occurs more than once"},
    /* answers to nothing, right or wrong, are not answered */
    {"> {'jsonrpc':'2.0','id':1,'result':{}}", NULL},
    {"> {'jsonrpc':'2.0','id':1,'error':{'code':1,'message':''}}", NULL},
    {"> {'jsonrpc':'2.0','id':1,'result':{},'error':{}}", NULL},
    {"> {'jsonrpc':'2.0','result':{}}", NULL},
    {"> {'jsonrpc':'2.0','id':null,'error':{'code':-32700,'message':''}}", NULL},
    {"> {'jsonrpc':'2.0','error':{'code':-32700,'message':''}}", NULL},
    {"> {'id':1,'result':{}}", NULL},
    {"> {'jsonrpc':'2.0','id':'x','result':null}", NULL},
    /* notifications, known or not, right or wrong */
    {"N notifications/initialized", NULL},
    {"N notifications/cancelled", NULL},
    {"N notifications/cancelled {'requestId':99}", NULL},
    {"N notifications/cancelled {'requestId':null}", NULL},
    {"N notifications/cancelled {'requestId':{}}", NULL},
    {"N notifications/progress {}", NULL},
    {"N notifications/roots/list_changed", NULL},
    {"N no/such", NULL},
    {"N tools/call {'name':'hello'}", NULL},
    {"N ping", NULL},
    {"> {'jsonrpc':'2.0','method':'x','params':[]}", NULL},
    {"> {'jsonrpc':'2.0','method':5}", NULL},
    {"> {'method':'ping'}", NULL},
};

static void check(haft_server *server, const struct row *row, const char *revision)
{
    struct wire *wire = wire_open(server);
    /* Before 2025-11-25 there are no errors without an id. */
    bool silent = !row->answer || (row->answer[2] == '-' && row->answer[3] == ' ' && revision &&
                                   strcmp(revision, "2025-11-25") < 0);

    if (revision)
        wire_greet(wire, revision);
    if (silent)
        dialogue(wire, LINES(row->frame, "R 2 ping", "= 2 {}"));
    else
        dialogue(wire, LINES(row->frame, row->answer, "R 2 ping", "= 2 {}"));
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
}

static void frames(void **state)
{
    static const char *const revisions[] = {NULL, "2024-11-05", "2025-03-26", "2025-06-18",
                                            "2025-11-25"};
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t k = 0; k < COUNT_OF(revisions); k++)
            check(server, &rows[i], revisions[k]);
    haft_server_free(server);
}

/* ---- sizes ---- */

static void feed_nested(struct wire *wire, const char *before, size_t depth, const char *after)
{
    size_t n_before = strlen(before), n_after = strlen(after);
    char *text = malloc(n_before + depth * 2 + n_after);

    assert_non_null(text);
    memcpy(text, before, n_before);
    memset(text + n_before, '[', depth);
    memset(text + n_before + depth, ']', depth);
    memcpy(text + n_before + depth * 2, after, n_after);
    assert_int_equal(
        haft_session_receive(wire->session, text, n_before + depth * 2 + n_after, NULL, wire->now),
        0);
    free(text);
}

static void deep(void **state)
{
    static const size_t depths[] = {63, 64, 510, 511, 512, 513, 100000};
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(depths); i++) {
        struct wire *wire = wire_open(server);

        feed_nested(wire, "", depths[i], "");
        dialogue(wire, LINES("! - -32600 *"));
        feed_nested(wire, "{\"jsonrpc\":\"2.0\",\"id\":", depths[i], ",\"method\":\"ping\"}");
        dialogue(wire, LINES(NO_ID));
        feed_nested(wire, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":",
                    depths[i], "}}");
        assert_non_null(wire_next(wire));
        feed_nested(wire,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
                    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"a\":",
                    depths[i], "}}}");
        assert_non_null(wire_next(wire));
        feed_nested(wire,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                    "\"name\":\"hello\",\"arguments\":{\"a\":",
                    depths[i], "}}}");
        /* The arguments may be as deep as the server says, and they are one level themselves. */
        dialogue(wire, LINES(depths[i] < 64 ? "= 1 {'content':*"
                                            : "! 1 -32600 Invalid Request: nested too deeply",
                             "R 2 ping", "= 2 {}"));
        wire_close(wire);
    }
    haft_server_free(server);
}

/* An array that nobody could walk is refused as a whole, by the ids of its requests. */
static void deep_array(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    (void)state;
    wire_greet(wire, "2025-03-26");
    feed_nested(wire, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},", 600, "]");
    dialogue(wire, LINES("! 1 -32600 Invalid Request: nested too deeply"));
    feed_nested(wire, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},", 500, "]");
    dialogue(wire, LINES("< [{'jsonrpc':'2.0','id':1,'result':{}}]"));
    wire_close(wire);
    haft_server_free(server);
}

static void too_long(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    (void)state;
    haft_session_too_long(wire->session, 5 << 20, NULL);
    dialogue(wire,
             LINES("! - -32600 Invalid Request: the message is too long", "R 2 ping", "= 2 {}"));
    wire_close(wire);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),
        cmocka_unit_test(deep),
        cmocka_unit_test(deep_array),
        cmocka_unit_test(too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
