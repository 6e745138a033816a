/* schema/text/uri.h - the addresses that schemas have and name each other by (RFC 3986).
 *
 * Addresses are compared as text: resolving removes dot segments and does no other normalising. */
#ifndef HAFT_SRC_URI_H
#define HAFT_SRC_URI_H

#include "base/base.h"

/* The reference seen from the base, without its fragment, in the arena; NULL without memory.  A
 * base that is empty leaves the reference as it is. */
char *hf_uri_resolve(haft_arena *arena, const char *base, const char *reference, size_t size);

/* What follows the first '#', percent-decoded, in the arena; "" when there is none, NULL without
 * memory.  A '%' that begins no escape stands for itself. */
char *hf_uri_fragment(haft_arena *arena, const char *reference, size_t size, size_t *ret_size);

#endif
