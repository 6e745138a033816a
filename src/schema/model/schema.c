/* schema.c - making a compiled schema: the steps that all three front ends share.
 *
 * A schema is one arena.  Front ends allocate nodes in it and hang rules on them; schema_finish
 * does what can only be done when all of them stand. */
#include <string.h>

#include "schema/walk/quick.h"
#include "schema/walk/walk.h"

enum {
    DEFAULT_DEPTH = 64,
    DEFAULT_NODES = 10000,
    DEFAULT_STEPS = 10000000,
    DEFAULT_ISSUES = 32,
    DEFAULT_MEMORY = 64 << 20,
    DEFAULT_PATTERN_STEPS = 100000,
    NODES_A_LEVEL = 4, /* a use, its type, an array, its item */
    FEW_PROPERTIES = 8 /* up to here a walk along the names beats a hash */
};

size_t type_names(unsigned types, const char *ret_names[TYPE_NAMES])
{
    static const struct {
        unsigned type;
        const char *name;
    } names[TYPE_NAMES] = {
        {TYPE_STRING, "string"},   {TYPE_NUMBER, "number"}, {TYPE_INTEGER, "integer"},
        {TYPE_BOOLEAN, "boolean"}, {TYPE_OBJECT, "object"}, {TYPE_ARRAY, "array"},
        {TYPE_NULL, "null"},
    };
    size_t n = 0;

    for (size_t i = 0; i < TYPE_NAMES; i++) {
        if ((types & names[i].type) != names[i].type)
            continue;
        ret_names[n++] = names[i].name;
        types &= ~names[i].type;
    }
    return n;
}

static size_t or_default(size_t value, size_t standard)
{
    return value ? value : standard;
}

haft_schema *schema_new(const haft_schema_options *options)
{
    static const haft_schema_options none;
    haft_arena *arena;
    haft_schema *schema;

    if (!options)
        options = &none;
    arena = haft_arena_new(options->allocator, or_default(options->max_memory, DEFAULT_MEMORY));
    if (!arena)
        return NULL;
    schema = haft_arena_zalloc(arena, 1, sizeof *schema);
    if (!schema) {
        haft_arena_free(arena);
        return NULL;
    }
    schema->arena = arena;
    schema->max_depth = or_default(options->max_depth, DEFAULT_DEPTH);
    if (schema->max_depth > JSON_MAX_DEPTH)
        schema->max_depth = JSON_MAX_DEPTH;
    schema->max_nodes = or_default(options->max_subschemas, DEFAULT_NODES);
    schema->max_steps = or_default(options->max_steps, DEFAULT_STEPS);
    schema->max_issues = or_default(options->max_issues, DEFAULT_ISSUES);
    schema->pattern_steps = options->pattern_steps ? options->pattern_steps : DEFAULT_PATTERN_STEPS;
    return schema;
}

void haft_schema_free(haft_schema *schema)
{
    if (!schema)
        return;
    patterns_free(schema->patterns);
    haft_arena_free(schema->arena);
}

int node_adopt(haft_schema *schema, struct node *node)
{
    if (schema->n_nodes >= schema->max_nodes)
        return HAFT_ETOOBIG;
    node->id = (uint32_t)schema->n_nodes++;
    node->all = schema->nodes;
    schema->nodes = node;
    return 0;
}

struct node *node_new(haft_schema *schema)
{
    struct node *node = haft_arena_zalloc(schema->arena, 1, sizeof *node);

    if (!node || node_adopt(schema, node))
        return NULL;
    node->types = TYPE_ANY;
    return node;
}

/* Room for one more in an array that grows by copying: schemas are made once, rules are few. */
static void *grown(haft_schema *schema, const void *items, size_t n, size_t size)
{
    void *more = haft_arena_zalloc(schema->arena, n + 1, size);

    if (more && n)
        memcpy(more, items, n * size);
    return more;
}

int node_add_check(haft_schema *schema, struct node *node, const struct check *check)
{
    struct check *checks = grown(schema, node->checks, node->n_checks, sizeof *checks);

    if (!checks)
        return HAFT_ENOMEM;
    checks[node->n_checks++] = *check;
    node->checks = checks;
    return 0;
}

