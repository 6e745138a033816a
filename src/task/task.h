/* task/task.h - tasks of a server: the interface between the files of this room.
 *
 * A task is a group of entries in the store. Its owner, the process that holds its lease, also has a
 * struct task for it, until the task has ended. Everything else, in any process, reads the store.
 * docs/internals/task.md describes the entries. */
#ifndef HAFT_SRC_TASK_TASK_H
#define HAFT_SRC_TASK_TASK_H

#include <haft/task.h>

#include "engine/call/inner.h"
#include "task/platform.h"

#define TASK_SPACE                                                                                 \
    "task" /* namespace of the tasks; the group is the id, after the tag if there is one */
#define TASK_INDEX "task.index" /* namespace with a short entry for each task */
#define TASK_CHANNEL "changes"  /* of the namespace of tasks: ids of tasks that have changed */

enum {
    TASK_ID_BYTES = 20, /* random */
    TASK_ID = TASK_ID_BYTES * 2,
    TASK_TAG = HEX_TEXT, /* of an endpoint, before the id in groups */
    TASK_MESSAGE = 512,
    TASK_IO_OPS = 6,
    TASK_SLOTS = 1024,   /* of the table of tasks */
    TASK_TICK = 200,     /* milliseconds between two calls of hf_tasks_work, if there are tasks */
    TASK_MAX_ROUNDS = 64 /* of questions */
};

/* States of a task, as the store has them. */
#define TASK_STATES(X)                                                                             \
    X(TASK_WORKING, "working")                                                                     \
    X(TASK_INPUT, "input_required")                                                                \
    X(TASK_COMPLETED, "completed")                                                                 \
    X(TASK_FAILED, "failed")                                                                       \
    X(TASK_CANCELLED, "cancelled")

enum task_state {
#define TASK_STATE_(state, name) state,
    TASK_STATES(TASK_STATE_) TASK_STATE_COUNT
#undef TASK_STATE_
};

static inline bool task_is_over(enum task_state state)
{
    return state >= TASK_COMPLETED;
}

const char *hf_task_state_name(enum task_state state);

/* ---- requests to the store (io.c) ---- */

struct task_io {
    haft_store_request request;
    haft_store_op ops[TASK_IO_OPS];
    char id[TASK_ID + 2]; /* and room for the kind of change */
    char group[TASK_TAG + TASK_ID];
    struct tasks *tasks;
    void *context;
    void (*then)(struct task_io *io); /* called once, on any thread */
};

/* The id of a task in the name of a group; NULL if the group is not a task of this endpoint. */
const char *hf_task_group_id(const struct tasks *tasks, haft_slice group);
/* Prepares a request about a task; `then` follows hf_task_io_submit, perhaps before it returns. */
void hf_task_io_init(struct task_io *io, struct tasks *tasks, const char *id, haft_arena *arena,
                     void (*then)(struct task_io *io), void *context);
haft_store_op *hf_task_io_add(struct task_io *io, haft_store_kind kind, const char *key);
haft_store_op *hf_task_io_put(struct task_io *io, const char *key, const char *bytes, size_t size);
/* Tells other processes that the task has changed, in the same request: by its owner, by a client, or that it has no
 * owner any more. */
enum task_change { CHANGE_OF_OWNER = 'o', CHANGE_OF_CLIENT = 'c', CHANGE_FREED = 'f' };
void hf_task_io_publish(struct task_io *io, enum task_change change);
void hf_task_io_submit(struct task_io *io);
/* Whether an applied request survives the end of the process, or the store does not promise that. */
bool hf_task_io_is_kept(const struct task_io *io);

/* ---- what the store has (record.c) ---- */

/* A task as it is in the store. The strings are in an arena. */
struct task_record {
    char id[TASK_ID + 1];
    enum task_state state;
    const char *tool, *principal, *message; /* NULL for none, except the tool */
    haft_time created, updated;
    int64_t ttl, limit; /* limit: of the handler's time; 0 for the ttl */
    haft_task_crash crash;
    bool began;      /* a handler has run */
    unsigned rounds; /* of questions */
    yyjson_val
        *questions;      /* by the key that clients see: {"key","method","params"}; NULL for none */
    yyjson_val *answers; /* by the same key; NULL for none */
    const char *state_text;
    struct text outcome; /* the result or the error, as JSON; empty if it is missing */
    bool is_error;       /* the result says so */
};

/* The entry of a task in the index: whether it has ended, and a hash of its principal. */
enum { INDEX_TEXT = 1 + HEX_TEXT, INDEX_LIVE = 'l', INDEX_OVER = 'o' };
void hf_task_index_write(char over, const char *principal, char ret_text[INDEX_TEXT]);

/* Reads the value of the entry `task`, which may be anything. Returns 0, HAFT_EPARSE or
 * HAFT_ENOMEM. */
