/* app.c - settings, and what follows from them, for every server that a command line serves. */
#include "config/app.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

#include <haft/skill.h>

#include "stage/metrics.h"
#include "config/option.h"
#include "config/seal_file.h"
#include "config/tasks.h"
#include "config/visibility.h"

enum { DISABLED_NAMES = 1024 };
enum { MEANT = 64 }; /* bytes of a hint at the intended name */

/* The same with its path, which is NULL for `own`. */
static haft_server *app_at_path(const struct app *app, haft_server *own, size_t i,
                                const char **ret_path)
{
    *ret_path = NULL;
    if (app)
        return app->endpoint(app->context, i, ret_path);
    return i ? NULL : own;
}

haft_server *hf_app_at(const struct app *app, haft_server *own, size_t i)
{
    const char *path;

    return app_at_path(app, own, i, &path);
}

/* ---- options ---- */

static bool is_said(const struct settings *settings, const struct option *option)
{
    return settings->from[hf_settings_place(settings, option)] > FROM_PROGRAM;
}

/* An endpoint keeps the settings of the program, except those that the operator overrides. */
static void lay_over(const struct settings *settings, haft_server *server)
{
    const size_t first = offsetof(struct settings, server);

    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];

        if (option->offset >= first && option->offset < first + sizeof settings->server &&
            !option->live && is_said(settings, option))
            memcpy((char *)&server->options + (option->offset - first),
                   (const char *)settings + option->offset, option->size);
    }
}

static haft_server_options live_options(const struct settings *settings, const haft_server *server)
{
    haft_server_options live = settings->server;

    if (!is_said(settings, hf_option_by_key("limits.timeout")))
        live.timeout_ms = server->options.timeout_ms;
    if (!is_said(settings, hf_option_by_key("tools.lenient")))
        live.lenient = server->options.lenient;
    if (!is_said(settings, hf_option_by_key("limits.client_rate")))
        live.client_rate = server->options.client_rate;
    return live;
}

static int app_apply_live_to(haft_server *server, const struct settings *settings,
                             const struct settings *before, haft_server_options live)
{
    int status = hf_visibility_apply(server, settings);

    if (HAFT_HTTP && !status)
        status = hf_auth_apply_access(server, settings, before);
    if (status)
        return status;
    hf_server_set_client_rate(server, live.client_rate);
    hf_server_set_timeout(server, live.timeout_ms);
    hf_server_set_lenient(server, live.lenient);
    return 0;
}

int hf_app_apply_live(const struct app *app, haft_server *own, const struct settings *settings,
                      const struct settings *before)
{
    haft_server *server;
    int status = 0;

    for (size_t i = 0; !status && (server = hf_app_at(app, own, i)); i++) {
        status = app_apply_live_to(server, settings, before,
                                   app ? live_options(settings, server) : settings->server);
        if (status) {
            own->error = server->error;
            return status;
        }
    }
    hf_server_set_timeout(own, settings->server.timeout_ms);
    return status;
}

/* ---- names ---- */

static bool has_tool(haft_server *server, const char *name)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    bool has = hf_offer_list_find(&catalogue->lists[HAFT_OFFER_TOOL], name, strlen(name));

    hf_catalogue_drop(catalogue);
    return has;
}

void hf_app_put_nearest(haft_server *server, const char *name, char *text, size_t room)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    const struct offer_list *offers = &catalogue->lists[HAFT_OFFER_TOOL];
    struct nearest search = hf_nearest_begin(name);

    for (size_t i = 0; i < offers->n; i++)
        hf_nearest_offer(&search, offers->entries[i].item->name);
    *text = '\0';
    if (search.name)
        snprintf(text, room, "; did you mean %s?", search.name);
    hf_catalogue_drop(catalogue);
}

/* Of all servers, how many tools they have and offer. */
static size_t count_tools(const struct app *app, haft_server *own, size_t *ret_enabled)
{
    haft_server *server;
    size_t n = 0;

    *ret_enabled = 0;
    for (size_t i = 0; (server = hf_app_at(app, own, i)); i++) {
        struct catalogue *catalogue = hf_catalogue_take(server);

        n += catalogue->lists[HAFT_OFFER_TOOL].n;
        *ret_enabled += catalogue->lists[HAFT_OFFER_TOOL].n_enabled;
        hf_catalogue_drop(catalogue);
    }
    return n;
}

/* The names of what a server does not offer, as far as they fit. */
static void put_disabled(haft_server *server, haft_buffer *names)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    const struct offer_list *offers = &catalogue->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < offers->n; i++)
        if (offers->entries[i].disabled)
            haft_buffer_printf(names, "%s%s", names->size ? ", " : "",
                               offers->entries[i].item->name);
    hf_catalogue_drop(catalogue);
}

void hf_app_report_tools(const struct app *app, haft_server *own)
{
    size_t n_enabled, n = count_tools(app, own, &n_enabled), n_disabled = n - n_enabled;
    haft_server *server;
    haft_buffer names;

    hf_server_log(own, HAFT_INFO, "%zu tool%s registered", n, n == 1 ? " is" : "s are");
    if (!n_disabled)
        return;
    haft_buffer_init(&names, own->allocator, DISABLED_NAMES);
    for (size_t i = 0; (server = hf_app_at(app, own, i)); i++)
        put_disabled(server, &names);
    hf_server_log(own, HAFT_WARNING, "%zu of %zu tools %s disabled%s%.*s", n_disabled, n,
                  n_disabled == 1 ? "is" : "are", names.status ? "" : ": ",
                  names.status ? 0 : (int)names.size, names.data ? names.data : "");
    haft_buffer_finish(&names);
}

struct app_servers {
    const struct app *app;
    haft_server *own;
};

