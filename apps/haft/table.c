/* table.c - every command, option and exit code of the program. */
#include "program.h"
#include "config/option.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_WAIT = 86400, LARGEST_LIMIT = 1024 };

const struct exit_row exit_rows[] = {
#define EXIT_(name, code, text) {code, text},
    EXITS(EXIT_)
#undef EXIT_
        {0, NULL},
};

/* ---- options ---- */

static bool table_read_count(const char *value, long most, unsigned *ret_count)
{
    char *end;
    long n = strtol(value, &end, 10);

    *ret_count = (unsigned)n;
    return *value && !*end && n >= 1 && n <= most;
}

static bool set_json(struct invocation *call, const char *value)
{
    (void)value;
    return call->json = true;
}

static bool set_names(struct invocation *call, const char *value)
{
    (void)value;
    return call->names = true;
}

static bool set_safe_names(struct invocation *call, const char *value)
{
    (void)value;
    return call->names = call->safe = true;
}

static bool set_verbose(struct invocation *call, const char *value)
{
    (void)value;
    return call->verbose = true;
}

static bool set_help(struct invocation *call, const char *value)
{
    (void)value;
    return call->help = true;
}

static bool set_timeout(struct invocation *call, const char *value)
{
    return table_read_count(value, LONGEST_WAIT, &call->timeout);
}

static bool set_limit(struct invocation *call, const char *value)
{
    return table_read_count(value, LARGEST_LIMIT, &call->limit);
}

/* "Name: value" of one line, whose name is a token. */
static bool table_add_header(struct invocation *call, const char *value)
{
    static const char token[] =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t name = strspn(value, token);

    if (!name || value[name] != ':' || strpbrk(value, "\r\n") ||
        call->n_headers == PROGRAM_MAX_HEADERS)
        return false;
    call->headers[call->n_headers++] = value;
    return true;
}

static bool set_revision(struct invocation *call, const char *value)
{
    call->revision = hf_revision_named(value, strlen(value));
    return call->revision != REVISIONS;
}

static bool set_authority(struct invocation *call, const char *value)
{
    call->authority = value;
    return *value;
}

static bool set_out(struct invocation *call, const char *value)
{
    call->out = value;
    return *value;
}

const struct option_row option_rows[] = {
    {"--json", NULL, FOR_LISTS | FOR_CALL, set_json, "print what the server answered, as JSON",
     NULL, NULL},
    {"--names", NULL, FOR_LISTS, set_names, "print the names alone, one a line", NULL, NULL},
    {"--safe-names", NULL, FOR_LISTS, set_safe_names,
     "print the names that a shell takes as they are, one a line", NULL, NULL},
    {"--out", "FILE", FOR_CALL, set_out, "write the image, audio or file of the answer there", NULL,
     NULL},
    {"--timeout", "SECONDS", FOR_ASKING, set_timeout, "wait no longer for an answer (60)", NULL,
     NULL},
    {"--header", "'NAME: VALUE'", FOR_ASKING, table_add_header, "send it with every HTTP request",
     NULL, NULL},
    {"--ca", "FILE", FOR_ASKING, set_authority, "trust these certificates for https", NULL, NULL},
    {"--revision", "REVISION", FOR_ASKING, set_revision,
     "speak this one instead of the newest that the server knows", hf_revision_names, NULL},
    {"--limit", "MIB", FOR_ASKING, set_limit, "take no larger message (64)", NULL, NULL},
    {"--verbose", NULL, FOR_ASKING, set_verbose, "say on standard error what goes on", NULL, NULL},
    {"--help", NULL, FOR_ASKING, set_help, "print how the command is used", NULL, NULL},
    {NULL, NULL, FOR_NONE, NULL, NULL, NULL, NULL},
};

const struct option_row serve_option = {.name = "--demo",
                                        .help = "serve a small shop, to try clients with"};

bool option_is_of(const struct option_row *option, const struct command *command)
{
    return command && option->commands & command->options;
}

