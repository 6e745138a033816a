/* ecma_class.c - escapes and classes of ECMA-262 regular expressions.
 *
 * Sets are written out as ECMA-262 defines them: \d and \w are ASCII, \s is its white space and
 * line terminators. A class is rebuilt item by item, with every character except letters and digits
 * as a number, so that nothing with a special meaning in PCRE2 ([:alpha:], \Q) remains. */
#include "schema/text/ecma.h"

#include <string.h>

#include "base/hex.h"

#define WHITE                                                                                      \
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"  \
    "\\x{3000}\\x{feff}"
#define NOT_WHITE                                                                                  \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"               \
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"                 \
    "\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"
/* \w and its complement. With the flag i, the long s and the Kelvin sign also match, by case
 * folding. */
#define WORD "0-9A-Z_a-z"
#define NOT_WORD "\\x{0}-/:-@\\x{5b}-\\x{5e}`\\x{7b}-\\x{10ffff}"
#define NOT_WORD_FOLDED                                                                            \
    "\\x{0}-/:-@\\x{5b}-\\x{5e}`\\x{7b}-\\x{17e}\\x{180}-\\x{2129}\\x{212b}-\\x{10ffff}"

static const struct set {
    char letter;
    const char *items, *folded_items;
} sets[] = {
    {'d', "0-9", NULL}, {'D', "\\x{0}-/:-\\x{10ffff}", NULL},
    {'s', WHITE, NULL}, {'S', NOT_WHITE, NULL},
    {'w', WORD, NULL},  {'W', NOT_WORD, NOT_WORD_FOLDED},
};

static bool put_set(struct ecma *ecma, char letter, bool in_class)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const char *items = sets[i].items;

        if (sets[i].letter != letter)
            continue;
        if (ecma->ignore_case && sets[i].folded_items)
            items = sets[i].folded_items;
        haft_buffer_puts(&ecma->out, in_class ? "" : "[");
        haft_buffer_puts(&ecma->out, items);
        haft_buffer_puts(&ecma->out, in_class ? "" : "]");
        return true;
    }
    return false;
}

/* ---- characters ---- */

/* Reads `digits` hexadecimal digits at `ahead`; returns false if they are missing. */
static bool read_hex(const struct ecma *ecma, size_t ahead, size_t digits, uint32_t *ret_value)
{
    uint32_t value = 0;

    for (size_t i = 0; i < digits; i++) {
        int digit = hex_digit(hf_ecma_peek(ecma, ahead + i));

        if (digit < 0)
            return false;
        value = value * 16 + (uint32_t)digit;
    }
    *ret_value = value;
    return true;
}

/* Reads \u{...} from the brace on. Returns the size, or 0 if it is invalid. */
static size_t read_braced(const struct ecma *ecma, size_t ahead, uint32_t *ret_point)
{
    size_t at = ahead + 1;
    uint32_t point = 0;

    for (; hex_digit(hf_ecma_peek(ecma, at)) >= 0; at++) {
        point = point * 16 + (uint32_t)hex_digit(hf_ecma_peek(ecma, at));
        if (point > 0x10FFFF)
            return 0;
    }
    *ret_point = point;
    return at > ahead + 1 && hf_ecma_peek(ecma, at) == '}' ? at + 1 - ahead : 0;
}

/* Reads \uXXXX, possibly a surrogate pair, or \u{...}. */
static bool read_unicode(struct ecma *ecma, uint32_t *ret_point)
{
    size_t start = ecma->pos, size = 4;
    uint32_t low;

    if (hf_ecma_peek(ecma, 2) == '{')
        size = read_braced(ecma, 2, ret_point);
    else if (!read_hex(ecma, 2, 4, ret_point))
        size = 0;
    if (!size)
        return hf_ecma_fail(ecma, start, "invalid \\u escape");
    if (size == 4 && *ret_point >= 0xD800 && *ret_point <= 0xDBFF &&
        hf_ecma_peek(ecma, 6) == '\\' && hf_ecma_peek(ecma, 7) == 'u' &&
        read_hex(ecma, 8, 4, &low) && low >= 0xDC00 && low <= 0xDFFF) {
        *ret_point = 0x10000 + ((*ret_point - 0xD800) << 10) + (low - 0xDC00);
        size = 10;
    }
    ecma->pos += 2 + size;
    return true;
}

static const struct ecma_class_control {
    char letter;
    unsigned char point;
} controls[] = {{'t', 9}, {'n', 10}, {'v', 11}, {'f', 12}, {'r', 13}};

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Reads \t and the like, \cX, \xHH, \0, \u and escaped punctuation. */
static bool read_character(struct ecma *ecma, uint32_t *ret_point)
{
    size_t start = ecma->pos, size = 2;
    char c = hf_ecma_peek(ecma, 1), letter = hf_ecma_peek(ecma, 2);

    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (controls[i].letter == c) {
            *ret_point = controls[i].point;
            ecma->pos += 2;
            return true;
        }
    if (c == 'u')
        return read_unicode(ecma, ret_point);
    if (c == 'c' && (letter | 0x20) >= 'a' && (letter | 0x20) <= 'z') {
        *ret_point = (uint32_t)letter & 0x1F;
        size = 3;
    } else if (c == 'x' && read_hex(ecma, 2, 2, ret_point)) {
        size = 4;
    } else if (c == '0' && !(letter >= '0' && letter <= '9')) {
        *ret_point = 0;
    } else if (start + 1 == ecma->size) {
        return hf_ecma_fail(ecma, start, "\\ at the end of the pattern");
    } else if (is_alphanumeric(c)) {
        return hf_ecma_fail(ecma, start, "invalid escape");
    } else {
        ecma->pos++;
        *ret_point = hf_ecma_next(ecma);
        return true;
    }
    ecma->pos += size;
    return true;
}