struct rule *node_add_rule(haft_schema *schema, struct node *node, enum rule_op op,
                           const struct node *const *nodes, size_t n)
{
    static const struct member nowhere = {NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};
    struct rule *rules = grown(schema, node->rules, node->n_rules, sizeof *rules);
    const struct node **own = haft_arena_zalloc(schema->arena, n ? n : 1, sizeof *own);

    if (!rules || !own)
        return NULL;
    for (size_t i = 0; i < n; i++)
        own[i] = nodes ? nodes[i] : NULL;
    rules[node->n_rules] =
        (struct rule){.op = (uint8_t)op, .nodes = own, .n_nodes = n, .member = nowhere};
    node->rules = rules;
    return &rules[node->n_rules++];
}

struct meta *node_meta(haft_schema *schema, struct node *node)
{
    if (!node->meta)
        node->meta = haft_arena_zalloc(schema->arena, 1, sizeof *node->meta);
    return node->meta;
}

struct object *node_object(haft_schema *schema, struct node *node)
{
    if (!node->object) {
        node->object = haft_arena_zalloc(schema->arena, 1, sizeof *node->object);
        if (node->object)
            node->object->extra = EXTRA_IGNORE;
    }
    return node->object;
}

struct array *node_array(haft_schema *schema, struct node *node)
{
    if (!node->array) {
        node->array = haft_arena_zalloc(schema->arena, 1, sizeof *node->array);
        if (node->array) {
            node->array->min_contains = 1;
            node->array->max_contains = SIZE_MAX;
        }
    }
    return node->array;
}

int node_add_pattern(haft_schema *schema, struct node *node, const char *source, size_t size,
                     const char *flags, haft_reason *reterr_error)
{
    struct check check = {.op = CHECK_PATTERN};
    int status = pattern_compile(schema->arena, &schema->patterns, source, size, flags,
                                 schema->pattern_steps, &check.pattern, reterr_error);

    return status ? status : node_add_check(schema, node, &check);
}

int node_add_format(haft_schema *schema, struct node *node, const struct format *format,
                    haft_reason *reterr_error)
{
    struct check check = {.op = CHECK_FORMAT, .format = format};
    int status = 0;

    if (!format->check)
        status = pattern_compile(schema->arena, &schema->patterns, format->pattern,
                                 strlen(format->pattern), "", schema->pattern_steps, &check.pattern,
                                 reterr_error);
    return status ? status : node_add_check(schema, node, &check);
}

yyjson_val *schema_json(haft_schema *schema, const char *text, size_t size,
                        haft_reason *reterr_error)
{
    return haft_json_read(text, size, schema->max_depth, schema->arena, reterr_error);
}

/* ---- finishing ---- */

static int index_properties(haft_schema *schema, struct object *object)
{
    size_t n_slots = 16;

    if (object->n_properties <= FEW_PROPERTIES || object->n_slots)
        return 0;
    while (n_slots < object->n_properties * 2)
        n_slots *= 2;
    object->slots = haft_arena_zalloc(schema->arena, n_slots, sizeof *object->slots);
    if (!object->slots)
        return HAFT_ENOMEM;
    object->n_slots = n_slots;
    for (size_t i = 0; i < object->n_properties; i++) {
        size_t at = hash_bytes(object->properties[i].name, object->properties[i].size);

        while (object->slots[at & (n_slots - 1)])
            at++;
        object->slots[at & (n_slots - 1)] = (uint32_t)i + 1;
    }
    return 0;
}

/* The children of a node in one order, for a walk without recursion: the i-th, or NULL past the end
 * (with *ret_more false).  Absent children are NULL with *ret_more true. */
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

enum colour { WHITE, GREY, BLACK };

struct visit {
    struct node *node;
    size_t next;
};

/* What a reference leads to is what is written, so it is that which recurses too. */
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

