/* auth/lines.h - line-based files of credentials. */
#ifndef HAFT_SRC_AUTH_LINES_H
#define HAFT_SRC_AUTH_LINES_H

#include "base/base.h"

/* Reads a whole file; NULL with the reason. A file that every user can change is refused, because
 * such a user could add himself. */
char *hf_auth_read_file(haft_arena *arena, const char *path, haft_reason *reason);
/* Returns the next line that is neither empty nor a comment, without the characters of `blank` at
 * its end, and advances *text; NULL at the end. */
char *hf_auth_next_line(char **text, unsigned *number, const char *blank);

#endif
