/* test_sandbox_calls.c - the filter of system calls, call by call: each is made in a process that
 * has entered it and in one that has not.  What is refused must be refused by the filter, so the
 * same call outside must end in another way; what is allowed must end in the same.  A row of the
 * table that refuses and that no attempt here shows fails the test, and so does one that the
 * documentation does not have. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/sandbox.h"
#include "process/sandbox_calls.h"
#include "support/test.h"

#if SANDBOX_FILTERS

enum { LANDLOCK = 7, KILLED = 256, NUMBERS = 640, PAGE_TEXT = 64 << 10 };

/* ---- attempts ---- */

#define N(n) ((const void *)(intptr_t)(n))
#define NOBODY N(0x3fffffff) /* no process has that number */
#define HERE N(AT_FDCWD)

/* How the same ends outside: in another way; or that depends on privileges, or on the kernel. */
enum control { OTHERWISE, PRIVILEGED, ANYTHING };

struct attempt {
    const char *call;
    const void *arguments[6];
    int error; /* 0: allowed */
    enum control control;
};

static char path[] = "/tmp/haft-calls-XXXXXX";
static const char nowhere[] = "/nowhere/at/all";
static char *const no_arguments[] = {(char *)(uintptr_t) "true", NULL};
static unsigned char room[4096] __attribute__((aligned(16)));
static unsigned char all_ones[128];
static int pair[2];

