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
    bool loaded;     /* they have been */
    bool *ret_empty; /* set when there is nothing to serve; may be NULL */
    /* Says of the server of another endpoint, while the gateway serves, what was said of the others before;
     * NULL for nothing. */
    int (*adopt)(void *context, haft_server *server, haft_reason *reterr_reason);
    void *adopt_context;
};

/* ---- plugins (configure_plugin.c) ---- */

/* Makes the gateway's plugins, and adds their section. */
int hf_configure_plugins(struct configuration *configuration);
/* Adds one thing of every plugin that has a part for gateways. */
int hf_configure_add_parts(const struct configuration *configuration,
                           int (*add)(haft_gateway *gateway, const haft_gateway_part *part),
                           haft_reason *reterr_reason);
/* Holds the plugins that have such a part, for a generation; 0, or HAFT_ENOMEM. */
int hf_configure_hold_plugins(const struct configuration *configuration,
                              struct generation *generation);
/* Whether it holds those and no others, in the same order. */
bool hf_configure_holds_plugins(const struct configuration *configuration,
                                const struct generation *generation);
int hf_part_add_policies(haft_gateway *gateway, const haft_gateway_part *part);
int hf_part_add_routes(haft_gateway *gateway, const haft_gateway_part *part);

/* ---- the end ---- */

/* Frees what is not in the gateway's arena, after its servers; NULL is fine. */
void hf_configuration_finish(struct configuration *configuration);

#endif
