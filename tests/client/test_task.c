/* test_task.c - calls that become tasks: every state, questions, failures, ways to end, and servers that do
 * not keep to the protocol. */
#include <haft/testing.h>

#include "client/client.h"
#include "client/script.h"
#include "client/task_script.h"

/* ---- states ---- */

static const struct {
    const char *created, *polls[4]; /* answers of the server */
    int status;                     /* of the call */
    bool is_error;
    int code;
    const char *text; /* of the result, or a part of the reason */
} ends[] = {
    {CREATED("working"), {TASK("working", ""), DONE("yes")}, 0, false, 0, "yes"},
    {CREATED("completed"), {DONE("at once")}, 0, false, 0, "at once"},
    {CREATED("input_required"), {DONE("asked nothing")}, 0, false, 0, "asked nothing"},
    {CREATED("working"),
     {TASK("completed", ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"bad\"}],"
                        "\"isError\":true}")},
     0,
     true,
     0,
     "bad"},
    {CREATED("working"),
     {TASK("failed", ",\"error\":{\"code\":-32603,\"message\":\"broke\"}")},
     0,
     true,
     -32603,
     "broke"},
    {CREATED("working"), {ERROR("-32602", "expired")}, 0, true, -32602, "expired"},
    {CREATED("working"), {ERROR("-32601", "what")}, 0, true, -32601, "what"},
    {CREATED("cancelled"), {NULL}, HAFT_ECANCELLED, false, 0, "the task T1 was cancelled"},
    {CREATED("working"),
     {TASK("cancelled", ",\"statusMessage\":\"by the \\u001b admin\"")},
     HAFT_ECANCELLED,
     false,
     0,
     "the task T1 was cancelled: by the "},
    /* servers that do not keep to the protocol */
    {CREATED("asleep"), {NULL}, HAFT_EPROTOCOL, false, 0, "status has the unknown value asleep"},
    {CREATED("working"), {TASK("done", "")}, HAFT_EPROTOCOL, false, 0, "the unknown value done"},
    {RESULT("{\"resultType\":\"task\",\"status\":\"working\"}"),
     {NULL},
     HAFT_EPROTOCOL,
     false,
     0,
     "taskId is missing"},
    {RESULT("{\"resultType\":\"task\",\"taskId\":\"\",\"status\":\"working\"}"),
     {NULL},
     HAFT_EPROTOCOL,
     false,
     0,
     "taskId must be"},
    {RESULT("{\"resultType\":\"task\",\"taskId\":\"a\\u0000b\",\"status\":\"working\"}"),
     {NULL},
     HAFT_EPROTOCOL,
     false,
     0,
     "taskId must be"},
    {CREATED("working"),
     {RESULT("{\"taskId\":\"T2\",\"status\":\"working\"}")},
     HAFT_EPROTOCOL,
     false,
     0,
     "taskId is that of another task"},
    {CREATED("working"), {RESULT("{}")}, HAFT_EPROTOCOL, false, 0, "taskId is missing"},
    {CREATED("working"), {TASK("completed", "")}, HAFT_EPROTOCOL, false, 0, "result is missing"},
    {CREATED("working"), {TASK("failed", "")}, HAFT_EPROTOCOL, false, 0, "error is missing"},
    {CREATED("working"),
     {TASK("failed", ",\"error\":{\"code\":\"x\"}")},
     HAFT_EPROTOCOL,
     false,
     0,
     "error.code must be"},
    {CREATED("working"),
     {TASK("completed", ",\"result\":{\"content\":5}")},
     HAFT_EPROTOCOL,
     false,
     0,
     "result.content must be"},
    {CREATED("working"),
     {TASK("completed", ",\"result\":{\"resultType\":\"task\",\"taskId\":\"T2\"}")},
     HAFT_EPROTOCOL,
     false,
     0,
     "result is not that of a call"},
    {CREATED("working"),
     {TASK("completed", ",\"result\":{},\"error\":{\"code\":1,\"message\":\"m\"}")},
     HAFT_EPROTOCOL,
     false,
     0,
     "error is unexpected"},
};

