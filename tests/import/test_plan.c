/* test_plan.c - the arguments of operations: their names, what is required, constants, and operations that are
 * refused. */
#include "import/planning.h"

#define PARAMETER(name, in, more) "{'name':'" name "','in':'" in "'" more "}"
#define STRING ",'schema':{'type':'string'}"
#define NEEDED ",'required':true"

/* ---- input schemas ---- */

static const struct {
    const char *head, *members, *more, *input;
} inputs[] = {
    {"3.0.0 get /x", "'responses':{}", "", "{'type':'object','properties':{}}"},
    {"3.0.0 get /x/{id}",
     "'parameters':[" PARAMETER("id", "path", NEEDED ",'description':'Its id'" STRING) "," PARAMETER(
         "limit", "query", ",'schema':{'type':'integer'}") "],'responses':{}",
     "",
     "{'type':'object','properties':{'id':{'type':'string','description':'Its id'},"
     "'limit':{'type':'integer'}},'required':['id']}"},
    /* a default is not required, and a description of the schema stays */
    {"3.0.0 get /x",
     "'parameters':[" PARAMETER("a", "query",
                                NEEDED ",'description':'p','schema':{'type':'string','default':'b',"
                                       "'description':'s'}") "],'responses':{}",
     "", "{'type':'object','properties':{'a':{'type':'string','default':'b','description':'s'}}}"},
    /* parameters that are not declared, and ones that the path does not have */
    {"3.0.0 get /x/{id}",
     "'parameters':[" PARAMETER("other", "path", NEEDED STRING) "],'responses':{}", "",
     "{'type':'object','properties':{'id':{'type':'string'}},'required':['id']}"},
    /* names that meet, and names that clients do not accept */
    {"3.0.0 get /x/{id}",
     "'parameters':[" PARAMETER("id", "path", NEEDED STRING) "," PARAMETER(
         "id", "query", STRING) "," PARAMETER("id__query", "header", STRING) "],'responses':{}",
     "",
     "{'type':'object','properties':{'id__path':{'type':'string'},'id__query_2':{'type':'string'},"
     "'id__query':{'type':'string'}},'required':['id__path']}"},
    {"3.0.0 get /x",
     "'parameters':[" PARAMETER("$filter", "query", STRING) "," PARAMETER(
         "a[b][]", "query", STRING) "," PARAMETER("\u540d", "query", STRING) "],'responses':{}",
     "",
     "{'type':'object','properties':{'filter':{'type':'string'},'a_b':{'type':'string'},"
     "'argument_51a5d6':{'type':'string'}}}"},
    /* headers that parameters do not decide, and credentials */
    {"3.0.0 get /x",
     "'parameters':[" PARAMETER("Accept", "header", NEEDED STRING) "," PARAMETER("content-type", "header", STRING) "," PARAMETER(
         "AUTHORIZATION", "header",
         STRING) "," PARAMETER("Host", "header",
                               STRING) "," PARAMETER("Content-Length", "header",
                                                     NEEDED
                                                         STRING) "," PARAMETER("x-key", "header",
                                                                               STRING) "," PARAMETER("key",
                                                                                                     "query",
                                                                                                     STRING) "," PARAMETER("X-Other",
                                                                                                                           "header",
                                                                                                                           STRING) "],'responses':{}",
     "'components':{'securitySchemes':{'a':{'type':'apiKey','in':'header','name':'X-Key'},"
     "'b':{'type':'apiKey','in':'cookie','name':'key'}}}",
     "{'type':'object','properties':{'key':{'type':'string'},'X-Other':{'type':'string'}}}"},
    /* references */
    {"3.0.0 get /x",
     "'parameters':[{'$ref':'#/components/parameters/a'}," PARAMETER("b", "query",
                                                                     STRING) "],'responses':{}",
     "'components':{'parameters':{'a':" PARAMETER("a", "query", NEEDED STRING) "}}",
     "{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'}},"
     "'required':['a']}"},
    /* bodies */
    {"3.0.0 post /x",
     "'requestBody':{'required':true,'content':{'application/json':{'schema':{'type':'object',"
     "'required':['a','r','d'],'properties':{'a':{'type':'string','description':'A'},'r':{'type':"
     "'string','readOnly':true},'d':{'type':'integer','default':1}}}}}},'responses':{}",
     "",
     "{'type':'object','properties':{'a':{'type':'string','description':'A'},'d':{'type':'integer',"
     "'default':1}},'required':['a']}"},
    {"3.0.0 post /x",
     "'requestBody':{'description':'Bytes','content':{'image/png':{}}},'responses':{}", "",
     "{'type':'object','properties':{'body':{'type':'string','contentEncoding':'base64',"
     "'contentMediaType':'image/png','description':'Bytes'}}}"},
    {"3.0.0 post /x",
     "'requestBody':{'required':true,'content':{'multipart/form-data':{'schema':{'type':'object',"
     "'properties':{'f':{'type':'string','format':'binary','description':'File'}}}}}},"
     "'responses':{}",
     "",
     "{'type':'object','properties':{'f':{'anyOf':[{'type':'string','contentEncoding':'base64'},"
     "{'type':'object','properties':{'data':{'type':'string','contentEncoding':'base64'},'type':{"
     "'type':'string','description':'Media type, such as image/png'},'name':{'type':'string',"
     "'description':'File name'}},'required':['data'],'additionalProperties':false}],"
     "'description':'File'}}}"},
    {"2.0 post /x",
     "'parameters':[" PARAMETER(
         "a", "formData",
         NEEDED ",'type':'string','description':'A','maxLength':3") "],'responses':{}",
     "",
     "{'type':'object','properties':{'a':{'type':'string','maxLength':3,'description':'A'}},"
     "'required':['a']}"},
};

