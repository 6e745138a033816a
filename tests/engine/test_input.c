/* test_input.c - asking in the middle of a call: the same handlers in every era, answered well and
 * badly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "engine/input.h"
#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

HAFT_STRUCT(person_form, HAFT_STRING(name, "Your name", .min = 1),
            HAFT_DEFAULT(HAFT_INTEGER(age, "Your age", .min = 0), 30));

static int greet(haft_call *call)
{
    person_form form;
    int answer = haft_elicit(call, "who", "Who are \"you\"?", &person_form_type, &form);

    switch (answer) {
    case HAFT_ACCEPTED:
        return haft_text(call, "Hello, %s (%d)!", form.name, (int)form.age);
    case HAFT_DECLINED:
        return haft_text(call, "declined");
    case HAFT_DISMISSED:
        return haft_text(call, "dismissed");
    default:
        return answer;
    }
}
HAFT_TOOL_BARE(greet, "Greets a person");

static int own_form(haft_call *call)
{
    haft_value *content = NULL;
    int answer = haft_elicit_json(call, "f", "M",
                                  "{\n \"type\": \"object\",\n \"properties\": {}\n}", &content);

    return answer == HAFT_ACCEPTED ? haft_text(call, "%d keys", (int)yyjson_obj_size(content))
                                   : answer;
}
HAFT_TOOL_BARE(own_form, "Has a form of its own");

static int open_page(haft_call *call)
{
    int answer = haft_elicit_url(call, "u\"rl", "Sign in", "https://example.com/a?b=%22c%22");

    return answer >= HAFT_DECLINED ? haft_text(call, "%d", answer) : answer;
}
HAFT_TOOL_BARE(open_page, "Opens a page");

static int sample(haft_call *call)
{
    haft_value *result = NULL;
    int status = haft_sample(call, "s", "{\"messages\": [],\n \"maxTokens\": 5}", &result);

    return status ? status : haft_text(call, "%s", yyjson_get_str(yyjson_obj_get(result, "model")));
}
HAFT_TOOL_BARE(sample, "Asks a model");

static int sample_tools(haft_call *call)
{
    haft_value *result = NULL;

    return haft_sample(call, "s", "{\"messages\":[],\"maxTokens\":5,\"tools\":[]}", &result);
}
HAFT_TOOL_BARE(sample_tools, "Asks a model that has tools");

static int sample_choice(haft_call *call)
{
    haft_value *result = NULL;

    return haft_sample(call, "s", "{\"messages\":[],\"maxTokens\":5,\"toolChoice\":{}}", &result);
}
HAFT_TOOL_BARE(sample_choice, "Says which tools a model may use");

static int roots(haft_call *call)
{
    haft_value *array = NULL;
    int status = haft_roots(call, "r", &array);

    return status ? status : haft_text(call, "%d roots", (int)yyjson_arr_size(array));
}
HAFT_TOOL_BARE(roots, "Asks for roots");

/* Three questions at once, then one more, with a state of its own. */
static int several(haft_call *call)
{
    haft_value *array, *result, *content;
    int a = haft_elicit_json(call, "a", "A", EMPTY_FORM, &content);
    int b = haft_sample(call, "b", "{\"messages\":[],\"maxTokens\":1}", &result);
    int c = haft_roots(call, "c", &array);
    int d;

    if (a < 0 || b < 0 || c < 0)
        return HAFT_ECAPABILITY;
    if (a == HAFT_AGAIN || b == HAFT_AGAIN || c == HAFT_AGAIN)
        return HAFT_AGAIN;
    if (!haft_call_state(call) && haft_call_set_state(call, "second \"round\""))
        return HAFT_ENOMEM;
    d = haft_elicit_json(call, "d", "D", EMPTY_FORM, &content);
    if (d == HAFT_AGAIN || d < 0)
        return d;
    return haft_text(call, "%d %d %d %d %s", a, b, c, d, haft_call_state(call));
}
HAFT_TOOL_BARE(several, "Asks a lot");

