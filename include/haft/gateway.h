/* haft/gateway.h - a gateway: routes, policies, and calls from handlers to routes without a network
 * hop.
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
 * A route is a handler like that of a tool, with a method and a path.  Its declared input comes
 * from the path, the query and the JSON body; its declared output is the body of the response.
 * Policies wrap routes and MCP endpoints.  A handler of a tool or a route calls routes with
 * haft_invoke: no socket, no HTTP text, the same policies.  Routes and policies are added before
 * the gateway serves, and errors are reported then.
 *
 * Functions that take a gateway may be called by one thread at a time, before it serves.  Functions
 * that take a call may be called by the thread that runs the handler or policy. */
#ifndef HAFT_GATEWAY_H
#define HAFT_GATEWAY_H

#include <haft/http.h>
#include <haft/pipeline.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A gateway. */
typedef struct haft_gateway haft_gateway;

/* ---- the gateway ------------------------------------------------------------------- */

/* Options of a gateway.  Zero means the default in each description. */
typedef struct haft_gateway_options {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    /* Options for routes: allocator, data, log, clock, timeout_ms, max_message (of a body),
     * max_depth (of JSON) and others. */
    const haft_server_options *server;
    const char *policies; /* names of policies that wrap all routes, before their own */
    /* Headers that haft_invoke copies from the caller's request; ends with NULL: accept-language,
     * traceparent, tracestate. */
    const char *const *forward;
    unsigned max_depth;   /* maximum nesting of invokes: 8 */
    unsigned max_invokes; /* invokes of one request or tool call, including nested ones: 64 */
    unsigned workers;     /* threads of the gateway for haft_invoke_all: 4 */
    /* No such threads: haft_invoke_all runs one after the other on the calling thread.  Passwords
     * of basic-auth have threads of their own in any case, which the first request starts. */
    bool one_thread;
    const haft_executor *executor; /* use these threads instead; must outlive the gateway */
} haft_gateway_options;

/* Creates a gateway. options may be NULL.  Returns NULL if memory runs out: functions that add to a
 * NULL gateway then return HAFT_EINVAL, and haft_gateway_main reports it. */
haft_gateway *haft_gateway_new(const haft_gateway_options *options);
/* Frees a gateway and the servers of its MCP endpoints.  Every request must have ended.  Accepts
 * NULL. */
void haft_gateway_free(haft_gateway *gateway);

/* Returns the reason of the latest refusal. */
const haft_reason *haft_gateway_error(const haft_gateway *gateway);

/* Returns the server that calls of routes belong to, under the ids of the routes. haft_stage_add,
 * haft_audit_add and haft_metrics_enable on it apply to routes.  It must not be served itself. */
haft_server *haft_gateway_server(haft_gateway *gateway);

/* ---- requests and responses ------------------------------------------------------ */

/* Returns the request that a call answers, as policies have changed it; NULL in a call of a tool.
 * Its target is set. */
const haft_request *haft_request_of(const haft_call *call);
/* Returns a header of the request by its name, in any case; NULL if there is none. */
const char *haft_request_header(const haft_call *call, const char *name);
/* Return the value of a variable in the path, or the first value of a name in the query, decoded;
 * NULL if there is none.  The strings live as long as the call. */
const char *haft_path_value(const haft_call *call, const char *name);
const char *haft_query_value(haft_call *call, const char *name);
/* Change the request, for policies before the handler.  A value of NULL removes the header.  Text
 * is copied.  Each returns 0 or an error. */
int haft_request_set_header(haft_call *call, const char *name, const char *value);
int haft_request_set_body(haft_call *call, const char *body, size_t size);

/* Sets the identity of the caller, for a policy that authenticates; haft_call_principal returns it
 * from then on.  The text is copied.  Returns 0 or HAFT_ENOMEM. */
int haft_call_set_principal(haft_call *call, const char *principal);
/* The same with more than the principal: haft_call_identity returns it, and scopes and rules apply to
 * the call (haft/access.h).  Everything is copied.  Returns 0; HAFT_EINVAL if it has no principal;
 * HAFT_ENOMEM. */
int haft_call_set_identity(haft_call *call, const haft_identity *identity);
/* Returns whether the call is an invoke by a call that this same policy has admitted, for a policy
 * that authenticates.  The principal is then that of the caller, and the policy may return 0.
 * False for every request from outside, whatever its principal is. */
