/* configure.c - configures a gateway from a file: its section, policies, and routes. */
#include "gateway/configure_section.h"
#include "gateway/upstreams.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <yyjson.h>

#include "schema/model/node.h"
#include "base/struct.h"

enum {
    CONFIGURE_TEXT_LIMIT = 1 << 20,
    CONFIGURE_PLACE = 160,
    ROUTES_SUGGESTED = 32,
    CONFIGURE_DEPTH = 16
};

/* ---- errors ---- */

static int configure_issue(const haft_issue *issue, haft_reason *ret_reason)
{
    haft_buffer path;
    int status = HAFT_EINVAL;

    haft_buffer_init(&path, NULL, CONFIGURE_TEXT_LIMIT);
    haft_issue_path(issue, &path);
    haft_buffer_add(&path, "", 1);
    if (path.status)
        status = HAFT_ENOMEM;
    else
        hf_error_set(ret_reason, status, path.data, "%s", issue->message);
    haft_buffer_finish(&path);
    return status;
}

static int configure_refuse_issues(const haft_gateway *gateway, const haft_issues *issues,
                                   haft_reason *reterr_reason)
{
    haft_reason reason = {.code = 0};
    int status = 0;

    for (size_t i = 0; i < issues->count && status != HAFT_ENOMEM; i++)
        status = hf_configure_collect(gateway, status, configure_issue(&issues->list[i], &reason),
                                      &reason, reterr_reason);
    return status;
}

int hf_configure_collect(const haft_gateway *gateway, int before, int status,
                         const haft_reason *reason, haft_reason *reterr_reason)
{
    if (!status || before == HAFT_ENOMEM)
        return before;
    if (before && status != HAFT_ENOMEM) {
        hf_server_log(gateway->server, HAFT_ERROR, "gateway%s%s: %s", *reason->path ? "." : "",
                      reason->path, reason->text);
        return before;
    }
    *reterr_reason = *reason;
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

/* Whether the name, such as "GET /customers", is that of the route. */
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
    const struct route *route = gateway->adding->routes;

    for (size_t i = 0; i < ROUTES_SUGGESTED && route; i++, route = route->next) {
        snprintf(names[i], CONFIGURE_PLACE, "%s %s", route->method, route->path);
        hf_nearest_offer(&search, names[i]);
    }
    snprintf(place, sizeof place, "routes.%s", name);
    return hf_error_set(reterr_reason, HAFT_EINVAL, place, "unknown route%s%s%s",
                        search.name ? "; did you mean " : "", search.name ? search.name : "",
                        search.name ? "?" : "");
}

/* The policies of a route from the section, otherwise from the route itself. */
static int configure_route(haft_gateway *gateway, const struct route *route,
                           const gateway_section *section, const struct policy_list **ret_list,
                           haft_reason *reterr_reason)
{
    const char *names = route->info->policies;
    char place[CONFIGURE_PLACE];

    for (size_t i = 0; i < section->n_routes; i++)
        if (section->routes[i].policies && configure_is_route(route, section->routes_keys[i])) {
            names = hf_configure_join(gateway->adding->arena, section->routes[i].policies,
                                      section->routes[i].n_policies);
            if (!names)
                return HAFT_ENOMEM;
        }
    snprintf(place, sizeof place, "routes.%s %s", route->method, route->path);
    return hf_policies_find(gateway, route->id, names, ret_list)
               ? hf_configure_refuse(gateway, HAFT_EINVAL, place, reterr_reason)
               : 0;
}

/* Whether every route that the section names exists. */
static int configure_check_routes(const haft_gateway *gateway, const gateway_section *section,
                                  haft_reason *reterr_reason)
{
    int status = 0;

    for (size_t i = 0; i < section->n_routes; i++) {
        const struct route *route = gateway->adding->routes;
        haft_reason reason;

        while (route && !configure_is_route(route, section->routes_keys[i]))
            route = route->next;
        if (!route)
            status = hf_configure_collect(
                gateway, status, configure_refuse_route(gateway, section->routes_keys[i], &reason),
                &reason, reterr_reason);
    }
    return status;
}

/* Adds the program's routes, with the policies that the section has for them. */
static int configure_own_routes(haft_gateway *gateway, const gateway_section *section,
                                haft_reason *reterr_reason)
{
    int all = 0;

    for (const struct route *route = gateway->own->routes; route; route = route->next) {
        const struct policy_list *list;
        haft_reason reason = {.code = 0};
        int status = configure_route(gateway, route, section, &list, &reason);

        if (!status && hf_route_copy(gateway, route, list))
            status = hf_configure_refuse(gateway, HAFT_ENOMEM, "", &reason);
        all = hf_configure_collect(gateway, all, status, &reason, reterr_reason);
    }
    return all;
}

int hf_configure_routes(const struct configuration *configuration, const gateway_section *section,
                        haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    int all = configure_own_routes(gateway, section, reterr_reason);

    if (!all)
        all = hf_configure_add_parts(configuration, hf_part_add_routes, reterr_reason);
    if (!all)
        all = hf_configure_proxies(configuration, section, reterr_reason);
    if (!all)
        all = configure_check_routes(gateway, section, reterr_reason);
    for (struct route *route = gateway->adding->routes; route && all != HAFT_ENOMEM;
         route = route->next) {
        haft_reason reason = {.code = 0};
        int status = configure_route(gateway, route, section, &route->policies, &reason);

        all = hf_configure_collect(gateway, all, status, &reason, reterr_reason);
    }
    return all;
}

