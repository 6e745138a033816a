/* watch.c - who wants to know that a task has changed: subscriptions of clients, and requests that
 * wait for the end of a task.
 *
 * The store's messages arrive with a lock held, and say only which task has changed. So they set
 * flags; the news is read later, on a thread for tasks or by haft_server_run_tasks. */
#include <string.h>

#include "task/task.h"

enum {
    WATCH_NEWS = 64,
    WATCH_ARENA = 64 << 20,
    WATCH_IDS = 100,
    WATCH_FOLLOWED = 32 /* tasks of a session with experimental tasks; the oldest is dropped */
};

/* A description of a task that a session has not sent yet. */
struct watch_news {
    struct watch_news *next;
    size_t size, room;
    char text[];
};

struct watched {
    char id[TASK_ID + 1]; /* empty if there is none */
    bool changed;
    enum task_state state; /* that an experimental client knows */
};

struct task_watch {
    struct task_watch *next;
    struct tasks *tasks;
    void (*wake)(void *context);
    void *context;
    struct watch_news *first, **last;
    struct watch_news *given; /* to the session */
    size_t n_news;
    unsigned reading; /* requests that are pending */
    bool closed;
    bool legacy;    /* of a session with experimental tasks */
    size_t next_id; /* then: where the next task is put */
    size_t n;
    struct watched ids[];
};

/* ---- changes ---- */

/* Sets flags only: the store may hold a lock. */
static bool watch_mark(struct tasks *tasks, const char *id, bool of_client)
{
    struct task *task;
    bool any = false;

    hf_tasks_lock(tasks);
    for (struct task_watch *watch = tasks->watches; watch; watch = watch->next)
        for (size_t i = 0; i < watch->n; i++)
            if (!watch->closed && !memcmp(watch->ids[i].id, id, TASK_ID))
                any = watch->ids[i].changed = true;
    for (struct task_waiter *waiter = tasks->waiters; waiter; waiter = waiter->next)
        if (!memcmp(waiter->id, id, TASK_ID)) {
            atomic_store(&waiter->changed, true);
            any = true;
        }
    task = of_client ? hf_task_find(tasks, id) : NULL;
    if (task)
        any = task->poked = true;
    if (any)
        atomic_store(&tasks->news, true);
    hf_tasks_unlock(tasks);
    return any;
}

static void watch_on_message(haft_store_subscriber *subscriber, haft_slice channel,
                             haft_slice value)
{
    struct tasks *tasks = subscriber->context;

    char change = value.size == TASK_ID + 1 ? value.data[TASK_ID] : '\0';
    bool wakes = change && watch_mark(tasks, value.data, change == CHANGE_OF_CLIENT);

    (void)channel;
    if (change == CHANGE_FREED)
        atomic_store(&tasks->freed, true);
    if (wakes || change == CHANGE_FREED)
        hf_tasks_wake(tasks);
}

/* Messages may have been lost: everything may have changed. */
static void watch_on_gap(haft_store_subscriber *subscriber)
{
    struct tasks *tasks = subscriber->context;

    hf_tasks_lock(tasks);
    for (struct task_watch *watch = tasks->watches; watch; watch = watch->next)
        for (size_t i = 0; i < watch->n; i++)
            watch->ids[i].changed = watch->ids[i].id[0];
    for (struct task_waiter *waiter = tasks->waiters; waiter; waiter = waiter->next)
        atomic_store(&waiter->changed, true);
    for (size_t i = 0; i < TASK_SLOTS; i++)
        for (struct task *task = tasks->slots[i]; task; task = task->next)
            task->poked = true;
    atomic_store(&tasks->news, true);
    hf_tasks_unlock(tasks);
    atomic_store(&tasks->freed, true);
    hf_tasks_wake(tasks);
}

int hf_tasks_subscribe(struct tasks *tasks)
{
    int status;

    tasks->subscriber = (haft_store_subscriber){.space = TASK_SPACE,
                                                .channel = HAFT_SLICE(TASK_CHANNEL),
                                                .message = watch_on_message,
                                                .gap = watch_on_gap,
                                                .context = tasks};
    status = haft_store_subscribe(tasks->store, &tasks->subscriber);
    tasks->subscribed = !status;
    /* In a store without channels, owners read their tasks when they renew the leases. */
    return status == HAFT_EINVAL ? 0 : status;
}

void hf_task_changed(struct tasks *tasks, const char *id)
{
    if (watch_mark(tasks, id, false))
        hf_tasks_wake(tasks);
}

/* ---- waiters ---- */

