/* test_document.c - JSON Schema documents: what is refused and where, dialects, references, limits.
 *
 * What the keywords mean is the business of the official suite (drivers/schema_suite.c). */
#include <haft/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "schema/model/node.h"
#include "schema/text/uri.h"
#include "support/failing.h"
#include "support/test.h"

#define D2020 "https://json-schema.org/draft/2020-12/schema"
#define D2019 "https://json-schema.org/draft/2019-09/schema"
#define D7 "http://json-schema.org/draft-07/schema#"
#define D6 "http://json-schema.org/draft-06/schema#"
#define D4 "http://json-schema.org/draft-04/schema#"
#define VOCABULARY "https://json-schema.org/draft/2020-12/vocab/"

/* Tables are written with ' for ". */
static char *quoted(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    assert_non_null(copy);
    memcpy(copy, text, strlen(text) + 1);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return copy;
}

static int parse(const char *text, const haft_schema_options *options, haft_schema **ret_schema,
                 haft_reason *reterr_error)
{
    char *json = quoted(text);
    int status = haft_schema_parse(json, strlen(json), options, ret_schema, reterr_error);

    free(json);
    return status;
}

/* 1 when the value fits, 0 when it does not, else the error. */
static int fits(const haft_schema *schema, const char *value)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    haft_issues issues = {0};
    char *json = quoted(value);
    int status = haft_schema_validate_text(schema, json, strlen(json), arena, &issues);

    free(json);
    haft_arena_free(arena);
    return status == HAFT_EISSUES ? 0 : status ? status : 1;
}

/* ---- errors ---- */

struct refusal {
    const char *dialect, *schema;
    int code;
    const char *path, *text;
};

static void refuses(const struct refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        haft_schema_options options = HAFT_INIT(haft_schema_options, .dialect = rows[i].dialect);
        haft_schema *schema = NULL;
        haft_reason error = {0};
        char *path = quoted(rows[i].path), *text = quoted(rows[i].text);
        int status = parse(rows[i].schema, &options, &schema, &error);

        if (status != rows[i].code || strcmp(error.path, path) || strcmp(error.text, text) ||
            error.code != status)
            fail_msg("%s: %d at %s: %s", rows[i].schema, status, error.path, error.text);
        assert_null(schema);
        free(path);
        free(text);
    }
}

#define SCHEMA_KIND "a schema must be an object or a boolean"
#define TYPE_NAMES "use string, number, integer, boolean, object, array or null"
#define COUNT_KIND " must be a non-negative integer"

