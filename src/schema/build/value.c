/* value.c - JSON values constructed by the builder: arrays of accepted values, objects of further
 * members.
 *
 * yyjson stores a value as consecutive cells: a container is followed by its members, each
 * immediately followed by its own. Every value is self-contained, so values are combined by copying
 * cells. */
#include "schema/build/build.h"

#include <string.h>

/* The number of cells of a value. */
static size_t row_length(yyjson_val *value)
{
    return (size_t)(unsafe_yyjson_get_next(value) - value);
}

static yyjson_val *row_append(yyjson_val *to, yyjson_val *value)
{
    size_t n = row_length(value);

    memcpy(to, value, n * sizeof *value);
    return to + n;
}

yyjson_val *hf_values_array(haft_builder *builder, yyjson_val *const *items, size_t n)
{
    size_t length = 1;
    yyjson_val *array, *to;

    for (size_t i = 0; i < n; i++) {
        length += row_length(items[i]);
        for (size_t j = 0; j < i; j++) {
            int equal = hf_json_equal(items[i], items[j], builder->schema->arena);

            if (equal < 0)
                return hf_build_no_memory(builder);
            if (equal)
                return hf_build_fail(builder, HAFT_ESCHEMA, "", "duplicate value");
        }
    }
    array = hf_build_room(builder, length, sizeof *array);
    if (!array)
        return NULL;
    unsafe_yyjson_set_arr(array, n);
    array->uni.ofs = length * sizeof *array;
    to = array + 1;
    for (size_t i = 0; i < n; i++)
        to = row_append(to, items[i]);
    return array;
}

yyjson_val *hf_values_member(haft_builder *builder, yyjson_val *object, const char *name,
                             yyjson_val *value)
{
    size_t length = 2 + row_length(value) + (object ? row_length(object) - 1 : 0), count = 1;
    yyjson_val *made = hf_build_room(builder, length, sizeof *made), *to, *key;
    yyjson_obj_iter members = yyjson_obj_iter_with(object);

    if (!made)
        return NULL;
    to = made + 1;
    while ((key = yyjson_obj_iter_next(&members))) {
        if (yyjson_equals_str(key, name))
            continue;
        to = row_append(to, key);
        to = row_append(to, yyjson_obj_iter_get_val(key));
        count++;
    }
    unsafe_yyjson_set_str(to, name);
    to = row_append(to + 1, value);
    unsafe_yyjson_set_obj(made, count);
    made->uni.ofs = (size_t)(to - made) * sizeof *made;
    return made;
}

bool hf_values_add(haft_builder *builder, struct value_list *list, yyjson_val *value)
{
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 8;
        yyjson_val **items = hf_build_room(builder, capacity, sizeof(yyjson_val *));

        if (!items)
            return false;
        if (list->n)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = value;
    return true;
}

static int add_null(haft_builder *builder, struct value_list *list)
{
    yyjson_val *null = hf_build_room(builder, 1, sizeof *null);

    if (!null)
        return HAFT_ENOMEM;
    unsafe_yyjson_set_null(null);
    return hf_values_add(builder, list, null) ? 1 : HAFT_ENOMEM;
}

/* The rule to follow in search of values: a reference, or the options of a union. */
static const struct rule *value_alternatives(const struct node *node)
{
    if (node->n_rules != 1 || node->object || node->array)
        return NULL;
    return node->rules[0].op == RULE_REF || node->rules[0].op == RULE_ANY ? &node->rules[0] : NULL;
}

static int values_within(haft_builder *builder, const struct node *node, struct value_list *list,
                         size_t depth)
{
    const struct rule *rule = value_alternatives(node);
    int status = 0;
    size_t i, n;
    yyjson_val *value;

    if (depth > builder->schema->max_depth)
        return 0;
    if (node->values) {
        yyjson_arr_foreach(node->values, i, n, value)
            if (!hf_values_add(builder, list, value))
                return HAFT_ENOMEM;
        status = 1;
    } else if (node->types == TYPE_NULL) {
        return add_null(builder, list);
    } else if (rule) {
        for (i = 0; i < rule->n_nodes; i++) {
            status = rule->nodes[i] ? values_within(builder, rule->nodes[i], list, depth + 1) : 0;
            if (status != 1)
                return status;
        }
    }
    return status == 1 && node->nullable ? add_null(builder, list) : status;
}

int hf_values_of(haft_builder *builder, const struct node *node, struct value_list *list)
{
    return values_within(builder, node, list, 0);
}
