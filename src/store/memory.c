/* memory.c - the in-memory store.
 *
 * Each namespace is a table with its own lock, created on first use and never removed. A request
 * holds one lock while it is applied. */
#include <haft/store.h>
#include <stdatomic.h>

#include "store/group.h"
#include "base/struct.h"
#include "store/limits.h"

enum {
    MAX_SPACES = 64,
    SWEEP_SLOTS = 2,
    SPACE_NAME = 32,
    DEFAULT_ENTRIES = 10000,
    DEFAULT_BYTES = 64 << 20
};

struct space {
    struct space *next;
    atomic_flag lock;
    struct table table;
    char name[SPACE_NAME];
};

struct memory_store {
    haft_store store; /* must be first: others hold a pointer to it */
    const haft_allocator *allocator;
    void (*yield)(void);
    haft_store_space *limits;
    size_t n_limits;
    _Atomic(struct space *) spaces; /* newest first */
    size_t n_spaces;                /* under the store's lock */
    atomic_flag lock;               /* for creating spaces, and for subscribers */
    haft_store_subscriber *subscribers;
};

/* ---- locks ---- */

static void lock_take(const struct memory_store *memory, atomic_flag *lock)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        if (memory->yield)
            memory->yield();
}

static void lock_give(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

/* ---- namespaces ---- */

/* Limits of the library's own namespaces. */
static const haft_store_space own_limits[] = {
    {.name = "rate", .max_entries = 10000, .max_bytes = 16 << 20, .evicts = true},
    {.name = "events", .max_entries = 10000, .max_bytes = 64 << 20, .evicts = true},
    {.name = "session", .max_entries = 10000, .max_bytes = 160 << 20},
};

/* Limits in a file. Tasks that have ended stay until their time is over, with three or four entries each. */
static const haft_store_space file_limits[] = {
    {.name = "task", .max_entries = 2000000, .max_bytes = 2047 << 20},
    {.name = "task.index", .max_entries = 2000000, .max_bytes = 2047 << 20},
};

static const haft_store_space *limits_find(const haft_store_space *limits, size_t n,
                                           const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (limits[i].name && name ? !strcmp(limits[i].name, name) : limits[i].name == name)
            return &limits[i];
    return NULL;
}

haft_store_space hf_store_limits(const haft_store_space *spaces, size_t n, const char *name)
{
    size_t n_own = sizeof own_limits / sizeof *own_limits;
    const haft_store_space *limits = limits_find(spaces, n, name);
    haft_store_space space = {0};

    if (!limits)
        limits = limits_find(own_limits, n_own, name);
    if (!limits)
        limits = limits_find(spaces, n, NULL);
    if (limits)
        space = *limits;
    space.max_entries = space.max_entries ? space.max_entries : DEFAULT_ENTRIES;
    space.max_bytes = space.max_bytes ? space.max_bytes : DEFAULT_BYTES;
    return space;
}

haft_store_space hf_store_file_limits(const haft_store_space *spaces, size_t n, const char *name)
{
    const haft_store_space *limits =
        limits_find(file_limits, sizeof file_limits / sizeof *file_limits, name);

    return limits && !limits_find(spaces, n, name) ? *limits : hf_store_limits(spaces, n, name);
}

static struct space *space_find(struct memory_store *memory, const char *name)
{
    struct space *space = atomic_load_explicit(&memory->spaces, memory_order_acquire);

    while (space && strcmp(space->name, name))
        space = space->next;
    return space;
}

/* The caller must hold the store's lock. */
static struct space *space_add(struct memory_store *memory, const char *name)
{
    const haft_allocator *allocator = memory->allocator;
    haft_store_space limits = hf_store_limits(memory->limits, memory->n_limits, name);
    struct space *space = allocator->alloc(allocator->context, sizeof *space);

    if (!space)
        return NULL;
    memset(space, 0, sizeof *space);
    atomic_flag_clear(&space->lock);
    memcpy(space->name, name, strlen(name));
    if (hf_table_init(&space->table, &limits, allocator)) {
        allocator->release(allocator->context, space, sizeof *space);
        return NULL;
    }
    space->next = atomic_load(&memory->spaces);
    atomic_store_explicit(&memory->spaces, space, memory_order_release);
    memory->n_spaces++;
    return space;
}

/* Finds or creates a namespace; NULL with *ret_status set. */
static struct space *space_get(struct memory_store *memory, const char *name, int *ret_status)
{
    struct space *space = space_find(memory, name);

    if (space)
        return space;
    *ret_status = HAFT_ETOOBIG;
    if (strlen(name) >= SPACE_NAME)
        return NULL;
    lock_take(memory, &memory->lock);
    space = space_find(memory, name);
    if (!space && memory->n_spaces < MAX_SPACES) {
        *ret_status = HAFT_ENOMEM;
        space = space_add(memory, name);
    }
    lock_give(&memory->lock);
    return space;
}

/* ---- channels ---- */

static bool subscriber_hears(const haft_store_subscriber *subscriber, const char *space,
                             haft_slice channel)
{
    haft_slice wanted = subscriber->channel;

    return !strcmp(subscriber->space, space) &&
           (!wanted.size ||
            (wanted.size == channel.size && !memcmp(wanted.data, channel.data, channel.size)));
}

static void publish(struct memory_store *memory, const char *space, const haft_store_op *op)
{
    lock_take(memory, &memory->lock);
    for (haft_store_subscriber *at = memory->subscribers; at; at = at->next)
        if (subscriber_hears(at, space, op->key))
            at->message(at, op->key, op->value);
    lock_give(&memory->lock);
}

static int memory_subscribe(haft_store *store, haft_store_subscriber *subscriber)
{
    struct memory_store *memory = (struct memory_store *)store;

    lock_take(memory, &memory->lock);
    subscriber->next = memory->subscribers;
    memory->subscribers = subscriber;
    lock_give(&memory->lock);
    return 0;
}

static void memory_unsubscribe(haft_store *store, haft_store_subscriber *subscriber)
{
    struct memory_store *memory = (struct memory_store *)store;
    haft_store_subscriber **link = &memory->subscribers;

    lock_take(memory, &memory->lock);
    while (*link && *link != subscriber)
        link = &(*link)->next;
    if (*link)
        *link = subscriber->next;
    lock_give(&memory->lock);
}

/* ---- requests ---- */

static int memory_submit(haft_store *store, haft_store_request *request)
{
    struct memory_store *memory = (struct memory_store *)store;
    int status = 0;
    struct space *space = space_get(memory, request->space, &status);

    if (!space)
        return request->status = status;
    lock_take(memory, &space->lock);
    hf_table_sweep(&space->table, request->now, SWEEP_SLOTS);
    request->status = hf_group_apply(&space->table, request);
    lock_give(&space->lock);
    for (size_t i = 0; i < request->n_ops && request->status > 0; i++)
        if (request->ops[i].kind == HAFT_STORE_PUBLISH)
            publish(memory, request->space, &request->ops[i]);
    return request->status < 0 ? request->status : 0;
}

/* ---- scanning ---- */

static int found_copy(haft_store_scan *scan, const struct entry *entry)
{
    haft_store_found *found = &scan->ret_found[scan->n_found];
    const struct record *value = entry->type == ENTRY_VALUE ? entry->as.value : NULL;
    char *name = haft_arena_copy(scan->arena, entry->name, entry->group_size + entry->key_size);
    char *text = value ? haft_arena_copy(scan->arena, value->data, value->size) : NULL;

    if (!name || (value && !text))
        return HAFT_ENOMEM;
    *found = (haft_store_found){.group = {name, entry->group_size},
                                .key = {name + entry->group_size, entry->key_size},
                                .version = entry->version,
                                .value = {text ? text : "", value ? value->size : 0}};
    scan->n_found++;
    return 0;
}

static bool entry_matches(const struct entry *entry, const haft_store_scan *scan)
{
    return entry->group_size >= scan->prefix.size &&
           !memcmp(entry->name, scan->prefix.data, scan->prefix.size) &&
           !(entry->expires && entry->expires <= scan->now);
}

/* The cursor contains the next slot and, in the upper bits, the number of slots: if the table has
 * grown since, the scan starts again. A slot is read completely. */
static int scan_slots(const struct table *table, haft_store_scan *scan)
{
    size_t at = (size_t)(scan->cursor & UINT32_MAX), seen = 0, n = 0;
    int status = 0;

    if (scan->cursor >> 32 != (uint64_t)table->n_slots)
        at = 0;
    for (size_t i = at; i < table->n_slots && n < scan->limit; i++)
        for (const struct entry *entry = table->slots[i]; entry; entry = entry->next)
            n++;
    scan->ret_found = haft_arena_zalloc(scan->arena, n ? n : 1, sizeof *scan->ret_found);
    if (!scan->ret_found)
        return HAFT_ENOMEM;
    for (; at < table->n_slots && seen < scan->limit && !status; at++)
        for (const struct entry *entry = table->slots[at]; entry && !status; entry = entry->next) {
            seen++;
            if (entry_matches(entry, scan))
                status = found_copy(scan, entry);
        }
    scan->cursor =
        at < table->n_slots && !status ? (uint64_t)table->n_slots << 32 | (uint64_t)at : 0;
    return status;
}

static int memory_scan(haft_store *store, haft_store_scan *scan)
{
    struct memory_store *memory = (struct memory_store *)store;
    int status = 0;
    struct space *space = space_get(memory, scan->space, &status);

    if (!space)
        return scan->status = status;
    lock_take(memory, &space->lock);
    scan->status = scan_slots(&space->table, scan);
    lock_give(&space->lock);
    return scan->status;
}

/* ---- life ---- */

static void memory_free(haft_store *store)
{
    struct memory_store *memory = (struct memory_store *)store;
    const haft_allocator *allocator = memory->allocator;
    struct space *space = atomic_load(&memory->spaces), *next;

    for (; space; space = next) {
        next = space->next;
        hf_table_finish(&space->table);
        allocator->release(allocator->context, space, sizeof *space);
    }
    for (size_t i = 0; i < memory->n_limits; i++)
        if (memory->limits[i].name)
            allocator->release(allocator->context, (char *)(uintptr_t)memory->limits[i].name,
                               strlen(memory->limits[i].name) + 1);
    if (memory->limits)
        allocator->release(allocator->context, memory->limits,
                           memory->n_limits * sizeof *memory->limits);
    allocator->release(allocator->context, memory, sizeof *memory);
}

static const haft_store_methods memory_methods = HAFT_INIT(
    haft_store_methods, .name = "memory", .submit = memory_submit, .scan = memory_scan,
    .subscribe = memory_subscribe, .unsubscribe = memory_unsubscribe, .free = memory_free);

static int copy_limits(struct memory_store *memory, const haft_store_space *spaces, size_t n)
{
    const haft_allocator *allocator = memory->allocator;

    if (!n)
        return 0;
    memory->limits = allocator->alloc(allocator->context, n * sizeof *spaces);
    if (!memory->limits)
        return HAFT_ENOMEM;
    memset(memory->limits, 0, n * sizeof *spaces);
    memory->n_limits = n;
    for (size_t i = 0; i < n; i++) {
        size_t size = spaces[i].name ? strlen(spaces[i].name) + 1 : 0;
        char *name = size ? allocator->alloc(allocator->context, size) : NULL;

        if (size && !name)
            return HAFT_ENOMEM;
        memory->limits[i] = spaces[i];
        memory->limits[i].name = name;
        if (name)
            memcpy(name, spaces[i].name, size);
    }
    return 0;
}

haft_store *haft_store_memory_new(const haft_store_memory_options *options)
{
    haft_store_memory_options own;
    const haft_allocator *allocator;
    struct memory_store *memory;

    if (!hf_struct_read(&own, sizeof own, options))
        return NULL;
    allocator = hf_allocator_or_default(own.allocator);
    memory = allocator->alloc(allocator->context, sizeof *memory);
    if (!memory)
        return NULL;
    memset(memory, 0, sizeof *memory);
    memory->store.methods = &memory_methods;
    memory->allocator = allocator;
    memory->yield = own.yield;
    atomic_flag_clear(&memory->lock);
    if (copy_limits(memory, own.spaces, own.n_spaces)) {
        memory_free(&memory->store);
        return NULL;
    }
    return &memory->store;
}