static void refuses_values_of_the_wrong_kind(void **state)
{
    static const struct refusal rows[] = {
        {NULL, "[]", HAFT_ESCHEMA, "", SCHEMA_KIND},
        {NULL, "'a'", HAFT_ESCHEMA, "", SCHEMA_KIND},
        {NULL, "null", HAFT_ESCHEMA, "", SCHEMA_KIND},
        {D4, "true", HAFT_ESCHEMA, "", "a schema must be an object"},
        {D4, "{'not': true}", HAFT_ESCHEMA, "#/not", "a schema must be an object"},
        {NULL, "{'type': 'strng'}", HAFT_ESCHEMA, "#/type", "'strng' is not a type; " TYPE_NAMES},
        {NULL, "{'type': ['null', 'any']}", HAFT_ESCHEMA, "#/type",
         "'any' is not a type; " TYPE_NAMES},
        {NULL, "{'type': []}", HAFT_ESCHEMA, "#/type",
         "'type' must be a list of at least one type"},
        {NULL, "{'type': 1}", HAFT_ESCHEMA, "#/type",
         "'type' must be a type name or a list of type names"},
        {NULL, "{'enum': 'a'}", HAFT_ESCHEMA, "#/enum", "'enum' must be an array"},
        {NULL, "{'minLength': -1}", HAFT_ESCHEMA, "#/minLength", "'minLength'" COUNT_KIND},
        {NULL, "{'maxLength': 1.5}", HAFT_ESCHEMA, "#/maxLength", "'maxLength'" COUNT_KIND},
        {NULL, "{'minItems': '1'}", HAFT_ESCHEMA, "#/minItems", "'minItems'" COUNT_KIND},
        {NULL, "{'contains': {}, 'maxContains': -2}", HAFT_ESCHEMA, "#/maxContains",
         "'maxContains'" COUNT_KIND},
        {NULL, "{'minimum': '1'}", HAFT_ESCHEMA, "#/minimum", "'minimum' must be a number"},
        {NULL, "{'exclusiveMinimum': true}", HAFT_ESCHEMA, "#/exclusiveMinimum",
         "'exclusiveMinimum' must be a number"},
        {D4, "{'exclusiveMinimum': 1}", HAFT_ESCHEMA, "#/exclusiveMinimum",
         "'exclusiveMinimum' must be true or false"},
        {NULL, "{'multipleOf': 0}", HAFT_ESCHEMA, "#/multipleOf",
         "'multipleOf' must be a number greater than 0"},
        {NULL, "{'uniqueItems': 1}", HAFT_ESCHEMA, "#/uniqueItems",
         "'uniqueItems' must be true or false"},
        {NULL, "{'pattern': 1}", HAFT_ESCHEMA, "#/pattern", "'pattern' must be a string"},
        {NULL, "{'format': 1}", HAFT_ESCHEMA, "#/format", "'format' must be a string"},
        {D7, "{'contentEncoding': 1}", HAFT_ESCHEMA, "#/contentEncoding",
         "'contentEncoding' must be a string"},
        {NULL, "{'required': 'a'}", HAFT_ESCHEMA, "#/required",
         "'required' must be a list of strings"},
        {NULL, "{'required': [1]}", HAFT_ESCHEMA, "#/required",
         "'required' must be made of lists of strings"},
        {NULL, "{'properties': []}", HAFT_ESCHEMA, "#/properties",
         "'properties' must be an object of schemas"},
        {NULL, "{'properties': {'a/b~c': {'type': {}}}}", HAFT_ESCHEMA, "#/properties/a~1b~0c/type",
         "'type' must be a type name or a list of type names"},
        {NULL, "{'properties': {'a': 1}}", HAFT_ESCHEMA, "#/properties/a", SCHEMA_KIND},
        {NULL, "{'items': [{}]}", HAFT_ESCHEMA, "#/items", SCHEMA_KIND},
        {D7, "{'items': [{}, 1]}", HAFT_ESCHEMA, "#/items/1", SCHEMA_KIND},
        {NULL, "{'prefixItems': {}}", HAFT_ESCHEMA, "#/prefixItems",
         "'prefixItems' must be a list of at least one schema"},
        {NULL, "{'allOf': []}", HAFT_ESCHEMA, "#/allOf",
         "'allOf' must be a list of at least one schema"},
        {NULL, "{'anyOf': [{}, {'not': 3}]}", HAFT_ESCHEMA, "#/anyOf/1/not", SCHEMA_KIND},
        {NULL, "{'dependentRequired': {'a': 'b'}}", HAFT_ESCHEMA, "#/dependentRequired",
         "'dependentRequired' must be made of lists of strings"},
        {NULL, "{'dependentRequired': []}", HAFT_ESCHEMA, "#/dependentRequired",
         "'dependentRequired' must be an object"},
        {D7, "{'dependencies': []}", HAFT_ESCHEMA, "#/dependencies",
         "'dependencies' must be an object of schemas or lists of strings"},
        {NULL, "{'$defs': {'unused': {'maxItems': {}}}}", HAFT_ESCHEMA, "#/$defs/unused/maxItems",
         "'maxItems'" COUNT_KIND},
        {NULL, "{'description': 1}", HAFT_ESCHEMA, "#/description",
         "'description' must be a string"},
        {NULL, "{'examples': {}}", HAFT_ESCHEMA, "#/examples", "'examples' must be an array"},
        {NULL, "{'$ref': 1}", HAFT_ESCHEMA, "#/$ref", "'$ref' must be a string"},
        {NULL, "{'$id': 1}", HAFT_ESCHEMA, "#/$id", "'$id' must be a string"},
        {NULL, "{'$id': 'a#b'}", HAFT_ESCHEMA, "#/$id", "'$id' must not have a fragment"},
        {NULL, "{'$anchor': '1'}", HAFT_ESCHEMA, "#/$anchor",
         "'$anchor' must be a name of letters, digits, '-', '_' and '.'"},
        {NULL, "{'$anchor': 'a', '$defs': {'b': {'$anchor': 'a'}}}", HAFT_ESCHEMA,
         "#/$defs/b/$anchor", "the anchor 'a' occurs more than once"},
        {NULL, "{'$defs': {'a': {'$id': 'x:a'}, 'b': {'$id': 'x:a'}}}", HAFT_ESCHEMA,
         "#/$defs/b/$id", "'x:a' names two schemas"},
        {D2019, "{'$recursiveRef': '#a'}", HAFT_ESCHEMA, "#/$recursiveRef",
         "'$recursiveRef' must be '#'"},
    };

    (void)state;
    refuses(rows, COUNT_OF(rows));
}

static void refuses_what_is_not_json(void **state)
{
    static const struct refusal rows[] = {
        {NULL, "{'a': 1", HAFT_EPARSE, "", "unexpected end of data at byte 7"},
        {NULL, "{'a': 1, 'a': 2}", HAFT_EPARSE, "", "the key 'a' occurs more than once"},
        {NULL, "{'\xff': 1}", HAFT_EUTF8, "", "invalid UTF-8 encoding in string at byte 2"},
    };

    (void)state;
    refuses(rows, COUNT_OF(rows));
}

