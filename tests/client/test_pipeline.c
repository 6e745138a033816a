/* The stages of a call: their order, what they can do, and that each hears of every call once. */
#include <haft.h>
#include <haft/testing.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "support/test.h"

HAFT_STRUCT(say_args, HAFT_STRING(word, "What to say"));
HAFT_STRUCT(said, HAFT_STRING(word, "What was said"));

static haft_call *pending;

static int say(haft_call *call, const say_args *in, said *out)
{
    if (!strcmp(in->word, "fail"))
        return HAFT_EINVAL;
    if (!strcmp(in->word, "error"))
        return haft_error(call, "no");
    if (!strcmp(in->word, "wait")) {
        pending = call;
        return HAFT_PENDING;
    }
    if (!strcmp(in->word, "kept"))
        return haft_error(call, "%s", (const char *)haft_call_get(call, "who"));
    out->word = in->word;
    return 0;
}
HAFT_TOOL(say, say_args, said, "Says a word", .timeout_ms = 1000);

/* What the stages did, one after the other. */
static char heard[512];

static void hear(const char *who, const char *what)
{
    snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s%s:%s", *heard ? " " : "", who,
             what);
}

static int on_before(haft_call *call, void *data)
{
    yyjson_val *word = yyjson_obj_get(haft_call_arguments(call), "word");

    hear(data, "before");
    if (yyjson_equals_str(word, "stop"))
        return haft_refuse(call, "stopped by %s", (const char *)data);
    if (yyjson_equals_str(word, "break"))
        return HAFT_ENOTFOUND;
    return haft_call_set(call, "who", data);
}

static int on_ready(haft_call *call, void *data)
{
    hear(data, "ready");
    (void)call;
    return 0;
}

static void on_after(haft_call *call, haft_outcome outcome, void *data)
{
    hear(data, haft_outcome_name(outcome));
    if (outcome == HAFT_OUTCOME_OK)
        haft_result_meta(call, (const char *)data, "true");
}

static char one_name[] = "one", two_name[] = "two";
static const haft_stage one =
    HAFT_INIT(haft_stage, "one", NULL, on_before, on_ready, on_after, one_name);
static const haft_stage two =
    HAFT_INIT(haft_stage, "two", "say", on_before, on_ready, on_after, two_name);
static const haft_stage other =
    HAFT_INIT(haft_stage, "other", "list_*", on_before, on_ready, on_after, one_name);

static void every_call_goes_there_and_back(void **state)
{
    static const struct {
        const char *tool, *arguments, *text, *heard;
    } rows[] = {
        {"say", "{\"word\":\"hi\"}", "{\"word\":\"hi\"}",
         "one:before two:before one:ready two:ready two:ok one:ok"},
        {"say", "{\"word\":\"error\"}", "no",
         "one:before two:before one:ready two:ready two:error one:error"},
        {"say", "{\"word\":\"fail\"}", "The tool failed.",
         "one:before two:before one:ready two:ready two:failed one:failed"},
        {"say", "{\"word\":\"kept\"}", "two",
         "one:before two:before one:ready two:ready two:error one:error"},
        {"say", "{\"word\":5}",
         "Input validation error: Invalid arguments for tool say: word: Invalid input: expected "
         "string, received number",
         "one:before two:before two:invalid_arguments one:invalid_arguments"},
        {"say", "{\"word\":\"stop\"}", "stopped by one", "one:before two:error one:error"},
        {"say", "{\"word\":\"break\"}", "The tool failed.", "one:before two:failed one:failed"},
        {"nope", "{}", "Tool nope not found", "one:not_found"},
    };
    static const char *const revisions[] = {"2025-11-25", "2026-07-28"};
    haft_server *server = haft_server_new("stages", "1");

    (void)state;
    assert_int_equal(haft_add(server, &say_tool), 0);
    assert_int_equal(haft_stage_add(server, &one), 0);
    assert_int_equal(haft_stage_add(server, &two), 0);
    assert_int_equal(haft_stage_add(server, &other), 0);
    for (size_t r = 0; r < COUNT_OF(revisions); r++) {
        haft_client *client =
            haft_client_new(server, HAFT_WITH(haft_client_options, .revision = revisions[r]));

        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            haft_result result;

            heard[0] = '\0';
            assert_int_equal(haft_client_call(client, rows[i].tool, rows[i].arguments, &result), 0);
            assert_string_equal(result.text, rows[i].text);
            assert_string_equal(heard, rows[i].heard);
            if (!i) {
                yyjson_val *meta = yyjson_obj_get(result.value, "_meta");

                assert_true(yyjson_is_true(yyjson_obj_get(meta, "one")));
                assert_true(yyjson_is_true(yyjson_obj_get(meta, "two")));
            }
        }
        haft_client_free(client);
    }
    haft_server_free(server);
}

