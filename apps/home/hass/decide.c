/* decide.c - see decide.h.
 *
 * The targets of a service become a set of entities, each of which must be visible and must not stand for
 * one that is not.  An entity that is named is refused otherwise; one that is only part of an
 * area, or of all, is left out. */
#include "hass/decide.h"

#include <stdlib.h>

#include "hass/filter.h"

struct decision {
    struct hass *hass;
    haft_arena *arena;
    const struct hass_service *service;
    const char *domain;          /* of the entities that the service acts on; NULL for any */
    struct state *const *states; /* all, by id */
    bool *chosen;                /* which of them */
    size_t n_chosen;
    bool has_target;
    struct reach reach;
};

static bool decide_fail(struct decision *d, enum reach_verdict verdict, const char *what)
{
    d->reach.verdict = verdict;
    d->reach.what = what;
    return false;
}

/* ---- choosing ---- */

static int decide_compare(const void *key, const void *item)
{
    return strcmp(key, state_id(*(struct state *const *)item));
}

static bool decide_acts_on(const struct decision *d, const char *id)
{
    size_t size = d->domain ? strlen(d->domain) : 0;

    return !d->domain || (!strncmp(id, d->domain, size) && id[size] == '.');
}

static void decide_choose_at(struct decision *d, size_t i)
{
    d->n_chosen += !d->chosen[i];
    d->chosen[i] = true;
}

static bool decide_add_owner(struct decision *d, const char *id)
{
    const char **owners = haft_arena_alloc(d->arena, (d->reach.n_owners + 1) * sizeof *owners);
    const char *copy = haft_arena_copy(d->arena, id, strlen(id));

    if (!owners || !copy)
        return decide_fail(d, REACH_NO_MEMORY, "");
    if (d->reach.n_owners)
        memcpy(owners, d->reach.owners, d->reach.n_owners * sizeof *owners);
    owners[d->reach.n_owners++] = copy;
    d->reach.owners = owners;
    return true;
}

/* An entity that was named. */
static bool decide_choose_named(struct decision *d, const char *id)
{
    struct hass *hass = d->hass;
    struct state *const *found = NULL;
    bool owner;

    if (hass_shows(hass, id) && hass->states.n)
        found = bsearch(id, d->states, hass->states.n, sizeof(struct state *), decide_compare);
    if (!found)
        return decide_fail(d, REACH_NO_ENTITY, id);
    decide_choose_at(d, (size_t)(found - d->states));
    if (!hass->entities)
        return true;
    if (!decide_acts_on(d, id) && strncmp(id, "group.", 6) != 0)
        return decide_fail(d, REACH_REFUSED, id);
    if (hass_decide_entity(hass, d->arena, *found, &owner) != REACH_ALLOWED)
        return decide_fail(d, REACH_REFUSED, id);
    return !owner || decide_add_owner(d, id);
}

/* One that is part of something: left out unless it is known to be harmless. */
static void decide_choose_part(struct decision *d, size_t i)
{
    bool owner;

    if (!decide_acts_on(d, state_id(d->states[i])) || !hass_shows(d->hass, state_id(d->states[i])))
        return;
    if (d->hass->entities &&
        (hass_decide_entity(d->hass, d->arena, d->states[i], &owner) != REACH_ALLOWED || owner))
        return;
    decide_choose_at(d, i);
}

/* ---- targets ---- */

/* Ids that are separated by commas, as Home Assistant takes them. */
static bool decide_take_ids(struct decision *d, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, ",");
        const char *id = hass_tidy_id(d->arena, text, size);

        text += size + (text[size] == ',');
        if (!id)
            return decide_fail(d, REACH_NO_MEMORY, "");
        if (!*id || !strcmp(id, "none"))
            continue;
        if (!strcmp(id, "all")) {
            for (size_t i = 0; i < d->hass->states.n; i++)
                decide_choose_part(d, i);
        } else if (!decide_choose_named(d, id)) {
            return false;
        }
    }
    return true;
}

static bool decide_take_place(struct decision *d, enum hass_registry which, const char *text)
{
    const struct places *places = &d->hass->places;
    const struct place_list *rows = &places->lists[HASS_ENTITIES];
    const struct place *place = hass_place_named(places, which, text);
    bool visible = false;

    if (!strcmp(text, "none"))
        return true;
    for (size_t i = 0; place && i < rows->n; i++) {
        const struct place *row = &rows->at[i];
        struct state *const *found;

        if (!hass_shows(d->hass, row->id) || !hass_place_has(places, which, place, row))
            continue;
        visible = true;
        found = row->aside || !d->hass->states.n ? NULL
                                                 : bsearch(row->id, d->states, d->hass->states.n,
                                                           sizeof(struct state *), decide_compare);
        if (found)
            decide_choose_part(d, (size_t)(found - d->states));
    }
    d->reach.which = which;
    if (!d->hass->entities) /* it is sent as it is */
        return hass_place(places, which, text) || !places->lists[which].known ||
               decide_fail(d, REACH_NO_PLACE, text);
    return visible || decide_fail(d, REACH_NO_PLACE, text);
}

