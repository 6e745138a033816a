/* test_stdio.c - a server on its standard input and output, in a process of its own: bytes in,
 * lines out. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "support/tools.h"
#include "support/resident.h"
#include "support/test.h"

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"
#define CALL(id, tool, arguments)                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool   \
    "\",\"_meta\":{\"progressToken\":" #id "},\"arguments\":" arguments "}}\n"
#define SAID(id, text)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id                                                             \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}"
#define REFUSED(code, message)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":" #code ",\"message\":\"" message "\"}}"

enum { MIB = 1 << 20, MAX_MESSAGE = 4 * MIB, SOON = 30000 };

static int serve(void *context)
{
    haft_server *server = make_server();
    int status = server ? haft_stdio_serve(server, context) : 99;

    haft_server_free(server);
    return status < 0 ? 98 : status;
}

static void start(struct child *child, haft_stdio_options *options)
{
    child_start(child, serve, options);
}

/* The input ends, nothing more comes out, and the process ends well. */
static void finish(struct child *child)
{
    child_end(child);
    if (!child_is_silent(child))
        fail_msg("there is more output: %.200s", child_line(child));
    assert_int_equal(child_wait(child), 0);
}

/* ---- framing ---- */

static void answers_line_by_line(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *lines[5];
    } rows[] = {
        {TEXT(""), {NULL}},
        {TEXT(PING(1) "\n"), {PONG(1)}},
        {TEXT(PING(1) "\n" PING(2) "\n" PING(3) "\n"), {PONG(1), PONG(2), PONG(3)}},
        {TEXT(PING(1) "\r\n" PING(2) "\r\n"), {PONG(1), PONG(2)}},
        {TEXT(PING(1) "\n" PING(2)), {PONG(1), PONG(2)}},
        {TEXT("\n\r\n  \n" PING(1) "\n\n"), {PONG(1)}},
        {TEXT("\xEF\xBB\xBF" PING(1) "\n"), {PONG(1)}},
        {TEXT("{\n" PING(1) "\n"),
         {REFUSED(-32700, "Parse error: unexpected end of data at byte 1"), PONG(1)}},
        {TEXT("\"\xff\"\n" PING(1) "\n"),
         {REFUSED(-32700, "Parse error: not valid UTF-8 at byte 1"), PONG(1)}},
        {TEXT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n" PING(1) "\n"),
         {PONG(1)}},
        {TEXT(CALL(1, "echo", "{\"text\":\"hello\"}")), {SAID(1, "hello")}},
        {TEXT(CALL(1, "slow", "{\"n\":20}")), {SAID(1, "slept 20")}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct child child;

        start(&child, HAFT_WITH(haft_stdio_options, .grace_ms = 5000));
        child_write(&child, rows[i].bytes, rows[i].size);
        child_end(&child);
        for (size_t k = 0; rows[i].lines[k]; k++)
            assert_string_equal(child_line(&child), rows[i].lines[k]);
        assert_true(child_is_silent(&child));
        assert_int_equal(child_wait(&child), 0);
    }
}

static void a_message_may_be_cut_anywhere(void **state)
{
    static const char two[] = PING(1) "\r\n" PING(2) "\n";
    struct child child;

    (void)state;
    start(&child, NULL);
    for (size_t cut = 0; cut < sizeof two; cut++) {
        child_write(&child, two, cut);
        child_wait_read(&child);
        child_write(&child, two + cut, sizeof two - 1 - cut);
        assert_string_equal(child_line(&child), PONG(1));
        assert_string_equal(child_line(&child), PONG(2));
    }
    finish(&child);
}

static void many_in_one_write_are_answered_in_order(void **state)
{
    enum { MANY = 5000 };
    struct child child;
    haft_buffer text;
    char expected[64];

    (void)state;
    haft_buffer_init(&text, NULL, MIB);
    for (int i = 0; i < MANY; i++)
        haft_buffer_printf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n", i);
    start(&child, NULL);
    child_write(&child, text.data, text.size);
    for (int i = 0; i < MANY; i++) {
        snprintf(expected, sizeof expected, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}", i);
        assert_string_equal(child_line(&child), expected);
    }
    finish(&child);
    haft_buffer_finish(&text);
}

