/* engine/offer/module.h - what the definitions and handlers of items live in (item.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_HOLD_H
#define HAFT_SRC_ENGINE_OFFER_HOLD_H

#include "engine/offer/member.h"

struct form;

/* What the definitions and handlers of some items live in, when that can go while the server stays:
 * a shared object.  It is counted; its items hold it, and calls hold those. */
struct module {
    atomic_uint refs;
    void (*release)(struct module *module); /* nothing of it is in use any more, by anybody */
    struct form *forms;                     /* of its types */
    bool leaving; /* hf_catalogue_swap is to take its items out; for whoever calls that */
};

void hf_module_init(struct module *module, void (*release)(struct module *module));
/* Both do nothing with NULL. */
struct module *hf_module_take(struct module *module);
void hf_module_drop(struct module *module);

#endif
