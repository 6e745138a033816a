/* client-async.c - a client on the program's own libuv loop: several calls at a time, progress, cancellation.
 *
 *     client-async                                 starts itself as a server
 *     client-async http://127.0.0.1:8808/mcp       a server elsewhere
 *
 * Nothing waits: each function returns at once, and the loop calls the callbacks.  `done` is called exactly once
 * for each call, also if it was cancelled or the client is closed. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <uv.h>

enum { N_CALLS = 4, CANCELLED = 3 };

/* ---- the server ---- */

HAFT_STRUCT(work_args, HAFT_INTEGER(steps, "Number of steps, of 10 ms each", .min = 1, .max = 1000));

static int work(haft_call *call, const work_args *in)
{
    struct timespec moment = {0, 10000000};

    for (int64_t step = 1; step <= in->steps && !haft_call_cancelled(call); step++) {
        haft_progress(call, (double)step, (double)in->steps, NULL);
        nanosleep(&moment, NULL);
    }
    return haft_text(call, "%d steps", (int)in->steps);
}
HAFT_TOOL_IN(work, work_args, "Works for a while, and reports its progress");

static int serve(int argc, char **argv)
{
    haft_server *server = haft_server_new("worker", "1.0.0");

    return server && !haft_add(server, &work_tool) ? haft_main(server, argc, argv) : 1;
}

/* ---- the client ---- */

struct app {
    haft_client *client;
    int open;   /* calls without a result */
    int failed; /* those that ended in another way than expected */
};

/* One call, and what its callbacks need. */
struct job {
    struct app *app;
    int64_t id;
    int number;
    int reports; /* of progress */
};

static void job_progress(void *context, double progress, double total, const char *message)
{
    struct job *job = context;

    (void)message;
    job->reports++;
    if (job->number == CANCELLED && progress >= 3) /* seen enough: job_done comes at once */
        haft_client_cancel(job->app->client, job->id);
    else if (progress >= total)
        printf("call %d: all of %g steps\n", job->number, total);
}

static void job_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct job *job = context;
    struct app *app = job->app;

    if (!status)
        printf("call %d: %s%s\n", job->number, result->is_error ? "error: " : "", result->text);
    else
        printf("call %d: %s\n", job->number, haft_strerror(status));
    app->failed += status != (job->number == CANCELLED ? HAFT_ECANCELLED : HAFT_OK);
    if (--app->open == 0)
        haft_client_close(client, NULL, NULL); /* permitted in every callback; the loop then ends */
}

static void app_ready(void *context, haft_client *client, int status)
{
    struct app *app = context;

    if (!status) {
        printf("connected: revision %s\n", haft_client_revision(client));
        return;
    }
    fprintf(stderr, "client-async: %s\n", haft_client_error(client, NULL));
    app->failed = 1;
}

/* Requests may be sent before the connection is there: they wait for it. */
static void begin_jobs(struct app *app, struct job jobs[N_CALLS])
{
    char arguments[32];

    for (int i = 0; i < N_CALLS; i++) {
        jobs[i] = (struct job){.app = app, .number = i};
        snprintf(arguments, sizeof arguments, "{\"steps\":%d}", i == CANCELLED ? 1000 : 5 - i);
        jobs[i].id = haft_client_begin(
            app->client, HAFT_WITH(haft_client_exchange, .tool = "work", .arguments = arguments,
                                   .done = job_done, .progress = job_progress, .timeout_ms = 10000,
                                   .context = &jobs[i]));
        app->open += jobs[i].id > 0;
    }
}

int main(int argc, char **argv)
{
    const char *self[] = {argv[0], "--serve", NULL};
    haft_target target = HAFT_INIT(haft_target, 0);
    struct job jobs[N_CALLS];
    struct app app = {0};
    haft_reason reason = {0};
    uv_loop_t loop;

    if (argc > 1 && !strcmp(argv[1], "--serve"))
        return serve(1, argv);
    if (argc > 1)
        target.url = argv[1];
    else
        target.command = self;
    if (uv_loop_init(&loop))
        return 1;
    app.client = haft_client_start(&loop, &target, NULL, app_ready, &app, &reason);
    if (!app.client) {
        fprintf(stderr, "client-async: %s\n", reason.text);
        return 1;
    }
    begin_jobs(&app, jobs);
    if (!app.open)
        haft_client_close(app.client, NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop) || app.failed ? 1 : 0;
}
