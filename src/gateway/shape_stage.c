/* shape_stage.c - the stage that shapes results, next to the handler.
 *
 * A call whose result is cached is answered with it. With "coalesce", the first of equal calls is the leader of
 * a flight, and runs; the others follow it: a stage holds them, without a thread, until its result is theirs.
 * A leader that gives up passes the flight to the next follower that still waits. The lock of the rule guards
 * flights, and who leads: a follower can time out on its own thread while another one makes it the leader. */
#include <string.h>

#include "gateway/shape.h"

static const char shape_call_key[] = "haft: shape";

enum shape_role {
    SHAPE_LEADER,   /* runs; may have followers */
    SHAPE_FOLLOWER, /* waits for a leader, or has its result */
    SHAPE_ANSWERED  /* has a result of the cache */
};

/* A keyed call, in its arena; a flight while it leads one. */
struct shape_flight {
    haft_call *call;
    struct shape_rule *rule;
    unsigned char key[SHAPE_KEY];
    enum shape_role role;
    bool ended;                        /* `after` has been called */
    bool listed;                       /* among the flights of the rule */
    struct shape_flight *same;         /* next in its slot, */
    struct shape_flight *first, *last; /* and those that follow it */
    struct shape_flight *next;         /* next that follows the same leader */
};

/* ---- flights, with the lock held ---- */

static struct shape_flight **flight_link(struct shape_rule *rule,
                                         const unsigned char key[SHAPE_KEY])
{
    struct shape_flight **link = &rule->flights[key[SHAPE_KEY - 1] % SHAPE_FLIGHTS];

    while (*link && memcmp((*link)->key, key, SHAPE_KEY) != 0)
        link = &(*link)->same;
    return link;
}

static void flight_list(struct shape_flight *flight)
{
    struct shape_flight **link = flight_link(flight->rule, flight->key);

    flight->same = NULL;
    *link = flight;
    flight->listed = true;
}

static void flight_unlist(struct shape_flight *flight)
{
    if (flight->listed)
        *flight_link(flight->rule, flight->key) = flight->same;
    flight->listed = false;
}

static void flight_follow(struct shape_flight *leader, struct shape_flight *follower)
{
    follower->role = SHAPE_FOLLOWER;
    follower->next = NULL;
    if (leader->last)
        leader->last->next = follower;
    else
        leader->first = follower;
    leader->last = follower;
}

/* Joins a flight, or begins one. A call that was cancelled may run on for long, so the newcomer leads those
 * that follow it. */
static bool flight_join(struct shape_flight *own)
{
    struct shape_flight *leader = *flight_link(own->rule, own->key);

    if (leader && !haft_call_cancelled(leader->call)) {
        flight_follow(leader, own);
        return true;
    }
    if (leader) {
        flight_unlist(leader);
        own->first = leader->first;
        own->last = leader->last;
        leader->first = leader->last = NULL;
    }
    flight_list(own);
    return false;
}

/* Makes the first follower that still waits the leader of the others; NULL if none does. Those before it are
 * left in *ret_ended. */
static struct shape_flight *flight_pass_on(struct shape_flight *leader,
                                           struct shape_flight **ret_ended)
{
    struct shape_flight *next, **end = ret_ended;

    *end = NULL;
    while ((next = leader->first) && (next->ended || haft_call_cancelled(next->call))) {
        leader->first = next->next;
        next->next = NULL;
        *end = next;
        end = &next->next;
    }
    if (!next)
        return NULL;
    next->role = SHAPE_LEADER;
    next->first = next->next;
    next->last = next->first ? leader->last : NULL;
    next->next = NULL;
    flight_list(next);
    return next;
}

/* ---- before the handler ---- */

/* The client answers questions of an earlier round: what the tool returns is for it alone. */
static bool shape_is_retry(const haft_call *call)
{
    return call->request.message.request_state || call->request.message.input_responses;
}

static int shape_ready_keyed(haft_call *call, const struct tool_shape *shape)
{
    struct shape_flight *own = haft_arena_zalloc(call->arena, 1, sizeof *own);
    struct shape_rule *rule = shape->rule;
    struct shape_value *value = NULL;
    bool follows = false;
    int status;

    if (!own || hf_shape_key(call, shape, own->key) || haft_call_set(call, shape_call_key, own))
        return HAFT_ENOMEM;
    own->call = call;
    own->rule = rule;
    uv_mutex_lock(&rule->lock);
    if (rule->seconds)
        value = hf_shape_cache_find(&rule->cache, own->key, call->owner->now);
    if (value)
        own->role = SHAPE_ANSWERED;
    else if (rule->coalesces)
        follows = flight_join(own);
    uv_mutex_unlock(&rule->lock);
    if (!value)
        return follows ? HAFT_PENDING : 0;
    status = hf_shape_value_give(value, call);
    hf_shape_value_drop(value);
    return status ? status : HAFT_STOP;
}

