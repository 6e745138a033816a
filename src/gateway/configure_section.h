/* gateway/configure_section.h - the section "gateway" of a configuration file.
 *
 * It is a declared type, so it is validated like a tool's arguments. */
#ifndef HAFT_SRC_GATEWAY_CONFIGURE_SECTION_H
#define HAFT_SRC_GATEWAY_CONFIGURE_SECTION_H

#include "gateway/configure.h"
#include "gateway/shape_entry.h"

HAFT_STRUCT(route_entry,
    HAFT_OPTIONAL(HAFT_ARRAY(policies, HAFT_STRING(name, "A policy's name", .min = 1), "Policies of the route, outermost first")),
    HAFT_OPTIONAL(HAFT_STRING(upstream, "HTTP upstream that answers: this adds the route", .min = 1)),
    HAFT_OPTIONAL(HAFT_STRING(path, "Path at the upstream, with the route's variables: that of the route", .starts = "/")));
HAFT_STRUCT(search_entry,
    HAFT_DEFAULT(HAFT_INTEGER(above, "Number of tools that a client may see, above which it searches; 0 means always",
                              .min = 0, .max = 1000000), 50),
    HAFT_DEFAULT(HAFT_STRING(pinned, "Tools that stay in the list: get_*,-*_secret"), ""),
    HAFT_DEFAULT(HAFT_INTEGER(results, "Maximum number of tools that a search returns", .min = 1, .max = 100), 10));
HAFT_STRUCT(endpoint_entry,
    HAFT_DEFAULT(HAFT_STRING(endpoint, "URL path of the endpoint", .starts = "/"), "/mcp"),
    HAFT_DEFAULT(HAFT_STRING(name, "Name of the server", .min = 1), "MCP Custom Server"),
    HAFT_DEFAULT(HAFT_STRING(version, "Version of the server", .min = 1), "0.0.0"),
    HAFT_DEFAULT(HAFT_STRING(tools, "Plugin tools to offer: get_*,-*_secret"), "*"),
    HAFT_OPTIONAL(HAFT_STRING(routes, "Ids of the routes to offer as tools")),
    HAFT_DEFAULT(HAFT_STRING(upstreams, "Names of the upstreams to offer: pets,-internal"), "*"),
    HAFT_OPTIONAL(HAFT_OBJECT(search, search_entry, "Search for tools instead of a list of all")),
    HAFT_OPTIONAL(HAFT_STRING(skills, "Directory whose skills to offer", .min = 1)),
    HAFT_OPTIONAL(HAFT_ARRAY(policies, HAFT_STRING(name, "A policy's name", .min = 1),
                             "Policies of the endpoint, outermost first")));
HAFT_STRUCT(upstream_entry,
    HAFT_OPTIONAL(HAFT_STRING(prefix, "Begins the names of its tools, with __ after it: the upstream's name; none for no prefix")),
    HAFT_OPTIONAL(HAFT_STRING(tools, "Tools of the upstream to offer, without prefix: get_*,-*_secret")),
    HAFT_OPTIONAL(HAFT_JSON(http, "An HTTP API")),
    HAFT_OPTIONAL(HAFT_JSON(command, "Programs")),
    HAFT_OPTIONAL(HAFT_JSON(mcp, "Another MCP server")));
HAFT_STRUCT(gateway_section,
    HAFT_OPTIONAL(HAFT_MAP(upstreams, HAFT_OBJECT(entry, upstream_entry, "An upstream"), "HTTP APIs, programs and other MCP servers, by name")),
    HAFT_OPTIONAL(HAFT_JSON(policies, "Policies, in the format of haft_policies_json")),
    HAFT_OPTIONAL(HAFT_MAP(routes, HAFT_OBJECT(entry, route_entry, "A route"), "Routes by method and path")),
    HAFT_OPTIONAL(HAFT_ARRAY(endpoints, HAFT_OBJECT(entry, endpoint_entry, "An endpoint"),
                             "MCP endpoints", .min = 1)),
    HAFT_OPTIONAL(HAFT_ARRAY(shaping, HAFT_OBJECT(entry, shape_entry, "A rule"),
                             "What becomes of the results of tools; the first rule for a tool applies")));

