/* route_tool.c - routes as tools of an MCP endpoint.
 *
 * A route called as a tool is invoked as by any handler: the arguments are its input, and the path,
 * query, headers and body that correspond to them are generated only if a policy or the handler
 * reads these. The tool refers to the route by id, and looks it up in a generation: a tool added by
 * a configuration moves from one generation to the next, as long as its route does not change; a
 * tool added by a program uses the active one. */
#include <string.h>

#include "gateway/gateway.h"
#include "gateway/invoke.h"
#include "gateway/values.h"

enum { ERROR_BODY = 4096 };

/* A tool's link to its route; held by its item. */
struct route_link {
    struct module module; /* must be first */
    const haft_allocator *allocator;
    struct item *item; /* the route's item, whose schemas the tool uses; counted */
    haft_tool tool;
    struct generation
        *generation; /* held, and replaced under the gateway's lock; NULL for a tool of the
                      * program */
};

/* ---- converting a response to a result ---- */

static bool mcp_begins(const char *text, const char *start)
{
    return text && !strncmp(text, start, strlen(start));
}

static int mcp_answer(haft_call *call, const struct route *route, yyjson_val *arguments,
                      const haft_response *response)
{
    const char *type = haft_response_header(response, "Content-Type");
    size_t size = response->size < ERROR_BODY ? response->size : ERROR_BODY;
    bool json =
        mcp_begins(type, "application/json") || mcp_begins(type, "application/problem+json");
    haft_contents contents = {.mime_type = type, .bytes = response->body, .size = response->size};

    if (!haft_response_ok(response))
        return haft_error(call, "HTTP %d %s%s%.*s", response->status,
                          haft_status_text(response->status), size ? "\n" : "",
                          (int)haft_utf8_valid(response->body, size), response->body);
    if (route->item->output || (json && response->size))
        return haft_json(call, response->body, response->size);
    if (!response->size)
        return haft_text(call, "HTTP %d %s", response->status, haft_status_text(response->status));
    if (mcp_begins(type, "image/"))
        return haft_image(call, type, response->body, response->size);
    if (mcp_begins(type, "audio/"))
        return haft_audio(call, type, response->body, response->size);
    if (haft_utf8_valid(response->body, response->size) == response->size)
        return haft_text_bytes(call, response->body, response->size);
    /* The contents of a resource need a URI; a path is not one. */
    contents.uri = hf_values_uri(call, route, arguments);
    return contents.uri ? haft_embed(call, &contents) : HAFT_ENOMEM;
}

/* Returns a reference. */
static struct generation *route_link_generation(haft_gateway *gateway,
                                                const struct route_link *link)
{
    struct generation *generation;

    uv_mutex_lock(&gateway->lock);
    generation = link->generation ? link->generation : gateway->now;
    generation_take(generation);
    uv_mutex_unlock(&gateway->lock);
    return generation;
}

static int call_route(haft_call *call, const void *in, void *out)
{
    const struct route_link *link = haft_tool_data(call);
    struct generation *generation = route_link_generation(call->server->gateway, link);
    const struct route *route = hf_route_named(generation, link->item->name);
    yyjson_val *arguments = haft_call_arguments(call);
    haft_response response;
    int status = route ? hf_invoke_route(call, generation, route, arguments, &response) : 0;

    (void)in;
    (void)out;
    if (!route)
        status = haft_error(call, "HTTP 404 %s", haft_status_text(404));
    else if (!status)
        status = mcp_answer(call, route, arguments, &response);
    hf_generation_drop(generation);
    return status;
}

/* ---- the tool ---- */

static void route_link_release(struct module *module)
{
    struct route_link *link = (struct route_link *)module;
    const haft_allocator *allocator = link->allocator;

    hf_item_drop(link->item);
    hf_generation_drop(link->generation);
    allocator->release(allocator->context, link, sizeof *link);
}

static bool route_tool_is_quick(const struct route *route)
{
    return route->info->quick && !route->policies->blocks;
}

/* `generation` is NULL for a tool of the program. */
static struct route_link *route_link_new(const haft_gateway *gateway, const struct route *route,
                                         struct generation *generation)
{
    const haft_allocator *allocator = gateway->allocator;
    struct route_link *link = allocator->alloc(allocator->context, sizeof *link);
    haft_tool *tool;

