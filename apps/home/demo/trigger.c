/* trigger.c - triggers: of states, of numbers and of events.  Others are accepted, and never happen here. */
#include "demo/automation.h"

static const char *trigger_platform(haft_value *trigger)
{
    const char *platform = demo_text(trigger, "trigger");

    return platform ? platform : demo_text(trigger, "platform");
}

/* ---- checks ---- */

static const char *trigger_check_one(struct demo *demo, haft_value *trigger)
{
    static const char known[] =
        ",state,numeric_state,event,time,time_pattern,sun,zone,template,homeassistant,webhook,"
        "device,calendar,conversation,mqtt,tag,persistent_notification,geo_location,";
    static const char *const needs[][2] = {{"state", "entity_id"},
                                           {"numeric_state", "entity_id"},
                                           {"event", "event_type"},
                                           {"time", "at"}};
    const char *platform = trigger_platform(trigger), *word;

    if (!yyjson_is_obj(trigger))
        return "expected a dictionary";
    if (!platform)
        return "required key not provided @ data['trigger']";
    word = demo_format(demo, ",%s,", platform);
    if (!word)
        return "";
    if (!strstr(known, word))
        return demo_complain(demo, "Invalid trigger '%s' specified", platform);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (!strcmp(needs[i][0], platform) && !yyjson_obj_get(trigger, needs[i][1]))
            return demo_complain(demo, "required key not provided @ data['%s']", needs[i][1]);
    if (!strcmp(platform, "numeric_state") && !yyjson_obj_get(trigger, "above") &&
        !yyjson_obj_get(trigger, "below"))
        return "must contain at least one of below, above.";
    return NULL;
}

const char *demo_trigger_check(struct demo *demo, haft_value *trigger)
{
    const char *wrong = NULL;

    if (!yyjson_is_arr(trigger))
        return trigger_check_one(demo, trigger);
    for (size_t i = 0; !wrong && i < yyjson_arr_size(trigger); i++)
        wrong = trigger_check_one(demo, yyjson_arr_get(trigger, i));
    return wrong;
}

/* ---- matching ---- */

/* Whether a state is what the trigger says of `from` or `to`; nothing and null are anything. */
static bool trigger_allows(haft_value *trigger, const char *name, haft_value *state)
{
    haft_value *wanted = yyjson_obj_get(trigger, name);
    const char *text = demo_text(state, "state");

    return !wanted || yyjson_is_null(wanted) || (text && demo_lists(wanted, text));
}

static haft_value *trigger_attribute(haft_value *state, const char *name)
{
    return yyjson_obj_get(yyjson_obj_get(state, "attributes"), name);
}

static bool trigger_of_state(struct demo *demo, haft_value *trigger, haft_value *data)
{
    haft_value *old = yyjson_obj_get(data, "old_state"), *new = yyjson_obj_get(data, "new_state");
    const char *before = demo_text(old, "state"), *after = demo_text(new, "state");
    const char *attribute = demo_text(trigger, "attribute");
    bool names = yyjson_obj_get(trigger, "from") || yyjson_obj_get(trigger, "to");

    if (yyjson_obj_get(trigger, "for"))
        return false; /* the demo home does not wait */
    if (attribute) {
        haft_value *is = trigger_attribute(new, attribute), *to = yyjson_obj_get(trigger, "to");

        return is && !demo_equal(demo, trigger_attribute(old, attribute), is) &&
               (!to || demo_equal(demo, to, is));
    }
    if (names && before && after && !strcmp(before, after))
        return false;
    return trigger_allows(trigger, "from", old) && trigger_allows(trigger, "to", new);
}

static bool trigger_in_range(haft_value *trigger, haft_value *state)
{
    const char *attribute = demo_text(trigger, "attribute"), *text = demo_text(state, "state");
    haft_value *value = attribute ? trigger_attribute(state, attribute) : NULL;
    double number;
    char *end;

    if (value && yyjson_is_num(value)) {
        number = yyjson_get_num(value);
    } else {
        number = text ? strtod(text, &end) : 0;
        if (!text || end == text || *end)
            return false;
    }
    return number > demo_number(trigger, "above", -1e300) &&
           number < demo_number(trigger, "below", 1e300);
}

static bool trigger_of_number(haft_value *trigger, haft_value *data)
{
    return trigger_in_range(trigger, yyjson_obj_get(data, "new_state")) &&
           !trigger_in_range(trigger, yyjson_obj_get(data, "old_state"));
}

