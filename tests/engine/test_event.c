/* Events: what a watcher hears of tools, calls and clients, and in which order. */
#include <haft.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "support/wire.h"

HAFT_STRUCT(work_args, HAFT_STRING(how, "How it ends"));

static haft_call *pending;

static int work(haft_call *call, const work_args *in)
{
    if (!strcmp(in->how, "wait")) {
        pending = call;
        return HAFT_PENDING;
    }
    if (!strcmp(in->how, "fail"))
        return HAFT_EINVAL;
    return !strcmp(in->how, "error") ? haft_error(call, "no") : haft_text(call, "done");
}
HAFT_TOOL_IN(work, work_args, "Works", .timeout_ms = 1000, .rate = {.calls = 6, .per_ms = 60000});

static char heard[2048];
static struct wire *open_wire;
static bool answered; /* when the latest event came */

static void hear(void *context, const haft_event *event)
{
    size_t at = strlen(heard);

    assert_ptr_equal(context, heard);
    answered = open_wire && open_wire->first;
    at += (size_t)snprintf(heard + at, sizeof heard - at, "%s%s", *heard ? "; " : "",
                           haft_event_name(event->kind));
    if (event->tool)
        at += (size_t)snprintf(heard + at, sizeof heard - at, " %s", event->tool);
    if (event->request_id)
        at += (size_t)snprintf(heard + at, sizeof heard - at, " %s %s %s", event->request_id,
                               event->client ? event->client : "-",
                               haft_outcome_name(event->outcome));
    else if (event->client)
        at += (size_t)snprintf(heard + at, sizeof heard - at, " %s", event->client);
    if (event->status)
        snprintf(heard + at, sizeof heard - at, " (%s)", event->reason);
}

static const haft_tool twice =
    HAFT_INIT(haft_tool, .name = "work", .description = "Again", .call = work_call_);
static const haft_tool other =
    HAFT_INIT(haft_tool, .name = "other", .description = "Other", .call = work_call_);
static const haft_tool idle = HAFT_INIT(haft_tool, .name = "idle", .description = "No handler");
static const haft_tool badly = HAFT_INIT(haft_tool, .name = "badly", .description = "Not JSON",
                                         .call = work_call_, .meta = "[");

static int add_work(haft_server *s)
{
    return haft_add(s, &work_tool);
}
static int add_again(haft_server *s)
{
    return haft_add(s, &twice);
}
static int add_idle(haft_server *s)
{
    return haft_add(s, &idle);
}
static int add_badly(haft_server *s)
{
    return haft_add(s, &badly);
}
static int update(haft_server *s)
{
    return haft_tool_replace(s, "work", &twice);
}
static int replace(haft_server *s)
{
    return haft_tool_replace(s, "work", &other);
}
static int update_none(haft_server *s)
{
    return haft_tool_replace(s, "none", &twice);
}
static int disable(haft_server *s)
{
    return haft_offer_disable(s, HAFT_OFFER_TOOL, "other");
}
static int enable(haft_server *s)
{
    return haft_offer_enable(s, HAFT_OFFER_TOOL, "other");
}
static int hide(haft_server *s)
{
    return haft_server_set_visibility(s, HAFT_WITH(haft_visibility, .tools = "-*"));
}
static int show(haft_server *s)
{
    return haft_server_set_visibility(s,
                                      &(haft_visibility){.struct_size = sizeof(haft_visibility)});
}
static int rename_it(haft_server *s)
{
    return haft_offer_rename(s, HAFT_OFFER_TOOL, "other", "another");
}
static int take_away(haft_server *s)
{
    return haft_offer_remove(s, HAFT_OFFER_TOOL, "another");
}

