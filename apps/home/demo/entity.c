/* entity.c - entities, their states and their histories. */
#include "demo/model.h"

/* ---- finding ---- */

/* Where it is, or would be. */
static size_t entity_place(const struct demo *demo, const char *id)
{
    size_t low = 0, high = demo->n_entities;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(demo->entities[middle]->id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct demo_entity *demo_find(const struct demo *demo, const char *id)
{
    size_t place = id ? entity_place(demo, id) : demo->n_entities;

    return place < demo->n_entities && !strcmp(demo->entities[place]->id, id)
               ? demo->entities[place]
               : NULL;
}

bool demo_is_in(const struct demo_entity *entity, const char *domain)
{
    size_t size = strlen(domain);

    return !strncmp(entity->id, domain, size) && entity->id[size] == '.';
}

/* Half of an id: letters, digits and underscores, none at an end and no two together. */
static bool entity_half_is_valid(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '_' && (!i || i + 1 == size))
            return false;
        if (text[i] != '_' && !(text[i] >= 'a' && text[i] <= 'z') &&
            !(text[i] >= '0' && text[i] <= '9'))
            return false;
    }
    return size > 0;
}

bool demo_id_is_valid(const char *id)
{
    const char *dot = strchr(id, '.');

    return dot && strlen(id) <= 255 && !strstr(id, "__") &&
           entity_half_is_valid(id, (size_t)(dot - id)) &&
           entity_half_is_valid(dot + 1, strlen(dot + 1));
}

haft_value *demo_attributes(struct demo *demo, const struct demo_entity *entity)
{
    return demo_parse(demo, entity->state->attributes);
}

double demo_attribute(struct demo *demo, const struct demo_entity *entity, const char *name,
                      double otherwise)
{
    return demo_number(demo_attributes(demo, entity), name, otherwise);
}

bool demo_is_available(const struct demo_entity *entity)
{
    return strcmp(entity->state->text, "unavailable") != 0;
}

const char *demo_name(struct demo *demo, const struct demo_entity *entity)
{
    const char *name = demo_text(demo_attributes(demo, entity), "friendly_name");

    return name ? name : strchr(entity->id, '.') + 1;
}

/* ---- states ---- */

static struct demo_state *entity_state_new(struct demo *demo, const char *text,
                                           const char *attributes)
{
    size_t text_size = strlen(text) + 1, attributes_size = strlen(attributes) + 1;
    size_t size = sizeof(struct demo_state) + text_size + attributes_size;
    struct demo_state *state = demo_alloc(demo, size);
    char *tail;

    if (!state)
        return NULL;
    tail = (char *)(state + 1);
    memcpy(tail, text, text_size);
    memcpy(tail + text_size, attributes, attributes_size);
    *state =
        (struct demo_state){.refs = 1, .size = size, .text = tail, .attributes = tail + text_size};
    return state;
}

static void entity_state_drop(struct demo *demo, struct demo_state *state)
{
    if (state && !--state->refs)
        demo_release(demo, state, state->size);
}

/* Appends to the history, and removes states beyond the limit. */
static int entity_remember(struct demo *demo, struct demo_entity *entity, struct demo_state *state)
{
    size_t limit = demo->n_entities > DEMO_MANY ? DEMO_SHORT_HISTORY : DEMO_HISTORY;

    while (entity->n_history >= limit) {
        entity_state_drop(demo, entity->history[0]);
        entity->n_history--;
        memmove(entity->history, entity->history + 1, entity->n_history * sizeof *entity->history);
    }
    if (!demo_grow(demo, (void **)&entity->history, entity->n_history, &entity->history_capacity,
                   sizeof *entity->history))
        return HAFT_ENOMEM;
    entity->history[entity->n_history++] = state;
    state->refs++;
    return 0;
}

int demo_remember(struct demo *demo, struct demo_entity *entity, const char *text, int64_t at)
{
    struct demo_state *state = entity_state_new(demo, text, entity->state->attributes);
    int status = HAFT_ENOMEM;

    if (!state)
        return status;
    state->changed = state->updated = state->reported = at;
    state->context = entity->state->context;
    status = entity_remember(demo, entity, state);
    entity_state_drop(demo, state);
    if (!status && entity->n_history > 1) { /* the current state stays last */
        struct demo_state **last = &entity->history[entity->n_history - 1];

        state = last[0];
        last[0] = last[-1];
        last[-1] = state;
    }
    return status;
}

