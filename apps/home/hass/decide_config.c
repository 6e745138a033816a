/* decide_config.c - may an automation or a script reach only visible entities?
 *
 * A configuration is allowed if each of its parts is one of the tables here: a trigger, a condition or a step
 * whose entities are visible, and which needs nothing else of the home.  Everything that is not in the tables
 * is refused, also if Home Assistant learns new kinds. */
#include "hass/decide.h"
#include "hass/filter.h"

/* What a value must be. */
enum config_form {
    CONFIG_PROSE, /* it is only shown to people */
    CONFIG_WORD,  /* the kind of its object, which is checked with it */
    CONFIG_VALUE, /* of any type, without templates and hidden ids */
    CONFIG_IDS,
    CONFIG_DATA, /* of the service of its object, and checked with it */
    /* objects, or arrays of them */
    CONFIG_WHOLE,
    CONFIG_TRIGGER,
    CONFIG_CONDITION,
    CONFIG_STEP,
    CONFIG_CHOICE,
    CONFIG_REPEAT,
    CONFIG_TARGET
};

static const struct {
    enum config_form object, form;
    const char *keys; /* with spaces around each */
} config_rows[] = {
    {CONFIG_WHOLE, CONFIG_PROSE, " id alias description icon fields "},
    {CONFIG_WHOLE, CONFIG_VALUE, " mode max max_exceeded trace initial_state variables "},
    {CONFIG_WHOLE, CONFIG_TRIGGER, " triggers trigger "},
    {CONFIG_WHOLE, CONFIG_CONDITION, " conditions condition "},
    {CONFIG_WHOLE, CONFIG_STEP, " actions action sequence "},

    {CONFIG_TRIGGER, CONFIG_WORD, " trigger platform "},
    {CONFIG_TRIGGER, CONFIG_PROSE, " id alias "},
    {CONFIG_TRIGGER, CONFIG_IDS, " entity_id zone "},
    {CONFIG_TRIGGER, CONFIG_TARGET, " target "},
    {CONFIG_TRIGGER, CONFIG_TRIGGER, " triggers "},
    {CONFIG_TRIGGER, CONFIG_VALUE,
     " enabled from to not_from not_to for attribute above below event offset at weekday hours minutes seconds "
     "variables options "},

    {CONFIG_CONDITION, CONFIG_WORD, " condition "},
    {CONFIG_CONDITION, CONFIG_PROSE, " id alias "},
    {CONFIG_CONDITION, CONFIG_IDS, " entity_id zone "},
    {CONFIG_CONDITION, CONFIG_TARGET, " target "},
    {CONFIG_CONDITION, CONFIG_CONDITION, " conditions and or not "},
    {CONFIG_CONDITION, CONFIG_VALUE,
     " enabled state attribute match for above below after before after_offset before_offset weekday options "},

    {CONFIG_STEP, CONFIG_WORD, " action service "},
    {CONFIG_STEP, CONFIG_PROSE, " alias stop "},
    {CONFIG_STEP, CONFIG_IDS, " entity_id scene "},
    {CONFIG_STEP, CONFIG_TARGET, " target "},
    {CONFIG_STEP, CONFIG_DATA, " data "},
    {CONFIG_STEP, CONFIG_TRIGGER, " wait_for_trigger "},
    {CONFIG_STEP, CONFIG_CONDITION, " if "},
    {CONFIG_STEP, CONFIG_STEP, " then else default parallel sequence "},
    {CONFIG_STEP, CONFIG_CHOICE, " choose "},
    {CONFIG_STEP, CONFIG_REPEAT, " repeat "},
    {CONFIG_STEP, CONFIG_VALUE,
     " enabled metadata response_variable continue_on_error delay timeout continue_on_timeout variables error "
     "set_conversation_response "},

    {CONFIG_CHOICE, CONFIG_PROSE, " alias "},
    {CONFIG_CHOICE, CONFIG_CONDITION, " conditions "},
    {CONFIG_CHOICE, CONFIG_STEP, " sequence "},

    {CONFIG_REPEAT, CONFIG_VALUE, " count for_each "},
    {CONFIG_REPEAT, CONFIG_CONDITION, " while until "},
    {CONFIG_REPEAT, CONFIG_STEP, " sequence "},

    {CONFIG_TARGET, CONFIG_IDS, " entity_id "},
};

/* Kinds that depend on nothing, or on the entities that they name. */
static const char config_triggers[] =
    " state numeric_state zone sun time time_pattern homeassistant calendar ";
static const char config_conditions[] = " state numeric_state zone sun time trigger and or not ";

/* Domains whose services act on the entities that are their target, and on nothing else. */
static const char config_domains[] =
    " alarm_control_panel button calendar camera climate counter cover date datetime fan humidifier "
    "input_boolean input_button input_datetime input_number input_select input_text lawn_mower light lock "
    "media_player number remote select siren switch text time timer todo tts vacuum valve water_heater weather ";
/* Single services: those that act on any entity, and those that write to people. */
static const char config_any_domain[] =
    " homeassistant.turn_on homeassistant.turn_off homeassistant.toggle homeassistant.update_entity ";
