/* May a service reach only visible entities?  One table. */
#include "home/fake_home.h"

#include "hass/filter.h"
#include "hass/decide.h"

#define FILTER                                                                                                \
    "light.*,switch.pump,scene.*,script.*,automation.*,group.*,media_player.*,tts.*,conversation.*,-*secret," \
    "-lock.*"

struct reach_row {
    const char *service, *data; /* "!" before a service without a target; ' for " */
    /* "= DATA": what is sent; otherwise the text of the error, with * at its end for anything */
    const char *expect;
};

#define ENTITY(id) "Entity not found: " id "*"
#define REFUSED(what)                                                                              \
    what " is refused: it cannot be limited to the entities that this server may use (--entities)."

#define KELVIN "\xE2\x84\xAA" /* a small k for Home Assistant */
#define UUID "0123456789abcdef0123456789abcdef"

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
     "= {'entity_id':['light.both','light.broken','light.calm','light.hall','light.kitchen']}"},
    {"light.turn_off", "{'entity_id':'ALL'}",
     "= {'entity_id':['light.both','light.broken','light.calm','light.hall','light.kitchen']}"},
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
    /* and for themselves, as players do that play together */
    {"media_player.media_play", "{'entity_id':'media_player.left'}",
     "= {'entity_id':['media_player.left']}"},
    {"media_player.media_play", "{'entity_id':'media_player.odd'}", REFUSED("media_player.odd")},
    {"media_player.media_play", "{'entity_id':'media_player.all'}", REFUSED("media_player.all")},
    {"light.turn_on", "{'entity_id':'light.rhythm'}", REFUSED("light.rhythm")},
    {"light.turn_on", "{'entity_id':'light.calm'}", "= {'entity_id':['light.calm']}"},
    /* other ways to write an id, or to say less than is sent */
    {"media_player.join", "{'entity_id':'media_player.tv','x':'loc" KELVIN ".front'}",
     ENTITY("loc" KELVIN ".front")},
    {"media_player.join", "{'entity_id':'media_player.tv','group_members':['loc" KELVIN ".front']}",
     REFUSED("group_members")},
    {"media_player.join", "{'entity_id':'media_player.tv','x':'SCENE.Night\\r'}", REFUSED("x")},
    {"media_player.join", "{'entity_id':'media_player.tv','x':'a\\u0000{{ states.lock }}'}",
     REFUSED("x")},
    {"media_player.join", "{'entity_id':'media_player.tv','x\\u0000lock.front':1}", REFUSED("x")},
    {"light.turn_on", "{'entity_id':'light.hall\\u0000,lock.front'}",
     "\"entity_id\" must be a string or an array of strings."},
    {"light.turn_on", "{'entity_id':'loc" KELVIN ".front'}", ENTITY("loc" KELVIN ".front")},
    {"light.turn_on", "{'entity_id':'" UUID "'}", ENTITY(UUID)},
    {"light.turn_on", "{'entity_id':'{# #}light.hall'}", REFUSED("entity_id")},
    {"media_player.join", "{'entity_id':'media_player.tv','group_members':'" UUID "'}",
     REFUSED("group_members")},
    {"media_player.join",
     "{'entity_id':'media_player.tv','x':'50% /api/camera_proxy/LOCK%2efront'}",
     ENTITY("LOCK.front")},
    {"media_player.join", "{'entity_id':'media_player.tv','x':'50% of %'}", "= *"},
    /* whether a hidden entity exists cannot be seen */
    {"!notify.notify", "{'message':'x','data':{'tag':'browser_mod.tablet'}}",
     ENTITY("browser_mod.tablet")},
    {"!notify.notify", "{'message':'x','data':{'tag':'browser_mod.nope'}}",
     ENTITY("browser_mod.nope")},
    {"!notify.notify", "{'message':'x','data':{'tag':'alert.nope'}}", ENTITY("alert.nope")},
    {"!notify.notify", "{'message':'{# states.lock #}'}", REFUSED("message")},
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

