/* serve_config.c - the section "gateway" of a configuration: policies, what stands around routes,
 * and MCP endpoints.
 *
 * The section is a declared type, so what is wrong with it is found as it is in a tool's
 * arguments.  What the gateway has cannot change while it serves: the section counts when the
 * program starts. */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "base/base.h"
#include "schema/model/node.h"
#include "serve.h"
#include "engine/server.h"

HAFT_STRUCT(route_entry,
    HAFT_ARRAY(policies, HAFT_STRING(name, "A policy's name", .min = 1), "Around the route, the first outside"));
HAFT_STRUCT(endpoint_entry,
    HAFT_DEFAULT(HAFT_STRING(endpoint, "Its path", .starts = "/"), "/mcp"),
    HAFT_DEFAULT(HAFT_STRING(name, "What it is called", .min = 1), "MCP Custom Server"),
    HAFT_DEFAULT(HAFT_STRING(version, "Its version", .min = 1), "0.0.0"),
    HAFT_DEFAULT(HAFT_STRING(tools, "Which tools it has: get_*,-*_secret"), "*"),
    HAFT_OPTIONAL(HAFT_STRING(routes, "Which routes are tools, by their ids")),
    HAFT_OPTIONAL(HAFT_ARRAY(policies, HAFT_STRING(name, "A policy's name", .min = 1),
                             "Around the endpoint, the first outside")));
HAFT_STRUCT(gateway_section,
    HAFT_OPTIONAL(HAFT_JSON(policies, "As haft_policies_json takes them")),
    HAFT_OPTIONAL(HAFT_MAP(routes, HAFT_OBJECT(entry, route_entry, "One route"), "By method and path")),
    HAFT_OPTIONAL(HAFT_ARRAY(endpoints, HAFT_OBJECT(entry, endpoint_entry, "One endpoint"),
                             "MCP endpoints", .min = 1)));

enum { TEXT_LIMIT = 1 << 20, PLACE = 160 };

/* What is served when nobody says otherwise. */
static const endpoint_entry default_endpoint = {
    .endpoint = "/mcp", .name = "shop", .version = "1.0.0", .tools = "*", .routes = "*_todo*"};

static const haft_route_info *const *const route_lists[] = {shop_routes, shop_weather_list,
                                                            shop_todo_list};
enum { ROUTE_LISTS = sizeof route_lists / sizeof *route_lists };

/* ---- what is wrong ---- */

/* The first issue, by its path. */
static int refuse_issue(const haft_issues *issues, haft_reason *reterr_reason)
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
static int refuse(struct serve *serve, int status, const char *place, haft_reason *reterr_reason)
{
    const haft_reason *error = haft_gateway_error(serve->gateway);

    bool more = *error->path && strcmp(error->path, place) != 0;

    return error_set(reterr_reason, status, place, "%s%s%s", more ? error->path : "",
                     more ? ": " : "", error->text);
}

/* ---- policies ---- */

static int add_policies(struct serve *serve, const gateway_section *section,
                        haft_reason *reterr_reason)
{
    haft_buffer text;
    int status;

    if (!section->policies)
        return 0;
    haft_buffer_init(&text, NULL, TEXT_LIMIT);
    haft_json_write(section->policies, &text);
    status = text.status ? text.status : haft_policies_json(serve->gateway, text.data, text.size);
    haft_buffer_finish(&text);
    return status ? refuse(serve, status, "policies", reterr_reason) : 0;
}

/* Names as the gateway takes them; NULL without memory. */
static const char *join(struct serve *serve, const char *const *names, size_t n)
{
    const char *joined = "";

    for (size_t i = 0; i < n && joined; i++)
        joined = haft_arena_printf(serve->arena, "%s%s%s", joined, i ? "," : "", names[i]);
    return joined;
}

/* ---- routes ---- */

static const haft_route_info *route_at(size_t at)
{
    for (size_t i = 0; i < ROUTE_LISTS; i++)
        for (size_t k = 0; route_lists[i][k]; k++)
            if (!at--)
                return route_lists[i][k];
    return NULL;
}

static bool is_route(const haft_route_info *route, const char *name)
{
    size_t size = strlen(route->method);

    return !strncmp(name, route->method, size) && name[size] == ' ' &&
           !strcmp(name + size + 1, route->path);
}

