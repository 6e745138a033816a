/* test_held_end.c - a server that ends while a call is held, by a stage or by its handler: over real
 * standard input and output and over real HTTP.
 *
 * It waits for the call as long as it may.  A call that goes on in time is answered; one that does
 * not is cancelled and not answered; one that is never let go is left behind. */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <haft.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/child.h"
#include "support/counting.h"
#include "support/test.h"

enum { LONG = 30000, SHORT = 50, SOON = 20000, PATIENCE = 120000 };

enum place { BEFORE, READY, HANDLER };                /* what holds the call */
enum holder { GOES_ON, STOPS_WHEN_CANCELLED, NEVER }; /* and until when */
enum ending { END_OF_INPUT, SIGNAL };
enum transport { STDIO, HTTP, HTTP_SHARDS };

/* Of both processes. */
struct shared {
    struct counts counts;
    atomic_uint held, ended[HAFT_OUTCOME_COUNT_];
    atomic_bool go_on; /* the test has seen to it that the server is ending */
    atomic_bool freed; /* the server */
};

struct row {
    enum transport transport;
    enum place place;
    enum holder holder;
    enum ending ending;
};

static struct shared *shared;

/* ---- in the server's process ---- */

static const struct row *row;
static pthread_t holding;
static bool is_holding;

static void *hold_on(void *context)
{
    haft_call *call = context;

    while (row->holder == NEVER ||
           (row->holder == GOES_ON ? !atomic_load(&shared->go_on) : !haft_call_cancelled(call)))
        sleep_ms(1);
    if (row->place == HANDLER)
        haft_finish(call, haft_text(call, "went on"));
    else
        haft_continue(call, 0);
    return NULL;
}

static int hold(haft_call *call)
{
    is_holding = !pthread_create(&holding, NULL, hold_on, call);
    atomic_fetch_add(&shared->held, 1);
    return is_holding ? HAFT_PENDING : HAFT_EBUSY;
}

static int on_before(haft_call *call, void *data)
{
    (void)data;
    return row->place == BEFORE ? hold(call) : 0;
}

static int on_ready(haft_call *call, void *data)
{
    (void)data;
    return row->place == READY ? hold(call) : 0;
}

static void on_after(haft_call *call, haft_outcome outcome, void *data)
{
    (void)call;
    (void)data;
    atomic_fetch_add(&shared->ended[outcome], 1);
}

static const haft_stage stage = HAFT_INIT(haft_stage, .name = "slow", .before = on_before,
                                          .ready = on_ready, .after = on_after);

static int work(haft_call *call)
{
    return row->place == HANDLER ? hold(call) : haft_text(call, "went on");
}
HAFT_TOOL_BARE(work, "Works");

static void on_listening(void *context, const char *url)
{
    (void)context;
    printf("%s\n", url);
    fflush(stdout);
}

static int serve(void *context)
{
    struct counting counting;
    unsigned ms;
    haft_server *server;
    int status;

    row = context;
    ms = row->holder == GOES_ON ? LONG : SHORT;
    counting_init(&counting, &shared->counts);
    server = haft_server_new_with("test", "1",
                                  HAFT_WITH(haft_server_options, .allocator = &counting.allocator));
    if (!server || haft_add(server, &work_tool) || haft_stage_add(server, &stage))
        return 99;
    status = row->transport == STDIO
                 ? haft_stdio_serve(server,
                                    HAFT_WITH(haft_stdio_options, .grace_ms = ms, .drain_ms = ms))
                 : haft_http_serve(server,
                                   HAFT_WITH(haft_http_options, .address = "127.0.0.1:0",
                                             .threads = row->transport == HTTP_SHARDS ? 2 : 1,
                                             .drain_ms = ms, .ready = on_listening),
                                   NULL);
    if (is_holding)
        pthread_join(holding, NULL);
    haft_server_free(server);
    atomic_store(&shared->freed, true);
    return status < 0 ? 98 : status;
}

/* ---- in the test's ---- */

#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"work\","       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{},"                                           \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}}"

