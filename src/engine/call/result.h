/* engine/call/result.h - members of a result's `_meta` (content.c). */
#ifndef HAFT_SRC_ENGINE_CALL_RESULT_H
#define HAFT_SRC_ENGINE_CALL_RESULT_H

#include "engine/call/call.h"

/* Add a member to the result's `_meta`: the caller writes its JSON to the same buffer between the
 * two. The end gets the return value of the begin, and removes an earlier member of that key within
 * the first `among` bytes; on an error, it removes the new one and returns the error. */
size_t hf_meta_begin(haft_buffer *meta, const char *key, size_t size);
int hf_meta_end(haft_buffer *meta, size_t start, size_t among);

#endif
