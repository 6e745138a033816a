/* map.c - a hash map of names. */
#include "schema/document/map.h"

#include <string.h>

enum { MAP_FIRST_CAPACITY = 32 };

static struct name_entry *map_find(const struct name_map *map, const void *key, size_t size)
{
    size_t at = (size_t)hf_hash_bytes(key, size);

    for (;; at++) {
        struct name_entry *entry = &map->entries[at & (map->capacity - 1)];

        if (!entry->key || (entry->size == size && memcmp(entry->key, key, size) == 0))
            return entry;
    }
}

void *hf_name_map_get(const struct name_map *map, const void *key, size_t size)
{
    return map->n ? map_find(map, key, size)->value : NULL;
}

static int map_grow(struct name_map *map, haft_arena *arena)
{
    struct name_map more = {NULL, map->n, map->capacity ? map->capacity * 2 : MAP_FIRST_CAPACITY};

    more.entries = haft_arena_zalloc(arena, more.capacity, sizeof *more.entries);
    if (!more.entries)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].key)
            *map_find(&more, map->entries[i].key, map->entries[i].size) = map->entries[i];
    *map = more;
    return 0;
}

int hf_name_map_put(struct name_map *map, haft_arena *arena, const void *key, size_t size,
                    void *value)
{
    struct name_entry *entry;

    if (map->n * 2 >= map->capacity && map_grow(map, arena))
        return HAFT_ENOMEM;
    entry = map_find(map, key, size);
    map->n += !entry->key;
    *entry = (struct name_entry){key, size, value};
    return 0;
}