static int endless(haft_call *call)
{
    haft_value *content;
    char key[16];
    int n = haft_call_state(call) ? (int)strtol(haft_call_state(call), NULL, 10) + 1 : 1;

    snprintf(key, sizeof key, "%d", n);
    if (haft_call_set_state(call, key))
        return HAFT_ENOMEM;
    return haft_elicit_json(call, key, "More?", EMPTY_FORM, &content);
}
HAFT_TOOL_BARE(endless, "Never has enough");

static int again_for_nothing(haft_call *call)
{
    (void)call;
    return HAFT_AGAIN;
}
HAFT_TOOL_BARE(again_for_nothing, "Wants to be called again without a question");

static int bad_json(haft_call *call)
{
    haft_value *result = NULL;

    assert_int_equal(haft_sample(call, "s", "{", &result), HAFT_EPARSE);
    assert_int_equal(haft_sample(call, "s", "[]", &result), HAFT_EINVAL);
    assert_int_equal(haft_sample(call, "s", "{\"maxTokens\":1}", &result), HAFT_EINVAL);
    assert_int_equal(haft_sample(call, "s", "{\"messages\":[]}", &result), HAFT_EINVAL);
    assert_int_equal(haft_elicit_json(call, "e", "m", "nope", &result), HAFT_EPARSE);
    return haft_text(call, "refused");
}
HAFT_TOOL_BARE(bad_json, "Asks in no JSON");

/* A method of the program's own that asks twice, the second time with a state. */
static int order(haft_call *call, haft_value *params, void *data)
{
    haft_value *content = NULL;
    char json[128];
    int first = haft_elicit_json(call, "a", "Sure?", EMPTY_FORM, &content), second;

    (void)data;
    if (first < 0 || first == HAFT_AGAIN)
        return first;
    if (!haft_call_state(call) && haft_call_set_state(call, "sure"))
        return HAFT_ENOMEM;
    second = haft_elicit_json(call, "b", "Really?", EMPTY_FORM, &content);
    if (second < 0 || second == HAFT_AGAIN)
        return second;
    snprintf(json, sizeof json, "{\"thing\":\"%s\",\"answers\":[%d,%d],\"state\":\"%s\"}",
             yyjson_get_str(yyjson_obj_get(params, "thing")), first, second, haft_call_state(call));
    return haft_json(call, json, strlen(json));
}

static int incapable(haft_call *call)
{
    (void)call;
    return HAFT_ECAPABILITY;
}
HAFT_TOOL_BARE(incapable, "Says itself that the client cannot");

static const unsigned char key[32] = "a key that tests may well know..";

static haft_server *serve(bool sealed)
{
    static const haft_tool *const tools[] = {
        &greet_tool,    &own_form_tool,     &open_page_tool,
        &sample_tool,   &sample_tools_tool, &roots_tool,
        &several_tool,  &endless_tool,      &again_for_nothing_tool,
        &bad_json_tool, &incapable_tool,    &sample_choice_tool};
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .seal_key = sealed ? key : NULL));

    assert_non_null(server);
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, tools[i]), 0);
    assert_int_equal(haft_on(server, "acme/order", order, NULL), 0);
    return server;
}

/* ---- legacy clients ---- */

#define FORM                                                                                       \
    "'message':'Who are \\'you\\'?','requestedSchema':{'type':'object','properties':{'name':{"     \
    "'type':'string','description':'Your name','minLength':1},'age':{'type':'integer',"            \
    "'description':'Your age','minimum':0,'default':30}},'required':['name']}}"
