/* gateway.c - the cost of a request to a route: with haft_invoke, and over HTTP on this machine.
 *
 *     gateway ROUNDS
 *
 * A round sends the same request REQUESTS times in both ways; the fastest round of each is used.
 * HTTP uses one keep-alive connection to another process, the cheapest way without leaving HTTP.
 * Prints both in nanoseconds. */
#include <arpa/inet.h>
#include <haft.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REQUESTS = 3200, BATCH = 32, ROOM = 4096 };

#define TARGET "/inventory/sku-1/check?quantity=2"
static const char wanted[] = "{\"sku\":\"sku-1\",\"available\":true}";

/* ---- the server ---- */

HAFT_STRUCT(stock_args, HAFT_STRING(sku, "The product's number"),
            HAFT_INTEGER(quantity, "How many are wanted", .min = 1));
HAFT_STRUCT(stock, HAFT_STRING(sku, "The product's number"),
            HAFT_BOOLEAN(available, "Whether there are that many"));

static int check_stock(haft_call *call, const stock_args *in, stock *out)
{
    (void)call;
    out->sku = in->sku;
    out->available = in->quantity < 10;
    return 0;
}
HAFT_ROUTE(check_stock, "GET", "/inventory/{sku}/check", stock_args, stock, "Looks at the shelves",
           .policies = "limit", .quick = true);

static int check_many(haft_call *call)
{
    haft_response response;

    for (int i = 0; i < BATCH; i++)
        if (haft_invoke(call, "GET", TARGET, NULL, &response) || response.status != 200 ||
            strcmp(response.body, wanted))
            return haft_problem(call, 500, "It went wrong.");
    return haft_text(call, "%d", BATCH);
}
HAFT_ROUTE_BARE(check_many, "GET", "/many", "Looks at them many times", .quick = true);

static haft_gateway *make(void)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));

    if (gateway &&
        !haft_policy_make(gateway, "limit", "rate-limit",
                          "{\"calls\": 1000000, \"seconds\": 3600}") &&
        !haft_route_add(gateway, &check_stock_route) && !haft_route_add(gateway, &check_many_route))
        return gateway;
    haft_gateway_free(gateway);
    return NULL;
}

/* ---- both ways ---- */

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Nanoseconds per request; negative on failure. */
static double by_invoke(haft_gateway *gateway)
{
    static const haft_request request = {.method = "GET", .path = "/many", .query = "", .body = ""};
    double start = now_ns();
    bool right = true;

    for (int i = 0; i < REQUESTS / BATCH && right; i++) {
        haft_gateway_request *req = haft_gateway_request_new(gateway, &request, 1000000 + i);

        if (!req)
            return -1;
        haft_gateway_request_run(req);
        right = haft_gateway_request_response(req)->status == 200;
        haft_gateway_request_free(req);
    }
    return right ? (now_ns() - start) / REQUESTS : -1;
}

/* Reads one response, and checks the end of its body. */
static bool hear(int fd)
{
    char text[ROOM];
    size_t size = 0, end = sizeof wanted - 1;

    while (size < end || memcmp(text + size - end, wanted, end)) {
        ssize_t n = size < sizeof text ? read(fd, text + size, sizeof text - size) : 0;

        if (n <= 0)
            return false;
        size += (size_t)n;
    }
    return !strncmp(text, "HTTP/1.1 200 ", 13);
}

static double by_http(int fd, const char *request)
{
    double start = now_ns();

    for (int i = 0; i < REQUESTS; i++)
        if (write(fd, request, strlen(request)) != (ssize_t)strlen(request) || !hear(fd))
            return -1;
    return (now_ns() - start) / REQUESTS;
}

/* ---- the other process ---- */

static void on_ready(void *context, const char *url)
{
    int port = 0;
    const int *pipe_end = context;

    if (sscanf(url, "http://127.0.0.1:%d", &port) != 1 ||
        write(*pipe_end, &port, sizeof port) != (ssize_t)sizeof port)
        _exit(1);
}

static pid_t serve(int *ret_port)
{
    int ends[2];
    pid_t child = pipe(ends) ? -1 : fork();

    if (!child) {
        haft_gateway *gateway = make();

        _exit(!gateway ||
              haft_gateway_serve(gateway,
                                 HAFT_WITH(haft_http_options, .address = "127.0.0.1:0",
                                           .ready = on_ready, .ready_context = &ends[1]),
                                 NULL));
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], ret_port, sizeof *ret_port) != (ssize_t)sizeof *ret_port)
        child = -1;
    close(ends[0]);
    return child;
}

static int dial(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connect(fd, (struct sockaddr *)&address, sizeof address) ? -1 : fd;
}

static double least(double a, double b)
{
    return a < 0 || b < 0 ? -1 : a > 0 && a < b ? a : b;
}

int main(int argc, char **argv)
{
    int rounds = argc == 2 ? (int)strtol(argv[1], NULL, 10) : 0, port = 0, fd;
    double invoke = 0, http = 0;
    char request[ROOM];
    pid_t child = serve(&port);
    haft_gateway *gateway = make();

    fd = child < 0 ? -1 : dial(port);
    snprintf(request, sizeof request, "GET " TARGET " HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
             port);
    for (int i = 0; i < rounds && gateway && fd >= 0 && invoke >= 0 && http >= 0; i++) {
        invoke = least(invoke, by_invoke(gateway));
        http = least(http, by_http(fd, request));
    }
    if (child > 0) {
        kill(child, SIGTERM);
        waitpid(child, NULL, 0);
    }
    haft_gateway_free(gateway);
    if (invoke <= 0 || http <= 0)
        return 1;
    printf("%.0f %.0f\n", invoke, http);
    return 0;
}
