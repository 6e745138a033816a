/* http_attempt.c - one attempt to send a request: its response, redirects, and whether there is another
 * attempt. */
#include <strings.h>
#include <time.h>

#include "protocol/header.h"
#include "upstream/http.h"

enum { ATTEMPT_URL = 64 << 10, ATTEMPT_TLS_MS = 10000, ATTEMPT_ORIGIN = 512 };

/* ---- the response ---- */

static void attempt_on_head(void *context, const struct http_head *head)
{
    struct http_sending *sending = context;
    haft_header *list = haft_arena_alloc(sending->arena, (head->n_fields + 1) * sizeof *list);

    sending->status = head->status;
    sending->n_headers = 0;
    sending->headers = list;
    for (size_t i = 0; list && i < head->n_fields; i++) {
        const struct http_field *field = &head->fields[i];

        list[i].name = haft_arena_copy(sending->arena, field->name, strlen(field->name));
        list[i].value = haft_arena_copy(sending->arena, field->value, strlen(field->value));
        if (!list[i].name || !list[i].value)
            list = sending->headers = NULL;
        else
            sending->n_headers++;
    }
    if (!list)
        sending->body.status = HAFT_ENOMEM;
}

static void attempt_on_body(void *context, const char *bytes, size_t size)
{
    struct http_sending *sending = context;

    haft_buffer_add(&sending->body, bytes, size);
}

static enum http_fault attempt_fault(enum http_error error)
{
    static const enum http_fault faults[HTTP_ERROR_COUNT] = {
        [HTTP_OK] = HTTP_FAULT_NONE,
        [HTTP_NO_MEMORY] = HTTP_FAULT_MEMORY,
        [HTTP_CANCELLED] = HTTP_FAULT_CANCELLED,
        [HTTP_RESOLVE_FAILED] = HTTP_FAULT_RESOLVE,
        [HTTP_ADDRESS_REFUSED] = HTTP_FAULT_ADDRESS,
        [HTTP_CONNECT_FAILED] = HTTP_FAULT_CONNECT,
        [HTTP_PROXY_FAILED] = HTTP_FAULT_CONNECT,
        [HTTP_TLS_FAILED] = HTTP_FAULT_TLS,
        [HTTP_CONNECT_TIMEOUT] = HTTP_FAULT_TIMEOUT,
        [HTTP_TLS_TIMEOUT] = HTTP_FAULT_TIMEOUT,
        [HTTP_ANSWER_TIMEOUT] = HTTP_FAULT_TIMEOUT,
        [HTTP_IDLE_TIMEOUT] = HTTP_FAULT_TIMEOUT,
        [HTTP_TOTAL_TIMEOUT] = HTTP_FAULT_TIMEOUT,
        [HTTP_CLOSED] = HTTP_FAULT_CLOSED,
        [HTTP_TRUNCATED] = HTTP_FAULT_CLOSED,
        [HTTP_HEAD_TOO_BIG] = HTTP_FAULT_TOO_LARGE,
        [HTTP_BODY_TOO_BIG] = HTTP_FAULT_TOO_LARGE,
        [HTTP_BAD_ANSWER] = HTTP_FAULT_GARBAGE,
        [HTTP_LOST] = HTTP_FAULT_CLOSED,
        [HTTP_REDIRECT_REFUSED] = HTTP_FAULT_REDIRECT,
        [HTTP_FAILED] = HTTP_FAULT_CONNECT,
    };

    return faults[error];
}

/* What the end of an attempt says about its target. */
static enum breaker_outcome attempt_outcome(enum http_fault fault, int status)
{
    switch (fault) {
    case HTTP_FAULT_NONE:
        return status >= 500 && status != 501 ? BREAKER_FAILURE : BREAKER_SUCCESS;
    case HTTP_FAULT_RESOLVE:
    case HTTP_FAULT_CONNECT:
    case HTTP_FAULT_TLS:
    case HTTP_FAULT_TIMEOUT:
    case HTTP_FAULT_CLOSED:
    case HTTP_FAULT_GARBAGE:
        return BREAKER_FAILURE;
    case HTTP_FAULT_TOO_LARGE:
    case HTTP_FAULT_REDIRECT:
        return BREAKER_SUCCESS;
    default:
        return BREAKER_UNKNOWN;
    }
}

static void attempt_leave_target(struct http_sending *sending, enum breaker_outcome outcome)
{
    struct http_upstream *http = http_upstream_of(sending->upstream);

    sending->target->pending--;
    if (hf_breaker_end(&sending->target->breaker, &http->breaker, sending->probe, outcome,
                       (int64_t)hf_http_now(http)) &&
        !http->stopping)
        hf_http_targets_report(http);
}

/* ---- redirects ---- */

static const char *attempt_header(const struct http_sending *sending, const char *name)
{
    struct text value;
    bool again = false;

    if (!sending->headers)
        return NULL;
    value = hf_header_get(sending->headers, sending->n_headers, name, &again);
    return value.data && !again ? haft_arena_copy(sending->arena, value.data, value.size) : NULL;
}

