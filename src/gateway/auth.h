/* gateway/auth.h - shared parts of the authentication policies. */
#ifndef HAFT_SRC_AUTH_H
#define HAFT_SRC_AUTH_H

#include "gateway/gateway.h"

/* The longest name, password or key that is accepted. */
enum { AUTH_MAX_SECRET = 1024 };

/* Reads a whole file; NULL with the reason. */
char *hf_auth_read_file(haft_arena *arena, const char *path, haft_reason *reason);
/* Returns the next line that is neither empty nor a comment, and advances *text; NULL at the
 * end. */
char *hf_auth_next_line(char **text, unsigned *number);
/* Returns the credentials after the name of a scheme, which is case-insensitive; NULL if the scheme
 * is different. */
const char *hf_auth_behind_scheme(const char *header, const char *scheme);

#endif
