/* engine/call/owner.h - the owner of a call: a session, or the function that makes a call within
 * another.
 *
 * It holds the calls in flight, spare calls, the buffer for responses, and the functions that send
 * messages and pass work to other threads. It belongs to one thread; exceptions are marked. */
#ifndef HAFT_SRC_ENGINE_CALL_OWNER_H
#define HAFT_SRC_ENGINE_CALL_OWNER_H

#include "engine/offer/server.h"

struct owner {
    haft_server *server;
    const haft_allocator *allocator;
    haft_session_options options; /* without transport and loop, which follow */
    haft_transport transport;
    haft_loop loop;
    /* Sends pending announcements before the next response. */
    void (*announce)(struct owner *owner);
    /* Called when a call of a closed owner has ended; frees the owner if it was the last. */
    void (*collect)(struct owner *owner);
    char number[32]; /* number of the session, from 1, as text */
    size_t number_size;
    haft_time now;
    int64_t second;       /* the second that the text is for */
    char time[TIME_TEXT]; /* timestamp for log lines about its calls */
    bool closed;          /* nothing is sent any more */
    bool inside;          /* the client is in this process: its states need no secret key */
    bool keeps_calls;     /* calls are freed by their creator (inner.c) */

    haft_call *calls; /* in flight, newest first */
    size_t n_calls, n_queued;
    haft_call *spare; /* calls for reuse */
    size_t n_spare, spare_bytes;
    haft_buffer out;
    int64_t next_request_id;
};

/* Requests of a JSON-RPC batch, answered together. */
struct batch {
    size_t left; /* not yet answered */
    haft_buffer responses;
    void *tag;
    bool open; /* more members of the array follow */
    bool full; /* there are too many */
    bool lost; /* a response could neither be stored nor sent */
};

/* The limit for buffers that are kept for reuse, so that one large message does not occupy memory
 * afterwards. */
enum { SPARE_BYTES = 256 << 10 };

/* Passes a message to the transport. */
void hf_owner_give(struct owner *owner, const haft_outgoing *message);
/* Sends owner->out. */
void hf_owner_send(struct owner *owner, haft_outgoing_kind kind, void *tag, int error_code);
void hf_owner_send_as(struct owner *owner, haft_outgoing_kind kind, void *tag, int error_code,
                      int http_status);
/* Tells the transport that it may close the connection of `tag`: temporarily, or because nothing
 * follows (`over`). */
void hf_owner_let_go(const struct owner *owner, void *tag, bool over);
/* Requests attention on the owner's thread; callable from any thread. */
void hf_owner_wake(const struct owner *owner);

/* Sends the responses of a batch if all are complete (batch.c). */
void hf_batch_send(struct owner *owner, struct batch *batch);
/* Moves the response in owner->out to the responses of its batch. */
void hf_batch_collect(struct owner *owner, struct batch *batch, int error_code);

#endif
