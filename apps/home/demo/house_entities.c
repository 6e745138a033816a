/* house_entities.c - every entity of the house, a row each. */
#include "demo/house.h"

#define WHITE "'min_color_temp_kelvin':2000,'max_color_temp_kelvin':6535,"
#define UNLIT                                                                                      \
    "'color_mode':null,'brightness':null,'color_temp_kelvin':null,'hs_color':null,'rgb_color':null,'xy_color':null,"
#define WARM                                                                                          \
    "'color_mode':'color_temp','brightness':180,'color_temp_kelvin':2702,'hs_color':[28.391,65.659]," \
    "'rgb_color':[255,167,88],'xy_color':[0.525,0.388],"
#define TEMPERATURE                                                                                \
    "'state_class':'measurement','unit_of_measurement':'°C','device_class':'temperature'"
#define HUMIDITY "'state_class':'measurement','unit_of_measurement':'%','device_class':'humidity'"
#define POWER "'state_class':'measurement','unit_of_measurement':'W','device_class':'power'"
#define ENERGY                                                                                     \
    "'state_class':'total_increasing','unit_of_measurement':'kWh','device_class':'energy'"
#define BATTERY "'state_class':'measurement','unit_of_measurement':'%','device_class':'battery'"
#define MEDIA_FEATURES "'supported_features':122815"

