/* rogue.h - an HTTP server that does as a test says, and a client that asks it.
 *
 * Every connection is served by a thread of its own, which runs the test's function. */
#ifndef HAFT_TESTS_ROGUE_H
#define HAFT_TESTS_ROGUE_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <haft/part.h>

#include "part/http_client.h"
#include "support/failing.h"
#include "support/test.h"

enum { ROGUE_CONNECTIONS = 256, ROGUE_ROOM = 1 << 16, LONG_MS = 20000 };

/* ---- a server ---- */

struct rogue;

struct visit {
    struct rogue *rogue;
    int fd, number; /* of the connection, from 0 */
    pthread_t thread;
};

struct rogue {
    void (*serve)(struct rogue *rogue, int fd, int number);
    const void *context;
    int fd, port;
    char url[64];
    pthread_t thread;
    atomic_int connections, requests, closed;
    atomic_bool ends;
    struct visit visits[ROGUE_CONNECTIONS];
    pthread_mutex_t lock;
    char seen[ROGUE_ROOM]; /* the latest request */
};

HAFT_MAYBE_UNUSED_ static bool rogue_waits(struct rogue *rogue, int fd)
{
    struct pollfd poller = {.fd = fd, .events = POLLIN};

    while (!atomic_load(&rogue->ends))
        if (poll(&poller, 1, 10) > 0)
            return true;
    return false;
}

/* Reads one request with its body; false when the connection or the test ends first. */
HAFT_MAYBE_UNUSED_ static bool rogue_read(struct rogue *rogue, int fd)
{
    char text[ROGUE_ROOM];
    size_t size = 0;

    for (;;) {
        const char *body, *length;
        ssize_t n;

        text[size] = '\0';
        body = strstr(text, "\r\n\r\n");
        length = strstr(text, "Content-Length: ");
        if (body && (!length || strlen(body + 4) >= strtoul(length + 16, NULL, 10)))
            break;
        if (!rogue_waits(rogue, fd))
            return false;
        n = read(fd, text + size, sizeof text - size - 1);
        if (n <= 0)
            return false;
        size += (size_t)n;
    }
    pthread_mutex_lock(&rogue->lock);
    memcpy(rogue->seen, text, size + 1);
    pthread_mutex_unlock(&rogue->lock);
    atomic_fetch_add(&rogue->requests, 1);
    return true;
}

