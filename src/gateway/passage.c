/* passage.c - one request on its way through a loop: answered here, or by a worker, or by an
 * endpoint with policies around it.
 *
 * What does not block is answered where it comes in; the rest goes to the loop's workers as a call
 * does.  What may wait has a copy of the request, since its client may leave before it ends.  A policy
 * or a handler that waits gives its worker back, and is given another one when it goes on. */
#include <string.h>

#include "gateway/passage.h"
#include "endpoint/endpoint.h"

enum { HEADERS_LIMIT = 64 << 10 };

/* ---- life ---- */

static void passage_free(struct passage *passage)
{
    const haft_allocator *allocator = passage->site->gateway->allocator;

    if (passage->next)
        passage->next->previous = passage->previous;
    if (passage->previous)
        passage->previous->next = passage->next;
    else
        passage->site->first = passage->next;
    haft_visit_free(passage->visit);
    allocator->release(allocator->context, passage, sizeof *passage);
}

static struct passage *passage_new(struct site *site, const haft_http_request *request,
                                   const haft_responder *responder, void *context, haft_time now)
{
    haft_gateway *gateway = site->gateway;
    struct passage *passage =
        gateway->allocator->alloc(gateway->allocator->context, sizeof *passage);
    haft_request asked = {.method = request->method,
                          .path = request->target ? request->target : request->path,
                          .query = request->query,
                          .headers = request->headers,
                          .body = request->body,
                          .body_size = request->body_size,
                          .peer = request->peer};

    if (!passage)
        return NULL;
    *passage = (struct passage){.site = site,
                                .responder = responder,
                                .context = context,
                                .request = *request,
                                .now = now,
                                .next = site->first};
    passage->visit = haft_visit_new(gateway, &asked, request->principal, now);
    if (!passage->visit) {
        gateway->allocator->release(gateway->allocator->context, passage, sizeof *passage);
        return NULL;
    }
    passage->visit->call->request.tag = passage;
    if (site->first)
        site->first->previous = passage;
    site->first = passage;
    return passage;
}

/* ---- answers ---- */

void passage_answer(struct passage *passage, int status, const char *headers, const char *body,
                    size_t size)
{
    const haft_responder *responder = passage->responder;

    passage->responder = NULL;
    if (responder)
        responder->respond(passage->context, status, headers, body, size);
}

/* Headers as text; false without memory. */
static bool put_headers(haft_buffer *text, const haft_response *response)
{
    for (size_t i = 0; i < response->n_headers; i++)
        haft_buffer_printf(text, "%s: %s\r\n", response->headers[i].name,
                           response->headers[i].value);
    haft_buffer_add(text, "", 1);
    return !text->status;
}

static void answer_response(struct passage *passage)
{
    const haft_response *response = &passage->visit->response;
    haft_buffer headers;

    haft_buffer_init(&headers, passage->site->gateway->allocator, HEADERS_LIMIT);
    if (!response->status)
        passage_answer(passage, 503, "", "", 0); /* it has not been run: everything is going away */
    else if (put_headers(&headers, response))
        passage_answer(passage, response->status, headers.data, response->body, response->size);
    else
        passage_answer(passage, 500, "", "", 0);
    haft_buffer_finish(&headers);
}

/* ---- an endpoint's answer, past the policies ---- */

/* Header lines, as an endpoint writes them, into the visit's response. */
static int read_headers(haft_visit *visit, const char *text)
{
    int status = 0;

    while (*text && !status) {
        size_t size = strcspn(text, "\r\n"), name = strcspn(text, ":");
        const char *value = text + name + 1;
        char *line;

        value += strspn(value, " \t");
        line = haft_arena_copy(visit->call->arena, text, name);
        value = haft_arena_copy(visit->call->arena, value, (size_t)(text + size - value));
        status = line && value ? haft_response_set_header(visit->call, line, value) : HAFT_ENOMEM;
        text += size + strspn(text + size, "\r\n");
    }
    return status;
}

