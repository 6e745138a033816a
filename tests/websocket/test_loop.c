/* test_loop.c - clients and servers on a loop: against each other, and against servers that do as a test
 * says. */
#define _GNU_SOURCE
#include "http_client/rogue.h"
#include "websocket/client.h"
#include "websocket/server.h"

/* ---- a server that sends everything back ---- */

struct echo {
    websocket_served *served;
    struct hall *hall;
};

/* A server and a client on one loop. */
struct hall {
    struct asker asker;
    haft_server *server;
    haft_http *http;
    haft_app app;
    haft_http_mount mount;
    struct websocket_server_options options;
    char url[128];
    int n_served, n_ended;
    char server_end[160];
    bool frees, closes; /* the connection, at its first message */
    bool is_closed;
};

static void echo_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct echo *echo = context;

    if (echo->hall->frees) {
        hf_websocket_served_free(echo->served);
        echo->hall->n_ended++;
        free(echo);
        return;
    }
    if (echo->hall->closes)
        assert_int_equal(hf_websocket_served_close(echo->served, 4002, "that will do"), 0);
    else if (hf_websocket_served_send(echo->served, is_text, bytes, size)) {
        assert_non_null(echo->hall->options.allocator); /* which fails */
        hf_websocket_served_free(echo->served);
        free(echo);
    }
}

static void echo_on_end(void *context, const struct websocket_end *end)
{
    struct echo *echo = context;

    echo->hall->n_ended++;
    snprintf(echo->hall->server_end, sizeof echo->hall->server_end, "%d%s%s %s", end->code,
             end->by_peer ? " by peer" : "", end->clean ? " clean" : "", end->reason);
    free(echo);
}

static void *hall_open_app(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop, (void)reterr_reason;
    return data;
}

static void *hall_handle(void *context, const haft_request *request,
                         const haft_responder *responder, void *responder_context, haft_time now)
{
    struct hall *hall = context;
    struct echo *echo = calloc(1, sizeof *echo);
    struct websocket_server_options options = hall->options;

    assert_non_null(echo);
    echo->hall = hall;
    options.on_message = echo_on_message;
    options.on_end = echo_on_end;
    options.context = echo;
    echo->served = hf_websocket_serve(request, responder, responder_context, &options, now);
    hall->n_served += echo->served != NULL;
    if (!echo->served)
        free(echo);
    return NULL;
}

static void hall_open(struct hall *hall)
{
    haft_reason reason = {0};

    asker_init(&hall->asker);
    hall->server = haft_server_new("test", "1");
    hall->app =
        (haft_app)HAFT_INIT(haft_app, .open = hall_open_app, .handle = hall_handle, .data = hall);
    hall->mount = (haft_http_mount)HAFT_INIT(haft_http_mount, .path = "/ws", .app = &hall->app);
    hall->http = haft_http_new(hall->server,
                               HAFT_WITH(haft_http_options, .address = "127.0.0.1:0",
                                         .mounts = &hall->mount, .n_mounts = 1, .idle_ms = 50),
                               &hall->asker.loop, &reason);
    if (!hall->http)
        fail_msg("%s", reason.text);
    snprintf(hall->url, sizeof hall->url, "ws://127.0.0.1:%ld/ws?a=b",
             strtol(strrchr(haft_http_url(hall->http), ':') + 1, NULL, 10));
}

static void hall_on_closed(void *context)
{
    ((struct hall *)context)->is_closed = true;
}

static void hall_close(struct hall *hall)
{
    if (hall->http)
        haft_http_close(hall->http, 1000, hall_on_closed, hall);
    while (hall->http && !hall->is_closed)
        uv_run(&hall->asker.loop, UV_RUN_ONCE);
    asker_finish(&hall->asker);
    haft_server_free(hall->server);
}

/* ---- a client whose events are noted ---- */

struct visitor {
    websocket_client *client;
    int opens, ends, messages;
    size_t size; /* of all messages */
    char last[64];
    char text[512], excerpt[64];
    struct websocket_client_end end;
    const char *greeting;
    bool greets_twice;
    bool closes, frees; /* at the first message */
    const char *reply;  /* to it */
    size_t reply_size;
    bool closes_early, frees_early; /* when it opens */
};

