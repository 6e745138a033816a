/* engine/call/inner.h - calls without a message: made within another call, or for a request that is
 * not JSON-RPC.
 *
 * Such a call has its own private owner, so that everything a handler does with a call works;
 * output to a client is discarded. It runs on the thread that runs it, and its result is in its
 * buffers. */
#ifndef HAFT_SRC_ENGINE_CALL_INNER_H
#define HAFT_SRC_ENGINE_CALL_INNER_H

#include "engine/call/call.h"

/* Creates a call of the server, within `parent` if that is not NULL: it inherits the principal and
 * the deadline. NULL without memory. */
haft_call *hf_inner_new(haft_server *server, haft_call *parent, haft_time now);
void hf_inner_free(haft_call *call);

/* Prepares a finished call for reuse by hf_inner_begin; its memory is released. */
void hf_inner_reset(haft_call *call);
void hf_inner_begin(haft_call *call, haft_time now);

/* Keeps the calls above this one alive while they are used, from any thread. Returns the outermost
 * call, until hf_inner_let_go, or NULL if the parent, which may no longer exist, has abandoned this
 * call. For a call from outside it returns that call, without a reference. */
haft_call *hf_inner_hold(haft_call *call);
void hf_inner_let_go(haft_call *call);
/* Waits until no thread uses the parent. The call must have been cancelled. */
void hf_inner_detach(haft_call *call);

/* Sets the tool of the call; it must outlive the call. Also sets the deadline: the tool's, but not
 * later than the parent's. */
void hf_inner_set_tool(haft_call *call, const struct entry *entry);

/* Runs the handler and validates its result. Returns 0, or the handler's error; or HAFT_PENDING if
 * it has not finished: `finished` will be called. */
int hf_inner_run(haft_call *call);

/* Sets the callback for the end of a pending handler, on the thread that finishes it, and for the
 * turn of a queued call (cap.c), then with the server's lock held. It is also called for
 * haft_continue, if the call has no `resume`. */
void hf_inner_on_finish(haft_call *call, void (*finished)(void *context, int status),
                        void *context);

#endif
