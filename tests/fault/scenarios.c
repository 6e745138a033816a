/* scenarios.c - every way through the runtime: each kind of request in each era over each carrier,
 * and what takes more than one message.
 *
 * A scenario stops at the first step that is refused: after that the client knows that something
 * failed. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "fault/props.h"
#include "fault/scenario.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},\"roots\":{}},"            \
    "\"io.modelcontextprotocol/logLevel\":\"debug\",\"progressToken\":7}"

enum { MESSAGE = 4096 };

/* A request as the era writes it; `params` without its braces. */
static const char *request(const struct peer *peer, char *text, int id, const char *method,
                           const char *params)
{
    const char *meta = peer->era == MODERN ? META : TOKEN;

    snprintf(text, MESSAGE, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s%s%s}}",
             id, method, params, *params ? "," : "", meta);
    return text;
}

int scenario_ask(struct peer *peer, int id, const char *method, const char *params,
                 const char *expected)
{
    char text[MESSAGE];

    return peer_ask(peer, request(peer, text, id, method, params), expected);
}

/* ---- one request ---- */

static int run_request(struct peer *peer, const struct scenario *scenario)
{
    return scenario_ask(peer, 1, scenario->method, scenario->params, scenario->expected);
}

static const struct {
    const char *method, *params, *expected;
    bool legacy_only, modern_only;
} requests[] = {
    {"ping", "", "\"result\":{", true, false},
    {"server/discover", "", "\"supportedVersions\"", false, true},
    {"tools/list", "", "\"tools\":[{", false, false},
    {"tools/call", "\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"}", "\"text\":\"hello\"",
     false, false},
    {"tools/call", "\"name\":\"shape\",\"arguments\":{\"name\":\"ann\"}", "\"names\":[\"ann\"]",
     false, false},
    {"tools/call", "\"name\":\"shape\",\"arguments\":{\"name\":\"\",\"n\":99,\"x\":1}",
     "\"isError\":true", false, false},
    {"tools/call", "\"name\":\"steps\",\"arguments\":{}", "\"text\":\"3 steps\"", false, false},
    {"tools/call", "\"name\":\"blocks\",\"arguments\":{}", "\"name\":\"last\"", false, false},
    {"tools/call", "\"name\":\"big\",\"arguments\":{\"size\":300000}", "xxxxxxxx!", false, false},
    {"tools/call", "\"name\":\"nope\",\"arguments\":{}", "\"error\":{", false, false},
    {"resources/list", "", "\"resources\":[{", false, false},
    {"resources/templates/list", "", "\"resourceTemplates\":[{", false, false},
    {"resources/read", "\"uri\":\"a:b\"", "the contents", false, false},
    {"resources/read", "\"uri\":\"a:x/7\"", "the contents", false, false},
    {"prompts/list", "", "\"prompts\":[{", false, false},
    {"prompts/get", "\"name\":\"p\",\"arguments\":{\"word\":\"war\"}", "about war", false, false},
    {"completion/complete",
     "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"a:x/{id}\"},\"argument\":{\"name\":\"id\","
     "\"value\":\"v\"}",
     "\"values\":[\"v\"]", false, false},
    {"logging/setLevel", "\"level\":\"debug\"", "\"result\":{", true, false},
    {"resources/subscribe", "\"uri\":\"a:b\"", "\"result\":{", true, false},
    {"no/such", "", "\"error\":{", false, false},
};

/* ---- beginning and ending ---- */

static int run_start(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    TRY(peer_greet(peer));
    return scenario_ask(peer, 1, "tools/list", "", "\"tools\":[{");
}

static int run_greeting(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    /* A connection that was not there before. */
    peer_hang_up(peer);
    TRY(peer_greet(peer));
    return scenario_ask(peer, 1, "tools/call",
                        "\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"}",
                        "\"text\":\"hello\"");
}

static int run_end(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    return peer_stop(peer);
}

/* With a call at work. */
static int run_busy_end(struct peer *peer, const struct scenario *scenario)
{
    char text[MESSAGE];

    (void)scenario;
    request(peer, text, 1, "tools/call", "\"name\":\"steps\",\"arguments\":{}");
    if (peer->http)
        TRY(peer_stream(peer, "POST", "", text));
    else
        TRY(peer_tell(peer, text));
    if (!peer->http)
        return peer_stop(peer);
    kill(peer->pid, SIGTERM);
    return peer_wait(peer);
}

