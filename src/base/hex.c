/* hex.c - conversion between bytes and hexadecimal digits. */
#include "base/hex.h"

bool hf_hex_read(const char *text, size_t size, unsigned char *ret_bytes)
{
    for (size_t i = 0; i < size / 2; i++) {
        int byte = hex_byte(text[2 * i], text[2 * i + 1]);

        if (byte < 0)
            return false;
        ret_bytes[i] = (unsigned char)byte;
    }
    return size % 2 == 0;
}

bool hf_hex_read_lower(const char *text, size_t size, unsigned char *ret_bytes)
{
    for (size_t i = 0; i < size; i++)
        if (hex_lower_digit(text[i]) < 0)
            return false;
    return hf_hex_read(text, size, ret_bytes);
}

void hf_hex_put(const unsigned char *bytes, size_t size, char *ret_text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        *ret_text++ = digits[bytes[i] >> 4];
        *ret_text++ = digits[bytes[i] & 15];
    }
}
