/* decide_value.c - entities that stand for others, and JSON that goes along with a service.
 *
 * What Home Assistant would find out only later is refused: templates, and areas. */
#include "hass/decide.h"

#include "base/hex.h"
#include "hass/filter.h"

bool hass_is_template(const char *text)
{
    return strstr(text, "{{") || strstr(text, "{%") || strstr(text, "{#");
}

bool hass_is_empty(yyjson_val *value)
{
    return !value || yyjson_is_null(value) ||
           (yyjson_is_ctn(value) && !unsafe_yyjson_get_len(value)) ||
           yyjson_equals_str(value, "none") || yyjson_equals_str(value, "");
}

/* A string that Home Assistant reads to its end, as this client does; NULL if it is not. */
static const char *decide_whole(yyjson_val *value)
{
    const char *text = yyjson_get_str(value);

    return text && strlen(text) == yyjson_get_len(value) ? text : NULL;
}

/* ---- entities that stand for others ---- */

/* Entities that have been checked, and those that remain. */
struct decide_queue {
    struct hass *hass;
    haft_arena *arena;
    const struct state **at;
    size_t n, room, done;
    enum reach_verdict verdict;
};

enum { DECIDE_MOST = 4096 /* that one entity may stand for */ };

static void decide_queue_add(struct decide_queue *queue, const struct state *state)
{
    for (size_t i = 0; i < queue->n; i++)
        if (queue->at[i] == state) /* a group may have itself in it */
            return;
    if (queue->n == queue->room) {
        size_t room = queue->room ? 2 * queue->room : 16;
        const struct state **at = haft_arena_alloc(queue->arena, room * sizeof(struct state *));

        if (room > DECIDE_MOST || !at) {
            queue->verdict = at ? REACH_REFUSED : REACH_NO_MEMORY;
            return;
        }
        if (queue->n)
            memcpy(at, queue->at, queue->n * sizeof(struct state *));
        queue->at = at;
        queue->room = room;
    }
    queue->at[queue->n++] = state;
}

/* Scenes, scripts, automations and groups do something to other entities. */
static bool decide_is_owner(const char *id)
{
    return !strncmp(id, "script.", 7) || !strncmp(id, "automation.", 11);
}

static bool decide_stands_for_others(const char *id)
{
    return decide_is_owner(id) || !strncmp(id, "scene.", 6) || !strncmp(id, "group.", 6);
}

/* A member of a group or scene. */
static void decide_queue_member(struct decide_queue *queue, yyjson_val *value)
{
    const char *text = decide_whole(value),
               *id = text ? hass_tidy_id(queue->arena, text, strlen(text)) : NULL;
    const struct state *state = NULL;

    if (text && !id) {
        queue->verdict = REACH_NO_MEMORY;
        return;
    }
    if (id && hass_is_entity_id(id, strlen(id)) && hass_shows(queue->hass, id))
        state = hass_table_find(&queue->hass->states, id, strlen(id));
    else
        queue->verdict = REACH_REFUSED;
    if (queue->verdict == REACH_ALLOWED && decide_is_owner(id))
        queue->verdict = REACH_REFUSED;
    if (queue->verdict == REACH_ALLOWED && state)
        decide_queue_add(queue, state);
}

static bool decide_is_hidden(const struct hass *hass, yyjson_val *value)
{
    const char *id = yyjson_get_str(value);
    size_t size = yyjson_get_len(value);

    return id && hass_is_entity_id(id, size) && !hass_shows(hass, id) &&
           (hass_table_find(&hass->states, id, size) ||
            hass_place(&hass->places, HASS_ENTITIES, id));
}

/* Whether attributes have the id of a hidden entity, as those of players and switches that control others do.
 * They nest no deeper than a message may. */
static bool decide_mentions_hidden(const struct hass *hass, yyjson_val *value)
{
    yyjson_val *name, *item;
    size_t i, n;

    if (decide_is_hidden(hass, value))
        return true;
    if (yyjson_is_arr(value))
        yyjson_arr_foreach(value, i, n, item)
            if (decide_mentions_hidden(hass, item))
                return true;
    if (yyjson_is_obj(value))
        yyjson_obj_foreach(value, i, n, name, item)
            if (decide_is_hidden(hass, name) || decide_mentions_hidden(hass, item))
                return true;
    return false;
}

