/* Traces: what is read from a request, what is as good as absent, and where it turns up again. */
#include <haft.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "support/wire.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
#define PARENT "00-" TRACE "-" SPAN "-01"

static haft_trace seen;
static char state[1024];
static bool any;

static int look(haft_call *call)
{
    const haft_trace *trace = haft_call_trace(call);

    any = trace;
    seen = trace ? *trace : (haft_trace){0};
    snprintf(state, sizeof state, "%s", trace ? trace->tracestate : "-");
    haft_log(call, HAFT_INFO, "seen");
    return haft_text(call, "ok");
}
HAFT_TOOL_BARE(look, "Looks at its trace");

static char logged[256], audited[1024];

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    snprintf(logged, sizeof logged, "%.*s", (int)size, text);
}

static void on_audit(void *context, const char *line, size_t size)
{
    (void)context;
    snprintf(audited, sizeof audited, "%.*s", (int)size, line);
}

static uint64_t next_number;

static uint64_t number(void)
{
    return next_number;
}

struct pair {
    const char *parent, *state;
};

/* Calls the tool with this in its _meta, and that around it. */
static void call(struct wire *wire, const char *meta, const struct pair *around)
{
    haft_header list[2];
    haft_headers headers = {.list = list};
    char text[4096];
    haft_incoming *message;

    snprintf(
        text, sizeof text,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"look\","
        "\"_meta\":{%s}}}",
        meta);
    message = haft_incoming_read(wire->session, text, strlen(text), NULL, wire->now);
    assert_non_null(message);
    if (around && around->parent)
        list[headers.n++] = (haft_header){"traceparent", around->parent};
    if (around && around->state)
        list[headers.n++] = (haft_header){"tracestate", around->state};
    assert_int_equal(haft_incoming_process(message, wire->session, around ? &headers : NULL), 1);
    assert_non_null(wire_next(wire));
}

#define X32(text)                                                                                  \
    text text text text text text text text text text text text text text text text text text text \
        text text text text text text text text text text text text text
#define META(parent) "\"traceparent\":\"" parent "\""
#define STATE(text) META(PARENT) ",\"tracestate\":\"" text "\""

