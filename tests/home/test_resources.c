/* test_resources.c - the home as resources and prompts: what they say, what they hide, who hears of changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "home/fault_link.h"
#include "home/tools.h"
#include "json/json.h"
#include "support/test.h"

enum { LOOKS = 2000, TOO_LARGE = (2 << 20) + 1 };

/* ---- reading ---- */

/* Reads a resource, and checks its JSON, or the error. */
static void reads(struct house *house, const char *uri, const char *expect)
{
    haft_arena *arena = haft_arena_new(NULL, 8 << 20);
    haft_result result;
    const char *text;

    assert_non_null(arena);
    assert_int_equal(haft_client_read(house_client(house), uri, &result), 0);
    if (*expect != '!') {
        if (result.is_error)
            fail_msg("%s: %s", uri, result.text);
        assert_true(yyjson_equals_str(house_at(result.content, "0.mimeType"), "application/json"));
        assert_true(yyjson_equals_str(house_at(result.content, "0.uri"), uri));
        text = yyjson_get_str(house_at(result.content, "0.text"));
        assert_non_null(text);
        result.structured = haft_json_read(text, strlen(text), 0, arena, NULL);
    }
    house_expect(&result, expect);
    if (strstr(expect, "not found") || strstr(expect, "is not a ")) /* not an internal error */
        assert_true(result.error_code == -32002 || result.error_code == -32602);
    haft_arena_free(arena);
}

