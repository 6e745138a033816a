/* remote_http.c - the wire to an HTTP endpoint: every message is a POST of its own.
 *
 * The answer is one JSON document or a stream of events; in a stream the server may ask something,
 * which is answered by another POST while the first is still open. */
#include "remote_http.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_LIMIT = 16 << 10,
    LONGEST_SESSION = 1024,
    NOT_FOUND = 404,
    REMOTE_HTTP_UNAUTHORIZED = 401,
    REMOTE_HTTP_FORBIDDEN = 403,
    ACCEPTED = 202,
    METHOD_NOT_ALLOWED = 405
};

/* ---- what comes back ---- */

static long status_of(const struct exchange *exchange)
{
    long status = 0;

    curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return text && curl_strnequal(text, prefix, strlen(prefix));
}

static void remote_http_judge(struct exchange *exchange)
{
    char *type = NULL;

    if (exchange->judged)
        return;
    exchange->judged = true;
    curl_easy_getinfo(exchange->easy, CURLINFO_CONTENT_TYPE, &type);
    exchange->is_stream = has_prefix(type, "text/event-stream") && status_of(exchange) < 300;
    exchange->is_json = has_prefix(type, "application/json");
}

static void on_event(void *context, const char *data, size_t size)
{
    struct exchange *exchange = context;

    remote_incoming(exchange->http->remote, data, size);
}

static size_t on_body(char *bytes, size_t one, size_t size, void *context)
{
    struct exchange *exchange = context;

    (void)one;
    remote_http_judge(exchange);
    if (exchange->is_stream) {
        exchange->failure = hf_sse_feed(&exchange->sse, bytes, size, on_event, exchange);
    } else if (exchange->kind == ASKING) {
        haft_buffer_add(&exchange->body, bytes, size);
        exchange->failure = exchange->body.status;
    }
    return exchange->failure ? 0 : size;
}

/* "Name: value\r\n"; of the last status line, for there may be several. */
static size_t on_header(char *bytes, size_t one, size_t size, void *context)
{
    static const char session[] = "mcp-session-id:";
    struct exchange *exchange = context;
    size_t end = size, at = sizeof session - 1;

    (void)one;
    while (end && (bytes[end - 1] == '\r' || bytes[end - 1] == '\n' || bytes[end - 1] == ' '))
        end--;
    if (end > 9 && !memcmp(bytes, "HTTP/", 5)) {
        const char *reason = memchr(bytes + 9, ' ', end - 9);
        size_t n = reason ? (size_t)(bytes + end - reason) : 0;

        n = n < sizeof exchange->reason ? n : sizeof exchange->reason - 1;
        memcpy(exchange->reason, reason ? reason : "", n);
        exchange->reason[n] = '\0';
        return size;
    }
    if (exchange->kind != ASKING || end <= at || !curl_strnequal(bytes, session, at))
        return size;
    while (at < end && bytes[at] == ' ')
        at++;
    for (size_t i = at; i < end; i++)
        if (bytes[i] < 0x21 || bytes[i] > 0x7E)
            return size;
    if (end - at > LONGEST_SESSION)
        return size;
    free(exchange->http->session);
    exchange->http->session = calloc(1, end - at + 1);
    if (exchange->http->session)
        memcpy(exchange->http->session, bytes + at, end - at);
    return size;
}

/* Whether the body of an error is a message after all. */
static bool is_message(const struct exchange *exchange)
{
    yyjson_doc *doc = exchange->body.size && exchange->is_json
                          ? yyjson_read(exchange->body.data, exchange->body.size, 0)
                          : NULL;
    bool is = yyjson_obj_get(yyjson_doc_get_root(doc), "jsonrpc") != NULL;

    yyjson_doc_free(doc);
    return is;
}

static void tell_refusal(struct exchange *exchange, long status)
{
    struct remote *remote = exchange->http->remote;
    const char *hint = status == REMOTE_HTTP_UNAUTHORIZED
                           ? "; --header 'Authorization: Bearer TOKEN' sends it a token"
                       : status == NOT_FOUND ? "; is the path of the URL right?"
                                             : "";

    remote_refused(remote, exchange->id, (int)status, "the server answered %ld%s%s", status,
                   exchange->reason, hint);
}

