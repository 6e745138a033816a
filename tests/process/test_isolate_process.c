/* test_isolate_process.c - the process of an isolated call: what it has of the server's, which is
 * nothing that it does not need, and what is left of it, which is nothing. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <haft.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/app.h"
#include "process/isolate.h"
#include "config/option.h"
#include "process/sandbox.h"
#include "process/sandbox_calls.h"
#include "config/seal_file.h"
#include "support/child.h"
#include "support/test.h"

enum { KEY = 32, WAIT_MS = 20000 };

/* ---- descriptors ---- */

/* One line for each: its number, what it is, whether a program that is started would have it. */
static int lists(haft_call *call)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;
    char text[1024] = "";
    struct stat about;

    if (!directory)
        return HAFT_EINVAL;
    while ((entry = readdir(directory))) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        size_t used = strlen(text);

        if (entry->d_name[0] == '.' || fd == dirfd(directory) || fstat(fd, &about))
            continue;
        snprintf(text + used, sizeof text - used, "%d%s%s ", fd,
                 S_ISSOCK(about.st_mode)   ? "s"
                 : S_ISFIFO(about.st_mode) ? "p"
                 : S_ISREG(about.st_mode)  ? "f"
                                           : "",
                 fd > 2 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC) ? "!" : "");
    }
    closedir(directory);
    return haft_text(call, "%s", text);
}
HAFT_TOOL_BARE(lists, "Lists its descriptors", .isolate = true);

/* Whatever the server has open, and whether it says that programs shall not have it. */
static void has_only_its_own_descriptors(void **state)
{
    static const int numbers[] = {3, 4, 5, 6, 20, 200};
    int there[COUNT_OF(numbers)], error = dup(2), log = open("/dev/null", O_WRONLY);
    haft_server *server = haft_server_new("descriptors", "1");
    haft_client *client;
    haft_result result;

    (void)state;
    /* What is standard error here may be anything. */
    assert_int_equal(dup2(log, 2), 2);
    close(log);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        int file = open("/proc/self/exe", O_RDONLY);

        there[i] = fcntl(file, F_DUPFD, numbers[i]);
        close(file);
    }
    assert_int_equal(haft_add(server, &lists_tool), 0);
    client = haft_client_new(server, NULL);
    /* The second has the first one's fork server, and what it has opened since. */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(haft_client_call(client, "lists", "{}", &result), 0);
        assert_string_equal(result.text, "0 1 2 3s 4p 5p ");
    }
    haft_client_free(client);
    haft_server_free(server);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        close(there[i]);
    dup2(error, 2);
    close(error);
}

/* ---- the key that seals unfinished calls ---- */

/* Nobody has the key itself in memory but who has read it from its file. */
static unsigned char key_byte(size_t i)
{
    return (unsigned char)(i * 37 + 11 + (i >> 3));
}

static char key_digit(size_t i)
{
    return "0123456789abcdef"[i & 1 ? key_byte(i / 2) & 15 : key_byte(i / 2) >> 4];
}

static void write_key(const char *path)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    for (size_t i = 0; i < (size_t)2 * KEY; i++) {
        char digit = key_digit(i);

        assert_int_equal(write(fd, &digit, 1), 1);
    }
    close(fd);
}

/* Half of a key would do, as would what it is mixed with for a digest. */
static bool is_key(const unsigned char *at)
{
    static const unsigned char masks[] = {0, 0x36, 0x5c};
    size_t n;

    for (size_t m = 0; m < COUNT_OF(masks); m++) {
        for (n = 0; n < KEY / 2 && at[n] == (key_byte(n) ^ masks[m]); n++)
            ;
        if (n == KEY / 2)
            return true;
        for (n = 0; n < KEY / 2 && at[n] == (key_byte(KEY / 2 + n) ^ masks[m]); n++)
            ;
        if (n == KEY / 2)
            return true;
    }
    for (n = 0; n < KEY && at[n] == (unsigned char)key_digit(n); n++)
        ;
    return n == KEY;
}

/* How often it is in what lies between two addresses. */
static unsigned count_keys(int memory, unsigned long from, unsigned long to)
{
    enum { PART = 1 << 16, OVER = 2 * KEY };
    static unsigned char part[PART + OVER];
    unsigned found = 0;
    ssize_t n;

    for (; from < to; from += PART) {
        size_t size = to - from < sizeof part ? to - from : sizeof part;

        n = pread(memory, part, size, (off_t)from);
        for (ssize_t i = 0; i + KEY <= n && i < PART; i++)
            found += is_key(part + i);
    }
    memset(part, 0, sizeof part);
    return found;
}

