/* What comes to the Home Assistant client over a scripted link: changes, events, and messages that are wrong. */
#include "home/client_test.h"

/* ---- changes and events ---- */

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
    char text[256];
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
            "{'id':%u,'type':'event','event':{'event_type':'state_changed','data':{'entity_id':'light.hall','n':%d,'x':['lock.front']}}}",
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

static int client_get_long(haft_call *call, void *context)
{
    entity light;
    int status = client_get(call, &light);

    (void)context;
    if (status)
        return status;
    assert_string_equal(light.state, "on");
    assert_int_equal((int)entity_number(&light, "brightness", 0), 7);
    assert_null(entity_attribute(&light, "x"));
    assert_non_null(entity_text(&light, "attributes_omitted"));
    return 0;
}

static void test_deep_and_huge(void **state)
{
    struct hass *hass = client_begin(NULL);
    size_t n, size = 4 << 20;
    char *text = malloc(size + 1), *all = malloc(size + 256);

    (void)state;
    assert_non_null(text);
    assert_non_null(all);
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
    /* Of an entity that is too long, the short attributes are kept; it is usable. */
    memset(text, 'x', size);
    memcpy(text, "{'brightness':7,'x':'", 21);
    memcpy(text + size - 2, "'}", 2);
    fake_change(&fake, "light.kitchen", "on", text, "x");
    assert_string_equal(fake_run(hass, 5000, client_get_long, NULL), "");
    assert_int_equal(fake.n_opened, 2);
    snprintf(all, size + 256,
             "[{'entity_id':'sun.sun','state':'up'},"
             "{'entity_id':'light.kitchen','state':'on','attributes':%s}]",
             text);
    fake.states = all;
    fake_cut(&fake, "again");
    assert_string_equal(fake_run(hass, 5000, client_get_long, NULL), "");
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_int_equal(n, 2);
    assert_int_equal(fake.n_opened, 3);
    free(all);
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
        cmocka_unit_test(test_changes),   cmocka_unit_test(test_events),
        cmocka_unit_test(test_nonsense),  cmocka_unit_test(test_deep_and_huge),
        cmocka_unit_test(test_coalesced), cmocka_unit_test(test_no_registries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
