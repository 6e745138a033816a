/* route.c - adding routes.
 *
 * A route is a tool of the routes' server, so its schemas are compiled and its id is checked like
 * those of tools; it adds a place in the tree of paths, and the source of each field of its
 * input. */
#include <string.h>

#include "gateway/gateway.h"

struct route *hf_route_named(const struct generation *generation, const char *id)
{
    struct route *route = generation->routes;

    while (route && strcmp(route->id, id))
        route = route->next;
    return route;
}

/* ---- fields ---- */

static const struct object *object_of(const haft_schema *schema)
{
    const struct node *root = schema->root;

    for (int i = 0; i < 64 && !root->object && root->n_rules == 1 && root->rules[0].op == RULE_REF;
         i++)
        root = root->rules[0].nodes[0];
    return root->object;
}

static bool has_variable(const struct template *path, const char *name)
{
    for (size_t i = 0; i < path->n; i++)
        if (path->variable[i] && !strcmp(path->segments[i], name))
            return true;
    return false;
}

static bool has_no_body(const char *method)
{
    return !strcmp(method, "GET") || !strcmp(method, "HEAD") || !strcmp(method, "DELETE");
}

static const haft_source *source_of(const haft_route *info, const char *name)
{
    for (size_t i = 0; i < info->n_sources; i++)
        if (!strcmp(info->sources[i].field, name))
            return &info->sources[i];
    return NULL;
}

static int plan_field(haft_gateway *gateway, struct route *route, const haft_route *info,
                      const struct property *property, struct field *field)
{
    const haft_source *source = source_of(info, property->name);

    *field = (struct field){.name = property->name,
                            .size = property->size,
                            .as = property->name,
                            .origin = has_no_body(route->method) ? ORIGIN_QUERY : ORIGIN_BODY};
    if (has_variable(&route->path_template, property->name))
        field->origin = ORIGIN_PATH;
    else if (source)
        field->origin = source->from == HAFT_FROM_QUERY  ? ORIGIN_QUERY
                        : source->from == HAFT_FROM_BODY ? ORIGIN_BODY
                                                         : ORIGIN_HEADER;
    if (source && field->origin == ORIGIN_PATH)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, route->id,
                                 "%s is a path variable and cannot have a source", property->name);
    if (source && source->as)
        field->as = source->as;
    if (field->origin != ORIGIN_BODY && property->node->types == TYPE_OBJECT)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, route->id,
                                 "%s is an object, which can only come from the body",
                                 property->name);
    route->has_body = route->has_body || field->origin == ORIGIN_BODY;
    return 0;
}

static int plan_fields(haft_gateway *gateway, struct route *route, const haft_route *info)
{
    const haft_schema *input = route->item->input;
    const struct object *object = input ? object_of(input) : NULL;
    int status = 0;

    if (input && !object)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, route->id, "the input must be an object");
    if (object) {
        route->n_fields = object->n_properties;
        route->fields =
            haft_arena_zalloc(gateway->adding->arena, route->n_fields + 1, sizeof *route->fields);
        if (!route->fields)
            return hf_gateway_refuse(gateway, HAFT_ENOMEM, route->id, "out of memory");
    }
    route->has_body = object && !has_no_body(route->method);
    for (size_t i = 0; object && i < route->n_fields && !status; i++)
        status = plan_field(gateway, route, info, &object->properties[i], &route->fields[i]);
    for (size_t i = 0; input && i < route->path_template.n && !status; i++) {
        bool known = !route->path_template.variable[i];

        for (size_t j = 0; j < route->n_fields && !known; j++)
            known = !strcmp(route->fields[j].name, route->path_template.segments[i]);
        if (!known)
            status = hf_gateway_refuse(gateway, HAFT_EINVAL, route->id,
                                       "the path variable {%s} is not a field of the input",
                                       route->path_template.segments[i]);
    }
    for (size_t i = 0; i < info->n_sources && !status; i++) {
        bool known = false;

        for (size_t j = 0; j < route->n_fields && !known; j++)
            known = !strcmp(route->fields[j].name, info->sources[i].field);
        if (!known)
            status =
                hf_gateway_refuse(gateway, HAFT_EINVAL, route->id,
                                  "a source names the unknown field %s", info->sources[i].field);
    }
    return status;
}

