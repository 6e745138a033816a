/* finish.c - the steps that require all definitions: resolves lazy ones and collects the nodes that
 * are reachable from the root. */
#include "schema/build/build.h"

#include <stdio.h>
#include <string.h>

/* ---- lazy definitions ---- */

haft_def *haft_def_lazy(haft_builder *builder)
{
    haft_def *def = hf_def_new(builder);
    struct lazy *lazy = def ? hf_build_room(builder, 1, sizeof *lazy) : NULL;
    struct rule *rule;

    if (!lazy)
        return NULL;
    rule = hf_node_add_rule(builder->schema, def->node, RULE_REF, NULL, 1);
    if (!rule)
        return hf_build_no_memory(builder);
    lazy->slot = rule->nodes;
    lazy->next = builder->lazies;
    builder->lazies = lazy;
    def->lazy = lazy;
    return def;
}

void haft_def_resolve(haft_def *lazy, haft_def *def)
{
    if (!lazy || !hf_build_accepts(lazy->builder, def, "lazy"))
        return;
    if (!lazy->lazy) {
        hf_build_fail(lazy->builder, HAFT_EINVAL, "lazy", "the definition is not lazy");
    } else if (lazy->lazy->resolved) {
        hf_build_fail(lazy->builder, HAFT_EINVAL, "lazy",
                      "the lazy definition is already resolved");
    } else {
        lazy->lazy->resolved = def;
        *lazy->lazy->slot = def->node;
    }
}

/* The lazy definition that a node is, or is a copy of; NULL if it is not lazy. */
static const struct lazy *lazy_of(const haft_builder *builder, const struct node *node)
{
    const struct lazy *lazy = builder->lazies;

    if (node->n_rules != 1 || node->rules[0].op != RULE_REF)
        return NULL;
    while (lazy && lazy->slot != node->rules[0].nodes)
        lazy = lazy->next;
    return lazy;
}

struct node *hf_build_root(const haft_def *root)
{
    const struct lazy *lazy = root->lazy;

    while (lazy && lazy->resolved && !root->node->n_checks && !root->node->nullable &&
           !root->node->meta && root != lazy->resolved) {
        root = lazy->resolved;
        lazy = root->lazy;
    }
    return root->node;
}

/* A property with a lazy definition is optional if the resolved definition is. */
static void settle_presence(const haft_builder *builder, struct property *property)
{
    const struct lazy *lazy = lazy_of(builder, property->node);

    if (property->presence != PRESENCE_REQUIRED || !lazy || !lazy->resolved)
        return;
    property->presence = lazy->resolved->presence;
    property->fallback = lazy->resolved->fallback;
}

/* ---- reachability ---- */

/* A discovered node whose children have not been visited yet, and the path to it. */
struct introduced {
    struct introduced *next;
    const struct introduced *parent;
    struct node *node;
    const char *step; /* "properties", "anyOf", ... */
    const char *name; /* name of a property, or NULL */
    size_t index;     /* index in a list, or SIZE_MAX */
    size_t depth;
};

struct reach {
    haft_builder *builder;
    struct introduced *waiting;
};

static void write_path(const struct introduced *introduced, char *path, size_t size)
{
    const struct introduced *way[JSON_MAX_DEPTH];
    size_t n = 0, used = 0;

    for (path[0] = '\0'; introduced && introduced->step && n < JSON_MAX_DEPTH;
         introduced = introduced->parent)
        way[n++] = introduced;
    while (n-- && used < size) {
        const char *point = used ? "." : "";
        int wrote =
            way[n]->name
                ? snprintf(path + used, size - used, "%s%s.%s", point, way[n]->step, way[n]->name)
            : way[n]->index != SIZE_MAX
                ? snprintf(path + used, size - used, "%s%s.%zu", point, way[n]->step, way[n]->index)
                : snprintf(path + used, size - used, "%s%s", point, way[n]->step);

        used += wrote > 0 ? (size_t)wrote : size;
    }
}

static int fail_at(struct reach *reach, const struct introduced *introduced, int code,
                   const char *text)
{
    char path[sizeof reach->builder->error.path];

    write_path(introduced, path, sizeof path);
    hf_build_fail(reach->builder, code, path, "%s", text);
    return code;
}

/* Adds a newly discovered node to the schema and to the queue. */
static int meet(struct reach *reach, const struct introduced *parent, const struct node *node,
                const char *step, const char *name, size_t index)
{
    haft_schema *schema = reach->builder->schema;
    struct introduced *introduced;

    if (!node || node->id != NO_ID)
        return 0;
    introduced = hf_build_room(reach->builder, 1, sizeof *introduced);
    if (!introduced)
        return HAFT_ENOMEM;
    *introduced = (struct introduced){reach->waiting, parent, (struct node *)(uintptr_t)node, step,
                                      name,           index,  parent ? parent->depth + 1 : 0};
    if (introduced->depth > schema->max_depth)
        return fail_at(reach, introduced, HAFT_EDEPTH, haft_strerror(HAFT_EDEPTH));
    if (hf_node_adopt(schema, introduced->node))
        return fail_at(reach, introduced, HAFT_ETOOBIG, "too many definitions");
    reach->waiting = introduced;
    return 0;
}

