/* auth/scope.h - lists of scopes, separated by single spaces (RFC 6749, section 3.3). */
#ifndef HAFT_SRC_SCOPE_H
#define HAFT_SRC_SCOPE_H

#include "base/base.h"

enum { SCOPE_LIMIT = 8 << 10 };

/* Whether everything in the list, which may be NULL, is a scope. */
bool hf_scope_list_is_valid(const char *list);
/* Whether the list contains every scope of the other. */
bool hf_scope_covers(const char *list, const char *other);

/* The scopes of both lists, each once, in the arena; words with invalid characters are left out.
 * Returns NULL if memory runs out; "" for no scopes. */
const char *hf_scope_union(haft_arena *arena, const char *left, const char *right);

#endif
