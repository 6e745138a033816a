/* Automations of the demo home: what triggers them, what they do, and the traces of it. */
#include "demo_test.h"

/* Puts an automation with these triggers, conditions and actions in place. */
static void put(struct demo_test *test, const char *triggers, const char *conditions,
                const char *actions)
{
    char body[2048];

    snprintf(body, sizeof body, "{'alias':'T','triggers':[%s],'conditions':[%s],'actions':[%s]}",
             triggers, conditions ? conditions : "", actions);
    demo_test_rest(test, &(struct demo_rest_row){"POST", "/api/config/automation/config/t", body,
                                                 200, "{'result':'ok'}"});
}

#define ON "{'action':'switch.turn_on','target':{'entity_id':'switch.garden_fountain'}}"
#define STATE_TRIGGER(more) "{'trigger':'state','entity_id':'sensor.x'" more "}"

/* Whether a change of sensor.x from 5 to 6 makes the automation run. */
static void test_triggers(void **state)
{
    static const struct {
        const char *trigger, *condition;
        bool runs;
    } rows[] = {
        {STATE_TRIGGER(""), NULL, true},
        {STATE_TRIGGER(",'to':'6'"), NULL, true},
        {STATE_TRIGGER(",'to':['6','7'],'from':'5'"), NULL, true},
        {STATE_TRIGGER(",'to':'7'"), NULL, false},
        {STATE_TRIGGER(",'from':'4'"), NULL, false},
        {STATE_TRIGGER(",'attribute':'v','to':2"), NULL, true},
        {STATE_TRIGGER(",'attribute':'w'"), NULL, false},
        {"{'platform':'state','entity_id':['sensor.y','sensor.x']}", NULL, true},
        {"{'trigger':'state','entity_id':'sensor.y'}", NULL, false},
        {"{'trigger':'numeric_state','entity_id':'sensor.x','above':5.5}", NULL, true},
        {"{'trigger':'numeric_state','entity_id':'sensor.x','above':4}", NULL, false},
        {"{'trigger':'numeric_state','entity_id':'sensor.x','below':5.5}", NULL, false},
        {"{'trigger':'numeric_state','entity_id':'sensor.x','attribute':'v','above':1}", NULL,
         true},
        {"{'trigger':'event','event_type':'state_changed','event_data':{'entity_id':'sensor.x'}}",
         NULL, true},
        {"{'trigger':'event','event_type':'state_changed','event_data':{'entity_id':'sensor.y'}}",
         NULL, false},
        {"{'trigger':'event','event_type':'other'}", NULL, false},
        {"{'trigger':'time','at':'08:00:00'}", NULL, false},
        {STATE_TRIGGER(""), "{'condition':'state','entity_id':'light.hallway','state':'off'}",
         true},
        {STATE_TRIGGER(""), "{'condition':'state','entity_id':'light.hallway','state':'on'}",
         false},
        {STATE_TRIGGER(""),
         "{'condition':'state','entity_id':['light.hallway','light.garage'],'state':['off']}",
         true},
        {STATE_TRIGGER(""),
         "{'condition':'state','entity_id':'fan.bathroom','attribute':'percentage','state':66}",
         true},
        {STATE_TRIGGER(""), "{'condition':'state','entity_id':'light.nope','state':'on'}", false},
        {STATE_TRIGGER(""),
         "{'condition':'numeric_state','entity_id':'sensor.x','above':5,'below':7}", true},
        {STATE_TRIGGER(""), "{'condition':'numeric_state','entity_id':'sensor.x','above':6}",
         false},
        {STATE_TRIGGER(""), "{'condition':'numeric_state','entity_id':'light.hallway','above':6}",
         false},
        {STATE_TRIGGER(""), "{'condition':'time','after':'07:00','before':'09:00:00'}", true},
        {STATE_TRIGGER(""), "{'condition':'time','after':'22:00:00','before':'06:00:00'}", false},
        {STATE_TRIGGER(""),
         "{'condition':'template','value_template':'{{ states(`sensor.x`)|int > 5 }}'}", true},
        {STATE_TRIGGER(""), "'{{ trigger.to_state.state == `6` }}'", true},
        {STATE_TRIGGER(""), "'{{ false }}'", false},
        {STATE_TRIGGER(",'id':'mine'"), "{'condition':'trigger','id':'mine'}", true},
        {STATE_TRIGGER(",'id':'mine'"), "{'condition':'trigger','id':'other'}", false},
        {STATE_TRIGGER(""), "{'or':['{{ false }}','{{ true }}']}", true},
        {STATE_TRIGGER(""), "{'and':['{{ false }}','{{ true }}']}", false},
        {STATE_TRIGGER(""), "{'condition':'not','conditions':['{{ false }}']}", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct demo_test test;
        int status;
        char *text;

        demo_test_init(&test, NULL);
        free(demo_test_request(&test, "POST", "/api/states/sensor.x",
                               "{'state':'5','attributes':{'v':1,'w':1}}", "demo", &status));
        put(&test, rows[i].trigger, rows[i].condition, ON);
        free(demo_test_request(&test, "POST", "/api/states/sensor.x",
                               "{'state':'6','attributes':{'v':2,'w':1}}", "demo", &status));
        text = demo_test_request(&test, "GET", "/api/states/switch.garden_fountain", NULL, "demo",
                                 &status);
        if (!strstr(text, "\"state\":\"on\"") == rows[i].runs)
            fail_msg("%s %s", rows[i].trigger, rows[i].condition ? rows[i].condition : "");
        free(text);
        demo_test_finish(&test);
    }
}

/* Actions, and how the trace says that they ended. */
static void test_actions(void **state)
{
#define TRACE(last, outcome)                                                                       \
    "*{'last_step':'" last "',*'script_execution':'" outcome "',*'item_id':'t'*"
    static const struct {
        const char *actions, *trace;
        const char *entity, *answer; /* a state afterwards */
    } rows[] = {
        {ON, TRACE("action/0", "finished"), "switch.garden_fountain", "*'state':'on'*"},
        {"{'service':'switch.turn_on','data':{'entity_id':'switch.garden_fountain'}}",
         TRACE("action/0", "finished"), "switch.garden_fountain", "*'state':'on'*"},
        {"{'delay':0}," ON, TRACE("action/1", "finished"), "switch.garden_fountain",
         "*'state':'on'*"},
        {"{'condition':'template','value_template':'{{ false }}'}," ON,
         TRACE("action/0", "aborted"), "switch.garden_fountain", "*'state':'off'*"},
        {"{'action':'light.turn_on','target':{'entity_id':'light.hallway'},'data':{'brightness':'{{ 40 + 2 }}'}}",
         TRACE("action/0", "finished"), "light.hallway", "*'brightness':42*"},
        {"{'action':'light.turn_on','target':{'entity_id':'light.hallway'},'data':{'brightness':'{{ nope() }}'}}",
         "*'script_execution':'error',*'error':'Error rendering data template: UndefinedError*",
         "light.hallway", "*'state':'off'*"},
        {"{'action':'switch.turn_on','target':{'entity_id':'switch.faulty'}}," ON,
         "*{'last_step':'action/0',*'script_execution':'error',*'error':'Failed to communicate*",
         "switch.garden_fountain", "*'state':'off'*"},
        {"{'action':'light.nope'}", "*'error':'Service light.nope not found.'*", "light.hallway",
         "*"},
        {"{'choose':[{'conditions':['{{ false }}'],'sequence':[]},{'conditions':['{{ true }}'],'sequence':[" ON
         "]}]}",
         TRACE("action/0/choose/1/sequence/0", "finished"), "switch.garden_fountain",
         "*'state':'on'*"},
        {"{'choose':[],'default':[" ON "]}", TRACE("action/0/default/0", "finished"),
         "switch.garden_fountain", "*'state':'on'*"},
        {"{'if':['{{ false }}'],'then':[],'else':[" ON "]}", TRACE("action/0/else/0", "finished"),
         "switch.garden_fountain", "*'state':'on'*"},
        {"{'repeat':{'count':3,'sequence':[{'action':'switch.toggle','target':{'entity_id':'switch.garden_fountain'}}]}}",
         TRACE("action/0/repeat/sequence/0", "finished"), "switch.garden_fountain",
         "*'state':'on'*"},
        {"{'repeat':{'count':101,'sequence':[]}}", "*'script_execution':'error'*", "light.hallway",
         "*"},
        {"{'stop':'enough'}," ON, TRACE("action/0", "finished"), "switch.garden_fountain",
         "*'state':'off'*"},
        {"{'stop':'bad','error':true}", "*'script_execution':'error',*'error':'bad'*",
         "light.hallway", "*"},
        {"{'scene':'scene.good_morning'}", TRACE("action/0", "finished"), "switch.coffee_machine",
         "*'state':'on'*"},
        {"{'event':'mine','event_data':{'a':1}}", TRACE("action/0", "finished"), "light.hallway",
         "*"},
        {"{'parallel':[" ON "]}", TRACE("action/0/parallel/0", "finished"),
         "switch.garden_fountain", "*'state':'on'*"},
        {"{'variables':{'a':1}},{'sequence':[" ON "]}", TRACE("action/1/sequence/0", "finished"),
         "switch.garden_fountain", "*'state':'on'*"},
        {"{'action':'switch.turn_on','target':{'entity_id':'switch.garden_fountain'},'enabled':false}",
         TRACE("trigger", "finished"), "switch.garden_fountain", "*'state':'off'*"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct demo_test test;
        char path[128];

        demo_test_init(&test, NULL);
        demo_test_connect(&test);
        put(&test, "", NULL, rows[i].actions);
        demo_test_rest(&test, &(struct demo_rest_row){"POST", "/api/services/automation/trigger",
                                                      "{'entity_id':'automation.t'}", 200, "[]"});
        demo_test_ws(&test, &(struct demo_ws_row){
                                "'trace/list','domain':'automation','item_id':'t'", rows[i].trace});
        snprintf(path, sizeof path, "/api/states/%s", rows[i].entity);
        demo_test_rest(&test, &(struct demo_rest_row){"GET", path, NULL, 200, rows[i].answer});
        demo_test_finish(&test);
    }
}

/* A time of the day comes once a day, when time passes it. */
static void test_time(void **state)
{
    static const struct {
        int minutes; /* that pass */
        const char *state;
    } rows[] = {{29, "off"}, {1, "on"}, {60, "on"}};
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    put(&test, "{'trigger':'time','at':'08:30:00'}", NULL,
        "{'action':'switch.toggle','target':{'entity_id':'switch.garden_fountain'}}");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char answer[64];

        test.now += rows[i].minutes * INT64_C(60000000);
        demo_tick(test.demo);
        snprintf(answer, sizeof answer, "*'state':'%s'*", rows[i].state);
        demo_test_rest(&test, &(struct demo_rest_row){"GET", "/api/states/switch.garden_fountain",
                                                      NULL, 200, answer});
    }
    demo_test_finish(&test);
}

/* Conditions are skipped by default, as in Home Assistant. */
static void test_skip_condition(void **state)
{
    static const struct {
        const char *data, *state;
    } rows[] = {
        {"{'entity_id':'automation.t'}", "*'state':'on'*"},
        {"{'entity_id':'automation.t','skip_condition':true}", "*'state':'on'*"},
        {"{'entity_id':'automation.t','skip_condition':false}", "*'state':'off'*"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct demo_test test;

        demo_test_init(&test, NULL);
        put(&test, "", "'{{ false }}'", ON);
        demo_test_rest(&test, &(struct demo_rest_row){"POST", "/api/services/automation/trigger",
                                                      rows[i].data, 200, "[]"});
        demo_test_rest(&test, &(struct demo_rest_row){"GET", "/api/states/switch.garden_fountain",
                                                      NULL, 200, rows[i].state});
        demo_test_finish(&test);
    }
}

/* Five traces are kept, and each can be read with its steps. */
static void test_traces(void **state)
{
    struct demo_test test;
    char *run_id, command[256];
    const char *list;
    size_t n = 0;

    (void)state;
    demo_test_init(&test, NULL);
    demo_test_connect(&test);
    put(&test, "", "'{{ true }}'", ON);
    for (int i = 0; i < 7; i++)
        demo_test_rest(
            &test, &(struct demo_rest_row){"POST", "/api/services/automation/trigger",
                                           "{'entity_id':'automation.t','skip_condition':false}",
                                           200, "[]"});
    demo_test_say(&test, "{'id':1,'type':'trace/list','domain':'automation','item_id':'t'}");
    list = demo_test_next(&test);
    for (const char *at = list; (at = strstr(at, "\"run_id\":\"")); at++)
        n++;
    assert_int_equal(n, 5);
    run_id = strndup(strstr(list, "\"run_id\":\"") + 10, 32);
    test.next_id = 2;
    snprintf(command, sizeof command,
             "'trace/get','domain':'automation','item_id':'t','run_id':'%s'", run_id);
    demo_test_ws(
        &test,
        &(struct demo_ws_row){
            command,
            "{'id':#,'type':'result','success':true,'result':{'last_step':'action/0','run_id':*'trace':{'trigger':"
            "[{'path':'trigger','timestamp':'2026-11-16T08:00:00.000000+00:00'}],'condition/0':[{'path':'condition/0',"
            "*'result':{'result':true}}],'action/0':[{'path':'action/0',*'result':{'params':{'domain':'switch',"
            "'service':'turn_on',*},'running_script':false}}]},'config':{'id':'t',*},'blueprint_inputs':null,'context':"
            "{'id':'01M7*','parent_id':'01M7*','user_id':null}}}"});
    free(run_id);
    demo_test_finish(&test);
}

/* Two that trigger each other come to an end. */
static void test_loop(void **state)
{
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    put(&test, "{'trigger':'state','entity_id':'switch.garden_fountain'}", NULL,
        "{'action':'switch.toggle','target':{'entity_id':'switch.garden_fountain'}}");
    demo_test_rest(&test,
                   &(struct demo_rest_row){"POST", "/api/services/switch/turn_on",
                                           "{'entity_id':'switch.garden_fountain'}", 200, "[{*"});
    demo_test_rest(&test, &(struct demo_rest_row){"GET", "/api/", NULL, 200, "*"});
    demo_test_finish(&test);
}

/* A script's failure is the caller's; an automation that is off does not run. */
static void test_scripts(void **state)
{
    static const struct demo_rest_row rows[] = {
        {"POST", "/api/config/script/config/bad",
         "{'sequence':[{'action':'switch.turn_on','target':{'entity_id':'switch.faulty'}}]}", 200,
         "{'result':'ok'}"},
        {"POST", "/api/services/script/bad", "{}", 500, "500 *"},
        {"POST", "/api/services/script/leave_home", "{}", 200,
         "[{'entity_id':'light.downstairs','state':'off'*{'entity_id':'lock.back_door','state':'locked'*"
         "{'entity_id':'script.leave_home'*]"},
        {"POST", "/api/services/script/leave_home?return_response", "{}", 200,
         "{*'service_response':{}}"},
        {"POST", "/api/config/script/config/me", "{'sequence':[{'action':'script.me'}]}", 200,
         "{'result':'ok'}"},
        {"POST", "/api/services/script/me", "{}", 200, "*"},
        {"POST", "/api/states/binary_sensor.hallway_motion", "{'state':'on'}", 200, "*"},
        {"GET", "/api/states/light.hallway", NULL, 200, "*'state':'on'*'brightness':153*"},
        {"POST", "/api/services/light/turn_off", "{'entity_id':'light.hallway'}", 200, "[{*"},
        {"POST", "/api/states/binary_sensor.hallway_motion", "{'state':'off'}", 200, "*"},
        {"POST", "/api/services/automation/turn_off",
         "{'entity_id':'automation.hallway_motion_light'}", 200, "[{*"},
        {"POST", "/api/states/binary_sensor.hallway_motion", "{'state':'on'}", 200, "*"},
        {"GET", "/api/states/light.hallway", NULL, 200, "*'state':'off'*"},
    };

    (void)state;
    demo_test_rest_rows(rows, COUNT_OF(rows));
}

/* ---- triggers that have to last ---- */

enum { LASTING_SECONDS = 40 };

/* States that a sensor gets at these seconds, and the second at which the trigger fires; -1: never. */
static const struct lasting {
    const char *trigger;
    struct {
        int at;
        const char *state;
    } steps[4];
    int fires;
} lastings[] = {
    {"'trigger':'state','to':'on','for':10", {{1, "on"}}, 11},
    {"'trigger':'state','to':'on','for':'00:00:10'", {{1, "on"}}, 11},
    {"'trigger':'state','to':'on','for':'00:01'", {{1, "on"}}, -1},
    {"'trigger':'state','to':'on','for':{'seconds':10}", {{1, "on"}, {5, "off"}}, -1},
    {"'trigger':'state','to':'on','for':{'seconds':10}", {{1, "on"}, {5, "off"}, {7, "on"}}, 17},
    {"'trigger':'state','to':'on','for':10", {{1, "on"}, {4, "on"}}, 11},
    {"'trigger':'state','from':'on','for':10", {{1, "on"}, {2, "off"}}, 12},
    {"'trigger':'state','from':'x','to':'on','for':10", {{1, "on"}}, -1},
    {"'platform':'state','for':10", {{1, "on"}, {8, "off"}}, 18},
    {"'trigger':'numeric_state','above':20,'for':10", {{1, "21"}, {5, "25"}}, 11},
    {"'trigger':'numeric_state','above':20,'for':10", {{1, "21"}, {5, "19"}, {6, "22"}}, 16},
};

static void lasting_post(struct demo_test *test, const char *state)
{
    char body[64];

    snprintf(body, sizeof body, "{'state':'%s'}", state);
    free(demo_test_request(test, "POST", "/api/states/sensor.probe", body, "demo", &(int){0}));
}

/* How often the session has heard of the trigger, and the automation has run. */
static int lasting_heard(struct demo_test *test)
{
    int n = 0;

    for (const char *line = demo_test_next(test); *line; line = demo_test_next(test))
        n += strstr(line, "\"platform\"") && strstr(line, "\"total_seconds\":");
    return n;
}

static bool lasting_ran(struct demo_test *test)
{
    int status;
    char *text = demo_test_request(test, "GET", "/api/states/light.hallway", NULL, "demo", &status);
    bool is_on = strstr(text, "\"state\":\"on\"");

    free(text);
    return is_on;
}

static void test_lasting(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lastings); i++) {
        const struct lasting *row = &lastings[i];
        struct demo_test test;
        char text[512];
        int status, fired = -1, ran = -1;

        demo_test_init(&test, NULL);
        lasting_post(&test, "off");
        snprintf(text, sizeof text,
                 "{'alias':'Lasting','triggers':[{%s,'entity_id':'sensor.probe'}],"
                 "'actions':[{'action':'light.turn_on','target':{'entity_id':'light.hallway'}}]}",
                 row->trigger);
        free(demo_test_request(&test, "POST", "/api/config/automation/config/lasting", text, "demo",
                               &status));
        assert_int_equal(status, 200);
        demo_test_connect(&test);
        snprintf(text, sizeof text,
                 "{'id':1,'type':'subscribe_trigger','trigger':{%s,'entity_id':'sensor.probe'}}",
                 row->trigger);
        demo_test_say(&test, text);
        for (int second = 0; second < LASTING_SECONDS; second++) {
            for (size_t k = 0; k < COUNT_OF(row->steps); k++)
                if (row->steps[k].at == second && row->steps[k].state)
                    lasting_post(&test, row->steps[k].state);
            demo_tick(test.demo);
            if (lasting_heard(&test)) {
                assert_int_equal(fired, -1); /* once */
                fired = second;
            }
            ran = ran < 0 && lasting_ran(&test) ? second : ran;
            test.now += 1000000;
        }
        if (fired != row->fires || ran != row->fires)
            fail_msg("%s: told at %d, ran at %d", row->trigger, fired, ran);
        demo_test_finish(&test);
    }
}

