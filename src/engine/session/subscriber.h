/* engine/session/subscriber.h - the client that has subscribed to resources (subscriber.c). */
#ifndef HAFT_SRC_ENGINE_SESSION_SUBSCRIBER_H
#define HAFT_SRC_ENGINE_SESSION_SUBSCRIBER_H

#include "engine/session/session.h"

/* Keeps a copy of the identity of the client of a session; `principal` NULL: nobody knows it, and
 * nothing is hidden from it. Returns 0, or HAFT_ENOMEM without a change. */
int hf_subscriber_set(struct subscriber *subscriber, const haft_allocator *allocator,
                      const char *principal, const haft_identity *identity);
void hf_subscriber_finish(struct subscriber *subscriber);

/* Whether a client may be told that a resource of the catalogue, which may be NULL, has changed.
 * `unknown`: it is not known who it is. */
bool hf_subscriber_sees(const struct catalogue *catalogue, const haft_allocator *allocator,
                        const haft_identity *identity, bool unknown, const char *uri);

#endif
