/* test_mounts.c - several that answer behind one guard: whose a request is, what passes to whom, and
 * the end. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "http/site.h"

#include "endpoint/mux.h"

/* ---- an app that says what it sees ---- */

struct mirror {
    const haft_allocator *allocator;
    unsigned number, n_waiting, n_ticks;
    bool shut_down, abandoned;
    const haft_responder *responder;
    void *context; /* of the request that waits */
};

/* What the latest one was told, for after it is gone. */
static struct mirror last;
static atomic_int n_open;

static void *mirror_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    const haft_allocator *allocator = data;
    struct mirror *mirror =
        allocator ? allocator->alloc(allocator->context, sizeof *mirror) : malloc(sizeof *mirror);

    assert_non_null(loop->server);
    if (!mirror) {
        reterr_reason->code = HAFT_ENOMEM;
        return NULL;
    }
    *mirror = (struct mirror){.allocator = allocator, .number = loop->number};
    atomic_fetch_add(&n_open, 1);
    return mirror;
}

static void mirror_close(void *app)
{
    struct mirror *mirror = app;

    last = *mirror;
    atomic_fetch_sub(&n_open, 1);
    if (mirror->allocator)
        mirror->allocator->release(mirror->allocator->context, mirror, sizeof *mirror);
    else
        free(mirror);
}

enum { LONG_VALUE = 3000 };

/* Two of one name, one that would be two, and one that is longer than most answers. */
static void mirror_headers(const haft_responder *responder, void *context)
{
    char value[LONG_VALUE + 1];
    haft_header headers[] = {{"Set-Cookie", "a=1"},
                             {"X-Split", "a\r\nX-Second: b"},
                             {"X-Long", value},
                             {"Set-Cookie", "b=2"}};

    memset(value, 'v', LONG_VALUE);
    value[LONG_VALUE] = '\0';
    responder->respond(
        context, &(haft_response){
                     .status = 200, .headers = headers, .n_headers = 4, .body = "end", .size = 3});
}

static void *mirror_handle(void *app, const haft_request *request, const haft_responder *responder,
                           void *context, haft_time now)
{
    struct mirror *mirror = app;
    char body[512];
    int size;

    (void)now;
    if (strstr(request->path, "/wait")) {
        mirror->n_waiting++;
        mirror->responder = responder;
        mirror->context = context;
        return mirror;
    }
    if (strstr(request->path, "/headers")) {
        mirror_headers(responder, context);
        return NULL;
    }
    if (strstr(request->path, "/stream")) {
        responder->stream(context, &(haft_response){.status = 200,
                                                    .headers = HEADER("Content-Type", "text/plain"),
                                                    .n_headers = 1});
        responder->write(context, "before", 6);
        responder->write(context, "", 0);
        responder->write(context, "after", 5);
        responder->end(context);
        return NULL;
    }
    size = snprintf(body, sizeof body, "%s %s?%s %zu %s %s", request->method, request->path,
                    request->query, request->body_size, request->peer ? request->peer : "-",
                    request->principal ? request->principal : "-");
    responder->respond(context, &(haft_response){.status = 200,
                                                 .headers = HEADER("Content-Type", "text/plain"),
                                                 .n_headers = 1,
                                                 .body = body,
                                                 .size = (size_t)size});
    return NULL;
}

static void mirror_gone(void *app, void *exchange)
{
    struct mirror *mirror = app;

    assert_ptr_equal(app, exchange);
    mirror->n_waiting--;
    mirror->context = NULL;
}

/* Who sends nothing any more waits for nothing. */
static bool mirror_half_closed(const void *app, const void *exchange)
{
    assert_ptr_equal(app, exchange);
    return false;
}

static void mirror_tick(void *app, haft_time now)
{
    struct mirror *mirror = app;

    (void)now;
    mirror->n_ticks++;
}

static void mirror_shut_down(void *app)
{
    struct mirror *mirror = app;

    mirror->shut_down = true;
    if (mirror->context) {
        mirror->n_waiting--;
        mirror->responder->respond(mirror->context,
                                   &(haft_response){.status = 200, .body = "late", .size = 4});
        mirror->context = NULL;
    }
}

