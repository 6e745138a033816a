/* cli/command.h - what a command line asks for: something to do, and the settings to do it
 * with. */
#ifndef HAFT_SRC_COMMAND_H
#define HAFT_SRC_COMMAND_H

#include "config/reload.h"

enum { COMMAND_OK = 0, COMMAND_FAILED = 1, COMMAND_MISUSED = 2 }; /* how a process ends */

struct command {
    const char *program;   /* as it was called */
    haft_server *server;   /* freed with what is hosted; NULL then */
    const struct app *app; /* what is served in its place; NULL for none */
    int (*act)(struct command *command, haft_server *server);
    const char *tool, *arguments; /* of --call */
    bool json, verbose;
    bool operands;       /* there are operands, for the app */
    bool only_operands;  /* all that follow are, after -- */
    size_t n_operands;   /* so far, of the program's own */
    struct given *given; /* options in the order they were given */
    size_t n_given;
    struct program_settings from_program;
    struct settings settings;
    struct reload reload;
    const char *verb;        /* the option that says what to do; NULL if none was given */
    struct sandbox *sandbox; /* to enter before serving; NULL for none */
    struct haft_otlp *otlp;  /* spans of what is served; NULL for none */
    haft_reason refusal;     /* why it could not serve, if that has not been reported */
};

/* haft_main, also for what is not one server. */
int hf_command_main(haft_server *server, const struct app *app, int argc, char **argv);

/* How the process ends when it cannot serve, after saying why. */
int hf_command_refuse(const struct command *command, const haft_reason *reason);

/* Without a file, or plugins to load again, there is nothing to reload, and SIGHUP means that the
 * terminal is gone. */
bool hf_command_can_reload(const struct command *command);

/* What it may be about. */
int hf_command_serve(struct command *command, haft_server *server);
int hf_command_stdio(struct command *command, haft_server *server);
int hf_command_check(struct command *command, haft_server *server);
int hf_command_config(struct command *command, haft_server *server);
int hf_command_help(struct command *command, haft_server *server);
int hf_command_version(struct command *command, haft_server *server);

/* ---- around.c ---- */

/* Makes the sandbox, if there is to be one, and starts the threads that write files; NULL for a
 * command that serves nobody.  Returns COMMAND_OK, or the exit status after it has reported why. */
int hf_command_begin(struct command *command, struct sandbox *sandbox);
/* Starts what the app calls, for a command that serves, or that asks the app's tools.  Returns as
 * above. */
int hf_command_start_app(struct command *command);
void hf_command_end(struct command *command);

/* ---- serve_http.c ---- */

int hf_command_http(struct command *command, haft_server *server);

/* Checks that clients can be authenticated as the settings require.  Returns COMMAND_OK, or the exit
 * status after it has reported why. */
int hf_command_check_authentication(const struct command *command);

/* Has the calls of one more server sent as spans, if those of the others are. */
int hf_command_trace_server(const struct command *command, haft_server *server,
                            haft_reason *reterr_reason);

/* Does what the command is about, and sends every call as a span meanwhile. */
int hf_command_traced(struct command *command, haft_server *server);

/* ---- ask.c ---- */

int hf_command_list(struct command *command, haft_server *server);
int hf_command_call(struct command *command, haft_server *server);

/* To standard output. */
void hf_command_print(const haft_buffer *buffer);

#endif