static void refuses_unknown_dialects_and_references(void **state)
{
    static const struct refusal rows[] = {
        {NULL, "{'$schema': 'http://json-schema.org/draft-03/schema#'}", HAFT_EDIALECT, "#/$schema",
         "unknown dialect 'http://json-schema.org/draft-03/schema#'"},
        {"my:own", "{}", HAFT_EDIALECT, "", "unknown dialect 'my:own'"},
        {NULL, "{'$defs': {'a': {'$id': 'x:a', '$schema': 'x:b'}}}", HAFT_EDIALECT,
         "#/$defs/a/$schema", "unknown dialect 'x:b'"},
        {NULL, "{'$ref': '#/$defs/a'}", HAFT_EREF, "#/$ref",
         "'#/$defs/a' does not refer to a schema"},
        {NULL, "{'$ref': '#a'}", HAFT_EREF, "#/$ref", "'#a' does not refer to a schema"},
        {NULL, "{'title': 'a', '$ref': '#/title'}", HAFT_EREF, "#/$ref",
         "'#/title' does not refer to a schema"},
        {D4, "{'items': {'$ref': '#/x/y'}, 'x': {'y': true}}", HAFT_EREF, "#/items/$ref",
         "'#/x/y' does not refer to a schema"},
        {NULL, "{'anyOf': [{}], '$ref': '#/anyOf/00'}", HAFT_EREF, "#/$ref",
         "'#/anyOf/00' does not refer to a schema"},
        {NULL, "{'items': {'$ref': 'http://example.com/a#/b'}}", HAFT_EREF, "#/items/$ref",
         "'http://example.com/a#/b' refers to 'http://example.com/a', which is neither in the document nor among the given documents"},
        {NULL, "{'$id': 'http://example.com/a/b', 'items': {'$ref': '../c'}}", HAFT_EREF,
         "#/items/$ref",
         "'../c' refers to 'http://example.com/c', which is neither in the document nor among the given documents"},
        {NULL, "{'$defs': {'a': {'enum': [{'$id': 'x:a'}]}}, '$ref': 'x:a'}", HAFT_EREF, "#/$ref",
         "'x:a' refers to 'x:a', which is neither in the document nor among the given documents"},
        {NULL, "{'x-own': {'$id': 'x:a'}, '$ref': 'x:a'}", HAFT_EREF, "#/$ref",
         "'x:a' refers to 'x:a', which is neither in the document nor among the given documents"},
    };

    (void)state;
    refuses(rows, COUNT_OF(rows));
}

static void refuses_loops_that_never_end(void **state)
{
#define LOOP "the schema refers to itself without descending into the value"
    static const struct refusal rows[] = {
        {NULL, "{'$ref': '#'}", HAFT_ESCHEMA, "", LOOP},
        {D7, "{'allOf': [{'$ref': '#'}]}", HAFT_ESCHEMA, "#/allOf/0", LOOP},
        {NULL, "{'$defs': {'a': {'$ref': '#/$defs/a'}}}", HAFT_ESCHEMA, "#/$defs/a", LOOP},
        {NULL,
         "{'$defs': {'a': {'$ref': '#/$defs/b'}, 'b': {'not': {'$ref': '#/$defs/a'}}},"
         " 'properties': {'x': {'$ref': '#/$defs/a'}}}",
         HAFT_ESCHEMA, "#/$defs/b/not", LOOP},
        {NULL, "{'if': true, 'then': {'$ref': '#'}}", HAFT_ESCHEMA, "#/then", LOOP},
        {NULL, "{'dependentSchemas': {'a': {'$ref': '#'}}}", HAFT_ESCHEMA, "#/dependentSchemas/a",
         LOOP},
        {NULL, "{'$dynamicAnchor': 'a', '$dynamicRef': '#a'}", HAFT_ESCHEMA, "", LOOP},
        {D2019, "{'$recursiveAnchor': true, '$recursiveRef': '#'}", HAFT_ESCHEMA, "", LOOP},
    };
    static const char *const fine[] = {
        "{'properties': {'a': {'$ref': '#'}}}",
        "{'items': {'anyOf': [{'type': 'null'}, {'$ref': '#'}]}}",
        "{'$defs': {'a': {}}, 'allOf': [{'$ref': '#/$defs/a'}, {'$ref': '#/$defs/a'}]}",
        "{'propertyNames': {'$ref': '#'}}",
    };

    (void)state;
    refuses(rows, COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(fine); i++) {
        haft_schema *schema = NULL;

        assert_int_equal(parse(fine[i], NULL, &schema, NULL), 0);
        haft_schema_free(schema);
    }
}

