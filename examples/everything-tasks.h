/* everything-tasks.h - the tools of everything.c that are tasks. */
#ifndef EVERYTHING_TASKS_H
#define EVERYTHING_TASKS_H

/* Waits in small steps, so that a cancelled task ends soon. */
static int compute(haft_call *call, double seconds)
{
    for (double done = 0; done < seconds && !haft_call_cancelled(call); done += 0.05) {
        haft_progress(call, done, seconds, "%.1f of %.1f s", done, seconds);
        sleep_ms(50);
    }
    return 0;
}

HAFT_STRUCT(greet_args,
    HAFT_DEFAULT(HAFT_STRING(name, "Whom to greet"), "world"));

static int greet(haft_call *call, const greet_args *in)
{
    return haft_text(call, "Hello, %s!", in->name);
}
HAFT_TOOL_IN(greet, greet_args, "Greets, and is never a task", .quick = true);

HAFT_STRUCT(compute_args,
    HAFT_DEFAULT(HAFT_NUMBER(seconds, "How long it takes", .min = 0, .max = 60), 1),
    HAFT_DEFAULT(HAFT_STRING(label, "What the result says"), "done"));

static int slow_compute(haft_call *call, const compute_args *in)
{
    compute(call, in->seconds);
    return haft_text(call, "%s after %g s", in->label, in->seconds);
}
HAFT_TOOL_IN(slow_compute, compute_args, "Takes its time", .task = HAFT_TASK_OPTIONAL,
             .timeout_ms = 70000);

static int failing_job(haft_call *call)
{
    compute(call, 0.2);
    return haft_error(call, "The job failed");
}
HAFT_TOOL_BARE(failing_job, "Fails after a while", .task = HAFT_TASK_REQUIRED);

static int protocol_error_job(haft_call *call)
{
    compute(call, 0.2);
    return haft_protocol_error(call, -32000, "The job cannot be done");
}
HAFT_TOOL_BARE(protocol_error_job, "Ends with an error of the protocol",
               .task = HAFT_TASK_OPTIONAL);

HAFT_STRUCT(delete_args,
    HAFT_STRING(filename, "The file to delete"));

HAFT_STRUCT(delete_form,
    HAFT_BOOLEAN(confirm, "Whether to delete it"));

static int confirm_delete(haft_call *call, const delete_args *in)
{
    delete_form form = {0};
    int status = haft_elicit(call, "confirm", "Delete the file?", &delete_form_type, &form);

    if (!is_action(status))
        return status;
    return haft_text(call, "%s: %s", in->filename,
                     status == HAFT_ACCEPTED && form.confirm ? "deleted" : "kept");
}
HAFT_TOOL_IN(confirm_delete, delete_args, "Asks before it deletes a file",
             .task = HAFT_TASK_OPTIONAL);

HAFT_STRUCT(input_form,
    HAFT_STRING(name, "Any text"),
    HAFT_OPTIONAL(HAFT_BOOLEAN(confirm, "Whether it is meant")));

static int multi_input(haft_call *call)
{
    input_form forms[2] = {{0}};
    int first = haft_elicit(call, "first", "The first value?", &input_form_type, &forms[0]);
    int second = haft_elicit(call, "second", "The second value?", &input_form_type, &forms[1]);

    if (!is_action(first) || !is_action(second))
        return is_action(first) ? second : first;
    return haft_text(call, "%s and %s", first == HAFT_ACCEPTED ? forms[0].name : "nothing",
                     second == HAFT_ACCEPTED ? forms[1].name : "nothing");
}
HAFT_TOOL_BARE(multi_input, "Asks two questions at once", .task = HAFT_TASK_OPTIONAL);

HAFT_STRUCT(user_form,
    HAFT_STRING(name, "The name"));

/* Asks while the client waits, and becomes a task then. */
static int test_tool_with_task(haft_call *call)
{
    user_form form = {0};
    int status = haft_elicit(call, "user_name", "What is your name?", &user_form_type, &form);

    if (!is_action(status))
        return status;
    status = haft_task_begin(call);
    if (status)
        return status;
    compute(call, 0.2);
    return haft_text(call, "Hello, %s!", form.name ? form.name : "stranger");
}
HAFT_TOOL_BARE(test_tool_with_task, "Asks for a name, and greets in a task",
               .task = HAFT_TASK_REQUIRED, .task_late = true);

#endif