/* Reads the section, which may be NULL; the result may point into the value. */
int hf_configure_read(const struct configuration *configuration, haft_value *value,
                      haft_arena *arena, gateway_section *ret_section, haft_reason *reterr_reason);
/* Whether an option of a policy with this name names a file: "file", "key_file". */
bool hf_configure_is_file(const char *name);
/* Appends what tells the files that a value names from those that were read: options called "file" and
 * the like, and secrets, "@FILE". */
void hf_configure_put_files(haft_value *value, unsigned depth, haft_buffer *text);
/* The section as text, with what tells its policies' files apart, to detect changes; NULL without
 * memory. */
const char *hf_configure_write(haft_arena *arena, haft_value *value);
/* Reports an error of the gateway at its place in the section. */
int hf_configure_refuse(const haft_gateway *gateway, int status, const char *place,
                        haft_reason *reterr_reason);

/* Of several errors, the first is the reason and the others are logged. Returns the status of the
 * first. */
int hf_configure_collect(const haft_gateway *gateway, int before, int status,
                         const haft_reason *reason, haft_reason *reterr_reason);

/* Creates the policies of the section. */
int hf_configure_policies(haft_gateway *gateway, const gateway_section *section,
                          haft_reason *reterr_reason);
/* Joins names to a list for the gateway; NULL without memory. */
const char *hf_configure_join(haft_arena *arena, const char *const *names, size_t n);
/* Adds the routes of the program and of plugins, with their policies. */
int hf_configure_routes(const struct configuration *configuration, const gateway_section *section,
                        haft_reason *reterr_reason);

/* Adds the routes of the section that upstreams answer (configure_upstream.c). */
int hf_configure_proxies(const struct configuration *configuration, const gateway_section *section,
                         haft_reason *reterr_reason);

/* ---- endpoints, and their offers (configure_endpoint.c) ---- */

/* The items of plugins and routes that a server will offer, and the changes to it. */
struct endpoint_offer {
    struct endpoint_offer *next;
    struct mcp *mcp; /* NULL for the routes' server */
    haft_server *server;
    const char *tools, *routes, *upstreams; /* patterns; NULL for none */
    char place[32];                         /* path in the section */
    const haft_search *search;              /* NULL for none */
    const char *skills;                     /* directory; NULL for none */
    struct item **items; /* new items; owned by the offer, except those of routes */
    size_t n;
    bool is_new; /* the server is not in use yet */
    struct catalogue_plan plan;
};

/* Adds the endpoints of the section to the new generation, and lists the offers of every server of
 * the gateway. Everything is in the arena. */
int hf_configure_endpoints(const struct configuration *configuration,
                           const gateway_section *section, haft_arena *arena,
                           struct endpoint_offer **ret_offers, haft_reason *reterr_reason);
/* Prepares all of them; servers that are not in use get them at once. */
int hf_offers_prepare(const struct configuration *configuration, haft_arena *arena,
                      struct endpoint_offer *offers, haft_reason *reterr_reason);
/* Activates them, for the routes of a generation. */
void hf_offers_use(const struct configuration *configuration, struct endpoint_offer *offers,
                   struct generation *generation);
void hf_offers_discard(struct endpoint_offer *offers);

/* ---- reconfiguration while serving (configure_reload.c) ---- */

struct reconfiguration;

/* Prepares what the section and the plugins request; *ret_change remains NULL if nothing has
 * changed. */
int hf_reconfiguration_prepare(const struct configuration *configuration, haft_value *value,
                               struct reconfiguration **ret_change, haft_reason *reterr_reason);
void hf_reconfiguration_commit(const struct configuration *configuration,
                               struct reconfiguration *change);
/* Frees one that is not active; NULL is ignored. */
void hf_reconfiguration_discard(const struct configuration *configuration,
                                struct reconfiguration *change);

#endif
