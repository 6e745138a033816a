/* test_ends.c - every way in which a call can end, and the one line of the audit that it has.
 *
 * A row is a dialogue and the outcomes of the lines that it leaves, in their order; closing the
 * session is part of it. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/offer/log.h"
#include "support/dialogue.h"
#include "support/failing.h"
#include "support/test.h"

/* ---- the tools ---- */

enum { MAX_KEPT = 8, ROOM = 1 << 16 };

static haft_call *kept[MAX_KEPT];
static size_t n_kept;

static int nod(haft_call *call)
{
    return haft_text(call, "ok");
}
HAFT_TOOL_BARE(nod, "Nods", .quick = true);

HAFT_STRUCT(word_args, HAFT_STRING(word, "A word"));

static int end(haft_call *call, const word_args *in)
{
    if (!strcmp(in->word, "error"))
        return haft_error(call, "no");
    if (!strcmp(in->word, "fail"))
        return HAFT_EINVAL;
    if (!strcmp(in->word, "many"))
        return 12345;
    if (!strcmp(in->word, "memory"))
        return HAFT_ENOMEM;
    for (int i = 0; !strcmp(in->word, "flood") && i < 100; i++)
        haft_text(call, "%01000d", i);
    return haft_text(call, "ok");
}
HAFT_TOOL_IN(end, word_args, "Ends as it is told", .quick = true);

HAFT_STRUCT(small, HAFT_INTEGER(n, "A small number", .max = 5));

static int misfit(haft_call *call, small *out)
{
    (void)call;
    out->n = 6;
    return 0;
}
HAFT_TOOL_OUT(misfit, small, "Gives too much", .quick = true);

static int keep(haft_call *call)
{
    assert_true(n_kept < MAX_KEPT);
    kept[n_kept++] = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(keep, "Is ended by the test", .quick = true, .timeout_ms = 1000);

static int queue(haft_call *call)
{
    return keep(call);
}
HAFT_TOOL_BARE(queue, "One at a time", .quick = true, .max_running = 1, .max_waiting = 1,
               .timeout_ms = 1000);

static int seldom(haft_call *call)
{
    return nod(call);
}
HAFT_TOOL_BARE(seldom, "Once a minute", .quick = true, .rate = {.calls = 1, .per_ms = 60000});

static int hidden(haft_call *call)
{
    return nod(call);
}
HAFT_TOOL_BARE(hidden, "Is disabled", .quick = true);

static int away(haft_call *call)
{
    return nod(call);
}
HAFT_TOOL_BARE(away, "Runs elsewhere");

static int ask(haft_call *call)
{
    haft_value *content;
    int answer =
        haft_elicit_json(call, "sure", "?", "{\"type\":\"object\",\"properties\":{}}", &content);

    return answer < HAFT_DECLINED ? answer : haft_text(call, "ok");
}
HAFT_TOOL_BARE(ask, "Asks", .quick = true, .timeout_ms = 1000);

/* Has asked nothing, and comes again. */
static int again(haft_call *call)
{
    (void)call;
    return HAFT_AGAIN;
}
HAFT_TOOL_BARE(again, "Comes again", .quick = true);

/* ---- the audit ---- */

static char outcomes[1024];
static char latest[9000];
static size_t n_lines;

static void on_line(void *context, const char *line, size_t size)
{
    const char *outcome;

    (void)context;
    assert_true(size < sizeof latest);
    memcpy(latest, line, size);
    latest[size] = '\0';
    outcome = strstr(latest, "\"outcome\":\"");
    assert_non_null(outcome);
    outcome += strlen("\"outcome\":\"");
    snprintf(outcomes + strlen(outcomes), sizeof outcomes - strlen(outcomes), "%s%.*s",
             *outcomes ? " " : "", (int)strcspn(outcome, "\""), outcome);
    n_lines++;
}

static haft_server *serve(const haft_allocator *allocator)
{
    static const unsigned char key[32] = "key";
    static const haft_tool *const tools[] = {&nod_tool,   &end_tool,    &misfit_tool, &keep_tool,
                                             &queue_tool, &seldom_tool, &hidden_tool, &away_tool,
                                             &ask_tool,   &again_tool};
    haft_server *server =
        haft_server_new_with("test", "1",
                             HAFT_WITH(haft_server_options, .seal_key = key, .allocator = allocator,
                                       .max_message = ROOM, .max_in_flight = 3));

    assert_non_null(server);
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, tools[i]), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "hidden"), 0);
    assert_int_equal(haft_audit_add(server, on_line, NULL), 0);
    outcomes[0] = '\0';
    n_lines = n_kept = 0;
    return server;
}

