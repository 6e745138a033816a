/* around.c - the environment of a command: the sandbox that it enters, and the threads that write the
 * audit and the log. */
#include <string.h>

#include "cli/command.h"
#include "process/isolate.h"

static int enter_sandbox(void *context, haft_reason *reterr_reason)
{
    struct command *command = context;

    return hf_sandbox_enter(command->sandbox, reterr_reason ? reterr_reason : &command->refusal);
}

static void write_rest(void *context)
{
    struct command *command = context;

    hf_audit_file_flush(command->reload.audit);
    if (command->reload.logger)
        hf_logger_flush(command->reload.logger);
}

static void attend_server(struct command *command, haft_server *server, bool begins)
{
    server->process.confine = begins && command->sandbox ? enter_sandbox : NULL;
    server->process.leave = begins ? write_rest : NULL;
    server->process.confine_context = server->process.leave_context = command;
}

/* A server that comes with another configuration. */
static int around_adopt(void *context, haft_server *server, const char *path,
                        haft_reason *reterr_reason)
{
    struct command *command = context;
    const struct reload *reload = &command->reload;
    int status = hf_app_adopt(command->server, hf_reload_settings(reload), reload->logger,
                              reload->audit, server, path, reterr_reason);

    attend_server(command, server, true);
    if (HAFT_HTTP && !status)
        status = hf_command_trace_server(command, server, reterr_reason);
    if (!status && hf_isolate_start(server))
        status = hf_error_set(reterr_reason, HAFT_ENOMEM, "isolation", "out of memory");
    return status;
}

/* Every server, since each may be the one that serves, or that its isolated tools are forked from. */
static void attend(struct command *command, bool begins)
{
    haft_server *server = command->server;

    for (size_t i = 0; server; server = hf_app_at(command->app, command->server, i++)) {
        attend_server(command, server, begins);
        if (!command->app)
            return;
    }
    if (command->app->follow)
        command->app->follow(command->app->context, begins ? around_adopt : NULL, command);
}

/* What isolated tools are forked from comes before threads. */
static int start_writers(struct command *command)
{
    struct audit_file *audit = command->reload.audit;
    struct logger *logger = command->reload.logger;
    haft_reason reason = {0};
    haft_server *server;
    int status = 0;

    if (!command->settings.audit && !command->settings.log_file)
        return COMMAND_OK;
    for (size_t i = 0; !status && (server = hf_app_at(command->app, command->server, i)); i++)
        status = hf_isolate_start(server);
    if (status)
        hf_error_set(&reason, status, "isolation", "%s", haft_strerror(status));
    if (!status && logger)
        status = hf_logger_start(logger, &reason);
    if (!status)
        status = hf_audit_file_start(audit, &reason);
    return status ? hf_command_refuse(command, &reason) : COMMAND_OK;
}

static bool around_is_unix(const char *url)
{
    return !strncmp(url, "redis+unix:", 11);
}

/* Whether the sandbox lets the server connect to the store, which it also does again later. */
static bool around_can_reach(const char *url, const struct sandbox_wish *wish)
{
    return around_is_unix(url) ? wish->connect_unix : wish->connect;
}

/* Opens the paths; the code that serves gives up everything else.  Spans, the audit and the log file
 * have separate threads, which run no handlers: they must connect, and open their files. */
static int prepare_sandbox(struct command *command, struct sandbox *sandbox)
{
    const struct settings *settings = &command->settings;
    struct sandbox_wish wish = settings->sandbox_wish;
    haft_server *server;
    haft_reason reason = {0};

    wish.best_effort = settings->sandbox == SANDBOX_BEST_EFFORT;
    for (size_t i = 0; (server = hf_app_at(command->app, command->server, i)); i++)
        wish.isolates = wish.isolates || atomic_load(&server->isolation.n) > 0;
    wish.threads = (settings->otlp.url ? 1U : 0) + (settings->audit ? 1U : 0) +
                   (settings->log_file && command->reload.logger ? 1U : 0);
    if (settings->otlp.url && !wish.connect) {
        hf_error_set(&reason, HAFT_EINVAL, "--otlp",
                     "with --sandbox, --otlp requires --sandbox-connect");
        return hf_command_refuse(command, &reason);
    }
    if (settings->auth.issuers && !wish.connect) {
        hf_error_set(&reason, HAFT_EINVAL, "--oauth-issuer",
                     "with --sandbox, --oauth-issuer requires --sandbox-connect");
        return hf_command_refuse(command, &reason);
    }
    if (settings->store.url && !around_can_reach(settings->store.url, &wish)) {
        hf_error_set(&reason, HAFT_EINVAL, "--store", "with --sandbox, --store requires %s",
                     around_is_unix(settings->store.url) ? "--sandbox-connect-unix"
                                                         : "--sandbox-connect");
        return hf_command_refuse(command, &reason);
    }
    if (hf_sandbox_open(sandbox, &wish, &reason))
        return hf_command_refuse(command, &reason);
    if (*sandbox->lacks)
        hf_server_log(command->server, HAFT_WARNING,
                      "the sandbox runs without %s: the kernel does not support it",
                      sandbox->lacks);
    command->sandbox = sandbox;
    return COMMAND_OK;
}

/* Options that allow something in the sandbox do not turn it on: warns an operator who expects that. */
static void doubt_sandbox(const struct command *command)
{
    const struct sandbox_wish *wish = &command->settings.sandbox_wish;

    if ((wish->read && *wish->read) || (wish->write && *wish->write) || wish->connect ||
        wish->connect_unix)
        hf_server_log(
            command->server, HAFT_WARNING,
            "--sandbox-read, --sandbox-write and --sandbox-connect have no effect without --sandbox");
}

int hf_command_start_app(struct command *command)
{
    const struct app *app = command->app;
    haft_reason reason = {0};
    haft_server *server;
    int status = 0;

    if (!app || !app->start)
        return COMMAND_OK;
    for (size_t i = 0; !status && (server = hf_app_at(app, command->server, i)); i++)
        status = hf_isolate_start(server);
    if (status)
        hf_error_set(&reason, status, "isolation", "%s", haft_strerror(status));
    else
        status = app->start(app->context, command->sandbox, &reason);
    return status ? hf_command_refuse(command, &reason) : COMMAND_OK;
}

int hf_command_begin(struct command *command, struct sandbox *sandbox)
{
    int status = COMMAND_OK;

    if (sandbox && command->settings.sandbox != SANDBOX_OFF)
        status = prepare_sandbox(command, sandbox);
    else if (sandbox)
        doubt_sandbox(command);
    attend(command, true);
    return status == COMMAND_OK ? start_writers(command) : status;
}

void hf_command_end(struct command *command)
{
    attend(command, false);
    command->sandbox = NULL;
}
