/* test_direct.c - requests that libcurl only connects for: which connections are used again, who waits for
 * one, and what becomes of a request that ends early.  What libcurl does as well is tested both ways: it does
 * not keep to the order of requests, and may read what came unasked as a response. */
#define _GNU_SOURCE
#include <netinet/tcp.h>

#include "http_client/rogue.h"

#define FINE "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static void serve_fine(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        rogue_puts(fd, FINE);
}

static void serve_text(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        rogue_puts(fd, rogue->context);
}

static void ask_fine(struct asker *asker, const char *url, struct outcome *outcome)
{
    ask(asker, (struct http_request_options){.url = url}, outcome);
    assert_string_equal(outcome->text, "no error");
    assert_string_equal(outcome->body, "hi");
}

/* The server counts a connection a moment after it serves it. */
static int count_connections(struct rogue *rogue, int expected)
{
    for (int ms = 0; ms < LONG_MS && atomic_load(&rogue->connections) < expected; ms++)
        poll(NULL, 0, 1);
    return atomic_load(&rogue->connections);
}

/* ---- responses in pieces ---- */

struct split {
    const char *text;
    atomic_size_t at;
};

static void serve_split(struct rogue *rogue, int fd, int number)
{
    const struct split *split = rogue->context;
    size_t size = strlen(split->text);
    int on = 1;

    (void)number;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    while (rogue_read(rogue, fd)) {
        size_t at = atomic_load(&split->at);

        rogue_write(fd, split->text, at);
        poll(NULL, 0, 1);
        rogue_write(fd, split->text + at, size - at);
    }
}

static void reads_what_is_split_anywhere(void **state)
{
    static const char *const texts[] = {
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" FINE,
        CHUNKED "1\r\nh\r\n1;a=b\r\ni\r\n0\r\nX: y\r\n\r\n",
    };
    static struct outcome outcome;
    struct asker asker;

    (void)state;
    asker_init(&asker);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct split split = {.text = texts[i]};
        struct rogue *rogue = rogue_open(serve_split, &split);

        for (size_t at = 0; at < strlen(texts[i]); at++) {
            atomic_store(&split.at, at);
            ask_fine(&asker, rogue->url, &outcome);
        }
        assert_int_equal(count_connections(rogue, 1), 1);
        rogue_close(rogue);
    }
    asker_finish(&asker);
}

/* ---- which connections are used again ---- */

static void uses_connections_again(void **state)
{
    static const struct {
        const char *text;
        int connections; /* for three requests */
    } rows[] = {
        {FINE, 1},
        {CHUNKED "2\r\nhi\r\n0\r\n\r\n", 1},
        {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi", 1},
        {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", 3},
        {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", 3},
        {"HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nhi", 3},
        {"HTTP/1.1 200 OK\r\nConnection:\tclose\t\r\nContent-Length: 2\r\n\r\nhi", 3},
        {"HTTP/1.1 200 OK\r\nConnection: x,\tclose ,y\r\nContent-Length: 2\r\n\r\nhi", 3},
        {"HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 2"
         "\r\n\r\nhi",
         3},
        {"HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n" FINE, 3},
        {"HTTP/1.1 200 OK\r\nConnection: closed, xclose\r\nContent-Length: 2\r\n\r\nhi", 1},
        /* Bytes that are not of the response, whatever they look like. */
        {FINE "!", 3},
        {FINE "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad", 3},
        {CHUNKED "2\r\nhi\r\n0\r\n\r\n\r\n", 3},
    };
    static struct outcome outcome;
    struct asker asker;

    (void)state;
    asker_init(&asker);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(serve_text, rows[i].text);

        for (int k = 0; k < 3; k++)
            ask_fine(&asker, rogue->url, &outcome);
        if (count_connections(rogue, rows[i].connections) != rows[i].connections)
            fail_msg("row %zu: %d connections", i, atomic_load(&rogue->connections));
        rogue_close(rogue);
    }
    asker_finish(&asker);
}

static atomic_int unasked;

static void serve_unasked(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd)) {
        rogue_puts(fd, FINE);
        poll(NULL, 0, 5);
        rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad");
        atomic_fetch_add(&unasked, 1);
    }
}

