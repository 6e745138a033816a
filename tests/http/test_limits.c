/* test_limits.c - how often clients may ask: to the request, on one loop and on several, and in
 * whose words the one too many is refused; and who may see what is counted. */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <uv.h>

#include "endpoint/mux.h"
#include "support/tools.h"
#include "support/failing.h"
#include "support/headers.h"
#include "stage/store_state.h"
#include "support/late_store.h"
#include "support/patient_read.h"
#include "support/test.h"

/* ---- without sockets ---- */

struct reply {
    int status;
    char headers[512], body[4096];
};

static void on_respond(void *context, const haft_response *response)
{
    struct reply *reply = context;

    reply->status = response->status;
    headers_write(response->headers, response->n_headers, reply->headers, sizeof reply->headers);
    snprintf(reply->body, sizeof reply->body, "%.*s", (int)response->size,
             response->size ? response->body : "");
}

struct asked {
    const char *method, *path, *peer, *principal, *headers, *body;
};

static struct reply *ask(struct mux *mux, struct asked asked, haft_time now)
{
    static const haft_responder responder = {.respond = on_respond};
    static struct reply reply;
    struct haft_header_index index;
    struct header_lines lines;
    char headers[512];
    haft_request request = {.method = asked.method ? asked.method : "POST",
                            .path = asked.path ? asked.path : "/mcp",
                            .query = "",
                            .body = asked.body ? asked.body : "",
                            .body_size = asked.body ? strlen(asked.body) : 0,
                            .peer = asked.peer,
                            .principal = asked.principal,
                            .index_ = &index};

    snprintf(headers, sizeof headers, "host: localhost\ncontent-type: application/json\n%s",
             asked.headers ? asked.headers : "");
    headers_read(&lines, headers, &request.headers, &request.n_headers);
    reply = (struct reply){0};
    hf_headers_index(request.headers, request.n_headers, &index);
    assert_null(hf_mux_handle(mux, &request, &responder, &reply, now).by);
    return &reply;
}

static void *no_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop;
    (void)reterr_reason;
    return data;
}

static void *no_handle(void *app, const haft_request *request, const haft_responder *responder,
                       void *context, haft_time now)
{
    (void)app;
    (void)request;
    (void)now;
    responder->respond(context, &(haft_response){.status = 201});
    return NULL;
}

static char anything[] = "";
static const haft_app app =
    HAFT_INIT(haft_app, .open = no_open, .handle = no_handle, .data = anything);
static const haft_http_mount mounts[] = {HAFT_INIT(haft_http_mount, .path = "/app", .app = &app)};

struct stand {
    haft_server *server;
    struct mux mux;
    struct limiter *limiter;
};

static void stand_up(struct stand *stand, haft_http_options options, bool counts)
{
    haft_reason reason;

    stand->server = haft_server_new("test", "1");
    assert_non_null(stand->server);
    if (counts)
        assert_int_equal(haft_metrics_enable(stand->server), 0);
    haft_add(stand->server, &echo_tool);
    options.path = "/mcp";
    options.mounts = mounts;
    options.n_mounts = 1;
    assert_int_equal(hf_mux_init(&stand->mux, &options,
                                 &(haft_http_loop){.server = stand->server, .n = 1}, &reason),
                     0);
    assert_int_equal(hf_limit_new(&options, stand->server->allocator, &stand->limiter), 0);
    stand->mux.limiter = stand->limiter;
}

static void take_down(struct stand *stand)
{
    hf_mux_finish(&stand->mux);
    hf_limiter_free(stand->limiter);
    haft_server_free(stand->server);
}

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"

