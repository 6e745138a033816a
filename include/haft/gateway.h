/* haft/gateway.h - routes, policies, and calls from one to the other without a network between.
 *
 *     HAFT_STRUCT(customer_key, HAFT_STRING(id, "The customer's number"));
 *     HAFT_STRUCT(customer, HAFT_STRING(id, "Its number"), HAFT_STRING(name, "Its name"));
 *
 *     static int get_customer(haft_call *call, const customer_key *in, customer *out)
 *     {
 *         ...
 *         return known ? 0 : haft_problem(call, 404, "There is no customer %s.", in->id);
 *     }
 *     HAFT_ROUTE(get_customer, "GET", "/customers/{id}", customer_key, customer, "Reads a customer",
 *                .policies = "keys, limit");
 *
 *     haft_gateway *gateway = haft_gateway_new(NULL);
 *     haft_policy_make(gateway, "limit", "rate-limit", "{\"calls\": 60, \"seconds\": 60}");
 *     haft_route_add(gateway, &get_customer_route);
 *     haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .tools = my_tools, .routes = "get_*"));
 *
 * A route is a handler like a tool's, with a method and a path in front of it: its one declared
 * input comes from the path, the query and the JSON body, its one declared output is the body of
 * the response.  Policies stand around it.  A handler, of a tool or of a route, calls routes by
 * haft_invoke: no socket, no HTTP text, the same policies.  Everything is added before the gateway
 * serves; what is wrong with it is refused then. */
#ifndef HAFT_GATEWAY_H
#define HAFT_GATEWAY_H

#include <haft/http.h>
#include <haft/pipeline.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_gateway haft_gateway;

/* ---- the gateway ------------------------------------------------------------------- */

/* Zero means the stated default. */
typedef struct haft_gateway_options {
    size_t struct_size; /* its sizeof */
    /* Of the routes: allocator, data, log, clock, timeout_ms, max_message (of a body), max_depth
     * (of JSON) ... */
    const haft_server_options *server;
    const char *policies; /* in front of those of every route */
    /* Headers that an invoke takes along from its caller; ends with NULL: accept-language,
     * traceparent, tracestate. */
    const char *const *forward;
    unsigned max_depth;   /* of invokes: 8 */
    unsigned max_invokes; /* of one request or call of a tool, with all that it leads to: 64 */
    unsigned workers;     /* threads of the gateway's own for haft_invoke_all: 4 */
    /* None of them: one after the other, where haft_invoke_all is called.  Passwords of basic-auth
     * have threads of their own in any case, started by the first one. */
    bool one_thread;
    const haft_executor *executor; /* these instead; must outlive the gateway */
} haft_gateway_options;

/* NULL without memory: then nothing can be added (HAFT_EINVAL), and haft_gateway_main says so. */
haft_gateway *haft_gateway_new(const haft_gateway_options *options);
/* Every request must have ended.  Frees the servers of its MCP endpoints too. */
void haft_gateway_free(haft_gateway *gateway);

/* What the latest refusal was about. */
const haft_reason *haft_gateway_error(const haft_gateway *gateway);

/* The server that the routes' calls belong to, each under the route's id: haft_stage_add, haft_audit_add and
 * haft_metrics_enable on it are for them.  Nothing is served from it. */
haft_server *haft_gateway_server(haft_gateway *gateway);

/* ---- requests and responses ------------------------------------------------------ */

/* The request that this call answers, as policies have left it; NULL in a call of a tool.  Its target
 * is known. */
const haft_request *haft_request_of(const haft_call *call);
/* By name, whatever its case; NULL when there is none. */
const char *haft_request_header(const haft_call *call, const char *name);
/* The value of a path's variable, and the first of a query's: decoded; NULL when there is none. */
const char *haft_path_value(const haft_call *call, const char *name);
const char *haft_query_value(haft_call *call, const char *name);
/* For policies, before the handler.  A value of NULL removes the header. */
int haft_request_set_header(haft_call *call, const char *name, const char *value);
int haft_request_set_body(haft_call *call, const char *body, size_t size);

