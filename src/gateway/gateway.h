/* gateway/gateway.h - the internal interface of the gateway.
 *
 * A generation is everything that is served at one time: immutable once requests use it, and
 * reference counted, so that requests on any number of threads read it without a lock while another
 * one replaces it. */
#ifndef HAFT_SRC_GATEWAY_H
#define HAFT_SRC_GATEWAY_H

#include <haft/gateway.h>

#include <uv.h>

#include "gateway/router.h"
#include "engine/call/inner.h"

/* ---- additions ---- */

/* A policy under its name. */
struct policy {
    struct policy *next;
    haft_policy policy;
    const haft_policy_kind *kind; /* NULL for a policy of the program */
    void (*drop)(void *data);     /* of its kind */
    bool built_in;                /* its kind is built in */
    const char *made_of;          /* scope and options, as text; NULL without a kind */
    struct kept_policy *kept;     /* of one that keeps counting in later generations; else NULL */
    uint64_t serial;              /* the same in every generation with the same definition */
};

struct kind {
    struct kind *next;
    const haft_policy_kind *kind;
    haft_schema *options; /* compiled; NULL if there are none */
    bool built_in;
};

struct policy_list {
    const struct policy **list; /* in inbound order */
    size_t n;
    bool blocks; /* one of them may block */
    bool waits;  /* one of them, a policy of the program, may return HAFT_PENDING */
};

/* A field of a route's input, and its source. */
enum origin { ORIGIN_PATH, ORIGIN_QUERY, ORIGIN_BODY, ORIGIN_HEADER };

struct field {
    const char *name;
    size_t size;
    enum origin origin;
    const char *as; /* its name in the source */
};

struct route {
    struct route *next;             /* in the generation's list */
    const haft_route *given, *info; /* as added, and with all members */
    const char *method, *path, *id;
    haft_tool tool;     /* definition in the routes' server */
    struct item *item;  /* counted; the same in the next generation if the plugin is */
    struct entry entry; /* the item, as calls expect it */
    struct template path_template;
    struct field *fields;
    size_t n_fields;
    bool has_body; /* a field is in the body */
    const struct policy_list *policies;
};

/* The server of an endpoint. It lives as long as the gateway, so that an endpoint that is added
 * again gets the same server. */
struct mcp {
    struct mcp *next;
    const char *path;
    haft_server *server;
    haft_stage forward; /* keeps the headers that invokes forward */
    bool configured;    /* created by a configuration */
    bool adopted;       /* the command line's settings have been applied */
    bool stale;         /* offers removed items, because memory ran out: must not be reused */
};

/* An endpoint of a generation. */
struct served {
    struct served *next;
    struct mcp *mcp;
    const struct policy_list *policies;
    const char *upstreams, *tools; /* patterns of what it offers of upstreams; NULL for none */
};

/* Everything that a gateway serves at one time. Requests hold the one that they started with. */
struct upstream;
struct shaping;

struct generation {
    struct module module; /* must be first; its reference count */
    haft_gateway *gateway;
    haft_arena *arena; /* holds everything */
    struct router router;
    struct route *routes, **last_route;
    struct policy *policies; /* policies and kinds of the program are last in their lists */
    struct kind *kinds;
    struct served *endpoints, **last_endpoint;
    struct module **plugins; /* plugins that contain routes and policies; held */
    size_t n_plugins;
    struct upstream **upstreams; /* held */
    size_t n_upstreams;
    struct shaping *shaping; /* rules for results of tools; held; NULL for none */
    const char *text;        /* the section that it was created from; NULL if there is none */
};

struct executor;
struct configuration;
struct upstream_set;
struct gateway_loop;

