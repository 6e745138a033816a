/* test_misuse.c - what a programmer does wrong with handlers and handles: the client gets a plain
 * answer, the log says what was wrong, and nothing crashes. */
#include <haft.h>
#include <string.h>

#include "support/test.h"

/* ---- handlers ---- */

HAFT_STRUCT(sum, HAFT_INTEGER(sum, "All together", .max = 10));

#define RETURNS(name, value)                                                                       \
    static int name(haft_call *call)                                                               \
    {                                                                                              \
        return haft_text(call, "said") ? HAFT_ENOMEM : (value);                                    \
    }                                                                                              \
    HAFT_TOOL_BARE(name, "Returns what it should not", .timeout_ms = 50)

RETURNS(positive, 17);
RETURNS(negative, -12345);
RETURNS(late, -1000);
RETURNS(again, HAFT_AGAIN);

static haft_call *held;

static int pending(haft_call *call)
{
    held = call;
    return 1; /* for a failure, as programs do */
}
HAFT_TOOL_BARE(pending, "Returns what it should not", .timeout_ms = 50);

static int refused(haft_call *call)
{
    haft_error(call, "no");
    return 17;
}
HAFT_TOOL_BARE(refused, "Says no, and returns what it should not");

static int finished(haft_call *call)
{
    haft_finish(call, 17);
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(finished, "Is finished with what it should not");

static int out(haft_call *call, sum *to)
{
    (void)call;
    to->sum = 11;
    return 17;
}
HAFT_TOOL_OUT(out, sum, "Gives a struct, and returns what it should not");

static const char *no_format;

static int formats(haft_call *call)
{
    return haft_text(call, no_format, 1);
}
HAFT_TOOL_BARE(formats, "Has no format");

static int typeless(haft_call *call)
{
    return haft_image(call, NULL, "x", 1);
}
HAFT_TOOL_BARE(typeless, "Gives an image without a type");

static int empty(haft_call *call)
{
    return haft_audio(call, "audio/wav", NULL, 1);
}
HAFT_TOOL_BARE(empty, "Gives audio without bytes");

static const struct row {
    const haft_tool *tool;
    const char *text, *logged;
} rows[] = {
    {&positive_tool, "The tool failed.",
     "the handler returned 17, which is not a haft status code"},
    {&negative_tool, "The tool failed.",
     "the handler returned -12345, which is not a haft status code"},
    {&late_tool, "The tool failed.", "the handler returned -1000, which is not a haft status code"},
    {&pending_tool, "timed out after 50 ms",
     "timed out after 50 ms; its handler returned 1 (HAFT_PENDING), and haft_finish was not called"},
    {&again_tool, "The tool failed.", "the handler returned HAFT_AGAIN without asking for input"},
    {&refused_tool, "no", "the handler returned 17, which is not a haft status code"},
    {&finished_tool, "The tool failed.",
     "the handler returned 17, which is not a haft status code"},
    {&out_tool, "The tool failed.", "the handler returned 17, which is not a haft status code"},
    {&formats_tool, "The tool failed.", "failed: invalid argument"},
    {&typeless_tool, "The tool failed.", "image: the MIME type is missing"},
    {&empty_tool, "The tool failed.", "audio: the data is missing"},
};

static void note(void *context, haft_level level, const char *text, size_t size)
{
    (void)level;
    haft_buffer_add(context, text, size);
    haft_buffer_add(context, "\n", 1);
}

static void handlers_that_are_wrong_are_told_of(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_result result;
        haft_client *client;
        haft_server *server;
        haft_buffer log;
        int status;

        haft_buffer_init(&log, NULL, 1 << 16);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .log = note, .log_context = &log));
        assert_int_equal(haft_add(server, rows[i].tool), 0);
        client = haft_client_new(server, NULL);
        status = haft_client_call(client, rows[i].tool->name, NULL, &result);
        if (status == HAFT_PENDING)
            status = haft_client_wait(client, haft_client_latest(client), 1000, &result);
        assert_int_equal(status, 0);
        assert_true(result.is_error);
        assert_string_equal(result.text, rows[i].text);
        haft_buffer_add(&log, "", 1);
        if (!strstr(log.data, rows[i].logged))
            fail_msg("%s logged\n%s", rows[i].tool->name, log.data);
        if (held)
            haft_finish(held, 0); /* or the test has a leak, as such a program has */
        held = NULL;
        haft_client_free(client);
        haft_server_free(server);
        haft_buffer_finish(&log);
    }
}