/* A response that comes before its request is not one. */
static void uses_no_connection_that_speaks_unasked(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_unasked, NULL);
    struct asker asker;

    (void)state;
    asker_init(&asker);
    for (int i = 0; i < 6; i++) {
        atomic_store(&unasked, 0);
        ask_fine(&asker, rogue->url, &outcome);
        while (!atomic_load(&unasked))
            poll(NULL, 0, 1);
        if (i % 2) /* it is noticed by the loop, or by the next request */
            uv_run(&asker.loop, UV_RUN_NOWAIT);
    }
    assert_int_equal(count_connections(rogue, 6), 6);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* A response that fills the buffer of a read, and another behind it. */
static void serve_two(struct rogue *rogue, int fd, int number)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 16342\r\n\r\n";
    char text[(16 << 10) + 64];
    enum { FIRST = sizeof head - 1 + 16342 };

    (void)number;
    _Static_assert(FIRST == 16 << 10, "as many bytes as are read at once");
    memset(text, 'x', sizeof text);
    memcpy(text, head, sizeof head - 1);
    strcpy(text + FIRST, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad");
    while (rogue_read(rogue, fd))
        rogue_puts(fd, text);
}

/* Also a request that waits gets no connection that has something to say. */
static void hands_on_no_connection_that_speaks_unasked(void **state)
{
    static struct outcome outcomes[4];
    struct rogue *rogue = rogue_open(serve_two, NULL);
    struct asker asker;

    (void)state;
    asker_init_with(&asker, &(struct http_client_options){.max_per_host = 1});
    for (size_t i = 0; i < COUNT_OF(outcomes); i++)
        ask_start(&asker, (struct http_request_options){.url = rogue->url}, &outcomes[i]);
    for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
        run_until_over(&asker, &outcomes[i]);
        assert_string_equal(outcomes[i].text, "no error");
        assert_int_equal(outcomes[i].size, 16342);
    }
    assert_int_equal(count_connections(rogue, COUNT_OF(outcomes)), COUNT_OF(outcomes));
    asker_finish(&asker);
    rogue_close(rogue);
}

/* A coding that llhttp does not see: it would take all that comes for the body. */
static void refuses_a_coding_with_a_tab(void **state)
{
    static char text[] =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_text, text);
    struct asker asker;

    (void)state;
    asker_init(&asker);
    ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
    assert_int_equal(outcome.error, HTTP_BAD_ANSWER);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* ---- limits ---- */

static void serve_in_turn(struct rogue *rogue, int fd, int number)
{
    char text[128];

    (void)number;
    while (rogue_read(rogue, fd)) {
        snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%c",
                 strstr(rogue->seen, "GET /") ? strstr(rogue->seen, "GET /")[5] : '?');
        rogue_puts(fd, text);
    }
}

static char order[16];

static void end_in_order(void *context, const struct http_end *end)
{
    struct outcome *outcome = context;

    on_end(context, end);
    strncat(order, outcome->body, 1);
}

static void waits_in_order(void **state)
{
    static struct outcome outcomes[6];
    struct rogue *rogue = rogue_open(serve_in_turn, NULL);
    struct asker asker;
    char url[80];

    (void)state;
    asker_init_with(&asker, &(struct http_client_options){.max_per_host = 1});
    *order = '\0';
    for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
        snprintf(url, sizeof url, "%s/%c", rogue->url, (char)('a' + i));
        ask_start(&asker, (struct http_request_options){.url = url, .on_end = end_in_order},
                  &outcomes[i]);
    }
    asker.http->cancel(outcomes[3].request);
    run_until_over(&asker, &outcomes[5]);
    assert_string_equal(order, "abcef");
    assert_int_equal(count_connections(rogue, 1), 1);
    asker_finish(&asker);
    rogue_close(rogue);
}

static void serve_silence(struct rogue *rogue, int fd, int number)
{
    (void)number;
    rogue_hold(rogue, fd);
}

/* To wait for a connection takes no longer than to open one may. */
static void limits_the_wait_for_a_connection(void **state)
{
    static struct outcome first, second;
    struct rogue *rogue = rogue_open(serve_silence, NULL), *other = rogue_open(serve_fine, NULL);
    struct asker asker;

    (void)state;
    for (int i = 0; i < 2; i++) {
        asker_init_with(&asker, &(struct http_client_options){.max_per_host = i ? 8 : 1,
                                                              .max_connections = i ? 1 : 64});
        ask_start(&asker, (struct http_request_options){.url = rogue->url}, &first);
        ask(&asker,
            (struct http_request_options){.url = i ? other->url : rogue->url, .connect_ms = 60},
            &second);
        assert_int_equal(second.error, HTTP_CONNECT_TIMEOUT);
        assert_false(second.maybe_handled);
        asker.http->cancel(first.request);
        ask_fine(&asker, other->url, &second);
        asker_finish(&asker);
    }
    rogue_close(rogue);
    rogue_close(other);
}