static void visitor_on_open(void *context)
{
    struct visitor *visitor = context;

    visitor->opens++;
    if (visitor->greeting)
        assert_int_equal(hf_websocket_client_send(visitor->client, true, visitor->greeting,
                                                  strlen(visitor->greeting)),
                         0);
    if (visitor->greets_twice)
        assert_int_equal(hf_websocket_client_send(visitor->client, true, "again", 5), 0);
    if (visitor->closes_early)
        assert_int_equal(hf_websocket_client_close(visitor->client, 1000, "early"), 0);
    if (visitor->frees_early)
        hf_websocket_client_free(visitor->client);
}

static void visitor_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct visitor *visitor = context;

    assert_int_equal(visitor->ends, 0);
    visitor->messages++;
    visitor->size += size;
    snprintf(visitor->last, sizeof visitor->last, "%s:%.40s", is_text ? "text" : "binary", bytes);
    if (visitor->reply && visitor->messages == 1)
        assert_int_equal(
            hf_websocket_client_send(visitor->client, false, visitor->reply, visitor->reply_size),
            0);
    if (visitor->closes)
        assert_int_equal(hf_websocket_client_close(visitor->client, 1000, "enough"), 0);
    if (visitor->frees)
        hf_websocket_client_free(visitor->client);
}

static void visitor_on_end(void *context, const struct websocket_client_end *end)
{
    struct visitor *visitor = context;

    visitor->ends++;
    visitor->end = *end;
    snprintf(visitor->text, sizeof visitor->text, "%s", end->text);
    snprintf(visitor->excerpt, sizeof visitor->excerpt, "%s", end->excerpt);
    assert_int_equal(end->opened, visitor->opens > 0);
    assert_int_equal(hf_websocket_client_close(visitor->client, 1000, ""), HAFT_ECLOSED);
    hf_websocket_client_free(visitor->client);
}

static struct websocket_client_options visitor_options(struct visitor *visitor, struct asker *asker,
                                                       const char *url)
{
    return (struct websocket_client_options){.http = asker->http,
                                             .client = asker->client,
                                             .loop = &asker->loop,
                                             .url = url,
                                             .on_open = visitor_on_open,
                                             .on_message = visitor_on_message,
                                             .on_end = visitor_on_end,
                                             .context = visitor};
}

static void visitor_open(struct visitor *visitor, struct websocket_client_options options)
{
    haft_reason reason = {0};

    visitor->client = hf_websocket_client_open(&options, &reason);
    if (!visitor->client)
        fail_msg("%s: %s", reason.path, reason.text);
    assert_int_equal(visitor->opens + visitor->ends, 0);
    assert_int_equal(hf_websocket_client_send(visitor->client, true, "x", 1), HAFT_EBUSY);
}

#define RUN_UNTIL(asker, condition)                                                                \
    while (!(condition))                                                                           \
    uv_run(&(asker)->loop, UV_RUN_ONCE)

/* ---- against each other ---- */

static void they_talk(void **state)
{
    struct hall hall = {.http = NULL};
    struct visitor visitor = {.greeting = "hello"};

    (void)state;
    hall_open(&hall);
    visitor_open(&visitor, visitor_options(&visitor, &hall.asker, hall.url));
    RUN_UNTIL(&hall.asker, visitor.messages == 1);
    assert_string_equal(visitor.last, "text:hello");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(hf_websocket_client_send(visitor.client, false, "again", 5), 0);
    RUN_UNTIL(&hall.asker, visitor.messages == 1001);
    assert_string_equal(visitor.last, "binary:again");
    assert_int_equal(hf_websocket_client_close(visitor.client, 4000, "bye"), 0);
    assert_int_equal(hf_websocket_client_send(visitor.client, true, "x", 1), HAFT_ECLOSED);
    RUN_UNTIL(&hall.asker, visitor.ends && hall.n_ended);
    assert_int_equal(visitor.end.ws.code, 4000);
    assert_true(visitor.end.ws.clean && !visitor.end.ws.by_peer);
    assert_int_equal(visitor.end.error, HTTP_OK);
    assert_string_equal(visitor.text,
                        "the connection was closed by the client with code 4000: bye");
    assert_string_equal(hall.server_end, "4000 by peer clean bye");
    hall_close(&hall);
}