#define FORM_11 "{'mode':'form'," FORM
#define FORM_06 "{" FORM
static void checks_legacy(void **state)
{
    haft_server *server = serve(false);

    (void)state;
    dialogue_alone(
        server,
        LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'greet'}",
              "? 1 elicitation/create " FORM_11, "R 2 ping", "= 2 {}",
              ANSWER("1", "{'action':'accept','content':{'name':'Ann','age':7}}"),
              "= 1 " SAID("Hello, Ann (7)!"),
              /* answered twice, by nobody, about nothing */
              ANSWER("1", "{'action':'accept','content':{'name':'Bob'}}"), ANSWER("'1'", "{}"),
              ANSWER("99", "{}"), "R 3 tools/call {'name':'greet'}", "? 2 elicitation/create *",
              ANSWER("2", "{'action':'decline'}"), "= 3 " SAID("declined"),
              "R 4 tools/call {'name':'greet'}", "? 3 elicitation/create *",
              ANSWER("3", "{'action':'cancel'}"), "= 4 " SAID("dismissed"),
              /* bad content is asked for again */
              "R 5 tools/call {'name':'greet'}", "? 4 elicitation/create *",
              ANSWER("4", "{'action':'accept'}"), "? 5 elicitation/create *",
              ANSWER("5", "{'action':'accept','content':{'name':''}}"), "? 6 elicitation/create *",
              ANSWER("6", "{'action':'accept','content':{'name':'Eve'}}"),
              "= 5 " SAID("Hello, Eve (30)!"),
              /* the client cannot after all */
              "R 6 tools/call {'name':'greet'}", "? 7 elicitation/create *",
              "> {'jsonrpc':'2.0','id':7,'error':{'code':-32601,'message':'no'}}",
              "= 6 " FAILED("The tool needs input of a kind that the client does not support."),
              "R 7 tools/call {'name':'greet'}", "? 8 elicitation/create *", ANSWER("8", "7"),
              "= 7 " FAILED("The tool needs input of a kind that the client does not support.")));
    dialogue_alone(server,
                   LINES(GREETING("2025-06-18", "{'elicitation':{}}"),
                         "R 1 tools/call {'name':'greet'}", "? 1 elicitation/create " FORM_06,
                         ANSWER("1", "{'action':'accept','content':{'name':'Ann'}}"),
                         "= 1 " SAID("Hello, Ann (30)!")));
    haft_server_free(server);
}

static void legacy_kinds(void **state)
{
    haft_server *server = serve(false);

    (void)state;
    dialogue_alone(
        server,
        LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'own_form'}",
              "? 1 elicitation/create {'mode':'form','message':'M','requestedSchema':{"
              "'type':'object',"
              "'properties':{}}}",
              ANSWER("1", "{'action':'accept','content':{'a':1,'b':2}}"), "= 1 " SAID("2 keys"),
              "R 2 tools/call {'name':'open_page'}",
              "? 2 elicitation/create {'elicitationId':'1-2','mode':'url','message':'Sign in',"
              "'url':'https://example.com/a?b=%22c%22'}",
              ANSWER("2", "{'action':'accept'}"), "= 2 " SAID("12"),
              "R 3 tools/call {'name':'sample'}",
              "? 3 sampling/createMessage {'messages':[],'maxTokens':5}",
              ANSWER("3", "{'model':'m','role':'assistant','content':{'type':'text','text':''}}"),
              "= 3 " SAID("m"), "R 4 tools/call {'name':'roots'}", "? 4 roots/list",
              ANSWER("4", "{'roots':[{'uri':'file:///a'},{'uri':'file:///b'}]}"),
              "= 4 " SAID("2 roots"), "R 5 tools/call {'name':'roots'}", "? 5 roots/list",
              ANSWER("5", "{'roots':5}"), "? 6 roots/list", ANSWER("6", "{'roots':[]}"),
              "= 5 " SAID("0 roots"), "R 6 tools/call {'name':'bad_json'}",
              "= 6 " SAID("refused")));
    haft_server_free(server);
}

static void legacy_several(void **state)
{
    haft_server *server = serve(false);

    (void)state;
    dialogue_alone(
        server,
        LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'several'}",
              "? 1 elicitation/create *", "? 2 sampling/createMessage *", "? 3 roots/list",
              ANSWER("3", "{'roots':[]}"), ANSWER("1", "{'action':'accept','content':{}}"),
              ANSWER("2", "{'model':'m'}"), "? 4 elicitation/create *",
              ANSWER("4", "{'action':'decline'}"), "= 1 " SAID("12 0 0 10 second \\'round\\'"),
              /* two calls ask at the same time */
              "R 2 tools/call {'name':'roots'}", "? 5 roots/list",
              "R 3 tools/call {'name':'roots'}", "? 6 roots/list", ANSWER("6", "{'roots':[]}"),
              "= 3 " SAID("0 roots"), ANSWER("5", "{'roots':[1]}"), "= 2 " SAID("1 roots")));
    haft_server_free(server);
}

