/* haft/store.h - state that outlives a call: rate limits, sessions, event logs, tasks.
 *
 * A store holds entries.  An entry is found by a namespace ("rate"), a group (whose it is: a principal, a
 * session's id) and a key within the group.  It is one of three things:
 *
 *   a value    bytes with a version, for get, put and compare-and-set
 *   a window   the calls that a rate limit has counted
 *   a log      numbered records, of which the latest are kept
 *
 * Everything is asked for by a request: a list of operations on one group, which are applied together or not
 * at all.  A request may be answered at once or later, from any thread; so the same callers work with memory,
 * a file or a server on another machine.  Time is passed in.
 *
 * The request and its operations belong to the store while it is pending.  The names and values that they point
 * to are the caller's until haft_store_submit returns, and no longer: a store that answers later copies what it
 * still needs.
 *
 * haft_store_memory_new is the implementation that comes with the library.  A program can bring its own: it
 * fills in a haft_store_methods. */
#ifndef HAFT_STORE_H
#define HAFT_STORE_H

#include <haft/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_slice {
    const char *data;
    size_t size;
} haft_slice;

/* The bytes of a string literal or of a text that ends with a NUL. */
#define HAFT_SLICE(text) ((haft_slice){(text), strlen(text)})

/* ---- operations ---------------------------------------------------------- */

#define HAFT_STORE_OPS(X)                                                                          \
    X(HAFT_STORE_GET, "get")         /* reads a value */                                           \
    X(HAFT_STORE_PUT, "put")         /* writes a value */                                          \
    X(HAFT_STORE_DELETE, "delete")   /* removes an entry of any kind */                            \
    X(HAFT_STORE_TAKE, "take")       /* counts a call against a rate */                            \
    X(HAFT_STORE_APPEND, "append")   /* adds a record to a log */                                  \
    X(HAFT_STORE_RANGE, "range")     /* reads records of a log */                                  \
    X(HAFT_STORE_EXPIRE, "expire")   /* sets when an entry of any kind ends */                     \
    X(HAFT_STORE_PUBLISH, "publish") /* tells the subscribers of a channel */

typedef enum haft_store_kind {
#define HAFT_STORE_OP_(name, text) name,
    HAFT_STORE_OPS(HAFT_STORE_OP_)
#undef HAFT_STORE_OP_
        HAFT_STORE_OP_COUNT_
} haft_store_kind;

/* "get", ...; "unknown" for another number. */
const char *haft_store_op_name(haft_store_kind kind);

/* A record of a log. */
typedef struct haft_store_record {
    uint64_t sequence;
    haft_slice value;
} haft_store_record;

/* An operation, and what came of it.  Reads see the group as it was before the request. */
typedef struct haft_store_op {
    haft_store_kind kind;
    haft_slice key;   /* within the group; the channel of PUBLISH */
    haft_slice value; /* PUT, APPEND, PUBLISH */
    bool if_version;  /* PUT, DELETE, EXPIRE: only if the entry has `version`, */
    uint64_t version; /* where 0 stands for no entry */
    int64_t
        expires_ms; /* PUT, TAKE, APPEND, EXPIRE: from now on; 0: never, or as it is for APPEND */
    haft_rate rate; /* TAKE */
    uint64_t after; /* RANGE: the record before the first that is wanted */
    size_t max_records; /* RANGE: to read, APPEND: to keep; 0: 256 */
    size_t max_bytes;   /* RANGE: to read, APPEND: to keep; 0: 1 MiB */

    /* 1 if done; 0 if there is no entry (GET, DELETE, RANGE, EXPIRE), the version is another, or the rate
     * does not allow the call; or an error. */
    int status;
    haft_slice ret_value;           /* GET */
    uint64_t ret_version;           /* GET, PUT: the entry's; APPEND: the record's number */
    int64_t ret_wait_ms;            /* TAKE: until a call is allowed, when it is not */
    haft_store_record *ret_records; /* RANGE */
    size_t n_records;
    bool ret_gap; /* RANGE: records after `after` are there no longer */
} haft_store_op;

typedef struct haft_store_request haft_store_request;

/* Several operations on one group.  It belongs to the store while it is pending, with `ops` and `arena`. */
struct haft_store_request {
    const char *space; /* the namespace */
    haft_slice group;
    haft_store_op *ops;
    size_t n_ops;
    int64_t now;       /* in milliseconds, of a clock that never goes back */
    haft_arena *arena; /* for what is read; may be NULL if nothing is */
    bool durable;      /* done only once it survives the end of the process, where the store can */
    /* Called once, on any thread, if haft_store_submit has returned HAFT_PENDING. */
    void (*done)(haft_store_request *request);
    void *context;

