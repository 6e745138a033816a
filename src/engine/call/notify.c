/* notify.c - what a handler reports to the client while it runs: progress and messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/call/call.h"
#include "engine/call/notify.h"

enum { MESSAGE_LIMIT = 1 << 20, LINE = 4096 };

static const char *const hf_level_names[] = {"debug", "info",     "notice", "warning",
                                             "error", "critical", "alert",  "emergency"};

int hf_level_named(const yyjson_val *name)
{
    for (int i = HAFT_DEBUG; i <= HAFT_EMERGENCY; i++)
        if (yyjson_equals_str((void *)(uintptr_t)name, hf_level_names[i]))
            return i;
    return -1;
}

static void notify_put_text(haft_buffer *message, const char *format, va_list args)
{
    char text[LINE];
    int size = vsnprintf(text, sizeof text, format, args);
    size_t n = size < 0 ? 0 : (size_t)size < sizeof text ? (size_t)size : sizeof text - 1;

    haft_buffer_json_string(message, text, haft_utf8_valid(text, n));
}

void haft_progress(haft_call *call, double done, double total, const char *format, ...)
{
    haft_buffer message;
    va_list args;

    if (!call->progress.token || !isfinite(done) || haft_call_cancelled(call))
        return;
    haft_buffer_init(&message, call->server->allocator, MESSAGE_LIMIT);
    haft_buffer_puts(&message,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                     "{\"progressToken\":");
    haft_json_write(call->progress.token, &message);
    haft_buffer_puts(&message, ",\"progress\":");
    haft_buffer_json_number(&message, done);
    if (total > 0 && isfinite(total)) {
        haft_buffer_puts(&message, ",\"total\":");
        haft_buffer_json_number(&message, total);
    }
    if (format && hf_revision_rows[call->revision].message) {
        haft_buffer_puts(&message, ",\"message\":");
        va_start(args, format);
        notify_put_text(&message, format, args);
        va_end(args);
    }
    haft_buffer_puts(&message, "}}");
    hf_call_notify(call, &message, &done);
    haft_buffer_finish(&message);
}

void haft_message(haft_call *call, haft_level level, const char *logger, const char *format, ...)
{
    haft_buffer message;
    va_list args;

    if (call->client.log_level < 0 || (int)level < call->client.log_level ||
        level > HAFT_EMERGENCY || haft_call_cancelled(call))
        return;
    haft_buffer_init(&message, call->server->allocator, MESSAGE_LIMIT);
    haft_buffer_printf(&message,
                       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                       "{\"level\":\"%s\"",
                       hf_level_names[level]);
    hf_put_text_member(&message, "logger", logger);
    haft_buffer_puts(&message, ",\"data\":");
    va_start(args, format);
    notify_put_text(&message, format, args);
    va_end(args);
    haft_buffer_puts(&message, "}}");
    hf_call_notify(call, &message, NULL);
    haft_buffer_finish(&message);
}