/* Requests one after another, each with when it comes and what it gets. */
static void counts_by_client(void **state)
{
    static const struct {
        haft_time now;
        struct asked asked;
        int status;
        const char *retry;
    } rows[] = {
        {1000, {.peer = "192.0.2.1", .body = PING}, 200, NULL},
        {1500, {.peer = "192.0.2.1", .body = PING}, 200, NULL},
        {1600, {.peer = "192.0.2.1", .body = PING}, 429, "Retry-After: 10\r\n"},
        {1600, {.peer = "192.0.2.2", .body = PING}, 200, NULL},
        {1600, {.peer = "192.0.2.1", .principal = "amy", .body = PING}, 200, NULL},
        {1600, {.peer = "192.0.2.1", .path = "/app"}, 429, "Retry-After: 10\r\n"},
        {1600, {.peer = "192.0.2.3", .path = "/app"}, 201, NULL},
        /* what is not counted */
        {1600, {.method = "GET", .peer = "192.0.2.1", .path = "/healthz"}, 200, NULL},
        {1600, {.method = "GET", .peer = "192.0.2.1", .path = "/readyz"}, 200, NULL},
        {1600, {.peer = "192.0.2.1", .path = "/nothing"}, 404, NULL},
        {1600, {.peer = "192.0.2.1", .headers = "origin: http://evil\n"}, 403, NULL},
        /* a principal is the same wherever it is */
        {1600, {.peer = "192.0.2.9", .principal = "amy", .body = PING}, 200, NULL},
        {1600, {.peer = "192.0.2.9", .principal = "amy", .body = PING}, 429, NULL},
        /* a network of IPv6 is one client */
        {1600, {.peer = "2001:db8::1", .body = PING}, 200, NULL},
        {1600, {.peer = "2001:db8::ffff", .body = PING}, 200, NULL},
        {1600, {.peer = "2001:db8:0:0:1::", .body = PING}, 429, NULL},
        {1600, {.peer = "2001:db8:0:1::1", .body = PING}, 200, NULL},
        /* the window slides */
        {10999, {.peer = "192.0.2.1", .body = PING}, 429, "Retry-After: 1\r\n"},
        {11000, {.peer = "192.0.2.1", .body = PING}, 200, NULL},
        {11000, {.peer = "192.0.2.1", .body = PING}, 429, "Retry-After: 1\r\n"},
        {11500, {.peer = "192.0.2.1", .body = PING}, 200, NULL},
        /* those who have no address are one */
        {11500, {.body = PING}, 200, NULL},
        {11500, {.body = PING}, 200, NULL},
        {11500, {.body = PING}, 429, NULL},
    };
    struct stand stand;

    (void)state;
    stand_up(&stand, (haft_http_options)HAFT_INIT(haft_http_options, .rate = {2, 10000}), false);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct reply *reply = ask(&stand.mux, rows[i].asked, rows[i].now);

        if (reply->status != rows[i].status ||
            (rows[i].retry && !strstr(reply->headers, rows[i].retry)))
            fail_msg("row %zu: %d %s", i, reply->status, reply->headers);
    }
    take_down(&stand);
}

/* Who asks too often does not use up what others are allowed. */
static void counts_all_together(void **state)
{
    struct stand stand;

    (void)state;
    stand_up(&stand,
             (haft_http_options)HAFT_INIT(haft_http_options, .rate = {3, 0}, .total_rate = {5, 0}),
             false);
    for (int i = 0; i < 10; i++)
        assert_int_equal(
            ask(&stand.mux, (struct asked){.peer = "192.0.2.1", .body = PING}, 1000)->status,
            i < 3 ? 200 : 429);
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            ask(&stand.mux, (struct asked){.peer = "192.0.2.2", .body = PING}, 1000)->status,
            i < 2 ? 200 : 429);
    /* Of a minute, when nothing else is said. */
    assert_int_equal(
        ask(&stand.mux, (struct asked){.peer = "192.0.2.3", .body = PING}, 60999)->status, 429);
    assert_int_equal(
        ask(&stand.mux, (struct asked){.peer = "192.0.2.3", .body = PING}, 61000)->status, 200);
    take_down(&stand);
}

