/* log.c - the server's log: its receiver, records held until there is one, and rejections.
 *
 * The receiver gets a record with separate fields, or one line of text. */
#include <stdio.h>
#include <string.h>

#include "engine/offer/log.h"
#include "engine/offer/server.h"

enum { OFFER_LOG_LINE = 8192 };

/* Tools are added before the log has a receiver: records are held until then, up to a limit. */
static void module(haft_server *server, const haft_record *record)
{
    haft_buffer *held = &server->held;
    char digit = (char)('0' + record->level);
    size_t start;

    hf_server_lock(server);
    start = held->size;
    haft_buffer_add(held, &digit, 1);
    haft_buffer_add(held, record->text, record->size);
    haft_buffer_add(held, "\0", 1);
    if (held->status)
        held->size = start;
    hf_server_unlock(server);
}

size_t hf_log_written(int size, size_t room)
{
    return size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
}

struct offer_log_line {
    char text[OFFER_LOG_LINE]; /* includes the NUL */
    size_t size;
};

/* Escapes text so that it stays on one line: a client may have chosen it, or its request id. */
static void log_add(struct offer_log_line *line, const char *text, size_t size)
{
    bool cut;

    line->size += hf_text_escape(text, size, false, line->text + line->size,
                                 sizeof line->text - 1 - line->size, &cut);
}

static void add_word(struct offer_log_line *line, const char *before, const char *word,
                     const char *after)
{
    log_add(line, before, strlen(before));
    log_add(line, word, strlen(word));
    log_add(line, after, strlen(after));
}

/* Formats `[7] search: text (trace ID)`, for receivers of text. */
static void put_line(const haft_server *server, const haft_record *record)
{
    const haft_server_options *options = &server->options;
    struct offer_log_line line;

    line.size = 0;
    if (record->tool) {
        add_word(&line, "[", record->request_id ? record->request_id : "0", "] ");
        add_word(&line, "", record->tool, ": ");
    }
    log_add(&line, record->text, record->size);
    if (record->tool && record->trace_id)
        add_word(&line, " (trace ", record->trace_id, ")");
    line.text[line.size] = '\0';
    options->log(options->log_context, record->level, line.text, line.size);
}

void hf_log_put(haft_server *server, const haft_record *record)
{
    if (server->options.record)
        server->options.record(server->options.log_context, record);
    else if (server->options.log)
        put_line(server, record);
    else if (record->level >= HAFT_WARNING && !record->tool)
        module(server, record);
}

bool hf_server_has_log(const haft_server *server)
{
    return server->options.log || server->options.record;
}

void hf_server_log(haft_server *server, haft_level level, const char *format, ...)
{
    char line[OFFER_LOG_LINE];
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    hf_log_put(
        server,
        &(haft_record){.level = level, .text = line, .size = hf_log_written(size, sizeof line)});
}

/* ---- rejections ---- */

int hf_server_refuse(haft_server *server, int code, const char *path, const char *format, ...)
{
    haft_reason reason;
    va_list args;

    va_start(args, format);
    hf_error_vset(&reason, code, path, format, args);
    va_end(args);
    hf_server_lock(server);
    server->error = reason;
    hf_server_unlock(server);
    hf_server_log(server, HAFT_ERROR, "%s: %s", reason.path, reason.text);
    return code;
}

const haft_reason *haft_server_error(const haft_server *server)
{
    return &server->error;
}

/* ---- the receiver ---- */

static void take_held(haft_server *server)
{
    const haft_buffer *held = &server->held;

    if (!hf_server_has_log(server))
        return;
    for (size_t i = 0; i < held->size; i++) {
        const char *text = held->data + i + 1;
        size_t size = strlen(text);

        hf_log_put(
            server,
            &(haft_record){.level = (haft_level)(held->data[i] - '0'), .text = text, .size = size});
        i += size + 1;
    }
    haft_buffer_clear(&server->held);
}

void hf_server_set_log(haft_server *server, haft_log_function *log, void *context)
{
    server->options.log = log;
    server->options.record = NULL;
    server->options.log_context = context;
    take_held(server);
}

void hf_server_set_record(haft_server *server, haft_record_function *record, void *context)
{
    server->options.log = NULL;
    server->options.record = record;
    server->options.log_context = context;
    take_held(server);
}
