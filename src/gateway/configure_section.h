/* gateway/configure_section.h - the section "gateway" of a configuration file.
 *
 * It is a declared type, so what is wrong with it is found as it is in a tool's arguments. */
#ifndef HAFT_SRC_GATEWAY_CONFIGURE_SECTION_H
#define HAFT_SRC_GATEWAY_CONFIGURE_SECTION_H

#include "gateway/configure.h"

HAFT_STRUCT(route_entry,
    HAFT_ARRAY(policies, HAFT_STRING(name, "A policy's name", .min = 1), "Policies of the route, outermost first"));
HAFT_STRUCT(endpoint_entry,
    HAFT_DEFAULT(HAFT_STRING(endpoint, "URL path of the endpoint", .starts = "/"), "/mcp"),
    HAFT_DEFAULT(HAFT_STRING(name, "Name of the server", .min = 1), "MCP Custom Server"),
    HAFT_DEFAULT(HAFT_STRING(version, "Version of the server", .min = 1), "0.0.0"),
    HAFT_DEFAULT(HAFT_STRING(tools, "Plugin tools to offer: get_*,-*_secret"), "*"),
    HAFT_OPTIONAL(HAFT_STRING(routes, "Ids of the routes to offer as tools")),
    HAFT_OPTIONAL(HAFT_ARRAY(policies, HAFT_STRING(name, "A policy's name", .min = 1),
                             "Policies of the endpoint, outermost first")));
HAFT_STRUCT(gateway_section,
    HAFT_OPTIONAL(HAFT_JSON(policies, "Policies, in the format of haft_policies_json")),
    HAFT_OPTIONAL(HAFT_MAP(routes, HAFT_OBJECT(entry, route_entry, "A route"), "Routes by method and path")),
    HAFT_OPTIONAL(HAFT_ARRAY(endpoints, HAFT_OBJECT(entry, endpoint_entry, "An endpoint"),
                             "MCP endpoints", .min = 1)));

/* Reads the section, NULL for none; what is read may point into the value. */
int hf_configure_read(const struct configuration *configuration, haft_value *value,
                      haft_arena *arena, gateway_section *ret_section, haft_reason *reterr_reason);
/* The section as one text, to see whether it has changed; NULL without memory. */
const char *hf_configure_write(haft_arena *arena, haft_value *value);
/* What the gateway said about something, at its place in the section. */
int hf_configure_refuse(const haft_gateway *gateway, int status, const char *place,
                        haft_reason *reterr_reason);

/* Of several things that are wrong, the first is the reason and the others are logged: the status of the
 * first. */
int hf_configure_collect(const haft_gateway *gateway, int before, int status,
                         const haft_reason *reason, haft_reason *reterr_reason);

/* Makes the policies of the section. */
int hf_configure_policies(haft_gateway *gateway, const gateway_section *section,
                          haft_reason *reterr_reason);
/* Names as the gateway takes them; NULL without memory. */
const char *hf_configure_join(haft_arena *arena, const char *const *names, size_t n);
/* The routes of the program, those of plugins, and the policies around them. */
int hf_configure_routes(const struct configuration *configuration, const gateway_section *section,
                        haft_reason *reterr_reason);

/* ---- endpoints, and what they offer (configure_endpoint.c) ---- */

/* What a server is to offer of plugins and routes, and what changes there. */
struct endpoint_offer {
    struct endpoint_offer *next;
    struct mcp *mcp; /* NULL for the routes' server */
    haft_server *server;
    const char *tools, *routes; /* which; NULL for none */
    char place[32];             /* in the section */
    struct item **items;        /* that come; the offer's but for those of routes */
    size_t n;
    bool is_new; /* nobody has seen the server yet */
    struct catalogue_plan plan;
};

/* Adds the endpoints of the section to the generation that is being made, and lists what every server of the
 * gateway is to offer.  Everything is in the arena. */
int hf_configure_endpoints(const struct configuration *configuration,
                           const gateway_section *section, haft_arena *arena,
                           struct endpoint_offer **ret_offers, haft_reason *reterr_reason);
/* Makes all of it ready; servers that nobody has seen have it at once. */
int hf_offers_prepare(const struct configuration *configuration, haft_arena *arena,
                      struct endpoint_offer *offers, haft_reason *reterr_reason);
/* Puts it in force, for the routes of a generation. */
void hf_offers_use(const struct configuration *configuration, struct endpoint_offer *offers,
                   struct generation *generation);
void hf_offers_discard(struct endpoint_offer *offers);

/* ---- another one while the gateway serves (configure_reload.c) ---- */

struct reconfiguration;

/* Makes what the section and the plugins ask for; *ret_change stays NULL when nothing has changed. */
int hf_reconfiguration_prepare(const struct configuration *configuration, haft_value *value,
                               struct reconfiguration **ret_change, haft_reason *reterr_reason);
void hf_reconfiguration_commit(const struct configuration *configuration,
                               struct reconfiguration *change);
/* Frees one that is not in force; NULL is fine. */
void hf_reconfiguration_discard(const struct configuration *configuration,
                                struct reconfiguration *change);

#endif
