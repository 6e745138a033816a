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
    return c->head.status ? too_much(c, 503) : 0;
}

/* What comes after the body is nobody's header. */
static int on_trailer(struct connection *c, size_t size)
{
    c->trailer_size += size;
    return c->trailer_size > c->http->options.max_headers ? too_much(c, 431) : 0;
}

static int add_head(struct connection *c, const char *at, size_t size)
{
    if (c->head.size + size > c->http->options.max_headers)
        return too_much(c, 431);
    buffer_add(&c->head, at, size);
    return c->head.status ? too_much(c, 503) : 0;
}

static struct field *field_at(const struct connection *c, size_t index)
{
    return (struct field *)(void *)c->fields.data + index;
}

static inline uint64_t small(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;

    return word | ((word + ones * (0x80 - 'A')) & ~(word + ones * (0x7F - 'Z')) & high) >> 2;
}

static inline void make_eight_small(char *text)
{
    uint64_t word;

    memcpy(&word, text, sizeof word);
    word = small(word);
    memcpy(text, &word, sizeof word);
}

static inline void make_four_small(char *text)
{
    uint32_t word;

    memcpy(&word, text, sizeof word);
    word = (uint32_t)small(word);
    memcpy(text, &word, sizeof word);
}

/* Makes capitals small, several bytes at a time; the last of them may have been among those before.  A
 * name is ASCII, or it would not have come so far. */
static inline void make_small(char *text, size_t size)
{
    if (size >= 8) {
        for (size_t i = 0; i + 8 < size; i += 8)
            make_eight_small(text + i);
        make_eight_small(text + size - 8);
    } else if (size >= 4) {
        make_four_small(text);
        make_four_small(text + size - 4);
    } else {
        for (size_t i = 0; i < size; i++)
            text[i] = ascii_lower(text[i]);
    }
}

static int on_field(llhttp_t *parser, const char *at, size_t size)
{
    struct connection *c = parser->data;
    struct field *field;
    int status;

    if (c->stage == STAGE_BODY)
        return on_trailer(c, size);
    /* A value came before: this is the next name. */
    if (!c->n_fields || field_at(c, c->n_fields - 1)->value) {
        struct field next = {.name = (uint32_t)c->head.size};

        if (c->n_fields == MAX_HEADERS)
            return too_much(c, 431);
        buffer_add(&c->fields, &next, sizeof next);
        if (c->fields.status)
            return too_much(c, 503);
        c->n_fields++;
    }
    field = field_at(c, c->n_fields - 1);
    status = add_head(c, at, size);
    if (status)
        return status;
    make_small(c->head.data + c->head.size - size, size);
    field->name_size += (uint32_t)size;
    return 0;
}

/* The name is whole.  Behind what was added to a buffer there is room for one byte more. */
static inline void begin_value(struct connection *c, struct field *field)
{
    unsigned char *slot = &c->slots[header_slot(c->head.data + field->name, field->name_size)];

    if (*slot)
        c->crowded = true;
    else
        *slot = (unsigned char)c->n_fields;
    c->head.data[c->head.size++] = '\0';
    field->value = (uint32_t)c->head.size;
}

static int on_value(llhttp_t *parser, const char *at, size_t size)
{
    struct connection *c = parser->data;
    struct field *field;
    int status;

    if (c->stage == STAGE_BODY)
        return on_trailer(c, size);
    field = field_at(c, c->n_fields - 1);
    if (!field->value)
        begin_value(c, field);
    status = add_head(c, at, size);
    field->value_size += status ? 0 : (uint32_t)size;
    return status;
}

/* Blanks after a value are no part of it; llhttp has skipped those before it.  An empty value has no
 * bytes to be reported by. */
static int on_value_complete(llhttp_t *parser)
{
    struct connection *c = parser->data;
    struct field *field;

    if (c->stage == STAGE_BODY)
        return 0;
    field = field_at(c, c->n_fields - 1);
    if (!field->value)
        begin_value(c, field);
    while (field->value_size) {
        char last = c->head.data[field->value + field->value_size - 1];

        if (last != ' ' && last != '\t') {
            c->head.size = field->value + field->value_size;
            c->head.data[c->head.size++] = '\0';
            return 0;
        }
        field->value_size--;
    }
    c->head.size = field->value;
    buffer_add(&c->head, "", 1);
    return c->head.status ? too_much(c, 503) : 0;
}

/* The first of that name; NULL for none. */
static struct field *parse_find_field(const struct connection *c, const char *name)
{
    size_t size = strlen(name);
    size_t first = c->slots[header_slot(name, size)];

