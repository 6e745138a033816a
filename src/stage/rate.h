/* stage/rate.h - counting something under a key, wherever that is counted. */
#ifndef HAFT_SRC_RATE_H
#define HAFT_SRC_RATE_H

#include "stage/limiter.h"
#include "engine/offer/server.h"

/* Limits how often clients call tools. */
extern const haft_stage rate_stage;

/* The store can only be asked for an answer that comes later, and there is nobody to wait for it:
 * an error, and a line in the log. */
int rate_refuse_all(haft_server *server);

/* In the store that the server was given, else in `own`, which is then not NULL.  As
 * haft_rate_store.take; a rate of no calls is no limit.  Keys of tools hold a NUL, so others should
 * not. */
static inline int rate_take(const haft_server *server, struct limiter *own, const char *key,
                            size_t size, haft_rate rate, int64_t now, int64_t *ret_wait)
{
    const haft_rate_store *store = server->options.rate_store;

    if (!rate.calls)
        return 1;
    if (!store)
        return limiter_take(own, key, size, rate, now, ret_wait);
    return store->take ? store->take(store->context, key, size, rate, now, ret_wait)
                       : rate_refuse_all((haft_server *)(uintptr_t)server);
}

#endif