struct haft_gateway {
    haft_gateway_options options;
    const haft_allocator *allocator;
    haft_arena *arena;
    haft_server *server;       /* server of the routes */
    struct generation *own;    /* additions of the program */
    struct generation *now;    /* active; held, and replaced under the lock */
    struct generation *adding; /* the one being added to: `own`, or a new one */
    struct module *module;     /* module of the additions; NULL for the program */
    struct mcp *servers, **last_server;
    uv_mutex_t lock;
    bool has_lock;
    struct gateway_loop *loops; /* loops of the HTTP server; under the lock */
    uint64_t n_serials;
    struct executor *workers;   /* for haft_invoke_all; NULL if there are none */
    struct executor *verifiers; /* threads that check passwords; NULL before a policy needs them */
    haft_executor executor;
    haft_app app; /* haft_gateway_app */
    haft_reason error;
    struct configuration *configuration; /* NULL if there is none */
    struct upstream_set *upstreams;      /* NULL if there is none */
    /* From the HTTP server's options: for every endpoint, except the old transport, which only one
     * has. */
    size_t max_sessions;
    unsigned session_idle_ms;
    bool legacy_sse;
    const struct mcp *legacy; /* that endpoint: the first when serving started */
    const char *first_path;   /* path of the first endpoint from the command line; NULL: its own */
    bool closed;              /* everything must be authenticated */
    haft_authenticator *authenticator; /* of the HTTP server, for everything; NULL if none */
    atomic_size_t checks_size;         /* bodies of requests whose tokens are being checked */
};

/* Adds a gateway to the options of an HTTP server, as its only app; `mount` and `app` must outlive
 * it. */
int hf_gateway_mount(haft_gateway *gateway, haft_http_options *http, haft_http_mount *mount,
                     haft_app *app, haft_reason *reterr_reason);

/* Keeps the reason of a rejection, logs it, and returns the code. */
int hf_gateway_refuse(haft_gateway *gateway, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);

/* Like hf_struct_view, for a struct of that type, in the arena of the additions; errors are kept
 * and logged. */
int hf_gateway_view(haft_gateway *gateway, const char *type, const void *given, size_t own,
                    const void **ret_view);

struct route *hf_route_named(const struct generation *generation, const char *id);
/* Makes an id from a method and a path, in the memory of the additions: "GET /a/{b}" becomes GET_a_b.  NULL without
 * memory. */
const char *hf_route_make_id(haft_gateway *gateway, const char *method, const char *path);
/* Adds a route of the program to another generation, with other policies. */
int hf_route_copy(haft_gateway *gateway, const struct route *route,
                  const struct policy_list *policies);

/* ---- generations (generation.c) ---- */

/* Creates an empty generation; NULL without memory. */
struct generation *hf_generation_new(haft_gateway *gateway);
/* Returns the active generation, with a reference; callable on any thread. */
struct generation *hf_generation_hold(haft_gateway *gateway);
static inline void generation_take(struct generation *generation)
{
    atomic_fetch_add(&generation->module.refs, 1);
}
void hf_generation_drop(struct generation *generation);
/* The endpoint at a path; NULL if there is none. */
const struct served *hf_generation_endpoint(const struct generation *generation, const char *path);

/* ---- servers of endpoints (mcp.c) ---- */

/* Like haft_mcp_add, but reuses a server that an earlier configuration had there, with the same
 * name and version. NULL if it is rejected. */
struct mcp *hf_mcp_find_or_add(haft_gateway *gateway, const haft_mcp_options *options);

/* ---- routes as tools (route_tool.c) ---- */

/* Appends the tools of routes whose ids match and that the server does not offer yet, and marks
 * those of the configuration that must be removed. `ids` is NULL for none. */
int hf_route_tools_compare(haft_gateway *gateway, haft_server *server, const char *ids,
                           struct item **items, size_t *n);
/* Makes the tools of the configuration find their routes in this generation. */
void hf_route_tools_move(haft_gateway *gateway, haft_server *server, struct generation *generation);

/* Finds the policies of a list of names, after the gateway's own; `what` names the owner of the
 * list. */
int hf_policies_find(haft_gateway *gateway, const char *what, const char *names,
                     const struct policy_list **ret_list);
/* Whether one of them authenticates or refuses external callers. */
bool hf_policies_authenticate(const struct policy_list *policies);
int hf_policies_install(haft_gateway *gateway);
/* Frees the data of policies and kinds, except the program's, unless the generation is the
 * program's. */
void hf_policies_free(struct generation *generation);

/* ---- a request in progress ---- */