static void calls_that_end_otherwise_are_heard_of_too(void **state)
{
    haft_server *server = haft_server_new("stages", "1");
    haft_client *client;
    haft_result result;

    (void)state;
    assert_int_equal(haft_add(server, &say_tool), 0);
    assert_int_equal(haft_stage_add(server, &one), 0);
    client = haft_client_new(server, HAFT_WITH(haft_client_options, .revision = "2025-11-25"));
    /* one that takes too long, and one whose late answer is dropped */
    heard[0] = '\0';
    assert_int_equal(haft_client_call(client, "say", "{\"word\":\"wait\"}", &result), HAFT_PENDING);
    assert_int_equal(haft_client_wait(client, haft_client_latest(client), 5000, &result), 0);
    assert_string_equal(result.text, "timed out after 1 s");
    haft_finish(pending, 0);
    assert_string_equal(heard, "one:before one:ready one:timed_out");
    /* one that is taken back */
    heard[0] = '\0';
    assert_int_equal(haft_client_call(client, "say", "{\"word\":\"wait\"}", &result), HAFT_PENDING);
    assert_int_equal(haft_client_cancel(client, haft_client_latest(client)), 0);
    haft_finish(pending, 0);
    assert_string_equal(heard, "one:before one:ready one:cancelled");
    /* one that is hidden */
    heard[0] = '\0';
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "say"), 0);
    assert_int_equal(haft_client_call(client, "say", "{\"word\":\"hi\"}", &result), 0);
    assert_string_equal(heard, "one:disabled");
    haft_client_free(client);
    haft_server_free(server);
}

static void the_order_can_be_read(void **state)
{
    static const char *const names[] = {"deadline", "visibility", "rate limit", "one",
                                        "audit",    "two",        "metrics",    "validation"};
    haft_server *server = haft_server_new("stages", "1");

    (void)state;
    assert_int_equal(haft_stage_add(server, &one), 0);
    assert_int_equal(haft_audit_add(server, NULL, NULL), 0);
    assert_int_equal(haft_stage_add(server, &two), 0);
    assert_int_equal(haft_metrics_enable(server), 0);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_string_equal(haft_stage_at(server, i)->name, names[i]);
    assert_null(haft_stage_at(server, COUNT_OF(names)));
    assert_string_equal(haft_stage_at(server, 5)->tools, "say");
    haft_server_free(server);
}

/* ---- stages that change the call, and look at its result ---- */

static int change(haft_call *call, void *data)
{
    const char *word = yyjson_get_str(yyjson_obj_get(haft_call_arguments(call), "word"));
    const char *json = !strcmp(word, "old")       ? "{\"word\":\"new\"}"
                       : !strcmp(word, "number")  ? "{\"word\":5}"
                       : !strcmp(word, "array")   ? "[1]"
                       : !strcmp(word, "nothing") ? "{"
                                                  : NULL;

    (void)data;
    return json ? haft_call_set_arguments(call, json, strlen(json)) : 0;
}

