/* test_streams.c - connections without HTTP on them: bytes both ways, ends of every kind, memory that
 * fails. */
#define _GNU_SOURCE
#include <fcntl.h>

#include "http_client/rogue.h"

/* ---- a stream whose events are noted ---- */

struct flow {
    struct asker *asker;
    http_stream *stream;
    int opens, ends, writables;
    enum http_error error;
    char text[512];
    char *bytes;
    size_t size, most; /* received; the most that is kept */
    const char *greeting;
    bool closes, destroys, pauses;     /* at the first bytes */
    bool closes_early, destroys_early; /* when it opens */
};

static void flow_on_open(void *context)
{
    struct flow *flow = context;

    assert_int_equal(flow->ends, 0);
    flow->opens++;
    if (flow->greeting)
        assert_int_equal(
            flow->asker->http->stream_send(flow->stream, flow->greeting, strlen(flow->greeting)),
            0);
    if (flow->closes_early)
        flow->asker->http->stream_close(flow->stream);
    if (flow->destroys_early)
        flow->asker->http->destroy(flow->asker->client);
}

static void flow_on_bytes(void *context, const char *bytes, size_t size)
{
    struct flow *flow = context;

    assert_int_equal(flow->opens, 1);
    assert_int_equal(flow->ends, 0);
    for (size_t i = 0; i < size; i++)
        if (flow->size + i < flow->most)
            flow->bytes[flow->size + i] = bytes[i];
    flow->size += size;
    if (flow->pauses)
        flow->asker->http->stream_pause(flow->stream);
    if (flow->closes)
        flow->asker->http->stream_close(flow->stream);
    if (flow->destroys)
        flow->asker->http->destroy(flow->asker->client);
}

static void flow_on_writable(void *context)
{
    struct flow *flow = context;

    assert_int_equal(flow->asker->http->stream_unsent(flow->stream), 0);
    flow->writables++;
}

static void flow_on_end(void *context, const struct http_end *end)
{
    struct flow *flow = context;

    flow->ends++;
    flow->error = end->error;
    snprintf(flow->text, sizeof flow->text, "%s", end->text);
    assert_int_equal(flow->asker->http->stream_send(flow->stream, "x", 1), HAFT_ECLOSED);
    flow->asker->http->stream_close(flow->stream);
}

static struct http_stream_options flow_options(struct flow *flow, const char *url)
{
    return (struct http_stream_options){.url = url,
                                        .on_open = flow_on_open,
                                        .on_bytes = flow_on_bytes,
                                        .on_writable = flow_on_writable,
                                        .on_end = flow_on_end,
                                        .context = flow};
}

static void flow_open(struct flow *flow, struct asker *asker, struct http_stream_options options)
{
    haft_reason reason = {0};

    flow->asker = asker;
    flow->stream = asker->http->open_stream(asker->client, &options, &reason);
    if (!flow->stream)
        fail_msg("%s: %s", reason.path, reason.text);
    assert_int_equal(flow->opens + flow->ends, 0);
    assert_int_equal(asker->http->stream_send(flow->stream, "x", 1), HAFT_EBUSY);
}

static void run_until_end(struct asker *asker, const struct flow *flow)
{
    while (!flow->ends)
        uv_run(&asker->loop, UV_RUN_ONCE);
}

/* ---- servers ---- */

static void serve_echo(struct rogue *rogue, int fd, int number)
{
    char room[65536];
    ssize_t n;

    (void)number;
    while (rogue_waits(rogue, fd) && (n = read(fd, room, sizeof room)) > 0)
        rogue_write(fd, room, (size_t)n);
}

static void serve_greeting(struct rogue *rogue, int fd, int number)
{
    (void)number;
    rogue_puts(fd, "hello");
    rogue_hold(rogue, fd);
}

static void serve_end(struct rogue *rogue, int fd, int number)
{
    (void)rogue, (void)number;
    rogue_puts(fd, "bye");
}

