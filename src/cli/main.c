/* main.c - what the command line of every server does, from its arguments to the exit status. */
#include <haft/run.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "loop/heap.h"
#include "config/program_options.h"
#include "config/store_open.h"
#include "config/tasks.h"
#include "cli/verb.h"

enum { PAGE_LIMIT = 1 << 20 };

/* ---- what is done ---- */

static int print_page(struct command *command, const haft_buffer *page)
{
    if (!page->status)
        hf_command_print(page);
    else
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(page->status));
    return page->status ? COMMAND_FAILED : COMMAND_OK;
}

int hf_command_help(struct command *command, haft_server *server)
{
    const struct program_options *own = command->from_program.own;
    haft_buffer page;
    int status;

    haft_buffer_init(&page, server->allocator, PAGE_LIMIT);
    haft_buffer_printf(&page, "usage: %s [OPTION ...]", command->program);
    hf_option_put_operands(own, &page);
    haft_buffer_printf(&page, "\n%s %s, a Model Context Protocol (MCP) server.\n\n", server->name,
                       server->version);
    hf_option_put_program_help(own, server->name, &page);
    if (own && own->n)
        haft_buffer_puts(&page, "Options of every haft server:\n");
    hf_verb_put_help(own, &page);
    status = print_page(command, &page);
    haft_buffer_finish(&page);
    return status;
}

int hf_command_version(struct command *command, haft_server *server)
{
    (void)command;
    printf("%s %s (haft %s)\n", server->name, server->version, HAFT_VERSION);
    return COMMAND_OK;
}

int hf_command_config(struct command *command, haft_server *server)
{
    haft_buffer page;
    int status;

    haft_buffer_init(&page, server->allocator, PAGE_LIMIT);
    if (command->json)
        hf_option_put_settings_json(&command->settings, &page);
    else
        hf_option_put_settings(&command->settings, &page);
    status = print_page(command, &page);
    haft_buffer_finish(&page);
    return status;
}

/* The error has been logged. */
int hf_command_check(struct command *command, haft_server *server)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    size_t n = catalogue->lists[HAFT_OFFER_TOOL].n_enabled;
    size_t n_hidden = catalogue->lists[HAFT_OFFER_TOOL].n - n;
    int status = HAFT_HTTP ? hf_command_check_authentication(command) : COMMAND_OK;

    hf_catalogue_drop(catalogue);
    if (status != COMMAND_OK)
        return status;
    printf("%zu tool%s offered", n, n == 1 ? " is" : "s are");
    if (n_hidden)
        printf(", %zu %s hidden", n_hidden, n_hidden == 1 ? "is" : "are");
    printf("%s\n", server->error.code ? ", some were rejected (see the log)" : "");
    return server->error.code ? COMMAND_FAILED : COMMAND_OK;
}

/* ---- serving ---- */

/* Whether an extension of the only server has files to read again. */
static bool cli_has_files(const haft_server *server)
{
    const struct extension *at = atomic_load(&server->changes.extensions);

    while (at && !at->reload)
        at = at->next;
    return at;
}

bool hf_command_can_reload(const struct command *command)
{
    return command->settings.config || command->settings.skills || cli_has_files(command->server) ||
           command->settings.audit || command->settings.log_file || command->settings.auth.keys ||
           command->settings.store.seal_key || command->settings.auth.issuers ||
           command->settings.http.tls_certificates || command->operands ||
           (!command->app && command->from_program.n_sections);
}

static bool cli_serves_http(const struct command *command)
{
    return command->settings.http.address || (command->app && command->app->address);
}

/* How the process ends when it cannot serve. */
static int command_unable(const struct command *command)
{
    return command->app && command->app->unable ? command->app->unable : COMMAND_FAILED;
}

int hf_command_refuse(const struct command *command, const haft_reason *reason)
{
    fprintf(stderr, "%s: %s: %s\n", command->program, reason->path, reason->text);
    return command_unable(command);
}