void hf_task_wait(struct tasks *tasks, struct task_waiter *waiter)
{
    bool changed;

    hf_tasks_lock(tasks);
    waiter->listed = true;
    waiter->next = tasks->waiters;
    tasks->waiters = waiter;
    changed = atomic_load(&waiter->changed); /* before it was listed */
    if (changed)
        atomic_store(&tasks->news, true);
    hf_tasks_unlock(tasks);
    if (changed)
        hf_tasks_wake(tasks);
}

bool hf_task_unwait(struct tasks *tasks, struct task_waiter *waiter)
{
    struct task_waiter **link = &tasks->waiters;
    bool listed;

    hf_tasks_lock(tasks);
    listed = waiter->listed;
    waiter->listed = false;
    while (listed && *link != waiter)
        link = &(*link)->next;
    if (listed)
        *link = waiter->next;
    hf_tasks_unlock(tasks);
    return listed;
}

/* Removes a waiter whose task has changed from the list; NULL if there is none. */
static struct task_waiter *watch_take_waiter(struct tasks *tasks)
{
    struct task_waiter **link = &tasks->waiters, *waiter;

    hf_tasks_lock(tasks);
    while (*link && !atomic_load(&(*link)->changed))
        link = &(*link)->next;
    waiter = *link;
    if (waiter) {
        *link = waiter->next;
        waiter->listed = false;
    }
    hf_tasks_unlock(tasks);
    return waiter;
}

/* ---- subscriptions ---- */

static void watch_drop_news(struct task_watch *watch, struct watch_news *news)
{
    const haft_allocator *allocator = watch->tasks->allocator;

    if (news)
        allocator->release(allocator->context, news, sizeof *news + news->room);
}

static void watch_free(struct task_watch *watch)
{
    const haft_allocator *allocator = watch->tasks->allocator;

    while (watch->first) {
        struct watch_news *news = watch->first;

        watch->first = news->next;
        watch_drop_news(watch, news);
    }
    watch_drop_news(watch, watch->given);
    allocator->release(allocator->context, watch, sizeof *watch + watch->n * sizeof *watch->ids);
}

/* Frees a watch that has been closed and has no pending requests; with the lock held. */
static bool watch_collect(struct task_watch *watch)
{
    struct task_watch **link = &watch->tasks->watches;

    if (!watch->closed || watch->reading)
        return false;
    while (*link != watch)
        link = &(*link)->next;
    *link = watch->next;
    watch_free(watch);
    return true;
}

static struct task_watch *watch_new(struct tasks *tasks, size_t n, void (*wake)(void *context),
                                    void *context)
{
    const haft_allocator *allocator = tasks->allocator;
    size_t size = sizeof(struct task_watch) + n * sizeof(struct watched);
    struct task_watch *watch = allocator->alloc(allocator->context, size);

    if (!watch)
        return NULL;
    memset(watch, 0, size);
    watch->tasks = tasks;
    watch->wake = wake;
    watch->context = context;
    watch->last = &watch->first;
    watch->n = n;
    return watch;
}

/* With the lock held. */
static void watch_link(struct task_watch *watch)
{
    watch->next = watch->tasks->watches;
    watch->tasks->watches = watch;
}

struct task_watch *hf_task_follow(struct tasks *tasks, struct task_watch *watch, const char *id,
                                  void (*wake)(void *context), void *context)
{
    bool made = !watch;
    struct watched *watched;

    if (made)
        watch = watch_new(tasks, WATCH_FOLLOWED, wake, context);
    if (!watch)
        return NULL;
    hf_tasks_lock(tasks);
    if (made)
        watch_link(watch);
    watch->legacy = true;
    watched = &watch->ids[watch->next_id++ % watch->n];
    /* It may have ended already. */
    *watched = (struct watched){.changed = true, .state = TASK_WORKING};
    memcpy(watched->id, id, TASK_ID);
    atomic_store(&tasks->news, true);
    hf_tasks_unlock(tasks);
    hf_tasks_wake(tasks);
    return watch;
}

struct task_watch *hf_task_watch(struct tasks *tasks, yyjson_val *ids, void (*wake)(void *context),
                                 void *context)
{
    struct task_watch *watch = watch_new(tasks, yyjson_arr_size(ids), wake, context);
    size_t i, max;
    yyjson_val *id;

    if (!watch)
        return NULL;
    if (ids)
        yyjson_arr_foreach(ids, i, max, id) {
            memcpy(watch->ids[i].id, yyjson_get_str(id), TASK_ID);
            watch->ids[i].changed = true; /* the client learns the current state first */
        }
    hf_tasks_lock(tasks);
    watch_link(watch);
    atomic_store(&tasks->news, true);
    hf_tasks_unlock(tasks);
    hf_tasks_wake(tasks);
    return watch;
}

