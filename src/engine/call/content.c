/* content.c - the blocks of a result, as a handler appends them.
 *
 * A block is written as JSON the moment it is appended.  What stands around it depends on who
 * asked: a tool's blocks stand as they are, a prompt's are messages, a resource's are bare
 * contents.  Kinds of block that a revision does not have become the nearest that it has. */
#include <stdio.h>
#include <string.h>

#include "engine/call/result.h"
#include "protocol/meta.h"
#include "schema/text/format_check.h"

static bool is_resource(const haft_call *call)
{
    return call->item && call->item->resource;
}

static bool is_prompt(const haft_call *call)
{
    return call->item && call->item->prompt;
}

static haft_buffer *begin(haft_call *call)
{
    haft_buffer *content = &call->content;

    if (call->result.n_blocks++)
        buffer_literal(content, ",");
    if (is_prompt(call))
        haft_buffer_printf(content, "{\"role\":\"%s\",\"content\":",
                           call->result.role ? call->result.role : "user");
    call->result.last_block = content->size;
    call->result.block_annotated = call->result.block_has_meta = false;
    return content;
}

static int end(haft_call *call)
{
    haft_buffer *content = &call->content;

    call->result.last_block_end = content->size;
    if (is_prompt(call))
        buffer_literal(content, "}");
    return content->status;
}

/* Text as the contents of the resource that is being read. */
static int append_contents(haft_call *call, const char *text, size_t size)
{
    haft_contents contents = {.uri = yyjson_get_str(rpc_string(call->request.params, "uri")),
                              .mime_type = call->item->resource->mime_type,
                              .text = text,
                              .size = size};

    return haft_embed(call, &contents);
}

int content_put_text(haft_call *call, const char *text, size_t size)
{
    haft_buffer *content = begin(call);

    buffer_literal(content, "{\"type\":\"text\",\"text\":");
    haft_buffer_json_string(content, text, size);
    buffer_literal(content, "}");
    return end(call);
}

int content_put_block(haft_call *call, yyjson_val *block)
{
    haft_json_write(block, begin(call));
    call->result.block_annotated = yyjson_obj_get(block, "annotations");
    call->result.block_has_meta = yyjson_obj_get(block, "_meta");
    return end(call);
}

static int append_text(haft_call *call, const char *text, size_t size)
{
    if (haft_utf8_valid(text, size) != size)
        return HAFT_EUTF8;
    if (is_resource(call) && !call->result.is_error)
        return append_contents(call, text, size);
    return content_put_text(call, text, size);
}

int haft_text_bytes(haft_call *call, const char *text, size_t size)
{
    return append_text(call, text, size);
}

static int append_formatted(haft_call *call, const char *format, va_list args)
{
    const char *text;

    if (!format)
        return HAFT_EINVAL;
    text = haft_arena_vprintf(call->arena, format, args);
    return text ? append_text(call, text, strlen(text)) : HAFT_ENOMEM;
}

int haft_text(haft_call *call, const char *format, ...)
{
    va_list args;
    int status;

    va_start(args, format);
    status = append_formatted(call, format, args);
    va_end(args);
    return status;
}

int haft_error(haft_call *call, const char *format, ...)
{
    va_list args;
    int status;

    call->result.is_error = true;
    va_start(args, format);
    status = append_formatted(call, format, args);
    va_end(args);
    return status;
}

/* Appends bytes as a base64 string, without a copy of it elsewhere. */
static int put_base64(haft_buffer *content, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    char text[4096];

    buffer_literal(content, "\"");
    for (size_t n; size; size -= n, from += n) {
        n = size < sizeof text / 4 * 3 ? size : sizeof text / 4 * 3;
        buffer_add(content, text, haft_base64_encode(from, n, text));
    }
    buffer_literal(content, "\"");
    return content->status;
}

/* What a client would refuse is refused here, where the handler can be told why. */
static bool is_uri(haft_call *call, const char *uri)
{
    if (uri && rfc_uri(uri, strlen(uri)))
        return true;
    haft_log(call, HAFT_ERROR, "\"%s\" is no absolute URI", uri ? uri : "");
    return false;
}

static void put_string(haft_buffer *content, const char *text)
{
    haft_buffer_json_string(content, text, strlen(text));
}

static int append_media(haft_call *call, const char *type, const char *mime_type, const void *bytes,
                        size_t size)
{
    haft_buffer *content;

    if (is_resource(call) || !mime_type || (!bytes && size)) {
        haft_log(call, HAFT_ERROR, "%s: %s", type,
                 is_resource(call) ? "reading a resource gives contents, by haft_embed"
                 : !mime_type      ? "there is no type"
                                   : "there are no bytes");
        return HAFT_EINVAL;
    }
    content = begin(call);
    haft_buffer_printf(content, "{\"type\":\"%s\",\"data\":", type);
    put_base64(content, bytes, size);
    buffer_literal(content, ",\"mimeType\":");
    put_string(content, mime_type);
    buffer_literal(content, "}");
    return end(call);
}

int haft_image(haft_call *call, const char *mime_type, const void *bytes, size_t size)
{
    return append_media(call, "image", mime_type, bytes, size);
}

/* The contents of a resource: {"uri":...,"mimeType":...,"text"|"blob":...}. */
static void put_contents(haft_buffer *content, const haft_contents *contents)
{
    buffer_literal(content, "{\"uri\":");
    put_string(content, contents->uri);
    put_text_member(content, "mimeType", contents->mime_type);
    if (contents->text) {
        buffer_literal(content, ",\"text\":");
        haft_buffer_json_string(content, contents->text,
                                contents->size ? contents->size : strlen(contents->text));
    } else {
        buffer_literal(content, ",\"blob\":");
        put_base64(content, contents->bytes, contents->size);
    }
    buffer_literal(content, "}");
}

