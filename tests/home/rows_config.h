/* home/rows_config.h - the tools that change Home Assistant itself, in every situation. */
#ifndef HAFT_TESTS_HOME_ROWS_CONFIG_H
#define HAFT_TESTS_HOME_ROWS_CONFIG_H

#include "home/fault_link.h"
#include "home/tools.h"

#define BAD(tool) "!Input validation error: Invalid arguments for tool " tool ": "
#define FIRE "!home_assistant_error: The device is on fire."
#define CUT                                                                                        \
    "!The demo home cannot be reached: the connection was cut (it may have carried the request "   \
    "out)."
#define CUT_COMMAND "!The connection to Home Assistant was lost before it answered."
#define LATE "!The demo home did not answer within 0.3 s."

/* A Supervisor with two add-ons. */
static const struct fault_answer supervisor[] = {
    {"\"endpoint\":\"/addons\"",
     "{'addons':[{'slug':'core_ssh','name':'Terminal','state':'started','version':'9.1',"
     "'version_latest':'9.2','description':'A shell','icon':true},{'slug':'a0d7b954_nodered',"
     "'name':'Node-RED','state':'stopped','version':null},{'name':'without a slug'}]}",
     0, NULL},
    {"/addons/core_ssh/info", "{'slug':'core_ssh','name':'Terminal','state':'started'}", 0, NULL},
    {"/addons/core_ssh/stop", "{}", 0, NULL},
    {"/addons/core_ssh/uninstall", "{}", 0, NULL},
    {"/store/addons/core_ssh/update", "null", 0, NULL},
    {NULL, NULL, 0, NULL}};

/* HACS with two integrations. */
static const struct fault_answer hacs[] = {
    {"hacs/repositories/list",
     "[{'id':'172733314','full_name':'hacs/integration','name':'HACS','installed':true,"
     "'installed_version':'2.0.1','available_version':'2.0.5','description':'The store'},"
     "{'id':44,'full_name':'someone/frigate','name':'Frigate','installed':false,"
     "'installed_version':'','available_version':'5.0','description':'Cameras'}]",
     0, NULL},
    {"hacs/repository/", "{}", 0, NULL},
    {NULL, NULL, 0, NULL}};

#define MOTION "'automation_id':'1700000000001'"
#define LAMP                                                                                       \
    "'alias':'Lamp','triggers':[{'trigger':'time','at':'07:00:00'}],'actions':[{'action':"         \
    "'light.turn_on','target':{'entity_id':'light.bedroom'}}],'mode':'single'"
#define CONFIG_GET "{'action':'get'," MOTION "}"
#define CONFIG_CREATE "{'action':'create','config':{" LAMP "}}"
/* FNV-1a of its canonical JSON. */
#define MOTION_HASH "e242c71d354a77e6"

