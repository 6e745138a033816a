/* simulate.c - many replicas and many more clients, in virtual time.
 *
 * Each replica is a haft_server with a session for modern requests; all of them share the model of Redis (model.h).
 * Clients call at random times at random replicas, as behind a balancer. Redis decides on every call, and the
 * simulation checks each decision on its own: a call is refused if and only if the client's limit has been used up in
 * the window before it. It prints one line of JSON with what it counted, and fails if anything is not exact. */
#define _GNU_SOURCE /* memmem */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scale/model.h"

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

/* ---- what is simulated ---- */

struct options {
    uint64_t replicas, clients, seconds;
    uint64_t rate;      /* calls per second, of all clients */
    uint64_t limit;     /* calls of a client in a window of */
    uint64_t window_ms; /* so many milliseconds */
    uint64_t busy;    /* percent of the calls that come from the busiest hundredth of the clients */
    uint64_t kill_ms; /* a replica ends and starts again every so many milliseconds; 0: none does */
    uint64_t seed;
};

/* A call that a client waits for. */
struct open_call {
    struct open_call *next, *previous;
    struct replica *replica;
    int64_t started;
};

struct replica {
    struct simulation *simulation;
    haft_allocator allocator;
    size_t bytes, most_bytes;
    haft_store *store;
    haft_server *server;
    haft_session *session;
    struct open_call *calls;
};

struct counts {
    uint64_t calls, passed, refused, failed,
        lost;                 /* by what the client got; `lost`: nothing, its replica ended */
    uint64_t granted, denied; /* by Redis */
    uint64_t wrong;           /* decisions of Redis that are not exact */
};

enum { LATENCY_STEP_US = 10, LATENCIES = 20000 };

struct simulation {
    struct options options;
    struct timeline timeline;
    struct model *model;
    struct replica *replicas;
    int64_t
        *grants; /* of each client: times in milliseconds of the latest `limit` calls, as a ring, */
    uint32_t *n_grants; /* and how many there were */
    struct counts counts;
    uint64_t latencies[LATENCIES];
};

/* ---- decisions ---- */

/* The number of the client in the name of its group, such as "pc123". */
static uint64_t client_of(haft_slice group)
{
    uint64_t client = 0;

    for (size_t i = 2; i < group.size; i++)
        client = client * 10 + (uint64_t)(group.data[i] - '0');
    return client;
}

/* Checks a decision of Redis with the times of the calls that it has allowed. */
static void on_take(void *context, haft_slice group, const haft_store_op *op, int64_t now_us)
{
    struct simulation *sim = context;
    uint64_t client = client_of(group), limit = sim->options.limit;
    int64_t *ring = &sim->grants[client * limit], now = now_us / 1000, oldest;
    uint32_t *n = &sim->n_grants[client];
    bool free_place;

    oldest = *n < limit ? INT64_MIN / 2 : ring[*n % limit];
    free_place = oldest + (int64_t)sim->options.window_ms <= now;
    if (op->status == 1) {
        sim->counts.granted++;
        ring[(*n)++ % limit] = now;
    } else {
        sim->counts.denied++;
    }
    if ((op->status == 1) != free_place)
        sim->counts.wrong++;
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

/* The replica answers a client. */
static void on_send(void *context, const haft_outgoing *message)
{
    struct replica *replica = context;
    struct simulation *sim = replica->simulation;
    struct open_call *call = message->tag;
    int64_t slot;

    if (message->kind != HAFT_OUT_RESPONSE || !call)
        return;
    if (memmem(message->text, message->size, "\"sum\":42", 8))
        sim->counts.passed++;
    else if (memmem(message->text, message->size, "haft/retryAfterMs", 17))
        sim->counts.refused++;
    else
        sim->counts.failed++;
    slot = (sim->timeline.now - call->started) / LATENCY_STEP_US;
    sim->latencies[slot < LATENCIES ? slot : LATENCIES - 1]++;
    call_end(call);
}

static uint64_t client_choose(struct simulation *sim)
{
    uint64_t clients = sim->options.clients, few = clients / 100 ? clients / 100 : 1;
    bool busy = timeline_random(&sim->timeline, 100) < sim->options.busy;

    return timeline_random(&sim->timeline, busy ? few : clients);
}

/* A client calls, and the next one does so a little later. */
static void on_call(void *context, uint64_t until)
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
    *call = (struct open_call){replica->calls, NULL, replica, sim->timeline.now};
    if (call->next)
        call->next->previous = call;
    replica->calls = call;
    sim->counts.calls++;
    snprintf(principal, sizeof principal, "c%llu", (unsigned long long)client_choose(sim));
    haft_session_receive_http(replica->session, CALL, sizeof CALL - 1,
                              &(haft_headers){.list = headers, .n = 3, .principal = principal},
                              call, timeline_ms(&sim->timeline));
    if (next < (int64_t)until)
        timeline_add(&sim->timeline, next, on_call, sim, until);
}

