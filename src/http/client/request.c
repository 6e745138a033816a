/* request.c - the life of a request: started, possibly paused, ended exactly once. */
#include <stdio.h>
#include <string.h>

#include "http/client/room.h"

enum {
    REQUEST_KIB = 1024,
    REQUEST_MIB = REQUEST_KIB * REQUEST_KIB,
    REQUEST_MAX_HEADERS = 100,
    REQUEST_KEPT = 16 * REQUEST_KIB /* of each of its buffers, for the next request */
};

/* ---- options ---- */

static size_t request_size_or(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

static unsigned request_ms_or(unsigned given, unsigned otherwise)
{
    return given ? given : otherwise;
}

static struct http_request_options request_with_defaults(const struct http_request_options *options)
{
    struct http_request_options o = *options;

    o.method = o.method ? o.method : "GET";
    o.url = o.url ? o.url : "";
    o.body_size = strcmp(o.method, "HEAD") ? o.body_size : 0;
    o.max_url = request_size_or(o.max_url, 8 * REQUEST_KIB);
    o.max_send = request_size_or(o.max_send, 64 * REQUEST_KIB);
    o.max_body = request_size_or(o.max_body, 64 * REQUEST_MIB);
    o.max_head = request_size_or(o.max_head, 64 * REQUEST_KIB);
    o.max_fields = request_size_or(o.max_fields, 200);
    o.max_answer = request_size_or(o.max_answer, 16 * REQUEST_MIB);
    o.connect_ms = request_ms_or(o.connect_ms, 10000);
    o.tls_ms = request_ms_or(o.tls_ms, 10000);
    o.answer_ms = request_ms_or(o.answer_ms, 30000);
    o.idle_ms = request_ms_or(o.idle_ms, 30000);
    o.total_ms = request_ms_or(o.total_ms, 300000);
    return o;
}

static int request_check_headers(const struct http_request_options *o, haft_reason *reterr_reason)
{
    size_t total = 0;

    if (o->n_headers > REQUEST_MAX_HEADERS)
        return hf_http_client_refuse(reterr_reason, HAFT_ETOOBIG, "headers",
                                     "a request has at most 100 headers");
    for (size_t i = 0; i < o->n_headers; i++) {
        const char *name = o->headers[i].name, *value = o->headers[i].value;
        size_t name_size = strlen(name), value_size = strlen(value);

        if (!hf_http_check_name(name, name_size))
            return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, "headers",
                                         "the name of a header contains invalid characters");
        if (hf_http_check_is_framing(name))
            return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, name,
                                         "haft sets this header itself");
        if (!hf_http_check_value(value, value_size))
            return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, name,
                                         "the value contains a control character");
        total += name_size + value_size + sizeof ": \r\n" - 1;
    }
    if (total > o->max_send)
        return hf_http_client_refuse(reterr_reason, HAFT_ETOOBIG, "headers",
                                     "the headers exceed the limit");
    return 0;
}

static int request_check(const http_client *client, const struct http_request_options *o,
                         haft_reason *reterr_reason)
{
    enum { SOCKET_PATH = 107 };

    if (client->destroyed)
        return hf_http_client_refuse(reterr_reason, HAFT_ECLOSED, "", "the client is being freed");
    if (client->n_requests >= client->options.max_requests)
        return hf_http_client_refuse(reterr_reason, HAFT_EBUSY, "",
                                     "too many requests are in flight");
    if (!hf_http_check_method(o->method))
        return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, "method", "invalid method");
    if (strnlen(o->url, o->max_url + 1) > o->max_url)
        return hf_http_client_refuse(reterr_reason, HAFT_ETOOBIG, "url", "the URL is too long");
    if (!hf_http_place_known(client, o) && !hf_http_setup_is_main(client, o->url) &&
        !hf_http_check_url(o->url, o->max_url))
        return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, "url",
                                     "invalid URL: it must begin with http:// or https:// and be "
                                     "printable ASCII");
    if (o->unix_socket && (!*o->unix_socket || strlen(o->unix_socket) > SOCKET_PATH))
        return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, "unix_socket",
                                     "the path of a Unix socket must have 1 to 107 bytes");
    if (o->body_size > o->max_body)
        return hf_http_client_refuse(reterr_reason, HAFT_ETOOBIG, "body",
                                     "the body exceeds the limit");
    return request_check_headers(o, reterr_reason);
}

