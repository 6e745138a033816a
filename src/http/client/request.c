/* request.c - the life of a request: started, possibly paused, ended exactly once. */
#include <stdio.h>
#include <string.h>

#include "http/client/room.h"

enum { REQUEST_KIB = 1024, REQUEST_MIB = REQUEST_KIB * REQUEST_KIB, REQUEST_MAX_HEADERS = 100 };

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

        if (!hf_http_check_name(name, strlen(name)))
            return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, "headers",
                                         "the name of a header contains invalid characters");
        if (hf_http_check_is_framing(name))
            return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, name,
                                         "haft sets this header itself");
        if (!hf_http_check_value(value, strlen(value)))
            return hf_http_client_refuse(reterr_reason, HAFT_EINVAL, name,
                                         "the value contains a control character");
        total += strlen(name) + strlen(value) + sizeof ": \r\n" - 1;
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
    if (!hf_http_setup_is_main(client, o->url) && !hf_http_check_url(o->url, o->max_url))
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

void hf_http_request_release(http_request *request)
{
    const haft_allocator *allocator = request->client->allocator;

    hf_http_client_keep_handle(request);
    hf_http_setup_release(request);
    curl_free(request->location);
    hf_http_response_clear(request);
    if (request->head)
        allocator->release(allocator->context, request->head, request->head_capacity);
    allocator->release(allocator->context, request, sizeof *request);
}

/* Messages of libcurl may contain text of the server. */
static void request_make_printable(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

/* Versions of libcurl say this in different words. */
static void request_say_missing(http_request *request)
{
    char *reason = request->handle->reason;

    if (request->has_length && request->received <= request->length)
        snprintf(reason, sizeof request->handle->reason, "%llu of %llu bytes are missing",
                 (unsigned long long)(request->length - request->received),
                 (unsigned long long)request->length);
    else
        *reason = '\0';
}

/* The reason of a failed connection: "HOST port PORT: Connection refused". libcurl writes "Failed to connect
 * to HOST port PORT after 0 ms: Couldn't connect to server"; other words of it remain. */
static void request_say_refused(http_request *request)
{
    static const char begin[] = "Failed to connect to ";
    char *reason = request->handle->reason, *end = strstr(reason, " after ");
    size_t size, room = sizeof request->handle->reason;
    long number = 0;

    if (strncmp(reason, begin, sizeof begin - 1) != 0 || !end || !request->easy ||
        curl_easy_getinfo(request->easy, CURLINFO_OS_ERRNO, &number) || !number)
        return;
    size = (size_t)(end - reason) - (sizeof begin - 1);
    memmove(reason, reason + sizeof begin - 1, size);
    snprintf(reason + size, room - size, ": %s", strerror((int)number));
}

/* Gives the handle back, for a request that on_end starts. */
static void request_tell_end(http_request *request, enum http_error error)
{
    char text[CURL_ERROR_SIZE + 128];
    struct http_end end = {.error = error,
                           .status = request->status,
                           .text = hf_http_error_text(error),
                           .maybe_handled = request->was_issued};
    /* For failures that we detected, libcurl reports only that a callback failed. */
    const char *why =
        request->failure || request->not_again ? request->why : request->handle->reason;

    if (error == HTTP_TRUNCATED)
        request_say_missing(request);
    if (error == HTTP_CONNECT_FAILED)
        request_say_refused(request);
    if (error != HTTP_OK && error != HTTP_CANCELLED && why && *why) {
        request_make_printable(request->handle->reason);
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

void hf_http_request_cancel(http_request *request)
{
    http_client *client = request->client;

    if (request->over)
        return;
    hf_http_request_finish(request, HTTP_CANCELLED);
    /* The remaining work is left to the loop. */
    if (!client->depth && client->broken)
        hf_http_client_settle_soon(client);
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

/* Adding is left to the loop, so that no callback precedes the return of the start function. */
static void request_schedule(http_request *request)
{
    http_client *client = request->client;
    enum http_error error;

    request_link(request, &client->requests);
    client->n_requests++;
    client->waiting++;
    client->uv->ref((uv_handle_t *)&client->wait_timer);
    hf_http_client_settle_soon(client);
    hf_http_client_wait_until(client, hf_http_request_deadline(request, &error));
}

http_request *hf_http_request_start(http_client *client, const struct http_request_options *options,
                                    haft_reason *reterr_reason)
{
    const haft_allocator *allocator = client->allocator;
    struct http_request_options o = request_with_defaults(options);
    http_request *request;
    int status;

    if (request_check(client, &o, reterr_reason))
        return NULL;
    request = allocator->alloc(allocator->context, sizeof *request);
    if (!request) {
        hf_http_client_refuse(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    memset(request, 0, sizeof *request);
    request->client = client;
    request->options = o;
    request->keeps_headers = true;
    request->is_post = !strcmp(o.method, "POST");
    hf_http_client_take_handle(request);
    status = request->handle ? hf_http_setup(request, &o) : HAFT_ENOMEM;
    if (status) {
        hf_http_client_refuse(reterr_reason, status, status == HAFT_EINVAL ? "url" : "",
                              status == HAFT_EINVAL
                                  ? "invalid URL, or an invalid option of the HTTP client"
                                  : "out of memory");
        hf_http_request_release(request);
        return NULL;
    }
    client->uv->update_time(client->loop);
    request->since = client->uv->now(client->loop);
    request->until = request_after(request->since, o.total_ms);
    request_schedule(request);
    return request;
}

/* ---- pausing ---- */

void hf_http_request_pause(http_request *request)
{
    http_client *client = request->client;

    if (request->over)
        return;
    request->paused = true;
    request->resumed = false;
    if (request->phase == PHASE_BODY) {
        client->depth++;
        curl_easy_pause(request->easy, CURLPAUSE_RECV);
        client->depth--;
    }
}

void hf_http_request_resume(http_request *request)
{
    http_client *client = request->client;

    if (request->over || !request->paused)
        return;
    request->paused = false;
    if (request->phase != PHASE_BODY)
        return;
    request->resumed = true;
    request->since = client->uv->now(client->loop);
    client->waiting++;
    hf_http_client_settle_soon(client);
}