/* A mutable list of headers, in the arena of a call. */
struct header_list {
    haft_header *list;
    size_t n, room;
};

/* The progress of a request. */
enum gateway_request_step { STEP_START, STEP_INBOUND, STEP_HANDLER, STEP_OUTBOUND, STEP_END };

/* A policy that has authenticated a call; the list lives at least as long as nested calls. */
struct authenticated {
    const struct authenticated *next;
    uint64_t by; /* its serial number */
};

struct haft_gateway_request {
    haft_gateway *gateway;
    struct generation *generation;             /* the generation that it started with; held */
    haft_call *call;                           /* its arena holds everything */
    haft_request request;                      /* as modified by policies; its target is known */
    struct header_list changed;                /* its headers, once one has been changed */
    const struct authenticated *authenticated; /* for this request, or for the invoking call */
    struct match match;
    yyjson_val *input;         /* values, for a route called as a tool; NULL: in the request */
    bool written;              /* the request has been generated from these */
    bool rewritten;            /* and changed by a policy: the input is read from it */
    const struct route *route; /* NULL if there is none */
    const struct policy_list *policies;
    size_t n_passed; /* number passed on the way in */
    enum gateway_request_step step;
    bool pending;                        /* the next policy, or the handler, has not answered yet */
    bool in_stages;                      /* pending in a stage before the handler, */
    bool in_line;                        /* or in the queue of the handler */
    atomic_uint wait;                    /* state of the rendezvous (gateway_request_wait.c) */
    int wait_status;                     /* status that it was continued with */
    void (*on_continued)(void *carrier); /* called then, on the thread that continues it */
    void *carrier;
    atomic_uint owners; /* its creator, and the party that has yet to continue it, once the creator
                         * has abandoned it */
    int given_up;       /* status to answer with in any case; 0 while it is waited for */
    int abandoned;      /* the same, once it was left to the party that continues it */
    haft_header *query; /* names and values, decoded */
    size_t n_query;
    bool query_read;
    bool edge;           /* external request, */
    bool mcp;            /* for an MCP endpoint */
    bool answered;       /* by haft_respond */
    int status_override; /* status of responses without their own; 0 for the default */
    haft_response response;
    struct header_list headers; /* headers of the response */
    int failure;                /* status of the route lookup */
    bool out_of_memory;         /* an accessor ran out of memory and returned "absent" */
};

/* Creates a request for a call of inner.c, which may be NULL; frees the call without memory. Takes
 * over the caller's reference to the generation in any case. */
haft_gateway_request *hf_gateway_request_of_call(struct generation *generation, haft_call *call,
                                                 const haft_request *request);
/* Finds its route, or records why not; sets the deadline. */
void hf_gateway_request_find_route(haft_gateway_request *req);
void hf_gateway_request_set_route(haft_gateway_request *req, const struct route *route);
/* Advances a request through policies to the handler and back. Returns 0 if there is a response, or
 * HAFT_PENDING: call it again after hf_gateway_request_park. A request to an endpoint stops after
 * the inbound policies; unless it is answered, hf_gateway_request_outbound remains to be called. */
int hf_gateway_request_advance(haft_gateway_request *req);
/* Runs the whole request. Waits on this thread, at most for the call's time; then the request is
 * left to the party that continues it, and haft_gateway_request_response reports that. */
void hf_gateway_request_run(haft_gateway_request *req);

/* ---- waiting (gateway_request_wait.c) ---- */

/* Must be called before something that may return HAFT_PENDING. */
void hf_gateway_request_expect(haft_gateway_request *req);
/* A callback for hf_inner_on_finish. */
void hf_gateway_request_continued(void *req, int status);
/* Has `on_continued` called once when the request is continued, on any thread. Returns false if it
 * has been continued already: call hf_gateway_request_advance. */
bool hf_gateway_request_park(haft_gateway_request *req, void (*on_continued)(void *carrier),
                             void *carrier);
/* Stops waiting: the request is answered with this status when it is continued. Notifies the stages
 * if it waits for its handler. */
void hf_gateway_request_give_up(haft_gateway_request *req, int status);

/* ---- the policies of a request (gateway_request_policy.c) ---- */

