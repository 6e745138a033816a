/* connect/child.h - one process of a process link: started, read, ended and reaped.
 *
 * A link that starts again has a new child while the old one still ends. A child frees itself when its
 * last handle has closed. */
#ifndef HAFT_SRC_CONNECT_CHILD_H
#define HAFT_SRC_CONNECT_CHILD_H

#include "connect/pipe.h"

struct connect_child {
    struct connect_link *link;
    uv_process_t process;
    uv_timer_t timer;
    struct connect_pipe pipe, errors;
    unsigned handles; /* process and timer; the pipes count theirs */
    bool running;     /* not reaped */
    bool output_ended;
    bool unread;    /* it ended without reading everything */
    bool ending;    /* the client is done with it: nothing is reported any more */
    bool reported;  /* its end */
    bool closing;   /* its handles */
    unsigned asked; /* how often it was asked to end */
    int64_t exit_status;
    int exit_signal;
    void (*on_end)(struct connect_child *child, const char *text);
    void (*on_gone)(struct connect_child *child); /* it was ended, and has exited; may be NULL */
    unsigned patience; /* milliseconds between requests to end; 0: close_ms */
};

/* Starts a process for the link's target. Returns the child, or NULL with the reason. */
struct connect_child *hf_connect_child_start(struct connect_link *link,
                                             void (*on_end)(struct connect_child *child,
                                                            const char *text),
                                             haft_reason *reterr_reason);

/* Ends it: closes its input, terminates it after close_ms, kills it after the same time again. */
void hf_connect_child_end(struct connect_child *child);

/* Sends a message, as hf_connect_pipe_send does. */
int hf_connect_child_send(struct connect_child *child, const char *text, size_t size);

#endif
