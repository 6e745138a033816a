/* protocol/revision.h - the revisions of the protocol as rows of a table.
 *
 * A handler does not know which revision it serves; what differs between them is a column here.  A new
 * revision is a name in one of the two lists and a row in revision.c: no other source names one. */
#ifndef HAFT_SRC_REVISION_H
#define HAFT_SRC_REVISION_H

#include "json/writer.h"

/* Oldest first. */
#define REVISIONS_LEGACY(X) X(REV_2024_11_05) X(REV_2025_03_26) X(REV_2025_06_18) X(REV_2025_11_25)
#define REVISIONS_MODERN(X) X(REV_2026_07_28)

enum revision {
#define REVISION_(name) name,
    REVISIONS_LEGACY(REVISION_) LEGACY_REVISIONS,
    REV_NEWEST_LEGACY = LEGACY_REVISIONS - 1,
    REVISIONS_MODERN(REVISION_) REVISIONS,
#undef REVISION_
    REV_NEWEST = REVISIONS - 1,
    REV_UNNAMED = REV_2025_03_26 /* of HTTP requests without MCP-Protocol-Version */
};

enum { REVISION_NAME = 10 }; /* a date */

/* Tasks of a revision: none, the experimental ones, or those of the extension. */
enum revision_tasks { TASKS_NONE, TASKS_EXPERIMENTAL, TASKS_EXTENSION };

struct revision_row {
    char name[REVISION_NAME + 1];
    bool modern;      /* stateless, described by each request's _meta */
    bool batches;     /* arrays of messages are taken in */
    bool audio;       /* audio blocks */
    bool links;       /* resource_link blocks */
    bool elicitation; /* elicitation/create */
    bool modes;       /* of it: addresses to open, and several choices in a form */
    bool message;     /* progress may carry text */
    bool anonymous;   /* an error response may have no id */
    bool header;      /* clients name it in MCP-Protocol-Version */
    bool resumes;     /* events of a session's streams are numbered, for clients that come back */
    bool primes; /* and such a stream begins with an event, after which it may be interrupted */
    enum revision_tasks tasks;
    int not_found_code; /* of a resource that is not there */
};

extern const struct revision_row hf_revision_rows[REVISIONS];

/* Their names, oldest first, and a NULL. */
extern const char *const hf_revision_names[REVISIONS + 1];

/* Whether it has what the bool at that offset of its row is about. */
static inline bool revision_has(enum revision revision, size_t column)
{
    return *(const bool *)((const char *)&hf_revision_rows[revision] + column);
}

/* The revision of that name; REVISIONS when there is none. */
enum revision hf_revision_named(const char *name, size_t size);

/* The modern ones as an array of names, newest first. */
void hf_revision_put_modern(struct json_writer *w);

/* Bits of revisions, for tables. */
#define REV_BIT(revision) (1u << (revision))
enum {
    REVS_LEGACY = REV_BIT(LEGACY_REVISIONS) - 1,
    REVS_ALL = REV_BIT(REVISIONS) - 1,
    REVS_MODERN = REVS_ALL - REVS_LEGACY,
    REVS_OLD_TASKS = REV_BIT(REV_2025_11_25), /* with experimental tasks */
    REVS_TASKS = REVS_OLD_TASKS | REV_BIT(REV_2026_07_28)
};

#endif
