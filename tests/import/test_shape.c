/* test_shape.c - schemas of OpenAPI as JSON Schema 2020-12. */
#include <haft/schema.h>

#include "import/reading.h"

/* What the rows refer to. */
static const char shape_document[] =
    "{'components':{'schemas':{"
    "'Pet':{'type':'object','properties':{'id':{'type':'integer','readOnly':true},"
    "'name':{'type':'string'},'secret':{'type':'string','writeOnly':true}},"
    "'required':['id','name','secret']},"
    "'Node':{'type':'object','properties':{'next':{'$ref':'#/components/schemas/Node'}}},"
    "'A':{'type':'object','properties':{'b':{'$ref':'#/components/schemas/B'}}},"
    "'B':{'type':'array','items':{'$ref':'#/components/schemas/A'}},"
    "'Alias':{'$ref':'#/components/schemas/B'},"
    "'Stamp':{'type':'string','readOnly':true},"
    "'Far':{'$ref':'other.yaml#/Pet'},"
    "'Round':{'$ref':'#/components/schemas/Circle'},"
    "'Circle':{'$ref':'#/components/schemas/Round'},"
    "'Filter':{'$recursiveAnchor':true,'type':'object','properties':{"
    "'all':{'type':'array','items':{'$recursiveRef':'#'}}}},"
    "'Tree':{'$dynamicAnchor':'tree','type':'array','items':{'$dynamicRef':'#tree'}},"
    "'a b':{'type':'null'},"
    "'Beast':{'type':'object','discriminator':{'propertyName':'kind','mapping':{'c':'Cat'}}},"
    "'Cat':{'allOf':[{'$ref':'#/components/schemas/Beast'}]},"
    "'Dog':{'allOf':[{'type':'object'},{'$ref':'#/components/schemas/Beast'}]},"
    "'Cow':{'type':'object','properties':{'kind':{'enum':['cow']}}},"
    "'Deep':{'type':'object','properties':{'x/y':{'type':'boolean'}}}}},"
    "'list':[{'type':'integer'}]}";

struct shape_case {
    enum import_version version;
    enum import_use use;
    const char *schema;
    const char *expected; /* with "$defs" added; or the reason of the failure, without { */
};

