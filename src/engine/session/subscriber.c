/* subscriber.c - whether those who have subscribed to a resource may still see it.
 *
 * Rules may change while a subscription exists, so each update is checked by the current ones, for
 * the client as it was identified when it subscribed. An update that cannot be checked is not sent. */
#include "engine/session/subscriber.h"

#include <string.h>

#include "base/percent.h"
#include "engine/call/identity.h"
#include "engine/offer/audience.h"
#include "engine/offer/uri_template.h"

enum { SUBSCRIBER_LIMIT = 1 << 20 };

/* ---- who ---- */

void hf_subscriber_finish(struct subscriber *subscriber)
{
    haft_arena_free(subscriber->arena);
    *subscriber = (struct subscriber){.arena = NULL};
}

int hf_subscriber_set(struct subscriber *subscriber, const haft_allocator *allocator,
                      const char *principal, const haft_identity *identity)
{
    struct subscriber made = {.arena = NULL};

    if (principal) {
        haft_identity own = HAFT_INIT(haft_identity, .principal = principal);

        made.arena = haft_arena_new(allocator, SUBSCRIBER_LIMIT);
        if (!made.arena ||
            !hf_identity_copy(&made.identity, identity ? identity : &own, made.arena))
            goto no_memory;
        if (!made.identity.principal)
            made.identity.principal = haft_arena_copy(made.arena, principal, strlen(principal));
        if (!made.identity.principal)
            goto no_memory;
    }
    hf_subscriber_finish(subscriber);
    *subscriber = made;
    return 0;
no_memory:
    haft_arena_free(made.arena);
    return HAFT_ENOMEM;
}

/* ---- what it sees ---- */

struct sight {
    const struct catalogue *catalogue;
    const haft_identity *identity;
    haft_arena *arena;
    uint64_t holds; /* rules that apply */
};

/* The template that the client reads a URI by; NULL if there is none. */
static const struct item *sight_find_template(const struct sight *sight, const char *uri)
{
    const struct offer_list *offers = &sight->catalogue->lists[HAFT_OFFER_TEMPLATE];
    const struct text *variables;
    struct address address;
    size_t n_variables;
    const char *forms[ACCESS_URI_FORMS]; /* as for reading */

    if (hf_access_uri_forms(sight->arena, uri, strlen(uri), forms) ||
        hf_address_read(sight->arena, uri, strlen(uri), &address))
        return NULL;
    for (size_t i = 0; i < offers->n; i++) {
        const struct item *item = offers->entries[i].item;

        if (!offers->entries[i].disabled &&
            hf_uri_template_match(item->uri_template, &address, sight->arena, &variables,
                                  &n_variables) > 0 &&
            hf_access_permits(sight->catalogue->access, sight->holds, item, forms[0]) &&
            hf_access_permits(sight->catalogue->access, sight->holds, item, forms[1]))
            return item;
    }
    return NULL;
}

static const struct item *sight_find(const struct sight *sight, const char *uri)
{
    const struct catalogue *catalogue = sight->catalogue;
    const struct entry *entry =
        hf_offer_list_find(&catalogue->lists[HAFT_OFFER_RESOURCE], uri, strlen(uri));

    if (entry && !entry->disabled &&
        hf_access_permits(catalogue->access, sight->holds, entry->item, NULL))
        return entry->item;
    return sight_find_template(sight, uri);
}

static bool sight_has(struct sight *sight, const char *uri)
{
    const struct access *access = sight->catalogue->access;
    const struct item *item;

    if (hf_access_holds(access, sight->identity, sight->arena, &sight->holds))
        return false;
    item = sight_find(sight, uri);
    return item && hf_access_meets(access, sight->identity->scopes, item->scopes);
}

bool hf_subscriber_sees(const struct catalogue *catalogue, const haft_allocator *allocator,
                        const haft_identity *identity, bool unknown, const char *uri)
{
    struct sight sight = {.catalogue = catalogue, .identity = identity};
    bool sees;

    if (!catalogue || !catalogue->guarded)
        return true;
    if (unknown)
        return false;
    if (!identity->principal)
        return true;
    sight.arena = haft_arena_new(allocator, SUBSCRIBER_LIMIT);
    sees = sight.arena && sight_has(&sight, uri);
    haft_arena_free(sight.arena);
    return sees;
}
