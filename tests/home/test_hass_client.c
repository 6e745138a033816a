/* The Home Assistant client over a link that does as it is told: connecting, losing the connection,
 * deadlines, cancellation, and what comes that should not. */
#include <stdio.h>

#include "engine/call/call.h"
#include "home/fake_home.h"
#include "support/child.h"

static struct fake_home fake;

static struct hass *client_begin(const char *entities)
{
    fake_init(&fake);
    return fake_hass(&fake, entities);
}

static void client_end(struct hass *hass)
{
    hass_free(hass);
    fake_finish(&fake);
}

static void client_matches(const char *text, const char *pattern)
{
    if (!hf_glob_match(pattern, strlen(pattern), text))
        fail_msg("\"%s\" is not \"%s\"", text, pattern);
}

/* ---- what the handlers do ---- */

static int client_read(haft_call *call, void *context)
{
    struct hass_states states;
    int status = hass_states(call, &states);

    if (!status)
        *(size_t *)context = states.n;
    return status;
}

static int client_get(haft_call *call, void *context)
{
    return hass_state(call, "light.kitchen", context);
}

static int client_turn_on(haft_call *call, void *context)
{
    entity target;
    int status = hass_require(call, "light.kitchen", "light,group", &target);

    if (!status)
        status = hass_act(call, &target, "turn_on", NULL, &target);
    if (!status)
        snprintf(context, 32, "%s", target.state);
    return status;
}

static int client_command(haft_call *call, void *context)
{
    haft_value *value;

    return hass_command(call, context, NULL, NULL, &value);
}

