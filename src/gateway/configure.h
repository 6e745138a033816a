/* gateway/configure.h - the sections of a configuration file for a gateway. */
#ifndef HAFT_SRC_GATEWAY_CONFIGURE_H
#define HAFT_SRC_GATEWAY_CONFIGURE_H

#include "gateway/gateway.h"
#include "plugin/plugin.h"

struct configuration {
    haft_gateway *gateway; /* its arena holds everything */
    const haft_mcp_options *endpoint;
    haft_schema *schema; /* schema of the section "gateway" */
    haft_section section;
    haft_plugins *plugins;
    haft_section plugin_section;
    const char **files; /* plugins named by the program */
    size_t n_files, room;
    bool loaded;     /* they have been loaded */
    bool *ret_empty; /* set if there is nothing to serve; may be NULL */
    /* Applies the command line's settings to the server of an endpoint that is added while serving;
     * NULL if there are none. */
    int (*adopt)(void *context, haft_server *server, const char *path, haft_reason *reterr_reason);
    void *adopt_context;
    bool upstreams_wait; /* until the command line begins to serve (hf_upstreams_begin) */
    bool confined;       /* a sandbox has been or will be entered: no upstream can be added */
};

/* ---- plugins (configure_plugin.c) ---- */

/* Creates the gateway's plugins, and adds their configuration section. */
int hf_configure_plugins(struct configuration *configuration);
/* Calls `add` for every plugin that has a part for gateways. */
int hf_configure_add_parts(const struct configuration *configuration,
                           int (*add)(haft_gateway *gateway, const haft_gateway_part *part),
                           haft_reason *reterr_reason);
/* Holds the plugins with such a part, for a generation. Returns 0 or HAFT_ENOMEM. */
int hf_configure_hold_plugins(const struct configuration *configuration,
                              struct generation *generation);
/* Whether it holds exactly those, in the same order. */
bool hf_configure_holds_plugins(const struct configuration *configuration,
                                const struct generation *generation);
int hf_part_add_policies(haft_gateway *gateway, const haft_gateway_part *part);
int hf_part_add_routes(haft_gateway *gateway, const haft_gateway_part *part);

/* ---- cleanup ---- */

/* Frees what is not in the gateway's arena, after its servers; NULL is ignored. */
void hf_configuration_finish(struct configuration *configuration);

#endif
