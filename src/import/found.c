/* found.c - the operations of a document, and their names.
 *
 * Names are given to all operations, before any is left out: a selection does not change the names of the
 * others. */
#include <string.h>

#include "import/found.h"
#include "import/name.h"

static const struct {
    const char *key, *method;
} found_methods[] = {
    {"get", "GET"},         {"put", "PUT"},   {"post", "POST"},   {"delete", "DELETE"},
    {"options", "OPTIONS"}, {"head", "HEAD"}, {"patch", "PATCH"}, {"trace", "TRACE"},
};

/* A list that is being filled, in the cache's work arena. */
struct found_list {
    const struct import_document *document;
    struct import_found *items;
    size_t n, room;
    bool *changed; /* changes that are for one of them */
};

static struct import_found *found_add(struct found_list *list)
{
    size_t room = list->room ? list->room * 2 : 64;
    struct import_found *items;

    if (list->n == list->room) {
        items = haft_arena_zalloc(list->document->cache->work, room, sizeof *items);
        if (!items)
            return NULL;
        if (list->n)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->room = room;
    }
    return &list->items[list->n++];
}

static const struct import_change *found_change(struct found_list *list,
                                                const struct import_found *found)
{
    const struct import_options *options = list->document->options;

    for (size_t i = 0; i < options->n_changes; i++) {
        const char *wanted = options->changes[i].operation;

        if ((found->id && !strcmp(wanted, found->id)) || !strcmp(wanted, found->place)) {
            list->changed[i] = true;
            return &options->changes[i];
        }
    }
    return NULL;
}

/* ---- paths ---- */

static int found_add_operation(struct found_list *list, const char *path, const char *method,
                               yyjson_val *item, yyjson_val *operation)
{
    haft_arena *arena = list->document->import->arena;
    struct import_found *found = found_add(list);
    haft_reason reason = {0};

    if (!found)
        return HAFT_ENOMEM;
    /* The specification has no references here, but documents in several files do. */
    operation = hf_import_resolve(list->document, operation, &reason);
    if (reason.code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    *found =
        (struct import_found){.path = path, .method = method, .item = item, .operation = operation};
    found->id = yyjson_get_str(yyjson_obj_get(operation, "operationId"));
    if (found->id && !*found->id)
        found->id = NULL;
    found->place = haft_arena_printf(arena, "%s %s", method, path);
    found->failure = operation ? NULL : haft_arena_printf(arena, "%s", reason.text);
    if (!found->place || (!operation && !found->failure))
        return HAFT_ENOMEM;
    if (operation && !yyjson_is_obj(operation))
        found->failure = "the operation is not an object";
    else if (operation && *path != '/')
        found->failure = "the path does not begin with /";
    found->change = found_change(list, found);
    return 0;
}

/* A path that cannot be read becomes one refusal. */
static int found_add_failure(struct found_list *list, const char *path, const char *failure)
{
    haft_arena *arena = list->document->import->arena;
    struct import_found *found = found_add(list);

    if (!found)
        return HAFT_ENOMEM;
    *found = (struct import_found){.path = path, .place = path};
    found->failure = haft_arena_copy(arena, failure, strlen(failure));
    return found->failure ? 0 : HAFT_ENOMEM;
}

static int found_add_path(struct found_list *list, const char *path, yyjson_val *item)
{
    yyjson_obj_iter all;
    haft_reason reason;
    yyjson_val *key;
    int status = 0;

    item = hf_import_resolve(list->document, item, &reason);
    if (!item)
        return reason.code == HAFT_ENOMEM ? HAFT_ENOMEM
                                          : found_add_failure(list, path, reason.text);
    if (!yyjson_is_obj(item))
        return found_add_failure(list, path, "the path item is not an object");
    all = yyjson_obj_iter_with(item);
    while (!status && (key = yyjson_obj_iter_next(&all)))
        for (size_t i = 0; i < sizeof found_methods / sizeof *found_methods; i++)
            if (yyjson_equals_str(key, found_methods[i].key)) {
                status = found_add_operation(list, path, found_methods[i].method, item,
                                             yyjson_obj_iter_get_val(key));
                break;
            }
    return status;
}

/* ---- names ---- */

/* What a name is made of: a change, the operationId, or the place. */
static const char *found_base(const struct import_document *document,
                              const struct import_found *found)
{
    char *base;

    if (found->change && found->change->name)
        return found->change->name;
    if (found->id && hf_import_name_has_words(found->id))
        return found->id;
    base = haft_arena_copy(document->import->arena, found->place, strlen(found->place));
    for (char *at = base; at && *at && *at != ' '; at++)
        *at = ascii_lower(*at);
    return base;
}

/* The first operation of a name keeps it; others get digits of a hash of their place. */
static int found_name(const struct import_document *document, struct name_map *names,
                      struct import_found *found)
{
    haft_arena *arena = document->import->arena;
    const char *prefix = document->options->prefix, *base = found_base(document, found);
    const char *apart = found->place;

    found->own_name = base ? hf_import_name_clean(arena, base) : NULL;
    found->name = found->own_name ? hf_import_name(arena, prefix, base) : NULL;
    for (size_t i = 1; found->name; i++) {
        if (!hf_name_map_get(names, found->name, strlen(found->name)))
            return hf_name_map_put(names, document->cache->work, found->name, strlen(found->name),
                                   found);
        if (i > 1)
            apart = haft_arena_printf(arena, "%s %zu", found->place, i);
        found->name = apart ? hf_import_name_apart(arena, prefix, base, apart) : NULL;
    }
    return HAFT_ENOMEM;
}

/* ---- the document ---- */

static int found_check_changes(const struct found_list *list, haft_reason *reason)
{
    const struct import_options *options = list->document->options;

    for (size_t i = 0; i < options->n_changes; i++) {
        struct nearest nearest = hf_nearest_begin(options->changes[i].operation);

        if (list->changed[i])
            continue;
        for (size_t j = 0; j < list->n; j++)
            hf_nearest_offer(&nearest,
                             list->items[j].id ? list->items[j].id : list->items[j].place);
        return hf_error_set(reason, HAFT_EINVAL, options->changes[i].operation,
                            "the document has no operation %.80s%s%.80s%s",
                            options->changes[i].operation, nearest.name ? "; did you mean " : "",
                            nearest.name ? nearest.name : "", nearest.name ? "?" : "");
    }
    return 0;
}

int hf_import_find(const struct import_document *document, struct import_found **ret_found,
                   size_t *ret_n, haft_reason *reterr_reason)
{
    yyjson_obj_iter all = yyjson_obj_iter_with(yyjson_obj_get(document->root, "paths"));
    struct found_list list = {.document = document};
    struct name_map names = {0};
    yyjson_val *key;
    int status = 0;

    list.changed = haft_arena_zalloc(document->cache->work, document->options->n_changes + 1, 1);
    if (!list.changed)
        status = HAFT_ENOMEM;
    while (!status && (key = yyjson_obj_iter_next(&all)))
        if (strncmp(yyjson_get_str(key), "x-", 2))
            status = found_add_path(&list, yyjson_get_str(key), yyjson_obj_iter_get_val(key));
    for (size_t i = 0; i < list.n && !status; i++)
        if (list.items[i].method)
            status = found_name(document, &names, &list.items[i]);
    if (status)
        return hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
    *ret_found = list.items;
    *ret_n = list.n;
    return found_check_changes(&list, reterr_reason);
}
