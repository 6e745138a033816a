/* metrics.c - calls counted by tool and outcome, and how long they took, in Prometheus' text format.
 *
 * Counting is a look-up and a few atomic additions.  The number of tools that are told apart is bounded,
 * so that nobody can fill a monitoring system by asking for names that do not exist. */
#include <stdio.h>
#include <string.h>

#include "server/session.h"

enum { SLOTS = 1024, MAX_TOOLS = 512, NAME = 129, BUCKETS = 12 };

/* Upper bounds in nanoseconds, and as they are written. */
static const struct {
    uint64_t ns;
    const char *text;
} buckets[BUCKETS] = {
    {10000, "0.00001"}, {50000, "0.00005"}, {100000, "0.0001"}, {500000, "0.0005"},
    {1000000, "0.001"}, {5000000, "0.005"}, {10000000, "0.01"}, {50000000, "0.05"},
    {100000000, "0.1"}, {500000000, "0.5"}, {1000000000, "1"},  {10000000000, "10"},
};

struct counts {
    atomic_int state; /* 0 free, 1 being named, 2 in use */
    char name[NAME];
    atomic_ullong outcomes[HAFT_OUTCOME_COUNT_];
    atomic_ullong within[BUCKETS]; /* of the ones that ran; not added up */
    atomic_ullong n, nanoseconds, bytes;
};

struct metrics {
    haft_stage stage;
    atomic_size_t n_tools;
    struct counts unknown; /* tools that do not exist, and those too many */
    struct counts slots[SLOTS];
};

static struct counts *counts_of(struct metrics *metrics, const char *name, size_t size)
{
    size_t at = hash_bytes(name, size);

    for (size_t tries = 0; tries < SLOTS; tries++, at++) {
        struct counts *counts = &metrics->slots[at % SLOTS];
        int state = 0;

        if (atomic_load(&metrics->n_tools) < MAX_TOOLS &&
            atomic_compare_exchange_strong(&counts->state, &state, 1)) {
            memcpy(counts->name, name, size);
            atomic_fetch_add(&metrics->n_tools, 1);
            atomic_store(&counts->state, 2);
            return counts;
        }
        /* Another thread is writing the name: it is short. */
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

static void after(haft_call *call, haft_outcome outcome, void *data)
{
    struct metrics *metrics = data;
    const struct item *item = call->item;
    struct counts *counts = item && item->name_size < NAME
                                ? counts_of(metrics, item->name, item->name_size)
                                : &metrics->unknown;
    uint64_t ns;
    size_t i = 0;

    atomic_fetch_add(&counts->outcomes[outcome], 1);
    if (!ran(outcome))
        return;
    ns = call_nanoseconds(call);
    while (i < BUCKETS && ns > buckets[i].ns)
        i++;
    if (i < BUCKETS)
        atomic_fetch_add(&counts->within[i], 1);
    atomic_fetch_add(&counts->n, 1);
    atomic_fetch_add(&counts->nanoseconds, ns);
    if (outcome != HAFT_OUTCOME_TIMED_OUT)
        atomic_fetch_add(&counts->bytes, call->content.size + call->structured.size);
}

int haft_metrics(haft_server *server)
{
    struct metrics *metrics;

    if (server->metrics)
        return 0;
    metrics = haft_arena_zalloc(server->arena, 1, sizeof *metrics);
    if (!metrics)
        return server_refuse(server, HAFT_ENOMEM, "metrics", "out of memory");
    metrics->stage = (haft_stage){.name = "metrics", .after = after, .data = metrics};
    server->metrics = metrics;
    return haft_use(server, &metrics->stage);
}

/* ---- writing ---- */

typedef void put_function(haft_buffer *out, struct counts *counts, const char *tool);

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

static void put_duration(haft_buffer *out, struct counts *counts, const char *tool)
{
    static const char name[] = "mcp_server_operation_duration_seconds";
    unsigned long long sum = 0, n = atomic_load(&counts->n);

    if (!n)
        return;
    for (int i = 0; i < BUCKETS; i++) {
        sum += atomic_load(&counts->within[i]);
        haft_buffer_printf(out, "%s_bucket{gen_ai_tool_name=\"%s\",le=\"%s\"} %llu\n", name, tool,
                           buckets[i].text, sum);
    }
    haft_buffer_printf(out, "%s_bucket{gen_ai_tool_name=\"%s\",le=\"+Inf\"} %llu\n", name, tool, n);
    haft_buffer_printf(out, "%s_sum{gen_ai_tool_name=\"%s\"} ", name, tool);
    haft_buffer_json_number(out, (double)atomic_load(&counts->nanoseconds) / 1e9);
    haft_buffer_printf(out, "\n%s_count{gen_ai_tool_name=\"%s\"} %llu\n", name, tool, n);
}

static void put_bytes(haft_buffer *out, struct counts *counts, const char *tool)
{
    if (atomic_load(&counts->n))
        haft_buffer_printf(out, "mcp_server_result_bytes_total{gen_ai_tool_name=\"%s\"} %llu\n",
                           tool, (unsigned long long)atomic_load(&counts->bytes));
}

int haft_metrics_write(haft_server *server, haft_buffer *buffer)
{
    static const struct {
        const char *name, *type, *help;
        put_function *put;
    } families[] = {
        {"mcp_server_calls_total", "counter", "Calls of tools by how they ended.", put_outcomes},
        {"mcp_server_operation_duration_seconds", "histogram", "How long handlers took.",
         put_duration},
        {"mcp_server_result_bytes_total", "counter", "Bytes of results.", put_bytes},
    };
    struct metrics *metrics = server->metrics;

    if (!metrics)
        return HAFT_ENOTFOUND;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        haft_buffer_printf(buffer, "# HELP %s %s\n# TYPE %s %s\n", families[i].name,
                           families[i].help, families[i].name, families[i].type);
        families[i].put(buffer, &metrics->unknown, "_other");
        for (size_t k = 0; k < SLOTS; k++)
            if (atomic_load(&metrics->slots[k].state) == 2)
                families[i].put(buffer, &metrics->slots[k], metrics->slots[k].name);
    }
    return buffer->status;
}