/* ---- timeouts ---- */

static uint64_t request_after(uint64_t since, unsigned ms)
{
    return ms == UINT32_MAX ? UINT64_MAX : since + ms;
}

uint64_t hf_http_request_deadline(const http_request *request, enum http_error *ret_error)
{
    const struct http_request_options *o = &request->options;
    const struct {
        unsigned ms;
        enum http_error error;
    } waits[] = {
        [PHASE_CONNECT] = {o->connect_ms, HTTP_CONNECT_TIMEOUT},
        [PHASE_TLS] = {o->tls_ms, HTTP_TLS_TIMEOUT},
        [PHASE_SEND] = {o->idle_ms, HTTP_IDLE_TIMEOUT},
        [PHASE_ANSWER] = {o->answer_ms, HTTP_ANSWER_TIMEOUT},
        [PHASE_BODY] = {o->idle_ms, HTTP_IDLE_TIMEOUT},
        [PHASE_STREAM] = {UINT32_MAX, HTTP_IDLE_TIMEOUT},
    };
    uint64_t due = request->paused && request->phase == PHASE_BODY
                       ? UINT64_MAX
                       : request_after(request->since, waits[request->phase].ms);

    *ret_error = waits[request->phase].error;
    if (request->until <= due) {
        *ret_error = HTTP_TOTAL_TIMEOUT;
        due = request->until;
    }
    return due;
}

void hf_http_request_enter(http_request *request, enum http_phase phase)
{
    http_client *client = request->client;
    enum http_error error;

    request->phase = phase;
    request->since = client->uv->now(client->loop);
    hf_http_client_wait_until(client, hf_http_request_deadline(request, &error));
}

/* ---- lists ---- */

static void request_link(http_request *request, http_request **list)
{
    request->at = list;
    request->next = *list;
    if (request->next)
        request->next->at = &request->next;
    *list = request;
}

static void request_unlink(http_request *request)
{
    *request->at = request->next;
    if (request->next)
        request->next->at = request->at;
}

/* ---- the end ---- */

void hf_http_request_remove(http_request *request)
{
    http_client *client = request->client;

    if (request->added && client->multi) {
        client->depth++;
        curl_multi_remove_handle(client->multi, request->easy);
        client->depth--;
    }
    request->added = false;
}

static void request_free(http_request *request)
{
    const haft_allocator *allocator = request->client->allocator;

    if (request->exchange.head)
        allocator->release(allocator->context, request->exchange.head, request->exchange.head_room);
    if (request->head)
        allocator->release(allocator->context, request->head, request->head_capacity);
    if (request->fields)
        allocator->release(allocator->context, request->fields,
                           request->fields_room * sizeof *request->fields);
    allocator->release(allocator->context, request, sizeof *request);
}

static bool request_is_large(const http_request *request)
{
    return request->exchange.head_room > REQUEST_KEPT || request->head_capacity > REQUEST_KEPT ||
           request->fields_room * sizeof *request->fields > REQUEST_KEPT;
}

void hf_http_request_release(http_request *request)
{
    http_client *client = request->client;

    hf_http_client_keep_handle(request);
    hf_http_setup_release(request);
    hf_http_direct_release(request);
    curl_free(request->location);
    if (client->destroyed || client->pool.n_spare_requests == HTTP_SPARE ||
        request_is_large(request))
        request_free(request);
    else
        client->pool.spare_requests[client->pool.n_spare_requests++] = request;
}

void hf_http_request_release_spare(http_client *client)
{
    while (client->pool.n_spare_requests)
        request_free(client->pool.spare_requests[--client->pool.n_spare_requests]);
}

