/* test_redact.c - secrets are struck out wherever a schema may mean them.  JSON is written with ' in
 * place of ". */
#include "schema/emit/redact.h"

#include <haft/schema.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#define SECRET "{'writeOnly':true}"
#define TEXT_OF(name) "'" name "':{'type':'string'}"

static const struct {
    const char *document, *value;
    const char *redacted; /* NULL: the same */
} rows[] = {
    {"{'properties':{" TEXT_OF("a") "}}", "{'a':'x','b':['y']}", NULL},
    {"{'properties':{'s':" SECRET "," TEXT_OF("a") "}}", "{'a':'x','s':'y'}",
     "{'a':'x','s':'***'}"},
    {"{'properties':{'s':" SECRET "}}", "{'s':{'a':['y']}}", "{'s':'***'}"},
    {SECRET, "['y']", "'***'"},
    /* what the schema has no word for */
    {"{'properties':{'s':" SECRET "," TEXT_OF("a") "}}", "{'a':'x','b':'y'}",
     "{'a':'x','b':'***'}"},
    {"{'properties':{'s':" SECRET ",'a':{'properties':{}}}}", "{'a':'x'}", "{'a':'***'}"},
    {"{'properties':{'s':" SECRET ",'a':{'items':{}}}}", "{'a':'[1]'}", "{'a':'***'}"},
    {"{'properties':{'s':" SECRET ",'a':{'type':'array'}}}", "{'a':['x']}", "{'a':['***']}"},
    {"{'properties':{'s':" SECRET "," TEXT_OF("a") "}}", "['x']", "['***']"},
    /* members */
    {"{'properties':{" TEXT_OF("a") "},'additionalProperties':" SECRET "}", "{'a':'x','b':'y'}",
     "{'a':'x','b':'***'}"},
    {"{'properties':{'s':" SECRET "},'additionalProperties':{'type':'string'}}",
     "{'s':'y','b':'x'}", "{'s':'***','b':'x'}"},
    {"{'properties':{" TEXT_OF("a") "," TEXT_OF("b") "},'patternProperties':{'^b':" SECRET "}}",
     "{'b':'y'}", "{'b':'***'}"},
    {"{'anyOf':[{'properties':{" TEXT_OF(
         "b") "},'required':['c']},{}],'unevaluatedProperties':" SECRET "}",
     "{'b':'y'}", "{'b':'***'}"},
    {"{'properties':{" TEXT_OF("a") "},'unevaluatedProperties':" SECRET "}", "{'b':'y'}",
     "{'b':'***'}"},
    {"{'properties':{" TEXT_OF("a") "," TEXT_OF(
         "b") "},'dependentSchemas':{'b':{'properties':{'a':" SECRET "}}}}",
     "{'a':'y','b':'x'}", "{'a':'***','b':'x'}"},
    /* items */
    {"{'prefixItems':[{'type':'string'}," SECRET "],'items':{'type':'string'}}", "['x','y','z']",
     "['x','***','z']"},
    {"{'prefixItems':[{'type':'string'}],'items':" SECRET "}", "['x','y']", "['x','***']"},
    {"{'items':{'type':'string'},'contains':" SECRET "}", "['y']", "['***']"},
    {"{'prefixItems':[{'type':'string'}],'unevaluatedItems':" SECRET "}", "[1,'y']",
     "['***','***']"},
    /* logic and references */
    {"{'properties':{'a':{'anyOf':[{'type':'string'}," SECRET "]}}}", "{'a':'y'}", "{'a':'***'}"},
    {"{'properties':{'a':{'if':{'const':1},'then':{},'else':" SECRET "}}}", "{'a':1}",
     "{'a':'***'}"},
    {"{'properties':{'a':{'not':" SECRET "}}}", "{'a':1}", "{'a':'***'}"},
    {"{'$ref':'#/$defs/s','$defs':{'s':{'properties':{'a':{'allOf':[" SECRET "]}}}}}", "{'a':'y'}",
     "{'a':'***'}"},
    {"{'$id':'x:a','$ref':'x:b','$defs':{'t':{'$dynamicAnchor':'t','writeOnly':true},'b':{'$id':"
     "'x:b','properties':{'a':{'$dynamicRef':'#t'}},'$defs':{'t':{'$dynamicAnchor':'t'}}}}}",
     "{'a':'y'}", "{'a':'***'}"},
    {"{'properties':{'s':" SECRET ",'n':{'$ref':'#'}," TEXT_OF("a") "}}",
     "{'n':{'n':{'s':'y','a':'x'}}}", "{'n':{'n':{'s':'***','a':'x'}}}"},
};

