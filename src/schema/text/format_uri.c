/* format_uri.c - RFC 3986 and RFC 3987 references, RFC 6570 templates, RFC 6901 pointers.
 *
 * A reference is split into its five parts by delimiters first; then the characters of each part
 * are checked. */
#include "schema/text/format_check.h"

#include <string.h>

#include "base/percent.h"

#define SUB_DELIMS "!$&'()*+,;="
#define UNRESERVED "-._~"

/* ---- characters ---- */

struct range {
    uint32_t first, last;
};

/* RFC 3987's ucschar, followed by iprivate, which is allowed only in a query. */
static const struct range ucs[] = {
    {0xA0, 0xD7FF},     {0xF900, 0xFDCF},   {0xFDF0, 0xFFEF},   {0x10000, 0x1FFFD},
    {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}, {0x40000, 0x4FFFD}, {0x50000, 0x5FFFD},
    {0x60000, 0x6FFFD}, {0x70000, 0x7FFFD}, {0x80000, 0x8FFFD}, {0x90000, 0x9FFFD},
    {0xA0000, 0xAFFFD}, {0xB0000, 0xBFFFD}, {0xC0000, 0xCFFFD}, {0xD0000, 0xDFFFD},
    {0xE1000, 0xEFFFD}, {0xE000, 0xF8FF},   {0xF0000, 0xFFFFD}, {0x100000, 0x10FFFD},
};
enum { UCS_COUNT = 17, UCS_AND_PRIVATE = sizeof ucs / sizeof *ucs };

static bool is_ucs(uint32_t point, size_t ranges)
{
    for (size_t i = 0; i < ranges; i++)
        if (point >= ucs[i].first && point <= ucs[i].last)
            return true;
    return false;
}

/* The size of the %XX at the start; 0 if there is none. */
static size_t triplet(const char *text, size_t size)
{
    return percent_byte(text, size) < 0 ? 0 : PERCENT_ESCAPE;
}

/* Whether all characters are unreserved, percent-encoded, in `others`, or in the first `ranges`
 * non-ASCII ranges. */
static bool is_made_of(const char *text, size_t size, const char *others, size_t ranges)
{
    const char *end = text + size;

    while (text < end) {
        if (*text & 0x80) {
            if (!is_ucs(hf_utf8_next(&text), ranges))
                return false;
        } else if (*text == '%') {
            if (!triplet(text, (size_t)(end - text)))
                return false;
            text += 3;
        } else if (ascii_in(*text, SET_ALNUM) || (*text && strchr(UNRESERVED, *text)) ||
                   (*text && strchr(others, *text))) {
            text++;
        } else {
            return false;
        }
    }
    return true;
}

/* ---- references ---- */

/* The size of the "[...]" at the start, an IPv6 or future address; 0 if there is none. */
static size_t ip_literal(const char *text, size_t size)
{
    const char *close = size ? memchr(text, ']', size) : NULL;
    size_t inner = close ? (size_t)(close - text) - 1 : 0, digits;

    if (!inner)
        return 0;
    if (hf_zod_ipv6(text + 1, inner))
        return inner + 2;
    if ((text[1] | 0x20) != 'v')
        return 0;
    digits = hf_ascii_span(text + 2, inner - 1, SET_HEX, "");
    if (!digits || digits + 2 >= inner || text[2 + digits] != '.' ||
        hf_ascii_span(text + 3 + digits, inner - 2 - digits, SET_ALNUM,
                      UNRESERVED SUB_DELIMS ":") != inner - 2 - digits)
        return 0;
    return inner + 2;
}

static bool format_uri_is_authority(const char *text, size_t size, size_t ranges)
{
    const char *at = size ? memchr(text, '@', size) : NULL;
    size_t host = 0;

    if (at) {
        if (!is_made_of(text, (size_t)(at - text), SUB_DELIMS ":", ranges))
            return false;
        size -= (size_t)(at + 1 - text);
        text = at + 1;
    }
    if (size && *text == '[') {
        host = ip_literal(text, size);
        if (!host)
            return false;
    } else {
        while (host < size && text[host] != ':')
            host++;
        if (!is_made_of(text, host, SUB_DELIMS, ranges))
            return false;
    }
    return host == size || (text[host] == ':' && hf_ascii_span(text + host + 1, size - host - 1,
                                                               SET_DIGIT, "") == size - host - 1);
}

/* The size of the "scheme:" at the start; 0 if there is none. */
static size_t scheme(const char *text, size_t size)
{
    size_t length = hf_ascii_span(text, size, SET_ALNUM, "+-.");

    return length && length < size && text[length] == ':' && ascii_in(*text, SET_LOWER | SET_UPPER)
               ? length + 1
               : 0;
}

