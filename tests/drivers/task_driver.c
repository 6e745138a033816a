/* task_driver.c - a server of tasks in a SQLite file or in Redis that kills itself at a chosen request to the store.
 *
 * TASK_FILE is the file, TASK_REDIS the URL. TASK_KILL is "before N" or "after N": the process kills itself (SIGKILL) before its Nth request
 * reaches the store, or when that is done and before the server hears of it; with "begin N" its Nth handler does so as
 * soon as it has begun. TASK_LEDGER is a directory: each handler
 * writes a line there when it begins and when it ends, and holds a lock on a file of its task meanwhile, so that a test
 * sees every run, and two runs of one task at the same time. TASK_CLOCK is a number of seconds that is added to the time of
 * day, TASK_TTL the time to live of tasks in milliseconds, TASK_LEASE the time after which another process takes the tasks
 * of one that says nothing: 600 ms. */
#define _GNU_SOURCE /* kill, flock, syscall */
#include <fcntl.h>
#include <haft.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- a clock that was set ---- */

/* Replaces that of the C library for everything that is linked into this program. */
int clock_gettime(clockid_t id, struct timespec *ret_time)
{
    const char *seconds = id == CLOCK_REALTIME ? getenv("TASK_CLOCK") : NULL;
    int status = (int)syscall(SYS_clock_gettime, id, ret_time);

    if (!status && seconds)
        ret_time->tv_sec += (time_t)strtol(seconds, NULL, 10);
    return status;
}

/* ---- a store that kills ---- */

struct killing_store {
    haft_store store; /* must be first */
    haft_store *inner;
    atomic_int n;
    int kill_at; /* number of a request; 0: never */
    bool after;
};

/* A request under way, with the function that the server wants to have called. */
struct under_way {
    struct killing_store *killing;
    int number;
    void (*done)(haft_store_request *request);
    void *context;
};

static void killing_check(const struct killing_store *killing, int number, bool after)
{
    if (number == killing->kill_at && after == killing->after)
        kill(getpid(), SIGKILL);
}

static struct under_way under_way_end(haft_store_request *request)
{
    struct under_way *kept = request->context, ended = *kept;

    request->done = ended.done;
    request->context = ended.context;
    free(kept);
    return ended;
}

static void on_done(haft_store_request *request)
{
    struct under_way ended = under_way_end(request);

    killing_check(ended.killing, ended.number, true);
    request->done(request);
}

static int killing_submit(haft_store *store, haft_store_request *request)
{
    struct killing_store *killing = (struct killing_store *)store;
    struct under_way *kept = malloc(sizeof *kept);
    int status;

    if (!kept)
        return HAFT_ENOMEM;
    *kept = (struct under_way){killing, atomic_fetch_add(&killing->n, 1) + 1, request->done,
                               request->context};
    killing_check(killing, kept->number, false);
    request->done = on_done;
    request->context = kept;
    status = haft_store_submit(killing->inner, request);
    if (status != HAFT_PENDING)
        under_way_end(request);
    return status;
}

static bool killing_cancel(haft_store *store, haft_store_request *request)
{
    struct killing_store *killing = (struct killing_store *)store;

    if (!haft_store_cancel(killing->inner, request))
        return false;
    under_way_end(request);
    return true;
}

static int killing_scan(haft_store *store, haft_store_scan *scan)
{
    return haft_store_scan_step(((struct killing_store *)store)->inner, scan);
}

static int killing_subscribe(haft_store *store, haft_store_subscriber *subscriber)
{
    return haft_store_subscribe(((struct killing_store *)store)->inner, subscriber);
}

static void killing_unsubscribe(haft_store *store, haft_store_subscriber *subscriber)
{
    haft_store_unsubscribe(((struct killing_store *)store)->inner, subscriber);
}

static const haft_store_methods killing_methods = HAFT_INIT(
    haft_store_methods, .name = "killing", .submit = killing_submit, .cancel = killing_cancel,
    .scan = killing_scan, .subscribe = killing_subscribe, .unsubscribe = killing_unsubscribe);

static atomic_int handlers_left; /* that may begin before one kills the process; 0: none does */

static void killing_configure(struct killing_store *killing)
{
    const char *text = getenv("TASK_KILL");
    char when[8];
    int n;

    killing->store.methods = &killing_methods;
    if (!text || sscanf(text, "%7s %d", when, &n) != 2)
        return;
    if (!strcmp(when, "begin"))
        atomic_store(&handlers_left, n);
    else
        killing->kill_at = n;
    killing->after = !strcmp(when, "after");
}

/* ---- the tools ---- */

HAFT_STRUCT(job_args, HAFT_INTEGER(steps, "Number of steps", .min = 0, .max = 1000),
            HAFT_INTEGER(ms, "Milliseconds of a step", .min = 0, .max = 60000),
            HAFT_BOOLEAN(ask, "Whether to ask before it ends"));