static int refuse_route(const char *name, haft_reason *reterr_reason)
{
    struct nearest search = nearest_begin(name);
    char place[PLACE], names[32][PLACE];
    const haft_route_info *route;

    for (size_t i = 0; i < 32 && (route = route_at(i)); i++) {
        snprintf(names[i], PLACE, "%s %s", route->method, route->path);
        nearest_offer(&search, names[i]);
    }
    snprintf(place, sizeof place, "routes.%s", name);
    return error_set(reterr_reason, HAFT_EINVAL, place, "there is no such route%s%s%s",
                     search.name ? "; did you mean " : "", search.name ? search.name : "",
                     search.name ? "?" : "");
}

static int add_route(struct serve *serve, const haft_route_info *route,
                     const gateway_section *section, haft_reason *reterr_reason)
{
    haft_route_info *own = haft_arena_alloc(serve->arena, sizeof *own);
    char place[PLACE];

    if (!own)
        return HAFT_ENOMEM;
    *own = *route;
    for (size_t i = 0; i < section->n_routes; i++)
        if (is_route(route, section->routes_keys[i])) {
            own->policies = join(serve, section->routes[i].policies, section->routes[i].n_policies);
            if (!own->policies)
                return HAFT_ENOMEM;
        }
    if (!haft_route(serve->gateway, own))
        return 0;
    snprintf(place, sizeof place, "routes.%s %s", route->method, route->path);
    return refuse(serve, HAFT_EINVAL, place, reterr_reason);
}

static int add_routes(struct serve *serve, const gateway_section *section,
                      haft_reason *reterr_reason)
{
    const haft_route_info *route;
    int status = 0;

    for (size_t i = 0; i < section->n_routes; i++) {
        size_t k = 0;

        while ((route = route_at(k)) && !is_route(route, section->routes_keys[i]))
            k++;
        if (!route)
            return refuse_route(section->routes_keys[i], reterr_reason);
    }
    for (size_t i = 0; !status && (route = route_at(i)); i++)
        status = add_route(serve, route, section, reterr_reason);
    return status;
}

/* ---- endpoints ---- */

static const haft_tool *const *choose_tools(struct serve *serve, const char *names)
{
    size_t n = 0, at = 0;
    const haft_tool **chosen;

    while (shop_tools[n])
        n++;
    chosen = haft_arena_zalloc(serve->arena, n + 1, sizeof *chosen);
    for (size_t i = 0; chosen && i < n; i++) {
        const haft_tool *tool = shop_tools[i];

        if (glob_list_allows(names, tool->name))
            chosen[at++] = tool;
    }
    return chosen;
}

static int add_endpoint(struct serve *serve, const endpoint_entry *entry, size_t i,
                        haft_reason *reterr_reason)
{
    haft_mcp_options options = {
        .name = entry->name,
        .version = entry->version,
        .endpoint = haft_arena_copy(serve->arena, entry->endpoint, strlen(entry->endpoint)),
        .tools = choose_tools(serve, entry->tools),
        .routes = entry->routes,
        .policies = join(serve, entry->policies, entry->n_policies)};
    char place[PLACE];

    if (!options.endpoint || !options.tools || !options.policies)
        return HAFT_ENOMEM;
    if (haft_mcp(serve->gateway, &options))
        return 0;
    snprintf(place, sizeof place, "endpoints.%zu", i);
    return refuse(serve, HAFT_EINVAL, place, reterr_reason);
}

static int add_endpoints(struct serve *serve, const gateway_section *section,
                         haft_reason *reterr_reason)
{
    int status = 0;

    if (!section->n_endpoints)
        return add_endpoint(serve, &default_endpoint, 0, reterr_reason);
    for (size_t i = 0; i < section->n_endpoints && !status; i++)
        status = add_endpoint(serve, &section->endpoints[i], i, reterr_reason);
    return status;
}

/* ---- the section ---- */

/* The section as one text, to see whether it has changed; NULL without memory. */
static const char *write_value(haft_arena *arena, haft_value *value)
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

static int build(struct serve *serve, const gateway_section *section, haft_reason *reterr_reason)
{
    int status = add_policies(serve, section, reterr_reason);

    if (!status)
        status = add_routes(serve, section, reterr_reason);
    return status ? status : add_endpoints(serve, section, reterr_reason);
}

