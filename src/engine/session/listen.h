/* engine/session/listen.h - what clients subscribe to, as the protocol names it (listen.c). */
#ifndef HAFT_SRC_ENGINE_SESSION_LISTEN_H
#define HAFT_SRC_ENGINE_SESSION_LISTEN_H

#include "engine/session/session.h"
#include "protocol/rpc.h"

/* The names of the lists in the protocol. Resources and templates are one list for clients. */
struct topic {
    const char *notification;
    const char *filter; /* member of the filter in subscriptions/listen */
    unsigned lists;
};

enum { TOPICS = 3 };
extern const struct topic hf_topics[TOPICS];

/* Writes the `_meta` that names the subscription. */
void hf_listen_put_meta(struct json_writer *w, const struct listen *listen);

#endif
