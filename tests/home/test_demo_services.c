/* Every service of the demo home: what it changes, and what it refuses.  A service without a row fails the test. */
#include "demo/service.h"
#include "demo_test.h"

/* A call over REST and what it answers; then the state of the entity `after`, if there is one. */
struct service_row {
    const char *service, *data; /* "light/turn_on" */
    int status;
    const char *answer;
};

#define CHANGED(id, state) "[*{'entity_id':'" id "','state':'" state "'*]"
#define WITH(id, state, attributes)                                                                \
    "[*{'entity_id':'" id "','state':'" state "','attributes':{*" attributes "*]"

static const struct service_row service_rows[] = {
    {"light/turn_on", "{'entity_id':'light.hallway'}", 200,
     WITH("light.hallway", "on", "'color_mode':'brightness','brightness':255")},
    {"light/turn_on", "{'entity_id':'light.hallway','brightness':100}", 200,
     WITH("light.hallway", "on", "'brightness':100")},
    {"light/turn_on", "{'entity_id':'light.hallway','brightness_pct':50}", 200,
     WITH("light.hallway", "on", "'brightness':128")},
    {"light/turn_on", "{'entity_id':'light.hallway','brightness_step':-28}", 200,
     WITH("light.hallway", "on", "'brightness':100")},
    {"light/turn_on", "{'entity_id':'light.hallway','brightness_step_pct':10}", 200,
     WITH("light.hallway", "on", "'brightness':126")},
    {"light/turn_on", "{'entity_id':'light.hallway','brightness':0}", 200,
     WITH("light.hallway", "off", "'brightness':null")},
    {"light/turn_on", "{'entity_id':'light.living_room_lamp','rgb_color':[255,0,0]}", 200,
     WITH(
         "light.living_room_lamp", "on",
         "'color_mode':'rgb',*'color_temp_kelvin':null,'hs_color':[0,100],'rgb_color':[255,0,0],'xy_color':[0.701,0.299]")},
    {"light/turn_on", "{'entity_id':'light.living_room_lamp','hs_color':[120,100]}", 200,
     WITH("light.living_room_lamp", "on", "'rgb_color':[0,255,0]")},
    {"light/turn_on", "{'entity_id':'light.living_room_lamp','color_name':'blue'}", 200,
     WITH("light.living_room_lamp", "on", "'rgb_color':[0,0,255]")},
    {"light/turn_on", "{'entity_id':'light.living_room_lamp','xy_color':[0.3,0.3]}", 200,
     WITH("light.living_room_lamp", "on", "'rgb_color':[")},
    {"light/turn_on", "{'entity_id':'light.living_room_lamp','color_temp_kelvin':9000}", 200,
     WITH("light.living_room_lamp", "on", "'color_mode':'color_temp',*'color_temp_kelvin':6535")},
    {"light/turn_on", "{'entity_id':'light.living_room_lamp','effect':'rainbow','transition':2}",
     200, WITH("light.living_room_lamp", "on", "'effect':'rainbow'")},
    {"light/turn_on", "{'entity_id':'light.living_room_lamp','color_name':'nope'}", 400,
     "400: Bad Request"},
    {"light/turn_on", "{'entity_id':'light.kitchen_counter','rgb_color':[255,0,0]}", 200,
     WITH("light.kitchen_counter", "on", "'color_mode':'brightness','brightness':255")},
    {"light/turn_on", "{'entity_id':'light.garage'}", 200,
     WITH("light.garage", "on", "'color_mode':'onoff'")},
    {"light/turn_off", "{'entity_id':'light.garage'}", 200, CHANGED("light.garage", "off")},
    {"light/toggle", "{'entity_id':'light.garage'}", 200, CHANGED("light.garage", "on")},
    {"light/turn_off", "{'entity_id':'light.downstairs'}", 200,
     "[{'entity_id':'light.downstairs','state':'off'*{'entity_id':'light.kitchen_ceiling','state':'off'*"
     "{'entity_id':'light.living_room_ceiling','state':'off'*]"},
    {"switch/turn_on", "{'entity_id':'switch.coffee_machine'}", 200,
     CHANGED("switch.coffee_machine", "on")},
    {"switch/turn_on", "{'entity_id':'switch.coffee_machine'}", 200, "[]"},
    {"switch/turn_off", "{'entity_id':'switch.coffee_machine'}", 200,
     CHANGED("switch.coffee_machine", "off")},
    {"switch/toggle", "{'entity_id':'switch.coffee_machine'}", 200,
     CHANGED("switch.coffee_machine", "on")},
    {"input_boolean/turn_on", "{'entity_id':'input_boolean.vacation'}", 200,
     CHANGED("input_boolean.vacation", "on")},
    {"input_boolean/turn_off", "{'entity_id':'input_boolean.vacation'}", 200,
     CHANGED("input_boolean.vacation", "off")},
    {"input_boolean/toggle", "{'entity_id':'input_boolean.vacation'}", 200,
     CHANGED("input_boolean.vacation", "on")},
    {"input_boolean/reload", "{}", 200, "[]"},
    {"homeassistant/turn_on",
     "{'entity_id':['light.hallway','switch.garden_fountain','cover.bedroom_shutter']}", 200,
     "[{'entity_id':'cover.bedroom_shutter','state':'opening'*'light.hallway','state':'on'*'switch.garden_fountain',"
     "'state':'on'*]"},
    {"homeassistant/turn_off", "{'entity_id':'fan.bathroom'}", 200, CHANGED("fan.bathroom", "off")},
    {"homeassistant/toggle", "{'entity_id':'fan.bathroom'}", 200, CHANGED("fan.bathroom", "on")},
    {"homeassistant/update_entity", "{'entity_id':'sensor.house_power'}", 200, "[]"},
    {"homeassistant/reload_all", "{}", 200, "[]"},
    {"homeassistant/check_config", "{}", 200, "[]"},
    {"homeassistant/restart", "{}", 200, "[]"},
    {"climate/set_hvac_mode", "{'entity_id':'climate.office','hvac_mode':'heat'}", 200,
     WITH("climate.office", "heat", "'hvac_action':'idle'")},
    {"climate/set_temperature", "{'entity_id':'climate.office','temperature':22}", 200,
     WITH("climate.office", "heat", "'temperature':22,*'hvac_action':'heating'")},
    {"climate/set_temperature",
     "{'entity_id':'climate.bedroom','target_temp_low':21,'target_temp_high':23}", 200,
     WITH("climate.bedroom", "heat_cool",
          "'target_temp_high':23,'target_temp_low':21,*'hvac_action':'heating'")},
    {"climate/set_temperature",
     "{'entity_id':'climate.bedroom','temperature':18,'hvac_mode':'cool'}", 200,
     WITH("climate.bedroom", "cool",
          "'temperature':18,'target_temp_high':null,*'hvac_action':'cooling'")},
    {"climate/set_temperature", "{'entity_id':'climate.office','temperature':50}", 500, "500 *"},
    {"climate/set_temperature", "{'entity_id':'climate.office','target_temp_low':20}", 400,
     "400: Bad Request"},
    {"climate/set_temperature", "{'entity_id':'climate.office'}", 400, "400: Bad Request"},
    {"climate/set_temperature",
     "{'entity_id':'climate.office','target_temp_low':20,'target_temp_high':22}", 500, "500 *"},
    {"climate/set_hvac_mode", "{'entity_id':'climate.office','hvac_mode':'cool'}", 500, "500 *"},
    {"climate/set_hvac_mode", "{'entity_id':'climate.office','hvac_mode':'warm'}", 400,
     "400: Bad Request"},
    {"climate/set_fan_mode", "{'entity_id':'climate.bedroom','fan_mode':'high'}", 200,
     WITH("climate.bedroom", "cool", "'fan_mode':'high'")},
    {"climate/set_fan_mode", "{'entity_id':'climate.bedroom','fan_mode':'storm'}", 500, "500 *"},
    {"climate/set_fan_mode", "{'entity_id':'climate.office','fan_mode':'high'}", 500, "500 *"},
    {"climate/set_preset_mode", "{'entity_id':'climate.living_room','preset_mode':'eco'}", 200,
     WITH("climate.living_room", "heat", "'temperature':18,*'preset_mode':'eco'")},
    {"climate/set_humidity", "{'entity_id':'climate.bedroom','humidity':55}", 200,
     WITH("climate.bedroom", "cool", "'humidity':55")},
    {"climate/turn_off", "{'entity_id':'climate.bedroom'}", 200,
     WITH("climate.bedroom", "off", "'hvac_action':'off'")},
    {"climate/turn_on", "{'entity_id':'climate.bedroom'}", 200,
     CHANGED("climate.bedroom", "heat_cool")},
    {"climate/toggle", "{'entity_id':'climate.bedroom'}", 200, CHANGED("climate.bedroom", "off")},
    {"cover/close_cover", "{'entity_id':'cover.kitchen_shade'}", 200,
     CHANGED("cover.kitchen_shade", "closing")},
    {"cover/stop_cover", "{'entity_id':'cover.kitchen_shade'}", 200,
     CHANGED("cover.kitchen_shade", "open")},
    {"cover/set_cover_position", "{'entity_id':'cover.kitchen_shade','position':40}", 200,
     CHANGED("cover.kitchen_shade", "closing")},
    {"cover/open_cover", "{'entity_id':'cover.kitchen_shade'}", 200,
     CHANGED("cover.kitchen_shade", "open")},
    {"cover/toggle", "{'entity_id':'cover.garage_door'}", 200,
     CHANGED("cover.garage_door", "opening")},
    {"cover/set_cover_position", "{'entity_id':'cover.garage_door','position':40}", 500, "500 *"},
    {"cover/open_cover_tilt", "{'entity_id':'cover.living_room_blinds'}", 200,
     WITH("cover.living_room_blinds", "open", "'current_tilt_position':100")},
    {"cover/close_cover_tilt", "{'entity_id':'cover.living_room_blinds'}", 200,
     WITH("cover.living_room_blinds", "open", "'current_tilt_position':0")},
    {"cover/set_cover_tilt_position", "{'entity_id':'cover.living_room_blinds','tilt_position':30}",
     200, WITH("cover.living_room_blinds", "open", "'current_tilt_position':30")},
    {"cover/toggle_cover_tilt", "{'entity_id':'cover.living_room_blinds'}", 200,
     WITH("cover.living_room_blinds", "open", "'current_tilt_position':0")},
    {"cover/stop_cover_tilt", "{'entity_id':'cover.living_room_blinds'}", 200, "[]"},
    {"fan/turn_on", "{'entity_id':'fan.bedroom','percentage':30}", 200,
     WITH("fan.bedroom", "on", "'percentage':30")},
    {"fan/set_percentage", "{'entity_id':'fan.bedroom','percentage':80}", 200,
     WITH("fan.bedroom", "on", "'percentage':80")},
    {"fan/increase_speed", "{'entity_id':'fan.bedroom'}", 200,
     WITH("fan.bedroom", "on", "'percentage':90")},
    {"fan/decrease_speed", "{'entity_id':'fan.bedroom','percentage_step':20}", 200,
     WITH("fan.bedroom", "on", "'percentage':70")},
    {"fan/set_preset_mode", "{'entity_id':'fan.bedroom','preset_mode':'sleep'}", 200,
     WITH("fan.bedroom", "on", "'preset_mode':'sleep'")},
    {"fan/set_preset_mode", "{'entity_id':'fan.bedroom','preset_mode':'turbo'}", 500, "500 *"},
    {"fan/oscillate", "{'entity_id':'fan.bedroom','oscillating':true}", 200,
     WITH("fan.bedroom", "on", "'oscillating':true")},
    {"fan/set_direction", "{'entity_id':'fan.bedroom','direction':'reverse'}", 200,
     WITH("fan.bedroom", "on", "'direction':'reverse'")},
    {"fan/turn_off", "{'entity_id':'fan.bedroom'}", 200,
     WITH("fan.bedroom", "off", "'percentage':0")},
    {"fan/toggle", "{'entity_id':'fan.bedroom'}", 200,
     WITH("fan.bedroom", "on", "'percentage':67")},
    {"lock/unlock", "{'entity_id':'lock.front_door','code':'1234'}", 200,
     CHANGED("lock.front_door", "unlocked")},
    {"lock/open", "{'entity_id':'lock.front_door','code':1234}", 200,
     CHANGED("lock.front_door", "open")},
    {"lock/open", "{'entity_id':'lock.back_door'}", 500, "500 *"},
    {"lock/lock", "{'entity_id':'lock.back_door'}", 200, CHANGED("lock.back_door", "locked")},
    {"alarm_control_panel/alarm_arm_home", "{'entity_id':'alarm_control_panel.home','code':'1234'}",
     200, CHANGED("alarm_control_panel.home", "armed_home")},
    {"alarm_control_panel/alarm_disarm", "{'entity_id':'alarm_control_panel.home','code':'0000'}",
     500, "500 *"},
    {"alarm_control_panel/alarm_disarm", "{'entity_id':'alarm_control_panel.home','code':'1234'}",
     200, CHANGED("alarm_control_panel.home", "disarmed")},
    {"alarm_control_panel/alarm_arm_away", "{'entity_id':'alarm_control_panel.home'}", 500,
     "500 *"},
    {"alarm_control_panel/alarm_arm_away", "{'entity_id':'alarm_control_panel.home','code':'1234'}",
     200, WITH("alarm_control_panel.home", "arming", "'next_state':'armed_away'")},
    {"alarm_control_panel/alarm_arm_night",
     "{'entity_id':'alarm_control_panel.home','code':'1234'}", 200,
     CHANGED("alarm_control_panel.home", "armed_night")},
    {"alarm_control_panel/alarm_arm_vacation",
     "{'entity_id':'alarm_control_panel.home','code':'1234'}", 200,
     CHANGED("alarm_control_panel.home", "arming")},
    {"alarm_control_panel/alarm_arm_custom_bypass",
     "{'entity_id':'alarm_control_panel.home','code':'1234'}", 200,
     CHANGED("alarm_control_panel.home", "armed_custom_bypass")},
    {"alarm_control_panel/alarm_trigger", "{'entity_id':'alarm_control_panel.home'}", 200,
     CHANGED("alarm_control_panel.home", "triggered")},
    {"media_player/media_play", "{'entity_id':'media_player.kitchen'}", 200,
     WITH("media_player.kitchen", "playing", "'media_position':64")},
    {"media_player/media_pause", "{'entity_id':'media_player.kitchen'}", 200,
     CHANGED("media_player.kitchen", "paused")},
    {"media_player/media_play_pause", "{'entity_id':'media_player.kitchen'}", 200,
     CHANGED("media_player.kitchen", "playing")},
    {"media_player/media_next_track", "{'entity_id':'media_player.kitchen'}", 200,
     WITH("media_player.kitchen", "playing", "'media_title':'Two Keys'")},
    {"media_player/media_previous_track", "{'entity_id':'media_player.kitchen'}", 200,
     WITH("media_player.kitchen", "playing", "'media_title':'Morning Light'")},
    {"media_player/media_seek", "{'entity_id':'media_player.kitchen','seek_position':90}", 200,
     WITH("media_player.kitchen", "playing", "'media_position':90")},
    {"media_player/media_stop", "{'entity_id':'media_player.kitchen'}", 200,
     CHANGED("media_player.kitchen", "idle")},
    {"media_player/volume_set", "{'entity_id':'media_player.kitchen','volume_level':0.5}", 200,
     WITH("media_player.kitchen", "idle", "'volume_level':0.5")},
    {"media_player/volume_up", "{'entity_id':'media_player.kitchen'}", 200,
     WITH("media_player.kitchen", "idle", "'volume_level':0.6")},
    {"media_player/volume_down", "{'entity_id':'media_player.kitchen'}", 200,
     WITH("media_player.kitchen", "idle", "'volume_level':0.5")},
    {"media_player/volume_mute", "{'entity_id':'media_player.kitchen','is_volume_muted':true}", 200,
     WITH("media_player.kitchen", "idle", "'is_volume_muted':true")},
    {"media_player/select_source", "{'entity_id':'media_player.kitchen','source':'Radio'}", 200,
     WITH("media_player.kitchen", "idle", "'source':'Radio'")},
    {"media_player/select_source", "{'entity_id':'media_player.kitchen','source':'Moon'}", 500,
     "500 *"},
    {"media_player/select_sound_mode",
     "{'entity_id':'media_player.living_room','sound_mode':'Music'}", 200,
     WITH("media_player.living_room", "playing", "'sound_mode':'Music'")},
    {"media_player/shuffle_set", "{'entity_id':'media_player.kitchen','shuffle':true}", 200,
     WITH("media_player.kitchen", "idle", "'shuffle':true")},
    {"media_player/repeat_set", "{'entity_id':'media_player.kitchen','repeat':'all'}", 200,
     WITH("media_player.kitchen", "idle", "'repeat':'all'")},
    {"media_player/play_media",
     "{'entity_id':'media_player.kitchen','media_content_id':'x','media_content_type':'music'}",
     200, WITH("media_player.kitchen", "playing", "'media_content_id':'x'")},
    {"media_player/turn_off", "{'entity_id':'media_player.kitchen'}", 200,
     CHANGED("media_player.kitchen", "off")},
    {"media_player/turn_on", "{'entity_id':'media_player.kitchen'}", 200,
     CHANGED("media_player.kitchen", "idle")},
    {"media_player/toggle", "{'entity_id':'media_player.kitchen'}", 200,
     CHANGED("media_player.kitchen", "off")},
    {"vacuum/start", "{'entity_id':'vacuum.robo'}", 200, CHANGED("vacuum.robo", "cleaning")},
    {"vacuum/pause", "{'entity_id':'vacuum.robo'}", 200, CHANGED("vacuum.robo", "paused")},
    {"vacuum/clean_spot", "{'entity_id':'vacuum.robo'}", 200, CHANGED("vacuum.robo", "cleaning")},
    {"vacuum/stop", "{'entity_id':'vacuum.robo'}", 200, CHANGED("vacuum.robo", "idle")},
    {"vacuum/locate", "{'entity_id':'vacuum.robo'}", 200, "[]"},
    {"vacuum/send_command", "{'entity_id':'vacuum.robo','command':'map'}", 200, "[]"},
    {"vacuum/set_fan_speed", "{'entity_id':'vacuum.robo','fan_speed':'turbo'}", 200,
     WITH("vacuum.robo", "idle", "'fan_speed':'turbo'")},
    {"vacuum/set_fan_speed", "{'entity_id':'vacuum.robo','fan_speed':'hurricane'}", 500, "500 *"},
    {"vacuum/return_to_base", "{'entity_id':'vacuum.robo'}", 200,
     CHANGED("vacuum.robo", "returning")},
    {"automation/turn_off", "{'entity_id':'automation.good_night'}", 200,
     CHANGED("automation.good_night", "off")},
    {"automation/turn_on", "{'entity_id':'automation.good_night'}", 200,
     CHANGED("automation.good_night", "on")},
    {"automation/toggle", "{'entity_id':'automation.good_night'}", 200,
     CHANGED("automation.good_night", "off")},
    {"automation/trigger", "{'entity_id':'automation.good_night'}", 200, "[]"},
    {"automation/reload", "{}", 200, "[]"},
    {"script/turn_on", "{'entity_id':'script.doorbell_chime'}", 200,
     "[{'entity_id':'media_player.kitchen','state':'playing'*{'entity_id':'script.doorbell_chime'*]"},
    {"script/toggle", "{'entity_id':'script.doorbell_chime'}", 200, "[]"},
    {"script/turn_off", "{'entity_id':'script.doorbell_chime'}", 200, "[]"},
    {"script/reload", "{}", 200, "[]"},
    {"scene/turn_on", "{'entity_id':'scene.movie_night','transition':1}", 200,
     "[*'light.living_room_ceiling','state':'on','attributes':{*'brightness':40*'light.living_room_lamp','state':'on'*"
     "{'entity_id':'scene.movie_night','state':'2026-11-16T08:00:00.000000+00:00'*]"},
    {"scene/apply", "{'entities':{'light.hallway':'on','climate.living_room':{'state':'off'}}}",
     200,
     "[{'entity_id':'climate.living_room','state':'off'*{'entity_id':'light.hallway','state':'on'*]"},
    {"scene/create", "{'scene_id':'before','snapshot_entities':['light.hallway']}", 200,
     "[{'entity_id':'scene.before','state':'unknown','attributes':{'entity_id':['light.hallway']*]"},
    {"scene/delete", "{'entity_id':'scene.before'}", 200, "[]"},
    {"scene/reload", "{}", 200, "[]"},
    {"todo/add_item",
     "{'entity_id':'todo.shopping','item':'Eggs','due_date':'2026-12-01','description':'six'}", 200,
     CHANGED("todo.shopping", "4")},
    {"todo/update_item",
     "{'entity_id':'todo.shopping','item':'Eggs','status':'completed','rename':'Ten eggs'}", 200,
     CHANGED("todo.shopping", "3")},
    {"todo/update_item", "{'entity_id':'todo.shopping','item':'Eggs','status':'completed'}", 500,
     "500 *"},
    {"todo/update_item", "{'entity_id':'todo.shopping','item':'Milk'}", 400, "400: Bad Request"},
    {"todo/remove_item", "{'entity_id':'todo.shopping','item':['Milk','shopping-2']}", 200,
     CHANGED("todo.shopping", "1")},
    {"todo/remove_item", "{'entity_id':'todo.shopping','item':'Nothing'}", 500, "500 *"},
    {"todo/remove_completed_items", "{'entity_id':'todo.shopping'}", 200, "[]"},
    {"todo/get_items?return_response",
     "{'entity_id':['todo.shopping','todo.chores'],'status':['needs_action']}", 200,
     "{'changed_states':[],'service_response':{'todo.shopping':{'items':[{'summary':'Light bulbs',*]},'todo.chores':"
     "{'items':[*]}}}"},
    {"notify/notify", "{'message':'Hello','title':'Hi'}", 200, "[]"},
    {"notify/notify", "{'title':'Hi'}", 400, "400: Bad Request"},
    {"notify/mobile_app_demo", "{'message':'Hello','data':{'tag':'x'}}", 200, "[]"},
    {"notify/persistent_notification", "{'message':'Hello'}", 200, "[]"},
    {"notify/send_message", "{'entity_id':'notify.demo_phone','message':'Hello'}", 200,
     CHANGED("notify.demo_phone", "2026-11-16T08:00:00.000000+00:00")},
    {"persistent_notification/create", "{'message':'Hello','notification_id':'n1'}", 200, "[]"},
    {"persistent_notification/dismiss", "{'notification_id':'n1'}", 200, "[]"},
    {"persistent_notification/dismiss_all", "{}", 200, "[]"},
    {"tts/speak",
     "{'entity_id':'tts.demo','media_player_entity_id':'media_player.bedroom','message':'Hello'}",
     200, "[{'entity_id':'media_player.bedroom','state':'playing'*{'entity_id':'tts.demo'*]"},
    {"tts/speak",
     "{'entity_id':'tts.demo','media_player_entity_id':'media_player.bedroom','message':'Hello','language':'xx'}",
     500, "500 *"},
    {"tts/clear_cache", "{}", 200, "[]"},
    {"weather/get_forecasts?return_response", "{'entity_id':'weather.home','type':'hourly'}", 200,
     "{'changed_states':[],'service_response':{'weather.home':{'forecast':[{'datetime':'2026-11-16T09:00:00.000000+00:00',*"},
    {"calendar/get_events?return_response", "{'entity_id':'calendar.home','duration':{'days':1}}",
     200,
     "{'changed_states':[],'service_response':{'calendar.home':{'events':[{'start':'2026-11-16T18:00:00.000000+00:00',*"},
    {"calendar/get_events?return_response", "{'entity_id':'calendar.home'}", 400,
     "400: Bad Request"},
    {"camera/turn_off", "{'entity_id':'camera.front_door'}", 200,
     CHANGED("camera.front_door", "off")},
    {"camera/turn_on", "{'entity_id':'camera.front_door'}", 200,
     CHANGED("camera.front_door", "idle")},
};