    /* 1 if it was applied; 0 if an operation with a condition did not hold, and nothing was; or an error,
     * and nothing was. */
    int status;
    bool is_durable;
    void *store_data[4]; /* the store's, while it is pending */
};

/* ---- walking through a namespace ----------------------------------------- */

typedef struct haft_store_found {
    haft_slice group, key;
    uint64_t version;
    haft_slice value; /* of a value; else empty */
} haft_store_found;

typedef struct haft_store_scan haft_store_scan;

/* Entries whose groups begin with a prefix, some at a time and in any order.  An entry that is there all the
 * time is found at least once. */
struct haft_store_scan {
    const char *space;
    haft_slice prefix;
    uint64_t cursor; /* 0 at first; afterwards for the next step: 0 again when there is none */
    size_t limit;    /* of entries to look at in this step; 0: 100 */
    int64_t now;
    haft_arena *arena; /* for what is found */
    void (*done)(haft_store_scan *scan);
    void *context;

    int status;
    haft_store_found *ret_found;
    size_t n_found;
    void *store_data[2];
};

/* ---- channels ------------------------------------------------------------- */

typedef struct haft_store_subscriber haft_store_subscriber;

/* Hears what is published on a channel of a namespace.  Both functions are called on any thread while the
 * store holds a lock: they hand it on, and do not call the store. */
struct haft_store_subscriber {
    const char *space;
    haft_slice channel; /* empty: all of the namespace */
    void (*message)(haft_store_subscriber *subscriber, haft_slice channel, haft_slice value);
    /* Messages may have been lost: the store was away.  May be NULL. */
    void (*gap)(haft_store_subscriber *subscriber);
    void *context;
    haft_store_subscriber *next; /* the store's, while it is subscribed */
};

/* ---- stores --------------------------------------------------------------- */

typedef struct haft_store haft_store;

/* What an implementation does.  Any of them may be called on any thread. */
typedef struct haft_store_methods {
    size_t struct_size; /* its sizeof */
    const char *name;
    /* 0: the request is complete, `done` is not called.  HAFT_PENDING: `done` will be.  An error: it was not
     * accepted, and `done` is not called. */
    int (*submit)(haft_store *store, haft_store_request *request);
    /* Gives up a pending request.  True: `done` will not be called; whether it is applied is not known.
     * False: it has been called, or is being called. */
    bool (*cancel)(haft_store *store, haft_store_request *request);
    int (*scan)(haft_store *store, haft_store_scan *scan); /* returns as submit */
    int (*subscribe)(haft_store *store, haft_store_subscriber *subscriber);
    void (*unsubscribe)(haft_store *store, haft_store_subscriber *subscriber);
    void (*free)(haft_store *store);
} haft_store_methods;

/* The first member of an implementation's own struct. */
struct haft_store {
    const haft_store_methods *methods;
};

/* Checks a request, clears its results and submits it.  Returns as haft_store_methods.submit;
 * HAFT_EINVAL for a request that no store can understand. */
int haft_store_submit(haft_store *store, haft_store_request *request);
bool haft_store_cancel(haft_store *store, haft_store_request *request);
int haft_store_scan_step(haft_store *store, haft_store_scan *scan);
int haft_store_subscribe(haft_store *store, haft_store_subscriber *subscriber);
void haft_store_unsubscribe(haft_store *store, haft_store_subscriber *subscriber);
void haft_store_free(haft_store *store);

/* ---- in memory ------------------------------------------------------------ */

/* What a namespace may hold.  Zero means the stated default. */
typedef struct haft_store_space {
    const char *name;   /* NULL in the one for namespaces that are not listed */
    size_t max_entries; /* 10,000 */
    size_t max_bytes;   /* 64 MiB */
    bool evicts; /* when it is full, the entry that was used longest ago goes; else HAFT_ETOOBIG */
} haft_store_space;

typedef struct haft_store_memory_options {
    size_t struct_size;              /* its sizeof */
    const haft_allocator *allocator; /* malloc */
    const haft_store_space *spaces;  /* copied; those of the library are added */
    size_t n_spaces;
    void (*yield)(
        void); /* called while another thread has the lock; NULL: it is tried again at once */
} haft_store_memory_options;

/* A store in this process's memory: every request is complete at once, nothing is durable.  NULL without
 * memory. */
haft_store *haft_store_memory_new(const haft_store_memory_options *options);

#ifdef __cplusplus
}
#endif
#endif