static void refuses_patterns_that_do_not_compile(void **state)
{
    static const struct {
        const char *schema, *path;
    } rows[] = {
        {"{'pattern': '['}", "#/pattern"},
        {"{'items': {'pattern': 'a{2,1}'}}", "#/items/pattern"},
        {"{'patternProperties': {'a': {}, '(/': {}}}", "#/patternProperties/(~1"},
        {"{'$defs': {'a': {'pattern': '\\\\'}}}", "#/$defs/a/pattern"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema *schema = NULL;
        haft_reason error = {0};

        assert_int_equal(parse(rows[i].schema, NULL, &schema, &error), HAFT_EPATTERN);
        assert_string_equal(error.path, rows[i].path);
        assert_non_null(strpbrk(error.text, "0123456789"));
    }
}

/* ---- limits ---- */

static void keeps_its_limits(void **state)
{
    static const struct {
        haft_schema_options options;
        const char *schema;
        int code;
        const char *path;
    } rows[] = {
        {{.max_depth = 3}, "{'not': {'not': {}}}", 0, ""},
        {{.max_depth = 3}, "{'not': {'not': {'not': {}}}}", HAFT_EDEPTH, "#/not/not/not"},
        {{.max_depth = 2}, "{'$defs': {'a': {'items': {}}}}", HAFT_EDEPTH, "#/$defs/a/items"},
        {{.max_depth = 1}, "{'enum': [[[[1]]]], 'x-own': {'a': {'b': {}}}}", 0, ""},
        {{.max_subschemas = 3}, "{'anyOf': [{}, {}]}", 0, ""},
        {{.max_subschemas = 3}, "{'anyOf': [{}, {}, {}]}", HAFT_ETOOBIG, "#/anyOf/2"},
        {{.max_subschemas = 2},
         "{'$ref': '" D7 "'}",
         HAFT_ETOOBIG,
         "http://json-schema.org/draft-07/schema#/properties/$id"},
        {{.max_memory = 1000}, "{'anyOf': [{}, {}, {}, {}, {}, {}, {}, {}]}", HAFT_ENOMEM, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema *schema = NULL;
        haft_reason error = {0};
        haft_schema_options options = rows[i].options;
        int status;

        options.struct_size = sizeof options;
        status = parse(rows[i].schema, &options, &schema, &error);

        if (status != rows[i].code || strcmp(error.path, rows[i].path))
            fail_msg("%s: %d at %s: %s", rows[i].schema, status, error.path, error.text);
        haft_schema_free(status ? NULL : schema);
    }
}

/* Far deeper than any C stack would bear. */
static void survives_depth(void **state)
{
    enum { LEVELS = 200000 };
    static const char opening[] = "{\"not\":";
    size_t size = LEVELS * (sizeof opening - 1 + 1);
    char *text = malloc(size);
    haft_schema *schema = NULL;
    haft_reason error = {0};

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LEVELS; i++)
        memcpy(text + i * (sizeof opening - 1), opening, sizeof opening - 1);
    memset(text + LEVELS * (sizeof opening - 1), '}', LEVELS);
    assert_int_not_equal(haft_schema_parse(text, size, NULL, &schema, &error), 0);
    free(text);
}

/* ---- dialects ---- */

struct verdict {
    const char *dialect, *schema, *value;
    int fits;
};

static void decides(const struct verdict *rows, size_t n, const haft_schema_options *base)
{
    for (size_t i = 0; i < n; i++) {
        haft_schema_options options =
            base ? *base : (haft_schema_options){.struct_size = sizeof(haft_schema_options)};
        haft_schema *schema = NULL;
        haft_reason error = {0};
        int status;

        options.dialect = rows[i].dialect;
        status = parse(rows[i].schema, &options, &schema, &error);
        if (status)
            fail_msg("%s: %d at %s: %s", rows[i].schema, status, error.path, error.text);
        status = fits(schema, rows[i].value);
        if (status != rows[i].fits)
            fail_msg("%s: %s gives %d", rows[i].schema, rows[i].value, status);
        haft_schema_free(schema);
    }
}

static void selects_the_dialect(void **state)
{
    static const struct verdict rows[] = {
        /* prefixItems is 2020-12's, an array of items the others'. */
        {NULL, "{'prefixItems': [{'type': 'null'}]}", "[1]", 0},
        {D2020, "{'prefixItems': [{'type': 'null'}]}", "[1]", 0},
        {D2019, "{'prefixItems': [{'type': 'null'}]}", "[1]", 1},
        {D2019, "{'items': [{'type': 'null'}]}", "[1]", 0},
        {D2019, "{'$schema': '" D2020 "', 'prefixItems': [false]}", "[1]", 0},
        {NULL, "{'$schema': '" D7 "', 'items': [false]}", "[1]", 0},
        {NULL, "{'$schema': 'https://json-schema.org/draft-07/schema', 'items': [false]}", "[1]",
         0},
        {NULL, "{'$schema': '" D4 "', 'minimum': 1, 'exclusiveMinimum': true}", "1", 0},
        {D4, "{'const': 1, 'additionalProperties': false}", "2", 1},
        {D6, "{'if': {}, 'then': false}", "1", 1},
        {D7, "{'if': {}, 'then': false}", "1", 0},
        {D7, "{'dependentRequired': {'a': ['b']}, 'minContains': 9, 'contains': {}}", "{'a': 1}",
         1},
        {D2020, "{'dependencies': {'a': ['b']}}", "{'a': 1}", 0},
        /* What stands beside a reference counts since 2019-09. */
        {D7, "{'definitions': {'a': {}}, 'items': {'$ref': '#/definitions/a', 'type': 'null'}}",
         "[1]", 1},
        {D2019, "{'$defs': {'a': {}}, '$ref': '#/$defs/a', 'type': 'null'}", "1", 0},
        {D7, "{'$ref': '#/definitions/a', 'definitions': {'a': {'type': 'null'}}}", "1", 0},
        /* A resource inside another may be of another dialect. */
        {D2020,
         "{'$ref': 'x:a', '$defs': {'a': {'$id': 'x:a', '$schema': '" D7 "', 'items': [false]}}}",
         "[1]", 0},
        {D2020, "{'nullable': true, 'type': 'string'}", "null", 0},
        /* What contains has matched is evaluated since 2020-12. */
        {D2020, "{'contains': {'type': 'null'}, 'unevaluatedItems': false}", "[null]", 1},
        {D2020, "{'contains': {'type': 'null'}, 'unevaluatedItems': false}", "[null, 1]", 0},
        {D2019, "{'contains': {'type': 'null'}, 'unevaluatedItems': false}", "[null]", 0},
        {NULL, "true", "1", 1},
        {NULL, "false", "1", 0},
        {NULL, "{'enum': [1, 2], 'const': 2}", "1", 0},
        {NULL, "{'enum': [1, 2], 'const': 2}", "2", 1},
        {NULL, "{'enum': [1], 'const': 2}", "2", 0},
        {NULL,
         "{'dependentRequired': {'a': ['b']}, 'dependentSchemas': {'c': {'required': ['d']}}}",
         "{'a': 1}", 0},
        {NULL,
         "{'dependentRequired': {'a': ['b']}, 'dependentSchemas': {'c': {'required': ['d']}}}",
         "{'c': 1}", 0},
        {D7, "{'contentMediaType': 'application/json'}", "'{'", 0},
        {D7, "{'contentMediaType': 'application/json', 'contentEncoding': 'base32'}", "'{'", 1},
        {NULL, "{'const': {'a': [1, {'b': null}]}}", "{'a': [1.0, {'b': null}]}", 1},
    };

    (void)state;
    decides(rows, COUNT_OF(rows), NULL);
}

/* A list whose items are what a dynamic anchor names: numbers, unless whoever refers to it says
 * otherwise. */
#define LIST                                                                                       \
    "'list': {'$id': 'x:list', 'items': {'$dynamicRef': '#item'},"                                 \
    " '$defs': {'item': {'$dynamicAnchor': 'item', 'type': 'number'}}}"
#define TEXTS                                                                                      \
    "'texts': {'$id': 'x:texts', '$ref': 'x:list',"                                                \
    " '$defs': {'item': {'$dynamicAnchor': 'item', 'type': 'string'}}}"
#define FLAGS(to)                                                                                  \
    "{'$id': 'x:flags', '$ref': '" to "', '$defs': {" LIST ", " TEXTS ","                          \
    " 'item': {'$dynamicAnchor': 'item', 'type': 'boolean'}}}"
#define TREE                                                                                       \
    "'tree': {'$id': 'x:tree', '$recursiveAnchor': true,"                                          \
    " 'properties': {'next': {'$recursiveRef': '#'}}}"

/* The outermost of the resources that were entered decides, not the nearest. */
static void refers_dynamically_to_the_outermost(void **state)
{
    static const struct verdict rows[] = {
        {D2020, "{'$ref': 'x:list', '$defs': {" LIST "}}", "[1]", 1},
        {D2020, "{'$ref': 'x:list', '$defs': {" LIST "}}", "['a']", 0},
        {D2020, "{'$ref': 'x:texts', '$defs': {" LIST ", " TEXTS "}}", "['a']", 1},
        {D2020, "{'$ref': 'x:texts', '$defs': {" LIST ", " TEXTS "}}", "[1]", 0},
        {D2020, FLAGS("x:texts"), "[true]", 1},
        {D2020, FLAGS("x:texts"), "['a']", 0},
        {D2020, FLAGS("x:texts"), "[1]", 0},
        {D2020, FLAGS("x:list"), "[true]", 1},
        {D2020, FLAGS("x:list"), "['a']", 0},
        /* A resource that has been left is none of them. */
        {D2020,
         "{'allOf': [{'$ref': 'x:texts'}], 'not': {'$ref': 'x:list'}, '$defs': {" LIST ", " TEXTS
         "}}",
         "['a']", 1},
        {D2020,
         "{'allOf': [{'not': {'$ref': 'x:texts'}}, {'$ref': 'x:list'}], '$defs': {" LIST ", " TEXTS
         "}}",
         "[1]", 1},
        /* A loop that only the anchors make is not seen beforehand. */
        {D2020,
         "{'$id': 'x:a', '$dynamicAnchor': 't', '$ref': 'x:b', '$defs': {'b': {'$id': 'x:b',"
         " '$dynamicAnchor': 't', '$dynamicRef': '#t'}}}",
         "1", HAFT_ESTEPS},
        /* 2019-09 has one anchor, without a name. */
        {D2019,
         "{'$id': 'x:strict', '$recursiveAnchor': true, '$ref': 'x:tree', 'required': ['next'],"
         " 'minProperties': 1, '$defs': {" TREE "}}",
         "{'next': {}}", 0},
        {D2019, "{'$id': 'x:lax', '$ref': 'x:tree', 'required': ['next'], '$defs': {" TREE "}}",
         "{'next': {}}", 1},
    };

    (void)state;
    decides(rows, COUNT_OF(rows), NULL);
}

#define META(uri, vocabularies)                                                                    \
    "{\"$schema\":\"" D2020 "\",\"$id\":\"" uri "\",\"$vocabulary\":{" vocabularies "}}"
#define GIVEN(uri, text)                                                                           \
    {                                                                                              \
        uri, text, sizeof(text) - 1                                                                \
    }

static const haft_document given[] = {
    GIVEN("my:applicator", META("my:applicator", "\"" VOCABULARY "applicator\":true")),
    GIVEN("my:formats", META("my:formats", "\"" VOCABULARY "format-assertion\":false")),
    GIVEN("my:needs", META("my:needs", "\"my:vocabulary\":true")),
    GIVEN("my:may", META("my:may", "\"my:vocabulary\":false,\"" VOCABULARY "validation\":true")),
    GIVEN("my:loop", "{\"$schema\":\"my:loop\"}"),
    GIVEN("my:seven", "{\"$schema\":\"" D7 "\"}"),
    GIVEN("http://example.com/dir/a.json#", "{\"type\":\"string\",\"$defs\":{\"b\":{\"$id\":"
                                            "\"http://example.com/other\",\"$anchor\":\"c\","
                                            "\"type\":\"null\"}}}"),
    GIVEN("http://example.com/broken", "{"),
    GIVEN("http://example.com/wrong", "{\"items\":{\"type\":\"wrong\"}}"),
    GIVEN("name.json", "{\"type\":\"string\"}"),
};

static const haft_schema_options with_given =
    HAFT_INIT(haft_schema_options, .documents = given, .n_documents = COUNT_OF(given));

static void reads_vocabularies(void **state)
{
    static const struct verdict rows[] = {
        {NULL, "{'$schema': 'my:applicator', 'type': 'null'}", "1", 1},
        {NULL, "{'$schema': 'my:applicator', 'items': false}", "[1]", 0},
        {"my:applicator", "{'type': 'null', 'not': {}}", "1", 0},
        {NULL, "{'$schema': 'my:formats', 'format': 'ipv4'}", "'x'", 0},
        {NULL, "{'$schema': 'my:may', 'type': 'null'}", "1", 0},
        {NULL, "{'$schema': 'my:may', 'not': {}}", "1", 1},
        {NULL, "{'$schema': 'my:seven', 'items': [false]}", "[1]", 0},
    };
    static const struct refusal wrong[] = {
        {NULL, "{'$schema': 'my:needs'}", HAFT_EDIALECT, "#/$schema",
         "the dialect \"my:needs\" requires the unknown vocabulary \"my:vocabulary\""},
        {NULL, "{'$schema': 'my:loop'}", HAFT_EDIALECT, "#/$schema", "unknown dialect \"my:loop\""},
        {NULL, "{'$schema': 'my:formats', 'format': 'none'}", HAFT_ESCHEMA, "#/format",
         "unknown format \"none\", and the dialect requires formats to be checked"},
    };
    haft_schema_options annotate = with_given;

    (void)state;
    annotate.formats = HAFT_FORMATS_ANNOTATE;
    decides(rows, COUNT_OF(rows), &annotate);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        haft_schema *schema = NULL;
        haft_reason error = {0};

        assert_int_equal(parse(wrong[i].schema, &annotate, &schema, &error), wrong[i].code);
        assert_string_equal(error.path, wrong[i].path);
        assert_string_equal(error.text, wrong[i].text);
    }
}

