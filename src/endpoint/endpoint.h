/* endpoint/endpoint.h - the internal interface of the HTTP endpoint. */
#ifndef HAFT_SRC_ENDPOINT_H
#define HAFT_SRC_ENDPOINT_H

#include <haft/access.h>
#include <haft/http.h>
#include <haft/store.h>
#include <stdatomic.h>

#include "base/base.h"
#include "protocol/revision.h"
#include "engine/session/session.h"
#include "endpoint/guard.h"

enum {
    SESSION_ID =
        38, /* length of a legacy session's id: the numbers of its process and its loop, and
                      * 128 random bits */
    SESSION_HOME = 6, /* digits of both numbers */
    REST_MS = 5000    /* idle time after which memory kept for reuse is freed */
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
    char *principal;                       /* its owner; NULL if unknown */
    haft_exchange *listening;              /* the GET stream that receives messages */
    uint64_t listen_stream, listen_number; /* ids of the latest GET stream, which outlive it */
    haft_exchange *exchanges;              /* its unanswered requests */
    uint64_t next_stream;
    uint64_t version;                  /* version of its record in the store; 0 if there is none */
    unsigned epoch;                    /* how often another process has handed it over */
    unsigned saved;                    /* version of the engine's state that the record contains */
    struct store_job *line, *line_end; /* queued store jobs */
    haft_time events_used;             /* when its events were last renewed; 0 if it has none */
    bool sse;                          /* 2024-11-05: responses go to the GET stream */
    bool deleted;
};

/* How long the credentials of a stream last. */
struct stream_term {
    haft_time expires; /* 0 if they do not */
    uint64_t owner;    /* of an API key (authenticator_owner); 0 for other credentials */
};

/* A request and its response. The numbers of a stream outlive the connection it started on. */
struct haft_exchange {
    haft_exchange *next, *previous; /* in the list of its session or the endpoint */
    haft_endpoint *endpoint;
    struct http_session *session; /* NULL for modern and sessionless clients */
    haft_responder responder;
    void *context;
    haft_session *engine;    /* engine session that has its message */
    haft_incoming_kind kind; /* kind of its message */
    bool gone;               /* the client has disconnected */
    bool streaming;
    bool listens; /* a GET stream, whether it receives messages or not */
    bool takes_json, takes_events;
    bool modern;
    bool creates;   /* the request that creates the session */
    bool resumable; /* its events are numbered and stored */
    bool held;      /* being handled: freed afterwards */
    bool done;
    bool checked;            /* its session has been checked in the store */
    bool ending;             /* ends after its pending store jobs */
    unsigned n_jobs;         /* number of jobs that it waits for */
    haft_exchange *alias;    /* after a reconnect: the exchange that the new connection knows, */
    haft_exchange *of;       /* and in that: the exchange it stands for */
    uint64_t stream, number; /* stream and number of the latest event */
    haft_time quiet_since;
    struct stream_term term;
    /* Before its credentials have been checked: what the endpoint's own mux returned. */
    const struct mount *front;
    void *behind;
};

struct haft_endpoint {
    haft_server *server;
    haft_endpoint_options options; /* without the loop, which follows */
    haft_loop loop;
    struct guard guard; /* used if the endpoint is not behind a mux */
    const haft_allocator *allocator;
    /* Engine sessions for clients without a session, by revision; created on first use. */
    haft_session *shared[REVISIONS];
    struct http_session **slots;
    size_t n_slots, n_sessions;
    struct http_session *oldest, *newest;
    haft_exchange *exchanges; /* exchanges without a session */
    haft_exchange *spare;
    size_t n_exchanges, n_shared;
    haft_buffer scratch;
    haft_buffer record; /* record of a session, or an event, for the store */
    haft_store *store;  /* from the options, or its own; NULL before first use */
    bool store_fails;   /* a failure has been logged */
    struct store_job *jobs, *spare_jobs, *ready_jobs;
    _Atomic(struct store_job *) answered_jobs; /* answered on any thread, not yet processed */
    atomic_uint n_answering;                   /* threads that are doing so */
    struct mux
        *mux; /* only in front of this endpoint, if it has an authenticator and no HTTP server */
    haft_time now, used;
    unsigned keys_version; /* of the authenticator's keys when streams were last checked */
    bool abandoned;
    bool relays; /* it is connected to other processes (relay.h) */
};

/* The number of the loop in the session id of a request with a header index; UINT_MAX if there is
 * none. */
unsigned hf_endpoint_home(const haft_request *request);

/* Ends legacy sessions, also in the store, which may take until haft_endpoint_idle returns true. */
void hf_endpoint_end_sessions(haft_endpoint *endpoint);

/* Cancels everything. haft_endpoint_idle tells when all calls have ended. */
void hf_endpoint_abandon(haft_endpoint *endpoint);

/* An endpoint as a mounted app: requests have passed the guard. */
extern const haft_app hf_endpoint_app;

/* Sets the authenticator that describes missing scopes; requests have been checked by the caller.
 * It may be NULL, and is held. */
void hf_endpoint_set_authenticator(haft_endpoint *endpoint, haft_authenticator *authenticator);

/* The same as the public functions, for an endpoint whose requests have been checked: front.c is
 * in front of them. */