/* The absolute URL that a Location leads to; NULL if it is not one that haft follows. */
static const char *attempt_location(const struct http_sending *sending, const struct web_url *from)
{
    const char *location = attempt_header(sending, "Location");
    const char *url = NULL;
    haft_buffer origin;

    if (!location)
        return NULL;
    if (*location != '/' || location[1] == '/')
        return haft_arena_copy(sending->arena, location, strcspn(location, "#"));
    haft_buffer_init(&origin, sending->upstream->set->allocator, ATTEMPT_ORIGIN);
    hf_web_url_put_origin(from, &origin);
    if (!origin.status)
        url = haft_arena_printf(sending->arena, "%.*s%.*s", (int)origin.size, origin.data,
                                (int)strcspn(location, "#"), location);
    haft_buffer_finish(&origin);
    return url;
}

static bool attempt_is_redirect(const struct http_sending *sending)
{
    const http_entry *options = http_upstream_of(sending->upstream)->options;

    return options->has_redirects && options->redirects.max && sending->headers &&
           (sending->status == 301 || sending->status == 302 || sending->status == 303 ||
            sending->status == 307 || sending->status == 308);
}

/* As is common practice: a redirected POST becomes a GET, unless the status forbids it. */
static void attempt_change_method(struct http_sending *sending)
{
    bool post = !strcmp(sending->method, "POST");

    if (sending->status == 303 ? strcmp(sending->method, "HEAD") != 0
                               : post && sending->status < 307)
        sending->method = "GET";
}

static bool attempt_has_body(const struct http_sending *sending)
{
    return sending->message.body && sending->method == sending->message.method;
}

/* Why a redirect is not followed; NULL: it is. */
static const char *attempt_follow(struct http_sending *sending)
{
    const http_entry *options = http_upstream_of(sending->upstream)->options;
    struct web_url from, to;
    const char *url;

    if (sending->redirects++ == (unsigned)options->redirects.max)
        return "too many redirects";
    if (hf_web_url_read(sending->elsewhere ? sending->elsewhere : sending->target->url, &from) ||
        !(url = attempt_location(sending, &from)) || hf_web_url_read(url, &to))
        return "it does not have exactly one Location that is an http URL";
    attempt_change_method(sending);
    if (!hf_web_url_same_origin(&from, &to)) {
        if (!options->redirects.elsewhere)
            return "it leads to another origin";
        if (options->has_proxy)
            return "it leads to another origin, and a proxy would connect to any address";
        if (from.tls && !to.tls)
            return "it leads from https to http";
        if (attempt_has_body(sending))
            return "it would send the body to another origin";
        sending->elsewhere_guarded = true;
    }
    sending->elsewhere = url;
    return NULL;
}

/* ---- another attempt ---- */

static void attempt_clear(struct http_sending *sending)
{
    haft_buffer_clear(&sending->body);
    sending->status = 0;
    sending->headers = NULL;
    sending->n_headers = 0;
}

static bool attempt_may_repeat(const struct http_sending *sending, enum http_fault fault,
                               bool maybe_handled)
{
    if (maybe_handled && !hf_retry_is_idempotent(sending->method))
        return false;
    switch (fault) {
    case HTTP_FAULT_NONE:
        return hf_retry_wants(sending->status);
    case HTTP_FAULT_RESOLVE:
    case HTTP_FAULT_CONNECT:
    case HTTP_FAULT_TIMEOUT:
    case HTTP_FAULT_CLOSED:
        return true;
    default:
        return false;
    }
}

static bool attempt_again(struct http_sending *sending, enum http_fault fault, bool maybe_handled)
{
    struct http_upstream *http = http_upstream_of(sending->upstream);
    uint32_t random = 0;
    int64_t delay;

    if (sending->retries >= http->retry.max || !http->open ||
        !attempt_may_repeat(sending, fault, maybe_handled))
        return false;
    if (uv_random(NULL, NULL, &random, sizeof random, 0, NULL))
        random = (uint32_t)uv_hrtime();
    delay = hf_retry_delay(&http->retry, sending->retries + 1, random,
                           hf_retry_after(attempt_header(sending, "Retry-After"), time(NULL)));
    if (hf_http_now(http) + (uint64_t)delay >= sending->deadline || !hf_retry_take(&http->budget))
        return false;
    sending->retries++;
    sending->state = HTTP_SENDING_DELAYED;
    sending->due = hf_http_now(http) + (uint64_t)delay;
    attempt_clear(sending);
    hf_http_arm(http, sending->due);
    return true;
}

