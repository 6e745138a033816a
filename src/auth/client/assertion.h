/* auth/client/assertion.h - the assertion by which a client authenticates with its key
 * (private_key_jwt, RFC 7523). */
#ifndef HAFT_SRC_ASSERTION_H
#define HAFT_SRC_ASSERTION_H

#include "auth/crypto/crypto.h"

/* Appends an assertion for an authorization server. Returns 0, HAFT_ENOMEM or HAFT_EFAIL. */
int hf_assertion_put(const struct crypto_functions *crypto, const crypto_key *key,
                     const haft_allocator *memory, const char *client_id, const char *audience,
                     haft_buffer *out);

#endif
