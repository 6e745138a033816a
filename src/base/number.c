/* number.c - locale-independent conversion of numbers to text.
 *
 * yyjson finds the shortest digits that read back as the same number; they are laid out as
 * JavaScript does, because Zod's messages and the JSON clients in use print numbers that way. */
#include "base/base.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

static size_t count_digits(uint64_t value)
{
    size_t n = 1;

    for (; value >= 10000; value /= 10000)
        n += 4;
    return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

size_t hf_integer_to_text(int64_t value, char ret_text[NUMBER_TEXT])
{
    /* All two-digit numbers: integers are printed two digits at a time, from the end. */
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    size_t size = count_digits(rest) + (value < 0), at = size;

    ret_text[0] = '-';
    ret_text[size] = '\0';
    for (; rest >= 100; rest /= 100)
        memcpy(ret_text + (at -= 2), pairs + rest % 100 * 2, 2);
    if (rest >= 10)
        memcpy(ret_text + at - 2, pairs + rest * 2, 2);
    else
        ret_text[at - 1] = (char)('0' + rest);
    return size;
}

void hf_hex_to_text(uint64_t value, char ret_text[HEX_TEXT])
{
#define PAIRS(d)                                                                                   \
    d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9" d "a" d "b" d "c" d "d" d "e" d "f"
    static const char pairs[] =
        PAIRS("0") PAIRS("1") PAIRS("2") PAIRS("3") PAIRS("4") PAIRS("5") PAIRS("6") PAIRS("7")
            PAIRS("8") PAIRS("9") PAIRS("a") PAIRS("b") PAIRS("c") PAIRS("d") PAIRS("e") PAIRS("f");
#undef PAIRS

    for (size_t at = HEX_TEXT; at; value >>= 8)
        memcpy(ret_text + (at -= 2), pairs + (value & 0xff) * 2, 2);
}

/* Extracts digits and exponent from a number printed by yyjson; the value is 0.DIGITS *
 * 10^*ret_exponent. */
static size_t number_read_digits(const char *text, char digits[24], int *ret_exponent)
{
    size_t n = 0;
    int exponent = 0, point = -1;

    for (; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            point = (int)n;
        } else if (n || *text != '0') {
            digits[n++] = *text;
        } else if (point >= 0) {
            exponent--;
        }
    }
    exponent += point >= 0 ? point : (int)n;
    if (*text)
        exponent += (int)strtol(text + 1, NULL, 10);
    while (n && digits[n - 1] == '0')
        n--;
    *ret_exponent = exponent;
    return n;
}

static size_t number_put(char *to, size_t at, const char *from, size_t n)
{
    memcpy(to + at, from, n);
    return at + n;
}

static size_t put_zeros(char *to, size_t at, size_t n)
{
    memset(to + at, '0', n);
    return at + n;
}

/* A fixed pool for one scalar, so that yyjson does not allocate. */
static void shortest(double value, char text[64])
{
    char pool[2048];
    yyjson_alc alc;
    yyjson_val val;
    char *written;
    size_t size = 0;

    text[0] = '\0';
    memset(&val, 0, sizeof val);
    yyjson_set_real(&val, value);
    if (!yyjson_alc_pool_init(&alc, pool, sizeof pool))
        return;
    written = yyjson_val_write_opts(&val, 0, &alc, &size, NULL);
    if (written && size < 64)
        memcpy(text, written, size + 1);
}

