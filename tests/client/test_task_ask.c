/* test_task_ask.c - questions of a task, which are put once and answered by tasks/update; and the tasks of
 * 2025-11-25, for which the client asks. */
#include "client/client.h"
#include "client/script.h"
#include "client/task_script.h"

#define ASKS(questions) TASK("input_required", ",\"inputRequests\":{" questions "}")
#define ACKNOWLEDGED RESULT("{\"resultType\":\"complete\"}")
#define GETS "\"tasks/get\""
#define UPDATES(answers)                                                                           \
    "\"tasks/update\",\"params\":{\"taskId\":\"T1\",\"inputResponses\":{" answers "},"
#define ACCEPTED(key) "\"" key "\":{\"action\":\"accept\",\"content\":{\"name\":\"" key "\"}}"

/* ---- answers at once ---- */

static const struct {
    struct script_row rows[8]; /* after the call */
    unsigned asked;
    bool refuses, manual;
    unsigned max_rounds;
    int status;
    const char *text; /* of the result, or a part of the reason; NULL: the caller gets the task */
} rounds[] = {
    /* Both answers go together; questions that were answered are not put again. */
    {{{GETS, SCRIPT_SAY, ASKS(NAMED("a") "," NAMED("b")), 0},
      {UPDATES(ACCEPTED("a") "," ACCEPTED("b")), SCRIPT_SAY, ACKNOWLEDGED, 0},
      {GETS, SCRIPT_SAY, ASKS(NAMED("a") "," NAMED("b")), 0},
      {GETS, SCRIPT_SAY, ASKS(NAMED("b") "," NAMED("c")), 0},
      {UPDATES(ACCEPTED("c")), SCRIPT_SAY, ACKNOWLEDGED, 0},
      {GETS, SCRIPT_SAY, DONE("thanks"), 0}},
     3,
     false,
     false,
     3,
     0,
     "thanks"},
    /* An answer that may not have arrived is sent again. */
    {{{GETS, SCRIPT_SAY, ASKS(NAMED("a")), 0},
      {UPDATES(ACCEPTED("a")), SCRIPT_FAIL, "unavailable", 503},
      {UPDATES(ACCEPTED("a")), SCRIPT_SAY, ERROR("-32603", "later"), 0},
      {GETS, SCRIPT_SAY, ASKS(NAMED("a")), 0},
      {UPDATES(ACCEPTED("a")), SCRIPT_SAY, ACKNOWLEDGED, 0},
      {GETS, SCRIPT_SAY, DONE("thanks"), 0}},
     1,
     false,
     false,
     3,
     0,
     "thanks"},
    /* The poll tells what has become of a task that refuses answers. */
    {{{GETS, SCRIPT_SAY, ASKS(NAMED("a")), 0},
      {UPDATES(ACCEPTED("a")), SCRIPT_SAY, ERROR("-32602", "no such task"), 0},
      {GETS, SCRIPT_SAY, TASK("cancelled", ""), 0}},
     1,
     false,
     false,
     3,
     HAFT_ECANCELLED,
     "was cancelled"},
    {{{GETS, SCRIPT_SAY, ASKS(NAMED("a")), 0}, {UPDATES(ACCEPTED("a")), SCRIPT_FAIL, "no", 401}},
     1,
     false,
     false,
     3,
     HAFT_EDENIED,
     "no"},
    /* The program does not answer, or cannot: the task is the caller's. */
    {{{GETS, SCRIPT_SAY, ASKS(NAMED("a") "," NAMED("b")), 0}}, 1, true, false, 3, 0, NULL},
    {{{GETS, SCRIPT_SAY, ASKS(NAMED("a")), 0}}, 0, false, true, 3, 0, NULL},
    {{{GETS, SCRIPT_SAY, ASKS("\"a\":{\"method\":\"make/coffee\"}"), 0}},
     0,
     false,
     false,
     3,
     0,
     NULL},
    /* Servers that do not keep to the protocol. */
    {{{GETS, SCRIPT_SAY, ASKS(NAMED("a")), 0},
      {UPDATES(ACCEPTED("a")), SCRIPT_SAY, ACKNOWLEDGED, 0},
      {GETS, SCRIPT_SAY, ASKS(NAMED("b")), 0},
      {UPDATES(ACCEPTED("b")), SCRIPT_SAY, ACKNOWLEDGED, 0},
      {GETS, SCRIPT_SAY, ASKS(NAMED("c")), 0}},
     2,
     false,
     false,
     2,
     HAFT_EPROTOCOL,
     "asked for input too many times"},
    {{{GETS, SCRIPT_SAY, ASKS("\"a\":5"), 0}},
     0,
     false,
     false,
     3,
     HAFT_EPROTOCOL,
     "inputRequests.a must be an object"},
    {{{GETS, SCRIPT_SAY,
       ASKS("\"a\":{\"method\":\"elicitation/create\",\"params\":{\"message\":1}}"), 0}},
     0,
     false,
     false,
     3,
     HAFT_EPROTOCOL,
     "request for input is malformed"},
    {{{GETS, SCRIPT_SAY, TASK("input_required", ""), 0}, {GETS, SCRIPT_SAY, DONE("well"), 0}},
     0,
     false,
     false,
     3,
     0,
     "well"},
};

