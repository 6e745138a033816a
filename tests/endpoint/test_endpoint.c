/* test_endpoint.c - the HTTP endpoint: whom it refuses, whom it answers and how, what it
 * remembers. */
#include "endpoint/endpoint.h"

#include "endpoint/asking.h" /* whose macros have names that are also in there */

/* ---- refusals ---- */

#define TWICE "{'b':1,'b':2}"

static void refuses(void **state)
{
    static const char *const origins[] = {"https://app.example", NULL};
    static const char *const hosts[] = {"tools.example", NULL};
    static const struct row rows[] = {
        /* where it is for */
        {"POST", "/", JSON, PING, 404, ERROR(-32600, "Not Found"),
         "Content-Type: application/json\r\n"},
        {"POST", "/mcpx", JSON, PING, 404, "*", NULL},
        {"POST", "/mcp/x", JSON, PING, 404, "*", NULL},
        {"POST", "/mcp//", JSON, PING, 404, "*", NULL},
        {"POST", "/MCP", JSON, PING, 404, "*", NULL},
        {"POST", "/../mcp", JSON, PING, 404, "*", NULL},
        {"POST", "/mcp/..", JSON, PING, 404, "*", NULL},
        {"POST", "/%6dcp", JSON, PING, 404, "*", NULL},
        {"GET", "/sse", HOST, "", 404, "*", NULL},
        {"POST", "/messages?session=$S", JSON, PING, 404, "*", NULL},
        {"PUT", "/mcp", JSON, PING, 405, "*Method Not Allowed*", "*Allow: POST, GET, DELETE\r\n*"},
        {"HEAD", "/mcp", HOST, "", 405, "*", "*Allow: *"},
        {"OPTIONS", "/mcp", HOST, "", 405, "*", "*Allow: *"},
        {"GET", "/mcp", HOST, "", 405, "*this requires a session*", "*Allow: POST\r\n*"},
        {"DELETE", "/mcp", HOST, "", 405, "*this requires a session*", "*Allow: POST\r\n*"},
        /* where it comes from */
        {"POST", "/mcp", "content-type: application/json\n", PING, 403, "*host*", NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: evil.example\n", PING, 403,
         "*host*", NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: localhost.\n", PING, 403, "*host*",
         NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: localhost.evil.example\n", PING,
         403, "*host*", NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: [::1].evil.example\n", PING, 403,
         "*host*", NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: localhost:evil.example\n", PING,
         403, "*host*", NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: localhost:80:80\n", PING, 403,
         "*host*", NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: [::1\n", PING, 403, "*host*", NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: ::1\n", PING, 403, "*host*", NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: \n", PING, 403, "*host*", NULL},
        {"POST", "/mcp", JSON "origin: https://evil.example\n", PING, 403, "*origin*", NULL},
        {"POST", "/mcp", JSON "origin: null\n", PING, 403, "*origin*", NULL},
        {"POST", "/mcp", JSON "origin: \n", PING, 403, "*origin*", NULL},
        {"POST", "/mcp", JSON "origin: file://localhost\n", PING, 403, "*origin*", NULL},
        {"POST", "/mcp", JSON "origin: http://localhost/\n", PING, 403, "*origin*", NULL},
        {"POST", "/mcp", JSON "origin: http://localhost@evil.example\n", PING, 403, "*origin*",
         NULL},
        {"POST", "/mcp", JSON "origin: https://app.example.evil\n", PING, 403, "*origin*", NULL},
        {"GET", "/mcp", HOST "origin: https://evil.example\n", "", 403, "*origin*", NULL},
        {"DELETE", "/mcp", HOST "origin: https://evil.example\n", "", 403, "*origin*", NULL},
        /* what it carries */
        {"POST", "/mcp", HOST, PING, 415, "*application/json*", NULL},
        {"POST", "/mcp", HOST "content-type: text/plain\n", PING, 415, "*", NULL},
        {"POST", "/mcp", HOST "content-type: application/jsonp\n", PING, 415, "*", NULL},
        {"POST", "/mcp", HOST "content-type: application/x-www-form-urlencoded\n", PING, 415, "*",
         NULL},
        {"POST", "/mcp", HOST "content-type: text/plain; application/json\n", PING, 415, "*", NULL},
        {"POST", "/mcp", JSON "accept: text/html\n", PING, 406, "*", NULL},
        {"POST", "/mcp", JSON "accept: \n", PING, 406, "*", NULL},
        {"POST", "/mcp", JSON "accept: ,;, \n", PING, 406, "*", NULL},
        {"POST", "/mcp", JSON "accept: application/jsonp, x-text/event-stream, text\n", PING, 406,
         "*", NULL},
        {"POST", "/mcp", JSON "accept: text/html;x=application/json\n", PING, 406, "*", NULL},
        /* the message */
        {"POST", "/mcp", JSON, "", 400, "*-32700*", NULL},
        {"POST", "/mcp", JSON, "nonsense", 400, "*-32700*", NULL},
        {"POST", "/mcp", LEGACY, "nonsense", 400, "*-32700*", NULL},
        {"POST", "/mcp", MODERN("ping"), "nonsense", 400, "*-32700*", NULL},
        {"POST", "/mcp", JSON, "{'a':1}", 400, "*-32600*", NULL},
        {"POST", "/mcp", JSON, "7", 400, "*-32600*", NULL},
        {"POST", "/mcp", LEGACY, "[" PING "]", 400, "*-32600*", NULL},
        {"POST", "/mcp", BOTH "mcp-protocol-version: 2025-06-18\n", "[" PING "]", 400, "*-32600*",
         NULL},
        {"POST", "/mcp", JSON, "[]", 400, "*-32600*", NULL},
        {"POST", "/mcp", JSON, "{'jsonrpc':'2.0','id':1,'method':'x','id':2}", 400, "*", NULL},
        /* a member twice, however deep: requests, notifications and answers */
        {"POST", "/mcp", JSON, "{'jsonrpc':'2.0','id':1,'method':'ping','params':{'a':" TWICE "}}",
         400, "*'id':1,*-32600*more than once*", NULL},
        {"POST", "/mcp", MODERN("tools/list"),
         "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{" META ",'a':[" TWICE "]}}", 400,
         "*'id':1,*-32600*more than once*", NULL},
        {"POST", "/mcp", JSON,
         "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'2025-11-25',"
         "'capabilities':{},'clientInfo':{'name':'a','version':'1','name':'b'}}}",
         400, "*'id':1,*-32600*more than once*", "Content-Type: application/json\r\n"},
        {"POST", "/mcp", JSON, "{'jsonrpc':'2.0','method':'x','params':{'a':" TWICE "}}", 400,
         "*-32600*", NULL},
        {"POST", "/mcp", MODERN("x"), "{'jsonrpc':'2.0','method':'x','params':{'a':" TWICE "}}",
         400, "*-32600*", NULL},
        {"POST", "/mcp", JSON, "{'jsonrpc':'2.0','id':1,'result':{'a':" TWICE "}}", 400, "*-32600*",
         NULL},
        {"POST", "/mcp", JSON, "{'jsonrpc':'2.0','result':{}}", 400, "*-32600*", NULL},
        {"POST", "/mcp", JSON "mcp-protocol-version: 1999-01-01\n", PING, 400,
         "*MCP-Protocol-Version*", NULL},
        {"POST", "/mcp", JSON "mcp-protocol-version: \n", PING, 400, "*", NULL},
        {"POST", "/mcp", JSON "mcp-session-id: nope\n", PING, 404, "*Session not found*", NULL},
        {"POST", "/mcp", JSON "mcp-session-id: 00000000000000000000000000000000000000\n", PING, 404,
         "*", NULL},
        {"GET", "/mcp", HOST "mcp-session-id: nope\n", "", 404, "*Session not found*", NULL},
        {"DELETE", "/mcp", HOST "mcp-session-id: nope\n", "", 404, "*Session not found*", NULL},
        {"POST", "/mcp",
         JSON "accept: application/json\nmcp-protocol-version: 2026-07-28\n"
              "mcp-method: subscriptions/listen\n",
         "{'jsonrpc':'2.0','id':1,'method':'subscriptions/listen','params':{'notifications':{}," META
         "}}",
         406, "*text/event-stream*", NULL},
        /* modern: headers and message must agree */
        {"POST", "/mcp", MODERN("tools/list"),
         "{'jsonrpc':'2.0','id':1,'method':'ping','params':{" META "}}", 400, "*-32020*", NULL},
        {"POST", "/mcp", LEGACY,
         "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{" META "}}", 400, "*-32020*",
         NULL},
        {"POST", "/mcp", MODERN("nope"),
         "{'jsonrpc':'2.0','id':1,'method':'nope','params':{" META "}}", 404, "*-32601*", NULL},
        {"POST", "/mcp", MODERN("x"), "{'jsonrpc':'2.0','id':1,'result':{}}", 400,
         "*unexpected response*", NULL},
    };
    struct bench *bench = bench_open(
        NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .allowed_hosts = hosts,
                                               .allowed_origins = origins));
    char *big = malloc(5000);

    (void)state;
    check_rows(bench, rows, COUNT_OF(rows));
    assert_non_null(big);
    memset(big, ' ', 4999);
    big[4999] = '\0';
    check(bench, &(struct row){"POST", "/mcp", JSON, big, 413, "*exceeds the limit*", NULL}, 0);
    free(big);
    bench_close(bench);
}

/* ---- answers ---- */

static void answers(void **state)
{
    static const char *const hosts[] = {"tools.example", NULL};
    static const char *const origins[] = {"https://app.example", NULL};
    static const struct row rows[] = {
        {"GET", "/healthz", "", "", 200, "{'status':'ok'}", "*Cache-Control: no-store*"},
        {"GET", "/readyz", "host: any.example\n", "", 200, "{'status':'ok'}", NULL},
        {"POST", "/mcp", JSON, PING, 200, PONG, "Content-Type: application/json\r\n"},
        {"POST", "/mcp/", JSON, PING, 200, PONG, NULL},
        {"POST", "/mcp?x=y", JSON, PING, 200, PONG, NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: LocalHost\n", PING, 200, PONG,
         NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: 127.0.0.1:1\n", PING, 200, PONG,
         NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: [::1]:8808\n", PING, 200, PONG,
         NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: [::1]\n", PING, 200, PONG, NULL},
        {"POST", "/mcp", "content-type: application/json\nhost: Tools.Example:443\n", PING, 200,
         PONG, NULL},
        {"POST", "/mcp", JSON "origin: https://app.example\n", PING, 200, PONG, NULL},
        {"POST", "/mcp", JSON "origin: http://localhost:5173\n", PING, 200, PONG, NULL},
        {"POST", "/mcp", JSON "origin: https://tools.example\n", PING, 200, PONG, NULL},
        {"POST", "/mcp", HOST "content-type: Application/JSON; charset=utf-8\n", PING, 200, PONG,
         NULL},
        {"POST", "/mcp", JSON "accept: */*\n", PING, 200, PONG, NULL},
        {"POST", "/mcp", JSON "accept: application/json\n", PING, 200, PONG, NULL},
        {"POST", "/mcp", JSON "accept: text/html,Application/JSON ; q=0.5\n", PING, 200, PONG,
         NULL},
        {"POST", "/mcp", JSON "accept: application/*;q=0.1,text/html\n", PING, 200, PONG, NULL},
        {"POST", "/mcp", JSON "accept: text/event-stream\n", PING, 200 + STREAMS,
         "event: message\ndata: " PONG "\n\n",
         "Content-Type: text/event-stream\r\nCache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n"},
        {"POST", "/mcp", JSON, "{'jsonrpc':'2.0','method':'notifications/initialized'}", 202, "",
         ""},
        {"POST", "/mcp", JSON, "{'jsonrpc':'2.0','id':9,'result':{}}", 202, "", ""},
        {"POST", "/mcp", MODERN("x"), "{'jsonrpc':'2.0','method':'notifications/x'}", 202, "", ""},
        {"POST", "/mcp", LEGACY, CALL(2, "say", ",'arguments':{'text':'hi'}"), 200,
         "{'jsonrpc':'2.0','id':2,'result':{'content':[{'type':'text','text':'hi'}]}}", NULL},
        {"POST", "/mcp", LEGACY, CALL(2, "nope", ""), 200, "*-32602*", NULL},
        {"POST", "/mcp", LEGACY, CALL(3, "count", TOKEN), 200 + STREAMS,
         "event: message\ndata: {*'progress':1,*}\n\nevent: message\ndata: {*'progress':2,*}\n\n"
         "event: message\ndata: {'jsonrpc':'2.0','id':3,'result':{*counted*}}\n\n",
         NULL},
        /* who takes no events gets the answer alone */
        {"POST", "/mcp", JSON "accept: application/json\n", CALL(3, "count", TOKEN), 200,
         "{'jsonrpc':'2.0','id':3,'result':{*counted*}}", NULL},
        {"POST", "/mcp", MODERN("tools/call") "mcp-name: say\n",
         CALL(4, "say", ",'arguments':{'text':'hi'}," META), 200,
         "{'jsonrpc':'2.0','id':4,'result':{'content':[{'type':'text','text':'hi'}],'resultType':'complete',*}}",
         NULL},
    };
    struct bench *bench = bench_open(
        NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .allowed_hosts = hosts,
                                               .allowed_origins = origins));

    (void)state;
    check_rows(bench, rows, COUNT_OF(rows));
    bench_close(bench);
}

static void sends_cors_when_asked(void **state)
{
    static const struct row rows[] = {
        {"OPTIONS", "/mcp", HOST "origin: https://a.example\n", "", 204, "",
         "Access-Control-Allow-Origin: https://a.example\r\n*Access-Control-Allow-Methods: POST, GET, DELETE\r\n*"},
        {"POST", "/mcp", JSON "origin: https://a.example\n", PING, 200, PONG,
         "*Access-Control-Allow-Origin: https://a.example\r\n*Vary: Origin\r\n*"},
        {"POST", "/mcp", JSON "origin: https://b.example\n", PING, 403, "*", NULL},
        /* whatever is answered, also to nobody's page, is kept by caches for that origin alone */
        {"OPTIONS", "/mcp", HOST "origin: https://a.example\n", "", 204, "", "*Vary: Origin\r\n*"},
        {"POST", "/mcp", JSON, PING, 200, PONG, "*Vary: Origin\r\n*"},
        {"POST", "/mcp", JSON "origin: https://b.example\n", PING, 403, "*", "*Vary: Origin\r\n*"},
        {"POST", "/mcp", JSON "origin: https://a.example\n", "nonsense", 400, "*",
         "*Vary: Origin\r\n*"},
        {"POST", "/mcp", JSON "origin: https://a.example\naccept: text/event-stream\n", PING,
         200 + STREAMS, "*" PONG "*", "*Vary: Origin\r\n*"},
    };
    struct bench *bench =
        bench_open(NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options,
                                                          .cors_origin = "https://a.example"));

    (void)state;
    check_rows(bench, rows, COUNT_OF(rows));
    bench_close(bench);
}

