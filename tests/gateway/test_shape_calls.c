/* test_shape_calls.c - results that are used again, and equal calls that run once: when, for whom, how long. */
#include "shaped.h"

#include "support/failing.h"

/* ---- tools ---- */

enum { MOST_HELD = 8 };

static int n_runs;
static haft_call *held[MOST_HELD];
static size_t n_held;

HAFT_STRUCT(find_args, HAFT_DEFAULT(HAFT_STRING(a, "One"), "x"),
            HAFT_OPTIONAL(HAFT_JSON(b, "Another")));

static int find(haft_call *call, const find_args *in)
{
    return haft_text(call, "%s %d", in->a, ++n_runs);
}
HAFT_TOOL_IN(find, find_args, "Finds", .annotations = {.read_only = HAFT_YES});

static int other(haft_call *call, const find_args *in)
{
    return haft_text(call, "other %s %d", in->a, ++n_runs);
}
HAFT_TOOL_IN(other, find_args, "Finds others", .annotations = {.read_only = HAFT_YES});

static int structured(haft_call *call)
{
    static const char json[] = "{\"b\":[1,2,3],\"a\":1.50}";

    n_runs++;
    haft_result_meta(call, "example.com/x", "{\"y\":1}");
    return haft_json(call, json, sizeof json - 1);
}
HAFT_TOOL_BARE(structured, "Returns JSON", .annotations = {.read_only = HAFT_YES});

static int media(haft_call *call)
{
    n_runs++;
    haft_text(call, "one \"quoted\"");
    haft_block_annotate(call, "user", 0.5, NULL);
    return haft_image(call, "image/png", "1234", 4);
}
HAFT_TOOL_BARE(media, "Returns blocks", .annotations = {.read_only = HAFT_YES});

static int fails(haft_call *call)
{
    return haft_error(call, "wrong %d", ++n_runs);
}
HAFT_TOOL_BARE(fails, "Fails", .annotations = {.read_only = HAFT_YES});

static int streams(haft_call *call)
{
    haft_progress(call, 1, 2, NULL);
    return haft_text(call, "%d", ++n_runs);
}
HAFT_TOOL_BARE(streams, "Sends progress", .annotations = {.read_only = HAFT_YES});

HAFT_STRUCT(asks_form, HAFT_STRING(name, "A name"));

static int asks(haft_call *call)
{
    asks_form form;
    int answer = haft_elicit(call, "who", "Who?", &asks_form_type, &form);

    return answer == HAFT_ACCEPTED ? haft_text(call, "%s %d", form.name, ++n_runs) : answer;
}
HAFT_TOOL_BARE(asks, "Asks", .annotations = {.read_only = HAFT_YES});

static int writes(haft_call *call)
{
    return haft_text(call, "%d", ++n_runs);
}
HAFT_TOOL_BARE(writes, "Writes");

HAFT_STRUCT(slow_args, HAFT_OPTIONAL(HAFT_STRING(a, "One")));

static int slow(haft_call *call, const slow_args *in)
{
    (void)in;
    n_runs++;
    assert_true(n_held < MOST_HELD);
    held[n_held++] = call;
    return HAFT_PENDING;
}
HAFT_TOOL_IN(slow, slow_args, "Takes long", .annotations = {.read_only = HAFT_YES},
             .timeout_ms = 1000);

static const haft_tool *const tools[] = {&find_tool,  &other_tool,   &structured_tool, &media_tool,
                                         &fails_tool, &streams_tool, &asks_tool,       &writes_tool,
                                         &slow_tool,  NULL};

#define CACHE(more) "{'tools':'-writes','cache':{'seconds':10" more "}}"
#define CALL(id, tool, arguments)                                                                  \
    "R " id " tools/call {'name':'" tool "','arguments':{" arguments "}}"
#define ANSWER(id, text) "= " id " {'content':[{'type':'text','text':'" text "'}]}"

static struct wire *open_as(haft_server *server, const char *principal)
{
    return wire_open_with(
        server, (haft_session_options)HAFT_INIT(haft_session_options, .principal = principal));
}

/* Ends the i-th of the held calls. */
static void finish(void *context, const char *word)
{
    haft_call *call = held[*word - '0'];

    (void)context;
    if (word[1] == 'e')
        haft_error(call, "wrong");
    else if (!word[1])
        haft_text(call, "done %s", word);
    haft_finish(call, word[1] == 'f' ? HAFT_EFAIL : 0);
}

/* ---- the cache ---- */