haft_endpoint *hf_endpoint_new(haft_server *server, const haft_endpoint_options *options);
void hf_endpoint_free(haft_endpoint *endpoint);
haft_exchange *hf_endpoint_handle(haft_endpoint *endpoint, const haft_request *request,
                                  const haft_responder *responder, void *context, haft_time now);
void hf_exchange_gone(haft_exchange *exchange);
void hf_endpoint_tick(haft_endpoint *endpoint, haft_time now);
bool hf_endpoint_idle(const haft_endpoint *endpoint);

/* ---- send.c: messages of the engine over HTTP ---- */

/* Callbacks for the engine, for a session and for shared sessions. */
void hf_endpoint_send_session(void *context, const haft_outgoing *message);
void hf_endpoint_send_shared(void *context, const haft_outgoing *message);
void hf_endpoint_let_go_session(void *context, void *tag, bool over);
void hf_endpoint_let_go_shared(void *context, void *tag, bool over);

/* Sends one response: {"jsonrpc":"2.0","error":...}, or another body. `extra` is a further header,
 * or NULL. */
void hf_exchange_refuse(haft_exchange *exchange, int status, const haft_header *extra, int code,
                        const char *message);
void hf_exchange_respond(haft_exchange *exchange, int status, const haft_header *extra,
                         const char *body, size_t size);
/* Starts an event stream; a resumable one begins with the event that a client can resume from. */
void hf_exchange_stream(haft_exchange *exchange);
/* Returns false if memory ran out, so that the event was not sent. */
bool hf_exchange_write_event(haft_exchange *exchange, uint64_t number, const char *text,
                             size_t size);
void hf_exchange_end(haft_exchange *exchange);
/* Closes the connection; the request remains. */
void hf_exchange_hang_up(haft_exchange *exchange);
/* Closes the stream of a client that has missed an event. */
void hf_exchange_break_off(haft_exchange *exchange);
/* Sends the response of a request, after its state has been saved. */
void hf_exchange_answer(haft_exchange *exchange, const haft_outgoing *message);
void hf_exchange_free(haft_exchange *exchange);
/* Removes it from its session. */
void hf_exchange_detach(haft_exchange *exchange);
/* Sends a comment, so that proxies do not close an idle stream. */
void hf_exchange_keep_alive(haft_exchange *exchange);

/* Makes it the stream for unsolicited messages of a session. An earlier one stays open, and is used
 * again when this one ends. */
void hf_exchange_listen(haft_exchange *exchange, struct http_session *session);

/* ---- session.c: legacy sessions ---- */

/* Creates a session that only its principal may use; NULL: any client that knows its id. */
struct http_session *hf_http_session_new(haft_endpoint *endpoint, const char *principal);
/* The number of the loop in an id; UINT_MAX if it is not a valid id. */
unsigned hf_http_session_home(const char *id, size_t size);
struct http_session *hf_http_session_find(haft_endpoint *endpoint, const char *id, size_t size);
/* Whether it belongs to the principal, which may be NULL. */
bool hf_http_session_is_of(const struct http_session *session, const char *principal);
/* Ends it, and removes it from the store. */
void hf_http_session_end(struct http_session *session);
/* Ends it only here: another process has taken it over, or it must outlive this process. */
void hf_http_session_drop(struct http_session *session);
void hf_http_session_touch(struct http_session *session);
/* Ends sessions that have been idle too long. */
void hf_http_sessions_expire(haft_endpoint *endpoint);

/* Creates a session that another process has started, with that id, not yet in the table. NULL
 * without memory, or if there are too many. */
struct http_session *hf_http_session_make(haft_endpoint *endpoint, const char *id,
                                          const char *principal);
void hf_http_session_add(struct http_session *session);
/* Frees a session that is not in the table. */
void hf_http_session_discard(struct http_session *session);

/* ---- record.c: sessions in the store ---- */

/* Returns true if the session of that id is current here, or does not exist. Returns false if the
 * request has to wait, and will be routed again, or has been refused. */
bool hf_http_session_ready(haft_exchange *exchange, const haft_request *request, const char *id,
                           size_t size);
/* Writes the record, then sends the response or starts the stream. */
void hf_http_session_save_and_answer(haft_exchange *exchange, const haft_outgoing *message);
void hf_http_session_save_and_listen(haft_exchange *exchange);
/* Removes it from the store, then ends it and answers the exchange. */
void hf_http_session_delete(struct http_session *session, haft_exchange *exchange);
/* In the background: renew its record; remove its record. */
void hf_http_session_renew(struct http_session *session);
void hf_http_session_forget(struct http_session *session);

/* ---- replay.c: events for reconnecting clients ---- */

/* Stores an event, then sends it to the exchange, which may be NULL; `ends`: it is the last of its
 * stream. */
void hf_http_session_keep(struct http_session *session, haft_exchange *exchange, uint64_t stream,
                          uint64_t number, const haft_outgoing *message, bool ends);
/* Sends the events after the named one. If the request of that stream is still active, the
 * connection is attached to it. */
void hf_http_session_resume(struct http_session *session, haft_exchange *exchange, const char *last,
                            size_t size);
/* In the background, if there are any: renew the events; remove them. */
void hf_http_session_renew_events(struct http_session *session);
void hf_http_session_forget_events(struct http_session *session);

#endif