/* Depth-first over what the root reaches: a node met again while it is still open recurses. */
static int mark_recursive(haft_schema *schema, haft_reason *reterr_error)
{
    arena_mark mark = arena_save(schema->arena);
    struct visit *stack = haft_arena_alloc(schema->arena, schema->n_nodes * sizeof *stack);
    unsigned char *colours = haft_arena_zalloc(schema->arena, schema->n_nodes, 1);
    size_t depth = 0;

    if (!stack || !colours)
        return error_set(reterr_error, HAFT_ENOMEM, NULL, "out of memory");
    stack[depth++] = (struct visit){schema->root, 0};
    colours[schema->root->id] = GREY;
    while (depth) {
        struct visit *top = &stack[depth - 1];
        bool more;
        /* Nodes are const to each other and belong to the schema that is being made. */
        struct node *next = (struct node *)(uintptr_t)child(top->node, top->next++, &more);

        if (!more) {
            colours[top->node->id] = BLACK;
            depth--;
        } else if (next && colours[next->id] == GREY) {
            mark_written(next);
        } else if (next && colours[next->id] == WHITE) {
            if (depth == schema->max_depth * NODES_A_LEVEL)
                return error_set(reterr_error, HAFT_EDEPTH, NULL,
                                 "the schema is nested deeper than %zu levels", schema->max_depth);
            colours[next->id] = GREY;
            stack[depth++] = (struct visit){next, 0};
        }
    }
    arena_rewind(schema->arena, mark);
    return 0;
}

/* A node that is done when its type, its structure and its checks are. */
static bool is_plain(const struct node *node)
{
    return !node->never && !node->nullable && !node->values && !node->n_rules && !node->tracks &&
           !node->resource && node->store != STORE_POINTER;
}

/* An object whose keys are its properties or an issue. */
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

/* Whether the rules of a node look at every part of a container that passes.  A value that has
 * parts nobody looks at is searched for depth and duplicate keys before the walk. */
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

/* Says where in a default something is wrong, and what. */
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
    error_set(reterr_error, status == HAFT_EISSUES ? HAFT_ESCHEMA : status,
              path.status ? property->name : path.data,
              "the default does not fit its own schema: %s",
              issues->count ? issues->list[0].message : haft_strerror(status));
    haft_buffer_finish(&path);
    return status == HAFT_EISSUES ? HAFT_ESCHEMA : status;
}

/* A default of a declared type is decoded as it will be, with all that it leaves to other
 * defaults. */
static int check_default(const haft_schema *schema, const struct node *node,
                         const struct property *property, haft_arena *arena,
                         haft_reason *reterr_error)
{
    struct place place = {NULL, &property->member};
    haft_issues issues = {0};
    int status;

    if (schema->typed && node->store == STORE_STRUCT) {
        place.base = haft_arena_zalloc(arena, 1, node->size);
        if (!place.base)
            return HAFT_ENOMEM;
    }
    status = walk_run(schema, property->node, property->fallback, arena, place, &issues);
    if (!status || status == HAFT_ENOMEM)
        return status;
    return refuse_default(property, &issues, status, arena_allocator(arena), reterr_error);
}

static int check_defaults(haft_schema *schema, haft_reason *reterr_error)
{
    haft_arena *arena = NULL;
    int status = 0;

    for (const struct node *node = schema->nodes; node && !status; node = node->all) {
        for (size_t i = 0; node->object && i < node->object->n_properties && !status; i++) {
            const struct property *property = &node->object->properties[i];

            if (property->presence != PRESENCE_DEFAULT)
                continue;
            if (!arena)
                arena = haft_arena_new(arena_allocator(schema->arena), DEFAULT_MEMORY);
            status =
                arena ? check_default(schema, node, property, arena, reterr_error) : HAFT_ENOMEM;
        }
    }
    haft_arena_free(arena);
    return status;
}

int schema_finish(haft_schema *schema, struct node *root, haft_reason *reterr_error)
{
    int status = 0;

    schema->root = root;
    schema->covered = true;
    for (struct node *node = schema->nodes; node && !status; node = node->all) {
        schema->covered = schema->covered && is_covered(node);
        schema->secrets = schema->secrets || node->secret;
        schema->headers = schema->headers || has_headers(node->object);
        node->plain = is_plain(node);
        if (node->object) {
            node->object->simple = is_simple(node->object);
            status = index_properties(schema, node->object);
        }
        quick_prepare(node);
    }
    schema->reads = quick_reads(schema);
    if (!status)
        status = mark_recursive(schema, reterr_error);
    if (!status)
        status = check_defaults(schema, reterr_error);
    if (status == HAFT_ENOMEM)
        error_set(reterr_error, status, NULL, "out of memory");
    if (status)
        haft_schema_free(schema);
    return status;
}