static void uses_results_again(void **state)
{
    static const struct {
        const char *rules;
        const char *const lines[12];
    } rows[] = {
        /* equal arguments, whatever their order; 1 and 1.0 */
        {CACHE(""),
         {CALL("1", "find", "'a':'x','b':{'c':1,'d':[2,null]}"), ANSWER("1", "x 1"),
          CALL("2", "find", "'b':{'d':[2,null],'c':1.0},'a':'x'"), ANSWER("2", "x 1"), NULL}},
        /* others */
        {CACHE(""),
         {CALL("1", "find", "'b':[1]"), ANSWER("1", "x 1"), CALL("2", "find", "'b':['1']"),
          ANSWER("2", "x 2"), CALL("3", "find", "'b':[[1]]"), ANSWER("3", "x 3"),
          CALL("4", "find", "'b':[1,1]"), ANSWER("4", "x 4"), CALL("5", "find", "'b':[true]"),
          ANSWER("5", "x 5"), NULL}},
        {CACHE(""),
         {CALL("1", "find", "'b':{'a':'b'}"), ANSWER("1", "x 1"),
          CALL("2", "find", "'b':['a','b']"), ANSWER("2", "x 2"),
          CALL("3", "find", "'b':18446744073709551615"), ANSWER("3", "x 3"),
          CALL("4", "find", "'b':-1"), ANSWER("4", "x 4"), CALL("5", "find", "'b':1.5"),
          ANSWER("5", "x 5"), NULL}},
        /* another tool */
        {CACHE(""),
         {CALL("1", "find", ""), ANSWER("1", "x 1"), CALL("2", "other", ""),
          ANSWER("2", "other x 2"), CALL("3", "find", ""), ANSWER("3", "x 1"), NULL}},
        /* for so long */
        {CACHE(""),
         {CALL("1", "find", ""), ANSWER("1", "x 1"), "+ 9999", CALL("2", "find", ""),
          ANSWER("2", "x 1"), "+ 1", CALL("3", "find", ""), ANSWER("3", "x 2"), NULL}},
        /* so many: the least recently used leaves */
        {CACHE(",'entries':2"),
         {CALL("1", "find", "'a':'1'"), ANSWER("1", "1 1"), CALL("2", "find", "'a':'2'"),
          ANSWER("2", "2 2"), CALL("3", "find", "'a':'1'"), ANSWER("3", "1 1"),
          CALL("4", "find", "'a':'3'"), ANSWER("4", "3 3"), CALL("5", "find", "'a':'2'"),
          ANSWER("5", "2 4"), NULL}},
        /* so large */
        {CACHE(",'bytes':'100B'"),
         {CALL("1", "find", ""), ANSWER("1", "x 1"), CALL("2", "find", ""), ANSWER("2", "x 2"),
          NULL}},
        /* a client's own _meta matters, unless results are shared; that of the protocol does not */
        {CACHE(""),
         {"R 1 tools/call {'name':'find','_meta':{'x.y/t':'A','x.y/u':[1]}}", ANSWER("1", "x 1"),
          "R 2 tools/call {'name':'find','_meta':{'x.y/t':'B','x.y/u':[1]}}", ANSWER("2", "x 2"),
          "R 3 tools/call {'name':'find','_meta':{'x.y/u':[1],'progressToken':5,'x.y/t':'A'}}",
          ANSWER("3", "x 1"), "R 4 tools/call {'name':'find'}", ANSWER("4", "x 3"),
          "R 5 tools/call {'name':'find','_meta':{'progressToken':6,'tracestate':'a=b'}}",
          ANSWER("5", "x 3"), NULL}},
        {CACHE(",'shared':true"),
         {"R 1 tools/call {'name':'find','_meta':{'x.y/t':'A'}}", ANSWER("1", "x 1"),
          "R 2 tools/call {'name':'find','_meta':{'x.y/t':'B'}}", ANSWER("2", "x 1"), NULL}},
        /* errors, questions and streams are not kept */
        {CACHE(""),
         {"R 1 tools/call {'name':'fails'}",
          "= 1 {'content':[{'type':'text','text':'wrong 1'}],'isError':true}",
          "R 2 tools/call {'name':'fails'}",
          "= 2 {'content':[{'type':'text','text':'wrong 2'}],'isError':true}", NULL}},
        {CACHE(""),
         {"R 1 tools/call {'name':'streams','_meta':{'progressToken':1}}",
          "~ notifications/progress {*}", ANSWER("1", "1"), "R 2 tools/call {'name':'streams'}",
          ANSWER("2", "2"), "R 3 tools/call {'name':'streams','_meta':{'progressToken':1}}",
          ANSWER("3", "2"), NULL}},
        {CACHE(""),
         {"R 1 tools/call {'name':'asks'}", "? 1 elicitation/create {*}",
          "> {'jsonrpc':'2.0','id':1,'result':{'action':'accept','content':{'name':'A'}}}",
          ANSWER("1", "A 1"), "R 2 tools/call {'name':'asks'}", "? 2 elicitation/create {*}",
          "> {'jsonrpc':'2.0','id':2,'result':{'action':'accept','content':{'name':'B'}}}",
          ANSWER("2", "B 2"), NULL}},
        /* not in the rule */
        {CACHE(""),
         {"R 1 tools/call {'name':'writes'}", ANSWER("1", "1"), "R 2 tools/call {'name':'writes'}",
          ANSWER("2", "2"), NULL}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = shaped(tools, rows[i].rules);
        struct wire *wire = wire_open(shaped_server(gateway));

        n_runs = 0;
        dialogue(wire, LINES(GREETING("2025-11-25", "{'elicitation':{}}")));
        dialogue(wire, rows[i].lines);
        wire_close(wire);
        haft_gateway_free(gateway);
    }
}

/* What comes again is the same, byte for byte, in each revision. */
static void sends_the_same_bytes(void **state)
{
    static const char *const calls[] = {
        "\"name\":\"structured\"", "\"name\":\"media\"",
        "\"name\":\"find\",\"arguments\":{\"a\":\"\\u0001\xC3\xA4\"}"};
    static const char *const revisions[] = {"2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"};
    haft_gateway *gateway =
        shaped(tools, "{'tools':'-writes','cache':{'seconds':10,'shared':true},'max_items':2}");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        for (size_t k = 0; k < COUNT_OF(revisions); k++) {
            struct wire *wire = wire_open(shaped_server(gateway));
            char first[2048];

            n_runs = 0;
            wire_greet(wire, revisions[k]);
            wire->next_id = 7;
            snprintf(first, sizeof first, "%s", wire_call(wire, "tools/call", calls[i]));
            wire->next_id = 7;
            assert_string_equal(wire_call(wire, "tools/call", calls[i]), first);
            assert_int_equal(n_runs, 1);
            wire_close(wire);
        }
    haft_gateway_free(gateway);
}

/* Callers get their own results, unless the rule says otherwise. */
static void tells_callers_apart(void **state)
{
    static const struct {
        const char *rules;
        const char *const results[4]; /* of ada, bob, ada and nobody */
    } rows[] = {
        {CACHE(""), {"x 1", "x 2", "x 1", "x 3"}},
        {CACHE(",'shared':false"), {"x 1", "x 2", "x 1", "x 3"}},
        {CACHE(",'shared':true"), {"x 1", "x 1", "x 1", "x 1"}},
    };
    static const char *const principals[] = {"ada", "bob", "ada", NULL};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = shaped(tools, rows[i].rules);

        n_runs = 0;
        for (size_t k = 0; k < COUNT_OF(principals); k++) {
            struct wire *wire = open_as(shaped_server(gateway), principals[k]);
            const char *said;

            wire_greet(wire, "2025-11-25");
            said = wire_call(wire, "tools/call", "\"name\":\"find\"");
            if (!strstr(said, rows[i].results[k]))
                fail_msg("row %zu, caller %zu: %s", i, k, said);
            wire_close(wire);
        }
        haft_gateway_free(gateway);
    }
}

