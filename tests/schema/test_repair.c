/* test_repair.c - texts in the place of numbers, booleans, objects and arrays; where they are read
 * as such, and where they are left alone. */
#include "schema/walk/repair.h"

#include <string.h>

#include "schema/shapes.h"
#include "support/failing.h"
#include "support/test.h"

static haft_schema *parse(const char *document)
{
    haft_reason reason = {0};
    haft_schema *schema = NULL;

    if (haft_schema_parse(document, strlen(document), NULL, &schema, &reason))
        fail_msg("%s: %s", document, reason.text);
    return schema;
}

static haft_value *json(const char *text, haft_arena *arena)
{
    haft_value *value = haft_json_read(text, strlen(text), 100, arena, NULL);

    assert_non_null(value);
    return value;
}

static const char *written(const haft_value *value, haft_arena *arena)
{
    haft_buffer out;
    const char *text;

    haft_buffer_init(&out, NULL, 1 << 20);
    haft_json_write(value, &out);
    text = haft_arena_copy(arena, out.data, out.size);
    haft_buffer_finish(&out);
    return text;
}

struct repair_row {
    const char *schema, *value;
    const char *repaired; /* NULL: it has issues, and they are those of the value as it came */
    const char *repairs;  /* "path:type path:type" */
};

#define OF(type) "{'type':'object','properties':{'a':" type "}}"

