/* The Home Assistant client over a scripted link: states, the filter, commands, requests and services. */
#include "home/client_test.h"

/* ---- reading ---- */

static int client_look(haft_call *call, void *context)
{
    struct hass_states states;
    struct hass_areas areas;
    struct hass_area area;
    entity light;

    (void)context;
    assert_int_equal(hass_states(call, &states), 0);
    assert_int_equal(states.n, 22);
    for (size_t i = 1; i < states.n; i++)
        assert_true(strcmp(states.at[i - 1].entity_id, states.at[i].entity_id) < 0);
    assert_int_equal(hass_state(call, " Light.Kitchen", &light), 0);
    assert_string_equal(light.entity_id, "light.kitchen");
    assert_string_equal(light.state, "off");
    assert_string_equal(light.domain, "light");
    assert_string_equal(light.name, "Kitchen Light");
    assert_true(light.has_area);
    assert_string_equal(light.area, "Kitchen");
    assert_string_equal(light.last_changed, "2026-11-16T08:00:00+00:00");
    assert_int_equal(light.n_attributes, 4);
    assert_true(entity_supports(&light, 4));
    assert_false(entity_supports(&light, 16));
    assert_true(entity_lists(&light, "effect_list", "rainbow"));
    assert_false(entity_lists(&light, "effect_list", "fire"));
    assert_null(entity_text(&light, "brightness"));
    assert_true(entity_number(&light, "brightness", 3) == 3);
    assert_null(entity_attribute(&light, "none"));
    assert_int_equal(hass_state(call, "lock.front", &light), 0);
    assert_string_equal(light.name, "Front"); /* of the registry */
    assert_int_equal(hass_state(call, "light.hall", &light), 0);
    assert_string_equal(light.area, "Hall"); /* of its device */
    assert_int_equal(hass_state(call, "scene.day", &light), 0);
    assert_false(light.has_area);
    assert_int_equal(hass_areas(call, &areas), 0);
    assert_int_equal(areas.n, 3);
    assert_int_equal(hass_area(call, "cooking", &area), 0);
    assert_string_equal(area.id, "kitchen");
    assert_string_equal(area.floor, "Ground Floor");
    assert_int_equal(hass_area_of(call, "light.hall", &area), 0);
    assert_string_equal(area.name, "Hall");
    assert_int_equal(hass_area_of(call, "scene.day", &area), 0);
    assert_null(area.id);
    return 0;
}

static void test_read(void **state)
{
    struct hass *hass = client_begin(NULL);

    (void)state;
    assert_int_equal(fake.n_opened, 0); /* lazily */
    assert_string_equal(fake_run(hass, 5000, client_look, NULL), "");
    assert_int_equal(fake.n_opened, 1);
    assert_true(fake_was_asked(&fake, "'coalesce_messages':1"));
    client_end(hass);
}

static int client_look_filtered(haft_call *call, void *context)
{
    struct hass_states states;
    struct hass_areas areas;
    struct hass_area area;
    haft_value *value;
    entity light;

    (void)context;
    assert_int_equal(hass_states(call, &states), 0);
    assert_int_equal(states.n, 6);
    assert_int_equal(hass_state(call, "light.all", &light), 0);
    value = entity_attribute(&light, "entity_id");
    assert_int_equal(yyjson_arr_size(value), 1); /* the other is hidden */
    assert_int_equal(hass_areas(call, &areas), 0);
    assert_int_equal(areas.n, 2);
    assert_true(hass_sees(call, "LIGHT.hall"));
    assert_false(hass_sees(call, "lock.front"));
    assert_int_equal(hass_area_of(call, "lock.front", &area), 0);
    assert_null(area.id);
    assert_int_equal(hass_command(call, "hacs/repositories/list", NULL, NULL, &value), 0);
    assert_int_equal(yyjson_arr_size(yyjson_obj_get(value, "seen")), 1);
    assert_int_equal(hass_changes(call, "lock.front"), 0);
    return 0;
}

static int client_find_hidden(haft_call *call, void *context)
{
    entity light;

    return hass_state(call, context, &light);
}

