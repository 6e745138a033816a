/* test_failing.c - clients while a system call fails: each wait ends, and nothing is left behind.
 *
 * Every try is a process that is forked for it, and whose calls fail as fault/shim.h says.  Its server is
 * another program, to which this does not apply. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <haft/connect.h>
#include <haft/part.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "fault/shim.h"
#include "support/tools.h"

enum { FAILING_SECONDS = 20, FAILING_MOST = 400 };

static const char *program;
static char *address;

static const struct failure {
    enum shim_call call;
    int error;
    bool forever;
    bool also_url; /* also of a client of a URL; libcurl does not survive all the others */
} failures[] = {
    {CALL_ALLOCATE, ENOMEM, false, false},  {CALL_READ, EINTR, false, true},
    {CALL_READ, EAGAIN, false, true},       {CALL_READ, EIO, false, true},
    {CALL_READ, SHORT_COUNT, false, true},  {CALL_READ, SHORT_COUNT, true, false},
    {CALL_WRITE, EINTR, false, true},       {CALL_WRITE, EAGAIN, false, true},
    {CALL_WRITE, EPIPE, false, true},       {CALL_WRITE, EIO, false, true},
    {CALL_WRITE, SHORT_COUNT, false, true}, {CALL_CLOSE, EINTR, false, true},
    {CALL_DESCRIPTOR, EMFILE, false, true}, {CALL_DESCRIPTOR, EMFILE, true, false},
    {CALL_OPTION, ENOMEM, false, true},     {CALL_EPOLL_CTL, ENOSPC, false, true},
    {CALL_EPOLL_WAIT, EINTR, false, true},  {CALL_POLL, EINTR, false, true},
    {CALL_FORK, EAGAIN, false, false},      {CALL_THREAD, EAGAIN, false, true},
};

static unsigned open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned n = 0;

    while (folder && readdir(folder))
        n++;
    closedir(folder);
    return n;
}

/* libuv 1.44 leaves a descriptor open when it cannot make a loop. */
static bool no_loop;

static void failing_list_done(void *context, haft_client *client, int status,
                              const haft_result *result)
{
    (void)client, (void)result;
    *(int *)context = status ? status : 1;
}

static void failing_changed(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    (void)context, (void)client, (void)kind, (void)uri;
}

/* Lists, twice, and a subscription: every callback comes. */
static int use_lists(haft_client *client)
{
    haft_result result;
    int listed = 0, listing;

    if (!haft_client_list(client, HAFT_OFFER_TOOL, &result) && !result.is_error && !result.content)
        return 6;
    haft_subscription_free(haft_client_subscribe(client, HAFT_WITH(haft_topics, .tools = true),
                                                 failing_changed, NULL));
    listing = !haft_client_list_begin(client, HAFT_OFFER_PROMPT, failing_list_done, &listed);
    for (int i = 0; i < 300 && listing && !listed; i++)
        if (haft_client_run(client, 10) == HAFT_ECLOSED)
            break;
    haft_client_free(client);
    return listing == !!listed ? 0 : 7;
}

/* What the process does: 0 if everything ended as it should. */
static int use(bool url)
{
    const char *const command[] = {program, "serve", NULL};
    haft_target target = HAFT_INIT(haft_target, .proxy = "", .close_ms = 500);
    haft_reason reason = {0};
    haft_result result;
    haft_client *client;

    if (url)
        target.url = address;
    else
        target.command = command;
    client = haft_client_connect(
        &target, HAFT_WITH(haft_client_options, .timeout_ms = 2000, .revision = "2026-07-28"),
        &reason);
    no_loop = !client && reason.code == HAFT_EBUSY;
    if (!client)
        return reason.code < 0 && *reason.text ? 0 : 2;
    if (!haft_client_call(client, "echo", "{\"text\":\"hello\"}", &result) && !result.is_error &&
        strcmp(result.text, "hello"))
        return 3;
    return use_lists(client);
}

static int run(bool url, struct order *order)
{
    unsigned before, left;
    int status;

    alarm(FAILING_SECONDS);
    use(url); /* what stays open from the first use on, such as libuv's pipe for signals */
    before = open_descriptors();
    shim_obey(order, true);
    no_loop = false;
    status = use(url);
    atomic_store(&order->armed, false);
    left = open_descriptors() - before;
    if (!status && left && !(no_loop && left == 1))
        status = 4;
    if (!status && (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD))
        status = 5;
    return status;
}

/* Returns whether something failed. */
static bool try_one(bool url, const struct failure *failure, size_t nth, struct order *order)
{
    pid_t pid;
    int status;

    memset(order, 0, sizeof *order);
    order->call = failure->call;
    order->error = failure->error;
    order->forever = failure->forever;
    order->nth = nth;
    pid = fork();
    if (!pid)
        _exit(run(url, order));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status)
        fail_msg("%s: call %zu of %s, error %d: wait status 0x%x", url ? "url" : "process", nth,
                 shim_call_name(failure->call), failure->error, (unsigned)status);
    return atomic_load(&order->fired);
}

static void test_failing(void **state)
{
    struct order *order =
        mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_ptr_not_equal(order, MAP_FAILED);
    for (size_t i = 0; i < 2 * COUNT_OF(failures); i++) {
        const struct failure *failure = &failures[i / 2];
        size_t nth = 1;

        if (i % 2 && !failure->also_url)
            continue;
        while (nth < FAILING_MOST && try_one(i % 2, failure, nth, order))
            nth += nth < 30 ? 1 : 7;
    }
    munmap(order, sizeof *order);
}

/* ---- a server of HTTP ---- */

static pid_t server_pid;

static int start_server(void **state)
{
    char line[200] = "";
    int ends[2];
    ssize_t n;

    (void)state;
    haft_part_register(&haft_http_client_part);
    assert_int_equal(pipe(ends), 0);
    server_pid = fork();
    if (!server_pid) {
        dup2(ends[1], 2);
        execl(program, program, "--http", "127.0.0.1:0", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    n = read(ends[0], line, sizeof line - 1);
    close(ends[0]);
    assert_true(n > 0);
    address = strstr(line, "http://");
    assert_non_null(address);
    address = strndup(address, strcspn(address, "\n"));
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    kill(server_pid, SIGKILL);
    waitpid(server_pid, NULL, 0);
    free(address);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing)};

    program = argv[0];
    if (argc > 1 && !strcmp(argv[1], "serve"))
        return haft_stdio_serve(make_server(), NULL);
    if (argc > 1)
        return haft_main(make_server(), argc, argv);
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
