/* http_serve.c - a process that serves HTTP: its loops and its signals.
 *
 * The first lane runs on the thread that called and hears the signals; every other one has a thread
 * of its own, and is told by its bell. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "loop/heap.h"
#include "http/http.h"
#include "observe/log.h"
#include "loop/signals.h"

enum { INTERRUPTED = 128 };

struct serve;

struct lane {
    struct serve *serve;
    uv_loop_t loop;
    uv_async_t end; /* rung when it is time */
    haft_http *http;
    uv_thread_t thread;
    bool ended; /* before it began */
};

struct serve {
    haft_server *server;
    haft_http_options options;
    struct lanes lanes;
    struct lane *lane;
    unsigned n_lanes, n_open;
    atomic_uint n_serving;
    int fd; /* that the lanes share, for sockets that cannot be bound twice; 0 for none */
    char address[80];
    struct signals signals;
    bool ending;
};

/* ---- the end ---- */

/* The last lane to close rings the first one, which has heard the signals until then. */
static void serve_on_closed(void *context)
{
    struct lane *lane = context;
    struct serve *serve = lane->serve;

    lane->http = NULL;
    if (lane != serve->lane)
        uv_close((uv_handle_t *)&lane->end, NULL);
    if (atomic_fetch_sub(&serve->n_serving, 1) == 1)
        uv_async_send(&serve->lane[0].end);
}

static _Noreturn void serve_leave(const struct serve *serve, int status)
{
    if (serve->server->process.leave)
        serve->server->process.leave(serve->server->process.leave_context);
    _exit(status);
}

/* Handlers that do not come back cannot be taken away from, only left behind. */
static void on_overdue(void *context)
{
    struct lane *lane = context;

    server_log(lane->serve->server, HAFT_ERROR, "calls were cut off: they did not end in time");
    serve_leave(lane->serve, 1);
}

static void serve_on_end(uv_async_t *end)
{
    struct lane *lane = end->data;
    struct serve *serve = lane->serve;

    if (lane->http && !lane->http->closing) {
        lane->http->overdue = on_overdue;
        haft_http_close(lane->http, serve->options.drain_ms, serve_on_closed, lane);
    } else if (!atomic_load(&serve->n_serving)) {
        uv_close((uv_handle_t *)&lane->end, NULL);
        for (size_t i = 0; i < serve->signals.n; i++)
            uv_unref((uv_handle_t *)&serve->signals.watchers[i]);
    }
}

static void serve_on_signal(uv_signal_t *watcher, int number)
{
    struct serve *serve = watcher->data;

    /* One that ends already is not hurried by a terminal that closes, nor reads anything again. */
    if (number == SIGHUP && (serve->options.reload || serve->ending)) {
        if (!serve->ending)
            serve->options.reload(serve->options.reload_context);
        return;
    }
    if (serve->ending)
        serve_leave(serve, INTERRUPTED + number);
    serve->ending = true;
    for (unsigned i = 0; i < serve->n_open; i++)
        if (!serve->lane[i].ended)
            uv_async_send(&serve->lane[i].end);
}

/* ---- lanes ---- */

/* Where the lanes after the first listen: at the port that it got, or on its very socket. */
static int follow_first(struct serve *serve)
{
    haft_http *first = serve->lane[0].http;
    struct sockaddr_storage name;
    int size = sizeof name, port;
    char host[64] = "";
    uv_os_fd_t fd;

    if (serve->options.fd || first->unix_socket) {
        if (uv_fileno(&first->listener.handle, &fd))
            return HAFT_EBUSY;
        serve->fd = fd;
        return 0;
    }
    if (uv_tcp_getsockname(&first->listener.tcp, (struct sockaddr *)&name, &size))
        return HAFT_EBUSY;
    if (name.ss_family == AF_INET6) {
        uv_ip6_name((struct sockaddr_in6 *)(void *)&name, host, sizeof host);
        port = ntohs(((struct sockaddr_in6 *)(void *)&name)->sin6_port);
    } else {
        uv_ip4_name((struct sockaddr_in *)(void *)&name, host, sizeof host);
        port = ntohs(((struct sockaddr_in *)(void *)&name)->sin_port);
    }
    snprintf(serve->address, sizeof serve->address,
             name.ss_family == AF_INET6 ? "[%s]:%d" : "%s:%d", host, port);
    serve->options.address = serve->address;
    return 0;
}

static int open_lane(struct serve *serve, unsigned i, haft_reason *reason)
{
    struct lane *lane = &serve->lane[i];

    lane->serve = serve;
    if (uv_loop_init(&lane->loop))
        return error_set(reason, HAFT_EBUSY, NULL, "no loop can be made");
    if (uv_async_init(&lane->loop, &lane->end, serve_on_end)) {
        uv_loop_close(&lane->loop);
        return error_set(reason, HAFT_EBUSY, NULL, "no loop can be made");
    }
    lane->end.data = lane;
    serve->n_open++;
    if (serve->fd)
        serve->options.fd = fcntl(serve->fd, F_DUPFD_CLOEXEC, 0);
    lane->http = http_new(serve->server, &serve->options, &lane->loop,
                          serve->n_lanes > 1 ? &serve->lanes : NULL, i, reason);
    if (!lane->http)
        return reason->code ? reason->code : HAFT_EINVAL;
    lane->http->rested = heap_trim;
    return i || serve->n_lanes == 1 ? 0 : follow_first(serve);
}

