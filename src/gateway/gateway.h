/* gateway/gateway.h - what the files of the gateway share.
 *
 * Everything that is added lives in the gateway's arena and does not change once it serves, so that
 * requests on any number of threads read it without a lock. */
#ifndef HAFT_SRC_GATEWAY_H
#define HAFT_SRC_GATEWAY_H

#include <haft/gateway.h>

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
    const char *made_of; /* of a kind whose policies may be kept when others are replaced */
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

/* The policies around a route or an endpoint, which can be replaced while requests are answered: a
 * request keeps to the list that it began with, and no list is freed before the gateway. */
typedef _Atomic(const struct policy_list *) policy_lists;

/* A field of a route's input, and where it comes from. */
enum origin { ORIGIN_PATH, ORIGIN_QUERY, ORIGIN_BODY, ORIGIN_HEADER };

struct field {
    const char *name;
    size_t size;
    enum origin origin;
    const char *as; /* its name there */
};

struct route {
    struct route *next; /* of the gateway's */
    const haft_route *info;
    const char *method, *path, *id;
    haft_tool tool;     /* as the routes' server has it */
    struct item *item;  /* counted */
    struct entry entry; /* the item, as a call finds it */
    struct template path_template;
    struct field *fields;
    size_t n_fields;
    bool has_body; /* a field comes from it */
    policy_lists policies;
};

struct mcp {
    struct mcp *next;
    const char *path;
    haft_server *server;
    policy_lists policies;
    haft_stage forward; /* keeps the headers that invokes take along */
};

struct executor;
struct configuration;

struct haft_gateway {
    haft_gateway_options options;
    const haft_allocator *allocator;
    haft_arena *arena;
    haft_server *server; /* of the routes */
    struct router router;
    struct route *routes, **last_route;
    struct policy *policies;
    struct policy *replaced; /* those before, while others are made in their place; else NULL */
    struct kind *kinds;
    struct mcp *endpoints, **last_endpoint;
    struct executor *workers;   /* for haft_invoke_all; NULL when there are none */
    struct executor *verifiers; /* threads that check passwords; NULL before a policy needs them */
    haft_executor executor;
    haft_app app; /* haft_gateway_app */
    haft_reason error;
    struct configuration *configuration; /* NULL when it has none */
    /* As the HTTP server is told: of every endpoint, but for the old transport, which the first one
     * has. */
    size_t max_sessions;
    unsigned session_idle_ms;
    bool legacy_sse;
};

/* Puts a gateway into the options of an HTTP server, as its only app; `mount` and `app` must
 * outlive it. */
int hf_gateway_mount(haft_gateway *gateway, haft_http_options *http, haft_http_mount *mount,
                     haft_app *app, haft_reason *reterr_reason);

/* Keeps why something was refused, logs it, and returns the code. */
int hf_gateway_refuse(haft_gateway *gateway, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);

/* As hf_struct_view, for a struct of that type and in the gateway's arena; what is refused is kept and logged. */
int hf_gateway_view(haft_gateway *gateway, const char *type, const void *given, size_t own,
                    const void **ret_view);

struct route *hf_route_named(const haft_gateway *gateway, const char *id);

/* Lists the routes whose ids match as tools of an endpoint's server; NULL for none. */
int hf_mcp_add_routes(haft_gateway *gateway, haft_server *server, const char *ids);

/* The policies of a list of names, after the gateway's own; `what` is who lists them. */
int hf_policies_find(haft_gateway *gateway, const char *what, const char *names,
                     const struct policy_list **ret_list);
/* Drops what policies have, up to one of them; the list ends with NULL. */
void hf_policies_drop(struct policy *policies, const struct policy *end);
/* Whether one of them finds out who calls from outside, or refuses. */
bool hf_policies_authenticate(const struct policy_list *policies);
int hf_policies_install(haft_gateway *gateway);
void hf_policies_free(haft_gateway *gateway);

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
    const struct policy *by;
};

struct haft_gateway_request {
    haft_gateway *gateway;
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

/* A request of a call of inner.c, which may be NULL; frees the call when there is no memory for it. */
haft_gateway_request *hf_gateway_request_of_call(haft_gateway *gateway, haft_call *call,
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
