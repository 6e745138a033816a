/* answer_text.c - bodies of responses as UTF-8, and links in their headers. */
#include <string.h>

#include "import/answer.h"

/* ---- media types ---- */

static char *type_copy_lower(haft_arena *arena, struct text text)
{
    char *copy = haft_arena_copy(arena, text.data ? text.data : "", text.size);

    for (char *at = copy; at && *at; at++)
        *at = ascii_lower(*at);
    return copy;
}

int hf_answer_read_type(haft_arena *arena, const char *header, struct answer_type *ret_type)
{
    const char *at = header ? header : "";
    size_t size = strcspn(at, ";,");
    struct text name = text_trim(at, size), charset = {"", 0};

    for (at += size; *at == ';'; at += strcspn(at, ";")) {
        const char *equals;
        struct text value;

        at++;
        size = strcspn(at, ";");
        equals = memchr(at, '=', size);
        if (!equals)
            continue;
        value = text_trim(at, (size_t)(equals - at));
        if (!hf_text_is_ignoring_case(value.data, value.size, "charset"))
            continue;
        value = text_trim(equals + 1, (size_t)(at + size - equals - 1));
        if (value.size > 1 && *value.data == '"' && value.data[value.size - 1] == '"')
            value = (struct text){value.data + 1, value.size - 2};
        charset = value;
    }
    ret_type->name = type_copy_lower(arena, name);
    ret_type->charset = type_copy_lower(arena, charset);
    return ret_type->name && ret_type->charset ? 0 : HAFT_ENOMEM;
}

/* ---- character sets ---- */

enum charset {
    CHARSET_UTF8,
    CHARSET_LATIN1,
    CHARSET_UTF16,
    CHARSET_UTF16LE,
    CHARSET_UTF16BE,
    CHARSET_OTHER
};

