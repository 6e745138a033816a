/* test_otlp.c - calls as spans: what a collector gets, and what happens when it is slow, broken or
 * not there. */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include <haft.h>

#include "observe/otlp.h"
#include "support/dialogue.h"
#include "support/failing.h"
#include "support/test.h"

enum { ROOM = 4 << 20, PATIENCE_MS = 30000 };

/* ---- a collector ---- */

struct collector {
    _Atomic(const char *) answer; /* NULL: it takes everything and says nothing */
    int fd, port;
    atomic_int spans, requests;
    atomic_bool ends;
    pthread_t thread;
    char *text; /* of all requests */
    size_t size;
};

/* Reads one request to its end; false when that does not come. */
static bool read_request(struct collector *collector, int fd)
{
    size_t start = collector->size;

    for (;;) {
        char *at = collector->text + start, *body = strstr(at, "\r\n\r\n");
        const char *length = body ? strstr(at, "Content-Length: ") : NULL;
        struct pollfd poller = {.fd = fd, .events = POLLIN};
        ssize_t n;

        if (length && strlen(body + 4) >= strtoul(length + 16, NULL, 10))
            return true;
        if (atomic_load(&collector->ends) || poll(&poller, 1, 50) < 0)
            return false;
        n = poller.revents ? read(fd, collector->text + collector->size, ROOM - collector->size - 1)
                           : -1;
        if (!n)
            return false;
        collector->size += n > 0 ? (size_t)n : 0;
        collector->text[collector->size] = '\0';
    }
}

static int count(const char *text, const char *part)
{
    int n = 0;

    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

static void *collect(void *context)
{
    struct collector *collector = context;

    while (!atomic_load(&collector->ends)) {
        struct pollfd poller = {.fd = collector->fd, .events = POLLIN};
        size_t start = collector->size;
        int fd = poll(&poller, 1, 20) > 0 ? accept(collector->fd, NULL, NULL) : -1;

        if (fd < 0)
            continue;
        if (read_request(collector, fd)) {
            const char *answer = atomic_load(&collector->answer);

            atomic_fetch_add(&collector->spans, count(collector->text + start, "\"traceId\""));
            atomic_fetch_add(&collector->requests, 1);
            if (answer)
                assert_true(write(fd, answer, strlen(answer)) > 0);
            else
                while (!atomic_load(&collector->ends))
                    poll(NULL, 0, 10);
        }
        close(fd);
    }
    return NULL;
}

static struct collector *collector_open(const char *answer)
{
    struct collector *collector = calloc(1, sizeof *collector);
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t size = sizeof name;

    assert_non_null(collector);
    atomic_store(&collector->answer, answer);
    collector->text = calloc(1, ROOM);
    collector->fd = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr);
    assert_int_equal(bind(collector->fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(collector->fd, 16), 0);
    getsockname(collector->fd, (struct sockaddr *)&name, &size);
    collector->port = ntohs(name.sin_port);
    assert_int_equal(pthread_create(&collector->thread, NULL, collect, collector), 0);
    return collector;
}

static void collector_close(struct collector *collector)
{
    atomic_store(&collector->ends, true);
    pthread_join(collector->thread, NULL);
    close(collector->fd);
    free(collector->text);
    free(collector);
}

/* ---- a server ---- */

HAFT_STRUCT(divide_args, HAFT_INTEGER(a, "What"), HAFT_INTEGER(b, "By what"));

static int divide(haft_call *call, const divide_args *in)
{
    if (!in->b)
        return haft_error(call, "That cannot be divided");
    return haft_text(call, "%lld", (long long)(in->a / in->b));
}
HAFT_TOOL_IN(divide, divide_args, "Divides", .quick = true);

static atomic_int n_lines; /* of the log */
static char latest_line[512];

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    atomic_fetch_add(&n_lines, 1);
    snprintf(latest_line, sizeof latest_line, "%.*s", (int)size, text);
}

struct stand {
    haft_server *server;
    haft_otlp *otlp;
    haft_client *client;
    char url[64];
};

