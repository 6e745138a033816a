/* test_direct.c - arguments that are read from the text of their message: which, what comes of
 * them, and who can still have them as JSON. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/call.h"
#include "support/dialogue.h"
#include "support/failing.h"
#include "support/test.h"

/* ---- what is served ---- */

static bool went_direct; /* the latest call that a handler got */

HAFT_STRUCT(line, HAFT_STRING(sku, "What"), HAFT_INTEGER(n, "How many"));
HAFT_STRUCT(order, HAFT_STRING(who, "Whose"),
            HAFT_ARRAY(lines, HAFT_OBJECT(line, line, "A line"), "What"));

static int tell(haft_call *call, const order *in)
{
    int64_t sum = 0;

    went_direct = call->args.direct.of;
    for (size_t i = 0; i < in->n_lines; i++)
        sum += in->lines[i].n;
    return haft_text(call, "%s %zu %d %s", in->who, in->n_lines, (int)sum,
                     in->n_lines ? in->lines[0].sku : "none");
}
HAFT_TOOL_IN(tell, order, "Tells what it got");

/* Wants them both ways. */
static int repeat(haft_call *call, const order *in)
{
    haft_buffer text;
    int status;

    went_direct = call->args.direct.of;
    haft_buffer_init(&text, call->server->allocator, 1 << 20);
    haft_json_write(haft_call_arguments(call), &text);
    haft_buffer_add(&text, "", 1);
    status = text.status ? text.status : haft_text(call, "%s: %s", in->who, text.data);
    haft_buffer_finish(&text);
    return status;
}
HAFT_TOOL_IN(repeat, order, "Tells the arguments as JSON");

HAFT_STRUCT(choice, HAFT_BOOLEAN(yes, "Yes or no"));

static int confirm(haft_call *call, const order *in)
{
    choice reply;
    int status;

    went_direct = call->args.direct.of;
    status = haft_elicit(call, "sure", "Sure?", &choice_type, &reply);
    return status == HAFT_ACCEPTED ? haft_text(call, "%s is sure", in->who) : status;
}
HAFT_TOOL_IN(confirm, order, "Asks first");

HAFT_STRUCT(blob, HAFT_BYTES(bytes, "Bytes"));

static int weigh(haft_call *call, const blob *in)
{
    went_direct = call->args.direct.of;
    return haft_text(call, "%zu", in->bytes_size);
}
HAFT_TOOL_IN(weigh, blob, "Weighs");

static int say(haft_call *call, const void *arguments)
{
    return haft_text(call, "%s", *(const char *const *)arguments);
}
HAFT_STRUCT(words, HAFT_STRING(who, "Who"));
static const haft_prompt prompt =
    HAFT_INIT(haft_prompt, .name = "tell", .arguments = &words_type, .get = say);

static haft_server *serve(size_t from, const haft_allocator *allocator)
{
    static const unsigned char key[32] = "k";
    static const haft_tool *const tools[] = {&tell_tool, &repeat_tool, &confirm_tool};
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .allocator = allocator, .seal_key = key));

    if (!server)
        return NULL;
    server->limits.direct_from = from;
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        if (haft_add(server, tools[i])) {
            haft_server_free(server);
            return NULL;
        }
    if (haft_prompt_add(server, &prompt)) {
        haft_server_free(server);
        return NULL;
    }
    return server;
}

/* What is said to a message, in which ' stands for ". */
static void ask(haft_server *server, const char *message, char *ret_answer, size_t size)
{
    struct wire *wire = wire_open(server);
    char text[4096];
    const char *answer;

    wire_greet(wire, "2025-11-25");
    snprintf(text, sizeof text, "%s", message);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    went_direct = false;
    wire_send(wire, text);
    answer = wire_next(wire);
    snprintf(ret_answer, size, "%s", answer ? answer : "nothing");
    wire_close(wire);
}

/* ---- which ---- */

#define ENVELOPE "'jsonrpc':'2.0','id':7,'method':'tools/call','params':"
#define LINE "{'sku':'a','n':2}"
#define ORDER "{'who':'Ada','lines':[" LINE "]}"

