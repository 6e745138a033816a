/* home/rows_light.h - the tools for several lights, in every situation. */
#ifndef HAFT_TESTS_HOME_ROWS_LIGHT_H
#define HAFT_TESTS_HOME_ROWS_LIGHT_H

#include "home/tools.h"

#define BAD(tool) "!Input validation error: Invalid arguments for tool " tool ": "
/* The bathroom's mirror is always unavailable. */
#define ROWS_OF_LIGHTS(tool, before, after)                                                        \
    {tool, UNKNOWN_ENTITY, before "light.nope" after, .expect = "!Entity not found: light.nope.*", \
     .asked = "!call_service"},                                                                    \
        {tool,                                                                                     \
         UNAVAILABLE,                                                                              \
         before "light.hallway" after,                                                             \
         .unavailable = "light.hallway",                                                           \
         .expect =                                                                                 \
             "!light.hallway is unavailable: Home Assistant has no connection to the device.",     \
         .asked = "!call_service"},                                                                \
        {tool, WRONG_DOMAIN, before "switch.tv_socket" after,                                      \
         .expect = "!switch.tv_socket has the domain switch; this tool works with: light.",        \
         .asked = "!call_service"},

static const struct tool_case rows_light[] = {
    /* ---- light_scenario ---- */
    {"light_scenario", NORMAL, "{'name':'cyberpunk','lights':['light.office_desk']}",
     .expect = "changed.0.entity_id='light.office_desk'; changed.0.state='on'; "
               "changed.0.attributes.rgb_color=[255,0,200]; changed.0.attributes.brightness=200; "
               "changed.1=",
     .asked =
         "'service_data':{'entity_id':'light.office_desk','brightness':200,'rgb_color':[255,0,200]}"},
    /* A light without color shows the white, one without white the brightness, and one that cannot be dimmed
     * is on, or off where it is to be dark. */
    {"light_scenario", NORMAL,
     "{'name':'party','lights':['light.kitchen_ceiling','light.kitchen_counter','light.garage']}",
     .expect = "changed.0.entity_id='light.garage'; changed.0.state='on'; "
               "changed.1.attributes.color_temp_kelvin=4000; changed.1.attributes.brightness=255; "
               "changed.2.attributes.brightness=255",
     .asked = "'service_data':{'entity_id':'light.garage'}"},
    {"light_scenario", NORMAL, "{'name':'movie','lights':['light.garage'],'transition':2}",
     .expect = "changed.0.state='off'",
     .asked = "'service':'turn_off','service_data':{'entity_id':'light.garage','transition':2}"},
    /* 6500 K is out of the ceiling's range. */
    {"light_scenario", NORMAL, "{'name':'cyberpunk','lights':['light.kitchen_ceiling']}",
     .expect = "changed.0.attributes.color_temp_kelvin=6500"},
    /* A group is its members. */
    {"light_scenario", NORMAL,
     "{'name':'focus','lights':['light.downstairs','light.kitchen_counter']}",
     .expect = "changed.0.entity_id='light.living_room_ceiling'; "
               "changed.1.entity_id='light.living_room_lamp'; "
               "changed.2.entity_id='light.kitchen_ceiling'; "
               "changed.3.entity_id='light.kitchen_counter'; changed.4=",
     .asked = "!light.downstairs"},
    /* All that are available. */
    {"light_scenario", NORMAL, "{'name':'dinner'}",
     .expect =
         "changed.0.entity_id='light.bedroom'; changed.7.state='on'; changed.8=; truncated=false"},
    {"light_scenario", BAD_ARGUMENT, "{'name':'gloomy'}",
     .expect = BAD("light_scenario") "name: Invalid option*chill*"},
    {"light_scenario", BAD_ARGUMENT, "{'name':'chill','lights':[]}",
     .expect = BAD("light_scenario") "lights: Too small*"},
    ROWS_OF_LIGHTS("light_scenario", "{'name':'chill','lights':['light.bedroom','", "']}")
        ROWS_OF_SERVICE("light_scenario", "{'name':'chill','lights':['light.bedroom']}"){
            "light_scenario", HASS_ERROR,
            "{'name':'chill','lights':['light.bedroom','light.hallway']}",
            .at = "'entity_id':'light.hallway'",
            .expect = "!home_assistant_error: The device is on fire.*"
                      "light.bedroom and the lights before it were changed."},

    /* ---- light_showcase ---- */
    {"light_showcase", NORMAL,
     "{'lights':['light.office_desk','light.garage'],'duration':0.5,'pattern':'rainbow'}",
     .expect = "lights=['light.garage','light.office_desk']",
     .asked =
         "'service_data':{'entity_id':'light.office_desk','brightness':128,'rgb_color':[51,153,255]}"},
    {"light_showcase", NORMAL, "{'lights':['light.hallway'],'duration':0.5,'pattern':'pulse'}",
     .expect = "lights=['light.hallway']",
     .asked = "'service':'turn_off','service_data':{'entity_id':'light.hallway'}"},
    {"light_showcase", NORMAL,
     "{'lights':['light.hallway','light.bedroom'],'duration':0.5,'pattern':'sweep'}",
     .expect = "lights=['light.bedroom','light.hallway']",
     .asked = "{'entity_id':'light.hallway','brightness':30}"},
    {"light_showcase", BAD_ARGUMENT, "{'lights':['light.hallway'],'duration':26}",
     .expect = BAD("light_showcase") "duration: Too big*"},
    {"light_showcase", BAD_ARGUMENT, "{'lights':[]}",
     .expect = BAD("light_showcase") "lights: Too small*"},
    ROWS_OF_LIGHTS("light_showcase", "{'duration':0.5,'lights':['light.bedroom','", "']}")
        ROWS_OF_SERVICE("light_showcase", "{'lights':['light.bedroom'],'duration':0.5}")

    /* ---- animation_control ---- */
    {"animation_control", NORMAL, "{'action':'start','lights':['light.bedroom'],'speed':0.5}",
     .expect = "animations.0.id=1; animations.0.lights=['light.bedroom']; "
               "animations.0.pattern='rainbow'; animations.0.speed=0.5; animations.1="},
    {"animation_control", NORMAL, .expect = "animations=[]"},
    {"animation_control", NORMAL, "{'action':'stop'}",
     .before = "animation_control {'action':'start','lights':['light.bedroom']}",
     .expect = "animations=[]",
     .asked = "'service':'turn_off','service_data':{'entity_id':'light.bedroom'}"},
    {"animation_control", BAD_ARGUMENT, "{'action':'start'}",
     .expect = BAD("animation_control") "lights: start needs lights"},
    {"animation_control", BAD_ARGUMENT, "{'action':'start','lights':['light.bedroom'],'speed':11}",
     .expect = BAD("animation_control") "speed: Too big*"},
    {"animation_control", BAD_ARGUMENT, "{'action':'stop','id':7}",
     .expect = "!There is no animation 7."},
    {"animation_control", BAD_ARGUMENT, "{'action':'start','lights':['light.bedroom']}",
     .before = "animation_control {'action':'start','lights':['light.bedroom']}",
     .expect = "!light.bedroom is in animation 1. Stop that first."},
    ROWS_OF_LIGHTS("animation_control", "{'action':'start','lights':['", "']}")
        ROWS_OF_STATES("animation_control", "{'action':'start','lights':['light.bedroom']}")

    /* ---- profile_devices ---- */
    {"profile_devices", NORMAL, "{'entity_id':'light.office_desk','iterations':2}",
     .expect = "iterations=2; truncated=false; latency_ms.0.entity_id='light.office_desk'; "
               "latency_ms.0.change='on'; latency_ms.0.missed=0; latency_ms.1.change='off'; "
               "latency_ms.1.missed=0; latency_ms.2.change='brightness'; latency_ms.2.missed=0; "
               "latency_ms.3.change='color'; latency_ms.3.missed=0; latency_ms.4=",
     .asked =
         "'service_data':{'entity_id':'light.office_desk','brightness':128,'rgb_color':[51,153,255]}"},
    {"profile_devices", NORMAL, "{'entity_id':'light.garage','iterations':1}",
     .expect = "latency_ms.0.missed=0; latency_ms.1.change='off'; latency_ms.2="},
    {"profile_devices", NORMAL, "{'entity_id':'light.hallway','iterations':1}",
     .expect = "latency_ms.2.change='brightness'; latency_ms.3="},
    {"profile_devices", NORMAL, "{'iterations':1}",
     .expect = "latency_ms.0.entity_id='light.bedroom'; "
               "latency_ms.3.entity_id='light.bedroom'; latency_ms.4.entity_id='light.garage'"},
    {"profile_devices", BAD_ARGUMENT, "{'iterations':11}",
     .expect = BAD("profile_devices") "iterations: Too big*"},
    ROWS_OF_LIGHTS("profile_devices", "{'iterations':1,'entity_id':'", "'}")
        ROWS_OF_SERVICE("profile_devices", "{'entity_id':'light.bedroom','iterations':1}")};

#undef ROWS_OF_LIGHTS
#undef BAD

#endif
