/* client.c - the life of a client: its parts, its timers, its end.
 *
 * All timeouts of all requests share one timer, which is set for the earliest and re-evaluated when
 * it fires: arriving data only records the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/client/room.h"

enum {
    DEFAULT_REQUESTS = 256,
    DEFAULT_CLIENT_CONNECTIONS = 64,
    DEFAULT_PER_HOST = 8,
    DEFAULT_IDLE_MS = 60000,
    OLDEST_LIBCURL = 0x075700, /* 7.87.0: CURLOPT_QUICK_EXIT, and TLS without SIGPIPE */
    SAFE_LIBCURL = 0x080100,   /* 8.1.0: see hf_http_client_renew_handle */
    MAX_TEXTS = 64 << 10
};

int hf_http_client_refuse(haft_reason *reterr_reason, int code, const char *path, const char *text)
{
    if (reterr_reason) {
        *reterr_reason = (haft_reason){.code = code};
        snprintf(reterr_reason->path, sizeof reterr_reason->path, "%s", path ? path : "");
        snprintf(reterr_reason->text, sizeof reterr_reason->text, "%s", text);
    }
    return code;
}

/* ---- libcurl's side ---- */

CURLM *hf_http_client_multi(http_client *client)
{
    const struct http_client_options *options = &client->options;
    CURLM *multi = client->multi;

    if (multi)
        return multi;
    multi = curl_multi_init();
    if (!multi)
        return NULL;
    if (curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, hf_http_watch_socket) ||
        curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, client) ||
        curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, hf_http_watch_time) ||
        curl_multi_setopt(multi, CURLMOPT_TIMERDATA, client) ||
        curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING) ||
        curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)options->max_connections) ||
        curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)options->max_connections) ||
        curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)options->max_per_host)) {
        curl_multi_cleanup(multi);
        return NULL;
    }
    client->multi = multi;
    client->pool.limit_of_libcurl = options->max_connections;
    return multi;
}

static void client_free_handle(http_client *client, struct http_handle *handle)
{
    curl_easy_cleanup(handle->easy);
    client->allocator->release(client->allocator->context, handle, sizeof *handle);
}

static struct http_handle *client_new_handle(const http_client *client)
{
    const haft_allocator *allocator = client->allocator;
    struct http_handle *handle = allocator->alloc(allocator->context, sizeof *handle);

    if (!handle)
        return NULL;
    *handle = (struct http_handle){.easy = curl_easy_init()};
    if (handle->easy)
        return handle;
    allocator->release(allocator->context, handle, sizeof *handle);
    return NULL;
}

void hf_http_client_take_handle(http_request *request)
{
    http_client *client = request->client;
    struct http_handle *handle =
        client->n_spare ? client->spare[--client->n_spare] : client_new_handle(client);

    if (!handle)
        return;
    handle->request = request;
    *handle->reason = '\0';
    request->handle = handle;
    request->easy = handle->easy;
}

/* Before 8.1.0 a handle remembers the last header of an earlier response, which libcurl has freed, and extends it if the
 * first header of a response begins with a blank. So there a handle is used for one response. */
static bool client_uses_handles_again(const http_client *client)
{
    return client->libcurl.version >= SAFE_LIBCURL;
}

bool hf_http_client_renew_handle(http_request *request)
{
    CURL *copy;

    if (client_uses_handles_again(request->client))
        return true;
    copy = curl_easy_duphandle(request->easy);
    if (!copy)
        return false;
    curl_easy_cleanup(request->easy);
    request->easy = request->handle->easy = copy;
    return true;
}

/* The handle of a stream, or of a direct request, is done with: libcurl knows it as one that only connects. */
void hf_http_client_keep_handle(http_request *request)
{
    http_client *client = request->client;
    struct http_handle *handle = request->handle;

    if (!handle)
        return;
    request->handle = NULL;
    request->easy = NULL;
    if (request->stream || request->direct || client->destroyed || client->n_spare == HTTP_SPARE ||
        !client_uses_handles_again(client)) {
        client_free_handle(client, handle);
        return;
    }
    handle->prepared = handle->prepared && hf_http_setup_forget(handle->easy);
    if (!handle->prepared)
        curl_easy_reset(handle->easy);
    handle->request = NULL;
    client->spare[client->n_spare++] = handle;
}

