/* configure.c - a gateway from a configuration file: what plugins bring, policies, those around
 * routes, and MCP endpoints.
 *
 * The section "gateway" is a declared type, so what is wrong with it is found as it is in a tool's
 * arguments.  What the gateway has cannot change while it serves: the section applies at start-up,
 * and a later one is only checked. */
#include "gateway/configure.h"

#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "schema/model/node.h"

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

enum { TEXT_LIMIT = 1 << 20, PLACE = 160, FIRST_FILES = 8, ROUTES_SUGGESTED = 32 };

/* ---- what is wrong ---- */

/* The first issue, by its path. */
static int configure_refuse_issue(const haft_issues *issues, haft_reason *reterr_reason)
{
    haft_buffer path;
    int status = HAFT_EINVAL;

    haft_buffer_init(&path, NULL, TEXT_LIMIT);
    haft_issue_path(&issues->list[0], &path);
    haft_buffer_add(&path, "", 1);
    if (path.status)
        status = HAFT_ENOMEM;
    else
        error_set(reterr_reason, status, path.data, "%s", issues->list[0].message);
    haft_buffer_finish(&path);
    return status;
}

/* What the gateway said about something, at its place in the section. */
static int configure_refuse(const haft_gateway *gateway, int status, const char *place,
                            haft_reason *reterr_reason)
{
    const haft_reason *error = haft_gateway_error(gateway);
    bool more = *error->path && strcmp(error->path, place) != 0;

    return error_set(reterr_reason, status, place, "%s%s%s", more ? error->path : "",
                     more ? ": " : "", error->text);
}

/* ---- what plugins bring ---- */

static int part_add_policies(haft_gateway *gateway, const haft_gateway_part *part)
{
    int status = 0;

    for (size_t i = 0; part->policy_kinds && part->policy_kinds[i] && !status; i++)
        status = haft_policy_kind_add(gateway, part->policy_kinds[i]);
    for (size_t i = 0; part->policies && part->policies[i] && !status; i++)
        status = haft_policy_add(gateway, part->policies[i]);
    return status;
}

static int part_add_routes(haft_gateway *gateway, const haft_gateway_part *part)
{
    int status = 0;

    for (size_t i = 0; part->routes && part->routes[i] && !status; i++)
        status = haft_route(gateway, part->routes[i]);
    return status;
}

static bool part_has_right_sizes(const haft_gateway_part *part)
{
    static const unsigned sizes[HAFT_GATEWAY_SIZES_] = HAFT_GATEWAY_LAYOUT_;

    return !memcmp(part->sizes, sizes, sizeof sizes);
}

/* Adds one thing of every plugin that has a part for gateways. */
static int configure_add_parts(const struct configuration *configuration,
                               int (*add)(haft_gateway *gateway, const haft_gateway_part *part),
                               haft_reason *reterr_reason)
{
    const haft_gateway_part *part;
    const char *path;

    for (size_t i = 0; plugins_part_at(configuration->plugins, i, &path, &part); i++) {
        const haft_reason *error = haft_gateway_error(configuration->gateway);
        int status;

        if (!part)
            continue;
        if (!part_has_right_sizes(part))
            return error_set(reterr_reason, HAFT_EINVAL, "",
                             "%s was compiled with the headers of another haft than this, %s", path,
                             HAFT_VERSION);
        status = add(configuration->gateway, part);
        if (status)
            return error_set(reterr_reason, status, "", "%s: %s: %s", path, error->path,
                             error->text);
    }
    return 0;
}

/* ---- policies ---- */

static int configure_policies(haft_gateway *gateway, const gateway_section *section,
                              haft_reason *reterr_reason)
{
    haft_buffer text;
    int status;

    if (!section->policies)
        return 0;
    haft_buffer_init(&text, NULL, TEXT_LIMIT);
    haft_json_write(section->policies, &text);
    status = text.status ? text.status : haft_policies_json(gateway, text.data, text.size);
    haft_buffer_finish(&text);
    return status ? configure_refuse(gateway, status, "policies", reterr_reason) : 0;
}

/* Names as the gateway takes them; NULL without memory. */
static const char *configure_join(haft_arena *arena, const char *const *names, size_t n)
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
    struct nearest search = nearest_begin(name);
    char place[PLACE], names[ROUTES_SUGGESTED][PLACE];
    const struct route *route = gateway->routes;

    for (size_t i = 0; i < ROUTES_SUGGESTED && route; i++, route = route->next) {
        snprintf(names[i], PLACE, "%s %s", route->method, route->path);
        nearest_offer(&search, names[i]);
    }
    snprintf(place, sizeof place, "routes.%s", name);
    return error_set(reterr_reason, HAFT_EINVAL, place, "there is no such route%s%s%s",
                     search.name ? "; did you mean " : "", search.name ? search.name : "",
                     search.name ? "?" : "");
}

