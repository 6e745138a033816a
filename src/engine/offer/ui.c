/* ui.c - checks the user interfaces of tools, and writes them as `_meta.ui`.
 *
 * A host makes a Content-Security-Policy of the origins: a text that is not an origin would be an error there,
 * which nobody sees, or another directive. */
#include "engine/offer/ui.h"

#include <haft/ui.h>
#include <string.h>

#include "engine/offer/server.h"

enum { UI_META = 64 << 10, UI_ORIGINS = 64, UI_ORIGIN = 512, UI_LABEL = 63 };

static const char ui_scheme[] = "ui://";

/* ---- checks ---- */

/* Labels of letters, digits and inner hyphens, separated by dots. */
static bool ui_is_host(const char *host, size_t size)
{
    size_t label = 0;

    for (size_t i = 0; i < size; i++) {
        char c = ascii_lower(host[i]);
        bool last = i + 1 == size || host[i + 1] == '.';

        if (c == '.') {
            if (!label)
                return false;
            label = 0;
        } else if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                     (c == '-' && label && !last)) ||
                   ++label > UI_LABEL) {
            return false;
        }
    }
    return label;
}

static bool ui_is_port(const char *port)
{
    size_t size = strspn(port, "0123456789");
    unsigned number = 0;

    if (!size || size > 5 || port[size])
        return false;
    for (size_t i = 0; i < size; i++)
        number = number * 10 + (unsigned)(port[i] - '0');
    return number && number <= 65535;
}

static bool ui_is_origin(const char *origin)
{
    static const char *const schemes[] = {"https://", "wss://", "http://", "ws://"};
    const char *host = NULL;
    size_t size;

    if (strlen(origin) > UI_ORIGIN)
        return false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes && !host; i++)
        if (!strncmp(origin, schemes[i], strlen(schemes[i])))
            host = origin + strlen(schemes[i]);
    if (!host)
        return false;
    host += 2 * (size_t)!strncmp(host, "*.", 2);
    size = strcspn(host, ":");
    return ui_is_host(host, size) && (!host[size] || ui_is_port(host + size + 1));
}

static int ui_check_origins(haft_server *server, const char *name, const char *what,
                            const char *const *origins)
{
    size_t n = 0;

    for (; origins && *origins; origins++)
        if (n++ == UI_ORIGINS)
            return hf_server_refuse(server, HAFT_ETOOBIG, name, "page: %s has more than 64 origins",
                                    what);
        else if (!ui_is_origin(*origins))
            return hf_server_refuse(
                server, HAFT_EINVAL, name,
                "page: %s: \"%.100s\" is not an origin such as https://api.example.com", what,
                *origins);
    return 0;
}

/* ---- writing ---- */

/* Writes `_meta` with all members that the definition has, and `ui`. */
static struct json_writer ui_begin(haft_buffer *text, haft_value *meta)
{
    struct json_writer w = {.out = text};
    yyjson_val *key, *value;
    size_t i, n;

    hf_json_begin_object(&w);
    if (meta)
        yyjson_obj_foreach(meta, i, n, key, value)
            hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
    hf_json_begin_object(json_key(&w, "ui"));
    return w;
}

static const char *ui_end(struct json_writer *w, struct item *item)
{
    hf_json_end_object(w);
    hf_json_end_object(w);
    return hf_text_of(item->arena, w->out).data;
}

/* Reads the `_meta` of a definition, which must leave `ui` to us. */
static int ui_read_meta(haft_server *server, const struct item *item, const char *json,
                        haft_value **ret_meta)
{
    *ret_meta = NULL;
    if (!json)
        return 0;
    *ret_meta = haft_json_read(json, strlen(json), 0, item->arena, NULL);
    if (!*ret_meta)
        return hf_server_refuse(server, HAFT_ENOMEM, item->name, "out of memory");
    return yyjson_obj_get(*ret_meta, "ui")
               ? hf_server_refuse(server, HAFT_EINVAL, item->name,
                                  "_meta has a member ui, and the definition has one as well")
               : 0;
}

static void ui_put_origins(struct json_writer *w, const char *key, const char *const *origins)
{
    if (!origins || !*origins)
        return;
    hf_json_begin_array(hf_json_name(w, key, strlen(key)));
    for (; *origins; origins++)
        hf_json_text(w, *origins);
    hf_json_end_array(w);
}

