/* May a service reach only visible entities?  One table. */
#include "home/fake_home.h"

#include "hass/filter.h"
#include "hass/decide.h"

#define FILTER                                                                                     \
    "light.*,switch.pump,scene.*,script.*,automation.*,group.*,media_player.*,tts.*,-*secret,-lock.*"

struct reach_row {
    const char *service, *data; /* "!" before a service without a target; ' for " */
    /* "= DATA": what is sent; otherwise the text of the error, with * at its end for anything */
    const char *expect;
};

#define ENTITY(id) "Entity not found: " id "*"
#define REFUSED(what)                                                                              \
    what " is refused: it cannot be limited to the entities that this server may use (--entities)."

static const struct reach_row rows[] = {
    /* entities that are named */
    {"light.turn_on", "{'entity_id':'light.kitchen'}", "= {'entity_id':['light.kitchen']}"},
    {"light.turn_on", "{'entity_id':['light.kitchen','light.hall']}",
     "= {'entity_id':['light.hall','light.kitchen']}"},
    {"light.turn_on", "{'entity_id':'light.kitchen, light.hall'}",
     "= {'entity_id':['light.hall','light.kitchen']}"},
    {"light.turn_on", "{'entity_id':' LIGHT.Kitchen '}", "= {'entity_id':['light.kitchen']}"},
    {"light.turn_on", "{'entity_id':'light.kitchen,light.kitchen'}",
     "= {'entity_id':['light.kitchen']}"},
    {"light.turn_on", "{'entity_id':'light.kitchen','brightness':5}",
     "= {'entity_id':['light.kitchen'],'brightness':5}"},
    {"light.turn_on", "{'entity_id':'light.secret'}", ENTITY("light.secret")},
    {"light.turn_on", "{'entity_id':'light.nope'}", ENTITY("light.nope")},
    {"light.turn_on", "{'entity_id':'LIGHT.SECRET'}", ENTITY("light.secret")},
    {"light.turn_on", "{'entity_id':'light.kitchen,light.secret'}", ENTITY("light.secret")},
    {"light.turn_on", "{'entity_id':['light.kitchen',' light.secret ']}", ENTITY("light.secret")},
    {"lock.unlock", "{'entity_id':'lock.front'}", ENTITY("lock.front")},
    {"light.turn_on", "{'entity_id':5}", "\"entity_id\" must be a string or an array of strings."},
    {"light.turn_on", "{'entity_id':{'x':1}}",
     "\"entity_id\" must be a string or an array of strings."},
    {"light.turn_on", "{'entity_id':[['light.secret']]}",
     "\"entity_id\" must be a string or an array of strings."},
    {"light.turn_on", "{'entity_id':'switch.pump'}", REFUSED("switch.pump")},
    /* all, none */
    {"light.turn_off", "{'entity_id':'all'}",
     "= {'entity_id':['light.both','light.broken','light.hall','light.kitchen']}"},
    {"light.turn_off", "{'entity_id':'ALL'}",
     "= {'entity_id':['light.both','light.broken','light.hall','light.kitchen']}"},
    {"lock.unlock", "{'entity_id':'all'}", "The service unlock has no entity to act on."},
    {"light.turn_off", "{'entity_id':'none'}", "The service turn_off has no entity to act on."},
    {"light.turn_off", "{'entity_id':[]}", "The service turn_off has no entity to act on."},
    {"light.turn_off", "{}", REFUSED("turn_off")},
    {"switch.turn_off", "{'entity_id':'all'}", "= {'entity_id':['switch.pump']}"},
    /* places */
    {"light.turn_on", "{'area_id':'kitchen'}", "= {'entity_id':['light.kitchen']}"},
    {"light.turn_on", "{'area_id':'Cooking'}", "= {'entity_id':['light.kitchen']}"},
    {"light.turn_on", "{'area_id':['kitchen','hall']}",
     "= {'entity_id':['light.hall','light.kitchen']}"},
    {"homeassistant.turn_off", "{'area_id':'kitchen'}",
     "= {'entity_id':['light.kitchen','switch.pump']}"},
    {"light.turn_on", "{'area_id':'vault'}", "Area not found: vault."},
    {"light.turn_on", "{'area_id':'cellar'}", "Area not found: cellar."},
    {"lock.unlock", "{'area_id':'kitchen'}", "The service unlock has no entity to act on."},
    {"light.turn_on", "{'device_id':'d1'}", "= {'entity_id':['light.hall']}"},
    {"light.turn_on", "{'device_id':'d2'}", "Device not found: d2."},
    {"light.turn_on", "{'floor_id':'ground'}", "= {'entity_id':['light.kitchen']}"},
    {"light.turn_on", "{'floor_id':'attic'}", "Floor not found: attic."},
    {"switch.turn_on", "{'label_id':'calm'}", "= {'entity_id':['switch.pump']}"},
    {"light.turn_on", "{'label_id':'calm'}", "= {'entity_id':['light.hall']}"},
    {"light.turn_on", "{'label_id':'loud'}", "Label not found: loud."},
    {"light.turn_on", "{'area_id':'kitchen','entity_id':'light.hall'}",
     "= {'entity_id':['light.hall','light.kitchen']}"},
    {"light.turn_on", "{'target':{'area_id':'kitchen'},'entity_id':'light.hall'}",
     REFUSED("target")},
    /* templates */
    {"light.turn_on", "{'entity_id':'{{ states.light }}'}", REFUSED("entity_id")},
    {"light.turn_on", "{'area_id':'{% x %}'}", REFUSED("area_id")},
    {"light.turn_on", "{'entity_id':'light.hall','brightness':'{{ 5 }}'}", REFUSED("brightness")},
    {"light.turn_on", "{'entity_id':'light.hall','x':{'y':['{% if %}']}}", REFUSED("x")},
    /* ids elsewhere */
    {"media_player.join", "{'entity_id':'media_player.tv','group_members':['light.hall']}", "= *"},
    {"media_player.join", "{'entity_id':'media_player.tv','group_members':['lock.front']}",
     ENTITY("lock.front")},
    {"media_player.join", "{'entity_id':'media_player.tv','x':{'y':{'Lock.Front':'on'}}}",
     ENTITY("Lock.Front")},
    {"media_player.join", "{'entity_id':'media_player.tv','x':'a, b lock.front c'}",
     ENTITY("lock.front")},
    {"media_player.join", "{'entity_id':'media_player.tv','lock.front':1}", ENTITY("lock.front")},
    {"media_player.join", "{'entity_id':'media_player.tv','x':{'area_id':'vault'}}", REFUSED("x")},
    {"media_player.join", "{'entity_id':'media_player.tv','x':{'entity_id':'all'}}", REFUSED("x")},
    {"media_player.join", "{'entity_id':'media_player.tv','x':'example.com'}", "= *"},
    {"tts.speak",
     "{'entity_id':'tts.demo','media_player_entity_id':'media_player.tv','message':'hi'}", "= *"},
    {"tts.speak", "{'entity_id':'tts.demo','media_player_entity_id':'media_player.secret'}",
     ENTITY("media_player.secret")},
    /* entities that stand for others */
    {"light.turn_on", "{'entity_id':'light.both'}", "= {'entity_id':['light.both']}"},
    {"light.turn_on", "{'entity_id':'light.all'}", REFUSED("light.all")},
    {"light.turn_on", "{'entity_id':'light.nested'}", REFUSED("light.nested")},
    {"homeassistant.turn_on", "{'entity_id':'group.mixed'}", REFUSED("group.mixed")},
    {"scene.turn_on", "{'entity_id':'scene.day'}", "= {'entity_id':['scene.day']}"},
    {"scene.turn_on", "{'entity_id':'scene.night'}", REFUSED("scene.night")},
    {"scene.turn_on", "{'entity_id':'scene.hue'}", REFUSED("scene.hue")},
    {"script.turn_on", "{'entity_id':'script.good'}", "= {'entity_id':['script.good']}"},
    {"script.turn_on", "{'entity_id':'script.bad'}", REFUSED("script.bad")},
    {"script.turn_on", "{'entity_id':'script.lost'}", REFUSED("script.lost")},
    {"script.good", "{}", "= {}"},
    {"script.bad", "{}", REFUSED("script.bad")},
    {"script.nope", "{}", ENTITY("script.nope")},
    {"automation.trigger", "{'entity_id':'automation.good'}",
     "= {'entity_id':['automation.good']}"},
    {"automation.trigger", "{'entity_id':'automation.bad'}", REFUSED("automation.bad")},
    {"automation.trigger", "{'entity_id':'automation.yaml'}", REFUSED("automation.yaml")},
    /* services */
    {"homeassistant.turn_on", "{'entity_id':'switch.pump'}", "= {'entity_id':['switch.pump']}"},
    {"homeassistant.restart", "{}", REFUSED("restart")},
    {"homeassistant.restart", "{'entity_id':'light.hall'}", REFUSED("restart")},
    {"shell_command.open_door", "{}", REFUSED("open_door")},
    {"python_script.x", "{'entity_id':'light.hall'}", REFUSED("light.hall")},
    {"mqtt.publish", "{'topic':'a','payload':'b'}", REFUSED("publish")},
    {"scene.apply", "{'entities':{'light.hall':'on'}}", REFUSED("apply")},
    {"!conversation.process", "{'text':'unlock'}", REFUSED("process")},
    {"!notify.notify", "{'message':'lock.front is open'}", "= {'message':'lock.front is open'}"},
    {"!notify.notify", "{'message':'{{ states.lock }}'}", REFUSED("message")},
    {"!notify.notify", "{'message':'x','data':{'entity_id':'lock.front'}}", ENTITY("lock.front")},
    {"!persistent_notification.create", "{'message':'x'}", "= {'message':'x'}"},
};

