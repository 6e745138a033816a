/* child.c - the life of a process.
 *
 * The process leads a separate session, so that an interrupt at the terminal does not reach it, and
 * so that a signal to its group reaches what it has started. Its end is seen twice, by the end of its
 * output and by its exit status, in either order: the first waits a little for the second. */
#define _GNU_SOURCE /* pipe2 */
#include "connect/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "connect/environment.h"

enum {
    CHILD_LAST_WORDS = 500, /* milliseconds between one sign of the end and the other */
    CHILD_ERROR_LINE = 64 << 10
};

/* ---- the end ---- */

static void child_release(struct connect_child *child)
{
    const haft_allocator *allocator = child->link->allocator;

    if (child->handles || !hf_connect_pipe_is_closed(&child->pipe) ||
        !hf_connect_pipe_is_closed(&child->errors))
        return;
    hf_connect_pipe_finish(&child->pipe);
    hf_connect_pipe_finish(&child->errors);
    allocator->release(allocator->context, child, sizeof *child);
}

static void child_on_handle_closed(uv_handle_t *handle)
{
    struct connect_child *child = handle->data;
    struct connect_link *link = child->link;

    child->handles--;
    child_release(child);
    hf_connect_link_handle_closed(link);
}

static void child_on_pipe_closed(struct connect_pipe *pipe)
{
    child_release(pipe->owner);
}

static void child_close(struct connect_child *child)
{
    if (child->closing)
        return;
    child->closing = true;
    if (child->on_gone)
        child->on_gone(child);
    hf_connect_pipe_close(&child->pipe);
    hf_connect_pipe_close(&child->errors);
    if (child->handles == 2)
        uv_close((uv_handle_t *)&child->process, child_on_handle_closed);
    uv_close((uv_handle_t *)&child->timer, child_on_handle_closed);
}

static unsigned child_patience(const struct connect_child *child)
{
    unsigned most = child->link->limits.close_ms;

    return child->patience && child->patience < most ? child->patience : most;
}

static void child_on_patience(uv_timer_t *timer)
{
    static const int signals[] = {SIGTERM, SIGKILL};
    struct connect_child *child = timer->data;

    if (child->asked == sizeof signals / sizeof *signals) {
        child_close(child); /* not even SIGKILL ends it now: it waits for a device */
        return;
    }
    kill(-child->process.pid, signals[child->asked++]);
    uv_timer_start(timer, child_on_patience, child_patience(child), 0);
}

void hf_connect_child_end(struct connect_child *child)
{
    if (child->ending)
        return;
    child->ending = true;
    hf_connect_pipe_close_out(&child->pipe);
    if (child->running)
        uv_timer_start(&child->timer, child_on_patience, child_patience(child), 0);
    else
        child_close(child);
}

static void child_report_end(struct connect_child *child)
{
    char text[160];

    if (child->reported || child->ending)
        return;
    child->reported = true;
    if (child->running && child->output_ended)
        snprintf(text, sizeof text, "the server closed its output");
    else if (child->running)
        snprintf(text, sizeof text,
                 child->pipe.stalled ? "the server does not read its input"
                                     : "the server closed its input");
    else if (child->exit_signal)
        snprintf(text, sizeof text, "the server was terminated by signal %d (%s)",
                 child->exit_signal, strsignal(child->exit_signal));
    else
        snprintf(text, sizeof text, "the server exited with status %lld before it answered",
                 (long long)child->exit_status);
    child->unread = child->unread || hf_connect_pipe_is_unread(&child->pipe);
    child->on_end(child, text);
}

static void child_on_last_words(uv_timer_t *timer)
{
    child_report_end(timer->data);
}

static void child_sign_seen(struct connect_child *child)
{
    if (child->ending)
        return;
    if (child->output_ended && !child->running)
        child_report_end(child);
    else if (!uv_is_active((uv_handle_t *)&child->timer)) /* further signs do not delay it */
        uv_timer_start(&child->timer, child_on_last_words, CHILD_LAST_WORDS, 0);
}

static void child_on_exit(uv_process_t *process, int64_t status, int signal)
{
    struct connect_child *child = process->data;

    child->running = false;
    child->exit_status = status;
    child->exit_signal = signal;
    child->unread = hf_connect_pipe_is_unread(&child->pipe);
    kill(-process->pid, SIGTERM); /* what it has started ends with it */
    if (child->ending)
        child_close(child);
    else
        child_sign_seen(child);
}

/* ---- its output ---- */

static void child_on_line(struct connect_pipe *pipe, int status, const char *line, size_t size)
{
    const struct connect_child *child = pipe->owner;

    if (child->ending)
        return;
    if (status > 0)
        hf_connect_link_message(pipe->link, line, size, NULL);
    else if (status == HAFT_ETOOBIG)
        hf_connect_link_too_long(pipe->link, size);
    else
        hf_connect_link_failed(pipe->link, NULL,
                               &(haft_failure){.status = status,
                                               .text = haft_strerror(status),
                                               .maybe_handled = true});
}

static void child_on_output_end(struct connect_pipe *pipe)
{
    struct connect_child *child = pipe->owner;

    child->output_ended = true;
    child_sign_seen(child);
}

static void child_on_broken(struct connect_pipe *pipe)
{
    child_sign_seen(pipe->owner);
}

