/* endpoint/endpoint.h - what the parts of the HTTP endpoint know of each other. */
#ifndef HAFT_SRC_ENDPOINT_H
#define HAFT_SRC_ENDPOINT_H

#include <haft/http.h>
#include <haft/store.h>
#include <stdatomic.h>

#include "base/base.h"
#include "protocol/revision.h"
#include "engine/session/session.h"
#include "endpoint/guard.h"

enum {
    SESSION_ID = 34, /* characters of a legacy session's id: where it lives, and 128 bits */
    REST_MS = 5000 /* without use, after which memory that is kept for the next use is given back */
};

struct store_job;

/* A legacy client's session. */
struct http_session {
    struct http_session *next; /* in its slot */
    struct http_session *older, *newer;
    haft_endpoint *endpoint;
    haft_session *engine;
    char id[SESSION_ID + 1];
    haft_time used;
    char *principal;                       /* whose it is; NULL when that was not known */
    haft_exchange *listening;              /* the GET stream that is spoken to */
    uint64_t listen_stream, listen_number; /* of the latest of those, which outlive it */
    haft_exchange *exchanges;              /* its requests that are not answered */
    uint64_t next_stream;
    uint64_t version;                  /* of its record in the store; 0 for none */
    unsigned epoch;                    /* how often it has been taken over from another process */
    unsigned saved;                    /* the changes of what the engine remembers that are there */
    struct store_job *line, *line_end; /* what is asked of the store, one after the other */
    haft_time events_used;             /* when its events were last made to last; 0 without any */
    bool sse;                          /* of the 2024-11-05 kind: answers go to the GET stream */
    bool deleted;
};

/* A stream's numbers outlive the connection it started on. */
struct haft_exchange {
    haft_exchange *next, *previous; /* of its session or the endpoint */
    haft_endpoint *endpoint;
    struct http_session *session; /* NULL for modern and sessionless ones */
    haft_responder responder;
    void *context;
    haft_session *engine;    /* that it was handed to */
    haft_incoming_kind kind; /* of its message */
    bool gone;               /* nobody is there any more */
    bool streaming;
    bool listens; /* it is a GET stream, whether it is spoken to or not */
    bool takes_json, takes_events;
    bool modern;
    bool creates;   /* it is the one that introduces the client */
    bool resumable; /* its events have numbers, and are kept */
    bool held;      /* it is being handled: freed afterwards */
    bool done;
    bool checked;            /* its session has been, in the store */
    bool ending;             /* after what the store has been asked for */
    unsigned n_jobs;         /* that it waits for */
    haft_exchange *alias;    /* what the connection knows it by, after a client has come back, */
    haft_exchange *of;       /* and in that: what it stands for */
    uint64_t stream, number; /* of the latest event */
    haft_time quiet_since;
};

struct haft_endpoint {
    haft_server *server;
    haft_endpoint_options options; /* but for the loop: */
    haft_loop loop;
    struct guard guard; /* of an endpoint that has nobody in front of it */
    const haft_allocator *allocator;
    /* For clients without a session, by revision; made when needed. */
    haft_session *shared[REVISIONS];
    struct http_session **slots;
    size_t n_slots, n_sessions;
    struct http_session *oldest, *newest;
    haft_exchange *exchanges; /* without a session */
    haft_exchange *spare;
    size_t n_exchanges, n_shared;
    haft_buffer scratch;
    haft_buffer record; /* of a session, or an event, on its way to the store */
    haft_store *store;  /* the options', or one of its own; NULL before it is needed */
    bool store_fails;   /* which has been logged */
    struct store_job *jobs, *spare_jobs, *ready_jobs;
    _Atomic(struct store_job *) answered_jobs; /* by the store, on any thread, and not seen yet */
    atomic_uint n_answering;                   /* threads that do so */
    haft_time now, used;
    bool abandoned;
};

/* The number that the id of the session of a request, which has an index, begins with; UINT_MAX without
 * one. */
unsigned hf_endpoint_home(const haft_request *request);

/* Ends legacy sessions, in the store, too, which may take until haft_endpoint_idle says so. */
void hf_endpoint_end_sessions(haft_endpoint *endpoint);

/* Cancels everything.  haft_endpoint_idle says when it has come back. */
void hf_endpoint_abandon(haft_endpoint *endpoint);

/* An endpoint as one of several that answer requests: the guard has been passed. */
extern const haft_app hf_endpoint_app;

/* ---- send.c: messages of the engine as HTTP ---- */