static void check_input(const struct planning *planning, const struct import_operation *operation,
                        const char *expected)
{
    /* All are closed, which the rows do not repeat. */
    const char *closed =
        haft_arena_printf(planning->arena, "{'additionalProperties':false,%s", expected + 1);
    yyjson_val *input = reading_value(planning->arena, operation->input);

    if (hf_json_equal(input, reading_value(planning->arena, closed), planning->arena) != 1)
        fail_msg("%s\nis       %s\nexpected %s", operation->path, operation->input, expected);
}

static void test_inputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        struct planning planning;
        const struct import_operation *operation;

        planning_init(&planning);
        operation = planning_make(&planning, inputs[i].head, inputs[i].members, inputs[i].more);
        if (!operation)
            fail_msg("%s: %s", inputs[i].members, planning.import->refusals[0].reason);
        check_input(&planning, operation, inputs[i].input);
        planning_finish(&planning);
    }
}

/* ---- path items ---- */

static void test_path_item(void **state)
{
    struct planning planning;
    const struct import_operation *operation;
    haft_reason reason;

    (void)state;
    planning_init(&planning);
    operation = planning_read(
        &planning,
        "{'openapi':'3.0.0','info':{'title':'t','version':'1'},'paths':{'/x/{id}':{'parameters':["
        "{'name':'id','in':'path','required':true,'style':'matrix','schema':{'type':'string'}},"
        "{'name':'a','in':'query','explode':false,'schema':{'type':'array','items':{}}},"
        "{'name':'a','in':'header','schema':{'type':'integer'}}],'get':{'parameters':["
        "{'name':'a','in':'query','schema':{'type':'array','items':{'type':'string'}}}],"
        "'responses':{}}}}}");
    assert_non_null(operation);
    assert_string_equal(planning_request(&planning, operation,
                                         "{'id':'1','a__query':['b','c'],'a__header':7}", &reason),
                        "GET /x/;id=1?a=b&a=c\na: 7");
    planning_finish(&planning);
}