static void test_each(void **state)
{
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    for (size_t i = 0; i < COUNT_OF(service_rows); i++) {
        char path[128];

        snprintf(path, sizeof path, "/api/services/%s", service_rows[i].service);
        demo_test_rest(&test,
                       &(struct demo_rest_row){"POST", path, service_rows[i].data,
                                               service_rows[i].status, service_rows[i].answer});
    }
    demo_test_finish(&test);
}

/* Whether a row calls the service with success. */
static bool has_row(const char *domain, const char *name)
{
    char wanted[128];

    snprintf(wanted, sizeof wanted, "%s/%s", domain, name);
    for (size_t i = 0; i < COUNT_OF(service_rows); i++) {
        size_t size = strcspn(service_rows[i].service, "?");

        if (service_rows[i].status == 200 && size == strlen(wanted) &&
            !memcmp(service_rows[i].service, wanted, size))
            return true;
    }
    return false;
}

static void test_all_have_rows(void **state)
{
    size_t n = 0;

    (void)state;
    for (const struct demo_domain *at = demo_domains; at->name; at++)
        for (const struct demo_service *service = at->services; service->name; service++, n++)
            if (!has_row(at->name, service->name))
                fail_msg("%s.%s has no row", at->name, service->name);
    assert_true(n > 100);
}

