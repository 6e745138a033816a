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
#include <yyjson.h>

#include "fault/shim.h"
#include "support/tools.h"

enum { FAILING_SECONDS = 20, FAILING_MOST = 400 };

static const char *program;
static char *address;

/* ---- what the server has besides support/tools.h ---- */

HAFT_STRUCT(word_form, HAFT_STRING(word, "A word"));

static int ask(haft_call *call)
{
    word_form form;
    int status = haft_elicit(call, "word", "Which word?", &word_form_type, &form);

    if (status == HAFT_ACCEPTED)
        return haft_text(call, "the word is %s", form.word);
    return status < 0 || status == HAFT_AGAIN ? status : haft_error(call, "no word");
}
HAFT_TOOL_BARE(ask, "Asks for a word");

static haft_server *failing_server(void)
{
    haft_server *server = make_server();

    return server && !haft_add(server, &ask_tool) ? server : NULL;
}

/* ---- ways to use it ---- */

static const struct way {
    const char *name, *revision;
    bool url, listen;
    size_t dense; /* up to this call every one fails in turn, and then every seventh */
} ways[] = {
    {"process", "2026-07-28", false, false, 30},
    {"process of 2025-11-25", "2025-11-25", false, false, 8},
    {"url", "2026-07-28", true, false, 30},
    {"url with a session", "2025-11-25", true, true, 8},
};

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

static int failing_answer(void *context, const char *method, haft_value *params,
                          haft_buffer *ret_result)
{
    (void)context, (void)method, (void)params;
    haft_buffer_puts(ret_result, "{\"action\":\"accept\",\"content\":{\"word\":\"yes\"}}");
    return ret_result->status;
}

static size_t right_results; /* of the calls below */

/* Calls: each has the right result, an error of the server, or an error with a reason. A question that
 * failing_answer has no memory for is the caller's. */
static int use_calls(haft_client *client)
{
    static const struct {
        const char *tool, *arguments, *expected;
    } calls[] = {{"echo", "{\"text\":\"hello\"}", "hello"}, {"ask", NULL, "the word is yes"}};
    haft_result result;

    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        int status = haft_client_call(client, calls[i].tool, calls[i].arguments, &result);

        if (status ? !*haft_client_error(client, NULL)
                   : !result.is_error && strcmp(result.text, calls[i].expected) != 0 &&
                         !yyjson_obj_get(result.value, "inputRequests"))
            return 3;
        right_results += !status && !strcmp(result.text, calls[i].expected);
    }
    return 0;
}

/* What the process does: 0 if everything ended as it should. */
static int use(const struct way *way)
{
    const char *const command[] = {program, "serve", NULL};
    haft_target target =
        HAFT_INIT(haft_target, .proxy = "", .close_ms = 500, .listen = way->listen);
    haft_reason reason = {0};
    haft_client *client;

    if (way->url)
        target.url = address;
    else
        target.command = command;
    client = haft_client_connect(&target,
                                 HAFT_WITH(haft_client_options, .timeout_ms = 2000,
                                           .revision = way->revision, .answer = failing_answer,
                                           .capabilities = "{\"elicitation\":{}}"),
                                 &reason);
    no_loop = !client && reason.code == HAFT_EBUSY;
    if (!client)
        return reason.code < 0 && *reason.text ? 0 : 2;
    return use_calls(client) ? 3 : use_lists(client);
}

static int run(const struct way *way, struct order *order)
{
    unsigned before, left;
    int status;

    alarm(FAILING_SECONDS);
    right_results = 0;
    use(way); /* what stays open from the first use on, such as libuv's pipe for signals */
    if (right_results != 2)
        return 8;
    before = open_descriptors();
    shim_obey(order, true);
    no_loop = false;
    status = use(way);
    atomic_store(&order->armed, false);
    left = open_descriptors() - before;
    if (!status && left && !(no_loop && left == 1))
        status = 4;
    if (!status && (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD))
        status = 5;
    return status;
}

/* Returns whether something failed. */
static bool try_one(const struct way *way, const struct failure *failure, size_t nth,
                    struct order *order)
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
        _exit(run(way, order));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status)
        fail_msg("%s: call %zu of %s, error %d: wait status 0x%x", way->name, nth,
                 shim_call_name(failure->call), failure->error, (unsigned)status);
    return atomic_load(&order->fired);
}

static void test_failing(void **state)
{
    struct order *order =
        mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_ptr_not_equal(order, MAP_FAILED);
    for (size_t i = 0; i < COUNT_OF(ways) * COUNT_OF(failures); i++) {
        const struct failure *failure = &failures[i / COUNT_OF(ways)];
        const struct way *way = &ways[i % COUNT_OF(ways)];
        size_t nth = 1;

        if (way->url && !failure->also_url)
            continue;
        while (nth < FAILING_MOST && try_one(way, failure, nth, order))
            nth += nth < way->dense ? 1 : 7;
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
        return haft_stdio_serve(failing_server(), NULL);
    if (argc > 1)
        return haft_main(failing_server(), argc, argv);
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
