/* auth/form.h - application/x-www-form-urlencoded, and what else goes into token requests. */
#ifndef HAFT_SRC_FORM_H
#define HAFT_SRC_FORM_H

#include "base/base.h"

/* Appends "&name=value", without "&" at the start of the buffer or after "?". A NULL value is left
 * out. */
void hf_form_add(haft_buffer *form, const char *name, const char *value);

/* Appends the value of an Authorization header with client id and secret (RFC 6749, section
 * 2.3.1). */
void hf_form_basic(haft_buffer *header, const haft_allocator *allocator, const char *id,
                   const char *secret);

/* Random text of so many bytes in base64url, in the arena; NULL if memory or randomness is not
 * available. */
const char *hf_random_text(haft_arena *arena, size_t bytes);

#endif
