/* test_search_calls.c - clients that search for tools: what their lists show, what find_tools and
 * describe_tool answer, and that a call through call_tool is a call of the tool that it names. */
#include <haft.h>
#include <haft/testing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/search_call.h"
#include "engine/input.h"
#include "engine/offer/server.h"
#include "support/dialogue.h"
#include "support/failing.h"
#include "support/headers.h"
#include "support/test.h"

/* ---- what is served ---- */

HAFT_STRUCT(greet_in, HAFT_STRING(name, "Whom to greet", .min = 2));
HAFT_STRUCT(count_in, HAFT_HEADER("N", HAFT_INTEGER(n, "A number")));
HAFT_STRUCT(count_out, HAFT_INTEGER(next, "The next number"));

static int greet(haft_call *call, const greet_in *in)
{
    return haft_text(call, "Hello, %s, from %s", in->name, haft_call_name(call));
}
HAFT_TOOL_IN(greet, greet_in, "Greets a person",
             .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO});

static int count(haft_call *call, const count_in *in, count_out *out)
{
    out->next = in->n + 1;
    haft_text(call, "one");
    return haft_image(call, "image/png", "x", 1);
}
HAFT_TOOL(count, count_in, count_out, "Counts numbers",
          .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO});

static int erase(haft_call *call)
{
    return haft_text(call, "erased");
}
HAFT_TOOL_BARE(erase, "Erases everything", .scopes = "admin");

static int store(haft_call *call)
{
    return haft_text(call, "stored");
}
HAFT_TOOL_BARE(store, "Stores a person", .rate = {.calls = 2, .per_ms = 60000},
               .annotations = {
                   .destructive = HAFT_NO, .idempotent = HAFT_YES, .open_world = HAFT_NO});

HAFT_STRUCT(search_form, HAFT_STRING(name, "Your name"));

static int ask(haft_call *call)
{
    search_form form;
    int answer = haft_elicit(call, "who", "Who?", &search_form_type, &form);

    return answer == HAFT_ACCEPTED ? haft_text(call, "You are %s", form.name) : answer;
}
HAFT_TOOL_BARE(ask, "Asks the client");

static haft_call *held;

