/* gateway/remembered.h - recently verified credentials, which need not be derived again.
 *
 * It keeps a digest under a key of this table, and its expiry: never a name with its password. The
 * number of entries is fixed; the least recently used is replaced. Any thread may use it. */
#ifndef HAFT_SRC_REMEMBERED_H
#define HAFT_SRC_REMEMBERED_H

#include <haft/engine.h>

#include "base/sha256.h"

enum { REMEMBERED = 256 };

struct remembered;

/* Returns 0, HAFT_ENOMEM, or HAFT_EBUSY without random bytes. */
int hf_remembered_new(const haft_allocator *allocator, struct remembered **ret_remembered);
void hf_remembered_free(struct remembered *remembered);

/* The digest of a name and its password. */
void hf_remembered_digest(const struct remembered *remembered, const char *name,
                          const char *password, unsigned char ret_digest[SHA256_SIZE]);
/* The value stored with a digest; NULL if it is absent or expired. */
const void *hf_remembered_find(struct remembered *remembered,
                               const unsigned char digest[SHA256_SIZE], haft_time now);
/* Stores a digest, with a value that is not NULL, until the given time. */
void hf_remembered_add(struct remembered *remembered, const unsigned char digest[SHA256_SIZE],
                       const void *whose, haft_time now, haft_time until);

#endif
