/* server.c - what a loop does besides its connections: workers, time, and shutdown. */
#include <string.h>

#include "base/defaults.h"
#include "base/list.h"
#include "base/struct.h"
#include "http/http.h"
#include "http/secure.h"
#include "loop/reserve.h"
#include "process/isolate.h"

enum {
    SWEEP_MS = 100,
    CLOSING_SWEEP_MS = 10,
    CANCEL_MS = 500, /* time for cancelled handlers */
    SPARE_CONNECTIONS = 64,
    SPARE_BUFFER = 16 << 10, /* kept in each spare connection */
    OTHER_DESCRIPTORS = 128  /* estimate of descriptors besides connections */
};

/* ---- events of the loop ---- */

static void http_on_woken(void *context, bool asked)
{
    haft_http *http = context;

    if (asked)
        hf_mux_tick(&http->mux, loop_now(&http->loop));
    hf_shards_receive(http);
    hf_turn_resume(http);
}

/* ---- connections ---- */

void hf_http_remember(haft_http *http, struct connection *c)
{
    LIST_PUSH(http->connections, c, previous, next);
    http->n_connections++;
    http->used = loop_now(&http->loop);
    http->resting = false;
    if (http->shards)
        atomic_fetch_add(&http->shards->n_connections, 1);
}

void hf_http_forget(struct connection *c)
{
    haft_http *http = c->http;

    hf_turn_forget(c);
    LIST_TAKE(http->connections, c, previous, next);
    http->n_connections--;
    if (http->shards)
        atomic_fetch_sub(&http->shards->n_connections, 1);
    if (http->n_spare >= SPARE_CONNECTIONS || http->closing || http->resting) {
        hf_connection_free(c);
        return;
    }
    /* It may have closed during a large request. */
    hf_connection_trim(c, SPARE_BUFFER);
    c->next = http->spare;
    http->spare = c;
    http->n_spare++;
}

bool hf_http_take_notes(struct connection *c)
{
    haft_http *http = c->http;

    c->notes = http->spare_notes;
    if (c->notes)
        http->spare_notes = c->notes->next;
    else
        c->notes = http->allocator->alloc(http->allocator->context, sizeof *c->notes);
    return c->notes;
}

void hf_http_return_notes(struct connection *c)
{
    if (!c->notes)
        return;
    c->notes->next = c->http->spare_notes;
    c->http->spare_notes = c->notes;
    c->notes = NULL;
}

/* Formats the peer's address; an IPv4-mapped address as IPv4. */
static void name_peer(struct connection *c, const struct sockaddr_storage *peer)
{
    static const char mapped[] = "::ffff:";
    size_t n = sizeof mapped - 1;

    if (uv_ip_name((const struct sockaddr *)peer, c->peer, sizeof c->peer))
        c->peer[0] = '\0';
    if (!strncmp(c->peer, mapped, n) && strchr(c->peer, '.'))
        memmove(c->peer, c->peer + n, strlen(c->peer + n) + 1);
}

/* Counts the connection for its address; returns false if that has too many. */
static bool count_address(struct connection *c)
{
    struct sockaddr_storage peer;
    int size = sizeof peer;
    size_t n = 0;

    c->counted = false;
    c->peer[0] = '\0';
    c->is_proxy = c->http->unix_socket && hf_proxies_trust(&c->http->proxies, "");
    if (c->http->unix_socket || uv_tcp_getpeername(&c->io.tcp, (struct sockaddr *)&peer, &size))
        return true;
    name_peer(c, &peer);
    c->is_proxy = hf_proxies_trust(&c->http->proxies, c->peer);
    if (hf_address_is_local(&peer) || c->is_proxy)
        return true;
    memset(c->address, 0, sizeof c->address);
    /* A host with one IPv6 address usually has a whole network of them. */
    if (peer.ss_family == AF_INET6 && strchr(c->peer, ':'))
        memcpy(c->address, &((struct sockaddr_in6 *)(void *)&peer)->sin6_addr, 8);
    else if (peer.ss_family == AF_INET6)
        memcpy(c->address, &((struct sockaddr_in6 *)(void *)&peer)->sin6_addr, 16);
    else
        memcpy(c->address, &((struct sockaddr_in *)(void *)&peer)->sin_addr, 4);
    c->counted = true;
    for (const struct connection *other = c->next; other; other = other->next)
        n += other->counted && !memcmp(other->address, c->address, sizeof c->address);
    return n < c->http->options.max_per_address;
}

