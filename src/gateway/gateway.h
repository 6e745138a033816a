/* gateway/gateway.h - what the files of the gateway share.
 *
 * What is served at one time is a generation: immutable once requests see it, and counted, so that
 * requests on any number of threads read it without a lock while another one takes its place. */
#ifndef HAFT_SRC_GATEWAY_H
#define HAFT_SRC_GATEWAY_H

#include <haft/gateway.h>

#include <uv.h>

#include "gateway/router.h"
#include "engine/call/inner.h"

/* ---- what is added ---- */

/* A policy under its name. */
struct policy {
    struct policy *next;
    haft_policy policy;
    const haft_policy_kind *kind; /* NULL for one of the program's own */
    void (*drop)(void *data);     /* its kind's */
    bool built_in;                /* its kind is */
    const char *made_of;          /* scope and options, as text; NULL for one without a kind */
    struct kept_policy *kept;     /* of one that goes on counting in later generations; else NULL */
    uint64_t serial;              /* the same in every generation in which it is made alike */
};

struct kind {
    struct kind *next;
    const haft_policy_kind *kind;
    haft_schema *options; /* compiled; NULL for none */
    bool built_in;
};

struct policy_list {
    const struct policy **list; /* in the order of the way in */
    size_t n;
    bool blocks; /* one of them may */
    bool waits;  /* one of them may return HAFT_PENDING: it is a program's own */
};

/* A field of a route's input, and where it comes from. */
enum origin { ORIGIN_PATH, ORIGIN_QUERY, ORIGIN_BODY, ORIGIN_HEADER };

struct field {
    const char *name;
    size_t size;
    enum origin origin;
    const char *as; /* its name there */
};

struct route {
    struct route *next;             /* of the generation's */
    const haft_route *given, *info; /* as it was added, and with all members */
    const char *method, *path, *id;
    haft_tool tool;     /* as the routes' server has it */
    struct item *item;  /* counted; the same in the next generation if the plugin is */
    struct entry entry; /* the item, as a call finds it */
    struct template path_template;
    struct field *fields;
    size_t n_fields;
    bool has_body; /* a field comes from it */
    const struct policy_list *policies;
};

/* A server of an endpoint.  It lives as long as the gateway, so that an endpoint that comes back finds it
 * again. */
struct mcp {
    struct mcp *next;
    const char *path;
    haft_server *server;
    haft_stage forward; /* keeps the headers that invokes take along */
    bool configured;    /* by the section of a configuration */
    bool adopted;       /* the command line has said what there is to say of it */
    bool stale;         /* it offers what it should not, for want of memory: not to be used again */
};

/* An endpoint of a generation. */
struct served {
    struct served *next;
    struct mcp *mcp;
    const struct policy_list *policies;
};

/* What a gateway serves at one time.  Requests hold the one that they began with. */
struct generation {
    struct module module; /* first: who holds it */
    haft_gateway *gateway;
    haft_arena *arena; /* everything is in it */
    struct router router;
    struct route *routes, **last_route;
    struct policy *policies; /* the program's own are the last of these, and of the kinds */
    struct kind *kinds;
    struct served *endpoints, **last_endpoint;
    struct module **plugins; /* that routes and policies are in; held */
    size_t n_plugins;
    const char *text; /* the section that it was made of; NULL for none */
};

struct executor;
struct configuration;
struct gateway_loop;

struct haft_gateway {
    haft_gateway_options options;
    const haft_allocator *allocator;
    haft_arena *arena;
    haft_server *server;       /* of the routes */
    struct generation *own;    /* what the program has added */
    struct generation *now;    /* in force; held, and replaced under the lock */
    struct generation *adding; /* that is added to: `own`, or one that is being made */
    struct module *module;     /* that what is added is in; NULL for the program */
    struct mcp *servers, **last_server;
    uv_mutex_t lock;
    bool has_lock;
    struct gateway_loop *loops; /* of the HTTP server; under the lock */
    uint64_t n_serials;
    struct executor *workers;   /* for haft_invoke_all; NULL when there are none */
    struct executor *verifiers; /* threads that check passwords; NULL before a policy needs them */
    haft_executor executor;
    haft_app app; /* haft_gateway_app */
    haft_reason error;
    struct configuration *configuration; /* NULL when it has none */
    /* As the HTTP server is told: of every endpoint, but for the old transport, which one has. */
    size_t max_sessions;
    unsigned session_idle_ms;
    bool legacy_sse;
    const struct mcp *legacy; /* the one: the first when it began to serve */
    const char *first_path;   /* of the first endpoint, as the command line has it; NULL: its own */
    bool closed;              /* nothing may be served without authentication */
};

/* Puts a gateway into the options of an HTTP server, as its only app; `mount` and `app` must
 * outlive it. */