static bool pass_outbound(struct passage *passage, int status, const char *headers,
                          const char *body, size_t size)
{
    haft_visit *visit = passage->visit;

    visit->response = (haft_response){.status = status, .body = body, .size = size};
    visit->n_headers = 0;
    if (visit->starved || read_headers(visit, headers))
        return false;
    visit->answered = true;
    visit_outbound(visit);
    return true;
}

/* The endpoint is done with it: now, or when it has returned. */
static void passage_over(struct passage *passage)
{
    passage->answered = true;
    if (!passage->inside)
        passage_free(passage);
}

static void on_respond(void *context, int status, const char *headers, const char *body,
                       size_t size)
{
    struct passage *passage = context;

    if (pass_outbound(passage, status, headers, body, size))
        answer_response(passage);
    else
        passage_answer(passage, 500, "", "", 0);
    passage_over(passage);
}

static void on_stream(void *context, int status, const char *headers)
{
    struct passage *passage = context;
    haft_buffer text;

    haft_buffer_init(&text, passage->site->gateway->allocator, HEADERS_LIMIT);
    if (pass_outbound(passage, status, headers, "", 0) &&
        put_headers(&text, &passage->visit->response) && passage->responder)
        passage->responder->stream(passage->context, passage->visit->response.status, text.data);
    else
        passage_answer(passage, 500, "", "", 0); /* and what comes after it goes nowhere */
    haft_buffer_finish(&text);
}

static void on_write(void *context, const char *bytes, size_t size)
{
    struct passage *passage = context;

    if (passage->responder)
        passage->responder->write(passage->context, bytes, size);
}

static void on_end(void *context)
{
    struct passage *passage = context;
    const haft_responder *responder = passage->responder;

    passage->responder = NULL;
    if (responder)
        responder->end(passage->context);
    passage_over(passage);
}

static const haft_responder through = {on_respond, on_stream, on_write, on_end};

/* ---- a request's headers, as the policies have left them ---- */

struct header {
    const char *name, *value;
    size_t name_size, value_size;
};

struct headers {
    haft_visit *visit;
    struct header *list;
    size_t n;
};

static const char *get_header(const void *context, const char *name, size_t *ret_size)
{
    const struct headers *headers = context;
    const char *value = haft_request_header(headers->visit->call, name);

    *ret_size = value ? strlen(value) : 0;
    return value;
}

const haft_visit *passage_of_headers(const haft_headers *headers)
{
    return headers && headers->get == get_header ? ((const struct headers *)headers->context)->visit
                                                 : NULL;
}

static bool header_at(const void *context, size_t index, const char **ret_name,
                      size_t *ret_name_size, const char **ret_value, size_t *ret_value_size)
{
    const struct headers *headers = context;
    const struct header *header = headers->list + index;

    if (index >= headers->n)
        return false;
    *ret_name = header->name;
    *ret_name_size = header->name_size;
    *ret_value = header->value;
    *ret_value_size = header->value_size;
    return true;
}

/* Whether a policy has set or removed it, before the line `end`. */
static bool is_changed(const haft_visit *visit, const char *name, size_t size,
                       const struct line *end)
{
    for (const struct line *line = visit->changes; line && line != end; line = line->next)
        if (!line->came && text_is_ignoring_case(name, size, line->name))
            return true;
    return false;
}

/* Lists what came and was left alone, each as often as it came, and what policies have set, once.
 * False without memory. */
