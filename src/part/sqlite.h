/* part/sqlite.h - access to stores in SQLite files, an optional part. */
#ifndef HAFT_SRC_SQLITE_OPEN_H
#define HAFT_SRC_SQLITE_OPEN_H

#include "store/sqlite/sqlite.h"

/* As haft_sqlite_store_new, for an option: the reason starts with `needed_by`, for example "--tasks". Must
 * be called before a sandbox is entered. Callable on any thread. */
haft_store *hf_sqlite_open(const char *file, const haft_sqlite_options *options,
                           const char *needed_by, haft_reason *reterr_reason);

#endif
