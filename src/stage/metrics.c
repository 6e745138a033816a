/* metrics.c - counters and durations of calls, sessions and bytes, in Prometheus' text format, with
 * the names of OpenTelemetry's conventions for MCP where these exist.
 *
 * Counting is a lookup and a few atomic additions. The number of distinct tools is bounded, so that
 * clients cannot flood a monitoring system by calling names that do not exist. */
#include <stdio.h>
#include <string.h>

#include "stage/metrics.h"
#include "stage/store_state.h"
#include "engine/call/call.h"

enum {
    METRICS_SLOTS = 1024,
    MAX_TOOLS = 512,
    METRICS_NAME = 129,
    BUCKETS = 15,
    METRICS_REFUSED = 32
};

/* Upper bounds in nanoseconds, and as text. */
static const struct {
    uint64_t ns;
    const char *text;
} buckets[BUCKETS] = {
    {10000, "0.00001"},  {50000, "0.00005"},    {100000, "0.0001"},      {500000, "0.0005"},
    {1000000, "0.001"},  {5000000, "0.005"},    {10000000, "0.01"},      {50000000, "0.05"},
    {100000000, "0.1"},  {500000000, "0.5"},    {1000000000, "1"},       {10000000000, "10"},
    {60000000000, "60"}, {300000000000, "300"}, {3600000000000, "3600"},
};

struct histogram {
    atomic_ullong within[BUCKETS]; /* per bucket, not cumulative */
    atomic_ullong n, nanoseconds;
};

struct counts {
    atomic_int state; /* 0 free, 1 name being written, 2 in use */
    char name[METRICS_NAME];
    atomic_ullong outcomes[HAFT_OUTCOME_COUNT_];
    struct histogram durations; /* durations of handlers that ran */
    atomic_ullong bytes, repairs;
};

/* Requests whose credentials were refused for a reason. */
struct refused {
    _Atomic(const char *) reason; /* NULL: free */
    atomic_ullong n;
};

struct metrics {
    haft_stage stage;
    atomic_llong in_flight, queued, sessions;
    struct histogram stays; /* durations of ended sessions */
    struct refused refused[METRICS_REFUSED];
    atomic_size_t n_tools;
    struct counts unknown; /* calls of unknown tools, and of tools beyond the limit */
    struct counts slots[METRICS_SLOTS];
};

static struct counts *counts_of(struct metrics *metrics, const char *name, size_t size)
{
    size_t at = hf_hash_bytes(name, size);

    for (size_t tries = 0; tries < METRICS_SLOTS; tries++, at++) {
        struct counts *counts = &metrics->slots[at % METRICS_SLOTS];
        int state = 0;

        if (atomic_load(&metrics->n_tools) < MAX_TOOLS &&
            atomic_compare_exchange_strong(&counts->state, &state, 1)) {
            memcpy(counts->name, name, size);
            atomic_fetch_add(&metrics->n_tools, 1);
            atomic_store(&counts->state, 2);
            return counts;
        }
        /* Another thread is writing the short name. */
        while ((state = atomic_load(&counts->state)) == 1)
            ;
        if (!state)
            break;
        if (!strncmp(counts->name, name, size) && !counts->name[size])
            return counts;
    }
    return &metrics->unknown;
}

static bool ran(haft_outcome outcome)
{
    return outcome == HAFT_OUTCOME_OK || outcome == HAFT_OUTCOME_ERROR ||
           outcome == HAFT_OUTCOME_FAILED || outcome == HAFT_OUTCOME_TIMED_OUT;
}

static void measure(struct histogram *histogram, uint64_t ns)
{
    size_t i = 0;

    while (i < BUCKETS && ns > buckets[i].ns)
        i++;
    if (i < BUCKETS)
        atomic_fetch_add(&histogram->within[i], 1);
    atomic_fetch_add(&histogram->n, 1);
    atomic_fetch_add(&histogram->nanoseconds, ns);
}

APART static struct counts *look_up(struct metrics *metrics, struct item *item)
{
    struct counts *counts = item->name_size < METRICS_NAME
                                ? counts_of(metrics, item->name, item->name_size)
                                : &metrics->unknown;

    atomic_store(&item->counts, counts);
    return counts;
}

/* The item caches its counters. */
static inline struct counts *counts_for(struct metrics *metrics, const haft_call *call)
{
    struct counts *counts;

    if (!call->item)
        return &metrics->unknown;
    counts = atomic_load(&call->item->counts);
    return counts ? counts : look_up(metrics, call->item);
}