static void says_whose_request_was_refused(void **state)
{
#define ERROR(id)                                                                                  \
    "{\"jsonrpc\":\"2.0\"," id                                                                     \
    "\"error\":{\"code\":-32000,\"message\":\"Too Many Requests: try again in 60 s\"}}"
    static const struct {
        struct asked asked;
        const char *body;
    } rows[] = {
        {{.body = PING}, ERROR("\"id\":1,")},
        {{.body = "{\"id\":\"a\\\"\\u00e9\"}"}, ERROR("\"id\":\"a\\\"\xC3\xA9\",")},
        {{.body = " {\"params\":{\"id\":7,\"a\":[{\"id\":8}]},\n\"x\":\"\\\"id\\\":9\" , "
                  "\"id\" : -3 }"},
         ERROR("\"id\":-3,")},
        {{.body = "{\"k\":\"id\",\"v\":\"}\\\\\",\"id\":4"}, ERROR("\"id\":4,")},
        /* none that could be given back */
        {{.body = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}"}, ERROR("")},
        {{.body = "{\"params\":{\"id\":7}}"}, ERROR("")},
        {{.body = "{\"id\":null}"}, ERROR("")},
        {{.body = "{\"id\":1.5}"}, ERROR("")},
        {{.body = "{\"id\":{\"id\":1}}"}, ERROR("")},
        {{.body = "{\"id\":01}"}, ERROR("")},
        {{.body = "{\"id\":\"\xFF\"}"}, ERROR("")},
        {{.body = "{\"id\":\"open"}, ERROR("")},
        {{.body = "{\"id\":\"open\\"}, ERROR("")},
        {{.body = "{\"id\":"}, ERROR("")},
        {{.body = "{\"id\""}, ERROR("")},
        {{.body = "{\"i"}, ERROR("")},
        {{.body = "{\"\":"}, ERROR("")},
        {{.body = "{\"id\":\"\\"}, ERROR("")},
        {{.body = "[{\"id\":1}]"}, ERROR("")},
        {{.body = "{}}{\"id\":1}"}, ERROR("")},
        {{.body = "\"id\":1"}, ERROR("")},
        {{.body = ""}, ERROR("")},
        {{.method = "GET"}, ERROR("")},
        {{.path = "/app", .body = PING}, "Too Many Requests\n"},
    };
#undef ERROR
    char huge[600] = "{\"id\":\"";
    struct stand stand;

    (void)state;
    stand_up(&stand, (haft_http_options)HAFT_INIT(haft_http_options, .total_rate = {1, 60000}),
             false);
    assert_int_equal(ask(&stand.mux, (struct asked){.body = PING}, 1)->status, 200);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct reply *reply = ask(&stand.mux, rows[i].asked, 1);

        assert_int_equal(reply->status, 429);
        if (strcmp(reply->body, rows[i].body) != 0)
            fail_msg("row %zu: %s", i, reply->body);
    }
    memset(huge + 7, 'x', 500);
    snprintf(huge + 507, 8, "\"}");
    assert_null(strstr(ask(&stand.mux, (struct asked){.body = huge}, 1)->body, "\"id\""));
    take_down(&stand);
}

/* ---- in the server's store ---- */

static atomic_size_t n_wakes;

static void count_wake(void *context)
{
    (void)context;
    atomic_fetch_add(&n_wakes, 1);
}

static char log_lines[1024];

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    snprintf(log_lines + strlen(log_lines), sizeof log_lines - strlen(log_lines), "%.*s\n",
             (int)size, text);
}

struct shared {
    struct stand stand;
    haft_store *memory;
    struct late_store *late;
    struct reply reply;
    struct pending_request taken; /* by the latest that waits */
};

static const haft_loop waking = HAFT_INIT(haft_loop, .wake = count_wake);

static void shared_open(struct shared *shared, enum late_mode mode)
{
    *shared = (struct shared){.memory = haft_store_memory_new(NULL)};
    shared->late = late_store_new(shared->memory, mode, 0);
    assert_non_null(shared->late);
    stand_up(
        &shared->stand,
        (haft_http_options)HAFT_INIT(haft_http_options, .rate = {2, 1000}, .total_rate = {3, 1000}),
        false);
    log_lines[0] = '\0';
    hf_server_set_log(shared->stand.server, on_log, NULL);
    shared->stand.server->options.store = late_store_of(shared->late);
    shared->stand.mux.loop.loop = &waking;
}

static void shared_close(struct shared *shared)
{
    assert_true(hf_mux_idle(&shared->stand.mux));
    take_down(&shared->stand);
    late_store_free(shared->late);
    haft_store_free(shared->memory);
}