bool haft_call_authenticated(const haft_call *call);

/* Answers a request with a status, a media type and a body, in a handler of a route or in a policy.
 * Everything is copied.  Returns 0 or an error; a handler returns that value, a policy returns
 * HAFT_STOP after it has answered. */
int haft_respond(haft_call *call, int status, const char *content_type, const void *body,
                 size_t size);
/* Sets the status of an answer that the handler gives with `out`, haft_text, haft_json or
 * haft_error.  Returns 0 or an error. */
int haft_response_set_status(haft_call *call, int status);
/* Sets a header of the response, replacing any of that name; a value of NULL removes it.  Text is
 * copied.  Returns 0 or an error. */
int haft_response_set_header(haft_call *call, const char *name, const char *value);
/* Adds a header to the response, also if there is one of that name: Set-Cookie, Link.  Text is
 * copied.  Returns 0 or an error. */
int haft_response_add_header(haft_call *call, const char *name, const char *value);
/* Answers with a problem document, application/problem+json (RFC 9457); at an MCP endpoint, with a
 * JSON-RPC error.  Returns as haft_respond. */
int haft_problem(haft_call *call, int status, const char *format, ...) HAFT_PRINTF_(3, 4);
/* Answers with the response of another route.  Returns as haft_respond. */
int haft_respond_with(haft_call *call, const haft_response *response);

/* Returns the response that will be sent, for `outbound` of a policy. */
const haft_response *haft_response_of(const haft_call *call);

/* Inspect a response. */
bool haft_response_ok(const haft_response *response); /* whether its status is from 200 to 299 */
const char *haft_response_header(const haft_response *response, const char *name); /* NULL: none */
/* Parses the body of a response as JSON, in the call's memory.  Returns NULL if it is not valid
 * JSON or memory runs out. */
haft_value *haft_response_json(haft_call *call, const haft_response *response);
/* Returns the reason phrase of a status code, such as "Not Found"; "" for an unknown one.  A
 * constant. */
const char *haft_status_text(int status);

/* ---- routes ------------------------------------------------------------------------ */

/* Where a field of a route's input comes from, if not from the default: a field that the path names
 * comes from the path; others come from the query for GET, HEAD and DELETE, and from the JSON body
 * for other methods. */
typedef enum haft_from {
    HAFT_FROM_QUERY = 1, /* the query */
    HAFT_FROM_BODY,      /* the JSON body */
    HAFT_FROM_HEADER     /* a header */
} haft_from;

/* The source of one field of a route's input. */
typedef struct haft_source {
    const char *field; /* name of the field on the wire */
    haft_from from;    /* where it comes from */
    const char *as;    /* name of the header; NULL: the name of the field */
} haft_source;

/* A route.  Zero means the default in each description. */
typedef struct haft_route {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *method; /* "GET", "POST", ...; GET also answers HEAD */
    const char *path;   /* "/customers/{id}"; a variable is one whole segment */
    const char *id;     /* unique id; also the name of the tool if it is offered as one */
    const char *description, *title; /* description and title of the tool; the title may be NULL */
    const char *policies;            /* names of policies, outermost first: "keys, limit" */
    const haft_source *sources;      /* fields that do not come from the default source */
    size_t n_sources;                /* number of sources */
    haft_annotations annotations;    /* hints for clients, if it is offered as a tool */

    /* declared types of the input and of the output, as in haft_tool */
    const haft_type *input, *output;
    const haft_schema *input_schema, *output_schema; /* schemas instead of types, as in haft_tool */
    int (*call)(haft_call *call, const void *in, void *out); /* handler, as in haft_tool */
    /* Handler instead of `call` that gets the input as JSON; without a schema, an object with the
     * values of path and query as strings. */
    haft_json_handler *handler;
    void *data; /* pointer of the program: haft_tool_data */

    bool quick;          /* never blocks */
    unsigned timeout_ms; /* time limit; 0: that of the server */
    haft_rate rate;      /* rate limit of each client: none */
    /* As in haft_tool; requests over the limit are answered with 503.  They hold no thread while
     * they wait. */
    unsigned max_running, max_waiting;
    /* Runs the handler in a process of its own.  It gets its input, and answers with `out`,
     * haft_text, haft_json or haft_error; the request and haft_respond are not available.  A crash
     * is answered with 502. */
    bool isolate;
    size_t isolate_memory; /* bytes of address space of that process; 0: as the server */
    const char *scopes;    /* scopes that a request requires, as in haft_tool */
} haft_route;

