/* configure.c - a gateway from a configuration file: what plugins bring, policies, those around
 * routes, and MCP endpoints. */
#include "gateway/configure_section.h"

#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "schema/model/node.h"
#include "base/struct.h"

enum { CONFIGURE_TEXT_LIMIT = 1 << 20, CONFIGURE_PLACE = 160, ROUTES_SUGGESTED = 32 };

/* ---- what is wrong ---- */

/* The first issue, by its path. */
static int configure_refuse_issue(const haft_issues *issues, haft_reason *reterr_reason)
{
    haft_buffer path;
    int status = HAFT_EINVAL;

    haft_buffer_init(&path, NULL, CONFIGURE_TEXT_LIMIT);
    haft_issue_path(&issues->list[0], &path);
    haft_buffer_add(&path, "", 1);
    if (path.status)
        status = HAFT_ENOMEM;
    else
        hf_error_set(reterr_reason, status, path.data, "%s", issues->list[0].message);
    haft_buffer_finish(&path);
    return status;
}

int hf_configure_refuse(const haft_gateway *gateway, int status, const char *place,
                        haft_reason *reterr_reason)
{
    const haft_reason *error = haft_gateway_error(gateway);
    bool more = *error->path && strcmp(error->path, place) != 0;

    return hf_error_set(reterr_reason, status, place, "%s%s%s", more ? error->path : "",
                        more ? ": " : "", error->text);
}

/* ---- policies ---- */

int hf_configure_policies(haft_gateway *gateway, const gateway_section *section,
                          haft_reason *reterr_reason)
{
    haft_buffer text;
    int status;

    if (!section->policies)
        return 0;
    haft_buffer_init(&text, NULL, CONFIGURE_TEXT_LIMIT);
    haft_json_write(section->policies, &text);
    status = text.status ? text.status : haft_policies_json(gateway, text.data, text.size);
    haft_buffer_finish(&text);
    return status ? hf_configure_refuse(gateway, status, "policies", reterr_reason) : 0;
}

const char *hf_configure_join(haft_arena *arena, const char *const *names, size_t n)
{
    const char *joined = "";

    for (size_t i = 0; i < n && joined; i++)
        joined = haft_arena_printf(arena, "%s%s%s", joined, i ? "," : "", names[i]);
    return joined;
}

/* ---- routes ---- */

/* Whether it is the one of this name: "GET /customers". */
static bool configure_is_route(const struct route *route, const char *name)
{
    size_t size = strlen(route->method);

    return !strncmp(name, route->method, size) && name[size] == ' ' &&
           !strcmp(name + size + 1, route->path);
}

static int configure_refuse_route(const haft_gateway *gateway, const char *name,
                                  haft_reason *reterr_reason)
{
    struct nearest search = hf_nearest_begin(name);
    char place[CONFIGURE_PLACE], names[ROUTES_SUGGESTED][CONFIGURE_PLACE];
    const struct route *route = gateway->routes;

    for (size_t i = 0; i < ROUTES_SUGGESTED && route; i++, route = route->next) {
        snprintf(names[i], CONFIGURE_PLACE, "%s %s", route->method, route->path);
        hf_nearest_offer(&search, names[i]);
    }
    snprintf(place, sizeof place, "routes.%s", name);
    return hf_error_set(reterr_reason, HAFT_EINVAL, place, "there is no such route%s%s%s",
                        search.name ? "; did you mean " : "", search.name ? search.name : "",
                        search.name ? "?" : "");
}

int hf_configure_route(haft_gateway *gateway, const struct route *route,
                       const gateway_section *section, const struct policy_list **ret_list,
                       haft_reason *reterr_reason)
{
    const char *names = route->info->policies;
    char place[CONFIGURE_PLACE];

    for (size_t i = 0; i < section->n_routes; i++)
        if (configure_is_route(route, section->routes_keys[i])) {
            names = hf_configure_join(gateway->arena, section->routes[i].policies,
                                      section->routes[i].n_policies);
            if (!names)
                return HAFT_ENOMEM;
        }
    snprintf(place, sizeof place, "routes.%s %s", route->method, route->path);
    return hf_policies_find(gateway, route->id, names, ret_list)
               ? hf_configure_refuse(gateway, HAFT_EINVAL, place, reterr_reason)
               : 0;
}

