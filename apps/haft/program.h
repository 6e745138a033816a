/* program.h - the program's command line as data: commands, options and exit codes.
 *
 * One table each; the parser, --help, the manual page and the completions are generated from
 * them. */
#ifndef HAFT_PROGRAM_H
#define HAFT_PROGRAM_H

#include <haft/option.h>

#include "base/base.h"
#include "protocol/revision.h"

/* Exit codes, which scripts rely on. */
#define EXITS(X)                                                                                   \
    X(EXIT_DONE, 0, "success")                                                                     \
    X(EXIT_TOOL, 1, "the tool reported an error")                                                  \
    X(EXIT_USAGE, 2, "invalid command line, or an unknown tool or argument")                       \
    X(EXIT_CONNECTION, 3, "the server could not be reached, or the connection was lost")           \
    X(EXIT_PROTOCOL, 4, "the server reported an error, or violated the protocol")                  \
    X(EXIT_TIME, 5, "timed out")                                                                   \
    X(EXIT_LOCAL, 6, "a file or address could not be used, or memory ran out")                     \
    X(EXIT_DECLINED, 7, "the user declined to call a destructive tool, or to change a file")       \
    X(EXIT_DENIED, 8, "the server denied access; `haft login URL` logs in")                        \
    X(EXIT_DETACHED, 9, "interrupted; the task goes on, and `haft tasks wait` returns to it")      \
    X(EXIT_CANCELLED, 10, "the task was cancelled")                                                \
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
/* Ends with a row without text. */
extern const struct exit_row exit_rows[];

enum {
    PROGRAM_MAX_HEADERS = 32,
    PROGRAM_MAX_QUESTIONS = 32,
    PROGRAM_MAX_PAGES = 1000,
    PROGRAM_MAX_RULES = 64
};

struct command;

/* Options of the commands login and keys; each may be NULL. */
struct login_words {
    const char
        *scopes; /* besides those that the server asks for; those of a new key, NULL for all */
    const char *client_id; /* of a registered client */
    const char *issuer;    /* that has registered it */
    bool no_browser;       /* print the URL only */
};

/* Options of the commands that write directories: new and skills. */
struct project_words {
    const char *to;   /* directory that a skill is written to */
    bool force;       /* replace the files of a skill */
    const char *kind; /* folder of templates; NULL for C, "" for several */
    bool make;        /* build with a Makefile */
};

/* Options of the command dev. */
struct dev_words {
    const char *build; /* build command; NULL if there is none */
    const char *watch; /* directory; NULL for the current one */
};

/* Options of the command import. */
struct import_words {
    const char *prefix; /* of the names; NULL for none */
    bool read_only;
    const char *rules[PROGRAM_MAX_RULES]; /* "tag=pets", "-method=DELETE,path=/admin*" */
    size_t n_rules;
};

/* Options of the commands call and tasks. */
struct task_words {
    bool wanted;    /* ask an older server for a task */
    bool refused;   /* do not offer the server to answer with a task */
    const char *id; /* of a task; NULL: the operand */
};

/* Options of the command nginx; each may be NULL. */
struct nginx_words {
    const char *listen; /* address of nginx */
    const char *server_name;
    const char *certificate, *key; /* PEM files */
};

/* The parsed command line. */
struct invocation {
    const struct command *command;
    bool help, json, names, verbose;
    bool yes;             /* do not ask before calling a destructive tool, or changing a file */
    bool accept_defaults; /* answer forms with their default values */
    bool safe;            /* only names that need no quoting in a shell */
    unsigned timeout;     /* seconds */
    unsigned limit;       /* MiB */
    enum revision revision;
    const char *headers[PROGRAM_MAX_HEADERS];
    size_t n_headers;
    const char *authority; /* a file of CA certificates */
    const char *out;       /* a file for a binary block */
    char **operands;       /* before the -- */
    size_t n_operands;
    char **words; /* from the command's name on, for a command that parses its own options */
    size_t n_words;
    char **child; /* after the --, NULL-terminated; NULL without a -- */
    struct project_words project;
    struct dev_words dev;
    const char *name; /* name of a server in a client's configuration; NULL: that of its command */
    const char *file; /* that configuration; NULL for the default */
    bool remove, dry_run;
    struct login_words login;
    struct import_words import;
    struct task_words task;
    struct nginx_words nginx;
};

