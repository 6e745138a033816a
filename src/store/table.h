/* store/table.h - the entries of one namespace: lookup by group and key, LRU order, limits. The
 * caller must hold the lock. */
#ifndef HAFT_SRC_TABLE_H
#define HAFT_SRC_TABLE_H

#include <haft/store.h>

#include "store/window.h"

enum entry_type { ENTRY_EMPTY, ENTRY_VALUE, ENTRY_WINDOW, ENTRY_LOG };

/* A record of a log, or the bytes of a value. */
struct record {
    struct record *next;
    uint64_t sequence;
    size_t size;
    char data[];
};

struct log {
    struct record *first, *last;
    size_t n, bytes;
    uint64_t sequence; /* sequence number of the latest record */
};

struct entry {
    struct entry *next;          /* in its slot */
    struct entry *older, *newer; /* in LRU order */
    uint64_t hash;
    enum entry_type type;
    int64_t expires;  /* 0 for never */
    uint64_t version; /* version of the latest write */
    size_t bytes;     /* total memory */
    union {
        struct record *value;
        struct window window;
        struct log log;
    } as;
    size_t group_size, key_size;
    char name[]; /* group and key */
};

struct table {
    haft_store_space limits;
    const haft_allocator *allocator;
    struct entry **slots;
    size_t n_slots; /* a power of two */
    struct entry *oldest, *newest;
    size_t n, bytes;
    size_t swept; /* slot at which the search for expired entries continues */
    uint64_t version;
};

int hf_table_init(struct table *table, const haft_store_space *limits,
                  const haft_allocator *allocator);
void hf_table_finish(struct table *table);

/* Finds an entry that has not expired; NULL if there is none. */
struct entry *hf_table_find(struct table *table, haft_slice group, haft_slice key, int64_t now);

/* Adds an empty entry; NULL without memory. Does not check limits. */
struct entry *hf_table_add(struct table *table, haft_slice group, haft_slice key);
void hf_table_remove(struct table *table, struct entry *entry);

/* Marks an entry as most recently used. */
void hf_table_touch(struct table *table, struct entry *entry);

/* Frees the contents of an entry. */
void hf_entry_clear(struct table *table, struct entry *entry);
/* Updates the total after an entry's memory has changed from `before` bytes. */
void hf_entry_resized(struct table *table, const struct entry *entry, size_t before);

/* Removes expired entries in a few slots. */
void hf_table_sweep(struct table *table, int64_t now, size_t slots);

/* Makes room for `entries` and `bytes` more: removes expired entries and, if the namespace evicts,
 * the least recently used ones, except those of `group`. Returns false if that is not enough. */
bool hf_table_make_room(struct table *table, size_t entries, size_t bytes, haft_slice group,
                        int64_t now);

#endif
