/* yaml.c - writes libyaml's events as JSON text.
 *
 * An anchor is a range of the text that has been written, and an alias a copy of it; the limit of the buffer
 * bounds what aliases of aliases can make. */
#include <yaml.h>

#include <stdio.h>
#include <string.h>

#include "yaml/yaml.h"

struct yaml_anchor {
    const char *name;  /* in the arena */
    size_t start, end; /* in the buffer; end is 0 while it is open */
};

struct yaml_level {
    bool map, value;            /* an object; its key has been written */
    size_t n;                   /* items or members */
    struct yaml_anchor *anchor; /* of it, or NULL */
};

struct yaml_reader {
    const struct yaml_host *host;
    haft_arena *arena;
    haft_buffer *out;
    haft_reason *reason;
    size_t line, depth, n_anchors, n_documents;
    struct yaml_level levels[YAML_MAX_DEPTH + 1]; /* the first is the document */
    struct yaml_anchor anchors[YAML_MAX_ANCHORS];
};

static int yaml_fail(struct yaml_reader *reader, int code, const char *what, const char *which)
{
    if (reader->reason) {
        *reader->reason = (haft_reason){.code = code};
        snprintf(reader->reason->text, sizeof reader->reason->text, "line %zu: %s%s%.100s",
                 reader->line + 1, what, *which ? " " : "", which);
    }
    return code;
}

static void yaml_put(struct yaml_reader *reader, const char *text)
{
    reader->host->add(reader->out, text, strlen(text));
}

/* ---- anchors ---- */

/* Opens an anchor at the end of what has been written. */
static int yaml_open_anchor(struct yaml_reader *reader, const yaml_char_t *name,
                            struct yaml_anchor **ret_anchor)
{
    struct yaml_anchor *anchor = &reader->anchors[reader->n_anchors];
    size_t size;
    char *copy;

    *ret_anchor = NULL;
    if (!name)
        return 0;
    if (reader->n_anchors == YAML_MAX_ANCHORS)
        return yaml_fail(reader, HAFT_ETOOBIG, "too many anchors", "");
    size = strlen((const char *)name) + 1;
    copy = reader->host->alloc(reader->arena, size);
    if (!copy)
        return yaml_fail(reader, HAFT_ENOMEM, "out of memory", "");
    memcpy(copy, name, size);
    *anchor = (struct yaml_anchor){.name = copy, .start = reader->out->size};
    reader->n_anchors++;
    *ret_anchor = anchor;
    return 0;
}

static void yaml_close_anchor(struct yaml_reader *reader, struct yaml_anchor *anchor)
{
    if (anchor)
        anchor->end = reader->out->size;
}

/* Copies a range of the buffer to its end; the buffer may move meanwhile. */
static void yaml_repeat(struct yaml_reader *reader, size_t start, size_t end)
{
    char part[4096];

    while (start < end && !reader->out->status) {
        size_t size = end - start < sizeof part ? end - start : sizeof part;

        memcpy(part, reader->out->data + start, size);
        reader->host->add(reader->out, part, size);
        start += size;
    }
}

static int yaml_put_alias(struct yaml_reader *reader, const char *name)
{
    for (size_t i = reader->n_anchors; i; i--) {
        const struct yaml_anchor *anchor = &reader->anchors[i - 1];

        if (strcmp(anchor->name, name) != 0)
            continue;
        if (!anchor->end)
            return yaml_fail(reader, HAFT_EPARSE, "an alias inside its anchor:", name);
        yaml_repeat(reader, anchor->start, anchor->end);
        return 0;
    }
    return yaml_fail(reader, HAFT_EPARSE, "unknown alias", name);
}

/* ---- structure ---- */

/* Begins a key or a value: writes the comma before it.  Returns whether it is a key. */
static bool yaml_begin(struct yaml_reader *reader)
{
    struct yaml_level *level = &reader->levels[reader->depth];
    bool key = level->map && !level->value;

    if ((!level->map || key) && level->n++)
        yaml_put(reader, ",");
    level->value = key;
    return key;
}

static int yaml_begin_value(struct yaml_reader *reader)
{
    return yaml_begin(reader) ? yaml_fail(reader, HAFT_EPARSE, "a key is not a scalar", "") : 0;
}

static int yaml_open(struct yaml_reader *reader, bool map, const yaml_char_t *anchor,
                     const yaml_char_t *tag)
{
    static const char *const tags[] = {"tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"};
    struct yaml_level level = {.map = map};
    int status = yaml_begin_value(reader);

    if (!status && tag && strcmp((const char *)tag, "!") != 0 &&
        strcmp((const char *)tag, tags[map]) != 0)
        status = yaml_fail(reader, HAFT_EPARSE, "unknown tag", (const char *)tag);
    if (!status && reader->depth == YAML_MAX_DEPTH)
        status = yaml_fail(reader, HAFT_EDEPTH, "nested too deeply", "");
    if (!status)
        status = yaml_open_anchor(reader, anchor, &level.anchor);
    if (status)
        return status;
    yaml_put(reader, map ? "{" : "[");
    reader->levels[++reader->depth] = level;
    return 0;
}

