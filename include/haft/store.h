/* haft/store.h - stores: state that outlives a call, such as rate limits, sessions, event logs and
 * tasks.
 *
 * A store holds entries.  An entry is found by a namespace ("rate"), a group (the owner, such as a
 * principal or a session's id) and a key within the group.  There are three types of entries:
 *
 *     value     bytes with a version, for get, put and compare-and-set
 *     window    the calls that a rate limit has counted
 *     log       numbered records, of which the latest are kept
 *
 * Every access is a request: a list of operations on one group, which are applied together or not
 * at all.  A request may be answered at once or later, from any thread, so the same callers work
 * with memory, a file or a server on another machine.  The caller passes in the time.
 *
 * A pending request and its operations belong to the store.  The names and values that they point
 * to must live only until haft_store_submit returns: a store that answers later copies what it
 * still needs.
 *
 * haft_store_memory_new makes the store that comes with the library.  A program can provide its own
 * with a haft_store_methods. */
#ifndef HAFT_STORE_H
#define HAFT_STORE_H

#include <haft/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes with a length; not NUL-terminated. */
typedef struct haft_slice {
    const char *data; /* first byte; may be NULL if the size is 0 */
    size_t size;      /* number of bytes */
} haft_slice;

/* The bytes of a string literal or of a NUL-terminated string, as a haft_slice. */
#define HAFT_SLICE(text) ((haft_slice){(text), strlen(text)})

/* What a server decides while its store does not answer: rate limits and single uses. */
typedef enum haft_store_away {
    HAFT_AWAY_DEFAULT, /* the default of the option */
    HAFT_AWAY_LOCAL,   /* decide alone, from what this process knows */
    HAFT_AWAY_CLOSED,  /* refuse */
    HAFT_AWAY_OPEN     /* allow */
} haft_store_away;

/* ---- operations ---------------------------------------------------------- */

/* List of the operations, as X(name, text). */
#define HAFT_STORE_OPS(X)                                                                          \
    X(HAFT_STORE_GET, "get")         /* reads a value */                                           \
    X(HAFT_STORE_PUT, "put")         /* writes a value */                                          \
    X(HAFT_STORE_DELETE, "delete")   /* removes an entry of any type */                            \
    X(HAFT_STORE_TAKE, "take")       /* counts a call against a rate limit */                      \
    X(HAFT_STORE_APPEND, "append")   /* adds a record to a log */                                  \
    X(HAFT_STORE_RANGE, "range")     /* reads records of a log */                                  \
    X(HAFT_STORE_EXPIRE, "expire")   /* sets when an entry of any type expires */                  \
    X(HAFT_STORE_PUBLISH, "publish") /* sends a message to the subscribers of a channel */

/* Kinds of operations, those of HAFT_STORE_OPS. */
typedef enum haft_store_kind {
#define HAFT_STORE_OP_(name, text) name,
    HAFT_STORE_OPS(HAFT_STORE_OP_)
#undef HAFT_STORE_OP_
        HAFT_STORE_OP_COUNT_
} haft_store_kind;

/* Returns the name of an operation, such as "get"; "unknown" for another number.  A constant. */
const char *haft_store_op_name(haft_store_kind kind);

/* A record of a log. */
typedef struct haft_store_record {
    uint64_t sequence; /* number of the record */
    haft_slice value;  /* bytes of the record */
} haft_store_record;

/* An operation and its results.  Reads see the group as it was before the request. */
typedef struct haft_store_op {
    haft_store_kind kind; /* operation */
    haft_slice key;       /* key within the group; the channel of PUBLISH */
    haft_slice value;     /* bytes to write: PUT, APPEND, PUBLISH */
    bool if_version;      /* PUT, DELETE, EXPIRE: only if the entry has `version` */
    uint64_t version;     /* expected version; 0 means that there is no entry */
    /* PUT, TAKE, APPEND, EXPIRE: time to live from now; 0: for ever, or unchanged for APPEND */
    int64_t expires_ms;
    haft_rate rate;     /* rate limit of TAKE */
    uint64_t after;     /* RANGE: sequence number before the first record to read */
    size_t max_records; /* RANGE: records to read; APPEND: records to keep; 0: 256 */
    size_t max_bytes;   /* RANGE: bytes to read; APPEND: bytes to keep; 0: 1 MiB */

    /* 1 if done; 0 if there is no entry (GET, DELETE, RANGE, EXPIRE), the version differs, or the
     * rate limit does not allow the call; or an error. */
    int status;
    haft_slice ret_value; /* GET: the value */
    uint64_t ret_version; /* GET, PUT: version of the entry; APPEND: number of the record */
    int64_t ret_wait_ms;  /* TAKE: time until a call is allowed, if it is not */
    haft_store_record *ret_records; /* RANGE: the records */
    size_t n_records;               /* number of records */
    bool ret_gap;                   /* RANGE: some records after `after` no longer exist */
} haft_store_op;

