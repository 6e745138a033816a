/* respond.c - writes responses: status lines, headers and bodies.
 *
 * The endpoint calls these functions while it handles a request, so they do not call back into
 * it. */
#include <stdio.h>
#include <string.h>

#include "http/http.h"
#include "protocol/http_status.h"

enum { BODY_ROOM = 512, TAIL_ROOM = 96 };

/* ---- responding ---- */

static uv_buf_t text_buf(const char *text, size_t size)
{
    return uv_buf_init((char *)(uintptr_t)text, (unsigned)size);
}

/* The request is finished: continue with the next one, or close. */
static void finish(struct connection *c)
{
    c->pending.by = NULL;
    c->answered = true;
    c->streaming = false;
    c->heavy = c->answer_size > PIECE;
    c->answer_size = 0;
    if (!c->handling)
        hf_connection_answered(c);
}

/* `more` are headers of the server, in addition to those of the app. */
static void respond(struct connection *c, const haft_response *response, const haft_header *more,
                    size_t n_more)
{
    static const char length[] = "Content-Length: ", closes[] = "Connection: close\r\n\r\n";
    const char *last = c->keep_alive ? closes + sizeof closes - 3 : closes;
    char tail[TAIL_ROOM];
    size_t n = 0, size = 0;

    if (http_status_has_body(response->status)) {
        size = c->parser.method == HTTP_HEAD ? 0 : response->size;
        memcpy(tail, length, sizeof length - 1);
        n = sizeof length - 1;
        n += hf_integer_to_text((int64_t)response->size, tail + n);
        memcpy(tail + n, "\r\n", 2);
        n += 2;
    }
    memcpy(tail + n, last, strlen(last));
    hf_connection_put_response(c, response, more, n_more, tail, n + strlen(last), size);
    finish(c);
}

static void response_on_respond(void *context, const haft_response *response)
{
    respond(context, response, NULL, 0);
}

static void on_app_respond(void *context, const haft_response *response)
{
    struct connection *c = context;

    respond(c, response, c->http->mux.cors, c->http->mux.n_cors);
}

static void stream(struct connection *c, const haft_response *head, const haft_header *more,
                   size_t n_more)
{
    const char *tail;

    /* For an HTTP/1.0 client, the end of the connection ends the body. */
    c->chunked = c->parser.http_minor > 0;
    if (!c->chunked)
        c->keep_alive = false;
    tail = !c->chunked     ? "Connection: close\r\n\r\n"
           : c->keep_alive ? "Transfer-Encoding: chunked\r\n\r\n"
                           : "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    c->streaming = true;
    hf_connection_put_response(c, head, more, n_more, tail, strlen(tail), 0);
}

static void response_on_stream(void *context, const haft_response *head)
{
    stream(context, head, NULL, 0);
}

static void on_app_stream(void *context, const haft_response *head)
{
    struct connection *c = context;

    stream(c, head, c->http->mux.cors, c->http->mux.n_cors);
}

static void response_on_write(void *context, const char *bytes, size_t size)
{
    struct connection *c = context;
    char length[24];
    int n = snprintf(length, sizeof length, "%zx\r\n", size);
    uv_buf_t bufs[3] = {text_buf(length, (size_t)n), text_buf(bytes, size), text_buf("\r\n", 2)};

    /* An empty chunk would end the body. */
    if (c->parser.method == HTTP_HEAD || !size)
        return;
    if (c->chunked)
        hf_connection_put(c, bufs, 3);
    else
        hf_connection_put(c, bufs + 1, 1);
}

static void response_on_end(void *context)
{
    struct connection *c = context;
    uv_buf_t last = text_buf("0\r\n\r\n", 5);

    if (c->chunked && c->parser.method != HTTP_HEAD)
        hf_connection_put(c, &last, 1);
    finish(c);
}

const haft_responder hf_http_responder = {response_on_respond, response_on_stream,
                                          response_on_write, response_on_end};
const haft_responder hf_http_app_responder = {on_app_respond, on_app_stream, response_on_write,
                                              response_on_end};

void hf_connection_go_on(struct connection *c)
{
    uv_buf_t go_on = text_buf("HTTP/1.1 100 Continue\r\n\r\n", 25);

    hf_connection_put(c, &go_on, 1);
}

void hf_connection_refuse(struct connection *c, int status, const char *message)
{
    haft_buffer body;

    c->keep_alive = false;
    c->lingers = true;
    haft_buffer_init(&body, c->http->allocator, BODY_ROOM);
    hf_rpc_put_error(&body, NULL, RPC_INVALID_REQUEST, message, NULL);
    c->handling = true;
    response_on_respond(c, &(haft_response){.status = status,
                                            .headers = HEADER("Content-Type", "application/json"),
                                            .n_headers = 1,
                                            .body = body.data,
                                            .size = body.status ? 0 : body.size});
    c->handling = false;
    haft_buffer_finish(&body);
    hf_connection_close(c);
}
