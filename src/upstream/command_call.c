/* command_call.c - a call of a tool that is a program.
 *
 * The handler passes the call to the outbound thread, where everything happens: the program is
 * started, its output is read, and when it has ended and its pipes are closed, the call is answered.
 * The run is in the memory of the call, so that the call is finished only when no handle and no task
 * refers to it. */
#define _GNU_SOURCE /* pipe2 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "upstream/command.h"

enum { COMMAND_LAST_WORDS = 500 /* milliseconds between the end of a program and of its output */ };

/* ---- the end ---- */

static void command_run_finish(struct outbound_task *task)
{
    struct command_run *run = task->owner;

    haft_buffer_finish(&run->out);
    haft_finish(run->call, run->status);
}

/* The function for cancellation is gone after this, but a task that it has posted may still wait: the
 * last task comes after it. */
static void command_run_conclude(struct command_run *run)
{
    struct outbound *outbound = &run->tool->command->upstream->set->outbound;

    if (run->link) {
        *run->link = run->next;
        if (run->next)
            run->next->link = run->link;
    }
    haft_call_on_cancel(run->call, NULL, NULL);
    run->status = hf_command_answer(run);
    hf_command_remove_output(run);
    run->finish = (struct outbound_task){.run = command_run_finish, .owner = run};
    hf_outbound_post(outbound, &run->finish);
}

static void command_run_handle_closed(uv_handle_t *handle)
{
    struct command_run *run = handle->data;

    if (!--run->handles)
        command_run_conclude(run);
}

/* Closes everything; the last handle concludes the run. */
static void command_run_close(struct command_run *run)
{
    if (run->closing)
        return;
    run->closing = true;
    for (int i = 0; i < COMMAND_PIPES; i++)
        if (run->open[i])
            uv_close((uv_handle_t *)&run->pipes[i], command_run_handle_closed);
    uv_close((uv_handle_t *)&run->timer, command_run_handle_closed);
}

static void command_run_on_late(uv_timer_t *timer)
{
    command_run_close(timer->data);
}

/* The end of a program is that of its process and of what it has written. */
static void command_run_check(struct command_run *run)
{
    if (!run->done || run->closing)
        return;
    if (run->failure.code || (run->ended[COMMAND_OUT] && run->ended[COMMAND_ERR]))
        command_run_close(run);
    else if (!uv_is_active((uv_handle_t *)&run->timer))
        uv_timer_start(&run->timer, command_run_on_late, COMMAND_LAST_WORDS, 0);
}

static void command_run_kill(struct command_run *run, int signal)
{
    hf_supervised_kill(&run->child, signal, (unsigned)run->tool->entry->grace_ms);
}

/* ---- output and input ---- */

static void command_run_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
    const struct command_run *run = handle->data;

    (void)size;
    /* Read and used within one callback, so that all calls share it. */
    *buffer = uv_buf_init(run->tool->command->scratch, COMMAND_SCRATCH);
}

static void command_run_take_output(struct command_run *run, const char *bytes, size_t size)
{
    if (run->overflow)
        return;
    haft_buffer_add(&run->out, bytes, size);
    if (run->out.status) {
        run->overflow = true;
        command_run_kill(run, SIGKILL);
    }
}

static void command_run_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct command_run *run = stream->data;
    int which = stream == (uv_stream_t *)&run->pipes[COMMAND_OUT] ? COMMAND_OUT : COMMAND_ERR;

    if (n > 0 && which == COMMAND_OUT)
        command_run_take_output(run, buffer->base, (size_t)n);
    else if (n > 0)
        hf_command_take_errors(run, buffer->base, (size_t)n);
    if (n >= 0)
        return;
    uv_read_stop(stream);
    run->ended[which] = true;
    command_run_check(run);
}

/* A program need not read its input: its end is all the same. */
static void command_run_written(uv_write_t *write, int status)
{
    struct command_run *run = write->data;

    (void)status;
    if (run->closing)
        return;
    run->open[COMMAND_IN] = false;
    uv_close((uv_handle_t *)&run->pipes[COMMAND_IN], command_run_handle_closed);
}