static int before(haft_call *call, void *data)
{
    struct metrics *metrics = data;

    call->stages.counted = true;
    atomic_fetch_add(&metrics->in_flight, 1);
    return 0;
}

static void metrics_after(haft_call *call, haft_outcome outcome, void *data)
{
    struct metrics *metrics = data;
    struct counts *counts = counts_for(metrics, call);

    if (call->stages.counted)
        atomic_fetch_sub(&metrics->in_flight, 1);
    atomic_fetch_add(&counts->outcomes[outcome], 1);
    if (!ran(outcome))
        return;
    measure(&counts->durations, call->time.elapsed);
    if (outcome != HAFT_OUTCOME_TIMED_OUT)
        atomic_fetch_add(&counts->bytes, hf_content_size(call) + call->structured.size);
}

static void metrics_queued(const haft_call *call, bool queued)
{
    struct metrics *metrics = call->stages.counted ? call->server->metering.metrics : NULL;

    if (metrics)
        atomic_fetch_add(&metrics->queued, queued ? 1 : -1);
}

static void metrics_repaired(const haft_call *call, size_t n)
{
    if (call->server->metering.metrics)
        atomic_fetch_add(&counts_for(call->server->metering.metrics, call)->repairs, n);
}

static void metrics_introduced(haft_server *server)
{
    if (server->metering.metrics)
        atomic_fetch_add(&server->metering.metrics->sessions, 1);
}

static void metrics_left(haft_server *server, int64_t ms)
{
    if (!server->metering.metrics)
        return;
    atomic_fetch_sub(&server->metering.metrics->sessions, 1);
    measure(&server->metering.metrics->stays, ms > 0 ? (uint64_t)ms * 1000000 : 0);
}

static const struct observer observer = {metrics_queued, metrics_repaired, metrics_introduced,
                                         metrics_left};

int haft_metrics_enable(haft_server *server)
{
    struct metrics *metrics;

    if (server->metering.metrics)
        return 0;
    metrics = hf_server_zalloc(server, sizeof *metrics);
    if (!metrics)
        return hf_server_refuse(server, HAFT_ENOMEM, "metrics", "out of memory");
    metrics->stage = (haft_stage)HAFT_INIT(haft_stage, .name = "metrics", .before = before,
                                           .after = metrics_after, .data = metrics);
    server->metering.metrics = metrics;
    server->metering.observer = &observer;
    return haft_stage_add(server, &metrics->stage);
}

int hf_metrics_share(haft_server *server, haft_server *with)
{
    server->metering.metrics = with->metering.metrics;
    server->metering.observer = with->metering.observer;
    atomic_store(&server->metering.counted_next, atomic_load(&with->metering.counted_next));
    atomic_store(&with->metering.counted_next, server);
    return haft_stage_add(server, &with->metering.metrics->stage);
}

/* ---- writing ---- */

/* Writes a metric of every tool, or of the whole server. */
typedef void put_function(haft_buffer *out, struct counts *counts, const char *tool);
typedef void put_total_function(haft_buffer *out, haft_server *server);

static void put_outcomes(haft_buffer *out, struct counts *counts, const char *tool)
{
    for (int i = 0; i < HAFT_OUTCOME_COUNT_; i++) {
        unsigned long long n = atomic_load(&counts->outcomes[i]);

        if (n)
            haft_buffer_printf(
                out, "mcp_server_calls_total{gen_ai_tool_name=\"%s\",outcome=\"%s\"} %llu\n", tool,
                haft_outcome_name((haft_outcome)i), n);
    }
}

/* `labels` come before the bucket's own. */
static void put_histogram(haft_buffer *out, const char *name, const char *labels,
                          struct histogram *histogram)
{
    unsigned long long sum = 0, n = atomic_load(&histogram->n);
    const char *comma = *labels ? "," : "";

    for (int i = 0; i < BUCKETS; i++) {
        sum += atomic_load(&histogram->within[i]);
        haft_buffer_printf(out, "%s_bucket{%s%sle=\"%s\"} %llu\n", name, labels, comma,
                           buckets[i].text, sum);
    }
    haft_buffer_printf(out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, labels, comma, n);
    haft_buffer_printf(out, "%s_sum{%s} ", name, labels);
    haft_buffer_json_number(out, (double)atomic_load(&histogram->nanoseconds) / 1e9);
    haft_buffer_printf(out, "\n%s_count{%s} %llu\n", name, labels, n);
}

