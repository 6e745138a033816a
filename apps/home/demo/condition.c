/* condition.c - conditions: whether they are valid, and whether they hold. */
#include "demo/automation.h"
#include "demo/jinja.h"

enum { CONDITION_DEPTH = 16 };

/* The kind of a condition; {"and": [...]} is short for {"condition": "and", "conditions": [...]}. */
static const char *condition_kind(haft_value *condition, haft_value **ret_inner)
{
    static const char *const groups[] = {"and", "or", "not"};

    *ret_inner = yyjson_obj_get(condition, "conditions");
    for (size_t i = 0; i < 3; i++)
        if (yyjson_obj_get(condition, groups[i])) {
            *ret_inner = yyjson_obj_get(condition, groups[i]);
            return groups[i];
        }
    return yyjson_is_str(condition) ? "template" : demo_text(condition, "condition");
}

/* ---- checks ---- */

static const char *condition_check_one(struct demo *demo, haft_value *condition, unsigned depth);

static const char *condition_check_all(struct demo *demo, haft_value *conditions, unsigned depth)
{
    const char *wrong = NULL;

    if (!yyjson_is_arr(conditions))
        return condition_check_one(demo, conditions, depth);
    for (size_t i = 0; !wrong && i < yyjson_arr_size(conditions); i++)
        wrong = condition_check_one(demo, yyjson_arr_get(conditions, i), depth);
    return wrong;
}

static const char *condition_check_one(struct demo *demo, haft_value *condition, unsigned depth)
{
    static const char known[] =
        ",and,or,not,state,numeric_state,template,time,sun,zone,trigger,device,";
    static const char *const needs[][2] = {
        {"state", "entity_id"},         {"state", "state"},    {"numeric_state", "entity_id"},
        {"template", "value_template"}, {"and", "conditions"}, {"or", "conditions"},
        {"not", "conditions"}};
    haft_value *inner;
    const char *kind = condition_kind(condition, &inner), *word;

    if (yyjson_is_str(condition))
        return NULL;
    if (!kind)
        return "required key not provided @ data['condition']";
    word = demo_format(demo, ",%s,", kind);
    if (!word || !strstr(known, word))
        return word ? demo_complain(demo, "Invalid condition \"%s\" specified", kind) : "";
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (!strcmp(needs[i][0], kind) && !yyjson_obj_get(condition, needs[i][1]) && !inner)
            return demo_complain(demo, "required key not provided @ data['%s']", needs[i][1]);
    if (depth >= CONDITION_DEPTH)
        return "conditions are nested too deep";
    return inner ? condition_check_all(demo, inner, depth + 1) : NULL;
}

const char *demo_condition_check(struct demo *demo, haft_value *conditions)
{
    return condition_check_all(demo, conditions, 0);
}

/* ---- whether they hold ---- */

static bool condition_state(struct demo *demo, haft_value *condition, const char *id)
{
    struct demo_entity *entity = demo_find(demo, id);
    const char *attribute = demo_text(condition, "attribute");
    haft_value *wanted = yyjson_obj_get(condition, "state");

    if (!entity)
        return false;
    if (attribute)
        return demo_equal(demo, yyjson_obj_get(demo_attributes(demo, entity), attribute), wanted);
    return demo_lists(wanted, entity->state->text);
}

static bool condition_number(struct demo *demo, haft_value *condition, const char *id)
{
    struct demo_entity *entity = demo_find(demo, id);
    const char *attribute = demo_text(condition, "attribute");
    double value;
    char *end = NULL;

    if (!entity)
        return false;
    if (attribute) {
        value = demo_attribute(demo, entity, attribute, -1e301);
    } else {
        value = strtod(entity->state->text, &end);
        if (end == entity->state->text || *end)
            return false;
    }
    return value > demo_number(condition, "above", -1e300) &&
           value < demo_number(condition, "below", 1e300);
}

/* One that is about entities holds if it holds for each of them. */
static bool condition_each(struct demo *demo, haft_value *condition,
                           bool (*holds)(struct demo *, haft_value *, const char *))
{
    haft_value *ids = yyjson_obj_get(condition, "entity_id");
    size_t n = yyjson_arr_size(ids);

    if (yyjson_is_str(ids))
        return holds(demo, condition, yyjson_get_str(ids));
    for (size_t i = 0; i < n; i++)
        if (!yyjson_is_str(yyjson_arr_get(ids, i)) ||
            !holds(demo, condition, yyjson_get_str(yyjson_arr_get(ids, i))))
            return false;
    return n > 0;
}

