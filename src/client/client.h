/* client/client.h - what the client keeps: messages that have come, requests that wait. */
#ifndef HAFT_SRC_CLIENT_H
#define HAFT_SRC_CLIENT_H

#include <haft/client.h>

#include "engine/session/session.h"
#include "protocol/meta.h"

/* A message from the server, until it is looked at. */
struct arrived {
    struct arrived *next;
    size_t size;
    char text[];
};

/* A request that has not been answered, or whose answer has not been taken. */
struct asked {
    struct asked *next;
    int64_t id;      /* what the caller knows it by */
    int64_t wire_id; /* of its latest round */
    unsigned rounds;
    struct arrived *answer;
    size_t size; /* of this, with the texts after it */
    const char *method, *params;
};

struct haft_client {
    haft_client_options options;
    const haft_allocator *allocator;
    haft_transport transport;
    haft_session *session; /* at the other end of memory.c; NULL behind another transport */
    const char *name, *version, *capabilities;
    enum revision revision;
    bool modern;
    haft_arena *results; /* what the latest result points to */
    haft_arena *scratch; /* of the message that is looked at or written */
    haft_buffer out;     /* the message that is written */
    haft_buffer items;   /* of the pages of a list */
    struct arrived *first, *last;
    struct asked *asked; /* newest first */
    int64_t next_id, latest;
    haft_time now;
    size_t strays;
    int status;  /* HAFT_ENOMEM or HAFT_ETOOBIG once a message was lost */
    int sent;    /* of memory.c: what the session came to with the latest message */
    bool busy;   /* messages are being looked at */
    bool closed; /* the peer is gone */
};

/* ---- client.c ---- */

/* Keeps a message that has come until it is looked at. */
void hf_client_keep(haft_client *client, const char *text, size_t size);
/* Sends what is in client->out, and looks at what has come. */
int hf_client_deliver(haft_client *client, haft_outgoing_kind kind);
/* Has the transport wait, and looks at what has come.  Returns the time. */
haft_time hf_client_let_pass(haft_client *client, unsigned milliseconds);
/* Looks at everything that has come. */
void hf_client_pump(haft_client *client);
void hf_client_forget(haft_client *client, struct asked *asked);

/* Its name and version, as the value that is next. */
void hf_client_put_info(const haft_client *client, struct json_writer *w);

/* ---- memory.c ---- */

/* Makes the session, and the transport to it.  False without memory. */
bool hf_memory_open(haft_client *client, haft_server *server, enum revision revision);
/* Lets the client's own time pass. */
void hf_memory_advance(haft_client *client, unsigned milliseconds);

/* ---- request.c ---- */

/* Writes a request into client->out; `responses` and `state` of a further round, or NULL. */
int hf_request_write(haft_client *client, const struct asked *asked, const haft_buffer *responses,
                     const yyjson_val *state);

/* ---- answer.c ---- */

/* What the server asks in a request of its own. */
void hf_answer_request(haft_client *client, yyjson_val *message);
/* The questions of a result that requires input.  True when they were answered and asked again. */
bool hf_answer_round(haft_client *client, struct asked *asked, yyjson_val *result);

/* ---- result.c ---- */

/* Reads an answer into *ret_result; lives in client->results. */
int hf_result_read(haft_client *client, const char *text, size_t size, haft_result *ret_result);

#endif
