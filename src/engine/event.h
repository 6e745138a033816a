/* engine/event.h - where the engine says what happens. */
#ifndef HAFT_SRC_EVENT_H
#define HAFT_SRC_EVENT_H

#include "engine/session.h"

/* Tells all watchers. */
void event_tell(const haft_server *server, const haft_event *event);

/* A step of a tool's registration, or a change of it; the reason of a refusal is the server's
 * latest. */
void event_of_tool(haft_server *server, haft_event_kind kind, const char *name, int status);

/* What has become of the tools from one catalogue to the next. */
void event_of_change(haft_server *server, const struct catalogue *from, const struct catalogue *to);

/* A call has come; it is over, as its outcome says.  The end is told once. */
void event_of_start(haft_call *call);
void event_of_end(haft_call *call);

/* A client has said who it is, for the first time in its session; it is gone. */
void event_of_meeting(haft_session *session, const char *name);
void event_of_parting(haft_session *session);

#endif
