/* tasks.c - work that goes on after its call: one thread, which takes the steps of all tasks.
 *
 * A step does not wait for Home Assistant, so that one task does not hold up the others. */
#include "hass/tasks.h"

#include "hass/build.h"
#include "hass/client.h"
#include "hass/command.h"
#include "hass/filter.h"
#include "hass/reach.h"

/* ---- the thread ---- */

/* With the lock held: the task whose step is due first; NULL if there is none. */
static struct task *tasks_next(struct tasks *tasks)
{
    struct task *next = NULL;

    for (size_t i = 0; i < HASS_MOST_TASKS; i++) {
        struct task *task = &tasks->list[i];

        if (task->id && (!next || task->due < next->due))
            next = task;
    }
    return next;
}

/* With the lock held, which it gives up meanwhile: a step, or the end if there is no other. */
static void tasks_take_step(struct hass *hass, struct task *task)
{
    struct tasks *tasks = &hass->tasks;
    struct hass_task what = task->what;
    bool ends = task->ends;
    unsigned pause = 0;

    tasks->stepping = task->id;
    uv_mutex_unlock(&tasks->lock);
    if (!ends)
        pause = what.step(hass, what.context);
    if (!pause)
        what.end(hass, what.context);
    uv_mutex_lock(&tasks->lock);
    tasks->stepping = 0;
    if (!pause)
        *task = (struct task){.id = 0};
    else if (!task->ends)
        task->due = uv_hrtime() + hass_ms(pause);
    uv_cond_broadcast(&tasks->moved);
}

static void tasks_run(void *context)
{
    struct hass *hass = context;
    struct tasks *tasks = &hass->tasks;
    struct task *task;

    uv_mutex_lock(&tasks->lock);
    while ((task = tasks_next(tasks)) || !tasks->stopping) {
        uint64_t now = uv_hrtime();

        if (!task)
            uv_cond_wait(&tasks->moved, &tasks->lock);
        else if (task->due > now)
            uv_cond_timedwait(&tasks->moved, &tasks->lock, task->due - now);
        else
            tasks_take_step(hass, task);
    }
    uv_mutex_unlock(&tasks->lock);
}

/* With the lock held: it takes no other step. */
static void tasks_end(struct task *task)
{
    task->ends = true;
    task->due = 0;
}

int hass_tasks_init(struct tasks *tasks)
{
    if (uv_mutex_init(&tasks->lock))
        return HAFT_ENOMEM;
    if (!uv_cond_init(&tasks->moved))
        return 0;
    uv_mutex_destroy(&tasks->lock);
    return HAFT_ENOMEM;
}

void hass_tasks_stop(struct hass *hass)
{
    struct tasks *tasks = &hass->tasks;

    uv_mutex_lock(&tasks->lock);
    tasks->stopping = true;
    for (size_t i = 0; i < HASS_MOST_TASKS; i++)
        if (tasks->list[i].id)
            tasks_end(&tasks->list[i]);
    uv_cond_broadcast(&tasks->moved);
    uv_mutex_unlock(&tasks->lock);
    if (tasks->runs)
        uv_thread_join(&tasks->thread);
}

void hass_tasks_finish(struct tasks *tasks)
{
    uv_cond_destroy(&tasks->moved);
    uv_mutex_destroy(&tasks->lock);
}

/* ---- for tools ---- */

/* With the lock held: a task that clashes with the new one; NULL for none. */
static const struct task *tasks_clash(struct tasks *tasks, const struct hass_task *task)
{
    while (tasks->stepping) /* a context changes meanwhile, or is freed */
        uv_cond_wait(&tasks->moved, &tasks->lock);
    for (size_t i = 0; i < HASS_MOST_TASKS; i++)
        if (tasks->list[i].id && task->clashes(task->context, tasks->list[i].what.context))
            return &tasks->list[i];
    return NULL;
}

