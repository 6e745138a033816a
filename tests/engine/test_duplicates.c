/* test_duplicates.c - a message in which an object has a member twice can be read in two ways: it
 * is refused, wherever in the message that object is and however the message is read. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/offer/server.h"
#include "support/dialogue.h"
#include "support/failing.h"
#include "support/test.h"

/* ---- what is served ---- */

static unsigned n_ran;

static int any(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    n_ran++;
    return haft_text(call, "ran");
}

HAFT_STRUCT(point, HAFT_INTEGER(x, "Across"));
HAFT_STRUCT(shape, HAFT_ARRAY(points, HAFT_OBJECT(point, point, "A point"), "Its points"));

static int draw(haft_call *call, const shape *in)
{
    n_ran++;
    return haft_text(call, "%zu", in->n_points);
}
HAFT_TOOL_IN(draw, shape, "Draws", .quick = true);

static int ask(haft_call *call)
{
    haft_value *content;
    int answer = haft_elicit_json(call, "sure", "Sure?", "{\"type\":\"object\",\"properties\":{}}",
                                  &content);

    return answer < HAFT_DECLINED ? answer
                                  : haft_text(call, answer == HAFT_ACCEPTED ? "yes" : "no");
}
HAFT_TOOL_BARE(ask, "Asks", .quick = true);

static unsigned n_noted;

static int note(haft_call *call, haft_value *params, void *data)
{
    (void)call;
    (void)params;
    (void)data;
    n_noted++;
    return 0;
}

static haft_server *serve(const haft_allocator *allocator)
{
    static const unsigned char key[32] = "key";
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .seal_key = key, .allocator = allocator));
    haft_tool_builder *builder = haft_tool_new("any");

    assert_non_null(server);
    haft_tool_handler(builder, any, NULL);
    haft_tool_quick(builder);
    assert_int_equal(haft_tool_build(builder, server), 0);
    assert_int_equal(haft_add(server, &draw_tool), 0);
    assert_int_equal(haft_add(server, &ask_tool), 0);
    assert_int_equal(haft_on(server, "acme/note", note, NULL), 0);
    return server;
}

/* ---- requests ---- */

#define TWICE "! 1 -32600 Invalid Request: a member occurs more than once"
#define ENVELOPE                                                                                   \
    "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"                                      \
    "'io.modelcontextprotocol/clientCapabilities':"
#define CALL(name, rest) "R 1 tools/call {'name':'" name "'," rest "}"

static const char *const requests[] = {
    /* beside the members that there are */
    "> {'jsonrpc':'2.0','id':1,'method':'ping','x':1,'x':2}",
    "> {'jsonrpc':'2.0','id':1,'method':'ping','x':{'y':1,'y':2}}",
    "> {'jsonrpc':'2.0','id':1,'method':'ping','params':{'_meta':{'a':{'b':[{'c':1,'c':1}]}}}}",
    /* who the client is, and what it can */
    "R 1 initialize {'protocolVersion':'2025-11-25','capabilities':{},"
    "'clientInfo':{'name':'a','name':'b','version':'1'}}",
    "R 1 initialize {'protocolVersion':'2025-11-25','capabilities':{'roots':{},'roots':{}},"
    "'clientInfo':{'name':'a','version':'1'}}",
    "R 1 initialize {'protocolVersion':'2025-11-25','capabilities':{'elicitation':{'url':{},"
    "'url':null}},'clientInfo':{'name':'a','version':'1'}}",
    CALL("any", "'_meta':{" ENVELOPE "{'sampling':{},'sampling':null}}"),
    CALL("any", "'_meta':{" ENVELOPE "{},'io.modelcontextprotocol/clientInfo':"
                "{'name':'a','version':'1','name':'b'}}"),
    /* answers to questions */
    CALL("ask", "'_meta':{" ENVELOPE "{'elicitation':{}}},"
                "'inputResponses':{'sure':{'action':'accept','action':'decline'}}"),
    CALL("ask", "'_meta':{" ENVELOPE "{'elicitation':{}}},"
                "'inputResponses':{'sure':{'action':'decline'},'sure':{'action':'accept'}}"),
    /* arguments, with a schema and without */
    CALL("any", "'arguments':{'a':1,'a':2}"),
    CALL("any", "'arguments':{'a':{'b':[1,{'c':1,'d':2,'c':3}]}}"),
    CALL("any", "'arguments':{'\\u0061':1,'a':2}"),
    CALL("any", "'arguments':{'':1,'':2}"),
    CALL("any", "'arguments':{'a\\u0000b':1,'a\\u0000b':2}"),
    CALL("any", "'arguments':{'a':1,'b':2,'c':3,'d':4,'e':5,'f':6,'g':7,'h':8,'i':9,'j':10,'k':11,"
                "'l':12,'m':13,'n':14,'o':15,'p':16,'q':17,'r':18,'a':19}"),
    CALL("draw", "'arguments':{'points':[{'x':1},{'x':2,'x':3}]}"),
    CALL("draw", "'arguments':{'points':[],'points':[{'x':1}]}"),
    CALL("draw", "'arguments':{'points':[]},'name':'any'"),
    CALL("draw", "'arguments':{'points':[]},'arguments':{'points':[{'x':1}]}"),
    CALL("draw", "'arguments':{'points':[]},'_meta':{'a':{'b':1,'b':2}}"),
    "R 1 prompts/get {'name':'none','arguments':{'a':'1','a':'2'}}",
    "R 1 acme/note {'a':{'b':1,'b':2}}",
};

