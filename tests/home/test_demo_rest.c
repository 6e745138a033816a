/* The demo home's REST API: what it answers and what it refuses, as Home Assistant does. */
#include "demo_test.h"

static void test_unauthorized(void **state)
{
    static const char *const tokens[] = {NULL, "", "wrong", "dem", "demo2"};
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    for (size_t i = 0; i < COUNT_OF(tokens); i++) {
        int status;
        char *text = demo_test_request(&test, "GET", "/api/", NULL, tokens[i], &status);

        assert_int_equal(status, 401);
        assert_string_equal(text, "401: Unauthorized");
        free(text);
    }
    demo_test_finish(&test);
}

#define BAD "400: Bad Request"
#define STATE(id, state) "{'entity_id':'" id "','state':'" state "','attributes':{*}*}"
#define MESSAGE(text) "{'message':'" text "'}"
#define TROUBLE "500 Internal Server Error\n\nServer got itself in trouble"
#define OK_RESULT "{'result':'ok'}"

static void test_states(void **state)
{
    static const struct demo_rest_row rows[] = {
        {"GET", "/api/", NULL, 200, MESSAGE("API running.")},
        {"GET", "/api/states", NULL, 200, "[*" STATE("light.hallway", "off") "*]"},
        {"GET", "/api/states/light.nope", NULL, 404, MESSAGE("Entity not found.")},
        {"GET", "/api/states/light.hallway", NULL, 200,
         "{'entity_id':'light.hallway','state':'off','attributes':{'supported_color_modes':['brightness'],"
         "'color_mode':null,'brightness':null,'supported_features':32,'friendly_name':'Hallway'},"
         "'last_changed':'2026-11-16T06:00:00.000000+00:00','last_reported':'2026-11-16T06:00:00.000000+00:00',"
         "'last_updated':'2026-11-16T06:00:00.000000+00:00','context':{'id':'01M7HNXG00*','parent_id':null,"
         "'user_id':null}}"},
        {"POST", "/api/states/sensor.new", "{'state':'5','attributes':{'unit':'x'}}", 201,
         STATE("sensor.new", "5")},
        {"POST", "/api/states/sensor.new", "{'state':6}", 200, STATE("sensor.new", "6")},
        {"POST", "/api/states/sensor.new", "{}", 400, MESSAGE("No state attribute specified.")},
        {"POST", "/api/states/Sensor.New", "{'state':'1'}", 400,
         MESSAGE("Invalid entity ID specified.")},
        {"POST", "/api/states/sensor.a__b", "{'state':'1'}", 400,
         MESSAGE("Invalid entity ID specified.")},
        {"POST", "/api/states/sensor._a", "{'state':'1'}", 400,
         MESSAGE("Invalid entity ID specified.")},
        {"POST", "/api/states/sensor", "{'state':'1'}", 400,
         MESSAGE("Invalid entity ID specified.")},
        {"POST", "/api/states/sensor.new", "{", 400, MESSAGE("Data should be valid JSON.")},
        {"DELETE", "/api/states/sensor.new", NULL, 200, MESSAGE("Entity removed.")},
        {"DELETE", "/api/states/sensor.new", NULL, 404, MESSAGE("Entity not found.")},
        {"GET", "/api/nothing", NULL, 404, "404: Not Found"},
        {"DELETE", "/api/states", NULL, 405, "405: Method Not Allowed"},
        {"GET", "/api/config", NULL, 200,
         "{*'components':['homeassistant','light'*],*'location_name':'Demo home'*'state':'RUNNING'*'unit_system':{*"
         "'version':'2026.8.0'*}"},
        {"GET", "/api/core/state", NULL, 200,
         "{'state':'RUNNING','recorder_state':{'migration_in_progress':false,'migration_is_live':false}}"},
        {"GET", "/api/components", NULL, 200, "['homeassistant','light',*'websocket_api','zone']"},
        {"GET", "/api/events", NULL, 200, "[{'event':'state_changed','listener_count':1}]"},
        {"POST", "/api/events/my_event", "{'a':1}", 200, MESSAGE("Event my_event fired.")},
        {"POST", "/api/events/my_event", "[1]", 400, MESSAGE("Event data should be a JSON object")},
        {"GET", "/api/services", NULL, 200,
         "[{'domain':'homeassistant','services':{'turn_on':{'name':'turn_on','description':*'fields':{}*"},
    };

    (void)state;
    demo_test_rest_rows(rows, COUNT_OF(rows));
}