void hf_task_unwatch(struct task_watch *watch)
{
    struct tasks *tasks = watch->tasks;

    hf_tasks_lock(tasks);
    watch->closed = true;
    watch->wake = NULL;
    watch_collect(watch);
    hf_tasks_unlock(tasks);
}

void hf_task_watches_free(struct tasks *tasks)
{
    while (tasks->watches) {
        struct task_watch *watch = tasks->watches;

        tasks->watches = watch->next;
        watch_free(watch);
    }
}

const char *hf_task_news(struct task_watch *watch, size_t *ret_size)
{
    struct watch_news *news;

    hf_tasks_lock(watch->tasks);
    watch_drop_news(watch, watch->given);
    news = watch->given = watch->first;
    if (news) {
        watch->first = news->next;
        watch->n_news--;
        if (!watch->first)
            watch->last = &watch->first;
    }
    hf_tasks_unlock(watch->tasks);
    if (!news)
        return NULL;
    *ret_size = news->size;
    return news->text;
}

/* ---- reading the news ---- */

struct watch_reading {
    struct task_io io;
    struct task_watch *watch;
    haft_arena *arena;
};

/* Adds news; if the client does not read, the oldest is dropped. With the lock held. */
static void watch_add_news(struct task_watch *watch, struct watch_news *news)
{
    if (watch->n_news >= WATCH_NEWS) {
        struct watch_news *oldest = watch->first;

        watch->first = oldest->next;
        watch->n_news--;
        watch_drop_news(watch, oldest);
        if (!watch->first)
            watch->last = &watch->first;
    }
    news->next = NULL;
    *watch->last = news;
    watch->last = &news->next;
    watch->n_news++;
}

/* Whether an experimental client does not know the state of the task yet; it does from now on. A task that has ended
 * is not followed any more. */
static bool watch_is_new(struct task_watch *watch, const struct task_record *record)
{
    enum task_state state = record->is_error ? TASK_FAILED : hf_task_seen_state(record);
    bool is_new = false;

    hf_tasks_lock(watch->tasks);
    for (size_t i = 0; i < watch->n; i++) {
        struct watched *watched = &watch->ids[i];

        if (memcmp(watched->id, record->id, TASK_ID) != 0)
            continue;
        is_new = watched->state != state;
        watched->state = state;
        if (task_is_over(state))
            *watched = (struct watched){.changed = false};
    }
    hf_tasks_unlock(watch->tasks);
    return is_new;
}

static struct watch_news *watch_describe(struct watch_reading *reading)
{
    struct tasks *tasks = reading->watch->tasks;
    struct task_record record;
    struct watch_news *news = NULL;
    haft_buffer text;
    struct json_writer w;

    if (hf_task_view_read(&reading->io, reading->arena, &record) ||
        (reading->watch->legacy && !watch_is_new(reading->watch, &record)))
        return NULL;
    haft_buffer_init(&text, tasks->allocator, WATCH_ARENA);
    w = json_members(&text, false);
    if (reading->watch->legacy)
        hf_task_write(&w, tasks, &record, true);
    else
        hf_task_write_detailed(&w, tasks, &record);
    if (!text.status)
        news = tasks->allocator->alloc(tasks->allocator->context, sizeof *news + text.size);
    if (news) {
        news->room = news->size = text.size;
        memcpy(news->text, text.data, text.size);
    }
    haft_buffer_finish(&text);
    return news;
}

static void watch_read(struct task_io *io)
{
    struct watch_reading *reading = io->context;
    struct task_watch *watch = reading->watch;
    struct tasks *tasks = io->tasks;
    const haft_allocator *allocator = tasks->allocator;
    struct watch_news *news = watch_describe(reading);

    haft_arena_free(reading->arena);
    allocator->release(allocator->context, reading, sizeof *reading);
    hf_tasks_lock(tasks);
    watch->reading--;
    if (news && !watch->closed)
        watch_add_news(watch, news);
    else
        watch_drop_news(watch, news);
    /* Closing takes the lock as well, so that the session exists while it is woken. */
    if (!watch_collect(watch) && watch->wake && watch->first)
        watch->wake(watch->context);
    hf_tasks_unlock(tasks);
}

static bool watch_begin_reading(struct task_watch *watch, struct watched *watched)
{
    const haft_allocator *allocator = watch->tasks->allocator;
    struct watch_reading *reading = allocator->alloc(allocator->context, sizeof *reading);

    if (!reading)
        return false;
    reading->arena = haft_arena_new(allocator, WATCH_ARENA);
    if (!reading->arena) {
        allocator->release(allocator->context, reading, sizeof *reading);
        return false;
    }
    reading->watch = watch;
    hf_task_io_init(&reading->io, watch->tasks, watched->id, reading->arena, watch_read, reading);
    hf_task_view_add(&reading->io);
    hf_task_io_submit(&reading->io);
    return true;
}

