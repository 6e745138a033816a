/* test_spare.c - memory that is kept for the next request: bounded whatever the latest were, and
 * given back when none comes. */
#define _DEFAULT_SOURCE
#include <haft/engine.h>
#include <sys/syscall.h>

#include "http/site.h"
#include "support/counting.h"

enum {
    BURST = 64,
    LARGE = 200000,
    SPARE = (1 << 20) + (256 << 10), /* of a session: its calls, and what it writes into */
    LITTLE = 256 << 10,
    START = 1000000,
    REST = 5001,
    AWAKE = 4000 /* a server with one client has more than this, and less when it rests */
};

static int64_t out(struct counting *counting)
{
    return atomic_load(&counting->counts->bytes);
}

/* ---- the clock ---- */

/* By so many milliseconds the program's clock, and so libuv's, is ahead of the system's. */
static atomic_llong ahead;

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
    int status = (int)syscall(SYS_clock_gettime, clock, ret_time);

    if (!status && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)) {
        long long ms = atomic_load(&ahead);

        ret_time->tv_sec += ms / 1000;
        ret_time->tv_nsec += ms % 1000 * 1000000;
        ret_time->tv_sec += ret_time->tv_nsec / 1000000000;
        ret_time->tv_nsec %= 1000000000;
    }
    return status;
}

/* Nobody has asked for anything for as long as it takes a server to rest. */
static void pass_time(void)
{
    atomic_fetch_add(&ahead, REST);
}

/* ---- what is served ---- */

HAFT_STRUCT(much_args, HAFT_INTEGER(size, "Bytes"), HAFT_BOOLEAN(waits, "To be finished"),
            HAFT_BOOLEAN(streams, "With progress first"));

static haft_call *waiting[BURST];
static size_t n_waiting;

static int much(haft_call *call, const much_args *in)
{
    char *text = haft_call_alloc(call, (size_t)in->size);
    int status;

    if (!text)
        return HAFT_ENOMEM;
    memset(text, 'x', (size_t)in->size);
    if (in->streams)
        haft_progress(call, 1, 2, "half");
    status = haft_text_bytes(call, text, (size_t)in->size);
    if (status || !in->waits)
        return status;
    waiting[n_waiting++] = call;
    return HAFT_PENDING;
}
HAFT_TOOL_IN(much, much_args, "Says much");

static haft_server *much_server(struct counting *counting)
{
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .allocator = &counting->allocator));

    assert_non_null(server);
    assert_int_equal(haft_add(server, &much_tool), 0);
    return server;
}

#define META                                                                                       \
    "\"_meta\":{\"progressToken\":1,"                                                              \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static size_t call_much(char *text, size_t room, int id, int size, bool waits, bool streams)
{
    int n = snprintf(
        text, room,
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"much\",\"arguments\":{\"size\":%d,\"waits\":%s,\"streams\":%s}," META "}}",
        id, size, waits ? "true" : "false", streams ? "true" : "false");

    assert_in_range(n, 1, room - 1);
    return (size_t)n;
}

/* ---- of a session ---- */

static void count_sent(void *context, const haft_outgoing *message)
{
    *(size_t *)context += message->size;
}

static void bounds_a_session(void **state)
{
    static const struct {
        int size, n; /* calls that are in flight together */
    } rows[] = {{10, BURST}, {LARGE, 1}, {LARGE, BURST}, {2000000, 4}, {50000, BURST}};
    struct counting counting;
    haft_server *server;
    haft_session *session;
    size_t sent = 0;
    int64_t before;

    (void)state;
    counting_init(&counting, NULL);
    server = much_server(&counting);
    session = haft_session_new(
        server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = count_sent, .context = &sent)));
    assert_non_null(session);
    before = out(&counting);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[512];

        sent = 0;
        for (int k = 0; k < rows[i].n; k++) {
            size_t size = call_much(text, sizeof text, k, rows[i].size, true, false);

            assert_int_equal(haft_session_receive(session, text, size, NULL, START), 0);
        }
        assert_int_equal(n_waiting, rows[i].n);
        while (n_waiting)
            haft_finish(waiting[--n_waiting], 0);
        assert_true(sent > (size_t)rows[i].size * (size_t)rows[i].n);
        assert_in_range(out(&counting) - before, 0, SPARE + LITTLE);
    }
    haft_session_trim(session);
    assert_in_range(out(&counting) - before, 0, 1024);
    haft_session_free(session);
    haft_server_free(server);
    assert_int_equal(out(&counting), 0);
}

