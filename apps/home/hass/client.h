/* hass/client.h - inside the Home Assistant client: what its files share.
 *
 * One lock guards everything in struct hass.  A separate thread, the keeper, opens and closes the
 * socket and sends pings; answers and events come on threads of the link.  The link is never called
 * with the lock held: messages go through `outbox`, in the order of their ids. */
#ifndef HOME_HASS_CLIENT_H
#define HOME_HASS_CLIENT_H

#include <uv.h>

#include "hass/consent.h"
#include "hass/link.h"
#include "hass/memory.h"
#include "hass/places.h"
#include "hass/states.h"
#include "hass/tasks.h"
#include "home.h"
#include "json/writer.h"

/* How long things take, in milliseconds; tests use shorter times. */
struct hass_times {
    unsigned idle, pong;         /* a ping after that; missed after that */
    unsigned handshake;          /* from opening the socket to a complete cache */
    unsigned retry, max_retry;   /* first and longest pause before a new attempt */
    unsigned refused;            /* pause after the token was refused */
    unsigned patience;           /* that a read waits while there is no connection */
    unsigned read_back, no_news; /* for a state to change after a service; if it need not change */
    int64_t (*now)(void);        /* milliseconds since 1970; NULL: the system's clock */
};
extern const struct hass_times hass_usual_times;

/* A command whose answer a thread waits for, on whose stack it is. */
struct command {
    struct command *next;
    uint64_t id;
    enum { COMMAND_WAITS, COMMAND_DONE, COMMAND_ERROR, COMMAND_LOST } state;
    char *result; /* JSON text, allocated; NULL without memory */
    size_t result_size;
    char code[64], message[512]; /* of an error */
};

struct hass_outgoing {
    struct hass_outgoing *next;
    size_t size;
    char text[];
};
struct hass_outbox {
    struct hass_outgoing *first, **end;
    uint64_t posted, taken; /* messages so far, those that were dropped included */
    bool draining;          /* a thread passes them to the link */
};

/* What the client itself asks for when it has connected: connection.c has the table. */
enum {
    JOB_FEATURES,
    JOB_WATCH_STATES,
    JOB_WATCH_LISTS,
    JOB_LISTS = JOB_WATCH_LISTS + HASS_REGISTRY_COUNT,
    JOB_STATES = JOB_LISTS + HASS_REGISTRY_COUNT,
    JOB_COUNT
};

enum hass_phase { PHASE_DOWN, PHASE_OPENING, PHASE_AUTH, PHASE_SYNC, PHASE_READY };

struct hass_connection {
    enum hass_phase phase;
    bool wanted;               /* a call has asked for it */
    bool socket;               /* link.open has been called, closed has not come */
    bool opening;              /* link.open has not returned */
    bool refused;              /* the token is not valid */
    bool close, closing;       /* link.close must be called; it has been */
    unsigned failures, missed; /* attempts in a row; pings */
    uint64_t next_id;
    uint64_t retry_at, ended_at, heard_at, ping_at, phase_ends; /* nanoseconds; 0 for none */
    uint64_t jobs[JOB_COUNT]; /* ids of commands and subscriptions */
    uint32_t missing;         /* jobs that a complete cache waits for, as bits */
    uint32_t stale;           /* registries that changed while they were being listed */
    char reason[256];         /* of the latest failure */
};

struct hass_schema { /* that hass_data has compiled */
    struct hass_schema *next;
    const haft_type *type;
    haft_schema *schema;
};

struct hass {
    const haft_allocator *allocator;
    struct hass_link link;
    struct hass_times times;
    char *name, *entities; /* "Home Assistant at http://host"; the filter, or NULL */
    char *audio_dir;       /* or NULL */
    unsigned timeout_ms;
    uv_mutex_t lock;
    uv_cond_t moved, changed, keep; /* connection and answers; states; something for the keeper */
    uv_thread_t keeper;
    bool kept, stopping; /* the keeper runs; it must end */
    struct hass_connection conn;
    struct hass_outbox outbox;
    struct command *commands;
    struct state_table states;
    struct places places;
    struct hass_schema *schemas;
    struct consents consents;
    struct hass_events *events; /* subscriptions of tools */
    unsigned watchers;          /* threads that wait for a state */
    uv_mutex_t reading;         /* taken before `lock`, by one message at a time */
    haft_arena *message;
    struct tasks tasks;
    void (*on_change)(void *context, const char *entity_id);
    void *on_change_context;
};

static inline uint64_t hass_ms(unsigned ms)
{
    return (uint64_t)ms * 1000000;
}

/* hass_new with other times. */
struct hass *hass_new_timed(const struct home_options *options, struct hass_link link,
                            const struct hass_times *times, haft_reason *reterr_reason);

/* ---- connection.c ---- */

/* What the link calls. */
void hass_on_message(void *who, const char *text, size_t size);
void hass_on_closed(void *who, const char *reason);
/* The keeper's life. */
void hass_keep_connected(void *hass);

/* With the lock held: writes a message with the next id and these members of an object (NULL for
 * none), to be sent by hass_drain.  Returns the id; 0 without memory. */
uint64_t hass_post(struct hass *hass, const char *type, yyjson_val *fields);
/* The same with one member, "subscription". */
uint64_t hass_post_number(struct hass *hass, const char *type, uint64_t subscription);
/* Without the lock: sends the messages that have been posted so far, unless another thread does. */
void hass_drain(struct hass *hass);
/* With the lock held: asks for a connection, unless there is one. */
void hass_want(struct hass *hass);

/* ---- wait.c ---- */

/* The end of all waiting of one function for a call. */
struct hass_wait {
    struct hass *hass;
    haft_call *call;
    uint64_t starts, ends; /* nanoseconds */
};
struct hass_wait hass_wait_for(haft_call *call);

enum hass_woken { WOKEN_AGAIN, WOKEN_LATE, WOKEN_CANCELLED };
/* With the lock held: waits a moment, until `ends` or the call's end at most. */
enum hass_woken hass_wait_moment(const struct hass_wait *wait, uv_cond_t *cond, uint64_t ends);

/* Takes the lock and waits until there is a connection and a complete cache.  Returns 0 with the
 * lock held, or an error of the call without it.  A call that only reads (`reads`) gives up
 * sooner. */
int hass_lock_ready(const struct hass_wait *wait, bool reads);

/* Error of the call with that text; returns the status of the handler. */
int hass_fail(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);
/* The same with HAFT_ENOTFOUND: something that the client named does not exist. */
int hass_fail_unknown(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);
int hass_fail_woken(const struct hass_wait *wait, enum hass_woken woken);
/* The same after something that may have been carried out was sent: "command", "request"; NULL: it
 * only reads. */
int hass_fail_sent(const struct hass_wait *wait, enum hass_woken woken, const char *sent);
int hass_no_memory(haft_call *call);

#endif