/* It is too late. */
static int change_later(haft_call *call, void *data)
{
    (void)data;
    return haft_result_content(call) || haft_call_set_arguments(call, "{}", 2) != HAFT_EINVAL;
}

static void look(haft_call *call, haft_outcome outcome, void *data)
{
    yyjson_val *content = haft_result_content(call),
               *text = yyjson_obj_get(yyjson_arr_get_first(content), "text");

    (void)data;
    hear(haft_outcome_name(outcome), content ? text ? yyjson_get_str(text) : "" : "unknown");
}

static void a_call_can_be_changed(void **state)
{
    static const struct {
        const char *arguments, *text, *heard;
    } rows[] = {
        {"{\"word\":\"old\"}", "{\"word\":\"new\"}", "ok:{\"word\":\"new\"}"},
        {"{\"word\":\"hi\"}", "{\"word\":\"hi\"}", "ok:{\"word\":\"hi\"}"},
        {"{\"word\":\"number\"}",
         "Input validation error: Invalid arguments for tool say: word: Invalid input: expected "
         "string, received number",
         "invalid_arguments:Input validation error: Invalid arguments for tool say: word: Invalid "
         "input: expected string, received number"},
        {"{\"word\":\"array\"}", "The tool failed.", "failed:"},
        {"{\"word\":\"nothing\"}", "The tool failed.", "failed:"},
        {"{\"word\":\"error\"}", "no", "error:no"},
        {"{\"word\":\"wait\"}", "timed out after 1 s", "timed_out:unknown"},
    };
    static const haft_stage stage = HAFT_INIT(haft_stage, .name = "change", .before = change,
                                              .ready = change_later, .after = look);
    haft_server *server = haft_server_new("stages", "1");
    haft_client *client;

    (void)state;
    assert_int_equal(haft_add(server, &say_tool), 0);
    assert_int_equal(haft_stage_add(server, &stage), 0);
    client = haft_client_new(server, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_result result;

        heard[0] = '\0';
        if (haft_client_call(client, "say", rows[i].arguments, &result) == HAFT_PENDING) {
            assert_int_equal(haft_client_wait(client, haft_client_latest(client), 5000, &result),
                             0);
            haft_finish(pending, 0);
        }
        assert_string_equal(result.text, rows[i].text);
        assert_string_equal(heard, rows[i].heard);
    }
    haft_client_free(client);
    haft_server_free(server);
}

/* A client that calls again with its answer is held to what it sent, not to what was made of it. */
static int ask(haft_call *call, const say_args *in)
{
    haft_value *content;
    int answer = haft_elicit_json(call, "sure", "Sure?", "{\"type\":\"object\",\"properties\":{}}",
                                  &content);

    return answer < HAFT_DECLINED ? answer : haft_text(call, "%s", in->word);
}
HAFT_TOOL_IN(ask, say_args, "Asks first");

static int number(haft_call *call, void *data)
{
    int *times = data;
    const char *json = haft_call_printf(call, "{\"word\":\"%d\"}", ++*times);

    return json ? haft_call_set_arguments(call, json, strlen(json)) : HAFT_ENOMEM;
}

static int accept_all(void *context, const char *method, haft_value *params, haft_buffer *result)
{
    (void)context;
    (void)method;
    (void)params;
    haft_buffer_puts(result, "{\"action\":\"accept\",\"content\":{}}");
    return 0;
}

static void changed_calls_can_ask(void **state)
{
    static const struct {
        const char *revision, *text;
    } rows[] = {{"2025-11-25", "1"}, {"2026-07-28", "2"}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int times = 0;
        haft_stage stage =
            HAFT_INIT(haft_stage, .name = "number", .before = number, .data = &times);
        haft_server *server = haft_server_new("stages", "1");
        haft_client *client;
        haft_result result;

        assert_int_equal(haft_add(server, &ask_tool), 0);
        assert_int_equal(haft_stage_add(server, &stage), 0);
        client =
            haft_client_new(server, HAFT_WITH(haft_client_options, .revision = rows[i].revision,
                                              .answer = accept_all));
        assert_int_equal(haft_client_call(client, "ask", "{\"word\":\"x\"}", &result), 0);
        assert_string_equal(result.text, rows[i].text);
        haft_client_free(client);
        haft_server_free(server);
    }
}