/* A tool that is replaced, or a rule that changes, begins without results; a rule that stays keeps them. */
static void forgets_on_reload(void **state)
{
    static const char by_rule[] = CACHE("");
    haft_gateway *gateway = shaped(tools, by_rule);
    haft_server *server = shaped_server(gateway);
    struct wire *wire = wire_open(server);
    haft_reason reason;

    (void)state;
    n_runs = 0;
    dialogue(wire, LINES(GREETING("2025-11-25", "{}"), CALL("1", "find", ""), ANSWER("1", "x 1")));
    assert_int_equal(shape(gateway, "{'tools':'none','max_items':1}," CACHE(""), &reason), 0);
    dialogue(wire, LINES(CALL("2", "find", ""), ANSWER("2", "x 1")));
    assert_int_equal(haft_tool_replace(server, "find", &find_tool), 0);
    dialogue(wire, LINES("+ 1", "~ notifications/tools/list_changed", CALL("3", "find", ""),
                         ANSWER("3", "x 2"), CALL("4", "find", ""), ANSWER("4", "x 2")));
    assert_int_equal(shape(gateway, CACHE(",'entries':7"), &reason), 0);
    dialogue(wire, LINES(CALL("5", "find", ""), ANSWER("5", "x 3"), CALL("6", "find", ""),
                         ANSWER("6", "x 3")));
    assert_int_equal(shape(gateway, "", &reason), 0);
    dialogue(wire, LINES(CALL("7", "find", ""), ANSWER("7", "x 4"), CALL("8", "find", ""),
                         ANSWER("8", "x 5")));
    wire_close(wire);
    haft_gateway_free(gateway);
}