static const char config_to_people[] = " persistent_notification.create ";

static bool config_lists(const char *list, const char *word, size_t size)
{
    if (memchr(word, ' ', size))
        return false;
    for (const char *at = list; size && (at = strchr(at, ' ')) && at[1]; at++)
        if (!strncmp(at + 1, word, size) && at[1 + size] == ' ')
            return true;
    return false;
}

/* ---- the work to do ---- */

struct config_item {
    enum config_form form;
    const char *key; /* that it is the value of */
    yyjson_val *value;
};

/* The parts that have not been checked. */
struct config_walk {
    struct hass *hass;
    haft_arena *arena;
    const char *what;
    struct config_item *items;
    size_t n, room;
};

static enum reach_verdict config_add(struct config_walk *walk, enum config_form form,
                                     const char *key, yyjson_val *value)
{
    if (walk->n == walk->room) {
        size_t room = walk->room ? 2 * walk->room : 32;
        struct config_item *items = haft_arena_alloc(walk->arena, room * sizeof *items);

        if (!items)
            return REACH_NO_MEMORY;
        if (walk->n)
            memcpy(items, walk->items, walk->n * sizeof *items);
        walk->items = items;
        walk->room = room;
    }
    walk->items[walk->n++] = (struct config_item){form, key, value};
    return REACH_ALLOWED;
}

/* ---- kinds ---- */

/* The kind of a trigger or a condition; one of an integration, as light.turned_on, needs a target. */
static enum reach_verdict config_check_kind(struct config_walk *walk, yyjson_val *object,
                                            const char *key, const char *kinds)
{
    yyjson_val *value = yyjson_obj_get(object, key);
    const char *kind = yyjson_get_str(value);

    if (!value)
        return REACH_ALLOWED;
    walk->what = kind ? kind : key;
    if (kind && config_lists(kinds, kind, yyjson_get_len(value)))
        return REACH_ALLOWED;
    return kind && hass_is_entity_id(kind, yyjson_get_len(value)) &&
                   !hass_is_empty(yyjson_obj_get(yyjson_obj_get(object, "target"), "entity_id"))
               ? REACH_ALLOWED
               : REACH_REFUSED;
}

/* The targets of a service, which may be in three places. */
static enum reach_verdict config_check_targets(struct config_walk *walk, yyjson_val *step,
                                               struct reach_ids *ids)
{
    yyjson_val *data = yyjson_obj_get(step, "data");
    yyjson_val *const places[] = {yyjson_obj_get(step, "entity_id"),
                                  yyjson_obj_get(data, "entity_id"),
                                  yyjson_obj_get(yyjson_obj_get(step, "target"), "entity_id")};
    enum reach_verdict verdict = REACH_ALLOWED;

    for (size_t i = 0; i < 3 && !verdict; i++)
        verdict = hass_decide_ids(walk->hass, walk->arena, places[i], ids);
    if (verdict)
        walk->what = ids->what;
    return verdict;
}

/* The member of an object that is an area or the like, which haft cannot replace here; NULL for none. */
static const char *config_find_place(yyjson_val *object)
{
    yyjson_val *key, *value;
    size_t i, n;

    if (!yyjson_is_obj(object))
        return NULL;
    yyjson_obj_foreach(object, i, n, key, value)
        if (hass_names_place(yyjson_get_str(key)) && !hass_is_empty(value))
            return yyjson_get_str(key);
    return NULL;
}

static enum reach_verdict config_check_data(struct config_walk *walk, const char *domain,
                                            yyjson_val *data)
{
    const char *place = config_find_place(data);

    walk->what = place ? place : "data";
    if (hass_is_empty(data))
        return REACH_ALLOWED;
    if (!yyjson_is_obj(data) || place)
        return REACH_REFUSED;
    return hass_decide_data(walk->hass, walk->arena, domain, data, &walk->what);
}

static enum reach_verdict config_check_service(struct config_walk *walk, yyjson_val *step,
                                               yyjson_val *service)
{
    const char *text = yyjson_get_str(service);
    size_t size = yyjson_get_len(service), dot = text ? strcspn(text, ".") : 0;
    bool to_people, any_domain;
    const char *domain;
    struct reach_ids ids = {.what = ""};
    enum reach_verdict verdict;

    walk->what = text ? text : "action";
    if (!text || !hass_is_entity_id(text, size)) /* a template, or not in small letters */
        return REACH_REFUSED;
    domain = haft_arena_copy(walk->arena, text, dot);
    if (!domain)
        return REACH_NO_MEMORY;
    to_people = !strcmp(domain, "notify") || config_lists(config_to_people, text, size);
    any_domain = to_people || config_lists(config_any_domain, text, size);
    if (!any_domain && strcmp(text, "scene.turn_on") != 0 &&
        !config_lists(config_domains, text, dot))
        return REACH_REFUSED;
    ids.domain = any_domain ? NULL : domain;
    verdict = config_check_targets(walk, step, &ids);
    if (!verdict && !ids.n && !to_people) {
        const char *place = config_find_place(yyjson_obj_get(step, "target"));

        walk->what = place ? place : text;
        return REACH_REFUSED;
    }
    return verdict ? verdict : config_check_data(walk, domain, yyjson_obj_get(step, "data"));
}

