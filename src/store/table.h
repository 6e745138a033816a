/* store/table.h - the entries of one namespace: found by group and key, in the order of their use, within
 * limits.  The caller has the lock. */
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
    uint64_t sequence; /* of the latest record, ever */
};

struct entry {
    struct entry *next;          /* in its slot */
    struct entry *older, *newer; /* in the order of use */
    uint64_t hash;
    enum entry_type type;
    int64_t expires;  /* 0: never */
    uint64_t version; /* of whatever was written last */
    size_t bytes;     /* all that it holds */
    union {
        struct record *value;
        struct window window;
        struct log log;
    } as;
    size_t group_size, key_size;
    char name[]; /* the group, the key */
};

struct table {
    haft_store_space limits;
    const haft_allocator *allocator;
    struct entry **slots;
    size_t n_slots; /* a power of two */
    struct entry *oldest, *newest;
    size_t n, bytes;
    size_t swept; /* the slot where the search for ended entries goes on */
    uint64_t version;
};

int hf_table_init(struct table *table, const haft_store_space *limits,
                  const haft_allocator *allocator);
void hf_table_finish(struct table *table);

/* The entry of that name if it is there and has not ended; NULL if not. */
struct entry *hf_table_find(struct table *table, haft_slice group, haft_slice key, int64_t now);

/* An empty entry, linked like any other; NULL without memory.  The limits are not looked at. */
struct entry *hf_table_add(struct table *table, haft_slice group, haft_slice key);
void hf_table_remove(struct table *table, struct entry *entry);

/* Makes an entry the one that was used last. */
void hf_table_touch(struct table *table, struct entry *entry);

/* Frees what an entry holds: it is empty. */
void hf_entry_clear(struct table *table, struct entry *entry);
/* An entry's own memory has grown, or shrunk, from `before` bytes. */
void hf_entry_resized(struct table *table, const struct entry *entry, size_t before);

/* Removes entries that have ended, looking at a few slots. */
void hf_table_sweep(struct table *table, int64_t now, size_t slots);

/* Makes room for `entries` and `bytes` more: by removing what has ended and, if the namespace evicts, what was
 * used longest ago, but no entry of `group`.  False if there is not enough. */
bool hf_table_make_room(struct table *table, size_t entries, size_t bytes, haft_slice group,
                        int64_t now);

#endif
