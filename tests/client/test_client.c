/* test_client.c - the client in the same process: what it asks for it gets, in every revision. */
#include <haft/client.h>
#include <haft/testing.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "support/failing.h"
#include "support/test.h"

/* ---- what is served ---- */

HAFT_STRUCT(add_args, HAFT_INTEGER(a, "One"), HAFT_INTEGER(b, "Another"));
HAFT_STRUCT(add_sum, HAFT_INTEGER(sum, "Both"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds");

static int two_blocks(haft_call *call)
{
    haft_text(call, "one");
    haft_image(call, "image/png", "x", 1);
    return haft_text(call, "two");
}
HAFT_TOOL_BARE(two_blocks, "Says two things");

static int fails(haft_call *call)
{
    return haft_error(call, "no");
}
HAFT_TOOL_BARE(fails, "Fails");

static haft_call *held;

static int hold(haft_call *call)
{
    held = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold, "Answers later");

static int report(haft_call *call)
{
    haft_progress(call, 1, 2, "half");
    haft_message(call, HAFT_INFO, NULL, "info");
    haft_message(call, HAFT_ERROR, NULL, "error");
    return haft_text(call, "%s %s", haft_client_name(call), haft_client_version(call));
}
HAFT_TOOL_BARE(report, "Reports");

HAFT_STRUCT(name_form, HAFT_STRING(name, "Your name"));

static int interview(haft_call *call)
{
    name_form form;
    haft_value *roots = NULL, *sample = NULL;
    int answer = haft_elicit(call, "name", "Name?", &name_form_type, &form), status;

    if (answer == HAFT_DECLINED)
        return haft_text(call, "declined");
    if (answer != HAFT_ACCEPTED)
        return answer;
    status = haft_roots(call, "roots", &roots);
    if (status)
        return status;
    status = haft_sample(call, "sample", "{\"messages\":[],\"maxTokens\":9}", &sample);
    if (status)
        return status;
    return haft_text(call, "%s, %d roots, %s", form.name, (int)yyjson_arr_size(roots),
                     yyjson_get_str(yyjson_obj_get(sample, "model")));
}
HAFT_TOOL_BARE(interview, "Asks a lot");

static int read_it(haft_call *call, const char *uri)
{
    const char *id = haft_variable(call, "id");

    return haft_embed(call, &(haft_contents){.uri = uri, .text = id ? id : "text"});
}

static int complete_id(haft_call *call, const char *argument, const char *value)
{
    (void)argument;
    haft_completion_add(call, haft_call_printf(call, "%s1", value));
    return haft_completion_add(call, haft_call_printf(call, "%s%s", value,
                                                      haft_completion_context(call, "other")
                                                          ? haft_completion_context(call, "other")
                                                          : "2"));
}

static const haft_resource resource =
    HAFT_INIT(haft_resource, .uri = "a:b", .name = "r", .read = read_it);
static const haft_resource template = HAFT_INIT(haft_resource, .uri = "a:{id}", .name = "t",
                                                .read = read_it, .complete = complete_id);

HAFT_STRUCT(prompt_args, HAFT_STRING(who, "Whom"));

static int say(haft_call *call, const void *arguments)
{
    haft_prompt_say(call, "user");
    haft_text(call, "Hello, %s", ((const prompt_args *)arguments)->who);
    haft_prompt_say(call, "assistant");
    return haft_text(call, "Yes?");
}
static const haft_prompt prompt = HAFT_INIT(
    haft_prompt, .name = "p", .arguments = &prompt_args_type, .get = say, .complete = complete_id);

static haft_server *serve(const haft_server_options *options)
{
    static const haft_tool *const tools[] = {&add_tool,  &two_blocks_tool, &fails_tool,
                                             &hold_tool, &report_tool,     &interview_tool};
    haft_server *server = haft_server_new_with("test", "1", options);

    for (size_t i = 0; server && i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, tools[i]), 0);
    if (server) {
        assert_int_equal(haft_resource_add(server, &resource), 0);
        assert_int_equal(haft_template_add(server, &template), 0);
        assert_int_equal(haft_prompt_add(server, &prompt), 0);
    }
    return server;
}

/* ---- the other side ---- */

struct seen {
    char text[2048];
    int refuse; /* the question of this number */
    int questions;
};

static int answer(void *context, const char *method, haft_value *params, haft_buffer *ret_result)
{
    struct seen *seen = context;

    (void)params;
    if (++seen->questions == seen->refuse)
        return 1;
    if (!strcmp(method, "elicitation/create"))
        haft_buffer_puts(ret_result, "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}");
    else if (!strcmp(method, "roots/list"))
        haft_buffer_puts(ret_result, "{\"roots\":[{\"uri\":\"file:///\"}]}");
    else
        haft_buffer_puts(ret_result, "{\"model\":\"m\",\"role\":\"assistant\",\"content\":{"
                                     "\"type\":\"text\",\"text\":\"x\"}}");
    return 0;
}

static void notified(void *context, const char *method, haft_value *params)
{
    struct seen *seen = context;
    size_t used = strlen(seen->text);
    const char *level = yyjson_get_str(yyjson_obj_get(params, "level"));

    snprintf(seen->text + used, sizeof seen->text - used, "%s%s%s ", method, level ? ":" : "",
             level ? level : "");
}

static const char *const revisions[] = {NULL,         "2024-11-05", "2025-03-26",
                                        "2025-06-18", "2025-11-25", "2026-07-28"};

/* ---- asking ---- */

static void check_requests(haft_client *client)
{
    haft_result result;

    assert_int_equal(haft_client_call(client, "add", "{\"a\":1,\"b\":2}", &result), 0);
    assert_false(result.is_error);
    assert_int_equal(result.error_code, 0);
    assert_string_equal(result.error_message, "");
    assert_string_equal(result.text, "{\"sum\":3}");
    assert_int_equal(yyjson_get_int(yyjson_obj_get(result.structured, "sum")), 3);
    assert_int_equal(yyjson_arr_size(result.content), 1);
    assert_int_equal(haft_client_call(client, "two_blocks", NULL, &result), 0);
    assert_string_equal(result.text, "one\ntwo");
    assert_int_equal(yyjson_arr_size(result.content), 3);
    assert_null(result.structured);
    assert_int_equal(haft_client_call(client, "fails", "{}", &result), 0);
    assert_true(result.is_error);
    assert_string_equal(result.text, "no");
    assert_int_equal(result.error_code, 0);
    assert_int_equal(haft_client_call(client, "nope", NULL, &result), 0);
    assert_true(result.is_error);
    assert_int_equal(result.error_code, -32602);
    assert_string_equal(result.error_message, "Tool nope not found");
    assert_string_equal(result.text, "Tool nope not found");
    assert_null(result.value);
    assert_int_equal(haft_client_call(client, "add", "{\"a\":1}", &result), 0);
    assert_true(result.is_error);
    assert_non_null(strstr(result.text, "b: Invalid input"));
}

static void check_others(haft_client *client)
{
    haft_result result;

    assert_int_equal(haft_client_read(client, "a:b", &result), 0);
    assert_string_equal(result.text, "text");
    assert_int_equal(haft_client_read(client, "a:x", &result), 0);
    assert_string_equal(result.text, "x");
    assert_int_equal(haft_client_read(client, "z:", &result), 0);
    assert_true(result.is_error);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(result.error_data, "uri")), "z:");
    assert_int_equal(haft_client_get(client, "p", "{\"who\":\"Ann\"}", &result), 0);
    assert_string_equal(result.text, "Hello, Ann\nYes?");
    assert_int_equal(yyjson_arr_size(result.content), 2);
    assert_int_equal(
        haft_client_complete(client, HAFT_OFFER_PROMPT, "p", "who", "A", NULL, &result), 0);
    assert_string_equal(result.text, "A1\nA2");
    assert_int_equal(haft_client_complete(client, HAFT_OFFER_TEMPLATE, "a:{id}", "id", "B",
                                          "{\"other\":\"C\"}", &result),
                     0);
    assert_string_equal(result.text, "B1\nBC");
    assert_int_equal(haft_client_request(client, "no/such", "{\"a\":1}", &result), 0);
    assert_int_equal(result.error_code, -32601);
    assert_int_equal(haft_client_request(client, "tools/list", "[]", &result), HAFT_EINVAL);
    assert_int_equal(haft_client_request(client, "tools/list", "{", &result), HAFT_EINVAL);
    assert_int_equal(haft_client_call(client, "add", "nope", &result), HAFT_EINVAL);
}

