/* loop/mailbox.h - the queue from other threads to a loop's thread: ordered and bounded.
 *
 * Messages are linked through their own members, so adding cannot fail. Results always have room,
 * since there are never more of them than calls; a notification waits if there are too many. */
#ifndef HAFT_SRC_MAILBOX_H
#define HAFT_SRC_MAILBOX_H

#include <uv.h>

#include "engine/session/session.h"

struct mailbox {
    uv_mutex_t lock;
    uv_cond_t room;
    haft_posted *first, **last;
    size_t notices, max_notices;
    bool closing;       /* nothing waits any more */
    uv_async_t *wakeup; /* sent when a message arrives */
};

int hf_mailbox_init(struct mailbox *mailbox, size_t max_notices, uv_async_t *wakeup);
void hf_mailbox_finish(struct mailbox *mailbox);

/* Callable on any thread but the loop's. */
void hf_mailbox_put(struct mailbox *mailbox, haft_posted *posted);

/* Takes all messages, oldest first; NULL if there are none. */
haft_posted *hf_mailbox_take(struct mailbox *mailbox);

/* Releases threads that wait in hf_mailbox_put, and lets none wait from now on. */
void hf_mailbox_close(struct mailbox *mailbox);

#endif
