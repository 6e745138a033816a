/* gateway/configure_section.h - the section "gateway" of a configuration file.
 *
 * It is a declared type, so what is wrong with it is found as it is in a tool's arguments. */
#ifndef HAFT_SRC_GATEWAY_CONFIGURE_SECTION_H
#define HAFT_SRC_GATEWAY_CONFIGURE_SECTION_H

#include "gateway/configure.h"

HAFT_STRUCT(route_entry,
    HAFT_ARRAY(policies, HAFT_STRING(name, "A policy's name", .min = 1), "Around the route, the first outside"));
HAFT_STRUCT(endpoint_entry,
    HAFT_DEFAULT(HAFT_STRING(endpoint, "Its path", .starts = "/"), "/mcp"),
    HAFT_DEFAULT(HAFT_STRING(name, "What it is called", .min = 1), "MCP Custom Server"),
    HAFT_DEFAULT(HAFT_STRING(version, "Its version", .min = 1), "0.0.0"),
    HAFT_DEFAULT(HAFT_STRING(tools, "Which tools of plugins it has: get_*,-*_secret"), "*"),
    HAFT_OPTIONAL(HAFT_STRING(routes, "Which routes are tools, by their ids")),
    HAFT_OPTIONAL(HAFT_ARRAY(policies, HAFT_STRING(name, "A policy's name", .min = 1),
                             "Around the endpoint, the first outside")));
HAFT_STRUCT(gateway_section,
    HAFT_OPTIONAL(HAFT_JSON(policies, "As haft_policies_json takes them")),
    HAFT_OPTIONAL(HAFT_MAP(routes, HAFT_OBJECT(entry, route_entry, "One route"), "By method and path")),
    HAFT_OPTIONAL(HAFT_ARRAY(endpoints, HAFT_OBJECT(entry, endpoint_entry, "One endpoint"),
                             "MCP endpoints", .min = 1)));

/* Reads the section, NULL for none; what is read may point into the value. */
int hf_configure_read(const struct configuration *configuration, haft_value *value,
                      haft_arena *arena, gateway_section *ret_section, haft_reason *reterr_reason);
/* The section as one text, to see whether it has changed; NULL without memory. */
const char *hf_configure_write(haft_arena *arena, haft_value *value);
/* What cannot change while the gateway serves, as text: endpoints but for their policies.  NULL
 * without memory. */
const char *hf_configure_shape(haft_arena *arena, const gateway_section *section);

/* What the gateway said about something, at its place in the section. */
int hf_configure_refuse(const haft_gateway *gateway, int status, const char *place,
                        haft_reason *reterr_reason);

/* Makes the policies of the section. */
int hf_configure_policies(haft_gateway *gateway, const gateway_section *section,
                          haft_reason *reterr_reason);
/* Names as the gateway takes them; NULL without memory. */
const char *hf_configure_join(haft_arena *arena, const char *const *names, size_t n);
/* Whether every route of the section is there: 0, or an error. */
int hf_configure_check_routes(const haft_gateway *gateway, const gateway_section *section,
                              haft_reason *reterr_reason);
/* The policies around a route as the section has them, or else as the route has them itself. */
int hf_configure_route(haft_gateway *gateway, const struct route *route,
                       const gateway_section *section, const struct policy_list **ret_list,
                       haft_reason *reterr_reason);

/* ---- another one while the gateway serves (configure_reload.c) ---- */

/* Makes a generation of the section; *ret_prepared stays as it is when nothing has changed. */
int hf_generation_prepare(const struct configuration *configuration, haft_value *value,
                          void **ret_prepared, haft_reason *reterr_reason);
/* Puts it in force; false when it needs a restart.  Requests that are on their way keep to the
 * policies that they have. */
bool hf_generation_use(struct configuration *configuration, struct generation *generation);
/* Frees one that is not in force; NULL is fine. */
void hf_generation_free(const struct configuration *configuration, struct generation *generation);
void hf_generations_free(struct configuration *configuration);

#endif
