/* test_sandbox.c - what a handler can still do in the sandbox, one deed a row: each is tried over
 * the wire, says what came of it, and the server goes on. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <haft.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "process/deeds.h"
#include "process/sandbox.h"
#include "support/child.h"
#include "support/test.h"

HAFT_STRUCT(attempt_args, HAFT_STRING(deed, "What to do"), HAFT_STRING(path, "To what"));

static int attempt(haft_call *call, const attempt_args *in)
{
    for (size_t i = 0; i < n_deeds; i++)
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
         "server: sandbox: threads that are already running would not be sandboxed\n"},
#if HAFT_HTTP
        {{.arguments = {"--otlp", "http://127.0.0.1:1/"}},
         "server: --otlp: with --sandbox, --otlp requires --sandbox-connect\n"},
        {{.arguments = {"--store", "redis://127.0.0.1:1/0"}},
         "server: --store: with --sandbox, --store requires --sandbox-connect\n"},
        {{.arguments = {"--store", "redis+unix:///nowhere/redis", "--sandbox-connect"}},
         "server: --store: with --sandbox, --store requires --sandbox-connect-unix\n"},
        {{.arguments = {"--http", "127.0.0.1:0"}, .threaded = true},
         "server: sandbox: threads that are already running would not be sandboxed\n"},
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