/* ---- what the test does in the middle of it ---- */

static haft_call *sent_away;

/* There is room for one. */
static int run(void *context, haft_call *call)
{
    (void)context;
    if (sent_away)
        return HAFT_EBUSY;
    sent_away = call;
    return 0;
}

static void act(void *context, const char *word)
{
    struct wire *wire = context;

    if (!strcmp(word, "finish")) {
        for (size_t i = 0; i < n_kept; i++)
            haft_finish(kept[i], haft_text(kept[i], "ok"));
        n_kept = 0;
    } else if (!strcmp(word, "done")) {
        haft_call *call = sent_away;

        sent_away = NULL;
        if (!haft_call_cancelled(call))
            haft_call_run(call);
        haft_call_done(call);
    } else if (!strcmp(word, "tick")) {
        haft_session_tick(wire->session, wire->now);
    } else if (!strcmp(word, "leave")) {
        haft_session_cancel(wire->session, NULL);
    } else if (!strcmp(word, "shut-down")) {
        haft_session_shut_down(wire->session);
    } else {
        fail_msg("%s", word);
    }
}

#define OK "{'content':[{'type':'text','text':'ok'}]}"
#define CALL(id, name) "R " id " tools/call {'name':'" name "'}"
#define HELLO GREETING("2025-11-25", "{'elicitation':{'form':{}}}")
#define META                                                                                       \
    "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"                             \
    "'io.modelcontextprotocol/clientCapabilities':{'elicitation':{}}}"
#define REFUSED "< {'jsonrpc':'2.0','id':1,'error':*"
#define ANSWERS "'inputResponses':{'sure':{'action':'accept','content':{}}}"

struct row {
    const char *outcomes;
    const char *const *lines;
};

