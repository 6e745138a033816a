/* fuzz_http.c - any bytes on a connection, and any request at the endpoint.
 *
 * The first byte says which.  As a connection: the rest is what a peer sends, cut where the first
 * byte says, and then the peer is gone; whatever it was, what comes back is HTTP, and nothing is
 * left open.  As a request: a line each for the method, the path and some headers, and the rest is
 * the body; it is answered exactly once. */
#define _DEFAULT_SOURCE
#include <haft.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADERS = 8, ROOM = 1 << 20 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

HAFT_STRUCT(say_args, HAFT_STRING(text, "What to say"));

static int say(haft_call *call, const say_args *in)
{
    haft_progress(call, 1, 2, "soon");
    return haft_text(call, "%s", in->text);
}
HAFT_TOOL_IN(say, say_args, "Says it back", .quick = true);

static void no_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    require(strlen(text) == size);
}

static haft_server *make_server(void)
{
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .log = no_log, .max_message = 2048));

    require(server && !haft_add(server, &say_tool));
    return server;
}

/* ---- a connection ---- */

struct site {
    haft_server *server;
    uv_loop_t loop;
    haft_http *http;
};

/* One for all inputs, so that one may suffer from what another has left behind. */
static struct site *the_site(void)
{
    static struct site site;
    static char address[64];

    if (site.server)
        return &site;
    snprintf(address, sizeof address, "unix:/tmp/fuzz-http-%ld", (long)getpid());
    site.server = make_server();
    require(!uv_loop_init(&site.loop));
    site.http = haft_http_new(site.server,
                              HAFT_WITH(haft_http_options, .address = address, .legacy_sse = true,
                                        .max_sessions = 16, .max_headers = 2048, .max_url = 512),
                              &site.loop, NULL);
    require(site.http);
    unlink(address + 5);
    return &site;
}

static void turn(struct site *site)
{
    uv_run(&site->loop, UV_RUN_NOWAIT);
}

static void write_all(struct site *site, int fd, const uint8_t *data, size_t size)
{
    for (int tries = 0; size && tries < 1000; tries++) {
        ssize_t n = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            data += n;
            size -= (size_t)n;
        }
        turn(site);
    }
}

static void try_connection(const uint8_t *data, size_t size, size_t cut)
{
    static char answer[ROOM];
    struct site *site = the_site();
    struct connection *c = hf_connection_new(site->http);
    ssize_t n;
    int fds[2];

    require(c && !socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
    require(!hf_http_open(c, fds[1]));
    hf_connection_start(c);
    cut = cut < size ? cut : size;
    write_all(site, fds[0], data, cut);
    write_all(site, fds[0], data + cut, size - cut);
    n = recv(fds[0], answer, ROOM, MSG_DONTWAIT);
    require(n <= 0 || (n > 9 && !memcmp(answer, "HTTP/1.1 ", 9)));
    close(fds[0]);
    for (int tries = 0; site->http->connections && tries < 1000; tries++)
        turn(site);
    require(!site->http->connections && !site->http->due);
}

/* ---- a request ---- */

struct line {
    const char *text;
    size_t size;
};

static struct line take_line(const char **text, size_t *size)
{
    const char *end = *size ? memchr(*text, '\n', *size) : NULL;
    struct line line = {*text, end ? (size_t)(end - *text) : *size};

    *text += line.size + (end != NULL);
    *size -= line.size + (end != NULL);
    return line;
}

struct reply {
    int begun, ended;
};

static void on_respond(void *context, const haft_response *response)
{
    struct reply *reply = context;

    require(response->status >= 200 && response->status < 600);
    require(response->body || !response->size);
    for (size_t i = 0; i < response->n_headers; i++)
        require(response->headers[i].name[0] && response->headers[i].value);
    require(!reply->begun++ && !reply->ended++);
}

static void on_stream(void *context, const haft_response *head)
{
    struct reply *reply = context;

    require(head->status == 200 && head->n_headers && !reply->begun++);
}

static void on_write(void *context, const char *bytes, size_t size)
{
    struct reply *reply = context;

    require(reply->begun == 1 && !reply->ended && size && !memchr(bytes, '\0', size));
}

static void on_end(void *context)
{
    struct reply *reply = context;

    require(reply->begun == 1 && !reply->ended++);
}

static int some_bytes(void *context, void *bytes, size_t size)
{
    (void)context;
    memset(bytes, 7, size);
    return 0;
}

static void try_request(const char *text, size_t size)
{
    static const haft_responder responder = {on_respond, on_stream, on_write, on_end};
    haft_server *server = make_server();
    haft_endpoint *endpoint = haft_endpoint_new(
        server, HAFT_WITH(haft_endpoint_options, .loop = HAFT_WITH(haft_loop, .random = some_bytes),
                          .legacy_sse = true));
    struct line method = take_line(&text, &size), path = take_line(&text, &size);
    static const char *const names[HEADERS] = {
        "host",           "content-type", "accept",       "origin", "mcp-protocol-version",
        "mcp-session-id", "mcp-method",   "last-event-id"};
    haft_header headers[HEADERS];
    char words[2][256], values[HEADERS][1024];
    size_t n_headers = 0;
    struct reply reply = {0, 0};
    haft_exchange *exchange;

    require(endpoint);
    snprintf(words[0], sizeof words[0], "%.*s", (int)(method.size & 255), method.text);
    snprintf(words[1], sizeof words[1], "%.*s", (int)(path.size & 255), path.text);
    for (int i = 0; i < HEADERS; i++) {
        struct line line = take_line(&text, &size);

        snprintf(values[i], sizeof values[i], "%.*s", (int)(line.size & 1023), line.text);
        if (line.size)
            headers[n_headers++] = (haft_header){names[i], values[i]};
    }
    exchange = haft_endpoint_handle(endpoint,
                                    &(haft_request){.method = words[0],
                                                    .path = words[1],
                                                    .query = words[1],
                                                    .headers = headers,
                                                    .n_headers = n_headers,
                                                    .body = text,
                                                    .body_size = size},
                                    &responder, &reply, 1000);
    require(reply.ended == !exchange);
    haft_endpoint_tick(endpoint, 100000);
    if (exchange && !reply.ended)
        haft_exchange_gone(exchange);
    haft_endpoint_free(endpoint);
    haft_server_free(server);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (data[0] & 1)
        try_request((const char *)data + 1, size - 1);
    else
        try_connection(data + 1, size - 1, data[0]);
    return 0;
}
