/* dev_build.c - the build command of `haft dev`, whose output is kept until it has ended. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "dev.h"

enum { DEV_BUILD_TEXT = 1 << 20, DEV_BUILD_DRAIN = 500 };

static void dev_build_on_closed(uv_handle_t *handle)
{
    struct dev_build *build = handle->data;

    if (--build->open)
        return;
    build->running = false;
    dev_built(build->dev);
}

static void dev_build_check(struct dev_build *build)
{
    if (!build->exited || !build->drained || uv_is_closing((uv_handle_t *)&build->process))
        return;
    uv_close((uv_handle_t *)&build->out, dev_build_on_closed);
    uv_close((uv_handle_t *)&build->timer, dev_build_on_closed);
    uv_close((uv_handle_t *)&build->process, dev_build_on_closed);
}

static void dev_build_on_timer(uv_timer_t *timer)
{
    struct dev_build *build = timer->data;

    build->drained = true;
    dev_build_check(build);
}

static void dev_build_on_exit(uv_process_t *process, int64_t status, int signal)
{
    struct dev_build *build = process->data;

    build->exited = true;
    build->status = status;
    build->signal = signal;
    kill(-process->pid, SIGKILL);
    uv_timer_start(&build->timer, dev_build_on_timer, DEV_BUILD_DRAIN, 0);
    dev_build_check(build);
}

static void dev_build_on_output(uv_stream_t *stream, ssize_t size, const uv_buf_t *room)
{
    struct dev_build *build = stream->data;

    if (size > 0)
        haft_buffer_add(&build->text, room->base, (size_t)size);
    free(room->base);
    if (size >= 0)
        return;
    uv_read_stop(stream);
    build->drained = true;
    dev_build_check(build);
}

/* Both its outputs are one pipe, so that they stay in order. */
static int dev_build_pipe(int ret_ends[2])
{
    if (pipe(ret_ends))
        return -1;
    fcntl(ret_ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ret_ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

int dev_build_start(struct dev_build *build)
{
    struct dev *dev = build->dev;
    char shell[] = "/bin/sh", flag[] = "-c";
    char *args[] = {shell, flag, (char *)(uintptr_t)dev->call->dev.build, NULL};
    uv_stdio_container_t stdio[3] = {{.flags = UV_IGNORE}};
    uv_process_options_t options = {.exit_cb = dev_build_on_exit,
                                    .file = shell,
                                    .args = args,
                                    .flags = UV_PROCESS_DETACHED,
                                    .stdio_count = 3,
                                    .stdio = stdio};
    int ends[2], status;

    if (dev_build_pipe(ends))
        return UV_EMFILE;
    build->running = true;
    build->exited = build->drained = false;
    build->open = 3;
    build->began = uv_now(&dev->loop);
    haft_buffer_finish(&build->text);
    haft_buffer_init(&build->text, NULL, DEV_BUILD_TEXT);
    uv_pipe_init(&dev->loop, &build->out, 0);
    uv_timer_init(&dev->loop, &build->timer);
    build->out.data = build->timer.data = build->process.data = build;
    stdio[1].flags = stdio[2].flags = UV_INHERIT_FD;
    stdio[1].data.fd = stdio[2].data.fd = ends[1];
    status = uv_spawn(&dev->loop, &build->process, &options);
    close(ends[1]);
    if (uv_pipe_open(&build->out, ends[0]))
        close(ends[0]);
    else if (!status)
        uv_read_start((uv_stream_t *)&build->out, child_room, dev_build_on_output);
    if (status) {
        build->exited = build->drained = true;
        build->status = 127;
        dev_build_check(build);
    }
    return status;
}

void dev_build_kill(struct dev_build *build)
{
    if (build->running && !build->exited)
        kill(-build->process.pid, SIGKILL);
}
