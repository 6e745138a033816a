/* shape.c - the rules of "shaping", and the shapes of tools.
 *
 * Rules and sets are counted: a later configuration with the same entry uses the rule again. A tool that is
 * replaced gets a new shape, so what was cached of the old one is not found any more. */
#include "gateway/shape.h"

#include <stdio.h>
#include <string.h>

#include "config/unit.h"

enum {
    SHAPE_RULE_ARENA = 32 << 20,
    SHAPE_TOOL_ARENA = 16 << 20,
    SHAPE_TEXT = 1 << 20,
    SHAPE_PLACE = 64
};

struct shape_set {
    struct shaping shaping; /* must be first */
    haft_arena *arena;      /* holds it */
    struct shape_rule **rules;
    size_t n;
};

/* ---- a rule ---- */

static void shape_rule_release(struct module *module)
{
    struct shape_rule *rule = (struct shape_rule *)module;

    hf_shape_cache_finish(&rule->cache);
    if (rule->has_lock)
        uv_mutex_destroy(&rule->lock);
    haft_arena_free(rule->arena);
}

static int shape_rule_read_cache(struct shape_rule *rule, const shape_cache_entry *entry,
                                 haft_reason *reterr_reason)
{
    const char *text = entry->bytes;
    uint64_t bytes;

    if (!hf_unit_read_digits(&text, &bytes) || !hf_unit_read(hf_unit_sizes, text, &bytes) ||
        !bytes || bytes > SIZE_MAX / 2)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "cache.bytes",
                            "expected a size such as 8MiB");
    rule->seconds = entry->seconds;
    rule->shared = entry->shared;
    return hf_shape_cache_init(&rule->cache, (size_t)entry->entries, (size_t)bytes, rule->arena);
}

/* Reads paths; the place of an error is "keep.0". */
static int shape_rule_read_paths(struct shape_rule *rule, const char *member,
                                 const char *const *texts, size_t n, struct shape_paths *ret_paths,
                                 haft_reason *reterr_reason)
{
    haft_reason reason = {.code = 0};
    int status = hf_shape_paths_read(ret_paths, texts, n, rule->arena, &reason);
    char place[SHAPE_PLACE];

    if (status != HAFT_EINVAL)
        return status;
    snprintf(place, sizeof place, "%s%s%.16s", member, *reason.path ? "." : "", reason.path);
    return hf_error_set(reterr_reason, status, place, "%s", reason.text);
}

static int shape_rule_read(struct shape_rule *rule, const shape_entry *entry,
                           haft_reason *reterr_reason)
{
    struct shape_projection *projection = &rule->projection;
    int status = shape_rule_read_paths(rule, "keep", entry->keep, entry->n_keep, &projection->keep,
                                       reterr_reason);

    if (!status)
        status = shape_rule_read_paths(rule, "drop", entry->drop, entry->n_drop, &projection->drop,
                                       reterr_reason);
    projection->max_items = entry->has_max_items ? (uint64_t)entry->max_items : 0;
    rule->projects = projection->keep.n || projection->drop.n || projection->max_items;
    rule->max_bytes = entry->has_max_bytes ? (uint64_t)entry->max_bytes : 0;
    rule->coalesces = entry->coalesce;
    if (!status && entry->has_cache)
        status = shape_rule_read_cache(rule, &entry->cache, reterr_reason);
    if (!status && !rule->projects && !rule->max_bytes && !rule->seconds && !rule->coalesces)
        status = hf_error_set(
            reterr_reason, HAFT_EINVAL, "",
            "expected at least one of keep, drop, max_items, max_bytes, cache and coalesce");
    rule->tools = haft_arena_copy(rule->arena, entry->tools, strlen(entry->tools));
    return status ? status : rule->tools ? 0 : HAFT_ENOMEM;
}

static int shape_rule_new(const haft_allocator *allocator, const shape_entry *entry,
                          const char *text, struct shape_rule **ret_rule,
                          haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(allocator, SHAPE_RULE_ARENA);
    struct shape_rule *rule = arena ? haft_arena_zalloc(arena, 1, sizeof *rule) : NULL;
    int status;

    if (!rule) {
        haft_arena_free(arena);
        return HAFT_ENOMEM;
    }
    hf_module_init(&rule->module, shape_rule_release);
    rule->allocator = allocator;
    rule->arena = arena;
    rule->text = haft_arena_copy(arena, text, strlen(text));
    rule->has_lock = !uv_mutex_init(&rule->lock);
    status =
        rule->text && rule->has_lock ? shape_rule_read(rule, entry, reterr_reason) : HAFT_ENOMEM;
    if (status)
        hf_module_drop(&rule->module);
    else
        *ret_rule = rule;
    return status;
}

