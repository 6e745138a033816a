/* store/sqlite/part.h - what the part exports, for its table of functions. */
#ifndef HAFT_SRC_SQLITE_PART_H
#define HAFT_SRC_SQLITE_PART_H

#include "store/sqlite/sqlite.h"

haft_store *hf_sqlite_store_open(const struct sqlite_host *host, const char *file,
                                 const haft_sqlite_options *options, haft_reason *reterr_reason);

#endif
