/* states.c - see states.h. */
#include "hass/states.h"

#include <stdlib.h>

#include "hass/memory.h"
#include "json/writer.h"

/* ---- what a state is ---- */

bool hass_is_entity_id(const char *text, size_t size)
{
    size_t dots = 0;

    if (size < 3 || size > ENTITY_ID_MAX)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];

        if (c == '.')
            dots++;
        else if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return dots == 1 && text[0] != '.' && text[size - 1] != '.';
}

/* The parts of a state object, of which the last is written elsewhere. */
struct state_parts {
    struct text at[4];
};

static bool states_get_text(yyjson_val *object, const char *name, struct text *ret_text)
{
    yyjson_val *value = yyjson_obj_get(object, name);

    if (!value || yyjson_is_null(value)) {
        *ret_text = (struct text){"", 0};
        return true;
    }
    *ret_text = (struct text){yyjson_get_str(value), yyjson_get_len(value)};
    if (ret_text->size > STATE_MAX_PART)
        ret_text->size = haft_utf8_valid(ret_text->data, STATE_MAX_PART);
    return ret_text->data && !memchr(ret_text->data, '\0', ret_text->size);
}

static bool states_take_apart(yyjson_val *object, struct state_parts *ret_parts)
{
    yyjson_val *attributes = yyjson_obj_get(object, "attributes");
    struct text *at = ret_parts->at;

    return yyjson_is_obj(object) && states_get_text(object, "entity_id", &at[0]) &&
           hass_is_entity_id(at[0].data, at[0].size) && states_get_text(object, "state", &at[1]) &&
           yyjson_is_str(yyjson_obj_get(object, "state")) &&
           states_get_text(object, "last_changed", &at[2]) &&
           states_get_text(yyjson_obj_get(object, "context"), "id", &at[3]) &&
           (!attributes || yyjson_is_obj(attributes));
}

/* ---- the table ---- */

void hass_table_init(struct state_table *table, const haft_allocator *allocator)
{
    *table = (struct state_table){.allocator = allocator};
    haft_buffer_init(&table->scratch, allocator, STATE_MAX_TEXT);
}

static void states_free_one(struct state_table *table, struct state *state)
{
    table->bytes -= state->capacity;
    hass_release(table->allocator, state->text, state->capacity);
    hass_release(table->allocator, state, sizeof *state);
}

void hass_table_finish(struct state_table *table)
{
    for (size_t i = 0; i < table->n_slots; i++)
        if (table->slots[i])
            states_free_one(table, table->slots[i]);
    hass_release(table->allocator, table->slots, table->n_slots * sizeof *table->slots);
    hass_release(table->allocator, table->sorted, table->n_sorted * sizeof *table->sorted);
    haft_buffer_finish(&table->scratch);
}

/* Where it is, or would be; there is a free slot. */
static size_t states_slot(const struct state_table *table, const char *id, size_t size)
{
    size_t mask = table->n_slots - 1, at = (size_t)hf_hash_bytes(id, size) & mask;

    for (;; at = (at + 1) & mask) {
        const struct state *state = table->slots[at];

        if (!state || (state->id == size && !memcmp(state_id(state), id, size)))
            return at;
    }
}

struct state *hass_table_find(const struct state_table *table, const char *id, size_t size)
{
    return table->n_slots ? table->slots[states_slot(table, id, size)] : NULL;
}

static int states_grow(struct state_table *table)
{
    size_t n_old = table->n_slots, n_new = n_old ? 2 * n_old : 64;
    struct state **old = table->slots, **slots;

    if (2 * (table->n + 1) <= n_old)
        return 0;
    slots = hass_alloc(table->allocator, n_new * sizeof *slots);
    if (!slots)
        return HAFT_ENOMEM;
    memset(slots, 0, n_new * sizeof *slots);
    table->slots = slots;
    table->n_slots = n_new;
    for (size_t i = 0; i < n_old; i++)
        if (old[i])
            slots[states_slot(table, state_id(old[i]), old[i]->id)] = old[i];
    hass_release(table->allocator, old, n_old * sizeof *old);
    return 0;
}

/* Gives the record a text of that size; what it had is lost. */
static int states_make_room(struct state_table *table, struct state *state, size_t size)
{
    size_t capacity = size + size / 4;
    char *text;

    if (size <= state->capacity && size >= state->capacity / 4)
        return 0;
    if (table->bytes - state->capacity + capacity > STATES_MAX_BYTES)
        return HAFT_ETOOBIG;
    text = hass_alloc(table->allocator, capacity);
    if (!text)
        return HAFT_ENOMEM;
    table->bytes += capacity - state->capacity;
    hass_release(table->allocator, state->text, state->capacity);
    state->text = text;
    state->capacity = capacity;
    return 0;
}

static void states_write(struct state *state, const struct state_parts *parts,
                         const haft_buffer *attributes)
{
    char *out = state->text;

    for (size_t i = 0; i < 4; i++) {
        memcpy(out, parts->at[i].data, parts->at[i].size);
        out += parts->at[i].size;
        *out++ = '\0';
    }
    memcpy(out, attributes->data, attributes->size);
    out[attributes->size] = '\0';
    state->id = (uint32_t)parts->at[0].size;
    state->state = (uint32_t)parts->at[1].size;
    state->changed = (uint32_t)parts->at[2].size;
    state->context = (uint32_t)parts->at[3].size;
    state->attributes = (uint32_t)attributes->size;
}