/* As long as a message may be, and longer. */
static void the_length_of_a_message_is_limited(void **state)
{
    static const struct {
        size_t size;
        bool answered;
    } rows[] = {{MAX_MESSAGE, true}, {MAX_MESSAGE + 1, false}, {3 * MAX_MESSAGE, false}};
    static char bytes[3 * MAX_MESSAGE + 1];
    static const char front[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"";

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct child child;

        memset(bytes, 'x', sizeof bytes);
        memcpy(bytes, front, sizeof front - 1);
        memcpy(bytes + rows[i].size - 2, "\"}\n", 3);
        start(&child, NULL);
        child_write(&child, bytes, rows[i].size + 1);
        child_puts(&child, PING(2) "\n");
        assert_string_equal(child_line(&child),
                            rows[i].answered
                                ? PONG(1)
                                : REFUSED(-32600, "Invalid Request: the message is too long"));
        assert_string_equal(child_line(&child), PONG(2));
        finish(&child);
    }
}

/* Standard input may be a file, and so may standard output. */
static int serve_files(void *context)
{
    const char *const *names = context;
    int in = open(names[0], O_RDONLY), out = open(names[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);

    dup2(in, 0);
    dup2(out, 1);
    return serve(HAFT_WITH(haft_stdio_options, .grace_ms = 5000));
}

static void files_are_served_too(void **state)
{
    char in[] = "/tmp/haft-test-XXXXXX", out[] = "/tmp/haft-test-XXXXXX", seen[256] = "";
    const char *names[] = {in, out};
    int in_fd = mkstemp(in), out_fd = mkstemp(out);
    struct child child;

    (void)state;
    assert_int_equal(write(in_fd, TEXT(PING(1) "\n" CALL(2, "slow", "{\"n\":5}"))),
                     strlen(PING(1) "\n" CALL(2, "slow", "{\"n\":5}")));
    child_start(&child, serve_files, names);
    assert_int_equal(child_wait(&child), 0);
    assert_true(read(out_fd, seen, sizeof seen - 1) > 0);
    assert_string_equal(seen, PONG(1) "\n" SAID(2, "slept 5") "\n");
    close(in_fd);
    close(out_fd);
    unlink(in);
    unlink(out);
}

/* ---- threads ---- */

static void what_other_threads_do_comes_in_order(void **state)
{
    static const struct {
        const char *message;
        const char *lines[5];
    } rows[] = {
#define STEP(n, total, text)                                                                       \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,"  \
    "\"progress\":" #n ",\"total\":" #total ",\"message\":\"" text "\"}}"
        {CALL(1, "steps", "{\"n\":3}"),
         {STEP(1, 3, "step 1"), STEP(2, 3, "step 2"), STEP(3, 3, "step 3"), SAID(1, "3 steps")}},
        {CALL(1, "later", "{}"), {STEP(1, 2, "on its way"), SAID(1, "finished elsewhere")}},
        {CALL(1, "later_quick", "{}"), {STEP(1, 2, "on its way"), SAID(1, "finished elsewhere")}},
    };
    struct child child;

    (void)state;
    start(&child, NULL);
    for (size_t round = 0; round < 20; round++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            child_puts(&child, rows[i].message);
            for (size_t k = 0; rows[i].lines[k]; k++)
                assert_string_equal(child_line(&child), rows[i].lines[k]);
        }
    }
    finish(&child);
}

static void quick_tools_overtake_slow_ones(void **state)
{
    struct child child;

    (void)state;
    start(&child, NULL);
    child_puts(&child, CALL(1, "slow", "{\"n\":300}") CALL(2, "slow", "{\"n\":10}")
                           CALL(3, "echo", "{\"text\":\"quick\"}"));
    assert_string_equal(child_line(&child), SAID(3, "quick"));
    assert_string_equal(child_line(&child), SAID(2, "slept 10"));
    assert_string_equal(child_line(&child), SAID(1, "slept 300"));
    finish(&child);
}

/* One thread, room for one more: the third is told at once, and the others are served. */
static void a_full_queue_is_an_answer(void **state)
{
    struct child child;
    const char *line;

    (void)state;
    start(&child, HAFT_WITH(haft_stdio_options, .workers = 1, .max_queue = 1));
    child_puts(&child, CALL(1, "slow", "{\"n\":150}") CALL(2, "slow", "{\"n\":1}")
                           CALL(3, "slow", "{\"n\":1}"));
    line = child_line(&child);
    assert_non_null(strstr(line, "\"id\":3"));
    assert_non_null(strstr(line, "\"isError\":true"));
    assert_string_equal(child_line(&child), SAID(1, "slept 150"));
    assert_string_equal(child_line(&child), SAID(2, "slept 1"));
    child_puts(&child, CALL(4, "slow", "{\"n\":1}"));
    assert_string_equal(child_line(&child), SAID(4, "slept 1"));
    finish(&child);
}

