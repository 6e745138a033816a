/* pipe.c - reads and writes lines when the descriptors are ready. */
#include "connect/pipe.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIPE_UNSENT = 64 << 20 /* bytes that the server has not read */ };

/* ---- writing without SIGPIPE ---- */

/* Blocks the signal for this thread, and takes it away if the write has raised it. */
static int pipe_flush(struct writer *writer)
{
    const struct timespec now = {0};
    sigset_t one, before, pending;
    bool was_pending;
    int status;

    sigemptyset(&one);
    sigaddset(&one, SIGPIPE);
    sigpending(&pending);
    was_pending = sigismember(&pending, SIGPIPE);
    if (pthread_sigmask(SIG_BLOCK, &one, &before))
        return HAFT_ECLOSED;
    status = hf_writer_flush(writer);
    if (status < 0 && !was_pending)
        while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static void pipe_on_writable(uv_poll_t *poll, int status, int events);

static void pipe_write(struct connect_pipe *pipe)
{
    int status = pipe_flush(&pipe->writer);

    if (!status && !uv_poll_start(&pipe->out.poll, UV_WRITABLE, pipe_on_writable))
        return;
    if (uv_is_active((uv_handle_t *)&pipe->out.poll)) /* libuv asks the kernel each time */
        uv_poll_stop(&pipe->out.poll);
    pipe->broken = status <= 0;
}

static void pipe_write_rest(struct connect_pipe *pipe)
{
    pipe_write(pipe);
    if (pipe->broken && pipe->on_broken)
        pipe->on_broken(pipe);
}

static void pipe_on_writable(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events; /* an error comes from the write as well */
    pipe_write_rest(poll->data);
}

static bool pipe_is_waiting(const struct connect_pipe *pipe)
{
    return pipe->writer.bytes && !pipe->broken &&
           !uv_is_active((const uv_handle_t *)&pipe->out.poll);
}

static void pipe_on_turn(uv_prepare_t *turn)
{
    struct connect_pipe *pipe = turn->data;

    uv_prepare_stop(turn);
    if (pipe_is_waiting(pipe))
        pipe_write_rest(pipe);
}

/* Whether a message that is added now is written with later ones of this turn. */
static bool pipe_is_in_turn(struct connect_pipe *pipe)
{
    if (pipe->link->has_own)
        return false; /* nobody may run it for a long time */
    if (uv_is_active((uv_handle_t *)&pipe->turn))
        return true;
    uv_prepare_start(&pipe->turn, pipe_on_turn);
    return false;
}

int hf_connect_pipe_send(struct connect_pipe *pipe, const char *text, size_t size)
{
    bool waits = pipe->writer.bytes > 0;

    if (pipe->broken || pipe->out.fd < 0)
        return HAFT_ECLOSED;
    if (pipe->writer.bytes > PIPE_UNSENT) {
        uv_poll_stop(&pipe->out.poll);
        pipe->broken = pipe->stalled = true;
        return HAFT_ECLOSED;
    }
    if (hf_writer_add(&pipe->writer, text, size))
        return HAFT_ENOMEM;
    pipe->used = true;
    if (!waits && !pipe_is_in_turn(pipe))
        pipe_write(pipe);
    return pipe->broken ? HAFT_ECLOSED : 0;
}

bool hf_connect_pipe_is_unread(const struct connect_pipe *pipe)
{
    struct stat about;
    int left = 0;

    if (!pipe->used || pipe->broken || pipe->writer.bytes)
        return true;
    /* Of a socket this would be the number of bytes that we have not read. */
    return pipe->out.fd >= 0 && !fstat(pipe->out.fd, &about) && S_ISFIFO(about.st_mode) &&
           !ioctl(pipe->out.fd, FIONREAD, &left) && left > 0;
}

/* ---- reading ---- */

static void pipe_take_lines(struct connect_pipe *pipe, bool last)
{
    const char *line;
    size_t size;
    int status;

    while (pipe->in.fd >= 0 && (status = hf_lines_next(&pipe->lines, last, &line, &size)))
        pipe->on_line(pipe, status, line, size);
}

static void pipe_end_input(struct connect_pipe *pipe)
{
    uv_poll_stop(&pipe->in.poll);
    pipe_take_lines(pipe, true);
    if (pipe->in.fd >= 0)
        pipe->on_end(pipe);
}

static void pipe_on_readable(uv_poll_t *poll, int status, int events)
{
    struct connect_pipe *pipe = poll->data;
    size_t room = 0;
    char *at = hf_lines_room(&pipe->lines, &room);
    ssize_t size;

    (void)status, (void)events; /* an error comes from the read as well */
    if (!at) {
        pipe->on_line(pipe, HAFT_ENOMEM, NULL, 0);
        if (pipe->in.fd >= 0)
            pipe_end_input(pipe);
        return;
    }
    do
        size = read(pipe->in.fd, at, room);
    while (size < 0 && errno == EINTR);
    if (size > 0) {
        hf_lines_filled(&pipe->lines, (size_t)size);
        pipe_take_lines(pipe, false);
    } else if (!size || (errno != EAGAIN && errno != EWOULDBLOCK)) {
        pipe_end_input(pipe);
    } else if (status < 0) {
        uv_poll_start(&pipe->in.poll, UV_READABLE, pipe_on_readable);
    }
}

/* ---- life ---- */

static void pipe_on_closed(uv_handle_t *handle)
{
    struct connect_pipe *pipe = handle->data;
    struct connect_link *link = pipe->link;

    if (handle == (uv_handle_t *)&pipe->turn)
        pipe->has_turn = false;
    else if (handle == (uv_handle_t *)&pipe->in.poll)
        pipe->in.watched = false;
    else
        pipe->out.watched = false;
    if (pipe->on_closed)
        pipe->on_closed(pipe);
    hf_connect_link_handle_closed(link);
}

static int pipe_watch(struct connect_pipe *pipe, struct connect_end *end)
{
    int status = uv_poll_init(pipe->link->loop, &end->poll, end->fd);

    if (status)
        return status;
    end->watched = true;
    end->poll.data = pipe;
    hf_connect_link_opened(pipe->link);
    return 0;
}

int hf_connect_pipe_open(struct connect_pipe *pipe, struct connect_link *link, int in, int out)
{
    int status;

    pipe->link = link;
    pipe->in.fd = in;
    pipe->out.fd = out;
    hf_lines_init(&pipe->lines, link->allocator, link->limits.max_message);
    hf_writer_init(&pipe->writer, link->allocator, out, SIZE_MAX, SIZE_MAX);
    status = pipe_watch(pipe, &pipe->in);
    if (!status && out >= 0)
        status = pipe_watch(pipe, &pipe->out);
    if (!status && out >= 0) {
        uv_prepare_init(link->loop, &pipe->turn);
        uv_unref((uv_handle_t *)&pipe->turn);
        pipe->turn.data = pipe;
        pipe->has_turn = true;
        hf_connect_link_opened(link);
    }
    if (!status)
        status = uv_poll_start(&pipe->in.poll, UV_READABLE, pipe_on_readable);
    return status;
}

static void pipe_close_end(struct connect_end *end)
{
    if (end->fd < 0)
        return;
    if (end->watched)
        uv_close((uv_handle_t *)&end->poll, pipe_on_closed);
    close(end->fd);
    end->fd = -1;
}

void hf_connect_pipe_close_out(struct connect_pipe *pipe)
{
    if (pipe->out.fd >= 0 && pipe->has_turn) {
        if (pipe_is_waiting(pipe))
            pipe_flush(&pipe->writer);
        uv_close((uv_handle_t *)&pipe->turn, pipe_on_closed);
    }
    pipe_close_end(&pipe->out);
}

void hf_connect_pipe_close(struct connect_pipe *pipe)
{
    pipe_close_end(&pipe->in);
    hf_connect_pipe_close_out(pipe);
}

bool hf_connect_pipe_is_closed(const struct connect_pipe *pipe)
{
    return !pipe->in.watched && !pipe->out.watched && !pipe->has_turn;
}

void hf_connect_pipe_finish(struct connect_pipe *pipe)
{
    hf_lines_finish(&pipe->lines);
    hf_writer_finish(&pipe->writer);
}
