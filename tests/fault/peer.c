/* peer.c - starting and ending a server under fault; see peer.h. */
#define _GNU_SOURCE
#include "fault/peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS = 24, REPORT = 1 << 16 };

void peer_say_why(struct peer *peer, const char *format, ...)
{
    va_list arguments;

    if (peer->why[0])
        return;
    va_start(arguments, format);
    vsnprintf(peer->why, sizeof peer->why, format, arguments);
    va_end(arguments);
}

int64_t peer_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void peer_pause(int ms)
{
    poll(NULL, 0, ms);
}

/* ---- the process ---- */

static size_t read_log(const struct peer *peer, char *text, size_t size)
{
    ssize_t n = pread(peer->log, text, size - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Runs in the new process. */
static _Noreturn void be_server(struct peer *peer, int in, int out, bool armed)
{
    char *arguments[ARGUMENTS] = {(char *)(uintptr_t)peer->site};
    int n = 1;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!peer->http) {
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
    }
    dup2(peer->log, STDERR_FILENO);
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    if (peer->in_place && chdir(peer->place))
        _exit(1);
    if (peer->http) {
        arguments[n++] = (char *)(uintptr_t) "--http";
        arguments[n++] = (char *)(uintptr_t)peer->address;
    }
    for (const char *const *more = peer->arguments; more && *more; more++)
        arguments[n++] = (char *)(uintptr_t)*more;
    shim_obey(peer->order, armed);
    exit(site_run(n, arguments, NULL));
}

static bool has_ended(struct peer *peer)
{
    if (!peer->ended && waitpid(peer->pid, &peer->status, WNOHANG) == peer->pid)
        peer->ended = true;
    return peer->ended;
}

/* What the process said when it ended: RIGHT for 0, REFUSED for a status that says that something
 * failed. */
static int judge_end(struct peer *peer)
{
    static char text[REPORT];
    static const char *const bad[] = {"Sanitizer", "runtime error:", "Assertion",
                                      "free():",   "malloc():",      "corrupted"};

    atomic_store(&peer->order->armed, false);
    read_log(peer, text, sizeof text);
    snprintf(peer->said, sizeof peer->said, "%.*s", (int)sizeof peer->said - 1, text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strstr(text, bad[i])) {
            peer_say_why(peer, "%.200s", strstr(text, bad[i]));
            if (peer->verbose)
                printf("%s\n", text);
            return WRONG;
        }
    if (!WIFEXITED(peer->status)) {
        peer_say_why(peer, "ended by signal %d: %.120s", WTERMSIG(peer->status), text);
        return WRONG;
    }
    /* At the end, in the destructor of a library that libcurl brings along: the loader gives up. */
    if (WEXITSTATUS(peer->status) == 127 && strstr(text, "memory for thread-local data: ABORT"))
        return REFUSED;
    if (WEXITSTATUS(peer->status) > 2) {
        peer_say_why(peer, "ended with %d: %.120s", WEXITSTATUS(peer->status), text);
        return WRONG;
    }
    return WEXITSTATUS(peer->status) ? REFUSED : RIGHT;
}

/* The port, once the log says it; for a socket in the file system, which has none, 1. */
static int find_port(struct peer *peer)
{
    char text[4096];
    const char *at;

    read_log(peer, text, sizeof text);
    if (!strncmp(peer->address, "unix:", 5))
        return strstr(text, "listening on unix:") ? 1 : 0;
    at = strstr(text, "listening on http://");
    at = at && strchr(at, '\n') ? strchr(at + 20, ':') : NULL;
    return at ? (int)strtol(at + 1, NULL, 10) : 0;
}

static int wait_ready(struct peer *peer)
{
    char text[4096];
    int64_t end = peer_now() + peer->patience_ms;

    while (!has_ended(peer) && peer->http && !(peer->port = find_port(peer)) && peer_now() < end)
        peer_pause(1);
    if (!peer->ended && (!peer->http || peer->port))
        return RIGHT;
    if (!peer->ended) {
        peer_say_why(peer, "does not begin");
        return WRONG;
    }
    if (judge_end(peer) == WRONG)
        return WRONG;
    if (!WEXITSTATUS(peer->status)) {
        peer_say_why(peer, "did not begin and ended with 0");
        return WRONG;
    }
    /* Nothing can be said where saying fails. */
    if (!read_log(peer, text, sizeof text) && peer->order->call != CALL_WRITE) {
        peer_say_why(peer, "did not begin and did not say why");
        return WRONG;
    }
    return REFUSED;
}

int peer_start(struct peer *peer, bool armed)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};

    peer->in = peer->out = peer->fd = peer->stream = -1;
    peer->heard_size = peer->streamed_size = 0;
    peer->session[0] = peer->why[0] = peer->said[0] = '\0';
    peer->path = "/mcp";
    peer->ended = false;
    peer->port = 0;
    peer->log = memfd_create("log", MFD_CLOEXEC);
    if (peer->log < 0 || (!peer->http && (socketpair(AF_UNIX, SOCK_STREAM, 0, in) ||
                                          socketpair(AF_UNIX, SOCK_STREAM, 0, out)))) {
        peer_say_why(peer, "no descriptors: %s", strerror(errno));
        return WRONG;
    }
    fflush(stdout);
    peer->pid = fork();
    if (!peer->pid)
        be_server(peer, in[1], out[1], armed);
    if (!peer->http) {
        close(in[1]);
        close(out[1]);
        peer->in = in[0];
        peer->out = out[0];
    }
    return wait_ready(peer);
}

void peer_let_go(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void peer_hang_up(struct peer *peer)
{
    peer_let_go(&peer->fd);
    peer_let_go(&peer->stream);
}

int peer_wait(struct peer *peer)
{
    int64_t end = peer_now() + peer->patience_ms;
    int status;

    while (!has_ended(peer) && peer_now() < end)
        peer_pause(1);
    if (!peer->ended) {
        peer_say_why(peer, "does not end");
        kill(peer->pid, SIGKILL);
        waitpid(peer->pid, &peer->status, 0);
        peer->ended = true;
        status = WRONG;
    } else {
        status = judge_end(peer);
    }
    peer_hang_up(peer);
    peer_let_go(&peer->in);
    peer_let_go(&peer->out);
    peer_let_go(&peer->log);
    return status;
}

/* Calls of the session that wait for an answer need not be waited for. */
static void end_session(struct peer *peer)
{
    if (peer->session[0] && peer_stream(peer, "DELETE", "", "") == RIGHT)
        peer_expect(peer, "\r\n\r\n");
}

int peer_stop(struct peer *peer)
{
    if (peer->http && !has_ended(peer)) {
        end_session(peer);
        kill(peer->pid, SIGTERM);
    }
    peer_let_go(&peer->in);
    return peer_wait(peer);
}
