/* gateway/configure.h - the sections of a configuration file that make a gateway. */
#ifndef HAFT_SRC_GATEWAY_CONFIGURE_H
#define HAFT_SRC_GATEWAY_CONFIGURE_H

#include "gateway/gateway.h"
#include "plugin/plugin.h"

struct generation;

struct configuration {
    haft_gateway *gateway; /* in whose arena everything is */
    const haft_mcp_options *endpoint;
    haft_schema *schema; /* of the section "gateway" */
    haft_section section;
    haft_plugins *plugins;
    haft_section plugin_section;
    const char **files; /* plugins that the program names */
    size_t n_files, room;
    bool loaded;       /* they have been */
    bool built;        /* what the gateway has, policies excepted, stays as it is from here on */
    const char *text;  /* the section in force, as JSON; "" for none */
    const char *shape; /* what of it cannot change */
    size_t n_own;      /* endpoints that the program has added */
    struct policy *lasting;         /* policies that are not of the section, */
    struct policy *first;           /* and those of the first section before them */
    struct generation *generations; /* that came after it, the latest first */
    bool *ret_empty;                /* set when there is nothing to serve; may be NULL */
};

/* ---- plugins (configure_plugin.c) ---- */

/* Makes the gateway's plugins, and adds their section. */
int hf_configure_plugins(struct configuration *configuration);
/* Adds one thing of every plugin that has a part for gateways. */
int hf_configure_add_parts(const struct configuration *configuration,
                           int (*add)(haft_gateway *gateway, const haft_gateway_part *part),
                           haft_reason *reterr_reason);
int hf_part_add_policies(haft_gateway *gateway, const haft_gateway_part *part);
int hf_part_add_routes(haft_gateway *gateway, const haft_gateway_part *part);

/* ---- the end ---- */

/* Drops the policies that have been replaced; those of the gateway remain for hf_policies_free. */
void hf_configuration_drop_policies(struct configuration *configuration);
/* Frees what is not in the gateway's arena, after its servers; NULL is fine. */
void hf_configuration_finish(struct configuration *configuration);

#endif