/* The size up to the first character of `stops`. */
static size_t format_uri_until(const char *text, size_t size, const char *stops)
{
    size_t i = 0;

    while (i < size && !(text[i] && strchr(stops, text[i])))
        i++;
    return i;
}

static bool is_reference(const char *text, size_t size, bool absolute, bool international)
{
    size_t ranges = international ? UCS_COUNT : 0, part = scheme(text, size);
    bool has_scheme = part > 0, has_authority;

    if (absolute && !has_scheme)
        return false;
    text += part;
    size -= part;
    has_authority = size >= 2 && text[0] == '/' && text[1] == '/';
    if (has_authority) {
        part = format_uri_until(text + 2, size - 2, "/?#");
        if (!format_uri_is_authority(text + 2, part, ranges))
            return false;
        text += part + 2;
        size -= part + 2;
    }
    part = format_uri_until(text, size, "?#");
    if (!is_made_of(text, part, SUB_DELIMS ":@/", ranges))
        return false;
    /* Without a scheme, a colon in the first segment would be read as the end of a scheme. */
    if (!has_scheme && !has_authority && memchr(text, ':', format_uri_until(text, part, "/")))
        return false;
    text += part;
    size -= part;
    if (size && *text == '?') {
        part = format_uri_until(text, size, "#");
        if (!is_made_of(text + 1, part - 1, SUB_DELIMS ":@/?", international ? UCS_AND_PRIVATE : 0))
            return false;
        text += part;
        size -= part;
    }
    return !size || is_made_of(text + 1, size - 1, SUB_DELIMS ":@/?", ranges);
}

bool hf_rfc_uri(const char *text, size_t size)
{
    return is_reference(text, size, true, false);
}

bool hf_rfc_uri_reference(const char *text, size_t size)
{
    return is_reference(text, size, false, false);
}

bool hf_rfc_iri(const char *text, size_t size)
{
    return is_reference(text, size, true, true);
}

bool hf_rfc_iri_reference(const char *text, size_t size)
{
    return is_reference(text, size, false, true);
}

/* ---- templates ---- */

/* The size of a variable name: words separated by single dots; 0 if there is none. */
static size_t variable_name(const char *text, size_t size)
{
    size_t at = 0;
    bool dot = true; /* the previous character was a dot, or there was none */

    while (at < size) {
        size_t step = triplet(text + at, size - at);

        if (!step && (ascii_in(text[at], SET_ALNUM) || text[at] == '_'))
            step = 1;
        if (!step && (text[at] != '.' || dot))
            break;
        dot = !step;
        at += step ? step : 1;
    }
    return dot ? 0 : at;
}

/* An expression between braces: an operator and variables separated by commas. */
static bool is_expression(const char *text, size_t size)
{
    size_t at = size && *text && strchr("+#./;?&=,!@|", *text) ? 1 : 0;

    for (;;) {
        size_t name = variable_name(text + at, size - at);

        at += name;
        if (!name)
            return false;
        if (at < size && text[at] == '*') {
            at++;
        } else if (at < size && text[at] == ':') {
            size_t digits = hf_ascii_span(text + at + 1, size - at - 1, SET_DIGIT, "");

            if (!digits || digits > 4 || text[at + 1] == '0')
                return false;
            at += 1 + digits;
        }
        if (at == size)
            return true;
        if (text[at++] != ',')
            return false;
    }
}

bool hf_rfc_uri_template(const char *text, size_t size)
{
    const char *end = text + size;

    while (text < end) {
        if (*text == '{') {
            const char *close = memchr(text, '}', (size_t)(end - text));

            if (!close || !is_expression(text + 1, (size_t)(close - text) - 1))
                return false;
            text = close + 1;
        } else if (*text & 0x80) {
            if (!is_ucs(hf_utf8_next(&text), UCS_AND_PRIVATE))
                return false;
        } else if (*text == '%') {
            if (!triplet(text, (size_t)(end - text)))
                return false;
            text += 3;
        } else if (*text <= 0x20 || *text == 0x7F || strchr("\"<>\\^`|}", *text)) {
            return false;
        } else {
            text++;
        }
    }
    return true;
}

/* ---- pointers ---- */

bool hf_rfc_json_pointer(const char *text, size_t size)
{
    if (size && *text != '/')
        return false;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '~' && (i + 1 == size || (text[i + 1] != '0' && text[i + 1] != '1')))
            return false;
    return true;
}

bool hf_rfc_relative_json_pointer(const char *text, size_t size)
{
    size_t digits = hf_ascii_span(text, size, SET_DIGIT, "");

    if (!digits || (digits > 1 && *text == '0'))
        return false;
    if (digits + 1 == size && text[digits] == '#')
        return true;
    return hf_rfc_json_pointer(text + digits, size - digits);
}
