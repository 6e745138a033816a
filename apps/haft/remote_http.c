/* remote_http.c - the wire to an HTTP endpoint: every message is a POST of its own.
 *
 * The answer is one JSON document or a stream of events; in a stream the server may ask something,
 * which is answered by another POST while the first is still open. */
#include "remote_http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/percent.h"
#include "protocol/http_status.h"

enum {
    HEADER_LIMIT = 16 << 10,
    EXCHANGE_LIMIT = 256 << 20, /* the memory of one request */
    REMOTE_HTTP_HEADERS = 100,
    LONGEST_SESSION = 1024,
    NOT_FOUND = 404,
    REMOTE_HTTP_UNAUTHORIZED = 401,
    REMOTE_HTTP_FORBIDDEN = 403,
    ACCEPTED = 202
};

/* ---- the response ---- */

static bool has_prefix(const char *text, const char *prefix)
{
    return text && !strncasecmp(text, prefix, strlen(prefix));
}

static void on_event(void *context, const char *data, size_t size)
{
    struct exchange *exchange = context;

    remote_incoming(exchange->http->remote, data, size);
}

static void keep_session(struct http *http, const char *id)
{
    size_t size = strlen(id);

    for (size_t i = 0; i < size; i++)
        if (id[i] < 0x21 || id[i] > 0x7E)
            return;
    if (!size || size > LONGEST_SESSION)
        return;
    free(http->session);
    http->session = calloc(1, size + 1);
    if (http->session)
        memcpy(http->session, id, size);
}

static void on_head(void *context, const struct http_head *head)
{
    struct exchange *exchange = context;

    exchange->status = head->status;
    uv_stop(&exchange->http->remote->loop);
    for (size_t i = 0; i < head->n_fields; i++) {
        const struct http_field *field = &head->fields[i];

        if (!strcasecmp(field->name, "content-type")) {
            exchange->is_stream =
                has_prefix(field->value, "text/event-stream") && head->status < 300;
            exchange->is_json = has_prefix(field->value, "application/json");
        } else if (exchange->kind == ASKING && !strcasecmp(field->name, "mcp-session-id")) {
            keep_session(exchange->http, field->value);
        }
    }
}

