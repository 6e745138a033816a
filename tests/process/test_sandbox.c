/* test_sandbox.c - what a handler can still do in the sandbox, one deed a row: each is tried over
 * the wire, says what came of it, and the server goes on. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <haft.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

#include "process/sandbox.h"
#include "support/child.h"
#include "support/test.h"

/* ---- deeds: 0, or what the system says ---- */

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

static void name_socket(struct sockaddr_un *address, const char *path)
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

static const struct deed {
    const char *name;
    int (*act)(const char *path);
} deeds[] = {
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

HAFT_STRUCT(attempt_args, HAFT_STRING(deed, "What to do"), HAFT_STRING(path, "To what"));

static int attempt(haft_call *call, const attempt_args *in)
{
    for (size_t i = 0; i < COUNT_OF(deeds); i++)
        if (!strcmp(deeds[i].name, in->deed))
            return haft_text(call, "%d", deeds[i].act(in->path));
    return haft_text(call, "?");
}
HAFT_TOOL_IN(attempt, attempt_args, "Tries");

/* In a process of its own. */
static int attempt_apart(haft_call *call, const attempt_args *in)
{
    return attempt(call, in);
}
HAFT_TOOL_IN(attempt_apart, attempt_args, "Tries apart", .isolate = true);

/* ---- a server in the sandbox ---- */

static char directory[64]; /* with a file in each of: open, kept, hidden */

struct program {
    const char *arguments[12];
    bool threaded; /* has a thread before it is confined */
    bool isolates; /* its tool runs in processes */
};

static void *wait_for_ever(void *context)
{
    pause();
    return context;
}

static int run(void *context)
{
    const struct program *program = context;
    haft_server *server = haft_server_new("test", "1");
    char *argv[16] = {"server", "--sandbox"};
    int argc = 2;
    pthread_t thread;

    haft_add(server, &attempt_tool);
    if (program->isolates)
        haft_add(server, &attempt_apart_tool);
    for (int i = 0; program->arguments[i]; i++)
        argv[argc++] = (char *)(uintptr_t)program->arguments[i];
    if (program->threaded && pthread_create(&thread, NULL, wait_for_ever, NULL))
        return 99;
    return haft_main(server, argc, argv);
}

static char *path_of(const char *name, char ret_path[128])
{
    snprintf(ret_path, 128, "%s%s%s", *name == '/' ? "" : directory, *name == '/' ? "" : "/", name);
    return ret_path;
}

/* What came of it, or -1 when that is not known. */
static int ask(struct child *child, bool apart, const char *deed, const char *path)
{
    char line[512], place[128];
    const char *answer, *text;

    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
             "\"attempt%s\",\"arguments\":{\"deed\":\"%s\",\"path\":\"%s\"}}}\n",
             apart ? "_apart" : "", deed, path_of(path, place));
    child_puts(child, line);
    answer = child_line(child);
    text = strstr(answer, "\"text\":\"");
    return text ? (int)strtol(text + 8, NULL, 10) : -1;
}

struct row {
    const char *deed, *path;
    int expected;
};

static void try_all(const struct program *program, const struct row *rows, size_t n)
{
    struct program copy = *program;
    struct child child;

    child_start(&child, run, &copy);
    /* Nobody reads what its processes complain of, as they do when they cannot write down their
     * counts. */
    fcntl(child.error, F_SETPIPE_SZ, 1 << 20);
    for (size_t i = 0; i < n; i++) {
        int found = ask(&child, program->isolates, rows[i].deed, rows[i].path);

        if (found != rows[i].expected)
            fail_msg("%s %s: %s, and not %s", rows[i].deed, rows[i].path, strerror(found),
                     strerror(rows[i].expected));
    }
    child_end(&child);
    assert_true(child_is_silent(&child));
    assert_int_equal(child_wait(&child), 0);
}

