/* trigger.c - triggers: of states, numbers, events and the sun; those of times are in automation.c.  Others
 * are refused, in the words that Home Assistant has for an integration that is not there. */
#include "demo/automation.h"

static const char *trigger_platform(haft_value *trigger)
{
    const char *platform = demo_text(trigger, "trigger");

    return platform ? platform : demo_text(trigger, "platform");
}

/* ---- checks ---- */

static const char *trigger_check_one(struct demo *demo, haft_value *trigger)
{
    static const char known[] = ",state,numeric_state,event,time,sun,";
    static const char *const needs[][2] = {{"state", "entity_id"},
                                           {"numeric_state", "entity_id"},
                                           {"event", "event_type"},
                                           {"time", "at"},
                                           {"sun", "event"}};
    haft_value *lasts = yyjson_obj_get(trigger, "for");
    int64_t us;
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
    if (lasts && !demo_hold_read(lasts, &us))
        return "expected a duration such as 'HH:MM:SS' for dictionary value @ data['for']";
    if (!strcmp(platform, "sun") && yyjson_obj_get(trigger, "offset"))
        return "extra keys not allowed @ data['offset']";
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

static bool trigger_of_sun(haft_value *trigger, haft_value *data)
{
    const char *event = demo_text(trigger, "event");
    const char *before = demo_text(yyjson_obj_get(data, "old_state"), "state"),
               *after = demo_text(yyjson_obj_get(data, "new_state"), "state");
    bool sets = event && !strcmp(event, "sunset");

    return event && before && after && strcmp(before, after) != 0 &&
           !strcmp(after, sets ? "below_horizon" : "above_horizon");
}

bool demo_trigger_lasts(struct demo *demo, haft_value *trigger, haft_value *then, haft_value *state)
{
    const char *platform = trigger_platform(trigger), *attribute = demo_text(trigger, "attribute");
    const char *was = demo_text(then, "state"), *is = demo_text(state, "state");

    if (platform && !strcmp(platform, "numeric_state"))
        return trigger_in_range(trigger, state);
    if (attribute)
        return is && demo_equal(demo, trigger_attribute(then, attribute),
                                trigger_attribute(state, attribute));
    return was && is && !strcmp(was, is);
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
    if (!strcmp(platform, "sun"))
        return !strcmp(type, "state_changed") && id && !strcmp(id, "sun.sun") &&
               trigger_of_sun(trigger, data);
    if (strcmp(type, "state_changed") != 0 || !id ||
        !demo_lists(yyjson_obj_get(trigger, "entity_id"), id))
        return false;
    if (!strcmp(platform, "state"))
        return trigger_of_state(demo, trigger, data);
    return !strcmp(platform, "numeric_state") && trigger_of_number(trigger, data);
}

/* ---- the variable ---- */

/* As Home Assistant writes a duration. */
static void trigger_put_for(struct json_writer *w, haft_value *trigger)
{
    int64_t us;

    if (!demo_hold_read(yyjson_obj_get(trigger, "for"), &us)) {
        hf_json_null(json_key(w, "for"));
        return;
    }
    hf_json_begin_object(json_key(w, "for"));
    hf_json_text(json_key(w, "__type"), "<class 'datetime.timedelta'>");
    hf_json_number(json_key(w, "total_seconds"), (double)us / DEMO_SECOND);
    hf_json_end_object(w);
}

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
        trigger_put_for(&w, trigger);
        hf_json_null(json_key(&w, "attribute"));
    }
    hf_json_text(json_key(&w, "description"), text ? text : "");
    hf_json_end_object(&w);
    return demo_take(demo, &out);
}

char *demo_trigger_match(struct demo *demo, haft_value *triggers, haft_value *event,
                         const struct demo_waiter *waiter)
{
    size_t n = yyjson_is_arr(triggers) ? yyjson_arr_size(triggers) : triggers ? 1 : 0;
    char *found = NULL, *variable;

    for (size_t i = 0; i < n; i++) {
        haft_value *trigger = yyjson_is_arr(triggers) ? yyjson_arr_get(triggers, i) : triggers;

        if (!trigger_matches(demo, trigger, event))
            continue;
        variable = trigger_variable(demo, trigger, i, event);
        if (!yyjson_obj_get(trigger, "for"))
            found = found ? found : variable;
        else if ((!variable || demo_hold(demo, waiter, trigger, i, variable, event)) &&
                 waiter->session)
            demo_end(waiter->session);
    }
    return found;
}

void demo_trigger_send(struct demo_session *session, int64_t subscription, const char *variable,
                       haft_value *context)
{
    haft_buffer out = demo_buffer(session->demo);
    struct json_writer w = {.out = &out};
    char *json;

    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "variables"));
    hf_json_raw(json_key(&w, "trigger"), variable, strlen(variable));
    hf_json_end_object(&w);
    hf_json_value(json_key(&w, "context"), context);
    hf_json_end_object(&w);
    json = demo_take(session->demo, &out);
    if (json)
        demo_send_event(session, subscription, json);
    else
        demo_end(session);
}

void demo_trigger_tell(struct demo_session *session, const struct demo_subscription *to,
                       haft_value *event)
{
    struct demo *demo = session->demo;
    struct demo_waiter waiter = {.session = session, .subscription = to->id};
    char *variable = demo_trigger_match(demo, demo_parse(demo, to->what), event, &waiter);

    if (variable)
        demo_trigger_send(session, to->id, variable, yyjson_obj_get(event, "context"));
}
