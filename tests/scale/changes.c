/* changes.c - streams that listen for changes, list changes at random replicas, and a Redis that is away for a while.
 *
 * Every stream must be told after each change, at whichever replica it was made; a second later the simulation looks
 * whether it was. A change that is made while Redis is away is looked for after its return. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "scale/simulation.h"

enum {
    TICK_US = 200000, /* between the times at which endpoints check the time */
    /* An endpoint tries the store every second after a failure. Its probes are late by a tick. */
    RETURN_US = 3 * SECOND_US
};

#define LISTEN                                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{" \
    "\"toolsListChanged\":true},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

static int seasonal(haft_call *call)
{
    return haft_text(call, "here");
}
HAFT_TOOL_BARE(seasonal, "Comes and goes", .quick = true);

/* ---- streams ---- */

static void stream_on_respond(void *context, const haft_response *response)
{
    (void)context;
    (void)response;
    abort(); /* it must be a stream */
}

static void stream_on_head(void *context, const haft_response *head)
{
    (void)context;
    if (head->status != 200)
        abort();
}

static void stream_on_write(void *context, const char *bytes, size_t size)
{
    struct stream *stream = context;
    struct simulation *sim = stream->replica->simulation;

    if (!memmem(bytes, size, "tools/list_changed", 18))
        return;
    sim->counts.notified++;
    stream->heard = sim->timeline.now;
}

static void stream_on_end(void *context)
{
    (void)context;
}

static void stream_open(struct stream *stream)
{
    static const haft_header headers[] = {{"Host", "localhost"},
                                          {"Content-Type", "application/json"},
                                          {"Accept", "application/json, text/event-stream"},
                                          {"MCP-Protocol-Version", "2026-07-28"},
                                          {"Mcp-Method", "subscriptions/listen"}};
    static const haft_responder responder = {stream_on_respond, stream_on_head, stream_on_write,
                                             stream_on_end};
    const haft_request request = {.method = "POST",
                                  .path = "/mcp",
                                  .query = "",
                                  .headers = headers,
                                  .n_headers = sizeof headers / sizeof *headers,
                                  .body = LISTEN,
                                  .body_size = sizeof LISTEN - 1};
    struct replica *replica = stream->replica;

    if (!haft_endpoint_handle(replica->endpoint, &request, &responder, stream,
                              timeline_ms(&replica->simulation->timeline)))
        abort();
}

/* ---- endpoints ---- */

static int endpoint_random(void *context, void *bytes, size_t size)
{
    struct replica *replica = context;

    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] =
            (unsigned char)timeline_random(&replica->simulation->timeline, 256);
    return 0;
}

static void on_woken(void *context, uint64_t argument)
{
    struct replica *replica = context;

    (void)argument;
    replica->ticks = false;
    if (replica->endpoint)
        haft_endpoint_tick(replica->endpoint, timeline_ms(&replica->simulation->timeline));
}

/* There is something to announce. */
static void endpoint_wake(void *context)
{
    struct replica *replica = context;
    struct timeline *timeline = &replica->simulation->timeline;

    if (replica->ticks)
        return;
    replica->ticks = true;
    timeline_add(timeline, timeline->now + 1, on_woken, replica, 0);
}

void listeners_start(struct replica *replica)
{
    struct simulation *sim = replica->simulation;
    const haft_loop loop =
        HAFT_INIT(haft_loop, .random = endpoint_random, .wake = endpoint_wake, .context = replica);

    if (!sim->options.listeners)
        return;
    if (haft_add(replica->server, &seasonal_tool))
        abort();
    replica->endpoint =
        haft_endpoint_new(replica->server, HAFT_WITH(haft_endpoint_options, .loop = &loop));
    replica->streams = calloc(sim->options.listeners, sizeof *replica->streams);
    if (!replica->endpoint || !replica->streams)
        abort();
    for (size_t i = 0; i < sim->options.listeners; i++) {
        replica->streams[i].replica = replica;
        stream_open(&replica->streams[i]);
    }
}

void listeners_end(struct replica *replica)
{
    haft_endpoint_free(replica->endpoint);
    free(replica->streams);
    replica->endpoint = NULL;
    replica->streams = NULL;
    if (replica->alone)
        memset(replica->alone, 0, replica->simulation->options.clients);
}

void on_tick(void *context, uint64_t until)
{
    struct simulation *sim = context;
    int64_t next = sim->timeline.now + TICK_US;

    for (size_t i = 0; i < sim->options.replicas; i++)
        haft_endpoint_tick(sim->replicas[i].endpoint, timeline_ms(&sim->timeline));
    if (next < (int64_t)until)
        timeline_add(&sim->timeline, next, on_tick, sim, until);
}

/* ---- changes ---- */

/* Looks whether the streams that were open at the change have been told since. */
static void on_look(void *context, uint64_t changed)
{
    struct simulation *sim = context;

    for (size_t i = 0; i < sim->options.replicas; i++)
        for (size_t k = 0; k < sim->options.listeners; k++)
            if (sim->replicas[i].started < (int64_t)changed &&
                sim->replicas[i].streams[k].heard < (int64_t)changed)
                sim->counts.missed++;
}

/* When Redis, which is away, will have been back for long enough; otherwise a second from now. */
static int64_t look_time(const struct simulation *sim)
{
    int64_t from = (int64_t)sim->options.away_at_ms * 1000,
            to = from + (int64_t)sim->options.away_ms * 1000, now = sim->timeline.now;
    bool is_away = sim->options.away_ms && now + SECOND_US > from && now < to + RETURN_US;

    return is_away ? to + RETURN_US + SECOND_US : now + SECOND_US;
}

void on_change(void *context, uint64_t until)
{
    struct simulation *sim = context;
    struct replica *replica =
        &sim->replicas[timeline_random(&sim->timeline, sim->options.replicas)];
    int64_t now = sim->timeline.now, next = now + (int64_t)sim->options.change_ms * 1000;

    if ((replica->changed ? haft_offer_enable : haft_offer_disable)(replica->server,
                                                                    HAFT_OFFER_TOOL, "seasonal"))
        abort();
    replica->changed = !replica->changed;
    sim->counts.changes++;
    timeline_add(&sim->timeline, look_time(sim), on_look, sim, (uint64_t)now);
    if (next < (int64_t)until)
        timeline_add(&sim->timeline, next, on_change, sim, until);
}

/* ---- a Redis that is away ---- */

void on_away(void *context, uint64_t away)
{
    struct simulation *sim = context;

    model_set_away(sim->model, away);
}

void alone_count(struct simulation *sim, const struct open_call *call, bool passed)
{
    uint64_t part = sim->options.limit / sim->options.replicas;
    int64_t back = (int64_t)(sim->options.away_at_ms + sim->options.away_ms) * 1000;
    uint8_t *count = call->replica->alone ? &call->replica->alone[call->client] : NULL;

    if (!count || call->started > back)
        sim->counts.late_alone++;
    if (!passed || !count)
        return;
    sim->counts.alone++;
    if (++*count > (part ? part : 1))
        sim->counts.too_many++;
}
