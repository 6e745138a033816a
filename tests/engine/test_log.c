/* Lines of the log: the same line as text, and as a record whose parts stand apart. */
#include <haft.h>
#include <stdio.h>
#include <string.h>

#include "engine/offer/log.h"
#include "support/test.h"
#include "support/wire.h"

static char seen[512];

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

static void on_record(void *context, const haft_record *record)
{
    assert_ptr_equal(context, seen);
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%d|%s|%s|%s|%s|%.*s\n",
             record->level, or_none(record->request_id), or_none(record->tool),
             or_none(record->client), or_none(record->principal), (int)record->size, record->text);
}

static void on_line(void *context, haft_level level, const char *text, size_t size)
{
    assert_ptr_equal(context, seen);
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%d|%.*s\n", level, (int)size, text);
}

static int chat(haft_call *call)
{
    haft_log(call, HAFT_INFO, "said %d things", 2);
    return haft_text(call, "ok");
}
HAFT_TOOL_BARE(chat, "Writes to the log");

static void a_line_knows_what_it_is_about(void **state)
{
    static const struct {
        bool record;
        const char *id, *principal, *expected;
    } rows[] = {
        {true, "7", "alice", "1|7|chat|c|alice|said 2 things\n"},
        {true, "\"a-b\"", NULL, "1|a-b|chat|c|-|said 2 things\n"},
        {false, "7", "alice", "1|[7] chat: said 2 things\n"},
        {false, "\"a-b\"", NULL, "1|[a-b] chat: said 2 things\n"},
        /* A client cannot begin a line of its own, nor turn one around. */
        {false, "\"7] x\\n3|[8\\u202e\"", NULL, "1|[7] x\\n3|[8\\u202e] chat: said 2 things\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = haft_server_new_with(
            "test", "1",
            HAFT_WITH(haft_server_options, .record = rows[i].record ? on_record : NULL,
                      .log = rows[i].record ? NULL : on_line, .log_context = seen));
        struct wire *wire =
            wire_open_with(server, (haft_session_options)HAFT_INIT(haft_session_options,
                                                                   .principal = rows[i].principal));
        char message[128];

        assert_int_equal(haft_add(server, &chat_tool), 0);
        wire_send(wire, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                        "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
                        "\"name\":\"c\",\"version\":\"1\"}}}");
        seen[0] = '\0';
        snprintf(message, sizeof message,
                 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"chat\"}}",
                 rows[i].id);
        wire_send(wire, message);
        assert_string_equal(seen, rows[i].expected);
        while (wire_next(wire))
            ;
        wire_close(wire);
        haft_server_free(server);
    }
}

static haft_call *waiting;

static int wait_on(haft_call *call)
{
    waiting = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(wait_on, "Takes too long", .timeout_ms = 50);

/* What the server itself has to say of a call is about that call, too. */
static void so_does_one_of_the_server(void **state)
{
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .record = on_record, .log_context = seen));
    struct wire *wire = wire_open_with(
        server, (haft_session_options)HAFT_INIT(haft_session_options, .principal = "alice"));

    (void)state;
    assert_int_equal(haft_add(server, &wait_on_tool), 0);
    wire_send(wire, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":"
                    "\"wait_on\"}}");
    seen[0] = '\0';
    wire->now += 51;
    haft_session_tick(wire->session, wire->now);
    assert_string_equal(
        seen,
        "3|7|wait_on|-|alice|timed out after 50 ms; its handler returned 1 (HAFT_PENDING), and haft_finish was not called\n");
    assert_non_null(wire_next(wire));
    haft_finish(waiting, 0);
    wire_close(wire);
    haft_server_free(server);
}

static void a_client_says_why_it_cancels(void **state)
{
    static const char *const rows[][2] = {
        {"", "0|7|wait_on|c|-|cancelled by the client\n"},
        {",\"reason\":\"bored\"", "0|7|wait_on|c|-|cancelled by the client: bored\n"},
        {",\"reason\":5", "0|7|wait_on|c|-|cancelled by the client\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .record = on_record, .log_context = seen));
        struct wire *wire = wire_open(server);
        char message[160];

        assert_int_equal(haft_add(server, &wait_on_tool), 0);
        wire_send(wire, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                        "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
                        "\"name\":\"c\",\"version\":\"1\"}}}");
        wire_send(wire, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
                        "\"name\":\"wait_on\"}}");
        seen[0] = '\0';
        snprintf(message, sizeof message,
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                 "\"requestId\":7%s}}",
                 rows[i][0]);
        wire_send(wire, message);
        assert_string_equal(seen, rows[i][1]);
        haft_finish(waiting, 0);
        while (wire_next(wire))
            ;
        wire_close(wire);
        haft_server_free(server);
    }
}

static void what_was_said_before_is_kept(void **state)
{
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    seen[0] = '\0';
    assert_int_equal(haft_add(server, HAFT_WITH(haft_tool, .name = "no handler")), HAFT_EINVAL);
    assert_false(hf_server_has_log(server));
    hf_server_set_record(server, on_record, seen);
    assert_true(hf_server_has_log(server));
    assert_non_null(strstr(seen, "4|-|-|-|-|no handler: "));
    /* It is given once. */
    seen[0] = '\0';
    hf_server_set_log(server, on_line, seen);
    assert_string_equal(seen, "");
    hf_server_set_log(server, NULL, NULL);
    hf_server_log(server, HAFT_ERROR, "held");
    hf_server_set_log(server, on_line, seen);
    assert_string_equal(seen, "4|held\n");
    /* What nobody has to know is not. */
    seen[0] = '\0';
    hf_server_set_log(server, NULL, NULL);
    hf_server_log(server, HAFT_NOTICE, "by the way");
    hf_server_log(server, HAFT_WARNING, "beware");
    hf_server_set_log(server, on_line, seen);
    assert_string_equal(seen, "3|beware\n");
    haft_server_free(server);
}

static void count_long(void *context, haft_level level, const char *text, size_t size)
{
    size_t *n = context;

    assert_int_equal(level, HAFT_ERROR);
    assert_int_equal(size, 1000);
    assert_int_equal(text[size - 1], 'x');
    ++*n;
}

/* What does not fit is left out whole. */
static void what_is_kept_has_a_limit(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    char text[1001];
    size_t n = 0;

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 100; i++)
        hf_server_log(server, HAFT_ERROR, "%s", text);
    hf_server_set_log(server, count_long, &n);
    assert_true(n > 50 && n < 100);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_knows_what_it_is_about),
        cmocka_unit_test(so_does_one_of_the_server),
        cmocka_unit_test(a_client_says_why_it_cancels),
        cmocka_unit_test(what_was_said_before_is_kept),
        cmocka_unit_test(what_is_kept_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
