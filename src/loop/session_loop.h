/* loop/session_loop.h - one session on its own libuv loop.
 *
 * The owner provides the transport, passes in messages with session_loop_receive, and is asked
 * before every sleep whether there is anything left to do. */
#ifndef HAFT_SRC_SESSION_LOOP_H
#define HAFT_SRC_SESSION_LOOP_H

#include "loop/loop.h"

struct session_loop {
    haft_server *server;
    uv_loop_t uv;
    struct loop loop;
    haft_session *session;  /* NULL once closed */
    haft_receiver receiver; /* of the session */
    bool gone;              /* closed, and nothing runs for it any more */
    void (*before_sleep)(void *context);
    void *context;
};

/* Creates a loop and a session on it with that transport, whose `close` sets `gone`. Returns 0,
 * HAFT_ENOMEM, or HAFT_EBUSY if the system has no descriptors or random bytes. */
int hf_session_loop_init(struct session_loop *own, haft_server *server, unsigned workers,
                         size_t max_queue, const haft_transport *transport,
                         void (*before_sleep)(void *context), void *context);

/* Run the loop until hf_session_loop_stop, and free it. Finish waits for the owner's handles, which
 * must be closing; call it only after the session is gone and hf_loop_join has waited for the
 * workers. */
void hf_session_loop_run(struct session_loop *own);
void hf_session_loop_stop(struct session_loop *own);
void hf_session_loop_finish(struct session_loop *own);

/* Processes one message, like haft_session_receive. */
static inline int session_loop_receive(struct session_loop *own, const char *text, size_t size,
                                       haft_time now)
{
    loop_stir(&own->loop);
    return own->receiver.message(own->receiver.context, text, size, NULL, now);
}

/* Ends the session: cancels calls in flight, and closes the transport when the last has ended. */
void hf_session_loop_close(struct session_loop *own);

#endif
