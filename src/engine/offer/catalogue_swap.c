/* catalogue_swap.c - several items at once: those of a plugin, an upstream or a directory replace what it
 * offered before, in one step that clients see as one change. */
#include <string.h>

#include "engine/offer/catalogue_make.h"
#include "engine/offer/event.h"
#include "engine/offer/search.h"
#include "engine/offer/server.h"
#include "engine/offer/shape.h"

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
    size_t size = hf_catalogue_slots(n) * sizeof(uint32_t);

    *newcomers = (struct newcomers){.items = items, .n = n, .n_slots = hf_catalogue_slots(n)};
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
            hf_catalogue_add(to, kind, item, kept->off, kept);
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
    to = hf_catalogue_make(from->allocator, counts, &from->visibility, from->access);
    if (!to)
        return NULL;
    to->search = search_after(from, items, n);
    hf_catalogue_set_shaping(to, shaping ? shaping : from->shaping);
    for (int i = 0; i < OFFER_LISTS; i++)
        if (offer_list_trade(to, (haft_offer)i, &from->lists[i], newcomers))
            *ret_kinds |= 1u << i;
    for (size_t i = 0; i < n; i++) {
        haft_offer kind = hf_item_kind(items[i]);

        if (!hf_offer_list_find(&to->lists[kind], items[i]->name, items[i]->name_size))
            hf_catalogue_add(to, kind, items[i], false, NULL);
        *ret_kinds |= 1u << kind;
    }
    return hf_catalogue_complete(to);
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
        done = hf_catalogue_replace(server, plan->from, plan->to, plan->kinds);
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
