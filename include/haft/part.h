/* haft/part.h - the parts of libhaft that need a heavy library of their own.
 *
 * What needs libcurl, OpenSSL or a database is in a shared object beside libhaft.so, which libhaft
 * opens when it is first needed: a program that does not use it does not load it.  There is nothing to do
 * for that but to have the package installed.
 *
 * A program that is linked statically can have a part linked in, and says so once, before it uses
 * libhaft:
 *
 *     #include <haft/part.h>
 *
 *     haft_part_register(&haft_http_client_part);
 *
 * and is linked with libhaft-http-client.a, before libhaft.a, and with libcurl. */
#ifndef HAFT_PART_H
#define HAFT_PART_H

#include <haft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HAFT_PART_MAGIC 0x68616674u

/* Changes when a part that was compiled before can no longer be opened. */
#define HAFT_PART_ABI 1u

/* What a part says it is.  The first two members stay where they are in every version. */
typedef struct haft_part {
    unsigned magic, abi;
    const char *name;      /* "http-client": it is in libhaft-http-client */
    const char *version;   /* of haft, which must be the same */
    const void *functions; /* a table that only libhaft knows */
} haft_part;

/* Makes a part that is linked into the program known; libhaft then does not look for a shared object.
 * Returns 0; HAFT_EINVAL if it is of another version of haft or of no name that libhaft knows;
 * HAFT_EEXISTS if another one of this name is in use.  The part must stay where it is.  May be called
 * from any thread. */
int haft_part_register(const haft_part *part);

/* In libhaft-http-client: HTTP requests to other servers (needed by haft_otlp_new). */
extern const haft_part haft_http_client_part;

#ifdef __cplusplus
}
#endif
#endif