/* Adds a record without a text. */
static int states_add(struct state_table *table, size_t slot_for, struct state **ret_state)
{
    struct state *state;

    if (table->n >= STATES_MAX)
        return HAFT_ETOOBIG;
    state = hass_alloc(table->allocator, sizeof *state);
    if (!state)
        return HAFT_ENOMEM;
    *state = (struct state){.mark = 0};
    table->slots[slot_for] = state;
    *ret_state = state;
    return 0;
}

/* Writes the attributes; of those that are too long together, the short ones and a note. */
static int states_write_attributes(struct state_table *table, yyjson_val *attributes, size_t room)
{
    enum { STATE_SHORT_TEXT = 1024, STATE_SHORT_ALL = 64 << 10 };
    haft_buffer *out = &table->scratch;
    struct json_writer w = {.out = out};
    yyjson_val *key, *value;
    size_t i, max;

    haft_buffer_clear(out);
    if (!attributes)
        haft_buffer_puts(out, "{}");
    else
        haft_json_write(attributes, out);
    if (out->status == HAFT_ENOMEM || (!out->status && out->size <= room))
        return out->status;
    haft_buffer_clear(out);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "attributes_omitted"), "The attributes of this entity are too long.");
    yyjson_obj_foreach(attributes, i, max, key, value)
        if (!yyjson_is_ctn(value) &&
            yyjson_get_len(key) + yyjson_get_len(value) < STATE_SHORT_TEXT &&
            out->size < STATE_SHORT_ALL)
            hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
    hf_json_end_object(&w);
    return out->status;
}

int hass_table_put(struct state_table *table, yyjson_val *object, struct state **ret_state)
{
    struct state_parts parts;
    struct state *state;
    size_t slot, size;
    int status;

    if (!states_take_apart(object, &parts))
        return HAFT_EINVAL;
    size = parts.at[0].size + parts.at[1].size + parts.at[2].size + parts.at[3].size + 5;
    status =
        states_write_attributes(table, yyjson_obj_get(object, "attributes"), STATE_MAX_TEXT - size);
    if (status)
        return status;
    size += table->scratch.size;
    status = states_grow(table);
    if (status)
        return status;
    slot = states_slot(table, parts.at[0].data, parts.at[0].size);
    state = table->slots[slot];
    if (!state) {
        status = states_add(table, slot, &state);
        if (status)
            return status;
    }
    status = states_make_room(table, state, size);
    if (status && !state->text) { /* it is new */
        table->slots[slot] = NULL;
        hass_release(table->allocator, state, sizeof *state);
    }
    if (status)
        return status;
    if (!state->change) {
        table->n++;
        table->is_sorted = false;
    }
    states_write(state, &parts, &table->scratch);
    state->change = ++table->changes;
    state->mark = table->mark;
    *ret_state = state;
    return 0;
}

/* Empties a slot, and moves what had to be put behind it into its place. */
static void states_clear_slot(struct state_table *table, size_t hole)
{
    size_t mask = table->n_slots - 1;

    states_free_one(table, table->slots[hole]);
    table->slots[hole] = NULL;
    table->n--;
    table->is_sorted = false;
    for (size_t at = (hole + 1) & mask; table->slots[at]; at = (at + 1) & mask) {
        struct state *state = table->slots[at];
        size_t home = (size_t)hf_hash_bytes(state_id(state), state->id) & mask;

        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table->slots[hole] = state;
            table->slots[at] = NULL;
            hole = at;
        }
    }
}

void hass_table_remove(struct state_table *table, const char *id, size_t size)
{
    size_t slot;

    if (!table->n_slots)
        return;
    slot = states_slot(table, id, size);
    if (table->slots[slot]) {
        states_clear_slot(table, slot);
        table->changes++;
    }
}

void hass_table_begin(struct state_table *table)
{
    table->mark++;
}

void hass_table_end(struct state_table *table)
{
    for (size_t i = 0; i < table->n_slots;) {
        struct state *state = table->slots[i];

        if (state && state->mark != table->mark) {
            states_clear_slot(table, i); /* which may fill it again */
            table->changes++;
        } else {
            i++;
        }
    }
}

static int states_compare(const void *left, const void *right)
{
    return strcmp(state_id(*(struct state *const *)left), state_id(*(struct state *const *)right));
}

struct state *const *hass_table_sorted(struct state_table *table)
{
    static struct state *const none[1];
    size_t n = 0;

    if (!table->n)
        return none;
    if (table->is_sorted)
        return table->sorted;
    if (table->n_sorted != table->n) {
        struct state **sorted = hass_alloc(table->allocator, table->n * sizeof *sorted);

        if (!sorted)
            return NULL;
        hass_release(table->allocator, table->sorted, table->n_sorted * sizeof *sorted);
        table->sorted = sorted;
        table->n_sorted = table->n;
    }
    for (size_t i = 0; i < table->n_slots; i++)
        if (table->slots[i])
            table->sorted[n++] = table->slots[i];
    qsort(table->sorted, n, sizeof *table->sorted, states_compare);
    table->is_sorted = true;
    return table->sorted;
}