/* For a person who starts it by hand, and would otherwise see a program that does nothing. */
static void explain_stdio(const struct command *command)
{
    const char *name = command->program;

    if (!isatty(STDIN_FILENO))
        return;
    fprintf(stderr, "%s: serving MCP on standard input and output, for a client that starts it\n",
            name);
    if (!command->app || !command->app->address)
        fprintf(stderr, "%s: to try it, run haft tools -- %s, or %s --list%s%s%s\n", name, name,
                name, HAFT_HTTP ? ", or " : "", HAFT_HTTP ? name : "",
                HAFT_HTTP ? " --http 8808" : "");
}

/* On standard input and output, the client has started the program and is not authenticated.  One
 * configuration may be used for both transports. */
static void note_ignored(const struct command *command)
{
    const char *flag = HAFT_HTTP ? hf_auth_given(&command->settings, FROM_FILE) : NULL;

    if (flag)
        hf_server_log(command->server, HAFT_NOTICE,
                      "%s and other options of authentication and TLS have no effect on standard "
                      "input and output",
                      flag);
}

int hf_command_stdio(struct command *command, haft_server *server)
{
    haft_stdio_options stdio = command->settings.stdio;
    int status;

    stdio.workers = command->settings.workers;
    stdio.max_queue = command->settings.max_queue;
    stdio.drain_ms = command->settings.drain_ms;
    stdio.reload = hf_command_can_reload(command) ? hf_reload_now : NULL;
    stdio.reload_context = &command->reload;
    for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) {
            fprintf(stderr, "%s: standard %s is not open\n", command->program,
                    fd ? "output" : "input");
            return command_unable(command);
        }
    explain_stdio(command);
    note_ignored(command);
    status = haft_stdio_serve(server, &stdio);
    if (status < 0 && command->refusal.code)
        return hf_command_refuse(command, &command->refusal);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
    return status < 0 ? command_unable(command) : status;
}

int hf_command_serve(struct command *command, haft_server *server)
{
    if (HAFT_HTTP && cli_serves_http(command)) {
        if (!command->settings.http.address)
            command->settings.http.address = command->app->address;
        return hf_command_http(command, server);
    }
    return hf_command_stdio(command, server);
}

/* ---- all of it ---- */

static void print_complaints(const struct command *command, const struct complaints *complaints)
{
    for (size_t at = 0; at < complaints->text.size;) {
        const char *line = complaints->text.data + at;
        size_t size = strcspn(line, "\n");

        fprintf(stderr, "%s: %.*s\n", command->program, (int)size, line);
        at += size + 1;
    }
    if (complaints->n > complaints->max)
        fprintf(stderr, "%s: and %zu more\n", command->program, complaints->n - complaints->max);
}

/* Reads the settings, and says what is wrong with them. */
static int load(struct command *command, haft_server *server)
{
    struct complaints complaints;
    int status;

    hf_complaints_init(&complaints, server->allocator);
    status = hf_settings_load(&command->settings, &command->from_program, command->given,
                              command->n_given, &complaints);
    if (HAFT_HTTP && !status)
        status = hf_auth_check(&command->settings, &complaints);
    if (!status && complaints.n)
        status = HAFT_EINVAL;
    if (!status)
        status = hf_program_options_fill(server, &command->settings);
    if (status == HAFT_ENOMEM)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
    if (status == HAFT_EINVAL)
        print_complaints(command, &complaints);
    hf_complaints_finish(&complaints);
    return !status ? COMMAND_OK : status == HAFT_EINVAL ? COMMAND_MISUSED : COMMAND_FAILED;
}

static int cli_read(struct command *command, haft_server *server, int argc, char **argv)
{
    struct complaints complaints;
    int status;

    hf_complaints_init(&complaints, server->allocator);
    status = hf_arguments_read(command, argc, argv, &complaints);
    if (status == HAFT_ENOMEM)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
    else if (status)
        print_complaints(command, &complaints);
    hf_complaints_finish(&complaints);
    return !status ? COMMAND_OK : status == HAFT_ENOMEM ? COMMAND_FAILED : COMMAND_MISUSED;
}