static int wait(haft_call *call)
{
    held = call;
    haft_progress(call, 1, 2, "half");
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(wait, "Waits", .timeout_ms = 500);

static const haft_tool *const all_tools[] = {&greet_tool, &count_tool, &erase_tool,
                                             &store_tool, &ask_tool,   &wait_tool};

static const unsigned char seal_key[32] = "a key that is used in tests only";

static haft_server *serve_with(const haft_server_options *given, const haft_search *search)
{
    haft_server_options options =
        given ? *given : (haft_server_options)HAFT_INIT(haft_server_options, .page_size = 0);
    haft_server *server;

    options.seal_key = seal_key;
    server = haft_server_new_with("test", "1", &options);
    for (size_t i = 0; server && i < COUNT_OF(all_tools); i++)
        haft_add(server, all_tools[i]);
    if (server && search)
        haft_server_set_search(server, search);
    return server;
}

static haft_server *serve(const haft_server_options *options)
{
    return serve_with(options, HAFT_WITH(haft_search, .pinned = "store"));
}

#define FIND "find_tools describe_tool call_tool"

/* ---- lists ---- */

/* The names of all pages. */
static const char *listed(struct wire *wire)
{
    static char names[512];
    char params[160] = "";
    size_t n = 0;

    names[0] = '\0';
    do {
        const char *list = wire_call(wire, "tools/list", *params ? params : NULL);
        const char *at, *cursor = strstr(list, "\"nextCursor\":\"");

        assert_int_equal(wire->error_code, 0);
        for (at = strstr(list, "{\"name\":\""); at; at = strstr(at + 9, "{\"name\":\""))
            if (at[-1] != ':') /* the server's own name */
                n += (size_t)snprintf(names + n, sizeof names - n, "%s%.*s", n ? " " : "",
                                      (int)strcspn(at + 9, "\""), at + 9);
        snprintf(params, sizeof params, "\"cursor\":\"%.*s\"",
                 cursor ? (int)strcspn(cursor + 14, "\"") : 0, cursor ? cursor + 14 : "");
        if (!cursor)
            params[0] = '\0';
    } while (*params);
    return names;
}

#define CLIENT(...) HAFT_INIT(haft_identity, .principal = "p", .fixed = true, __VA_ARGS__)

static void lists_what_is_pinned(void **state)
{
    static const haft_identity admin = CLIENT(.scopes = "admin"), guest = CLIENT(.scopes = NULL);
    static const struct {
        unsigned above;
        const char *pinned;
        const haft_identity *identity;
        const char *rule, *visible, *names;
    } rows[] = {
        {0, NULL, NULL, NULL, NULL, FIND},
        {0, "", NULL, NULL, NULL, FIND},
        {0, "store,a*", NULL, NULL, NULL, "store ask " FIND},
        {0, "*", NULL, NULL, NULL, "greet count erase store ask wait " FIND},
        {5, "greet", NULL, NULL, NULL, "greet " FIND},
        {6, "greet", NULL, NULL, NULL, "greet count erase store ask wait"},
        /* only what a client may see counts, and what it may not see is not pinned for it */
        {5, "*", &admin, NULL, NULL, "greet count erase store ask wait " FIND},
        {5, NULL, &guest, NULL, NULL, "greet count store ask wait"},
        {4, "erase,wait", &guest, NULL, NULL, "wait " FIND},
        {3, "*", &admin, "deny tools c*,a*", NULL, "greet erase store wait " FIND},
        {0, NULL, &admin, "deny tools *", NULL, ""},
        {0, NULL, &admin, "read-only tools *", NULL, FIND},
        {1, "*", NULL, NULL, "greet,count", "greet count " FIND},
        {2, "*", NULL, NULL, "greet,count", "greet count"},
    };
    static const char *const revisions[] = {"2025-06-18", "2026-07-28"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * 4; i++) {
        const char *rules[] = {rows[i / 4].rule, NULL};
        haft_server_options options = HAFT_INIT(haft_server_options, .page_size = i & 2 ? 2 : 0);
        haft_server *server =
            serve_with(&options, HAFT_WITH(haft_search, .above = rows[i / 4].above,
                                           .pinned = rows[i / 4].pinned));
        struct wire *wire;

        if (rows[i / 4].rule)
            assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = rules)),
                             0);
        if (rows[i / 4].visible)
            assert_int_equal(haft_server_set_visibility(
                                 server, HAFT_WITH(haft_visibility, .tools = rows[i / 4].visible)),
                             0);
        wire = wire_open_with(server, (haft_session_options)HAFT_INIT(
                                          haft_session_options, .identity = rows[i / 4].identity));
        wire_greet(wire, revisions[i & 1]);
        assert_string_equal(listed(wire), rows[i / 4].names);
        wire_close(wire);
        haft_server_free(server);
    }
}

