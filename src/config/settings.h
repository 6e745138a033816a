/* config/settings.h - how a server is to run: the values of all options at one moment.
 *
 * They come in layers, each over the one before: what the program said in C, the configuration
 * file, the environment, the command line.  Settings are read as a whole, beside those in force,
 * and are right or not as a whole. */
#ifndef HAFT_SRC_SETTINGS_H
#define HAFT_SRC_SETTINGS_H

#include <haft/http.h>
#include <haft/otlp.h>
#include <haft/run.h>
#include <haft/task.h>

#include "config/auth.h"
#include "process/sandbox.h"
#include "engine/offer/server.h"

enum { SETTINGS_MAX = 96, SETTINGS_OWN = 64 }; /* options that there may be, and of a program */

enum source { FROM_DEFAULT, FROM_PROGRAM, FROM_FILE, FROM_ENVIRONMENT, FROM_COMMAND_LINE, SOURCES };

const char *hf_source_name(enum source source);

struct option;
struct program_options;

/* What the program said, before anything was applied to the server. */
struct program_settings {
    haft_server_options server;
    haft_visibility visibility;
    haft_audit_mode audit_mode;
    const haft_allocator *allocator;
    const haft_section *sections[SECTIONS_MAX]; /* whose parts of the file are not ours */
    size_t n_sections;
    const struct program_options *own; /* NULL for none */
};

/* Where state outlives a call, and what processes that share it have in common. */
struct store_settings {
    const char *url; /* shared with other processes; NULL: not at all */
    const char *password_file;
    const char *ca, *certificate, *key; /* files for TLS to it */
    bool single_use;                    /* of states of unfinished calls */
    const char *seal_key;               /* file with the keys that seal these */
    const char *task_file; /* file that tasks are in; NULL: the shared store, or memory */
};

struct settings {
    haft_arena *arena; /* of strings */
    const char *config;
    haft_server_options server;
    haft_http_options http;
    haft_stdio_options stdio;
    const char *tools; /* that are offered, by name */
    bool read_only, metrics;
    const char *const *disabled;
    const char *const *skills; /* directories; NULL-terminated, or NULL */
    haft_otlp_options otlp;
    int log_level, log_format;
    const char *log_file;
    const char *audit;
    int audit_mode;
    int sandbox; /* enum sandbox_mode */
    struct sandbox_wish sandbox_wish;
    struct auth_settings auth;
    struct store_settings store;
    /* Both transports have these. */
    unsigned workers, drain_ms;
    size_t max_queue;
    haft_task_options tasks;
    unsigned char from[SETTINGS_MAX + SETTINGS_OWN]; /* enum source, by the option's place */
    void *own;                                       /* values of the program's options */
    haft_value *file; /* the configuration file; NULL when there is none */
    const struct program_settings *program;
    void *prepared[SECTIONS_MAX]; /* by the program's sections; so many of them, */
    size_t n_prepared;            /* until they are committed */
};

/* The errors in settings, one line each. */
struct complaints {
    haft_buffer text;
    size_t n, max; /* lines beyond the latter are only counted */
};

void hf_complaints_init(struct complaints *complaints, const haft_allocator *allocator);
void hf_complaints_finish(struct complaints *complaints);
void hf_complaints_add(struct complaints *complaints, const char *format, ...) HAFT_PRINTF_(2, 3);
/* That a value is not what the option takes; `given` ends with a NUL. */
void hf_complaints_add_value(struct complaints *complaints, const char *place,
                             const struct option *option, const char *given, size_t size);

/* An option as it was given on the command line. */
struct given {
    const struct option *option;
    const char *value; /* NULL: it is on */
};

/* An environment variable; NULL if it is not set, or is empty. */
const char *hf_settings_variable(const char *name);

/* The i-th option, of the table or after these of the program; NULL past the last.  Its place is i. */
const struct option *hf_settings_option(const struct program_settings *program, size_t i);
size_t hf_settings_place(const struct settings *settings, const struct option *option);
/* The path that the operator has given for the first endpoint; NULL if there is none. */
const char *hf_settings_path(const struct settings *settings);

/* Reads all layers but the sections of others.  0; HAFT_EINVAL when there are complaints; HAFT_ENOMEM.
 * Finish the settings in any case. */
int hf_settings_read(struct settings *settings, const struct program_settings *program,
                     const struct given *given, size_t n_given, struct complaints *complaints);
/* The same, and the sections prepare theirs. */
int hf_settings_load(struct settings *settings, const struct program_settings *program,
                     const struct given *given, size_t n_given, struct complaints *complaints);
/* The sections discard what they prepared, unless it was committed. */
void hf_settings_discard(struct settings *settings);
/* That, and everything else. */
void hf_settings_finish(struct settings *settings);

/* Hands what was prepared to the sections. */
void hf_settings_commit(struct settings *settings);

/* Collects what the program set, from a server to which no settings have been applied. Its text lives
 * as long as the server. Returns 0 or HAFT_ENOMEM. */
int hf_program_settings_init(struct program_settings *program, haft_server *server);

/* Settings of the program and the defaults alone. */
int hf_settings_init(struct settings *settings, const struct program_settings *program);

/* ---- the file (settings_file.c) ---- */

/* Reads its text over the settings; complaints name the file.  0 or HAFT_ENOMEM. */
int hf_settings_read_text(struct settings *settings, const char *name, const char *text,
                          size_t size, struct complaints *complaints);
int hf_settings_read_file(struct settings *settings, const char *path,
                          struct complaints *complaints);

#endif