static bool http_is_full(const haft_http *http)
{
    size_t n = http->shards ? atomic_load(&http->shards->n_connections) : http->n_connections;

    return n > http->options.max_connections;
}

static void make_stream(struct connection *c)
{
    haft_http *http = c->http;

    if (http->unix_socket)
        uv_pipe_init(http->loop.uv, &c->io.pipe, 0);
    else
        uv_tcp_init(http->loop.uv, &c->io.tcp);
    c->io.handle.data = c;
}

int hf_http_open(struct connection *c, int fd)
{
    make_stream(c);
    return c->http->unix_socket ? uv_pipe_open(&c->io.pipe, fd) : uv_tcp_open(&c->io.tcp, fd);
}

static void on_connection(uv_stream_t *listener, int status)
{
    haft_http *http = listener->data;
    struct connection *c;

    if (status < 0 || http->closing)
        return;
    c = hf_connection_new(http);
    /* The connection stays in the accept queue, and accepting pauses until there is room. */
    http->deaf[listener == &http->listeners[1].stream] = !c;
    if (!c) {
        hf_server_log(http->server, HAFT_ERROR, "out of memory: a connection has to wait");
        return;
    }
    make_stream(c);
    if (uv_accept(listener, &c->io.stream) || http_is_full(http) || !count_address(c)) {
        hf_connection_close(c);
        return;
    }
    if (!http->unix_socket)
        uv_tcp_nodelay(&c->io.tcp, 1);
    hf_connection_start(c);
}

/* ---- shutdown ---- */

static void http_free_spare(haft_http *http)
{
    while (http->spare_notes) {
        struct request_notes *notes = http->spare_notes;

        http->spare_notes = notes->next;
        http->allocator->release(http->allocator->context, notes, sizeof *notes);
    }
    while (http->spare) {
        struct connection *c = http->spare;

        http->spare = c->next;
        hf_connection_free(c);
    }
    http->n_spare = 0;
}

static void http_release(haft_http *http)
{
    http_free_spare(http);
    hf_mux_finish(&http->mux);
    hf_proxies_finish(&http->proxies);
    hf_limiter_free(http->limiter);
    hf_secure_free(http->allocator, http->secure);
    hf_secure_source_free(http->certificates);
    hf_loop_join(&http->loop);
    hf_loop_finish(&http->loop);
    if (http->closed)
        http->closed(http->closed_context);
    http->allocator->release(http->allocator->context, http, sizeof *http);
}

static void http_on_closed(void *context)
{
    haft_http *http = context;

    if (!--http->open_handles)
        http_release(http);
}

static void on_listener_closed(uv_handle_t *listener)
{
    http_on_closed(listener->data);
}

static void http_close_listeners(haft_http *http)
{
    for (unsigned i = 0; i < http->n_listeners; i++)
        uv_close(&http->listeners[i].handle, on_listener_closed);
}

/* Whether everything is closed or closing. */
static bool sweep_closing(haft_http *http, haft_time now)
{
    struct connection *next;
    bool late = now >= http->close_by;
    unsigned running = 0;

    for (struct connection *c = http->connections; c; c = next) {
        next = c->next;
        running += c->stage == STAGE_HANDLING;
        if (late)
            hf_connection_abort(c);
        else if (c->stage == STAGE_UPGRADED)
            hf_upgrade_shut_down(c);
        else if (c->stage != STAGE_HANDLING)
            hf_connection_close(c);
        hf_connection_check(c, now);
    }
    if (late && !http->late) {
        http->late = true;
        if (running)
            hf_server_log(http->server, HAFT_WARNING,
                          "shutdown: cancelled %u %s that had not been answered in time", running,
                          running == 1 ? "request" : "requests");
        hf_mux_abandon(&http->mux);
        hf_loop_give_up(&http->loop);
    }
    if (!http->connections && hf_mux_idle(&http->mux)) {
        hf_loop_close(&http->loop, http_on_closed);
        return true;
    }
    if (now >= http->close_by + CANCEL_MS && http->overdue)
        http->overdue(http->closed_context);
    return false;
}

