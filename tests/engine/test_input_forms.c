/* test_input_forms.c - what a call may ask of its client: forms and addresses, right and wrong. */
#include <stdio.h>
#include <string.h>

#include "engine/input.h"
#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

/* A form and an address that a test chooses. */
static const char *chosen_form, *chosen_url;

static int any_form(haft_call *call)
{
    haft_value *content = NULL;
    int answer = haft_elicit_json(call, "f", "M", chosen_form, &content);

    return answer >= HAFT_DECLINED ? haft_text(call, "%d", answer) : answer;
}
HAFT_TOOL_BARE(any_form, "Has the form of the day");

static int any_page(haft_call *call)
{
    int answer = haft_elicit_url(call, "u", "M", chosen_url);

    return answer >= HAFT_DECLINED ? haft_text(call, "%d", answer) : answer;
}
HAFT_TOOL_BARE(any_page, "Opens the page of the day");

static const unsigned char key[32] = "a key that tests may well know..";

static haft_server *serve(bool sealed)
{
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .seal_key = sealed ? key : NULL));

    assert_non_null(server);
    assert_int_equal(haft_add(server, &any_form_tool), 0);
    assert_int_equal(haft_add(server, &any_page_tool), 0);
    return server;
}

/* ---- what may be asked ---- */

static char said[512]; /* to the log, about a form */

static void keep_line(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    if (strstr(text, "form f: "))
        snprintf(said, sizeof said, "%.*s", (int)size, text);
}

/* A form is flat, of fields that clients can show; the log has what is wrong with others. */
static void forms(void **state)
{
#define FIELD(json) "{\"type\":\"object\",\"properties\":{\"x\":" json "}}"
#define FLAT "a form may contain only strings, numbers, booleans and selections"
    static const struct {
        const char *form, *why; /* NULL: it is one */
    } rows[] = {
        {EMPTY_FORM, NULL},
        {"{}", "\"type\" must be \"object\""},
        {"{\"type\":\"array\",\"properties\":{}}", "\"type\" must be \"object\""},
        {"{\"type\":\"object\"}", "\"properties\" must be an object"},
        {"{\"type\":\"object\",\"properties\":[]}", "\"properties\" must be an object"},
        {"{\"type\":\"object\",\"properties\":{},\"required\":\"x\"}",
         "\"required\" must be a list of strings"},
        {"{\"type\":\"object\",\"properties\":{},\"required\":[1]}",
         "\"required\" must be a list of strings"},
        {FIELD("true"), "x: " FLAT},
        {FIELD("{}"), "x: " FLAT},
        {FIELD("{\"type\":\"object\",\"properties\":{}}"), "x: " FLAT},
        {FIELD("{\"type\":[\"string\",\"null\"]}"), "x: " FLAT},
        {FIELD("{\"type\":\"string\",\"title\":\"T\",\"description\":\"D\",\"default\":\"d\","
               "\"minLength\":1,\"maxLength\":9,\"format\":\"email\"}"),
         NULL},
        {FIELD("{\"type\":\"string\",\"title\":1}"), "x: \"title\" must be a string"},
        {FIELD("{\"type\":\"string\",\"default\":1}"), "x: \"default\" must be a string"},
        {FIELD("{\"type\":\"string\",\"format\":\"ipv4\"}"),
         "x: \"format\" must be email, uri, date or date-time"},
        {FIELD("{\"type\":\"string\",\"maxLength\":1.5}"),
         "x: \"maxLength\" must be a whole number"},
        {FIELD("{\"type\":\"string\",\"enum\":[\"a\"],\"enumNames\":[\"A\"]}"), NULL},
        {FIELD("{\"type\":\"string\",\"enum\":[1]}"), "x: \"enum\" must be a list of strings"},
        {FIELD("{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}]}"), NULL},
        {FIELD("{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\"}]}"),
         "x: \"oneOf\" must be a list of {const, title}"},
        {FIELD("{\"type\":\"integer\",\"minimum\":1,\"maximum\":2,\"default\":1}"), NULL},
        {FIELD("{\"type\":\"number\",\"minimum\":\"1\"}"), "x: \"minimum\" must be a number"},
        {FIELD("{\"type\":\"boolean\",\"default\":true}"), NULL},
        {FIELD("{\"type\":\"boolean\",\"default\":0}"), "x: \"default\" must be true or false"},
        {FIELD("{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"]},"
               "\"minItems\":1,\"default\":[\"a\"]}"),
         NULL},
        {FIELD("{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\",\"title\":\"A\"}]}}"),
         NULL},
        {FIELD("{\"type\":\"array\"}"), "x: \"items\" is missing"},
        {FIELD("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"),
         "x: \"items\" must be a string enum, or anyOf with {const, title}"},
    };
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .seal_key = key, .log = keep_line));

    (void)state;
    assert_int_equal(haft_add(server, &any_form_tool), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *why = rows[i].why;
        char form[600];

        chosen_form = rows[i].form;
        snprintf(said, sizeof said, "nothing");
        dialogue_alone(server,
                       LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'any_form'}",
                             why ? "= 1 " FAILED("The tool failed.")
                                 : "? 1 elicitation/create {'mode':'form',*}",
                             "A 2 tools/call 'name':'any_form'",
                             why ? "= 2 {'content':*,'isError':true,*}"
                                 : "= 2 {'resultType':'input_required',*}"));
        snprintf(form, sizeof form, "form f: %s", why ? why : "");
        assert_int_equal(strstr(said, form) != NULL, why != NULL);
    }
    haft_server_free(server);
}

