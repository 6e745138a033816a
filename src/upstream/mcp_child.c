/* mcp_child.c - the program of an MCP upstream, started by the supervisor, which leaves nothing of it
 * behind.
 *
 * The connection owns its standard input and output; here are its standard error and its end.  A
 * program whose connection is closed sees the end of its input; if it does not end in time, it is
 * terminated and then killed. */
#define _GNU_SOURCE /* pipe2 */
#include "upstream/mcp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/supervisor.h"

enum { CHILD_LINE = 2000 };

struct mcp_child {
    struct supervised program;
    struct mcp *mcp;
    struct mcp_link *link; /* NULL once its connection is closed */
    uv_pipe_t errors;
    uv_timer_t patience;
    unsigned holds; /* its handles, and the program while it runs */
    size_t size;
    bool too_long; /* the rest of the line is left out */
    char line[CHILD_LINE];
};

/* ---- its end ---- */

static void child_let_go(struct mcp_child *child)
{
    struct mcp *mcp = child->mcp;
    const haft_allocator *allocator = mcp->upstream->set->allocator;

    if (--child->holds)
        return;
    allocator->release(allocator->context, child, sizeof *child);
    mcp_let_go(mcp);
}

static void child_handle_closed(uv_handle_t *handle)
{
    child_let_go(handle->data);
}

static void child_close_handle(uv_handle_t *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, child_handle_closed);
}

/* The program is gone.  What it wrote is still read. */
static void child_over(struct mcp_child *child)
{
    if (child->link)
        child->link->child = NULL;
    child->link = NULL;
    child_close_handle((uv_handle_t *)&child->patience);
    child_let_go(child);
}

static void child_started(struct supervised *program, const haft_reason *failure)
{
    struct mcp_child *child = program->data;
    struct mcp_link *link = child->link;

    if (!failure)
        return;
    hf_server_log(child->mcp->upstream->set->server, HAFT_WARNING, "upstream %s: %s",
                  child->mcp->upstream->name, failure->text);
    child_over(child);
    if (link)
        hf_mcp_link_lost(link, failure->text);
}

static void child_ended(struct supervised *program, const struct supervised_end *end)
{
    struct mcp_child *child = program->data;

    if (end->signal || end->status)
        hf_server_log(child->mcp->upstream->set->server, HAFT_INFO,
                      end->signal ? "upstream %s: the program was killed by signal %d"
                                  : "upstream %s: the program exited with status %d",
                      child->mcp->upstream->name, end->signal ? end->signal : end->status);
    child_over(child);
}

static void child_too_late(uv_timer_t *timer)
{
    struct mcp_child *child = timer->data;

    hf_supervised_kill(&child->program, SIGTERM, child->mcp->target.close_ms);
}

void hf_mcp_child_leave(struct mcp_link *link)
{
    struct mcp_child *child = link->child;

    if (!child)
        return;
    link->child = NULL;
    child->link = NULL;
    uv_timer_start(&child->patience, child_too_late, child->mcp->target.close_ms, 0);
}

/* ---- its standard error ---- */

static void child_alloc(uv_handle_t *handle, size_t wanted, uv_buf_t *ret_buffer)
{
    struct mcp_child *child = handle->data;

    (void)wanted;
    if (child->size == sizeof child->line) {
        child->too_long = true;
        child->size = 0;
    }
    *ret_buffer =
        uv_buf_init(child->line + child->size, (unsigned)(sizeof child->line - child->size));
}

static void child_log_line(struct mcp_child *child, size_t size)
{
    if (size && !child->too_long)
        hf_server_log(child->mcp->upstream->set->server, HAFT_INFO, "upstream %s: %.*s",
                      child->mcp->upstream->name, (int)size, child->line);
    child->too_long = false;
}

static void child_take_lines(struct mcp_child *child)
{
    char *end;

    while ((end = memchr(child->line, '\n', child->size))) {
        size_t size = (size_t)(end - child->line);

        child_log_line(child, size);
        child->size -= size + 1;
        memmove(child->line, end + 1, child->size);
    }
    if (child->size == sizeof child->line && !child->too_long)
        child_log_line(child, child->size);
}

static void child_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct mcp_child *child = stream->data;

    (void)buffer;
    if (n < 0) {
        child_log_line(child, child->size);
        child_close_handle((uv_handle_t *)stream);
        return;
    }
    child->size += (size_t)n;
    child_take_lines(child);
}

/* ---- its start ---- */

/* Pipes for standard input, output and error: [0] to read, [1] to write. */
static int child_pipes(int pipes[3][2])
{
    int n = 0;

    while (n < 3 && !pipe2(pipes[n], O_CLOEXEC))
        n++;
    if (n == 3)
        return 0;
    while (n--) {
        close(pipes[n][0]);
        close(pipes[n][1]);
    }
    return HAFT_EBUSY;
}

static struct mcp_child *mcp_child_new(struct mcp_link *link, int errors)
{
    struct mcp *mcp = link->mcp;
    struct upstream_set *set = mcp->upstream->set;
    struct mcp_child *child = set->allocator->alloc(set->allocator->context, sizeof *child);

    if (!child)
        return NULL;
    *child = (struct mcp_child){
        .mcp = mcp,
        .link = link,
        .program = {.on_start = child_started, .on_end = child_ended, .data = child},
        .holds = 3};
    uv_pipe_init(&set->outbound.loop, &child->errors, 0);
    uv_timer_init(&set->outbound.loop, &child->patience);
    child->errors.data = child->patience.data = child;
    mcp_hold(mcp);
    if (uv_pipe_open(&child->errors, errors)) {
        close(errors);
        child_close_handle((uv_handle_t *)&child->errors);
    } else {
        uv_read_start((uv_stream_t *)&child->errors, child_alloc, child_read);
    }
    return child;
}

int hf_mcp_child_start(struct mcp_link *link, int ret_fds[2], haft_reason *reterr_reason)
{
    struct mcp *mcp = link->mcp;
    struct upstream_set *set = mcp->upstream->set;
    struct supervisor *supervisor =
        hf_supervisor_get(&set->supervisor, &set->outbound.loop, set->allocator);
    int pipes[3][2], status = supervisor ? child_pipes(pipes) : HAFT_ENOMEM;
    struct mcp_child *child;

    if (status)
        return hf_error_set(reterr_reason, status, "", "cannot start %s: %s",
                            mcp->target.command[0],
                            supervisor ? strerror(errno) : haft_strerror(status));
    child = mcp_child_new(link, pipes[2][0]);
    if (child) {
        const struct supervised_program program = {.arguments = mcp->target.command,
                                                   .environment = mcp->target.environment,
                                                   .directory = mcp->target.directory,
                                                   .fds = {pipes[0][0], pipes[1][1], pipes[2][1]}};

        status = hf_supervisor_start(supervisor, &child->program, &program, reterr_reason);
        if (status) {
            child->link = NULL;
            child_close_handle((uv_handle_t *)&child->errors);
            child_over(child);
        } else {
            link->child = child;
        }
    } else {
        status = hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        close(pipes[0][0]);
        close(pipes[1][1]);
        close(pipes[2][0]);
        close(pipes[2][1]);
    }
    if (status) {
        close(pipes[1][0]);
        close(pipes[0][1]);
        return status;
    }
    ret_fds[0] = pipes[1][0];
    ret_fds[1] = pipes[0][1];
    return 0;
}