/* The document's text with its quotes. */
static char *quoted(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    assert_non_null(copy);
    memcpy(copy, text, strlen(text) + 1);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return copy;
}

/* Fails unless the value becomes the redacted one. */
static void expect(const char *document, const char *value, const char *redacted)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    char *schema_text = quoted(document), *text = quoted(value), *expected = quoted(redacted);
    haft_schema *schema = NULL;
    haft_buffer out;

    assert_int_equal(haft_schema_parse(schema_text, strlen(schema_text), NULL, &schema, NULL), 0);
    haft_buffer_init(&out, NULL, 1 << 16);
    hf_schema_put_redacted(schema, haft_json_read(text, strlen(text), 512, arena, NULL), &out);
    haft_buffer_add(&out, "", 1);
    if (strcmp(out.data, expected))
        fail_msg("%s\n  %s\n  expected %s\n  found    %s", document, value, expected, out.data);
    haft_buffer_finish(&out);
    haft_schema_free(schema);
    haft_arena_free(arena);
    free(schema_text);
    free(text);
    free(expected);
}

static void strikes_out_secrets(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect(rows[i].document, rows[i].value,
               rows[i].redacted ? rows[i].redacted : rows[i].value);
}

/* So many schemas apply to one place that one of them may be secret. */
static void strikes_out_what_is_too_much_to_tell(void **state)
{
    static const struct {
        size_t parts;
        const char *redacted;
    } counts[] = {{31, "{'a':'x'}"}, {32, "{'a':'***'}"}, {40, "{'a':'***'}"}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        haft_buffer document;

        haft_buffer_init(&document, NULL, 1 << 16);
        haft_buffer_puts(&document, "{'properties':{'s':" SECRET ",'a':{'allOf':[");
        for (size_t k = 0; k < counts[i].parts; k++)
            haft_buffer_printf(&document, "%s{'minLength':%zu}", k ? "," : "", k);
        haft_buffer_puts(&document, "]}}}");
        haft_buffer_add(&document, "", 1);
        expect(document.data, "{'a':'x'}", counts[i].redacted);
        haft_buffer_finish(&document);
    }
}

/* Levels of a value beyond which it is struck out as a whole. */
static void strikes_out_what_is_too_deep(void **state)
{
    enum { LEVELS = 64 };
    haft_buffer value, redacted;

    (void)state;
    haft_buffer_init(&value, NULL, 1 << 16);
    haft_buffer_init(&redacted, NULL, 1 << 16);
    for (size_t i = 0; i < LEVELS; i++) {
        haft_buffer_puts(&value, "[");
        haft_buffer_puts(&redacted, "[");
    }
    haft_buffer_puts(&value, "[]");
    haft_buffer_puts(&redacted, "'***'");
    for (size_t i = 0; i < LEVELS; i++) {
        haft_buffer_puts(&value, "]");
        haft_buffer_puts(&redacted, "]");
    }
    haft_buffer_add(&value, "", 1);
    haft_buffer_add(&redacted, "", 1);
    expect("{'items':{'$ref':'#'},'properties':{'s':" SECRET "}}", value.data, redacted.data);
    haft_buffer_finish(&value);
    haft_buffer_finish(&redacted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strikes_out_secrets),
        cmocka_unit_test(strikes_out_what_is_too_much_to_tell),
        cmocka_unit_test(strikes_out_what_is_too_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