/* ---- streams ---- */

/* Several requests on one connection, sent before the first is answered. */
static int run_pipelined(struct peer *peer, const struct scenario *scenario)
{
#define PING(id, more)                                                                             \
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" more             \
    "Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
    (void)scenario;
    peer_hang_up(peer);
    return peer_raw(peer, PING("1", "") PING("2", "") PING("3", "Connection: close\r\n"),
                    "\"id\":1,\"result\":{}");
}

static int run_bad_http(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    peer_hang_up(peer);
    return peer_raw(peer, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                    "HTTP/1.1 400");
}

static int run_chunked(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    peer_hang_up(peer);
    return peer_raw(
        peer,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
        "14\r\n{\"jsonrpc\":\"2.0\",\"id\r\n14\r\n\":1,\"method\":\"ping\"}\r\n0\r\n\r\n",
        "HTTP/1.1 ");
}

/* The number of the last event, to come back with. */
static bool last_event(const char *text, char *ret_id, size_t room)
{
    const char *found = NULL;

    for (const char *at = text; (at = strstr(at, "\nid: ")); at += 5)
        found = at + 5;
    if (found)
        snprintf(ret_id, room, "Last-Event-ID: %.*s\r\n", (int)strcspn(found, "\r\n"), found);
    return found;
}

static int run_resume(struct peer *peer, const struct scenario *scenario)
{
    char text[MESSAGE], id[128];

    (void)scenario;
    TRY(peer_stream(peer, "POST", "",
                    request(peer, text, 1, "tools/call", "\"name\":\"away\",\"arguments\":{}")));
    TRY(peer_expect(peer, "\nid: "));
    if (!last_event(peer->streamed, id, sizeof id))
        return REFUSED;
    TRY(peer_stream(peer, "GET", id, ""));
    return peer_expect(peer, "worth coming back");
}

static int run_session_end(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    TRY(peer_stream(peer, "GET", "", ""));
    TRY(peer_expect(peer, "text/event-stream"));
    peer_hang_up(peer);
    TRY(peer_stream(peer, "DELETE", "", ""));
    return peer_expect(peer, "HTTP/1.1 20");
}

/* ---- questions ---- */

static int run_modern_question(struct peer *peer, const struct scenario *scenario)
{
    static char text[MESSAGE];
    char params[2048];
    const char *state;

    (void)scenario;
    TRY(scenario_ask(peer, 1, "tools/call", "\"name\":\"ask\",\"arguments\":{}",
                     "\"inputRequests\":{"));
    state = strstr(peer->heard, "\"requestState\":\"");
    if (!state) {
        peer_say_why(peer, "no state: %.100s", peer->heard);
        return WRONG;
    }
    snprintf(
        params, sizeof params,
        "\"name\":\"ask\",\"arguments\":{},\"inputResponses\":{\"word\":{\"action\":\"accept\","
        "\"content\":{\"word\":\"yes\"}}},\"requestState\":\"%.*s\"",
        (int)strcspn(state + 16, "\""), state + 16);
    return peer_ask(peer, request(peer, text, 2, "tools/call", params), "the word is yes");
}

static int run_legacy_question(struct peer *peer, const struct scenario *scenario)
{
    char text[MESSAGE], answer[256];
    const char *heard = peer->http ? peer->streamed : peer->heard, *line, *id;

    (void)scenario;
    request(peer, text, 1, "tools/call", "\"name\":\"ask\",\"arguments\":{}");
    peer->heard_size = 0;
    if (peer->http)
        TRY(peer_stream(peer, "POST", "", text));
    else
        TRY(peer_tell(peer, text));
    TRY(peer_expect(peer, "\"method\":\"elicitation/create\""));
    line = strstr(heard, "\"method\":\"elicitation/create\"");
    while (line > heard && line[-1] != '\n')
        line--;
    id = strstr(line, "\"id\":");
    snprintf(answer, sizeof answer,
             "{\"jsonrpc\":\"2.0\",%.*s,\"result\":{\"action\":\"accept\",\"content\":{"
             "\"word\":\"yes\"}}}",
             (int)strcspn(id, ",}"), id);
    TRY(peer_tell(peer, answer));
    return peer_expect(peer, "the word is yes");
}