/* Messages of libcurl may contain text of the server. */
static void request_make_printable(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

/* Versions of libcurl say this in different words. */
static void request_say_missing(const http_request *request, char reason[CURL_ERROR_SIZE])
{
    if (request->has_length && request->received <= request->length)
        snprintf(reason, CURL_ERROR_SIZE, "%llu of %llu bytes are missing",
                 (unsigned long long)(request->length - request->received),
                 (unsigned long long)request->length);
    else
        *reason = '\0';
}

/* The reason of a failed connection: "HOST port PORT: Connection refused". libcurl writes "Failed to connect
 * to HOST port PORT after 0 ms: Couldn't connect to server"; other words of it remain. */
static void request_say_refused(const http_request *request, char reason[CURL_ERROR_SIZE])
{
    static const char begin[] = "Failed to connect to ";
    char *end = strstr(reason, " after ");
    size_t size;
    long number = 0;

    if (strncmp(reason, begin, sizeof begin - 1) != 0 || !end || !request->easy ||
        curl_easy_getinfo(request->easy, CURLINFO_OS_ERRNO, &number) || !number)
        return;
    size = (size_t)(end - reason) - (sizeof begin - 1);
    memmove(reason, reason + sizeof begin - 1, size);
    snprintf(reason + size, CURL_ERROR_SIZE - size, ": %s", strerror((int)number));
}

/* Gives the handle back, for a request that on_end starts. */
static void request_tell_end(http_request *request, enum http_error error)
{
    char text[CURL_ERROR_SIZE + 128], none[CURL_ERROR_SIZE];
    char *reason = request->handle ? request->handle->reason : none;
    struct http_end end = {.error = error,
                           .status = request->status,
                           .text = hf_http_error_text(error),
                           .maybe_handled = request->was_issued};
    /* For failures that we detected, libcurl reports only that a callback failed. */
    const char *why = request->failure || request->not_again ? request->why : reason;

    *none = '\0';
    if (error == HTTP_TRUNCATED)
        request_say_missing(request, reason);
    if (error == HTTP_CONNECT_FAILED)
        request_say_refused(request, reason);
    if (error != HTTP_OK && error != HTTP_CANCELLED && why && *why) {
        request_make_printable(reason);
        snprintf(text, sizeof text, "%s: %s", end.text, why);
        end.text = text;
    }
    if (!request->client->depth)
        hf_http_client_keep_handle(request);
    if (request->options.on_end)
        request->options.on_end(request->options.context, &end);
}

void hf_http_request_finish(http_request *request, enum http_error error)
{
    http_client *client = request->client;
    bool inside = client->depth > 0;

    if (request->over)
        return;
    request->over = true;
    if (request->stream)
        hf_http_stream_stop(request->stream);
    if (request->direct)
        hf_http_direct_stop(request);
    else
        client->pool.serve = client->pool.first_waiting; /* libcurl needs a connection less */
    request_unlink(request);
    if (!--client->n_requests)
        client->idle_since = client->uv->now(client->loop);
    if (inside)
        request_link(request, &client->over);
    else
        hf_http_request_remove(request);
    request_tell_end(request, error);
    if (!inside)
        hf_http_request_release(request);
}

/* Others may have what this request did not take, or no longer has. */
static void request_leave_to_loop(http_client *client)
{
    if (!client->depth && (client->broken || client->pool.serve || client->pool.share))
        hf_http_client_settle_soon(client);
}

void hf_http_request_cancel(http_request *request)
{
    http_client *client = request->client;

    if (request->over)
        return;
    hf_http_request_finish(request, HTTP_CANCELLED);
    request_leave_to_loop(client);
}

/* ---- the beginning ---- */

bool hf_http_request_add(http_request *request)
{
    http_client *client = request->client;
    CURLM *multi = hf_http_client_multi(client);
    CURLMcode code;

    if (!multi) {
        hf_http_request_finish(request, HTTP_NO_MEMORY);
        return false;
    }
    hf_http_pool_share(client);
    request->handle->connects = false;
    client->depth++;
    code = curl_multi_add_handle(multi, request->easy);
    client->depth--;
    if (code) {
        client->broken = code != CURLM_OUT_OF_MEMORY;
        hf_http_request_finish(request, HTTP_NO_MEMORY);
        return false;
    }
    request->added = true;
    return true;
}

/* Adding to libcurl is left to the loop, so that no callback precedes the return of the start function. */
static void request_go(http_request *request)
{
    http_client *client = request->client;
    enum http_error error;

    client->uv->update_time(client->loop);
    request->since = client->uv->now(client->loop);
    request->until = request_after(request->since, request->options.total_ms);
    request_link(request, &client->requests);
    client->n_requests++;
    client->pool.n_direct += request->direct;
    client->uv->ref((uv_handle_t *)&client->wait_timer);
    hf_http_client_wait_until(client, hf_http_request_deadline(request, &error));
    if (!request->direct) {
        hf_http_client_do_soon(request);
        return;
    }
    hf_http_direct_start(request);
    request_leave_to_loop(client);
}

/* What a request leaves to a later one. */
struct request_memory {
    char *head;
    struct http_field *fields;
    char *sent;
    size_t head_capacity, fields_room, sent_room;
};

static struct request_memory request_memory_of(const http_request *request)
{
    return (struct request_memory){.head = request->head,
                                   .fields = request->fields,
                                   .sent = request->exchange.head,
                                   .head_capacity = request->head_capacity,
                                   .fields_room = request->fields_room,
                                   .sent_room = request->exchange.head_room};
}

/* A request with the memory of an earlier one, if there is one; NULL without memory. */
static http_request *request_new(http_client *client, const struct http_request_options *options)
{
    const haft_allocator *allocator = client->allocator;
    struct request_memory memory = {.head = NULL};
    http_request *request;

    if (client->pool.n_spare_requests) {
        request = client->pool.spare_requests[--client->pool.n_spare_requests];
        memory = request_memory_of(request);
    } else {
        request = allocator->alloc(allocator->context, sizeof *request);
        if (!request)
            return NULL;
    }
    memset(request, 0, sizeof *request);
    request->client = client;
    request->options = *options;
    request->keeps_headers = true;
    request->is_post = !strcmp(options->method, "POST");
    request->head = memory.head;
    request->head_capacity = memory.head_capacity;
    request->fields = memory.fields;
    request->fields_room = memory.fields_room;
    request->exchange.head = memory.sent;
    request->exchange.head_room = memory.sent_room;
    return request;
}

static int request_prepare(http_request *request, const struct http_request_options *options,
                           bool direct)
{
    int status;

    if (direct) {
        request->head_only = !strcmp(options->method, "HEAD");
        status = hf_http_place_enter(request, options);
        request->direct = !status;
        if (status != HAFT_EINVAL)
            return status;
    }
    hf_http_client_take_handle(request);
    return request->handle ? hf_http_setup(request, options) : HAFT_ENOMEM;
}

static http_request *request_start(http_client *client, const struct http_request_options *options,
                                   bool may_be_direct, haft_reason *reterr_reason)
{
    struct http_request_options o = request_with_defaults(options);
    http_request *request;
    int status;

    if (request_check(client, &o, reterr_reason))
        return NULL;
    request = request_new(client, &o);
    status = request
                 ? request_prepare(request, &o, may_be_direct && hf_http_direct_suits(client, &o))
                 : HAFT_ENOMEM;
    if (status) {
        hf_http_client_refuse(reterr_reason, status, status == HAFT_EINVAL ? "url" : "",
                              status == HAFT_EINVAL
                                  ? "invalid URL, or an invalid option of the HTTP client"
                                  : "out of memory");
        if (request)
            hf_http_request_release(request);
        return NULL;
    }
    request_go(request);
    return request;
}

http_request *hf_http_request_start(http_client *client, const struct http_request_options *options,
                                    haft_reason *reterr_reason)
{
    return request_start(client, options, true, reterr_reason);
}

http_request *hf_http_request_start_libcurl(http_client *client,
                                            const struct http_request_options *options,
                                            haft_reason *reterr_reason)
{
    return request_start(client, options, false, reterr_reason);
}

/* ---- pausing ---- */

void hf_http_request_pause(http_request *request)
{
    http_client *client = request->client;

    if (request->over)
        return;
    request->paused = true;
    if (request->direct) {
        hf_http_direct_watch(request);
    } else if (request->phase == PHASE_BODY) {
        client->depth++;
        curl_easy_pause(request->easy, CURLPAUSE_RECV);
        client->depth--;
    }
}

void hf_http_request_resume(http_request *request)
{
    if (request->over || !request->paused)
        return;
    request->paused = false;
    if (request->phase != PHASE_BODY)
        return;
    hf_http_request_enter(request, PHASE_BODY); /* its time begins again */
    hf_http_client_do_soon(request);
}