bool hf_ecma_escape(struct ecma *ecma, bool in_class, enum ecma_escape *ret_kind,
                    uint32_t *ret_point)
{
    char c = hf_ecma_peek(ecma, 1);

    *ret_kind = ECMA_SET;
    if (c == 'p' || c == 'P') {
        ecma->pos += 2;
        return hf_ecma_property(ecma, c == 'P');
    }
    if (c && put_set(ecma, c, in_class)) {
        ecma->pos += 2;
        return true;
    }
    *ret_kind = ECMA_OTHER;
    if (!in_class && (c == 'b' || c == 'B' || c == 'k' || (c >= '1' && c <= '9')))
        return true;
    *ret_kind = ECMA_CHARACTER;
    if (in_class && c == 'b') {
        ecma->pos += 2;
        *ret_point = 8;
        return true;
    }
    return read_character(ecma, ret_point);
}

/* ---- classes ---- */

static void put_item(struct ecma *ecma, uint32_t point)
{
    if (point < 0x80 && is_alphanumeric((char)point))
        haft_buffer_printf(&ecma->out, "%c", (int)point);
    else
        haft_buffer_printf(&ecma->out, "\\x{%x}", (unsigned)point);
}

/* Valid UTF-8 has no surrogates, and PCRE2 does not accept them as bounds of a range. */
static void put_range(struct ecma *ecma, uint32_t low, uint32_t high)
{
    if (low >= 0xD800 && low <= 0xDFFF)
        low = 0xE000;
    if (high >= 0xD800 && high <= 0xDFFF)
        high = 0xD7FF;
    if (low > high)
        return;
    put_item(ecma, low);
    if (low < high) {
        haft_buffer_puts(&ecma->out, "-");
        put_item(ecma, high);
    }
}

/* Reads one item; *ret_set is true for a set, which is already written. */
static bool read_item(struct ecma *ecma, bool *ret_set, uint32_t *ret_point)
{
    enum ecma_escape kind = ECMA_CHARACTER;
    char c = hf_ecma_peek(ecma, 0);

    if (c == '\\') {
        if (!hf_ecma_escape(ecma, true, &kind, ret_point))
            return false;
    } else {
        if (ecma->sets && c &&
            (strchr("()[]{}/|", c) || (c == hf_ecma_peek(ecma, 1) && !is_alphanumeric(c) && c > 0)))
            return hf_ecma_fail(ecma, ecma->pos, "set notation is not supported");
        *ret_point = hf_ecma_next(ecma);
    }
    *ret_set = kind == ECMA_SET;
    return true;
}

/* Reads one item, or a range. */
static bool read_range(struct ecma *ecma)
{
    size_t start = ecma->pos;
    uint32_t low = 0, high = 0;
    bool low_set = false, high_set = false;

    if (!read_item(ecma, &low_set, &low))
        return false;
    if (hf_ecma_peek(ecma, 0) != '-' || ecma->pos + 1 >= ecma->size ||
        hf_ecma_peek(ecma, 1) == ']') {
        if (!low_set)
            put_range(ecma, low, low);
        return true;
    }
    ecma->pos++;
    if (!read_item(ecma, &high_set, &high))
        return false;
    if (low_set || high_set) {
        put_item(ecma, '-');
        if (!low_set)
            put_range(ecma, low, low);
        if (!high_set)
            put_range(ecma, high, high);
        return true;
    }
    if (low > high)
        return hf_ecma_fail(ecma, start, "the range is out of order");
    put_range(ecma, low, high);
    return true;
}

bool hf_ecma_class(struct ecma *ecma)
{
    size_t start = ecma->pos - 1, before = ecma->out.size, items;
    bool negated = hf_ecma_peek(ecma, 0) == '^';

    ecma->pos += negated;
    haft_buffer_puts(&ecma->out, negated ? "[^" : "[");
    items = ecma->out.size;
    while (ecma->pos < ecma->size && ecma->source[ecma->pos] != ']')
        if (!read_range(ecma))
            return false;
    if (ecma->pos == ecma->size)
        return hf_ecma_fail(ecma, start, "missing ]");
    ecma->pos++;
    if (ecma->out.status || ecma->out.size > items) {
        haft_buffer_puts(&ecma->out, "]");
        return true;
    }
    ecma->out.size = before;
    haft_buffer_puts(&ecma->out, negated ? ECMA_ANY : ECMA_NEVER);
    return true;
}