/* The hints of call_tool are those that all the tools have which the client reaches through it. */
static void hints_are_the_strictest(void **state)
{
#define HINTS(read_only, destructive, idempotent, open)                                            \
    "\"annotations\":{\"readOnlyHint\":" read_only ",\"destructiveHint\":" destructive             \
    ",\"idempotentHint\":" idempotent ",\"openWorldHint\":" open "}}"
    static const struct {
        const char *pinned, *visible, *hints;
    } rows[] = {
        {NULL, NULL, HINTS("false", "true", "false", "true")},
        {NULL, "greet,count", HINTS("true", "false", "true", "false")},
        {NULL, "greet,count,store", HINTS("false", "false", "true", "false")},
        {"store", "greet,count,store", HINTS("true", "false", "true", "false")},
        {NULL, "greet,wait", HINTS("false", "true", "false", "true")},
        {NULL, "erase,store", HINTS("false", "true", "false", "true")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = serve_with(NULL, HAFT_WITH(haft_search, .pinned = rows[i].pinned));
        struct wire *wire = wire_open(server);
        const char *list;

        haft_server_set_visibility(server, HAFT_WITH(haft_visibility, .tools = rows[i].visible));
        wire_greet(wire, "2026-07-28");
        list = strstr(wire_call(wire, "tools/list", NULL), "\"call_tool\"");
        assert_non_null(list);
        assert_non_null(strstr(list, rows[i].hints));
        wire_close(wire);
        haft_server_free(server);
    }
}

/* ---- finding and describing ---- */

#define CALL(id, name, arguments)                                                                  \
    "R " id " tools/call {'name':'" name "','arguments':{" arguments "}}"
#define MODERN_CALL(id, name, arguments)                                                           \
    "M " id " tools/call 'name':'" name "','arguments':{" arguments "}"
#define FOUND(text, structured)                                                                    \
    "{'content':[{'type':'text','text':'" text "'}],'structuredContent':" structured "}"
#define NOT_FOUND(name)                                                                            \
    FAILED("Tool " name " not found. Use find_tools to find the names of tools.")

static void finds_and_describes(void **state)
{
    haft_server *server = serve(NULL);

    (void)state;
    dialogue_alone(
        server,
        LINES(GREETING("2025-11-25", "{}"),
              CALL("1", "find_tools", "'query':'greeting people and persons'"),
              "= 1 {'content':[{'type':'text','text':'*'}],'structuredContent':{'tools':[{'name':"
              "'greet','description':'Greets a person'}],'total':1}}",
              /* pinned tools and those of the search are not found */
              CALL("2", "find_tools", "'query':'stores or find tools'"),
              "= 2 {*'structuredContent':{'tools':[],'total':0,'hint':'No tool matches. Try other "
              "words, or fewer.'}}",
              CALL("3", "find_tools", "'query':'a person erases everything, numbers','limit':1"),
              "= 3 {*'structuredContent':{'tools':[{'name':'erase','description':'Erases "
              "everything'}],'total':3}}",
              CALL("4", "find_tools", "'query':''"), "= 4 {*'isError':true*}",
              CALL("5", "find_tools", "'query':'x','limit':0"), "= 5 {*'isError':true*}",
              CALL("6", "describe_tool", "'name':'greet'"),
              "= 6 {'content':[*],'structuredContent':{'name':'greet','description':'Greets a "
              "person','inputSchema':{*'name':{*}*},'annotations':{*}}}",
              /* pinned tools can be described */
              CALL("7", "describe_tool", "'name':'store'"),
              "= 7 {*'structuredContent':{'name':'store',*}}",
              CALL("8", "describe_tool", "'name':'nope'"), "= 8 " NOT_FOUND("nope"),
              CALL("9", "describe_tool", "'nome':'greet'"), "= 9 {*'isError':true*}"));
    haft_server_free(server);
}

/* The number of results is bounded, and long descriptions are cut. */
static void bounds_results(void **state)
{
    static char names[40][16], text[1000];
    static haft_tool tools[40];
    haft_server *server = haft_server_new("test", "1");
    struct wire *wire;
    const char *answer, *at;
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = "Lion \xC3\xA4"[i % 7];
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        snprintf(names[i], sizeof names[i], "lion_%zu", i);
        tools[i] = (haft_tool)HAFT_INIT(haft_tool, .name = names[i], .description = text,
                                        .call = greet_tool.call);
        assert_int_equal(haft_add(server, &tools[i]), 0);
    }
    assert_int_equal(haft_server_set_search(server, HAFT_WITH(haft_search, .results = 7)), 0);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    answer = wire_call(wire, "tools/call",
                       "\"name\":\"find_tools\",\"arguments\":{\"query\":\"lion\",\"limit\":9}");
    answer = strstr(answer, "\"structuredContent\"");
    assert_non_null(answer);
    assert_non_null(strstr(answer, "\"total\":40"));
    assert_null(strstr(answer, "\"hint\""));
    for (at = strstr(answer, "\"name\""); at; at = strstr(at + 1, "\"name\""))
        n++;
    assert_int_equal(n, 7);
    assert_true(strlen(answer) < 7 * 400);
    assert_non_null(strstr(answer, "\xE2\x80\xA6\""));
    wire_close(wire);
    haft_server_free(server);
}

/* ---- what a client may not see ---- */