static void tools_come_by_steps_and_go(void **state)
{
    static const struct {
        int (*act)(haft_server *server);
        int status;
        const char *heard;
    } rows[] = {
        {add_work, 0,
         "tool accepted work; tool compiled work; tool stored work; tool announced work"},
        {add_again, HAFT_EEXISTS,
         "tool accepted work; tool compiled work; tool stored work (Tool work is "
         "already registered)"},
        {add_idle, HAFT_EINVAL, "tool accepted idle (the handler is missing)"},
        {add_badly, HAFT_EPARSE, "tool accepted badly; tool compiled badly (_meta: *"},
        {update, 0,
         "tool accepted work; tool compiled work; tool stored work; tool updated work; tool "
         "announced work"},
        {update_none, HAFT_ENOTFOUND,
         "tool accepted work; tool compiled work; tool stored work (Tool none: not found)"},
        {replace, 0,
         "tool accepted other; tool compiled other; tool stored other; tool removed work; tool "
         "announced other"},
        {disable, 0, "tool disabled other"},
        {disable, 0, ""},
        {hide, 0, ""},
        {enable, 0, ""},
        {show, 0, "tool enabled other"},
        {hide, 0, "tool disabled other"},
        {show, 0, "tool enabled other"},
        {rename_it, 0, "tool stored another; tool removed other; tool announced another"},
        {take_away, 0, "tool removed another"},
        {take_away, HAFT_ENOTFOUND, ""},
    };
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    open_wire = NULL;
    assert_int_equal(haft_event_watch(server, hear, heard), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *star = strchr(rows[i].heard, '*');

        heard[0] = '\0';
        assert_int_equal(rows[i].act(server), rows[i].status);
        if (star)
            assert_memory_equal(heard, rows[i].heard, (size_t)(star - rows[i].heard));
        else
            assert_string_equal(heard, rows[i].heard);
    }
    haft_server_free(server);
}

static void call_and_hear(struct wire *wire, const char *params, const char *expected)
{
    heard[0] = '\0';
    wire_call(wire, "tools/call", params);
    assert_string_equal(heard, expected);
}

static void a_call_starts_and_ends_once(void **state)
{
    static const char *const revisions[] = {"2024-11-05", "2025-11-25", "2026-07-28"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        haft_server *server = haft_server_new("test", "1");
        struct wire *wire;

        assert_int_equal(haft_add(server, &work_tool), 0);
        assert_int_equal(haft_event_watch(server, hear, heard), 0);
        wire = open_wire = wire_open(server);
        heard[0] = '\0';
        wire_greet(wire, revisions[i]);
        wire_call(wire, "tools/list", NULL);
        assert_true(!strncmp(heard, "client connected wire", 21));
        call_and_hear(wire, "\"name\":\"work\",\"arguments\":{\"how\":\"well\"}",
                      "call started work 2 wire ok; call finished work 2 wire ok");
        assert_true(answered);
        call_and_hear(wire, "\"name\":\"work\",\"arguments\":{\"how\":\"error\"}",
                      "call started work 3 wire ok; call failed work 3 wire error");
        call_and_hear(wire, "\"name\":\"work\",\"arguments\":{\"how\":\"fail\"}",
                      "call started work 4 wire ok; call failed work 4 wire failed");
        call_and_hear(wire, "\"name\":\"work\",\"arguments\":{\"how\":1}",
                      "call started work 5 wire ok; call failed work 5 wire invalid_arguments");
        call_and_hear(wire, "\"name\":\"work\",\"arguments\":[]",
                      "call started work 6 wire ok; call failed work 6 wire invalid_arguments");
        call_and_hear(wire, "\"name\":\"nope\"",
                      "call started nope 7 wire ok; call failed nope 7 wire not_found");
        call_and_hear(wire, "\"name\":\"work\",\"arguments\":{\"how\":\"wait\"}",
                      "call started work 8 wire ok");
        wire->now += 1000;
        haft_session_tick(wire->session, wire->now);
        assert_string_equal(heard,
                            "call started work 8 wire ok; call timed out work 8 wire timed_out");
        haft_finish(pending, 0);
        assert_string_equal(heard,
                            "call started work 8 wire ok; call timed out work 8 wire timed_out");
        assert_non_null(wire_next(wire));
        call_and_hear(wire, "\"name\":\"work\",\"arguments\":{\"how\":\"wait\"}",
                      "call started work 9 wire ok");
        wire_send(wire, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                        "\"requestId\":9}}");
        haft_finish(pending, 0);
        assert_string_equal(heard,
                            "call started work 9 wire ok; call failed work 9 wire cancelled");
        call_and_hear(wire, "\"name\":\"work\",\"arguments\":{\"how\":\"well\"}",
                      "call started work 10 wire ok; call rate limited work 10 wire rate_limited");
        assert_true(answered);
        heard[0] = '\0';
        wire_close(wire);
        open_wire = NULL;
        assert_string_equal(heard, "client gone wire");
        haft_server_free(server);
    }
}

static void watchers_are_checked(void **state)
{
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(haft_event_watch(server, NULL, NULL), HAFT_EINVAL);
    for (int i = 0; i < 8; i++)
        assert_int_equal(haft_event_watch(server, hear, heard), 0);
    assert_int_equal(haft_event_watch(server, hear, heard), HAFT_ETOOBIG);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_come_by_steps_and_go),
        cmocka_unit_test(a_call_starts_and_ends_once),
        cmocka_unit_test(watchers_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