static void entity_free(struct demo *demo, struct demo_entity *entity)
{
    for (size_t i = 0; i < entity->n_history; i++)
        entity_state_drop(demo, entity->history[i]);
    demo_release(demo, entity->history, entity->history_capacity * sizeof *entity->history);
    entity_state_drop(demo, entity->state);
    demo_drop(demo, entity->id);
    demo_release(demo, entity, sizeof *entity);
}

static struct demo_entity *entity_new(struct demo *demo, const char *id)
{
    struct demo_entity *entity = demo_alloc(demo, sizeof *entity);
    size_t place = entity_place(demo, id);

    if (!entity)
        return NULL;
    *entity = (struct demo_entity){.id = demo_dup(demo, id)};
    if (!entity->id || !demo_grow(demo, (void **)&demo->entities, demo->n_entities,
                                  &demo->entities_capacity, sizeof(struct demo_entity *))) {
        entity_free(demo, entity);
        return NULL;
    }
    memmove(demo->entities + place + 1, demo->entities + place,
            (demo->n_entities - place) * sizeof *demo->entities);
    demo->entities[place] = entity;
    demo->n_entities++;
    return entity;
}

static void entity_take_out(struct demo *demo, struct demo_entity *entity)
{
    size_t place = entity_place(demo, entity->id);

    demo->n_entities--;
    memmove(demo->entities + place, demo->entities + place + 1,
            (demo->n_entities - place) * sizeof *demo->entities);
    entity_free(demo, entity);
}

/* Puts a state in the place of the current one, and tells. */
static int entity_replace(struct demo *demo, struct demo_entity *entity, struct demo_state *state,
                          const struct demo_context *context, bool force)
{
    struct demo_state *old = entity->state;
    bool same = old && !force && !strcmp(old->text, state->text);

    state->context = *context;
    state->updated = state->reported = demo->now;
    state->changed = same ? old->changed : demo->now;
    if (entity_remember(demo, entity, state))
        return HAFT_ENOMEM;
    entity->state = state;
    demo_state_changed(demo, entity, old, state);
    entity_state_drop(demo, old);
    return 0;
}

int demo_write(struct demo *demo, const char *id, const char *text, const char *attributes,
               bool force, const struct demo_context *context, bool *ret_created)
{
    struct demo_entity *entity = demo_find(demo, id);
    struct demo_state *state;
    bool created = !entity;

    if (entity && !force && !strcmp(entity->state->text, text) &&
        !strcmp(entity->state->attributes, attributes)) {
        entity->state->reported = demo->now;
    } else {
        state = entity_state_new(demo, text, attributes);
        if (state && !entity)
            entity = entity_new(demo, id);
        if (!state || !entity || entity_replace(demo, entity, state, context, force)) {
            if (entity && !entity->state)
                entity_take_out(demo, entity);
            entity_state_drop(demo, state);
            return HAFT_ENOMEM;
        }
    }
    if (ret_created)
        *ret_created = created;
    return 0;
}

int demo_remove(struct demo *demo, struct demo_entity *entity, const struct demo_context *context)
{
    entity->state->context = *context;
    demo_state_changed(demo, entity, entity->state, NULL);
    entity_take_out(demo, entity);
    return 0;
}

void demo_entities_free(struct demo *demo)
{
    for (size_t i = 0; i < demo->n_entities; i++)
        entity_free(demo, demo->entities[i]);
    demo_release(demo, demo->entities, demo->entities_capacity * sizeof *demo->entities);
}

void demo_state_write(struct demo *demo, struct json_writer *w, const struct demo_entity *entity,
                      const struct demo_state *state)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "entity_id"), entity->id);
    hf_json_text(json_key(w, "state"), state->text);
    hf_json_raw(json_key(w, "attributes"), state->attributes, strlen(state->attributes));
    demo_time_write(json_key(w, "last_changed"), state->changed);
    demo_time_write(json_key(w, "last_reported"), state->reported);
    demo_time_write(json_key(w, "last_updated"), state->updated);
    demo_context_write(json_key(w, "context"), demo, &state->context);
    hf_json_end_object(w);
}