static const struct {
    const char *message;
    bool direct;
} rows[] = {
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER "}}", true},
    {"{" ENVELOPE "{'_meta':{'a':[1,-2.5E+1,true,null,{}]},'name':'tell','arguments':" ORDER "}}",
     true},
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER ",'_meta':{'b':'\\n'}}}", true},
    {" { 'method' : 'tools/call' , 'params' : { 'name' : 'tell' , 'arguments' : " ORDER
     " } , 'jsonrpc' : '2.0' , 'id' : 'x' } ",
     true},
    {"{" ENVELOPE "{'name':'tell','arguments':{'who':'\xC3\x84','lines':[]}}}", true},
    {"{" ENVELOPE "{'name':'repeat','arguments':" ORDER "}}", true},
    /* in another order, or written otherwise */
    {"{" ENVELOPE "{'arguments':" ORDER ",'name':'tell'}}", false},
    {"{'params':{'name':'tell','arguments':" ORDER "},'jsonrpc':'2.0','id':7,"
     "'method':'tools/call'}",
     false},
    {"{" ENVELOPE "{'name':'t\\u0065ll','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'_meta':{'a':'\\n'},'name':'tell','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':{'lines':[],'who':'Ada'}}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':{'who':'A\\tda','lines':[]}}}", false},
    {"[{" ENVELOPE "{'name':'tell','arguments':" ORDER "}}]", false},
    /* wrong */
    {"{" ENVELOPE "{'name':'tell','arguments':{'who':1,'lines':[]}}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':{'who':'Ada'}}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':[]}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':null}}", false},
    {"{" ENVELOPE "{'name':'tell'}}", false},
    {"{" ENVELOPE "{'name':'nobody','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'name':7,'arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER "}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER "}}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER " 1}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':{'who':'Ada','lines':[" LINE, false},
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER ",'arguments':{}}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER ",'name':'repeat'}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER "},'params':{}}", false},
    {"{" ENVELOPE "{'name':'tell','arguments':" ORDER "},'method':'ping'}", false},
    {"{" ENVELOPE "{'_meta':{'a':]},'name':'tell','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'_meta':{'a':,},'name':'tell','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'_meta':[{'a':1],'name':'tell','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'_meta':nil,'name':'tell','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'_meta':1x,'name':'tell','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'_meta':$,'name':'tell','arguments':" ORDER "}}", false},
    {"{" ENVELOPE "{'_meta':'\x01','name':'tell','arguments':" ORDER "}}", false},
    {"{'jsonrpc':'2.0','id':7,'method':'tools/call','params':{'name':'tell','arguments':" ORDER
     "},'result':{}}",
     true},
    {"{'jsonrpc':'1.0','id':7,'method':'tools/call','params':{'name':'tell','arguments':" ORDER
     "}}",
     false},
    {"{'jsonrpc':'2.0','id':7,'method':'prompts/get','params':{'name':'tell','arguments':{"
     "'who':'Ada'}}}",
     false},
    {"{'jsonrpc':'2.0','method':'tools/call','params':{'name':'tell','arguments':" ORDER "}}",
     false},
    {"{'jsonrpc':'2.0','id':7,'method':'ping'}", false},
    {"{", false},
    {"{'jsonrpc", false},
};

/* Whichever way they are read, the answer is the same. */
static void ways_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *direct = serve(0, NULL), *plain = serve(SIZE_MAX, NULL);
        char answer[4096], other[4096];

        ask(plain, rows[i].message, other, sizeof other);
        assert_false(went_direct);
        ask(direct, rows[i].message, answer, sizeof answer);
        if (went_direct != rows[i].direct)
            fail_msg("%s: %s", rows[i].message, went_direct ? "straight" : "not straight");
        assert_string_equal(answer, other);
        haft_server_free(plain);
        haft_server_free(direct);
    }
}

/* Small messages are not worth it. */
static void large_ones_only(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    char message[4096] = "{" ENVELOPE "{'name':'tell','arguments':{'who':'Ada','lines':[" LINE;
    char answer[256];

    (void)state;
    assert_int_equal(haft_add(server, &tell_tool), 0);
    ask(server, rows[0].message, answer, sizeof answer);
    assert_false(went_direct);
    while (strlen(message) < server->limits.direct_from)
        snprintf(message + strlen(message), sizeof message - strlen(message), ",%s", LINE);
    snprintf(message + strlen(message), sizeof message - strlen(message), "]}}}");
    ask(server, message, answer, sizeof answer);
    assert_true(went_direct);
    assert_non_null(strstr(answer, "Ada 52 104 a"));
    haft_server_free(server);
}

