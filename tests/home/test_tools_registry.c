/* test_tools_registry.c - what holds for every tool of the registry: a table of tests, hints, a schema that
 * every client accepts, and a share of a list that is small. */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "home/rows_config.h"
#include "home/rows_control.h"
#include "home/rows_light.h"
#include "home/rows_local.h"
#include "home/rows_read.h"
#include "home/rows_records.h"
#include "home/rows_report.h"
#include "home/rows_speech.h"
#include "json/json.h"
#include "registry.h"
#include "support/test.h"

enum { LIST_BYTES = 40 * 1024 };

/* ---- every tool has a row for every situation ---- */

static const struct {
    const struct tool_case *rows;
    size_t n;
} tables[] = {
    {rows_control, COUNT_OF(rows_control)}, {rows_local, COUNT_OF(rows_local)},
    {rows_read, COUNT_OF(rows_read)},       {rows_records, COUNT_OF(rows_records)},
    {rows_config, COUNT_OF(rows_config)},   {rows_light, COUNT_OF(rows_light)},
    {rows_report, COUNT_OF(rows_report)},   {rows_speech, COUNT_OF(rows_speech)},
};

static bool is_covered(const char *tool, enum situation situation)
{
    for (size_t i = 0; i < COUNT_OF(tables); i++)
        for (size_t k = 0; k < tables[i].n; k++)
            if (!strcmp(tables[i].rows[k].tool, tool) && tables[i].rows[k].situation == situation)
                return true;
    return false;
}

static void every_tool_has_a_row_for_every_situation(void **state)
{
    size_t missing = 0;

    (void)state;
    for (size_t i = 0; home_tools[i].tool; i++)
        for (unsigned k = 0; k < SITUATIONS; k++)
            if (!is_covered((*home_tools[i].tool)->name, (enum situation)k)) {
                print_error("%s has no row for %s\n", (*home_tools[i].tool)->name,
                            situation_names[k]);
                missing++;
            }
    assert_int_equal(missing, 0);
}

/* ---- hints ---- */

/* In the order of tools/list.  R reads, W writes; D destructive, d not; I idempotent; O open world, o closed. */
static const struct {
    const char *tool, *hints;
} hints[] = {
    {"list_devices", "R O"},
    {"control_light", "W D O"},
    {"set_climate", "W D I O"},
    {"control_cover", "W D O"},
    {"set_fan_speed", "W D I O"},
    {"lock_control", "W D O"},
    {"set_switch", "W D O"},
    {"vacuum_command", "W D O"},
    {"set_alarm_mode", "W D O"},
    {"media_player_command", "W d O"},
    {"activate_scene", "W D O"},
    {"trigger_automation", "W D O"},
    {"control_automation", "W d O"},
    {"send_notification", "W d O"},
    {"maintenance_report", "R O"},
    {"smart_scenarios", "W D O"},
    {"light_scenario", "W D O"},
    {"light_showcase", "W D O"},
    {"animation_control", "W D O"},
    {"text_to_speech", "W d O"},
    {"voice_command_parser", "R I o"},
    {"voice_command_executor", "W D O"},
    {"voice_command_ai_parser", "R O"},
    {"trace_entity", "R I O"},
    {"todo", "W D O"},
    {"search_entities", "R I O"},
    {"entity_state", "R I O"},
    {"history", "R I O"},
    {"error_log", "R I O"},
    {"sse_stats", "R I o"},
    {"dashboard", "R I O"},
    {"subscribe_events", "R O"},
    {"control", "W D O"},
    {"template", "R I o"},
    {"automation_config", "W D O"},
    {"addon", "W D O"},
    {"package", "W D O"},
    {"example", "R I o"},
    {"analyze_audio", "R I o"},
    {"profile_devices", "W D O"},
    {"render_template", "R O"},
};

static void add_hint(char *text, haft_value *annotations, const char *name, const char *yes,
                     const char *no)
{
    haft_value *value = yyjson_obj_get(annotations, name);

    if (yyjson_is_bool(value) && *(yyjson_get_bool(value) ? yes : no)) {
        strcat(text, *text ? " " : "");
        strcat(text, yyjson_get_bool(value) ? yes : no);
    }
}

static void tools_are_listed_in_their_order_with_their_hints(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result;
    haft_value *tool;
    size_t i, n, at = 0;

    (void)state;
    assert_int_equal(haft_client_list(house_client(house), HAFT_OFFER_TOOL, &result), 0);
    yyjson_arr_foreach(result.content, i, n, tool) {
        const char *name = yyjson_get_str(yyjson_obj_get(tool, "name"));
        haft_value *annotations = yyjson_obj_get(tool, "annotations");
        char text[32] = "";

        while (at < COUNT_OF(hints) && strcmp(hints[at].tool, name) != 0)
            at++;
        if (at == COUNT_OF(hints))
            fail_msg("%s is not in its place", name);
        add_hint(text, annotations, "readOnlyHint", "R", "W");
        add_hint(text, annotations, "destructiveHint", "D", "d");
        add_hint(text, annotations, "idempotentHint", "I", "");
        add_hint(text, annotations, "openWorldHint", "O", "o");
        if (strcmp(text, hints[at].hints) != 0)
            fail_msg("%s has the hints %s, not %s", name, text, hints[at].hints);
    }
    house_close(house);
}

