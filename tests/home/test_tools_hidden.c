/* test_tools_hidden.c - records and configurations with --entities: nothing of a hidden entity is read, and
 * nothing that reaches one is written.  And actions that ask first. */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "home/fault_link.h"
#include "home/person.h"
#include "home/tools.h"
#include "support/test.h"

#define SOME "light.*,automation.*,todo.chores,-light.bedroom"
#define TURN_ON(id)                                                                                \
    "'alias':'Lamp','triggers':[],'actions':[{'action':'light.turn_on','target':{'entity_id':'" id \
    "'}}]"

/* ---- what is hidden ---- */

static const struct hidden_row {
    const char *tool, *arguments, *expect;
    const char *not_asked; /* part of what Home Assistant must not have been asked */
} hidden_rows[] = {
    {"history", "{'entity_id':'lock.front_door','start_time':'2026-06-01T00:00:00Z'}",
     "!Entity not found: lock.front_door.*", "/api/history"},
    {"history",
     "{'entity_id':['light.hallway','light.bedroom'],'start_time':'2026-06-01T00:00:00Z'}",
     "!Entity not found: light.bedroom.*", "/api/history"},
    {"history",
     "{'entity_id':'light.bedroom','start_time':'2026-06-01T00:00:00Z','statistics':'hour'}",
     "!Entity not found: light.bedroom.*", "recorder/"},
    {"history", "{'entity_id':'light.hallway','start_time':'2026-06-01T00:00:00Z'}",
     "series.0.entity_id='light.hallway'", NULL},
    {"trace_entity", "{'entity_id':'lock.back_door'}", "!Entity not found: lock.back_door.*",
     "/api/history"},
    {"trace_entity", "{'entity_id':'light.hallway'}", "traces.0.item='Hallway motion light'", NULL},
    {"todo", "{'action':'list'}", "list='todo.chores'; total=2", NULL},
    {"todo", "{'action':'list','list':'todo.shopping'}", "!Entity not found: todo.shopping.*",
     "get_items"},
    {"error_log", "{}", "entries.0.message~*; entries.0.source='homeassistant.components.tts'",
     NULL},
    {"automation_config", "{'action':'get','automation_id':'automation.good_night'}",
     "config.alias='Good night'; config.actions.2='[hidden]'", NULL},
    {"automation_config", "{'action':'create','config':{" TURN_ON("light.hallway") "}}",
     "config.alias='Lamp'; hash~*", NULL},
    {"automation_config", "{'action':'create','config':{" TURN_ON("light.bedroom") "}}",
     "!Entity not found: light.bedroom.*", "POST"},
    {"automation_config", "{'action':'create','config':{" TURN_ON("lock.front_door") "}}",
     "!Entity not found: lock.front_door.*", "POST"},
    {"automation_config",
     "{'action':'create','automation_id':'1700000000001','config':{" TURN_ON("light.hallway") "}}",
     "!With --entities a new automation gets its id from haft: leave automation_id out.", "POST"},
    {"automation_config", /* a hidden one, and none: the same text */
     "{'action':'create','automation_id':'1700000000009','config':{" TURN_ON("light.hallway") "}}",
     "!With --entities a new automation gets its id from haft: leave automation_id out.", "POST"},
    {"automation_config", "{'action':'get','automation_id':'x/1700000000001'}",
     "!Resource not found: automation x/1700000000001.", "GET /api/config"},
    {"automation_config",
     "{'action':'create','config':{'alias':'x','triggers':[{'trigger':'event','event_type':'call_service'}],"
     "'actions':[]}}",
     "!event_type is refused: *", "validate_config"},
    {"automation_config",
     "{'action':'create','config':{'alias':'x','triggers':[],'actions':[{'action':'light.turn_on',"
     "'target':{'area_id':'hallway'}}]}}",
     "!area_id is refused: *", "validate_config"},
    {"automation_config",
     "{'action':'create','config':{'alias':'x','triggers':[],'actions':[{'action':'notify.notify',"
     "'data':{'message':'a\\u0000{{ states.lock }}'}}]}}",
     "!message is refused: *", "validate_config"},
    {"smart_scenarios", "{'scenario':'nobody_home'}",
     "!nobody_home needs to see every person, and --entities does not show them.", NULL},
    {"smart_scenarios", "{'scenario':'all'}", "left_out='nobody_home'; applied.0=", NULL},
    {"addon", "{'action':'list'}", "!There is no Supervisor here.*", NULL},
    {"addon", "{'action':'stop','slug':'x'}", "!supervisor/api is refused: *", "supervisor/api"},
    {"package", "{'action':'list','category':'theme'}", "!HACS is not installed*", NULL},
    {"render_template", "{'template':'x'}", "!*", "/api/template"},
};

