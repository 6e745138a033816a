/* store/redis/redis.h - a store on a Redis or Valkey server, an optional part (haft/part.h).
 *
 * part/redis.h opens it.  It gets what it needs of libhaft and libuv as pointers. */
#ifndef HAFT_SRC_REDIS_H
#define HAFT_SRC_REDIS_H

#include <haft/redis.h>
#include <uv.h>

/* The functions that the part needs, from the program's copies. */
struct redis_host {
    void *(*arena_zalloc)(haft_arena *arena, size_t count, size_t size);
    char *(*arena_copy)(haft_arena *arena, const char *text, size_t size);
    int (*error_set)(haft_reason *error, int code, const char *path, const char *format, ...)
        HAFT_PRINTF_(4, 5);

    int (*loop_init)(uv_loop_t *loop);
    int (*loop_close)(uv_loop_t *loop);
    int (*run)(uv_loop_t *loop, uv_run_mode mode);
    uint64_t (*now)(const uv_loop_t *loop);
    void (*update_time)(uv_loop_t *loop);
    int (*async_init)(uv_loop_t *loop, uv_async_t *async, uv_async_cb callback);
    int (*async_send)(uv_async_t *async);
    int (*timer_init)(uv_loop_t *loop, uv_timer_t *timer);
    int (*timer_start)(uv_timer_t *timer, uv_timer_cb callback, uint64_t ms, uint64_t repeat);
    int (*timer_stop)(uv_timer_t *timer);
    int (*idle_init)(uv_loop_t *loop, uv_idle_t *idle);
    int (*idle_start)(uv_idle_t *idle, uv_idle_cb callback);
    int (*idle_stop)(uv_idle_t *idle);
    int (*poll_init)(uv_loop_t *loop, uv_poll_t *poll, uv_os_sock_t socket);
    int (*poll_start)(uv_poll_t *poll, int events, uv_poll_cb callback);
    int (*poll_stop)(uv_poll_t *poll);
    void (*close)(uv_handle_t *handle, uv_close_cb callback);
    void (*unref)(uv_handle_t *handle);
    int (*getaddrinfo)(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb callback,
                       const char *node, const char *service, const struct addrinfo *hints);
    void (*freeaddrinfo)(struct addrinfo *addresses);
    int (*cancel)(uv_req_t *request);
};

struct redis_functions {
    /* As haft_redis_store_new; the options have all members and an allocator. */
    haft_store *(*create)(const char *url, const haft_redis_options *options,
                          const struct redis_host *host, haft_reason *reterr_reason);
};

#endif
