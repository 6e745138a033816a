/* serve.c - a process that serves HTTP: its loops and its signals.
 *
 * The first shard runs on the calling thread and receives the signals; every other one has its own
 * thread, and is notified through its wake-up.  A shard that is alone runs on a loop that the process
 * has for other work, if there is one: what a call wants of that needs no other thread then. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/defaults.h"
#include "base/struct.h"
#include "loop/family_tasks.h"
#include "loop/heap.h"
#include "http/http.h"
#include "http/secure.h"
#include "observe/log.h"
#include "loop/signals.h"

enum { INTERRUPTED = 128 };

struct serve;

struct shard {
    struct serve *serve;
    uv_loop_t own;
    uv_loop_t *loop;   /* its own, or one that is lent to it */
    uv_async_t end;    /* sent to end it */
    uv_timer_t notice; /* until it ends, after it has said so */
    haft_http *http;
    uv_thread_t thread;
    bool ended; /* ended before it started */
};

struct serve {
    haft_server *server;
    haft_http_options options;
    struct shards shards;
    struct shard *shard;
    unsigned n_shards, n_open;
    atomic_uint n_serving;
    int fd; /* shared socket, for sockets that cannot be bound twice; 0 if none */
    char address[80];
    struct signals signals;
    bool ending;
};

/* ---- shutdown ---- */

/* The last shard to close wakes the first one, which has handled signals until then. */
static void serve_on_closed(void *context)
{
    struct shard *shard = context;
    struct serve *serve = shard->serve;

    shard->http = NULL;
    if (shard != serve->shard)
        uv_close((uv_handle_t *)&shard->end, NULL);
    if (atomic_fetch_sub(&serve->n_serving, 1) == 1)
        uv_async_send(&serve->shard[0].end);
}

static _Noreturn void serve_leave(const struct serve *serve, int status)
{
    if (serve->server->process.leave)
        serve->server->process.leave(serve->server->process.leave_context);
    _exit(status);
}

/* Handlers that do not return cannot be stopped, only abandoned. */
static void on_overdue(void *context)
{
    struct shard *shard = context;

    hf_server_log(shard->serve->server, HAFT_ERROR,
                  "shutdown timed out: calls in flight were abandoned");
    serve_leave(shard->serve, 1);
}

static void serve_close(struct shard *shard)
{
    shard->http->overdue = on_overdue;
    haft_http_close(shard->http, shard->serve->options.drain_ms, serve_on_closed, shard);
}

static void serve_on_notice_over(uv_timer_t *notice)
{
    struct shard *shard = notice->data;

    uv_close((uv_handle_t *)notice, NULL);
    if (shard->http && !shard->http->closing)
        serve_close(shard);
}

/* Answers requests for some time, while a load balancer learns from /readyz that there will be no more.
 * Returns false if there is no such time. */
static bool serve_give_notice(struct shard *shard)
{
    unsigned ms = shard->serve->options.drain_notice_ms;

    if (!ms || shard->http->mux.guard.leaving || uv_timer_init(shard->loop, &shard->notice))
        return false;
    shard->notice.data = shard;
    shard->http->mux.guard.leaving = true;
    return !uv_timer_start(&shard->notice, serve_on_notice_over, ms, 0);
}

static bool shard_borrows(const struct shard *shard)
{
    return shard->loop != &shard->own;
}

static void serve_on_end(uv_async_t *end)
{
    struct shard *shard = end->data;
    struct serve *serve = shard->serve;

    if (shard->http && !shard->http->closing) {
        if (!serve_give_notice(shard))
            serve_close(shard);
    } else if (!atomic_load(&serve->n_serving)) {
        uv_close((uv_handle_t *)&shard->end, NULL);
        for (size_t i = 0; i < serve->signals.n; i++)
            uv_unref((uv_handle_t *)&serve->signals.watchers[i]);
        if (shard_borrows(shard))
            uv_stop(shard->loop);
    }
}

