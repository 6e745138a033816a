/* test_loopback.c - a port without a host: both addresses of loopback and nothing else, from the first
 * connection to the end. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "support/file.h"
#include "support/tools.h"

/* ---- a machine without IPv6 ---- */

static bool no_six; /* there is none */

int socket(int domain, int type, int protocol)
{
    if (no_six && domain == AF_INET6) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    return (int)syscall(SYS_socket, domain, type, protocol);
}

/* ---- sockets ---- */

static struct sockaddr_storage address_of(const char *host, int port, socklen_t *ret_size)
{
    struct sockaddr_storage address = {0};
    struct sockaddr_in *four = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;

    if (strchr(host, ':')) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons((uint16_t)port);
        inet_pton(AF_INET6, host, &six->sin6_addr);
        *ret_size = sizeof *six;
    } else {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        inet_pton(AF_INET, host, &four->sin_addr);
        *ret_size = sizeof *four;
    }
    return address;
}

/* A socket that listens there; -1 when it cannot. */
static int listen_at(const char *host, int port)
{
    socklen_t size;
    struct sockaddr_storage address = address_of(host, port, &size);
    int fd = socket(address.ss_family, SOCK_STREAM, 0);

    if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, size) && !listen(fd, 5))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int port_at(int fd)
{
    struct sockaddr_storage name;
    socklen_t size = sizeof name;

    assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &size), 0);
    return ntohs(((struct sockaddr_in *)&name)->sin_port);
}

/* A socket that listens at a port of one address that is free on the other one too.  Ports that the system
 * gives to others are left out: one of those may be taken at any moment. */
static int listen_alone(const char *host)
{
    static int next;
    const char *other = strchr(host, ':') ? "127.0.0.1" : "::1";

    for (int tries = 0; tries < 1000; tries++) {
        int port = 10000 + (int)((unsigned)getpid() * 31 + (unsigned)next++) % 20000;
        int fd = listen_at(host, port), second = fd < 0 ? -1 : listen_at(other, port);
        bool alone = second >= 0 || errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT;

        if (second >= 0)
            close(second);
        if (fd >= 0 && alone)
            return fd;
        if (fd >= 0)
            close(fd);
    }
    fail_msg("no port is free on %s and %s", host, other);
    return -1;
}

