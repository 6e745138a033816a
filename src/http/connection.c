/* connection.c - reads requests from a socket, one after another.
 *
 * llhttp parses a request; when it is complete, parsing pauses until it has been answered, so that
 * responses to pipelined requests keep their order. Data that arrives meanwhile is buffered; when
 * the buffer is full, or the peer does not read its responses, reading stops. */
#include <poll.h>
#include <string.h>

#include "http/http.h"
#include "http/secure.h"

enum {
    WAITING_LIMIT = 2 * READ_SIZE,
    UNREAD_LIMIT = 256 << 10, /* unsent responses at which the next request has to wait */
    KEPT_BODY = 64 << 10,     /* larger buffers are freed after their request */
    LINGER_MS = 1000,         /* time for a peer to read why it was refused */
    HINT_MS = 60000           /* between two warnings of the same kind */
};

/* ---- handling ---- */

static void start_request(struct connection *c)
{
    haft_buffer_clear(&c->head);
    haft_buffer_clear(&c->fields);
    hf_buffer_trim(&c->body, KEPT_BODY);
    hf_http_return_notes(c);
    c->n_fields = c->url_size = c->trailer_size = c->consumed = 0;
    c->begun = c->answered = c->continues = c->is_ambiguous = false;
    c->seen = 0;
    c->stage = STAGE_HEAD;
    c->since = loop_now(&c->http->loop);
}

/* The request, as far as it has arrived; its target must have been read. */
static haft_request connection_request(struct connection *c)
{
    const haft_header *headers = (const haft_header *)(void *)c->fields.data;
    const char *client = c->peer;
    haft_request request = {.method = llhttp_method_name((llhttp_method_t)c->parser.method),
                            .path = c->head.data + c->path,
                            .target = c->head.data + c->target,
                            .query = c->query ? c->head.data + c->query : "",
                            .headers = headers,
                            .n_headers = c->n_fields,
                            .index_ = &c->notes->index,
                            .body = c->body.data ? c->body.data : "",
                            .body_size = c->body.size,
                            .certificate = c->tls ? hf_secure_certificate(c) : NULL};

    hf_headers_index(headers, c->n_fields, &c->notes->index);
    if (c->is_proxy) {
        hf_proxies_find_client(&c->http->proxies, c->peer, headers, c->n_fields, c->notes->client);
        client = c->notes->client;
        request.proxied = true;
    }
    request.peer = *client ? client : NULL;
    return request;
}

static void connection_handle(struct connection *c)
{
    haft_http *http = c->http;
    haft_request request = connection_request(c);
    struct pending_request pending;

    c->keep_alive = llhttp_should_keep_alive(&c->parser) && !http->closing;
    c->stage = STAGE_HANDLING;
    c->since = loop_now(&http->loop);
    http->used = c->since;
    http->resting = false;
    if (http->shards && hf_shards_wants(c, &request))
        return;
    c->handling = true;
    pending = hf_mux_handle(&http->mux, &request, &hf_http_responder, c, c->since);
    c->handling = false;
    if (!c->answered)
        c->pending = pending;
}

/* The headers are complete, and most of the body has yet to come: answers a request that will be
 * refused in any case, so that its body need not be sent and kept. Returns whether it has been
 * answered, and the connection closes. Short bodies are read: the connection can then be used again. */
static bool connection_foresees(struct connection *c)
{
    haft_request request;
    bool refused;

    if (!(c->parser.flags & F_CHUNKED) && !c->continues && c->parser.content_length <= KEPT_BODY)
        return false;
    if (!hf_mux_authenticates(&c->http->mux))
        return false;
    if (!hf_connection_read_target(c))
        return true;
    request = connection_request(c);
    c->keep_alive = false;
    c->handling = true;
    refused = hf_mux_refuses_early(&c->http->mux, &request, &hf_http_responder, c,
                                   loop_now(&c->http->loop));
    c->handling = false;
    if (refused) {
        c->lingers = true;
        hf_connection_close(c);
    }
    return refused;
}

/* A callback has set the reason, or llhttp reported a parse error. */
static void fail(struct connection *c)
{
    static const struct {
        int status;
        const char *message;
    } refusals[] = {{413, "Content Too Large: the message exceeds the limit"},
                    {414, "URI Too Long"},
                    {431, "Request Header Fields Too Large"},
                    {503, "Out of memory"},
                    {400, "Bad Request"}};
    size_t i = 0;

    if (!c->refused)
        c->refused = 400;
    while (i < 4 && refusals[i].status != c->refused)
        i++;
    hf_connection_refuse(c, refusals[i].status, refusals[i].message);
}

