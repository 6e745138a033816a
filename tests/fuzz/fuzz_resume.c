/* fuzz_resume.c - sessions over an endpoint without sockets: calls, streams that break off, clients
 * that come back with any Last-Event-ID, sessions that end, in any order.
 *
 * Every exchange begins once and ends once, what is on a stream is whole events, and the events
 * that a client gets when it comes back are after the one it names: none of them twice, none out of
 * order. */
#include <haft/http.h>
#include <haft/tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/grammar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EXCHANGES = 12, HELD = 4, ID = 64, MOST_SESSIONS = 3 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- what is served ---- */

static haft_call *held[HELD];
static size_t n_held;

/* Without a progress token its answer is all that it says. */
static int hold(haft_call *call)
{
    if (n_held == HELD)
        return HAFT_EBUSY;
    haft_progress(call, 1, 0, "held");
    held[n_held++] = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold, "Answers later", .timeout_ms = 1000000);

static int steps(haft_call *call)
{
    for (int i = 1; i <= 3; i++)
        haft_progress(call, i, 3, NULL);
    return haft_text(call, "3");
}
HAFT_TOOL_BARE(steps, "Reports", .quick = true);

static void no_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    (void)text;
    (void)size;
}

/* ---- exchanges ---- */

struct exchange {
    haft_exchange *handle;
    bool used, begun, ended;
    unsigned long stream, after; /* of the event that it came back with */
    unsigned long last;          /* event of that stream seen here */
    char last_id[ID], session[ID];
};

struct client {
    haft_endpoint *endpoint;
    struct exchange exchanges[EXCHANGES];
    size_t n;
    char session[ID], event[ID]; /* the latest */
};

/* While a request is handled: its exchange, and the client whose session it may open. */
static struct client *the_client;

/* The numbers of events are those of their session: what was seen of another one is forgotten. */
static void find_session(struct exchange *exchange, const haft_response *head)
{
    const char *id = haft_header_find(head->headers, head->n_headers, "mcp-session-id");

    if (!id)
        return;
    snprintf(the_client->session, ID, "%s", id);
    snprintf(exchange->session, ID, "%s", the_client->session);
    the_client->event[0] = '\0';
}

static void on_respond(void *context, const haft_response *response)
{
    struct exchange *exchange = context;

    require(!exchange->begun && !exchange->ended && response->status >= 200);
    require(response->body || !response->size);
    exchange->begun = exchange->ended = true;
    find_session(exchange, response);
}

static void on_stream(void *context, const haft_response *head)
{
    struct exchange *exchange = context;

    require(!exchange->begun && head->status == 200);
    exchange->begun = true;
    find_session(exchange, head);
}

static void on_write(void *context, const char *bytes, size_t size)
{
    struct exchange *exchange = context;
    char text[256];
    unsigned long stream, number;
    const char *id;

    require(exchange->begun && !exchange->ended && size > 1 &&
            !memcmp(bytes + size - 2, "\n\n", 2));
    snprintf(text, sizeof text, "\n%.*s", (int)(size < 200 ? size : 200), bytes);
    id = strstr(text, "\nid: ");
    if (!id || sscanf(id + 5, "%lu-%lu", &stream, &number) != 2)
        return;
    if (exchange->last_id[0] && stream == exchange->stream)
        require(number > exchange->last);
    if (!exchange->last_id[0] && exchange->stream && stream == exchange->stream)
        require(number > exchange->after);
    exchange->stream = stream;
    exchange->last = number;
    snprintf(exchange->last_id, ID, "%lu-%lu", stream, number);
    if (!strcmp(exchange->session, the_client->session))
        snprintf(the_client->event, ID, "%lu-%lu", stream, number);
}

static void on_end(void *context)
{
    struct exchange *exchange = context;

    require(exchange->begun && !exchange->ended);
    exchange->ended = true;
}

/* ---- requests ---- */

struct headers {
    const char *session, *event, *version;
};

static size_t put_headers(const struct headers *headers, haft_header list[6])
{
    size_t n = 3;

    list[0] = (haft_header){"host", "localhost"};
    list[1] = (haft_header){"content-type", "application/json"};
    list[2] = (haft_header){"accept", "application/json, text/event-stream"};
    if (headers->session)
        list[n++] = (haft_header){"mcp-session-id", headers->session};
    if (headers->event)
        list[n++] = (haft_header){"last-event-id", headers->event};
    if (headers->version)
        list[n++] = (haft_header){"mcp-protocol-version", headers->version};
    return n;
}

