/* http_client.c - opens the HTTP client part, and passes it this program's libuv. */
#include "part/http_client.h"

#include "base/base.h"
#include "part/part.h"

static const struct http_client_uv client_uv = {
    .timer_init = uv_timer_init,
    .timer_start = uv_timer_start,
    .timer_stop = uv_timer_stop,
    .idle_init = uv_idle_init,
    .idle_start = uv_idle_start,
    .idle_stop = uv_idle_stop,
    .poll_init = uv_poll_init_socket,
    .poll_start = uv_poll_start,
    .poll_stop = uv_poll_stop,
    .close = uv_close,
    .ref = uv_ref,
    .unref = uv_unref,
    .update_time = uv_update_time,
    .now = uv_now,
};

const struct http_client_functions *hf_http_client_open(const char *needed_by,
                                                        haft_reason *reterr_reason)
{
    return hf_part_open(PART_HTTP_CLIENT, needed_by, reterr_reason);
}

http_client *hf_http_client_new(const struct http_client_functions *http, uv_loop_t *loop,
                                const struct http_client_options *options,
                                haft_reason *reterr_reason)
{
    static const struct http_client_options none;
    struct http_client_options all = options ? *options : none;

    all.allocator = hf_allocator_or_default(all.allocator);
    all.uv = &client_uv;
    return http->create(loop, &all, reterr_reason);
}