/* Adds a route.  The constant must outlive the gateway.  Returns 0 or an error, with the reason in
 * haft_gateway_error: an invalid path, a route that exists, two routes that differ only in the name
 * of a variable, a policy or a field that does not exist. */
int haft_route_add(haft_gateway *gateway, const haft_route *route);

/* Adds a route that is known only at run time.  Text is copied.  If `id` is NULL, the id is made
 * from method and path.  Returns as haft_route_add. */
int haft_route_add_handler(haft_gateway *gateway, const char *method, const char *path,
                           const char *id, haft_json_handler *handler, void *data);

/* Defines the route fn_route with a declared input and output.  The handler is int fn(haft_call *,
 * const In *, Out *). */
#define HAFT_ROUTE(fn, verb, template, In, Out, ...)                                               \
    HAFT_ROUTE_IS_(fn, (haft_call *, const In *, Out *))                                           \
    HAFT_DESCRIBED_("route " #fn, fn, __VA_ARGS__, 0)                                              \
    HAFT_ROUTE_CALL_(fn, fn(call_, (const In *)in_, (Out *)out_))                                  \
    HAFT_ROUTE_TABLE_(fn, fn##_route, #fn, verb, template, .input = &In##_type,                    \
                      .output = &Out##_type, .description = __VA_ARGS__)

/* Defines the route fn_route with a declared input.  The handler is int fn(haft_call *, const In *)
 * and answers with haft_respond and similar functions. */
#define HAFT_ROUTE_IN(fn, verb, template, In, ...)                                                 \
    HAFT_ROUTE_IS_(fn, (haft_call *, const In *))                                                  \
    HAFT_DESCRIBED_("route " #fn, fn, __VA_ARGS__, 0)                                              \
    HAFT_ROUTE_CALL_(fn, fn(call_, (const In *)in_))                                               \
    HAFT_ROUTE_TABLE_(fn, fn##_route, #fn, verb, template, .input = &In##_type,                    \
                      .description = __VA_ARGS__)

/* Defines the route fn_route with a declared output.  The handler is int fn(haft_call *, Out *). */
#define HAFT_ROUTE_OUT(fn, verb, template, Out, ...)                                               \
    HAFT_ROUTE_IS_(fn, (haft_call *, Out *))                                                       \
    HAFT_DESCRIBED_("route " #fn, fn, __VA_ARGS__, 0)                                              \
    HAFT_ROUTE_CALL_(fn, fn(call_, (Out *)out_))                                                   \
    HAFT_ROUTE_TABLE_(fn, fn##_route, #fn, verb, template, .output = &Out##_type,                  \
                      .description = __VA_ARGS__)

/* Defines the route fn_route without declared types.  The handler is int fn(haft_call *). */
#define HAFT_ROUTE_BARE(fn, verb, template, ...)                                                   \
    HAFT_ROUTE_IS_(fn, (haft_call *))                                                              \
    HAFT_DESCRIBED_("route " #fn, fn, __VA_ARGS__, 0)                                              \
    HAFT_ROUTE_CALL_(fn, fn(call_))                                                                \
    HAFT_ROUTE_TABLE_(fn, fn##_route, #fn, verb, template, .description = __VA_ARGS__)

/* ---- policies ------------------------------------------------------------------------ */

/* The requests that a policy applies to.  A limit that must count a call once, whatever it invokes,
 * is for the edge. */
typedef enum haft_scope {
    HAFT_BOTH,  /* all requests */
    HAFT_EDGE,  /* requests from outside */
    HAFT_INVOKE /* requests of haft_invoke */
} haft_scope;

/* A policy.  Requests pass policies in the order in which they are listed, and responses pass them
 * in reverse.  After a policy that stops a request, no further policy sees it; those before it see
 * the response. */
typedef struct haft_policy {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *name;   /* name that routes and endpoints list */
    haft_scope scope;   /* requests that it applies to */
    /* Called before the handler.  Returns 0 to continue, HAFT_STOP after it has answered,
     * HAFT_PENDING to decide later with haft_continue (no thread waits meanwhile), or an error:
     * 500.  Any other value also fails the request with 500.  May be NULL. */
    int (*inbound)(haft_call *call, void *data);
    /* Called before the response is sent; may change what haft_response_of returns.  Returns 0, or
     * an error: 500.  It cannot wait.  May be NULL. */
    int (*outbound)(haft_call *call, void *data);
    void *data;     /* last argument of the functions */
    bool blocks;    /* may block the calling thread: a route with it is not quick */
    bool preflight; /* answers OPTIONS requests of its routes, before other policies */
    /* Returns whether pages of this origin may send requests to what lists the policy: the HTTP
     * server refuses those that neither its options nor a policy allow.  NULL: they may not. */
    bool (*allows_origin)(const char *origin, void *data);
    /* Admits only callers that it knows, as api-key and basic-auth do.  A gateway may listen on
     * other addresses than loopback if such a policy guards all its endpoints and routes for
     * requests from outside. */
    bool authenticates;
} haft_policy;

/* Adds a policy under its name.  It must outlive the gateway, or be in the plugin that provides it.
 * Returns 0 or an error, with the reason in haft_gateway_error. */
int haft_policy_add(haft_gateway *gateway, const haft_policy *policy);

/* A kind of policy that is made from options.  The built-in kinds are oauth, api-key,
 * basic-auth, rate-limit, size-limit, set-headers, remove-headers, cors, validate, mock and sleep
 * (haft-policies(7)). */
typedef struct haft_policy_kind {
    size_t struct_size;       /* set by HAFT_INIT or HAFT_WITH */
    const char *name;         /* name of the kind */
    const haft_type *options; /* declared type of the options; NULL: it has none */
    haft_scope scope;         /* default scope of its policies */
    /* Fills in *ret_policy, except for its name, which is set, and its scope.  `options`, what they
     * point to, and memory of `arena` live as long as the policy.  Returns 0, or an error with the
     * reason. */
    int (*make)(haft_gateway *gateway, const void *options, haft_arena *arena,
                haft_policy *ret_policy, haft_reason *reterr_reason);
    /* Frees the data of a policy when no request uses it any more: on any thread, when the gateway
     * is freed or a configuration without it has replaced the old one.  May be NULL. */
    void (*drop)(void *data);
    /* Reads the files of a policy again, while requests use it: called at SIGHUP, before the
     * configuration is read and whether or not that is right.  Returns 0, or an error with the
     * reason: the policy remains as it was.  May be NULL.  A policy whose option named "file" or
     * ending in "_file" names a changed file is made again in any case. */
    int (*reload)(void *data, haft_reason *reterr_reason);
} haft_policy_kind;

/* Adds a kind of policies.  It must outlive the gateway.  Returns 0 or an error. */
int haft_policy_kind_add(haft_gateway *gateway, const haft_policy_kind *kind);

/* Make a policy of a kind, with the scope of the kind or another one.  `options` is a JSON object,
 * or NULL for none.  Text is copied.  Each returns 0 or an error, with the reason in
 * haft_gateway_error. */
int haft_policy_make(haft_gateway *gateway, const char *name, const char *kind,
                     const char *options);
int haft_policy_make_for(haft_gateway *gateway, haft_scope scope, const char *name,
                         const char *kind, const char *options);

/* Makes policies from configuration: a JSON array of objects with `name`, `policy` (the kind),
 * `scope` ("edge", "invoke" or "both") and `options`.  Returns as haft_policy_make. */
int haft_policies_json(haft_gateway *gateway, const char *json, size_t size);

/* ---- invoke ------------------------------------------------------------------------------ */

/* Headers and body of an invoke.  Zero means none. */
typedef struct haft_invoke_options {
    const haft_header *headers; /* in addition to those that the gateway forwards */
    size_t n_headers;           /* number of headers */
    const char *body;           /* application/json unless a header says otherwise */
    size_t body_size;           /* bytes of the body; 0: up to its NUL */
} haft_invoke_options;

/* Calls a route in this process, as a request would: the policies of the route that are not only
 * for the edge, its handler, and the policies again.  The route gets the caller's identity,
 * deadline and cancellation, and only the forwarded headers.  `target` is a path with its query;
 * haft_url_encode encodes values in it.
 *
 * Returns 0 with the response, whatever its status, in the call's memory: 404 if there is no such
 * route, 508 if invokes are nested too deeply, 429 if there were too many, 499 and 504 if the call
 * was cancelled or its time is over.  Returns HAFT_ENOMEM, or HAFT_ENOTFOUND if the call does not
 * belong to a gateway.  It returns when the route has answered, and at the latest when the call's
 * time is over: an answer that a pending handler gives later is dropped. */
int haft_invoke(haft_call *call, const char *method, const char *target,
                const haft_invoke_options *options, haft_response *ret_response);

/* One of several invokes. */
typedef struct haft_invocation {
    const char *method, *target; /* method and target of the request */
    haft_invoke_options options; /* headers and body */
    haft_response response;      /* filled in by haft_invoke_all */
} haft_invocation;

/* Invokes several routes in parallel, and returns when all have ended.  Returns 0, or the error of
 * the first that failed; the others have their responses. */
int haft_invoke_all(haft_call *call, haft_invocation *invocations, size_t n);

/* Encodes text as one segment of a path or one value of a query, in the call's memory.  Returns
 * NULL if memory runs out. */
const char *haft_url_encode(haft_call *call, const char *text);

/* Returns the call that invoked this one; NULL if it came from outside. */
const haft_call *haft_call_parent(const haft_call *call);

/* ---- MCP endpoints -------------------------------------------------------------------------- */

/* Options of an MCP endpoint.  Zero means the default in each description. */
typedef struct haft_mcp_options {
    size_t struct_size;            /* set by HAFT_INIT or HAFT_WITH */
    const char *name;              /* "MCP Custom Server" */
    const char *version;           /* "0.0.0" */
    const char *endpoint;          /* path: "/mcp" */
    const haft_tool *const *tools; /* tools; ends with NULL */
    const char *routes;   /* patterns of ids of routes to offer as tools: "get_*,-*_secret" */
    const char *policies; /* names of policies around every HTTP request to the endpoint */
    const haft_server_options *server; /* options of its server; NULL: those of the gateway */
} haft_mcp_options;

/* Adds an MCP endpoint with a server of its own, which belongs to the gateway.  Returns the server,
 * to which more may be added, also while it serves; NULL if the endpoint or one of its tools is
 * refused, with the reason in haft_gateway_error. */
haft_server *haft_mcp_add(haft_gateway *gateway, const haft_mcp_options *options);

/* Offers a route as a tool of a server from haft_mcp_add.  Its arguments are the route's input.  A
 * response other than 2xx is an error with the text "HTTP 404 Not Found" and the body.  Returns 0
 * or an error. */
int haft_route_tool(haft_gateway *gateway, haft_server *server, const char *route_id);

/* Returns the server of an endpoint, in the order in which they were added, and its path; NULL
 * after the last. */
haft_server *haft_gateway_endpoint(const haft_gateway *gateway, size_t i, const char **ret_path);

/* ---- without sockets: requests in, responses out ------------------------------------ */

/* A request on its way through the gateway.  It is created and freed on one thread;
 * haft_gateway_request_run may be called on another one, and the request may be cancelled and
 * ticked while it runs.  It waits for a handler or policy that returns HAFT_PENDING until the
 * request is cancelled or its time is over; the memory is then kept until haft_continue or
 * haft_finish, also after haft_gateway_request_free. */
typedef struct haft_gateway_request haft_gateway_request;

/* Creates a request.  What `request` points to must live until it is freed.  If it has no target,
 * the path is used.  Returns NULL if memory runs out. */
haft_gateway_request *haft_gateway_request_new(haft_gateway *gateway, const haft_request *request,
                                               haft_time now);
/* Run a request. haft_gateway_request_quick returns whether it may run on a thread that must not
 * block. */
bool haft_gateway_request_quick(const haft_gateway_request *req);
void haft_gateway_request_run(haft_gateway_request *req);
void haft_gateway_request_cancel(haft_gateway_request *req);
/* Passes the time to a request.  Returns false if its time is over; it is then cancelled. */
bool haft_gateway_request_tick(haft_gateway_request *req, haft_time now);
/* Return the response of a request that has been run, which lives as long as the request; and free
 * a request. */
const haft_response *haft_gateway_request_response(const haft_gateway_request *req);
void haft_gateway_request_free(haft_gateway_request *req);

/* Returns the gateway as a part of an HTTP server (haft/http.h), with its routes and endpoints
 * below the path where it is mounted, "/" for all of them.  The gateway must outlive the HTTP
 * server. */
const haft_app *haft_gateway_app(haft_gateway *gateway);

/* Serves only the gateway over HTTP, as haft_http_serve does; `path` and `mounts` of the options
 * have no effect. */
int haft_gateway_serve(haft_gateway *gateway, const haft_http_options *options,
                       haft_reason *reterr_reason);

/* Runs the command line that every server has (haft_main), for a gateway: --http serves its routes
 * and endpoints, --stdio its first endpoint, which --list, --check and --call also use.  Options
 * apply to all endpoints, --path to the first one.  A section of the configuration
 * (haft_section_add on haft_gateway_server) may add policies, routes and endpoints when it is
 * prepared for the first time.  Takes ownership of the gateway, and frees it; gateway may be NULL,
 * if memory ran out for it.  Returns the exit status of the program. */
int haft_gateway_main(haft_gateway *gateway, int argc, char **argv);

/* ---- in a plugin (haft/plugin.h) --------------------------------------------------- */

enum { HAFT_GATEWAY_SIZES_ = 4 };

/* What a plugin adds to the gateway that loads it.  Lists end with NULL; a list that is NULL is
 * empty.
 *
 *     HAFT_PLUGIN_WITH(.tools = HAFT_TOOLS(&buy_tool),
 *                      .gateway = HAFT_GATEWAY_PART(.routes =
 * HAFT_ROUTES(&get_customer_route))); */
typedef struct haft_gateway_part {
    unsigned sizes[HAFT_GATEWAY_SIZES_];         /* sizes of this struct and of those below */
    const haft_policy_kind *const *policy_kinds; /* kinds of policies (HAFT_POLICY_KINDS) */
    const haft_policy *const *policies;          /* policies (HAFT_POLICIES) */
    const haft_route *const *routes;             /* routes (HAFT_ROUTES) */
} haft_gateway_part;

/* Lists for a haft_gateway_part, ending with NULL, and the part itself. */
#define HAFT_ROUTES(...) ((const haft_route *const[]){__VA_ARGS__, NULL})
#define HAFT_POLICIES(...) ((const haft_policy *const[]){__VA_ARGS__, NULL})
#define HAFT_POLICY_KINDS(...) ((const haft_policy_kind *const[]){__VA_ARGS__, NULL})
#define HAFT_GATEWAY_PART(...)                                                                     \
    ((const haft_gateway_part[]){{.sizes = HAFT_GATEWAY_LAYOUT_, __VA_ARGS__}})

/* ---- from a configuration file ------------------------------------------------------- */

/* Lets the configuration file (--config) of haft_gateway_main describe the gateway: the section
 * "plugins" lists shared objects; the section "gateway" has policies, the policies of routes, and
 * MCP endpoints (docs/gateway.md).  They are added to what the gateway has: first what plugins
 * provide, then policies, then endpoints, which offer the tools of plugins.  Errors in a file are
 * reported, with their location, before anything is served.
 *
 * `endpoint` is added if neither the program nor the file has an endpoint; NULL for one with
 * defaults.  It must live until haft_gateway_main returns.
 *
 * At SIGHUP everything is replaced, or nothing: plugins, policies, routes and endpoints.  Requests
 * in flight finish with the configuration that they started with; an endpoint with the same path,
 * name and version keeps its sessions.  What had authentication keeps some until a restart.
 * Returns as haft_section_add. */
int haft_gateway_configure(haft_gateway *gateway, const haft_mcp_options *endpoint);

/* Names a plugin to load in addition to those of the file, after haft_gateway_configure and before
 * haft_gateway_main.  The text is copied.  Returns 0, HAFT_ENOMEM, or HAFT_EINVAL if
 * haft_gateway_configure was not called. */
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
