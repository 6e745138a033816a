/* engine/call/forward.h - headers of a request that its handler passes on (forward.c).
 *
 * The headers of a request are gone when a stage or the handler continues later.  Those that an upstream gets are
 * copied into the call's memory meanwhile, and stored with a task.  They never contain credentials: code that sets
 * `forwarded` of a request leaves these out. */
#ifndef HAFT_SRC_ENGINE_CALL_FORWARD_H
#define HAFT_SRC_ENGINE_CALL_FORWARD_H

#include "engine/call/call.h"

/* Writes them as a member of the open object, if there are any. */
void hf_forward_write(const haft_call *call, struct json_writer *w);
/* Reads that member of the object into the call.  Returns false without memory, or if it is invalid. */
bool hf_forward_read(haft_call *call, yyjson_val *object);

#endif
