/* home/rows_control.h - the tools that control a home, in every situation. */
#ifndef HAFT_TESTS_HOME_ROWS_CONTROL_H
#define HAFT_TESTS_HOME_ROWS_CONTROL_H

#include "home/tools.h"

#define SERVICE(domain, service) "'domain':'" domain "','service':'" service "'"
#define BAD(tool) "!Input validation error: Invalid arguments for tool " tool ": "

static const struct tool_case rows_control[] = {
    /* ---- control_light ---- */
    {"control_light", NORMAL, "{'entity_id':'light.bedroom','action':'turn_on','brightness':128}",
     .expect = "state='on'; attributes.brightness=128; domain='light'; area='Bedroom'; "
               "name='Bedroom'; last_changed~2026-06-01T12:00:00*",
     .asked = SERVICE("light",
                      "turn_on") ",'service_data':{'entity_id':'light.bedroom','brightness':128}"},
    {"control_light", NORMAL, "{'entity_id':'light.living_room_ceiling','action':'turn_off'}",
     .expect = "state='off'"},
    {"control_light", NORMAL, "{'entity_id':'light.hallway','action':'toggle','transition':0}",
     .expect = "state='on'"},
    {"control_light", NORMAL,
     "{'entity_id':'light.bedroom','action':'turn_on','color_temp_kelvin':2700}",
     .expect = "attributes.color_temp_kelvin=2700", .asked = "'color_temp_kelvin':2700"},
    {"control_light", NORMAL,
     "{'entity_id':'light.living_room_lamp','action':'turn_on','rgb_color':[255,0,10]}",
     .expect = "attributes.rgb_color=[255,0,10]"},
    {"control_light", NORMAL,
     "{'entity_id':'light.living_room_lamp','action':'turn_on','effect':'rainbow'}",
     .expect = "attributes.effect='rainbow'"},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.bedroom','action':'turn_on','brightness':256}",
     .expect = BAD("control_light") "brightness: Too big*", .asked = "!call_service"},
    {"control_light", BAD_ARGUMENT, "{'entity_id':'light.bedroom','action':'dim'}",
     .expect = BAD("control_light") "action: Invalid option: expected one of *turn_on*"},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.bedroom','action':'turn_on','rgb_color':[1,2]}",
     .expect = BAD("control_light") "rgb_color: Too small*"},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.bedroom','action':'turn_on','color_temp':370}",
     .expect = BAD("control_light") "*color_temp*"},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.bedroom','action':'turn_off','brightness':9}",
     .expect = BAD(
         "control_light") "action: turn_off accepts only transition; use turn_on to set the light"},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.bedroom','action':'turn_on','color_temp_kelvin':2700,'rgb_color':[1,2,3]}",
     .expect = BAD("control_light") "rgb_color: Give either color_temp_kelvin or rgb_color"},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.garage','action':'turn_on','brightness':9}",
     .expect = "!light.garage cannot be dimmed. Its color modes: onoff.", .asked = "!call_service"},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.kitchen_counter','action':'turn_on','color_temp_kelvin':2700}",
     .expect =
         "!light.kitchen_counter cannot change its color temperature. Its color modes: brightness."},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.kitchen_ceiling','action':'turn_on','rgb_color':[1,2,3]}",
     .expect = "!light.kitchen_ceiling cannot show colors. Its color modes: color_temp."},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.bedroom','action':'turn_on','color_temp_kelvin':9000}",
     .expect = "!light.bedroom accepts a color_temp_kelvin from 2000 to 6535, not 9000."},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.bedroom','action':'turn_on','effect':'disco'}",
     .expect = "!light.bedroom has no effects."},
    {"control_light", BAD_ARGUMENT,
     "{'entity_id':'light.living_room_lamp','action':'turn_on','effect':'disco'}",
     .expect =
         "!light.living_room_lamp does not have the effect \"disco\". Possible: off, rainbow, candle, pulse."},
    ROWS_OF_ENTITY("control_light", "{'entity_id':'", "light.bathroom_mirror",
                   "','action':'turn_on'}", "switch.tv_socket", "light", "light")
        ROWS_OF_SERVICE("control_light", "{'entity_id':'light.bedroom','action':'turn_on'}")

    /* ---- set_climate ---- */
    {"set_climate", NORMAL, "{'entity_id':'climate.living_room','target_temp':22}",
     .expect = "attributes.temperature=22; state='heat'",
     .asked = SERVICE("climate", "set_temperature")},
    {"set_climate", NORMAL, "{'entity_id':'climate.bedroom','mode':'cool','fan_mode':'high'}",
     .expect = "state='cool'; attributes.fan_mode='high'", .asked = "'hvac_mode':'cool'"},
    {"set_climate", NORMAL,
     "{'entity_id':'climate.bedroom','target_temp_low':18,'target_temp_high':25.5}",
     .expect = "attributes.target_temp_low=18; attributes.target_temp_high=25.5"},
    {"set_climate", BAD_ARGUMENT, "{'entity_id':'climate.bedroom','target_temp_low':18}",
     .expect =
         BAD("set_climate") "target_temp_high: target_temp_low and target_temp_high go together",
     .asked = "!call_service"},
    {"set_climate", BAD_ARGUMENT,
     "{'entity_id':'climate.bedroom','target_temp_low':25,'target_temp_high':20}",
     .expect = BAD("set_climate") "target_temp_low: It is above target_temp_high"},
    {"set_climate", BAD_ARGUMENT,
     "{'entity_id':'climate.bedroom','target_temp':20,'target_temp_low':18,'target_temp_high':20}",
     .expect = BAD("set_climate") "target_temp: Give either target_temp or a range, not both"},
    {"set_climate", BAD_ARGUMENT, "{'entity_id':'climate.bedroom'}",
     .expect = BAD("set_climate") "*Give at least one of mode*"},
    {"set_climate", BAD_ARGUMENT, "{'entity_id':'climate.office','mode':'cool'}",
     .expect = "!climate.office does not have the mode \"cool\". Possible: off, heat.",
     .asked = "!call_service"},
    {"set_climate", BAD_ARGUMENT, "{'entity_id':'climate.office','target_temp':50}",
     .expect = "!climate.office accepts a target_temp from 7 to 35, not 50."},
    {"set_climate", BAD_ARGUMENT,
     "{'entity_id':'climate.office','target_temp_low':18,'target_temp_high':20}",
     .expect = "!climate.office has no temperature range."},
    {"set_climate", BAD_ARGUMENT, "{'entity_id':'climate.office','fan_mode':'high'}",
     .expect = "!climate.office has no fan modes."},
    {"set_climate", BAD_ARGUMENT, "{'entity_id':'climate.bedroom','fan_mode':'storm'}",
     .expect =
         "!climate.bedroom does not have the fan mode \"storm\". Possible: auto, low, medium, high."},
    {"set_climate", HASS_ERROR, "{'entity_id':'climate.office','mode':'heat','target_temp':20}",
     .at = "'set_temperature'",
     .expect = "!home_assistant_error: The device is on fire.\nThe mode was set."},
    ROWS_OF_ENTITY("set_climate", "{'entity_id':'", "climate.office", "','mode':'heat'}",
                   "light.hallway", "climate", "climate")
        ROWS_OF_SERVICE("set_climate", "{'entity_id':'climate.office','mode':'heat'}")

    /* ---- control_cover ---- */
    {"control_cover", NORMAL, "{'entity_id':'cover.bedroom_shutter','action':'open'}",
     .expect = "state='opening'", .asked = SERVICE("cover", "open_cover")},
    {"control_cover", NORMAL, "{'entity_id':'cover.kitchen_shade','action':'close'}",
     .expect = "state='closing'", .asked = SERVICE("cover", "close_cover")},
    {"control_cover", NORMAL, "{'entity_id':'cover.kitchen_shade','action':'set','position':30}",
     .expect = "state='closing'", .asked = "'position':30"},
    {"control_cover", NORMAL, "{'entity_id':'cover.kitchen_shade','action':'toggle'}",
     .expect = "state='closing'", .asked = SERVICE("cover", "toggle")},
    {"control_cover", NORMAL, "{'entity_id':'cover.kitchen_shade','action':'stop'}",
     .expect = "state='open'", .asked = SERVICE("cover", "stop_cover")},
    {"control_cover", BAD_ARGUMENT, "{'entity_id':'cover.kitchen_shade','action':'set'}",
     .expect = BAD("control_cover") "position: The action set needs a position",
     .asked = "!call_service"},
    {"control_cover", BAD_ARGUMENT,
     "{'entity_id':'cover.kitchen_shade','action':'open','position':3}",
     .expect = BAD("control_cover") "position: Only the action set has a position"},
    {"control_cover", BAD_ARGUMENT,
     "{'entity_id':'cover.kitchen_shade','action':'set','position':101}",
     .expect = BAD("control_cover") "position: Too big*"},
    {"control_cover", BAD_ARGUMENT, "{'entity_id':'cover.garage_door','action':'stop'}",
     .expect = "!cover.garage_door cannot be stopped.", .asked = "!call_service"},
    {"control_cover", BAD_ARGUMENT, "{'entity_id':'cover.garage_door','action':'set','position':5}",
     .expect = "!cover.garage_door cannot be set to a position."},
    ROWS_OF_ENTITY("control_cover", "{'entity_id':'", "cover.kitchen_shade", "','action':'open'}",
                   "light.hallway", "cover", "cover")
        ROWS_OF_SERVICE("control_cover", "{'entity_id':'cover.bedroom_shutter','action':'open'}")

    /* ---- set_fan_speed ---- */
    {"set_fan_speed", NORMAL, "{'entity_id':'fan.bedroom','percentage':40}",
     .expect = "state='on'; attributes.percentage=40", .asked = SERVICE("fan", "set_percentage")},
    {"set_fan_speed", NORMAL, "{'entity_id':'fan.bathroom','speed':'high'}",
     .expect = "attributes.percentage=100"},
    {"set_fan_speed", NORMAL, "{'entity_id':'fan.bathroom','speed':'off'}", .expect = "state='off'",
     .asked = SERVICE("fan", "turn_off")},
    {"set_fan_speed", NORMAL, "{'entity_id':'fan.bathroom','percentage':0}",
     .expect = "state='off'"},
    {"set_fan_speed", BAD_ARGUMENT, "{'entity_id':'fan.bathroom'}",
     .expect = BAD("set_fan_speed") "speed: Give either speed or percentage",
     .asked = "!call_service"},
    {"set_fan_speed", BAD_ARGUMENT, "{'entity_id':'fan.bathroom','speed':'low','percentage':3}",
     .expect = BAD("set_fan_speed") "speed: Give either speed or percentage"},
    {"set_fan_speed", BAD_ARGUMENT, "{'entity_id':'fan.bathroom','percentage':-1}",
     .expect = BAD("set_fan_speed") "percentage: Too small*"},
    ROWS_OF_ENTITY("set_fan_speed", "{'entity_id':'", "fan.bedroom", "','speed':'low'}",
                   "light.hallway", "fan", "fan")
        ROWS_OF_SERVICE("set_fan_speed", "{'entity_id':'fan.bedroom','speed':'low'}")

    /* ---- lock_control ---- */
    {"lock_control", NORMAL, "{'entity_id':'lock.back_door','action':'lock'}",
     .expect = "state='locked'", .asked = SERVICE("lock", "lock")},
    {"lock_control", NORMAL, "{'entity_id':'lock.front_door','action':'unlock','code':'1234'}",
     .expect = "state='unlocked'", .asked = SERVICE("lock", "unlock")},
    {"lock_control", BAD_ARGUMENT, "{'entity_id':'lock.back_door','action':'open'}",
     .expect = "!lock.back_door cannot be opened, only unlocked.", .asked = "!call_service"},
    {"lock_control", BAD_ARGUMENT, "{'entity_id':'lock.back_door'}",
     .expect = BAD("lock_control") "action: Invalid option: *"},
    {"lock_control", HASS_ERROR, "{'entity_id':'lock.front_door','action':'unlock','code':'9999'}",
     .at = "nothing breaks",
     .expect =
         "!service_validation_error: Validation error: Invalid code provided for lock.front_door"},
    ROWS_OF_ENTITY("lock_control", "{'entity_id':'", "lock.back_door", "','action':'lock'}",
                   "light.hallway", "lock", "lock")
        ROWS_OF_SERVICE("lock_control", "{'entity_id':'lock.back_door','action':'lock'}")

    /* ---- set_switch ---- */
    {"set_switch", NORMAL, "{'entity_id':'switch.coffee_machine','action':'turn_on'}",
     .expect = "state='on'; area='Kitchen'", .asked = SERVICE("switch", "turn_on")},
    {"set_switch", NORMAL, "{'entity_id':'input_boolean.guest_mode','action':'toggle'}",
     .expect = "state='on'; area=", .asked = SERVICE("input_boolean", "toggle")},
    {"set_switch", BAD_ARGUMENT, "{'entity_id':7,'action':'turn_on'}",
     .expect = BAD("set_switch") "entity_id: *expected string*", .asked = "!call_service"},
    {"set_switch", BAD_ARGUMENT, "{'entity_id':'coffee','action':'turn_on'}",
     .expect = "!Invalid entity id: \"coffee\". An entity id looks like light.kitchen."},
    {"set_switch", HASS_ERROR, "{'entity_id':'switch.faulty','action':'turn_on'}",
     .at = "nothing breaks",
     .expect =
         "!home_assistant_error: Failed to communicate with device switch.faulty: connection timed out"},
    ROWS_OF_ENTITY("set_switch", "{'entity_id':'", "switch.tv_socket", "','action':'turn_off'}",
                   "light.hallway", "switch", "switch,input_boolean")
        ROWS_OF_SERVICE("set_switch", "{'entity_id':'switch.tv_socket','action':'turn_off'}")

    /* ---- vacuum_command ---- */
    {"vacuum_command", NORMAL, "{'entity_id':'vacuum.robo','command':'start'}",
     .expect = "state='cleaning'", .asked = SERVICE("vacuum", "start")},
    {"vacuum_command", NORMAL,
     "{'entity_id':'vacuum.robo','command':'set_fan_speed','fan_speed':'turbo'}",
     .expect = "attributes.fan_speed='turbo'", .asked = SERVICE("vacuum", "set_fan_speed")},
    {"vacuum_command", NORMAL, "{'entity_id':'vacuum.robo','command':'return_to_base'}",
     .expect = "state='returning'",
     .before = "vacuum_command {'entity_id':'vacuum.robo','command':'start'}",
     .asked = SERVICE("vacuum", "return_to_base")},
    {"vacuum_command", BAD_ARGUMENT, "{'entity_id':'vacuum.robo','command':'set_fan_speed'}",
     .expect =
         BAD("vacuum_command") "fan_speed: fan_speed and the command set_fan_speed go together",
     .asked = "!call_service"},
    {"vacuum_command", BAD_ARGUMENT,
     "{'entity_id':'vacuum.robo','command':'set_fan_speed','fan_speed':'warp'}",
     .expect =
         "!vacuum.robo does not have the fan speed \"warp\". Possible: quiet, standard, turbo."},
    ROWS_OF_ENTITY("vacuum_command", "{'entity_id':'", "vacuum.robo", "','command':'start'}",
                   "light.hallway", "vacuum", "vacuum")
        ROWS_OF_SERVICE("vacuum_command", "{'entity_id':'vacuum.robo','command':'start'}")

    /* ---- set_alarm_mode ---- */
    {"set_alarm_mode", NORMAL,
     "{'entity_id':'alarm_control_panel.home','mode':'armed_home','code':'1234'}",
     .expect = "state='armed_home'", .asked = SERVICE("alarm_control_panel", "alarm_arm_home")},
    {"set_alarm_mode", NORMAL,
     "{'entity_id':'alarm_control_panel.home','mode':'disarmed','code':'1234'}",
     .expect = "state='disarmed'", .asked = SERVICE("alarm_control_panel", "alarm_disarm")},
    {"set_alarm_mode", BAD_ARGUMENT, "{'entity_id':'alarm_control_panel.home','mode':'armed'}",
     .expect = BAD("set_alarm_mode") "mode: Invalid option: *", .asked = "!call_service"},
    {"set_alarm_mode", HASS_ERROR,
     "{'entity_id':'alarm_control_panel.home','mode':'disarmed','code':'9999'}",
     .at = "nothing breaks",
     .expect = "!service_validation_error: Validation error: Invalid alarm code provided"},
    ROWS_OF_ENTITY("set_alarm_mode", "{'entity_id':'", "alarm_control_panel.home",
                   "','mode':'disarmed'}", "light.hallway", "alarm_control_panel",
                   "alarm_control_panel")
        ROWS_OF_SERVICE("set_alarm_mode",
                        "{'entity_id':'alarm_control_panel.home','mode':'disarmed','code':'1234'}")

    /* ---- media_player_command ---- */
    {"media_player_command", NORMAL, "{'entity_id':'media_player.living_room','command':'pause'}",
     .expect = "state='paused'", .asked = SERVICE("media_player", "media_pause")},
    {"media_player_command", NORMAL,
     "{'entity_id':'media_player.living_room','command':'volume','volume_level':0.75}",
     .expect = "attributes.volume_level=0.75"},
    {"media_player_command", NORMAL, "{'entity_id':'media_player.living_room','command':'mute'}",
     .expect = "attributes.is_volume_muted=true"},
    {"media_player_command", NORMAL,
     "{'entity_id':'media_player.living_room','command':'select_source','source':'TV'}",
     .expect = "attributes.source='TV'"},
    {"media_player_command", BAD_ARGUMENT,
     "{'entity_id':'media_player.living_room','command':'volume'}",
     .expect = BAD(
         "media_player_command") "volume_level: volume_level and the command volume go together",
     .asked = "!call_service"},
    {"media_player_command", BAD_ARGUMENT,
     "{'entity_id':'media_player.living_room','command':'volume','volume_level':2}",
     .expect = BAD("media_player_command") "volume_level: Too big*"},
    {"media_player_command", BAD_ARGUMENT,
     "{'entity_id':'media_player.living_room','command':'select_source'}",
     .expect =
         BAD("media_player_command") "source: source and the command select_source go together"},
    {"media_player_command", BAD_ARGUMENT,
     "{'entity_id':'media_player.living_room','command':'play','muted':true}",
     .expect = BAD("media_player_command") "muted: Only the command mute has muted"},
    {"media_player_command", BAD_ARGUMENT,
     "{'entity_id':'media_player.living_room','command':'select_source','source':'VHS'}",
     .expect =
         "!media_player.living_room does not have the source \"VHS\". Possible: TV, HDMI 1, HDMI 2, Streaming."},
    ROWS_OF_ENTITY("media_player_command", "{'entity_id':'", "media_player.kitchen",
                   "','command':'play'}", "light.hallway", "media_player", "media_player")
        ROWS_OF_SERVICE("media_player_command",
                        "{'entity_id':'media_player.kitchen','command':'play'}")

    /* ---- activate_scene ---- */
    {"activate_scene", NORMAL, "{'entity_id':'scene.movie_night'}", .expect = "truncated=false",
     .asked = SERVICE("scene", "turn_on")},
    {"activate_scene", BAD_ARGUMENT, "{'entity_id':'scene.movie_night','transition':-1}",
     .expect = BAD("activate_scene") "transition: Too small*", .asked = "!call_service"},
    ROWS_OF_ENTITY("activate_scene", "{'entity_id':'", "scene.movie_night", "'}", "light.hallway",
                   "scene", "scene")
        ROWS_OF_SERVICE("activate_scene", "{'entity_id':'scene.movie_night'}")

    /* ---- trigger_automation ---- */
    {"trigger_automation", NORMAL, "{'entity_id':'automation.good_night','skip_condition':true}",
     .expect = "state='on'; run_id~*; attributes.last_triggered~2026-06-01T12:00:00*",
     .asked = SERVICE("automation", "trigger")},
    {"trigger_automation", BAD_ARGUMENT, "{'entity_id':'automation.good_night','skip_condition':1}",
     .expect = BAD("trigger_automation") "skip_condition: *", .asked = "!call_service"},
    ROWS_OF_ENTITY("trigger_automation", "{'entity_id':'", "automation.good_night", "'}",
                   "light.hallway", "automation", "automation")
        ROWS_OF_SERVICE("trigger_automation", "{'entity_id':'automation.good_night'}")

    /* ---- control_automation ---- */
    {"control_automation", NORMAL, "{'entity_id':'automation.good_night','action':'turn_off'}",
     .expect = "state='off'", .asked = SERVICE("automation", "turn_off")},
    {"control_automation", BAD_ARGUMENT, "{'entity_id':'automation.good_night'}",
     .expect = BAD("control_automation") "action: Invalid option: *", .asked = "!call_service"},
    ROWS_OF_ENTITY("control_automation", "{'entity_id':'", "automation.good_night",
                   "','action':'turn_off'}", "light.hallway", "automation", "automation")
        ROWS_OF_SERVICE("control_automation",
                        "{'entity_id':'automation.good_night','action':'turn_off'}")

    /* ---- send_notification ---- */
    {"send_notification", NORMAL, "{'message':'Dinner','title':'Now'}", .expect = "sent=['notify']",
     .asked = SERVICE("notify", "notify") ",'service_data':{'message':'Dinner','title':'Now'}"},
    {"send_notification", NORMAL,
     "{'message':'Dinner','target':'mobile_app_demo','data':{'ttl':0}}",
     .expect = "sent=['mobile_app_demo']", .asked = "'data':{'ttl':0}"},
    {"send_notification", NORMAL,
     "{'message':'Dinner','target':['notify.mobile_app_demo','notify.demo_phone']}",
     .expect = "sent=['notify.mobile_app_demo','notify.demo_phone']",
     .asked = SERVICE("notify", "send_message")},
    {"send_notification", BAD_ARGUMENT, "{'message':''}",
     .expect = BAD("send_notification") "message: Too small*", .asked = "!call_service"},
    {"send_notification", BAD_ARGUMENT, "{'message':'x','target':[]}",
     .expect = BAD("send_notification") "target: *"},
    {"send_notification", BAD_ARGUMENT, "{'message':'x','target':'notify.demo_phone','data':{}}",
     .expect = "!notify.demo_phone is an entity, which takes no data.", .asked = "!call_service"},
    {"send_notification", UNKNOWN_ENTITY, "{'message':'x','target':['mobile_app_demo','pager']}",
     .expect = "!There is no notify service or entity \"pager\". Possible: *mobile_app_demo*",
     .asked = "!call_service"},
    {"send_notification", UNAVAILABLE, "{'message':'x','target':'notify.demo_phone'}",
     .unavailable = "notify.demo_phone",
     .expect = "!notify.demo_phone is unavailable: Home Assistant has no connection to the device.",
     .asked = "!call_service"},
    {"send_notification", WRONG_DOMAIN, "{'message':'x','target':'light.hallway'}",
     .expect = "!light.hallway is not a target of notifications, which are of the domain notify.",
     .asked = "!call_service"},
    {"send_notification", HASS_ERROR, "{'message':'x','target':['notify','mobile_app_demo']}",
     .at = "'service':'mobile_app_demo'",
     .expect = "!home_assistant_error: The device is on fire.\n"
               "notify and the targets before it were notified."},
    ROWS_OF_SERVICE("send_notification", "{'message':'x'}")

    /* ---- control ---- */
    {"control", NORMAL, "{'entity_id':'light.bedroom','action':'turn_on','brightness':7}",
     .expect = "state='on'; attributes.brightness=7", .asked = SERVICE("light", "turn_on")},
    {"control", NORMAL, "{'entity_id':'switch.tv_socket','action':'toggle'}",
     .expect = "state='off'", .asked = SERVICE("switch", "toggle")},
    {"control", NORMAL, "{'entity_id':'cover.bedroom_shutter','action':'turn_on'}",
     .expect = "state='opening'", .asked = SERVICE("cover", "open_cover")},
    {"control", NORMAL, "{'entity_id':'cover.kitchen_shade','action':'turn_on','position':10}",
     .expect = "domain='cover'", .asked = SERVICE("cover", "set_cover_position")},
    {"control", NORMAL, "{'entity_id':'fan.bedroom','action':'turn_on','fan_speed':25}",
     .expect = "attributes.percentage=25", .asked = SERVICE("fan", "set_percentage")},
    {"control", NORMAL, "{'entity_id':'fan.bathroom','action':'turn_off'}", .expect = "state='off'",
     .asked = SERVICE("homeassistant", "turn_off")},
    {"control", NORMAL, "{'entity_id':'climate.living_room','action':'turn_on','temperature':20}",
     .expect = "attributes.temperature=20", .asked = SERVICE("climate", "set_temperature")},
    {"control", NORMAL, "{'entity_id':'media_player.bedroom','action':'turn_on'}",
     .expect = "domain='media_player'", .asked = SERVICE("homeassistant", "turn_on")},
    {"control", BAD_ARGUMENT, "{'entity_id':'light.bedroom','action':'turn_on','position':7}",
     .expect = "!position is for entities of the domain cover, not for light.bedroom.",
     .asked = "!call_service"},
    {"control", BAD_ARGUMENT, "{'entity_id':'light.bedroom','action':'turn_off','brightness':7}",
     .expect = "!brightness needs the action turn_on."},
    {"control", UNKNOWN_ENTITY, "{'entity_id':'light.bedrom','action':'turn_on'}",
     .expect = "!Entity not found: light.bedrom. Similar: light.bedroom."},
    {"control", UNAVAILABLE, "{'entity_id':'switch.tv_socket','action':'turn_on'}",
     .expect = "!switch.tv_socket is unavailable: *", .asked = "!call_service"},
    {"control", WRONG_DOMAIN, "{'entity_id':'sensor.house_power','action':'turn_on'}",
     .expect =
         "!sensor.house_power cannot be turned on or off: entities of the domain sensor only report.",
     .asked = "!call_service"},
    {"control", WRONG_DOMAIN, "{'entity_id':'lock.front_door','action':'turn_off'}",
     .expect = "!lock.front_door cannot be turned on or off. Use lock_control.",
     .asked = "!call_service"},
    ROWS_OF_SERVICE("control", "{'entity_id':'light.bedroom','action':'turn_on'}")};

#undef SERVICE
#undef BAD

#endif
