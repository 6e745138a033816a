/* test_shards.c - several loops behind one address: whichever one a connection comes to, a session
 * is found, and a signal ends them all. */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <uv.h>

#include "support/tools.h"
#include "support/patient_read.h"
#include "support/test.h"

enum { LANES = 4, SESSIONS = 12, CLIENTS = 6, TURNS = 60, ROOM = 1 << 16, ID = 38 };
/* More than is written at once, and less than stops the next request from being read. */
enum { LONG_TEXT = 200 << 10 };

static int lengthy(haft_call *call)
{
    static char text[LONG_TEXT];

    memset(text, 'x', sizeof text - 1);
    return haft_text(call, "%s", text);
}
HAFT_TOOL_BARE(lengthy, "Says a lot", .quick = true);

/* ---- the server, on a thread of its own ---- */

struct site {
    haft_server *server;
    haft_http_options options;
    char url[256];
    int status;
    uv_sem_t ready;
    pthread_t thread;
};

static void on_ready(void *context, const char *url)
{
    struct site *site = context;

    snprintf(site->url, sizeof site->url, "%s", url);
    uv_sem_post(&site->ready);
}

static void *serve(void *context)
{
    struct site *site = context;
    haft_reason reason = {0};

    site->status = haft_http_serve(site->server, &site->options, &reason);
    if (site->status)
        uv_sem_post(&site->ready);
    return NULL;
}

static void no_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    (void)text;
    (void)size;
}

static struct site *site_open(const char *address)
{
    struct site *site = calloc(1, sizeof *site);

    assert_non_null(site);
    site->server =
        haft_server_new_with("test", "1.0.0", HAFT_WITH(haft_server_options, .log = no_log));
    haft_add(site->server, &echo_tool);
    haft_add(site->server, &lengthy_tool);
    haft_add(site->server, &slow_tool);
    haft_add(site->server, &steps_tool);
    site->options = (haft_http_options)HAFT_INIT(
        haft_http_options, .address = address, .threads = LANES, .legacy_sse = true,
        .max_sessions = 10 * LANES * SESSIONS, .ready = on_ready, .ready_context = site);
    uv_sem_init(&site->ready, 0);
    assert_int_equal(pthread_create(&site->thread, NULL, serve, site), 0);
    uv_sem_wait(&site->ready);
    assert_int_equal(site->status, 0);
    return site;
}

static void site_close(struct site *site)
{
    kill(getpid(), SIGTERM);
    pthread_join(site->thread, NULL);
    assert_int_equal(site->status, 0);
    uv_sem_destroy(&site->ready);
    haft_server_free(site->server);
    free(site);
}

/* ---- a client ---- */

