/* test_upgrade.c - connections that an app takes over, and requests that only look like it. */
#define _DEFAULT_SOURCE
#include "http/site.h"

#include "http/upgrade.h"

/* ---- an app that takes over ---- */

static atomic_int n_ended, n_ticks, n_writable, n_told, n_gone;

struct owner {
    http_upgraded *upgraded;
    char path[16];
    const haft_responder *responder;
    void *context; /* of one that upgrades later */
    struct owner *next;
};

struct raw_app {
    struct owner *late;
};

/* By the first bytes: back they go; "bye" and the end; a flood; or a rest. */
static void on_bytes(void *context, const char *bytes, size_t size)
{
    struct owner *owner = context;
    static char flood[1 << 20];

    if (!strcmp(owner->path, "/raw/bye")) {
        hf_http_upgraded_write(owner->upgraded, flood, sizeof flood);
        hf_http_upgraded_write(owner->upgraded, "bye", 3);
        hf_http_upgraded_close(owner->upgraded);
        free(owner);
    } else if (!strcmp(owner->path, "/raw/flood")) {
        for (int i = 0; i < 40; i++)
            hf_http_upgraded_write(owner->upgraded, flood, sizeof flood);
    } else if (!strcmp(owner->path, "/raw/drain")) {
        hf_http_upgraded_pause(owner->upgraded);
        hf_http_upgraded_write(owner->upgraded, flood, sizeof flood);
    } else if (!strcmp(owner->path, "/raw/big")) {
        hf_http_upgraded_write(owner->upgraded, flood, sizeof flood);
        hf_http_upgraded_write(owner->upgraded, "", 0);
    } else {
        if (!strcmp(owner->path, "/raw/rest"))
            hf_http_upgraded_pause(owner->upgraded);
        hf_http_upgraded_write(owner->upgraded, bytes, size);
    }
}

static void on_writable(void *context)
{
    struct owner *owner = context;

    assert_int_equal(hf_http_upgraded_unsent(owner->upgraded), 0);
    atomic_fetch_add(&n_writable, 1);
    if (!strcmp(owner->path, "/raw/drain"))
        hf_http_upgraded_resume(owner->upgraded);
}

static void on_tick(void *context, haft_time now)
{
    struct owner *owner = context;

    assert_true(now > 0);
    atomic_fetch_add(&n_ticks, 1);
    if (!strcmp(owner->path, "/raw/rest"))
        hf_http_upgraded_resume(owner->upgraded);
}

static void on_shutdown(void *context)
{
    struct owner *owner = context;

    atomic_fetch_add(&n_told, 1);
    if (strcmp(owner->path, "/raw/stays") != 0) {
        hf_http_upgraded_write(owner->upgraded, "closing", 7);
        hf_http_upgraded_close(owner->upgraded);
        free(owner);
    }
}

static void on_gone(void *context)
{
    atomic_fetch_add(&n_ended, 1);
    free(context);
}

static const struct http_upgrade_events events = {on_bytes, on_writable, on_tick, on_shutdown,
                                                  on_gone},
                                        few_events = {.on_bytes = on_bytes, .on_end = on_gone};

static void take_over(struct owner *owner)
{
    const haft_header good = {"Upgrade", "raw"}, bad = {"Upgrade", "raw\r\nX: y"};
    bool is_bad = !strcmp(owner->path, "/raw/bad"), is_few = !strcmp(owner->path, "/raw/few");
    char body[32];
    int n, status = hf_http_upgrade(owner->responder, owner->context, is_bad ? &bad : &good, 1,
                                    is_few ? &few_events : &events, owner, &owner->upgraded);

    if (!status)
        return;
    n = snprintf(body, sizeof body, "refused %d", status);
    owner->responder->respond(owner->context,
                              &(haft_response){.status = 400, .body = body, .size = (size_t)n});
    free(owner);
}

static void *raw_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop, (void)reterr_reason;
    return data;
}