static bool list_headers(haft_visit *visit, struct headers *headers)
{
    const haft_headers *from = &visit->request.headers;
    struct header one;
    size_t room = 0;

    for (const struct line *line = visit->changes; line; line = line->next)
        room++;
    for (size_t i = 0; from->at && from->at(from->context, i, &one.name, &one.name_size, &one.value,
                                            &one.value_size);
         i++)
        room++;
    *headers = (struct headers){.visit = visit};
    headers->list = haft_arena_zalloc(visit->call->arena, room + 1, sizeof *headers->list);
    if (!headers->list)
        return false;
    for (const struct line *line = visit->changes; line; line = line->next) {
        one = (struct header){line->name, line->value, strlen(line->name), 0};
        if (!line->value || is_changed(visit, one.name, one.name_size, line))
            continue;
        one.value_size = strlen(line->value);
        headers->list[headers->n++] = one;
    }
    for (size_t i = 0; from->at && from->at(from->context, i, &one.name, &one.name_size, &one.value,
                                            &one.value_size);
         i++)
        if (!is_changed(visit, one.name, one.name_size, NULL))
            headers->list[headers->n++] = one;
    return true;
}

/* Gives the request, as the policies have left it, to the endpoint.  True while it is not over. */
static bool enter_endpoint(struct passage *passage)
{
    haft_visit *visit = passage->visit;
    haft_http_request request = passage->request;
    struct headers headers;

    if (!list_headers(visit, &headers)) {
        passage_answer(passage, 503, "Retry-After: 1\r\n", "", 0);
        passage_free(passage);
        return false;
    }
    request.headers = (haft_headers){.get = get_header, .context = &headers, .at = header_at};
    request.principal = visit->call->request.principal;
    request.body = visit->request.body;
    request.body_size = visit->request.body_size;
    passage->inside = true;
    passage->exchange =
        endpoint_app.handle(passage->endpoint, &request, &through, passage, passage->now);
    passage->inside = false;
    if (!passage->answered)
        return true;
    passage_free(passage);
    return false;
}

/* ---- on another thread ---- */

/* The request is needed for longer than it is there: a copy takes its place. */
static bool keep_request(struct passage *passage)
{
    haft_visit *visit = passage->visit;
    haft_request *request = &visit->request;
    haft_arena *arena = visit->call->arena;
    const haft_headers from = request->headers;
    const char *principal = visit->call->request.principal, *name, *value;
    size_t name_size, value_size;
    struct line **last = &visit->changes;

    /* In their order: of two with one name the first counts, here as there. */
    while (*last)
        last = &(*last)->next;
    for (size_t i = 0; from.at && from.at(from.context, i, &name, &name_size, &value, &value_size);
         i++) {
        char *copy = haft_arena_copy(arena, name, name_size);
        struct line *line = haft_arena_zalloc(arena, 1, sizeof *line);

        if (!copy || !line)
            return false;
        line->name = copy;
        line->came = true;
        line->value = haft_arena_copy(arena, value, value_size);
        *last = line;
        last = &line->next;
        if (!line->value)
            return false;
    }
    request->headers = (haft_headers){.get = NULL};
    request->method = haft_arena_copy(arena, request->method, strlen(request->method));
    request->path = haft_arena_copy(arena, request->path, strlen(request->path));
    request->query = haft_arena_copy(arena, request->query, strlen(request->query));
    request->body = haft_arena_copy(arena, request->body, request->body_size);
    request->peer =
        request->peer ? haft_arena_copy(arena, request->peer, strlen(request->peer)) : "";
    if (principal)
        visit->call->request.principal = haft_arena_copy(arena, principal, strlen(principal));
    visit->call->request.method = request->path;
    visit->call->request.peer = request->peer;
    passage->request.method = request->method;
    passage->request.path =
        haft_arena_copy(arena, passage->request.path, strlen(passage->request.path));
    passage->request.target = request->path;
    passage->request.query = request->query;
    passage->request.peer = request->peer;
    return request->method && request->path && request->query && request->body && request->peer &&
           passage->request.path && (!principal || visit->call->request.principal);
}

static int passage_execute(haft_call *call)
{
    struct passage *passage = call->request.tag;

    passage->ran = true;
    visit_advance(call->inner.visit);
    return 0;
}

