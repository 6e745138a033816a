/* engine/offer/module.h - the code that items are defined in (item.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_HOLD_H
#define HAFT_SRC_ENGINE_OFFER_HOLD_H

#include "engine/offer/member.h"

struct form;
struct search;

/* A shared object that contains definitions and handlers and can be unloaded while the server runs.
 * It is reference counted: its items hold it, and calls hold the items. */
struct module {
    atomic_uint refs;
    void (*release)(struct module *module); /* called when nothing uses it any more */
    struct form *forms;                     /* forms of its types */
    const struct search *search;            /* the tool search that it is; NULL otherwise */
    /* A call of an item ends although its handler has asked the client and was not called again; on the call's
     * thread, perhaps more than once.  NULL: nothing is to be done. */
    void (*unanswered)(haft_call *call);
    bool foreign; /* its definitions come from another server or document: lint says less of them */
    bool leaving; /* hf_catalogue_swap removes its items; set by the caller of that */
};

void hf_module_init(struct module *module, void (*release)(struct module *module));
/* Both ignore NULL. */
struct module *hf_module_take(struct module *module);
void hf_module_drop(struct module *module);

#endif