int hf_task_record_read(haft_slice value, haft_arena *arena, struct task_record *ret_record);
void hf_task_record_write(const struct task_record *record, haft_buffer *out);
/* The object in a value of the store; NULL if it is not one. */
yyjson_val *hf_task_object(haft_slice value, haft_arena *arena);

/* Whether a question is not answered yet. */
bool hf_task_is_open(const struct task_record *record, yyjson_val *key);
/* The state that clients see: a task whose questions have all been answered is working. */
enum task_state hf_task_seen_state(const struct task_record *record);

/* Write a task for clients, as members of an object: without outcome and questions, or with them. */
void hf_task_write(struct json_writer *w, const struct tasks *tasks,
                   const struct task_record *record, bool legacy);
void hf_task_write_detailed(struct json_writer *w, const struct tasks *tasks,
                            const struct task_record *record);

/* Prepares reading all that clients see of a task: hf_task_view_read reads it from the finished
 * request. Returns 0, HAFT_ENOTFOUND, or another error. */
void hf_task_view_add(struct task_io *io);
int hf_task_view_read(struct task_io *io, haft_arena *arena, struct task_record *ret_record);

/* ---- tasks of this process ---- */

enum task_place {
    PLACE_NONE,    /* ended, or given up */
    PLACE_NEW,     /* is being created */
    PLACE_QUEUED,  /* waits for a thread */
    PLACE_LOADING, /* is being read from the store */
    PLACE_HELD,    /* its tool has as many calls as it may; tried again later */
    PLACE_MARKING, /* the store does not know yet that its handler begins */
    PLACE_RUNNING, /* its handler runs or is pending */
    PLACE_ASKING   /* waits for answers; holds no thread */
};

/* Whether the store knows that the handler of a tool with HAFT_TASK_FAIL runs, which must be so before it does. */
enum task_mark {
    MARK_NONE,   /* no: another process would run it */
    MARK_WANTED, /* the next request says so */
    MARK_SENT,   /* the pending request says so */
    MARK_KEPT    /* yes, durably if the store can */
};

/* What the owner has to write. */
struct task_writing {
    struct task_io io;
    haft_buffer text;
    bool busy;                  /* a request is pending */
    bool dirty;                 /* the record has changed */
    bool renew;                 /* the lease must be renewed */
    bool lost;                  /* another process has taken the lease */
    bool saves;                 /* `saved` has changed */
    bool leaves;                /* the lease is given up: the next request deletes it */
    bool leave_sent;            /* the pending request does so */
    enum task_mark mark;        /* of the run */
    haft_buffer saved, sending; /* bytes of the handler; those of the pending request */
    haft_time at;               /* of the latest request */
    haft_time renews;           /* when the lease must be renewed */
    uint64_t lease, version;    /* of the entries `lease` (0: it has expired) and `task` */
    bool end_sent;              /* the pending request ends the task */
    bool unsure;                /* the store must be read before the next request */
    bool refused;               /* because it did not apply the latest one */
    haft_arena *reading;        /* memory of the request that reads it */
};

/* The handler's run. */
struct task_run {
    struct task_io io; /* that reads what it needs */
    haft_call *call;   /* NULL if there is none */
    bool loaded;       /* the call has what the store knows of the task */
    unsigned tries;    /* to load it that the store failed */
    unsigned users;    /* that keep the task and its call alive; the handler is one */
    struct call_task view;
    atomic_int phase; /* RUN_... */
    int finished;     /* status of haft_finish */
    haft_time deadline;
    bool in_line;    /* waits for its turn (cap.c) */
    bool aside;      /* is in the queue `unmarked` */
    bool marking;    /* counts in n_marking */
    unsigned ending; /* handlers that have returned and whose outcome has not been recorded */
};

/* A task that this process owns. Members are under the lock of struct tasks, except where a flag of
 * one of the parts says that a thread has them for itself. */
struct task {
    struct task *next;   /* in its slot of the table */
    struct task *behind; /* in a queue, */
    struct task **link;  /* where the pointer to this one is; NULL if it is in none */
    struct tasks *tasks;
    enum task_place place;
    struct task_record record; /* its strings are in `arena` */
    haft_arena *arena;
    char message[TASK_MESSAGE];
    haft_buffer questions; /* JSON of record.questions; empty for none */
    haft_buffer state_text;
    haft_buffer outcome;
    haft_time expires;
    bool poked;      /* a client has changed it */
    uint64_t client; /* hash of the principal */
    struct task_writing writing;
    struct task_run run;
};

struct task_waiter;

struct task_queue {
    struct task *first, **last;
};