static void shared_ask(struct shared *shared, struct asked asked, haft_time now)
{
    static const haft_responder responder = {.respond = on_respond};
    static const haft_header headers[] = {{"host", "localhost"},
                                          {"content-type", "application/json"}};
    struct haft_header_index index;
    haft_request request = {.method = "POST",
                            .path = "/mcp",
                            .query = "",
                            .headers = headers,
                            .n_headers = COUNT_OF(headers),
                            .body = PING,
                            .body_size = strlen(PING),
                            .peer = asked.peer,
                            .principal = asked.principal,
                            .index_ = &index};

    shared->reply = (struct reply){0};
    hf_headers_index(request.headers, request.n_headers, &index);
    shared->taken = hf_mux_handle(&shared->stand.mux, &request, &responder, &shared->reply, now);
    /* It waits, or has been answered without the store. */
    assert_int_equal(shared->taken.by != NULL, !shared->reply.status);
}

/* A client's own limit first, and that of all together only then; answered at once or later. */
static void counts_in_the_store(void **state)
{
    static const struct {
        struct asked asked;
        int status;
        haft_time now;
        size_t requests; /* to the store */
    } rows[] = {
        {{.peer = "192.0.2.1"}, 200, 1000, 2},   {{.peer = "192.0.2.1"}, 200, 1000, 2},
        {{.peer = "192.0.2.1"}, 429, 1500, 1},   {{.principal = "amy"}, 200, 1500, 2},
        {{.peer = "192.0.2.1"}, 429, 1600, 0}, /* as the store has said */
        {{.principal = "bob"}, 429, 1500, 2},    {{.peer = "192.0.2.1"}, 200, 2000, 2},
        {{.peer = "2001:db8::1"}, 200, 2500, 2},
    };

    (void)state;
    for (int mode = LATE_AT_ONCE; mode <= LATE_HELD; mode++) {
        struct shared shared;

        shared_open(&shared, (enum late_mode)mode);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            size_t before = late_store_requests(shared.late);

            shared_ask(&shared, rows[i].asked, rows[i].now);
            while (late_store_release(shared.late, 0))
                assert_int_equal(shared.reply.status, 0);
            hf_mux_tick(&shared.stand.mux, rows[i].now);
            if (shared.reply.status != rows[i].status)
                fail_msg("mode %d, row %zu: %d %s", mode, i, shared.reply.status,
                         shared.reply.body);
            assert_int_equal(late_store_requests(shared.late) - before, rows[i].requests);
            assert_int_equal(strstr(shared.reply.headers, "Retry-After: 1\r\n") != NULL,
                             rows[i].status == 429);
        }
        shared_close(&shared);
    }
}

/* It fails, at once or later; it does not answer; and it comes back. */
static void tells_that_it_cannot_count(void **state)
{
    struct shared shared;

    (void)state;
    shared_open(&shared, LATE_FAILS);
    shared.stand.server->options.store_rate = HAFT_AWAY_CLOSED;
    for (int later = 0; later < 2; later++) {
        shared_ask(&shared, (struct asked){.peer = "192.0.2.1"}, 1000);
        late_store_release(shared.late, HAFT_EBUSY);
        hf_mux_tick(&shared.stand.mux, 1000);
        assert_int_equal(shared.reply.status, 503);
        assert_non_null(strstr(shared.reply.body, "The rate limit cannot be checked"));
        late_store_set(shared.late, LATE_HELD);
    }
    for (int holds_on = 0; holds_on < 2; holds_on++) {
        if (holds_on)
            late_store_hold_on(shared.late);
        shared_ask(&shared, (struct asked){.peer = "192.0.2.1"}, 1000);
        hf_mux_tick(&shared.stand.mux, 30999);
        assert_int_equal(shared.reply.status, 0);
        hf_mux_tick(&shared.stand.mux, 31000);
        assert_int_equal(shared.reply.status, 504);
        assert_non_null(strstr(shared.reply.body, "the store did not answer in time"));
        assert_int_equal(hf_mux_idle(&shared.stand.mux), !holds_on);
    }
    late_store_release(shared.late, 0);
    hf_mux_tick(&shared.stand.mux, 31000);
    late_store_release(shared.late, 0);
    hf_mux_tick(&shared.stand.mux, 31000);
    assert_string_equal(log_lines, "rate limits: the store (late) failed: failed\n"
                                   "rate limits: the store (late) is responding again\n");
    shared_close(&shared);
}