/* `from` is the size from which arguments are read from text. */
static void check_requests(size_t from)
{
    haft_server *server = serve(NULL);

    server->limits.direct_from = from;
    n_ran = n_noted = 0;
    for (size_t i = 0; i < COUNT_OF(requests); i++)
        dialogue_alone(server, LINES(requests[i], TWICE, "R 2 ping", "= 2 {}"));
    assert_int_equal(n_ran + n_noted, 0);
    haft_server_free(server);
}

static void refuses_requests(void **state)
{
    (void)state;
    check_requests((size_t)-1);
    check_requests(0);
}

/* Keys that look alike are others. */
static void takes_keys_that_differ(void **state)
{
    static const char *const arguments[] = {
        "{'a':1,'A':2}",
        "{'a':{'a':{'a':1}}}",
        "{'a':1,'a ':2,'':3,' ':4}",
        "{'a':1,'a\\u0000':2,'a\\u0000b':3,'a\\u0000c':4}",
        "{'ab':1,'bb':2,'aab':3,'abb':4,'acb':5,'adb':6}",
        "[{'a':1},{'a':1}]",
        "{'a1':1,'a2':1,'a3':1,'a4':1,'a5':1,'a6':1,'a7':1,'a8':1,'a9':1,'b1':1,'b2':1,'b3':1}",
    };
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(arguments); i++) {
        char line[512];

        snprintf(line, sizeof line, "R 1 tools/call {'name':'any','arguments':{'k':%s}}",
                 arguments[i]);
        dialogue_alone(server, LINES(line, "= 1 {'content':[{'type':'text','text':'ran'}]}"));
    }
    haft_server_free(server);
}

static void refuses_members_of_arrays(void **state)
{
    haft_server *server = serve(NULL);

    (void)state;
    n_ran = 0;
    dialogue_alone(
        server,
        LINES(GREETING("2025-03-26", "{}"),
              "> [{'jsonrpc':'2.0','id':1,'method':'ping'},{'jsonrpc':'2.0','id':2,"
              "'method':'tools/call','params':{'name':'any','arguments':{'a':{'b':1,"
              "'b':2}}}}]",
              "< [{'jsonrpc':'2.0','id':1,'result':{}},{'jsonrpc':'2.0','id':2,'error':"
              "{'code':-32600,'message':'Invalid Request: a member occurs more than once'}}]"));
    assert_int_equal(n_ran, 0);
    haft_server_free(server);
}

/* ---- what is not answered ---- */

