/* scale/simulation.h - many replicas and many more clients, in virtual time.
 *
 * Each replica is a haft_server with a session for modern requests, and an endpoint with streams that listen for
 * changes. All of them share the model of Redis (model.h). calls.c has the calls and the replicas, changes.c the
 * streams and the time in which Redis is away, and simulate.c the options and the result. */
#ifndef HAFT_TESTS_SCALE_SIMULATION_H
#define HAFT_TESTS_SCALE_SIMULATION_H

#include <haft.h>
#include <haft/http.h>

#include "scale/model.h"

struct options {
    uint64_t replicas, clients, seconds;
    uint64_t rate;      /* calls per second, of all clients */
    uint64_t calls;     /* and so many at most; 0: no limit */
    uint64_t limit;     /* calls of a client in a window of */
    uint64_t window_ms; /* so many milliseconds */
    uint64_t busy;    /* percent of the calls that come from the busiest hundredth of the clients */
    uint64_t kill_ms; /* a replica ends and starts again every so many milliseconds; 0: none does */
    uint64_t listeners; /* streams of a replica that listen for changes */
    uint64_t
        change_ms; /* a replica changes its list of tools every so many milliseconds; 0: none does */
    uint64_t away_at_ms, away_ms; /* when Redis goes away, and for how long; 0: it does not */
    uint64_t seed;
};

/* A call that a client waits for. */
struct open_call {
    struct open_call *next, *previous;
    struct replica *replica;
    uint64_t client;
    int64_t started;
};

/* A client that listens. */
struct stream {
    struct replica *replica;
    int64_t heard; /* when it was told of the latest change; microseconds */
};

struct replica {
    struct simulation *simulation;
    haft_allocator allocator;
    size_t bytes, most_bytes;
    int64_t started;
    haft_store *store;
    haft_server *server;
    haft_session *session;
    haft_endpoint *endpoint;
    struct stream *streams;
    struct open_call *calls;
    uint8_t *alone; /* calls that it has allowed each client while Redis was away */
    bool changed;   /* the tool that comes and goes is gone */
    bool ticks;     /* will be woken */
};

struct counts {
    /* by what the client got; `lost`: nothing, its replica ended */
    uint64_t calls, passed, refused, failed, lost;
    uint64_t granted, denied; /* by Redis */
    uint64_t early;           /* refused by a replica that knew what Redis would say */
    uint64_t alone;           /* allowed by a replica while Redis was away, */
    uint64_t too_many;        /* and above its part of the limit */
    uint64_t late_alone;      /* decided without Redis after it had returned */
    uint64_t wrong;           /* decisions that are not exact */
    uint64_t changes, notified,
        missed; /* list changes; streams that were told; or were not in time */
};

enum { LATENCY_STEP_US = 10, LATENCIES = 20000, SECOND_US = 1000000, TIMEOUT_US = 100000 };

struct simulation {
    struct options options;
    struct timeline timeline;
    struct model *model;
    struct replica *replicas;
    /* of each client: times in milliseconds of the latest `limit` calls, as a ring, */
    int64_t *grants;
    uint32_t *n_grants; /* and how many there were */
    struct counts counts;
    struct model_counts busy; /* of Redis, until the last call began */
    uint64_t latencies[LATENCIES];
};

/* ---- calls.c ---- */

void replica_start(struct replica *replica);
void replica_end(struct replica *replica);
/* Events: a client calls; a replica ends and starts again. The argument is when that ends. */
void on_call(void *context, uint64_t until);
void on_kill(void *context, uint64_t until);
/* Checks a decision of Redis with the times of the calls that it has allowed. */
void on_take(void *context, haft_slice group, const haft_store_op *op, int64_t now_us);

/* ---- changes.c ---- */

/* Opens the replica's endpoint and its streams, and adds the tool that comes and goes; or ends them. */
void listeners_start(struct replica *replica);
void listeners_end(struct replica *replica);
/* Events: a replica changes its list; the endpoints check the time; Redis goes away or returns. */
void on_change(void *context, uint64_t until);
void on_tick(void *context, uint64_t until);
void on_away(void *context, uint64_t away);
/* Counts a call that a replica decided without Redis. */
void alone_count(struct simulation *sim, const struct open_call *call, bool passed);

#endif