/* Where files are for everybody, these would be allowed; what is not there says so. */
static void takes_everything_away(void **state)
{
    static const struct row rows[] = {
        {"read", "/etc/passwd", EACCES},
        {"read", "hidden/file", EACCES},
        {"read", "/proc/self/environ", EACCES},
        {"list", "/", EACCES},
        {"write", "hidden/file", EACCES},
        {"create", "hidden/new", EACCES},
        {"truncate", "hidden/file", EACCES},
        {"unlink", "hidden/file", EACCES},
        {"read", "/dev/null", 0},
        {"write", "/dev/null", 0},
        {"socket", "", EPERM},
        {"connect", "", EPERM},
        {"bind", "", EPERM},
        {"exec", "", EPERM},
        {"trace", "", EPERM},
        {"mount", "open", EPERM},
        {"bpf", "", EPERM},
        {"unshare", "", EPERM},
        {"namespace", "", EPERM},
        {"ring", "", ENOSYS},
        {"fork", "", 0},
        {"thread", "", 0},
        {"mode", "hidden/file", EPERM},
        {"owner", "hidden/file", EPERM},
        {"times", "hidden/file", EPERM},
        {"attribute", "hidden/file", EPERM},
        {"limit", "", EPERM},
        {"priority", "", EPERM},
        {"affinity", "", EPERM},
        {"signal", "", EPERM},
        {"own signal", "", 0},
        {"peek", "", EPERM},
        {"clock", "", EPERM},
        {"connect unix", "stream", EPERM},
        {"send unix", "datagram", EPERM},
    };

    (void)state;
    try_all(&(struct program){.arguments = {NULL}}, rows, COUNT_OF(rows));
}

static void leaves_what_is_listed(void **state)
{
    static const struct row rows[] = {
        {"read", "open/file", 0},
        {"list", "open", 0},
        {"write", "open/file", EACCES},
        {"create", "open/new", EACCES},
        {"truncate", "open/file", EACCES},
        {"unlink", "open/file", EACCES},
        {"read", "open/../hidden/file", EACCES},
        {"read", "open/way-out", EACCES},
        {"read", "kept/file", 0},
        {"write", "kept/file", 0},
        {"create", "kept/new", 0},
        {"link", "kept/link", EACCES},
        {"truncate", "kept/file", 0},
        {"unlink", "kept/file", 0},
        {"read", "single", 0},
        {"write", "single", EACCES},
        {"list", "", EACCES},
        {"read", "opened", EACCES},
        {"connect", "", EPERM},
    };
    char readable[128], single[128], writable[128];

    (void)state;
    try_all(&(struct program){.arguments = {"--sandbox-read", path_of("open", readable),
                                            "--sandbox-read", path_of("single", single),
                                            "--sandbox-write", path_of("kept", writable)},
                              false},
            rows, COUNT_OF(rows));
}

static void leaves_connections(void **state)
{
    static const struct row rows[] = {
        {"socket", "", 0},
        {"connect", "", ECONNREFUSED},
        {"bind", "", EPERM},
        {"exec", "", EPERM},
        {"read", "/etc/passwd", EACCES},
        {"bind datagram", "", EPERM},
        {"connect unix", "stream", EPERM},
        {"send unix", "datagram", EPERM},
    };

    (void)state;
    try_all(&(struct program){.arguments = {"--sandbox-connect"}}, rows, COUNT_OF(rows));
}

static void leaves_unix_sockets(void **state)
{
    static const struct row rows[] = {
        {"connect unix", "stream", 0},
        {"send unix", "datagram", EPERM},
        {"socket", "", EPERM},
        {"bind", "", EPERM},
    };

    (void)state;
    try_all(&(struct program){.arguments = {"--sandbox-connect-unix"}}, rows, COUNT_OF(rows));
}

