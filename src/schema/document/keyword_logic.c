/* keyword_logic.c - keywords that combine schemas for the same value, and references. */
#include "schema/document/document.h"

static int add_rule(struct site *site, enum rule_op op, const struct node *const *nodes, size_t n)
{
    return hf_node_add_rule(site->doc->schema, site->node, op, nodes, n) ? 0
                                                                         : hf_site_no_memory(site);
}

int hf_keyword_logic(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    const struct node **nodes = NULL;
    size_t n = 0;
    int status = hf_site_nodes(site, value, &nodes, &n);

    return status ? status : add_rule(site, (enum rule_op)row->argument, nodes, n);
}

int hf_keyword_not(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    const struct node *node = hf_site_node(site, value);

    (void)row;
    return node ? add_rule(site, RULE_NOT, &node, 1) : site->doc->error->code;
}

int hf_keyword_if(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    yyjson_val *parts[] = {value, site->values[KEYWORD_THEN], site->values[KEYWORD_ELSE]};
    const struct node *nodes[3] = {NULL, NULL, NULL};

    (void)row;
    for (size_t i = 0; i < 3; i++) {
        if (!parts[i])
            continue;
        nodes[i] = hf_site_node(site, parts[i]);
        if (!nodes[i])
            return site->doc->error->code;
    }
    return add_rule(site, RULE_IF, nodes, 3);
}

int hf_keyword_ref(struct site *site, const struct keyword_row *row, yyjson_val *value)
{
    struct location *to = NULL;
    struct mark *mark = NULL;
    const struct node *node;
    struct rule *rule;
    const char *anchor = NULL;
    int status;

    if (!yyjson_is_str(value))
        return hf_site_refuse(site, row, "a string");
    if (row->keyword == KEYWORD_RECURSIVE_REF && !yyjson_equals_str(value, "#"))
        return hf_site_refuse(site, row, "\"#\"");
    status = hf_reference_resolve(site->doc, site->location, row->name, value, &to, &mark);
    if (status)
        return status;
    node = hf_location_node(site->doc, to);
    if (!node)
        return site->doc->error->code;
    /* $dynamicRef is dynamic only if its initial target is a dynamic anchor. */
    if (row->keyword == KEYWORD_DYNAMIC_REF && mark && mark->dynamic)
        anchor = mark->name;
    else if (row->keyword == KEYWORD_RECURSIVE_REF && to->base->recursive)
        anchor = "";
    rule = hf_node_add_rule(site->doc->schema, site->node, anchor ? RULE_DYNAMIC_REF : RULE_REF,
                            &node, 1);
    if (!rule)
        return hf_site_no_memory(site);
    rule->text = anchor;
    return 0;
}
