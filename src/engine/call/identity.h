/* engine/call/identity.h - the identity of the client that makes a call (identity.c). */
#ifndef HAFT_SRC_ENGINE_CALL_IDENTITY_H
#define HAFT_SRC_ENGINE_CALL_IDENTITY_H

#include <haft/access.h>
#include <string.h>

#include "engine/call/call.h"

/* Copies an identity with its strings; `from` may be of a program that knows fewer members. Returns
 * false without memory, or if its size is invalid. */
bool hf_identity_copy(haft_identity *ret_identity, const haft_identity *from, haft_arena *arena);

/* Makes the client of a call known by its principal alone; NULL: unknown. Its identity remains if it
 * has that principal. */
static inline void call_set_principal(haft_call *call, const char *principal)
{
    haft_identity *identity = &call->request.identity;

    if (!principal || !identity->principal || strcmp(principal, identity->principal) != 0)
        *identity = (haft_identity){.struct_size = sizeof *identity};
    call->request.principal = identity->principal = principal;
}

/* Whether the client can be told from others: by its principal, or because the transport has only one. */
static inline bool call_knows_client(const haft_call *call)
{
    return call->request.principal || !(call->request.peer || call->owner->options.shared);
}

/* Writes an identity as a JSON object, and reads it; its strings are those of the object. */
void hf_identity_write(const haft_identity *identity, struct json_writer *w);
void hf_identity_read(haft_identity *ret_identity, yyjson_val *object);

#endif