/* clang-format off */
static const struct attempt attempts[] = {
    /* Descriptors. */
    {"fcntl", {N(0), N(8), N(0)}, EPERM, OTHERWISE},
    {"fcntl", {N(0), N(15), NULL}, EPERM, OTHERWISE},
    {"fcntl", {N(0), N(1024), N(F_UNLCK)}, EPERM, OTHERWISE},
    {"fcntl", {N(0), N(F_GETFD)}, 0, OTHERWISE},
    {"ioctl", {N(-1), N(0x5412)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0x541c)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0x541d)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0x5423)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0x40086602)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0x401c5820)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0xc0045877)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0xc0045878)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0x8901)}, EPERM, OTHERWISE},
    {"ioctl", {N(-1), N(0x8902)}, EPERM, OTHERWISE},
    {"ioctl", {N(0), N(0x5451)}, 0, OTHERWISE},
    {"io_uring_setup", {N(1), room}, ENOSYS, ANYTHING},
    {"io_uring_register", {N(-1), N(0), NULL, N(0)}, ENOSYS, ANYTHING},
    {"fanotify_init", {N(0), N(0)}, EPERM, PRIVILEGED},
    {"fanotify_mark", {N(-1), N(1), N(1), HERE, path}, EPERM, OTHERWISE},
    /* Files. */
    {"mknodat", {HERE, path, N(S_IFIFO | 0600), N(0)}, EPERM, OTHERWISE},
    {"name_to_handle_at", {HERE, path, NULL, NULL, N(0)}, EPERM, OTHERWISE},
    {"open_by_handle_at", {N(-1), NULL, N(0)}, EPERM, PRIVILEGED},
    {"fchmod", {N(0), N(0600)}, EPERM, OTHERWISE},
    {"fchmodat", {HERE, path, N(0600)}, EPERM, OTHERWISE},
    {"fchown", {N(0), N(-1), N(-1)}, EPERM, OTHERWISE},
    {"fchownat", {HERE, path, N(-1), N(-1), N(0)}, EPERM, OTHERWISE},
    {"utimensat", {HERE, path, NULL, N(0)}, EPERM, OTHERWISE},
    {"setxattr", {path, "user.a", "x", N(1), N(0)}, EPERM, OTHERWISE},
    {"lsetxattr", {path, "user.a", "x", N(1), N(0)}, EPERM, OTHERWISE},
    {"fsetxattr", {N(0), "user.a", "x", N(1), N(0)}, EPERM, OTHERWISE},
    {"removexattr", {path, "user.b"}, EPERM, OTHERWISE},
    {"lremovexattr", {path, "user.b"}, EPERM, OTHERWISE},
    {"fremovexattr", {N(0), "user.b"}, EPERM, OTHERWISE},
    {"quotactl", {N(0xffffff), NULL, N(0), NULL}, EPERM, OTHERWISE},
    {"quotactl_fd", {N(-1), N(0xffffff), N(0), NULL}, EPERM, OTHERWISE},
    {"newfstatat", {HERE, path, room, N(0)}, 0, OTHERWISE},
    {"openat", {HERE, path, N(O_RDONLY)}, 0, OTHERWISE},
    {"truncate", {path, N(0)}, 0, OTHERWISE},
    /* Memory. */
    {"move_pages", {NOBODY, N(0), NULL, NULL, NULL, N(2)}, EPERM, OTHERWISE},
    {"migrate_pages", {NOBODY, N(0), NULL, NULL}, EPERM, OTHERWISE},
    {"userfaultfd", {N(1)}, EPERM, PRIVILEGED},
    {"memfd_secret", {N(0)}, EPERM, OTHERWISE},
    {"memfd_create", {"", N(0)}, 0, OTHERWISE},
    /* Processes. */
    {"clone", {N(CLONE_NEWUSER | SIGCHLD)}, EPERM, ANYTHING}, /* refused in every chroot */
    {"clone", {N(CLONE_NEWNS | SIGCHLD)}, EPERM, PRIVILEGED},
    {"clone3", {NULL, N(0)}, ENOSYS, OTHERWISE},
    {"prctl", {N(35), N(0xffff), N(0), N(0), N(1)}, EPERM, OTHERWISE},
    {"prctl", {N(62), N(0), N(0), N(0), room}, EPERM, OTHERWISE},
    {"prctl", {N(PR_GET_NAME), room}, 0, OTHERWISE},
    {"execve", {"/bin/true", no_arguments, NULL}, EPERM, OTHERWISE},
    {"execveat", {HERE, "/bin/true", no_arguments, NULL, N(0)}, EPERM, OTHERWISE},
    {"pidfd_send_signal", {N(-1), N(0), NULL, N(0)}, EPERM, OTHERWISE},
    {"ptrace", {N(0), N(0), NULL, NULL}, EPERM, OTHERWISE},
    {"process_vm_readv", {NOBODY, NULL, N(0), NULL, N(0), N(0)}, EPERM, OTHERWISE},
    {"process_vm_writev", {NOBODY, NULL, N(0), NULL, N(0), N(0)}, EPERM, OTHERWISE},
    {"process_madvise", {N(-1), NULL, N(0), N(20), N(0)}, EPERM, OTHERWISE},
    {"process_mrelease", {N(-1), N(0)}, EPERM, OTHERWISE},
    {"kcmp", {NOBODY, NOBODY, N(0), N(0), N(0)}, EPERM, OTHERWISE},
    {"pidfd_open", {N(1), N(0)}, EPERM, OTHERWISE},
    {"pidfd_getfd", {N(-1), N(0), N(0)}, EPERM, OTHERWISE},
    {"get_robust_list", {N(0), room, room + 8}, EPERM, OTHERWISE},
    {"shmget", {N(0x68616674), N(1), N(0)}, EPERM, OTHERWISE},
    {"shmat", {N(-1), NULL, N(0)}, EPERM, OTHERWISE},
    {"shmctl", {N(-1), N(99), NULL}, EPERM, OTHERWISE},
    {"semget", {N(0x68616674), N(1), N(0)}, EPERM, OTHERWISE},
    {"semctl", {N(-1), N(0), N(99), NULL}, EPERM, OTHERWISE},
    {"semop", {N(-1), room, N(1)}, EPERM, OTHERWISE},
    {"semtimedop", {N(-1), room, N(1), NULL}, EPERM, OTHERWISE},
    {"msgget", {N(0x68616674), N(0)}, EPERM, OTHERWISE},
    {"msgctl", {N(-1), N(99), NULL}, EPERM, OTHERWISE},
    {"msgsnd", {N(-1), room, N(0), N(0)}, EPERM, OTHERWISE},
    {"msgrcv", {N(-1), room, N(0), N(0), N(0)}, EPERM, OTHERWISE},
    {"mq_open", {"haft-none", N(O_RDONLY), N(0), NULL}, EPERM, OTHERWISE},
    {"mq_unlink", {"haft-none"}, EPERM, OTHERWISE},
    /* Priorities and limits. */
    {"prlimit64", {NOBODY, N(7), NULL, room}, EPERM, OTHERWISE},
    {"prlimit64", {N(0), N(7), NULL, room}, 0, OTHERWISE},
    {"setpriority", {N(1), N(0), N(19)}, EPERM, OTHERWISE},
    {"setpriority", {N(0), NOBODY, N(19)}, EPERM, OTHERWISE},
    {"setpriority", {N(0), N(0), N(19)}, 0, OTHERWISE},
    {"ioprio_set", {N(2), N(0), N(2 << 13 | 7)}, EPERM, OTHERWISE},
    {"ioprio_set", {N(1), NOBODY, N(2 << 13 | 7)}, EPERM, OTHERWISE},
    {"ioprio_set", {N(1), N(0), N(2 << 13 | 7)}, 0, OTHERWISE},
    {"sched_setparam", {NOBODY, room}, EPERM, OTHERWISE},
    {"sched_setparam", {N(0), room}, 0, OTHERWISE},
    {"sched_setscheduler", {NOBODY, N(0), room}, EPERM, OTHERWISE},
    {"sched_setscheduler", {N(0), N(0), room}, 0, OTHERWISE},
    {"sched_setattr", {NOBODY, room, N(0)}, EPERM, OTHERWISE},
    {"sched_setaffinity", {NOBODY, N(128), all_ones}, EPERM, OTHERWISE},
    {"sched_setaffinity", {N(0), N(128), all_ones}, 0, OTHERWISE},
    /* Time. */
    {"settimeofday", {NULL, NULL}, EPERM, PRIVILEGED},
    {"clock_settime", {N(0), NULL}, EPERM, OTHERWISE},
    {"adjtimex", {room}, EPERM, OTHERWISE},
    {"clock_adjtime", {N(0), room}, EPERM, OTHERWISE},
    {"clock_gettime", {N(0), room}, 0, OTHERWISE},
    /* The network, where all of it has been left. */
    {"socketpair", {N(AF_UNIX), N(SOCK_DGRAM), N(0), pair}, EPERM, OTHERWISE},
    {"socketpair", {N(AF_UNIX), N(SOCK_RAW | SOCK_CLOEXEC), N(0), pair}, EPERM, OTHERWISE},
    {"socketpair", {N(AF_UNIX), N(SOCK_STREAM | SOCK_CLOEXEC), N(0), pair}, 0, OTHERWISE},
    {"socketpair", {N(AF_UNIX), N(SOCK_SEQPACKET), N(0), pair}, 0, OTHERWISE},
    {"listen", {N(-1), N(1)}, EPERM, OTHERWISE},
    {"bind", {N(-1), NULL, N(0)}, EPERM, OTHERWISE},
    {"socket", {N(AF_NETLINK), N(SOCK_RAW), N(0)}, EPERM, OTHERWISE},
    {"socket", {N(AF_PACKET), N(SOCK_DGRAM), N(0)}, EPERM, PRIVILEGED},
    {"socket", {N(38), N(SOCK_SEQPACKET), N(0)}, EPERM, OTHERWISE},
    {"socket", {N(AF_INET), N(SOCK_RAW), N(1)}, EPERM, PRIVILEGED},
    {"socket", {N(AF_INET), N(SOCK_DGRAM), N(1)}, EPERM, PRIVILEGED},
    {"socket", {N(AF_INET), N(SOCK_STREAM), N(262)}, EPERM, OTHERWISE},
    {"socket", {N(AF_INET), N(SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK), N(6)}, 0, OTHERWISE},
    {"socket", {N(AF_INET6), N(SOCK_DGRAM), N(17)}, 0, OTHERWISE},
    {"socket", {N(AF_UNIX), N(SOCK_STREAM), N(0)}, 0, OTHERWISE},
    {"connect", {N(-1), NULL, N(0)}, 0, OTHERWISE},
    /* The machine. */
    {"mount", {"none", nowhere, "tmpfs", N(0), NULL}, EPERM, PRIVILEGED},
    {"umount2", {nowhere, N(0)}, EPERM, PRIVILEGED},
    {"pivot_root", {nowhere, nowhere}, EPERM, PRIVILEGED},
    {"chroot", {"/"}, EPERM, PRIVILEGED},
    {"open_tree", {HERE, nowhere, N(0)}, EPERM, OTHERWISE},
    {"move_mount", {N(-1), "", N(-1), "", N(0)}, EPERM, PRIVILEGED},
    {"fsopen", {"no such", N(0)}, EPERM, PRIVILEGED},
    {"fsconfig", {N(-1), N(99), NULL, NULL, N(0)}, EPERM, OTHERWISE},
    {"fsmount", {N(-1), N(0), N(0)}, EPERM, PRIVILEGED},
    {"fspick", {HERE, nowhere, N(0)}, EPERM, PRIVILEGED},
    {"mount_setattr", {N(-1), "", N(0), NULL, N(0)}, EPERM, OTHERWISE},
    {"setns", {N(-1), N(0)}, EPERM, OTHERWISE},
    {"unshare", {N(CLONE_FS)}, EPERM, OTHERWISE},
    {"sethostname", {NULL, N(1000)}, EPERM, PRIVILEGED},
    {"setdomainname", {NULL, N(1000)}, EPERM, PRIVILEGED},
    {"vhangup", {NULL}, EPERM, PRIVILEGED},
    {"swapon", {nowhere, N(0)}, EPERM, PRIVILEGED},
    {"swapoff", {nowhere}, EPERM, PRIVILEGED},
    {"acct", {nowhere}, EPERM, PRIVILEGED},
    {"syslog", {N(10), NULL, N(0)}, EPERM, PRIVILEGED},
    {"reboot", {N(0), N(0), N(0), NULL}, EPERM, PRIVILEGED},
    {"kexec_load", {NULL, N(0), NULL, N(-1)}, EPERM, PRIVILEGED},
    {"kexec_file_load", {N(-1), N(-1), N(0), NULL, N(-1)}, EPERM, PRIVILEGED},
    {"init_module", {NULL, N(0), NULL}, EPERM, PRIVILEGED},
    {"finit_module", {N(-1), "", N(0)}, EPERM, PRIVILEGED},
    {"delete_module", {"haft_none", N(O_NONBLOCK)}, EPERM, PRIVILEGED},
    {"bpf", {N(0), NULL, N(0)}, EPERM, PRIVILEGED},
    {"perf_event_open", {NULL, N(0), N(-1), N(-1), N(0)}, EPERM, OTHERWISE},
    {"add_key", {"user", "haft", "x", N(1), N(-1)}, EPERM, OTHERWISE},
    {"request_key", {"user", "haft none", NULL, N(0)}, EPERM, OTHERWISE},
    {"keyctl", {N(0), N(-1), N(0)}, EPERM, OTHERWISE},
    {"personality", {N(0xffffffff)}, EPERM, OTHERWISE},
