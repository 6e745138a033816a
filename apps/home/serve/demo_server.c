/* demo_server.c - requests to the demo home: the REST API and the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/sha256.h"
#include "protocol/header.h"
#include "serve/demo_server.h"

enum { DEMO_SERVER_ANSWER = 64 << 20 };

/* ---- the page ---- */

/* Appends "'sha256-...'" of what is between two tags of the page. */
static void demo_server_put_hash(haft_buffer *out, const char *open, const char *close)
{
    unsigned char digest[SHA256_SIZE];
    char text[(SHA256_SIZE + 2) / 3 * 4 + 1];
    const char *begin = strstr((const char *)demo_page, open),
               *end = begin ? strstr(begin, close) : NULL;
    struct sha256 hash;

    if (!end)
        return;
    begin += strlen(open);
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, begin, (size_t)(end - begin));
    hf_sha256_finish(&hash, digest);
    haft_buffer_printf(out, "'sha256-%.*s'", (int)haft_base64_encode(digest, sizeof digest, text),
                       text);
}

/* Only the script and the style of the page itself run, and only this server is connected to. */
static int demo_server_make_policy(struct demo_server *server)
{
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, sizeof server->policy);
    haft_buffer_puts(&text, "default-src 'none'; connect-src 'self'; img-src data:; script-src ");
    demo_server_put_hash(&text, "<script>", "</script>");
    haft_buffer_puts(&text, "; style-src ");
    demo_server_put_hash(&text, "<style>", "</style>");
    haft_buffer_puts(&text, "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    haft_buffer_add(&text, "", 1);
    status = text.status;
    if (!status)
        memcpy(server->policy, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}

static void demo_server_send_page(const struct demo_server *server, bool has_body,
                                  const haft_responder *responder, void *context)
{
    const haft_header headers[] = {{"Content-Type", "text/html; charset=utf-8"},
                                   {"Content-Security-Policy", server->policy},
                                   {"X-Content-Type-Options", "nosniff"},
                                   {"Referrer-Policy", "no-referrer"},
                                   {"Cache-Control", "no-cache"}};

    responder->respond(context, &(haft_response){.status = 200,
                                                 .headers = headers,
                                                 .n_headers = sizeof headers / sizeof *headers,
                                                 .body = (const char *)demo_page,
                                                 .size = has_body ? demo_page_size : 0});
}

/* ---- REST ---- */

static const char *demo_server_token(const haft_request *request)
{
    static const char scheme[] = "Bearer ";
    bool again;
    const char *value =
        hf_header_get(request->headers, request->n_headers, "Authorization", &again).data;

    return value && !again && !strncmp(value, scheme, sizeof scheme - 1) ? value + sizeof scheme - 1
                                                                         : NULL;
}

static void *demo_server_stream(struct demo_server *server, const haft_request *request,
                                const haft_responder *responder, void *context)
{
    const haft_header headers[] = {{"Content-Type", "text/event-stream"},
                                   {"Cache-Control", "no-store"}};
    void *stream;

    responder->stream(context, &(haft_response){.status = 200, .headers = headers, .n_headers = 2});
    stream = demo_socket_stream(server, request->query, responder, context);
    if (!stream)
        responder->end(context);
    return stream;
}

static void *demo_server_answer(struct demo_server *server, const haft_request *request,
                                const haft_responder *responder, void *context)
{
    struct demo_response answer = {.status = 0};
    haft_header headers[2] = {{"Content-Type", NULL}, {"Location", NULL}};

    haft_buffer_init(&answer.body, NULL, DEMO_SERVER_ANSWER);
    demo_handle(server->demo,
                &(struct demo_request){.method = request->method,
                                       .path = request->path,
                                       .query = request->query,
                                       .token = demo_server_token(request),
                                       .body = request->body ? request->body : "",
                                       .size = request->body_size},
                &answer);
    if (answer.streams && answer.status == 200) {
        haft_buffer_finish(&answer.body);
        return demo_server_stream(server, request, responder, context);
    }
    headers[0].value = answer.body.status ? "text/plain; charset=utf-8" : answer.type;
    headers[1].value = answer.location;
    if (answer.body.status)
        responder->respond(context,
                           &(haft_response){.status = 500,
                                            .headers = headers,
                                            .n_headers = 1,
                                            .body = "500: Internal Server Error",
                                            .size = sizeof "500: Internal Server Error" - 1});
    else
        responder->respond(context, &(haft_response){.status = answer.status,
                                                     .headers = headers,
                                                     .n_headers = answer.location ? 2 : 1,
                                                     .body = answer.body.data,
                                                     .size = answer.body.size});
    haft_buffer_finish(&answer.body);
    return NULL;
}

/* ---- the app ---- */

static void *demo_server_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    struct demo_server *server = calloc(1, sizeof *server);

    if (!server || demo_server_make_policy(server)) {
        free(server);
        hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    server->demo = data;
    server->loop = loop->loop;
    server->ticks = !loop->number;
    return server;
}

static void demo_server_close(void *app)
{
    demo_sockets_close(app);
    free(app);
}

static void *demo_server_handle(void *app, const haft_request *request,
                                const haft_responder *responder, void *context, haft_time now)
{
    bool is_head = !strcmp(request->method, "HEAD");

    if (!strcmp(request->path, "/") && (is_head || !strcmp(request->method, "GET")))
        demo_server_send_page(app, !is_head, responder, context);
    else if (!strcmp(request->path, "/api/websocket"))
        demo_socket_open(app, request, responder, context, now);
    else
        return demo_server_answer(app, request, responder, context);
    return NULL;
}

/* Every request is answered at once, but for streams. */
static void demo_server_gone(void *app, void *exchange)
{
    (void)app;
    demo_stream_gone(exchange);
}

static void demo_server_shut_down(void *app)
{
    demo_streams_end(app);
}

static void demo_server_tick(void *app, haft_time now)
{
    struct demo_server *server = app;

    (void)now;
    if (server->ticks)
        demo_tick(server->demo);
    demo_sockets_move(server);
}

/* The page is for everyone; the rest needs the token of the home. */
static const char *demo_server_unauthenticated(void *app)
{
    (void)app;
    return NULL;
}

haft_app demo_server_app(struct demo *demo)
{
    return (haft_app)HAFT_INIT(haft_app, .open = demo_server_open, .close = demo_server_close,
                               .handle = demo_server_handle, .gone = demo_server_gone,
                               .tick = demo_server_tick, .shut_down = demo_server_shut_down,
                               .unauthenticated = demo_server_unauthenticated, .data = demo);
}
