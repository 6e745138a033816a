/* parse.c - parses requests with llhttp: target, headers and body.
 *
 * Headers are stored one after another, with names in lower case.  A request that is too large or
 * ambiguous is refused while it arrives. */
#include <string.h>

#include "http/http.h"

/* Bytes of framing for each byte of content in a chunked body: a chunk of one byte has
 * five. */
enum { CHUNK_OVERHEAD = 8 };

/* The headers that the parser counts: those that haft reads, and those that only HTTP itself and
 * policies of the gateway read. */
#define PARSED_HEADERS(X)                                                                          \
    HEADERS_READ(X)                                                                                \
    X(authorization, 'a', "authorization", HEADER_ONCE)                                            \
    X(content_length, 'c', "content-length", HEADER_ONCE)                                          \
    X(expect, 'e', "expect", HEADER_REPEATS)                                                       \
    X(transfer_encoding, 't', "transfer-encoding", HEADER_ONCE)                                    \
    X(x_api_key, 'x', "x-api-key", HEADER_ONCE)

enum {
#define PARSED_NUMBER(member, first, name, count) PARSED_NUMBER_##member,
    PARSED_HEADERS(PARSED_NUMBER)
#undef PARSED_NUMBER
#define PARSED_BIT(member, first, name, count) PARSED_##member = 1 << PARSED_NUMBER_##member,
        PARSED_HEADERS(PARSED_BIT)
#undef PARSED_BIT
#define PARSED_ONCE_BIT(member, first, name, count) | (count == HEADER_ONCE ? PARSED_##member : 0)
            PARSED_ONCE = 0 PARSED_HEADERS(PARSED_ONCE_BIT)
#undef PARSED_ONCE_BIT
};

/* The header's bit; 0 for one that is not in the table. */
static unsigned parsed_bit(const char *name, size_t size)
{
    switch (NAME_KEY(*name, size)) {
#define PARSED_CASE(member, first, text, count)                                                    \
    case NAME_KEY(first, sizeof text - 1):                                                         \
        return memcmp(name, text, sizeof text - 1) ? 0 : PARSED_##member;
        PARSED_HEADERS(PARSED_CASE)
#undef PARSED_CASE
    default:
        return 0;
    }
}

static int too_much(struct connection *c, int status)
{
    c->refused = status;
    return HPE_USER;
}

static int on_url(llhttp_t *parser, const char *at, size_t size)
{
    struct connection *c = parser->data;

    if (c->url_size + size > c->http->options.max_url)
        return too_much(c, 414);
    buffer_add(&c->head, at, size);
    c->url_size += size;
    return c->head.status ? too_much(c, 503) : 0;
}

static int on_url_complete(llhttp_t *parser)
{
    struct connection *c = parser->data;

    buffer_add(&c->head, "", 1);
    c->field.name = c->head.size;
    return c->head.status ? too_much(c, 503) : 0;
}

/* Makes capitals small, eight bytes at a time; the last of them may have been among those before.  A
 * name is ASCII, or it would not have come so far. */
static void make_small(char *text, size_t size)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;
    uint64_t word;

    if (size < sizeof word) {
        for (size_t i = 0; i < size; i++)
            text[i] = ascii_lower(text[i]);
        return;
    }
    for (size_t i = 0; i < size; i += sizeof word) {
        char *at = text + (i + sizeof word <= size ? i : size - sizeof word);

        memcpy(&word, at, sizeof word);
        word |= ((word + ones * (0x80 - 'A')) & ~(word + ones * (0x7F - 'Z')) & high) >> 2;
        memcpy(at, &word, sizeof word);
    }
}

/* The name or the value of a header, or a part of it. */
static int on_header_text(llhttp_t *parser, const char *at, size_t size)
{
    struct connection *c = parser->data;

    /* Ignores trailers, which come after the body. */
    if (c->stage == STAGE_BODY) {
        c->trailer_size += size;
        return c->trailer_size > c->http->options.max_headers ? too_much(c, 431) : 0;
    }
    if (c->head.size + size > c->http->options.max_headers)
        return too_much(c, 431);
    buffer_add(&c->head, at, size);
    return c->head.status ? too_much(c, 503) : 0;
}

