/* catalogue_change.c - changes of one item, and of what applies to all: each is made to a copy of the
 * catalogue, again and again until no other thread has made one meanwhile. */
#include <string.h>

#include "base/struct.h"
#include "engine/offer/catalogue_make.h"
#include "engine/offer/event.h"
#include "engine/offer/lint.h"
#include "engine/offer/search.h"
#include "engine/offer/server.h"

/* A change: the entry called `instead` (NULL: none) is replaced by `item` (NULL: removed). */
struct change {
    haft_offer kind;
    const char *instead;
    struct item *item;
    int disabled;                      /* 0, 1, or -1 to leave it as it is */
    bool fresh;                        /* the item was not there before */
    bool keeps;                        /* only `disabled` changes; `item` is not used */
    const struct item *base;           /* what `item` was made from; NULL if it is on its own */
    const haft_visibility *visibility; /* of all tools from now on; NULL to leave it as it is */
    struct access *access;             /* for all items from now on; NULL to leave it as it is */
};

/* Copies a list if the table has room for one more entry without rehashing. */
static bool offer_list_copy(struct offer_list *to, const struct offer_list *from)
{
    if (to->n_slots != from->n_slots)
        return false;
    for (size_t i = 0; i < from->n; i++) {
        atomic_fetch_add(&from->entries[i].item->refs, 1);
        hf_module_take((struct module *)from->entries[i].shape);
    }
    if (from->n)
        memcpy(to->entries, from->entries, from->n * sizeof *to->entries);
    memcpy(to->slots, from->slots, from->n_slots * sizeof *to->slots);
    to->n = from->n;
    to->n_enabled = from->n_enabled;
    to->guarded = from->guarded;
    return true;
}

/* Copies the catalogue with the change applied. */
static struct catalogue *catalogue_with(const struct catalogue *from, const struct change *change,
                                        const struct entry *old)
{
    size_t counts[OFFER_LISTS];
    struct catalogue *to;

    for (int i = 0; i < OFFER_LISTS; i++)
        counts[i] = from->lists[i].n + (i == (int)change->kind);
    to = hf_catalogue_make(from->allocator, counts,
                           change->visibility ? change->visibility : &from->visibility,
                           change->access ? change->access : from->access);
    if (!to)
        return NULL;
    to->search = from->search;
    hf_catalogue_set_shaping(to, from->shaping);
    for (int i = 0; i < OFFER_LISTS; i++) {
        if (change->fresh && !old && offer_list_copy(&to->lists[i], &from->lists[i])) {
            to->guarded |= to->lists[i].guarded;
            continue;
        }
        for (size_t k = 0; k < from->lists[i].n; k++) {
            const struct entry *kept = &from->lists[i].entries[k];

            if (kept != old)
                hf_catalogue_add(to, (haft_offer)i, kept->item, kept->off, kept);
            else if (change->item || change->keeps)
                hf_catalogue_add(to, (haft_offer)i, change->keeps ? kept->item : change->item,
                                 change->disabled < 0 ? kept->off : change->disabled, kept);
        }
    }
    if (change->item && !old)
        hf_catalogue_add(to, change->kind, change->item, change->disabled > 0, NULL);
    return hf_catalogue_complete(to);
}

/* Returns 1 if there is something to change, 0 if it is so already, or an error: HAFT_EBUSY if `base`
 * is no longer offered. */
static int change_check(const struct change *change, const struct offer_list *offers,
                        const struct entry *old)
{
    const struct item *item = change->item;
    const struct entry *taken =
        item ? hf_offer_list_find(offers, item->name, item->name_size) : NULL;

    if (change->instead && !old)
        return HAFT_ENOTFOUND;
    if (old && search_of_item(old->item))
        return HAFT_EINVAL;
    if (taken && taken != old)
        return HAFT_EEXISTS;
    if (change->base && old->item != change->base)
        return HAFT_EBUSY;
    return !change->keeps || old->off != change->disabled;
}

/* The same, and makes the change unless another thread made one meanwhile. */
static int try_change(haft_server *server, const struct change *change, bool *ret_done)
{
    struct catalogue *from = hf_catalogue_take(server), *to;
    const struct offer_list *offers = &from->lists[change->kind];
    struct entry *old = change->instead
                            ? hf_offer_list_find(offers, change->instead, strlen(change->instead))
                            : NULL;
    int status = change_check(change, offers, old);

    *ret_done = true;
    to = status > 0 ? catalogue_with(from, change, old) : NULL;
    if (status > 0 && !to)
        status = HAFT_ENOMEM;
    if (status > 0)
        *ret_done = hf_catalogue_replace(
            server, from, to, change->access ? (1u << OFFER_LISTS) - 1 : 1u << change->kind);
    hf_catalogue_drop(from);
    return status;
}

/* Retries until no other change interferes. Returns 0 or an error; HAFT_EBUSY, which is not
 * reported, if the base of the item is no longer offered. */