static void request(struct client *client, const char *method, const struct headers *headers,
                    const char *body, haft_time now)
{
    static const haft_responder responder = {on_respond, on_stream, on_write, on_end};
    struct exchange *exchange = &client->exchanges[client->n];
    haft_exchange *handle;
    haft_header list[6];

    if (client->n == EXCHANGES)
        return;
    client->n++;
    *exchange = (struct exchange){.used = true};
    snprintf(exchange->session, ID, "%s", headers->session ? headers->session : "");
    /* One that was never sent is nothing to hold the server to. */
    if (headers->event == client->event)
        sscanf(headers->event, "%lu-%lu", &exchange->stream, &exchange->after);
    handle = haft_endpoint_handle(client->endpoint,
                                  &(haft_request){.method = method,
                                                  .path = "/mcp",
                                                  .query = "",
                                                  .headers = list,
                                                  .n_headers = put_headers(headers, list),
                                                  .body = body,
                                                  .body_size = strlen(body)},
                                  &responder, exchange, now);
    require(!handle == exchange->ended);
    exchange->handle = handle;
}

static void post(struct client *client, struct choices *choices, struct headers *headers,
                 haft_time now)
{
    static const char *const bodies[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"hold\","
        "\"arguments\":{},\"_meta\":{\"progressToken\":1}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"steps\","
        "\"arguments\":{},\"_meta\":{\"progressToken\":1}}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"hold\","
        "\"arguments\":{}}}",
        "{"};
    const char *body = CHOOSE(choices, bodies);

    if (body == bodies[0])
        headers->session = NULL;
    request(client, "POST", headers, body, now);
}

/* ---- a history ---- */

static void break_off(struct client *client, unsigned which)
{
    struct exchange *exchange = client->n ? &client->exchanges[which % client->n] : NULL;

    if (!exchange || !exchange->used || exchange->ended)
        return;
    exchange->ended = true;
    haft_exchange_gone(exchange->handle);
}

static void step(struct client *client, haft_server *server, struct choices *choices,
                 haft_time *now)
{
    static const char *const events[] = {
        NULL, "1-0", "1-1", "2-1", "0-0", "9-9", "x", "18446744073709551615-18446744073709551615"};
    struct headers headers = {client->session[0] ? client->session : NULL, NULL, "2025-11-25"};
    unsigned how = choose(choices, 12);

    switch (how) {
    case 0:
    case 1:
    case 2:
    case 3:
        post(client, choices, &headers, *now);
        break;
    case 4:
    case 5:
        headers.event =
            choose(choices, 2) && client->event[0] ? client->event : CHOOSE(choices, events);
        request(client, "GET", &headers, "", *now);
        break;
    case 6:
        break_off(client, choose(choices, EXCHANGES));
        break;
    case 7:
        if (n_held) {
            haft_call *call = held[--n_held];

            haft_text(call, "done");
            haft_finish(call, 0);
        }
        break;
    case 8:
        if (n_held)
            haft_call_close_stream(held[n_held - 1]);
        break;
    case 9:
        haft_endpoint_tick(client->endpoint, *now += choose(choices, 2) ? 50 : 20000);
        break;
    case 10:
        haft_offer_disable(server, HAFT_OFFER_TOOL, "steps");
        haft_offer_enable(server, HAFT_OFFER_TOOL, "steps");
        haft_endpoint_tick(client->endpoint, *now += 10);
        break;
    default:
        request(client, "DELETE", &headers, "", *now);
    }
}

static int some_bytes(void *context, void *bytes, size_t size)
{
    unsigned char *next = context;

    memset(bytes, ++*next, size);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = {data, size, 0};
    struct client client = {.n = 0};
    unsigned char next = 0;
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .log = no_log));
    haft_time now = 1000;

    require(server && !haft_add(server, &hold_tool) && !haft_add(server, &steps_tool));
    n_held = 0;
    the_client = &client;
    client.endpoint = haft_endpoint_new(
        server,
        HAFT_WITH(haft_endpoint_options,
                  .loop = HAFT_WITH(haft_loop, .random = some_bytes, .context = &next),
                  .max_sessions = MOST_SESSIONS, .max_events = 5, .session_idle_ms = 30000));
    require(client.endpoint);
    while (choices.at < choices.size)
        step(&client, server, &choices, &now);
    while (n_held)
        haft_finish(held[--n_held], 0);
    haft_endpoint_shut_down(client.endpoint);
    for (unsigned i = 0; i < EXCHANGES; i++)
        break_off(&client, i);
    haft_endpoint_free(client.endpoint);
    haft_server_free(server);
    return 0;
}