static int on_name_complete(llhttp_t *parser)
{
    struct connection *c = parser->data;
    char *name = c->head.data + c->field.name;
    size_t size = c->head.size - c->field.name;
    unsigned bit;

    if (c->stage == STAGE_BODY)
        return 0;
    if (c->n_fields == MAX_HEADERS)
        return too_much(c, 431);
    make_small(name, size);
    bit = parsed_bit(name, size);
    c->is_ambiguous = c->is_ambiguous || c->seen & bit & PARSED_ONCE;
    c->seen |= bit;
    buffer_add(&c->head, "", 1);
    c->field.value = c->head.size;
    if (c->head.status)
        return too_much(c, 503);
    c->at_long_value = bit == PARSED_authorization;
    return c->at_long_value ? HPE_PAUSED : 0;
}

/* ---- long values ---- */

/* A bit of 0x80 in the sum of both is set if a byte is not printable ASCII: adding one sets it for 0x7F to
 * 0xFE, subtracting a space for what is below it and for 0xFF.  Other bytes do not matter then. */
static uint64_t unprintable(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;

    memcpy(&word, text, sizeof word);
    return (word + ones) | (word - ones * ' ');
}

static bool is_printable(const char *text, size_t size)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t wrong = 0;
    size_t i = 0;

    for (; i + 32 <= size; i += 32)
        wrong |= unprintable(text + i) | unprintable(text + i + 8) | unprintable(text + i + 16) |
                 unprintable(text + i + 24);
    for (; i + 8 <= size; i += 8)
        wrong |= unprintable(text + i);
    for (; i < size; i++)
        wrong |= text[i] < ' ' || text[i] > '~' ? high : 0;
    return !(wrong & high);
}

/* llhttp checks each byte of a value separately, which for a token takes longer than the rest of the
 * request.  Accepts a value that is plain and complete, with nothing that could belong to it after its end;
 * llhttp continues at the end of the line.  Returns the number of bytes accepted: 0 leaves the value to llhttp. */
static size_t take_long_value(struct connection *c, const char *at, size_t size)
{
    const char *end = memchr(at, '\r', size);
    size_t taken = end ? (size_t)(end - at) : 0, blanks = 0;

    if (!end || size - taken < 3 || end[1] != '\n' || end[2] == ' ' || end[2] == '\t' ||
        !is_printable(at, taken))
        return 0;
    while (blanks < taken && at[blanks] == ' ')
        blanks++;
    if (c->head.size + taken > c->http->options.max_headers)
        return 0;
    buffer_add(&c->head, at + blanks, taken - blanks);
    return c->head.status ? 0 : taken;
}

/* Has llhttp parse, except for long values. */
static llhttp_errno_t parse_execute(struct connection *c, const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size;
    llhttp_errno_t code = llhttp_execute(&c->parser, at, size);

    while (code == HPE_PAUSED && c->at_long_value) {
        c->at_long_value = false;
        at = llhttp_get_error_pos(&c->parser);
        llhttp_resume(&c->parser);
        at += take_long_value(c, at, (size_t)(end - at));
        if (c->head.status)
            return (llhttp_errno_t)too_much(c, 503);
        code = at < end ? llhttp_execute(&c->parser, at, (size_t)(end - at)) : HPE_OK;
    }
    return code;
}

/* Blanks after a value do not belong to it; llhttp has skipped those before it. */
static int on_value_complete(llhttp_t *parser)
{
    struct connection *c = parser->data;

    if (c->stage == STAGE_BODY)
        return 0;
    while (c->head.size > c->field.value) {
        char last = c->head.data[c->head.size - 1];

        if (last != ' ' && last != '\t')
            break;
        c->head.size--;
    }
    buffer_add(&c->head, "", 1);
    buffer_add(&c->fields, &c->field, sizeof c->field);
    if (c->head.status || c->fields.status)
        return too_much(c, 503);
    c->n_fields++;
    c->field.name = c->head.size;
    return 0;
}