/* ---- replicas ---- */

static void replica_start(struct replica *replica)
{
    const struct options *options = &replica->simulation->options;
    haft_transport transport = HAFT_INIT(haft_transport, .send = on_send, .context = replica);

    replica->allocator = (haft_allocator){replica_alloc, replica_resize, replica_release, replica};
    replica->store = model_connect(replica->simulation->model);
    replica->server = haft_server_new_with(
        "simulated", "1",
        HAFT_WITH(haft_server_options, .allocator = &replica->allocator, .store = replica->store,
                  .client_rate = {(unsigned)options->limit, (unsigned)options->window_ms}));
    if (!replica->server || haft_add(replica->server, &add_tool))
        abort();
    replica->session =
        haft_session_new(replica->server, HAFT_WITH(haft_session_options, .transport = &transport,
                                                    .modern = true, .shared = true));
    if (!replica->session)
        abort();
}

/* The end of a replica: its clients get no answer, and Redis' answers reach nobody. */
static void replica_end(struct replica *replica)
{
    struct simulation *sim = replica->simulation;

    while (replica->calls) {
        sim->counts.lost++;
        call_end(replica->calls);
    }
    haft_session_free(replica->session);
    haft_server_free(replica->server);
    haft_store_free(replica->store);
}

static void on_kill(void *context, uint64_t until)
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

/* ---- the whole ---- */

static uint64_t latency_at(const struct simulation *sim, double part)
{
    uint64_t all = 0, seen = 0;
    size_t i;

    for (i = 0; i < LATENCIES; i++)
        all += sim->latencies[i];
    for (i = 0; i < LATENCIES && (double)(seen + sim->latencies[i]) < part * (double)all; i++)
        seen += sim->latencies[i];
    return i * LATENCY_STEP_US;
}

static void simulation_print(const struct simulation *sim)
{
    const struct model_counts *redis = model_counts(sim->model);
    const struct counts *n = &sim->counts;
    double seconds = (double)sim->options.seconds;
    size_t bytes = 0, most = 0;

    for (size_t i = 0; i < sim->options.replicas; i++) {
        bytes += sim->replicas[i].bytes;
        most = sim->replicas[i].most_bytes > most ? sim->replicas[i].most_bytes : most;
    }
    printf(
        "{\"replicas\":%llu,\"clients\":%llu,\"seconds\":%llu,\"calls\":%llu,\"passed\":%llu,\"refused\":%llu,"
        "\"failed\":%llu,\"lost\":%llu,\"granted\":%llu,\"denied\":%llu,\"wrong\":%llu,",
        (unsigned long long)sim->options.replicas, (unsigned long long)sim->options.clients,
        (unsigned long long)sim->options.seconds, (unsigned long long)n->calls,
        (unsigned long long)n->passed, (unsigned long long)n->refused,
        (unsigned long long)n->failed, (unsigned long long)n->lost, (unsigned long long)n->granted,
        (unsigned long long)n->denied, (unsigned long long)n->wrong);
    printf(
        "\"commands\":%llu,\"commands_per_second\":%.0f,\"redis_busy\":%.3f,\"messages\":%llu,"
        "\"bytes_of_a_replica\":%zu,\"most_bytes_of_a_replica\":%zu,\"p50_us\":%llu,\"p99_us\":%llu}\n",
        (unsigned long long)redis->commands, (double)redis->commands / seconds,
        (double)redis->busy_us / seconds / 1e6, (unsigned long long)redis->delivered,
        bytes / sim->options.replicas, most, (unsigned long long)latency_at(sim, 0.5),
        (unsigned long long)latency_at(sim, 0.99));
}

