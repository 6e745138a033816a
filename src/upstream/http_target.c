/* http_target.c - the targets of an HTTP upstream: which of them gets a request, and their health. */
#include <stdio.h>

#include "protocol/http_status.h"
#include "upstream/http.h"

enum { TARGET_CHECK_HEAD = 16 << 10, TARGET_CHECK_BODY = 64 << 10 };

/* ---- making ---- */

static int target_make(struct http_upstream *http, struct http_target *target, const char *url,
                       unsigned weight, const char *path, haft_reason *reterr_reason)
{
    struct web_url parts;
    size_t size = strlen(url);

    if (hf_web_url_read(url, &parts) || parts.query.text || parts.has_fragment)
        return hf_error_set(reterr_reason, HAFT_EINVAL, path,
                            "must be an http or https URL without user, query and fragment");
    while (size && url[size - 1] == '/')
        size--;
    *target = (struct http_target){.http = http, .weight = weight};
    target->url = haft_arena_copy(http->upstream->arena, url, size);
    return target->url ? 0 : HAFT_ENOMEM;
}

/* Without a base URL in the configuration, the document's: then only public addresses. */
static int target_make_documented(struct http_upstream *http, haft_reason *reterr_reason)
{
    int status;

    if (!http->server)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "url",
                            "is missing, and there is no OpenAPI document with an absolute URL "
                            "under servers");
    if (http->options->has_proxy)
        return hf_error_set(
            reterr_reason, HAFT_EINVAL, "url",
            "is missing; with a proxy, the URL of the OpenAPI document is not used, "
            "because its address cannot be checked");
    status = target_make(http, http->targets, http->server, 1, "openapi", reterr_reason);
    http->targets->guarded = true;
    return status;
}

int hf_http_targets_make(struct http_upstream *http, haft_reason *reterr_reason)
{
    const http_entry *options = http->options;
    size_t n = options->has_targets ? options->n_targets : 1;
    char path[40];
    int status = 0;

    if (options->has_url && options->has_targets)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "targets", "use either url or targets");
    http->targets = haft_arena_zalloc(http->upstream->arena, n, sizeof *http->targets);
    if (!http->targets)
        return HAFT_ENOMEM;
    http->n_targets = n;
    if (options->has_url)
        return target_make(http, http->targets, options->url, 1, "url", reterr_reason);
    if (!options->has_targets)
        return target_make_documented(http, reterr_reason);
    for (size_t i = 0; i < n && !status; i++) {
        snprintf(path, sizeof path, "targets.%zu.url", i);
        status = target_make(http, &http->targets[i], options->targets[i].url,
                             (unsigned)options->targets[i].weight, path, reterr_reason);
    }
    return status;
}

/* ---- choosing ---- */

/* Whether `left` is better than `right`, both of which can be used. */
static bool target_is_better(const struct http_upstream *http, const struct http_target *left,
                             const struct http_target *right)
{
    if (http->options->balance == http_balance_least_pending) {
        unsigned long long l = (unsigned long long)left->pending * right->weight;
        unsigned long long r = (unsigned long long)right->pending * left->weight;

        if (l != r)
            return l < r;
    }
    return left->current > right->current;
}

static bool target_is_usable(const struct http_target *target, int64_t now)
{
    return !target->unhealthy && hf_breaker_allows(&target->breaker, now);
}

/* Smooth weighted round robin: each target earns its weight, and the chosen one pays them all. */
static struct http_target *target_choose_among(struct http_upstream *http,
                                               const struct http_target *except, int64_t now)
{
    struct http_target *best = NULL;
    int total = 0;

    for (size_t i = 0; i < http->n_targets; i++) {
        struct http_target *target = &http->targets[i];

        if (target == except || !target_is_usable(target, now))
            continue;
        target->current += (int)target->weight;
        total += (int)target->weight;
        if (!best || target_is_better(http, target, best))
            best = target;
    }
    if (best)
        best->current -= total;
    return best;
}

struct http_target *hf_http_target_choose(struct http_upstream *http,
                                          const struct http_target *last,
                                          enum http_fault *reterr_fault, int64_t *reterr_wait_ms)
{
    int64_t now = (int64_t)hf_http_now(http), wait = -1;
    struct http_target *target = target_choose_among(http, last, now);