/* ---- what is not there ---- */

static void nothing_is_no_server_no_tool_and_no_client(void **state)
{
    static const haft_stage stage = HAFT_INIT(haft_stage, .name = "x");
    haft_server *server = haft_server_new("test", "1");
    haft_client *client;
    haft_result result;

    (void)state;
    assert_null(haft_server_new(NULL, "1"));
    assert_int_equal(haft_add(NULL, &typeless_tool), HAFT_EINVAL);
    assert_int_equal(haft_tool_replace(NULL, "typeless", &typeless_tool), HAFT_EINVAL);
    assert_int_equal(haft_stage_add(NULL, &stage), HAFT_EINVAL);
    assert_int_equal(haft_stage_add(server, NULL), HAFT_EINVAL);
    assert_int_equal(haft_add(server, NULL), HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text, "the tool is missing");
    assert_int_equal(haft_tool_build(haft_tool_new(NULL), server), HAFT_EINVAL);
    assert_null(haft_client_new(NULL, NULL));

    client = haft_client_new(server, NULL);
    for (int i = 0; i < 2; i++, haft_client_free(client), client = NULL) {
        assert_int_equal(haft_client_call(client, NULL, NULL, &result), HAFT_EINVAL);
        assert_int_equal(haft_client_get(client, NULL, NULL, &result), HAFT_EINVAL);
        assert_int_equal(haft_client_read(client, NULL, &result), HAFT_EINVAL);
        assert_int_equal(haft_client_request(client, NULL, NULL, &result), HAFT_EINVAL);
        assert_int_equal(haft_client_notify(client, NULL, NULL), HAFT_EINVAL);
        assert_int_equal(haft_client_wait(client, 1, 0, &result),
                         client ? HAFT_ENOTFOUND : HAFT_EINVAL);
        assert_int_equal(
            haft_client_complete(client, HAFT_OFFER_PROMPT, NULL, NULL, NULL, NULL, &result),
            HAFT_EINVAL);
    }
    assert_int_equal(haft_client_call(NULL, "typeless", NULL, &result), HAFT_EINVAL);
    assert_int_equal(haft_client_list(NULL, HAFT_OFFER_TOOL, &result), HAFT_EINVAL);
    haft_server_free(server);
}

/* ---- reasons ---- */

