/* fuzz_agree.c - two readers of one value must agree.
 *
 * A declared type is compiled; what it says of itself as JSON Schema is read back as a document.  A
 * value that a grammar made is decoded by the one and validated by the other: what the advertised
 * schema accepts the decoder takes, and the other way round.  Then a schema document that a grammar
 * made, against the document that it is written out as. */
#include <haft/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/grammar.h"
#include "schema/shapes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 16 };

/* Without what a schema cannot say: bytes, and checks across members. */
HAFT_STRUCT(parts,
    HAFT_OPTIONAL(HAFT_OBJECT(at, point, "A point")),
    HAFT_OPTIONAL(HAFT_UNION(shape, figure, "A figure")),
    HAFT_OPTIONAL(HAFT_OBJECT(table, grid, "A table")),
    HAFT_OPTIONAL(HAFT_ENUM(paint, colour, "A colour")),
    HAFT_OPTIONAL(HAFT_INTEGER(count, "A count", .min = -5, .max = 99, .multiple_of = 2)),
    HAFT_OPTIONAL(HAFT_NUMBER(ratio, "A ratio", .above = -1, .below = 100)),
    HAFT_OPTIONAL(HAFT_STRING(name, "A name", .min = 1, .max = 5)),
    HAFT_OPTIONAL(HAFT_BOOLEAN(flag, "A flag")),
    HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_STRING(text, "A text"))),
    HAFT_OPTIONAL(HAFT_ARRAY(names, HAFT_STRING(one, "A name"), "Names", .max = 3, .unique = true)),
    HAFT_OPTIONAL(HAFT_MAP(limits, HAFT_INTEGER(limit, "A limit"), "Limits")),
    HAFT_OPTIONAL(HAFT_POINTER(tree, tree, "A tree")));

static const char *const words[] = {"at",   "x",     "y",      "shape", "kind",  "radius",
                                    "text", "table", "paint",  "count", "ratio", "name",
                                    "flag", "names", "limits", "tree",  "value", "children",
                                    "left", "right", "z"};
enum { WORDS = sizeof words / sizeof *words };

static void require(int holds)
{
    if (!holds)
        abort();
}

/* What a schema says of itself, as a schema; NULL when it is over a limit. */
static haft_schema *advertised(const haft_schema *schema, haft_buffer *text)
{
    haft_schema *again = NULL;
    haft_reason why = {0};

    haft_buffer_clear(text);
    haft_schema_emit(schema, NULL, text);
    if (text->status)
        return NULL;
    if (haft_schema_parse(text->data, text->size, NULL, &again, &why)) {
        fprintf(stderr, "%.*s\n%s: %s\n", (int)text->size, text->data, why.path, why.text);
        require(why.code == HAFT_ENOMEM || why.code == HAFT_ETOOBIG);
    }
    return again;
}

static void compare(int first, int second, const haft_buffer *schema, const haft_buffer *value)
{
    bool accepts[2] = {!first, !second};

    if (first == HAFT_ENOMEM || second == HAFT_ENOMEM || accepts[0] == accepts[1])
        return;
    fprintf(stderr, "%d and %d: %.*s\nschema: %.*s\n", first, second, (int)value->size, value->data,
            (int)schema->size, schema->data);
    abort();
}

/* ---- a declared type ---- */

/* A value that has a fair chance: members of the type, each now and then as it should be. */
static void put_parts(struct choices *choices, haft_buffer *out)
{
    static const struct {
        const char *name, *value[3];
    } members[] = {
        {"at", {"{\"x\":1,\"y\":2}", "{\"x\":100,\"y\":-1.5}", "{\"x\":101,\"y\":0}"}},
        {"shape",
         {"{\"kind\":\"circle\",\"radius\":1}", "{\"kind\":\"label\",\"text\":\"abc\"}",
          "{\"kind\":\"circle\",\"radius\":0}"}},
        {"table", {"[[1,2],[3]]", "[]", "[[1,2,3,4]]"}},
        {"paint", {"\"red\"", "\"blue\"", "\"pink\""}},
        {"count", {"2", "-4", "3"}},
        {"ratio", {"0.5", "99.9", "-1"}},
        {"name", {"\"abcde\"", "\"\\ud83d\\ude00\"", "\"abcdef\""}},
        {"flag", {"true", "false", "0"}},
        {"text", {"null", "\"\"", "1"}},
        {"names", {"[\"a\",\"b\"]", "[]", "[\"a\",\"a\"]"}},
        {"limits", {"{\"a\":1}", "{}", "{\"a\":1.5}"}},
        {"tree", {"null", "{\"value\":1}", "{\"value\":1,\"children\":[]}"}},
    };
    unsigned first = choose(choices, sizeof members / sizeof *members);
    unsigned n = choose(choices, sizeof members / sizeof *members + 1);

    haft_buffer_puts(out, "{");
    for (unsigned i = 0; i < n; i++) {
        unsigned k = (first + i) % (sizeof members / sizeof *members), how = choose(choices, 8);

        haft_buffer_printf(out, "%s\"%s\":", i ? "," : "", members[k].name);
        if (how < 6)
            haft_buffer_puts(out, members[k].value[how % 3]);
        else
            put_value(choices, out, words, WORDS, 3);
    }
    if (choose(choices, 16) == 1)
        haft_buffer_printf(out, "%s\"extra\":1", n ? "," : "");
    haft_buffer_puts(out, "}");
}

