/* loop/session_loop.h - one session on a libuv loop of its own.
 *
 * What carries the messages is somebody else's: the owner brings a transport, hands in what comes by
 * session_loop_receive, and is asked before every sleep whether there is anything left to do. */
#ifndef HAFT_SRC_SESSION_LOOP_H
#define HAFT_SRC_SESSION_LOOP_H

#include "loop/loop.h"

struct session_loop {
    haft_server *server;
    uv_loop_t uv;
    struct loop loop;
    haft_session *session;  /* NULL once it is closed */
    haft_receiver receiver; /* of the session */
    bool gone;              /* and nothing runs for it any more */
    void (*before_sleep)(void *context);
    void *context;
};

/* Makes a loop and, on it, a session with that transport, whose `close` sets `gone`.  0, HAFT_ENOMEM,
 * or HAFT_EBUSY when the system has no descriptor or no randomness to give. */
int hf_session_loop_init(struct session_loop *own, haft_server *server, unsigned workers,
                         size_t max_queue, const haft_transport *transport,
                         void (*before_sleep)(void *context), void *context);

/* Runs the loop until hf_session_loop_stop.  Handles of the owner must be closed before the finish: it
 * waits for those.  Only after the session is gone, and hf_loop_join has waited for the workers. */
void hf_session_loop_run(struct session_loop *own);
void hf_session_loop_stop(struct session_loop *own);
void hf_session_loop_finish(struct session_loop *own);

/* Takes in one message: as haft_session_receive. */
static inline int session_loop_receive(struct session_loop *own, const char *text, size_t size,
                                       haft_time now)
{
    loop_stir(&own->loop);
    return own->receiver.message(own->receiver.context, text, size, NULL, now);
}

/* Ends the session: calls in flight are cancelled, and the transport is closed when the last has
 * come back. */
void hf_session_loop_close(struct session_loop *own);

#endif
