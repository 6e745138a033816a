/* program.h - the program's command line as data: commands, options and exit codes.
 *
 * One table each; the parser, --help, the manual page and the completions are readings of them. */
#ifndef HAFT_PROGRAM_H
#define HAFT_PROGRAM_H

#include "base/base.h"
#include "protocol/revision.h"

/* What the program ends with; scripts rely on it. */
#define EXITS(X)                                                                                   \
    X(EXIT_DONE, 0, "success")                                                                     \
    X(EXIT_TOOL, 1, "the tool reported an error")                                                  \
    X(EXIT_USAGE, 2, "invalid command line, or an unknown tool or argument")                       \
    X(EXIT_CONNECTION, 3, "the server could not be reached, or the connection was lost")           \
    X(EXIT_PROTOCOL, 4, "the server reported an error, or violated the protocol")                  \
    X(EXIT_TIME, 5, "timed out")                                                                   \
    X(EXIT_LOCAL, 6, "a file or address could not be used, or memory ran out")                     \
    X(EXIT_DECLINED, 7, "the user declined to call a destructive tool, or to change a file")       \
    X(EXIT_INTERRUPTED, 130, "interrupted")

enum exit_code {
#define EXIT_(name, code, text) name = code,
    EXITS(EXIT_)
#undef EXIT_
};

struct exit_row {
    int code;
    const char *text;
};
/* Ends with a row that has no text. */
extern const struct exit_row exit_rows[];

enum { PROGRAM_MAX_HEADERS = 32 };

struct command;

/* The command line, read. */
struct invocation {
    const struct command *command;
    bool help, json, names, verbose;
    bool yes;         /* do not ask before a destructive tool is called, or a file is changed */
    bool safe;        /* of the names, only those that need no quotes in a shell */
    unsigned timeout; /* seconds */
    unsigned limit;   /* MiB */
    enum revision revision;
    const char *headers[PROGRAM_MAX_HEADERS];
    size_t n_headers;
    const char *authority; /* a file of certificates */
    const char *out;       /* a file for a block */
    char **operands;       /* before the -- */
    size_t n_operands;
    char **words; /* from the command's name on, of one that reads its options itself */
    size_t n_words;
    char **child;      /* after it, ending with NULL; NULL without a -- */
    const char *kind;  /* of a project: a folder of templates; NULL for C, "" for several */
    bool make;         /* build it by a Makefile */
    const char *build; /* command of dev; NULL for none */
    const char *watch; /* directory of dev; NULL for the current one */
    const char *name;  /* of a server in a client's configuration; NULL: after its command */
    const char *file;  /* that configuration; NULL for the client's own */
    bool remove, dry_run;
};

/* Bits that say which commands an option is for. */
enum {
    FOR_ASKING = 1 << 0, /* every command that asks a server */
    FOR_LISTS = 1 << 1,
    FOR_CALL = 1 << 2,
    FOR_NEW = 1 << 3,
    FOR_DEV = 1 << 4,
    FOR_INSTALL = 1 << 5,
    FOR_NONE = 0
};

struct option_row {
    const char *name;
    const char *takes;                                       /* NULL when it takes no value */
    unsigned commands;                                       /* of bits above */
    bool (*set)(struct invocation *call, const char *value); /* false: not a good value */
    const char *help;
    const char *const *values; /* that it can have, for completion; NULL when they are not few */
    const char *initial;       /* its value without it, when `help` does not say it; or NULL */
};
extern const struct option_row option_rows[]; /* ends with a row without a name */
extern const struct option_row serve_option;  /* that serve has besides those of every server */

struct command {
    const char *name;
    unsigned options; /* of bits above */
    int (*act)(struct invocation *call);
    const char *const
        *forms;       /* how it is written, each without the program's name; NULL ends them */
    const char *help; /* one line */
    const char *more; /* paragraphs */
    const char *const *words; /* that its operand can be, for completion, or NULL */
    bool serves;              /* its options are those of every server, and serve_option */
};
extern const struct command command_rows[]; /* ends with a row without a name */

const struct command *command_named(const char *name);

/* Whether the option is one of the command's; command NULL is no command at all. */
bool option_is_of(const struct option_row *option, const struct command *command);
/* The i-th option of the command, also of one that serves; false past the last. */
bool option_at(const struct command *command, size_t i, struct option_row *ret_row);

/* Reads the command line; EXIT_DONE, or EXIT_USAGE with the reason said on standard error. */
int options_read(struct invocation *call, int argc, char **argv);

/* Says on standard error what is wrong, with "haft: " before it, and returns the code. */
int complain(int code, const char *format, ...) HAFT_PRINTF_(2, 3);

/* Writes all of it to a file; 0, or -1 with errno. */
int write_all(int fd, const char *text, size_t size);

/* What the commands do; each returns an exit code. */
int act_serve(struct invocation *call);
int act_tools(struct invocation *call);
int act_call(struct invocation *call);
int act_resources(struct invocation *call);
int act_prompts(struct invocation *call);
int act_ping(struct invocation *call);
int act_new(struct invocation *call);
int act_dev(struct invocation *call);
int act_install(struct invocation *call);
int act_completion(struct invocation *call);
int act_help(struct invocation *call);

/* Why a project cannot have the name; NULL when it can. */
const char *new_name_fault(const char *name);

/* Readings of the tables. */
void help_write(const struct command *command, haft_buffer *out); /* NULL: of the program */
/* Prints the same; returns an exit code. */
int help_print(const struct command *command);
void manual_write(haft_buffer *out);
int completion_write(const char *shell, haft_buffer *out); /* HAFT_EINVAL for another shell */

#endif