static int run_cancel(struct peer *peer, const struct scenario *scenario)
{
    char text[MESSAGE];

    (void)scenario;
    request(peer, text, 1, "tools/call", "\"name\":\"wait_long\",\"arguments\":{}");
    if (peer->http) {
        TRY(peer_stream(peer, "POST", "", text));
        if (peer->era == LEGACY)
            TRY(peer_expect(peer, "\r\n\r\n"));
    } else {
        TRY(peer_tell(peer, text));
    }
    if (peer->http && peer->era == MODERN) {
        peer_hang_up(peer);
        return RIGHT;
    }
    return peer_tell(peer,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                     "\"requestId\":1}}");
}

/* ---- announcements ---- */

static int run_announcements(struct peer *peer, const struct scenario *scenario)
{
    static const char changed[] = "notifications/tools/list_changed";
    char text[MESSAGE];

    (void)scenario;
    request(peer, text, 1, "subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}");
    if (peer->http && peer->era == MODERN)
        TRY(peer_stream(peer, "POST", "", text));
    else if (peer->http)
        TRY(peer_stream(peer, "GET", "", ""));
    else if (peer->era == MODERN)
        TRY(peer_tell(peer, text));
    if (peer->era == MODERN)
        TRY(peer_expect(peer, "notifications/subscriptions/acknowledged"));
    else if (peer->http)
        TRY(peer_expect(peer, "text/event-stream"));
    TRY(scenario_ask(peer, 2, "tools/call", "\"name\":\"change\",\"arguments\":{}",
                     "\"text\":\"changed\""));
    return peer_expect(peer, changed);
}

/* On stdio, what cannot be put into one array may come one by one. */
static int run_batch(struct peer *peer, const struct scenario *scenario)
{
    static const char batch[] =
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"},"
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"steps\",\"arguments\":{}}}]";

    (void)scenario;
    if (peer->http)
        return peer_ask(peer, batch, "3 steps");
    peer->heard_size = 0;
    TRY(peer_tell(peer, batch));
    TRY(peer_expect(peer, "\"id\":1,"));
    TRY(peer_expect(peer, "\"id\":2,"));
    return peer_expect(peer, "3 steps");
}

/* ---- processes, routes, settings ---- */

static int run_apart(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    return scenario_ask(peer, 1, "tools/call",
                        "\"name\":\"apart\",\"arguments\":{\"text\":\"hello\"}", "hello from afar");
}

static int run_crash(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    return scenario_ask(peer, 1, "tools/call", "\"name\":\"crash\",\"arguments\":{}",
                        "\"isError\":true");
}

static int run_route(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    peer_hang_up(peer);
    return peer_get(peer, "/items/7", "{\"id\":\"7\"}");
}

/* Derived each time, on a thread that the first one starts. */
static int run_password(struct peer *peer, const struct scenario *scenario)
{
    static const char ask[] = "GET /locked HTTP/1.1\r\nHost: localhost\r\n"
                              "Authorization: Basic YW5uOnBhc3N3ZA==\r\n\r\n";

    (void)scenario;
    peer_hang_up(peer);
    TRY(peer_raw(peer, ask, "for ann"));
    return peer_raw(peer, ask, "for ann");
}

static int run_invoke(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    return scenario_ask(peer, 1, "tools/call", "\"name\":\"invoke\",\"arguments\":{\"text\":\"7\"}",
                        "invoked 7");
}

static int run_route_tool(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    return scenario_ask(peer, 1, "tools/call", "\"name\":\"get_item\",\"arguments\":{\"id\":\"7\"}",
                        "{\"id\":\"7\"}");
}

/* Until the answer shows that the signal has been dealt with: whether the settings were taken, or
 * the old ones stay, the server goes on. */
static int run_reload(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    kill(peer->pid, SIGHUP);
    for (int i = 0; i < 5; i++)
        TRY(scenario_ask(peer, 1 + i, "tools/call",
                         "\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"}",
                         "\"text\":\"hello\""));
    return RIGHT;
}

/* ---- the table ---- */