/* The first of that name; NULL for none. */
static struct field *parse_find_field(const struct connection *c, const char *name)
{
    struct field *fields = (struct field *)(void *)c->fields.data;

    for (size_t i = 0; i < c->n_fields; i++)
        if (!strcmp(c->head.data + fields[i].name, name))
            return &fields[i];
    return NULL;
}

void hf_connection_set_host(struct connection *c, size_t at)
{
    static const char name[] = "host";
    struct field *field = parse_find_field(c, name), added = {c->head.size, at};

    if (field) {
        field->value = at;
        return;
    }
    haft_buffer_add(&c->head, name, sizeof name);
    haft_buffer_add(&c->fields, &added, sizeof added);
    if (!c->head.status && !c->fields.status)
        c->n_fields++;
}

/* Whether the request states the end of its body in a way that every parser understands: a parser could
 * take another coding below "chunked" for the body itself, and HTTP/1.0 has no codings. */
static bool is_plainly_chunked(const struct connection *c)
{
    const struct field *coding = parse_find_field(c, "transfer-encoding");

    return c->parser.http_minor > 0 && c->parser.flags & F_CHUNKED &&
           hf_text_same_ignoring_case(c->head.data + coding->value, "chunked");
}

static int on_headers_complete(llhttp_t *parser)
{
    struct connection *c = parser->data;

    c->stage = STAGE_BODY;
    /* An offer to speak something else is taken up by hf_http_upgrade, or not at all: until then what
     * follows is HTTP. */
    c->upgrade.offered = parser->upgrade && parser->method != HTTP_CONNECT &&
                         parser->http_minor > 0 && !parser->content_length &&
                         !(parser->flags & F_CHUNKED);
    parser->upgrade = 0;
    if (parser->http_major != 1 || c->is_ambiguous)
        return too_much(c, 400);
    /* Clients of HTTP/1.0 need not say whom they ask. */
    if (parser->http_minor > 0 && !(c->seen & PARSED_host))
        return too_much(c, 400);
    if (c->seen & PARSED_transfer_encoding && !is_plainly_chunked(c))
        return too_much(c, 400);
    if (parser->content_length > c->http->max_body && !(parser->flags & F_CHUNKED))
        return too_much(c, 413);
    c->continues = parser->http_minor > 0 && c->seen & PARSED_expect;
    return 0;
}

static int parse_on_body(llhttp_t *parser, const char *at, size_t size)
{
    struct connection *c = parser->data;

    if (c->body.size + size > c->http->max_body)
        return too_much(c, 413);
    buffer_add(&c->body, at, size);
    return c->body.status ? too_much(c, 503) : 0;
}

static int on_complete(llhttp_t *parser)
{
    (void)parser;
    return HPE_PAUSED;
}

llhttp_errno_t hf_connection_parse(struct connection *c, const char *bytes, size_t size,
                                   size_t *ret_used)
{
    llhttp_errno_t code = parse_execute(c, bytes, size);
    size_t reported = c->head.size + c->body.size * (1 + CHUNK_OVERHEAD);

    if (code != HPE_OK && code != HPE_PAUSED)
        return code;
    *ret_used = code == HPE_OK ? size : (size_t)(llhttp_get_error_pos(&c->parser) - bytes);
    c->consumed += *ret_used;
    /* llhttp does not report blanks, extensions of chunks, and zeros before their sizes: they are what
     * is left of all that came. */
    if (c->consumed > c->http->options.max_headers + reported)
        return (llhttp_errno_t)too_much(c, c->parser.flags & F_CHUNKED ? 413 : 431);
    if (code == HPE_PAUSED)
        llhttp_resume(&c->parser);
    return code;
}

const llhttp_settings_t hf_connection_parser = {.on_url = on_url,
                                                .on_url_complete = on_url_complete,
                                                .on_header_field = on_header_text,
                                                .on_header_field_complete = on_name_complete,
                                                .on_header_value = on_header_text,
                                                .on_header_value_complete = on_value_complete,
                                                .on_headers_complete = on_headers_complete,
                                                .on_body = parse_on_body,
                                                .on_message_complete = on_complete};