static int searches(haft_call *call)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    unsigned found = 0, searched = 0;
    char line[512];

    while (maps && memory >= 0 && fgets(line, sizeof line, maps)) {
        unsigned long from = strtoul(line, NULL, 16);
        unsigned long to = strtoul(strchr(line, '-') + 1, NULL, 16);

        /* What is larger is a sanitizer's own. */
        if (to - from > 64ul << 20 || !strstr(line, " rw"))
            continue;
        found += count_keys(memory, from, to);
        searched++;
    }
    if (maps)
        fclose(maps);
    close(memory);
    return haft_text(call, "%s", !searched ? "nothing searched" : found ? "found" : "not there");
}
/* Seconds with a sanitizer, and many of them beside other work. */
HAFT_TOOL_BARE(searches, "Looks for the key in its memory", .isolate = true, .timeout_ms = 120000);

static void has_no_key(void **state)
{
    haft_server *server = haft_server_new("key", "1");
    haft_tool here = searches_tool;
    char path[] = "/tmp/haft-key-XXXXXX";
    haft_client *client;
    haft_result result;

    (void)state;
    close(mkstemp(path));
    write_key(path);
    assert_int_equal(hf_seal_file_read(server, path), 0);
    here.name = "searches_here";
    here.isolate = false;
    assert_int_equal(haft_add(server, &searches_tool), 0);
    assert_int_equal(haft_add(server, &here), 0);
    client = haft_client_new(server, NULL);
    assert_int_equal(haft_client_call(client, "searches_here", "{}", &result), 0);
    assert_string_equal(result.text, "found");
    assert_int_equal(haft_client_call(client, "searches", "{}", &result), 0);
    assert_string_equal(result.text, "not there");
    haft_client_free(client);
    haft_server_free(server);
    unlink(path);
}

/* Several servers of one command line have the key of one file. */
static haft_server *endpoint_at(void *context, size_t i, const char **ret_path)
{
    haft_server **servers = context;

    *ret_path = "/mcp";
    return i < 3 ? servers[i] : NULL;
}

static void has_no_key_of_servers_beside_it(void **state)
{
    haft_server *own = haft_server_new("own", "1"), *one = haft_server_new("one", "1");
    haft_server *two = haft_server_new("two", "1"), *servers[] = {one, two, one};
    struct app app = {.endpoint = endpoint_at, .context = servers};
    struct program_settings program;
    char path[] = "/tmp/haft-key-XXXXXX";
    struct given given = {hf_option_by_flag("--seal-key-file"), path};
    struct complaints complaints;
    struct settings settings;
    haft_reason reason = {0};
    haft_client *client;
    haft_result result;

    (void)state;
    if (!HAFT_HTTP) { /* which is what several servers are hosted for, and what the option is of */
        haft_server_free(two);
        haft_server_free(one);
        haft_server_free(own);
        return;
    }
    close(mkstemp(path));
    write_key(path);
    hf_complaints_init(&complaints, NULL);
    assert_int_equal(hf_program_settings_init(&program, own), 0);
    assert_int_equal(hf_settings_load(&settings, &program, &given, 1, &complaints), 0);
    assert_int_equal(hf_app_prepare(&app, own, &settings, NULL, NULL, &reason), 0);
    assert_true(own->keys.has_seal && one->keys.has_seal && two->keys.has_seal);
    assert_int_equal(haft_add(two, &searches_tool), 0);
    client = haft_client_new(two, NULL);
    assert_int_equal(haft_client_call(client, "searches", "{}", &result), 0);
    assert_string_equal(result.text, "not there");
    haft_client_free(client);
    haft_server_free(two);
    haft_server_free(one);
    haft_server_free(own);
    hf_settings_finish(&settings);
    hf_complaints_finish(&complaints);
    unlink(path);
}

/* ---- what a call has started ---- */

HAFT_STRUCT(start_args, HAFT_STRING(how, "How the other process is started"),
            HAFT_STRING(then, "What the handler does then"), HAFT_STRING(path, "A file to lock"));

