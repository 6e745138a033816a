/* decide_value.c - searching JSON, and entities that stand for others, for what is hidden.
 *
 * What Home Assistant would find out only later is refused: templates, and areas in a configuration. */
#include "hass/decide.h"
#include "hass/filter.h"

enum { DECIDE_NESTED = 8 /* groups in groups */ };

static bool decide_is_template(const char *text)
{
    return strstr(text, "{{") || strstr(text, "{%") || strstr(text, "{#");
}

/* Whether it names a place, whose entities may be others tomorrow. */
static bool decide_names_place(const char *key)
{
    static const char *const keys[] = {"area_id", "device_id", "floor_id", "label_id"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

static bool decide_is_empty(yyjson_val *value)
{
    return !value || yyjson_is_null(value) ||
           (yyjson_is_ctn(value) && !unsafe_yyjson_get_len(value)) ||
           yyjson_equals_str(value, "none") || yyjson_equals_str(value, "");
}

/* ---- entities that stand for others ---- */

/* An id or an array of ids: all are visible, and so are the entities that they stand for. */
static bool decide_ids(struct hass *hass, haft_arena *arena, yyjson_val *value, unsigned depth);

static bool decide_state(struct hass *hass, haft_arena *arena, const struct state *state,
                         unsigned depth, bool *ret_owner)
{
    static const char *const lists[] = {"entity_id", "group_members", "entities", "members"};
    const char *id = state_id(state), *why;
    bool is_scene = !strncmp(id, "scene.", 6);
    yyjson_val *attributes;
    size_t at;

    *ret_owner = !strncmp(id, "script.", 7) || !strncmp(id, "automation.", 11);
    if (depth > DECIDE_NESTED ||
        hf_json_parse(state_attributes(state), state->attributes, arena, &attributes, &at, &why))
        return false;
    if (is_scene && decide_is_empty(yyjson_obj_get(attributes, "entity_id")))
        return false; /* it does not say what it changes */
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        yyjson_val *list = yyjson_obj_get(attributes, lists[i]);

        if (!decide_is_empty(list) && !decide_ids(hass, arena, list, depth + 1))
            return false;
    }
    return true;
}

static bool decide_one_id(struct hass *hass, haft_arena *arena, const char *text, unsigned depth)
{
    const char *id = hass_tidy_id(arena, text, strlen(text));
    const struct state *state;
    bool owner;

    if (!id || !hass_is_entity_id(id, strlen(id)) || !hass_shows(hass, id))
        return false;
    state = hass_table_find(&hass->states, id, strlen(id));
    return !state || (decide_state(hass, arena, state, depth, &owner) && !owner);
}

static bool decide_ids(struct hass *hass, haft_arena *arena, yyjson_val *value, unsigned depth)
{
    yyjson_val *item;
    size_t i, max;

    if (yyjson_is_str(value))
        return decide_one_id(hass, arena, yyjson_get_str(value), depth);
    if (!yyjson_is_arr(value))
        return false;
    yyjson_arr_foreach(value, i, max, item)
        if (!yyjson_is_str(item) || !decide_one_id(hass, arena, yyjson_get_str(item), depth))
            return false;
    return true;
}

enum reach_verdict hass_decide_entity(struct hass *hass, haft_arena *arena,
                                      const struct state *state, bool *ret_owner)
{
    return decide_state(hass, arena, state, 0, ret_owner) ? REACH_ALLOWED : REACH_REFUSED;
}

/* ---- services in a configuration ---- */

/* Whether a configuration may call the service: one that acts on entities of the service's domain. */
static bool decide_service(const struct hass *hass, const char *text)
{
    static const char *const refused[] = {"script.", "automation.", "scene.apply", "scene.create",
                                          "group."};
    static const char *const allowed[] = {
        "homeassistant.turn_on",       "homeassistant.turn_off", "homeassistant.toggle",
        "homeassistant.update_entity", "scene.turn_on",          "persistent_notification.create"};
    size_t domain = strcspn(text, ".");

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!strncmp(text, refused[i], strlen(refused[i])))
            return false;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (!strcmp(text, allowed[i]))
            return true;
    if (!strncmp(text, "notify.", 7))
        return true;
    for (size_t i = 0; text[domain] && i < hass->states.n_slots; i++) {
        const struct state *state = hass->states.slots[i];

        if (state && !strncmp(state_id(state), text, domain + 1) &&
            hass_shows(hass, state_id(state)))
            return true;
    }
    return false;
}

