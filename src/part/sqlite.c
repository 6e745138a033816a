/* sqlite.c - opens the part for SQLite, and passes it what it needs. */
#include "part/sqlite.h"

#include <string.h>

#include "base/base.h"
#include "base/struct.h"
#include "part/part.h"
#include "store/limits.h"

static const struct sqlite_host sqlite_host_functions = {
    .alloc = haft_arena_alloc,
    .limits = hf_store_file_limits,
};

haft_store *hf_sqlite_open(const char *file, const haft_sqlite_options *options,
                           const char *needed_by, haft_reason *reterr_reason)
{
    const struct sqlite_functions *sqlite;
    haft_sqlite_options own;
    haft_reason reason = {0};
    haft_store *store;

    if (!file || !*file) {
        hf_error_set(reterr_reason, HAFT_EINVAL, needed_by, "the name of the file is empty");
        return NULL;
    }
    if (!hf_struct_read(&own, sizeof own, options)) {
        hf_error_set(reterr_reason, HAFT_EINVAL, needed_by, "options: " STRUCT_UNSIZED);
        return NULL;
    }
    own.allocator = hf_allocator_or_default(own.allocator);
    sqlite = hf_part_open(PART_SQLITE, needed_by, reterr_reason);
    if (!sqlite)
        return NULL;
    store = sqlite->open(&sqlite_host_functions, file, &own, &reason);
    if (!store)
        hf_error_set(reterr_reason, reason.code, needed_by, "%s", reason.text);
    return store;
}

haft_store *haft_sqlite_store_new(const char *file, const haft_sqlite_options *options,
                                  haft_reason *reterr_reason)
{
    return hf_sqlite_open(file, options, file && *file ? file : "haft_sqlite_store_new",
                          reterr_reason);
}
