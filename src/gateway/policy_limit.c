/* policy_limit.c - limits on rate and size, and delays. */
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "gateway/policies.h"
#include "stage/limiter.h"
#include "stage/rate.h"
#include "stage/store_state.h"
#include "engine/call/view.h"

enum { POLICY_LIMIT_MAX_KEYS = 10000, POLICY_LIMIT_KEY = 512, NAP = 10 };

/* ---- rate ---- */

HAFT_ENUMERATION(rate_key, caller, route, all);
HAFT_STRUCT(rate_limit_options, HAFT_INTEGER(calls, "Maximum number of requests", .min = 1, .max = 1000000),
            HAFT_DEFAULT(HAFT_NUMBER(seconds, "Length of the time window in seconds", .min = 0.001, .max = 86400), 60),
            HAFT_DEFAULT(HAFT_ENUM(by, rate_key,
                                   "What to count together: the requests of a caller (by name, else by address), of a caller per route, or of all callers"),
                         rate_key_caller));

struct rate {
    /* Name of the policy: each counts separately, also if several processes share a store. */
    const char *name;
    struct limiter *limiter;
    haft_rate rate;
    rate_key by;
};

static size_t policy_limit_key_of(const haft_call *call, const struct rate *rate,
                                  char key[POLICY_LIMIT_KEY])
{
    const haft_request *request = haft_request_of(call);
    const char *who = haft_call_principal(call),
               *name = rate->by == rate_key_route ? haft_call_name(call) : "";
    char address[ADDRESS_KEY];
    int size;

    hf_address_put_key(request->peer, address, sizeof address);
    if (rate->by == rate_key_all)
        size = snprintf(key, POLICY_LIMIT_KEY, "%.100s", rate->name);
    else
        size = snprintf(key, POLICY_LIMIT_KEY, "%.100s %.100s %s%.200s", rate->name, name,
                        who ? "p" : "", who ? who : address);
    return size < 0 ? 0 : size < POLICY_LIMIT_KEY ? (size_t)size : POLICY_LIMIT_KEY - 1;
}

static int rate_refuse(haft_call *call, int64_t wait)
{
    char seconds[32];
    int status;

    snprintf(seconds, sizeof seconds, "%lld", (long long)(wait + 999) / 1000);
    status = haft_response_set_header(call, "Retry-After", seconds);
    return status
               ? status
               : stopped(haft_problem(call, 429, "Too many requests. Try again in %s s.", seconds));
}

/* Used if the server has a store, which may answer later. */
struct rate_asked {
    haft_store_request request;
    haft_store_op op;
    const struct rate *rate;
    size_t size;
    char key[POLICY_LIMIT_KEY];
};

static int rate_take(haft_call *call, const struct rate *rate, const char *key, size_t size,
                     haft_rate limit, int64_t now)
{
    int64_t wait = 0;
    int status = hf_limiter_take(rate->limiter, key, size, limit, now, &wait);

    return !status ? rate_refuse(call, wait) : status < 0 ? status : 0;
}

/* The store does not answer: the server's policy decides. */
static int rate_decided_alone(haft_call *call, const struct rate_asked *asked, int error)
{
    haft_store_away policy = hf_store_policy(call->server, STORE_RATES);

    if (!hf_store_is_away(error))
        return error;
    hf_store_count(call->server, STORE_RATES, policy == HAFT_AWAY_CLOSED);
    if (policy == HAFT_AWAY_CLOSED)
        return error;
    return policy == HAFT_AWAY_OPEN
               ? 0
               : rate_take(call, asked->rate, asked->key, asked->size,
                           hf_store_local_rate(call->server, asked->rate->rate),
                           asked->request.now);
}

static int rate_decided(haft_call *call, const struct rate_asked *asked)
{
    int status = asked->request.status;

    hf_store_note(call->server, STORE_RATES, status);
    if (status)
        return status < 0 ? rate_decided_alone(call, asked, status) : 0;
    hf_limiter_block(asked->rate->limiter, asked->key, asked->size, asked->rate->rate,
                     asked->request.now + asked->op.ret_wait_ms);
    return rate_refuse(call, asked->op.ret_wait_ms);
}

static void on_rate_decided(haft_store_request *request)
{
    haft_call *call = request->context;

    haft_continue(call, rate_decided(call, (const struct rate_asked *)request));
}

