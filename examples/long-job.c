/* long-job.c - a job of many steps as a task: it reports progress, asks a question in the middle, and
 * continues after a restart of the server.
 *
 * Tasks survive a restart only in a store that does: see docs/tasks.md. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 20, MIDDLE = STEPS / 2 };

HAFT_STRUCT(job_args,
    HAFT_STRING(name, "Name of the job"));

HAFT_STRUCT(job_result,
    HAFT_INTEGER(steps, "Steps that were done"),
    HAFT_BOOLEAN(complete, "Whether the job was continued after the first half"));

HAFT_STRUCT(job_form,
    HAFT_BOOLEAN(proceed, "Whether to do the second half"));

/* The step to begin with: that after the latest one that was saved. */
static int first_step(haft_call *call)
{
    size_t size = 0;
    const char *saved = haft_task_saved(call, &size);
    char text[16];

    if (!saved || size >= sizeof text)
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)size, saved);
    return (int)strtol(text, NULL, 10);
}

static int save_step(haft_call *call, int step)
{
    char text[16];
    int size = snprintf(text, sizeof text, "%d", step);

    return haft_task_save(call, text, (size_t)size);
}

/* The handler runs again from the start when there is an answer, or after a restart. */
static int run_job(haft_call *call, const job_args *in, job_result *out)
{
    job_form form = {0};
    int status = 0;

    for (int step = first_step(call); step < STEPS; step++) {
        if (haft_call_cancelled(call))
            return 0;
        if (step == MIDDLE) {
            status = haft_elicit(call, "proceed", "Half of the job is done. Do the other half?",
                                 &job_form_type, &form);
            if (status < 0 || status == HAFT_AGAIN)
                return status;
            if (status != HAFT_ACCEPTED || !form.proceed) {
                out->steps = step;
                return 0;
            }
        }
        haft_progress(call, step, STEPS, "%s: step %d of %d", in->name, step + 1, STEPS);
        nanosleep(&(struct timespec){0, 100000000}, NULL); /* the work */
        status = save_step(call, step + 1);
        if (status)
            return status;
    }
    out->steps = STEPS;
    out->complete = true;
    return 0;
}
HAFT_TOOL(run_job, job_args, job_result, "Runs a job of many steps", .task = HAFT_TASK_OPTIONAL,
          .task_crash = HAFT_TASK_RESUME, .timeout_ms = 60000);

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("long-job", "1.0.0");

    if (server && haft_add(server, &run_job_tool)) {
        haft_server_free(server);
        return 1;
    }
    return haft_main(server, argc, argv);
}