static int client_get_json(haft_call *call, void *context)
{
    struct hass_answer answer;
    haft_value *value;
    int status = hass_request(call, "GET", context, NULL, NULL, &answer);

    return status ? status : hass_json(call, &answer, &value);
}

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
    assert_int_equal(hass_command(call, "lovelace/config", NULL, NULL, &value), 0);
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
        {"/addons/core_ssh/restart", true},
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
     "get_config",
     {"get_config",
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
     "Home Assistant at http://home.test:8123 cannot be reached: the connection was closed before the answer (it may have carried the request out)."},
    {client_get_json,
     "/api/states/lock.front",
     {NULL, NULL, 0, NULL},
     "light.*",
     "Entity not found: lock.front.*"},
    {client_get_json,
     "/api/states/lock%2Efront",
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
    int status = hass_request(call, "GET", "/api/logbook", NULL, NULL, &answer);

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

/* ---- the connection ---- */

/* Cut by each message in turn, also in the middle of the handshake: a service is called at most once, and
 * the client recovers. */
static void test_cut_everywhere(void **state)
{
    (void)state;
    for (unsigned nth = 1;; nth++) {
        struct hass *hass = client_begin(NULL);
        char got[32] = "";
        const char *error;
        bool was_cut;
        size_t n = 0;

        fake.cut_at = nth;
        error = fake_run(hass, 5000, client_turn_on, got);
        was_cut = fake.n_closed > 0;
        assert_true(fake_count(&fake, "call_service") <= 1);
        if (*error)
            client_matches(
                error, "The connection to Home Assistant was lost before it answered; it may have "
                       "carried the command out.");
        else
            assert_string_equal(got, "on");
        assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
        assert_int_equal(n, 22);
        /* Each connection has subscribed. */
        if (was_cut && nth > 3)
            assert_true(fake_count(&fake, "'event_type':'state_changed'") >= 2);
        client_end(hass);
        if (!was_cut)
            break;
        assert_true(nth < 100);
    }
}

static void test_unreachable(void **state)
{
    struct hass *hass = client_begin(NULL);
    int64_t start = milliseconds();
    char got[32];
    size_t n;

    (void)state;
    fake.never_opens = true;
    assert_string_equal(
        fake_run(hass, 5000, client_read, &n),
        "Home Assistant at http://home.test:8123 cannot be reached: connection refused.");
    assert_true(milliseconds() - start < 4000);
    assert_string_equal(
        fake_run(hass, 300, client_turn_on, got),
        "Home Assistant at http://home.test:8123 cannot be reached: connection refused.");
    assert_true(fake.n_opened > 3);
    fake.never_opens = false;
    assert_string_equal(fake_run(hass, 5000, client_turn_on, got), "");
    assert_string_equal(got, "on");
    client_end(hass);
}

/* What the cache had is not served while there is no connection. */
static void test_stale(void **state)
{
    struct hass *hass = client_begin(NULL);
    size_t n;

    (void)state;
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    fake.never_opens = true;
    fake_cut(&fake, "it went away");
    client_matches(fake_run(hass, 5000, client_read, &n), "* cannot be reached: *");
    fake.never_opens = false;
    fake.states = "[{'entity_id':'sun.sun','state':'up'}]";
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_int_equal(n, 1); /* entities that are gone are gone */
    client_end(hass);
}

static void test_refused_token(void **state)
{
    struct hass *hass = client_begin(NULL);
    size_t n;

    (void)state;
    fake.refuses_token = true;
    for (int i = 0; i < 3; i++)
        assert_string_equal(
            fake_run(hass, 5000, client_read, &n),
            "Home Assistant at http://home.test:8123 refused the access token: Invalid access token or "
            "password. Check HASS_TOKEN.");
    sleep_ms(50);
    assert_int_equal(fake.n_opened, 1); /* not in a loop */
    client_end(hass);
}

static int client_wait_a_bit(haft_call *call, void *context)
{
    unsigned *n = context;
    int64_t end = milliseconds() + 5000;

    for (;;) {
        unsigned opened;

        uv_mutex_lock(&fake.lock);
        opened = fake.n_opened;
        uv_mutex_unlock(&fake.lock);
        if (opened >= *n || milliseconds() > end)
            return opened >= *n ? 0 : haft_error(call, "not opened again");
        if (hass_sleep(call, 5))
            return HAFT_EFAIL;
    }
}

static void test_pings(void **state)
{
    static const struct hass_times times = {.idle = 20,
                                            .pong = 20,
                                            .handshake = 5000,
                                            .retry = 5,
                                            .max_retry = 40,
                                            .refused = 60000,
                                            .patience = 1500,
                                            .read_back = 100,
                                            .no_news = 20};
    struct hass_times slow = times;
    struct home_options options = {.url = "http://home.test:8123/"};
    struct hass *hass;
    haft_reason reason;
    unsigned opened = 2;
    size_t n;

    (void)state;
    slow.idle = 1000;
    fake_init(&fake);
    hass = hass_new_timed(&options, fake_link(&fake), &times, &reason);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    for (int i = 0; i < 10000 && fake_count(&fake, "'type':'ping'") < 2; i++)
        sleep_ms(1);
    assert_true(fake_count(&fake, "'type':'ping'") >= 2); /* answered */
    assert_int_equal(fake.n_opened, 1);
    hass_free(hass);
    fake_finish(&fake);

    fake_init(&fake); /* not while there is something else to hear */
    hass = hass_new_timed(&options, fake_link(&fake), &slow, &reason);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    for (int i = 0; i < 15; i++) {
        sleep_ms(100);
        fake_change(&fake, "light.hall", "on", "{}", "x");
    }
    assert_int_equal(fake_count(&fake, "'type':'ping'"), 0);
    hass_free(hass);
    fake_finish(&fake);

    fake_init(&fake);
    fake.answers[0] = (struct fake_answer){"\"ping\"", NULL, 0, NULL};
    hass = hass_new_timed(&options, fake_link(&fake), &times, &reason);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_string_equal(fake_run(hass, 10000, client_wait_a_bit, &opened), "");
    assert_true(fake_count(&fake, "'type':'ping'") >= 3);
    hass_free(hass);
    fake_finish(&fake);
}

/* A registry that changes is listed again. */
static int client_see_area(haft_call *call, void *context)
{
    int64_t end = milliseconds() + 5000;
    struct hass_areas areas;

    (void)context;
    do {
        if (hass_areas(call, &areas))
            return HAFT_EFAIL;
        if (areas.n == 1 && !strcmp(areas.at[0].name, "Cellar"))
            return 0;
        hass_sleep(call, 5);
    } while (milliseconds() < end);
    return haft_error(call, "no cellar");
}

/* Says that areas have changed. */
static void client_areas_changed(struct hass *hass)
{
    char text[256];
    uint64_t id;

    uv_mutex_lock(&hass->lock);
    id = hass->conn.jobs[JOB_WATCH_LISTS + HASS_AREAS];
    uv_mutex_unlock(&hass->lock);
    snprintf(text, sizeof text,
             "{'id':%u,'type':'event','event':{'event_type':'area_registry_updated'}}",
             (unsigned)id);
    fake_say(&fake, text);
}

static void test_registry_changes(void **state)
{
    struct hass *hass = client_begin(NULL);
    char text[128];
    uint64_t id;
    size_t n;

    (void)state;
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    fake.lists[HASS_AREAS] = "[{'area_id':'cellar','name':'Cellar'},{'name':'no id'},7]";
    client_areas_changed(hass);
    assert_string_equal(fake_run(hass, 5000, client_see_area, NULL), "");
    /* They change twice, the second time while they are being listed. */
    fake.answers[0] = (struct fake_answer){"config/area_registry/list", NULL, 0, NULL};
    client_areas_changed(hass);
    client_areas_changed(hass);
    fake.answers[0].when = NULL;
    uv_mutex_lock(&hass->lock);
    id = hass->conn.jobs[JOB_LISTS + HASS_AREAS];
    uv_mutex_unlock(&hass->lock);
    snprintf(text, sizeof text, "{'id':%u,'type':'result','success':true,'result':[]}",
             (unsigned)id);
    fake_say(&fake, text);
    assert_string_equal(fake_run(hass, 5000, client_see_area, NULL), "");
    assert_int_equal(fake_count(&fake, "config/area_registry/list"), 4);
    client_end(hass);
}

/* ---- waiting ---- */

static void test_deadlines(void **state)
{
    static const struct {
        fake_handler *handler;
        const char *what;
        struct fake_answer answer;
        const char *expect;
    } waits[] = {
        {client_read,
         NULL,
         {"get_states", NULL, 0, NULL},
         "* cannot be reached: it has not answered yet."},
        {client_command,
         "get_config",
         {"get_config", NULL, 0, NULL},
         "* did not answer within 0.* s."},
        {client_get_json,
         "/api/x",
         {"GET /api/x", NULL, 1, NULL},
         "* did not answer within 0.* s."},
        {client_turn_on, NULL, {"call_service", NULL, 0, NULL}, "* did not answer within 0.* s."},
    };
    char room[64];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(waits); i++) {
        struct hass *hass = client_begin(NULL);
        int64_t start = milliseconds();
        void *what = waits[i].what ? (void *)(uintptr_t)waits[i].what : room;

        fake.answers[0] = waits[i].answer;
        client_matches(fake_run(hass, 300, waits[i].handler, what), waits[i].expect);
        assert_true(milliseconds() - start < 3000);
        assert_true(milliseconds() - start >= 200);
        client_end(hass);
    }
}