/* ---- the route ---- */

static bool is_method(const char *text)
{
    return text && *text && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(text) &&
           strlen(text) < 32;
}

/* Calls a handler that takes JSON, for the routes' server. */
static int call_handler(haft_call *call, const void *in, void *out)
{
    /* An isolated process has no request object, and one generation for its lifetime. */
    const struct route *route =
        call->inner.req ? call->inner.req->route
                        : hf_route_named(call->server->gateway->now, haft_call_name(call));

    (void)out;
    if (!route) /* it was added and removed between two forks */
        return HAFT_ENOTFOUND;
    return route->info->handler(call, (haft_value *)(uintptr_t)in, route->info->data);
}

/* Returns a reference to the item of the same definition in the active generation; NULL if there is
 * none. */
static struct item *route_item_before(const haft_gateway *gateway, const struct route *route)
{
    const struct route *before = gateway->module ? hf_route_named(gateway->now, route->id) : NULL;

    if (!before || before->given != route->given || before->item->module != gateway->module)
        return NULL;
    atomic_fetch_add(&before->item->refs, 1);
    return before->item;
}

/* The definition must live as long as the item, which may outlive the route. */
static int route_make_item(haft_gateway *gateway, struct route *route)
{
    struct item *item;
    int status = hf_tool_item(gateway->server, &route->tool, gateway->module, &item);
    haft_tool *copy = status ? NULL : haft_arena_alloc(item->arena, sizeof *copy);

    if (status)
        return status;
    if (!copy) {
        hf_item_drop(item);
        return hf_server_refuse(gateway->server, HAFT_ENOMEM, route->id, "out of memory");
    }
    *copy = route->tool;
    item->tool = copy;
    route->item = item;
    return 0;
}

/* Offers it at once, unless that is done for a whole generation. */
static int route_offer_item(haft_gateway *gateway, struct route *route)
{
    const struct item *clash;

    return gateway->adding == gateway->own
               ? hf_catalogue_swap(gateway->server, &route->item, 1, &clash)
               : 0;
}

static int make_tool(haft_gateway *gateway, struct route *route, const haft_route *info)
{
    int status = 0;

    route->tool = (haft_tool)HAFT_INIT(
        haft_tool, .name = info->id,
        .description = info->description ? info->description : info->id, .title = info->title,
        .annotations = info->annotations, .input = info->input, .output = info->output,
        .input_schema = info->input_schema, .output_schema = info->output_schema,
        .call = info->handler ? call_handler : info->call, .data = info->data,
        .timeout_ms = info->timeout_ms, .rate = info->rate, .max_running = info->max_running,
        .max_waiting = info->max_waiting, .isolate = info->isolate,
        .isolate_memory = info->isolate_memory, .scopes = info->scopes);
    route->item = route_item_before(gateway, route);
    if (!route->item)
        status = route_make_item(gateway, route);
    if (status)
        return hf_error_set(&gateway->error, status, haft_server_error(gateway->server)->path, "%s",
                            haft_server_error(gateway->server)->text);
    route->entry = (struct entry){.item = route->item};
    return 0;
}

static int route_check(haft_gateway *gateway, const haft_route *info)
{
    const char *id = info->id ? info->id : "";

    if (!info->id || !*info->id)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, info->path ? info->path : "",
                                 "a route needs an id");
    if (hf_route_named(gateway->adding, id))
        return hf_gateway_refuse(gateway, HAFT_EEXISTS, id, "a route with this id exists already");
    if (!is_method(info->method))
        return hf_gateway_refuse(gateway, HAFT_EINVAL, id,
                                 "the method must consist of capital letters");
    if (!info->call == !info->handler)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, id,
                                 "a route needs exactly one of call and handler");
    if (info->quick && info->isolate)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, id,
                                 "a route cannot be both quick and isolated");
    for (const struct served *served = gateway->adding->endpoints; served; served = served->next)
        if (info->path && !strcmp(served->mcp->path, info->path))
            return hf_gateway_refuse(gateway, HAFT_EEXISTS, id, "%s is an MCP endpoint",
                                     info->path);
    return 0;
}