/* Closes every connection. There must be no requests. */
static void client_drop_multi(http_client *client)
{
    while (client->n_spare)
        client_free_handle(client, client->spare[--client->n_spare]);
    if (client->multi) {
        client->depth++;
        curl_multi_cleanup(client->multi);
        client->depth--;
    }
    client->multi = NULL;
    hf_http_watch_close_all(client);
}

/* ---- timeouts ---- */

static void client_on_wait(uv_timer_t *timer);

void hf_http_client_wait_until(http_client *client, uint64_t ms)
{
    uint64_t now = client->uv->now(client->loop);

    if (client->destroyed || ms >= client->wait_at)
        return;
    client->wait_at = ms;
    client->uv->timer_start(&client->wait_timer, client_on_wait, ms > now ? ms - now : 0, 0);
}

static void client_on_soon(uv_idle_t *idle)
{
    http_client *client = idle->data;

    client->uv->idle_stop(idle);
    if (client->libcurl.due)
        hf_http_watch_due(client);
    hf_http_client_settle(client);
}

void hf_http_client_settle_soon(http_client *client)
{
    if (!client->destroyed)
        client->uv->idle_start(&client->soon, client_on_soon);
}

void hf_http_client_do_soon(http_request *request)
{
    request->due = true;
    request->client->waiting++;
    hf_http_client_settle_soon(request->client);
}

/* Sets the timer for the earliest timeout; idle connections do not keep the loop alive. */
static void client_wait_again(http_client *client)
{
    uint64_t first = hf_http_pool_due(client), due;
    enum http_error error;

    for (http_request *request = client->requests; request; request = request->next) {
        due = hf_http_request_deadline(request, &error);
        first = due < first ? due : first;
    }
    due = client->idle_since + client->options.idle_ms;
    if (!client->requests && client->multi && due < first)
        first = due;
    if (client->requests)
        client->uv->ref((uv_handle_t *)&client->wait_timer);
    else
        client->uv->unref((uv_handle_t *)&client->wait_timer);
    hf_http_client_wait_until(client, first);
}

static http_request *client_find_late(const http_client *client, uint64_t now,
                                      enum http_error *ret_error)
{
    for (http_request *request = client->requests; request; request = request->next)
        if (hf_http_request_deadline(request, ret_error) <= now)
            return request;
    return NULL;
}

static void client_on_wait(uv_timer_t *timer)
{
    http_client *client = timer->data;
    uint64_t now = client->uv->now(client->loop);
    enum http_error error;
    http_request *late;

    client->wait_at = UINT64_MAX;
    hf_http_client_settle(client);
    while (!client->destroyed && (late = client_find_late(client, now, &error)))
        hf_http_request_finish(late, error);
    if (client->destroyed)
        return;
    hf_http_pool_expire(client, now);
    hf_http_client_settle(client);
    if (client->destroyed)
        return;
    if (!client->requests && client->multi && now - client->idle_since >= client->options.idle_ms)
        client_drop_multi(client);
    client_wait_again(client);
}

/* ---- deferred work ---- */

static http_request *client_find_waiting(const http_client *client)
{
    for (http_request *request = client->requests; request; request = request->next)
        if (request->due && request->pass != client->pass)
            return request;
    return NULL;
}

static void client_unpause(http_request *request)
{
    http_client *client = request->client;
    CURLcode code;

    if (request->paused) /* again */
        return;
    request->since = client->uv->now(client->loop);
    client->depth++;
    code = curl_easy_pause(request->easy, CURLPAUSE_CONT);
    client->depth--;
    if (code && !request->over)
        hf_http_request_finish(request, hf_http_error_of(request, code));
}

/* Does what callbacks requested while libcurl was on the stack, but only what is pending now: a
 * caller that starts a request again whenever it fails must not block the loop. libcurl sends what was
 * added at once, while it is in the processor's cache, and not in another turn of the loop. */