static void questions_of_a_task_are_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rounds); i++) {
        struct script_row rows[10] = {{"tools/call", SCRIPT_SAY, CREATED("working"), 0}};
        struct task_run run = {.refuses = rounds[i].refuses};
        haft_result result;
        int status;

        memcpy(rows + 1, rounds[i].rows, sizeof rounds[i].rows);
        run_open(&run, rows,
                 HAFT_WITH(haft_client_options, .revision = "2026-07-28", .ask = run_ask,
                           .context = &run, .max_rounds = rounds[i].max_rounds,
                           .manual_rounds = rounds[i].manual));
        status = haft_client_call(run.client, "t", NULL, &result);
        if (status != rounds[i].status || !run_is_over(&run))
            fail_msg("row %zu: %d %s\n%s", i, status, haft_client_error(run.client, NULL),
                     run.script.log);
        assert_int_equal(run.asked, rounds[i].asked);
        if (status)
            assert_non_null(strstr(haft_client_error(run.client, NULL), rounds[i].text));
        else if (rounds[i].text)
            assert_string_equal(result.text, rounds[i].text);
        else
            assert_string_equal(haft_result_task_status(&result), "input_required");
        run_close(&run);
    }
}

/* ---- answers later ---- */

static void each_answer_is_sent_when_it_is_given(void **state)
{
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY, CREATED("working"), 0},
        {GETS, SCRIPT_SAY, ASKS(NAMED("a") "," NAMED("b") "," NAMED("c")), 0},
        {NULL, 0, NULL, 0}};
    static const struct script_row more[] = {{UPDATES(ACCEPTED("b")), SCRIPT_SAY, ACKNOWLEDGED, 0},
                                             {GETS, SCRIPT_SAY, ASKS(NAMED("a") "," NAMED("c")), 0},
                                             {NULL, 0, NULL, 0}};
    static const struct script_row last[] = {
        {UPDATES(ACCEPTED("a")), SCRIPT_SAY, ACKNOWLEDGED, 0},
        {UPDATES("\"c\":{\"action\":\"decline\"}"), SCRIPT_SAY, ACKNOWLEDGED, 0},
        {GETS, SCRIPT_SAY, DONE("all"), 0},
        {NULL, 0, NULL, 0}};
    struct task_run run = {.keeps = true};
    haft_result result;
    int64_t id;

    (void)state;
    run_open(&run, rows,
             HAFT_WITH(haft_client_options, .revision = "2026-07-28", .ask = run_ask,
                       .context = &run, .task_timeout_ms = 10000));
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), HAFT_PENDING);
    id = haft_client_latest(run.client);
    assert_int_equal(run.asked, 3);
    run.script.rows = more;
    assert_int_equal(haft_question_accept(run.kept[1], NULL), 0);
    /* The time of the task does not run while the program has questions. */
    assert_int_equal(haft_client_wait(run.client, id, 20000, &result), HAFT_PENDING);
    assert_true(run_is_over(&run));
    run.script.rows = last;
    assert_int_equal(haft_question_accept(run.kept[0], NULL), 0);
    assert_int_equal(haft_question_decline(run.kept[2]), 0); /* while the other is on its way */
    assert_int_equal(haft_client_wait(run.client, id, 5000, &result), 0);
    assert_string_equal(result.text, "all");
    assert_int_equal(run.asked, 3);
    run_close(&run);
}