static void try_type(struct choices *choices, haft_arena *arena, haft_buffer *value)
{
    static haft_schema *schema, *document;
    static haft_buffer text;
    haft_issues issues = {0};
    parts decoded;
    int first;

    if (!schema) {
        haft_buffer_init(&text, NULL, ROOM);
        require(!haft_schema_compile(&parts_type, NULL, &schema, NULL));
        document = advertised(schema, &text);
        require(document != NULL);
    }
    put_parts(choices, value);
    if (value->status)
        return;
    first = haft_schema_decode_text(schema, value->data, value->size, arena, &decoded, &issues);
    compare(first, haft_schema_validate_text(document, value->data, value->size, arena, &issues),
            &text, value);
}

/* ---- a document ---- */

static void put_schema(struct choices *choices, haft_buffer *out, int depth);

static void put_keyword(struct choices *choices, haft_buffer *out, int depth)
{
    static const char *const plain[] = {"\"type\":\"object\"",
                                        "\"type\":\"string\"",
                                        "\"type\":[\"integer\",\"null\"]",
                                        "\"minimum\":1",
                                        "\"exclusiveMaximum\":100",
                                        "\"multipleOf\":0.5",
                                        "\"minLength\":1",
                                        "\"maxLength\":5",
                                        "\"pattern\":\"^[a-r]*$\"",
                                        "\"enum\":[1,\"a\",null,[]]",
                                        "\"const\":{}",
                                        "\"maxItems\":2",
                                        "\"minItems\":1",
                                        "\"uniqueItems\":true",
                                        "\"required\":[\"x\",\"at\"]",
                                        "\"minProperties\":1",
                                        "\"maxProperties\":2",
                                        "\"additionalProperties\":false",
                                        "\"type\":\"array\"",
                                        "\"type\":\"number\"",
                                        "\"$ref\":\"#/$defs/a\"",
                                        "\"unevaluatedProperties\":false",
                                        "\"unevaluatedItems\":false",
                                        "\"format\":\"date\""};
    static const char *const nested[] = {
        "\"items\":%s",    "\"not\":%s",           "\"additionalProperties\":%s",
        "\"contains\":%s", "\"propertyNames\":%s", "\"if\":%s",
        "\"then\":%s",     "\"else\":%s"};
    static const char *const lists[] = {"anyOf", "oneOf", "allOf", "prefixItems"};
    unsigned how = choose(choices, depth > 0 ? 8 : 4);
    unsigned n;

    if (how < 4) {
        haft_buffer_puts(out, CHOOSE(choices, plain));
    } else if (how == 4) {
        const char *shape = CHOOSE(choices, nested);

        haft_buffer_add(out, shape, strlen(shape) - 2);
        put_schema(choices, out, depth - 1);
    } else if (how == 5) {
        haft_buffer_printf(out, "\"%s\":[", CHOOSE(choices, lists));
        n = choose(choices, 3);
        for (unsigned i = 0; i <= n; i++) {
            haft_buffer_puts(out, i ? "," : "");
            put_schema(choices, out, depth - 1);
        }
        haft_buffer_puts(out, "]");
    } else {
        unsigned first = choose(choices, WORDS);

        haft_buffer_puts(out, how == 6 ? "\"properties\":{" : "\"patternProperties\":{");
        n = choose(choices, 3);
        for (unsigned i = 0; i <= n; i++) {
            haft_buffer_printf(out, "%s\"%s\":", i ? "," : "", words[(first + i) % WORDS]);
            put_schema(choices, out, depth - 1);
        }
        haft_buffer_puts(out, "}");
    }
}

/* A keyword that is there twice makes it no schema; that is found out when it is read. */
static void put_schema(struct choices *choices, haft_buffer *out, int depth)
{
    unsigned n = choose(choices, 4);

    if (!n && depth < 3) {
        haft_buffer_puts(out, choose(choices, 4) ? "true" : "false");
        return;
    }
    haft_buffer_puts(out, "{");
    for (unsigned i = 0; i < n; i++) {
        haft_buffer_puts(out, i ? "," : "");
        put_keyword(choices, out, depth);
    }
    haft_buffer_puts(out, "}");
}

static void try_document(struct choices *choices, haft_arena *arena, haft_buffer *value)
{
    haft_schema *schema = NULL, *again = NULL;
    haft_buffer document, text;
    haft_issues issues = {0};

    haft_buffer_init(&document, NULL, ROOM);
    haft_buffer_init(&text, NULL, 4 * ROOM);
    haft_buffer_puts(&document, "{\"$defs\":{\"a\":");
    put_schema(choices, &document, 2);
    haft_buffer_puts(&document, "},\"allOf\":[");
    put_schema(choices, &document, 3);
    haft_buffer_puts(&document, "]}");
    put_value(choices, value, words, WORDS, 4);
    if (!document.status && !value->status &&
        !haft_schema_parse(document.data, document.size, NULL, &schema, NULL)) {
        again = advertised(schema, &text);
        if (again)
            compare(haft_schema_validate_text(schema, value->data, value->size, arena, &issues),
                    haft_schema_validate_text(again, value->data, value->size, arena, &issues),
                    &document, value);
    }
    haft_schema_free(again);
    haft_schema_free(schema);
    haft_buffer_finish(&text);
    haft_buffer_finish(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = {data, size, 0};
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    haft_buffer value;

    if (!arena)
        return 0;
    haft_buffer_init(&value, NULL, ROOM);
    if (choose(&choices, 2))
        try_document(&choices, arena, &value);
    else
        try_type(&choices, arena, &value);
    haft_buffer_finish(&value);
    haft_arena_free(arena);
    return 0;
}