/* ---- any value ---- */

struct decide_walk {
    struct hass *hass;
    haft_arena *arena;
    enum reach_kind kind;
    const char *what;
};

static enum reach_verdict decide_any(struct decide_walk *walk, const char *key, yyjson_val *value);

/* The words of a text: none is hidden, none stands for what is. */
static enum reach_verdict decide_words(struct decide_walk *walk, const char *text)
{
    size_t size = strlen(text), from = 0, end;

    if (hass_find_hidden(walk->hass, text, size, &from, &end)) {
        walk->what = haft_arena_copy(walk->arena, text + from, end - from);
        return walk->what ? REACH_NO_ENTITY : REACH_NO_MEMORY;
    }
    for (size_t at = 0; at < size;) {
        size_t n = strcspn(text + at, " ,\t\n");
        const struct state *state =
            n <= ENTITY_ID_MAX ? hass_table_find(&walk->hass->states, text + at, n) : NULL;
        bool owner;

        if (state && (hass_decide_entity(walk->hass, walk->arena, state, &owner) != REACH_ALLOWED ||
                      owner)) {
            walk->what = state_id(state);
            return REACH_REFUSED;
        }
        at += n + (at + n < size);
    }
    return REACH_ALLOWED;
}

static enum reach_verdict decide_text(struct decide_walk *walk, const char *key, const char *text)
{
    bool is_service = key && (!strcmp(key, "action") || !strcmp(key, "service") ||
                              !strcmp(key, "perform_action"));

    walk->what = key ? key : "a list";
    if (decide_is_template(text))
        return REACH_REFUSED;
    if (key && !strcmp(key, "entity_id") && hf_text_same_ignoring_case(text, "all"))
        return REACH_REFUSED;
    if (walk->kind == REACH_CONFIG && is_service && strchr(text, '.')) {
        walk->what = text;
        return decide_service(walk->hass, text) ? REACH_ALLOWED : REACH_REFUSED;
    }
    return decide_words(walk, text);
}

static enum reach_verdict decide_member(struct decide_walk *walk, const char *key,
                                        yyjson_val *value)
{
    bool steps = !strcmp(key, "event") || !strcmp(key, "use_blueprint");
    enum reach_verdict verdict;

    walk->what = key;
    if (decide_names_place(key) && !decide_is_empty(value))
        return REACH_REFUSED;
    if (walk->kind == REACH_CONFIG && steps && !decide_is_empty(value))
        return REACH_REFUSED;
    verdict = decide_text(walk, NULL, key);
    return verdict ? verdict : decide_any(walk, key, value);
}

/* It nests no deeper than haft_json_read allows. */
static enum reach_verdict decide_any(struct decide_walk *walk, const char *key, yyjson_val *value)
{
    enum reach_verdict verdict = REACH_ALLOWED;
    yyjson_val *name, *item;
    size_t i, max;

    if (yyjson_is_str(value))
        return decide_text(walk, key, yyjson_get_str(value));
    if (yyjson_is_arr(value))
        yyjson_arr_foreach(value, i, max, item)
            if ((verdict = decide_any(walk, key, item)))
                return verdict;
    if (yyjson_is_obj(value))
        yyjson_obj_foreach(value, i, max, name, item)
            if ((verdict = decide_member(walk, yyjson_get_str(name), item)))
                return verdict;
    return verdict;
}

enum reach_verdict hass_decide_value(struct hass *hass, haft_arena *arena, enum reach_kind kind,
                                     yyjson_val *value, const char **ret_what)
{
    struct decide_walk walk = {.hass = hass, .arena = arena, .kind = kind};
    enum reach_verdict verdict = decide_any(&walk, NULL, value);

    *ret_what = walk.what ? walk.what : "";
    return verdict;
}