static void requests(void **state)
{
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        haft_client *client =
            haft_client_new(server, HAFT_WITH(haft_client_options, .revision = revisions[i]));

        assert_non_null(client);
        check_requests(client);
        check_others(client);
        assert_int_equal(haft_client_strays(client), 0);
        haft_client_free(client);
    }
    haft_server_free(server);
}

static void lists(void **state)
{
    static const size_t page_sizes[] = {0, 1, 4, 5};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(page_sizes); i++) {
        haft_server *server = serve(HAFT_WITH(haft_server_options, .page_size = page_sizes[i]));
        haft_client *client = haft_client_new(server, NULL);
        haft_result result;

        assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
        assert_int_equal(yyjson_arr_size(result.content), 6);
        assert_string_equal(
            yyjson_get_str(yyjson_obj_get(yyjson_arr_get(result.content, 5), "name")), "interview");
        assert_int_equal(haft_client_list(client, HAFT_OFFER_RESOURCE, &result), 0);
        assert_int_equal(yyjson_arr_size(result.content), 1);
        assert_int_equal(haft_client_list(client, HAFT_OFFER_TEMPLATE, &result), 0);
        assert_int_equal(yyjson_arr_size(result.content), 1);
        assert_int_equal(haft_client_list(client, HAFT_OFFER_PROMPT, &result), 0);
        assert_int_equal(yyjson_arr_size(result.content), 1);
        haft_client_free(client);
        haft_server_free(server);
    }
}