/* What the operator asks of the server, whatever it does then. */
static int cli_prepare(struct command *command, struct logger *logger, struct audit_file *audit)
{
    haft_reason reason = {0};
    int status;

    if (command->app) /* its servers may come from a section */
        hf_settings_commit(&command->settings);
    if (!hf_app_at(command->app, command->server, 0)) {
        fprintf(stderr, "%s: no MCP endpoint is configured\n", command->program);
        return command_unable(command);
    }
    if (command->settings.store.task_file) {
        status = hf_task_store_open(command->settings.store.task_file, command->server, logger,
                                    &command->settings.tasks.store, &reason);
        if (status)
            return hf_command_refuse(command, &reason);
    }
    status =
        hf_app_prepare(command->app, command->server, &command->settings, logger, audit, &reason);
    if (status) {
        fprintf(stderr, "%s: %s: %s\n", command->program, reason.path, reason.text);
        return command_unable(command);
    }
    hf_settings_commit(&command->settings);
    return COMMAND_OK;
}

/* Starts what is called if anything will be, and says what is known then of the tools. */
static int cli_start(struct command *command, bool serves)
{
    bool asks = command->act == hf_command_list || command->act == hf_command_call;
    int status = serves || asks ? hf_command_start_app(command) : COMMAND_OK;

    if (status != COMMAND_OK)
        return status;
    hf_app_doubt(command->app, command->server, &command->settings);
    if (serves)
        hf_app_report_tools(command->app, command->server);
    return COMMAND_OK;
}

static int act(struct command *command)
{
    bool serves = command->act == hf_command_serve || command->act == hf_command_stdio;
    haft_server *server = hf_app_at(command->app, command->server, 0);
    struct sandbox sandbox = {.ruleset = -1};
    int status;

    if (serves)
        hf_heap_settle();
    /* The loop handles SIGHUP while it serves.  Before and after that there is nothing to reload, and the
     * signal must not end the process. */
    if (serves && hf_command_can_reload(command))
        signal(SIGHUP, SIG_IGN);
    status = hf_command_begin(command, serves ? &sandbox : NULL);
    if (status == COMMAND_OK)
        status = cli_start(command, serves);
    if (HAFT_HTTP && status == COMMAND_OK && serves && command->settings.otlp.url)
        status = hf_command_traced(command, server);
    else if (status == COMMAND_OK)
        status = command->act(command, server);
    hf_command_end(command);
    hf_sandbox_close(&sandbox);
    return status;
}

/* Once; a program that hosts others frees the server with them. */
static void cli_release(struct command *command)
{
    if (command->app && command->server)
        command->app->release(command->app->context);
    else
        haft_server_free(command->server);
    command->server = NULL;
    haft_store_free(command->settings.tasks.store);
    command->settings.tasks.store = NULL;
}

/* Reports output that could not be written: stdio drops a buffer that it cannot write, and only
 * remembers that there was an error. */
static int cli_flush(const struct command *command, int status)
{
    bool failed = fflush(stdout) || ferror(stdout);

    if (failed && errno != EPIPE) /* the reader, such as head, has seen enough */
        fprintf(stderr, "%s: cannot write to standard output: %s\n", command->program,
                strerror(errno));
    return failed && status == COMMAND_OK ? COMMAND_FAILED : status;
}

/* The store outlives the servers that use it. */
static int cli_open_store(struct command *command, haft_store **ret_store)
{
    bool serves = command->act == hf_command_serve || command->act == hf_command_stdio;
    haft_reason reason = {0};

    if (!serves || !command->settings.store.url)
        return COMMAND_OK;
    *ret_store = hf_store_open(&command->settings.store, &reason);
    if (!*ret_store)
        return hf_command_refuse(command, &reason);
    command->settings.server.store = *ret_store;
    return COMMAND_OK;
}

static int cli_run(struct command *command)
{
    struct audit_file audit = {0};
    struct logger logger;
    struct log_options options = {.level = (haft_level)command->settings.log_level,
                                  .format = (enum log_format)command->settings.log_format,
                                  .file = command->settings.log_file};
    haft_reason reason = {0};
    bool own_log = !hf_server_has_log(command->server);
    haft_store *store = NULL;
    int status;

    if (hf_logger_open(&logger, &options, &reason)) {
        fprintf(stderr, "%s: %s: %s\n", command->program, reason.path, reason.text);
        return command_unable(command);
    }
    command->reload = (struct reload){.server = command->server,
                                      .app = command->app,
                                      .given = command->given,
                                      .n_given = command->n_given,
                                      .started = &command->settings,
                                      .logger = own_log ? &logger : NULL,
                                      .audit = &audit};
    status = cli_open_store(command, &store);
    if (status == COMMAND_OK)
        status = cli_prepare(command, own_log ? &logger : NULL, &audit);
    if (status == COMMAND_OK)
        status = act(command);
    status = cli_flush(command, status);
    hf_settings_discard(&command->settings); /* the sections may need the server for it */
    hf_audit_file_close(&audit);             /* and so may what it has to say */
    cli_release(command);
    haft_store_free(store);
    hf_reload_finish(&command->reload);
    hf_logger_finish(&logger);
    return status;
}

