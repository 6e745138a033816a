/* engine/offer/event.h - what watchers hear of the tools that are offered (event.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_EVENT_H
#define HAFT_SRC_ENGINE_OFFER_EVENT_H

#include <haft/pipeline.h>

#include "engine/offer/catalogue.h"

/* Tells all watchers. */
void hf_event_tell(const haft_server *server, const haft_event *event);

/* A step of a tool's registration, or a change of it; the reason of a refusal is the server's
 * latest. */
void hf_event_of_tool(haft_server *server, haft_event_kind kind, const char *name, int status);

/* What has become of the tools from one catalogue to the next. */
void hf_event_of_change(haft_server *server, const struct catalogue *from,
                        const struct catalogue *to);

#endif