/* ---- being asked ---- */

static void checks_questions(void **state)
{
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        struct seen seen = {.text = ""};
        haft_client *client =
            haft_client_new(server, HAFT_WITH(haft_client_options, .revision = revisions[i],
                                              .answer = answer, .context = &seen));
        bool forms = !i || i > 2;
        haft_result result;

        assert_int_equal(haft_client_call(client, "interview", NULL, &result), 0);
        assert_int_equal(result.is_error, !forms);
        if (forms)
            assert_string_equal(result.text, "Ann, 1 roots, m");
        assert_int_equal(seen.questions, forms ? 3 : 0);
        haft_client_free(client);
    }
    haft_server_free(server);
}

/* A question that is refused: an older server is told so, a newer one gets no second round. */
static void refusals(void **state)
{
    haft_server *server = serve(NULL);
    struct seen seen = {.refuse = 2};
    haft_client_options options = HAFT_INIT(haft_client_options, .revision = "2025-11-25",
                                            .answer = answer, .context = &seen);
    haft_client *client = haft_client_new(server, &options);
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_call(client, "interview", NULL, &result), 0);
    assert_true(result.is_error);
    haft_client_free(client);
    options.revision = NULL;
    seen.questions = 0;
    client = haft_client_new(server, &options);
    assert_int_equal(haft_client_call(client, "interview", NULL, &result), 0);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(result.value, "resultType")),
                        "input_required");
    assert_non_null(yyjson_obj_get(yyjson_obj_get(result.value, "inputRequests"), "roots"));
    haft_client_free(client);
    /* one that can be asked nothing */
    client = haft_client_new(server, NULL);
    assert_int_equal(haft_client_call(client, "interview", NULL, &result), 0);
    assert_int_equal(result.error_code, -32021);
    haft_client_free(client);
    haft_server_free(server);
}

/* ---- being told ---- */

