/* log.c - lines on standard error.
 *
 * Many clients never read what a server writes there.  A pipe that is full would stop the thread
 * that writes to it, and with it the server; so a line is only written where there is room for
 * it. */
#include "runtime/log.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 4096 }; /* what a pipe that can be written to has room for */

static const char *const names[] = {
    [HAFT_DEBUG] = "debug",     [HAFT_INFO] = "info",           [HAFT_NOTICE] = "notice",
    [HAFT_WARNING] = "warning", [HAFT_ERROR] = "error",         [HAFT_CRITICAL] = "critical",
    [HAFT_ALERT] = "alert",     [HAFT_EMERGENCY] = "emergency",
};

const char *level_name(haft_level level)
{
    return names[level];
}

int level_of(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -1;
}

int logger_init(struct logger *logger, haft_level level)
{
    *logger = (struct logger){.level = level};
    return uv_mutex_init(&logger->lock) ? HAFT_ENOMEM : 0;
}

void logger_finish(struct logger *logger)
{
    uv_mutex_destroy(&logger->lock);
}

static bool put(const char *line, size_t size)
{
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};

    if (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLOUT))
        return false;
    return write(STDERR_FILENO, line, size) == (ssize_t)size;
}

/* One line stays one: what would end it, or move a terminal's cursor, becomes a space. */
static size_t make_line(char line[LINE], haft_level level, const char *text, size_t size)
{
    size_t at = (size_t)snprintf(line, LINE, "%s ", names[level]);

    for (size_t i = 0; i < size && at < LINE - 1; i++) {
        unsigned char byte = (unsigned char)text[i];

        line[at++] = byte < 0x20 || byte == 0x7f ? ' ' : text[i];
    }
    line[at++] = '\n';
    return at;
}

void logger_line(void *context, haft_level level, const char *text, size_t size)
{
    struct logger *logger = context;
    char line[LINE];

    if (level < logger->level)
        return;
    uv_mutex_lock(&logger->lock);
    if (logger->lost) {
        char note[64];
        int n = snprintf(note, sizeof note, "warning %zu lines were lost here\n", logger->lost);

        if (put(note, (size_t)n))
            logger->lost = 0;
    }
    if (logger->lost || !put(line, make_line(line, level, text, size)))
        logger->lost++;
    uv_mutex_unlock(&logger->lock);
}