static void on_body(void *context, const char *bytes, size_t size)
{
    struct exchange *exchange = context;

    if (exchange->is_stream) {
        exchange->failure = hf_sse_feed(&exchange->sse, bytes, size, on_event, exchange);
    } else if (exchange->kind == ASKING) {
        haft_buffer_add(&exchange->body, bytes, size);
        exchange->failure = exchange->body.status;
    }
    if (exchange->failure)
        exchange->http->functions->cancel(exchange->request); /* and it is freed */
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

/* "404 Not Found"; as many bytes as the buffer has. */
static const char *status_text(int status, char *text, size_t room)
{
    const char *reason = hf_http_status_reason(status);

    snprintf(text, room, "%d%s%s", status, *reason ? " " : "", reason);
    return text;
}

static void tell_refusal(struct exchange *exchange)
{
    const char *hint = exchange->status == REMOTE_HTTP_UNAUTHORIZED
                           ? "; --header 'Authorization: Bearer TOKEN' sends it a token"
                       : exchange->status == NOT_FOUND ? "; is the path of the URL right?"
                                                       : "";
    char text[64];

    remote_refused(exchange->http->remote, exchange->id, exchange->status,
                   "the server answered %s%s", status_text(exchange->status, text, sizeof text),
                   hint);
}

/* A request has come back with a status. */
static void remote_http_take_answer(struct exchange *exchange)
{
    struct remote *remote = exchange->http->remote;
    int status = exchange->status;
    char text[64];

    status_text(status, text, sizeof text);
    if (exchange->kind == RESUMING) {
        remote_lost(
            remote, exchange->id, EXIT_CONNECTION,
            "the server ended the stream before it answered, and answered %s when haft resumed it",
            text);
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
            tell_refusal(exchange);
    } else if (exchange->is_stream) {
        remote_lost(remote, exchange->id, EXIT_CONNECTION,
                    "the server ended the stream before it answered");
    } else if (status == ACCEPTED || !exchange->body.size) {
        remote_lost(remote, exchange->id, EXIT_PROTOCOL, "the server answered %s without a message",
                    text);
    } else if (!exchange->is_json) {
        remote_lost(remote, exchange->id, EXIT_PROTOCOL,
                    "the response is neither JSON nor an event stream; is this "
                    "the URL of an MCP endpoint?");
    } else {
        remote_incoming(remote, exchange->body.data, exchange->body.size);
    }
}

static void tell_failure(struct exchange *exchange, const struct http_end *end)
{
    struct remote *remote = exchange->http->remote;

    if (exchange->failure == HAFT_ETOOBIG)
        remote_lost(remote, exchange->id, EXIT_PROTOCOL,
                    "the server's message exceeds the limit of %zu MiB",
                    remote->options.limit >> 20);
    else if (exchange->failure)
        remote_lost(remote, exchange->id, EXIT_LOCAL, "%s", haft_strerror(exchange->failure));
    else
        remote_lost(remote, exchange->id, EXIT_CONNECTION, "%s: %s%s", exchange->http->url,
                    end->text,
                    end->maybe_handled ? "; the server may have executed the request" : "");
}

static void exchange_free(struct exchange *exchange)
{
    for (struct exchange **at = &exchange->http->exchanges; *at; at = &(*at)->next)
        if (*at == exchange) {
            *at = exchange->next;
            break;
        }
    haft_buffer_finish(&exchange->body);
    hf_sse_finish(&exchange->sse);
    haft_arena_free(exchange->arena);
    free(exchange);
}

static void exchange_on_end(void *context, const struct http_end *end)
{
    struct exchange *exchange = context;

    if (!exchange->dropped && (exchange->kind == ASKING || exchange->kind == RESUMING) &&
        !resume_later(exchange)) {
        if (exchange->failure || end->error != HTTP_OK)
            tell_failure(exchange, end);
        else
            remote_http_take_answer(exchange);
    }
    uv_stop(&exchange->http->remote->loop);
    exchange_free(exchange);
}

/* Nobody waits for it any more. */
static void exchange_drop(struct exchange *exchange)
{
    exchange->dropped = true;
    exchange->http->functions->cancel(exchange->request);
}

/* ---- what goes out ---- */

/* What a request is made of, until it is started. */
struct exchange_head {
    struct exchange *exchange;
    struct http_field fields[REMOTE_HTTP_HEADERS];
    size_t n;
};

static void head_add(struct exchange_head *head, const char *name, const char *value)
{
    if (!name || !value)
        head->exchange->failure = HAFT_ENOMEM;
    else if (head->n == REMOTE_HTTP_HEADERS || strlen(value) > HEADER_LIMIT)
        head->exchange->failure = HAFT_ETOOBIG;
    else
        head->fields[head->n++] = (struct http_field){name, value};
}

/* "Name: value", as a user wrote it. */
static void head_add_line(struct exchange_head *head, const char *line)
{
    const char *colon = strchr(line, ':'), *value = colon ? colon + 1 : "";
    size_t size = colon ? (size_t)(colon - line) : strlen(line);
    char *name = haft_arena_copy(head->exchange->arena, line, size);

    head_add(head, name, value + strspn(value, " \t"));
}

/* A value that a header cannot hold is sent as base64. */
static void head_add_encoded(struct exchange_head *head, const char *name, const char *value)
{
    haft_arena *arena = head->exchange->arena;
    size_t size = strlen(value);
    bool plain = !size || (value[0] != ' ' && value[size - 1] != ' ');
    char *encoded;

    for (size_t i = 0; i < size; i++)
        plain = plain && value[i] >= 0x20 && value[i] < 0x7F;
    if (plain && !(has_prefix(value, "=?base64?") && size > 2 && !strcmp(value + size - 2, "?="))) {
        head_add(head, name, value);
        return;
    }
    encoded = haft_arena_zalloc(arena, 1, HAFT_BASE64_SIZE(size) + 1);
    if (encoded)
        haft_base64_encode(value, size, encoded);
    head_add(head, name, encoded ? haft_arena_printf(arena, "=?base64?%s?=", encoded) : NULL);
}

static void head_fill(struct exchange_head *head, const struct outgoing *outgoing)
{
    const struct exchange *exchange = head->exchange;
    const struct remote *remote = exchange->http->remote;
    const struct revision_row *revision = &hf_revision_rows[remote->revision];
    bool greets = outgoing && outgoing->method && !strcmp(outgoing->method, "initialize");

    for (size_t i = 0; i < remote->options.n_headers; i++)
        head_add_line(head, remote->options.headers[i]);
    if (exchange->http->authorization)
        head_add(head, "Authorization", exchange->http->authorization);
    head_add(head, "Accept",
             outgoing || exchange->kind == LEAVING ? "application/json, text/event-stream"
                                                   : "text/event-stream");
    if (exchange->kind == RESUMING)
        head_add(head, "Last-Event-ID", exchange->http->last_event);
    if (outgoing)
        head_add(head, "Content-Type", "application/json");
    if (!greets && revision->header)
        head_add(head, "MCP-Protocol-Version", revision->name);
    if (exchange->http->session && !revision->modern && !greets) {
        head_add(head, "Mcp-Session-Id", exchange->http->session);
        head->exchange->in_session = true;
    }
    if (!revision->modern || !outgoing)
        return;
    if (outgoing->method)
        head_add(head, "Mcp-Method", outgoing->method);
    if (outgoing->name)
        head_add_encoded(head, "Mcp-Name", outgoing->name);
    for (size_t i = 0; outgoing->parameters && outgoing->parameters[i]; i += 2)
        head_add_encoded(head, outgoing->parameters[i], outgoing->parameters[i + 1]);
}

/* Fills in the request and starts it: 0, or an exit code. */
static int exchange_start(struct exchange *exchange, const struct outgoing *outgoing)
{
    struct http *http = exchange->http;
    struct exchange_head head = {.exchange = exchange};
    struct http_request_options options = {.method = outgoing                    ? "POST"
                                                     : exchange->kind == LEAVING ? "DELETE"
                                                                                 : "GET",
                                           .url = http->url,
                                           .max_answer = SIZE_MAX, /* body and sse have limits */
                                           .max_body = SIZE_MAX,
                                           .connect_ms = CONNECT_WAIT,
                                           .answer_ms =
                                               UINT_MAX, /* the remote has a timer for all of it */
                                           .idle_ms = UINT_MAX,
                                           .total_ms = UINT_MAX,
                                           .on_head = on_head,
                                           .on_body = on_body,
                                           .on_end = exchange_on_end,
                                           .context = exchange};
    haft_reason reason = {0};

    head_fill(&head, outgoing);
    options.headers = head.fields;
    options.n_headers = head.n;
    if (outgoing) {
        options.body_size = outgoing->size;
        options.body = haft_arena_copy(exchange->arena, outgoing->text, outgoing->size);
        if (!options.body)
            exchange->failure = HAFT_ENOMEM;
    }
    if (exchange->failure)
        return exchange->failure == HAFT_ETOOBIG
                   ? remote_fail(http->remote, EXIT_USAGE, "an argument is too large for a header")
                   : remote_fail(http->remote, EXIT_LOCAL, "out of memory");
    exchange->request = http->functions->start(http->client, &options, &reason);
    return exchange->request
               ? 0
               : remote_fail(http->remote, reason.code == HAFT_ENOMEM ? EXIT_LOCAL : EXIT_USAGE,
                             "%s%s%s", reason.path, *reason.path ? ": " : "", reason.text);
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
    exchange->arena = haft_arena_new(NULL, EXCHANGE_LIMIT);
    status = exchange->arena ? exchange_start(exchange, outgoing)
                             : remote_fail(http->remote, EXIT_LOCAL, "out of memory");
    if (status)
        exchange_free(exchange);
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
            exchange_drop(at);
            return;
        }
}