static int client_supervise(haft_call *call, void *context)
{
    haft_value *value;
    char *fields =
        haft_call_printf(call, "{'endpoint':'%s','method':'get'}", (const char *)context);

    return hass_command(call, "supervisor/api", fake_json(call, fields), NULL, &value);
}

static void test_supervisor(void **state)
{
    static const struct {
        const char *endpoint;
        bool allowed;
    } rows[] = {
        {"/addons", true},
        {"/addons/core_ssh/info", true},
        {"/addons/core_ssh/restart", false},
        {"/addons/core_ssh/stats/info", false},
        {"/store", false},
        {"/core/api/states", false},
        {"/core/restart", false},
        {"/addons/core_ssh/stdin", false},
        {"/addons/../core/info", false},
        {"/addons/%2e%2e/core/api/info", false},
        {"/addons/x/api/info", false},
    };
    struct hass *hass = client_begin("light.*");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *error =
            fake_run(hass, 5000, client_supervise, (void *)(uintptr_t)rows[i].endpoint);

        if (!*error != rows[i].allowed)
            fail_msg("%s: %s", rows[i].endpoint, error);
    }
    client_end(hass);
}

/* A filter without a pattern shows nothing. */
static void test_empty_filter(void **state)
{
    struct hass *hass = client_begin("");
    size_t n = 7;

    (void)state;
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_int_equal(n, 0);
    client_end(hass);
}

static int client_find_area(haft_call *call, void *context)
{
    struct hass_area area;

    return hass_area(call, context, &area);
}

/* Texts for what is hidden and for what does not exist are the same. */
static void test_filter(void **state)
{
    struct hass *hass = client_begin("light.*,-light.secret");

    (void)state;
    assert_string_equal(fake_run(hass, 5000, client_look_filtered, NULL), "");
    assert_string_equal(fake_run(hass, 5000, client_find_hidden, "light.secret"),
                        "Entity not found: light.secret. Similar: light.nested.");
    assert_string_equal(fake_run(hass, 5000, client_find_hidden, "light.secreu"),
                        "Entity not found: light.secreu. Similar: light.nested.");
    assert_string_equal(fake_run(hass, 5000, client_find_hidden, "light.halk"),
                        "Entity not found: light.halk. Similar: light.hall.");
    client_matches(fake_run(hass, 5000, client_find_hidden, "kitchen"),
                   "Invalid entity id: \"kitchen\".*");
    assert_string_equal(fake_run(hass, 5000, client_find_area, "Vault"),
                        "Area not found: Vault. Areas: Hall, Kitchen.");
    assert_string_equal(fake_run(hass, 5000, client_find_area, "Cellar"),
                        "Area not found: Cellar. Areas: Hall, Kitchen.");
    client_end(hass);
}

/* ---- commands and requests ---- */