/* Those to other hosts that nobody uses make room, the oldest first; also for libcurl, and from it. */
static void closes_what_is_idle_to_connect_elsewhere(void **state)
{
    static struct outcome outcome;
    struct rogue *rogues[4];
    struct asker asker;

    (void)state;
    asker_init_with(&asker, &(struct http_client_options){.max_connections = 2});
    for (size_t i = 0; i < COUNT_OF(rogues); i++) {
        rogues[i] = rogue_open(serve_fine, NULL);
        ask_fine(&asker, rogues[i]->url, &outcome);
    }
    rogue_wait_closed(rogues[0], 1);
    rogue_wait_closed(rogues[1], 1);
    ask_fine(&asker, rogues[2]->url, &outcome);
    assert_int_equal(count_connections(rogues[2], 1), 1);
    for (size_t i = 0; i < COUNT_OF(rogues); i++) {
        ask(&asker, (struct http_request_options){.url = rogues[i]->url, .decode = i % 2},
            &outcome);
        assert_string_equal(outcome.text, "no error");
    }
    asker_finish(&asker);
    for (size_t i = 0; i < COUNT_OF(rogues); i++)
        rogue_close(rogues[i]);
}

/* One that waits gets the connection of another place, as soon as nobody uses it. */
static void makes_room_for_those_who_wait(void **state)
{
    static struct outcome outcomes[4];
    struct rogue *rogues[] = {rogue_open(serve_fine, NULL), rogue_open(serve_fine, NULL)};
    struct asker asker;

    (void)state;
    asker_init_with(&asker, &(struct http_client_options){.max_connections = 1});
    for (size_t i = 0; i < COUNT_OF(outcomes); i++)
        ask_start(&asker, (struct http_request_options){.url = rogues[i % 2]->url}, &outcomes[i]);
    for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
        run_until_over(&asker, &outcomes[i]);
        assert_string_equal(outcomes[i].text, "no error");
    }
    asker_finish(&asker);
    rogue_close(rogues[0]);
    rogue_close(rogues[1]);
}

static void serve_second_closes(struct rogue *rogue, int fd, int number)
{
    if (rogue_read(rogue, fd))
        rogue_puts(fd, FINE);
    if (!number)
        (void)rogue_read(rogue, fd);
    else
        serve_fine(rogue, fd, number);
}

/* A request that must have a new connection gets one, also if others have come before it. */
static void repeats_behind_those_who_wait(void **state)
{
    static struct outcome outcomes[3];
    struct rogue *rogue = rogue_open(serve_second_closes, NULL);
    struct asker asker;

    (void)state;
    asker_init_with(&asker, &(struct http_client_options){.max_per_host = 1});
    ask_fine(&asker, rogue->url, &outcomes[0]);
    for (size_t i = 0; i < COUNT_OF(outcomes); i++)
        ask_start(&asker, (struct http_request_options){.url = rogue->url, .may_repeat = true},
                  &outcomes[i]);
    for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
        run_until_over(&asker, &outcomes[i]);
        assert_string_equal(outcomes[i].text, "no error");
    }
    assert_int_equal(atomic_load(&rogue->requests), 5);
    assert_int_equal(count_connections(rogue, 3), 3);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* ---- bodies ---- */

static char large[8 << 20];

static void serve_early(struct rogue *rogue, int fd, int number)
{
    (void)number;
    rogue_waits(rogue, fd);
    rogue_puts(fd, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
    while (rogue->context && !atomic_load(&rogue->ends))
        poll(NULL, 0, 5);
}

/* The server need not read the body to answer. */
static void reads_an_early_answer(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_early, "holds");
    struct asker asker;

    (void)state;
    asker_init(&asker);
    for (int i = 0; i < 3; i++) {
        ask(&asker,
            (struct http_request_options){
                .method = "POST", .url = rogue->url, .body = large, .body_size = sizeof large},
            &outcome);
        assert_string_equal(outcome.text, "no error");
        assert_int_equal(outcome.status, 413);
        assert_string_equal(outcome.body, "no");
    }
    assert_int_equal(count_connections(rogue, 3), 3); /* part of the body was not sent */
    asker_finish(&asker);
    rogue_close(rogue);
}

static void serve_deaf(struct rogue *rogue, int fd, int number)
{
    (void)fd;
    (void)number;
    while (!atomic_load(&rogue->ends))
        poll(NULL, 0, 5);
}

