/* stdio_driver.c - generates load on a server's standard input and output.
 *
 *     stdio-driver CALLS WINDOW FILE COMMAND [ARGUMENT ...]
 *
 * FILE contains lines that are sent once, each request answered before the next is sent, and as its
 * last line the measured request: its id is 1000000 and increases. WINDOW calls are in flight at a
 * time. Prints one line of JSON: seconds, median and 99th percentile of the latency in
 * microseconds, the time from the start to the first response, and the server's memory then and at
 * the end in KiB.
 *
 * The driver must not be the bottleneck: requests are copied with their id patched, responses are
 * split by line, and only their ids are parsed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../tests/support/resident.h"

enum {
    FIRST_ID = 1000000,
    ID_DIGITS = 7,
    OUT_SIZE = 1 << 20,
    IN_SIZE = 1 << 22,
    PIPE_SIZE = 1 << 20
};

struct driver {
    pid_t child;
    int to, from;
    char *request;
    size_t request_size, id_at;
    char *out, *in;
    size_t out_from, out_to, in_used;
    long sent, answered, calls, window;
    uint64_t *began; /* start by call, then its duration */
    uint64_t ids;    /* sum of the received ids */
};

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void start(struct driver *driver, char **command)
{
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        give_up("pipe");
    fcntl(to[1], F_SETPIPE_SZ, PIPE_SIZE);
    fcntl(from[1], F_SETPIPE_SZ, PIPE_SIZE);
    driver->child = vfork();
    if (driver->child < 0)
        give_up("vfork");
    if (driver->child == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execvp(command[0], command);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    driver->to = to[1];
    driver->from = from[0];
}

static void write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0)
            give_up("write");
        bytes += n;
        size -= (size_t)n;
    }
}

/* Waits for one line, with nothing after it. */
static void await_line(struct driver *driver)
{
    size_t used = 0;

    do {
        ssize_t n = read(driver->from, driver->in + used, IN_SIZE - used);

        if (n <= 0)
            give_up("the server is gone");
        used += (size_t)n;
    } while (!memchr(driver->in, '\n', used));
    if (memmem(driver->in, used, "\"error\"", 7)) {
        fprintf(stderr, "%.*s", (int)used, driver->in);
        exit(1);
    }
}

/* Reads the file, and sends the lines that are sent once. */
static void prepare(struct driver *driver, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL, *id;
    size_t room = 0;
    ssize_t size;

    if (!file)
        give_up(path);
    while ((size = getline(&line, &room, file)) > 0) {
        if (driver->request) {
            write_all(driver->to, driver->request, driver->request_size);
            if (memmem(driver->request, driver->request_size, "\"id\":", 5))
                await_line(driver);
        }
        free(driver->request);
        driver->request = line;
        driver->request_size = (size_t)size;
        line = NULL;
    }
    fclose(file);
    id = driver->request ? strstr(driver->request, "1000000") : NULL;
    if (!id) {
        fprintf(stderr, "%s: its last line has no id 1000000\n", path);
        exit(1);
    }
    driver->id_at = (size_t)(id - driver->request);
}

static void put_id(char *at, long id)
{
    for (int i = ID_DIGITS - 1; i >= 0; i--, id /= 10)
        at[i] = (char)('0' + id % 10);
}

static void fill(struct driver *driver)
{
    if (driver->out_from == driver->out_to)
        driver->out_from = driver->out_to = 0;
    while (driver->sent < driver->calls && driver->sent - driver->answered < driver->window &&
           OUT_SIZE - driver->out_to >= driver->request_size) {
        char *at = driver->out + driver->out_to;

        memcpy(at, driver->request, driver->request_size);
        put_id(at + driver->id_at, FIRST_ID + driver->sent);
        driver->began[driver->sent++] = nanoseconds();
        driver->out_to += driver->request_size;
    }
}

/* Finds a text near the start or the end of a response, which may be long. */
static const char *find(const char *line, size_t size, const char *text)
{
    size_t part = size < 200 ? size : 200;
    const char *found = memmem(line, part, text, strlen(text));

    return found ? found : memmem(line + size - part, part, text, strlen(text));
}