/* Which task runs next (queue.c). */
struct task_schedule {
    struct task_queue ready; /* tasks that wait for a thread */
    struct task_queue
        unmarked; /* those among them that must be marked and have no thread to run on then */
    size_t n_unmarked;
    size_t n_loading; /* tasks in PLACE_LOADING */
    size_t n_marking; /* tasks that are being marked, or have been and have not begun */
    size_t n_busy;    /* threads that run a handler */
};

struct tasks {
    haft_server *server;
    const haft_allocator *allocator;
    haft_task_options options;
    haft_store *store, *own_store;
    atomic_flag lock;
    _Atomic(haft_time) now;
    struct task *slots[TASK_SLOTS];
    unsigned clients[TASK_SLOTS]; /* number of tasks by the hash of their client */
    atomic_size_t n_tasks, n_queued, n_running;
    struct task_schedule schedule;
    char tag[TASK_TAG + 1]; /* of the endpoint; empty if it has no name */
    char owner[17];         /* name of this process in leases; dashes without random numbers */
    struct task_watch *watches;
    struct task_waiter *waiters;
    haft_store_subscriber subscriber;
    bool subscribed;
    atomic_bool stopping;
    atomic_bool news;  /* a watch or a waiter has something to read */
    atomic_bool freed; /* another process has given up tasks: a scan finds them */
    atomic_bool idle;  /* there are no tasks: hf_tasks_work is called rarely */
    struct task_scan *scan;
    const struct task_platform *platform;
    void (*start)(struct tasks *tasks); /* starts the threads */
    atomic_bool started;
    _Atomic(void *) threads;                /* NULL if there are none */
    atomic_uint pending;                    /* requests to the store */
    atomic_ullong counts[TASK_STATE_COUNT]; /* tasks created, and ended in each state */
};

void hf_tasks_lock(struct tasks *tasks);
void hf_tasks_unlock(struct tasks *tasks);
/* Starts the threads, if the call came through a loop with threads. */
void hf_tasks_start_for(struct tasks *tasks, const haft_call *call);
/* Ask for hf_tasks_work, or for hf_tasks_run_one, on another thread if there are threads. */
void hf_tasks_wake(struct tasks *tasks);
void hf_tasks_wake_worker(struct tasks *tasks);
haft_time hf_tasks_now(struct tasks *tasks);
int hf_tasks_random(struct tasks *tasks, const haft_loop *loop, void *bytes, size_t size);

/* Finds a task of this process, with the lock held; NULL if there is none. */
struct task *hf_task_find(struct tasks *tasks, const char *id);
/* Milliseconds until the task is deleted, from 1 to its ttl. */
int64_t hf_task_left(struct tasks *tasks, const struct task_record *record);
/* Creates a task that is not in the table; NULL without memory. */
struct task *hf_task_new(struct tasks *tasks, const struct task_record *record);
void hf_task_link(struct task *task); /* with the lock held */
/* Frees an ended task if nothing uses it any more, with the lock held. */
void hf_task_collect(struct task *task);
void hf_task_free(struct task *task);
uint64_t hf_task_client(const char *principal);

/* Whether the task is not this process' any more, or will not be: with the lock held. */
static inline bool task_is_left(const struct task *task)
{
    return task->writing.lost || task->writing.leaves;
}

/* ---- writing (settle.c, end.c) ---- */

/* Writes what has changed, unless a request is pending; on any thread, without the lock. */
void hf_task_flush(struct task *task);
/* Ends a task, once: with the outcome, which may be NULL. Cancels its handler. On any thread,
 * without the lock. The task may be gone afterwards. */
void hf_task_end(struct task *task, enum task_state state, const char *message, const char *outcome,
                 size_t size);
/* The same with a JSON-RPC error. */
void hf_task_fail(struct task *task, int code, const char *format, ...) HAFT_PRINTF_(3, 4);
/* Gives up the lease with the next request, so that another process can take the task as the store has it then. Returns
 * whether it does: not if the task has ended or is about to, or has a handler that must not run again. */
bool hf_task_give_up(struct task *task);
/* Cancels a task of this process, if it is one. */
void hf_task_cancel_here(struct tasks *tasks, const char *id);

/* ---- which runs next (queue.c), with the lock held ---- */

void hf_task_queues_init(struct tasks *tasks);
/* Puts a task at the end of the queue, or at its front if its call is loaded. */
void hf_task_queue(struct task *task);
/* Takes the next task off the queue; NULL if there is none for this thread. */
struct task *hf_task_dequeue(struct tasks *tasks);
/* Takes a task off the queue. Returns whether it was there. */
bool hf_task_unqueue(struct task *task);
/* Whether its handler may not begin before the store knows. */
bool hf_task_needs_mark(const struct task *task);
/* Queues a task that waited for its mark, if the store has it. */
bool hf_task_resume(struct task *task);

/* ---- running (run.c, handler.c, ask.c) ---- */

