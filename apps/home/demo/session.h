/* demo/session.h - WebSocket sessions: subscriptions, and messages that wait to be sent. */
#ifndef HOME_DEMO_SESSION_H
#define HOME_DEMO_SESSION_H

#include "demo/model.h"

enum demo_phase { DEMO_PHASE_AUTH, DEMO_PHASE_COMMANDS, DEMO_PHASE_STREAM, DEMO_PHASE_OVER };

enum demo_subscription_kind {
    DEMO_ON_EVENT,    /* `what` is the type; NULL for all */
    DEMO_ON_ENTITIES, /* `what` is a JSON array of ids; NULL for all */
    DEMO_ON_TRIGGER,  /* `what` is a JSON array of triggers */
    DEMO_ON_TODO,     /* `what` is an entity id */
    DEMO_ON_TEMPLATE, /* `what` is the command as JSON */
    DEMO_ON_STREAM,   /* `what` has types, separated by commas; NULL for all */
    DEMO_ON_NOTHING   /* confirmed, and never told */
};

struct demo_subscription {
    int64_t id;
    enum demo_subscription_kind kind;
    char *what, *last; /* last: latest result of a template; NULL for none */
    struct demo_subscription *next;
};

struct demo_message {
    struct demo_message *next;
    size_t size; /* of the text behind it */
};

/* What waits; Home Assistant drops a client that has left so many messages unread. */
enum { DEMO_MAX_PENDING = 4096, DEMO_MAX_PENDING_BYTES = 32 << 20, DEMO_MAX_SUBSCRIPTIONS = 1024 };

struct demo_session {
    struct demo *demo;
    struct demo_session *next;
    void (*send)(void *who, const char *text, size_t size);
    void (*end)(void *who);
    void *who;
    enum demo_phase phase;
    int64_t last_id;
    bool coalesce;
    struct demo_subscription *subscriptions, **subscriptions_end;
    size_t n_subscriptions;
    int64_t due; /* until when it must have sent its token; next ping of a stream */
    struct demo_message *first, *last;
    size_t n_pending, pending_bytes;
    pthread_t sender;
    bool sending, ending, ended, closed, orphan;
};

/* Begins a request: takes the lock, reads the clock and empties the scratch arena.  The end of it runs
 * the automations that are due, gives the lock back and sends what waits. */
void demo_enter(struct demo *demo);
void demo_leave(struct demo *demo);
void demo_flush(struct demo *demo); /* sends; with the lock held, which it releases meanwhile */

/* Queues a message, and finishes the buffer.  A session that misses one is ended. */
void demo_queue(struct demo_session *session, haft_buffer *buffer);
void demo_end(struct demo_session *session);

/* Returns 0; HAFT_EBUSY if there are DEMO_MAX_SUBSCRIPTIONS; or HAFT_ENOMEM. */
int demo_subscribe(struct demo_session *session, int64_t id, enum demo_subscription_kind kind,
                   const char *what);
/* False if there is none. */
bool demo_unsubscribe(struct demo_session *session, int64_t id);

/* Ends sessions without a token, and pings streams.  Returns when the next of it is due; 0 for never. */
int64_t demo_sessions_tick(struct demo *demo);
/* stream.c: tells a stream of an event, unless it is of another type; and that all is well. */
void demo_stream_tell(struct demo_session *session, const struct demo_subscription *to,
                      const char *type, const char *json);
void demo_stream_ping(struct demo_session *session);

/* Queues {"id","type":"event","event":JSON}. */
void demo_send_event(struct demo_session *session, int64_t id, const char *json);

/* A message of a session that has been authenticated: command.c. */
void demo_command(struct demo_session *session, haft_value *message);

/* What subscribe_entities sends: all, and what has changed; NULL without memory. */
char *demo_entities_json(struct demo *demo, haft_value *ids);
char *demo_diff_json(struct demo *demo, const struct demo_entity *entity,
                     const struct demo_state *old, const struct demo_state *new);

/* Checks a trigger, or an array of them.  NULL if it is one, else the error; "" without memory. */
const char *demo_trigger_check(struct demo *demo, haft_value *trigger);

/* A subscription or an automation that waits for a trigger. */
struct demo_waiter {
    struct demo_session *session; /* NULL for an automation */
    int64_t subscription;
    const char *automation; /* id */
    const struct demo_context *context;
};
/* Forgets the matches that one of them waits for: hold.c.  NULL: all. */
void demo_holds_drop(struct demo *demo, const struct demo_waiter *waiter);

/* Tells subscribers of a to-do list: todo.c. */
void demo_tell_todo(struct demo *demo, const char *entity_id);

#endif
