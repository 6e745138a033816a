/* union.c - definitions with alternatives: any of them, exactly one, or the one selected by a
 * key. */
#include "schema/build/build.h"

#include <string.h>

/* ---- unions ---- */

/* The number of options; SIZE_MAX if one cannot be used. */
static size_t count_options(haft_builder *builder, const haft_def *first, va_list more)
{
    size_t n = 0;
    va_list counting;

    va_copy(counting, more);
    for (const haft_def *option = first; option; option = va_arg(counting, haft_def *)) {
        n++;
        if (!hf_build_accepts(builder, option, "options")) {
            n = SIZE_MAX;
            break;
        }
    }
    va_end(counting);
    return n;
}

/* A definition with one rule over the options; it is optional if one of them is. */
static haft_def *joined(haft_builder *builder, enum rule_op op, const haft_def *first, va_list more,
                        size_t n)
{
    haft_def *def = hf_def_new(builder);
    const struct node **nodes;
    size_t i = 0;

    if (!def)
        return NULL;
    nodes = hf_build_room(builder, n, sizeof(struct node *));
    if (!nodes)
        return NULL;
    for (const haft_def *option = first; option; option = va_arg(more, haft_def *)) {
        nodes[i++] = option->node;
        if (def->presence != PRESENCE_REQUIRED)
            continue;
        def->presence = option->presence;
        def->fallback = option->fallback;
    }
    return hf_node_add_rule(builder->schema, def->node, op, nodes, n) ? def
                                                                      : hf_build_no_memory(builder);
}

/* A union of one option is that option. */
static haft_def *union_alternatives(haft_builder *builder, enum rule_op op, haft_def *first,
                                    va_list more)
{
    size_t n;

    if (!hf_build_accepts(builder, first, "options"))
        return NULL;
    n = count_options(builder, first, more);
    if (n == SIZE_MAX)
        return NULL;
    return n == 1 ? hf_def_again(first) : joined(builder, op, first, more, n);
}

haft_def *haft_def_union(haft_builder *builder, haft_def *first, ...)
{
    va_list more;
    haft_def *def;

    va_start(more, first);
    def = union_alternatives(builder, RULE_ANY, first, more);
    va_end(more);
    return def;
}

haft_def *haft_def_xor(haft_builder *builder, haft_def *first, ...)
{
    va_list more;
    haft_def *def;

    va_start(more, first);
    def = union_alternatives(builder, RULE_ONE, first, more);
    va_end(more);
    return def;
}

/* ---- discriminated unions ---- */

haft_def *haft_def_discriminated(haft_builder *builder, const char *key, haft_def *first, ...)
{
    haft_def *def = NULL;
    struct rule *rule;
    va_list more;
    size_t n;

    if (!hf_build_accepts(builder, first, "options"))
        return NULL;
    va_start(more, first);
    n = count_options(builder, first, more);
    if (n != SIZE_MAX)
        def = joined(builder, RULE_DISCRIMINATED, first, more, n);
    va_end(more);
    if (!def)
        return NULL;
    def->node->types = TYPE_OBJECT;
    def->presence = PRESENCE_REQUIRED;
    rule = &def->node->rules[0];
    rule->text = hf_build_text(builder, key, "discriminator");
    rule->tags = rule->text ? hf_build_room(builder, n, sizeof *rule->tags) : NULL;
    return rule->tags ? def : NULL;
}

/* Appends the discriminator's values in an option, which is an object or another union. Returns 1,
 * 0 if it has none, or HAFT_ENOMEM. */
static int option_values(haft_builder *builder, const struct node *option, const char *key,
                         struct value_list *list, size_t depth)
{
    const struct rule *rule = option->n_rules == 1 ? &option->rules[0] : NULL;
    const struct object *object = option->object;
    int status = 0;

    if (depth > builder->schema->max_depth)
        return 0;
    if (rule && (rule->op == RULE_REF || rule->op == RULE_DISCRIMINATED)) {
        for (size_t i = 0; i < rule->n_nodes; i++) {
            status = option_values(builder, rule->nodes[i], key, list, depth + 1);
            if (status != 1)
                break;
        }
        return status;
    }
    for (size_t i = 0; object && !object->record && i < object->n_properties; i++)
        if (!strcmp(object->properties[i].name, key) &&
            object->properties[i].presence == PRESENCE_REQUIRED)
            return hf_values_of(builder, object->properties[i].node, list);
    return 0;
}

/* Whether the values of an option differ from each other and from those of earlier options. */
static bool values_differ(haft_builder *builder, const struct rule *rule, size_t option,
                          const char *path)
{
    size_t i, n, j, m;
    yyjson_val *value, *other;

    yyjson_arr_foreach(rule->tags[option], i, n, value) {
        for (size_t before = 0; before < option; before++) {
            yyjson_arr_foreach(rule->tags[before], j, m, other) {
                int equal = hf_json_equal(value, other, builder->schema->arena);

                if (equal < 0)
                    return hf_build_no_memory(builder);
                if (equal)
                    return hf_build_fail(builder, HAFT_ESCHEMA, path,
                                         "options %zu and %zu have the same value of \"%s\"",
                                         before, option, rule->text);
            }
        }
    }
    return true;
}

int hf_discriminate(haft_builder *builder, const struct rule *rule, const char *path)
{
    for (size_t i = 0; i < rule->n_nodes; i++) {
        struct value_list list = {0};
        int status = option_values(builder, rule->nodes[i], rule->text, &list, 0);

        if (status == 0)
            hf_build_fail(builder, HAFT_ESCHEMA, path,
                          "option %zu is not an object that requires \"%s\" to be a literal", i,
                          rule->text);
        if (status == 1)
            rule->tags[i] = hf_values_array(builder, list.items, list.n);
        if (status != 1 || !rule->tags[i] || !values_differ(builder, rule, i, path))
            return builder->error.code;
    }
    return 0;
}
