/* gateway/auth.h - shared parts of the authentication policies. */
#ifndef HAFT_SRC_AUTH_H
#define HAFT_SRC_AUTH_H

#include "auth/lines.h"
#include "gateway/gateway.h"

/* The longest name, password or key that is accepted. */
enum { AUTH_MAX_SECRET = 1024 };

/* Returns the credentials after the name of a scheme, which is case-insensitive; NULL if the scheme
 * is different. */
const char *hf_auth_behind_scheme(const char *header, const char *scheme);

#endif