static void put_duration(haft_buffer *out, struct counts *counts, const char *tool)
{
    char labels[METRICS_NAME + 64];

    if (!atomic_load(&counts->durations.n))
        return;
    snprintf(labels, sizeof labels, "mcp_method_name=\"tools/call\",gen_ai_tool_name=\"%s\"", tool);
    put_histogram(out, "mcp_server_operation_duration_seconds", labels, &counts->durations);
}

static void put_bytes(haft_buffer *out, struct counts *counts, const char *tool)
{
    if (atomic_load(&counts->durations.n))
        haft_buffer_printf(out, "mcp_server_result_bytes_total{gen_ai_tool_name=\"%s\"} %llu\n",
                           tool, (unsigned long long)atomic_load(&counts->bytes));
}

static void put_repairs(haft_buffer *out, struct counts *counts, const char *tool)
{
    if (atomic_load(&counts->repairs))
        haft_buffer_printf(out, "mcp_server_repairs_total{gen_ai_tool_name=\"%s\"} %llu\n", tool,
                           (unsigned long long)atomic_load(&counts->repairs));
}

static void put_in_flight(haft_buffer *out, haft_server *server)
{
    haft_buffer_printf(out, "mcp_server_calls_in_flight %lld\n",
                       (long long)atomic_load(&server->metering.metrics->in_flight));
}

static void put_queued(haft_buffer *out, haft_server *server)
{
    haft_buffer_printf(out, "mcp_server_calls_queued %lld\n",
                       (long long)atomic_load(&server->metering.metrics->queued));
}

static void put_sessions(haft_buffer *out, haft_server *server)
{
    haft_buffer_printf(out, "mcp_server_sessions %lld\n",
                       (long long)atomic_load(&server->metering.metrics->sessions));
}

static void put_stays(haft_buffer *out, haft_server *server)
{
    put_histogram(out, "mcp_server_session_duration_seconds", "", &server->metering.metrics->stays);
}

void hf_metrics_count_refusal(haft_server *server, const char *reason)
{
    struct metrics *metrics = server->metering.metrics;

    reason = reason ? reason : "other";
    for (size_t i = 0; metrics && i < METRICS_REFUSED; i++) {
        struct refused *refused = &metrics->refused[i];
        const char *known = NULL;

        if (atomic_compare_exchange_strong(&refused->reason, &known, reason) ||
            !strcmp(known, reason)) {
            atomic_fetch_add(&refused->n, 1);
            return;
        }
    }
}

static void put_refused(haft_buffer *out, haft_server *server)
{
    struct refused *refused = server->metering.metrics->refused;

    for (size_t i = 0; i < METRICS_REFUSED && atomic_load(&refused[i].reason); i++)
        haft_buffer_printf(out, "mcp_server_authentication_refused_total{reason=\"%s\"} %llu\n",
                           atomic_load(&refused[i].reason), atomic_load(&refused[i].n));
}

static void put_received(haft_buffer *out, haft_server *server)
{
    unsigned long long bytes = 0;

    for (; server; server = atomic_load(&server->metering.counted_next))
        bytes += atomic_load(&server->metering.received);
    haft_buffer_printf(out, "mcp_server_received_bytes_total %llu\n", bytes);
}

static void put_sent(haft_buffer *out, haft_server *server)
{
    unsigned long long bytes = 0;

    for (; server; server = atomic_load(&server->metering.counted_next))
        bytes += atomic_load(&server->metering.sent);
    haft_buffer_printf(out, "mcp_server_sent_bytes_total %llu\n", bytes);
}

static void put_streams(haft_buffer *out, haft_server *server)
{
    long long n = 0;

    for (; server; server = atomic_load(&server->metering.counted_next))
        n += atomic_load(&server->metering.streams);
    haft_buffer_printf(out, "mcp_server_streams %lld\n", n);
}

static void put_heard(haft_buffer *out, haft_server *server)
{
    long long latest = 0;

    for (; server; server = atomic_load(&server->metering.counted_next)) {
        long long ms = atomic_load(&server->metering.heard);

        latest = ms > latest ? ms : latest;
    }
    haft_buffer_puts(out, "mcp_server_last_message_timestamp_seconds ");
    haft_buffer_json_number(out, (double)latest / 1000);
    haft_buffer_puts(out, "\n");
}

static struct task_counts count_tasks(haft_server *server)
{
    struct task_counts counts = {0};

    for (; server; server = atomic_load(&server->metering.counted_next))
        if (server->tasks.hooks)
            server->tasks.hooks->count(server->tasks.service, &counts);
    return counts;
}