    if (!target && last)
        target = target_choose_among(http, NULL, now);
    if (target)
        return target;
    for (size_t i = 0; i < http->n_targets; i++) {
        int64_t one = hf_breaker_wait(&http->targets[i].breaker, now);

        if (!http->targets[i].unhealthy && (wait < 0 || one < wait))
            wait = one;
    }
    *reterr_fault = wait < 0 ? HTTP_FAULT_UNHEALTHY : HTTP_FAULT_BREAKER;
    *reterr_wait_ms = wait < 0 ? 0 : wait;
    return NULL;
}

void hf_http_targets_report(struct http_upstream *http)
{
    size_t usable = 0, unhealthy = 0;
    haft_reason reason = {0};

    for (size_t i = 0; i < http->n_targets; i++) {
        const struct http_target *target = &http->targets[i];

        /* A breaker whose probe has not succeeded is not closed yet. */
        usable += !target->unhealthy && target->breaker.state == BREAKER_CLOSED;
        unhealthy += target->unhealthy;
    }
    if (usable) {
        hf_upstream_set_state(http->upstream, UPSTREAM_READY, NULL);
        return;
    }
    hf_error_set(&reason, HAFT_EFAIL, "", "%s",
                 hf_http_fault_text(unhealthy == http->n_targets ? HTTP_FAULT_UNHEALTHY
                                                                 : HTTP_FAULT_BREAKER));
    hf_upstream_set_state(http->upstream, UPSTREAM_FAILING, &reason);
}

/* ---- health ---- */

static void target_checked(void *context, const struct http_end *end)
{
    struct http_target *target = context;
    struct http_upstream *http = target->http;
    bool good = end->status >= 200 && end->status < 400 &&
                (end->error == HTTP_OK || end->error == HTTP_BODY_TOO_BIG);

    target->check = NULL;
    if (http->stopping)
        return;
    target->check_at = hf_http_now(http) + (uint64_t)http->options->health.interval_ms;
    target->bad_checks = good ? 0 : target->bad_checks + 1;
    if (good && target->unhealthy)
        hf_server_log(http->upstream->set->server, HAFT_NOTICE, "upstream %s: %s is healthy again",
                      http->upstream->name, target->url);
    if (!target->unhealthy && target->bad_checks == (unsigned)http->options->health.failures)
        hf_server_log(http->upstream->set->server, HAFT_WARNING,
                      "upstream %s: %s is not healthy and is left out: %s", http->upstream->name,
                      target->url, end->error ? end->text : hf_http_status_reason(end->status));
    target->unhealthy = target->bad_checks >= (unsigned)http->options->health.failures;
    hf_http_targets_report(http);
    hf_http_arm(http, target->check_at);
}

static void target_check(struct http_target *target)
{
    struct http_upstream *http = target->http;
    const http_health_entry *health = &http->options->health;
    unsigned ms = (unsigned)health->timeout_ms;
    http_client *client;
    char url[WEB_URL_LIMIT * 2];
    haft_reason reason = {0};

    target->check_at = hf_http_now(http) + (uint64_t)health->interval_ms;
    snprintf(url, sizeof url, "%s%s", target->url, health->path);
    client = target->guarded ? hf_http_guarded(http, &reason) : http->client;
    if (client)
        target->check =
            http->functions->start(client,
                                   &(struct http_request_options){.url = url,
                                                                  .max_head = TARGET_CHECK_HEAD,
                                                                  .max_answer = TARGET_CHECK_BODY,
                                                                  .connect_ms = ms,
                                                                  .total_ms = ms,
                                                                  .on_end = target_checked,
                                                                  .context = target},
                                   &reason);
    if (!target->check)
        hf_server_log(http->upstream->set->server, HAFT_WARNING,
                      "upstream %s: cannot check its health: %s", http->upstream->name,
                      reason.text);
}

uint64_t hf_http_targets_check(struct http_upstream *http)
{
    uint64_t now = hf_http_now(http), next = UINT64_MAX;

    for (size_t i = 0; http->options->has_health && !http->stopping && i < http->n_targets; i++) {
        struct http_target *target = &http->targets[i];

        if (!target->check && target->check_at <= now)
            target_check(target);
        if (!target->check && target->check_at < next)
            next = target->check_at;
    }
    return next;
}
