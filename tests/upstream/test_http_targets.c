/* test_http_targets.c - several targets, their health, redirects, and memory that runs out. */
#define _GNU_SOURCE
#include "sender.h"

enum { TARGETS = 3 };

/* The text is the status line. */
static void serve_status(struct rogue *rogue, int fd, int number)
{
    const char *const *status = rogue->context;

    (void)number;
    while (rogue_read(rogue, fd)) {
        rogue_puts(fd, "HTTP/1.1 ");
        rogue_puts(fd, __atomic_load_n(status, __ATOMIC_SEQ_CST));
        rogue_puts(fd, "\r\nContent-Length: 0\r\n\r\n");
    }
}

static const char good[] = "200 OK", bad[] = "503 Unavailable";

struct fleet {
    struct rogue *rogues[TARGETS];
    const char *status[TARGETS];
    struct sender sender;
};

static void fleet_open(struct fleet *fleet, const int weights[TARGETS], const char *more)
{
    char room[2048];
    size_t at = (size_t)snprintf(room, sizeof room, "{\"targets\":[");

    for (int i = 0; i < TARGETS; i++) {
        fleet->status[i] = good;
        fleet->rogues[i] = rogue_open(serve_status, &fleet->status[i]);
        at += (size_t)snprintf(room + at, sizeof room - at, "%s{\"url\":\"%s/\",\"weight\":%d}",
                               i ? "," : "", fleet->rogues[i]->url, weights[i]);
    }
    snprintf(room + at, sizeof room - at, "]%s%s}", *more ? "," : "", more);
    sender_init(&fleet->sender, room);
}

static void fleet_close(struct fleet *fleet)
{
    sender_finish(&fleet->sender);
    for (int i = 0; i < TARGETS; i++)
        rogue_close(fleet->rogues[i]);
}

static void round_robin(void **state)
{
    static const int weights[][TARGETS] = {{1, 1, 1}, {1, 2, 3}, {5, 1, 1}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(weights); i++) {
        int total = weights[i][0] + weights[i][1] + weights[i][2];
        struct fleet fleet;
        struct sent sent;

        fleet_open(&fleet, weights[i], "");
        for (int n = 0; n < 10 * total; n++) {
            send_one(&fleet.sender, &sent, (struct http_message){.method = "POST"});
            assert_int_equal(sent.status, 200);
        }
        for (int j = 0; j < TARGETS; j++)
            assert_int_equal(atomic_load(&fleet.rogues[j]->requests), 10 * weights[i][j]);
        fleet_close(&fleet);
    }
}

static void serve_holding(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd))
        rogue_hold(rogue, fd);
}

/* A target that does not answer gets no more than the others have in flight. */
static void least_pending(void **state)
{
    struct rogue *slow = rogue_open(serve_holding, NULL);
    const char *status = good;
    struct rogue *fast = rogue_open(serve_status, &status);
    struct sender sender;
    struct sent stuck, sent;
    char room[2048];

    (void)state;
    snprintf(room, sizeof room,
             "{\"balance\":\"least_pending\",\"targets\":[{\"url\":\"%s\"},{\"url\":\"%s\"}]}",
             slow->url, fast->url);
    sender_init(&sender, room);
    send_start(&sender, &stuck, (struct http_message){.method = "POST"});
    for (int ms = 0; !atomic_load(&slow->requests); ms++) {
        assert_true(ms < LONG_MS);
        uv_sleep(1);
    }
    for (int i = 0; i < 20; i++)
        send_one(&sender, &sent, (struct http_message){.method = "POST"});
    assert_int_equal(atomic_load(&slow->requests), 1);
    assert_int_equal(atomic_load(&fast->requests), 20);
    hf_outbound_post(&sender.set.outbound, &stuck.cancel);
    uv_sem_wait(&stuck.cancelled);
    send_wait(&stuck);
    sender_finish(&sender);
    rogue_close(slow);
    rogue_close(fast);
}

/* A retry goes to another target, and a failing one is left out when its breaker is open. */
static void other_targets_take_over(void **state)
{
    static const int weights[TARGETS] = {1, 1, 1};
    struct fleet fleet;
    struct sent sent;

    (void)state;
    fleet_open(&fleet, weights,
               "\"retries\":{\"delay_ms\":1,\"percent\":100},\"breaker\":{\"failures\":2}");
    fleet.status[1] = bad;
    for (int i = 0; i < 30; i++) {
        send_one(&fleet.sender, &sent, (struct http_message){.method = "GET"});
        assert_int_equal(sent.status, 200);
    }
    assert_int_equal(atomic_load(&fleet.rogues[1]->requests), 2);
    assert_int_equal(hf_upstream_state(fleet.sender.upstream, NULL), UPSTREAM_READY);
    fleet_close(&fleet);
}

static void wait_for_log(struct sender *sender, const char *text)
{
    for (int ms = 0; !sender_logged(sender, text); ms++) {
        assert_true(ms < LONG_MS);
        uv_sleep(1);
    }
}

