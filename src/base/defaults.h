/* base/defaults.h - what holds when a program and its operator say nothing.
 *
 * A row is a default that more than one place reads: the code that applies it, and the option that
 * sets it (config/option.c), whose text for --help and docs/configuration.md is made of the same
 * number and unit. */
#ifndef HAFT_SRC_DEFAULTS_H
#define HAFT_SRC_DEFAULTS_H

/* Units as operators write them: bytes, and milliseconds. */
enum {
    DEFAULT_UNIT_ = 1,
    DEFAULT_UNIT_KiB = 1 << 10,
    DEFAULT_UNIT_MiB = 1 << 20,
    DEFAULT_UNIT_ms = 1,
    DEFAULT_UNIT_s = 1000,
    DEFAULT_UNIT_m = 60 * 1000
};

/* X(name, number, unit), without a unit for what is counted */
#define DEFAULTS(X)                                                                                \
    X(TIMEOUT, 30, s)        /* for a call */                                                      \
    X(WORKERS, 4, )          /* threads that run handlers, per event loop */                       \
    X(QUEUE, 1024, )         /* calls that wait for one of them */                                 \
    X(IN_FLIGHT, 128, )      /* calls of one connection */                                         \
    X(SUBSCRIPTIONS, 1024, ) /* of one connection */                                               \
    X(MESSAGE, 4, MiB)       /* a message */                                                       \
    X(DEPTH, 64, )           /* how deep JSON may nest */                                          \
    X(DRAIN, 10, s)          /* time limit for calls in flight when a signal stops the server */   \
    X(STDIO_UNSENT, 64, MiB) /* not read by the client when nothing more is taken in */            \
    X(GRACE, 100, ms)        /* for calls in flight when standard input ends */                    \
    X(THREADS, 1, )          /* loops that serve HTTP */                                           \
    X(CONNECTIONS, 4096, )   /* open at a time */                                                  \
    X(PER_ADDRESS, 256, )    /* connections of one address */                                      \
    X(HEADERS, 16, KiB)      /* the head of a request */                                           \
    X(URL, 8, KiB)           /* the target of a request */                                         \
    X(HTTP_UNSENT, 1, MiB)   /* not read by the client of a stream when it is dropped */           \
    X(HEADER_TIME, 10, s)    /* time limit for the headers of a request */                         \
    X(BODY_TIME, 30, s)      /* for its body */                                                    \
    X(IDLE_TIME, 1, m)       /* close a connection that is idle for this long */                   \
    X(SESSIONS, 10000, )     /* of clients of revisions before 2026-07-28 */                       \
    X(SESSION_IDLE, 30, m)   /* end a session that is idle for this long */

enum {
#define DEFAULT_VALUE_(name, number, unit) DEFAULT_##name = number * DEFAULT_UNIT_##unit,
    DEFAULTS(DEFAULT_VALUE_)
#undef DEFAULT_VALUE_
};

#define DEFAULT_ADDRESS "127.0.0.1:8808"
#define DEFAULT_ENDPOINT "/mcp"
#define DEFAULT_METRICS "/metrics"

#endif
