/* options.c - parses the command line by the tables.
 *
 * Options may be anywhere before a --; other words are operands. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "show.h"

enum { DEFAULT_TIMEOUT = 60, DEFAULT_LIMIT = 64, OPTION_WORDS = 160 };

/* Replaces each character that is unsafe in a terminal by a space. */
static void make_harmless(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        bool harmful;
        size_t n = next_character(from, strlen(from), &harmful);

        if (harmful)
            *to = ' ';
        else
            memmove(to, from, n);
        to += harmful ? 1 : n;
        from += n;
    }
    *to = '\0';
}

/* Much of the text comes from a server, so it must not contain control characters. */
int complain(int code, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_harmless(text);
    fprintf(stderr, "haft: %s\n", text);
    return code;
}

static int refuse_command(const char *given)
{
    struct nearest search = hf_nearest_begin(given);

    for (const struct command *row = command_rows; row->name; row++)
        hf_nearest_offer(&search, row->name);
    if (search.name)
        return complain(EXIT_USAGE, "unknown command %s; did you mean %s?", given, search.name);
    return complain(EXIT_USAGE, "unknown command %s; `haft help` lists the commands", given);
}

/* `given` ends at its =, if it has one. */
static int refuse_option(const struct command *command, const char *given)
{
    struct nearest search = hf_nearest_begin(given);

    for (const struct option_row *row = option_rows; row->name; row++)
        if (option_is_of(row, command))
            hf_nearest_offer(&search, row->name);
    if (search.name)
        return complain(EXIT_USAGE, "%s has no option %s; did you mean %s?", command->name, given,
                        search.name);
    return complain(EXIT_USAGE, "%s has no option %s; `haft help %s` lists its options",
                    command->name, given, command->name);
}

static const struct option_row *find_option(const struct command *command, const char *given,
                                            size_t size)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if (option_is_of(row, command) && strlen(row->name) == size &&
            !memcmp(row->name, given, size))
            return row;
    return NULL;
}

static int options_refuse_value(const struct option_row *row, const char *value)
{
    char words[OPTION_WORDS] = "";
    size_t size = 0;

    for (size_t i = 0; row->values && row->values[i] && size < sizeof words; i++)
        size += (size_t)snprintf(words + size, sizeof words - size, "%s%s", i ? ", " : "one of ",
                                 row->values[i]);
    return complain(EXIT_USAGE, "%s: invalid value %s, expected %s", row->name, value,
                    *words ? words : row->takes);
}

/* --name VALUE or --name=VALUE; *i is advanced past the value. */
static int read_option(struct invocation *call, int argc, char **argv, int *i)
{
    char *given = argv[*i];
    size_t size = strcspn(given, "=");
    char *value = given[size] ? given + size + 1 : NULL;
    const struct option_row *row = find_option(call->command, given, size);

    if (!row) {
        given[size] = '\0';
        return refuse_option(call->command, given);
    }
    if (!row->takes && value)
        return complain(EXIT_USAGE, "%s does not take a value", row->name);
    if (row->takes && !value) {
        if (*i + 1 >= argc || !strcmp(argv[*i + 1], "--"))
            return complain(EXIT_USAGE, "%s needs %s", row->name, row->takes);
        value = argv[++*i];
    }
    return row->set(call, value) ? EXIT_DONE : options_refuse_value(row, value);
}

/* Moves operands to the front of the remaining argv. */
static int read_rest(struct invocation *call, int argc, char **argv)
{
    call->operands = argv + 2;
    for (int i = 2; i < argc; i++) {
        int status;

        if (!strcmp(argv[i], "--")) {
            call->child = argv + i + 1;
            if (!*call->child)
                return complain(EXIT_USAGE, "missing the command that starts the server, after --");
            break;
        }
        if (argv[i][0] != '-' || !argv[i][1]) {
            call->operands[call->n_operands++] = argv[i];
            continue;
        }
        if (!strcmp(argv[i], "-h")) {
            call->help = true;
            continue;
        }
        status = read_option(call, argc, argv, &i);
        if (status)
            return status;
    }
    return EXIT_DONE;
}

int options_read(struct invocation *call, int argc, char **argv)
{
    *call = (struct invocation){
        .timeout = DEFAULT_TIMEOUT, .limit = DEFAULT_LIMIT, .revision = REVISIONS};
    if (argc < 2)
        return complain(EXIT_USAGE, "missing command; `haft help` lists the commands");
    call->command = command_named(argv[1]);
    if (!call->command)
        return refuse_command(argv[1]);
    if (!call->command->serves)
        return read_rest(call, argc, argv);
    call->words = argv + 1;
    call->n_words = (size_t)argc - 1;
    for (size_t i = 1; i < call->n_words; i++)
        call->help =
            call->help || !strcmp(call->words[i], "--help") || !strcmp(call->words[i], "-h");
    return EXIT_DONE;
}
