/* invoke.c - calls a route from a handler: without a socket or HTTP text, with the same policies.
 *
 * The invocation is a call nested in the caller's, created and freed on the caller's thread; only
 * its execution can be elsewhere. Several at once are a shared list of work: the caller processes
 * it as well, so nothing waits for a thread that may never be free. */
#include <string.h>
#include <uv.h>

#include "gateway/gateway.h"
#include "gateway/invoke.h"
#include "gateway/inflight.h"
#include "gateway/values.h"
#include "engine/call/view.h"
#include "protocol/header.h"
#include "upstream/upstream.h"

/* ---- headers ---- */

static const char forward_key[] = "haft/forwarded", authenticated_key[] = "haft/authenticated";

/* Copies the list of policies into the memory of a call. */
static int authenticated_copy(haft_call *call, const struct authenticated *from,
                              const struct authenticated **ret_copy)
{
    const struct authenticated *kept = NULL;

    for (; from; from = from->next) {
        struct authenticated *copy = haft_arena_zalloc(call->arena, 1, sizeof *copy);

        if (!copy)
            return HAFT_ENOMEM;
        *copy = (struct authenticated){kept, from->by};
        kept = copy;
    }
    *ret_copy = kept;
    return 0;
}

/* A tool call that came through this gateway's policies remembers which of them authenticated
 * it. */
static int keep_authenticated(haft_call *call)
{
    const haft_gateway_request *req = call->request.headers ? call->request.headers->via_ : NULL;
    const struct authenticated *kept = NULL;
    int status = 0;

    if (req && req->gateway == call->server->gateway)
        status = authenticated_copy(call, req->authenticated, &kept);
    return status || !kept ? status
                           : haft_call_set(call, authenticated_key, (void *)(uintptr_t)kept);
}

/* The headers of a tool call are available only while it is received, so those that may be needed
 * later are kept. */
int hf_invoke_keep_headers(haft_call *call, void *data)
{
    const haft_gateway *gateway = data;
    const haft_headers *headers = call->request.headers;
    struct header_list kept = {.n = 0}, *copy;
    int status = hf_upstream_keep_headers(call);

    for (const char *const *name = gateway->options.forward; *name && !status; name++) {
        yyjson_val *meta = rpc_string(call->request.meta, *name);
        const char *value = meta      ? yyjson_get_str(meta)
                            : headers ? haft_header_find(headers->list, headers->n, *name)
                                      : NULL;

        if (value)
            status = hf_header_list_add(call->arena, &kept, *name, value);
    }
    if (!status && kept.n) {
        copy = haft_arena_zalloc(call->arena, 1, sizeof *copy);
        if (!copy)
            return HAFT_ENOMEM;
        *copy = kept;
        status = haft_call_set(call, forward_key, copy);
    }
    return status ? status : keep_authenticated(call);
}

/* The policies that have authenticated the caller of an invoke. */
static const struct authenticated *authenticated_of(haft_call *caller)
{
    return caller->inner.req ? caller->inner.req->authenticated
                             : haft_call_get(caller, authenticated_key);
}

static const char *header_of(haft_call *caller, const char *name)
{
    const struct header_list *kept;

    if (caller->inner.req)
        return haft_request_header(caller, name);
    kept = haft_call_get(caller, forward_key);
    return kept ? haft_header_find(kept->list, kept->n, name) : NULL;
}

/* The headers of the invocation: those given, the last of a name first, and those of the caller
 * that are not among them. */
static int forward(haft_gateway *gateway, haft_call *caller, const haft_invoke_options *options,
                   haft_arena *arena, struct header_list *headers)
{
    int status = 0;

    for (size_t i = options->n_headers; i-- && !status;)
        status =
            hf_header_list_add(arena, headers, options->headers[i].name, options->headers[i].value);

    for (const char *const *name = gateway->options.forward; *name && !status; name++) {
        const char *value = header_of(caller, *name);

        if (value && !haft_header_find(headers->list, headers->n, *name))
            status = hf_header_list_add(arena, headers, *name, value);
    }
    return status;
}

/* ---- a nested request ---- */

/* Answers a nested request that exceeds a limit. */
static int refuse_child(haft_gateway_request *req)
{
    const haft_gateway_options *options = &req->gateway->options;
    haft_call *call = req->call, *root = hf_call_root(call);
    unsigned before = atomic_fetch_add(&root->inner.inside, 1);

    if (call->inner.depth > options->max_depth) {
        haft_log(call, HAFT_ERROR, "calls of haft_invoke nest deeper than %u; is there a cycle?",
                 options->max_depth);
        return haft_problem(call, 508, "Calls nest deeper than %u: %s was called by %s.",
                            options->max_depth, req->request.target,
                            haft_call_name(call->inner.parent));
    }
    if (before >= options->max_invokes)
        return haft_problem(call, 429, "The call has reached its limit of %u nested calls.",
                            options->max_invokes);
    return 0;
}