/* More than the transport takes at once, both ways. */
static void they_send_much(void **state)
{
    enum { MUCH = 6 << 20 };
    struct hall hall = {.http = NULL};
    struct visitor visitor = {.greeting = NULL};
    char *bytes = calloc(1, MUCH);

    (void)state;
    hall_open(&hall);
    visitor_open(&visitor, visitor_options(&visitor, &hall.asker, hall.url));
    RUN_UNTIL(&hall.asker, visitor.opens);
    assert_int_equal(hf_websocket_client_send(visitor.client, false, bytes, MUCH), 0);
    assert_int_equal(hf_websocket_client_send(visitor.client, false, bytes, MUCH), 0);
    RUN_UNTIL(&hall.asker, visitor.messages == 2);
    assert_int_equal(visitor.size, 2 * MUCH);
    free(bytes);
    hf_websocket_client_free(visitor.client);
    RUN_UNTIL(&hall.asker, hall.n_ended);
    assert_int_equal(visitor.ends, 0);
    assert_string_equal(hall.server_end,
                        "1006 by peer the connection was closed without a close frame");
    hall_close(&hall);
}

/* The same from a callback, when the socket takes all that it is given. */
static void they_reply_much(void **state)
{
    enum { REPLY = 1 << 20 };
    struct hall hall = {.http = NULL};
    char *bytes = calloc(1, REPLY);
    struct visitor visitor = {.greeting = "hello", .reply = bytes, .reply_size = REPLY};

    (void)state;
    hall_open(&hall);
    visitor_open(&visitor, visitor_options(&visitor, &hall.asker, hall.url));
    RUN_UNTIL(&hall.asker, visitor.messages == 2);
    assert_int_equal(visitor.size, REPLY + 5);
    free(bytes);
    hf_websocket_client_free(visitor.client);
    hall_close(&hall);
}

static void the_server_closes(void **state)
{
    struct hall hall = {.closes = true};
    struct visitor visitor = {.greeting = "hello"};

    (void)state;
    hall_open(&hall);
    visitor_open(&visitor, visitor_options(&visitor, &hall.asker, hall.url));
    RUN_UNTIL(&hall.asker, visitor.ends && hall.n_ended);
    assert_string_equal(visitor.text,
                        "the connection was closed by the server with code 4002: that will do");
    assert_true(visitor.end.ws.clean && visitor.end.ws.by_peer);
    assert_string_equal(hall.server_end, "4002 clean that will do");
    hall_close(&hall);
}

static void the_server_frees(void **state)
{
    struct hall hall = {.frees = true};
    struct visitor visitor = {.greeting = "hello", .greets_twice = true};

    (void)state;
    hall_open(&hall);
    visitor_open(&visitor, visitor_options(&visitor, &hall.asker, hall.url));
    RUN_UNTIL(&hall.asker, visitor.ends && hall.n_ended);
    assert_string_equal(visitor.text, "the server closed without a close frame");
    assert_int_equal(visitor.end.ws.code, WEBSOCKET_ABNORMAL);
    hall_close(&hall);
}

static void the_server_shuts_down(void **state)
{
    struct hall hall = {.http = NULL};
    struct visitor visitor = {.greeting = "hello"};

    (void)state;
    hall_open(&hall);
    visitor_open(&visitor, visitor_options(&visitor, &hall.asker, hall.url));
    RUN_UNTIL(&hall.asker, visitor.messages);
    haft_http_close(hall.http, 5000, hall_on_closed, &hall);
    hall.http = NULL;
    RUN_UNTIL(&hall.asker, visitor.ends && hall.is_closed);
    assert_string_equal(visitor.text, "the connection was closed by the server with code 1001: "
                                      "the server is shutting down");
    assert_string_equal(hall.server_end, "1001 clean the server is shutting down");
    hall_close(&hall);
}

/* Idle connections stay, by pings of either side, whatever the HTTP server's idle_ms says. */
static void they_stay(void **state)
{
    (void)state;
    for (int row = 0; row < 2; row++) {
        struct hall hall = {.options = {.ping_ms = row ? 10 : UINT32_MAX, .pong_ms = 5000}};
        struct visitor visitor = {.greeting = "hello"};
        struct websocket_client_options options;
        uint64_t start;

        hall_open(&hall);
        options = visitor_options(&visitor, &hall.asker, hall.url);
        options.ping_ms = row ? UINT32_MAX : 10;
        options.pong_ms = 5000;
        visitor_open(&visitor, options);
        RUN_UNTIL(&hall.asker, visitor.messages);
        start = uv_hrtime();
        RUN_UNTIL(&hall.asker, uv_hrtime() - start > 300000000);
        assert_int_equal(visitor.ends + hall.n_ended, 0);
        assert_int_equal(hf_websocket_client_send(visitor.client, true, "still", 5), 0);
        RUN_UNTIL(&hall.asker, visitor.messages == 2);
        hf_websocket_client_free(visitor.client);
        hall_close(&hall);
    }
}

