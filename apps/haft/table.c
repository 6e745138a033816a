/* table.c - every command, option and exit code of the program. */
#include "program.h"

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

static bool read_count(const char *value, long most, unsigned *ret_count)
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
    return read_count(value, LONGEST_WAIT, &call->timeout);
}

static bool set_limit(struct invocation *call, const char *value)
{
    return read_count(value, LARGEST_LIMIT, &call->limit);
}

/* "Name: value" of one line, whose name is a token. */
static bool add_header(struct invocation *call, const char *value)
{
    static const char token[] =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t name = strspn(value, token);

    if (!name || value[name] != ':' || strpbrk(value, "\r\n") || call->n_headers == MAX_HEADERS)
        return false;
    call->headers[call->n_headers++] = value;
    return true;
}

static bool set_revision(struct invocation *call, const char *value)
{
    call->revision = revision_named(value, strlen(value));
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

static const char *const revisions[] = {"2024-11-05", "2025-03-26", "2025-06-18",
                                        "2025-11-25", "2026-07-28", NULL};

const struct option_row option_rows[] = {
    {"--json", NULL, FOR_LISTS | FOR_CALL, set_json, "print what the server answered, as JSON",
     NULL},
    {"--names", NULL, FOR_LISTS, set_names, "print the names alone, one a line", NULL},
    {"--out", "FILE", FOR_CALL, set_out, "write the image, audio or file of the answer there",
     NULL},
    {"--timeout", "SECONDS", FOR_ASKING, set_timeout, "wait no longer for an answer (60)", NULL},
    {"--header", "'NAME: VALUE'", FOR_ASKING, add_header, "send it with every HTTP request", NULL},
    {"--ca", "FILE", FOR_ASKING, set_authority, "trust these certificates for https", NULL},
    {"--revision", "REVISION", FOR_ASKING, set_revision,
     "speak this one instead of the newest that the server knows", revisions},
    {"--limit", "MIB", FOR_ASKING, set_limit, "take no larger message (64)", NULL},
    {"--verbose", NULL, FOR_ASKING, set_verbose, "say on standard error what goes on", NULL},
    {"--help", NULL, FOR_ASKING, set_help, "print how the command is used", NULL},
    {NULL, NULL, FOR_NONE, NULL, NULL, NULL},
};

bool option_is_of(const struct option_row *option, const struct command *command)
{
    return command && option->commands & command->options;
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

const struct command command_rows[] = {
    {"tools", FOR_ASKING | FOR_LISTS, act_tools, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list the tools of a server, with their arguments", server_text, NULL},
    {"call", FOR_ASKING | FOR_CALL, act_call,
     FORMS("URL TOOL [KEY=VALUE ...]", "TOOL [KEY=VALUE ...] -- COMMAND [ARGUMENT ...]"),
     "call a tool and print what it answers", call_text, NULL},
    {"resources", FOR_ASKING | FOR_LISTS, act_resources, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list the resources of a server", server_text, NULL},
    {"prompts", FOR_ASKING | FOR_LISTS, act_prompts, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "list the prompts of a server, with their arguments", server_text, NULL},
    {"ping", FOR_ASKING, act_ping, FORMS("URL", "-- COMMAND [ARGUMENT ...]"),
     "ask a server for a sign of life, and say what it is", server_text, NULL},
    {"completion", FOR_NONE, act_completion, FORMS("bash", "zsh"),
     "print the completion of a shell",
     "For bash: haft completion bash >~/.local/share/bash-completion/completions/haft. For zsh, put "
     "the output into a file _haft in a directory of $fpath.",
     FORMS("bash", "zsh")},
    {"help", FOR_NONE, act_help, FORMS("[COMMAND]"), "print how a command is used",
     "Without a command: what there is.", NULL},
    {NULL, FOR_NONE, NULL, NULL, NULL, NULL, NULL},
};

const struct command *command_named(const char *name)
{
    for (const struct command *row = command_rows; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}