static int misuse_wait(haft_client *client, haft_result *result)
{
    return haft_client_wait(client, 99, 0, result);
}
static int misuse_wait_null(haft_client *client, haft_result *result)
{
    (void)result;
    return haft_client_wait(client, 99, 0, NULL);
}
static int misuse_call(haft_client *client, haft_result *result)
{
    return haft_client_call(client, NULL, NULL, result);
}
static int misuse_call_null(haft_client *client, haft_result *result)
{
    (void)result;
    return haft_client_call(client, "typeless", NULL, NULL);
}
static int misuse_call_json(haft_client *client, haft_result *result)
{
    return haft_client_call(client, "typeless", "{\"a\":1,}", result);
}
static int misuse_call_array(haft_client *client, haft_result *result)
{
    return haft_client_call(client, "typeless", "[]", result);
}
static int misuse_call_text(haft_client *client, haft_result *result)
{
    return haft_client_call(client, "\xff", NULL, result);
}
static int misuse_get_json(haft_client *client, haft_result *result)
{
    return haft_client_get(client, "p", "x", result);
}
static int misuse_get(haft_client *client, haft_result *result)
{
    return haft_client_get(client, NULL, NULL, result);
}
static int misuse_read(haft_client *client, haft_result *result)
{
    return haft_client_read(client, NULL, result);
}
static int misuse_read_text(haft_client *client, haft_result *result)
{
    return haft_client_read(client, "\xff", result);
}
static int misuse_complete(haft_client *client, haft_result *result)
{
    return haft_client_complete(client, HAFT_OFFER_PROMPT, "p", NULL, "", NULL, result);
}
static int misuse_complete_kind(haft_client *client, haft_result *result)
{
    return haft_client_complete(client, HAFT_OFFER_TOOL, "p", "a", "", NULL, result);
}
static int misuse_complete_others(haft_client *client, haft_result *result)
{
    return haft_client_complete(client, HAFT_OFFER_PROMPT, "p", "a", "", "[", result);
}
static int misuse_list(haft_client *client, haft_result *result)
{
    return haft_client_list(client, (haft_offer)77, result);
}
static int misuse_request(haft_client *client, haft_result *result)
{
    return haft_client_request(client, NULL, NULL, result);
}
static int misuse_request_json(haft_client *client, haft_result *result)
{
    return haft_client_request(client, "tools/list", "7", result);
}
static int misuse_send(haft_client *client, haft_result *result)
{
    (void)result;
    return (int)haft_client_send(client, NULL, NULL);
}
static int misuse_notify(haft_client *client, haft_result *result)
{
    (void)result;
    return haft_client_notify(client, NULL, NULL);
}
static int misuse_notify_json(haft_client *client, haft_result *result)
{
    (void)result;
    return haft_client_notify(client, "notifications/x", "{");
}
static int misuse_cancel(haft_client *client, haft_result *result)
{
    (void)result;
    return haft_client_cancel(client, 99);
}
static int misuse_begin(haft_client *client, haft_result *result)
{
    (void)result;
    return (int)haft_client_begin(client, NULL);
}
static int misuse_begin_both(haft_client *client, haft_result *result)
{
    (void)result;
    return (int)haft_client_begin(client,
                                  HAFT_WITH(haft_client_exchange, .tool = "a", .method = "b"));
}
static int misuse_begin_size(haft_client *client, haft_result *result)
{
    (void)result;
    return (int)haft_client_begin(client, &(haft_client_exchange){.tool = "a"});
}
static int misuse_typed(haft_client *client, haft_result *result)
{
    return haft_client_call_typed(client, "typeless", NULL, client, NULL, NULL, result);
}
static int misuse_subscribe(haft_client *client, haft_result *result)
{
    (void)result;
    return haft_client_subscribe(client, NULL, NULL, NULL) ? 0 : HAFT_EINVAL;
}
static int misuse_subscribe_size(haft_client *client, haft_result *result)
{
    (void)result;
    return haft_client_subscribe(client, &(haft_topics){.tools = true},
                                 (haft_client_changed *)(uintptr_t)1, NULL)
               ? 0
               : HAFT_EINVAL;
}