/* Bits for the commands of an option. */
enum {
    FOR_ASKING = 1 << 0, /* every command that queries a server */
    FOR_LISTS = 1 << 1,
    FOR_CALL = 1 << 2,
    FOR_NEW = 1 << 3,
    FOR_DEV = 1 << 4,
    FOR_INSTALL = 1 << 5,
    FOR_LOGIN = 1 << 6,
    FOR_READ = 1 << 7,
    FOR_PROMPT = 1 << 8,
    FOR_JSON = 1 << 9, /* whose answer can be printed as JSON, without further options */
    FOR_LOGOUT = 1 << 10,
    FOR_KEYS = 1 << 11,
    FOR_IMPORT = 1 << 12,
    FOR_SKILLS = 1 << 13,
    FOR_TASKS = 1 << 14,
    FOR_NGINX = 1 << 15,
    FOR_NONE = 0
};

struct option_row {
    const char *name;
    const char *takes;                                       /* NULL if it takes no value */
    unsigned commands;                                       /* bits from above */
    bool (*set)(struct invocation *call, const char *value); /* false if it is invalid */
    const char *help;
    const char *const *values; /* possible values, if they are few; or NULL */
    const char *initial;       /* default, if `help` does not mention it; or NULL */
    const char *brief;         /* short form, "-h"; or NULL */
};
extern const struct option_row option_rows[]; /* ends with a row without a name */
extern const struct option_row serve_option;  /* further option of serve */

struct command {
    const char *name;
    unsigned options; /* bits from above */
    int (*act)(struct invocation *call);
    const char *const *forms; /* synopses, without the program's name; NULL-terminated */
    const char *help;         /* one line */
    const char *more;         /* paragraphs */
    const char *const *words; /* possible operands, for completion, or NULL */
    bool serves;              /* its options are those of every server, and serve_option or `own` */
    const haft_option_table *own; /* options that it declares as a server does; NULL for none */
};
extern const struct command command_rows[]; /* ends with a row without a name */

const struct command *command_named(const char *name);

/* Whether the option belongs to the command; NULL: no command was given. */
bool option_is_of(const struct option_row *option, const struct command *command);
/* The i-th option of the command, including those of servers; returns false after the last. */
bool option_at(const struct command *command, size_t i, struct option_row *ret_row);

/* Parses the command line. Returns EXIT_DONE, or EXIT_USAGE after reporting the error. */
int options_read(struct invocation *call, int argc, char **argv);

/* Reports an error on standard error, with "haft: " before it, and returns the code. */
int complain(int code, const char *format, ...) HAFT_PRINTF_(2, 3);

/* Writes everything to a file. Returns 0, or -1 with errno. */
int write_all(int fd, const char *text, size_t size);

/* The commands; each returns an exit code. */
int act_serve(struct invocation *call);
int act_home(struct invocation *call);
int act_tools(struct invocation *call);
int act_call(struct invocation *call);
int act_resources(struct invocation *call);
int act_prompts(struct invocation *call);
int act_ping(struct invocation *call);
int act_read(struct invocation *call);
int act_prompt(struct invocation *call);
int act_complete(struct invocation *call);
int act_watch(struct invocation *call);
int act_tasks(struct invocation *call);
int act_login(struct invocation *call);
int act_logout(struct invocation *call);
int act_keys(struct invocation *call);
int act_config(struct invocation *call);
int act_import(struct invocation *call);
int act_skills(struct invocation *call);
int act_nginx(struct invocation *call);
int act_new(struct invocation *call);
int act_dev(struct invocation *call);
int act_install(struct invocation *call);
int act_completion(struct invocation *call);
int act_help(struct invocation *call);

/* Why the name of a project is invalid; NULL if it is valid. */
const char *new_name_fault(const char *name);

/* Output generated from the tables. */
void help_write(const struct command *command, haft_buffer *out); /* NULL: of the program */
/* Prints it; returns an exit code. */
int help_print(const struct command *command);
void manual_write(haft_buffer *out);
int completion_write(const char *shell, haft_buffer *out); /* HAFT_EINVAL for an unknown shell */

#endif