#if defined SYS_open
    {"mknod", {path, N(S_IFIFO | 0600), N(0)}, EPERM, OTHERWISE},
    {"chmod", {path, N(0600)}, EPERM, OTHERWISE},
    {"chown", {path, N(-1), N(-1)}, EPERM, OTHERWISE},
    {"lchown", {path, N(-1), N(-1)}, EPERM, OTHERWISE},
    {"utime", {path, NULL}, EPERM, OTHERWISE},
    {"utimes", {path, NULL}, EPERM, OTHERWISE},
    {"futimesat", {HERE, path, NULL}, EPERM, OTHERWISE},
    {"iopl", {N(0)}, EPERM, OTHERWISE},
    {"ioperm", {N(0), N(1), N(0)}, EPERM, OTHERWISE},
    {"modify_ldt", {N(0), room, N(0)}, EPERM, OTHERWISE},
    {"open", {path, N(O_RDONLY)}, 0, OTHERWISE},
#endif
};
/* clang-format on */

/* ---- in a process of its own ---- */

/* What the call says there: 0, an error, or KILLED and the signal. */
static int ends(const struct sandbox_program *program, long number, const void *const *arguments)
{
    pid_t pid = fork();
    int status;

    if (!pid) {
        /* What it hangs up is its own, and what it waits for ends. */
        setsid();
        alarm(20);
        memset(room, 0, sizeof room);
        memset(all_ones, 0xff, sizeof all_ones);
        dup2(open(path, O_RDWR), 0);
        if (program && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || hf_sandbox_enter_filter(program)))
            _exit(255);
        status = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                         arguments[4], arguments[5]) < 0
                     ? errno
                     : 0;
        _exit(status);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED + WTERMSIG(status);
}

