/* resource.c - adding resources and templates, and reporting updates. */
#include <string.h>

#include "engine/offer/member_rows.h"
#include "engine/offer/scope.h"
#include "engine/offer/ui.h"
#include "engine/offer/uri_template.h"

/* ---- adding ---- */

static struct annotations resource_annotations(const haft_resource *resource)
{
    return (struct annotations){resource->audience,
                                resource->priority != 0 ? resource->priority : -1,
                                resource->last_modified};
}

static void resource_put_rest(haft_buffer *buffer, const struct item *item)
{
    struct json_writer w = json_members(buffer, true);
    const haft_resource *resource = item->resource;
    struct annotations annotations = resource_annotations(resource);

    json_text_member(&w, "name", resource->name);
    json_text_member(&w, "title", resource->title);
    json_text_member(&w, "description", resource->description);
    json_text_member(&w, "mimeType", resource->mime_type);
    if (resource->size > 0 && !item->uri_template)
        hf_json_integer(json_key(&w, "size"), resource->size);
    if (resource->audience || resource->priority != 0 || resource->last_modified)
        hf_annotations_write(&annotations, buffer);
    hf_put_icons(&w, resource->icons, resource->n_icons);
    hf_put_json_member(&w, "_meta", resource->meta);
    hf_json_end_object(&w);
}

static int check_address(haft_server *server, const char *uri)
{
    const struct format *format = hf_format_named("uri", 3, 2020);
    size_t size = strlen(uri);

    if (haft_utf8_valid(uri, size) == size && format->check(uri, size))
        return 0;
    return hf_server_refuse(server, HAFT_EINVAL, uri,
                            strchr(uri, '{')
                                ? "this is a URI template: add it with haft_template_add"
                                : "the URI is not absolute");
}

static int check_template(haft_server *server, struct item *item)
{
    haft_reason reason;
    int status = hf_uri_template_compile(item->arena, item->name, item->name_size,
                                         &item->uri_template, &reason);

    return status ? hf_server_refuse(server, status, item->name, "template: %s", reason.text) : 0;
}

static int check_annotations(haft_server *server, struct item *item)
{
    struct annotations annotations = resource_annotations(item->resource);

    return hf_annotations_are_valid(&annotations)
               ? 0
               : hf_server_refuse(
                     server, HAFT_EINVAL, item->name,
                     "the audience must be \"user\" or \"assistant\", the priority 0 to 1, and the time like 2026-01-31T12:00:00Z");
}

static int resource_fill(haft_server *server, haft_offer kind, struct item *item,
                         const haft_resource *resource)
{
    int status;

    item->resource = resource;
    item->data = resource->data;
    item->quick = resource->quick;
    if (!resource->name || !*resource->name)
        return hf_server_refuse(server, HAFT_EINVAL, item->name, "the name is missing");
    if (!resource->read)
        return hf_server_refuse(server, HAFT_EINVAL, item->name, "the handler is missing");
    status = kind == HAFT_OFFER_TEMPLATE ? check_template(server, item)
                                         : check_address(server, item->name);
    if (!status)
        status = hf_check_json_object(server, item->name, "_meta", resource->meta, item->arena);
    if (!status)
        status = hf_check_icons(server, item->name, resource->icons, resource->n_icons);
    if (!status)
        status = hf_item_set_scopes(server, item, resource->scopes);
    if (!status)
        status = check_annotations(server, item);
    if (!status && resource->page)
        status = hf_ui_fill_resource(server, item);
    return status ? status : hf_item_render(server, item, resource_put_rest);
}

int hf_resource_item(haft_server *server, haft_offer kind, const haft_resource *resource,
                     struct module *module, struct item **ret_item)
{
    const void *view = NULL;
    struct item *item;
    int status;

    if (!resource->uri || !*resource->uri)
        return hf_server_refuse(server, HAFT_EINVAL, "", "the URI is missing");
    item = hf_item_new_named(server, resource->uri, module);
    if (!item)
        return HAFT_ENOMEM;
    status =
        hf_server_view(server, "haft_resource", resource, sizeof *resource, item->arena, &view);
    if (!status)
        status = resource_fill(server, kind, item, view);
    if (status)
        hf_item_drop(item);
    else
        *ret_item = item;
    return status;
}

static int resource_add(haft_server *server, haft_offer kind, const haft_resource *resource)
{
    struct item *item = NULL;
    int status = hf_resource_item(server, kind, resource, NULL, &item);

    return item ? hf_offer_list_put(server, kind, item, NULL) : status;
}

int haft_resource_add(haft_server *server, const haft_resource *resource)
{
    return resource_add(server, HAFT_OFFER_RESOURCE, resource);
}

int haft_template_add(haft_server *server, const haft_resource *resource)
{
    return resource_add(server, HAFT_OFFER_TEMPLATE, resource);
}