HAFT_STRUCT(go_form, HAFT_BOOLEAN(go, "Whether to go on"));

static void ledger_write(const char *what, const char *task)
{
    char path[512], line[128];
    int size = snprintf(line, sizeof line, "%s %s %d\n", what, task, (int)getpid()), file;

    snprintf(path, sizeof path, "%s/ledger", getenv("TASK_LEDGER"));
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || write(file, line, (size_t)size) != size)
        abort();
    close(file);
}

/* The lock of a task: the kernel releases it when the process dies. */
static int task_lock(const char *task)
{
    char path[512];
    int file;

    snprintf(path, sizeof path, "%s/%s", getenv("TASK_LEDGER"), task);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        abort();
    if (flock(file, LOCK_EX | LOCK_NB))
        ledger_write("twice", task);
    return file;
}

static int job_work(haft_call *call, const job_args *in, int *ret_from)
{
    size_t size;
    const char *saved = haft_task_saved(call, &size);
    go_form form;
    char text[16];
    int status;

    *ret_from = saved && size < sizeof text
                    ? (int)strtol(memcpy(memset(text, 0, sizeof text), saved, size), NULL, 10)
                    : 0;
    for (int step = *ret_from; step < in->steps && !haft_call_cancelled(call); step++) {
        struct timespec wait = {(time_t)(in->ms / 1000), (long)(in->ms % 1000) * 1000000};

        nanosleep(&wait, NULL);
        haft_progress(call, step + 1, (double)in->steps, "step %d", step + 1);
        status = haft_task_save(call, text, (size_t)snprintf(text, sizeof text, "%d", step + 1));
        if (status)
            return status;
    }
    return in->ask ? haft_elicit(call, "go", "Go on?", &go_form_type, &form) : HAFT_ACCEPTED;
}

static int job(haft_call *call, const job_args *in)
{
    const char *task = haft_call_task(call);
    int from, status, lock = task ? task_lock(task) : -1;

    ledger_write("begin", task ? task : "-");
    if (atomic_fetch_sub(&handlers_left, 1) == 1)
        kill(getpid(), SIGKILL);
    status = job_work(call, in, &from);
    if (status == HAFT_ACCEPTED)
        ledger_write("end", task ? task : "-");
    if (lock >= 0)
        close(lock);
    return status == HAFT_ACCEPTED ? haft_text(call, "done from step %d", from) : status;
}

static int fail(haft_call *call, const job_args *in)
{
    return job(call, in);
}
HAFT_TOOL_IN(fail, job_args, "A job that fails when its process ends", .task = HAFT_TASK_OPTIONAL);

static int restart(haft_call *call, const job_args *in)
{
    return job(call, in);
}
HAFT_TOOL_IN(restart, job_args, "A job that begins again", .task = HAFT_TASK_OPTIONAL,
             .task_crash = HAFT_TASK_RESTART);

static int resume(haft_call *call, const job_args *in)
{
    return job(call, in);
}
HAFT_TOOL_IN(resume, job_args, "A job that goes on from where it was", .task = HAFT_TASK_OPTIONAL,
             .task_crash = HAFT_TASK_RESUME);

static int echo(haft_call *call)
{
    return haft_text(call, "here");
}
HAFT_TOOL_BARE(echo, "Answers at once", .quick = true);

int main(int argc, char **argv)
{
    struct killing_store killing = {.n = 0};
    haft_server *server = haft_server_new("jobs", "1.0.0");
    const char *file = getenv("TASK_FILE"), *redis = getenv("TASK_REDIS"),
               *workers = getenv("TASK_WORKERS"), *ttl = getenv("TASK_TTL"),
               *lease = getenv("TASK_LEASE");
    haft_reason reason;
    int status;

    killing_configure(&killing);
    killing.inner = file    ? haft_sqlite_store_new(file, NULL, &reason)
                    : redis ? haft_redis_store_new(redis, NULL, &reason)
                            : haft_store_memory_new(NULL);
    if (!killing.inner) {
        fprintf(stderr, "task-driver: %s\n", reason.text);
        return 1;
    }
    if (haft_add(server, &fail_tool) || haft_add(server, &restart_tool) ||
        haft_add(server, &resume_tool) || haft_add(server, &echo_tool) ||
        haft_server_set_tasks(
            server, HAFT_WITH(haft_task_options, .store = &killing.store,
                              .lease_ms = lease ? (unsigned)strtoul(lease, NULL, 10) : 600,
                              .poll_ms = 20, .ttl_ms = ttl ? strtol(ttl, NULL, 10) : 0,
                              .workers = workers ? (unsigned)strtoul(workers, NULL, 10) : 0)))
        return 1;
    status = haft_main(server, argc, argv);
    haft_store_free(killing.inner);
    return status;
}