/* Finds a watched task that has changed, and counts a request for it; with the lock held. */
static struct task_watch *watch_next(struct tasks *tasks, struct watched **ret_watched)
{
    for (struct task_watch *watch = tasks->watches; watch; watch = watch->next)
        for (size_t i = 0; i < watch->n && !watch->closed; i++)
            if (watch->ids[i].changed) {
                watch->ids[i].changed = false;
                watch->reading++;
                *ret_watched = &watch->ids[i];
                return watch;
            }
    return NULL;
}

static void watch_read_all(struct tasks *tasks)
{
    struct watched *watched;
    struct task_watch *watch;

    for (;;) {
        hf_tasks_lock(tasks);
        watch = watch_next(tasks, &watched);
        hf_tasks_unlock(tasks);
        if (!watch)
            return;
        if (watch_begin_reading(watch, watched))
            continue;
        hf_tasks_lock(tasks); /* without memory it is tried again later */
        watched->changed = true;
        watch->reading--;
        watch_collect(watch);
        atomic_store(&tasks->news, true);
        hf_tasks_unlock(tasks);
        return;
    }
}

void hf_tasks_read_news(struct tasks *tasks)
{
    struct task_waiter *waiter;

    atomic_store(&tasks->news, false);
    while ((waiter = watch_take_waiter(tasks)))
        waiter->woken(waiter);
    watch_read_all(tasks);
}

/* ---- which tasks a client may watch ---- */

struct watch_admission {
    struct task_io io;
    haft_arena *arena; /* memory of the task that is read */
    yyjson_val *ids;
    size_t next, kept;
    void (*then)(haft_call *call);
};

static void admit_read(struct task_io *io);

static void admit_end(haft_call *call, struct watch_admission *admission)
{
    haft_arena_free(admission->arena);
    admission->then(call);
}

/* Reads the next task, or ends with the ids that remain. */
static void admit_step(haft_call *call, struct watch_admission *admission)
{
    yyjson_val *all = yyjson_arr_get_first(admission->ids);
    size_t n = yyjson_arr_size(admission->ids);
    char id[TASK_ID + 1];

    while (admission->next < n && !hf_task_id_is_right(all + admission->next))
        admission->next++;
    if (admission->next < n) {
        memcpy(id, yyjson_get_str(all + admission->next), TASK_ID);
        hf_task_io_init(&admission->io, call->server->tasks.service, id, admission->arena,
                        admit_read, call);
        hf_task_io_add(&admission->io, HAFT_STORE_GET, "task");
        hf_task_io_submit(&admission->io);
        return;
    }
    unsafe_yyjson_set_len(admission->ids, admission->kept);
    admission->ids->uni.ofs = (admission->kept + 1) * sizeof *admission->ids;
    admit_end(call, admission);
}

static void admit_read(struct task_io *io)
{
    haft_call *call = io->context;
    struct watch_admission *admission = call->handler.out;
    yyjson_val *all = yyjson_arr_get_first(admission->ids); /* strings: one value each */
    struct task_record record;
    int status = hf_task_view_read(io, admission->arena, &record);

    if (status && status != HAFT_ENOTFOUND && status != HAFT_EPARSE) {
        hf_task_refuse_status(call, status);
        admit_end(call, admission);
        return;
    }
    if (!status && hf_task_is_of(&record, call))
        all[admission->kept++] = all[admission->next];
    haft_arena_reset(admission->arena);
    admission->next++;
    admit_step(call, admission);
}

void hf_task_admit_ids(struct tasks *tasks, haft_call *call, yyjson_val *ids,
                       void (*then)(haft_call *call))
{
    struct watch_admission *admission = haft_arena_zalloc(call->arena, 1, sizeof *admission);

    if (call->owner->now > atomic_load(&tasks->now))
        atomic_store(&tasks->now, call->owner->now);
    call->handler.out = admission;
    if (admission)
        admission->arena = haft_arena_new(tasks->allocator, WATCH_ARENA);
    if (!admission || !admission->arena || yyjson_arr_size(ids) > WATCH_IDS) {
        bool starved = !admission || !admission->arena;

        hf_task_refuse(call, starved ? RPC_INTERNAL_ERROR : RPC_INVALID_PARAMS,
                       starved ? "Out of memory" : "Too many tasks in one subscription");
        if (admission)
            haft_arena_free(admission->arena);
        then(call);
        return;
    }
    admission->ids = ids;
    admission->then = then;
    admit_step(call, admission);
}
