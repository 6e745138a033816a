/* The client over the demo home in this process: all that both have to agree on. */
#include "demo/demo.h"
#include "hass/demo_link.h"
#include "home/fake_home.h"

static int demo_look(haft_call *call, void *context)
{
    struct hass_states states;
    struct hass_areas areas;
    struct hass_answer answer;
    haft_value *value;
    entity light;

    (void)context;
    assert_int_equal(hass_states(call, &states), 0);
    assert_true(states.n >= 50);
    assert_int_equal(hass_areas(call, &areas), 0);
    assert_int_equal(areas.n, 8);
    for (size_t i = 0; i < states.n; i++)
        if (!strcmp(states.at[i].domain, "light") && !strcmp(states.at[i].state, "off") &&
            entity_number(&states.at[i], "supported_features", 0) > 0) {
            light = states.at[i];
            assert_int_equal(hass_act(call, &light, "turn_on", NULL, &light), 0);
            assert_string_equal(light.state, "on");
            assert_int_equal(hass_act(call, &light, "turn_off", NULL, &light), 0);
            assert_string_equal(light.state, "off");
            break;
        }
    assert_int_equal(hass_request(call, "GET", "/api/config", NULL, NULL, &answer), 0);
    assert_int_equal(answer.status, 200);
    assert_int_equal(hass_json(call, &answer, &value), 0);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(value, "state")), "RUNNING");
    assert_int_equal(hass_command(call, "lovelace/dashboards/list", NULL, NULL, &value), 0);
    assert_true(yyjson_is_arr(value));
    assert_int_equal(hass_command(call, "hacs/repositories/list", NULL, "unknown_command", &value),
                     0);
    assert_null(value);
    return 0;
}

static int demo_fail(haft_call *call, void *context)
{
    (void)context;
    return hass_call(call, &(struct hass_service){.domain = "cover", .service = "open"}, NULL,
                     NULL);
}

static int demo_unknown(haft_call *call, void *context)
{
    haft_value *value;

    (void)context;
    return hass_command(call, "get_state", NULL, NULL, &value);
}

static struct hass *demo_hass(struct hass_link link)
{
    struct home_options options = {.url = NULL};
    haft_reason reason;
    struct hass *hass = hass_new_timed(&options, link, &fake_times, &reason);

    assert_non_null(hass);
    return hass;
}

static void test_demo(void **state)
{
    struct demo *demo = demo_new(&(struct demo_options){.seed = 1});
    struct hass *hass;

    (void)state;
    assert_non_null(demo);
    hass = demo_hass(demo_link_new(demo));
    assert_string_equal(fake_run(hass, 10000, demo_look, NULL), "");
    assert_string_equal(fake_run(hass, 10000, demo_fail, NULL),
                        "not_found: Service cover.open not found.");
    assert_string_equal(fake_run(hass, 10000, demo_unknown, NULL),
                        "unknown_command: Unknown command.");
    hass_free(hass);
    hass = demo_hass(demo_link_with_token(demo, "wrong"));
    assert_string_equal(
        fake_run(hass, 10000, demo_unknown, NULL),
        "The demo home refused the access token: Invalid access token or password. Check HASS_TOKEN.");
    hass_free(hass);
    demo_free(demo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_demo)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
