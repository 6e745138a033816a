/* observe/log.h - the default log of a server: lines of text or JSON, on standard error or in a
 * file. */
#ifndef HAFT_SRC_LOG_H
#define HAFT_SRC_LOG_H

#include <uv.h>

#include <haft/server.h>

#include "observe/spool.h"

/* The longest line, including its end. For a pipe it is half of that: what a writable pipe accepts
 * at once. */
enum { LOG_LINE_MAX = 8192, LOG_PIPE_MAX = 4096 };

/* The size of the queue in bytes, and how long the end of the process waits for it. */
enum { LOG_QUEUE = 1 << 20, LOG_FLUSH_MS = 1000 };

#define LOG_FORMATS(X)                                                                             \
    X(LOG_TEXT, "text")                                                                            \
    X(LOG_JSON, "json")

enum log_format {
#define LOG_FORMAT_(name, text) name,
    LOG_FORMATS(LOG_FORMAT_)
#undef LOG_FORMAT_
};

struct log_options {
    enum log_format format;
    const char *file; /* appended to; NULL for standard error; must outlive the logger */
    haft_level level; /* minimum level */
};

struct logger {
    uv_mutex_t lock;
    struct log_options options;
    int fd;
    struct spool *spool; /* for a file; NULL: lines are written directly */
    bool torn;           /* the latest line was written in part: terminate it before the next */
    size_t lost;         /* lines that could not be written */
};

/* Returns 0, HAFT_ENOMEM, or HAFT_EINVAL if the file cannot be opened, with the reason in
 * *reterr_reason, which may be NULL. */
int hf_logger_open(struct logger *logger, const struct log_options *options,
                   haft_reason *reterr_reason);
/* The same for text on standard error. */
int hf_logger_init(struct logger *logger, haft_level level);
void hf_logger_finish(struct logger *logger);

/* From now on a thread writes lines to the file, so that a hanging disk does not block others; call
 * it after processes have been forked. Does nothing without a file. Returns like hf_logger_open. */
int hf_logger_start(struct logger *logger, haft_reason *reterr_reason);

/* Waits briefly for queued lines. */
void hf_logger_flush(struct logger *logger);

/* Opens the file again under its name, after the old one was moved away. On failure the old one is
 * kept; returns like hf_logger_open, or logs the error later. Callable on any thread. */
int hf_logger_reopen(struct logger *logger, haft_reason *reterr_reason);

/* Sets the minimum level; callable on any thread. */
void hf_logger_set_level(struct logger *logger, haft_level level);
void hf_logger_set_format(struct logger *logger, enum log_format format);

/* A haft_record_function, whose context is the logger: writes a line at once. It never blocks and
 * never fails: lines that could not be written (no reader, a full disk) are counted, and the count
 * is written when possible. Callable on any thread. */
void hf_logger_record(void *logger, const haft_record *record);

/* The names of levels, as in the protocol, and of formats; both NULL-terminated. */
extern const char *const hf_level_names[];
extern const char *const hf_log_format_names[];

#endif