/* ---- equal calls at once ---- */

#define TOGETHER "{'tools':'slow,find','coalesce':true}"
#define SLOW(id) "R " id " tools/call {'name':'slow'}"
#define CANCEL(id) "N notifications/cancelled {'requestId':" id "}"
#define LATE(id)                                                                                   \
    "= " id " {'content':[{'type':'text','text':'timed out after 1 s'}],'isError':true}"
#define WRONG(id) "= " id " {'content':[{'type':'text','text':'wrong'}],'isError':true}"
#define FAILED(id) "= " id " {'content':[{'type':'text','text':'The tool failed.'}],'isError':true}"

static void runs_equal_calls_once(void **state)
{
    static const struct {
        const char *rules;
        int runs;
        const char *const lines[20];
    } rows[] = {
        {TOGETHER,
         1,
         {SLOW("1"), SLOW("2"), SLOW("3"), "@ 0", ANSWER("2", "done 0"), ANSWER("3", "done 0"),
          ANSWER("1", "done 0"), NULL}},
        /* the next one runs again, unless the result is kept */
        {TOGETHER,
         2,
         {SLOW("1"), "@ 0", ANSWER("1", "done 0"), SLOW("2"), "@ 1", ANSWER("2", "done 1"), NULL}},
        {"{'tools':'slow','coalesce':true,'cache':{'seconds':1}}",
         1,
         {SLOW("1"), SLOW("2"), "@ 0", ANSWER("2", "done 0"), ANSWER("1", "done 0"), SLOW("3"),
          ANSWER("3", "done 0"), NULL}},
        /* with a cache only, each runs */
        {"{'tools':'slow','cache':{'seconds':1}}",
         2,
         {SLOW("1"), SLOW("2"), "@ 0", ANSWER("1", "done 0"), "@ 1", ANSWER("2", "done 1"),
          SLOW("3"), ANSWER("3", "done 1"), NULL}},
        /* other arguments */
        {TOGETHER,
         2,
         {SLOW("1"), CALL("2", "slow", "'a':'b'"), "@ 0", ANSWER("1", "done 0"), "@ 1",
          ANSWER("2", "done 1"), NULL}},
        /* errors reach all */
        {TOGETHER, 1, {SLOW("1"), SLOW("2"), "@ 0e", WRONG("2"), WRONG("1"), NULL}},
        {TOGETHER, 1, {SLOW("1"), SLOW("2"), "@ 0f", FAILED("2"), FAILED("1"), NULL}},
        /* a leader that is cancelled: at its end the next one leads */
        {TOGETHER,
         2,
         {SLOW("1"), SLOW("2"), SLOW("3"), CANCEL("1"), "@ 0", "@ 1", ANSWER("3", "done 1"),
          ANSWER("2", "done 1"), NULL}},
        /* or a newcomer before that */
        {TOGETHER,
         2,
         {SLOW("1"), SLOW("2"), CANCEL("1"), SLOW("3"), "@ 1", ANSWER("2", "done 1"),
          ANSWER("3", "done 1"), "@ 0", NULL}},
        /* a leader that is late: its followers have time left */
        {TOGETHER,
         2,
         {SLOW("1"), "+ 500", SLOW("2"), SLOW("3"), "+ 501", LATE("1"), "@ 1",
          ANSWER("3", "done 1"), ANSWER("2", "done 1"), "@ 0", NULL}},
        /* followers that are cancelled, or late, do not harm others */
        {TOGETHER,
         1,
         {SLOW("1"), SLOW("2"), SLOW("3"), CANCEL("2"), "@ 0", ANSWER("3", "done 0"),
          ANSWER("1", "done 0"), NULL}},
        {TOGETHER,
         2,
         {SLOW("1"), SLOW("2"), SLOW("3"), CANCEL("2"), CANCEL("1"), "@ 0", "@ 1",
          ANSWER("3", "done 1"), NULL}},
        {TOGETHER, 1, {SLOW("1"), SLOW("2"), CANCEL("2"), CANCEL("1"), "@ 0", NULL}},
        {TOGETHER, 1, {SLOW("1"), SLOW("2"), "+ 1001", LATE("2"), LATE("1"), "@ 0", NULL}},
        /* what a client answers is for it alone */
        {"{'tools':'asks','coalesce':true}",
         2,
         {"R 1 tools/call {'name':'asks'}", "? 1 elicitation/create {*}",
          "R 2 tools/call {'name':'asks'}",
          "> {'jsonrpc':'2.0','id':1,'result':{'action':'accept','content':{'name':'A'}}}",
          "? 2 elicitation/create {*}", ANSWER("1", "A 1"),
          "> {'jsonrpc':'2.0','id':2,'result':{'action':'accept','content':{'name':'B'}}}",
          ANSWER("2", "B 2"), NULL}},
        /* without the rule */
        {"{'tools':'find','coalesce':true}",
         2,
         {SLOW("1"), SLOW("2"), "@ 0", ANSWER("1", "done 0"), "@ 1", ANSWER("2", "done 1"), NULL}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = shaped(tools, rows[i].rules);
        struct wire *wire = wire_open(shaped_server(gateway));

        n_runs = 0;
        n_held = 0;
        dialogue(wire, LINES(GREETING("2025-11-25", "{'elicitation':{}}")));
        dialogue_with(wire, rows[i].lines, finish, NULL);
        assert_int_equal(n_runs, rows[i].runs);
        wire_close(wire);
        haft_gateway_free(gateway);
    }
}

/* Sessions that end while their calls lead or follow. */
static void survives_the_end_of_sessions(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        haft_gateway *gateway = shaped(tools, TOGETHER);
        struct wire *leader = wire_open(shaped_server(gateway)),
                    *follower = wire_open(shaped_server(gateway));

        n_runs = 0;
        n_held = 0;
        wire_greet(leader, "2025-11-25");
        wire_greet(follower, "2025-11-25");
        dialogue(leader, LINES(SLOW("1")));
        dialogue(follower, LINES(SLOW("1")));
        assert_int_equal(n_runs, 1);
        wire_close(first ? leader : follower);
        haft_text(held[0], "done 0");
        haft_finish(held[0], 0);
        if (first) {
            assert_int_equal(n_runs, 2);
            haft_text(held[1], "done 1");
            haft_finish(held[1], 0);
            dialogue(follower, LINES(ANSWER("1", "done 1")));
        } else {
            dialogue(leader, LINES(ANSWER("1", "done 0")));
        }
        wire_close(first ? follower : leader);
        haft_gateway_free(gateway);
    }
}