/* The engine's callbacks, of a session and of what is shared. */
void hf_endpoint_send_session(void *context, const haft_outgoing *message);
void hf_endpoint_send_shared(void *context, const haft_outgoing *message);
void hf_endpoint_let_go_session(void *context, void *tag, bool over);
void hf_endpoint_let_go_shared(void *context, void *tag, bool over);

/* One response: {"jsonrpc":"2.0","error":...}, or any other.  `extra` is a further header, NULL for
 * none. */
void hf_exchange_refuse(haft_exchange *exchange, int status, const haft_header *extra, int code,
                        const char *message);
void hf_exchange_respond(haft_exchange *exchange, int status, const haft_header *extra,
                         const char *body, size_t size);
/* Starts an event stream; a resumable one with the event that a client can come back to. */
void hf_exchange_stream(haft_exchange *exchange);
/* False when there was no memory for it: the client has not been sent it. */
bool hf_exchange_write_event(haft_exchange *exchange, uint64_t number, const char *text,
                             size_t size);
void hf_exchange_end(haft_exchange *exchange);
/* Ends the connection; its request stays. */
void hf_exchange_hang_up(haft_exchange *exchange);
/* The event is lost to whoever is there now. */
void hf_exchange_break_off(haft_exchange *exchange);
/* The response of a request, after what has to be saved before it. */
void hf_exchange_answer(haft_exchange *exchange, const haft_outgoing *message);
void hf_exchange_free(haft_exchange *exchange);
/* Takes it away from its session. */
void hf_exchange_detach(haft_exchange *exchange);
/* A comment, so that nobody on the way thinks the stream is dead. */
void hf_exchange_keep_alive(haft_exchange *exchange);

/* Makes it the stream of what a session says unasked.  One that was so before stays open, and is
 * spoken to again when this one has gone. */
void hf_exchange_listen(haft_exchange *exchange, struct http_session *session);

/* ---- session.c: legacy sessions ---- */

/* One that only its principal may use; NULL for anybody who knows its id. */
struct http_session *hf_http_session_new(haft_endpoint *endpoint, const char *principal);
/* The number that an id begins with; UINT_MAX when it is no id. */
unsigned hf_http_session_home(const char *id, size_t size);
struct http_session *hf_http_session_find(haft_endpoint *endpoint, const char *id, size_t size);
/* Whether it is the principal's, who may be nobody. */
bool hf_http_session_is_of(const struct http_session *session, const char *principal);
/* Ends it, and removes it from the store. */
void hf_http_session_end(struct http_session *session);
/* The same without the store, where it is another's, or is to outlive this process. */
void hf_http_session_drop(struct http_session *session);
void hf_http_session_touch(struct http_session *session);
/* Ends those that nobody has used for too long. */
void hf_http_sessions_expire(haft_endpoint *endpoint);

/* One that another process has begun: of that id, not in the table yet.  NULL without memory, or where there are
 * too many. */
struct http_session *hf_http_session_make(haft_endpoint *endpoint, const char *id,
                                          const char *principal);
void hf_http_session_add(struct http_session *session);
/* Frees one that is not in the table. */
void hf_http_session_discard(struct http_session *session);

/* ---- record.c: sessions in the store ---- */

/* True when the session of that id, if there is one, is here, and is known to be current.  False when the
 * request waits for that, and is routed again, or has been refused. */
bool hf_http_session_ready(haft_exchange *exchange, const haft_request *request, const char *id,
                           size_t size);
/* Writes the record; then the response is sent, or the stream begins. */
void hf_http_session_save_and_answer(haft_exchange *exchange, const haft_outgoing *message);
void hf_http_session_save_and_listen(haft_exchange *exchange);
/* Removes it from the store; then it ends, and the exchange is answered. */
void hf_http_session_delete(struct http_session *session, haft_exchange *exchange);
/* In the background: it lives on; its record goes. */
void hf_http_session_renew(struct http_session *session);
void hf_http_session_forget(struct http_session *session);

/* ---- replay.c: events for clients that come back ---- */

/* Keeps an event, then sends it to the exchange, which may be NULL; `ends` when its stream ends with it. */
void hf_http_session_keep(struct http_session *session, haft_exchange *exchange, uint64_t stream,
                          uint64_t number, const haft_outgoing *message, bool ends);
/* Sends what came after the event of that name.  When its request is still at work, the connection becomes that
 * request's. */
void hf_http_session_resume(struct http_session *session, haft_exchange *exchange, const char *last,
                            size_t size);
/* In the background, where there are any: they live on; they go. */
void hf_http_session_renew_events(struct http_session *session);
void hf_http_session_forget_events(struct http_session *session);

#endif
