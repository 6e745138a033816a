/* edge_driver.c - an HTTP server with everything that stands around its MCP endpoint, for tests
 * from outside.
 *
 *     edge-driver THREADS CALLS COLLECTOR
 *
 * It has a second endpoint and an app beside the first, answers CALLS requests of a client in an
 * hour, counts, and sends spans to COLLECTOR, an address. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int trace(haft_call *call)
{
    const haft_trace *at = haft_call_trace(call);

    return haft_text(call, "%s %s", at ? at->trace_id : "none", at ? at->parent_id : "none");
}
HAFT_TOOL_BARE(trace, "Says which trace it is in", .quick = true);

static int slow(haft_call *call)
{
    struct timespec moment = {0, 10000000};

    for (int i = 0; i < 300 && !haft_call_cancelled(call); i++)
        nanosleep(&moment, NULL);
    return haft_text(call, "slept");
}
HAFT_TOOL_BARE(slow, "Takes three seconds");

static void *pages_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop;
    (void)reterr_reason;
    return data;
}

static void *pages_handle(void *app, const haft_request *request, const haft_responder *responder,
                          void *context, haft_time now)
{
    char text[256];
    int size = snprintf(text, sizeof text, "%s from %s", request->path,
                        request->peer ? request->peer : "nowhere");

    (void)app;
    (void)now;
    responder->respond(context,
                       &(haft_response){.status = 200,
                                        .headers = &(haft_header){"Content-Type", "text/plain"},
                                        .n_headers = 1,
                                        .body = text,
                                        .size = (size_t)size});
    return NULL;
}

static void on_ready(void *context, const char *url)
{
    (void)context;
    fprintf(stderr, "listening on %s\n", url);
}

int main(int argc, char **argv)
{
    static char pages[] = "pages";
    static const haft_app app =
        HAFT_INIT(haft_app, .open = pages_open, .handle = pages_handle, .data = pages);
    haft_server *server = haft_server_new("edge", "1.0.0"),
                *second = haft_server_new("second", "1.0.0");
    haft_http_mount mounts[] = {HAFT_INIT(haft_http_mount, .path = "/second", .server = second),
                                HAFT_INIT(haft_http_mount, .path = "/pages", .app = &app)};
    haft_http_options options = HAFT_INIT(haft_http_options, .address = "127.0.0.1:0",
                                          .mounts = mounts, .n_mounts = 2, .ready = on_ready);
    haft_reason reason = {.text = "out of memory"};
    haft_otlp *otlp = NULL;
    int status = -1;

    if (argc == 4 && server && second) {
        options.threads = (unsigned)strtoul(argv[1], NULL, 10);
        options.rate = (haft_rate){(unsigned)strtoul(argv[2], NULL, 10), 3600000};
        haft_add(server, &trace_tool);
        haft_add(server, &slow_tool);
        haft_add(second, &trace_tool);
        haft_metrics_enable(server);
        otlp = haft_otlp_new(
            server,
            HAFT_WITH(haft_otlp_options, .url = argv[3], .interval_ms = 20, .flush_ms = 5000),
            &reason);
        status = otlp ? haft_http_serve(server, &options, &reason) : -1;
    }
    if (status)
        fprintf(stderr, "%s: %s\n", reason.path, reason.text);
    haft_otlp_free(otlp);
    haft_server_free(server);
    haft_server_free(second);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