/* The parts of the way: return 0, HAFT_PENDING, or HAFT_STOP if it is answered. */
int hf_gateway_request_inbound(haft_gateway_request *req);
/* Answers a preflight request by the policies that handle them; returns false if it is not one, or
 * none of them did. */
bool hf_gateway_request_preflight(haft_gateway_request *req, const struct policy_list *policies);
void hf_gateway_request_outbound(haft_gateway_request *req);

/* Answers if the client has left or the time is over. Returns 1 if it has, 0, or HAFT_ENOMEM. */
int hf_gateway_request_is_late(haft_gateway_request *req);
/* Answers with 500 or 503; the details go to the log. */
void hf_gateway_request_fail(haft_gateway_request *req, const char *who, int status);

/* Tells those who see the request who its client is. */
static inline void gateway_request_identify(haft_gateway_request *req)
{
    struct request *from = &req->call->request;

    req->request.principal = from->principal;
    req->request.identity = from->principal ? &from->identity : NULL;
}

/* Sets the client of the call to that of a request, which must live as long. */
void hf_gateway_request_take_identity(haft_gateway_request *req, const haft_request *request);

/* An accessor that ran out of memory has reported an existing value as absent. */
static inline int unless_out_of_memory(const haft_gateway_request *req, int status)
{
    return req->out_of_memory ? HAFT_ENOMEM : status;
}

/* Reads the input of a route from path, query, body and headers, as one object. Returns 0,
 * HAFT_STOP if it has been answered (400, 415), or an error. */
int hf_input_read(haft_gateway_request *req, yyjson_val **ret_arguments);
/* Answers with 400 and issues whose paths name the source of each value: `from`, or as the route
 * defines. */
int hf_input_refuse_issues(haft_gateway_request *req, const haft_issues *issues, const char *from);

/* Generates the HTTP request for input values, before it is read. Returns 0 or HAFT_ENOMEM.
 * (values.c) */
int hf_values_write_request(haft_gateway_request *req);

/* Decodes a path; returns it unchanged if it is malformed, since the route lookup rejects it. NULL
 * without memory. */
const char *hf_percent_decoded(haft_arena *arena, const char *path);

/* Parses the query into pairs. Returns 0, HAFT_EINVAL if it is malformed, or HAFT_ENOMEM. */
int hf_query_read(haft_gateway_request *req);

/* ---- protected resources (protected.c) ---- */

/* The authenticator of what these policies protect; NULL if there is none. */
haft_authenticator *hf_protected_authenticator(const haft_gateway *gateway,
                                               const struct policy_list *policies);
/* Refuses what would let a token that is issued for one resource in at another. */
int hf_protected_check(const haft_gateway *gateway, const struct generation *generation,
                       haft_reason *reterr_reason);
/* Refuses routes with several authenticators: their clients find the issuers of one. */
int hf_protected_check_routes(const struct generation *generation, haft_reason *reterr_reason);
/* Adds the header by which the client of a refused request learns which scopes it needs. */
int hf_protected_challenge(haft_gateway_request *req, const char *scopes);

/* ---- headers (response.c) ---- */

/* Replaces all headers of that name by one, or removes them if `value` is NULL. Both strings are
 * copied. */
int hf_header_list_set(haft_arena *arena, struct header_list *headers, const char *name,
                       const char *value);
int hf_header_list_add(haft_arena *arena, struct header_list *headers, const char *name,
                       const char *value);
/* Copies the array of headers, but not the strings, into a list of the call. Returns 0 or
 * HAFT_ENOMEM. */
int hf_header_list_take(haft_arena *arena, struct header_list *headers, const haft_header *from,
                        size_t n);

/* Sets the response of the request; it must live long enough. */
int hf_response_take(haft_gateway_request *req, const haft_response *response);

/* Appends the problem document of a status; issues may be NULL. */
void hf_problem_write(haft_buffer *body, int status, const char *detail, const haft_issues *issues);
/* Responds with a status and a problem document. */
int hf_respond_problem(haft_gateway_request *req, int status, const char *detail,
                       const haft_issues *issues);

#endif