/* Targets of every kind, over REST. */
static void test_targets(void **state)
{
    static const struct {
        const char *data, *changed; /* ids of lights that are turned off, separated by spaces */
    } rows[] = {
        {"{'entity_id':'light.office_desk'}", "light.office_desk "},
        {"{'entity_id':['light.office_desk','light.nope','light.bathroom_mirror']}",
         "light.office_desk "},
        {"{'entity_id':'light.office_desk, light.living_room_ceiling'}",
         "light.living_room_ceiling light.office_desk "},
        {"{'entity_id':'none'}", ""},
        {"{'entity_id':'all'}",
         "light.downstairs light.kitchen_ceiling light.living_room_ceiling light.office_desk "},
        {"{'area_id':'kitchen'}", "light.kitchen_ceiling "},
        {"{'area_id':['kitchen','office']}", "light.kitchen_ceiling light.office_desk "},
        {"{'area_id':'nowhere'}", ""},
        {"{'floor_id':'first_floor'}", "light.office_desk "},
        {"{'floor_id':'ground_floor'}",
         "light.downstairs light.kitchen_ceiling light.living_room_ceiling "},
        {"{'label_id':'night'}", "light.office_desk "},
        {"{'device_id':'nothing'}", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct demo_test test;
        char seen[1024] = "", *text;
        int status;

        demo_test_init(&test, NULL);
        text = demo_test_request(&test, "POST", "/api/services/light/turn_off", rows[i].data,
                                 "demo", &status);
        assert_int_equal(status, 200);
        for (char *at = text; (at = strstr(at, "{\"entity_id\":\"")); at += 14)
            snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%.*s ",
                     (int)strcspn(at + 14, "\""), at + 14);
        if (strcmp(seen, rows[i].changed) != 0)
            fail_msg("%s: %s", rows[i].data, seen);
        free(text);
        demo_test_finish(&test);
    }
}

