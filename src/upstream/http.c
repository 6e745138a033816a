/* http.c - HTTP APIs as upstreams: making, starting, stopping, and their timer. */
#include "upstream/http.h"

#include "part/http_client.h"

enum { HTTP_IDLE_MS = 60000, HTTP_UPSTREAM_SPARE = 8 };

/* ---- faults ---- */

static const struct {
    int status;
    const char *text;
} http_faults[] = {
#define HTTP_FAULT_(name, status, text) [name] = {status, text},
    HTTP_FAULTS(HTTP_FAULT_)
#undef HTTP_FAULT_
};

int hf_http_fault_status(enum http_fault fault)
{
    return http_faults[fault].status;
}

const char *hf_http_fault_text(enum http_fault fault)
{
    return http_faults[fault].text;
}

/* ---- the timer ---- */

uint64_t hf_http_now(const struct http_upstream *http)
{
    return uv_now(&http->upstream->set->outbound.loop);
}

static void http_upstream_on_timer(uv_timer_t *timer)
{
    struct http_upstream *http = timer->data;
    uint64_t sendings, checks;

    hf_module_take(&http->upstream->module);
    http->due = UINT64_MAX;
    sendings = hf_http_sendings_due(http);
    checks = hf_http_targets_check(http);
    hf_http_arm(http, sendings < checks ? sendings : checks);
    hf_module_drop(&http->upstream->module);
}

void hf_http_arm(struct http_upstream *http, uint64_t due)
{
    uint64_t now = hf_http_now(http);

    if (!http->open || due >= http->due)
        return;
    http->due = due;
    uv_timer_start(http->timer, http_upstream_on_timer, due > now ? due - now : 1, 0);
}

/* ---- HTTP clients ---- */

static struct http_client_options http_upstream_settings(const struct http_upstream *http)
{
    const http_tls_entry *tls = &http->options->tls;
    /* Checks and requests for tokens do not wait behind calls. */
    unsigned n =
        (unsigned)http->options->max_running + (unsigned)http->n_targets + HTTP_UPSTREAM_SPARE;

    return (struct http_client_options){.allocator = http->upstream->set->allocator,
                                        .max_requests = n,
                                        .max_connections = n,
                                        .max_per_host = n,
                                        .idle_ms = HTTP_IDLE_MS,
                                        .ca_file = http->tls.ca_file,
                                        .certificate = http->tls.certificate,
                                        .key = http->tls.key,
                                        .key_password = http->tls.key_password,
                                        .skip_verification = !tls->verify,
                                        .proxy =
                                            http->options->has_proxy ? http->options->proxy : NULL};
}

http_client *hf_http_guarded(struct http_upstream *http, haft_reason *reterr_reason)
{
    struct http_client_options options = http_upstream_settings(http);

    if (http->guarded)
        return http->guarded;
    /* A proxy would connect to addresses that haft does not see; a client certificate is for the
     * configured hosts only. */
    if (http->options->has_proxy) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "", "%s", hf_http_fault_text(HTTP_FAULT_ADDRESS));
        return NULL;
    }
    options.allow_address = hf_http_allow_address;
    options.certificate = options.key = options.key_password = NULL;
    http->guarded = hf_http_client_new(http->functions, &http->upstream->set->outbound.loop,
                                       &options, reterr_reason);
    return http->guarded;
}

/* ---- making ---- */

static void http_upstream_set_rules(struct http_upstream *http)
{
    const http_breaker_entry *breaker = &http->options->breaker;
    const http_retries_entry *retries = &http->options->retries;

    http->breaker = (struct breaker_rules){.failures = (unsigned)breaker->failures,
                                           .percent = (unsigned)breaker->percent,
                                           .minimum = (unsigned)breaker->minimum,
                                           .window_ms = breaker->window_ms,
                                           .open_ms = breaker->open_ms};
    http->retry = (struct retry_rules){.max = (unsigned)retries->max,
                                       .base_ms = retries->delay_ms,
                                       .most_ms = retries->max_delay_ms,
                                       .percent = (unsigned)retries->percent};
    http->budget.hundredths = RETRY_BURST;
}

static int http_upstream_file(const struct http_upstream *http, const char *member,
                              const char *file, const char **ret_path, haft_reason *reterr_reason)
{
    haft_reason reason;
    int status = hf_upstream_file(http->upstream, file, ret_path, &reason);

    return status ? hf_error_set(reterr_reason, status, member, "%s", reason.text) : 0;
}

