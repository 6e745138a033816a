/* haft/part.h - optional parts of libhaft that need a large library.
 *
 * A feature that needs libcurl, OpenSSL, libyaml, hiredis or a database is in a shared object next to libhaft.so,
 * which libhaft opens on first use.  A program that does not use the feature does not load it.
 * Installing the package of the part is enough.
 *
 * A statically linked program can link a part and register it once, before it uses libhaft:
 *
 *     #include <haft/part.h>
 *
 *     haft_part_register(&haft_http_client_part);
 *
 * It links libhaft-http-client.a before libhaft.a, and libcurl. */
#ifndef HAFT_PART_H
#define HAFT_PART_H

#include <haft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Value of haft_part.magic, which identifies the struct. */
#define HAFT_PART_MAGIC 0x68616674u

/* Version of haft_part.  It changes when libhaft can no longer open parts that were compiled
 * earlier. */
#define HAFT_PART_ABI 1u

/* Description of a part.  The first two members keep their place in every version. */
typedef struct haft_part {
    unsigned magic, abi;   /* HAFT_PART_MAGIC and HAFT_PART_ABI */
    const char *name;      /* "http-client" for libhaft-http-client */
    const char *version;   /* version of haft; must be that of libhaft */
    const void *functions; /* table that only libhaft knows */
} haft_part;

/* Registers a part that is linked into the program; libhaft then does not look for a shared object.
 * Returns 0.  The part must live until the program ends.  Fails with HAFT_EINVAL if the part has
 * another version of haft or an unknown name, and with HAFT_EEXISTS if another part of this name is
 * in use.  May be called from any thread. */
int haft_part_register(const haft_part *part);

/* The part in libhaft-http-client: HTTP requests to other servers. haft_otlp_new needs it, and
 * haft_client_connect for servers with a URL. */
extern const haft_part haft_http_client_part;

/* The part in libhaft-crypto: signatures with private keys and TLS, on OpenSSL. haft_oauth_new needs
 * it for private_key and dpop, and an HTTP server for tls_certificates. */
extern const haft_part haft_crypto_part;

/* The part in libhaft-yaml: YAML, on libyaml. A gateway needs it for OpenAPI documents in YAML. */
extern const haft_part haft_yaml_part;

/* The part in libhaft-sqlite: stores in files, on SQLite. haft_sqlite_store_new needs it. */
extern const haft_part haft_sqlite_part;

/* The part in libhaft-redis: a store on Redis or Valkey, on hiredis. haft_redis_store_new needs it. */
extern const haft_part haft_redis_part;

#ifdef __cplusplus
}
#endif
#endif