static const struct repair_row rows[] = {
    /* numbers */
    {OF("{'type':'integer'}"), "{'a':'5'}", "{'a':5}", "a:number"},
    {OF("{'type':'integer'}"), "{'a':'-3'}", "{'a':-3}", "a:number"},
    {OF("{'type':'integer'}"), "{'a':'5.0'}", "{'a':5}", "a:number"},
    {OF("{'type':'integer'}"), "{'a':'5.5'}", NULL, ""},
    {OF("{'type':'integer'}"), "{'a':'9007199254740993'}", "{'a':9007199254740993}", "a:number"},
    {OF("{'type':'number'}"), "{'a':'5.25'}", "{'a':5.25}", "a:number"},
    {OF("{'type':'number'}"), "{'a':'1e3'}", "{'a':1000}", "a:number"},
    {OF("{'type':'number'}"), "{'a':'1e999'}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':''}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':' 5'}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':'5 '}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':'+5'}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':'05'}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':'0x10'}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':'5 apples'}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':'NaN'}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':'true'}", NULL, ""},
    {OF("{'type':'number'}"), "{'a':true}", NULL, ""},
    /* the rules are the judge */
    {OF("{'type':'integer','maximum':4}"), "{'a':'5'}", NULL, ""},
    {OF("{'enum':[1,2]}"), "{'a':'2'}", "{'a':2}", "a:number"},
    {OF("{'enum':[1,2]}"), "{'a':'3'}", NULL, ""},
    {OF("{'const':true}"), "{'a':'true'}", "{'a':true}", "a:boolean"},
    /* booleans and null */
    {OF("{'type':'boolean'}"), "{'a':'true'}", "{'a':true}", "a:boolean"},
    {OF("{'type':'boolean'}"), "{'a':'false'}", "{'a':false}", "a:boolean"},
    {OF("{'type':'boolean'}"), "{'a':'yes'}", NULL, ""},
    {OF("{'type':'boolean'}"), "{'a':'1'}", NULL, ""},
    {OF("{'type':'boolean'}"), "{'a':'True'}", NULL, ""},
    {OF("{'type':['integer','null']}"), "{'a':'null'}", "{'a':null}", "a:null"},
    {OF("{'type':'integer'}"), "{'a':'null'}", NULL, ""},
    /* objects and arrays as text */
    {OF("{'type':'array','items':{'type':'integer'}}"), "{'a':'[1,2]'}", "{'a':[1,2]}", "a:array"},
    {OF("{'type':'array','items':{'type':'integer'}}"), "{'a':' [1,\\n2] '}", "{'a':[1,2]}",
     "a:array"},
    {OF("{'type':'array','items':{'type':'integer'}}"), "{'a':'[1,\\\"2\\\"]'}", "{'a':[1,2]}",
     "a:array a.1:number"},
    {OF("{'type':'array','items':{'type':'integer'}}"), "{'a':'[1,2'}", NULL, ""},
    {OF("{'type':'array','items':{'type':'integer'}}"), "{'a':'1,2'}", NULL, ""},
    {OF("{'type':'array','items':{'type':'integer'}}"), "{'a':'{}'}", NULL, ""},
    {OF("{'type':'object','properties':{'b':{'type':'boolean'}}}"),
     "{'a':'{\\\"b\\\":\\\"true\\\"}'}", "{'a':{'b':true}}", "a:object a.b:boolean"},
    {OF("{'type':'object'}"), "{'a':'{\\\"b\\\":1,\\\"b\\\":2}'}", NULL, ""},
    /* inside others */
    {OF("{'type':'array','items':{'type':'integer'}}"), "{'a':['1',2,'3']}", "{'a':[1,2,3]}",
     "a.0:number a.2:number"},
    {"{'type':'array','prefixItems':[{'type':'string'},{'type':'integer'}]}", "['1','2']",
     "['1',2]", "1:number"},
    {OF("{'type':'object','additionalProperties':{'type':'integer'}}"), "{'a':{'x':'1','y':2}}",
     "{'a':{'x':1,'y':2}}", "a.x:number"},
    {"{'properties':{'s':{'type':'string'}},'additionalProperties':{'type':'integer'}}",
     "{'s':'1','n':'1'}", "{'s':'1','n':1}", "n:number"},
    {OF("{'type':'integer','if':{'minimum':3},'then':{'maximum':9}}"), "{'a':'5'}", "{'a':5}",
     "a:number"},
    {OF("{'type':'integer','if':{'minimum':3},'else':false}"), "{'a':'5'}", "{'a':5}", "a:number"},
    {"{'type':'object','patternProperties':{'^n_':{'type':'integer'}}}", "{'n_x':'1','s':'1'}",
     "{'n_x':1,'s':'1'}", "n_x:number"},
    {"{'type':'object','dependentSchemas':{'s':{'properties':{'a':{'type':'integer'}}}}}",
     "{'a':'1','s':'1'}", "{'a':1,'s':'1'}", "a:number"},
    {"{'$defs':{'n':{'type':'integer'}},'properties':{'a':{'$ref':'#/$defs/n'}}}", "{'a':'1'}",
     "{'a':1}", "a:number"},
    {"{'$dynamicAnchor':'t','type':'object','properties':{'n':{'type':'integer'},"
     "'t':{'$dynamicRef':'#t'}}}",
     "{'t':{'t':{'n':'1'}}}", "{'t':{'t':{'n':1}}}", "t.t.n:number"},
    {"{'allOf':[{'properties':{'a':{'minimum':3}}},{'properties':{'a':{'type':'integer'}}}]}",
     "{'a':'5'}", "{'a':5}", "a:number"},
    {"{'if':{'properties':{'k':{'const':'n'}}},'then':{'properties':{'a':{'type':'integer'}}}}",
     "{'k':'n','a':'5'}", "{'k':'n','a':5}", "a:number"},
    {"{'if':{'properties':{'k':{'const':'n'}}},'then':{'properties':{'a':{'type':'integer'}}}}",
     "{'k':'s','a':'5'}", "{'k':'s','a':'5'}", ""},
    /* alternatives */
    {OF("{'anyOf':[{'type':'integer'},{'type':'boolean'}]}"), "{'a':'true'}", "{'a':true}",
     "a:boolean"},
    {OF("{'anyOf':[{'type':'integer'},{'type':'boolean'}]}"), "{'a':'7'}", "{'a':7}", "a:number"},
    {"{'anyOf':[{'properties':{'a':{'type':'integer'}},'required':['a']},"
     "{'properties':{'b':{'type':'boolean'}},'required':['b']}]}",
     "{'b':'true'}", "{'b':true}", "b:boolean"},
    {"{'oneOf':[{'properties':{'k':{'const':1},'n':{'type':'integer'}}},"
     "{'properties':{'k':{'const':2},'n':{'type':'boolean'}}}]}",
     "{'k':2,'n':'true'}", "{'k':2,'n':true}", "n:boolean"},
    /* two ways to understand it */
    {"{'anyOf':[{'properties':{'a':{'type':'integer'},'b':{'type':'integer'}}},"
     "{'properties':{'a':{'type':'string'},'b':{'type':'integer'}}}]}",
     "{'a':'1','b':'2'}", NULL, ""},
    /* and one, though two options have it */
    {"{'anyOf':[{'properties':{'a':{'type':'integer'}}},{'properties':{'a':{'type':'number'}}}]}",
     "{'a':'1'}", "{'a':1}", "a:number"},
    /* one that is taken as it is stays so */
    {"{'properties':{'n':{'type':'integer'},'u':{'anyOf':[{'properties':{'a':{'type':'string'}}},"
     "{'properties':{'a':{'type':'integer'}}}]}}}",
     "{'n':'2','u':{'a':'1'}}", "{'n':2,'u':{'a':'1'}}", "n:number"},
    /* where a string is accepted */
    {OF("{'type':'string'}"), "{'a':'5'}", "{'a':'5'}", ""},
    {OF("{'type':'string','maxLength':1}"), "{'a':'55'}", NULL, ""},
    {OF("{'type':['string','integer'],'maxLength':1}"), "{'a':'55'}", NULL, ""},
    {OF("{}"), "{'a':'5','b':'5'}", "{'a':'5','b':'5'}", ""},
    {OF("{'enum':['5','6',7]}"), "{'a':'7'}", NULL, ""},
    {OF("{'anyOf':[{'type':'integer'},{'type':'string','maxLength':1}]}"), "{'a':'55'}", NULL, ""},
    {OF("{'anyOf':[{'type':'integer'},{'const':'x'}]}"), "{'a':'55'}", NULL, ""},
    {OF("{'not':{'type':'string'}}"), "{'a':'55'}", NULL, ""},
    {OF("{'type':'array','items':{'type':'string','maxLength':1}}"), "{'a':['55']}", NULL, ""},
    /* one part cannot be mended: all stays as it was */
    {"{'properties':{'a':{'type':'integer'},'b':{'type':'integer'}}}", "{'a':'1','b':'x'}", NULL,
     ""},
    {"{'properties':{'a':{'type':'integer'}},'required':['b']}", "{'a':'1'}", NULL, ""},
};