/* Whether it came out as the row says. */
static bool reach_holds(struct fake_home *fake, struct hass *hass, const struct reach_row *row)
{
    size_t size = strlen(row->expect);
    const char *error;
    char sent[512];
    bool holds, asked;

    fake->heard.size = 0;
    error = fake_run(hass, 5000, reach_try, (void *)(uintptr_t)row);
    asked = fake_was_asked(fake, "call_service");
    if (row->expect[0] == '=') {
        snprintf(sent, sizeof sent, "'service_data':%s}\n", row->expect + 2);
        holds = !*error && asked && (row->expect[2] == '*' || fake_was_asked(fake, sent));
    } else {
        holds = !asked && !(row->expect[size - 1] == '*' ? strncmp(error, row->expect, size - 1)
                                                         : strcmp(error, row->expect));
    }
    if (!holds)
        print_message("%s %s: \"%s\", sent %.*s\n", row->service, row->data, error,
                      (int)fake->heard.size, fake->heard.size ? fake->heard.data : "");
    return holds;
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

static int reach_read(haft_call *call, void *context)
{
    (void)context;
    return hass_states(call, &(struct hass_states){0});
}

/* A client with the filter, and with entities that the usual home does not have. */
static struct hass *reach_begin(struct fake_home *fake)
{
    static const struct {
        const char *id, *attributes;
    } others[] = {
        {"media_player.left", "{'group_members':['media_player.left','media_player.right']}"},
        {"media_player.right", "{'group_members':['media_player.right','media_player.left']}"},
        {"media_player.odd", "{'group_members':['media_player.odd','media_player.secret']}"},
        {"media_player.all", "{'active_child':'media_player.odd','icon':'mdi:tv'}"},
        {"light.rhythm", "{'configuration':{'lights':['light.hall','light.secret']}}"},
        {"light.calm", "{'configuration':{'lights':['light.hall'],'x':'light.none'}}"},
        {"conversation.home", "{}"},
        {"browser_mod.tablet", "{}"},
    };
    struct hass *hass;

    fake_init(fake);
    hass = fake_hass(fake, FILTER);
    assert_string_equal(fake_run(hass, 5000, reach_read, NULL), "");
    for (size_t i = 0; i < COUNT_OF(others); i++)
        fake_change(fake, others[i].id, "off", others[i].attributes, "c");
    return hass;
}

static void test_filtered(void **state)
{
    struct fake_home fake;
    struct hass *hass = reach_begin(&fake);
    size_t wrong = 0;

    (void)state;
    reach_answers(&fake);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        wrong += !reach_holds(&fake, hass, &rows[i]);
    assert_int_equal(wrong, 0);
    hass_free(hass);
    fake_finish(&fake);
}

static void test_unfiltered(void **state)
{
    struct fake_home fake;
    struct hass *hass;
    size_t wrong = 0;

    (void)state;
    fake_init(&fake);
    hass = fake_hass(&fake, NULL);
    for (size_t i = 0; i < COUNT_OF(open_rows); i++)
        wrong += !reach_holds(&fake, hass, &open_rows[i]);
    assert_int_equal(wrong, 0);
    hass_free(hass);
    fake_finish(&fake);
}

/* What a script does, each step alone. */
#define STEP(service, target) "{'action':'" service "','target':{" target "}}"
#define LIGHT(id) STEP("light.turn_on", "'entity_id':" id)

static const char *const allowed_steps[] = {
    LIGHT("'light.hall'"),
    LIGHT("' LIGHT.Hall , light.kitchen'"),
    LIGHT("'light.new'"),
    STEP("media_player.turn_on", "'entity_id':'media_player.left'"),
    STEP("homeassistant.turn_off", "'entity_id':['light.hall','switch.pump'],'area_id':[]"),
    STEP("scene.turn_on", "'entity_id':'scene.day'"),
    "{'service':'light.turn_on','entity_id':['light.hall','light.kitchen'],'metadata':{}}",
    "{'action':'light.turn_on','data':{'entity_id':'light.hall','brightness':5}}",
    "{'action':'notify.notify','data':{'message':'the lock.front is open','data':{'tag':'x'}}}",
    "{'action':'notify.send_message','data':{'message':'x'},'target':{'entity_id':'media_player.tv'}}",
    "{'action':'persistent_notification.create','data':{'message':'x'}}",
    "{'action':'tts.speak','target':{'entity_id':'tts.demo'},"
    "'data':{'media_player_entity_id':'media_player.tv','message':'lock.front'}}",
    "{'alias':'lock.front','delay':{'seconds':5}}",
    "{'choose':[{'conditions':[],'sequence':[" LIGHT("'light.hall'") "]}],'default':[]}",
    "{'if':{'condition':'state','entity_id':'light.hall','state':'on'},'then':[],'else':null}",
    "{'repeat':{'count':3,'sequence':[" LIGHT("'light.hall'") "]}}",
    "{'parallel':[{'sequence':[" LIGHT("'light.hall'") "]},{'stop':'done'}]}",
    "{'wait_for_trigger':[{'trigger':'state','entity_id':'light.hall','to':'on'}],'timeout':5}",
    "{'wait_for_trigger':{'trigger':'light.turned_on','target':{'entity_id':'light.hall'}}}",
    "{'wait_for_trigger':{'platform':'time','at':'07:00:00'}}",
    "{'wait_for_trigger':{'triggers':[{'trigger':'sun','event':'sunset','offset':'-1'}]}}",
    "{'condition':'and','conditions':[{'condition':'time','after':'07:00'},{'not':[]}]}",
    "{'scene':'scene.day'}",
};

static const char *const refused_steps[] = {
    /* entities */
    LIGHT("'light.secret'"),
    LIGHT("'light.all'"),
    LIGHT("'all'"),
    LIGHT("'switch.pump'"),
    LIGHT("'loc" KELVIN ".front'"),
    LIGHT("'" UUID "'"),
    LIGHT("['light.hall','" UUID "']"),
    LIGHT("'light.hall\\u0000,lock.front'"),
    LIGHT("5"),
    STEP("homeassistant.turn_on", "'entity_id':'Script.Bad'"),
    STEP("homeassistant.turn_on", "'entity_id':'script.bad\\r'"),
    STEP("homeassistant.turn_on", "'entity_id':'script.bad\\u00a0'"),
    STEP("homeassistant.turn_on", "'entity_id':'script.new'"),
    STEP("homeassistant.turn_on", "'entity_id':'light.hall','label_id':'calm'"),
    STEP("light.turn_on", "'area_id':'hall'"),
    STEP("light.turn_on", "'device_id':['d1']"),
    STEP("light.turn_on", "'entity_id':'light.hall','integration':'hue'"),
    "{'scene':'scene.night'}",
    "{'scene':'SCENE.NIGHT'}",
    "{'scene':'scene.new'}",
    "{'device_id':'d1','domain':'light','type':'turn_on'}",
    "{'action':'light.turn_on','target':{'entity_id':'light.hall'},'data':{'area_id':'vault'}}",
    "{'action':'light.turn_on','target':{'entity_id':'light.hall'},'data':{'entity_id':'light.secret'}}",
    "{'action':'light.turn_on','target':'light.secret','entity_id':'light.hall'}",
    "{'action':'light.turn_on','target':{'entity_id':'light.hall'},'data':'{{ x }}'}",
    "{'action':'light.turn_on','target':{'entity_id':'light.hall'},'data_template':{'x':'y'}}",
    "{'action':'media_player.join','target':{'entity_id':'media_player.tv'},"
    "'data':{'group_members':'" UUID "'}}",
    /* services */
    "{'action':'light.turn_off'}",
    "{'action':'light.turn_off','target':{'entity_id':'none'}}",
    "{'action':'shell_command.x'}",
    STEP("shell_command.x", "'entity_id':'light.hall'"),
    "{'action':'script.good'}",
    "{'action':'Script.Good'}",
    STEP("script.turn_on", "'entity_id':'script.good'"),
    "{'action':'homeassistant.restart'}",
    STEP("automation.trigger", "'entity_id':'automation.good'"),
    "{'action':'scene.apply','data':{'entities':{'light.hall':'on'}}}",
    "{'action':'conversation.process','data':{'text':'unlock the front door'}}",
    STEP("conversation.process", "'entity_id':'conversation.home'"),
    "{'action':'conversation.process','data':{'text':'x','entity_id':'conversation.home'}}",
    "{'action':'{{ x }}'}",
    "{'action':['light.turn_on']}",
    "{'action':'light.turn_on\\u0000','entity_id':'light.hall'}",
    "{'perform_action':'light.turn_on','target':{'entity_id':'light.hall'}}",
    "{'service_template':'light.turn_on','target':{'entity_id':'light.hall'}}",
    "{'action':'notify.notify','data':{'message':'{{ states.lock }}'}}",
    "{'action':'notify.notify','data':{'message':'a\\u0000{{ states.lock }}'}}",
    "{'action':'notify.notify','data':{'message':'x','data':{'entity_id':'lock.front'}}}",
    "{'data':{'x':1}}",
    /* events */
    "{'event':'open_sesame'}",
    "{'wait_for_trigger':{'trigger':'event','event_type':'call_service','event_data':{'domain':'lock'}}}",
    "{'wait_for_trigger':{'platform':'event','event_type':'call_service'}}",
    "{'wait_for_trigger':{'trigger':'mqtt','topic':'x'}}",
    "{'wait_for_trigger':{'trigger':'webhook','webhook_id':'x'}}",
    "{'wait_for_trigger':{'trigger':'device','device_id':'d1'}}",
    "{'wait_for_trigger':{'trigger':'template','value_template':'x'}}",
    "{'wait_for_trigger':{'trigger':'tag','tag_id':'x'}}",
    "{'wait_for_trigger':{'trigger':'conversation','command':'x'}}",
    "{'wait_for_trigger':{'trigger':'persistent_notification'}}",
    "{'wait_for_trigger':{'trigger':'State','entity_id':'light.hall'}}",
    "{'wait_for_trigger':{'trigger':'state','entity_id':'" UUID "'}}",
    "{'wait_for_trigger':{'trigger':'zone','entity_id':'light.hall','zone':'zone.home'}}",
    "{'wait_for_trigger':{'trigger':'numeric_state','entity_id':'light.hall','above':'sensor.x'}}",
    "{'wait_for_trigger':{'trigger':'time','at':'input_datetime.x'}}",
    "{'wait_for_trigger':{'trigger':'lock.unlocked'}}",
    "{'wait_for_trigger':{'trigger':'lock.unlocked','target':{'area_id':'vault'}}}",
    "{'wait_for_trigger':'{{ x }}'}",
    /* conditions */
    "{'if':[{'condition':'state','entity_id':'lock.front'}],'then':[]}",
    "{'if':'{{ x }}','then':[]}",
    "{'if':[{'condition':'template','value_template':'x'}],'then':[]}",
    "{'if':[{'condition':'device','device_id':'d1'}],'then':[]}",
    "{'condition':'state','entity_id':'light.hall','state':'Input_Text.X'}",
    "{'and':[{'or':{'not':['{{ x }}']}}]}",
    "{'wait_template':'{{ x }}'}",
    /* deeper */
    "{'choose':[{'sequence':[" STEP("lock.unlock", "'entity_id':'lock.front'") "]}]}",
    "{'repeat':{'until':'{{ x }}','sequence':[]}}",
    "{'parallel':[{'sequence':[{'then':[{'event':'x'}]}]}]}",
    "{'variables':{'x':'{{ y }}'}}",
    "{'set_conversation_response':'{{ states.lock }}'}",
    "{'something':'new'}",
    "'{{ x }}'",
};

static size_t reach_count_steps(struct fake_home *fake, struct hass *hass, const char *const *steps,
                                size_t n, bool allowed)
{
    struct reach_row row = {"script.turn_on", "{'entity_id':'script.good'}", NULL};
    size_t wrong = 0;
    char body[512];

    for (size_t i = 0; i < n; i++) {
        const char *error;

        snprintf(body, sizeof body, "{'sequence':[%s]}", steps[i]);
        fake->answers[0] = (struct fake_answer){"/script/config/good", body, 200, NULL};
        fake->heard.size = 0;
        error = fake_run(hass, 5000, reach_try, &row);
        if (!strcmp(error, allowed ? "" : REFUSED("script.good")) &&
            fake_was_asked(fake, "call_service") == allowed)
            continue;
        print_message("%s: \"%s\"\n", steps[i], error);
        wrong++;
    }
    return wrong;
}

static void test_configurations(void **state)
{
    struct fake_home fake;
    struct hass *hass = reach_begin(&fake);
    size_t wrong;

    (void)state;
    wrong = reach_count_steps(&fake, hass, allowed_steps, COUNT_OF(allowed_steps), true);
    wrong += reach_count_steps(&fake, hass, refused_steps, COUNT_OF(refused_steps), false);
    assert_int_equal(wrong, 0);
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

/* Whether a list shows all persons, whoever they are. */
static void test_domains(void **state)
{
    static const struct {
        const char *list;
        bool shows;
    } lists[] = {
        {NULL, true},
        {"*", true},
        {"person.*", true},
        {"light.*, person.*", true},
        {"-lock.*", true},
        {"-lock.*,-personal.x,-per", true},
        {"-person.anna,person.*", true},
        {"light.*", false},
        {"person.ben", false},
        {"person.*,-person.anna", false},
        {"-person.*", false},
        {"-person.ann?", false},
        {"-*.anna", false},
        {"-*anna", false},
        {"-p*", false},
        {"*,-per?on.anna", false},
        {"person.?*", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        char list[64];
        struct hass hass = {.entities = lists[i].list ? list : NULL};

        snprintf(list, sizeof list, "%s", lists[i].list ? lists[i].list : "");
        if (hass_shows_domain(&hass, "person") != lists[i].shows)
            fail_msg("%s", list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),          cmocka_unit_test(test_domains),
        cmocka_unit_test(test_filtered),       cmocka_unit_test(test_unfiltered),
        cmocka_unit_test(test_configurations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
