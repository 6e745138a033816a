/* build.c - see build.h. */
#include "hass/build.h"

enum { BUILD_MAX = 16 << 20 };

void hass_build(struct hass_build *build, const haft_allocator *allocator)
{
    haft_buffer_init(&build->out, allocator, BUILD_MAX);
    build->w = (struct json_writer){.out = &build->out};
    hf_json_begin_object(&build->w);
}

yyjson_val *hass_built(struct hass_build *build, haft_arena *arena)
{
    yyjson_val *value = NULL;
    const char *why;
    size_t at;

    hf_json_end_object(&build->w);
    if (!arena || build->out.status ||
        hf_json_parse(build->out.data, build->out.size, arena, &value, &at, &why))
        value = NULL;
    haft_buffer_finish(&build->out);
    return value;
}