/* Another thread cancels the call, as a session would. */
struct client_cancel {
    fake_handler *handler;
    void *what;
    haft_call *call;
    uv_sem_t begun;
};

static int client_cancelled(haft_call *call, void *context)
{
    struct client_cancel *cancel = context;
    int status;

    cancel->call = call;
    uv_sem_post(&cancel->begun);
    status = cancel->handler(call, cancel->what);
    assert_int_not_equal(status, 0);
    assert_true(haft_call_cancelled(call));
    atomic_store(&call->cancelled, false); /* so that the answer comes here */
    return status;
}

static void client_cancel(void *context)
{
    struct client_cancel *cancel = context;

    uv_sem_wait(&cancel->begun);
    sleep_ms(60);
    atomic_store(&cancel->call->cancelled, true);
}

static int client_long_sleep(haft_call *call, void *context)
{
    (void)context;
    return hass_sleep(call, 20000);
}

static int client_long_wait(haft_call *call, void *context)
{
    entity light;

    (void)context;
    assert_int_equal(hass_state(call, "light.kitchen", &light), 0);
    return hass_wait_change(call, "light.kitchen", hass_changes(call, "light.kitchen"), 0);
}

static void test_cancel(void **state)
{
    static const struct {
        fake_handler *handler;
        const char *what;
        struct fake_answer answer;
    } waits[] = {
        {client_read, NULL, {"get_states", NULL, 0, NULL}},
        {client_command, "get_config", {"get_config", NULL, 0, NULL}},
        {client_get_json, "/api/x", {"GET /api/x", NULL, 1, NULL}},
        {client_turn_on, NULL, {"call_service", NULL, 0, NULL}},
        {client_long_sleep, NULL, {NULL, NULL, 0, NULL}},
        {client_long_wait, NULL, {NULL, NULL, 0, NULL}},
    };
    char room[64];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(waits); i++) {
        struct hass *hass = client_begin(NULL);
        struct client_cancel cancel = {.handler = waits[i].handler,
                                       .what =
                                           waits[i].what ? (void *)(uintptr_t)waits[i].what : room};
        int64_t start = milliseconds();
        uv_thread_t thread;

        fake.answers[0] = waits[i].answer;
        assert_int_equal(uv_sem_init(&cancel.begun, 0), 0);
        assert_int_equal(uv_thread_create(&thread, client_cancel, &cancel), 0);
        client_matches(fake_run(hass, 30000, client_cancelled, &cancel), "*cancelled*");
        uv_thread_join(&thread);
        assert_true(milliseconds() - start < 3000);
        uv_sem_destroy(&cancel.begun);
        client_end(hass);
    }
}