/* ---- what may be asked ---- */

/* Whoever asks what about, the addresses are told apart in the whole server. */
static void address_ids(void **state)
{
    haft_server *server = serve(false);
    struct wire *wires[2] = {wire_open(server), wire_open(server)};

    (void)state;
    for (int i = 0; i < 2; i++)
        dialogue(wires[i], LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'open_page'}",
                                 i ? "? 1 elicitation/create {'elicitationId':'2-1',*}"
                                   : "? 1 elicitation/create {'elicitationId':'1-1',*}",
                                 "R 2 tools/call {'name':'open_page'}",
                                 i ? "? 2 elicitation/create {'elicitationId':'2-2',*}"
                                   : "? 2 elicitation/create {'elicitationId':'1-2',*}"));
    for (int i = 0; i < 2; i++)
        wire_close(wires[i]);
    haft_server_free(server);
}

/* Enough is enough. */
static void legacy_limits(void **state)
{
    haft_server *server = serve(false);
    struct wire *wire = wire_open(server);
    const char *heard;

    (void)state;
    wire_greet(wire, "2025-11-25");
    heard = wire_call(wire, "tools/call", "\"name\":\"endless\"");
    for (int i = 1; i <= 8; i++) {
        char answer[128];

        assert_non_null(strstr(heard, "elicitation/create"));
        snprintf(
            answer, sizeof answer,
            "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"action\":\"accept\",\"content\":{}}}", i);
        wire_send(wire, answer);
        heard = wire_next(wire);
    }
    assert_non_null(strstr(heard, "The tool failed."));
    dialogue(wire, LINES("R 9 tools/call {'name':'again_for_nothing'}",
                         "= 9 " FAILED("The tool failed.")));
    wire_close(wire);
    haft_server_free(server);
}

/* The answer does not come; the call is taken back; the session ends. */
static void legacy_unanswered(void **state)
{
    haft_server *server = serve(false);

    (void)state;
    dialogue_alone(
        server, LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'greet'}",
                      "? 1 elicitation/create *", "+ 30000", "+ 569999", "+ 1",
                      "~ notifications/cancelled {'requestId':1,'reason':'timed out'}",
                      "= 1 " FAILED("timed out after 600 s"), ANSWER("1", "{'action':'decline'}"),
                      "R 2 tools/call {'name':'roots'}", "? 2 roots/list",
                      "N notifications/cancelled {'requestId':2}", ANSWER("2", "{'roots':[]}"),
                      "R 3 tools/call {'name':'roots'}", "? 3 roots/list"));
    dialogue_alone(
        server, LINES(GREETING("2025-03-26", "{'roots':{}}"),
                      "> [{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'roots'}},"
                      "{'jsonrpc':'2.0','id':2,'method':'ping'}]",
                      "? 1 roots/list"));
    haft_server_free(server);
}