static void stand_up(struct stand *stand, int port, haft_otlp_options options)
{
    haft_reason reason = {0};

    snprintf(stand->url, sizeof stand->url, "http://127.0.0.1:%d", port);
    options.url = stand->url;
    atomic_store(&n_lines, 0);
    stand->server =
        haft_server_new_with("dividing", "7.1", HAFT_WITH(haft_server_options, .log = on_log));
    assert_int_equal(haft_add(stand->server, &divide_tool), 0);
    stand->otlp = haft_otlp_new(stand->server, &options, &reason);
    if (!stand->otlp)
        fail_msg("%s: %s", reason.path, reason.text);
    stand->client =
        haft_client_new(stand->server, HAFT_WITH(haft_client_options, .name = "tester"));
    assert_non_null(stand->client);
}

static void ask(struct stand *stand, const char *params)
{
    haft_result result;

    assert_int_equal(haft_client_request(stand->client, "tools/call", params, &result), 0);
}

/* What came of the spans; waits for the first of them when there is something to wait for. */
static void take_down(struct stand *stand)
{
    haft_client_free(stand->client);
    haft_otlp_free(stand->otlp);
    haft_server_free(stand->server);
}

static void wait_for(struct stand *stand, uint64_t sent, uint64_t lost)
{
    uint64_t is_sent = 0, is_lost = 0, start = uv_hrtime();

    while (is_sent != sent || is_lost != lost) {
        haft_otlp_counts(stand->otlp, &is_sent, &is_lost);
        if (uv_hrtime() - start > (uint64_t)PATIENCE_MS * 1000000)
            fail_msg("%llu sent and %llu lost", (unsigned long long)is_sent,
                     (unsigned long long)is_lost);
        poll(NULL, 0, 2);
    }
}

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}"
#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
#define HALF "{\"name\":\"divide\",\"arguments\":{\"a\":6,\"b\":3}}"

/* ---- what a collector gets ---- */

static yyjson_val *attribute(yyjson_val *list, const char *key)
{
    size_t i, n;
    yyjson_val *one;

    yyjson_arr_foreach(list, i, n, one)
        if (yyjson_equals_str(yyjson_obj_get(one, "key"), key))
            return yyjson_obj_get(yyjson_obj_get(one, "value"), "stringValue");
    return NULL;
}

