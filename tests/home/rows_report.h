/* home/rows_report.h - the tools that report on the home and on this server, in every situation. */
#ifndef HAFT_TESTS_HOME_ROWS_REPORT_H
#define HAFT_TESTS_HOME_ROWS_REPORT_H

#include "home/tools.h"

#define BAD(tool) "!Input validation error: Invalid arguments for tool " tool ": "

static const struct tool_case rows_report[] = {
    /* ---- maintenance_report ---- */
    {"maintenance_report", NORMAL,
     .expect =
         "orphaned={'light.bathroom_mirror':'unavailable'}; "
         "low_battery={'sensor.hallway_motion_battery':14}; "
         "stale={'binary_sensor.kitchen_smoke':12,'light.garage':31}; truncated=false; "
         "lights_by_area.Bathroom={'total':1,'on':0}; "
         "lights_by_area.Kitchen={'total':2,'on':1}; energy={'sensor.house_energy':"
         "'9745.31 kWh','sensor.house_power':'690 W','sensor.solar_energy':'4063.56 kWh','sensor.washing_machine_power':'55.3 W'}"},
    {"maintenance_report", NORMAL, "{'days':30}", .expect = "stale={'light.garage':31}"},
    {"maintenance_report", BAD_ARGUMENT, "{'days':0}",
     .expect = BAD("maintenance_report") "days: Too small*"},
    {"maintenance_report", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"maintenance_report", UNAVAILABLE, .unavailable = "light.garage",
     .expect = "orphaned={'light.bathroom_mirror':'unavailable','light.garage':'unavailable'}; "
               "stale={'binary_sensor.kitchen_smoke':12}"},
    {"maintenance_report", WRONG_DOMAIN, .why_not = "it takes no entity"},
    ROWS_OF_STATES("maintenance_report", "{}")

    /* ---- smart_scenarios ---- */
    {"smart_scenarios", NORMAL, "{'scenario':'window_heating'}",
     .expect = "found=[{'scenario':'window_heating','entity_id':'climate.living_room',"
               "'reason':'heating while binary_sensor.living_room_window is open',"
               "'service':'turn_off'}]; applied=[]",
     .asked = "!call_service"},
    {"smart_scenarios", NORMAL, "{'scenario':'energy_saving'}",
     .expect = "found=[{'scenario':'energy_saving','entity_id':'climate.living_room',"
               "'reason':'heating to 21.5 degrees','service':'set_preset_mode',"
               "'config':{'preset_mode':'eco'}}]"},
    {"smart_scenarios", NORMAL, "{'scenario':'nobody_home'}", .expect = "found=[]"},
    {"smart_scenarios", NORMAL, .expect = "found.0.scenario='window_heating'; found.1="},
    {"smart_scenarios", NORMAL, "{'scenario':'window_heating','apply':true}",
     .expect = "applied=[{'entity_id':'climate.living_room','state':'off'}]",
     .asked = "'domain':'climate','service':'turn_off'"},
    {"smart_scenarios", NORMAL, "{'scenario':'energy_saving','apply':true}",
     .expect = "applied=[{'entity_id':'climate.living_room','state':'heat'}]",
     .asked = "'preset_mode':'eco'"},
    {"smart_scenarios", NORMAL, "{'scenario':'nobody_home','apply':true}",
     .expect = "found=[]; applied=[]", .asked = "!call_service"},
    {"smart_scenarios", BAD_ARGUMENT, "{'scenario':'party'}",
     .expect = BAD("smart_scenarios") "scenario: Invalid option*"},
    {"smart_scenarios", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"smart_scenarios", UNAVAILABLE, "{'scenario':'window_heating'}",
     .unavailable = "climate.living_room", .expect = "found=[]"},
    {"smart_scenarios", WRONG_DOMAIN, .why_not = "it takes no entity"},
    ROWS_OF_SERVICE("smart_scenarios", "{'scenario':'window_heating','apply':true}"){
        "smart_scenarios", LOST,
        .expect = "!The demo home cannot be reached: the connection was cut."},

    /* ---- sse_stats ---- */
    {"sse_stats", NORMAL, .before = "example {'message':'x'}",
     .expect = "sessions=1; streams=0; calls=1; last_seen~*T*Z"},
    {"sse_stats", BAD_ARGUMENT, .why_not = "it takes no arguments"},
    {"sse_stats", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"sse_stats", UNAVAILABLE, .why_not = "it takes no entity"},
    {"sse_stats", WRONG_DOMAIN, .why_not = "it takes no entity"},
    {"sse_stats", HASS_ERROR, .expect = "sessions=1", .asked = "!get_states"},
    {"sse_stats", LOST, .expect = "sessions=1", .asked = "!get_states"},
    {"sse_stats", DEADLINE, .expect = "sessions=1", .asked = "!get_states"},
    {"sse_stats", CANCELLED, .why_not = "it does not wait"},

    /* ---- subscribe_events ---- */
    {"subscribe_events", NORMAL, "{'seconds':0.1}",
     .expect = "subscription='state_changed'; events=0; dropped=0; latest=[]",
     .asked = "'type':'unsubscribe_events'"},
    {"subscribe_events", NORMAL, "{'event_type':'call_service','seconds':0.1}",
     .expect = "subscription='call_service'", .asked = "'event_type':'call_service'"},
    {"subscribe_events", BAD_ARGUMENT, "{'seconds':0}",
     .expect = BAD("subscribe_events") "seconds: Too small*"},
    {"subscribe_events", UNKNOWN_ENTITY, "{'entity_id':'light.nope'}",
     .expect = "!Entity not found: light.nope.*"},
    {"subscribe_events", UNAVAILABLE, "{'entity_id':'light.hallway','seconds':0.1}",
     .expect = "events=0"},
    {"subscribe_events", WRONG_DOMAIN, .why_not = "it follows entities of every domain"},
    {"subscribe_events", HASS_ERROR, "{'event_type':'burning'}", .at = "'burning'",
     .expect = "!home_assistant_error: The device is on fire."},
    {"subscribe_events", LOST, "{'seconds':1}",
     .expect = "!The demo home cannot be reached: the connection was cut."},
    {"subscribe_events", DEADLINE, "{'seconds':1}",
     .expect = "!The demo home cannot be reached: it has not answered yet."},
    {"subscribe_events", CANCELLED, "{'event_type':'quiet'}", .at = "'quiet'"}};

#undef BAD

#endif