/* One member of the data that is a target; `which` is HASS_REGISTRY_COUNT for entities. */
static bool decide_take(struct decision *d, unsigned which, const char *key, yyjson_val *value)
{
    yyjson_val *item = value;
    size_t n = yyjson_is_arr(value) ? yyjson_arr_size(value) : 1;

    for (size_t i = 0; i < n; i++) {
        const char *text;

        if (yyjson_is_arr(value))
            item = yyjson_arr_get(value, i);
        text = yyjson_get_str(item);
        if (!text || strlen(text) != yyjson_get_len(item))
            return decide_fail(d, REACH_INVALID, key);
        if (hass_is_template(text))
            return decide_fail(d, d->hass->entities ? REACH_REFUSED : REACH_INVALID, key);
        if (which == HASS_REGISTRY_COUNT ? !decide_take_ids(d, text)
                                         : !decide_take_place(d, (enum hass_registry)which, text))
            return false;
    }
    return true;
}

static const struct {
    const char *key;
    unsigned which;
} decide_targets[] = {{"entity_id", HASS_REGISTRY_COUNT},
                      {"area_id", HASS_AREAS},
                      {"device_id", HASS_DEVICES},
                      {"floor_id", HASS_FLOORS},
                      {"label_id", HASS_LABELS}};

bool hass_is_target(const char *key)
{
    for (size_t i = 0; i < sizeof decide_targets / sizeof *decide_targets; i++)
        if (!strcmp(key, decide_targets[i].key))
            return true;
    return false;
}

static bool decide_take_all(struct decision *d, yyjson_val *data)
{
    for (size_t i = 0; i < sizeof decide_targets / sizeof *decide_targets; i++) {
        yyjson_val *value = yyjson_obj_get(data, decide_targets[i].key);

        if (!value || yyjson_is_null(value))
            continue;
        d->has_target = true;
        if (!decide_take(d, decide_targets[i].which, decide_targets[i].key, value))
            return false;
    }
    return true;
}

/* ---- the service ---- */

static bool decide_is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

/* With a filter: services that act on entities, which they name, and those that write to people. */
static bool decide_knows_service(struct decision *d)
{
    static const char *const any[] = {"turn_on", "turn_off", "toggle", "update_entity", NULL};
    static const char *const generic[] = {"turn_on", "turn_off", "toggle", "reload", NULL};
    const char *domain = d->service->domain, *service = d->service->service;
    const char *script;

    if (!strcmp(domain, "notify") || !strcmp(domain, "persistent_notification"))
        return d->service->without_target || d->has_target ||
               decide_fail(d, REACH_NO_TARGET, service);
    if (!strcmp(domain, "homeassistant") && !decide_is_one_of(service, any))
        return decide_fail(d, REACH_REFUSED, service);
    if (!strcmp(domain, "script") && !decide_is_one_of(service, generic)) {
        script = haft_arena_printf(d->arena, "script.%s", service);
        return script ? decide_choose_named(d, script) : decide_fail(d, REACH_NO_MEMORY, "");
    }
    if (!d->has_target)
        return decide_fail(d, REACH_REFUSED, service);
    return d->n_chosen || decide_fail(d, REACH_NO_TARGET, service);
}

/* The members that are not targets. */
static bool decide_rest(struct decision *d, yyjson_val *data)
{
    const char *what;
    enum reach_verdict verdict =
        hass_decide_data(d->hass, d->arena, d->service->domain, data, &what);

    return !verdict || decide_fail(d, verdict, what);
}

/* ---- the data to send ---- */

static void decide_write(const struct decision *d, yyjson_val *data, struct json_writer *w)
{
    bool is_script = !strcmp(d->service->domain, "script") && !d->has_target;
    yyjson_val *key, *value;
    size_t i, max;

    hf_json_begin_object(w);
    if (d->has_target && !is_script) {
        hf_json_begin_array(json_key(w, "entity_id"));
        for (i = 0; i < d->hass->states.n; i++)
            if (d->chosen[i])
                hf_json_text(w, state_id(d->states[i]));
        hf_json_end_array(w);
    }
    yyjson_obj_foreach(data, i, max, key, value)
        if (!hass_is_target(yyjson_get_str(key)))
            hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), value);
    hf_json_end_object(w);
}

static bool decide_finish(struct decision *d, yyjson_val *data)
{
    haft_buffer out;
    struct json_writer w = {.out = &out};
    const char *why;
    size_t at;
    int status;

    haft_buffer_init(&out, d->hass->allocator, 16 << 20);
    decide_write(d, data, &w);
    status = out.status;
    if (!status)
        status = hf_json_parse(out.data, out.size, d->arena, &d->reach.data, &at, &why);
    haft_buffer_finish(&out);
    return !status || decide_fail(d, REACH_NO_MEMORY, "");
}

struct reach hass_decide(struct hass *hass, haft_arena *arena, const struct hass_service *service,
                         yyjson_val *data)
{
    struct decision d = {.hass = hass, .arena = arena, .service = service};

    d.reach.data = data;
    d.domain = strcmp(service->domain, "homeassistant") != 0 ? service->domain : NULL;
    d.states = hass_table_sorted(&hass->states);
    d.chosen = haft_arena_zalloc(arena, hass->states.n + 1, sizeof *d.chosen);
    if (!d.states || !d.chosen) {
        decide_fail(&d, REACH_NO_MEMORY, "");
        return d.reach;
    }
    if (!hass->entities) { /* Home Assistant itself knows best what is in an area */
        if (!service->without_target)
            decide_take_all(&d, data);
        return d.reach;
    }
    if (decide_take_all(&d, data) && decide_knows_service(&d) && decide_rest(&d, data))
        decide_finish(&d, data);
    return d.reach;
}
