/* keyword_array.c - keywords that apply schemas to the items of an array. */
#include "schema/document/document.h"

static int set_node(struct site *site, yyjson_val *value, const struct node **node)
{
    *node = hf_site_node(site, value);
    return *node ? 0 : site->doc->error->code;
}

int hf_keyword_prefix(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct array *array = hf_node_array(site->doc->schema, site->node);
    const struct node **nodes = NULL;
    int status;

    (void)row;
    if (!array)
        return hf_site_no_memory(site);
    status = hf_site_nodes(site, value, &nodes, &array->n_prefix);
    array->prefix = nodes;
    return status;
}

/* The items after the prefix, or all of them. */
static int set_items(struct site *site, yyjson_val *value)
{
    struct array *array = hf_node_array(site->doc->schema, site->node);

    if (!array)
        return hf_site_no_memory(site);
    array->closed = yyjson_is_false(value);
    return array->closed ? 0 : set_node(site, value, &array->items);
}

int hf_keyword_items(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    return yyjson_is_arr(value) ? hf_keyword_prefix(site, row, value) : set_items(site, value);
}

int hf_keyword_additional_items(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    (void)row;
    return yyjson_is_arr(site->values[KEYWORD_ITEMS_2019]) ? set_items(site, value) : 0;
}

int hf_keyword_contains(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct array *array = hf_node_array(site->doc->schema, site->node);

    (void)row;
    if (!array)
        return hf_site_no_memory(site);
    array->contains_evaluates = site->dialect->draft == DRAFT_2020;
    return set_node(site, value, &array->contains);
}

int hf_keyword_contains_size(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct array *array = site->node->array;
    size_t size = 0;
    int status = hf_site_size(site, row, value, &size);

    if (status || !site->values[KEYWORD_CONTAINS])
        return status;
    *(row->keyword == KEYWORD_MIN_CONTAINS ? &array->min_contains : &array->max_contains) = size;
    return 0;
}

int hf_keyword_unevaluated(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct haft_schema *schema = site->doc->schema;
    struct object *object;
    struct array *array;

    site->node->tracks = true;
    if (row->keyword == KEYWORD_UNEVALUATED_ITEMS) {
        array = hf_node_array(schema, site->node);
        return array ? set_node(site, value, &array->unevaluated) : hf_site_no_memory(site);
    }
    object = hf_node_object(schema, site->node);
    return object ? set_node(site, value, &object->unevaluated) : hf_site_no_memory(site);
}