/* Each way to hide a tool makes it unknown to all three, and what can be seen can be called. */
static void hidden_tools_are_unknown(void **state)
{
    static const haft_identity admin = CLIENT(.scopes = "admin"), guest = CLIENT(.scopes = NULL);
    static const haft_identity upgradable = HAFT_INIT(haft_identity, .principal = "p");
    static const struct {
        const haft_identity *identity;
        const char *rule, *visible;
        bool read_only, disabled;
        const char *found, *call;
    } rows[] = {
        {NULL, NULL, NULL, false, false, "'total':1", SAID("erased")},
        {&admin, NULL, NULL, false, false, "'total':1", SAID("erased")},
        {&guest, NULL, NULL, false, false, "'total':0", NOT_FOUND("erase")},
        {&admin, "deny tools erase", NULL, false, false, "'total':0", NOT_FOUND("erase")},
        {&admin, "read-only tools *", NULL, false, false, "'total':0", NOT_FOUND("erase")},
        {&admin, NULL, "-erase", false, false, "'total':0", NOT_FOUND("erase")},
        {&admin, NULL, NULL, true, false, "'total':0", NOT_FOUND("erase")},
        {NULL, NULL, NULL, false, true, "'total':0", NOT_FOUND("erase")},
        /* one that can obtain scopes sees it, and is told what it requires */
        {&upgradable, NULL, NULL, false, false, "'total':1", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = serve(NULL);
        const char *rules[] = {rows[i].rule, NULL};
        char found[256], called[256], described[256];
        struct wire *wire;

        if (rows[i].rule)
            haft_server_set_access(server, HAFT_WITH(haft_access, .rules = rules));
        haft_server_set_visibility(server, HAFT_WITH(haft_visibility, .tools = rows[i].visible,
                                                     .read_only = rows[i].read_only));
        if (rows[i].disabled)
            haft_offer_disable(server, HAFT_OFFER_TOOL, "erase");
        wire = wire_open_with(server, (haft_session_options)HAFT_INIT(
                                          haft_session_options, .identity = rows[i].identity));
        snprintf(found, sizeof found, "= 1 {*'structuredContent':{'tools':[*],%s*}}",
                 rows[i].found);
        snprintf(described, sizeof described, "= 2 %s",
                 strstr(rows[i].found, "0") ? NOT_FOUND("erase")
                                            : "{*'structuredContent':{'name':'erase'*}}");
        snprintf(called, sizeof called, "%s%s", rows[i].call ? "= 3 " : "! 3 -32003 *",
                 rows[i].call ? rows[i].call : "erase requires the scope admin");
        dialogue(wire,
                 LINES(GREETING("2025-11-25", "{}"), CALL("1", "find_tools", "'query':'erase'"),
                       found, CALL("2", "describe_tool", "'name':'erase'"), described,
                       CALL("3", "call_tool", "'name':'erase'"), called));
        wire_close(wire);
        haft_server_free(server);
    }
}

/* ---- calls ---- */

static void calls_are_those_of_the_tool(void **state)
{
    haft_server *server = serve(NULL);

    (void)state;
    dialogue_alone(
        server,
        LINES(GREETING("2025-11-25", "{}"),
              CALL("1", "call_tool", "'name':'greet','arguments':{'name':'Ann'}"),
              "= 1 " SAID("Hello, Ann, from greet"),
              /* all content */
              CALL("2", "call_tool", "'arguments':{'n':4},'name':'count'"),
              "= 2 {'content':[{'type':'text','text':'one'},{'type':'image',*}],"
              "'structuredContent':{'next':5}}",
              /* no arguments */
              CALL("3", "call_tool", "'name':'erase'"), "= 3 " SAID("erased"),
              CALL("4", "call_tool", "'name':'erase','arguments':null"), "= 4 " SAID("erased"),
              /* errors of the tool's arguments are the tool's */
              CALL("5", "call_tool", "'name':'greet','arguments':{'name':'A'}"),
              "= 5 {'content':[{'type':'text','text':'Input validation error: Invalid arguments "
              "for tool greet: *'}],'isError':true*}",
              CALL("6", "call_tool", "'name':'greet'"), "= 6 {*for tool greet: *'isError':true*}",
              /* and those of call_tool are its own */
              CALL("7", "call_tool", "'name':'greet','arguments':{},'more':1"),
              "= 7 {*for tool call_tool: *'isError':true*}",
              CALL("8", "call_tool", "'name':'greet','arguments':'{}'"),
              "= 8 {*for tool call_tool: *'isError':true*}", CALL("9", "call_tool", "'name':7"),
              "= 9 {*for tool call_tool: *'isError':true*}",
              CALL("10", "call_tool", "'name':'greet','name':'erase'"),
              "! 10 -32600 Invalid Request: a member occurs more than once",
              "R 11 tools/call {'name':'call_tool'}",
              "= 11 {*for tool call_tool: *'isError':true*}",
              "R 12 tools/call {'name':'call_tool','arguments':[]}",
              "! 12 -32602 Invalid params: \\'arguments\\' must be an object",
              /* what is in the list is called directly */
              CALL("13", "call_tool", "'name':'store','arguments':{}"),
              "= 13 " FAILED("Call the tool store directly, not through call_tool: it is in the "
                             "list of tools."),
              CALL("14", "call_tool", "'name':'call_tool','arguments':{'name':'greet'}"),
              "= 14 " FAILED("Call the tool call_tool directly, not through call_tool: it is in "
                             "the list of tools."),
              CALL("15", "call_tool", "'name':'find_tools','arguments':{'query':'x'}"),
              "= 15 {*directly*'isError':true}", CALL("16", "call_tool", "'name':'nope'"),
              "= 16 " NOT_FOUND("nope"),
              /* and so is everything else, if a client knows its name */
              CALL("17", "greet", "'name':'Ann'"), "= 17 " SAID("Hello, Ann, from greet")));
    haft_server_free(server);
}

/* A lenient server also accepts arguments that a model wrote as a string. */
static void lenient_servers_read_strings(void **state)
{
    haft_server_options options = HAFT_INIT(haft_server_options, .lenient = true);
    haft_server *server = serve(&options);

    (void)state;
    dialogue_alone(
        server,
        LINES(GREETING("2025-11-25", "{}"),
              CALL("1", "call_tool", "'name':'greet','arguments':'{\\'name\\':\\'Ann\\'}'"),
              "= 1 " SAID("Hello, Ann, from greet"),
              CALL("2", "call_tool", "'name':'greet','arguments':'[]'"), "= 2 {*'isError':true*}",
              CALL("3", "call_tool", "'name':'greet','arguments':'{'"), "= 3 {*'isError':true*}",
              /* as strictly as messages */
              CALL("4", "call_tool",
                   "'name':'greet','arguments':'{\\'name\\':\\'Ann\\',\\'name\\':\\'Bob\\'}'"),
              "= 4 {*for tool call_tool: *received string*'isError':true*}"));
    haft_server_free(server);
}

/* The limit of a tool counts calls of both kinds; it is pinned here for none. */
static void limits_are_those_of_the_tool(void **state)
{
    haft_server *server = serve_with(NULL, HAFT_WITH(haft_search, .results = 1));

    (void)state;
    dialogue_alone(server,
                   LINES(GREETING("2025-11-25", "{}"), CALL("1", "call_tool", "'name':'store'"),
                         "= 1 " SAID("stored"), CALL("2", "store", ""), "= 2 " SAID("stored"),
                         CALL("3", "call_tool", "'name':'store'"),
                         "= 3 {*'Rate limited: store *'isError':true*}",
                         CALL("4", "call_tool", "'name':'erase'"), "= 4 " SAID("erased")));
    haft_server_free(server);
}

static void cancel_held(void *context, const char *word)
{
    (void)context;
    assert_true(haft_call_cancelled(held) == !strcmp(word, "cancelled"));
    assert_string_equal(haft_call_name(held), "wait");
    haft_text(held, "late");
    haft_finish(held, 0);
}

/* Progress, the deadline and cancellation belong to the request. */
static void waits_like_the_tool(void **state)
{
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue_with(wire,
                  LINES(GREETING("2025-11-25", "{}"),
                        "R 1 tools/call {'name':'call_tool','arguments':{'name':'wait'},"
                        "'_meta':{'progressToken':'t'}}",
                        "~ notifications/progress {'progressToken':'t','progress':1,'total':2,"
                        "'message':'half'}",
                        "@ done", "= 1 " SAID("late"), CALL("2", "call_tool", "'name':'wait'"),
                        "N notifications/cancelled {'requestId':2}", "@ cancelled",
                        CALL("3", "call_tool", "'name':'wait'"), "+ 600",
                        "= 3 " FAILED("timed out after 500 ms"), "@ cancelled"),
                  cancel_held, NULL);
    wire_close(wire);
    haft_server_free(server);
}

/* Questions to the client, of both eras. */
static void asks_like_the_tool(void **state)
{
    static char again[4096];
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);
    const char *answer, *sealed;

    (void)state;
    dialogue_alone(server,
                   LINES(GREETING("2025-11-25", ALL), CALL("1", "call_tool", "'name':'ask'"),
                         "? 1 elicitation/create {*'message':'Who?'*}",
                         ANSWER("1", "{'action':'accept','content':{'name':'Ann'}}"),
                         "= 1 " SAID("You are Ann")));
    wire_greet(wire, "2026-07-28");
    answer =
        wire_call(wire, "tools/call", "\"name\":\"call_tool\",\"arguments\":{\"name\":\"ask\"}");
    assert_non_null(strstr(answer, "\"resultType\":\"input_required\""));
    sealed = strstr(answer, "\"requestState\":\"");
    assert_non_null(sealed);
    snprintf(again, sizeof again,
             "\"name\":\"call_tool\",\"arguments\":{\"name\":\"ask\"},\"requestState\":\"%.*s\","
             "\"inputResponses\":{\"who\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}}",
             (int)strcspn(sealed + 16, "\""), sealed + 16);
    assert_non_null(strstr(wire_call(wire, "tools/call", again), "You are Ann"));
    /* the answers are for that tool */
    memcpy(strstr(again, "\"ask\""), "\"asp\"", 5);
    assert_null(strstr(wire_call(wire, "tools/call", again), "You are Ann"));
    wire_close(wire);
    haft_server_free(server);
}

