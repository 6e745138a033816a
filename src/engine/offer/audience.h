/* engine/offer/audience.h - what a set of clients sees in the lists (audience.c).
 *
 * Clients with the same scopes for which the same rules apply see the same. What they see is
 * computed once, and kept with the catalogue. */
#ifndef HAFT_SRC_ENGINE_OFFER_AUDIENCE_H
#define HAFT_SRC_ENGINE_OFFER_AUDIENCE_H

#include "engine/offer/access.h"
#include "engine/offer/catalogue.h"

enum { AUDIENCES = 64 }; /* kept with a catalogue; the least recently used is replaced */

struct audience {
    struct audience *next;
    atomic_uint refs;
    size_t size; /* of this and what follows it, in one piece */
    uint64_t holds;
    const char *scopes; /* sorted; "*" if none of the items is hidden because of its scopes */
    const unsigned char *shown[OFFER_LISTS]; /* a bit for each entry */
};

/* Finds or computes what the clients with these scopes (sorted, or "*") see, if these rules hold.
 * Returns 0 with a new reference, or HAFT_ENOMEM. */
int hf_audience_take(haft_server *server, struct catalogue *catalogue, uint64_t holds,
                     const char *scopes, struct audience **ret_audience);
void hf_audience_drop(const struct catalogue *catalogue, struct audience *audience);

static inline bool audience_sees(const struct audience *audience, haft_offer kind, size_t i)
{
    return audience->shown[kind][i / 8] >> (i % 8) & 1;
}

#endif