/* Sections 6 and 7.5 of what Home Assistant was seen to refuse. */
static void test_refusals(void **state)
{
    static const struct demo_rest_row rows[] = {
        {"POST", "/api/services/cover/open", "{'entity_id':'cover.kitchen_shade'}", 400, BAD},
        {"POST", "/api/services/cover/close", "{'entity_id':'cover.kitchen_shade'}", 400, BAD},
        {"POST", "/api/services/cover/stop", "{'entity_id':'cover.kitchen_shade'}", 400, BAD},
        {"POST", "/api/services/cover/set_position", "{'entity_id':'cover.kitchen_shade'}", 400,
         BAD},
        {"POST", "/api/services/cover/set_tilt_position", "{}", 400, BAD},
        {"POST", "/api/services/light/turn_on", "{'entity_id':'light.hallway','color_temp':300}",
         400, BAD},
        {"POST", "/api/services/light/turn_on", "{'entity_id':'light.hallway','kelvin':3000}", 400,
         BAD},
        {"POST", "/api/services/contact/turn_on", "{'entity_id':'contact.door'}", 400, BAD},
        {"POST", "/api/services/light/turn_on", "{'entity_id':'light.nope'}", 200, "[]"},
        {"POST", "/api/services/light/turn_on", "{'entity_id':'switch.tv_socket'}", 200, "[]"},
        {"POST", "/api/services/light/turn_on", "{'entity_id':'light.bathroom_mirror'}", 200, "[]"},
        {"POST", "/api/services/light/turn_on", "{}", 400, BAD},
        {"POST", "/api/services/light/turn_on", "{'entity_id':'hallway'}", 400, BAD},
        {"POST", "/api/services/light/turn_on", "{'entity_id':'light.hallway','brightness':256}",
         400, BAD},
        {"POST", "/api/services/light/turn_on", "{bad", 400, MESSAGE("Data should be valid JSON.")},
        {"POST", "/api/services/todo/get_items", "{'entity_id':'todo.shopping'}", 400,
         MESSAGE(
             "Service call requires responses but caller did not ask for responses. Add ?return_response to query "
             "parameters.")},
        {"POST", "/api/services/light/turn_on?return_response", "{'entity_id':'light.hallway'}",
         400, MESSAGE("Service does not support responses. Remove return_response from request.")},
        {"POST", "/api/services/switch/turn_on", "{'entity_id':'switch.faulty'}", 500, TROUBLE},
        {"POST", "/api/services/lock/unlock", "{'entity_id':'lock.front_door'}", 500, TROUBLE},
        {"POST", "/api/services/lock/unlock", "{'entity_id':'lock.front_door','code':'4321'}", 500,
         TROUBLE},
        {"POST", "/api/services/light", "{}", 404, "404: Not Found"},
        {"GET", "/api/hassio/store", NULL, 401, "401: Unauthorized"},
        {"GET", "/api/hassio/addons/core_ssh/info", NULL, 401, "401: Unauthorized"},
        {"POST", "/api/hassio/addons/core_ssh/start", "{}", 401, "401: Unauthorized"},
        {"GET", "/api/hassio/core/logs", NULL, 404, "404: Not Found"},
        {"GET", "/api/hacs/repositories", NULL, 404, "404: Not Found"},
        {"POST", "/api/hacs/repositories", "{}", 404, "404: Not Found"},
    };

    (void)state;
    demo_test_rest_rows(rows, COUNT_OF(rows));
}