int hass_start_task(haft_call *call, const struct hass_task *task, unsigned *ret_id)
{
    struct hass *hass = home_hass(call);
    struct tasks *tasks = &hass->tasks;
    const struct task *clash;
    struct task *found = NULL;
    int status = 0;

    uv_mutex_lock(&tasks->lock);
    clash = task->clashes ? tasks_clash(tasks, task) : NULL;
    for (size_t i = 0; i < HASS_MOST_TASKS && !found; i++)
        if (!tasks->list[i].id)
            found = &tasks->list[i];
    if (clash) {
        *ret_id = clash->id;
        status = HAFT_EEXISTS;
    } else if (!found)
        status = HAFT_EBUSY;
    else if (!tasks->runs)
        tasks->runs = !uv_thread_create(&tasks->thread, tasks_run, hass);
    if (!status && !tasks->runs)
        status = HAFT_ENOMEM;
    if (!status) {
        *found = (struct task){.what = *task, .id = ++tasks->latest, .due = uv_hrtime()};
        *ret_id = found->id;
    }
    uv_cond_broadcast(&tasks->moved);
    uv_mutex_unlock(&tasks->lock);
    return status;
}

bool hass_end_task(haft_call *call, unsigned id)
{
    struct tasks *tasks = &home_hass(call)->tasks;
    struct task *found = NULL;

    uv_mutex_lock(&tasks->lock);
    for (size_t i = 0; id && i < HASS_MOST_TASKS; i++)
        if (tasks->list[i].id == id)
            found = &tasks->list[i];
    if (found)
        tasks_end(found);
    uv_cond_broadcast(&tasks->moved);
    while (found && found->id == id)
        uv_cond_wait(&tasks->moved, &tasks->lock);
    uv_mutex_unlock(&tasks->lock);
    return found;
}

int hass_each_task(haft_call *call, int (*see)(void *who, unsigned id, const void *context),
                   void *who)
{
    struct tasks *tasks = &home_hass(call)->tasks;
    unsigned before = 0, latest;
    int status = 0;

    uv_mutex_lock(&tasks->lock);
    latest = tasks->latest; /* one that begins meanwhile is not visited */
    for (;;) {              /* in the order of their ids */
        const struct task *next = NULL;

        for (size_t i = 0; i < HASS_MOST_TASKS; i++) {
            const struct task *task = &tasks->list[i];

            if (task->id > before && task->id <= latest && (!next || task->id < next->id))
                next = task;
        }
        if (!next || status)
            break;
        before = next->id;
        while (tasks->stepping == before) /* its context changes meanwhile */
            uv_cond_wait(&tasks->moved, &tasks->lock);
        if (next->id == before)
            status = see(who, before, next->what.context);
    }
    uv_mutex_unlock(&tasks->lock);
    return status;
}

/* ---- services without waiting ---- */

int hass_reaches(haft_call *call, const char *service, const entity *target)
{
    struct hass_wait wait = hass_wait_for(call);
    struct hass_service what = {.domain = target->domain, .service = service};
    struct hass_build build;
    yyjson_val *data;

    hass_build(&build, wait.hass->allocator);
    hf_json_text(json_key(&build.w, "entity_id"), target->entity_id);
    data = hass_built(&build, haft_call_arena(call));
    return data ? hass_reach_service(&wait, &what, data, &data) : hass_no_memory(call);
}

/* The members of a command; NULL without memory. */
static yyjson_val *tell_fields(struct hass *hass, haft_arena *arena, const char *service,
                               const char *entity_id, const char *members)
{
    struct hass_build build;

    hass_build(&build, hass->allocator);
    hf_json_string(json_key(&build.w, "domain"), entity_id, strcspn(entity_id, "."));
    hf_json_text(json_key(&build.w, "service"), service);
    hf_json_begin_object(json_key(&build.w, "service_data"));
    hf_json_text(json_key(&build.w, "entity_id"), entity_id);
    hf_json_raw_members(&build.w, members, strlen(members));
    hf_json_end_object(&build.w);
    return hass_built(&build, arena);
}

void hass_tell(struct hass *hass, const char *service, const char *entity_id, const char *members)
{
    haft_arena *arena = haft_arena_new(hass->allocator, 1 << 18);
    yyjson_val *fields = NULL;

    if (arena && hass_shows(hass, entity_id))
        fields = tell_fields(hass, arena, service, entity_id, members);
    uv_mutex_lock(&hass->lock);
    if (fields && hass->conn.phase == PHASE_READY)
        hass_post(hass, "call_service", fields);
    uv_mutex_unlock(&hass->lock);
    hass_drain(hass);
    haft_arena_free(arena);
}