static enum reach_verdict config_check_step(struct config_walk *walk, yyjson_val *step)
{
    static const char *const keys[] = {"action", "service"};
    enum reach_verdict verdict = REACH_ALLOWED;
    bool calls = false;

    for (size_t i = 0; i < 2 && !verdict; i++) {
        yyjson_val *service = yyjson_obj_get(step, keys[i]);

        calls = calls || service;
        if (service)
            verdict = config_check_service(walk, step, service);
    }
    if (!calls && yyjson_obj_get(step, "data")) {
        walk->what = "data";
        verdict = REACH_REFUSED;
    }
    return verdict;
}

/* ---- objects ---- */

/* A condition may stand where a step does. */
static bool config_is_condition(yyjson_val *step)
{
    static const char *const keys[] = {"condition", "and", "or", "not"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (yyjson_obj_get(step, keys[i]))
            return true;
    return false;
}

static enum reach_verdict config_check_member(struct config_walk *walk, enum config_form object,
                                              yyjson_val *name, yyjson_val *value)
{
    const char *key = yyjson_get_str(name);
    size_t i = 0, n = sizeof config_rows / sizeof *config_rows;

    while (i < n && (config_rows[i].object != object ||
                     !config_lists(config_rows[i].keys, key, yyjson_get_len(name))))
        i++;
    walk->what = key;
    if (i < n)
        return config_add(walk, config_rows[i].form, key, value);
    return yyjson_is_str(value) || !hass_is_empty(value) ? REACH_REFUSED : REACH_ALLOWED;
}

static enum reach_verdict config_check_object(struct config_walk *walk, enum config_form form,
                                              yyjson_val *object)
{
    enum reach_verdict verdict = REACH_ALLOWED;
    yyjson_val *name, *value;
    size_t i, n;

    if (form == CONFIG_STEP && config_is_condition(object))
        form = CONFIG_CONDITION;
    yyjson_obj_foreach(object, i, n, name, value)
        if ((verdict = config_check_member(walk, form, name, value)))
            return verdict;
    if (form == CONFIG_TRIGGER) {
        verdict = config_check_kind(walk, object, "trigger", config_triggers);
        return verdict ? verdict : config_check_kind(walk, object, "platform", config_triggers);
    }
    if (form == CONFIG_CONDITION)
        return config_check_kind(walk, object, "condition", config_conditions);
    return form == CONFIG_STEP ? config_check_step(walk, object) : REACH_ALLOWED;
}

static enum reach_verdict config_check_item(struct config_walk *walk, struct config_item item)
{
    struct reach_ids ids = {.what = ""};
    enum reach_verdict verdict = REACH_ALLOWED;
    yyjson_val *part;
    size_t i, n;

    walk->what = item.key;
    switch (item.form) {
    case CONFIG_PROSE:
    case CONFIG_WORD:
    case CONFIG_DATA:
        return REACH_ALLOWED;
    case CONFIG_VALUE:
        verdict = hass_decide_value(walk->hass, walk->arena, item.value, &walk->what);
        walk->what = verdict == REACH_REFUSED ? item.key : walk->what;
        return verdict;
    case CONFIG_IDS:
        verdict = hass_decide_ids(walk->hass, walk->arena, item.value, &ids);
        walk->what = verdict ? ids.what : walk->what;
        return verdict;
    default:
        break;
    }
    if (yyjson_is_obj(item.value))
        return config_check_object(walk, item.form, item.value);
    if (!yyjson_is_arr(item.value))
        return yyjson_is_null(item.value) ? REACH_ALLOWED : REACH_REFUSED;
    yyjson_arr_foreach(item.value, i, n, part)
        if ((verdict = config_add(walk, item.form, item.key, part)))
            break;
    return verdict;
}

static enum reach_verdict config_run(struct config_walk *walk)
{
    enum reach_verdict verdict = REACH_ALLOWED;

    while (walk->n && !verdict)
        verdict = config_check_item(walk, walk->items[--walk->n]);
    return verdict;
}

enum reach_verdict hass_decide_config(struct hass *hass, haft_arena *arena, yyjson_val *config,
                                      const char **ret_what)
{
    struct config_walk walk = {.hass = hass, .arena = arena, .what = ""};
    enum reach_verdict verdict = config_add(&walk, CONFIG_WHOLE, "The configuration", config);

    verdict = verdict ? verdict : config_run(&walk);
    *ret_what = walk.what;
    return verdict;
}

enum reach_verdict hass_decide_part(struct hass *hass, haft_arena *arena, const char *key,
                                    yyjson_val *value)
{
    struct config_walk walk = {.hass = hass, .arena = arena};
    size_t i = 0, n = sizeof config_rows / sizeof *config_rows;

    while (i < n && (config_rows[i].object != CONFIG_WHOLE ||
                     !config_lists(config_rows[i].keys, key, strlen(key))))
        i++;
    if (i == n)
        return REACH_REFUSED;
    return config_add(&walk, config_rows[i].form, key, value) ? REACH_NO_MEMORY : config_run(&walk);
}