static void stages_are_checked(void **state)
{
    haft_server *server = haft_server_new("stages", "1");

    (void)state;
    assert_int_equal(haft_stage_add(server, HAFT_WITH(haft_stage, .name = "idle")), HAFT_EINVAL);
    assert_int_equal(haft_stage_add(server, HAFT_WITH(haft_stage, .before = on_before)),
                     HAFT_EINVAL);
    for (int i = 0; i < 32; i++)
        assert_int_equal(haft_stage_add(server, &one), 0);
    assert_int_equal(haft_stage_add(server, &one), HAFT_ETOOBIG);
    haft_server_free(server);
}

/* ---- rates ---- */

static const haft_tool limited =
    HAFT_INIT(haft_tool, .name = "limited", .description = "Five a minute", .call = say_call_,
              .input = &say_args_type, .output = &said_type, .rate = {.calls = 5, .per_ms = 60000});

static const char *say_to(haft_client *client, const char *tool, haft_result *result)
{
    assert_int_equal(haft_client_call(client, tool, "{\"word\":\"hi\"}", result), 0);
    return result->text;
}

static void a_tool_is_called_so_often(void **state)
{
    haft_server *server = haft_server_new("rates", "1");
    haft_client *client, *other_client;
    haft_result result;
    yyjson_val *meta;

    (void)state;
    heard[0] = '\0';
    assert_int_equal(haft_stage_add(server, &one), 0);
    assert_int_equal(haft_add(server, &limited), 0);
    assert_int_equal(haft_add(server, &say_tool), 0);
    client = haft_client_new(server, NULL);
    other_client = haft_client_new(server, NULL);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(say_to(client, "limited", &result), "{\"word\":\"hi\"}");
        haft_client_advance(client, 1000);
    }
    assert_string_equal(say_to(client, "limited", &result),
                        "Rate limited: limited may be called 5 times in 60 s. Try again in 55 s.");
    assert_true(result.is_error);
    meta = yyjson_obj_get(result.value, "_meta");
    assert_int_equal(yyjson_get_int(yyjson_obj_get(meta, "haft/retryAfterMs")), 55000);
    assert_non_null(strstr(heard, "one:rate_limited"));
    /* neither another tool nor another client is meant */
    assert_string_equal(say_to(client, "say", &result), "{\"word\":\"hi\"}");
    assert_string_equal(say_to(other_client, "limited", &result), "{\"word\":\"hi\"}");
    haft_client_advance(client, 54999);
    assert_true(strstr(say_to(client, "limited", &result), "Try again in 1 s."));
    haft_client_advance(client, 1);
    assert_string_equal(say_to(client, "limited", &result), "{\"word\":\"hi\"}");
    haft_client_free(client);
    haft_client_free(other_client);
    haft_server_free(server);
}

static void a_client_calls_so_often(void **state)
{
    haft_server *server = haft_server_new_with(
        "rates", "1", HAFT_WITH(haft_server_options, .client_rate = {.calls = 2, .per_ms = 500}));
    haft_client *alice, *also_alice, *bob;
    haft_result result;

    (void)state;
    assert_int_equal(haft_add(server, &say_tool), 0);
    alice = haft_client_new(server, HAFT_WITH(haft_client_options, .principal = "alice"));
    also_alice = haft_client_new(server, HAFT_WITH(haft_client_options, .principal = "alice"));
    bob = haft_client_new(server, HAFT_WITH(haft_client_options, .principal = "bob"));
    say_to(alice, "say", &result);
    say_to(also_alice, "say", &result);
    assert_string_equal(say_to(alice, "say", &result),
                        "Rate limited: tools may be called 2 times in 500 ms. Try again in 1 s.");
    assert_string_equal(say_to(bob, "say", &result), "{\"word\":\"hi\"}");
    haft_client_free(alice);
    haft_client_free(also_alice);
    haft_client_free(bob);
    haft_server_free(server);
}

