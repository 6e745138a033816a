/* notify.c - notifications of a running handler to the client: progress and messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/call/call.h"
#include "engine/call/notify.h"

enum { MESSAGE_LIMIT = 1 << 20, LINE = 4096 };

static const char *const notify_level_names[] = {"debug", "info",     "notice", "warning",
                                                 "error", "critical", "alert",  "emergency"};

int hf_level_named(const yyjson_val *name)
{
    for (int i = HAFT_DEBUG; i <= HAFT_EMERGENCY; i++)
        if (yyjson_equals_str((void *)(uintptr_t)name, notify_level_names[i]))
            return i;
    return -1;
}

const char *hf_level_text(int level)
{
    return level >= HAFT_DEBUG && level <= HAFT_EMERGENCY ? notify_level_names[level] : NULL;
}

static void notify_put_text(struct json_writer *w, const char *format, va_list args)
{
    char text[LINE];
    int size = vsnprintf(text, sizeof text, format, args);
    size_t n = size < 0 ? 0 : (size_t)size < sizeof text ? (size_t)size : sizeof text - 1;

    hf_json_string(w, text, haft_utf8_valid(text, n));
}

static void notify_task(struct call_task *task, double done, double total, const char *format,
                        va_list args)
{
    char text[LINE] = "";

    if (format)
        vsnprintf(text, sizeof text, format, args);
    task->progress(task, done, total, text);
}

/* Whether progress is kept in the state of a task. */
static bool notify_has_task(const haft_call *call)
{
    return call->inner.task && call->inner.task->progress;
}

bool hf_progress_is_wanted(const haft_call *call)
{
    return notify_has_task(call) || call->progress.token;
}

void haft_progress(haft_call *call, double done, double total, const char *format, ...)
{
    haft_buffer message;
    struct json_writer w = {.out = &message};
    va_list args;

    if (notify_has_task(call) && isfinite(done) && !haft_call_cancelled(call)) {
        va_start(args, format);
        notify_task(call->inner.task, done, total, format, args);
        va_end(args);
        return;
    }
    if (!call->progress.token || !isfinite(done) || haft_call_cancelled(call))
        return;
    haft_buffer_init(&message, call->server->allocator, MESSAGE_LIMIT);
    hf_rpc_begin_notification(&w, "notifications/progress");
    hf_json_begin_object(json_key(&w, "params"));
    hf_json_value(json_key(&w, "progressToken"), call->progress.token);
    hf_json_number(json_key(&w, "progress"), done);
    if (total > 0 && isfinite(total))
        hf_json_number(json_key(&w, "total"), total);
    if (format && hf_revision_rows[call->revision].message) {
        va_start(args, format);
        notify_put_text(json_key(&w, "message"), format, args);
        va_end(args);
    }
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_call_notify(call, &message, &done);
    haft_buffer_finish(&message);
}

/* Whether the client wants messages of this level. */
static bool notify_wants(const haft_call *call, int level)
{
    return call->client.log_level >= 0 && level >= call->client.log_level &&
           level <= HAFT_EMERGENCY && !haft_call_cancelled(call);
}

void hf_message_pass(haft_call *call, yyjson_val *params)
{
    int level = hf_level_named(yyjson_obj_get(params, "level"));
    yyjson_val *logger = rpc_string(params, "logger"), *data = yyjson_obj_get(params, "data");
    haft_buffer message;
    struct json_writer w = {.out = &message};

    if (level < 0 || !notify_wants(call, level))
        return;
    haft_buffer_init(&message, call->server->allocator, MESSAGE_LIMIT);
    hf_rpc_begin_notification(&w, "notifications/message");
    hf_json_begin_object(json_key(&w, "params"));
    hf_json_text(json_key(&w, "level"), notify_level_names[level]);
    if (logger)
        hf_json_value(json_key(&w, "logger"), logger);
    if (data)
        hf_json_value(json_key(&w, "data"), data);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_call_notify(call, &message, NULL);
    haft_buffer_finish(&message);
}

void haft_message(haft_call *call, haft_level level, const char *logger, const char *format, ...)
{
    haft_buffer message;
    struct json_writer w = {.out = &message};
    va_list args;

    if (!notify_wants(call, (int)level))
        return;
    haft_buffer_init(&message, call->server->allocator, MESSAGE_LIMIT);
    hf_rpc_begin_notification(&w, "notifications/message");
    hf_json_begin_object(json_key(&w, "params"));
    hf_json_text(json_key(&w, "level"), notify_level_names[level]);
    json_text_member(&w, "logger", logger);
    va_start(args, format);
    notify_put_text(json_key(&w, "data"), format, args);
    va_end(args);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    hf_call_notify(call, &message, NULL);
    haft_buffer_finish(&message);
}
