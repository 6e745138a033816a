/* test_calls.c - the life of a call: progress, messages, cancelling, deadlines, answers that come
 * late. */
#include <math.h>
#include <string.h>

#include <yyjson.h>

#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

static haft_call *held;
static int how_it_ended;

static int hold(haft_call *call)
{
    held = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold, "Answers later");

static int hold_short(haft_call *call)
{
    held = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold_short, "Answers later, or not", .timeout_ms = 1500);

static int at_once(haft_call *call)
{
    haft_text(call, "at once");
    haft_finish(call, 0);
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(at_once, "Finishes before it returns");

HAFT_STRUCT(sum, HAFT_INTEGER(sum, "All together", .max = 10));

static sum *late_sum;

static int late(haft_call *call, sum *out)
{
    held = call;
    late_sum = out;
    return HAFT_PENDING;
}
HAFT_TOOL_OUT(late, sum, "Gives a struct later");

static int report(haft_call *call)
{
    static const double steps[] = {0, 1, 1, 0.5, 2.5, NAN, INFINITY, 2.5, 100};

    for (size_t i = 0; i < COUNT_OF(steps); i++)
        haft_progress(call, steps[i], i % 2 ? 100 : 0, i == 1 ? "step %s" : NULL, "\"one\"");
    haft_progress(call, 101, INFINITY, "\xff");
    return haft_text(call, "done");
}
HAFT_TOOL_BARE(report, "Reports");

static int tell(haft_call *call)
{
    for (int level = HAFT_DEBUG; level <= HAFT_EMERGENCY; level++)
        haft_message(call, (haft_level)level, level % 2 ? "l" : NULL, "level %d", level);
    return haft_text(call, "told");
}
HAFT_TOOL_BARE(tell, "Tells everything");

static haft_server *serve(void)
{
    static const haft_tool *const tools[] = {&hold_tool, &hold_short_tool, &at_once_tool,
                                             &late_tool, &report_tool,     &tell_tool};
    haft_server *server = haft_server_new("test", "1");

    assert_non_null(server);
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, tools[i]), 0);
    held = NULL;
    how_it_ended = 0;
    return server;
}

/* What the test does to the call that is held. */
static void act(void *context, const char *word)
{
    (void)context;
    if (!strcmp(word, "finish")) {
        haft_text(held, "done");
        haft_finish(held, 0);
        held = NULL;
    } else if (!strcmp(word, "fail")) {
        haft_finish(held, HAFT_EINVAL);
    } else if (!strcmp(word, "sum")) {
        late_sum->sum = 7;
        haft_finish(held, 0);
    } else if (!strcmp(word, "too much")) {
        late_sum->sum = 11;
        haft_finish(held, 0);
    } else if (!strcmp(word, "report")) {
        haft_progress(held, 1, 2, NULL);
        haft_message(held, HAFT_ERROR, NULL, "still here");
    } else if (!strcmp(word, "is cancelled")) {
        assert_true(haft_call_cancelled(held));
    } else if (!strcmp(word, "is wanted")) {
        assert_false(haft_call_cancelled(held));
    } else if (!strcmp(word, "has 30 s")) {
        assert_int_equal(haft_call_time_left(held), 30000);
    } else if (!strcmp(word, "has 1 s")) {
        assert_int_equal(haft_call_time_left(held), 1000);
    } else {
        fail_msg("what is \"%s\"?", word);
    }
}

static void converse(const char *const lines[])
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    dialogue_with(wire, lines, act, NULL);
    wire_close(wire);
    haft_server_free(server);
}

#define SAID(text) "{'content':[{'type':'text','text':'" text "'}]}"
#define SAID_MODERN(text) "{'content':[{'type':'text','text':'" text "'}],$T}"
#define FAILED(text) "{'content':[{'type':'text','text':'" text "'}],'isError':true}"
#define FAILED_MODERN(text) "{'content':[{'type':'text','text':'" text "'}],'isError':true,$T}"

/* ---- later ---- */