/* What a client has not declared it is not asked. */
static void checks_capabilities(void **state)
{
    static const struct {
        const char *tool, *revision, *capabilities, *required; /* NULL: it can be asked */
        bool legacy;                                           /* a modern one can be */
    } rows[] = {
        {"greet", "2025-11-25", "{}", "{'elicitation':{'form':{}}}", false},
        {"greet", "2025-11-25", "{'elicitation':{}}", NULL, false},
        {"greet", "2025-11-25", "{'elicitation':{'form':{}}}", NULL, false},
        {"greet", "2025-11-25", "{'elicitation':{'url':{}}}", "{'elicitation':{'form':{}}}", false},
        {"greet", "2025-11-25", "{'elicitation':false}", "{'elicitation':{'form':{}}}", false},
        {"greet", "2025-03-26", "{'elicitation':{}}", "{'elicitation':{'form':{}}}", true},
        {"open_page", "2025-11-25", "{'elicitation':{}}", "{'elicitation':{'url':{}}}", false},
        {"open_page", "2025-06-18", ALL, "{'elicitation':{'url':{}}}", true},
        {"open_page", "2025-11-25", "{'elicitation':{'url':{}}}", NULL, false},
        {"sample", "2024-11-05", "{'roots':{}}", "{'sampling':{}}", false},
        {"sample", "2024-11-05", "{'sampling':{}}", NULL, false},
        {"sample_tools", "2025-11-25", "{'sampling':{}}", "{'sampling':{'tools':{}}}", false},
        {"sample_tools", "2025-11-25", "{'sampling':{'tools':{}}}", NULL, false},
        {"sample_choice", "2025-11-25", "{'sampling':{}}", "{'sampling':{'tools':{}}}", false},
        {"roots", "2024-11-05", "{}", "{'roots':{}}", false},
        {"roots", "2024-11-05", "{'roots':{'listChanged':true}}", NULL, false},
    };
    haft_server *server = serve(true);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = wire_open(server);
        char greeting[256], call[512], refusal[512];

        snprintf(greeting, sizeof greeting,
                 "R 0 initialize {'protocolVersion':'%s','capabilities':%s}", rows[i].revision,
                 rows[i].capabilities);
        snprintf(call, sizeof call, "R 1 tools/call {'name':'%s'}", rows[i].tool);
        if (rows[i].required)
            dialogue(
                wire,
                LINES(greeting, "= 0 *", call,
                      "= 1 " FAILED(
                          "The tool needs input of a kind that the client does not support.")));
        else
            dialogue(wire, LINES(greeting, "= 0 *", call, "< {'jsonrpc':'2.0','id':1,'method':*"));
        /* The same of a modern client, which says it with the request. */
        if (!rows[i].legacy) {
            snprintf(
                call, sizeof call,
                "> {'jsonrpc':'2.0','id':2,'method':'tools/call','params':{'name':'%s','_meta':{"
                "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                "'io.modelcontextprotocol/clientCapabilities':%s}}}",
                rows[i].tool, rows[i].capabilities);
            snprintf(refusal, sizeof refusal,
                     "< {'jsonrpc':'2.0','id':2,'error':{'code':-32021,'message':'Missing required "
                     "client capability','data':{'requiredCapabilities':%s}}}",
                     rows[i].required ? rows[i].required : "");
            dialogue(wire, LINES(call, rows[i].required ? refusal
                                                        : "= 2 {'resultType':'input_required',*"));
        }
        wire_close(wire);
    }
    dialogue_alone(server, LINES("A 1 tools/call 'name':'incapable'",
                                 "< {'jsonrpc':'2.0','id':1,'error':{'code':-32021,'message':"
                                 "'Missing required client capability','data':{"
                                 "'requiredCapabilities':{}}}}"));
    haft_server_free(server);
}

/* ---- modern clients ---- */

/* What a modern call came to: the state it brought, "" for none. */
static void state_of(const char *answer, char ret_state[2048])
{
    const char *at = answer ? strstr(answer, "\"requestState\":\"") : NULL;
    size_t size = at ? strcspn(at + 16, "\"") : 0;

    assert_true(size < 2048);
    if (at)
        memcpy(ret_state, at + 16, size);
    ret_state[size] = '\0';
}

/* Calls a tool, with answers and a state if there are any. */
static const char *call_with(struct wire *wire, const char *tool, const char *responses,
                             const char *state)
{
    char params[4096];

    wire->modern = true;
    snprintf(params, sizeof params, "\"name\":\"%s\"%s%s%s%s%s", tool,
             responses ? ",\"inputResponses\":" : "", responses ? responses : "",
             state ? ",\"requestState\":\"" : "", state ? state : "", state ? "\"" : "");
    return wire_call(wire, "tools/call", params);
}

