/* deeds.c - what a handler tries in the sandbox: each deed returns 0, or what the system says. */
#define _GNU_SOURCE
#include "process/deeds.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "support/child.h"
#include "support/test.h"

static int said(long result)
{
    return result < 0 ? errno : 0;
}

static int try_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600), status = said(fd);

    if (fd >= 0)
        close(fd);
    return status;
}

static int do_read(const char *path)
{
    return try_open(path, O_RDONLY);
}

static int do_write(const char *path)
{
    return try_open(path, O_WRONLY);
}

static int do_create(const char *path)
{
    int status = try_open(path, O_WRONLY | O_CREAT | O_TRUNC);

    return status ? status : said(unlink(path));
}

static int do_list(const char *path)
{
    return try_open(path, O_RDONLY | O_DIRECTORY);
}

static int do_truncate(const char *path)
{
    return said(truncate(path, 0));
}

static int do_unlink(const char *path)
{
    return said(unlink(path));
}

static int do_link(const char *path)
{
    return said(symlink("/etc/passwd", path));
}

static int do_socket(const char *path)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0), status = said(fd);

    (void)path;
    if (fd >= 0)
        close(fd);
    return status;
}

/* Nobody listens on port 1. */
static int do_connect(const char *path)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), status = said(fd);

    (void)path;
    if (status)
        return status;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    status = said(connect(fd, (struct sockaddr *)&address, sizeof address));
    close(fd);
    return status;
}

static int do_bind(const char *path)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0), status = said(fd);

    (void)path;
    if (!status)
        status = said(bind(fd, (struct sockaddr *)&address, sizeof address));
    if (!status)
        status = said(listen(fd, 1));
    if (fd >= 0)
        close(fd);
    return status;
}

static int do_bind_datagram(const char *path)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_DGRAM, 0), status = said(fd);

    (void)path;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!status)
        status = said(bind(fd, (struct sockaddr *)&address, sizeof address));
    if (fd >= 0)
        close(fd);
    return status;
}

void name_socket(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
}

static int do_connect_unix(const char *path)
{
    struct sockaddr_un address;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), status = said(fd);

    name_socket(&address, path);
    if (!status)
        status = said(connect(fd, (struct sockaddr *)&address, sizeof address));
    if (fd >= 0)
        close(fd);
    return status;
}

/* To somebody's socket, by one of a pair: that one is connected, and may say another address. */
static int do_send_unix(const char *path)
{
    struct sockaddr_un address;
    int ends[2] = {-1, -1}, status = said(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));

    name_socket(&address, path);
    if (!status)
        status = said(
            sendto(ends[0], "x", 1, MSG_DONTWAIT, (struct sockaddr *)&address, sizeof address));
    close(ends[0]);
    close(ends[1]);
    return status;
}

/* In a process of its own, because it would be another program if it went well. */
static int in_child(int (*deed)(void))
{
    int state = 0;
    pid_t pid = fork();

    if (!pid)
        _exit(deed());
    return pid < 0 || waitpid(pid, &state, 0) < 0 || !WIFEXITED(state) ? 255 : WEXITSTATUS(state);
}

static int leave_session(void)
{
    return said(setsid());
}

static int do_mode(const char *path)
{
    return said(chmod(path, 0600));
}

static int do_owner(const char *path)
{
    return said(chown(path, (uid_t)-1, (gid_t)-1));
}

static int do_times(const char *path)
{
    return said(utimensat(AT_FDCWD, path, NULL, 0));
}

static int do_attribute(const char *path)
{
    return said(setxattr(path, "user.haft", "x", 1, 0));
}

/* ---- to the process that has started this one ---- */

static int do_limit(const char *path)
{
    struct rlimit limit;

    (void)path;
    return said(prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit));
}

static int do_priority(const char *path)
{
    (void)path;
    return said(
        setpriority(PRIO_PROCESS, (id_t)getppid(), getpriority(PRIO_PROCESS, (id_t)getppid())));
}

static int do_affinity(const char *path)
{
    cpu_set_t set;

    (void)path;
    sched_getaffinity(0, sizeof set, &set);
    return said(sched_setaffinity(getppid(), sizeof set, &set));
}

