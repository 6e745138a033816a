/* client/task_script.h - a scripted server with tasks, and a program that uses it. */
#ifndef HAFT_TESTS_TASK_SCRIPT_H
#define HAFT_TESTS_TASK_SCRIPT_H

#include "client/script.h"
#include "client/task.h"

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}"
#define ERROR(code, text)                                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":" code ",\"message\":\"" text "\"}}"
#define SAID(text) RESULT("{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")
#define TASK_MEMBERS(status)                                                                       \
    "\"taskId\":\"T1\",\"status\":\"" status "\",\"createdAt\":\"2026-07-28T00:00:00Z\","          \
    "\"lastUpdatedAt\":\"2026-07-28T00:00:00Z\",\"ttlMs\":600000,\"pollIntervalMs\":500"
#define CREATED(status) RESULT("{\"resultType\":\"task\"," TASK_MEMBERS(status) "}")
#define TASK(status, more) RESULT("{\"resultType\":\"complete\"," TASK_MEMBERS(status) more "}")
#define DONE(text)                                                                                 \
    TASK("completed", ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")
/* A question with that key. */
#define NAMED(key)                                                                                 \
    "\"" key "\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\","                \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\","      \
    "\"default\":\"" key "\"}}}}}"

enum run_place { RUN_NOWHERE, RUN_BEGUN, RUN_PROGRESS, RUN_ASK };

struct task_run {
    struct script script;
    haft_client *client;
    bool http, probes;
    bool steps;             /* the transport cannot wait */
    bool keeps, refuses;    /* what `ask` does, otherwise it accepts */
    enum run_place ends_in; /* where the program closes the client, or cancels the call */
    bool cancels;
    int64_t id;
    unsigned asked, done;
    int status;
    haft_question *kept[8];
    char said[512]; /* what was reported */
};

static inline void run_end_in(struct task_run *run, enum run_place place)
{
    haft_client *client = run->client;

    if (run->ends_in != place || !client)
        return;
    if (run->cancels) {
        haft_client_cancel(client, run->id);
        return;
    }
    run->client = NULL;
    haft_client_free(client);
}

static inline int run_ask(void *context, haft_question *question)
{
    struct task_run *run = context;

    assert_true(run->asked < COUNT_OF(run->kept));
    run->asked++;
    if (run->refuses)
        return 1;
    if (run->ends_in == RUN_ASK) {
        run_end_in(run, RUN_ASK);
        assert_int_equal(haft_question_decline(question), HAFT_ECLOSED);
        return 0;
    }
    if (!run->keeps)
        return haft_question_accept(question, NULL);
    run->kept[run->asked - 1] = question;
    return 0;
}

static inline void run_done(void *context, haft_client *client, int status,
                            const haft_result *result)
{
    struct task_run *run = context;

    (void)client;
    (void)result;
    run->done++;
    run->status = status;
}

static inline void run_say(struct task_run *run, const char *text)
{
    size_t used = strlen(run->said);

    snprintf(run->said + used, sizeof run->said - used, "%s|", text);
}

static inline void run_progress(void *context, double progress, double total, const char *message)
{
    struct task_run *run = context;
    char text[128];

    assert_true(total == 0);
    snprintf(text, sizeof text, "%g %s", progress, message);
    run_say(run, text);
    run_end_in(run, RUN_PROGRESS);
}

static inline void run_begun(void *context, haft_client *client, const char *task,
                             haft_value *value)
{
    struct task_run *run = context;
    char text[128];

    (void)client;
    snprintf(text, sizeof text, "begun %s %s", task,
             yyjson_get_str(yyjson_obj_get(value, "status")));
    run_say(run, text);
    run_end_in(run, RUN_BEGUN);
}

static inline haft_client *run_open(struct task_run *run, const struct script_row *rows,
                                    const haft_client_options *options)
{
    haft_transport transport;

    script_init(&run->script, rows, run->http, !run->steps);
    transport = script_transport(&run->script);
    run->client = hf_client_start(&transport, options, &(struct client_start){.probe = run->probes},
                                  &run->script.receiver, NULL);
    assert_non_null(run->client);
    if (!run->steps)
        assert_int_equal(hf_client_settle(run->client), 0);
    return run->client;
}

/* Over HTTP the client asks for the list of tools before the first call: answers that. */
static inline void run_skip_tools(struct task_run *run)
{
    const struct script_row *rows = run->script.rows;
    haft_result result;

    run->script.rows = (const struct script_row[]){
        {"tools/list", SCRIPT_SAY, RESULT("{\"tools\":[],\"ttlMs\":9000000}"), 0},
        {NULL, 0, NULL, 0}};
    assert_int_equal(haft_client_list(run->client, HAFT_OFFER_TOOL, &result), 0);
    run->script.rows = rows;
}

/* Whether every row has been played. */
static inline bool run_is_over(const struct task_run *run)
{
    const struct script_row *row = run->script.rows;

    return !row->wants && !row->text && !row->number;
}

static inline bool run_has_sent(const struct task_run *run, const char *part)
{
    for (size_t i = 0; i < run->script.n_sent; i++)
        if (strstr(run->script.sent[i].text, part))
            return true;
    return false;
}

static inline void run_close(struct task_run *run)
{
    haft_client_free(run->client);
    script_finish(&run->script);
}

#endif