static const struct tool_case rows_config[] = {
    /* ---- automation_config ---- */
    {"automation_config", NORMAL, CONFIG_GET,
     .expect = "id='1700000000001'; config.alias='Hallway motion light'; hash='" MOTION_HASH "'; "
               "backup=",
     .asked = "GET /api/config/automation/config/1700000000001"},
    {"automation_config", NORMAL, "{'action':'get','automation_id':'automation.good_night'}",
     .expect = "id='1700000000002'; config.alias='Good night'"},
    {"automation_config", NORMAL, CONFIG_CREATE,
     .expect = "id='1780315200000'; config={'id':'1780315200000'," LAMP "}; hash~*; backup=",
     .asked = "'type':'validate_config'"},
    {"automation_config", NORMAL,
     "{'action':'update'," MOTION ",'expected_hash':'" MOTION_HASH "','config':{" LAMP "}}",
     .expect = "id='1700000000001'; config.alias='Lamp'; config.id='1700000000001'; "
               "backup.alias='Hallway motion light'; backup.triggers.0.trigger='state'",
     .asked = "POST /api/config/automation/config/1700000000001"},
    {"automation_config", NORMAL,
     "{'action':'delete'," MOTION ",'expected_hash':'" MOTION_HASH "'}",
     .expect = "id='1700000000001'; config=; hash=; backup.alias='Hallway motion light'",
     .asked = "DELETE /api/config/automation/config/1700000000001"},
    {"automation_config", BAD_ARGUMENT, "{'action':'get'}",
     .expect = BAD("automation_config") "automation_id: needed, except for create"},
    {"automation_config", BAD_ARGUMENT, "{'action':'create'}",
     .expect = BAD("automation_config") "config: needed for create and update, and only there"},
    {"automation_config", BAD_ARGUMENT, "{'action':'delete'," MOTION "}",
     .expect = BAD("automation_config") "expected_hash: needed for update and delete*"},
    {"automation_config", BAD_ARGUMENT,
     "{'action':'update'," MOTION ",'expected_hash':'0','config':{" LAMP "}}",
     .expect = "!The automation 1700000000001 is not what was read: its hash is " MOTION_HASH
               ", not 0. *",
     .asked = "!POST"},
    {"automation_config", BAD_ARGUMENT,
     "{'action':'update'," MOTION ",'expected_hash':'0','config':{'id':'2'," LAMP "}}",
     .expect = "!The id in config is not 1700000000001. Nothing was written, *", .asked = "!GET"},
    {"automation_config", BAD_ARGUMENT, "{'action':'create'," MOTION ",'config':{" LAMP "}}",
     .expect = "!There is an automation 1700000000001 already; use update.", .asked = "!POST"},
    {"automation_config", BAD_ARGUMENT, "{'action':'create','config':{'triggers':[]}}",
     .expect = "!config needs an \"alias\", the name of the automation."},
    {"automation_config", BAD_ARGUMENT, "{'action':'create','config':{'alias':'x','actions':[]}}",
     .expect = "!config has no \"triggers\"."},
    {"automation_config", BAD_ARGUMENT, "{'action':'create','config':{'alias':'x','triggers':[]}}",
     .expect = "!config has no \"actions\"."},
    {"automation_config", BAD_ARGUMENT,
     "{'action':'create','config':{'alias':'x','triggers':[],'trigger':[],'actions':[]}}",
     .expect = "!config has both \"triggers\" and \"trigger\"; use \"triggers\"."},
    {"automation_config", BAD_ARGUMENT,
     "{'action':'create','config':{'alias':'x','triggers':[],'conditions':5,'actions':[]}}",
     .expect = "!\"conditions\" of config must be an array."},
    {"automation_config", BAD_ARGUMENT,
     "{'action':'create','config':{'alias':'x','triggers':[],'actions':[],'mode':'twice'}}",
     .expect = "!\"mode\" of config must be single, restart, queued or parallel."},
    {"automation_config", BAD_ARGUMENT,
     "{'action':'create','config':{'alias':'x','triggers':[{'trigger':'moon'}],'actions':[]}}",
     .expect = "!Home Assistant does not accept the triggers: *", .asked = "!POST"},
    {"automation_config", UNKNOWN_ENTITY, "{'action':'get','automation_id':'automation.nope'}",
     .expect = "!Entity not found: automation.nope.*"},
    {"automation_config", UNKNOWN_ENTITY, "{'action':'get','automation_id':'17'}",
     .expect = "!There is no automation with the id 17."},
    {"automation_config", UNAVAILABLE, "{'action':'get','automation_id':'1700000000002'}",
     .unavailable = "automation.good_night", .expect = "config.alias='Good night'"},
    {"automation_config", WRONG_DOMAIN, "{'action':'get','automation_id':'light.hallway'}",
     .expect = "!light.hallway is not an automation."},
    {"automation_config", HASS_ERROR, CONFIG_GET, .at = "GET /api/config",
     .expect = "!Home Assistant answered GET /api/config/automation/config/1700000000001 with 500: "
               "The device is on fire."},
    {"automation_config", HASS_ERROR, CONFIG_CREATE, .at = "validate_config", .expect = FIRE},
    {"automation_config", LOST, CONFIG_CREATE, .at = "POST /api/config", .expect = CUT},
    {"automation_config", DEADLINE, CONFIG_GET, .at = "GET /api/config", .expect = LATE},
    {"automation_config", DEADLINE, CONFIG_CREATE, .at = "POST /api/config",
     .expect = "!The demo home did not answer within 0.3 s; it may have carried the request out."},
    {"automation_config", CANCELLED, CONFIG_CREATE, .at = "validate_config"},

    /* ---- addon ---- */
    {"addon", NORMAL, "{'action':'list'}", .answers = supervisor,
     .expect =
         "addons.0={'slug':'core_ssh','name':'Terminal','state':'started','version':'9.1',"
         "'version_latest':'9.2','description':'A shell'}; addons.1.name='Node-RED'; addons.2=",
     .asked = "'type':'supervisor/api','endpoint':'/addons','method':'get'}"},
    {"addon", NORMAL, "{'action':'info','slug':'core_ssh'}", .answers = supervisor,
     .expect = "addons.0.state='started'; addons.1="},
    {"addon", NORMAL, "{'action':'stop','slug':'core_ssh'}", .answers = supervisor,
     .expect = "addons.0.slug='core_ssh'",
     .asked = "'endpoint':'/addons/core_ssh/stop','method':'post','timeout':600}"},
    {"addon", NORMAL, "{'action':'update','slug':'core_ssh'}", .answers = supervisor,
     .expect = "addons.0.slug='core_ssh'", .asked = "/store/addons/core_ssh/update"},
    {"addon", NORMAL, "{'action':'uninstall','slug':'core_ssh'}", .answers = supervisor,
     .expect = "addons.1.name='Node-RED'", .asked = "/addons/core_ssh/uninstall"},
    {"addon", BAD_ARGUMENT, "{'action':'start'}",
     .expect = BAD("addon") "slug: every action but list needs a slug"},
    {"addon", BAD_ARGUMENT, "{'action':'start','slug':'../core'}",
     .expect = BAD("addon") "slug: a slug is like core_ssh"},
    {"addon", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"addon", UNAVAILABLE, .why_not = "it takes no entity"},
    {"addon", WRONG_DOMAIN, .why_not = "it takes no entity"},
    {"addon", HASS_ERROR, "{'action':'list'}", .at = "nothing",
     .expect = "!There is no Supervisor here. Add-ons need Home Assistant OS."},
    {"addon", HASS_ERROR, "{'action':'list'}", .at = "supervisor/api", .expect = FIRE},
    {"addon", LOST, "{'action':'list'}", .at = "supervisor/api", .expect = CUT_COMMAND},
    {"addon", DEADLINE, "{'action':'list'}", .at = "supervisor/api", .expect = LATE},
    {"addon", CANCELLED, "{'action':'list'}", .at = "supervisor/api"},

    /* ---- package ---- */
    {"package", NORMAL, "{'action':'list','category':'integration'}", .answers = hacs,
     .expect = "total=1; repositories.0={'name':'hacs/integration','installed':true,"
               "'version':'2.0.1','available':'2.0.5','description':'The store'}; repositories.1=",
     .asked = "'type':'hacs/repositories/list','categories':['integration']}"},
    {"package", NORMAL, "{'action':'list','category':'integration','name':'cameras'}",
     .answers = hacs,
     .expect = "total=1; repositories.0.name='someone/frigate'; "
               "repositories.0.installed=false; repositories.0.version="},
    {"package", NORMAL, "{'action':'install','category':'integration','name':'Someone/Frigate'}",
     .answers = hacs, .expect = "repositories.0.name='someone/frigate'",
     .asked = "'type':'hacs/repository/download','repository':'44'}"},
    {"package", NORMAL, "{'action':'uninstall','category':'integration','name':'hacs/integration'}",
     .answers = hacs, .expect = "repositories.0.name='hacs/integration'",
     .asked = "'type':'hacs/repository/remove','repository':'172733314'}"},
    {"package", BAD_ARGUMENT, "{'action':'list'}", .expect = BAD("package") "category: *"},
    {"package", BAD_ARGUMENT, "{'action':'install','category':'theme'}",
     .expect = BAD("package") "name: every action but list needs a name"},
    {"package", BAD_ARGUMENT,
     "{'action':'update','category':'integration','name':'someone/frigate'}", .answers = hacs,
     .expect = "!someone/frigate is not installed.", .asked = "!hacs/repository/"},
    {"package", BAD_ARGUMENT, "{'action':'install','category':'integration','name':'frigate'}",
     .answers = hacs, .expect = "!HACS has no integration \"frigate\". Similar: someone/frigate."},
    {"package", BAD_ARGUMENT, "{'action':'install','category':'integration','name':'a/b'}",
     .answers = hacs,
     .expect = "!HACS has no integration \"a/b\". Use the whole name, owner/name."},
    {"package", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"package", UNAVAILABLE, .why_not = "it takes no entity"},
    {"package", WRONG_DOMAIN, .why_not = "it takes no entity"},
    {"package", HASS_ERROR, "{'action':'list','category':'theme'}", .at = "nothing",
     .expect = "!HACS is not installed in this Home Assistant."},
    {"package", HASS_ERROR, "{'action':'list','category':'theme'}", .at = "hacs/", .expect = FIRE},
    {"package", LOST, "{'action':'list','category':'theme'}", .at = "hacs/", .expect = CUT_COMMAND},
    {"package", DEADLINE, "{'action':'list','category':'theme'}", .at = "hacs/", .expect = LATE},
    {"package", CANCELLED, "{'action':'list','category':'theme'}", .at = "hacs/"},
};

#undef BAD
#undef FIRE
#undef CUT
#undef CUT_COMMAND
#undef LATE
#undef MOTION
#undef LAMP
#undef CONFIG_GET
#undef CONFIG_CREATE
#undef MOTION_HASH

#endif