static bool serve_can_reload(const struct serve *serve)
{
    return serve->options.reload || hf_secure_is_wanted(&serve->options);
}

/* Certificates that cannot be read do not keep the program from reloading the rest. */
static void serve_reload(struct serve *serve)
{
    const haft_http *first = serve->shard[0].http;
    haft_reason reason = {0};

    if (first && first->secure) {
        if (hf_secure_source_reload(first->secure->source, &reason))
            hf_server_log(serve->server, HAFT_ERROR,
                          "reload: %s: %s; the TLS certificates stay as they were", reason.path,
                          reason.text);
        else
            hf_server_log(serve->server, HAFT_NOTICE, "reload: read the TLS certificates again");
    }
    if (serve->options.reload)
        serve->options.reload(serve->options.reload_context);
}

static void serve_on_signal(uv_signal_t *watcher, int number)
{
    struct serve *serve = watcher->data;

    /* During shutdown, a closing terminal does not hasten the end, and nothing is reloaded. */
    if (number == SIGHUP && (serve_can_reload(serve) || serve->ending)) {
        if (!serve->ending)
            serve_reload(serve);
        return;
    }
    if (serve->ending)
        serve_leave(serve, INTERRUPTED + number);
    serve->ending = true;
    for (unsigned i = 0; i < serve->n_open; i++)
        if (!serve->shard[i].ended)
            uv_async_send(&serve->shard[i].end);
}

/* ---- shards ---- */

/* The address for the other shards: the port that the first one got, or its socket. */
static int follow_first(struct serve *serve)
{
    haft_http *first = serve->shard[0].http;
    struct sockaddr_storage name;
    int size = sizeof name, port;
    char host[64] = "";
    uv_os_fd_t fd;

    if (serve->options.fd || first->unix_socket) {
        if (uv_fileno(&first->listeners[0].handle, &fd))
            return HAFT_EBUSY;
        serve->fd = fd;
        return 0;
    }
    if (uv_tcp_getsockname(&first->listeners[0].tcp, (struct sockaddr *)&name, &size))
        return HAFT_EBUSY;
    if (name.ss_family == AF_INET6) {
        uv_ip6_name((struct sockaddr_in6 *)(void *)&name, host, sizeof host);
        port = ntohs(((struct sockaddr_in6 *)(void *)&name)->sin6_port);
    } else {
        uv_ip4_name((struct sockaddr_in *)(void *)&name, host, sizeof host);
        port = ntohs(((struct sockaddr_in *)(void *)&name)->sin_port);
    }
    if (first->n_listeners > 1)
        snprintf(serve->address, sizeof serve->address, ":%d", port);
    else
        snprintf(serve->address, sizeof serve->address,
                 name.ss_family == AF_INET6 ? "[%s]:%d" : "%s:%d", host, port);
    serve->options.address = serve->address;
    return 0;
}

static int shard_open_loop(struct shard *shard)
{
    const struct serve *serve = shard->serve;
    const struct server_process *process = &serve->server->process;

    if (serve->n_shards == 1 && process->lend_loop)
        shard->loop = process->lend_loop(process->loop_context);
    if (shard->loop)
        return 0;
    shard->loop = &shard->own;
    return uv_loop_init(shard->loop);
}

static void shard_close_loop(struct shard *shard)
{
    const struct server_process *process = &shard->serve->server->process;

    if (shard_borrows(shard))
        process->return_loop(process->loop_context);
    else
        uv_loop_close(shard->loop);
}