static int http_upstream_set_tls(struct http_upstream *http, haft_reason *reterr_reason)
{
    const http_tls_entry *tls = &http->options->tls;
    int status = 0;

    if (tls->has_certificate != tls->has_key)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "tls",
                            "a client certificate needs both certificate and key");
    if (tls->has_ca_file)
        status = http_upstream_file(http, "tls.ca_file", tls->ca_file, &http->tls.ca_file,
                                    reterr_reason);
    if (!status && tls->has_certificate)
        status = http_upstream_file(http, "tls.certificate", tls->certificate,
                                    &http->tls.certificate, reterr_reason);
    if (!status && tls->has_key)
        status = http_upstream_file(http, "tls.key", tls->key, &http->tls.key, reterr_reason);
    if (!status && tls->has_key_password)
        status = hf_upstream_secret(http->upstream, tls->key_password, &http->tls.key_password,
                                    reterr_reason);
    return status;
}

static int http_upstream_make(struct upstream *upstream, const void *options,
                              haft_reason *reterr_reason)
{
    struct http_upstream *http = haft_arena_zalloc(upstream->arena, 1, sizeof *http);
    int status;

    if (!http)
        return HAFT_ENOMEM;
    upstream->data = http;
    http->upstream = upstream;
    http->options = options;
    http->sendings.last = &http->sendings.first;
    http->due = UINT64_MAX;
    http->functions = hf_http_client_open(upstream->name, reterr_reason);
    if (!http->functions)
        return reterr_reason->code;
    http_upstream_set_rules(http);
    status = hf_http_headers_check(&http->options->headers, reterr_reason);
    if (!status)
        status = http_upstream_set_tls(http, reterr_reason);
    if (!status)
        status = hf_http_credentials_make(http, reterr_reason);
    if (!status)
        status = hf_http_tools_make(http, reterr_reason);
    return status ? status : hf_http_targets_make(http, reterr_reason);
}

static void http_upstream_release(struct upstream *upstream)
{
    if (upstream->data)
        hf_http_tools_free(upstream->data);
}

/* ---- starting and stopping ---- */

/* The timer is allocated separately, since another one may be needed before it is closed. */
static int http_upstream_open(struct http_upstream *http, haft_reason *reterr_reason)
{
    struct upstream_set *set = http->upstream->set;
    struct http_client_options options = http_upstream_settings(http);
    uv_timer_t *timer = set->allocator->alloc(set->allocator->context, sizeof *timer);

    if (!timer)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    http->client =
        hf_http_client_new(http->functions, &set->outbound.loop, &options, reterr_reason);
    if (!http->client) {
        set->allocator->release(set->allocator->context, timer, sizeof *timer);
        return reterr_reason->code;
    }
    uv_timer_init(&set->outbound.loop, timer); /* cannot fail */
    timer->data = http;
    hf_module_take(&http->upstream->module); /* for the timer */
    http->timer = timer;
    http->due = UINT64_MAX;
    http->open = true;
    return 0;
}

static void http_upstream_start(struct upstream *upstream)
{
    struct http_upstream *http = upstream->data;
    haft_reason reason = {0};

    if (http_upstream_open(http, &reason)) {
        hf_upstream_set_state(upstream, UPSTREAM_FAILING, &reason);
        return;
    }
    hf_upstream_set_state(upstream, UPSTREAM_READY, NULL);
    hf_http_arm(http, hf_http_targets_check(http));
}

int hf_http_open_again(struct http_upstream *http)
{
    haft_reason reason;

    if (!http->stopping || http->upstream->set->ending)
        return HAFT_ECLOSED;
    return http_upstream_open(http, &reason);
}

static void http_upstream_on_closed(uv_handle_t *timer)
{
    struct http_upstream *http = timer->data;
    const haft_allocator *allocator = http->upstream->set->allocator;

    allocator->release(allocator->context, timer, sizeof(uv_timer_t));
    hf_module_drop(&http->upstream->module);
}

void hf_http_close(struct http_upstream *http)
{
    http->open = false;
    http->functions->destroy(http->client);
    http->functions->destroy(http->guarded);
    http->client = http->guarded = NULL;
    for (struct http_token *token = http->tokens; token; token = token->next)
        hf_http_token_finish(token);
    uv_close((uv_handle_t *)http->timer, http_upstream_on_closed);
    http->timer = NULL;
}

/* A reload does not fail the calls that are going on: the last of them closes it. */
static void http_upstream_stop(struct upstream *upstream)
{
    struct http_upstream *http = upstream->data;

    http->stopping = true;
    if (http->open && !http->sendings.all)
        hf_http_close(http);
}

const struct upstream_kind hf_upstream_http = {.name = "http",
                                               .options = &http_entry_type,
                                               .make = http_upstream_make,
                                               .start = http_upstream_start,
                                               .stop = http_upstream_stop,
                                               .items = hf_http_tools_items,
                                               .forward = hf_http_headers_forward,
                                               .release = http_upstream_release};
