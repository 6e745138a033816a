/* test_control.c - requests that are cancelled, paused, refused by address, too many or too slow to
 * connect; clients that are freed at any moment; memory that fails. */
#define _GNU_SOURCE
#include <netdb.h>
#include <fcntl.h>

#include "http_client/rogue.h"

#define FINE "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

static void serve_fine(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        rogue_puts(fd, FINE);
}

/* ---- names ---- */

static atomic_bool resolver_hangs, resolver_was_asked;

/* In place of the C library's: a name that takes its time, when a test wants it to. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    struct sockaddr_in *name;

    (void)hints;
    atomic_store(&resolver_was_asked, true);
    for (int i = 0; i < 3000 && atomic_load(&resolver_hangs); i++)
        poll(NULL, 0, 1);
    if (!node || strcmp(node, "good.test"))
        return EAI_NONAME;
    *result = calloc(1, sizeof **result);
    name = calloc(1, sizeof *name);
    name->sin_family = AF_INET;
    name->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name->sin_port = htons((uint16_t)strtol(service ? service : "0", NULL, 10));
    **result = (struct addrinfo){.ai_family = AF_INET,
                                 .ai_socktype = SOCK_STREAM,
                                 .ai_addr = (struct sockaddr *)name,
                                 .ai_addrlen = sizeof *name};
    return 0;
}

void freeaddrinfo(struct addrinfo *result)
{
    free(result->ai_addr);
    free(result);
}

static void resolves_names(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_fine, NULL);
    struct asker asker;
    char url[64];
    uint64_t start;

    (void)state;
    asker_init(&asker);
    snprintf(url, sizeof url, "http://good.test:%d/", rogue->port);
    ask(&asker, (struct http_request_options){.url = url}, &outcome);
    assert_string_equal(outcome.text, "no error");
    ask(&asker, (struct http_request_options){.url = "http://bad.test/"}, &outcome);
    assert_int_equal(outcome.error, HTTP_RESOLVE_FAILED);
    assert_non_null(strstr(outcome.text, "bad.test"));
    assert_false(outcome.maybe_handled);
    /* A name is decoded once: this one is not an address. */
    snprintf(url, sizeof url, "http://127.0.0.%%2531:%d/", rogue->port);
    ask(&asker, (struct http_request_options){.url = url}, &outcome);
    assert_int_equal(outcome.error, HTTP_RESOLVE_FAILED);
    assert_int_equal(atomic_load(&rogue->requests), 1);

    /* One that does not come back holds up neither the request nor the end of the client. */
    atomic_store(&resolver_hangs, true);
    start = uv_hrtime();
    ask(&asker, (struct http_request_options){.url = "http://slow.test/", .connect_ms = 100},
        &outcome);
    assert_int_equal(outcome.error, HTTP_CONNECT_TIMEOUT);
    atomic_store(&resolver_was_asked, false);
    ask_start(&asker, (struct http_request_options){.url = "http://slower.test/"}, &outcome);
    while (!atomic_load(&resolver_was_asked))
        uv_run(&asker.loop, UV_RUN_NOWAIT);
    asker_finish(&asker);
    assert_int_equal(outcome.error, HTTP_CANCELLED);
    assert_int_equal(outcome.ends, 1);
    assert_true(uv_hrtime() - start < (uint64_t)LONG_MS * 1000000);
    atomic_store(&resolver_hangs, false);
    rogue_close(rogue);
}

/* ---- cancelling ---- */

enum where { AT_ONCE, IN_HEAD, IN_BODY, IN_END, LATER };

struct deed {
    enum where where;
    void (*act)(struct outcome *outcome);
};

static const struct deed *deed_now;
static bool client_is_gone;

static void do_if(enum where where, struct outcome *outcome)
{
    if (deed_now && deed_now->where == where) {
        const struct deed *deed = deed_now;

        deed_now = NULL;
        deed->act(outcome);
    }
}

static void head_and_act(void *context, const struct http_head *head)
{
    on_head(context, head);
    do_if(IN_HEAD, context);
}

static void body_and_act(void *context, const char *bytes, size_t size)
{
    on_body(context, bytes, size);
    do_if(IN_BODY, context);
}

static void end_and_act(void *context, const struct http_end *end)
{
    on_end(context, end);
    do_if(IN_END, context);
}

static void act_cancel(struct outcome *outcome)
{
    outcome->asker->http->cancel(outcome->request);
    assert_int_equal(outcome->ends, 1);
}