static void a_task_may_end_while_the_program_has_a_question(void **state)
{
    static const struct script_row rows[] = {{"tools/call", SCRIPT_SAY, CREATED("working"), 0},
                                             {GETS, SCRIPT_SAY, ASKS(NAMED("a")), 0},
                                             {NULL, 0, NULL, 0}};
    static const struct script_row more[] = {{GETS, SCRIPT_SAY, DONE("without it"), 0},
                                             {NULL, 0, NULL, 0}};
    struct task_run run = {.keeps = true};
    haft_result result;

    (void)state;
    run_open(
        &run, rows,
        HAFT_WITH(haft_client_options, .revision = "2026-07-28", .ask = run_ask, .context = &run));
    assert_int_equal(haft_client_call(run.client, "t", NULL, &result), HAFT_PENDING);
    run.script.rows = more;
    assert_int_equal(haft_client_wait(run.client, haft_client_latest(run.client), 5000, &result),
                     0);
    assert_string_equal(result.text, "without it");
    assert_int_equal(haft_question_accept(run.kept[0], NULL), HAFT_ECLOSED);
    run_close(&run);
}

/* ---- 2025-11-25 ---- */

#define GREETING(tasks)                                                                            \
    RESULT("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{" tasks "},\"serverInfo\":{}}")
#define WITH_TASKS GREETING("\"tasks\":{\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}")
#define TOOL(support)                                                                              \
    RESULT(                                                                                        \
        "{\"tools\":[{\"name\":\"t\",\"inputSchema\":{},\"execution\":{\"taskSupport\":\"" support \
        "\"}}]}")
#define OLD_TASK(status)                                                                           \
    "{\"taskId\":\"T1\",\"status\":\"" status "\",\"createdAt\":\"x\",\"lastUpdatedAt\":\"x\","    \
    "\"ttl\":60000,\"pollInterval\":500}"
#define OLD_CREATED RESULT("{\"task\":" OLD_TASK("working") "}")

static const struct {
    struct script_row rows[9];
    bool wants, no_tasks;
    unsigned timeout_ms;
    int status;
    int code;
    const char *text;
} olds[] = {
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("required"), 0},
      {"\"task\":{}", SCRIPT_SAY, OLD_CREATED, 0},
      {GETS, SCRIPT_SAY, RESULT(OLD_TASK("working")), 0},
      {GETS, SCRIPT_SAY, RESULT(OLD_TASK("completed")), 0},
      {"\"tasks/result\"", SCRIPT_SAY, SAID("old"), 0}},
     false,
     false,
     0,
     0,
     0,
     "old"},
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("optional"), 0},
      {"\"task\":{\"ttl\":9000}", SCRIPT_SAY, OLD_CREATED, 0},
      {GETS, SCRIPT_SAY, RESULT(OLD_TASK("failed")), 0},
      {"\"tasks/result\"", SCRIPT_SAY, ERROR("-32000", "broke"), 0}},
     true,
     false,
     9000,
     0,
     -32000,
     "broke"},
    /* A question comes while the result is awaited. */
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("required"), 0},
      {"\"task\":{\"ttl\":600000}", SCRIPT_SAY, OLD_CREATED, 0},
      {GETS, SCRIPT_SAY, RESULT(OLD_TASK("input_required")), 0},
      {"\"tasks/result\"", SCRIPT_PASS, NULL, 90000},
      {NULL, SCRIPT_SAY,
       "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{"
       "\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}",
       0},
      {"\"id\":\"q\",\"result\":{\"action\":\"accept\"", SCRIPT_PASS, NULL, 1},
      {"\"tasks/result\"", SCRIPT_SAY, SAID("asked"), 0}},
     false,
     false,
     600000,
     0,
     0,
     "asked"},
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("required"), 0},
      {"\"task\":{}", SCRIPT_SAY, OLD_CREATED, 0},
      {GETS, SCRIPT_SAY, RESULT(OLD_TASK("cancelled")), 0}},
     false,
     false,
     0,
     HAFT_ECANCELLED,
     0,
     "the task T1 was cancelled"},
    /* A result that does not arrive is asked for again. */
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("required"), 0},
      {"\"task\":{}", SCRIPT_SAY, OLD_CREATED, 0},
      {GETS, SCRIPT_SAY, RESULT(OLD_TASK("completed")), 0},
      {"\"tasks/result\"", SCRIPT_FAIL, "unavailable", 503},
      {GETS, SCRIPT_SAY, RESULT(OLD_TASK("completed")), 0},
      {"\"tasks/result\"", SCRIPT_SAY, SAID("again"), 0}},
     false,
     false,
     0,
     0,
     0,
     "again"},
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("required"), 0},
      {"\"task\":{}", SCRIPT_SAY, OLD_CREATED, 0},
      {GETS, SCRIPT_SAY, RESULT(OLD_TASK("completed")), 0},
      {"\"tasks/result\"", SCRIPT_SAY, RESULT("{\"content\":1}"), 0}},
     false,
     false,
     0,
     HAFT_EPROTOCOL,
     0,
     "content must be an array"},
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("required"), 0},
      {"\"task\":{}", SCRIPT_SAY, RESULT("{\"task\":{\"taskId\":\"T1\"}}"), 0}},
     false,
     false,
     0,
     HAFT_EPROTOCOL,
     0,
     "status is missing"},
    /* No task: it is not wanted, the tool forbids it, or the server does not have them. */
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("optional"), 0},
      {"tools/call", SCRIPT_SAY, SAID("plain"), 0}},
     false,
     false,
     0,
     0,
     0,
     "plain"},
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
      {"tools/list", SCRIPT_SAY, TOOL("forbidden"), 0},
      {"tools/call", SCRIPT_SAY, SAID("plain"), 0}},
     true,
     false,
     0,
     0,
     0,
     "plain"},
    {{{"\"initialize\"", SCRIPT_SAY, GREETING(""), 0},
      {"tools/call", SCRIPT_SAY, SAID("plain"), 0}},
     true,
     false,
     0,
     0,
     0,
     "plain"},
    {{{"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0}, {"tools/call", SCRIPT_SAY, SAID("plain"), 0}},
     true,
     true,
     0,
     0,
     0,
     "plain"},
};

static void an_older_server_is_asked_for_a_task(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(olds); i++) {
        struct script_row rows[10] = {{0}};
        struct task_run run = {0};
        haft_result result;
        int64_t id;
        int status;

        memcpy(rows, olds[i].rows, sizeof olds[i].rows);
        run_open(&run, rows,
                 HAFT_WITH(haft_client_options, .revision = "2025-11-25", .ask = run_ask,
                           .context = &run, .no_tasks = olds[i].no_tasks,
                           .task_timeout_ms = olds[i].timeout_ms));
        id = haft_client_begin(
            run.client, HAFT_WITH(haft_client_exchange, .tool = "t", .as_task = olds[i].wants));
        status = haft_client_wait(run.client, id, 1000000, &result);
        if (status != olds[i].status || !run_is_over(&run))
            fail_msg("row %zu: %d %s\n%s", i, status, haft_client_error(run.client, NULL),
                     run.script.log);
        if (status)
            assert_non_null(strstr(haft_client_error(run.client, NULL), olds[i].text));
        else
            assert_string_equal(result.text, olds[i].text);
        if (!status)
            assert_int_equal(result.error_code, olds[i].code);
        if (!strcmp(olds[i].text, "plain"))
            assert_null(strstr(run.script.log, "\"task\":"));
        run_close(&run);
    }
}