/* Splits a target into path and query, in the arena. */
static int read_target(haft_arena *arena, const char *target, haft_request *request)
{
    char *path = haft_arena_copy(arena, target, strcspn(target, "#"));
    char *query = path ? strchr(path, '?') : NULL;

    if (!path)
        return HAFT_ENOMEM;
    if (query)
        *query++ = '\0';
    request->target = path;
    request->path = hf_percent_decoded(arena, path);
    request->query = query ? query : "";
    return request->path ? 0 : HAFT_ENOMEM;
}

/* Copies the caller's data: the caller may be gone before a handler that returned HAFT_PENDING is
 * finished. */
static int child_keep(haft_gateway_request *req, haft_call *caller,
                      const haft_invoke_options *options)
{
    haft_arena *arena = req->call->arena;
    haft_request *request = &req->request;
    struct header_list headers = {.n = 0};
    int status = forward(req->gateway, caller, options, arena, &headers);

    if (!status && request->body_size && !haft_header_find(headers.list, headers.n, "content-type"))
        status = hf_header_list_add(arena, &headers, "content-type", "application/json");
    request->headers = headers.list;
    request->n_headers = headers.n;
    request->method = haft_arena_copy(arena, request->method, strlen(request->method));
    request->body = haft_arena_copy(arena, request->body, request->body_size);
    if (request->peer)
        request->peer = haft_arena_copy(arena, request->peer, strlen(request->peer));
    req->call->request.peer = request->peer;
    if (!request->method || !request->body || (caller->request.peer && !request->peer))
        return HAFT_ENOMEM;
    return status ? status
                  : authenticated_copy(req->call, authenticated_of(caller), &req->authenticated);
}

/* The parameters of a nested request. */
struct invoked {
    const char *method, *target;
    const haft_invoke_options *options;
    struct generation *generation; /* generation of the route */
    const struct route *route;     /* used in place of a target, with its input as values; else
                                    * NULL */
    yyjson_val *input;
};

/* Finds the route, or uses the given one; returns false without memory. */
static bool child_aim(haft_gateway_request *req, const struct invoked *invoked)
{
    if (invoked->route && invoked->input) {
        hf_gateway_request_set_route(req, invoked->route);
        req->input = hf_values_copy(req->call->arena, invoked->input);
        if (!req->input)
            return false;
        if (hf_values_fit(invoked->route, invoked->input))
            return true;
        if (hf_values_write_request(req))
            return false;
        req->input = NULL;
    }
    hf_gateway_request_find_route(req);
    return true;
}

/* The generation for the lookup: that of the caller's request, or, for a tool call, the active one.
 * With a reference. */
static struct generation *child_generation(haft_call *caller, const struct invoked *invoked)
{
    struct generation *generation = invoked->route      ? invoked->generation
                                    : caller->inner.req ? caller->inner.req->generation
                                                        : NULL;

    if (!generation)
        return hf_generation_hold(caller->server->gateway);
    generation_take(generation);
    return generation;
}

/* Creates a nested request; the caller's parents must be held. */
static haft_gateway_request *child_new(haft_call *caller, const struct invoked *invoked,
                                       haft_time now)
{
    const haft_invoke_options *options = invoked->options;
    haft_gateway *gateway = caller->server->gateway;
    haft_call *call = hf_inner_new(gateway->server, caller, now);
    haft_request request = {.method = invoked->method, .body = "", .peer = caller->request.peer};
    haft_gateway_request *req;

    if (options->body) {
        request.body = options->body;
        request.body_size = options->body_size ? options->body_size : strlen(options->body);
    }
    if (!call || read_target(call->arena, invoked->target, &request)) {
        hf_inner_free(call);
        return NULL;
    }
    req = hf_gateway_request_of_call(child_generation(caller, invoked), call, &request);
    if (req && !child_keep(req, caller, options) && child_aim(req, invoked) && !refuse_child(req))
        return req;
    haft_gateway_request_free(req);
    return NULL;
}

/* Prepares a nested request. Returns 0, HAFT_STOP if the caller has been abandoned and may not have
 * one, or an error. */
static int invoke_prepare(haft_call *caller, struct invoked invoked,
                          haft_gateway_request **ret_gateway_request)
{
    static const haft_invoke_options none;
    haft_call *root;

    if (!invoked.options)
        invoked.options = &none;
    if (!caller->server->gateway)
        return HAFT_ENOTFOUND;
    if (!invoked.method || !invoked.target)
        return HAFT_EINVAL;
    root = hf_inner_hold(caller);
    if (!root)
        return HAFT_STOP;
    *ret_gateway_request = child_new(caller, &invoked, atomic_load(&root->time.now));
    hf_inner_let_go(caller);
    return *ret_gateway_request ? 0 : HAFT_ENOMEM;
}

static const haft_response nothing = {.status = 499, .body = ""};

static void run_child(haft_gateway_request *req)
{
    if (!req->answered)
        hf_gateway_request_run(req);
}

