/* engine/offer/catalogue_make.h - a catalogue under construction (catalogue.c): for one change
 * (catalogue_change.c) and for several items at once (catalogue_swap.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_CATALOGUE_MAKE_H
#define HAFT_SRC_ENGINE_OFFER_CATALOGUE_MAKE_H

#include "engine/offer/catalogue.h"

/* The size of a hash index for so many items. */
size_t hf_catalogue_slots(size_t n);

/* An empty catalogue with room for `counts` items; NULL shows every tool, to every client. */
struct catalogue *hf_catalogue_make(const haft_allocator *allocator,
                                    const size_t counts[OFFER_LISTS],
                                    const haft_visibility *visibility, struct access *access);

/* Holds the rules for results of tools, before the first is added. */
void hf_catalogue_set_shaping(struct catalogue *to, struct shaping *shaping);

/* Adds an item, with a new reference; `before` is what its name stood for, or NULL. */
void hf_catalogue_add(struct catalogue *to, haft_offer kind, struct item *item, bool off,
                      const struct entry *before);

/* Returns the catalogue; NULL if memory ran out while it was made. */
struct catalogue *hf_catalogue_complete(struct catalogue *to);

/* Replaces `from` by the new catalogue and notifies watchers; fails if `from` is no longer current.
 * Takes ownership of `to`; `from` remains the caller's. `kinds`: bits of the lists that change. */
bool hf_catalogue_replace(haft_server *server, struct catalogue *from, struct catalogue *to,
                          unsigned kinds);

#endif