static bool is_privileged(void)
{
    const void *arguments[6] = {N(CLONE_NEWNS)};

    return !ends(NULL, SYS_unshare, arguments);
}

static long number_of(const char *name)
{
    for (size_t i = 0; i < hf_n_sandbox_calls; i++)
        if (!strcmp(hf_sandbox_calls[i].name, name))
            return hf_sandbox_calls[i].number;
    fail_msg("%s is not in the table", name);
    return -1;
}

static void check(const struct sandbox_program *program, const struct attempt *attempt,
                  bool privileged)
{
    long number = number_of(attempt->call);
    int outside = ends(NULL, number, attempt->arguments);
    int inside = ends(program, number, attempt->arguments);

    if (!attempt->error && inside != outside)
        fail_msg("%s: %s inside, %s outside", attempt->call, strerror(inside), strerror(outside));
    if (attempt->error && inside != attempt->error)
        fail_msg("%s: %s (%d), and not %s", attempt->call, strerror(inside), inside,
                 strerror(attempt->error));
    if (attempt->error && outside == attempt->error &&
        (attempt->control == OTHERWISE || (attempt->control == PRIVILEGED && privileged)))
        fail_msg("%s: %s outside too, which shows nothing", attempt->call, strerror(outside));
}

static void write_filter(struct sandbox_program *program, bool connect, bool connect_unix,
                         int landlock)
{
    struct sandbox_wish wish = {.connect = connect, .connect_unix = connect_unix};

    assert_true(hf_sandbox_write_filter(program, &wish, landlock));
}