/* The question is still open, and the next answer is taken. */
static void refuses_answers(void **state)
{
    static const char *const answers[] = {
        "> {'jsonrpc':'2.0','id':1,'result':{'action':'accept','action':'decline'}}",
        "> {'jsonrpc':'2.0','id':1,'result':{'action':'decline','action':'accept'}}",
        "> {'jsonrpc':'2.0','id':1,'result':{'action':'accept','content':{'a':{'b':1,'b':2}}}}",
        "> {'jsonrpc':'2.0','id':1,'result':{'action':'accept'},'x':1,'x':1}",
        "> {'jsonrpc':'2.0','id':1,'error':{'code':1,'code':2,'message':''}}",
    };
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(answers); i++)
        dialogue_alone(server,
                       LINES(GREETING("2025-11-25", "{'elicitation':{}}"),
                             "R 1 tools/call {'name':'ask'}", "? 1 elicitation/create *",
                             answers[i], "R 2 ping", "= 2 {}",
                             "> {'jsonrpc':'2.0','id':1,'result':{'action':'accept','content':{}}}",
                             "= 1 {'content':[{'type':'text','text':'yes'}]}"));
    haft_server_free(server);
}

static void drops_notifications(void **state)
{
    haft_server *server = serve(NULL);

    (void)state;
    n_noted = 0;
    dialogue_alone(server, LINES("N acme/note {'a':{'b':1,'b':2}}",
                                 "> {'jsonrpc':'2.0','method':'acme/note','x':1,'x':2}", "R 2 ping",
                                 "= 2 {}"));
    assert_int_equal(n_noted, 0);
    dialogue_alone(server, LINES("N acme/note {'a':{'b':1,'c':2}}", "R 2 ping", "= 2 {}"));
    assert_int_equal(n_noted, 1);
    haft_server_free(server);
}

/* ---- many keys ---- */

/* A message whose arguments have an object of `n` members; the last has the key of number `last`. */
static char *make_wide(size_t n, size_t last, size_t *ret_size)
{
    static const char before[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                                 "\"params\":{\"name\":\"any\",\"arguments\":{\"k\":{",
                      after[] = "}}}}";
    char *text = malloc(sizeof before + sizeof after + n * 16), *at = text;

    assert_non_null(text);
    memcpy(at, before, sizeof before - 1);
    at += sizeof before - 1;
    for (size_t i = 0; i < n; i++)
        at += snprintf(at, 16, "%s\"%zx\":0", i ? "," : "", i + 1 == n ? last : i);
    memcpy(at, after, sizeof after);
    at += sizeof after - 1;
    *ret_size = (size_t)(at - text);
    return text;
}

/* As many as fit a message: what compared each with each would be at it for minutes. */
static void takes_many_keys_in_little_time(void **state)
{
    enum { MANY = 350000 };
    static const struct {
        size_t n, last;
        const char *answer;
    } rows[] = {
        {MANY, MANY - 1, "= 1 {'content':[{'type':'text','text':'ran'}]}"},
        {MANY, 0, TWICE},
        {MANY, MANY / 2, TWICE},
        {17, 16, "= 1 {'content':[{'type':'text','text':'ran'}]}"},
        {17, 3, TWICE},
        {16, 3, TWICE},
    };
    haft_server *server = serve(NULL);
    clock_t start = clock();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = wire_open(server);
        size_t size;
        char *text = make_wide(rows[i].n, rows[i].last, &size);

        assert_true(size <= 4 << 20);
        assert_int_equal(haft_session_receive(wire->session, text, size, NULL, wire->now), 0);
        dialogue(wire, LINES(rows[i].answer));
        free(text);
        wire_close(wire);
    }
    assert_true(clock() - start < (clock_t)20 * CLOCKS_PER_SEC);
    haft_server_free(server);
}

/* Without memory to look, nothing is taken for granted: the call does not run. */
static void does_not_run_what_it_could_not_check(void **state)
{
    size_t size;
    char *text = make_wide(2000, 0, &size);

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        struct wire *wire;
        bool failed;

        failing_init(&failing, 0);
        server = serve(&failing.allocator);
        wire = wire_open(server);
        n_ran = 0;
        failing.fail_at = failing.calls + nth;
        haft_session_receive(wire->session, text, size, NULL, wire->now);
        failing.fail_at = 0;
        assert_int_equal(n_ran, 0);
        failed = failing.failures;
        wire_close(wire);
        haft_server_free(server);
        failing_check(&failing);
        if (!failed)
            break;
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_requests),
        cmocka_unit_test(takes_keys_that_differ),
        cmocka_unit_test(refuses_members_of_arrays),
        cmocka_unit_test(refuses_answers),
        cmocka_unit_test(drops_notifications),
        cmocka_unit_test(takes_many_keys_in_little_time),
        cmocka_unit_test(does_not_run_what_it_could_not_check),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