/* Runs a queued task; returns false if there is none. */
bool hf_tasks_run_one(struct tasks *tasks, haft_time now);
/* Ends a run that has not begun, if the task has ended or is lost: it does not wait in the queue, or for its mark, any
 * more. Without the lock; the caller has a user. */
void hf_task_drop_queued(struct task *task);
/* Whether the request that reads what a run needs has found a cancellation. */
bool hf_task_load_is_cancelled(const struct task_io *io);
/* Creates the call of a task from what the store has. Returns 0 or an error, with a text for the
 * client. */
int hf_task_call_new(struct task *task, struct task_io *io, const char **reterr_text,
                     int *reterr_code);
/* Adds a user, with the lock held, and releases one, without it: the last one frees the call, and the
 * task if it has ended. */
static inline void task_pin(struct task *task)
{
    task->run.users++;
}
void hf_task_unpin(struct task *task);
/* The handler has returned HAFT_AGAIN: keeps its questions. */
void hf_task_ask(struct task *task);
/* A client has answered or cancelled a task: if this process owns it, reads that and continues;
 * without the lock. */
void hf_task_check(struct tasks *tasks, const char *id);

/* ---- time, leases (lease.c) ---- */

/* Does what is due, and returns when to be called again. */
haft_time hf_tasks_work(struct tasks *tasks, haft_time now);
/* As in struct task_hooks. */
void hf_tasks_leave(struct tasks *tasks, unsigned ms);
void hf_tasks_stop(struct tasks *tasks, unsigned ms);
/* Lets waiting requests read their task. */
void hf_tasks_wake_waiters(struct tasks *tasks);

/* ---- tasks without an owner (takeover.c) ---- */

/* Makes one step of a scan, if one is due. */
void hf_task_scan(struct tasks *tasks, haft_time now);
/* Whether it has further steps. */
bool hf_task_scan_goes_on(const struct tasks *tasks);
void hf_task_scan_free(struct tasks *tasks);

/* ---- requests of clients (create.c, method.c, legacy.c, watch.c) ---- */

bool hf_task_take(struct tasks *tasks, haft_call *call, bool late);
bool hf_task_may_take(struct tasks *tasks, haft_call *call);
void hf_task_handle(struct tasks *tasks, haft_call *call);
/* Prepares a call of a method of tasks; it must be answered by `complete`. */
void hf_task_method_start(haft_call *call, int (*execute)(haft_call *call),
                          void (*complete)(haft_call *call));
/* Sets the error of a call. Returns HAFT_EFAIL. */
int hf_task_refuse(haft_call *call, int code, const char *message);
int hf_task_refuse_extension(haft_call *call);
/* The same for a status of the store or of hf_task_view_read. */
int hf_task_refuse_status(haft_call *call, int status);
/* Whether the client of a call may see the task. */
bool hf_task_is_of(const struct task_record *record, const haft_call *call);
/* Reads the id of the request. Returns false if the request was refused: the call has an error. */
bool hf_task_id_of(haft_call *call, char ret_id[TASK_ID + 1]);
bool hf_task_id_is_right(yyjson_val *value);

int hf_task_result(haft_call *call);
int hf_task_list(haft_call *call);
void hf_task_complete_result(haft_call *call);
void hf_task_complete_list(haft_call *call);
/* Stores answers, keys as clients see them; calls `then` with 0 or an error. */
void hf_task_answer(struct tasks *tasks, haft_call *call, const char *id, yyjson_val *answers,
                    void (*then)(haft_call *call, int status));

/* A task has changed, here or in another process; on any thread, also with locks of the store. */
void hf_task_changed(struct tasks *tasks, const char *id);
int hf_tasks_subscribe(struct tasks *tasks);
/* Reads the news that watches and waiters need. */
void hf_tasks_read_news(struct tasks *tasks);
/* Calls `woken` once when the task changes, on any thread. */
struct task_waiter {
    struct task_waiter *next;
    char id[TASK_ID + 1];
    bool listed;
    atomic_bool changed;
    void (*woken)(struct task_waiter *waiter);
    void *context;
};
void hf_task_wait(struct tasks *tasks, struct task_waiter *waiter);
bool hf_task_unwait(struct tasks *tasks, struct task_waiter *waiter);

void hf_task_admit_ids(struct tasks *tasks, haft_call *call, yyjson_val *ids,
                       void (*then)(haft_call *call));
struct task_watch *hf_task_watch(struct tasks *tasks, yyjson_val *ids, void (*wake)(void *context),
                                 void *context);
const char *hf_task_news(struct task_watch *watch, size_t *ret_size);
void hf_task_unwatch(struct task_watch *watch);
struct task_watch *hf_task_follow(struct tasks *tasks, struct task_watch *watch, const char *id,
                                  void (*wake)(void *context), void *context);
void hf_task_watches_free(struct tasks *tasks);

#endif