static void mirror_abandon(void *app)
{
    ((struct mirror *)app)->abandoned = true;
}

static bool mirror_idle(const void *app)
{
    return !((const struct mirror *)app)->n_waiting;
}

static const haft_app mirror_app =
    HAFT_INIT(haft_app, .open = mirror_open, .close = mirror_close, .handle = mirror_handle,
              .gone = mirror_gone, .tick = mirror_tick, .shut_down = mirror_shut_down,
              .abandon = mirror_abandon, .idle = mirror_idle, .half_closed = mirror_half_closed);

/* The least an app can be. */
static void *plain_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop;
    (void)reterr_reason;
    return data;
}

static void *plain_handle(void *app, const haft_request *request, const haft_responder *responder,
                          void *context, haft_time now)
{
    (void)request;
    (void)now;
    responder->respond(context, &(haft_response){.status = 404, .body = app, .size = strlen(app)});
    return NULL;
}

static char nothing_here[] = "nothing here";
static const haft_app plain_app =
    HAFT_INIT(haft_app, .open = plain_open, .handle = plain_handle, .data = nothing_here);

static void *refusing_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)data;
    (void)loop;
    (void)reterr_reason;
    return NULL;
}

static const haft_app refusing_app =
    HAFT_INIT(haft_app, .open = refusing_open, .handle = plain_handle);

/* ---- who is told of it ---- */

static int admit(void *context, haft_request *request, const haft_responder *responder,
                 void *responder_context)
{
    const char *who = haft_header_find(request->headers, request->n_headers, "Authorization");

    (void)context;
    if (!who) {
        responder->respond(responder_context,
                           &(haft_response){.status = 401,
                                            .headers = HEADER("WWW-Authenticate", "Test"),
                                            .n_headers = 1});
        return HAFT_STOP;
    }
    request->principal = !strcmp(who, "amy") ? "amy" : "bob";
    return 0;
}

static int whoami(haft_call *call)
{
    const char *principal = haft_call_principal(call);

    return haft_text(call, "you are %s", principal ? principal : "nobody");
}
HAFT_TOOL_BARE(whoami, "Says who is calling", .quick = true);

/* ---- over a socket ---- */

static haft_server *second_server(void)
{
    haft_server *server = haft_server_new("second", "1.0.0");

    assert_non_null(server);
    haft_add(server, &whoami_tool);
    return server;
}

/* Sends one request and returns all that comes back. */
static char *exchange(const struct site *site, const char *method, const char *path,
                      const char *headers, const char *body)
{
    static char request[4096], text[ROOM];
    int fd = dial(site),
        n = snprintf(request, sizeof request,
                     "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     "Content-Type: application/json\r\nContent-Length: %zu\r\n%s\r\n%s",
                     method, path, strlen(body), headers, body);

    say(fd, request, (size_t)n);
    if (!hear_all(fd, text, sizeof text))
        fail_msg("%s %s: no end: %s", method, path, text);
    close(fd);
    return text;
}

struct row {
    const char *method, *path, *headers, *body;
    const char *parts[3]; /* that must come back */
};

static void check(const struct site *site, const struct row *row, size_t i)
{
    const char *text = exchange(site, row->method, row->path, row->headers, row->body);

    for (int k = 0; k < 3 && row->parts[k]; k++)
        if (!strstr(text, row->parts[k]))
            fail_msg("row %zu: %s %s: no %s in %s", i, row->method, row->path, row->parts[k], text);
}

#define WHO                                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"whoami\"}}"
#define INFO                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"