/* A request has come back with a status. */
static void remote_http_take_answer(struct exchange *exchange)
{
    struct remote *remote = exchange->http->remote;
    long status = status_of(exchange);

    remote_http_judge(exchange);
    if (exchange->kind == RESUMING) {
        remote_lost(
            remote, exchange->id, EXIT_CONNECTION,
            "the server ended the stream before it answered, and answered %ld%s to its rest",
            status, exchange->reason);
        return;
    }
    if (status == NOT_FOUND && exchange->in_session) {
        free(exchange->http->session);
        exchange->http->session = NULL;
        remote->session_gone = true;
    }
    if (status >= 300) {
        if (status != REMOTE_HTTP_UNAUTHORIZED && status != REMOTE_HTTP_FORBIDDEN &&
            is_message(exchange))
            remote_incoming(remote, exchange->body.data, exchange->body.size);
        else
            tell_refusal(exchange, status);
    } else if (exchange->is_stream) {
        remote_lost(remote, exchange->id, EXIT_CONNECTION,
                    "the server ended the stream before it answered");
    } else if (status == ACCEPTED || !exchange->body.size) {
        remote_lost(remote, exchange->id, EXIT_PROTOCOL,
                    "the server answered %ld%s without a message", status, exchange->reason);
    } else if (!exchange->is_json) {
        remote_lost(remote, exchange->id, EXIT_PROTOCOL,
                    "the server answered with what is neither JSON nor a stream of events; is this "
                    "the URL of an MCP endpoint?");
    } else {
        remote_incoming(remote, exchange->body.data, exchange->body.size);
    }
}

static void tell_failure(struct exchange *exchange, CURLcode code)
{
    struct remote *remote = exchange->http->remote;
    const char *text = *exchange->message ? exchange->message : curl_easy_strerror(code);

    if (exchange->failure == HAFT_ETOOBIG)
        remote_lost(remote, exchange->id, EXIT_PROTOCOL,
                    "the server's message is over the limit of %zu MiB",
                    remote->options.limit >> 20);
    else if (exchange->failure)
        remote_lost(remote, exchange->id, EXIT_LOCAL, "%s", haft_strerror(exchange->failure));
    else
        remote_lost(remote, exchange->id, EXIT_CONNECTION, "%s: %s", remote->options.url, text);
}

static void hf_exchange_free(struct exchange *exchange)
{
    struct http *http = exchange->http;

    for (struct exchange **at = &http->exchanges; *at; at = &(*at)->next)
        if (*at == exchange) {
            *at = exchange->next;
            break;
        }
    curl_multi_remove_handle(http->carrier.multi, exchange->easy);
    curl_easy_cleanup(exchange->easy);
    curl_slist_free_all(exchange->headers);
    haft_buffer_finish(&exchange->body);
    hf_sse_finish(&exchange->sse);
    free(exchange);
}

static void on_done(void *context, CURL *easy, CURLcode code)
{
    struct exchange *exchange = NULL;

    (void)context;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &exchange);
    if ((exchange->kind == ASKING || exchange->kind == RESUMING) && !resume_later(exchange)) {
        if (code != CURLE_OK)
            tell_failure(exchange, code);
        else
            remote_http_take_answer(exchange);
    }
    uv_stop(&exchange->http->remote->loop);
    hf_exchange_free(exchange);
}

/* ---- what goes out ---- */

static void add_line(struct exchange *exchange, const char *line)
{
    struct curl_slist *more = curl_slist_append(exchange->headers, line);

    if (more)
        exchange->headers = more;
    else
        exchange->failure = HAFT_ENOMEM;
}

static void remote_http_add_header(struct exchange *exchange, const char *name, const char *value)
{
    haft_buffer text;

    haft_buffer_init(&text, NULL, HEADER_LIMIT);
    /* libcurl sends a header without a value only when it ends with a semicolon. */
    haft_buffer_printf(&text, "%s%s%s", name, *value ? ": " : ";", value);
    haft_buffer_add(&text, "", 1);
    if (text.status)
        exchange->failure = text.status;
    else
        add_line(exchange, text.data);
    haft_buffer_finish(&text);
}

