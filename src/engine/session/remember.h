/* engine/session/remember.h - saves and restores the state of a legacy session, so that another
 * process can continue it.
 *
 * Calls in flight, unanswered questions to the client and pending announcements are not
 * included. */
#ifndef HAFT_SRC_ENGINE_SESSION_REMEMBER_H
#define HAFT_SRC_ENGINE_SESSION_REMEMBER_H

#include "engine/session/session.h"

/* A counter of changes to the saved state; 0 before `initialize`. */
unsigned hf_session_changes(const haft_session *session);

/* Writes the state as a JSON object. */
void hf_session_put_memory(const haft_session *session, haft_buffer *out);

/* Restores the state into an unused session. Returns 0, HAFT_EINVAL unless hf_session_put_memory
 * wrote the JSON, or HAFT_ENOMEM. */
int hf_session_restore_memory(haft_session *session, yyjson_val *memory);

/* Keeps the parameters of `initialize` for the lifetime of the session (lifecycle.c). */
int hf_session_remember_client(haft_session *session, yyjson_val *params);
/* Adds a subscription, if it is new (announce.c). Returns 0 or HAFT_ENOMEM. */
int hf_session_subscribe(haft_session *session, const char *uri);

#endif
