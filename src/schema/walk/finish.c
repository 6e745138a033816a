/* finish.c - the steps that require all nodes of a schema: builds indexes, selects nodes for the
 * fast paths, finds recursion, and checks defaults. */
#include "schema/walk/finish.h"

#include <string.h>

#include "schema/walk/fill.h"
#include "schema/walk/quick.h"
#include "schema/walk/walk.h"

enum {
    DEFAULT_CHECK_MEMORY = 64 << 20,
    NODES_A_LEVEL = 4,        /* a use, its type, an array, its item */
    FINISH_FEW_PROPERTIES = 8 /* up to here a linear search is faster than a hash */
};

static int index_properties(haft_schema *schema, struct object *object)
{
    size_t n_slots = 16;

    if (object->n_properties <= FINISH_FEW_PROPERTIES || object->n_slots)
        return 0;
    while (n_slots < object->n_properties * 2)
        n_slots *= 2;
    object->slots = haft_arena_zalloc(schema->arena, n_slots, sizeof *object->slots);
    if (!object->slots)
        return HAFT_ENOMEM;
    object->n_slots = n_slots;
    for (size_t i = 0; i < object->n_properties; i++) {
        size_t at = hf_hash_bytes(object->properties[i].name, object->properties[i].size);

        while (object->slots[at & (n_slots - 1)])
            at++;
        object->slots[at & (n_slots - 1)] = (uint32_t)i + 1;
    }
    return 0;
}

/* Enumerates the children of a node, for traversal without recursion: the i-th, or NULL with
 * *ret_more false after the last. Absent children are NULL with *ret_more true. */
static const struct node *child(const struct node *node, size_t i, bool *ret_more)
{
    const struct object *object = node->object;
    const struct array *array = node->array;

    *ret_more = true;
    if (node->as) {
        *ret_more = i == 0;
        return i == 0 ? node->as : NULL;
    }
    if (object) {
        const struct node *single[] = {object->extra_node, object->names, object->unevaluated};

        if (i < object->n_properties)
            return object->properties[i].node;
        i -= object->n_properties;
        if (i < object->n_patterns)
            return object->patterns[i].node;
        i -= object->n_patterns;
        if (i < object->n_dependents)
            return object->dependents[i].node;
        i -= object->n_dependents;
        if (i < 3)
            return single[i];
        i -= 3;
    }
    if (array) {
        const struct node *single[] = {array->items, array->contains, array->unevaluated};

        if (i < array->n_prefix)
            return array->prefix[i];
        i -= array->n_prefix;
        if (i < 3)
            return single[i];
        i -= 3;
    }
    for (size_t r = 0; r < node->n_rules; r++) {
        if (i < node->rules[r].n_nodes)
            return node->rules[r].nodes[i];
        i -= node->rules[r].n_nodes;
    }
    *ret_more = false;
    return NULL;
}

enum walk_finish_colour { WALK_FINISH_WHITE, WALK_FINISH_GREY, WALK_FINISH_BLACK };

struct walk_finish_visit {
    struct node *node;
    size_t next;
};

/* The target of a reference is what is emitted, so it is marked as recursive too. */
static void mark_written(struct node *node)
{
    node->recursive = true;
    while (node->n_rules == 1 && node->rules[0].op == RULE_REF && node->rules[0].nodes[0] != node) {
        node = (struct node *)(uintptr_t)node->rules[0].nodes[0];
        if (node->recursive)
            return;
        node->recursive = true;
    }
}

/* Depth-first search from the root: a node that is reached while it is still open is recursive. */
static int mark_recursive(haft_schema *schema, haft_reason *reterr_error)
{
    arena_mark mark = hf_arena_save(schema->arena);
    struct walk_finish_visit *stack =
        haft_arena_alloc(schema->arena, schema->n_nodes * sizeof *stack);
    unsigned char *colours = haft_arena_zalloc(schema->arena, schema->n_nodes, 1);
    size_t depth = 0;

    if (!stack || !colours)
        return hf_error_set(reterr_error, HAFT_ENOMEM, NULL, "out of memory");
    stack[depth++] = (struct walk_finish_visit){schema->root, 0};
    colours[schema->root->id] = WALK_FINISH_GREY;
    while (depth) {
        struct walk_finish_visit *top = &stack[depth - 1];
        bool more;
        /* Nodes are const to each other but owned by the schema under construction. */
        struct node *next = (struct node *)(uintptr_t)child(top->node, top->next++, &more);

        if (!more) {
            colours[top->node->id] = WALK_FINISH_BLACK;
            depth--;
        } else if (next && colours[next->id] == WALK_FINISH_GREY) {
            mark_written(next);
        } else if (next && colours[next->id] == WALK_FINISH_WHITE) {
            if (depth == schema->max_depth * NODES_A_LEVEL)
                return hf_error_set(reterr_error, HAFT_EDEPTH, NULL,
                                    "the schema is nested deeper than %zu levels",
                                    schema->max_depth);
            colours[next->id] = WALK_FINISH_GREY;
            stack[depth++] = (struct walk_finish_visit){next, 0};
        }
    }
    hf_arena_rewind(schema->arena, mark);
    return 0;
}

