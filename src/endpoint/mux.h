/* endpoint/mux.h - what stands behind one loop's address: a guard, and whoever serves behind it. */
#ifndef HAFT_SRC_FRONT_H
#define HAFT_SRC_FRONT_H

#include "stage/limiter.h"
#include "endpoint/endpoint.h"

/* A path, and who has it. */
struct mount {
    const char *path;
    size_t size; /* without a slash at its end */
    bool below;  /* what is below the path is its, too */
    bool owns;   /* closed with it; an endpoint of 2024-11-05 has more than one path */
    const haft_app *app;
    void *context;
};

struct mux {
    struct guard guard;
    const haft_allocator *allocator;
    haft_http_loop loop;
    haft_store *store;    /* of the endpoints' sessions; NULL: each has its own */
    struct mount *mounts; /* the longest path first */
    size_t n_mounts, room;
    int (*admit)(void *context, haft_request *request, const haft_responder *responder,
                 void *responder_context);
    void *admit_context;
    struct admission *admissions;          /* that are not over */
    _Atomic(struct admission *) continued; /* from any thread, and not seen yet */
    atomic_uint n_continuing;              /* threads that do so */
    struct limiter *limiter;               /* shared by all loops; NULL when nothing is limited */
    haft_time (*clock)(void);              /* that they share; NULL: the time that is passed in */
    haft_rate rate, total_rate;
    atomic_bool cannot_count; /* the store has failed, which has been logged */
    const char *metrics_path; /* NULL when nothing is counted */
    bool metrics_for_all;
    haft_header cors[DOOR_CORS]; /* headers of responses of apps */
    size_t n_cors;
    const haft_responder *app_responder; /* adds them; NULL when nobody needs that */
};

/* A request that has not been answered, and who has it. */
struct pending_request {
    const struct mount *by; /* NULL: nobody */
    void *exchange;
};

/* Opens the server's endpoint and what is mounted beside it.  0, or an error with its reason. */
/* The mount after this one in a program's list, whose struct may be shorter than ours. */
static inline const haft_http_mount *mount_next(const haft_http_mount *one)
{
    return (const void *)((const char *)one + one->struct_size);
}

int hf_mux_init(struct mux *mux, const haft_http_options *options, const haft_http_loop *loop,
                haft_reason *reterr_reason);
void hf_mux_finish(struct mux *mux);

/* What is served without authentication, for a message: "endpoint", and the path; `ret_path` is ""
 * where the text says it all.  NULL when there is nothing. */
const char *hf_mux_unauthenticated(const struct mux *mux, const char **ret_path);

/* The largest body that anybody behind it takes. */
size_t hf_mux_max_body(const struct mux *mux, const haft_http_options *options);

/* As haft_endpoint_handle, for a request that has an index. */
struct pending_request hf_mux_handle(struct mux *mux, haft_request *request,
                                     const haft_responder *responder, void *context, haft_time now);
void hf_mux_gone(struct pending_request pending);
/* Whether it goes on although its client sends nothing any more. */
bool hf_mux_half_closed(struct pending_request pending);
void hf_mux_tick(struct mux *mux, haft_time now);
void hf_mux_shut_down(struct mux *mux);
void hf_mux_abandon(struct mux *mux);
bool hf_mux_idle(const struct mux *mux);

/* ---- admission.c: requests that wait for `admit` ---- */

/* A request that `admit` looks at. */
struct admitting {
    haft_request request; /* first */
    struct mux *mux;
    const struct mount *by;
    const haft_responder *responder;
    void *context;
    haft_time now;
    struct admission *admission; /* once haft_admission_hold was called */
    bool is_counted;             /* it waits to be counted, and is handed on then */
    /* Takes it back from whom it waits for.  False when it is being continued; NULL: that cannot be done. */
    bool (*cancel)(void *context);
    void *cancel_context;
};

/* Who has a request that waits; the exchange is its admission. */
extern const struct mount hf_admission_row;

void hf_admission_free(struct admission *admission);
/* Goes on with those that were continued, and answers those whose time is over. */
void hf_admissions_tick(struct mux *mux, haft_time now);

/* Takes back those that can be. */
void hf_admissions_abandon(struct mux *mux);

/* Behind `admit`: counts a request, and hands it to whoever has its path. */
struct pending_request hf_mux_enter(struct mux *mux, const struct mount *by, haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now);
/* The same of one that has been counted. */
struct pending_request hf_mux_serve(const struct mount *by, haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now);
/* Answers 500, and logs what `admit` has returned. */
void hf_mux_fail_admit(struct mux *mux, int status, const haft_responder *responder, void *context);

/* ---- limit.c: how often clients may ask ---- */

/* What counts requests, for all loops together; NULL, with 0, when the options limit nothing. */
int hf_limit_new(const haft_http_options *options, const haft_allocator *allocator,
                 struct limiter **ret_limiter);

/* False when the request is one too many and has been answered.  One for an MCP endpoint is
 * answered in its words. */
bool hf_limit_allows(struct mux *mux, const haft_request *request, bool is_rpc,
                     const haft_responder *responder, void *context, haft_time now);

/* Answers one that the store has not counted in time. */
void hf_limit_is_late(struct mux *mux, const haft_responder *responder, void *context);

/* The same in the server's store, which may answer later: the request waits as for `admit`. */
struct pending_request hf_limit_ask(struct mux *mux, const struct mount *by,
                                    const haft_request *request, const haft_responder *responder,
                                    void *context, haft_time now);

#endif
