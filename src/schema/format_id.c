/* format_id.c - identifiers, hashes and encodings: formats that are a shape of ASCII characters.
 *
 * A shape is a row: how many characters, and which.  Checksums come after the shape. */
#include "schema/format_check.h"

#include <string.h>

size_t ascii_span(const char *text, size_t size, unsigned set, const char *others)
{
    size_t i = 0;

    while (i < size && (ascii_in(text[i], set) || (text[i] && strchr(others, text[i]))))
        i++;
    return i;
}

/* Whether all of the text is of the set, and its size within bounds. */
static bool is_run(const char *text, size_t size, unsigned set, const char *others, size_t min,
                   size_t max)
{
    return size >= min && size <= max && ascii_span(text, size, set, others) == size;
}

/* ---- runs ---- */

#define RUN(name, set, others, min, max)                                                           \
    bool zod_##name(const char *text, size_t size)                                                 \
    {                                                                                              \
        return is_run(text, size, set, others, min, max);                                          \
    }

RUN(nanoid, SET_ALNUM, "_-", 21, 21)
RUN(cuid2, SET_DIGIT | SET_LOWER, "", 1, SIZE_MAX)
RUN(ksuid, SET_ALNUM, "", 27, 27)
RUN(hex, SET_HEX, "", 0, SIZE_MAX)
RUN(md5, SET_HEX, "", 32, 32)
RUN(sha1, SET_HEX, "", 40, 40)
RUN(sha256, SET_HEX, "", 64, 64)
RUN(sha384, SET_HEX, "", 96, 96)
RUN(sha512, SET_HEX, "", 128, 128)

bool zod_cuid(const char *text, size_t size)
{
    return size >= 7 && (*text | 0x20) == 'c' &&
           is_run(text + 1, size - 1, SET_DIGIT | SET_LOWER, "", 6, SIZE_MAX);
}

bool zod_ulid(const char *text, size_t size)
{
    if (!is_run(text, size, SET_ALNUM, "", 26, 26) || *text < '0' || *text > '7')
        return false;
    for (size_t i = 1; i < size; i++)
        if (strchr("ilouILOU", text[i]))
            return false;
    return true;
}

bool zod_xid(const char *text, size_t size)
{
    if (!is_run(text, size, SET_ALNUM, "", 20, 20))
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text[i] | 0x20) > 'v')
            return false;
    return true;
}

bool zod_e164(const char *text, size_t size)
{
    return size && *text == '+' && is_run(text + 1, size - 1, SET_DIGIT, "", 7, 15) &&
           text[1] != '0';
}

bool zod_lowercase(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (ascii_in(text[i], SET_UPPER))
            return false;
    return true;
}

bool zod_uppercase(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (ascii_in(text[i], SET_LOWER))
            return false;
    return true;
}

/* ---- UUIDs ---- */

enum { UUID_SIZE = 36 };

/* The high bit of each byte that is a hexadecimal digit, for 8 bytes below 0x80 at once: such bytes
 * neither carry into their neighbours where a range starts nor borrow where it ends. */
static inline uint64_t hex_bits(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t lower = bytes | ones * 0x20;
    uint64_t digit = (bytes + ones * (0x80 - '0')) & (ones * (0x80 + '9') - bytes);
    uint64_t letter = (lower + ones * (0x80 - 'a')) & (ones * (0x80 + 'f') - lower);

    return digit | letter;
}

static inline uint64_t load8(const char *left, const char *right)
{
    uint64_t bytes = 0;

    memcpy(&bytes, left, 4);
    memcpy((char *)&bytes + 4, right, 4);
    return bytes;
}

/* 8-4-4-4-12 digits are 4 times 8 of them, and dashes. */
bool zod_guid(const char *text, size_t size)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t a, b, c, d;

    if (size != UUID_SIZE)
        return false;
    a = load8(text, text + 4);
    b = load8(text + 9, text + 14);
    c = load8(text + 19, text + 24);
    d = load8(text + 28, text + 32);
    return text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' &&
           !((a | b | c | d) & high) &&
           (hex_bits(a) & hex_bits(b) & hex_bits(c) & hex_bits(d) & high) == high;
}

