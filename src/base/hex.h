/* base/hex.h - hexadecimal digits. */
#ifndef HAFT_SRC_HEX_H
#define HAFT_SRC_HEX_H

#include "base/base.h"

/* The value of a digit, in lower case or in either case; -1 for any other character. */
static inline int hex_lower_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline int hex_digit(char c)
{
    return hex_lower_digit(ascii_lower(c));
}

/* The byte written as two digits of either case; -1 if they are not digits. */
static inline int hex_byte(char high, char low)
{
    int h = hex_digit(high), l = hex_digit(low);

    return h < 0 || l < 0 ? -1 : h << 4 | l;
}

/* Reads `size` digits, of either case or lower case only, into half as many bytes. Returns false if
 * one is not a digit or their number is odd; the bytes are then undefined. */
bool hf_hex_read(const char *text, size_t size, unsigned char *ret_bytes);
bool hf_hex_read_lower(const char *text, size_t size, unsigned char *ret_bytes);

/* Writes two lower-case digits for each byte, without a NUL. */
void hf_hex_put(const unsigned char *bytes, size_t size, char *ret_text);

#endif
