/* entities.c - what subscribe_entities sends: states with short names, and what of them has changed. */
#include "demo/session.h"

static void entities_context(struct json_writer *w, const struct demo *demo,
                             const struct demo_context *context)
{
    if (*context->parent || context->by_user)
        demo_context_write(w, demo, context);
    else
        hf_json_text(w, context->id);
}

static void entities_whole(struct demo *demo, struct json_writer *w,
                           const struct demo_entity *entity, const struct demo_state *state)
{
    hf_json_name(w, entity->id, strlen(entity->id));
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "s"), state->text);
    hf_json_raw(json_key(w, "a"), state->attributes, strlen(state->attributes));
    entities_context(json_key(w, "c"), demo, &state->context);
    hf_json_number(json_key(w, "lc"), demo_time_seconds(state->changed));
    if (state->updated != state->changed)
        hf_json_number(json_key(w, "lu"), demo_time_seconds(state->updated));
    hf_json_end_object(w);
}

char *demo_entities_json(struct demo *demo, haft_value *ids)
{
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "a"));
    for (size_t i = 0; i < demo->n_entities; i++)
        if (!ids || demo_lists(ids, demo->entities[i]->id))
            entities_whole(demo, &w, demo->entities[i], demo->entities[i]->state);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    return demo_take(demo, &out);
}

/* Members of one object that the other lacks or has with another value. */
static void entities_more(struct demo *demo, struct json_writer *w, haft_value *old,
                          haft_value *new)
{
    yyjson_obj_iter iter;
    yyjson_val *key;
    bool open = false;

    yyjson_obj_iter_init(new, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        yyjson_val *before = yyjson_obj_getn(old, yyjson_get_str(key), yyjson_get_len(key));

        if (demo_equal(demo, before, value))
            continue;
        if (!open)
            hf_json_begin_object(json_key(w, "a"));
        open = true;
        hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key));
        hf_json_value(w, value);
    }
    if (open)
        hf_json_end_object(w);
}

static void entities_fewer(struct json_writer *w, haft_value *old, haft_value *new)
{
    yyjson_obj_iter iter;
    yyjson_val *key;
    bool open = false;

    yyjson_obj_iter_init(old, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        if (yyjson_obj_getn(new, yyjson_get_str(key), yyjson_get_len(key)))
            continue;
        if (!open) {
            hf_json_begin_object(json_key(w, "-"));
            hf_json_begin_array(json_key(w, "a"));
        }
        open = true;
        hf_json_string(w, yyjson_get_str(key), yyjson_get_len(key));
    }
    if (open) {
        hf_json_end_array(w);
        hf_json_end_object(w);
    }
}

static void entities_context_diff(struct json_writer *w, const struct demo *demo,
                                  const struct demo_context *old, const struct demo_context *new)
{
    bool parent = strcmp(old->parent, new->parent) != 0, user = old->by_user != new->by_user;

    if (!parent && !user) {
        if (strcmp(old->id, new->id) != 0)
            hf_json_text(json_key(w, "c"), new->id);
        return;
    }
    demo_context_write(json_key(w, "c"), demo, new);
}

static void entities_diff(struct demo *demo, struct json_writer *w, const struct demo_state *old,
                          const struct demo_state *new)
{
    haft_value *before = demo_parse(demo, old->attributes);
    haft_value *after = demo_parse(demo, new->attributes);

    if (!before || !after)
        w->out->status = HAFT_ENOMEM;
    hf_json_begin_object(json_key(w, "+"));
    if (strcmp(old->text, new->text) != 0)
        hf_json_text(json_key(w, "s"), new->text);
    if (old->changed != new->changed)
        hf_json_number(json_key(w, "lc"), demo_time_seconds(new->changed));
    else if (old->updated != new->updated)
        hf_json_number(json_key(w, "lu"), demo_time_seconds(new->updated));
    entities_context_diff(w, demo, &old->context, &new->context);
    entities_more(demo, w, before, after);
    hf_json_end_object(w);
    entities_fewer(w, before, after);
}

char *demo_diff_json(struct demo *demo, const struct demo_entity *entity,
                     const struct demo_state *old, const struct demo_state *new)
{
    haft_buffer out = demo_buffer(demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    if (!new) {
        hf_json_begin_array(json_key(&w, "r"));
        hf_json_text(&w, entity->id);
        hf_json_end_array(&w);
    } else {
        hf_json_begin_object(old ? json_key(&w, "c") : json_key(&w, "a"));
        if (!old) {
            entities_whole(demo, &w, entity, new);
        } else {
            hf_json_name(&w, entity->id, strlen(entity->id));
            hf_json_begin_object(&w);
            entities_diff(demo, &w, old, new);
            hf_json_end_object(&w);
        }
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
    return demo_take(demo, &out);
}