static void limits_the_wait_for_a_reader(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_deaf, NULL);
    struct asker asker;

    (void)state;
    asker_init(&asker);
    ask(&asker,
        (struct http_request_options){.method = "POST",
                                      .url = rogue->url,
                                      .body = large,
                                      .body_size = sizeof large,
                                      .idle_ms = 100},
        &outcome);
    assert_int_equal(outcome.error, HTTP_IDLE_TIMEOUT);
    assert_true(outcome.maybe_handled);
    asker_finish(&asker);
    rogue_close(rogue);
}

static void serve_for_ever(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd) && rogue_puts(fd, "HTTP/1.1 200 OK\r\n\r\n"))
        while (!atomic_load(&rogue->ends) && rogue_write(fd, large, sizeof large))
            ;
}

static void take_nothing(void *context, const char *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
}

/* A server that always has more does not keep others from their turn. */
static void gives_others_their_turn(void **state)
{
    static struct outcome outcome, second;
    struct rogue *rogue = rogue_open(serve_for_ever, NULL), *other = rogue_open(serve_fine, NULL);
    struct asker asker;

    (void)state;
    asker_init(&asker);
    ask_start(
        &asker,
        (struct http_request_options){
            .url = rogue->url, .max_answer = SIZE_MAX, .total_ms = 300, .on_body = take_nothing},
        &outcome);
    ask_fine(&asker, other->url, &second);
    run_until_over(&asker, &outcome);
    assert_int_equal(outcome.error, HTTP_TOTAL_TIMEOUT);
    asker_finish(&asker);
    rogue_close(rogue);
    rogue_close(other);
}

/* ---- ends before the end ---- */

static void serve_no_answer(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd))
        rogue_hold(rogue, fd);
}

enum stage { WAITING, CONNECTING, SENDING, SENT, IN_BODY, STAGES };

static void serve_half(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd))
        rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    rogue_hold(rogue, fd);
}

static bool has_come_to(enum stage stage, struct rogue *rogue, const struct outcome *outcome)
{
    switch (stage) {
    case SENDING:
        return atomic_load(&rogue->connections) > 0;
    case SENT:
        return atomic_load(&rogue->requests) > 0;
    case IN_BODY:
        return outcome->size > 0;
    default:
        return true;
    }
}

/* Cancelled, or with the client, wherever it stands: it ends once, and the next is undisturbed. */
static void ends_wherever_it_stands(void **state)
{
    static struct outcome before, outcome, after;
    struct rogue *fine = rogue_open(serve_fine, NULL);

    (void)state;
    for (int i = 0; i < 2 * STAGES; i++) {
        enum stage stage = (enum stage)(i / 2);
        struct rogue *rogue = rogue_open(stage == IN_BODY   ? serve_half
                                         : stage == SENDING ? serve_deaf
                                         : stage == SENT    ? serve_no_answer
                                                            : serve_silence,
                                         NULL);
        struct asker asker;

        asker_init_with(&asker, &(struct http_client_options){.max_per_host = 1});
        if (stage == WAITING)
            ask_start(&asker, (struct http_request_options){.url = rogue->url}, &before);
        ask_start(&asker,
                  (struct http_request_options){.method = "POST",
                                                .url = rogue->url,
                                                .body = large,
                                                .body_size = stage == SENDING ? sizeof large : 4},
                  &outcome);
        while (!has_come_to(stage, rogue, &outcome))
            uv_run(&asker.loop, UV_RUN_NOWAIT);
        for (int k = 0; k < 3 && stage == SENDING; k++)
            uv_run(&asker.loop, UV_RUN_NOWAIT);
        if (i % 2) {
            asker.http->destroy(asker.client);
            asker.client = NULL;
        } else {
            asker.http->cancel(outcome.request);
            ask_fine(&asker, fine->url, &after);
        }
        assert_int_equal(outcome.ends, 1);
        if (outcome.error != HTTP_CANCELLED || outcome.maybe_handled != (stage >= SENDING))
            fail_msg("stage %d: %s, %d", (int)stage, outcome.text, outcome.maybe_handled);
        asker_finish(&asker);
        rogue_close(rogue);
    }
    rogue_close(fine);
}

/* ---- memory ---- */

static void end_and_ask_again(void *context, const struct http_end *end)
{
    struct outcome *outcome = context;

    on_end(context, end);
    (void)outcome->asker->http->start(outcome->asker->client,
                                      &(struct http_request_options){.url = outcome->fields}, NULL);
}

