/* test_ends.c - every way in which a call can end that only HTTP has, and its one line of the
 * audit.  tests/stage/test_ends.c has the others. */
#include "endpoint/asking.h"

static char outcomes[512];

static void on_line(void *context, const char *line, size_t size)
{
    const char *outcome;
    char text[1024];

    (void)context;
    snprintf(text, sizeof text, "%.*s", (int)size, line);
    outcome = strstr(text, "\"outcome\":\"");
    assert_non_null(outcome);
    outcome += strlen("\"outcome\":\"");
    snprintf(outcomes + strlen(outcomes), sizeof outcomes - strlen(outcomes), "%s%.*s",
             *outcomes ? " " : "", (int)strcspn(outcome, "\""), outcome);
}

static int nod(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "ok");
}

/* A tool one of whose arguments is also a header. */
static void add_routed(haft_server *server)
{
    static const char input[] =
        "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\","
        "\"x-mcp-header\":\"Region\"}}}";
    haft_tool_builder *tool = haft_tool_new("routed");
    haft_schema *schema = NULL;

    assert_int_equal(haft_schema_parse(input, strlen(input), NULL, &schema, NULL), 0);
    haft_tool_describe(tool, "Is routed");
    haft_tool_input(tool, schema);
    haft_tool_handler(tool, nod, NULL);
    haft_tool_quick(tool);
    assert_int_equal(haft_tool_build(tool, server), 0);
}

static struct bench *open_audited(void)
{
    struct bench *bench =
        bench_open(NULL, (haft_endpoint_options){.struct_size = sizeof(haft_endpoint_options)});

    add_routed(bench->server);
    assert_int_equal(haft_audit_add(bench->server, on_line, NULL), 0);
    check(bench, &(struct row){"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL}, 0);
    outcomes[0] = '\0';
    held = NULL;
    return bench;
}

#define NAMED(method, name) MODERN(method) "mcp-name: " name "\n"
#define ROUTED NAMED("tools/call", "routed")
#define EU ",'arguments':{'region':'eu'}," META

static void what_headers_say_otherwise_has_one_line(void **state)
{
    static const struct {
        const char *headers, *body;
        int status;
        const char *outcomes;
    } rows[] = {
        {ROUTED "mcp-param-region: eu\n", CALL(1, "routed", EU), 200, "ok"},
        {ROUTED "mcp-param-region: us\n", CALL(1, "routed", EU), 400, "invalid_arguments"},
        {ROUTED, CALL(1, "routed", EU), 400, "invalid_arguments"},
        {NAMED("tools/call", "say"), CALL(1, "routed", EU), 400, "invalid_arguments"},
        {NAMED("tools/call", "nobody"), CALL(1, "nobody", "," META), 200, "not_found"},
        {NAMED("tools/call", "routed"), CALL(1, "nobody", "," META), 400, "invalid_arguments"},
        {MODERN("tools/call"), CALL(1, "routed", EU), 400, "invalid_arguments"},
        {NAMED("tools/list", "routed"), CALL(1, "routed", EU), 400, "invalid_arguments"},
        {BOTH "mcp-protocol-version: 2026-07-28\n", CALL(1, "routed", EU), 400,
         "invalid_arguments"},
        {ROUTED, CALL(1, "routed", ",'arguments':{}"), 400, "invalid_arguments"},
        {LEGACY, CALL(1, "routed", EU), 400, "invalid_arguments"},
        {JSON, CALL(1, "routed", EU), 400, "invalid_arguments"},
        {LEGACY, CALL(1, "routed", ""), 200, "ok"},
        {SESSION, CALL(1, "routed", ""), 200, "ok"},
        /* what is not a call, or does not get as far as a server */
        {NAMED("tools/call", "x"),
         "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{" META "}}", 400, ""},
        {LEGACY "mcp-session-id: nope\n", CALL(1, "routed", ""), 404, ""},
        {BOTH "mcp-protocol-version: 1999-01-01\n", CALL(1, "routed", ""), 400, ""},
        {ROUTED, "{'jsonrpc':'2.0','method':'tools/call','params':{'name':'routed'}}", 202, ""},
    };
    struct bench *bench = open_audited();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int status;

        outcomes[0] = '\0';
        status = ask(bench, "POST", "/mcp", rows[i].headers, rows[i].body)->status;
        if (status != rows[i].status || strcmp(outcomes, rows[i].outcomes) != 0)
            fail_msg("row %zu: %d, \"%s\": %s", i, status, outcomes, bench->reply.body);
    }
    bench_close(bench);
}

/* ---- what is under way ---- */

static void leave(struct bench *bench)
{
    haft_exchange_gone(bench->reply.exchange);
}

static void end_session(struct bench *bench)
{
    struct reply reply;

    assert_int_equal(ask_into(bench, &reply, "DELETE", "/mcp", SESSION, "")->status, 200);
}

static void cancel(struct bench *bench)
{
    struct reply reply;

    assert_int_equal(ask_into(bench, &reply, "POST", "/mcp", SESSION,
                              "{'jsonrpc':'2.0','method':'notifications/cancelled','params':"
                              "{'requestId':1}}")
                         ->status,
                     202);
}

static void pass_the_deadline(struct bench *bench)
{
    bench->now += 30000;
    haft_endpoint_tick(bench->endpoint, bench->now);
}

static void shut_down(struct bench *bench)
{
    haft_endpoint_shut_down(bench->endpoint);
}

static void do_nothing(struct bench *bench)
{
    (void)bench;
}

#define HELD CALL(1, "hold", "")
#define HELD_MODERN CALL(1, "hold", "," META)

static void what_is_under_way_has_one_line(void **state)
{
    static const struct {
        const char *headers, *body;
        void (*act)(struct bench *bench);
        const char *outcomes;
    } rows[] = {
        {SESSION, HELD, do_nothing, "ok"},
        {NAMED("tools/call", "hold"), HELD_MODERN, do_nothing, "ok"},
        {LEGACY, HELD, do_nothing, "ok"},
        {NAMED("tools/call", "hold"), HELD_MODERN, leave, "cancelled"},
        /* a legacy client that is gone has not cancelled */
        {LEGACY, HELD, leave, "ok"},
        {SESSION, HELD, leave, "ok"},
        {SESSION, HELD, cancel, "cancelled"},
        {SESSION, HELD, end_session, "cancelled"},
        {SESSION, HELD, pass_the_deadline, "timed_out"},
        {NAMED("tools/call", "hold"), HELD_MODERN, pass_the_deadline, "timed_out"},
        {SESSION, HELD, shut_down, "ok"},
        {NAMED("tools/call", "hold"), HELD_MODERN, shut_down, "ok"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bench *bench = open_audited();

        ask(bench, "POST", "/mcp", rows[i].headers, rows[i].body);
        assert_non_null(held);
        rows[i].act(bench);
        let_go("done");
        if (strcmp(outcomes, rows[i].outcomes) != 0)
            fail_msg("row %zu: \"%s\"", i, outcomes);
        bench_close(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_headers_say_otherwise_has_one_line),
        cmocka_unit_test(what_is_under_way_has_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
