/* demo.c - the demo home as a whole: it is built, entered, left, and time passes. */
#include <time.h>

#include "demo/automation.h"
#include "demo/tick.h"

static int64_t demo_system_clock(void *context)
{
    struct timespec now;

    (void)context;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * DEMO_SECOND + now.tv_nsec / 1000;
}

void demo_enter(struct demo *demo)
{
    pthread_mutex_lock(&demo->lock);
    hf_arena_trim(demo->scratch, 1 << 20);
    demo->now = demo->clock(demo->clock_context);
}

void demo_leave(struct demo *demo)
{
    demo_automations_run(demo);
    demo_flush(demo);
    pthread_mutex_unlock(&demo->lock);
}

struct demo *demo_new(const struct demo_options *options)
{
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    struct demo *demo = allocator->alloc(allocator->context, sizeof *demo);

    if (!demo)
        return NULL;
    *demo = (struct demo){.allocator = *allocator,
                          .clock = options->now ? options->now : demo_system_clock,
                          .clock_context = options->now_context,
                          .seed = options->seed,
                          .random = options->seed};
    if (pthread_mutex_init(&demo->lock, NULL))
        goto lock;
    if (pthread_cond_init(&demo->idle, NULL))
        goto idle;
    demo->now = demo->started = demo->ticked = demo->clock(demo->clock_context);
    demo_uuid(demo, demo->user);
    demo->token = demo_dup(demo, options->token ? options->token : "demo");
    demo->scratch = haft_arena_new(&demo->allocator, DEMO_SCRATCH);
    if (demo->token && demo->scratch && !demo_house_build(demo, options->extra))
        return demo;
    demo_free(demo);
    return NULL;

idle:
    pthread_mutex_destroy(&demo->lock);
lock:
    allocator->release(allocator->context, demo, sizeof *demo);
    return NULL;
}

void demo_free(struct demo *demo)
{
    haft_allocator allocator;

    if (!demo)
        return;
    allocator = demo->allocator;
    demo_holds_drop(demo, NULL);
    demo_entities_free(demo);
    demo_stores_free(demo);
    demo_traces_free(demo);
    haft_arena_free(demo->scratch);
    demo_drop(demo, demo->token);
    pthread_cond_destroy(&demo->idle);
    pthread_mutex_destroy(&demo->lock);
    allocator.release(allocator.context, demo, sizeof *demo);
}

int64_t demo_tick(struct demo *demo)
{
    int64_t next, now, held;

    demo_enter(demo);
    now = demo->now;
    next = demo_sessions_tick(demo);
    demo_tick_all(demo);
    demo_automations_tick(demo);
    held = demo_holds_tick(demo);
    next = held && (!next || held < next) ? held : next;
    for (size_t i = 0; i < demo->n_entities; i++) {
        int64_t due = demo->entities[i]->due;

        next = due && (!next || due < next) ? due : next;
    }
    demo_leave(demo);
    return next ? next > now ? next - now : 0 : -1;
}