    if (!link)
        return NULL;
    *link =
        (struct route_link){.allocator = allocator, .item = route->item, .generation = generation};
    hf_module_init(&link->module, route_link_release);
    if (generation)
        generation_take(generation);
    atomic_fetch_add(&route->item->refs, 1);
    tool = &link->tool;
    *tool = route->tool;
    tool->input = tool->output = NULL;
    tool->input_schema = route->item->input;
    tool->output_schema = route->item->output;
    tool->call = call_route;
    tool->data = link;
    /* The limit of the route applies anyway. */
    tool->rate = (haft_rate){.calls = 0};
    tool->max_running = tool->max_waiting = 0;
    tool->isolate = false;
    tool->quick = route_tool_is_quick(route);
    return link;
}

/* The strings of the definition are in the memory of the route's item. */
static int route_tool_item(haft_gateway *gateway, haft_server *server, const struct route *route,
                           struct generation *generation, struct item **ret_item)
{
    struct route_link *link;
    int status;

    if (server->gateway != gateway)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, route->id,
                                 "the server does not belong to the gateway");
    if (!route->item->input && route->path_template.n_variables)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, route->id,
                                 "its path has variables, but it has no input to take them from");
    link = route_link_new(gateway, route, generation);
    if (!link)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, route->id, "out of memory");
    status = hf_tool_item(server, &link->tool, &link->module, ret_item);
    hf_module_drop(&link->module); /* the item holds it now */
    if (status)
        hf_error_set(&gateway->error, status, haft_server_error(server)->path, "%s",
                     haft_server_error(server)->text);
    return status;
}

int haft_route_tool(haft_gateway *gateway, haft_server *server, const char *route_id)
{
    struct generation *generation = hf_generation_hold(gateway);
    const struct route *route = hf_route_named(generation, route_id);
    struct item *item;
    int status = route ? route_tool_item(gateway, server, route, NULL, &item)
                       : hf_gateway_refuse(gateway, HAFT_ENOTFOUND, route_id, "unknown route id");

    hf_generation_drop(generation);
    if (status)
        return status;
    status = hf_offer_list_put(server, HAFT_OFFER_TOOL, item, NULL);
    if (status)
        hf_error_set(&gateway->error, status, haft_server_error(server)->path, "%s",
                     haft_server_error(server)->text);
    return status;
}

/* ---- tools of a configuration ---- */

static struct route_link *route_link_of(const struct item *item)
{
    struct route_link *link =
        item->tool && item->tool->call == call_route ? item->tool->data : NULL;

    return link && link->generation ? link : NULL;
}

/* Whether the tool is the same as a new one for the route would be. */
static bool route_link_fits(const struct route_link *link, const struct route *route)
{
    return link->item == route->item && link->tool.quick == route_tool_is_quick(route);
}

static bool route_tool_is_there(const struct catalogue *catalogue, const struct route *route)
{
    const struct offer_list *tools = &catalogue->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < tools->n; i++) {
        const struct route_link *link = route_link_of(tools->entries[i].item);

        if (link && route_link_fits(link, route))
            return true;
    }
    return false;
}

int hf_route_tools_compare(haft_gateway *gateway, haft_server *server, const char *ids,
                           struct item **items, size_t *n)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    const struct offer_list *tools = &catalogue->lists[HAFT_OFFER_TOOL];
    const struct route *route = gateway->adding->routes;
    int status = 0;

    for (size_t i = 0; i < tools->n; i++) {
        struct item *item = tools->entries[i].item;
        const struct route_link *link = route_link_of(item);
        const struct route *now = link && ids && hf_glob_list_allows(ids, link->item->name)
                                      ? hf_route_named(gateway->adding, link->item->name)
                                      : NULL;

        if (link)
            item->leaving = !now || !route_link_fits(link, now);
    }
    for (; route && ids && !status; route = route->next) {
        if (!hf_glob_list_allows(ids, route->id) || route_tool_is_there(catalogue, route))
            continue;
        status = route_tool_item(gateway, server, route, gateway->adding, &items[*n]);
        *n += !status;
    }
    hf_catalogue_drop(catalogue);
    return status;
}

void hf_route_tools_move(haft_gateway *gateway, haft_server *server, struct generation *generation)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    const struct offer_list *tools = &catalogue->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < tools->n; i++) {
        struct route_link *link = route_link_of(tools->entries[i].item);
        struct generation *before = NULL;

        if (!link || link->generation == generation)
            continue;
        generation_take(generation);
        uv_mutex_lock(&gateway->lock);
        before = link->generation;
        link->generation = generation;
        uv_mutex_unlock(&gateway->lock);
        hf_generation_drop(before);
    }
    hf_catalogue_drop(catalogue);
}
