/* base/struct.h - reads structs that programs fill in; their first member is their size
 * (HAFT_INIT). */
#ifndef HAFT_SRC_STRUCT_H
#define HAFT_SRC_STRUCT_H

#include "base/base.h"

/* The error for a struct without a size: the program did not initialize it with HAFT_INIT. */
#define STRUCT_UNSIZED "its struct_size is not set; start it with HAFT_INIT or HAFT_WITH"

/* Copies *given into the `own` bytes at `ret_own`. Members unknown to the program are zero; if
 * `given` is NULL, all are. Returns false if the size of *given is invalid. */
bool hf_struct_read(void *ret_own, size_t own, const void *given);

/* For structs that are not copied: *ret_view is `given` if it has all members, else an extended
 * copy from the arena. Returns 0, HAFT_EINVAL if the size is invalid, or HAFT_ENOMEM. */
int hf_struct_view(const void *given, size_t own, haft_arena *arena, const void **ret_view);

#endif