static const struct {
    fake_handler *handler;
    const char *what;
    struct fake_answer answer;
    const char *entities, *expect;
} client_rows[] = {
    {client_command, "get_config", {NULL, NULL, 0, NULL}, NULL, ""},
    {client_command,
     "nope",
     {"nope",
      "{'id':#,'type':'result','success':false,'error':{'code':'unknown_command','message':'Unknown command.'}}",
      0, NULL},
     NULL,
     "unknown_command: Unknown command."},
    {client_command,
     "get_config",
     {"get_config", "{'id':#,'type':'result','success':false,'error':7}", 0, NULL},
     NULL,
     "unknown_error: Home Assistant gave no reason."},
    {client_command,
     "hacs/repositories/list",
     {"hacs/repositories/list",
      "{'id':#,'type':'result','success':false,'error':{'code':'x','message':'lock.front is open'}}",
      0, NULL},
     "light.*",
     "x: [hidden] is open"},
    {client_command,
     "call_service",
     {NULL, NULL, 0, NULL},
     "light.*",
     "call_service is refused: *"},
    {client_command,
     "render_template",
     {NULL, NULL, 0, NULL},
     "light.*",
     "render_template is refused: *"},
    {client_command,
     "config/entity_registry/update",
     {NULL, NULL, 0, NULL},
     "light.*",
     "config/* is refused: *"},
    {client_command, "get_config", {NULL, NULL, 0, NULL}, "light.*", "get_config is refused: *"},
    {client_command,
     "hacs/repository/download",
     {NULL, NULL, 0, NULL},
     "light.*",
     "hacs/repository/download is refused: *"},
    {client_command,
     "trace/list",
     {NULL, NULL, 0, NULL},
     "light.*",
     "A list of all traces is refused: *"},
    {client_command,
     "supervisor/api",
     {NULL, NULL, 0, NULL},
     "light.*",
     "supervisor/api is refused: *"},
    {client_command,
     "get_config",
     {"get_config",
      "{'id':#,'type':'result','success':false,'error':{'code':'x','message':'got s3cret-token or "
      "s3cret-token'}}",
      0, NULL},
     NULL,
     "x: got ???????????? or ????????????"},
    {client_get_json, "/api/config", {"/api/config", "{'a':1}", 200, NULL}, NULL, ""},
    {client_get_json,
     "/api/x",
     {NULL, NULL, 0, NULL},
     NULL,
     "Home Assistant answered GET /api/x with 404: 404: Not Found"},
    {client_get_json,
     "/api/states/light.x",
     {"/api/states", "{'message':'Entity not found.'}", 404, NULL},
     NULL,
     "Home Assistant answered GET /api/states/light.x with 404: Entity not found."},
    {client_get_json,
     "/api/config",
     {"/api/config", "{'a':", 200, NULL},
     NULL,
     "Home Assistant sent JSON that is not valid: *"},
    {client_get_json,
     "/api/config",
     {"/api/config", "", 401, NULL},
     NULL,
     "* refused the access token: *"},
    {client_get_json,
     "/api/config",
     {"/api/config", "x", 0, NULL},
     NULL,
     "Home Assistant at http://home.test:8123 cannot be reached: the connection was closed before the answer."},
    {client_post,
     "/api/events/x",
     {"/api/events/x", "x", 0, NULL},
     NULL,
     "Home Assistant at http://home.test:8123 cannot be reached: the connection was closed before the answer (it may have carried the request out)."},
    {client_get_json,
     "/api/camera_proxy/lock.front",
     {NULL, NULL, 0, NULL},
     "light.*",
     "Entity not found: lock.front.*"},
    {client_get_json,
     "/api/camera_proxy/lock%2Efront",
     {NULL, NULL, 0, NULL},
     "light.*",
     "Entity not found: lock.front.*"},
    {client_get_json,
     "/api/history/period",
     {NULL, NULL, 0, NULL},
     "light.*",
     "This request is refused: *"},
    {client_get_json,
     "/api/history/period?filter_entity_id=light.hall,LOCK.front",
     {NULL, NULL, 0, NULL},
     "light.*",
     "Entity not found: LOCK.front.*"},
    {client_get_json,
     "/api/history/period?filter_entity_id=light.hall,loc%E2%84%AA.front",
     {NULL, NULL, 0, NULL},
     "light.*",
     "Entity not found: loc\xE2\x84\xAA.front.*"},
    {client_get_json,
     "/api/logbook",
     {NULL, NULL, 0, NULL},
     "light.*",
     "This request is refused: *"},
    {client_get_json,
     "/api/config/automation/config/x%2Fa1",
     {"/automation/config/", "{}", 200, NULL},
     "automation.good",
     "Resource not found: automation x/a1."},
    {client_get_json,
     "/api/conf%69g/automation/config/a1",
     {"/automation/config/", "{}", 200, NULL},
     "automation.good",
     "This request is refused: *"},
    {client_get_json,
     "/api/config/automation/config/a1",
     {"config/a1", "lock.front", 200, "text/plain"},
     "automation.good",
     "Home Assistant did not send a configuration."},
    {client_get_json,
     "/api/template",
     {NULL, NULL, 0, NULL},
     "light.*",
     "This request is refused: *"},
    {client_get_json,
     "/api/states/../services/lock/unlock",
     {NULL, NULL, 0, NULL},
     "light.*",
     "This request is refused: *"},
    {client_get_json,
     "/api/config/automation/config/a1",
     {NULL, NULL, 0, NULL},
     "light.*",
     "Resource not found: automation a1."},
    {client_get_json,
     "/api/config/automation/config/a1",
     {"config/a1", "{}", 200, NULL},
     "automation.good",
     ""},
};

