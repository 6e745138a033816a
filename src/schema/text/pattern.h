/* schema/text/pattern.h - ECMA-262 patterns on PCRE2, bounded in time and depth. */
#ifndef HAFT_SRC_PATTERN_H
#define HAFT_SRC_PATTERN_H

#include "base/base.h"

/* A compiled pattern; immutable, may be matched by many threads at once. */
struct pattern {
    struct pattern *next; /* in the owner's list, for hf_patterns_free */
    const char *source;   /* as it was written, NUL-terminated */
    const char *flags;    /* "", "i", ... */
    void *code;           /* pcre2_code */
    uint32_t steps;       /* the match limit */
};

/* Where patterns keep what one match needs; lives as long as the arena's contents.  Zero it first. */
struct pattern_scratch {
    haft_arena *arena;
    void *match_data, *match_context, *general_context;
};

/* Compiles `source`, an ECMA-262 regular expression as with the flags u and `flags` (of "imsuv"),
 * and links the pattern into *list.  The pattern and its text live in `arena`.  HAFT_EPATTERN with
 * the offset in the text of *reterr_error; HAFT_ENOMEM. */
int hf_pattern_compile(haft_arena *arena, struct pattern **list, const char *source, size_t size,
                       const char *flags, uint32_t steps, const struct pattern **ret_pattern,
                       haft_reason *reterr_error);

/* Whether `source` is an ECMA-262 regular expression: 1, 0 or HAFT_ENOMEM.  One that is valid and
 * that PCRE2 cannot run passes.  Leaves nothing in the arena. */
int hf_pattern_valid(haft_arena *arena, const char *source, size_t size);

/* Gives back what does not live in the arena (JIT code). */
void hf_patterns_free(struct pattern *list);

/* 1 when it matches somewhere in the text, 0 when not, HAFT_ESTEPS over the limit, HAFT_ENOMEM.
 * The text is valid UTF-8. */
int hf_pattern_match(const struct pattern *pattern, struct pattern_scratch *scratch,
                     const char *text, size_t size);

#endif