static int shape_ready(haft_call *call, void *data)
{
    const struct tool_shape *shape = entry_shape(call->entry);

    (void)data;
    if (!shape || !shape->reads_only || shape_is_retry(call))
        return 0;
    return shape->rule->seconds || shape->rule->coalesces ? shape_ready_keyed(call, shape) : 0;
}

/* ---- after it ---- */

/* What the followers of a call get. */
struct shape_end {
    int status;                /* error of the handler */
    struct shape_value *value; /* or its result; NULL: one of them runs instead */
};

static bool shape_asked(const haft_call *call)
{
    return call->asking.questions || call->asking.rounds;
}

/* A call that ended in vain, or whose result is not for others, has no result and no error. */
static struct shape_end shape_end_of(haft_call *call, haft_outcome outcome, int status)
{
    if (call_is_shared(call) || shape_asked(call) || outcome == HAFT_OUTCOME_CANCELLED ||
        outcome == HAFT_OUTCOME_TIMED_OUT || outcome == HAFT_OUTCOME_INPUT)
        return (struct shape_end){.status = 0};
    if (outcome == HAFT_OUTCOME_OK || outcome == HAFT_OUTCOME_ERROR)
        return (struct shape_end){.status = status,
                                  .value = status ? NULL : hf_shape_value_new(call)};
    return (struct shape_end){.status = call->status < 0 ? call->status : HAFT_EFAIL};
}

/* Continues followers with a result or an error. They are gone afterwards. */
static void shape_answer(struct shape_flight *followers, const struct shape_end *end)
{
    for (struct shape_flight *next; followers; followers = next) {
        int status = end->status;

        next = followers->next;
        if (end->value)
            status = hf_shape_value_give(end->value, followers->call);
        haft_continue(followers->call, status ? status : HAFT_STOP);
    }
}

/* Ends a leader: its followers get what it got, or one of them leads the others. */
static void shape_conclude(struct shape_flight *own, const struct shape_end *end, haft_time until,
                           uint64_t serial)
{
    struct shape_rule *rule = own->rule;
    struct shape_flight *followers = NULL, *next = NULL;

    uv_mutex_lock(&rule->lock);
    flight_unlist(own);
    if (end->value && until)
        hf_shape_cache_put(&rule->cache, own->key, serial, until, end->value);
    if (end->value || end->status)
        followers = own->first;
    else
        next = flight_pass_on(own, &followers);
    uv_mutex_unlock(&rule->lock);
    shape_answer(followers, end);
    if (next)
        haft_continue(next->call, 0);
}

/* Whether the call is one that waited in vain. Its leader, or the next one, frees it. */
static bool shape_ends_waiting(struct shape_flight *own)
{
    bool leads;

    uv_mutex_lock(&own->rule->lock);
    own->ended = true;
    leads = own->role == SHAPE_LEADER;
    uv_mutex_unlock(&own->rule->lock);
    return !leads;
}

static void shape_after(haft_call *call, haft_outcome outcome, void *data)
{
    const struct tool_shape *shape = entry_shape(call->entry);
    struct shape_flight *own;
    struct shape_end end;
    haft_time until = 0;
    int status = 0;

    (void)data;
    if (!shape)
        return;
    own = shape->reads_only ? haft_call_get(call, shape_call_key) : NULL;
    if (own && shape_ends_waiting(own))
        return;
    if (!call_is_shared(call) && (outcome == HAFT_OUTCOME_OK || outcome == HAFT_OUTCOME_ERROR))
        status = hf_shape_shorten(call, shape);
    if (status && !call->content.status) /* fields to leave out must not be sent */
        call->content.status = status;
    if (!own)
        return;
    end = shape_end_of(call, outcome, status);
    if (outcome == HAFT_OUTCOME_OK && shape->rule->seconds && !atomic_load(&call->posts.notified))
        until = call->owner->now + shape->rule->seconds * 1000;
    shape_conclude(own, &end, until, shape->serial);
    hf_shape_value_drop(end.value);
}

const haft_stage hf_shape_stage =
    HAFT_INIT(haft_stage, .name = "shaping", .ready = shape_ready, .after = shape_after);
