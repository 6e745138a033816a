/* The demo home without memory: whichever allocation fails, it answers or ends the session, loses nothing and goes on. */
#include "demo_test.h"
#include "support/starving.h"

static const struct demo_rest_row fault_requests[] = {
    {"GET", "/api/states", NULL, 0, NULL},
    {"GET", "/api/config", NULL, 0, NULL},
    {"GET", "/api/services", NULL, 0, NULL},
    {"POST", "/api/states/sensor.new", "{'state':'5','attributes':{'unit':'x'}}", 0, NULL},
    {"DELETE", "/api/states/sensor.new", NULL, 0, NULL},
    {"POST", "/api/services/light/turn_on", "{'area_id':'living_room','rgb_color':[255,0,0]}", 0,
     NULL},
    {"POST", "/api/services/scene/turn_on", "{'entity_id':'scene.movie_night'}", 0, NULL},
    {"POST", "/api/services/todo/add_item", "{'entity_id':'todo.shopping','item':'Eggs'}", 0, NULL},
    {"POST", "/api/services/climate/set_temperature",
     "{'entity_id':'climate.office','temperature':50}", 0, NULL},
    {"POST", "/api/services/automation/trigger", "{'entity_id':'automation.hallway_motion_light'}",
     0, NULL},
    {"POST", "/api/services/tts/speak",
     "{'entity_id':'tts.demo','media_player_entity_id':'media_player.bedroom','message':'Hello'}",
     0, NULL},
    {"POST", "/api/states/binary_sensor.hallway_motion", "{'state':'on'}", 0, NULL},
    {"POST", "/api/services/weather/get_forecasts?return_response",
     "{'entity_id':'weather.home','type':'daily'}", 0, NULL},
    {"POST", "/api/template",
     "{'template':'{% for s in states.light %}{{ s.name|upper }}{% endfor %}'}", 0, NULL},
    {"POST", "/api/template", "{'template':'{{ nope() }}'}", 0, NULL},
    {"POST", "/api/config/automation/config/a1",
     "{'alias':'A','triggers':[],'actions':[{'event':'x'}]}", 0, NULL},
    {"DELETE", "/api/config/automation/config/a1", NULL, 0, NULL},
    {"GET", "/api/history/period?filter_entity_id=sensor.house_power&minimal_response", NULL, 0,
     NULL},
    {"GET", "/api/logbook?entity=light.hallway", NULL, 0, NULL},
    {"GET", "/api/calendars", NULL, 0, NULL},
    {"POST", "/api/events/x", "{'a':1}", 0, NULL},
};

static const char *const fault_commands[] = {
    "'subscribe_events'",
    "'subscribe_entities'",
    "'subscribe_trigger','trigger':[{'trigger':'state','entity_id':'light.hallway'}]",
    "'subscribe_trigger','trigger':{'trigger':'state','entity_id':'light.hallway','for':60}",
    "'render_template','template':'{{ states(`light.hallway`) }}'",
    "'todo/item/subscribe','entity_id':'todo.shopping'",
    "'call_service','domain':'light','service':'turn_on','target':{'entity_id':'light.hallway'}",
    ("'call_service','domain':'todo','service':'remove_item','service_data':{'item':'Milk'},"
     "'target':{'entity_id':'todo.shopping'}"),
    "'config/area_registry/create','name':'Attic'",
    "'config/entity_registry/update','entity_id':'light.hallway','name':'Hall','area_id':'attic'",
    "'config/area_registry/delete','area_id':'attic'",
    "'config/entity_registry/list'",
    "'trace/list','domain':'automation'",
    "'validate_config','trigger':{'platform':'nope'}",
    "'lovelace/config/save','config':{'views':[]}",
    "'search/related','item_type':'entity','item_id':'light.hallway'",
    "'unsubscribe_events','subscription':1",
};

/* Everything once, with the allocator that fails.  Returns whether the home could be built. */
static void fault_run(const haft_allocator *allocator)
{
    struct demo_test test;
    int status;

    demo_test_init(&test, allocator);
    if (!test.demo) {
        haft_buffer_finish(&test.heard);
        return;
    }
    demo_test_open(&test);
    if (test.session)
        demo_test_say(&test, "{'type':'auth','access_token':'demo'}");
    for (size_t i = 0; test.session && i < COUNT_OF(fault_commands); i++) {
        char text[512];

        snprintf(text, sizeof text, "{'id':%zu,'type':%s}", i + 1, fault_commands[i]);
        demo_test_say(&test, text);
    }
    for (size_t i = 0; i < COUNT_OF(fault_requests); i++) {
        char *text = demo_test_request(&test, fault_requests[i].method, fault_requests[i].path,
                                       fault_requests[i].body, "demo", &status);

        assert_true(status >= 200 && status <= 500);
        free(text);
    }
    test.now += INT64_C(3600000000);
    demo_tick(test.demo);
    /* It goes on, whatever failed. */
    demo_test_rest(&test, &(struct demo_rest_row){"GET", "/api/states/sun.sun", NULL, 200, "{*}"});
    demo_test_finish(&test);
}

/* How many allocations a run makes. */
static size_t fault_calls(void)
{
    struct failing failing;

    failing_init(&failing, 0);
    fault_run(&failing.allocator);
    failing_check(&failing);
    return failing.calls;
}

static void test_each_allocation(void **state)
{
    size_t calls = fault_calls(), step = SANITIZED ? 17 : 5;

    (void)state;
    assert_true(calls > 1000);
    /* Each of the first, which build the home and its parts, then every few. */
    for (size_t nth = 1; nth <= calls; nth += nth < 200 ? 1 : step) {
        struct failing failing;

        failing_init(&failing, nth);
        fault_run(&failing.allocator);
        failing_check(&failing);
        assert_int_equal(failing.failures, 1);
    }
}

/* The same where a piece of the scratch arena is not there. */
static void test_each_piece(void **state)
{
    size_t step = SANITIZED ? 149 : 37;

    (void)state;
    for (size_t nth = 1;; nth += step) {
        starve_at(nth, false);
        fault_run(NULL);
        if (!starved())
            break;
    }
    starve_at(0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation),
        cmocka_unit_test(test_each_piece),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
