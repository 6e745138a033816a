/* model.c - virtual time as a heap of events, and a model of Redis. */
#include "scale/model.h"

#include <stdlib.h>
#include <string.h>

/* ---- virtual time ---- */

void timeline_init(struct timeline *timeline, uint64_t seed)
{
    *timeline = (struct timeline){.seed = seed ? seed : 1};
}

void timeline_finish(struct timeline *timeline)
{
    free(timeline->heap);
}

uint64_t timeline_random(struct timeline *timeline, uint64_t limit)
{
    uint64_t x = timeline->seed; /* xorshift64* */

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    timeline->seed = x;
    return (x * UINT64_C(0x2545F4914F6CDD1D) >> 11) % limit;
}

int64_t timeline_ms(const struct timeline *timeline)
{
    return timeline->now / 1000;
}

static bool event_is_before(const struct event *a, const struct event *b)
{
    return a->at < b->at || (a->at == b->at && a->sequence < b->sequence);
}

void timeline_add(struct timeline *timeline, int64_t at, event_function *happen, void *context,
                  uint64_t argument)
{
    struct event event = {at, timeline->next_sequence++, happen, context, argument};
    size_t i;

    if (timeline->n == timeline->room) {
        timeline->room = timeline->room ? timeline->room * 2 : 1024;
        timeline->heap = realloc(timeline->heap, timeline->room * sizeof *timeline->heap);
        if (!timeline->heap)
            abort();
    }
    for (i = timeline->n++; i && event_is_before(&event, &timeline->heap[(i - 1) / 2]);
         i = (i - 1) / 2)
        timeline->heap[i] = timeline->heap[(i - 1) / 2];
    timeline->heap[i] = event;
}

static struct event timeline_take(struct timeline *timeline)
{
    struct event first = timeline->heap[0], last = timeline->heap[--timeline->n];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < timeline->n) {
        if (child + 1 < timeline->n &&
            event_is_before(&timeline->heap[child + 1], &timeline->heap[child]))
            child++;
        if (!event_is_before(&timeline->heap[child], &last))
            break;
        timeline->heap[i] = timeline->heap[child];
        i = child;
    }
    timeline->heap[i] = last;
    return first;
}

void timeline_run(struct timeline *timeline, int64_t until)
{
    while (timeline->n && timeline->heap[0].at <= until) {
        struct event event = timeline_take(timeline);

        timeline->now = event.at;
        event.happen(event.context, event.argument);
    }
    timeline->now = until;
}

/* ---- Redis ---- */

struct connection;

/* A request on its way to Redis and back. The names and values of a request are the caller's only until it has been
 * submitted, so it has copies. */
struct flight {
    struct flight *next, *previous; /* of the connection */
    struct connection *connection;  /* NULL if the replica has ended */
    haft_store_request *request;    /* of the replica; NULL once it has been answered */
    haft_store_request copy;
    haft_store_op *ops;
    char *names;
    int status;
};

struct listener {
    haft_store_subscriber *subscriber;
    struct connection *connection;
    struct listener *next;
};

struct connection {
    haft_store store; /* must be first */
    struct model *model;
    struct flight *flights;
    unsigned references; /* the replica, and messages under way to it */
    bool closed;
};

struct model {
    struct timeline *timeline;
    struct model_costs costs;
    struct model_counts counts;
    haft_store *state;
    struct listener *listeners;
    int64_t free_at; /* when Redis has executed what it has received */
    bool away;
    model_take_function *on_take;
    void *context;
};

static int64_t model_delay(struct model *model)
{
    return model->costs.delay_us +
           (int64_t)timeline_random(model->timeline, (uint64_t)model->costs.jitter_us + 1);
}

static void connection_drop(struct connection *connection)
{
    if (!--connection->references)
        free(connection);
}

/* ---- a request ---- */

static size_t flight_names(const haft_store_request *request)
{
    size_t size = strlen(request->space) + 1 + request->group.size;

    for (size_t i = 0; i < request->n_ops; i++)
        size += request->ops[i].key.size + request->ops[i].value.size;
    return size;
}

static haft_slice flight_copy(char **at, haft_slice slice)
{
    haft_slice copy = {*at, slice.size};

    if (slice.size)
        memcpy(*at, slice.data, slice.size);
    *at += slice.size;
    return copy;
}

static struct flight *flight_new(struct connection *connection, haft_store_request *request)
{
    struct flight *flight = calloc(1, sizeof *flight);
    size_t space = strlen(request->space) + 1;
    char *at;