int hf_configure_check_routes(const haft_gateway *gateway, const gateway_section *section,
                              haft_reason *reterr_reason)
{
    for (size_t i = 0; i < section->n_routes; i++) {
        const struct route *route = gateway->routes;

        while (route && !configure_is_route(route, section->routes_keys[i]))
            route = route->next;
        if (!route)
            return configure_refuse_route(gateway, section->routes_keys[i], reterr_reason);
    }
    return 0;
}

static int configure_routes(haft_gateway *gateway, const gateway_section *section,
                            haft_reason *reterr_reason)
{
    int status = hf_configure_check_routes(gateway, section, reterr_reason);

    for (struct route *route = gateway->routes; route && !status; route = route->next) {
        const struct policy_list *list;

        status = hf_configure_route(gateway, route, section, &list, reterr_reason);
        if (!status)
            atomic_store(&route->policies, list);
    }
    return status;
}

/* ---- endpoints ---- */

/* Tools of plugins come before routes that are tools. */
static int configure_endpoint(const struct configuration *configuration, haft_mcp_options options,
                              const char *tools, const char *place, haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    const char *routes = options.routes;
    haft_server *server;
    haft_reason reason = {.code = 0};
    int status;

    options.routes = NULL;
    server = haft_mcp_add(gateway, &options);
    if (!server)
        return hf_configure_refuse(gateway, HAFT_EINVAL, place, reterr_reason);
    status = hf_plugins_offer(configuration->plugins, server, tools, &reason);
    if (status)
        return hf_error_set(reterr_reason, status, place, "%s: %s", reason.path, reason.text);
    status = hf_mcp_add_routes(gateway, server, routes);
    return status ? hf_configure_refuse(gateway, status, place, reterr_reason) : 0;
}

static int configure_entry(const struct configuration *configuration, const endpoint_entry *entry,
                           size_t i, haft_reason *reterr_reason)
{
    haft_arena *arena = configuration->gateway->arena;
    haft_mcp_options options =
        HAFT_INIT(haft_mcp_options, .name = entry->name, .version = entry->version,
                  .endpoint = haft_arena_copy(arena, entry->endpoint, strlen(entry->endpoint)),
                  .routes = entry->routes,
                  .policies = hf_configure_join(arena, entry->policies, entry->n_policies));
    const char *tools = haft_arena_copy(arena, entry->tools, strlen(entry->tools));
    char place[CONFIGURE_PLACE];

    if (!options.endpoint || !options.policies || !tools)
        return HAFT_ENOMEM;
    snprintf(place, sizeof place, "endpoints.%zu", i);
    return configure_endpoint(configuration, options, tools, place, reterr_reason);
}

static int configure_endpoints(const struct configuration *configuration,
                               const gateway_section *section, haft_reason *reterr_reason)
{
    haft_mcp_options endpoint;
    const struct mcp *own = configuration->gateway->endpoints;
    int status = 0;

    if (own && !section->n_endpoints)
        return hf_plugins_offer(configuration->plugins, own->server, "*", reterr_reason);
    if (!section->n_endpoints &&
        !hf_struct_read(&endpoint, sizeof endpoint, configuration->endpoint))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "haft_mcp_options", STRUCT_UNSIZED);
    if (!section->n_endpoints)
        return configure_endpoint(configuration, endpoint, "*", "", reterr_reason);
    for (size_t i = 0; i < section->n_endpoints && !status; i++)
        status = configure_entry(configuration, &section->endpoints[i], i, reterr_reason);
    return status;
}

/* ---- the section ---- */

static int configure_build(struct configuration *configuration, const gateway_section *section,
                           haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    int status = hf_configure_add_parts(configuration, hf_part_add_policies, reterr_reason);

    configuration->lasting = gateway->policies;
    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next)
        configuration->n_own++;
    if (!status)
        status = hf_configure_policies(gateway, section, reterr_reason);
    if (!status)
        status = hf_configure_add_parts(configuration, hf_part_add_routes, reterr_reason);
    if (!status)
        status = configure_routes(gateway, section, reterr_reason);
    configuration->first = gateway->policies;
    return status ? status : configure_endpoints(configuration, section, reterr_reason);
}

const char *hf_configure_write(haft_arena *arena, haft_value *value)
{
    haft_buffer text;
    const char *copy = "";

    if (!value)
        return copy;
    haft_buffer_init(&text, NULL, CONFIGURE_TEXT_LIMIT);
    haft_json_write(value, &text);
    copy = text.status ? NULL : haft_arena_copy(arena, text.data, text.size);
    haft_buffer_finish(&text);
    return copy;
}

