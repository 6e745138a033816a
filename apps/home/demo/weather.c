/* weather.c - forecasts, the calendar and the camera. */
#include "demo/calendar.h"
#include "demo/picture.h"
#include "demo/rest.h"
#include "demo/tick.h"

#define WEATHER_HOUR (3600 * (int64_t)DEMO_SECOND)
#define WEATHER_DAY (24 * WEATHER_HOUR)

/* Adds a member to the response, which may have those of other entities already. */
static int weather_respond(struct demo_call *call, const struct demo_entity *entity,
                           haft_buffer *own)
{
    char *json = demo_take(call->demo, own);
    haft_buffer out = demo_buffer(call->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    if (call->response)
        hf_json_raw_members(&w, call->response + 1, strlen(call->response) - 2);
    hf_json_name(&w, entity->id, strlen(entity->id));
    hf_json_raw(&w, json ? json : "", json ? strlen(json) : 0);
    hf_json_end_object(&w);
    if (!json)
        out.status = HAFT_ENOMEM;
    call->response = demo_take(call->demo, &out);
    return call->response ? 0 : HAFT_ENOMEM;
}

/* ---- forecasts ---- */

static const struct demo_field weather_fields[] = {{.name = "type",
                                                    .kind = FIELD_CHOICE,
                                                    .required = true,
                                                    .choices = "daily,hourly,twice_daily"}};

static int weather_forecast(struct demo_call *call, struct demo_entity *entity)
{
    static const char *const conditions[] = {"sunny", "partlycloudy", "cloudy", "rainy"};
    struct demo *demo = call->demo;
    const char *type = demo_text(call->data, "type");
    bool hourly = type && !strcmp(type, "hourly");
    int64_t step = hourly ? WEATHER_HOUR : WEATHER_DAY, at = demo->now - demo->now % step + step;
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    if (!type || !strcmp(type, "twice_daily")) {
        haft_buffer_finish(&out);
        return demo_fail(call, DEMO_VALIDATION, NULL,
                         "Weather entity '%s' does not support 'twice_daily' forecast", entity->id);
    }
    hf_json_begin_object(&w);
    hf_json_begin_array(json_key(&w, "forecast"));
    for (int i = 0; i < (hourly ? 24 : 7); i++, at += step) {
        double chance = demo_noise(demo, "weather", at), value = 0;

        demo_house_value(demo, "sensor.outdoor_temperature", at + (hourly ? 0 : 15 * WEATHER_HOUR),
                         &value);
        hf_json_begin_object(&w);
        demo_time_write(json_key(&w, "datetime"), at);
        hf_json_text(json_key(&w, "condition"), conditions[(int)(chance * 4) % 4]);
        hf_json_number(json_key(&w, "temperature"), value);
        if (!hourly)
            hf_json_number(json_key(&w, "templow"), value - 8);
        hf_json_integer(json_key(&w, "precipitation_probability"), (int64_t)(chance * 100));
        hf_json_number(json_key(&w, "precipitation"), chance > 0.75 ? 2.4 : 0);
        hf_json_number(json_key(&w, "wind_speed"), 18.4);
        hf_json_end_object(&w);
    }
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    return weather_respond(call, entity, &out);
}

const struct demo_service demo_services_weather[] = {
    {"get_forecasts", "Retrieves the forecast from selected weather services.", weather_forecast,
     SERVICE_TARGET | SERVICE_RESPONDS_ONLY, 0, SERVICE_FIELDS(weather_fields)},
    {0},
};

/* ---- the calendar ---- */

static const struct calendar_row {
    int weekday;     /* 0 is Thursday, as 1970-01-01 was */
    double from, to; /* hours of the day; an appointment of the whole day is 0 to 24 */
    const char *summary, *location;
} calendar_rows[] = {
    {4, 18, 19.5, "Choir practice", "Town hall"},
    {6, 7, 7.25, "Bins: paper", NULL},
    {0, 9, 10, "Dentist, Anna", "High Street 12"},
    {2, 0, 24, "Cleaning day", NULL},
};

static void calendar_time(struct json_writer *w, int64_t at, bool whole_day, bool rest)
{
    char text[DEMO_TIME];

    demo_time_text(at, text);
    if (whole_day)
        text[10] = '\0';
    if (!rest) {
        hf_json_text(w, text);
        return;
    }
    hf_json_begin_object(w);
    hf_json_text(whole_day ? json_key(w, "date") : json_key(w, "dateTime"), text);
    hf_json_end_object(w);
}

static void calendar_event(struct json_writer *w, const struct calendar_row *row, int64_t day,
                           bool rest)
{
    bool whole = row->to - row->from >= 24;

    hf_json_begin_object(w);
    calendar_time(json_key(w, "start"), day + (int64_t)(row->from * 3600) * DEMO_SECOND, whole,
                  rest);
    calendar_time(json_key(w, "end"), day + (int64_t)(row->to * 3600) * DEMO_SECOND, whole, rest);
    hf_json_text(json_key(w, "summary"), row->summary);
    if (row->location || rest) {
        if (row->location)
            hf_json_text(json_key(w, "location"), row->location);
        else
            hf_json_null(json_key(w, "location"));
    }
    if (rest) {
        hf_json_null(json_key(w, "description"));
        hf_json_null(json_key(w, "uid"));
        hf_json_null(json_key(w, "recurrence_id"));
        hf_json_null(json_key(w, "rrule"));
    }
    hf_json_end_object(w);
}

void demo_calendar_write(struct demo *demo, struct json_writer *w, int64_t from, int64_t to,
                         bool rest)
{
    int64_t day = from - from % WEATHER_DAY - WEATHER_DAY;

    (void)demo;
    hf_json_begin_array(w);
    for (int n = 0; day < to && n < 400; day += WEATHER_DAY, n++)
        for (size_t i = 0; i < sizeof calendar_rows / sizeof *calendar_rows; i++) {
            const struct calendar_row *row = &calendar_rows[i];

            if (day / WEATHER_DAY % 7 == row->weekday &&
                day + (int64_t)(row->to * 3600) * DEMO_SECOND > from &&
                day + (int64_t)(row->from * 3600) * DEMO_SECOND < to)
                calendar_event(w, row, day, rest);
        }
    hf_json_end_array(w);
}

/* The event that is on, or else the next one. */
int demo_calendar_tick(struct demo *demo, struct demo_entity *entity, int64_t at,
                       const struct demo_context *context)
{
    int64_t best = 0, end = 0;
    const struct calendar_row *next = NULL;
    struct demo_draft draft;

    for (int64_t day = at - at % WEATHER_DAY - WEATHER_DAY; day < at + 8 * WEATHER_DAY;
         day += WEATHER_DAY)
        for (size_t i = 0; i < sizeof calendar_rows / sizeof *calendar_rows; i++) {
            int64_t from = day + (int64_t)(calendar_rows[i].from * 3600) * DEMO_SECOND;
            int64_t to = day + (int64_t)(calendar_rows[i].to * 3600) * DEMO_SECOND;

            if (day / WEATHER_DAY % 7 == calendar_rows[i].weekday && to > at &&
                (!next || from < best)) {
                next = &calendar_rows[i];
                best = from;
                end = to;
            }
        }
    if (!next)
        return 0;
    demo_draft_begin(&draft, demo, entity);
    draft.state = best <= at ? "on" : "off";
    demo_draft_text(&draft, "message", next->summary);
    demo_draft_bool(&draft, "all_day", next->to - next->from >= 24);
    demo_draft_time(&draft, "start_time", best);
    demo_draft_time(&draft, "end_time", end);
    demo_draft_text(&draft, "location", next->location ? next->location : "");
    demo_draft_text(&draft, "description", "");
    entity->due = best > at ? best : end;
    return demo_draft_commit(&draft, context);
}

static const struct demo_field calendar_fields[] = {
    {.name = "start_date_time", .kind = FIELD_TIME},
    {.name = "end_date_time", .kind = FIELD_TIME},
    {.name = "duration", .kind = FIELD_OBJECT},
};

/* At most a year, in microseconds. */
static int64_t calendar_duration(haft_value *duration)
{
    double hours = demo_number(duration, "days", 0) * 24 + demo_number(duration, "hours", 0) +
                   demo_number(duration, "minutes", 0) / 60;

    return hours > 0 && hours < 8784 ? (int64_t)(hours * 3600) * DEMO_SECOND : WEATHER_DAY;
}

static int calendar_get_events(struct demo_call *call, struct demo_entity *entity)
{
    haft_value *duration = yyjson_obj_get(call->data, "duration");
    const char *start = demo_text(call->data, "start_date_time");
    const char *end = demo_text(call->data, "end_date_time");
    int64_t from = call->demo->now, to;
    haft_buffer out;
    struct json_writer w = {.out = &out};

    if (!end && !duration)
        return demo_fail(call, DEMO_INVALID, NULL,
                         "must contain at least one of end_date_time, duration.");
    if (start)
        demo_time_read(start, &from);
    to = from + calendar_duration(duration);
    if (end)
        demo_time_read(end, &to);
    out = demo_buffer(call->demo);
    hf_json_begin_object(&w);
    demo_calendar_write(call->demo, json_key(&w, "events"), from, to, false);
    hf_json_end_object(&w);
    return weather_respond(call, entity, &out);
}

const struct demo_service demo_services_calendar[] = {
    {"get_events", "Retrieves events on a calendar within a time range.", calendar_get_events,
     SERVICE_TARGET | SERVICE_RESPONDS_ONLY, 0, SERVICE_FIELDS(calendar_fields)},
    {0},
};

void demo_rest_calendars(struct demo_rest *rest)
{
    struct demo *demo = rest->demo;

    hf_json_begin_array(&rest->w);
    for (size_t i = 0; i < demo->n_entities; i++)
        if (demo_is_in(demo->entities[i], "calendar")) {
            const char *name = demo_name(demo, demo->entities[i]);

            hf_json_begin_object(&rest->w);
            hf_json_text(json_key(&rest->w, "name"), name);
            hf_json_text(json_key(&rest->w, "entity_id"), demo->entities[i]->id);
            hf_json_end_object(&rest->w);
        }
    hf_json_end_array(&rest->w);
}

void demo_rest_calendar(struct demo_rest *rest)
{
    const char *start = demo_rest_query(rest, "start"), *end = demo_rest_query(rest, "end");
    struct demo_entity *entity = demo_find(rest->demo, rest->tail);
    int64_t from, to;

    if (!entity || !demo_is_in(entity, "calendar"))
        demo_rest_text(rest, 404, "404: Not Found");
    else if (!start || !end || !demo_time_read(start, &from) || !demo_time_read(end, &to))
        demo_rest_text(rest, 400, "400: Bad Request");
    else
        demo_calendar_write(rest->demo, &rest->w, from, to, true);
}

/* ---- the camera ---- */

static int camera_on(struct demo_call *call, struct demo_entity *entity)
{
    return demo_set_state(call, entity, "idle");
}

static int camera_off(struct demo_call *call, struct demo_entity *entity)
{
    return demo_set_state(call, entity, "off");
}

const struct demo_service demo_services_camera[] = {
    {"turn_on", "Turns on the camera.", camera_on, SERVICE_TARGET, 0, NULL, 0},
    {"turn_off", "Turns off the camera.", camera_off, SERVICE_TARGET, 0, NULL, 0},
    {0},
};

void demo_rest_camera(struct demo_rest *rest)
{
    struct demo_entity *entity = demo_find(rest->demo, rest->tail);
    struct demo_entity *door = demo_find(rest->demo, "lock.front_door");

    if (!entity || !demo_is_in(entity, "camera")) {
        demo_rest_text(rest, 404, "404: Not Found");
        return;
    }
    if (!strcmp(entity->state->text, "off")) {
        demo_rest_text(rest, 503, "503: Service Unavailable");
        return;
    }
    rest->response->type = "image/png";
    demo_picture_write(&rest->response->body, door && !strcmp(door->state->text, "locked"));
}
