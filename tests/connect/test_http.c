/* test_http.c - servers at a URL: their answers, streams, sessions, and what becomes of requests. */
#define _GNU_SOURCE
#include "connect/site.h"
#include "connect/tap.h"

#define JSON "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
#define EMPTY "Content-Length: 0\r\n\r\n"
#define ACCEPTED "HTTP/1.1 202 Accepted\r\n" EMPTY
#define REFUSED(line) "HTTP/1.1 " line "\r\n" EMPTY
#define ANSWER "{\"id\":1,\"result\":{}}"
#define ANSWER_JSON JSON "Content-Length: 20\r\n\r\n" ANSWER
#define OTHER "{\"id\":2,\"result\":{}}"
#define SESSION                                                                                    \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s-1\r\n"                 \
    "Content-Length: 20\r\n\r\n" ANSWER
#define LAST "{\"id\":4,\"result\":{}}"
#define NEXT_SESSION                                                                               \
    JSON "Mcp-Session-Id: s-2\r\nContent-Length: 20\r\n\r\n{\"id\":3,\"result\":{}}"
#define FAILURE "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"no\"}}"

#define X10 "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10
#define X1000 X100 X100 X100 X100 X100 X100 X100 X100 X100 X100
#define TOO_MUCH X1000 X1000 X1000 /* over TAP_LIMIT */

/* ---- one request ---- */