/* What a header cannot hold goes into it as base64. */
static void add_encoded(struct exchange *exchange, const char *name, const char *value)
{
    size_t size = strlen(value);
    bool plain = !size || (value[0] != ' ' && value[size - 1] != ' ');
    haft_buffer text;
    char *encoded;

    for (size_t i = 0; i < size; i++)
        plain = plain && value[i] >= 0x20 && value[i] < 0x7F;
    if (plain && !(has_prefix(value, "=?base64?") && size > 2 && !strcmp(value + size - 2, "?="))) {
        remote_http_add_header(exchange, name, value);
        return;
    }
    encoded = calloc(1, HAFT_BASE64_SIZE(size) + 1);
    if (!encoded) {
        exchange->failure = HAFT_ENOMEM;
        return;
    }
    haft_base64_encode(value, size, encoded);
    haft_buffer_init(&text, NULL, HEADER_LIMIT);
    haft_buffer_printf(&text, "=?base64?%s?=", encoded);
    haft_buffer_add(&text, "", 1);
    if (text.status)
        exchange->failure = text.status;
    else
        remote_http_add_header(exchange, name, text.data);
    haft_buffer_finish(&text);
    free(encoded);
}

static void add_headers(struct exchange *exchange, const struct outgoing *outgoing)
{
    const struct remote *remote = exchange->http->remote;
    const struct remote_options *options = &remote->options;
    bool modern = revision_row(remote->revision)->modern;
    bool greets = outgoing && outgoing->method && !strcmp(outgoing->method, "initialize");

    for (size_t i = 0; i < options->n_headers; i++)
        add_line(exchange, options->headers[i]);
    remote_http_add_header(exchange, "Accept",
                           outgoing || exchange->kind == LEAVING
                               ? "application/json, text/event-stream"
                               : "text/event-stream");
    if (exchange->kind == RESUMING)
        remote_http_add_header(exchange, "Last-Event-ID", exchange->http->last_event);
    if (outgoing)
        remote_http_add_header(exchange, "Content-Type", "application/json");
    /* libcurl would wait for a server's leave to send a large body. */
    add_line(exchange, "Expect:");
    if (!greets && revision_row(remote->revision)->header)
        remote_http_add_header(exchange, "MCP-Protocol-Version",
                               revision_row(remote->revision)->name);
    if (exchange->http->session && !modern && !greets) {
        remote_http_add_header(exchange, "Mcp-Session-Id", exchange->http->session);
        exchange->in_session = true;
    }
    if (!modern || !outgoing)
        return;
    if (outgoing->method)
        remote_http_add_header(exchange, "Mcp-Method", outgoing->method);
    if (outgoing->name)
        add_encoded(exchange, "Mcp-Name", outgoing->name);
    for (size_t i = 0; outgoing->parameters && outgoing->parameters[i]; i += 2)
        add_encoded(exchange, outgoing->parameters[i], outgoing->parameters[i + 1]);
}

static void set_method(struct exchange *exchange, const struct outgoing *outgoing)
{
    if (outgoing) {
        curl_easy_setopt(exchange->easy, CURLOPT_POST, 1L);
        curl_easy_setopt(exchange->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)outgoing->size);
        if (curl_easy_setopt(exchange->easy, CURLOPT_COPYPOSTFIELDS, outgoing->text) != CURLE_OK)
            exchange->failure = HAFT_ENOMEM;
    } else if (exchange->kind == LEAVING) {
        curl_easy_setopt(exchange->easy, CURLOPT_CUSTOMREQUEST, "DELETE");
    }
}

static void set_up(struct exchange *exchange)
{
    CURL *easy = exchange->easy;
    const struct remote_options *options = &exchange->http->remote->options;

    curl_easy_setopt(easy, CURLOPT_URL, options->url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PRIVATE, exchange);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->message);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_WAIT);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "haft/" HAFT_VERSION);
    if (options->authority)
        curl_easy_setopt(easy, CURLOPT_CAINFO, options->authority);
}

