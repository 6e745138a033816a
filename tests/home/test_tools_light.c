/* test_tools_light.c - runs the table rows_light.h, and what goes on after a call or ends in its midst: the
 * lights get their looks back, and nothing is left running. */
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "home/rows_light.h"
#include "support/test.h"

enum { LOOKS = 2000 }; /* of 5 ms each */

/* Waits until Home Assistant has been asked something. */
static void wait_asked(struct house *house, const char *text, unsigned times)
{
    unsigned found = 0;

    for (int i = 0; i < LOOKS && found < times; i++) {
        house_running(house);
        found = 0;
        for (const char *at = house_asked(house); (at = strstr(at, text)); at++)
            found++;
    }
    if (found < times)
        fail_msg("%s was asked %u times, not %u:\n%s", text, found, times, house_asked(house));
}

/* Waits until an entity is as expected. */
static void wait_state(struct house *house, const char *arguments, const char *path,
                       const char *expect)
{
    char text[64] = "";

    for (int i = 0; i < LOOKS && strcmp(text, expect) != 0; i++) {
        haft_result result = house_call(house, "entity_state", arguments);
        haft_buffer found;

        assert_false(result.is_error);
        haft_buffer_init(&found, NULL, sizeof text);
        haft_json_write(house_at(result.structured, path), &found);
        snprintf(text, sizeof text, "%.*s", (int)found.size, found.data ? found.data : "");
        haft_buffer_finish(&found);
        house_running(house);
    }
    assert_string_equal(text, expect);
}

#define DESK "{'entity_id':'light.office_desk'}"

/* Cancels a call in its midst. */
static void cancel_when(struct house *house, const char *params, const char *asked)
{
    int64_t id = haft_client_send(house_client(house), "tools/call", params);

    assert_true(id > 0);
    wait_asked(house, asked, 1);
    assert_int_equal(house_running(house), 1);
    assert_int_equal(haft_client_cancel(house_client(house), id), 0);
    for (int i = 0; i < LOOKS && house_running(house); i++)
        ;
    assert_int_equal(house_running(house), 0);
}

static void a_cancelled_showcase_restores_the_lights(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});

    (void)state;
    cancel_when(house,
                "{\"name\":\"light_showcase\",\"arguments\":{\"lights\":[\"light.office_desk\"],"
                "\"duration\":20}}",
                "\"rgb_color\":[255,128,0]"); /* the second step */
    wait_state(house, DESK, "entities.0.attributes.rgb_color", "[51,153,255]");
    wait_state(house, DESK, "entities.0.attributes.brightness", "128");
    house_close(house);
}

/* Home Assistant does not answer any more when the light is to be green; what is sent then is seen here. */
static void a_cancelled_profile_restores_the_light(void **state)
{
    struct house *house =
        house_open(&(struct house_options){.situation = CANCELLED, .at = "'rgb_color':[0,255,0]"});

    (void)state;
    cancel_when(house,
                "{\"name\":\"profile_devices\",\"arguments\":{\"entity_id\":"
                "\"light.office_desk\",\"iterations\":2}}",
                "\"rgb_color\":[0,255,0]");
    wait_asked(house,
               "\"service\":\"turn_on\",\"service_data\":{\"entity_id\":\"light.office_desk\","
               "\"brightness\":128,\"rgb_color\":[51,153,255]}",
               1);
    house_close(house);
}

static void note_progress(void *context, const char *method, haft_value *params)
{
    (void)params;
    if (!strcmp(method, "notifications/progress"))
        ++*(unsigned *)context;
}

static void a_showcase_reports_progress(void **state)
{
    unsigned heard = 0;
    struct house *house = house_open(
        &(struct house_options){.progress = true, .notify = note_progress, .context = &heard});
    haft_result result =
        house_call(house, "light_showcase", "{'lights':['light.hallway'],'duration':0.75}");

    (void)state;
    assert_false(result.is_error);
    /* A machine that is busy leaves steps out. */
    assert_in_range(heard, 2, 4);
    assert_int_equal(yyjson_get_sint(house_at(result.structured, "steps")), heard - 1);
    house_close(house);
}

/* ---- animations ---- */

