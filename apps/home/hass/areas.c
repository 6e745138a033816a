/* areas.c - the areas of a home, as tools see them.
 *
 * With --entities an area exists only if one of its entities is visible. */
#include "hass/filter.h"

/* With the lock held: which areas are visible, as an array of bool by their place in the list. */
static bool *areas_visible(const struct hass *hass, haft_arena *arena)
{
    const struct place_list *list = &hass->places.lists[HASS_AREAS];
    const struct place_list *entities = &hass->places.lists[HASS_ENTITIES];
    bool *visible = haft_arena_zalloc(arena, list->n + 1, sizeof *visible);

    for (size_t i = 0; visible && !hass->entities && i < list->n; i++)
        visible[i] = true;
    for (size_t i = 0; visible && hass->entities && i < entities->n; i++) {
        const struct place *area = hass_place_of(&hass->places, entities->at[i].id);

        if (area && hass_shows(hass, entities->at[i].id))
            visible[area - list->at] = true;
    }
    return visible;
}

/* With the lock held; false without memory. */
static bool areas_copy(const struct hass *hass, haft_arena *arena, const struct place *area,
                       struct hass_area *ret_area)
{
    const struct place *floor = hass_place(&hass->places, HASS_FLOORS, area->floor);
    const char *name = area->name ? area->name : area->id;
    const char *above = floor ? floor->name ? floor->name : floor->id : NULL;

    ret_area->id = haft_arena_copy(arena, area->id, strlen(area->id));
    ret_area->name = haft_arena_copy(arena, name, strlen(name));
    ret_area->floor = above ? haft_arena_copy(arena, above, strlen(above)) : NULL;
    return ret_area->id && ret_area->name && (!above || ret_area->floor);
}

int hass_areas(haft_call *call, struct hass_areas *ret_areas)
{
    struct hass_wait wait = hass_wait_for(call);
    struct hass *hass = wait.hass;
    haft_arena *arena = haft_call_arena(call);
    const struct place_list *list = &hass->places.lists[HASS_AREAS];
    struct hass_area *areas = NULL;
    const bool *visible;
    size_t n = 0;
    int status = hass_lock_ready(&wait, true);

    if (status)
        return status;
    visible = areas_visible(hass, arena);
    if (visible)
        areas = haft_arena_zalloc(arena, list->n + 1, sizeof *areas);
    for (size_t i = 0; areas && i < list->n; i++)
        if (visible[i] && !areas_copy(hass, arena, &list->at[i], &areas[n++]))
            areas = NULL;
    uv_mutex_unlock(&hass->lock);
    if (!areas)
        return hass_no_memory(call);
    *ret_areas = (struct hass_areas){areas, n};
    return 0;
}

static int areas_fail(haft_call *call, const char *text)
{
    enum { NAMED = 20 };
    struct hass_areas areas;
    haft_buffer names;
    int status = hass_areas(call, &areas);

    if (status)
        return status;
    haft_buffer_init(&names, home_hass(call)->allocator, 1 << 16);
    for (size_t i = 0; i < areas.n && i < NAMED; i++)
        haft_buffer_printf(&names, "%s%s", i ? ", " : "", areas.at[i].name);
    if (areas.n > NAMED)
        haft_buffer_printf(&names, " and %zu more", areas.n - NAMED);
    status = hass_fail_unknown(call, "Area not found: %s. Areas: %.*s.", text, (int)names.size,
                               names.size ? names.data : "");
    haft_buffer_finish(&names);
    return status;
}

int hass_area(haft_call *call, const char *text, struct hass_area *ret_area)
{
    struct hass_wait wait = hass_wait_for(call);
    struct hass *hass = wait.hass;
    haft_arena *arena = haft_call_arena(call);
    struct hass_area area;
    const struct place *found;
    const bool *visible;
    bool copied = true;
    int status = hass_lock_ready(&wait, true);

    if (status)
        return status;
    visible = areas_visible(hass, arena);
    found = hass_place_named(&hass->places, HASS_AREAS, text);
    if (found && visible && !visible[found - hass->places.lists[HASS_AREAS].at])
        found = NULL;
    if (found)
        copied = areas_copy(hass, arena, found, &area);
    uv_mutex_unlock(&hass->lock);
    if (!visible || !copied)
        return hass_no_memory(call);
    if (!found)
        return areas_fail(call, text);
    *ret_area = area;
    return 0;
}

int hass_area_of(haft_call *call, const char *entity_id, struct hass_area *ret_area)
{
    struct hass_wait wait = hass_wait_for(call);
    struct hass *hass = wait.hass;
    struct hass_area area = {.id = NULL};
    const struct place *found;
    bool copied = true;
    int status = hass_lock_ready(&wait, true);

    if (status)
        return status;
    found = hass_shows(hass, entity_id) ? hass_place_of(&hass->places, entity_id) : NULL;
    if (found)
        copied = areas_copy(hass, haft_call_arena(call), found, &area);
    uv_mutex_unlock(&hass->lock);
    if (!copied)
        return hass_no_memory(call);
    *ret_area = area;
    return 0;
}