/* A store of the program's own: it sees the keys, and decides. */
static char keys[256];

struct store {
    haft_store store; /* first */
    int left;
};

static int take(haft_store *given, haft_store_request *request)
{
    struct store *store = (struct store *)given;
    int status = store->left < 0 ? HAFT_EBUSY : store->left-- > 0;

    snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%.*s: ", (int)request->group.size,
             request->group.data);
    for (size_t i = 0; i < request->n_ops; i++) {
        haft_store_op *op = &request->ops[i];

        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%.*s|%u/%u ", (int)op->key.size,
                 op->key.data, op->rate.calls, op->rate.per_ms);
        op->status = i + 1 < request->n_ops || status;
        op->ret_wait_ms = 1500;
    }
    request->status = status;
    return status < 0 ? status : 0;
}

static void rates_are_counted_elsewhere(void **state)
{
    static const haft_store_methods methods =
        HAFT_INIT(haft_store_methods, .name = "test", .submit = take);
    struct store store = {.store = {&methods}, .left = 1};
    haft_server *server = haft_server_new_with(
        "rates", "1",
        HAFT_WITH(haft_server_options, .client_rate = {.calls = 9, .per_ms = 1000},
                  .store = &store.store, .store_rate = HAFT_AWAY_CLOSED));
    haft_client *alice, *nobody;
    haft_result result;

    (void)state;
    keys[0] = '\0';
    assert_int_equal(haft_add(server, &limited), 0);
    alice = haft_client_new(server, HAFT_WITH(haft_client_options, .principal = "alice"));
    nobody = haft_client_new(server, NULL);
    assert_string_equal(say_to(alice, "limited", &result), "{\"word\":\"hi\"}");
    assert_string_equal(keys, "palice: |9/1000 limited|5/60000 ");
    keys[0] = '\0';
    assert_string_equal(say_to(nobody, "limited", &result),
                        "Rate limited: limited may be called 5 times in 60 s. Try again in 2 s.");
    assert_string_equal(keys, "s2: |9/1000 limited|5/60000 ");
    /* one that cannot tell does not let calls through */
    assert_string_equal(say_to(alice, "limited", &result), "The server is busy. Try again later.");
    haft_client_free(alice);
    haft_client_free(nobody);
    haft_server_free(server);
}

/* ---- audit and metrics ---- */

static char lines[4096];
static size_t n_lines;

static void on_line(void *context, const char *line, size_t size)
{
    (void)context;
    n_lines++;
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%.*s\n", (int)size, line);
}

static uint64_t clock_now = 1;

static uint64_t ticking(void)
{
    return clock_now += 1500000;
}

static haft_time on_a_leap_day(void *context)
{
    (void)context;
    return INT64_C(951827696789);
}