/* Policies that have let the request in see it out, also when nobody waits for an answer. */
static void see_out(haft_visit *visit)
{
    int status = visit->answered ? 1 : visit_is_late(visit);

    if (!status) {
        visit->given_up = 503;
        status = visit_is_late(visit);
    }
    if (visit->step == VISIT_START || visit->step == VISIT_END) {
        if (status < 0)
            visit_fail(visit, visit->request.path, status);
        visit_outbound(visit);
    } else {
        visit_advance(visit);
    }
}

static void passage_end(struct passage *passage)
{
    haft_visit *visit = passage->visit;

    visit->call->inner.done = NULL;
    if (visit->n_passed || visit->pending)
        see_out(visit);
    answer_response(passage);
    passage_free(passage);
}

/* Behind the policies of an endpoint, and before it. */
static bool is_let_in(const struct passage *passage)
{
    const haft_visit *visit = passage->visit;

    return passage->endpoint && passage->responder && !visit->answered &&
           visit->step == VISIT_END && visit->n_passed == visit->policies->n;
}

/* There is an answer, or the endpoint will give it.  The passage, unless that is over. */
static struct passage *passage_conclude(struct passage *passage)
{
    if (!is_let_in(passage)) {
        passage_end(passage);
        return NULL;
    }
    passage->visit->call->inner.done = NULL;
    passage->visit->call->time.deadline = 0;
    return enter_endpoint(passage) ? passage : NULL;
}

/* ---- waiting ---- */

/* On the thread that continues. */
static void on_continued(void *carrier)
{
    struct passage *passage = carrier;
    haft_call *call = passage->visit->call;
    const haft_loop *loop = passage->site->loop.loop;

    call->posts.errand = (haft_posted){.call = call, .ran = true};
    loop->post(loop->context, &call->posts.errand);
}

static void on_posted(haft_call *call);

/* Something waits, and no thread with it.  False when it does not wait any more. */
static bool passage_park(struct passage *passage)
{
    haft_visit *visit = passage->visit;

    passage->waits = visit->step == VISIT_INBOUND;
    passage->parked = true;
    visit->call->inner.done = on_posted;
    /* Nothing has been done yet for a client that may have left: see passage_half_closed. */
    if (passage->half_closed && passage->waits)
        haft_visit_cancel(visit);
    if (visit_park(visit, on_continued, passage))
        return true;
    passage->waits = passage->parked = false;
    return false;
}

/* Goes on where the request came in.  The passage, unless it is over. */
static struct passage *passage_advance(struct passage *passage)
{
    while (visit_advance(passage->visit) == HAFT_PENDING)
        if (passage_park(passage))
            return passage;
    return passage_conclude(passage);
}

static void on_returned(haft_call *call);

/* To a worker; true when it has been taken. */
static bool passage_send(struct passage *passage)
{
    haft_call *call = passage->visit->call;
    const haft_loop *loop = passage->site->loop.loop;

    passage->ran = false;
    call->handler.execute = passage_execute;
    call->inner.done = on_returned;
    return !loop->run(loop->context, call);
}

static void passage_go_on(struct passage *passage)
{
    haft_visit *visit = passage->visit;

    if (!passage->has_worker) {
        passage_advance(passage);
        return;
    }
    if (passage_send(passage))
        return;
    visit->given_up = 503;
    if (haft_response_set_header(visit->call, "Retry-After", "1"))
        visit_fail(visit, visit->request.path, HAFT_ENOMEM);
    passage_end(passage);
}

/* It has been continued, and this is the loop's thread. */
static void on_posted(haft_call *call)
{
    struct passage *passage = call->request.tag;

    passage->waits = passage->parked = false;
    passage_go_on(passage);
}

/* Back from a worker, which does not run what was cancelled before it came to that. */
static void on_returned(haft_call *call)
{
    struct passage *passage = call->request.tag;

    if (!passage->ran)
        passage_end(passage);
    else if (!passage->visit->pending)
        passage_conclude(passage);
    else if (!passage_park(passage))
        passage_go_on(passage);
}