static const struct misuse {
    int (*use)(haft_client *client, haft_result *result);
    int status;
    const char *text;
} misuses[] = {
    {misuse_wait, HAFT_ENOTFOUND, "no request with the id 99 is waiting"},
    {misuse_wait_null, HAFT_EINVAL, "haft_client_wait: ret_result is NULL"},
    {misuse_call, HAFT_EINVAL, "haft_client_call: tool is NULL"},
    {misuse_call_null, HAFT_EINVAL, "haft_client_call: ret_result is NULL"},
    {misuse_call_json, HAFT_EINVAL,
     "typeless: the arguments are not valid JSON: trailing comma is not allowed at byte 6"},
    {misuse_call_array, HAFT_EINVAL, "typeless: the arguments are not a JSON object"},
    {misuse_call_text, HAFT_EINVAL, "\xEF\xBF\xBD: its name is not valid UTF-8"},
    {misuse_get, HAFT_EINVAL, "haft_client_get: prompt is NULL"},
    {misuse_get_json, HAFT_EINVAL, "p: the arguments are not valid JSON: "},
    {misuse_read, HAFT_EINVAL, "haft_client_read: uri is NULL"},
    {misuse_read_text, HAFT_EINVAL, "resources/read: "},
    {misuse_complete, HAFT_EINVAL, "haft_client_complete: argument is NULL"},
    {misuse_complete_kind, HAFT_EINVAL,
     "haft_client_complete: kind is neither a prompt nor a template"},
    {misuse_complete_others, HAFT_EINVAL, "p: the other arguments are not valid JSON: "},
    {misuse_list, HAFT_EINVAL, "haft_client_list: unknown kind 77"},
    {misuse_request, HAFT_EINVAL, "haft_client_request: method is NULL"},
    {misuse_request_json, HAFT_EINVAL, "tools/list: the parameters are not a JSON object"},
    {misuse_send, HAFT_EINVAL, "haft_client_send: method is NULL"},
    {misuse_notify, HAFT_EINVAL, "haft_client_notify: method is NULL"},
    {misuse_notify_json, HAFT_EINVAL, "notifications/x: the parameters are not valid JSON: "},
    {misuse_cancel, HAFT_ENOTFOUND, "no request with the id 99 is waiting"},
    {misuse_begin, HAFT_EINVAL, "haft_client_begin: exchange is NULL"},
    {misuse_begin_both, HAFT_EINVAL,
     "haft_client_begin: exactly one of tool, method and task must be set"},
    {misuse_begin_size, HAFT_EINVAL, "haft_client_exchange: its struct_size is not set"},
    {misuse_typed, HAFT_EINVAL, "haft_client_call_typed: in is NULL"},
    {misuse_subscribe, HAFT_EINVAL, "haft_client_subscribe: topics is NULL"},
    {misuse_subscribe_size, HAFT_EINVAL, "haft_topics: its struct_size is not set"},
};

static void every_misuse_has_a_reason(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    haft_client *client = haft_client_new(server, NULL);
    haft_result result;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(misuses); i++) {
        assert_int_equal(haft_client_read(client, "former://error", &result), 0);
        assert_int_equal(misuses[i].use(client, &result), misuses[i].status);
        if (strncmp(haft_client_error(client, NULL), misuses[i].text, strlen(misuses[i].text)) != 0)
            fail_msg("row %zu: %s", i, haft_client_error(client, NULL));
        assert_int_equal(misuses[i].use(NULL, &result), HAFT_EINVAL);
    }
    haft_client_free(client);
    haft_server_free(server);
}

static void nothing_is_no_question(void **state)
{
    haft_buffer text;

    (void)state;
    haft_buffer_init(&text, NULL, 64);
    assert_null(haft_question_method(NULL));
    assert_null(haft_question_params(NULL));
    assert_int_equal(haft_question_accept(NULL, "{}"), HAFT_EINVAL);
    assert_int_equal(haft_question_decline(NULL), HAFT_EINVAL);
    assert_int_equal(haft_question_cancel(NULL), HAFT_EINVAL);
    assert_int_equal(haft_question_answer(NULL, "{}"), HAFT_EINVAL);
    assert_int_equal(haft_question_refuse(NULL, -1, "no"), HAFT_EINVAL);
    assert_int_equal(haft_question_defaults(NULL, &text), HAFT_EINVAL);
    assert_int_equal(haft_client_latest(NULL), HAFT_EINVAL);
    assert_int_equal(haft_client_discovery(NULL, &text), HAFT_EINVAL);
    assert_null(haft_client_skipped(NULL, 0, NULL));
    assert_null(haft_client_revision(NULL));
    assert_string_equal(haft_client_error(NULL, NULL), "");
    haft_subscription_free(NULL);
    haft_buffer_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_that_are_wrong_are_told_of),
        cmocka_unit_test(nothing_is_no_server_no_tool_and_no_client),
        cmocka_unit_test(every_misuse_has_a_reason),
        cmocka_unit_test(nothing_is_no_question),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