static void every_state_ends_the_call(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        struct script_row rows[6] = {{"tools/call", SCRIPT_SAY, ends[i].created, 0}};
        struct task_run run = {0};
        haft_result result;
        int status;

        for (size_t k = 0; k < 4 && ends[i].polls[k]; k++)
            rows[k + 1] = (struct script_row){"\"tasks/get\"", SCRIPT_SAY, ends[i].polls[k], 0};
        run_open(&run, rows, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));
        status = haft_client_call(run.client, "t", NULL, &result);
        if (status != ends[i].status)
            fail_msg("row %zu: %d %s", i, status, haft_client_error(run.client, NULL));
        if (!status) {
            assert_int_equal(result.is_error, ends[i].is_error);
            assert_int_equal(result.error_code, ends[i].code);
            assert_string_equal(result.text, ends[i].text);
            assert_null(haft_result_task(&result));
        } else if (!strstr(haft_client_error(run.client, NULL), ends[i].text)) {
            fail_msg("row %zu: %s", i, haft_client_error(run.client, NULL));
        }
        assert_true(run_is_over(&run));
        assert_null(strstr(run.script.log, "notifications/cancelled"));
        run_close(&run);
    }
}

static void an_id_that_is_too_long_is_refused(void **state)
{
    static char created[1200];
    const struct script_row rows[] = {{"tools/call", SCRIPT_SAY, created, 0}, {NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_result result;
    char id[CLIENT_TASK_ID_MAX + 2];

    (void)state;
    memset(id, 'x', sizeof id);
    id[sizeof id - 1] = '\0';
    snprintf(created, sizeof created,
             RESULT("{\"resultType\":\"task\",\"taskId\":\"%s\",\"status\":\"working\"}"), id);
    run_open(&run, rows, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), HAFT_EPROTOCOL);
    assert_int_equal(haft_client_task_wait(run.client, id, &result), HAFT_EINVAL);
    assert_int_equal(haft_client_task_wait(run.client, "", &result), HAFT_EINVAL);
    run_close(&run);
}

static void only_a_call_may_become_a_task(void **state)
{
    const struct script_row rows[] = {{"prompts/get", SCRIPT_SAY, CREATED("working"), 0},
                                      {NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_result result;

    (void)state;
    run_open(&run, rows, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));
    assert_int_equal(haft_client_get(run.client, "p", NULL, &result), HAFT_EPROTOCOL);
    assert_non_null(strstr(haft_client_error(run.client, NULL), "was not offered"));
    assert_null(strstr(run.script.log, "io.modelcontextprotocol/tasks"));
    run_close(&run);
}

/* ---- what is declared ---- */

static void calls_declare_the_extension(void **state)
{
    static const struct {
        const char *given, *declared;
        bool no_tasks;
    } rows[] = {
        {NULL, "clientCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}",
         false},
        {"{}", "clientCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}",
         false},
        {"{\"roots\":{}}",
         "clientCapabilities\":{\"roots\":{},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}",
         false},
        {"{\"extensions\":{\"a/b\":{\"c\":1},\"io.modelcontextprotocol/tasks\":{}},\"roots\":{}}",
         "clientCapabilities\":{\"roots\":{},\"extensions\":{\"a/b\":{\"c\":1},"
         "\"io.modelcontextprotocol/tasks\":{}}}",
         false},
        {"{\"roots\":{}}", "clientCapabilities\":{\"roots\":{}}", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct script_row script[] = {{"tools/call", SCRIPT_SAY, SAID("ok"), 0},
                                            {"tools/call", SCRIPT_SAY, CREATED("working"), 0},
                                            {NULL, 0, NULL, 0}};
        struct task_run run = {0};
        haft_result result;

        run_open(&run, script,
                 HAFT_WITH(haft_client_options, .revision = "2026-07-28",
                           .capabilities = rows[i].given, .no_tasks = rows[i].no_tasks));
        assert_int_equal(haft_client_call(run.client, "t", NULL, &result), 0);
        assert_non_null(strstr(run.script.log, rows[i].declared));
        if (rows[i].no_tasks)
            assert_int_equal(haft_client_call(run.client, "t", NULL, &result), HAFT_EPROTOCOL);
        run_close(&run);
    }
}

/* ---- time ---- */

static void polls_respect_the_interval_within_limits(void **state)
{
    static const struct {
        const char *interval;
        haft_time expected;
    } rows[] = {{",\"pollIntervalMs\":5000", 5000},
                {",\"pollIntervalMs\":0", CLIENT_TASK_POLL_MIN_MS},
                {",\"pollIntervalMs\":-1e300", CLIENT_TASK_POLL_MIN_MS},
                {",\"pollIntervalMs\":1e300", CLIENT_TASK_POLL_MAX_MS},
                {",\"pollIntervalMs\":\"soon\"", CLIENT_TASK_POLL_MS},
                {",\"pollIntervalMs\":null", CLIENT_TASK_POLL_MS},
                {"", CLIENT_TASK_POLL_MS}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char created[512];
        const struct script_row script[] = {{"tools/call", SCRIPT_SAY, created, 0},
                                            {"\"tasks/get\"", SCRIPT_SAY, DONE("ok"), 0},
                                            {NULL, 0, NULL, 0}};
        struct task_run run = {0};
        haft_result result;
        haft_time before;

        snprintf(created, sizeof created,
                 RESULT("{\"resultType\":\"task\",\"taskId\":\"T1\",\"status\":\"working\"%s}"),
                 rows[i].interval);
        run_open(&run, script, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));
        before = run.script.now;
        assert_int_equal(haft_client_call(run.client, "t", NULL, &result), 0);
        assert_in_range(run.script.now - before, rows[i].expected, rows[i].expected + 1);
        run_close(&run);
    }
}

static void a_task_that_does_not_end_is_given_up(void **state)
{
    static const struct {
        const char *life;
        unsigned timeout_ms;
        haft_time expected;
    } rows[] = {{"0", 0, CLIENT_TASK_GRACE_MS},
                {"-5", 0, CLIENT_TASK_GRACE_MS},
                {"120000", 0, 120000 + CLIENT_TASK_GRACE_MS},
                {"null", 0, CLIENT_TASK_MAX_MS},
                {"1e300", 0, CLIENT_TASK_MAX_MS + CLIENT_TASK_GRACE_MS},
                {"600000", 5000, 5000},
                {"null", 90000, 90000}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct script_row script[1600];
        char created[512], working[512];
        struct task_run run = {0};
        haft_result result;
        haft_time before;

        snprintf(
            created, sizeof created,
            RESULT("{\"resultType\":\"task\",\"taskId\":\"T1\",\"status\":\"working\",\"ttlMs\":"
                   "%s,\"pollIntervalMs\":60000}"),
            rows[i].life);
        snprintf(working, sizeof working,
                 RESULT("{\"taskId\":\"T1\",\"status\":\"working\",\"ttlMs\":%s,\"pollIntervalMs\":"
                        "60000}"),
                 rows[i].life);
        memset(script, 0, sizeof script);
        script[0] = (struct script_row){"tools/call", SCRIPT_SAY, created, 0};
        for (size_t k = 1; k < COUNT_OF(script) - 1; k++)
            script[k] = (struct script_row){"\"tasks/get\"", SCRIPT_SAY, working, 0};
        run_open(&run, script,
                 HAFT_WITH(haft_client_options, .revision = "2026-07-28",
                           .task_timeout_ms = rows[i].timeout_ms));
        before = run.script.now;
        assert_int_equal(haft_client_call(run.client, "t", NULL, &result), HAFT_ETIMEOUT);
        assert_in_range(run.script.now - before, rows[i].expected, rows[i].expected + 1);
        assert_non_null(strstr(haft_client_error(run.client, NULL), "the task is T1"));
        assert_true(run_has_sent(&run, "\"tasks/cancel\""));
        run_close(&run);
    }
}

/* ---- failures of polls ---- */

static void a_failed_poll_does_not_lose_the_task(void **state)
{
    static const struct script_row script[] = {
        {"tools/call", SCRIPT_SAY, CREATED("working"), 0},
        {"\"tasks/get\"", SCRIPT_FAIL, "unavailable", 503},
        {"\"tasks/get\"", SCRIPT_CLOSE_IT, "", 0},
        {"\"tasks/get\"", SCRIPT_SAY, ERROR("-32603", "later"), 0},
        {"\"tasks/get\"", SCRIPT_END, "restarted", 0},
        {"\"tasks/get\"", SCRIPT_PASS, NULL, 40000}, /* no answer: a timeout */
        {"\"tasks/get\"", SCRIPT_FAIL, "slow down", 429},
        {"\"tasks/get\"", SCRIPT_SAY, TASK("working", ""), 0},
        {"\"tasks/get\"", SCRIPT_SAY, DONE("at last"), 0},
        {NULL, 0, NULL, 0}};
    struct task_run run = {.http = true};
    haft_result result;

    (void)state;
    run_open(&run, script,
             HAFT_WITH(haft_client_options, .revision = "2026-07-28", .task_timeout_ms = 600000));
    run_skip_tools(&run);
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), 0);
    assert_string_equal(result.text, "at last");
    assert_non_null(strstr(run.script.log, "Mcp-Method: tasks/get\nMcp-Name: T1\n"));
    run_close(&run);
}