static void *passage_refuse(struct passage *passage)
{
    passage->visit->call->inner.done = NULL;
    passage_answer(passage, 503, "Retry-After: 1\r\n", "", 0);
    passage_free(passage);
    return NULL;
}

static void *send_away(struct passage *passage)
{
    passage->has_worker = true;
    return keep_request(passage) && passage_send(passage) ? passage : passage_refuse(passage);
}

/* ---- requests ---- */

static void *handle_route(struct passage *passage)
{
    if (!haft_visit_quick(passage->visit))
        return send_away(passage);
    /* Its handler may return HAFT_PENDING, too. */
    return keep_request(passage) ? passage_advance(passage) : passage_refuse(passage);
}

static void *handle_mcp(struct passage *passage, const struct mcp *mcp)
{
    haft_visit *visit = passage->visit;

    /* A route whose variable would take the path has nothing to do with it. */
    visit->route = NULL;
    visit->call->item = NULL;
    visit->policies = atomic_load(&mcp->policies);
    visit->mcp = true;
    call_allow(visit->call, 0);
    if (visit_preflight(visit, visit->policies)) {
        answer_response(passage);
        passage_free(passage);
        return NULL;
    }
    if (visit->policies->blocks)
        return send_away(passage);
    if (visit->policies->waits && !keep_request(passage))
        return passage_refuse(passage);
    return passage_advance(passage);
}

/* The two paths of the transport of 2024-11-05, which an endpoint can have besides its own. */
static bool is_legacy(const haft_gateway *gateway, const char *path)
{
    return gateway->legacy_sse && (path_is(path, "/sse") || path_is(path, "/messages"));
}

const struct mcp *endpoint_find(const haft_gateway *gateway, const char *path, size_t *ret_index)
{
    size_t i = 0;

    for (const struct mcp *mcp = gateway->endpoints; mcp; mcp = mcp->next, i++)
        if (path_is(path, mcp->path) || (!i && is_legacy(gateway, path))) {
            if (ret_index)
                *ret_index = i;
            return mcp;
        }
    return NULL;
}

void *passage_begin(void *app, const haft_http_request *request, const haft_responder *responder,
                    void *context, haft_time now)
{
    struct site *site = app;
    struct passage *passage = passage_new(site, request, responder, context, now);
    const struct mcp *mcp;
    size_t index;

    if (!passage) {
        responder->respond(context, 503, "", "", 0);
        return NULL;
    }
    /* Decoded already, and how it was written is not known: it must not be decoded again. */
    if (!request->target && strchr(request->path, '%')) {
        passage_answer(passage, 400, "", "", 0);
        passage_free(passage);
        return NULL;
    }
    mcp = endpoint_find(site->gateway, request->path, &index);
    if (!mcp)
        return handle_route(passage);
    passage->endpoint = site->endpoints[index];
    return handle_mcp(passage, mcp);
}

void passage_gone(void *app, void *exchange)
{
    struct passage *passage = exchange;

    (void)app;
    passage->responder = NULL;
    haft_visit_cancel(passage->visit);
    if (!passage->exchange)
        return;
    endpoint_app.gone(passage->endpoint, passage->exchange);
    passage_free(passage);
}

/* A route's answer is wanted; what an endpoint's is, it knows once it has the request.  While a policy
 * waits, the handler has not begun, and a client that only closes its side cannot be told from one that
 * has left: it is taken for gone, so that nobody's password is checked for nobody. */
bool passage_half_closed(const void *app, const void *exchange)
{
    struct passage *passage = (void *)(uintptr_t)exchange;

    (void)app;
    passage->half_closed = true;
    if (passage->waits)
        return false;
    return !passage->exchange || endpoint_app.half_closed(passage->endpoint, passage->exchange);
}
