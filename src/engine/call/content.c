/* content.c - the list of blocks that is the result of a call.
 *
 * Blocks are values until the response is written. Their wrapping depends on the method: none for a
 * tool's blocks, messages for a prompt's, bare contents for a resource's. */
#include <string.h>

#include "engine/call/result.h"
#include "protocol/meta.h"
#include "schema/text/format_check.h"

bool hf_content_is_bare(const haft_call *call)
{
    return call->item && call->item->resource;
}

/* ---- sizes ---- */

/* The size of a block's wrapping: a comma, and the message around it. */
static size_t content_frame_size(const struct content_block *block, bool first)
{
    return !first +
           (block->role ? sizeof "{\"role\":\"\",\"content\":}" - 1 + strlen(block->role) : 0);
}

/* Computes the sizes of blocks that have not been counted. */
static void content_count(haft_call *call)
{
    struct content *content = &call->content;
    struct content_block *block = content->counted ? content->counted->next : content->first;

    if (content->mirrors && content->pending)
        content->size =
            BLOCK_TEXT_FRAME + hf_json_string_size(call->structured.data, call->structured.size);
    for (; block; block = block->next) {
        content->size += hf_block_size(block, hf_content_is_bare(call)) +
                         content_frame_size(block, block == content->first);
        content->counted = block;
    }
    content->pending = 0;
}

size_t hf_content_size(haft_call *call)
{
    if (call->content.pending)
        content_count(call);
    return (size_t)call->content.size;
}

static bool content_fits(const haft_call *call, uint64_t more)
{
    const struct content *content = &call->content;

    return content->size + content->pending + more <= call->server->options.max_message;
}

static int content_fail(haft_call *call, int status)
{
    if (!call->content.status)
        call->content.status = status;
    return call->content.status;
}

/* ---- adding ---- */

/* Computes the exact size of a block, after those before it. Returns false if it exceeds the
 * limit. */
static bool content_count_draft(haft_call *call, const struct content_block *block, size_t frame)
{
    size_t size;

    content_count(call);
    /* Text is never shorter as JSON, so much too long text need not be read. */
    if (!content_fits(call, block->text.size))
        return false;
    size = hf_block_size(block, hf_content_is_bare(call)) + frame;
    if (!content_fits(call, size))
        return false;
    call->content.size += size;
    return true;
}

/* Appends a block that has been counted, or has at most `most` bytes. */
static void content_link(struct content *content, struct content_block *block, uint64_t most)
{
    if (content->last)
        content->last->next = block;
    else
        content->first = block;
    content->last = block;
    content->n++;
    if (most)
        content->pending += most;
    else
        content->counted = block;
}

/* Checks a block in the arena, and adds it. */
static int content_append(haft_call *call, struct content_block *block)
{
    size_t frame = content_frame_size(block, !call->content.first);
    uint64_t most;
    int status = hf_block_check(block, &most);
    bool fits = !status && content_fits(call, most + frame);

    if (!status && !fits && !content_count_draft(call, block, frame))
        status = HAFT_ETOOBIG;
    if (!status)
        status = hf_block_copy(block, call->arena);
    if (status)
        return content_fail(call, status);
    content_link(&call->content, block, fits ? most + frame : 0);
    return 0;
}

int hf_content_add(haft_call *call, const struct content_block *draft)
{
    const struct block_row *row = &hf_block_rows[draft->kind];
    struct content_block *block;
    int status = 0;

    hf_content_first(call);
    if (call->content.status)
        return call->content.status;
    block = haft_arena_alloc(call->arena, sizeof *block);
    if (!block)
        return content_fail(call, HAFT_ENOMEM);
    *block = *draft;
    if (row->replace && !revision_has(call->revision, row->column))
        status = row->replace(call, block);
    if (call->item && call->item->prompt)
        block->role = call->result.role ? call->result.role : "user";
    return status ? content_fail(call, status) : content_append(call, block);
}

/* Fast path for the most common result, a text that fits: one allocation, nothing to check. */
int hf_content_add_text(haft_call *call, const char *text, size_t size, bool in_arena)
{
    struct content *content = &call->content;
    uint64_t most = BLOCK_TEXT_FRAME + 3 + (uint64_t)size * JSON_ESCAPED;
    struct content_block *block;
    char *copy;

    if (content->mirrors || content->status || (call->item && call->item->prompt) ||
        !content_fits(call, most))
        return hf_content_add(call, &(struct content_block){.kind = BLOCK_TEXT,
                                                            .text = {text, size},
                                                            .in_arena = in_arena,
                                                            .is_utf8 = true});
    block = haft_arena_alloc(call->arena, sizeof *block + (in_arena ? 0 : size + 1));
    if (!block)
        return content_fail(call, HAFT_ENOMEM);
    *block = (struct content_block){.kind = BLOCK_TEXT, .text = {text, size}};
    if (!in_arena) {
        block->text.data = copy = (char *)(block + 1);
        if (size)
            memcpy(copy, text, size);
        copy[size] = '\0';
    }
    content_link(content, block, most);
    return 0;
}

