/* What is read with --entities: parts of configurations, and events.  Only what can be checked is shown. */
#include "home/fake_home.h"

#define LIGHT "{'action':'light.turn_on','target':{'entity_id':'light.hall'}}"

static const struct {
    const char *config, *expect; /* ' for " */
} hidden_rows[] = {
    {"{'id':'a1','alias':'Good','mode':'single','actions':[" LIGHT "]}", NULL},
    {"{'triggers':[{'trigger':'state','entity_id':'light.hall'}],'conditions':[]}", NULL},
    /* a code, an area, a device */
    {"{'actions':[{'action':'lock.unlock','data':{'entity_id':['lock.front'],'code':'9876'}}]}",
     "{'actions':['[hidden]']}"},
    {"{'actions':[{'action':'alarm_control_panel.alarm_disarm','target':{'entity_id':'alarm_control_panel.home'},"
     "'data':{'code':'1234'}}," LIGHT "]}",
     "{'actions':['[hidden]'," LIGHT "]}"},
    {"{'actions':[{'action':'light.turn_on','target':{'area_id':'vault','device_id':'abc'}}]}",
     "{'actions':['[hidden]']}"},
    {"{'actions':[{'action':'light.turn_on','target':{'entity_id':'light.hall','area_id':'vault'}}]}",
     "{'actions':['[hidden]']}"},
    {"{'actions':[{'action':'notify.x','data':{'message':'{{ states.lock.front.state }}'}}]}",
     "{'actions':['[hidden]']}"},
    {"{'actions':[{'type':'unlock','device_id':'abc','entity_id':'0123','domain':'lock'}]}",
     "{'actions':['[hidden]']}"},
    {"{'actions':[{'choose':[{'conditions':[],'sequence':[{'event':'x','event_data':{'code':1}}]}]}]}",
     "{'actions':['[hidden]']}"},
    {"{'triggers':[{'trigger':'mqtt','topic':'front'},{'trigger':'sun','event':'sunset'}]}",
     "{'triggers':['[hidden]',{'trigger':'sun','event':'sunset'}]}"},
    {"{'condition':{'condition':'device','device_id':'abc'}}", "{'condition':'[hidden]'}"},
    {"{'use_blueprint':{'path':'x.yaml','input':{'door':'lock.front'}}}",
     "{'use_blueprint':'[hidden]'}"},
    {"{'variables':{'door':'lock.front'}}", "{'variables':'[hidden]'}"},
    {"{'something':['new']}", "{'something':['[hidden]']}"},
    /* what people have written */
    {"{'description':'Locks lock.front at night'}", "{'description':'Locks [hidden] at night'}"},
};

static int hidden_read(haft_call *call, void *context)
{
    struct hass_answer answer;
    int status = hass_request(call, "GET", "/api/config/automation/config/a1", NULL, NULL, &answer);

    if (!status)
        snprintf(context, 512, "%s", answer.body);
    for (char *c = context; *c; c++)
        *c = *c == '"' ? '\'' : *c;
    return status;
}

static void test_configurations(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(hidden_rows); i++) {
        const char *expect = hidden_rows[i].expect ? hidden_rows[i].expect : hidden_rows[i].config;
        struct fake_home fake;
        struct hass *hass;
        char got[512] = "";

        fake_init(&fake);
        fake.answers[0] =
            (struct fake_answer){"/automation/config/a1", hidden_rows[i].config, 200, NULL};
        hass = fake_hass(&fake, "light.*,automation.*,-light.secret");
        assert_string_equal(fake_run(hass, 5000, hidden_read, got), "");
        if (strcmp(got, expect) != 0) {
            print_message("%s: %s\n", hidden_rows[i].config, got);
            wrong++;
        }
        hass_free(hass);
        fake_finish(&fake);
    }
    assert_int_equal(wrong, 0);
}

/* ---- events ---- */

/* Each is followed by one that is shown, so that what is left out need not be waited for. */
static const struct {
    const char *event; /* ' for " */
    bool shown;
} hidden_events[] = {
    {"'event_type':'state_changed','data':{'entity_id':'light.hall','x':['lock.front']}", true},
    {"'event_type':'state_changed','data':{'entity_id':'lock.front'}", false},
    {"'event_type':'custom','data':{'entity_id':'light.hall','code':1}", true},
    {"'event_type':'custom','data':{'entity_id':'light.hall','by':'lock.front','code':1}", false},
    {"'event_type':'custom','data':{'entity_id':['light.hall'],'code':1}", false},
    {"'event_type':'custom','data':{'entity_id':'light.secret'}", false},
    {"'event_type':'call_service','data':{'domain':'lock','service':'unlock'}", false},
    {"'event_type':'area_registry_updated','data':{'area_id':'vault'}", false},
    {"'event_type':'tag_scanned','data':{'tag_id':'x'}", false},
};

static struct fake_home hidden_home;

static int hidden_listen(haft_call *call, void *context)
{
    struct hass_events *events;
    haft_value *event;
    uint64_t dropped;
    char text[256];
    unsigned id;

    (void)context;
    assert_int_equal(hass_subscribe(call, "*", &events), 0);
    id = (unsigned)home_hass(call)->conn.next_id;
    for (size_t i = 0; i < COUNT_OF(hidden_events); i++) {
        snprintf(text, sizeof text, "{'id':%u,'type':'event','event':{%s}}", id,
                 hidden_events[i].event);
        fake_say(&hidden_home, text);
        snprintf(text, sizeof text,
                 "{'id':%u,'type':'event','event':{'n':1,'data':{'entity_id':'light.hall'}}}", id);
        fake_say(&hidden_home, text);
        for (int n = hidden_events[i].shown ? 0 : 1; n < 2; n++) {
            assert_int_equal(hass_next_event(call, events, 5000, &event, NULL), 0);
            if (!yyjson_obj_get(event, "n") != (n == 0))
                fail_msg("%s", hidden_events[i].event);
        }
    }
    /* How many hidden ones there were cannot be counted. */
    snprintf(text, sizeof text,
             "{'id':%u,'type':'event','event':{'data':{'entity_id':'lock.front'}}}", id);
    for (int i = 0; i < 300; i++)
        fake_say(&hidden_home, text);
    assert_int_equal(hass_next_event(call, events, 1, &event, &dropped), HASS_UNCHANGED);
    assert_int_equal(dropped, 0);
    hass_unsubscribe(call, events);
    return 0;
}

static void test_events(void **state)
{
    struct hass *hass;

    (void)state;
    fake_init(&hidden_home);
    hass = fake_hass(&hidden_home, "light.*,-light.secret");
    assert_string_equal(fake_run(hass, 5000, hidden_listen, NULL), "");
    hass_free(hass);
    fake_finish(&hidden_home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_configurations),
                                       cmocka_unit_test(test_events)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
