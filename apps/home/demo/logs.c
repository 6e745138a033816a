/* logs.c - the log: forty lines over the last day, with an exception, as text and as entries. */
#include "demo/command.h"
#include "demo/rest.h"

static const struct log_row {
    int minutes; /* ago */
    const char *level, *component, *message;
} log_rows[] = {
    {1430, "INFO", "homeassistant.core", "Starting Home Assistant " DEMO_VERSION},
    {1429, "INFO", "homeassistant.setup", "Setting up recorder"},
    {1429, "INFO", "homeassistant.setup", "Setup of domain recorder took 0.42 seconds"},
    {1428, "DEBUG", "homeassistant.components.websocket_api", "Connected from 127.0.0.1"},
    {1427, "INFO", "homeassistant.setup", "Setting up light"},
    {1426, "WARNING", "homeassistant.components.sensor",
     "Setup of sensor platform demo is taking over 10 seconds."},
    {1400, "INFO", "homeassistant.components.automation.hallway_motion_light",
     "Initialized trigger Hallway motion light"},
    {1399, "INFO", "homeassistant.components.automation.good_night",
     "Initialized trigger Good night"},
    {1350, "INFO", "homeassistant.components.zha", "Coordinator is ready"},
    {1210, "WARNING", "homeassistant.helpers.entity",
     "Update of light.bathroom_mirror is taking over 10 seconds"},
    {1208, "ERROR", "homeassistant.components.light",
     "light.bathroom_mirror: no answer from the device"},
    {1207, "WARNING", "homeassistant.components.light", "light.bathroom_mirror became unavailable"},
    {1100, "DEBUG", "homeassistant.components.recorder", "Processed 120 events"},
    {1040, "INFO", "homeassistant.components.vacuum", "vacuum.robo returned to its dock"},
    {1000, "DEBUG", "homeassistant.components.sun", "Next change at sunrise"},
    {930, "WARNING", "homeassistant.components.sensor",
     "sensor.hallway_motion_battery is low: 14 %"},
    {920, "INFO", "homeassistant.components.person", "person.ben left home"},
    {860, "DEBUG", "homeassistant.components.http.auth", "Authenticated a long-lived token"},
    {801, "WARNING", "homeassistant.components.http.ban",
     "Login attempt or request with invalid authentication from 192.0.2.7"},
    {800, "ERROR", "homeassistant.components.http", "Request with a token that has been revoked"},
    {741, "INFO", "homeassistant.components.climate", "climate.living_room set to heat"},
    {700, "DEBUG", "homeassistant.components.recorder", "Processed 240 events"},
    {655, "WARNING", "homeassistant.components.climate",
     "climate.living_room heats while a window is open"},
    {610, "INFO", "homeassistant.components.media_player", "media_player.kitchen paused"},
    {560, "ERROR", "homeassistant.components.switch", "switch.faulty: connection timed out"},
    {540, "ERROR", "homeassistant.helpers.script.websocket_api_script",
     "Error executing script. Unexpected error for call_service at pos 1"},
    {480, "INFO", "homeassistant.components.lock", "lock.front_door locked by Anna"},
    {420, "DEBUG", "homeassistant.components.recorder", "Purging events before midnight"},
    {419, "INFO", "homeassistant.components.recorder", "Purged 1800 states"},
    {360, "WARNING", "homeassistant.components.weather", "The forecast is 3 hours old"},
    {300, "CRITICAL", "homeassistant.components.recorder", "The database disk image was repaired"},
    {240, "INFO", "homeassistant.components.automation.hallway_motion_light",
     "Executing step call service"},
    {180, "DEBUG", "homeassistant.components.calendar", "Found 4 events"},
    {150, "WARNING", "homeassistant.components.camera",
     "camera.front_door answered after 6 seconds"},
    {120, "INFO", "homeassistant.components.light", "light.downstairs turned on"},
    {90, "ERROR", "homeassistant.components.tts", "Language 'xx' not supported"},
    {60, "INFO", "homeassistant.components.todo", "todo.shopping has 3 open items"},
    {30, "DEBUG", "homeassistant.components.websocket_api", "Disconnected"},
    {12, "WARNING", "homeassistant.components.switch", "switch.faulty did not answer in time"},
    {3, "INFO", "homeassistant.components.demo", "The demo home is well"},
};
enum { LOG_TRACEBACK = 25 }; /* the row that has one */

static const char log_traceback[] =
    "Traceback (most recent call last):\n"
    "  File \"/usr/src/homeassistant/homeassistant/helpers/script.py\", line 525, in _async_step\n"
    "    await getattr(self, handler)()\n"
    "  File \"/usr/src/homeassistant/homeassistant/core.py\", line 2816, in async_call\n"
    "    response_data = await coro\n"
    "  File \"/usr/src/homeassistant/homeassistant/components/demo/switch.py\", line 77, in async_turn_on\n"
    "    raise HomeAssistantError(\"Failed to communicate with device\")\n"
    "homeassistant.exceptions.HomeAssistantError: Failed to communicate with device\n";

void demo_rest_error_log(struct demo_rest *rest)
{
    haft_buffer *out = &rest->response->body;

    rest->response->type = "text/plain; charset=utf-8";
    for (size_t i = 0; i < sizeof log_rows / sizeof *log_rows; i++) {
        int64_t at = rest->demo->started - log_rows[i].minutes * 60 * (int64_t)DEMO_SECOND;
        char text[DEMO_TIME];

        demo_time_text(at, text);
        text[10] = ' ';
        text[23] = '\0'; /* of milliseconds */
        haft_buffer_printf(out, "%s %s (MainThread) [%s] %s\n", text, log_rows[i].level,
                           log_rows[i].component, log_rows[i].message);
        if (i == LOG_TRACEBACK)
            haft_buffer_puts(out, log_traceback);
    }
}

/* system_log/list: warnings and worse, the latest first. */
void demo_system_log(struct demo_command *command)
{
    struct json_writer *w = demo_result_begin(command);

    hf_json_begin_array(w);
    for (size_t i = sizeof log_rows / sizeof *log_rows; i; i--) {
        const struct log_row *row = &log_rows[i - 1];
        double at = demo_time_seconds(command->demo->started) - row->minutes * 60.0;

        if (!strcmp(row->level, "INFO") || !strcmp(row->level, "DEBUG"))
            continue;
        hf_json_begin_object(w);
        hf_json_text(json_key(w, "name"), row->component);
        hf_json_begin_array(json_key(w, "message"));
        hf_json_text(w, row->message);
        hf_json_end_array(w);
        hf_json_text(json_key(w, "level"), row->level);
        hf_json_begin_array(json_key(w, "source"));
        hf_json_text(w, "components/demo/__init__.py");
        hf_json_integer(w, row->minutes);
        hf_json_end_array(w);
        hf_json_number(json_key(w, "timestamp"), at);
        hf_json_text(json_key(w, "exception"), i - 1 == LOG_TRACEBACK ? log_traceback : "");
        hf_json_integer(json_key(w, "count"), 1);
        hf_json_number(json_key(w, "first_occurred"), at);
        hf_json_end_object(w);
    }
    hf_json_end_array(w);
    demo_result_end(command);
}