static enum charset charset_of(const char *name)
{
    static const struct {
        const char *name;
        enum charset charset;
    } rows[] = {
        {"", CHARSET_UTF8},
        {"utf-8", CHARSET_UTF8},
        {"utf8", CHARSET_UTF8},
        {"us-ascii", CHARSET_UTF8},
        {"ascii", CHARSET_UTF8},
        {"iso-8859-1", CHARSET_LATIN1},
        {"latin1", CHARSET_LATIN1},
        {"windows-1252", CHARSET_LATIN1},
        {"cp1252", CHARSET_LATIN1},
        {"utf-16", CHARSET_UTF16},
        {"utf-16le", CHARSET_UTF16LE},
        {"utf-16be", CHARSET_UTF16BE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return rows[i].charset;
    return CHARSET_OTHER;
}

/* A byte of windows-1252, which is what servers mean by iso-8859-1. */
static uint32_t charset_latin(unsigned char c)
{
    static const uint16_t rows[32] = {
        0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

    return c >= 0x80 && c < 0xA0 ? rows[c - 0x80] : c;
}

/* The code unit at a position; 0xFFFFFFFF at the end. */
static uint32_t charset_unit(const char *body, size_t size, size_t at, bool little)
{
    unsigned high = (unsigned char)(at + 1 < size ? body[at + (little ? 1 : 0)] : 0);
    unsigned low = (unsigned char)(at + 1 < size ? body[at + (little ? 0 : 1)] : 0);

    return at + 1 < size ? high << 8 | low : UINT32_MAX;
}

/* Writes UTF-16 as UTF-8; lone surrogates become U+FFFD.  Returns the size. */
static size_t charset_from_utf16(const char *body, size_t size, bool little, char *ret_text)
{
    char *to = ret_text;

    for (size_t at = 0; at + 1 < size; at += 2) {
        uint32_t c = charset_unit(body, size, at, little);
        uint32_t next = charset_unit(body, size, at + 2, little);

        if (c >= 0xD800 && c < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00);
            at += 2;
        } else if (c >= 0xD800 && c < 0xE000) {
            c = 0xFFFD;
        }
        to += hf_utf8_put(c, to);
    }
    return (size_t)(to - ret_text);
}

static size_t charset_from_latin1(const char *body, size_t size, char *ret_text)
{
    char *to = ret_text;

    for (size_t i = 0; i < size; i++)
        to += hf_utf8_put(charset_latin((unsigned char)body[i]), to);
    return (size_t)(to - ret_text);
}

int hf_answer_decode(haft_arena *arena, const char *name, const char *body, size_t size,
                     struct text *ret_text)
{
    enum charset charset = charset_of(name);
    bool little = charset == CHARSET_UTF16LE;
    char *text;

    if (charset == CHARSET_UTF16 && size > 1) {
        little = !memcmp(body, "\xFF\xFE", 2);
        if (little || !memcmp(body, "\xFE\xFF", 2)) {
            body += 2;
            size -= 2;
        }
    }
    *ret_text = (struct text){body, size};
    if (charset == CHARSET_LATIN1 || charset >= CHARSET_UTF16) {
        /* An unknown one may be UTF-8 nevertheless. */
        if (charset == CHARSET_OTHER) {
            if (haft_utf8_valid(body, size) != size)
                ret_text->data = NULL;
            return 0;
        }
        text = haft_arena_alloc(arena, 3 * size + 4);
        if (!text)
            return HAFT_ENOMEM;
        size = charset == CHARSET_LATIN1 ? charset_from_latin1(body, size, text)
                                         : charset_from_utf16(body, size, little, text);
        *ret_text = (struct text){text, size};
    }
    if (ret_text->size >= 3 && !memcmp(ret_text->data, "\xEF\xBB\xBF", 3))
        *ret_text = (struct text){ret_text->data + 3, ret_text->size - 3};
    if (haft_utf8_valid(ret_text->data, ret_text->size) != ret_text->size)
        ret_text->data = NULL;
    return 0;
}

/* ---- links ---- */

/* The size of a parameter of a link, up to the next ";" or "," outside of quotes. */
static size_t link_parameter_size(const char *at)
{
    const char *end = at;
    bool quoted = false;

    for (; *end && (quoted || (*end != ';' && *end != ',')); end++) {
        if (quoted && *end == '\\' && end[1])
            end++;
        else if (*end == '"')
            quoted = !quoted;
    }
    return (size_t)(end - at);
}

/* Whether a parameter is `rel` with "next" among its words. */
static bool link_parameter_is_next(struct text parameter)
{
    const char *equals = memchr(parameter.data, '=', parameter.size);
    struct text name, words;

    if (!equals)
        return false;
    name = text_trim(parameter.data, (size_t)(equals - parameter.data));
    words = text_trim(equals + 1, (size_t)(parameter.data + parameter.size - equals - 1));
    if (!hf_text_is_ignoring_case(name.data, name.size, "rel"))
        return false;
    if (words.size > 1 && *words.data == '"')
        words = (struct text){words.data + 1, words.size - 2};
    while (words.size) {
        const char *space = memchr(words.data, ' ', words.size);
        size_t size = space ? (size_t)(space - words.data) : words.size;

        if (hf_text_is_ignoring_case(words.data, size, "next"))
            return true;
        words = (struct text){words.data + size + !!space, words.size - size - !!space};
    }
    return false;
}

/* Reads one header: <address>; rel="next", ... */
static struct text link_next_of(const char *at)
{
    while ((at = strchr(at, '<'))) {
        const char *end = strchr(++at, '>');
        struct text address = {at, end ? (size_t)(end - at) : 0};
        bool next = false;

        if (!end)
            break;
        for (at = end + 1; *at == ' ' || *at == '\t';)
            at++;
        while (*at == ';') {
            size_t size = link_parameter_size(++at);

            next = next || link_parameter_is_next(text_trim(at, size));
            at += size;
        }
        if (next)
            return address;
    }
    return (struct text){NULL, 0};
}

struct text hf_answer_next_page(const haft_header *headers, size_t n)
{
    struct text next = {NULL, 0};

    for (size_t i = 0; i < n && !next.data; i++)
        if (hf_text_same_ignoring_case(headers[i].name, "Link"))
            next = link_next_of(headers[i].value);
    return next;
}