static int dial(const struct site *site)
{
    struct timeval patience = {10, 0};
    int fd, status;

    if (!strncmp(site->url, "unix:", 5)) {
        struct sockaddr_un to = {.sun_family = AF_UNIX};

        snprintf(to.sun_path, sizeof to.sun_path, "%s", site->url + 5);
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        status = connect(fd, (struct sockaddr *)&to, sizeof to);
    } else {
        struct sockaddr_in to = {.sin_family = AF_INET};

        to.sin_port = htons((uint16_t)strtol(strrchr(site->url, ':') + 1, NULL, 10));
        inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
        fd = socket(AF_INET, SOCK_STREAM, 0);
        status = connect(fd, (struct sockaddr *)&to, sizeof to);
    }
    assert_int_equal(status, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

enum { REQUEST = 2048 };

static int put_post(char request[REQUEST], const char *session, const char *body)
{
    return snprintf(request, REQUEST,
                    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "%s%s%sContent-Length: %zu\r\n\r\n%s",
                    session ? "Mcp-Session-Id: " : "", session ? session : "",
                    session ? "\r\n" : "", strlen(body), body);
}

static void post(int fd, const char *session, const char *body)
{
    char request[REQUEST];
    int n = put_post(request, session, body);

    assert_int_equal(write(fd, request, (size_t)n), n);
}

/* Reads until it has `part`; false when the end comes first. */
static bool hear_within(int fd, char *text, size_t room, const char *part)
{
    size_t size = 0;

    text[0] = '\0';
    while (!strstr(text, part)) {
        ssize_t n = size + 1 < room ? patient_read(fd, text + size, room - size - 1) : 0;

        if (n <= 0)
            return false;
        text[size += (size_t)n] = '\0';
    }
    return true;
}

static bool hear(int fd, char *text, const char *part)
{
    return hear_within(fd, text, ROOM, part);
}

#define HELLO                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"
#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","        \
    "\"arguments\":{\"n\":%d}}}"
#define SAY                                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","      \
    "\"arguments\":{\"text\":\"t%d\"}}}"

struct sessions {
    const struct site *site;
    char ids[SESSIONS][ID + 1];
    atomic_int failures, next_id;
};

/* Sessions on as many lanes as the kernel deals connections to. */
static size_t open_sessions(struct sessions *sessions, const struct site *site)
{
    char text[ROOM];
    unsigned lanes = 0;
    size_t n = 0;

    sessions->site = site;
    for (int i = 0; i < SESSIONS; i++) {
        int fd = dial(site);
        const char *id;

        post(fd, NULL, HELLO);
        assert_true(hear(fd, text, "serverInfo"));
        id = strstr(text, "Mcp-Session-Id: ");
        assert_non_null(id);
        memcpy(sessions->ids[i], id + 16, ID);
        lanes |= 1u << strtoul((char[3]){id[16], id[17], 0}, NULL, 16);
        close(fd);
    }
    for (; lanes; lanes &= lanes - 1)
        n++;
    return n;
}

/* Any session on any connection, one after another and several at a time. */
static void *hammer(void *context)
{
    struct sessions *sessions = context;
    char text[ROOM], body[512], wanted[64];
    unsigned seed = (unsigned)atomic_fetch_add(&sessions->next_id, 1000);
    int fd = dial(sessions->site);

    for (int turn = 0; turn < TURNS; turn++) {
        int n = 1 + turn % 3, first = atomic_fetch_add(&sessions->next_id, n);

        if (turn % 8 == 7) {
            close(fd);
            fd = dial(sessions->site);
        }
        for (int i = 0; i < n; i++) {
            seed = seed * 1103515245 + 12345;
            if (i % 2)
                snprintf(body, sizeof body, CALL, first + i, "slow", 1);
            else
                snprintf(body, sizeof body, SAY, first + i, first + i);
            post(fd, sessions->ids[(seed >> 16) % SESSIONS], body);
        }
        snprintf(wanted, sizeof wanted, "\"id\":%d,\"result\"", first + n - 1);
        if (!hear(fd, text, wanted))
            atomic_fetch_add(&sessions->failures, 1);
        for (int i = 0; i < n; i++) {
            snprintf(wanted, sizeof wanted, "\"id\":%d,\"result\"", first + i);
            if (!strstr(text, wanted))
                atomic_fetch_add(&sessions->failures, 1);
        }
    }
    close(fd);
    return NULL;
}

static void hammer_from_many(const char *address)
{
    struct site *site = site_open(address);
    struct sessions *sessions = calloc(1, sizeof *sessions);
    pthread_t threads[CLIENTS];

    assert_non_null(sessions);
    open_sessions(sessions, site);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, sessions), 0);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&sessions->failures), 0);
    free(sessions);
    site_close(site);
}

static void finds_sessions_from_every_lane(void **state)
{
    (void)state;
    hammer_from_many("127.0.0.1:0");
}

/* A path cannot be bound twice: the lanes share its socket. */
static void shares_a_path(void **state)
{
    char address[64];

    (void)state;
    snprintf(address, sizeof address, "unix:/tmp/haft-lanes-%d", (int)getpid());
    hammer_from_many(address);
    unlink(address + 5);
}

/* The kernel would let the lanes of two servers share a port, and deal sessions out to the wrong one. */
static void has_its_port_alone(void **state)
{
    struct site *site = site_open("127.0.0.1:0");
    haft_http_options options = site->options;
    haft_reason reason = {0};
    char address[64];

    (void)state;
    snprintf(address, sizeof address, "127.0.0.1:%ld",
             strtol(strrchr(site->url, ':') + 1, NULL, 10));
    options.address = address;
    assert_true(haft_http_serve(site->server, &options, &reason) < 0);
    assert_string_equal(reason.text, "address already in use");
    site_close(site);
}