static const struct shape_case rows[] = {
    /* what is kept, and what is left out */
    {IMPORT_3_0, IMPORT_INPUT, "{'type':'string','example':1,'xml':{},'externalDocs':{},'x-a':1}",
     "{'type':'string'}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'discriminator':{'propertyName':'a'},'oneOf':[{'type':'null'}]}",
     "{'anyOf':[{'type':'null'}]}"},
    {IMPORT_3_0, IMPORT_INPUT,
     "{'type':'string','minLength':1,'maxLength':9,'pattern':'^a','format':'date'}",
     "{'minLength':1,'maxLength':9,'pattern':'^a','format':'date','type':'string'}"},
    {IMPORT_3_1, IMPORT_INPUT,
     "{'if':{'const':1},'then':{'not':{}},'else':{},'dependentRequired':{'a':['b','b',1]},"
     "'dependentSchemas':{'a':{'type':'any'}},'contentEncoding':'base64'}",
     "{'if':{'const':1},'then':{'not':{}},'else':{},'dependentRequired':{'a':['b']},"
     "'dependentSchemas':{'a':{}},'contentEncoding':'base64'}"},
    /* alternatives that a discriminator tells apart */
    {IMPORT_3_0, IMPORT_INPUT,
     "{'oneOf':[{'$ref':'#/components/schemas/Node'},{'$ref':'#/components/schemas/Cow'}],"
     "'discriminator':{'propertyName':'kind','mapping':{'n':'Node','m':'#/components/schemas/Node',"
     "'c':'Cow','x':'Other','y':1}}}",
     "{'anyOf':[{'$ref':'#/$defs/Node','properties':{'kind':{'enum':['n','m']}}},{'$ref':'#/$defs/"
     "Cow'}],'$defs':{'Cow':{'type':'object','properties':{'kind':{'enum':['cow']}}},'Node':{'type':"
     "'object','properties':{'next':{'$ref':'#/$defs/Node'}}}}}"},
    {IMPORT_3_0, IMPORT_OUTPUT,
     "{'oneOf':[{'$ref':'#/components/schemas/Node'}],'discriminator':{'propertyName':'kind',"
     "'mapping':{'n':'Node'}}}",
     "{'anyOf':[{'$ref':'#/$defs/Node'}],'$defs':{'Node':{'type':'object','properties':{'next':{"
     "'$ref':'#/$defs/Node'}}}}}"},
    {IMPORT_3_0, IMPORT_INPUT,
     "{'oneOf':[{'$ref':'#/components/schemas/Cat'},{'$ref':'#/components/schemas/Dog'}]}",
     "{'anyOf':[{'$ref':'#/$defs/Cat','properties':{'kind':{'enum':['c']}}},{'$ref':'#/$defs/Dog'}],"
     "'$defs':{'Dog':{'allOf':[{'type':'object'},{'$ref':'#/$defs/Beast'}]},'Cat':{'allOf':[{'$ref':"
     "'#/$defs/Beast'}]},'Beast':{'type':'object'}}}"},
    {IMPORT_3_0, IMPORT_INPUT,
     "{'oneOf':[{'$ref':'#/components/schemas/Cat'},{'$ref':'#/components/schemas/Cow'}]}",
     "{'oneOf':[{'$ref':'#/$defs/Cat'},{'$ref':'#/$defs/Cow'}],'$defs':{'Cow':{'type':'object',"
     "'properties':{'kind':{'enum':['cow']}}},'Cat':{'allOf':[{'$ref':'#/$defs/Beast'}]},'Beast':{"
     "'type':'object'}}}"},
    {IMPORT_3_0, IMPORT_INPUT,
     "{'oneOf':[{'type':'object'}],'anyOf':[{'title':'a'}],'discriminator':{'propertyName':'a'}}",
     "{'oneOf':[{'type':'object'}],'anyOf':[{'title':'a'}]}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'oneOf':[{'type':'object'}],'discriminator':{'propertyName':1}}",
     "{'oneOf':[{'type':'object'}]}"},
    /* values that JSON Schema does not allow */
    {IMPORT_2_0, IMPORT_INPUT, "{'type':'string','required':true,'minLength':'3','maxLength':-1}",
     "{'type':'string'}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'type':'string','pattern':'(a','enum':[]}", "{'type':'string'}"},
    /* patterns that clients refuse */
    {IMPORT_2_0, IMPORT_INPUT, "{'pattern':'[\\\\w-\\\\.]'}", "{}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'pattern':'(?:{a})'}", "{}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'pattern':'a{,2}'}", "{}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'pattern':'a]'}", "{}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'pattern':'a\\\\@'}", "{}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'pattern':'^(?<n>[\\\\w.-]+)a{2,}\\\\u{41}\\\\p{L}[{}\\\\-]$'}",
     "{'pattern':'^(?<n>[\\\\w.-]+)a{2,}\\\\u{41}\\\\p{L}[{}\\\\-]$'}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'multipleOf':0,'minimum':'1','allOf':[],'uniqueItems':1}", "{}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'patternProperties':{'(':{},'^x':{}},'properties':1}",
     "{'patternProperties':{'^x':{}}}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'type':'file'}", "{'type':'string'}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'type':'long'}", "{}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'type':['string','long','string']}", "{'type':'string'}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'type':['string','null']}", "{'type':['string','null']}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'enum':['a','b','a']}", "{'enum':['a','b']}"},
    /* booleans */
    {IMPORT_3_1, IMPORT_INPUT, "{'properties':{'a':true,'b':false},'additionalProperties':false}",
     "{'additionalProperties':false,'properties':{'a':{},'b':{'not':{}}}}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'additionalProperties':{'type':'string','nullable':true}}",
     "{'additionalProperties':{'type':['string','null']}}"},
    /* null */
    {IMPORT_3_0, IMPORT_INPUT, "{'type':'string','nullable':true}", "{'type':['string','null']}"},
    {IMPORT_3_0, IMPORT_OUTPUT, "{'type':'string','nullable':false}", "{'type':'string'}"},
    {IMPORT_2_0, IMPORT_OUTPUT, "{'type':'string','x-nullable':true}",
     "{'type':['string','null']}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'type':'string','nullable':true,'enum':['a']}",
     "{'enum':['a',null],'type':['string','null']}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'type':'string','nullable':true,'enum':['a',null]}",
     "{'enum':['a',null],'type':['string','null']}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'type':['string','integer'],'nullable':true}",
     "{'type':['string','integer','null']}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'type':['string','null'],'nullable':true}",
     "{'type':['string','null']}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'nullable':true}", "{}"},
    {IMPORT_3_0, IMPORT_INPUT,
     "{'nullable':true,'description':'d','allOf':[{'$ref':'#/components/schemas/Node'}]}",
     "{'anyOf':[{'allOf':[{'$ref':'#/$defs/Node'}]},{'type':'null'}],'description':'d',"
     "'$defs':{'Node':{'type':'object','properties':{'next':{'$ref':'#/$defs/Node'}}}}}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'nullable':true,'type':'integer','oneOf':[{'minimum':1}]}",
     "{'anyOf':[{'oneOf':[{'minimum':1}],'type':'integer'},{'type':'null'}]}"},
    /* bounds */
    {IMPORT_3_0, IMPORT_INPUT, "{'minimum':1,'exclusiveMinimum':true,'maximum':5}",
     "{'exclusiveMinimum':1,'maximum':5}"},
    {IMPORT_3_0, IMPORT_INPUT,
     "{'minimum':1,'exclusiveMinimum':false,'maximum':5,"
     "'exclusiveMaximum':true}",
     "{'minimum':1,'exclusiveMaximum':5}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'exclusiveMinimum':2,'minimum':1}",
     "{'minimum':1,'exclusiveMinimum':2}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'exclusiveMinimum':true}", "{}"},
    /* arrays */
    {IMPORT_3_0, IMPORT_INPUT, "{'type':'array'}", "{'type':'array','items':{}}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'type':['array','null']}", "{'type':['array','null'],'items':{}}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'type':'array','prefixItems':[{'type':'null'}]}",
     "{'type':'array','prefixItems':[{'type':'null'}]}"},
    {IMPORT_2_0, IMPORT_INPUT, "{'type':'array','items':[{'type':'null'}]}",
     "{'type':'array','prefixItems':[{'type':'null'}]}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'type':'array','items':{'type':'array'}}",
     "{'type':'array','items':{'type':'array','items':{}}}"},
    /* defaults */
    {IMPORT_3_0, IMPORT_INPUT, "{'type':'integer','default':30}",
     "{'type':'integer','default':30}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'type':'integer','default':'30'}", "{'type':'integer'}"},
    {IMPORT_3_0, IMPORT_OUTPUT, "{'type':'integer','default':30}", "{'type':'integer'}"},
    /* by use */
    {IMPORT_3_0, IMPORT_INPUT, "{'allOf':[{'$ref':'#/components/schemas/Pet'}]}",
     "{'allOf':[{'$ref':'#/$defs/Pet'}],'$defs':{'Pet':{'type':'object','properties':{"
     "'name':{'type':'string'},'secret':{'type':'string'}},'required':['name','secret']}}}"},
    {IMPORT_3_0, IMPORT_OUTPUT, "{'allOf':[{'$ref':'#/components/schemas/Pet'}]}",
     "{'allOf':[{'$ref':'#/$defs/Pet'}],'$defs':{'Pet':{'type':'object','properties':{"
     "'id':{'type':'integer'},'name':{'type':'string'}},'required':['id','name']}}}"},
    {IMPORT_3_0, IMPORT_INPUT,
     "{'properties':{'at':{'$ref':'#/components/schemas/Stamp'}},'required':['at']}",
     "{'properties':{}}"},
    /* references */
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/components/schemas/A'}",
     "{'$ref':'#/$defs/A','$defs':{'A':{'type':'object','properties':{'b':{'$ref':'#/$defs/B'}}},"
     "'B':{'type':'array','items':{'$ref':'#/$defs/A'}}}}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'items':{'$ref':'#/components/schemas/Alias'}}",
     "{'items':{'$ref':'#/$defs/B'},'$defs':{'B':{'type':'array','items':{'$ref':'#/$defs/A'}},"
     "'A':{'type':'object','properties':{'b':{'$ref':'#/$defs/B'}}}}}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/list/0','minimum':5,'nullable':true,'description':'d'}",
     "{'$ref':'#/$defs/0.493c8bb9f8e5','description':'d','$defs':{'0.493c8bb9f8e5':"
     "{'type':'integer'}}}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'$ref':'#/list/0','minimum':5}",
     "{'$ref':'#/$defs/0.493c8bb9f8e5','minimum':5,'$defs':{'0.493c8bb9f8e5':"
     "{'type':'integer'}}}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/components/schemas/a%20b'}",
     "{'$ref':'#/$defs/.b87f7df5d6a8','$defs':{'.b87f7df5d6a8':{'type':'null'}}}"},
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/components/schemas/Deep/properties/x~1y'}",
     "{'$ref':'#/$defs/.39e6f7af0cc5','$defs':{'.39e6f7af0cc5':{'type':'boolean'}}}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'$ref':'#/components/schemas/Filter'}",
     "{'$ref':'#/$defs/Filter','$defs':{'Filter':{'type':'object','properties':{"
     "'all':{'type':'array','items':{'$ref':'#/$defs/Filter'}}}}}}"},
    {IMPORT_3_1, IMPORT_INPUT, "{'$ref':'#/components/schemas/Tree'}",
     "{'$ref':'#/$defs/Tree','$defs':{'Tree':{'type':'array','items':{'$ref':'#/$defs/Tree'}}}}"},
    /* failures */
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'other.yaml#/Pet'}", "external reference other.yaml#/Pet"},
    {IMPORT_3_0, IMPORT_INPUT, "{'items':{'$ref':'#/components/schemas/Far'}}",
     "external reference other.yaml#/Pet"},
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/components/schemas/None'}",
     "missing reference #/components/schemas/None"},
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/list/00'}", "missing reference #/list/00"},
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/list/%zz'}", "missing reference #/list/%zz"},
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#pet'}", "reference to an anchor #pet"},
    {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/components/schemas/Round'}",
     "circular reference #/components/schemas/Round"},
    {IMPORT_3_1, IMPORT_INPUT, "{'$dynamicRef':'#node'}", "$dynamicRef #node is not supported"},
    {IMPORT_3_0, IMPORT_INPUT, "{'properties':{'a':1}}", "a schema is not an object"},
    {IMPORT_3_0, IMPORT_INPUT, "{'not':{'not':{'not':{'not':{'not':{'not':{}}}}}}}",
     "schemas are nested deeper than 5 levels"},
};