static int apply(haft_server *server, const struct change *change)
{
    static const char *const kinds[OFFER_LISTS] = {"Tool", "Resource", "Resource template",
                                                   "Prompt"};
    const char *name = change->instead ? change->instead : change->item ? change->item->name : "";
    bool done = false;
    int status = 0;

    while (!done)
        status = try_change(server, change, &done);
    if (status > 0)
        hf_server_wake(server);
    else if (status == HAFT_EEXISTS)
        hf_server_refuse(server, status, change->item->name, "%s %s is already registered",
                         kinds[change->kind], change->item->name);
    else if (status && status != HAFT_EBUSY)
        hf_server_refuse(server, status, name, "%s %s: %s", kinds[change->kind], name,
                         haft_strerror(status));
    status = status > 0 ? 0 : status;
    if (change->fresh && change->kind == HAFT_OFFER_TOOL && status != HAFT_EBUSY)
        hf_event_of_tool(server, status ? HAFT_EVENT_STORED : HAFT_EVENT_ANNOUNCED,
                         change->item->name, status);
    return status;
}

int hf_catalogue_set_access(haft_server *server, struct access *access)
{
    bool done = false;
    int status = 0;

    while (!done)
        status = try_change(server, &(struct change){.access = access}, &done);
    if (status > 0)
        hf_server_wake(server);
    return status > 0 ? 0 : status;
}

int hf_offer_list_put(haft_server *server, haft_offer kind, struct item *item, const char *instead)
{
    int status = apply(server, &(struct change){.kind = kind,
                                                .instead = instead,
                                                .item = item,
                                                .disabled = instead ? -1 : 0,
                                                .fresh = true});

    hf_item_drop(item);
    return status;
}

int haft_offer_remove(haft_server *server, haft_offer kind, const char *name)
{
    return apply(server, &(struct change){.kind = kind, .instead = name});
}

/* Returns a reference to the current item of that name; NULL if there is none. */
static struct item *item_named(haft_server *server, haft_offer kind, const char *name)
{
    struct catalogue *now = hf_catalogue_take(server);
    struct entry *entry = hf_offer_list_find(&now->lists[kind], name, strlen(name));
    struct item *item = entry ? entry->item : NULL;

    if (item)
        atomic_fetch_add(&item->refs, 1);
    hf_catalogue_drop(now);
    return item;
}

/* Logs a line for each hidden tool. */
static void log_hidden(haft_server *server)
{
    struct catalogue *now = hf_catalogue_take(server);
    const struct offer_list *offers = &now->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < offers->n; i++)
        if (offers->entries[i].disabled && !offers->entries[i].off)
            hf_server_log(server, HAFT_NOTICE, "Tool %s is hidden", offers->entries[i].item->name);
    hf_catalogue_drop(now);
}

static int set_disabled(haft_server *server, haft_offer kind, const char *name, bool disabled)
{
    return apply(server, &(struct change){
                             .kind = kind, .instead = name, .disabled = disabled, .keeps = true});
}

int haft_offer_enable(haft_server *server, haft_offer kind, const char *name)
{
    return set_disabled(server, kind, name, false);
}

int haft_offer_disable(haft_server *server, haft_offer kind, const char *name)
{
    return set_disabled(server, kind, name, true);
}

int haft_server_set_visibility(haft_server *server, const haft_visibility *visibility)
{
    haft_visibility own;
    int status;

    if (!hf_struct_read(&own, sizeof own, visibility))
        return hf_server_refuse(server, HAFT_EINVAL, "haft_visibility", STRUCT_UNSIZED);
    /* An empty change evaluates the visibility of every tool again. */
    status = apply(server, &(struct change){.kind = HAFT_OFFER_TOOL, .visibility = &own});
    if (!status)
        log_hidden(server);
    return status;
}

/* Returns a copy of the item with another name, which takes over the reference; NULL without
 * memory. */
static struct item *item_renamed(haft_server *server, struct item *base, const char *name)
{
    struct item *item = hf_item_new(server, base->module);
    haft_arena *arena;

    if (!item) {
        hf_item_drop(base);
        return NULL;
    }
    arena = item->arena;
    *item = *base;
    atomic_init(&item->refs, 1);
    item->arena = arena;
    item->base = base;
    item->owned[0] = item->owned[1] = NULL;
    item->isolated.in = NULL;
    atomic_init(&item->counts, NULL);
    if (hf_item_set_name(item, name))
        return item;
    hf_item_drop(item);
    return NULL;
}

/* Renames what is offered now. Returns 0 or an error; HAFT_EBUSY if it was replaced meanwhile. */
static int try_rename(haft_server *server, haft_offer kind, const char *name, const char *new_name)
{
    struct item *base = item_named(server, kind, name), *item;
    int status;

    if (!base)
        return hf_server_refuse(server, HAFT_ENOTFOUND, name, "%s not found", name);
    item = item_renamed(server, base, new_name);
    if (!item)
        return hf_server_refuse(server, HAFT_ENOMEM, name, "out of memory");
    status = apply(server, &(struct change){.kind = kind,
                                            .instead = name,
                                            .item = item,
                                            .disabled = -1,
                                            .fresh = true,
                                            .base = base});
    hf_item_drop(item);
    return status;
}

int haft_offer_rename(haft_server *server, haft_offer kind, const char *name, const char *new_name)
{
    int status;

    if (kind != HAFT_OFFER_TOOL && kind != HAFT_OFFER_PROMPT)
        return hf_server_refuse(server, HAFT_EINVAL, name, "only tools and prompts can be renamed");
    if (hf_lint_name(server, kind, new_name))
        return HAFT_EINVAL;
    do
        status = try_rename(server, kind, name, new_name);
    while (status == HAFT_EBUSY);
    return status;
}