/* With all left that can be: what is refused here is refused always. */
static void refuses_each_call(void **state)
{
    static struct sandbox_program program;
    bool privileged = is_privileged();

    (void)state;
    write_filter(&program, true, true, LANDLOCK);
    for (size_t i = 0; i < COUNT_OF(attempts); i++)
        check(&program, &attempts[i], privileged);
}

static bool refuses(const struct sandbox_call *row, const struct attempt *attempt)
{
    uint32_t value = (uint32_t)(uintptr_t)attempt->arguments[row->argument];

    switch (row->test) {
    case SANDBOX_HAS_BITS:
        return value & row->value;
    case SANDBOX_EQUALS:
        return value == row->value;
    case SANDBOX_DIFFERS:
        return value != row->value;
    case SANDBOX_OUTSIDE:
        value &= row->mask;
        return value >= 32 || !(row->value >> value & 1);
    default:
        return true;
    }
}

static void has_an_attempt_for_each_refusal(void **state)
{
    (void)state;
    for (size_t i = 0; i < hf_n_sandbox_calls; i++) {
        const struct sandbox_call *row = &hf_sandbox_calls[i];
        bool shown = !row->error || row->when != SANDBOX_ALWAYS;

        for (size_t a = 0; !shown && a < COUNT_OF(attempts); a++)
            shown = attempts[a].error == row->error && !strcmp(attempts[a].call, row->name) &&
                    refuses(row, &attempts[a]);
        if (!shown)
            fail_msg("no attempt shows that row %zu refuses %s", i, row->name);
    }
}

/* ---- what depends on what has been left ---- */

enum { NONE, INTERNET, UNIX, BOTH, OLD, KINDS };

static void refuses_what_has_not_been_left(void **state)
{
    static const struct {
        const char *call;
        const void *arguments[6];
        int errors[KINDS];
    } rows[] = {
        {"socket", {N(AF_INET), N(SOCK_STREAM)}, {EPERM, 0, EPERM, 0, EPERM}},
        {"socket", {N(AF_INET), N(SOCK_DGRAM)}, {EPERM, 0, EPERM, 0, EPERM}},
        {"socket", {N(AF_INET6), N(SOCK_STREAM)}, {EPERM, 0, EPERM, 0, EPERM}},
        {"socket", {N(AF_UNIX), N(SOCK_STREAM)}, {EPERM, EPERM, 0, 0, EPERM}},
        {"socket", {N(AF_UNIX), N(SOCK_DGRAM)}, {EPERM, EPERM, 0, 0, EPERM}},
        {"socket", {N(AF_NETLINK), N(SOCK_RAW)}, {EPERM, EPERM, EPERM, EPERM, EPERM}},
        {"connect", {N(-1), NULL, N(0)}, {EPERM, 0, 0, 0, EPERM}},
        {"bind", {N(-1), NULL, N(0)}, {EPERM, EPERM, EPERM, EPERM, EPERM}},
        {"listen", {N(-1), N(1)}, {EPERM, EPERM, EPERM, EPERM, EPERM}},
        {"truncate", {path, N(0)}, {0, 0, 0, 0, EPERM}},
    };
    static struct sandbox_program program;

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        write_filter(&program, kind == INTERNET || kind == BOTH, kind == UNIX || kind == BOTH,
                     kind == OLD ? 2 : LANDLOCK);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            struct attempt attempt = {.call = rows[i].call, .error = rows[i].errors[kind]};

            memcpy(attempt.arguments, rows[i].arguments, sizeof attempt.arguments);
            check(&program, &attempt, true);
        }
    }
}