/* ---- reports ---- */

static char reported[1024];

static void report(const char *what, const char *tool)
{
    size_t n = strlen(reported);

    snprintf(reported + n, sizeof reported - n, "%s%s %s", n ? "," : "", what, tool);
}

static int report_before(haft_call *call, void *data)
{
    (void)data;
    report("before", haft_call_name(call));
    return 0;
}

static void report_after(haft_call *call, haft_outcome outcome, void *data)
{
    (void)data;
    (void)outcome;
    report("after", haft_call_name(call));
}

static int report_greet(haft_call *call, void *data)
{
    (void)call;
    (void)data;
    report("only", "greet");
    return 0;
}

static void report_event(void *context, const haft_event *event)
{
    (void)context;
    if (event->kind == HAFT_EVENT_CALL_STARTED)
        report("started", event->tool);
    else if (event->kind == HAFT_EVENT_CALL_FINISHED || event->kind == HAFT_EVENT_CALL_FAILED)
        report("ended", event->tool);
}

static void report_audit(void *context, const char *line, size_t size)
{
    const char *tool = strstr(line, "\"tool\":\"");

    (void)context;
    (void)size;
    assert_non_null(tool);
    report("audited", strncmp(tool + 8, "greet\"", 6) ? "call_tool" : "greet");
}

