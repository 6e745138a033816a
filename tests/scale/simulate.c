/* simulate.c - many replicas and many more clients, in virtual time.
 *
 * Clients call at random times at random replicas, as behind a balancer. Redis decides on every call, and the
 * simulation checks each decision on its own: a call is refused if and only if the client's limit has been used up in
 * the window before it. It prints one line of JSON with what it counted, and fails if anything is not exact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scale/simulation.h"

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

static void put_number(const char *name, uint64_t value, char before)
{
    printf("%c\"%s\":%llu", before, name, (unsigned long long)value);
}

static void simulation_print(const struct simulation *sim)
{
    const struct model_counts *redis = model_counts(sim->model);
    const struct counts *n = &sim->counts;
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {{"calls", n->calls},
                {"passed", n->passed},
                {"refused", n->refused},
                {"early", n->early},
                {"failed", n->failed},
                {"lost", n->lost},
                {"granted", n->granted},
                {"denied", n->denied},
                {"alone", n->alone},
                {"too_many", n->too_many},
                {"late_alone", n->late_alone},
                {"wrong", n->wrong},
                {"changes", n->changes},
                {"notified", n->notified},
                {"missed", n->missed},
                {"commands", redis->commands},
                {"messages", redis->delivered},
                {"timeouts", redis->timeouts}};
    double seconds = (double)sim->options.seconds;
    size_t bytes = 0, most = 0;

    for (size_t i = 0; i < sim->options.replicas; i++) {
        bytes += sim->replicas[i].bytes;
        most = sim->replicas[i].most_bytes > most ? sim->replicas[i].most_bytes : most;
    }
    put_number("replicas", sim->options.replicas, '{');
    put_number("clients", sim->options.clients, ',');
    put_number("seconds", sim->options.seconds, ',');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put_number(rows[i].name, rows[i].value, ',');
    printf(
        ",\"commands_per_second\":%.0f,\"messages_per_second\":%.0f,\"redis_busy\":%.3f,"
        "\"bytes_of_a_replica\":%zu,\"most_bytes_of_a_replica\":%zu,\"p50_us\":%llu,\"p99_us\":%llu}\n",
        (double)sim->busy.commands / seconds, (double)sim->busy.delivered / seconds,
        (double)sim->busy.busy_us / seconds / 1e6, bytes / sim->options.replicas, most,
        (unsigned long long)latency_at(sim, 0.5), (unsigned long long)latency_at(sim, 0.99));
}

/* Whether everything adds up. */
static bool simulation_is_exact(const struct simulation *sim)
{
    const struct counts *n = &sim->counts;

    return !n->wrong && !n->failed && !n->too_many && !n->late_alone && !n->missed &&
           n->calls == n->passed + n->refused + n->lost && n->granted + n->alone >= n->passed &&
           n->granted + n->alone <= n->passed + n->lost &&
           n->denied + n->early <= n->refused + n->lost &&
           (!n->changes || n->notified >= n->changes) && (!sim->options.away_ms || n->alone);
}

static void simulation_begin(struct simulation *sim)
{
    const struct options *options = &sim->options;
    int64_t end = (int64_t)options->seconds * SECOND_US, away = (int64_t)options->away_at_ms * 1000;

    for (size_t i = 0; i < options->replicas; i++) {
        struct replica *replica = &sim->replicas[i];

        replica->simulation = sim;
        replica->alone = options->away_ms ? calloc(options->clients, 1) : NULL;
        if (options->away_ms && !replica->alone)
            abort();
        replica_start(replica);
    }
    timeline_add(&sim->timeline, 1, on_call, sim, (uint64_t)end);
    if (options->kill_ms)
        timeline_add(&sim->timeline, (int64_t)options->kill_ms * 1000, on_kill, sim, (uint64_t)end);
    if (options->listeners)
        timeline_add(&sim->timeline, 2, on_tick, sim, (uint64_t)end + 10 * SECOND_US);
    if (options->listeners && options->change_ms)
        timeline_add(&sim->timeline, SECOND_US, on_change, sim, (uint64_t)end);
    if (options->away_ms) {
        timeline_add(&sim->timeline, away, on_away, sim, 1);
        timeline_add(&sim->timeline, away + (int64_t)options->away_ms * 1000, on_away, sim, 0);
    }
}

static int simulate(const struct options *options)
{
    static const struct model_costs costs = {.delay_us = 100,
                                             .jitter_us = 100,
                                             .command_us = 20,
                                             .receiver_us = 2,
                                             .timeout_us = TIMEOUT_US};
    struct simulation *sim = calloc(1, sizeof *sim);
    int64_t end = (int64_t)options->seconds * SECOND_US;
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
    simulation_begin(sim);
    timeline_run(&sim->timeline, end);
    sim->busy = *model_counts(sim->model);
    timeline_run(&sim->timeline, end + 10 * SECOND_US); /* with time for the last answers */
    simulation_print(sim);
    exact = simulation_is_exact(sim);
    for (size_t i = 0; i < options->replicas; i++)
        replica_end(&sim->replicas[i]);
    for (size_t i = 0; i < options->replicas; i++)
        free(sim->replicas[i].alone);
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
    } table[] = {{"--replicas", &options.replicas},   {"--clients", &options.clients},
                 {"--seconds", &options.seconds},     {"--rate", &options.rate},
                 {"--limit", &options.limit},         {"--window", &options.window_ms},
                 {"--busy", &options.busy},           {"--kill", &options.kill_ms},
                 {"--seed", &options.seed},           {"--calls", &options.calls},
                 {"--listeners", &options.listeners}, {"--change", &options.change_ms},
                 {"--away-at", &options.away_at_ms},  {"--away", &options.away_ms}};

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
