/* test_http_faults.c - what becomes of requests to servers that fail, and how often the server sees
 * them. */
#define _GNU_SOURCE
#include "sender.h"

/* A letter says what the server does with a request, the last one with all further ones. */
static void serve(struct rogue *rogue, int fd, int number)
{
    const char *script = rogue->context;

    (void)number;
    while (*script && rogue_read(rogue, fd)) {
        int n = atomic_load(&rogue->requests) - 1, last = (int)strlen(script) - 1;

        switch (script[n < last ? n : last]) {
        case 'k': /* well */
            rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            continue;
        case 'x': /* closes after the answer */
            rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
            return;
        case 'c': /* dies before the answer */
            return;
        case 'r':
            rogue_reset(fd);
            return;
        case 'h': /* during the headers */
            rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-");
            return;
        case 'b': /* during the body */
            rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
            return;
        case 'g':
            rogue_puts(fd, "\x16\x03\x01 garbage\r\n\r\n");
            return;
        case 'z': /* hangs */
            rogue_hold(rogue, fd);
            return;
        case 'L':
            rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
            for (int i = 0; i < 500; i++)
                if (!rogue_puts(fd, "0123456789"))
                    return;
            continue;
        case '3':
            rogue_puts(fd,
                       "HTTP/1.1 503 Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n");
            continue;
        case '9':
            rogue_puts(fd,
                       "HTTP/1.1 429 Too Many\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n");
            continue;
        case '5':
            rogue_puts(fd, "HTTP/1.1 500 Broken\r\nContent-Length: 4\r\n\r\noops");
            continue;
        default:
            rogue_puts(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            continue;
        }
    }
}

static const char quick[] = "\"retries\":{\"delay_ms\":1},\"max_response\":1000";
/* For servers that hang. */
static const char impatient[] = "\"retries\":{\"delay_ms\":1},\"timeouts\":{\"answer_ms\":1000}";

static const struct {
    const char *name, *method, *script;
    enum http_fault fault;
    int status, requests;
} rows[] = {
    {"well", "GET", "k", HTTP_FAULT_NONE, 200, 1},
    {"well, and closed", "POST", "x", HTTP_FAULT_NONE, 200, 1},
    {"not found", "GET", "4", HTTP_FAULT_NONE, 404, 1},
    {"500 is an answer", "GET", "5", HTTP_FAULT_NONE, 500, 1},
    {"dies before the answer", "GET", "c", HTTP_FAULT_CLOSED, 0, 3},
    {"dies before the answer, POST", "POST", "c", HTTP_FAULT_CLOSED, 0, 1},
    {"dies before the answer, PATCH", "PATCH", "c", HTTP_FAULT_CLOSED, 0, 1},
    {"dies before the answer, PUT", "PUT", "c", HTTP_FAULT_CLOSED, 0, 3},
    {"dies before the answer, DELETE", "DELETE", "c", HTTP_FAULT_CLOSED, 0, 3},
    {"resets", "POST", "r", HTTP_FAULT_CLOSED, 0, 1},
    {"dies during the headers", "POST", "h", HTTP_FAULT_CLOSED, 0, 1},
    {"dies during the body", "POST", "b", HTTP_FAULT_CLOSED, 0, 1},
    {"dies during the body, GET", "GET", "b", HTTP_FAULT_CLOSED, 0, 3},
    {"flaky, then well", "GET", "cbk", HTTP_FAULT_NONE, 200, 3},
    {"flaky for too long", "GET", "cccck", HTTP_FAULT_CLOSED, 0, 3},
    {"hangs", "POST", "z", HTTP_FAULT_TIMEOUT, 0, 1},
    {"hangs, then well", "GET", "zk", HTTP_FAULT_NONE, 200, 2},
    {"garbage", "GET", "g", HTTP_FAULT_GARBAGE, 0, 1},
    {"too big", "GET", "L", HTTP_FAULT_TOO_LARGE, 0, 1},
    {"503", "GET", "3", HTTP_FAULT_NONE, 503, 3},
    {"503, then well", "GET", "33k", HTTP_FAULT_NONE, 200, 3},
    {"503, POST", "POST", "3k", HTTP_FAULT_NONE, 503, 1},
    {"429 for longer than the call may take", "GET", "9k", HTTP_FAULT_NONE, 429, 1},
};

static void faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(serve, rows[i].script);
        bool post = !strcmp(rows[i].method, "POST");
        char room[2048];
        struct sender sender;
        struct sent sent;

        sender_init(&sender,
                    options_of(room, rogue, strchr(rows[i].script, 'z') ? impatient : quick));
        send_one(&sender, &sent,
                 (struct http_message){.method = rows[i].method,
                                       .body = post ? "{}" : NULL,
                                       .body_size = post ? 2 : 0});
        if (sent.fault != rows[i].fault || sent.status != rows[i].status ||
            atomic_load(&rogue->requests) != rows[i].requests)
            fail_msg("%s: fault %d (%s), status %d, %d requests", rows[i].name, (int)sent.fault,
                     sent.text, sent.status, atomic_load(&rogue->requests));
        if (sent.fault)
            assert_null(strstr(sent.text, "/x"));
        sender_finish(&sender);
        rogue_close(rogue);
    }
}

