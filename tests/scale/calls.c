/* calls.c - the replicas of the simulation, and the calls of their clients. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scale/simulation.h"

#define META                                                                                                        \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientInfo\":" \
    "{\"name\":\"simulated\",\"version\":\"1\"},\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define CALL                                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add\",\"arguments\":{\"a\":2," \
    "\"b\":40}," META "}}"

HAFT_STRUCT(add_args, HAFT_NUMBER(a, "First number"), HAFT_NUMBER(b, "Second number"));
HAFT_STRUCT(add_sum, HAFT_NUMBER(sum, "Sum"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds two numbers", .quick = true);

/* ---- decisions ---- */

/* The number of the client in the name of its group, such as "pc123". */
static uint64_t client_of(haft_slice group)
{
    uint64_t client = 0;

    for (size_t i = 2; i < group.size; i++)
        client = client * 10 + (uint64_t)(group.data[i] - '0');
    return client;
}

/* Whether the limit of a client has not been used up. */
static bool client_has_place(const struct simulation *sim, uint64_t client, int64_t now_ms)
{
    uint64_t limit = sim->options.limit;
    uint32_t n = sim->n_grants[client];

    return n < limit ||
           sim->grants[client * limit + n % limit] + (int64_t)sim->options.window_ms <= now_ms;
}

void on_take(void *context, haft_slice group, const haft_store_op *op, int64_t now_us)
{
    struct simulation *sim = context;
    uint64_t client = client_of(group), limit = sim->options.limit;
    int64_t now = now_us / 1000;

    if ((op->status == 1) != client_has_place(sim, client, now))
        sim->counts.wrong++;
    if (op->status == 1) {
        sim->counts.granted++;
        sim->grants[client * limit + sim->n_grants[client]++ % limit] = now;
    } else {
        sim->counts.denied++;
    }
}

/* ---- memory of a replica ---- */

static void *replica_alloc(void *context, size_t size)
{
    struct replica *replica = context;
    void *bytes = malloc(size);

    if (bytes) {
        replica->bytes += size;
        if (replica->bytes > replica->most_bytes)
            replica->most_bytes = replica->bytes;
    }
    return bytes;
}

static void *replica_resize(void *context, void *bytes, size_t old_size, size_t size)
{
    struct replica *replica = context;
    void *moved = realloc(bytes, size);

    if (moved) {
        replica->bytes += size - old_size;
        if (replica->bytes > replica->most_bytes)
            replica->most_bytes = replica->bytes;
    }
    return moved;
}

static void replica_release(void *context, void *bytes, size_t size)
{
    struct replica *replica = context;

    replica->bytes -= size;
    free(bytes);
}

/* ---- calls ---- */

static void call_end(struct open_call *call)
{
    if (call->next)
        call->next->previous = call->previous;
    if (call->previous)
        call->previous->next = call->next;
    else
        call->replica->calls = call->next;
    free(call);
}

/* A refusal without asking Redis is right if Redis would refuse, too. */
static void early_count(struct simulation *sim, const struct open_call *call)
{
    sim->counts.early++;
    if (client_has_place(sim, call->client, timeline_ms(&sim->timeline)))
        sim->counts.wrong++;
}

/* The replica answers a client. */
static void on_send(void *context, const haft_outgoing *message)
{
    struct replica *replica = context;
    struct simulation *sim = replica->simulation;
    struct open_call *call = message->tag;
    int64_t took, slot;
    bool passed, refused;

    if (message->kind != HAFT_OUT_RESPONSE || !call)
        return;
    took = sim->timeline.now - call->started;
    passed = memmem(message->text, message->size, "\"sum\":42", 8);
    refused = memmem(message->text, message->size, "haft/retryAfterMs", 17);
    sim->counts.passed += passed;
    sim->counts.refused += refused;
    sim->counts.failed += !passed && !refused;
    if (took >= TIMEOUT_US)
        alone_count(sim, call, passed);
    else if (refused && !took)
        early_count(sim, call);
    slot = took / LATENCY_STEP_US;
    sim->latencies[slot < LATENCIES ? slot : LATENCIES - 1]++;
    call_end(call);
}

static uint64_t client_choose(struct simulation *sim)
{
    uint64_t clients = sim->options.clients, few = clients / 100 ? clients / 100 : 1;
    bool busy = timeline_random(&sim->timeline, 100) < sim->options.busy;

    return timeline_random(&sim->timeline, busy ? few : clients);
}

/* And the next one does so a little later. */
void on_call(void *context, uint64_t until)
{
    static const haft_header headers[] = {
        {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "add"}};
    struct simulation *sim = context;
    struct replica *replica =
        &sim->replicas[timeline_random(&sim->timeline, sim->options.replicas)];
    struct open_call *call = calloc(1, sizeof *call);
    char principal[32];
    int64_t next = sim->timeline.now + 1 +
                   (int64_t)timeline_random(&sim->timeline, 2000000 / sim->options.rate + 1);

    if (!call)
        abort();
    *call =
        (struct open_call){replica->calls, NULL, replica, client_choose(sim), sim->timeline.now};
    if (call->next)
        call->next->previous = call;
    replica->calls = call;
    sim->counts.calls++;
    snprintf(principal, sizeof principal, "c%llu", (unsigned long long)call->client);
    haft_session_receive_http(replica->session, CALL, sizeof CALL - 1,
                              &(haft_headers){.list = headers, .n = 3, .principal = principal},
                              call, timeline_ms(&sim->timeline));
    if (next < (int64_t)until && (!sim->options.calls || sim->counts.calls < sim->options.calls))
        timeline_add(&sim->timeline, next, on_call, sim, until);
}

/* ---- replicas ---- */

void replica_start(struct replica *replica)
{
    const struct options *options = &replica->simulation->options;
    haft_transport transport = HAFT_INIT(haft_transport, .send = on_send, .context = replica);

    replica->allocator = (haft_allocator){replica_alloc, replica_resize, replica_release, replica};
    replica->store = model_connect(replica->simulation->model);
    replica->server = haft_server_new_with(
        "simulated", "1",
        HAFT_WITH(haft_server_options, .allocator = &replica->allocator, .store = replica->store,
                  .client_rate = {(unsigned)options->limit, (unsigned)options->window_ms},
                  .replicas = (unsigned)options->replicas));
    if (!replica->server || haft_add(replica->server, &add_tool))
        abort();
    replica->session =
        haft_session_new(replica->server, HAFT_WITH(haft_session_options, .transport = &transport,
                                                    .modern = true, .shared = true));
    if (!replica->session)
        abort();
    replica->started = replica->simulation->timeline.now;
    replica->changed = false;
    listeners_start(replica);
}

/* Its clients get no answer, and Redis' answers reach nobody. */
void replica_end(struct replica *replica)
{
    struct simulation *sim = replica->simulation;

    while (replica->calls) {
        sim->counts.lost++;
        call_end(replica->calls);
    }
    listeners_end(replica);
    haft_session_free(replica->session);
    model_disconnect(replica->store);
    haft_server_free(replica->server);
    haft_store_free(replica->store);
}

void on_kill(void *context, uint64_t until)
{
    struct simulation *sim = context;
    struct replica *replica =
        &sim->replicas[timeline_random(&sim->timeline, sim->options.replicas)];
    int64_t next = sim->timeline.now + (int64_t)sim->options.kill_ms * 1000;

    replica_end(replica);
    replica_start(replica);
    if (next < (int64_t)until)
        timeline_add(&sim->timeline, next, on_kill, sim, until);
}
