/* child.c - a server in a separate process; see child.h. */
#define _DEFAULT_SOURCE
#include "support/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

enum { PATIENCE = 120000, OUTPUT_LIMIT = 256 << 20 };

int64_t milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void sleep_ms(int64_t ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&time, &time) && errno == EINTR)
        ;
}

/* Whether a signal is pending for the process, according to /proc. */
static bool is_pending(pid_t pid, int number)
{
    static const char key[] = "ShdPnd:";
    char name[64], line[256];
    bool pending = false;
    FILE *file;

    snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
    file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, sizeof key - 1))
            pending = strtoull(line + sizeof key - 1, NULL, 16) >> (number - 1) & 1;
    if (file)
        fclose(file);
    return pending;
}

void signal_in_turn(pid_t pid, int number)
{
    int64_t late = milliseconds() + PATIENCE;

    assert_int_equal(kill(pid, number), 0);
    while (is_pending(pid, number)) {
        assert_true(milliseconds() < late);
        sleep_ms(1);
    }
}

void child_start(struct child *child, int (*function)(void *context), void *context)
{
    int in[2], out[2], error[2];

    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(in) | pipe(out) | pipe(error), 0);
    child->pid = fork();
    assert_true(child->pid >= 0);
    if (!child->pid) {
        signal(SIGPIPE, SIG_DFL);
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(error[1], 2);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        _exit(function(context));
    }
    close(in[0]);
    close(out[1]);
    close(error[1]);
    child->in = in[1];
    child->out = out[0];
    child->error = error[0];
    fcntl(child->in, F_SETFL, O_NONBLOCK);
    fcntl(child->out, F_SETFL, O_NONBLOCK);
    fcntl(child->error, F_SETFL, O_NONBLOCK);
    haft_buffer_init(&child->seen, NULL, OUTPUT_LIMIT);
    child->taken = 0;
}

/* Reads available output. Returns false at its end. */
static bool take(struct child *child)
{
    char bytes[65536];
    ssize_t n;

    while ((n = read(child->out, bytes, sizeof bytes)) > 0)
        haft_buffer_add(&child->seen, bytes, (size_t)n);
    return n < 0 && errno == EAGAIN;
}

void child_write(struct child *child, const void *bytes, size_t size)
{
    const char *rest = bytes;
    int64_t start = milliseconds();

    while (size) {
        ssize_t n = write(child->in, rest, size);

        if (n > 0) {
            rest += n;
            size -= (size_t)n;
            start = milliseconds();
        } else {
            struct pollfd fds[] = {{.fd = child->in, .events = POLLOUT},
                                   {.fd = child->out, .events = POLLIN}};

            assert_true(errno == EAGAIN);
            poll(fds, 2, 100);
            take(child);
            assert_true(milliseconds() - start < PATIENCE);
        }
    }
}

void child_puts(struct child *child, const char *text)
{
    child_write(child, text, strlen(text));
}

void child_wait_read(const struct child *child)
{
    int64_t start = milliseconds();
    int left = 1;

    while (!ioctl(child->in, FIONREAD, &left) && left) {
        assert_true(milliseconds() - start < PATIENCE);
        sched_yield();
    }
}

/* The end of the next line; NULL if it has not arrived. */
static char *line_end(const struct child *child)
{
    size_t left = child->seen.size - child->taken;

    return left ? memchr(child->seen.data + child->taken, '\n', left) : NULL;
}

const char *child_line(struct child *child)
{
    int64_t start = milliseconds();
    char *line, *end;

    if (child->taken == child->seen.size) {
        haft_buffer_clear(&child->seen);
        child->taken = 0;
    }
    while (!(end = line_end(child))) {
        struct pollfd fd = {.fd = child->out, .events = POLLIN};

        if (!take(child) && !line_end(child))
            fail_msg("the output ended before a line");
        if (milliseconds() - start > PATIENCE)
            fail_msg("there is no line of output");
        if (!line_end(child))
            poll(&fd, 1, 100);
    }
    line = child->seen.data + child->taken;
    *end = '\0';
    child->taken += (size_t)(end - line) + 1;
    return line;
}

bool child_is_silent(struct child *child)
{
    int64_t start = milliseconds();

    while (take(child)) {
        struct pollfd fd = {.fd = child->out, .events = POLLIN};

        assert_true(milliseconds() - start < PATIENCE);
        poll(&fd, 1, 100);
    }
    return child->seen.size == child->taken;
}

void child_end(struct child *child)
{
    close(child->in);
    child->in = -1;
}

/* Prints its standard error if it failed. */
static void show_error(const struct child *child)
{
    char bytes[4096];
    ssize_t n;

    while ((n = read(child->error, bytes, sizeof bytes)) > 0)
        if (write(STDERR_FILENO, bytes, (size_t)n) != n)
            return;
}

int child_wait(struct child *child)
{
    int64_t start = milliseconds();
    int status = 0;

    while (!waitpid(child->pid, &status, WNOHANG)) {
        if (milliseconds() - start > PATIENCE) {
            kill(child->pid, SIGKILL);
            waitpid(child->pid, &status, 0);
            fail_msg("the process does not end");
        }
        sleep_ms(1);
    }
    if (status)
        show_error(child);
    if (child->in >= 0)
        close(child->in);
    if (child->out >= 0)
        close(child->out);
    close(child->error);
    haft_buffer_finish(&child->seen);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
