/* draft.c - changes to an entity's attributes, written all at once. */
#include "demo/model.h"

void demo_draft_begin(struct demo_draft *draft, struct demo *demo, const struct demo_entity *entity)
{
    haft_value *attributes = demo_attributes(demo, entity);

    *draft = (struct demo_draft){.demo = demo, .id = entity->id, .state = entity->state->text};
    draft->doc = yyjson_mut_doc_new(demo_alc(demo, &draft->alc));
    draft->root = draft->doc && attributes ? yyjson_val_mut_copy(draft->doc, attributes) : NULL;
    draft->failed = !draft->root;
}

void demo_draft_new(struct demo_draft *draft, struct demo *demo, const char *id, const char *state)
{
    *draft = (struct demo_draft){.demo = demo, .id = id, .state = state};
    draft->doc = yyjson_mut_doc_new(demo_alc(demo, &draft->alc));
    draft->root = draft->doc ? yyjson_mut_obj(draft->doc) : NULL;
    draft->failed = !draft->root;
}

/* Sets a member; a key keeps its place. */
static void draft_put(struct demo_draft *draft, const char *name, yyjson_mut_val *value)
{
    yyjson_mut_val *key;

    if (draft->failed)
        return;
    key = yyjson_mut_strcpy(draft->doc, name);
    if (!value || !key) {
        draft->failed = true;
        return;
    }
    if (yyjson_mut_obj_get(draft->root, name))
        yyjson_mut_obj_replace(draft->root, key, value);
    else
        yyjson_mut_obj_add(draft->root, key, value);
}

void demo_draft_text(struct demo_draft *draft, const char *name, const char *value)
{
    draft_put(draft, name,
              value ? yyjson_mut_strcpy(draft->doc, value) : yyjson_mut_null(draft->doc));
}

void demo_draft_number(struct demo_draft *draft, const char *name, double value)
{
    if (value > -WHOLE_BELOW && value < WHOLE_BELOW && value == number_whole(value))
        draft_put(draft, name, yyjson_mut_sint(draft->doc, (int64_t)value));
    else
        draft_put(draft, name, yyjson_mut_real(draft->doc, value));
}

void demo_draft_bool(struct demo_draft *draft, const char *name, bool value)
{
    draft_put(draft, name, yyjson_mut_bool(draft->doc, value));
}

void demo_draft_value(struct demo_draft *draft, const char *name, haft_value *value)
{
    draft_put(draft, name, value ? yyjson_val_mut_copy(draft->doc, value) : NULL);
}

void demo_draft_json(struct demo_draft *draft, const char *name, const char *json)
{
    demo_draft_value(draft, name, demo_parse(draft->demo, demo_relaxed(draft->demo, json)));
}

void demo_draft_time(struct demo_draft *draft, const char *name, int64_t us)
{
    char text[DEMO_TIME];

    demo_time_text(us, text);
    demo_draft_text(draft, name, text);
}

void demo_draft_remove(struct demo_draft *draft, const char *name)
{
    if (!draft->failed)
        yyjson_mut_obj_remove_key(draft->root, name);
}

int demo_draft_commit(struct demo_draft *draft, const struct demo_context *context)
{
    char *attributes =
        draft->failed ? NULL : yyjson_mut_val_write_opts(draft->root, 0, &draft->alc, NULL, NULL);

    return attributes
               ? demo_write(draft->demo, draft->id, draft->state, attributes, false, context, NULL)
               : HAFT_ENOMEM;
}
