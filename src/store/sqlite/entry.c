/* entry.c - namespaces and entries as rows, within the limits of the namespaces. */
#include "store/sqlite/entry.h"

#include <string.h>

enum { ENTRY_OVERHEAD = 128, ENTRY_SWEEP_WHEN_FULL = 256, ENTRY_SPACE_NAME = 32 };

/* ---- namespaces ---- */

static int space_create(struct db *db, haft_slice name, struct db_space *space)
{
    sqlite3_stmt *row;
    int64_t n;

    if (hf_db_first(db, &row, DB_SPACES, "") < 1)
        return -1;
    n = sqlite3_column_int64(row, 0);
    hf_db_end(row);
    if (n >= DB_MAX_SPACES)
        return HAFT_ETOOBIG;
    if (hf_db_run(db, DB_ADD_SPACE, "b", name))
        return -1;
    space->id = sqlite3_last_insert_rowid(db->handle);
    space->version = 1;
    return 0;
}

static int space_read(struct db *db, haft_slice name, struct db_space *space)
{
    sqlite3_stmt *row;
    int status = hf_db_first(db, &row, DB_SPACE, "b", name);
    bool damaged = false;

    if (status < 0)
        return -1;
    if (!status)
        return db->writes ? space_create(db, name, space) : 0;
    space->id = hf_db_count(row, 0, &damaged);
    space->entries = hf_db_count(row, 1, &damaged);
    space->bytes = hf_db_count(row, 2, &damaged);
    space->version = hf_db_count(row, 3, &damaged);
    space->used = hf_db_count(row, 4, &damaged);
    hf_db_end(row);
    return damaged ? hf_db_damaged(db) : 0;
}

int hf_space_load(struct db *db, const char *name, struct db_space **ret_space)
{
    haft_slice slice = {name, strlen(name)};
    struct db_space space = {.name = name};
    int status;

    for (size_t i = 0; i < db->n_spaces; i++)
        if (!strcmp(db->spaces[i].name, name)) {
            *ret_space = &db->spaces[i];
            return 0;
        }
    if (slice.size >= ENTRY_SPACE_NAME)
        return HAFT_ETOOBIG;
    space.limits = db->host->limits(db->limits, db->n_limits, name);
    status = space_read(db, slice, &space);
    if (status)
        return status;
    if (db->n_spaces == DB_CACHED_SPACES) {
        if (hf_spaces_save(db))
            return -1;
        db->n_spaces = 0;
    }
    *ret_space = &db->spaces[db->n_spaces++];
    **ret_space = space;
    return 0;
}

int hf_spaces_save(struct db *db)
{
    for (size_t i = 0; i < db->n_spaces; i++) {
        struct db_space *space = &db->spaces[i];

        if (!space->changed)
            continue;
        space->changed = false;
        if (hf_db_run(db, DB_SET_SPACE, "iiiii", space->id, space->entries, space->bytes,
                      space->version, space->used))
            return -1;
    }
    return 0;
}

int64_t hf_space_use(struct db_space *space)
{
    if (!space->limits.evicts)
        return 0;
    space->changed = true;
    return ++space->used;
}

static int64_t space_less(int64_t value, int64_t by)
{
    return by > 0 && by < value ? value - by : 0;
}

/* ---- removing ---- */

static int entry_delete(struct db *db, int64_t id, enum db_type type)
{
    if (type == DB_LOG && hf_db_run(db, DB_REMOVE_RECORDS, "i", id))
        return -1;
    if (type == DB_WINDOW && hf_db_run(db, DB_REMOVE_CALLS, "ii", id, INT64_MAX))
        return -1;
    return hf_db_run(db, DB_REMOVE, "i", id);
}

int hf_entry_remove(struct db *db, struct db_space *space, const struct db_entry *entry)
{
    space->entries = space_less(space->entries, 1);
    space->bytes = space_less(space->bytes, entry->size);
    space->changed = true;
    return entry_delete(db, entry->id, entry->type);
}

/* Takes an entry off the counts of its namespace. */
static int space_shrink(struct db *db, int64_t id, int64_t size)
{
    for (size_t i = 0; i < db->n_spaces; i++)
        if (db->spaces[i].id == id) {
            db->spaces[i].entries = space_less(db->spaces[i].entries, 1);
            db->spaces[i].bytes = space_less(db->spaces[i].bytes, size);
            db->spaces[i].changed = true;
            return 0;
        }
    return hf_db_run(db, DB_SHRINK_SPACE, "ii", id, size);
}

int hf_entries_sweep(struct db *db, int limit)
{
    int n = 0;

    for (; n < limit; n++) {
        sqlite3_stmt *row;
        int64_t id, size, space;
        enum db_type type;
        int status = hf_db_first(db, &row, DB_EXPIRED, "i", db->clock);

        if (status < 1)
            return status < 0 ? -1 : n;
        id = sqlite3_column_int64(row, 0);
        type = (enum db_type)sqlite3_column_int(row, 1);
        size = sqlite3_column_int64(row, 2);
        space = sqlite3_column_int64(row, 3);
        hf_db_end(row);
        if (entry_delete(db, id, type) || space_shrink(db, space, size))
            return -1;
    }
    return n;
}

