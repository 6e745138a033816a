/* haft/issue.h - what is wrong with a value, in Zod's words.
 *
 * An issue has a code, the path to the part of the value that it is about, a sentence for a model
 * or a person to read, and the members that its code brings along.  Codes, members and sentences
 * are those of Zod 4, so that models and tools which know them can read ours.  Two sentences say
 * more than Zod's: an unrecognised key is told the accepted ones, and a failed union says why. */
#ifndef HAFT_ISSUE_H
#define HAFT_ISSUE_H

#include <haft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HAFT_ISSUE_CODES(X)                                                                        \
    X(HAFT_INVALID_TYPE, "invalid_type")                                                           \
    X(HAFT_INVALID_VALUE, "invalid_value")                                                         \
    X(HAFT_TOO_SMALL, "too_small")                                                                 \
    X(HAFT_TOO_BIG, "too_big")                                                                     \
    X(HAFT_NOT_MULTIPLE_OF, "not_multiple_of")                                                     \
    X(HAFT_INVALID_FORMAT, "invalid_format")                                                       \
    X(HAFT_UNRECOGNIZED_KEYS, "unrecognized_keys")                                                 \
    X(HAFT_INVALID_UNION, "invalid_union")                                                         \
    X(HAFT_INVALID_KEY, "invalid_key")                                                             \
    X(HAFT_INVALID_ELEMENT, "invalid_element")                                                     \
    X(HAFT_CUSTOM, "custom")

typedef enum haft_issue_code {
#define HAFT_ISSUE_CODE_(name, text) name,
    HAFT_ISSUE_CODES(HAFT_ISSUE_CODE_)
#undef HAFT_ISSUE_CODE_
} haft_issue_code;

/* "invalid_type" and so on. */
const char *haft_issue_code_name(haft_issue_code code);

/* One step of a path: a key, or an index when key is NULL. */
typedef struct haft_step {
    const char *key;
    size_t index;
} haft_step;

typedef struct haft_issue haft_issue;

/* What was found.  `list` holds the first `count` of `total`: as many as the schema allows. */
typedef struct haft_issues {
    haft_issue *list;
    size_t count, total;
} haft_issues;

/* A member that the code does not bring along is NULL, 0 or false.  Everything lives in the arena
 * that the value was checked with. */
struct haft_issue {
    haft_issue_code code;
    const char *message;
    const haft_step *path;
    size_t n_path;
    const char *expected;  /* invalid_type */
    const char *origin;    /* too_small, too_big, not_multiple_of, invalid_format, invalid_key */
    const char *bound;     /* minimum, maximum or divisor, as a JSON number */
    bool inclusive, exact; /* too_small, too_big */
    const char *format;    /* invalid_format; invalid_type of an integer */
    const char *pattern;   /* invalid_format, as /source/flags */
    const char *operand;   /* invalid_format: the prefix, suffix or part that is missing */
    const char *note;      /* a remark */
    /* A JSON array: the accepted values of invalid_value, or discriminators of invalid_union. */
    const char *values;
    const char *discriminator; /* invalid_union */
    const char *const *keys;   /* unrecognized_keys */
    size_t n_keys;
    const char *const *accepted; /* unrecognized_keys: the keys that would be */
    size_t n_accepted;
    const haft_issues *branches; /* invalid_union: why each option failed; invalid_key: one list */
    size_t n_branches;
    unsigned char aborts; /* 0: later checks ran too; 1: they did not; 2: none at all did */
};

/* The issues as a JSON array with Zod's members. */
void haft_issues_json(const haft_issues *issues, haft_buffer *buffer);

/* "path.0.field: message, other: message", as the TypeScript SDK writes them. */
void haft_issues_text(const haft_issues *issues, haft_buffer *buffer);

/* The path alone: "items.0.name". */
void haft_issue_path(const haft_issue *issue, haft_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