static void *raw_handle(void *context, const haft_request *request, const haft_responder *responder,
                        void *responder_context, haft_time now)
{
    struct raw_app *app = context;
    struct owner *owner = calloc(1, sizeof *owner);

    (void)now;
    assert_non_null(owner);
    snprintf(owner->path, sizeof owner->path, "%s", request->path);
    owner->responder = responder;
    owner->context = responder_context;
    if (!strcmp(owner->path, "/raw/late")) {
        owner->next = app->late;
        app->late = owner;
        return owner;
    }
    take_over(owner);
    return NULL;
}

static void raw_gone(void *context, void *exchange)
{
    struct raw_app *app = context;

    assert_ptr_equal(app->late, exchange);
    app->late = app->late->next;
    atomic_fetch_add(&n_gone, 1);
    free(exchange);
}

static void raw_tick(void *context, haft_time now)
{
    struct raw_app *app = context;
    struct owner *owner;

    (void)now;
    while ((owner = app->late)) {
        app->late = owner->next;
        take_over(owner);
    }
}

static struct raw_app the_app;
static const haft_app raw = HAFT_INIT(haft_app, .open = raw_open, .handle = raw_handle,
                                      .gone = raw_gone, .tick = raw_tick, .data = &the_app);
static const haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/raw", .app = &raw);

static struct site *raw_site(haft_http_options options, const haft_allocator *allocator)
{
    atomic_store(&n_ended, 0);
    atomic_store(&n_ticks, 0);
    atomic_store(&n_writable, 0);
    atomic_store(&n_told, 0);
    atomic_store(&n_gone, 0);
    options.mounts = &mount;
    options.n_mounts = 1;
    return site_open_with(options, allocator);
}

#define ASKS(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\n"
#define UPGRADES(path) ASKS(path) "Upgrade: raw\r\n\r\n"
#define SWITCHED "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n"

static bool comes_to(atomic_int *count, int wanted)
{
    for (int64_t end = milliseconds() + PATIENCE_MS; atomic_load(count) < wanted;) {
        if (milliseconds() > end)
            return false;
        sleep_ms(1);
    }
    return true;
}

/* ---- bytes both ways ---- */

/* However the request and what follows it are cut; what follows is not HTTP, whatever it looks like. */
static void takes_over(void **state)
{
    static const char *const rows[] = {
        UPGRADES("/raw/echo") "abc" ASK(1), UPGRADES("/raw/late") "abc" ASK(1),
        UPGRADES("/raw/rest") "abc" ASK(1), UPGRADES("/raw/few") "abc" ASK(1)};
    static const char wanted[] = SWITCHED "abc" ASK(1);
    struct site *site = raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), NULL);
    char text[4096];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size = strlen(rows[i]), step = i ? 37 : 1;

        for (size_t cut = 1; cut <= size; cut += step) {
            int fd = dial(site);

            say(fd, rows[i], cut);
            if (cut < size)
                sleep_ms(1);
            say(fd, rows[i] + cut, size - cut);
            hear(fd, text, sizeof text, PING(1), 1);
            assert_string_equal(text, wanted);
            close(fd);
        }
    }
    site_close(site);
}

static void refuses_to_take_over(void **state)
{
    static const struct {
        const char *request;
        const char *answer;
    } rows[] = {
        {"GET /raw/echo HTTP/1.1\r\nHost: localhost\r\n\r\n", "refused -2"},
        {"GET /raw/echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: raw\r\n\r\n", "refused -2"},
        {ASKS("/raw/echo") "\r\n", "refused -2"},
        {ASKS("/raw/echo") "Upgrade: raw\r\nContent-Length: 5\r\n\r\nhello", "refused -2"},
        {ASKS("/raw/echo") "Upgrade: raw\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "refused -2"},
        {UPGRADES("/raw/bad"), "refused -2"},
        {ASKS("/mcp") "Upgrade: websocket\r\n\r\n", "HTTP/1.1 405"},
    };
    struct site *site = raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), NULL);
    char text[4096];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int fd = dial(site);

        say(fd, rows[i].request, strlen(rows[i].request));
        /* The connection is still one of HTTP. */
        say(fd, ASK(1), sizeof ASK(1) - 1);
        hear(fd, text, sizeof text, PONG(1), 1);
        assert_non_null(strstr(text, rows[i].answer));
        assert_null(strstr(text, "HTTP/1.1 101"));
        close(fd);
    }
    assert_int_equal(atomic_load(&n_ended), 0);
    site_close(site);
}