/* Copies the response to the caller's memory, and frees the nested request. */
static int collect(haft_call *caller, haft_gateway_request *req, haft_response *ret_response)
{
    const haft_response *from = haft_gateway_request_response(req);
    haft_arena *arena = caller->arena;
    haft_header *headers = hf_headers_copy(arena, from->headers, from->n_headers);
    const char *body = haft_arena_copy(arena, from->body, from->size);
    bool ok = headers && body;

    if (ok)
        *ret_response = (haft_response){.status = from->status,
                                        .headers = headers,
                                        .n_headers = from->n_headers,
                                        .body = body,
                                        .size = from->size};
    haft_gateway_request_free(req);
    return ok ? 0 : HAFT_ENOMEM;
}

static int invoke(haft_call *call, struct invoked invoked, haft_response *ret_response)
{
    haft_gateway_request *req;
    int status = invoke_prepare(call, invoked, &req);

    if (status == HAFT_STOP)
        *ret_response = nothing;
    if (status)
        return status == HAFT_STOP ? 0 : status;
    run_child(req);
    return collect(call, req, ret_response);
}

int haft_invoke(haft_call *call, const char *method, const char *target,
                const haft_invoke_options *options, haft_response *ret_response)
{
    return invoke(call, (struct invoked){.method = method, .target = target, .options = options},
                  ret_response);
}

int hf_invoke_route(haft_call *call, struct generation *generation, const struct route *route,
                    yyjson_val *input, haft_response *ret_response)
{
    return invoke(call,
                  (struct invoked){.method = route->method,
                                   .target = route->path,
                                   .generation = generation,
                                   .route = route,
                                   .input = input},
                  ret_response);
}

/* ---- several at once ---- */

/* Work items taken by index. A helper may arrive when all is done and the caller is gone: it finds
 * nothing to take, and releases its reference. */
struct heap {
    const haft_allocator *allocator;
    atomic_uint refs;
    atomic_size_t next, done;
    size_t n;
    uv_sem_t over; /* posted by the last to finish */
    haft_gateway_request *visits[];
};

static void heap_drop(struct heap *heap)
{
    if (atomic_fetch_sub(&heap->refs, 1) != 1)
        return;
    uv_sem_destroy(&heap->over);
    heap->allocator->release(heap->allocator->context, heap,
                             sizeof *heap + heap->n * sizeof *heap->visits);
}

static struct heap *heap_new(const haft_allocator *allocator, size_t n)
{
    size_t size = sizeof(struct heap) + n * sizeof(haft_gateway_request *);
    struct heap *heap = allocator->alloc(allocator->context, size);

    if (!heap)
        return NULL;
    memset(heap, 0, size);
    heap->allocator = allocator;
    heap->n = n;
    atomic_init(&heap->refs, 1);
    if (!uv_sem_init(&heap->over, 0))
        return heap;
    allocator->release(allocator->context, heap, size);
    return NULL;
}

static void take_from(struct heap *heap)
{
    for (size_t i; (i = atomic_fetch_add(&heap->next, 1)) < heap->n;) {
        if (heap->visits[i])
            run_child(heap->visits[i]);
        if (atomic_fetch_add(&heap->done, 1) + 1 == heap->n)
            uv_sem_post(&heap->over);
    }
}

static void help(void *argument)
{
    struct heap *heap = argument;

    take_from(heap);
    heap_drop(heap);
}

/* Requests helper threads for all items but one. */
static void ask_for_help(const haft_gateway *gateway, struct heap *heap)
{
    size_t hands = heap->n - 1;

    if (!gateway->executor.run)
        return;
    if (hands > gateway->options.workers)
        hands = gateway->options.workers;
    while (hands--) {
        atomic_fetch_add(&heap->refs, 1);
        if (gateway->executor.run(gateway->executor.context, help, heap)) {
            heap_drop(heap);
            return;
        }
    }
}

int haft_invoke_all(haft_call *call, haft_invocation *invocations, size_t n)
{
    haft_gateway *gateway = call->server->gateway;
    struct heap *heap;
    int first = 0;

    if (!gateway)
        return HAFT_ENOTFOUND;
    if (!n)
        return 0;
    heap = heap_new(gateway->allocator, n);
    if (!heap)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        haft_invocation *one = &invocations[i];
        int status = invoke_prepare(call,
                                    (struct invoked){.method = one->method,
                                                     .target = one->target,
                                                     .options = &one->options},
                                    &heap->visits[i]);

        one->response = status == HAFT_STOP ? nothing : (haft_response){.status = 0, .body = ""};
        status = status == HAFT_STOP ? 0 : status;
        first = first ? first : status;
    }
    ask_for_help(gateway, heap);
    take_from(heap);
    uv_sem_wait(&heap->over);
    for (size_t i = 0; i < n; i++) {
        int status = heap->visits[i] ? collect(call, heap->visits[i], &invocations[i].response) : 0;

        first = first ? first : status;
    }
    heap_drop(heap);
    return first;
}
