/* http_request.c - what a request to a target consists of: its URL and its headers. */
#include <strings.h>

#include "base/percent.h"
#include "protocol/header.h"
#include "upstream/http.h"

enum { REQUEST_URL = 64 << 10, REQUEST_COOKIES = 16 << 10 };

/* ---- rules ---- */

/* Headers of a client's request that are never passed on: they are for this gateway. */
static const char *const request_private[] = {
    "Authorization", "Proxy-Authorization", "Cookie",    "Cookie2",         "X-API-Key",
    "DPoP",          "Mcp-Session-Id",      "Forwarded", "X-Forwarded-For", "X-Real-IP",
};

/* Headers that the HTTP client writes itself. */
static const char *const request_framing[] = {
    "Connection",     "Content-Length",    "Expect",           "Host",
    "HTTP2-Settings", "Keep-Alive",        "Proxy-Connection", "TE",
    "Trailer",        "Transfer-Encoding", "Upgrade",
};

static bool request_is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

#define REQUEST_IS(name, names) request_is_among(name, names, sizeof names / sizeof *names)

int hf_http_headers_check(const http_headers_entry *headers, haft_reason *reterr_reason)
{
    for (size_t i = 0; headers->has_set && i < headers->n_set; i++) {
        const char *name = headers->set_keys[i], *value = headers->set[i];

        if (!hf_header_name_is_valid(name) || REQUEST_IS(name, request_framing) ||
            !hf_header_value_is_valid(value, strlen(value)))
            return hf_error_set(reterr_reason, HAFT_EINVAL, "headers.set",
                                "%.100s: not a header that can be set", name);
    }
    for (size_t i = 0; headers->has_forward && i < headers->n_forward; i++) {
        if (!hf_header_name_is_valid(headers->forward[i]))
            return hf_error_set(reterr_reason, HAFT_EINVAL, "headers.forward",
                                "%.100s: not the name of a header", headers->forward[i]);
        if (REQUEST_IS(headers->forward[i], request_private) ||
            REQUEST_IS(headers->forward[i], request_framing))
            return hf_error_set(reterr_reason, HAFT_EINVAL, "headers.forward",
                                "%.100s is never passed on; use auth for credentials",
                                headers->forward[i]);
    }
    return 0;
}

int hf_http_headers_forward(const struct upstream *upstream, const haft_header *headers, size_t n,
                            haft_arena *arena, haft_header *list)
{
    const http_headers_entry *rules = &http_upstream_of(upstream)->options->headers;
    int count = 0;

    for (size_t i = 0; rules->has_forward && i < n; i++) {
        haft_header *copy;

        if (!request_is_among(headers[i].name, rules->forward, rules->n_forward) ||
            REQUEST_IS(headers[i].name, request_private) ||
            REQUEST_IS(headers[i].name, request_framing))
            continue;
        count++;
        if (!list)
            continue;
        copy = &list[count - 1];
        copy->name = haft_arena_copy(arena, headers[i].name, strlen(headers[i].name));
        copy->value = haft_arena_copy(arena, headers[i].value, strlen(headers[i].value));
        if (!copy->name || !copy->value)
            return HAFT_ENOMEM;
    }
    return count;
}

/* ---- headers ---- */

/* Adds a field, or replaces those of its name. */
static void request_put(struct http_outgoing *outgoing, const char *name, const char *value)
{
    size_t n = 0;

    for (size_t i = 0; i < outgoing->n_fields; i++)
        if (strcasecmp(outgoing->fields[i].name, name) != 0)
            outgoing->fields[n++] = outgoing->fields[i];
    outgoing->fields[n++] = (struct http_field){name, value};
    outgoing->n_fields = n;
}

