/* format_id.c - identifiers, hashes and encodings: formats with a fixed shape of ASCII characters.
 *
 * A shape is a row: how many characters, and which. Checksums are verified after the shape. */
#include "schema/text/format_check.h"

#include <string.h>

size_t hf_ascii_span(const char *text, size_t size, unsigned set, const char *others)
{
    size_t i = 0;

    while (i < size && (ascii_in(text[i], set) || (text[i] && strchr(others, text[i]))))
        i++;
    return i;
}

/* Whether all characters are in the set and the size is within bounds. */
static bool is_run(const char *text, size_t size, unsigned set, const char *others, size_t min,
                   size_t max)
{
    return size >= min && size <= max && hf_ascii_span(text, size, set, others) == size;
}

/* ---- runs ---- */

#define RUN(name, set, others, min, max)                                                           \
    bool hf_zod_##name(const char *text, size_t size)                                              \
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

bool hf_zod_cuid(const char *text, size_t size)
{
    return size >= 7 && (*text | 0x20) == 'c' &&
           is_run(text + 1, size - 1, SET_DIGIT | SET_LOWER, "", 6, SIZE_MAX);
}

bool hf_zod_ulid(const char *text, size_t size)
{
    if (!is_run(text, size, SET_ALNUM, "", 26, 26) || *text < '0' || *text > '7')
        return false;
    for (size_t i = 1; i < size; i++)
        if (strchr("ilouILOU", text[i]))
            return false;
    return true;
}

bool hf_zod_xid(const char *text, size_t size)
{
    if (!is_run(text, size, SET_ALNUM, "", 20, 20))
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text[i] | 0x20) > 'v')
            return false;
    return true;
}

bool hf_zod_e164(const char *text, size_t size)
{
    return size && *text == '+' && is_run(text + 1, size - 1, SET_DIGIT, "", 7, 15) &&
           text[1] != '0';
}

bool hf_zod_lowercase(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (ascii_in(text[i], SET_UPPER))
            return false;
    return true;
}

bool hf_zod_uppercase(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (ascii_in(text[i], SET_LOWER))
            return false;
    return true;
}

/* ---- UUIDs ---- */

enum { UUID_SIZE = 36, UUID_PART = 16 };

/* The characters allowed at each position: a range, or a range of letters in either case. A range
 * is stored as an offset that moves its end to the maximum of a signed byte, and the value below
 * its moved start, so that one comparison tests membership. */
struct uuid_shape {
    signed char move[UUID_SIZE], above[UUID_SIZE];
    signed char move_letter[UUID_SIZE], above_letter[UUID_SIZE];
};

#define MOVE(first, last, first_letter, last_letter) 127 - (last)
#define ABOVE(first, last, first_letter, last_letter) 126 - (last) + (first)
#define MOVE_LETTER(first, last, first_letter, last_letter) 127 - (last_letter)
#define ABOVE_LETTER(first, last, first_letter, last_letter) 126 - (last_letter) + (first_letter)

/* The empty range (1 to 0) means that no letter is allowed. */
#define HEX(of) of('0', '9', 'a', 'f')
#define DASH(of) of('-', '-', 1, 0)
#define VARIANT(of) of('8', '9', 'a', 'b')
#define VERSION(of) of('1', '8', 1, 0)
#define VERSION_4(of) of('4', '4', 1, 0)
#define VERSION_6(of) of('6', '6', 1, 0)
#define VERSION_7(of) of('7', '7', 1, 0)

#define HEX_3(of) HEX(of), HEX(of), HEX(of)
#define HEX_4(of) HEX(of), HEX_3(of)
#define PLACES(of, version, variant)                                                               \
    {                                                                                              \
        HEX_4(of), HEX_4(of), DASH(of), HEX_4(of), DASH(of), version(of), HEX_3(of), DASH(of),     \
            variant(of), HEX_3(of), DASH(of), HEX_4(of), HEX_4(of), HEX_4(of)                      \
    }
