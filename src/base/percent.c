/* percent.c - percent-encoding and decoding. */
#include "base/percent.h"

size_t hf_percent_decode_bytes(const char *text, size_t size, bool plus, char *ret_text)
{
    char *to = ret_text;

    for (size_t i = 0; i < size; i++) {
        int byte;

        if (text[i] != '%') {
            *to++ = plus && text[i] == '+' ? ' ' : text[i];
            continue;
        }
        byte = percent_byte(text + i, size - i);
        if (byte < 0)
            return PERCENT_INVALID;
        *to++ = (char)byte;
        i += PERCENT_ESCAPE - 1;
    }
    return (size_t)(to - ret_text);
}

const char *hf_percent_decode(haft_arena *arena, const char *text, size_t size, bool plus,
                              int *ret_status)
{
    char *decoded = haft_arena_alloc(arena, size + 1);

    *ret_status = decoded ? HAFT_EINVAL : HAFT_ENOMEM;
    if (!decoded)
        return NULL;
    size = hf_percent_decode_bytes(text, size, plus, decoded);
    if (size == PERCENT_INVALID || memchr(decoded, '\0', size) ||
        haft_utf8_valid(decoded, size) != size)
        return NULL;
    decoded[size] = '\0';
    *ret_status = 0;
    return decoded;
}

void hf_percent_encode(haft_buffer *buffer, const char *text, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        char encoded[PERCENT_ESCAPE] = {'%', digits[c >> 4], digits[c & 15]};

        if (percent_is_unreserved(c))
            haft_buffer_add(buffer, text + i, 1);
        else
            haft_buffer_add(buffer, encoded, sizeof encoded);
    }
}
