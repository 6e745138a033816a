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
    const char *address;          /* of HTTP; NULL: a free port */
    const char *credentials;      /* a header of every request, with its line end; NULL: none */
    /* What must be there before the server starts; it then runs in the peer's directory. */
    bool (*prepare)(struct peer *peer);
    /* For those that are one request: */
    const char *method, *params, *expected;
    bool at_start; /* things fail from the first moment on, and it may not begin at all */
    bool ends;     /* the server ends with it */
};

/* The table of those that are written out, and one after another all there are: NULL after the
 * last. */
const struct scenario *scenario_at(size_t i, struct scenario *room);

/* ---- steps ---- */

/* Goes on only when the step was right. */
#define TRY(step)                                                                                  \
    do {                                                                                           \
        int status_ = (step);                                                                      \
        if (status_ != RIGHT)                                                                      \
            return status_;                                                                        \
    } while (0)

/* What a call has to say for progress to be reported. */
#define TOKEN "\"_meta\":{\"progressToken\":7}"

/* A request as the era writes it, `params` without its braces, and its answer. */
int scenario_ask(struct peer *peer, int id, const char *method, const char *params,
                 const char *expected);

/* ---- those of scenarios_around.c ---- */

int scenario_sse(struct peer *peer, const struct scenario *scenario);
int scenario_exchange(struct peer *peer, const struct scenario *scenario);
int scenario_plugin_reload(struct peer *peer, const struct scenario *scenario);
int scenario_endpoint_reload(struct peer *peer, const struct scenario *scenario);
int scenario_spans(struct peer *peer, const struct scenario *scenario);
int scenario_sandboxed(struct peer *peer, const struct scenario *scenario);

#endif