/* Whether this machine has ::1. */
static bool has_six(void)
{
    int fd = listen_at("::1", 0);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* -1 when nobody listens. */
static int reach(const char *host, int port)
{
    socklen_t size;
    struct sockaddr_storage address = address_of(host, port, &size);
    int fd = socket(address.ss_family, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    if (!connect(fd, (struct sockaddr *)&address, size))
        return fd;
    close(fd);
    return -1;
}

static void say(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* What comes until the other side closes. */
static void hear(int fd, char *text, size_t room)
{
    size_t n = 0;
    ssize_t got = 1;

    while (got > 0 && n < room - 1) {
        assert_int_equal(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 20000), 1);
        got = read(fd, text + n, room - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    }
    text[n] = '\0';
    close(fd);
}

/* "200", or "-" when nobody listens. */
static const char *probe(const char *host, int port)
{
    static char text[1024];
    int fd = reach(host, port);

    if (fd < 0)
        return "-";
    say(fd, "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    hear(fd, text, sizeof text);
    text[12] = '\0';
    return text + 9;
}

/* ---- a server ---- */

struct start {
    const char *arguments[8];
    int inherited; /* port of a socket that is open already; 0 for none */
    bool no_six;
};

static int run_start(void *context)
{
    const struct start *start = context;
    char *argv[12] = {(char *)(uintptr_t) "test"}, pid[16];
    int argc = 1;

    no_six = start->no_six;
    if (start->inherited) {
        snprintf(pid, sizeof pid, "%d", (int)getpid());
        setenv("LISTEN_PID", pid, 1);
        setenv("LISTEN_FDS", "1", 1);
        dup2(listen_at("127.0.0.1", start->inherited), 3);
    }
    for (size_t i = 0; start->arguments[i]; i++)
        argv[argc++] = (char *)(uintptr_t)start->arguments[i];
    return haft_main(make_server(), argc, argv);
}

/* Waits for a line of standard error that has the text. */
static void wait_line(struct child *child, const char *part, char *line, size_t room)
{
    size_t n = 0;

    do {
        if (n && line[n - 1] == '\n')
            n = 0;
        assert_int_equal(poll(&(struct pollfd){.fd = child->error, .events = POLLIN}, 1, 20000), 1);
        assert_int_equal(read(child->error, line + n, 1), 1);
        n++;
        line[n] = '\0';
        assert_true(n < room - 1);
    } while (line[n - 1] != '\n' || !strstr(line, part));
}

/* Its port. */
static int begin(struct child *child, const struct start *start, bool both)
{
    char line[512], expected[512];
    const char *port;

    child_start(child, run_start, (void *)(uintptr_t)start);
    wait_line(child, "listening on", line, sizeof line);
    port = strrchr(line, '/') ? strstr(line, "host:") : NULL;
    port = port ? port + 5 : strstr(line, ".1:") + 3;
    snprintf(expected, sizeof expected,
             both ? "test: listening on http://localhost:%d/mcp (127.0.0.1 and ::1)\n"
                  : "test: listening on http://127.0.0.1:%d/mcp\n",
             atoi(port));
    assert_string_equal(line, expected);
    return atoi(port);
}

static void both_and_nothing_else(void **state)
{
    static const struct start starts[] = {{.arguments = {"--http", "0"}},
                                          {.arguments = {"--http=:0"}},
                                          {.arguments = {"--http", "0", "--threads", "3"}},
                                          {.arguments = {"--http", "0"}, .no_six = true}};
    bool six = has_six();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        bool both = six && !starts[i].no_six;
        struct child child;
        int port = begin(&child, &starts[i], both);

        for (int k = 0; k < 20; k++) { /* every shard takes some */
            assert_string_equal(probe("127.0.0.1", port), "200");
            if (six)
                assert_string_equal(probe("::1", port), both ? "200" : "-");
        }
        assert_string_equal(probe("127.0.0.2", port), "-"); /* one that listens everywhere has it */
        kill(child.pid, SIGTERM);
        assert_int_equal(child_wait(&child), 0);
        assert_string_equal(probe("127.0.0.1", port), "-");
        if (six)
            assert_string_equal(probe("::1", port), "-");
    }
}

static void a_certain_port(void **state)
{
    int holder = listen_alone("127.0.0.1"), port = port_at(holder);
    char text[8];
    const struct start start = {.arguments = {"--http", text}};
    struct child child;

    (void)state;
    close(holder);
    snprintf(text, sizeof text, "%d", port);
    assert_int_equal(begin(&child, &start, has_six()), port);
    kill(child.pid, SIGTERM);
    assert_int_equal(child_wait(&child), 0);
}

/* Somebody else on one of the addresses would be taken for this server. */
static void one_that_is_taken_is_an_error(void **state)
{
    static const char *const hosts[] = {"127.0.0.1", "::1"};

    (void)state;
    for (size_t i = 0; i < (has_six() ? 2 : 1); i++)
        for (int threads = 1; threads < 3; threads++) {
            int holder = listen_alone(hosts[i]);
            char text[8], number[] = {(char)('0' + threads), '\0'}, line[256], expected[256];
            const struct start start = {.arguments = {"--http", text, "--threads", number}};
            struct child child;

            snprintf(text, sizeof text, ":%d", port_at(holder));
            child_start(&child, run_start, (void *)(uintptr_t)&start);
            wait_line(&child, "test: ", line, sizeof line);
            snprintf(expected, sizeof expected, "test: %s: %s: address already in use\n", text,
                     hosts[i]);
            assert_string_equal(line, expected);
            assert_int_equal(child_wait(&child), 1);
            close(holder);
        }
}

/* What systemd has opened is all that is listened on. */
static void an_inherited_socket_comes_first(void **state)
{
    int holder = listen_alone("127.0.0.1"), port = port_at(holder);
    const struct start start = {.arguments = {"--http", "0"}, .inherited = port};
    struct child child;

    (void)state;
    close(holder);
    assert_int_equal(begin(&child, &start, false), port);
    assert_string_equal(probe("127.0.0.1", port), "200");
    if (has_six())
        assert_string_equal(probe("::1", port), "-");
    kill(child.pid, SIGTERM);
    assert_int_equal(child_wait(&child), 0);
}

/* At the end nobody new is taken on either address, and calls in flight are answered. */
static void the_end_is_the_same_on_both(void **state)
{
    static const char body[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                               "{\"name\":\"stubborn\",\"arguments\":{\"n\":700}}}";
    const struct start start = {.arguments = {"--http", "0"}};
    const char *host = has_six() ? "::1" : "127.0.0.1";
    struct child child;
    char text[2048];
    int port = begin(&child, &start, has_six()), fd = reach(host, port);
    int64_t late;

    (void)state;
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             strlen(body), body);
    say(fd, text);
    assert_string_equal(probe("127.0.0.1", port), "200"); /* it has been read by then */
    kill(child.pid, SIGTERM);
    late = milliseconds() + 20000;
    while (strcmp(probe("127.0.0.1", port), "-") || strcmp(probe(host, port), "-"))
        assert_true(milliseconds() < late);
    hear(fd, text, sizeof text);
    assert_non_null(strstr(text, "slept 700"));
    assert_int_equal(child_wait(&child), 0);
}

static void a_reload_keeps_both(void **state)
{
    char path[FILE_PATH], line[512];
    const struct start start = {.arguments = {"--config", path, "--log-level", "notice"}};
    struct child child;
    FILE *file;
    int port;

    (void)state;
    file_make(path, "{\"http\": {\"address\": \":0\"}}");
    port = begin(&child, &start, has_six());
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"http\": {\"address\": \"127.0.0.1:1\"}}", file);
    fclose(file);
    kill(child.pid, SIGHUP);
    wait_line(&child, "http.address: changing this requires a restart", line, sizeof line);
    wait_line(&child, "configuration reloaded", line, sizeof line);
    assert_string_equal(probe("127.0.0.1", port), "200");
    if (has_six())
        assert_string_equal(probe("::1", port), "200");
    kill(child.pid, SIGTERM);
    assert_int_equal(child_wait(&child), 0);
    unlink(path);
}

static void what_is_no_port_is_refused(void **state)
{
    static const char *const addresses[] = {":",     "65536",       ":65536", "80x",
                                            "8080:", "99999999999", "-1"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        char flag[64], line[256], expected[256];
        const struct start start = {.arguments = {flag}};
        struct child child;
        haft_reason reason;
        haft_server *server = make_server();

        snprintf(flag, sizeof flag, "--http=%s", addresses[i]);
        child_start(&child, run_start, (void *)(uintptr_t)&start);
        wait_line(&child, "test: ", line, sizeof line);
        snprintf(expected, sizeof expected,
                 "test: --http: expected an address, HOST:PORT, PORT or unix:PATH, not %s\n",
                 addresses[i]);
        assert_string_equal(line, expected);
        assert_int_equal(child_wait(&child), 2);
        assert_int_equal(
            haft_http_serve(server, HAFT_WITH(haft_http_options, .address = addresses[i]), &reason),
            HAFT_EINVAL);
        assert_string_equal(reason.text, "expected [HOST:]PORT or unix:PATH");
        haft_server_free(server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_and_nothing_else),
        cmocka_unit_test(a_certain_port),
        cmocka_unit_test(one_that_is_taken_is_an_error),
        cmocka_unit_test(an_inherited_socket_comes_first),
        cmocka_unit_test(the_end_is_the_same_on_both),
        cmocka_unit_test(a_reload_keeps_both),
        cmocka_unit_test(what_is_no_port_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