static void a_deadline_passes_while_the_handler_runs(void **state)
{
    struct child child;
    const char *line;

    (void)state;
    start(&child, NULL);
    child_puts(&child, CALL(1, "brief", "{}"));
    line = child_line(&child);
    assert_non_null(strstr(line, "\"id\":1"));
    assert_non_null(strstr(line, "\"isError\":true"));
    assert_non_null(strstr(line, "timed out"));
    child_puts(&child, CALL(2, "slow", "{\"n\":1}"));
    assert_string_equal(child_line(&child), SAID(2, "slept 1"));
    finish(&child);
}

/* What another thread adds is announced though nothing else happens. */
static void a_change_wakes_the_loop(void **state)
{
    static const char changed[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
    struct child child;

    (void)state;
    start(&child, NULL);
    child_puts(&child, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                       "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
                       "\"name\":\"t\",\"version\":\"1\"}}}\n"
                       "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    assert_non_null(strstr(child_line(&child), "2025-06-18"));
    child_puts(&child, CALL(1, "grow", "{}"));
    assert_string_equal(child_line(&child), changed);
    assert_string_equal(child_line(&child), SAID(1, "soon"));
    assert_string_equal(child_line(&child), changed);
    finish(&child);
}

/* ---- what a handler does to standard input and output ---- */

static void a_handler_cannot_reach_the_wire(void **state)
{
    char error[256] = "";
    struct child child;

    (void)state;
    start(&child, NULL);
    child_puts(&child, CALL(1, "print", "{}"));
    assert_string_equal(child_line(&child), SAID(1, "printed"));
    child_puts(&child, CALL(2, "spawn", "{}") PING(3) "\n");
    assert_string_equal(child_line(&child), PONG(3));
    assert_string_equal(child_line(&child), SAID(2, "the child found 0"));
    assert_true(read(child.error, error, sizeof error - 1) > 0);
    assert_non_null(strstr(error, "stray"));
    assert_non_null(strstr(error, "more\n"));
    finish(&child);
}

/* ---- backpressure ---- */

/* A client that sends and does not read stops being read; nothing is lost when it reads again. */
static void a_client_that_does_not_read_is_not_read(void **state)
{
    enum { MANY = 400, SIZE = 100000 };
    static const char format[] =
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"big\","
        "\"arguments\":{\"n\":%d},\"_meta\":{\"pad\":\"%01000d\"}}}\n";
    struct child child;
    char message[2048], expected[64];
    int sent = 0;

    (void)state;
    start(&child, HAFT_WITH(haft_stdio_options, .max_unsent = 4 * MIB));
    for (int64_t end = milliseconds() + 500; milliseconds() < end && sent < MANY;) {
        int n = snprintf(message, sizeof message, format, sent, SIZE, 0);

        if (write(child.in, message, (size_t)n) == n)
            sent++;
        else
            sleep_ms(10);
    }
    /* What was taken in is 40 answers' worth, and what pipes and buffers hold of questions. */
    assert_true(sent < MANY);
    assert_true(resident_kib(child.pid) < 200 << 10);
    for (int i = 0; i < MANY; i++) {
        const char *line = child_line(&child);

        snprintf(expected, sizeof expected, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\"", i);
        assert_int_equal(strncmp(line, expected, strlen(expected)), 0);
        assert_true(strlen(line) > SIZE);
        if (sent < MANY) {
            int n = snprintf(message, sizeof message, format, sent++, SIZE, 0);

            child_write(&child, message, (size_t)n);
        }
    }
    finish(&child);
}

/* Until a pipe that nobody reads is full: its writer waits, or will at once.  The number of bytes in it
 * does not tell, because a page of the pipe holds as much as the writes happen to fill. */
static void wait_until_full(int fd)
{
    int64_t late = milliseconds() + 60000;
    char path[64];
    struct pollfd end = {.events = POLLOUT};

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    end.fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(end.fd >= 0);
    while (poll(&end, 1, 0)) {
        assert_true(milliseconds() < late);
        sleep_ms(10);
    }
    close(end.fd);
}

/* The same of a handler that reports faster than the client reads: it waits, and everything
 * comes. */
static void a_handler_that_reports_too_much_waits(void **state)
{
    enum { MANY = 60000 };
    struct child child;

    (void)state;
    start(&child, HAFT_WITH(haft_stdio_options, .max_unsent = MIB));
    child_puts(&child, CALL(1, "steps", "{\"n\":60000}"));
    wait_until_full(child.out);
    assert_true(resident_kib(child.pid) < 200 << 10);
    for (int i = 1; i <= MANY; i++) {
        char step[32];

        snprintf(step, sizeof step, "\"progress\":%d,", i);
        assert_non_null(strstr(child_line(&child), step));
    }
    assert_string_equal(child_line(&child), SAID(1, "60000 steps"));
    finish(&child);
}

/* Nobody reads standard error either. */
static void a_full_standard_error_stops_nothing(void **state)
{
    struct child child;

    (void)state;
    start(&child, NULL);
    for (int i = 0; i < 3000; i++)
        child_puts(&child, "{\"jsonrpc\":\"2.0\",\"no\":\"method\"}\n");
    child_puts(&child, PING(1) "\n");
    assert_string_equal(child_line(&child), PONG(1));
    finish(&child);
}

/* ---- the end ---- */

static void the_end_of_input_ends_it(void **state)
{
    static const struct {
        const char *messages;
        haft_stdio_options options;
        const char *lines[3];
    } rows[] = {
        {PING(1) "\n", {0}, {PONG(1)}},
        {CALL(1, "slow", "{\"n\":50}") PING(2), {.grace_ms = 3000}, {PONG(2), SAID(1, "slept 50")}},
        {CALL(1, "slow", "{\"n\":60000}") PING(2), {0}, {PONG(2)}},
        {CALL(1, "stubborn", "{\"n\":60000}") PING(2), {0}, {PONG(2)}},
        {CALL(1, "never", "{}") PING(2), {0}, {PONG(2)}},
        {CALL(1, "stubborn", "{\"n\":60000}") CALL(2, "slow", "{\"n\":1}") PING(3),
         {.workers = 1},
         {PONG(3)}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_stdio_options options = rows[i].options;
        int64_t begin = milliseconds();
        struct child child;

        options.struct_size = sizeof options;
        start(&child, &options);
        child_puts(&child, rows[i].messages);
        child_end(&child);
        for (size_t k = 0; rows[i].lines[k]; k++)
            assert_string_equal(child_line(&child), rows[i].lines[k]);
        assert_true(child_is_silent(&child));
        assert_int_equal(child_wait(&child), 0);
        assert_true(milliseconds() - begin < SOON);
    }
}

/* All answers are written before the end, however slowly they are read. */
static void answers_are_written_after_the_end_of_input(void **state)
{
    enum { MANY = 50 };
    struct child child;

    (void)state;
    start(&child, NULL);
    for (int i = 0; i < MANY; i++)
        child_puts(&child, CALL(1, "big", "{\"n\":100000}"));
    child_end(&child);
    for (int i = 0; i < MANY; i++) {
        sleep_ms(10);
        assert_true(strlen(child_line(&child)) > 100000);
    }
    assert_true(child_is_silent(&child));
    assert_int_equal(child_wait(&child), 0);
}

static void a_closed_output_ends_it(void **state)
{
    static const char *const messages[] = {"", PING(1) "\n", CALL(1, "slow", "{\"n\":60000}")};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        struct child child;

        start(&child, NULL);
        child_puts(&child, PING(0) "\n");
        child_line(&child);
        close(child.out);
        child.out = -1;
        /* It may be over already. */
        if (write(child.in, messages[i], strlen(messages[i])) < 0)
            assert_int_equal(errno, EPIPE);
        assert_int_equal(child_wait(&child), 0);
    }
}

static void a_signal_drains(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        struct child child;

        start(&child, NULL);
        child_puts(&child, CALL(1, "slow", "{\"n\":200}") PING(2) "\n");
        assert_string_equal(child_line(&child), PONG(2));
        kill(child.pid, signals[i]);
        assert_string_equal(child_line(&child), SAID(1, "slept 200"));
        assert_true(child_is_silent(&child));
        assert_int_equal(child_wait(&child), 0);
    }
}

static void a_signal_drains_within_a_bound(void **state)
{
    static const char *const messages[] = {CALL(1, "slow", "{\"n\":60000}"),
                                           CALL(1, "stubborn", "{\"n\":60000}")};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        int64_t begin = milliseconds();
        struct child child;

        start(&child, HAFT_WITH(haft_stdio_options, .drain_ms = 100));
        child_puts(&child, messages[i]);
        child_puts(&child, PING(2) "\n");
        assert_string_equal(child_line(&child), PONG(2));
        kill(child.pid, SIGTERM);
        assert_true(child_is_silent(&child));
        assert_int_equal(child_wait(&child), 0);
        assert_true(milliseconds() - begin < SOON);
    }
}

