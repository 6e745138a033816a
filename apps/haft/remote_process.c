/* remote_process.c - the wire to a process that is started for it: one message a line.
 *
 * The process leads a group of its own, so that an interrupt at the terminal reaches it as a
 * cancellation and not as a signal, and so that what it has started ends with it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "child.h"
#include "remote_link.h"

enum { LAST_WORDS = 500 /* milliseconds between the end of the output and that of the process */ };

struct remote_process {
    struct remote *remote;
    uv_process_t handle;
    uv_pipe_t in, out;
    uv_timer_t mourning;
    bool running, output_ended, told;
    unsigned open; /* handles that are not closed yet */
    size_t unwritten;
    int64_t exit_status;
    int exit_signal;
    struct lines lines;
};

struct writing {
    uv_write_t request;
    struct remote_process *process;
    char text[];
};

static void tell_end(struct remote_process *process)
{
    if (process->told)
        return;
    process->told = true;
    if (process->running)
        remote_lost(process->remote, 0, EXIT_CONNECTION, "the server closed its output");
    else if (process->exit_signal)
        remote_lost(process->remote, 0, EXIT_CONNECTION,
                    "the server was terminated by signal %d (%s)", process->exit_signal,
                    strsignal(process->exit_signal));
    else
        remote_lost(process->remote, 0, EXIT_CONNECTION,
                    "the server exited with status %lld before it answered",
                    (long long)process->exit_status);
}

static void on_mourned(uv_timer_t *timer)
{
    tell_end(timer->data);
}

/* Of its last output and its end, either may be seen first. */
static void one_end_seen(struct remote_process *process)
{
    if (process->output_ended && !process->running)
        tell_end(process);
    else
        uv_timer_start(&process->mourning, on_mourned, LAST_WORDS, 0);
}

/* Whether it ended without having read all that was written to it: a socket pair whose other end is
 * closed with bytes in it says so. */
static bool remote_process_left_unread(const struct remote_process *process)
{
    int error = 0;
    socklen_t size = sizeof error;
    uv_os_fd_t fd;

    if (process->unwritten)
        return true;
    return !uv_fileno((const uv_handle_t *)&process->in, &fd) &&
           !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) && error == ECONNRESET;
}

static void on_ended(uv_process_t *handle, int64_t status, int signal)
{
    struct remote_process *process = handle->data;

    uv_stop(handle->loop);
    process->remote->unread = remote_process_left_unread(process);
    process->running = false;
    process->exit_status = status;
    process->exit_signal = signal;
    one_end_seen(process);
}

static void remote_process_give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
    struct remote_process *process = handle->data;

    (void)suggested;
    child_lines_room(&process->lines, ret_room);
}

static void on_output(uv_stream_t *stream, ssize_t size, const uv_buf_t *room)
{
    struct remote_process *process = stream->data;
    const char *line;
    size_t n;
    int status;

    (void)room;
    if (size > 0)
        hf_lines_filled(&process->lines, (size_t)size);
    while ((status = hf_lines_next(&process->lines, size < 0, &line, &n))) {
        if (status > 0)
            remote_incoming(process->remote, line, n);
        else
            remote_lost(process->remote, 0, EXIT_PROTOCOL,
                        "the server's message exceeds the limit of %zu MiB",
                        process->remote->options.limit >> 20);
        if (status < 0)
            break;
    }
    if (size >= 0)
        return;
    uv_read_stop(stream);
    process->output_ended = true;
    one_end_seen(process);
}

static void on_closed(uv_handle_t *handle)
{
    struct remote_process *process = handle->data;

    process->open--;
}

static bool is_closed(void *context)
{
    const struct remote_process *process = context;

    return !process->open;
}

static bool has_ended(void *context)
{
    const struct remote_process *process = context;

    return !process->running;
}

static void close_one(struct remote_process *process, void *handle)
{
    uv_handle_t *closing = handle;

    (void)process;
    if (!uv_is_closing(closing))
        uv_close(closing, on_closed);
}