static void polls_that_keep_failing_end_the_call(void **state)
{
    static const struct {
        struct script_row row;
        int status, code;
    } rows[] = {
        {{"\"tasks/get\"", SCRIPT_FAIL, "unavailable", 503}, HAFT_ECLOSED, 0},
        {{"\"tasks/get\"", SCRIPT_SAY, ERROR("-32603", "later"), 0}, 0, -32603},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct script_row script[CLIENT_TASK_FAILURES + 3] = {
            {"tools/call", SCRIPT_SAY, CREATED("working"), 0}};
        struct task_run run = {0};
        haft_result result;

        for (size_t k = 1; k <= CLIENT_TASK_FAILURES + 1; k++)
            script[k] = rows[i].row;
        run_open(
            &run, script,
            HAFT_WITH(haft_client_options, .revision = "2026-07-28", .task_timeout_ms = 3600000));
        assert_int_equal(haft_client_call(run.client, "t", NULL, &result), rows[i].status);
        if (!rows[i].status)
            assert_int_equal(result.error_code, rows[i].code);
        assert_true(run_is_over(&run));
        run_close(&run);
    }
}

static void a_poll_that_succeeds_begins_the_count_again(void **state)
{
    enum { HALF = CLIENT_TASK_FAILURES - 2 };
    struct script_row script[2 * HALF + 4] = {{"tools/call", SCRIPT_SAY, CREATED("working"), 0}};
    struct task_run run = {0};
    haft_result result;

    (void)state;
    for (size_t k = 1; k <= 2 * HALF + 1; k++)
        script[k] = (struct script_row){"\"tasks/get\"", SCRIPT_FAIL, "unavailable", 503};
    script[HALF + 1] = (struct script_row){"\"tasks/get\"", SCRIPT_SAY, TASK("working", ""), 0};
    script[2 * HALF + 2] = (struct script_row){"\"tasks/get\"", SCRIPT_SAY, DONE("ok"), 0};
    run_open(&run, script,
             HAFT_WITH(haft_client_options, .revision = "2026-07-28", .task_timeout_ms = 3600000));
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), 0);
    assert_string_equal(result.text, "ok");
    run_close(&run);
}

