/* hass/consent.h - what people have agreed to, for a while.
 *
 * A table of a fixed size: who, the kind of action, and until when.  When it is full, the oldest entry
 * makes room, and that client is asked again.  The lock of struct hass guards it. */
#ifndef HOME_HASS_CONSENT_H
#define HOME_HASS_CONSENT_H

#include <stdint.h>

enum { CONSENT_MOST = 64, CONSENT_TEXT = 160, CONSENT_MINUTES = 5 };

struct consents {
    struct consent {
        char text[CONSENT_TEXT]; /* who and what; "" for none */
        uint64_t until;          /* nanoseconds */
    } list[CONSENT_MOST];
    uint64_t (*now)(void); /* NULL: the monotonic clock */
};

#endif