/* What has been answered on one lane goes out before the connection moves to another. */
static void moves_after_its_answers(void **state)
{
    struct site *site = site_open("127.0.0.1:0");
    struct sessions *sessions = calloc(1, sizeof *sessions);
    char *text = malloc(2 * LONG_TEXT), body[256], requests[2 * REQUEST];
    size_t other = 0;
    int fd, n;

    (void)state;
    assert_true(sessions && text);
    if (open_sessions(sessions, site) > 1) {
        while (!memcmp(sessions->ids[other], sessions->ids[0], 6))
            other++;
        snprintf(body, sizeof body, CALL, 1, "lengthy", 1);
        n = put_post(requests, sessions->ids[0], body);
        snprintf(body, sizeof body, SAY, 2, 2);
        n += put_post(requests + n, sessions->ids[other], body);
        fd = dial(site);
        assert_int_equal(write(fd, requests, (size_t)n), n);
        assert_true(hear_within(fd, text, 2 * LONG_TEXT, "\"id\":2,\"result\""));
        assert_non_null(strstr(text, "\"id\":1,\"result\""));
        assert_true(strlen(text) > LONG_TEXT);
        close(fd);
    }
    free(text);
    free(sessions);
    site_close(site);
}

/* Streams and their ends, from connections that came to any lane. */
static void moves_streams(void **state)
{
    struct site *site = site_open("127.0.0.1:0");
    struct sessions *sessions = calloc(1, sizeof *sessions);
    char text[ROOM], request[256];

    (void)state;
    assert_non_null(sessions);
    open_sessions(sessions, site);
    for (int i = 0; i < SESSIONS; i++) {
        int stream = dial(site), other = dial(site), n;

        n = snprintf(request, sizeof request,
                     "GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: %s\r\n\r\n",
                     sessions->ids[i]);
        assert_int_equal(write(stream, request, (size_t)n), n);
        assert_true(hear(stream, text, "id: 1-0\n"));
        n = snprintf(request, sizeof request,
                     "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: %s\r\n\r\n",
                     sessions->ids[i]);
        assert_int_equal(write(other, request, (size_t)n), n);
        assert_true(hear(other, text, "HTTP/1.1 200 "));
        assert_true(hear(stream, text, "0\r\n\r\n"));
        post(other, sessions->ids[i], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
        assert_true(hear(other, text, "HTTP/1.1 404 "));
        close(stream);
        close(other);
    }
    free(sessions);
    site_close(site);
}

/* The place that the oldest clients post to names its lane too. */
static void moves_the_oldest(void **state)
{
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}";
    struct site *site = site_open("127.0.0.1:0");
    char text[ROOM], request[512], place[64];
    int stream = dial(site);

    (void)state;
    assert_true(write(stream, TEXT("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n")) > 0);
    assert_true(hear(stream, text, "data: /messages?session="));
    while (!strstr(strstr(text, "data: "), "\n\n"))
        assert_true(hear(stream, text, "\n"));
    snprintf(place, sizeof place, "%.*s", (int)strcspn(strstr(text, "/messages"), "\n"),
             strstr(text, "/messages"));
    for (int i = 0; i < 8; i++) {
        int fd = dial(site);
        int n = snprintf(request, sizeof request,
                         "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         "Content-Length: %zu\r\n\r\n%s",
                         place, strlen(ping), ping);

        assert_int_equal(write(fd, request, (size_t)n), n);
        if (!hear(fd, text, "HTTP/1.1 202 "))
            fail_msg("%d: %s: %s", i, place, text);
        assert_true(hear(stream, text, "\"id\":7,\"result\""));
        close(fd);
    }
    close(stream);
    site_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_sessions_from_every_lane),
        cmocka_unit_test(shares_a_path),
        cmocka_unit_test(has_its_port_alone),
        cmocka_unit_test(moves_after_its_answers),
        cmocka_unit_test(moves_streams),
        cmocka_unit_test(moves_the_oldest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