static void every_call_is_a_line_and_a_count(void **state)
{
    static const char *const calls[] = {"{\"word\":\"hi\"}", "{\"word\":\"error\"}", "{\"word\":5}",
                                        "{\"word\":\"fail\"}"};
    static const char expected[] =
        "{\"time\":\"2000-02-29T12:34:56.789Z\",\"id\":1,\"client\":\"client\",\"principal\":\"alice\","
        "\"revision\":\"2026-07-28\",\"tool\":\"say\",\"outcome\":\"ok\",\"ms\":1.5,\"bytes\":55,"
        "\"arguments\":\"siphash:";
    static const char *const counted[] = {
        "mcp_server_calls_total{gen_ai_tool_name=\"say\",outcome=\"ok\"} 1\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"say\",outcome=\"error\"} 1\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"say\",outcome=\"invalid_arguments\"} 1\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"say\",outcome=\"failed\"} 1\n",
        "mcp_server_calls_total{gen_ai_tool_name=\"_other\",outcome=\"not_found\"} 2\n",
        "\nmcp_server_calls_in_flight 1\n",
        "\nmcp_server_sessions 1\n",
        "\nmcp_server_session_duration_seconds_count{} 1\n",
        "\nmcp_server_received_bytes_total ",
        "\nmcp_server_sent_bytes_total ",
        "\nmcp_server_streams 1\n",
        "\nmcp_server_last_message_timestamp_seconds 951827696.789\n",
        "mcp_server_operation_duration_seconds_bucket{mcp_method_name=\"tools/call\",gen_ai_tool_name=\"say\",le=\"0.001\"} 0\n",
        "mcp_server_operation_duration_seconds_bucket{mcp_method_name=\"tools/call\",gen_ai_tool_name=\"say\",le=\"+Inf\"} 3\n",
        "mcp_server_operation_duration_seconds_count{mcp_method_name=\"tools/call\",gen_ai_tool_name=\"say\"} 3\n",
    };
    static const char listen[] = "{\"notifications\":{\"toolsListChanged\":true}}";
    haft_server *server =
        haft_server_new_with("audit", "1", HAFT_WITH(haft_server_options, .clock = ticking));
    haft_client *client, *left;
    haft_buffer text;
    haft_result result;

    (void)state;
    lines[0] = '\0';
    n_lines = 0;
    haft_buffer_init(&text, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(server, &text), HAFT_ENOTFOUND);
    assert_int_equal(haft_add(server, &say_tool), 0);
    assert_int_equal(haft_metrics_enable(server), 0);
    assert_int_equal(haft_audit_add(server, on_line, NULL), 0);
    client = haft_client_new(
        server, HAFT_WITH(haft_client_options, .principal = "alice", .clock = on_a_leap_day));
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        assert_int_equal(haft_client_call(client, "say", calls[i], &result), 0);
    assert_int_equal(haft_client_call(client, "nope", NULL, &result), 0);
    assert_int_equal(n_lines, 5);
    assert_int_equal(haft_client_call(client, "say", "{\"word\":\"wait\"}", &result), HAFT_PENDING);
    left = haft_client_new(server, NULL);
    haft_client_call(left, "nope", NULL, &result);
    assert_true(haft_client_send(left, "subscriptions/listen", listen) > 0);
    haft_client_free(left);
    assert_true(haft_client_send(client, "subscriptions/listen", listen) > 0);
    assert_memory_equal(lines, expected, sizeof expected - 1);
    assert_int_equal(haft_metrics_write(server, &text), 0);
    haft_buffer_add(&text, "", 1);
    for (size_t i = 0; i < COUNT_OF(counted); i++)
        if (!strstr(text.data, counted[i]))
            fail_msg("%s is not in\n%s", counted[i], text.data);
    assert_null(strstr(text.data, "bytes_total 0\n"));
    assert_null(strstr(text.data, "nope"));
    haft_finish(pending, 0);
    haft_buffer_finish(&text);
    haft_client_free(client);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_goes_there_and_back),
        cmocka_unit_test(calls_that_end_otherwise_are_heard_of_too),
        cmocka_unit_test(the_order_can_be_read),
        cmocka_unit_test(stages_are_checked),
        cmocka_unit_test(a_call_can_be_changed),
        cmocka_unit_test(changed_calls_can_ask),
        cmocka_unit_test(a_tool_is_called_so_often),
        cmocka_unit_test(a_client_calls_so_often),
        cmocka_unit_test(rates_are_counted_elsewhere),
        cmocka_unit_test(every_call_is_a_line_and_a_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
