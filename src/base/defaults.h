/* base/defaults.h - default values of options.
 *
 * Each row is a default that several places read: the code that applies it, and the option that
 * sets it (config/option.c), whose text in --help and docs/configuration.md is generated from the
 * same number and unit. */
#ifndef HAFT_SRC_DEFAULTS_H
#define HAFT_SRC_DEFAULTS_H

/* Units: bytes and milliseconds. */
enum {
    DEFAULT_UNIT_ = 1,
    DEFAULT_UNIT_KiB = 1 << 10,
    DEFAULT_UNIT_MiB = 1 << 20,
    DEFAULT_UNIT_ms = 1,
    DEFAULT_UNIT_s = 1000,
    DEFAULT_UNIT_m = 60 * 1000
};

/* X(name, number, unit); the unit is empty for counts */
#define DEFAULTS(X)                                                                                \
    X(TIMEOUT, 30, s)        /* time limit of a call */                                            \
    X(WORKERS, 4, )          /* threads that run handlers, per event loop */                       \
    X(QUEUE, 1024, )         /* calls waiting for a thread */                                      \
    X(IN_FLIGHT, 128, )      /* concurrent calls of one connection */                              \
    X(SUBSCRIPTIONS, 1024, ) /* per connection */                                                  \
    X(MESSAGE, 4, MiB)       /* size of a message */                                               \
    X(DEPTH, 64, )           /* nesting of JSON */                                                 \
    X(DRAIN, 10, s)          /* time limit for calls in flight when a signal stops the server */   \
    X(STDIO_UNSENT, 64, MiB) /* unread output at which reading input pauses */                     \
    X(GRACE, 100, ms)        /* time for calls in flight when standard input ends */               \
    X(THREADS, 1, )          /* event loops that serve HTTP */                                     \
    X(CONNECTIONS, 4096, )   /* open connections */                                                \
    X(PER_ADDRESS, 256, )    /* open connections of one address */                                 \
    X(HEADERS, 16, KiB)      /* size of a request's headers */                                     \
    X(URL, 8, KiB)           /* size of a request's target */                                      \
    X(HTTP_UNSENT, 1, MiB)   /* unread output at which a stream is closed */                       \
    X(HEADER_TIME, 10, s)    /* time limit for the headers of a request */                         \
    X(BODY_TIME, 30, s)      /* time limit for the body of a request */                            \
    X(IDLE_TIME, 1, m)       /* close a connection that is idle for this long */                   \
    X(TASK_WORKERS, 4, )     /* threads that run tasks */                                          \
    X(TASKS, 10000, )        /* unfinished tasks */                                                \
    X(CLIENT_TASKS, 100, )   /* of each client */                                                  \
    X(TASK_TTL, 60, m)       /* time until a task is deleted */                                    \
    X(SESSIONS, 10000, )     /* sessions of clients of revisions before 2026-07-28 */              \
    X(SESSION_IDLE, 30, m)   /* end a session that is idle for this long */                        \
    X(REPLICAS, 1, )         /* processes that share a store */

enum {
#define DEFAULT_VALUE_(name, number, unit) DEFAULT_##name = number * DEFAULT_UNIT_##unit,
    DEFAULTS(DEFAULT_VALUE_)
#undef DEFAULT_VALUE_
};

#define DEFAULT_ADDRESS "127.0.0.1:8808"
#define DEFAULT_ENDPOINT "/mcp"
#define DEFAULT_METRICS "/metrics"

#endif