/* Stages, watchers, the audit and the metrics see the tool, with its arguments. */
static void reports_name_the_tool(void **state)
{
    static const haft_stage every =
        HAFT_INIT(haft_stage, .name = "every", .before = report_before, .after = report_after);
    static const haft_stage one =
        HAFT_INIT(haft_stage, .name = "one", .tools = "greet", .before = report_greet);
    haft_server *server = serve(NULL);
    haft_buffer text;

    (void)state;
    haft_buffer_init(&text, NULL, 1 << 20);
    assert_int_equal(haft_stage_add(server, &every), 0);
    assert_int_equal(haft_stage_add(server, &one), 0);
    assert_int_equal(haft_event_watch(server, report_event, NULL), 0);
    assert_int_equal(haft_audit_add(server, report_audit, NULL), 0);
    assert_int_equal(haft_metrics_enable(server), 0);
    reported[0] = '\0';
    dialogue_alone(server,
                   LINES(GREETING("2025-11-25", "{}"),
                         CALL("1", "call_tool", "'name':'greet','arguments':{'name':'Ann'}"),
                         "= 1 " SAID("Hello, Ann, from greet")));
    assert_string_equal(reported, "started greet,before greet,only greet,audited greet,after "
                                  "greet,ended greet");
    reported[0] = '\0';
    dialogue_alone(server,
                   LINES(GREETING("2025-11-25", "{}"), CALL("1", "call_tool", "'name':'nope'"),
                         "= 1 " NOT_FOUND("nope")));
    assert_string_equal(reported, "started call_tool,before call_tool,audited call_tool,after "
                                  "call_tool,ended call_tool");
    assert_int_equal(haft_metrics_write(server, &text), 0);
    haft_buffer_add(&text, "", 1);
    assert_non_null(strstr(text.data, "calls_total{gen_ai_tool_name=\"greet\",outcome=\"ok\"} 1"));
    haft_buffer_finish(&text);
    haft_server_free(server);
}

