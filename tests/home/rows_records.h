/* home/rows_records.h - the tools that read what Home Assistant has written down, in every situation. */
#ifndef HAFT_TESTS_HOME_ROWS_RECORDS_H
#define HAFT_TESTS_HOME_ROWS_RECORDS_H

#include "home/fault_link.h"
#include "home/tools.h"

#define BAD(tool) "!Input validation error: Invalid arguments for tool " tool ": "
#define FIRE(path) "!Home Assistant answered " path " with 500: The device is on fire."
#define CUT "!The demo home cannot be reached: the connection was cut."
#define LATE "!The demo home did not answer within 0.3 s."

/* The log of a system with a Supervisor. */
static const struct fault_answer supervised_log[] = {
    {"GET /api/error_log", "404: Not Found", 404, NULL},
    {"GET /api/hassio/core/logs",
     "s6-rc: info: service legacy-services started\n"
     "\033[33m2026-06-01 10:00:00.123 WARNING (MainThread) [homeassistant.a] \033[1mone\033[0m\n"
     "\033[31m2026-06-01 11:00:00.456 ERROR (SyncWorker_1) [homeassistant.b] two \xff.\033[0m\r\n"
     "Traceback (most recent call last):\n  File 'x.py'\n"
     "2026-06-01 11:30:00.000 INFO (MainThread) [homeassistant.c] three\n"
     "2026-06-01 12:00:00.789 CRITICAL (MainThread) [homeassistant.d] four",
     200, NULL},
    {NULL, NULL, 0, NULL}};

/* One without a Supervisor, and without a file. */
static const struct fault_answer no_log[] = {{"GET /api/error_log", "404: Not Found", 404, NULL},
                                             {NULL, NULL, 0, NULL}};

#define HISTORY(more) "{'entity_id':'light.hallway','start_time':'2026-06-01T00:00:00Z'" more "}"
#define POWER(more) "{'entity_id':'sensor.house_power','start_time':'2026-05-31T12:00:00Z'" more "}"
#define TRACE "{'entity_id':'light.hallway'}"