/* ---- structured content ---- */

/* The text is copied only if a block is needed, or once, into the response. */
int hf_content_mirror(haft_call *call)
{
    struct content *content = &call->content;
    uint64_t most = BLOCK_TEXT_FRAME + 2 + (uint64_t)call->structured.size * JSON_ESCAPED;

    if (content->status)
        return content->status;
    content->mirrors = true;
    content->n = 1;
    content->pending = most;
    if (most <= call->server->options.max_message)
        return 0;
    content_count(call);
    return content_fits(call, 0) ? 0 : content_fail(call, HAFT_ETOOBIG);
}

/* Creates the block. */
static COLD void content_unmirror(haft_call *call)
{
    struct content_block block = {.kind = BLOCK_TEXT,
                                  .text = {call->structured.data, call->structured.size},
                                  .is_utf8 = true};

    hf_content_clear(call);
    hf_content_add(call, &block);
}

struct content_block *hf_content_first(haft_call *call)
{
    if (call->content.mirrors)
        content_unmirror(call);
    return call->content.first;
}

int hf_content_set_structured(haft_call *call, const yyjson_val *value, bool wrapped)
{
    haft_buffer *out = &call->structured;

    hf_content_first(call);
    haft_buffer_clear(out);
    if (wrapped)
        buffer_literal(out, "{\"result\":");
    haft_json_write(value, out);
    if (wrapped)
        buffer_literal(out, "}");
    if (out->status)
        return out->status;
    return call->content.n || !call->item || !call->item->tool ? 0 : hf_content_mirror(call);
}

int haft_json(haft_call *call, const char *json, size_t size)
{
    haft_reason reason;
    haft_value *value =
        haft_json_read(json, size, call->server->options.max_depth, call->arena, &reason);

    if (!value) {
        haft_log(call, HAFT_ERROR, "haft_json: %s", reason.text);
        return reason.code;
    }
    return hf_content_set_structured(call, value, false);
}

/* ---- members of the last block ---- */

/* Makes room for `more` bytes. */
static int content_grow(haft_call *call, size_t more)
{
    if (!content_fits(call, more))
        content_count(call);
    if (!content_fits(call, more))
        return content_fail(call, HAFT_ETOOBIG);
    call->content.size += more;
    return 0;
}

int haft_block_annotate(haft_call *call, const char *audience, double priority,
                        const char *last_modified)
{
    struct content_block *block = hf_content_first(call) ? call->content.last : NULL;
    struct annotations given = {audience, priority, last_modified}, *annotations;

    if (!block || block->kind == BLOCK_RENDERED || block->annotations ||
        yyjson_obj_get(block->object, "annotations") || hf_content_is_bare(call))
        return HAFT_EINVAL;
    if (call->content.status)
        return call->content.status;
    if (!hf_annotations_are_valid(&given))
        return HAFT_EINVAL;
    annotations = haft_arena_alloc(call->arena, sizeof *annotations);
    if (!annotations || hf_annotations_copy(&given, call->arena))
        return content_fail(call, HAFT_ENOMEM);
    *annotations = given;
    block->annotations = annotations;
    return content_grow(call, hf_annotations_size(annotations));
}

int haft_block_meta(haft_call *call, const char *json)
{
    struct content_block *block = hf_content_first(call) ? call->content.last : NULL;
    haft_reason reason;
    haft_value *value = haft_json_read(json, strlen(json), 0, call->arena, &reason);

    if (!value)
        return reason.code;
    if (!yyjson_is_obj(value) || !block || block->kind == BLOCK_RENDERED || block->meta)
        return HAFT_EINVAL;
    if (call->content.status)
        return call->content.status;
    block->meta = value;
    return content_grow(call, sizeof ",\"_meta\":" - 1 + hf_json_size(value));
}

/* ---- reading ---- */

void hf_content_clear(haft_call *call)
{
    call->content = (struct content){.status = call->content.status};
}

