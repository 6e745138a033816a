/* local.c - the engine, its threads and its deadlines as everywhere, with a buffer for a wire. */
#include "cli/local.h"

#include <string.h>

enum { LOCAL_MAX_WAITING = 16, GRACE = 100 };

static void local_take(void *context, const haft_outgoing *message)
{
    struct local *local = context;

    if (message->kind != HAFT_OUT_RESPONSE)
        return;
    haft_buffer_clear(&local->response);
    haft_buffer_add(&local->response, message->text, message->size);
    local->answered = true;
}

static void local_on_close(void *context)
{
    struct local *local = context;

    local->own.gone = true;
}

static void local_before_sleep(void *context)
{
    struct local *local = context;

    if (local->closing ? local->own.gone || local->given_up : local->answered)
        hf_session_loop_stop(&local->own);
}

static void local_on_timeout(uv_timer_t *handle)
{
    struct local *local = handle->data;

    local->given_up = true;
}

int hf_local_open(struct local *local, haft_server *server, unsigned workers)
{
    haft_transport transport =
        HAFT_INIT(haft_transport, .send = local_take, .close = local_on_close, .context = local);
    int status;

    *local = (struct local){.answered = false};
    status = hf_session_loop_init(&local->own, server, workers, LOCAL_MAX_WAITING, &transport,
                                  local_before_sleep, local);
    if (status)
        return status;
    haft_buffer_init(&local->response, server->allocator, server->options.max_message * 4);
    uv_timer_init(&local->own.uv, &local->timeout);
    local->timeout.data = local;
    return 0;
}

bool hf_local_close(struct local *local)
{
    local->closing = true;
    hf_session_loop_close(&local->own);
    uv_timer_start(&local->timeout, local_on_timeout, GRACE, 0);
    hf_session_loop_run(&local->own);
    if (!local->own.gone)
        return false;
    uv_close((uv_handle_t *)&local->timeout, NULL);
    hf_loop_join(&local->own.loop);
    hf_session_loop_finish(&local->own);
    haft_buffer_finish(&local->response);
    return true;
}

int hf_local_ask(struct local *local, const char *method, const char *params, haft_arena *arena,
                 yyjson_val **ret_result, yyjson_val **ret_error)
{
    haft_buffer *text = &local->response;
    struct json_writer w = {.out = text};
    yyjson_val *root;
    haft_reason reason;
    char *request;
    size_t size;
    int status;

    haft_buffer_clear(text);
    hf_rpc_begin_request(&w, 1, method);
    if (params)
        hf_json_raw(json_key(&w, "params"), params, strlen(params));
    hf_json_end_object(&w);
    size = text->size;
    request = text->status ? NULL : haft_arena_copy(arena, text->data, size);
    if (!request)
        return HAFT_ENOMEM;
    local->answered = false;
    status = session_loop_receive(&local->own, request, size, loop_now(&local->own.loop));
    if (status < 0)
        return status;
    hf_session_loop_run(&local->own);
    root = text->status ? NULL : haft_json_read(text->data, text->size, 512, arena, &reason);
    if (!root)
        return text->status ? text->status : reason.code;
    *ret_result = yyjson_obj_get(root, "result");
    *ret_error = yyjson_obj_get(root, "error");
    return *ret_result || *ret_error ? 0 : HAFT_EPARSE;
}