int hf_gateway_mount(haft_gateway *gateway, haft_http_options *http, haft_http_mount *mount,
                     haft_app *app, haft_reason *reterr_reason);

/* Keeps why something was refused, logs it, and returns the code. */
int hf_gateway_refuse(haft_gateway *gateway, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);

/* As hf_struct_view, for a struct of that type and in the arena of what is being added; what is refused is kept and logged. */
int hf_gateway_view(haft_gateway *gateway, const char *type, const void *given, size_t own,
                    const void **ret_view);

struct route *hf_route_named(const struct generation *generation, const char *id);
/* Puts a route of the program into another generation, with other policies. */
int hf_route_copy(haft_gateway *gateway, const struct route *route,
                  const struct policy_list *policies);

/* ---- generations (generation.c) ---- */

/* An empty one; NULL without memory. */
struct generation *hf_generation_new(haft_gateway *gateway);
/* The one in force, held: from any thread. */
struct generation *hf_generation_hold(haft_gateway *gateway);
static inline void generation_take(struct generation *generation)
{
    atomic_fetch_add(&generation->module.refs, 1);
}
void hf_generation_drop(struct generation *generation);
/* The endpoint at a path; NULL when there is none. */
const struct served *hf_generation_endpoint(const struct generation *generation, const char *path);

/* ---- servers of endpoints (mcp.c) ---- */

/* As haft_mcp_add; a server that an earlier configuration had there, under the same name and version, is
 * taken instead of a new one.  NULL when it is refused. */
struct mcp *hf_mcp_find_or_add(haft_gateway *gateway, const haft_mcp_options *options);

/* ---- routes as tools (route_tool.c) ---- */

/* Appends the tools of routes whose ids match and that the server does not offer, and marks those that the
 * configuration has put there and that are to leave.  `ids` NULL for none. */
int hf_route_tools_compare(haft_gateway *gateway, haft_server *server, const char *ids,
                           struct item **items, size_t *n);
/* Has the tools that the configuration has put there find their routes in this generation. */
void hf_route_tools_move(haft_gateway *gateway, haft_server *server, struct generation *generation);

/* The policies of a list of names, after the gateway's own; `what` is who lists them. */
int hf_policies_find(haft_gateway *gateway, const char *what, const char *names,
                     const struct policy_list **ret_list);
/* Whether one of them finds out who calls from outside, or refuses. */
bool hf_policies_authenticate(const struct policy_list *policies);
int hf_policies_install(haft_gateway *gateway);
/* Drops what policies and kinds have, but for the program's own unless it is the generation of these. */
void hf_policies_free(struct generation *generation);

/* ---- a request on its way ---- */

/* Headers that change: a list in the arena of a call. */
struct header_list {
    haft_header *list;
    size_t n, room;
};

/* How far a request has come. */
enum gateway_request_step { STEP_START, STEP_INBOUND, STEP_HANDLER, STEP_OUTBOUND, STEP_END };

/* A policy that has authenticated a call; its list lives at least as long as the calls within. */
struct authenticated {
    const struct authenticated *next;
    uint64_t by; /* its serial */
};

struct haft_gateway_request {
    haft_gateway *gateway;
    struct generation *generation;             /* that it began with; held */
    haft_call *call;                           /* whose arena everything is in */
    haft_request request;                      /* as policies have left it; its target is known */
    struct header_list changed;                /* its headers, once one of them was */
    const struct authenticated *authenticated; /* this request, or the call that invokes */
    struct match match;
    yyjson_val *input; /* as values, of a route that is called as a tool; NULL: in the request */
    bool written;      /* the request has been, of these */
    bool rewritten;    /* and changed by a policy: the input is read from it */
    const struct route *route; /* NULL when there is none */
    const struct policy_list *policies;
    size_t n_passed; /* of them, on the way in */
    enum gateway_request_step step;
    bool pending;                        /* the next policy, or the handler, has not answered yet */
    bool in_stages;                      /* what is pending is a stage in front of the handler, */
    bool in_line;                        /* or its turn to be run */
    atomic_uint wait;                    /* for it: who has come (gateway_request_wait.c) */
    int wait_status;                     /* that it was continued with */
    void (*on_continued)(void *carrier); /* called then, on the thread that continues */
    void *carrier;
    atomic_uint owners; /* whoever has made it; and whoever has yet to continue it, once that one
                           has gone on without it */
    int given_up;       /* what it is answered with, whatever comes; 0 while it is waited for */
    int abandoned;      /* the same, once it was left to whoever continues it */
    haft_header *query; /* names and values, decoded */
    size_t n_query;
    bool query_read;
    bool edge;           /* it came from outside, */
    bool mcp;            /* and is for an MCP endpoint */
    bool answered;       /* by haft_respond */
    int status_override; /* status of what is answered otherwise; 0 for the usual one */
    haft_response response;
    struct header_list headers; /* of the response */
    int failure;                /* to find a route */
    bool out_of_memory; /* somebody asked for what is there, and there was no memory to show it */
};

