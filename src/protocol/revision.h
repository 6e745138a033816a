/* protocol/revision.h - the revisions of the protocol as rows of a table.
 *
 * A handler does not know which revision it serves; what differs between them is a column here. */
#ifndef HAFT_SRC_REVISION_H
#define HAFT_SRC_REVISION_H

#include "base/base.h"

enum revision {
    REV_2024_11_05,
    REV_2025_03_26,
    REV_2025_06_18,
    REV_2025_11_25,
    REV_2026_07_28,
    REVISIONS,
    REV_NEWEST_LEGACY = REV_2025_11_25
};

enum { REVISION_NAME = 10 }; /* a date */

struct revision_row {
    char name[REVISION_NAME + 1];
    bool modern;        /* stateless, described by each request's _meta */
    bool batches;       /* arrays of messages are taken in */
    bool audio;         /* audio blocks */
    bool links;         /* resource_link blocks */
    bool elicitation;   /* elicitation/create */
    bool modes;         /* of it: addresses to open, and several choices in a form */
    bool message;       /* progress may carry text */
    bool anonymous;     /* an error response may have no id */
    int not_found_code; /* of a resource that is not there */
};

extern const struct revision_row revision_rows[REVISIONS];

static inline const struct revision_row *revision_row(enum revision revision)
{
    return &revision_rows[revision];
}

/* The revision of that name; REVISIONS when there is none. */
enum revision revision_named(const char *name, size_t size);

/* Bits of revisions, for tables. */
#define REV_BIT(revision) (1u << (revision))
enum {
    REVS_LEGACY = REV_BIT(REV_2024_11_05) | REV_BIT(REV_2025_03_26) | REV_BIT(REV_2025_06_18) |
                  REV_BIT(REV_2025_11_25),
    REVS_MODERN = REV_BIT(REV_2026_07_28),
    REVS_ALL = REVS_LEGACY | REVS_MODERN
};

#endif