/* The options of serve: its own, and those of every server. */
static bool server_option_at(size_t i, struct option_row *ret_row)
{
    struct verb_text verb;
    size_t n = 0;

    if (!i--) {
        *ret_row = serve_option;
        return true;
    }
    if (hf_verb_at(i, &verb)) {
        *ret_row = (struct option_row){.name = verb.name, .takes = verb.takes, .help = verb.help};
        return true;
    }
    while (hf_verb_at(n, &verb))
        n++;
    i -= n;
    if (i >= hf_option_count)
        return false;
    *ret_row = (struct option_row){.name = hf_option_table[i].flag,
                                   .takes = hf_option_takes(&hf_option_table[i]),
                                   .help = hf_option_table[i].help,
                                   .values = hf_option_table[i].words,
                                   .initial = hf_option_table[i].initial};
    return true;
}

bool option_at(const struct command *command, size_t i, struct option_row *ret_row)
{
    const struct option_row *row = option_rows;

    if (command->serves)
        return server_option_at(i, ret_row);
    for (; row->name; row++)
        if (option_is_of(row, command) && !i--) {
            *ret_row = *row;
            return true;
        }
    return false;
}

/* ---- commands ---- */

#define FORMS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char server_text[] =
    "The server is the URL of an HTTP endpoint, or a command after --, which is started and spoken to "
    "over its standard input and output.";

static const char call_text[] =
    "An argument is written key=value, and the tool's schema says what the value becomes: a number, a "
    "boolean, a string, one of an enumeration. A key that is given more than once makes an array, and "
    "key.inner=value an object. key:=JSON takes the value as JSON; key=@FILE takes it from a file "
    "(key=@@text is a text that begins with @). A lone - reads all the arguments as JSON from standard "
    "input.\n"
    "\n"
    "Text of the answer goes to standard output. Images, audio and files are named in brackets, and "
    "--out writes the first of them to a file. Questions of the server are asked on the terminal; "
    "without one they are declined.";

static const char serve_text[] =
    "Serves what plugins bring: shared objects with tools and routes, named on the command line or in the "
    "section \"plugins\" of the configuration. The section \"gateway\" has policies, says which of them apply "
    "to which routes, and lists the MCP endpoints, each with the tools that it offers; without it there is "
    "one at /mcp with all of them. At SIGHUP the configuration is read again: plugins without routes are "
    "replaced if their files have changed, and policies apply anew. Without --stdio and --http it listens on "
    "http://127.0.0.1:8808. --demo adds a plugin that is installed with the program: a small shop with "
    "routes for customers, an inventory, orders, weather and things to do, and tools that call them.";

const struct command command_rows[] = {
    {"serve", FOR_NONE, act_serve,
     FORMS("[--config FILE] [--stdio | --http HOST:PORT] [PLUGIN.so ...]",
           "--demo [--config FILE] [--stdio | --http HOST:PORT]"),
     "serve routes and tools, over HTTP or standard input and output", serve_text, NULL, true},
    {"tools", FOR_ASKING | FOR_LISTS, act_tools, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list the tools of a server, with their arguments", server_text, NULL, false},
    {"call", FOR_ASKING | FOR_CALL, act_call,
     FORMS("URL TOOL [KEY=VALUE ...]", "TOOL [KEY=VALUE ...] -- COMMAND [ARGUMENT ...]"),
     "call a tool and print what it answers", call_text, NULL, false},
    {"resources", FOR_ASKING | FOR_LISTS, act_resources, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list the resources of a server", server_text, NULL, false},
    {"prompts", FOR_ASKING | FOR_LISTS, act_prompts, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list the prompts of a server, with their arguments", server_text, NULL, false},
    {"ping", FOR_ASKING, act_ping, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "ask a server for a sign of life, and say what it is", server_text, NULL, false},
    {"completion", FOR_NONE, act_completion, FORMS("bash", "zsh"),
     "print the completion of a shell",
     "For bash: haft completion bash >~/.local/share/bash-completion/completions/haft. For zsh, put "
     "the output into a file _haft in a directory of $fpath.",
     FORMS("bash", "zsh"), false},
    {"help", FOR_NONE, act_help, FORMS("[COMMAND]"), "print how a command is used",
     "Without a command: what there is.", NULL, false},
    {NULL, FOR_NONE, NULL, NULL, NULL, NULL, NULL, false},
};

const struct command *command_named(const char *name)
{
    for (const struct command *row = command_rows; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}
