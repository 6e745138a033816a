/* supervisor.c - the server's side of the supervisor.
 *
 * A link is one supervisor process with its socket and the programs that it was asked to start.  A link
 * whose process has died reports its programs as lost and goes; the next program gets a new one. */
#include "process/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/supervisor_wire.h"

enum { SUPERVISOR_CLOSE_MS = 5000 /* until a process that has not ended is left alone */ };

struct supervisor_link {
    struct supervisor *supervisor; /* whose present link it may no longer be */
    const haft_allocator *allocator;
    uv_poll_t poll;
    uv_timer_t timer;
    unsigned handles;
    int socket;
    pid_t pid;
    bool closing, ending; /* its handles are being closed; its process has been asked to end */
    bool writes;          /* it waits until the socket is writable */
    struct supervised *first, *last;
    unsigned n;
};

struct supervisor {
    const haft_allocator *allocator;
    uv_loop_t *loop;
    struct supervisor_link *link; /* NULL if there is no process */
    unsigned n_links;             /* links that have handles */
    uint64_t last_id;
    char *packet; /* SUPERVISE_PACKET bytes */
    bool closing;
    void (*on_closed)(void *context);
    void *context;
};

/* ---- lifetime ---- */

struct supervisor *hf_supervisor_new(uv_loop_t *loop, const haft_allocator *allocator)
{
    struct supervisor *supervisor = allocator->alloc(allocator->context, sizeof *supervisor);

    if (!supervisor)
        return NULL;
    *supervisor = (struct supervisor){.allocator = allocator, .loop = loop};
    supervisor->packet = allocator->alloc(allocator->context, SUPERVISE_PACKET);
    if (supervisor->packet)
        return supervisor;
    allocator->release(allocator->context, supervisor, sizeof *supervisor);
    return NULL;
}

struct supervisor *hf_supervisor_get(struct supervisor **slot, uv_loop_t *loop,
                                     const haft_allocator *allocator)
{
    if (!*slot)
        *slot = hf_supervisor_new(loop, allocator);
    return *slot;
}

static void supervisor_release(struct supervisor *supervisor)
{
    const haft_allocator *allocator = supervisor->allocator;
    void (*on_closed)(void *context) = supervisor->on_closed;
    void *context = supervisor->context;

    if (!supervisor->closing || supervisor->n_links)
        return;
    allocator->release(allocator->context, supervisor->packet, SUPERVISE_PACKET);
    allocator->release(allocator->context, supervisor, sizeof *supervisor);
    if (on_closed)
        on_closed(context);
}

static void supervisor_on_handle_closed(uv_handle_t *handle)
{
    struct supervisor_link *link = handle->data;
    struct supervisor *supervisor = link->supervisor;
    const haft_allocator *allocator = link->allocator;

    if (--link->handles)
        return;
    allocator->release(allocator->context, link, sizeof *link);
    supervisor->n_links--;
    supervisor_release(supervisor);
}

static void supervisor_on_late(uv_timer_t *timer);

static void supervisor_forget_packet(struct supervised *child)
{
    if (!child->packet)
        return;
    child->link->allocator->release(child->link->allocator->context, child->packet,
                                    child->packet_size);
    child->packet = NULL;
    for (int i = 0; i < SUPERVISE_FDS; i++)
        if (child->packet_fds[i] >= 0)
            close(child->packet_fds[i]);
}

static void supervisor_add(struct supervisor_link *link, struct supervised *child)
{
    child->link = link;
    child->next = NULL;
    child->previous = link->last;
    if (link->last)
        link->last->next = child;
    else
        link->first = child;
    link->last = child;
    if (!link->n++)
        uv_ref((uv_handle_t *)&link->poll);
}

/* Asks the process to end, which kills what still runs. */
static void supervisor_end(struct supervisor_link *link)
{
    if (link->ending || link->closing)
        return;
    link->ending = true;
    shutdown(link->socket, SHUT_WR);
    uv_timer_start(&link->timer, supervisor_on_late, SUPERVISOR_CLOSE_MS, 0);
}