typedef struct haft_store_request haft_store_request;

/* Operations on one group.  While it is pending it belongs to the store, with `ops` and `arena`. */
struct haft_store_request {
    const char *space;  /* namespace */
    haft_slice group;   /* group within the namespace */
    haft_store_op *ops; /* operations */
    size_t n_ops;       /* number of operations */
    int64_t now;        /* milliseconds, of a clock that never goes back */
    haft_arena *arena;  /* memory for what is read; may be NULL if nothing is */
    bool durable; /* complete only when it survives the end of the process, if the store can */
    /* Called once, on any thread, if haft_store_submit returned HAFT_PENDING. */
    void (*done)(haft_store_request *request);
    void *context; /* pointer of the caller */

    /* 1 if it was applied; 0 if a condition was not met and nothing was applied; or an error, and
     * nothing was applied unless is_unknown is set. */
    int status;
    bool is_durable;     /* whether it survives the end of the process */
    void *store_data[4]; /* used by the store while the request is pending */
    /* With an error: the answer was lost or came too late, so the request may have been applied
     * nevertheless.  Otherwise an error means that nothing was applied. */
    bool is_unknown;
    /* Another request follows from the same thread at once: a store may begin with this one when
     * it has both. */
    bool is_followed;
};

/* ---- scanning a namespace ----------------------------------------- */

/* An entry that a scan has found. */
typedef struct haft_store_found {
    haft_slice group, key; /* group and key of the entry */
    uint64_t version;      /* version of the entry */
    haft_slice value;      /* bytes of a value; empty for other types */
} haft_store_found;

typedef struct haft_store_scan haft_store_scan;

/* A scan of the entries whose groups begin with a prefix, some at a time and in any order.  An
 * entry that exists during the whole scan is found at least once. */
struct haft_store_scan {
    const char *space; /* namespace */
    haft_slice prefix; /* first bytes of the groups */
    uint64_t cursor;   /* position: 0 at the start; afterwards for the next step, 0 at the end */
    size_t limit;      /* entries to look at in this step; 0: 100 */
    int64_t now;       /* milliseconds, of a clock that never goes back */
    haft_arena *arena; /* memory for what is found */
    /* called once, on any thread, if the step returned HAFT_PENDING */
    void (*done)(haft_store_scan *scan);
    void *context; /* pointer of the caller */

    int status;                  /* 0 or an error */
    haft_store_found *ret_found; /* entries of this step */
    size_t n_found;              /* number of entries */
    void *store_data[2];         /* used by the store while the step is pending */
};

/* ---- channels ------------------------------------------------------------- */

typedef struct haft_store_subscriber haft_store_subscriber;

/* Receives messages that are published on a channel of a namespace.  The functions are called on
 * any thread while the store holds a lock: they must pass the message on without calling the
 * store. */
struct haft_store_subscriber {
    const char *space;  /* namespace */
    haft_slice channel; /* channel; empty: all channels of the namespace */
    /* receives a message */
    void (*message)(haft_store_subscriber *subscriber, haft_slice channel, haft_slice value);
    /* reports that messages may have been lost; may be NULL */
    void (*gap)(haft_store_subscriber *subscriber);
    void *context;               /* pointer of the caller */
    haft_store_subscriber *next; /* used by the store while it is subscribed */
};

/* ---- availability -------------------------------------------------------- */

/* Whether a store can be used at the moment. */
typedef struct haft_store_status {
    size_t struct_size;  /* set by HAFT_INIT or HAFT_WITH */
    bool available;      /* requests are answered; always true for a store in this process */
    char error[160];     /* latest error of a connection; empty if there has been none */
    uint64_t reconnects; /* number of connections that replaced a lost one */
    size_t waiting;      /* requests without an answer */
    /* Requests with `durable` survive the end of the process: one that completes without
     * is_durable is exceptional, and its caller must not rely on it. */
    bool durable;
} haft_store_status;

typedef struct haft_store_watcher haft_store_watcher;

/* Receives a call when a store becomes available or unavailable.  The function is called on any thread while
 * the store holds a lock: it must not call the store. */
struct haft_store_watcher {
    /* reports the new state, once for each change */
    void (*changed)(haft_store_watcher *watcher, const haft_store_status *status);
    void *context;            /* pointer of the caller */
    haft_store_watcher *next; /* used by the store while it is watched */
};

/* ---- stores --------------------------------------------------------------- */

typedef struct haft_store haft_store;

