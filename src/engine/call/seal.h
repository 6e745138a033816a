/* engine/call/seal.h - the state of an unfinished call, which a modern client carries.
 *
 * The client gets opaque text that it cannot forge: the payload with an HMAC. It is bound to the
 * client, the method, the arguments and an expiry time. */
#ifndef HAFT_SRC_ENGINE_CALL_SEAL_H
#define HAFT_SRC_ENGINE_CALL_SEAL_H

#include "engine/call/call.h"

/* Seals the payload, in the call's arena; NULL without memory. */
const char *hf_seal(haft_call *call, const char *payload, size_t size);

/* Returns the payload of sealed text; NULL if it was modified, is for another request, or has
 * expired. */
yyjson_val *hf_unseal(haft_call *call, const char *text, size_t size);

#endif
