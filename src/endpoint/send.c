/* send.c - sends messages of the engine over HTTP: as one JSON body, or as an event stream.
 *
 * A request is answered with JSON if the response is its first message; an earlier message turns it
 * into a stream. The events of a legacy stream are numbered and stored, so that a client can resume
 * it. */
#include <stdio.h>

#include "base/list.h"
#include "endpoint/authenticator.h"
#include "endpoint/job.h"
#include "engine/session/remember.h"

enum { SEND_RETRY_MS = 1000, ID_LINE = 64, KEPT_SCRATCH = 256 << 10, SEND_CHALLENGE = 16 << 10 };

/* ---- exchanges ---- */

static void unlink_exchange(haft_exchange *exchange)
{
    haft_exchange **list =
        exchange->session ? &exchange->session->exchanges : &exchange->endpoint->exchanges;

    if (exchange->session && exchange->session->listening == exchange) {
        exchange->session->listening = NULL;
        return;
    }
    if (exchange->next)
        exchange->next->previous = exchange->previous;
    if (exchange->previous)
        exchange->previous->next = exchange->next;
    else if (*list == exchange)
        *list = exchange->next;
}

/* The connection that uses the alias has ended. */
static void free_alias(haft_exchange *exchange)
{
    haft_exchange *alias = exchange->alias;

    exchange->alias = NULL;
    alias->of = NULL;
    hf_exchange_free(alias);
}

void hf_exchange_free(haft_exchange *exchange)
{
    haft_endpoint *endpoint = exchange->endpoint;

    if (exchange->held) {
        exchange->done = true;
        return;
    }
    unlink_exchange(exchange);
    if (exchange->listens)
        atomic_fetch_sub(&endpoint->guard.server->metering.streams, 1);
    exchange->listens = false;
    if (exchange->n_jobs)
        hf_jobs_forget_exchange(exchange);
    if (exchange->of)
        exchange->of->alias = NULL;
    if (exchange->alias)
        free_alias(exchange);
    exchange->next = endpoint->spare;
    endpoint->spare = exchange;
    endpoint->n_exchanges--;
}

void hf_exchange_detach(haft_exchange *exchange)
{
    unlink_exchange(exchange);
    exchange->next = exchange->previous = NULL;
    exchange->session = NULL;
}

void hf_exchange_listen(haft_exchange *exchange, struct http_session *session)
{
    haft_exchange *before = session->listening;

    unlink_exchange(exchange);
    exchange->next = exchange->previous = NULL;
    if (!exchange->listens)
        atomic_fetch_add(&exchange->endpoint->guard.server->metering.streams, 1);
    exchange->listens = true;
    session->listening = exchange;
    session->listen_stream = exchange->stream;
    session->listen_number = exchange->number;
    if (!before)
        return;
    LIST_PUSH(session->exchanges, before, previous, next);
}

/* ---- complete responses ---- */

enum { EXCHANGE_HEADERS = DOOR_CORS + 4 };

/* Adds the common headers: the content type, unless the body is empty, and the session id. Returns
 * their number. */
static size_t exchange_put_headers(const haft_exchange *exchange, const char *type,
                                   haft_header *ret_headers)
{
    size_t n = 0;

    if (type)
        ret_headers[n++] = (haft_header){"Content-Type", type};
    if (exchange->creates && exchange->session)
        ret_headers[n++] = (haft_header){"Mcp-Session-Id", exchange->session->id};
    if (exchange->endpoint->guard.cors_origin)
        n += hf_guard_put_cors(&exchange->endpoint->guard, ret_headers + n);
    return n;
}

void hf_exchange_respond(haft_exchange *exchange, int status, const haft_header *extra,
                         const char *body, size_t size)
{
    haft_header headers[EXCHANGE_HEADERS];
    haft_response response = {.status = status, .headers = headers, .body = body, .size = size};

    if (!exchange->gone && !exchange->done) {
        response.n_headers =
            exchange_put_headers(exchange, size ? "application/json" : NULL, headers);
        if (extra)
            headers[response.n_headers++] = *extra;
        exchange->responder.respond(exchange->context, &response);
    }
    hf_exchange_free(exchange);
}

