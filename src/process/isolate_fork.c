/* isolate_fork.c - the fork server, and its supervisor.
 *
 * Both have one thread, none of the server's descriptors and none of its signal handlers. They do
 * not outlive the server: when it ends, its end of `control` closes; and a call's process is killed
 * with the fork server that is its parent. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/sha256.h"
#include "process/forked.h"
#include "process/isolate.h"
#include "process/sandbox.h"

enum {
    MAX_CHILDREN = 1024,
    ISOLATE_FORK_REST_MS = 50 /* delay before a fork server that died is replaced */
};

struct child {
    pid_t pid;
    int fd;
};

struct fork_server {
    haft_server *server;
    int signals;  /* descriptor that is readable when a child has ended */
    bool can_end; /* it can kill processes that do not end by themselves */
    bool closed;  /* the server has closed its end */
    size_t n;
    struct child children[MAX_CHILDREN];
    struct pollfd polls[MAX_CHILDREN + 2];
};

/* ---- children ---- */

static _Noreturn void be_child(struct fork_server *fork_server, pid_t parent, int fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    prctl(PR_SET_NAME, "haft-tool");
    /* Orphaned processes that it started become its children while it lives. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    setpgid(0, 0);
    /* Signals that end a server leave it time to drain; only the processes of calls heed them. */
    hf_forked_set_ends(SIG_DFL);
    hf_forked_block_nothing();
    hf_forked_close_others(fd);
    if (fork_server->server->process.confine && hf_sandbox_enter_call())
        _exit(1);
    hf_isolate_child(fork_server->server, FORKED_SOCKET);
}

static void say_end(int fd, enum end how, int value)
{
    struct packet_end end = {(int32_t)how, value};
    char packet[PACKET_HEAD + sizeof end] = {PACKET_END, 0};

    memcpy(packet + PACKET_HEAD, &end, sizeof end);
    send(fd, packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void fork_begin(struct fork_server *fork_server, int fd)
{
    pid_t parent = getpid(), pid;

    if (fork_server->n == MAX_CHILDREN || !fork_server->can_end) {
        say_end(fd, END_NEVER, fork_server->can_end ? EAGAIN : EPERM);
        close(fd);
        return;
    }
    pid = fork();
    if (!pid)
        be_child(fork_server, parent, fd);
    if (pid < 0) {
        say_end(fd, END_NEVER, errno);
        close(fd);
        return;
    }
    /* Set here as well, in case it is killed before it does so itself. */
    setpgid(pid, pid);
    fork_server->children[fork_server->n++] = (struct child){pid, fd};
}

static size_t fork_find(const struct fork_server *fork_server, pid_t pid)
{
    size_t i = 0;

    while (i < fork_server->n && fork_server->children[i].pid != pid)
        i++;
    return i;
}

/* A child that does not belong to a call was started by a process that has ended, and has left its
 * group. Its own children come here when it ends. In a sandbox processes cannot be listed, and a
 * group cannot be left. */
static void end_orphans(const struct fork_server *fork_server)
{
    FILE *children = fopen("/proc/thread-self/children", "re");
    int pid;

    while (children && fscanf(children, "%d", &pid) == 1)
        if (fork_find(fork_server, pid) == fork_server->n)
            kill(pid, SIGKILL);
    if (children)
        fclose(children);
}

static void fork_end(struct fork_server *fork_server, const siginfo_t *info)
{
    size_t i = fork_find(fork_server, info->si_pid);
    int status;

    /* Kill the processes that it has started: until its status is reaped, the process group id
     * cannot be reused. */
    kill(-info->si_pid, SIGKILL);
    waitpid(info->si_pid, &status, 0);
    if (i == fork_server->n)
        return;
    say_end(fork_server->children[i].fd, info->si_code == CLD_EXITED ? END_EXIT : END_SIGNAL,
            info->si_status);
    close(fork_server->children[i].fd);
    fork_server->children[i] = fork_server->children[--fork_server->n];
}

static void fork_reap(struct fork_server *fork_server)
{
    struct signalfd_siginfo seen;
    siginfo_t info = {0};

    while (read(fork_server->signals, &seen, sizeof seen) > 0)
        ;
    while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid) {
        fork_end(fork_server, &info);
        info.si_pid = 0;
    }
    end_orphans(fork_server);
}

/* ---- the fork server ---- */

static void take_in(struct fork_server *fork_server)
{
    int fd;

    while ((fd = hf_packet_receive_descriptor(FORKED_SOCKET)) >= 0)
        fork_begin(fork_server, fd);
    if (fd == -2)
        fork_server->closed = true;
}

/* Kills processes whose calls have been abandoned. */
static void end_abandoned(struct fork_server *fork_server, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fork_server->polls[i + 2].revents & (POLLHUP | POLLERR | POLLNVAL)) {
            kill(-fork_server->children[i].pid, SIGKILL);
            kill(fork_server->children[i].pid, SIGKILL);
        }
}

static void fork_turn(struct fork_server *fork_server)
{
    struct pollfd *polls = fork_server->polls;
    size_t n = fork_server->n;

    polls[0] = (struct pollfd){.fd = fork_server->closed ? -1 : FORKED_SOCKET, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = fork_server->signals, .events = POLLIN};
    for (size_t i = 0; i < n; i++)
        polls[i + 2] = (struct pollfd){.fd = fork_server->children[i].fd};
    if (poll(polls, n + 2, -1) < 0)
        return;
    end_abandoned(fork_server, n);
    if (polls[1].revents)
        fork_reap(fork_server);
    if (polls[0].revents)
        take_in(fork_server);
}

static _Noreturn void serve_forks(haft_server *server)
{
    struct fork_server fork_server = {.server = server, .can_end = !kill(-getpgrp(), 0)};
    sigset_t children;

    prctl(PR_SET_NAME, "haft-fork");
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    fork_server.signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fork_server.signals < 0)
        _exit(1);
    while (!fork_server.closed || fork_server.n)
        fork_turn(&fork_server);
    _exit(0);
}

/* ---- the supervisor ---- */

/* Includes those of related servers, which may be the same. */
static void forget_keys(haft_server *server)
{
    haft_server *each = server->keys.family ? server->keys.family : server;

    for (; each; each = each->keys.beside) {
        hf_secret_wipe(each->keys.seal, sizeof each->keys.seal);
        hf_secret_wipe(each->keys.other, sizeof each->keys.other);
        hf_secret_wipe(each->keys.digest, sizeof each->keys.digest);
    }
}

_Noreturn void hf_isolate_keep(haft_server *server, int control)
{
    struct timespec rest = {0, ISOLATE_FORK_REST_MS * 1000000L};
    int status;
    pid_t pid;

    /* Before the descriptor that it uses is closed. */
    if (server->process.confine && server->process.confine(server->process.confine_context, NULL))
        _exit(1);
    prctl(PR_SET_NAME, "haft-keep");
    setpgid(0, 0);
    hf_forked_default_signals();
    hf_forked_set_ends(SIG_IGN);
    hf_forked_block_nothing();
    /* It may have the number of a standard descriptor. */
    if (control < FORKED_SOCKET)
        control = fcntl(control, F_DUPFD_CLOEXEC, FORKED_SOCKET);
    hf_forked_set_standard();
    hf_forked_close_others(control);
    forget_keys(server);
    for (;;) {
        pid = fork();
        if (!pid)
            serve_forks(server);
        if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status))
            _exit(0);
        nanosleep(&rest, NULL);
    }
}