/* ---- of an endpoint ---- */

static void on_respond(void *context, const haft_response *response)
{
    assert_int_equal(response->status, 200);
    *(size_t *)context += response->size;
}

static void on_stream(void *context, const haft_response *head)
{
    (void)context;
    assert_int_equal(head->status, 200);
}

static void on_write(void *context, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
}

static void on_over(void *context)
{
    (void)context;
}

static const haft_header much_headers[] = {{"host", "localhost"},
                                           {"content-type", "application/json"},
                                           {"accept", "application/json, text/event-stream"},
                                           {"mcp-protocol-version", "2026-07-28"},
                                           {"mcp-method", "tools/call"},
                                           {"mcp-name", "much"}};

static void ask_endpoint(haft_endpoint *endpoint, int n, int size, bool streams, haft_time now)
{
    static const haft_responder responder = {on_respond, on_stream, on_write, on_over};
    size_t heard = 0;
    char text[512];

    for (int i = 0; i < n; i++) {
        haft_request request = {.method = "POST",
                                .path = "/mcp",
                                .query = "",
                                .headers = much_headers,
                                .n_headers = COUNT_OF(much_headers),
                                .body = text};

        request.body_size = call_much(text, sizeof text, i, size, true, streams);
        assert_non_null(haft_endpoint_handle(endpoint, &request, &responder, &heard, now));
    }
    while (n_waiting)
        haft_finish(waiting[--n_waiting], 0);
    assert_true(heard > (size_t)n * (size_t)size);
}

static void bounds_an_endpoint_and_lets_it_rest(void **state)
{
    static const struct {
        int size, n;
        bool streams;
    } rows[] = {{10, BURST, true}, {LARGE, BURST, false}, {LARGE, BURST, true}, {2000000, 3, true}};
    haft_time now = START;
    struct counting counting;
    haft_server *server;
    haft_endpoint *endpoint;
    int64_t rested;

    (void)state;
    counting_init(&counting, NULL);
    server = much_server(&counting);
    endpoint = haft_endpoint_new(server, NULL);
    assert_non_null(endpoint);
    ask_endpoint(endpoint, 1, 10, true, now);
    haft_endpoint_tick(endpoint, now += REST);
    rested = out(&counting);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ask_endpoint(endpoint, rows[i].n, rows[i].size, rows[i].streams, now);
        haft_endpoint_tick(endpoint, now += REST - 1);
        assert_in_range(out(&counting) - rested, 1, SPARE + 2 * LITTLE);
        haft_endpoint_tick(endpoint, now += 1);
        assert_int_equal(out(&counting), rested);
    }
    haft_endpoint_free(endpoint);
    haft_server_free(server);
    assert_int_equal(out(&counting), 0);
}

/* ---- of a server ---- */

static void ask_site(int fd)
{
    static const char ask[] = ASK(1);
    char text[1024];

    say(fd, ask, sizeof ask - 1);
    hear(fd, text, sizeof text, PONG(1), 1);
}

/* Waits until so much is out, or no more than that.  The server does not rest when there is a
 * connection to ask it on; -1 for none. */