/* A document to convert schemas of. */
struct shape_fixture {
    struct import import;
    struct import_options options;
    struct import_document document;
};

static void shape_open(struct shape_fixture *fixture, enum import_version version)
{
    *fixture = (struct shape_fixture){.options = {.max_depth = 5}};
    fixture->import.arena = haft_arena_new(NULL, 1 << 22);
    assert_non_null(fixture->import.arena);
    fixture->document = (struct import_document){
        .import = &fixture->import,
        .options = &fixture->options,
        .version = version,
        .root = reading_value(fixture->import.arena, shape_document),
        .cache = hf_import_cache_new(&fixture->import, NULL),
    };
    assert_non_null(fixture->document.cache);
}

static void shape_close(struct shape_fixture *fixture)
{
    hf_import_cache_finish(fixture->document.cache);
    haft_arena_free(fixture->import.arena);
}

/* The schema as text, or the reason. */
static const char *shape_convert(struct shape_fixture *fixture, const struct shape_case *row)
{
    haft_arena *arena = fixture->import.arena;
    const yyjson_alc alc = hf_json_arena(arena);
    yyjson_mut_doc *out = yyjson_mut_doc_new(&alc);
    struct import_shaper shaper = {.document = &fixture->document, .use = row->use, .out = out};
    yyjson_mut_val *schema = hf_import_shape(&shaper, reading_value(arena, row->schema));

    if (!schema)
        return haft_arena_printf(arena, "%s", shaper.reason.text);
    if (shaper.definitions)
        assert_true(yyjson_mut_obj_add_val(out, schema, "$defs", shaper.definitions));
    return yyjson_mut_val_write_opts(schema, 0, &alc, NULL, NULL);
}

