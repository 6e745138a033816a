/* main.c - the command line that every server has: one thing to do, and options.
 *
 * What can be done is a table here; the options are the table of option.c. */
#include <haft/run.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "loop/heap.h"
#include "config/option.h"
#include "cli/verb.h"

enum { HELP_WIDTH = 26, PAGE_LIMIT = 1 << 20 };

static int act_serve(struct command *command, haft_server *server);
static int act_stdio(struct command *command, haft_server *server);
static int act_check(struct command *command, haft_server *server);
static int act_config(struct command *command, haft_server *server);
static int act_help(struct command *command, haft_server *server);
static int act_version(struct command *command, haft_server *server);

static const struct verb {
    struct verb_text text;
    int (*act)(struct command *command, haft_server *server); /* NULL: it changes how */
} verbs[] = {
    {{"--stdio", NULL, "serve on standard input and output"}, act_stdio},
    {{"--list", NULL, "print the tools as a table"}, hf_command_list},
    {{"--check", NULL,
      "check the tools for problems with clients; exit with 1 if a tool is rejected"},
     act_check},
    {{"--call", "TOOL [JSON]", "call a tool and print its result; exit with 1 if it fails"},
     hf_command_call},
    {{"--print-config", NULL, "print the value of every option and its source"}, act_config},
    {{"--json", NULL, "with --list, --call or --print-config: print JSON"}, NULL},
    {{"--verbose", NULL, "with --list: also print the stages that a call of each tool passes"},
     NULL},
    {{"--help", NULL, "print this help"}, act_help},
    {{"--version", NULL, "print the version"}, act_version},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

bool hf_verb_at(size_t i, struct verb_text *ret_text)
{
    if (i < VERBS)
        *ret_text = verbs[i].text;
    return i < VERBS;
}

/* ---- reading the command line ---- */

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp(verbs[i].text.name, name))
            return &verbs[i];
    return NULL;
}

static int refuse_name(const struct command *command, const char *given)
{
    static const char http[] = "--http";
    struct nearest search = hf_nearest_begin(given);

    for (size_t i = 0; i < VERBS; i++)
        hf_nearest_offer(&search, verbs[i].text.name);
    for (size_t i = 0; i < hf_option_count; i++)
        hf_nearest_offer(&search, hf_option_table[i].flag);
    if (!HAFT_HTTP && !strncmp(given, http, sizeof http - 1))
        fprintf(stderr, "%s: %s: this program was built without HTTP\n", command->program, http);
    else
        fprintf(stderr, "%s: unknown option %s%s%s%s\n", command->program, given,
                search.name ? "; did you mean " : "; --help lists the options",
                search.name ? search.name : "", search.name ? "?" : "");
    return COMMAND_MISUSED;
}

static int refuse_without(const struct command *command, const char *name, const char *takes)
{
    fprintf(stderr, "%s: %s needs %s\n", command->program, name, takes);
    return COMMAND_MISUSED;
}

/* --help and --version may join any other. */
static bool verbs_conflict(const struct command *command, const struct verb *verb)
{
    return verb->act && command->verb && verb->act != command->act && verb->act != act_help &&
           verb->act != act_version && command->act != act_help && command->act != act_version;
}

static int refuse_verbs(const struct command *command, const struct verb *verb)
{
    fprintf(stderr, "%s: %s and %s exclude each other\n", command->program, command->verb,
            verb->text.name);
    return COMMAND_MISUSED;
}

/* Takes a verb and what belongs to it off the front; so many arguments, or -1 when one is missing. */
static int read_verb(struct command *command, const struct verb *verb, char **argv, int left)
{
    int taken = 1;

    if (verb->act == hf_command_call) {
        if (left < 2)
            return -1;
        command->tool = argv[taken++];
        if (taken < left && argv[taken][0] != '-')
            command->arguments = argv[taken++];
    }
    command->json |= !strcmp(verb->text.name, "--json");
    command->verbose |= !strcmp(verb->text.name, "--verbose");
    if (verb->act) {
        command->act = verb->act;
        command->verb = verb->text.name;
    }
    return taken;
}

