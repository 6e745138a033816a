/* haft/redis.h - a store (haft/store.h) on a Redis or Valkey server, which several processes and
 * machines share.
 *
 * Every request is one script that the server runs as a whole, with the server's clock.  A request
 * that cannot be answered ends with an error within its timeout; haft_store_request.is_unknown says
 * whether it may have been applied.  Nothing is repeated on its own.
 *
 * It needs the optional part libhaft-redis (haft/part.h), Redis 5 or later, or Valkey. */
#ifndef HAFT_REDIS_H
#define HAFT_REDIS_H

#include <haft/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When a request that asks for durability is durable. */
typedef enum haft_redis_durability {
    HAFT_REDIS_NOT_DURABLE, /* never */
    HAFT_REDIS_REPLICAS,    /* when so many replicas have it (WAIT) */
    HAFT_REDIS_APPEND_FILE  /* if the server has `appendonly yes` and `appendfsync always` */
} haft_redis_durability;

/* Options of a store on a server.  Zero means the default in each description. */
typedef struct haft_redis_options {
    size_t struct_size;              /* set by HAFT_INIT or HAFT_WITH */
    const haft_allocator *allocator; /* malloc; it must be usable from any thread */
    const char *prefix;              /* start of all keys, without braces: "haft" */

    const char *user;          /* name for AUTH, if the URL has none: none */
    const char *password;      /* password, if the URL has none: none */
    const char *password_file; /* file with the password in its first line: none */
    const char *password_env;  /* name of an environment variable with the password: none */

    const char *ca_file;     /* certificates that are trusted, in PEM: those of the system */
    const char *certificate; /* file with the client's certificate, in PEM: none */
    const char *key;         /* file with its private key, in PEM: none */

    unsigned connect_ms;       /* time for connecting, including the login: 2,000 */
    unsigned take_ms;          /* time for a request with `take` operations only: 100 */
    unsigned command_ms;       /* time for any other request: 2,000 */
    unsigned max_waiting;      /* requests without an answer, of each loop: 1,000 */
    unsigned min_reconnect_ms; /* first delay between attempts to connect: 50 */
    unsigned max_reconnect_ms; /* maximum delay: 5,000 */

    haft_redis_durability durability; /* HAFT_REDIS_NOT_DURABLE */
    unsigned replicas;                /* number for HAFT_REDIS_REPLICAS: 1 */
    unsigned replica_ms;              /* maximum time to wait for them: 1,000 */
} haft_redis_options;

/* Creates a store on a server, which may be unavailable at the time.  The URL is one of
 *
 *     redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]
 *     rediss://...                                       with TLS
 *     redis+unix:///PATH[?db=DATABASE]                   a Unix socket
 *     redis+sentinel://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...]/MASTER[/DATABASE]
 *
 * options may be NULL; its strings are copied.  Returns NULL on failure, with the reason, which never
 * contains the password: HAFT_EINVAL for a wrong URL or option, HAFT_ENOTFOUND without
 * libhaft-redis, HAFT_ENOMEM.  Must be called before a sandbox is entered.  Free it with
 * haft_store_free, after the loops that were attached have been detached. */
haft_store *haft_redis_store_new(const char *url, const haft_redis_options *options,
                                 haft_reason *reterr_reason);

#ifdef __cplusplus
}
#endif
#endif
