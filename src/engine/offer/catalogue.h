/* engine/offer/catalogue.h - everything that is offered at one moment (catalogue.c,
 * catalogue_change.c, catalogue_swap.c).
 *
 * There are four lists of offered items. A catalogue is all lists at one moment: immutable,
 * reference counted, and replaced as a whole, so that a call keeps the catalogue it started with
 * while tools are added and removed. */
#ifndef HAFT_SRC_ENGINE_OFFER_CATALOGUE_H
#define HAFT_SRC_ENGINE_OFFER_CATALOGUE_H

#include "engine/offer/item.h"

struct access;
struct audience;
struct search;
struct search_index;
struct result_shape;
struct shaping;

struct entry {
    struct item *item;
    bool off;      /* the program disabled it */
    bool disabled; /* the program disabled it, or the operator hides it */
    bool pinned;   /* lists show it although there is a search */
    /* enum search_role of a tool of the search; enum search_hint of others, if there is a search */
    unsigned char role, hints;
    struct result_shape *shape; /* how the server changes it; NULL: not at all */
};

struct offer_list {
    struct entry *entries; /* in the order they were added */
    size_t n, n_enabled;
    bool guarded;    /* an item requires scopes */
    uint32_t *slots; /* hash index by name, value + 1 */
    size_t n_slots;
};

struct catalogue {
    atomic_uint refs;
    const haft_allocator *allocator;
    struct offer_list lists[OFFER_LISTS];
    haft_visibility visibility;           /* of the tools */
    struct access *access;                /* rules for identified clients; NULL for none */
    bool guarded;                         /* there are such rules, or an item requires scopes */
    struct audience *audiences;           /* most recently used first; under the server's lock */
    const struct search *search;          /* of its tools; NULL if lists show all of them */
    _Atomic(struct search_index *) index; /* NULL until a client searches */
    struct shaping *shaping;              /* rules for results of tools; NULL for none */
    bool unshaped;                        /* memory ran out while it was made */
    size_t size;                          /* of this, its tables and its text, in one piece */
};

/* Returns a new reference to the current catalogue. */
struct catalogue *hf_catalogue_take(haft_server *server);
void hf_catalogue_drop(struct catalogue *catalogue);

struct catalogue *hf_catalogue_empty(const haft_allocator *allocator);

/* Finds an entry by name; NULL if there is none. */
struct entry *hf_offer_list_find(const struct offer_list *offers, const char *name, size_t size);

/* Adds an item to a list, or replaces the one called `instead`. Takes ownership of the reference,
 * also on failure. */
int hf_offer_list_put(haft_server *server, haft_offer kind, struct item *item, const char *instead);

/* Replaces the rules for identified clients, and announces that all lists have changed. Returns 0 or
 * HAFT_ENOMEM. */
int hf_catalogue_set_access(haft_server *server, struct access *access);

/* In one step, adds the items and removes all items that are leaving or whose module is. An item
 * with the name of a removed one takes its position and is disabled if that was. If the items include
 * the tools of a search, the catalogue has that search afterwards. Returns 0, HAFT_ENOMEM, or
 * HAFT_EEXISTS with the item whose name is taken; on failure nothing has changed. The caller keeps its
 * references. */
int hf_catalogue_swap(haft_server *server, struct item *const *items, size_t n,
                      const struct item **reterr_item);
/* The same in two steps. The second needs no memory, unless the catalogue has been changed in
 * between. The items must live until then. */
struct catalogue_plan {
    haft_server *server; /* NULL if there is nothing to change */
    struct catalogue *from, *to;
    unsigned kinds; /* bits of the lists that change */
    struct item *const *items;
    size_t n;
    struct shaping *shaping;
};

int hf_catalogue_plan(haft_server *server, struct item *const *items, size_t n,
                      struct catalogue_plan *ret_plan, const struct item **reterr_item);
/* The same, with other rules for results of tools; NULL leaves them as they are. They must also live
 * until the second step. */
int hf_catalogue_plan_shaped(haft_server *server, struct item *const *items, size_t n,
                             struct shaping *shaping, struct catalogue_plan *ret_plan,
                             const struct item **reterr_item);
/* Returns 0, or HAFT_ENOMEM or HAFT_EEXISTS if the plan had to be made again and that failed. The
 * plan is consumed. */
int hf_catalogue_use(struct catalogue_plan *plan);
void hf_catalogue_plan_drop(struct catalogue_plan *plan);

/* Finds what prevents a swap: for each item, the remaining one or the first of the items that has its
 * name already; NULL if the name is free. Returns 0 or HAFT_ENOMEM. Without references. */
int hf_catalogue_rivals(haft_server *server, struct item *const *items, size_t n,
                        struct item **ret_rivals);

/* Whether the swap is possible. Returns 0, HAFT_ENOMEM, or HAFT_EEXISTS with the item. */
int hf_catalogue_try_swap(haft_server *server, struct item *const *items, size_t n,
                          const struct item **reterr_item);

#endif
