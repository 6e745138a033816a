/* engine/session/session.h - one client, and what it has been told (session.c, announce.c). */
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
    unsigned lists;   /* bits: changes it wants to know of */
    yyjson_val *uris; /* an array; NULL for none */
};

struct subscription {
    struct subscription *next;
    size_t size;
    char uri[];
};

struct haft_session {
    struct owner owner; /* first: see session_of */
    struct follower follower;
    struct catalogue *catalogue; /* as of the first message, or the latest that found it changed: */
    unsigned version_number;     /* of it; before that, an earlier one than the server has */
    unsigned announced;          /* the version whose changes have been */
    unsigned changes[OFFER_LISTS], n_updates; /* announced so far */

    /* of a legacy client that has introduced itself */
    bool initialized;
    unsigned declared; /* bits: lists that it was told of then */
    enum revision revision;
    haft_arena *client_arena;
    struct client_info client;
    struct subscription *subscriptions;
    size_t n_subscriptions;
    unsigned n_changes; /* of what is remembered of the client (remember.c) */

    struct listen *listens;
    size_t n_listens;
    const char *principal; /* of the message that is being received */
    unsigned held;         /* something is: it is not freed meanwhile */
    haft_time introduced_at;
    bool introduced; /* the client has said who it is, as: */
    char introduced_name[CLIENT_NAME];
};

/* The session of a call that came by a message. */
static inline haft_session *session_of(const haft_call *call)
{
    return (haft_session *)call->owner;
}

enum revision hf_session_revision(const haft_session *session);
/* What was read. */
const struct message *hf_incoming_message(const haft_incoming *incoming);

/* Ends the life of a closed session when nothing runs for it any more. */
void hf_session_collect(haft_session *session);

/* A client has said who it is, for the first time in its session. */
void hf_event_of_meeting(haft_session *session, const char *name);

/* Takes what is offered now in the place of what was when the session looked last. */
void hf_session_refresh(haft_session *session);

/* Sends what the server has announced and the session has not told yet: `announce` of its owner. */
void hf_session_announce(struct owner *owner);
/* Ends the subscription of that id, or all; gracefully: with a result. */
void hf_session_end_listens(haft_session *session, const yyjson_val *id, bool graceful);
void hf_session_end_tagged(haft_session *session, const void *tag);

#endif
