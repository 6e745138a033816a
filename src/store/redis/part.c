/* part.c - the store on Redis as an optional part: its only exported symbol. */
#include <haft/part.h>

#include "store/redis/room.h"

static const struct redis_functions part_functions = {.create = hf_redis_create};

const haft_part haft_redis_part = {
    .magic = HAFT_PART_MAGIC,
    .abi = HAFT_PART_ABI,
    .name = "redis",
    .version = HAFT_VERSION,
    .functions = &part_functions,
};
