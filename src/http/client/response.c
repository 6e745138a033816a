/* response.c - processes the response: headers into fields, the body to the caller.
 *
 * libcurl parses line by line; ambiguous headers that it accepts are rejected here, by the same
 * rules that haft's server applies to requests. */
#include <string.h>
#include <strings.h>

#include "http/client/room.h"

enum { FIRST_HEAD = 1024 };

/* Records the failure. Returns false, which makes libcurl abort. */
static bool response_refuse(http_request *request, enum http_error error)
{
    if (!request->failure)
        request->failure = error;
    return false;
}

/* ---- fields ---- */

bool hf_http_response_keep(http_request *request, const char *text, size_t size)
{
    const haft_allocator *allocator = request->client->allocator;
    size_t needed = request->head_size + size, capacity = request->head_capacity;
    char *head;

    if (needed > capacity) {
        capacity = capacity ? capacity * 2 : FIRST_HEAD;
        capacity = capacity < needed ? needed : capacity;
        head =
            allocator->resize(allocator->context, request->head, request->head_capacity, capacity);
        if (!head)
            return false;
        request->head = head;
        request->head_capacity = capacity;
    }
    memcpy(request->head + request->head_size, text, size);
    request->head_size = needed;
    return true;
}

static void response_forget(http_request *request)
{
    request->head_size = 0;
    request->n_fields = 0;
    request->in_head = request->has_length = request->has_coding = false;
}

void hf_http_response_clear(http_request *request)
{
    response_forget(request);
    request->status = 0;
    request->received = 0;
}

/* Two different lengths, or a length and a transfer coding, make the end of the body ambiguous; a
 * coding other than chunked does not delimit it. */
static bool response_check_framing(http_request *request, const char *name, const char *value)
{
    uint64_t length;

    if (!strcasecmp(name, "Transfer-Encoding")) {
        if (request->has_coding || strcasecmp(value, "chunked") != 0)
            return false;
        request->has_coding = true;
    }
    if (!strcasecmp(name, "Content-Length")) {
        if (!hf_http_check_number(value, &length) ||
            (request->has_length && request->length != length))
            return false;
        request->has_length = true;
        request->length = length;
    }
    return !request->has_length || !request->has_coding;
}

bool hf_http_response_end_field(http_request *request, size_t name_at, size_t value_at)
{
    const char *name = request->head + name_at, *value = request->head + value_at;
    size_t size = request->head_size - value_at;

    while (size && (value[size - 1] == ' ' || value[size - 1] == '\t'))
        size--;
    request->head_size = value_at + size;
    if (!hf_http_check_name(name, value_at - name_at - 1) || !hf_http_check_value(value, size))
        return response_refuse(request, HTTP_BAD_ANSWER);
    if (!hf_http_response_keep(request, "", 1))
        return response_refuse(request, HTTP_NO_MEMORY);
    request->n_fields++;
    if (!response_check_framing(request, request->head + name_at, request->head + value_at))
        return response_refuse(request, HTTP_BAD_ANSWER);
    return true;
}

static bool response_add_line(http_request *request, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size), *value, *end = line + size;
    size_t name_at = request->head_size;

    if (!colon)
        return response_refuse(request, HTTP_BAD_ANSWER);
    for (value = colon + 1; value < end && (*value == ' ' || *value == '\t'); value++)
        ;
    if (!hf_http_response_keep(request, line, (size_t)(colon - line)) ||
        !hf_http_response_keep(request, "", 1) ||
        !hf_http_response_keep(request, value, (size_t)(end - value)))
        return response_refuse(request, HTTP_NO_MEMORY);
    return hf_http_response_end_field(request, name_at, name_at + (size_t)(colon - line) + 1);
}

/* ---- a complete head ---- */

static bool response_make_fields(http_request *request)
{
    const haft_allocator *allocator = request->client->allocator;
    size_t n = request->n_fields;
    const char *at = request->head;

    if (n > request->fields_room) {
        struct http_field *fields =
            allocator->resize(allocator->context, request->fields,
                              request->fields_room * sizeof *fields, n * sizeof *fields);

        if (!fields)
            return false;
        request->fields = fields;
        request->fields_room = n;
    }
    for (size_t i = 0; i < n; i++) {
        request->fields[i].name = at;
        at += strlen(at) + 1;
        request->fields[i].value = at;
        at += strlen(at) + 1;
    }
    return true;
}

static bool response_tell_head(http_request *request)
{
    struct http_head head = {request->status, request->fields, request->n_fields};

    if (request->options.on_head)
        request->options.on_head(request->options.context, &head);
    if (request->over)
        return false;
    if (request->paused)
        hf_http_request_pause(request);
    return true;
}

bool hf_http_response_end_head(http_request *request, long status)
{
    if (status == 101 || status < 100 || status > 999)
        return response_refuse(request, HTTP_BAD_ANSWER);
    if (status < 200) { /* another response follows */
        response_forget(request);
        return true;
    }
    request->status = (int)status;
    if (!response_make_fields(request))
        return response_refuse(request, HTTP_NO_MEMORY);
    hf_http_request_enter(request, PHASE_BODY);
    if (hf_http_redirect_wanted(request))
        return true;
    if (request->failure)
        return response_refuse(request, request->failure);
    if (request->has_length && !request->head_only && request->length > request->options.max_answer)
        return response_refuse(request, HTTP_BODY_TOO_BIG);
    return response_tell_head(request);
}

bool hf_http_response_count(http_request *request, size_t size, size_t lines)
{
    request->head_bytes += size;
    request->head_lines += lines;
    if (request->head_bytes > request->options.max_head ||
        request->head_lines > request->options.max_fields + 2)
        return response_refuse(request, HTTP_HEAD_TOO_BIG);
    return true;
}

bool hf_http_response_take_body(http_request *request, const char *bytes, size_t size)
{
    if (request->over)
        return false;
    request->since = request->client->uv->now(request->client->loop);
    if (size > request->options.max_answer - request->received)
        return response_refuse(request, HTTP_BODY_TOO_BIG);
    request->received += size;
    if (!request->location && request->options.on_body)
        request->options.on_body(request->options.context, bytes, size);
    return !request->over;
}

/* ---- libcurl's callbacks ---- */

static bool response_end_lines(http_request *request)
{
    long status = 0;

    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200)
        hf_http_watch_keep(request->client, request->easy);
    return hf_http_response_end_head(request, status);
}

/* Processes one line of the headers, or of the trailers, which are counted and discarded. */
size_t hf_http_response_on_line(char *line, size_t one, size_t n, void *context)
{
    http_request *request = ((struct http_handle *)context)->request;
    size_t size = one * n, bare = size;

    if (request->over)
        return 0;
    if (!hf_http_response_count(request, size, 1))
        return 0;
    if (request->phase == PHASE_BODY)
        return size;
    while (bare && (line[bare - 1] == '\n' || line[bare - 1] == '\r'))
        bare--;
    if (!bare)
        return response_end_lines(request) ? size : 0;
    if (!request->in_head) {
        request->in_head = true; /* status line */
        return size;
    }
    return response_add_line(request, line, bare) ? size : 0;
}

size_t hf_http_response_on_body(char *bytes, size_t one, size_t n, void *context)
{
    http_request *request = ((struct http_handle *)context)->request;

    return hf_http_response_take_body(request, bytes, one * n) ? one * n : 0;
}