static void client_change_soon(void *context)
{
    (void)context;
    sleep_ms(30);
    fake_change(&fake, "light.hall", "off", "{}", "x");
    fake_change(&fake, "light.kitchen", "on", "{}", "x");
}

static int client_watch(haft_call *call, void *context)
{
    uint64_t before = hass_changes(call, "light.kitchen");
    uv_thread_t thread;
    entity light;
    int status;

    (void)context;
    assert_int_equal(hass_state(call, "light.kitchen", &light), 0);
    before = hass_changes(call, "light.kitchen");
    assert_int_equal(hass_wait_change(call, "light.kitchen", before, 20), HASS_UNCHANGED);
    assert_int_equal(uv_thread_create(&thread, client_change_soon, NULL), 0);
    status = hass_wait_change(call, "light.kitchen", before, 5000);
    uv_thread_join(&thread);
    assert_int_equal(hass_state(call, "light.kitchen", &light), 0);
    assert_string_equal(light.state, "on");
    fake_change(&fake, "light.kitchen", NULL, "", "");
    assert_int_equal(hass_changes(call, "light.kitchen"), 0);
    return status;
}

static _Atomic(unsigned) client_n_changed;

static void client_on_change(void *context, const char *entity_id)
{
    (void)context;
    client_n_changed += !strcmp(entity_id, "light.kitchen");
    assert_string_not_equal(entity_id, "lock.front");
}

static void test_changes(void **state)
{
    struct hass *hass = client_begin("light.*");

    (void)state;
    client_n_changed = 0;
    hass_watch(hass, client_on_change, NULL);
    assert_string_equal(fake_run(hass, 10000, client_watch, NULL), "");
    fake_change(&fake, "lock.front", "unlocked", "{}", "x");
    assert_int_equal(client_n_changed, 2);
    client_end(hass);
}

/* Waits until the client has sent a text so often: it renews subscriptions on a thread of its own. */
static void client_await_asked(const char *text, size_t n)
{
    for (int i = 0; i < 10000 && fake_count(&fake, text) < n; i++)
        uv_sleep(1);
    assert_int_equal(fake_count(&fake, text), n);
}