/* Adds what the next entity stands for. */
static void decide_queue_next(struct decide_queue *queue)
{
    static const char *const lists[] = {"entity_id", "group_members", "entities", "members",
                                        "active_child"};
    const struct state *state = queue->at[queue->done++];
    yyjson_val *attributes, *list, *item;
    const char *why;
    size_t at, k, n;
    int status = hf_json_parse(state_attributes(state), state->attributes, queue->arena,
                               &attributes, &at, &why);

    if (status) {
        queue->verdict = status == HAFT_ENOMEM ? REACH_NO_MEMORY : REACH_REFUSED;
        return;
    }
    if (decide_mentions_hidden(queue->hass, attributes) ||
        (!strncmp(state_id(state), "scene.", 6) &&
         hass_is_empty(yyjson_obj_get(attributes, "entity_id"))))
        queue->verdict = REACH_REFUSED; /* it does not say what it changes */
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        list = yyjson_obj_get(attributes, lists[i]);
        if (hass_is_empty(list))
            continue;
        if (!yyjson_is_arr(list)) {
            decide_queue_member(queue, list);
            continue;
        }
        yyjson_arr_foreach(list, k, n, item)
            if (queue->verdict == REACH_ALLOWED)
                decide_queue_member(queue, item);
    }
}

enum reach_verdict hass_decide_entity(struct hass *hass, haft_arena *arena,
                                      const struct state *state, bool *ret_owner)
{
    struct decide_queue queue = {.hass = hass, .arena = arena};

    *ret_owner = decide_is_owner(state_id(state));
    decide_queue_add(&queue, state);
    while (queue.verdict == REACH_ALLOWED && queue.done < queue.n)
        decide_queue_next(&queue);
    return queue.verdict;
}

/* ---- ids ---- */

/* An entity that is visible, and stands for none that is not. */
static enum reach_verdict decide_id(struct hass *hass, haft_arena *arena, const char *id,
                                    const char **ret_what)
{
    const struct state *state;
    enum reach_verdict verdict;
    bool owner;

    *ret_what = id;
    if (!hass_is_entity_id(id, strlen(id)))
        return REACH_REFUSED; /* "all", or the id that a registry has for an entity */
    if (!hass_shows(hass, id))
        return REACH_NO_ENTITY;
    state = hass_table_find(&hass->states, id, strlen(id));
    if (!state)
        return decide_stands_for_others(id) ? REACH_NO_ENTITY : REACH_ALLOWED;
    verdict = hass_decide_entity(hass, arena, state, &owner);
    return verdict || !owner ? verdict : REACH_REFUSED;
}

static enum reach_verdict decide_id_list(struct hass *hass, haft_arena *arena, const char *text,
                                         struct reach_ids *ids)
{
    enum reach_verdict verdict = REACH_ALLOWED;
    size_t domain = ids->domain ? strlen(ids->domain) : 0;

    while (*text && !verdict) {
        size_t size = strcspn(text, ",");
        const char *id = hass_tidy_id(arena, text, size);

        text += size + (text[size] == ',');
        if (!id)
            return REACH_NO_MEMORY;
        if (!*id || !strcmp(id, "none"))
            continue;
        ids->n++;
        verdict = decide_id(hass, arena, id, &ids->what);
        if (!verdict && ids->domain && strncmp(id, "group.", 6) != 0 &&
            (strncmp(id, ids->domain, domain) != 0 || id[domain] != '.'))
            verdict = REACH_REFUSED;
    }
    return verdict;
}

enum reach_verdict hass_decide_ids(struct hass *hass, haft_arena *arena, yyjson_val *value,
                                   struct reach_ids *ids)
{
    size_t n = yyjson_is_arr(value) ? yyjson_arr_size(value) : !hass_is_empty(value);
    enum reach_verdict verdict = REACH_ALLOWED;

    for (size_t i = 0; i < n && !verdict; i++) {
        const char *text = decide_whole(yyjson_is_arr(value) ? yyjson_arr_get(value, i) : value);

        ids->what = "entity_id";
        verdict = text ? decide_id_list(hass, arena, text, ids) : REACH_REFUSED;
    }
    return verdict;
}

/* ---- any value ---- */

struct decide_walk {
    struct hass *hass;
    haft_arena *arena;
    const char *what;
};

static enum reach_verdict decide_any(struct decide_walk *walk, const char *key, yyjson_val *value);

/* Whether a member has ids of entities, and nothing else. */
static bool decide_names_entities(const char *key)
{
    static const char *const ends[] = {"entity_id", "entity_ids", "group_members", "statistic_ids"};
    size_t size = strlen(key);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);

        if (size >= n && !strcmp(key + size - n, ends[i]))
            return true;
    }
    return false;
}

