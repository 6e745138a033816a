/* base/percent.h - the percent-encoding of URIs (RFC 3986, section 2.1). */
#ifndef HAFT_SRC_PERCENT_H
#define HAFT_SRC_PERCENT_H

#include "base/hex.h"

/* The byte encoded by the %XX at the start of `left` bytes; -1 if there is none. */
enum { PERCENT_ESCAPE = 3 };
static inline int percent_byte(const char *text, size_t left)
{
    return left >= PERCENT_ESCAPE && *text == '%' ? hex_byte(text[1], text[2]) : -1;
}

/* Decodes %XX and, with `plus`, + as a space. `ret_text` needs room for `size` bytes and may be
 * `text` itself. Returns the decoded size without a NUL, or PERCENT_INVALID if a % does not start
 * an escape. The result may contain any bytes. */
#define PERCENT_INVALID SIZE_MAX
size_t hf_percent_decode_bytes(const char *text, size_t size, bool plus, char *ret_text);

/* The same, with the result in the arena and a NUL. Returns NULL if the text is malformed, not
 * UTF-8, contains a NUL, or memory ran out; *ret_status says which. */
const char *hf_percent_decode(haft_arena *arena, const char *text, size_t size, bool plus,
                              int *ret_status);

/* Appends text with all but unreserved characters encoded. */
void hf_percent_encode(haft_buffer *buffer, const char *text, size_t size);

/* Whether a character needs no encoding: a letter, a digit or one of -._~ */
static inline bool percent_is_unreserved(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

#endif
