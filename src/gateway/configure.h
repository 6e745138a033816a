/* gateway/configure.h - the sections of a configuration file that make a gateway. */
#ifndef HAFT_SRC_GATEWAY_CONFIGURE_H
#define HAFT_SRC_GATEWAY_CONFIGURE_H

#include "gateway/gateway.h"
#include "plugin/plugin.h"

struct configuration {
    haft_gateway *gateway; /* in whose arena everything is */
    const haft_mcp_options *endpoint;
    haft_schema *schema; /* of the section "gateway" */
    haft_section section;
    haft_plugins *plugins;
    haft_section plugin_section;
    const char **files; /* plugins that the program names */
    size_t n_files, room;
    bool loaded;         /* they have been */
    bool built;          /* from here on a change needs a restart */
    const char *started; /* the section as it was then, as JSON; "" for none */
    bool *ret_empty;     /* set when there is nothing to serve; may be NULL */
};

/* Frees what is not in the gateway's arena, after its servers; NULL is fine. */
void configuration_finish(struct configuration *configuration);

#endif
