/* arguments_schema.c - the types that a schema accepts, and the schemas of its members.
 *
 * This only decides how an argument is converted; the server validates it. So it may be
 * approximate: a schema that it does not understand accepts everything. */
#include "arguments_schema.h"

#include <string.h>

/* Alternatives may refer back to each other, which multiplies the work, so the number of visited
 * schemas is bounded as well. */
enum { ARGUMENTS_SCHEMA_MAX_HOPS = 8, ARGUMENTS_SCHEMA_MAX_DEPTH = 8, MAX_LOOKS = 1000 };

yyjson_val *schema_resolve(yyjson_val *root, yyjson_val *schema)
{
    for (int hop = 0; hop < ARGUMENTS_SCHEMA_MAX_HOPS; hop++) {
        const char *reference = yyjson_get_str(yyjson_obj_get(schema, "$ref"));

        if (!reference || reference[0] != '#' || (reference[1] && reference[1] != '/'))
            return schema;
        schema = reference[1] ? yyjson_ptr_get(root, reference + 1) : root;
        if (!schema)
            return NULL;
    }
    return NULL;
}

static unsigned type_named(const char *name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"null", TAKES_NULL},     {"boolean", TAKES_BOOLEAN}, {"integer", TAKES_INTEGER},
                 {"number", TAKES_NUMBER}, {"string", TAKES_STRING},   {"array", TAKES_ARRAY},
                 {"object", TAKES_OBJECT}};

    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return types[i].bits;
    return TAKES_ALL;
}

static unsigned type_of_value(yyjson_val *value)
{
    return yyjson_is_str(value)    ? TAKES_STRING
           : yyjson_is_int(value)  ? TAKES_INTEGER
           : yyjson_is_num(value)  ? TAKES_NUMBER
           : yyjson_is_bool(value) ? TAKES_BOOLEAN
           : yyjson_is_null(value) ? TAKES_NULL
           : yyjson_is_arr(value)  ? TAKES_ARRAY
                                   : TAKES_OBJECT;
}

static const char *const branches[] = {"anyOf", "oneOf", "allOf"};
enum { BRANCHES = sizeof branches / sizeof *branches, ALL_OF = 2 };

static unsigned types_at(yyjson_val *root, yyjson_val *schema, int depth, unsigned *looks)
{
    yyjson_val *type, *values, *value;
    unsigned bits = TAKES_ALL, some = 0;
    size_t i, n;

    schema = schema_resolve(root, schema);
    if (!yyjson_is_obj(schema) || !depth || !*looks)
        return TAKES_ALL;
    --*looks;
    type = yyjson_obj_get(schema, "type");
    if (yyjson_is_str(type))
        bits = type_named(yyjson_get_str(type));
    yyjson_arr_foreach(type, i, n, value) {
        some |= type_named(yyjson_get_str(value));
    }
    bits &= some ? some : TAKES_ALL;
    values = yyjson_obj_get(schema, "enum");
    some = 0;
    yyjson_arr_foreach(values, i, n, value) {
        some |= type_of_value(value);
    }
    bits &= some ? some : TAKES_ALL;
    if ((value = yyjson_obj_get(schema, "const")))
        bits &= type_of_value(value);
    for (size_t k = 0; k < BRANCHES; k++) {
        some = k == ALL_OF ? TAKES_ALL : 0;
        yyjson_arr_foreach(yyjson_obj_get(schema, branches[k]), i, n, value) {
            unsigned one = types_at(root, value, depth - 1, looks);

            some = k == ALL_OF ? some & one : some | one;
        }
        bits &= some ? some : TAKES_ALL;
    }
    return bits ? bits : TAKES_ALL;
}

unsigned schema_types(yyjson_val *root, yyjson_val *schema)
{
    unsigned looks = MAX_LOOKS;

    return types_at(root, schema, ARGUMENTS_SCHEMA_MAX_DEPTH, &looks);
}

static yyjson_val *property_at(yyjson_val *root, yyjson_val *schema, const char *name, size_t size,
                               int depth, unsigned *looks)
{
    yyjson_val *found, *branch;
    size_t i, n;

    schema = schema_resolve(root, schema);
    if (!depth || !*looks)
        return NULL;
    --*looks;
    found = yyjson_obj_getn(yyjson_obj_get(schema, "properties"), name, size);
    for (size_t k = 0; k < BRANCHES && !found; k++)
        yyjson_arr_foreach(yyjson_obj_get(schema, branches[k]), i, n, branch) {
            if (!found)
                found = property_at(root, branch, name, size, depth - 1, looks);
        }
    if (!found && yyjson_is_obj(yyjson_obj_get(schema, "additionalProperties")))
        found = yyjson_obj_get(schema, "additionalProperties");
    return found;
}

