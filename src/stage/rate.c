/* rate.c - the stage that keeps a client from calling a tool too often.
 *
 * Calls are counted by tool and by client: its principal where that is known, else its address, or
 * its session where there are no addresses.  Nothing that a client says of itself is part of that.
 * One that is refused is told how long to wait, in words for the model and as data for the
 * program. */
#include <stdio.h>
#include <string.h>

#include "stage/rate.h"
#include "engine/call/fault.h"

enum { MAX_KEYS = 10000, KEY = 512 };

/* ---- keys ---- */

/* A part of a key, cut to half of one. */
static size_t put_part(char *at, const char *text, size_t size)
{
    size = size < KEY / 2 - 1 ? size : KEY / 2 - 2;
    memcpy(at, text, size);
    return size;
}

APART static size_t put_known(const haft_call *call, char *at)
{
    if (!call->request.principal)
        return address_put_key(call->request.peer, at, KEY / 2);
    *at = 'p';
    return 1 + put_part(at + 1, call->request.principal, strlen(call->request.principal));
}

/* Who is calling, as far as that can be told. */
static size_t put_client(const haft_call *call, char *at)
{
    const struct owner *owner = call->owner;

    if (call->request.principal || call->request.peer || owner->options.shared)
        return put_known(call, at);
    *at = 's';
    /* All of its room: the compiler knows how large that is. */
    memcpy(at + 1, owner->number, sizeof owner->number);
    return 1 + owner->number_size;
}

/* ---- the stage ---- */

COLD static int refuse(haft_call *call, haft_rate rate, int64_t wait, const char *what)
{
    bool whole = rate.per_ms % 1000 == 0;
    char text[128];

    call->stages.retry_after_ms = wait;
    snprintf(text, sizeof text, "%lld", (long long)wait);
    if (haft_result_meta(call, "haft/retryAfterMs", text))
        return HAFT_ENOMEM;
    snprintf(text, sizeof text, "%u time%s in %u %s. Try again in %lld s.", rate.calls,
             rate.calls == 1 ? "" : "s", whole ? rate.per_ms / 1000 : rate.per_ms,
             whole ? "s" : "ms", (long long)(wait + 999) / 1000);
    return fault_refuse(call, HAFT_OUTCOME_RATE_LIMITED, what, text);
}

/* Where calls are counted in this process: made by the first call that is. */
APART static struct limiter *rate_limiter(haft_server *server)
{
    struct limiter *none = NULL, *limiter = limiter_new(server->allocator, MAX_KEYS);

    if (limiter && !atomic_compare_exchange_strong(&server->metering.limiter, &none, limiter)) {
        limiter_free(limiter);
        return none;
    }
    return limiter;
}

COLD int rate_refuse_all(haft_server *server)
{
    server_log(server, HAFT_ERROR,
               "the rate store has no `take`, and nothing can wait for its answer here");
    return HAFT_EINVAL;
}

void haft_rate_answer(haft_call *call, int allowed, int64_t wait_ms)
{
    struct rate_answer *answer = &call->stages.rates[call->stages.rates[1].asked];

    answer->allowed = allowed;
    answer->wait = wait_ms;
    haft_continue(call, STAGE_REPEAT);
}

/* Asks the store; the stage is called again when it has answered.  HAFT_PENDING, or an error. */
APART static int rate_ask(haft_call *call, struct rate_answer *answer, const char *key, size_t size,
                          haft_rate rate)
{
    const haft_rate_store *store = call->server->options.rate_store;
    int status;

    answer->asked = true;
    status = store->ask(store->context, call, key, size, rate, call->time.now);
    if (status > 0) {
        haft_log(call, HAFT_ERROR, "the rate store returned %d, which is no status", status);
        return HAFT_EINVAL;
    }
    return status ? status : HAFT_PENDING;
}

/* Counts a call under a key; `tool` is NULL for calls of any tool. */
static int rate_count(haft_call *call, haft_rate rate, const char *tool)
{
    haft_server *server = call->server;
    struct limiter *limiter = atomic_load_explicit(&server->metering.limiter, memory_order_acquire);
    const haft_rate_store *store = server->options.rate_store;
    struct rate_answer *answer = &call->stages.rates[tool != NULL];
    char key[KEY] UNSET;
    int64_t wait = 0;
    size_t size = tool ? put_part(key, tool, call->item->name_size) : 0;
    int allowed;

    if (!limiter && !store) {
        limiter = rate_limiter(server);
        if (!limiter)
            return HAFT_ENOMEM;
    }
    key[size++] = '\0';
    size += put_client(call, key + size);
    if (store && store->ask) {
        if (!answer->asked)
            return rate_ask(call, answer, key, size, rate);
        allowed = answer->allowed;
        wait = answer->wait;
    } else {
        allowed = rate_take(server, limiter, key, size, rate, call->time.now, &wait);
    }
    if (allowed < 0)
        return allowed;
    return allowed ? 0 : refuse(call, rate, wait, tool ? tool : "tools");
}

static int rate_before(haft_call *call, void *data)
{
    haft_server *server = call->server;
    const haft_rate all = {atomic_load(&server->limits.client_calls),
                           atomic_load(&server->limits.client_per_ms)};
    haft_rate own = call->item->tool->rate;
    int status = all.calls ? rate_count(call, all, NULL) : 0;

    (void)data;
    return !status && own.calls ? rate_count(call, own, call->item->name) : status;
}

const haft_stage rate_stage = HAFT_INIT(haft_stage, .name = "rate limit", .before = rate_before);