size_t hf_number_to_text(double value, char ret_text[NUMBER_TEXT])
{
    char text[64], digits[24];
    size_t n, at = 0;
    int exponent;

    if (value == 0 || !isfinite(value)) {
        at = value == 0     ? number_put(ret_text, 0, "0", 1)
             : isnan(value) ? number_put(ret_text, 0, "NaN", 3)
             : value > 0    ? number_put(ret_text, 0, "Infinity", 8)
                            : number_put(ret_text, 0, "-Infinity", 9);
        ret_text[at] = '\0';
        return at;
    }
    /* Fast path for integers, which are the most common: every integer in this range is exact and
     * is printed as an integer. */
    if (value >= -WHOLE_BELOW && value <= WHOLE_BELOW && value == (double)(int64_t)value)
        return hf_integer_to_text((int64_t)value, ret_text);
    if (value < 0)
        at = number_put(ret_text, at, "-", 1);
    shortest(fabs(value), text);
    n = number_read_digits(text, digits, &exponent);
    if (exponent > 21 || exponent < -5) {
        int shown = exponent - 1;

        at = number_put(ret_text, at, digits, 1);
        if (n > 1) {
            at = number_put(ret_text, at, ".", 1);
            at = number_put(ret_text, at, digits + 1, n - 1);
        }
        at = number_put(ret_text, at, shown < 0 ? "e-" : "e+", 2);
        return at + hf_integer_to_text(abs(shown), ret_text + at);
    }
    if (exponent <= 0) {
        at = number_put(ret_text, at, "0.", 2);
        at = put_zeros(ret_text, at, (size_t)-exponent);
        at = number_put(ret_text, at, digits, n);
    } else if ((size_t)exponent >= n) {
        at = number_put(ret_text, at, digits, n);
        at = put_zeros(ret_text, at, (size_t)exponent - n);
    } else {
        at = number_put(ret_text, at, digits, (size_t)exponent);
        at = number_put(ret_text, at, ".", 1);
        at = number_put(ret_text, at, digits + exponent, n - (size_t)exponent);
    }
    ret_text[at] = '\0';
    return at;
}

bool hf_number_to_decimal(double value, struct decimal *ret_decimal)
{
    char text[64], digits[24];
    int exponent;
    size_t n;

    if (!isfinite(value))
        return false;
    *ret_decimal = (struct decimal){0};
    value = fabs(value);
    if (value < 0x1p64 && number_whole(value) == value) {
        ret_decimal->digits = (uint64_t)value;
        return true;
    }
    shortest(value, text);
    n = number_read_digits(text, digits, &exponent);
    for (size_t i = 0; i < n; i++)
        ret_decimal->digits = ret_decimal->digits * 10 + (uint64_t)(digits[i] - '0');
    ret_decimal->exponent = exponent - (int)n;
    return true;
}

/* Divides a non-zero number by `factor` as often as it is divisible; returns how often. */
static int take_factors(uint64_t *number, unsigned factor)
{
    int n = 0;

    for (; *number % factor == 0; *number /= factor)
        n++;
    return n;
}

/* A power of ten contributes only factors 2 and 5. These are counted, and the remaining factors are
 * divided, so nothing exceeds 64 bits. */
bool hf_decimal_is_multiple(struct decimal value, struct decimal of)
{
    int shift = value.exponent - of.exponent, twos, fives;

    if (!value.digits || !of.digits)
        return of.digits;
    if (!shift)
        return value.digits % of.digits == 0;
    twos = take_factors(&of.digits, 2);
    fives = take_factors(&of.digits, 5);
    return value.digits % of.digits == 0 && take_factors(&value.digits, 2) + shift >= twos &&
           take_factors(&value.digits, 5) + shift >= fives;
}

/* The decimal rounded to `digits` digits, as a double. */
static double number_rounded(struct decimal decimal, int digits, bool negative)
{
    uint64_t unit = 1, most = 1;
    yyjson_val value = {0};
    char text[2 * NUMBER_TEXT];

    for (int i = 0; i < digits; i++)
        most *= 10;
    for (; decimal.digits / unit >= most; unit *= 10)
        decimal.exponent++;
    snprintf(
        text, sizeof text, "%s%llue%d", negative ? "-" : "",
        (unsigned long long)(decimal.digits / unit + (decimal.digits % unit >= unit - unit / 2)),
        decimal.exponent);
    yyjson_read_number(text, &value, 0, NULL, NULL);
    return yyjson_get_num(&value);
}

double hf_float_to_number(float value)
{
    /* A float always preserves SURE decimal digits, unless it is subnormal, and ENOUGH digits
     * distinguish any two floats. */
    enum { SURE = 6, ENOUGH = 9 };
    double number = (double)value;
    struct decimal decimal;

    if (!hf_number_to_decimal(fabs(number), &decimal))
        return number;
    for (int digits = fabs(number) < (double)FLT_MIN ? 1 : SURE; digits <= ENOUGH; digits++) {
        double candidate = number_rounded(decimal, digits, number < 0);

        if ((float)candidate == value && fabs(candidate) <= (double)FLT_MAX)
            return candidate;
    }
    return number;
}