static void a_second_signal_ends_at_once(void **state)
{
    static const char *const messages[] = {CALL(1, "slow", "{\"n\":60000}"),
                                           CALL(1, "stubborn", "{\"n\":60000}")};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        struct child child;

        start(&child, NULL);
        child_puts(&child, messages[i]);
        child_puts(&child, PING(2) "\n");
        assert_string_equal(child_line(&child), PONG(2));
        signal_in_turn(child.pid, SIGTERM);
        kill(child.pid, SIGINT);
        assert_int_equal(child_wait(&child), 128 + SIGINT);
    }
}

/* A terminal that closes while the server ends takes no answer from anybody. */
static void a_hangup_does_not_hurry(void **state)
{
    static const int signals[] = {SIGTERM, SIGHUP};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        struct child child;

        start(&child, NULL);
        child_puts(&child, CALL(1, "slow", "{\"n\":300}") PING(2) "\n");
        assert_string_equal(child_line(&child), PONG(2));
        signal_in_turn(child.pid, signals[i]);
        kill(child.pid, SIGHUP);
        assert_string_equal(child_line(&child), SAID(1, "slept 300"));
        assert_int_equal(child_wait(&child), 0);
    }
}

/* A client that has a server, tells its number and waits to be killed. */
static int be_client(void *context)
{
    bool keeps_the_pipe = *(bool *)context;
    struct child server;

    start(&server, NULL);
    child_puts(&server, CALL(1, "slow", "{\"n\":60000}") PING(2) "\n");
    child_line(&server);
    /* Somebody else has the other end too, so that the input does not end with the client; until
     * the test says that it is over. */
    if (keeps_the_pipe && !fork()) {
        while (read(STDIN_FILENO, &(char){0}, 1) > 0)
            ;
        _exit(0);
    }
    printf("%d\n", (int)server.pid);
    fflush(stdout);
    sleep_ms(60000);
    return 0;
}