/* ---- what is offered ---- */

static bool offers(const struct home_options *options, enum tool_offer offer)
{
    switch (offer) {
    case OFFER_SPEECH:
        return options->speech;
    case OFFER_TEMPLATE:
        return options->render_template && !options->entities;
    default:
        return true;
    }
}

static void options_decide_what_is_offered(void **state)
{
    static const struct home_options rows[] = {
        {.speech = false},
        {.speech = true},
        {.render_template = true},
        {.render_template = true, .entities = "light.*"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = haft_server_new("home", "1");

        assert_int_equal(home_add_tools(server, &rows[i]), 0);
        for (size_t k = 0; home_tools[k].tool; k++) {
            const char *name = (*home_tools[k].tool)->name;

            assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, name),
                             offers(&rows[i], home_tools[k].offer) ? 0 : HAFT_ENOTFOUND);
        }
        haft_server_free(server);
    }
}

/* ---- schemas ---- */

static void note_warning(void *context, haft_level level, const char *text, size_t size)
{
    if (level < HAFT_WARNING)
        return;
    print_error("%.*s\n", (int)size, text);
    ++*(unsigned *)context;
}

static void every_client_accepts_the_schemas(void **state)
{
    unsigned warnings = 0;
    struct house *house =
        house_open(&(struct house_options){.log = note_warning, .log_context = &warnings});

    (void)state;
    house_close(house);
    assert_int_equal(warnings, 0);
}

/* A tuple, items: [...] or prefixItems, is what some clients reject. */
static void no_schema_has_a_tuple(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result;
    haft_buffer text;

    (void)state;
    assert_int_equal(haft_client_list(house_client(house), HAFT_OFFER_TOOL, &result), 0);
    haft_buffer_init(&text, NULL, 1 << 20);
    haft_json_write(result.content, &text);
    haft_buffer_add(&text, "", 1);
    assert_int_equal(text.status, 0);
    assert_null(strstr(text.data, "prefixItems"));
    assert_null(strstr(text.data, "\"items\":["));
    assert_non_null(strstr(
        text.data,
        "\"rgb_color\":{\"type\":\"array\",\"minItems\":3,\"maxItems\":3,\"items\":{\"type\":\"integer\""));
    haft_buffer_finish(&text);
    house_close(house);
}

/* A code is in no audit line: its field is a secret. */
static void codes_are_secrets(void **state)
{
    static const char *const tools[] = {"lock_control", "set_alarm_mode"};
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    size_t i, n, found = 0;
    haft_result result;
    haft_value *tool;

    (void)state;
    assert_int_equal(haft_client_list(house_client(house), HAFT_OFFER_TOOL, &result), 0);
    yyjson_arr_foreach(result.content, i, n, tool)
        for (size_t k = 0; k < COUNT_OF(tools); k++)
            if (yyjson_equals_str(yyjson_obj_get(tool, "name"), tools[k])) {
                found++;
                assert_true(
                    yyjson_get_bool(house_at(tool, "inputSchema.properties.code.writeOnly")));
            }
    assert_int_equal(found, COUNT_OF(tools));
    house_close(house);
}

static void the_list_is_small(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result;
    haft_value *tool;
    size_t i, n, total = 0;

    (void)state;
    assert_int_equal(haft_client_list(house_client(house), HAFT_OFFER_TOOL, &result), 0);
    yyjson_arr_foreach(result.content, i, n, tool) {
        size_t size = hf_json_size(tool);

        print_message("%5zu bytes, about %4zu tokens: %s\n", size, size / 4,
                      yyjson_get_str(yyjson_obj_get(tool, "name")));
        total += size + 1;
    }
    print_message("%5zu bytes, about %4zu tokens: %zu tools\n", total, total / 4, n);
    assert_true(total < LIST_BYTES);
    house_close(house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tool_has_a_row_for_every_situation),
        cmocka_unit_test(tools_are_listed_in_their_order_with_their_hints),
        cmocka_unit_test(options_decide_what_is_offered),
        cmocka_unit_test(every_client_accepts_the_schemas),
        cmocka_unit_test(no_schema_has_a_tuple),
        cmocka_unit_test(codes_are_secrets),
        cmocka_unit_test(the_list_is_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