static void notifications(void **state)
{
    static const struct {
        const char *revision, *level;
        bool progress;
        const char *seen;
    } rows[] = {
        {"2026-07-28", NULL, false, ""},
        {"2026-07-28", "error", true, "notifications/progress notifications/message:error "},
        {"2025-11-25", NULL, false, "notifications/message:info notifications/message:error "},
        {"2025-11-25", "error", true, "notifications/progress notifications/message:error "},
    };
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct seen seen = {.text = ""};
        haft_client *client = haft_client_new(
            server, HAFT_WITH(haft_client_options, .revision = rows[i].revision, .name = "n\"n",
                              .version = "v", .log_level = rows[i].level,
                              .progress = rows[i].progress, .notify = notified, .context = &seen));
        haft_result result;

        assert_int_equal(haft_client_call(client, "report", NULL, &result), 0);
        assert_string_equal(result.text, "n\"n v");
        assert_string_equal(seen.text, rows[i].seen);
        haft_client_free(client);
    }
    haft_server_free(server);
}

static void changes(void **state)
{
    haft_server *server = serve(NULL);
    struct seen seen = {.text = ""};
    haft_client_options options = HAFT_INIT(haft_client_options, .revision = "2025-06-18",
                                            .notify = notified, .context = &seen);
    haft_client *client = haft_client_new(server, &options);
    int64_t id;
    haft_result result;

    (void)state;
    haft_offer_disable(server, HAFT_OFFER_TOOL, "hold");
    haft_client_advance(client, 0);
    assert_string_equal(seen.text, "notifications/tools/list_changed ");
    haft_client_free(client);
    options.revision = NULL;
    seen.text[0] = '\0';
    client = haft_client_new(server, &options);
    id = haft_client_send(client, "subscriptions/listen",
                          "{\"notifications\":{\"toolsListChanged\":true}}");
    haft_offer_enable(server, HAFT_OFFER_TOOL, "hold");
    assert_int_equal(haft_client_wait(client, id, 1, &result), HAFT_PENDING);
    assert_string_equal(seen.text, "notifications/subscriptions/acknowledged "
                                   "notifications/tools/list_changed ");
    assert_int_equal(haft_client_cancel(client, id), 0);
    assert_int_equal(haft_client_cancel(client, id), HAFT_ENOTFOUND);
    haft_client_free(client);
    haft_server_free(server);
}

/* ---- waiting ---- */

static void waiting(void **state)
{
    haft_server *server = serve(NULL);
    haft_client *client = haft_client_new(server, NULL);
    haft_call *first, *second;
    int64_t one, two;
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_call(client, "hold", NULL, &result), HAFT_PENDING);
    one = haft_client_latest(client);
    first = held;
    two = haft_client_send(client, "tools/call", "{\"name\":\"hold\"}");
    second = held;
    assert_int_equal(haft_client_wait(client, two, 1000, &result), HAFT_PENDING);
    haft_text(second, "second");
    haft_finish(second, 0);
    haft_text(first, "first");
    haft_finish(first, 0);
    assert_int_equal(haft_client_wait(client, one, 0, &result), 0);
    assert_string_equal(result.text, "first");
    assert_int_equal(haft_client_wait(client, two, 0, &result), 0);
    assert_string_equal(result.text, "second");
    assert_int_equal(haft_client_wait(client, two, 0, &result), HAFT_ENOTFOUND);
    /* until the deadline, which comes at once */
    assert_int_equal(haft_client_call(client, "hold", NULL, &result), HAFT_PENDING);
    assert_int_equal(haft_client_wait(client, haft_client_latest(client), 29999, &result),
                     HAFT_PENDING);
    assert_int_equal(haft_client_wait(client, haft_client_latest(client), 1000, &result), 0);
    assert_string_equal(result.text, "timed out after 30 s");
    assert_true(haft_call_cancelled(held));
    haft_finish(held, 0);
    /* never, because it is taken back */
    assert_int_equal(haft_client_call(client, "hold", NULL, &result), HAFT_PENDING);
    assert_int_equal(haft_client_cancel(client, haft_client_latest(client)), 0);
    assert_true(haft_call_cancelled(held));
    haft_finish(held, 0);
    assert_int_equal(haft_client_strays(client), 0);
    /* or because the client goes: the handler finds that out */
    assert_int_equal(haft_client_call(client, "hold", NULL, &result), HAFT_PENDING);
    haft_client_free(client);
    assert_true(haft_call_cancelled(held));
    haft_finish(held, 0);
    haft_server_free(server);
}