static bool remote_http_listens(void *wire)
{
    const struct http *http = wire;

    for (const struct exchange *at = http->exchanges; at; at = at->next)
        if (at->kind == LISTENING && !at->status)
            return false;
    return true;
}

/* The questions of an old server may come on a stream of its own.  What it asks before that is open is
 * lost, so nothing is requested before it is, or a second is over. */
static void remote_http_settled(void *wire)
{
    struct http *http = wire;

    if (http->remote->options.streams && http->session && !http_begin(http, LISTENING, NULL))
        remote_run(http->remote, LISTEN_WAIT, remote_http_listens, http);
}

static int remote_http_restart(void *wire)
{
    (void)wire;
    return 0;
}

static void close_http(void *wire)
{
    struct http *http = wire;

    while (http->exchanges)
        exchange_drop(http->exchanges);
    if (http->session && http->remote->interrupted < 2 && !http_begin(http, LEAVING, NULL))
        remote_run(http->remote, CLOSE_WAIT, remote_http_is_flushed, http);
    while (http->exchanges)
        exchange_drop(http->exchanges);
    if (http->functions)
        http->functions->destroy(http->client);
    uv_timer_stop(&http->remote->pause);
    free(http->last_event);
    free(http->session);
    free(http);
}

static const struct transport class = {
    .send = send_post,
    .is_flushed = remote_http_is_flushed,
    .forget = remote_http_forget,
    .settled = remote_http_settled,
    .restart = remote_http_restart,
    .close = close_http,
};

