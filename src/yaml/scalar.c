/* scalar.c - plain scalars by the core schema of YAML 1.2: null, booleans, numbers, and strings otherwise.
 *
 * "yes", "on" and dates are strings, unlike in YAML 1.1: documents that describe an API mean them so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "yaml/yaml.h"

static const struct {
    const char *text, *json;
} scalar_words[] = {
    {"", "null"},       {"~", "null"},      {"null", "null"},   {"Null", "null"},
    {"NULL", "null"},   {"true", "true"},   {"True", "true"},   {"TRUE", "true"},
    {"false", "false"}, {"False", "false"}, {"FALSE", "false"},
};

static size_t scalar_digits(const char *text, const char *end)
{
    const char *at = text;

    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return (size_t)(at - text);
}

/* 0x1F and 0o17, of at most 60 bits. */
static bool scalar_put_radix(const struct yaml_host *host, const char *text, size_t size,
                             haft_buffer *out)
{
    bool hex = size > 2 && text[0] == '0' && text[1] == 'x';
    bool octal = size > 2 && text[0] == '0' && text[1] == 'o';
    char copy[24], number[24];

    if ((!hex && !octal) || size > (hex ? 17 : 22) ||
        strspn(text + 2, hex ? "0123456789abcdefABCDEF" : "01234567") < size - 2)
        return false;
    memcpy(copy, text + 2, size - 2);
    copy[size - 2] = '\0';
    snprintf(number, sizeof number, "%llu", strtoull(copy, NULL, hex ? 16 : 8));
    host->add(out, number, strlen(number));
    return true;
}

/* A number as JSON writes it: without a plus, leading zeros, or a point at either end. */
static bool scalar_put_number(const struct yaml_host *host, const char *text, size_t size,
                              haft_buffer *out)
{
    const char *end = text + size, *whole, *fraction = NULL, *exponent = NULL, *at;
    size_t n_whole, n_fraction = 0;
    bool minus = size && *text == '-';

    whole = text + (size && (*text == '-' || *text == '+'));
    n_whole = scalar_digits(whole, end);
    at = whole + n_whole;
    if (at < end && *at == '.') {
        fraction = ++at;
        n_fraction = scalar_digits(at, end);
        at += n_fraction;
    }
    if (!n_whole && !n_fraction)
        return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        exponent = at++;
        at += at < end && (*at == '-' || *at == '+');
        if (!scalar_digits(at, end))
            return false;
        at += scalar_digits(at, end);
    }
    if (at != end)
        return false;
    for (; n_whole > 1 && *whole == '0'; n_whole--)
        whole++;
    host->add(out, "-", minus);
    host->add(out, n_whole ? whole : "0", n_whole ? n_whole : 1);
    host->add(out, ".", n_fraction > 0);
    host->add(out, fraction ? fraction : "", n_fraction);
    host->add(out, exponent ? exponent : "", exponent ? (size_t)(end - exponent) : 0);
    return true;
}

void hf_yaml_put_plain(const struct yaml_host *host, const char *text, size_t size,
                       haft_buffer *out)
{
    for (size_t i = 0; i < sizeof scalar_words / sizeof *scalar_words; i++)
        if (strlen(scalar_words[i].text) == size && !memcmp(scalar_words[i].text, text, size)) {
            host->add(out, scalar_words[i].json, strlen(scalar_words[i].json));
            return;
        }
    if (!scalar_put_radix(host, text, size, out) && !scalar_put_number(host, text, size, out))
        host->add_string(out, text, size);
}