/* The same without a filter: Home Assistant does the rest. */
static const struct reach_row open_rows[] = {
    {"light.turn_on", "{'entity_id':'light.secret'}", "= {'entity_id':'light.secret'}"},
    {"light.turn_on", "{'entity_id':'light.nope'}", ENTITY("light.nope")},
    {"light.turn_on", "{'entity_id':'all'}", "= {'entity_id':'all'}"},
    {"light.turn_on", "{'area_id':'kitchen'}", "= {'area_id':'kitchen'}"},
    {"light.turn_on", "{'area_id':'cellar'}", "Area not found: cellar."},
    {"light.turn_on", "{'entity_id':7}", "\"entity_id\" must be a string or an array of strings."},
    {"shell_command.open_door", "{}", "= {}"},
    {"!notify.notify", "{'message':'x','entity_id':'light.nope'}", "= *"},
};

static int reach_try(haft_call *call, void *context)
{
    const struct reach_row *row = context;
    const char *name = row->service + (row->service[0] == '!');
    size_t size = strcspn(name, ".");
    struct hass_service service = {.domain = haft_arena_copy(haft_call_arena(call), name, size),
                                   .service = name + size + 1,
                                   .data = fake_json(call, row->data),
                                   .without_target = row->service[0] == '!'};

    return hass_call(call, &service, NULL, NULL);
}

