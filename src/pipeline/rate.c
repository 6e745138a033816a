/* rate.c - the stage that keeps a client from calling a tool too often.
 *
 * Calls are counted by tool and by client: its principal where that is known, else its session.  One that is
 * refused is told how long to wait, in words for the model and as data for the program. */
#include <stdio.h>
#include <string.h>

#include "pipeline/limiter.h"
#include "server/fault.h"

enum { MAX_KEYS = 10000, KEY = 512 };

/* Who is calling, as far as that can be told. */
static size_t put_client(const haft_call *call, char *key, size_t room)
{
    const haft_session *session = call->session;
    int size;

    if (session->options.principal)
        size = snprintf(key, room, "p%s", session->options.principal);
    else if (session->options.shared)
        size = snprintf(key, room, "n%s", haft_client_name(call));
    else
        size = snprintf(key, room, "s%p", (const void *)session);
    return size < 0 ? 0 : (size_t)size < room ? (size_t)size : room - 1;
}

static int refuse(haft_call *call, const haft_rate *rate, int64_t wait, const char *what)
{
    bool whole = rate->per_ms % 1000 == 0;
    char text[128];

    snprintf(text, sizeof text, "%lld", (long long)wait);
    if (haft_result_meta(call, "haft/retryAfterMs", text))
        return HAFT_ENOMEM;
    snprintf(text, sizeof text, "%u times in %u %s. Try again in %lld s.", rate->calls,
             whole ? rate->per_ms / 1000 : rate->per_ms, whole ? "s" : "ms",
             (long long)(wait + 999) / 1000);
    return fault_refuse(call, HAFT_OUTCOME_RATE_LIMITED, what, text);
}

/* Counts a call under a key; `what` is NULL for calls of any tool. */
static int count(haft_call *call, struct limiter *limiter, const haft_rate *rate, const char *what)
{
    char key[KEY];
    int64_t wait = 0;
    size_t size = 0;
    int allowed;

    if (!rate->calls)
        return 0;
    if (what) {
        int n = snprintf(key, sizeof key / 2, "%s", what);

        size = n < 0 ? 0 : (size_t)n < sizeof key / 2 ? (size_t)n : sizeof key / 2 - 1;
    }
    key[size++] = '\0';
    size += put_client(call, key + size, sizeof key - size);
    allowed = limiter_take(limiter, key, size, rate->calls, rate->per_ms, call->now, &wait);
    if (allowed < 0)
        return allowed;
    return allowed ? 0 : refuse(call, rate, wait, what ? what : "tools");
}

static int before(haft_call *call, void *data)
{
    struct limiter *limiter = atomic_load_explicit(&call->server->limiter, memory_order_acquire);
    int status;

    (void)data;
    if (!limiter)
        return 0;
    status = count(call, limiter, &call->server->options.client_rate, NULL);
    return status ? status : count(call, limiter, &call->item->tool->rate, call->item->name);
}

const haft_stage rate_stage = {.name = "rate limit", .before = before};

/* A tool may be the first to need it while calls are served. */
int rate_install(haft_server *server)
{
    struct limiter *none = NULL, *limiter;

    if (atomic_load(&server->limiter))
        return 0;
    limiter = limiter_new(server->allocator, MAX_KEYS);
    if (!limiter)
        return HAFT_ENOMEM;
    if (!atomic_compare_exchange_strong(&server->limiter, &none, limiter))
        limiter_free(limiter);
    return 0;
}

void rate_remove(haft_server *server)
{
    limiter_free(atomic_load(&server->limiter));
}
