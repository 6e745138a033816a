/* format_net.c - addresses: IPv4, IPv6, MAC, ranges, host names of letters and digits, e-mail. */
#include "schema/text/format_check.h"

#include <string.h>

/* ---- IP ---- */

/* The size of the decimal number from 0 to `most`, without leading zeros, at the start; 0 if it is
 * missing. */
static size_t small_number(const char *text, size_t size, unsigned most)
{
    size_t digits = hf_ascii_span(text, size < 4 ? size : 4, SET_DIGIT, "");
    unsigned value = 0;

    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (unsigned)(text[i] - '0');
    return digits > 3 || (digits > 1 && *text == '0') || value > most ? 0 : digits;
}

bool hf_zod_ipv4(const char *text, size_t size)
{
    for (int part = 0; part < 4; part++) {
        size_t digits;

        if (part) {
            if (!size || *text != '.')
                return false;
            text++;
            size--;
        }
        digits = small_number(text, size, 255);
        if (!digits)
            return false;
        text += digits;
        size -= digits;
    }
    return !size;
}

/* RFC 4291's text forms: eight groups, of which one run may be "::" and the last two an IPv4
 * address. */
bool hf_zod_ipv6(const char *text, size_t size)
{
    size_t at = 0, pieces = 0;
    bool gap = false;

    if (size >= 2 && !memcmp(text, "::", 2)) {
        gap = true;
        at = 2;
    }
    while (at < size) {
        size_t digits = hf_ascii_span(text + at, size - at, SET_HEX, "");

        if (digits && at + digits < size && text[at + digits] == '.') {
            if (!hf_zod_ipv4(text + at, size - at))
                return false;
            pieces += 2;
            break;
        }
        if (!digits || digits > 4 || ++pieces > 8)
            return false;
        at += digits;
        if (at == size)
            break;
        if (text[at++] != ':' || at == size)
            return false;
        if (text[at] == ':') {
            if (gap)
                return false;
            gap = true;
            at++;
        }
    }
    return gap ? pieces < 8 : pieces == 8;
}

/* Whether `text` is an address, a slash, and a prefix length of at most `most`. */
static bool is_range(const char *text, size_t size, bool (*address)(const char *, size_t),
                     unsigned most)
{
    const char *slash = size ? memchr(text, '/', size) : NULL;
    size_t before = slash ? (size_t)(slash - text) : 0;
    size_t after = slash ? size - before - 1 : 0;

    return after && small_number(slash + 1, after, most) == after && address(text, before);
}

bool hf_zod_cidr_v4(const char *text, size_t size)
{
    return is_range(text, size, hf_zod_ipv4, 32);
}

bool hf_zod_cidr_v6(const char *text, size_t size)
{
    return is_range(text, size, hf_zod_ipv6, 128);
}

/* Six pairs separated by colons, in one case. */
bool hf_zod_mac(const char *text, size_t size)
{
    bool lower = false, upper = false;

    if (size != 17)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (i % 3 == 2 ? text[i] != ':' : !ascii_in(text[i], SET_HEX))
            return false;
        lower |= ascii_in(text[i], SET_LOWER);
        upper |= ascii_in(text[i], SET_UPPER);
    }
    return !(lower && upper);
}

/* ---- host names ---- */

/* The size of the LDH label at the start; 0 if there is none. */
static size_t ldh_label(const char *text, size_t size)
{
    size_t length = hf_ascii_span(text, size, SET_ALNUM, "-");

    return length > 63 || (length && (*text == '-' || text[length - 1] == '-')) ? 0 : length;
}

bool hf_rfc_ldh_hostname(const char *text, size_t size)
{
    size_t at = 0;

    if (!size || size > 253)
        return false;
    for (;;) {
        size_t length = ldh_label(text + at, size - at);

        at += length;
        if (!length)
            return false;
        if (at == size)
            return true;
        if (text[at++] != '.')
            return false;
    }
}

/* A trailing dot is allowed. */
bool hf_zod_hostname(const char *text, size_t size)
{
    return hf_rfc_ldh_hostname(text, size && text[size - 1] == '.' ? size - 1 : size);
}

/* ---- e-mail ---- */

/* Zod's practical subset: no quotes, no literals, a top-level domain of letters. */
static bool is_practical_domain(const char *text, size_t size)
{
    size_t at = 0, label;

    for (;;) {
        label = hf_ascii_span(text + at, size - at, SET_ALNUM, "-");
        if (at + label == size)
            break;
        if (!label || text[at] == '-' || text[at + label] != '.')
            return false;
        at += label + 1;
    }
    return at && label >= 2 && hf_ascii_span(text + at, label, SET_LOWER | SET_UPPER, "") == label;
}

bool hf_zod_email(const char *text, size_t size)
{
    size_t local = hf_ascii_span(text, size, SET_ALNUM, "_'+-.");

    if (!local || local == size || text[local] != '@' || *text == '.' || text[local - 1] == '.' ||
        text[local - 1] == '\'')
        return false;
    for (size_t i = 1; i < local; i++)
        if (text[i] == '.' && text[i - 1] == '.')
            return false;
    return is_practical_domain(text + local + 1, size - local - 1);
}

/* The size of the local part (RFC 5321, or RFC 6531 if `unicode`): dot-separated words, or one
 * quoted string; 0 if there is none. */
static size_t local_part(const char *text, size_t size, bool unicode)
{
    bool quoted = size && *text == '"';
    size_t at = quoted;

    for (; at < size; at++) {
        unsigned char c = (unsigned char)text[at];

        if (c & 0x80) {
            if (!unicode)
                return 0;
        } else if (quoted) {
            if (c == '"')
                return at + 1;
            if (c == '\\')
                c = ++at < size ? (unsigned char)text[at] : '\0';
            if (c < 0x20 || c >= 0x7F)
                return 0;
        } else if (c == '.') {
            if (!at || text[at - 1] == '.' || at + 1 == size || text[at + 1] == '@')
                return 0;
        } else if (!ascii_in((char)c, SET_ALNUM) && (!c || !strchr("!#$%&'*+-/=?^_`{|}~", c))) {
            break;
        }
    }
    return quoted ? 0 : at;
}

/* "[127.0.0.1]", "[IPv6:::1]" or "[tag:anything]". */
static bool is_literal(const char *text, size_t size)
{
    static const char tag[] = "IPv6:";
    size_t length;

    if (size < 3 || *text != '[' || text[size - 1] != ']')
        return false;
    text++;
    size -= 2;
    if (size > 5 && !memcmp(text, tag, 5))
        return hf_zod_ipv6(text + 5, size - 5);
    if (hf_zod_ipv4(text, size))
        return true;
    length = hf_ascii_span(text, size, SET_ALNUM, "-");
    if (!length || text[length - 1] == '-' || length + 1 >= size || text[length] != ':')
        return false;
    for (size_t i = length + 1; i < size; i++)
        if (text[i] < 33 || text[i] > 126 || strchr("[\\]", text[i]))
            return false;
    return true;
}

static bool is_mailbox(const char *text, size_t size, bool unicode)
{
    size_t local = local_part(text, size, unicode);
    const char *domain = text + local + 1;

    if (!local || local > 64 || local + 1 >= size || text[local] != '@')
        return false;
    size -= local + 1;
    return is_literal(domain, size) || hf_rfc_ldh_hostname(domain, size) ||
           (HAFT_IDNA && unicode && hf_rfc_idn_hostname(domain, size));
}

bool hf_rfc_email(const char *text, size_t size)
{
    return is_mailbox(text, size, false);
}

bool hf_rfc_idn_email(const char *text, size_t size)
{
    return is_mailbox(text, size, true);
}
