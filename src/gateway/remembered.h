/* gateway/remembered.h - credentials that were found right a while ago, so that they need not be
 * derived again.
 *
 * Kept is a digest under a key that this table alone has, and for how long it is good: never a name
 * with its password.  There is room for so many; the one that was used longest ago makes room for
 * another.  Any thread may use it. */
#ifndef HAFT_SRC_REMEMBERED_H
#define HAFT_SRC_REMEMBERED_H

#include <haft/engine.h>

#include "base/sha256.h"

enum { REMEMBERED = 256 };

struct remembered;

/* HAFT_ENOMEM, or HAFT_EBUSY without randomness. */
int hf_remembered_new(const haft_allocator *allocator, struct remembered **ret_remembered);
void hf_remembered_free(struct remembered *remembered);

/* The digest that a name with its password is known by. */
void hf_remembered_digest(const struct remembered *remembered, const char *name,
                          const char *password, unsigned char ret_digest[SHA256_SIZE]);
/* What was remembered with a digest; NULL when it is not there, or not any more. */
const void *hf_remembered_find(struct remembered *remembered,
                               const unsigned char digest[SHA256_SIZE], haft_time now);
/* Remembers it, with something that is not NULL, until then. */
void hf_remembered_add(struct remembered *remembered, const unsigned char digest[SHA256_SIZE],
                       const void *whose, haft_time now, haft_time until);

#endif