/* Seconds of a day: "HH:MM" or "HH:MM:SS"; -1 if it is not a time. */
static int condition_seconds(const char *text)
{
    int hour, minute, second = 0;

    if (!text || sscanf(text, "%2d:%2d:%2d", &hour, &minute, &second) < 2)
        return -1;
    return (hour * 60 + minute) * 60 + second;
}

static bool condition_time(struct demo *demo, haft_value *condition)
{
    int now = (int)(demo->now / DEMO_SECOND % 86400);
    int after = condition_seconds(demo_text(condition, "after"));
    int before = condition_seconds(demo_text(condition, "before"));

    if (after >= 0 && before >= 0 && after > before)
        return now >= after || now < before;
    return (after < 0 || now >= after) && (before < 0 || now < before);
}

static bool condition_template(struct demo *demo, const char *text, const char *trigger)
{
    struct demo_jinja jinja = {.demo = demo, .trigger = trigger};
    char *result = text ? demo_jinja_render(&jinja, text) : NULL;

    return result && (hf_text_same_ignoring_case(result, "true") || !strcmp(result, "1") ||
                      !strcmp(result, "on") || !strcmp(result, "yes"));
}

static bool condition_holds(struct demo *demo, haft_value *condition, const char *trigger,
                            unsigned depth)
{
    haft_value *inner;
    const char *kind = condition_kind(condition, &inner);
    bool is_or, any = false, all = true;

    if (!kind || depth >= CONDITION_DEPTH)
        return false;
    if (yyjson_is_str(condition))
        return condition_template(demo, yyjson_get_str(condition), trigger);
    if (!strcmp(kind, "template"))
        return condition_template(demo, demo_text(condition, "value_template"), trigger);
    if (!strcmp(kind, "state"))
        return condition_each(demo, condition, condition_state);
    if (!strcmp(kind, "numeric_state"))
        return condition_each(demo, condition, condition_number);
    if (!strcmp(kind, "time"))
        return condition_time(demo, condition);
    if (!strcmp(kind, "trigger"))
        return trigger && demo_lists(yyjson_obj_get(condition, "id"),
                                     demo_text(demo_parse(demo, trigger), "id"));
    for (size_t i = 0; i < yyjson_arr_size(inner); i++) {
        bool holds = condition_holds(demo, yyjson_arr_get(inner, i), trigger, depth + 1);

        any = any || holds;
        all = all && holds;
    }
    is_or = !strcmp(kind, "or");
    return is_or ? any : !strcmp(kind, "and") ? all : !strcmp(kind, "not") && !any;
}

bool demo_condition_holds(struct demo *demo, haft_value *condition, const char *trigger)
{
    return condition_holds(demo, condition, trigger, 0);
}

/* ---- actions ---- */

const char *demo_action_check(struct demo *demo, haft_value *actions)
{
    static const char *const known[] = {
        "action",   "service",   "delay",    "condition", "event",         "scene",
        "choose",   "if",        "repeat",   "stop",      "and",           "or",
        "not",      "variables", "parallel", "sequence",  "wait_template", "wait_for_trigger",
        "device_id"};
    size_t n = yyjson_is_arr(actions) ? yyjson_arr_size(actions) : 1;

    for (size_t i = 0; i < n; i++) {
        haft_value *action = yyjson_is_arr(actions) ? yyjson_arr_get(actions, i) : actions;
        const char *service = demo_text(action, demo_text(action, "action") ? "action" : "service");
        bool is_known = yyjson_is_str(action);

        for (size_t k = 0; !is_known && k < sizeof known / sizeof *known; k++)
            is_known = yyjson_obj_get(action, known[k]);
        if (!is_known)
            return demo_complain(demo, "Unable to determine action @ data[%zu]", i);
        if (service && !strchr(service, '.') && !strstr(service, "{{"))
            return demo_complain(demo,
                                 "Service %s does not match format <domain>.<name> for dictionary "
                                 "value @ data[%zu]['action']",
                                 service, i);
    }
    return NULL;
}