/* Whether an option is on the command line. */
static bool cli_has(const struct command *command, const char *flag)
{
    const struct option *option = hf_option_by_flag(flag);
    bool given = false;

    for (size_t i = 0; i < command->n_given; i++)
        given = given || command->given[i].option == option;
    return given;
}

static int cli_refuse_without_http(const struct command *command)
{
    const char *flag = HAFT_HTTP ? hf_auth_given(&command->settings, FROM_COMMAND_LINE) : NULL;

    if (!flag)
        return COMMAND_OK;
    fprintf(stderr,
            "%s: %s requires --http: on standard input and output, the only client is the program "
            "that starts this one\n",
            command->program, flag);
    return COMMAND_MISUSED;
}

/* Refuses options that the command would ignore. Those of the configuration file and the environment
 * are meant for serving.
 *
 * --list and --call run handlers in this process, which no sandbox confines: refuse to pretend. */
static int check_ignored(const struct command *command)
{
    static const char sandbox[] = "--sandbox", http[] = "--http";
    bool asks = command->act == hf_command_list || command->act == hf_command_call;

    if (asks && command->settings.sandbox != SANDBOX_OFF && cli_has(command, sandbox)) {
        fprintf(stderr, "%s: %s does not run in the sandbox; leave out %s\n", command->program,
                command->verb, sandbox);
        return COMMAND_MISUSED;
    }
    if (command->act == hf_command_stdio && cli_has(command, http)) {
        fprintf(stderr, "%s: %s and %s exclude each other\n", command->program, command->verb,
                http);
        return COMMAND_MISUSED;
    }
    if (HAFT_HTTP && (command->act == hf_command_stdio ||
                      (command->act == hf_command_serve && !cli_serves_http(command))))
        return cli_refuse_without_http(command);
    return COMMAND_OK;
}

static int read_and_run(struct command *command, int argc, char **argv)
{
    const struct program_options *own = command->from_program.own;
    int status;

    if (own && own->refusal.code)
        return hf_command_refuse(command, &own->refusal);
    status = cli_read(command, command->server, argc, argv);
    /* --help works although other options are wrong. */
    if (status == COMMAND_OK && !command->app && hf_arguments_ask_help(command))
        return cli_flush(command, command->act(command, command->server));
    if (status == COMMAND_OK)
        status = load(command, command->server);
    if (status == COMMAND_OK)
        status = check_ignored(command);
    if (status == COMMAND_OK)
        status = cli_run(command);
    hf_settings_finish(&command->settings);
    return status;
}

int hf_command_main(haft_server *server, const struct app *app, int argc, char **argv)
{
    struct command command = {.act = hf_command_serve, .server = server, .app = app};
    haft_allocator allocator;
    size_t size = ((size_t)(argc > 0 ? argc : 0) + 1) * sizeof *command.given;
    int status;

    command.program = argc > 0 && argv[0] ? argv[0] : "haft";
    status = command_unable(&command);
    if (!server) {
        fprintf(stderr,
                "%s: could not create the server: its name or version is missing, its "
                "options are invalid, or memory ran out\n",
                command.program);
        return status;
    }
    allocator = *server->allocator;
    command.given = allocator.alloc(allocator.context, size);
    if (command.given && !hf_program_settings_init(&command.from_program, server))
        status = read_and_run(&command, argc, argv);
    else
        fprintf(stderr, "%s: %s\n", command.program, haft_strerror(HAFT_ENOMEM));
    cli_release(&command);
    if (command.given)
        allocator.release(allocator.context, command.given, size);
    return status;
}

int haft_main(haft_server *server, int argc, char **argv)
{
    return hf_command_main(server, NULL, argc, argv);
}