static void act_destroy(struct outcome *outcome)
{
    outcome->asker->http->destroy(outcome->asker->client);
    assert_int_equal(outcome->ends, 1);
    client_is_gone = true;
}

static struct outcome another;

static void act_pause(struct outcome *outcome)
{
    outcome->asker->http->pause(outcome->request);
}

static void act_pause_and_resume(struct outcome *outcome)
{
    outcome->asker->http->pause(outcome->request);
    outcome->asker->http->resume(outcome->request);
}

static void serve_long(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd)) {
        rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n");
        for (int i = 0; i < 300; i++)
            rogue_write(fd,
                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                        100);
    }
}

static void serve_half(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd))
        rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\nhalf");
    rogue_hold(rogue, fd);
}

/* Every deed at every place: one end, and nothing after it. */
static void ends_once_whatever_happens(void **state)
{
    static const struct {
        void (*act)(struct outcome *);
        bool cancels;
    } deeds[] = {{act_cancel, true}, {act_destroy, true}, {act_pause_and_resume, false}};
    static struct outcome outcome, second;
    struct rogue *rogue = rogue_open(serve_long, NULL), *half = rogue_open(serve_half, NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(deeds) * 5; i++) {
        struct deed deed = {.where = (enum where)(i % 5), .act = deeds[i / 5].act};
        struct http_request_options options = {.url = rogue->url,
                                               .on_head = head_and_act,
                                               .on_body = body_and_act,
                                               .on_end = end_and_act};
        struct asker asker;
        bool cancels = deeds[i / 5].cancels && deed.where != IN_END;

        if (deed.where == LATER && !cancels)
            continue;
        if (deed.where == LATER)
            options.url = half->url;
        asker_init(&asker);
        client_is_gone = false;
        deed_now = &deed;
        ask_start(&asker, options, &outcome);
        /* One beside it, which is to be undisturbed. */
        ask_start(&asker, (struct http_request_options){.url = rogue->url}, &second);
        do_if(AT_ONCE, &outcome);
        while (deed.where == LATER && !outcome.size)
            uv_run(&asker.loop, UV_RUN_ONCE);
        do_if(LATER, &outcome);
        run_until_over(&asker, &outcome);
        run_until_over(&asker, &second);
        if (outcome.ends != 1 || second.ends != 1 || (cancels && outcome.error != HTTP_CANCELLED) ||
            (!cancels && outcome.error != HTTP_OK) ||
            (!client_is_gone && (second.error != HTTP_OK || second.size != 30000)))
            fail_msg("deed %zu at %d: %s, and %s", i / 5, (int)deed.where, outcome.text,
                     second.text);
        if (client_is_gone)
            asker.client = NULL;
        asker_finish(&asker);
        assert_int_equal(outcome.ends, 1);
    }
    rogue_close(rogue);
    rogue_close(half);
}

/* A request may be started from every callback. */
static struct rogue *next_rogue;

static void act_ask_again(struct outcome *outcome)
{
    ask_start(outcome->asker, (struct http_request_options){.url = next_rogue->url}, &another);
}

static void starts_from_callbacks(void **state)
{
    static struct outcome outcome;
    struct asker asker;

    (void)state;
    next_rogue = rogue_open(serve_fine, NULL);
    asker_init(&asker);
    for (enum where where = IN_HEAD; where <= IN_END; where++) {
        struct deed deed = {where, act_ask_again};

        deed_now = &deed;
        ask_start(&asker,
                  (struct http_request_options){.url = next_rogue->url,
                                                .on_head = head_and_act,
                                                .on_body = body_and_act,
                                                .on_end = end_and_act},
                  &outcome);
        run_until_over(&asker, &outcome);
        run_until_over(&asker, &another);
        assert_string_equal(outcome.text, "no error");
        assert_string_equal(another.text, "no error");
    }
    asker_finish(&asker);
    rogue_close(next_rogue);
}

/* ---- pausing ---- */

static atomic_size_t flooded;

static void serve_flood(struct rogue *rogue, int fd, int number)
{
    static char block[1 << 16];

    (void)number;
    if (!rogue_read(rogue, fd))
        return;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n");
    for (size_t left = 64 << 20; left && !atomic_load(&rogue->ends);) {
        ssize_t n = send(fd, block, left < sizeof block ? left : sizeof block, MSG_NOSIGNAL);

        if (n > 0) {
            left -= (size_t)n;
            atomic_fetch_add(&flooded, (size_t)n);
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 10);
        } else {
            return;
        }
    }
    rogue_hold(rogue, fd);
}

