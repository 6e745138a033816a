/* hass/tasks.h - work that goes on after its call, inside the client. */
#ifndef HOME_HASS_TASKS_H
#define HOME_HASS_TASKS_H

#include <uv.h>

#include "hass/hass.h"

struct task {
    struct hass_task what;
    unsigned id;  /* 0: free */
    uint64_t due; /* of its next step, in nanoseconds */
    bool ends;    /* it must not take another step */
};

struct tasks {
    uv_mutex_t lock; /* never held while a task takes a step */
    uv_cond_t moved;
    uv_thread_t thread;
    bool runs, stopping; /* the thread does; it must end */
    unsigned latest;     /* id */
    unsigned stepping;   /* id of the task that takes a step; 0 for none */
    struct task list[HASS_MOST_TASKS];
};

/* Returns 0 or an error. */
int hass_tasks_init(struct tasks *tasks);
/* Ends all tasks, and waits for them. */
void hass_tasks_stop(struct hass *hass);
void hass_tasks_finish(struct tasks *tasks);

#endif