static void reach_check(struct fake_home *fake, struct hass *hass, const struct reach_row *row)
{
    size_t size = strlen(row->expect);
    const char *error;
    char sent[512];

    fake->heard.size = 0;
    error = fake_run(hass, 5000, reach_try, (void *)(uintptr_t)row);
    if (row->expect[0] == '=') {
        if (*error)
            fail_msg("%s %s: %s", row->service, row->data, error);
        snprintf(sent, sizeof sent, "'service_data':%s}\n", row->expect + 2);
        assert_true(fake_was_asked(fake, "call_service"));
        if (row->expect[2] != '*' && !fake_was_asked(fake, sent))
            fail_msg("%s %s: sent %.*s", row->service, row->data, (int)fake->heard.size,
                     fake->heard.data);
        return;
    }
    if (row->expect[size - 1] == '*' ? strncmp(error, row->expect, size - 1)
                                     : strcmp(error, row->expect))
        fail_msg("%s %s: \"%s\"", row->service, row->data, error);
    if (fake_was_asked(fake, "call_service"))
        fail_msg("%s %s: it was sent", row->service, row->data);
}

static void reach_answers(struct fake_home *fake)
{
    static const struct fake_answer answers[] = {
        {"GET /api/config/script/config/good",
         "{'sequence':[{'action':'light.turn_on','target':{'entity_id':'light.hall'}},{'delay':5}]}",
         200, NULL},
        {"GET /api/config/script/config/bad",
         "{'sequence':[{'action':'lock.unlock','target':{'entity_id':'lock.front'}}]}", 200, NULL},
        {"GET /api/config/automation/config/a1",
         "{'alias':'Good','triggers':[{'trigger':'state','entity_id':'switch.pump'}],'actions':[{'action':'scene.turn_on','target':{'entity_id':'scene.day'}}]}",
         200, NULL},
        {"GET /api/config/automation/config/a2",
         "{'actions':[{'action':'light.turn_on','target':{'area_id':'hall'}}]}", 200, NULL},
    };

    memcpy(fake->answers, answers, sizeof answers);
}

