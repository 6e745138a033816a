/* limit.c - limits the rate of requests, of any kind.
 *
 * A client is identified by its principal if known, otherwise by its address. The client's limit is
 * checked before the total limit, so that one client does not use up the total for others.
 *
 * A request with credentials is counted once: after their check, for the principal, or, if the check
 * refuses it, for the address. Before the check the limits are only looked at, so that an address
 * that has sent too many bad credentials costs no further checks. Refused requests are counted in
 * this process, also if the server has a store. */
#include <stdio.h>
#include <string.h>

#include "stage/rate.h"
#include "stage/store_state.h"
#include "endpoint/mux.h"

enum {
    LIMIT_MAX_KEYS = 10000,
    LIMIT_KEY = 256,
    LIMIT_MINUTE = 60000,
    TOO_MANY = -32000, /* from the range that JSON-RPC reserves for servers */
    MAX_PEEK = 64 << 10,
    MAX_ID = 256
};

int hf_limit_new(const haft_http_options *options, const haft_allocator *allocator,
                 struct limiter **ret_limiter)
{
    *ret_limiter = NULL;
    if (!options->rate.calls && !options->total_rate.calls)
        return 0;
    *ret_limiter = hf_limiter_new(allocator, LIMIT_MAX_KEYS);
    return *ret_limiter ? 0 : HAFT_ENOMEM;
}

/* ---- the id of a message that will not be parsed ---- */

static const char *limit_skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* The position after the string that starts at `at`. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

static const char *skip_scalar(const char *at, const char *end)
{
    if (at < end && *at == '"')
        return skip_string(at, end);
    while (at < end && !strchr(",}] \t\r\n", *at))
        at++;
    return at;
}

/* The text of the member "id" of an object, of *ret_size bytes; NULL if it is not found near the
 * start. */
static const char *find_id(const char *text, size_t size, size_t *ret_size)
{
    const char *end = text + (size < MAX_PEEK ? size : MAX_PEEK), *at = limit_skip_space(text, end);
    unsigned depth = 0;

    if (at == end || *at != '{')
        return NULL;
    while (at < end) {
        const char *key = at, *behind;

        if (*at != '"') {
            depth += *at == '{' || *at == '[';
            depth -= *at == '}' || *at == ']';
            at++;
            if (!depth)
                return NULL;
            continue;
        }
        behind = skip_string(at, end);
        at = limit_skip_space(behind, end);
        if (depth != 1 || at == end || *at != ':' || behind - key != 4 || memcmp(key, "\"id\"", 4))
            continue;
        key = limit_skip_space(at + 1, end);
        *ret_size = (size_t)(skip_scalar(key, end) - key);
        return key;
    }
    return NULL;
}

static yyjson_doc *read_id(const haft_request *request, void *room, size_t room_size)
{
    size_t size = 0;
    const char *text = request->body ? find_id(request->body, request->body_size, &size) : NULL;
    char copy[MAX_ID];
    yyjson_alc alc;

    if (!text || !size || size > sizeof copy || !yyjson_alc_pool_init(&alc, room, room_size))
        return NULL;
    memcpy(copy, text, size);
    return yyjson_read_opts(copy, size, 0, &alc, NULL);
}

/* ---- refusing ---- */

static void limit_refuse(struct mux *mux, const haft_request *request, bool is_rpc, int64_t wait,
                         const haft_responder *responder, void *context)
{
    static const char plain[] = "Too Many Requests\n";
    long long seconds = (long long)(wait + 999) / 1000;
    char wait_text[32], text[96];
    haft_header extra = {"Retry-After", wait_text};
    char room[4096];
    yyjson_doc *doc;
    yyjson_val *id;

    snprintf(wait_text, sizeof wait_text, "%lld", seconds);
    if (!is_rpc) {
        hf_guard_respond(&mux->guard, responder, context, 429, &extra, "text/plain", plain,
                         sizeof plain - 1);
        return;
    }
    snprintf(text, sizeof text, "Too Many Requests: try again in %lld s", seconds);
    doc = read_id(request, room, sizeof room);
    id = yyjson_doc_get_root(doc);
    hf_guard_refuse(&mux->guard, responder, context, 429, &extra,
                    yyjson_is_str(id) || yyjson_is_int(id) ? id : NULL, TOO_MANY, text);
    yyjson_doc_free(doc);
}

/* ---- counting ---- */

static const char ALL[] = "http:all", LIMIT_PRINCIPAL[] = "http:p";

/* Writes the identity of the client. */
static size_t limit_put_client(const haft_request *request, char key[LIMIT_KEY])
{
    const char *principal = request->principal;
    const size_t begin = sizeof LIMIT_PRINCIPAL - 1, room = LIMIT_KEY - begin;
    size_t size = principal ? strlen(principal) : 0;

    memcpy(key, LIMIT_PRINCIPAL, sizeof LIMIT_PRINCIPAL);
    if (!principal) /* its key takes the place of the p */
        return begin - 1 + hf_address_put_key(request->peer, key + begin - 1, room + 1);
    if (size > room)
        return begin + hf_rate_put_long(key + begin, room, principal, size);
    memcpy(key + begin, principal, size);
    return begin + size;
}