/* ---- room ---- */

bool hf_space_has_room(const struct db_space *space, int64_t entries, int64_t bytes)
{
    const haft_store_space *limits = &space->limits;

    return (uint64_t)(space->entries + entries) <= limits->max_entries &&
           (uint64_t)bytes <= limits->max_bytes &&
           (uint64_t)space->bytes <= limits->max_bytes - (uint64_t)bytes;
}

static int space_evict(struct db *db, struct db_space *space, haft_slice owner)
{
    sqlite3_stmt *row;
    struct db_entry oldest = {0};
    int status = hf_db_first(db, &row, DB_OLDEST, "ib", space->id, owner);

    if (status < 1)
        return status < 0 ? -1 : HAFT_ETOOBIG;
    oldest.id = sqlite3_column_int64(row, 0);
    oldest.type = (enum db_type)sqlite3_column_int(row, 1);
    oldest.size = sqlite3_column_int64(row, 2);
    hf_db_end(row);
    return hf_entry_remove(db, space, &oldest);
}

/* Expired entries go first. */
static int space_make_room(struct db *db, struct db_space *space, haft_slice owner, int64_t entries,
                           int64_t bytes)
{
    int status = 0;

    if (hf_space_has_room(space, entries, bytes))
        return 0;
    if (hf_entries_sweep(db, ENTRY_SWEEP_WHEN_FULL) < 0)
        return -1;
    while (!status && !hf_space_has_room(space, entries, bytes))
        status = space->limits.evicts ? space_evict(db, space, owner) : HAFT_ETOOBIG;
    return status;
}

/* ---- entries ---- */

int64_t hf_entry_base(haft_slice owner, haft_slice key)
{
    return ENTRY_OVERHEAD + (int64_t)owner.size + (int64_t)key.size;
}

static int entry_read(struct db *db, sqlite3_stmt *row, struct db_entry *ret_entry)
{
    bool damaged = false;

    *ret_entry = (struct db_entry){
        .id = hf_db_count(row, 0, &damaged),
        .type = (enum db_type)sqlite3_column_int(row, 1),
        .version = hf_db_count(row, 2, &damaged),
        .expires = sqlite3_column_int64(row, 3),
        .size = hf_db_count(row, 4, &damaged),
        .total = hf_db_count(row, 5, &damaged),
        .bytes = hf_db_count(row, 6, &damaged),
        .last = hf_db_count(row, 7, &damaged),
        .calls = hf_db_count(row, 8, &damaged),
        .per_ms = hf_db_count(row, 9, &damaged),
    };
    return damaged ? hf_db_damaged(db) : 0;
}

static int entry_copy_value(struct db *db, haft_slice value, haft_arena *arena,
                            haft_slice *ret_value)
{
    char *copy = db->host->alloc(arena, value.size + 1);

    if (!copy)
        return HAFT_ENOMEM;
    if (value.size)
        memcpy(copy, value.data, value.size);
    copy[value.size] = '\0';
    *ret_value = (haft_slice){copy, value.size};
    return 0;
}

int hf_entry_find(struct db *db, struct db_space *space, haft_slice owner, haft_slice key,
                  haft_arena *arena, struct db_entry *ret_entry, haft_slice *ret_value)
{
    struct db_entry entry;
    sqlite3_stmt *row;
    bool expired;
    int status;

    *ret_entry = (struct db_entry){0};
    if (!space->id)
        return 0;
    status = hf_db_first(db, &row, DB_FIND, "ibb", space->id, owner, key);
    if (status < 1)
        return status;
    status = entry_read(db, row, &entry);
    expired = entry.expires > 0 && entry.expires <= db->now;
    if (!status && !expired && arena && entry.type == DB_VALUE)
        status = entry_copy_value(db, hf_db_slice(row, 10), arena, ret_value);
    hf_db_end(row);
    if (status)
        return status;
    if (!expired)
        *ret_entry = entry;
    else if (db->writes)
        status = hf_entry_remove(db, space, &entry);
    else
        db->met_expired = true;
    return status;
}

int hf_entry_save(struct db *db, struct db_space *space, haft_slice owner, haft_slice key,
                  struct db_entry *entry, int64_t old_size, haft_slice value)
{
    int64_t more = entry->size > old_size ? entry->size - old_size : 0, used;
    int status = space_make_room(db, space, owner, !entry->id, more);

    if (status)
        return status;
    used = hf_space_use(space);
    entry->version = ++space->version;
    space->bytes += entry->size - old_size;
    space->changed = true;
    if (entry->id)
        return hf_db_run(db, DB_SET, "iiiiiiiiiiib", entry->id, (int64_t)entry->type,
                         entry->version, entry->expires, used, entry->size, entry->total,
                         entry->bytes, entry->last, entry->calls, entry->per_ms, value);
    space->entries++;
    if (hf_db_run(db, DB_ADD, "ibbiiiiiiiiiib", space->id, owner, key, (int64_t)entry->type,
                  entry->version, entry->expires, used, entry->size, entry->total, entry->bytes,
                  entry->last, entry->calls, entry->per_ms, value))
        return -1;
    entry->id = sqlite3_last_insert_rowid(db->handle);
    return 0;
}