/* Single quotes stand for double ones. */
static char *quoted(const char *text, haft_arena *arena)
{
    char *copy = haft_arena_copy(arena, text, strlen(text));

    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

static const char *listed(const struct repairs *repairs, haft_arena *arena)
{
    haft_buffer out;
    const char *text;

    haft_buffer_init(&out, NULL, 4096);
    for (size_t i = 0; i < repairs->n; i++) {
        haft_buffer_puts(&out, i ? " " : "");
        haft_issue_path(
            &(haft_issue){.path = repairs->list[i].path, .n_path = repairs->list[i].n_path}, &out);
        haft_buffer_printf(&out, ":%s", repairs->list[i].to);
    }
    text = haft_arena_copy(arena, out.data ? out.data : "", out.size);
    haft_buffer_finish(&out);
    return text;
}

static const char *issues_text(const haft_issues *issues, haft_arena *arena)
{
    haft_buffer out;
    const char *text;

    haft_buffer_init(&out, NULL, 1 << 16);
    haft_issues_text(issues, &out);
    text = haft_arena_copy(arena, out.data ? out.data : "", out.size);
    haft_buffer_finish(&out);
    return text;
}

static void check_row(const struct repair_row *one, haft_arena *arena)
{
    haft_schema *schema = parse(quoted(one->schema, arena));
    haft_value *came = json(quoted(one->value, arena), arena), *value = came;
    haft_issues strict = {0}, lenient = {0};
    struct repairs repairs;
    int status = haft_schema_validate(schema, came, arena, &strict);

    assert_int_equal(hf_schema_read_leniently(schema, &value, arena, NULL, &lenient, &repairs),
                     one->repaired ? 0 : HAFT_EISSUES);
    assert_string_equal(listed(&repairs, arena), one->repairs);
    if (one->repaired) {
        assert_string_equal(written(value, arena), quoted(one->repaired, arena));
        assert_int_equal(lenient.count, 0);
        assert_int_equal(haft_schema_validate(schema, value, arena, &lenient), 0);
    } else {
        assert_ptr_equal(value, came);
        assert_string_equal(issues_text(&lenient, arena), issues_text(&strict, arena));
    }
    if (!status)
        assert_ptr_equal(value, came);
    haft_schema_free(schema);
}

static void reads_texts_where_none_is_accepted(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        print_message("%s %s\n", rows[i].schema, rows[i].value);
        check_row(&rows[i], arena);
        haft_arena_reset(arena);
    }
    haft_arena_free(arena);
}