static void health_checks(void **state)
{
    static const int weights[TARGETS] = {1, 1, 1};
    struct fleet fleet;
    struct sent sent;
    int before;

    (void)state;
    fleet_open(&fleet, weights,
               "\"health\":{\"path\":\"/health\",\"interval_ms\":10},"
               "\"breaker\":{\"failures\":0,\"percent\":0},\"retries\":{\"max\":0}");
    __atomic_store_n(&fleet.status[0], bad, __ATOMIC_SEQ_CST);
    wait_for_log(&fleet.sender, "is not healthy and is left out: Service Unavailable");
    for (int i = 0; i < 12; i++) {
        send_one(&fleet.sender, &sent, (struct http_message){.method = "GET"});
        assert_int_equal(sent.status, 200);
    }
    __atomic_store_n(&fleet.status[1], bad, __ATOMIC_SEQ_CST);
    __atomic_store_n(&fleet.status[2], bad, __ATOMIC_SEQ_CST);
    wait_for_log(&fleet.sender, "upstream api: no target is healthy");
    before = 0;
    send_one(&fleet.sender, &sent, (struct http_message){.method = "POST", .target = "/call"});
    assert_int_equal(sent.fault, HTTP_FAULT_UNHEALTHY);
    for (int i = 0; i < TARGETS; i++)
        before += rogue_saw(fleet.rogues[i], "/call");
    assert_int_equal(before, 0);
    __atomic_store_n(&fleet.status[2], good, __ATOMIC_SEQ_CST);
    wait_for_log(&fleet.sender, "is healthy again");
    wait_for_log(&fleet.sender, "upstream api: ready again");
    send_one(&fleet.sender, &sent, (struct http_message){.method = "POST"});
    assert_int_equal(sent.status, 200);
    fleet_close(&fleet);
}

/* ---- redirects ---- */

struct signpost {
    int status;
    const char *location;
    int requests;
};

static void serve_redirect(struct rogue *rogue, int fd, int number)
{
    const struct signpost *post = rogue->context;
    char head[512];

    (void)number;
    while (rogue_read(rogue, fd)) {
        if (rogue_saw(rogue, " /end HTTP"))
            snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        else
            snprintf(head, sizeof head,
                     "HTTP/1.1 %d R\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", post->status,
                     post->location);
        rogue_puts(fd, head);
    }
}

#define FOLLOW "\"redirects\":{},"
#define ANYWHERE "\"redirects\":{\"elsewhere\":true},"

