/* gateway/auth.h - what the policies that find out who asks share. */
#ifndef HAFT_SRC_AUTH_H
#define HAFT_SRC_AUTH_H

#include "gateway/gateway.h"

/* The longest name, password or key that is looked at. */
enum { AUTH_MAX_SECRET = 1024 };

/* Reads a file whole; NULL with the reason. */
char *hf_auth_read_file(haft_arena *arena, const char *path, haft_reason *reason);
/* The next line that is neither empty nor a comment; NULL at the end.  *text moves past it. */
char *hf_auth_next_line(char **text, unsigned *number);
/* What a header says behind the name of a scheme, in whatever letters that is written; NULL when it
 * is of another one. */
const char *hf_auth_behind_scheme(const char *header, const char *scheme);

#endif
