/* store/limits.h - limits of namespaces. */
#ifndef HAFT_SRC_LIMITS_H
#define HAFT_SRC_LIMITS_H

#include <haft/store.h>

/* Returns the limits of a namespace: those in `spaces`, the library's own, those in `spaces` without a
 * name, or the defaults. No limit is 0. */
haft_store_space hf_store_limits(const haft_store_space *spaces, size_t n, const char *name);
/* The same for a store in a file, which has more room for tasks. */
haft_store_space hf_store_file_limits(const haft_store_space *spaces, size_t n, const char *name);

#endif