static haft_rate limit_rate_of(const struct mux *mux, bool total)
{
    haft_rate rate = total ? mux->total_rate : mux->rate;

    rate.per_ms = rate.per_ms ? rate.per_ms : LIMIT_MINUTE;
    return rate;
}

static void fail_to_count(struct mux *mux, const haft_responder *responder, void *context)
{
    hf_guard_refuse(&mux->guard, responder, context, 503, HEADER("Retry-After", "1"), NULL,
                    RPC_INTERNAL_ERROR, "The rate limit cannot be checked");
}

bool hf_limit_allows(struct mux *mux, const haft_request *request, bool is_rpc,
                     const haft_responder *responder, void *context, haft_time now)
{
    char key[LIMIT_KEY];
    size_t size = limit_put_client(request, key);
    int64_t wait = 0;
    int allowed = 1;

    if (mux->clock)
        now = mux->clock();
    for (int total = 0; total < 2 && allowed > 0; total++) {
        haft_rate rate = limit_rate_of(mux, total);

        if (rate.calls)
            allowed = total ? hf_limiter_take(mux->limiter, ALL, sizeof ALL - 1, rate, now, &wait)
                            : hf_limiter_take(mux->limiter, key, size, rate, now, &wait);
    }
    if (!allowed)
        limit_refuse(mux, request, is_rpc, wait, responder, context);
    else if (allowed < 0)
        fail_to_count(mux, responder, context);
    return allowed > 0;
}

bool hf_limit_lets_check(struct mux *mux, const haft_request *request, bool is_rpc,
                         const haft_responder *responder, void *context, haft_time now)
{
    haft_request stranger = *request;
    char key[LIMIT_KEY];
    int64_t wait = 0;
    size_t size;

    stranger.principal = NULL;
    size = limit_put_client(&stranger, key);
    if (mux->clock)
        now = mux->clock();
    for (int total = 0; total < 2; total++) {
        haft_rate rate = limit_rate_of(mux, total);

        if (!rate.calls || hf_limiter_peek(mux->limiter, total ? ALL : key,
                                           total ? sizeof ALL - 1 : size, rate, now, &wait))
            continue;
        limit_refuse(mux, request, is_rpc, wait, responder, context);
        return false;
    }
    return true;
}

/* ---- counting in the store ---- */

/* A request that waits to be counted; it passes admission a second time. */
struct limited {
    haft_store_request request; /* must be first */
    haft_store_op op;
    struct mux *mux;
    haft_admission *admission;
    haft_time now;
    int step; /* 0: the client's limit, 1: the total */
    bool is_rpc;
};

static void limited_free(struct limited *limited)
{
    const haft_allocator *allocator = limited->mux->allocator;

    allocator->release(allocator->context, limited, sizeof *limited);
}

static void limited_answer(void *admission, const haft_response *response)
{
    haft_admission_answer(admission, response);
}

/* For functions that respond: forwards the response to the admission, on any thread. */
static const haft_responder limited_responder = {.respond = limited_answer};

/* Writes the key of a limit: that of the client, or that of all clients together. */
static size_t limit_put_key(const haft_request *request, bool total, char key[LIMIT_KEY])
{
    if (!total)
        return limit_put_client(request, key);
    memcpy(key, ALL, sizeof ALL);
    return sizeof ALL - 1;
}

/* Counts in this process the part of the limits that is its own. Returns as hf_limiter_take. */
static int limit_take_part(struct mux *mux, const haft_request *request, haft_time now,
                           int64_t *ret_wait)
{
    char key[LIMIT_KEY + 1] = "-"; /* not the key of counts of the whole limit */
    int allowed = 1;

    for (int total = 0; total < 2 && allowed > 0; total++) {
        haft_rate rate = hf_store_local_rate(mux->guard.server, limit_rate_of(mux, total));

        if (rate.calls)
            allowed = hf_limiter_take(mux->limiter, key, 1 + limit_put_key(request, total, key + 1),
                                      rate, now, ret_wait);
    }
    return allowed;
}

/* The store does not answer: the server's policy decides. */
static void limited_decide_alone(const struct limited *limited, int error)
{
    struct mux *mux = limited->mux;
    haft_server *server = mux->guard.server;
    haft_admission *admission = limited->admission;
    haft_store_away policy = hf_store_policy(server, STORE_RATES);
    int64_t wait = 0;
    int allowed = policy == HAFT_AWAY_CLOSED || !hf_store_is_away(error) ? error : 1;

    if (hf_store_is_away(error))
        hf_store_count(server, STORE_RATES, policy == HAFT_AWAY_CLOSED);
    if (allowed > 0 && policy == HAFT_AWAY_LOCAL)
        allowed = limit_take_part(mux, &admission->request, limited->now, &wait);
    if (allowed < 0)
        fail_to_count(mux, &limited_responder, admission);
    else if (!allowed)
        limit_refuse(mux, &admission->request, limited->is_rpc, wait, &limited_responder,
                     admission);
    else
        haft_admission_continue(admission, 0, NULL);
}