static void refuses_http_1_0(void **state)
{
    static const char request[] = "GET /raw/echo HTTP/1.0\r\nHost: localhost\r\n"
                                  "Connection: Upgrade\r\nUpgrade: raw\r\n\r\n";
    struct site *site = raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), NULL);
    int fd = dial(site);
    char text[1024];

    (void)state;
    say(fd, request, sizeof request - 1);
    assert_true(hear_all(fd, text, sizeof text));
    assert_non_null(strstr(text, "refused -2"));
    close(fd);
    site_close(site);
}

/* Only the server's own responder belongs to a connection. */
static void refuses_other_responders(void **state)
{
    static const haft_responder other = {.respond = NULL};
    http_upgraded *upgraded;

    (void)state;
    assert_int_equal(hf_http_upgrade(&other, NULL, NULL, 0, &events, NULL, &upgraded), HAFT_EINVAL);
}

/* ---- ends ---- */

static void tells_that_the_client_has_left(void **state)
{
    struct site *site = raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), NULL);
    struct linger reset = {.l_onoff = 1};
    char text[256];

    (void)state;
    for (int i = 1; i <= 3; i++) {
        int fd = dial(site);

        say(fd, UPGRADES("/raw/echo"), sizeof UPGRADES("/raw/echo") - 1);
        hear(fd, text, sizeof text, SWITCHED, 1);
        if (i == 2)
            shutdown(fd, SHUT_WR);
        if (i == 3)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        if (i == 2)
            assert_true(hear_all(fd, text, sizeof text));
        close(fd);
        assert_true(comes_to(&n_ended, i));
    }
    /* One that leaves before it is taken over is gone as a request. */
    site_close(site);
    assert_int_equal(atomic_load(&n_ended), 3);
}

/* The last bytes arrive, although the client sends on and nobody reads it. */
static void sends_the_last_bytes(void **state)
{
    struct site *site = raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), NULL);
    char *text = calloc(1, 2 << 20), junk[4096] = "junk";
    size_t wanted = sizeof SWITCHED - 1 + (1 << 20) + 3, size = 0;
    int fd = dial(site);
    ssize_t n;

    (void)state;
    say(fd, UPGRADES("/raw/bye") "x", sizeof UPGRADES("/raw/bye") "x" - 1);
    for (int i = 0; i < 20; i++)
        say(fd, junk, sizeof junk);
    while (is_readable(fd, PATIENCE_MS) && (n = read(fd, text + size, (2 << 20) - size)) > 0)
        size += (size_t)n;
    assert_int_equal(size, wanted);
    assert_memory_equal(text + size - 3, "bye", 3);
    close(fd);
    free(text);
    site_close(site);
    assert_int_equal(atomic_load(&n_ended), 0);
}

static void drops_a_client_that_does_not_read(void **state)
{
    struct site *site =
        raw_site((haft_http_options)HAFT_INIT(haft_http_options, .max_unsent = 100000), NULL);
    int fd = dial(site);

    (void)state;
    say(fd, UPGRADES("/raw/flood") "x", sizeof UPGRADES("/raw/flood") "x" - 1);
    assert_true(comes_to(&n_ended, 1));
    assert_int_equal(atomic_load(&site->dropped), 1);
    close(fd);
    site_close(site);
}

static void says_when_all_is_written(void **state)
{
    struct site *site = raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), NULL);
    char *text = calloc(1, 2 << 20);
    size_t wanted = sizeof SWITCHED - 1 + (1 << 20), size = 0;
    int fd = dial(site);
    ssize_t n;

    (void)state;
    say(fd, UPGRADES("/raw/big") "x", sizeof UPGRADES("/raw/big") "x" - 1);
    while (size < wanted && is_readable(fd, PATIENCE_MS) &&
           (n = read(fd, text + size, (2 << 20) - size)) > 0)
        size += (size_t)n;
    assert_int_equal(size, wanted);
    assert_true(comes_to(&n_writable, 1));
    close(fd);
    free(text);
    site_close(site);
    assert_int_equal(atomic_load(&n_writable), 1);
}

