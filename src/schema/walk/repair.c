/* repair.c - repairs a rejected value: parses strings where no string is accepted.
 *
 * The traversal follows the same nodes as validation and returns the value or a modified copy. A
 * string is JSON of one type or not JSON, so parsing is never a guess; of a union's options, the
 * only one that a repair makes valid is chosen. */
#include "schema/walk/repair.h"

#include <string.h>

#include "schema/walk/walk.h"

/* Limits of one repair: nodes visited and values copied; depth of references; depth to which
 * alternatives are followed to determine types. */
enum {
    MAX_STEPS = 1000000,
    REPAIR_MAX_FRAMES = 512,
    MAX_ACCEPTS_DEPTH = 16,
    MAX_ACCEPTS_STEPS = 1024
};

/* Repairs made, latest first, so that those of an alternative can be undone. */
struct made {
    const struct made *before;
    struct repair repair;
    size_t n; /* number, including earlier ones */
};

struct mender {
    struct walk walk; /* for trying alternatives; its steps and status are those of the repair */
    const struct made *latest;
};

static yyjson_val *mend(struct mender *m, const struct node *node, yyjson_val *value,
                        const struct path *at);

static bool spend(struct mender *m, size_t steps)
{
    if (m->walk.status || m->walk.steps <= steps) {
        hf_walk_stop(&m->walk, HAFT_ESTEPS);
        return false;
    }
    m->walk.steps -= steps;
    return true;
}

/* ---- what is accepted ---- */

static unsigned accepts(const struct node *node, size_t depth, size_t *steps);

static unsigned types_of_values(yyjson_val *values)
{
    static const uint8_t types[8] = {
        [YYJSON_TYPE_NULL] = TYPE_NULL,  [YYJSON_TYPE_BOOL] = TYPE_BOOLEAN,
        [YYJSON_TYPE_NUM] = TYPE_NUMBER, [YYJSON_TYPE_STR] = TYPE_STRING,
        [YYJSON_TYPE_ARR] = TYPE_ARRAY,  [YYJSON_TYPE_OBJ] = TYPE_OBJECT,
    };
    unsigned found = 0;
    size_t i, n;
    yyjson_val *value;

    yyjson_arr_foreach(values, i, n, value)
        found |= types[yyjson_get_type(value)];
    return found;
}

static unsigned accepts_by_rule(const struct rule *rule, size_t depth, size_t *steps)
{
    bool any = rule->op == RULE_ANY || rule->op == RULE_ONE || rule->op == RULE_DISCRIMINATED;
    unsigned types = any ? 0 : TYPE_ANY;

    if (rule->op == RULE_NOT || rule->op == RULE_IF || rule->op == RULE_DYNAMIC_REF)
        return TYPE_ANY;
    for (size_t i = 0; i < rule->n_nodes; i++) {
        unsigned option = accepts(rule->nodes[i], depth + 1, steps);

        types = any ? types | option : types & option;
    }
    return rule->op == RULE_DISCRIMINATED ? types & TYPE_OBJECT : types;
}

static unsigned accepts(const struct node *node, size_t depth, size_t *steps)
{
    unsigned types = node->types;

    /* Beyond the limit anything may be accepted, so nothing is repaired. */
    if (depth == MAX_ACCEPTS_DEPTH || !*steps)
        return TYPE_ANY;
    --*steps;
    if (node->never)
        return 0;
    if (node->values)
        types &= types_of_values(node->values);
    for (size_t i = 0; i < node->n_rules && types; i++)
        types &= accepts_by_rule(&node->rules[i], depth, steps);
    return node->nullable ? types | TYPE_NULL : types;
}

unsigned hf_node_accepts(const struct node *node)
{
    size_t steps = MAX_ACCEPTS_STEPS;

    return accepts(node, 0, &steps);
}

/* ---- strings ---- */

