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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_that_are_wrong_are_told_of),
        cmocka_unit_test(nothing_is_no_server_no_tool_and_no_client),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