static void put_tasks(haft_buffer *out, haft_server *server)
{
    struct task_counts n = count_tasks(server);

    haft_buffer_printf(out, "mcp_server_tasks{state=\"queued\"} %llu\n", n.queued);
    haft_buffer_printf(out, "mcp_server_tasks{state=\"running\"} %llu\n", n.running);
    haft_buffer_printf(out, "mcp_server_tasks{state=\"waiting\"} %llu\n", n.waiting);
}

static void put_tasks_total(haft_buffer *out, haft_server *server)
{
    struct task_counts n = count_tasks(server);

    haft_buffer_printf(out, "mcp_server_tasks_total{state=\"created\"} %llu\n", n.created);
    haft_buffer_printf(out, "mcp_server_tasks_total{state=\"completed\"} %llu\n", n.completed);
    haft_buffer_printf(out, "mcp_server_tasks_total{state=\"failed\"} %llu\n", n.failed);
    haft_buffer_printf(out, "mcp_server_tasks_total{state=\"cancelled\"} %llu\n", n.cancelled);
}

static void put_upstreams(haft_buffer *out, haft_server *server)
{
    if (server->metering.put_upstream_metrics)
        server->metering.put_upstream_metrics(server->metering.upstreams_context, out);
}

int haft_metrics_write(haft_server *server, haft_buffer *buffer)
{
    static const struct {
        const char *name, *type, *help;
        put_function *put;
        put_total_function *put_total;
    } families[] = {
        {"mcp_server_calls_total", "counter", "Tool calls by outcome.", put_outcomes, NULL},
        {"mcp_server_operation_duration_seconds", "histogram", "Duration of handlers.",
         put_duration, NULL},
        {"mcp_server_result_bytes_total", "counter", "Size of results in bytes.", put_bytes, NULL},
        {"mcp_server_repairs_total", "counter", "Repaired arguments.", put_repairs, NULL},
        {"mcp_server_calls_in_flight", "gauge", "Calls in flight.", NULL, put_in_flight},
        {"mcp_server_calls_queued", "gauge",
         "Calls in flight that wait for a thread or a free slot.", NULL, put_queued},
        {"mcp_server_sessions", "gauge", "Connected clients that have identified themselves.", NULL,
         put_sessions},
        {"mcp_server_session_duration_seconds", "histogram", "Duration of sessions.", NULL,
         put_stays},
        {"mcp_server_authentication_refused_total", "counter",
         "Requests whose credentials were refused, by reason.", NULL, put_refused},
        {"mcp_server_received_bytes_total", "counter", "Bytes of messages received.", NULL,
         put_received},
        {"mcp_server_sent_bytes_total", "counter", "Bytes of messages sent.", NULL, put_sent},
        {"mcp_server_streams", "gauge", "Open subscriptions and event streams.", NULL, put_streams},
        {"mcp_server_last_message_timestamp_seconds", "gauge", "Time of the latest message.", NULL,
         put_heard},
        {"mcp_server_tasks", "gauge", "Unfinished tasks of this process, by state.", NULL,
         put_tasks},
        {"mcp_server_tasks_total", "counter", "Tasks created, and ended, by state.", NULL,
         put_tasks_total},
        {"mcp_server_store_up", "gauge", "Whether the store answers, by what it is used for.", NULL,
         hf_store_put_up},
        {"mcp_server_store_refused_total", "counter",
         "Requests refused because the store did not answer.", NULL, hf_store_put_refused},
        {"mcp_server_store_local_total", "counter",
         "Requests decided in this process because the store did not answer.", NULL,
         hf_store_put_local},
        {"mcp_server_upstream_up", "gauge", "Whether an upstream is ready.", NULL, put_upstreams},
    };
    struct metrics *metrics = server->metering.metrics;

    if (!metrics)
        return HAFT_ENOTFOUND;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        haft_buffer_printf(buffer, "# HELP %s %s\n# TYPE %s %s\n", families[i].name,
                           families[i].help, families[i].name, families[i].type);
        if (families[i].put_total) {
            families[i].put_total(buffer, server);
            continue;
        }
        families[i].put(buffer, &metrics->unknown, "_other");
        for (size_t k = 0; k < METRICS_SLOTS; k++)
            if (atomic_load(&metrics->slots[k].state) == 2)
                families[i].put(buffer, &metrics->slots[k], metrics->slots[k].name);
    }
    return buffer->status;
}
