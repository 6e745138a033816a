/* test_tools_report.c - runs the table rows_report.h; events reach the client while it listens; what the
 * scenarios find depends on who is at home. */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "home/rows_report.h"
#include "support/test.h"

enum { LOOKS = 2000 };

/* ---- events ---- */

struct heard {
    unsigned messages, updates;
    char text[128], uri[128];
};

static void note_event(void *context, const char *method, haft_value *params)
{
    struct heard *heard = context;
    const char *data = yyjson_get_str(house_at(params, "data"));
    const char *uri = yyjson_get_str(house_at(params, "uri"));

    if (!strcmp(method, "notifications/message")) {
        heard->messages++;
        snprintf(heard->text, sizeof heard->text, "%s", data ? data : "");
    }
    if (!strcmp(method, "notifications/resources/updated")) {
        heard->updates++;
        snprintf(heard->uri, sizeof heard->uri, "%s", uri ? uri : "");
    }
}

static int64_t follow(struct house *house, const char *params, const char *subscribes)
{
    int64_t id = haft_client_send(house_client(house), "tools/call", params);
    unsigned found = 0;

    assert_true(id > 0);
    for (int i = 0; i < LOOKS && !found; i++) {
        house_running(house);
        found = strstr(house_asked(house), subscribes) != NULL;
    }
    assert_true(found);
    return id;
}

/* Clients of an older revision get log messages without asking for them. */
static void events_come_while_the_call_lasts(void **state)
{
    struct heard heard = {.messages = 0};
    struct house *house = house_open(
        &(struct house_options){.revision = "2025-11-25", .notify = note_event, .context = &heard});
    int64_t id = follow(house,
                        "{\"name\":\"subscribe_events\",\"arguments\":{\"event_type\":"
                        "\"state_changed\",\"entity_id\":\"light.hallway\"}}",
                        "\"type\":\"get_states\"");

    (void)state;
    for (int i = 0; i < LOOKS && !heard.messages; i++) {
        house_post_state(house, "light.hallway", i % 2 ? "{'state':'off'}" : "{'state':'on'}");
        house_post_state(house, "light.bedroom", i % 2 ? "{'state':'off'}" : "{'state':'on'}");
        house_running(house);
    }
    assert_true(house_matches(heard.text, "light.hallway: * -> *"));
    assert_int_equal(haft_client_cancel(house_client(house), id), 0);
    for (int i = 0; i < LOOKS && house_running(house); i++)
        ;
    assert_int_equal(house_running(house), 0);
    assert_non_null(strstr(house_asked(house), "\"type\":\"unsubscribe_events\""));
    assert_null(strstr(heard.text, "bedroom"));
    house_close(house);
}

static void the_result_has_the_latest_events(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    int64_t id = follow(house,
                        "{\"name\":\"subscribe_events\",\"arguments\":{\"event_type\":"
                        "\"call_service\",\"seconds\":2}}",
                        "\"event_type\":\"call_service\"");
    haft_result result =
        house_call(house, "set_switch", "{'entity_id':'switch.tv_socket','action':'turn_off'}");

    (void)state;
    assert_false(result.is_error);
    assert_int_equal(haft_client_wait(house_client(house), id, 20000, &result), 0);
    house_expect(&result, "events=1; latest.0~call_service: *switch.tv_socket*; latest.1=");
    house_close(house);
}

/* Somebody who has subscribed to the resource hears of it as well. */
static int read_state(haft_call *call, const char *uri)
{
    return haft_text(call, "%s", uri);
}

static void a_change_updates_the_resource(void **state)
{
    static const haft_resource one = HAFT_INIT(haft_resource, .uri = "ha://states/light.hallway",
                                               .name = "hallway", .read = read_state);
    struct heard heard = {.messages = 0};
    struct house *house = house_open(&(struct house_options){
        .revision = "2025-11-25", .notify = note_event, .context = &heard, .resources = true});
    haft_result result;
    int64_t id;

    (void)state;
    assert_int_equal(haft_resource_add(house_server(house), &one), 0);
    assert_int_equal(haft_client_request(house_client(house), "resources/subscribe",
                                         "{\"uri\":\"ha://states/light.hallway\"}", &result),
                     0);
    assert_false(result.is_error);
    id = follow(house, "{\"name\":\"subscribe_events\",\"arguments\":{}}",
                "\"type\":\"get_states\"");
    for (int i = 0; i < LOOKS && !heard.updates; i++) {
        house_post_state(house, "light.hallway", i % 2 ? "{'state':'off'}" : "{'state':'on'}");
        house_running(house);
    }
    assert_string_equal(heard.uri, "ha://states/light.hallway");
    assert_int_equal(haft_client_cancel(house_client(house), id), 0);
    house_close(house);
}