static void access_that_is_denied_ends_the_call(void **state)
{
    static const struct script_row script[] = {{"tools/call", SCRIPT_SAY, CREATED("working"), 0},
                                               {"\"tasks/get\"", SCRIPT_FAIL, "no", 401},
                                               {NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_result result;

    (void)state;
    run_open(&run, script, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), HAFT_EDENIED);
    run_close(&run);
}

static void a_server_that_is_gone_ends_the_call(void **state)
{
    static const struct script_row script[] = {{"tools/call", SCRIPT_SAY, CREATED("working"), 0},
                                               {NULL, SCRIPT_CLOSE, "", 0},
                                               {NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_result result;

    (void)state;
    run_open(&run, script, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), HAFT_ECLOSED);
    run_close(&run);
}

/* ---- cancelling and closing ---- */

enum task_moment { QUEUED, SENT, BETWEEN_POLLS, POLLING, ASKING, OVER };

static const struct {
    enum task_moment moment;
    bool cancels, notifies; /* tasks/cancel, notifications/cancelled */
    bool resumed;           /* the program waits for a task of an earlier time */
} cancels[] = {
    {QUEUED, false, false, false},       {SENT, false, true, false},
    {BETWEEN_POLLS, true, false, false}, {POLLING, true, false, false},
    {ASKING, true, false, false},        {OVER, false, false, false},
    {POLLING, false, false, true},       {BETWEEN_POLLS, false, false, true},
};

/* Brings a call to that moment. */
static int64_t reach(struct task_run *run, enum task_moment moment, bool resumed)
{
    static const struct script_row asks[] = {
        {"\"tasks/get\"", SCRIPT_SAY, TASK("input_required", ",\"inputRequests\":{" NAMED("k") "}"),
         0},
        {NULL, 0, NULL, 0}};
    static const struct script_row ended[] = {{"\"tasks/get\"", SCRIPT_SAY, DONE("ok"), 0},
                                              {NULL, 0, NULL, 0}};
    static const struct script_row works[] = {{"\"tasks/get\"", SCRIPT_SAY, TASK("working", ""), 0},
                                              {NULL, 0, NULL, 0}};
    static const struct script_row created[] = {{"tools/call", SCRIPT_SAY, CREATED("working"), 0},
                                                {NULL, 0, NULL, 0}};
    int64_t id = haft_client_begin(
        run->client,
        resumed ? HAFT_WITH(haft_client_exchange, .task = "T1", .done = run_done, .context = run)
                : HAFT_WITH(haft_client_exchange, .tool = "t", .done = run_done, .context = run));

    assert_true(id > 0);
    if (moment <= SENT || (resumed && moment == POLLING))
        return id;
    run->script.rows = resumed ? works : created;
    script_run(&run->script);
    if (moment == BETWEEN_POLLS)
        return id;
    run->script.now += 1000;
    run->script.rows = moment == ASKING ? asks : moment == OVER ? ended : NULL;
    script_run(&run->script);
    return id;
}

static void cancelling_a_call_cancels_its_task(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cancels); i++) {
        static const struct script_row none[] = {{NULL, 0, NULL, 0}};
        struct task_run run = {.keeps = true, .steps = true};
        int64_t id;

        run_open(&run, none,
                 HAFT_WITH(haft_client_options, .revision = "2026-07-28", .ask = run_ask,
                           .context = &run, .max_in_flight = 1));
        if (cancels[i].moment == QUEUED)
            haft_client_begin(run.client, HAFT_WITH(haft_client_exchange, .method = "x",
                                                    .done = run_done, .context = &run));
        id = reach(&run, cancels[i].moment, cancels[i].resumed);
        assert_int_equal(haft_client_cancel(run.client, id),
                         cancels[i].moment == OVER ? HAFT_ENOTFOUND : 0);
        script_run(&run.script);
        assert_int_equal(run.done, 1);
        assert_int_equal(run.status, cancels[i].moment == OVER ? 0 : HAFT_ECANCELLED);
        assert_int_equal(run_has_sent(&run, "\"tasks/cancel\",\"params\":{\"taskId\":\"T1\""),
                         cancels[i].cancels);
        assert_int_equal(run_has_sent(&run, "notifications/cancelled"), cancels[i].notifies);
        if (run.kept[0])
            assert_int_equal(haft_question_accept(run.kept[0], NULL), HAFT_ECLOSED);
        /* What still comes about the task is ignored. */
        run.script.rows = (const struct script_row[]){
            {"\"tasks/get\"", SCRIPT_SAY, DONE("too late"), 0}, {NULL, 0, NULL, 0}};
        script_run(&run.script);
        run.script.now += 100000;
        script_run(&run.script);
        run_close(&run);
    }
}

