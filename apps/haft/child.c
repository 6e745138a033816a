/* child.c - processes that speak in lines. */
#include "child.h"

#include <stdlib.h>

int child_spawn(uv_process_t *process, uv_pipe_t *in, uv_pipe_t *out, char **args,
                uv_exit_cb on_exit)
{
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)in},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)out},
        {.flags = UV_INHERIT_FD, .data.fd = 2}};
    uv_process_options_t options = {.exit_cb = on_exit,
                                    .file = args[0],
                                    .args = args,
                                    .flags = UV_PROCESS_DETACHED,
                                    .stdio_count = 3,
                                    .stdio = stdio};

    return uv_spawn(in->loop, process, &options);
}

void child_lines_room(struct lines *lines, uv_buf_t *ret_room)
{
    size_t size = 0;

    ret_room->base = hf_lines_room(lines, &size);
    ret_room->len = ret_room->base ? size : 0;
}

void child_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
    (void)handle;
    ret_room->base = malloc(suggested);
    ret_room->len = ret_room->base ? suggested : 0;
}