static void describes_calls(void **state)
{
    static const struct {
        const char *params, *name, *tool, *error, *parent;
    } rows[] = {
        {HALF, "tools/call divide", "divide", NULL, NULL},
        {"{\"name\":\"divide\",\"arguments\":{\"a\":6,\"b\":0}}", "tools/call divide", "divide",
         "tool_error", NULL},
        {"{\"name\":\"divide\",\"arguments\":{\"a\":6}}", "tools/call divide", "divide",
         "invalid_arguments", NULL},
        {"{\"name\":\"nothing\\\"\\u00e9\"}", "tools/call", "nothing\"\xC3\xA9", "not_found", NULL},
        {"{\"name\":\"divide\",\"arguments\":{\"a\":1,\"b\":1},\"_meta\":{\"traceparent\":\"00-" TRACE
         "-" SPAN "-01\"}}",
         "tools/call divide", "divide", NULL, SPAN},
    };
    struct collector *collector = collector_open(OK);
    haft_arena *arena = haft_arena_new(NULL, ROOM);
    uint64_t before = (uint64_t)time(NULL) * 1000000000;
    struct stand stand;
    yyjson_val *root, *resource, *spans;
    const char *body;
    char seen[8][33] = {""};

    (void)state;
    stand_up(&stand, collector->port,
             (haft_otlp_options){.struct_size = sizeof(haft_otlp_options)});
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        ask(&stand, rows[i].params);
    /* A trace that nobody records is not sent. */
    ask(&stand, "{\"name\":\"divide\",\"arguments\":{\"a\":1,\"b\":1},\"_meta\":{\"traceparent\":"
                "\"00-" TRACE "-" SPAN "-00\"}}");
    take_down(&stand);
    assert_int_equal(atomic_load(&collector->requests), 1);
    assert_non_null(strstr(collector->text, "POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1:"));
    assert_non_null(strstr(collector->text, "\r\nContent-Type: application/json\r\n"));
    body = strstr(collector->text, "\r\n\r\n") + 4;
    root = haft_json_read(body, strlen(body), 0, arena, NULL);
    assert_non_null(root);
    resource = yyjson_arr_get_first(yyjson_obj_get(root, "resourceSpans"));
    assert_true(yyjson_equals_str(
        attribute(yyjson_obj_get(yyjson_obj_get(resource, "resource"), "attributes"),
                  "service.name"),
        "dividing"));
    spans = yyjson_obj_get(yyjson_arr_get_first(yyjson_obj_get(resource, "scopeSpans")), "spans");
    assert_int_equal(yyjson_arr_size(spans), COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        yyjson_val *span = yyjson_arr_get(spans, i), *list = yyjson_obj_get(span, "attributes");
        yyjson_val *error = attribute(list, "error.type");
        const char *trace = yyjson_get_str(yyjson_obj_get(span, "traceId"));
        uint64_t start =
            strtoull(yyjson_get_str(yyjson_obj_get(span, "startTimeUnixNano")), NULL, 10);
        uint64_t end = strtoull(yyjson_get_str(yyjson_obj_get(span, "endTimeUnixNano")), NULL, 10);

        if (!yyjson_equals_str(yyjson_obj_get(span, "name"), rows[i].name) ||
            !yyjson_equals_str(attribute(list, "gen_ai.tool.name"), rows[i].tool) ||
            !yyjson_equals_str(attribute(list, "mcp.method.name"), "tools/call") ||
            !yyjson_equals_str(attribute(list, "gen_ai.operation.name"), "execute_tool") ||
            !yyjson_equals_str(attribute(list, "mcp.protocol.version"), "2026-07-28") ||
            !yyjson_equals_str(attribute(list, "haft.client.name"), "tester") ||
            yyjson_get_int(yyjson_obj_get(span, "kind")) != 2 ||
            strtoull(yyjson_get_str(attribute(list, "jsonrpc.request.id")), NULL, 10) != i + 1)
            fail_msg("row %zu: %s", i, body);
        assert_int_equal(!error, !rows[i].error);
        if (error)
            assert_true(yyjson_equals_str(error, rows[i].error));
        assert_int_equal(yyjson_get_int(yyjson_obj_get(yyjson_obj_get(span, "status"), "code")),
                         rows[i].error ? 2 : 0);
        assert_true(start >= before && end >= start && end < before + 600000000000);
        assert_int_equal(yyjson_get_len(yyjson_obj_get(span, "spanId")), 16);
        assert_int_equal(strlen(trace), 32);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(trace, seen[k]);
        snprintf(seen[i], sizeof seen[i], "%s", trace);
        if (rows[i].parent) {
            assert_string_equal(trace, TRACE);
            assert_true(yyjson_equals_str(yyjson_obj_get(span, "parentSpanId"), rows[i].parent));
            assert_false(yyjson_equals_str(yyjson_obj_get(span, "spanId"), rows[i].parent));
        } else {
            assert_null(yyjson_obj_get(span, "parentSpanId"));
        }
    }
    haft_arena_free(arena);
    collector_close(collector);
}

/* Whole, whatever they are. */
static void sends_request_ids(void **state)
{
    static const struct {
        const char *id, *attribute; /* as the dialogue and the span have it */
    } rows[] = {
        {"7", "7"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {"'a\\u0000b'", "a\\\\u0000b"},
        {"'\\\"\\\\'", "\\\"\\\\"},
        /* cut at a whole character */
        {"'0123456789012345678901234567890123456789012345678901234567890123456'",
         "0123456789012345678901234567890123456789012345678901234567890123"},
        {"'012345678901234567890123456789012345678901234567890123456789012\xC3\xA9'",
         "012345678901234567890123456789012345678901234567890123456789012"},
    };
    struct collector *collector = collector_open(OK);
    struct stand stand;

    (void)state;
    stand_up(&stand, collector->port,
             (haft_otlp_options){.struct_size = sizeof(haft_otlp_options)});
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char request[256], response[128];

        snprintf(request, sizeof request, "R %s tools/call {'name':'divide'}", rows[i].id);
        snprintf(response, sizeof response, "= %s *", rows[i].id);
        dialogue_alone(stand.server, LINES(request, response));
    }
    take_down(&stand);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char attribute[192];

        snprintf(attribute, sizeof attribute,
                 "{\"key\":\"jsonrpc.request.id\",\"value\":{\"stringValue\":\"%s\"}}",
                 rows[i].attribute);
        if (!strstr(collector->text, attribute))
            fail_msg("%s: %s", attribute, collector->text);
    }
    collector_close(collector);
}