static void command_run_write(struct command_run *run, const struct text *text)
{
    uv_buf_t buffer = uv_buf_init((char *)(uintptr_t)text->data, (unsigned)text->size);

    run->write.data = run;
    if (uv_write(&run->write, (uv_stream_t *)&run->pipes[COMMAND_IN], &buffer, 1,
                 command_run_written))
        command_run_written(&run->write, UV_EPIPE);
}

/* ---- the program ---- */

static void command_run_started(struct supervised *child, const haft_reason *failure)
{
    struct command_run *run = child->data;

    if (!failure)
        return;
    run->failure = *failure;
    run->done = true;
    command_run_check(run);
}

static void command_run_ended(struct supervised *child, const struct supervised_end *end)
{
    struct command_run *run = child->data;

    run->end = *end;
    run->done = true;
    command_run_check(run);
}

/* Makes the pipes, with handles for this side.  The descriptors of the other are the program's. */
static int command_run_open_pipes(struct command_run *run, bool has_input, int theirs[3])
{
    uv_loop_t *loop = &run->tool->command->upstream->set->outbound.loop;

    for (int i = 0; i < COMMAND_PIPES; i++) {
        int ends[2];

        if (i == COMMAND_IN && !has_input)
            continue;
        if (pipe2(ends, O_CLOEXEC))
            return HAFT_EBUSY;
        theirs[i] = ends[i == COMMAND_IN ? 0 : 1];
        if (uv_pipe_init(loop, &run->pipes[i], 0)) {
            close(ends[i == COMMAND_IN ? 1 : 0]);
            return HAFT_EBUSY;
        }
        run->pipes[i].data = run;
        run->open[i] = true;
        run->handles++;
        if (uv_pipe_open(&run->pipes[i], ends[i == COMMAND_IN ? 1 : 0])) {
            close(ends[i == COMMAND_IN ? 1 : 0]);
            return HAFT_EBUSY;
        }
        if (i != COMMAND_IN &&
            uv_read_start((uv_stream_t *)&run->pipes[i], command_run_alloc, command_run_read))
            return HAFT_EBUSY;
    }
    return 0;
}

/* Opens the sandbox of this call, which has the directory of its output file. */
static int command_run_open_sandbox(const struct command_run *run, struct sandbox *sandbox,
                                    haft_reason *reterr_reason)
{
    struct sandbox_wish wish = run->tool->sandbox;
    const char **write;
    size_t n = 0;

    while (wish.write[n])
        n++;
    write = haft_call_alloc(run->call, (n + 2) * sizeof *write);
    if (!write)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    memcpy(write, wish.write, n * sizeof *write);
    write[n] = run->file.name ? run->file.directory : NULL;
    write[n + 1] = NULL;
    wish.write = write;
    return hf_sandbox_open(sandbox, &wish, reterr_reason);
}

static int command_run_spawn(struct command_run *run, const char *const *words, bool has_input,
                             haft_reason *reterr_reason)
{
    struct command_tool *tool = run->tool;
    struct upstream_set *set = tool->command->upstream->set;
    struct supervisor *supervisor =
        hf_supervisor_get(&set->supervisor, &set->outbound.loop, set->allocator);
    struct supervised_program program = {.arguments = words,
                                         .environment = tool->environment,
                                         .directory = tool->directory,
                                         .fds = {-1, -1, -1},
                                         .limits = tool->limits};
    struct sandbox sandbox = {.ruleset = -1};
    int status = supervisor ? command_run_open_pipes(run, has_input, program.fds) : HAFT_ENOMEM;

    if (status)
        hf_error_set(reterr_reason, status, "", "%s",
                     status == HAFT_EBUSY ? "cannot open pipes for the program: too many open files"
                                          : haft_strerror(status));
    else if (tool->entry->has_sandbox)
        status = command_run_open_sandbox(run, &sandbox, reterr_reason);
    if (status) {
        for (int i = 0; i < 3; i++)
            if (program.fds[i] >= 0)
                close(program.fds[i]);
        return status;
    }
    program.sandbox = tool->entry->has_sandbox ? &sandbox : NULL;
    run->child = (struct supervised){
        .on_start = command_run_started, .on_end = command_run_ended, .data = run};
    status = hf_supervisor_start(supervisor, &run->child, &program, reterr_reason);
    hf_sandbox_close(&sandbox);
    return status;
}