/* Frees unused memory after a burst; the sessions have freed theirs. */
static void http_rest(haft_http *http)
{
    http->resting = true;
    http_free_spare(http);
    if (http->rested)
        http->rested();
}

static haft_time http_on_tick(void *context, haft_time now)
{
    haft_http *http = context;
    struct connection *next;

    hf_mux_tick(&http->mux, now);
    if (http->closing)
        return sweep_closing(http, now) ? -1 : now + CLOSING_SWEEP_MS;
    for (struct connection *c = http->connections; c; c = next) {
        next = c->next;
        hf_connection_check(c, now);
    }
    for (unsigned i = 0; i < http->n_listeners; i++)
        if (http->deaf[i])
            on_connection(&http->listeners[i].stream, 0);
    if (!http->resting && now - http->used > REST_MS)
        http_rest(http);
    return now + SWEEP_MS;
}

void haft_http_close(haft_http *http, unsigned ms, void (*closed)(void *context), void *context)
{
    http->closed = closed;
    http->closed_context = context;
    http->close_by = loop_now(&http->loop) + ms;
    if (http->closing)
        return;
    http->closing = true;
    hf_shards_leave(http);
    http_close_listeners(http);
    hf_mux_shut_down(&http->mux);
    hf_loop_set_timer(&http->loop, loop_now(&http->loop));
}

/* ---- construction ---- */

static void http_set_defaults(haft_http_options *o)
{
    o->address = o->address ? o->address : DEFAULT_ADDRESS;
    o->path = o->path ? o->path : DEFAULT_ENDPOINT;
    o->threads = o->threads ? o->threads : DEFAULT_THREADS;
    o->workers = o->workers ? o->workers : DEFAULT_WORKERS;
    o->max_queue = o->max_queue ? o->max_queue : DEFAULT_QUEUE;
    o->max_connections = o->max_connections ? o->max_connections : DEFAULT_CONNECTIONS;
    o->max_per_address = o->max_per_address ? o->max_per_address : DEFAULT_PER_ADDRESS;
    o->max_headers = o->max_headers ? o->max_headers : DEFAULT_HEADERS;
    o->max_url = o->max_url ? o->max_url : DEFAULT_URL;
    o->max_unsent = o->max_unsent ? o->max_unsent : DEFAULT_HTTP_UNSENT;
    o->header_ms = o->header_ms ? o->header_ms : DEFAULT_HEADER_TIME;
    o->body_ms = o->body_ms ? o->body_ms : DEFAULT_BODY_TIME;
    o->idle_ms = o->idle_ms ? o->idle_ms : DEFAULT_IDLE_TIME;
    o->max_sessions = o->max_sessions ? o->max_sessions : DEFAULT_SESSIONS;
    o->drain_ms = o->drain_ms ? o->drain_ms : DEFAULT_DRAIN;
}

/* Divides limits that apply to all shards together, but are counted by each. */
static void http_share(haft_http_options *o, unsigned n)
{
    o->max_per_address = (o->max_per_address + n - 1) / n;
    o->max_sessions = (o->max_sessions + n - 1) / n;
}

/* A clock for all loops: the time of a loop is that of its latest wake-up. */
static haft_time common_clock(void)
{
    return (haft_time)(uv_hrtime() / 1000000);
}

/* Opens the endpoint and the mounts of this loop. */
static int open_front(haft_http *http, haft_reason *reason)
{
    static const char *const any[] = {"*", NULL};
    haft_http_options *o = &http->options;
    haft_http_loop loop = {.uv = http->loop.uv,
                           .number = http->shard,
                           .n = http->shards ? http->shards->n : 1,
                           .server = http->server,
                           .loop = &http->loop.interface,
                           .replica = o->replica};
    int status;

    /* Browsers cannot connect to Unix sockets, so the Host check is not needed. */
    if (!strncmp(o->address, "unix:", 5) && !o->allowed_hosts)
        o->allowed_hosts = any;
    status = hf_mux_init(&http->mux, o, &loop, reason);
    if (status)
        return status;
    if (!http->shards && hf_limit_new(o, http->allocator, &http->limiter))
        return hf_error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
    http->mux.limiter = http->shards ? http->shards->limiter : http->limiter;
    http->mux.clock = common_clock;
    http->max_body = hf_mux_max_body(&http->mux, o);
    if (o->cors_origin)
        http->mux.app_responder = &hf_http_app_responder;
    return 0;
}