yyjson_val *schema_property(yyjson_val *root, yyjson_val *schema, const char *name, size_t size)
{
    unsigned looks = MAX_LOOKS;

    return property_at(root, schema, name, size, ARGUMENTS_SCHEMA_MAX_DEPTH, &looks);
}

bool schema_is_closed(yyjson_val *root, yyjson_val *schema)
{
    schema = schema_resolve(root, schema);
    return yyjson_is_false(yyjson_obj_get(schema, "additionalProperties")) &&
           !yyjson_obj_get(schema, "patternProperties");
}

static bool choices_at(yyjson_val *root, yyjson_val *schema, choice_function *each, void *context,
                       int depth, unsigned *looks)
{
    yyjson_val *values, *value;
    size_t i, n;
    bool any = false;

    schema = schema_resolve(root, schema);
    if (!depth || !*looks)
        return false;
    --*looks;
    values = yyjson_obj_get(schema, "enum");
    yyjson_arr_foreach(values, i, n, value) {
        each(context, value);
        any = true;
    }
    if ((value = yyjson_obj_get(schema, "const"))) {
        each(context, value);
        any = true;
    }
    for (size_t k = 0; k < ALL_OF && !any; k++) {
        values = yyjson_obj_get(schema, branches[k]);
        any = yyjson_arr_size(values) > 0;
        yyjson_arr_foreach(values, i, n, value) {
            any = choices_at(root, value, each, context, depth - 1, looks) && any;
        }
    }
    return any;
}

bool schema_choices(yyjson_val *root, yyjson_val *schema, choice_function *each, void *context)
{
    unsigned looks = MAX_LOOKS;

    return choices_at(root, schema, each, context, ARGUMENTS_SCHEMA_MAX_DEPTH, &looks);
}

/* ---- descriptions ---- */

static void put_choice(void *context, yyjson_val *value)
{
    haft_buffer *out = context;

    haft_buffer_puts(out, out->size ? "|" : "");
    if (yyjson_is_str(value))
        haft_buffer_add(out, yyjson_get_str(value), yyjson_get_len(value));
    else
        haft_json_write(value, out);
}

static void put_types(unsigned bits, haft_buffer *out)
{
    static const struct {
        unsigned bits;
        const char *name;
    } names[] = {{TAKES_STRING, "string"},   {TAKES_NUMBER, "number"}, {TAKES_INTEGER, "integer"},
                 {TAKES_BOOLEAN, "boolean"}, {TAKES_OBJECT, "object"}, {TAKES_NULL, "null"}};
    const char *between = "";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((bits & names[i].bits) == names[i].bits) {
            haft_buffer_printf(out, "%s%s", between, names[i].name);
            between = "|";
            bits &= ~names[i].bits;
        }
}

void argument_type(yyjson_val *root, yyjson_val *schema, haft_buffer *out)
{
    enum { ARGUMENTS_SCHEMA_LONGEST = 4096 };
    unsigned bits = schema_types(root, schema);
    haft_buffer choices;

    if (bits == TAKES_ALL) {
        haft_buffer_puts(out, "any");
        return;
    }
    haft_buffer_init(&choices, NULL, ARGUMENTS_SCHEMA_LONGEST);
    if (schema_choices(root, schema, put_choice, &choices) && !choices.status) {
        haft_buffer_add(out, choices.data, choices.size);
    } else {
        put_types(bits & ~(unsigned)TAKES_ARRAY, out);
        if (bits & TAKES_ARRAY) {
            yyjson_val *items = yyjson_obj_get(schema_resolve(root, schema), "items");
            unsigned item = items ? schema_types(root, items) : TAKES_ALL;

            haft_buffer_puts(out, bits == TAKES_ARRAY ? "" : "|");
            haft_buffer_clear(&choices);
            if (items && schema_choices(root, items, put_choice, &choices) && !choices.status)
                haft_buffer_printf(out, "(%.*s)", (int)choices.size, choices.data);
            else if (item == TAKES_ALL)
                haft_buffer_puts(out, "any");
            else
                put_types(item & TAKES_ARRAY ? TAKES_OBJECT : item, out);
            haft_buffer_puts(out, "[]");
        }
    }
    haft_buffer_finish(&choices);
}