static void resources_have_what_they_say(void **state)
{
    static const struct {
        const char *uri, *expect, *entities;
    } rows[] = {
        {"ha://states/light.office_desk",
         "entity_id='light.office_desk'; state='on'; area='Office'; "
         "attributes.rgb_color=[51,153,255]; domain='light'",
         NULL},
        {"ha://states/camera.front_door", "state='idle'; attributes.access_token=", NULL},
        {"ha://states/light.nope", "!Entity not found: light.nope.*", NULL},
        {"ha://states/lock.front_door", "!Entity not found: lock.front_door*", "light.*"},
        {"ha://areas",
         "areas.0.name~*; areas.7.name~*; areas.8=; without_area.0~*; areas.0.entities.0~*", NULL},
        {"ha://areas", "areas.0.name='Kitchen'; areas.1=; without_area=[]",
         "light.kitchen_ceiling"},
        {"ha://summary", "areas=8; unavailable=1; domains.0.domain='alarm_control_panel'", NULL},
        {"ha://summary",
         "entities=9; areas=6; unavailable=1; domains=[{'domain':'light','total':9,'active':4}]",
         "light.*,-light.hallway"},
        {"ha://camera/light.hallway", "!light.hallway is not a camera.", NULL},
        {"ha://camera/camera.front_door", "!Entity not found: camera.front_door*", "light.*"},
        {"ha://nothing", "!Resource not found: ha://nothing", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct house *house = house_open(&(struct house_options){.entities = rows[i].entities});

        reads(house, rows[i].uri, rows[i].expect);
        house_close(house);
    }
}

static void an_area_has_the_entities_that_are_seen(void **state)
{
    struct house *house = house_open(&(struct house_options){.entities = "light.kitchen_ceiling"});
    haft_result result;
    const char *text;

    (void)state;
    assert_int_equal(haft_client_read(house_client(house), "ha://areas", &result), 0);
    text = yyjson_get_str(house_at(result.content, "0.text"));
    assert_non_null(strstr(text, "\"Kitchen\",\"floor\":\"Ground floor\",\"entities\":["
                                 "\"light.kitchen_ceiling\"]"));
    assert_null(strstr(text, "light.kitchen_counter"));
    house_close(house);
}

static void a_broken_link_is_an_error(void **state)
{
    static const struct {
        enum situation situation;
        const char *uri, *at, *expect;
    } rows[] = {
        {HASS_ERROR, "ha://summary", "get_states", "!The demo home cannot be reached: *on fire*"},
        {LOST, "ha://areas", NULL, "!The demo home cannot be reached: the connection was cut."},
        {DEADLINE, "ha://states/light.hallway", NULL, "!The demo home cannot be reached: *"},
        {HASS_ERROR, "ha://camera/camera.front_door", "camera_proxy",
         "!Home Assistant answered GET /api/camera_proxy/camera.front_door with 500: The device is "
         "on fire."},
        {LOST, "ha://camera/camera.front_door", "camera_proxy", "!*the connection was cut*"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct house *house = house_open(
            &(struct house_options){.situation = rows[i].situation,
                                    .at = rows[i].at,
                                    .timeout_ms = rows[i].situation == DEADLINE ? 300 : 0});

        reads(house, rows[i].uri, rows[i].expect);
        house_close(house);
    }
}

/* ---- pictures ---- */

static void a_camera_has_a_picture(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result;
    const char *data;

    (void)state;
    assert_int_equal(
        haft_client_read(house_client(house), "ha://camera/camera.front_door", &result), 0);
    assert_false(result.is_error);
    assert_true(yyjson_equals_str(house_at(result.content, "0.mimeType"), "image/png"));
    data = yyjson_get_str(house_at(result.content, "0.blob"));
    assert_non_null(data);
    assert_int_equal(strncmp(data, "iVBORw0KGgo", 11), 0);
    result = house_call(house, "entity_state", "{'entity_id':'camera.front_door','picture':true}");
    house_expect(&result, "entities.0.state='idle'");
    assert_true(yyjson_equals_str(house_at(result.content, "0.type"), "text"));
    assert_non_null(strstr(result.text, "\"camera.front_door\""));
    assert_true(yyjson_equals_str(house_at(result.content, "1.type"), "image"));
    assert_true(yyjson_equals_str(house_at(result.content, "1.mimeType"), "image/png"));
    house_close(house);
}

static void a_picture_has_a_limit(void **state)
{
    char *large = malloc(TOO_LARGE + 1);
    struct fault_answer answers[] = {{"camera_proxy/camera.front_door", large, 200, "image/jpeg"},
                                     {NULL, NULL, 0, NULL}};
    struct house *house;

    (void)state;
    assert_non_null(large);
    memset(large, 'x', TOO_LARGE);
    large[TOO_LARGE] = '\0';
    fault_answers = answers;
    house = house_open(&(struct house_options){.timeout_ms = 0});
    fault_answers = NULL;
    reads(house, "ha://camera/camera.front_door",
          "!The picture of camera.front_door has 2097153 bytes; at most 2097152 are returned.");
    answers[0].type = "text/html";
    reads(house, "ha://camera/camera.front_door", "!camera.front_door sent no picture.");
    house_close(house);
    free(large);
}

/* ---- subscriptions ---- */

struct updates {
    unsigned state, summary, others;
};

static void note_update(void *context, const char *method, haft_value *params)
{
    struct updates *updates = context;
    haft_value *uri = yyjson_obj_get(params, "uri");

    if (strcmp(method, "notifications/resources/updated") != 0)
        return;
    updates->state += yyjson_equals_str(uri, "ha://states/light.hallway");
    updates->summary += yyjson_equals_str(uri, "ha://summary");
    updates->others += strstr(yyjson_get_str(uri), "kitchen") != NULL;
}

static void subscribers_hear_of_changes(void **state)
{
    static const char *const uris[] = {"{\"uri\":\"ha://states/light.hallway\"}",
                                       "{\"uri\":\"ha://summary\"}"};
    struct updates updates = {0, 0, 0};
    struct house *house = house_open(&(struct house_options){
        .revision = "2025-11-25", .notify = note_update, .context = &updates, .resources = true});
    haft_result result;

    (void)state;
    home_watch(house_hass(house), house_server(house));
    for (size_t i = 0; i < COUNT_OF(uris); i++) {
        assert_int_equal(
            haft_client_request(house_client(house), "resources/subscribe", uris[i], &result), 0);
        assert_false(result.is_error);
    }
    reads(house, "ha://states/light.hallway", "state='off'"); /* connects */
    house_post_state(house, "light.kitchen_ceiling", "{'state':'off'}");
    house_post_state(house, "light.hallway", "{'state':'on'}");
    for (int i = 0; i < LOOKS && !(updates.state && updates.summary); i++)
        house_running(house);
    assert_true(updates.state && updates.summary);
    assert_int_equal(updates.others, 0);
    reads(house, "ha://states/light.hallway", "state='on'");
    hass_watch(house_hass(house), NULL, NULL);
    house_close(house);
}

static void nobody_hears_of_what_is_hidden(void **state)
{
    struct updates updates = {0, 0, 0};
    struct house *house = house_open(&(struct house_options){.revision = "2025-11-25",
                                                             .notify = note_update,
                                                             .context = &updates,
                                                             .resources = true,
                                                             .entities = "light.*,-light.hallway"});
    haft_result result;

    (void)state;
    home_watch(house_hass(house), house_server(house));
    assert_int_equal(haft_client_request(house_client(house), "resources/subscribe",
                                         "{\"uri\":\"ha://states/light.hallway\"}", &result),
                     0);
    assert_int_equal(haft_client_request(house_client(house), "resources/subscribe",
                                         "{\"uri\":\"ha://states/light.kitchen_ceiling\"}",
                                         &result),
                     0);
    reads(house, "ha://summary", "entities=9");
    house_post_state(house, "light.hallway", "{'state':'on'}");
    house_post_state(house, "light.kitchen_ceiling", "{'state':'off'}");
    for (int i = 0; i < LOOKS && !updates.others; i++)
        house_running(house);
    assert_int_equal(updates.others, 1);
    assert_int_equal(updates.state, 0);
    hass_watch(house_hass(house), NULL, NULL);
    house_close(house);
}

/* ---- completion ---- */

static void completion_knows_entities_and_areas(void **state)
{
    static const char states[] = "ha://states/{id}", camera[] = "ha://camera/{id}";
    static const struct {
        haft_offer kind;
        const char *name, *argument, *value, *entities;
        const char *first, *second; /* "" if there is none; NULL: not checked */
    } rows[] = {
        {HAFT_OFFER_TEMPLATE, states, "id", "light.kit", NULL, "light.kitchen_ceiling",
         "light.kitchen_counter"},
        {HAFT_OFFER_TEMPLATE, states, "id", "LIGHT.OFF", NULL, "light.office_desk", ""},
        {HAFT_OFFER_TEMPLATE, states, "id", "office_desk", NULL, "light.office_desk", NULL},
        {HAFT_OFFER_TEMPLATE, states, "id", "lock", "light.*", "", ""},
        {HAFT_OFFER_TEMPLATE, states, "id", "zzz", NULL, "", ""},
        {HAFT_OFFER_TEMPLATE, camera, "id", "", NULL, "camera.front_door", ""},
        {HAFT_OFFER_PROMPT, "whats_on", "area", "k", NULL, "Kitchen", ""},
        {HAFT_OFFER_PROMPT, "good_night", "area", "room", NULL, NULL, NULL},
        {HAFT_OFFER_PROMPT, "good_night", "area", "bed", NULL, "Bedroom", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct house *house = house_open(&(struct house_options){.entities = rows[i].entities});
        const char *wanted[] = {rows[i].first, rows[i].second};
        haft_result result;

        assert_int_equal(haft_client_complete(house_client(house), rows[i].kind, rows[i].name,
                                              rows[i].argument, rows[i].value, NULL, &result),
                         0);
        if (result.is_error)
            fail_msg("%s: %s", rows[i].value, result.text);
        for (size_t k = 0; k < 2; k++) {
            const char *found = yyjson_get_str(yyjson_arr_get(result.content, k));

            if (wanted[k])
                assert_string_equal(found ? found : "", wanted[k]);
        }
        house_close(house);
    }
}

/* What begins with the value comes before what contains it. */
static void completion_puts_beginnings_first(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    bool behind = false;
    haft_result result;
    haft_value *item;
    size_t i, n;

    (void)state;
    assert_int_equal(haft_client_complete(house_client(house), HAFT_OFFER_TEMPLATE,
                                          "ha://states/{id}", "id", "s", NULL, &result),
                     0);
    yyjson_arr_foreach(result.content, i, n, item) {
        bool begins = *yyjson_get_str(item) == 's';

        assert_false(begins && behind);
        behind = behind || !begins;
    }
    assert_true(behind && n > 20);
    house_close(house);
}

/* ---- prompts ---- */

static void prompts_say_what_matters(void **state)
{
    static const struct {
        const char *prompt, *arguments, *entities, *has, *lacks;
    } rows[] = {
        {"whats_on", "{}", NULL, "- light.office_desk (Office desk, in Office): on\n",
         "light.bedroom "},
        {"whats_on", "{\"area\":\"kitchen\"}", NULL, "what is on in Kitchen. ",
         "light.office_desk"},
        {"whats_on", "{\"area\":\"bedroom\"}", "light.*", "- nothing\n", "light."},
        {"good_night", "{}", NULL, "- binary_sensor.", "switch."},
        {"good_night", "{}", "light.*", "- light.kitchen_ceiling ", "lock."},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct house *house = house_open(&(struct house_options){.entities = rows[i].entities});
        const char *text;
        haft_result result;

        assert_int_equal(
            haft_client_get(house_client(house), rows[i].prompt, rows[i].arguments, &result), 0);
        if (result.is_error)
            fail_msg("%s: %s", rows[i].prompt, result.text);
        assert_true(yyjson_equals_str(house_at(result.content, "0.role"), "user"));
        text = yyjson_get_str(house_at(result.content, "0.content.text"));
        assert_non_null(text);
        if (!strstr(text, rows[i].has) || strstr(text, rows[i].lacks))
            fail_msg("%s %s: %s", rows[i].prompt, rows[i].arguments, text);
        house_close(house);
    }
}

static void a_prompt_needs_an_area_that_exists(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    haft_result result;

    (void)state;
    assert_int_equal(
        haft_client_get(house_client(house), "whats_on", "{\"area\":\"cellar\"}", &result), 0);
    house_expect(&result, "!Area not found: cellar. Areas: *");
    assert_int_equal(result.error_code, -32602);
    house_close(house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources_have_what_they_say),
        cmocka_unit_test(an_area_has_the_entities_that_are_seen),
        cmocka_unit_test(a_broken_link_is_an_error),
        cmocka_unit_test(a_camera_has_a_picture),
        cmocka_unit_test(a_picture_has_a_limit),
        cmocka_unit_test(subscribers_hear_of_changes),
        cmocka_unit_test(nobody_hears_of_what_is_hidden),
        cmocka_unit_test(completion_knows_entities_and_areas),
        cmocka_unit_test(completion_puts_beginnings_first),
        cmocka_unit_test(prompts_say_what_matters),
        cmocka_unit_test(a_prompt_needs_an_area_that_exists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
