/* configure_upstream.c - the upstreams of a configuration. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gateway/proxy.h"
#include "gateway/upstreams.h"

enum {
    UPSTREAM_NAME_MAX = 32,
    UPSTREAM_PLACE = 200,
    UPSTREAM_TEXT = 16 << 20,
    UPSTREAM_DEPTH = 16
};

/* ---- one entry ---- */

/* The kinds, by their members of an entry. */
static const struct {
    const struct upstream_kind *kind;
    size_t offset; /* of a haft_value * in upstream_entry */
} upstream_kinds[] = {
    {&hf_upstream_http, offsetof(upstream_entry, http)},
    {&hf_upstream_command, offsetof(upstream_entry, command)},
    {&hf_upstream_mcp, offsetof(upstream_entry, mcp)},
};
enum { UPSTREAM_KINDS = sizeof upstream_kinds / sizeof *upstream_kinds };

const struct upstream_kind *hf_upstreams_kind(size_t i)
{
    return i < UPSTREAM_KINDS ? upstream_kinds[i].kind : NULL;
}

/* The kind of an entry, and its options; the entry has exactly one. */
static int upstream_kind_of(const struct upstream_set *set, const upstream_entry *entry,
                            struct upstream_definition *definition, haft_reason *reterr_reason)
{
    size_t n = 0;

    for (size_t i = 0; i < UPSTREAM_KINDS; i++) {
        haft_value *const *options =
            (haft_value *const *)(const void *)((const char *)entry + upstream_kinds[i].offset);

        if (*options) {
            definition->kind = set->instead ? set->instead : upstream_kinds[i].kind;
            definition->options = *options;
            n++;
        }
    }
    if (n == 1 && !definition->kind)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "this build has no such upstreams");
    if (n == 1)
        return 0;
    definition->kind = NULL; /* the error is not about one of them */
    return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                        "expected exactly one of http, command and mcp");
}

static bool upstream_name_is_valid(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t size = strspn(name, letters);

    return size && !name[size] && size <= UPSTREAM_NAME_MAX;
}

/* What tells an upstream from others: its entry, and the files that it names. */
static const char *upstream_text(haft_arena *arena, haft_value *entry)
{
    haft_buffer text;
    const char *copy;

    haft_buffer_init(&text, NULL, UPSTREAM_TEXT);
    haft_json_write(entry, &text);
    hf_configure_put_files(entry, UPSTREAM_DEPTH, &text);
    copy = text.status ? NULL : haft_arena_copy(arena, text.data, text.size);
    haft_buffer_finish(&text);
    return copy;
}

static struct upstream *upstream_find(const struct generation *generation, const char *name,
                                      const char *text)
{
    for (size_t i = 0; i < generation->n_upstreams; i++)
        if (!strcmp(generation->upstreams[i]->name, name) &&
            !strcmp(generation->upstreams[i]->text, text))
            return generation->upstreams[i];
    return NULL;
}

/* Creates an upstream, which begins with what the active one of its name and kind offers. */
static int upstream_new(const haft_gateway *gateway, const struct upstream_definition *definition,
                        struct upstream **ret_upstream, haft_reason *reterr_reason)
{
    const struct generation *now = gateway->now;
    int status = hf_upstream_new(gateway->upstreams, definition, ret_upstream, reterr_reason);

    for (size_t i = 0; !status && definition->kind->inherit && i < now->n_upstreams; i++)
        if (now->upstreams[i]->kind == definition->kind &&
            !strcmp(now->upstreams[i]->name, definition->name))
            definition->kind->inherit(*ret_upstream, now->upstreams[i]);
    return status;
}

static int upstream_define(const struct upstream_set *set, const upstream_entry *entry,
                           const char *name, struct upstream_definition *ret_definition,
                           haft_reason *reterr_reason)
{
    *ret_definition = (struct upstream_definition){.name = name, .tools = entry->tools};
    ret_definition->prefix = !entry->prefix                   ? name
                             : !strcmp(entry->prefix, "none") ? NULL
                                                              : entry->prefix;
    if (!upstream_name_is_valid(name))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "the name of an upstream has 1 to %d letters, digits, _ and -",
                            UPSTREAM_NAME_MAX);
    if (ret_definition->prefix && !upstream_name_is_valid(ret_definition->prefix))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "prefix",
                            "expected \"none\", or 1 to %d letters, digits, _ and -",
                            UPSTREAM_NAME_MAX);
    return upstream_kind_of(set, entry, ret_definition, reterr_reason);
}

static int upstream_make_one(const struct configuration *configuration, const char *name,
                             const upstream_entry *entry, haft_value *value,
                             haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    struct generation *adding = gateway->adding;
    struct upstream_definition definition;
    struct upstream *upstream;
    haft_reason reason = {.code = 0};
    char place[UPSTREAM_PLACE];
    int status = upstream_define(gateway->upstreams, entry, name, &definition, &reason);

    if (!status) {
        definition.text = upstream_text(adding->arena, value);
        upstream = definition.text ? upstream_find(gateway->now, name, definition.text) : NULL;
        if (upstream)
            hf_module_take(&upstream->module);
        else
            status = definition.text ? upstream_new(gateway, &definition, &upstream, &reason)
                                     : HAFT_ENOMEM;
    }
    if (!status) {
        adding->upstreams[adding->n_upstreams++] = upstream;
        return 0;
    }
    snprintf(place, sizeof place, "upstreams.%s%s%s%s%s", name, definition.kind ? "." : "",
             definition.kind ? definition.kind->name : "", *reason.path ? "." : "", reason.path);
    return hf_error_set(reterr_reason, status, place, "%s",
                        reason.code ? reason.text : haft_strerror(status));
}

