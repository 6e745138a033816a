/* remote_terminal.c - a line that a person types, while the loop runs on. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "remote_link.h"

enum { LONGEST_LINE = 1 << 16 };

static void on_typed(uv_stream_t *stream, ssize_t size, const uv_buf_t *room)
{
    struct remote *remote = stream->data;

    if (size > 0)
        haft_buffer_add(&remote->typed, room->base, (size_t)size);
    /* The next line is for the next question. */
    if (size > 0 && memchr(room->base, '\n', (size_t)size))
        uv_read_stop(stream);
    if (size < 0)
        remote->typed_end = true;
    free(room->base);
    uv_stop(stream->loop);
}

static bool is_typed(const struct remote *remote)
{
    return remote->typed_end || remote->typed.status || remote->interrupted ||
           (remote->typed.size && memchr(remote->typed.data, '\n', remote->typed.size));
}

int remote_read_line(struct remote *remote, haft_buffer *ret_line)
{
    const char *end;

    haft_buffer_init(&remote->typed, NULL, LONGEST_LINE);
    remote->typed_end = false;
    if (uv_tty_init(&remote->loop, &remote->tty, STDIN_FILENO, 1))
        return 0;
    remote->tty.data = remote;
    uv_read_start((uv_stream_t *)&remote->tty, child_room, on_typed);
    uv_timer_stop(&remote->timer);
    while (!is_typed(remote))
        uv_run(&remote->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&remote->tty, NULL);
    uv_run(&remote->loop, UV_RUN_NOWAIT);
    end = remote->typed.size ? memchr(remote->typed.data, '\n', remote->typed.size) : NULL;
    haft_buffer_add(ret_line, remote->typed.data, end ? (size_t)(end - remote->typed.data) : 0);
    haft_buffer_finish(&remote->typed);
    remote_start_timer(remote, remote->options.timeout);
    return remote->interrupted ? -EXIT_INTERRUPTED : end != NULL;
}
