/* isolate.c - the server's side of calls in separate processes.
 *
 * The thread that would run the handler sends the call to a process and waits until it is answered,
 * cancelled or late; then it closes its socket, which ends the process, whatever it is doing.
 *
 * The fork server knows the tools that existed when it was forked. When an isolated tool is added
 * later, a new one is forked; the old one lives until its last call is done. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include <haft/run.h>

#include "process/isolate.h"
#include "engine/call/carry.h"

enum {
    ISOLATE_LOOK_MS = 20, /* interval at which a waiting thread checks for cancellation */
    END_MS = 5,           /* the same for a supervisor that is shutting down */
    END_LOOKS = 400
};

/* The parent of a fork server. */
struct fork_parent {
    struct fork_parent *next; /* the next older one */
    pid_t pid;
    int control; /* -1 once it has been told to end */
};

struct isolate {
    struct isolation base;
    haft_server *server;
    uv_mutex_t lock;
    struct fork_parent *keepers; /* newest first: new calls use the first */
};

/* ---- supervisors ---- */

static void *allocate(struct isolate *isolate, size_t size)
{
    const haft_allocator *allocator = isolate->server->allocator;

    return allocator->alloc(allocator->context, size);
}

static void release_memory(struct isolate *isolate, void *memory, size_t size)
{
    const haft_allocator *allocator = isolate->server->allocator;

    allocator->release(allocator->context, memory, size);
}

static void isolate_terminate(struct fork_parent *supervisor)
{
    if (supervisor->control >= 0)
        close(supervisor->control);
    supervisor->control = -1;
}

/* Removes supervisors that have ended. The caller must hold the lock. */
static void isolate_collect(struct isolate *isolate)
{
    struct fork_parent **link = &isolate->keepers;

    while (*link) {
        struct fork_parent *supervisor = *link;

        if (supervisor->pid && waitpid(supervisor->pid, NULL, WNOHANG))
            supervisor->pid = 0;
        if (!supervisor->pid && supervisor->control < 0) {
            *link = supervisor->next;
            release_memory(isolate, supervisor, sizeof *supervisor);
        } else {
            link = &supervisor->next;
        }
    }
}

/* No signal may arrive in a process that still has the server's handlers, and no other thread may
 * hold the lock that the copy will need. */