static const struct row rows[] = {
    /* as it should */
    {"ok", LINES(HELLO, CALL("1", "nod"), "= 1 " OK)},
    {"error", LINES(HELLO, "R 1 tools/call {'name':'end','arguments':{'word':'error'}}", "= 1 *")},
    {"ok", LINES(HELLO, CALL("1", "keep"), "@ finish", "= 1 " OK)},
    {"ok", LINES("M 1 tools/call 'name':'nod'", "= 1 *")},
    /* refused before it is looked at */
    {"invalid_arguments ok",
     LINES(HELLO, CALL("1", "keep"), CALL("1", "nod"),
           "! 1 -32600 Invalid Request: the id is already in use", "@ finish", "= 1 " OK)},
    {"internal cancelled cancelled cancelled",
     LINES(HELLO, CALL("1", "keep"), CALL("2", "keep"), CALL("3", "keep"), CALL("4", "nod"),
           "! 4 -32603 Too many calls are in flight", "@ leave", "@ finish")},
    {"invalid_arguments",
     LINES("R 1 tools/call {'name':'nod','_meta':{'io.modelcontextprotocol/protocolVersion':"
           "'2026-07-28'}}",
           REFUSED)},
    {"invalid_arguments",
     LINES("R 1 tools/call {'name':'nod','_meta':{'io.modelcontextprotocol/protocolVersion':7}}",
           REFUSED)},
    {"invalid_arguments",
     LINES("R 1 tools/call {'name':'nod','_meta':{'io.modelcontextprotocol/protocolVersion':"
           "'1999-01-01','io.modelcontextprotocol/clientCapabilities':{}}}",
           REFUSED)},
    {"invalid_arguments",
     LINES("R 1 tools/call {'name':'nod','_meta':{'io.modelcontextprotocol/protocolVersion':"
           "'2026-07-28','io.modelcontextprotocol/clientCapabilities':{},"
           "'io.modelcontextprotocol/logLevel':'loud'}}",
           REFUSED)},
    {"invalid_arguments", LINES(HELLO, "R 1 tools/call {}", "! 1 -32602 *")},
    {"invalid_arguments", LINES(HELLO, "R 1 tools/call", "! 1 -32602 *")},
    {"invalid_arguments", LINES(HELLO, "R 1 tools/call {'name':7}", "! 1 -32602 *")},
    {"not_found", LINES(HELLO, CALL("1", "nobody"), "! 1 -32602 Tool nobody not found")},
    {"disabled", LINES(HELLO, CALL("1", "hidden"), "! 1 -32602 Tool hidden disabled")},
    {"ok rate_limited", LINES(HELLO, CALL("1", "seldom"), "= 1 " OK, CALL("2", "seldom"), "= 2 *")},
    {"invalid_arguments",
     LINES(HELLO, "R 1 tools/call {'name':'nod','arguments':5}", "! 1 -32602 *")},
    {"invalid_arguments", LINES(HELLO, CALL("1", "end"), "= 1 {*Input validation error*}")},
    {"invalid_arguments",
     LINES("R 1 tools/call {'name':'ask'," META "," ANSWERS ",'requestState':'AAAA'}", REFUSED)},
    {"invalid_arguments",
     LINES("R 1 tools/call {'name':'ask'," META "," ANSWERS ",'requestState':7}", REFUSED)},
    {"invalid_arguments",
     LINES("R 1 tools/call {'name':'ask'," META ",'inputResponses':7}", "! 1 -32602 *")},
    {"invalid_arguments",
     LINES("R 1 tools/call {'name':'ask'," META ",'inputResponses':{'sure':7}}", "! 1 -32602 *")},
    /* not run */
    {"failed ok", LINES(HELLO, CALL("1", "away"), CALL("2", "away"),
                        "= 2 {*The server is busy. Try again later.*}", "@ done", "= 1 " OK)},
    {"failed ok ok", LINES(HELLO, CALL("1", "queue"), CALL("2", "queue"), CALL("3", "queue"),
                           "= 3 {*The server is busy. Try again later.*}", "@ finish", "= 1 " OK,
                           "@ tick", "@ finish", "= 2 " OK)},
    {"cancelled",
     LINES(HELLO, CALL("1", "away"), "N notifications/cancelled {'requestId':1}", "@ done")},
    {"cancelled ok", LINES(HELLO, CALL("1", "queue"), CALL("2", "queue"),
                           "N notifications/cancelled {'requestId':2}", "@ finish", "= 1 " OK)},
    {"timed_out", LINES(HELLO, CALL("1", "away"), "+ 30000", "= 1 {*timed out*}", "@ done")},
    {"timed_out timed_out", LINES(HELLO, CALL("1", "queue"), CALL("2", "queue"), "+ 1000",
                                  "= 2 {*timed out*}", "= 1 {*timed out*}", "@ finish", "@ tick")},
    /* given up */
    {"cancelled",
     LINES(HELLO, CALL("1", "keep"), "N notifications/cancelled {'requestId':1}", "@ finish")},
    {"timed_out", LINES(HELLO, CALL("1", "keep"), "+ 1000", "= 1 {*timed out*}", "@ finish")},
    {"timed_out", LINES(HELLO, CALL("1", "keep"), "+ 1000", "= 1 {*timed out*}",
                        "N notifications/cancelled {'requestId':1}", "@ finish")},
    {"cancelled", LINES(HELLO, CALL("1", "keep"), "@ leave", "@ finish")},
    {"cancelled", LINES("M 1 tools/call 'name':'keep'", "@ leave", "@ finish")},
    /* what its handler came to */
    {"failed", LINES(HELLO, "R 1 tools/call {'name':'end','arguments':{'word':'fail'}}", "= 1 *")},
    {"failed", LINES(HELLO, "R 1 tools/call {'name':'end','arguments':{'word':'many'}}", "= 1 *")},
    {"failed",
     LINES(HELLO, "R 1 tools/call {'name':'end','arguments':{'word':'memory'}}", "= 1 *")},
    {"failed", LINES(HELLO, "R 1 tools/call {'name':'end','arguments':{'word':'flood'}}",
                     "= 1 {*too large*}")},
    {"failed", LINES(HELLO, CALL("1", "misfit"), "= 1 {*does not match its output schema*}")},
    {"failed", LINES(HELLO, CALL("1", "again"), "= 1 *")},
    /* with a question in between */
    {"ok",
     LINES(HELLO, CALL("1", "ask"), "? 1 elicitation/create *",
           "> {'jsonrpc':'2.0','id':1,'result':{'action':'accept','content':{}}}", "= 1 " OK)},
    {"failed", LINES(HELLO, CALL("1", "ask"), "? 1 elicitation/create *",
                     "> {'jsonrpc':'2.0','id':1,'error':{'code':1,'message':''}}", "= 1 *")},
    {"cancelled", LINES(HELLO, CALL("1", "ask"), "? 1 elicitation/create *",
                        "N notifications/cancelled {'requestId':1}")},
    {"timed_out", LINES(HELLO, CALL("1", "ask"), "? 1 elicitation/create *", "+ 600000",
                        "~ notifications/cancelled *", "= 1 {*timed out*}")},
    {"failed", LINES(GREETING("2025-11-25", "{}"), CALL("1", "ask"), "= 1 *")},
    {"failed", LINES("M 1 tools/call 'name':'ask'", REFUSED)},
    {"input_required", LINES("A 1 tools/call 'name':'ask'", "= 1 *")},
    /* its session ends */
    {"cancelled", LINES(HELLO, CALL("1", "ask"), "? 1 elicitation/create *")},
    {"cancelled", LINES(HELLO, CALL("1", "ask"), "? 1 elicitation/create *", "@ shut-down")},
    {"cancelled cancelled", LINES(HELLO, CALL("1", "queue"), CALL("2", "queue"))},
    {"cancelled", LINES(HELLO, CALL("1", "keep"))},
    {"cancelled", LINES(HELLO, CALL("1", "keep"), "@ shut-down")},
    {"cancelled", LINES(HELLO, CALL("1", "away"))},
    /* in an array */
    {"not_found ok", LINES(GREETING("2025-03-26", "{}"),
                           "> [{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':"
                           "'nobody'}},{'jsonrpc':'2.0','id':2,'method':'tools/call','params':"
                           "{'name':'nod'}}]",
                           "< [*]")},
    /* what is not a call */
    {"", LINES(HELLO, "R 1 tools/list", "= 1 *", "N tools/call {'name':'nod'}",
               "> {'jsonrpc':'2.0','id':2,'method':'tools/call','params':{'name':'nod','name':"
               "'nod'}}",
               "! 2 -32600 *")},
};