static void supervisor_remove(struct supervised *child)
{
    struct supervisor_link *link = child->link;

    supervisor_forget_packet(child);
    if (child->previous)
        child->previous->next = child->next;
    else
        link->first = child->next;
    if (child->next)
        child->next->previous = child->previous;
    else
        link->last = child->previous;
    child->link = NULL;
    /* A process that waits for nothing does not keep the loop, unless its end is awaited. */
    if (!--link->n && link->supervisor->link == link && !link->supervisor->closing)
        uv_unref((uv_handle_t *)&link->poll);
    if (!link->n && link->supervisor->closing)
        supervisor_end(link);
}

static void supervisor_report_end(struct supervised *child, const struct supervised_end *end)
{
    supervisor_remove(child);
    if (child->on_end)
        child->on_end(child, end);
}

static void supervisor_report_failure(struct supervised *child, const char *what, int error)
{
    haft_reason reason;
    const char *hint = error == ENOEXEC ? " (a script needs a first line such as #!/bin/sh)" : "";

    hf_error_set(&reason, error == ENOENT ? HAFT_ENOTFOUND : HAFT_EFAIL, "", "%s: %s%s%s%s",
                 child->name, what, error ? ": " : "", error ? strerror(error) : "", hint);
    supervisor_remove(child);
    if (child->on_start)
        child->on_start(child, &reason);
}