static void asserts_formats_when_told(void **state)
{
    static const struct {
        haft_format_mode mode;
        struct verdict verdict;
    } rows[] = {
        {HAFT_FORMATS_ASSERT, {D2020, "{'format': 'ipv4'}", "'x'", 0}},
        {HAFT_FORMATS_ASSERT, {D2020, "{'format': 'ipv4'}", "1", 1}},
        {HAFT_FORMATS_ASSERT, {D2020, "{'format': 'ipv4'}", "'127.0.0.1'", 1}},
        {HAFT_FORMATS_ASSERT, {D2020, "{'format': 'nobody-knows'}", "'x'", 1}},
        {HAFT_FORMATS_ASSERT, {D7, "{'format': 'ipv4'}", "'x'", 0}},
        {HAFT_FORMATS_ANNOTATE, {D2020, "{'format': 'ipv4'}", "'x'", 1}},
        {HAFT_FORMATS_ANNOTATE, {D7, "{'format': 'ipv4'}", "'x'", 1}},
        {HAFT_FORMATS_ASSERT, {D7, "{'contentEncoding': 'BASE64'}", "'%'", 0}},
        {HAFT_FORMATS_ASSERT, {D7, "{'contentEncoding': 'quoted-printable'}", "'%'", 1}},
        {HAFT_FORMATS_ASSERT, {D7, "{'contentMediaType': 'application/json'}", "'{'", 0}},
        {HAFT_FORMATS_ASSERT, {D7, "{'contentMediaType': 'text/plain'}", "'{'", 1}},
        {HAFT_FORMATS_ANNOTATE, {D7, "{'contentMediaType': 'application/json'}", "'{'", 1}},
        {HAFT_FORMATS_ASSERT, {D2020, "{'contentMediaType': 'application/json'}", "'{'", 1}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema_options options = HAFT_INIT(haft_schema_options, .formats = rows[i].mode);

        decides(&rows[i].verdict, 1, &options);
    }
}

/* ---- references ---- */

static void follows_references(void **state)
{
    static const struct verdict rows[] = {
        {NULL, "{'$ref': 'http://example.com/dir/a.json'}", "1", 0},
        {NULL, "{'$ref': 'http://example.com/dir/a.json#/$defs/b'}", "1", 0},
        {NULL, "{'$id': 'http://example.com/dir/sub/x', '$ref': '../a.json#'}", "1", 0},
        {NULL, "{'$id': 'http://example.com/', '$ref': 'dir/./a.json'}", "'x'", 1},
        /* An address inside a document that nothing has named yet. */
        {NULL, "{'$ref': 'http://example.com/other#c'}", "1", 0},
        {NULL, "{'$ref': 'name.json'}", "1", 0},
        {NULL, "{'$ref': '" D7 "'}", "{'type': 'x'}", 0},
        {NULL, "{'$ref': '" D7 "'}", "{'items': [{'minLength': -1}]}", 0},
        {NULL, "{'$ref': '" D4 "'}", "{'minimum': 1, 'exclusiveMinimum': true}", 1},
        {NULL, "{'$ref': '" D4 "'}", "{'exclusiveMinimum': true}", 0},
        {NULL, "{'$ref': '" D2020 "'}", "{'properties': {'a': {'items': []}}}", 0},
        {NULL, "{'$ref': '" D2019 "'}", "{'properties': {'a': {'items': []}}}", 0},
        {NULL, "{'$ref': '" D2019 "'}", "{'properties': {'a': {'items': [{}]}}}", 1},
        {NULL, "{'$ref': '#/%24defs/a~1b%25', '$defs': {'a/b%': {'type': 'null'}}}", "1", 0},
        {NULL, "{'$ref': '#/x-own/0/y', 'x-own': [{'y': {'$id': 'x:y', 'type': 'null'}}]}", "1", 0},
        {NULL, "{'$ref': '#/x-own/a', 'x-own': {'a': {'$ref': '#/x-own/b'}, 'b': false}}", "1", 0},
        {D7, "{'definitions': {'a': {'$id': '#a', 'type': 'null'}}, 'not': {'$ref': '#a'}}", "1",
         1},
        {NULL,
         "{'$id': 'http://example.com/dir/a.json', '$ref': '#/$defs/c', '$defs': {'c': false}}",
         "'x'", 0},
    };

    (void)state;
    decides(rows, COUNT_OF(rows), &with_given);
}

static void names_the_document_that_is_wrong(void **state)
{
    static const struct refusal rows[] = {
        {NULL, "{'$ref': 'http://example.com/broken'}", HAFT_EPARSE, "http://example.com/broken",
         NULL},
        {NULL, "{'$ref': 'http://example.com/wrong'}", HAFT_ESCHEMA,
         "http://example.com/wrong#/items/type", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema *schema = NULL;
        haft_reason error = {0};

        assert_int_equal(parse(rows[i].schema, &with_given, &schema, &error), rows[i].code);
        assert_string_equal(error.path, rows[i].path);
    }
}

static void resolves_addresses(void **state)
{
    /* RFC 3986, section 5.4, and some of our own; fragments are left out. */
    static const struct {
        const char *base, *reference, *result;
    } rows[] = {
        {"http://a/b/c/d;p?q", "g:h", "g:h"},
        {"http://a/b/c/d;p?q", "g", "http://a/b/c/g"},
        {"http://a/b/c/d;p?q", "./g", "http://a/b/c/g"},
        {"http://a/b/c/d;p?q", "g/", "http://a/b/c/g/"},
        {"http://a/b/c/d;p?q", "/g", "http://a/g"},
        {"http://a/b/c/d;p?q", "//g", "http://g"},
        {"http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"},
        {"http://a/b/c/d;p?q", "g?y", "http://a/b/c/g?y"},
        {"http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q"},
        {"http://a/b/c/d;p?q", "g#s", "http://a/b/c/g"},
        {"http://a/b/c/d;p?q", ";x", "http://a/b/c/;x"},
        {"http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"},
        {"http://a/b/c/d;p?q", ".", "http://a/b/c/"},
        {"http://a/b/c/d;p?q", "..", "http://a/b/"},
        {"http://a/b/c/d;p?q", "../g", "http://a/b/g"},
        {"http://a/b/c/d;p?q", "../..", "http://a/"},
        {"http://a/b/c/d;p?q", "../../g", "http://a/g"},
        {"http://a/b/c/d;p?q", "../../../../g", "http://a/g"},
        {"http://a/b/c/d;p?q", "/./g", "http://a/g"},
        {"http://a/b/c/d;p?q", "/../g", "http://a/g"},
        {"http://a/b/c/d;p?q", "g.", "http://a/b/c/g."},
        {"http://a/b/c/d;p?q", "..g", "http://a/b/c/..g"},
        {"http://a/b/c/d;p?q", "./g/.", "http://a/b/c/g/"},
        {"http://a/b/c/d;p?q", "g/./h", "http://a/b/c/g/h"},
        {"http://a/b/c/d;p?q", "g/../h", "http://a/b/c/h"},
        {"http://a/b/c/d;p?q", "g?y/../x", "http://a/b/c/g?y/../x"},
        {"http://a", "g", "http://a/g"},
        {"", "g/h", "g/h"},
        {"", "", ""},
        {"urn:a:b?=c", "#d", "urn:a:b?=c"},
        {"x:a", "urn:b", "urn:b"},
        {"http://a/b", "http://c/d/../e", "http://c/e"},
        {"file:///a/b", "c", "file:///a/c"},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(
            hf_uri_resolve(arena, rows[i].base, rows[i].reference, strlen(rows[i].reference)),
            rows[i].result);
    haft_arena_free(arena);
}

/* ---- the rest ---- */

static void keeps_the_text(void **state)
{
    static const char text[] = "{ \"title\": \"T\",\n \"x-own\": 1.50 }";
    haft_schema *schema = NULL;

    (void)state;
    assert_int_equal(haft_schema_parse(text, sizeof text - 1, NULL, &schema, NULL), 0);
    assert_int_equal(schema->document_size, sizeof text - 1);
    assert_memory_equal(schema->document, text, sizeof text - 1);
    assert_int_equal(schema->draft, 2020);
    assert_string_equal(schema->root->meta->title, "T");
    haft_schema_free(schema);
}

static void parses_a_value(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    char *text = quoted("{'$schema': '" D7 "', 'type': 'string'}");
    haft_value *json = haft_json_read(text, strlen(text), 0, arena, NULL);
    haft_schema *schema = NULL;

    (void)state;
    assert_int_equal(haft_schema_parse_json(json, NULL, &schema, NULL), 0);
    haft_arena_free(arena);
    free(text);
    assert_int_equal(schema->draft, 7);
    assert_int_equal(fits(schema, "1"), 0);
    assert_int_equal(fits(schema, "'1'"), 1);
    haft_schema_free(schema);
}

static void survives_every_failed_allocation(void **state)
{
    static const char text[] =
        "{'$id':'x:root','$ref':'#/$defs/a','properties':{'b':{'$dynamicRef':'#d'},'e':true},"
        "'required':['b','c'],'patternProperties':{'^x':{'pattern':'a+','format':'ipv4'}},"
        "'$defs':{'a':{'$dynamicAnchor':'d','items':{'$ref':'my:may'},'prefixItems':[{},{}]},"
        "'f':{'$ref':'" D7 "'},'g':{'$ref':'http://example.com/other#c'},"
        "'h':{'enum':[1],'const':[1],'if':{},'then':{},'dependentRequired':{'a':['b']}}}}";

    (void)state;
    for (size_t nth = 1;; nth++) {
        haft_schema_options options = with_given;
        struct failing failing;
        haft_schema *schema = NULL;
        haft_reason error = {0};
        int status;

        failing_init(&failing, nth);
        options.allocator = &failing.allocator;
        status = parse(text, &options, &schema, &error);
        if (status) {
            assert_int_equal(status, HAFT_ENOMEM);
            assert_int_equal(error.code, HAFT_ENOMEM);
        } else {
            haft_schema_free(schema);
        }
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_values_of_the_wrong_kind),
        cmocka_unit_test(refuses_what_is_not_json),
        cmocka_unit_test(refuses_unknown_dialects_and_references),
        cmocka_unit_test(refuses_loops_that_never_end),
        cmocka_unit_test(refuses_patterns_that_do_not_compile),
        cmocka_unit_test(keeps_its_limits),
        cmocka_unit_test(survives_depth),
        cmocka_unit_test(selects_the_dialect),
        cmocka_unit_test(refers_dynamically_to_the_outermost),
        cmocka_unit_test(reads_vocabularies),
        cmocka_unit_test(asserts_formats_when_told),
        cmocka_unit_test(follows_references),
        cmocka_unit_test(names_the_document_that_is_wrong),
        cmocka_unit_test(resolves_addresses),
        cmocka_unit_test(keeps_the_text),
        cmocka_unit_test(parses_a_value),
        cmocka_unit_test(survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
