/* engine/offer/hold.h - what the definitions and handlers of items live in (item.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_HOLD_H
#define HAFT_SRC_ENGINE_OFFER_HOLD_H

#include "engine/offer/member.h"

struct form;

/* What the definitions and handlers of some items live in, when that can go while the server stays:
 * a shared object.  It is counted; its items hold it, and calls hold those. */
struct hold {
    atomic_uint refs;
    void (*release)(struct hold *hold); /* nothing of it is in use any more, by anybody */
    struct form *forms;                 /* of its types */
    bool leaving; /* catalogue_trade is to take its items out; for whoever calls that */
};

void hold_init(struct hold *hold, void (*release)(struct hold *hold));
/* Both do nothing with NULL. */
struct hold *hold_take(struct hold *hold);
void hold_drop(struct hold *hold);

#endif
