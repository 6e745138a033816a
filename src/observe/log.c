/* log.c - formats log lines, and writes them without blocking.
 *
 * Many clients never read a server's standard error. A full pipe would block the writing thread,
 * and with it the server, so a line is written only if there is room. A file cannot be polled for
 * room, so while a server runs, a thread writes to it. A line is built on the stack, with the
 * fields of the record first and the text last: the text gets the remaining room. */
#include "observe/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json/writer.h"

/* Maximum length of a field (a request id, a tool, a client) in a line. */
enum { WORD = 256, NOTE = 256 };

const char *const hf_level_names[] = {
    [HAFT_DEBUG] = "debug",     [HAFT_INFO] = "info",           [HAFT_NOTICE] = "notice",
    [HAFT_WARNING] = "warning", [HAFT_ERROR] = "error",         [HAFT_CRITICAL] = "critical",
    [HAFT_ALERT] = "alert",     [HAFT_EMERGENCY] = "emergency", [HAFT_EMERGENCY + 1] = NULL,
};

const char *const hf_log_format_names[] = {
#define LOG_FORMAT_(format, text) [format] = text,
    LOG_FORMATS(LOG_FORMAT_)
#undef LOG_FORMAT_
        NULL};

/* ---- output ---- */

/* Never blocks, even if the file is a FIFO without a reader. */
static int log_open_file(const char *path, int *ret_fd, haft_reason *reterr_reason)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

    if (fd < 0)
        return hf_error_set(reterr_reason, HAFT_EINVAL, path, "%s", strerror(errno));
    *ret_fd = fd;
    return 0;
}

int hf_logger_open(struct logger *logger, const struct log_options *options,
                   haft_reason *reterr_reason)
{
    int status;

    *logger = (struct logger){.options = *options, .fd = STDERR_FILENO};
    if (uv_mutex_init(&logger->lock))
        return hf_error_set(reterr_reason, HAFT_ENOMEM, NULL, "out of memory");
    status = options->file ? log_open_file(options->file, &logger->fd, reterr_reason) : 0;
    if (status)
        uv_mutex_destroy(&logger->lock);
    return status;
}

int hf_logger_init(struct logger *logger, haft_level level)
{
    return hf_logger_open(logger, &(struct log_options){.level = level}, NULL);
}

/* Called on the writing thread, or while a line is being written, which then has no room either. */
static void log_report(void *context, enum spool_event event, const char *why, size_t lost)
{
    struct logger *logger = context;
    char text[NOTE];
    int n = 0;

    if (event == SPOOL_STAYS)
        n = snprintf(text, sizeof text, "%.100s: %.100s", logger->options.file, why);
    else if (event == SPOOL_WRITES && lost)
        n = snprintf(text, sizeof text, "%zu log lines were lost here", lost);
    if (n > 0)
        hf_logger_record(logger,
                         &(haft_record){.level = HAFT_ERROR, .text = text, .size = (size_t)n});
}

int hf_logger_start(struct logger *logger, haft_reason *reterr_reason)
{
    struct spool_options options = {
        .path = logger->options.file, .limit = LOG_QUEUE, .report = log_report, .context = logger};
    struct spool *spool;
    int status;

    if (!logger->options.file)
        return 0;
    status = hf_spool_open(&spool, &options);
    if (status)
        return hf_error_set(reterr_reason, status == -ENOMEM ? HAFT_ENOMEM : HAFT_EINVAL,
                            logger->options.file, "%s", strerror(-status));
    status = hf_spool_start(spool);
    if (status) {
        hf_spool_close(spool, 0);
        return hf_error_set(reterr_reason, status, logger->options.file, "cannot start a thread");
    }
    uv_mutex_lock(&logger->lock);
    logger->spool = spool;
    uv_mutex_unlock(&logger->lock);
    return 0;
}

void hf_logger_flush(struct logger *logger)
{
    if (logger->spool)
        hf_spool_flush(logger->spool, LOG_FLUSH_MS);
}

void hf_logger_finish(struct logger *logger)
{
    hf_spool_close(logger->spool, LOG_FLUSH_MS);
    if (logger->options.file)
        close(logger->fd);
    uv_mutex_destroy(&logger->lock);
}

int hf_logger_reopen(struct logger *logger, haft_reason *reterr_reason)
{
    int fd = -1, status;

    if (!logger->options.file)
        return 0;
    if (logger->spool) {
        hf_spool_reopen(logger->spool);
        return 0;
    }
    status = log_open_file(logger->options.file, &fd, reterr_reason);
    if (status)
        return status;
    uv_mutex_lock(&logger->lock);
    close(logger->fd);
    logger->fd = fd;
    logger->torn = false;
    uv_mutex_unlock(&logger->lock);
    return 0;
}

void hf_logger_set_level(struct logger *logger, haft_level level)
{
    uv_mutex_lock(&logger->lock);
    logger->options.level = level;
    uv_mutex_unlock(&logger->lock);
}

void hf_logger_set_format(struct logger *logger, enum log_format format)
{
    uv_mutex_lock(&logger->lock);
    logger->options.format = format;
    uv_mutex_unlock(&logger->lock);
}