/* The process has ended, or is left alone. */
static void supervisor_lose(struct supervisor_link *link, bool ended)
{
    static const struct supervised_end lost = {.lost = true};
    struct supervisor *supervisor = link->supervisor;

    if (link->closing)
        return;
    link->closing = true;
    if (supervisor->link == link)
        supervisor->link = NULL;
    uv_poll_stop(&link->poll);
    close(link->socket);
    /* It closes its socket by ending. */
    while (ended && waitpid(link->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    while (link->first) {
        struct supervised *child = link->first;

        /* What the kernel has not killed with the supervisor. */
        if (child->pid)
            kill(-child->pid, SIGKILL);
        if (child->pid)
            supervisor_report_end(child, &lost);
        else
            supervisor_report_failure(child, "the supervisor of programs has ended", 0);
    }
    uv_close((uv_handle_t *)&link->poll, supervisor_on_handle_closed);
    uv_close((uv_handle_t *)&link->timer, supervisor_on_handle_closed);
}

static void supervisor_on_late(uv_timer_t *timer)
{
    struct supervisor_link *link = timer->data;

    if (link->ending)
        supervisor_lose(link, false);
    else
        supervisor_end(link);
}

void hf_supervisor_close(struct supervisor *supervisor, unsigned grace_ms,
                         void (*on_closed)(void *context), void *context)
{
    struct supervisor_link *link = supervisor ? supervisor->link : NULL;

    if (supervisor) {
        supervisor->closing = true;
        supervisor->on_closed = on_closed;
        supervisor->context = context;
    }
    if (link) {
        uv_ref((uv_handle_t *)&link->poll);
        uv_timer_start(&link->timer, supervisor_on_late, grace_ms, 0);
        if (!link->n)
            supervisor_end(link);
    } else if (supervisor) {
        supervisor_release(supervisor);
    } else if (on_closed) {
        on_closed(context);
    }
}

/* ---- reports of the process ---- */

static struct supervised *supervisor_find(const struct supervisor_link *link, uint64_t id)
{
    struct supervised *child = link->first;

    while (child && child->id != id)
        child = child->next;
    return child;
}

static void supervisor_take(struct supervisor_link *link, const struct supervise_report *report)
{
    static const char *const steps[] = {
#define SUPERVISE_STEP_(name, text) text,
        SUPERVISE_STEPS(SUPERVISE_STEP_)
#undef SUPERVISE_STEP_
    };
    struct supervised *child = supervisor_find(link, report->id);
    struct supervised_end end = {0};

    if (!child)
        return;
    switch (report->kind) {
    case SUPERVISE_STARTED:
        child->pid = report->value;
        if (child->on_start)
            child->on_start(child, NULL);
        return;
    case SUPERVISE_FAILED:
        supervisor_report_failure(child,
                                  report->step >= 0 && report->step < SUPERVISE_N_STEPS
                                      ? steps[report->step]
                                      : "cannot start it",
                                  report->value);
        return;
    case SUPERVISE_EXITED:
        end.status = report->value;
        break;
    default:
        end.signal = report->value;
    }
    supervisor_report_end(child, &end);
}

static void supervisor_flush(struct supervisor_link *link);

static void supervisor_on_ready(uv_poll_t *poll, int status, int events)
{
    enum { SUPERVISOR_AT_ONCE = 64 };
    struct supervisor_link *link = poll->data;
    struct supervise_report report;
    ssize_t n = 1;

    if (!status && events & UV_WRITABLE)
        supervisor_flush(link);
    for (int i = 0; n > 0 && i < SUPERVISOR_AT_ONCE; i++) {
        n = recv(link->socket, &report, sizeof report, MSG_DONTWAIT);
        if (n == (ssize_t)sizeof report)
            supervisor_take(link, &report);
        else if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
            supervisor_lose(link, true);
    }
}

/* ---- requests to the process ---- */

static void supervisor_watch(struct supervisor_link *link, bool writes)
{
    if (link->writes == writes || link->closing)
        return;
    link->writes = writes;
    uv_poll_start(&link->poll, writes ? UV_READABLE | UV_WRITABLE : UV_READABLE,
                  supervisor_on_ready);
}

/* Returns whether nothing is left to be sent for the child.  A socket that is closed says so when it is
 * read. */
static bool supervisor_send_kill(struct supervised *child)
{
    struct supervise_kill request = {SUPERVISE_KILL, child->signal, child->id, child->grace_ms};

    if (!child->kill_pending)
        return true;
    if (child->packet ||
        hf_supervise_send(child->link->socket, &request, sizeof request, NULL) == HAFT_EBUSY)
        return false;
    child->kill_pending = false;
    return true;
}

static void supervisor_flush(struct supervisor_link *link)
{
    bool all = true;

    for (struct supervised *child = link->first; child && all; child = child->next) {
        if (child->packet) {
            all = hf_supervise_send(link->socket, child->packet, child->packet_size,
                                    child->packet_fds) != HAFT_EBUSY;
            if (all)
                supervisor_forget_packet(child);
        }
        all = all && supervisor_send_kill(child);
    }
    supervisor_watch(link, !all);
}

void hf_supervised_kill(struct supervised *child, int signal, unsigned grace_ms)
{
    if (!child->link)
        return;
    child->signal = signal;
    child->grace_ms = grace_ms;
    child->kill_pending = true;
    if (!supervisor_send_kill(child))
        supervisor_watch(child->link, true);
}

bool hf_supervised_is_running(const struct supervised *child)
{
    return child->link;
}

/* ---- starting the process ---- */

/* No signal may arrive in a process that still has the server's handlers. */
static pid_t supervisor_fork(struct supervisor *supervisor, const int ends[2])
{
    const haft_allocator *allocator = supervisor->allocator;
    void *state = allocator->alloc(allocator->context, hf_supervise_size());
    pid_t parent = getpid(), pid;
    sigset_t all, before;

    if (!state)
        return -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = fork();
    if (!pid)
        hf_supervise(state, ends[1], parent);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    allocator->release(allocator->context, state, hf_supervise_size());
    return pid;
}

static int supervisor_open_link(struct supervisor *supervisor, struct supervisor_link *link)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return -1;
    /* The poll first: a process that was forked would have to be ended. */
    if (uv_poll_init(supervisor->loop, &link->poll, ends[0])) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    uv_timer_init(supervisor->loop, &link->timer);
    link->poll.data = link->timer.data = link;
    link->handles = 2;
    supervisor->n_links++;
    link->socket = ends[0];
    link->pid = supervisor_fork(supervisor, ends);
    close(ends[1]);
    if (link->pid >= 0 && !uv_poll_start(&link->poll, UV_READABLE, supervisor_on_ready)) {
        uv_unref((uv_handle_t *)&link->poll);
        return 0;
    }
    supervisor_lose(link, link->pid > 0);
    return -2;
}

static int supervisor_connect(struct supervisor *supervisor, haft_reason *reterr_reason)
{
    const haft_allocator *allocator = supervisor->allocator;
    struct supervisor_link *link;
    int status;

    if (supervisor->link)
        return 0;
    link = allocator->alloc(allocator->context, sizeof *link);
    if (!link)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    *link = (struct supervisor_link){.supervisor = supervisor, .allocator = allocator};
    status = supervisor_open_link(supervisor, link);
    if (!status) {
        supervisor->link = link;
        return 0;
    }
    if (status == -1)
        allocator->release(allocator->context, link, sizeof *link);
    return hf_error_set(reterr_reason, HAFT_EBUSY, "",
                        "cannot start the process that starts programs");
}

/* ---- starting a program ---- */

struct supervisor_packet {
    char *bytes;
    size_t size;
    bool too_big;
};

static void supervisor_put(struct supervisor_packet *packet, const void *bytes, size_t size)
{
    if (size > SUPERVISE_PACKET - packet->size) {
        packet->too_big = true;
        return;
    }
    memcpy(packet->bytes + packet->size, bytes, size);
    packet->size += size;
}

static void supervisor_put_text(struct supervisor_packet *packet, const char *text)
{
    supervisor_put(packet, text, strlen(text) + 1);
}

static uint32_t supervisor_count(const char *const *list)
{
    uint32_t n = 0;

    while (list && list[n] && n <= SUPERVISED_WORDS)
        n++;
    return n;
}

static int supervisor_write(struct supervisor_packet *packet, uint64_t id,
                            const struct supervised_program *program, const int *fds,
                            haft_reason *reterr_reason)
{
    const struct sandbox *sandbox = program->sandbox;
    struct supervise_start start;

    memset(&start, 0, sizeof start);
    start.kind = SUPERVISE_START;
    start.id = id;
    start.limits = program->limits;
    start.n_arguments = supervisor_count(program->arguments);
    start.n_environment = supervisor_count(program->environment);
    start.has_directory = program->directory;
    start.sandboxed = sandbox;
    start.filters_signals = sandbox && sandbox->signals;
    start.n_instructions = sandbox ? sandbox->program.size : 0;
    for (unsigned i = 0; i < SUPERVISE_FDS; i++)
        start.fds |= (uint32_t)(fds[i] >= 0) << i;
    if (start.n_arguments + start.n_environment > SUPERVISED_WORDS)
        return hf_error_set(reterr_reason, HAFT_ETOOBIG, "",
                            "more than %d arguments and environment variables", SUPERVISED_WORDS);
    supervisor_put(packet, &start, sizeof start);
    if (sandbox)
        supervisor_put(packet, sandbox->program.at,
                       sandbox->program.size * sizeof *sandbox->program.at);
    for (uint32_t i = 0; i < start.n_arguments; i++)
        supervisor_put_text(packet, program->arguments[i]);
    for (uint32_t i = 0; i < start.n_environment; i++)
        supervisor_put_text(packet, program->environment[i]);
    if (program->directory)
        supervisor_put_text(packet, program->directory);
    return packet->too_big
               ? hf_error_set(reterr_reason, HAFT_ETOOBIG, "",
                              "arguments and environment are over %d bytes", SUPERVISED_TEXT)
               : 0;
}

/* Keeps a request that the socket has no room for. */
static int supervisor_queue(struct supervised *child, const struct supervisor_packet *packet,
                            const int *fds)
{
    const haft_allocator *allocator = child->link->allocator;
    bool failed = false;

    child->packet = allocator->alloc(allocator->context, packet->size);
    if (!child->packet)
        return HAFT_ENOMEM;
    memcpy(child->packet, packet->bytes, packet->size);
    child->packet_size = packet->size;
    for (int i = 0; i < SUPERVISE_FDS; i++) {
        child->packet_fds[i] = fds[i] >= 0 ? fcntl(fds[i], F_DUPFD_CLOEXEC, 0) : -1;
        failed = failed || (fds[i] >= 0 && child->packet_fds[i] < 0);
    }
    if (failed)
        return HAFT_EBUSY; /* the caller removes the child, and the packet with it */
    supervisor_watch(child->link, true);
    return 0;
}

/* Sends the request, to a new process if the present one has died. */
static int supervisor_send(struct supervisor *supervisor, struct supervised *child,
                           const struct supervisor_packet *packet, const int *fds,
                           haft_reason *reterr_reason)
{
    int status = HAFT_ECLOSED;

    for (int attempt = 0; attempt < 2 && status == HAFT_ECLOSED; attempt++) {
        status = supervisor_connect(supervisor, reterr_reason);
        if (status)
            return status;
        if (supervisor->link->n >= SUPERVISED_MAX)
            return hf_error_set(reterr_reason, HAFT_EBUSY, "", "%d programs are running already",
                                SUPERVISED_MAX);
        supervisor_add(supervisor->link, child);
        status = supervisor->link->writes ? HAFT_EBUSY
                                          : hf_supervise_send(supervisor->link->socket,
                                                              packet->bytes, packet->size, fds);
        if (status == HAFT_EBUSY)
            status = supervisor_queue(child, packet, fds);
        if (status)
            supervisor_remove(child);
        /* Its end is seen, and reported, when the socket is read. */
        if (status == HAFT_ECLOSED) {
            uv_ref((uv_handle_t *)&supervisor->link->poll);
            supervisor->link = NULL;
        }
    }
    return status ? hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status)) : 0;
}

