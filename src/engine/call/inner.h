/* engine/call/inner.h - calls that no message brought: made within another call, or for a request that
 * is not JSON-RPC.
 *
 * Such a call has a session of its own that nobody else knows of, so that everything a handler does
 * with a call works in it; what it would send to a client goes nowhere.  It runs where it is run,
 * and whoever runs it has its result in its buffers. */
#ifndef HAFT_SRC_ENGINE_CALL_INNER_H
#define HAFT_SRC_ENGINE_CALL_INNER_H

#include "engine/call/call.h"

/* A call of the server's; within `parent`, whose principal and deadline it has, when there is one.
 * NULL without memory. */
haft_call *hf_inner_new(haft_server *server, haft_call *parent, haft_time now);
void hf_inner_free(haft_call *call);

/* Makes a call that is over one to be used again, by hf_inner_begin; what was allocated in it is gone. */
void hf_inner_reset(haft_call *call);
void hf_inner_begin(haft_call *call, haft_time now);

/* Keeps the calls above this one from ending while they are looked at, from any thread: the one that
 * came from outside, until hf_inner_let_go; or NULL when this one has been left behind by the call that
 * made it, which may be gone.  A call that came from outside is its own, and is not kept. */
haft_call *hf_inner_hold(haft_call *call);
void hf_inner_let_go(haft_call *call);
/* Returns when nobody looks at the parent any more.  The call was cancelled. */
void hf_inner_detach(haft_call *call);

/* The tool that it is a call of; it must outlive the call.  The deadline is set: the tool's own,
 * and never after the parent's. */
void hf_inner_set_tool(haft_call *call, const struct entry *entry);

/* Runs the handler and checks its result.  0, or an error as the handler gives it; HAFT_PENDING
 * when it has not finished, and `finished` will be called. */
int hf_inner_run(haft_call *call);

/* Who is told that a pending handler has finished, on the thread that finishes it; and that a call in
 * line (cap.c) has its turn, then with the server's lock held.  Without a `resume` of the call's own,
 * also who is told of haft_continue. */
void hf_inner_on_finish(haft_call *call, void (*finished)(void *context, int status),
                        void *context);

#endif
