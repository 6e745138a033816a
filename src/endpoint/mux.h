/* endpoint/mux.h - the apps behind one loop's address, and their guard. */
#ifndef HAFT_SRC_MUX_H
#define HAFT_SRC_MUX_H

#include "stage/limiter.h"
#include "endpoint/authenticator.h"
#include "endpoint/endpoint.h"

/* A path, and its app. */
struct mount {
    const char *path;
    size_t size; /* without a trailing slash */
    bool below;  /* paths below it also belong to it */
    bool owns;   /* closed with it; an endpoint of 2024-11-05 has several paths */
    const haft_app *app;
    void *context;
    haft_authenticator *authenticator; /* a reference; NULL: everybody may send requests */
    const char *resource;              /* path that the authenticator knows it by */
    bool is_described;                 /* its metadata is served */
};

struct mux {
    struct guard guard;
    const haft_allocator *allocator;
    haft_http_loop loop;
    haft_authenticator *authenticator; /* of endpoints whose mount names none; NULL for none */
    haft_store *store;                 /* for the endpoints' sessions; NULL: each has its own */
    struct mount *mounts;              /* longest path first */
    size_t n_mounts, room;
    int (*admit)(void *context, haft_request *request, const haft_responder *responder,
                 void *responder_context);
    void *admit_context;
    struct admission *admissions;          /* unfinished admissions */
    _Atomic(struct admission *) continued; /* continued on any thread, not yet processed */
    atomic_uint n_continuing;              /* threads that are doing so */
    struct limiter *limiter;               /* shared by all loops; NULL if nothing is limited */
    haft_time (*clock)(void);              /* shared by them; NULL: use the time that is passed
                                            * in */
    haft_rate rate, total_rate;
    const char *metrics_path; /* NULL if metrics are disabled */
    bool metrics_for_all;
    struct credentials *spare_credentials;
    size_t n_checks;    /* pending, also those of clients that have left */
    size_t checks_size; /* bodies of their requests */
    bool bodies_stay;   /* a request's body remains until it is answered, or its client leaves */
    _Atomic(struct credentials *)
        checked_credentials;     /* answered on any thread, not yet processed */
    haft_header cors[DOOR_CORS]; /* headers of app responses */
    size_t n_cors;
    const haft_responder *app_responder; /* adds these headers; NULL if none are needed */
};

/* An unanswered request, and its mount. */
struct pending_request {
    const struct mount *by; /* NULL if there is none */
    void *exchange;
};

/* The next mount in a program's list, whose struct may be shorter than ours. */
static inline const haft_http_mount *mount_next(const haft_http_mount *one)
{
    return (const void *)((const char *)one + one->struct_size);
}

/* Opens the server's endpoint and the other mounts. Returns 0, or an error with its reason. */
int hf_mux_init(struct mux *mux, const haft_http_options *options, const haft_http_loop *loop,
                haft_reason *reterr_reason);
/* The same for one endpoint with an authenticator, which the mux does not own. Returns 0 or an
 * error. */
int hf_mux_init_front(struct mux *mux, haft_endpoint *endpoint);
void hf_mux_finish(struct mux *mux);

/* Whether a mount has an authenticator, so that clients send it credentials. */
bool hf_mux_authenticates(const struct mux *mux);

/* Describes something that is served without authentication, for a message: "endpoint", with its
 * path in `ret_path`, which is "" if the text is complete. NULL if everything is authenticated. */
const char *hf_mux_unauthenticated(const struct mux *mux, const char **ret_path);
/* Whether an authenticator, of a mount or of the app there, checks what clients send. */
bool hf_mux_takes_tokens(const struct mux *mux);

/* The largest body that a mount accepts. */
size_t hf_mux_max_body(const struct mux *mux, const haft_http_options *options);

/* Like haft_endpoint_handle, for a request with a header index. */
struct pending_request hf_mux_handle(struct mux *mux, haft_request *request,
                                     const haft_responder *responder, void *context, haft_time now);
/* Answers a request before its body is read if it will be refused in any case. Returns true if it has
 * been answered. */
bool hf_mux_refuses_early(struct mux *mux, const haft_request *request,
                          const haft_responder *responder, void *context, haft_time now);
void hf_mux_gone(struct pending_request pending);
/* Whether the request continues although its client has closed its side of the connection. */
bool hf_mux_half_closed(struct pending_request pending);
void hf_mux_tick(struct mux *mux, haft_time now);
void hf_mux_shut_down(struct mux *mux);
void hf_mux_abandon(struct mux *mux);
bool hf_mux_idle(const struct mux *mux);

/* ---- mount.c: paths, and what handles them ---- */

enum { MOUNT_ROWS = 3 /* at most, of one mount */ };

/* Adds a mount of the program, or an endpoint. Returns 0, or an error with its reason. */
int hf_mux_mount(struct mux *mux, const haft_http_mount *given, haft_reason *reason);
int hf_mux_mount_endpoint(struct mux *mux, haft_server *server, haft_endpoint_options options,
                          haft_reason *reason);
/* Adds the rows of an endpoint: `row` has its path, context and authenticator. If it fails, an owned
 * endpoint has been closed, or the mux closes it. */
int hf_mux_mount_rows(struct mux *mux, struct mount row, bool legacy_sse, haft_reason *reason);

/* ---- admission.c: requests that wait ---- */