/* Functions of a store's implementation.  Each may be called on any thread. */
typedef struct haft_store_methods {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *name;   /* name of the implementation, for logs */
    /* Returns 0 if the request is complete (`done` is not called); HAFT_PENDING if `done` will be
     * called; or an error if the request was not accepted (`done` is not called). */
    int (*submit)(haft_store *store, haft_store_request *request);
    /* Cancels a pending request.  Returns true if `done` will not be called; whether the request is
     * applied is then unknown.  Returns false if `done` has been called or is being called. */
    bool (*cancel)(haft_store *store, haft_store_request *request);
    /* makes one step of a scan; returns as submit */
    int (*scan)(haft_store *store, haft_store_scan *scan);
    /* adds a subscriber; returns 0 or an error */
    int (*subscribe)(haft_store *store, haft_store_subscriber *subscriber);
    /* removes a subscriber; its functions are not called afterwards */
    void (*unsubscribe)(haft_store *store, haft_store_subscriber *subscriber);
    void (*free)(haft_store *store); /* frees the store */
    /* Makes the store use a libuv loop (uv_loop_t) for the requests that the loop's thread submits:
     * it calls their `done` there.  Called on that thread.  Returns 0 or an error.  NULL: the store
     * does not need loops. */
    int (*attach)(haft_store *store, void *loop);
    /* Ends that, on the same thread: pending requests of the thread end with HAFT_ECLOSED.  The
     * store's handles close when the loop runs next. */
    void (*detach)(haft_store *store, void *loop);
    /* fills in all members but struct_size; NULL: the store is always available */
    void (*get_status)(haft_store *store, haft_store_status *ret_status);
    /* adds and removes a watcher; NULL: nothing changes */
    void (*watch)(haft_store *store, haft_store_watcher *watcher);
    void (*unwatch)(haft_store *store, haft_store_watcher *watcher);
} haft_store_methods;

/* A store: the first member of the struct of an implementation. */
struct haft_store {
    const haft_store_methods *methods; /* functions of the implementation */
};

/* Use a store through its methods. haft_store_submit checks a request, clears its results and
 * submits it; it returns as haft_store_methods.submit, or HAFT_EINVAL for an invalid request.
 * haft_store_free accepts NULL.  The functions may be called from any thread. */
int haft_store_submit(haft_store *store, haft_store_request *request);
bool haft_store_cancel(haft_store *store, haft_store_request *request);
int haft_store_scan_step(haft_store *store, haft_store_scan *scan);
int haft_store_subscribe(haft_store *store, haft_store_subscriber *subscriber);
void haft_store_unsubscribe(haft_store *store, haft_store_subscriber *subscriber);
void haft_store_free(haft_store *store);

/* Let a store run the requests of the calling thread on its libuv loop (a uv_loop_t), which is faster
 * than a thread of the store; see haft_store_methods.attach.  A store that does not need loops
 * ignores both.  A loop must be detached before the store is freed and before the loop is closed.
 * haft_store_attach returns 0, HAFT_EEXISTS if the thread has a loop already, HAFT_EBUSY if there
 * are too many, or HAFT_ENOMEM. */
int haft_store_attach(haft_store *store, void *loop);
void haft_store_detach(haft_store *store, void *loop);

/* Returns 0 and whether a store is available, from any thread; HAFT_EINVAL if the struct has no
 * size. */
int haft_store_get_status(haft_store *store, haft_store_status *ret_status);

/* Add and remove a watcher, which must live until it is removed; from any thread. */
void haft_store_watch(haft_store *store, haft_store_watcher *watcher);
void haft_store_unwatch(haft_store *store, haft_store_watcher *watcher);

/* ---- in memory ------------------------------------------------------------ */

/* Limits of a namespace.  Zero means the default in each description. */
typedef struct haft_store_space {
    const char *name;   /* NULL: for namespaces that are not listed */
    size_t max_entries; /* maximum number of entries: 10,000 */
    size_t max_bytes;   /* maximum size of all entries: 64 MiB */
    bool evicts; /* if it is full, removes the least recently used entry; otherwise HAFT_ETOOBIG */
} haft_store_space;

/* Options of a store in memory.  Zero means the default in each description. */
typedef struct haft_store_memory_options {
    size_t struct_size;              /* set by HAFT_INIT or HAFT_WITH */
    const haft_allocator *allocator; /* malloc */
    const haft_store_space *spaces;  /* limits of namespaces, copied; the library adds its own */
    size_t n_spaces;                 /* number of namespaces */
    void (*yield)(void); /* called while another thread holds the lock; NULL: tries again at once */
} haft_store_memory_options;

/* Creates a store in the memory of this process: every request completes at once, and nothing is
 * durable. options may be NULL.  Returns NULL if memory runs out.  Free it with haft_store_free. */
haft_store *haft_store_memory_new(const haft_store_memory_options *options);

#ifdef __cplusplus
}
#endif
#endif