/* What does not fit the form is asked for again, in either era. */
static void misfits(void **state)
{
    haft_server *server = serve(true);

    (void)state;
    chosen_form =
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"maximum\":9}},"
        "\"required\":[\"n\"]}";
    dialogue_alone(
        server,
        LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'any_form'}",
              "? 1 elicitation/create *", ANSWER("1", "{'action':'accept','content':{'n':'5'}}"),
              "? 2 elicitation/create *", ANSWER("2", "{'action':'accept','content':{}}"),
              "? 3 elicitation/create *", ANSWER("3", "{'action':'accept','content':{'n':10}}"),
              "? 4 elicitation/create *", ANSWER("4", "{'action':'accept','content':{'n':9}}"),
              "= 1 " SAID("12"),
              "A 2 tools/call 'name':'any_form','inputResponses':{'f':{'action':'accept',"
              "'content':{'n':10}}}",
              "= 2 {'resultType':'input_required',*}",
              "A 3 tools/call 'name':'any_form','inputResponses':{'f':{'action':'accept',"
              "'content':{'n':1}}}",
              "= 3 {'content':[{'type':'text','text':'12'}],$T}"));
    haft_server_free(server);
}

/* Before 2025-11-25 nothing could be chosen from a list but one. */
static void old_forms(void **state)
{
    haft_server *server = serve(false);

    (void)state;
    chosen_form = FIELD("{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"]}}");
    dialogue_alone(
        server,
        LINES(GREETING("2025-06-18", ALL), "R 1 tools/call {'name':'any_form'}",
              "= 1 " FAILED("The tool needs input of a kind that the client does not support.")));
    chosen_form = FIELD("{\"type\":\"string\",\"enum\":[\"a\"]}");
    dialogue_alone(server, LINES(GREETING("2025-06-18", ALL), "R 1 tools/call {'name':'any_form'}",
                                 "? 1 elicitation/create {'message':'M','requestedSchema':{*}}"));
    haft_server_free(server);
}

static void addresses(void **state)
{
    static const struct {
        const char *url;
        bool right;
    } rows[] = {
        {"https://example.com/a?b=c#d", true},
        {"acme:pay/5", true},
        {"", false},
        {"/sign-in", false},
        {"example.com/a", false},
        {"//example.com/a", false},
        {"https://example.com/a b", false},
        {"https://example.com/\"a\"", false},
    };
    haft_server *server = serve(true);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        chosen_url = rows[i].url;
        dialogue_alone(server,
                       LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'any_page'}",
                             rows[i].right ? "? 1 elicitation/create {*'mode':'url',*}"
                                           : "= 1 " FAILED("The tool failed."),
                             "A 2 tools/call 'name':'any_page'",
                             rows[i].right ? "= 2 {'resultType':'input_required',*}"
                                           : "= 2 {'content':*,'isError':true,*}"));
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),
        cmocka_unit_test(misfits),
        cmocka_unit_test(old_forms),
        cmocka_unit_test(addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
