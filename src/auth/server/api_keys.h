/* auth/server/api_keys.h - a file of API keys.
 *
 * Each line is `SHA256HEX NAME`, or `SHA256HEX NAME<TAB>SCOPES<TAB>CREATED`: the hash of a key, the
 * name of its owner, the scopes that it grants, separated by spaces, and when it was made, which is
 * for people. A key whose line has no scopes may use everything. The file contains no keys, and so
 * does the memory of this process. */
#ifndef HAFT_SRC_API_KEYS_H
#define HAFT_SRC_API_KEYS_H

#include <haft/access.h>

#include "base/base.h"

enum { API_KEY_LIMIT = 1024 }; /* bytes of a key */

/* The keys of a file: immutable, with references. All functions may be called on any thread. */
struct api_keys;

/* Reads a file. Returns the keys with one reference, or NULL with the reason, which names the
 * line. */
struct api_keys *hf_api_keys_read(const haft_allocator *allocator, const char *file,
                                  haft_reason *reterr_reason);
void hf_api_keys_hold(struct api_keys *keys);
void hf_api_keys_drop(struct api_keys *keys); /* NULL is ignored */

/* The identity of a key's owner; NULL for an unknown key. It lives as long as the keys. */
const haft_identity *hf_api_keys_find(const struct api_keys *keys, const char *key, size_t size);
/* Whether one has this owner (authenticator_owner). */
bool hf_api_keys_have(const struct api_keys *keys, uint64_t owner);

#endif