static bool client_do_waiting(http_client *client)
{
    unsigned left = client->waiting;
    http_request *request;
    bool adds = false;

    client->waiting = 0;
    client->pass++;
    while (left-- && !client->destroyed && !client->broken &&
           (request = client_find_waiting(client))) {
        request->pass = client->pass;
        request->due = false;
        if (request->direct && !request->exchange.opening)
            hf_http_direct_continue(request);
        else if (!request->added)
            adds = hf_http_request_add(request) || adds;
        else if (request->stream)
            hf_http_stream_continue(request->stream);
        else
            client_unpause(request);
    }
    if (adds)
        hf_http_watch_due(client);
    return true;
}

/* Returns a request in flight, but not one started meanwhile. */
static http_request *client_find_added(const http_client *client)
{
    for (http_request *request = client->requests; request; request = request->next)
        if (request->added)
            return request;
    return NULL;
}

/* libcurl has failed: all requests end, and the next one starts with a new handle. */
static void client_restart(http_client *client)
{
    http_request *request;

    client->broken = false;
    hf_http_watch_close_all(
        client); /* while their sockets are open: libcurl does not report them any more */
    while (!client->destroyed && (request = client_find_added(client)))
        hf_http_request_finish(request, HTTP_NO_MEMORY);
    if (client->destroyed)
        return;
    client_drop_multi(client);
    client->waiting = client->n_requests; /* those that were not added */
    if (client->waiting)
        hf_http_client_settle_soon(client);
}

static bool client_reap(http_client *client)
{
    struct http_handle *handle = NULL;
    http_request *request;
    CURLMsg *message;
    CURLcode code;
    int left;

    message = client->multi ? curl_multi_info_read(client->multi, &left) : NULL;
    if (!message)
        return false;
    if (message->msg != CURLMSG_DONE ||
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &handle) || !handle)
        return true;
    request = handle->request;
    code = message->data.result;
    /* libcurl's handle remembers failures and repetitions. */
    handle->prepared = !code && !request->failure && !request->redirects && !request->repeated &&
                       !request->head_only;
    if (!code && !request->failure && request->stream)
        hf_http_stream_connected(request->stream);
    else if (!code && !request->failure && request->direct)
        hf_http_direct_connected(request);
    else if (!code && !request->failure && request->location)
        hf_http_redirect_follow(request);
    else
        hf_http_request_finish(request, hf_http_error_of(request, code));
    return true;
}

static void client_close(http_client *client);

static void client_release_over(http_client *client)
{
    http_request *request;

    while ((request = client->over)) {
        client->over = request->next;
        hf_http_request_remove(request);
        hf_http_request_release(request);
    }
}

void hf_http_client_settle(http_client *client)
{
    bool more = true, waited = false;

    if (client->depth)
        return;
    while (more && !client->destroyed) {
        client_release_over(client);
        if (client->broken)
            client_restart(client);
        else if (client->libcurl.nudge)
            hf_http_watch_nudge(client);
        else if (client->pool.share)
            hf_http_pool_share(client);
        else if (client->pool.retry)
            hf_http_pool_retry(client);
        else if (client->pool.serve)
            hf_http_pool_serve(client);
        else if (client->waiting && !waited)
            waited = client_do_waiting(client);
        else
            more = client_reap(client);
    }
    client_release_over(client);
    if (client->destroyed) {
        client_close(client);
        return;
    }
    if (!client->requests)
        client_wait_again(client);
    if (!client->waiting && !client->libcurl.due && !client->broken)
        client->uv->idle_stop(&client->soon); /* or the loop would only look for events */
}

/* ---- options ---- */

static size_t client_text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static void client_copy_text(const char **text, char **at)
{
    size_t size = client_text_size(*text);

    if (!size)
        return;
    memcpy(*at, *text, size);
    *text = *at;
    *at += size;
}

static int client_copy_texts(http_client *client)
{
    struct http_client_options *o = &client->options;
    const char **texts[] = {&o->ca_file,      &o->ca_dir, &o->certificate, &o->key,
                            &o->key_password, &o->proxy,  &o->user_agent};
    size_t size = 1;
    char *at;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        size += client_text_size(*texts[i]);
    if (size > MAX_TEXTS)
        return HAFT_ETOOBIG;
    at = client->allocator->alloc(client->allocator->context, size);
    if (!at)
        return HAFT_ENOMEM;
    client->texts = at;
    client->texts_size = size;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        client_copy_text(texts[i], &at);
    return 0;
}