/* ---- what the table does not have ---- */

/* Of x86_64: they end whoever makes them, and no filter is asked; only a probe's own code may. */
enum { URETPROBE = 335, UPROBE = 336 };

static bool is_known(long number)
{
    if (number == URETPROBE || number == UPROBE)
        return true;
    for (size_t i = 0; i < hf_n_sandbox_calls; i++)
        if (hf_sandbox_calls[i].number == number)
            return true;
    return false;
}

/* As if the kernel did not have them: also those that came after the table was written, by which
 * the same could be done as by those that it refuses. */
static void hides_what_it_does_not_know(void **state)
{
    enum { FCHMODAT2 = 452, SETXATTRAT = 463, REMOVEXATTRAT = 466, FILE_SETATTR = 469 };
    static const struct {
        long number;
        const void *arguments[6];
    } rows[] = {
        {FCHMODAT2, {HERE, path, N(0600), N(0)}},
        {SETXATTRAT, {HERE, path, N(0), "user.a", room, N(16)}},
        {REMOVEXATTRAT, {HERE, path, N(0), "user.a"}},
        {FILE_SETATTR, {HERE, path, room, N(24), N(0)}},
#if defined __x86_64__
        {0x40000000 | SYS_getpid, {NULL}}, /* x32 */
#endif
    };
    static const void *const nothing[6] = {N(-1), N(-1), N(-1), N(-1), N(-1), N(-1)};
    static struct sandbox_program program;

    (void)state;
    write_filter(&program, true, true, LANDLOCK);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (ends(&program, rows[i].number, rows[i].arguments) != ENOSYS)
            fail_msg("call %ld is there", rows[i].number);
    for (long number = 0; number < NUMBERS; number++)
        if (!is_known(number) && ends(&program, number, nothing) != ENOSYS)
            fail_msg("call %ld is there", number);
}

#if defined __x86_64__
/* The numbers of another machine, by the way into the kernel that it has: 20 is getpid there, and
 * writev here. */
static void ends_a_process_that_speaks_another_way(void **state)
{
    static struct sandbox_program program;
    int status;
    pid_t pid;

    (void)state;
    write_filter(&program, true, true, LANDLOCK);
    pid = fork();
    if (!pid) {
        long answer = 20;

        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || hf_sandbox_enter_filter(&program))
            _exit(255);
        signal(SIGSEGV, SIG_DFL);
        __asm__ volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    /* A kernel without that way in does not get as far as the filter. */
    assert_true(WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV);
}
#endif

/* ---- signals ---- */

enum target { PARENT, SELF, GROUP, OTHER_GROUP, OWN_GROUP, EVERYBODY };

/* What a process that has entered the filter of a call can still send, and to whom. */
static int send_from(long call, enum target to, bool filtered)
{
    struct sandbox_program program;
    siginfo_t info = {.si_code = SI_QUEUE};
    pid_t parent = getppid(), own = getpid();
    const pid_t targets[] = {[PARENT] = parent,       [SELF] = own,       [GROUP] = 0,
                             [OTHER_GROUP] = -parent, [OWN_GROUP] = -own, [EVERYBODY] = -1};
    pid_t target = targets[to];

    setpgid(0, 0);
    hf_sandbox_write_signals(&program, own, true);
    if (filtered && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || hf_sandbox_enter_filter(&program)))
        return 255;
    if (call == SYS_rt_sigqueueinfo)
        return syscall(call, target, 0, &info) < 0 ? errno : 0;
    if (call == SYS_rt_tgsigqueueinfo)
        return syscall(call, target, target, 0, &info) < 0 ? errno : 0;
    if (call == SYS_tgkill)
        return syscall(call, target, target, 0) < 0 ? errno : 0;
    return syscall(call, target, 0, 0) < 0 ? errno : 0;
}

static int sends(long call, enum target to, bool filtered)
{
    pid_t pid = fork();
    int status;

    if (!pid)
        _exit(send_from(call, to, filtered));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED;
}