int haft_embed(haft_call *call, const haft_contents *contents)
{
    haft_buffer *content;

    if (!contents->text && !contents->bytes && contents->size)
        return HAFT_EINVAL;
    /* The URI of what is read is the client's own. */
    if (!contents->uri || (!is_resource(call) && !is_uri(call, contents->uri)))
        return HAFT_EINVAL;
    content = begin(call);
    if (is_resource(call)) {
        put_contents(content, contents);
        return end(call);
    }
    buffer_literal(content, "{\"type\":\"resource\",\"resource\":");
    put_contents(content, contents);
    buffer_literal(content, "}");
    return end(call);
}

int haft_audio(haft_call *call, const char *mime_type, const void *bytes, size_t size)
{
    haft_contents contents = {.mime_type = mime_type, .bytes = bytes, .size = size};

    if (revision_row(call->revision)->audio)
        return append_media(call, "audio", mime_type, bytes, size);
    /* A revision without audio takes it as the contents of a resource. */
    contents.uri = haft_arena_printf(call->arena, "audio:%zu", call->result.n_blocks);
    return contents.uri ? haft_embed(call, &contents) : HAFT_ENOMEM;
}

/* A link must have a name: without one it is the last part of where it leads. */
static const char *link_name(haft_call *call, const haft_link *link)
{
    const char *uri = link->uri;
    size_t end = strcspn(uri, "?#"), start;

    if (link->name)
        return link->name;
    while (end && uri[end - 1] == '/')
        end--;
    for (start = end; start && !strchr("/:", uri[start - 1]);)
        start--;
    return start < end ? haft_arena_copy(call->arena, uri + start, end - start) : uri;
}

int haft_resource_link(haft_call *call, const haft_link *link)
{
    haft_buffer *content;
    const char *name;

    if (is_resource(call) || !is_uri(call, link->uri))
        return HAFT_EINVAL;
    for (size_t i = 0; i < link->n_icons; i++)
        if (!is_uri(call, link->icons[i].src))
            return HAFT_EINVAL;
    name = link_name(call, link);
    if (!name)
        return HAFT_ENOMEM;
    if (!revision_row(call->revision)->links)
        return haft_text(call, "%s: %s", name, link->uri);
    content = begin(call);
    buffer_literal(content, "{\"type\":\"resource_link\",\"uri\":");
    put_string(content, link->uri);
    put_text_member(content, "name", name);
    put_text_member(content, "title", link->title);
    put_text_member(content, "description", link->description);
    put_text_member(content, "mimeType", link->mime_type);
    if (link->size > 0) {
        buffer_literal(content, ",\"size\":");
        haft_buffer_json_integer(content, link->size);
    }
    put_icons(content, link->icons, link->n_icons);
    buffer_literal(content, "}");
    return end(call);
}

/* ---- annotations ---- */

/* Takes the end off the latest block, adds to it, and ends it again. */
int haft_block_annotate(haft_call *call, const char *audience, double priority,
                        const char *last_modified)
{
    haft_buffer *content = &call->content;
    size_t before = content->size;

    if (!call->result.n_blocks || call->result.block_annotated || is_resource(call))
        return HAFT_EINVAL;
    if (content->status)
        return content->status;
    content->size = call->result.last_block_end - 1;
    if (!content_put_annotations(content, audience, priority, last_modified)) {
        content->size = call->result.last_block_end - 1;
        buffer_literal(content, "}");
        if (before > content->size)
            buffer_literal(content, "}");
        return HAFT_EINVAL;
    }
    buffer_literal(content, "}");
    call->result.block_annotated = true;
    return end(call);
}

/* The same with `_meta`. */
int haft_block_meta(haft_call *call, const char *json)
{
    haft_buffer *content = &call->content;
    haft_reason reason;
    haft_value *value = haft_json_read(json, strlen(json), 0, call->arena, &reason);

    if (!value)
        return reason.code;
    if (!yyjson_is_obj(value) || !call->result.n_blocks || call->result.block_has_meta)
        return HAFT_EINVAL;
    if (content->status)
        return content->status;
    content->size = call->result.last_block_end - 1;
    buffer_literal(content, ",\"_meta\":");
    haft_json_write(value, content);
    buffer_literal(content, "}");
    call->result.block_has_meta = true;
    return end(call);
}

/* ---- structured content and _meta ---- */

int haft_json(haft_call *call, const char *json, size_t size)
{
    haft_reason reason;
    haft_value *value =
        haft_json_read(json, size, call->server->options.max_depth, call->arena, &reason);

    if (!value) {
        haft_log(call, HAFT_ERROR, "haft_json: %s", reason.text);
        return reason.code;
    }
    haft_buffer_clear(&call->structured);
    haft_json_write(value, &call->structured);
    if (call->structured.status)
        return call->structured.status;
    return call->result.n_blocks || !call->item || !call->item->tool
               ? 0
               : append_text(call, call->structured.data, call->structured.size);
}

/* ---- `_meta` of the result ---- */

size_t meta_begin(haft_buffer *meta, const char *key, size_t size)
{
    size_t start = meta->size;

    if (start)
        buffer_literal(meta, ",");
    haft_buffer_json_string(meta, key, size);
    buffer_literal(meta, ":");
    return start;
}

/* Where the string that begins there ends, and the member. */
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

int meta_end(haft_buffer *meta, size_t start, size_t among)
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
    if (!strcmp(key, META_SERVER_INFO) || !meta_key_is_right(key, strlen(key), false))
        return HAFT_EINVAL;
    start = meta_begin(&call->result_meta, key, strlen(key));
    haft_json_write(value, &call->result_meta);
    return meta_end(&call->result_meta, start, start);
}