/* What time does: steps of a cover, the alarm, the vacuum, the next track. */
static void test_tick(void **state)
{
    static const struct {
        const char *service, *data; /* NULL: nothing is called */
        int seconds;                /* that pass then */
        const char *entity, *answer;
    } rows[] = {
        {"cover/set_cover_position", "{'entity_id':'cover.kitchen_shade','position':75}", 1,
         "cover.kitchen_shade", "*'closing'*'current_position':90*"},
        {NULL, NULL, 1, "cover.kitchen_shade", "*'closing'*'current_position':80*"},
        {NULL, NULL, 1, "cover.kitchen_shade",
         "*'open'*'current_position':75*'last_changed':'2026-11-16T08:00:03.000000+00:00'*"},
        {"cover/open_cover", "{'entity_id':'cover.garage_door'}", 1, "cover.garage_door",
         "*'state':'open'*"},
        {"cover/close_cover", "{'entity_id':'cover.living_room_blinds'}", 60,
         "cover.living_room_blinds", "*'closed'*'current_position':0*"},
        {"alarm_control_panel/alarm_arm_away",
         "{'entity_id':'alarm_control_panel.home','code':'1234'}", 29, "alarm_control_panel.home",
         "*'arming'*"},
        {NULL, NULL, 1, "alarm_control_panel.home", "*'armed_away'*"},
        {"vacuum/start", "{'entity_id':'vacuum.robo'}", 1, "vacuum.robo", "*'cleaning'*"},
        {"vacuum/return_to_base", "{'entity_id':'vacuum.robo'}", 30, "vacuum.robo", "*'docked'*"},
        {"media_player/media_play", "{'entity_id':'media_player.kitchen'}", 118,
         "media_player.kitchen", "*'playing'*'media_title':'Two Keys'*"},
        {NULL, NULL, 8 * 3600, "sun.sun", "*'below_horizon'*"},
        {NULL, NULL, 2 * 3600, "calendar.home", "*'state':'on'*'message':'Choir practice'*"},
        {NULL, NULL, 600, "sensor.house_power", "*'last_reported':'2026-11-16T18:1*"},
    };
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[128];
        int64_t next;

        snprintf(path, sizeof path, "/api/services/%s", rows[i].service ? rows[i].service : "");
        if (rows[i].service)
            demo_test_rest(&test, &(struct demo_rest_row){"POST", path, rows[i].data, 200, "[{*"});
        test.now += (int64_t)rows[i].seconds * 1000000;
        next = demo_tick(test.demo);
        assert_true(next > 0 && next <= INT64_C(300000000));
        snprintf(path, sizeof path, "/api/states/%s", rows[i].entity);
        demo_test_rest(&test, &(struct demo_rest_row){"GET", path, NULL, 200, rows[i].answer});
    }
    demo_test_finish(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_all_have_rows),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_tick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