static int read_section(struct serve *serve, haft_value *value, haft_arena *arena,
                        gateway_section *ret_section, haft_reason *reterr_reason)
{
    haft_issues issues = {0};
    int status;

    *ret_section = (gateway_section){.n_routes = 0};
    status = value ? haft_decode(serve->schema, value, arena, ret_section, &issues) : 0;
    return issues.count ? refuse_issue(&issues, reterr_reason) : status;
}

/* Only whether it is right, and whether it is another one. */
static int look_again(struct serve *serve, haft_value *value, bool *ret_changed,
                      haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(NULL, TEXT_LIMIT * 8);
    const char *text = arena ? write_value(arena, value) : NULL;
    gateway_section section;
    int status = HAFT_ENOMEM;

    if (text)
        status = read_section(serve, value, arena, &section, reterr_reason);
    *ret_changed = text && strcmp(text, serve->started) != 0;
    haft_arena_free(arena);
    return status;
}

/* What is prepared is the server to complain to when there is something to complain about. */
static int prepare(void *context, haft_value *value, void **ret_prepared,
                   haft_reason *reterr_reason)
{
    struct serve *serve = context;
    gateway_section section;
    bool changed = false;
    int status;

    if (serve->built) {
        status = look_again(serve, value, &changed, reterr_reason);
    } else {
        serve->started = write_value(serve->arena, value);
        status = serve->started ? read_section(serve, value, serve->arena, &section, reterr_reason)
                                : HAFT_ENOMEM;
        if (!status)
            status = build(serve, &section, reterr_reason);
    }
    *ret_prepared = changed ? haft_gateway_server(serve->gateway) : NULL;
    return status;
}

static void commit(void *context, void *prepared)
{
    struct serve *serve = context;

    if (prepared)
        server_log(prepared, HAFT_WARNING, "gateway: a change needs a restart");
    serve->built = true;
}

/* ---- plugins ---- */

/* Those of the command line come first, and are there before the configuration's. */
static int open_plugins(struct serve *serve, haft_reason *reterr_reason)
{
    const char *path;
    haft_server *first = haft_gateway_endpoint(serve->gateway, 0, &path);
    haft_reason reason = {.code = 0};
    int status;

    serve->plugins = first ? haft_plugins_new(first) : NULL;
    if (!serve->plugins)
        return HAFT_ENOMEM;
    status = haft_plugins_set(serve->plugins, serve->files, serve->n_files, &reason);
    return status ? error_set(reterr_reason, status, "", "%s: %s", reason.path, reason.text) : 0;
}

static int prepare_plugins(void *context, haft_value *value, void **ret_prepared,
                           haft_reason *reterr_reason)
{
    struct serve *serve = context;
    const haft_section *section;
    int status = serve->plugins ? 0 : open_plugins(serve, reterr_reason);

    if (status)
        return status;
    section = haft_plugins_section(serve->plugins);
    return section->prepare(section->context, value, ret_prepared, reterr_reason);
}

static void commit_plugins(void *context, void *prepared)
{
    const struct serve *serve = context;
    const haft_section *section = haft_plugins_section(serve->plugins);

    section->commit(section->context, prepared);
}

static void discard_plugins(void *context, void *prepared)
{
    const struct serve *serve = context;
    const haft_section *section = haft_plugins_section(serve->plugins);

    if (section->discard)
        section->discard(section->context, prepared);
}

int serve_configure(struct serve *serve)
{
    haft_server *server = haft_gateway_server(serve->gateway);
    int status = haft_schema_compile(&gateway_section_type, NULL, &serve->schema, NULL);

    serve->section =
        (haft_section){.name = "gateway", .prepare = prepare, .commit = commit, .context = serve};
    serve->own_plugins = (haft_section){.name = "plugins",
                                        .prepare = prepare_plugins,
                                        .commit = commit_plugins,
                                        .discard = discard_plugins,
                                        .context = serve};
    if (!status)
        status = haft_configure(server, &serve->section);
    return status ? status : haft_configure(server, &serve->own_plugins);
}

void serve_finish(struct serve *serve)
{
    haft_plugins_free(serve->plugins);
    haft_schema_free(serve->schema);
    haft_arena_free(serve->arena);
    shop_free(serve->shop);
}
