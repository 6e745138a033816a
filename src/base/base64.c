/* base64.c - strict base64 and base64url (RFC 4648): accepts only the canonical encoding. */
#include "base/base.h"

#include <limits.h>

static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t haft_base64_encode(const void *bytes, size_t size, char *ret_text)
{
    const unsigned char *from = bytes;
    char *to = ret_text;

    for (; size >= 3; size -= 3, from += 3) {
        *to++ = standard[from[0] >> 2];
        *to++ = standard[(from[0] & 3) << 4 | from[1] >> 4];
        *to++ = standard[(from[1] & 15) << 2 | from[2] >> 6];
        *to++ = standard[from[2] & 63];
    }
    if (size) {
        unsigned char second = size > 1 ? from[1] : 0;

        *to++ = standard[from[0] >> 2];
        *to++ = standard[(from[0] & 3) << 4 | second >> 4];
        *to++ = size > 1 ? standard[(second & 15) << 2] : '=';
        *to++ = '=';
    }
    return (size_t)(to - ret_text);
}

/* What a character is: its value in six bits, and the encodings that have it. */
enum { BASE64_VALUE = 0x3F, BASE64_STANDARD = 0x40, BASE64_URL = 0x80 };

#define BASE64_BOTH(value) (BASE64_STANDARD | BASE64_URL | (value))
#define BASE64_TWO(first, value)                                                                   \
    [first] = BASE64_BOTH(value), [(first) + 1] = BASE64_BOTH((value) + 1)

/* A comparison with ranges costs a branch that cannot be predicted for most characters. */
static const unsigned char base64_characters[UCHAR_MAX + 1] = {
    BASE64_TWO('A', 0),      BASE64_TWO('C', 2),           BASE64_TWO('E', 4),
    BASE64_TWO('G', 6),      BASE64_TWO('I', 8),           BASE64_TWO('K', 10),
    BASE64_TWO('M', 12),     BASE64_TWO('O', 14),          BASE64_TWO('Q', 16),
    BASE64_TWO('S', 18),     BASE64_TWO('U', 20),          BASE64_TWO('W', 22),
    BASE64_TWO('Y', 24),     BASE64_TWO('a', 26),          BASE64_TWO('c', 28),
    BASE64_TWO('e', 30),     BASE64_TWO('g', 32),          BASE64_TWO('i', 34),
    BASE64_TWO('k', 36),     BASE64_TWO('m', 38),          BASE64_TWO('o', 40),
    BASE64_TWO('q', 42),     BASE64_TWO('s', 44),          BASE64_TWO('u', 46),
    BASE64_TWO('w', 48),     BASE64_TWO('y', 50),          BASE64_TWO('0', 52),
    BASE64_TWO('2', 54),     BASE64_TWO('4', 56),          BASE64_TWO('6', 58),
    BASE64_TWO('8', 60),     ['+'] = BASE64_STANDARD | 62, ['/'] = BASE64_STANDARD | 63,
    ['-'] = BASE64_URL | 62, ['_'] = BASE64_URL | 63};

/* Decodes text without padding; unused bits of the last character must be zero. `encoding` is a
 * constant wherever it is called. */
static ALWAYS_INLINE int base64_decode(const char *text, size_t size, unsigned encoding,
                                       unsigned char *to, size_t *ret_size)
{
    const unsigned char *from = (const unsigned char *)text, *start = to;
    unsigned bits = 0, in = encoding, rest = (unsigned)(size % 4);

    if (rest == 1)
        return HAFT_EINVAL;
    for (const unsigned char *end = from + (size - rest); from != end; from += 4, to += 3) {
        unsigned a = base64_characters[from[0]], b = base64_characters[from[1]];
        unsigned c = base64_characters[from[2]], d = base64_characters[from[3]];

        in &= a & b & c & d;
        bits = (a & BASE64_VALUE) << 18 | (b & BASE64_VALUE) << 12 | (c & BASE64_VALUE) << 6 |
               (d & BASE64_VALUE);
        to[0] = (unsigned char)(bits >> 16);
        to[1] = (unsigned char)(bits >> 8);
        to[2] = (unsigned char)bits;
    }
    bits = 0;
    for (unsigned i = 0; i < rest; i++) {
        unsigned a = base64_characters[from[i]];

        in &= a;
        bits |= (a & BASE64_VALUE) << (18 - 6 * i);
    }
    for (unsigned i = 1; i < rest; i++, bits = bits << 8 & 0xFFFFFF)
        *to++ = (unsigned char)(bits >> 16);
    if (!in || bits)
        return HAFT_EINVAL;
    *ret_size = (size_t)(to - start);
    return 0;
}

bool hf_base64url_is_all(const char *text, size_t size)
{
    unsigned in = BASE64_URL;

    for (size_t i = 0; i < size; i++)
        in &= base64_characters[(unsigned char)text[i]];
    return in;
}

int haft_base64_decode(const char *text, size_t size, void *ret_bytes, size_t *ret_size)
{
    if (size % 4)
        return HAFT_EINVAL;
    if (size && text[size - 1] == '=')
        size -= text[size - 2] == '=' ? 2 : 1;
    return base64_decode(text, size, BASE64_STANDARD, ret_bytes, ret_size);
}

void hf_base64url_put(haft_buffer *buffer, const void *bytes, size_t size)
{
    char *text;

    if (!hf_buffer_reserve(buffer, HAFT_BASE64_SIZE(size)))
        return;
    text = buffer->data + buffer->size;
    size = haft_base64_encode(bytes, size, text);
    while (size && text[size - 1] == '=')
        size--;
    for (size_t i = 0; i < size; i++)
        text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    buffer->size += size;
}

int hf_base64url_decode(const char *text, size_t size, void *ret_bytes, size_t *ret_size)
{
    return base64_decode(text, size, BASE64_URL, ret_bytes, ret_size);
}
