/* rate.c - the stage that limits the rate of calls.
 *
 * Calls are counted by tool and by client: by its principal if known, otherwise by its address, or
 * by its session if the transport has no addresses. Claims of the client about itself are not used.
 * A refused call gets the time to wait, as text for the model and as data for the program. */
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/sha256.h"
#include "stage/rate.h"
#include "stage/store_state.h"
#include "engine/call/fault.h"

enum { RATE_MAX_KEYS = 10000, RATE_KEY = 512 };

/* ---- keys ---- */

APART size_t hf_rate_put_long(char *at, size_t room, const char *text, size_t size)
{
    size_t kept = room - SHA256_SIZE * 2;
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, text, size);
    hf_sha256_finish(&hash, digest);
    memcpy(at, text, kept);
    hf_hex_put(digest, sizeof digest, at + kept);
    return kept + SHA256_SIZE * 2;
}

/* Writes a part of a key, which takes at most half the key's size. */
static size_t put_part(char *at, const char *text, size_t size)
{
    if (size > RATE_KEY / 2 - 2)
        return hf_rate_put_long(at, RATE_KEY / 2 - 2, text, size);
    memcpy(at, text, size);
    return size;
}

APART static size_t put_known(const haft_call *call, char *at)
{
    if (!call->request.principal)
        return hf_address_put_key(call->request.peer, at, RATE_KEY / 2);
    *at = 'p';
    return 1 + put_part(at + 1, call->request.principal, strlen(call->request.principal));
}

/* Writes the identity of the client. */
static size_t rate_put_client(const haft_call *call, char *at)
{
    const struct owner *owner = call->owner;

    if (call->request.principal || call->request.peer || owner->options.shared)
        return put_known(call, at);
    *at = 's';
    /* Copies the whole array, because its size is a compile-time constant. */
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
    return hf_fault_refuse(call, HAFT_OUTCOME_RATE_LIMITED, what, text);
}

/* The limiter of this process, created by the first limited call. */
APART static struct limiter *rate_limiter(haft_server *server)
{
    struct limiter *none = NULL, *limiter = hf_limiter_new(server->allocator, RATE_MAX_KEYS);

    if (limiter && !atomic_compare_exchange_strong(&server->metering.limiter, &none, limiter)) {
        hf_limiter_free(limiter);
        return none;
    }
    return limiter;
}

/* ---- in this process ---- */

/* Writes the key of a limit; `tool` is NULL for calls of any tool. */
static size_t rate_put_key(const haft_call *call, const char *tool, char key[RATE_KEY])
{
    size_t size = tool ? put_part(key, tool, call->item->name_size) : 0;

    key[size++] = '\0';
    return size + rate_put_client(call, key + size);
}

/* Counts a call under a key. */
static int rate_count(haft_call *call, haft_rate rate, const char *tool)
{
    haft_server *server = call->server;
    struct limiter *limiter = atomic_load_explicit(&server->metering.limiter, memory_order_acquire);
    char key[RATE_KEY] UNSET;
    int64_t wait = 0;
    size_t size;
    int allowed;

    if (!limiter) {
        limiter = rate_limiter(server);
        if (!limiter)
            return HAFT_ENOMEM;
    }
    size = rate_put_key(call, tool, key);
    allowed = hf_limiter_take(limiter, key, size, rate, call->time.now, &wait);
    if (allowed < 0)
        return allowed;
    return allowed ? 0 : refuse(call, rate, wait, tool ? tool : "tools");
}

/* ---- in the store ---- */

/* Both rates in one request: a call that one of them refuses is counted by neither. */
struct rate_ask {
    haft_store_request request;
    haft_store_op ops[2];
    haft_call *call;
    bool counts_all; /* the first operation is for calls of any tool */
};

/* The tool whose rate an operation counts; NULL for calls of any tool. */
static const char *rate_tool_of(const haft_call *call, const struct rate_ask *ask, size_t i)
{
    return ask->counts_all && !i ? NULL : call->item->name;
}

/* The store does not answer: the server's policy decides. */
COLD static int rate_decide_alone(haft_call *call, const struct rate_ask *ask, int error)
{
    haft_server *server = call->server;
    haft_store_away policy = hf_store_policy(server, STORE_RATES);
    int status = 0;

    if (!hf_store_is_away(error))
        return error;
    hf_store_count(server, STORE_RATES, policy == HAFT_AWAY_CLOSED);
    if (policy == HAFT_AWAY_CLOSED)
        return error;
    for (size_t i = 0; !status && policy == HAFT_AWAY_LOCAL && i < ask->request.n_ops; i++)
        status = rate_count(call, hf_store_local_rate(server, ask->ops[i].rate),
                            rate_tool_of(call, ask, i));
    return status;
}