/* The type of a JSON text, by its first character. */
static unsigned type_of_text(char first)
{
    switch (first) {
    case '{':
        return TYPE_OBJECT;
    case '[':
        return TYPE_ARRAY;
    case 't':
    case 'f':
        return TYPE_BOOLEAN;
    case 'n':
        return TYPE_NULL;
    default:
        return first == '-' || (first >= '0' && first <= '9') ? TYPE_NUMBER : 0;
    }
}

static void repair_record(struct mender *m, const struct path *at, const yyjson_val *value)
{
    struct made *made = haft_arena_alloc(m->walk.arena, sizeof *made);
    haft_step *path;
    size_t n = 0;

    for (const struct path *up = at; up; up = up->up)
        n++;
    path = haft_arena_alloc(m->walk.arena, n * sizeof *path + 1);
    if (!made || !path) {
        hf_walk_stop(&m->walk, HAFT_ENOMEM);
        return;
    }
    *made = (struct made){m->latest, {path, n, hf_json_type_name(value)}, 1};
    made->n += m->latest ? m->latest->n : 0;
    m->latest = made;
    for (; at; at = at->up)
        path[--n] = (haft_step){at->key, at->index};
}

/* Parses the string if the result has an accepted type and strings are not accepted; otherwise
 * returns it unchanged. */
static yyjson_val *repair_mend_text(struct mender *m, const struct node *node, yyjson_val *value,
                                    const struct path *at)
{
    const char *text = unsafe_yyjson_get_str(value), *reason;
    size_t size = unsafe_yyjson_get_len(value), blank = 0, offset;
    unsigned types, type;
    yyjson_val *made = NULL;
    int status;

    while (blank < size && memchr(" \t\r\n", text[blank], 4))
        blank++;
    type = blank < size ? type_of_text(text[blank]) : 0;
    if (!type || ((node->types & type) == 0 && !node->nullable))
        return value;
    types = hf_node_accepts(node);
    if (types & TYPE_STRING || !(types & type))
        return value;
    /* White space is allowed around an object or array, but not around a scalar. */
    if (!(type & (TYPE_OBJECT | TYPE_ARRAY)) && (blank || memchr(" \t\r\n", text[size - 1], 4)))
        return value;
    if (hf_json_text_is_deep(text, size, m->walk.schema->max_depth) || !spend(m, size))
        return value;
    status = hf_json_parse(text, size, m->walk.arena, &made, &offset, &reason);
    if (status == HAFT_ENOMEM)
        hf_walk_stop(&m->walk, status);
    if (status || (type == TYPE_NUMBER && !(types & TYPE_FRACTION) && !hf_json_is_integral(made)))
        return value;
    repair_record(m, at, made);
    return made;
}

/* ---- containers ---- */

/* Copies the container with other children; each child is a sequence of cells. */
static yyjson_val *rebuild(struct mender *m, yyjson_val *value, yyjson_val *const *children)
{
    bool object = yyjson_is_obj(value);
    size_t n = unsafe_yyjson_get_len(value), total = 1;
    yyjson_val *made, *to, *old = unsafe_yyjson_get_first(value);

    for (size_t i = 0; i < n; i++)
        total += (size_t)(unsafe_yyjson_get_next(children[i]) - children[i]) + object;
    if (!spend(m, total))
        return value;
    made = haft_arena_alloc(m->walk.arena, total * sizeof *made);
    if (!made) {
        hf_walk_stop(&m->walk, HAFT_ENOMEM);
        return value;
    }
    *made = (yyjson_val){.tag = value->tag, .uni.ofs = total * sizeof *made};
    to = made + 1;
    for (size_t i = 0; i < n; i++) {
        size_t size = (size_t)(unsafe_yyjson_get_next(children[i]) - children[i]);

        if (object)
            *to++ = *old++;
        memcpy(to, children[i], size * sizeof *to);
        to += size;
        old = unsafe_yyjson_get_next(old);
    }
    return made;
}