static void body_and_pause(void *context, const char *bytes, size_t size)
{
    struct outcome *outcome = context;

    on_body(context, bytes, size);
    outcome->asker->http->pause(outcome->request);
}

/* The time of a request that is resumed runs again. */
static void limits_what_is_resumed(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_half, NULL);
    struct asker asker;
    uint64_t start;

    (void)state;
    asker_init(&asker);
    ask_start(
        &asker,
        (struct http_request_options){
            .url = rogue->url, .on_body = body_and_pause, .idle_ms = 200, .total_ms = LONG_MS},
        &outcome);
    while (!outcome.size && !outcome.ends)
        uv_run(&asker.loop, UV_RUN_ONCE);
    for (start = uv_hrtime(); uv_hrtime() - start < 400000000;) /* the first time has passed */
        uv_run(&asker.loop, UV_RUN_NOWAIT);
    assert_int_equal(outcome.ends, 0);
    asker.http->resume(outcome.request);
    run_until_over(&asker, &outcome);
    assert_int_equal(outcome.error, HTTP_IDLE_TIMEOUT);
    assert_true(uv_hrtime() - start < LONG_MS / 2 * UINT64_C(1000000)); /* not only at its end */
    asker_finish(&asker);
    rogue_close(rogue);
}

/* Requests that wait, that are paused with bytes behind them, and on a connection that is used again. */
static void survives_every_failing_allocation(void **state)
{
    static struct outcome outcomes[3];
    struct rogue *rogue = rogue_open(serve_text, CHUNKED "1\r\nh\r\n1\r\ni\r\n0\r\n\r\n");

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct asker asker = {.http = hf_http_client_open("this test", NULL)};
        struct failing failing;

        failing_init(&failing, nth);
        uv_loop_init(&asker.loop);
        asker.client = hf_http_client_new(
            asker.http, &asker.loop,
            &(struct http_client_options){.allocator = &failing.allocator, .max_per_host = 1},
            NULL);
        for (size_t i = 0; asker.client && i < COUNT_OF(outcomes); i++) {
            struct outcome *outcome = &outcomes[i];

            memset(outcome, 0, sizeof *outcome);
            outcome->asker = &asker;
            outcome->heads = 1;
            snprintf(outcome->fields, sizeof outcome->fields, "%s", rogue->url);
            outcome->request = asker.http->start(
                asker.client,
                &(struct http_request_options){.url = rogue->url,
                                               .on_body = i ? on_body : body_and_pause,
                                               .on_end = i ? on_end : end_and_ask_again,
                                               .context = outcome},
                NULL);
            outcome->ends = !outcome->request;
        }
        for (size_t i = 0; asker.client && i < COUNT_OF(outcomes); i++)
            while (!outcomes[i].ends) {
                uv_run(&asker.loop, UV_RUN_ONCE);
                if (!i && !outcomes[i].ends)
                    asker.http->resume(outcomes[i].request);
            }
        for (size_t i = 0; asker.client && i < COUNT_OF(outcomes); i++)
            if (outcomes[i].request && outcomes[i].error != HTTP_NO_MEMORY)
                assert_string_equal(outcomes[i].body, "hi");
        asker_finish(&asker);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    rogue_close(rogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_both_ways(reads_what_is_split_anywhere),
        cmocka_unit_test_setup(uses_connections_again, asks_directly),
        cmocka_unit_test_setup(uses_no_connection_that_speaks_unasked, asks_directly),
        cmocka_unit_test_setup(hands_on_no_connection_that_speaks_unasked, asks_directly),
        cmocka_unit_test_setup(refuses_a_coding_with_a_tab, asks_directly),
        cmocka_unit_test_setup(waits_in_order, asks_directly),
        cmocka_unit_test_setup(limits_the_wait_for_a_connection, asks_directly),
        cmocka_unit_test_setup(closes_what_is_idle_to_connect_elsewhere, asks_directly),
        cmocka_unit_test_setup(makes_room_for_those_who_wait, asks_directly),
        cmocka_unit_test_setup(repeats_behind_those_who_wait, asks_directly),
        cmocka_unit_test_both_ways(reads_an_early_answer),
        cmocka_unit_test_both_ways(limits_the_wait_for_a_reader),
        cmocka_unit_test_both_ways(gives_others_their_turn),
        cmocka_unit_test_both_ways(ends_wherever_it_stands),
        cmocka_unit_test_both_ways(limits_what_is_resumed),
        cmocka_unit_test_setup(survives_every_failing_allocation, asks_directly),
    };

    haft_part_register(&haft_http_client_part);
    memset(large, 'x', sizeof large);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