/* What isolated tools are forked from gives up the same. */
static void confines_isolated_tools(void **state)
{
    static const struct row rows[] = {
        {"read", "/etc/passwd", EACCES},
        {"write", "hidden/file", EACCES},
        {"socket", "", EPERM},
        {"connect", "", EPERM},
        {"exec", "", EPERM},
        {"fork", "", 0},
        {"read", "open/file", 0},
        {"mode", "open/file", EPERM},
        {"limit", "", EPERM},
        {"signal", "", EPERM},
        {"own signal", "", 0},
        {"peek", "", EPERM},
        {"leave", "", EPERM},
        {"linger", "open/file", 0},
        {"lock", "open/file", 0},
    };
    char readable[128];

    (void)state;
    try_all(&(struct program){.arguments = {"--sandbox-read", path_of("open", readable)},
                              .isolates = true},
            rows, COUNT_OF(rows));
}

#if HAFT_HTTP
/* Its own socket it keeps, on every thread that serves. */
static void serves_http(void **state)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"attempt\",\"arguments\":{\"deed\":\"read\",\"path\":\"/etc/passwd\"}}}";
    struct program program = {.arguments = {"--http", "127.0.0.1:0", "--threads", "2"}};
    char said[1024] = "", request[1024], expected[32];
    struct child child;

    (void)state;
    child_start(&child, run, &program);
    for (int64_t end = milliseconds() + 10000; !strstr(said, "/mcp"); sleep_ms(1)) {
        assert_true(milliseconds() < end);
        if (read(child.error, said + strlen(said), sizeof said - 1 - strlen(said)) == 0)
            fail_msg("it ended, and said %s", said);
    }
    snprintf(request, sizeof request,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
             sizeof body - 1, body);
    snprintf(expected, sizeof expected, "\"text\":\"%d\"", EACCES);
    for (int i = 0; i < 16; i++) {
        struct sockaddr_in address = {.sin_family = AF_INET};
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        char answer[2048] = "";
        ssize_t n = 0, more;

        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons((uint16_t)strtol(strstr(said, "127.0.0.1:") + 10, NULL, 10));
        assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
        assert_int_equal(write(fd, request, strlen(request)), strlen(request));
        while ((more = read(fd, answer + n, sizeof answer - 1 - (size_t)n)) > 0)
            n += more;
        close(fd);
        if (!strstr(answer, expected))
            fail_msg("answered %s", answer);
    }
    kill(child.pid, SIGTERM);
    assert_int_equal(child_wait(&child), 0);
}
#endif

/* All that it says on standard error. */
static void read_error(const struct child *child, char *text, size_t size)
{
    int64_t end = milliseconds() + 10000;
    size_t used = 0;
    ssize_t n;

    while ((n = read(child->error, text + used, size - 1 - used)) != 0) {
        assert_true(milliseconds() < end);
        used += n > 0 ? (size_t)n : 0;
        if (n < 0)
            sleep_ms(1);
    }
    text[used] = '\0';
}

/* The program ends before it serves, and says why, once. */
static void refuses_to_start(void **state)
{
    static const struct {
        struct program program;
        const char *says;
    } rows[] = {
        {{.arguments = {"--sandbox-read", "/nowhere"}},
         "server: /nowhere: No such file or directory\n"},
        {{.arguments = {"--sandbox-write", "/nowhere"}},
         "server: /nowhere: No such file or directory\n"},
        {{.arguments = {"--sandbox=best-effort", "--sandbox-read", "/nowhere"}},
         "server: /nowhere: No such file or directory\n"},
        {{.arguments = {NULL}, .threaded = true},
         "server: sandbox: threads that run already would not be in it\n"},
#if HAFT_HTTP
        {{.arguments = {"--otlp", "http://127.0.0.1:1/"}},
         "server: --otlp: in a sandbox it needs --sandbox-connect\n"},
        {{.arguments = {"--http", "127.0.0.1:0"}, .threaded = true},
         "server: sandbox: threads that run already would not be in it\n"},
#endif
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct program program = rows[i].program;
        char error[1024];
        struct child child;

        child_start(&child, run, &program);
        assert_true(child_is_silent(&child));
        read_error(&child, error, sizeof error);
        if (strcmp(error, rows[i].says))
            fail_msg("row %zu: %s", i, error);
        assert_int_equal(child_wait(&child), 1);
    }
}

