/* observe/log.h - the log of a server that has no other: lines of text or of JSON, on standard
 * error or in a file. */
#ifndef HAFT_SRC_LOG_H
#define HAFT_SRC_LOG_H

#include <uv.h>

#include <haft/server.h>

#include "observe/spool.h"

/* The longest line, with its end.  To a pipe it is half of that: what a pipe that can be written to
 * has room for. */
enum { LOG_LINE_MAX = 8192, LOG_PIPE_MAX = 4096 };

/* Bytes of lines that wait for a file, and how long the end of the process waits for them. */
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
    const char *file; /* appended to; NULL for standard error.  Must outlive the logger */
    haft_level level; /* the lowest that is written */
};

struct logger {
    uv_mutex_t lock;
    struct log_options options;
    int fd;
    struct spool *spool; /* lines of a file go there; NULL: they are written at once */
    bool torn;   /* the latest line went out in part: the next one starts on a line of its own */
    size_t lost; /* lines that were not taken */
};

/* 0; HAFT_ENOMEM; or HAFT_EINVAL when the file cannot be opened, with why in *reterr_reason, which
 * may be NULL. */
int hf_logger_open(struct logger *logger, const struct log_options *options,
                   haft_reason *reterr_reason);
/* The same of text to standard error. */
int hf_logger_init(struct logger *logger, haft_level level);
void hf_logger_finish(struct logger *logger);

/* From now on lines of a file are written by a thread of their own, so that a disk that hangs stops
 * nobody else; after what forks.  Without a file there is nothing to do.  Returns as hf_logger_open. */
int hf_logger_start(struct logger *logger, haft_reason *reterr_reason);

/* Waits for lines that are on their way, but not for long. */
void hf_logger_flush(struct logger *logger);

/* Opens the file again, under the name it has: after the old one has been moved away.  When it
 * cannot be opened the old one is kept; returns as hf_logger_open, or the log itself says so later.
 * From any thread. */
int hf_logger_reopen(struct logger *logger, haft_reason *reterr_reason);

/* From now on; from any thread. */
void hf_logger_set_level(struct logger *logger, haft_level level);
void hf_logger_set_format(struct logger *logger, enum log_format format);

/* A haft_record_function, whose context is the logger: a line in one write.  It never waits and
 * never fails: what is not taken (a reader that does not read, a full disk) is counted, and the
 * count is written when it can be.  From any thread. */
void hf_logger_record(void *logger, const haft_record *record);

/* The names of levels, as the protocol has them, and of formats; each ends with NULL. */
extern const char *const hf_level_names[];
extern const char *const hf_log_format_names[];

#endif