static int configure_route(haft_gateway *gateway, const char *name, const route_entry *entry,
                           haft_reason *reterr_reason)
{
    const char *names = configure_join(gateway->arena, entry->policies, entry->n_policies);
    struct route *route = gateway->routes;
    char place[PLACE];
    int status;

    while (route && !configure_is_route(route, name))
        route = route->next;
    if (!names)
        return HAFT_ENOMEM;
    if (!route)
        return configure_refuse_route(gateway, name, reterr_reason);
    status = policies_find(gateway, route->id, names, &route->policies);
    route->quick = route->info->quick && !route->policies.blocks;
    snprintf(place, sizeof place, "routes.%s", name);
    return status ? configure_refuse(gateway, HAFT_EINVAL, place, reterr_reason) : 0;
}

static int configure_routes(haft_gateway *gateway, const gateway_section *section,
                            haft_reason *reterr_reason)
{
    int status = 0;

    for (size_t i = 0; i < section->n_routes && !status; i++)
        status =
            configure_route(gateway, section->routes_keys[i], &section->routes[i], reterr_reason);
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
    server = haft_mcp(gateway, &options);
    if (!server)
        return configure_refuse(gateway, HAFT_EINVAL, place, reterr_reason);
    status = plugins_offer(configuration->plugins, server, tools, &reason);
    if (status)
        return error_set(reterr_reason, status, place, "%s: %s", reason.path, reason.text);
    status = mcp_add_routes(gateway, server, routes);
    return status ? configure_refuse(gateway, status, place, reterr_reason) : 0;
}

static int configure_entry(const struct configuration *configuration, const endpoint_entry *entry,
                           size_t i, haft_reason *reterr_reason)
{
    haft_arena *arena = configuration->gateway->arena;
    haft_mcp_options options = {
        .name = entry->name,
        .version = entry->version,
        .endpoint = haft_arena_copy(arena, entry->endpoint, strlen(entry->endpoint)),
        .routes = entry->routes,
        .policies = configure_join(arena, entry->policies, entry->n_policies)};
    const char *tools = haft_arena_copy(arena, entry->tools, strlen(entry->tools));
    char place[PLACE];

    if (!options.endpoint || !options.policies || !tools)
        return HAFT_ENOMEM;
    snprintf(place, sizeof place, "endpoints.%zu", i);
    return configure_endpoint(configuration, options, tools, place, reterr_reason);
}

static int configure_endpoints(const struct configuration *configuration,
                               const gateway_section *section, haft_reason *reterr_reason)
{
    static const haft_mcp_options defaults;
    const struct mcp *own = configuration->gateway->endpoints;
    int status = 0;

    if (own && !section->n_endpoints)
        return plugins_offer(configuration->plugins, own->server, "*", reterr_reason);
    if (!section->n_endpoints)
        return configure_endpoint(configuration,
                                  configuration->endpoint ? *configuration->endpoint : defaults,
                                  "*", "", reterr_reason);
    for (size_t i = 0; i < section->n_endpoints && !status; i++)
        status = configure_entry(configuration, &section->endpoints[i], i, reterr_reason);
    return status;
}

/* ---- the section ---- */

static int configure_build(const struct configuration *configuration,
                           const gateway_section *section, haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    int status = configure_add_parts(configuration, part_add_policies, reterr_reason);

    if (!status)
        status = configure_policies(gateway, section, reterr_reason);
    if (!status)
        status = configure_add_parts(configuration, part_add_routes, reterr_reason);
    if (!status)
        status = configure_routes(gateway, section, reterr_reason);
    return status ? status : configure_endpoints(configuration, section, reterr_reason);
}

/* The section as one text, to see whether it has changed; NULL without memory. */
static const char *configure_write(haft_arena *arena, haft_value *value)
{
    haft_buffer text;
    const char *copy = "";

    if (!value)
        return copy;
    haft_buffer_init(&text, NULL, TEXT_LIMIT);
    haft_json_write(value, &text);
    copy = text.status ? NULL : haft_arena_copy(arena, text.data, text.size);
    haft_buffer_finish(&text);
    return copy;
}

static int configure_read(const struct configuration *configuration, haft_value *value,
                          haft_arena *arena, gateway_section *ret_section,
                          haft_reason *reterr_reason)
{
    haft_issues issues = {0};
    int status;

    *ret_section = (gateway_section){.n_routes = 0};
    status = value ? haft_decode(configuration->schema, value, arena, ret_section, &issues) : 0;
    return issues.count ? configure_refuse_issue(&issues, reterr_reason) : status;
}

/* Only whether it is right, and whether it is another one. */
static int configure_look_again(const struct configuration *configuration, haft_value *value,
                                bool *ret_changed, haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(NULL, TEXT_LIMIT * 8);
    const char *text = arena ? configure_write(arena, value) : NULL;
    gateway_section section;
    int status = HAFT_ENOMEM;

    if (text)
        status = configure_read(configuration, value, arena, &section, reterr_reason);
    *ret_changed = text && strcmp(text, configuration->started) != 0;
    haft_arena_free(arena);
    return status;
}