/* For a policy that has found out who asks: haft_call_principal says so from then on. */
int haft_call_set_principal(haft_call *call, const char *principal);
/* For a policy that authenticates: whether the call is an invoke by one that this very policy has let
 * in.  The principal is the caller's then, and the policy may return 0.  False for every request from
 * outside, whatever principal it came with. */
bool haft_call_authenticated(const haft_call *call);

/* The answer of a route's handler, or of a policy in its place.  Text is copied.  Each returns 0
 * or an error; a handler that has answered returns that, a policy that has answered returns
 * HAFT_STOP. */
int haft_respond(haft_call *call, int status, const char *content_type, const void *body,
                 size_t size);
/* The status of an answer that is given by `out`, haft_text, haft_json or haft_error. */
int haft_response_set_status(haft_call *call, int status);
/* One header, in the place of any of that name; NULL removes it. */
int haft_response_set_header(haft_call *call, const char *name, const char *value);
/* One more, also of a name that is there: Set-Cookie, Link. */
int haft_response_add_header(haft_call *call, const char *name, const char *value);
/* An answer of type application/problem+json (RFC 9457); at an MCP endpoint, a JSON-RPC error. */
int haft_problem(haft_call *call, int status, const char *format, ...) HAFT_PRINTF_(3, 4);
/* What another route has answered, as it is. */
int haft_respond_with(haft_call *call, const haft_response *response);

/* What is going to be answered, for a policy on the way out. */
const haft_response *haft_response_of(const haft_call *call);

bool haft_response_ok(const haft_response *response); /* 200 to 299 */
const char *haft_response_header(const haft_response *response, const char *name);
/* Its body, read as JSON, in the call's memory; NULL when it is not. */
haft_value *haft_response_json(haft_call *call, const haft_response *response);
/* "Not Found"; "" for a status that has no name. */
const char *haft_status_text(int status);

/* ---- routes ------------------------------------------------------------------------ */

/* Where a field of the input comes from when it is not where it would be: a field that the path
 * names comes from there; the others from the query for GET, HEAD and DELETE, from the JSON body
 * for the rest. */
typedef enum haft_from { HAFT_FROM_QUERY = 1, HAFT_FROM_BODY, HAFT_FROM_HEADER } haft_from;

typedef struct haft_source {
    const char *field; /* its name on the wire */
    haft_from from;
    const char *as; /* of a header: its name; NULL: the field's */
} haft_source;

typedef struct haft_route {
    size_t struct_size; /* its sizeof */
    const char *method; /* GET answers HEAD too */
    const char *path;   /* "/customers/{id}"; a variable is one whole segment */
    const char *id;     /* unique; the name of the tool when it is listed as one */
    const char *description, *title;
    const char *policies; /* names, in the order in which they are passed on the way in */
    const haft_source *sources;
    size_t n_sources;
    haft_annotations annotations; /* as a tool */

    /* As in haft_tool. */
    const haft_type *input, *output;
    const haft_schema *input_schema, *output_schema;
    int (*call)(haft_call *call, const void *in, void *out);
    /* Instead: gets the input as JSON; without a schema, an object of the texts of path and
     * query. */
    haft_json_handler *handler;
    void *data;

    bool quick;          /* never blocks */
    unsigned timeout_ms; /* 0: the server's */
    haft_rate rate;
    /* Requests too many are 503.  They hold no thread while they wait for their turn. */
    unsigned max_running, max_waiting;
    /* The handler of an isolated route has its input, and answers by `out`, haft_text, haft_json or
     * haft_error: the request and haft_respond stay behind.  A crash is 502. */
    bool isolate;
    size_t isolate_memory;
} haft_route;

/* Adds a route; the constant must outlive the gateway.  0, or an error: a path that is none, a
 * route that is there already, two that differ in the name of a variable only, a policy or a field
 * that does not exist. */
