/* client/negotiate.h - finds the revision that both sides support, and keeps what the server says
 * about itself. */
#ifndef HAFT_SRC_CLIENT_NEGOTIATE_H
#define HAFT_SRC_CLIENT_NEGOTIATE_H

#include "client/request.h"
#include "protocol/revision.h"

enum negotiate_phase {
    NEGOTIATE_PROBE,      /* server/discover was sent */
    NEGOTIATE_INITIALIZE, /* initialize was sent */
    NEGOTIATE_LEVEL,      /* logging/setLevel was sent */
    NEGOTIATE_READY,
    NEGOTIATE_LOST,  /* the session has ended; the next request begins another one */
    NEGOTIATE_FAILED /* the client cannot be used */
};

struct negotiation {
    enum negotiate_phase phase;
    bool fixed;             /* the options name the revision */
    bool probe;             /* otherwise the server is asked */
    bool again;             /* it has succeeded before */
    bool restart;           /* the connection is gone, and must be made again */
    bool unread;            /* the process ended without reading what was sent */
    const char *level;      /* of a legacy server's log; NULL: as the options */
    unsigned tries;         /* of the probe */
    int64_t id;             /* of its request; 0 for none */
    int status;             /* of one that failed */
    struct document *about; /* what the server said */
    yyjson_val *server_info, *capabilities;
    const char *instructions;
    haft_buffer declared; /* capabilities with the extension for tasks, or nothing yet */
    void (*ready)(void *context, haft_client *client, int status);
    void *context;
};

/* Begins; 0 or an error. */
int hf_negotiate_begin(haft_client *client);
/* Begins another session, if the former one is gone. */
void hf_negotiate_renew(haft_client *client);
/* The server no longer knows the session.  Returns true if the request will be repeated in another
 * one. */
bool hf_negotiate_session_gone(haft_client *client, struct client_request *request,
                               bool maybe_handled);
/* All requests that were sent have failed. */
void hf_negotiate_failed(haft_client *client, const haft_failure *failure);
/* The client ends: `ready` is called now, if it has not been. */
void hf_negotiate_abort(haft_client *client);
/* The server refused a request because of its revision: chooses another one, and repeats it.  Returns
 * false if there is none. */
bool hf_negotiate_retry(haft_client *client, struct client_request *request, yyjson_val *error);
/* The connection is gone.  Returns true if there is a new one. */
bool hf_negotiate_survives(haft_client *client);
/* Calls `ready`; false if that is not due. */
bool hf_negotiate_report(haft_client *client);

/* ---- about.c ---- */

/* Keeps what the server says about itself, in the document of the result that is being reported. */
void hf_about_keep(haft_client *client, yyjson_val *info, yyjson_val *capabilities,
                   yyjson_val *instructions);
/* Uses what is known from an earlier time.  Returns 0, or an error if it is not valid. */
int hf_about_remember(haft_client *client);
void hf_about_finish(haft_client *client);

#endif
