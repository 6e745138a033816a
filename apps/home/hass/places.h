/* hass/places.h - the registries of a home: floors, areas, labels, devices and entities.
 *
 * Each is a sorted array in a separate arena, which is replaced as a whole.  They have no lock. */
#ifndef HOME_PLACES_H
#define HOME_PLACES_H

#include "json/json.h"

#define HASS_REGISTRIES(X)                                                                         \
    X(HASS_FLOORS, "floor", "floor_id")                                                            \
    X(HASS_AREAS, "area", "area_id")                                                               \
    X(HASS_LABELS, "label", "label_id")                                                            \
    X(HASS_DEVICES, "device", "id")                                                                \
    X(HASS_ENTITIES, "entity", "entity_id")

enum hass_registry {
#define HASS_REGISTRY_(name, text, key) name,
    HASS_REGISTRIES(HASS_REGISTRY_)
#undef HASS_REGISTRY_
        HASS_REGISTRY_COUNT
};

/* One row of any of them; what it does not have is NULL. */
struct place {
    const char *id, *name;
    const char *area, *device, *floor; /* ids */
    const char **aliases, **labels;
    size_t n_aliases, n_labels;
    bool
        aside; /* hidden, disabled, or for configuration: no target that is an area or the like has it */
};

struct place_list {
    haft_arena *arena;
    struct place *at; /* by id */
    size_t n;
    bool known; /* Home Assistant has answered with it */
};

struct places {
    struct place_list lists[HASS_REGISTRY_COUNT];
    uint64_t version; /* another after each change */
};

void hass_places_finish(struct places *places);

/* Replaces a registry by an array of Home Assistant's; rows of the wrong type are left out.  NULL: it
 * is not known.  Returns 0, HAFT_EINVAL if it is not an array, or HAFT_ENOMEM, with the registry as it was. */
int hass_places_put(struct places *places, const haft_allocator *allocator,
                    enum hass_registry which, yyjson_val *array);

/* The row of that id; NULL for none. */
const struct place *hass_place(const struct places *places, enum hass_registry which,
                               const char *id);
/* The row whose id, name or alias this is, ignoring case. */
const struct place *hass_place_named(const struct places *places, enum hass_registry which,
                                     const char *text);
/* The area of an entity: its own, or else that of its device. */
const struct place *hass_place_of(const struct places *places, const char *entity_id);
/* Whether an entity belongs to that row of another registry. */
bool hass_place_has(const struct places *places, enum hass_registry which,
                    const struct place *place, const struct place *entity);

#endif