static void later(void **state)
{
    (void)state;
    converse(LINES(
        "R 1 tools/call {'name':'hold'}", "@ finish", "= 1 " SAID("done"),
        "R 2 tools/call {'name':'hold'}", "@ fail", "= 2 " FAILED("The tool failed."),
        "R 3 tools/call {'name':'at_once'}", "= 3 " SAID("at once"),
        "R 4 tools/call {'name':'late'}", "@ sum",
        "= 4 {'content':[{'type':'text','text':'{\\'sum\\':7}'}],'structuredContent':"
        "{'sum':7}}",
        "M 5 tools/call 'name':'late'", "@ too much",
        "= 5 " FAILED_MODERN("The tool returned a result that does not match its output schema.")));
}

/* ---- progress ---- */

#define STEP(rest) "~ notifications/progress {'progressToken':'t','progress':" rest "}"

/* Only with a token, only forwards, only what is a number. */
static void progress(void **state)
{
    (void)state;
    converse(
        LINES("R 1 tools/call {'name':'report'}", "= 1 " SAID("done"),
              "R 2 tools/call {'name':'report','_meta':{'progressToken':'t'}}", STEP("0"),
              STEP("1,'total':100,'message':'step \\'one\\''"), STEP("2.5"), STEP("100"),
              STEP("101,'message':''"), "= 2 " SAID("done"),
              "R 3 tools/call {'name':'report','_meta':{'progressToken':{}}}", "= 3 " SAID("done"),
              "R 4 tools/call {'name':'report','_meta':{'progressToken':1.5}}", "= 4 " SAID("done"),
              "R 5 tools/call {'name':'report','_meta':[]}", "= 5 " SAID("done")));
    /* a number stays one, and the oldest revision has no text */
    converse(LINES(GREETING("2024-11-05", "{}"),
                   "R 1 tools/call {'name':'report','_meta':{'progressToken':0}}",
                   "~ notifications/progress {'progressToken':0,'progress':0}",
                   "~ notifications/progress {'progressToken':0,'progress':1,'total':100}",
                   "~ notifications/progress {'progressToken':0,'progress':2.5}",
                   "~ notifications/progress {'progressToken':0,'progress':100}",
                   "~ notifications/progress {'progressToken':0,'progress':101}",
                   "= 1 " SAID("done")));
}

/* None before it is asked for, none after the answer. */
static void progress_in_time(void **state)
{
    (void)state;
    converse(LINES("R 1 tools/call {'name':'hold','_meta':{'progressToken':7}}", "@ report",
                   "~ notifications/progress {'progressToken':7,'progress':1,'total':2}",
                   "~ notifications/message {'level':'error','data':'still here'}", "+ 30000",
                   "= 1 " FAILED("timed out after 30 s"), "@ report", "@ finish"));
    converse(LINES("R 1 tools/call {'name':'hold','_meta':{'progressToken':7}}",
                   "N notifications/cancelled {'requestId':1}", "@ report", "@ finish"));
}

/* ---- messages ---- */

#define TOLD(level, data) "~ notifications/message {'level':'" level "','data':'level " data "'}"
#define TOLD_BY(level, data)                                                                       \
    "~ notifications/message {'level':'" level "','logger':'l','data':'level " data "'}"

static void messages(void **state)
{
    (void)state;
    converse(LINES(
        "R 1 tools/call {'name':'tell'}", TOLD("debug", "0"), TOLD_BY("info", "1"),
        TOLD("notice", "2"), TOLD_BY("warning", "3"), TOLD("error", "4"), TOLD_BY("critical", "5"),
        TOLD("alert", "6"), TOLD_BY("emergency", "7"), "= 1 " SAID("told"),
        "R 2 logging/setLevel {'level':'critical'}", "= 2 {}", "R 3 tools/call {'name':'tell'}",
        TOLD_BY("critical", "5"), TOLD("alert", "6"), TOLD_BY("emergency", "7"),
        "= 3 " SAID("told"), "R 4 logging/setLevel {'level':'loud'}",
        "! 4 -32602 Invalid params: \\'level\\' must be a log level", "R 5 logging/setLevel",
        "! 5 -32602 Invalid params: \\'level\\' must be a log level",
        "R 6 logging/setLevel {'level':6}",
        "! 6 -32602 Invalid params: \\'level\\' must be a log level",
        /* a new introduction starts anew */
        GREETING("2025-11-25", "{}"), "R 7 logging/setLevel {'level':'emergency'}", "= 7 {}",
        "R 8 tools/call {'name':'tell'}", TOLD_BY("emergency", "7"), "= 8 " SAID("told")));
}

