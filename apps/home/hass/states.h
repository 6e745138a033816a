/* hass/states.h - the states of a home: a table by entity id.
 *
 * An entity is one record and one piece of text, which is overwritten in place when a new state fits, so
 * that a flood of changes needs no memory.  The table has no lock. */
#ifndef HOME_STATES_H
#define HOME_STATES_H

#include "json/json.h"

/* More entities than that, and the table is full.  Of an entity that is longer than one may be, the longest
 * attributes are left out. */
enum {
    STATES_MAX = 100000,
    STATES_MAX_BYTES = 256 << 20,
    STATE_MAX_TEXT = 1 << 20,
    STATE_MAX_PART = 64 << 10, /* of a text that is not an attribute; it is cut */
    ENTITY_ID_MAX = 255
};

struct state {
    uint64_t change; /* number of its latest change, among all changes of the home */
    uint64_t mark;   /* of the latest synchronization that had it */
    char *text;      /* entity id, state, last_changed, context id, attributes, each with a NUL */
    size_t capacity; /* bytes that the text may have */
    uint32_t id, state, changed, context, attributes; /* sizes, without the NUL */
};

struct state_table {
    const haft_allocator *allocator;
    struct state **slots; /* a power of two, at most half of them in use */
    size_t n_slots, n;
    struct state **sorted; /* by entity id, if is_sorted */
    size_t n_sorted;
    bool is_sorted;
    size_t bytes; /* allocated for `text` of all records */
    uint64_t changes, mark;
    haft_buffer scratch; /* attributes, as they are written */
};

static inline const char *state_id(const struct state *state)
{
    return state->text;
}
static inline const char *state_value(const struct state *state)
{
    return state->text + state->id + 1;
}
static inline const char *state_changed(const struct state *state)
{
    return state_value(state) + state->state + 1;
}
static inline const char *state_context(const struct state *state)
{
    return state_changed(state) + state->changed + 1;
}
static inline const char *state_attributes(const struct state *state)
{
    return state_context(state) + state->context + 1;
}
static inline size_t state_size(const struct state *state)
{
    return (size_t)state->id + state->state + state->changed + state->context + state->attributes +
           5;
}

/* Whether it has the form of an entity id: "light.kitchen". */
bool hass_is_entity_id(const char *text, size_t size);

void hass_table_init(struct state_table *table, const haft_allocator *allocator);
void hass_table_finish(struct state_table *table);

/* The state of an entity; NULL for none. */
struct state *hass_table_find(const struct state_table *table, const char *id, size_t size);

/* Enters a state object of Home Assistant, and sets *ret_state to it.  Returns 0; HAFT_EINVAL, with the
 * table as it was, if the object is not a state; HAFT_ETOOBIG if the table is full; or HAFT_ENOMEM. */
int hass_table_put(struct state_table *table, yyjson_val *object, struct state **ret_state);
/* Removes an entity; it may not be there. */
void hass_table_remove(struct state_table *table, const char *id, size_t size);

/* A synchronization: states that have not been put between the two calls are removed. */
void hass_table_begin(struct state_table *table);
void hass_table_end(struct state_table *table);

/* All states by entity id, until the table changes; NULL without memory. */
struct state *const *hass_table_sorted(struct state_table *table);

#endif