/* Whether a node has only a type, a structure and checks. */
static bool finish_is_plain(const struct node *node)
{
    return !node->never && !node->nullable && !node->values && !node->n_rules && !node->tracks &&
           !node->resource && node->store != STORE_POINTER;
}

/* Whether an object rejects all keys except its properties. */
static bool is_simple(const struct object *object)
{
    return object->extra != EXTRA_CHECK && !object->names && !object->n_patterns &&
           !object->n_required && !object->n_dependents && !object->unevaluated;
}

static bool has_headers(const struct object *object)
{
    for (size_t i = 0; object && i < object->n_properties; i++)
        if (object->properties[i].header)
            return true;
    return false;
}

static bool has_defaults(const struct object *object)
{
    for (size_t i = 0; object && i < object->n_properties; i++)
        if (object->properties[i].fallback)
            return true;
    return false;
}

/* Whether the rules of a node visit every part of an accepted container. Otherwise the value is
 * checked for depth and duplicate keys before the walk. */
static bool is_covered(const struct node *node)
{
    bool joined = false;

    for (size_t i = 0; i < node->n_rules; i++)
        joined |= node->rules[i].op <= RULE_DISCRIMINATED || node->rules[i].op >= RULE_REF;
    if (node->never || node->values || joined)
        return true;
    if ((node->types & TYPE_OBJECT) && (!node->object || node->object->extra == EXTRA_IGNORE))
        return false;
    if ((node->types & TYPE_ARRAY) &&
        (!node->array || (!node->array->items && !node->array->tuple)))
        return false;
    return true;
}

/* Reports an invalid default with the path and the reason. */
static int refuse_default(const struct property *property, const haft_issues *issues, int status,
                          const haft_allocator *allocator, haft_reason *reterr_error)
{
    haft_buffer path;

    haft_buffer_init(&path, allocator, sizeof reterr_error->path);
    haft_buffer_puts(&path, property->name);
    if (issues->count && issues->list[0].n_path) {
        haft_buffer_puts(&path, ".");
        haft_issue_path(&issues->list[0], &path);
    }
    haft_buffer_add(&path, "", 1);
    if (path.status == HAFT_ENOMEM)
        status = HAFT_ENOMEM;
    hf_error_set(reterr_error, status == HAFT_EISSUES ? HAFT_ESCHEMA : status,
                 path.status ? property->name : path.data,
                 "the default does not match the schema: %s",
                 issues->count ? issues->list[0].message : haft_strerror(status));
    haft_buffer_finish(&path);
    return status == HAFT_EISSUES ? HAFT_ESCHEMA : status;
}

/* Checks a default by decoding it as at run time, including nested defaults. */
static int check_default(const haft_schema *schema, const struct node *node,
                         const struct property *property, haft_arena *arena,
                         haft_reason *reterr_error)
{
    struct place place = {NULL, &property->member};
    haft_issues issues = {0};
    yyjson_val *filled;
    int status;

    if (schema->typed && node->store == STORE_STRUCT) {
        place.base = haft_arena_zalloc(arena, 1, node->size);
        if (!place.base)
            return HAFT_ENOMEM;
    }
    status = hf_walk_run(schema, property->node, property->fallback, arena, place, &issues);
    if (!status && schema->fills)
        status = hf_schema_fill_by(schema, property->node, property->fallback, arena, &filled);
    if (!status || status == HAFT_ENOMEM)
        return status;
    return refuse_default(property, &issues, status, hf_arena_allocator(arena), reterr_error);
}

static int check_defaults(haft_schema *schema, haft_reason *reterr_error)
{
    haft_arena *arena = NULL;
    int status = 0;

    for (const struct node *node = schema->nodes; node && !status; node = node->all) {
        for (size_t i = 0; node->object && i < node->object->n_properties && !status; i++) {
            const struct property *property = &node->object->properties[i];

            if (!property->fallback)
                continue;
            if (!arena)
                arena = haft_arena_new(hf_arena_allocator(schema->arena), DEFAULT_CHECK_MEMORY);
            status =
                arena ? check_default(schema, node, property, arena, reterr_error) : HAFT_ENOMEM;
        }
    }
    haft_arena_free(arena);
    return status;
}

int hf_schema_finish(haft_schema *schema, struct node *root, haft_reason *reterr_error)
{
    int status = 0;

    schema->root = root;
    schema->covered = true;
    for (struct node *node = schema->nodes; node && !status; node = node->all) {
        schema->covered = schema->covered && is_covered(node);
        schema->secrets = schema->secrets || node->secret;
        schema->headers = schema->headers || has_headers(node->object);
        schema->fills = schema->fills || (!schema->typed && has_defaults(node->object));
        node->plain = finish_is_plain(node);
        if (node->object) {
            node->object->simple = is_simple(node->object);
            status = index_properties(schema, node->object);
        }
        hf_quick_prepare(node);
    }
    schema->reads = hf_quick_reads(schema);
    if (!status)
        status = mark_recursive(schema, reterr_error);
    if (!status)
        status = check_defaults(schema, reterr_error);
    if (status == HAFT_ENOMEM)
        hf_error_set(reterr_error, status, NULL, "out of memory");
    if (status)
        haft_schema_free(schema);
    return status;
}