static int meet_members(struct reach *reach, const struct introduced *introduced)
{
    struct object *object = introduced->node->object;
    int status = 0;

    for (size_t i = 0; i < object->n_properties && !status; i++) {
        settle_presence(reach->builder, &object->properties[i]);
        status = meet(reach, introduced, object->properties[i].node, "properties",
                      object->properties[i].name, SIZE_MAX);
    }
    if (!status)
        status =
            meet(reach, introduced, object->extra_node, "additionalProperties", NULL, SIZE_MAX);
    return status ? status
                  : meet(reach, introduced, object->names, "propertyNames", NULL, SIZE_MAX);
}

static int meet_items(struct reach *reach, const struct introduced *introduced)
{
    const struct array *array = introduced->node->array;
    int status = 0;

    for (size_t i = 0; i < array->n_prefix && !status; i++)
        status = meet(reach, introduced, array->prefix[i], "prefixItems", NULL, i);
    return status ? status : meet(reach, introduced, array->items, "items", NULL, SIZE_MAX);
}

static int meet_options(struct reach *reach, const struct introduced *introduced,
                        const struct rule *rule)
{
    static const char *const steps[] = {[RULE_ALL] = "allOf",
                                        [RULE_ANY] = "anyOf",
                                        [RULE_ONE] = "oneOf",
                                        [RULE_DISCRIMINATED] = "oneOf",
                                        [RULE_REF] = "lazy"};
    int status = 0;

    for (size_t i = 0; i < rule->n_nodes && !status; i++) {
        if (!rule->nodes[i])
            return fail_at(reach, introduced, HAFT_EREF, "the lazy definition is not resolved");
        status = meet(reach, introduced, rule->nodes[i], steps[rule->op], NULL,
                      rule->op == RULE_REF ? SIZE_MAX : i);
    }
    return status;
}

static int finish_look_at(struct reach *reach, const struct introduced *introduced)
{
    const struct node *node = introduced->node;
    int status = 0;

    if (hf_node_bounds_cross(node))
        return fail_at(reach, introduced, HAFT_ESCHEMA, BOUNDS_CROSS);
    if (node->object)
        status = meet_members(reach, introduced);
    if (node->array && !status)
        status = meet_items(reach, introduced);
    for (size_t i = 0; i < node->n_rules && !status; i++)
        status = meet_options(reach, introduced, &node->rules[i]);
    return status;
}

/* ---- definitions that refer only to themselves ---- */

enum finish_colour { FINISH_WHITE, FINISH_GREY, FINISH_BLACK };

struct finish_visit {
    const struct node *node;
    size_t next;
};

/* The i-th node that applies to the same value; NULL after the last. */
static const struct node *finish_same_value(const struct node *node, size_t i)
{
    for (size_t r = 0; r < node->n_rules; r++) {
        if (i < node->rules[r].n_nodes)
            return node->rules[r].nodes[i];
        i -= node->rules[r].n_nodes;
    }
    return NULL;
}

/* Whether a node refers back to itself without descending into the value, which would never end. */
static bool is_loop(const struct node *from, struct finish_visit *stack, unsigned char *colours)
{
    size_t depth = 0;

    stack[depth++] = (struct finish_visit){from, 0};
    colours[from->id] = FINISH_GREY;
    while (depth) {
        struct finish_visit *top = &stack[depth - 1];
        const struct node *next = finish_same_value(top->node, top->next++);

        if (!next) {
            colours[top->node->id] = FINISH_BLACK;
            depth--;
        } else if (colours[next->id] == FINISH_GREY) {
            return true;
        } else if (colours[next->id] == FINISH_WHITE) {
            colours[next->id] = FINISH_GREY;
            stack[depth++] = (struct finish_visit){next, 0};
        }
    }
    return false;
}

static int refuse_loops(haft_builder *builder)
{
    haft_schema *schema = builder->schema;
    arena_mark mark = hf_arena_save(schema->arena);
    struct finish_visit *stack = hf_build_room(builder, schema->n_nodes, sizeof *stack);
    unsigned char *colours = stack ? hf_build_room(builder, schema->n_nodes, 1) : NULL;

    for (const struct node *node = schema->nodes; colours && node; node = node->all) {
        if (colours[node->id] == FINISH_WHITE && is_loop(node, stack, colours)) {
            hf_build_fail(builder, HAFT_EREF, "lazy", "a lazy definition refers only to itself");
            break;
        }
    }
    hf_arena_rewind(schema->arena, mark);
    return builder->error.code;
}

/* Computes the values of discriminators, once all lazy options are resolved. */
static int discriminate_all(haft_builder *builder)
{
    int status = 0;

    for (const struct node *node = builder->schema->nodes; node && !status; node = node->all)
        for (size_t i = 0; i < node->n_rules && !status; i++)
            if (node->rules[i].op == RULE_DISCRIMINATED)
                status = hf_discriminate(builder, &node->rules[i], node->rules[i].text);
    return status;
}

int hf_build_reach(haft_builder *builder, struct node *root)
{
    struct reach reach = {builder, NULL};
    arena_mark mark = hf_arena_save(builder->schema->arena);
    int status = meet(&reach, NULL, root, NULL, NULL, SIZE_MAX);

    while (!status && reach.waiting) {
        struct introduced *introduced = reach.waiting;

        reach.waiting = introduced->next;
        status = finish_look_at(&reach, introduced);
    }
    hf_arena_rewind(builder->schema->arena, mark);
    if (!status)
        status = refuse_loops(builder);
    return status ? status : discriminate_all(builder);
}
