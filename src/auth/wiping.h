/* auth/wiping.h - memory for secrets: an allocator that overwrites what it frees, so that
 * arenas and buffers on it leave nothing behind. */
#ifndef HAFT_SRC_WIPING_H
#define HAFT_SRC_WIPING_H

#include "base/base.h"

/* On top of the default allocator. */
extern const haft_allocator hf_wiping_allocator;

/* A copy of text, and its end; both accept NULL. */
char *hf_wiping_copy(const haft_allocator *allocator, const char *text);
void hf_wiping_free(const haft_allocator *allocator, char *text);

#endif
