/* schema/text/uri.h - URIs that identify schemas (RFC 3986).
 *
 * URIs are compared as text: resolving removes dot segments and does no other normalization. */
#ifndef HAFT_SRC_URI_H
#define HAFT_SRC_URI_H

#include "base/base.h"

/* Resolves a reference against a base, without its fragment, into the arena; NULL without memory.
 * An empty base leaves the reference as it is. */
char *hf_uri_resolve(haft_arena *arena, const char *base, const char *reference, size_t size);

/* Returns the percent-decoded fragment in the arena; "" if there is none, NULL without memory. A
 * '%' that does not start an escape is kept. */
char *hf_uri_fragment(haft_arena *arena, const char *reference, size_t size, size_t *ret_size);

#endif