static void closing_a_client_leaves_the_task_alone(void **state)
{
    (void)state;
    for (enum task_moment moment = QUEUED; moment <= OVER; moment++) {
        static const struct script_row none[] = {{NULL, 0, NULL, 0}};
        struct task_run run = {.keeps = true, .steps = true};
        haft_client *client;

        run_open(&run, none,
                 HAFT_WITH(haft_client_options, .revision = "2026-07-28", .ask = run_ask,
                           .context = &run));
        reach(&run, moment, false);
        client = run.client;
        run.client = NULL;
        haft_client_free(client);
        assert_int_equal(run.done, 1);
        assert_int_equal(run.status, moment == OVER ? 0 : HAFT_ECANCELLED);
        assert_false(run_has_sent(&run, "cancel"));
        if (run.kept[0])
            assert_int_equal(haft_question_accept(run.kept[0], NULL), HAFT_ECLOSED);
        run_close(&run);
    }
}

static void a_callback_may_close_the_client(void **state)
{
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY, CREATED("working"), 0},
        {"\"tasks/get\"", SCRIPT_SAY, TASK("input_required", ",\"inputRequests\":{" NAMED("k") "}"),
         0},
        {NULL, 0, NULL, 0}};

    (void)state;
    for (enum run_place place = RUN_BEGUN; place <= RUN_ASK; place++)
        for (int cancels_it = 0; cancels_it < 2; cancels_it++) {
            struct task_run run = {.steps = true, .ends_in = place, .cancels = cancels_it};

            run_open(&run, rows,
                     HAFT_WITH(haft_client_options, .revision = "2026-07-28", .ask = run_ask,
                               .context = &run));
            run.id =
                haft_client_begin(run.client, HAFT_WITH(haft_client_exchange, .tool = "t",
                                                        .done = run_done, .progress = run_progress,
                                                        .begun = run_begun, .context = &run));
            for (int k = 0; k < 4; k++) {
                script_run(&run.script);
                run.script.now += 1000;
            }
            assert_int_equal(run.done, 1);
            assert_int_equal(run.status, HAFT_ECANCELLED);
            run_close(&run);
        }
}

