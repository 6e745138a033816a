/* client/client.h - the client's state: received messages and pending requests. */
#ifndef HAFT_SRC_CLIENT_H
#define HAFT_SRC_CLIENT_H

#include <haft/client.h>

#include "engine/session/session.h"
#include "protocol/meta.h"

/* A message from the server that has not been processed. */
struct arrived {
    struct arrived *next;
    size_t size;
    char text[];
};

/* A request that has not been answered, or whose response has not been fetched. */
struct asked {
    struct asked *next;
    int64_t id;      /* id for the caller */
    int64_t wire_id; /* id of its latest round */
    unsigned rounds;
    struct arrived *answer;
    size_t size; /* size of this struct, with the text after it */
    const char *method, *params;
};

struct haft_client {
    haft_client_options options;
    const haft_allocator *allocator;
    haft_transport transport;
    haft_session *session; /* session of memory.c; NULL with another transport */
    const char *name, *version, *capabilities;
    enum revision revision;
    bool modern;
    haft_arena *results; /* holds the latest result */
    haft_arena *scratch; /* for the message being read or written */
    haft_buffer out;     /* the message being written */
    haft_buffer items;   /* entries of the pages of a list */
    struct arrived *first, *last;
    struct asked *asked; /* newest first */
    int64_t next_id, latest;
    haft_time now;
    size_t strays;
    int status;  /* HAFT_ENOMEM or HAFT_ETOOBIG once a message was lost */
    int sent;    /* memory.c: the session's status for the latest message */
    bool busy;   /* messages are being processed */
    bool closed; /* the server has disconnected */
};

/* ---- client.c ---- */

/* Queues a received message. */
void hf_client_keep(haft_client *client, const char *text, size_t size);
/* Sends client->out, and processes received messages. */
int hf_client_deliver(haft_client *client, haft_outgoing_kind kind);
/* Lets the transport wait, and processes received messages. Returns the time. */
haft_time hf_client_let_pass(haft_client *client, unsigned milliseconds);
/* Processes all received messages. */
void hf_client_pump(haft_client *client);
void hf_client_forget(haft_client *client, struct asked *asked);

/* Writes its name and version as the next value. */
void hf_client_put_info(const haft_client *client, struct json_writer *w);

/* ---- memory.c ---- */

/* Creates the session, and the transport to it. Returns false without memory. */
bool hf_memory_open(haft_client *client, haft_server *server, enum revision revision);
/* Advances the client's simulated time. */
void hf_memory_advance(haft_client *client, unsigned milliseconds);

/* ---- request.c ---- */

/* Writes a request to client->out; `responses` and `state` are for a further round, or NULL. */
int hf_request_write(haft_client *client, const struct asked *asked, const haft_buffer *responses,
                     const yyjson_val *state);

/* ---- answer.c ---- */

/* Answers a request of the server. */
void hf_answer_request(haft_client *client, yyjson_val *message);
/* Answers the questions of a result that requires input. Returns true if the request was
 * repeated. */
bool hf_answer_round(haft_client *client, struct asked *asked, yyjson_val *result);

/* ---- result.c ---- */

/* Parses a response into *ret_result, which lives in client->results. */
int hf_result_read(haft_client *client, const char *text, size_t size, haft_result *ret_result);

#endif
