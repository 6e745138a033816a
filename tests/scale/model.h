/* scale/model.h - virtual time, and a model of Redis in it.
 *
 * Nothing here waits: the time jumps from one event to the next. The model is a store whose state is a
 * haft_store in memory, behind a network with a delay and a server that executes one command at a time. So the
 * servers that use it run the code that they run with a real Redis, and a run of a million clients can be repeated
 * exactly. */
#ifndef HAFT_TESTS_SCALE_MODEL_H
#define HAFT_TESTS_SCALE_MODEL_H

#include <haft/store.h>

/* ---- virtual time ---- */

typedef void event_function(void *context, uint64_t argument);

struct event {
    int64_t at;        /* microseconds */
    uint64_t sequence; /* events of the same time happen in the order in which they were added */
    event_function *happen;
    void *context;
    uint64_t argument;
};

struct timeline {
    struct event *heap;
    size_t n, room;
    int64_t now; /* microseconds */
    uint64_t next_sequence;
    uint64_t seed;
};

void timeline_init(struct timeline *timeline, uint64_t seed);
void timeline_finish(struct timeline *timeline);
/* Adds an event; it must not be in the past. */
void timeline_add(struct timeline *timeline, int64_t at, event_function *happen, void *context,
                  uint64_t argument);
/* Lets events happen until that time. */
void timeline_run(struct timeline *timeline, int64_t until);
/* A number below `limit`, the same ones for the same seed. */
uint64_t timeline_random(struct timeline *timeline, uint64_t limit);
/* Milliseconds, as haft counts them. */
int64_t timeline_ms(const struct timeline *timeline);

/* ---- Redis ---- */

struct model_costs {
    int64_t delay_us;    /* one way of the network, */
    int64_t jitter_us;   /* and at most so much more */
    int64_t command_us;  /* a command in Redis */
    int64_t receiver_us; /* and for each subscriber that a message goes to */
    int64_t timeout_us;  /* after which a client reports that Redis is away */
};

struct model_counts {
    uint64_t commands;  /* executed by Redis */
    uint64_t delivered; /* messages to subscribers */
    uint64_t timeouts;  /* requests without an answer in time */
    uint64_t lost;      /* executed, but the replica had ended before the answer came */
    int64_t busy_us;    /* time in which Redis executed something */
};

struct model;

/* Called for each TAKE that Redis executes. */
typedef void model_take_function(void *context, haft_slice group, const haft_store_op *op,
                                 int64_t now_us);

struct model *model_new(struct timeline *timeline, const struct model_costs *costs,
                        model_take_function *on_take, void *context);
void model_free(struct model *model);
const struct model_counts *model_counts(const struct model *model);
/* Redis stops answering, or answers again; subscribers then hear of the gap. */
void model_set_away(struct model *model, bool away);

/* The store of one replica. Freeing it is the end of the replica: its requests are not answered any more. */
haft_store *model_connect(struct model *model);
/* Ends the requests of a replica whose session is closed, which frees what they hold: their answers
 * reach nobody. */
void model_disconnect(haft_store *store);

#endif
