/* http_answer.c - what a server answers, and what it means for the client.
 *
 * Everything of a response comes by a callback of the HTTP client; the end is the last. A callback of
 * the client may end the exchange, or the whole link: so an exchange is `busy` meanwhile, and its end
 * waits. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yyjson.h>

#include "connect/http.h"
#include "protocol/http_status.h"

enum {
    ANSWER_ACCEPTED = 202,
    ANSWER_ERRORS = 300,
    ANSWER_TEMPORARY = 307,
    ANSWER_PERMANENT = 308,
    ANSWER_BAD_REQUEST = 400,
    ANSWER_UNAUTHORIZED = 401,
    ANSWER_FORBIDDEN = 403,
    ANSWER_NOT_FOUND = 404,
    ANSWER_NOT_ALLOWED = 405,
    ANSWER_SERVER_ERRORS = 500,
    ANSWER_NOT_IMPLEMENTED = 501,
    ANSWER_REDIRECTS = 5, /* of one message */
    ANSWER_LINGER = 1000  /* milliseconds for the end of a stream after its answer */
};

/* ---- the head ---- */

static bool answer_is_type(const char *value, const char *type)
{
    size_t size = strlen(type);

    return !strncasecmp(value, type, size) && (!value[size] || strchr("; \t", value[size]));
}

static void answer_keep_session(struct http_link *http, const char *id)
{
    size_t size = strlen(id);

    for (size_t i = 0; i < size; i++)
        if (id[i] < 0x21 || id[i] > 0x7E)
            return;
    if (!size || size > HTTP_SESSION_LIMIT)
        return;
    memcpy(http->session, id, size + 1);
    http->n_sessions++;
}

static bool answer_is_challenge(const struct http_exchange *exchange)
{
    return exchange->http->authorizer && (exchange->answer.status == ANSWER_UNAUTHORIZED ||
                                          exchange->answer.status == ANSWER_FORBIDDEN);
}

/* Keeps the headers for the authorizer. */
static void answer_keep_fields(struct http_exchange *exchange, const struct http_head *head)
{
    struct http_answer *answer = &exchange->answer;
    haft_arena *arena = exchange->arena;

    answer->n_fields = 0;
    answer->fields = haft_arena_zalloc(arena, head->n_fields + 1, sizeof *answer->fields);
    for (size_t i = 0; answer->fields && i < head->n_fields; i++) {
        struct http_field *field = &answer->fields[i];

        field->name = haft_arena_copy(arena, head->fields[i].name, strlen(head->fields[i].name));
        field->value = haft_arena_copy(arena, head->fields[i].value, strlen(head->fields[i].value));
        if (!field->name || !field->value)
            break;
        answer->n_fields++;
    }
    if (answer->n_fields < head->n_fields)
        answer->failure = HAFT_ENOMEM;
}

/* Those that keep the method: after the others a POST would become a GET. */
static bool answer_is_redirect(int status)
{
    return status == ANSWER_TEMPORARY || status == ANSWER_PERMANENT;
}

void hf_http_answer_on_head(void *context, const struct http_head *head)
{
    struct http_exchange *exchange = context;
    struct http_answer *answer = &exchange->answer;
    bool fine = head->status < ANSWER_ERRORS;

    answer->status = head->status;
    for (size_t i = 0; i < head->n_fields; i++) {
        const struct http_field *field = &head->fields[i];

        if (!strcasecmp(field->name, "content-type")) {
            answer->is_stream = fine && answer_is_type(field->value, "text/event-stream");
            answer->is_json = answer_is_type(field->value, "application/json");
        } else if (answer_is_redirect(head->status) && !strcasecmp(field->name, "location")) {
            answer->location = haft_arena_copy(exchange->arena, field->value, strlen(field->value));
        } else if (fine && exchange->is_initialize && !strcasecmp(field->name, "mcp-session-id")) {
            answer_keep_session(exchange->http, field->value);
        }
    }
    answer->was_stream = answer->was_stream || answer->is_stream;
    if (answer_is_challenge(exchange))
        answer_keep_fields(exchange, head);
    if (exchange->is_initialized)
        hf_http_link_listen(exchange->http);
    hf_http_link_go_on(exchange->http);
}

/* ---- the body ---- */