static void what_is_hidden_stays_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(hidden_rows); i++) {
        const struct hidden_row *row = &hidden_rows[i];
        struct house *house = house_open(&(struct house_options){.entities = SOME});
        haft_result result = house_call(house, row->tool, row->arguments);

        print_message("%s %s\n", row->tool, row->arguments);
        house_expect(&result, row->expect);
        if (row->not_asked)
            assert_null(strstr(house_asked(house), row->not_asked));
        if (strstr(result.text, "back_door") && !result.is_error)
            fail_msg("%s", result.text);
        house_close(house);
    }
}

/* An automation that reaches a hidden entity is neither changed nor deleted, whatever hash is given. */
static void an_automation_that_reaches_far_is_left_alone(void **state)
{
    static const char *const actions[] = {
        "{'action':'update','automation_id':'1700000000002','expected_hash':'%s','config':{" TURN_ON(
            "light.hallway") "}}",
        "{'action':'delete','automation_id':'1700000000002','expected_hash':'%s'}"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(actions); i++) {
        struct house *house = house_open(&(struct house_options){.entities = SOME});
        haft_result result = house_call(house, "automation_config",
                                        "{'action':'get','automation_id':'1700000000002'}");
        char arguments[400];

        assert_false(result.is_error);
        snprintf(arguments, sizeof arguments, actions[i],
                 yyjson_get_str(house_at(result.structured, "hash")));
        result = house_call(house, "automation_config", arguments);
        house_expect(&result, "!*is refused: it cannot be limited to the entities*");
        assert_null(strstr(house_asked(house), "POST /api/config"));
        assert_null(strstr(house_asked(house), "DELETE"));
        house_close(house);
    }
}