void hf_content_write(haft_call *call, haft_buffer *out)
{
    const struct content *content = &call->content;
    bool bare;

    if (content->mirrors) {
        text_block_write(out, call->structured.data, call->structured.size);
        return;
    }
    bare = hf_content_is_bare(call);
    for (struct content_block *block = content->first; block; block = block->next) {
        if (block != content->first)
            buffer_literal(out, ",");
        if (block->role)
            haft_buffer_printf(out, "{\"role\":\"%s\",\"content\":", block->role);
        hf_block_write(block, bare, out);
        if (block->role)
            buffer_literal(out, "}");
    }
}

static struct text block_text(const struct content_block *block)
{
    yyjson_val *text = rpc_string(block->object, "text");

    if (block->object)
        return (struct text){yyjson_get_str(text), yyjson_get_len(text)};
    return block->kind == BLOCK_TEXT ? block->text : (struct text){NULL, 0};
}

const char *hf_content_text(haft_call *call)
{
    const struct content_block *first = hf_content_first(call);
    size_t size = 0;
    char *text, *at;

    if (call->content.status)
        return NULL;
    for (const struct content_block *block = first; block; block = block->next)
        size += block_text(block).size + 1;
    text = at = haft_arena_alloc(call->arena, size + 1);
    for (const struct content_block *block = first; text && block; block = block->next) {
        struct text part = block_text(block);

        if (at > text)
            *at++ = '\n';
        if (part.size)
            memcpy(at, part.data, part.size);
        at += part.size;
    }
    if (text)
        *at = '\0';
    return text;
}

const char *hf_content_last_text(haft_call *call)
{
    const struct content_block *last = hf_content_first(call) ? call->content.last : NULL;

    return last ? block_text(last).data : NULL;
}

/* For stages. The handler of a call that timed out may still be adding blocks. */
haft_value *haft_result_content(haft_call *call)
{
    haft_value *value = NULL;
    const char *reason;
    haft_buffer text;
    size_t offset;

    if (!call->stages.after_ran || call->stages.outcome == HAFT_OUTCOME_TIMED_OUT ||
        call->content.status)
        return NULL;
    haft_buffer_init(&text, call->server->allocator, hf_content_size(call) + 2);
    buffer_literal(&text, "[");
    hf_content_write(call, &text);
    buffer_literal(&text, "]");
    if (!text.status)
        hf_json_parse(text.data, text.size, call->arena, &value, &offset, &reason);
    haft_buffer_finish(&text);
    return value;
}

/* ---- `_meta` of the result ---- */

size_t hf_meta_begin(haft_buffer *meta, const char *key, size_t size)
{
    size_t start = meta->size;

    if (start)
        buffer_literal(meta, ",");
    haft_buffer_json_string(meta, key, size);
    buffer_literal(meta, ":");
    return start;
}

/* The end of the string, or of the member, that starts there. */
static size_t string_end(const char *text, size_t at)
{
    for (at++; text[at] != '"'; at++)
        at += text[at] == '\\';
    return at + 1;
}

static size_t member_end(const char *text, size_t at, size_t size)
{
    size_t depth = 0;

    while (at < size && (depth || text[at] != ',')) {
        char c = text[at];

        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        at = c == '"' ? string_end(text, at) : at + 1;
    }
    return at;
}

int hf_meta_end(haft_buffer *meta, size_t start, size_t among)
{
    char *text = meta->data;
    size_t own = start + (start > 0), key, end;
    int status = meta->status;

    if (status) {
        meta->size = start;
        meta->status = 0;
        return status;
    }
    key = string_end(text, own) + 1 - own;
    for (size_t at = 0; at < among; at = end + 1) {
        end = member_end(text, at, start);
        if (end - at > key && !memcmp(text + at, text + own, key)) {
            memmove(text + at, text + end + 1, meta->size - end - 1);
            meta->size -= end + 1 - at;
            break;
        }
    }
    return 0;
}

int haft_result_meta(haft_call *call, const char *key, const char *json)
{
    haft_reason reason;
    haft_value *value = haft_json_read(json, strlen(json), 0, call->arena, &reason);
    size_t start;

    if (!value)
        return reason.code;
    if (haft_utf8_valid(key, strlen(key)) != strlen(key))
        return HAFT_EUTF8;
    if (!strcmp(key, META_SERVER_INFO) || !hf_meta_key_is_right(key, strlen(key), false))
        return HAFT_EINVAL;
    start = hf_meta_begin(&call->result_meta, key, strlen(key));
    haft_json_write(value, &call->result_meta);
    return hf_meta_end(&call->result_meta, start, start);
}