static int ask_for_rate(haft_call *call, const struct rate *rate, const char *key, size_t size,
                        int64_t now)
{
    struct rate_asked *asked;
    int64_t wait = 0;
    int status;

    if (hf_limiter_is_blocked(rate->limiter, key, size, rate->rate, now, &wait))
        return rate_refuse(call, wait);
    asked = haft_call_alloc(call, sizeof *asked);
    if (!asked)
        return HAFT_ENOMEM;
    asked->request = (haft_store_request){.done = on_rate_decided, .context = call};
    asked->rate = rate;
    asked->size = size;
    memcpy(asked->key, key, size);
    hf_rate_request(&asked->request, &asked->op, key, size, rate->rate, now);
    status = haft_store_submit(call->server->options.store, &asked->request);
    if (status == HAFT_PENDING)
        return status;
    if (status)
        asked->request.status = status;
    return rate_decided(call, asked);
}

static int check_rate(haft_call *call, void *data)
{
    const struct rate *rate = data;
    char key[POLICY_LIMIT_KEY];
    size_t size = policy_limit_key_of(call, rate, key);
    int64_t now = atomic_load(&hf_call_root(call)->time.now);

    if (call->server->options.store)
        return ask_for_rate(call, rate, key, size, now);
    return rate_take(call, rate, key, size, rate->rate, now);
}

static int make_rate_limit(haft_gateway *gateway, const void *given, haft_arena *arena,
                           haft_policy *ret_policy, haft_reason *reason)
{
    const rate_limit_options *options = given;
    struct rate *rate = haft_arena_zalloc(arena, 1, sizeof *rate);

    (void)reason;
    if (!rate)
        return HAFT_ENOMEM;
    *rate = (struct rate){.name = ret_policy->name,
                          .limiter = hf_limiter_new(gateway->allocator, POLICY_LIMIT_MAX_KEYS),
                          .rate = {(unsigned)options->calls, (unsigned)(options->seconds * 1000)},
                          .by = options->by};
    if (!rate->limiter)
        return HAFT_ENOMEM;
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = check_rate, .data = rate);
    return 0;
}

static void drop_rate_limit(void *data)
{
    hf_limiter_free(((struct rate *)data)->limiter);
}

const haft_policy_kind hf_policy_rate_limit =
    HAFT_INIT(haft_policy_kind, .name = "rate-limit", .options = &rate_limit_options_type,
              .make = make_rate_limit, .drop = drop_rate_limit);

/* ---- size ---- */

HAFT_STRUCT(size_limit_options, HAFT_INTEGER(bytes, "Maximum size of the body in bytes", .min = 0));

static int check_size(haft_call *call, void *data)
{
    const size_limit_options *options = data;

    if ((int64_t)haft_request_of(call)->body_size <= options->bytes)
        return 0;
    return stopped(
        haft_problem(call, 413, "The body exceeds %lld bytes.", (long long)options->bytes));
}

static int make_size_limit(haft_gateway *gateway, const void *given, haft_arena *arena,
                           haft_policy *ret_policy, haft_reason *reason)
{
    (void)gateway;
    (void)arena;
    (void)reason;
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = check_size,
                                         .data = (void *)(uintptr_t)given);
    return 0;
}

const haft_policy_kind hf_policy_size_limit =
    HAFT_INIT(haft_policy_kind, .name = "size-limit", .options = &size_limit_options_type,
              .make = make_size_limit);

/* ---- delay ---- */

HAFT_STRUCT(sleep_options,
            HAFT_INTEGER(ms, "Delay in milliseconds", .min = 0, .max = 60000));

/* Sleeps in short intervals, to stop when the request is over. */
static int sleep_for(haft_call *call, void *data)
{
    const sleep_options *options = data;
    uint64_t end = uv_hrtime() / 1000000 + (uint64_t)options->ms;

    while (!haft_call_cancelled(call)) {
        uint64_t now = uv_hrtime() / 1000000;

        if (now >= end)
            break;
        uv_sleep(end - now < NAP ? (unsigned)(end - now) : NAP);
    }
    return 0;
}

static int make_sleep(haft_gateway *gateway, const void *given, haft_arena *arena,
                      haft_policy *ret_policy, haft_reason *reason)
{
    (void)gateway;
    (void)arena;
    (void)reason;
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = sleep_for,
                                         .data = (void *)(uintptr_t)given, .blocks = true);
    return 0;
}

const haft_policy_kind hf_policy_sleep = HAFT_INIT(
    haft_policy_kind, .name = "sleep", .options = &sleep_options_type, .make = make_sleep);