/* While the store fails, the policy decides, in each process for its part; then it counts again. */
static void decides_without_the_store(void **state)
{
    static const struct {
        haft_store_away policy;
        unsigned replicas;
        int statuses[6]; /* of requests of one client, at a limit of 2, and 3 for all */
    } rows[] = {
        {HAFT_AWAY_LOCAL, 1, {200, 200, 429, 429, 429, 429}},
        {HAFT_AWAY_LOCAL, 2, {200, 429, 429, 429, 429, 429}},
        {HAFT_AWAY_LOCAL, 100, {200, 429, 429, 429, 429, 429}},
        {HAFT_AWAY_OPEN, 1, {200, 200, 200, 200, 200, 200}},
        {HAFT_AWAY_CLOSED, 1, {503, 503, 503, 503, 503, 503}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct shared shared;
        haft_buffer metrics;
        char line[96];

        shared_open(&shared, LATE_FAILS);
        shared.stand.server->options.store_rate = rows[i].policy;
        shared.stand.server->options.replicas = rows[i].replicas;
        for (size_t k = 0; k < COUNT_OF(rows[i].statuses); k++) {
            shared_ask(&shared, (struct asked){.peer = "192.0.2.1"}, 1000);
            hf_mux_tick(&shared.stand.mux, 1000);
            if (shared.reply.status != rows[i].statuses[k])
                fail_msg("row %zu, request %zu: %d", i, k, shared.reply.status);
        }
        haft_buffer_init(&metrics, NULL, 1 << 20);
        hf_store_put_up(&metrics, shared.stand.server);
        hf_store_put_refused(&metrics, shared.stand.server);
        hf_store_put_local(&metrics, shared.stand.server);
        haft_buffer_add(&metrics, "", 1);
        assert_non_null(strstr(metrics.data, "mcp_server_store_up{use=\"rates\"} 0\n"));
        snprintf(line, sizeof line, "mcp_server_store_%s_total{use=\"rates\"} 6\n",
                 rows[i].policy == HAFT_AWAY_CLOSED ? "refused" : "local");
        assert_non_null(strstr(metrics.data, line));
        haft_buffer_finish(&metrics);
        late_store_set(shared.late, LATE_AT_ONCE);
        for (int k = 0; k < 3; k++) {
            shared_ask(&shared, (struct asked){.peer = "192.0.2.1"}, 1000);
            hf_mux_tick(&shared.stand.mux, 1000);
            assert_int_equal(shared.reply.status, k < 2 ? 200 : 429);
        }
        assert_false(hf_store_is_degraded(shared.stand.server));
        shared_close(&shared);
    }
}

/* Clients leave, and the server ends, while they wait. */
static void outlives_those_who_wait(void **state)
{
    (void)state;
    for (int step = 0; step < 2; step++)
        for (int holds_on = 0; holds_on < 2; holds_on++) {
            struct shared shared;

            shared_open(&shared, LATE_HELD);
            if (holds_on)
                late_store_hold_on(shared.late);
            shared_ask(&shared, (struct asked){.peer = "192.0.2.1"}, 1000);
            if (step)
                late_store_release(shared.late, 0);
            assert_true(hf_mux_half_closed(shared.taken));
            hf_mux_gone(shared.taken);
            hf_mux_abandon(&shared.stand.mux);
            assert_int_equal(hf_mux_idle(&shared.stand.mux), !holds_on);
            while (late_store_release(shared.late, 0))
                ;
            hf_mux_tick(&shared.stand.mux, 1000);
            assert_int_equal(shared.reply.status, 0);
            shared_close(&shared);
        }
}

/* Everybody behind the guard is closed for at once. */
static void closes_for_all(void **state)
{
    static const struct {
        struct asked asked;
        int status;
    } rows[] = {
        {{.method = "GET", .path = "/healthz"}, 200},
        {{.method = "GET", .path = "/readyz"}, 503},
        {{.method = "GET", .path = "/metrics"}, 503},
        {{.path = "/mcp", .body = PING}, 503},
        {{.path = "/app"}, 503},
    };
    struct stand stand;

    (void)state;
    stand_up(&stand, (haft_http_options){.struct_size = sizeof(haft_http_options)}, true);
    hf_mux_shut_down(&stand.mux);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(ask(&stand.mux, rows[i].asked, 1)->status, rows[i].status);
    assert_true(hf_mux_idle(&stand.mux));
    take_down(&stand);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        haft_http_options options = HAFT_INIT(haft_http_options, .rate = {2, 1000});
        struct failing failing;
        struct stand stand;
        bool failed;

        stand_up(&stand, (haft_http_options){.struct_size = sizeof(haft_http_options)}, false);
        failing_init(&failing, nth);
        if (!hf_limit_new(&options, &failing.allocator, &stand.limiter)) {
            int status;

            stand.mux.limiter = stand.limiter;
            stand.mux.rate = options.rate;
            status = ask(&stand.mux, (struct asked){.body = PING}, 1)->status;
            assert_int_equal(status, failing.failures ? 503 : 200);
            failing.fail_at = 0;
            ask(&stand.mux, (struct asked){.body = PING}, 1);
            ask(&stand.mux, (struct asked){.body = PING}, 1);
            assert_int_equal(ask(&stand.mux, (struct asked){.body = PING}, 1)->status, 429);
        }
        failed = failing.failures;
        take_down(&stand);
        failing_check(&failing);
        if (!failed)
            break;
    }
}