/* A connection that is kept and that the server closes at the moment of the next request. */
static void serve_once_each(struct rogue *rogue, int fd, int number)
{
    if (rogue_read(rogue, fd))
        rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    if (number == 0) /* reads a second request, and does not answer */
        rogue_read(rogue, fd);
}

static void reused_connection_dies(void **state)
{
    static const struct {
        const char *method;
        enum http_fault fault;
        int requests;
    } cases[] = {{"POST", HTTP_FAULT_CLOSED, 2}, {"GET", HTTP_FAULT_NONE, 3}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rogue *rogue = rogue_open(serve_once_each, NULL);
        struct sender sender;
        struct sent sent;
        char room[2048];

        sender_init(&sender, options_of(room, rogue, quick));
        send_one(&sender, &sent, (struct http_message){.method = cases[i].method});
        assert_int_equal(sent.status, 200);
        send_one(&sender, &sent, (struct http_message){.method = cases[i].method});
        assert_int_equal(sent.fault, cases[i].fault);
        assert_int_equal(atomic_load(&rogue->requests), cases[i].requests);
        assert_true(sent.maybe_handled);
        sender_finish(&sender);
        rogue_close(rogue);
    }
}

/* A port on which nobody listens: nothing was sent, so every method is repeated. */
static void refused_connection(void **state)
{
    struct rogue *rogue = rogue_open(serve, "k");
    struct sender sender;
    struct sent sent;
    char room[2048];

    (void)state;
    options_of(room, rogue, "\"retries\":{\"delay_ms\":1},\"breaker\":{\"failures\":3}");
    rogue_close(rogue);
    sender_init(&sender, room);
    send_one(&sender, &sent, (struct http_message){.method = "POST", .body = "{}", .body_size = 2});
    assert_int_equal(sent.fault, HTTP_FAULT_CONNECT);
    assert_false(sent.maybe_handled);
    /* The three attempts have opened the breaker. */
    send_one(&sender, &sent, (struct http_message){.method = "GET"});
    assert_int_equal(sent.fault, HTTP_FAULT_BREAKER);
    assert_in_range(sent.retry_ms, 25000, 30000);
    assert_int_equal(hf_upstream_state(sender.upstream, &sender.reason), UPSTREAM_FAILING);
    assert_true(sender_logged(&sender, "upstream api: it failed repeatedly"));
    sender_finish(&sender);
}

