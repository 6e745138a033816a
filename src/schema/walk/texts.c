/* texts.c - builds an object from query or path parameters, which are strings. */
#include <string.h>

#include "schema/walk/repair.h"
#include "schema/walk/walk.h"

/* The maximum number of references followed to find a field. */
enum { TEXTS_MAX_DEPTH = 16 };

/* The node of the field of that name; NULL if there is none. */
static const struct node *find_field(const struct node *node, const struct text_field *field,
                                     size_t depth)
{
    const struct property *property =
        node->object ? hf_object_property(node->object, field->name, field->name_size) : NULL;
    const struct node *found = property ? property->node : NULL;

    for (size_t r = 0; r < node->n_rules && depth < TEXTS_MAX_DEPTH && !found; r++) {
        const struct rule *rule = &node->rules[r];

        if (rule->op != RULE_REF && rule->op != RULE_ALL)
            continue;
        for (size_t i = 0; i < rule->n_nodes && !found; i++)
            found = find_field(rule->nodes[i], field, depth + 1);
    }
    return found;
}

static bool wants_array(const haft_schema *schema, const struct text_field *field)
{
    const struct node *node = find_field(schema->root, field, 0);
    unsigned types = node ? hf_node_accepts(node) : TYPE_ANY;

    return types & TYPE_ARRAY && !(types & TYPE_STRING);
}

static bool same_name(const struct text_field *left, const struct text_field *right)
{
    return left->name_size == right->name_size && !memcmp(left->name, right->name, left->name_size);
}

/* Writes all strings of one name as cells, and returns the number of cells. */
static size_t texts_put_field(const haft_schema *schema, const struct text_field *fields, size_t n,
                              size_t first, yyjson_val *to)
{
    size_t found = 0, at = 2;

    for (size_t i = first; i < n; i++) {
        if (!same_name(&fields[first], &fields[i]))
            continue;
        found++;
        yyjson_set_strn(&to[at++], fields[i].value, fields[i].value_size);
    }
    yyjson_set_strn(&to[0], fields[first].name, fields[first].name_size);
    if (found == 1 && !wants_array(schema, &fields[first])) {
        to[1] = to[2];
        return 2;
    }
    to[1] = (yyjson_val){.tag = (uint64_t)found << YYJSON_TAG_BIT | YYJSON_TYPE_ARR,
                         .uni.ofs = (found + 1) * sizeof *to};
    return at;
}

int hf_schema_from_texts(const haft_schema *schema, const struct text_field *fields, size_t n,
                         haft_arena *arena, yyjson_val **ret_value)
{
    yyjson_val *object = haft_arena_zalloc(arena, n * 3 + 1, sizeof *object);
    size_t at = 1, keys = 0;
    struct repairs repairs;
    int status;

    if (!object)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        size_t before = 0;

        if (haft_utf8_valid(fields[i].name, fields[i].name_size) != fields[i].name_size ||
            haft_utf8_valid(fields[i].value, fields[i].value_size) != fields[i].value_size)
            return HAFT_EUTF8;
        while (before < i && !same_name(&fields[before], &fields[i]))
            before++;
        if (before < i)
            continue;
        at += texts_put_field(schema, fields, n, i, object + at);
        keys++;
    }
    *object = (yyjson_val){.tag = (uint64_t)keys << YYJSON_TAG_BIT | YYJSON_TYPE_OBJ,
                           .uni.ofs = at * sizeof *object};
    status = hf_schema_repair(schema, object, arena, &repairs, ret_value);
    return status < 0 ? status : 0;
}
