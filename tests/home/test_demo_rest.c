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

static void test_states(void **state)
{
    static const struct demo_rest_row rows[] = {
        {"GET", "/api/", NULL, 200, "{'message':'API running.'}"},
        {"GET", "/api/states/light.nope", NULL, 404, "{'message':'Entity not found.'}"},
        {"GET", "/api/states/light.hallway", NULL, 200,
         "{'entity_id':'light.hallway','state':'off','attributes':{'supported_color_modes':['brightness'],"
         "'color_mode':null,'brightness':null,'supported_features':32,'friendly_name':'Hallway'},"
         "'last_changed':'2026-11-16T06:00:00.000000+00:00','last_reported':'2026-11-16T06:00:00.000000+00:00',"
         "'last_updated':'2026-11-16T06:00:00.000000+00:00','context':{'id':'01M7HNXG00*','parent_id':null,'user_id':null}}"},
        {"POST", "/api/services/light/turn_on", "{'entity_id':'light.hallway','brightness':100}",
         200, "[" STATE("light.hallway", "on") "]"},
        {"GET", "/api/nothing", NULL, 404, "404: Not Found"},
        {"DELETE", "/api/states", NULL, 405, "405: Method Not Allowed"},
    };

    (void)state;
    demo_test_rest_rows(rows, COUNT_OF(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unauthorized),
        cmocka_unit_test(test_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