static int do_signal(const char *path)
{
    (void)path;
    return said(kill(getppid(), 0));
}

static int do_own_signal(const char *path)
{
    (void)path;
    return said(raise(SIGURG)) ? EPERM : said(kill(getpid(), 0));
}

/* It has the same program, and so the same variable in the same place. */
static int do_peek(const char *path)
{
    static int word = 5;
    int copy = 0;
    struct iovec here = {&copy, sizeof copy}, there = {&word, sizeof word};

    (void)path;
    return said(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int do_leave_group(const char *path)
{
    (void)path;
    return in_child(leave_session);
}

/* Leaves a process behind that has the file's lock for as long as it lives. */
static int do_linger(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), ready[2];
    char byte;

    if (fd < 0 || pipe(ready))
        return errno;
    if (!fork()) {
        if (flock(fd, LOCK_EX) || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(fd);
    return read(ready[0], &byte, 1) == 1 ? 0 : EIO;
}

/* Waits until nobody has it. */
static int do_lock(const char *path)
{
    int64_t end = milliseconds() + 10000;
    int fd = open(path, O_RDONLY | O_CLOEXEC), status;

    while ((status = said(flock(fd, LOCK_EX | LOCK_NB))) == EAGAIN && milliseconds() < end)
        sleep_ms(5);
    close(fd);
    return status;
}

static int do_clock(const char *path)
{
    struct timex nothing = {.modes = 0};

    (void)path;
    return said(adjtimex(&nothing));
}

static int exec_true(void)
{
    char *const arguments[] = {"true", NULL};

    execv("/bin/true", arguments);
    return errno;
}

static int nothing(void)
{
    return 0;
}

static int do_exec(const char *path)
{
    (void)path;
    return in_child(exec_true);
}

static int do_fork(const char *path)
{
    (void)path;
    return in_child(nothing);
}

static int do_trace(const char *path)
{
    (void)path;
    return said(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int do_mount(const char *path)
{
    return said(syscall(SYS_mount, "none", path, "tmpfs", 0, NULL));
}

static int do_bpf(const char *path)
{
    (void)path;
    return said(syscall(SYS_bpf, 0, NULL, 0));
}

static int do_unshare(const char *path)
{
    (void)path;
    return said(unshare(CLONE_NEWUSER));
}

static int do_namespace(const char *path)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);

    (void)path;
    if (!pid)
        _exit(0);
    return said(pid);
}

static int do_ring(const char *path)
{
    char parameters[120] = "";

    (void)path;
    return said(syscall(SYS_io_uring_setup, 1, parameters));
}

static void *no_work(void *context)
{
    return context;
}

static int do_thread(const char *path)
{
    pthread_t thread;
    int status = pthread_create(&thread, NULL, no_work, NULL);

    (void)path;
    return status ? status : pthread_join(thread, NULL);
}

const struct deed deeds[] = {
    {"read", do_read},
    {"write", do_write},
    {"create", do_create},
    {"list", do_list},
    {"truncate", do_truncate},
    {"unlink", do_unlink},
    {"link", do_link},
    {"socket", do_socket},
    {"connect", do_connect},
    {"bind", do_bind},
    {"exec", do_exec},
    {"fork", do_fork},
    {"trace", do_trace},
    {"mount", do_mount},
    {"bpf", do_bpf},
    {"unshare", do_unshare},
    {"namespace", do_namespace},
    {"ring", do_ring},
    {"thread", do_thread},
    {"mode", do_mode},
    {"owner", do_owner},
    {"times", do_times},
    {"attribute", do_attribute},
    {"limit", do_limit},
    {"priority", do_priority},
    {"affinity", do_affinity},
    {"signal", do_signal},
    {"own signal", do_own_signal},
    {"peek", do_peek},
    {"clock", do_clock},
    {"linger", do_linger},
    {"lock", do_lock},
    {"leave", do_leave_group},
    {"bind datagram", do_bind_datagram},
    {"connect unix", do_connect_unix},
    {"send unix", do_send_unix},
};

const size_t n_deeds = COUNT_OF(deeds);
