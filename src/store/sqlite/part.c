/* part.c - stores on SQLite as an optional part: its only exported symbol. */
#include "store/sqlite/part.h"

#include <haft/part.h>

static const struct sqlite_functions part_functions = {.open = hf_sqlite_store_open};

const haft_part haft_sqlite_part = {
    .magic = HAFT_PART_MAGIC,
    .abi = HAFT_PART_ABI,
    .name = "sqlite",
    .version = HAFT_VERSION,
    .functions = &part_functions,
};
