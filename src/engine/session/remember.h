/* engine/session/remember.h - what a legacy session knows of its client, for another process to go on with.
 *
 * Not among it: calls in flight, questions that wait for their answers, and what has been announced. */
#ifndef HAFT_SRC_ENGINE_SESSION_REMEMBER_H
#define HAFT_SRC_ENGINE_SESSION_REMEMBER_H

#include "engine/session/session.h"

/* How often what is remembered has changed; 0 before the client has introduced itself. */
unsigned hf_session_changes(const haft_session *session);

/* Writes it as a JSON object. */
void hf_session_put_memory(const haft_session *session, haft_buffer *out);

/* Gives it to a session that has not been used yet: it goes on where the other one was.  0, HAFT_EINVAL for
 * anything but what hf_session_put_memory writes, or HAFT_ENOMEM. */
int hf_session_restore_memory(haft_session *session, yyjson_val *memory);

/* Keeps the parameters of `initialize` for as long as the session lasts (lifecycle.c). */
int hf_session_remember_client(haft_session *session, yyjson_val *params);
/* Adds a subscription that is not there yet (announce.c).  0 or HAFT_ENOMEM. */
int hf_session_subscribe(haft_session *session, const char *uri);

#endif