static haft_server *app_nth(const void *context, size_t i)
{
    const struct app_servers *servers = context;

    return hf_app_at(servers->app, servers->own, i);
}

void hf_app_doubt(const struct app *app, haft_server *own, const struct settings *settings)
{
    size_t n_enabled;

    if (settings->tools && *settings->tools && count_tools(app, own, &n_enabled) && !n_enabled)
        hf_server_log(own, HAFT_WARNING, "tools.offer: no tool matches %s", settings->tools);
    for (size_t i = 0; settings->disabled && settings->disabled[i]; i++) {
        const char *name = settings->disabled[i];
        char nearest[MEANT] = "";
        bool found = strpbrk(name, "*?,");
        haft_server *server;

        for (size_t j = 0; !found && (server = hf_app_at(app, own, j)); j++) {
            found = has_tool(server, name);
            if (!found && !*nearest)
                hf_app_put_nearest(server, name, nearest, sizeof nearest);
        }
        if (!found)
            hf_server_log(own, HAFT_WARNING, "tools.disabled: unknown tool %s%s", name, nearest);
    }
    hf_visibility_doubt(own, app_nth, &(struct app_servers){app, own});
}

/* ---- before they serve ---- */

static uint64_t random_number(void)
{
    uint64_t number = 0;

    return uv_random(NULL, NULL, &number, sizeof number, 0, NULL) ? uv_hrtime() : number;
}

/* The state of an endpoint of an app is where that of the command line's server is. */
static void app_share_store(haft_server *server, const haft_server *own)
{
    if (!server->options.store)
        server->options.store = own->options.store;
}

static void app_set_up(haft_server *server, struct logger *logger)
{
    if (logger && !hf_server_has_log(server))
        hf_server_set_record(server, hf_logger_record, logger);
    if (!server->options.clock)
        server->options.clock = uv_hrtime;
    if (!server->options.random)
        server->options.random = random_number;
}

/* Counts, audit and seal key are those of the server of the command line, which is the first. */
static int app_join(haft_server *server, const char *path, haft_server *own,
                    const struct settings *settings, struct audit_file *audit)
{
    int status = 0;

    if (settings->store.seal_key && server == own)
        status = hf_seal_file_read(server, settings->store.seal_key);
    else if (settings->store.seal_key)
        hf_server_share_seal_keys(server, own);
    haft_audit_set_mode(server, (haft_audit_mode)settings->audit_mode);
    if (!status && server != own && own->metering.metrics)
        status = hf_metrics_share(server, own);
    if (!status && settings->store.single_use)
        status = haft_single_use_enable(server);
    if (!status && settings->audit)
        status = hf_audit_file_take(audit, server);
    if (!status)
        status = hf_config_set_tasks(server, settings, path);
    return status;
}

/* What forks a process for one of them knows of all.  One may be served twice. */
static void link_family(const struct app *app, haft_server *own)
{
    haft_server *last = own, *server;

    own->keys.family = own;
    for (size_t i = 0; (server = hf_app_at(app, own, i)); i++) {
        if (server->keys.family)
            continue;
        server->keys.family = own;
        last->keys.beside = server;
        last = server;
    }
}

int hf_app_adopt(haft_server *own, const struct settings *settings, struct logger *logger,
                 struct audit_file *audit, haft_server *server, const char *path,
                 haft_reason *reterr_reason)
{
    haft_server *last = own;
    int status;

    lay_over(settings, server);
    app_set_up(server, logger);
    app_share_store(server, own);
    status = app_apply_live_to(server, settings, NULL, live_options(settings, server));
    if (!status)
        status = app_join(server, path, own, settings, audit);
    if (status) {
        *reterr_reason = server->error;
        return status;
    }
    while (last->keys.beside)
        last = last->keys.beside;
    server->keys.family = own;
    last->keys.beside = server;
    return 0;
}

static int app_add_skills(haft_server *server, const char *const *directories)
{
    int status = 0;

    for (; *directories && !status; directories++)
        status = haft_server_add_skills(server, *directories, NULL);
    return status;
}

void hf_app_reload_extensions(const struct app *app, haft_server *own)
{
    struct extension *extension;
    haft_server *server;

    for (size_t i = 0; (server = hf_app_at(app, own, i)); i++) {
        extension = atomic_load(&server->changes.extensions);
        for (; extension; extension = extension->next)
            if (extension->reload)
                extension->reload(extension);
    }
}

int hf_app_prepare(const struct app *app, haft_server *own, const struct settings *settings,
                   struct logger *logger, struct audit_file *audit, haft_reason *reterr_reason)
{
    haft_server *server, *refusing = own;
    const char *path;
    int status;

    own->options = settings->server;
    app_set_up(own, logger);
    link_family(app, own);
    for (size_t i = 0; app && (server = hf_app_at(app, own, i)); i++) {
        lay_over(settings, server);
        app_set_up(server, logger);
        app_share_store(server, own);
    }
    status = hf_app_apply_live(app, own, settings, NULL);
    if (!status && settings->metrics && !own->metering.metrics)
        status = haft_metrics_enable(own);
    if (!status && settings->audit)
        status = hf_audit_file_open(audit, own, settings->audit);
    if (!status && app)
        status = app_join(own, NULL, own, settings, audit);
    for (size_t i = 0; !status && (server = app_at_path(app, own, i, &path)); i++) {
        if (app && server == own)
            continue;
        if (app && !i && hf_settings_path(settings)) /* where it will be mounted */
            path = hf_settings_path(settings);
        status = app_join(server, path, own, settings, audit);
        refusing = status ? server : own;
    }
    if (!status && settings->skills) {
        refusing = hf_app_at(app, own, 0);
        status = app_add_skills(refusing, settings->skills);
    }
    if (status)
        *reterr_reason = refusing->error;
    return status;
}