static const struct tool_case rows_records[] = {
    /* ---- trace_entity ---- */
    {"trace_entity", NORMAL, TRACE,
     .expect = "traces.0.item='Hallway motion light'; traces.0.steps.0='trigger'",
     .asked = "GET /api/logbook?entity=light.hallway "},
    {"trace_entity", NORMAL, "{'entity_id':'light.hallway','end_time':'2026-06-02T00:00:00Z'}",
     .before = "control_light {'entity_id':'light.hallway','action':'turn_on'}",
     .expect = "changes.0.from='off'; changes.0.to='on'; changes.0.cause='a user'"},
    {"trace_entity", NORMAL, "{'entity_id':'automation.good_night'}",
     .expect = "traces.0.item='Good night'; traces.1.item='Good night'",
     .asked = "'type':'trace/get'"},
    {"trace_entity", NORMAL,
     "{'entity_id':'script.leave_home','start_time':'2026-06-01T11:00:00Z'}",
     .expect = "traces=[]; changes=[]; total=0", .asked = "'item_id':'leave_home'"},
    {"trace_entity", NORMAL,
     "{'entity_id':'light.hallway','start_time':'2026-06-01T12:00:00+00:00','end_time':'2026-06-01T13:00:00Z'}",
     .expect = "total=0",
     .asked =
         "/api/history/period/2026-06-01T12%3A00%3A00%2B00%3A00?filter_entity_id=light.hallway&"
         "end_time=2026-06-01T13%3A00%3A00Z"},
    {"trace_entity", BAD_ARGUMENT, "{}", .expect = BAD("trace_entity") "entity_id: *"},
    {"trace_entity", BAD_ARGUMENT, "{'entity_id':'light.hallway','start_time':'soon'}",
     .expect = "!Home Assistant answered GET /api/history/period/soon with 400: Invalid datetime"},
    {"trace_entity", UNKNOWN_ENTITY, "{'entity_id':'light.nope'}",
     .expect = "!Entity not found: light.nope.*", .asked = "!/api/history"},
    {"trace_entity", UNAVAILABLE, "{'entity_id':'light.hallway','end_time':'2026-06-02T00:00:00Z'}",
     .expect = "changes.0.to='unavailable'; changes.0.from='off'"},
    {"trace_entity", WRONG_DOMAIN, .why_not = "it reads entities of every domain"},
    {"trace_entity", HASS_ERROR, TRACE, .at = "/api/logbook", .expect = FIRE("GET /api/logbook")},
    {"trace_entity", HASS_ERROR, TRACE, .at = "trace/list",
     .expect = "!home_assistant_error: The device is on fire."},
    {"trace_entity", LOST, TRACE, .at = "/api/history", .expect = CUT},
    {"trace_entity", DEADLINE, TRACE, .at = "/api/history", .expect = LATE},
    {"trace_entity", CANCELLED, TRACE, .at = "trace/list"},

    /* ---- todo ---- */
    {"todo", NORMAL, "{'action':'list','list':'todo.shopping'}",
     .expect =
         "list='todo.shopping'; total=4; items.0={'summary':'Milk','done':false,'uid':'shopping-1'}; "
         "items.1.description='the dark ones'; items.3.done=true; items.4=",
     .asked = "'service':'get_items'"},
    {"todo", NORMAL, "{'action':'add','list':'todo.chores','item':'Sweep','due':'2026-06-05'}",
     .expect = "total=3; items.2.summary='Sweep'; items.2.done=false; items.2.due='2026-06-05'",
     .asked = "'service':'add_item'"},
    {"todo", NORMAL,
     "{'action':'add','list':'todo.chores','item':'Call','due':'2026-06-05 10:00:00'}",
     .expect = "total=3; items.2.due~2026-06-05*10:00:00*",
     .asked = "'due_datetime':'2026-06-05 10:00:00'"},
    {"todo", NORMAL, "{'action':'done','list':'todo.shopping','item':'Milk'}",
     .expect = "items.0.summary='Milk'; items.0.done=true; total=4"},
    {"todo", NORMAL, "{'action':'clear','list':'todo.shopping'}",
     .expect = "total=3; items.2.summary='Light bulbs'; items.3="},
    {"todo", BAD_ARGUMENT, "{'action':'add','list':'todo.shopping'}",
     .expect = BAD("todo") "item: add and done need an item"},
    {"todo", BAD_ARGUMENT, "{'action':'list','item':'x'}",
     .expect = BAD("todo") "item: only add and done take an item"},
    {"todo", BAD_ARGUMENT, "{'action':'clear','due':'x'}", .expect = BAD("todo") "due: *"},
    {"todo", BAD_ARGUMENT, "{'action':'list'}",
     .expect =
         "!There are several to-do lists; say which in \"list\": todo.chores, todo.shopping."},
    {"todo", UNKNOWN_ENTITY, "{'action':'list','list':'todo.nope'}",
     .expect = "!Entity not found: todo.nope.*"},
    {"todo", UNAVAILABLE, "{'action':'list','list':'todo.chores'}", .unavailable = "todo.chores",
     .expect = "!todo.chores is unavailable: *", .asked = "!call_service"},
    {"todo", WRONG_DOMAIN, "{'action':'list','list':'light.hallway'}",
     .expect = "!light.hallway has the domain light; this tool works with: todo.*"},
    {"todo", HASS_ERROR, "{'action':'done','list':'todo.shopping','item':'Jam'}", .at = "nothing",
     .expect = "!service_validation_error: *Jam*"},
    ROWS_OF_SERVICE("todo", "{'action':'list','list':'todo.shopping'}")

    /* ---- history ---- */
    {"history", NORMAL, POWER(",'limit':10"),
     .expect = "series.0.entity_id='sensor.house_power'; series.0.downsampled=true; "
               "series.0.points.9.when~2026-06-01T*; series.0.points.10=; "
               "series.0.points.0.when~2026-05-31T12:*; series.0.points.0.values=",
     .asked = "/api/history/period/2026-05-31T12%3A00%3A00Z?filter_entity_id=sensor.house_power&"
              "minimal_response&no_attributes "},
    {"history", NORMAL, HISTORY(",'minimal_response':false,'significant_changes_only':false"),
     .expect = "series.0.downsampled=false; series.0.points.0.values.brightness=null; "
               "series.0.points.0.values.friendly_name=",
     .asked = "?filter_entity_id=light.hallway&significant_changes_only=0 "},
    {"history", NORMAL,
     "{'entity_id':['light.hallway','sensor.house_power'],'start_time':'2026-06-01T00:00:00Z',"
     "'end_time':'2026-06-01T06:00:00Z','limit':6}",
     .expect = "series.0.entity_id='light.hallway'; series.1.entity_id='sensor.house_power'; "
               "series.1.points.2.state~*; series.1.points.3=; series.2=",
     .asked =
         "filter_entity_id=light.hallway,sensor.house_power&end_time=2026-06-01T06%3A00%3A00Z"},
    {"history", NORMAL, POWER(",'statistics':'hour','limit':5"),
     .expect = "series.0.points.0.when='2026-05-31T12:00:00.000Z'; series.0.points.0.state=; "
               "series.0.points.0.values.start=; series.0.points.4.when~*; series.0.points.5=; "
               "series.0.downsampled=true",
     .asked = "'period':'hour'"},
    {"history", NORMAL, HISTORY(",'statistics':'day'"),
     .expect = "series.0.total=0; series.0.points=[]; series.0.downsampled=false"},
    {"history", NORMAL, "{'entity_id':'light.hallway','start_time':'2030-01-01T00:00:00Z'}",
     .expect = "series.0.total=0"},
    {"history", BAD_ARGUMENT, "{'entity_id':'light.hallway'}",
     .expect = BAD("history") "start_time: *"},
    {"history", BAD_ARGUMENT, HISTORY(",'limit':0"), .expect = BAD("history") "limit: *"},
    {"history", BAD_ARGUMENT, HISTORY(",'statistics':'year'"),
     .expect = BAD("history") "statistics: *"},
    {"history", BAD_ARGUMENT, "{'entity_id':'light.hallway','start_time':'yesterday'}",
     .expect =
         "!Home Assistant answered GET /api/history/period/yesterday with 400: Invalid datetime"},
    {"history", BAD_ARGUMENT,
     "{'entity_id':['a.a','a.a','a.a','a.a','a.a','a.a','a.a','a.a','a.a','a.a','a.a'],'start_time':'x'}",
     .expect = "!11 entities are too many; at most 10."},
    {"history", UNKNOWN_ENTITY,
     "{'entity_id':['light.hallway','light.nope'],'start_time':'2026-06-01T00:00:00Z'}",
     .expect = "!Entity not found: light.nope.*", .asked = "!/api/history"},
    {"history", UNAVAILABLE, "{'entity_id':'light.hallway','start_time':'2026-06-01T12:00:00Z'}",
     .expect = "series.0.points.0.state='off'; series.0.points.1.state='unavailable'"},
    {"history", WRONG_DOMAIN, .why_not = "it reads entities of every domain"},
    {"history", HASS_ERROR, HISTORY(""), .at = "/api/history",
     .expect = FIRE("GET /api/history/period/2026-06-01T00%3A00%3A00Z")},
    {"history", HASS_ERROR, HISTORY(",'statistics':'hour'"), .at = "recorder/",
     .expect = "!home_assistant_error: The device is on fire."},
    {"history", LOST, HISTORY(""), .at = "/api/history", .expect = CUT},
    {"history", DEADLINE, HISTORY(""), .at = "/api/history", .expect = LATE},
    {"history", CANCELLED, HISTORY(""), .at = "/api/history"},

    /* ---- error_log ---- */
    {"error_log", NORMAL,
     .expect = "entries.0={'when':'2026-06-01 11:48:00','level':'warning',"
               "'source':'homeassistant.components.switch',"
               "'message':'switch.faulty did not answer in time'}; "
               "entries.1.level='error'"},
    {"error_log", NORMAL, "{'level':'error','limit':3}",
     .expect =
         "entries.0.message~Language*; entries.1.level='critical'; "
         "entries.2.details~Traceback*Failed to communicate with device; entries.3=; total=6"},
    {"error_log", NORMAL, "{'level':'debug','since':'2026-06-01 11:30'}",
     .expect = "entries.2.level='debug'; entries.3=; total=3"},
    {"error_log", NORMAL, "{'since':'2026-06-01T13:00:00'}", .expect = "total=0; entries=[]"},
    {"error_log", NORMAL, .answers = supervised_log,
     .expect = "total=3; entries.0.message='four'; entries.0.source='homeassistant.d'; "
               "entries.1.message='two ?.'; entries.1.level='error'; "
               "entries.1.details~Traceback (most recent call last):*File *x.py*; "
               "entries.2.message='one'; entries.2.details=",
     .asked = "GET /api/hassio/core/logs"},
    {"error_log", BAD_ARGUMENT, "{'level':'fatal'}", .expect = BAD("error_log") "level: *"},
    {"error_log", BAD_ARGUMENT, "{'limit':0}", .expect = BAD("error_log") "limit: *"},
    {"error_log", BAD_ARGUMENT, "{'since':'2026-06-01T13:00:00Z'}",
     .expect = "!\"2026-06-01T13:00:00Z\" is not a time of the log. Use local time *"},
    {"error_log", BAD_ARGUMENT, "{'since':'yesterday'}",
     .expect = "!\"yesterday\" is not a time of the log.*"},
    {"error_log", UNKNOWN_ENTITY, .why_not = "it takes no entity"},
    {"error_log", UNAVAILABLE, .why_not = "it takes no entity"},
    {"error_log", WRONG_DOMAIN, .why_not = "it takes no entity"},
    {"error_log", HASS_ERROR, .at = "nothing", .answers = no_log,
     .expect =
         "!Home Assistant has neither a log file nor a Supervisor, so its log cannot be read."},
    {"error_log", HASS_ERROR, .at = "/api/error_log", .expect = FIRE("GET /api/error_log")},
    {"error_log", LOST, .at = "/api/error_log", .expect = CUT},
    {"error_log", DEADLINE, .at = "/api/error_log", .expect = LATE},
    {"error_log", CANCELLED, .at = "/api/error_log"},

    /* ---- render_template ---- */
    {"render_template", NORMAL,
     "{'template':'{{ states(\\'light.office_desk\\') }} {{ x }}','variables':{'x':5}}",
     .expect = "result='on 5'", .asked = "POST /api/template"},
    {"render_template", BAD_ARGUMENT, "{'template':''}",
     .expect = BAD("render_template") "template: Too small*"},
    {"render_template", BAD_ARGUMENT, "{'template':'{{ 1 +'}",
     .expect = "!Home Assistant answered POST /api/template with 400: Error rendering template: *"},
    {"render_template", UNKNOWN_ENTITY, "{'template':'{{ states(\\'light.nope\\') }}'}",
     .expect = "result='unknown'"},
    {"render_template", UNAVAILABLE, "{'template':'{{ states(\\'light.hallway\\') }}'}",
     .unavailable = "light.hallway", .expect = "result='unavailable'"},
    {"render_template", WRONG_DOMAIN, .why_not = "it reads entities of every domain"},
    {"render_template", HASS_ERROR, "{'template':'x'}", .at = "/api/template",
     .expect = FIRE("POST /api/template")},
    {"render_template", LOST, "{'template':'x'}", .at = "/api/template", .expect = CUT},
    {"render_template", DEADLINE, "{'template':'x'}", .at = "/api/template", .expect = LATE},
    {"render_template", CANCELLED, "{'template':'x'}", .at = "/api/template"},
};

#undef BAD
#undef FIRE
#undef CUT
#undef LATE
#undef HISTORY
#undef POWER
#undef TRACE

#endif