/* Configurations: get, create, change, delete; 404 and 400 for those that do not exist. */
static void test_configs(void **state)
{
    static const struct demo_rest_row rows[] = {
        {"GET", "/api/config/automation/config/nope", NULL, 404, MESSAGE("Resource not found")},
        {"DELETE", "/api/config/automation/config/nope", NULL, 400, MESSAGE("Resource not found")},
        {"PUT", "/api/config/automation/config/nope", "{}", 405, "405: Method Not Allowed"},
        {"POST", "/api/config/automation/config/a1", "{", 400, MESSAGE("Invalid JSON specified")},
        {"POST", "/api/config/automation/config/a1", "{'alias':'A'}", 400,
         MESSAGE("Message malformed: required key not provided @ data[`triggers`]")},
        {"POST", "/api/config/automation/config/a1", "{'alias':'A','triggers':[]}", 400,
         MESSAGE("Message malformed: required key not provided @ data[`actions`]")},
        {"POST", "/api/config/automation/config/a1",
         "{'alias':'A','triggers':[],'actions':[],'x':1}", 400,
         MESSAGE("Message malformed: extra keys not allowed @ data[`x`]")},
        {"POST", "/api/config/automation/config/a1",
         "{'alias':'A','triggers':[{'trigger':'nope'}],'actions':[]}", 400,
         MESSAGE("Message malformed: Invalid trigger `nope` specified")},
        {"POST", "/api/config/automation/config/a1",
         "{'alias':'A','triggers':[],'actions':[{'x':1}]}", 400,
         MESSAGE("Message malformed: Unable to determine action @ data[0]")},
        {"POST", "/api/config/automation/config/a1",
         "{'alias':'My light','triggers':[],'actions':[]}", 200, OK_RESULT},
        {"GET", "/api/config/automation/config/a1", NULL, 200,
         "{'id':'a1','alias':'My light','triggers':[],'actions':[]}"},
        {"GET", "/api/states/automation.my_light", NULL, 200,
         "{'entity_id':'automation.my_light','state':'on','attributes':{'last_triggered':null,'current':0,'id':'a1',"
         "'mode':'single','friendly_name':'My light'}*}"},
        {"POST", "/api/config/automation/config/a1",
         "{'alias':'Other','trigger':[],'action':[],'mode':'queued'}", 200, OK_RESULT},
        {"GET", "/api/states/automation.my_light", NULL, 200,
         "*'mode':'queued','friendly_name':'Other'*"},
        {"POST", "/api/config/automation/config/a2",
         "{'alias':'My light','triggers':[],'actions':[]}", 200, OK_RESULT},
        {"GET", "/api/states/automation.my_light_2", NULL, 200, "*'id':'a2'*"},
        {"DELETE", "/api/config/automation/config/a1", NULL, 200, OK_RESULT},
        {"GET", "/api/states/automation.my_light", NULL, 404, MESSAGE("Entity not found.")},
        {"POST", "/api/config/script/config/Bad Id", "{'sequence':[]}", 400,
         MESSAGE("Message malformed: invalid slug Bad Id (try bad_id)")},
        {"POST", "/api/config/script/config/s1", "{'alias':'S'}", 400,
         MESSAGE("Message malformed: required key not provided @ data[`sequence`]")},
        {"POST", "/api/config/script/config/s1", "{'alias':'S','sequence':[{'event':'x'}]}", 200,
         OK_RESULT},
        {"GET", "/api/states/script.s1", NULL, 200, STATE("script.s1", "off")},
        {"POST", "/api/services/script/s1", "{}", 200, "[" STATE("script.s1", "off") "]"},
        {"GET", "/api/config/script/config/s1", NULL, 200,
         "{'alias':'S','sequence':[{'event':'x'}]}"},
        {"DELETE", "/api/config/script/config/s1", NULL, 200, OK_RESULT},
        {"POST", "/api/services/script/s1", "{}", 400, BAD},
        {"DELETE", "/api/config/script/config/s1", NULL, 400, MESSAGE("Resource not found")},
        {"POST", "/api/config/scene/config/c1", "{'name':'C'}", 400,
         MESSAGE("Message malformed: required key not provided @ data[`entities`]")},
        {"POST", "/api/config/scene/config/c1", "{'name':'C','entities':{'light.hallway':'on'}}",
         200, OK_RESULT},
        {"GET", "/api/states/scene.c", NULL, 200,
         "*'state':'unknown','attributes':{'entity_id':['light.hallway']*"},
        {"GET", "/api/config/scene/config/c1", NULL, 200, "{'id':'c1','name':'C','entities':*"},
        {"DELETE", "/api/config/scene/config/c1", NULL, 200, OK_RESULT},
        {"POST", "/api/config/core/check_config", NULL, 200,
         "{'result':'valid','errors':null,'warnings':null}"},
    };

    (void)state;
    demo_test_rest_rows(rows, COUNT_OF(rows));
}

