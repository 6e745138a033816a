/* catalogue.c - lists of offered items, replaced as a whole.
 *
 * A catalogue is one allocation: counts, tables of pointers, hash index, patterns. Every
 * change creates a new catalogue and swaps the pointer; holders of a reference keep the old one. */
#include <string.h>

#include "base/struct.h"
#include "engine/offer/access.h"
#include "engine/offer/audience.h"
#include "engine/offer/catalogue.h"
#include "engine/offer/event.h"
#include "engine/offer/lint.h"
#include "engine/offer/search.h"
#include "engine/offer/server.h"
#include "engine/offer/shape.h"
#include "engine/offer/ui.h"

/* ---- catalogues ---- */

static size_t slots_for(size_t n)
{
    size_t n_slots = 8;

    while (n_slots < n * 2)
        n_slots *= 2;
    return n_slots;
}

/* An empty catalogue with room for `counts` items; NULL shows every tool, to every client. */
static struct catalogue *catalogue_make(const haft_allocator *allocator,
                                        const size_t counts[OFFER_LISTS],
                                        const haft_visibility *visibility, struct access *access)
{
    size_t text = visibility && visibility->tools ? strlen(visibility->tools) + 1 : 0;
    size_t size = sizeof(struct catalogue) + text;
    struct catalogue *catalogue;
    char *at;

    for (int i = 0; i < OFFER_LISTS; i++)
        size += counts[i] * sizeof(struct entry) + slots_for(counts[i]) * sizeof(uint32_t);
    catalogue = allocator->alloc(allocator->context, size);
    if (!catalogue)
        return NULL;
    memset(catalogue, 0, size);
    atomic_init(&catalogue->refs, 1);
    catalogue->allocator = allocator;
    if (visibility)
        catalogue->visibility = *visibility;
    catalogue->access = hf_access_take(access);
    catalogue->guarded = access && access->n_rules;
    catalogue->size = size;
    at = (char *)(catalogue + 1);
    for (int i = 0; i < OFFER_LISTS; i++) {
        catalogue->lists[i].entries = (struct entry *)(void *)at;
        at += counts[i] * sizeof(struct entry);
    }
    for (int i = 0; i < OFFER_LISTS; i++) {
        catalogue->lists[i].slots = (uint32_t *)(void *)at;
        catalogue->lists[i].n_slots = slots_for(counts[i]);
        at += slots_for(counts[i]) * sizeof(uint32_t);
    }
    if (text)
        catalogue->visibility.tools = memcpy(at, visibility->tools, text);
    return catalogue;
}

struct catalogue *hf_catalogue_empty(const haft_allocator *allocator)
{
    static const size_t none[OFFER_LISTS];

    return catalogue_make(allocator, none, NULL, NULL);
}

struct catalogue *hf_catalogue_take(haft_server *server)
{
    struct catalogue *catalogue;

    hf_server_lock(server);
    catalogue = server->catalogue;
    atomic_fetch_add(&catalogue->refs, 1);
    hf_server_unlock(server);
    return catalogue;
}

void hf_catalogue_drop(struct catalogue *catalogue)
{
    if (!catalogue || atomic_fetch_sub(&catalogue->refs, 1) != 1)
        return;
    for (int i = 0; i < OFFER_LISTS; i++)
        for (size_t k = 0; k < catalogue->lists[i].n; k++) {
            hf_module_drop((struct module *)catalogue->lists[i].entries[k].shape);
            hf_item_drop(catalogue->lists[i].entries[k].item);
        }
    while (catalogue->audiences) {
        struct audience *audience = catalogue->audiences;

        catalogue->audiences = audience->next;
        hf_audience_drop(catalogue, audience);
    }
    hf_access_let_go(catalogue->access);
    if (catalogue->index)
        haft_arena_free(atomic_load(&catalogue->index)->arena);
    hf_module_drop((struct module *)catalogue->shaping);
    catalogue->allocator->release(catalogue->allocator->context, catalogue, catalogue->size);
}

struct entry *hf_offer_list_find(const struct offer_list *offers, const char *name, size_t size)
{
    size_t at = hf_hash_bytes(name, size);

