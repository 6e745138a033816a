/* auth/client/challenge.h - WWW-Authenticate (RFC 9110, section 11.6.1): why a server refused a
 * request. */
#ifndef HAFT_SRC_CHALLENGE_H
#define HAFT_SRC_CHALLENGE_H

#include "base/base.h"
#include "http/client/client.h"

/* The parameters of the challenge that applies; each NULL if it is absent. */
struct challenge {
    const char *resource_metadata, *scope, *error;
};

/* Reads all WWW-Authenticate fields of an answer. The first DPoP challenge applies if `dpop` is set
 * and there is one, else the first Bearer challenge. A malformed field is ignored. Returns 0 or
 * HAFT_ENOMEM; the text is in the arena. */
int hf_challenge_read(const struct http_field *fields, size_t n_fields, bool dpop,
                      haft_arena *arena, struct challenge *ret_challenge);

/* The value of a field, or NULL: none, or more than one. */
const char *hf_challenge_field(const struct http_field *fields, size_t n_fields, const char *name);

#endif