/* What a request waits for. */
enum admission_stage {
    ADMISSION_ADMIT,
    ADMISSION_CHECK,   /* of its credentials */
    ADMISSION_RENEWAL, /* nothing: its response needs a header */
    ADMISSION_COUNT    /* a rate limit in a store */
};

/* A request that is examined, by `admit` or another stage. */
struct admitting {
    haft_request request; /* must be first */
    struct mux *mux;
    const struct mount *by;
    const haft_responder *responder;
    void *context;
    haft_time now;
    struct admission *admission; /* set by haft_admission_hold */
    enum admission_stage stage;
    /* Withdraws it from what it waits for. Returns false if it is being continued. NULL if it
     * cannot be withdrawn. */
    bool (*cancel)(void *context);
    void *cancel_context;
};

/* The mount of waiting requests; the exchange is the admission. */
extern const struct mount hf_admission_row;

void hf_admission_free(struct admission *admission);
/* Continues one whose credentials have been checked. */
void hf_admission_checked(struct admission *admission, haft_time now);
/* Continues one at once; its response gets the header, which is copied. */
struct pending_request hf_admission_renew(struct admission *admission, const haft_header *renewal,
                                          haft_time now);
/* Processes continued admissions, and answers those past their deadline. */
void hf_admissions_tick(struct mux *mux, haft_time now);

/* Withdraws those that can be. */
void hf_admissions_abandon(struct mux *mux);

/* Asks `admit` about a request, if there is one; the rest follows. */
struct pending_request hf_mux_admit(struct mux *mux, const struct mount *by,
                                    const haft_request *request, const haft_responder *responder,
                                    void *context, haft_time now);
/* After `admit`: counts a request, and dispatches it. */
struct pending_request hf_mux_enter(struct mux *mux, const struct mount *by, haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now);
/* The same for a request that has been counted. */
struct pending_request hf_mux_serve(const struct mount *by, haft_request *request,
                                    const haft_responder *responder, void *context, haft_time now);
/* Responds with 500, and logs the return value of `admit`. */
void hf_mux_fail_admit(struct mux *mux, int status, const haft_responder *responder, void *context);

/* ---- credentials.c: credentials ---- */

/* Checks the credentials of a request to a mount with an authenticator; `admit` and the rest
 * follow. */
struct pending_request hf_mux_check(struct mux *mux, const struct mount *by,
                                    const haft_request *request, const haft_responder *responder,
                                    void *context, haft_time now);
/* Refuses a request before its body is read, if its credentials cannot be right. Returns true if it
 * has been answered. */
bool hf_credentials_foresee(struct mux *mux, const struct mount *by, const haft_request *request,
                            const haft_responder *responder, void *context, haft_time now);
/* Continues a request whose credentials have been checked, or refuses it. */
struct pending_request hf_credentials_conclude(struct credentials *check, const struct mount *by,
                                               const haft_request *request,
                                               const haft_responder *responder, void *context,
                                               haft_time now);
/* Answers a request whose credentials were not checked in time. */
void hf_credentials_is_late(struct mux *mux, const haft_responder *responder, void *context);
/* Processes answered checks. */
void hf_credentials_tick(struct mux *mux, haft_time now);
/* Frees the memory kept for reuse. */
void hf_credentials_finish(struct mux *mux);

/* ---- metadata.c: /.well-known/oauth-protected-resource ---- */

/* Finds out whether a mount has metadata. Returns false without memory. */
bool hf_mount_describe(const struct mux *mux, struct mount *row);
/* The path of the resource that a path of the mount belongs to, and its server, or NULL. */
const char *hf_mount_resource(const struct mount *row, const char *path, haft_server **ret_server);
/* The mount whose metadata a path names, and the resource in it; NULL if there is none. */
const struct mount *hf_mux_described(const struct mux *mux, const char *path,
                                     const char **ret_resource);
/* The same; hardly a request has a path that begins like that. */
static inline const struct mount *mux_described(const struct mux *mux, const char *path,
                                                const char **ret_resource)
{
    return path[0] == '/' && path[1] == '.' ? hf_mux_described(mux, path, ret_resource) : NULL;
}
/* Answers a request for the metadata of a resource in a mount. */
void hf_mux_show_metadata(struct mux *mux, const struct mount *row, const char *resource,
                          const haft_request *request, const haft_responder *responder,
                          void *context, haft_time now);

/* ---- limit.c: rate limits ---- */

/* Creates the limiter for all loops; NULL, with status 0, if the options limit nothing. */
int hf_limit_new(const haft_http_options *options, const haft_allocator *allocator,
                 struct limiter **ret_limiter);

/* Returns false if the request exceeds a limit and has been answered; for an MCP endpoint, with a
 * JSON-RPC error. */
bool hf_limit_allows(struct mux *mux, const haft_request *request, bool is_rpc,
                     const haft_responder *responder, void *context, haft_time now);

/* The same before its credentials are checked, for its address, without counting it. */
bool hf_limit_lets_check(struct mux *mux, const haft_request *request, bool is_rpc,
                         const haft_responder *responder, void *context, haft_time now);

/* Answers a request that the store did not count in time. */
void hf_limit_is_late(struct mux *mux, const haft_responder *responder, void *context);

/* The same with the server's store, which may answer later: the request then waits as for
 * `admit`. */
struct pending_request hf_limit_ask(struct mux *mux, const struct mount *by,
                                    const haft_request *request, const haft_responder *responder,
                                    void *context, haft_time now);

#endif
