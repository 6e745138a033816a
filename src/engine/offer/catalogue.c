/* catalogue.c - lists of offered items, replaced as a whole.
 *
 * A catalogue is one allocation: counts, tables of pointers, hash index, patterns. Every
 * change creates a new catalogue and swaps the pointer; holders of a reference keep the old one. */
#include <string.h>

#include "engine/offer/access.h"
#include "engine/offer/audience.h"
#include "engine/offer/catalogue_make.h"
#include "engine/offer/event.h"
#include "engine/offer/search.h"
#include "engine/offer/server.h"
#include "engine/offer/shape.h"
#include "engine/offer/ui.h"

size_t hf_catalogue_slots(size_t n)
{
    size_t n_slots = 8;

    while (n_slots < n * 2)
        n_slots *= 2;
    return n_slots;
}

struct catalogue *hf_catalogue_make(const haft_allocator *allocator,
                                    const size_t counts[OFFER_LISTS],
                                    const haft_visibility *visibility, struct access *access)
{
    size_t text = visibility && visibility->tools ? strlen(visibility->tools) + 1 : 0;
    size_t size = sizeof(struct catalogue) + text;
    struct catalogue *catalogue;
    char *at;

    for (int i = 0; i < OFFER_LISTS; i++)
        size += counts[i] * sizeof(struct entry) + hf_catalogue_slots(counts[i]) * sizeof(uint32_t);
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
        catalogue->lists[i].n_slots = hf_catalogue_slots(counts[i]);
        at += hf_catalogue_slots(counts[i]) * sizeof(uint32_t);
    }
    if (text)
        catalogue->visibility.tools = memcpy(at, visibility->tools, text);
    return catalogue;
}

struct catalogue *hf_catalogue_empty(const haft_allocator *allocator)
{
    static const size_t none[OFFER_LISTS];

    return hf_catalogue_make(allocator, none, NULL, NULL);
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

void hf_catalogue_set_shaping(struct catalogue *to, struct shaping *shaping)
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

struct catalogue *hf_catalogue_complete(struct catalogue *to)
{
    if (!to->unshaped)
        return to;
    hf_catalogue_drop(to);
    return NULL;
}

void hf_catalogue_add(struct catalogue *to, haft_offer kind, struct item *item, bool off,
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

bool hf_catalogue_replace(haft_server *server, struct catalogue *from, struct catalogue *to,
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
