/* Every command of the demo home's WebSocket API: what it answers and what it refuses. */
#include "demo/command.h"
#include "demo_test.h"

#define RESULT(json) "{'id':#,'type':'result','success':true,'result':" json "}"
#define CONTEXT "{'id':'01M7*','parent_id':null,'user_id':'*'}"
#define CALLED(response) RESULT("{'context':" CONTEXT ",'response':" response "}")

static const struct demo_ws_row command_rows[] = {
    {"'ping'", "{'id':#,'type':'pong'}"},
    {"'get_states'", RESULT("[{'entity_id':'alarm_control_panel.home',*]")},
    {"'get_config'", RESULT("{*'version':'2026.8.0'*}")},
    {"'get_services'",
     RESULT(
         "{'homeassistant':{'turn_on':{*'light':{'turn_on':{*'target':{'entity':[{'domain':['light']}]}*")},
    {"'get_panels'", RESULT("{'lovelace':{'component_name':'lovelace',*'wall-tablet':{*}")},
    {"'auth/current_user'",
     RESULT(
         "{'id':'*','name':'Demo','is_owner':true,'is_admin':true,'credentials':[],'mfa_modules':[]}")},
    /* Sections 6 and 7.5: what Home Assistant was seen to refuse. */
    {"'get_state'", DEMO_REFUSED("unknown_command", "Unknown command.")},
    {"'supervisor/api','endpoint':'/addons','method':'get'",
     DEMO_REFUSED("unknown_command", "Unknown command.")},
    {"'hacs/repositories/list'", DEMO_REFUSED("unknown_command", "Unknown command.")},
    {"'trace/contexts','domain':'automation'",
     DEMO_REFUSED(
         "invalid_format",
         "some but not all values in the same group of inclusion `id` @ data[<id>]. Got None")},
    {"'call_service','domain':'cover','service':'open','target':{'entity_id':'cover.kitchen_shade'}",
     DEMO_REFUSED("not_found", "Service cover.open not found.")},
    {"'call_service','domain':'light','service':'turn_on','service_data':{'color_temp':300},'target':{'entity_id':"
     "'light.hallway'}",
     DEMO_REFUSED("invalid_format", "extra keys not allowed @ data[`color_temp`]")},
    {"'lovelace/config'", DEMO_REFUSED("config_not_found", "No config found.")},
    {"'lovelace/config','url_path':'nope'",
     DEMO_REFUSED("config_not_found", "Unknown config specified: nope")},
    /* Data that does not match, in the words of voluptuous. */
    {"'call_service','domain':'light','service':'turn_on','service_data':{'brightness':'much','entity_id':'light.hallway'}",
     DEMO_REFUSED("invalid_format", "expected int for dictionary value @ data[`brightness`]")},
    {"'call_service','domain':'light','service':'turn_on','service_data':{'brightness':-1,'entity_id':'light.hallway'}",
     DEMO_REFUSED("invalid_format",
                  "value must be at least 0 for dictionary value @ data[`brightness`]")},
    {"'call_service','domain':'light','service':'turn_on','service_data':{'brightness':300,'entity_id':'light.hallway'}",
     DEMO_REFUSED("invalid_format",
                  "value must be at most 255 for dictionary value @ data[`brightness`]")},
    {"'call_service','domain':'light','service':'turn_on','service_data':{'flash':'quick','entity_id':'light.hallway'}",
     DEMO_REFUSED("invalid_format",
                  "value must be one of [`short`, `long`] for dictionary value @ data[`flash`]")},
    {"'call_service','domain':'light','service':'turn_on','service_data':{'rgb_color':[1,2],'entity_id':'light.hallway'}",
     DEMO_REFUSED("invalid_format", "not a valid value for dictionary value @ data[`rgb_color`]")},
    {"'call_service','domain':'fan','service':'oscillate','service_data':{'oscillating':'maybe','entity_id':'fan.bedroom'}",
     DEMO_REFUSED("invalid_format",
                  "invalid boolean value maybe for dictionary value @ data[`oscillating`]")},
    {"'call_service','domain':'cover','service':'set_cover_position','target':{'entity_id':'cover.kitchen_shade'}",
     DEMO_REFUSED("invalid_format", "required key not provided @ data[`position`]")},
    {"'call_service','domain':'light','service':'turn_on'",
     DEMO_REFUSED(
         "invalid_format",
         "must contain at least one of entity_id, device_id, area_id, floor_id, label_id.")},
    {"'call_service','domain':'light','service':'turn_on','target':{'entity_id':'hallway'}",
     DEMO_REFUSED("invalid_format", "not a valid value for dictionary value @ data[`entity_id`]")},
    {"'call_service','domain':'light','service':'turn_on','service_data':[]",
     DEMO_REFUSED("invalid_format",
                  "expected a dictionary for dictionary value @ data[`service_data`]. Got []")},
    {"'call_service','domain':'light'",
     DEMO_REFUSED("invalid_format", "required key not provided @ data[`service`]. Got None")},
    {"'get_states','x':1",
     DEMO_REFUSED("invalid_format", "extra keys not allowed @ data[`x`]. Got 1")},
    /* Errors of services. */
    {"'call_service','domain':'switch','service':'turn_on','target':{'entity_id':'switch.faulty'}",
     DEMO_REFUSED("home_assistant_error",
                  "Failed to communicate with device switch.faulty: connection timed out")},
    {"'call_service','domain':'lock','service':'unlock','target':{'entity_id':'lock.front_door'}",
     DEMO_REFUSED(
         "service_validation_error",
         "Validation error: The code for lock.front_door doesn`t match pattern ^\\\\d{4}$")},
    {"'call_service','domain':'lock','service':'unlock','service_data':{'code':'0000'},'target':{'entity_id':"
     "'lock.front_door'}",
     DEMO_REFUSED("service_validation_error",
                  "Validation error: Invalid code provided for lock.front_door")},
    {"'call_service','domain':'alarm_control_panel','service':'alarm_arm_home','target':{'entity_id':"
     "'alarm_control_panel.home'}",
     DEMO_REFUSED(
         "service_validation_error",
         "Validation error: Arming requires a code but none was given for alarm_control_panel.home")},
    {"'call_service','domain':'alarm_control_panel','service':'alarm_disarm','service_data':{'code':'1'},'target':"
     "{'entity_id':'alarm_control_panel.home'}",
     DEMO_REFUSED("service_validation_error", "Validation error: Invalid alarm code provided")},
    {"'call_service','domain':'todo','service':'update_item','service_data':{'item':'Moon','status':'completed'},"
     "'target':{'entity_id':'todo.shopping'}",
     DEMO_REFUSED("service_validation_error",
                  "Validation error: Unable to find to-do list item: Moon")},
    {"'call_service','domain':'climate','service':'set_temperature','service_data':{'temperature':50},'target':"
     "{'entity_id':'climate.office'}",
     DEMO_REFUSED(
         "service_validation_error",
         "Validation error: Provided temperature 50.0 is not valid. Accepted range is 7 to 35")},
    {"'call_service','domain':'climate','service':'set_hvac_mode','service_data':{'hvac_mode':'cool'},'target':"
     "{'entity_id':'climate.office'}",
     DEMO_REFUSED(
         "service_validation_error",
         "Validation error: HVAC mode cool is not valid. Valid HVAC modes are: off, heat")},
    {"'call_service','domain':'cover','service':'set_cover_position','service_data':{'position':5},'target':"
     "{'entity_id':'cover.garage_door'}",
     DEMO_REFUSED(
         "service_validation_error",
         "Validation error: Entity cover.garage_door does not support action cover.set_cover_position")},
    {"'call_service','domain':'todo','service':'get_items','target':{'entity_id':'todo.chores'}",
     DEMO_REFUSED(
         "service_validation_error",
         "Validation error: The action requires responses and must be called with return_response=True")},
    {"'call_service','domain':'light','service':'turn_on','return_response':true,'target':{'entity_id':'light.hallway'}",
     DEMO_REFUSED("service_validation_error",
                  "Validation error: An action which does not return responses can`t be "
                  "called with return_response=True")},
    {"'call_service','domain':'todo','service':'get_items','return_response':true,'target':{'entity_id':'todo.chores'}",
     CALLED("{'todo.chores':{'items':[{'summary':'Descale the kettle',*]}}")},
    {"'call_service','domain':'light','service':'turn_on','target':{'entity_id':'light.nope'}",
     CALLED("null")},
    {"'call_service','domain':'light','service':'turn_on','target':{'entity_id':'light.hallway'}",
     CALLED("null")},
    /* Registries. */
    {"'config/area_registry/list'",
     RESULT(
         "[{'aliases':['lounge'],'area_id':'living_room','floor_id':'ground_floor','humidity_entity_id':"
         "'sensor.living_room_humidity','icon':'mdi:sofa','labels':[],'name':'Living Room','picture':null,"
         "'temperature_entity_id':'sensor.living_room_temperature','created_at':1794816000,'modified_at':1794816000},*]")},
    {"'config/area_registry/create','name':'Attic','floor_id':'first_floor'",
     RESULT("{'aliases':[],'area_id':'attic','floor_id':'first_floor',*'name':'Attic',*}")},
    {"'config/area_registry/create','name':'attic'",
     DEMO_REFUSED("invalid_info", "The name attic (attic) is already in use")},
    {"'config/area_registry/create'",
     DEMO_REFUSED("invalid_format", "required key not provided @ data[`name`]. Got None")},
    {"'config/area_registry/update','area_id':'attic','icon':'mdi:home'",
     RESULT("{*'icon':'mdi:home',*}")},
    {"'config/area_registry/update','area_id':'nope','icon':'mdi:home'",
     DEMO_REFUSED("invalid_info", "Area ID doesn`t exist")},
    {"'config/entity_registry/update','entity_id':'sensor.outdoor_temperature','area_id':'attic','name':'Roof'",
     RESULT(
         "{'entity_entry':{'area_id':'attic',*'entity_id':'sensor.outdoor_temperature',*'name':'Roof',*}}")},
    {"'config/entity_registry/get','entity_id':'sensor.outdoor_temperature'",
     RESULT("{'area_id':'attic',*}")},
    {"'config/entity_registry/get','entity_id':'sensor.nope'",
     DEMO_REFUSED("not_found", "Entity not found")},
    {"'render_template','template':'{{ state_attr(`sensor.outdoor_temperature`,`friendly_name`) }}'",
     DEMO_OK_NULL
     "\n{'id':#,'type':'event','event':{'result':'Roof','listeners':{'all':false,'domains':[],'entities':"
     "['sensor.outdoor_temperature'],'time':false}}}"},
    {"'render_template','template':'{{ nope() }}'",
     DEMO_REFUSED("template_error", "UndefinedError: `nope` is undefined")},
    {"'config/area_registry/delete','area_id':'attic'", DEMO_OK_NULL},
    {"'config/area_registry/delete','area_id':'attic'",
     DEMO_REFUSED("invalid_info", "Area ID doesn`t exist")},
    {"'config/entity_registry/get','entity_id':'sensor.outdoor_temperature'",
     RESULT("{'area_id':null,*}")},
    {"'config/entity_registry/list'",
     RESULT("[{'area_id':null,'categories':{},*'has_entity_name':false,*]")},
    {"'config/entity_registry/list_for_display'",
     RESULT(
         "{'entity_categories':{'0':'config','1':'diagnostic'},'entities':[{'ei':'light.living_room_ceiling','pl':"
         "'demo','di':'*','lb':[],'en':'Living room ceiling'},*]}")},
    {"'config/device_registry/list'",
     RESULT(
         "[{'area_id':'living_room','config_entries':[],*'id':'*',*'name':'Living room ceiling lamp',*]")},
    {"'config/device_registry/update','device_id':'nope'",
     DEMO_REFUSED("not_found", "Device not found")},
    {"'config/floor_registry/list'",
     RESULT("[{'aliases':[],'floor_id':'basement',*'level':-1,'name':'Basement',*]")},
    {"'config/floor_registry/create','name':'Roof','level':2",
     RESULT("{*'floor_id':'roof',*'level':2,*}")},
    {"'config/floor_registry/update','floor_id':'roof','level':3", RESULT("{*'level':3,*}")},
    {"'config/floor_registry/delete','floor_id':'roof'", DEMO_OK_NULL},
    {"'config/label_registry/list'",
     RESULT("[{'color':'indigo',*'label_id':'night','name':'Night',*]")},
    {"'config/label_registry/create','name':'Guest'", RESULT("{*'label_id':'guest',*}")},
    {"'config/label_registry/update','label_id':'guest','color':'red'",
     RESULT("{'color':'red',*}")},
    {"'config/label_registry/delete','label_id':'guest'", DEMO_OK_NULL},
    {"'search/related','item_type':'entity','item_id':'light.hallway'",
     RESULT(
         "{'area':['hallway'],'device':['*'],'automation':['automation.hallway_motion_light'],'scene':['scene.all_off']}")},
    {"'search/related','item_type':'area','item_id':'office'",
     RESULT("{'entity':['light.office_desk','climate.office','binary_sensor.office_occupancy']}")},
    {"'search/related','item_type':'x','item_id':'office'",
     "{*'invalid_format'*value must be one of [*"},
    {"'homeassistant/expose_entity/list'",
     RESULT("{'exposed_entities':{*'light.hallway':{'conversation':true}*}}")},
    {"'system_log/list'",
     RESULT(
         "[{'name':'homeassistant.components.switch','message':['switch.faulty did not*'WARNING'*")},
    {"'persistent_notification/get'", RESULT("[]")},
    {"'automation/config','entity_id':'automation.good_night'",
     RESULT("{'config':{'id':'1700000000002',*}}")},
    {"'automation/config','entity_id':'automation.nope'",
     DEMO_REFUSED("not_found", "Entity not found")},
    {"'script/config','entity_id':'script.leave_home'",
     RESULT("{'config':{'alias':'Leave home',*}}")},
    /* Automations. */
    {"'validate_config','triggers':[{'trigger':'state','entity_id':'light.hallway'}],'conditions':[{'condition':'nope'}],"
     "'actions':[{'action':'light.turn_on'}]",
     RESULT(
         "{'triggers':{'valid':true,'error':null},'conditions':{'valid':false,'error':'Invalid condition \\'nope\\' "
         "specified'},'actions':{'valid':true,'error':null}}")},
    {"'validate_config','trigger':{'platform':'state'},'action':{'service':'nope'}",
     RESULT(
         "{'trigger':{'valid':false,'error':'required key not provided @ data[`entity_id`]'},'action':{'valid':false,"
         "'error':'Service nope does not match format <domain>.<name> for dictionary value @ data[0][`action`]'}}")},
    {"'trace/list','domain':'automation','item_id':'1700000000001'",
     RESULT(
         "[{'last_step':'action/0','run_id':'*','state':'stopped','script_execution':'finished','timestamp':{'start':"
         "'2026-11-16T07:00:00.000000+00:00','finish':'*'},'domain':'automation','item_id':'1700000000001','trigger':*},{*}]")},
    {"'trace/list'",
     DEMO_REFUSED("invalid_format", "required key not provided @ data[`domain`]. Got None")},
    {"'trace/list','domain':'light'",
     "{*'invalid_format'*value must be one of [`automation`, `script`]*"},
    {"'trace/get','domain':'automation','item_id':'1700000000001','run_id':'x'",
     DEMO_REFUSED("not_found", "The trace could not be found")},
    {"'trace/contexts','domain':'automation','item_id':'1700000000001'",
     RESULT("{'01M7*':{'run_id':'*','domain':'automation','item_id':'1700000000001'},*}")},
    {"'trace/contexts'", RESULT("{'01M7*}")},
    /* Dashboards. */
    {"'lovelace/dashboards/list'",
     RESULT(
         "[{'id':'energy_overview','url_path':'energy-overview','title':'Energy overview',*,{'id':'wall_tablet',*}]")},
    {"'lovelace/resources'", RESULT("[]")},
    {"'lovelace/config','url_path':'wall-tablet'", RESULT("{'title':'Wall tablet','views':[*]}")},
    {"'lovelace/config/save','config':{'views':[]}", DEMO_OK_NULL},
    {"'lovelace/config','url_path':null", RESULT("{'views':[]}")},
    {"'lovelace/config/delete'", DEMO_OK_NULL},
    {"'lovelace/config','force':true", DEMO_REFUSED("config_not_found", "No config found.")},
    {"'lovelace/config/save','url_path':'x','config':{}",
     DEMO_REFUSED("config_not_found", "Unknown config specified: x")},
    /* Lists. */
    {"'todo/item/list','entity_id':'todo.chores'",
     RESULT("{'items':[{'summary':'Descale the kettle','uid':'chores-1',*]}")},
    {"'todo/item/list','entity_id':'todo.nope'", DEMO_REFUSED("not_found", "Entity not found")},
    {"'todo/item/move','entity_id':'todo.chores','uid':'chores-2'", DEMO_OK_NULL},
    {"'todo/item/list','entity_id':'todo.chores'",
     RESULT("{'items':[{'summary':'Replace*'Descale*]}")},
    {"'todo/item/move','entity_id':'todo.chores','uid':'chores-2','previous_uid':'chores-1'",
     DEMO_OK_NULL},
    {"'todo/item/list','entity_id':'todo.chores'",
     RESULT("{'items':[{'summary':'Descale*'Replace*]}")},
    {"'todo/item/move','entity_id':'todo.chores','uid':'x'",
     DEMO_REFUSED("failed", "Item `x` not found in todo list todo.chores")},
    {"'todo/item/subscribe','entity_id':'todo.nope'",
     DEMO_REFUSED("invalid_entity_id", "To-do list entity not found: todo.nope")},
    {"'todo/item/subscribe','entity_id':'todo.chores'",
     DEMO_OK_NULL "\n{'id':#,'type':'event','event':{'items':[{'summary':'Descale*]}}"},
    /* The past. */
    {"'history/history_during_period','start_time':'2026-11-15T08:00:00Z','entity_ids':['light.garage']",
     RESULT("{'light.garage':[{'s':'off','a':{*},'lu':1794729600}]}")},
    {"'history/history_during_period','start_time':'2026-11-15T08:00:00Z','entity_ids':['light.garage'],"
     "'no_attributes':true,'minimal_response':true,'significant_changes_only':false",
     RESULT("{'light.garage':[{'s':'off','a':{},'lu':1794729600}]}")},
    {"'history/history_during_period','start_time':'2026-11-15T08:00:00Z','entity_ids':['light.garage'],"
     "'include_start_time_state':false",
     RESULT("{}")},
    {"'history/history_during_period','start_time':'nonsense','entity_ids':['light.garage']",
     "{*'invalid_format'*Invalid datetime specified: nonsense*"},
    {"'recorder/list_statistic_ids','statistic_type':'sum'",
     RESULT(
         "[{'statistic_id':'sensor.house_energy','display_unit_of_measurement':'kWh','has_mean':false,'has_sum':true,*]")},
    {"'recorder/statistics_during_period','start_time':'2026-11-16T06:00:00Z','statistic_ids':['sensor.house_energy',"
     "'sensor.house_power'],'period':'hour'",
     RESULT(
         "{'sensor.house_energy':[{'start':1794808800000,'end':1794812400000,'state':*,'sum':*,'change':0.*},{*}],"
         "'sensor.house_power':[{'start':1794808800000,'end':1794812400000,'mean':*,'min':*,'max':*},{*}]}")},
    {"'recorder/statistics_during_period','start_time':'2026-11-16T06:00:00Z','statistic_ids':['sensor.house_power'],"
     "'period':'hour','types':['max']",
     RESULT("{'sensor.house_power':[{'start':1794808800000,'end':1794812400000,'max':*},{*}]}")},
    {"'recorder/statistics_during_period','start_time':'2026-11-16T06:00:00Z','statistic_ids':['x'],'period':'year'",
     "{*'invalid_format'*value must be one of [`5minute`, `hour`, `day`, `week`, `month`]*"},
    /* Events. */
    {"'fire_event','event_type':'my_event'", RESULT("{'context':" CONTEXT "}")},
    {"'subscribe_events','event_type':'my_event'", DEMO_OK_NULL},
    {"'fire_event','event_type':'my_event','event_data':{'a':1}",
     "{'id':*,'type':'event','event':{'event_type':'my_event','data':{'a':1},'origin':'REMOTE','time_fired':"
     "'2026-11-16T08:00:00.000000+00:00','context':" CONTEXT
     "}}\n" RESULT("{'context':" CONTEXT "}")},
    {"'unsubscribe_events','subscription':99999",
     DEMO_REFUSED("not_found", "Subscription not found.")},
    {"'subscribe_trigger','trigger':{'platform':'state'}",
     DEMO_REFUSED("invalid_format", "required key not provided @ data[`entity_id`]")},
    {"'subscribe_trigger','trigger':[{'trigger':'state','entity_id':'fan.bedroom','to':'on'}]",
     DEMO_OK_NULL},
    {"'call_service','domain':'fan','service':'turn_on','target':{'entity_id':'fan.bedroom'}",
     "{'id':*,'type':'event','event':{'variables':{'trigger':{'id':'0','idx':'0','alias':null,'platform':'state',"
     "'entity_id':'fan.bedroom','from_state':{*'off'*},'to_state':{*'on'*},*'description':'state of fan.bedroom'}},"
     "'context':{*}}}\n" CALLED("null")},
    {"'subscribe_entities','entity_ids':['light.office_desk']", DEMO_OK_NULL
     "\n{'id':#,'type':'event','event':{'a':{'light.office_desk':{'s':'on','a':{*},'c':'01M7*','lc':"
     "1794804300}}}}"},
    {"'call_service','domain':'light','service':'turn_off','target':{'entity_id':'light.office_desk'}",
     "{'id':*,'type':'event','event':{'c':{'light.office_desk':{'+':{'s':'off','lc':1794816000,'c':{'id':'01M7*',*},'a':"
     "{'color_mode':null,'brightness':null,'hs_color':null,'rgb_color':null,'xy_color':null}}}}}}\n" CALLED(
         "null")},
    {"'supported_features','features':{'coalesce_messages':1}", DEMO_OK_NULL},
    {"'call_service','domain':'light','service':'turn_on','target':{'entity_id':'light.office_desk'}",
     "[{'id':*,'type':'event',*},{'id':#,'type':'result',*}]"},
};

static void test_each(void **state)
{
    (void)state;
    demo_test_ws_rows(command_rows, COUNT_OF(command_rows));
}

/* Every command of the tables has a row that succeeds. */
static void test_all_have_rows(void **state)
{
    static const struct demo_command_row *const tables[] = {
        demo_commands_core,    demo_commands_registry, demo_commands_trace, demo_commands_todo,
        demo_commands_history, demo_commands_lovelace, demo_commands_more};
    /* These need ids that other tests find out. */
    static const char elsewhere[] = "trace/get config/device_registry/update unsubscribe_events";

    (void)state;
    for (size_t i = 0; i < COUNT_OF(tables); i++)
        for (const struct demo_command_row *row = tables[i]; row->type; row++) {
            bool found = strstr(elsewhere, row->type);
            char wanted[128];

            snprintf(wanted, sizeof wanted, "'%s'", row->type);
            for (size_t k = 0; k < COUNT_OF(command_rows); k++)
                found = found || (!strncmp(command_rows[k].command, wanted, strlen(wanted)) &&
                                  !strstr(command_rows[k].answer, "'success':false"));
            if (!found)
                fail_msg("%s has no row", row->type);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_all_have_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