static yyjson_val *mend_member(struct mender *m, const struct object *object, yyjson_val *key,
                               yyjson_val *item, const struct path *at)
{
    const char *name = unsafe_yyjson_get_str(key);
    size_t size = unsafe_yyjson_get_len(key);
    const struct property *property = hf_object_property(object, name, size);
    struct path here = {at, name, 0};
    bool known = property != NULL;

    if (property)
        item = mend(m, property->node, item, &here);
    for (size_t i = 0; i < object->n_patterns && !m->walk.status; i++) {
        int matched = hf_pattern_match(object->patterns[i].pattern, &m->walk.scratch, name, size);

        if (matched < 0)
            hf_walk_stop(&m->walk, matched);
        known = known || matched > 0;
        if (matched > 0)
            item = mend(m, object->patterns[i].node, item, &here);
    }
    if (!known && object->extra == EXTRA_CHECK)
        item = mend(m, object->extra_node, item, &here);
    return item;
}

static yyjson_val *mend_members(struct mender *m, const struct node *node, yyjson_val *value,
                                const struct path *at)
{
    size_t i, n = unsafe_yyjson_get_len(value);
    yyjson_val **items = haft_arena_alloc(m->walk.arena, n * sizeof *items + 1), *key, *item;
    bool changed = false;

    if (!items) {
        hf_walk_stop(&m->walk, HAFT_ENOMEM);
        return value;
    }
    yyjson_obj_foreach(value, i, n, key, item) {
        items[i] = mend_member(m, node->object, key, item, at);
        changed = changed || items[i] != item;
    }
    value = changed && !m->walk.status ? rebuild(m, value, items) : value;
    for (i = 0; i < node->object->n_dependents; i++) {
        const struct dependent *dependent = &node->object->dependents[i];

        if (dependent->node && yyjson_obj_getn(value, dependent->name, dependent->size))
            value = mend(m, dependent->node, value, at);
    }
    return value;
}

static yyjson_val *mend_items(struct mender *m, const struct array *array, yyjson_val *value,
                              const struct path *at)
{
    size_t i, n = unsafe_yyjson_get_len(value);
    yyjson_val **items = haft_arena_alloc(m->walk.arena, n * sizeof *items + 1), *item;
    bool changed = false;

    if (!items) {
        hf_walk_stop(&m->walk, HAFT_ENOMEM);
        return value;
    }
    yyjson_arr_foreach(value, i, n, item) {
        const struct node *node = i < array->n_prefix ? array->prefix[i] : array->items;

        items[i] = node ? mend(m, node, item, &(struct path){at, NULL, i}) : item;
        changed = changed || items[i] != item;
    }
    return changed && !m->walk.status ? rebuild(m, value, items) : value;
}

static yyjson_val *mend_inside(struct mender *m, const struct node *node, yyjson_val *value,
                               const struct path *at)
{
    bool object = node->object && yyjson_is_obj(value), array = node->array && yyjson_is_arr(value);

    if ((!object && !array) || m->walk.depth == m->walk.schema->max_depth)
        return value;
    m->walk.depth++;
    value = object ? mend_members(m, node, value, at) : mend_items(m, node->array, value, at);
    m->walk.depth--;
    return value;
}

/* ---- alternatives ---- */

/* Does nothing if an option accepts the value as it is, or if two accept different repairs. */
static yyjson_val *mend_union(struct mender *m, const struct rule *rule, yyjson_val *value,
                              const struct path *at)
{
    const struct made *before = m->latest, *after = before;
    yyjson_val *found = NULL;

    if (yyjson_is_str(value))
        return value;
    for (size_t i = 0; i < rule->n_nodes; i++)
        if (!hf_walk_quiet(&m->walk, rule->nodes[i], value, at, NULL))
            return value;
    for (size_t i = 0; i < rule->n_nodes && !m->walk.status; i++) {
        yyjson_val *made;

        m->latest = before;
        made = mend(m, rule->nodes[i], value, at);
        if (made == value || hf_walk_quiet(&m->walk, rule->nodes[i], made, at, NULL))
            continue;
        if (found && hf_json_equal(found, made, m->walk.arena) != 1) {
            found = NULL;
            break;
        }
        found = made;
        after = m->latest;
    }
    m->latest = found ? after : before;
    return found ? found : value;
}