/* With a clock of the test's own. */
static haft_time tick(void *context)
{
    haft_time *now = context;

    if (*now == 5) {
        haft_text(held, "at 5");
        haft_finish(held, 0);
    }
    return (*now)++;
}

static void checks_clock(void **state)
{
    haft_server *server = serve(NULL);
    haft_time now = 0;
    haft_client *client =
        haft_client_new(server, HAFT_WITH(haft_client_options, .clock = tick, .context = &now));
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_call(client, "hold", NULL, &result), HAFT_PENDING);
    assert_int_equal(haft_client_wait(client, haft_client_latest(client), 1000, &result), 0);
    assert_string_equal(result.text, "at 5");
    haft_client_free(client);
    haft_server_free(server);
}

/* ---- odds and ends ---- */

static void watch(void *context, bool sent, const char *text, size_t size)
{
    struct seen *seen = context;
    size_t used = strlen(seen->text);

    snprintf(seen->text + used, sizeof seen->text - used, "%c %.*s\n", sent ? '>' : '<', (int)size,
             text);
}

static void checks_watch(void **state)
{
    haft_server *server = serve(NULL);
    struct seen seen = {.text = ""};
    haft_client *client =
        haft_client_new(server, HAFT_WITH(haft_client_options, .watch = watch, .context = &seen));

    (void)state;
    assert_int_equal(
        haft_client_feed(client, TEXT("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}")), 0);
    assert_int_equal(haft_client_notify(client, "a/b", "{\"c\":1}"), 0);
    assert_int_equal(haft_client_notify(client, "a/b", NULL), 0);
    assert_int_equal(haft_client_notify(client, "a/b", "5"), HAFT_EINVAL);
    assert_string_equal(seen.text,
                        "> {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n"
                        "< {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n"
                        "> {\"jsonrpc\":\"2.0\",\"method\":\"a/b\",\"params\":{\"c\":1}}\n"
                        "> {\"jsonrpc\":\"2.0\",\"method\":\"a/b\"}\n");
    assert_int_equal(haft_client_strays(client), 1);
    haft_client_free(client);
    haft_server_free(server);
}

static void connect_badly(void **state)
{
    haft_server *server = serve(NULL);

    (void)state;
    assert_null(haft_client_new(NULL, NULL));
    assert_null(haft_client_new(server, HAFT_WITH(haft_client_options, .revision = "1999-01-01")));
    haft_client_free(NULL);
    haft_server_free(server);
}

/* Every allocation of the client fails once. */
static void checks_memory(void **state)
{
    static const char *const both[] = {NULL, "2025-11-25"};
    haft_server *server = serve(HAFT_WITH(haft_server_options, .page_size = 2));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        for (size_t nth = 1;; nth++) {
            struct seen seen = {.text = ""};
            struct failing failing;
            haft_client *client;
            haft_result result;
            int status;

            failing_init(&failing, nth);
            client = haft_client_new(
                server, HAFT_WITH(haft_client_options, .revision = both[i], .answer = answer,
                                  .notify = notified, .context = &seen, .progress = true,
                                  .log_level = "info", .allocator = &failing.allocator));
            if (client) {
                status = haft_client_call(client, "interview", NULL, &result);
                assert_true(!status || status == HAFT_ENOMEM || status == HAFT_PENDING);
                status = haft_client_list(client, HAFT_OFFER_TOOL, &result);
                assert_true(!status || status == HAFT_ENOMEM || status == HAFT_PENDING);
                status = haft_client_call(client, "report", NULL, &result);
                assert_true(!status || status == HAFT_ENOMEM || status == HAFT_PENDING);
            }
            haft_client_free(client);
            failing_check(&failing);
            if (!failing.failures)
                break;
        }
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),         cmocka_unit_test(lists),
        cmocka_unit_test(checks_questions), cmocka_unit_test(refusals),
        cmocka_unit_test(notifications),    cmocka_unit_test(changes),
        cmocka_unit_test(waiting),          cmocka_unit_test(checks_clock),
        cmocka_unit_test(checks_watch),     cmocka_unit_test(connect_badly),
        cmocka_unit_test(checks_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
