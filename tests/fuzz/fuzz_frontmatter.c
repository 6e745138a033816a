/* fuzz_frontmatter.c - any bytes as a SKILL.md: there is an object with a valid name, or a reason. */
#include <haft/json.h>
#include <haft/part.h>
#include <stdlib.h>
#include <string.h>

#include "skill/frontmatter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    haft_reason reason = {0};
    haft_value *value = NULL, *again;
    struct text json;
    int status;

    haft_part_register(&haft_yaml_part);
    if (!arena)
        abort();
    status = hf_frontmatter_read(size ? (const char *)data : "", size, NULL, "fuzz", arena, &value,
                                 &json, &reason);
    if (status && (reason.code != status || !*reason.text || value))
        abort();
    if (!status) {
        again = haft_json_read(json.data, json.size, FRONTMATTER_DEPTH, arena, &reason);
        if (!again || hf_json_equal(value, again, arena) != 1)
            abort();
        if (!hf_frontmatter_check(value, NULL, 0, &reason)) {
            const char *name = yyjson_get_str(yyjson_obj_get(value, "name"));

            if (strlen(name) > SKILL_NAME_SIZE || strpbrk(name, "/.\\ ") || !*name)
                abort();
        }
    }
    haft_arena_free(arena);
    return 0;
}