/* Wrong requests are answered with HTTP. */
static void the_server_refuses(void **state)
{
    static const struct {
        const char *method, *path;
        struct http_field headers[2];
        int status;
        const char *fields, *body;
    } rows[] = {
        {"GET",
         "/ws",
         {{NULL, NULL}},
         426,
         "Sec-WebSocket-Version=13;",
         "this address serves WebSocket only"},
        {"POST", "/ws", {{NULL, NULL}}, 405, "Allow=GET;", "a WebSocket is opened by GET"},
        {"GET",
         "/ws",
         {{"Sec-WebSocket-Version", "13"}},
         426,
         "Upgrade=websocket;",
         "this address serves WebSocket only"},
    };
    static struct outcome outcome;
    struct hall hall = {.http = NULL};
    char url[160];

    (void)state;
    hall_open(&hall);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        snprintf(url, sizeof url, "http%s", hall.url + 2);
        ask(&hall.asker,
            (struct http_request_options){.method = rows[i].method,
                                          .url = url,
                                          .headers = rows[i].headers,
                                          .n_headers = rows[i].headers[0].name ? 1 : 0},
            &outcome);
        assert_int_equal(outcome.status, rows[i].status);
        assert_string_equal(outcome.body, rows[i].body);
        assert_non_null(strstr(outcome.fields, rows[i].fields));
    }
    assert_int_equal(hall.n_served, 0);
    hall_close(&hall);
}

/* ---- clients against servers that misbehave ---- */

#define REFUSAL "HTTP/1.1 401 Unauthorized\r\nContent-Length: 12\r\n\r\nno, stranger"

static void serve_text(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd))
        rogue_puts(fd, rogue->context);
}

static void serve_silence(struct rogue *rogue, int fd, int number)
{
    (void)number;
    rogue_hold(rogue, fd);
}

/* Switches for the one nonce that the test's clients have: none has, so it never matches. */
static void clients_are_told_why(void **state)
{
    static const struct {
        void (*serve)(struct rogue *rogue, int fd, int number);
        const char *answer, *url;
        int status;
        enum http_error error;
        const char *text, *excerpt;
    } rows[] = {
        {serve_text, REFUSAL, NULL, 401, HTTP_OK,
         "the server did not switch to WebSocket: it answered with status 401", "no, stranger"},
        {serve_text, "HTTP/1.1 404 Not Found\r\n\r\nnothing here", NULL, 404, HTTP_OK,
         "the server did not switch to WebSocket: it answered with status 404", "nothing here"},
        {serve_text,
         "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
         NULL, 0, HTTP_OK,
         "the WebSocket handshake failed: Sec-WebSocket-Accept is missing or wrong", ""},
        {serve_text, "", NULL, 0, HTTP_OK,
         "the WebSocket handshake failed: the connection was closed before the answer", ""},
        {serve_text, "+OK POP3\r\n", NULL, 0, HTTP_OK,
         "the WebSocket handshake failed: the answer is not valid HTTP", ""},
        {serve_silence, "", NULL, 0, HTTP_ANSWER_TIMEOUT,
         "timed out waiting for the answer to the WebSocket handshake", ""},
        {serve_silence, "", "ws://127.0.0.1:1/", 0, HTTP_CONNECT_FAILED, NULL, ""},
        {serve_silence, "", "wss://127.0.0.1:1/", 0, HTTP_CONNECT_FAILED, NULL, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(rows[i].serve, rows[i].answer);
        struct visitor visitor = {.greeting = "hello"};
        struct websocket_client_options options;
        struct asker asker;
        char url[128];

        snprintf(url, sizeof url, "ws://127.0.0.1:%d/path?q", rogue->port);
        asker_init(&asker);
        options = visitor_options(&visitor, &asker, rows[i].url ? rows[i].url : url);
        options.handshake_ms = rows[i].error == HTTP_ANSWER_TIMEOUT ? 50 : 0;
        options.headers = &(haft_header){"Authorization", "Bearer x"};
        options.n_headers = 1;
        visitor_open(&visitor, options);
        RUN_UNTIL(&asker, visitor.ends);
        assert_int_equal(visitor.end.status, rows[i].status);
        assert_int_equal(visitor.end.error, rows[i].error);
        if (rows[i].text)
            assert_string_equal(visitor.text, rows[i].text);
        assert_string_equal(visitor.excerpt, rows[i].excerpt);
        assert_int_equal(visitor.opens, 0);
        if (rows[i].serve == serve_text)
            assert_true(rogue_saw(rogue, "GET /path?q HTTP/1.1\r\nHost: 127.0.0.1:") &&
                        rogue_saw(rogue, "\r\nAuthorization: Bearer x\r\n"));
        asker_finish(&asker);
        rogue_close(rogue);
    }
}

static void clients_check_urls(void **state)
{
    static const struct {
        const char *url, *text;
    } rows[] = {
        {"", "invalid URL: it must begin with ws:// or wss:// and a host"},
        {"ftp://a/", "invalid URL: it must begin with ws:// or wss:// and a host"},
        {"ws:///a", "invalid URL: it must begin with ws:// or wss:// and a host"},
        {"ws://a/b#c", "a WebSocket URL has neither a fragment nor user and password"},
        {"ws://user:secret@a/", "a WebSocket URL has neither a fragment nor user and password"},
        {"ws://a/b c", "invalid path: it must begin with / and be printable ASCII"},
        {"ws://a b/c", "invalid host"},
    };
    struct visitor visitor = {.greeting = NULL};
    struct asker asker;

    (void)state;
    asker_init(&asker);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct websocket_client_options options = visitor_options(&visitor, &asker, rows[i].url);
        haft_reason reason = {0};

        assert_null(hf_websocket_client_open(&options, &reason));
        assert_string_equal(reason.text, rows[i].text);
    }
    assert_int_equal(visitor.ends, 0);
    asker_finish(&asker);
}

