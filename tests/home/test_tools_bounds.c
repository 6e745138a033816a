/* test_tools_bounds.c - results have a size that a model can read, and nothing of what --entities hides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "home/tools.h"
#include "json/json.h"
#include "support/test.h"
#include "tools/common.h"

enum { MANY = 2000, LIST_BYTES = 64 << 10 };

static void expects(struct house *house, const char *tool, const char *arguments,
                    const char *expect)
{
    haft_result result = house_call(house, tool, arguments);

    house_expect(&result, expect);
}

static void choosing_evenly_keeps_the_order_and_the_ends(void **state)
{
    static const struct {
        size_t total, most, last;
    } rows[] = {{0, 100, 0},    {1, 100, 0},     {100, 100, 99},
                {101, 100, 99}, {200, 100, 198}, {5000, 100, 4950}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t n = rows[i].total < rows[i].most ? rows[i].total : rows[i].most, before = 0;

        for (size_t k = 0; k < n; k++) {
            size_t at = home_evenly(k, rows[i].total, rows[i].most);

            assert_true(at < rows[i].total && (!k || at > before));
            before = at;
        }
        assert_int_equal(before, rows[i].last);
    }
}

static void a_large_home_is_sampled_and_says_so(void **state)
{
    struct house *house = house_open(&(struct house_options){.extra = MANY});
    haft_result result = house_call(house, "list_devices", "{}");
    int64_t total = yyjson_get_sint(house_at(result.structured, "total"));
    const char *before = "";
    haft_value *device;
    size_t i, n;

    (void)state;
    house_expect(&result, "truncated=true; devices.100=");
    assert_true(total > MANY);
    assert_int_equal(yyjson_arr_size(house_at(result.structured, "devices")), 100);
    assert_true(hf_json_size(result.structured) < LIST_BYTES);
    yyjson_arr_foreach(house_at(result.structured, "devices"), i, n, device) {
        const char *id = yyjson_get_str(yyjson_obj_get(device, "entity_id"));

        assert_true(strcmp(before, id) < 0);
        before = id;
    }
    expects(house, "list_devices", "{'domain':'light'}", "truncated=false; total=10");
    expects(house, "search_entities", "{'query':'extra'}",
            "count=2000; truncated=true; results.24.entity_id='sensor.extra_0025'; results.25=");
    house_close(house);
}

/* What is long is left out of a list, and its size is told where the entity alone is asked for. */
static void long_attributes_are_left_out(void **state)
{
    struct house *house = house_open(&(struct house_options){.timeout_ms = 0});
    char *json = malloc(8000);

    (void)state;
    assert_non_null(json);
    snprintf(json, 8000,
             "{'state':'1','attributes':{'short':'a','icon':'mdi:x','access_token':'secret',"
             "'long':'%0*d'}}",
             4998, 0);
    house_post_state(house, "sensor.talkative", json);
    free(json);
    expects(house, "entity_state", "{'entity_id':'sensor.talkative'}",
            "entities.0.attributes={'short':'a','icon':'mdi:x','long':'(5000 bytes left out)'}");
    expects(house, "list_devices", "{'domain':'sensor'}", "truncated=false");
    expects(house, "search_entities", "{'query':'talkative'}", "count=1");
    house_post_state(house, "talk.x", "{'state':'1','attributes':{'icon':'mdi:x','a':[1,2]}}");
    expects(house, "list_devices", "{'domain':'talk'}", "devices.0.attributes={'a':[1,2]}");
    house_close(house);
}

static void what_is_hidden_does_not_exist(void **state)
{
    struct house *house = house_open(&(struct house_options){.entities = "light.*,-light.hallway"});

    (void)state;
    expects(house, "list_devices", "{}", "total=9; truncated=false");
    expects(house, "list_devices", "{'domain':'lock'}",
            "!There are no entities of the domain \"lock\". Domains: light.");
    expects(house, "entity_state", "{'entity_id':['light.hallway','light.bedroom']}",
            "entities.0.entity_id='light.bedroom'; not_found=['light.hallway']");
    expects(house, "search_entities", "{'query':'front door','include_disabled':true}", "count=0");
    expects(house, "control_light", "{'entity_id':'light.hallway','action':'turn_on'}",
            "!Entity not found: light.hallway.*");
    expects(house, "lock_control", "{'entity_id':'lock.back_door','action':'lock'}",
            "!Entity not found: lock.back_door.*");
    expects(house, "control", "{'entity_id':'switch.tv_socket','action':'turn_off'}",
            "!Entity not found: switch.tv_socket.*");
    expects(house, "dashboard", "{'sections':['lights','covers']}",
            "summary.0.total=9; summary.1.total=0");
    assert_null(strstr(house_asked(house), "call_service"));
    house_close(house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choosing_evenly_keeps_the_order_and_the_ends),
        cmocka_unit_test(a_large_home_is_sampled_and_says_so),
        cmocka_unit_test(long_attributes_are_left_out),
        cmocka_unit_test(what_is_hidden_does_not_exist),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
