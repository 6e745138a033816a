/* redis.c - opens the part with the store on Redis, and passes it what it needs. */
#include "part/redis.h"

#include "base/struct.h"
#include "part/part.h"

static const struct redis_host redis_host_functions = {
    .arena_zalloc = haft_arena_zalloc,
    .arena_copy = haft_arena_copy,
    .error_set = hf_error_set,
    .loop_init = uv_loop_init,
    .loop_close = uv_loop_close,
    .run = uv_run,
    .now = uv_now,
    .update_time = uv_update_time,
    .async_init = uv_async_init,
    .async_send = uv_async_send,
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
    .unref = uv_unref,
    .getaddrinfo = uv_getaddrinfo,
    .freeaddrinfo = uv_freeaddrinfo,
    .cancel = uv_cancel,
};

const struct redis_host *hf_redis_host(void)
{
    return &redis_host_functions;
}

haft_store *haft_redis_store_new(const char *url, const haft_redis_options *options,
                                 haft_reason *reterr_reason)
{
    const struct redis_functions *redis;
    haft_redis_options own;
    haft_reason reason;

    if (!reterr_reason)
        reterr_reason = &reason;
    if (!hf_struct_read(&own, sizeof own, options)) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "options", STRUCT_UNSIZED);
        return NULL;
    }
    if (!url) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "url", "the URL is missing");
        return NULL;
    }
    own.allocator = hf_allocator_or_default(own.allocator);
    redis = hf_part_open(PART_REDIS, "a store on Redis", reterr_reason);
    return redis ? redis->create(url, &own, &redis_host_functions, reterr_reason) : NULL;
}