static const struct single {
    const char *name;
    struct site_answer answers[4];
    const char *log, *record;
} singles[] = {
    {"JSON", {{.text = ANSWER_JSON}}, "message " ANSWER "\n", "POST /mcp\n"},
    {"JSON with a charset",
     {{.text = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"
               "Content-Length: 20\r\n\r\n" ANSWER}},
     "message " ANSWER "\n",
     "POST /mcp\n"},
    {"a stream with a notification",
     {{.text = STREAM "\r\ndata: {\"method\":\"x\"}\n\ndata: " ANSWER "\n\n", .closes = true}},
     "message {\"method\":\"x\"}\nmessage " ANSWER "\n",
     "POST /mcp\n"},
    {"a stream that does not end after the answer",
     {{.text = STREAM "\r\ndata: " ANSWER "\n\n", .holds = true}},
     "message " ANSWER "\n",
     "POST /mcp\n"},
    {"another id",
     {{.text = JSON "Content-Length: 20\r\n\r\n" OTHER}},
     "message " OTHER "\nfailed 1: -22/200 the response does not belong to the request [maybe]\n",
     "POST /mcp\n"},
    {"a stream without an answer",
     {{.text = STREAM "\r\ndata: {\"method\":\"x\"}\n\n", .closes = true}},
     "message {\"method\":\"x\"}\n"
     "failed 1: -17/200 the server ended the stream before it answered [maybe]\n",
     "POST /mcp\n"},
    {"no message",
     {{.text = ACCEPTED}},
     "failed 1: -22/202 the server answered 202 Accepted without a message [maybe]\n",
     "POST /mcp\n"},
    {"a page",
     {{.text = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"}},
     "failed 1: -22/200 the response is neither JSON nor an event stream; is this the URL of an MCP "
     "endpoint? [maybe]\n",
     "POST /mcp\n"},
    {"no such path",
     {{.text = REFUSED("404 Not Found")}},
     "failed 1: -22/404 the server answered 404 Not Found; is the path of the URL right?\n",
     "POST /mcp\n"},
    {"no token",
     {{.text = REFUSED("401 Unauthorized")}},
     "failed 1: -23/401 the server answered 401 Unauthorized; it requires authorization\n",
     "POST /mcp\n"},
    {"no permission",
     {{.text = REFUSED("403 Forbidden")}},
     "failed 1: -23/403 the server answered 403 Forbidden\n",
     "POST /mcp\n"},
    {"a server of pages",
     {{.text = REFUSED("501 Not Implemented")}},
     "failed 1: -22/501 the server answered 501 Not Implemented; is this the URL of an MCP endpoint?"
     "\n",
     "POST /mcp\n"},
    {"a failure of the server",
     {{.text = REFUSED("500 Internal Server Error")}},
     "failed 1: -22/500 the server answered 500 Internal Server Error [maybe]\n",
     "POST /mcp\n"},
    {"an error with an answer",
     {{.text = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
               "Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}},
     "message {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
     "POST /mcp\n"},
    {"an error for nobody",
     {{.text = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
               "Content-Length: 66\r\n\r\n" FAILURE}},
     "message " FAILURE "\nfailed 1: -22/400 the server answered 400 Bad Request: no\n",
     "POST /mcp\n"},
    {"closed before the answer",
     {{.text = "", .closes = true}},
     "failed 1: -17/0 @/mcp: the connection was closed before the answer: Empty reply from server"
     " [maybe]\n",
     "POST /mcp\n"},
    {"half an answer",
     {{.text = JSON "Content-Length: 20\r\n\r\n{\"id\"", .closes = true}},
     "failed 1: -17/200 @/mcp: the connection was closed before the end of the answer: 15 of 20 "
     "bytes are missing [maybe]\n",
     "POST /mcp\n"},
    {"too much JSON",
     {{.text = JSON "\r\n" TOO_MUCH, .closes = true}},
     "failed 1: -5/200 the server's message exceeds the limit of 2000 bytes [maybe]\n",
     "POST /mcp\n"},
    {"an event that is too long",
     {{.text = STREAM "\r\ndata: " TOO_MUCH, .holds = true}},
     "failed 1: -5/200 the server's message exceeds the limit of 2000 bytes [maybe]\n",
     "POST /mcp\n"},
    {"a redirect within the server",
     {{.on = "POST /mcp ", .text = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /mcp/\r\n" EMPTY},
      {.on = "POST /mcp/", .text = ANSWER_JSON}},
     "message " ANSWER "\n",
     "POST /mcp\nPOST /mcp/\n"},
    {"a redirect to another server",
     {{.text = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.2:1/\r\n" EMPTY}},
     "failed 1: -22/307 the server answered 307 Temporary Redirect; the redirect is not followed\n",
     "POST /mcp\n"},
    {"redirects without an end",
     {{.text = "HTTP/1.1 308 Permanent Redirect\r\nLocation: mcp\r\n" EMPTY}},
     "failed 1: -22/308 the server answered 308 Permanent Redirect; the redirect is not followed\n",
     "POST /mcp\nPOST /mcp\nPOST /mcp\nPOST /mcp\nPOST /mcp\nPOST /mcp\n"},
    {"a redirect that changes the method",
     {{.text = "HTTP/1.1 302 Found\r\nLocation: /mcp\r\n" EMPTY}},
     "failed 1: -22/302 the server answered 302 Found\n",
     "POST /mcp\n"},
};

/* Compares, with the server's URL for each @. */
static void check(const char *name, const char *what, const char *seen, const char *expected,
                  const char *url)
{
    char text[TAP_LOG] = "";
    size_t n = 0;

    for (const char *at = expected; *at && n < sizeof text - 100; at++)
        if (*at == '@')
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", url);
        else
            text[n++] = *at;
    text[n] = '\0';
    if (strcmp(seen, text))
        fail_msg("%s: %s:\n%s\nexpected:\n%s", name, what, seen, text);
}

static bool tap_open_with(struct tap *tap, const struct site *site, haft_target target,
                          const haft_allocator *allocator)
{
    haft_reason reason = {0};
    char url[100];

    haft_part_register(&haft_http_client_part);
    snprintf(url, sizeof url, "%s/mcp", site->rogue->url);
    target.struct_size = sizeof target;
    target.url = url;
    target.proxy = "";
    if (tap_open(tap, &target, allocator, &reason))
        return true;
    if (!allocator)
        fail_msg("%s", reason.text);
    assert_int_equal(reason.code, HAFT_ENOMEM);
    return false;
}

static void tap_open_site(struct tap *tap, const struct site *site, haft_target target)
{
    tap_open_with(tap, site, target, NULL);
}

static void test_single(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(singles); i++) {
        const struct single *row = &singles[i];
        struct site site;
        struct tap tap;

        site_open(&site, row->answers);
        tap_open_site(&tap, &site, (haft_target){0});
        tap_send(&tap, "tools/call", 1, "{\"id\":1}");
        tap_run(&tap, tap_lines(row->log), TAP_MS);
        tap_run(&tap, tap_lines(row->log) + 1, 10); /* nothing follows */
        check(row->name, "reports", tap.log, row->log, site.rogue->url);
        tap_close(&tap);
        check(row->name, "requests", site.record, row->record, site.rogue->url);
        site_close(&site);
    }
}

/* ---- steps ---- */

/* What the client does: sends a message, or reports the revision. */
struct move {
    const char *method; /* NULL: the end of the list */
    int id;
    const char *negotiated;
    bool let_go;  /* of the request `id`, in place of a message */
    bool listens; /* in place of a message */
    bool runs;    /* until the log has as many reports as moves before have asked for */
    unsigned reports;
    int64_t least; /* milliseconds that this takes at the least */
};

static const struct course {
    const char *name;
    haft_target target;
    struct site_answer answers[8];
    struct move moves[10];
    const char *log, *record;
} courses[] = {
    {"a session",
     {0},
     {{.on = "initialize", .text = SESSION},
      {.on = "\"n\"", .text = ACCEPTED},
      {.on = "DELETE", .text = REFUSED("200 OK")},
      {.text = JSON "Content-Length: 20\r\n\r\n" OTHER}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {"", .negotiated = "2025-11-25"},
      {.method = "notifications/initialized"},
      {"tools/call", 2, .runs = true, .reports = 2}},
     "message " ANSWER "\nmessage " OTHER "\n",
     "POST /mcp\nPOST /mcp Mcp-Session-Id=s-1\nPOST /mcp Mcp-Session-Id=s-1\n"
     "DELETE /mcp Mcp-Session-Id=s-1 MCP-Protocol-Version=2025-11-25\n"},
    {"a session that is gone",
     {0},
     {{.on = "initialize", .text = SESSION}, {.text = REFUSED("404 Not Found")}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {"", .negotiated = "2025-11-25"},
      {"tools/call", 2, .runs = true, .reports = 2}},
     "message " ANSWER "\n"
     "failed 2: -22/404 the server answered 404 Not Found; the session has ended [session]\n",
     "POST /mcp\nPOST /mcp Mcp-Session-Id=s-1\n"},
    {"the end of a session that has a successor",
     {0},
     {{.on = "\"id\":3", .text = NEXT_SESSION},
      {.on = "initialize", .text = SESSION},
      {.on = "\"n\"", .text = ACCEPTED},
      {.on = "DELETE", .text = REFUSED("200 OK")},
      {.on = "Mcp-Session-Id: s-2", .text = JSON "Content-Length: 20\r\n\r\n" LAST},
      {.text = REFUSED("404 Not Found"), .after = 4}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {"", .negotiated = "2025-11-25"},
      {.method = "tools/call", .id = 2},
      {"initialize", 3, .runs = true, .reports = 2},
      {"n", .runs = true, .reports = 3},
      {"tools/call", 4, .runs = true, .reports = 4}},
     "message " ANSWER "\nmessage {\"id\":3,\"result\":{}}\n"
     "failed 2: -22/404 the server answered 404 Not Found; the session has ended [session]\n"
     "message " LAST "\n",
     NULL},
    {"a stream that is resumed",
     {0},
     {{.on = "initialize", .text = SESSION},
      {.on = "GET", .text = STREAM "\r\nid: e-2\ndata: " OTHER "\n\n", .closes = true},
      {.on = "DELETE", .text = REFUSED("200 OK")},
      {.text = STREAM "\r\nid: e-1\nretry: 120\ndata:\n\n", .closes = true}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {"", .negotiated = "2025-11-25"},
      {"tools/call", 2, .runs = true, .reports = 2, .least = 120}},
     "message " ANSWER "\nmessage " OTHER "\n",
     "POST /mcp\nPOST /mcp Mcp-Session-Id=s-1\n"
     "GET /mcp Mcp-Session-Id=s-1 Last-Event-ID=e-1 MCP-Protocol-Version=2025-11-25\n"
     "DELETE /mcp Mcp-Session-Id=s-1 MCP-Protocol-Version=2025-11-25\n"},
    {"a stream that is resumed twice, no sooner than after 100 ms",
     {0},
     {{.on = "Last-Event-ID: e-2", .text = STREAM "\r\ndata: " OTHER "\n\n", .closes = true},
      {.on = "GET", .text = STREAM "\r\nid: e-2\ndata: {}\n\n", .closes = true},
      {.text = STREAM "\r\nid: e-1\nretry: 0\ndata:\n\n", .closes = true}},
     {{"", .negotiated = "2025-03-26"},
      {"tools/call", 2, .runs = true, .reports = 2, .least = 200}},
     "message {}\nmessage " OTHER "\n",
     "POST /mcp\nGET /mcp Last-Event-ID=e-1\nGET /mcp Last-Event-ID=e-2\n"},
    {"a stream that is not there when it is resumed",
     {0},
     {{.on = "GET", .text = REFUSED("503 Service Unavailable"), .times = 1},
      {.on = "GET", .text = STREAM "\r\ndata: " OTHER "\n\n", .closes = true},
      {.text = STREAM "\r\nid: e-1\nretry: 100\ndata:\n\n", .closes = true}},
     {{"", .negotiated = "2025-11-25"},
      {"tools/call", 2, .runs = true, .reports = 1, .least = 300}},
     "message " OTHER "\n",
     "POST /mcp\nGET /mcp Last-Event-ID=e-1 MCP-Protocol-Version=2025-11-25\n"
     "GET /mcp Last-Event-ID=e-1 MCP-Protocol-Version=2025-11-25\n"},
    {"an invalid session id",
     {0},
     {{.on = "initialize",
       .text = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
               "Mcp-Session-Id: s 1\r\nContent-Length: 20\r\n\r\n" ANSWER},
      {.text = JSON "Content-Length: 20\r\n\r\n" OTHER}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {"", .negotiated = "2025-11-25"},
      {"tools/call", 2, .runs = true, .reports = 2}},
     "message " ANSWER "\nmessage " OTHER "\n",
     "POST /mcp\nPOST /mcp\n"},
    {"a stream that must not be resumed",
     {.no_resume = true},
     {{.text = STREAM "\r\nid: e-1\nretry: 120\ndata:\n\n", .closes = true}},
     {{"", .negotiated = "2025-11-25"}, {"tools/call", 2, .runs = true, .reports = 1}},
     "failed 2: -17/200 the server ended the stream before it answered [maybe]\n",
     "POST /mcp\n"},
    {"a stream that cannot be resumed",
     {0},
     {{.on = "GET", .text = REFUSED("405 Method Not Allowed")},
      {.text = STREAM "\r\nid: e-1\nretry: 1\ndata:\n\n", .closes = true}},
     {{"", .negotiated = "2025-11-25"}, {"tools/call", 2, .runs = true, .reports = 1}},
     "failed 2: -17/405 the server ended the stream before it answered, and answered 405 Method Not "
     "Allowed when it was resumed [maybe]\n",
     "POST /mcp\nGET /mcp Last-Event-ID=e-1 MCP-Protocol-Version=2025-11-25\n"},
    {"a stream whose events have an invalid id",
     {0},
     {{.text = STREAM "\r\nid: \x1B[31m\tx\ndata:\n\n", .closes = true}},
     {{"", .negotiated = "2025-11-25"}, {"tools/call", 2, .runs = true, .reports = 1}},
     "failed 2: -17/200 the server ended the stream before it answered [maybe]\n",
     "POST /mcp\n"},
    {"the newest revision does not resume",
     {0},
     {{.text = STREAM "\r\nid: e-1\ndata:\n\n", .closes = true}},
     {{"", .negotiated = "2026-07-28"}, {"tools/call", 2, .runs = true, .reports = 1}},
     "failed 2: -17/200 the server ended the stream before it answered [maybe]\n",
     "POST /mcp\n"},
    {"a listening stream",
     {.listen = true},
     {{.on = "initialize\"", .text = SESSION},
      {.on = "GET", .text = STREAM "\r\ndata: {\"method\":\"x\"}\n\n", .holds = true},
      {.on = "DELETE", .text = REFUSED("200 OK")},
      {.on = "initialized", .text = ACCEPTED},
      {.text = JSON "Content-Length: 20\r\n\r\n" OTHER}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {"", .negotiated = "2025-11-25"},
      {"notifications/initialized", 0, .runs = true, .reports = 2},
      {"tools/call", 2, .runs = true, .reports = 3}},
     "message " ANSWER "\nmessage {\"method\":\"x\"}\nmessage " OTHER "\n",
     "POST /mcp\nPOST /mcp Mcp-Session-Id=s-1\n"
     "GET /mcp Mcp-Session-Id=s-1 MCP-Protocol-Version=2025-11-25\n"
     "POST /mcp Mcp-Session-Id=s-1\n"
     "DELETE /mcp Mcp-Session-Id=s-1 MCP-Protocol-Version=2025-11-25\n"},
    {"a listening stream that is resumed",
     {.listen = true},
     {{.on = "initialized", .text = ACCEPTED},
      {.on = "Last-Event-ID: e-9",
       .text = STREAM "\r\ndata: {\"method\":\"y\"}\n\n",
       .holds = true},
      {.text = STREAM "\r\nid: e-9\nretry: 100\ndata: {\"method\":\"x\"}\n\n", .closes = true}},
     {{"", .negotiated = "2025-11-25"},
      {"notifications/initialized", .runs = true, .reports = 2, .least = 100}},
     "message {\"method\":\"x\"}\nmessage {\"method\":\"y\"}\n",
     "POST /mcp\nGET /mcp MCP-Protocol-Version=2025-11-25\n"
     "GET /mcp Last-Event-ID=e-9 MCP-Protocol-Version=2025-11-25\n"},
    {"a listening stream that is refused",
     {.listen = true},
     {{.on = "GET", .text = REFUSED("405 Method Not Allowed")},
      {.on = "initialized", .text = ACCEPTED},
      {.text = JSON "Content-Length: 20\r\n\r\n" OTHER}},
     {{"", .negotiated = "2025-11-25"},
      {.method = "notifications/initialized"},
      {"tools/call", 2, .runs = true, .reports = 1}},
     "message " OTHER "\n",
     "POST /mcp\nGET /mcp MCP-Protocol-Version=2025-11-25\nPOST /mcp\n"},
    {"a listening stream whose session ends",
     {.listen = true},
     {{.on = "initialized", .text = ACCEPTED},
      {.on = "initialize", .text = SESSION},
      {.on = "GET",
       .text = STREAM "\r\nretry: 100\ndata: {\"method\":\"x\"}\n\n",
       .times = 1,
       .closes = true},
      {.text = REFUSED("404 Not Found")}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {"", .negotiated = "2025-11-25"},
      {"notifications/initialized", .runs = true, .reports = 3}},
     "message " ANSWER "\nmessage {\"method\":\"x\"}\n"
     "failed 0: -17/404 the server ended the listening stream, and answered 404 Not Found when it "
     "was resumed [maybe] [session]\n",
     "POST /mcp\nPOST /mcp Mcp-Session-Id=s-1\n"
     "GET /mcp Mcp-Session-Id=s-1 MCP-Protocol-Version=2025-11-25\n"
     "GET /mcp Mcp-Session-Id=s-1 MCP-Protocol-Version=2025-11-25\n"},
    {"a listening stream of a session that has a successor",
     {.listen = true},
     {{.on = "initialized", .text = ACCEPTED},
      {.on = "\"id\":3", .text = NEXT_SESSION},
      {.on = "initialize", .text = SESSION},
      {.on = "GET", .text = STREAM "\r\ndata: {\"method\":\"x\"}\n\n", .holds = true},
      {.on = "DELETE", .text = REFUSED("200 OK")}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {"", .negotiated = "2025-11-25"},
      {"notifications/initialized", .runs = true, .reports = 2},
      {"initialize", 3, .runs = true, .reports = 3},
      {"", .negotiated = "2025-11-25"},
      {"notifications/initialized", .runs = true, .reports = 4}},
     "message " ANSWER "\nmessage {\"method\":\"x\"}\n"
     "message {\"id\":3,\"result\":{}}\nmessage {\"method\":\"x\"}\n",
     NULL},
    {"a request that is let go",
     {0},
     {{.on = "one", .text = NULL}, {.text = JSON "Content-Length: 20\r\n\r\n" OTHER}},
     {{.method = "one", .id = 1},
      {"tools/call", 2, .runs = true, .reports = 1},
      {"", 1, .let_go = true},
      {"tools/call", 2, .runs = true, .reports = 2}},
     "message " OTHER "\nmessage " OTHER "\n",
     "POST /mcp\nPOST /mcp\nPOST /mcp\n"},
    {"HTTP+SSE",
     {.legacy_sse = true},
     {{.on = "POST /mcp ", .text = REFUSED("405 Method Not Allowed")},
      {.on = "GET",
       .text = STREAM "\r\nevent: endpoint\ndata: /post?s=1\n\n"
                      "event: message\ndata: " ANSWER "\n\n",
       .holds = true},
      {.on = "POST /post?s=1", .text = ACCEPTED}},
     {{"initialize", 1, .runs = true, .reports = 1},
      {.method = "tools/call", .id = 2},
      {"", 1, .let_go = true}},
     "message " ANSWER "\n",
     NULL},
    {"HTTP+SSE to another origin",
     {.legacy_sse = true},
     {{.on = "POST", .text = REFUSED("404 Not Found")},
      {.text = STREAM "\r\nevent: endpoint\ndata: http://127.0.0.2/post\n\n", .holds = true}},
     {{"initialize", 1, .runs = true, .reports = 1}},
     "failed 0: -22/200 the server named a URL for messages that is invalid or has another origin\n",
     "POST /mcp\nGET /mcp\n"},
    {"HTTP+SSE that is not there either",
     {.legacy_sse = true},
     {{.text = REFUSED("404 Not Found")}},
     {{"initialize", 1, .runs = true, .reports = 1}},
     "failed 0: -17/404 the server offers neither Streamable HTTP nor HTTP+SSE (404)\n",
     "POST /mcp\nGET /mcp\n"},
    {"HTTP+SSE whose stream ends",
     {.legacy_sse = true},
     {{.on = "POST /mcp ", .text = REFUSED("404 Not Found")},
      {.on = "GET", .text = STREAM "\r\nevent: endpoint\ndata: @/post\n\n", .closes = true},
      {.on = "POST /post", .text = ACCEPTED}},
     {{"initialize", 1, .runs = true, .reports = 1}},
     "failed 0: -17/200 the server ended the stream of events [maybe] [session]\n",
     NULL},
    {"additional headers",
     {.headers = (const haft_header[]){{"X-Own", "yes"}, {"Authorization", "Basic x"}},
      .n_headers = 2},
     {{.text = ANSWER_JSON}},
     {{"tools/call", 1, .runs = true, .reports = 1}},
     "message " ANSWER "\n",
     "POST /mcp Authorization=Basic x X-Own=yes\n"},
};

static void course_move(struct tap *tap, const struct move *move, int64_t ms)
{
    int64_t begun = milliseconds();
    char text[100];

    snprintf(text, sizeof text, "{\"method\":\"%s\",\"id\":%d}", move->method, move->id);
    if (move->negotiated)
        tap->transport.negotiated(tap->transport.context, move->negotiated);
    else if (move->let_go)
        tap->transport.let_go(tap->transport.context, tap_tag(move->id), true);
    else if (move->listens)
        tap->transport.listen(tap->transport.context, true);
    else
        tap_send(tap, move->method, move->id, text);
    if (move->runs)
        tap_run(tap, move->reports, ms);
    if (ms == TAP_MS && milliseconds() - begun < move->least)
        fail_msg("%s: after %lld ms", text, (long long)(milliseconds() - begun));
}

static void test_courses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(courses); i++) {
        const struct course *row = &courses[i];
        struct site site;
        struct tap tap;

        site_open(&site, row->answers);
        tap_open_site(&tap, &site, row->target);
        for (const struct move *move = row->moves; move->method; move++)
            course_move(&tap, move, TAP_MS);
        tap_run(&tap, tap_lines(row->log) + 1, 10); /* nothing follows */
        check(row->name, "reports", tap.log, row->log, site.rogue->url);
        tap_close(&tap);
        if (row->record)
            check(row->name, "requests", site.record, row->record, site.rogue->url);
        site_close(&site);
    }
}

/* Whatever fails, the link ends and frees everything. */
static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(courses); i++) {
        const struct course *row = &courses[i];
        struct failing failing = {.failures = 1};

        for (size_t nth = 1; failing.failures; nth++) {
            struct site site;
            struct tap tap;

            failing_init(&failing, nth);
            site_open(&site, row->answers);
            if (tap_open_with(&tap, &site, row->target, &failing.allocator)) {
                for (const struct move *move = row->moves; move->method; move++)
                    course_move(&tap, move, 200);
                tap_close(&tap);
            }
            failing_check(&failing);
            site_close(&site);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_courses),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