int hf_connect_child_send(struct connect_child *child, const char *text, size_t size)
{
    int status = hf_connect_pipe_send(&child->pipe, text, size);

    if (status == HAFT_ECLOSED)
        child_sign_seen(child); /* its end says why */
    return status;
}

static void child_on_error_line(struct connect_pipe *pipe, int status, const char *line,
                                size_t size)
{
    const haft_target *target = &pipe->link->target;

    if (status > 0 && !pipe->link->over)
        target->on_error_line(target->context, line, size);
}

static void child_on_errors_end(struct connect_pipe *pipe)
{
    (void)pipe; /* a process may close its standard error */
}

/* ---- the beginning ---- */

/* The ends of the child, and ours: standard input, output and error. */
struct child_pipes {
    int theirs[3], ours[3];
    bool no_errors; /* it has no standard error, as this program has none */
};

static void child_close_all(const int fds[3])
{
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* Returns 0 or an error of libuv, with nothing open. */
static int child_make_pipes(struct child_pipes *pipes, bool with_errors)
{
    int fds[2];

    /* Before a pipe gets the number. */
    pipes->no_errors = !with_errors && fcntl(STDERR_FILENO, F_GETFD) < 0;
    for (int i = 0; i < 3; i++)
        pipes->theirs[i] = pipes->ours[i] = -1;
    for (int i = 0; i < (with_errors ? 3 : 2); i++) {
        if (pipe2(fds, O_CLOEXEC)) {
            child_close_all(pipes->theirs);
            child_close_all(pipes->ours);
            return UV_EMFILE;
        }
        pipes->theirs[i] = fds[i ? 1 : 0];
        pipes->ours[i] = fds[i ? 0 : 1];
    }
    return 0;
}

static int child_spawn(struct connect_child *child, const struct child_pipes *pipes)
{
    const haft_target *target = &child->link->target;
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_INHERIT_FD, .data.fd = pipes->theirs[0]},
        {.flags = UV_INHERIT_FD, .data.fd = pipes->theirs[1]},
        {.flags = UV_INHERIT_FD, .data.fd = pipes->theirs[2] >= 0 ? pipes->theirs[2] : 2}};
    uv_process_options_t options = {.exit_cb = child_on_exit,
                                    .file = target->command[0],
                                    .args = (char **)target->command,
                                    .env = (char **)target->environment,
                                    .cwd = target->directory,
                                    .flags = UV_PROCESS_DETACHED,
                                    .stdio_count = 3,
                                    .stdio = stdio};

    if (pipes->no_errors)
        stdio[2].flags = UV_IGNORE;
    if (!options.env)
        options.env = hf_environment_public(child->link->arena, NULL);
    if (!options.env)
        return UV_ENOMEM;
    child->handles++; /* uv_spawn initializes the handle also if it fails */
    hf_connect_link_opened(child->link);
    return uv_spawn(child->link->loop, &child->process, &options);
}

static void child_set_up(struct connect_child *child)
{
    child->pipe = (struct connect_pipe){.link = child->link,
                                        .in.fd = -1,
                                        .out.fd = -1,
                                        .owner = child,
                                        .on_line = child_on_line,
                                        .on_end = child_on_output_end,
                                        .on_broken = child_on_broken,
                                        .on_closed = child_on_pipe_closed};
    child->errors = (struct connect_pipe){.link = child->link,
                                          .in.fd = -1,
                                          .out.fd = -1,
                                          .owner = child,
                                          .on_line = child_on_error_line,
                                          .on_end = child_on_errors_end,
                                          .on_closed = child_on_pipe_closed};
    uv_timer_init(child->link->loop, &child->timer);
    child->timer.data = child->process.data = child;
    child->handles = 1;
    hf_connect_link_opened(child->link);
}

/* Returns 0 or an error of libuv. */
static int child_begin(struct connect_child *child)
{
    bool with_errors = child->link->target.on_error_line;
    struct child_pipes pipes;
    int status = child_make_pipes(&pipes, with_errors);

    if (status)
        return status;
    status = child_spawn(child, &pipes);
    child_close_all(pipes.theirs);
    if (status) {
        child_close_all(pipes.ours);
        return status;
    }
    child->running = true;
    status = hf_connect_pipe_open(&child->pipe, child->link, pipes.ours[1], pipes.ours[0]);
    if (with_errors) {
        int other = hf_connect_pipe_open(&child->errors, child->link, pipes.ours[2], -1);

        child->errors.lines.limit = CHILD_ERROR_LINE;
        status = status ? status : other;
    }
    return status;
}

struct connect_child *hf_connect_child_start(struct connect_link *link,
                                             void (*on_end)(struct connect_child *child,
                                                            const char *text),
                                             haft_reason *reterr_reason)
{
    struct connect_child *child = link->allocator->alloc(link->allocator->context, sizeof *child);
    int status;

    if (!child) {
        hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    memset(child, 0, sizeof *child);
    child->link = link;
    child->on_end = on_end;
    child_set_up(child);
    status = child_begin(child);
    if (!status)
        return child;
    hf_error_set(reterr_reason, status == UV_ENOMEM ? HAFT_ENOMEM : HAFT_ECLOSED, "",
                 "cannot start %.150s: %s", link->target.command[0], uv_strerror(status));
    hf_connect_child_end(child);
    return NULL;
}