void hf_exchange_refuse(haft_exchange *exchange, int status, const haft_header *extra, int code,
                        const char *message)
{
    char body[512];
    haft_buffer json;

    haft_buffer_init(&json, exchange->endpoint->allocator, sizeof body);
    hf_rpc_put_error(&json, NULL, code, message, NULL);
    hf_exchange_respond(exchange, status, extra, json.data, json.status ? 0 : json.size);
    haft_buffer_finish(&json);
}

/* ---- streams ---- */

/* Returns false without memory. */
static bool write_text(haft_exchange *exchange, const haft_buffer *text)
{
    exchange->quiet_since = exchange->endpoint->now;
    if (!exchange->gone && !text->status)
        exchange->responder.write(exchange->context, text->data, text->size);
    return !text->status;
}

void hf_exchange_stream(haft_exchange *exchange)
{
    haft_buffer *text = &exchange->endpoint->scratch;
    bool primes = exchange->resumable && exchange->number == 0;
    haft_header headers[EXCHANGE_HEADERS];
    haft_response head = {.status = 200, .headers = headers, .body = ""};

    exchange->streaming = true;
    if (!exchange->gone) {
        head.n_headers = exchange_put_headers(exchange, "text/event-stream", headers);
        headers[head.n_headers++] = (haft_header){"Cache-Control", "no-cache, no-transform"};
        headers[head.n_headers++] = (haft_header){"X-Accel-Buffering", "no"};
        exchange->responder.stream(exchange->context, &head);
    }
    exchange->quiet_since = exchange->endpoint->now;
    if (!primes || !hf_revision_rows[hf_session_revision(exchange->engine)].primes)
        return;
    haft_buffer_clear(text);
    haft_buffer_printf(text, "id: %llu-0\nretry: %d\ndata: \n\n",
                       (unsigned long long)exchange->stream, SEND_RETRY_MS);
    write_text(exchange, text);
}

bool hf_exchange_write_event(haft_exchange *exchange, uint64_t number, const char *text,
                             size_t size)
{
    haft_buffer *event = &exchange->endpoint->scratch;
    bool written;

    haft_buffer_clear(event);
    if (exchange->resumable)
        haft_buffer_printf(event, "id: %llu-%llu\n", (unsigned long long)exchange->stream,
                           (unsigned long long)number);
    haft_buffer_puts(event, "event: message\ndata: ");
    haft_buffer_add(event, text, size);
    haft_buffer_puts(event, "\n\n");
    written = write_text(exchange, event);
    hf_buffer_trim(event, KEPT_SCRATCH);
    return written;
}

void hf_exchange_keep_alive(haft_exchange *exchange)
{
    haft_buffer *text = &exchange->endpoint->scratch;

    haft_buffer_clear(text);
    haft_buffer_puts(text, ": keep-alive\n\n");
    write_text(exchange, text);
}

void hf_exchange_end(haft_exchange *exchange)
{
    /* A GET stream may still wait for the store. */
    if (!exchange->gone && !exchange->streaming)
        hf_exchange_stream(exchange);
    if (!exchange->gone)
        exchange->responder.end(exchange->context);
    hf_exchange_free(exchange);
}

/* ---- messages of the engine ---- */

void hf_exchange_hang_up(haft_exchange *exchange)
{
    if (!exchange->gone)
        exchange->responder.end(exchange->context);
    exchange->gone = true;
    if (exchange->alias)
        free_alias(exchange);
}

/* A client that missed an event might wait forever, so its stream is closed. A client that can
 * resume gets the event then. */
void hf_exchange_break_off(haft_exchange *exchange)
{
    if (exchange->session && exchange->session->listening == exchange)
        hf_exchange_end(exchange);
    else
        hf_exchange_hang_up(exchange);
}

/* Sends an event, after storing it if the client can resume; `ends`: it is the last of the
 * stream. */
static void take_event(haft_exchange *exchange, const haft_outgoing *message, bool ends)
{
    if (!exchange->streaming)
        hf_exchange_stream(exchange);
    exchange->number++;
    if (exchange->resumable && exchange->session) {
        hf_http_session_keep(exchange->session, exchange, exchange->stream, exchange->number,
                             message, ends);
        return;
    }
    if (!hf_exchange_write_event(exchange, exchange->number, message->text, message->size) && !ends)
        hf_exchange_break_off(exchange);
    if (ends)
        hf_exchange_end(exchange);
}