static size_t seen_bytes;

static void count_body(void *context, const char *bytes, size_t size)
{
    (void)bytes;
    seen_bytes += size;
    do_if(IN_BODY, context);
}

/* What is not read stays with the server, and time does not pass. */
static void holds_back_what_is_paused(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_flood, NULL);
    struct deed deed = {IN_BODY, act_pause};
    struct asker asker;
    uint64_t start;
    size_t before;

    (void)state;
    asker_init(&asker);
    deed_now = &deed;
    seen_bytes = 0;
    atomic_store(&flooded, 0);
    ask_start(
        &asker,
        (struct http_request_options){
            .url = rogue->url, .on_body = count_body, .max_answer = SIZE_MAX, .idle_ms = 1000},
        &outcome);
    while (deed_now)
        uv_run(&asker.loop, UV_RUN_ONCE);
    before = seen_bytes;
    for (start = uv_hrtime(); uv_hrtime() - start < 1500000000;)
        uv_run(&asker.loop, UV_RUN_NOWAIT);
    assert_int_equal(outcome.ends, 0);
    assert_int_equal(seen_bytes, before);
    assert_true(atomic_load(&flooded) < 32 << 20); /* the sockets' buffers */
    asker.http->resume(outcome.request);
    assert_int_equal(seen_bytes, before); /* not before the loop runs */
    run_until_over(&asker, &outcome);
    assert_string_equal(outcome.text, "no error");
    assert_int_equal(seen_bytes, 64 << 20);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* ---- limits ---- */

static void limits_requests_and_connections(void **state)
{
    static struct outcome outcomes[20];
    struct rogue *rogue = rogue_open(serve_fine, NULL);
    haft_reason reason = {0};
    struct asker asker;

    (void)state;
    asker_init_with(&asker, &(struct http_client_options){.max_requests = 20, .max_per_host = 3});
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT_OF(outcomes); i++)
            ask_start(&asker, (struct http_request_options){.url = rogue->url}, &outcomes[i]);
        assert_null(asker.http->start(asker.client,
                                      &(struct http_request_options){.url = rogue->url}, &reason));
        assert_int_equal(reason.code, HAFT_EBUSY);
        for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
            run_until_over(&asker, &outcomes[i]);
            assert_string_equal(outcomes[i].text, "no error");
        }
    }
    assert_int_equal(atomic_load(&rogue->requests), 60);
    assert_true(atomic_load(&rogue->connections) <= 3);
    asker_finish(&asker);
    rogue_close(rogue);
}

static void on_tick(uv_timer_t *timer)
{
    (void)timer;
}

static void closes_idle_connections(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_fine, NULL);
    struct asker asker;
    uint64_t start = uv_hrtime();
    uv_timer_t tick;

    (void)state;
    asker_init_with(&asker, &(struct http_client_options){.idle_ms = 50});
    ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
    assert_int_equal(uv_run(&asker.loop, UV_RUN_NOWAIT), 0); /* they keep no loop running */
    uv_timer_init(&asker.loop, &tick);
    uv_timer_start(&tick, on_tick, 5, 5);
    while (!atomic_load(&rogue->closed) && uv_hrtime() - start < (uint64_t)LONG_MS * 1000000)
        uv_run(&asker.loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&tick, NULL);
    assert_int_equal(atomic_load(&rogue->closed), 1);
    ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
    assert_string_equal(outcome.text, "no error");
    assert_int_equal(atomic_load(&rogue->connections), 2);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* ---- connecting ---- */

