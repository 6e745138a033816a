/* reload.c - applies the configuration again at every SIGHUP. */
#include "config/reload.h"
#include "config/seal_file.h"

#include <string.h>

#include "config/option.h"

const struct settings *hf_reload_settings(const struct reload *reload)
{
    return reload->current.arena ? &reload->current : reload->started;
}

static void log_complaints(haft_server *server, const struct complaints *complaints)
{
    const char *line = complaints->text.data, *end = line + complaints->text.size;

    hf_server_log(server, HAFT_ERROR, "the new configuration is invalid; keeping the old one");
    while (line < end) {
        size_t size = strcspn(line, "\n");

        hf_server_log(server, HAFT_ERROR, "%.*s", (int)size, line);
        line += size + 1;
    }
    if (complaints->n > complaints->max)
        hf_server_log(server, HAFT_ERROR, "and %zu more", complaints->n - complaints->max);
}

static void log_changes(const struct reload *reload, const struct settings *settings)
{
    const struct option *option;

    for (size_t i = 0; (option = hf_settings_option(settings->program, i)); i++) {
        haft_buffer value;

        if (!option->live && !hf_option_equal(option, settings, reload->started))
            hf_server_log(reload->server, HAFT_WARNING, "%s: changing this requires a restart",
                          option->key ? option->key : hf_option_name(option));
        if (!option->live || hf_option_equal(option, settings, hf_reload_settings(reload)))
            continue;
        haft_buffer_init(&value, reload->server->allocator, 1 << 16);
        hf_option_put(option, settings, &value);
        hf_server_log(reload->server, HAFT_NOTICE, "%s: now %.*s (%s)", option->key,
                      value.size ? (int)value.size : 1, value.size ? value.data : "-",
                      hf_source_name(settings->from[i]));
        haft_buffer_finish(&value);
    }
}

/* Reads the API keys again, and has the keys of issuers fetched again, whatever the configuration is
 * like: a mistake in that must not keep a revoked key valid. */
static void reload_keys(const struct reload *reload)
{
    haft_reason reason = {0};

    if (reload->app && reload->app->reread)
        reload->app->reread(reload->app->context);
    if (!HAFT_HTTP || !reload->authenticator)
        return;
    if (haft_authenticator_reload(reload->authenticator, &reason))
        hf_server_log(reload->server, HAFT_ERROR,
                      "cannot read the API keys again; revoked keys remain valid: %s: %s",
                      reason.path, reason.text);
    else if (reload->started->auth.keys)
        hf_server_log(reload->server, HAFT_NOTICE, "read the API keys again");
}

/* Reads the seal keys again, for all servers. */
static void reload_seal_keys(const struct reload *reload)
{
    const char *path = reload->started->store.seal_key;
    haft_server *server;

    if (!path)
        return;
    if (hf_seal_file_read(reload->server, path)) {
        hf_server_log(reload->server, HAFT_ERROR,
                      "cannot read the seal keys again; the old ones remain in use: %s: %s", path,
                      reload->server->error.text);
        return;
    }
    for (size_t i = 0; (server = hf_app_at(reload->app, reload->server, i)); i++)
        if (server != reload->server)
            hf_server_share_seal_keys(server, reload->server);
    hf_server_log(reload->server, HAFT_NOTICE, "read the seal keys again");
}

/* Puts the settings in force for clients. */
static int reload_apply_live(const struct reload *reload, const struct settings *settings)
{
    const struct settings *before = hf_reload_settings(reload);
    int status = hf_app_apply_live(reload->app, reload->server, settings, before);

    if (!status)
        return 0;
    hf_app_apply_live(reload->app, reload->server, before, settings);
    if (status == HAFT_ENOMEM)
        return status;
    hf_server_log(reload->server, HAFT_ERROR,
                  "the new configuration is invalid; keeping the old one");
    return HAFT_EINVAL;
}

static void reload_set_logger(const struct reload *reload, const struct settings *settings)
{
    if (!reload->logger)
        return;
    hf_logger_set_level(reload->logger, (haft_level)settings->log_level);
    hf_logger_set_format(reload->logger, (enum log_format)settings->log_format);
}

/* Opens the files again, since logrotate may have moved them away. */
static void reopen_files(struct reload *reload)
{
    haft_reason reason = {0};

    if (reload->logger && hf_logger_reopen(reload->logger, &reason))
        hf_server_log(reload->server, HAFT_ERROR, "%s: %s", reason.path, reason.text);
    hf_audit_file_reopen(reload->audit);
}

static int reload_replace(struct reload *reload, struct settings *settings)
{
    int status = reload_apply_live(reload, settings);

    if (status)
        return status;
    log_changes(reload, settings);
    reload_set_logger(reload, settings);
    hf_settings_commit(settings);
    hf_app_doubt(reload->app, reload->server, settings);
    hf_reload_finish(reload);
    reload->current = *settings;
    hf_server_log(reload->server, HAFT_NOTICE, "configuration reloaded");
    return 0;
}

void hf_reload_now(void *context)
{
    struct reload *reload = context;
    struct settings settings;
    struct complaints complaints;
    int status;

    reopen_files(reload);
    reload_keys(reload);
    reload_seal_keys(reload);
    hf_app_reload_extensions(reload->app, reload->server);
    hf_complaints_init(&complaints, reload->server->allocator);
    status = hf_settings_load(&settings, reload->started->program, reload->given, reload->n_given,
                              &complaints);
    settings.tasks.store = reload->started->tasks.store;
    if (HAFT_HTTP && !status && (status = hf_auth_check(&settings, &complaints)) == 0)
        status = complaints.n ? HAFT_EINVAL : 0;
    if (status == HAFT_EINVAL)
        log_complaints(reload->server, &complaints);
    else if (!status)
        status = reload_replace(reload, &settings);
    if (status) {
        if (status != HAFT_EINVAL)
            hf_server_log(reload->server, HAFT_ERROR, "could not reload the configuration: %s",
                          haft_strerror(status));
        hf_settings_finish(&settings);
    }
    hf_complaints_finish(&complaints);
}

void hf_reload_finish(struct reload *reload)
{
    hf_settings_finish(&reload->current);
}
