/* flow.c - the frame of an authorization: its requests, its end, and those who wait for it.
 *
 * Each flow has its own HTTP client, so that the addresses that it may connect to depend on
 * where its MCP server is. */
#include "auth/client/flow.h"

#include <stdio.h>

#include "auth/client/token_answer.h"
#include "auth/wiping.h"
#include "part/http_client.h"

enum {
    FLOW_TOTAL_MS = 30000,
    FLOW_CONNECT_MS = 10000,
    FLOW_HEAD = 32 << 10,
    FLOW_BODY = 64 << 10,
    FLOW_REDIRECTS = 3
};

/* A document of a public server must not make this program connect to a network that the server
 * itself cannot reach. */
static bool flow_allow_address(void *context, const struct sockaddr *address, socklen_t size)
{
    struct oauth_flow *flow = context;
    struct oauth_access *access = flow->access;
    enum network network = hf_network_of(address);

    (void)size;
    if (flow->fetch.trusted)
        return true;
    /* The most public of its addresses tells: a name may have others that lead into this machine. */
    if (flow->fetch.at_server && (!flow->marks.located || network < access->network)) {
        access->network = network;
        flow->marks.located = true;
    }
    return network <= access->network;
}

int hf_flow_refuse(struct oauth_flow *flow, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    hf_error_vset(&flow->reason, code, flow->access->url, format, args);
    va_end(args);
    return code;
}

int hf_flow_no_memory(struct oauth_flow *flow)
{
    return hf_flow_refuse(flow, HAFT_ENOMEM, "%s", haft_strerror(HAFT_ENOMEM));
}

const char *hf_flow_error(struct oauth_flow *flow)
{
    const char *error =
        hf_token_error_read(flow->fetch.answer.data, flow->fetch.answer.size, flow->arena);

    return *error ? error : "no reason";
}

/* ---- begin and end ---- */

int hf_flow_new(struct oauth *oauth, struct oauth_access *access, enum flow_goal goal,
                const struct authorizer_loop *loop, struct oauth_flow **ret_flow,
                haft_reason *reterr_reason)
{
    struct http_client_options options = {.allocator = oauth->memory,
                                          .ca_file = oauth->options.ca_file,
                                          .allow_address = flow_allow_address};
    struct oauth_flow *flow = oauth->memory->alloc(oauth->memory->context, sizeof *flow);

    if (!flow)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, access->url, "%s",
                            haft_strerror(HAFT_ENOMEM));
    *flow = (struct oauth_flow){
        .oauth = oauth, .access = access, .goal = goal, .loop = *loop, .renewal.lock = -1};
    haft_buffer_init(&flow->fetch.body, oauth->memory, FLOW_BODY);
    haft_buffer_init(&flow->fetch.answer, oauth->memory, METADATA_LIMIT);
    options.allow_context = flow;
    access->flow = flow;
    flow->arena = haft_arena_new(oauth->memory, OAUTH_ARENA);
    if (flow->arena)
        flow->http = hf_http_client_new(loop->http, loop->uv, &options, &flow->reason);
    else
        hf_flow_no_memory(flow);
    if (!flow->http || hf_web_url_read(access->url, &flow->server)) {
        int code = flow->reason.code;

        if (reterr_reason)
            *reterr_reason = flow->reason;
        hf_flow_free(flow);
        return code;
    }
    /* Where the server was long ago does not count for what it names now. */
    if (goal == FLOW_AUTHORIZE)
        access->network = flow->server.loopback ? NETWORK_LOOPBACK : NETWORK_PUBLIC;
    *ret_flow = flow;
    return 0;
}

void hf_flow_free(struct oauth_flow *flow)
{
    struct oauth *oauth = flow->oauth;
    http_client *http = flow->http;

    if (flow->access->flow == flow)
        flow->access->flow = NULL;
    flow->dead = true;
    flow->http = NULL;
    if (http)
        flow->loop.http->destroy(http); /* its on_end finds the flow dead */
    hf_login_finish(flow);
    hf_renewal_end(flow);
    if (flow->busy)
        return;
    if (flow->key)
        oauth->crypto->destroy(flow->key);
    haft_buffer_finish(&flow->fetch.body);
    haft_buffer_finish(&flow->fetch.answer);
    haft_arena_free(flow->arena);
    oauth->memory->release(oauth->memory->context, flow, sizeof *flow);
}

void hf_flow_wait(struct oauth_flow *flow, struct authorizer_wait *wait)
{
    struct authorizer_wait **place = &flow->waits;

    while (*place)
        place = &(*place)->next;
    wait->next = NULL;
    *place = wait;
}