static void finds_whose_a_request_is(void **state)
{
    static const struct row rows[] = {
        {"POST", "/mcp", "", INFO, {"200 OK", "\"name\":\"test\"", NULL}},
        {"POST", "/two/mcp", "", INFO, {"200 OK", "\"name\":\"second\"", "Mcp-Session-Id: "}},
        {"POST", "/two/mcp/", "", WHO, {"200 OK", "you are nobody", NULL}},
        {"POST", "/two/mcp/x", "", WHO, {"200 OK", "POST /two/mcp/x? ", NULL}},
        {"POST", "/two", "", "12", {"200 OK", "POST /two? 2 127.0.0.1 -", NULL}},
        {"GET", "/two/%41?b=%20", "", "", {"200 OK", "GET /two/A?b=%20 0 127.0.0.1 -", NULL}},
        {"GET", "/two/stream", "", "", {"\r\n\r\n6\r\nbefore\r\n5\r\nafter\r\n0\r\n\r\n", NULL}},
        {"PATCH", "/two/", "", "", {"200 OK", "PATCH /two/? 0", NULL}},
        {"POST", "/twoandmore", "", "", {"404 ", "nothing here", NULL}},
        {"GET", "/", "", "", {"404 ", "nothing here", NULL}},
        {"HEAD", "/", "", "", {"404 ", "Content-Length: 12\r\n", NULL}},
        {"POST", "/mcp/x", "", "", {"404 ", "nothing here", NULL}},
        {"GET", "/healthz", "", "", {"200 OK", "\"ok\"", NULL}},
        {"GET", "/readyz", "", "", {"200 OK", "\"ok\"", NULL}},
        {"POST", "/healthz", "", "", {"404 ", "nothing here", NULL}},
        {"GET", "/two", "Origin: http://evil.example\r\n", "", {"403 ", "origin", NULL}},
        {"GET", "/", "Origin: http://evil.example\r\n", "", {"403 ", "origin", NULL}},
    };
    haft_server *second = second_server();
    haft_http_mount mounts[] = {HAFT_INIT(haft_http_mount, .path = "/", .app = &plain_app),
                                HAFT_INIT(haft_http_mount, .path = "/two/", .app = &mirror_app),
                                HAFT_INIT(haft_http_mount, .path = "/two/mcp", .server = second)};
    struct site *site =
        site_open((haft_http_options)HAFT_INIT(haft_http_options, .mounts = mounts, .n_mounts = 3));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(site, &rows[i], i);
    site_close(site);
    haft_server_free(second);
    assert_int_equal(atomic_load(&n_open), 0);
}

/* The guard speaks for apps, which know nothing of CORS. */
static void writes_every_header_once(void **state)
{
    haft_http_mount mounts[] = {HAFT_INIT(haft_http_mount, .path = "/two", .app = &mirror_app)};
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .mounts = mounts,
                                                               .n_mounts = COUNT_OF(mounts)));
    const char *text = exchange(site, "GET", "/two/headers", "", ""), *end;

    (void)state;
    assert_non_null(strstr(text, "\r\nSet-Cookie: a=1\r\nX-Long: vvv"));
    end = strstr(text, "vvv\r\nSet-Cookie: b=2\r\nContent-Length: 3\r\n");
    assert_non_null(end);
    assert_int_equal(strspn(strstr(text, "vvv"), "v"), LONG_VALUE);
    assert_non_null(strstr(end, "\r\n\r\nend"));
    assert_null(strstr(text, "X-Split"));
    assert_null(strstr(text, "X-Second"));
    site_close(site);
}

static void sends_cors_for_apps(void **state)
{
    static const struct row rows[] = {
        {"GET",
         "/app",
         "Origin: https://page.example\r\n",
         "",
         {"200 OK", "Access-Control-Allow-Origin: https://page.example\r\n", "GET /app? 0"}},
        {"OPTIONS",
         "/app",
         "Origin: https://page.example\r\nAccess-Control-Request-Method: PUT\r\n",
         "",
         {"204 ", "Access-Control-Allow-Methods: GET, HEAD, POST, PUT", "Allow-Origin: https://p"}},
        {"OPTIONS", "/app", "", "", {"200 OK", "OPTIONS /app?", NULL}},
        {"GET", "/no", "", "", {"404 ", "Access-Control-Allow-Origin: ", NULL}},
    };
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/app", .app = &mirror_app);
    struct site *site = site_open((haft_http_options)HAFT_INIT(
        haft_http_options, .mounts = &mount, .n_mounts = 1, .cors_origin = "https://page.example"));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(site, &rows[i], i);
    assert_int_equal(count_of(exchange(site, "POST", "/mcp", "", PING(1)), "Allow-Origin"), 1);
    site_close(site);
}