void hf_http_answer_on_body(void *context, const char *bytes, size_t size)
{
    struct http_exchange *exchange = context;
    struct http_answer *answer = &exchange->answer;

    if (exchange->dropped || answer->failure)
        return;
    if (answer->is_stream && exchange->kind != EXCHANGE_MESSAGE) {
        exchange->busy = true;
        answer->failure = hf_http_events_feed(exchange, bytes, size);
        exchange->busy = false;
    } else if (exchange->kind == EXCHANGE_REQUEST) {
        haft_buffer_add(&answer->body, bytes, size);
        answer->failure = answer->body.status;
    }
    if (exchange->dropped || answer->failure)
        exchange->http->functions->cancel(exchange->request); /* and it is freed */
    else if (exchange->answered && !exchange->due)
        hf_http_exchange_wait(exchange, EXCHANGE_RUNNING, ANSWER_LINGER);
}

/* ---- failures ---- */

void hf_http_answer_fail(struct http_exchange *exchange, const haft_failure *failure)
{
    struct connect_link *link = &exchange->http->link;
    void *tag = exchange->tag;
    bool is_request = exchange->kind == EXCHANGE_REQUEST;

    /* The text may be in the exchange's memory. */
    exchange->tag = NULL;
    exchange->busy = true;
    if (is_request && tag)
        hf_connect_link_failed(link, tag, failure);
    hf_http_exchange_free(exchange);
}

/* "404 Not Found" */
static const char *answer_status_text(int status, char text[64])
{
    const char *reason = hf_http_status_reason(status);

    snprintf(text, 64, "%d%s%s", status, *reason ? " " : "", reason);
    return text;
}

/* The message of a JSON-RPC error, in characters that can be printed; "" if there is none. */
static void answer_error_text(const struct http_answer *answer, char *text, size_t room)
{
    yyjson_doc *doc = answer->body.size && answer->is_json
                          ? yyjson_read(answer->body.data, answer->body.size, 0)
                          : NULL;
    const char *message = yyjson_get_str(
        yyjson_obj_get(yyjson_obj_get(yyjson_doc_get_root(doc), "error"), "message"));
    size_t size = 0;
    bool cut;

    if (message)
        size = hf_text_escape(message, strlen(message), false, text, room - 1, &cut);
    text[size < room ? size : room - 1] = '\0';
    yyjson_doc_free(doc);
}

static bool answer_is_message(const struct http_answer *answer)
{
    yyjson_doc *doc = answer->body.size && answer->is_json
                          ? yyjson_read(answer->body.data, answer->body.size, 0)
                          : NULL;
    bool is = yyjson_obj_get(yyjson_doc_get_root(doc), "jsonrpc") != NULL;

    yyjson_doc_free(doc);
    return is;
}

/* Whether the server does not accept the method, as servers of files and pages. */
static bool answer_is_not_mcp(int status)
{
    return status == ANSWER_NOT_ALLOWED || status == ANSWER_NOT_IMPLEMENTED;
}

static void answer_refused(struct http_exchange *exchange, bool session_gone)
{
    const struct http_answer *answer = &exchange->answer;
    int status = answer->status;
    const char *hint = status == ANSWER_UNAUTHORIZED ? "; it requires authorization"
                       : answer->location            ? "; the redirect is not followed"
                       : status == ANSWER_NOT_FOUND && !session_gone
                           ? "; is the path of the URL right?"
                       : answer_is_not_mcp(status) ? "; is this the URL of an MCP endpoint?"
                                                   : "";
    char text[HTTP_TEXT], words[64], message[200];

    answer_error_text(answer, message, sizeof message);
    snprintf(text, sizeof text, "the server answered %s%s%s%s", answer_status_text(status, words),
             *message ? ": " : "", message, session_gone ? "; the session has ended" : hint);
    hf_http_answer_fail(exchange, &(haft_failure){.status = status == ANSWER_UNAUTHORIZED ||
                                                                    status == ANSWER_FORBIDDEN
                                                                ? HAFT_EDENIED
                                                                : HAFT_EPROTOCOL,
                                                  .http_status = status,
                                                  .text = text,
                                                  .maybe_handled = status >= ANSWER_SERVER_ERRORS &&
                                                                   !answer_is_not_mcp(status),
                                                  .session_gone = session_gone});
}

