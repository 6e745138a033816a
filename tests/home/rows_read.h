/* home/rows_read.h - the tools that read states, in every situation. */
#ifndef HAFT_TESTS_HOME_ROWS_READ_H
#define HAFT_TESTS_HOME_ROWS_READ_H

#include "home/tools.h"

#define BAD(tool) "!Input validation error: Invalid arguments for tool " tool ": "

static const struct tool_case rows_read[] = {
    /* ---- list_devices ---- */
    {"list_devices", NORMAL, "{'domain':'fan'}",
     .expect = "total=2; truncated=false; without_area=0; devices.0.entity_id='fan.bathroom'; "
               "devices.0.state='on'; devices.0.area='Bathroom'; devices.0.name='Bathroom fan'; "
               "devices.0.attributes.percentage=66; devices.0.attributes.friendly_name=; "
               "devices.1.entity_id='fan.bedroom'; devices.2="},
    {"list_devices", NORMAL, "{'area':'living_room','domain':'light'}",
     .expect = "total=2; without_area=1; devices.0.entity_id='light.living_room_ceiling'; "
               "devices.1.entity_id='light.living_room_lamp'"},
    {"list_devices", NORMAL, "{'area':'Living Room','domain':'light'}", .expect = "total=2"},
    {"list_devices", NORMAL, .expect = "truncated=false"},
    {"list_devices", BAD_ARGUMENT, "{'domain':5}", .expect = BAD("list_devices") "domain: *"},
    {"list_devices", BAD_ARGUMENT, "{'room':'kitchen'}", .expect = BAD("list_devices") "*room*"},
    {"list_devices", BAD_ARGUMENT, "{'area':'cellar'}",
     .expect = "!Area not found: cellar. Areas: *Kitchen*"},
    {"list_devices", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"list_devices", UNAVAILABLE, "{'domain':'switch'}", .unavailable = "switch.tv_socket",
     .expect = "devices.3.entity_id='switch.tv_socket'; devices.3.state='unavailable'"},
    {"list_devices", WRONG_DOMAIN, "{'domain':'contact'}",
     .expect =
         "!There are no entities of the domain \"contact\". Domains: alarm_control_panel, *light*"},
    ROWS_OF_STATES("list_devices", "{}")

    /* ---- search_entities ---- */
    {"search_entities", NORMAL, "{'query':'bedroom light'}",
     .expect = "results.0.entity_id='light.bedroom'; truncated=false"},
    {"search_entities", NORMAL, "{'query':'kichen','domain':'light'}",
     .expect = "count=2; results.0.entity_id='light.kitchen_ceiling'; results.0.area='Kitchen'; "
               "results.1.entity_id='light.kitchen_counter'"},
    {"search_entities", NORMAL, "{'query':'humidity','limit':1}",
     .expect =
         "count=2; truncated=true; results.0.entity_id='sensor.bathroom_humidity'; results.1="},
    {"search_entities", NORMAL, "{'query':'zzz'}",
     .expect = "count=0; results=[]; truncated=false"},
    {"search_entities", BAD_ARGUMENT, "{'query':''}",
     .expect = BAD("search_entities") "query: Too small*"},
    {"search_entities", BAD_ARGUMENT, "{'query':'x','limit':0}",
     .expect = BAD("search_entities") "limit: Too small*"},
    {"search_entities", UNKNOWN_ENTITY, "{'query':'lighthouse.nope'}",
     .expect = "count=0; results=[]"},
    {"search_entities", UNAVAILABLE, "{'query':'bathroom mirror'}",
     .unavailable = "light.bathroom_mirror",
     .expect = "results.0.entity_id='light.bathroom_mirror'; results.0.state='unavailable'"},
    {"search_entities", WRONG_DOMAIN, "{'query':'bedroom','domain':'contact'}",
     .expect = "count=0"},
    ROWS_OF_STATES("search_entities", "{'query':'x'}")

    /* ---- entity_state ---- */
    {"entity_state", NORMAL, "{'entity_id':'light.office_desk'}",
     .expect = "entities.0.state='on'; entities.0.attributes.rgb_color=[51,153,255]; "
               "entities.0.attributes.friendly_name='Office desk'; entities.0.domain='light'; "
               "entities.0.area='Office'; entities.1=; not_found="},
    {"entity_state", NORMAL, "{'entity_id':['light.hallway','lock.front_door','light.nope']}",
     .expect = "entities.0.entity_id='light.hallway'; entities.1.entity_id='lock.front_door'; "
               "not_found=['light.nope']"},
    {"entity_state", NORMAL, "{'entity_id':'camera.front_door'}",
     .expect = "entities.0.state='idle'; entities.0.attributes.access_token=; "
               "entities.0.attributes.entity_picture="},
    {"entity_state", NORMAL, "{'entity_id':'camera.front_door','picture':true}",
     .expect = "entities.0.entity_id='camera.front_door'",
     .asked = "GET /api/camera_proxy/camera.front_door"},
    {"entity_state", BAD_ARGUMENT,
     "{'entity_id':['camera.front_door','light.hallway'],'picture':true}",
     .expect = "!A picture is of one camera; ask for one entity."},
    {"entity_state", WRONG_DOMAIN, "{'entity_id':'light.hallway','picture':true}",
     .expect = "!light.hallway has the domain light; this tool works with: camera.*"},
    {"entity_state", BAD_ARGUMENT, "{'entity_id':[]}",
     .expect = BAD("entity_state") "entity_id: *"},
    {"entity_state", BAD_ARGUMENT, "{}", .expect = BAD("entity_state") "entity_id: *"},
    {"entity_state", UNKNOWN_ENTITY, "{'entity_id':'light.hallwey'}",
     .expect = "!Entity not found: light.hallwey. Similar: light.hallway."},
    {"entity_state", UNAVAILABLE, "{'entity_id':'light.hallway'}",
     .expect = "entities.0.state='unavailable'"},
    ROWS_OF_STATES("entity_state", "{'entity_id':'light.hallway'}")

    /* ---- dashboard ---- */
    {"dashboard", NORMAL, "{'sections':['climate','lights']}",
     .expect =
         "summary.0={'section':'lights','total':10,'active':4,'unavailable':1,'entities':["
         "'light.downstairs','light.kitchen_ceiling','light.living_room_ceiling',"
         "'light.office_desk'],'truncated':false}; summary.1.section='climate'; "
         "summary.1.active=2; summary.2=; climate.0.entity_id='climate.bedroom'; "
         "climate.1={'entity_id':'climate.living_room','mode':'heat','current':19.2,'target':21.5}; "
         "climate.2.target="},
    {"dashboard", NORMAL,
     .expect = "summary.3.section='motion'; summary.3.total=3; summary.3.active=2; "
               "summary.2.section='covers'; summary.2.total=4; summary.2.active=2; "
               "summary.4.section='automations'"},
    {"dashboard", NORMAL, "{'sections':['motion']}", .expect = "summary.1=; climate="},
    {"dashboard", BAD_ARGUMENT, "{'sections':['garden']}",
     .expect = BAD("dashboard") "sections.0: *"},
    {"dashboard", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"dashboard", UNAVAILABLE, "{'sections':['covers']}", .unavailable = "cover.kitchen_shade",
     .expect = "summary.0.total=4; summary.0.unavailable=1; summary.0.active=1"},
    {"dashboard", WRONG_DOMAIN, .why_not = "it takes no entity"},
    ROWS_OF_STATES("dashboard", "{}")

    /* ---- template ---- */
    {"template", NORMAL,
     "{'template':'{{#each rooms}}{{this}} {{/each}}{{state \\'light.bedroom\\'}}','context':{'rooms':['a','b']}}",
     .expect = "result='a b off'", .asked = "!call_service"},
    {"template", NORMAL,
     "{'template':'{{#if (is_state \\'light.office_desk\\' \\'on\\')}}{{attribute "
     "\\'light.office_desk\\' \\'brightness\\'}}{{/if}}'}",
     .expect = "result='128'"},
    {"template", BAD_ARGUMENT, "{}", .expect = BAD("template") "template: *"},
    {"template", BAD_ARGUMENT, "{'template':'{{#if x}}'}",
     .expect = "!The template cannot be rendered: *"},
    {"template", UNKNOWN_ENTITY, "{'template':'[{{state \\'light.nope\\'}}]'}",
     .expect = "result~*"},
    {"template", UNAVAILABLE, "{'template':'{{state \\'light.bathroom_mirror\\'}}'}",
     .unavailable = "light.bathroom_mirror", .expect = "result='unavailable'"},
    {"template", WRONG_DOMAIN, .why_not = "it reads entities of every domain"},
    ROWS_OF_STATES("template", "{'template':'x'}")};

#undef BAD

#endif