/* A request of a call of inner.c, which may be NULL; frees the call when there is no memory for it.  It
 * takes over the caller's hold of the generation, also then. */
haft_gateway_request *hf_gateway_request_of_call(struct generation *generation, haft_call *call,
                                                 const haft_request *request);
/* Finds the route that it is for, or says it; sets the deadline. */
void hf_gateway_request_find_route(haft_gateway_request *req);
void hf_gateway_request_set_route(haft_gateway_request *req, const struct route *route);
/* Through policies to a handler and back, as far as it goes: 0 when there is a response, HAFT_PENDING
 * when it is to be called again after hf_gateway_request_park.  A request to an endpoint ends behind the policies
 * that let it in; hf_gateway_request_outbound is left then, unless it is answered. */
int hf_gateway_request_advance(haft_gateway_request *req);
/* All of it.  It waits here, and not longer than the call has time; the request is left to whoever
 * continues it then, and haft_gateway_request_response says so. */
void hf_gateway_request_run(haft_gateway_request *req);

/* ---- waiting (gateway_request_wait.c) ---- */

/* Before something is called that may return HAFT_PENDING. */
void hf_gateway_request_expect(haft_gateway_request *req);
/* As hf_inner_on_finish wants it. */
void hf_gateway_request_continued(void *req, int status);
/* Has `on_continued` called when the request is continued, once, on any thread.  False when it has been
 * already: hf_gateway_request_advance is next. */
bool hf_gateway_request_park(haft_gateway_request *req, void (*on_continued)(void *carrier),
                             void *carrier);
/* It is not waited for any longer, and answered with this status when it is continued.  Tells the
 * stages if it waits for its handler. */
void hf_gateway_request_give_up(haft_gateway_request *req, int status);

/* ---- the policies around a request (gateway_request_policy.c) ---- */

/* The parts of the way: 0, HAFT_PENDING, or HAFT_STOP when it is answered. */
int hf_gateway_request_inbound(haft_gateway_request *req);
/* Answers a preflight by those of the policies that do; false when it is none, or none of them did. */
bool hf_gateway_request_preflight(haft_gateway_request *req, const struct policy_list *policies);
void hf_gateway_request_outbound(haft_gateway_request *req);

/* Answers when nobody waits for another answer, or the time is over: 1 when it has, 0, or
 * HAFT_ENOMEM. */
int hf_gateway_request_is_late(haft_gateway_request *req);
/* Answers 500 or 503; what happened is for the log. */
void hf_gateway_request_fail(haft_gateway_request *req, const char *who, int status);

/* An accessor that ran out of memory has shown as absent what is there. */
static inline int unless_out_of_memory(const haft_gateway_request *req, int status)
{
    return req->out_of_memory ? HAFT_ENOMEM : status;
}

/* The input of a route: from the path, the query, the body and the headers, as one object.  0;
 * HAFT_STOP when it has been answered (400, 415); or an error. */
int hf_input_read(haft_gateway_request *req, yyjson_val **ret_arguments);
/* Answers 400 with issues whose paths say where each value came from: `from`, or as the route has
 * it. */
int hf_input_refuse_issues(haft_gateway_request *req, const haft_issues *issues, const char *from);

/* Writes the HTTP request of one whose input is values, before somebody looks at it; 0, or HAFT_ENOMEM.
 * (values.c) */
int hf_values_write_request(haft_gateway_request *req);

/* A path with its escapes decoded; the path itself when it cannot be: it is refused where routes are
 * looked for.  NULL without memory. */
const char *hf_percent_decoded(haft_arena *arena, const char *path);

/* Reads the query into pairs; 0, HAFT_EINVAL when it is not well written, or HAFT_ENOMEM. */
int hf_query_read(haft_gateway_request *req);

/* ---- headers (response.c) ---- */

/* Sets a header, in the place of those of that name, unless `value` is NULL.  Both are copied. */
int hf_header_list_set(haft_arena *arena, struct header_list *headers, const char *name,
                       const char *value);
int hf_header_list_add(haft_arena *arena, struct header_list *headers, const char *name,
                       const char *value);
/* The same headers, which are not copied, in a list of the call's.  HAFT_ENOMEM, or 0. */
int hf_header_list_take(haft_arena *arena, struct header_list *headers, const haft_header *from,
                        size_t n);

/* Makes a response that lives long enough the request's. */
int hf_response_take(haft_gateway_request *req, const haft_response *response);

/* An answer with nothing but a status and its problem. */
int hf_respond_problem(haft_gateway_request *req, int status, const char *detail,
                       const haft_issues *issues);

#endif