static int start(struct remote_process *process)
{
    struct remote *remote = process->remote;
    int status;

    uv_pipe_init(&remote->loop, &process->in, 0);
    uv_pipe_init(&remote->loop, &process->out, 0);
    uv_timer_init(&remote->loop, &process->mourning);
    process->in.data = process->out.data = process->handle.data = process->mourning.data = process;
    process->told = process->output_ended = false;
    process->unwritten = 0;
    hf_lines_init(&process->lines, NULL, remote->options.limit);
    status =
        child_spawn(&process->handle, &process->in, &process->out, remote->options.child, on_ended);
    process->open = 4;
    process->running = !status;
    if (!status)
        status = uv_read_start((uv_stream_t *)&process->out, remote_process_give_room, on_output);
    if (status)
        return remote_fail(remote, EXIT_CONNECTION, "cannot start %s: %s", remote->options.child[0],
                           uv_strerror(status));
    return 0;
}

/* The end of its input asks it to end; then it is told, and then it is not asked any more. */
static void stop(struct remote_process *process)
{
    static const int signals[] = {0, SIGTERM, SIGKILL};

    close_one(process, &process->in);
    for (size_t i = 0; i < sizeof signals / sizeof *signals && process->running; i++) {
        if (signals[i])
            kill(-process->handle.pid, signals[i]);
        remote_run(process->remote, CLOSE_WAIT, has_ended, process);
    }
    close_one(process, &process->out);
    close_one(process, &process->mourning);
    close_one(process, &process->handle);
    while (!is_closed(process))
        uv_run(&process->remote->loop, UV_RUN_ONCE);
    hf_lines_finish(&process->lines);
}

/* ---- the wire ---- */

static void on_written(uv_write_t *request, int status)
{
    struct writing *writing = (struct writing *)request;

    (void)status; /* a process that does not read any more ends, or is seen to answer nothing */
    writing->process->unwritten--;
    uv_stop(&writing->process->remote->loop);
    free(writing);
}

static int send_line(void *wire, const struct outgoing *outgoing)
{
    struct remote_process *process = wire;
    struct writing *writing = malloc(sizeof *writing + outgoing->size + 1);
    uv_buf_t text;

    if (!writing)
        return remote_fail(process->remote, EXIT_LOCAL, "out of memory");
    writing->process = process;
    memcpy(writing->text, outgoing->text, outgoing->size);
    writing->text[outgoing->size] = '\n';
    text = uv_buf_init(writing->text, (unsigned)outgoing->size + 1);
    process->unwritten++;
    if (uv_write(&writing->request, (uv_stream_t *)&process->in, &text, 1, on_written)) {
        process->unwritten--;
        free(writing);
    }
    return 0;
}

static bool remote_process_is_flushed(void *wire)
{
    const struct remote_process *process = wire;

    return !process->unwritten || !process->running;
}

static void remote_process_forget(void *wire, int64_t id)
{
    (void)wire;
    (void)id;
}

static void remote_process_settled(void *wire)
{
    (void)wire;
}

static int remote_process_restart(void *wire)
{
    stop(wire);
    return start(wire);
}

static void close_process(void *wire)
{
    struct remote_process *process = wire;

    stop(process);
    free(process);
}

static const struct transport class = {
    .send = send_line,
    .is_flushed = remote_process_is_flushed,
    .forget = remote_process_forget,
    .settled = remote_process_settled,
    .restart = remote_process_restart,
    .close = close_process,
};

int wire_open_process(struct remote *remote, void **ret_wire, const struct transport **ret_class)
{
    struct remote_process *process = calloc(1, sizeof *process);

    if (!process)
        return remote_fail(remote, EXIT_LOCAL, "out of memory");
    process->remote = remote;
    *ret_wire = process;
    *ret_class = &class;
    return start(process);
}
