/* serve.h - what `haft serve` serves, as its configuration has it. */
#ifndef HAFT_SERVE_H
#define HAFT_SERVE_H

#include <haft/gateway.h>
#include <haft/plugin.h>

#include "shop.h"

struct serve {
    haft_gateway *gateway;
    struct shop *shop;
    haft_arena *arena;        /* of what the gateway points to */
    haft_schema *schema;      /* of the section */
    haft_section section;     /* "gateway" */
    bool built;               /* from here on a change needs a restart */
    haft_plugins *plugins;    /* of the first endpoint; NULL before it is there */
    haft_section own_plugins; /* "plugins" */
    const char **files;       /* plugins of the command line */
    size_t n_files;
    const char *started; /* the section as it was then, as JSON; "" for none */
};

/* Gets ready to read the section "gateway", which adds everything to the gateway; 0 or an error. */
int serve_configure(struct serve *serve);
void serve_finish(struct serve *serve);

#endif