/* Who a client is belongs to its request, and a session to whoever began it. */
static void knows_who_asks(void **state)
{
    static const struct row rows[] = {
        {"POST", "/two", "", WHO, {"401 ", "WWW-Authenticate: Test\r\n", NULL}},
        {"GET", "/app", "", "", {"401 ", NULL, NULL}},
        {"GET", "/healthz", "", "", {"200 OK", NULL, NULL}},
        {"POST", "/two", "Authorization: amy\r\n", WHO, {"200 OK", "you are amy", NULL}},
        {"POST", "/two", "Authorization: x\r\n", WHO, {"200 OK", "you are bob", NULL}},
        {"GET", "/app", "Authorization: amy\r\n", "", {"200 OK", "127.0.0.1 amy", NULL}},
        {"POST",
         "/two",
         "Authorization: amy\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
         "Mcp-Name: whoami\r\n",
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"whoami\","
         "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
         "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
         {"200 OK", "you are amy", NULL}},
    };
    static const struct {
        const char *who, *method;
        const char *parts[2];
    } uses[] = {
        {"amy", "POST", {"200 OK", "you are amy"}},
        {"bob", "POST", {"404 ", "Session not found"}},
        {"bob", "GET", {"404 ", "Session not found"}},
        {"bob", "DELETE", {"404 ", "Session not found"}},
        {"amy", "DELETE", {"200 OK", ""}},
    };
    haft_server *second = second_server();
    haft_http_mount mounts[] = {HAFT_INIT(haft_http_mount, .path = "/app", .app = &mirror_app),
                                HAFT_INIT(haft_http_mount, .path = "/two", .server = second)};
    struct site *site = site_open((haft_http_options)HAFT_INIT(haft_http_options, .mounts = mounts,
                                                               .n_mounts = 2, .admit = admit));
    char session[64] = "", headers[256];
    const char *at;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(site, &rows[i], i);
    at = strstr(exchange(site, "POST", "/two", "Authorization: amy\r\n", INFO), "Mcp-Session-Id: ");
    assert_non_null(at);
    snprintf(session, sizeof session, "%.38s", at + 16);
    for (size_t i = 0; i < COUNT_OF(uses); i++) {
        snprintf(headers, sizeof headers,
                 "Authorization: %s\r\nMcp-Session-Id: %s\r\nAccept: text/event-stream, "
                 "application/json\r\n",
                 uses[i].who, session);
        check(site,
              &(struct row){uses[i].method,
                            "/two",
                            headers,
                            uses[i].method[0] == 'P' ? WHO : "",
                            {uses[i].parts[0], uses[i].parts[1], NULL}},
              i);
    }
    site_close(site);
    haft_server_free(second);
}

static void says_that_clients_are_gone(void **state)
{
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/app", .app = &mirror_app);
    struct site *site =
        site_open((haft_http_options)HAFT_INIT(haft_http_options, .mounts = &mount, .n_mounts = 1));
    static const char wait[] = "GET /app/wait HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int first = dial(site), second = dial(site);
    char text[1024];

    (void)state;
    /* One goes away; the other waits until the server does. */
    say(first, wait, sizeof wait - 1);
    close(first);
    exchange(site, "GET", "/app", "", "");
    say(second, wait, sizeof wait - 1);
    exchange(site, "GET", "/app", "", "");
    site_close(site);
    hear(second, text, sizeof text, "late", 1);
    close(second);
    assert_true(last.shut_down && last.n_ticks > 0 && !last.abandoned);
    assert_int_equal(last.n_waiting, 0);
}

/* ---- what cannot be ---- */