static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(client_rows); i++) {
        struct hass *hass = client_begin(client_rows[i].entities);
        const char *text;

        fake.answers[0] = client_rows[i].answer;
        text = fake_run(hass, 5000, client_rows[i].handler, (void *)(uintptr_t)client_rows[i].what);
        if (!hf_glob_match(client_rows[i].expect, strlen(client_rows[i].expect), text))
            fail_msg("row %zu, %s: \"%s\"", i, client_rows[i].what, text);
        client_end(hass);
    }
}

static int client_read_history(haft_call *call, void *context)
{
    struct hass_answer answer;
    int status = hass_request(call, "GET", "/api/logbook?entity=light.hall", NULL, NULL, &answer);

    if (!status)
        snprintf(context, 256, "%s", answer.body);
    return status;
}

static void test_redacted_bodies(void **state)
{
    static const struct {
        const char *body, *type, *expect;
    } bodies[] = {
        {"[{'entity_id':'light.hall'},{'entity_id':'lock.front','name':'Front'}]", NULL,
         "[{\"entity_id\":\"light.hall\"}]"},
        {"[[{'entity_id':'lock.front','state':'x'}],[{'entity_id':'light.hall'}]]", NULL,
         "[[],[{\"entity_id\":\"light.hall\"}]]"},
        {"[{'message':'by Lock.Front now','name':'x'}]", NULL,
         "[{\"message\":\"by [hidden] now\",\"name\":\"x\"}]"},
        {"{'lock.front':[1],'light.hall':[2]}", NULL, "{\"light.hall\":[2]}"},
        {"[{'name':'Front opened','context_entity_id':'lock.front'}]", NULL, "[]"},
        {"{'action':'light.turn_on','entities':['lock.front','light.hall']}", NULL,
         "{\"action\":\"light.turn_on\",\"entities\":[\"light.hall\"]}"},
        {"{'service':'lock.unlock'}", NULL, "{\"service\":\"lock.unlock\"}"},
        {"{'action':'lock.front'}", NULL, "{}"},
        {"{'t':'{{ states.lock.front.state }}'}", NULL, "{\"t\":\"{{ states.[hidden].state }}\"}"},
        {"2026 ERROR lock.front: lock.old failed at example.com light.hall.", "text/plain",
         "2026 ERROR [hidden]: [hidden] failed at example.com light.hall."},
        {"{'entity_id':'lock.front'}", NULL, "null"},
        {"not JSON lock.front", "application/json", "not JSON [hidden]"},
        {"by loc\xE2\x84\xAA.front", "text/plain", "by [hidden]"},
        {"browser_mod.old alert.old", "text/plain", "browser_mod.old [hidden]"},
        /* what belongs to a service for hidden entities, or for some that are */
        {"{'a':1,'data':{'entity_id':['lock.front'],'code':'1234'}}", NULL, "{\"a\":1}"},
        {"[{'entity_id':['lock.front','lock.back'],'code':'1234'},7]", NULL, "[7]"},
        {"{'entity_id':['lock.front','light.hall'],'code':'1234','pin':1,'x':2}", NULL,
         "{\"entity_id\":[\"light.hall\"],\"x\":2}"},
        {"[{'entity_id':'light.hall','code':'1234','x':'lock.front'},{'code':1},'lock.front']",
         NULL, "[{\"entity_id\":\"light.hall\"},{\"code\":1}]"},
        {"[{'type':'tile','entity':'lock.front','name':'Front'}]", NULL, "[]"},
        {"{'attributes':{'entity_id':['lock.front'],'brightness':7}}", NULL,
         "{\"attributes\":{\"entity_id\":[],\"brightness\":7}}"},
    };
    char got[256];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct hass *hass = client_begin("light.*,-light.secret");

        fake.answers[0] = (struct fake_answer){"/api/logbook", bodies[i].body, 200, bodies[i].type};
        assert_string_equal(fake_run(hass, 5000, client_read_history, got), "");
        assert_string_equal(got, bodies[i].expect);
        client_end(hass);
    }
}

