/* dev_session.h - what `haft dev` must know of a conversation to put another server into it.
 *
 * It reads the lines of both sides and passes them on as they are.  It remembers the requests that
 * are not answered yet, the handshake, the log level and the subscriptions.  When the server is lost,
 * it answers what the server did not; when another one is there, it repeats to it what the client
 * had agreed with the first, and says to the client that the lists may have changed.  A call is never
 * repeated.
 *
 * It does no I/O: it passes messages to the functions of `struct dev_output` while it handles a line. */
#ifndef HAFT_DEV_SESSION_H
#define HAFT_DEV_SESSION_H

#include "protocol/rpc.h"

enum {
    DEV_MAX_REQUESTS = 1024,      /* of the client that are in flight */
    DEV_MAX_ASKED = 256,          /* of the server that are in flight */
    DEV_MAX_SUBSCRIPTIONS = 1024, /* that are repeated to another server */
    DEV_MAX_LINE = 64 << 20,
    DEV_NAME_TEXT = 128,
    DEV_KEY = 128 /* bytes of what ids are compared by */
};

enum dev_outcome { DEV_OK, DEV_TOOL_ERROR, DEV_ERROR, DEV_CANCELLED, DEV_LOST };

/* One request that a side has sent and the other has not answered. */
struct dev_request {
    struct dev_request *next;
    const struct dev_method *kind; /* of the client's methods that mean something here; or NULL */
    uint64_t began;                /* milliseconds */
    bool resent;                   /* to another server than the first */
    char method[DEV_NAME_TEXT];    /* fit for a terminal, as the name is */
    char name[DEV_NAME_TEXT];      /* of the tool or prompt, or the URI; "" for none */
    size_t line_size;
    char *id;          /* as its sender wrote it, with a NUL */
    char shown[64];    /* the id that the receiver sees, as JSON; "": the same */
    char key[DEV_KEY]; /* what that is compared by */
    char *uri;         /* of a subscription; or NULL */
    char *line;        /* the whole request, if it may have to be sent again; or NULL */
};

struct dev_output {
    void (*to_client)(void *context, const char *text, size_t size);
    void (*to_server)(void *context, const char *text, size_t size);
    /* A request was answered or never will be; the text is that of an error, or NULL. */
    void (*ended)(void *context, const struct dev_request *request, enum dev_outcome outcome,
                  const char *text, size_t size);
    /* Something that the person should know. */
    void (*note)(void *context, const char *format, ...) HAFT_PRINTF_(2, 3);
    void *context;
};

struct dev_session {
    struct dev_output out;
    haft_arena *arena; /* for one line */
    struct dev_request *requests, *asked, *subscriptions;
    size_t n_requests, n_asked, n_subscriptions;
    struct dev_request *initialize, *level; /* that the server has accepted; NULL for none */
    haft_buffer initialized;                /* the notification; empty until it came */
    unsigned lists;                         /* bits of what the servers have had lists of */
    unsigned generation;                    /* servers before this one */
    unsigned n_repeated;
    bool ready;   /* the server may have lines of the client */
    bool refused; /* the server did not accept the handshake that was repeated */
};

/* False without memory. */
bool dev_session_init(struct dev_session *session, const struct dev_output *out);
void dev_session_finish(struct dev_session *session);

/* A line of the client.  `down` says why there is no server; NULL when there is one. */
void dev_session_client(struct dev_session *session, const char *line, size_t size, uint64_t now,
                        const char *down);

/* A line of the server. */
void dev_session_server(struct dev_session *session, const char *line, size_t size, uint64_t now);

/* The server is there no more: what it did not answer fails with that reason.  With `restarting`
 * another one follows at once, which gets the requests other than calls. */
void dev_session_lost(struct dev_session *session, const char *reason, bool restarting);

/* Another server is there than the first. */
void dev_session_replaced(struct dev_session *session);

#endif
