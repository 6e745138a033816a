/* schema/text/pattern.h - ECMA-262 regular expressions on PCRE2, with limits on time and depth. */
#ifndef HAFT_SRC_PATTERN_H
#define HAFT_SRC_PATTERN_H

#include "base/base.h"

/* A compiled pattern: immutable, may be matched by several threads at once. */
struct pattern {
    struct pattern *next; /* in the owner's list, for hf_patterns_free */
    const char *source;   /* as written, NUL-terminated */
    const char *flags;    /* "", "i", ... */
    void *code;           /* pcre2_code */
    uint32_t steps;       /* match limit */
};

/* Memory for matching; valid as long as the arena's contents. Initialize with zeros. */
struct pattern_scratch {
    haft_arena *arena;
    void *match_data, *match_context, *general_context;
};

/* Compiles `source`, an ECMA-262 regular expression with the flags u and `flags` (of "imsuv"), and
 * adds the pattern to *list. The pattern and its text live in `arena`. Returns 0, HAFT_EPATTERN
 * with the offset in the text of *reterr_error, or HAFT_ENOMEM. */
int hf_pattern_compile(haft_arena *arena, struct pattern **list, const char *source, size_t size,
                       const char *flags, uint32_t steps, const struct pattern **ret_pattern,
                       haft_reason *reterr_error);

/* Whether `source` is an ECMA-262 regular expression: 1, 0 or HAFT_ENOMEM. Expressions that are
 * valid but not supported by PCRE2 pass. Leaves nothing in the arena. */
int hf_pattern_valid(haft_arena *arena, const char *source, size_t size);

/* Frees memory that is not in the arena (JIT code). */
void hf_patterns_free(struct pattern *list);

/* Returns 1 if the pattern matches anywhere in the text, 0 if not, HAFT_ESTEPS beyond the match
 * limit, or HAFT_ENOMEM. The text must be valid UTF-8. */
int hf_pattern_match(const struct pattern *pattern, struct pattern_scratch *scratch,
                     const char *text, size_t size);

#endif