static void checks_modern(void **unused)
{
    haft_server *server = serve(true);
    struct wire *wire = wire_open(server);
    char state[2048], second[2048];
    const char *answer;

    (void)unused;
    dialogue(wire, LINES("A 100 tools/call 'name':'greet'",
                         "= 100 {'resultType':'input_required','inputRequests':{'who':{'method':"
                         "'elicitation/create','params':" FORM_11 "}},'requestState':'*','_meta':{"
                         "'io.modelcontextprotocol/serverInfo':{'name':'test','version':'1'}}}"));
    state_of(call_with(wire, "greet", NULL, NULL), state);
    assert_true(state[0]);
    answer = call_with(wire, "greet",
                       "{\"who\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}}", state);
    assert_non_null(strstr(answer, "Hello, Ann (30)!"));
    assert_non_null(strstr(answer, "\"resultType\":\"complete\""));
    /* Without the state too: this question came first. */
    answer = call_with(wire, "greet", "{\"who\":{\"action\":\"decline\"},\"more\":{}}", NULL);
    assert_non_null(strstr(answer, "declined"));
    /* A wrong key, no answers, bad content: it is asked again. */
    assert_non_null(strstr(call_with(wire, "greet", "{\"how\":{}}", state), "input_required"));
    assert_non_null(strstr(call_with(wire, "greet", "null", state), "input_required"));
    assert_non_null(strstr(call_with(wire, "greet", NULL, state), "input_required"));
    answer = call_with(wire, "greet", "{\"who\":{\"action\":\"accept\"}}", state);
    assert_non_null(
        strstr(answer, "\"inputRequests\":{\"who\":{\"method\":\"elicitation/create\""));
    state_of(answer, second);
    answer = call_with(wire, "greet",
                       "{\"who\":{\"action\":\"accept\",\"content\":{\"name\":\"\"}}}", second);
    assert_non_null(
        strstr(answer, "\"inputRequests\":{\"who\":{\"method\":\"elicitation/create\""));
    /* An answer that is none at all. */
    assert_non_null(strstr(call_with(wire, "greet", "{\"who\":12345}", state), "-32602"));
    assert_non_null(strstr(call_with(wire, "greet", "[]", state), "-32602"));
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
    haft_server_free(server);
}

static void modern_rounds(void **unused)
{
    haft_server *server = serve(true);
    struct wire *wire = wire_open(server);
    char first[2048], state[2048];
    const char *answer;

    (void)unused;
    answer = call_with(wire, "several", NULL, NULL);
    assert_non_null(strstr(answer, "\"inputRequests\":{\"a\":{\"method\":\"elicitation/create\""));
    assert_non_null(strstr(answer, "\"b\":{\"method\":\"sampling/createMessage\""));
    assert_non_null(strstr(answer, "\"c\":{\"method\":\"roots/list\",\"params\":{}}}"));
    state_of(answer, first);
    /* One is left unanswered: only that one is asked again. */
    answer =
        call_with(wire, "several",
                  "{\"a\":{\"action\":\"accept\",\"content\":{}},\"b\":{\"model\":\"m\"}}", first);
    assert_non_null(strstr(answer, "\"inputRequests\":{\"c\":{"));
    assert_null(strstr(answer, "elicitation/create"));
    state_of(answer, state);
    assert_string_not_equal(state, first);
    answer = call_with(wire, "several", "{\"c\":{\"roots\":[]}}", state);
    assert_non_null(strstr(answer, "\"inputRequests\":{\"d\":{"));
    state_of(answer, state);
    answer = call_with(wire, "several", "{\"d\":{\"action\":\"cancel\"}}", state);
    assert_non_null(strstr(answer, "12 0 0 11 second \\\"round\\\""));
    /* Enough is enough. */
    answer = call_with(wire, "endless", NULL, NULL);
    for (int i = 1; i <= 8; i++) {
        char responses[64];

        assert_non_null(strstr(answer, "input_required"));
        state_of(answer, state);
        snprintf(responses, sizeof responses, "{\"%d\":{\"action\":\"decline\"}}", i);
        answer = call_with(wire, "endless", responses, state);
    }
    assert_non_null(strstr(answer, "The tool failed."));
    wire_close(wire);
    haft_server_free(server);
}