static void a_trace_is_read_strictly(void **unused)
{
    static const struct {
        const char *meta;
        struct pair around;
        const char *traceparent, *state; /* of what comes of it; NULL for none */
        unsigned flags;
    } rows[] = {
        {META(PARENT), {0}, "00-" TRACE "-000000000000002a-01", "", 1},
        {META("00-" TRACE "-" SPAN "-00"), {0}, "00-" TRACE "-000000000000002a-00", "", 0},
        {META("00-" TRACE "-" SPAN "-ff"), {0}, "00-" TRACE "-000000000000002a-03", "", 255},
        /* a later version may say more */
        {META("cc-" TRACE "-" SPAN "-01"), {0}, "00-" TRACE "-000000000000002a-01", "", 1},
        {META("cc-" TRACE "-" SPAN "-01-x"), {0}, "00-" TRACE "-000000000000002a-01", "", 1},
        {META("cc-" TRACE "-" SPAN "-01x"), {0}, NULL, NULL, 0},
        {META("00-" TRACE "-" SPAN "-01-x"), {0}, NULL, NULL, 0},
        {META("ff-" TRACE "-" SPAN "-01"), {0}, NULL, NULL, 0},
        {META("0-" TRACE "-" SPAN "-01"), {0}, NULL, NULL, 0},
        {META("00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01"), {0}, NULL, NULL, 0},
        {META("00-00000000000000000000000000000000-" SPAN "-01"), {0}, NULL, NULL, 0},
        {META("00-" TRACE "-0000000000000000-01"), {0}, NULL, NULL, 0},
        {META("00-" TRACE "_" SPAN "-01"), {0}, NULL, NULL, 0},
        {META("00-" TRACE "-" SPAN "-0g"), {0}, NULL, NULL, 0},
        {META("00-" TRACE "-" SPAN "-1"), {0}, NULL, NULL, 0},
        {META(""), {0}, NULL, NULL, 0},
        {"\"traceparent\":5", {0}, NULL, NULL, 0},
        {"", {0}, NULL, NULL, 0},
        /* the state comes along when it is well written */
        {STATE("rojo=00f067aa0ba902b7,congo=t61"),
         {0},
         "00-" TRACE "-000000000000002a-01",
         "rojo=00f067aa0ba902b7,congo=t61",
         1},
        {STATE("a=1 , b=2,,"), {0}, "00-" TRACE "-000000000000002a-01", "a=1 , b=2,,", 1},
        {STATE("fw529a3039@dt=FfAAAAAA"),
         {0},
         "00-" TRACE "-000000000000002a-01",
         "fw529a3039@dt=FfAAAAAA",
         1},
        {STATE("A=1"), {0}, "00-" TRACE "-000000000000002a-01", "", 1},
        {STATE("a=1=2"), {0}, "00-" TRACE "-000000000000002a-01", "", 1},
        {STATE("a"), {0}, "00-" TRACE "-000000000000002a-01", "", 1},
        {STATE("a="), {0}, "00-" TRACE "-000000000000002a-01", "", 1},
        {STATE(X32("a=1,") "b=2"), {0}, "00-" TRACE "-000000000000002a-01", "", 1},
        {"\"tracestate\":\"a=1\"", {0}, NULL, NULL, 0},
        /* headers count where _meta says nothing, and only there */
        {"", {PARENT, "a=1"}, "00-" TRACE "-000000000000002a-01", "a=1", 1},
        {"\"tracestate\":\"b=2\"", {PARENT, NULL}, "00-" TRACE "-000000000000002a-01", "", 1},
        {META(PARENT),
         {"00-" TRACE "-1111111111111111-00", "a=1"},
         "00-" TRACE "-000000000000002a-01",
         "",
         1},
        {META("no"), {PARENT, "a=1"}, NULL, NULL, 0},
    };
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .random = number));
    struct wire *wire;

    (void)unused;
    next_number = 42;
    assert_int_equal(haft_add(server, &look_tool), 0);
    wire = wire_open(server);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        call(wire, rows[i].meta, rows[i].around.parent ? &rows[i].around : NULL);
        if (any != (rows[i].traceparent != NULL))
            fail_msg("row %zu: %s", i, rows[i].meta);
        if (!any)
            continue;
        assert_string_equal(seen.traceparent, rows[i].traceparent);
        assert_string_equal(seen.trace_id, TRACE);
        assert_string_equal(seen.parent_id, SPAN);
        assert_string_equal(seen.span_id, "000000000000002a");
        assert_int_equal(seen.flags, rows[i].flags);
        assert_string_equal(state, rows[i].state);
    }
    wire_close(wire);
    haft_server_free(server);
}

static void lines_say_which_trace(void **unused)
{
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .random = number, .log = on_log));
    struct wire *wire;

    (void)unused;
    next_number = 42;
    assert_int_equal(haft_add(server, &look_tool), 0);
    assert_int_equal(haft_audit_add(server, on_audit, NULL), 0);
    wire = wire_open(server);
    call(wire, META(PARENT), NULL);
    assert_string_equal(logged, "[1] look: seen (trace " TRACE ")");
    assert_non_null(strstr(audited, ",\"trace\":\"" TRACE "\",\"span\":\"000000000000002a\","));
    call(wire, "", NULL);
    assert_string_equal(logged, "[1] look: seen");
    assert_null(strstr(audited, "\"trace\""));
    wire_close(wire);
    haft_server_free(server);
}

/* Without numbers from outside they differ, and none is the one that means nothing. */
static void spans_differ(void **unused)
{
    haft_server *server = haft_server_new("test", "1");
    struct wire *wire;
    char first[17];

    (void)unused;
    assert_int_equal(haft_add(server, &look_tool), 0);
    wire = wire_open(server);
    call(wire, META(PARENT), NULL);
    memcpy(first, seen.span_id, sizeof first);
    call(wire, META(PARENT), NULL);
    assert_string_not_equal(first, seen.span_id);
    wire_close(wire);
    haft_server_free(server);
    server = haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .random = number));
    next_number = 0;
    assert_int_equal(haft_add(server, &look_tool), 0);
    wire = wire_open(server);
    call(wire, META(PARENT), NULL);
    assert_string_equal(seen.span_id, "0000000000000001");
    wire_close(wire);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_read_strictly),
        cmocka_unit_test(lines_say_which_trace),
        cmocka_unit_test(spans_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