static void reports_what_does_not_connect(void **state)
{
    static struct outcome outcome;
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof name;
    int full = socket(AF_INET, SOCK_STREAM, 0), fill[8];
    struct asker asker;
    char url[64];

    (void)state;
    asker_init(&asker);
    /* A port that is taken, so that nobody else listens there, before this test does. */
    assert_int_equal(bind(full, (struct sockaddr *)&name, size), 0);
    getsockname(full, (struct sockaddr *)&name, &size);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(name.sin_port));
    ask(&asker, (struct http_request_options){.url = url}, &outcome);
    assert_int_equal(outcome.error, HTTP_CONNECT_FAILED);
    assert_false(outcome.maybe_handled);

    /* A listener that accepts nobody: when its queue is full, connections wait. */
    assert_int_equal(listen(full, 0), 0);
    for (size_t i = 0; i < COUNT_OF(fill); i++) {
        fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)!connect(fill[i], (struct sockaddr *)&name, size);
    }
    ask(&asker, (struct http_request_options){.url = url, .connect_ms = 150}, &outcome);
    assert_int_equal(outcome.error, HTTP_CONNECT_TIMEOUT);
    assert_false(outcome.maybe_handled);
    for (size_t i = 0; i < COUNT_OF(fill); i++)
        close(fill[i]);
    close(full);
    asker_finish(&asker);
}

static int addresses_asked;

static bool allow_none(void *context, const struct sockaddr *address, socklen_t size)
{
    const struct sockaddr_in *name = (const struct sockaddr_in *)address;

    assert_ptr_equal(context, &addresses_asked);
    assert_int_equal(size, sizeof *name);
    assert_int_equal(ntohl(name->sin_addr.s_addr), INADDR_LOOPBACK);
    addresses_asked++;
    return false;
}

/* What counts is the address that a name turned out to have. */
static void asks_about_addresses(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_fine, NULL);
    struct asker asker;
    char url[64];

    (void)state;
    addresses_asked = 0;
    asker_init_with(&asker, &(struct http_client_options){.allow_address = allow_none,
                                                          .allow_context = &addresses_asked});
    snprintf(url, sizeof url, "http://good.test:%d/", rogue->port);
    ask(&asker, (struct http_request_options){.url = url}, &outcome);
    assert_int_equal(outcome.error, HTTP_ADDRESS_REFUSED);
    assert_false(outcome.maybe_handled);
    assert_true(addresses_asked > 0);
    assert_int_equal(atomic_load(&rogue->connections), 0);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* A server that takes the connection and says nothing of TLS. */
static void serve_silence(struct rogue *rogue, int fd, int number)
{
    (void)number;
    rogue_hold(rogue, fd);
}

static void limits_the_tls_handshake(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_silence, NULL);
    struct asker asker;
    char url[64];

    (void)state;
    asker_init(&asker);
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", rogue->port);
    ask(&asker, (struct http_request_options){.url = url, .tls_ms = 100}, &outcome);
    assert_int_equal(outcome.error, HTTP_TLS_TIMEOUT);
    rogue_close(rogue);
    rogue = rogue_open(serve_fine, NULL); /* which does not speak it */
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", rogue->port);
    ask_start(&asker, (struct http_request_options){.url = url, .tls_ms = 100}, &outcome);
    run_until_over(&asker, &outcome);
    assert_true(outcome.error == HTTP_TLS_FAILED || outcome.error == HTTP_TLS_TIMEOUT);
    assert_false(outcome.maybe_handled);
    asker_finish(&asker);
    rogue_close(rogue);
}

/* ---- memory ---- */

/* Each allocation of ours fails in turn. */
static void survives_every_failing_allocation(void **state)
{
    static const struct http_field headers[] = {{"X", "y"}};
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_fine, NULL);
    const struct http_client_functions *http;

    (void)state;
    haft_part_register(&haft_http_client_part);
    http = hf_http_client_open("this test", NULL);
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        uv_loop_t loop;
        http_client *client;
        haft_reason reason = {0};

        failing_init(&failing, nth);
        uv_loop_init(&loop);
        memset(&outcome, 0, sizeof outcome);
        client = hf_http_client_new(http, &loop,
                                    &(struct http_client_options){.allocator = &failing.allocator,
                                                                  .no_direct = without_direct},
                                    &reason);
        if (!client) {
            assert_int_equal(reason.code, HAFT_ENOMEM);
        } else if (!http->start(client,
                                &(struct http_request_options){.url = rogue->url,
                                                               .headers = headers,
                                                               .n_headers = 1,
                                                               .on_end = on_end,
                                                               .context = &outcome},
                                &reason)) {
            assert_int_equal(reason.code, HAFT_ENOMEM);
        } else {
            while (!outcome.ends)
                uv_run(&loop, UV_RUN_ONCE);
            assert_int_equal(outcome.error, failing.failures ? HTTP_NO_MEMORY : HTTP_OK);
        }
        http->destroy(client);
        uv_run(&loop, UV_RUN_DEFAULT);
        assert_int_equal(uv_loop_close(&loop), 0);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    rogue_close(rogue);
}

