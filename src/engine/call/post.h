/* engine/call/post.h - what a call's handler and stages want done on the thread of its owner (post.c). */
#ifndef HAFT_SRC_ENGINE_CALL_POST_H
#define HAFT_SRC_ENGINE_CALL_POST_H

#include "engine/call/owner.h"

/* Something for the session's thread to do about a call. */
enum posted_kind {
    POSTED_NOTICE,  /* send a notification */
    POSTED_FINISH,  /* haft_finish: end it */
    POSTED_CONTINUE /* haft_continue: go on with it */
};

struct haft_posted {
    haft_posted *next; /* for whoever carries it */
    haft_call *call;
    enum posted_kind kind;
    bool ran;   /* the runtime's: the handler has been run, haft_call_done is next */
    int status; /* that haft_finish or haft_continue was given */
    char *text; /* of the notification */
    size_t size;
    bool counts; /* it is about progress: */
    double progress;
};

/* A notification about a call, from whatever thread.  One about progress is sent only if it goes
 * forward; `progress` is NULL for others. */
void hf_call_notify(haft_call *call, const haft_buffer *message, const double *progress);

/* Does what was posted, on the thread of the call's owner. */
void hf_post_deliver(haft_posted *posted);

#endif