/* ---- as JSON ---- */

/* A tool that wants them so is not read straight a second time. */
static void asked_once(void **state)
{
    static const char message[] = "{" ENVELOPE "{'name':'repeat','arguments':" ORDER "}}";
    haft_server *server = serve(0, NULL);
    char first[512], second[512];

    (void)state;
    ask(server, message, first, sizeof first);
    assert_true(went_direct);
    assert_non_null(strstr(first, "Ada: {\\\"who\\\":\\\"Ada\\\",\\\"lines\\\":"
                                  "[{\\\"sku\\\":\\\"a\\\",\\\"n\\\":2}]}"));
    ask(server, message, second, sizeof second);
    assert_false(went_direct);
    assert_string_equal(first, second);
    haft_server_free(server);
}

/* A stage that has seen them may have changed them. */
static int change(haft_call *call, void *data)
{
    yyjson_val *who = yyjson_obj_get(haft_call_arguments(call), "who");

    (void)data;
    unsafe_yyjson_set_strn(who, "Bob", 3);
    return 0;
}
static const haft_stage changer = HAFT_INIT(haft_stage, .name = "changer", .before = change);

static void stages_come_first(void **state)
{
    haft_server *server = serve(0, NULL);
    char answer[512];

    (void)state;
    assert_int_equal(haft_stage_add(server, &changer), 0);
    for (int i = 0; i < 2; i++) {
        ask(server, rows[0].message, answer, sizeof answer);
        assert_non_null(strstr(answer, "Bob 1 2 a"));
    }
    haft_server_free(server);
}

/* The state of an unfinished call is bound to the arguments, whichever way they were read. */
static const char *answer_with(struct wire *wire, const char *who, const char *state)
{
    char request[2048];

    snprintf(request, sizeof request,
             "\"name\":\"confirm\",\"arguments\":{\"who\":\"%s\",\"lines\":[]},"
             "\"requestState\":\"%.*s\",\"inputResponses\":{\"sure\":{\"action\":\"accept\","
             "\"content\":{\"yes\":true}}}",
             who, (int)strcspn(state, "\""), state);
    return wire_call(wire, "tools/call", request);
}

static int replace(haft_call *call, void *data)
{
    static const char json[] = "{\"who\":\"Bob\",\"lines\":[]}";

    (void)data;
    return haft_call_set_arguments(call, json, sizeof json - 1);
}
static const haft_stage replacer = HAFT_INIT(haft_stage, .name = "replacer", .before = replace);

static void sealed(void **state)
{
    (void)state;
    for (int replaced = 0; replaced < 2; replaced++) {
        haft_server *server = serve(0, NULL);
        struct wire *wire = wire_open(server);
        char text[1024];
        const char *got;

        if (replaced)
            assert_int_equal(haft_stage_add(server, &replacer), 0);
        wire_greet(wire, "2026-07-28");
        got = wire_call(wire, "tools/call",
                        "\"name\":\"confirm\",\"arguments\":{\"who\":\"Ada\",\"lines\":[]}");
        assert_int_equal(went_direct, !replaced);
        got = strstr(got, "\"requestState\":\"");
        assert_non_null(got);
        snprintf(text, sizeof text, "%s", got + strlen("\"requestState\":\""));
        assert_non_null(strstr(answer_with(wire, "Eve", text), "\"error\""));
        got = answer_with(wire, "Ada", text);
        if (!strstr(got, replaced ? "Bob is sure" : "Ada is sure"))
            fail_msg("%s", got);
        wire_close(wire);
        haft_server_free(server);
    }
}

/* Who asks at the same time as another gets the same. */
static void *ask_for_json(void *call)
{
    return haft_call_arguments(call);
}

