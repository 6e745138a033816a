/* engine/offer/catalogue.h - all that is offered at one moment (catalogue.c).
 *
 * What is offered lies on four lists.  A catalogue is all lists at one moment: immutable,
 * counted, and replaced as a whole, so that a call keeps what it found while tools come and go. */
#ifndef HAFT_SRC_ENGINE_OFFER_CATALOGUE_H
#define HAFT_SRC_ENGINE_OFFER_CATALOGUE_H

#include "engine/offer/item.h"

struct entry {
    struct item *item;
    bool off;      /* the program has switched it off */
    bool disabled; /* it has, or whoever runs the server hides it */
};

struct offer_list {
    struct entry *entries; /* in the order they were added */
    size_t n, n_enabled;
    uint32_t *slots; /* index + 1 by hash of the name */
    size_t n_slots;
};

struct catalogue {
    atomic_uint refs;
    const haft_allocator *allocator;
    struct offer_list lists[OFFER_LISTS];
    haft_visibility visibility; /* of the tools; its text is in the server's arena */
    size_t size;                /* of this and its tables, in one piece */
};

/* A counted reference to what is offered now. */
struct catalogue *hf_catalogue_take(haft_server *server);
void hf_catalogue_drop(struct catalogue *catalogue);

struct catalogue *hf_catalogue_empty(const haft_allocator *allocator);

/* The entry of that name; NULL when there is none. */
struct entry *hf_offer_list_find(const struct offer_list *offers, const char *name, size_t size);

/* Puts an item on a list, or in the place of the one called `instead`.  Takes over the reference,
 * whether it succeeds or not. */
int hf_offer_list_put(haft_server *server, haft_offer kind, struct item *item, const char *instead);

/* Puts the items on their lists and takes away everything that is leaving, or whose module is, in one step.  An
 * item goes where one of its name was, and is switched off if that was.  0, HAFT_ENOMEM, or
 * HAFT_EEXISTS with the one whose name is taken; then nothing has changed.  The items stay the
 * caller's. */
int hf_catalogue_swap(haft_server *server, struct item *const *items, size_t n,
                      const struct item **reterr_item);
/* The same in two steps, of which the second needs no memory unless something else has changed the
 * catalogue meanwhile: a catalogue that is ready.  The items must live until then. */
struct catalogue_plan {
    haft_server *server; /* NULL when there is nothing to change */
    struct catalogue *from, *to;
    unsigned kinds; /* of the lists, those that change, as bits */
    struct item *const *items;
    size_t n;
};

int hf_catalogue_plan(haft_server *server, struct item *const *items, size_t n,
                      struct catalogue_plan *ret_plan, const struct item **reterr_item);
/* 0, or HAFT_ENOMEM or HAFT_EEXISTS when the plan was made anew in vain.  The plan is over. */
int hf_catalogue_use(struct catalogue_plan *plan);
void hf_catalogue_plan_drop(struct catalogue_plan *plan);

/* Whether that can be done, but for memory. */
int hf_catalogue_try_swap(haft_server *server, struct item *const *items, size_t n,
                          const struct item **reterr_item);

#endif