/* ---- the section ---- */

bool hf_configure_is_file(const char *name)
{
    static const char word[] = "file";
    size_t size = strlen(name), end = sizeof word - 1;

    return !strcmp(name, "keys") || !strcmp(name, "openapi") || !strcmp(name, "pin") ||
           (size >= end && !strcmp(name + size - end, word) &&
            (size == end || name[size - end - 1] == '_'));
}

static void configure_put_file(const char *path, haft_buffer *text)
{
    struct stat file;

    if (stat(path, &file))
        haft_buffer_puts(text, "\n-");
    else
        haft_buffer_printf(text, "\n%ju %ju %jd %jd.%09ld %jd.%09ld", (uintmax_t)file.st_dev,
                           (uintmax_t)file.st_ino, (intmax_t)file.st_size,
                           (intmax_t)file.st_mtim.tv_sec, file.st_mtim.tv_nsec,
                           (intmax_t)file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
}

/* What tells files from those that were read: keys and passwords change without the section. They
 * may be named in objects and arrays of the options, down to a depth. */
void hf_configure_put_files(haft_value *value, unsigned depth, haft_buffer *text)
{
    size_t i, n;
    yyjson_val *name, *each;

    if (!depth || !yyjson_is_ctn(value))
        return;
    yyjson_arr_foreach(value, i, n, each)
        hf_configure_put_files(each, depth - 1, text);
    yyjson_obj_foreach(value, i, n, name, each)
        if (yyjson_is_str(each) && hf_configure_is_file(yyjson_get_str(name)))
            configure_put_file(yyjson_get_str(each), text);
        else if (yyjson_is_str(each) && *yyjson_get_str(each) == '@')
            configure_put_file(yyjson_get_str(each) + 1, text);
        else
            hf_configure_put_files(each, depth - 1, text);
}

const char *hf_configure_write(haft_arena *arena, haft_value *value)
{
    haft_buffer text;
    const char *copy = "";
    yyjson_val *policy;
    size_t i, n;

    if (!value)
        return copy;
    haft_buffer_init(&text, NULL, CONFIGURE_TEXT_LIMIT);
    haft_json_write(value, &text);
    yyjson_arr_foreach(yyjson_obj_get(value, "policies"), i, n, policy)
        hf_configure_put_files(yyjson_obj_get(policy, "options"), CONFIGURE_DEPTH, &text);
    hf_configure_put_files(yyjson_obj_get(value, "upstreams"), CONFIGURE_DEPTH, &text);
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
    return issues.count ? configure_refuse_issues(configuration->gateway, &issues, reterr_reason)
                        : status;
}

static bool configure_is_empty(const struct configuration *configuration)
{
    const struct generation *own = configuration->gateway->own;
    const haft_gateway_part *part;
    const char *path;

    return !own->routes && !own->endpoints &&
           !hf_plugins_part_at(configuration->plugins, 0, &path, &part);
}

/* ---- prepare and commit ---- */

static int configure_prepare(void *context, haft_value *value, void **ret_prepared,
                             haft_reason *reterr_reason)
{
    struct configuration *configuration = context;
    const haft_gateway *gateway = configuration->gateway;
    struct reconfiguration *change = NULL;
    int status;

    if (gateway->now == gateway->own && !value && configure_is_empty(configuration)) {
        if (configuration->ret_empty)
            *configuration->ret_empty = true;
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "nothing to serve: add an endpoint or a route");
    }
    status = hf_reconfiguration_prepare(configuration, value, &change, reterr_reason);
    *ret_prepared = change;
    return status;
}

static void configure_commit(void *context, void *prepared)
{
    hf_reconfiguration_commit(context, prepared);
}

static void configure_discard(void *context, void *prepared)
{
    hf_reconfiguration_discard(context, prepared);
}

/* ---- lifetime ---- */

static int configuration_init_upstreams(const struct configuration *configuration)
{
    haft_gateway *gateway = configuration->gateway;
    struct upstream_set *set = haft_arena_zalloc(gateway->arena, 1, sizeof *set);
    int status = set ? hf_upstream_set_init(set, gateway->server) : HAFT_ENOMEM;

    if (status)
        return status;
    set->changed = hf_upstreams_changed;
    set->updated = hf_upstreams_updated;
    set->context = gateway;
    gateway->upstreams = set;
    gateway->server->metering.put_upstream_metrics = hf_upstreams_put_metrics;
    gateway->server->metering.put_upstreams = hf_upstreams_put;
    gateway->server->metering.upstreams_context = gateway;
    hf_upstream_set_offer_loop(set, gateway->server);
    return 0;
}

static int configuration_init(struct configuration *configuration)
{
    haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = configuration->gateway->allocator);

    int status = hf_configure_plugins(configuration);

    configuration->section = (haft_section)HAFT_INIT(
        haft_section, .name = "gateway", .prepare = configure_prepare, .commit = configure_commit,
        .discard = configure_discard, .context = configuration);
    if (!status)
        status = configuration_init_upstreams(configuration);
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
        return hf_gateway_refuse(gateway, HAFT_EEXISTS, "gateway",
                                 "the gateway is already configured");
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
    haft_plugins_free(configuration->plugins);
    haft_schema_free(configuration->schema);
}