/* Logs that a client sent the start of a TLS handshake: its own error message only says that the TLS
 * version is wrong. */
static void connection_hint(struct connection *c, const char *bytes, size_t size)
{
    haft_time now = loop_now(&c->http->loop);

    if (c->tls || size < 2 || bytes[0] != 0x16 || bytes[1] != 0x03 ||
        (c->http->hinted && now - c->http->hinted < HINT_MS))
        return;
    c->http->hinted = now;
    hf_server_log(c->http->server, HAFT_WARNING,
                  "%s uses TLS, but this server has no certificate; use http://, or set a "
                  "certificate",
                  *c->peer ? c->peer : "a client");
}

/* Buffers data that arrives while a request is being handled, or responses are unread. */
static void connection_keep(struct connection *c, const char *bytes, size_t size)
{
    haft_buffer_add(&c->waiting, bytes, size);
    if (c->waiting.status) {
        hf_connection_close(c);
    } else if (c->waiting.size >= READ_SIZE && !c->paused) {
        uv_read_stop(&c->io.stream);
        c->paused = true;
    }
}

/* After a request was handled: whether the next one can be parsed. */
static bool is_free(struct connection *c)
{
    if (c->stage == STAGE_CLOSING || c->stage == STAGE_UPGRADED || c->doomed || !c->answered)
        return false;
    if (c->keep_alive) {
        start_request(c);
        return true;
    }
    hf_connection_close(c);
    return false;
}

/* Parses until the data is used up or a request waits for its response. */
static void connection_parse_bytes(struct connection *c, const char *bytes, size_t size)
{
    while (size) {
        bool begun = c->begun;
        uint8_t stage = c->stage;
        llhttp_errno_t code;
        size_t used;

        if (!begun && (c->unsent > UNREAD_LIMIT || (c->http->spent >= SHARE && hf_turn_waits(c)))) {
            /* Continues when the responses have been read, or in the next turn. */
            if (!c->unsent)
                hf_http_later(c);
            connection_keep(c, bytes, size);
            return;
        }
        code = hf_connection_parse(c, bytes, size, &used);
        c->begun = true;
        if (code == HPE_OK) {
            /* The time limit of the next stage starts here. */
            if (!begun || c->stage != stage)
                c->since = loop_now(&c->http->loop);
            if (c->stage != stage && connection_foresees(c))
                return;
            if (c->continues && c->stage == STAGE_BODY)
                hf_connection_go_on(c);
            c->continues = false;
            return;
        }
        if (code != HPE_PAUSED) {
            if (!begun)
                connection_hint(c, bytes, size);
            fail(c);
            return;
        }
        size -= used;
        bytes += used;
        /* Its notes say that the target has been read before the body. */
        if (c->notes || hf_connection_read_target(c))
            connection_handle(c);
        if (is_free(c))
            continue;
        if (c->stage != STAGE_CLOSING)
            connection_keep(c, bytes, size);
        break;
    }
    if (c->moving && c->stage != STAGE_CLOSING)
        hf_shards_move(c);
}

/* Parses the buffered data. */
static void parse_waiting(struct connection *c)
{
    haft_buffer waiting = c->waiting;

    if (!waiting.size)
        return;
    haft_buffer_init(&c->waiting, c->http->allocator, WAITING_LIMIT);
    connection_parse_bytes(c, waiting.data, waiting.size);
    haft_buffer_finish(&waiting);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer);
static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer);

void hf_connection_resume(struct connection *c)
{
    if (c->stage == STAGE_CLOSING)
        return;
    if (c->doomed) {
        hf_connection_close(c);
        return;
    }
    if (c->stage == STAGE_HANDLING && !is_free(c)) {
        if (c->moving && c->stage != STAGE_CLOSING)
            hf_shards_move(c);
        return;
    }
    if (c->stage == STAGE_UPGRADED)
        hf_upgrade_resume(c);
    else
        parse_waiting(c);
    /* The last request of all has been answered, or will never be whole. */
    if (c->ended && c->stage != STAGE_HANDLING && !c->waiting.size)
        hf_connection_close(c);
    if (c->stage == STAGE_CLOSING || !c->paused || c->waiting.size >= READ_SIZE || c->upgrade.held)
        return;
    c->paused = false;
    if (uv_read_start(&c->io.stream, on_alloc, on_read))
        hf_connection_close(c);
}

void hf_connection_answered(struct connection *c)
{
    if (c->waiting.size || c->paused || c->doomed || c->ended)
        hf_http_later(c);
    else
        is_free(c);
}