/* ---- what is counted ---- */

static void shows_what_is_counted(void **state)
{
    static const struct {
        bool counts, for_all;
        const char *at;
        struct asked asked;
        int status;
    } rows[] = {
        {true, false, NULL, {.method = "GET", .path = "/metrics", .peer = "127.0.0.1"}, 200},
        {true, false, NULL, {.method = "HEAD", .path = "/metrics", .peer = "127.8.0.1"}, 200},
        {true, false, NULL, {.method = "GET", .path = "/metrics", .peer = "::1"}, 200},
        {true, false, NULL, {.method = "GET", .path = "/metrics"}, 200},
        {false, false, NULL, {.method = "GET", .path = "/metrics"}, 404},
        {false, true, NULL, {.method = "GET", .path = "/metrics"}, 404},
        {true, false, NULL, {.method = "POST", .path = "/metrics"}, 404},
        {true, false, NULL, {.method = "GET", .path = "/metrics", .peer = "192.0.2.1"}, 404},
        {true, true, NULL, {.method = "GET", .path = "/metrics", .peer = "192.0.2.1"}, 200},
        {true,
         false,
         NULL,
         {.method = "GET", .path = "/metrics", .headers = "x-forwarded-for: 192.0.2.1\n"},
         404},
        {true,
         false,
         NULL,
         {.method = "GET", .path = "/metrics", .headers = "forwarded: for=192.0.2.1\n"},
         404},
        {true, false, "/-/counts", {.method = "GET", .path = "/metrics"}, 404},
        {true, false, "/-/counts", {.method = "GET", .path = "/-/counts"}, 200},
        {true,
         false,
         NULL,
         {.method = "GET", .path = "/metrics", .headers = "origin: http://evil.example\n"},
         403},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct stand stand;
        const struct reply *reply;

        stand_up(&stand,
                 (haft_http_options)HAFT_INIT(haft_http_options, .metrics_path = rows[i].at,
                                              .metrics_for_all = rows[i].for_all,
                                              .total_rate = {1, 1000}),
                 rows[i].counts);
        for (int k = 0; k < 2; k++) {
            reply = ask(&stand.mux, rows[i].asked, 1);
            if (reply->status != rows[i].status)
                fail_msg("row %zu: %d", i, reply->status);
        }
        if (reply->status == 200) {
            assert_non_null(strstr(reply->headers, "Content-Type: text/plain; version=0.0.4"));
            assert_non_null(strstr(reply->body, "# TYPE mcp_server_calls_total counter\n"));
        }
        take_down(&stand);
    }
}

/* ---- a crowd ---- */

enum { CONNECTIONS = 64, CLIENTS = 8, TURNS = 20, ALLOWED = 300 };

struct site {
    haft_server *server;
    haft_http_options options;
    int port, status;
    uv_sem_t ready;
    pthread_t thread;
    const char *from; /* where its clients are */
    atomic_int answered, refused, other;
};

static void on_ready(void *context, const char *url)
{
    struct site *site = context;

    site->port = (int)strtol(strrchr(url, ':') + 1, NULL, 10);
    uv_sem_post(&site->ready);
}

static void *serve(void *context)
{
    struct site *site = context;

    site->status = haft_http_serve(site->server, &site->options, NULL);
    if (site->status)
        uv_sem_post(&site->ready);
    return NULL;
}

