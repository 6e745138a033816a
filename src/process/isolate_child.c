/* isolate_child.c - the process of one call: it has a copy of the server, a session without a
 * client, and a socket.
 *
 * The functions of haft/call.h work as usual; output of the session is sent over the socket. A
 * pending handler is waited for. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include "process/isolate.h"
#include "engine/call/carry.h"
#include "engine/call/tool_call.h"

struct isolate_child_process {
    haft_server *server;
    int fd;
    pthread_t thread; /* thread that runs the handler */
    int posts[2];     /* pipe for requests of other threads */
    haft_session *session;
    haft_call *call;
    pthread_mutex_t lock;  /* held while a message is sent */
    struct call_task task; /* that the call runs for */
};

/* Any thread of the handler may log and save, and the packets of two messages must not mix. */
static void child_say(struct isolate_child_process *process, enum packet kind, const void *bytes,
                      size_t size)
{
    pthread_mutex_lock(&process->lock);
    if (hf_packet_send(process->fd, kind, bytes, size, NULL, NULL))
        _exit(0);
    pthread_mutex_unlock(&process->lock);
}

/* ---- callbacks of the engine ---- */

static void child_on_send(void *context, const haft_outgoing *message)
{
    if (message->kind == HAFT_OUT_NOTIFICATION)
        child_say(context, PACKET_NOTICE, message->text, message->size);
}

static void on_let_go(void *context, void *tag, bool over)
{
    (void)tag;
    if (!over)
        child_say(context, PACKET_LET_GO, "", 0);
}

static void child_on_post(void *context, haft_posted *posted)
{
    struct isolate_child_process *process = context;

    if (pthread_equal(pthread_self(), process->thread))
        haft_session_deliver(process->session, posted);
    else if (write(process->posts[1], &posted, sizeof posted) != sizeof posted)
        _exit(1);
}

/* The server itself knows the fields of the record, except whether it is about the call. */
static void on_record(void *context, const haft_record *record)
{
    char line[LOG_LINE] = {(char)('0' + record->level), record->tool ? 'c' : 's'};
    size_t size = record->size < LOG_LINE - LOG_HEAD ? record->size : LOG_LINE - LOG_HEAD;

    memcpy(line + LOG_HEAD, record->text, size);
    child_say(context, PACKET_LOG, line, size + LOG_HEAD);
}

/* The server has a limit for what it receives; a task is not the place for more. */
static int child_save(struct call_task *task, const void *bytes, size_t size)
{
    struct isolate_child_process *process =
        (struct isolate_child_process *)((char *)task -
                                         offsetof(struct isolate_child_process, task));

    if (size > task->max_saved || size > process->server->options.max_message)
        return HAFT_ETOOBIG;
    child_say(process, PACKET_SAVED, bytes, size);
    return 0;
}

/* ---- the handler ---- */

/* Executes requests of other threads; with `wait`, waits for one. Returns false if there was
 * none. */
static bool do_posted(struct isolate_child_process *process, bool wait)
{
    struct pollfd poller = {.fd = process->posts[0], .events = POLLIN};
    haft_posted *posted;

    if (poll(&poller, 1, wait ? -1 : 0) != 1)
        return wait;
    if (read(process->posts[0], &posted, sizeof posted) != sizeof posted)
        _exit(1);
    haft_session_deliver(process->session, posted);
    return true;
}

static int child_run(struct isolate_child_process *process)
{
    haft_call *call = process->call;
    int status = hf_tool_execute(call);

    while (status == HAFT_PENDING && !call->posts.finished)
        do_posted(process, true);
    while (do_posted(process, false))
        ;
    if (status != HAFT_PENDING)
        return status;
    status = call->posts.finish.status;
    return !status && !call->result.checked ? hf_tool_check(call) : status;
}

static void limit_memory(size_t bytes)
{
    struct rlimit limit = {bytes, bytes};

    if (bytes)
        setrlimit(RLIMIT_AS, &limit);
}

static void child_prepare(struct isolate_child_process *process)
{
    haft_server *server = process->server;
    haft_transport transport =
        HAFT_INIT(haft_transport, .send = child_on_send, .let_go = on_let_go, .context = process);
    haft_loop loop = HAFT_INIT(haft_loop, .post = child_on_post, .context = process);
    haft_session_options options =
        HAFT_INIT(haft_session_options, .transport = &transport, .loop = &loop);

    process->thread = pthread_self();
    if (pthread_mutex_init(&process->lock, NULL))
        _exit(1);
    atomic_store(&server->isolation.runner, NULL);
    /* Records held by the server are not logged a second time. */
    haft_buffer_clear(&server->held);
    hf_server_set_record(server, on_record, process);
    server->options.clock = uv_hrtime;
    process->session = haft_session_new(server, &options);
    if (!process->session || pipe(process->posts))
        _exit(1);
    fcntl(process->posts[0], F_SETFD, FD_CLOEXEC);
    fcntl(process->posts[1], F_SETFD, FD_CLOEXEC);
}

/* Receives the call; NULL with *ret_status set. */
static haft_call *child_receive(struct isolate_child_process *process, size_t limit,
                                int *ret_status)
{
    struct packet_reader reader = {.kind = 0};
    haft_buffer saved = {.data = NULL};
    haft_call *call;
    bool any;
    int kind;

    haft_buffer_init(&reader.body, NULL, limit);
    kind = hf_packet_receive(process->fd, &reader, NULL, NULL);
    any = kind == PACKET_SAVED;
    if (any) {
        saved = reader.body;
        haft_buffer_init(&reader.body, NULL, limit);
        kind = hf_packet_receive(process->fd, &reader, NULL, NULL);
    }
    if (kind != PACKET_CALL)
        _exit(0);
    call = hf_carry_read_call(&process->session->owner, reader.body.data, reader.body.size,
                              ret_status);
    if (!call || !call->inner.task)
        return call;
    process->task = *call->inner.task;
    process->task.save = child_save;
    process->task.saved = !any ? NULL : saved.size ? saved.data : "";
    process->task.saved_size = saved.size;
    call->inner.task = &process->task;
    return call;
}

_Noreturn void hf_isolate_child(haft_server *server, int fd)
{
    struct isolate_child_process process = {.server = server, .fd = fd};
    size_t limit = server->options.max_message;
    haft_buffer out;
    struct json_writer w;
    int status;

    child_prepare(&process);
    haft_buffer_init(&out, NULL, limit * 4);
    process.call = child_receive(&process, limit * 4, &status);
    if (process.call) {
        limit_memory(process.call->item->tool->isolate_memory);
        status = child_run(&process);
        fflush(stdout);
        hf_carry_write_result(process.call, status, &out);
    }
    if (!process.call || out.status) {
        status = out.status ? out.status : status;
        haft_buffer_clear(&out);
        w = (struct json_writer){.out = &out};
        hf_json_begin_object(&w);
        hf_json_integer(json_key(&w, "status"), status);
        hf_json_end_object(&w);
    }
    child_say(&process, PACKET_RESULT, out.data, out.size);
    _exit(0);
}