/* Many spans wait for nobody's interval, and a ring goes around. */
static void sends_many(void **state)
{
    struct collector *collector = collector_open("HTTP/1.1 100 Continue\r\n\r\n" OK);
    struct stand stand;

    (void)state;
    stand_up(
        &stand, collector->port,
        (haft_otlp_options)HAFT_INIT(haft_otlp_options, .max_queue = 700, .interval_ms = 3600000));
    for (int i = 0; i < 512; i++)
        ask(&stand, HALF);
    wait_for(&stand, 512, 0);
    for (int i = 0; i < 512; i++)
        ask(&stand, HALF);
    wait_for(&stand, 1024, 0);
    ask(&stand, HALF);
    take_down(&stand);
    assert_int_equal(atomic_load(&collector->spans), 1025);
    assert_int_equal(atomic_load(&collector->requests), 3);
    assert_int_equal(atomic_load(&n_lines), 0);
    collector_close(collector);
}

static void sends_now_and_then(void **state)
{
    struct collector *collector = collector_open(OK);
    struct stand stand;

    (void)state;
    stand_up(&stand, collector->port,
             (haft_otlp_options)HAFT_INIT(haft_otlp_options, .interval_ms = 10));
    for (uint64_t i = 1; i <= 5; i++) {
        ask(&stand, HALF);
        wait_for(&stand, i, 0);
    }
    take_down(&stand);
    assert_int_equal(atomic_load(&collector->requests), 5);
    collector_close(collector);
}

/* ---- what one does not take ---- */

static void loses_what_is_not_taken(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
        "SSH-2.0-nonsense\r\n",
        "HTTP/1.1 200",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        struct collector *collector = collector_open(answers[i]);
        struct stand stand;

        stand_up(&stand, collector->port,
                 (haft_otlp_options)HAFT_INIT(haft_otlp_options, .interval_ms = 5));
        for (uint64_t k = 1; k <= 3; k++) {
            ask(&stand, HALF);
            wait_for(&stand, 0, k);
        }
        /* Said once, however often it happens. */
        assert_int_equal(atomic_load(&n_lines), 1);
        assert_non_null(strstr(latest_line, "does not accept spans"));
        atomic_store(&collector->answer, OK);
        ask(&stand, HALF);
        wait_for(&stand, 1, 3);
        take_down(&stand);
        assert_int_equal(atomic_load(&n_lines), 3);
        assert_non_null(strstr(latest_line, "3 spans lost"));
        collector_close(collector);
    }
}

static void does_not_need_a_collector(void **state)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM, 0); /* has the port, and does not listen */
    struct stand stand;

    (void)state;
    assert_int_equal(bind(fd, (struct sockaddr *)&name, size), 0);
    getsockname(fd, (struct sockaddr *)&name, &size);
    stand_up(&stand, ntohs(name.sin_port),
             (haft_otlp_options)HAFT_INIT(haft_otlp_options, .interval_ms = 5));
    ask(&stand, HALF);
    wait_for(&stand, 0, 1);
    assert_int_equal(atomic_load(&n_lines), 1);
    take_down(&stand);
    close(fd);
}