/* ---- services ---- */

static void test_act(void **state)
{
    static const struct {
        fake_handler *handler;
        struct fake_answer answer;
        const char *expect, *state;
    } acts[] = {
        {client_turn_on, {NULL, NULL, 0, NULL}, "", "on"},
        {client_turn_on,
         {"call_service",
          "{'id':#,'type':'result','success':false,'error':{'code':'not_found','message':'Service light.turn_on not found.'}}",
          0, NULL},
         "not_found: Service light.turn_on not found.",
         ""},
        /* Nothing changes although it should: the state is as it is. */
        {client_turn_on,
         {"call_service",
          "{'id':#,'type':'result','success':true,'result':{'context':{'id':'c'},'response':null}}",
          0, NULL},
         "",
         "off"},
        {client_turn_on,
         {"call_service", "{'id':#,'type':'result','success':true,'result':[7]}", 0, NULL},
         "",
         "off"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(acts); i++) {
        struct hass *hass = client_begin(NULL);
        char got[32] = "";

        fake.answers[0] = acts[i].answer;
        assert_string_equal(fake_run(hass, 5000, acts[i].handler, got), acts[i].expect);
        assert_string_equal(got, acts[i].state);
        assert_int_equal(fake_count(&fake, "call_service"), 1);
        client_end(hass);
    }
}

static void client_change_late(void *context)
{
    (void)context;
    while (!fake_was_asked(&fake, "call_service"))
        sleep_ms(1);
    sleep_ms(50);
    fake_change(&fake, "light.kitchen", "on", "{}", "c");
}

/* The state changes after the answer, as with a slow device: it is waited for. */
static void test_act_late(void **state)
{
    struct hass *hass = client_begin(NULL);
    uv_thread_t thread;
    char got[32] = "";

    (void)state;
    fake.answers[0] = (struct fake_answer){
        "call_service", "{'id':#,'type':'result','success':true,'result':{'context':{'id':'c'}}}",
        0, NULL};
    assert_int_equal(uv_thread_create(&thread, client_change_late, NULL), 0);
    assert_string_equal(fake_run(hass, 5000, client_turn_on, got), "");
    uv_thread_join(&thread);
    assert_string_equal(got, "on");
    client_end(hass);
}

static int client_switch_several(haft_call *call, void *context)
{
    char *data = fake_json(call, "{'entity_id':['light.hall','lock.front']}");
    struct hass_states changed;
    haft_value *response;
    entity light;

    (void)context;
    assert_int_equal(hass_call(call,
                               &(struct hass_service){.domain = "light",
                                                      .service = "turn_off",
                                                      .data = data,
                                                      .wants_response = true},
                               &changed, &response),
                     0);
    assert_int_equal(changed.n, 1);
    assert_string_equal(changed.at[0].entity_id, "light.hall");
    assert_string_equal(changed.at[0].state, "off");
    assert_int_equal(yyjson_obj_size(response), 2);
    assert_true(fake_was_asked(&fake, "'return_response':true"));
    assert_int_equal(hass_state(call, "light.broken", &light), 0);
    return hass_act(call, &light, "turn_on", NULL, &light);
}

static int client_wrong_domain(haft_call *call, void *context)
{
    entity light;

    (void)context;
    return hass_require(call, "lock.front", "light,switch", &light);
}

static void test_call(void **state)
{
    struct hass *hass = client_begin(NULL);

    (void)state;
    client_matches(fake_run(hass, 5000, client_switch_several, NULL),
                   "light.broken is unavailable: *");
    assert_string_equal(fake_run(hass, 5000, client_wrong_domain, NULL),
                        "lock.front has the domain lock; this tool works with: light,switch.");
    client_end(hass);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),       cmocka_unit_test(test_filter),
        cmocka_unit_test(test_supervisor), cmocka_unit_test(test_empty_filter),
        cmocka_unit_test(test_answers),    cmocka_unit_test(test_redacted_bodies),
        cmocka_unit_test(test_act),        cmocka_unit_test(test_act_late),
        cmocka_unit_test(test_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
