/* part/redis.h - access to the store on Redis, an optional part. */
#ifndef HAFT_SRC_REDIS_OPEN_H
#define HAFT_SRC_REDIS_OPEN_H

#include "store/redis/redis.h"

/* What the part needs of libhaft, for tests that link it. */
const struct redis_host *hf_redis_host(void);

#endif