static int client_listen(haft_call *call, void *context)
{
    struct hass_events *events;
    haft_value *event;
    uint64_t dropped;
    entity light;
    char text[128];
    uint64_t id;

    (void)context;
    assert_int_equal(hass_subscribe(call, "call_service", &events), 0);
    assert_int_equal(hass_next_event(call, events, 20, &event, NULL), HASS_UNCHANGED);
    for (int i = 0; i < 2; i++) { /* the second time after the connection was lost */
        id = home_hass(call)->conn.next_id;
        snprintf(text, sizeof text,
                 "{'id':%u,'type':'event','event':{'data':{'entity_id':'lock.front'}}}",
                 (unsigned)id);
        fake_say(&fake, text);
        /* What can reveal a hidden entity, or its code, does not come either. */
        snprintf(text, sizeof text,
                 "{'id':%u,'type':'event','event':{'data':{'domain':'lock','service_data':{"
                 "'entity_id':['lock.front'],'code':'1234'}}}}",
                 (unsigned)id);
        fake_say(&fake, text);
        snprintf(
            text, sizeof text,
            "{'id':%u,'type':'event','event':{'data':{'entity_id':'light.hall','n':%d,'x':['lock.front']}}}",
            (unsigned)id, i);
        fake_say(&fake, text);
        assert_int_equal(hass_next_event(call, events, 5000, &event, NULL), 0);
        event = yyjson_obj_get(event, "data");
        assert_int_equal(yyjson_get_int(yyjson_obj_get(event, "n")), i);
        assert_int_equal(yyjson_arr_size(yyjson_obj_get(event, "x")), 0);
        fake_cut(&fake, "again");
        assert_int_equal(hass_state(call, "light.hall", &light), 0);
        client_await_asked("'event_type':'call_service'", (size_t)i + 2);
    }
    id = home_hass(call)->conn.next_id;
    snprintf(text, sizeof text,
             "{'id':%u,'type':'event','event':{'data':{'entity_id':'light.hall'}}}", (unsigned)id);
    for (int i = 0; i < 300; i++)
        fake_say(&fake, text);
    assert_int_equal(hass_next_event(call, events, 5000, &event, &dropped), 0);
    assert_int_equal(dropped, 44);
    hass_unsubscribe(call, events);
    assert_true(fake_was_asked(&fake, "unsubscribe_events"));
    return 0;
}

static int client_listen_in_vain(haft_call *call, void *context)
{
    struct hass_events *events;
    haft_value *event;
    int status = hass_subscribe(call, context, &events);

    if (!status)
        status = hass_next_event(call, events, 5000, &event, NULL);
    hass_unsubscribe(call, events);
    return status;
}

static void test_events(void **state)
{
    struct hass *hass = client_begin("light.*");

    (void)state;
    assert_string_equal(fake_run(hass, 10000, client_listen, NULL), "");
    fake.answers[0] = (struct fake_answer){
        "secret_event",
        "{'id':#,'type':'result','success':false,'error':{'code':'unauthorized','message':'Unauthorized'}}",
        0, NULL};
    assert_string_equal(fake_run(hass, 10000, client_listen_in_vain, "secret_event"),
                        "unauthorized: Unauthorized");
    client_end(hass);
}

/* ---- what comes that should not ---- */