/* ---- progress ---- */

static void the_status_is_reported_as_progress(void **state)
{
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY, CREATED("working"), 0},
        {"\"tasks/get\"", SCRIPT_SAY, TASK("working", ",\"statusMessage\":\"sorting\""), 0},
        {"\"tasks/get\"", SCRIPT_SAY, TASK("working", ",\"statusMessage\":\"sorting\""), 0},
        {"\"tasks/get\"", SCRIPT_SAY, TASK("working", ",\"statusMessage\":\"writing\""), 0},
        {"\"tasks/get\"", SCRIPT_SAY, DONE("ok"), 0},
        {NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_result result;
    int64_t id;

    (void)state;
    run_open(&run, rows, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));
    id = haft_client_begin(run.client,
                           HAFT_WITH(haft_client_exchange, .tool = "t", .progress = run_progress,
                                     .begun = run_begun, .context = &run));
    assert_int_equal(haft_client_wait(run.client, id, 60000, &result), 0);
    assert_string_equal(run.said, "begun T1 working|0 working|0.5 sorting|1.5 writing|");
    run_close(&run);
}

/* ---- notifications ---- */

#define DISCOVERY                                                                                  \
    RESULT("{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"extensions\":{"            \
           "\"io.modelcontextprotocol/tasks\":{}}}}")