    for (; offers->slots[at & (offers->n_slots - 1)]; at++) {
        struct entry *entry = &offers->entries[offers->slots[at & (offers->n_slots - 1)] - 1];

        if (entry->item->name_size == size && !memcmp(entry->item->name, name, size))
            return entry;
    }
    return NULL;
}

static bool is_hidden(const haft_visibility *visibility, const struct item *item)
{
    if (!item->tool || search_of_item(item))
        return false;
    return (visibility->read_only && item->tool->annotations.read_only != HAFT_YES) ||
           (visibility->tools && !hf_glob_list_allows(visibility->tools, item->name)) ||
           (visibility->hides && visibility->hides(visibility->context, item->name));
}

/* Holds the rules for results of tools, before the first is added. */
static void catalogue_set_shaping(struct catalogue *to, struct shaping *shaping)
{
    to->shaping = (struct shaping *)hf_module_take((struct module *)shaping);
}

/* Sets the shape of a new entry; `before` is what the item's name stood for, or NULL. */
static void catalogue_shape(struct catalogue *to, struct entry *entry, const struct entry *before)
{
    bool same = before && before->item == entry->item;

    if (to->shaping && entry->item->tool && !search_of_item(entry->item) &&
        to->shaping->find(to->shaping, entry->item, same ? before->shape : NULL, &entry->shape))
        to->unshaped = true;
}

/* Returns the catalogue; NULL if memory ran out while it was made. */
static struct catalogue *catalogue_complete(struct catalogue *to)
{
    if (!to->unshaped)
        return to;
    hf_catalogue_drop(to);
    return NULL;
}

/* Adds an item to a catalogue under construction, with a new reference. */
static void catalogue_add(struct catalogue *to, haft_offer kind, struct item *item, bool off,
                          const struct entry *before)
{
    struct offer_list *offers = &to->lists[kind];
    size_t at = hf_hash_bytes(item->name, item->name_size);
    bool disabled = off || is_hidden(&to->visibility, item);

    while (offers->slots[at & (offers->n_slots - 1)])
        at++;
    atomic_fetch_add(&item->refs, 1);
    offers->entries[offers->n] = (struct entry){.item = item, .off = off, .disabled = disabled};
    if (to->search && item->tool)
        hf_search_mark(to->search, &offers->entries[offers->n]);
    catalogue_shape(to, &offers->entries[offers->n++], before);
    offers->slots[at & (offers->n_slots - 1)] = (uint32_t)offers->n;
    offers->n_enabled += !disabled;
    offers->guarded |= item->scopes != NULL;
    to->guarded |= offers->guarded;
}

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

/* Copies the catalogue with the change applied. */
static struct catalogue *catalogue_with(const struct catalogue *from, const struct change *change,
                                        const struct entry *old)
{
    size_t counts[OFFER_LISTS];
    struct catalogue *to;

    for (int i = 0; i < OFFER_LISTS; i++)
        counts[i] = from->lists[i].n + (i == (int)change->kind);
    to = catalogue_make(from->allocator, counts,
                        change->visibility ? change->visibility : &from->visibility,
                        change->access ? change->access : from->access);
    if (!to)
        return NULL;
    to->search = from->search;
    catalogue_set_shaping(to, from->shaping);
    for (int i = 0; i < OFFER_LISTS; i++) {
        if (change->fresh && !old && offer_list_copy(&to->lists[i], &from->lists[i])) {
            to->guarded |= to->lists[i].guarded;
            continue;
        }
        for (size_t k = 0; k < from->lists[i].n; k++) {
            const struct entry *kept = &from->lists[i].entries[k];

            if (kept != old)
                catalogue_add(to, (haft_offer)i, kept->item, kept->off, kept);
            else if (change->item || change->keeps)
                catalogue_add(to, (haft_offer)i, change->keeps ? kept->item : change->item,
                              change->disabled < 0 ? kept->off : change->disabled, kept);
        }
    }
    if (change->item && !old)
        catalogue_add(to, change->kind, change->item, change->disabled > 0, NULL);
    return catalogue_complete(to);
}