/* Calls those who wait; each may cancel others, and detach. */
static void flow_end(struct oauth_flow *flow, int status)
{
    struct oauth *oauth = flow->oauth;
    struct authorizer_wait **place = &oauth->ending, *wait;
    haft_reason reason = flow->reason;

    while (*place)
        place = &(*place)->next;
    *place = flow->waits;
    flow->waits = NULL;
    if (flow->series) {
        flow->series->ended_ms = (int64_t)uv_now(flow->loop.uv);
        flow->series->renewed = !status && flow->marks.renewing;
    }
    hf_flow_free(flow);
    while ((wait = oauth->ending)) {
        oauth->ending = wait->next;
        wait->done(wait, status, status ? &reason : NULL);
    }
}

void hf_flow_run(struct oauth_flow *flow, flow_step *step)
{
    struct oauth *oauth = flow->oauth;
    int status;

    hf_oauth_enter(oauth);
    flow->busy = true;
    status = step(flow);
    flow->busy = false;
    if (flow->dead)
        hf_flow_free(flow);
    else if (status <= 0)
        flow_end(flow, status);
    hf_oauth_leave(oauth);
}

/* ---- requests ---- */

static void flow_on_head(void *context, const struct http_head *head)
{
    struct oauth_flow *flow = context;

    for (size_t i = 0; i < head->n_fields; i++)
        if (hf_text_same_ignoring_case(head->fields[i].name, "DPoP-Nonce") &&
            strlen(head->fields[i].value) < sizeof flow->fetch.nonce)
            snprintf(flow->fetch.nonce, sizeof flow->fetch.nonce, "%s", head->fields[i].value);
}

static void flow_on_body(void *context, const char *bytes, size_t size)
{
    struct oauth_flow *flow = context;

    haft_buffer_add(&flow->fetch.answer, bytes, size);
}

static int flow_fail(struct oauth_flow *flow)
{
    return flow->reason.code;
}

static void flow_on_end(void *context, const struct http_end *end)
{
    struct oauth_flow *flow = context;

    flow->fetch.request = NULL;
    if (flow->dead)
        return;
    flow->fetch.status = end->status;
    if (end->error) {
        hf_flow_refuse(flow,
                       end->error == HTTP_NO_MEMORY ? HAFT_ENOMEM
                       : end->error >= HTTP_CONNECT_TIMEOUT && end->error <= HTTP_TOTAL_TIMEOUT
                           ? HAFT_ETIMEOUT
                       : end->error == HTTP_ADDRESS_REFUSED || end->error == HTTP_REDIRECT_REFUSED
                           ? HAFT_EDENIED
                           : HAFT_ECLOSED,
                       "authorization failed: %s", end->text);
        hf_flow_run(flow, flow_fail);
    } else if (flow->fetch.answer.status) {
        hf_flow_no_memory(flow);
        hf_flow_run(flow, flow_fail);
    } else {
        hf_flow_run(flow, flow->fetch.step);
    }
}

static int flow_fetch(struct oauth_flow *flow, struct http_request_options *options,
                      flow_step *step)
{
    struct web_url url;

    if (hf_web_url_read(options->url, &url) ||
        (!flow->fetch.trusted && !hf_web_url_same_origin(&url, &flow->server) &&
         !hf_web_url_may_follow(&url, &flow->server)))
        return hf_flow_refuse(flow, HAFT_EDENIED,
                              "authorization failed: a document names a URL that is neither https "
                              "nor, for a server on loopback, on loopback");
    flow->fetch.at_server = hf_web_url_same_origin(&url, &flow->server);
    flow->fetch.step = step;
    haft_buffer_clear(&flow->fetch.answer);
    options->max_url = WEB_URL_LIMIT;
    options->max_head = FLOW_HEAD;
    options->max_answer = METADATA_LIMIT;
    options->connect_ms = FLOW_CONNECT_MS;
    options->total_ms = FLOW_TOTAL_MS;
    options->on_head = flow_on_head;
    options->on_body = flow_on_body;
    options->on_end = flow_on_end;
    options->context = flow;
    flow->fetch.request = flow->loop.http->start(flow->http, options, &flow->reason);
    return flow->fetch.request ? HAFT_PENDING : flow->reason.code;
}

int hf_flow_get(struct oauth_flow *flow, const char *url, flow_step *step)
{
    static const struct http_field accept = {"Accept", "application/json"};
    struct http_request_options options = {.url = url,
                                           .headers = &accept,
                                           .n_headers = 1,
                                           .max_redirects = FLOW_REDIRECTS,
                                           .may_repeat = true};

    return flow_fetch(flow, &options, step);
}

int hf_flow_post(struct oauth_flow *flow, const char *url, const struct http_field *headers,
                 size_t n_headers, flow_step *step)
{
    struct http_request_options options = {.method = "POST",
                                           .url = url,
                                           .headers = headers,
                                           .n_headers = n_headers,
                                           .body = flow->fetch.body.data,
                                           .body_size = flow->fetch.body.size};

    if (flow->fetch.body.status)
        return hf_flow_no_memory(flow);
    return flow_fetch(flow, &options, step);
}
