/* places.c - see places.h. */
#include "hass/places.h"

#include <stdlib.h>

enum { PLACES_MAX_BYTES = 128 << 20 };

void hass_places_finish(struct places *places)
{
    for (size_t i = 0; i < HASS_REGISTRY_COUNT; i++)
        haft_arena_free(places->lists[i].arena);
}

/* ---- reading ---- */

/* A text of the row, copied; NULL if it is not there or not a string. */
static const char *places_text(haft_arena *arena, yyjson_val *row, const char *name, bool *failed)
{
    yyjson_val *value = yyjson_obj_get(row, name);
    const char *text = yyjson_get_str(value);

    if (!text || !*text)
        return NULL;
    text = haft_arena_copy(arena, text, strlen(text));
    *failed = *failed || !text;
    return text;
}

static size_t places_texts(haft_arena *arena, yyjson_val *row, const char *name,
                           const char ***ret_texts, bool *failed)
{
    yyjson_val *array = yyjson_obj_get(row, name), *item;
    size_t n = 0, i, max, size = yyjson_is_arr(array) ? yyjson_arr_size(array) : 0;
    const char **texts = size ? haft_arena_zalloc(arena, size, sizeof *texts) : NULL;

    if (size && !texts)
        *failed = true;
    if (!texts)
        return 0;
    yyjson_arr_foreach(array, i, max, item) {
        const char *text = yyjson_get_str(item);

        if (text)
            texts[n++] = haft_arena_copy(arena, text, strlen(text));
        *failed = *failed || (text && !texts[n - 1]);
    }
    *ret_texts = texts;
    return n;
}

static bool places_is_set(yyjson_val *row, const char *name)
{
    yyjson_val *value = yyjson_obj_get(row, name);

    return value && !yyjson_is_null(value);
}

/* Returns whether the row has an id. */
static bool places_read(haft_arena *arena, yyjson_val *row, enum hass_registry which,
                        struct place *ret_place, bool *failed)
{
    static const char *const keys[] = {
#define HASS_REGISTRY_(name, text, key) key,
        HASS_REGISTRIES(HASS_REGISTRY_)
#undef HASS_REGISTRY_
    };
    const char *first = which == HASS_DEVICES ? "name_by_user" : "name";
    const char *second = which == HASS_DEVICES ? "name" : "original_name";
    struct place place = {.id = yyjson_is_obj(row) ? places_text(arena, row, keys[which], failed)
                                                   : NULL};

    if (!place.id)
        return false;
    place.name = places_text(arena, row, first, failed);
    if (!place.name)
        place.name = places_text(arena, row, second, failed);
    place.area = which == HASS_AREAS ? NULL : places_text(arena, row, "area_id", failed);
    place.device = places_text(arena, row, "device_id", failed);
    place.floor = which == HASS_FLOORS ? NULL : places_text(arena, row, "floor_id", failed);
    place.n_aliases = places_texts(arena, row, "aliases", &place.aliases, failed);
    place.n_labels = places_texts(arena, row, "labels", &place.labels, failed);
    place.aside = places_is_set(row, "hidden_by") || places_is_set(row, "disabled_by") ||
                  places_is_set(row, "entity_category");
    *ret_place = place;
    return true;
}

static int places_compare(const void *left, const void *right)
{
    return strcmp(((const struct place *)left)->id, ((const struct place *)right)->id);
}

int hass_places_put(struct places *places, const haft_allocator *allocator,
                    enum hass_registry which, yyjson_val *array)
{
    struct place_list list = {.known = true}, *old = &places->lists[which];
    bool failed = false;
    yyjson_val *row;
    size_t i, max;

    places->version++;
    if (!array) {
        haft_arena_free(old->arena);
        *old = (struct place_list){.known = false};
        return 0;
    }
    if (!yyjson_is_arr(array))
        return HAFT_EINVAL;
    list.arena = haft_arena_new(allocator, PLACES_MAX_BYTES);
    list.at = list.arena
                  ? haft_arena_zalloc(list.arena, yyjson_arr_size(array) + 1, sizeof *list.at)
                  : NULL;
    if (!list.at) {
        haft_arena_free(list.arena);
        return HAFT_ENOMEM;
    }
    yyjson_arr_foreach(array, i, max, row)
        list.n += places_read(list.arena, row, which, &list.at[list.n], &failed);
    if (failed) {
        haft_arena_free(list.arena);
        return HAFT_ENOMEM;
    }
    qsort(list.at, list.n, sizeof *list.at, places_compare);
    haft_arena_free(old->arena);
    *old = list;
    return 0;
}

/* ---- finding ---- */

const struct place *hass_place(const struct places *places, enum hass_registry which,
                               const char *id)
{
    const struct place_list *list = &places->lists[which];
    struct place key = {.id = id};

    return id && list->n ? bsearch(&key, list->at, list->n, sizeof key, places_compare) : NULL;
}

static bool place_is_called(const struct place *place, const char *text)
{
    if (hf_text_same_ignoring_case(place->id, text) ||
        (place->name && hf_text_same_ignoring_case(place->name, text)))
        return true;
    for (size_t i = 0; i < place->n_aliases; i++)
        if (hf_text_same_ignoring_case(place->aliases[i], text))
            return true;
    return false;
}

const struct place *hass_place_named(const struct places *places, enum hass_registry which,
                                     const char *text)
{
    const struct place_list *list = &places->lists[which];
    const struct place *exact = hass_place(places, which, text);

    for (size_t i = 0; !exact && i < list->n; i++)
        if (place_is_called(&list->at[i], text))
            return &list->at[i];
    return exact;
}

const struct place *hass_place_of(const struct places *places, const char *entity_id)
{
    const struct place *entity = hass_place(places, HASS_ENTITIES, entity_id), *device;

    if (!entity)
        return NULL;
    if (entity->area)
        return hass_place(places, HASS_AREAS, entity->area);
    device = hass_place(places, HASS_DEVICES, entity->device);
    return device ? hass_place(places, HASS_AREAS, device->area) : NULL;
}

static bool place_has_label(const struct place *place, const char *label)
{
    for (size_t i = 0; place && i < place->n_labels; i++)
        if (!strcmp(place->labels[i], label))
            return true;
    return false;
}

bool hass_place_has(const struct places *places, enum hass_registry which,
                    const struct place *place, const struct place *entity)
{
    const struct place *area = hass_place_of(places, entity->id);
    const struct place *device = hass_place(places, HASS_DEVICES, entity->device);

    switch (which) {
    case HASS_FLOORS:
        return area && area->floor && !strcmp(area->floor, place->id);
    case HASS_AREAS:
        return area == place;
    case HASS_DEVICES:
        return device == place;
    case HASS_LABELS:
        return place_has_label(entity, place->id) || place_has_label(device, place->id) ||
               place_has_label(area, place->id);
    default:
        return entity == place;
    }
}
