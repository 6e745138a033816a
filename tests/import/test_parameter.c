/* test_parameter.c - parameters of every place and style: the table of the OpenAPI specification, the collection formats
 * of 2.0, and values that need care. */
#include "import/planning.h"

/* ---- the specification's table ---- */

/* "Style Values" of OpenAPI 3.1.1: color is "", "blue", ["blue", "black", "brown"] or {"R": 100, "G": 200, "B":
 * 150}; "-" is not applicable. */
static const struct style_case {
    const char *style;
    bool explode;
    const char *empty, *text, *array, *object;
} styles[] = {
    {"matrix", false, ";color", ";color=blue", ";color=blue,black,brown",
     ";color=R,100,G,200,B,150"},
    {"matrix", true, ";color", ";color=blue", ";color=blue;color=black;color=brown",
     ";R=100;G=200;B=150"},
    {"label", false, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"},
    {"label", true, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"},
    {"simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"},
    {"simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"},
    {"form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"},
    {"form", true, "color=", "color=blue", "color=blue&color=black&color=brown",
     "R=100&G=200&B=150"},
    {"spaceDelimited", false, "-", "-", "color=blue%20black%20brown",
     "color=R%20100%20G%20200%20B%20150"},
    {"pipeDelimited", false, "-", "-", "color=blue%7Cblack%7Cbrown",
     "color=R%7C100%7CG%7C200%7CB%7C150"},
    {"deepObject", true, "-", "-", "-", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
};

static const char *const colors[] = {"''", "'blue'", "['blue','black','brown']",
                                     "{'R':100,'G':200,'B':150}"};

/* Checks a style in a place, whose request is `before`, the value and `after`. */
static void check_style(const char *in, const struct style_case *style, size_t value,
                        const char *expected, const char *before)
{
    static char members[256], arguments[128], request[256];
    bool path = !strcmp(in, "path");

    snprintf(members, sizeof members,
             "'parameters':[{'name':'color','in':'%s','required':true,'style':'%s','explode':%s,"
             "'schema':{}}],'responses':{}",
             in, style->style, style->explode ? "true" : "false");
    snprintf(arguments, sizeof arguments, "{'color':%s}", colors[value]);
    snprintf(request, sizeof request, "%s%s", before, expected);
    planning_check(&(struct planning_row){path ? "3.1.0 get /x{color}" : "3.1.0 get /x", members,
                                          NULL, arguments, request});
}

static void test_styles(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(styles); i++) {
        const struct style_case *row = &styles[i];
        const char *const expected[] = {row->empty, row->text, row->array, row->object};
        bool path = !strcmp(row->style, "matrix") || !strcmp(row->style, "label");
        bool simple = !strcmp(row->style, "simple");

        for (size_t value = 0; value < COUNT_OF(expected); value++) {
            if (!strcmp(expected[value], "-"))
                continue;
            if (path || simple)
                check_style("path", row, value, expected[value], "GET /x");
            if (simple)
                check_style("header", row, value, expected[value], "GET /x\ncolor: ");
            if (!path && !simple)
                check_style("query", row, value, expected[value], "GET /x?");
        }
    }
}

/* ---- rows ---- */

#define QUERY(more) "'parameters':[{'name':'a','in':'query'," more "}],'responses':{}"
#define HEADER_OF(more) "'parameters':[{'name':'X-A','in':'header'," more "}],'responses':{}"
#define COOKIE(more) "'parameters':[{'name':'a','in':'cookie'," more "}],'responses':{}"
#define OF_PATH(more)                                                                              \
    "'parameters':[{'name':'a','in':'path','required':true," more "}],'responses':{}"
#define ANY "'schema':{}"
#define OLD "'type':'array','items':{'type':'string'},"

static const struct planning_row rows[] = {
    /* defaults of the places */
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':['b','c']}", "GET /x?a=b&a=c"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':{'b':1,'c':2}}", "GET /x?b=1&c=2"},
    {"3.0.0 get /x/{a}", OF_PATH(ANY), NULL, "{'a':['b','c']}", "GET /x/b,c"},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':['b','c']}", "GET /x\nX-A: b,c"},
    {"3.0.0 get /x", COOKIE(ANY), NULL, "{'a':['b','c']}", "GET /x\nCookie: a=b; a=c"},
    {"3.0.0 get /x", COOKIE("'explode':false," ANY), NULL, "{'a':['b','c']}",
     "GET /x\nCookie: a=b,c"},
    {"3.0.0 get /x", COOKIE(ANY), NULL, "{'a':'b; c=d'}", "GET /x\nCookie: a=b%3B%20c%3Dd"},
    {"3.0.0 get /x", COOKIE(ANY), NULL, "{}", "GET /x"},
    {"3.0.0 get /x", QUERY("'style':'spaceDelimited','explode':true," ANY), NULL, "{'a':['b','c']}",
     "GET /x?a=b&a=c"},
    {"3.0.0 get /x", QUERY("'style':'matrix'," ANY), NULL, "{'a':'b'}", "GET /x?a=b"},
    /* scalars are as in JSON */
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':true}", "GET /x?a=true"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':9223372036854775807}", "GET /x?a=9223372036854775807"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':18446744073709551615}",
     "GET /x?a=18446744073709551615"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':-9223372036854775808}",
     "GET /x?a=-9223372036854775808"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':0.1}", "GET /x?a=0.1"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':1e300}", "GET /x?a=1e%2B300"},
    /* null is absent; so is what has nothing in it */
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':null}", "GET /x"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':[]}", "GET /x"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':{}}", "GET /x"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':['b',null,'c']}", "GET /x?a=b&a=c"},
    {"3.0.0 get /x", QUERY("'explode':false," ANY), NULL, "{'a':[null,'c']}", "GET /x?a=c"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':{'b':null}}", "GET /x"},
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':''}", "GET /x?a="},
    {"3.0.0 get /x", QUERY("'allowEmptyValue':true," ANY), NULL, "{'a':[]}", "GET /x?a="},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':null}", "GET /x"},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':''}", "GET /x\nX-A: "},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':' b '}", "GET /x\nX-A: b"},
    /* encoding */
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':'b c&d=e+f/\u00e9%'}",
     "GET /x?a=b%20c%26d%3De%2Bf%2F%C3%A9%25"},
    {"3.0.0 get /x", QUERY("'allowReserved':true," ANY), NULL, "{'a':':/?@!$,;=()*~'}",
     "GET /x?a=:/?@!$,;=()*~"},
    {"3.0.0 get /x", QUERY("'allowReserved':true," ANY), NULL, "{'a':'b&c#d[e]+f g%20h%zz'}",
     "GET /x?a=b%26c%23d%5Be%5D%2Bf%20g%20h%25zz"},
    {"3.0.0 get /x/{a}/y", OF_PATH(ANY), NULL, "{'a':'b/c?d#e%2F..'}",
     "GET /x/b%2Fc%3Fd%23e%252F../y"},
    {"3.0.0 get /x/{a}/y", OF_PATH(ANY), NULL, "{'a':['b/c','d,e']}", "GET /x/b%2Fc,d%2Ce/y"},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':'b, c=\u00e9'}", "GET /x\nX-A: b, c=\u00e9"},
    {"3.0.0 get /x", QUERY("'style':'form'," ANY), NULL, "{'a':{'b&c':'d'}}", "GET /x?b%26c=d"},
    {"3.0.0 get /x", "'parameters':[{'name':'f[x]','in':'query'," ANY "}],'responses':{}", NULL,
     "{'f_x':1}", "GET /x?f%5Bx%5D=1"},
    /* nesting beyond the specification */
    {"3.0.0 get /x", QUERY(ANY), NULL, "{'a':[{'b':1}]}", "GET /x?a=%7B%22b%22%3A1%7D"},
    {"3.0.0 get /x", QUERY("'style':'deepObject'," ANY), NULL,
     "{'a':{'b':{'c':[1,{'d':2}]},'e':null}}",
     "GET /x?a%5Bb%5D%5Bc%5D%5B0%5D=1&a%5Bb%5D%5Bc%5D%5B1%5D%5Bd%5D=2"},
    {"3.0.0 get /x", QUERY("'style':'deepObject'," ANY), NULL, "{'a':'b'}", "GET /x?a=b"},
    /* content */
    {"3.0.0 get /x", QUERY("'content':{'application/json':{" ANY "}}"), NULL, "{'a':{'b':[1,'c']}}",
     "GET /x?a=%7B%22b%22%3A%5B1%2C%22c%22%5D%7D"},
    {"3.0.0 get /x", QUERY("'content':{'application/json':{" ANY "}}"), NULL, "{'a':'b'}",
     "GET /x?a=%22b%22"},
    {"3.0.0 get /x", QUERY("'content':{'text/plain':{" ANY "}}"), NULL, "{'a':'b'}", "GET /x?a=b"},
    {"3.0.0 get /x", HEADER_OF("'content':{'application/json':{" ANY "}}"), NULL, "{'X-A':{'b':1}}",
     "GET /x\nX-A: {\"b\":1}"},
    {"3.0.0 get /x/{a}", OF_PATH("'content':{'application/json':{" ANY "}}"), NULL, "{'a':[1]}",
     "GET /x/%5B1%5D"},
    /* collection formats of 2.0 */
    {"2.0 get /x", QUERY(OLD "'collectionFormat':'csv'"), NULL, "{'a':['b','c']}", "GET /x?a=b,c"},
    {"2.0 get /x", QUERY(OLD "'collectionFormat':'ssv'"), NULL, "{'a':['b','c']}",
     "GET /x?a=b%20c"},
    {"2.0 get /x", QUERY(OLD "'collectionFormat':'tsv'"), NULL, "{'a':['b','c']}",
     "GET /x?a=b%09c"},
    {"2.0 get /x", QUERY(OLD "'collectionFormat':'pipes'"), NULL, "{'a':['b','c']}",
     "GET /x?a=b%7Cc"},
    {"2.0 get /x", QUERY(OLD "'collectionFormat':'multi'"), NULL, "{'a':['b','c']}",
     "GET /x?a=b&a=c"},
    {"2.0 get /x", QUERY("'type':'array','items':{'type':'string'}"), NULL, "{'a':['b','c']}",
     "GET /x?a=b,c"},
    {"2.0 get /x/{a}", OF_PATH(OLD "'collectionFormat':'pipes'"), NULL, "{'a':['b','c']}",
     "GET /x/b%7Cc"},
    {"2.0 get /x", HEADER_OF(OLD "'collectionFormat':'ssv'"), NULL, "{'X-A':['b','c']}",
     "GET /x\nX-A: b c"},
    /* refusals of values */
    {"3.0.0 get /x/{a}", OF_PATH(ANY), NULL, "{}", "!a: is required"},
    {"3.0.0 get /x/{a}", OF_PATH(ANY), NULL, "{'a':null}",
     "!a: is part of the path and must not be null"},
    {"3.0.0 get /x/{a}", OF_PATH(ANY), NULL, "{'a':''}",
     "!a: is part of the path and must not be empty"},
    {"3.0.0 get /x/{a}", OF_PATH(ANY), NULL, "{'a':[]}",
     "!a: is part of the path and must not be empty"},
    {"3.0.0 get /x/{a}", OF_PATH(ANY), NULL, "{'a':'..'}",
     "!a: is part of the path and must not be only dots"},
    {"3.0.0 get /x/{a}", OF_PATH(ANY), NULL, "{'a':'.'}",
     "!a: is part of the path and must not be only dots"},
    {"3.0.0 get /x/{a}", OF_PATH("'style':'label'," ANY), NULL, "{'a':''}",
     "!a: is part of the path and must not be only dots"},
    {"3.0.0 get /x/.{a}/y", OF_PATH(ANY), NULL, "{'a':'.'}",
     "!a: is part of the path and must not be only dots"},
    {"3.0.0 get /x/%2e{a}/y", OF_PATH(ANY), NULL, "{'a':'.'}",
     "!a: is part of the path and must not be only dots"},
    {"3.0.0 get /x/{a}{b}", OF_PATH(ANY), NULL, "{'a':'.','b':'.'}",
     "!a: is part of the path and must not be only dots"},
    {"3.0.0 get /x/{a}.json", OF_PATH(ANY), NULL, "{'a':'..'}", "GET /x/...json"},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':'b\\r\\nHost: c'}",
     "!X-A: is sent in a header and must not contain control characters"},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':['b','c\\n']}",
     "!X-A: is sent in a header and must not contain control characters"},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':{'b\\n':1}}",
     "!X-A: is sent in a header and must not contain control characters"},
    {"3.0.0 get /x", HEADER_OF(ANY), NULL, "{'X-A':'b\\u0000'}",
     "!X-A: is sent in a header and must not contain control characters"},
    {"3.0.0 get /x", QUERY("'required':true," ANY), NULL, "{}", "!a: is required"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        planning_check(&rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