/* ---- reading ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer)
{
    struct connection *c = handle->data;

    (void)suggested;
    *ret_buffer = uv_buf_init(c->http->read_buffer, c->tls ? SECURE_READ : READ_SIZE);
}

static void connection_on_closed(uv_handle_t *handle)
{
    hf_connection_drop_unsent(handle->data);
    hf_secure_drop(handle->data);
    hf_http_forget(handle->data);
}

/* Whether the current request continues although its client has closed its side. */
static bool is_wanted(const struct connection *c)
{
    return !c->pending.by || hf_mux_half_closed(c->pending);
}

/* The client has closed its side, and may still read. Returns false if there is nothing to
 * answer. */
static bool goes_on(struct connection *c)
{
    c->ended = true;
    return c->stage == STAGE_HANDLING ? is_wanted(c) : c->waiting.size > 0;
}

/* Bytes of HTTP, or of what it was upgraded to; or an error, or the end of input. */
static void connection_receive(struct connection *c, ssize_t n, const char *bytes)
{
    if (c->stage == STAGE_CLOSING) {
        if (n >= 0 || uv_is_closing(&c->io.handle))
            return;
        /* The peer may still read queued data. */
        c->lingers = false;
        if (n != UV_EOF || c->doomed || !c->unsent)
            uv_close(&c->io.handle, connection_on_closed);
        return;
    }
    if (n < 0) {
        if (n != UV_EOF || !goes_on(c))
            hf_connection_close(c);
        return;
    }
    if (c->stage == STAGE_HANDLING || c->waiting.size) {
        connection_keep(c, bytes, (size_t)n);
        return;
    }
    if (c->stage == STAGE_UPGRADED)
        hf_upgrade_receive(c, bytes, (size_t)n);
    else
        connection_parse_bytes(c, bytes, (size_t)n);
}

static void connection_receive_sealed(struct connection *c, const char *bytes, size_t size)
{
    struct secure_input input = hf_secure_receive(c, bytes, size);

    if (input.sealed.size)
        hf_connection_put_sealed(c, input.sealed.to, input.sealed.size);
    if (input.state == TLS_PLAIN) {
        hf_secure_drop(c);
        hf_connection_refuse(c, 400,
                             "Bad Request: plain HTTP was sent to an HTTPS port; use https://");
        return;
    }
    if (input.size)
        connection_receive(c, (ssize_t)input.size, input.bytes);
    if (input.state == TLS_ENDED || input.state == TLS_FAILED)
        connection_receive(c, input.state == TLS_ENDED ? UV_EOF : UV_ECONNRESET, NULL);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct connection *c = stream->data;

    if (!c->tls || c->stage == STAGE_CLOSING || (n < 0 && n != UV_EOF))
        connection_receive(c, n, buffer->base);
    else if (n < 0)
        connection_receive(c, hf_secure_end_of_input(c), NULL);
    else if (n)
        connection_receive_sealed(c, buffer->base, (size_t)n);
}

/* ---- life ---- */

struct connection *hf_connection_new(haft_http *http)
{
    const haft_allocator *allocator = http->allocator;
    struct connection *c = http->spare;

    if (c) {
        http->spare = c->next;
        http->n_spare--;
    } else {
        c = allocator->alloc(allocator->context, sizeof *c);
        if (!c)
            return NULL;
        memset(c, 0, sizeof *c);
        haft_buffer_init(&c->head, allocator,
                         http->options.max_headers + 2 * http->options.max_url +
                             2 * (MAX_HEADERS + 1));
        /* One more than a request may have, because the authority of the target becomes one. */
        haft_buffer_init(&c->fields, allocator, (MAX_HEADERS + 1) * sizeof(struct field));
        haft_buffer_init(&c->body, allocator, http->max_body);
        haft_buffer_init(&c->waiting, allocator, WAITING_LIMIT);
        c->http = http;
    }
    c->pending.by = NULL;
    c->tls = NULL;
    c->streaming = c->handling = c->paused = c->doomed = c->lingers = c->ended = false;
    c->heavy = false;
    c->answer_size = 0;
    c->refused = 0;
    c->moving = 0;
    c->upgrade = (struct upgrade){.events = NULL};
    c->stage = STAGE_HEAD;
    hf_http_remember(http, c);
    return c;
}

void hf_connection_start(struct connection *c)
{
    c->io.handle.data = c;
    llhttp_init(&c->parser, HTTP_REQUEST, &hf_connection_parser);
    c->parser.data = c;
    haft_buffer_clear(&c->waiting);
    start_request(c);
    if (c->http->secure && !hf_secure_start(c)) {
        hf_server_log(c->http->server, HAFT_ERROR, "out of memory: a connection was closed");
        hf_connection_close(c);
        return;
    }
    if (uv_read_start(&c->io.stream, on_alloc, on_read))
        hf_connection_close(c);
}