static int dial(const struct site *site)
{
    struct timeval patience = {20, 0};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)site->port)};
    struct sockaddr_in from = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    inet_pton(AF_INET, site->from, &from.sin_addr);
    if (bind(fd, (struct sockaddr *)&from, sizeof from) ||
        connect(fd, (struct sockaddr *)&to, sizeof to)) {
        close(fd);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

/* The status of one answer; its body ends with a brace. */
static int turn(int fd)
{
    static const char request[] =
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 40\r\n\r\n" PING;
    char text[1024] = "";
    size_t size = 0;

    if (write(fd, request, sizeof request - 1) != sizeof request - 1)
        return 0;
    while (!size || text[size - 1] != '}') {
        ssize_t n = patient_read(fd, text + size, sizeof text - size - 1);

        if (n <= 0)
            return 0;
        text[size += (size_t)n] = '\0';
    }
    return (int)strtol(text + 9, NULL, 10);
}

static void *hammer(void *context)
{
    struct site *site = context;
    int fds[CONNECTIONS / CLIENTS];

    for (int i = 0; i < CONNECTIONS / CLIENTS; i++)
        fds[i] = dial(site);
    for (int k = 0; k < TURNS; k++)
        for (int i = 0; i < CONNECTIONS / CLIENTS; i++) {
            int status = fds[i] < 0 ? 0 : turn(fds[i]);

            atomic_fetch_add(status == 200   ? &site->answered
                             : status == 429 ? &site->refused
                                             : &site->other,
                             1);
        }
    for (int i = 0; i < CONNECTIONS / CLIENTS; i++)
        close(fds[i]);
    return NULL;
}

static void is_exact_in_a_crowd(void **state)
{
    static const struct {
        unsigned threads;
        haft_rate rate, total_rate;
    } rows[] = {
        {1, {ALLOWED, 3600000}, {0, 0}},
        {2, {ALLOWED, 3600000}, {0, 0}},
        {1, {0, 0}, {ALLOWED, 3600000}},
        {2, {0, 0}, {ALLOWED, 3600000}},
        {2, {ALLOWED, 3600000}, {ALLOWED + 1, 3600000}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct site site = {.server = haft_server_new("test", "1"), .from = "127.0.0.1"};
        pthread_t clients[CLIENTS];
        int fd;

        site.options = (haft_http_options)HAFT_INIT(
            haft_http_options, .address = "127.0.0.1:0", .threads = rows[i].threads,
            .rate = rows[i].rate, .total_rate = rows[i].total_rate, .ready = on_ready,
            .ready_context = &site);
        uv_sem_init(&site.ready, 0);
        assert_int_equal(pthread_create(&site.thread, NULL, serve, &site), 0);
        uv_sem_wait(&site.ready);
        assert_int_equal(site.status, 0);
        for (int k = 0; k < CLIENTS; k++)
            assert_int_equal(pthread_create(&clients[k], NULL, hammer, &site), 0);
        for (int k = 0; k < CLIENTS; k++)
            pthread_join(clients[k], NULL);
        assert_int_equal(atomic_load(&site.other), 0);
        assert_int_equal(atomic_load(&site.answered), ALLOWED);
        assert_int_equal(atomic_load(&site.refused), CONNECTIONS * TURNS - ALLOWED);
        /* Somebody else is only concerned by what all have together. */
        site.from = "127.0.0.2";
        fd = dial(&site);
        assert_true(fd >= 0);
        assert_int_equal(turn(fd), rows[i].rate.calls ? 200 : 429);
        close(fd);
        kill(getpid(), SIGTERM);
        pthread_join(site.thread, NULL);
        assert_int_equal(site.status, 0);
        uv_sem_destroy(&site.ready);
        haft_server_free(site.server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_client),
        cmocka_unit_test(counts_all_together),
        cmocka_unit_test(says_whose_request_was_refused),
        cmocka_unit_test(counts_in_the_store),
        cmocka_unit_test(tells_that_it_cannot_count),
        cmocka_unit_test(decides_without_the_store),
        cmocka_unit_test(outlives_those_who_wait),
        cmocka_unit_test(closes_for_all),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(shows_what_is_counted),
        cmocka_unit_test(is_exact_in_a_crowd),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
