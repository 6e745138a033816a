/* engine/session/session.h - one client, and what has been announced to it (session.c,
 * announce.c, listen.c). */
#ifndef HAFT_SRC_ENGINE_SESSION_SESSION_H
#define HAFT_SRC_ENGINE_SESSION_SESSION_H

#include "engine/call/call.h"

enum { CLIENT_NAME = 65 };

/* A modern client's subscription. */
struct listen {
    struct listen *next;
    haft_arena *arena;
    yyjson_val *id;
    void *tag;
    unsigned lists;           /* bits: lists whose changes it subscribes to */
    yyjson_val *uris;         /* an array; NULL if there is none */
    haft_identity identity;   /* of the client; without a principal if it is not known */
    yyjson_val *task_ids;     /* an array; NULL if there is none */
    struct task_watch *watch; /* of these; NULL if there is none */
};

struct subscription {
    struct subscription *next;
    size_t size;
    char uri[];
};

/* Whose the subscriptions of a legacy client are. */
struct subscriber {
    haft_arena *arena;      /* of its strings */
    haft_identity identity; /* without a principal if the client is not identified */
    bool unknown; /* the session was restored, and its client has not sent a message since */
};

struct haft_session {
    struct owner owner; /* must be first: see session_of */
    struct follower follower;
    struct catalogue *catalogue; /* as of the latest message that found it changed */
    unsigned version_number;     /* its version; before the first message, an earlier one than the
                                  * server's */
    unsigned announced;          /* version whose changes have been announced */
    unsigned changes[OFFER_LISTS], n_updates; /* announced so far */

    /* legacy clients, after initialize */
    bool initialized;
    unsigned declared; /* bits: lists that it was offered then */
    enum revision revision;
    haft_arena *client_arena;
    struct client_info client;
    struct subscription *subscriptions;
    size_t n_subscriptions;
    struct subscriber subscriber;
    unsigned n_changes; /* counts changes of the saved state (remember.c) */

    struct listen *listens;
    size_t n_listens, n_watches;
    struct task_watch *followed;   /* tasks of an experimental client; NULL if there are none */
    const char *principal;         /* principal of the message being received, */
    const haft_identity *identity; /* and more about it; NULL if unknown */
    haft_identity own_identity;    /* of the session's options, if they have one, */
    haft_arena *identity_arena;    /* with its strings */
    unsigned held;                 /* messages being received, during which it is not freed */
    haft_time introduced_at;
    bool introduced; /* the client has identified itself, as: */
    char introduced_name[CLIENT_NAME];
};

/* The session of a call that came with a message. */
static inline haft_session *session_of(const haft_call *call)
{
    return (haft_session *)call->owner;
}

enum revision hf_session_revision(const haft_session *session);
/* Returns the parsed message. */
const struct message *hf_incoming_message(const haft_incoming *incoming);

/* Frees a closed session if nothing uses it any more. */
void hf_session_collect(haft_session *session);

/* Reports a client that identified itself, the first time in its session. */
void hf_event_of_meeting(haft_session *session, const char *name);

/* Sets whose message is being received; its headers may be NULL (request.c). */
void hf_session_identify(haft_session *session, const haft_headers *headers);

/* Updates the session to the current catalogue. */
void hf_session_refresh(haft_session *session);

/* Sends pending announcements: `announce` of its owner. */
void hf_session_announce(struct owner *owner);
/* Ends the subscription of that id, or all (NULL); `graceful`: with a result. */
/* Notifies the client of an experimental task of changes of its state, while the session is open; and
 * ends that. */
void hf_session_follow_task(haft_call *call, const char *id);
void hf_session_unfollow_tasks(haft_session *session);
void hf_session_end_listens(haft_session *session, const yyjson_val *id, bool graceful);
void hf_session_end_tagged(haft_session *session, const void *tag, bool graceful);

#endif