/* http://USER:PASSWORD@HOST becomes the URL without them, and the header that sends them. */
static int take_credentials(struct http *http)
{
    struct remote *remote = http->remote;
    const char *url = remote->options.url, *start = strstr(url, "//") + 2,
               *at = memchr(start, '@', strcspn(start, "/?#"));
    size_t size;
    char *pair, *encoded;

    http->url = url;
    if (!at)
        return 0;
    size = (size_t)(at - start);
    pair = haft_arena_copy(remote->arena, start, size);
    size = pair ? hf_percent_decode_bytes(start, size, false, pair) : 0;
    if (size == PERCENT_INVALID)
        return remote_fail(remote, EXIT_USAGE,
                           "the user name or password in the URL has an invalid %% escape");
    encoded = haft_arena_zalloc(remote->arena, 1, HAFT_BASE64_SIZE(size) + 1);
    if (!pair || !encoded)
        return remote_fail(remote, EXIT_LOCAL, "out of memory");
    haft_base64_encode(pair, size, encoded);
    http->authorization = haft_arena_printf(remote->arena, "Basic %s", encoded);
    http->url = haft_arena_printf(remote->arena, "%.*s%s", (int)(start - url), url, at + 1);
    return http->url && http->authorization ? 0 : remote_fail(remote, EXIT_LOCAL, "out of memory");
}

int wire_open_http(struct remote *remote, void **ret_wire, const struct transport **ret_class)
{
    const struct http_client_options options = {.ca_file = remote->options.authority,
                                                .proxy_from_environment = true};
    struct http *http = calloc(1, sizeof *http);
    haft_reason reason = {0};
    int status;

    if (!http)
        return remote_fail(remote, EXIT_LOCAL, "out of memory");
    http->remote = remote;
    *ret_wire = http;
    *ret_class = &class;
    status = take_credentials(http);
    if (status)
        return status;
    http->functions = hf_http_client_open(http->url, &reason);
    if (http->functions)
        http->client = hf_http_client_new(http->functions, &remote->loop, &options, &reason);
    return http->client ? 0 : remote_fail(remote, EXIT_LOCAL, "%s", reason.text);
}
