/* home/fake_home.h - a Home Assistant that does as it is told, as a link of the client.
 *
 * It knows a handful of entities and answers at once, on the thread that asks, unless one of its members
 * says otherwise.  In all JSON here ' stands for ". */
#ifndef HAFT_TESTS_FAKE_HOME_H
#define HAFT_TESTS_FAKE_HOME_H

#include <haft/client.h>
#include <stdatomic.h>
#include <uv.h>

#include "hass/client.h"
#include "support/test.h"

struct fake_answer { /* to what contains `when`, of messages or "METHOD PATH" of requests */
    const char *when;
    const char *text; /* a message as it is, or a body; # is the id of the message; NULL: nothing */
    int status;       /* of a request; 0: the connection is cut */
    const char *type; /* of a body; NULL: application/json */
};

struct fake_home {
    const char *states;                     /* an array; NULL: the usual */
    const char *lists[HASS_REGISTRY_COUNT]; /* the same */
    struct fake_answer answers[8];          /* the first that fits, before anything else */
    size_t extra;                           /* further sensors */
    bool refuses_token, coalesces, never_opens, keeps_quiet;
    unsigned
        cut_at; /* the connection is cut by this message, counted from 1 over all connections */

    uv_mutex_t lock;
    haft_buffer heard; /* messages and requests, a line each */
    bool is_open;
    bool opening, was_rushed; /* in link.open; a message came before it had returned */
    unsigned n_heard, n_opened, n_closed, n_requests, n_cancelled;
    void (*message)(void *who, const char *text, size_t size);
    void (*closed)(void *who, const char *reason);
    void *who;
    void (*waiting)(void *who,
                    const struct link_response *response); /* a request without an answer */
    void *waiting_for;
    uint64_t watch; /* id of the subscription to states */
};

void fake_init(struct fake_home *fake);
void fake_finish(struct fake_home *fake);
struct hass_link fake_link(struct fake_home *fake);

/* Says something; cuts the connection; both may come from any thread. */
void fake_say(struct fake_home *fake, const char *text);
void fake_cut(struct fake_home *fake, const char *reason);
/* Sends a state_changed event. */
void fake_change(struct fake_home *fake, const char *entity_id, const char *state,
                 const char *attributes, const char *context);
/* Whether it was asked that; ' stands for ". */
bool fake_was_asked(struct fake_home *fake, const char *text);
unsigned fake_count(struct fake_home *fake, const char *text);

/* ---- a client, and a call to use it with ---- */

extern const struct hass_times fake_times; /* in a hurry */

/* Makes a client of it. */
struct hass *fake_hass(struct fake_home *fake, const char *entities);

/* Calls the function as the handler of a tool, with that time limit.  Returns the text of its error, ""
 * for none, until the next call. */
typedef int fake_handler(haft_call *call, void *context);
const char *fake_run(struct hass *hass, unsigned timeout_ms, fake_handler *handler, void *context);

/* JSON with ' for ", in memory of the call. */
char *fake_json(haft_call *call, const char *text);

#endif
