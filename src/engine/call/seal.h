/* engine/call/seal.h - the state of an unfinished call, as a modern client carries it.
 *
 * The client gets text that it cannot read anything into nor change: the payload and an HMAC over
 * it.  It is bound to who asked, for what, with which arguments, and until when. */
#ifndef HAFT_SRC_ENGINE_CALL_SEAL_H
#define HAFT_SRC_ENGINE_CALL_SEAL_H

#include "engine/call/call.h"

/* The payload sealed, in the call's arena; NULL without memory. */
const char *hf_seal(haft_call *call, const char *payload, size_t size);

/* The payload of sealed text; NULL when it was changed, is for something else, or has expired. */
yyjson_val *hf_unseal(haft_call *call, const char *text, size_t size);

#endif
