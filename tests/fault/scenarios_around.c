/* scenarios_around.c - ways through the runtime with more around the server than its client: a
 * stream and a place to post to, plugins that are exchanged, a collector, a sandbox. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "fault/props.h"
#include "fault/scenario.h"

/* ---- the transport of 2024-11-05 ---- */

/* Where messages go, as the first event says. */
static bool find_endpoint(const struct peer *peer, char *ret_path, size_t room)
{
    static const char event[] = "event: endpoint\ndata: ";
    const char *at = strstr(peer->streamed, event);

    at = at ? at + sizeof event - 1 : "";
    snprintf(ret_path, room, "%.*s", (int)strcspn(at, "\r\n"), at);
    return *ret_path == '/';
}

int scenario_sse(struct peer *peer, const struct scenario *scenario)
{
    static char messages[128];

    (void)scenario;
    peer->path = "/sse";
    TRY(peer_stream(peer, "GET", "", ""));
    TRY(peer_expect(peer, "\n\n"));
    if (!find_endpoint(peer, messages, sizeof messages)) {
        peer_say_why(peer, "no endpoint: %.150s", peer->streamed);
        return WRONG;
    }
    peer->path = messages;
    TRY(peer_tell(peer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
                        "\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{"
                        "\"name\":\"c\",\"version\":\"1\"}}}"));
    TRY(peer_expect(peer, "\"serverInfo\""));
    TRY(peer_tell(peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"));
    TRY(peer_tell(peer, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
                        "\"name\":\"steps\",\"arguments\":{}," TOKEN "}}"));
    return peer_expect(peer, "\"text\":\"3 steps\"");
}

/* ---- plugins ---- */

static int ask_word(struct peer *peer, const char *expected)
{
    return scenario_ask(peer, 3, "tools/call", "\"name\":\"word\",\"arguments\":{}", expected);
}

/* Where the exchange is refused the old one stays, unless only the answer got lost. */
int scenario_exchange(struct peer *peer, const struct scenario *scenario)
{
    int status;

    (void)scenario;
    if (!props_exchange(peer))
        return WRONG;
    status = scenario_ask(peer, 2, "tools/call", "\"name\":\"exchange\",\"arguments\":{}",
                          "\"text\":\"exchanged\"");
    if (status == WRONG)
        return WRONG;
    TRY(ask_word(peer, status == RIGHT ? "\"text\":\"word 2\"" : "\"text\":\"word "));
    return status;
}

/* The signal is dealt with sometime.  When something has failed, the old one may stay. */
int scenario_plugin_reload(struct peer *peer, const struct scenario *scenario)
{
    int64_t end = peer_now() + peer->patience_ms;

    (void)scenario;
    TRY(ask_word(peer, "\"text\":\"word 1\""));
    /* One that has begun to end takes no signals any more. */
    if (!peer->http && atomic_load(&peer->order->fired))
        return REFUSED;
    if (!props_exchange(peer))
        return WRONG;
    kill(peer->pid, SIGHUP);
    for (int tries = 0; peer_now() < end; tries++) {
        TRY(ask_word(peer, "\"text\":\"word "));
        if (strstr(peer->heard, "\"text\":\"word 2\""))
            return RIGHT;
        if (tries >= 40 && atomic_load(&peer->order->fired))
            return REFUSED;
        peer_pause(5);
    }
    peer_say_why(peer, "the plugin is not exchanged");
    return WRONG;
}

/* The endpoint that is there after the reload alone. */
static int ask_more(struct peer *peer)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"p\",\"version\":\"1\"}}}";
    char request[1024];

    snprintf(request, sizeof request,
             "POST /more HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\n\r\n%s",
             sizeof body - 1, body);
    return peer_raw(peer, request, "\"serverInfo\"");
}

/* The endpoint has a tool less, and there is another endpoint: both, or, when something has failed, perhaps
 * neither. */
int scenario_endpoint_reload(struct peer *peer, const struct scenario *scenario)
{
    int64_t end = peer_now() + peer->patience_ms;

    (void)scenario;
    TRY(ask_word(peer, "\"text\":\"word 1\""));
    if (!props_endpoints(peer))
        return WRONG;
    kill(peer->pid, SIGHUP);
    for (int tries = 0; peer_now() < end; tries++) {
        TRY(scenario_ask(peer, 4, "tools/list", "", "\"word\""));
        if (!strstr(peer->heard, "\"get_item\""))
            return ask_more(peer);
        /* One that is there without the other is there for good, or the reload came just now. */
        if (tries >= 40 && atomic_load(&peer->order->fired) && ask_more(peer) != RIGHT)
            return REFUSED;
        peer_pause(5);
    }
    peer_say_why(peer, "the endpoints are not exchanged");
    return WRONG;
}

/* ---- spans, the sandbox ---- */

/* When the server has ended, a call's span is with the collector, or the log says it is lost. */
int scenario_spans(struct peer *peer, const struct scenario *scenario)
{
    size_t before = props_spans();
    bool failed;
    int status;

    (void)scenario;
    TRY(scenario_ask(peer, 1, "tools/call", "\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"}",
                     "\"text\":\"hello\""));
    status = peer_stop(peer);
    failed = atomic_load(&peer->order->fired);
    if (status == WRONG || props_spans() > before)
        return status;
    if (failed && (peer->order->call == CALL_WRITE || strstr(peer->said, "lost")))
        return REFUSED;
    peer_say_why(peer, "the span is lost, and nothing says so: %.100s", peer->said);
    return WRONG;
}

/* Whatever failed on the way into it: a server that serves is inside. */
int scenario_sandboxed(struct peer *peer, const struct scenario *scenario)
{
    (void)scenario;
    TRY(peer_greet(peer));
    return scenario_ask(peer, 1, "tools/call", "\"name\":\"peek\",\"arguments\":{}",
                        "\"text\":\"may not");
}