/* Holds the lock for as long as it lives. */
static void hold(const char *path, int ready)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_IGN);
    if (fd < 0 || flock(fd, LOCK_EX) || write(ready, "x", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void start(const char *how, const char *path, int ready)
{
    pid_t pid = fork();

    if (pid)
        return;
    if (!strcmp(how, "group"))
        setpgid(0, 0);
    if (!strcmp(how, "session") || !strcmp(how, "daemon"))
        setsid();
    if (!strcmp(how, "daemon") && fork())
        _exit(0);
    hold(path, ready);
}

static int starts(haft_call *call, const start_args *in)
{
    int ready[2];
    char byte;

    if (pipe2(ready, O_CLOEXEC))
        return HAFT_EINVAL;
    start(in->how, in->path, ready[1]);
    if (read(ready[0], &byte, 1) != 1)
        return HAFT_EINVAL;
    if (!strcmp(in->then, "crash"))
        raise(SIGSEGV);
    while (!strcmp(in->then, "loop"))
        pause();
    return haft_text(call, "started");
}
HAFT_TOOL_IN(starts, start_args, "Starts a process that stays", .isolate = true,
             .timeout_ms = 60000);

/* Whether nobody holds the lock any more, at last. */
static bool is_free(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC), status;
    int64_t end = milliseconds() + WAIT_MS;

    while ((status = flock(fd, LOCK_EX | LOCK_NB)) && milliseconds() < end)
        sleep_ms(5);
    close(fd);
    return !status;
}

static void leaves_no_process_behind(void **state)
{
    static const char *const ways[] = {"child", "group", "session", "daemon"};
    static const struct {
        const char *then, *text;
    } ends[] = {
        {"answer", "started"}, {"crash", "The tool crashed."}, {"loop", "timed out after 3 s"}};
    haft_server *server = haft_server_new("starts", "1");
    haft_tool brief = starts_tool;
    char path[] = "/tmp/haft-lock-XXXXXX", arguments[256];
    haft_client *client;
    haft_result result;

    (void)state;
    close(mkstemp(path));
    brief.name = "starts_briefly";
    brief.timeout_ms = 3000;
    assert_int_equal(haft_add(server, &starts_tool), 0);
    assert_int_equal(haft_add(server, &brief), 0);
    client = haft_client_new(server, NULL);
    for (size_t w = 0; w < COUNT_OF(ways); w++)
        for (size_t e = 0; e < COUNT_OF(ends); e++) {
            snprintf(arguments, sizeof arguments,
                     "{\"how\":\"%s\",\"then\":\"%s\",\"path\":\"%s\"}", ways[w], ends[e].then,
                     path);
            assert_int_equal(
                haft_client_call(client, strcmp(ends[e].then, "loop") ? "starts" : "starts_briefly",
                                 arguments, &result),
                0);
            assert_string_equal(result.text, ends[e].text);
            if (!is_free(path))
                fail_msg("a process (%s) outlives its call (%s)", ways[w], ends[e].then);
        }
    haft_client_free(client);
    haft_server_free(server);
    unlink(path);
}

/* ---- where a process could not be ended ---- */

#if SANDBOX_FILTERS
static int says(haft_call *call)
{
    return haft_text(call, "said");
}
HAFT_TOOL_BARE(says, "Says something", .isolate = true);

/* A server that gave up signals to others has nobody who could end a call that does not. */
static int serve_without_signals(void)
{
    struct sandbox_program program;
    haft_server *server = haft_server_new("confined", "1");
    haft_client *client = haft_client_new(server, NULL);
    haft_result result;
    int status;

    hf_sandbox_write_signals(&program, getpid(), false);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || hf_sandbox_enter_filter(&program) ||
        haft_add(server, &says_tool) || haft_client_call(client, "says", "{}", &result))
        return 2;
    status = strcmp(result.text, "The server is busy. Try again later.") != 0;
    haft_client_free(client);
    haft_server_free(server);
    return status;
}

static void is_refused_where_it_could_not_be_ended(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (!pid)
        _exit(serve_without_signals());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_only_its_own_descriptors),
        cmocka_unit_test(has_no_key),
        cmocka_unit_test(has_no_key_of_servers_beside_it),
        cmocka_unit_test(leaves_no_process_behind),
#if SANDBOX_FILTERS
        cmocka_unit_test(is_refused_where_it_could_not_be_ended),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