static yyjson_val *mend_rule(struct mender *m, const struct rule *rule, yyjson_val *value,
                             const struct path *at)
{
    const struct node *next = NULL;
    size_t i;

    switch ((enum rule_op)rule->op) {
    case RULE_ALL:
        for (i = 0; i < rule->n_nodes; i++)
            value = mend(m, rule->nodes[i], value, at);
        break;
    case RULE_ANY:
    case RULE_ONE:
        return mend_union(m, rule, value, at);
    case RULE_DISCRIMINATED:
        i = yyjson_is_obj(value)
                ? hf_walk_find_tagged(&m->walk, rule, yyjson_obj_get(value, rule->text))
                : rule->n_nodes;
        next = i < rule->n_nodes ? rule->nodes[i] : NULL;
        break;
    case RULE_NOT:
        break;
    case RULE_IF:
        next = rule->nodes[hf_walk_quiet(&m->walk, rule->nodes[0], value, at, NULL) ? 2 : 1];
        break;
    case RULE_REF:
        next = rule->nodes[0];
        break;
    case RULE_DYNAMIC_REF:
        next = hf_walk_find_dynamic(&m->walk, rule);
        break;
    }
    return next ? mend(m, next, value, at) : value;
}

/* ---- the whole ---- */

static yyjson_val *mend(struct mender *m, const struct node *node, yyjson_val *value,
                        const struct path *at)
{
    const struct scope *outer = m->walk.scope;
    struct scope scope = {outer, node->resource};

    if (!spend(m, 1))
        return value;
    if (m->walk.frames >= REPAIR_MAX_FRAMES) {
        hf_walk_stop(&m->walk, HAFT_ESTEPS);
        return value;
    }
    if (node->resource && (!outer || outer->resource != node->resource))
        m->walk.scope = &scope;
    m->walk.frames++;
    if (yyjson_is_str(value))
        value = repair_mend_text(m, node, value, at);
    value = mend_inside(m, node, value, at);
    for (size_t i = 0; i < node->n_rules && !m->walk.status; i++)
        value = mend_rule(m, &node->rules[i], value, at);
    m->walk.frames--;
    m->walk.scope = outer;
    return value;
}

int hf_schema_repair(const haft_schema *schema, yyjson_val *value, haft_arena *arena,
                     struct repairs *ret_repairs, yyjson_val **ret_value)
{
    struct mender m = {
        .walk = {
            .schema = schema, .arena = arena, .scratch = {.arena = arena}, .steps = MAX_STEPS}};
    yyjson_val *made;

    ret_repairs->n = 0;
    *ret_value = value;
    if (hf_json_is_deep(value, schema->max_depth))
        return 0;
    made = mend(&m, schema->root, value, NULL);
    if (m.walk.status)
        return m.walk.status;
    *ret_value = made;
    ret_repairs->n = m.latest ? m.latest->n : 0;
    for (const struct made *one = m.latest; one; one = one->before)
        if (one->n <= REPAIRS_LISTED)
            ret_repairs->list[one->n - 1] = one->repair;
    return (int)ret_repairs->n;
}

static int repair_judge(const haft_schema *schema, yyjson_val *value, haft_arena *arena, void *to,
                        haft_issues *issues)
{
    return to ? haft_schema_decode(schema, value, arena, to, issues)
              : haft_schema_validate(schema, value, arena, issues);
}

int hf_schema_read_leniently(const haft_schema *schema, yyjson_val **value, haft_arena *arena,
                             void *to, haft_issues *reterr_issues, struct repairs *ret_repairs)
{
    int status = repair_judge(schema, *value, arena, to, reterr_issues);
    haft_issues issues = {0};
    yyjson_val *made;

    ret_repairs->n = 0;
    if (status != HAFT_EISSUES)
        return status;
    if (hf_schema_repair(schema, *value, arena, ret_repairs, &made) <= 0 ||
        repair_judge(schema, made, arena, to, &issues)) {
        ret_repairs->n = 0;
        return status;
    }
    *value = made;
    *reterr_issues = issues;
    return 0;
}
