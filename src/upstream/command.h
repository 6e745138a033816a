/* upstream/command.h - programs as tools: the tools of an upstream, and the state of a call. */
#ifndef HAFT_SRC_UPSTREAM_COMMAND_H
#define HAFT_SRC_UPSTREAM_COMMAND_H

#include "process/supervisor.h"
#include "upstream/command_entry.h"
#include "upstream/command_template.h"
#include "upstream/upstream.h"

struct command_run;

enum {
    COMMAND_SCRATCH = 64 << 10, /* bytes that are read at once */
    COMMAND_ERRORS = 4096,      /* bytes of standard error that an error shows: the last ones */
    COMMAND_LINE = 512          /* bytes of a line of progress */
};

/* A tool; in the upstream's arena. */
struct command_tool {
    struct command *command;
    const command_tool_entry *entry;
    const char *name; /* without prefix */
    haft_tool tool;
    haft_schema *input, *output; /* owned; the latter may be NULL */
    struct command_template run;
    struct command_word input_text; /* standard input, if the entry has it */
    const char *const *environment;
    const char *directory;
    struct supervised_limits limits;
    struct sandbox_wish sandbox;            /* without the output's directory */
    const struct command_pattern *progress; /* NULL for plain lines or none */
};

/* The data of an upstream of this kind. */
struct command {
    struct upstream *upstream;
    struct command_tool *tools;
    size_t n_tools;
    struct command_run *running; /* outbound thread, as is the rest */
    char *scratch;               /* COMMAND_SCRATCH bytes */
    bool stopped;
};

enum { COMMAND_IN, COMMAND_OUT, COMMAND_ERR, COMMAND_PIPES };

/* What it has written to its standard error. */
struct command_errors {
    char tail[COMMAND_ERRORS]; /* the last bytes, as a ring */
    size_t size;               /* of all */
    char line[COMMAND_LINE];   /* incomplete line */
    size_t line_size;
    uint64_t n_lines;
};

/* The file that it writes its output to. */
struct command_file {
    char directory[64]; /* "" for none */
    char *name;         /* NULL for none */
};

/* A call, in its arena.  It has these handles as long as it runs, and finishes when all are closed. */
struct command_run {
    struct command_tool *tool;
    haft_call *call;
    haft_value *arguments;
    struct command_run *next, **link; /* in the list of those that run; link is NULL for none */
    struct outbound_task begin, cancel, finish;
    struct supervised child;
    uv_pipe_t pipes[COMMAND_PIPES];
    bool open[COMMAND_PIPES], ended[COMMAND_PIPES]; /* has a handle; nothing more comes */
    uv_timer_t timer;                               /* for output after the end */
    uv_write_t write;
    unsigned handles;
    bool closing;
    haft_buffer out;
    struct command_errors errors;
    struct command_file file;
    struct supervised_end end;
    haft_reason failure; /* why it could not be started; its code is 0 otherwise */
    bool cancelled, overflow, done;
    int status; /* to finish with */
};

/* ---- command_call.c ---- */

/* The handler of the tools. */
int hf_command_tool_call(haft_call *call, const void *in, void *out);
/* Ends what runs; on the outbound thread. */
void hf_command_stop(struct command *command);

/* ---- command_output.c ---- */

/* Creates the directory of the output file, and removes it with everything in it.  Return 0 or an
 * error with the reason. */
int hf_command_make_output(struct command_run *run, haft_reason *reterr_reason);
void hf_command_remove_output(struct command_run *run);
/* Answers the call.  Returns 0 or an error, like a handler. */
int hf_command_answer(struct command_run *run);

/* ---- command_progress.c ---- */

/* A pattern for lines of standard error. */
struct command_pattern;
/* Returns 0, HAFT_ENOMEM, or HAFT_EPATTERN with the reason. */
int hf_command_pattern_new(haft_arena *arena, const char *pattern,
                           const struct command_pattern **ret_pattern, haft_reason *reterr_reason);
void hf_command_pattern_free(const struct command_pattern *pattern);
/* Takes bytes of standard error: keeps the last, and reports lines as progress if the tool does. */
void hf_command_take_errors(struct command_run *run, const char *bytes, size_t size);
/* The last bytes, in order, as valid UTF-8 without white space at the ends; in the call's arena. */
struct text hf_command_errors(struct command_run *run);

/* Makes valid UTF-8 of a program's output, in the call's arena: other bytes become U+FFFD. */
struct text hf_command_clean(haft_call *call, const char *bytes, size_t size);

#endif
