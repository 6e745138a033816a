/* utf8.c - UTF-8 (RFC 3629): no surrogates, no overlong forms, nothing above U+10FFFF. */
#include "base/base.h"

#include <string.h>

/* The size of the sequence at `p`, which has `left` bytes; 0 if it is invalid. */
static size_t sequence(const unsigned char *p, size_t left)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t size;

    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xC2 && p[0] <= 0xDF)
        size = 2;
    else if (p[0] >= 0xE0 && p[0] <= 0xEF)
        size = 3;
    else if (p[0] >= 0xF0 && p[0] <= 0xF4)
        size = 4;
    else
        return 0;
    if (left < size)
        return 0;
    if (p[0] == 0xE0)
        low = 0xA0;
    else if (p[0] == 0xED)
        high = 0x9F;
    else if (p[0] == 0xF0)
        low = 0x90;
    else if (p[0] == 0xF4)
        high = 0x8F;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if (p[i] < 0x80 || p[i] > 0xBF)
            return 0;
    return size;
}

size_t hf_utf8_size(const char *text, size_t left)
{
    return sequence((const unsigned char *)text, left);
}

size_t haft_utf8_valid(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;

    while (i < size) {
        uint64_t word;
        size_t n;

        if (size - i >= sizeof word) {
            memcpy(&word, p + i, sizeof word);
            if (!(word & UINT64_C(0x8080808080808080))) {
                i += sizeof word;
                continue;
            }
        }
        n = sequence(p + i, size - i);
        if (!n)
            return i;
        i += n;
    }
    return i;
}

size_t haft_utf8_length(const char *text, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < size; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

uint32_t hf_utf8_next(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    uint32_t code_point;
    size_t size;

    if (p[0] < 0x80) {
        code_point = p[0];
        size = 1;
    } else if (p[0] < 0xE0) {
        code_point = (uint32_t)(p[0] & 31) << 6 | (p[1] & 63);
        size = 2;
    } else if (p[0] < 0xF0) {
        code_point = (uint32_t)(p[0] & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
        size = 3;
    } else {
        code_point = (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 63) << 12 |
                     (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
        size = 4;
    }
    *text += size;
    return code_point;
}

size_t hf_utf8_put(uint32_t c, char ret_text[4])
{
    if (c < 0x80) {
        ret_text[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        ret_text[0] = (char)(0xC0 | c >> 6);
        ret_text[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        ret_text[0] = (char)(0xE0 | c >> 12);
        ret_text[1] = (char)(0x80 | (c >> 6 & 63));
        ret_text[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    ret_text[0] = (char)(0xF0 | c >> 18);
    ret_text[1] = (char)(0x80 | (c >> 12 & 63));
    ret_text[2] = (char)(0x80 | (c >> 6 & 63));
    ret_text[3] = (char)(0x80 | (c & 63));
    return 4;
}

bool hf_text_is_ignoring_case(const char *text, size_t size, const char *wanted)
{
    size_t i = 0;

    /* Fast path for equal case. */
    if (size && *text == *wanted && size == strlen(wanted) && !memcmp(text, wanted, size))
        return true;
    while (i < size && wanted[i] && ascii_lower(text[i]) == ascii_lower(wanted[i]))
        i++;
    return i == size && !wanted[i];
}

bool hf_text_same_ignoring_case(const char *left, const char *right)
{
    while (*left && ascii_lower(*left) == ascii_lower(*right)) {
        left++;
        right++;
    }
    return ascii_lower(*left) == ascii_lower(*right);
}