static void converts_schemas(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct shape_fixture fixture;
        const char *found, *expected;
        haft_schema *schema = NULL;
        haft_reason reason = {0};

        shape_open(&fixture, rows[i].version);
        expected = *rows[i].expected == '{' ? reading_text(fixture.import.arena, rows[i].expected)
                                            : rows[i].expected;
        found = shape_convert(&fixture, &rows[i]);
        if (strcmp(found, expected))
            fail_msg("%s:\n%s\ninstead of\n%s", rows[i].schema, found, expected);
        if (*found == '{' && haft_schema_parse(found, strlen(found), NULL, &schema, &reason))
            fail_msg("%s: %s: %s", found, reason.path, reason.text);
        haft_schema_free(schema);
        shape_close(&fixture);
    }
}

/* The second conversion uses texts of the first, and each use has its own. */
static void converts_again(void **state)
{
    static const struct shape_case again[] = {
        {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/components/schemas/Pet'}", NULL},
        {IMPORT_3_0, IMPORT_OUTPUT, "{'$ref':'#/components/schemas/Pet'}", NULL},
        {IMPORT_3_0, IMPORT_INPUT, "{'$ref':'#/components/schemas/Far'}", NULL},
    };
    struct shape_fixture fixture;

    (void)state;
    shape_open(&fixture, IMPORT_3_0);
    for (size_t i = 0; i < COUNT_OF(again); i++) {
        const char *first = shape_convert(&fixture, &again[i]);

        assert_string_equal(first, shape_convert(&fixture, &again[i]));
        assert_int_equal(!strstr(first, "readOnly"), 1);
        assert_int_equal(!!strstr(first, "\"id\""), again[i].use == IMPORT_OUTPUT);
    }
    shape_close(&fixture);
}

/* Descriptions are bounded, and have no characters that people cannot see. */
static void cleans_descriptions(void **state)
{
    struct shape_fixture fixture;
    struct shape_case row = {IMPORT_3_0, IMPORT_INPUT, NULL, NULL};
    char text[3000];
    const char *found;

    (void)state;
    shape_open(&fixture, IMPORT_3_0);
    row.schema = "{'description':'a\\u200bb\\u202e c\\r\\n\\u0000d'}";
    assert_string_equal(shape_convert(&fixture, &row), "{\"description\":\"ab c\\n\"}");
    memset(text, 'x', sizeof text);
    memcpy(text, "{'description':'", 16);
    for (size_t i = 100; i < 2900; i += 10)
        text[i] = ' ';
    memcpy(text + sizeof text - 3, "'}", 3);
    row.schema = text;
    found = shape_convert(&fixture, &row);
    assert_true(strlen(found) > 1000 && strlen(found) <= 1024 + sizeof "{\"description\":\"\"}");
    assert_string_equal(found + strlen(found) - 7, "xx\xE2\x80\xA6\"}");
    shape_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converts_schemas),
        cmocka_unit_test(converts_again),
        cmocka_unit_test(cleans_descriptions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