const struct house_entity demo_house_entities[] = {
    /* lights: EFFECT 4, FLASH 8, TRANSITION 32 */
    {"light.living_room_ceiling", "Living room ceiling", "living_room", "Living room ceiling lamp",
     "on", WHITE WARM "'supported_color_modes':['color_temp','hs'],'supported_features':40", 1.5},
    {"light.living_room_lamp", "Living room lamp", "living_room", "Living room lamp", "off",
     WHITE UNLIT "'effect_list':['off','rainbow','candle','pulse'],'effect':null,"
                 "'supported_color_modes':['color_temp','rgb'],'supported_features':44",
     7},
    {"light.kitchen_ceiling", "Kitchen ceiling", "kitchen", "Kitchen ceiling lamp", "on",
     WHITE WARM "'supported_color_modes':['color_temp'],'supported_features':40", 0.75},
    {"light.kitchen_counter", "Kitchen counter", "kitchen", "Kitchen counter strip", "off",
     "'supported_color_modes':['brightness'],'color_mode':null,'brightness':null,'supported_features':32",
     10},
    {"light.hallway", "Hallway", "hallway", "Hallway lamp", "off",
     "'supported_color_modes':['brightness'],'color_mode':null,'brightness':null,'supported_features':32",
     2},
    {"light.bedroom", "Bedroom", "bedroom", "Bedroom lamp", "off",
     WHITE UNLIT "'supported_color_modes':['color_temp','hs'],'supported_features':40", 8.5},
    {"light.bathroom_mirror", "Bathroom mirror", "bathroom", "Bathroom mirror light", "unavailable",
     "'supported_color_modes':['brightness'],'supported_features':32", 20},
    {"light.office_desk", "Office desk", "office", "Office desk strip", "on",
     "'supported_color_modes':['rgbw'],'color_mode':'rgbw','brightness':128,'color_temp_kelvin':null,"
     "'hs_color':[210.0,80.0],'rgb_color':[51,153,255],'xy_color':[0.18,0.21],'supported_features':40",
     3.25},
    {"light.garage", "Garage", "garage", "Garage lamp", "off",
     "'supported_color_modes':['onoff'],'color_mode':null,'supported_features':0", 31 * 24},
    {"light.downstairs", "Downstairs", NULL, NULL, "on",
     "'supported_color_modes':['color_temp','rgbw'],'color_mode':'brightness','brightness':180,"
     "'entity_id':['light.living_room_ceiling','light.living_room_lamp','light.kitchen_ceiling','light.kitchen_counter'],"
     "'icon':'mdi:lightbulb-group','supported_features':40",
     1.5},

    {"switch.coffee_machine", "Coffee machine", "kitchen", "Coffee machine plug", "off",
     "'device_class':'outlet'", 4},
    {"switch.tv_socket", "TV socket", "living_room", "TV plug", "on", "'device_class':'outlet'", 5},
    {"switch.garden_fountain", "Garden fountain", NULL, "Garden fountain pump", "off",
     "'device_class':'switch'", 12},
    {"switch.faulty", "Faulty switch", "utility_room", "Old relay", "off",
     "'device_class':'switch'", 18},
    {"input_boolean.guest_mode", "Guest mode", NULL, NULL, "off",
     "'editable':true,'icon':'mdi:account-plus'", 200},
    {"input_boolean.vacation", "Vacation", NULL, NULL, "off", "'editable':true,'icon':'mdi:beach'",
     400},

    /* climates: TARGET_TEMPERATURE 1, RANGE 2, HUMIDITY 4, FAN_MODE 8, PRESET 16, TURN_OFF 128, TURN_ON 256 */
    {"climate.living_room", "Living room thermostat", "living_room", "Living room thermostat",
     "heat",
     "'hvac_modes':['off','heat','auto'],'min_temp':7,'max_temp':35,'target_temp_step':0.5,"
     "'preset_modes':['none','eco','away','comfort'],'current_temperature':19.2,'temperature':21.5,"
     "'hvac_action':'heating','preset_mode':'comfort','supported_features':401",
     6},
    {"climate.bedroom", "Bedroom air conditioner", "bedroom", "Bedroom air conditioner",
     "heat_cool",
     "'hvac_modes':['off','heat','cool','heat_cool','auto','dry','fan_only'],'min_temp':7,'max_temp':35,"
     "'target_temp_step':0.5,'fan_modes':['auto','low','medium','high'],'preset_modes':['none','eco','sleep'],"
     "'min_humidity':30,'max_humidity':99,'current_temperature':20.5,'temperature':null,"
     "'target_temp_high':24.0,'target_temp_low':19.0,'current_humidity':48,'humidity':50,'fan_mode':'auto',"
     "'hvac_action':'idle','preset_mode':'none','supported_features':415",
     9},
    {"climate.office", "Office thermostat", "office", "Office thermostat", "off",
     "'hvac_modes':['off','heat'],'min_temp':7,'max_temp':35,'target_temp_step':0.5,'current_temperature':18.1,"
     "'temperature':null,'hvac_action':'off','supported_features':385",
     15},

    /* covers: OPEN 1, CLOSE 2, SET_POSITION 4, STOP 8, tilt 16 to 128 */
    {"cover.living_room_blinds", "Living room blinds", "living_room", "Living room blinds", "open",
     "'current_position':70,'current_tilt_position':50,'device_class':'blind','supported_features':255",
     3},
    {"cover.bedroom_shutter", "Bedroom shutter", "bedroom", "Bedroom shutter", "closed",
     "'current_position':0,'device_class':'shutter','supported_features':15", 10},
    {"cover.kitchen_shade", "Kitchen shade", "kitchen", "Kitchen shade", "open",
     "'current_position':100,'device_class':'shade','supported_features':15", 11},
    {"cover.garage_door", "Garage door", "garage", "Garage door opener", "closed",
     "'device_class':'garage','supported_features':3", 13},

    /* fans: SET_SPEED 1, OSCILLATE 2, DIRECTION 4, PRESET 8, TURN_OFF 16, TURN_ON 32 */
    {"fan.bedroom", "Bedroom fan", "bedroom", "Bedroom fan", "off",
     "'percentage':0,'percentage_step':1.0,'preset_mode':null,'preset_modes':['auto','sleep'],"
     "'oscillating':false,'direction':'forward','supported_features':63",
     14},
    {"fan.bathroom", "Bathroom fan", "bathroom", "Bathroom fan", "on",
     "'percentage':66,'percentage_step':33.333333333333336,'supported_features':49", 0.5},

    {"lock.front_door", "Front door", "hallway", "Front door lock", "locked",
     "'code_format':'^\\\\d{4}$','changed_by':'Anna','supported_features':1", 2.5},
    {"lock.back_door", "Back door", "kitchen", "Back door lock", "unlocked",
     "'changed_by':null,'supported_features':0", 1},

    /* ARM_HOME 1, AWAY 2, NIGHT 4, TRIGGER 8, CUSTOM_BYPASS 16, VACATION 32 */
    {"alarm_control_panel.home", "Home alarm", "hallway", "Alarm panel", "disarmed",
     "'code_format':'number','changed_by':null,'code_arm_required':true,'supported_features':63",
     7},

    {"media_player.living_room", "Living room TV", "living_room", "Living room TV", "playing",
     "'volume_level':0.4,'is_volume_muted':false,'media_content_id':'demo:film','media_content_type':'movie',"
     "'media_duration':5400,'media_position':1200,'media_title':'The Long Way Home','source':'HDMI 1',"
     "'source_list':['TV','HDMI 1','HDMI 2','Streaming'],'sound_mode':'Movie','sound_mode_list':['Movie','Music'],"
     "'shuffle':false,'repeat':'off','device_class':'tv'," MEDIA_FEATURES,
     0.4},
    {"media_player.kitchen", "Kitchen speaker", "kitchen", "Kitchen speaker", "paused",
     "'volume_level':0.25,'is_volume_muted':false,'media_content_id':'demo:0','media_content_type':'music',"
     "'media_duration':182,'media_position':64,'media_title':'Morning Light','media_artist':'The Kettles',"
     "'source':'Library','source_list':['Library','Radio','Bluetooth'],'shuffle':false,'repeat':'off',"
     "'device_class':'speaker'," MEDIA_FEATURES,
     2},
    {"media_player.bedroom", "Bedroom speaker", "bedroom", "Bedroom speaker", "off",
     "'source_list':['Library','Radio'],'device_class':'speaker'," MEDIA_FEATURES, 9},

    /* PAUSE 4, STOP 8, RETURN_HOME 16, FAN_SPEED 32, SEND_COMMAND 256, LOCATE 512, CLEAN_SPOT 1024, STATE 4096, START
       8192 */
    {"vacuum.robo", "Robo", "utility_room", "Robo vacuum", "docked",
     "'fan_speed_list':['quiet','standard','turbo'],'battery_level':92,'fan_speed':'standard','supported_features':14140",
     22},

    {"sensor.living_room_temperature", "Living room temperature", "living_room",
     "Living room sensor", "19.2", TEMPERATURE, 0.2},
    {"sensor.living_room_humidity", "Living room humidity", "living_room", "Living room sensor",
     "47", HUMIDITY, 0.2},
    {"sensor.bedroom_temperature", "Bedroom temperature", "bedroom", "Bedroom sensor", "20.5",
     TEMPERATURE, 0.2},
    {"sensor.bathroom_humidity", "Bathroom humidity", "bathroom", "Bathroom sensor", "61", HUMIDITY,
     0.2},
    {"sensor.outdoor_temperature", "Outdoor temperature", NULL, "Outdoor sensor", "7.4",
     TEMPERATURE, 0.2},
    {"sensor.washing_machine_power", "Washing machine power", "utility_room",
     "Washing machine plug", "3.1", POWER, 0.2},
    {"sensor.house_power", "House power", "utility_room", "Energy meter", "412", POWER, 0.2},
    {"sensor.house_energy", "House energy", "utility_room", "Energy meter", "8123.4", ENERGY, 0.2},
    {"sensor.solar_energy", "Solar energy", "utility_room", "Solar inverter", "3321.7", ENERGY,
     0.2},
    {"sensor.hallway_motion_battery", "Hallway motion battery", "hallway", "Hallway motion sensor",
     "14", BATTERY, 30},
    {"sensor.front_door_battery", "Front door battery", "hallway", "Front door lock", "78", BATTERY,
     40},
    {"sensor.hallway_illuminance", "Hallway illuminance", "hallway", "Hallway motion sensor", "55",
     "'state_class':'measurement','unit_of_measurement':'lx','device_class':'illuminance'", 0.2},
    {"sensor.phone_next_alarm", "Phone next alarm", "bedroom", NULL, "unknown",
     "'device_class':'timestamp'", 11},

    {"binary_sensor.hallway_motion", "Hallway motion", "hallway", "Hallway motion sensor", "off",
     "'device_class':'motion'", 1.1},
    {"binary_sensor.kitchen_motion", "Kitchen motion", "kitchen", "Kitchen motion sensor", "on",
     "'device_class':'motion'", 0.1},
    {"binary_sensor.front_door", "Front door contact", "hallway", "Front door lock", "off",
     "'device_class':'door'", 2.5},
    {"binary_sensor.back_door", "Back door contact", "kitchen", "Back door lock", "off",
     "'device_class':'door'", 6},
    {"binary_sensor.living_room_window", "Living room window", "living_room",
     "Living room window sensor", "on", "'device_class':'window'", 0.6},
    {"binary_sensor.bedroom_window", "Bedroom window", "bedroom", "Bedroom window sensor", "off",
     "'device_class':'window'", 8},
    {"binary_sensor.kitchen_smoke", "Kitchen smoke", "kitchen", "Kitchen smoke detector", "off",
     "'device_class':'smoke'", 300},
    {"binary_sensor.office_occupancy", "Office occupancy", "office", "Office presence sensor", "on",
     "'device_class':'occupancy'", 2},

    {"person.anna", "Anna", NULL, NULL, "home",
     "'editable':true,'id':'anna','latitude':52.3731,'longitude':4.8922,'gps_accuracy':10,"
     "'source':'device_tracker.anna_phone','device_trackers':['device_tracker.anna_phone'],'user_id':null",
     2.5},
    {"person.ben", "Ben", NULL, NULL, "not_home",
     "'editable':true,'id':'ben','latitude':52.3105,'longitude':4.7683,'gps_accuracy':24,"
     "'source':'device_tracker.ben_phone','device_trackers':['device_tracker.ben_phone'],'user_id':null",
     5},
    {"device_tracker.anna_phone", "Anna phone", NULL, NULL, "home",
     "'source_type':'gps','latitude':52.3731,'longitude':4.8922,'gps_accuracy':10,'battery_level':64",
     2.5},
    {"device_tracker.ben_phone", "Ben phone", NULL, NULL, "not_home",
     "'source_type':'gps','latitude':52.3105,'longitude':4.7683,'gps_accuracy':24,'battery_level':81",
     5},
    {"zone.home", "Home", NULL, NULL, "1",
     "'latitude':52.3731339,'longitude':4.8903147,'radius':100,'passive':false,'persons':['person.anna'],"
     "'editable':true,'icon':'mdi:home'",
     2.5},
    {"sun.sun", "Sun", NULL, NULL, "above_horizon", "", 1},
    {"weather.home", "Home", NULL, NULL, "partlycloudy",
     "'temperature':7.4,'dew_point':3.1,'temperature_unit':'°C','humidity':74,'cloud_coverage':45,'pressure':1016,"
     "'pressure_unit':'hPa','wind_bearing':230,'wind_speed':18.4,'wind_speed_unit':'km/h','visibility_unit':'km',"
     "'precipitation_unit':'mm','attribution':'The demo home','supported_features':3",
     1.3},
    {"calendar.home", "Home calendar", NULL, NULL, "off", "'supported_features':0", 3},
    {"camera.front_door", "Front door camera", "hallway", "Front door camera", "idle",
     "'brand':'Demo','frontend_stream_type':null,'supported_features':0", 50},
    {"todo.shopping", "Shopping list", NULL, NULL, "3", "'supported_features':127", 5},
    {"todo.chores", "Chores", NULL, NULL, "2", "'supported_features':127", 29},
    {"notify.demo_phone", "Demo phone", NULL, NULL, "unknown", "'supported_features':1", 24},
    {"tts.demo", "Demo speech", NULL, NULL, "unknown", "", 24},
};
const size_t demo_house_n_entities = sizeof demo_house_entities / sizeof *demo_house_entities;
