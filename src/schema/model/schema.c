/* schema.c - construction of compiled schemas, shared by all three front ends.
 *
 * A schema is one arena. Front ends allocate nodes in it and attach rules; hf_schema_finish does
 * what requires all nodes. */
#include <string.h>

#include "json/json.h"
#include "schema/model/node.h"
#include "base/struct.h"

enum {
    DEFAULT_VALUE_DEPTH = 64,
    DEFAULT_NODES = 10000,
    DEFAULT_STEPS = 10000000,
    DEFAULT_ISSUES = 32,
    DEFAULT_MEMORY = 64 << 20,
    DEFAULT_PATTERN_STEPS = 100000
};

size_t hf_type_names(unsigned types, const char *ret_names[TYPE_NAMES])
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

haft_schema *hf_schema_new(const haft_schema_options *options)
{
    haft_schema_options own;
    haft_arena *arena;
    haft_schema *schema;

    if (!hf_struct_read(&own, sizeof own, options))
        return NULL;
    options = &own;
    arena = haft_arena_new(options->allocator, or_default(options->max_memory, DEFAULT_MEMORY));
    if (!arena)
        return NULL;
    schema = haft_arena_zalloc(arena, 1, sizeof *schema);
    if (!schema) {
        haft_arena_free(arena);
        return NULL;
    }
    schema->arena = arena;
    schema->max_depth = or_default(options->max_depth, DEFAULT_VALUE_DEPTH);
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
    hf_patterns_free(schema->patterns);
    haft_arena_free(schema->arena);
}

int hf_node_adopt(haft_schema *schema, struct node *node)
{
    if (schema->n_nodes >= schema->max_nodes)
        return HAFT_ETOOBIG;
    node->id = (uint32_t)schema->n_nodes++;
    node->all = schema->nodes;
    schema->nodes = node;
    return 0;
}

struct node *hf_node_new(haft_schema *schema)
{
    struct node *node = haft_arena_zalloc(schema->arena, 1, sizeof *node);

    if (!node || hf_node_adopt(schema, node))
        return NULL;
    node->types = TYPE_ANY;
    return node;
}

/* Extends an array by one, by copying: schemas are created once and have few rules. */
static void *grown(haft_schema *schema, const void *items, size_t n, size_t size)
{
    void *more = haft_arena_zalloc(schema->arena, n + 1, size);

    if (more && n)
        memcpy(more, items, n * size);
    return more;
}

int hf_node_add_check(haft_schema *schema, struct node *node, const struct check *check)
{
    struct check *checks = grown(schema, node->checks, node->n_checks, sizeof *checks);

    if (!checks)
        return HAFT_ENOMEM;
    checks[node->n_checks++] = *check;
    node->checks = checks;
    return 0;
}

struct rule *hf_node_add_rule(haft_schema *schema, struct node *node, enum rule_op op,
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

struct meta *hf_node_meta(haft_schema *schema, struct node *node)
{
    if (!node->meta)
        node->meta = haft_arena_zalloc(schema->arena, 1, sizeof *node->meta);
    return node->meta;
}

struct object *hf_node_object(haft_schema *schema, struct node *node)
{
    if (!node->object) {
        node->object = haft_arena_zalloc(schema->arena, 1, sizeof *node->object);
        if (node->object)
            node->object->extra = EXTRA_IGNORE;
    }
    return node->object;
}

struct array *hf_node_array(haft_schema *schema, struct node *node)
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

int hf_node_add_pattern(haft_schema *schema, struct node *node, const char *source, size_t size,
                        const char *flags, haft_reason *reterr_error)
{
    struct check check = {.op = CHECK_PATTERN};
    enum { SHOWN = 80 };
    haft_reason why = {0};
    int status = hf_pattern_compile(schema->arena, &schema->patterns, source, size, flags,
                                    schema->pattern_steps, &check.pattern, &why);

    if (!status)
        return hf_node_add_check(schema, node, &check);
    return status == HAFT_EPATTERN
               ? hf_error_set(reterr_error, status, "", "pattern \"%.*s\"%s: %s",
                              (int)(size < SHOWN ? size : SHOWN), source, size < SHOWN ? "" : "...",
                              why.text)
               : hf_error_set(reterr_error, status, "", "%s", why.text);
}

int hf_node_add_format(haft_schema *schema, struct node *node, const struct format *format,
                       haft_reason *reterr_error)
{
    struct check check = {.op = CHECK_FORMAT, .format = format};
    int status = 0;

    if (!format->check)
        status = hf_pattern_compile(schema->arena, &schema->patterns, format->pattern,
                                    strlen(format->pattern), "", schema->pattern_steps,
                                    &check.pattern, reterr_error);
    return status ? status : hf_node_add_check(schema, node, &check);
}

yyjson_val *hf_schema_json(haft_schema *schema, const char *text, size_t size,
                           haft_reason *reterr_error)
{
    return haft_json_read(text, size, schema->max_depth, schema->arena, reterr_error);
}