static void test_past(void **state)
{
    static const struct demo_rest_row rows[] = {
        {"GET", "/api/history/period", NULL, 400, MESSAGE("filter_entity_id is missing")},
        {"GET", "/api/history/period/yesterday?filter_entity_id=light.hallway", NULL, 400,
         MESSAGE("Invalid datetime")},
        {"GET", "/api/history/period/2026-02-30?filter_entity_id=light.hallway", NULL, 400,
         MESSAGE("Invalid datetime")},
        {"GET", "/api/history/period?filter_entity_id=light.hallway&end_time=x", NULL, 400,
         MESSAGE("Invalid end_time")},
        {"GET", "/api/history/period/2027-01-01T00:00:00Z?filter_entity_id=light.hallway", NULL,
         200, "[]"},
        {"GET", "/api/history/period?filter_entity_id=light.nope", NULL, 200, "[]"},
        {"GET", "/api/history/period?filter_entity_id=light.garage", NULL, 200,
         "[[{'entity_id':'light.garage','state':'off','attributes':{*},"
         "'last_changed':'2026-11-15T08:00:00.000000+00:00','last_updated':'2026-11-15T08:00:00.000000+00:00'}]]"},
        {"GET", "/api/history/period?filter_entity_id=light.garage&skip_initial_state", NULL, 200,
         "[]"},
        {"GET", "/api/history/period?filter_entity_id=light.garage&no_attributes", NULL, 200,
         "[[{'entity_id':'light.garage','state':'off','attributes':{},*}]]"},
        {"GET",
         "/api/history/period?filter_entity_id=sensor.house_power,light.garage&minimal_response",
         NULL, 200,
         "[[{'entity_id':'sensor.house_power','state':*},{'state':'*','last_changed':'*'},*],[{'entity_id':'light.garage'*}]]"},
        {"GET", "/api/logbook?entity=light.hallway", NULL, 200,
         "[{'when':'2026-11-1*','name':'Hallway','state':'o*','domain':'light','entity_id':'light.hallway',"
         "'context_user_id':null}*]"},
        {"GET", "/api/logbook/nonsense", NULL, 400, MESSAGE("Invalid datetime")},
        {"GET", "/api/error_log", NULL, 200,
         "2026-11-15 08:10:00.000 INFO (MainThread) [homeassistant.core] Starting*\nTraceback (most recent call "
         "last):\n*HomeAssistantError: *"},
        {"GET", "/api/calendars", NULL, 200,
         "[{'name':'Home calendar','entity_id':'calendar.home'}]"},
        {"GET", "/api/calendars/calendar.home?start=2026-11-16T00:00:00Z&end=2026-11-17T00:00:00Z",
         NULL, 200,
         "[{'start':{'dateTime':'2026-11-16T18:00:00.000000+00:00'},'end':{*},'summary':'Choir practice',*}]"},
        {"GET", "/api/calendars/calendar.home", NULL, 400, BAD},
        {"GET", "/api/calendars/calendar.nope?start=2026-11-16&end=2026-11-17", NULL, 404,
         "404: Not Found"},
        {"GET", "/api/camera_proxy/camera.nope", NULL, 404, "404: Not Found"},
        {"POST", "/api/tts_get_url", "{'engine_id':'tts.demo','message':'Hello'}", 200,
         "{'url':'http://127.0.0.1:8123/api/tts_proxy/*_en_demo.mp3','path':'/api/tts_proxy/*_en_demo.mp3'}"},
        {"POST", "/api/tts_get_url", "{'message':'Hello'}", 400,
         "{'error':'Must specify platform and message'}"},
        {"POST", "/api/tts_get_url", "{'engine_id':'tts.x','message':'Hello'}", 400,
         "{'error':'Provider tts.x not found'}"},
    };

    (void)state;
    demo_test_rest_rows(rows, COUNT_OF(rows));
}

