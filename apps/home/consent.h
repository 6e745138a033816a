/* consent.h - what people have agreed to, for a while.
 *
 * A table of a fixed size: who, the kind of action, and until when.  When it is full, the oldest entry
 * makes room, and that client is asked again.  All functions but init and finish may be called from any
 * thread. */
#ifndef HOME_CONSENT_H
#define HOME_CONSENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { CONSENT_MOST = 64, CONSENT_TEXT = 160, CONSENT_MS = 5 * 60 * 1000 };

struct consents {
    pthread_mutex_t lock;
    struct consent {
        char text[CONSENT_TEXT]; /* who and what; "" for none */
        int64_t until_ms;
    } list[CONSENT_MOST];
    int64_t (*now_ms)(void *context); /* NULL: the monotonic clock */
    void *now_context;
};

/* Returns 0 or HAFT_ENOMEM. */
int home_consents_init(struct consents *consents);
void home_consents_finish(struct consents *consents);

/* Whether this client has agreed to this kind of action in the last five minutes; notes that it has.  A
 * name that is too long to be kept is asked every time. */
bool home_consents_have(struct consents *consents, const char *who, const char *kind);
void home_consents_add(struct consents *consents, const char *who, const char *kind);

#endif