static int place(haft_gateway *gateway, struct route *route)
{
    void *pending = NULL;
    int status = hf_router_add(&gateway->adding->router, route->method, &route->path_template,
                               route, &pending);

    if (status == HAFT_EEXISTS)
        return hf_gateway_refuse(gateway, status, route->id, "%s %s is already route %s",
                                 route->method, route->path, ((struct route *)pending)->id);
    if (status)
        return hf_gateway_refuse(gateway, status, route->id, "out of memory");
    return 0;
}

static void route_link(haft_gateway *gateway, struct route *route)
{
    *gateway->adding->last_route = route;
    gateway->adding->last_route = &route->next;
}

/* Creates the route of a definition, with an item, and adds it to the tree. */
static int route_make(haft_gateway *gateway, struct route *route)
{
    const haft_route *info = route->info;
    haft_reason reason;
    int status;

    if (hf_template_read(gateway->adding->arena, info->path, &route->path_template, &reason))
        return hf_gateway_refuse(gateway, reason.code, info->id, "%s: %s",
                                 info->path ? info->path : "", reason.text);
    status = hf_policies_find(gateway, info->id, info->policies, &route->policies);
    if (!status)
        status = make_tool(gateway, route, info);
    if (status)
        return status;
    status = plan_fields(gateway, route, info);
    if (!status)
        status = place(gateway, route);
    if (!status)
        status = route_offer_item(gateway, route);
    if (status)
        hf_item_drop(route->item);
    return status;
}

int haft_route_add(haft_gateway *gateway, const haft_route *given)
{
    const void *view = NULL;
    const haft_route *info;
    struct route *route;
    int status;

    if (!gateway || !given)
        return HAFT_EINVAL;
    status = hf_gateway_view(gateway, "haft_route", given, sizeof *given, &view);
    if (status)
        return status;
    info = view;
    status = route_check(gateway, info);
    if (status)
        return status;
    route = haft_arena_zalloc(gateway->adding->arena, 1, sizeof *route);
    if (!route)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, info->id, "out of memory");
    route->given = given;
    route->info = info;
    route->method = info->method;
    route->path = info->path;
    route->id = info->id;
    status = route_make(gateway, route);
    if (!status)
        route_link(gateway, route);
    return status;
}

int hf_route_copy(haft_gateway *gateway, const struct route *route,
                  const struct policy_list *policies)
{
    struct route *copy = haft_arena_alloc(gateway->adding->arena, sizeof *copy);
    int status;

    if (!copy)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, route->id, "out of memory");
    *copy = *route;
    copy->next = NULL;
    copy->policies = policies;
    status = place(gateway, copy);
    if (status)
        return status;
    atomic_fetch_add(&copy->item->refs, 1);
    route_link(gateway, copy);
    return 0;
}

/* ---- at run time ---- */

const char *hf_route_make_id(haft_gateway *gateway, const char *method, const char *path)
{
    char *id = haft_arena_printf(gateway->adding->arena, "%s%s", method, path), *to = id;

    for (const char *from = id; from && *from; from++)
        if (*from != '{' && *from != '}')
            *to++ = *from == '/' ? '_' : *from;
    if (id)
        *to = '\0';
    return id;
}

int haft_route_add_handler(haft_gateway *gateway, const char *method, const char *path,
                           const char *id, haft_json_handler *handler, void *data)
{
    haft_route *info = gateway ? haft_arena_zalloc(gateway->adding->arena, 1, sizeof *info) : NULL;

    if (!gateway)
        return HAFT_EINVAL;
    if (!method || !path)
        return hf_gateway_refuse(gateway, HAFT_EINVAL, id ? id : "",
                                 "a route needs a method and a path");
    if (info) {
        info->struct_size = sizeof *info;
        info->method = haft_arena_copy(gateway->adding->arena, method, strlen(method));
        info->path = haft_arena_copy(gateway->adding->arena, path, strlen(path));
        info->id = id ? haft_arena_copy(gateway->adding->arena, id, strlen(id))
                      : hf_route_make_id(gateway, method, path);
        info->handler = handler;
        info->data = data;
    }
    if (!info || !info->method || !info->path || !info->id)
        return hf_gateway_refuse(gateway, HAFT_ENOMEM, path, "out of memory");
    return haft_route_add(gateway, info);
}