/* ---- refusals ---- */

static const struct {
    const char *head, *members, *reason;
} refusals[] = {
    {"3.0.0 get /x", "'parameters':[" PARAMETER("Host", "header", NEEDED STRING) "],'responses':{}",
     "the header Host cannot be an argument"},
    {"3.0.0 get /x",
     "'parameters':[" PARAMETER("transfer-encoding", "header", NEEDED STRING) "],'responses':{}",
     "the header transfer-encoding cannot be an argument"},
    {"3.0.0 get /x", "'parameters':[" PARAMETER("a b", "header", STRING) "],'responses':{}",
     "invalid header name \"a b\""},
    {"3.0.0 get /x", "'parameters':[" PARAMETER("a\\r\\nb", "header", STRING) "],'responses':{}",
     "invalid header name \"a\r\nb\""},
    {"3.0.0 get /x", "'parameters':[{'in':'query'}],'responses':{}",
     "a parameter without name or place"},
    {"3.0.0 get /x", "'parameters':[{'$ref':'#/components/parameters/a'}],'responses':{}",
     "missing reference #/components/parameters/a"},
    {"3.0.0 get /x/{id", "'responses':{}", "invalid path template"},
    {"3.0.0 get /x/{}", "'responses':{}", "invalid path template"},
    {"3.0.0 get /x/../y", "'responses':{}", "invalid path"},
    {"3.0.0 get /x/%2E%2e/y", "'responses':{}", "invalid path"},
    {"3.0.0 get /x/..%2fy", "'responses':{}", "invalid path"},
    {"3.0.0 get //x", "'responses':{}", "invalid path"},
    {"3.0.0 get /x?a={b}", "'responses':{}", "the query of a path cannot have parameters"},
    {"3.0.0 post /x", "'requestBody':{'$ref':'other.json#/a'},'responses':{}",
     "external reference other.json#/a"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        struct planning planning;

        planning_init(&planning);
        if (planning_make(&planning, refusals[i].head, refusals[i].members, ""))
            fail_msg("%s %s is not refused", refusals[i].head, refusals[i].members);
        assert_string_equal(planning.import->refusals[0].reason, refusals[i].reason);
        planning_finish(&planning);
    }
}