/* ---- settings ---- */

static void announced(void *context, const char *method, haft_value *params)
{
    (void)params;
    *(int *)context += !strcmp(method, "notifications/tools/list_changed");
}

static void changes_are_announced(void **state)
{
    haft_server *server = serve_with(NULL, NULL);
    int n = 0;
    haft_client *client =
        haft_client_new(server, HAFT_WITH(haft_client_options, .revision = "2025-11-25",
                                          .notify = announced, .context = &n));
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    assert_int_equal(haft_server_set_search(server, HAFT_WITH(haft_search, .above = 0)), 0);
    haft_client_advance(client, 1);
    assert_int_equal(n, 1);
    /* what is found has changed, and so may the hints */
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "greet"), 0);
    haft_client_advance(client, 1);
    assert_int_equal(n, 2);
    assert_int_equal(haft_server_set_search(server, NULL), 0);
    haft_client_advance(client, 1);
    assert_int_equal(n, 3);
    assert_int_equal(haft_client_call(client, "find_tools", "{\"query\":\"x\"}", &result), 0);
    assert_string_equal(result.error_message, "Tool find_tools not found");
    haft_client_free(client);
    haft_server_free(server);
}

static const haft_tool imposter =
    HAFT_INIT(haft_tool, .name = "describe_tool", .description = "Mine", .call = erase_call_);

static void refuses_settings(void **state)
{
    haft_server *server = serve_with(NULL, NULL);
    struct wire *wire;

    (void)state;
    assert_int_equal(haft_server_set_search(NULL, NULL), HAFT_EINVAL);
    assert_int_equal(haft_server_set_search(server, &(haft_search){.above = 1}), HAFT_EINVAL);
    assert_int_equal(haft_server_set_search(server, HAFT_WITH(haft_search, .results = 101)),
                     HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text, "a search returns at most 100 tools");
    assert_int_equal(haft_server_set_search(server, NULL), 0);
    /* names, before and after */
    assert_int_equal(haft_add(server, &imposter), 0);
    assert_int_equal(haft_server_set_search(server, HAFT_WITH(haft_search, .above = 0)),
                     HAFT_EEXISTS);
    assert_string_equal(haft_server_error(server)->text,
                        "tool search needs the name describe_tool, which another tool has");
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "describe_tool"), 0);
    assert_int_equal(haft_server_set_search(server, HAFT_WITH(haft_search, .above = 0)), 0);
    assert_int_equal(haft_add(server, &imposter), HAFT_EEXISTS);
    /* they change as a whole */
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "call_tool"), HAFT_EINVAL);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "call_tool"), HAFT_EINVAL);
    assert_int_equal(haft_offer_rename(server, HAFT_OFFER_TOOL, "call_tool", "x"), HAFT_EINVAL);
    assert_int_equal(haft_tool_replace(server, "describe_tool", &imposter), HAFT_EINVAL);
    assert_int_equal(haft_server_set_search(server, HAFT_WITH(haft_search, .pinned = "greet")), 0);
    wire = wire_open(server);
    wire_greet(wire, "2026-07-28");
    assert_string_equal(listed(wire), "greet " FIND);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- headers ---- */