/* Sends the response that refuses a client for its scopes, and says which ones it needs. */
static COLD void send_challenge(haft_exchange *exchange, const haft_outgoing *message)
{
    const haft_endpoint_options *options = &exchange->endpoint->options;
    haft_authenticator *authenticator = options->authenticator;
    haft_header challenge = {.name = "WWW-Authenticate"};
    haft_buffer value;

    haft_buffer_init(&value, exchange->endpoint->allocator, SEND_CHALLENGE);
    if (!authenticator->class->challenge(authenticator, options->path, message->scopes, &value))
        haft_buffer_add(&value, "", 1);
    challenge.value = value.data;
    hf_exchange_respond(exchange, message->http_status,
                        value.status || !value.size ? NULL : &challenge, message->text,
                        message->size);
    haft_buffer_finish(&value);
}

void hf_exchange_answer(haft_exchange *exchange, const haft_outgoing *message)
{
    if (exchange->streaming || (!exchange->takes_json && !message->error_code))
        take_event(exchange, message, true);
    else if (message->scopes && message->http_status == 403 &&
             exchange->endpoint->options.authenticator)
        send_challenge(exchange, message);
    else
        hf_exchange_respond(exchange, message->http_status, NULL, message->text, message->size);
}

static void send_take_response(haft_exchange *exchange, const haft_outgoing *message)
{
    struct http_session *session = exchange->session;
    bool ends = exchange->creates && message->error_code;

    if (ends)
        exchange->creates = false;
    else if (session && !session->deleted &&
             hf_session_changes(session->engine) != session->saved) {
        hf_http_session_save_and_answer(exchange, message);
        return;
    }
    hf_exchange_answer(exchange, message);
    if (ends)
        hf_http_session_end(session);
}

/* Closes the connection; the request remains. */
static void pause(haft_exchange *exchange)
{
    if (!exchange->resumable || !exchange->takes_events || exchange->gone ||
        !hf_revision_rows[hf_session_revision(exchange->engine)].primes)
        return;
    if (!exchange->streaming)
        hf_exchange_stream(exchange);
    hf_exchange_hang_up(exchange);
}

static void let_go(haft_exchange *exchange, bool over)
{
    if (exchange->done)
        return;
    /* A request is answered with JSON or a stream, even if the engine sends nothing. */
    if (over && !exchange->streaming && exchange->kind == HAFT_INCOMING_REQUEST &&
        exchange->takes_events) {
        exchange->resumable = false;
        hf_exchange_stream(exchange);
    }
    if (!over)
        pause(exchange);
    else if (exchange->n_jobs)
        exchange->ending = true;
    else if (exchange->streaming)
        hf_exchange_end(exchange);
    else
        hf_exchange_respond(exchange, 202, NULL, NULL, 0);
}

void hf_endpoint_let_go_shared(void *context, void *tag, bool over)
{
    (void)context;
    if (tag)
        let_go(tag, over);
}

void hf_endpoint_let_go_session(void *context, void *tag, bool over)
{
    const struct http_session *session = context;

    if (tag && !session->sse)
        let_go(tag, over);
}

void hf_endpoint_send_shared(void *context, const haft_outgoing *message)
{
    haft_exchange *exchange = message->tag;

    (void)context;
    if (!exchange || exchange->done)
        return;
    if (message->kind == HAFT_OUT_RESPONSE)
        hf_exchange_answer(exchange, message);
    else if (exchange->takes_events)
        take_event(exchange, message, false);
}

/* Sends an unsolicited message of the session. A disconnected client gets it when it resumes. */
static void tell(struct http_session *session, const haft_outgoing *message)
{
    haft_exchange *other = session->listening ? NULL : session->exchanges;

    /* Each message goes to one stream: the latest that is open. */
    while (other && !other->listens)
        other = other->next;
    if (other)
        hf_exchange_listen(other, session);
    if (session->listening) {
        session->listen_number = session->listening->number + 1;
        take_event(session->listening, message, false);
    } else if (session->listen_stream) {
        hf_http_session_keep(session, NULL, session->listen_stream, ++session->listen_number,
                             message, false);
    }
}

void hf_endpoint_send_session(void *context, const haft_outgoing *message)
{
    struct http_session *session = context;
    haft_exchange *exchange = message->tag;

    if (session->sse || !exchange)
        tell(session, message);
    else if (exchange->done)
        return;
    else if (message->kind == HAFT_OUT_RESPONSE)
        send_take_response(exchange, message);
    else if (exchange->takes_events)
        take_event(exchange, message, false);
}