/* Whether it names a place, whose entities may be others tomorrow. */
bool hass_names_place(const char *key)
{
    static const char *const keys[] = {"area_id", "device_id", "floor_id", "label_id"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

/* The words of a text: none is hidden, none stands for what is. */
static enum reach_verdict decide_words(struct decide_walk *walk, const char *text)
{
    struct hass_word word = {.next = 0};
    size_t size = strlen(text);

    while (hass_next_word(text, size, &word)) {
        const struct state *state = hass_table_find(&walk->hass->states, word.id, strlen(word.id));
        enum reach_verdict verdict = REACH_ALLOWED;
        bool owner = false;

        if (hass_hides_word(walk->hass, word.id, strlen(word.id)))
            verdict = REACH_NO_ENTITY;
        else if (state)
            verdict = hass_decide_entity(walk->hass, walk->arena, state, &owner);
        if (!verdict && !owner)
            continue;
        walk->what = haft_arena_copy(walk->arena, text + word.from, word.end - word.from);
        return !walk->what ? REACH_NO_MEMORY : verdict ? verdict : REACH_REFUSED;
    }
    return REACH_ALLOWED;
}

/* A text as part of a URL, which Home Assistant may be asked for; the text itself without a percent sign. */
static const char *decide_unescape(haft_arena *arena, const char *text)
{
    size_t n = 0, size = strlen(text);
    char *copy;

    if (!strchr(text, '%'))
        return text;
    copy = haft_arena_copy(arena, text, size);
    for (size_t i = 0; copy && i < size; i++) {
        int byte = copy[i] == '%' && i + 2 < size ? hex_byte(copy[i + 1], copy[i + 2]) : -1;

        copy[n++] = byte > 0 ? (char)byte : copy[i];
        i += byte > 0 ? 2 : 0;
    }
    if (copy)
        copy[n] = '\0';
    return copy;
}

static enum reach_verdict decide_text(struct decide_walk *walk, const char *key, const char *text)
{
    const char *plain = decide_unescape(walk->arena, text);
    enum reach_verdict verdict;

    walk->what = key ? key : "a list";
    if (hass_is_template(text))
        return REACH_REFUSED;
    verdict = plain ? decide_words(walk, text) : REACH_NO_MEMORY;
    return verdict || plain == text ? verdict : decide_words(walk, plain);
}

static enum reach_verdict decide_member(struct decide_walk *walk, yyjson_val *name,
                                        yyjson_val *value)
{
    struct reach_ids ids = {.what = ""};
    const char *key = decide_whole(name);
    enum reach_verdict verdict;

    walk->what = key ? key : "a name";
    if (!key || (hass_names_place(key) && !hass_is_empty(value)))
        return REACH_REFUSED;
    verdict = decide_text(walk, NULL, key);
    if (verdict || !decide_names_entities(key))
        return verdict ? verdict : decide_any(walk, key, value);
    verdict = hass_decide_ids(walk->hass, walk->arena, value, &ids);
    walk->what = ids.what;
    return verdict;
}

/* It nests no deeper than haft_json_read allows. */
static enum reach_verdict decide_any(struct decide_walk *walk, const char *key, yyjson_val *value)
{
    enum reach_verdict verdict = REACH_ALLOWED;
    yyjson_val *name, *item;
    size_t i, max;

    walk->what = key ? key : "a list";
    if (yyjson_is_str(value))
        return decide_whole(value) ? decide_text(walk, key, yyjson_get_str(value)) : REACH_REFUSED;
    if (yyjson_is_arr(value))
        yyjson_arr_foreach(value, i, max, item)
            if ((verdict = decide_any(walk, key, item)))
                return verdict;
    if (yyjson_is_obj(value))
        yyjson_obj_foreach(value, i, max, name, item)
            if ((verdict = decide_member(walk, name, item)))
                return verdict;
    return verdict;
}

enum reach_verdict hass_decide_value(struct hass *hass, haft_arena *arena, yyjson_val *value,
                                     const char **ret_what)
{
    struct decide_walk walk = {.hass = hass, .arena = arena};
    enum reach_verdict verdict = decide_any(&walk, NULL, value);

    *ret_what = walk.what ? walk.what : "";
    return verdict;
}

/* ---- data of a service ---- */

static bool decide_is_prose(const char *domain, const char *key)
{
    static const char *const domains[] = {"notify", "persistent_notification", "tts"};
    bool to_people = false;

    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        to_people = to_people || !strcmp(domain, domains[i]);
    return to_people && (!strcmp(key, "message") || !strcmp(key, "title"));
}

enum reach_verdict hass_decide_data(struct hass *hass, haft_arena *arena, const char *domain,
                                    yyjson_val *data, const char **ret_what)
{
    struct decide_walk walk = {.hass = hass, .arena = arena};
    yyjson_val *key, *value;
    size_t i, max;

    if (!yyjson_is_obj(data))
        return REACH_ALLOWED;
    yyjson_obj_foreach(data, i, max, key, value) {
        const char *name = yyjson_get_str(key), *text = decide_whole(value);
        enum reach_verdict verdict;

        if (hass_is_target(name))
            continue;
        if (text && decide_is_prose(domain, name) && !hass_is_template(text))
            continue;
        verdict = !strcmp(name, "target") && yyjson_is_obj(value)
                      ? REACH_REFUSED
                      : decide_member(&walk, key, value);
        *ret_what = verdict == REACH_REFUSED ? name : walk.what;
        if (verdict)
            return verdict;
    }
    return REACH_ALLOWED;
}