/* Whether everything adds up. */
static bool simulation_is_exact(const struct simulation *sim)
{
    const struct counts *n = &sim->counts;

    return !n->wrong && !n->failed && n->calls == n->passed + n->refused + n->lost &&
           n->granted >= n->passed && n->granted <= n->passed + n->lost && n->denied >= n->refused;
}

static int simulate(const struct options *options)
{
    static const struct model_costs costs = {.delay_us = 100,
                                             .jitter_us = 100,
                                             .command_us = 20,
                                             .receiver_us = 2,
                                             .timeout_us = 100000};
    struct simulation *sim = calloc(1, sizeof *sim);
    int64_t end = (int64_t)options->seconds * 1000000;
    bool exact;

    if (!sim)
        return 1;
    sim->options = *options;
    timeline_init(&sim->timeline, options->seed);
    sim->model = model_new(&sim->timeline, &costs, on_take, sim);
    sim->replicas = calloc(options->replicas, sizeof *sim->replicas);
    sim->grants = calloc(options->clients * options->limit, sizeof *sim->grants);
    sim->n_grants = calloc(options->clients, sizeof *sim->n_grants);
    if (!sim->model || !sim->replicas || !sim->grants || !sim->n_grants)
        abort();
    for (size_t i = 0; i < options->replicas; i++) {
        sim->replicas[i].simulation = sim;
        replica_start(&sim->replicas[i]);
    }
    timeline_add(&sim->timeline, 1, on_call, sim, (uint64_t)end);
    if (options->kill_ms)
        timeline_add(&sim->timeline, (int64_t)options->kill_ms * 1000, on_kill, sim, (uint64_t)end);
    timeline_run(&sim->timeline, end + 60 * 1000000); /* with time for the last answers */
    simulation_print(sim);
    exact = simulation_is_exact(sim);
    for (size_t i = 0; i < options->replicas; i++)
        replica_end(&sim->replicas[i]);
    timeline_run(&sim->timeline, INT64_MAX);
    model_free(sim->model);
    timeline_finish(&sim->timeline);
    free(sim->n_grants);
    free(sim->grants);
    free(sim->replicas);
    free(sim);
    return exact ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options options = {.replicas = 3,
                              .clients = 1000,
                              .seconds = 20,
                              .rate = 2000,
                              .limit = 10,
                              .window_ms = 10000,
                              .busy = 50,
                              .seed = 1};
    struct {
        const char *name;
        uint64_t *value;
    } table[] = {{"--replicas", &options.replicas}, {"--clients", &options.clients},
                 {"--seconds", &options.seconds},   {"--rate", &options.rate},
                 {"--limit", &options.limit},       {"--window", &options.window_ms},
                 {"--busy", &options.busy},         {"--kill", &options.kill_ms},
                 {"--seed", &options.seed}};

    for (int i = 1; i + 1 < argc; i += 2)
        for (size_t j = 0; j < sizeof table / sizeof *table; j++)
            if (!strcmp(argv[i], table[j].name))
                *table[j].value = strtoull(argv[i + 1], NULL, 10);
    if (!options.replicas || !options.clients || !options.seconds || !options.rate ||
        !options.limit) {
        fputs("simulate: --replicas, --clients, --seconds, --rate and --limit must be positive\n",
              stderr);
        return 2;
    }
    return simulate(&options);
}