/* The store has refused a call: it refuses the next ones too until the time is over. */
COLD static int rate_refuse_by_store(haft_call *call, const struct rate_ask *ask, size_t i)
{
    haft_server *server = call->server;
    const haft_store_op *op = &ask->ops[i];
    const char *tool = rate_tool_of(call, ask, i);
    struct limiter *limiter = atomic_load(&server->metering.limiter);
    char key[RATE_KEY] UNSET;

    limiter = limiter ? limiter : rate_limiter(server);
    if (limiter)
        hf_limiter_block(limiter, key, rate_put_key(call, tool, key), op->rate,
                         call->time.now + op->ret_wait_ms);
    return refuse(call, op->rate, op->ret_wait_ms, tool ? tool : "tools");
}

static int rate_decide(haft_call *call, const struct rate_ask *ask)
{
    int status = ask->request.status;

    hf_store_note(call->server, STORE_RATES, status);
    if (status)
        return status < 0 ? rate_decide_alone(call, ask, status) : 0;
    for (size_t i = 0; i < ask->request.n_ops; i++)
        if (!ask->ops[i].status)
            return rate_refuse_by_store(call, ask, i);
    return HAFT_EINVAL;
}

/* The store has answered: the stage is called again. */
static void on_rate_answered(haft_store_request *request)
{
    haft_continue(request->context, STAGE_REPEAT);
}

static void rate_add_op(struct rate_ask *ask, haft_rate rate, haft_slice key)
{
    if (rate.calls)
        ask->ops[ask->request.n_ops++] =
            (haft_store_op){.kind = HAFT_STORE_TAKE, .key = key, .rate = rate};
}

/* Refuses a call that the store would refuse, as it did before. Returns 0 if that is not known. */
static int rate_refuse_early(haft_call *call, const struct rate_ask *ask)
{
    struct limiter *limiter =
        atomic_load_explicit(&call->server->metering.limiter, memory_order_acquire);
    char key[RATE_KEY] UNSET;
    int64_t wait = 0;

    for (size_t i = 0; limiter && i < ask->request.n_ops; i++) {
        const char *tool = rate_tool_of(call, ask, i);

        if (hf_limiter_is_blocked(limiter, key, rate_put_key(call, tool, key), ask->ops[i].rate,
                                  call->time.now, &wait))
            return refuse(call, ask->ops[i].rate, wait, tool ? tool : "tools");
    }
    return 0;
}

/* Returns the status for the stage. */
COLD static int rate_ask(haft_call *call, haft_rate all, haft_rate own)
{
    struct rate_ask *ask = haft_arena_zalloc(call->arena, 1, sizeof *ask);
    char group[RATE_KEY] UNSET;
    int status;

    if (!ask)
        return HAFT_ENOMEM;
    ask->counts_all = all.calls;
    ask->request = (haft_store_request){.space = "rate",
                                        .group = {group, rate_put_client(call, group)},
                                        .ops = ask->ops,
                                        .now = call->time.now,
                                        .done = on_rate_answered,
                                        .context = call};
    rate_add_op(ask, all, HAFT_SLICE(""));
    rate_add_op(ask, own, (haft_slice){call->item->name, call->item->name_size});
    if (!ask->request.n_ops)
        return 0;
    status = rate_refuse_early(call, ask);
    if (status)
        return status;
    call->stages.rate_ask = ask; /* the answer may come before this returns */
    status = haft_store_submit(call->server->options.store, &ask->request);
    if (status == HAFT_PENDING)
        return status;
    if (status)
        ask->request.status = status;
    return rate_decide(call, ask);
}

void hf_rate_request(haft_store_request *request, haft_store_op *op, const char *group, size_t size,
                     haft_rate rate, int64_t now)
{
    *op = (haft_store_op){.kind = HAFT_STORE_TAKE, .key = HAFT_SLICE(""), .rate = rate};
    request->space = "rate";
    request->group = (haft_slice){group, size};
    request->ops = op;
    request->n_ops = 1;
    request->now = now;
}

static int rate_before(haft_call *call, void *data)
{
    haft_server *server = call->server;
    const haft_rate all = {atomic_load(&server->limits.client_calls),
                           atomic_load(&server->limits.client_per_ms)};
    haft_rate own = call->item->tool->rate;
    int status;

    (void)data;
    if (server->options.store)
        return call->stages.rate_ask ? rate_decide(call, call->stages.rate_ask)
                                     : rate_ask(call, all, own);
    status = all.calls ? rate_count(call, all, NULL) : 0;
    return !status && own.calls ? rate_count(call, own, call->item->name) : status;
}

const haft_stage hf_rate_stage = HAFT_INIT(haft_stage, .name = "rate limit", .before = rate_before);
