/* serve_http.c - what a command line does over HTTP: serving, and sending spans of what is served.
 *
 * A library that is built without HTTP has none of it. */
#include <haft/http.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "config/option.h"
#include "observe/otlp.h"

/* ---- serving ---- */

static void serve_http_on_ready(void *context, const char *url)
{
    const struct command *command = context;
    static const char both[] = "http://localhost:"; /* what haft_http_url calls them */
    const struct app *app = command->app;
    const char *path = "";

    if (app)
        app->endpoint(app->context, 0, &path);
    fprintf(stderr, "%s: listening on %s%s%s\n", command->program, url, path,
            strncmp(url, both, sizeof both - 1) ? "" : " (127.0.0.1 and ::1)");
}

/* The first socket that systemd has opened for this process; 0 when there is none. */
static int inherited_socket(void)
{
    const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");

    if (!pid || !n || strtol(pid, NULL, 10) != (long)getpid() || strtol(n, NULL, 10) < 1)
        return 0;
    return 3;
}

/* The authenticator outlives what serves with it. */
static int serve_http_run(struct command *command, haft_server *server, haft_http_options *http,
                          haft_reason *reterr_reason)
{
    int status =
        hf_auth_make(&command->settings, command->server, &http->authenticator, reterr_reason);

    command->reload.authenticator = http->authenticator;
    if (!status && command->app)
        status = command->app->mount(command->app->context, hf_settings_path(&command->settings),
                                     http, reterr_reason);
    if (!status)
        status = haft_http_serve(command->app ? command->server : server, http, reterr_reason);
    command->reload.authenticator = NULL;
    haft_authenticator_free(http->authenticator);
    return status;
}

int hf_command_http(struct command *command, haft_server *server)
{
    haft_http_options http = command->settings.http;
    haft_reason reason = {0};
    int status;

    http.workers = command->settings.workers;
    http.max_queue = command->settings.max_queue;
    http.drain_ms = command->settings.drain_ms;
    http.fd = inherited_socket();
    http.ready = serve_http_on_ready;
    http.ready_context = command;
    http.reload = hf_command_can_reload(command) ? hf_reload_now : NULL;
    http.reload_context = &command->reload;
    http.tls_client_optional = command->settings.auth.tls_client == TLS_CLIENT_OPTIONAL;
    status = serve_http_run(command, server, &http, &reason);
    return status < 0 ? hf_command_refuse(command, &reason) : status;
}

int hf_command_check_authentication(const struct command *command)
{
    haft_authenticator *authenticator;
    haft_reason reason = {0};
    int status = hf_auth_make(&command->settings, command->server, &authenticator, &reason);

    haft_authenticator_free(authenticator);
    return status ? hf_command_refuse(command, &reason) : COMMAND_OK;
}

/* ---- spans ---- */

/* Spans of every server that is served; NULL, with the reason, when they cannot be sent. */
static haft_otlp *trace(const struct command *command, haft_reason *reterr_reason)
{
    haft_server *server = hf_app_at(command->app, command->server, 0);
    char needed_by[128];
    haft_otlp *otlp;
    int status = 0;

    /* By the option's name, and before there is a sandbox. */
    snprintf(needed_by, sizeof needed_by, "--otlp %s", command->settings.otlp.url);
    if (!hf_http_client_open(needed_by, reterr_reason))
        return NULL;
    otlp = haft_otlp_new(server, &command->settings.otlp, reterr_reason);
    for (size_t i = 1; otlp && (server = hf_app_at(command->app, command->server, i)); i++) {
        status = hf_otlp_tap(otlp, server);
        if (status)
            break;
    }
    if (!otlp || !status)
        return otlp;
    *reterr_reason = server->error;
    haft_otlp_free(otlp);
    return NULL;
}

int hf_command_trace_server(const struct command *command, haft_server *server,
                            haft_reason *reterr_reason)
{
    int status = command->otlp ? hf_otlp_tap(command->otlp, server) : 0;

    if (status)
        *reterr_reason = server->error;
    return status;
}

int hf_command_traced(struct command *command, haft_server *server)
{
    haft_reason reason = {0};
    int status;

    command->otlp = trace(command, &reason);
    status = command->otlp ? command->act(command, server) : hf_command_refuse(command, &reason);
    haft_otlp_free(command->otlp);
    command->otlp = NULL;
    return status;
}