static void answer_fail_reading(struct http_exchange *exchange)
{
    const struct http_answer *answer = &exchange->answer;
    const struct connect_limits *limits = &exchange->http->link.limits;
    char text[HTTP_TEXT];

    if (answer->why)
        snprintf(text, sizeof text, "%s", answer->why);
    else if (answer->failure == HAFT_ETOOBIG && answer->status)
        snprintf(text, sizeof text, "the server's message exceeds the limit of %zu bytes",
                 limits->max_message);
    else if (answer->failure == HAFT_ETOOBIG)
        snprintf(text, sizeof text, "the message has too many headers, or they are too large");
    else
        snprintf(text, sizeof text, "%s", haft_strerror(answer->failure));
    hf_http_answer_fail(exchange, &(haft_failure){.status = answer->failure,
                                                  .http_status = answer->status,
                                                  .text = text,
                                                  .maybe_handled = answer->status != 0});
}

/* Why there is no connection to a Unix socket: libcurl names localhost and a port. */
static const char *answer_socket_fault(const char *path)
{
    struct stat file;

    if (stat(path, &file))
        return strerror(errno);
    if (!S_ISSOCK(file.st_mode))
        return "it is not a socket";
    if (access(path, W_OK))
        return strerror(errno);
    return "no server listens on this socket";
}

static void answer_fail_sending(struct http_exchange *exchange, const struct http_end *end)
{
    const char *socket = exchange->http->place.unix_socket;
    char text[HTTP_TEXT];

    snprintf(text, sizeof text, "%s%.150s: %.200s", socket ? "unix:" : "",
             exchange->http->place.shown,
             socket && end->error == HTTP_CONNECT_FAILED ? answer_socket_fault(socket) : end->text);
    hf_http_answer_fail(
        exchange,
        &(haft_failure){.status = end->error == HTTP_NO_MEMORY ? HAFT_ENOMEM : HAFT_ECLOSED,
                        .http_status = end->status,
                        .text = text,
                        .maybe_handled = end->maybe_handled});
}

static void answer_fail_with(struct http_exchange *exchange, int status, const char *text)
{
    hf_http_answer_fail(exchange, &(haft_failure){.status = status,
                                                  .http_status = exchange->answer.status,
                                                  .text = text,
                                                  .maybe_handled = true});
}

/* ---- the end of a request ---- */

/* Delivers the body. The client lets go of the request that it answers. */
static void answer_deliver(struct http_exchange *exchange)
{
    const struct http_answer *answer = &exchange->answer;
    bool fine = answer->status < ANSWER_ERRORS;

    exchange->busy = true;
    hf_connect_link_message(&exchange->http->link, answer->body.data, answer->body.size,
                            exchange->tag);
    exchange->busy = false;
    if (exchange->answered || exchange->dropped)
        hf_http_exchange_free(exchange);
    else if (fine)
        answer_fail_with(exchange, HAFT_EPROTOCOL, "the response does not belong to the request");
    else
        answer_refused(exchange, false);
}

/* Forgets the session of the exchange, unless there is a newer one. */
static void answer_end_session(const struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;

    if (exchange->session == http->n_sessions)
        http->session[0] = '\0';
}

static void answer_take_error(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;
    int status = exchange->answer.status;
    bool falls_back = http->link.target.legacy_sse && exchange->is_initialize && !http->events &&
                      (status == ANSWER_BAD_REQUEST || status == ANSWER_NOT_FOUND ||
                       status == ANSWER_NOT_ALLOWED);

    if (answer_is_challenge(exchange) && hf_http_access_challenged(exchange))
        return;
    if (status == ANSWER_NOT_FOUND && exchange->session) {
        answer_end_session(exchange);
        answer_refused(exchange, true);
    } else if (status != ANSWER_UNAUTHORIZED && status != ANSWER_FORBIDDEN &&
               !(status == ANSWER_NOT_FOUND && exchange->is_initialize) && /* no such path */
               answer_is_message(&exchange->answer)) {
        answer_deliver(exchange);
    } else if (!falls_back || !hf_http_events_fall_back(exchange)) {
        answer_refused(exchange, false);
    }
}

static void answer_take_resumed(struct http_exchange *exchange)
{
    char text[HTTP_TEXT], words[64];

    snprintf(text, sizeof text,
             "the server ended the stream before it answered, and answered %s when it was resumed",
             answer_status_text(exchange->answer.status, words));
    answer_fail_with(exchange, HAFT_ECLOSED, text);
}