/* A client cannot know the headers of a tool that is not in its list; those of call_tool are
 * checked. */
static void headers_are_those_of_call_tool(void **state)
{
    static const char message[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"call_tool\","
        "\"arguments\":{\"name\":\"count\",\"arguments\":{\"n\":4}},\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
    static const struct {
        const char *name;
        bool works;
    } rows[] = {{"call_tool", true}, {"count", false}};
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = wire_open(server);
        struct header_lines lines;
        haft_headers headers = {.peer = NULL};
        char text[256];
        const char *answer;

        snprintf(text, sizeof text,
                 "mcp-protocol-version: 2026-07-28\nmcp-method: tools/call\nmcp-name: %s\n",
                 rows[i].name);
        headers_read(&lines, text, &headers.list, &headers.n);
        haft_session_receive_http(wire->session, message, sizeof message - 1, &headers, NULL, 1);
        answer = wire_next(wire);
        assert_non_null(answer);
        assert_true(!strstr(answer, "\"next\":5") == !rows[i].works);
        wire_close(wire);
    }
    haft_server_free(server);
}

/* ---- memory ---- */

static haft_server *serve_unpinned(const haft_server_options *options)
{
    return serve_with(options, HAFT_WITH(haft_search, .above = 0));
}

static void survives_without_memory(void **state)
{
    static const char *const rows[] = {
        "\"name\":\"find_tools\",\"arguments\":{\"query\":\"greet\"}",
        "\"name\":\"describe_tool\",\"arguments\":{\"name\":\"greet\"}",
        "\"name\":\"call_tool\",\"arguments\":{\"name\":\"greet\",\"arguments\":{\"name\":\"Ann\"}}",
        "\"name\":\"call_tool\",\"arguments\":{\"name\":\"nope\"}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        wire_check_memory(serve_unpinned, "tools/call", rows[i], rows[i]);
    wire_check_memory(serve_unpinned, "tools/list", "", NULL);
}

/* Either all three tools are there, or none. */
static void settings_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server_options options =
            HAFT_INIT(haft_server_options, .allocator = &failing.allocator);
        haft_server *server;
        struct catalogue *catalogue;
        int status;

        failing_init(&failing, 0);
        server = serve_with(&options, NULL);
        failing.fail_at = failing.calls + nth;
        status = haft_server_set_search(server, HAFT_WITH(haft_search, .pinned = "greet"));
        assert_true(status == 0 || status == HAFT_ENOMEM);
        failing.fail_at = 0;
        catalogue = hf_catalogue_take(server);
        assert_int_equal(catalogue->lists[HAFT_OFFER_TOOL].n,
                         COUNT_OF(all_tools) + (status ? 0 : SEARCH_TOOLS));
        assert_true(!catalogue->search == !!status);
        hf_catalogue_drop(catalogue);
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_what_is_pinned),
        cmocka_unit_test(hints_are_the_strictest),
        cmocka_unit_test(finds_and_describes),
        cmocka_unit_test(bounds_results),
        cmocka_unit_test(hidden_tools_are_unknown),
        cmocka_unit_test(calls_are_those_of_the_tool),
        cmocka_unit_test(lenient_servers_read_strings),
        cmocka_unit_test(limits_are_those_of_the_tool),
        cmocka_unit_test(waits_like_the_tool),
        cmocka_unit_test(asks_like_the_tool),
        cmocka_unit_test(reports_name_the_tool),
        cmocka_unit_test(changes_are_announced),
        cmocka_unit_test(refuses_settings),
        cmocka_unit_test(headers_are_those_of_call_tool),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(settings_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
