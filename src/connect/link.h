/* connect/link.h - the connection of a client to its server: what all transports of this room share.
 *
 * A link is a haft_transport on a libuv loop. It has its own loop, which runs only inside its `wait`,
 * or uses the program's. Everything happens on the loop's thread.
 *
 * libuv's handles outlive the call that closes them, and a client may be freed from within each of
 * its callbacks. So a link outlives its client: after transport.close it is silent (`over`), its
 * class ends whatever it has opened, and the last handle to close frees the link. */
#ifndef HAFT_SRC_CONNECT_LINK_H
#define HAFT_SRC_CONNECT_LINK_H

#include <haft/connect.h>
#include <uv.h>

#include "base/base.h"

struct connect_link;

struct connect_class {
    /* Functions of haft_transport; all but send may be NULL. */
    void (*send)(struct connect_link *link, const haft_outgoing *message);
    void (*let_go)(struct connect_link *link, void *tag, bool over);
    void (*negotiated)(struct connect_link *link, const char *revision);
    int (*restart)(struct connect_link *link);
    void (*listen)(struct connect_link *link, bool listen);
    /* Begins the end: closes all handles, now or later. */
    void (*end)(struct connect_link *link);
    /* Frees the link; all handles have been closed. */
    void (*release)(struct connect_link *link);
};

/* What a link needs of the options of its client. */
struct connect_limits {
    size_t max_message;
    unsigned max_in_flight;
    unsigned connect_ms, close_ms;
};

/* The first member of every link. */
struct connect_link {
    const struct connect_class *class;
    const haft_allocator *allocator;
    haft_target target; /* its strings are in the arena */
    haft_arena *arena;
    struct connect_limits limits;
    uv_loop_t *loop; /* the program's, or `own` */
    uv_loop_t own;
    bool has_own;
    uv_timer_t timer, wait_timer, late_timer;
    unsigned handles; /* that are not closed */
    haft_receiver receiver;

    bool running;  /* the loop, in `wait` */
    bool heard;    /* something was reported since `wait` began */
    bool over;     /* the client is gone: nothing is reported any more */
    bool gone;     /* all handles are closed */
    bool deferred; /* closed while its own loop was running */

    /* Of a message that could not be sent. */
    void *late_tag;
    bool late_all;
    haft_failure late;

    void (*closed)(void *context); /* called when the link has been freed; may be NULL */
    void *closed_context;
};

/* Initializes a link on the loop, or on its own loop if that is NULL, with a copy of the target.
 * Returns 0, HAFT_ENOMEM or HAFT_EBUSY (no descriptors): nothing has to be released then. */
int hf_connect_link_init(struct connect_link *link, const struct connect_class *class,
                         const haft_allocator *allocator, uv_loop_t *loop,
                         const haft_target *target, const struct connect_limits *limits);

/* Ends a link that no client has used, as transport.close does. */
void hf_connect_link_close(struct connect_link *link);

/* The functions for the client. */
haft_transport hf_connect_link_transport(struct connect_link *link);

/* The link that a transport belongs to; NULL if it is another transport. */
struct connect_link *hf_connect_link_of(const haft_transport *transport);

/* Runs the loop of a blocking client until it has heard something; returns the time. */
haft_time hf_connect_link_wait(struct connect_link *link, unsigned milliseconds);

/* The time, fresh. */
uint64_t hf_connect_link_now(struct connect_link *link);

/* A handle was opened on the loop, and one has been closed. */
void hf_connect_link_opened(struct connect_link *link);
void hf_connect_link_handle_closed(struct connect_link *link);

/* ---- reports to the client; none when the link is over ---- */

void hf_connect_link_message(struct connect_link *link, const char *text, size_t size, void *tag);
void hf_connect_link_too_long(struct connect_link *link, size_t size);
void hf_connect_link_failed(struct connect_link *link, void *tag, const haft_failure *failure);
void hf_connect_link_closed(struct connect_link *link);
void hf_connect_link_held(struct connect_link *link, void *tag, bool held);

/* Reports the failure from the loop, soon; `text` must be a constant. If several are late, every
 * request fails. */
void hf_connect_link_fail_later(struct connect_link *link, void *tag, int status, const char *text);

/* ---- target.c ---- */

/* Checks a target. Returns 0, or HAFT_EINVAL with the reason. */
int hf_connect_target_check(const haft_target *target, haft_reason *reterr_reason);

/* Copies a target with its strings. Returns 0 or HAFT_ENOMEM. */
int hf_connect_target_copy(const haft_target *target, haft_arena *arena, haft_target *ret_target);

/* ---- the links ---- */

/* Each opens a link for its kind of target; NULL with the reason. */
typedef struct connect_link *connect_open(uv_loop_t *loop, const haft_allocator *allocator,
                                          const haft_target *target,
                                          const struct connect_limits *limits,
                                          haft_reason *reterr_reason);

connect_open hf_connect_process_open;
connect_open hf_connect_descriptors_open;
connect_open hf_connect_http_open;
connect_open hf_connect_server_open;

/* ---- open.c ---- */

/* Opens the link for a target that has been checked. */
connect_open hf_connect_open;

#endif