static void supervisor_init_child(struct supervised *child, const char *name, uint64_t id)
{
    const char *slash = strrchr(name, '/');

    snprintf(child->name_room, sizeof child->name_room, "%s", slash && slash[1] ? slash + 1 : name);
    child->name = child->name_room;
    child->id = id;
    child->pid = 0;
    child->packet = NULL;
    child->link = NULL;
    child->kill_pending = false;
}

int hf_supervisor_start(struct supervisor *supervisor, struct supervised *child,
                        const struct supervised_program *program, haft_reason *reterr_reason)
{
    int fds[SUPERVISE_FDS] = {program->fds[0], program->fds[1], program->fds[2],
                              program->sandbox ? program->sandbox->ruleset : -1};
    struct supervisor_packet packet = {.bytes = supervisor->packet};
    int status;

    if (supervisor->closing)
        status = hf_error_set(reterr_reason, HAFT_ECLOSED, "", "programs are being ended");
    else if (!program->arguments || !program->arguments[0] || !*program->arguments[0])
        status = hf_error_set(reterr_reason, HAFT_EINVAL, "", "the program has no name");
    else
        status = supervisor_write(&packet, ++supervisor->last_id, program, fds, reterr_reason);
    if (!status) {
        supervisor_init_child(child, program->arguments[0], supervisor->last_id);
        status = supervisor_send(supervisor, child, &packet, fds, reterr_reason);
    }
    for (int i = 0; i < 3; i++)
        if (program->fds[i] >= 0)
            close(program->fds[i]);
    return status;
}

pid_t hf_supervisor_pid(const struct supervisor *supervisor)
{
    return supervisor->link ? supervisor->link->pid : 0;
}
