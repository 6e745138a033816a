/* yaml.c - opens the part that reads YAML, and passes it what it needs. */
#include "part/yaml.h"

#include "part/part.h"

static const struct yaml_host yaml_host_functions = {
    .alloc = haft_arena_alloc,
    .add = haft_buffer_add,
    .add_string = haft_buffer_json_string,
};

const struct yaml_functions *hf_yaml_open(const char *needed_by, haft_reason *reterr_reason)
{
    return hf_part_open(PART_YAML, needed_by, reterr_reason);
}

int hf_yaml_to_json_with(const struct yaml_functions *yaml, const char *text, size_t size,
                         haft_arena *arena, haft_buffer *out, haft_reason *reterr_reason)
{
    return yaml->to_json(&yaml_host_functions, text, size, arena, out, reterr_reason);
}