static void decodes_into_a_struct(void **state)
{
    static const char text[] =
        "{\"flag\":\"true\",\"count\":\"7\",\"ratio\":\"0.5\",\"name\":\"5\",\"blob\":\"aGk=\","
        "\"paint\":\"green\",\"at\":\"{\\\"x\\\":\\\"1\\\",\\\"y\\\":2}\","
        "\"shape\":{\"kind\":\"circle\",\"radius\":\"3\"},\"link\":{\"x\":\"4\",\"y\":5},"
        "\"names\":\"[\\\"6\\\"]\",\"path\":[{\"x\":\"1\",\"y\":\"2\"}],\"limits\":{\"a\":\"8\"},"
        "\"table\":\"[[1,\\\"2\\\"],\\\"[3]\\\"]\",\"any\":\"9\"}";
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_value *value = json(text, arena);
    haft_schema *schema = NULL;
    haft_issues issues = {0};
    struct repairs repairs;
    everything in;

    (void)state;
    assert_int_equal(haft_schema_compile(&everything_type, NULL, &schema, NULL), 0);
    assert_int_equal(hf_schema_read_leniently(schema, &value, arena, &in, &issues, &repairs), 0);
    assert_true(in.flag);
    assert_int_equal(in.count, 7);
    assert_true(in.ratio == 0.5);
    assert_string_equal(in.name, "5");
    assert_int_equal(in.paint, colour_green);
    assert_true(in.at.x == 1 && in.at.y == 2);
    assert_true(in.shape.kind == figure_circle && in.shape.as.circle.radius == 3);
    assert_true(in.link->x == 4);
    assert_int_equal(in.n_names, 1);
    assert_string_equal(in.names[0], "6");
    assert_true(in.path[0].x == 1 && in.path[0].y == 2);
    assert_int_equal(in.limits[0], 8);
    assert_int_equal(in.table.items[0].items[1], 2);
    assert_int_equal(in.table.items[1].items[0], 3);
    assert_true(yyjson_is_str(in.any));
    assert_string_equal(
        listed(&repairs, arena),
        "flag:boolean count:number ratio:number at:object at.x:number shape.radius:number "
        "link.x:number names:array path.0.x:number path.0.y:number limits.a:number table:array "
        "table.0.1:number table.1:array");
    haft_schema_free(schema);
    haft_arena_free(arena);
}

/* Work, depth and memory are bounded, and what is beyond is left as it was. */
static void is_bounded(void **state)
{
    /* Every option of every level is tried inside every option of the level above. */
    static const char document[] =
        "{\"$defs\":{\"t\":{\"anyOf\":["
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/t\"},\"n\":{\"type\":"
        "\"integer\"}}},"
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/t\"},\"n\":{\"type\":"
        "\"boolean\"}}}]}},\"$ref\":\"#/$defs/t\"}";
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    haft_schema *schema = parse(document);
    char text[512] = "";
    struct repairs repairs;
    haft_value *value, *made;

    (void)state;
    for (int i = 0; i < 40; i++)
        strncat(text, "{\"a\":", sizeof text - strlen(text) - 1);
    strncat(text, "{\"n\":\"x\"}", sizeof text - strlen(text) - 1);
    for (int i = 0; i < 40; i++)
        strncat(text, "}", sizeof text - strlen(text) - 1);
    value = json(text, arena);
    assert_int_equal(hf_schema_repair(schema, value, arena, &repairs, &made), HAFT_ESTEPS);
    assert_ptr_equal(made, value);
    assert_int_equal(repairs.n, 0);
    haft_schema_free(schema);
    haft_arena_free(arena);
}

static void lists_the_first_and_counts_all(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = parse("{\"items\":{\"type\":\"integer\"}}");
    char text[1024] = "[\"0\"";
    struct repairs repairs;
    haft_value *made;

    (void)state;
    for (int i = 0; i < 99; i++)
        strncat(text, ",\"1\"", sizeof text - strlen(text) - 1);
    strncat(text, "]", sizeof text - strlen(text) - 1);
    assert_int_equal(hf_schema_repair(schema, json(text, arena), arena, &repairs, &made), 100);
    assert_int_equal(repairs.n, 100);
    for (size_t i = 0; i < REPAIRS_LISTED; i++)
        assert_int_equal(repairs.list[i].path[0].index, i);
    haft_schema_free(schema);
    haft_arena_free(arena);
}

/* ---- parameters ---- */

struct texts_row {
    const char *query; /* a=1&b=2 */
    const char *value;
};