/* ---- tools ---- */

static void ui_put_visibility(struct json_writer *w, bool model, bool app)
{
    hf_json_begin_array(json_key(w, "visibility"));
    if (model)
        hf_json_text(w, "model");
    if (app)
        hf_json_text(w, "app");
    hf_json_end_array(w);
}

int hf_ui_fill_tool(haft_server *server, struct item *item)
{
    const void *view = NULL;
    const haft_ui *ui;
    haft_tool *own = haft_arena_alloc(item->arena, sizeof *own);
    haft_value *meta;
    haft_buffer text;
    struct json_writer w;
    bool model, app;
    int status = hf_server_view(server, "haft_ui", item->tool->ui, sizeof *ui, item->arena, &view);

    if (!status)
        status = ui_read_meta(server, item, item->tool->meta, &meta);
    if (status)
        return status;
    ui = view;
    model = !ui->visibility || !strcmp(ui->visibility, "model");
    app = !ui->visibility || !strcmp(ui->visibility, "app");
    if (!model && !app) {
        if (strcmp(ui->visibility, "model app") != 0)
            return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                    "ui: visibility must be \"model\", \"app\" or \"model app\"");
        model = app = true;
    }
    if (ui->resource && strncmp(ui->resource, ui_scheme, strlen(ui_scheme)) != 0)
        return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                "ui: the resource must have a URI that begins with ui://");
    haft_buffer_init(&text, server->allocator, UI_META);
    w = ui_begin(&text, meta);
    json_text_member(&w, "resourceUri", ui->resource);
    if (ui->visibility)
        ui_put_visibility(&w, model, app);
    if (own) {
        *own = *item->tool;
        own->ui = ui;
    }
    view = ui_end(&w, item);
    if (!own || !view)
        return hf_server_refuse(server, HAFT_ENOMEM, item->name, "ui: out of memory");
    own->meta = view;
    item->tool = own;
    if (ui->resource)
        item->app = haft_arena_copy(item->arena, ui->resource, strlen(ui->resource));
    if (ui->resource && !item->app)
        return hf_server_refuse(server, HAFT_ENOMEM, item->name, "ui: out of memory");
    return 0;
}

int hf_ui_find_resource(haft_server *server, const struct item *item)
{
    const char *uri = item->tool->ui->resource, *type;
    struct catalogue *catalogue;
    const struct entry *entry;
    int status = 0;

    if (!uri)
        return 0;
    catalogue = hf_catalogue_take(server);
    entry = hf_offer_list_find(&catalogue->lists[HAFT_OFFER_RESOURCE], uri, strlen(uri));
    type = entry ? entry->item->resource->mime_type : NULL;
    if (!entry)
        status = hf_server_refuse(server, HAFT_ENOTFOUND, item->name,
                                  "ui: there is no resource %.100s; add it before the tool", uri);
    else if (!type || strcmp(type, HAFT_UI_TYPE) != 0)
        status =
            hf_server_refuse(server, HAFT_EINVAL, item->name,
                             "ui: the type of the resource %.100s must be %s", uri, HAFT_UI_TYPE);
    hf_catalogue_drop(catalogue);
    return status;
}

/* Whether clients can read an app. */
static bool ui_is_offered(const struct catalogue *catalogue, const char *uri)
{
    const struct entry *entry =
        hf_offer_list_find(&catalogue->lists[HAFT_OFFER_RESOURCE], uri, strlen(uri));
    const char *type = entry && !entry->disabled ? entry->item->resource->mime_type : NULL;

    return type && !strcmp(type, HAFT_UI_TYPE);
}

static bool ui_has_tool(const struct catalogue *catalogue, const struct item *item)
{
    const struct entry *entry =
        hf_offer_list_find(&catalogue->lists[HAFT_OFFER_TOOL], item->name, item->name_size);

    return entry && entry->item == item;
}

void hf_ui_warn(haft_server *server, const struct catalogue *from, const struct catalogue *to)
{
    const struct offer_list *offers = &to->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < offers->n; i++) {
        const struct item *item = offers->entries[i].item;
        const char *uri = item->app;

        if (uri && !ui_is_offered(to, uri) &&
            (!ui_has_tool(from, item) || ui_is_offered(from, uri)))
            hf_server_log(server, HAFT_WARNING,
                          "%s: ui: no app %.100s is offered; hosts show results without it",
                          item->name, uri);
    }
}

