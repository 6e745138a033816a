/* haft/issue.h - issues: the problems of a value, in Zod's vocabulary.
 *
 * An issue has a code, the path to the part of the value that it is about, a message for a model or
 * a person, and the members that its code adds.  Codes, members and messages are those of Zod 4, so
 * that models and tools that know Zod can read them.  Two messages say more than Zod's: that of an
 * unrecognized key lists the accepted keys, and that of a failed union says why each option
 * failed. */
#ifndef HAFT_ISSUE_H
#define HAFT_ISSUE_H

#include <haft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* List of the issue codes, as X(name, text). */
#define HAFT_ISSUE_CODES(X)                                                                        \
    X(HAFT_INVALID_TYPE, "invalid_type")       /* the value has another type */                    \
    X(HAFT_INVALID_VALUE, "invalid_value")     /* the value is not one of the accepted values */   \
    X(HAFT_TOO_SMALL, "too_small")             /* number, length or count below its minimum */     \
    X(HAFT_TOO_BIG, "too_big")                 /* number, length or count above its maximum */     \
    X(HAFT_NOT_MULTIPLE_OF, "not_multiple_of") /* not a multiple of the divisor */                 \
    X(HAFT_INVALID_FORMAT, "invalid_format")   /* string of another format */                      \
    X(HAFT_UNRECOGNIZED_KEYS, "unrecognized_keys") /* object with keys that it may not have */     \
    X(HAFT_INVALID_UNION, "invalid_union")         /* none of the options matches */               \
    X(HAFT_INVALID_KEY, "invalid_key")             /* key of a record that is not accepted */      \
    X(HAFT_INVALID_ELEMENT, "invalid_element")     /* element that is not accepted */              \
    X(HAFT_CUSTOM, "custom")                       /* issue of a refinement */

/* Codes of issues, those of HAFT_ISSUE_CODES. */
typedef enum haft_issue_code {
#define HAFT_ISSUE_CODE_(name, text) name,
    HAFT_ISSUE_CODES(HAFT_ISSUE_CODE_)
#undef HAFT_ISSUE_CODE_
} haft_issue_code;

/* Returns the name of a code in Zod's spelling, "invalid_type" and so on, a constant. */
const char *haft_issue_code_name(haft_issue_code code);

/* One step of a path: an object key, or an array index if key is NULL. */
typedef struct haft_step {
    const char *key; /* key of a member, or NULL */
    size_t index;    /* index of an item, if key is NULL */
} haft_step;

typedef struct haft_issue haft_issue;

/* A list of issues.  It has at most as many as the schema's max_issues allows. */
typedef struct haft_issues {
    haft_issue *list;    /* first `count` issues */
    size_t count, total; /* issues in the list; issues found */
} haft_issues;

/* One issue.  Members that its code does not use are NULL, 0 or false.  Everything belongs to the
 * arena that the value was checked with. */
struct haft_issue {
    haft_issue_code code;  /* kind of issue */
    const char *message;   /* sentence for a model or a person */
    const haft_step *path; /* steps from the value to the part with the issue */
    size_t n_path;         /* number of steps */
    const char *expected;  /* expected type, of invalid_type */
    /* type of the value; too_small, too_big, not_multiple_of, invalid_format, invalid_key */
    const char *origin;
    const char *bound; /* minimum, maximum or divisor, as a JSON number */
    /* whether the bound itself is accepted; whether only it is; too_small, too_big */
    bool inclusive, exact;
    const char *format;  /* format of invalid_format, or of an invalid_type of an integer */
    const char *pattern; /* pattern of invalid_format, as /source/flags */
    const char *operand; /* missing prefix, suffix or part, of invalid_format */
    const char *note;    /* additional remark */
    /* JSON array: the accepted values of invalid_value, or the discriminators of invalid_union */
    const char *values;
    const char *discriminator;   /* name of the key that selects the option, of invalid_union */
    const char *const *keys;     /* the keys that are not accepted, of unrecognized_keys */
    size_t n_keys;               /* number of keys */
    const char *const *accepted; /* keys that are accepted, of unrecognized_keys */
    size_t n_accepted;           /* number of accepted keys */
    /* issues of each option of invalid_union; one list for invalid_key */
    const haft_issues *branches;
    size_t n_branches;    /* number of lists */
    unsigned char aborts; /* 0: later checks also ran; 1: they did not; 2: no check ran */
};

/* Appends the issues as a JSON array of objects with Zod's members. */
void haft_issues_json(const haft_issues *issues, haft_buffer *buffer);

/* Appends the issues as text, as the TypeScript SDK does: "path.0.field: message, other:
 * message". */
void haft_issues_text(const haft_issues *issues, haft_buffer *buffer);

/* Appends the path of an issue: "items.0.name". */
void haft_issue_path(const haft_issue *issue, haft_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