/* ---- all of them ---- */

int hf_upstreams_configure(const struct configuration *configuration,
                           const gateway_section *section, haft_value *value,
                           haft_reason *reterr_reason)
{
    const haft_gateway *gateway = configuration->gateway;
    struct generation *adding = gateway->adding;
    haft_value *entries = yyjson_obj_get(value, "upstreams");
    int all = 0;

    if (configuration->confined && section->n_upstreams)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "upstreams", UPSTREAMS_CONFINED);
    adding->upstreams =
        haft_arena_zalloc(adding->arena, section->n_upstreams + 1, sizeof(struct upstream *));
    if (!adding->upstreams)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < section->n_upstreams && all != HAFT_ENOMEM; i++) {
        const char *name = section->upstreams_keys[i];
        haft_reason reason = {.code = 0};
        int status = upstream_make_one(configuration, name, &section->upstreams[i],
                                       yyjson_obj_get(entries, name), &reason);

        all = hf_configure_collect(gateway, all, status, &reason, reterr_reason);
    }
    return all;
}

/* ---- routes that they answer ---- */

static struct upstream *proxy_upstream(const struct generation *generation, const char *name)
{
    for (size_t i = 0; i < generation->n_upstreams; i++)
        if (!strcmp(generation->upstreams[i]->name, name))
            return generation->upstreams[i];
    return NULL;
}

/* Fills in the route; the name is "GET /weather".  It lives as long as the generation. */
static int proxy_make(haft_gateway *gateway, const char *name, const route_entry *entry,
                      haft_route *route, haft_reason *reterr_reason)
{
    haft_arena *arena = gateway->adding->arena;
    struct proxy_route *proxy = haft_arena_zalloc(arena, 1, sizeof *proxy);
    size_t size = strcspn(name, " ");

    if (!name[size] || name[size + 1] != '/')
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "expected a method and a path: GET /weather");
    route->method = haft_arena_copy(arena, name, size);
    route->path = haft_arena_copy(arena, name + size + 1, strlen(name + size + 1));
    if (!proxy || !route->method || !route->path)
        return HAFT_ENOMEM;
    proxy->upstream = proxy_upstream(gateway->adding, entry->upstream);
    if (!proxy->upstream || proxy->upstream->kind != &hf_upstream_http)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "upstream",
                            proxy->upstream ? "%s is not an HTTP upstream" : "unknown upstream %s",
                            entry->upstream);
    if (entry->path) {
        proxy->path = haft_arena_copy(arena, entry->path, strlen(entry->path));
        if (!proxy->path)
            return HAFT_ENOMEM;
        if (hf_proxy_check(route->path, proxy->path, reterr_reason))
            return reterr_reason->code;
    }
    route->data = proxy;
    return 0;
}

static int proxy_add(haft_gateway *gateway, const char *name, const route_entry *entry,
                     haft_reason *reterr_reason)
{
    haft_route *route = haft_arena_zalloc(gateway->adding->arena, 1, sizeof *route);
    haft_reason reason = {.code = 0};
    char place[UPSTREAM_PLACE];
    int status = HAFT_ENOMEM;

    if (route) {
        *route = (haft_route)HAFT_INIT(haft_route, .handler = hf_proxy_handle, .quick = true,
                                       .description = "Answered by an upstream");
        status = proxy_make(gateway, name, entry, route, &reason);
    }
    if (!status) {
        route->id = hf_route_make_id(gateway, route->method, route->path);
        status = route->id ? haft_route_add(gateway, route) : HAFT_ENOMEM;
        if (status)
            reason = *haft_gateway_error(gateway);
    }
    if (!status)
        return 0;
    snprintf(place, sizeof place, "routes.%s%s%s", name, *reason.path ? "." : "", reason.path);
    return hf_error_set(reterr_reason, status, place, "%s",
                        reason.code ? reason.text : haft_strerror(status));
}

/* An entry is about a route of the program or a plugin, or it adds one. */
static int proxy_configure(haft_gateway *gateway, const char *name, const route_entry *entry,
                           haft_reason *reterr_reason)
{
    char place[UPSTREAM_PLACE];

    if (entry->upstream)
        return proxy_add(gateway, name, entry, reterr_reason);
    if (entry->policies && !entry->path)
        return 0;
    snprintf(place, sizeof place, "routes.%s", name);
    return hf_error_set(reterr_reason, HAFT_EINVAL, place,
                        entry->path ? "path is only for routes with an upstream"
                                    : "expected policies or upstream");
}

int hf_configure_proxies(const struct configuration *configuration, const gateway_section *section,
                         haft_reason *reterr_reason)
{
    haft_gateway *gateway = configuration->gateway;
    int all = 0;

    for (size_t i = 0; i < section->n_routes && all != HAFT_ENOMEM; i++) {
        haft_reason reason = {.code = 0};
        int status =
            proxy_configure(gateway, section->routes_keys[i], &section->routes[i], &reason);

        all = hf_configure_collect(gateway, all, status, &reason, reterr_reason);
    }
    return all;
}
