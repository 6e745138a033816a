/* json.c - JSON in the scratch arena. */
#include "demo/model.h"

static void *scratch_alloc(void *context, size_t size)
{
    return haft_arena_alloc(context, size);
}

static void *scratch_resize(void *context, void *memory, size_t old_size, size_t size)
{
    return hf_arena_resize(context, memory, old_size, size);
}

static void scratch_release(void *context, void *memory)
{
    (void)context;
    (void)memory;
}

const yyjson_alc *demo_alc(struct demo *demo, yyjson_alc *ret_alc)
{
    *ret_alc = (yyjson_alc){scratch_alloc, scratch_resize, scratch_release, demo->scratch};
    return ret_alc;
}

haft_value *demo_parse(struct demo *demo, const char *json)
{
    return json ? haft_json_read(json, strlen(json), 0, demo->scratch, NULL) : NULL;
}

char *demo_relaxed(struct demo *demo, const char *text)
{
    bool bare;
    size_t size;
    char *json, *at;

    if (!text)
        return NULL;
    bare = *text != '{' && *text != '[';
    size = strlen(text);
    json = at = haft_arena_alloc(demo->scratch, size + 3);
    if (!json)
        return NULL;
    if (bare)
        *at++ = '{';
    for (; *text; text++)
        *at++ = *text == '\'' ? '"' : *text;
    if (bare)
        *at++ = '}';
    *at = '\0';
    return json;
}

const char *demo_text(haft_value *object, const char *name)
{
    return yyjson_get_str(yyjson_obj_get(object, name));
}

double demo_number(haft_value *object, const char *name, double otherwise)
{
    yyjson_val *value = yyjson_obj_get(object, name);

    return yyjson_is_num(value) ? yyjson_get_num(value) : otherwise;
}

bool demo_equal(struct demo *demo, haft_value *left, haft_value *right)
{
    return left && right && hf_json_equal(left, right, demo->scratch) == 1;
}

bool demo_lists(haft_value *value, const char *text)
{
    yyjson_arr_iter iter;
    yyjson_val *item;

    if (yyjson_is_str(value))
        return !strcmp(yyjson_get_str(value), text);
    yyjson_arr_iter_init(value, &iter);
    while ((item = yyjson_arr_iter_next(&iter)))
        if (yyjson_equals_str(item, text))
            return true;
    return false;
}

haft_value *demo_parse_relaxed(struct demo *demo, const char *text)
{
    return demo_parse(demo, demo_relaxed(demo, text));
}