static void wait_until(struct counting *counting, bool more, int64_t bytes, int busy)
{
    for (int64_t end = milliseconds() + 30000; (out(counting) > bytes) != more;) {
        if (busy >= 0)
            ask_site(busy);
        if (milliseconds() > end)
            fail_msg("%lld bytes are out, not %s than %lld", (long long)out(counting),
                     more ? "more" : "less", (long long)bytes);
        sleep_ms(5);
    }
}

/* Clients that leave in the middle of a large request; then nobody. */
static void forgets_what_was_half_said(void **state)
{
    enum { CLIENTS = 20, BODY = 1 << 20 };
    static const char head[] = HEAD "Content-Length: 1048577\r\n\r\n";
    struct counting counting;
    struct site *site;
    int fds[CLIENTS], busy;
    char *body = malloc(BODY);
    int64_t before;

    (void)state;
    assert_non_null(body);
    memset(body, ' ', BODY);
    counting_init(&counting, NULL);
    site = site_open_with((haft_http_options){.struct_size = sizeof(haft_http_options)},
                          &counting.allocator);
    assert_non_null(site->http);
    before = out(&counting);
    busy = dial(site);
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = dial(site);
        say(fds[i], head, sizeof head - 1);
        say(fds[i], body, BODY);
    }
    wait_until(&counting, true, before + (int64_t)CLIENTS * BODY, busy);
    for (int i = 0; i < CLIENTS; i++)
        close(fds[i]);
    /* Connections are kept for others, but not their bodies. */
    wait_until(&counting, false, before + 2 * LITTLE, busy);
    close(busy);
    pass_time();
    wait_until(&counting, false, before + 8000, -1);
    free(body);
    site_close(site);
    assert_int_equal(out(&counting), 0);
}

/* One that stays and says nothing has what it needs for that. */
static void lets_a_silent_client_rest(void **state)
{
    struct counting counting;
    struct site *site;
    int64_t before;
    int fd;

    (void)state;
    counting_init(&counting, NULL);
    site = site_open_with((haft_http_options){.struct_size = sizeof(haft_http_options)},
                          &counting.allocator);
    assert_non_null(site->http);
    before = out(&counting);
    fd = dial(site);
    ask_site(fd);
    assert_true(out(&counting) > before + AWAKE);
    pass_time();
    /* The connection, the session that all share, and what it has seen of the server. */
    wait_until(&counting, false, before + AWAKE, -1);
    ask_site(fd);
    close(fd);
    site_close(site);
    assert_int_equal(out(&counting), 0);
}

/* A connection between two calls: docs/performance.md promises 2,048 bytes with those that malloc adds
 * to each of its four blocks. */
static void an_idle_connection_is_small(void **state)
{
    enum { WARM = 4, IDLE = 100, MOST_BYTES = 2048 - 4 * 16 };
    static const char ask[] =
        HEAD "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
             "Content-Length: 97\r\n\r\n"
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"ok\"}}}";
    struct counting counting;
    struct site *site;
    int fds[WARM + IDLE];
    int64_t before = 0;

    (void)state;
    counting_init(&counting, NULL);
    site = site_open_with((haft_http_options){.struct_size = sizeof(haft_http_options)},
                          &counting.allocator);
    assert_non_null(site->http);
    for (int i = 0; i < WARM + IDLE; i++) {
        char text[1024];

        if (i == WARM)
            before = out(&counting);
        fds[i] = dial(site);
        say(fds[i], ask, sizeof ask - 1);
        hear(fds[i], text, sizeof text, "\"text\":\"ok\"", 1);
    }
    assert_in_range((out(&counting) - before) / IDLE, 1, MOST_BYTES);
    for (int i = 0; i < WARM + IDLE; i++)
        close(fds[i]);
    site_close(site);
    assert_int_equal(out(&counting), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_connection_is_small),
        cmocka_unit_test(bounds_a_session),
        cmocka_unit_test(bounds_an_endpoint_and_lets_it_rest),
        cmocka_unit_test(forgets_what_was_half_said),
        cmocka_unit_test(lets_a_silent_client_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