static void answer_take(struct http_exchange *exchange)
{
    const struct http_answer *answer = &exchange->answer;
    char text[HTTP_TEXT], words[64];

    if (exchange->resuming && !answer->is_stream && !answer_is_challenge(exchange)) {
        answer_take_resumed(exchange);
    } else if (answer->status >= ANSWER_ERRORS) {
        answer_take_error(exchange);
    } else if (exchange->http->events) {
        exchange->state = EXCHANGE_POSTED;
        exchange->due = 0;
    } else if (answer->is_stream) {
        answer_fail_with(exchange, HAFT_ECLOSED, "the server ended the stream before it answered");
    } else if (answer->status == ANSWER_ACCEPTED || !answer->body.size) {
        snprintf(text, sizeof text, "the server answered %s without a message",
                 answer_status_text(answer->status, words));
        answer_fail_with(exchange, HAFT_EPROTOCOL, text);
    } else if (!answer->is_json) {
        answer_fail_with(exchange, HAFT_EPROTOCOL,
                         "the response is neither JSON nor an event stream; is this the URL of an "
                         "MCP endpoint?");
    } else {
        answer_deliver(exchange);
    }
}

static void answer_end_request(struct http_exchange *exchange, const struct http_end *end)
{
    if (exchange->answered)
        hf_http_exchange_free(exchange);
    else if (exchange->answer.failure)
        answer_fail_reading(exchange);
    else if (hf_http_events_resume(exchange))
        return;
    else if (end->error != HTTP_OK)
        answer_fail_sending(exchange, end);
    else
        answer_take(exchange);
}

/* ---- the end of the others ---- */

static void answer_end_message(struct http_exchange *exchange)
{
    if (!exchange->answer.failure && answer_is_challenge(exchange) &&
        hf_http_access_challenged(exchange))
        return;
    hf_http_exchange_free(exchange);
}

/* A stream was open, and cannot be opened again: what the server sends meanwhile would be lost, so the
 * client has to begin again. */
static void answer_lose_stream(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;
    int status = exchange->answer.status;
    char text[HTTP_TEXT], words[64];
    haft_failure failure = {.status = HAFT_ECLOSED,
                            .http_status = status,
                            .text = text,
                            .maybe_handled = true,
                            .session_gone = true};

    if (status >= ANSWER_ERRORS)
        snprintf(text, sizeof text,
                 "the server ended the listening stream, and answered %s when it was resumed",
                 answer_status_text(status, words));
    else
        snprintf(text, sizeof text, "the server ended the listening stream");
    answer_end_session(exchange);
    hf_http_exchange_free(exchange);
    hf_connect_link_failed(&http->link, NULL, &failure);
}

/* An error means that the server has no such stream, and nothing else, unless there was one. */
static void answer_end_listen(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;
    int status = exchange->answer.status;

    if (!exchange->answer.failure && answer_is_challenge(exchange) &&
        hf_http_access_challenged(exchange))
        return;
    if (hf_http_events_resume(exchange))
        return;
    if (exchange->answer.was_stream && !http->link.target.no_resume && !http->ending) {
        answer_lose_stream(exchange);
        return;
    }
    http->listen_refused = status >= ANSWER_ERRORS;
    hf_http_exchange_free(exchange);
}

/* Sends an exchange again that was redirected within the origin: the server has not executed it. */
static bool answer_follow(struct http_exchange *exchange)
{
    struct http_answer *answer = &exchange->answer;
    const char *base = exchange->url ? exchange->url : exchange->http->place.url;
    haft_buffer url;
    bool follows;

    if (!answer->location || answer->redirects == ANSWER_REDIRECTS || exchange->http->ending ||
        exchange->http->events)
        return false;
    haft_buffer_init(&url, hf_arena_allocator(exchange->arena), SIZE_MAX);
    follows = hf_http_place_resolve(base, answer->location, strlen(answer->location), &url);
    if (follows)
        exchange->url = haft_arena_copy(exchange->arena, url.data, url.size);
    haft_buffer_finish(&url);
    if (!follows || !exchange->url)
        return false;
    answer->redirects++;
    hf_http_exchange_again(exchange);
    return true;
}

void hf_http_answer_on_end(void *context, const struct http_end *end)
{
    struct http_exchange *exchange = context;
    struct http_link *http = exchange->http;

    exchange->request = NULL;
    exchange->due = 0;
    if (exchange->dropped)
        hf_http_exchange_free(exchange);
    else if (end->error == HTTP_OK && answer_follow(exchange))
        ;
    else if (exchange->kind == EXCHANGE_REQUEST)
        answer_end_request(exchange, end);
    else if (exchange->kind == EXCHANGE_LISTEN)
        answer_end_listen(exchange);
    else if (exchange->kind == EXCHANGE_EVENTS)
        hf_http_events_ended(exchange, end);
    else
        answer_end_message(exchange);
    hf_http_link_go_on(http);
}