static void request_put_message(const struct http_sending *sending, struct http_outgoing *outgoing,
                                haft_buffer *cookies)
{
    const struct http_message *message = &sending->message;
    const http_headers_entry *rules = &http_upstream_of(sending->upstream)->options->headers;

    for (size_t i = 0; i < message->n_headers; i++) {
        const haft_header *header = &message->headers[i];

        if (rules->has_remove && request_is_among(header->name, rules->remove, rules->n_remove))
            continue;
        if (!strcasecmp(header->name, "Cookie"))
            haft_buffer_printf(cookies, "%s%s", cookies->size ? "; " : "", header->value);
        else if (!REQUEST_IS(header->name, request_framing))
            outgoing->fields[outgoing->n_fields++] =
                (struct http_field){header->name, header->value};
    }
    for (size_t i = 0; rules->has_set && i < rules->n_set; i++)
        request_put(outgoing, rules->set_keys[i], rules->set[i]);
    if (message->traceparent)
        request_put(outgoing, "traceparent", message->traceparent);
    if (message->traceparent && message->tracestate && *message->tracestate)
        request_put(outgoing, "tracestate", message->tracestate);
}

static void request_put_credential(const struct http_credential *credential,
                                   struct http_outgoing *outgoing, haft_buffer *url,
                                   haft_buffer *cookies)
{
    switch (credential->kind) {
    case HTTP_CREDENTIAL_HEADER:
        request_put(outgoing, credential->name, credential->value);
        break;
    case HTTP_CREDENTIAL_QUERY:
        haft_buffer_add(url, memchr(url->data, '?', url->size) ? "&" : "?", 1);
        hf_percent_encode(url, credential->name, strlen(credential->name));
        haft_buffer_add(url, "=", 1);
        hf_percent_encode(url, credential->value, strlen(credential->value));
        break;
    case HTTP_CREDENTIAL_COOKIE:
        haft_buffer_printf(cookies, "%s%s=%s", cookies->size ? "; " : "", credential->name,
                           credential->value);
        break;
    case HTTP_CREDENTIAL_OAUTH:
        if (credential->token->header)
            request_put(outgoing, "Authorization", credential->token->header);
        else
            url->status = HAFT_EDENIED;
        break;
    }
}

/* ---- the whole ---- */

static size_t request_most_fields(const struct http_sending *sending)
{
    const struct http_upstream *http = http_upstream_of(sending->upstream);

    return sending->message.n_headers + sending->message.n_credentials + http->n_credentials +
           http->options->headers.n_set + 3; /* Cookie, and those of the trace */
}

static void request_put_all(const struct http_sending *sending, struct http_outgoing *outgoing,
                            haft_buffer *url, haft_buffer *cookies)
{
    const struct http_upstream *http = http_upstream_of(sending->upstream);

    haft_buffer_puts(url, sending->elsewhere ? sending->elsewhere : sending->target->url);
    if (!sending->elsewhere)
        haft_buffer_puts(url, sending->message.target);
    /* A host that the configuration does not name gets nothing of the caller's. */
    if (sending->elsewhere_guarded || url->status)
        return;
    request_put_message(sending, outgoing, cookies);
    for (size_t i = 0; i < http->n_credentials && !url->status; i++)
        request_put_credential(http->credentials[i], outgoing, url, cookies);
    for (size_t i = 0; i < sending->message.n_credentials && !url->status; i++)
        request_put_credential(sending->message.credentials[i], outgoing, url, cookies);
}

int hf_http_outgoing_make(const struct http_sending *sending, struct http_outgoing *ret_outgoing)
{
    const haft_allocator *allocator = sending->upstream->set->allocator;
    const char *line;
    haft_buffer url, cookies;
    int status;

    *ret_outgoing = (struct http_outgoing){
        .fields = haft_arena_alloc(sending->arena,
                                   request_most_fields(sending) * sizeof *ret_outgoing->fields)};
    if (!ret_outgoing->fields)
        return HAFT_ENOMEM;
    haft_buffer_init(&url, allocator, REQUEST_URL);
    haft_buffer_init(&cookies, allocator, REQUEST_COOKIES);
    request_put_all(sending, ret_outgoing, &url, &cookies);
    status = url.status ? url.status : cookies.status;
    if (!status && cookies.size) {
        line = haft_arena_copy(sending->arena, cookies.data, cookies.size);
        status = line ? 0 : HAFT_ENOMEM;
        request_put(ret_outgoing, "Cookie", line);
    }
    if (!status) {
        ret_outgoing->url = haft_arena_copy(sending->arena, url.data, url.size);
        status = ret_outgoing->url ? 0 : HAFT_ENOMEM;
    }
    haft_buffer_finish(&url);
    haft_buffer_finish(&cookies);
    return status;
}