static void serve_reset(struct rogue *rogue, int fd, int number)
{
    char room[16];

    (void)number;
    if (rogue_waits(rogue, fd) && read(fd, room, sizeof room) > 0)
        rogue_reset(fd);
}

static void serve_nothing(struct rogue *rogue, int fd, int number)
{
    (void)number;
    rogue_hold(rogue, fd);
}

static atomic_bool may_read;

static void serve_when_told(struct rogue *rogue, int fd, int number)
{
    while (!atomic_load(&may_read) && !atomic_load(&rogue->ends))
        poll(NULL, 0, 1);
    serve_echo(rogue, fd, number);
}

/* A proxy: what follows its answer is an echo. */
static void serve_proxy(struct rogue *rogue, int fd, int number)
{
    if (rogue_read(rogue, fd) && rogue_saw(rogue, "CONNECT somewhere.test:80 HTTP/1.1"))
        rogue_puts(fd, "HTTP/1.1 200 Connected\r\n\r\n");
    else
        rogue_puts(fd, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    serve_echo(rogue, fd, number);
}

/* ---- bytes ---- */

static void sends_and_receives(void **state)
{
    struct rogue *rogue = rogue_open(serve_echo, NULL);
    char room[64] = "";
    struct flow flow = {.greeting = "over there?", .bytes = room, .most = 63};
    struct asker asker;

    (void)state;
    asker_init(&asker);
    flow_open(&flow, &asker, flow_options(&flow, rogue->url));
    while (flow.size < 11)
        uv_run(&asker.loop, UV_RUN_ONCE);
    assert_int_equal(asker.http->stream_send(flow.stream, " here!", 6), 0);
    while (flow.size < 17)
        uv_run(&asker.loop, UV_RUN_ONCE);
    assert_string_equal(room, "over there? here!");
    asker.http->stream_close(flow.stream);
    assert_int_equal(flow.ends, 1);
    assert_int_equal(flow.error, HTTP_CANCELLED);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* More than any buffer holds, to a server that does not read at first. */
static void sends_much(void **state)
{
    enum { MUCH = 8 << 20 };
    struct rogue *rogue = rogue_open(serve_when_told, NULL);
    char *bytes = malloc(MUCH), *back = malloc(MUCH);
    struct flow flow = {.bytes = back, .most = MUCH};
    struct http_stream_options options = flow_options(&flow, rogue->url);
    struct asker asker;
    size_t unsent;

    (void)state;
    for (size_t i = 0; i < MUCH; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    asker_init(&asker);
    options.max_unsent = MUCH;
    atomic_store(&may_read, false);
    flow_open(&flow, &asker, options);
    while (!flow.opens)
        uv_run(&asker.loop, UV_RUN_ONCE);
    assert_int_equal(asker.http->stream_send(flow.stream, bytes, MUCH), 0);
    unsent = asker.http->stream_unsent(flow.stream);
    assert_in_range(unsent, 1, MUCH);
    assert_int_equal(asker.http->stream_send(flow.stream, bytes, MUCH - unsent + 1), HAFT_ETOOBIG);
    atomic_store(&may_read, true);
    while (flow.size < MUCH)
        uv_run(&asker.loop, UV_RUN_ONCE);
    assert_memory_equal(bytes, back, MUCH);
    while (!flow.writables)
        uv_run(&asker.loop, UV_RUN_ONCE);
    assert_int_equal(flow.writables, 1);
    asker_finish(&asker);
    assert_int_equal(flow.ends, 1);
    rogue_close(rogue);
    free(bytes);
    free(back);
}

static void pauses(void **state)
{
    struct rogue *rogue = rogue_open(serve_echo, NULL);
    struct flow flow = {.greeting = "one", .pauses = true};
    struct asker asker;

    (void)state;
    asker_init(&asker);
    flow_open(&flow, &asker, flow_options(&flow, rogue->url));
    while (flow.size < 3)
        uv_run(&asker.loop, UV_RUN_ONCE);
    assert_int_equal(asker.http->stream_send(flow.stream, "two", 3), 0);
    for (int i = 0; i < 20; i++) {
        uv_run(&asker.loop, UV_RUN_NOWAIT);
        poll(NULL, 0, 1);
    }
    assert_int_equal(flow.size, 3);
    asker.http->stream_resume(flow.stream);
    while (flow.size < 6)
        uv_run(&asker.loop, UV_RUN_ONCE);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* A stream that always has more to read does not hold up a request. */
static void shares_the_loop(void **state)
{
    static struct outcome outcome;
    static char chunk[1 << 20];
    struct rogue *rogue = rogue_open(serve_echo, NULL), *other = rogue_open(serve_end, NULL);
    struct flow flow = {.size = 0};
    struct asker asker;

    (void)state;
    asker_init(&asker);
    flow_open(&flow, &asker, flow_options(&flow, rogue->url));
    while (!flow.opens)
        uv_run(&asker.loop, UV_RUN_ONCE);
    ask_start(&asker, (struct http_request_options){.url = other->url}, &outcome);
    while (!outcome.ends) {
        if (asker.http->stream_unsent(flow.stream) < sizeof chunk)
            assert_int_equal(asker.http->stream_send(flow.stream, chunk, sizeof chunk), 0);
        uv_run(&asker.loop, UV_RUN_ONCE);
    }
    assert_int_equal(outcome.error, HTTP_BAD_ANSWER);
    asker_finish(&asker);
    rogue_close(rogue);
    rogue_close(other);
}

/* ---- ends ---- */

static bool refuse_address(void *context, const struct sockaddr *address, socklen_t size)
{
    (void)context, (void)address, (void)size;
    return false;
}

static void ends(void **state)
{
    static const struct {
        void (*serve)(struct rogue *rogue, int fd, int number); /* NULL: nobody listens */
        const char *scheme;
        bool refuses; /* this address */
        enum http_error error;
        const char *bytes;
    } rows[] = {
        {serve_end, "http", false, HTTP_OK, "bye"},
        {serve_reset, "http", false, HTTP_LOST, ""},
        {NULL, "http", false, HTTP_CONNECT_FAILED, ""},
        {serve_end, "http", true, HTTP_ADDRESS_REFUSED, ""},
        {serve_nothing, "https", false, HTTP_TLS_TIMEOUT, ""},
        {serve_end, "https", false, HTTP_TLS_FAILED, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(rows[i].serve ? rows[i].serve : serve_end, NULL);
        char room[64] = "", url[64];
        struct flow flow = {
            .greeting = rows[i].serve == serve_reset ? "x" : NULL, .bytes = room, .most = 63};
        struct http_client_options options = {.allow_address =
                                                  rows[i].refuses ? refuse_address : NULL};
        struct http_stream_options stream = flow_options(&flow, url);
        struct asker asker;

        snprintf(url, sizeof url, "%s://127.0.0.1:%d/path", rows[i].scheme, rogue->port);
        if (!rows[i].serve) {
            rogue_close(rogue);
            rogue = NULL;
        }
        stream.tls_ms = rows[i].error == HTTP_TLS_TIMEOUT ? 100 : 0;
        asker_init_with(&asker, &options);
        flow_open(&flow, &asker, stream);
        run_until_end(&asker, &flow);
        if (flow.error != rows[i].error)
            fail_msg("row %zu: %s", i, flow.text);
        assert_string_equal(room, rows[i].bytes);
        assert_int_equal(flow.ends, 1);
        asker_finish(&asker);
        assert_int_equal(flow.ends, 1);
        if (rogue)
            rogue_close(rogue);
    }
}

/* Before it is connected, when it is, at its first bytes: by itself or with its client. */
static void ends_at_any_moment(void **state)
{
    (void)state;
    for (int row = 0; row < 6; row++) {
        struct rogue *rogue = rogue_open(serve_greeting, NULL);
        struct flow flow = {.closes = row == 0,
                            .destroys = row == 1,
                            .closes_early = row == 2,
                            .destroys_early = row == 3};
        struct asker asker;

        asker_init(&asker);
        flow_open(&flow, &asker, flow_options(&flow, rogue->url));
        if (row == 4)
            asker.http->stream_close(flow.stream);
        if (row == 5)
            asker.http->destroy(asker.client);
        run_until_end(&asker, &flow);
        assert_int_equal(flow.error, HTTP_CANCELLED);
        if (row % 2 == 0)
            asker.http->destroy(asker.client);
        uv_run(&asker.loop, UV_RUN_DEFAULT);
        assert_int_equal(uv_loop_close(&asker.loop), 0);
        assert_int_equal(flow.ends, 1);
        rogue_close(rogue);
    }
}

static void refuses_options(void **state)
{
    static const struct {
        const char *url;
        int code;
    } rows[] = {{"ws://127.0.0.1/", HAFT_EINVAL},
                {"", HAFT_EINVAL},
                {"http://user:password@127.0.0.1/", HAFT_EINVAL}};
    struct flow flow = {.size = 0};
    struct asker asker;

    (void)state;
    asker_init_with(&asker, &(struct http_client_options){.max_requests = 1});
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct http_stream_options options = flow_options(&flow, rows[i].url);
        haft_reason reason = {0};

        assert_null(asker.http->open_stream(asker.client, &options, &reason));
        assert_int_equal(reason.code, rows[i].code);
    }
    assert_int_equal(flow.ends, 0);
    asker_finish(&asker);
}

/* ---- proxies ---- */

static void goes_through_proxies(void **state)
{
    static const struct {
        const char *url;
        enum http_error error;
    } rows[] = {{"http://somewhere.test/", HTTP_CANCELLED},
                {"http://elsewhere.test/", HTTP_PROXY_FAILED}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(serve_proxy, NULL);
        struct flow flow = {.greeting = "through", .closes = true};
        struct asker asker;

        asker_init_with(&asker, &(struct http_client_options){.proxy = rogue->url});
        flow_open(&flow, &asker, flow_options(&flow, rows[i].url));
        run_until_end(&asker, &flow);
        if (flow.error != rows[i].error)
            fail_msg("row %zu: %s", i, flow.text);
        assert_int_equal(flow.size, i ? 0 : 7);
        asker_finish(&asker);
        rogue_close(rogue);
    }
}

/* ---- memory ---- */

static void survives_without_memory(void **state)
{
    struct rogue *rogue = rogue_open(serve_echo, NULL);
    size_t nth;

    (void)state;
    haft_part_register(&haft_http_client_part);
    for (nth = 1;; nth++) {
        const struct http_client_functions *http = hf_http_client_open("this test", NULL);
        struct flow flow = {.closes = true};
        struct http_stream_options options = flow_options(&flow, rogue->url);
        struct asker asker = {.http = http};
        struct failing failing;

        failing_init(&failing, nth);
        assert_int_equal(uv_loop_init(&asker.loop), 0);
        asker.client = hf_http_client_new(
            http, &asker.loop, &(struct http_client_options){.allocator = &failing.allocator},
            NULL);
        flow.asker = &asker;
        flow.stream = asker.client ? http->open_stream(asker.client, &options, NULL) : NULL;
        while (flow.stream && !flow.opens && !flow.ends)
            uv_run(&asker.loop, UV_RUN_ONCE);
        if (flow.opens && http->stream_send(flow.stream, "hello", 5))
            http->stream_close(flow.stream);
        if (flow.stream)
            run_until_end(&asker, &flow);
        http->destroy(asker.client);
        uv_run(&asker.loop, UV_RUN_DEFAULT);
        assert_int_equal(uv_loop_close(&asker.loop), 0);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    assert_true(nth > 5);
    rogue_close(rogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_and_receives),
        cmocka_unit_test(sends_much),
        cmocka_unit_test(pauses),
        cmocka_unit_test(shares_the_loop),
        cmocka_unit_test(ends),
        cmocka_unit_test(ends_at_any_moment),
        cmocka_unit_test(refuses_options),
        cmocka_unit_test(goes_through_proxies),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
