/* mailbox.c - a list behind a mutex. */
#include "loop/mailbox.h"

int hf_mailbox_init(struct mailbox *mailbox, size_t max_notices, uv_async_t *wakeup)
{
    *mailbox = (struct mailbox){.max_notices = max_notices, .wakeup = wakeup};
    mailbox->last = &mailbox->first;
    if (uv_mutex_init(&mailbox->lock))
        return HAFT_ENOMEM;
    if (uv_cond_init(&mailbox->room)) {
        uv_mutex_destroy(&mailbox->lock);
        return HAFT_ENOMEM;
    }
    return 0;
}

void hf_mailbox_finish(struct mailbox *mailbox)
{
    uv_cond_destroy(&mailbox->room);
    uv_mutex_destroy(&mailbox->lock);
}

static bool is_notice(const haft_posted *posted)
{
    return posted->kind == POSTED_NOTICE && !posted->ran;
}

void hf_mailbox_put(struct mailbox *mailbox, haft_posted *posted)
{
    uv_mutex_lock(&mailbox->lock);
    if (is_notice(posted)) {
        while (mailbox->notices >= mailbox->max_notices && !mailbox->closing)
            uv_cond_wait(&mailbox->room, &mailbox->lock);
        mailbox->notices++;
    }
    posted->next = NULL;
    *mailbox->last = posted;
    mailbox->last = &posted->next;
    /* Under the lock: the loop may free the mailbox after the last message, and the wake-up must be
     * sent before. */
    uv_async_send(mailbox->wakeup);
    uv_mutex_unlock(&mailbox->lock);
}

haft_posted *hf_mailbox_take(struct mailbox *mailbox)
{
    haft_posted *first;

    uv_mutex_lock(&mailbox->lock);
    first = mailbox->first;
    mailbox->first = NULL;
    mailbox->last = &mailbox->first;
    if (mailbox->notices) {
        mailbox->notices = 0;
        uv_cond_broadcast(&mailbox->room);
    }
    uv_mutex_unlock(&mailbox->lock);
    return first;
}

void hf_mailbox_close(struct mailbox *mailbox)
{
    uv_mutex_lock(&mailbox->lock);
    mailbox->closing = true;
    uv_cond_broadcast(&mailbox->room);
    uv_mutex_unlock(&mailbox->lock);
}