/* A modern client says with each request what it wants to hear: nothing unless it does. */
static void modern_messages(void **state)
{
    (void)state;
    converse(
        LINES("R 1 logging/setLevel {'level':'debug'}", "= 1 {}", "M 2 tools/call 'name':'tell'",
              "= 2 " SAID_MODERN("told"),
              "> {'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'tell','_meta':{"
              "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
              "'io.modelcontextprotocol/clientCapabilities':{},"
              "'io.modelcontextprotocol/logLevel':'alert'}}}",
              TOLD("alert", "6"), TOLD_BY("emergency", "7"), "= 3 " SAID_MODERN("told"),
              "M 4 tools/call 'name':'tell'", "= 4 " SAID_MODERN("told"),
              "M 5 logging/setLevel 'level':'debug'", "! 5 -32601 Method not found",
              "> {'jsonrpc':'2.0','id':6,'method':'tools/call','params':{'name':'tell','_meta':{"
              "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
              "'io.modelcontextprotocol/clientCapabilities':{},"
              "'io.modelcontextprotocol/logLevel':'loud'}}}",
              "< {'jsonrpc':'2.0','id':6,'error':{'code':-32602,'message':'*logLevel*is malformed',"
              "'data':{'envelope':{'malformed':['io.modelcontextprotocol/logLevel']}}}}"));
}

/* ---- cancelling ---- */