/* An origin is let in as a whole: not what begins or ends like it, nor its host elsewhere. */
static void lets_whole_origins_in(void **state)
{
    static const char *const origins[] = {"https://a.example", NULL};
    static const char *const hosts[] = {"a.example", NULL};
    static const haft_endpoint_options options[] = {
        HAFT_INIT(haft_endpoint_options, .cors_origin = "https://a.example"),
        HAFT_INIT(haft_endpoint_options, .allowed_origins = origins),
        HAFT_INIT(haft_endpoint_options, .allowed_hosts = hosts),
    };
    static const struct row rows[] = {
        {"POST", "/mcp", JSON "origin: https://a.example\n", PING, 200, PONG, NULL},
        {"POST", "/mcp", JSON "origin: https://a.example.evil\n", PING, 403, "*", NULL},
        {"POST", "/mcp", JSON "origin: https://a.exampl\n", PING, 403, "*", NULL},
        {"POST", "/mcp", JSON "origin: https://\n", PING, 403, "*", NULL},
        {"POST", "/mcp", JSON "origin: https://a.example@evil\n", PING, 403, "*", NULL},
        {"POST", "/mcp", JSON "origin: https://evil-a.example\n", PING, 403, "*", NULL},
        {"POST", "/mcp", JSON "origin: https://evil.a.example\n", PING, 403, "*", NULL},
        {"OPTIONS", "/mcp", HOST "origin: https://a.example.evil\n", "", 403, "*", NULL},
        {"OPTIONS", "/mcp", HOST "origin: https://a.exampl\n", "", 403, "*", NULL},
    };
    static const struct row elsewhere[] = {
        {"POST", "/mcp", JSON "origin: http://a.example\n", PING, 403, "*", NULL},
        {"POST", "/mcp", JSON "origin: https://a.example:444\n", PING, 403, "*", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        struct bench *bench = bench_open(NULL, options[i]);

        check_rows(bench, rows, COUNT_OF(rows));
        if (!options[i].allowed_hosts)
            check_rows(bench, elsewhere, COUNT_OF(elsewhere));
        bench_close(bench);
    }
}

/* A message of exactly the limit is read. */
static void reads_what_just_fits(void **state)
{
    enum { LIMIT = 4096 };
    struct bench *bench =
        bench_open(NULL, (haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
    char body[LIMIT + 2] = PING;

    (void)state;
    memset(body + strlen(body), ' ', LIMIT - strlen(body));
    body[LIMIT] = '\0';
    check(bench, &(struct row){"POST", "/mcp", JSON, body, 200, PONG, NULL}, 0);
    body[LIMIT] = ' ';
    body[LIMIT + 1] = '\0';
    check(bench, &(struct row){"POST", "/mcp", JSON, body, 413, "*", NULL}, 1);
    bench_close(bench);
}

/* ---- sessions ---- */

static void keeps_sessions(void **state)
{
    static const struct row hello = {
        "POST",
        "/mcp",
        LEGACY,
        HELLO,
        200,
        "*'protocolVersion':'2025-11-25'*",
        "*Mcp-Session-Id: 04d20700000000000000000000000000000001\r\n*"};
    static const struct row rows[] = {
        {"POST", "/mcp", SESSION, PING, 200, PONG, "Content-Type: application/json\r\n"},
        {"GET", "/mcp", HOST "accept: application/json\nmcp-session-id: $S\n", "", 406, "*", NULL},
        /* modern clients have no sessions, and nothing is one that only begins like one */
        {"GET", "/mcp",
         HOST "accept: text/event-stream\nmcp-protocol-version: 2026-07-28\nmcp-session-id: $S\n",
         "", 405, "*this requires a session*", "*Allow: POST\r\n*"},
        {"POST", "/mcp", JSON "mcp-session-id: $S0\n", PING, 404, "*Session not found*", NULL},
        {"GET", "/mcp", SESSION "last-event-id: 0-1\n", "", 400, "*Last-Event-ID*", NULL},
        {"GET", "/mcp", SESSION "last-event-id: 99-1\n", "", 400, "*Last-Event-ID*", NULL},
        {"GET", "/mcp", SESSION "last-event-id: 1\n", "", 400, "*Last-Event-ID*", NULL},
        {"GET", "/mcp", SESSION "last-event-id: 1-99999999999999999999999\n", "", 400, "*", NULL},
        {"DELETE", "/mcp", SESSION, "", 200, "", NULL},
        {"DELETE", "/mcp", SESSION, "", 404, "*", NULL},
        {"POST", "/mcp", SESSION, PING, 404, "*", NULL},
        {"GET", "/mcp", SESSION, "", 404, "*", NULL},
        /* one that could not be begun leaves nothing behind */
        {"POST", "/mcp", LEGACY, "{'jsonrpc':'2.0','id':0,'method':'initialize','params':{}}", 200,
         "*-32602*", "Content-Type: application/json\r\n"},
        {"POST", "/mcp", JSON "mcp-session-id: 04d20700000000000000000000000000000002\n", PING, 404,
         "*", NULL},
    };
    struct bench *bench =
        bench_open(NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .number = 7,
                                                          .replica = 1234));
    struct reply stream;

    (void)state;
    check(bench, &hello, 0);
    ask_into(bench, &stream, "GET", "/mcp", SESSION, "");
    assert_true(stream.streams && !stream.over);
    assert_string_equal(stream.body, "id: 1-0\nretry: 1000\ndata: \n\n");
    check_rows(bench, rows, COUNT_OF(rows));
    bench_close(bench);
}

/* Only 2025-03-26 has them, and only from a client that has introduced itself. */
static void takes_arrays(void **state)
{
    static const char hello[] =
        "{'jsonrpc':'2.0','id':0,'method':'initialize','params':{'protocolVersion':'2025-03-26',"
        "'capabilities':{},'clientInfo':{'name':'c','version':'1'}}}";
    static const struct row rows[] = {
        {"POST", "/mcp", BOTH, "[" PING "]", 400, "*-32600*", NULL},
        {"POST", "/mcp", BOTH, hello, 200, "*", NULL},
        {"POST", "/mcp", BOTH "mcp-session-id: $S\n",
         "[" PING ",{'jsonrpc':'2.0','method':'notifications/x'}]", 200, "[" PONG "]", NULL},
        {"POST", "/mcp", BOTH "mcp-session-id: $S\n",
         "[{'jsonrpc':'2.0','method':'notifications/x'}]", 202, "", NULL},
        {"POST", "/mcp", BOTH "mcp-session-id: $S\n", "[]", 400, "*-32600*", NULL},
        {"POST", "/mcp", BOTH "mcp-session-id: $S\n", "[1,{}]", 400, "*-32600*", NULL},
        {"POST", "/mcp", BOTH "mcp-session-id: $S\n", "[" PING "," HELLO "]", 200,
         "[" PONG
         ",{'jsonrpc':'2.0','id':0,'error':{'code':-32600,*initialize must not be in a batch*}}]",
         NULL},
    };
    struct bench *bench =
        bench_open(NULL, (haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});

    (void)state;
    check_rows(bench, rows, COUNT_OF(rows));
    bench_close(bench);
}

static void forgets_idle_sessions(void **state)
{
    struct bench *bench = bench_open(
        NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .session_idle_ms = MINUTE));
    const struct row hello = {"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL};
    const struct row works = {"POST", "/mcp", SESSION, PING, 200, PONG, NULL};
    const struct row gone = {"POST", "/mcp", SESSION, PING, 404, "*", NULL};
    struct reply stream;

    (void)state;
    check(bench, &hello, 0);
    for (size_t i = 1; i < 5; i++) {
        bench->now += MINUTE - 1;
        haft_endpoint_tick(bench->endpoint, bench->now);
        check(bench, &works, i);
    }
    bench->now += MINUTE;
    haft_endpoint_tick(bench->endpoint, bench->now);
    check(bench, &gone, 5);
    /* Somebody who listens is there. */
    check(bench, &hello, 6);
    ask_into(bench, &stream, "GET", "/mcp", SESSION, "");
    bench->now += 10 * MINUTE;
    haft_endpoint_tick(bench->endpoint, bench->now);
    check(bench, &works, 7);
    haft_exchange_gone(stream.exchange);
    bench->now += 2 * MINUTE;
    haft_endpoint_tick(bench->endpoint, bench->now);
    check(bench, &gone, 8);
    bench_close(bench);
}

static void bounds_sessions(void **state)
{
    struct bench *bench = bench_open(
        NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .max_sessions = 100));
    const struct row hello = {"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL};
    const struct row full = {
        "POST", "/mcp", LEGACY, HELLO, 503, "*Too many sessions*", "*Retry-After: 10\r\n*"};

    (void)state;
    for (size_t i = 0; i < 100; i++)
        check(bench, &hello, i);
    check(bench, &full, 100);
    check(bench, &(struct row){"POST", "/mcp", JSON, PING, 200, PONG, NULL}, 101);
    check(bench, &(struct row){"DELETE", "/mcp", SESSION, "", 200, "", NULL}, 102);
    check(bench, &hello, 103);
    check(bench, &full, 104);
    bench_close(bench);
}

/* Who opens sessions and leaves keeps others out for a minute, and takes nobody's who is there. */
static void makes_room_for_sessions(void **state)
{
    struct bench *bench = bench_open(
        NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .max_sessions = 3));
    const struct row hello = {"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL};
    const struct row full = {"POST", "/mcp", LEGACY, HELLO, 503, "*Too many sessions*", NULL};
    char first[sizeof bench->session];
    struct reply stream;

    (void)state;
    check(bench, &hello, 0);
    memcpy(first, bench->session, sizeof first);
    ask_into(bench, &stream, "GET", "/mcp", SESSION, "");
    check(bench, &hello, 1);
    check(bench, &hello, 2);
    bench->now += 59 * 1000;
    check(bench, &full, 3);
    check(bench, &(struct row){"POST", "/mcp", SESSION, PING, 200, PONG, NULL}, 4);
    bench->now += 2 * 1000;
    check(bench, &hello, 5);
    check(bench, &full, 6);
    memcpy(bench->session, first, sizeof first);
    assert_false(stream.over);
    check(bench, &(struct row){"POST", "/mcp", SESSION, PING, 200, PONG, NULL}, 7);
    bench_close(bench);
}

static void ends_what_waits_with_its_session(void **state)
{
    struct bench *bench =
        bench_with_session((haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
    struct reply call, stream;

    (void)state;
    ask_into(bench, &call, "POST", "/mcp", SESSION, CALL(1, "hold", ""));
    ask_into(bench, &stream, "GET", "/mcp", SESSION, "");
    assert_true(call.exchange && stream.exchange);
    check(bench, &(struct row){"DELETE", "/mcp", SESSION, "", 200, "", NULL}, 0);
    assert_int_equal(call.status, 404);
    assert_true(call.over && stream.over);
    assert_true(haft_call_cancelled(held));
    let_go("too late");
    bench_close(bench);
}

/* A request that comes to nothing is still answered as one: with a stream that says nothing. */
static void ends_what_is_cancelled(void **state)
{
    static const char cancel[] = "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{"
                                 "'requestId':1}}";
    static const struct {
        const char *accept;
        int status;
        bool streams;
    } rows[] = {{"", 200, true}, {"accept: application/json\n", 202, false}};
    struct bench *bench =
        bench_with_session((haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct reply call;
        char headers[256];

        snprintf(headers, sizeof headers, "%smcp-session-id: $S\n%s", JSON, rows[i].accept);
        ask_into(bench, &call, "POST", "/mcp", headers, CALL(1, "hold", ""));
        check(bench, &(struct row){"POST", "/mcp", SESSION, cancel, 202, "", NULL}, i);
        assert_true(call.over && haft_call_cancelled(held));
        assert_int_equal(call.status, rows[i].status);
        assert_int_equal(call.streams, rows[i].streams);
        assert_string_equal(call.body, "");
        let_go("too late");
    }
    bench_close(bench);
}

/* ---- streams ---- */

/* All sessions together have so much and no more: what was said longest ago goes. */
static void keeps_only_so_many_events(void **state)
{
    static const haft_store_space spaces[] = {
        {.name = "events", .max_bytes = 1500, .evicts = true}};
    haft_store *store = haft_store_memory_new(
        HAFT_WITH(haft_store_memory_options, .spaces = spaces, .n_spaces = 1));
    struct bench *bench =
        bench_with_session((haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .store = store));
    struct reply calls[2], again;
    char id[64];

    (void)state;
    snprintf(id, sizeof id, "%s", bench->session);
    for (int i = 0; i < 2; i++) {
        ask_into(bench, &calls[i], "POST", "/mcp", SESSION, CALL(5, "hold", TOKEN));
        haft_progress(held, 1, 9, NULL);
        haft_exchange_gone(calls[i].exchange);
        for (int n = 2; i && n <= 8; n++)
            haft_progress(held, n, 9, NULL);
        let_go("here you are");
        ask_into(bench, &again, "GET", "/mcp", SESSION "last-event-id: 1-0\n", "");
        assert_non_null(strstr(again.body, "id: 1-1\n"));
        if (!i)
            check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    }
    assert_non_null(strstr(again.body, "id: 1-8\n"));
    snprintf(bench->session, sizeof bench->session, "%s", id);
    ask_into(bench, &again, "GET", "/mcp", SESSION "last-event-id: 1-0\n", "");
    assert_true(again.over && again.status == 200);
    assert_string_equal(again.body, "");
    bench_close(bench);
    haft_store_free(store);
}

/* A client that loses its stream comes back for the rest, as far as that has been kept. */
static void resumes(void **state)
{
    struct bench *bench = bench_with_session(
        (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .max_events = 3));
    struct reply first, second;

    (void)state;
    ask_into(bench, &first, "POST", "/mcp", SESSION, CALL(5, "hold", TOKEN));
    haft_progress(held, 1, 9, NULL);
    assert_true(first.streams);
    assert_true(matches("id: 1-0\nretry: *id: 1-1\nevent: message\ndata: {*}\n\n", first.body));
    haft_exchange_gone(first.exchange);
    assert_false(haft_call_cancelled(held));
    for (int i = 2; i <= 5; i++)
        haft_progress(held, i, 9, NULL);
    ask_into(bench, &second, "GET", "/mcp", SESSION "last-event-id: 1-1\n", "");
    assert_int_equal(second.status, 200);
    assert_true(matches("id: 1-3\n*id: 1-4\n*id: 1-5\n*", second.body));
    assert_null(strstr(second.body, "id: 1-2\n"));
    assert_true(second.exchange && !second.over);
    let_go("here you are");
    assert_true(second.over);
    assert_non_null(strstr(second.body, "id: 1-6\n"));
    assert_non_null(strstr(second.body, "here you are"));
    assert_null(strstr(first.body, "here you are"));
    /* After its end it can be read again. */
    ask_into(bench, &second, "GET", "/mcp", SESSION "last-event-id: 1-5\n", "");
    assert_true(second.over && second.streams);
    assert_non_null(strstr(second.body, "here you are"));
    bench_close(bench);
}

/* A request that is answered with JSON has no stream, whatever number somebody guesses. */
static void resumes_no_answer(void **state)
{
    struct bench *bench =
        bench_with_session((haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
    struct reply call, guess;

    (void)state;
    for (int gone = 0; gone < 2; gone++) {
        ask_into(bench, &call, "POST", "/mcp", SESSION, CALL(1, "hold", ""));
        ask_into(bench, &guess, "GET", "/mcp",
                 gone ? SESSION "last-event-id: 2-0\n" : SESSION "last-event-id: 1-0\n", "");
        assert_int_equal(guess.status, 400);
        assert_false(call.over);
        if (gone)
            haft_exchange_gone(call.exchange);
        let_go("here you are");
        assert_int_equal(call.status, gone ? 0 : 200);
        assert_false(call.streams);
    }
    bench_close(bench);
}

/* The metric mcp_server_streams. */
static int64_t open_streams(const struct bench *bench)
{
    return atomic_load(&bench->server->metering.streams);
}

/* Of several streams one is spoken to: the latest that is there. */
static void speaks_to_one_stream(void **state)
{
    static const char told[] = "notifications/tools/list_changed";
    struct bench *bench =
        bench_with_session((haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
    struct reply streams[3], again;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        ask_into(bench, &streams[i], "GET", "/mcp", SESSION, "");
    /* The latest two go, and the first hears each time what the others do not. */
    for (size_t i = COUNT_OF(streams); i--;) {
        assert_true(streams[i].streams && !streams[i].over);
        assert_int_equal(open_streams(bench), i + 1);
        assert_int_equal(haft_offer_rename(bench->server, HAFT_OFFER_TOOL, "say", "say"), 0);
        haft_endpoint_tick(bench->endpoint, bench->now);
        for (size_t k = 0; k < COUNT_OF(streams); k++)
            assert_int_equal(strstr(streams[k].body, told) != NULL, k >= i);
        if (i)
            haft_exchange_gone(streams[i].exchange);
    }
    /* It is lost too, and its client comes back. */
    haft_exchange_gone(streams[0].exchange);
    assert_int_equal(open_streams(bench), 0);
    assert_int_equal(haft_offer_rename(bench->server, HAFT_OFFER_TOOL, "say", "say"), 0);
    haft_endpoint_tick(bench->endpoint, bench->now);
    ask_into(bench, &again, "GET", "/mcp", SESSION "last-event-id: 1-1\n", "");
    assert_true(matches("id: 1-2\nevent: message\ndata: {*list_changed*}\n\n", again.body));
    /* They all end with their session. */
    ask_into(bench, &streams[0], "GET", "/mcp", SESSION, "");
    assert_true(!again.over && !streams[0].over);
    check(bench, &(struct row){"DELETE", "/mcp", SESSION, "", 200, "", NULL}, 0);
    assert_true(again.over && streams[0].over);
    assert_int_equal(open_streams(bench), 0);
    bench_close(bench);
}

static void keeps_streams_alive(void **state)
{
    struct bench *bench =
        bench_with_session((haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
    struct reply *reply = &bench->reply;
    size_t size;

    (void)state;
    ask(bench, "GET", "/mcp", SESSION, "");
    size = reply->size;
    haft_endpoint_tick(bench->endpoint, bench->now += 14999);
    assert_int_equal(reply->size, size);
    haft_endpoint_tick(bench->endpoint, bench->now += 1);
    assert_string_equal(reply->body + size, ": keep-alive\n\n");
    haft_endpoint_tick(bench->endpoint, bench->now += 14999);
    assert_int_equal(reply->size, size + 14);
    haft_endpoint_tick(bench->endpoint, bench->now += 1);
    assert_int_equal(reply->size, size + 28);
    bench_close(bench);
}

/* A modern call ends with its connection; a legacy one goes on. */
static void hears_that_a_client_is_gone(void **state)
{
    static const struct {
        const char *headers, *body;
        bool cancels;
    } rows[] = {
        {MODERN("tools/call") "mcp-name: hold\n", CALL(1, "hold", "," META), true},
        {LEGACY, CALL(1, "hold", ""), false},
        {SESSION, CALL(1, "hold", ""), false},
    };
    struct bench *bench =
        bench_with_session((haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ask(bench, "POST", "/mcp", rows[i].headers, rows[i].body);
        assert_non_null(bench->reply.exchange);
        assert_false(haft_endpoint_idle(bench->endpoint));
        haft_exchange_gone(bench->reply.exchange);
        assert_int_equal(haft_call_cancelled(held), rows[i].cancels);
        let_go("nobody hears it");
        assert_int_equal(bench->reply.status, 0);
        assert_true(haft_endpoint_idle(bench->endpoint));
    }
    bench_close(bench);
}

static void times_out(void **state)
{
    struct bench *bench =
        bench_open(NULL, (haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});

    (void)state;
    ask(bench, "POST", "/mcp", LEGACY, CALL(1, "hold", ""));
    haft_endpoint_tick(bench->endpoint, bench->now += 29999);
    assert_false(bench->reply.over);
    haft_endpoint_tick(bench->endpoint, bench->now += 1);
    assert_true(bench->reply.over);
    assert_non_null(strstr(bench->reply.body, "timed out"));
    let_go("too late");
    bench_close(bench);
}

static void shuts_down(void **state)
{
    static const struct row rows[] = {
        {"GET", "/healthz", "", "", 200, "*", NULL},
        {"GET", "/readyz", "", "", 503, "{'status':'draining'}", NULL},
        {"POST", "/mcp", JSON, PING, 503, "*shutting down*", "*Retry-After: 5\r\n*"},
        {"POST", "/mcp", SESSION, PING, 503, "*", NULL},
        {"GET", "/mcp", SESSION, "", 503, "*", NULL},
    };
    struct bench *bench =
        bench_with_session((haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});
    struct reply older, stream, call, listen;

    (void)state;
    ask_into(bench, &older, "GET", "/mcp", SESSION, "");
    ask_into(bench, &stream, "GET", "/mcp", SESSION, "");
    ask_into(bench, &call, "POST", "/mcp", SESSION, CALL(1, "hold", ""));
    ask_into(bench, &listen, "POST", "/mcp", MODERN("subscriptions/listen"),
             "{'jsonrpc':'2.0','id':8,'method':'subscriptions/listen','params':{"
             "'notifications':{'toolsListChanged':true}," META "}}");
    assert_true(listen.streams && !listen.over);
    haft_endpoint_shut_down(bench->endpoint);
    assert_true(older.over && stream.over && listen.over && !call.over);
    assert_non_null(strstr(listen.body, "\"id\":8,\"result\""));
    /* A stream has an end of its own. */
    assert_null(strstr(listen.body, "notifications/cancelled"));
    check_rows(bench, rows, COUNT_OF(rows));
    assert_false(haft_endpoint_idle(bench->endpoint));
    let_go("just in time");
    assert_non_null(strstr(call.body, "just in time"));
    assert_true(haft_endpoint_idle(bench->endpoint));
    bench_close(bench);
}

/* ---- 2024-11-05 ---- */

static void serves_the_oldest(void **state)
{
    struct bench *bench = bench_open(
        NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .legacy_sse = true));
    const char *place = "/messages?session=00000000000000000000000000000000000001";
    struct reply stream;

    (void)state;
    ask_into(bench, &stream, "GET", "/sse", HOST, "");
    assert_true(stream.streams && stream.exchange);
    assert_true(matches("event: endpoint\ndata: /messages?session=*\n\n", stream.body));
    assert_non_null(strstr(stream.body, place));
    check(bench, &(struct row){"POST", place, JSON, HELLO, 202, "", NULL}, 0);
    check(bench, &(struct row){"POST", place, JSON, PING, 202, "", NULL}, 1);
    assert_non_null(
        strstr(stream.body, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    check(bench,
          &(struct row){"POST", "/messages?session=00000000000000000000000000000000000001&x=1",
                        JSON, PING, 202, "", NULL},
          2);
    check(bench, &(struct row){"POST", place, HOST, PING, 415, "*", NULL}, 2);
    check(bench, &(struct row){"POST", "/messages", JSON, PING, 404, "*", NULL}, 3);
    check(bench, &(struct row){"POST", "/messages?x=session=1", JSON, PING, 404, "*", NULL}, 4);
    /* It is none of the endpoint's, whose requests are answered where they are made. */
    for (size_t i = 0; i < 3; i++) {
        static const char *const methods[] = {"POST", "GET", "DELETE"};

        check(bench,
              &(struct row){methods[i], "/mcp",
                            LEGACY "mcp-session-id: 00000000000000000000000000000000000001\n",
                            i ? "" : PING, 404, "*", NULL},
              5 + i);
    }
    assert_false(stream.over);
    /* Its session ends with its stream. */
    haft_exchange_gone(stream.exchange);
    check(bench, &(struct row){"POST", place, JSON, PING, 404, "*", NULL}, 8);
    bench_close(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(answers),
        cmocka_unit_test(reads_what_just_fits),
        cmocka_unit_test(sends_cors_when_asked),
        cmocka_unit_test(lets_whole_origins_in),
        cmocka_unit_test(keeps_sessions),
        cmocka_unit_test(takes_arrays),
        cmocka_unit_test(forgets_idle_sessions),
        cmocka_unit_test(bounds_sessions),
        cmocka_unit_test(makes_room_for_sessions),
        cmocka_unit_test(ends_what_waits_with_its_session),
        cmocka_unit_test(ends_what_is_cancelled),
        cmocka_unit_test(keeps_only_so_many_events),
        cmocka_unit_test(resumes),
        cmocka_unit_test(resumes_no_answer),
        cmocka_unit_test(speaks_to_one_stream),
        cmocka_unit_test(keeps_streams_alive),
        cmocka_unit_test(hears_that_a_client_is_gone),
        cmocka_unit_test(times_out),
        cmocka_unit_test(shuts_down),
        cmocka_unit_test(serves_the_oldest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