static void breaker_opens_and_closes(void **state)
{
    struct rogue *rogue = rogue_open(serve, "555k");
    struct sender sender;
    struct sent sent;
    char room[2048];
    int refused = 0;

    (void)state;
    sender_init(&sender, options_of(room, rogue, "\"breaker\":{\"failures\":3,\"open_ms\":1000}"));
    for (int i = 0; i < 3; i++) {
        send_one(&sender, &sent, (struct http_message){.method = "GET"});
        assert_int_equal(sent.status, 500);
    }
    do {
        send_one(&sender, &sent, (struct http_message){.method = "GET"});
        refused += sent.fault == HTTP_FAULT_BREAKER;
        uv_sleep(1);
    } while (sent.fault == HTTP_FAULT_BREAKER);
    assert_true(refused > 0);
    assert_int_equal(sent.status, 200);
    assert_int_equal(atomic_load(&rogue->requests), 4);
    assert_int_equal(hf_upstream_state(sender.upstream, NULL), UPSTREAM_READY);
    assert_true(sender_logged(&sender, "upstream api: ready again"));
    sender_finish(&sender);
    rogue_close(rogue);
}

/* With a budget of none but the first ten, an outage is not multiplied. */
static void budget_limits_retries(void **state)
{
    struct rogue *rogue = rogue_open(serve, "3");
    struct sender sender;
    struct sent sent;
    char room[2048];

    (void)state;
    sender_init(&sender, options_of(room, rogue,
                                    "\"retries\":{\"delay_ms\":1,\"percent\":0,\"max\":10},"
                                    "\"breaker\":{\"failures\":0,\"percent\":0}"));
    for (int i = 0; i < 50; i++)
        send_one(&sender, &sent, (struct http_message){.method = "GET"});
    assert_int_equal(atomic_load(&rogue->requests), 60);
    sender_finish(&sender);
    rogue_close(rogue);
}

/* ---- waiting and cancelling ---- */

static void wait_for_requests(const struct rogue *rogue, int n)
{
    for (int ms = 0; atomic_load(&rogue->requests) < n; ms++) {
        assert_true(ms < LONG_MS);
        uv_sleep(1);
    }
}

static void queue_is_bounded(void **state)
{
    struct rogue *rogue = rogue_open(serve, "z");
    struct sender sender;
    struct sent running, waiting, refused;
    char room[2048];

    (void)state;
    sender_init(&sender, options_of(room, rogue, "\"max_running\":1,\"max_waiting\":1"));
    send_start(&sender, &running, (struct http_message){.method = "POST"});
    send_start(&sender, &waiting, (struct http_message){.method = "POST"});
    send_one(&sender, &refused, (struct http_message){.method = "POST"});
    assert_int_equal(refused.fault, HTTP_FAULT_BUSY);
    wait_for_requests(rogue, 1);
    /* The end of the first makes room for the second. */
    hf_outbound_post(&sender.set.outbound, &running.cancel);
    uv_sem_wait(&running.cancelled);
    send_wait(&running);
    assert_int_equal(running.fault, HTTP_FAULT_CANCELLED);
    assert_true(running.maybe_handled);
    wait_for_requests(rogue, 2);
    hf_outbound_post(&sender.set.outbound, &waiting.cancel);
    uv_sem_wait(&waiting.cancelled);
    send_wait(&waiting);
    sender_finish(&sender);
    rogue_close(rogue);
}

static void queued_calls_have_a_deadline(void **state)
{
    struct rogue *rogue = rogue_open(serve, "z");
    struct sender sender;
    struct sent running, waiting;
    char room[2048];

    (void)state;
    sender_init(&sender,
                options_of(room, rogue, "\"max_running\":1,\"timeouts\":{\"total_ms\":2000}"));
    send_start(&sender, &running, (struct http_message){.method = "POST"});
    wait_for_requests(rogue, 1);
    send_start(&sender, &waiting, (struct http_message){.method = "POST"});
    send_wait(&running);
    send_wait(&waiting);
    assert_int_equal(running.fault, HTTP_FAULT_TIMEOUT);
    assert_int_equal(waiting.fault, HTTP_FAULT_TIMEOUT);
    sender_finish(&sender);
    rogue_close(rogue);
}

