/* read.c - states and areas for tools: copies from the cache into the memory of a call.
 *
 * The lock is held for copying bytes only; the JSON of attributes is parsed without it. */
#include "hass/read.h"

#include "hass/filter.h"
#include "hass/redact.h"

/* What phase one leaves for phase two. */
struct read_raw {
    const char *attributes, *name; /* JSON text; the registry's name, or NULL */
    size_t size;
};

/* The names of areas, each copied once. */
struct read_areas {
    haft_arena *arena;
    const struct place_list *list;
    const char **names;
};

static const char *read_area_name(struct read_areas *areas, const struct place *area)
{
    const char **name = &areas->names[area - areas->list->at];

    if (!*name) {
        const char *text = area->name ? area->name : area->id;

        *name = haft_arena_copy(areas->arena, text, strlen(text));
    }
    return *name;
}

/* ---- one entity ---- */

/* Phase one, with the lock held.  Returns false without memory. */
static bool read_copy(const struct hass *hass, struct read_areas *areas, const struct state *state,
                      entity *ret_entity, struct read_raw *ret_raw)
{
    haft_arena *arena = areas->arena;
    const struct place *row = hass_place(&hass->places, HASS_ENTITIES, state_id(state));
    const struct place *area = row ? hass_place_of(&hass->places, state_id(state)) : NULL;
    char *text = haft_arena_alloc(arena, state_size(state));
    struct state copy = *state;

    if (!text)
        return false;
    memcpy(text, state->text, state_size(state));
    copy.text = text;
    *ret_entity = (entity){.entity_id = state_id(&copy),
                           .state = state_value(&copy),
                           .last_changed = state_changed(&copy)};
    ret_entity->domain = haft_arena_copy(arena, text, strcspn(text, "."));
    *ret_raw = (struct read_raw){.attributes = state_attributes(&copy), .size = state->attributes};
    if (area) {
        ret_entity->area = read_area_name(areas, area);
        ret_entity->has_area = true;
    }
    if (row && row->name)
        ret_raw->name = haft_arena_copy(arena, row->name, strlen(row->name));
    return ret_entity->domain && (!area || ret_entity->area) &&
           (!row || !row->name || ret_raw->name);
}

/* Phase two, without it. */
static int read_parse(struct hass *hass, haft_arena *arena, entity *of, const struct read_raw *raw)
{
    yyjson_val *object, *key, *value;
    const char *why;
    size_t at, i, max;
    int status = hf_json_parse(raw->attributes, raw->size, arena, &object, &at, &why);

    if (!status)
        status = hass_redact_value(hass, arena, object, &object);
    if (status)
        return status;
    max = yyjson_obj_size(object);
    of->attributes_keys = haft_arena_zalloc(arena, max + 1, sizeof *of->attributes_keys);
    of->attributes = haft_arena_zalloc(arena, max + 1, sizeof(haft_value *));
    if (!of->attributes_keys || !of->attributes)
        return HAFT_ENOMEM;
    yyjson_obj_foreach(object, i, max, key, value) {
        of->attributes_keys[of->n_attributes] = yyjson_get_str(key);
        of->attributes[of->n_attributes++] = value;
    }
    of->name = entity_text(of, "friendly_name");
    if (!of->name || !*of->name)
        of->name = raw->name ? raw->name : of->entity_id;
    return 0;
}

/* ---- several ---- */

struct read_set {
    entity *at;
    struct read_raw *raw;
    size_t n;
};

/* Phase one for all of them. */
static bool read_copy_all(struct hass *hass, haft_arena *arena,
                          bool (*wants)(const struct state *state, const void *what),
                          const void *what, struct read_set *set)
{
    struct state *const *sorted = hass_table_sorted(&hass->states);
    const struct place_list *list = &hass->places.lists[HASS_AREAS];
    struct read_areas areas = {arena, list, haft_arena_zalloc(arena, list->n + 1, sizeof(char *))};
    size_t n = 0, k = 0;

    if (!sorted || !areas.names)
        return false;
    for (size_t i = 0; i < hass->states.n; i++)
        n += (!wants || wants(sorted[i], what)) && hass_shows(hass, state_id(sorted[i]));
    set->at = haft_arena_zalloc(arena, n + 1, sizeof *set->at);
    set->raw = haft_arena_zalloc(arena, n + 1, sizeof *set->raw);
    if (!set->at || !set->raw)
        return false;
    set->n = n;
    for (size_t i = 0; k < n; i++)
        if ((!wants || wants(sorted[i], what)) && hass_shows(hass, state_id(sorted[i]))) {
            if (!read_copy(hass, &areas, sorted[i], &set->at[k], &set->raw[k]))
                return false;
            k++;
        }
    return true;
}