    for (size_t i = first; i && i <= c->n_fields; i++) {
        struct field *field = field_at(c, i - 1);

        if (field->name_size == size && !memcmp(c->head.data + field->name, name, size))
            return field;
    }
    return NULL;
}

static const char *parse_get_header(const struct connection *c, const char *name, size_t *ret_size)
{
    const struct field *field = parse_find_field(c, name);

    if (!field)
        return NULL;
    *ret_size = field->value_size;
    return c->head.data + field->value;
}

void hf_connection_set_host(struct connection *c, size_t at, size_t size)
{
    static const char name[] = "host";
    struct field *field = parse_find_field(c, name);

    if (!field) {
        struct field added = {.name = (uint32_t)c->head.size, .name_size = sizeof name - 1};

        haft_buffer_add(&c->head, name, sizeof name - 1);
        haft_buffer_add(&c->fields, &added, sizeof added);
        if (c->head.status || c->fields.status)
            return;
        field = field_at(c, c->n_fields++);
        begin_value(c, field);
    }
    field->value = (uint32_t)at;
    field->value_size = (uint32_t)size;
}

_Static_assert(sizeof(haft_header) <= sizeof(struct field), "it takes the field's place");

void hf_connection_settle_headers(struct connection *c)
{
    haft_header *headers = (haft_header *)(void *)c->fields.data;

    for (size_t i = 0; i < c->n_fields; i++) {
        const struct field field = *field_at(c, i);

        headers[i] = (haft_header){c->head.data + field.name, c->head.data + field.value};
    }
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
    unsigned seen = 0;

    for (size_t i = 0; c->crowded && i < c->n_fields; i++) {
        const struct field *field = field_at(c, i);
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

/* Whether it is of a version that can be answered, and where its body ends is said in the one way
 * that every reader knows: another coding below "chunked" would be taken for the body itself, and a
 * client of HTTP/1.0 knows of none. */
static bool is_plainly_framed(const struct connection *c)
{
    static const char chunked[] = "chunked";
    size_t size = 0;
    const char *coding = parse_get_header(c, "transfer-encoding", &size);

    if (c->parser.http_major != 1)
        return false;
    if (!coding)
        return true;
    for (size_t i = 0; size == sizeof chunked - 1 && i < size; i++)
        if (ascii_lower(coding[i]) != chunked[i])
            return false;
    return size == sizeof chunked - 1 && c->parser.http_minor > 0 && c->parser.flags & F_CHUNKED;
}

/* Clients of HTTP/1.0 need not say whom they ask. */
static bool has_host(const struct connection *c)
{
    return c->parser.http_minor == 0 || parse_find_field(c, "host");
}

static int on_headers_complete(llhttp_t *parser)
{
    struct connection *c = parser->data;
    size_t size;

    c->stage = STAGE_BODY;
    /* An offer to speak something else is not taken up. */
    parser->upgrade = 0;
    if (is_ambiguous(c) || !is_plainly_framed(c) || !has_host(c))
        return too_much(c, 400);
    if (parser->content_length > c->http->max_body && !(parser->flags & F_CHUNKED))
        return too_much(c, 413);
    c->continues = parser->http_minor > 0 && parse_get_header(c, "expect", &size);
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

/* Whether too much has come that is kept nowhere: blanks, extensions of chunks, zeros before their
 * sizes.  None of it is reported, so that it is what is left of all that came. */
static bool is_padded(const struct connection *c)
{
    return c->consumed >
           c->http->options.max_headers + c->head.size + c->body.size * (1 + CHUNK_OVERHEAD);
}

llhttp_errno_t hf_connection_parse(struct connection *c, const char *bytes, size_t size,
                                   size_t *ret_used)
{
    llhttp_errno_t code = llhttp_execute(&c->parser, bytes, size);

    if (code != HPE_OK && code != HPE_PAUSED)
        return code;
    *ret_used = code == HPE_OK ? size : (size_t)(llhttp_get_error_pos(&c->parser) - bytes);
    c->consumed += *ret_used;
    if (is_padded(c))
        return (llhttp_errno_t)too_much(c, c->parser.flags & F_CHUNKED ? 413 : 431);
    if (code == HPE_PAUSED)
        llhttp_resume(&c->parser);
    return code;
}

const llhttp_settings_t hf_connection_parser = {.on_url = on_url,
                                                .on_url_complete = on_url_complete,
                                                .on_header_field = on_field,
                                                .on_header_value = on_value,
                                                .on_header_value_complete = on_value_complete,
                                                .on_headers_complete = on_headers_complete,
                                                .on_body = parse_on_body,
                                                .on_message_complete = on_complete};
