/* engine/call/result.h - blocks of a result, and members of its `_meta` (content.c). */
#ifndef HAFT_SRC_ENGINE_CALL_RESULT_H
#define HAFT_SRC_ENGINE_CALL_RESULT_H

#include "engine/call/call.h"

/* A member of the result's `_meta`: between the two, its JSON is put into the same buffer.  The end
 * gets what the begin returned, and takes away one of that key among those in the first `among`
 * bytes; or, when something went wrong, the new one, and returns what it was. */
size_t hf_meta_begin(haft_buffer *meta, const char *key, size_t size);
int hf_meta_end(haft_buffer *meta, size_t start, size_t among);

#endif