int hf_configure_read(const struct configuration *configuration, haft_value *value,
                      haft_arena *arena, gateway_section *ret_section, haft_reason *reterr_reason)
{
    haft_issues issues = {0};
    int status;

    *ret_section = (gateway_section){.n_routes = 0};
    status =
        value ? haft_schema_decode(configuration->schema, value, arena, ret_section, &issues) : 0;
    return issues.count ? configure_refuse_issue(&issues, reterr_reason) : status;
}

const char *hf_configure_shape(haft_arena *arena, const gateway_section *section)
{
    const char *shape = "";

    for (size_t i = 0; i < section->n_endpoints && shape; i++) {
        const endpoint_entry *entry = &section->endpoints[i];

        shape = haft_arena_printf(arena, "%s%s\n%s\n%s\n%s\n%s%s\n", shape, entry->endpoint,
                                  entry->name, entry->version, entry->tools,
                                  entry->routes ? "+" : "-", entry->routes ? entry->routes : "");
    }
    return shape;
}

static bool configure_is_empty(const struct configuration *configuration)
{
    const haft_gateway *gateway = configuration->gateway;
    const haft_gateway_part *part;
    const char *path;

    return !gateway->routes && !gateway->endpoints &&
           !hf_plugins_part_at(configuration->plugins, 0, &path, &part);
}

static int configure_begin(struct configuration *configuration, haft_value *value,
                           haft_reason *reterr_reason)
{
    haft_arena *arena = configuration->gateway->arena;
    gateway_section section;
    int status;

    if (!value && configure_is_empty(configuration)) {
        if (configuration->ret_empty)
            *configuration->ret_empty = true;
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "there is nothing to serve");
    }
    configuration->text = hf_configure_write(arena, value);
    status = hf_configure_read(configuration, value, arena, &section, reterr_reason);
    if (status)
        return status;
    configuration->shape = hf_configure_shape(arena, &section);
    if (!configuration->text || !configuration->shape)
        return HAFT_ENOMEM;
    return configure_build(configuration, &section, reterr_reason);
}

/* ---- in two steps ---- */

static int configure_prepare(void *context, haft_value *value, void **ret_prepared,
                             haft_reason *reterr_reason)
{
    struct configuration *configuration = context;

    *ret_prepared = NULL;
    return configuration->built
               ? hf_generation_prepare(configuration, value, ret_prepared, reterr_reason)
               : configure_begin(configuration, value, reterr_reason);
}

static void configure_commit(void *context, void *prepared)
{
    struct configuration *configuration = context;
    struct generation *generation = prepared;
    haft_server *server = configuration->gateway->server;

    configuration->built = true;
    hf_plugins_fix_routes(configuration->plugins);
    if (!generation)
        return;
    if (hf_generation_use(configuration, generation)) {
        hf_server_log(server, HAFT_NOTICE, "gateway: other policies apply");
        return;
    }
    hf_server_log(server, HAFT_WARNING, "gateway: a change needs a restart");
    hf_generation_free(configuration, generation);
}

static void configure_discard(void *context, void *prepared)
{
    hf_generation_free(context, prepared);
}

/* ---- life ---- */

static int configuration_init(struct configuration *configuration)
{
    haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = configuration->gateway->allocator);

    int status = hf_configure_plugins(configuration);

    configuration->section = (haft_section)HAFT_INIT(
        haft_section, .name = "gateway", .prepare = configure_prepare, .commit = configure_commit,
        .discard = configure_discard, .context = configuration);
    if (!status)
        status = haft_schema_compile(&gateway_section_type, &options, &configuration->schema, NULL);
    return status ? status
                  : haft_section_add(configuration->gateway->server, &configuration->section);
}

int haft_gateway_configure(haft_gateway *gateway, const haft_mcp_options *endpoint)
{
    struct configuration *configuration;

    if (!gateway)
        return HAFT_EINVAL;
    if (gateway->configuration)
        return hf_gateway_refuse(gateway, HAFT_EEXISTS, "gateway", "it is configured already");
    configuration = haft_arena_zalloc(gateway->arena, 1, sizeof *configuration);
    if (!configuration)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, "gateway", "out of memory");
    configuration->gateway = gateway;
    configuration->endpoint = endpoint;
    gateway->configuration = configuration;
    return configuration_init(configuration);
}

void hf_configuration_finish(struct configuration *configuration)
{
    if (!configuration)
        return;
    hf_generations_free(configuration);
    haft_plugins_free(configuration->plugins);
    haft_schema_free(configuration->schema);
}
