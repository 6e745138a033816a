/* local.c - the engine, its threads and its deadlines as everywhere, with a buffer for a wire. */
#include "cli/local.h"

#include <string.h>

enum { MAX_WAITING = 16, GRACE = 100 };

static void local_take(void *context, const haft_outgoing *message)
{
    struct local *local = context;

    if (message->kind != HAFT_OUT_RESPONSE)
        return;
    haft_buffer_clear(&local->response);
    haft_buffer_add(&local->response, message->text, message->size);
    local->answered = true;
}

static void settle(void *context)
{
    struct local *local = context;

    if (local->closing ? local->host.gone || local->given_up : local->answered)
        host_stop(&local->host);
}

static void on_patience(uv_timer_t *handle)
{
    struct local *local = handle->data;

    local->given_up = true;
}

int local_open(struct local *local, haft_server *server, unsigned workers)
{
    int status;

    *local = (struct local){.answered = false};
    status = host_init(&local->host, server, workers, MAX_WAITING,
                       (struct guest){local_take, settle, local});
    if (status)
        return status;
    haft_buffer_init(&local->response, server->allocator, server->options.max_message * 4);
    uv_timer_init(&local->host.loop, &local->patience);
    local->patience.data = local;
    return 0;
}

bool local_close(struct local *local)
{
    local->closing = true;
    host_close_session(&local->host);
    uv_timer_start(&local->patience, on_patience, GRACE, 0);
    host_run(&local->host);
    if (!local->host.gone)
        return false;
    uv_close((uv_handle_t *)&local->patience, NULL);
    host_join(&local->host);
    host_finish(&local->host);
    haft_buffer_finish(&local->response);
    return true;
}

int local_ask(struct local *local, const char *method, const char *params, haft_arena *arena,
              yyjson_val **ret_result, yyjson_val **ret_error)
{
    haft_buffer *text = &local->response;
    yyjson_val *root;
    haft_reason reason;
    char *request;
    size_t size;
    int status;

    haft_buffer_clear(text);
    haft_buffer_puts(text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":");
    haft_buffer_json_string(text, method, strlen(method));
    haft_buffer_printf(text, "%s%s}", params ? ",\"params\":" : "", params ? params : "");
    size = text->size;
    request = text->status ? NULL : haft_arena_copy(arena, text->data, size);
    if (!request)
        return HAFT_ENOMEM;
    local->answered = false;
    status = host_receive(&local->host, request, size, host_now(&local->host));
    if (status < 0)
        return status;
    host_run(&local->host);
    root = text->status ? NULL : haft_json_read(text->data, text->size, 512, arena, &reason);
    if (!root)
        return text->status ? text->status : reason.code;
    *ret_result = yyjson_obj_get(root, "result");
    *ret_error = yyjson_obj_get(root, "error");
    return *ret_result || *ret_error ? 0 : HAFT_EPARSE;
}