static int yaml_close(struct yaml_reader *reader)
{
    const struct yaml_level *level = &reader->levels[reader->depth--];

    yaml_put(reader, level->map ? "}" : "]");
    yaml_close_anchor(reader, level->anchor);
    return 0;
}

/* ---- scalars ---- */

/* Whether the scalar is a string in any case; an unknown tag is an error. */
static int yaml_read_tag(struct yaml_reader *reader, const yaml_event_t *event, bool *ret_string)
{
    static const char *const plain[] = {"int", "float", "bool", "null"};
    static const char core[] = "tag:yaml.org,2002:";
    const char *tag = (const char *)event->data.scalar.tag;

    *ret_string = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (!tag)
        return 0;
    *ret_string = true;
    if (!strcmp(tag, "!"))
        return 0;
    if (!strncmp(tag, core, sizeof core - 1)) {
        tag += sizeof core - 1;
        if (!strcmp(tag, "str"))
            return 0;
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
            if (!strcmp(tag, plain[i])) {
                *ret_string = false;
                return 0;
            }
    }
    return yaml_fail(reader, HAFT_EPARSE, "unknown tag", tag);
}

static int yaml_put_scalar(struct yaml_reader *reader, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t size = event->data.scalar.length;
    struct yaml_anchor *anchor;
    bool key = yaml_begin(reader), string;
    int status = yaml_read_tag(reader, event, &string);

    if (!status)
        status = yaml_open_anchor(reader, event->data.scalar.anchor, &anchor);
    if (status)
        return status;
    if (key && !string && size == 2 && !memcmp(text, "<<", 2))
        return yaml_fail(reader, HAFT_EPARSE, "merge keys (<<) are not supported", "");
    if (key || string)
        reader->host->add_string(reader->out, text, size);
    else
        hf_yaml_put_plain(reader->host, text, size, reader->out);
    yaml_close_anchor(reader, anchor);
    if (key)
        yaml_put(reader, ":");
    return 0;
}

/* ---- the stream ---- */

static int yaml_put_event(struct yaml_reader *reader, const yaml_event_t *event)
{
    int status;

    reader->line = event->start_mark.line;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return reader->n_documents++ ? yaml_fail(reader, HAFT_EPARSE, "more than one document", "")
                                     : 0;
    case YAML_ALIAS_EVENT:
        status = yaml_begin_value(reader);
        return status ? status : yaml_put_alias(reader, (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
        return yaml_put_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return yaml_open(reader, false, event->data.sequence_start.anchor,
                         event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return yaml_open(reader, true, event->data.mapping_start.anchor,
                         event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return yaml_close(reader);
    default:
        return 0;
    }
}

static int yaml_read_stream(struct yaml_reader *reader, yaml_parser_t *parser)
{
    bool more = true;
    int status = 0;

    while (more && !status) {
        yaml_event_t event;

        if (!yaml_parser_parse(parser, &event)) {
            reader->line = parser->problem_mark.line;
            return parser->error == YAML_MEMORY_ERROR
                       ? yaml_fail(reader, HAFT_ENOMEM, "out of memory", "")
                       : yaml_fail(reader, HAFT_EPARSE,
                                   parser->problem ? parser->problem : "invalid YAML", "");
        }
        more = event.type != YAML_STREAM_END_EVENT;
        status = yaml_put_event(reader, &event);
        yaml_event_delete(&event);
        if (!status && reader->out->status)
            status = yaml_fail(reader, reader->out->status, "the document is too large", "");
    }
    if (!status && !reader->n_documents)
        status = yaml_fail(reader, HAFT_EPARSE, "the document is empty", "");
    return status;
}

int hf_yaml_to_json(const struct yaml_host *host, const char *text, size_t size, haft_arena *arena,
                    haft_buffer *out, haft_reason *reterr_reason)
{
    struct yaml_reader *reader = host->alloc(arena, sizeof *reader);
    yaml_parser_t parser;
    int status;

    if (!reader || !yaml_parser_initialize(&parser)) {
        if (reterr_reason)
            *reterr_reason = (haft_reason){.code = HAFT_ENOMEM, .text = "out of memory"};
        return HAFT_ENOMEM;
    }
    memset(reader, 0, sizeof *reader);
    reader->host = host;
    reader->arena = arena;
    reader->out = out;
    reader->reason = reterr_reason;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    status = yaml_read_stream(reader, &parser);
    yaml_parser_delete(&parser);
    return status;
}