/* The same of an option: "--workers 3", "--workers=3"; a switch is on without a value. */
static int cli_read_option(struct command *command, char **argv, int left)
{
    const char *equals = strchr(argv[0], '=');
    size_t size = equals ? (size_t)(equals - argv[0]) : strlen(argv[0]);
    const struct option *option = NULL;
    const char *value = equals ? equals + 1 : NULL;
    bool takes;

    for (size_t i = 0; i < hf_option_count && !option; i++)
        if (strlen(hf_option_table[i].flag) == size &&
            !strncmp(hf_option_table[i].flag, argv[0], size))
            option = &hf_option_table[i];
    if (!option)
        return 0;
    takes = !value && hf_option_takes(option) && !option->bare;
    if (takes && left < 2) {
        refuse_without(command, option->flag, hf_option_takes(option));
        return -1;
    }
    value = takes ? argv[1] : value ? value : option->bare;
    command->given[command->n_given++] = (struct given){option, value};
    return takes ? 2 : 1;
}

/* A word that is no option: 1 when somebody takes it. */
static int read_operand(struct command *command, const char *word)
{
    const struct app *app = command->app;
    int status = HAFT_EINVAL;

    if (word[0] != '-' && app && app->operand)
        status = app->operand(app->context, word);
    command->operands = command->operands || !status;
    return !status;
}

static int read_arguments(struct command *command, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        const struct verb *verb = find_verb(argv[i]);
        int taken;

        if (verb && verbs_conflict(command, verb))
            return refuse_verbs(command, verb);
        taken = verb ? read_verb(command, verb, argv + i, argc - i)
                     : cli_read_option(command, argv + i, argc - i);
        if (taken < 0)
            return verb ? refuse_without(command, verb->text.name, verb->text.takes)
                        : COMMAND_MISUSED;
        if (!taken)
            taken = read_operand(command, argv[i]);
        if (!taken)
            return refuse_name(command, argv[i]);
        i += taken;
    }
    return COMMAND_OK;
}

/* ---- what is done ---- */

static int print_page(struct command *command, const haft_buffer *page)
{
    if (!page->status)
        hf_command_print(page);
    else
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(page->status));
    return page->status ? COMMAND_FAILED : COMMAND_OK;
}

void hf_verb_put_help(haft_buffer *page)
{
    for (size_t i = 0; i < VERBS; i++) {
        const struct verb_text *text = &verbs[i].text;

        haft_buffer_printf(page, "  %s %-*s%s\n", text->name,
                           (int)(HELP_WIDTH - 1 - strlen(text->name)),
                           text->takes ? text->takes : "", text->help);
    }
    hf_option_put_help(page);
}

static int act_help(struct command *command, haft_server *server)
{
    haft_buffer page;
    int status;

    haft_buffer_init(&page, server->allocator, PAGE_LIMIT);
    haft_buffer_printf(&page,
                       "usage: %s [OPTION ...]\n%s %s, a Model Context Protocol (MCP) server.\n\n",
                       command->program, server->name, server->version);
    hf_verb_put_help(&page);
    status = print_page(command, &page);
    haft_buffer_finish(&page);
    return status;
}

static int act_version(struct command *command, haft_server *server)
{
    (void)command;
    printf("%s %s (haft %s)\n", server->name, server->version, HAFT_VERSION);
    return COMMAND_OK;
}

static int act_config(struct command *command, haft_server *server)
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

/* What was wrong has been logged by now. */
static int act_check(struct command *command, haft_server *server)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    size_t n = catalogue->lists[HAFT_OFFER_TOOL].n_enabled;
    size_t n_hidden = catalogue->lists[HAFT_OFFER_TOOL].n - n;

    (void)command;
    hf_catalogue_drop(catalogue);
    printf("%zu tool%s offered", n, n == 1 ? " is" : "s are");
    if (n_hidden)
        printf(", %zu %s hidden", n_hidden, n_hidden == 1 ? "is" : "are");
    printf("%s\n", server->error.code ? ", some were rejected (see the log)" : "");
    return server->error.code ? COMMAND_FAILED : COMMAND_OK;
}

/* ---- serving ---- */