static pid_t fork_supervisor(haft_server *server, const int ends[2])
{
    sigset_t all, before;
    pid_t pid;

    fflush(stdout);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    hf_server_lock(server);
    pid = fork();
    hf_server_unlock(server);
    if (!pid) {
        close(ends[0]);
        hf_isolate_keep(server, ends[1]);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

/* The caller must hold the lock. */
static int isolate_spawn(struct isolate *isolate)
{
    struct fork_parent *supervisor = allocate(isolate, sizeof *supervisor);
    int ends[2];

    if (!supervisor)
        return HAFT_ENOMEM;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        goto no_sockets;
    *supervisor =
        (struct fork_parent){.control = ends[0], .pid = fork_supervisor(isolate->server, ends)};
    close(ends[1]);
    if (supervisor->pid < 0)
        goto no_process;
    if (isolate->keepers)
        isolate_terminate(isolate->keepers);
    supervisor->next = isolate->keepers;
    isolate->keepers = supervisor;
    return 0;

no_process:
    close(ends[0]);
no_sockets:
    release_memory(isolate, supervisor, sizeof *supervisor);
    return HAFT_EBUSY;
}

static int isolate_replace(struct isolate *isolate)
{
    int status;

    uv_mutex_lock(&isolate->lock);
    isolate_collect(isolate);
    status = isolate_spawn(isolate);
    uv_mutex_unlock(&isolate->lock);
    if (status)
        hf_server_log(isolate->server, HAFT_ERROR, "cannot run isolated tools: %s",
                      haft_strerror(status));
    return status;
}

static void renew(struct isolation *base)
{
    isolate_replace((struct isolate *)base);
}

/* ---- a call ---- */

struct listener {
    haft_call *call;
    uint64_t end; /* by uv_hrtime; 0 if there is none */
};

/* Returns 0 while the thread must wait for the call. */
static int look_at_call(const struct listener *listener)
{
    if (haft_call_cancelled(listener->call))
        return HAFT_ECLOSED;
    return listener->end && uv_hrtime() >= listener->end ? CALL_LATE : 0;
}

static int await(void *context, int fd, short events)
{
    const struct listener *listener = context;
    struct pollfd poller = {.fd = fd, .events = events};
    int n, status;

    do {
        n = poll(&poller, 1, ISOLATE_LOOK_MS);
        status = n > 0 ? 0 : n < 0 && errno != EINTR ? HAFT_ECLOSED : look_at_call(listener);
    } while (n <= 0 && !status);
    return status;
}

/* Passes one end of a socket pair to the fork server; *ret_fd is the other. */
static int isolate_ask(struct isolate *isolate, int *ret_fd)
{
    int ends[2], status = HAFT_ECLOSED;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return HAFT_EBUSY;
    uv_mutex_lock(&isolate->lock);
    isolate_collect(isolate);
    if (isolate->keepers)
        status = hf_packet_send_descriptor(isolate->keepers->control, ends[1]);
    /* The supervisor has died too. A process forked now copies locks as other threads hold them. */
    if (status == HAFT_ECLOSED) {
        status = isolate_spawn(isolate);
        if (!status)
            status = hf_packet_send_descriptor(isolate->keepers->control, ends[1]);
    }
    uv_mutex_unlock(&isolate->lock);
    close(ends[1]);
    if (status)
        close(ends[0]);
    *ret_fd = ends[0];
    return status;
}

/* Converts the way the process ended without a result to a status. */
static int isolate_explain(haft_call *call, const haft_buffer *body)
{
    struct packet_end end = {END_EXIT, 0};

    if (body->size == sizeof end)
        memcpy(&end, body->data, sizeof end);
    if (end.how == END_NEVER) {
        haft_log(call, HAFT_ERROR, "cannot start a process: %s", strerror(end.value));
        return HAFT_EBUSY;
    }
    if (end.how == END_SIGNAL)
        haft_log(call, HAFT_ERROR, "crashed (signal %d)", (int)end.value);
    else
        haft_log(call, HAFT_ERROR, "its process exited with status %d before it answered",
                 (int)end.value);
    return HAFT_ECRASHED;
}

static void isolate_take_line(haft_call *call, const haft_buffer *body)
{
    int level = body->size >= LOG_HEAD ? body->data[0] - '0' : -1;
    const char *text = body->data + LOG_HEAD;
    int size;

    if (level < HAFT_DEBUG || level > HAFT_EMERGENCY || body->size > LOG_LINE)
        return;
    size = (int)haft_utf8_valid(text, body->size - LOG_HEAD);
    if (body->data[1] == 'c')
        haft_log(call, (haft_level)level, "%.*s", size, text);
    else
        hf_server_log(call->server, (haft_level)level, "%.*s", size, text);
}

/* Receives messages of a process until it returns a result, or ends without one. */
static int listen_to(struct listener *listener, int fd, struct packet_reader *reader)
{
    haft_call *call = listener->call;

    for (;;) {
        /* Checked for each message, because a process that sends without pause never lets the wait
         * time out. */
        int kind = look_at_call(listener);

        if (!kind)
            kind = hf_packet_receive(fd, reader, await, listener);
        switch (kind) {
        case PACKET_NOTICE:
            hf_carry_read_notice(call, reader->body.data, reader->body.size);
            break;
        case PACKET_LOG:
            isolate_take_line(call, &reader->body);
            break;
        case PACKET_LET_GO:
            haft_call_close_stream(call);
            break;
        case PACKET_SAVED:
            if (call->inner.task)
                call->inner.task->save(call->inner.task, reader->body.data, reader->body.size);
            break;
        case PACKET_RESULT:
            return hf_carry_read_result(call, reader->body.data, reader->body.size);
        case PACKET_END:
            return isolate_explain(call, &reader->body);
        case CALL_LATE:
            return CALL_LATE;
        default:
            if (!haft_call_cancelled(call))
                haft_log(call, HAFT_ERROR, "lost its process: %s", haft_strerror(kind));
            return HAFT_ECRASHED;
        }
    }
}

/* Sends the call, and before it what an earlier run has saved. */
static int isolate_send(struct listener *listener, int fd, const haft_buffer *out)
{
    const struct call_task *task = listener->call->inner.task;
    int status = 0;

    if (task && task->saved)
        status = hf_packet_send(fd, PACKET_SAVED, task->saved, task->saved_size, await, listener);
    return status ? status : hf_packet_send(fd, PACKET_CALL, out->data, out->size, await, listener);
}

static int converse(haft_call *call, int fd)
{
    haft_server *server = call->server;
    size_t limit = server->options.max_message * 4;
    int64_t left = haft_call_time_left(call);
    struct listener listener = {call, left < 0 ? 0 : uv_hrtime() + (uint64_t)left * 1000000};
    struct packet_reader reader = {.kind = 0};
    haft_buffer out;
    int status;

    haft_buffer_init(&reader.body, server->allocator, limit);
    haft_buffer_init(&out, server->allocator, limit);
    hf_carry_write_call(call, &out);
    status = out.status ? out.status : isolate_send(&listener, fd, &out);
    /* If the process no longer receives, it may have sent the reason; if the call could not be
     * sent, the process ends. */
    if (status == HAFT_ECLOSED)
        shutdown(fd, SHUT_WR);
    if (!status || status == HAFT_ECLOSED)
        status = listen_to(&listener, fd, &reader);
    haft_buffer_finish(&out);
    haft_buffer_finish(&reader.body);
    return status;
}

static int isolate_run(struct isolation *base, haft_call *call)
{
    struct isolate *isolate = (struct isolate *)base;
    int fd, status = isolate_ask(isolate, &fd);

    if (status)
        return status == HAFT_ECLOSED ? HAFT_EBUSY : status;
    status = converse(call, fd);
    /* Not only close: processes forked by others may have a copy of the socket. */
    shutdown(fd, SHUT_RDWR);
    close(fd);
    return status;
}

/* ---- lifetime ---- */

/* Waits for a supervisor that is shutting down, and kills it if it does not end. */
static void see_off(struct fork_parent *supervisor)
{
    struct timespec pause = {0, END_MS * 1000000L};

    for (int i = 0; supervisor->pid && i < END_LOOKS; i++) {
        if (waitpid(supervisor->pid, NULL, WNOHANG))
            supervisor->pid = 0;
        else
            nanosleep(&pause, NULL);
    }
    /* A sandboxed server may not send signals; the supervisor then ends by itself. */
    if (supervisor->pid && !kill(supervisor->pid, SIGKILL))
        waitpid(supervisor->pid, NULL, 0);
}

static void isolate_release(struct isolation *base)
{
    struct isolate *isolate = (struct isolate *)base;

    for (struct fork_parent *supervisor = isolate->keepers; supervisor;
         supervisor = supervisor->next)
        isolate_terminate(supervisor);
    while (isolate->keepers) {
        struct fork_parent *supervisor = isolate->keepers;

        isolate->keepers = supervisor->next;
        see_off(supervisor);
        release_memory(isolate, supervisor, sizeof *supervisor);
    }
    uv_mutex_destroy(&isolate->lock);
    release_memory(isolate, isolate, sizeof *isolate);
}

static struct isolate *isolate_new(haft_server *server)
{
    const haft_allocator *allocator = server->allocator;
    struct isolate *isolate = allocator->alloc(allocator->context, sizeof *isolate);

    if (!isolate)
        return NULL;
    *isolate = (struct isolate){.base = {isolate_run, renew, isolate_release}, .server = server};
    if (!uv_mutex_init(&isolate->lock))
        return isolate;
    allocator->release(allocator->context, isolate, sizeof *isolate);
    return NULL;
}

/* Two threads may create it at the same time: the second one discards its own. */
static struct isolate *isolate_of(haft_server *server)
{
    struct isolation *found = atomic_load(&server->isolation.runner);
    struct isolate *made;

    if (found)
        return (struct isolate *)found;
    made = isolate_new(server);
    if (!made || atomic_compare_exchange_strong(&server->isolation.runner, &found, &made->base))
        return made;
    isolate_release(&made->base);
    return (struct isolate *)found;
}

int hf_isolate_start(haft_server *server)
{
    struct isolate *isolate = isolate_of(server);
    int status = 0;

    if (!isolate)
        return HAFT_ENOMEM;
    uv_mutex_lock(&isolate->lock);
    if (!isolate->keepers && atomic_load(&server->isolation.n))
        status = isolate_spawn(isolate);
    uv_mutex_unlock(&isolate->lock);
    return status;
}

int haft_server_isolate(haft_server *server)
{
    struct isolate *isolate = isolate_of(server);

    if (!isolate)
        return HAFT_ENOMEM;
    return atomic_load(&server->isolation.n) ? isolate_replace(isolate) : 0;
}
