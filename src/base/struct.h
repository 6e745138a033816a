/* base/struct.h - reading structs that programs fill in and that begin with their size (HAFT_INIT). */
#ifndef HAFT_SRC_STRUCT_H
#define HAFT_SRC_STRUCT_H

#include "base/base.h"

/* Why a struct is refused: what a program that has set its members one by one is told. */
#define STRUCT_UNSIZED "its struct_size is not set; start it with HAFT_INIT or HAFT_WITH"

/* Copies *given into the `own` bytes at `ret_own`.  Members that the program did not know of are zero, and so
 * is everything if `given` is NULL.  Returns false if the size of *given cannot be one. */
bool hf_struct_read(void *ret_own, size_t own, const void *given);

/* For structs that are not copied: *ret_view is `given` if it has all the members, else a longer copy from the
 * arena.  Returns 0, HAFT_EINVAL if its size cannot be one, or HAFT_ENOMEM. */
int hf_struct_view(const void *given, size_t own, haft_arena *arena, const void **ret_view);

#endif