static void a_killed_client_leaves_no_process(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        bool keeps_the_pipe = i;
        int64_t begin;
        struct child client;
        pid_t server;
        int hold;

        if (keeps_the_pipe && access("/proc/self/status", R_OK))
            continue;
        child_start(&client, be_client, &keeps_the_pipe);
        server = (pid_t)strtol(child_line(&client), NULL, 10);
        assert_int_equal(kill(server, 0), 0);
        hold = dup(client.in);
        kill(client.pid, SIGKILL);
        assert_int_equal(child_wait(&client), 256 + SIGKILL);
        begin = milliseconds();
        while (!kill(server, 0)) {
            char name[64], line[256] = "";
            FILE *file;

            /* Nobody may be there to collect it. */
            snprintf(name, sizeof name, "/proc/%d/stat", (int)server);
            file = fopen(name, "r");
            if (file && fgets(line, sizeof line, file) && strstr(line, ") Z "))
                begin = 0;
            if (file)
                fclose(file);
            if (!begin)
                break;
            assert_true(milliseconds() - begin < 20000);
            sleep_ms(10);
        }
        close(hold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_line_by_line),
        cmocka_unit_test(a_message_may_be_cut_anywhere),
        cmocka_unit_test(many_in_one_write_are_answered_in_order),
        cmocka_unit_test(the_length_of_a_message_is_limited),
        cmocka_unit_test(files_are_served_too),
        cmocka_unit_test(what_other_threads_do_comes_in_order),
        cmocka_unit_test(quick_tools_overtake_slow_ones),
        cmocka_unit_test(a_full_queue_is_an_answer),
        cmocka_unit_test(a_deadline_passes_while_the_handler_runs),
        cmocka_unit_test(a_change_wakes_the_loop),
        cmocka_unit_test(a_handler_cannot_reach_the_wire),
        cmocka_unit_test(a_client_that_does_not_read_is_not_read),
        cmocka_unit_test(a_handler_that_reports_too_much_waits),
        cmocka_unit_test(a_full_standard_error_stops_nothing),
        cmocka_unit_test(the_end_of_input_ends_it),
        cmocka_unit_test(answers_are_written_after_the_end_of_input),
        cmocka_unit_test(a_closed_output_ends_it),
        cmocka_unit_test(a_signal_drains),
        cmocka_unit_test(a_signal_drains_within_a_bound),
        cmocka_unit_test(a_second_signal_ends_at_once),
        cmocka_unit_test(a_hangup_does_not_hurry),
        cmocka_unit_test(a_killed_client_leaves_no_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