static int command_run_prepare(struct command_run *run, struct text *ret_input,
                               haft_reason *reterr_reason)
{
    struct command_tool *tool = run->tool;
    haft_arena *arena = haft_call_arena(run->call);
    const char *const *words;
    size_t n;
    int status;

    if (tool->command->stopped)
        return hf_error_set(reterr_reason, HAFT_ECLOSED, "", "the program is no longer offered");
    if (run->cancelled)
        return hf_error_set(reterr_reason, HAFT_ECANCELLED, "", "cancelled");
    status =
        tool->entry->output == command_output_file ? hf_command_make_output(run, reterr_reason) : 0;
    if (!status)
        status = hf_command_expand(&tool->run, run->arguments, run->file.name, arena, &words, &n,
                                   reterr_reason);
    if (!status && tool->entry->has_standard_input)
        status = hf_command_expand_text(&tool->input_text, run->arguments, arena, ret_input,
                                        reterr_reason);
    if (!status)
        status = command_run_spawn(run, words, ret_input->size, reterr_reason);
    return status;
}

static void command_run_begin(struct outbound_task *task)
{
    struct command_run *run = task->owner;
    struct command *command = run->tool->command;
    struct text input = {NULL, 0};
    haft_reason reason = {.code = 0};
    int status;

    uv_timer_init(&command->upstream->set->outbound.loop, &run->timer);
    run->timer.data = run;
    run->handles = 1;
    run->link = &command->running;
    run->next = command->running;
    if (run->next)
        run->next->link = &run->next;
    command->running = run;
    status = command_run_prepare(run, &input, &reason);
    if (status) {
        run->failure = reason;
        if (!reason.code)
            hf_error_set(&run->failure, status, "", "%s", haft_strerror(status));
        command_run_close(run);
    } else if (input.size) {
        command_run_write(run, &input);
    }
}

/* ---- the call ---- */

static void command_run_cancel(struct outbound_task *task)
{
    struct command_run *run = task->owner;

    run->cancelled = true;
    command_run_kill(run, SIGTERM);
}

static void command_on_cancel(haft_call *call, void *context)
{
    struct command_run *run = context;

    (void)call;
    hf_outbound_post(&run->tool->command->upstream->set->outbound, &run->cancel);
}

int hf_command_tool_call(haft_call *call, const void *in, void *out)
{
    struct command_tool *tool = haft_tool_data(call);
    const struct upstream_set *set = tool->command->upstream->set;
    struct command_run *run = haft_call_alloc(call, sizeof *run);

    (void)out;
    if (!run)
        return HAFT_ENOMEM;
    memset(run, 0, sizeof *run);
    run->tool = tool;
    run->call = call;
    run->arguments = (haft_value *)(uintptr_t)in;
    run->begin = (struct outbound_task){.run = command_run_begin, .owner = run};
    run->cancel = (struct outbound_task){.run = command_run_cancel, .owner = run};
    haft_buffer_init(&run->out, set->allocator, (size_t)tool->entry->max_output);
    haft_call_on_cancel(call, command_on_cancel, run);
    hf_outbound_post(&tool->command->upstream->set->outbound, &run->begin);
    return HAFT_PENDING;
}

void hf_command_stop(struct command *command)
{
    if (!command->upstream->set->ending)
        return;
    command->stopped = true;
    for (struct command_run *run = command->running; run; run = run->next)
        command_run_kill(run, SIGTERM);
}