static void checks_cancel(void **state)
{
    static const struct {
        const char *call, *cancel;
        bool hits;
    } rows[] = {
        {"R 1 tools/call {'name':'hold'}", "N notifications/cancelled {'requestId':1}", true},
        {"M 1 tools/call 'name':'hold'",
         "N notifications/cancelled {'requestId':1,'reason':'bored'}", true},
        {"R 'a' tools/call {'name':'hold'}", "N notifications/cancelled {'requestId':'a'}", true},
        {"R 1 tools/call {'name':'hold'}", "N notifications/cancelled {'requestId':'1'}", false},
        {"R '1' tools/call {'name':'hold'}", "N notifications/cancelled {'requestId':1}", false},
        {"R 1 tools/call {'name':'hold'}", "N notifications/cancelled {'requestId':2}", false},
        {"R 1 tools/call {'name':'hold'}", "N notifications/cancelled {'requestId':1.5}", false},
        {"R 1 tools/call {'name':'hold'}", "N notifications/cancelled {'id':1}", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = serve();
        struct wire *wire = wire_open(server);

        if (rows[i].hits) {
            /* Never answered: not at its end, not at its deadline.  Its id is free. */
            dialogue_with(wire,
                          LINES(rows[i].call, "@ is wanted", rows[i].cancel, "@ is cancelled",
                                rows[i].cancel, "+ 40000", "R 1 ping", "= 1 {}", "@ finish"),
                          act, NULL);
        } else {
            dialogue_with(wire,
                          LINES(rows[i].call, rows[i].cancel, "@ is wanted", "@ finish", "= * *"),
                          act, NULL);
        }
        assert_int_equal(haft_session_in_flight(wire->session), 0);
        wire_close(wire);
        haft_server_free(server);
    }
}

/* A tag is what one connection brought: when it goes, so does what came with it. */
static void cancel_tag(void **state)
{
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"hold\"}}";
    haft_server *server = serve();
    struct wire *wire = wire_open(server);
    int mine, other;

    (void)state;
    assert_int_equal(haft_session_receive(wire->session, text, strlen(text), &mine, wire->now), 0);
    haft_session_cancel(wire->session, &other);
    assert_false(haft_call_cancelled(held));
    haft_session_cancel(wire->session, &mine);
    assert_true(haft_call_cancelled(held));
    dialogue_with(wire, LINES("+ 40000", "@ finish"), act, NULL);
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- deadlines ---- */

static void deadline(void **state)
{
    (void)state;
    converse(LINES("R 1 tools/call {'name':'hold'}", "@ has 30 s", "+ 29000", "@ has 1 s", "+ 999",
                   "@ is wanted", "+ 1", "= 1 " FAILED("timed out after 30 s"), "@ is cancelled",
                   "+ 1", "N notifications/cancelled {'requestId':1}", "@ finish"));
    converse(LINES("M 1 tools/call 'name':'hold_short'", "+ 1499", "+ 1",
                   "= 1 " FAILED_MODERN("timed out after 1500 ms"), "R 1 ping", "= 1 {}",
                   "@ fail"));
    converse(LINES("R 1 tools/call {'name':'hold'}", "+ 29999", "@ finish", "= 1 " SAID("done"),
                   "+ 30000"));
}

static void tick(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);
    haft_call *first;

    (void)state;
    assert_int_equal(haft_session_tick(wire->session, 1000), -1);
    dialogue_with(wire, LINES("R 1 tools/call {'name':'hold_short'}"), act, NULL);
    first = held;
    assert_int_equal(haft_session_tick(wire->session, 1100), 2500);
    dialogue_with(wire, LINES("R 2 tools/call {'name':'hold'}"), act, NULL);
    assert_int_equal(haft_session_tick(wire->session, 1200), 2500);
    assert_int_equal(haft_session_tick(wire->session, 2500), 31000);
    dialogue_with(wire, LINES("= 1 " FAILED("timed out after 1500 ms")), act, NULL);
    dialogue_with(wire, LINES("@ finish", "= 2 " SAID("done")), act, NULL);
    assert_int_equal(haft_session_tick(wire->session, 2600), -1);
    haft_finish(first, 0);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- other threads, as far as they can be seen from here ---- */

static haft_call *sent_away;
static haft_posted *post[8];
static size_t n_posted;

static int run_elsewhere(void *context, haft_call *call)
{
    (void)context;
    if (sent_away)
        return HAFT_EBUSY;
    sent_away = call;
    return 0;
}

static void post_here(void *context, haft_posted *posted)
{
    (void)context;
    post[n_posted++] = posted;
}

static void elsewhere(void *context, const char *word)
{
    struct wire *wire = context;

    if (!strcmp(word, "run")) {
        haft_call_run(sent_away);
    } else if (!strcmp(word, "done")) {
        haft_call *call = sent_away;

        sent_away = NULL;
        haft_call_done(call);
    } else if (!strcmp(word, "deliver")) {
        for (size_t i = 0; i < n_posted; i++)
            haft_session_deliver(wire->session, post[i]);
        n_posted = 0;
    } else {
        act(NULL, word);
    }
}

static void checks_elsewhere(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open_with(
        server, (haft_session_options)HAFT_INIT(
                    haft_session_options,
                    .loop = HAFT_WITH(haft_loop, .run = run_elsewhere, .post = post_here)));

    (void)state;
    sent_away = NULL;
    n_posted = 0;
    dialogue_with(
        wire,
        LINES("R 1 tools/call {'name':'tell'}", "R 2 tools/call {'name':'tell'}",
              "= 2 " FAILED("The server is busy. Try again later."), "@ run", "@ deliver",
              TOLD("debug", "0"), TOLD_BY("info", "1"), TOLD("notice", "2"),
              TOLD_BY("warning", "3"), TOLD("error", "4"), TOLD_BY("critical", "5"),
              TOLD("alert", "6"), TOLD_BY("emergency", "7"), "@ done", "= 1 " SAID("told"),
              /* finished before the thread has come back, and after */
              "R 3 tools/call {'name':'at_once'}", "@ run", "@ deliver", "@ done",
              "= 3 " SAID("at once"), "R 4 tools/call {'name':'at_once'}", "@ run", "@ done",
              "@ deliver", "= 4 " SAID("at once"),
              /* cancelled, or too late, while it is away */
              "R 5 tools/call {'name':'tell'}", "N notifications/cancelled {'requestId':5}",
              "@ run", "@ done", "R 6 tools/call {'name':'hold'}", "@ run", "@ done", "@ report",
              "+ 30000", "= 6 " FAILED("timed out after 30 s"), "@ deliver", "@ finish",
              "@ deliver"),
        elsewhere, wire);
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
    haft_server_free(server);
}

/* The session is freed while a handler is at work: it lives on in silence until that is done. */
static void count_gone(void *context)
{
    (void)context;
    how_it_ended++;
}

static void drop(void *context, const haft_outgoing *message)
{
    (void)context;
    (void)message;
    fail();
}

static void freed_while_away(void **state)
{
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"at_once\"}}";
    haft_server *server = serve();
    haft_session *session = haft_session_new(
        server, HAFT_WITH(haft_session_options,
                          .transport = HAFT_WITH(haft_transport, .send = drop, .close = count_gone),
                          .loop = HAFT_WITH(haft_loop, .run = run_elsewhere, .post = post_here)));

    (void)state;
    sent_away = NULL;
    n_posted = 0;
    assert_int_equal(haft_session_receive(session, text, strlen(text), NULL, 1000), 0);
    haft_session_free(session);
    assert_int_equal(how_it_ended, 0);
    haft_call_run(sent_away);
    assert_int_equal(n_posted, 1);
    haft_call_done(sent_away);
    assert_int_equal(how_it_ended, 0);
    haft_session_deliver(session, post[0]);
    assert_int_equal(how_it_ended, 1);
    haft_server_free(server);
}

/* ---- methods of the program's own ---- */

static const char *own_result;

static int thing(haft_call *call, haft_value *params, void *data)
{
    haft_value *what = yyjson_obj_get(params, "what");

    assert_string_equal(data, "data");
    if (yyjson_equals_str(what, "json"))
        return haft_json(call, "{ \"a\": [1, 2] }", 15);
    if (yyjson_equals_str(what, "empty"))
        return haft_json(call, "{}", 2);
    if (yyjson_equals_str(what, "array"))
        return haft_json(call, "[1, 2]", 6);
    if (yyjson_equals_str(what, "own")) {
        int status = haft_result_meta(call, "a", "1");

        return status ? status : haft_json(call, own_result, strlen(own_result));
    }
    if (yyjson_equals_str(what, "error"))
        return haft_error(call, "hidden");
    if (yyjson_equals_str(what, "code"))
        return HAFT_EINVAL;
    if (yyjson_equals_str(what, "hold")) {
        held = call;
        return HAFT_PENDING;
    }
    how_it_ended++;
    return 0;
}

static int give_up(haft_call *call)
{
    (void)call;
    return -1;
}
HAFT_TOOL_BARE(give_up, "Fails");

/* What C programs return for a failure is one, of no particular kind. */
static void minus_one_is_a_failure(void **state)
{
    haft_server *server = serve();

    (void)state;
    assert_int_equal(haft_add(server, &give_up_tool), 0);
    dialogue_alone(server,
                   LINES("R 1 tools/call {'name':'give_up'}", "= 1 " FAILED("The tool failed.")));
    assert_string_equal(haft_strerror(-1), "failed");
    haft_server_free(server);
}

/* What the server answers itself would never get to the program. */
static void refuses_methods_of_the_protocol(void **state)
{
    static const char *const taken[] = {"tools/call", "logging/setLevel", "server/discover",
                                        "notifications/cancelled"};
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(taken); i++) {
        assert_int_equal(haft_on(server, taken[i], thing, NULL), HAFT_EINVAL);
        assert_string_equal(haft_server_error(server)->path, taken[i]);
        assert_string_equal(haft_server_error(server)->text,
                            "haft handles this protocol method itself");
    }
    assert_int_equal(haft_on(server, "notifications/initialized", thing, NULL), 0);
    assert_int_equal(haft_on(server, "tools/called", thing, NULL), 0);
    haft_server_free(server);
}

static void own_methods(void **state)
{
    static char data[] = "data";
    haft_server *server = serve();
    struct wire *wire;

    (void)state;
    assert_int_equal(haft_on(server, "acme/thing", thing, data), 0);
    assert_int_equal(haft_on(server, "thing", thing, data), HAFT_EINVAL);
    assert_int_equal(haft_on(server, "acme/none", NULL, data), HAFT_EINVAL);
    wire = wire_open(server);
    dialogue_with(
        wire,
        LINES("R 1 acme/thing {'what':'json'}", "= 1 {'a':[1,2]}", "M 2 acme/thing 'what':'json'",
              "= 2 {'a':[1,2],$T}", "R 3 acme/thing {'what':'empty'}", "= 3 {}", "R 4 acme/thing",
              "= 4 {}", "R 5 acme/thing {'what':'array'}", "! 5 -32603 Internal error",
              "M 6 acme/thing 'what':'array'", "! 6 -32603 Internal error",
              "R 7 acme/thing {'what':'error'}", "! 7 -32603 Internal error",
              "R 8 acme/thing {'what':'code'}", "! 8 -32603 Internal error", "R 9 acme/other",
              "! 9 -32601 Method not found", "R 10 acme/thing {'what':'hold'}", "+ 30000",
              "! 10 -32603 Internal error: timed out", "@ finish",
              /* notifications: never answered, whatever the handler does */
              "N acme/thing {'what':'json'}", "N acme/thing {'what':'code'}", "N acme/thing",
              "N acme/thing {'what':'hold'}", "+ 60000", "@ finish"),
        act, NULL);
    assert_int_equal(how_it_ended, 2);
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
    haft_server_free(server);
}

/* A result may bring what the protocol adds to it; nothing is there twice. */
static void own_results(void **state)
{
#define INFO "'io.modelcontextprotocol/serverInfo':{'name':'test','version':'1'}"
    static char data[] = "data";
    static const struct {
        const char *result, *legacy, *modern;
    } rows[] = {
        {"{}", "= 1 {'_meta':{'a':1}}", "= 2 {'resultType':'complete','_meta':{" INFO ",'a':1}}"},
        {"{\"x\":1,\"_meta\":{\"b\":2},\"y\":2}", "= 1 {'x':1,'y':2,'_meta':{'a':1,'b':2}}",
         "= 2 {'x':1,'y':2,'resultType':'complete','_meta':{" INFO ",'a':1,'b':2}}"},
        {"{\"_meta\":{\"a\":2,\"io.modelcontextprotocol/serverInfo\":5}}", "= 1 {'_meta':{'a':1}}",
         "= 2 {'resultType':'complete','_meta':{" INFO ",'a':1}}"},
        {"{\"resultType\":\"acme/late\",\"x\":1}", "= 1 {'x':1,'_meta':{'a':1}}",
         "= 2 {'x':1,'resultType':'acme/late','_meta':{" INFO ",'a':1}}"},
        {"{\"resultType\":7}", "= 1 {'_meta':{'a':1}}",
         "= 2 {'resultType':'complete','_meta':{" INFO ",'a':1}}"},
        {"{\"_meta\":[]}", "! 1 -32603 Internal error", "! 2 -32603 Internal error"},
    };
    haft_server *server = serve();

    (void)state;
    assert_int_equal(haft_on(server, "acme/thing", thing, data), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        own_result = rows[i].result;
        dialogue_alone(server, LINES("R 1 acme/thing {'what':'own'}", rows[i].legacy,
                                     "M 2 acme/thing 'what':'own'", rows[i].modern));
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later),
        cmocka_unit_test(progress),
        cmocka_unit_test(progress_in_time),
        cmocka_unit_test(messages),
        cmocka_unit_test(modern_messages),
        cmocka_unit_test(checks_cancel),
        cmocka_unit_test(cancel_tag),
        cmocka_unit_test(deadline),
        cmocka_unit_test(tick),
        cmocka_unit_test(checks_elsewhere),
        cmocka_unit_test(freed_while_away),
        cmocka_unit_test(minus_one_is_a_failure),
        cmocka_unit_test(refuses_methods_of_the_protocol),
        cmocka_unit_test(own_methods),
        cmocka_unit_test(own_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
