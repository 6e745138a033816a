/* fault/scenario.h - what a client goes through while something fails. */
#ifndef HAFT_TESTS_FAULT_SCENARIO_H
#define HAFT_TESTS_FAULT_SCENARIO_H

#include "fault/peer.h"

/* What the servers write to: removed at the end. */
#define AUDIT_FILE "/tmp/haft-fault-audit"

struct scenario {
    const char *name;
    bool http;
    enum era era;
    int (*run)(struct peer *peer, const struct scenario *scenario);
    const char *site;             /* NULL: "plain" */
    const char *const *arguments; /* more of the command line */
    /* For those that are one request: */
    const char *method, *params, *expected;
    bool at_start; /* things fail from the first moment on, and it may not begin at all */
    bool ends;     /* the server ends with it */
};

/* The table of those that are written out, and one after another all there are: NULL after the
 * last. */
const struct scenario *scenario_at(size_t i, struct scenario *room);

#endif