int hass_read_states(const struct hass_wait *wait,
                     bool (*wants)(const struct state *state, const void *what), const void *what,
                     struct hass_states *ret_states)
{
    haft_arena *arena = haft_call_arena(wait->call);
    struct read_set set = {.n = 0};
    bool copied = read_copy_all(wait->hass, arena, wants, what, &set);

    uv_mutex_unlock(&wait->hass->lock);
    if (!copied)
        return hass_no_memory(wait->call);
    for (size_t i = 0; i < set.n; i++)
        if (read_parse(wait->hass, arena, &set.at[i], &set.raw[i]))
            return hass_no_memory(wait->call);
    *ret_states = (struct hass_states){set.at, set.n};
    return 0;
}

int hass_states(haft_call *call, struct hass_states *ret_states)
{
    struct hass_wait wait = hass_wait_for(call);
    int status = hass_lock_ready(&wait, true);

    return status ? status : hass_read_states(&wait, NULL, NULL, ret_states);
}

/* ---- one ---- */

/* A longer id that begins with the given one is near: light.kitchen for light.kitchen_ceiling. */
static void read_offer(struct nearest *search, const char *id)
{
    size_t size = strlen(search->given);

    if (size > 6 && strncmp(id, search->given, size) == 0)
        hf_nearest_offer_at(search, id, 1);
    else
        hf_nearest_offer(search, id);
}

int hass_fail_entity(struct hass *hass, haft_call *call, const char *entity_id)
{
    struct nearest search = hf_nearest_begin(entity_id);
    struct state *const *sorted;
    const char *name;

    uv_mutex_lock(&hass->lock);
    sorted = hass_table_sorted(&hass->states);
    for (size_t i = 0; sorted && i < hass->states.n; i++)
        if (hass_shows(hass, state_id(sorted[i])))
            read_offer(&search, state_id(sorted[i]));
    name = search.name ? haft_arena_copy(haft_call_arena(call), search.name, strlen(search.name))
                       : NULL;
    uv_mutex_unlock(&hass->lock);
    return name ? hass_fail_unknown(call, "Entity not found: %s. Similar: %s.", entity_id, name)
                : hass_fail_unknown(call, "Entity not found: %s.", entity_id);
}

static bool read_is(const struct state *state, const void *what)
{
    return !strcmp(state_id(state), what);
}

int hass_read_one(const struct hass_wait *wait, const char *id, entity *ret_entity)
{
    struct hass *hass = wait->hass;
    haft_arena *arena = haft_call_arena(wait->call);
    const struct state *state =
        hass_shows(hass, id) ? hass_table_find(&hass->states, id, strlen(id)) : NULL;
    const struct place_list *list = &hass->places.lists[HASS_AREAS];
    struct read_areas areas = {arena, list, haft_arena_zalloc(arena, list->n + 1, sizeof(char *))};
    struct read_raw raw;
    entity one;
    bool copied =
        state && read_is(state, id) && areas.names && read_copy(hass, &areas, state, &one, &raw);

    uv_mutex_unlock(&hass->lock);
    if (!state)
        return hass_fail_entity(hass, wait->call, id);
    if (!copied || read_parse(hass, arena, &one, &raw))
        return hass_no_memory(wait->call);
    *ret_entity = one;
    return 0;
}

int hass_state(haft_call *call, const char *entity_id, entity *ret_entity)
{
    struct hass_wait wait = hass_wait_for(call);
    const char *id = hass_tidy_id(haft_call_arena(call), entity_id, strlen(entity_id));
    int status;

    if (!id)
        return hass_no_memory(call);
    if (!hass_is_entity_id(id, strlen(id)))
        return hass_fail(call, "Invalid entity id: \"%s\". An entity id looks like light.kitchen.",
                         id);
    status = hass_lock_ready(&wait, true);
    return status ? status : hass_read_one(&wait, id, ret_entity);
}

/* Whether a list with commas has the word. */
static bool read_list_has(const char *list, const char *word)
{
    size_t size = strlen(word);

    while (*list) {
        size_t n = strcspn(list, ", ");

        if (n == size && !memcmp(list, word, n))
            return true;
        list += n;
        list += strspn(list, ", ");
    }
    return false;
}

int hass_require(haft_call *call, const char *entity_id, const char *domains, entity *ret_entity)
{
    entity one;
    int status = hass_state(call, entity_id, &one);

    if (status)
        return status;
    if (domains && !read_list_has(domains, one.domain))
        return hass_fail(call, "%s has the domain %s; this tool works with: %s.", one.entity_id,
                         one.domain, domains);
    if (!strcmp(one.state, "unavailable"))
        return hass_fail(call, "%s is unavailable: Home Assistant has no connection to the device.",
                         one.entity_id);
    *ret_entity = one;
    return 0;
}
