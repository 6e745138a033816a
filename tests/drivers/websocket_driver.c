/* websocket_driver.c - WebSocket in both roles, for tests from outside.
 *
 *     websocket-driver serve THREADS        an HTTP server that sends back every message at /echo
 *     websocket-driver connect URL [FILE]   a client that does the same, trusts the authorities in FILE,
 *                                           and prints how it ended
 *
 * The server closes a connection with code 4001 when it is told "close". */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "part/http_client.h"
#include "websocket/client.h"
#include "websocket/server.h"

/* ---- serve ---- */

struct echo {
    websocket_served *served;
};

static void echo_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct echo *echo = context;

    if (is_text && !strcmp(bytes, "close"))
        hf_websocket_served_close(echo->served, 4001, "as you wish");
    else if (hf_websocket_served_send(echo->served, is_text, bytes, size))
        hf_websocket_served_close(echo->served, 1008, "you do not read");
}

static void echo_on_end(void *context, const struct websocket_end *end)
{
    fprintf(stderr, "ended %d%s%s %s\n", end->code, end->by_peer ? " by peer" : "",
            end->clean ? " clean" : "", end->reason);
    free(context);
}

static void *echo_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop;
    (void)reterr_reason;
    return data;
}

static void *echo_handle(void *app, const haft_request *request, const haft_responder *responder,
                         void *context, haft_time now)
{
    struct echo *echo = calloc(1, sizeof *echo);
    struct websocket_server_options options = {
        .on_message = echo_on_message, .on_end = echo_on_end, .context = echo};

    (void)app;
    if (echo)
        echo->served = hf_websocket_serve(request, responder, context, &options, now);
    else
        responder->respond(context, &(haft_response){.status = 503});
    if (echo && !echo->served)
        free(echo);
    return NULL;
}

static void on_ready(void *context, const char *url)
{
    (void)context;
    fprintf(stderr, "listening on %s\n", url);
}

static int serve(unsigned threads)
{
    static char data[] = "echo";
    static const haft_app app =
        HAFT_INIT(haft_app, .open = echo_open, .handle = echo_handle, .data = data);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/echo", .app = &app);
    haft_http_options options =
        HAFT_INIT(haft_http_options, .address = "127.0.0.1:0", .mounts = &mount, .n_mounts = 1,
                  .ready = on_ready, .threads = threads);
    haft_server *server = haft_server_new("websocket", "1.0.0");
    haft_reason reason = {.text = "out of memory"};
    int status = server ? haft_http_serve(server, &options, &reason) : 1;

    if (status)
        fprintf(stderr, "%s\n", reason.text);
    haft_server_free(server);
    return status != 0;
}

/* ---- connect ---- */

struct visit {
    const struct http_client_functions *http;
    http_client *client;
    websocket_client *ws;
};

static void visit_on_open(void *context)
{
    (void)context;
    printf("open\n");
}

static void visit_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct visit *visit = context;

    hf_websocket_client_send(visit->ws, is_text, bytes, size);
}

static void visit_on_end(void *context, const struct websocket_client_end *end)
{
    struct visit *visit = context;

    printf("%s (code %d, status %d, \"%s\")\n", end->text, end->ws.code, end->status, end->excerpt);
    visit->http->destroy(visit->client);
}

static int visit(const char *url, const char *ca_file)
{
    struct http_client_options trust = {.ca_file = ca_file};
    haft_reason reason = {.text = "out of memory"};
    struct visit visit = {.http = hf_http_client_open(url, &reason)};
    uv_loop_t *loop = uv_default_loop();
    struct websocket_client_options options = {.http = visit.http,
                                               .loop = loop,
                                               .url = url,
                                               .on_open = visit_on_open,
                                               .on_message = visit_on_message,
                                               .on_end = visit_on_end,
                                               .context = &visit};

    visit.client = visit.http ? hf_http_client_new(visit.http, loop, &trust, &reason) : NULL;
    options.client = visit.client;
    visit.ws = visit.client ? hf_websocket_client_open(&options, &reason) : NULL;
    if (!visit.ws) {
        fprintf(stderr, "%s\n", reason.text);
        return 1;
    }
    uv_run(loop, UV_RUN_DEFAULT);
    return uv_loop_close(loop) != 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "serve"))
        return serve((unsigned)strtoul(argv[2], NULL, 10));
    if (argc >= 3 && !strcmp(argv[1], "connect"))
        return visit(argv[2], argv[3]);
    fprintf(stderr, "usage: websocket-driver serve THREADS | connect URL [FILE]\n");
    return 2;
}