static void keeps_signals_to_itself(void **state)
{
    static const struct {
        long call;
        enum target to;
        int error;
    } rows[] = {
        {SYS_kill, PARENT, EPERM},
        {SYS_kill, OTHER_GROUP, EPERM},
        {SYS_kill, EVERYBODY, EPERM},
        {SYS_kill, SELF, 0},
        {SYS_kill, GROUP, 0},
        {SYS_kill, OWN_GROUP, 0},
        {SYS_tkill, PARENT, EPERM},
        {SYS_tkill, SELF, 0},
        {SYS_tgkill, PARENT, EPERM},
        {SYS_tgkill, SELF, 0},
        {SYS_rt_sigqueueinfo, PARENT, EPERM},
        {SYS_rt_sigqueueinfo, SELF, 0},
        {SYS_rt_tgsigqueueinfo, PARENT, EPERM},
        {SYS_rt_tgsigqueueinfo, SELF, 0},
        {SYS_setsid, PARENT, EPERM},
        {SYS_setpgid, GROUP, EPERM},
        {SYS_getpgid, GROUP, 0},
    };

    (void)state;
    /* The group of the parent is that of whoever started the test. */
    assert_true(!setpgid(0, 0) || getsid(0) == getpid());
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int inside = sends(rows[i].call, rows[i].to, true);

        if (inside != rows[i].error)
            fail_msg("row %zu: %s", i, strerror(inside));
        if (rows[i].call != SYS_setsid && sends(rows[i].call, rows[i].to, false))
            fail_msg("row %zu is refused anyhow", i);
    }
}

/* ---- the documentation ---- */

/* Whether a line of the table in the page has the name in that column: 2 for what is allowed, 3
 * for what is not. */
static bool has_in_column(const char *page, const char *name, int column)
{
    char quoted[64];

    snprintf(quoted, sizeof quoted, "`%s`", name);
    for (const char *at = page; (at = strstr(at, quoted)); at++) {
        int bars = 0;

        for (const char *c = at; c > page && *c != '\n'; c--)
            bars += *c == '|';
        if (bars == column)
            return true;
    }
    return false;
}

#if defined __x86_64__
static bool allows(const char *name, size_t size)
{
    for (size_t i = 0; i < hf_n_sandbox_calls; i++)
        if (!hf_sandbox_calls[i].error && strlen(hf_sandbox_calls[i].name) == size &&
            !memcmp(hf_sandbox_calls[i].name, name, size))
            return true;
    return false;
}

/* Other machines do not have all of them. */
static void check_allowed(const char *page)
{
    const char *line = strstr(page, "\n| open descriptors |"), *at, *end;

    assert_non_null(line);
    for (; line[1] == '|'; line = strchr(line + 1, '\n')) {
        at = strchr(strchr(line, '|') + 1, '|');
        end = strchr(at + 1, '|');
        while ((at = strchr(at, '`')) && at < end) {
            size_t size = strcspn(++at, "`");

            if (!allows(at, size) && strncmp(at, "riscv_", 6))
                fail_msg("docs/sandbox.md allows %.*s", (int)size, at);
            at += size + 1;
        }
    }
}
#endif

static void is_documented(void **state)
{
    static char page[PAGE_TEXT];
    FILE *file = fopen("docs/sandbox.md", "r");
    size_t size;

    (void)state;
    assert_non_null(file);
    size = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof page - 1);
    for (size_t i = 0; i < hf_n_sandbox_calls; i++)
        if (!has_in_column(page, hf_sandbox_calls[i].name, hf_sandbox_calls[i].error ? 3 : 2))
            fail_msg("docs/sandbox.md does not say of %s that it is %s", hf_sandbox_calls[i].name,
                     hf_sandbox_calls[i].error ? "refused" : "allowed");
#if defined __x86_64__
    check_allowed(page);
#endif
}

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_each_call),
        cmocka_unit_test(has_an_attempt_for_each_refusal),
        cmocka_unit_test(refuses_what_has_not_been_left),
        cmocka_unit_test(hides_what_it_does_not_know),
#if defined __x86_64__
        cmocka_unit_test(ends_a_process_that_speaks_another_way),
#endif
        cmocka_unit_test(keeps_signals_to_itself),
        cmocka_unit_test(is_documented),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}

#else

int main(void)
{
    return 77;
}

#endif