/* ---- a line ---- */

struct log_line {
    char data[LOG_LINE_MAX];
    size_t size, limit;
    bool json, full; /* the latest part did not fit */
};

/* Text in the form that a line may have, no more than `most` bytes of it. */
static void log_line_put(struct log_line *line, const char *text, size_t size, size_t most)
{
    size_t left = line->limit - line->size;

    line->size += hf_text_escape(text, size, line->json, line->data + line->size,
                                 most < left ? most : left, &line->full);
}

static void log_put_plain(struct log_line *line, const char *text)
{
    size_t size = strlen(text);

    if (size <= line->limit - line->size) {
        memcpy(line->data + line->size, text, size);
        line->size += size;
    }
}

/* Writes a field with the text around it; nothing if it is absent. */
static void put_word(struct log_line *line, const char *before, const char *word, const char *after)
{
    if (!word || !*word)
        return;
    log_put_plain(line, before);
    log_line_put(line, word, strlen(word), WORD);
    log_put_plain(line, after);
}

static void put_now(struct log_line *line)
{
    char text[TIME_TEXT];
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    hf_time_to_text((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, text);
    log_put_plain(line, text);
}

/* A format: the text before and after every field. */
struct log_shape {
    const char *time, *level, *request[2], *tool[2], *client[2], *principal[2], *trace[2], *text;
    const char *end, *cut;
};

static const struct log_shape shapes[] = {
    [LOG_TEXT] = {"",
                  " ",
                  {" [", "]"},
                  {" ", ""},
                  {" (", ")"},
                  {" principal=", ""},
                  {" trace=", ""},
                  " ",
                  "",
                  " ..."},
    [LOG_JSON] = {"{" JSON_FIRST_KEY("time") "\"",
                  "\"" JSON_KEY("level") "\"",
                  {"\"" JSON_KEY("request") "\"", ""},
                  {"\"" JSON_KEY("tool") "\"", ""},
                  {"\"" JSON_KEY("client") "\"", ""},
                  {"\"" JSON_KEY("principal") "\"", ""},
                  {"\"" JSON_KEY("trace") "\"", ""},
                  "\"" JSON_KEY("text") "\"",
                  "\"}",
                  "\"" JSON_KEY("cut") "true}"},
};

static void make_line(struct log_line *line, const haft_record *record, enum log_format format,
                      size_t limit)
{
    const struct log_shape *shape = &shapes[format];

    line->size = 0;
    /* Reserves room for the end of the line. */
    line->limit = limit - strlen(shape->cut) - 1;
    line->json = format == LOG_JSON;
    log_put_plain(line, shape->time);
    put_now(line);
    log_put_plain(line, shape->level);
    log_put_plain(line, hf_level_names[record->level]);
    put_word(line, shape->request[0], record->request_id, shape->request[1]);
    put_word(line, shape->tool[0], record->tool, shape->tool[1]);
    put_word(line, shape->client[0], record->client, shape->client[1]);
    put_word(line, shape->principal[0], record->principal, shape->principal[1]);
    put_word(line, shape->trace[0], record->trace_id, shape->trace[1]);
    log_put_plain(line, shape->text);
    log_line_put(line, record->text, record->size, LOG_LINE_MAX);
    line->limit = limit;
    log_put_plain(line, line->full ? shape->cut : shape->end);
    log_put_plain(line, "\n");
}

/* ---- writing ---- */

static size_t limit_of(int fd)
{
    struct stat stat;

    return !fstat(fd, &stat) && S_ISREG(stat.st_mode) ? LOG_LINE_MAX : LOG_PIPE_MAX;
}

static bool log_deliver(struct logger *logger, const char *data, size_t size)
{
    struct pollfd fd = {.fd = logger->fd, .events = POLLOUT};
    ssize_t n;

    if (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLOUT))
        return false;
    do
        n = write(logger->fd, data, size);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        logger->torn = n < (ssize_t)size;
    return n == (ssize_t)size;
}

static bool write_record(struct logger *logger, const haft_record *record)
{
    struct log_line line;

    if (logger->spool) {
        make_line(&line, record, logger->options.format, LOG_LINE_MAX);
        hf_spool_put(logger->spool, line.data, line.size - 1);
        return true;
    }
    if (logger->torn && !log_deliver(logger, "\n", 1))
        return false;
    make_line(&line, record, logger->options.format, limit_of(logger->fd));
    return log_deliver(logger, line.data, line.size);
}

void hf_logger_record(void *context, const haft_record *record)
{
    struct logger *logger = context;
    char note[NOTE];
    int saved = errno;

    uv_mutex_lock(&logger->lock);
    if (record->level >= logger->options.level) {
        if (logger->lost) {
            int n = snprintf(note, sizeof note, "%zu log lines were lost here", logger->lost);

            if (write_record(
                    logger, &(haft_record){.level = HAFT_WARNING, .text = note, .size = (size_t)n}))
                logger->lost = 0;
        }
        if (logger->lost || !write_record(logger, record))
            logger->lost++;
    }
    uv_mutex_unlock(&logger->lock);
    errno = saved;
}