/* Replaces `from` by the new catalogue; fails if `from` is no longer current. */
static bool swap(haft_server *server, const struct catalogue *from, struct catalogue *to,
                 unsigned kinds)
{
    bool current;

    hf_server_lock(server);
    current = server->catalogue == from;
    if (current) {
        server->catalogue = to;
        for (int i = 0; i < OFFER_LISTS; i++) {
            if (!(kinds & 1u << i))
                continue;
            atomic_fetch_or(&server->changes.offered, to->lists[i].n ? 1u << i : 0);
            atomic_fetch_add(&server->changes.lists[i], 1);
        }
        atomic_fetch_add(&server->changes.version_number, 1);
    }
    hf_server_unlock(server);
    return current;
}

/* The same, and notifies watchers. Takes ownership of `to`; `from` remains the caller's. */
static bool replace(haft_server *server, struct catalogue *from, struct catalogue *to,
                    unsigned kinds)
{
    bool done;

    atomic_fetch_add(&to->refs, 1);
    done = swap(server, from, to, kinds);
    if (done && server->watching.n_watchers)
        hf_event_of_change(server, from, to);
    if (done)
        hf_server_tell_lists(server, kinds);
    if (done && kinds & (1u << HAFT_OFFER_TOOL | 1u << HAFT_OFFER_RESOURCE))
        hf_ui_warn(server, from, to);
    /* Drop the one that is not current. */
    hf_catalogue_drop(done ? from : to);
    hf_catalogue_drop(to);
    return done;
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
        *ret_done = replace(server, from, to,
                            change->access ? (1u << OFFER_LISTS) - 1 : 1u << change->kind);
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

/* ---- several items at once ---- */

static bool is_leaving(const struct item *item)
{
    return item->leaving || (item->module && item->module->leaving);
}

static bool is_alike(const struct item *left, const struct item *right)
{
    return hf_item_kind(left) == hf_item_kind(right) && left->name_size == right->name_size &&
           !memcmp(left->name, right->name, left->name_size);
}

/* New items, with a hash index by name: an upstream may have thousands. */
struct newcomers {
    struct item *const *items;
    size_t n;
    uint32_t *slots; /* number of an item + 1; NULL if there are none */
    size_t n_slots;
};

static struct item *newcomers_find(const struct newcomers *newcomers, const struct item *item)
{
    size_t at = hf_hash_bytes(item->name, item->name_size), mask = newcomers->n_slots - 1;

    for (; newcomers->slots && newcomers->slots[at & mask]; at++) {
        struct item *found = newcomers->items[newcomers->slots[at & mask] - 1];

        if (is_alike(found, item))
            return found;
    }
    return NULL;
}

/* Indexes the items; the first of several with one name. */
static int newcomers_init(struct newcomers *newcomers, const haft_allocator *allocator,
                          struct item *const *items, size_t n)
{
    size_t size = slots_for(n) * sizeof(uint32_t);

    *newcomers = (struct newcomers){.items = items, .n = n, .n_slots = slots_for(n)};
    newcomers->slots = n ? allocator->alloc(allocator->context, size) : NULL;
    if (!newcomers->slots)
        return n ? HAFT_ENOMEM : 0;
    memset(newcomers->slots, 0, size);
    for (size_t i = 0; i < n; i++) {
        size_t at = hf_hash_bytes(items[i]->name, items[i]->name_size);

        if (newcomers_find(newcomers, items[i]))
            continue;
        while (newcomers->slots[at & (newcomers->n_slots - 1)])
            at++;
        newcomers->slots[at & (newcomers->n_slots - 1)] = (uint32_t)i + 1;
    }
    return 0;
}

static void newcomers_finish(struct newcomers *newcomers, const haft_allocator *allocator)
{
    if (newcomers->slots)
        allocator->release(allocator->context, newcomers->slots,
                           newcomers->n_slots * sizeof(uint32_t));
}

/* The item that has the name of a new one already: one that remains, or an earlier new one; NULL if the
 * name is free. */
static struct item *newcomers_rival(const struct newcomers *newcomers, const struct catalogue *from,
                                    const struct item *item)
{
    const struct entry *taken =
        hf_offer_list_find(&from->lists[hf_item_kind(item)], item->name, item->name_size);
    struct item *earliest;

    if (taken && !is_leaving(taken->item))
        return taken->item;
    earliest = newcomers_find(newcomers, item);
    return earliest == item ? NULL : earliest;
}

/* The first new item whose name is taken; NULL if there is none. */
static const struct item *find_clash(const struct newcomers *newcomers,
                                     const struct catalogue *from)
{
    for (size_t i = 0; i < newcomers->n; i++)
        if (newcomers_rival(newcomers, from, newcomers->items[i]))
            return newcomers->items[i];
    return NULL;
}

int hf_catalogue_rivals(haft_server *server, struct item *const *items, size_t n,
                        struct item **ret_rivals)
{
    struct catalogue *now = hf_catalogue_take(server);
    struct newcomers newcomers;
    int status = newcomers_init(&newcomers, now->allocator, items, n);

    for (size_t i = 0; i < n && !status; i++)
        ret_rivals[i] = newcomers_rival(&newcomers, now, items[i]);
    newcomers_finish(&newcomers, now->allocator);
    hf_catalogue_drop(now);
    return status;
}

/* The search of a catalogue without the leaving items and with the new ones. */
static const struct search *search_after(const struct catalogue *from, struct item *const *items,
                                         size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (search_of_item(items[i]))
            return search_of_item(items[i]);
    for (size_t i = 0; i < from->lists[HAFT_OFFER_TOOL].n; i++) {
        const struct item *item = from->lists[HAFT_OFFER_TOOL].entries[i].item;

        if (search_of_item(item) && !is_leaving(item))
            return search_of_item(item);
    }
    return NULL;
}

static bool listing_differs(const struct entry *left, const struct entry *right)
{
    for (int era = LEGACY; era <= MODERN; era++) {
        const struct text *one = entry_rest(left, era), *other = entry_rest(right, era);

        if (one->data != other->data &&
            (one->size != other->size || memcmp(one->data, other->data, one->size) != 0))
            return true;
    }
    return false;
}

/* Copies a list without the leaving items; returns whether clients see that it differs. */
static bool offer_list_trade(struct catalogue *to, haft_offer kind, const struct offer_list *from,
                             const struct newcomers *newcomers)
{
    bool differs = false;

    for (size_t k = 0; k < from->n; k++) {
        const struct entry *kept = &from->entries[k];
        bool leaves = is_leaving(kept->item);
        struct item *item = leaves ? newcomers_find(newcomers, kept->item) : kept->item;

        if (item)
            catalogue_add(to, kind, item, kept->off, kept);
        differs |= leaves || listing_differs(kept, &to->lists[kind].entries[to->lists[kind].n - 1]);
    }
    return differs;
}

/* Copies the catalogue without the leaving items and with the new ones; NULL for `shaping` leaves the
 * rules as they are. */
static struct catalogue *catalogue_traded(const struct catalogue *from,
                                          const struct newcomers *newcomers,
                                          struct shaping *shaping, unsigned *ret_kinds)
{
    struct item *const *items = newcomers->items;
    size_t counts[OFFER_LISTS], n = newcomers->n;
    struct catalogue *to;

    *ret_kinds = 0;
    for (int i = 0; i < OFFER_LISTS; i++)
        counts[i] = from->lists[i].n + n;
    to = catalogue_make(from->allocator, counts, &from->visibility, from->access);
    if (!to)
        return NULL;
    to->search = search_after(from, items, n);
    catalogue_set_shaping(to, shaping ? shaping : from->shaping);
    for (int i = 0; i < OFFER_LISTS; i++)
        if (offer_list_trade(to, (haft_offer)i, &from->lists[i], newcomers))
            *ret_kinds |= 1u << i;
    for (size_t i = 0; i < n; i++) {
        haft_offer kind = hf_item_kind(items[i]);

        if (!hf_offer_list_find(&to->lists[kind], items[i]->name, items[i]->name_size))
            catalogue_add(to, kind, items[i], false, NULL);
        *ret_kinds |= 1u << kind;
    }
    return catalogue_complete(to);
}

int hf_catalogue_try_swap(haft_server *server, struct item *const *items, size_t n,
                          const struct item **reterr_item)
{
    struct catalogue *now = hf_catalogue_take(server);
    struct newcomers newcomers;
    int status = newcomers_init(&newcomers, now->allocator, items, n);
    const struct item *clash = status ? NULL : find_clash(&newcomers, now);

    newcomers_finish(&newcomers, now->allocator);
    hf_catalogue_drop(now);
    if (clash)
        *reterr_item = clash;
    return clash ? HAFT_EEXISTS : status;
}

/* Isolated tools must be callable as soon as they are offered. */
static void renew_isolation(haft_server *server, struct item *const *items, size_t n)
{
    struct isolation *isolation = atomic_load(&server->isolation.runner);
    bool isolated = false;

    for (size_t i = 0; i < n; i++)
        isolated |= items[i]->isolate != 0;
    if (isolated && isolation)
        isolation->renew(isolation);
}

int hf_catalogue_plan_shaped(haft_server *server, struct item *const *items, size_t n,
                             struct shaping *shaping, struct catalogue_plan *ret_plan,
                             const struct item **reterr_item)
{
    struct catalogue *from = hf_catalogue_take(server), *to;
    struct newcomers newcomers;
    int status = newcomers_init(&newcomers, from->allocator, items, n);
    const struct item *clash = status ? NULL : find_clash(&newcomers, from);
    unsigned kinds = 0;

    *ret_plan = (struct catalogue_plan){.server = NULL};
    to = clash || status ? NULL : catalogue_traded(from, &newcomers, shaping, &kinds);
    newcomers_finish(&newcomers, from->allocator);
    if (to && (kinds || to->shaping != from->shaping)) {
        *ret_plan = (struct catalogue_plan){server, from, to, kinds, items, n, shaping};
        return 0;
    }
    hf_catalogue_drop(from);
    hf_catalogue_drop(to);
    if (clash)
        *reterr_item = clash;
    return clash ? HAFT_EEXISTS : to ? 0 : HAFT_ENOMEM;
}

int hf_catalogue_plan(haft_server *server, struct item *const *items, size_t n,
                      struct catalogue_plan *ret_plan, const struct item **reterr_item)
{
    return hf_catalogue_plan_shaped(server, items, n, NULL, ret_plan, reterr_item);
}

void hf_catalogue_plan_drop(struct catalogue_plan *plan)
{
    hf_catalogue_drop(plan->from);
    hf_catalogue_drop(plan->to);
    *plan = (struct catalogue_plan){.server = NULL};
}

int hf_catalogue_use(struct catalogue_plan *plan)
{
    haft_server *server = plan->server;
    struct item *const *items = plan->items;
    struct shaping *shaping = plan->shaping;
    const struct item *clash;
    size_t n = plan->n;
    bool done = false;
    int status = 0;

    if (!server)
        return 0;
    renew_isolation(server, items, n);
    while (!done && !status && plan->server) {
        done = replace(server, plan->from, plan->to, plan->kinds);
        plan->to = NULL; /* owned by replace now */
        hf_catalogue_plan_drop(plan);
        if (!done)
            status = hf_catalogue_plan_shaped(server, items, n, shaping, plan, &clash);
    }
    if (status)
        return status;
    hf_server_wake(server);
    for (size_t i = 0; i < n; i++)
        if (items[i]->tool)
            hf_event_of_tool(server, HAFT_EVENT_ANNOUNCED, items[i]->name, 0);
    return 0;
}

int hf_catalogue_swap(haft_server *server, struct item *const *items, size_t n,
                      const struct item **reterr_item)
{
    struct catalogue_plan plan;
    int status = hf_catalogue_plan(server, items, n, &plan, reterr_item);

    return status ? status : hf_catalogue_use(&plan);
}

/* ---- changes ---- */

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
