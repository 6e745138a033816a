/* Configurations that are read with --entities: only the parts that can be checked are shown. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_configurations)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