static void an_animation_goes_on_until_it_is_stopped(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result = house_call(house, "animation_control",
                                    "{'action':'start','lights':['light.office_desk'],'speed':10}");

    (void)state;
    house_expect(&result, "animations.0.id=1");
    wait_asked(house, "\"service\":\"turn_on\"", 3);
    result = house_call(house, "animation_control", "{'action':'stop','id':1}");
    house_expect(&result, "animations=[]");
    wait_state(house, DESK, "entities.0.attributes.rgb_color", "[51,153,255]");
    house_close(house);
}

static void there_are_at_most_eight_animations(void **state)
{
    static const char *const lights[] = {"light.bedroom",         "light.hallway",
                                         "light.garage",          "light.office_desk",
                                         "light.kitchen_counter", "light.kitchen_ceiling",
                                         "light.living_room_lamp"};
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result;
    char arguments[128];

    (void)state;
    house_post_state(house, "light.attic",
                     "{'state':'off','attributes':{'supported_color_modes':['onoff']}}");
    house_post_state(house, "light.cellar",
                     "{'state':'off','attributes':{'supported_color_modes':['onoff']}}");
    for (size_t i = 0; i < 9; i++) {
        snprintf(arguments, sizeof arguments, "{'action':'start','lights':['%s'],'speed':0.1}",
                 i < COUNT_OF(lights) ? lights[i]
                 : i == 7             ? "light.attic"
                                      : "light.cellar");
        result = house_call(house, "animation_control", arguments);
        if (i < 8)
            assert_false(result.is_error);
    }
    house_expect(&result, "!8 animations run already. Stop one first.");
    result = house_call(house, "animation_control", "{'action':'stop','id':3}");
    house_expect(&result, "animations.1.id=2; animations.2.id=4; animations.6.id=8; animations.7=");
    house_close(house); /* which ends the rest */
}

/* They end with the server, which waits for them, and restore the lights. */
static void animations_end_with_the_server(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result = house_call(house, "animation_control",
                                    "{'action':'start','lights':['light.garage'],'speed':10}");

    (void)state;
    assert_false(result.is_error);
    wait_asked(house, "\"service\":\"turn_on\"", 1);
    house_close(house);
}

/* ---- what is hidden ---- */

static void hidden_lights_are_refused(void **state)
{
    struct house *house =
        house_open(&(struct house_options){.entities = "light.*,-light.hallway,-light.kitchen_*"});
    static const struct {
        const char *tool, *arguments;
    } rows[] = {
        {"light_scenario", "{'name':'chill','lights':['light.hallway']}"},
        {"light_showcase", "{'lights':['light.hallway'],'duration':0.5}"},
        {"animation_control", "{'action':'start','lights':['light.hallway']}"},
        {"profile_devices", "{'entity_id':'light.hallway'}"},
    };
    haft_result result;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        result = house_call(house, rows[i].tool, rows[i].arguments);
        house_expect(&result, "!Entity not found: light.hallway.*");
    }
    assert_null(strstr(house_asked(house), "call_service"));
    /* Of a group, and of all lights, those that are visible. */
    result = house_call(house, "light_scenario", "{'name':'chill','lights':['light.downstairs']}");
    house_expect(&result, "changed.0.entity_id='light.living_room_ceiling'; "
                          "changed.1.entity_id='light.living_room_lamp'; changed.2=");
    result = house_call(house, "light_scenario", "{'name':'focus'}");
    house_expect(&result, "changed.4.entity_id='light.office_desk'; changed.5=");
    assert_null(strstr(house_asked(house), "light.kitchen"));
    assert_null(strstr(house_asked(house), "light.hallway"));
    house_close(house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cancelled_showcase_restores_the_lights),
        cmocka_unit_test(a_cancelled_profile_restores_the_light),
        cmocka_unit_test(a_showcase_reports_progress),
        cmocka_unit_test(an_animation_goes_on_until_it_is_stopped),
        cmocka_unit_test(there_are_at_most_eight_animations),
        cmocka_unit_test(animations_end_with_the_server),
        cmocka_unit_test(hidden_lights_are_refused),
    };
    int failed = tools_run("home/tools_light", rows_light, COUNT_OF(rows_light));

    return cmocka_run_group_tests(tests, NULL, NULL) + failed;
}