HAFT_MAYBE_UNUSED_ static bool rogue_write(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = send(fd, text, size, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

HAFT_MAYBE_UNUSED_ static bool rogue_puts(int fd, const char *text)
{
    return rogue_write(fd, text, strlen(text));
}

/* Until the other side closes, or the test ends. */
HAFT_MAYBE_UNUSED_ static void rogue_hold(struct rogue *rogue, int fd)
{
    char room[4096];

    while (rogue_waits(rogue, fd) && read(fd, room, sizeof room) > 0)
        ;
}

/* The close becomes a reset. */
HAFT_MAYBE_UNUSED_ static void rogue_reset(int fd)
{
    struct linger linger = {1, 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static void *rogue_visit(void *context)
{
    struct visit *visit = context;

    visit->rogue->serve(visit->rogue, visit->fd, visit->number);
    close(visit->fd);
    atomic_fetch_add(&visit->rogue->closed, 1);
    return NULL;
}

/* Until it has closed so many connections. */
HAFT_MAYBE_UNUSED_ static void rogue_wait_closed(struct rogue *rogue, int n)
{
    for (int ms = 0; atomic_load(&rogue->closed) < n; ms++) {
        assert_true(ms < LONG_MS);
        poll(NULL, 0, 1);
    }
}

static void *rogue_run(void *context)
{
    struct rogue *rogue = context;

    while (rogue_waits(rogue, rogue->fd)) {
        int number = atomic_load(&rogue->connections), fd = accept(rogue->fd, NULL, NULL);
        struct visit *visit = &rogue->visits[number];

        if (fd < 0 || number == ROGUE_CONNECTIONS)
            break;
        *visit = (struct visit){rogue, fd, number, 0};
        assert_int_equal(pthread_create(&visit->thread, NULL, rogue_visit, visit), 0);
        atomic_fetch_add(&rogue->connections, 1);
    }
    return NULL;
}

static struct rogue *rogue_open_at(struct sockaddr *address, socklen_t size,
                                   void (*serve)(struct rogue *, int, int), const void *context)
{
    struct rogue *rogue = calloc(1, sizeof *rogue);

    assert_non_null(rogue);
    rogue->serve = serve;
    rogue->context = context;
    pthread_mutex_init(&rogue->lock, NULL);
    rogue->fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(rogue->fd, address, size), 0);
    assert_int_equal(listen(rogue->fd, 64), 0);
    return rogue;
}

HAFT_MAYBE_UNUSED_ static struct rogue *rogue_open(void (*serve)(struct rogue *, int, int),
                                                   const void *context)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof name;
    struct rogue *rogue = rogue_open_at((struct sockaddr *)&name, size, serve, context);

    getsockname(rogue->fd, (struct sockaddr *)&name, &size);
    rogue->port = ntohs(name.sin_port);
    snprintf(rogue->url, sizeof rogue->url, "http://127.0.0.1:%d", rogue->port);
    assert_int_equal(pthread_create(&rogue->thread, NULL, rogue_run, rogue), 0);
    return rogue;
}

HAFT_MAYBE_UNUSED_ static void rogue_close(struct rogue *rogue)
{
    atomic_store(&rogue->ends, true);
    pthread_join(rogue->thread, NULL);
    for (int i = 0; i < atomic_load(&rogue->connections); i++)
        pthread_join(rogue->visits[i].thread, NULL);
    close(rogue->fd);
    pthread_mutex_destroy(&rogue->lock);
    free(rogue);
}

/* Whether the latest request has this in it. */
HAFT_MAYBE_UNUSED_ static bool rogue_saw(struct rogue *rogue, const char *text)
{
    bool saw;

    pthread_mutex_lock(&rogue->lock);
    saw = strstr(rogue->seen, text);
    pthread_mutex_unlock(&rogue->lock);
    return saw;
}

/* Whether the latest request begins with this. */
HAFT_MAYBE_UNUSED_ static bool rogue_saw_first(struct rogue *rogue, const char *text)
{
    bool saw;

    pthread_mutex_lock(&rogue->lock);
    saw = !strncmp(rogue->seen, text, strlen(text));
    pthread_mutex_unlock(&rogue->lock);
    return saw;
}

/* ---- a client ---- */

struct asker {
    const struct http_client_functions *http;
    uv_loop_t loop;
    http_client *client;
};

/* What came of a request. */
struct outcome {
    struct asker *asker;
    http_request *request;
    int heads, ends;
    enum http_error error;
    int status, end_status;
    bool maybe_handled;
    char text[512];
    char fields[4096]; /* "name=value;" */
    char body[1 << 16];
    size_t size, pieces;
};

/* Whether libcurl has all requests, also those that haft would send itself: what comes of them must be the
 * same. */
static bool without_direct;

HAFT_MAYBE_UNUSED_ static int asks_directly(void **state)
{
    (void)state;
    without_direct = false;
    return 0;
}

HAFT_MAYBE_UNUSED_ static int asks_through_libcurl(void **state)
{
    (void)state;
    without_direct = true;
    return 0;
}

#define cmocka_unit_test_both_ways(test)                                                           \
    {#test, test, asks_directly, NULL, NULL},                                                      \
    {                                                                                              \
#test " through libcurl", test, asks_through_libcurl, NULL, NULL                           \
    }

HAFT_MAYBE_UNUSED_ static void asker_init_with(struct asker *asker,
                                               const struct http_client_options *options)
{
    struct http_client_options all = options ? *options : (struct http_client_options){0};
    haft_reason reason = {0};

    haft_part_register(&haft_http_client_part);
    asker->http = hf_http_client_open("this test", &reason);
    assert_non_null(asker->http);
    assert_int_equal(uv_loop_init(&asker->loop), 0);
    all.no_direct = without_direct;
    asker->client = hf_http_client_new(asker->http, &asker->loop, &all, &reason);
    if (!asker->client)
        fail_msg("%s: %s", reason.path, reason.text);
}

HAFT_MAYBE_UNUSED_ static void asker_init(struct asker *asker)
{
    asker_init_with(asker, NULL);
}

HAFT_MAYBE_UNUSED_ static void asker_finish(struct asker *asker)
{
    asker->http->destroy(asker->client);
    uv_run(&asker->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&asker->loop), 0);
}

HAFT_MAYBE_UNUSED_ static void on_head(void *context, const struct http_head *head)
{
    struct outcome *outcome = context;
    size_t at = 0;

    assert_int_equal(outcome->ends, 0);
    outcome->heads++;
    outcome->status = head->status;
    for (size_t i = 0; i < head->n_fields && at < sizeof outcome->fields; i++)
        at += (size_t)snprintf(outcome->fields + at, sizeof outcome->fields - at, "%s=%s;",
                               head->fields[i].name, head->fields[i].value);
}

HAFT_MAYBE_UNUSED_ static void on_body(void *context, const char *bytes, size_t size)
{
    struct outcome *outcome = context;
    size_t room = sizeof outcome->body - 1 - outcome->size;

    assert_int_equal(outcome->heads, 1);
    assert_int_equal(outcome->ends, 0);
    outcome->pieces++;
    size = size < room ? size : room;
    memcpy(outcome->body + outcome->size, bytes, size);
    outcome->size += size;
    outcome->body[outcome->size] = '\0';
}

HAFT_MAYBE_UNUSED_ static void on_end(void *context, const struct http_end *end)
{
    struct outcome *outcome = context;

    outcome->ends++;
    outcome->error = end->error;
    outcome->end_status = end->status;
    outcome->maybe_handled = end->maybe_handled;
    snprintf(outcome->text, sizeof outcome->text, "%s", end->text);
}

/* Fills in what a test leaves out. */
HAFT_MAYBE_UNUSED_ static http_request *ask_start(struct asker *asker,
                                                  struct http_request_options options,
                                                  struct outcome *outcome)
{
    haft_reason reason = {0};

    memset(outcome, 0, sizeof *outcome);
    outcome->asker = asker;
    options.on_head = options.on_head ? options.on_head : on_head;
    options.on_body = options.on_body ? options.on_body : on_body;
    options.on_end = options.on_end ? options.on_end : on_end;
    options.context = outcome;
    options.total_ms = options.total_ms ? options.total_ms : LONG_MS;
    outcome->request = asker->http->start(asker->client, &options, &reason);
    if (!outcome->request)
        fail_msg("%s: %s: %s", options.url, reason.path, reason.text);
    assert_int_equal(outcome->ends, 0);
    return outcome->request;
}

HAFT_MAYBE_UNUSED_ static void run_until_over(struct asker *asker, const struct outcome *outcome)
{
    while (!outcome->ends)
        uv_run(&asker->loop, UV_RUN_ONCE);
}

HAFT_MAYBE_UNUSED_ static void ask(struct asker *asker, struct http_request_options options,
                                   struct outcome *outcome)
{
    ask_start(asker, options, outcome);
    run_until_over(asker, outcome);
}

#endif