static int http_secure(haft_http *http, haft_reason *reason)
{
    struct secure_source *source = http->shards ? http->shards->secure : NULL;
    int status = http->shards ? 0
                              : hf_secure_source_new(http->server, &http->options,
                                                     &http->certificates, reason);

    source = http->certificates ? http->certificates : source;
    if (status || !source)
        return status;
    http->secure = hf_secure_new(http->allocator, source);
    return http->secure ? 0 : hf_error_set(reason, HAFT_ENOMEM, NULL, "out of memory");
}

/* Creates a server with its options and loop; only the loop's handles need to be closed. */
static haft_http *http_make(haft_server *server, const haft_http_options *options, uv_loop_t *uv,
                            struct shards *shards, unsigned shard)
{
    static const struct loop_events events = {http_on_woken, http_on_tick, hf_turn_next};
    const haft_allocator *allocator = server->allocator;
    haft_http *http = allocator->alloc(allocator->context, sizeof *http);

    if (!http)
        return NULL;
    memset(http, 0, sizeof *http);
    http->server = server;
    http->allocator = allocator;
    http->options = *options;
    http->shards = shards;
    http->shard = shard;
    http->due_heavy_at = &http->due_heavy;
    http->open_handles = 1;
    http_set_defaults(&http->options);
    if (shards)
        http_share(&http->options, shards->n);
    if (hf_loop_init(&http->loop, uv, allocator, http->options.workers, http->options.max_queue,
                     &events, http)) {
        allocator->release(allocator->context, http, sizeof *http);
        return NULL;
    }
    http->used = loop_now(&http->loop);
    return http;
}

haft_http *hf_http_new(haft_server *server, const haft_http_options *options, uv_loop_t *uv,
                       struct shards *shards, unsigned shard, haft_reason *reterr_reason)
{
    /* Starts the process that isolated tools are forked from, before there are threads. */
    int status = hf_isolate_start(server);
    haft_http *http;

    if (status) {
        hf_error_set(reterr_reason, status, NULL, "cannot run isolated tools: %s",
                     haft_strerror(status));
        return NULL;
    }
    http = http_make(server, options, uv, shards, shard);
    if (!http) {
        hf_error_set(reterr_reason, HAFT_ENOMEM, NULL, "out of memory");
        return NULL;
    }
    if (hf_proxies_init(&http->proxies, http->options.trusted_proxies, http->allocator,
                        reterr_reason) ||
        http_secure(http, reterr_reason) || open_front(http, reterr_reason) ||
        hf_http_listen(http, on_connection, reterr_reason)) {
        http->closing = true;
        http_close_listeners(http);
        hf_loop_close(&http->loop, http_on_closed);
        return NULL;
    }
    hf_loop_reserve(uv, http->allocator, http->options.max_connections + OTHER_DESCRIPTORS);
    hf_loop_set_timer(&http->loop, loop_now(&http->loop) + SWEEP_MS);
    if (shards)
        shards->at[shard] = http;
    return http;
}

haft_http *haft_http_new(haft_server *server, const haft_http_options *options, void *loop,
                         haft_reason *reterr_reason)
{
    haft_http_options own;

    if (hf_struct_read(&own, sizeof own, options))
        return hf_http_new(server, &own, loop, NULL, 0, reterr_reason);
    hf_error_set(reterr_reason, HAFT_EINVAL, "haft_http_options", STRUCT_UNSIZED);
    return NULL;
}

int haft_http_reload_tls(haft_http *http, haft_reason *reterr_reason)
{
    if (http->secure)
        return hf_secure_source_reload(http->secure->source, reterr_reason);
    return hf_error_set(reterr_reason, HAFT_EINVAL, "tls_certificates",
                        "the server was started without TLS");
}

const char *haft_http_url(const haft_http *http)
{
    return http->url;
}