    if (!flight)
        abort();
    flight->ops = malloc(request->n_ops * sizeof *flight->ops);
    flight->names = at = malloc(flight_names(request));
    if (!flight->ops || !at)
        abort();
    flight->connection = connection;
    flight->request = request;
    flight->copy = *request;
    flight->copy.space = memcpy(at, request->space, space);
    at += space;
    flight->copy.group = flight_copy(&at, request->group);
    flight->copy.ops = flight->ops;
    memcpy(flight->ops, request->ops, request->n_ops * sizeof *flight->ops);
    for (size_t i = 0; i < request->n_ops; i++) {
        flight->ops[i].key = flight_copy(&at, request->ops[i].key);
        flight->ops[i].value = flight_copy(&at, request->ops[i].value);
    }
    flight->next = connection->flights;
    if (flight->next)
        flight->next->previous = flight;
    connection->flights = flight;
    return flight;
}

/* The replica has its answer, or needs none: what remains is the way of the request. */
static void flight_detach(struct flight *flight)
{
    if (flight->next)
        flight->next->previous = flight->previous;
    if (flight->previous)
        flight->previous->next = flight->next;
    else if (flight->connection)
        flight->connection->flights = flight->next;
    flight->next = flight->previous = NULL;
    flight->connection = NULL;
    flight->request = NULL;
}

static void flight_free(struct flight *flight)
{
    free(flight->ops);
    free(flight->names);
    free(flight);
}

static void flight_answer(struct flight *flight, int status)
{
    haft_store_request *request = flight->request;

    for (size_t i = 0; i < request->n_ops && status >= 0; i++) {
        haft_slice key = request->ops[i].key, value = request->ops[i].value;

        request->ops[i] = flight->ops[i];
        request->ops[i].key = key;
        request->ops[i].value = value;
    }
    request->status = status;
    flight_detach(flight);
    request->done(request);
}

/* The answer reaches the replica. */
static void on_answer(void *context, uint64_t argument)
{
    struct flight *flight = context;

    (void)argument;
    if (flight->request)
        flight_answer(flight, flight->status);
    flight_free(flight);
}

/* ---- messages ---- */

struct message {
    struct connection *connection;
    haft_store_subscriber *subscriber;
    size_t channel_size, size;
    char text[];
};

static bool listener_exists(const struct model *model, const haft_store_subscriber *subscriber)
{
    for (const struct listener *at = model->listeners; at; at = at->next)
        if (at->subscriber == subscriber)
            return true;
    return false;
}

static void on_message(void *context, uint64_t argument)
{
    struct message *message = context;
    haft_store_subscriber *to = message->subscriber;

    (void)argument;
    if (!message->connection->closed && listener_exists(message->connection->model, to))
        to->message(to, (haft_slice){message->text, message->channel_size},
                    (haft_slice){message->text + message->channel_size, message->size});
    connection_drop(message->connection);
    free(message);
}

static bool listener_hears(const struct listener *listener, const char *space, haft_slice channel)
{
    haft_slice wanted = listener->subscriber->channel;

    return !strcmp(listener->subscriber->space, space) &&
           (!wanted.size ||
            (wanted.size == channel.size && !memcmp(wanted.data, channel.data, channel.size)));
}

static void model_publish(struct model *model, const char *space, const haft_store_op *op)
{
    for (struct listener *at = model->listeners; at; at = at->next) {
        struct message *message;

        if (!listener_hears(at, space, op->key))
            continue;
        message = malloc(sizeof *message + op->key.size + op->value.size);
        if (!message)
            abort();
        *message = (struct message){at->connection, at->subscriber, op->key.size, op->value.size};
        memcpy(message->text, op->key.data, op->key.size);
        memcpy(message->text + op->key.size, op->value.data, op->value.size);
        at->connection->references++;
        model->counts.delivered++;
        model->counts.busy_us += model->costs.receiver_us;
        model->free_at += model->costs.receiver_us;
        timeline_add(model->timeline, model->free_at + model_delay(model), on_message, message, 0);
    }
}

/* ---- commands ---- */

/* Redis executes a request, by its own clock. */
static void on_execute(void *context, uint64_t model_address)
{
    struct flight *flight = context;
    struct model *model = (struct model *)(uintptr_t)model_address;
    haft_store_request *copy = &flight->copy;

    copy->now = timeline_ms(model->timeline);
    copy->done = NULL;
    flight->status = haft_store_submit(model->state, copy);
    if (!flight->status)
        flight->status = copy->status;
    for (size_t i = 0; i < copy->n_ops; i++) {
        if (copy->ops[i].kind == HAFT_STORE_TAKE && model->on_take)
            model->on_take(model->context, copy->group, &copy->ops[i], model->timeline->now);
        if (copy->ops[i].kind == HAFT_STORE_PUBLISH && flight->status > 0)
            model_publish(model, copy->space, &copy->ops[i]);
    }
    model->counts.commands++;
    if (!flight->request)
        model->counts.lost++;
    timeline_add(model->timeline, model->timeline->now + model_delay(model), on_answer, flight, 0);
}