static void test_filtered(void **state)
{
    struct fake_home fake;
    struct hass *hass;

    (void)state;
    fake_init(&fake);
    reach_answers(&fake);
    hass = fake_hass(&fake, FILTER);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        reach_check(&fake, hass, &rows[i]);
    hass_free(hass);
    fake_finish(&fake);
}

static void test_unfiltered(void **state)
{
    struct fake_home fake;
    struct hass *hass;

    (void)state;
    fake_init(&fake);
    hass = fake_hass(&fake, NULL);
    for (size_t i = 0; i < sizeof open_rows / sizeof *open_rows; i++)
        reach_check(&fake, hass, &open_rows[i]);
    hass_free(hass);
    fake_finish(&fake);
}

/* What a script does that is refused, each alone. */
static void test_configurations(void **state)
{
    static const struct {
        const char *step;
        bool allowed;
    } steps[] = {
        {"{'action':'light.turn_on','target':{'entity_id':'light.hall'}}", true},
        {"{'service':'light.turn_on','entity_id':['light.hall','light.kitchen']}", true},
        {"{'action':'notify.notify','data':{'message':'x'}}", true},
        {"{'delay':{'seconds':5}}", true},
        {"{'choose':[{'conditions':[],'sequence':[{'action':'light.turn_off','target':{'entity_id':'light.hall'}}]}]}",
         true},
        {"{'scene':'scene.day'}", true},
        {"{'scene':'scene.night'}", false},
        {"{'action':'light.turn_on','target':{'entity_id':'light.secret'}}", false},
        {"{'action':'light.turn_on','target':{'entity_id':'light.all'}}", false},
        {"{'action':'light.turn_on','target':{'entity_id':'all'}}", false},
        {"{'action':'light.turn_on','target':{'area_id':'hall'}}", false},
        {"{'action':'light.turn_on','target':{'device_id':['d1']}}", false},
        {"{'device_id':'d1','domain':'light','type':'turn_on'}", false},
        {"{'action':'shell_command.x'}", false},
        {"{'action':'script.good'}", false},
        {"{'action':'homeassistant.restart'}", false},
        {"{'action':'automation.trigger','target':{'entity_id':'automation.good'}}", false},
        {"{'action':'{{ x }}'}", false},
        {"{'event':'open_sesame'}", false},
        {"{'if':[{'condition':'state','entity_id':'lock.front'}],'then':[]}", false},
        {"{'choose':[{'sequence':[{'action':'lock.unlock','target':{'entity_id':'lock.front'}}]}]}",
         false},
        {"{'variables':{'x':'{{ y }}'}}", false},
    };
    struct reach_row row = {"script.turn_on", "{'entity_id':'script.good'}", NULL};
    struct fake_home fake;
    struct hass *hass;
    char body[512];

    (void)state;
    fake_init(&fake);
    hass = fake_hass(&fake, FILTER);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        snprintf(body, sizeof body, "{'sequence':[%s]}", steps[i].step);
        fake.answers[0] = (struct fake_answer){"/script/config/good", body, 200, NULL};
        row.expect = steps[i].allowed ? "= *" : REFUSED("script.good");
        row.data = "{'entity_id':'script.good'}";
        reach_check(&fake, hass, &row);
    }
    hass_free(hass);
    fake_finish(&fake);
}

/* A list that cannot match what it seems to say is refused. */
static void test_lists(void **state)
{
    static const struct {
        const char *list;
        bool is_valid;
    } lists[] = {
        {"light.*", true},
        {"light.*,-lock.front_door", true},
        {" *, -lock.* ", true},
        {"sensor.extra_?", true},
        {"", false},
        {"-", false},
        {"light.*,", false},
        {"-lock", false},
        {"-LIGHT.OFFICE", false},
        {"-{light,lock}.*", false},
        {"-light.a;-lock.*", false},
        {"-light.a\n", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        haft_reason reason = {0};

        assert_int_equal(hass_filter_check(lists[i].list, &reason),
                         lists[i].is_valid ? 0 : HAFT_EINVAL);
        assert_int_equal(*reason.text == '\0', lists[i].is_valid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_filtered),
        cmocka_unit_test(test_unfiltered),
        cmocka_unit_test(test_configurations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