static bool configure_is_empty(const struct configuration *configuration)
{
    const haft_gateway *gateway = configuration->gateway;
    const haft_gateway_part *part;
    const char *path;

    return !gateway->routes && !gateway->endpoints &&
           !plugins_part_at(configuration->plugins, 0, &path, &part);
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
        return error_set(reterr_reason, HAFT_EINVAL, "", "there is nothing to serve");
    }
    configuration->started = configure_write(arena, value);
    if (!configuration->started)
        return HAFT_ENOMEM;
    status = configure_read(configuration, value, arena, &section, reterr_reason);
    return status ? status : configure_build(configuration, &section, reterr_reason);
}

/* What is prepared is the server to complain to when there is something to complain about. */
static int configure_prepare(void *context, haft_value *value, void **ret_prepared,
                             haft_reason *reterr_reason)
{
    struct configuration *configuration = context;
    bool changed = false;
    int status;

    status = configuration->built
                 ? configure_look_again(configuration, value, &changed, reterr_reason)
                 : configure_begin(configuration, value, reterr_reason);
    *ret_prepared = changed ? configuration->gateway->server : NULL;
    return status;
}

static void configure_commit(void *context, void *prepared)
{
    struct configuration *configuration = context;

    if (prepared)
        server_log(prepared, HAFT_WARNING, "gateway: a change needs a restart");
    configuration->built = true;
    plugins_fix_routes(configuration->plugins);
}

/* ---- plugins ---- */

/* Those that the program names come first, and are there before the configuration's. */
static int configure_load(struct configuration *configuration, haft_reason *reterr_reason)
{
    haft_reason reason = {.code = 0};
    int status = haft_plugins_set(configuration->plugins, configuration->files,
                                  configuration->n_files, &reason);

    configuration->loaded = !status;
    return status ? error_set(reterr_reason, status, "", "%s: %s", reason.path, reason.text) : 0;
}

static int configure_prepare_plugins(void *context, haft_value *value, void **ret_prepared,
                                     haft_reason *reterr_reason)
{
    struct configuration *configuration = context;
    const haft_section *section = haft_plugins_section(configuration->plugins);
    int status = configuration->loaded ? 0 : configure_load(configuration, reterr_reason);

    return status ? status : section->prepare(section->context, value, ret_prepared, reterr_reason);
}

static void configure_commit_plugins(void *context, void *prepared)
{
    const struct configuration *configuration = context;
    const haft_section *section = haft_plugins_section(configuration->plugins);

    section->commit(section->context, prepared);
}

static void configure_discard_plugins(void *context, void *prepared)
{
    const struct configuration *configuration = context;
    const haft_section *section = haft_plugins_section(configuration->plugins);

    section->discard(section->context, prepared);
}

int haft_gateway_plugin(haft_gateway *gateway, const char *path)
{
    struct configuration *configuration = gateway ? gateway->configuration : NULL;
    const char *copy;

    if (!configuration || !path)
        return HAFT_EINVAL;
    if (configuration->n_files == configuration->room) {
        size_t room = configuration->room ? 2 * configuration->room : FIRST_FILES;
        const char **files = haft_arena_zalloc(gateway->arena, room, sizeof *files);

        if (!files)
            return HAFT_ENOMEM;
        if (configuration->n_files)
            memcpy(files, configuration->files, configuration->n_files * sizeof *files);
        configuration->files = files;
        configuration->room = room;
    }
    copy = haft_arena_copy(gateway->arena, path, strlen(path));
    if (!copy)
        return HAFT_ENOMEM;
    configuration->files[configuration->n_files++] = copy;
    return 0;
}

/* ---- life ---- */

static int configuration_init(struct configuration *configuration)
{
    haft_schema_options options = {.allocator = configuration->gateway->allocator};

    configuration->plugins = plugins_new_for_gateway(configuration->gateway->server);
    if (!configuration->plugins)
        return HAFT_ENOMEM;
    configuration->plugin_section = (haft_section){.name = "plugins",
                                                   .prepare = configure_prepare_plugins,
                                                   .commit = configure_commit_plugins,
                                                   .discard = configure_discard_plugins,
                                                   .context = configuration};
    configuration->section = (haft_section){.name = "gateway",
                                            .prepare = configure_prepare,
                                            .commit = configure_commit,
                                            .context = configuration};
    return haft_schema_compile(&gateway_section_type, &options, &configuration->schema, NULL);
}

int haft_gateway_configure(haft_gateway *gateway, const haft_mcp_options *endpoint)
{
    struct configuration *configuration;
    int status;

    if (!gateway)
        return HAFT_EINVAL;
    if (gateway->configuration)
        return gateway_refuse(gateway, HAFT_EEXISTS, "gateway", "it is configured already");
    configuration = haft_arena_zalloc(gateway->arena, 1, sizeof *configuration);
    if (!configuration)
        return gateway_refuse(gateway, HAFT_ENOMEM, "gateway", "out of memory");
    configuration->gateway = gateway;
    configuration->endpoint = endpoint;
    gateway->configuration = configuration;
    status = configuration_init(configuration);
    if (!status)
        status = haft_configure(gateway->server, &configuration->plugin_section);
    return status ? status : haft_configure(gateway->server, &configuration->section);
}

void configuration_finish(struct configuration *configuration)
{
    if (!configuration)
        return;
    haft_plugins_free(configuration->plugins);
    haft_schema_free(configuration->schema);
}