/* ---- apps ---- */

struct ui_policy {
    const char *name, *key;
    size_t offset;
};

static const struct ui_policy ui_policies[] = {
    {"connect", "connectDomains", offsetof(haft_ui_page, connect)},
    {"resources", "resourceDomains", offsetof(haft_ui_page, resources)},
    {"frames", "frameDomains", offsetof(haft_ui_page, frames)},
    {"base_uris", "baseUriDomains", offsetof(haft_ui_page, base_uris)},
};

enum { UI_POLICIES = sizeof ui_policies / sizeof *ui_policies };

static const char *const *ui_origins(const haft_ui_page *app, const struct ui_policy *policy)
{
    return *(const char *const *const *)(const void *)((const char *)app + policy->offset);
}

static int ui_check_app(haft_server *server, const struct item *item, const haft_ui_page *app)
{
    const char *type = item->resource->mime_type;
    int status = 0;

    if (strncmp(item->name, ui_scheme, strlen(ui_scheme)) != 0)
        return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                "page: the URI must begin with ui://");
    if (!type || strcmp(type, HAFT_UI_TYPE) != 0)
        return hf_server_refuse(server, HAFT_EINVAL, item->name, "page: the type must be %s",
                                HAFT_UI_TYPE);
    if (app->domain && !ui_is_host(app->domain, strlen(app->domain)))
        return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                "page: domain must be a host name");
    for (size_t i = 0; i < UI_POLICIES && !status; i++)
        status = ui_check_origins(server, item->name, ui_policies[i].name,
                                  ui_origins(app, &ui_policies[i]));
    return status;
}

static void ui_put_policies(struct json_writer *w, const haft_ui_page *app)
{
    bool any = false;

    for (size_t i = 0; i < UI_POLICIES; i++) {
        const char *const *origins = ui_origins(app, &ui_policies[i]);

        any |= origins && *origins;
    }
    if (!any)
        return;
    hf_json_begin_object(json_key(w, "csp"));
    for (size_t i = 0; i < UI_POLICIES; i++)
        ui_put_origins(w, ui_policies[i].key, ui_origins(app, &ui_policies[i]));
    hf_json_end_object(w);
}

static void ui_put_permissions(struct json_writer *w, const haft_ui_page *app)
{
    if (!app->camera && !app->microphone && !app->geolocation && !app->clipboard_write)
        return;
    hf_json_begin_object(json_key(w, "permissions"));
    if (app->camera)
        hf_json_empty_object(json_key(w, "camera"));
    if (app->microphone)
        hf_json_empty_object(json_key(w, "microphone"));
    if (app->geolocation)
        hf_json_empty_object(json_key(w, "geolocation"));
    if (app->clipboard_write)
        hf_json_empty_object(json_key(w, "clipboardWrite"));
    hf_json_end_object(w);
}

int hf_ui_fill_resource(haft_server *server, struct item *item)
{
    const void *view = NULL;
    const haft_ui_page *app;
    haft_resource *own = haft_arena_alloc(item->arena, sizeof *own);
    haft_value *meta;
    haft_buffer text;
    struct json_writer w;
    int status = hf_server_view(server, "haft_ui_page", item->resource->page, sizeof *app,
                                item->arena, &view);

    app = view;
    if (!status)
        status = ui_check_app(server, item, app);
    if (!status)
        status = ui_read_meta(server, item, item->resource->meta, &meta);
    if (status)
        return status;
    haft_buffer_init(&text, server->allocator, UI_META);
    w = ui_begin(&text, meta);
    ui_put_policies(&w, app);
    ui_put_permissions(&w, app);
    json_text_member(&w, "domain", app->domain);
    if (app->prefers_border)
        hf_json_bool(json_key(&w, "prefersBorder"), app->prefers_border == HAFT_YES);
    view = ui_end(&w, item);
    if (!own || !view)
        return hf_server_refuse(server, HAFT_ENOMEM, item->name, "page: out of memory");
    *own = *item->resource;
    own->page = app;
    own->meta = view;
    item->resource = own;
    return 0;
}
