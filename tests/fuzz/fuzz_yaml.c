/* fuzz_yaml.c - any bytes as YAML: what comes out is JSON, within its limit, or there is a reason. */
#include <haft/json.h>
#include <haft/part.h>
#include <stdlib.h>

#include "part/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct yaml_functions *yaml;
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    haft_reason reason = {0}, why = {0};
    haft_buffer json;
    int status;

    haft_part_register(&haft_yaml_part);
    yaml = hf_yaml_open("fuzz", &reason);
    if (!yaml || !arena)
        abort();
    haft_buffer_init(&json, NULL, 1 << 16);
    status =
        hf_yaml_to_json_with(yaml, size ? (const char *)data : "", size, arena, &json, &reason);
    if (status && (reason.code != status || !*reason.text))
        abort();
    /* Duplicate keys and numbers beyond a double are the reader's to refuse. */
    if (!status && !haft_json_read(json.data, json.size, YAML_MAX_DEPTH, arena, &why) &&
        why.code != HAFT_EPARSE)
        abort();
    haft_buffer_finish(&json);
    haft_arena_free(arena);
    return 0;
}