/* An error can tell what is hidden without its id: it is shown if the automation is visible as a whole. */
static void errors_of_hidden_steps_are_not_told(void **state)
{
#define RUN                                                                                        \
    "'run_id':'r','domain':'automation','item_id':'1700000000001','trigger':'state of x',"         \
    "'script_execution':'error','error':'The code is not 1234','timestamp':{'start':'2026-06-01T00:00:00Z'}"
    static const char whole[] = "{" RUN ",'trace':{'action/0':[{'error':'The code is not 1234'}]}}";
    static const struct {
        const char *step, *expect;
    } rows[] = {
        {"{'action':'light.turn_on','target':{'entity_id':'light.hallway'}}",
         "traces.0.outcome='error: The code is not 1234'; traces.0.trigger='state of x'; "
         "traces.0.steps.0='action/0: The code is not 1234'"},
        {"{'action':'lock.unlock','target':{'entity_id':'lock.front_door'}}",
         "traces.0.outcome='error: [hidden]'; traces.0.trigger='[hidden]'; "
         "traces.0.steps.0='action/0: [hidden]'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char config[200];
        struct fault_answer answers[] = {{"\"trace/list\"", "[{" RUN "}]", 0, NULL},
                                         {"\"trace/get\"", whole, 0, NULL},
                                         {"/config/1700000000001", config, 200, NULL},
                                         {NULL, NULL, 0, NULL}};
        struct house *house;
        haft_result result;

        snprintf(config, sizeof config, "{'alias':'x','actions':[%s]}", rows[i].step);
        fault_answers = answers;
        house = house_open(&(struct house_options){.entities = SOME});
        fault_answers = NULL;
        result =
            house_call(house, "trace_entity", "{'entity_id':'automation.hallway_motion_light'}");
        house_expect(&result, rows[i].expect);
        house_close(house);
    }
}

/* An entry of the log about a hidden entity is left out; a stack trace loses its id. */
static void the_log_is_silent_about_hidden_entities(void **state)
{
    static const char log[] =
        "2026-06-01 12:00:00.000 WARNING (MainThread) [a.b] light.hallway is slow\n"
        "2026-06-01 12:00:01.000 WARNING (MainThread) [a.b] lock.front_door: wrong code 1234\n"
        "2026-06-01 12:00:02.000 WARNING (MainThread) [a.b] lo\033[0mck.front_door: code 1234\n"
        "2026-06-01 12:00:03.000 WARNING (MainThread) [a.b] LOC\xE2\x84\xAA.front_door: code 1234\n"
        "2026-06-01 12:00:04.000 WARNING (MainThread) [a.automation.hidden_one] code 1234\n"
        "2026-06-01 12:00:05.000 ERROR (MainThread) [a.b] Failed\n  in lock.front_door\n";
    static const struct fault_answer answers[] = {{"/api/error_log", log, 200, NULL},
                                                  {NULL, NULL, 0, NULL}};
    struct house *house;
    haft_result result;

    (void)state;
    fault_answers = answers;
    house = house_open(&(struct house_options){.entities = SOME ",-automation.hidden_*"});
    fault_answers = NULL;
    result = house_call(house, "error_log", "{}");
    house_expect(&result, "total=2; entries.0.message='Failed'; entries.0.details='  in [hidden]'; "
                          "entries.1.message='light.hallway is slow'");
    house_close(house);
}

/* ---- editing ---- */

/* A backup can be written back, and an edit by somebody else is noticed. */
static void a_backup_can_be_restored(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result =
        house_call(house, "automation_config", "{'action':'get','automation_id':'1700000000003'}");
    char hash[32], arguments[1200];
    haft_buffer backup;

    (void)state;
    snprintf(hash, sizeof hash, "%s", yyjson_get_str(house_at(result.structured, "hash")));
    snprintf(
        arguments, sizeof arguments,
        "{'action':'update','automation_id':'1700000000003','expected_hash':'%s','config':{%s}}",
        hash, TURN_ON("light.hallway"));
    result = house_call(house, "automation_config", arguments);
    house_expect(&result, "config.alias='Lamp'; backup.alias='Low battery notice'");
    haft_buffer_init(&backup, NULL, 1000);
    haft_json_write(house_at(result.structured, "backup"), &backup);
    assert_int_equal(backup.status, 0);
    /* The first hash is that of the backup, and no longer the one to expect. */
    result = house_call(house, "automation_config", arguments);
    house_expect(&result, "!The automation 1700000000003 is not what was read: *");
    result =
        house_call(house, "automation_config", "{'action':'get','automation_id':'1700000000003'}");
    snprintf(
        arguments, sizeof arguments,
        "{'action':'update','automation_id':'1700000000003','expected_hash':'%s','config':%.*s}",
        yyjson_get_str(house_at(result.structured, "hash")), (int)backup.size, backup.data);
    haft_buffer_finish(&backup);
    result = house_call(house, "automation_config", arguments);
    house_expect(&result, "config.alias='Low battery notice'; backup.alias='Lamp'");
    assert_string_equal(yyjson_get_str(house_at(result.structured, "hash")), hash);
    house_close(house);
}

/* Before 2024.11 validate_config had other names, and refused the new ones. */
static void an_old_home_is_asked_by_old_names(void **state)
{
    static const struct fault_answer answers[] = {
        {"\"validate_config\",\"triggers\"", "extra keys not allowed", 1, "invalid_format"},
        {NULL, NULL, 0, NULL}};
    struct house *house;
    haft_result result;

    (void)state;
    fault_answers = answers;
    house = house_open(&(struct house_options){.timeout_ms = 0});
    fault_answers = NULL;
    result = house_call(house, "automation_config",
                        "{'action':'create','config':{'alias':'x','trigger':{'trigger':'moon'},"
                        "'action':[]}}");
    house_expect(&result, "!Home Assistant does not accept the trigger: *");
    result = house_call(house, "automation_config",
                        "{'action':'create','config':{" TURN_ON("light.hallway") "}}");
    house_expect(&result, "config.alias='Lamp'");
    house_close(house);
}

/* ---- lists ---- */

static void a_list_says_what_it_cannot_do(void **state)
{
    static const struct {
        const char *features, *arguments, *expect;
    } rows[] = {
        {"6", "'add','item':'x'", "!todo.chores does not take new items."},
        {"3", "'done','item':'Descale the kettle'", "!todo.chores does not let items be changed."},
        {"5", "'clear'", "!todo.chores does not let items be removed."},
        {"1", "'add','item':'x','due':'2026-06-05'", "!todo.chores has no due dates."},
        {"17", "'add','item':'x','due':'2026-06-05T10:00:00'", "!todo.chores has no due times."},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
        char text[200];
        haft_result result;

        snprintf(text, sizeof text, "{'state':'2','attributes':{'supported_features':%s}}",
                 rows[i].features);
        house_post_state(house, "todo.chores", text);
        snprintf(text, sizeof text, "{'list':'todo.chores','action':%s}", rows[i].arguments);
        result = house_call(house, "todo", text);
        house_expect(&result, rows[i].expect);
        assert_null(strstr(house_asked(house), "call_service"));
        house_close(house);
    }
}

/* ---- asking ---- */

static void what_cannot_be_undone_is_asked_about(void **state)
{
    static const struct fault_answer answers[] = {
        {"/addons/x/info", "{'slug':'x'}", 0, NULL},
        {"/addons/x/", "{}", 0, NULL},
        {"hacs/repositories/list", "[{'id':'1','full_name':'a/b','installed':true}]", 0, NULL},
        {"hacs/repository/", "{}", 0, NULL},
        {NULL, NULL, 0, NULL}};
    static const struct {
        const char *tool, *arguments, *question, *sent;
    } rows[] = {
        {"automation_config",
         "{'action':'delete','automation_id':'1700000000001','expected_hash':'e242c71d354a77e6'}",
         "Delete the automation Hallway motion light (1700000000001)? *", "DELETE"},
        {"todo", "{'action':'clear','list':'todo.shopping'}",
         "Remove what is done from *(todo.shopping)? *", "remove_completed_items"},
        {"addon", "{'action':'stop','slug':'x'}", "Stop the add-on x? *", "/addons/x/stop"},
        {"addon", "{'action':'start','slug':'x'}", "", "/addons/x/start"},
        {"package", "{'action':'uninstall','category':'theme','name':'a/b'}",
         "Remove a/b by HACS? *", "hacs/repository/remove"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        bool agrees = i % 2, asks = *rows[i / 2].question;
        struct person person = {
            .says = agrees ? "{\"action\":\"accept\",\"content\":{\"confirm\":true}}"
                           : "{\"action\":\"decline\"}"};
        struct house *house;
        haft_result result;

        fault_answers = answers;
        house = house_open(&(struct house_options){.answer = person_answers, .context = &person});
        fault_answers = NULL;
        result = house_call(house, rows[i / 2].tool, rows[i / 2].arguments);
        assert_int_equal(person.asked, asks);
        if (asks)
            assert_true(house_matches(person.question, rows[i / 2].question));
        assert_int_equal(result.is_error, asks && !agrees);
        assert_int_equal(strstr(house_asked(house), rows[i / 2].sent) != NULL, agrees || !asks);
        house_close(house);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_hidden_stays_so),
        cmocka_unit_test(an_automation_that_reaches_far_is_left_alone),
        cmocka_unit_test(errors_of_hidden_steps_are_not_told),
        cmocka_unit_test(the_log_is_silent_about_hidden_entities),
        cmocka_unit_test(a_backup_can_be_restored),
        cmocka_unit_test(an_old_home_is_asked_by_old_names),
        cmocka_unit_test(a_list_says_what_it_cannot_do),
        cmocka_unit_test(what_cannot_be_undone_is_asked_about),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