static int open_shard(struct serve *serve, unsigned i, haft_reason *reason)
{
    struct shard *shard = &serve->shard[i];

    shard->serve = serve;
    if (shard_open_loop(shard))
        return hf_error_set(reason, HAFT_EBUSY, NULL, "cannot create an event loop");
    if (uv_async_init(shard->loop, &shard->end, serve_on_end)) {
        shard_close_loop(shard);
        return hf_error_set(reason, HAFT_EBUSY, NULL, "cannot create an event loop");
    }
    shard->end.data = shard;
    serve->n_open++;
    if (serve->fd)
        serve->options.fd = fcntl(serve->fd, F_DUPFD_CLOEXEC, 0);
    shard->http = hf_http_new(serve->server, &serve->options, shard->loop,
                              serve->n_shards > 1 ? &serve->shards : NULL, i, reason);
    if (!shard->http)
        return reason->code ? reason->code : HAFT_EINVAL;
    shard->http->rested = hf_heap_trim;
    return i || serve->n_shards == 1 ? 0 : follow_first(serve);
}

static haft_store *serve_store(const struct serve *serve)
{
    return serve->options.store ? serve->options.store : serve->server->options.store;
}

/* The requests of the shard's thread to the store use its loop; without it, a thread of the store does
 * them. */
static void shard_attach(struct shard *shard)
{
    haft_store *store = serve_store(shard->serve);

    if (store && shard->http)
        haft_store_attach(store, shard->loop);
}

static void shard_count_closing(uv_handle_t *handle, void *context)
{
    unsigned *n = context;

    if (uv_is_closing(handle))
        ++*n;
}

/* Runs the loop until every handle is closed; of one that is lent, until every handle that was closed is. */
static void shard_run_out(const struct shard *shard)
{
    unsigned n = 0;

    if (!shard_borrows(shard)) {
        uv_run(shard->loop, UV_RUN_DEFAULT);
        return;
    }
    do {
        n = 0;
        uv_run(shard->loop, UV_RUN_NOWAIT);
        uv_walk(shard->loop, shard_count_closing, &n);
    } while (n);
}

static void shard_end(struct shard *shard)
{
    haft_store *store = serve_store(shard->serve);

    shard_run_out(shard);
    if (store) {
        haft_store_detach(store, shard->loop);
        shard_run_out(shard);
    }
    shard_close_loop(shard);
}

static void run_shard(void *context)
{
    struct shard *shard = context;

    if (shard->http)
        hf_loop_adopt(&shard->http->loop);
    shard_attach(shard);
    uv_run(shard->loop, UV_RUN_DEFAULT);
    shard_end(shard);
}

static void shard_on_abandoned(void *context)
{
    struct shard *shard = context;

    shard->http = NULL;
}

/* Closes the shards that were opened before one failed. */
static void close_shards(struct serve *serve)
{
    for (unsigned i = 0; i < serve->n_open; i++) {
        struct shard *shard = &serve->shard[i];

        if (shard->http)
            haft_http_close(shard->http, 0, shard_on_abandoned, shard);
        while (shard->http)
            uv_run(shard->loop, UV_RUN_ONCE);
        uv_close((uv_handle_t *)&shard->end, NULL);
        shard_end(shard);
    }
}

static void watch_signals(struct serve *serve)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hf_signals_watch(&serve->signals, serve->shard[0].loop, numbers[i],
                         numbers[i] != SIGHUP || serve_can_reload(serve), serve_on_signal, serve);
}

/* A shard whose thread cannot be started is closed, because its listener would accept connections
 * that nobody serves. */
static void run_shards(struct serve *serve)
{
    bool started[MAX_LANES] = {true};

    atomic_store(&serve->n_serving, serve->n_shards);
    for (unsigned i = 1; i < serve->n_shards; i++) {
        started[i] = !uv_thread_create(&serve->shard[i].thread, run_shard, &serve->shard[i]);
        if (started[i])
            continue;
        hf_server_log(serve->server, HAFT_ERROR, "cannot start a thread");
        uv_async_send(&serve->shard[i].end);
        run_shard(&serve->shard[i]);
        serve->shard[i].ended = true;
    }
    if (serve->options.ready)
        serve->options.ready(serve->options.ready_context, haft_http_url(serve->shard[0].http));
    shard_attach(&serve->shard[0]);
    uv_run(serve->shard[0].loop, UV_RUN_DEFAULT);
    for (unsigned i = 1; i < serve->n_shards; i++)
        if (started[i])
            uv_thread_join(&serve->shard[i].thread);
    hf_signals_unwatch(&serve->signals);
    shard_end(&serve->shard[0]);
}