static void run_lane(void *context)
{
    struct lane *lane = context;

    if (lane->http)
        loop_adopt(&lane->http->loop);
    uv_run(&lane->loop, UV_RUN_DEFAULT);
    uv_loop_close(&lane->loop);
}

/* Those that were opened when one could not be. */
static void close_lanes(struct serve *serve)
{
    for (unsigned i = 0; i < serve->n_open; i++) {
        struct lane *lane = &serve->lane[i];

        if (lane->http)
            haft_http_close(lane->http, 0, NULL, NULL);
        uv_close((uv_handle_t *)&lane->end, NULL);
        lane->http = NULL;
        run_lane(lane);
    }
}

static void watch_signals(struct serve *serve)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signals_watch(&serve->signals, &serve->lane[0].loop, numbers[i],
                      numbers[i] != SIGHUP || serve->options.reload, serve_on_signal, serve);
}

/* A lane whose thread cannot be started does not serve, and its listener must not stand there
 * deaf. */
static void run_lanes(struct serve *serve)
{
    bool started[MAX_LANES] = {true};

    atomic_store(&serve->n_serving, serve->n_lanes);
    for (unsigned i = 1; i < serve->n_lanes; i++) {
        started[i] = !uv_thread_create(&serve->lane[i].thread, run_lane, &serve->lane[i]);
        if (started[i])
            continue;
        server_log(serve->server, HAFT_ERROR, "a thread could not be started");
        uv_async_send(&serve->lane[i].end);
        run_lane(&serve->lane[i]);
        serve->lane[i].ended = true;
    }
    if (serve->options.ready)
        serve->options.ready(serve->options.ready_context, haft_http_url(serve->lane[0].http));
    uv_run(&serve->lane[0].loop, UV_RUN_DEFAULT);
    for (unsigned i = 1; i < serve->n_lanes; i++)
        if (started[i])
            uv_thread_join(&serve->lane[i].thread);
    signals_unwatch(&serve->signals);
    run_lane(&serve->lane[0]);
}

static int serve_lanes(struct serve *serve, haft_reason *reason)
{
    int status = 0;

    signals_begin(&serve->signals);
    for (unsigned i = 0; !status && i < serve->n_lanes; i++)
        status = open_lane(serve, i, reason);
    if (!status && serve->server->process.confine)
        status = serve->server->process.confine(serve->server->process.confine_context, reason);
    if (status) {
        close_lanes(serve);
    } else {
        watch_signals(serve);
        run_lanes(serve);
    }
    signals_end(&serve->signals);
    return status;
}

/* ---- all of it ---- */

static int serve_all(haft_server *server, const haft_http_options *options, haft_reason *reason)
{
    const haft_allocator *allocator = server->allocator;
    struct serve serve = {.server = server, .options = *options};
    int status;

    serve.n_lanes = !options->threads              ? 1
                    : options->threads > MAX_LANES ? MAX_LANES
                                                   : options->threads;
    serve.options.threads = serve.n_lanes;
    if (!serve.options.drain_ms)
        serve.options.drain_ms = DEFAULT_DRAIN;
    if (lanes_init(&serve.lanes, serve.n_lanes))
        return error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    if (limit_new(options, allocator, &serve.lanes.limiter)) {
        lanes_finish(&serve.lanes);
        return error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    }
    serve.lane = allocator->alloc(allocator->context, serve.n_lanes * sizeof *serve.lane);
    if (serve.lane) {
        memset(serve.lane, 0, serve.n_lanes * sizeof *serve.lane);
        status = serve_lanes(&serve, reason);
        allocator->release(allocator->context, serve.lane, serve.n_lanes * sizeof *serve.lane);
    } else {
        status = error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    }
    lanes_finish(&serve.lanes);
    return status;
}

/* Those that are mounted and have no log say what they have to say where the server does. */
static void share_log(const haft_http_options *options, const haft_server_options *from)
{
    const haft_http_mount *one = options->mounts;

    for (size_t i = 0; i < options->n_mounts; i++, one = mount_next(one)) {
        haft_server *server = one->server;

        if (!server || server_has_log(server))
            continue;
        if (from->record)
            server_set_record(server, from->record, from->log_context);
        else
            server_set_log(server, from->log, from->log_context);
    }
}

static void unshare_log(const haft_http_options *options, const void *context)
{
    const haft_http_mount *one = options->mounts;

    for (size_t i = 0; i < options->n_mounts; i++, one = mount_next(one)) {
        haft_server *server = one->server;

        if (server && server->options.log_context == context)
            server_set_log(server, NULL, NULL);
    }
}

int haft_http_serve(haft_server *server, const haft_http_options *options,
                    haft_reason *reterr_reason)
{
    haft_http_options all;
    haft_reason reason = {0};
    struct logger logger;
    bool own = false;
    int status = 0;

    if (!struct_read(&all, sizeof all, options))
        return error_set(reterr_reason, HAFT_EINVAL, "haft_http_options", STRUCT_UNSIZED);
    if (!server_has_log(server) && all.log) {
        server_set_log(server, all.log, all.log_context);
    } else if (!server_has_log(server)) {
        status = logger_init(&logger, HAFT_WARNING);
        if (status)
            return error_set(reterr_reason, status, NULL, "out of memory");
        own = true;
        server_set_record(server, logger_record, &logger);
    }
    share_log(&all, &server->options);
    status = serve_all(server, &all, &reason);
    if (own) {
        unshare_log(&all, &logger);
        server_set_log(server, NULL, NULL);
        logger_finish(&logger);
    }
    if (status && reterr_reason)
        *reterr_reason = reason;
    return status;
}