/* ---- libuv ---- */

static int polls_left, poll_stops;

static int poll_init_or_fail(uv_loop_t *loop, uv_poll_t *poll, uv_os_sock_t socket)
{
    return polls_left-- ? uv_poll_init_socket(loop, poll, socket) : UV_ENOMEM;
}

static int poll_start_or_fail(uv_poll_t *poll, int events, uv_poll_cb callback)
{
    return polls_left-- ? uv_poll_start(poll, events, callback) : UV_EBADF;
}

static int poll_stop_counted(uv_poll_t *poll)
{
    poll_stops++;
    return uv_poll_stop(poll);
}

static const struct http_client_uv counting_uv = {
    .timer_init = uv_timer_init,
    .timer_start = uv_timer_start,
    .timer_stop = uv_timer_stop,
    .idle_init = uv_idle_init,
    .idle_start = uv_idle_start,
    .idle_stop = uv_idle_stop,
    .poll_init = poll_init_or_fail,
    .poll_start = poll_start_or_fail,
    .poll_stop = poll_stop_counted,
    .close = uv_close,
    .ref = uv_ref,
    .unref = uv_unref,
    .update_time = uv_update_time,
    .now = uv_now,
};

static int tries;

static void end_and_try_again(void *context, const struct http_end *end)
{
    struct outcome *outcome = context;

    tries++;
    if (end->error && tries < 100)
        assert_non_null(outcome->asker->http->start(
            outcome->asker->client,
            &(struct http_request_options){
                .url = next_rogue->url, .on_end = end_and_try_again, .context = outcome},
            NULL));
    else
        on_end(context, end);
}

/* What cannot be waited for ends every request, and is no trouble to the next. */
static void begins_anew_when_libuv_fails(void **state)
{
    static struct outcome one, two;
    struct rogue *rogue = rogue_open(serve_fine, NULL);
    struct failing failing;
    int failed = 0;

    (void)state;
    failing_init(&failing, 0);
    for (int n = 0; n < 12; n++) {
        const struct http_client_options options = {
            .allocator = &failing.allocator, .uv = &counting_uv, .no_direct = without_direct};
        struct asker asker;

        haft_part_register(&haft_http_client_part);
        asker.http = hf_http_client_open("this test", NULL);
        uv_loop_init(&asker.loop);
        asker.client = asker.http->create(&asker.loop, &options, NULL);
        polls_left = n;
        ask_start(&asker, (struct http_request_options){.url = rogue->url}, &one);
        ask_start(&asker, (struct http_request_options){.url = rogue->url}, &two);
        run_until_over(&asker, &one);
        run_until_over(&asker, &two);
        if ((one.error && one.error != HTTP_NO_MEMORY) ||
            (two.error && two.error != HTTP_NO_MEMORY))
            fail_msg("%d: %s and %s", n, one.text, two.text);
        failed += one.error || two.error;
        polls_left = -1;
        ask(&asker, (struct http_request_options){.url = rogue->url}, &one);
        assert_string_equal(one.text, "no error");
        asker_finish(&asker);
    }
    assert_true(failed > 3);
    failing_check(&failing);

    /* Whoever tries again at once has a turn of the loop for each. */
    {
        const struct http_client_options options = {
            .allocator = &failing.allocator, .uv = &counting_uv, .no_direct = without_direct};
        struct asker asker = {.http = hf_http_client_open("this test", NULL)};

        next_rogue = rogue;
        tries = 0;
        polls_left = 0;
        uv_loop_init(&asker.loop);
        asker.client = asker.http->create(&asker.loop, &options, NULL);
        ask_start(&asker,
                  (struct http_request_options){.url = rogue->url, .on_end = end_and_try_again},
                  &one);
        for (int before = 0; !one.ends; before = tries) {
            uv_run(&asker.loop, UV_RUN_ONCE);
            assert_true(tries <= before + 2);
            polls_left = tries < 20 ? 0 : -1;
        }
        assert_string_equal(one.text, "no error");
        asker_finish(&asker);
    }
    failing_check(&failing);
    rogue_close(rogue);
}

static atomic_int answers_due;

