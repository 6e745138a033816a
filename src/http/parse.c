/* parse.c - a request as llhttp takes it apart: its target, its headers and its body.
 *
 * Names of headers are kept in small letters, behind one another, and found by a slot; what is too
 * much, or can be read in two ways, is refused while it comes. */
#include <string.h>

#include "http/http.h"

_Static_assert(MAX_HEADERS < UINT8_MAX, "a slot tells which header it is in a byte");

/* Bytes of a chunked body that are no content, for each byte that is: one in a chunk of its own has
 * five. */
enum { CHUNK_OVERHEAD = 8 };

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
    c->field.name = (uint32_t)c->head.size;
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

    /* What comes after the body is nobody's header. */
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

    if (c->stage == STAGE_BODY)
        return 0;
    if (c->n_fields == MAX_HEADERS)
        return too_much(c, 431);
    c->field.name_size = (uint32_t)c->head.size - c->field.name;
    make_small(c->head.data + c->field.name, c->field.name_size);
    buffer_add(&c->head, "", 1);
    c->field.value = (uint32_t)c->head.size;
    return c->head.status ? too_much(c, 503) : 0;
}

/* Keeps the header that is whole; the first with its slot is found by that. */
static void parse_keep_field(struct connection *c)
{
    unsigned char *slot = &c->slots[header_slot(c->head.data + c->field.name, c->field.name_size)];

    buffer_add(&c->fields, &c->field, sizeof c->field);
    if (c->fields.status)
        return;
    c->n_fields++;
    if (*slot)
        c->crowded = true;
    else
        *slot = (unsigned char)c->n_fields;
}

/* Blanks after a value are no part of it; llhttp has skipped those before it. */
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
    c->field.value_size = (uint32_t)c->head.size - c->field.value;
    buffer_add(&c->head, "", 1);
    parse_keep_field(c);
    c->field.name = (uint32_t)c->head.size;
    return c->head.status || c->fields.status ? too_much(c, 503) : 0;
}

/* The first of that name; NULL for none. */
static struct field *parse_find_field(const struct connection *c, const char *name)
{
    size_t size = strlen(name);
    struct field *fields = (struct field *)(void *)c->fields.data;

    for (size_t i = c->slots[header_slot(name, size)]; i && i <= c->n_fields; i++) {
        struct field *field = &fields[i - 1];

        if (field->name_size == size && !memcmp(c->head.data + field->name, name, size))
            return field;
    }
    return NULL;
}

void hf_connection_set_host(struct connection *c, size_t at, size_t size)
{
    static const char name[] = "host";
    struct field *field = parse_find_field(c, name);

    c->field =
        (struct field){(uint32_t)c->head.size, sizeof name - 1, (uint32_t)at, (uint32_t)size};
    if (field) {
        field->value = c->field.value;
        field->value_size = c->field.value_size;
        return;
    }
    haft_buffer_add(&c->head, name, sizeof name);
    if (!c->head.status)
        parse_keep_field(c);
}

/* Saying one of these twice is a way of saying different things to different readers. */
static bool is_ambiguous(const struct connection *c)
{
#define NAME(text)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }
    static const struct {
        const char *text;
        size_t size;
    } names[] = {NAME("host"),
                 NAME("origin"),
                 NAME("content-type"),
                 NAME("content-length"),
                 NAME("transfer-encoding"),
                 NAME("authorization"),
                 NAME("x-api-key"),
                 NAME("mcp-method"),
                 NAME("mcp-name"),
                 NAME("mcp-protocol-version"),
                 NAME("mcp-session-id"),
                 NAME("last-event-id")};
#undef NAME
    const struct field *field = (const struct field *)(const void *)c->fields.data;
    unsigned seen = 0;

    for (size_t i = 0; i < c->n_fields; i++, field++) {
        const char *name = c->head.data + field->name;

        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (names[k].size != field->name_size || *names[k].text != *name ||
                memcmp(name, names[k].text, field->name_size))
                continue;
            if (seen & 1u << k)
                return true;
            seen |= 1u << k;
            break;
        }
    }
    return false;
}

/* Whether where the body ends is said in the one way that every reader knows: another coding below
 * "chunked" would be taken for the body itself, and a client of HTTP/1.0 knows of none. */
static bool is_plainly_chunked(const struct connection *c, const struct field *coding)
{
    return c->parser.http_minor > 0 && c->parser.flags & F_CHUNKED &&
           hf_text_is_ignoring_case(c->head.data + coding->value, coding->value_size, "chunked");
}

static int on_headers_complete(llhttp_t *parser)
{
    struct connection *c = parser->data;
    const struct field *coding = parse_find_field(c, "transfer-encoding");
    /* Clients of HTTP/1.0 need not say whom they ask. */
    bool has_host = parser->http_minor == 0 || parse_find_field(c, "host");

    c->stage = STAGE_BODY;
    /* An offer to speak something else is not taken up. */
    parser->upgrade = 0;
    if (parser->http_major != 1 || !has_host || (coding && !is_plainly_chunked(c, coding)) ||
        (c->crowded && is_ambiguous(c)))
        return too_much(c, 400);
    if (parser->content_length > c->http->max_body && !(parser->flags & F_CHUNKED))
        return too_much(c, 413);
    c->continues = parser->http_minor > 0 && parse_find_field(c, "expect");
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
    llhttp_errno_t code = llhttp_execute(&c->parser, bytes, size);
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