/* ---- the shape of a tool ---- */

static void tool_shape_release(struct module *module)
{
    struct tool_shape *shape = (struct tool_shape *)(void *)module;
    struct shape_rule *rule = shape->rule;

    uv_mutex_lock(&rule->lock);
    hf_shape_cache_purge(&rule->cache, shape->serial);
    uv_mutex_unlock(&rule->lock);
    haft_arena_free(shape->arena);
    hf_module_drop(&rule->module);
}

/* Finds the arguments of the tool by whose names one would expect less of it. */
static int tool_shape_find_fewer(struct tool_shape *shape, const struct text *rest)
{
    static const char *const names[] = {
        "limit",  "page",   "page_size", "pageSize",    "per_page",   "perPage", "first",
        "count",  "offset", "cursor",    "max_results", "maxResults", "top",     "filter",
        "fields", "select", "query",     "search",      "since",      "until"};
    yyjson_val *listing, *properties;
    haft_arena *arena = haft_arena_new(shape->allocator, SHAPE_TOOL_ARENA);
    char *text = arena ? haft_arena_copy(arena, rest->data, rest->size) : NULL;
    const char *reason;
    size_t offset;
    int status = text ? 0 : HAFT_ENOMEM;

    if (text)
        *text = '{'; /* a comma */
    if (text && !hf_json_parse(text, rest->size, arena, &listing, &offset, &reason)) {
        properties = yyjson_obj_get(yyjson_obj_get(listing, "inputSchema"), "properties");
        for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++) {
            if (!yyjson_obj_get(properties, names[i]))
                continue;
            shape->fewer =
                haft_arena_printf(shape->arena, "%s%s%s", shape->fewer ? shape->fewer : "",
                                  shape->fewer ? ", " : "", names[i]);
            status = shape->fewer ? 0 : HAFT_ENOMEM;
        }
    }
    haft_arena_free(arena);
    return status;
}

/* Results no longer match the output schema, so it is not listed. */
static int tool_shape_list(struct tool_shape *shape, const struct item *item)
{
    haft_buffer rest;
    struct text text;

    if (!shape->rule->projects && !shape->rule->max_bytes)
        return 0;
    if (item->output) {
        haft_buffer_init(&rest, shape->allocator, SHAPE_TOOL_ARENA);
        hf_tool_put_bare(&rest, item);
        text = hf_text_of(shape->arena, &rest);
        if (!text.data)
            return HAFT_ENOMEM;
        shape->shape.rest[LEGACY] = shape->shape.rest[MODERN] = text;
    }
    return tool_shape_find_fewer(shape, &item->rest[MODERN]);
}

static struct tool_shape *tool_shape_new(struct shape_rule *rule, const struct item *item)
{
    haft_arena *arena = haft_arena_new(rule->allocator, SHAPE_TOOL_ARENA);
    struct tool_shape *shape = arena ? haft_arena_zalloc(arena, 1, sizeof *shape) : NULL;

    if (!shape) {
        haft_arena_free(arena);
        return NULL;
    }
    hf_module_init(&shape->shape.module, tool_shape_release);
    shape->allocator = rule->allocator;
    shape->arena = arena;
    shape->rule = (struct shape_rule *)hf_module_take(&rule->module);
    shape->reads_only = item->tool->annotations.read_only == HAFT_YES;
    uv_mutex_lock(&rule->lock);
    shape->serial = ++rule->n_serials;
    uv_mutex_unlock(&rule->lock);
    if (!tool_shape_list(shape, item))
        return shape;
    hf_module_drop(&shape->shape.module);
    return NULL;
}

/* ---- the set ---- */

/* The first rule for a tool applies. */
static int shape_set_find(struct shaping *shaping, const struct item *item,
                          struct result_shape *before, struct result_shape **ret_shape)
{
    const struct shape_set *set = (struct shape_set *)(void *)shaping;
    struct tool_shape *old = (struct tool_shape *)(void *)before, *shape;
    size_t i = 0;

    *ret_shape = NULL;
    while (i < set->n && !hf_glob_list_allows(set->rules[i]->tools, item->name))
        i++;
    if (i == set->n)
        return 0;
    if (old && old->rule == set->rules[i]) {
        hf_module_take(&before->module);
        *ret_shape = before;
        return 0;
    }
    shape = tool_shape_new(set->rules[i], item);
    *ret_shape = shape ? &shape->shape : NULL;
    return shape ? 0 : HAFT_ENOMEM;
}

static void shape_set_release(struct module *module)
{
    struct shape_set *set = (struct shape_set *)(void *)module;

    for (size_t i = 0; i < set->n; i++)
        hf_module_drop(&set->rules[i]->module);
    haft_arena_free(set->arena);
}