/* Whether the event's data has all members of the trigger's. */
static bool trigger_of_event(struct demo *demo, haft_value *trigger, haft_value *event)
{
    haft_value *wanted = yyjson_obj_get(trigger, "event_data");
    haft_value *data = yyjson_obj_get(event, "data");
    const char *type = demo_text(event, "event_type");
    yyjson_obj_iter iter;
    yyjson_val *key;

    if (!type || !demo_lists(yyjson_obj_get(trigger, "event_type"), type))
        return false;
    yyjson_obj_iter_init(wanted, &iter);
    while ((key = yyjson_obj_iter_next(&iter)))
        if (!demo_equal(demo, yyjson_obj_get(data, yyjson_get_str(key)),
                        yyjson_obj_iter_get_val(key)))
            return false;
    return true;
}

static bool trigger_matches(struct demo *demo, haft_value *trigger, haft_value *event)
{
    const char *platform = trigger_platform(trigger);
    haft_value *data = yyjson_obj_get(event, "data");
    const char *id = demo_text(data, "entity_id"), *type = demo_text(event, "event_type");

    if (!platform || !type)
        return false;
    if (!strcmp(platform, "event"))
        return trigger_of_event(demo, trigger, event);
    if (strcmp(type, "state_changed") != 0 || !id ||
        !demo_lists(yyjson_obj_get(trigger, "entity_id"), id))
        return false;
    if (!strcmp(platform, "state"))
        return trigger_of_state(demo, trigger, data);
    return !strcmp(platform, "numeric_state") && trigger_of_number(trigger, data);
}

/* ---- the variable ---- */

static char *trigger_variable(struct demo *demo, haft_value *trigger, size_t at, haft_value *event)
{
    const char *platform = trigger_platform(trigger), *id = demo_text(trigger, "id");
    haft_value *data = yyjson_obj_get(event, "data");
    const char *number = demo_format(demo, "%zu", at), *text;
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "id"), id ? id : number ? number : "");
    hf_json_text(json_key(&w, "idx"), number ? number : "");
    hf_json_null(json_key(&w, "alias"));
    hf_json_text(json_key(&w, "platform"), platform);
    if (!strcmp(platform, "event")) {
        text = demo_format(demo, "event '%s'", demo_text(event, "event_type"));
        hf_json_value(json_key(&w, "event"), event);
    } else {
        text = demo_format(demo, "%s of %s", platform, demo_text(data, "entity_id"));
        hf_json_value(json_key(&w, "entity_id"), yyjson_obj_get(data, "entity_id"));
        hf_json_value(json_key(&w, "from_state"), yyjson_obj_get(data, "old_state"));
        hf_json_value(json_key(&w, "to_state"), yyjson_obj_get(data, "new_state"));
        hf_json_null(json_key(&w, "for"));
        hf_json_null(json_key(&w, "attribute"));
    }
    hf_json_text(json_key(&w, "description"), text ? text : "");
    hf_json_end_object(&w);
    return demo_take(demo, &out);
}

char *demo_trigger_match(struct demo *demo, haft_value *triggers, haft_value *event)
{
    if (!yyjson_is_arr(triggers))
        return triggers && trigger_matches(demo, triggers, event)
                   ? trigger_variable(demo, triggers, 0, event)
                   : NULL;
    for (size_t i = 0; i < yyjson_arr_size(triggers); i++)
        if (trigger_matches(demo, yyjson_arr_get(triggers, i), event))
            return trigger_variable(demo, yyjson_arr_get(triggers, i), i, event);
    return NULL;
}

void demo_trigger_tell(struct demo_session *session, const struct demo_subscription *to,
                       haft_value *event)
{
    struct demo *demo = session->demo;
    char *variable = demo_trigger_match(demo, demo_parse(demo, to->what), event);
    haft_buffer out;
    struct json_writer w = {.out = &out};
    char *json;

    if (!variable)
        return;
    out = demo_buffer(demo);
    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "variables"));
    hf_json_raw(json_key(&w, "trigger"), variable, strlen(variable));
    hf_json_end_object(&w);
    hf_json_value(json_key(&w, "context"), yyjson_obj_get(event, "context"));
    hf_json_end_object(&w);
    json = demo_take(demo, &out);
    if (json)
        demo_send_event(session, to->id, json);
    else
        demo_end(session);
}