/* A UUID of RFC 9562 with a version from `low` to `high`. */
static bool is_version(const char *text, size_t size, char low, char high)
{
    return zod_guid(text, size) && text[14] >= low && text[14] <= high &&
           (text[19] == '8' || text[19] == '9' || (text[19] | 0x20) == 'a' ||
            (text[19] | 0x20) == 'b');
}

bool zod_uuid(const char *text, size_t size)
{
    return is_version(text, size, '1', '8') ||
           (size == UUID_SIZE &&
            (!memcmp(text, "00000000-0000-0000-0000-000000000000", UUID_SIZE) ||
             !memcmp(text, "ffffffff-ffff-ffff-ffff-ffffffffffff", UUID_SIZE)));
}

bool zod_uuid_v4(const char *text, size_t size)
{
    return is_version(text, size, '4', '4');
}

bool zod_uuid_v6(const char *text, size_t size)
{
    return is_version(text, size, '6', '6');
}

bool zod_uuid_v7(const char *text, size_t size)
{
    return is_version(text, size, '7', '7');
}

/* RFC 4122's grammar says nothing about versions. */
bool rfc_uuid(const char *text, size_t size)
{
    return zod_guid(text, size);
}

/* ---- encodings ---- */

/* Padding is required; the bits that it hides need not be zero. */
bool zod_base64(const char *text, size_t size)
{
    size_t body = ascii_span(text, size, SET_ALNUM, "+/");

    return size % 4 == 0 && size - body <= 2 &&
           ascii_span(text + body, size - body, 0, "=") == size - body;
}

bool zod_base64url(const char *text, size_t size)
{
    return size % 4 != 1 && is_run(text, size, SET_ALNUM, "_-", 0, SIZE_MAX);
}

/* ---- money ---- */

/* Digits with single spaces or hyphens between them, 12 to 19, whose Luhn sum ends in 0. */
bool zod_credit_card(const char *text, size_t size)
{
    unsigned sum = 0;
    size_t digits = 0;
    bool after_digit = false;

    for (size_t i = size; i-- > 0;) {
        bool digit = ascii_in(text[i], SET_DIGIT);
        unsigned value = (unsigned)(text[i] - '0');

        if (!digit && (!after_digit || (text[i] != ' ' && text[i] != '-')))
            return false;
        after_digit = digit;
        if (!digit)
            continue;
        if (digits++ % 2)
            value = value * 2 - (value > 4 ? 9 : 0);
        sum += value;
    }
    return after_digit && digits >= 12 && digits <= 19 && sum % 10 == 0;
}

/* ISO 7064, mod 97-10: letters count as two digits. */
static unsigned mod97(unsigned remainder, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (ascii_in(text[i], SET_DIGIT))
            remainder = (remainder * 10 + (unsigned)(text[i] - '0')) % 97;
        else
            remainder = (remainder * 100 + (unsigned)(text[i] - 'A' + 10)) % 97;
    }
    return remainder;
}

bool zod_iban(const char *text, size_t size)
{
    if (!is_run(text, size, SET_DIGIT | SET_UPPER, "", 15, 34) ||
        ascii_span(text, 2, SET_UPPER, "") != 2 || ascii_span(text + 2, 2, SET_DIGIT, "") != 2)
        return false;
    if (!memcmp(text + 2, "00", 2) || !memcmp(text + 2, "01", 2) || !memcmp(text + 2, "99", 2))
        return false;
    return mod97(mod97(0, text + 4, size - 4), text, 4) == 1;
}

bool zod_currency_code(const char *text, size_t size)
{
    size_t low = 0, high = (strlen(format_currencies) + 1) / 4;

    while (size == 3 && low < high) {
        size_t middle = low + (high - low) / 2;
        int order = memcmp(text, format_currencies + middle * 4, 3);

        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}