/* Paths are sent as the document has them, as far as they can be in a URL. */
static void test_paths(void **state)
{
    static const struct planning_row rows[] = {
        {"3.0.0 get /a(b={b})/c", "'responses':{}", NULL, "{'b':'d'}", "GET /a(b=d)/c"},
        {"3.0.0 get /a%20b/\u00e9", "'responses':{}", NULL, "{}", "GET /a%20b/%C3%A9"},
        {"3.0.0 get /a?b=c", "'parameters':[" PARAMETER("d", "query", STRING) "],'responses':{}",
         NULL, "{'d':'e'}", "GET /a?b=c&d=e"},
        {"3.0.0 get /#Action=x", "'responses':{}", NULL, "{}", "GET /"},
        {"3.0.0 get /a/", "'responses':{}", NULL, "{}", "GET /a/"},
        {"3.0.0 get /{a}:run", "'responses':{}", NULL, "{'a':'b:c'}", "GET /b%3Ac:run"},
        {"3.0.0 get /{a}-{b}", "'responses':{}", NULL, "{'a':1,'b':2}", "GET /1-2"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        planning_check(&rows[i]);
}

/* ---- constants of the configuration ---- */

#define CONSTANT_MEMBERS                                                                                                               \
    "'operationId':'op','parameters':[" PARAMETER("a", "query", NEEDED STRING) "," PARAMETER(                                          \
        "X-B", "header",                                                                                                               \
        NEEDED                                                                                                                         \
            STRING) "," PARAMETER("key", "query",                                                                                      \
                                  STRING) "],'requestBody':{'required':true,'content':{'application/json':{'schema':{'type':'object'," \
                                          "'required':['c','d'],'properties':{'c':{'type':'string'},'d':{'type':'string'}}}}}},"       \
                                          "'responses':{}"

#define CONSTANT_OLD                                                                               \
    "'parameters':[{'name':'a','in':'query','required':true,'type':'string'},"                     \
    "{'name':'X-B','in':'header','required':true,'type':'string'},"                                \
    "{'name':'key','in':'query','type':'string'},{'name':'pet','in':'body',"                       \
    "'required':true,'schema':{'type':'object','required':['c','d'],'properties':{'c':{"           \
    "'type':'string'},'d':{'type':'string'}}}}],'responses':{}"

static void test_constants(void **state)
{
    static const struct {
        bool old;
        const char *operation, *constants, *input, *request;
    } rows[] = {
        {false, "op", "{'a':'1','X-B':'2','c':['3']}",
         "{'type':'object','properties':{'key':{'type':'string'},'d':{'type':'string'}},"
         "'required':['d']}",
         "POST /v1/x?a=1\nX-B: 2\nContent-Type: application/json\n\n{\"c\":[\"3\"],\"d\":\"4\"}"},
        {true, "POST /x", "{'a':'1','X-B':'2','c':'3','key':'k'}",
         "{'type':'object','properties':{'d':{'type':'string'}},'required':['d']}",
         "POST /v1/x?a=1&key=k\nX-B: 2\nContent-Type: application/json\n\n{\"c\":\"3\",\"d\":\"4\"}"},
        {false, "POST /v1/x", "{'a':'1','X-B':'2','c':'3'}",
         "{'type':'object','properties':{'key':{'type':'string'},'d':{'type':'string'}},"
         "'required':['d']}",
         "POST /v1/x?a=1\nX-B: 2\nContent-Type: application/json\n\n{\"c\":\"3\",\"d\":\"4\"}"},
        {false, "op", "{'e':'1'}", NULL, "the configuration sets \"e\", which is not an argument"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct planning planning;
        const struct import_operation *operation;
        struct import_change change = {.operation = rows[i].operation};
        haft_reason reason;

        planning_init(&planning);
        change.arguments = reading_value(planning.arena, rows[i].constants);
        planning.options.changes = &change;
        planning.options.n_changes = 1;
        operation = rows[i].old
                        ? planning_make(&planning, "2.0 post /x", CONSTANT_OLD,
                                        "'basePath':'/v1/','host':'h'")
                        : planning_make(&planning, "3.0.0 post /v1/x", CONSTANT_MEMBERS, "");
        if (!rows[i].input) {
            assert_null(operation);
            assert_string_equal(planning.import->refusals[0].reason, rows[i].request);
        } else {
            assert_non_null(operation);
            check_input(&planning, operation, rows[i].input);
            assert_string_equal(planning_request(&planning, operation,
                                                 "{'d':'4','a':'other','c':'other'}", &reason),
                                rows[i].request);
        }
        planning_finish(&planning);
    }
}

/* More parameters than an operation can have. */
static void test_many(void **state)
{
    struct planning planning;
    haft_buffer members;

    (void)state;
    planning_init(&planning);
    haft_buffer_init(&members, NULL, 1 << 20);
    haft_buffer_puts(&members, "'parameters':[");
    for (int i = 0; i < 1001; i++)
        haft_buffer_printf(&members, "%s{'name':'p%d','in':'query'}", i ? "," : "", i);
    haft_buffer_puts(&members, "],'responses':{}");
    haft_buffer_add(&members, "", 1);
    assert_int_equal(members.status, 0);
    assert_null(planning_make(&planning, "3.0.0 get /x", members.data, ""));
    assert_string_equal(planning.import->refusals[0].reason, "more than 1000 parameters");
    haft_buffer_finish(&members);
    planning_finish(&planning);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),    cmocka_unit_test(test_path_item),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_paths),
        cmocka_unit_test(test_constants), cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
