/* home/fault_link.h - a link to Home Assistant that misbehaves from a given message on. */
#ifndef HAFT_TESTS_HOME_FAULT_LINK_H
#define HAFT_TESTS_HOME_FAULT_LINK_H

#include <pthread.h>

#include "hass/link.h"
#include "home/tools.h"

/* What a link answers instead of the home behind it, the first that matches; the last has no part.  It lets
 * tests have a Supervisor, HACS, or a log of another system. */
struct fault_answer {
    const char *part;   /* of "METHOD PATH BODY" of a request or of a message */
    const char *answer; /* JSON of a command's result, or the body; ' stands for " */
    int status; /* of a request; of a command: 0, or else the answer is the text of an error */
    const char *type; /* of the body, NULL: text/plain; code of a command's error */
};
extern const struct fault_answer
    *fault_answers; /* of links that are made from now on; NULL at first */

struct fault_pending {
    struct fault_pending *next;
    void (*done)(void *who, const struct link_response *response);
    void *who;
};

struct fault_link {
    struct hass_link inner;
    enum situation situation;
    char at[128]; /* "" for the start */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool struck;        /* it misbehaves */
    bool deaf;          /* the socket was opened and leads nowhere */
    unsigned swallowed; /* requests and messages without an answer */
    struct fault_pending *pending;
    void (*message)(void *who, const char *text, size_t size);
    void (*closed)(void *who, const char *reason);
    void *who;
    const struct fault_answer *answers;
    char *asked; /* lines */
    size_t n_asked;
};

/* Wraps a link, which it frees. */
struct hass_link fault_link_init(struct fault_link *fault, struct hass_link inner,
                                 enum situation situation, const char *at);

#endif
