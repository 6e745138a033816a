/* dev_server.c - the server of `haft dev`, a process.
 *
 * It leads a separate process group, so that its children end with it, and so that an interrupt at the
 * terminal reaches it once. */
#include <signal.h>
#include <stdlib.h>

#include "child.h"
#include "dev.h"

enum { DEV_TERM_WAIT = 1500, DEV_DRAIN_WAIT = 500 };

struct dev_writing {
    uv_write_t request;
    char text[];
};

static void dev_server_on_timer(uv_timer_t *timer);

static void dev_server_on_closed(uv_handle_t *handle)
{
    struct dev_server *server = handle->data;

    if (--server->open)
        return;
    hf_lines_finish(&server->lines);
    free(server);
}

static void dev_server_close(struct dev_server *server)
{
    uv_handle_t *const handles[] = {(uv_handle_t *)&server->in, (uv_handle_t *)&server->out,
                                    (uv_handle_t *)&server->timer, (uv_handle_t *)&server->process};

    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], dev_server_on_closed);
}

/* Both the process and its output have ended: either may be seen first. */
static void dev_server_check(struct dev_server *server)
{
    if (server->running || !server->drained || server->closing)
        return;
    server->closing = true;
    dev_server_ended(server->dev, server);
    dev_server_close(server);
}

static void dev_server_on_exit(uv_process_t *process, int64_t status, int signal)
{
    struct dev_server *server = process->data;

    server->running = false;
    server->status = status;
    server->signal = signal;
    /* What it has started and left behind. */
    kill(-process->pid, SIGKILL);
    uv_timer_start(&server->timer, dev_server_on_timer, DEV_DRAIN_WAIT, 0);
    dev_server_pause(server, false);
    dev_server_check(server);
}

static void dev_server_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
    struct dev_server *server = handle->data;

    (void)suggested;
    child_lines_room(&server->lines, ret_room);
}

static void dev_server_on_output(uv_stream_t *stream, ssize_t size, const uv_buf_t *room)
{
    struct dev_server *server = stream->data;
    struct dev *dev = server->dev;
    const char *line;
    size_t n;
    int status;

    (void)room;
    if (size > 0)
        hf_lines_filled(&server->lines, (size_t)size);
    while ((status = hf_lines_next(&server->lines, size < 0, &line, &n)))
        if (status > 0)
            dev_session_server(&dev->session, line, n, uv_now(&dev->loop));
        else
            dev_note(dev, "a message of the server is longer than 64 MiB and was dropped");
    if (size < 0) {
        uv_read_stop(stream);
        server->drained = true;
    }
    if (dev->server == server)
        dev_server_spoke(dev);
    if (size < 0 && server->running && !server->step)
        dev_server_stop(server, 0);
    if (size < 0)
        dev_server_check(server);
}

int dev_server_start(struct dev *dev)
{
    struct dev_server *server = calloc(1, sizeof *server);
    int status;

    if (!server)
        return UV_ENOMEM;
    server->dev = dev;
    server->open = 4;
    uv_pipe_init(&dev->loop, &server->in, 0);
    uv_pipe_init(&dev->loop, &server->out, 0);
    uv_timer_init(&dev->loop, &server->timer);
    server->in.data = server->out.data = server->timer.data = server->process.data = server;
    hf_lines_init(&server->lines, NULL, DEV_MAX_LINE);
    status = child_spawn(&server->process, &server->in, &server->out, dev->call->child,
                         dev_server_on_exit);
    if (!status) {
        server->running = true;
        dev->server = server;
        status = uv_read_start((uv_stream_t *)&server->out, dev_server_room, dev_server_on_output);
    }
    if (status && server->running)
        dev_server_stop(server, 0);
    else if (status)
        dev_server_close(server);
    return server->running ? 0 : status;
}

/* ---- writing ---- */

static void dev_server_on_written(uv_write_t *request, int status)
{
    struct dev_server *server = request->handle->data;

    (void)status; /* a server that does not read ends, or answers nothing */
    free(request);
    if (server->dev->server == server && !server->closing)
        dev_client_pump(&server->dev->client);
}

void dev_server_write(struct dev_server *server, const char *text, size_t size)
{
    struct dev_writing *writing = malloc(sizeof *writing + size + 1);
    uv_buf_t buffer;

    if (!writing) {
        dev_note(server->dev, "out of memory; the server is stopped");
        dev_server_stop(server, 0);
        return;
    }
    memcpy(writing->text, text, size);
    writing->text[size] = '\n';
    buffer = uv_buf_init(writing->text, (unsigned)size + 1);
    if (uv_is_closing((uv_handle_t *)&server->in) ||
        uv_write(&writing->request, (uv_stream_t *)&server->in, &buffer, 1, dev_server_on_written))
        free(writing);
}

bool dev_server_is_full(const struct dev_server *server)
{
    return uv_stream_get_write_queue_size((const uv_stream_t *)&server->in) >= DEV_QUEUE;
}

void dev_server_pause(struct dev_server *server, bool pause)
{
    if (pause == server->paused || server->drained || uv_is_closing((uv_handle_t *)&server->out))
        return;
    server->paused = pause;
    if (pause)
        uv_read_stop((uv_stream_t *)&server->out);
    else
        uv_read_start((uv_stream_t *)&server->out, dev_server_room, dev_server_on_output);
}

/* ---- the end ---- */

static void dev_server_on_timer(uv_timer_t *timer)
{
    struct dev_server *server = timer->data;

    if (!server->running) {
        /* Something outside the group still holds the output. */
        server->drained = true;
        dev_server_check(server);
        return;
    }
    dev_server_signal(server, server->step++ == 1 ? SIGTERM : SIGKILL);
    uv_timer_start(timer, dev_server_on_timer, DEV_TERM_WAIT, 0);
}

void dev_server_stop(struct dev_server *server, unsigned patience)
{
    if (server->step)
        return;
    server->step = 1;
    if (!uv_is_closing((uv_handle_t *)&server->in))
        uv_close((uv_handle_t *)&server->in, dev_server_on_closed);
    if (server->running)
        uv_timer_start(&server->timer, dev_server_on_timer, patience, 0);
}

void dev_server_signal(struct dev_server *server, int number)
{
    if (server->running)
        kill(-server->process.pid, number);
}
