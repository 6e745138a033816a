/* skill/frontmatter.h - the YAML at the start of a SKILL.md (frontmatter.c). */
#ifndef HAFT_SRC_SKILL_FRONTMATTER_H
#define HAFT_SRC_SKILL_FRONTMATTER_H

#include "json/json.h"

enum {
    FRONTMATTER_SIZE = 64 << 10, /* bytes of its YAML, and four times as many as JSON */
    FRONTMATTER_DEPTH = 32,
    SKILL_NAME_SIZE = 64,
    SKILL_DESCRIPTION_SIZE = 1024 /* characters */
};

/* Finds the YAML between the two lines `---` at the start of the text. Returns false if it is not
 * there. */
bool hf_frontmatter_find(const char *text, size_t size, const char **ret_yaml, size_t *ret_size);

/* Reads the front matter of a text as an object, in the arena, and as JSON text. `needed_by` is for the
 * error if the part that reads YAML is missing. Returns 0, or an error with the reason. */
int hf_frontmatter_read(const char *text, size_t size, const haft_allocator *allocator,
                        const char *needed_by, haft_arena *arena, haft_value **ret_value,
                        struct text *ret_json, haft_reason *reterr_reason);

/* Checks `name`, which must be a valid name and, unless `directory` is NULL, that of the directory, and
 * `description`. Returns 0 or HAFT_EINVAL with the reason. */
int hf_frontmatter_check(haft_value *frontmatter, const char *directory, size_t size,
                         haft_reason *reterr_reason);

#endif
