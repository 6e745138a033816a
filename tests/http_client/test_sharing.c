/* test_sharing.c - the limit on connections that libcurl and direct requests share: who makes room for whom. */
#define _GNU_SOURCE
#include "http_client/rogue.h"

#define FINE "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
#define LAST "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"

static void serve_fine(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        rogue_puts(fd, FINE);
}

/* Reads requests, and answers none. */
static void serve_nothing(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        ;
}

static atomic_bool may_answer;

/* Answers when the test says so. */
static void serve_late(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd)) {
        while (!atomic_load(&may_answer) && !atomic_load(&rogue->ends))
            poll(NULL, 0, 1);
        rogue_puts(fd, rogue->context);
    }
}

/* Until a server has read so many requests. */
static void run_until_read(struct asker *asker, struct rogue *rogue, int requests)
{
    while (atomic_load(&rogue->requests) < requests)
        uv_run(&asker->loop, UV_RUN_NOWAIT);
}

/* One that haft leaves to libcurl. */
static void start_with_libcurl(struct asker *asker, const char *url, struct outcome *outcome)
{
    ask_start(asker, (struct http_request_options){.url = url, .decode = true}, outcome);
}

static void expect_fine(struct asker *asker, struct outcome *outcome)
{
    run_until_over(asker, outcome);
    assert_string_equal(outcome->text, "no error");
    assert_string_equal(outcome->body, "hi");
}

enum way { ANSWERED, CLOSED, CANCELLED, TIMED_OUT, WAYS };

/* A request of libcurl gets the room that direct ones leave: they have ended with their connections, or have
 * left these idle. */
static void libcurl_gets_room_of_direct_requests(void **state)
{
    static struct outcome direct[2], held, waits;
    struct rogue *fine = rogue_open(serve_fine, NULL), *silent = rogue_open(serve_nothing, NULL);

    (void)state;
    for (enum way way = ANSWERED; way < WAYS; way++) {
        struct rogue *late = rogue_open(serve_late, way == CLOSED ? LAST : FINE);
        int before = atomic_load(&silent->requests);
        struct asker asker;

        atomic_store(&may_answer, false);
        asker_init_with(&asker, &(struct http_client_options){.max_connections = 2});
        for (size_t i = 0; i < COUNT_OF(direct); i++)
            ask_start(&asker,
                      (struct http_request_options){.url = late->url,
                                                    .answer_ms = way == TIMED_OUT ? 500 : 0},
                      &direct[i]);
        run_until_read(&asker, late, COUNT_OF(direct));
        start_with_libcurl(&asker, silent->url, &held);
        run_until_read(&asker, silent, before + 1);
        start_with_libcurl(&asker, fine->url, &waits);
        if (way == CANCELLED) {
            uv_run(&asker.loop, UV_RUN_NOWAIT);
            for (size_t i = 0; i < COUNT_OF(direct); i++)
                asker.http->cancel(direct[i].request);
        }
        atomic_store(&may_answer, way != TIMED_OUT);
        expect_fine(&asker, &waits);
        assert_int_equal(held.ends, 0);
        asker_finish(&asker);
        rogue_close(late);
    }
    rogue_close(fine);
    rogue_close(silent);
}

/* Each way has a connection, although the other has as many as there may be. */
static void both_ways_have_a_connection(void **state)
{
    static struct outcome held[2], outcome;
    struct rogue *fine = rogue_open(serve_fine, NULL);

    (void)state;
    for (unsigned most = 1; most <= COUNT_OF(held); most++)
        for (int direct = 0; direct < 2; direct++) {
            struct rogue *silent = rogue_open(serve_nothing, NULL);
            struct asker asker;

            asker_init_with(&asker, &(struct http_client_options){.max_connections = most});
            for (unsigned i = 0; i < most; i++)
                ask_start(&asker,
                          (struct http_request_options){.url = silent->url, .decode = !direct},
                          &held[i]);
            run_until_read(&asker, silent, (int)most);
            ask_start(&asker, (struct http_request_options){.url = fine->url, .decode = direct},
                      &outcome);
            expect_fine(&asker, &outcome);
            asker_finish(&asker);
            rogue_close(silent);
        }
    rogue_close(fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(libcurl_gets_room_of_direct_requests, asks_directly),
        cmocka_unit_test_setup(both_ways_have_a_connection, asks_directly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