static int serve_shards(struct serve *serve, haft_reason *reason)
{
    int status = 0;

    hf_signals_begin(&serve->signals);
    for (unsigned i = 0; !status && i < serve->n_shards; i++)
        status = open_shard(serve, i, reason);
    if (!status && serve->server->process.confine)
        status = serve->server->process.confine(serve->server->process.confine_context, reason);
    if (status) {
        close_shards(serve);
    } else {
        watch_signals(serve);
        hf_family_start_tasks(serve->server);
        run_shards(serve);
        hf_family_stop_tasks(serve->server, serve->options.drain_ms);
    }
    hf_signals_end(&serve->signals);
    return status;
}

/* ---- serving ---- */

static int serve_all(haft_server *server, const haft_http_options *options, haft_reason *reason)
{
    const haft_allocator *allocator = server->allocator;
    struct serve serve = {.server = server, .options = *options};
    int status;

    serve.n_shards = !options->threads              ? 1
                     : options->threads > MAX_LANES ? MAX_LANES
                                                    : options->threads;
    serve.options.threads = serve.n_shards;
    if (!serve.options.drain_ms)
        serve.options.drain_ms = DEFAULT_DRAIN;
    if (hf_shards_init(&serve.shards, serve.n_shards))
        return hf_error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    if (hf_limit_new(options, allocator, &serve.shards.limiter)) {
        hf_shards_finish(&serve.shards);
        return hf_error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    }
    if (serve.n_shards > 1) {
        status = hf_secure_source_new(server, options, &serve.shards.secure, reason);
        if (status) {
            hf_shards_finish(&serve.shards);
            return status;
        }
    }
    serve.shard = allocator->alloc(allocator->context, serve.n_shards * sizeof *serve.shard);
    if (serve.shard) {
        memset(serve.shard, 0, serve.n_shards * sizeof *serve.shard);
        status = serve_shards(&serve, reason);
        allocator->release(allocator->context, serve.shard, serve.n_shards * sizeof *serve.shard);
    } else {
        status = hf_error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    }
    hf_shards_finish(&serve.shards);
    return status;
}

/* Mounted servers without a log use the server's. */
static void share_log(const haft_http_options *options, const haft_server_options *from)
{
    const haft_http_mount *one = options->mounts;

    for (size_t i = 0; i < options->n_mounts; i++, one = mount_next(one)) {
        haft_server *server = one->server;

        if (!server || hf_server_has_log(server))
            continue;
        if (from->record)
            hf_server_set_record(server, from->record, from->log_context);
        else
            hf_server_set_log(server, from->log, from->log_context);
    }
}

static void unshare_log(const haft_http_options *options, const void *context)
{
    const haft_http_mount *one = options->mounts;

    for (size_t i = 0; i < options->n_mounts; i++, one = mount_next(one)) {
        haft_server *server = one->server;

        if (server && server->options.log_context == context)
            hf_server_set_log(server, NULL, NULL);
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

    if (!hf_struct_read(&all, sizeof all, options))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "haft_http_options", STRUCT_UNSIZED);
    if (!hf_server_has_log(server) && all.log) {
        hf_server_set_log(server, all.log, all.log_context);
    } else if (!hf_server_has_log(server)) {
        status = hf_logger_init(&logger, HAFT_WARNING);
        if (status)
            return hf_error_set(reterr_reason, status, NULL, "out of memory");
        own = true;
        hf_server_set_record(server, hf_logger_record, &logger);
    }
    share_log(&all, &server->options);
    status = serve_all(server, &all, &reason);
    if (own) {
        unshare_log(&all, &logger);
        hf_server_set_log(server, NULL, NULL);
        hf_logger_finish(&logger);
    }
    if (status && reterr_reason)
        *reterr_reason = reason;
    return status;
}