static void an_older_server_is_told_of_the_end(void **state)
{
    static const struct script_row rows[] = {
        {"\"initialize\"", SCRIPT_SAY, WITH_TASKS, 0},
        {"tools/list", SCRIPT_SAY, TOOL("required"), 0},
        {"\"task\":{}", SCRIPT_SAY, OLD_CREATED, 0},
        {NULL, SCRIPT_SAY,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"
         "2,\"progress\":3,\"message\":\"half\"}}",
         0},
        {NULL, SCRIPT_SAY,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks/status\",\"params\":" OLD_TASK(
             "completed") "}",
         0},
        {NULL, 0, NULL, 0}};
    struct task_run run = {0};
    haft_result result;
    int64_t id;

    (void)state;
    run_open(&run, rows, HAFT_WITH(haft_client_options, .revision = "2025-11-25"));
    id = haft_client_begin(run.client, HAFT_WITH(haft_client_exchange, .tool = "t",
                                                 .progress = run_progress, .context = &run));
    assert_int_equal(id, 2);
    /* The notification lets the client ask at once. */
    assert_int_equal(haft_client_wait(run.client, id, 150, &result), HAFT_PENDING);
    assert_string_equal(run.said, "0 working|3 half|");
    assert_true(run_has_sent(&run, GETS));
    assert_int_equal(haft_client_cancel(run.client, id), 0);
    assert_true(run_has_sent(&run, "\"tasks/cancel\",\"params\":{\"taskId\":\"T1\""));
    assert_false(run_has_sent(&run, "notifications/cancelled"));
    run_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_of_a_task_are_answered),
        cmocka_unit_test(each_answer_is_sent_when_it_is_given),
        cmocka_unit_test(a_task_may_end_while_the_program_has_a_question),
        cmocka_unit_test(an_older_server_is_asked_for_a_task),
        cmocka_unit_test(an_older_server_is_told_of_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