/* The store has refused a request, and will refuse the next ones. */
static void limited_refuse(const struct limited *limited)
{
    const haft_request *request = &limited->admission->request;
    int64_t wait = limited->op.ret_wait_ms;
    char key[LIMIT_KEY];

    hf_limiter_block(limited->mux->limiter, key, limit_put_key(request, limited->step, key),
                     limited->op.rate, limited->now + wait);
    limit_refuse(limited->mux, request, limited->is_rpc, wait, &limited_responder,
                 limited->admission);
}

static void limited_decide(struct limited *limited, int status)
{
    hf_store_note(limited->mux->guard.server, STORE_RATES, status);
    if (status < 0)
        limited_decide_alone(limited, status);
    else if (!status)
        limited_refuse(limited);
    else
        haft_admission_continue(limited->admission, 0, NULL);
    limited_free(limited);
}

static void on_limited_answered(haft_store_request *request);

/* Checks one limit after the other, as long as the store answers at once. */
static void limited_run(struct limited *limited)
{
    haft_store *store = limited->mux->guard.server->options.store;
    int status = 1;

    for (; status > 0 && limited->step < 2; limited->step++) {
        haft_rate rate = limit_rate_of(limited->mux, limited->step);
        char key[LIMIT_KEY];
        size_t size;

        if (!rate.calls)
            continue;
        size = limit_put_key(&limited->admission->request, limited->step, key);
        limited->request = (haft_store_request){.done = on_limited_answered};
        hf_rate_request(&limited->request, &limited->op, key, size, rate, limited->now);
        status = haft_store_submit(store, &limited->request);
        if (status == HAFT_PENDING)
            return;
        status = status ? status : limited->request.status;
        if (status <= 0)
            break; /* with the step that has refused it */
    }
    limited_decide(limited, status);
}

static void on_limited_answered(haft_store_request *request)
{
    struct limited *limited = (struct limited *)request;

    if (request->status <= 0) {
        limited_decide(limited, request->status);
        return;
    }
    limited->step++;
    limited_run(limited);
}

void hf_limit_is_late(struct mux *mux, const haft_responder *responder, void *context)
{
    hf_store_note(mux->guard.server, STORE_RATES, HAFT_EBUSY);
    hf_store_count(mux->guard.server, STORE_RATES, true);
    hf_guard_refuse(&mux->guard, responder, context, 504, NULL, NULL, RPC_INTERNAL_ERROR,
                    "The rate limit cannot be checked: the store did not answer in time");
}

/* The client has disconnected: withdraw the request to the store. */
static bool limited_cancel(void *context)
{
    struct limited *limited = context;

    if (!haft_store_cancel(limited->mux->guard.server->options.store, &limited->request))
        return false;
    limited_free(limited);
    return true;
}

/* Whether the store would refuse a request, as it did before; it has been answered then. */
static bool limit_refuses_early(struct mux *mux, const haft_request *request, bool is_rpc,
                                const haft_responder *responder, void *context, haft_time now)
{
    int64_t wait = 0;

    for (int total = 0; total < 2; total++) {
        haft_rate rate = limit_rate_of(mux, total);
        char key[LIMIT_KEY];

        if (!rate.calls ||
            !hf_limiter_is_blocked(mux->limiter, key, limit_put_key(request, total, key), rate, now,
                                   &wait))
            continue;
        limit_refuse(mux, request, is_rpc, wait, responder, context);
        return true;
    }
    return false;
}

struct pending_request hf_limit_ask(struct mux *mux, const struct mount *by,
                                    const haft_request *request, const haft_responder *responder,
                                    void *context, haft_time now)
{
    const haft_allocator *allocator = mux->allocator;
    bool is_rpc = by->app == &hf_endpoint_app;
    struct limited *limited;
    struct admitting admitting = {.request = *request,
                                  .mux = mux,
                                  .by = by,
                                  .responder = responder,
                                  .context = context,
                                  .now = now,
                                  .stage = ADMISSION_COUNT,
                                  .cancel = limited_cancel};
    haft_admission *admission;

    if (limit_refuses_early(mux, request, is_rpc, responder, context, now))
        return (struct pending_request){0};
    limited = allocator->alloc(allocator->context, sizeof *limited);
    admitting.cancel_context = limited;
    admission = limited ? haft_admission_hold(&admitting.request) : NULL;
    if (!admission) {
        if (limited)
            allocator->release(allocator->context, limited, sizeof *limited);
        fail_to_count(mux, responder, context);
        return (struct pending_request){0};
    }
    *limited = (struct limited){.mux = mux, .admission = admission, .now = now, .is_rpc = is_rpc};
    limited_run(limited);
    return (struct pending_request){&hf_admission_row, admitting.admission};
}