static void refuses_to_begin(void **state)
{
    haft_server *second = second_server();
    const struct {
        haft_http_mount mounts[2];
        bool legacy_sse;
        const char *path, *text;
    } rows[] = {
        {{{.path = "/mcp", .app = &plain_app}}, false, "/mcp", "already in use"},
        {{{.path = "/mcp/", .server = second}}, false, "/mcp/", "already in use"},
        {{{.path = "/a", .app = &plain_app}, {.path = "/a/", .app = &mirror_app}},
         false,
         "/a/",
         "already in use"},
        {{{.path = "a", .app = &plain_app}}, false, "a", "must begin with a slash"},
        {{{.path = "", .app = &plain_app}}, false, "", "must begin with a slash"},
        {{{.app = &plain_app}}, false, "mounts", "a mount needs"},
        {{{.path = "/a"}}, false, "/a", "either a server or an app"},
        {{{.path = "/a", .app = &plain_app, .server = second}}, false, "/a", "either"},
        {{{.path = "/a", .app = &refusing_app}}, false, "/a", "open function failed"},
        {{{.path = "/a", .server = second, .legacy_sse = true}}, true, "/sse", "already in use"},
        {{{.path = "/sse", .app = &mirror_app}}, true, "/sse", "already in use"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_http_mount mounts[2] = {rows[i].mounts[0], rows[i].mounts[1]};
        haft_http_options options =
            HAFT_INIT(haft_http_options, .mounts = mounts,
                      .n_mounts = rows[i].mounts[1].path ? 2 : 1, .legacy_sse = rows[i].legacy_sse);
        struct site *site;

        mounts[0].struct_size = mounts[1].struct_size = sizeof *mounts;
        site = site_open_with(options, NULL);
        assert_null(site->http);
        if (strcmp(site->reason.path, rows[i].path) || !strstr(site->reason.text, rows[i].text))
            fail_msg("row %zu: %s: %s", i, site->reason.path, site->reason.text);
        site_close(site);
        assert_int_equal(atomic_load(&n_open), 0);
    }
    haft_server_free(second);
}

/* ---- memory ---- */

static void on_respond(void *context, const haft_response *response)
{
    *(int *)context = response->status;
}

static int ask(struct mux *mux, const char *path)
{
    static const haft_responder responder = {.respond = on_respond};
    struct haft_header_index index;
    haft_request request = {.method = "POST",
                            .path = path,
                            .query = "",
                            .headers = HEADER("host", "localhost"),
                            .n_headers = 1,
                            .body = "",
                            .index_ = &index};
    int status = 0;

    hf_headers_index(request.headers, request.n_headers, &index);
    assert_null(hf_mux_handle(mux, &request, &responder, &status, 1).by);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server, *second;
        struct mux mux;
        haft_reason reason = {0};
        bool failed;
        haft_app app = mirror_app;

        failing_init(&failing, nth);
        app.data = &failing.allocator;
        server = haft_server_new_with(
            "a", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        second = haft_server_new_with(
            "b", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        if (server && second) {
            haft_http_mount mounts[] = {
                HAFT_INIT(haft_http_mount, .path = "/app", .app = &app),
                HAFT_INIT(haft_http_mount, .path = "/two", .server = second, .legacy_sse = true)};
            haft_http_options options =
                HAFT_INIT(haft_http_options, .path = "/mcp", .mounts = mounts, .n_mounts = 2,
                          .cors_origin = "*");
            int status =
                hf_mux_init(&mux, &options, &(haft_http_loop){.server = server, .n = 1}, &reason);

            if (status) {
                assert_int_equal(status, HAFT_ENOMEM);
                assert_int_equal(reason.code, HAFT_ENOMEM);
            } else {
                ask(&mux, "/no");
                ask(&mux, "/two");
                failing.fail_at = 0;
                assert_int_equal(ask(&mux, "/no"), 404);
                assert_int_equal(ask(&mux, "/app"), 200);
                assert_int_equal(ask(&mux, "/two"), 415);
                hf_mux_finish(&mux);
            }
        }
        failed = failing.failures;
        haft_server_free(server);
        haft_server_free(second);
        failing_check(&failing);
        if (!failed)
            break;
    }
    assert_int_equal(atomic_load(&n_open), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_whose_a_request_is),
        cmocka_unit_test(writes_every_header_once),
        cmocka_unit_test(sends_cors_for_apps),
        cmocka_unit_test(knows_who_asks),
        cmocka_unit_test(says_that_clients_are_gone),
        cmocka_unit_test(refuses_to_begin),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
