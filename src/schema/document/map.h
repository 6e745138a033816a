/* schema/document/map.h - a hash map with open addressing; keys are not copied. */
#ifndef HAFT_SRC_DOCUMENT_MAP_H
#define HAFT_SRC_DOCUMENT_MAP_H

#include "base/base.h"

struct name_map {
    struct name_entry *entries;
    size_t n, capacity;
};

struct name_entry {
    const void *key; /* NULL if free */
    size_t size;
    void *value;
};

/* Returns NULL if the name is not in the map. */
void *hf_name_map_get(const struct name_map *map, const void *key, size_t size);

/* Adds or replaces an entry. Returns 0 or HAFT_ENOMEM. */
int hf_name_map_put(struct name_map *map, haft_arena *arena, const void *key, size_t size,
                    void *value);

#endif
