/* audience.c - what a set of clients sees in the lists. */
#include <string.h>

#include "engine/offer/audience.h"
#include "engine/offer/server.h"

void hf_audience_drop(const struct catalogue *catalogue, struct audience *audience)
{
    const haft_allocator *allocator = catalogue->allocator;

    if (audience && atomic_fetch_sub(&audience->refs, 1) == 1)
        allocator->release(allocator->context, audience, audience->size);
}

static void audience_fill(const struct catalogue *catalogue, const struct audience *audience,
                          haft_offer kind, unsigned char *shown)
{
    const struct offer_list *offers = &catalogue->lists[kind];
    bool all = !strcmp(audience->scopes, "*");

    for (size_t i = 0; i < offers->n; i++) {
        const struct item *item = offers->entries[i].item;
        bool sees = !offers->entries[i].disabled &&
                    hf_access_permits(catalogue->access, audience->holds, item, NULL) &&
                    (all || hf_access_meets(catalogue->access, audience->scopes, item->scopes));

        if (sees)
            shown[i / 8] |= (unsigned char)(1u << i % 8);
    }
}

static struct audience *audience_make(const struct catalogue *catalogue, uint64_t holds,
                                      const char *scopes)
{
    const haft_allocator *allocator = catalogue->allocator;
    size_t text = strlen(scopes) + 1, size = sizeof(struct audience) + text;
    struct audience *audience;
    unsigned char *at;

    for (int i = 0; i < OFFER_LISTS; i++)
        size += catalogue->lists[i].n / 8 + 1;
    audience = allocator->alloc(allocator->context, size);
    if (!audience)
        return NULL;
    memset(audience, 0, size);
    atomic_init(&audience->refs, 1);
    audience->size = size;
    audience->holds = holds;
    at = (unsigned char *)(audience + 1);
    audience->scopes = memcpy(at, scopes, text);
    at += text;
    for (int i = 0; i < OFFER_LISTS; i++) {
        audience_fill(catalogue, audience, (haft_offer)i, at);
        audience->shown[i] = at;
        at += catalogue->lists[i].n / 8 + 1;
    }
    return audience;
}

/* Finds one, and moves it to the front; with the lock held. */
static struct audience *audience_find(struct catalogue *catalogue, uint64_t holds,
                                      const char *scopes)
{
    for (struct audience **link = &catalogue->audiences; *link; link = &(*link)->next) {
        struct audience *found = *link;

        if (found->holds != holds || strcmp(found->scopes, scopes) != 0)
            continue;
        *link = found->next;
        found->next = catalogue->audiences;
        catalogue->audiences = found;
        atomic_fetch_add(&found->refs, 1);
        return found;
    }
    return NULL;
}

/* Puts one at the front, and returns the last one if there are too many; with the lock held. */
static struct audience *audience_keep(struct catalogue *catalogue, struct audience *audience)
{
    struct audience **link = &catalogue->audiences, *last;

    audience->next = catalogue->audiences;
    catalogue->audiences = audience;
    atomic_fetch_add(&audience->refs, 1);
    for (int n = 0; *link && n < AUDIENCES; n++)
        link = &(*link)->next;
    last = *link;
    *link = NULL;
    return last;
}

int hf_audience_take(haft_server *server, struct catalogue *catalogue, uint64_t holds,
                     const char *scopes, struct audience **ret_audience)
{
    struct audience *found, *made, *last = NULL;

    hf_server_lock(server);
    found = audience_find(catalogue, holds, scopes);
    hf_server_unlock(server);
    if (found) {
        *ret_audience = found;
        return 0;
    }
    made = audience_make(catalogue, holds, scopes);
    if (!made)
        return HAFT_ENOMEM;
    /* Another thread may have made the same meanwhile. */
    hf_server_lock(server);
    found = audience_find(catalogue, holds, scopes);
    if (!found)
        last = audience_keep(catalogue, made);
    hf_server_unlock(server);
    if (found)
        hf_audience_drop(catalogue, made);
    hf_audience_drop(catalogue, last);
    *ret_audience = found ? found : made;
    return 0;
}