static void every_end_has_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = serve(NULL);
        struct wire *wire = wire_open_with(
            server, (haft_session_options)HAFT_INIT(haft_session_options,
                                                    .loop = HAFT_WITH(haft_loop, .run = run)));

        sent_away = NULL;
        dialogue_with(wire, rows[i].lines, act, wire);
        wire_close(wire);
        if (sent_away)
            act(NULL, "done");
        act(NULL, "finish");
        if (strcmp(outcomes, rows[i].outcomes) != 0)
            fail_msg("row %zu: \"%s\", not \"%s\"", i, outcomes, rows[i].outcomes);
        haft_server_free(server);
    }
}

/* ---- more than an array may have ---- */

static void those_too_many_have_lines(void **state)
{
    enum { SENT = 103 };
    char *text = malloc(SENT * 128), *at = text;
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);

    (void)state;
    assert_non_null(text);
    wire_greet(wire, "2025-03-26");
    for (int i = 0; i < SENT; i++)
        at += snprintf(at, 128,
                       "%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
                       "\"name\":\"nod\"}}",
                       i ? "," : "[", i);
    snprintf(at, 128, "]");
    wire_send(wire, text);
    assert_non_null(wire_next(wire));
    assert_int_equal(n_lines, SENT);
    assert_non_null(strstr(latest, "\"id\":102,"));
    assert_non_null(strstr(latest, "\"tool\":\"nod\",\"outcome\":\"invalid_arguments\""));
    wire_close(wire);
    haft_server_free(server);
    free(text);
}

/* ---- a server that has never had a tool ---- */

static void calls_of_nothing_have_lines(void **state)
{
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(haft_audit_add(server, on_line, NULL), 0);
    outcomes[0] = '\0';
    dialogue_alone(server, LINES("M 1 tools/call 'name':'nod'", "! 1 -32601 Method not found"));
    dialogue_alone(server, LINES(CALL("1", "nod"), "! 1 -32602 Tool nod not found"));
    assert_string_equal(outcomes, "not_found not_found");
    haft_server_free(server);
}

/* ---- no memory ---- */

/* What was read has a line, once: whether it ran or not.  What could not be read has none. */
static void without_memory_there_is_one_line_at_most(void **state)
{
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"end\","
        "\"arguments\":{\"word\":\"flood\"},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
        "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
    size_t n_none = 0;

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        struct wire *wire;
        bool failed, answered;

        failing_init(&failing, 0);
        server = serve(&failing.allocator);
        wire = wire_open(server);
        failing.fail_at = failing.calls + nth;
        haft_session_receive(wire->session, call, sizeof call - 1, NULL, wire->now);
        failing.fail_at = 0;
        answered = wire_next(wire);
        assert_true(n_lines <= 1);
        assert_true(n_lines || !answered);
        n_none += !n_lines;
        failed = failing.failures;
        wire_close(wire);
        haft_server_free(server);
        failing_check(&failing);
        if (!failed)
            break;
        assert_true(n_none < 20);
    }
    assert_int_equal(n_lines, 1);
}

/* ---- who called ---- */