/* A reload does not fail calls, whatever they wait for. */
static void stopping_lets_calls_end(void **state)
{
    struct rogue *rogue = rogue_open(serve, "czk");
    struct sender sender;
    struct sent sent[3];
    char room[2048];

    (void)state;
    sender_init(&sender, options_of(room, rogue,
                                    "\"max_running\":2,\"retries\":{\"delay_ms\":200},"
                                    "\"timeouts\":{\"answer_ms\":1000}"));
    send_start(&sender, &sent[0], (struct http_message){.method = "GET"}); /* will be delayed */
    rogue_wait_closed(rogue, 1);
    send_start(&sender, &sent[1],
               (struct http_message){.method = "GET"}); /* hangs, and is sent again */
    wait_for_requests(rogue, 2);
    send_start(&sender, &sent[2], (struct http_message){.method = "GET"}); /* waits */
    hf_upstream_stop(sender.upstream);
    for (int i = 0; i < 3; i++) {
        send_wait(&sent[i]);
        assert_int_equal(sent[i].status, 200);
    }
    /* With the last of them, it is closed; at the end, it stays so. */
    sender.set.ending = true;
    do
        send_one(&sender, &sent[0], (struct http_message){.method = "GET"});
    while (sent[0].fault != HTTP_FAULT_STOPPED);
    hf_module_drop(&sender.upstream->module);
    sender.upstream = NULL;
    sender_finish(&sender);
    rogue_close(rogue);
}

/* A call that a limit has held back may begin after the reload. */
static void calls_begin_after_the_stop(void **state)
{
    struct rogue *rogue = rogue_open(serve, "k");
    struct sender sender;
    struct sent sent[2];
    char room[2048];

    (void)state;
    sender_init(&sender, options_of(room, rogue, "\"max_running\":1"));
    hf_upstream_stop(sender.upstream);
    for (int i = 0; i < 2; i++)
        send_start(&sender, &sent[i], (struct http_message){.method = "POST"});
    for (int i = 0; i < 2; i++) {
        send_wait(&sent[i]);
        assert_int_equal(sent[i].status, 200);
    }
    send_one(&sender, &sent[0], (struct http_message){.method = "POST"});
    assert_int_equal(sent[0].status, 200);
    /* It ends with the last of them, since nothing else holds it. */
    hf_module_drop(&sender.upstream->module);
    sender.upstream = NULL;
    sender_finish(&sender);
    rogue_close(rogue);
}

static void stopping_does_not_hold_cancelled_calls(void **state)
{
    struct rogue *rogue = rogue_open(serve, "z");
    struct sender sender;
    struct sent sent;
    char room[2048];

    (void)state;
    sender_init(&sender, options_of(room, rogue, ""));
    send_start(&sender, &sent, (struct http_message){.method = "GET"});
    wait_for_requests(rogue, 1);
    hf_upstream_stop(sender.upstream);
    hf_outbound_post(&sender.set.outbound, &sent.cancel);
    uv_sem_wait(&sent.cancelled);
    send_wait(&sent);
    assert_int_equal(sent.fault, HTTP_FAULT_CANCELLED);
    hf_module_drop(&sender.upstream->module);
    sender.upstream = NULL;
    sender_finish(&sender);
    rogue_close(rogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults),
        cmocka_unit_test(reused_connection_dies),
        cmocka_unit_test(refused_connection),
        cmocka_unit_test(breaker_opens_and_closes),
        cmocka_unit_test(budget_limits_retries),
        cmocka_unit_test(queue_is_bounded),
        cmocka_unit_test(queued_calls_have_a_deadline),
        cmocka_unit_test(stopping_lets_calls_end),
        cmocka_unit_test(calls_begin_after_the_stop),
        cmocka_unit_test(stopping_does_not_hold_cancelled_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
