/* help.c - prints the tables as help text and as a manual page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "cli/verb.h"
#include "config/program_options.h"

enum { WIDTH = 78, COLUMN = 24, HELP_NAME = 64 };

/* Wraps a paragraph, indented by `indent`; the first line continues at column `at`. */
static void help_put_wrapped(haft_buffer *out, const char *text, size_t indent, size_t at)
{
    while (*text) {
        size_t size = strcspn(text, " \n");

        if (at > indent && at + 1 + size > WIDTH) {
            haft_buffer_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            haft_buffer_puts(out, " ");
            at++;
        }
        haft_buffer_add(out, text, size);
        at += size;
        text += size;
        if (*text == '\n') {
            haft_buffer_puts(out, "\n");
            at = indent;
            text++;
        }
        text += *text == ' ';
    }
    haft_buffer_puts(out, "\n");
}

static void help_put_entry(haft_buffer *out, const char *name, const char *takes, const char *help)
{
    size_t size = strlen(name) + (takes ? strlen(takes) + 1 : 0) + 2;

    haft_buffer_printf(out, "  %s%s%s", name, takes ? " " : "", takes ? takes : "");
    if (size + 2 > COLUMN) {
        haft_buffer_puts(out, "\n");
        size = 0;
    }
    haft_buffer_printf(out, "%*s", (int)(COLUMN - size), "");
    help_put_wrapped(out, help, COLUMN, COLUMN);
}

/* "--help, -h" for one that has a short form. */
static void help_put_option(haft_buffer *out, const struct option_row *row)
{
    char name[HELP_NAME];

    snprintf(name, sizeof name, "%s%s%s", row->name, row->brief ? ", " : "",
             row->brief ? row->brief : "");
    help_put_entry(out, name, row->takes, row->help);
}

static void put_exits(haft_buffer *out)
{
    haft_buffer_puts(out, "\nExit codes:\n");
    for (const struct exit_row *row = exit_rows; row->text; row++)
        haft_buffer_printf(out, "  %-3d  %s\n", row->code, row->text);
}

static void put_program(haft_buffer *out)
{
    haft_buffer_puts(
        out,
        "usage: haft COMMAND [OPTION ...] [OPERAND ...]\n"
        "       haft --version\n\n"
        "Serves tools over the Model Context Protocol (MCP), and lists and calls the tools of MCP servers.\n\n"
        "Commands:\n");
    for (const struct command *row = command_rows; row->name; row++)
        help_put_entry(out, row->name, NULL, row->help);
    haft_buffer_puts(out, "\nhaft help COMMAND prints the options of a command.\n");
    put_exits(out);
}

/* The options and variables that a server declares itself, as it would print them. */
static void put_declared(haft_buffer *out, const struct command *command)
{
    haft_server *server = haft_server_new(command->name, HAFT_VERSION);
    void *values = calloc(1, command->own->size);
    int status = server && values ? haft_options_add(server, command->own, values) : HAFT_ENOMEM;

    haft_buffer_puts(out, "\n");
    if (status)
        out->status = status;
    else
        hf_option_put_program_help(server->program_options, command->name, out);
    haft_buffer_puts(out, "Options of every haft server:\n");
    haft_server_free(server);
    free(values);
}

static void put_command(haft_buffer *out, const struct command *command)
{
    const char *options = command->options || command->serves ? "[OPTION ...] " : "";
    struct option_row row;

    for (size_t i = 0; command->forms[i]; i++)
        haft_buffer_printf(out, "%s haft %s %s%s\n", i ? "      " : "usage:", command->name,
                           options, command->forms[i]);
    haft_buffer_printf(out, "\n%s\n\n", command->help);
    help_put_wrapped(out, command->more, 0, 0);
    if (command->own)
        put_declared(out, command);
    if (command->serves && !command->own) {
        haft_buffer_puts(out, "\n");
        haft_buffer_printf(out, "  %-24s  %s\n", serve_option.name, serve_option.help);
    }
    if (command->serves)
        hf_verb_put_help(NULL, out);
    for (size_t i = 0; !command->serves && option_at(command, i, &row); i++) {
        if (!i)
            haft_buffer_puts(out, "\nOptions:\n");
        help_put_option(out, &row);
    }
    if (command->options || command->serves)
        put_exits(out);
}

void help_write(const struct command *command, haft_buffer *out)
{
    if (command)
        put_command(out, command);
    else
        put_program(out);
}

/* ---- the manual page ---- */

/* Escapes text for roff: dashes and backslashes, and control characters at the start of a line. */
static void put_roff(haft_buffer *out, const char *text)
{
    bool start = true;

    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            haft_buffer_puts(out, "\\&");
        start = *text == '\n';
        if (start && text[1] == '\n') {
            haft_buffer_puts(out, "\n.PP\n");
            text++;
        } else if (*text == '-') {
            haft_buffer_puts(out, "\\-");
        } else if (*text == '\\') {
            haft_buffer_puts(out, "\\e");
        } else {
            haft_buffer_add(out, text, 1);
        }
    }
}

/* Writes a phrase of --help as a sentence: with a capital letter and a full stop. */
static void put_roff_sentence(haft_buffer *out, const char *phrase)
{
    char first = *phrase >= 'a' && *phrase <= 'z' ? (char)(*phrase - 'a' + 'A') : *phrase;

    haft_buffer_add(out, &first, 1);
    put_roff(out, phrase + 1);
    haft_buffer_puts(out, ".\n");
}

