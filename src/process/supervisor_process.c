/* supervisor_process.c - the supervisor: starts programs, reports their ends, and leaves nothing.
 *
 * It is forked from a process with threads, so it uses only async-signal-safe functions, and memory that
 * was allocated before the fork.  Of its children, those in its table are programs; any other was
 * started by a program that has ended, and is killed.  It waits in one place, for requests, the ends of
 * children and the times at which programs that were asked to end are killed. */
#define _GNU_SOURCE /* ppoll's relatives, F_DUPFD_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/forked.h"
#include "process/supervisor_wire.h"

enum {
    SUPERVISE_LOOK_MS = 20,  /* interval at which children that are being killed are listed */
    SUPERVISE_GONE = SIGUSR1 /* sent by the kernel when the server's thread ends */
};

struct supervise_program {
    uint64_t id;
    pid_t pid;
    int64_t kill_at; /* by supervise_now; 0 for never */
};

struct supervise {
    int signals; /* descriptor that is readable when a child or the server has ended */
    pid_t parent;
    bool closed; /* the server has closed its end, or has ended */
    size_t n;
    struct supervise_program programs[SUPERVISED_MAX];
    struct supervise_request request;
    char *words[SUPERVISED_WORDS + 2];
    char packet[SUPERVISE_PACKET];
};

size_t hf_supervise_size(void)
{
    return sizeof(struct supervise);
}

static int64_t supervise_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
}

/* Waits if the socket is full: the server always reads. */
static void supervise_report(struct supervise *self, enum supervise_kind kind, uint64_t id,
                             int value, int step)
{
    struct supervise_report report = {(uint32_t)kind, value, step, id};

    while (send(FORKED_SOCKET, &report, sizeof report, MSG_NOSIGNAL) < 0)
        if (errno != EINTR && errno != ENOBUFS && errno != ENOMEM) {
            self->closed = true;
            return;
        }
}

/* ---- children other than programs ---- */

static size_t supervise_find_pid(const struct supervise *self, pid_t pid)
{
    size_t i = 0;

    while (i < self->n && self->programs[i].pid != pid)
        i++;
    return i;
}

static void supervise_kill_tree(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
}

/* Kills children: all, or those other than programs.  Their own children come here when they end.
 * Returns how many, or -1 if the kernel does not list them. */
static int supervise_kill_children(const struct supervise *self, bool all)
{
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC), n = 0;
    pid_t pid = 0;
    char text[512];
    ssize_t size;

    if (fd < 0)
        return -1;
    while ((size = read(fd, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < size; i++)
            if (text[i] >= '0' && text[i] <= '9') {
                pid = pid * 10 + (text[i] - '0');
            } else if (pid) {
                if (all || supervise_find_pid(self, pid) == self->n) {
                    supervise_kill_tree(pid);
                    n++;
                }
                pid = 0;
            }
    close(fd);
    return n;
}

/* ---- ends ---- */

static void supervise_end(struct supervise *self, const siginfo_t *info)
{
    size_t i = supervise_find_pid(self, info->si_pid);

    /* Until its status is reaped, the number of its process group cannot be reused. */
    if (i < self->n)
        kill(-info->si_pid, SIGKILL);
    waitpid(info->si_pid, NULL, WNOHANG);
    if (i == self->n)
        return;
    supervise_report(self, info->si_code == CLD_EXITED ? SUPERVISE_EXITED : SUPERVISE_SIGNALLED,
                     self->programs[i].id, info->si_status, 0);
    self->programs[i] = self->programs[--self->n];
}

static void supervise_reap(struct supervise *self)
{
    siginfo_t info = {0};

    while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid) {
        supervise_end(self, &info);
        info.si_pid = 0;
    }
    supervise_kill_children(self, false);
}

static void supervise_take_signals(struct supervise *self)
{
    struct signalfd_siginfo seen;

    while (read(self->signals, &seen, sizeof seen) > 0)
        ;
    if (getppid() != self->parent)
        self->closed = true;
}

/* Kills everything until nothing is left.  Children appear as long as others end. */
static _Noreturn void supervise_end_all(struct supervise *self)
{
    struct pollfd waiting = {.fd = self->signals, .events = POLLIN};
    siginfo_t info;

    for (;;) {
        bool listed = supervise_kill_children(self, true) >= 0;

        for (size_t i = 0; !listed && i < self->n; i++)
            supervise_kill_tree(self->programs[i].pid);
        poll(&waiting, 1, SUPERVISE_LOOK_MS);
        supervise_take_signals(self);
        info.si_pid = 0;
        while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG) && info.si_pid) {
            size_t i = supervise_find_pid(self, info.si_pid);

            if (i < self->n)
                self->programs[i] = self->programs[--self->n];
            info.si_pid = 0;
        }
        /* Without a list of children, those other than programs cannot be found. */
        if ((!listed && !self->n) ||
            (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && errno == ECHILD))
            _exit(0);
    }
}

