/* auth/client/store.h - where tokens and registrations are kept: memory, a file, or functions of the
 * program. Values are JSON text, found by keys. */
#ifndef HAFT_SRC_AUTH_STORE_H
#define HAFT_SRC_AUTH_STORE_H

#include <haft/authorize.h>

#include "base/base.h"

enum { AUTH_STORE_VALUE = 64 << 10, AUTH_STORE_FILE = 4 << 20, AUTH_STORE_ENTRIES = 4096 };

struct auth_entry;

struct auth_store {
    const haft_allocator *allocator; /* one that wipes */
    struct auth_entry *entries;      /* in memory: only if there is neither file nor functions */
    size_t n_entries;
    const char *file;
    int (*load)(void *context, const char *key, haft_buffer *ret_value);
    int (*save)(void *context, const char *key, const char *value, size_t size);
    void *context;
};

/* Appends the value of a key. Returns 0, HAFT_ENOTFOUND, or another error with the reason. */
int hf_auth_store_load(struct auth_store *store, const char *key, haft_buffer *ret_value,
                       haft_reason *reterr_reason);
/* Replaces the value of a key, or removes it if `value` is NULL. Returns 0 or an error with the
 * reason. */
int hf_auth_store_save(struct auth_store *store, const char *key, const char *value, size_t size,
                       haft_reason *reterr_reason);
void hf_auth_store_finish(struct auth_store *store);

/* The same for a file (auth_file.c). It must be accessible to its owner only, and belong to the
 * user who runs the program. */
int hf_auth_file_load(const char *path, const char *key, const haft_allocator *allocator,
                      haft_buffer *ret_value, haft_reason *reterr_reason);
int hf_auth_file_save(const char *path, const char *key, const char *value, size_t size,
                      const haft_allocator *allocator, haft_reason *reterr_reason);

#endif