/* One that takes requests and never answers holds up neither calls nor the end. */
static void does_not_wait_for_a_slow_one(void **state)
{
    struct collector *collector = collector_open(NULL);
    struct stand stand;
    uint64_t start, sent, lost;

    (void)state;
    stand_up(&stand, collector->port,
             (haft_otlp_options)HAFT_INIT(haft_otlp_options, .max_queue = 16, .interval_ms = 5,
                                          .timeout_ms = 60000, .flush_ms = 100));
    start = uv_hrtime();
    for (int i = 0; i < 1000; i++)
        ask(&stand, HALF);
    haft_otlp_counts(stand.otlp, &sent, &lost);
    assert_int_equal(sent, 0);
    assert_int_equal(lost, 1000 - 16);
    take_down(&stand);
    assert_true(uv_hrtime() - start < 30000000000);
    assert_non_null(strstr(latest_line, "1000 spans lost"));
    collector_close(collector);

    collector = collector_open(NULL);
    stand_up(&stand, collector->port,
             (haft_otlp_options)HAFT_INIT(haft_otlp_options, .interval_ms = 5, .timeout_ms = 50,
                                          .flush_ms = 100));
    ask(&stand, HALF);
    wait_for(&stand, 0, 1);
    take_down(&stand);
    collector_close(collector);
}

/* ---- what cannot be ---- */

static void reads_addresses(void **state)
{
    static const struct {
        const char *url, *host, *port, *path, *error;
    } rows[] = {
        {"http://127.0.0.1:4318/v1/traces", "127.0.0.1", "4318", "/v1/traces", NULL},
        {"http://collector", "collector", "4318", "/v1/traces", NULL},
        {"http://collector/", "collector", "4318", "/v1/traces", NULL},
        {"http://collector:80/otlp?x=1", "collector", "80", "/otlp?x=1", NULL},
        {"http://[::1]:65535", "::1", "65535", "/v1/traces", NULL},
        {"http://[::1]", "::1", "4318", "/v1/traces", NULL},
        {"https://collector:4319/x", "collector", "4319", "/x", NULL},
        {"https://collector", "collector", "4318", "/v1/traces", NULL},
        {"https://", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"collector:4318", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"http://", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"http://:4318", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"http://a b/", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"http://a/\r\nx", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"http://user@a/", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"http://a?x", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"http://[::1", NULL, NULL, NULL, "http://HOST:PORT/PATH"},
        {"http://a:0", NULL, NULL, NULL, "invalid port"},
        {"http://a:65536", NULL, NULL, NULL, "invalid port"},
        {"http://a:", NULL, NULL, NULL, "invalid port"},
        {"http://a:80x/", NULL, NULL, NULL, "invalid port"},
        {"http://a:+80/", NULL, NULL, NULL, "invalid port"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct otlp_address address = {.host = ""};
        haft_reason reason = {0};
        int status = hf_otlp_read_url(rows[i].url, &address, &reason);

        if (rows[i].error ? !status || !strstr(reason.text, rows[i].error)
                          : status || strcmp(address.host, rows[i].host) != 0 ||
                                strcmp(address.port, rows[i].port) != 0 ||
                                strcmp(address.path, rows[i].path) != 0 ||
                                address.tls != !strncmp(rows[i].url, "https", 5))
            fail_msg("row %zu: %s: %d %s %s %s %s", i, rows[i].url, status, address.host,
                     address.port, address.path, reason.text);
    }
}

static void survives_every_failing_allocation(void **state)
{
    struct collector *collector = collector_open(OK);
    char url[64];

    (void)state;
    snprintf(url, sizeof url, "http://127.0.0.1:%d", collector->port);
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        haft_reason reason = {0};
        bool failed;

        failing_init(&failing, nth);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        if (server) {
            haft_otlp *otlp = haft_otlp_new(
                server, HAFT_WITH(haft_otlp_options, .url = url, .max_queue = 4), &reason);

            if (!otlp && reason.code != HAFT_ENOMEM)
                fail_msg("%zu: %d %s", nth, reason.code, reason.text);
            haft_otlp_free(otlp);
        }
        failed = failing.failures;
        haft_server_free(server);
        failing_check(&failing);
        if (!failed)
            break;
    }
    collector_close(collector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_calls),
        cmocka_unit_test(sends_request_ids),
        cmocka_unit_test(sends_many),
        cmocka_unit_test(sends_now_and_then),
        cmocka_unit_test(loses_what_is_not_taken),
        cmocka_unit_test(does_not_need_a_collector),
        cmocka_unit_test(does_not_wait_for_a_slow_one),
        cmocka_unit_test(reads_addresses),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