/* The time limit of a request has passed without an answer. */
static void on_refused(void *context, uint64_t model_address)
{
    struct flight *flight = context;
    struct model *model = (struct model *)(uintptr_t)model_address;

    if (flight->request) {
        model->counts.timeouts++;
        flight_answer(flight, HAFT_ECLOSED);
    }
    flight_free(flight);
}

/* A request arrives at Redis, and waits for those before it. */
static void on_arrival(void *context, uint64_t model_address)
{
    struct model *model = (struct model *)(uintptr_t)model_address;
    int64_t from = model->free_at > model->timeline->now ? model->free_at : model->timeline->now;

    if (model->away) {
        timeline_add(model->timeline, model->timeline->now + model->costs.timeout_us, on_refused,
                     context, model_address);
        return;
    }
    model->free_at = from + model->costs.command_us;
    model->counts.busy_us += model->costs.command_us;
    timeline_add(model->timeline, model->free_at, on_execute, context, model_address);
}

static int connection_submit(haft_store *store, haft_store_request *request)
{
    struct connection *connection = (struct connection *)store;
    struct model *model = connection->model;
    struct flight *flight = flight_new(connection, request);
    int64_t now = model->timeline->now;

    if (model->away)
        timeline_add(model->timeline, now + model->costs.timeout_us, on_refused, flight,
                     (uintptr_t)model);
    else
        timeline_add(model->timeline, now + model_delay(model), on_arrival, flight,
                     (uintptr_t)model);
    return HAFT_PENDING;
}

static bool connection_cancel(haft_store *store, haft_store_request *request)
{
    struct connection *connection = (struct connection *)store;
    struct flight *flight = connection->flights;

    while (flight && flight->request != request)
        flight = flight->next;
    if (flight)
        flight_detach(flight);
    return flight;
}

static int connection_scan(haft_store *store, haft_store_scan *scan)
{
    return haft_store_scan_step(((struct connection *)store)->model->state, scan);
}

static int connection_subscribe(haft_store *store, haft_store_subscriber *subscriber)
{
    struct connection *connection = (struct connection *)store;
    struct listener *listener = malloc(sizeof *listener);

    if (!listener)
        return HAFT_ENOMEM;
    *listener = (struct listener){subscriber, connection, connection->model->listeners};
    connection->model->listeners = listener;
    return 0;
}

static void connection_unsubscribe(haft_store *store, haft_store_subscriber *subscriber)
{
    struct listener **link = &((struct connection *)store)->model->listeners, *found;

    while (*link && (*link)->subscriber != subscriber)
        link = &(*link)->next;
    found = *link;
    if (found)
        *link = found->next;
    free(found);
}

void model_disconnect(haft_store *store)
{
    struct connection *connection = (struct connection *)store;

    while (connection->flights)
        flight_answer(connection->flights, HAFT_ECLOSED);
}

static void connection_free(haft_store *store)
{
    struct connection *connection = (struct connection *)store;

    while (connection->flights)
        flight_detach(connection->flights);
    connection->closed = true;
    connection_drop(connection);
}

haft_store *model_connect(struct model *model)
{
    static const haft_store_methods methods = HAFT_INIT(
        haft_store_methods, .name = "model of Redis", .submit = connection_submit,
        .cancel = connection_cancel, .scan = connection_scan, .subscribe = connection_subscribe,
        .unsubscribe = connection_unsubscribe, .free = connection_free);
    struct connection *connection = calloc(1, sizeof *connection);

    if (!connection)
        return NULL;
    connection->store.methods = &methods;
    connection->model = model;
    connection->references = 1;
    return &connection->store;
}

/* ---- life ---- */

struct model *model_new(struct timeline *timeline, const struct model_costs *costs,
                        model_take_function *on_take, void *context)
{
    haft_store_space wide = {.max_entries = 8 << 20, .max_bytes = (size_t)8 << 30};
    struct model *model = calloc(1, sizeof *model);

    if (!model)
        return NULL;
    model->timeline = timeline;
    model->costs = *costs;
    model->on_take = on_take;
    model->context = context;
    wide.name = "rate"; /* which has limits of its own otherwise */
    model->state = haft_store_memory_new(HAFT_WITH(
        haft_store_memory_options,
        .spaces =
            (haft_store_space[]){
                wide, {.name = NULL, .max_entries = wide.max_entries, .max_bytes = wide.max_bytes}},
        .n_spaces = 2));
    if (!model->state) {
        free(model);
        return NULL;
    }
    return model;
}

void model_free(struct model *model)
{
    haft_store_free(model->state);
    free(model);
}

const struct model_counts *model_counts(const struct model *model)
{
    return &model->counts;
}

void model_set_away(struct model *model, bool away)
{
    bool returns = model->away && !away;

    model->away = away;
    for (struct listener *at = model->listeners; at && returns; at = at->next)
        if (at->subscriber->gap)
            at->subscriber->gap(at->subscriber);
}