/* Forty lines of the log, besides the traceback. */
static void test_log_lines(void **state)
{
    struct demo_test test;
    int status;
    char *text;
    size_t lines = 0;

    (void)state;
    demo_test_init(&test, NULL);
    text = demo_test_request(&test, "GET", "/api/error_log", NULL, "demo", &status);
    for (const char *at = text; (at = strstr(at, " (MainThread) [")); at++)
        lines++;
    assert_int_equal(lines, 40);
    free(text);
    demo_test_finish(&test);
}

/* The picture is a PNG whose lamp follows the lock. */
static void test_camera(void **state)
{
    struct demo_test test;
    struct demo_response locked = {0}, unlocked = {0};
    const struct demo_request request = {.method = "GET",
                                         .path = "/api/camera_proxy/camera.front_door",
                                         .query = "",
                                         .token = "demo"};

    (void)state;
    demo_test_init(&test, NULL);
    haft_buffer_init(&locked.body, NULL, 1 << 20);
    haft_buffer_init(&unlocked.body, NULL, 1 << 20);
    demo_handle(test.demo, &request, &locked);
    assert_int_equal(locked.status, 200);
    assert_string_equal(locked.type, "image/png");
    assert_memory_equal(locked.body.data, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    assert_memory_equal(locked.body.data + locked.body.size - 8, "IEND\xae\x42\x60\x82", 8);
    demo_test_rest(&test, &(struct demo_rest_row){"POST", "/api/services/lock/unlock",
                                                  "{'entity_id':'lock.front_door','code':'1234'}",
                                                  200, "*"});
    demo_handle(test.demo, &request, &unlocked);
    assert_int_equal(locked.body.size, unlocked.body.size);
    assert_memory_not_equal(locked.body.data, unlocked.body.data, locked.body.size);
    haft_buffer_finish(&locked.body);
    haft_buffer_finish(&unlocked.body);
    demo_test_finish(&test);
}

/* Two homes with one seed are the same; another seed is another home. */
static void test_deterministic(void **state)
{
    char *text[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct demo_test test = {.now = DEMO_TEST_START};
        int status;

        test.demo = demo_new(&(struct demo_options){
            .now = demo_test_clock, .now_context = &test, .seed = i == 2 ? 8 : 7, .extra = 50});
        text[i] = demo_test_request(&test, "GET", "/api/states", NULL, "demo", &status);
        demo_free(test.demo);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_not_equal(text[0], text[2]);
    assert_non_null(strstr(text[0], "sensor.extra_0050"));
    for (size_t i = 0; i < 3; i++)
        free(text[i]);
}

/* last_changed moves with the state, last_updated with the attributes, last_reported always. */
static void test_times(void **state)
{
#define AT(text) "'2026-11-16T08:00:" text ".000000+00:00'"
    static const struct {
        const char *body, *changed, *reported, *updated;
    } rows[] = {
        {"{'state':'a'}", AT("01"), AT("01"), AT("01")},
        {"{'state':'a'}", AT("01"), AT("02"), AT("01")},
        {"{'state':'a','attributes':{'x':1}}", AT("01"), AT("03"), AT("03")},
        {"{'state':'b','attributes':{'x':1}}", AT("04"), AT("04"), AT("04")},
        {"{'state':'b','attributes':{'x':1},'force_update':true}", AT("05"), AT("05"), AT("05")},
    };
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char answer[512];

        test.now += 1000000;
        snprintf(answer, sizeof answer, "*'last_changed':%s,'last_reported':%s,'last_updated':%s*",
                 rows[i].changed, rows[i].reported, rows[i].updated);
        demo_test_rest(&test, &(struct demo_rest_row){"POST", "/api/states/sensor.t", rows[i].body,
                                                      i ? 200 : 201, answer});
    }
    demo_test_finish(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unauthorized), cmocka_unit_test(test_states),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_configs),
        cmocka_unit_test(test_past),         cmocka_unit_test(test_log_lines),
        cmocka_unit_test(test_camera),       cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
