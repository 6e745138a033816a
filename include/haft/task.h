/* haft/task.h - tasks: calls of tools that outlive their request.
 *
 * A tool that declares `task` is answered with the id of a task if the client supports tasks; the
 * handler then runs on a thread for tasks, and the client asks for its state and its result until
 * it has ended.  The same handler serves clients without tasks, which wait for the result:
 *
 *     HAFT_TOOL(build, build_args, build_result, "Builds a project", .task = HAFT_TASK_OPTIONAL);
 *
 * In a task, haft_progress sets the message that clients see, haft_elicit and similar functions
 * become questions that the client answers with tasks/update, and haft_call_cancelled is true after
 * tasks/cancel.  State is in a store (haft/store.h): with one that is durable or shared, tasks
 * survive the end of the process. docs/tasks.md has the details. */
#ifndef HAFT_TASK_H
#define HAFT_TASK_H

#include <haft/loop.h>
#include <haft/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of the tasks of a server.  Zero means the default in each description. */
typedef struct haft_task_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    haft_store *store;  /* where tasks are; must outlive the server; NULL: memory of this process */
    unsigned workers;   /* threads that run tasks: 4 */
    size_t max_queued;  /* tasks that wait for a thread: 1,000 */
    size_t max_tasks;   /* unfinished tasks of this server: 10,000 */
    size_t max_per_client; /* unfinished tasks of each client: 100 */
    size_t max_bytes;      /* bytes of a result, and of the arguments of a task: 4 MiB */
    int64_t ttl_ms;        /* time until a task is deleted, from its creation: 1 hour */
    int64_t max_ttl_ms;    /* maximum of what clients and tools ask for: 24 hours */
    unsigned poll_ms;      /* time between two requests of a client for the state: 1 s */
    /* Time after which another process takes over the tasks of one that has died: 15 s.  The owner
     * renews it three times as often. */
    unsigned lease_ms;
    /* Fills in unpredictable bytes, as in haft_loop.  NULL: libhaft's, or that of the loop of the
     * session. */
    int (*random)(void *context, void *bytes, size_t size);
    void *context; /* first argument of random */
    /* Name that the tasks in the store belong to, such as the path of an endpoint: servers with another
     * one do not see, list or take over these tasks.  Copied.  NULL: the tasks without a name. */
    const char *endpoint;
} haft_task_options;

/* Enables tasks for a server, or changes nothing if they are enabled.  haft_main does it by itself
 * when a tool declares tasks.  options may be NULL.  Call it before the server is used.  Returns 0,
 * HAFT_EINVAL, HAFT_EEXISTS if tasks have been enabled already, or HAFT_ENOMEM. */
int haft_server_set_tasks(haft_server *server, const haft_task_options *options);

/* Runs what is due: queued tasks, renewals, and tasks of processes that have died.  Only for
 * programs without the threads of libhaft, which do this by themselves.  Handlers run on the
 * calling thread.  Returns when to call it again, or -1 if tasks are not enabled. */
haft_time haft_server_run_tasks(haft_server *server, haft_time now);

/* Ends the work on tasks before the process ends: those whose tool says HAFT_TASK_RESTART or
 * HAFT_TASK_RESUME are given up, so that another process takes them; others have so many
 * milliseconds to finish, and are marked as failed then.  The functions that serve do this by
 * themselves.  Tasks that have not begun are also given up. */
void haft_server_stop_tasks(haft_server *server, unsigned milliseconds);

/* ---- for handlers ---- */

/* Returns the id of the task that the handler runs for; NULL if the client waits for the result.
 * Lives as long as the call. */
const char *haft_call_task(const haft_call *call);

/* Saves bytes from which the handler can continue if the process ends (HAFT_TASK_RESUME); they
 * replace those saved earlier.  The bytes are copied.  They are written soon, not at once.  Returns
 * 0, HAFT_ETOOBIG above the limit `max_bytes` of the options, or HAFT_ENOMEM.  Does nothing and
 * returns 0 outside a task.  May be called from any thread. */
int haft_task_save(haft_call *call, const void *bytes, size_t size);

/* Returns the bytes saved by an earlier run of the handler in this task, and their number; NULL if
 * there are none, and outside a task.  They live as long as the call. */
const void *haft_task_saved(haft_call *call, size_t *ret_size);

/* Makes the call a task from here on, for tools with `task_late`.  Returns 0 if the handler must
 * continue: it runs in a task, or the client does not support tasks.  Otherwise returns HAFT_AGAIN,
 * which the handler must return: it is called again in a task, with the answers to its questions so
 * far.  Questions that it asks before are asked while the client waits. */
int haft_task_begin(haft_call *call);

#ifdef __cplusplus
}
#endif
#endif