int http_begin(struct http *http, enum kind kind, const struct outgoing *outgoing)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    int status;

    if (!exchange)
        return remote_fail(http->remote, EXIT_LOCAL, "out of memory");
    exchange->http = http;
    exchange->kind = kind;
    exchange->id = outgoing ? outgoing->id : kind == RESUMING ? http->lost_id : 0;
    haft_buffer_init(&exchange->body, NULL, http->remote->options.limit);
    hf_sse_init(&exchange->sse, NULL, http->remote->options.limit);
    if (kind == RESUMING)
        haft_buffer_puts(&exchange->sse.last_id, http->last_event);
    exchange->next = http->exchanges;
    http->exchanges = exchange;
    exchange->easy = curl_easy_init();
    if (exchange->easy) {
        add_headers(exchange, outgoing);
        set_up(exchange);
        set_method(exchange, outgoing);
    }
    if (exchange->easy && !exchange->failure &&
        curl_multi_add_handle(http->carrier.multi, exchange->easy) == CURLM_OK)
        return 0;
    status = exchange->failure == HAFT_ETOOBIG
                 ? remote_fail(http->remote, EXIT_USAGE, "an argument is too large for a header")
                 : remote_fail(http->remote, EXIT_LOCAL, "out of memory");
    hf_exchange_free(exchange);
    return status;
}

static int send_post(void *wire, const struct outgoing *outgoing)
{
    return http_begin(wire, outgoing->id ? ASKING : TELLING, outgoing);
}

static bool remote_http_is_flushed(void *wire)
{
    const struct http *http = wire;

    for (const struct exchange *at = http->exchanges; at; at = at->next)
        if (at->kind == TELLING || at->kind == LEAVING)
            return false;
    return true;
}

static void remote_http_forget(void *wire, int64_t id)
{
    struct http *http = wire;

    uv_timer_stop(&http->remote->pause);
    for (struct exchange *at = http->exchanges; at; at = at->next)
        if ((at->kind == ASKING || at->kind == RESUMING) && at->id == id) {
            hf_exchange_free(at);
            return;
        }
}

/* What an old server asks may come on a stream of its own. */
static void remote_http_settled(void *wire)
{
    struct http *http = wire;

    if (http->remote->options.streams && http->session)
        http_begin(http, LISTENING, NULL);
}

static int remote_http_restart(void *wire)
{
    (void)wire;
    return 0;
}

static void close_http(void *wire)
{
    struct http *http = wire;

    /* What is freed is off the list by then, which the analyser does not see. */
    while (http->exchanges)
        hf_exchange_free(http->exchanges); /* NOLINT(clang-analyzer-unix.Malloc) */
    if (http->session && http->remote->interrupted < 2 && !http_begin(http, LEAVING, NULL))
        remote_run(http->remote, CLOSE_WAIT, remote_http_is_flushed, http);
    while (http->exchanges)
        hf_exchange_free(http->exchanges); /* NOLINT(clang-analyzer-unix.Malloc) */
    carrier_close(&http->carrier);
    uv_timer_stop(&http->remote->pause);
    free(http->last_event);
    free(http->session);
    free(http);
    curl_global_cleanup();
}

static const struct transport class = {
    .send = send_post,
    .is_flushed = remote_http_is_flushed,
    .forget = remote_http_forget,
    .settled = remote_http_settled,
    .restart = remote_http_restart,
    .close = close_http,
};

int wire_open_http(struct remote *remote, void **ret_wire, const struct transport **ret_class)
{
    struct http *http;

    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return remote_fail(remote, EXIT_LOCAL, "libcurl cannot be used");
    http = calloc(1, sizeof *http);
    if (!http)
        return remote_fail(remote, EXIT_LOCAL, "out of memory");
    http->remote = remote;
    http->carrier.done = on_done;
    http->carrier.context = http;
    *ret_wire = http;
    *ret_class = &class;
    return carrier_open(&http->carrier, &remote->loop)
               ? remote_fail(remote, EXIT_LOCAL, "out of memory")
               : 0;
}
