/* home/rows_speech.h - the speech tools, in every situation. */
#ifndef HAFT_TESTS_HOME_ROWS_SPEECH_H
#define HAFT_TESTS_HOME_ROWS_SPEECH_H

#include "home/tools.h"

#define BAD(tool) "!Input validation error: Invalid arguments for tool " tool ": "
#define INTENT(domain, action, target, parameters)                                                 \
    "{'intent':{'intent':'" domain "','action':'" action "','target':'" target                     \
    "','parameters':{" parameters "},'confidence':0.95}}"
#define SERVICE(domain, service) "'domain':'" domain "','service':'" service "'"
#define HALLWAY INTENT("light", "turn_on", "hallway", "")

static const struct tool_case rows_speech[] = {
    /* ---- text_to_speech ---- */
    {"text_to_speech", NORMAL,
     "{'message':'Dinner is ready','media_player':'media_player.kitchen','language':'en','voice':'Amy'}",
     .expect = "media_player='media_player.kitchen'; engine='tts.demo'; state='playing'; "
               "media~/api/tts_proxy/*_en_demo.mp3",
     .asked = SERVICE(
         "tts",
         "speak") ",'service_data':{'entity_id':'tts.demo',"
                  "'media_player_entity_id':'media_player.kitchen','message':'Dinner is ready',"
                  "'language':'en','options':{'voice':'Amy'}}"},
    {"text_to_speech", BAD_ARGUMENT, "{'message':''}",
     .expect = BAD("text_to_speech") "message: Too small*"},
    {"text_to_speech", BAD_ARGUMENT, "{'message':'hello'}",
     .expect = "!Which media_player? Possible: media_player.bedroom, media_player.kitchen, "
               "media_player.living_room."},
    {"text_to_speech", BAD_ARGUMENT,
     "{'message':'hello','media_player':'media_player.kitchen','language':'xx'}",
     .expect = "!home_assistant_error: Language 'xx' not supported"},
    {"text_to_speech", UNKNOWN_ENTITY, "{'message':'hello','media_player':'media_player.nope'}",
     .expect = "!Entity not found: media_player.nope.*"},
    {"text_to_speech", UNAVAILABLE, "{'message':'hello','media_player':'media_player.kitchen'}",
     .unavailable = "media_player.kitchen",
     .expect =
         "!media_player.kitchen is unavailable: Home Assistant has no connection to the device."},
    {"text_to_speech", UNAVAILABLE, "{'message':'hello','media_player':'media_player.kitchen'}",
     .unavailable = "tts.demo",
     .expect = "!There is no speech engine that is available (domain tts)."},
    {"text_to_speech", WRONG_DOMAIN, "{'message':'hello','media_player':'light.hallway'}",
     .expect = "!light.hallway has the domain light; this tool works with: media_player."},
    ROWS_OF_SERVICE("text_to_speech", "{'message':'hello','media_player':'media_player.kitchen'}")

    /* ---- voice_command_executor: which entities ---- */
    {"voice_command_executor", NORMAL, HALLWAY,
     .expect = "changed.0.entity_id='light.hallway'; changed.0.state='on'; changed.1=",
     .asked = SERVICE("light", "turn_on")},
    {"voice_command_executor", NORMAL, INTENT("light", "turn_off", "kitchen", ""),
     .expect = "changed.0.entity_id='light.kitchen_ceiling'; changed.0.state='off'; "
               "changed.1.entity_id='light.kitchen_counter'; changed.2="},
    {"voice_command_executor", NORMAL, INTENT("light", "turn_on", "Kitchen Counter", ""),
     .expect = "changed.0.entity_id='light.kitchen_counter'; changed.1="},
    {"voice_command_executor", NORMAL, INTENT("light", "turn_on", "light.garage", ""),
     .expect = "changed.0.entity_id='light.garage'"},
    {"voice_command_executor", NORMAL, INTENT("light", "turn_on", "desk", ""),
     .expect = "changed.0.entity_id='light.office_desk'"},
    {"voice_command_executor", NORMAL, INTENT("cover", "open", "bedroom blinds", ""),
     .expect = "changed.0.entity_id='cover.bedroom_shutter'; changed.1="},
    {"voice_command_executor", NORMAL, INTENT("light", "turn_off", "all", ""),
     .expect = "changed.0.entity_id='light.bedroom'; changed.8.state='off'; changed.9="},
    {"voice_command_executor", NORMAL, INTENT("vacuum", "start", "", ""),
     .expect = "changed.0.entity_id='vacuum.robo'; changed.0.state='cleaning'"},
    /* ---- and what is done with them ---- */
    {"voice_command_executor", NORMAL,
     INTENT("light", "set", "desk", "'percent':40,'color':'green'"),
     .expect = "changed.0.attributes.brightness=102; changed.0.attributes.rgb_color=[0,255,0]"},
    {"voice_command_executor", NORMAL, INTENT("light", "set", "bedroom", "'color':'warm white'"),
     .expect = "changed.0.attributes.color_temp_kelvin=2700"},
    {"voice_command_executor", NORMAL, INTENT("light", "increase", "office desk", ""),
     .expect = "changed.0.attributes.brightness=179"},
    {"voice_command_executor", NORMAL, INTENT("light", "decrease", "office desk", ""),
     .expect = "changed.0.attributes.brightness=77"},
    {"voice_command_executor", NORMAL, INTENT("climate", "set", "living room", "'temperature':19"),
     .expect = "changed.0.attributes.temperature=19"},
    {"voice_command_executor", NORMAL, INTENT("climate", "increase", "living room", ""),
     .expect = "changed.0.attributes.temperature=22.5"},
    {"voice_command_executor", NORMAL, INTENT("cover", "set", "kitchen shade", "'percent':30"),
     .expect = "changed.0.entity_id='cover.kitchen_shade'",
     .asked = SERVICE("cover", "set_cover_position")},
    {"voice_command_executor", NORMAL, INTENT("fan", "increase", "bathroom", ""),
     .expect = "changed.0.entity_id='fan.bathroom'", .asked = "'percentage':86"},
    {"voice_command_executor", NORMAL, INTENT("media_player", "set", "tv", "'percent':25"),
     .expect = "changed.0.attributes.volume_level=0.25"},
    {"voice_command_executor", NORMAL, INTENT("media_player", "mute", "tv", ""),
     .expect = "changed.0.attributes.is_volume_muted=true"},
    {"voice_command_executor", NORMAL, INTENT("media_player", "pause", "tv", ""),
     .expect = "changed.0.state='paused'"},
    {"voice_command_executor", NORMAL, INTENT("lock", "lock", "back door", ""),
     .expect = "changed.0.state='locked'"},
    {"voice_command_executor", NORMAL, INTENT("switch", "toggle", "coffee machine", ""),
     .expect = "changed.0.state='on'"},
    {"voice_command_executor", BAD_ARGUMENT, "{'intent':'turn on the light'}",
     .expect = BAD("voice_command_executor") "intent: *"},
    {"voice_command_executor", BAD_ARGUMENT, INTENT("light", "explode", "hallway", ""),
     .expect = "!The command was not understood: intent \"light\", action \"explode\"."},
    {"voice_command_executor", BAD_ARGUMENT, INTENT("light", "set", "desk", "'color':'beige'"),
     .expect = "!The color \"beige\" is not known."},
    {"voice_command_executor", BAD_ARGUMENT, INTENT("climate", "set", "office", ""),
     .expect = "!A temperature is missing."},
    {"voice_command_executor", BAD_ARGUMENT, INTENT("cover", "set", "kitchen shade", ""),
     .expect = "!A position in percent is missing."},
    {"voice_command_executor", BAD_ARGUMENT, INTENT("media_player", "set", "tv", ""),
     .expect = "!A volume in percent is missing."},
    {"voice_command_executor", UNKNOWN_ENTITY, INTENT("light", "turn_on", "lighthouse", ""),
     .expect = "!No entity of the domain light is meant by \"lighthouse\".",
     .asked = "!call_service"},
    {"voice_command_executor", UNKNOWN_ENTITY, INTENT("lock", "lock", "door", ""),
     .expect = "!\"door\" may mean several entities of the domain lock: lock.back_door, "
               "lock.front_door.",
     .asked = "!call_service"},
    {"voice_command_executor", UNKNOWN_ENTITY, INTENT("switch", "turn_on", "", ""),
     .expect = "!\"\" may mean several entities of the domain switch: switch.coffee_machine, *"},
    {"voice_command_executor", UNAVAILABLE, HALLWAY, .unavailable = "light.hallway",
     .expect = "!light.hallway is unavailable: Home Assistant has no connection to the device.",
     .asked = "!call_service"},
    {"voice_command_executor", WRONG_DOMAIN, INTENT("sensor", "turn_on", "house power", ""),
     .expect = "!The command was not understood: intent \"sensor\", action \"turn_on\"."},
    ROWS_OF_SERVICE("voice_command_executor",
                    HALLWAY){"voice_command_executor", LOST, HALLWAY,
                             .expect = "!The demo home cannot be reached: the connection was cut."},

    /* ---- voice_command_ai_parser ---- */
    {"voice_command_ai_parser", NORMAL,
     "{'command':'mach das Licht an','context':{'room':'office'}}",
     .model = "Sure:\n```json\n{'intent':'light','action':'turn_on','target':'office',"
              "'parameters':{'percent':50},'confidence':0.9}\n```",
     .expect = "intent='light'; action='turn_on'; target='office'; parameters.percent=50; "
               "confidence=0.9"},
    {"voice_command_ai_parser", BAD_ARGUMENT, "{'command':''}", .model = "",
     .expect = BAD("voice_command_ai_parser") "command: Too small*"},
    {"voice_command_ai_parser", BAD_ARGUMENT, "{'command':'x'}",
     .expect = "!This client has no model to ask (it does not offer sampling). Use "
               "voice_command_parser."},
    {"voice_command_ai_parser", BAD_ARGUMENT, "{'command':'x'}", .model = "I cannot do that.",
     .expect = "!The client's model did not answer with JSON: \"I cannot do that.\"."},
    {"voice_command_ai_parser", BAD_ARGUMENT, "{'command':'x'}",
     .model = "{'intent':'light','action':5,'target':'x','parameters':{},'confidence':2}",
     .expect = "!The client's model did not answer with an intent: *action*confidence*"},
    {"voice_command_ai_parser", BAD_ARGUMENT, "{'command':'x'}", .model = "{'intent':}",
     .expect = "!The client's model did not answer with an intent: *"},
    {"voice_command_ai_parser", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"voice_command_ai_parser", UNAVAILABLE, .why_not = "it takes no entity"},
    {"voice_command_ai_parser", WRONG_DOMAIN, .why_not = "it takes no entity"},
    {"voice_command_ai_parser", HASS_ERROR, "{'command':'x'}",
     .model = "{'intent':'unknown','action':'unknown','target':'','parameters':{},'confidence':0}",
     .expect = "intent='unknown'"},
    {"voice_command_ai_parser", LOST, "{'command':'x'}",
     .model = "{'intent':'unknown','action':'unknown','target':'','parameters':{},'confidence':0}",
     .expect = "intent='unknown'"},
    {"voice_command_ai_parser", DEADLINE, "{'command':'x'}",
     .model = "{'intent':'unknown','action':'unknown','target':'','parameters':{},'confidence':0}",
     .expect = "intent='unknown'"},
    {"voice_command_ai_parser", CANCELLED,
     .why_not = "its handler does not wait: the client is asked between two runs of it"}};

#undef HALLWAY
#undef SERVICE
#undef INTENT
#undef BAD

#endif
