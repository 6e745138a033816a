/* engine/call/post.h - requests of handlers and stages to the owner's thread (post.c). */
#ifndef HAFT_SRC_ENGINE_CALL_POST_H
#define HAFT_SRC_ENGINE_CALL_POST_H

#include "engine/call/owner.h"

/* What the session's thread must do for a call. */
enum posted_kind {
    POSTED_NOTICE,  /* send a notification */
    POSTED_FINISH,  /* haft_finish: end it */
    POSTED_CONTINUE /* haft_continue: resume it */
};

struct haft_posted {
    haft_posted *next; /* for use by the carrier */
    haft_call *call;
    enum posted_kind kind;
    bool ran;   /* for use by the runtime: the handler has run, haft_call_done is next */
    int status; /* argument of haft_finish or haft_continue */
    char *text; /* text of the notification */
    size_t size;
    bool counts; /* it reports progress */
    double progress;
};

/* Sends a notification about a call, from any thread. Progress is sent only if it increases;
 * `progress` is NULL for other notifications. */
void hf_call_notify(haft_call *call, const haft_buffer *message, const double *progress);

/* Executes a posted request, on the owner's thread. */
void hf_post_deliver(haft_posted *posted);

#endif