static void hidden_entities_are_not_followed(void **state)
{
    struct house *house = house_open(&(struct house_options){.entities = "light.*,-light.hallway"});
    haft_result result = house_call(house, "subscribe_events", "{'entity_id':'light.hallway'}");
    int64_t id;

    (void)state;
    house_expect(&result, "!Entity not found: light.hallway.*");
    id = follow(house, "{\"name\":\"subscribe_events\",\"arguments\":{\"seconds\":0.5}}",
                "\"type\":\"get_states\"");
    house_post_state(house, "light.hallway", "{'state':'on'}");
    assert_int_equal(haft_client_wait(house_client(house), id, 20000, &result), 0);
    house_expect(&result, "events=0");
    house_close(house);
}

/* ---- who is at home ---- */

static void nobody_is_at_home(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result;

    (void)state;
    house_post_state(house, "person.anna", "{'state':'not_home'}");
    result = house_call(house, "smart_scenarios", "{'scenario':'nobody_home'}");
    house_expect(&result,
                 "found.0={'scenario':'nobody_home','entity_id':'climate.living_room','reason':"
                 "'heating while nobody is at "
                 "home','service':'set_preset_mode','config':{'preset_mode':'away'}}; "
                 "found.1.entity_id='light.kitchen_ceiling'; found.3.service='turn_off'; found.4=");
    result = house_call(house, "smart_scenarios", "{'scenario':'nobody_home','apply':true}");
    house_expect(&result, "applied.1={'entity_id':'light.kitchen_ceiling','state':'off'}; "
                          "applied.3.state='off'; applied.4=");
    result = house_call(house, "smart_scenarios", "{'scenario':'nobody_home'}");
    house_expect(&result, "found=[]");
    house_close(house);
}

/* A light where nobody has moved for ten minutes; a sensor that has just fallen silent is no proof. */
static void nobody_moves(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result;

    (void)state;
    house_post_state(house, "light.hallway",
                     "{'state':'on','attributes':{'supported_color_modes':['onoff']}}");
    result = house_call(house, "smart_scenarios", "{'scenario':'energy_saving'}");
    house_expect(&result, "found.1.entity_id='light.hallway'; "
                          "found.1.reason='on where nobody has moved for 10 minutes'; found.2=");
    house_post_state(house, "binary_sensor.office_occupancy",
                     "{'state':'off','attributes':{'device_class':'occupancy'}}");
    result = house_call(house, "smart_scenarios", "{'scenario':'energy_saving'}");
    house_expect(&result, "found.2=");
    house_close(house);
}

static int person_declines(void *context, const char *method, haft_value *params,
                           haft_buffer *ret_result)
{
    (void)method;
    snprintf(context, 256, "%s", yyjson_get_str(yyjson_obj_get(params, "message")));
    haft_buffer_puts(ret_result, "{\"action\":\"decline\"}");
    return 0;
}

static void applying_asks_first(void **state)
{
    char question[256] = "";
    struct house *house =
        house_open(&(struct house_options){.answer = person_declines, .context = question});
    haft_result result = house_call(house, "smart_scenarios", "{}");

    (void)state;
    house_expect(&result, "applied=[]");
    assert_string_equal(question, "");
    result = house_call(house, "smart_scenarios", "{'apply':true}");
    house_expect(&result, "!declined: the user did not agree to \"smart_scenarios\"*");
    assert_true(house_matches(question, "Change 1 device (climate.living_room)? *"));
    assert_null(strstr(house_asked(house), "call_service"));
    house_close(house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_while_the_call_lasts),
        cmocka_unit_test(the_result_has_the_latest_events),
        cmocka_unit_test(a_change_updates_the_resource),
        cmocka_unit_test(hidden_entities_are_not_followed),
        cmocka_unit_test(nobody_is_at_home),
        cmocka_unit_test(nobody_moves),
        cmocka_unit_test(applying_asks_first),
    };
    int failed = tools_run("home/tools_report", rows_report, COUNT_OF(rows_report));

    return cmocka_run_group_tests(tests, NULL, NULL) + failed;
}
