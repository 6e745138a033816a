/* schema/text/ecma.h - translation of ECMA-262 regular expressions for PCRE2. */
#ifndef HAFT_SRC_ECMA_H
#define HAFT_SRC_ECMA_H

#include "base/base.h"

enum {
    ECMA_MAX_SIZE = 64 * 1024, /* size of a pattern in bytes */
    ECMA_MAX_DEPTH = 200,      /* nesting of groups */
    ECMA_MAX_NAMES = 128       /* named groups */
};

/* A named group: the position of its name in the source, and its number. */
struct ecma_name {
    size_t offset, size;
    unsigned group;
};

/* A translation in progress, and its result. */
struct ecma {
    const char *source;
    size_t size, pos;
    haft_buffer out; /* for PCRE2 with DOTALL, UTF without UCP, MATCH_UNSET_BACKREF */
    bool ignore_case, multiline, dot_all, sets; /* the flags i, m, s and v */
    bool back_references; /* there is a back reference; otherwise groups need not capture */
    unsigned n_groups;
    size_t depth;
    size_t locate, located; /* an offset in `out`, and the corresponding offset in the source */
    size_t n_names;
    size_t error_offset;
    const char *error;                   /* NULL if there is none */
    unsigned char kinds[ECMA_MAX_DEPTH]; /* open groups: whether each may be repeated */
    struct ecma_name names[ECMA_MAX_NAMES];
};

/* Translates valid UTF-8 into ecma->out, which the caller must finish in any case. Returns 0,
 * HAFT_EPATTERN with ecma->error and ecma->error_offset, or HAFT_ENOMEM. `locate` is an offset in
 * an earlier translation of the same text, which is mapped to ecma->located; otherwise SIZE_MAX. */
int hf_ecma_translate(struct ecma *ecma, const haft_allocator *allocator, const char *source,
                      size_t size, const char *flags, size_t locate);

/* ---- shared by the files of the translator ---- */

/* Records the first error; returns false. */
bool hf_ecma_fail(struct ecma *ecma, size_t offset, const char *error);

/* The byte at `pos` + `ahead`, or 0 past the end; a NUL in a pattern is never syntax. */
char hf_ecma_peek(const struct ecma *ecma, size_t ahead);

/* Reads one code point of the source. */
uint32_t hf_ecma_next(struct ecma *ecma);

/* Kinds of escapes. */
enum ecma_escape {
    ECMA_CHARACTER, /* a code point */
    ECMA_SET,       /* \d \s \w \p{...} and their complements, already written to the output */
    ECMA_OTHER      /* \b \B \k \1: not consumed past the backslash */
};

/* Reads an escape, starting at the backslash; returns false if it is invalid. */
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