void hf_connection_continue(struct connection *c)
{
    c->io.handle.data = c->parser.data = c;
    c->answered = c->paused = false;
    if (uv_read_start(&c->io.stream, on_alloc, on_read)) {
        hf_connection_close(c);
        return;
    }
    connection_handle(c);
    hf_connection_resume(c);
}

/* ---- closing ---- */

static void on_shut(uv_shutdown_t *request, int status)
{
    uv_handle_t *handle = (uv_handle_t *)request->handle;

    if (!uv_is_closing(handle) && status < 0)
        uv_close(handle, connection_on_closed);
}

void hf_connection_finish(struct connection *c)
{
    if (c->tls && !c->doomed) {
        struct tls_output last = hf_secure_end(c);

        if (last.size)
            hf_connection_put_sealed(c, last.to, last.size);
        /* Comes back when it is written. */
        if (c->unsent && !c->doomed)
            return;
    }
    if (!c->lingers || uv_shutdown(&c->to_socket.shutdown, &c->io.stream, on_shut))
        uv_close(&c->io.handle, connection_on_closed);
}

/* Queued data is written first, as far as the peer reads it. A refused peer may still be sending:
 * closing the socket then would reset the connection and lose the response, so further input is
 * read and discarded. */
void hf_connection_close(struct connection *c)
{
    if (c->stage == STAGE_CLOSING)
        return;
    c->stage = STAGE_CLOSING;
    c->since = loop_now(&c->http->loop);
    c->lingers = c->lingers && !c->doomed && !c->ended;
    if (c->pending.by) {
        struct pending_request pending = c->pending;

        c->pending.by = NULL;
        hf_mux_gone(pending);
    }
    hf_upgrade_end(c);
    if (!c->lingers)
        uv_read_stop(&c->io.stream);
    if (c->doomed || !c->unsent)
        hf_connection_finish(c);
}

void hf_connection_abort(struct connection *c)
{
    c->doomed = true;
    hf_connection_close(c);
    if (!uv_is_closing(&c->io.handle))
        uv_close(&c->io.handle, connection_on_closed);
}

/* Whether a client that has closed its side has also closed the other, as far as that is known
 * without writing: by a reset, or on a Unix socket. */
static bool is_gone(const struct connection *c)
{
    struct pollfd peer = {.events = 0};

    return !uv_fileno(&c->io.handle, &peer.fd) && poll(&peer, 1, 0) > 0 &&
           peer.revents & (POLLERR | POLLHUP);
}

void hf_connection_check(struct connection *c, haft_time now)
{
    const haft_http_options *options = &c->http->options;
    haft_time spent = now - c->since;

    switch ((enum stage)c->stage) {
    case STAGE_HEAD:
        if (c->tls && hf_secure_is_shaking(c)) {
            if (spent > options->header_ms)
                hf_connection_close(c);
        } else if (c->begun && spent > options->header_ms)
            hf_connection_refuse(c, 408, "Request Timeout: the headers took too long");
        else if (!c->begun && spent > options->idle_ms)
            hf_connection_close(c);
        else if (!c->begun && spent > REST_MS && !c->waiting.size)
            hf_connection_trim(c, 0);
        break;
    case STAGE_BODY:
        if (spent > options->body_ms)
            hf_connection_refuse(c, 408, "Request Timeout: the body took too long");
        break;
    case STAGE_CLOSING:
        if (spent > (c->lingers ? LINGER_MS : options->header_ms))
            hf_connection_abort(c);
        break;
    case STAGE_UPGRADED:
        hf_upgrade_tick(c, now);
        break;
    case STAGE_HANDLING:
        if (c->ended && (!is_wanted(c) || is_gone(c)))
            hf_connection_close(c);
        break;
    }
}

void hf_connection_trim_request(struct connection *c, size_t keep)
{
    hf_buffer_trim(&c->head, keep);
    hf_buffer_trim(&c->fields, keep);
    hf_buffer_trim(&c->body, keep);
    hf_http_return_notes(c);
}

void hf_connection_trim(struct connection *c, size_t keep)
{
    hf_connection_trim_request(c, keep);
    hf_buffer_trim(&c->waiting, 0);
}

void hf_connection_free(struct connection *c)
{
    const haft_allocator *allocator = c->http->allocator;

    hf_secure_drop(c);
    haft_buffer_finish(&c->head);
    haft_buffer_finish(&c->fields);
    haft_buffer_finish(&c->body);
    haft_buffer_finish(&c->waiting);
    if (c->notes)
        allocator->release(allocator->context, c->notes, sizeof *c->notes);
    allocator->release(allocator->context, c, sizeof *c);
}