int haft_route_add(haft_gateway *gateway, const haft_route *route);

/* A route known only at run time; texts are copied.  `id` NULL makes one of method and path. */
int haft_route_add_handler(haft_gateway *gateway, const char *method, const char *path,
                           const char *id, haft_json_handler *handler, void *data);

/* int fn(haft_call *, const In *, Out *) */
#define HAFT_ROUTE(fn, verb, template, In, Out, ...)                                               \
    HAFT_ROUTE_IS_(fn, (haft_call *, const In *, Out *))                                           \
    HAFT_DESCRIBED_("route " #fn, fn, __VA_ARGS__, 0)                                              \
    HAFT_ROUTE_CALL_(fn, fn(call_, (const In *)in_, (Out *)out_))                                  \
    HAFT_ROUTE_TABLE_(fn, fn##_route, #fn, verb, template, .input = &In##_type,                    \
                      .output = &Out##_type, .description = __VA_ARGS__)

/* int fn(haft_call *, const In *): it answers by haft_respond and its friends. */
#define HAFT_ROUTE_IN(fn, verb, template, In, ...)                                                 \
    HAFT_ROUTE_IS_(fn, (haft_call *, const In *))                                                  \
    HAFT_DESCRIBED_("route " #fn, fn, __VA_ARGS__, 0)                                              \
    HAFT_ROUTE_CALL_(fn, fn(call_, (const In *)in_))                                               \
    HAFT_ROUTE_TABLE_(fn, fn##_route, #fn, verb, template, .input = &In##_type,                    \
                      .description = __VA_ARGS__)

/* int fn(haft_call *, Out *) */
#define HAFT_ROUTE_OUT(fn, verb, template, Out, ...)                                               \
    HAFT_ROUTE_IS_(fn, (haft_call *, Out *))                                                       \
    HAFT_DESCRIBED_("route " #fn, fn, __VA_ARGS__, 0)                                              \
    HAFT_ROUTE_CALL_(fn, fn(call_, (Out *)out_))                                                   \
    HAFT_ROUTE_TABLE_(fn, fn##_route, #fn, verb, template, .output = &Out##_type,                  \
                      .description = __VA_ARGS__)

/* int fn(haft_call *) */
#define HAFT_ROUTE_BARE(fn, verb, template, ...)                                                   \
    HAFT_ROUTE_IS_(fn, (haft_call *))                                                              \
    HAFT_DESCRIBED_("route " #fn, fn, __VA_ARGS__, 0)                                              \
    HAFT_ROUTE_CALL_(fn, fn(call_))                                                                \
    HAFT_ROUTE_TABLE_(fn, fn##_route, #fn, verb, template, .description = __VA_ARGS__)

/* ---- policies ------------------------------------------------------------------------ */

/* For which requests a policy is there: those that come in from outside, those of haft_invoke, or
 * both.  A limit that must count a call once, whatever it leads to, is for the edge. */
typedef enum haft_scope { HAFT_BOTH, HAFT_EDGE, HAFT_INVOKE } haft_scope;

/* Policies are passed in the order in which they are listed on the way in, and in the other on the
 * way out.  One that stops a request is the last that is passed: those before it see the answer on
 * the way out. */
typedef struct haft_policy {
    size_t struct_size; /* its sizeof */
    const char *name;
    haft_scope scope;
    /* 0 to go on, HAFT_STOP after having answered, or an error: 500.  HAFT_PENDING when that is not
     * known yet: haft_continue says it, once, from any thread, and no thread waits meanwhile.
     * Anything else fails the request with 500, too. */
    int (*inbound)(haft_call *call, void *data);
    /* May change what haft_response_of shows; 0, or an error: 500.  It cannot wait. */
    int (*outbound)(haft_call *call, void *data);
    void *data;
    bool blocks;    /* may block the thread that calls it: a route with it is not quick */
    bool preflight; /* answers preflights (OPTIONS) of what lists it, before other policies */
    /* Whether pages of this origin may send requests to what lists it: the HTTP server refuses those
     * that neither its options nor a policy allows.  NULL: they may not. */
    bool (*allows_origin)(const char *origin, void *data);
    /* Lets nobody in whom it does not know: api-key and basic-auth do.  A gateway whose endpoints and
     * routes are all behind such a policy for requests from outside may listen off loopback. */
    bool authenticates;
} haft_policy;

/* Adds a policy under its name; it must outlive the gateway, or be in the plugin that brings it. */
int haft_policy_add(haft_gateway *gateway, const haft_policy *policy);

/* A kind of policy that is made from options: the built-in ones are api-key, basic-auth,
 * rate-limit, size-limit, set-headers, remove-headers, cors, validate, mock and sleep. */
typedef struct haft_policy_kind {
    size_t struct_size; /* its sizeof */
    const char *name;
    const haft_type *options; /* NULL: it has none */
    haft_scope scope;         /* unless another is asked for */
    /* Fills in *ret_policy, which has its name already, but for its scope.  `options` and what they
     * point to live as long as the policy, and so does what is taken from `arena`. */
    int (*make)(haft_gateway *gateway, const void *options, haft_arena *arena,
                haft_policy *ret_policy, haft_reason *reterr_reason);
    /* Of the policy, when no request uses it any more: on any thread, when the gateway is freed or a
     * configuration without it has taken its place.  May be NULL. */
    void (*drop)(void *data);
} haft_policy_kind;

int haft_policy_kind_add(haft_gateway *gateway, const haft_policy_kind *kind);

/* Makes a policy of a kind.  `options` is a JSON object, NULL for none. */
int haft_policy_make(haft_gateway *gateway, const char *name, const char *kind,
                     const char *options);
int haft_policy_make_for(haft_gateway *gateway, haft_scope scope, const char *name,
                         const char *kind, const char *options);

/* The same from configuration: an array of {"name", "policy", "scope": "edge"|"invoke"|"both",
 * "options"}. */
int haft_policies_json(haft_gateway *gateway, const char *json, size_t size);

/* ---- invoke ------------------------------------------------------------------------------ */

/* Zero means none. */
typedef struct haft_invoke_options {
    const haft_header *headers; /* besides those that the gateway forwards */
    size_t n_headers;
    const char *body; /* of type application/json unless a header says otherwise */
    size_t body_size; /* 0: its length */
} haft_invoke_options;

/* Calls a route in this process as if by a request: the policies of the route that are not for the
 * edge alone, its handler, and the policies again.  The caller's identity, deadline and
 * cancellation are the child's too; of its headers only the forwarded ones are.
 *
 * 0 with the response, whatever its status, in the call's memory: 404 when there is no such route,
 * 508 when invokes nest too deep, 429 when there were too many, 499 and 504 when the call has been
 * cancelled or its time is over.  Or HAFT_ENOMEM, or HAFT_ENOTFOUND when the call belongs to no
 * gateway.  It does not return before that, but not later than the call's time is over, either: what a
 * handler that has returned HAFT_PENDING answers after that is dropped.
 *
 * `target` is a path with its query; what is put into it is encoded by haft_url_encode. */
int haft_invoke(haft_call *call, const char *method, const char *target,
                const haft_invoke_options *options, haft_response *ret_response);

typedef struct haft_invocation {
    const char *method, *target;
    haft_invoke_options options;
    haft_response response; /* filled in */
} haft_invocation;

/* Several at once; when it returns all of them have ended.  0, or the error of the first that
 * failed; those that did not have their response. */
int haft_invoke_all(haft_call *call, haft_invocation *invocations, size_t n);

/* Text as one segment of a path, or one value of a query; in the call's memory, else NULL. */
const char *haft_url_encode(haft_call *call, const char *text);

/* The call that made this one; NULL for one that came from outside. */
const haft_call *haft_call_parent(const haft_call *call);

/* ---- MCP endpoints -------------------------------------------------------------------------- */

/* Zero means the stated default. */
typedef struct haft_mcp_options {
    size_t struct_size;            /* its sizeof */
    const char *name;              /* "MCP Custom Server" */
    const char *version;           /* "0.0.0" */
    const char *endpoint;          /* "/mcp" */
    const haft_tool *const *tools; /* ends with NULL */
    const char *routes;            /* ids of routes that are tools here too: "get_*,-*_secret" */
    const char *policies; /* around every HTTP request to the endpoint, on its way in and out */
    const haft_server_options *server; /* NULL: as the gateway's */
} haft_mcp_options;

/* Adds an endpoint with a server of its own, which stays the gateway's; NULL when it or one of its
 * tools is refused.  More may be added to the server, also while it serves. */
haft_server *haft_mcp_add(haft_gateway *gateway, const haft_mcp_options *options);

/* Lists a route as a tool of a server that haft_mcp_add has made.  Its arguments are the route's input;
 * a response that is not 2xx is an error with the text "HTTP 404 Not Found" and the body. */
int haft_route_tool(haft_gateway *gateway, haft_server *server, const char *route_id);

/* The endpoints, in the order they were added; NULL past the last. */
haft_server *haft_gateway_endpoint(const haft_gateway *gateway, size_t i, const char **ret_path);

/* ---- from outside: requests in, responses out ------------------------------------ */

/* A request on its way through the gateway.  It is made and freed on one thread; `run` may be
 * called on another, and cancelled and ticked while it runs.  `run` waits for what returns
 * HAFT_PENDING, until the request is cancelled or its time is over; memory is then kept for whoever
 * continues it, also after haft_gateway_request_free. */
typedef struct haft_gateway_request haft_gateway_request;

/* What is pointed to must live until the request is freed.  The path is taken as it came when the request
 * has no target.  NULL without memory. */
haft_gateway_request *haft_gateway_request_new(haft_gateway *gateway, const haft_request *request,
                                               haft_time now);
/* Whether it may be run on a thread that must not wait. */
bool haft_gateway_request_quick(const haft_gateway_request *req);
void haft_gateway_request_run(haft_gateway_request *req);
void haft_gateway_request_cancel(haft_gateway_request *req);
/* Tells it the time; false when its time is over (it is cancelled then). */
bool haft_gateway_request_tick(haft_gateway_request *req, haft_time now);
/* What is answered, once it has been run; lives as long as the request. */
const haft_response *haft_gateway_request_response(const haft_gateway_request *req);
void haft_gateway_request_free(haft_gateway_request *req);

/* The gateway as a part of an HTTP server (haft/http.h), which has its routes and its endpoints at
 * the path where it is mounted, "/" for all of them.  The gateway must outlive the server. */
const haft_app *haft_gateway_app(haft_gateway *gateway);

/* Serves the gateway and nothing else over HTTP, as haft_http_serve does; `path` and `mounts` of
 * the options do not count. */
int haft_gateway_serve(haft_gateway *gateway, const haft_http_options *options,
                       haft_reason *reterr_reason);

/* The command line that every server has (haft_main), for a gateway: --http serves its routes and
 * endpoints, --stdio its first endpoint, which is also what --list, --check and --call are about.
 * What is asked for by options counts for all endpoints, --path for the first.  A section of the
 * configuration (haft_section_add on haft_gateway_server) may add policies, routes and endpoints when
 * it is prepared for the first time.  Takes over the gateway, which may be NULL (there was no
 * memory for it), and frees it.  Returns the exit status. */
int haft_gateway_main(haft_gateway *gateway, int argc, char **argv);

/* ---- in a plugin (haft/plugin.h) --------------------------------------------------- */

enum { HAFT_GATEWAY_SIZES_ = 4 };

/* What a plugin adds to the gateway that loads it.  The lists end with NULL; NULL for none.
 *
 *     HAFT_PLUGIN_WITH(.tools = HAFT_TOOLS(&buy_tool),
 *                      .gateway = HAFT_GATEWAY_PART(.routes = HAFT_ROUTES(&get_customer_route))); */
typedef struct haft_gateway_part {
    unsigned sizes[HAFT_GATEWAY_SIZES_]; /* of this struct and of those below */
    const haft_policy_kind *const *policy_kinds;
    const haft_policy *const *policies;
    const haft_route *const *routes;
} haft_gateway_part;

#define HAFT_ROUTES(...) ((const haft_route *const[]){__VA_ARGS__, NULL})
#define HAFT_POLICIES(...) ((const haft_policy *const[]){__VA_ARGS__, NULL})
#define HAFT_POLICY_KINDS(...) ((const haft_policy_kind *const[]){__VA_ARGS__, NULL})
#define HAFT_GATEWAY_PART(...)                                                                     \
    ((const haft_gateway_part[]){{.sizes = HAFT_GATEWAY_LAYOUT_, __VA_ARGS__}})

/* ---- from a configuration file ------------------------------------------------------- */

/* Lets the configuration file (--config) of haft_gateway_main say what the gateway has: the section
 * "plugins" lists shared objects, the section "gateway" has policies, those around routes, and MCP
 * endpoints (docs/gateway.md).  Added to what is there already: first what plugins bring, then the
 * configuration's policies, then endpoints, which offer the tools of plugins.
 *
 * `endpoint` is added when neither the program nor the file has an endpoint; NULL for one of
 * defaults.  It must live until haft_gateway_main returns.  What is wrong with a file is reported,
 * with its place, before anything is served.
 *
 * At SIGHUP all of it is replaced, or nothing: plugins, policies, routes and endpoints.  Requests in flight
 * finish with what they began with; an endpoint of the same path, name and version keeps its sessions.  What
 * had authentication keeps some until a restart.  0, or an error as for haft_section_add. */
int haft_gateway_configure(haft_gateway *gateway, const haft_mcp_options *endpoint);

/* Names a plugin to load besides those of the file, after haft_gateway_configure and before
 * haft_gateway_main.  The text is copied.  0; HAFT_ENOMEM; HAFT_EINVAL for a gateway that is not
 * configured. */
int haft_gateway_plugin(haft_gateway *gateway, const char *path);

/* ---- behind the macros ---- */

#define HAFT_GATEWAY_LAYOUT_                                                                       \
    {                                                                                              \
        (unsigned)sizeof(haft_gateway_part), (unsigned)sizeof(haft_policy_kind),                   \
            (unsigned)sizeof(haft_policy), (unsigned)sizeof(haft_route)                            \
    }

#define HAFT_ROUTE_IS_(fn, parameters)                                                             \
    HAFT_C_ALONE_                                                                                  \
    _Static_assert(_Generic(&fn, int(*) parameters : 1, default : 0),                              \
                   "route " #fn ": the handler must be int " #fn #parameters);
#define HAFT_ROUTE_CALL_(fn, expression)                                                           \
    static int fn##_serve_(haft_call *call_, const void *in_, void *out_)                          \
    {                                                                                              \
        (void)in_;                                                                                 \
        (void)out_;                                                                                \
        return expression;                                                                         \
    }
#define HAFT_ROUTE_TABLE_(fn, route, text, verb, template, ...)                                    \
    HAFT_OVERRIDES_BEGIN_                                                                          \
    static const haft_route route = {.struct_size = sizeof(haft_route),                            \
                                     .id = text,                                                   \
                                     .method = verb,                                               \
                                     .path = template,                                             \
                                     .call = fn##_serve_,                                          \
                                     __VA_ARGS__};                                                 \
    HAFT_OVERRIDES_END_                                                                            \
    _Static_assert(1, "")

#ifdef __cplusplus
}
#endif
#endif