static int ask_over_http(struct child *child)
{
    const char *url = child_line(child), *port = strrchr(url, ':');
    struct sockaddr_in to = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char text[1024];

    assert_non_null(port);
    to.sin_port = htons((uint16_t)strtol(port + 1, NULL, 10));
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
             "Mcp-Method: tools/call\r\nMcp-Name: work\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(CALL), CALL);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return fd;
}

/* Everything up to the end of the connection. */
static void read_all(int fd, char *text, size_t room)
{
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    size_t size = 0;
    ssize_t n = 1;

    while (n > 0 && size < room - 1) {
        assert_int_equal(poll(&poller, 1, PATIENCE), 1);
        n = read(fd, text + size, room - 1 - size);
        size += n > 0 ? (size_t)n : 0;
    }
    text[size] = '\0';
    close(fd);
}

static void wait_until_held(void)
{
    int64_t late = milliseconds() + PATIENCE;

    while (!atomic_load(&shared->held)) {
        assert_true(milliseconds() < late);
        sleep_ms(1);
    }
}

static void check_answer(struct child *child, int fd)
{
    bool answered = row->holder == GOES_ON;
    char text[4096];

    if (row->transport != STDIO) {
        read_all(fd, text, sizeof text);
        assert_int_equal(!strncmp(text, "HTTP/1.1 200", 12), answered);
        assert_true(!strstr(text, "went on") != answered);
        assert_true(answered || !*text);
    } else if (answered) {
        assert_non_null(strstr(child_line(child), "went on"));
    }
    assert_true(child_is_silent(child));
}

/* What operations.md says of the exit status; and of a call that came back, nothing is left. */
static void check_end(int status, int64_t took)
{
    bool came_back = row->holder != NEVER;
    haft_outcome outcome = row->holder == GOES_ON ? HAFT_OUTCOME_OK : HAFT_OUTCOME_CANCELLED;

    assert_int_equal(status, row->transport != STDIO && !came_back ? 1 : 0);
    assert_int_equal(atomic_load(&shared->freed), came_back);
    assert_int_equal(atomic_load(&shared->held), 1);
    assert_true(took < SOON);
    if (!came_back)
        return;
    assert_int_equal(atomic_load(&shared->ended[outcome]), 1);
    assert_int_equal(atomic_load(&shared->counts.blocks), 0);
}

static void run_row(const struct row *given)
{
    struct child child;
    int64_t begin;
    int fd = -1;

    row = given;
    memset(shared, 0, sizeof *shared);
    child_start(&child, serve, (void *)(uintptr_t)given);
    if (row->transport == STDIO)
        child_puts(&child, CALL "\n");
    else
        fd = ask_over_http(&child);
    wait_until_held();
    begin = milliseconds();
    if (row->ending == SIGNAL)
        signal_in_turn(child.pid, SIGTERM);
    else
        child_end(&child);
    atomic_store(&shared->go_on, true);
    check_answer(&child, fd);
    check_end(child_wait(&child), milliseconds() - begin);
}

static void run_rows(enum transport transport, enum ending ending)
{
    for (enum place place = BEFORE; place <= HANDLER; place++)
        for (enum holder holder = GOES_ON; holder <= NEVER; holder++)
            run_row(&(struct row){transport, place, holder, ending});
}

static void stdio_ends_with_its_input(void **state)
{
    (void)state;
    run_rows(STDIO, END_OF_INPUT);
}

static void stdio_ends_at_a_signal(void **state)
{
    (void)state;
    run_rows(STDIO, SIGNAL);
}

static void http_ends_at_a_signal(void **state)
{
    (void)state;
    run_rows(HTTP, SIGNAL);
}

static void shards_of_http_end_at_a_signal(void **state)
{
    (void)state;
    run_rows(HTTP_SHARDS, SIGNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stdio_ends_with_its_input),
        cmocka_unit_test(stdio_ends_at_a_signal),
        cmocka_unit_test(http_ends_at_a_signal),
        cmocka_unit_test(shards_of_http_end_at_a_signal),
    };

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