static const struct texts_row texts_rows[] = {
    {"", "{}"},
    {"n=5", "{'n':5}"},
    {"s=5", "{'s':'5'}"},
    {"n=five", "{'n':'five'}"},
    {"n=5.5", "{'n':'5.5'}"},
    {"n=5.0", "{'n':5}"},
    {"n=5&b=maybe&s=", "{'n':5,'b':'maybe','s':''}"},
    {"b=true&n=-1", "{'b':true,'n':-1}"},
    {"list=1", "{'list':[1]}"},
    {"list=1&n=5&list=2", "{'list':[1,2],'n':5}"},
    {"names=1&names=2", "{'names':['1','2']}"},
    {"names=[1]", "{'names':['[1]']}"},
    {"n=1&n=2", "{'n':['1','2']}"},
    {"other=1", "{'other':'1'}"},
    {"far=1", "{'far':1}"},
    {"many=1", "{'many':[1]}"},
    {"set=1&set=2", "{'set':['1',2]}"},
    {"set=true&set=2", "{'set':[true,2]}"},
};

static size_t split(char *query, struct text_field fields[8])
{
    size_t n = 0;

    while (*query) {
        char *value = strchr(query, '='), *end = strchr(value, '&');

        *value++ = '\0';
        end = end ? end : value + strlen(value);
        fields[n++] = (struct text_field){query, strlen(query), value, (size_t)(end - value)};
        query = *end ? end + 1 : end;
        *end = '\0';
    }
    return n;
}

static void makes_an_object_of_texts(void **state)
{
    static const char document[] =
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"s\":{\"type\":"
        "\"string\"},\"b\":{\"type\":\"boolean\"},\"list\":{\"$ref\":\"#/$defs/list\"},\"names\":"
        "{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"set\":{\"type\":\"array\","
        "\"prefixItems\":[{\"const\":true}],\"items\":{\"type\":\"number\"}}},"
        "\"allOf\":[{\"properties\":{\"far\":{\"type\":\"number\"},\"many\":"
        "{\"type\":\"array\",\"items\":{\"type\":\"number\"}}}}],"
        "\"$defs\":{\"list\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}}";
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_schema *schema = parse(document);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts_rows); i++) {
        struct text_field fields[8];
        size_t n =
            split(haft_arena_copy(arena, texts_rows[i].query, strlen(texts_rows[i].query)), fields);
        haft_value *value;

        assert_int_equal(hf_schema_from_texts(schema, fields, n, arena, &value), 0);
        assert_string_equal(written(value, arena), quoted(texts_rows[i].value, arena));
    }
    assert_int_equal(hf_schema_from_texts(schema, &(struct text_field){"n", 1, "\xff", 1}, 1, arena,
                                          &(haft_value *){NULL}),
                     HAFT_EUTF8);
    haft_schema_free(schema);
    haft_arena_free(arena);
}

/* ---- memory ---- */

/* With any amount of memory it is right, or as it came, or out of memory. */
static void does_with_what_memory_there_is(void **state)
{
    haft_schema *schema =
        parse("{\"$defs\":{\"t\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"array\","
              "\"items\":{\"$ref\":\"#/$defs/t\"}},{\"type\":\"object\","
              "\"additionalProperties\":{\"$ref\":\"#/$defs/t\"}}]}},"
              "\"$ref\":\"#/$defs/t\"}");
    bool right = false;

    (void)state;
    for (size_t limit = 256; limit < 64 << 10; limit += 16) {
        struct failing memory;
        haft_arena *arena;
        haft_value *value = NULL, *came;
        haft_issues issues = {0};
        struct repairs repairs;
        int status;

        failing_init(&memory, 0);
        arena = haft_arena_new(&memory.allocator, limit);
        came = arena ? haft_json_read(TEXT("{\"a\":[\"1\",{\"b\":\"[2,{\\\"c\\\":\\\"3\\\"}]\"}]}"),
                                      0, arena, NULL)
                     : NULL;
        value = came;
        if (value) {
            status = hf_schema_read_leniently(schema, &value, arena, NULL, &issues, &repairs);
            assert_true(!status || status == HAFT_EISSUES || status == HAFT_ENOMEM);
            right = !status;
            assert_int_equal(repairs.n, right ? 3 : 0);
            assert_true((value == came) == !right);
        }
        haft_arena_free(arena);
        failing_check(&memory);
    }
    assert_true(right);
    haft_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_texts_where_none_is_accepted),
        cmocka_unit_test(decodes_into_a_struct),
        cmocka_unit_test(is_bounded),
        cmocka_unit_test(lists_the_first_and_counts_all),
        cmocka_unit_test(makes_an_object_of_texts),
        cmocka_unit_test(does_with_what_memory_there_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
