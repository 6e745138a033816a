/* haft/sqlite.h - a durable store in a SQLite file, for one machine.
 *
 *     haft_reason reason;
 *     haft_store *store = haft_sqlite_store_new("/var/lib/shop/state.db", NULL, &reason);
 *
 * It is a haft_store like the one in memory, and its entries survive the end of the process.  Several
 * processes of one machine may use the same file.  It needs the package libhaft-sqlite, an optional
 * part (haft/part.h). */
#ifndef HAFT_SQLITE_H
#define HAFT_SQLITE_H

#include <haft/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a store in a SQLite file.  Zero means the default in each description. */
typedef struct haft_sqlite_options {
    size_t struct_size;              /* set by HAFT_INIT or HAFT_WITH */
    const haft_allocator *allocator; /* malloc; SQLite itself always uses malloc */
    const haft_store_space *spaces;  /* limits of namespaces, copied; the library adds its own */
    size_t n_spaces;                 /* number of namespaces */
    unsigned
        busy_timeout_ms;    /* time to wait for a lock of another process: 5,000; at most 60,000 */
    unsigned poll_ms;       /* while there are subscribers, how often to look for messages of other
                         processes: 200; at least 10 */
    size_t max_queue;       /* maximum number of pending requests: 1,000; another gets HAFT_EBUSY */
    haft_log_function *log; /* receives what concerns operators, on the store's thread: nothing */
    void *log_context;      /* first argument of log */
} haft_sqlite_options;

/* Opens a store in a file, which is created with mode 0600 if it does not exist. options may be
 * NULL.  Returns NULL on failure, with the reason: the part or the directory is missing, other users
 * can read the file, it is damaged, locked, of a newer version or not a store, or it is in a network
 * file system.  Waits for the disk and for locks of other processes, so a program opens it during
 * set-up.  Free it with haft_store_free, not from a function that the store calls.
 *
 * Every accepted request is answered by `done` on a thread of the store: first all of those that
 * have been submitted meanwhile are committed together.  A request with `durable` is answered when
 * it survives a power failure, and others in the same commit are durable as well.  Errors of
 * requests: HAFT_EBUSY if too many are pending, or another process has locked the file for longer
 * than busy_timeout_ms; HAFT_ETOOBIG if a namespace or a value is too large; HAFT_EDENIED if the file
 * or its directory cannot be written to; HAFT_EFAIL if the disk is full or failing, or the file is damaged;
 * HAFT_ENOMEM; HAFT_ECLOSED if the store is being freed.  Details are in the log. haft_store_free
 * answers all pending requests first. */
haft_store *haft_sqlite_store_new(const char *file, const haft_sqlite_options *options,
                                  haft_reason *reterr_reason);

#ifdef __cplusplus
}
#endif
#endif