/* Methods of the program's own ask as tools do. */
static void own_method(void **unused)
{
    static const struct {
        const char *params; /* of the second round */
        const char *heard;
    } rows[] = {
        {"\"thing\":\"tea\"", "\"inputRequests\":{\"b\":{"},
        {"\"thing\":\"gold\"", "-32602"}, /* what was agreed to is something else */
        {"\"more\":1,\"thing\":\"tea\"", "-32602"},
    };
    haft_server *server = serve(true);
    struct wire *wire = wire_open(server);
    char first[2048], state[2048], params[4096];
    const char *answer = NULL;

    (void)unused;
    dialogue(wire, LINES(GREETING("2025-11-25", ALL), "R 1 acme/order {'thing':'tea'}",
                         "? 1 elicitation/create *", ANSWER("1", "{'action':'decline'}"),
                         "? 2 elicitation/create *", ANSWER("2", "{'action':'cancel'}"),
                         "= 1 {'thing':'tea','answers':[10,11],'state':'sure'}"));
    dialogue(wire, LINES("M 2 acme/order 'thing':'tea'",
                         "< {'jsonrpc':'2.0','id':2,'error':{'code':-32021,'message':'Missing "
                         "required client capability','data':{'requiredCapabilities':{"
                         "'elicitation':{'form':{}}}}}}"));
    wire->modern = true;
    wire->next_id = 10;
    state_of(wire_call(wire, "acme/order", "\"thing\":\"tea\""), first);
    assert_true(first[0]);
    for (size_t i = COUNT_OF(rows); i-- > 0;) {
        snprintf(params, sizeof params,
                 "%s,\"inputResponses\":{\"a\":{\"action\":\"decline\"}},\"requestState\":\"%s\"",
                 rows[i].params, first);
        answer = wire_call(wire, "acme/order", params);
        assert_non_null(strstr(answer, rows[i].heard));
    }
    state_of(answer, state);
    snprintf(params, sizeof params,
             "\"thing\":\"tea\",\"inputResponses\":{\"b\":{\"action\":\"cancel\"}},"
             "\"requestState\":\"%s\"",
             state);
    answer = wire_call(wire, "acme/order", params);
    assert_non_null(
        strstr(answer, "{\"thing\":\"tea\",\"answers\":[10,11],\"state\":\"sure\",\"resultType\""));
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- time ---- */

static haft_call *late_call;

/* Asks, and then takes its time. */
static int late(haft_call *call)
{
    haft_value *content;
    int answer = haft_elicit_json(call, "sure", "Sure?", EMPTY_FORM, &content);

    late_call = call;
    return answer < HAFT_DECLINED ? answer : HAFT_PENDING;
}
HAFT_TOOL_BARE(late, "Asks, and is late", .quick = true, .timeout_ms = 1000);

/* A person has ten minutes to answer; the handler has its own time again after that. */
static void has_its_deadline_again_after_an_answer(void **state)
{
    haft_server *server = serve(false);
    struct wire *wire;

    (void)state;
    assert_int_equal(haft_add(server, &late_tool), 0);
    wire = wire_open(server);
    dialogue(wire, LINES(GREETING("2025-11-25", "{'elicitation':{}}"),
                         "R 1 tools/call {'name':'late'}", "? 1 elicitation/create *", "+ 300000",
                         ANSWER("1", "{'action':'accept','content':{}}"), "+ 999", "R 2 ping",
                         "= 2 {}", "+ 1", "= 1 " FAILED("timed out after 1 s")));
    haft_finish(late_call, 0);
    wire_close(wire);
    haft_server_free(server);
}

static void no_seal_key(void **state)
{
    haft_server *server = serve(false);

    (void)state;
    dialogue_alone(server, LINES("A 1 tools/call 'name':'greet'", "! 1 -32603 Internal error",
                                 "M 2 tools/call 'name':'greet','requestState':'AAAA'",
                                 "< {'jsonrpc':'2.0','id':2,'error':{'code':-32602,'message':"
                                 "'Invalid or expired requestState','data':{'reason':"
                                 "'invalid_request_state'}}}"));
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_legacy),
        cmocka_unit_test(legacy_kinds),
        cmocka_unit_test(legacy_several),
        cmocka_unit_test(address_ids),
        cmocka_unit_test(legacy_limits),
        cmocka_unit_test(legacy_unanswered),
        cmocka_unit_test(checks_capabilities),
        cmocka_unit_test(checks_modern),
        cmocka_unit_test(modern_rounds),
        cmocka_unit_test(own_method),
        cmocka_unit_test(no_seal_key),
        cmocka_unit_test(has_its_deadline_again_after_an_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
