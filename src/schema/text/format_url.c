/* format_url.c - URLs as accepted by the WHATWG parser, without a base.
 *
 * The parser accepts nearly everything: once the scheme is known, only the host, the port and
 * credentials without a host can fail. So this follows its states up to the path. Tabs and line
 * ends are dropped everywhere, so characters are read only through next(). */
#include "schema/text/format_check.h"
#include "schema/text/idna.h"

#include <string.h>

enum { MAX_HOST_LABEL = IDNA_MAX_LABEL };

/* ---- reading ---- */

struct reader {
    const char *at, *end;
};

/* The next byte; 0x100 at the end. */
static int next(struct reader *reader)
{
    while (reader->at < reader->end &&
           (*reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r'))
        reader->at++;
    return reader->at < reader->end ? (unsigned char)*reader->at++ : 0x100;
}

static int peek(struct reader reader)
{
    return next(&reader);
}

/* White space and line terminators of ECMA-262, which String.prototype.trim removes. */
static bool is_white(uint32_t point)
{
    return (point >= 9 && point <= 13) || point == ' ' || point == 0xA0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 ||
           point == 0x202F || point == 0x205F || point == 0x3000 || point == 0xFEFF;
}

static struct reader trim(const char *text, size_t size)
{
    struct reader reader = {text, text + size};
    const char *probe;

    for (probe = text; probe < reader.end && is_white(hf_utf8_next(&probe));)
        reader.at = probe;
    while (reader.end > reader.at) {
        probe = reader.end - 1;
        while (probe > reader.at && (*probe & 0xC0) == 0x80)
            probe--;
        text = probe;
        if (!is_white(hf_utf8_next(&probe)))
            break;
        reader.end = text;
    }
    return reader;
}

/* The URL parser removes controls and spaces at both ends. */
static struct reader strip(struct reader reader)
{
    while (reader.at < reader.end && (unsigned char)*reader.at <= 0x20)
        reader.at++;
    while (reader.end > reader.at && (unsigned char)reader.end[-1] <= 0x20)
        reader.end--;
    return reader;
}

/* ---- IPv4 hosts: one to four numbers in any of three bases ---- */

/* The value of a part of an IPv4 host, some large number if it is over 2^32; -1 if it is not a
 * number. */
static int64_t ipv4_number(const char *text, size_t size)
{
    unsigned base = 10;
    int64_t value = 0;

    if (!size)
        return -1;
    if (size >= 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
        base = 16;
        text += 2;
        size -= 2;
    } else if (size >= 2 && text[0] == '0') {
        base = 8;
        text++;
        size--;
    }
    for (size_t i = 0; i < size; i++) {
        int digit = hex_digit(text[i]);

        if (digit < 0 || (unsigned)digit >= base)
            return -1;
        value = value * base + digit;
        if (value > UINT32_MAX)
            value = (int64_t)UINT32_MAX + 1;
    }
    return value;
}

/* ---- hosts ---- */

/* State while the labels of a host are read, with the numeric values of the last five. */
struct host {
    uint32_t label[MAX_HOST_LABEL];
    size_t count;
    bool ascii; /* the label is ASCII */
    bool too_long;
    size_t n_labels, total;
    bool last_is_number; /* the last label is a number in any base */
    int64_t numbers[5];
    bool not_dns; /* a label is not valid in the DNS */
    bool letters; /* the last label is two or more letters */
    size_t dns_size;
};

static bool is_ignored(uint32_t point)
{
    return point == 0xAD || point == 0x34F || (point >= 0x180B && point <= 0x180F) ||
           point == 0x200B || point == 0x2060 || point == 0x2064 ||
           (point >= 0xFE00 && point <= 0xFE0F) || point == 0xFEFF ||
           (point >= 0xE0100 && point <= 0xE01EF);
}

/* Checks the context of joiners and the direction. */
static bool reads_well(const uint32_t *label, size_t count)
{
    return HAFT_IDNA && hf_idna_joins(label, count) &&
           (!hf_idna_has_rtl(label, count) || hf_idna_bidi_rule(label, count));
}

/* Whether a label that starts with "xn--" is a valid A-label. One that encodes ASCII is accepted,
 * and so is any in a build without IDNA. */
static bool is_a_label(const uint32_t *label, size_t count)
{
    uint32_t points[IDNA_MAX_LABEL];
    char text[MAX_HOST_LABEL];
    size_t decoded;

    if (!HAFT_IDNA)
        return true;
    for (size_t i = 4; i < count; i++)
        text[i - 4] = (char)label[i];
    decoded = hf_idna_decode(text, count - 4, points);
    for (size_t i = 0; i < decoded; i++)
        if (points[i] >= 0x80 && hf_idna_of(points[i]).status < IDNA_SYMBOL)
            return false;
    return decoded && reads_well(points, decoded);
}

static void note_number(struct host *host)
{
    char text[64];
    size_t digits = 0;

    host->last_is_number = false;
    if (host->n_labels <= 5)
        host->numbers[host->n_labels - 1] = -1;
    if (!host->ascii || !host->count)
        return;
    while (digits < host->count && host->label[digits] >= '0' && host->label[digits] <= '9')
        digits++;
    if (host->count > sizeof text) {
        host->last_is_number = digits == host->count;
        return;
    }
    for (size_t i = 0; i < host->count; i++)
        text[i] = (char)host->label[i];
    if (host->n_labels <= 5)
        host->numbers[host->n_labels - 1] = ipv4_number(text, host->count);
    host->last_is_number = digits == host->count || ipv4_number(text, host->count) >= 0;
}

/* Zod's httpUrl also requires DNS labels, the last of them letters. */
static void note_dns(struct host *host)
{
    size_t size = host->count, letters = 0;

    for (size_t i = 0; i < host->count; i++) {
        char c = host->label[i] < 0x80 ? (char)host->label[i] : 'a';

        host->not_dns |= !ascii_in(c, SET_ALNUM) && c != '-';
        letters += ascii_in(c, SET_LOWER);
    }
    if (HAFT_IDNA && !host->ascii)
        size = hf_idna_encoded_size(host->label, host->count) + 4;
    else if (size && (host->label[0] == '-' || host->label[size - 1] == '-'))
        host->not_dns = true;
    host->not_dns |= size < 1 || size > 63 || host->too_long;
    host->letters = host->ascii && letters == size && size >= 2;
    host->dns_size += size + 1;
}

static bool end_label(struct host *host)
{
    const uint32_t *label = host->label;
    bool prefix = host->count >= 4 && label[0] == 'x' && label[1] == 'n' && label[2] == '-' &&
                  label[3] == '-';

    host->n_labels++;
    if (host->too_long && !host->ascii)
        return false;
    if (host->ascii && prefix && (host->too_long || !is_a_label(label, host->count)))
        return false;
    if (!host->ascii && (prefix || !reads_well(label, host->count)))
        return false;
    note_dns(host);
    note_number(host);
    if (host->too_long)
        host->last_is_number = false;
    host->count = 0;
    host->ascii = true;
    host->too_long = false;
    return true;
}

static bool is_forbidden(uint32_t point)
{
    if (point < 0x80)
        return point <= 0x20 || point == 0x7F || strchr("#%/:<>?@[\\]^|", (int)point);
    return !HAFT_IDNA || hf_idna_of(point).status == IDNA_DISALLOWED;
}

/* Adds one percent-decoded code point of the host. */
static bool add_point(struct host *host, uint32_t point)
{
    if (point >= 0xFF01 && point <= 0xFF5E)
        point -= 0xFEE0;
    if (point == 0x3002 || point == 0xFF61)
        point = '.';
    if (point >= 'A' && point <= 'Z')
        point |= 0x20;
    if (point == '.') {
        host->total++;
        return end_label(host);
    }
    if (is_forbidden(point))
        return false;
    if (is_ignored(point))
        return true;
    host->total++;
    host->ascii &= point < 0x80;
    if (host->count == MAX_HOST_LABEL)
        host->too_long = true;
    else
        host->label[host->count++] = point;
    return true;
}

/* A host that ends in a number must be an IPv4 address. A trailing dot is ignored. */
static bool is_ipv4_host(const struct host *host, size_t parts)
{
    if (parts > 4)
        return false;
    for (size_t i = 0; i + 1 < parts; i++)
        if (host->numbers[i] < 0 || host->numbers[i] > 255)
            return false;
    return host->numbers[parts - 1] >= 0 && host->numbers[parts - 1] < (int64_t)1
                                                                           << 8 * (5 - parts);
}

/* Reads one byte of the host, percent-decoded; 0x100 at the end. */
static int next_decoded(struct reader *reader)
{
    int c = next(reader), high, byte;
    struct reader ahead = *reader;

    if (c != '%')
        return c;
    high = next(&ahead);
    byte = hex_byte((char)high, (char)next(&ahead));
    if (byte < 0)
        return c;
    *reader = ahead;
    return byte;
}

/* Reads one code point of the host; 0x110000 at the end, 0xFFFD for invalid UTF-8. */
static uint32_t next_point(struct reader *reader)
{
    int c = next_decoded(reader);
    char bytes[4] = {(char)c};
    const char *text = bytes;
    size_t size = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;

    if (c == 0x100)
        return 0x110000;
    for (size_t i = 1; i < size; i++) {
        c = next_decoded(reader);
        if (c == 0x100)
            return 0xFFFD;
        bytes[i] = (char)c;
    }
    return haft_utf8_valid(bytes, size) == size ? hf_utf8_next(&text) : 0xFFFD;
}

/* "[...]" with an IPv6 address; tabs and line ends inside are ignored. */
static bool is_bracketed(struct reader reader)
{
    char text[64];
    size_t size = 0;
    int c;

    next(&reader);
    while ((c = next(&reader)) != 0x100 && size < sizeof text)
        text[size++] = (char)c;
    return c == 0x100 && size && text[size - 1] == ']' && hf_zod_ipv6(text, size - 1);
}

static bool is_domain(struct reader reader, bool dns)
{
    struct host host;
    bool was_number, empty;
    uint32_t point;
    size_t parts;

    memset(&host, 0, sizeof host);
    host.ascii = true;
    while ((point = next_point(&reader)) != 0x110000)
        if (!add_point(&host, point))
            return false;
    was_number = host.last_is_number;
    empty = host.count == 0;
    if (!end_label(&host) || !host.total)
        return false;
    if (dns)
        return !host.not_dns && host.letters && host.n_labels > 1 && host.dns_size <= 254;
    parts = host.n_labels;
    if (empty && parts > 1) {
        parts--;
        host.last_is_number = was_number;
    }
    return !host.last_is_number || is_ipv4_host(&host, parts);
}

static bool is_opaque_host(struct reader reader)
{
    int c;

    while ((c = next(&reader)) != 0x100)
        if (c == 0 || (c < 0x80 && strchr(" #/:<>?@[\\]^|", c)))
            return false;
    return true;
}

/* Which hosts are accepted: those of unknown schemes, of known schemes, and of Zod's httpUrl. */
enum format_url_kind { HOST_OPAQUE, HOST_SPECIAL, HOST_DNS };

static bool is_host(struct reader host, enum format_url_kind kind)
{
    int first = peek(host);

    if (first == '[')
        return kind != HOST_DNS && is_bracketed(host);
    if (kind != HOST_OPAQUE)
        return first != 0x100 && is_domain(host, kind == HOST_DNS);
    return is_opaque_host(host);
}

/* ---- the parser ---- */

static const char *const specials[] = {"http", "https", "ws", "wss", "ftp"};

static bool is_scheme(struct reader reader, const char *name)
{
    for (; *name; name++)
        if ((next(&reader) | 0x20) != *name)
            return false;
    return peek(reader) == ':';
}

/* Skips "scheme:". */
static bool take_scheme(struct reader *reader)
{
    int c = next(reader);

    if (c > 0x7F || !ascii_in((char)c, SET_LOWER | SET_UPPER))
        return false;
    do
        c = next(reader);
    while (c < 0x80 && c && (ascii_in((char)c, SET_ALNUM) || strchr("+-.", c)));
    return c == ':';
}

static bool is_slash(int c, bool special)
{
    return c == '/' || (special && c == '\\');
}

/* The authority, up to its delimiter. */
static struct reader authority(struct reader reader, bool special)
{
    struct reader part = reader;

    for (;;) {
        int c = peek(reader);

        if (c == 0x100 || is_slash(c, special) || c == '?' || c == '#')
            break;
        next(&reader);
    }
    part.end = reader.at;
    return part;
}

static bool is_port(struct reader reader)
{
    unsigned value = 0;
    int c;

    while ((c = next(&reader)) != 0x100) {
        if (c < '0' || c > '9')
            return false;
        value = value * 10 + (unsigned)(c - '0');
        if (value > 65535)
            return false;
    }
    return true;
}

/* [userinfo@]host[:port] */
static bool format_url_is_authority(struct reader reader, enum format_url_kind kind)
{
    struct reader host = reader, port = {reader.end, reader.end};
    bool user = false, brackets = false;
    int c;

    for (const char *at = reader.at; at < reader.end; at++)
        if (*at == '@') {
            user = true;
            host.at = at + 1;
        }
    for (const char *at = host.at; at < reader.end && port.at == reader.end; at++) {
        brackets = *at == '[' || (brackets && *at != ']');
        if (*at == ':' && !brackets) {
            host.end = at;
            port.at = at + 1;
            if (peek(host) == 0x100)
                return false;
            break;
        }
    }
    c = peek(host);
    if (c == 0x100)
        return kind == HOST_OPAQUE && !user;
    return is_host(host, kind) && is_port(port);
}

static bool is_drive(struct reader host)
{
    int letter = next(&host), mark = next(&host);

    return letter < 0x80 && ascii_in((char)letter, SET_LOWER | SET_UPPER) &&
           (mark == ':' || mark == '|') && next(&host) == 0x100;
}

/* Checks what follows "file:". */
static bool format_url_is_file(struct reader reader)
{
    struct reader host;

    if (!is_slash(next(&reader), true) || !is_slash(next(&reader), true))
        return true;
    host = authority(reader, true);
    return peek(host) == 0x100 || is_drive(host) || is_host(host, HOST_SPECIAL);
}

/* Checks what follows a scheme that requires a host. */
static bool is_special(struct reader reader, enum format_url_kind kind)
{
    while (is_slash(peek(reader), true))
        next(&reader);
    return format_url_is_authority(authority(reader, true), kind);
}

bool hf_zod_url(const char *text, size_t size)
{
    struct reader reader = strip(trim(text, size)), rest = reader;

    if (!take_scheme(&rest))
        return false;
    if (is_scheme(reader, "file"))
        return format_url_is_file(rest);
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (is_scheme(reader, specials[i]))
            return is_special(rest, HOST_SPECIAL);
    if (next(&rest) != '/' || next(&rest) != '/')
        return true; /* a path, which is always valid */
    return format_url_is_authority(authority(rest, false), HOST_OPAQUE);
}

/* http or https, both slashes, and a DNS host. */
bool hf_zod_http_url(const char *text, size_t size)
{
    struct reader trimmed = trim(text, size), reader = strip(trimmed), rest = reader;

    if (reader.at != trimmed.at)
        return false; /* Zod looks for the scheme before the parser removes anything */
    if (!is_scheme(reader, "http") && !is_scheme(reader, "https"))
        return false;
    if (!take_scheme(&rest) || rest.end - rest.at < 2 || rest.at[0] != '/' || rest.at[1] != '/')
        return false;
    if (memchr(reader.at, '\t', (size_t)(rest.at - reader.at)) ||
        memchr(reader.at, '\n', (size_t)(rest.at - reader.at)) ||
        memchr(reader.at, '\r', (size_t)(rest.at - reader.at)))
        return false;
    return is_special(rest, HOST_DNS);
}
