/* check.c - validates the parts of a request: untrusted text cannot end a line or start a header.
 *
 * The checks are strict, because rejected text can always be encoded: percent-encoded in a URL, as
 * base64 in a header. */
#include <string.h>
#include <strings.h>

#include "http/client/room.h"

/* token of RFC 9110, 5.6.2 */
bool hf_http_check_name(const char *name, size_t size)
{
    /* A bit for each character of ASCII: letters, digits and !#$%&'*+-.^_`|~ */
    static const uint32_t tokens[] = {0, 0x03FF6CFA, 0xC7FFFFFE, 0x57FFFFFF};

    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)name[i];

        if (c >= 0x80 || !(tokens[c / 32] >> c % 32 & 1))
            return false;
    }
    return size > 0;
}

bool hf_http_check_method(const char *method)
{
    enum { CHECK_LONGEST = 32 };
    size_t size = strnlen(method, CHECK_LONGEST + 1);

    return size <= CHECK_LONGEST && hf_http_check_name(method, size);
}

/* Whether one of eight characters is a control character. */
static bool check_has_control(const char *text)
{
    const uint64_t ones = UINT64_MAX / UINT8_MAX, high = ones << 7;
    uint64_t word, deletes;

    memcpy(&word, text, sizeof word);
    deletes = word ^ ones * 0x7F;
    return (((word - ones * ' ') & ~word) | ((deletes - ones) & ~deletes)) & high;
}

/* field-value of RFC 9110, 5.5: no control characters but tabs */
bool hf_http_check_value(const char *value, size_t size)
{
    size_t i = 0;

    while (size - i >= sizeof(uint64_t) && !check_has_control(value + i))
        i += sizeof(uint64_t);
    for (; i < size; i++) {
        unsigned char c = (unsigned char)value[i];

        if ((c < ' ' && c != '\t') || c == 0x7F)
            return false;
    }
    return true;
}

bool hf_http_check_is_blank(const char *value)
{
    return !value[strspn(value, " \t")];
}

/* Checks only the characters: libcurl parses it, here and later, so that there is one
 * interpretation. */
bool hf_http_check_url(const char *url, size_t limit)
{
    size_t size = strnlen(url, limit + 1);
    const char *host = !strncasecmp(url, "http://", 7)    ? url + 7
                       : !strncasecmp(url, "https://", 8) ? url + 8
                                                          : NULL;

    if (size > limit || !host || !*host || strchr("/?#", *host))
        return false;
    for (size_t i = 0; i < size; i++)
        if (url[i] <= ' ' || url[i] >= 0x7F || url[i] == '\\')
            return false;
    return true;
}

bool hf_http_check_is_framing(const char *name)
{
    static const char *const names[] = {
        "Connection",     "Content-Length",    "Expect",           "Host",
        "HTTP2-Settings", "Keep-Alive",        "Proxy-Connection", "TE",
        "Trailer",        "Transfer-Encoding", "Upgrade",
    };

    if (!strchr("cehkptu", *name | 0x20)) /* their first letters */
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((*name | 0x20) == (*names[i] | 0x20) && !strcasecmp(name, names[i]))
            return true;
    return false;
}

bool hf_http_check_number(const char *text, uint64_t *ret_number)
{
    uint64_t number = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        unsigned digit = (unsigned)(*text - '0');

        if (digit > 9 || number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *ret_number = number;
    return true;
}