/* A refused call says as much as any other. */
static void refused_calls_say_who_called_what(void **state)
{
    static const struct {
        const char *line, *says;
    } lines[] = {
        {"R 1 tools/call {'name':'nod','arguments':{'a':1},'_meta':{"
         "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
         "'io.modelcontextprotocol/clientInfo':{'name':'me','version':'1'}}}",
         "\"id\":1,\"client\":\"me\",\"principal\":\"p\",\"revision\":\"2026-07-28\","
         "\"tool\":\"nod\",\"outcome\":\"invalid_arguments\",\"ms\":0,\"bytes\":0,"
         "\"arguments\":\"siphash:"},
        {"R 1 tools/call {'name':'nod','_meta':{"
         "'io.modelcontextprotocol/protocolVersion':'1999-01-01',"
         "'io.modelcontextprotocol/clientCapabilities':{},"
         "'io.modelcontextprotocol/clientInfo':{'name':'me','version':'1'}}}",
         "\"id\":1,\"client\":\"me\",\"principal\":\"p\",\"revision\":\"2026-07-28\","
         "\"tool\":\"nod\",\"outcome\":\"invalid_arguments\""},
        {"R 1 tools/call {'name':'nobody','_meta':{"
         "'io.modelcontextprotocol/protocolVersion':'2026-07-28'}}",
         "\"tool\":\"nobody\",\"outcome\":\"invalid_arguments\""},
    };
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct wire *wire = wire_open_with(
            server, (haft_session_options)HAFT_INIT(haft_session_options, .principal = "p"));

        dialogue(wire, LINES(lines[i].line, REFUSED));
        if (!strstr(latest, lines[i].says))
            fail_msg("row %zu: %s", i, latest);
        wire_close(wire);
    }
    haft_server_free(server);
}

static char logged[256], told[128];

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    snprintf(logged, sizeof logged, "%.*s", (int)size, text);
}

static void on_event(void *context, const haft_event *event)
{
    (void)context;
    if (event->request_id)
        snprintf(told, sizeof told, "%s", event->request_id);
}

/* U+0000 is a character like any other, and an id may be any integer of 64 bits. */
static void ids_and_names_are_whole(void **state)
{
    static const struct {
        const char *line, *answer, *says;
    } lines[] = {
        {"R 'a\\u0000b' tools/call {'name':'nod'}", "= 'a\\u0000b' *", "\"id\":\"a\\u0000b\","},
        {"R 18446744073709551615 tools/call {'name':'nod'}", "= 18446744073709551615 *",
         "\"id\":18446744073709551615,"},
        {"R -9223372036854775808 tools/call {'name':'nod'}", "= -9223372036854775808 *",
         "\"id\":-9223372036854775808,"},
        {"R '\\u0000' tools/call {'name':'nod'}", "= '\\u0000' *", "\"id\":\"\\u0000\","},
        {"R 1 tools/call {'name':'nod\\u0000x'}", "! 1 -32602 *", "\"tool\":\"nod\\u0000x\","},
        {"R 1 tools/call {'name':'nod','_meta':{"
         "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
         "'io.modelcontextprotocol/clientCapabilities':{},"
         "'io.modelcontextprotocol/clientInfo':{'name':'me\\u0000you','version':'1'}}}",
         "= 1 *", "\"client\":\"me\\u0000you\","},
    };
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        dialogue_alone(server, LINES(lines[i].line, lines[i].answer));
        if (!strstr(latest, lines[i].says))
            fail_msg("row %zu: %s", i, latest);
    }
    dialogue_alone(server, LINES("R 0 initialize {'protocolVersion':'2025-11-25','capabilities':{},"
                                 "'clientInfo':{'name':'me\\u0000you','version':'1'}}",
                                 "= 0 *", CALL("1", "nod"), "= 1 " OK));
    assert_non_null(strstr(latest, "\"client\":\"me\\u0000you\","));
    hf_server_set_log(server, on_log, NULL);
    assert_int_equal(haft_event_watch(server, on_event, NULL), 0);
    dialogue_alone(server, LINES("R 'a\\u0000b' tools/call {'name':'end','arguments':{'word':"
                                 "'fail'}}",
                                 "= 'a\\u0000b' *"));
    assert_memory_equal(logged, "[a\\u0000b] end: ", 16);
    assert_string_equal(told, "a\\u0000b");
    dialogue_alone(server, LINES("R 18446744073709551615 tools/call {'name':'nod'}",
                                 "= 18446744073709551615 *"));
    assert_string_equal(told, "18446744073709551615");
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_has_one_line),
        cmocka_unit_test(those_too_many_have_lines),
        cmocka_unit_test(calls_of_nothing_have_lines),
        cmocka_unit_test(without_memory_there_is_one_line_at_most),
        cmocka_unit_test(refused_calls_say_who_called_what),
        cmocka_unit_test(ids_and_names_are_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
