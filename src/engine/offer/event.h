/* engine/offer/event.h - events about offered tools (event.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_EVENT_H
#define HAFT_SRC_ENGINE_OFFER_EVENT_H

#include <haft/pipeline.h>

#include "engine/offer/catalogue.h"

/* Notifies all watchers. */
void hf_event_tell(const haft_server *server, const haft_event *event);

/* Reports a step of a tool's registration or a change of it; the reason of a rejection is the
 * server's latest. */
void hf_event_of_tool(haft_server *server, haft_event_kind kind, const char *name, int status);

/* Reports how the tools differ between two catalogues. */
void hf_event_of_change(haft_server *server, const struct catalogue *from,
                        const struct catalogue *to);

#endif