static void attempt_answered(struct http_sending *sending)
{
    const char *why;

    if (sending->body.status) {
        hf_http_sending_fail(sending, HTTP_FAULT_MEMORY, NULL, 0, true);
        return;
    }
    if (attempt_is_redirect(sending)) {
        why = attempt_follow(sending);
        if (why) {
            hf_http_sending_fail(sending, HTTP_FAULT_REDIRECT,
                                 haft_arena_printf(sending->arena,
                                                   "the answer is a redirect that is not followed: "
                                                   "%s",
                                                   why),
                                 0, true);
            return;
        }
        attempt_clear(sending);
        hf_http_sending_run(sending); /* its token may be gone */
        return;
    }
    /* A request that is refused for its token has not been executed. */
    if (sending->status == 401 && hf_http_sending_renew(sending)) {
        attempt_clear(sending);
        hf_http_sending_run(sending);
        return;
    }
    if (!attempt_again(sending, HTTP_FAULT_NONE, true))
        hf_http_sending_succeed(sending);
}

static void attempt_on_end(void *context, const struct http_end *end)
{
    struct http_sending *sending = context;
    enum http_fault fault = attempt_fault(end->error);

    sending->request = NULL;
    sending->maybe_handled = sending->maybe_handled || end->maybe_handled;
    attempt_leave_target(sending, attempt_outcome(fault, end->status));
    if (fault == HTTP_FAULT_CANCELLED)
        hf_http_sending_fail(sending, fault, NULL, 0, sending->maybe_handled);
    else if (fault == HTTP_FAULT_NONE)
        attempt_answered(sending);
    else if (!attempt_again(sending, fault, end->maybe_handled))
        hf_http_sending_fail(sending, fault, end->text, 0, sending->maybe_handled);
}

/* ---- sending ---- */

static void attempt_not_begun(struct http_sending *sending, const haft_reason *reason)
{
    enum http_fault fault = reason->code == HAFT_ENOMEM    ? HTTP_FAULT_MEMORY
                            : reason->code == HAFT_EBUSY   ? HTTP_FAULT_BUSY
                            : reason->code == HAFT_ECLOSED ? HTTP_FAULT_STOPPED
                                                           : HTTP_FAULT_REQUEST;

    hf_http_sending_fail(sending, fault, NULL, 0, sending->maybe_handled);
}

static http_request *attempt_start(struct http_sending *sending, uint64_t left,
                                   haft_reason *reterr_reason)
{
    struct http_upstream *http = http_upstream_of(sending->upstream);
    const http_timeouts_entry *timeouts = &http->options->timeouts;
    bool guarded = sending->elsewhere ? sending->elsewhere_guarded || sending->target->guarded
                                      : sending->target->guarded;
    http_client *client = guarded ? hf_http_guarded(http, reterr_reason) : http->client;
    bool body = attempt_has_body(sending);
    struct http_outgoing outgoing;
    int status = client ? hf_http_outgoing_make(sending, &outgoing) : reterr_reason->code;

    if (status) {
        hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
        return NULL;
    }
    return http->functions->start(
        client,
        &(struct http_request_options){.method = sending->method,
                                       .url = outgoing.url,
                                       .headers = outgoing.fields,
                                       .n_headers = outgoing.n_fields,
                                       .body = body ? sending->message.body : NULL,
                                       .body_size = body ? sending->message.body_size : 0,
                                       .max_url = ATTEMPT_URL,
                                       .max_body = (size_t)http->options->max_request + 1,
                                       .max_answer = (size_t)http->options->max_response,
                                       .connect_ms = (unsigned)timeouts->connect_ms,
                                       .tls_ms = ATTEMPT_TLS_MS,
                                       .answer_ms = (unsigned)timeouts->answer_ms,
                                       .idle_ms = (unsigned)timeouts->answer_ms,
                                       .total_ms = (unsigned)left,
                                       .may_repeat = hf_retry_is_idempotent(sending->method),
                                       .decode = true,
                                       .on_head = attempt_on_head,
                                       .on_body = attempt_on_body,
                                       .on_end = attempt_on_end,
                                       .context = sending},
        reterr_reason);
}

void hf_http_sending_attempt(struct http_sending *sending)
{
    struct http_upstream *http = http_upstream_of(sending->upstream);
    uint64_t now = hf_http_now(http);
    enum http_fault fault = HTTP_FAULT_NONE;
    haft_reason reason = {0};
    int64_t wait = 0;

    /* A redirect belongs to the target that it came from. */
    if (!sending->elsewhere || !sending->target)
        sending->target = hf_http_target_choose(http, sending->target, &fault, &wait);
    if (!sending->target) {
        hf_http_sending_fail(sending, fault, NULL, wait, sending->maybe_handled);
        return;
    }
    if (sending->deadline <= now) {
        hf_http_sending_fail(sending, HTTP_FAULT_TIMEOUT, NULL, 0, sending->maybe_handled);
        return;
    }
    sending->probe = hf_breaker_begin(&sending->target->breaker, (int64_t)now);
    sending->target->pending++;
    sending->state = HTTP_SENDING_SENT;
    sending->sent_at = now;
    sending->request = attempt_start(sending, sending->deadline - now, &reason);
    if (!sending->request) {
        attempt_leave_target(sending, BREAKER_UNKNOWN);
        attempt_not_begun(sending, &reason);
    }
}