static void redirects(void **state)
{
    static const struct {
        const char *options, *method;
        int status;
        const char *location;
        enum http_fault fault;
        int expected;
        const char *seen, *text;
    } rows[] = {
        {"", "GET", 302, "/end", HTTP_FAULT_NONE, 302, "GET /x ", ""},
        {FOLLOW, "GET", 302, "/end", HTTP_FAULT_NONE, 200, "GET /end ", ""},
        {FOLLOW, "GET", 301, "/end#part", HTTP_FAULT_NONE, 200, "GET /end ", ""},
        {FOLLOW, "POST", 302, "/end", HTTP_FAULT_NONE, 200, "GET /end ", ""},
        {FOLLOW, "POST", 303, "/end", HTTP_FAULT_NONE, 200, "GET /end ", ""},
        {FOLLOW, "POST", 307, "/end", HTTP_FAULT_NONE, 200, "POST /end ", ""},
        {FOLLOW, "PUT", 308, "/end", HTTP_FAULT_NONE, 200, "PUT /end ", ""},
        {FOLLOW, "GET", 302, "/again", HTTP_FAULT_REDIRECT, 0, NULL, "too many"},
        {FOLLOW, "GET", 302, "http://127.0.0.1:1/", HTTP_FAULT_REDIRECT, 0, NULL, "another origin"},
        {FOLLOW, "GET", 302, "//127.0.0.1:1/", HTTP_FAULT_REDIRECT, 0, NULL, "http URL"},
        {FOLLOW, "GET", 302, "file:///etc/passwd", HTTP_FAULT_REDIRECT, 0, NULL, "http URL"},
        {FOLLOW, "GET", 302, "http://u:p@127.0.0.1/", HTTP_FAULT_REDIRECT, 0, NULL, "http URL"},
        /* Another host may be public only, whatever it is written as. */
        {ANYWHERE, "GET", 302, "http://localhost:1/", HTTP_FAULT_ADDRESS, 0, NULL, "not allowed"},
        {ANYWHERE, "GET", 302, "http://127.0.0.1:1/", HTTP_FAULT_ADDRESS, 0, NULL, "not allowed"},
        {ANYWHERE, "GET", 302, "http://[::1]:1/", HTTP_FAULT_ADDRESS, 0, NULL, "not allowed"},
        {ANYWHERE, "GET", 302, "http://[::ffff:127.0.0.1]:1/", HTTP_FAULT_ADDRESS, 0, NULL,
         "not allowed"},
        {ANYWHERE, "GET", 302, "http://[::ffff:7f00:1]:1/", HTTP_FAULT_ADDRESS, 0, NULL,
         "not allowed"},
        {ANYWHERE, "GET", 302, "http://0.0.0.0:1/", HTTP_FAULT_ADDRESS, 0, NULL, "not allowed"},
        {ANYWHERE, "GET", 302, "http://2130706433:1/", HTTP_FAULT_ADDRESS, 0, NULL, "not allowed"},
        {ANYWHERE, "GET", 302, "http://0x7f.1:1/", HTTP_FAULT_ADDRESS, 0, NULL, "not allowed"},
        {ANYWHERE, "GET", 302, "http://017700000001:1/", HTTP_FAULT_ADDRESS, 0, NULL,
         "not allowed"},
        {ANYWHERE, "GET", 302, "http://169.254.169.254/latest/", HTTP_FAULT_ADDRESS, 0, NULL,
         "not allowed"},
        {ANYWHERE, "GET", 302, "http://10.0.0.1/", HTTP_FAULT_ADDRESS, 0, NULL, "not allowed"},
        {ANYWHERE "\"proxy\":\"http://127.0.0.1:PORT\",", "GET", 302, "http://93.184.216.34/",
         HTTP_FAULT_REDIRECT, 0, NULL, "proxy"},
        {ANYWHERE, "POST", 307, "http://93.184.216.34/", HTTP_FAULT_REDIRECT, 0, NULL, "body"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct signpost post = {.status = rows[i].status, .location = rows[i].location};
        struct rogue *rogue = rogue_open(serve_redirect, &post);
        struct sender sender;
        struct sent sent;
        char room[2048], *port;
        size_t size;

        options_of(room, rogue, "");
        size = strlen(room) - 1;
        snprintf(room + size, sizeof room - size, ",%s\"auth\":{\"bearer\":\"s3cr3t\"}}",
                 rows[i].options);
        port = strstr(room, "PORT");
        if (port) {
            char rest[1024], number[16];

            snprintf(rest, sizeof rest, "%s", port + 4);
            snprintf(number, sizeof number, "%d", rogue->port);
            snprintf(port, sizeof room - (size_t)(port - room), "%s%s", number, rest);
        }
        sender_init(&sender, room);
        send_one(&sender, &sent,
                 (struct http_message){.method = rows[i].method,
                                       .body = *rows[i].method == 'P' ? "body" : NULL,
                                       .body_size = *rows[i].method == 'P' ? 4 : 0});
        if (sent.fault != rows[i].fault || sent.status != rows[i].expected ||
            !strstr(sent.text, rows[i].text) || (rows[i].seen && !rogue_saw(rogue, rows[i].seen)))
            fail_msg("%s %d to %s: fault %d (%s), status %d; seen %s", rows[i].method,
                     rows[i].status, rows[i].location, (int)sent.fault, sent.text, sent.status,
                     rogue->seen);
        assert_null(strstr(sent.text, "s3cr3t"));
        sender_finish(&sender);
        rogue_close(rogue);
    }
}

/* ---- memory ---- */

static void memory_runs_out(void **state)
{
    const char *status = good;
    struct rogue *rogue = rogue_open(serve_status, &status);
    char room[2048];
    size_t whole = 0;

    (void)state;
    options_of(room, rogue,
               "\"retries\":{\"max\":0},\"auth\":{\"api_key\":{\"in\":\"cookie\","
               "\"name\":\"c\",\"value\":\"v\"}}");
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        struct sender sender;
        struct sent sent = {.status = 0};
        bool made;

        failing_init(&failing, 0);
        failing.fail_at = nth;
        made = !sender_try(&sender, &failing.allocator, room);
        if (made) {
            struct outbound_task *task = &sent.start;

            sent.arena = haft_arena_new(NULL, 1 << 20);
            assert_int_equal(uv_sem_init(&sent.over, 0), 0);
            *task = (struct outbound_task){.run = sent_run_start, .owner = &sent};
            sent.sending = (struct http_sending){.upstream = sender.upstream,
                                                 .message = {.method = "GET", .target = "/x"},
                                                 .arena = sent.arena,
                                                 .time_left = -1,
                                                 .on_end = sent_on_end,
                                                 .context = &sent};
            hf_outbound_post(&sender.set.outbound, task);
            uv_sem_wait(&sent.over);
            assert_true(sent.status == 200 || sent.fault);
            haft_arena_free(sent.arena);
            uv_sem_destroy(&sent.over);
            whole += sent.status == 200;
        } else {
            assert_int_equal(sender.reason.code, HAFT_ENOMEM);
        }
        sender_finish(&sender);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    assert_true(whole > 0);
    rogue_close(rogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_robin),
        cmocka_unit_test(least_pending),
        cmocka_unit_test(other_targets_take_over),
        cmocka_unit_test(health_checks),
        cmocka_unit_test(redirects),
        cmocka_unit_test(memory_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
