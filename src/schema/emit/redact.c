/* redact.c - replaces the secrets in a value.
 *
 * This does not determine which nodes apply to a value, as validation would: it collects all that
 * could apply, and one secret among them is enough. The value may be invalid in any way, so parts
 * that the schema does not describe are also replaced. */
#include "schema/emit/redact.h"

#include <string.h>

#include "json/writer.h"
#include "schema/walk/walk.h"

/* Limits of nodes per value and of nesting; beyond either, everything is replaced. */
enum { MAX_NODES = 32, REDACT_MAX_DEPTH = 64 };

struct nodes {
    const struct node *list[MAX_NODES];
    size_t n;
    bool hidden; /* one is secret, or there are too many nodes */
};

/* Adds the node; redact_gather() then adds those it refers to. */
static void redact_add(struct nodes *nodes, const struct node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < nodes->n; i++)
        if (nodes->list[i] == node)
            return;
    nodes->hidden = nodes->hidden || node->secret || nodes->n == MAX_NODES;
    if (!nodes->hidden)
        nodes->list[nodes->n++] = node;
}

/* A `$dynamicRef` may lead to any resource of the document. */
static void add_dynamic(struct nodes *nodes, const haft_schema *schema, const char *name)
{
    for (const struct node *node = schema->nodes; node && !nodes->hidden; node = node->all)
        for (size_t i = 0; node->resource && i < node->resource->n_anchors; i++)
            if (!strcmp(node->resource->anchors[i].name, name))
                redact_add(nodes, node->resource->anchors[i].node);
}

static void redact_gather(struct nodes *nodes, const haft_schema *schema)
{
    for (size_t i = 0; i < nodes->n && !nodes->hidden; i++) {
        const struct node *node = nodes->list[i];

        for (size_t r = 0; r < node->n_rules; r++) {
            if (node->rules[r].op == RULE_DYNAMIC_REF)
                add_dynamic(nodes, schema, node->rules[r].text);
            for (size_t k = 0; k < node->rules[r].n_nodes; k++)
                redact_add(nodes, node->rules[r].nodes[k]);
        }
        for (size_t k = 0; node->object && k < node->object->n_dependents; k++)
            redact_add(nodes, node->object->dependents[k].node);
    }
}

/* Patterns are not matched, because that takes memory: all pattern properties may apply. */
static void add_member(struct nodes *inside, const struct object *object, yyjson_val *key)
{
    const struct property *property =
        hf_object_property(object, yyjson_get_str(key), yyjson_get_len(key));

    redact_add(inside, property ? property->node : object->extra_node);
    for (size_t i = 0; i < object->n_patterns; i++)
        redact_add(inside, object->patterns[i].node);
    redact_add(inside, object->unevaluated);
}

static void add_item(struct nodes *inside, const struct array *array, size_t i)
{
    redact_add(inside, i < array->n_prefix ? array->prefix[i] : array->items);
    redact_add(inside, array->contains);
    redact_add(inside, array->unevaluated);
}

/* Whether a scalar may be shown: not if an object or array is expected, whose JSON text it may
 * be. */
static bool redact_is_plain(const struct nodes *nodes)
{
    for (size_t i = 0; i < nodes->n; i++)
        if (nodes->list[i]->object || nodes->list[i]->array)
            return false;
    return nodes->n > 0;
}

static void redact_put(const haft_schema *schema, struct nodes *nodes, yyjson_val *value,
                       size_t depth, struct json_writer *out);

static void redact_put_object(const haft_schema *schema, const struct nodes *nodes,
                              yyjson_val *value, size_t depth, struct json_writer *out)
{
    size_t i, n;
    yyjson_val *key, *item;

    hf_json_begin_object(out);
    yyjson_obj_foreach(value, i, n, key, item) {
        struct nodes inside = {.n = 0};

        for (size_t k = 0; k < nodes->n; k++)
            if (nodes->list[k]->object)
                add_member(&inside, nodes->list[k]->object, key);
        hf_json_name(out, yyjson_get_str(key), yyjson_get_len(key));
        redact_put(schema, &inside, item, depth, out);
    }
    hf_json_end_object(out);
}

static void put_array(const haft_schema *schema, const struct nodes *nodes, yyjson_val *value,
                      size_t depth, struct json_writer *out)
{
    size_t i, n;
    yyjson_val *item;

    hf_json_begin_array(out);
    yyjson_arr_foreach(value, i, n, item) {
        struct nodes inside = {.n = 0};

        for (size_t k = 0; k < nodes->n; k++)
            if (nodes->list[k]->array)
                add_item(&inside, nodes->list[k]->array, i);
        redact_put(schema, &inside, item, depth, out);
    }
    hf_json_end_array(out);
}

static void redact_put(const haft_schema *schema, struct nodes *nodes, yyjson_val *value,
                       size_t depth, struct json_writer *out)
{
    bool container = yyjson_is_ctn(value);

    redact_gather(nodes, schema);
    if (nodes->hidden || !nodes->n || depth == REDACT_MAX_DEPTH ||
        (!container && !redact_is_plain(nodes)))
        hf_json_text(out, "***");
    else if (yyjson_is_obj(value))
        redact_put_object(schema, nodes, value, depth + 1, out);
    else if (container)
        put_array(schema, nodes, value, depth + 1, out);
    else
        hf_json_value(out, value);
}

void hf_schema_put_redacted(const haft_schema *schema, const yyjson_val *value, haft_buffer *out)
{
    struct json_writer json = {.out = out};
    struct nodes nodes = {.n = 0};

    if (!schema || !schema->secrets) {
        haft_json_write(value, out);
        return;
    }
    redact_add(&nodes, schema->root);
    redact_put(schema, &nodes, (yyjson_val *)(uintptr_t)value, 0, &json);
}
