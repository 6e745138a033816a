/* test_metrics.c - what tells counts apart is bounded, whatever clients ask for and however many
 * tools come and go. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "support/wire.h"

enum { MAX_LABELS = 512 };

static int nod(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "ok");
}

static void add(haft_server *server, const char *name)
{
    haft_tool_builder *tool = haft_tool_new(name);

    haft_tool_handler(tool, nod, NULL);
    haft_tool_quick(tool);
    assert_int_equal(haft_tool_build(tool, server), 0);
}

static void call(struct wire *wire, const char *name)
{
    char params[256];

    snprintf(params, sizeof params, "\"name\":\"%s\"", name);
    assert_non_null(wire_call(wire, "tools/call", params));
    while (wire_next(wire))
        ;
}

/* How many lines count calls, how many calls these are, and how many of them are of `_other`. */
struct counts {
    size_t labels, calls, other;
};

static struct counts count(const haft_server *server)
{
    static const char name[] = "\nmcp_server_calls_total{gen_ai_tool_name=\"";
    struct counts counts = {0};
    haft_buffer text;

    haft_buffer_init(&text, NULL, 4 << 20);
    assert_int_equal(haft_metrics_write((haft_server *)(uintptr_t)server, &text), 0);
    haft_buffer_add(&text, "", 1);
    for (const char *at = strstr(text.data, name); at; at = strstr(at + 1, name)) {
        const char *tool = at + sizeof name - 1;
        size_t n = strtoul(strchr(at, '}') + 1, NULL, 10);

        counts.labels++;
        counts.calls += n;
        counts.other += strncmp(tool, "_other\"", 7) ? 0 : n;
    }
    haft_buffer_finish(&text);
    return counts;
}

static void names_that_do_not_exist_are_one(void **state)
{
    enum { MANY = 100 };
    haft_server *server = haft_server_new("test", "1");
    struct wire *wire;
    struct counts counts;

    (void)state;
    assert_int_equal(haft_metrics_enable(server), 0);
    add(server, "real");
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    call(wire, "real");
    for (int i = 0; i < MANY; i++) {
        char name[32];

        snprintf(name, sizeof name, "made_up_%d", i);
        call(wire, name);
    }
    counts = count(server);
    assert_int_equal(counts.labels, 2);
    assert_int_equal(counts.other, MANY);
    assert_int_equal(counts.calls, MANY + 1);
    wire_close(wire);
    haft_server_free(server);
}

/* A server whose tools have names of their own every time. */
static void tools_are_told_apart_up_to_a_number(void **state)
{
    enum { MANY = MAX_LABELS + 300 };
    haft_server *server = haft_server_new("test", "1");
    struct wire *wire;
    struct counts counts;

    (void)state;
    assert_int_equal(haft_metrics_enable(server), 0);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    for (int i = 0; i < MANY; i++) {
        char name[32];

        snprintf(name, sizeof name, "tool_%d", i);
        add(server, name);
        call(wire, name);
        call(wire, name);
        assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, name), 0);
    }
    counts = count(server);
    assert_int_equal(counts.labels, MAX_LABELS + 1);
    assert_int_equal(counts.calls, 2 * MANY);
    assert_int_equal(counts.other, 2 * (MANY - MAX_LABELS));
    wire_close(wire);
    haft_server_free(server);
}

/* ---- how long ---- */

static uint64_t nanoseconds;

static uint64_t tell(void)
{
    return nanoseconds;
}

static int take_time(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    nanoseconds += *(const uint64_t *)data;
    return haft_text(call, "ok");
}

/* A bucket has those of the smaller ones, too. */
static void buckets_add_up(void **state)
{
    static uint64_t times[] = {20000, 2000000, 7200000000000};
    static const char *const lines[] = {"le=\"0.00001\"} 0\n", "le=\"0.00005\"} 1\n",
                                        "le=\"0.001\"} 1\n",   "le=\"0.005\"} 2\n",
                                        "le=\"3600\"} 2\n",    "le=\"+Inf\"} 3\n"};
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .clock = tell));
    static uint64_t now;
    haft_tool_builder *tool = haft_tool_new("slow");
    struct wire *wire;
    haft_buffer text;
    char *at;

    (void)state;
    assert_int_equal(haft_metrics_enable(server), 0);
    haft_tool_handler(tool, take_time, &now);
    haft_tool_quick(tool);
    assert_int_equal(haft_tool_build(tool, server), 0);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    nanoseconds = 1000;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        now = times[i];
        call(wire, "slow");
    }
    haft_buffer_init(&text, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(server, &text), 0);
    haft_buffer_add(&text, "", 1);
    at = strstr(text.data, "mcp_server_operation_duration_seconds_bucket{");
    assert_non_null(at);
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        if (!strstr(at, lines[i]))
            fail_msg("%s is not in %s", lines[i], at);
    haft_buffer_finish(&text);
    wire_close(wire);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_add_up),
        cmocka_unit_test(names_that_do_not_exist_are_one),
        cmocka_unit_test(tools_are_told_apart_up_to_a_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
