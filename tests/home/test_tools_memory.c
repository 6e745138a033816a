/* test_tools_memory.c - a tool that runs out of memory says so, and gives back what it has. */
#include <stdlib.h>
#include <string.h>

#include "home/rows_config.h"
#include "home/rows_control.h"
#include "home/rows_light.h"
#include "home/rows_read.h"
#include "home/rows_records.h"
#include "home/rows_report.h"
#include "home/rows_speech.h"
#include "registry.h"
#include "support/failing.h"
#include "support/test.h"

static const haft_tool *tool_named(const char *name)
{
    for (size_t i = 0; home_tools[i].tool; i++)
        if (!strcmp((*home_tools[i].tool)->name, name))
            return *home_tools[i].tool;
    fail_msg("no tool %s", name);
    return NULL;
}

/* One call, in which the nth allocation fails.  Returns whether one did. */
static bool call_starved(struct house *house, const struct tool_case *row, const char *arguments,
                         size_t nth)
{
    struct failing failing;
    haft_server *server;
    haft_client *client;
    haft_result result;
    int status;

    failing_init(&failing, 0);
    server = haft_server_new_with("home", "1",
                                  HAFT_WITH(haft_server_options, .allocator = &failing.allocator,
                                            .data = home_hass_data(house_hass(house))));
    assert_non_null(server);
    assert_int_equal(haft_metrics_enable(server), 0);
    assert_int_equal(haft_add(server, tool_named(row->tool)), 0);
    client = haft_client_new(server, NULL);
    assert_non_null(client);
    failing.fail_at = failing.calls + nth;
    status = haft_client_call(client, row->tool, arguments, &result);
    if (!failing.failures) {
        assert_int_equal(status, 0);
        if (result.is_error)
            fail_msg("%s: %s", row->tool, result.text);
    }
    haft_client_free(client);
    haft_server_free(server);
    failing_check(&failing);
    return failing.failures;
}

static void starve(const struct tool_case *row)
{
    struct house *house;
    char *arguments = strdup(row->arguments ? row->arguments : "{}");
    size_t nth = 1;

    assert_non_null(arguments);
    for (char *at = arguments; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    fault_answers = row->answers;
    house = house_open(&(struct house_options){.timeout_ms = 0});
    fault_answers = NULL;
    house_call(house, "dashboard", NULL); /* fills the cache */
    while (call_starved(house, row, arguments, nth))
        nth++;
    print_message("%s: %zu allocations\n", row->tool, nth - 1);
    free(arguments);
    house_close(house);
}

/* Tools that take their time, go on after their call, or need a client that can be asked. */
static bool is_special(const char *tool)
{
    static const char *const special[] = {"light_showcase", "animation_control",
                                          "voice_command_ai_parser"};

    for (size_t i = 0; i < COUNT_OF(special); i++)
        if (!strcmp(special[i], tool))
            return true;
    return false;
}

/* The first row of each tool. */
static void starve_all(const struct tool_case *rows, size_t n)
{
    const char *before = "";

    for (size_t i = 0; i < n; i++) {
        if (rows[i].situation != NORMAL || !strcmp(before, rows[i].tool) ||
            is_special(rows[i].tool))
            continue;
        before = rows[i].tool;
        starve(&rows[i]);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    starve_all(rows_control, COUNT_OF(rows_control));
    starve_all(rows_read, COUNT_OF(rows_read));
    starve_all(rows_records, COUNT_OF(rows_records));
    starve_all(rows_config, COUNT_OF(rows_config));
    starve_all(rows_light, COUNT_OF(rows_light));
    starve_all(rows_report, COUNT_OF(rows_report));
    starve_all(rows_speech, COUNT_OF(rows_speech));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
