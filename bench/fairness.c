/* fairness.c - the latency of small calls beside clients with large results.
 *
 *     fairness SECONDS CONNECTIONS
 *
 * Each of the connections has four calls in flight, with results of 3 MB, and reads them as fast as
 * they arrive; one more connection makes small calls, one after another. Prints the median, the
 * 99th percentile and the maximum of the small calls in microseconds, alone and then beside the
 * others, and the throughput of the others in megabytes per second. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "add.h"

enum {
    RESULT = 3000000,
    DEPTH = 4, /* requests in flight per connection */
    ROOM = 4096,
    MAX_CALLS = 1 << 20,
    SCRATCH = 4 << 20
};

/* ---- the server ---- */

static int much(haft_call *call)
{
    char *text = haft_call_alloc(call, RESULT);

    if (!text)
        return HAFT_ENOMEM;
    memset(text, 'x', RESULT);
    return haft_text_bytes(call, text, RESULT);
}
HAFT_TOOL_BARE(much, "Answers with much", .quick = true);

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
        haft_server *server = haft_server_new("bench", "1.0.0");

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        haft_add(server, &add_tool);
        haft_add(server, &much_tool);
        _exit(haft_http_serve(server,
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

/* ---- clients ---- */

#define POST()                                                                                     \
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "  \
    "%zu\r\n\r\n%s"
#define CALL(tool, arguments)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" tool         \
    "\",\"arguments\":" arguments "}}"

static int dial(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connect(fd, (struct sockaddr *)&address, sizeof address) ? -1 : fd;
}

struct load {
    int port, n;
    atomic_bool over;
    atomic_size_t bytes;
};

struct asker {
    int fd;
    size_t asked, received; /* requests, and bytes of responses */
};

/* Reads available data, and sends another request for each complete response; each has `answer`
 * bytes. */
static void read_and_ask(struct asker *asker, const char *request, size_t answer, char *scratch,
                         struct load *load)
{
    size_t size = strlen(request);
    ssize_t n;

    while ((n = read(asker->fd, scratch, SCRATCH)) > 0) {
        asker->received += (size_t)n;
        atomic_fetch_add(&load->bytes, (size_t)n);
    }
    for (; asker->asked < asker->received / answer + DEPTH; asker->asked++)
        if (write(asker->fd, request, size) != (ssize_t)size)
            exit(1);
}

/* The size of a response. */
static size_t try_one(int port, const char *request, char *scratch)
{
    size_t size = 0, all = 0;
    int fd = dial(port);

    if (write(fd, request, strlen(request)) != (ssize_t)strlen(request))
        exit(1);
    while (!all || size < all) {
        ssize_t n = read(fd, scratch + size, SCRATCH - size);
        char *body, *length;

        if (n <= 0)
            exit(1);
        size += (size_t)n;
        scratch[size] = '\0';
        body = strstr(scratch, "\r\n\r\n");
        length = strstr(scratch, "Content-Length: ");
        if (!all && body && length)
            all = (size_t)(body + 4 - scratch) + strtoul(length + 16, NULL, 10);
    }
    close(fd);
    return all;
}

static void *run_load(void *context)
{
    static const char call[] = CALL("much", "{}");
    struct load *load = context;
    struct asker *askers = calloc((size_t)load->n, sizeof *askers);
    struct epoll_event events[64];
    char request[ROOM], *scratch = malloc(SCRATCH + 1);
    size_t answer;
    int poller = epoll_create1(0);

    if (!askers || !scratch || poller < 0)
        exit(1);
    snprintf(request, sizeof request, POST(), sizeof call - 1, call);
    answer = try_one(load->port, request, scratch);
    for (int i = 0; i < load->n; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &askers[i]};

        askers[i].fd = dial(load->port);
        fcntl(askers[i].fd, F_SETFL, O_NONBLOCK);
        epoll_ctl(poller, EPOLL_CTL_ADD, askers[i].fd, &event);
        read_and_ask(&askers[i], request, answer, scratch, load);
    }
    while (!atomic_load(&load->over)) {
        int n = epoll_wait(poller, events, 64, 10);

        for (int i = 0; i < n; i++)
            read_and_ask(events[i].data.ptr, request, answer, scratch, load);
    }
    for (int i = 0; i < load->n; i++)
        close(askers[i].fd);
    close(poller);
    free(scratch);
    free(askers);
    return NULL;
}

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Makes small calls for `seconds`, one after another; returns false if one failed. */
static bool measure(int port, double seconds, const char *name)
{
    static const char call[] = CALL("add", "{\"a\":1,\"b\":2}");
    static double spent[MAX_CALLS];
    double end = now_us() + seconds * 1e6;
    char request[ROOM], answer[ROOM];
    size_t n = 0, size = (size_t)snprintf(request, sizeof request, POST(), sizeof call - 1, call);
    int fd = dial(port);

    while (n < MAX_CALLS && now_us() < end) {
        double start = now_us();

        if (write(fd, request, size) != (ssize_t)size || read(fd, answer, sizeof answer) <= 0 ||
            strncmp(answer, "HTTP/1.1 200 ", 13) != 0)
            return false;
        spent[n++] = now_us() - start;
    }
    close(fd);
    qsort(spent, n, sizeof *spent, compare);
    printf("%s %.0f %.0f %.0f", name, spent[n / 2], spent[n * 99 / 100], spent[n - 1]);
    return true;
}

int main(int argc, char **argv)
{
    double seconds = argc == 3 ? strtod(argv[1], NULL) : 0;
    struct load load = {.n = argc == 3 ? (int)strtol(argv[2], NULL, 10) : 0};
    pid_t child = serve(&load.port);
    pthread_t thread;
    size_t before;
    double start;
    bool right;

    if (child < 0)
        return 1;
    right = measure(load.port, seconds / 4, "alone");
    printf(" 0\n");
    if (pthread_create(&thread, NULL, run_load, &load))
        return 1;
    while (atomic_load(&load.bytes) < (size_t)load.n * RESULT)
        usleep(1000);
    before = atomic_load(&load.bytes);
    start = now_us();
    right = right && measure(load.port, seconds, "beside");
    printf(" %.0f\n", (double)(atomic_load(&load.bytes) - before) / (now_us() - start));
    atomic_store(&load.over, true);
    pthread_join(thread, NULL);
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
    return !right;
}