static void a_notification_lets_the_client_poll_soon(void **state)
{
    static const struct script_row rows[] = {
        {"server/discover", SCRIPT_SAY, DISCOVERY, 0},
        {"tools/call", SCRIPT_SAY,
         RESULT("{\"resultType\":\"task\",\"taskId\":\"T1\",\"status\":\"working\","
                "\"pollIntervalMs\":50000}"),
         0},
        {"\"notifications\":{\"taskIds\":[\"T1\"]}", SCRIPT_PASS, NULL, 1},
        {NULL, SCRIPT_SAY,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{\"taskId\":\"T2\"}}",
         0},
        {NULL, SCRIPT_SAY,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{\"taskId\":\"T1\","
         "\"status\":\"completed\"}}",
         0},
        {"\"tasks/get\"", SCRIPT_SAY, DONE("soon"), 0},
        {NULL, 0, NULL, 0}};
    struct task_run run = {.probes = true};
    haft_result result;
    haft_time before;

    (void)state;
    run_open(&run, rows, HAFT_WITH(haft_client_options, .timeout_ms = 30000));
    before = run.script.now;
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), 0);
    assert_string_equal(result.text, "soon");
    assert_true(run.script.now - before < 2 * CLIENT_TASK_POLL_MIN_MS);
    /* The subscription is ended with the task. */
    assert_true(run_has_sent(&run, "notifications/cancelled"));
    run_close(&run);
}

static void a_notification_during_a_poll_is_not_forgotten(void **state)
{
    static const char news[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{\"taskId\":\"T1\"}}";
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY,
         RESULT("{\"resultType\":\"task\",\"taskId\":\"T1\",\"status\":\"working\","
                "\"pollIntervalMs\":50000}"),
         0},
        {NULL, SCRIPT_SAY, news, 0},
        {"\"tasks/get\"", SCRIPT_PASS, NULL, 1},
        {NULL, SCRIPT_SAY, news, 0},
        {"\"tasks/get\"", SCRIPT_SAY,
         RESULT("{\"taskId\":\"T1\",\"status\":\"working\",\"pollIntervalMs\":50000}"), 0},
        {"\"tasks/get\"", SCRIPT_SAY, DONE("soon"), 0},
        {NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_result result;
    haft_time before;

    (void)state;
    run_open(&run, rows, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));
    before = run.script.now;
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), 0);
    assert_true(run.script.now - before < 4 * CLIENT_TASK_POLL_MIN_MS);
    run_close(&run);
}

static void a_refused_subscription_leaves_the_polls(void **state)
{
    static const struct script_row rows[] = {
        {"server/discover", SCRIPT_SAY, DISCOVERY, 0},
        {"tools/call", SCRIPT_SAY,
         RESULT("{\"resultType\":\"task\",\"taskId\":\"T1\",\"status\":\"working\","
                "\"pollIntervalMs\":5000}"),
         0},
        {"subscriptions/listen", SCRIPT_SAY, ERROR("-32601", "no"), 0},
        {"\"tasks/get\"", SCRIPT_SAY, TASK("working", ""), 0},
        {"\"tasks/get\"", SCRIPT_SAY, DONE("ok"), 0},
        {NULL, 0, NULL, 0}};
    struct task_run run = {.probes = true};
    haft_result result;

    (void)state;
    run_open(&run, rows, HAFT_WITH(haft_client_options, .timeout_ms = 30000));
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), 0);
    assert_true(run_is_over(&run));
    assert_false(run_has_sent(&run, "notifications/cancelled"));
    run_close(&run);
}

/* ---- by hand ---- */