/* A match is forgotten with the subscription that waits for it. */
static void test_lasting_ends(void **state)
{
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    lasting_post(&test, "off");
    demo_test_connect(&test);
    for (int id = 1; id <= 2; id++)
        demo_test_say(&test, id == 1 ? "{'id':1,'type':'subscribe_trigger','trigger':{'trigger':"
                                       "'state','entity_id':'sensor.probe','for':5}}"
                                     : "{'id':2,'type':'subscribe_trigger','trigger':{'trigger':"
                                       "'state','entity_id':'sensor.probe','for':6}}");
    lasting_post(&test, "on");
    demo_test_say(&test, "{'id':3,'type':'unsubscribe_events','subscription':1}");
    test.now += 5500000;
    demo_tick(test.demo);
    assert_int_equal(lasting_heard(&test), 0);
    test.now += 1000000;
    demo_tick(test.demo);
    assert_int_equal(lasting_heard(&test), 1);
    lasting_post(&test, "off");
    demo_test_finish(&test); /* one still waits */
}

static void test_sun(void **state)
{
    static const struct demo_ws_row rows[] = {
        {"'subscribe_trigger','trigger':{'trigger':'sun','event':'sunset'}", DEMO_OK_NULL},
        {"'subscribe_trigger','trigger':{'trigger':'sun','event':'sunrise'}", DEMO_OK_NULL},
    };
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    demo_test_connect(&test);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        demo_test_ws(&test, &rows[i]);
    for (int id = 1; id <= 2; id++) { /* from the morning to the evening, and to the next noon */
        char expect[64];

        test.now += INT64_C(14) * 3600 * 1000000;
        demo_tick(test.demo);
        snprintf(expect, sizeof expect, "{'id':%d,'type':'event',*'platform':'sun'*", id);
        demo_test_expect("sun", expect, demo_test_next(&test));
        demo_test_expect("sun", "", demo_test_next(&test));
    }
    demo_test_finish(&test);
}

static void test_triggers_that_are_not_there(void **state)
{
#define TRIGGER(text) "'subscribe_trigger','trigger':{" text "}"
    static const struct demo_ws_row rows[] = {
        {TRIGGER("'trigger':'sun','event':'sunset'"), DEMO_OK_NULL},
        {TRIGGER("'trigger':'sun','event':'sunset','offset':'-01:00'"),
         DEMO_REFUSED("invalid_format", "extra keys not allowed @ data[`offset`]")},
        {TRIGGER("'trigger':'template','value_template':'{{ true }}'"),
         DEMO_REFUSED("invalid_format", "Invalid trigger `template` specified")},
        {TRIGGER("'trigger':'state','entity_id':'light.hallway','for':'soon'"),
         DEMO_REFUSED("invalid_format", "expected a duration *")},
    };

    (void)state;
    demo_test_ws_rows(rows, COUNT_OF(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triggers),
        cmocka_unit_test(test_actions),
        cmocka_unit_test(test_skip_condition),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_sun),
        cmocka_unit_test(test_lasting),
        cmocka_unit_test(test_lasting_ends),
        cmocka_unit_test(test_triggers_that_are_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
