/* engine/offer/shape.h - how a server changes the results of a tool, and its listing.
 *
 * The rules are of src/gateway. A catalogue holds them and asks them about each tool that it adds,
 * so a call finds the shape of its tool in its entry, and keeps it with the catalogue. */
#ifndef HAFT_SRC_ENGINE_OFFER_SHAPE_H
#define HAFT_SRC_ENGINE_OFFER_SHAPE_H

#include "engine/offer/catalogue.h"

struct result_shape {
    struct module module; /* must be first; catalogues hold it */
    struct text rest[2];  /* listing of the tool after its name; NULL data: that of the item */
};

struct shaping {
    struct module module; /* must be first; catalogues hold it */
    /* Finds the shape of a tool. `before` is the one that the same item had; it may be NULL. Returns 0
     * with a reference, or NULL if the tool has none; or HAFT_ENOMEM. On any thread, several at once. */
    int (*find)(struct shaping *shaping, const struct item *item, struct result_shape *before,
                struct result_shape **ret_shape);
};

/* The listing of an entry after its name. */
static inline const struct text *entry_rest(const struct entry *entry, int era)
{
    const struct result_shape *shape = entry->shape;

    return shape && shape->rest[era].data ? &shape->rest[era] : &entry->item->rest[era];
}

#endif