/* Calls in flight keep the rules that they began with. */
static void keeps_rules_of_calls(void **state)
{
    haft_gateway *gateway = shaped(tools, TOGETHER);
    struct wire *wire = wire_open(shaped_server(gateway));
    haft_reason reason;

    (void)state;
    n_runs = 0;
    n_held = 0;
    dialogue(wire, LINES(GREETING("2025-11-25", "{}"), SLOW("1"), SLOW("2")));
    assert_int_equal(shape(gateway, "", &reason), 0);
    dialogue_with(wire,
                  LINES(SLOW("3"), "@ 0", ANSWER("2", "done 0"), ANSWER("1", "done 0"), "@ 1",
                        ANSWER("3", "done 1")),
                  finish, NULL);
    wire_close(wire);
    haft_gateway_free(gateway);
}

/* ---- memory ---- */

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_gateway *gateway;
        struct wire *wire;
        haft_reason reason;
        size_t failures;

        failing_init(&failing, 0);
        gateway = shaped_gateway(&failing.allocator, tools);
        assert_int_equal(
            shape(gateway, "{'tools':'slow','coalesce':true,'cache':{'seconds':10},'max_bytes':4}",
                  &reason),
            0);
        wire = wire_open(shaped_server(gateway));
        wire_greet(wire, "2025-11-25");
        n_runs = 0;
        n_held = 0;
        failing.fail_at = failing.calls + nth;
        for (int i = 0; i < 3; i++)
            wire_call(wire, "tools/call", "\"name\":\"slow\",\"arguments\":{\"a\":\"b\"}");
        for (size_t i = 0; i < n_held; i++) { /* more may come meanwhile */
            haft_text(held[i], "done done");
            haft_finish(held[i], 0);
        }
        failures = failing.failures;
        failing.fail_at = 0;
        while (wire_next(wire))
            ;
        wire_close(wire);
        haft_gateway_free(gateway);
        failing_check(&failing);
        if (!failures) {
            assert_int_equal(n_runs, 1);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests_[] = {
        cmocka_unit_test(uses_results_again),    cmocka_unit_test(sends_the_same_bytes),
        cmocka_unit_test(tells_callers_apart),   cmocka_unit_test(forgets_on_reload),
        cmocka_unit_test(runs_equal_calls_once), cmocka_unit_test(survives_the_end_of_sessions),
        cmocka_unit_test(keeps_rules_of_calls),  cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests_, NULL, NULL);
}
