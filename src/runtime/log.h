/* runtime/log.h - the log of a server that has no other: lines on standard error. */
#ifndef HAFT_SRC_LOG_H
#define HAFT_SRC_LOG_H

#include <uv.h>

#include <haft/server.h>

struct logger {
    uv_mutex_t lock;
    haft_level level; /* the lowest that is written */
    size_t lost;      /* lines that would have had to wait for a reader */
};

int logger_init(struct logger *logger, haft_level level);
void logger_finish(struct logger *logger);

/* A haft_log_function for a logger: `warning TEXT`, in one write.  It never waits: what standard
 * error does not take is counted, and the count is written when it can be. */
void logger_line(void *logger, haft_level level, const char *text, size_t size);

/* The name of a level, as the protocol has it, and back; -1 when it is none. */
const char *level_name(haft_level level);
int level_of(const char *name);

#endif