/* ---- requests ---- */

static void supervise_start(struct supervise *self, size_t size, const int *fds, size_t n_fds)
{
    struct supervise_request *request = &self->request;
    enum supervise_step step = SUPERVISE_STEP_FORK;
    int error = EAGAIN;
    pid_t pid = -1;

    if (!hf_supervise_read(request, self->packet, size, fds, n_fds, self->words)) {
        self->closed = true; /* no server sends this */
        return;
    }
    if (self->n < SUPERVISED_MAX)
        pid = hf_supervise_start(request, &step, &error);
    if (pid < 0) {
        supervise_report(self, SUPERVISE_FAILED, request->start.id, error, (int)step);
        return;
    }
    self->programs[self->n++] = (struct supervise_program){request->start.id, pid, 0};
    supervise_report(self, SUPERVISE_STARTED, request->start.id, pid, 0);
}

static void supervise_signal(struct supervise *self, size_t size)
{
    struct supervise_kill request;
    int64_t at;
    size_t i = 0;

    if (size != sizeof request)
        return;
    memcpy(&request, self->packet, sizeof request);
    while (i < self->n && self->programs[i].id != request.id)
        i++;
    if (i == self->n)
        return;
    kill(-self->programs[i].pid, request.signal);
    at = supervise_now() + request.grace_ms;
    if (request.grace_ms && (!self->programs[i].kill_at || at < self->programs[i].kill_at))
        self->programs[i].kill_at = at;
}

static void supervise_take_requests(struct supervise *self)
{
    int fds[SUPERVISE_FDS];
    size_t n_fds = 0;
    uint32_t kind;
    ssize_t size;

    while (!self->closed && (size = hf_supervise_receive(FORKED_SOCKET, self->packet,
                                                         sizeof self->packet, fds, &n_fds))) {
        if (size < (ssize_t)sizeof kind) {
            self->closed = true;
            return;
        }
        memcpy(&kind, self->packet, sizeof kind);
        if (kind == SUPERVISE_START)
            supervise_start(self, (size_t)size, fds, n_fds);
        else if (kind == SUPERVISE_KILL)
            supervise_signal(self, (size_t)size);
        for (size_t i = 0; i < n_fds; i++)
            close(fds[i]);
    }
}

/* ---- the loop ---- */

/* Kills programs whose time is over.  Returns the milliseconds until the next one's is, or -1. */
static int supervise_kill_late(struct supervise *self)
{
    int64_t now = 0, next = -1;

    for (size_t i = 0; i < self->n; i++) {
        struct supervise_program *program = &self->programs[i];

        if (!program->kill_at)
            continue;
        now = now ? now : supervise_now();
        if (program->kill_at <= now) {
            supervise_kill_tree(program->pid);
            program->kill_at = 0;
        } else if (next < 0 || program->kill_at - now < next) {
            next = program->kill_at - now;
        }
    }
    return (int)next;
}

static void supervise_turn(struct supervise *self)
{
    struct pollfd polls[] = {{.fd = FORKED_SOCKET, .events = POLLIN},
                             {.fd = self->signals, .events = POLLIN}};

    if (poll(polls, 2, supervise_kill_late(self)) < 0)
        return;
    if (polls[1].revents) {
        supervise_take_signals(self);
        supervise_reap(self);
    }
    if (polls[0].revents)
        supervise_take_requests(self);
}

static int supervise_open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SUPERVISE_GONE);
    sigprocmask(SIG_SETMASK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

_Noreturn void hf_supervise(void *state, int control, pid_t parent)
{
    struct supervise *self = state;

    prctl(PR_SET_NAME, "haft-supervisor");
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    /* Programs of the same user must not read the server's memory from its copy. */
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SUPERVISE_GONE);
    setsid();
    hf_forked_default_signals();
    hf_forked_set_ends(SIG_IGN);
    if (control < FORKED_SOCKET)
        control = fcntl(control, F_DUPFD_CLOEXEC, FORKED_SOCKET);
    hf_forked_set_standard();
    hf_forked_close_others(control);
    self->parent = parent;
    self->closed = getppid() != parent;
    self->n = 0;
    self->signals = supervise_open_signals();
    if (self->signals < 0)
        _exit(1);
    while (!self->closed)
        supervise_turn(self);
    supervise_end_all(self);
}
