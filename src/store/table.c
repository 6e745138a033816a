/* table.c - a hash table with LRU order. */
#include "store/table.h"

#include "base/list.h"

enum {
    TABLE_FIRST_SLOTS = 64,
    SWEEP_WHEN_FULL = 256 /* slots */
};

/* ---- the table ---- */

int hf_table_init(struct table *table, const haft_store_space *limits,
                  const haft_allocator *allocator)
{
    *table = (struct table){
        .limits = *limits, .allocator = allocator, .n_slots = TABLE_FIRST_SLOTS, .version = 1};
    table->slots = allocator->alloc(allocator->context, TABLE_FIRST_SLOTS * sizeof *table->slots);
    if (!table->slots)
        return HAFT_ENOMEM;
    memset(table->slots, 0, TABLE_FIRST_SLOTS * sizeof *table->slots);
    return 0;
}

void hf_table_finish(struct table *table)
{
    const haft_allocator *allocator = table->allocator;

    while (table->oldest)
        hf_table_remove(table, table->oldest);
    if (table->slots)
        allocator->release(allocator->context, table->slots, table->n_slots * sizeof *table->slots);
}

static struct entry **table_slot(const struct table *table, uint64_t hash)
{
    return &table->slots[hash & (table->n_slots - 1)];
}

/* Without memory for a larger one, the table stays as it is, and is slower. */
static void table_grow(struct table *table)
{
    const haft_allocator *allocator = table->allocator;
    struct entry **old = table->slots;
    size_t n_old = table->n_slots, size = n_old * 2 * sizeof *old;
    struct entry **slots = allocator->alloc(allocator->context, size);

    if (!slots)
        return;
    memset(slots, 0, size);
    table->slots = slots;
    table->n_slots = n_old * 2;
    for (struct entry *entry = table->oldest; entry; entry = entry->newer) {
        struct entry **slot = table_slot(table, entry->hash);

        entry->next = *slot;
        *slot = entry;
    }
    allocator->release(allocator->context, old, n_old * sizeof *old);
}

static uint64_t name_hash(haft_slice group, haft_slice key)
{
    return hf_hash_bytes(group.data, group.size) * 31 + hf_hash_bytes(key.data, key.size);
}

static bool entry_is(const struct entry *entry, haft_slice group, haft_slice key)
{
    return entry->group_size == group.size && entry->key_size == key.size &&
           same_bytes(entry->name, group.data, group.size) &&
           same_bytes(entry->name + group.size, key.data, key.size);
}

static bool entry_has_ended(const struct entry *entry, int64_t now)
{
    return entry->expires && entry->expires <= now;
}

struct entry *hf_table_find(struct table *table, haft_slice group, haft_slice key, int64_t now)
{
    struct entry *entry = table->newest;
    uint64_t hash;

    /* Fast path: the same entry as last time. */
    if (!entry || !entry_is(entry, group, key)) {
        hash = name_hash(group, key);
        entry = *table_slot(table, hash);
        while (entry && (entry->hash != hash || !entry_is(entry, group, key)))
            entry = entry->next;
    }
    if (!entry || !entry_has_ended(entry, now))
        return entry;
    hf_table_remove(table, entry);
    return NULL;
}

/* ---- LRU order ---- */

static void order_unlink(struct table *table, struct entry *entry)
{
    LIST_REMOVE(table->oldest, table->newest, entry, older, newer);
}

static void order_append(struct table *table, struct entry *entry)
{
    LIST_APPEND(table->oldest, table->newest, entry, older, newer);
}

void hf_table_touch(struct table *table, struct entry *entry)
{
    if (table->newest == entry)
        return;
    order_unlink(table, entry);
    order_append(table, entry);
}

/* ---- entries ---- */

struct entry *hf_table_add(struct table *table, haft_slice group, haft_slice key)
{
    size_t size = sizeof(struct entry) + group.size + key.size;
    struct entry *entry = table->allocator->alloc(table->allocator->context, size), **slot;

    if (!entry)
        return NULL;
    if (table->n >= table->n_slots)
        table_grow(table);
    *entry = (struct entry){.hash = name_hash(group, key),
                            .group_size = group.size,
                            .key_size = key.size,
                            .bytes = size};
    if (group.size)
        memcpy(entry->name, group.data, group.size);
    if (key.size)
        memcpy(entry->name + group.size, key.data, key.size);
    slot = table_slot(table, entry->hash);
    entry->next = *slot;
    *slot = entry;
    order_append(table, entry);
    table->n++;
    table->bytes += size;
    return entry;
}

static void free_record(const struct table *table, struct record *record)
{
    table->allocator->release(table->allocator->context, record, sizeof *record + record->size);
}

void hf_entry_resized(struct table *table, const struct entry *entry, size_t before)
{
    table->bytes = table->bytes - before + entry->bytes;
}

void hf_entry_clear(struct table *table, struct entry *entry)
{
    size_t before = entry->bytes;

    if (entry->type == ENTRY_VALUE)
        free_record(table, entry->as.value);
    if (entry->type == ENTRY_WINDOW)
        hf_window_finish(&entry->as.window, table->allocator);
    while (entry->type == ENTRY_LOG && entry->as.log.first) {
        struct record *record = entry->as.log.first;

        entry->as.log.first = record->next;
        free_record(table, record);
    }
    memset(&entry->as, 0, sizeof entry->as);
    entry->type = ENTRY_EMPTY;
    entry->bytes = sizeof *entry + entry->group_size + entry->key_size;
    hf_entry_resized(table, entry, before);
}

void hf_table_remove(struct table *table, struct entry *entry)
{
    struct entry **link = table_slot(table, entry->hash);

    hf_entry_clear(table, entry);
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    order_unlink(table, entry);
    table->n--;
    table->bytes -= entry->bytes;
    table->allocator->release(table->allocator->context, entry, entry->bytes);
}

/* ---- limits ---- */

void hf_table_sweep(struct table *table, int64_t now, size_t slots)
{
    for (; slots && table->n; slots--) {
        struct entry *entry = table->slots[table->swept++ & (table->n_slots - 1)], *next;

        for (; entry; entry = next) {
            next = entry->next;
            if (entry->type && entry_has_ended(entry, now))
                hf_table_remove(table, entry);
        }
    }
}

static bool table_has_room(const struct table *table, size_t entries, size_t bytes)
{
    return table->n + entries <= table->limits.max_entries && bytes <= table->limits.max_bytes &&
           table->bytes <= table->limits.max_bytes - bytes;
}

bool hf_table_make_room(struct table *table, size_t entries, size_t bytes, haft_slice group,
                        int64_t now)
{
    struct entry *entry, *newer;

    if (table_has_room(table, entries, bytes))
        return true;
    hf_table_sweep(table, now, SWEEP_WHEN_FULL);
    if (!table->limits.evicts)
        return table_has_room(table, entries, bytes);
    for (entry = table->oldest; entry && !table_has_room(table, entries, bytes); entry = newer) {
        newer = entry->newer;
        if (entry->group_size != group.size || !same_bytes(entry->name, group.data, group.size))
            hf_table_remove(table, entry);
    }
    return table_has_room(table, entries, bytes);
}
