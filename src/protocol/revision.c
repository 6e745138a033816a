/* revision.c - what each revision has. */
#include "protocol/revision.h"

#include <string.h>

enum { RESOURCE_NOT_FOUND = -32002, INVALID_PARAMS = -32602 };

const struct revision_row revision_rows[REVISIONS] = {
    [REV_2024_11_05] = {.name = "2024-11-05", .not_found_code = RESOURCE_NOT_FOUND},
    [REV_2025_03_26] = {.name = "2025-03-26",
                        .batches = true,
                        .audio = true,
                        .message = true,
                        .not_found_code = RESOURCE_NOT_FOUND},
    [REV_2025_06_18] = {.name = "2025-06-18",
                        .audio = true,
                        .links = true,
                        .elicitation = true,
                        .message = true,
                        .not_found_code = RESOURCE_NOT_FOUND},
    [REV_2025_11_25] = {.name = "2025-11-25",
                        .audio = true,
                        .links = true,
                        .elicitation = true,
                        .modes = true,
                        .message = true,
                        .anonymous = true,
                        .not_found_code = RESOURCE_NOT_FOUND},
    [REV_2026_07_28] = {.name = "2026-07-28",
                        .modern = true,
                        .audio = true,
                        .links = true,
                        .elicitation = true,
                        .modes = true,
                        .message = true,
                        .anonymous = true,
                        .not_found_code = INVALID_PARAMS},
};

enum revision revision_named(const char *name, size_t size)
{
    for (int i = 0; i < REVISIONS; i++)
        if (size == REVISION_NAME && same_bytes(revision_rows[i].name, name, REVISION_NAME))
            return (enum revision)i;
    return REVISIONS;
}
