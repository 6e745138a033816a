/* engine/call/owner.h - whom a call is made for, as the call sees it: a session, or whoever makes a call
 * within another.
 *
 * It has the calls that are in flight, those to use again, the buffer that answers are written in,
 * and the functions by which messages leave and work gets to other threads.  It belongs to one
 * thread; what other threads may use is said where it is. */
#ifndef HAFT_SRC_ENGINE_CALL_OWNER_H
#define HAFT_SRC_ENGINE_CALL_OWNER_H

#include "engine/offer/server.h"

struct owner {
    haft_server *server;
    const haft_allocator *allocator;
    haft_session_options options; /* but for the transport and the loop: */
    haft_transport transport;
    haft_loop loop;
    /* Sends what the client is to hear before the next answer. */
    void (*announce)(struct owner *owner);
    /* A call of a closed one is over: it is freed when it was the last that it waited for. */
    void (*collect)(struct owner *owner);
    char number[32]; /* of the server's sessions, from 1 on, as text */
    size_t number_size;
    haft_time now;
    int64_t second;       /* that the text is of: */
    char time[TIME_TEXT]; /* for lines about its calls */
    bool closed;          /* nothing is sent any more */
    bool inside;          /* the client is in this process: its states need no secret key */
    bool keeps_calls;     /* whoever has made one frees it (inner.c) */

    haft_call *calls; /* in flight, newest first */
    size_t n_calls, n_queued;
    haft_call *spare; /* calls to use again */
    size_t n_spare, spare_bytes;
    haft_buffer out;
    int64_t next_request_id;
};

/* Requests of one array, answered together. */
struct batch {
    size_t left; /* not answered yet */
    haft_buffer responses;
    void *tag;
    bool open; /* more members of the array are to come, */
    bool full; /* and they are too many */
    bool lost; /* there was no room for a response, and no other way for it */
};

/* One huge message must not make what is kept for the next one huge: no buffer larger than this
 * is. */
enum { SPARE_BYTES = 256 << 10 };

/* Hands a message out. */
void hf_owner_give(struct owner *owner, const haft_outgoing *message);
/* Sends what is in owner->out. */
void hf_owner_send(struct owner *owner, haft_outgoing_kind kind, void *tag, int error_code);
void hf_owner_send_as(struct owner *owner, haft_outgoing_kind kind, void *tag, int error_code,
                      int http_status);
/* The connection of `tag` may go: for now, or because nothing more comes. */
void hf_owner_let_go(const struct owner *owner, void *tag, bool over);
/* Tells whoever has it, from any thread, that there is something to do for it. */
void hf_owner_wake(const struct owner *owner);

/* Sends the responses of an array when all are there (batch.c). */
void hf_batch_send(struct owner *owner, struct batch *batch);
/* Puts the response in owner->out where the responses of its array are collected. */
void hf_batch_collect(struct owner *owner, struct batch *batch, int error_code);

#endif
