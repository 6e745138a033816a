/* store/sqlite/entry.h - namespaces and entries as rows. */
#ifndef HAFT_SRC_SQLITE_ENTRY_H
#define HAFT_SRC_SQLITE_ENTRY_H

#include "store/sqlite/db.h"

/* Columns of an entry, except its name and value. */
struct db_entry {
    int64_t id; /* 0 if there is none */
    enum db_type type;
    int64_t version, expires;
    int64_t size;          /* what counts against the limit of the namespace */
    int64_t total;         /* calls in a window, or records in a log */
    int64_t bytes, last;   /* of a log: bytes of its records, number of the latest */
    int64_t calls, per_ms; /* rate of a window */
};

/* Finds a namespace, which is valid until the next call; one that does not exist is added in a transaction that writes.
 * `name` must live until the transaction ends. Returns 0, an error, or -1 with db->error set. */
int hf_space_load(struct db *db, const char *name, struct db_space **ret_space);
/* Writes all changed ones, before a commit; returns 0 or -1. */
int hf_spaces_save(struct db *db);
/* The number of the next use, if the namespace evicts; otherwise 0. */
int64_t hf_space_use(struct db_space *space);
/* Whether so many more entries and bytes are within the limits. */
bool hf_space_has_room(const struct db_space *space, int64_t entries, int64_t bytes);

/* Finds an entry that has not expired; ret_entry->id is 0 if there is none. Copies a value into the arena
 * unless it is NULL. Returns as hf_space_load. */
int hf_entry_find(struct db *db, struct db_space *space, haft_slice owner, haft_slice key,
                  haft_arena *arena, struct db_entry *ret_entry, haft_slice *ret_value);

/* Adds the entry, or updates it if it has an id; `old_size` is its size before. Makes room: returns
 * HAFT_ETOOBIG if there is none. */
int hf_entry_save(struct db *db, struct db_space *space, haft_slice owner, haft_slice key,
                  struct db_entry *entry, int64_t old_size, haft_slice value);
int hf_entry_remove(struct db *db, struct db_space *space, const struct db_entry *entry);

/* Size of an entry without its contents. */
int64_t hf_entry_base(haft_slice owner, haft_slice key);

/* Removes up to `limit` expired entries of any namespace; returns their number, or -1. */
int hf_entries_sweep(struct db *db, int limit);

#endif
