/* base/percent.h - the percent-encoding of URIs (RFC 3986, section 2.1). */
#ifndef HAFT_SRC_PERCENT_H
#define HAFT_SRC_PERCENT_H

#include "base/hex.h"

/* The byte that the %XX at the front of `left` bytes stands for; -1 when there is none. */
enum { PERCENT_ESCAPE = 3 };
static inline int percent_byte(const char *text, size_t left)
{
    return left >= PERCENT_ESCAPE && *text == '%' ? hex_byte(text[1], text[2]) : -1;
}

/* Decodes %XX, and with `plus` + as a space, into ret_text, which has room for as many bytes as there
 * are and may be the text itself.  Returns the size without a NUL, or PERCENT_INVALID when a % begins
 * no escape.  What is decoded may be any bytes. */
#define PERCENT_INVALID SIZE_MAX
size_t hf_percent_decode_bytes(const char *text, size_t size, bool plus, char *ret_text);

/* The same into the arena, with a NUL.  NULL when it is not well written, not UTF-8, has a NUL, or
 * there is no memory (*ret_status says which). */
const char *hf_percent_decode(haft_arena *arena, const char *text, size_t size, bool plus,
                              int *ret_status);

/* Appends text with everything encoded that is not unreserved. */
void hf_percent_encode(haft_buffer *buffer, const char *text, size_t size);

/* Whether a character is never encoded: a letter, a digit or one of -._~ */
static inline bool percent_is_unreserved(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

#endif