#define SHAPE(version, variant)                                                                    \
    {                                                                                              \
        PLACES(MOVE, version, variant), PLACES(ABOVE, version, variant),                           \
            PLACES(MOVE_LETTER, version, variant), PLACES(ABOVE_LETTER, version, variant)          \
    }

/* Branch-free, so that compilers vectorize it over 16 positions. */
static ALWAYS_INLINE unsigned fits_place(const struct uuid_shape *shape, const char *text, size_t i)
{
    unsigned char c = (unsigned char)text[i];
    unsigned in = (signed char)(c + shape->move[i]) > shape->above[i];
    unsigned letter_in = (signed char)((c | 0x20) + shape->move_letter[i]) > shape->above_letter[i];

    return in | letter_in;
}

static ALWAYS_INLINE bool is_shape(const struct uuid_shape *shape, const char *text, size_t size)
{
    unsigned char fits = 1;

    if (size != UUID_SIZE)
        return false;
    /* The last two parts overlap. */
    for (size_t i = 0; i < UUID_PART; i++)
        fits &=
            (unsigned char)(fits_place(shape, text, i) & fits_place(shape, text, i + UUID_PART) &
                            fits_place(shape, text, i + UUID_SIZE - UUID_PART));
    return fits;
}

#define UUID(declared, version, variant)                                                           \
    declared(const char *text, size_t size)                                                        \
    {                                                                                              \
        static const struct uuid_shape shape = SHAPE(version, variant);                            \
                                                                                                   \
        return is_shape(&shape, text, size);                                                       \
    }

UUID(bool hf_zod_guid, HEX, HEX)
UUID(bool hf_zod_uuid_v4, VERSION_4, VARIANT)
UUID(bool hf_zod_uuid_v6, VERSION_6, VARIANT)
UUID(bool hf_zod_uuid_v7, VERSION_7, VARIANT)
UUID(static bool has_version, VERSION, VARIANT)

bool hf_zod_uuid(const char *text, size_t size)
{
    return has_version(text, size) ||
           (size == UUID_SIZE &&
            (!memcmp(text, "00000000-0000-0000-0000-000000000000", UUID_SIZE) ||
             !memcmp(text, "ffffffff-ffff-ffff-ffff-ffffffffffff", UUID_SIZE)));
}

/* RFC 4122's grammar does not restrict versions. */
bool hf_rfc_uuid(const char *text, size_t size)
{
    return hf_zod_guid(text, size);
}

/* ---- encodings ---- */

/* Padding is required; unused bits need not be zero. */
bool hf_zod_base64(const char *text, size_t size)
{
    size_t body = hf_ascii_span(text, size, SET_ALNUM, "+/");

    return size % 4 == 0 && size - body <= 2 &&
           hf_ascii_span(text + body, size - body, 0, "=") == size - body;
}

bool hf_zod_base64url(const char *text, size_t size)
{
    return size % 4 != 1 && is_run(text, size, SET_ALNUM, "_-", 0, SIZE_MAX);
}

/* ---- money ---- */

/* 12 to 19 digits with single spaces or hyphens between them, and a valid Luhn checksum. */
bool hf_zod_credit_card(const char *text, size_t size)
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

/* ISO 7064, mod 97-10; a letter has two digits. */
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

bool hf_zod_iban(const char *text, size_t size)
{
    if (!is_run(text, size, SET_DIGIT | SET_UPPER, "", 15, 34) ||
        hf_ascii_span(text, 2, SET_UPPER, "") != 2 ||
        hf_ascii_span(text + 2, 2, SET_DIGIT, "") != 2)
        return false;
    if (!memcmp(text + 2, "00", 2) || !memcmp(text + 2, "01", 2) || !memcmp(text + 2, "99", 2))
        return false;
    return mod97(mod97(0, text + 4, size - 4), text, 4) == 1;
}

bool hf_zod_currency_code(const char *text, size_t size)
{
    size_t low = 0, high = (strlen(hf_format_currencies) + 1) / 4;

    while (size == 3 && low < high) {
        size_t middle = low + (high - low) / 2;
        int order = memcmp(text, hf_format_currencies + middle * 4, 3);

        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}