/* Answers when the test says so, and closes after the fourth. */
static void serve_four(struct rogue *rogue, int fd, int number)
{
    (void)number;
    for (int i = 0; i < 4 && rogue_read(rogue, fd); i++) {
        while (atomic_load(&answers_due) < atomic_load(&rogue->requests) &&
               !atomic_load(&rogue->ends))
            poll(NULL, 0, 1);
        rogue_puts(fd, FINE);
    }
}

/* Lets it wait for the answer first. */
static void ask_and_wait(struct asker *asker, struct rogue *rogue, struct outcome *outcome)
{
    int before = atomic_load(&rogue->requests);

    ask_start(asker, (struct http_request_options){.url = rogue->url}, outcome);
    while (atomic_load(&rogue->requests) == before)
        uv_run(&asker->loop, UV_RUN_NOWAIT);
    for (int i = 0; i < 5; i++)
        uv_run(&asker->loop, UV_RUN_NOWAIT);
    atomic_store(&answers_due, before + 1);
    run_until_over(asker, outcome);
    assert_string_equal(outcome->text, "no error");
}

/* A connection is polled for further requests as it is, until the server closes it. */
static void polls_a_used_connection_on(void **state)
{
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_four, NULL);
    struct failing failing;
    const struct http_client_options options = {
        .allocator = &failing.allocator, .uv = &counting_uv, .no_direct = without_direct};
    struct asker asker = {.http = hf_http_client_open("this test", NULL)};
    uint64_t start = uv_hrtime();
    uv_timer_t tick;

    (void)state;
    failing_init(&failing, 0);
    uv_loop_init(&asker.loop);
    asker.client = asker.http->create(&asker.loop, &options, NULL);
    polls_left = -1;
    poll_stops = 0;
    atomic_store(&answers_due, 0);
    for (int i = 0, first = 0; i < 4; i++) {
        ask_and_wait(&asker, rogue, &outcome);
        first = i ? first : polls_left;
        assert_int_equal(polls_left, first);
    }
    assert_int_equal(uv_run(&asker.loop, UV_RUN_NOWAIT), 0); /* it keeps no loop running */
    uv_timer_init(&asker.loop, &tick);
    uv_timer_start(&tick, on_tick, 5, 5);
    while (!poll_stops && uv_hrtime() - start < (uint64_t)LONG_MS * 1000000)
        uv_run(&asker.loop, UV_RUN_ONCE);
    for (int i = 0; i < 5; i++)
        uv_run(&asker.loop, UV_RUN_NOWAIT);
    assert_int_equal(poll_stops, 1);
    uv_close((uv_handle_t *)&tick, NULL);
    ask_and_wait(&asker, rogue, &outcome);
    assert_int_equal(atomic_load(&rogue->connections), 2);
    asker_finish(&asker);
    failing_check(&failing);
    rogue_close(rogue);
}

/* What the end of a request starts is sent before the loop looks for events: it has no other work. */
static void sends_in_the_same_turn(void **state)
{
    static const struct deed deed = {IN_END, act_ask_again};
    static struct outcome outcome;
    struct asker asker;

    (void)state;
    next_rogue = rogue_open(serve_four, NULL);
    asker_init(&asker);
    deed_now = &deed;
    atomic_store(&answers_due, 1);
    ask_start(&asker, (struct http_request_options){.url = next_rogue->url, .on_end = end_and_act},
              &outcome);
    run_until_over(&asker, &outcome);
    assert_int_not_equal(uv_backend_timeout(&asker.loop), 0);
    atomic_store(&answers_due, 2);
    run_until_over(&asker, &another);
    assert_string_equal(another.text, "no error");
    asker_finish(&asker);
    rogue_close(next_rogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_both_ways(resolves_names),
        cmocka_unit_test_both_ways(ends_once_whatever_happens),
        cmocka_unit_test_both_ways(starts_from_callbacks),
        cmocka_unit_test_both_ways(holds_back_what_is_paused),
        cmocka_unit_test_both_ways(limits_requests_and_connections),
        cmocka_unit_test_both_ways(closes_idle_connections),
        cmocka_unit_test_both_ways(reports_what_does_not_connect),
        cmocka_unit_test_both_ways(asks_about_addresses),
        cmocka_unit_test_both_ways(limits_the_tls_handshake),
        cmocka_unit_test_both_ways(survives_every_failing_allocation),
        cmocka_unit_test_both_ways(begins_anew_when_libuv_fails),
        cmocka_unit_test_both_ways(polls_a_used_connection_on),
        cmocka_unit_test_both_ways(sends_in_the_same_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