bool hf_command_can_reload(const struct command *command)
{
    return command->settings.config || command->operands ||
           (!command->app && command->from_program.n_sections);
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

static int act_stdio(struct command *command, haft_server *server)
{
    haft_stdio_options stdio = command->settings.stdio;
    int status;

    stdio.workers = command->settings.workers;
    stdio.max_queue = command->settings.max_queue;
    stdio.drain_ms = command->settings.drain_ms;
    stdio.reload = hf_command_can_reload(command) ? hf_reload_now : NULL;
    stdio.reload_context = &command->reload;
    status = haft_stdio_serve(server, &stdio);
    if (status < 0 && command->refusal.code)
        return hf_command_refuse(command, &command->refusal);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
    return status < 0 ? command_unable(command) : status;
}

static int act_serve(struct command *command, haft_server *server)
{
    if (!command->settings.http.address && command->app)
        command->settings.http.address = command->app->address;
    if (HAFT_HTTP && command->settings.http.address)
        return hf_command_http(command, server);
    return act_stdio(command, server);
}

/* ---- all of it ---- */

/* Reads the settings, and says what is wrong with them. */
static int load(struct command *command, haft_server *server)
{
    struct complaints complaints;
    int status;

    hf_complaints_init(&complaints, server->allocator);
    status = hf_settings_load(&command->settings, &command->from_program, command->given,
                              command->n_given, &complaints);
    if (status == HAFT_ENOMEM)
        fprintf(stderr, "%s: %s\n", command->program, haft_strerror(status));
    for (size_t at = 0; status == HAFT_EINVAL && at < complaints.text.size;) {
        const char *line = complaints.text.data + at;
        size_t size = strcspn(line, "\n");

        fprintf(stderr, "%s: %.*s\n", command->program, (int)size, line);
        at += size + 1;
    }
    if (complaints.n > complaints.max)
        fprintf(stderr, "%s: and %zu more\n", command->program, complaints.n - complaints.max);
    hf_complaints_finish(&complaints);
    return !status ? COMMAND_OK : status == HAFT_EINVAL ? COMMAND_MISUSED : COMMAND_FAILED;
}

/* What the operator asks of the server, whatever it does then. */
static int cli_prepare(struct command *command, struct logger *logger, struct audit_file *audit)
{
    haft_reason reason = {0};
    int status;

    if (command->app) /* what is served may come from a section */
        hf_settings_commit(&command->settings);
    if (!hf_app_at(command->app, command->server, 0)) {
        fprintf(stderr, "%s: no MCP endpoint is configured\n", command->program);
        return command_unable(command);
    }
    status =
        hf_app_prepare(command->app, command->server, &command->settings, logger, audit, &reason);
    if (status) {
        fprintf(stderr, "%s: %s: %s\n", command->program, reason.path, reason.text);
        return command_unable(command);
    }
    hf_settings_commit(&command->settings);
    hf_app_doubt(command->app, command->server, &command->settings);
    return COMMAND_OK;
}

static int act(struct command *command)
{
    bool serves = command->act == act_serve || command->act == act_stdio;
    haft_server *server = hf_app_at(command->app, command->server, 0);
    struct sandbox sandbox = {.ruleset = -1};
    int status;

    if (serves) {
        hf_heap_settle();
        hf_app_report_tools(command->app, command->server);
    }
    /* Whoever serves hears it; before that, and while everything is put away, there is nothing to
     * read again, and nobody who sends it wants an end. */
    if (serves && hf_command_can_reload(command))
        signal(SIGHUP, SIG_IGN);
    status = hf_command_begin(command, serves ? &sandbox : NULL);
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
    status = cli_prepare(command, own_log ? &logger : NULL, &audit);
    if (status == COMMAND_OK)
        status = act(command);
    if (fflush(stdout) && status == COMMAND_OK)
        status = COMMAND_FAILED;
    hf_settings_discard(&command->settings); /* the sections may need the server for it */
    hf_audit_file_close(&audit);             /* and so may what it has to say */
    cli_release(command);
    hf_reload_finish(&command->reload);
    hf_logger_finish(&logger);
    return status;
}

/* --list and --call run handlers in this process, which no sandbox confines: refuse to pretend.
 * A sandbox of the configuration file or the environment is meant for serving. */
static int check_sandbox(const struct command *command)
{
    static const char flag[] = "--sandbox";
    bool given = false;

    if (command->act != hf_command_list && command->act != hf_command_call)
        return COMMAND_OK;
    for (size_t i = 0; i < command->n_given; i++)
        given = given || !strcmp(command->given[i].option->flag, flag);
    if (!given || command->settings.sandbox == SANDBOX_OFF)
        return COMMAND_OK;
    fprintf(stderr, "%s: %s does not run in the sandbox; leave out %s\n", command->program,
            command->verb, flag);
    return COMMAND_MISUSED;
}

static int read_and_run(struct command *command, int argc, char **argv)
{
    int status = read_arguments(command, argc, argv);

    if (status == COMMAND_OK)
        status = load(command, command->server);
    if (status == COMMAND_OK)
        status = check_sandbox(command);
    if (status == COMMAND_OK)
        status = cli_run(command);
    hf_settings_finish(&command->settings);
    return status;
}

int hf_command_main(haft_server *server, const struct app *app, int argc, char **argv)
{
    struct command command = {.act = act_serve, .server = server, .app = app};
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
    command.from_program = hf_program_settings_of(server);
    command.given = allocator.alloc(allocator.context, size);
    if (command.given)
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
