/* house_records.c - floors, areas, labels, automations, scripts, scenes, dashboards and lists of the house. */
#include "demo/house.h"
#include "demo/model.h"

const struct house_record demo_house_records[] = {
    {DEMO_FLOORS, "basement",
     "'name':'Basement','level':-1,'icon':'mdi:home-floor-b','aliases':[]"},
    {DEMO_FLOORS, "ground_floor",
     "'name':'Ground floor','level':0,'icon':'mdi:home-floor-0','aliases':['downstairs']"},
    {DEMO_FLOORS, "first_floor",
     "'name':'First floor','level':1,'icon':'mdi:home-floor-1','aliases':['upstairs']"},

    {DEMO_AREAS, "living_room",
     "'name':'Living Room','floor_id':'ground_floor','icon':'mdi:sofa','aliases':['lounge'],"
     "'labels':[],'humidity_entity_id':'sensor.living_room_humidity','temperature_entity_id':'sensor.living_room_temperature'"},
    {DEMO_AREAS, "kitchen",
     "'name':'Kitchen','floor_id':'ground_floor','icon':'mdi:stove','aliases':[],'labels':[]"},
    {DEMO_AREAS, "hallway",
     "'name':'Hallway','floor_id':'ground_floor','icon':'mdi:door','aliases':['entrance'],'labels':[]"},
    {DEMO_AREAS, "garage",
     "'name':'Garage','floor_id':'ground_floor','icon':'mdi:garage','aliases':[],'labels':[]"},
    {DEMO_AREAS, "bedroom",
     "'name':'Bedroom','floor_id':'first_floor','icon':'mdi:bed','aliases':[],'labels':[],"
     "'temperature_entity_id':'sensor.bedroom_temperature'"},
    {DEMO_AREAS, "bathroom",
     "'name':'Bathroom','floor_id':'first_floor','icon':'mdi:shower','aliases':[],'labels':[]"},
    {DEMO_AREAS, "office",
     "'name':'Office','floor_id':'first_floor','icon':'mdi:desk','aliases':['study'],'labels':[]"},
    {DEMO_AREAS, "utility_room",
     "'name':'Utility Room','floor_id':'basement','icon':'mdi:washing-machine','aliases':[],"
     "'labels':[]"},

    {DEMO_LABELS, "night",
     "'name':'Night','color':'indigo','icon':'mdi:weather-night','description':'Off at night'"},
    {DEMO_LABELS, "critical",
     "'name':'Critical','color':'red','icon':'mdi:alert','description':null"},

    {DEMO_AUTOMATIONS, "1700000000001",
     "'id':'1700000000001','alias':'Hallway motion light','description':'Light when somebody comes in','triggers':"
     "[{'trigger':'state','entity_id':'binary_sensor.hallway_motion','to':'on'}],'conditions':[{'condition':'state',"
     "'entity_id':'light.hallway','state':'off'}],'actions':[{'action':'light.turn_on','target':{'entity_id':"
     "'light.hallway'},'data':{'brightness_pct':60}}],'mode':'single'"},
    {DEMO_AUTOMATIONS, "1700000000002",
     "'id':'1700000000002','alias':'Good night','description':'','triggers':[{'trigger':'time','at':'23:00:00'}],"
     "'conditions':[],'actions':[{'action':'light.turn_off','target':{'entity_id':'all'}},{'delay':0},{'action':"
     "'lock.lock','target':{'entity_id':'lock.back_door'}}],'mode':'single'"},
    {DEMO_AUTOMATIONS, "1700000000003",
     "'id':'1700000000003','alias':'Low battery notice','description':'','triggers':[{'trigger':'numeric_state',"
     "'entity_id':'sensor.hallway_motion_battery','below':10}],'conditions':[],'actions':[{'action':"
     "'persistent_notification.create','data':{'message':'The battery of the hallway motion sensor is low',"
     "'title':'Battery'}}],'mode':'single'"},

    {DEMO_SCRIPTS, "leave_home",
     "'alias':'Leave home','description':'Everything off, doors locked','sequence':[{'action':'light.turn_off','target':"
     "{'entity_id':'all'}},{'action':'lock.lock','target':{'entity_id':'lock.back_door'}}],'mode':'single','icon':'mdi:exit-run'"},
    {DEMO_SCRIPTS, "doorbell_chime",
     "'alias':'Doorbell chime','description':'','sequence':[{'action':'media_player.play_media','target':{'entity_id':"
     "'media_player.kitchen'},'data':{'media_content_id':'demo:chime','media_content_type':'music'}}],'mode':'single'"},

    {DEMO_SCENES, "1700000000101",
     "'id':'1700000000101','name':'Movie night','icon':'mdi:movie-open','entities':{'light.living_room_ceiling':"
     "{'state':'on','brightness':40},'light.living_room_lamp':{'state':'on','brightness':90,'rgb_color':[255,100,20]},"
     "'light.kitchen_ceiling':{'state':'off'},'cover.living_room_blinds':'closed'}"},
    {DEMO_SCENES, "1700000000102",
     "'id':'1700000000102','name':'Good morning','icon':'mdi:weather-sunset-up','entities':{'light.kitchen_ceiling':"
     "{'state':'on','brightness':255},'switch.coffee_machine':'on','cover.bedroom_shutter':'open'}"},
    {DEMO_SCENES, "1700000000103",
     "'id':'1700000000103','name':'All off','icon':'mdi:power','entities':{'light.living_room_ceiling':'off',"
     "'light.living_room_lamp':'off','light.kitchen_ceiling':'off','light.kitchen_counter':'off','light.hallway':'off',"
     "'light.bedroom':'off','light.office_desk':'off','light.garage':'off'}"},

    {DEMO_DASHBOARDS, "energy_overview",
     "'id':'energy_overview','url_path':'energy-overview','title':'Energy overview',"
     "'icon':'mdi:lightning-bolt','mode':'storage','require_admin':false,'show_in_sidebar':true"},
    {DEMO_DASHBOARDS, "wall_tablet",
     "'id':'wall_tablet','url_path':'wall-tablet','title':'Wall tablet',"
     "'icon':'mdi:tablet','mode':'storage','require_admin':false,'show_in_sidebar':true"},
    {DEMO_VIEWS, "energy-overview",
     "'title':'Energy overview','views':[{'title':'Energy','path':'energy','icon':"
     "'mdi:flash','cards':[{'type':'history-graph','entities':['sensor.house_power']},{'type':'entities','entities':"
     "['sensor.house_energy','sensor.solar_energy']}]}]"},
    {DEMO_VIEWS, "wall-tablet",
     "'title':'Wall tablet','views':[{'title':'Ground floor','path':'ground','sections':"
     "[{'type':'grid','cards':[{'type':'tile','entity':'light.living_room_ceiling'},{'type':'tile','entity':"
     "'climate.living_room'},{'type':'tile','entity':'lock.front_door'}]}]}]"},

    {DEMO_LISTS, "todo.shopping",
     "'items':[{'summary':'Milk','uid':'shopping-1','status':'needs_action'},{'summary':"
     "'Coffee beans','uid':'shopping-2','status':'needs_action','description':'the dark ones'},{'summary':'Light bulbs',"
     "'uid':'shopping-3','status':'needs_action'},{'summary':'Bread','uid':'shopping-4','status':'completed'}]"},
    {DEMO_LISTS, "todo.chores",
     "'items':[{'summary':'Descale the kettle','uid':'chores-1','status':'needs_action'},"
     "{'summary':'Replace the hallway battery','uid':'chores-2','status':'needs_action','due':'2030-01-31'}]"},
};
const size_t demo_house_n_records = sizeof demo_house_records / sizeof *demo_house_records;
