/* loop/mailbox.h - the one way from other threads to a loop's thread: in order, and bounded.
 *
 * What is put in is linked by members of its own, so putting cannot fail.  Answers always find
 * room, since there are never more of them than calls; a notice waits when there are too many. */
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
    uv_async_t *wakeup; /* sent when something has come */
};

int hf_mailbox_init(struct mailbox *mailbox, size_t max_notices, uv_async_t *wakeup);
void hf_mailbox_finish(struct mailbox *mailbox);

/* From any thread but the loop's. */
void hf_mailbox_put(struct mailbox *mailbox, haft_posted *posted);

/* Everything that is there, oldest first; NULL when nothing is. */
haft_posted *hf_mailbox_take(struct mailbox *mailbox);

/* Whoever waits in hf_mailbox_put goes on, and nobody waits from now on. */
void hf_mailbox_close(struct mailbox *mailbox);

#endif