static const char *const audit[] = {"--audit", AUDIT_FILE, NULL};
static const char *const lanes[] = {"--threads", "2", NULL};
static const char *const counted[] = {"--rate", "1000/60s", NULL};
static const char *const settings[] = {"--config", "tests/fault/settings.json", NULL};
static const char *const keys[] = {"--keys", "tests/fault/keys", NULL};
#define WITH_KEY "Authorization: Bearer secret\r\n"
static const char *const loud[] = {"--log-level", "debug", NULL};
static const char *const sse[] = {"--legacy-sse", NULL};
static const char *const in_place[] = {"--config", PLACE_SETTINGS, NULL};
static const char *const log_file[] = {"--log-file", PLACE_LOG, "--log-level", "debug", NULL};
static const char *const sandbox[] = {"--sandbox", NULL};

static const struct scenario written[] = {
    {.name = "stdio start", .era = LEGACY, .run = run_start, .arguments = audit, .at_start = true},
    {.name = "http start",
     .http = true,
     .era = LEGACY,
     .run = run_start,
     .arguments = audit,
     .at_start = true},
    {.name = "http start, two loops",
     .http = true,
     .era = MODERN,
     .run = run_start,
     .arguments = lanes,
     .at_start = true},
    {.name = "stdio greeting", .era = LEGACY, .run = run_greeting},
    {.name = "http greeting", .http = true, .era = LEGACY, .run = run_greeting},
    {.name = "http greeting, two loops",
     .http = true,
     .era = LEGACY,
     .run = run_greeting,
     .arguments = lanes},
    {.name = "http greeting, audit and log",
     .http = true,
     .era = LEGACY,
     .run = run_greeting,
     .arguments = audit},
    {.name = "http modern greeting",
     .http = true,
     .era = MODERN,
     .run = run_greeting,
     .arguments = loud},
    {.name = "http pipelined", .http = true, .era = NO_ERA, .run = run_pipelined},
    {.name = "http refused", .http = true, .era = NO_ERA, .run = run_bad_http},
    {.name = "http chunked", .http = true, .era = NO_ERA, .run = run_chunked},
    {.name = "http resume", .http = true, .era = LEGACY, .run = run_resume},
    {.name = "http session ends", .http = true, .era = LEGACY, .run = run_session_end},
    {.name = "http store session",
     .http = true,
     .era = LEGACY,
     .run = run_session_end,
     .site = "store",
     .arguments = counted},
    {.name = "http store resume",
     .http = true,
     .era = LEGACY,
     .run = run_resume,
     .site = "store",
     .arguments = counted},
    {.name = "http store call",
     .http = true,
     .era = MODERN,
     .run = run_request,
     .site = "store",
     .arguments = counted,
     .method = "tools/call",
     .params = "\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"}",
     .expected = "\"text\":\"hello\""},
    {.name = "stdio modern question", .era = MODERN, .run = run_modern_question},
    {.name = "http modern question", .http = true, .era = MODERN, .run = run_modern_question},
    {.name = "stdio legacy question", .era = LEGACY, .run = run_legacy_question},
    {.name = "http legacy question", .http = true, .era = LEGACY, .run = run_legacy_question},
    {.name = "stdio cancel", .era = LEGACY, .run = run_cancel},
    {.name = "http legacy cancel", .http = true, .era = LEGACY, .run = run_cancel},
    {.name = "http modern cancel", .http = true, .era = MODERN, .run = run_cancel},
    {.name = "stdio legacy announcements", .era = LEGACY, .run = run_announcements},
    {.name = "stdio modern announcements", .era = MODERN, .run = run_announcements},
    {.name = "http legacy announcements", .http = true, .era = LEGACY, .run = run_announcements},
    {.name = "http modern announcements", .http = true, .era = MODERN, .run = run_announcements},
    {.name = "stdio batch", .era = BATCHES, .run = run_batch},
    {.name = "http batch", .http = true, .era = BATCHES, .run = run_batch},
    {.name = "stdio start, isolated",
     .era = LEGACY,
     .run = run_start,
     .site = "isolated",
     .at_start = true},
    {.name = "http start, isolated",
     .http = true,
     .era = LEGACY,
     .run = run_start,
     .site = "isolated",
     .at_start = true},
    {.name = "stdio isolated", .era = LEGACY, .run = run_apart, .site = "isolated"},
    {.name = "http isolated", .http = true, .era = MODERN, .run = run_apart, .site = "isolated"},
    {.name = "stdio isolated crash", .era = LEGACY, .run = run_crash, .site = "isolated"},
    {.name = "http isolated crash",
     .http = true,
     .era = LEGACY,
     .run = run_crash,
     .site = "isolated"},
    {.name = "gateway start",
     .http = true,
     .era = LEGACY,
     .run = run_start,
     .site = "gateway",
     .at_start = true},
    {.name = "gateway route", .http = true, .era = LEGACY, .run = run_route, .site = "gateway"},
    {.name = "gateway password",
     .http = true,
     .era = LEGACY,
     .run = run_password,
     .site = "gateway"},
    {.name = "gateway invoke", .http = true, .era = LEGACY, .run = run_invoke, .site = "gateway"},
    {.name = "gateway modern invoke",
     .http = true,
     .era = MODERN,
     .run = run_invoke,
     .site = "gateway"},
    {.name = "gateway route as a tool",
     .http = true,
     .era = LEGACY,
     .run = run_route_tool,
     .site = "gateway"},
    {.name = "gateway end",
     .http = true,
     .era = LEGACY,
     .run = run_end,
     .site = "gateway",
     .ends = true},
    {.name = "stdio start, settings",
     .era = LEGACY,
     .run = run_start,
     .arguments = settings,
     .at_start = true},
    {.name = "stdio reload", .era = LEGACY, .run = run_reload, .arguments = settings},
    {.name = "http reload", .http = true, .era = LEGACY, .run = run_reload, .arguments = settings},
    {.name = "http start, audit unread",
     .http = true,
     .era = LEGACY,
     .run = run_start,
     .arguments = in_place,
     .prepare = props_unread_audit,
     .at_start = true},
    {.name = "http reload, audit unread",
     .http = true,
     .era = LEGACY,
     .run = run_reload,
     .arguments = in_place,
     .prepare = props_unread_audit},
    {.name = "stdio reload, audit unread",
     .era = LEGACY,
     .run = run_reload,
     .arguments = in_place,
     .prepare = props_unread_audit},
    {.name = "http start, isolated and audit unread",
     .http = true,
     .era = LEGACY,
     .run = run_apart,
     .site = "isolated",
     .arguments = in_place,
     .prepare = props_unread_audit,
     .at_start = true},
    {.name = "http end, audit unread",
     .http = true,
     .era = LEGACY,
     .run = run_end,
     .arguments = in_place,
     .prepare = props_unread_audit,
     .ends = true},
    {.name = "stdio start, log file",
     .era = LEGACY,
     .run = run_start,
     .arguments = log_file,
     .prepare = props_clean,
     .at_start = true},
    {.name = "http greeting, log file",
     .http = true,
     .era = LEGACY,
     .run = run_greeting,
     .arguments = log_file,
     .prepare = props_clean},
    {.name = "http start, keys",
     .http = true,
     .era = LEGACY,
     .run = run_start,
     .arguments = keys,
     .credentials = WITH_KEY,
     .at_start = true},
    {.name = "http greeting, keys",
     .http = true,
     .era = LEGACY,
     .run = run_greeting,
     .arguments = keys,
     .credentials = WITH_KEY},
    {.name = "http end, keys",
     .http = true,
     .era = MODERN,
     .run = run_end,
     .arguments = keys,
     .credentials = WITH_KEY,
     .ends = true},
    {.name = "http of 2024-11-05",
     .http = true,
     .era = NO_ERA,
     .run = scenario_sse,
     .arguments = sse},
    {.name = "unix start",
     .http = true,
     .era = LEGACY,
     .run = run_start,
     .address = "unix:" PLACE_SOCKET,
     .prepare = props_clean,
     .at_start = true},
    {.name = "unix greeting",
     .http = true,
     .era = LEGACY,
     .run = run_greeting,
     .address = "unix:" PLACE_SOCKET,
     .prepare = props_clean},
    {.name = "unix end",
     .http = true,
     .era = LEGACY,
     .run = run_end,
     .address = "unix:" PLACE_SOCKET,
     .prepare = props_clean,
     .ends = true},
    {.name = "stdio start, plugin",
     .era = LEGACY,
     .run = run_start,
     .site = "plugins",
     .arguments = in_place,
     .prepare = props_plugin,
     .at_start = true},
    {.name = "stdio plugin exchanged by a call",
     .era = LEGACY,
     .run = scenario_exchange,
     .site = "plugins",
     .arguments = in_place,
     .prepare = props_plugin},
    {.name = "http plugin exchanged by a call",
     .http = true,
     .era = MODERN,
     .run = scenario_exchange,
     .site = "plugins",
     .arguments = in_place,
     .prepare = props_plugin},
    {.name = "stdio plugin exchanged by SIGHUP",
     .era = LEGACY,
     .run = scenario_plugin_reload,
     .site = "plugins",
     .arguments = in_place,
     .prepare = props_plugin},
    {.name = "http plugin exchanged by SIGHUP",
     .http = true,
     .era = LEGACY,
     .run = scenario_plugin_reload,
     .site = "plugins",
     .arguments = in_place,
     .prepare = props_plugin},
    {.name = "configured gateway start, plugin",
     .http = true,
     .era = LEGACY,
     .run = run_start,
     .site = "configured",
     .arguments = in_place,
     .prepare = props_plugin,
     .at_start = true},
    {.name = "configured gateway plugin exchanged by SIGHUP",
     .http = true,
     .era = LEGACY,
     .run = scenario_plugin_reload,
     .site = "configured",
     .arguments = in_place,
     .prepare = props_plugin},
    {.name = "configured gateway endpoints exchanged by SIGHUP",
     .http = true,
     .era = LEGACY,
     .run = scenario_endpoint_reload,
     .site = "configured",
     .arguments = in_place,
     .prepare = props_plugin},
    {.name = "stdio start, spans",
     .era = LEGACY,
     .run = run_start,
     .arguments = in_place,
     .prepare = props_collector,
     .at_start = true},
    {.name = "stdio spans",
     .era = LEGACY,
     .run = scenario_spans,
     .arguments = in_place,
     .prepare = props_collector,
     .ends = true},
    {.name = "http spans",
     .http = true,
     .era = LEGACY,
     .run = scenario_spans,
     .arguments = in_place,
     .prepare = props_collector,
     .ends = true},
    {.name = "stdio start, sandbox",
     .era = LEGACY,
     .run = scenario_sandboxed,
     .arguments = sandbox,
     .at_start = true},
    {.name = "http start, sandbox",
     .http = true,
     .era = LEGACY,
     .run = scenario_sandboxed,
     .arguments = sandbox,
     .at_start = true},
    {.name = "stdio end", .era = LEGACY, .run = run_end, .ends = true},
    {.name = "http end", .http = true, .era = LEGACY, .run = run_end, .ends = true},
    {.name = "http end, two loops",
     .http = true,
     .era = LEGACY,
     .run = run_end,
     .arguments = lanes,
     .ends = true},
    {.name = "stdio end with a call", .era = LEGACY, .run = run_busy_end, .ends = true},
    {.name = "http end with a call",
     .http = true,
     .era = LEGACY,
     .run = run_busy_end,
     .ends = true},
};

/* After those that are written out come the requests, over both carriers in both eras. */
const struct scenario *scenario_at(size_t i, struct scenario *room)
{
    static char names[4 * COUNT_OF(requests)][64];
    size_t k;

    if (i < COUNT_OF(written))
        return &written[i];
    i -= COUNT_OF(written);
    k = i / 4;
    if (k >= COUNT_OF(requests))
        return NULL;
    *room = (struct scenario){.http = i & 1,
                              .era = i & 2 ? MODERN : LEGACY,
                              .run = run_request,
                              .method = requests[k].method,
                              .params = requests[k].params,
                              .expected = requests[k].expected};
    if (room->era == MODERN ? requests[k].legacy_only : requests[k].modern_only)
        room->run = NULL;
    snprintf(names[i], sizeof names[i], "%s %s %s%s%.20s", room->http ? "http" : "stdio",
             room->era == MODERN ? "modern" : "legacy", room->method,
             strncmp(room->params, "\"name\":", 7) ? "" : " ",
             strncmp(room->params, "\"name\":", 7) ? "" : room->params + 7);
    names[i][strcspn(names[i], ",")] = '\0';
    room->name = names[i];
    return room;
}