/* ---- at any moment ---- */

static void clients_end_at_any_moment(void **state)
{
    (void)state;
    for (int row = 0; row < 7; row++) {
        struct hall hall = {.http = NULL};
        struct visitor visitor = {.greeting = "hello",
                                  .closes = row == 0,
                                  .frees = row == 1,
                                  .closes_early = row == 2,
                                  .frees_early = row == 3};

        hall_open(&hall);
        visitor_open(&visitor, visitor_options(&visitor, &hall.asker, hall.url));
        if (row == 4)
            assert_int_equal(hf_websocket_client_close(visitor.client, 1000, ""), 0);
        if (row == 5)
            hf_websocket_client_free(visitor.client);
        if (row == 6) {
            hall.asker.http->destroy(hall.asker.client);
            hall.asker.client = NULL;
        }
        if (row % 2 == 0)
            RUN_UNTIL(&hall.asker, visitor.ends);
        else if (row < 4)
            RUN_UNTIL(&hall.asker, hall.n_ended);
        hall_close(&hall);
        assert_int_equal(visitor.ends, row % 2 == 0);
    }
}

/* ---- memory ---- */

static void they_survive_without_memory(void **state)
{
    size_t nth;

    (void)state;
    for (nth = 1;; nth++) {
        struct hall hall = {.http = NULL};
        struct visitor visitor = {.greeting = NULL, .closes = true};
        struct websocket_client_options options;
        struct failing failing;

        hall_open(&hall);
        failing_init(&failing, nth);
        hall.options.allocator = &failing.allocator;
        options = visitor_options(&visitor, &hall.asker, hall.url);
        options.allocator = &failing.allocator;
        visitor.client = hf_websocket_client_open(&options, NULL);
        RUN_UNTIL(&hall.asker, !visitor.client || visitor.opens || visitor.ends);
        if (visitor.opens && hf_websocket_client_send(visitor.client, true, "hello", 5))
            hf_websocket_client_free(visitor.client);
        else
            RUN_UNTIL(&hall.asker, !visitor.client || visitor.ends);
        hall_close(&hall);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    assert_true(nth > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_talk),
        cmocka_unit_test(they_send_much),
        cmocka_unit_test(they_reply_much),
        cmocka_unit_test(the_server_closes),
        cmocka_unit_test(the_server_frees),
        cmocka_unit_test(the_server_shuts_down),
        cmocka_unit_test(they_stay),
        cmocka_unit_test(the_server_refuses),
        cmocka_unit_test(clients_are_told_why),
        cmocka_unit_test(clients_check_urls),
        cmocka_unit_test(clients_end_at_any_moment),
        cmocka_unit_test(they_survive_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