static unsigned client_or(unsigned given, unsigned otherwise)
{
    return given ? given : otherwise;
}

static void client_set_defaults(struct http_client_options *o)
{
    o->max_requests = client_or(o->max_requests, DEFAULT_REQUESTS);
    o->max_connections = client_or(o->max_connections, DEFAULT_CLIENT_CONNECTIONS);
    o->max_per_host = client_or(o->max_per_host, DEFAULT_PER_HOST);
    o->idle_ms = client_or(o->idle_ms, DEFAULT_IDLE_MS);
    o->user_agent = o->user_agent ? o->user_agent : "haft/" HAFT_VERSION;
}

/* ---- life ---- */

static const char *client_check_libcurl(void)
{
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);

    if (info->version_num < OLDEST_LIBCURL)
        return "libcurl is older than 7.87.0";
    if (!(info->features & CURL_VERSION_ASYNCHDNS))
        return "libcurl was built without asynchronous name resolution";
    if (!(info->features & CURL_VERSION_THREADSAFE))
        return "libcurl was built without thread-safe initialization";
    return NULL;
}

/* Whether a variable is set that libcurl may read for plain HTTP. */
static bool client_finds_proxy(void)
{
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return true;
    return false;
}

http_client *hf_http_client_create(uv_loop_t *loop, const struct http_client_options *options,
                                   haft_reason *reterr_reason)
{
    const haft_allocator *allocator = options->allocator;
    const char *lacks = client_check_libcurl();
    http_client *client;
    int status;

    if (lacks) {
        hf_http_client_refuse(reterr_reason, HAFT_EINVAL, "libcurl", lacks);
        return NULL;
    }
    client = allocator->alloc(allocator->context, sizeof *client);
    if (!client)
        goto no_memory;
    memset(client, 0, sizeof *client);
    client->allocator = allocator;
    client->uv = options->uv;
    client->loop = loop;
    client->libcurl.version = curl_version_info(CURLVERSION_NOW)->version_num;
    client->options = *options;
    client->wait_at = UINT64_MAX;
    client_set_defaults(&client->options);
    client->pool.proxy_in_environment = options->proxy_from_environment && client_finds_proxy();
    status = client_copy_texts(client);
    if (status) {
        allocator->release(allocator->context, client, sizeof *client);
        hf_http_client_refuse(reterr_reason, status, "",
                              status == HAFT_ENOMEM ? "out of memory"
                                                    : "the strings in the options are too long");
        return NULL;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        goto no_curl;
    client->uv->timer_init(loop, &client->curl_timer);
    client->uv->timer_init(loop, &client->wait_timer);
    client->uv->idle_init(loop, &client->soon);
    client->curl_timer.data = client->wait_timer.data = client->soon.data = client;
    client->handles = 3;
    return client;

no_curl:
    allocator->release(allocator->context, client->texts, client->texts_size);
    allocator->release(allocator->context, client, sizeof *client);
no_memory:
    hf_http_client_refuse(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    return NULL;
}

void hf_http_client_handle_closed(http_client *client)
{
    const haft_allocator *allocator = client->allocator;

    if (--client->handles)
        return;
    explicit_bzero(client->texts, client->texts_size);
    allocator->release(allocator->context, client->texts, client->texts_size);
    allocator->release(allocator->context, client, sizeof *client);
}

static void client_on_closed(uv_handle_t *handle)
{
    hf_http_client_handle_closed(handle->data);
}

static void client_close(http_client *client)
{
    if (client->closed)
        return;
    client->closed = true;
    hf_http_pool_expire(client, UINT64_MAX);
    hf_http_request_release_spare(client);
    client_drop_multi(client);
    curl_url_cleanup(client->main_url);
    curl_global_cleanup();
    client->uv->close((uv_handle_t *)&client->curl_timer, client_on_closed);
    client->uv->close((uv_handle_t *)&client->wait_timer, client_on_closed);
    client->uv->close((uv_handle_t *)&client->soon, client_on_closed);
}

void hf_http_client_destroy(http_client *client)
{
    if (!client || client->destroyed)
        return;
    client->destroyed = true;
    while (client->requests)
        hf_http_request_finish(client->requests, HTTP_CANCELLED);
    hf_http_client_settle(client);
}