static void put_manual_command(haft_buffer *out, const struct command *command)
{
    haft_buffer_printf(out, ".SS %s\n", command->name);
    for (size_t i = 0; command->forms[i]; i++) {
        haft_buffer_printf(out, "%s.B haft %s\n", i ? ".br\n" : "", command->name);
        if (command->options || command->serves)
            haft_buffer_puts(out, ".RI [ OPTION \" ...]\"\n");
        put_roff(out, command->forms[i]);
        haft_buffer_puts(out, "\n");
    }
    haft_buffer_puts(out, ".PP\n");
    put_roff_sentence(out, command->help);
    put_roff(out, command->more);
    haft_buffer_puts(out, "\n");
}

static void put_manual_row(haft_buffer *out, const struct option_row *row)
{
    const struct option *served = hf_option_by_flag(row->name);

    haft_buffer_puts(out, ".TP\n.B ");
    if (row->brief) {
        put_roff(out, row->brief);
        haft_buffer_puts(out, ", ");
    }
    put_roff(out, row->name);
    if (row->takes)
        haft_buffer_printf(out, served && served->bare ? "[=%s]" : " %s", row->takes);
    haft_buffer_puts(out, "\n");
    put_roff(out, row->help);
    for (size_t i = 0; row->values && row->values[i]; i++) {
        haft_buffer_puts(out, i ? ", " : ": ");
        put_roff(out, row->values[i]);
    }
    if (row->initial) {
        haft_buffer_puts(out, "\n(default ");
        put_roff(out, row->initial);
        haft_buffer_puts(out, ")");
    }
    haft_buffer_puts(out, "\n");
}

static void put_manual_option(haft_buffer *out, const struct option_row *row)
{
    const char *between = " ";

    put_manual_row(out, row);
    haft_buffer_puts(out, "(commands:");
    for (const struct command *command = command_rows; command->name; command++)
        if (option_is_of(row, command)) {
            haft_buffer_printf(out, "%s%s", between, command->name);
            between = ", ";
        }
    haft_buffer_puts(out, ")\n");
}

static void put_manual_served(haft_buffer *out, const struct command *command)
{
    struct option_row row;

    haft_buffer_printf(out, ".SS Options of %s\n", command->name);
    for (size_t i = 0; option_at(command, i, &row); i++)
        put_manual_row(out, &row);
    for (size_t i = 0; command->own && i < command->own->n_options; i++) {
        const haft_option *option = &command->own->options[i];

        row = (struct option_row){.name = option->variable, .help = option->help};
        if (!option->name)
            put_manual_row(out, &row);
    }
}

static const char manual_end[] =
    ".SH ENVIRONMENT\n"
    ".TP\n.B NO_COLOR\n"
    "If this variable is set and not empty, haft prints no colors.\n"
    ".TP\n.B XDG_STATE_HOME\n"
    "The directory below which haft keeps logins and digests of tools, instead of ~/.local/state.\n"
    ".TP\n.B HAFT_CLIENT_SECRET\n"
    "The secret of the client that login \\-\\-client\\-id names.\n"
    ".TP\n.B HAFT_*\n"
    "A variable can set an option that configures serve or home: HAFT_ and the option's name in upper case, "
    "with underscores instead of dashes, such as HAFT_LOG_LEVEL for \\-\\-log\\-level.\n"
    "An option on the command line overrides the variable, and the variable overrides the "
    "configuration file.\n"
    ".SH EXAMPLES\n"
    "Serve a demo, then list its tools and call one, in another terminal:\n"
    ".PP\n.nf\n"
    "haft serve \\-\\-demo\n"
    "haft tools http://127.0.0.1:8808/mcp\n"
    "haft call http://127.0.0.1:8808/mcp get_weather location=Oslo\n"
    ".fi\n.PP\n"
    "Switch a lamp of the demo home:\n"
    ".PP\n.nf\n"
    "haft call control_light entity_id=light.kitchen_counter action=turn_on \\-\\- haft home\n"
    ".fi\n.PP\n"
    "Call a tool of a server that haft starts:\n"
    ".PP\n.nf\n"
    "haft call divide numerator=1 denominator=8 \\-\\- ./divide\n"
    ".fi\n";

void manual_write(haft_buffer *out)
{
    haft_buffer_puts(
        out,
        ".TH HAFT 1 \"\" \"haft " HAFT_VERSION "\" \"User Commands\"\n"
        ".SH NAME\nhaft \\- serve, list and call tools over the Model Context Protocol\n"
        ".SH SYNOPSIS\n.B haft\n.I COMMAND\n.RI [ OPTION \" ...] [\" OPERAND "
        "\" ...]\"\n.br\n.B haft \\-h\n.br\n.B haft \\-V\n"
        ".SH DESCRIPTION\n"
        "haft serves tools over the Model Context Protocol (MCP), and lists and calls the tools of any "
        "MCP server.\n"
        "It connects to a server over HTTP, or starts a command and uses its standard input and "
        "output.\n"
        "haft uses the newest protocol revision that both sides support.\n"
        ".SH COMMANDS\n");
    for (const struct command *row = command_rows; row->name; row++)
        put_manual_command(out, row);
    haft_buffer_puts(out, ".SH OPTIONS\n");
    for (const struct option_row *row = option_rows; row->name; row++)
        put_manual_option(out, row);
    for (const struct command *row = command_rows; row->name; row++)
        if (row->serves)
            put_manual_served(out, row);
    haft_buffer_puts(out, ".SH EXIT STATUS\n");
    for (const struct exit_row *row = exit_rows; row->text; row++) {
        haft_buffer_printf(out, ".TP\n.B %d\n", row->code);
        put_roff(out, row->text);
        haft_buffer_puts(out, "\n");
    }
    haft_buffer_puts(out, manual_end);
}
