/* revision.c - what each revision has. */
#include "protocol/revision.h"

#include <string.h>

enum { RESOURCE_NOT_FOUND = -32002, INVALID_PARAMS = -32602 };

const struct revision_row hf_revision_rows[REVISIONS] = {
    [REV_2024_11_05] = {.name = "2024-11-05", .not_found_code = RESOURCE_NOT_FOUND},
    [REV_2025_03_26] = {.name = "2025-03-26",
                        .batches = true,
                        .audio = true,
                        .message = true,
                        .resumes = true,
                        .not_found_code = RESOURCE_NOT_FOUND},
    [REV_2025_06_18] = {.name = "2025-06-18",
                        .audio = true,
                        .links = true,
                        .elicitation = true,
                        .message = true,
                        .header = true,
                        .resumes = true,
                        .not_found_code = RESOURCE_NOT_FOUND},
    [REV_2025_11_25] = {.name = "2025-11-25",
                        .audio = true,
                        .links = true,
                        .elicitation = true,
                        .modes = true,
                        .message = true,
                        .anonymous = true,
                        .header = true,
                        .resumes = true,
                        .primes = true,
                        .tasks = TASKS_EXPERIMENTAL,
                        .not_found_code = RESOURCE_NOT_FOUND},
    [REV_2026_07_28] = {.name = "2026-07-28",
                        .modern = true,
                        .audio = true,
                        .links = true,
                        .elicitation = true,
                        .modes = true,
                        .message = true,
                        .anonymous = true,
                        .header = true,
                        .tasks = TASKS_EXTENSION,
                        .not_found_code = INVALID_PARAMS},
};

const char *const hf_revision_names[REVISIONS + 1] = {
#define REVISION_NAMED(revision) [revision] = hf_revision_rows[revision].name,
    REVISIONS_LEGACY(REVISION_NAMED) REVISIONS_MODERN(REVISION_NAMED)
#undef REVISION_NAMED
};

enum revision hf_revision_named(const char *name, size_t size)
{
    for (int i = 0; i < REVISIONS; i++)
        if (size == REVISION_NAME && same_bytes(hf_revision_rows[i].name, name, REVISION_NAME))
            return (enum revision)i;
    return REVISIONS;
}

void hf_revision_put_modern(struct json_writer *w)
{
    hf_json_begin_array(w);
    for (int i = REV_NEWEST; i >= LEGACY_REVISIONS; i--)
        hf_json_text(w, hf_revision_rows[i].name);
    hf_json_end_array(w);
}