static int ask_twice(haft_call *call, const order *in)
{
    pthread_t other;
    void *theirs = NULL;
    haft_value *ours;

    went_direct = call->args.direct.of;
    assert_int_equal(pthread_create(&other, NULL, ask_for_json, call), 0);
    ours = haft_call_arguments(call);
    pthread_join(other, &theirs);
    return ours && ours == theirs ? haft_text(call, "%s", in->who) : HAFT_EINVAL;
}
HAFT_TOOL_IN(ask_twice, order, "Asks on two threads");

static void asked_by_two(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        haft_server *server = serve(0, NULL);
        char answer[512];

        assert_int_equal(haft_add(server, &ask_twice_tool), 0);
        ask(server, "{" ENVELOPE "{'name':'ask_twice','arguments':" ORDER "}}", answer,
            sizeof answer);
        assert_true(went_direct);
        assert_non_null(strstr(answer, "Ada"));
        haft_server_free(server);
    }
}

/* ---- between reading and running ---- */

static haft_incoming *read_early(struct wire *wire, const char *params)
{
    char text[1024];

    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{%s}}", params);
    return haft_incoming_read(wire->session, text, strlen(text), NULL, wire->now);
}

/* The name has come to mean another tool, whose struct is another. */
static void tools_may_change(void **state)
{
    haft_tool other = weigh_tool;
    static const char params[] = "\"name\":\"tell\",\"arguments\":{\"who\":\"Ada\",\"lines\":[]}";
    haft_server *server = serve(0, NULL);
    struct wire *wire = wire_open(server);
    haft_incoming *message;
    const char *answer;

    (void)state;
    other.name = "tell";
    wire_greet(wire, "2025-11-25");
    message = read_early(wire, params);
    assert_non_null(((haft_call *)message)->args.direct.of);
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "tell"), 0);
    assert_int_equal(haft_add(server, &other), 0);
    haft_incoming_process(message, wire->session, NULL);
    answer = wire_next(wire);
    while (strstr(answer, "list_changed"))
        answer = wire_next(wire);
    assert_non_null(strstr(answer, "Unrecognized keys"));

    message = read_early(wire, params);
    haft_incoming_drop(message);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- memory ---- */

#define CALL(name)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"" name         \
    "\",\"arguments\":{\"who\":\"Ada\",\"lines\":[{\"sku\":\"a\",\"n\":2}]}}}"

static void memory_may_fail(void **state)
{
    static const char *const messages[] = {
        CALL("tell"),
        CALL("repeat"),
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(messages); i++)
        for (size_t nth = 1;; nth++) {
            struct failing memory;
            haft_server *server;
            struct wire *wire;

            failing_init(&memory, 0);
            server = serve(0, &memory.allocator);
            assert_non_null(server);
            wire = wire_open(server);
            wire_greet(wire, "2025-11-25");
            memory.fail_at = memory.calls + nth;
            if (!wire_send(wire, messages[i])) {
                const char *got = wire_next(wire);

                assert_non_null(got);
                assert_true(memory.failures || strstr(got, "Ada"));
            }
            wire_close(wire);
            haft_server_free(server);
            failing_check(&memory);
            if (!memory.failures)
                break;
        }
}

/* Where elements are counted, arguments are read the long way: there is nothing to count in those
 * that came straight. */
static void elements_are_counted(void **state)
{
    static const struct {
        const char *message, *says;
    } calls[] = {
        {"{" ENVELOPE "{'name':'tell','arguments':" ORDER "}}", "Ada 1 2 a"},
        {"{" ENVELOPE "{'name':'tell','arguments':{'who':'Ada','lines':[" LINE "," LINE "]}}}",
         "more than the maximum of 7 elements"},
    };
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .max_elements = 7));

    (void)state;
    server->limits.direct_from = 0;
    assert_int_equal(haft_add(server, &tell_tool), 0);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        char answer[1024];

        ask(server, calls[i].message, answer, sizeof answer);
        if (!strstr(answer, calls[i].says) || went_direct)
            fail_msg("row %zu: %s", i, answer);
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_agree),
        cmocka_unit_test(large_ones_only),
        cmocka_unit_test(asked_once),
        cmocka_unit_test(stages_come_first),
        cmocka_unit_test(sealed),
        cmocka_unit_test(asked_by_two),
        cmocka_unit_test(tools_may_change),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(elements_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