/* With threads outside, and with one that sends spans. */
static void makes_do(void **state)
{
    static const struct row rows[] = {{"read", "/etc/passwd", EACCES}, {"exec", "", EPERM}};
    static const struct program programs[] = {
        {.arguments = {"--sandbox=best-effort"}, .threaded = true},
#if HAFT_HTTP
        {.arguments = {"--sandbox-connect", "--otlp", "http://127.0.0.1:1/"}, .isolates = true},
#endif
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(programs); i++)
        try_all(&programs[i], rows, COUNT_OF(rows));
}

/* ---- without entering ---- */

static void opens_what_is_listed(void **state)
{
    const struct {
        struct sandbox_wish wish;
        int status;
        const char *path; /* that is complained of */
    } rows[] = {
        {{.best_effort = false}, 0, ""},
        {{.connect = true, .isolates = true, .threads = 2}, 0, ""},
        {{.read = (const char *[]){"/", "/dev/null", NULL}}, 0, ""},
        {{.write = (const char *[]){"/tmp", NULL}}, 0, ""},
        {{.read = (const char *[]){"/nowhere", NULL}}, HAFT_EINVAL, "/nowhere"},
        {{.write = (const char *[]){"/tmp", "/nowhere", NULL}}, HAFT_EINVAL, "/nowhere"},
        {{.read = (const char *[]){"", NULL}, .best_effort = true}, HAFT_EINVAL, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct sandbox sandbox;
        haft_reason reason = {0};
        int before = dup(0), after;

        assert_int_equal(hf_sandbox_open(&sandbox, &rows[i].wish, &reason), rows[i].status);
        assert_int_equal(reason.code, rows[i].status);
        assert_string_equal(reason.path, rows[i].path);
        assert_string_equal(sandbox.lacks, "");
        hf_sandbox_close(&sandbox);
        hf_sandbox_close(&sandbox);
        /* No descriptor is left. */
        close(before);
        after = dup(0);
        assert_int_equal(after, before);
        close(after);
    }
}

/* ---- all of it ---- */

static void put_file(const char *name)
{
    char path[128];
    int fd = open(path_of(name, path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "text\n", 5), 5);
    close(fd);
}

/* One that somebody else has; it goes with the test. */
static void put_socket(const char *name, int type)
{
    struct sockaddr_un address;
    char path[128];
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

    name_socket(&address, path_of(name, path));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_true(type == SOCK_DGRAM || !listen(fd, 100));
}

static int set_up(void **state)
{
    static const char *const names[] = {"open", "kept", "hidden"};
    char path[128], file[64];

    (void)state;
    snprintf(directory, sizeof directory, "/tmp/haft-sandbox-XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(mkdir(path_of(names[i], path), 0700), 0);
        snprintf(file, sizeof file, "%s/file", names[i]);
        put_file(file);
    }
    put_file("single");
    put_file("opened");
    put_socket("stream", SOCK_STREAM);
    put_socket("datagram", SOCK_DGRAM);
    return symlink("../hidden/file", path_of("open/way-out", path));
}

static int tear_down(void **state)
{
    static const char *const names[] = {"open/file", "open/way-out", "kept/file", "hidden/file",
                                        "single",    "opened",       "stream",    "datagram",
                                        "open",      "kept",         "hidden",    ""};
    char path[128];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        remove(path_of(names[i], path));
    return 0;
}

/* A kernel without Landlock, or a checker that has threads of its own. */
static bool can_be_tried(void)
{
#if defined __SANITIZE_THREAD__
    return false;
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
    return false;
#endif
#endif
    return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 3;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_everything_away),
        cmocka_unit_test(leaves_what_is_listed),
        cmocka_unit_test(leaves_connections),
        cmocka_unit_test(leaves_unix_sockets),
#if HAFT_HTTP
        cmocka_unit_test(serves_http),
#endif
        cmocka_unit_test(refuses_to_start),
        cmocka_unit_test(confines_isolated_tools),
        cmocka_unit_test(makes_do),
        cmocka_unit_test(opens_what_is_listed),
    };

    if (!can_be_tried())
        return 77;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
