/* home/fault_link.h - a link to Home Assistant that misbehaves from a given message on. */
#ifndef HAFT_TESTS_HOME_FAULT_LINK_H
#define HAFT_TESTS_HOME_FAULT_LINK_H

#include <pthread.h>

#include "hass/link.h"
#include "home/tools.h"

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
    char *asked; /* lines */
    size_t n_asked;
};

/* Wraps a link, which it frees. */
struct hass_link fault_link_init(struct fault_link *fault, struct hass_link inner,
                                 enum situation situation, const char *at);

#endif