static void tasks_can_be_used_by_hand(void **state)
{
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY, CREATED("working"), 0},
        {"\"tasks/get\",\"params\":{\"taskId\":\"T1\"", SCRIPT_SAY,
         TASK("input_required", ",\"inputRequests\":{" NAMED("k") "}"), 0},
        {"\"tasks/update\",\"params\":{\"taskId\":\"T1\",\"inputResponses\":{\"k\":{}}", SCRIPT_SAY,
         RESULT("{\"resultType\":\"complete\"}"), 0},
        {"\"tasks/cancel\",\"params\":{\"taskId\":\"T1\"", SCRIPT_SAY,
         RESULT("{\"resultType\":\"complete\"}"), 0},
        {"\"tasks/get\"", SCRIPT_SAY, TASK("working", ""), 0},
        {"\"tasks/get\"", SCRIPT_SAY, DONE("ok"), 0},
        {"\"tasks/get\"", SCRIPT_SAY, ERROR("-32602", "unknown"), 0},
        {"\"tasks/get\"", SCRIPT_SAY, RESULT("{\"taskId\":1}"), 0},
        {NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_client *client;
    haft_result result;

    (void)state;
    client = run_open(
        &run, rows, HAFT_WITH(haft_client_options, .revision = "2026-07-28", .manual_tasks = true));
    assert_int_equal(haft_client_call(client, "t", NULL, &result), 0);
    assert_string_equal(haft_result_task(&result), "T1");
    assert_string_equal(haft_result_task_status(&result), "working");
    assert_int_equal(haft_client_task_get(client, "T1", &result), 0);
    assert_string_equal(haft_result_task_status(&result), "input_required");
    assert_int_equal(haft_client_task_update(client, "T1", "[]", &result), HAFT_EINVAL);
    assert_int_equal(haft_client_task_update(client, "T1", "{\"k\":{}}", &result), 0);
    assert_int_equal(haft_client_task_cancel(client, "T1", &result), 0);
    assert_null(haft_result_task(&result));
    assert_int_equal(haft_client_task_wait(client, "T1", &result), 0);
    assert_string_equal(result.text, "ok");
    assert_int_equal(haft_client_task_wait(client, "T1", &result), 0);
    assert_int_equal(result.error_code, -32602);
    assert_int_equal(haft_client_task_get(client, "T1", &result), HAFT_EPROTOCOL);
    assert_true(run_is_over(&run));
    run_close(&run);
}

static void misuse_is_reported(void **state)
{
    static const struct script_row none[] = {{NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_result result;
    haft_client *client =
        run_open(&run, none, HAFT_WITH(haft_client_options, .revision = "2026-07-28"));

    (void)state;
    assert_int_equal(haft_client_task_get(NULL, "T1", &result), HAFT_EINVAL);
    assert_int_equal(haft_client_task_get(client, NULL, &result), HAFT_EINVAL);
    assert_int_equal(haft_client_task_update(client, "T1", NULL, &result), HAFT_EINVAL);
    assert_int_equal(haft_client_task_cancel(client, "T1", NULL), HAFT_EINVAL);
    assert_int_equal(haft_client_task_wait(client, NULL, &result), HAFT_EINVAL);
    assert_string_equal(haft_client_error(client, NULL), "haft_client_task_wait: task is NULL");
    assert_int_equal(
        haft_client_begin(client, HAFT_WITH(haft_client_exchange, .task = "T1", .tool = "t")),
        HAFT_EINVAL);
    assert_int_equal(haft_client_begin(client, HAFT_WITH(haft_client_exchange, .task = "")),
                     HAFT_EINVAL);
    assert_null(haft_result_task(NULL));
    assert_null(haft_result_task_status(NULL));
    run_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_ends_the_call),
        cmocka_unit_test(an_id_that_is_too_long_is_refused),
        cmocka_unit_test(only_a_call_may_become_a_task),
        cmocka_unit_test(calls_declare_the_extension),
        cmocka_unit_test(polls_respect_the_interval_within_limits),
        cmocka_unit_test(a_task_that_does_not_end_is_given_up),
        cmocka_unit_test(a_failed_poll_does_not_lose_the_task),
        cmocka_unit_test(polls_that_keep_failing_end_the_call),
        cmocka_unit_test(a_poll_that_succeeds_begins_the_count_again),
        cmocka_unit_test(access_that_is_denied_ends_the_call),
        cmocka_unit_test(a_server_that_is_gone_ends_the_call),
        cmocka_unit_test(cancelling_a_call_cancels_its_task),
        cmocka_unit_test(closing_a_client_leaves_the_task_alone),
        cmocka_unit_test(a_callback_may_close_the_client),
        cmocka_unit_test(the_status_is_reported_as_progress),
        cmocka_unit_test(a_notification_lets_the_client_poll_soon),
        cmocka_unit_test(a_notification_during_a_poll_is_not_forgotten),
        cmocka_unit_test(a_refused_subscription_leaves_the_polls),
        cmocka_unit_test(tasks_can_be_used_by_hand),
        cmocka_unit_test(misuse_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
