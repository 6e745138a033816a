/* child.h - processes that speak in lines, and room for what is read. */
#ifndef HAFT_APPS_CHILD_H
#define HAFT_APPS_CHILD_H

#include <uv.h>

#include "stdio/lines.h"

/* Starts a process with pipes for its standard input and output, which the caller has initialized.
 * It leads a separate process group: an interrupt at the terminal does not reach it, and a signal to the
 * group reaches what it has started.  Returns 0 or an error of libuv. */
int child_spawn(uv_process_t *process, uv_pipe_t *in, uv_pipe_t *out, char **args,
                uv_exit_cb on_exit);

/* Room for libuv in the lines; none without memory. */
void child_lines_room(struct lines *lines, uv_buf_t *ret_room);

/* A uv_alloc_cb.  The reader frees the room. */
void child_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room);

#endif
