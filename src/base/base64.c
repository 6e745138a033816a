/* base64.c - strict base64 and base64url (RFC 4648): accepts only the canonical encoding. */
#include "base/base.h"

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

/* The characters of the last two values, in which the encodings differ. */
#define BASE64_URL "-_"
#define BASE64_STANDARD "+/"

static int base64_sextet(char c, const char last[2])
{
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == last[0] ? 62 : c == last[1] ? 63 : -1;
}

/* Decodes text without padding; unused bits of the last character must be zero. */
static inline int base64_decode(const char *text, size_t size, const char last[2],
                                unsigned char *to, size_t *ret_size)
{
    unsigned bits = 0, held = 0;
    size_t n = 0;

    if (size % 4 == 1)
        return HAFT_EINVAL;
    for (size_t i = 0; i < size; i++) {
        int value = base64_sextet(text[i], last);

        if (value < 0)
            return HAFT_EINVAL;
        bits = (bits << 6 | (unsigned)value) & 0xFFFF;
        held += 6;
        if (held >= 8) {
            held -= 8;
            to[n++] = (unsigned char)(bits >> held);
        }
    }
    if (bits & ((1u << held) - 1))
        return HAFT_EINVAL;
    *ret_size = n;
    return 0;
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