static struct shape_set *shape_set_new(const haft_allocator *allocator, size_t n)
{
    haft_arena *arena = haft_arena_new(allocator, SHAPE_RULE_ARENA);
    struct shape_set *set = arena ? haft_arena_zalloc(arena, 1, sizeof *set) : NULL;

    if (set)
        set->rules = haft_arena_zalloc(arena, n + 1, sizeof(struct shape_rule *));
    if (!set || !set->rules) {
        haft_arena_free(arena);
        return NULL;
    }
    hf_module_init(&set->shaping.module, shape_set_release);
    set->shaping.find = shape_set_find;
    set->arena = arena;
    return set;
}

/* ---- configuration ---- */

/* Takes a rule of the active set with this text; NULL if there is none, or the new set has it already. */
static struct shape_rule *shape_set_rule(const struct shape_set *now, const struct shape_set *set,
                                         const char *text)
{
    for (size_t i = 0; now && i < now->n; i++) {
        size_t k = 0;

        if (strcmp(now->rules[i]->text, text) != 0)
            continue;
        while (k < set->n && set->rules[k] != now->rules[i])
            k++;
        if (k == set->n)
            return (struct shape_rule *)hf_module_take(&now->rules[i]->module);
    }
    return NULL;
}

static int shaping_add(const struct configuration *configuration, struct shape_set *set,
                       const shape_entry *entry, haft_value *value, haft_reason *reterr_reason)
{
    const haft_gateway *gateway = configuration->gateway;
    const struct shape_set *now = (struct shape_set *)(void *)gateway->now->shaping;
    struct shape_rule *rule = NULL;
    haft_reason reason = {.code = 0};
    char place[SHAPE_PLACE];
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, SHAPE_TEXT);
    haft_json_write(value, &text);
    haft_buffer_add(&text, "", 1);
    status = text.status;
    if (!status)
        rule = shape_set_rule(now, set, text.data);
    if (!status && !rule)
        status = shape_rule_new(gateway->allocator, entry, text.data, &rule, &reason);
    haft_buffer_finish(&text);
    if (!status) {
        set->rules[set->n++] = rule;
        return 0;
    }
    snprintf(place, sizeof place, "shaping.%zu%s%.32s", set->n, *reason.path ? "." : "",
             reason.path);
    return hf_error_set(reterr_reason, status, place, "%s",
                        reason.code ? reason.text : haft_strerror(status));
}

/* Whether the active set has the same rules. */
static bool shape_sets_equal(const struct shape_set *left, const struct shape_set *right)
{
    return left && left->n == right->n &&
           (!left->n || !memcmp(left->rules, right->rules, left->n * sizeof *left->rules));
}

int hf_shaping_configure(const struct configuration *configuration, const gateway_section *section,
                         haft_value *value, haft_reason *reterr_reason)
{
    const haft_gateway *gateway = configuration->gateway;
    struct shaping *now = gateway->now->shaping;
    haft_value *entries = yyjson_obj_get(value, "shaping");
    struct shape_set *set;
    int status = 0;

    if (!section->n_shaping && !now)
        return 0;
    set = shape_set_new(gateway->allocator, section->n_shaping);
    if (!set)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < section->n_shaping && !status; i++)
        status = shaping_add(configuration, set, &section->shaping[i], yyjson_arr_get(entries, i),
                             reterr_reason);
    if (!status)
        gateway->adding->shaping = shape_sets_equal((struct shape_set *)(void *)now, set)
                                       ? (struct shaping *)hf_module_take(&now->module)
                                       : (struct shaping *)hf_module_take(&set->shaping.module);
    hf_module_drop(&set->shaping.module);
    return status;
}

int hf_shaping_check(const struct catalogue *catalogue, haft_reason *reterr_reason)
{
    const struct offer_list *tools = &catalogue->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < tools->n; i++) {
        const struct tool_shape *shape = entry_shape(&tools->entries[i]);

        if (!shape || shape->reads_only || (!shape->rule->seconds && !shape->rule->coalesces))
            continue;
        return hf_error_set(
            reterr_reason, HAFT_EINVAL, "shaping",
            "\"%s\" of the rule for \"%s\" applies to %s, which is not read-only: its annotation readOnlyHint is not true; exclude it from \"tools\", or put it into a rule of its own before this one",
            shape->rule->seconds ? "cache" : "coalesce", shape->rule->tools,
            tools->entries[i].item->name);
    }
    return 0;
}

void hf_shaping_warn(haft_server *server)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    haft_reason reason;

    if (catalogue->shaping && hf_shaping_check(catalogue, &reason))
        hf_server_log(server, HAFT_WARNING, "shaping: %s", reason.text);
    hf_catalogue_drop(catalogue);
}
