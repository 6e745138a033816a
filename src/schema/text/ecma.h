/* schema/text/ecma.h - ECMA-262 regular expressions as text that PCRE2 reads the same way. */
#ifndef HAFT_SRC_ECMA_H
#define HAFT_SRC_ECMA_H

#include "base/base.h"

enum {
    ECMA_MAX_SIZE = 64 * 1024, /* bytes of a pattern */
    ECMA_MAX_DEPTH = 200,      /* groups in groups */
    ECMA_MAX_NAMES = 128       /* named groups */
};

/* A group's name: where it is in the source, and the group's number. */
struct ecma_name {
    size_t offset, size;
    unsigned group;
};

/* A translation under way, and what it leaves. */
struct ecma {
    const char *source;
    size_t size, pos;
    haft_buffer out; /* what PCRE2 is given: DOTALL, UTF and not UCP, MATCH_UNSET_BACKREF */
    bool ignore_case, multiline, dot_all, sets; /* the flags i, m, s and v */
    bool back_references; /* one is there; without any, groups need not capture */
    unsigned n_groups;
    size_t depth;
    size_t locate, located; /* an offset in `out`, and the offset in the source it comes from */
    size_t n_names;
    size_t error_offset;
    const char *error;                   /* NULL as long as all is well */
    unsigned char kinds[ECMA_MAX_DEPTH]; /* of the open groups: whether each may be repeated */
    struct ecma_name names[ECMA_MAX_NAMES];
};

/* Translates valid UTF-8 into ecma->out, which the caller finishes whatever comes of it.  0;
 * HAFT_EPATTERN with ecma->error and ecma->error_offset; HAFT_ENOMEM.  `locate` is an offset in a
 * translation of the same text that was made before, to find ecma->located for; else SIZE_MAX. */
int hf_ecma_translate(struct ecma *ecma, const haft_allocator *allocator, const char *source,
                      size_t size, const char *flags, size_t locate);

/* ---- between the files of the translator ---- */

/* Notes the first error; returns false. */
bool hf_ecma_fail(struct ecma *ecma, size_t offset, const char *error);

/* The byte at `pos` plus `ahead`, or 0 past the end; NUL inside a pattern is never syntax. */
char hf_ecma_peek(const struct ecma *ecma, size_t ahead);

/* Reads one code point of the source. */
uint32_t hf_ecma_next(struct ecma *ecma);

/* What an escape stands for. */
enum ecma_escape {
    ECMA_CHARACTER, /* a code point */
    ECMA_SET,       /* \d \s \w \p{...} and their opposites: written to the output already */
    ECMA_OTHER      /* \b \B \k \1: nothing has been read past the backslash */
};

/* Reads an escape from the backslash on; false when it is not valid. */
bool hf_ecma_escape(struct ecma *ecma, bool in_class, enum ecma_escape *ret_kind,
                    uint32_t *ret_point);

/* Reads a class from after its `[` to after its `]`. */
bool hf_ecma_class(struct ecma *ecma);

/* Reads `{...}` after \p, or \P when `negated`. */
bool hf_ecma_property(struct ecma *ecma, bool negated);

/* Matches nothing; matches any code point. */
#define ECMA_NEVER "[^\\x{0}-\\x{10ffff}]"
#define ECMA_ANY "[\\x{0}-\\x{10ffff}]"

#endif