/* An owner that reads no more until its output has drained is told that it has. */
static void reports_drained_output_while_paused(void **state)
{
    struct site *site = raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), NULL);
    int fd = dial(site);
    char *text = malloc(1 << 16);
    size_t wanted = strlen(SWITCHED), size = 0;
    ssize_t n;

    (void)state;
    assert_non_null(text);
    say(fd, UPGRADES("/raw/drain"), sizeof UPGRADES("/raw/drain") - 1);
    for (int turn = 1; turn <= 3; turn++) {
        say(fd, "x", 1);
        wanted += 1 << 20;
        while (size < wanted && is_readable(fd, PATIENCE_MS) && (n = read(fd, text, 1 << 16)) > 0)
            size += (size_t)n;
        assert_int_equal(size, wanted);
        assert_true(comes_to(&n_writable, turn));
    }
    close(fd);
    free(text);
    site_close(site);
}

/* How long it may be idle is its owner's business. */
static void is_not_idle(void **state)
{
    struct site *site = raw_site(
        (haft_http_options)HAFT_INIT(haft_http_options, .idle_ms = 1, .header_ms = 1, .body_ms = 1),
        NULL);
    int fd = dial(site);
    char text[256];

    (void)state;
    say(fd, UPGRADES("/raw/echo"), sizeof UPGRADES("/raw/echo") - 1);
    hear(fd, text, sizeof text, SWITCHED, 1);
    assert_true(comes_to(&n_ticks, 5));
    say(fd, "still here", 10);
    hear(fd, text, sizeof text, "still here", 1);
    assert_int_equal(atomic_load(&n_ended), 0);
    close(fd);
    site_close(site);
}

static void is_told_of_the_shutdown(void **state)
{
    static const struct {
        const char *request, *last;
        bool hasty;
        int n_told, n_ended;
    } rows[] = {
        {UPGRADES("/raw/echo"), "closing", false, 1, 0},
        {UPGRADES("/raw/few"), "", false, 0, 1},
        {UPGRADES("/raw/stays"), "", true, 1, 1},
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct site *site =
            raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), NULL);
        int fd = dial(site);

        say(fd, rows[i].request, strlen(rows[i].request));
        hear(fd, text, sizeof text, SWITCHED, 1);
        site->hasty = rows[i].hasty;
        uv_async_send(&site->end);
        assert_true(hear_all(fd, text, sizeof text));
        assert_string_equal(text, rows[i].last);
        close(fd);
        uv_thread_join(&site->thread);
        uv_sem_destroy(&site->ready);
        haft_server_free(site->server);
        free(site);
        assert_int_equal(atomic_load(&n_told), rows[i].n_told);
        assert_int_equal(atomic_load(&n_ended), rows[i].n_ended);
    }
}

/* ---- memory ---- */

static void survives_without_memory(void **state)
{
    size_t nth = 1;

    (void)state;
    for (bool failed = true; failed; nth++) {
        struct failing failing;
        struct site *site;
        char text[512];

        failing_init(&failing, nth);
        site =
            raw_site((haft_http_options)HAFT_INIT(haft_http_options, .fd = 0), &failing.allocator);
        if (site->server && site->http) {
            int fd = dial(site);

            say(fd, UPGRADES("/raw/echo") "abc", sizeof UPGRADES("/raw/echo") "abc" - 1);
            shutdown(fd, SHUT_WR);
            assert_true(hear_all(fd, text, sizeof text));
            close(fd);
        }
        site_close(site);
        failed = failing.failures;
        failing_check(&failing);
    }
    assert_true(nth > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_over),
        cmocka_unit_test(refuses_to_take_over),
        cmocka_unit_test(refuses_http_1_0),
        cmocka_unit_test(refuses_other_responders),
        cmocka_unit_test(tells_that_the_client_has_left),
        cmocka_unit_test(sends_the_last_bytes),
        cmocka_unit_test(drops_a_client_that_does_not_read),
        cmocka_unit_test(says_when_all_is_written),
        cmocka_unit_test(reports_drained_output_while_paused),
        cmocka_unit_test(is_not_idle),
        cmocka_unit_test(is_told_of_the_shutdown),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