/* Responses may arrive in any order; the id is before or after the result. */
static void take_answer(struct driver *driver, const char *line, size_t size, uint64_t now)
{
    const char *id = find(line, size, "\"id\":");
    long number = id ? strtol(id + 5, NULL, 10) - FIRST_ID : -1;

    if (number < 0 || number >= driver->sent || find(line, size, "\"isError\":true") ||
        !find(line, size, "\"result\"")) {
        fprintf(stderr, "what is this: %.*s\n", (int)(size < 500 ? size : 500), line);
        exit(1);
    }
    driver->began[number] = now - driver->began[number];
    driver->ids += (uint64_t)number;
    driver->answered++;
}

static void drain(struct driver *driver)
{
    ssize_t n = read(driver->from, driver->in + driver->in_used, IN_SIZE - driver->in_used);
    uint64_t now = nanoseconds();
    char *line = driver->in, *end;

    if (n <= 0)
        give_up("the server is gone");
    driver->in_used += (size_t)n;
    while ((end = memchr(line, '\n', driver->in_used - (size_t)(line - driver->in)))) {
        take_answer(driver, line, (size_t)(end - line), now);
        line = end + 1;
    }
    driver->in_used -= (size_t)(line - driver->in);
    memmove(driver->in, line, driver->in_used);
}

static void drive(struct driver *driver)
{
    fcntl(driver->to, F_SETFL, O_NONBLOCK);
    while (driver->answered < driver->calls) {
        struct pollfd waits[2] = {{.fd = driver->from, .events = POLLIN},
                                  {.fd = driver->to, .events = POLLOUT}};

        fill(driver);
        if (driver->out_from < driver->out_to) {
            ssize_t n = write(driver->to, driver->out + driver->out_from,
                              driver->out_to - driver->out_from);

            if (n > 0)
                driver->out_from += (size_t)n;
            else if (errno != EAGAIN)
                give_up("write");
        }
        if (poll(waits, driver->out_from < driver->out_to ? 2 : 1, 60000) <= 0)
            give_up("no answer for a minute");
        if (waits[0].revents)
            drain(driver);
    }
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    struct driver driver = {.calls = argc > 4 ? strtol(argv[1], NULL, 10) : 0};
    uint64_t started, first, begun, ended;
    size_t first_memory, last_memory;

    if (driver.calls < 1 || driver.calls > 8999999 ||
        (driver.window = strtol(argv[2], NULL, 10)) < 1) {
        fputs("usage: stdio-driver CALLS WINDOW FILE COMMAND [ARGUMENT ...]\n", stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    driver.out = malloc(OUT_SIZE);
    driver.in = malloc(IN_SIZE);
    driver.began = calloc((size_t)driver.calls, sizeof *driver.began);
    if (!driver.out || !driver.in || !driver.began)
        give_up("malloc");

    started = nanoseconds();
    start(&driver, argv + 4);
    prepare(&driver, argv[3]);
    write_all(driver.to, driver.request, driver.request_size);
    await_line(&driver);
    first = nanoseconds() - started;
    first_memory = resident_kib(driver.child);

    begun = nanoseconds();
    drive(&driver);
    ended = nanoseconds();
    last_memory = resident_kib(driver.child);
    if (driver.ids != (uint64_t)driver.calls * (uint64_t)(driver.calls - 1) / 2) {
        fputs("some answer came twice\n", stderr);
        return 1;
    }
    close(driver.to);
    waitpid(driver.child, NULL, 0);
    qsort(driver.began, (size_t)driver.calls, sizeof *driver.began, by_size);
    printf("{\"seconds\":%.6f,\"p50\":%.3f,\"p99\":%.3f,\"start\":%.1f,\"memory\":[%zu,%zu]}\n",
           (double)(ended - begun) / 1e9, (double)driver.began[driver.calls / 2] / 1e3,
           (double)driver.began[driver.calls * 99 / 100] / 1e3, (double)first / 1e3, first_memory,
           last_memory);
    return 0;
}