static void test_nonsense(void **state)
{
    static const char *const messages[] = {
        "{",
        "",
        "\xff",
        "[[[[[[",
        "7",
        "null",
        "[]",
        "{}",
        "'x'",
        "[7,[],{},'x',null]",
        "{'type':7}",
        "{'type':'event'}",
        "{'id':-1,'type':'event','event':7}",
        "{'id':2,'type':'event','event':{'data':7}}",
        "{'id':2,'type':'event','event':{'data':{'entity_id':7,'new_state':{}}}}",
        "{'id':2,'type':'event','event':{'data':{'entity_id':'light.kitchen','new_state':{}}}}",
        "{'id':2,'type':'event','event':{'data':{'entity_id':'light.kitchen','new_state':{'entity_id':'light.kitchen','state':7}}}}",
        "{'id':2,'type':'event','event':{'data':{'entity_id':'light.kitchen','new_state':{'entity_id':'Light Kitchen','state':'x'}}}}",
        "{'id':2,'type':'event','event':{'data':{'entity_id':'light.kitchen','new_state':{'entity_id':'light.kitchen','state':'x','attributes':[]}}}}",
        "{'id':2,'type':'event','event':{'data':{'entity_id':'light.kitchen','new_state':7}}}",
        "{'id':18446744073709551616,'type':'result','success':true}",
        "{'id':1e3,'type':'result'}",
        "{'type':'auth_ok'}",
        "{'type':'auth_required'}",
        "{'id':99,'type':'result','success':true,'result':null}",
        "{'id':4,'type':'event','event':null}",
        "{'id':9,'type':'result','success':true,'result':{'not':'an array'}}",
        "{'id':13,'type':'result','success':true,'result':'not an array'}",
        "{'id':0,'type':'event'}",
        "{'type':'pong'}",
    };
    struct hass *hass = client_begin(NULL);
    entity light;
    size_t n;

    (void)state;
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        fake_say(&fake, messages[i]);
        assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
        assert_int_equal(n, 22);
    }
    assert_string_equal(fake_run(hass, 5000, client_get, &light), "");
    client_end(hass);
}

static void test_deep_and_huge(void **state)
{
    struct hass *hass = client_begin(NULL);
    size_t n, size = 4 << 20;
    char *text = malloc(size + 1);

    (void)state;
    assert_non_null(text);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    memset(text, '[', size);
    text[size] = '\0';
    fake_say(&fake, text);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_int_equal(fake.n_opened, 2);
    memset(text, ' ', size);
    memcpy(text, "{'type':'x','y':'", 17);
    memcpy(text + size - 2, "'}", 2);
    fake_say(&fake, text);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_int_equal(fake.n_opened, 2);
    /* A state that is too long is not taken for what was there before. */
    memset(text, 'x', size);
    memcpy(text, "{'x':'", 6);
    memcpy(text + size - 2, "'}", 2);
    fake_change(&fake, "light.kitchen", "on", text, "x");
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_int_equal(fake.n_opened, 3);
    free(text);
    client_end(hass);
}

static void test_coalesced(void **state)
{
    struct hass *hass;
    char got[32];

    (void)state;
    fake_init(&fake);
    fake.coalesces = true;
    hass = fake_hass(&fake, NULL);
    assert_string_equal(fake_run(hass, 5000, client_turn_on, got), "");
    assert_string_equal(got, "on");
    client_end(hass);
}

static void test_no_registries(void **state)
{
    static const char refused[] =
        "{'id':#,'type':'result','success':false,'error':{'code':'unauthorized','message':'Unauthorized'}}";
    struct hass *hass;
    size_t n;

    (void)state;
    fake_init(&fake);
    fake.answers[0] = (struct fake_answer){"_registry", refused, 0, NULL};
    hass = fake_hass(&fake, NULL);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_int_equal(n, 22);
    client_end(hass);

    fake_init(&fake);
    fake.answers[0] = (struct fake_answer){"get_states", refused, 0, NULL};
    hass = fake_hass(&fake, NULL);
    client_matches(fake_run(hass, 5000, client_read, &n), "* cannot be reached: Unauthorized.");
    client_end(hass);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_supervisor),
        cmocka_unit_test(test_empty_filter),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_redacted_bodies),
        cmocka_unit_test(test_act),
        cmocka_unit_test(test_act_late),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_cut_everywhere),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_refused_token),
        cmocka_unit_test(test_pings),
        cmocka_unit_test(test_registry_changes),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_deep_and_huge),
        cmocka_unit_test(test_coalesced),
        cmocka_unit_test(test_no_registries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
