/* content_kinds.c - the kinds of block, and the functions with which a handler adds them.
 *
 * Kinds that a revision does not have are converted to the nearest that it has. */
#include <string.h>

#include "schema/text/format_check.h"
#include "engine/call/result.h"

/* ---- the table ---- */

static int audio_replace(haft_call *call, struct content_block *block);
static int link_replace(haft_call *call, struct content_block *block);

#define OPEN(text) .open = text, .open_size = sizeof text - 1
#define MEMBER(kind, name, field) MEMBER_ROW(MEMBER_##kind, name, struct content_block, field)
#define LINK_MEMBER(kind, name, field) MEMBER_ROW(MEMBER_##kind, name, struct content_link, field)
#define COLUMN(name) .column = offsetof(struct revision_row, name)

const struct block_row hf_block_rows[BLOCK_KINDS] = {
    [BLOCK_TEXT] = {OPEN(BLOCK_TEXT_OPEN), .members = {MEMBER(TEXT, "text", text)}},
    [BLOCK_IMAGE] = {OPEN("{\"type\":\"image\""),
                     .members = {MEMBER(BYTES, "data", text),
                                 MEMBER(STRING, "mimeType", mime_type)}},
    [BLOCK_AUDIO] = {OPEN("{\"type\":\"audio\""), COLUMN(audio), .replace = audio_replace,
                     .members = {MEMBER(BYTES, "data", text),
                                 MEMBER(STRING, "mimeType", mime_type)}},
    [BLOCK_LINK] = {OPEN("{\"type\":\"resource_link\""), .of_link = true, COLUMN(links),
                    .replace = link_replace,
                    .members = {LINK_MEMBER(STRING, "uri", uri), LINK_MEMBER(STRING, "name", name),
                                LINK_MEMBER(STRING, "title", title),
                                LINK_MEMBER(STRING, "description", description),
                                LINK_MEMBER(STRING, "mimeType", mime_type),
                                LINK_MEMBER(INTEGER, "size", size),
                                LINK_MEMBER(ICONS, "icons", icons)}},
    [BLOCK_TEXT_CONTENTS] = {OPEN("{\"type\":\"resource\",\"resource\":{"), .nests = true,
                             .members = {MEMBER(STRING, "uri", uri),
                                         MEMBER(STRING, "mimeType", mime_type),
                                         MEMBER(TEXT, "text", text)}},
    [BLOCK_BYTE_CONTENTS] = {OPEN("{\"type\":\"resource\",\"resource\":{"), .nests = true,
                             .members = {MEMBER(STRING, "uri", uri),
                                         MEMBER(STRING, "mimeType", mime_type),
                                         MEMBER(BYTES, "blob", text)}},
    [BLOCK_OBJECT] = {.open = NULL},
    [BLOCK_RENDERED] = {.open = NULL},
};

/* Clients would reject it, so the handler gets an error. */
static bool content_check_uri(haft_call *call, const char *uri)
{
    if (uri && hf_rfc_uri(uri, strlen(uri)))
        return true;
    haft_log(call, HAFT_ERROR, "\"%s\" is not an absolute URI", uri ? uri : "");
    return false;
}

/* ---- text ---- */

/* Adds text as the contents of the resource being read. */
static int content_add_own(haft_call *call, const char *text, size_t size, bool in_arena)
{
    struct content_block block = {.kind = BLOCK_TEXT_CONTENTS,
                                  .uri = yyjson_get_str(rpc_string(call->request.params, "uri")),
                                  .mime_type = call->item->resource->mime_type,
                                  .text = {text, size},
                                  .in_arena = in_arena,
                                  .is_utf8 = true};

    return block.uri ? hf_content_add(call, &block) : HAFT_EINVAL;
}

static int content_take_text(haft_call *call, const char *text, size_t size, bool in_arena)
{
    if (haft_utf8_valid(text, size) != size)
        return HAFT_EUTF8;
    return hf_content_is_bare(call) && !call->result.is_error
               ? content_add_own(call, text, size, in_arena)
               : hf_content_add_text(call, text, size, in_arena);
}

int haft_text_bytes(haft_call *call, const char *text, size_t size)
{
    return content_take_text(call, text, size, false);
}

static int content_add_formatted(haft_call *call, const char *format, va_list args)
{
    const char *text;

    if (!format)
        return HAFT_EINVAL;
    text = haft_arena_vprintf(call->arena, format, args);
    return text ? content_take_text(call, text, strlen(text), true) : HAFT_ENOMEM;
}

int haft_text(haft_call *call, const char *format, ...)
{
    va_list args;
    int status;

    va_start(args, format);
    status = content_add_formatted(call, format, args);
    va_end(args);
    return status;
}

int haft_error(haft_call *call, const char *format, ...)
{
    va_list args;
    int status;

    call->result.is_error = true;
    va_start(args, format);
    status = content_add_formatted(call, format, args);
    va_end(args);
    return status;
}

/* ---- images and audio ---- */

static int content_add_media(haft_call *call, const char *what, const struct content_block *block)
{
    const char *why = hf_content_is_bare(call)
                          ? "a resource handler must return its contents with haft_embed"
                      : !block->mime_type                     ? "the MIME type is missing"
                      : !block->text.data && block->text.size ? "the data is missing"
                                                              : NULL;

    if (!why)
        return hf_content_add(call, block);
    haft_log(call, HAFT_ERROR, "%s: %s", what, why);
    return HAFT_EINVAL;
}

int haft_image(haft_call *call, const char *mime_type, const void *bytes, size_t size)
{
    return content_add_media(call, "image",
                             &(struct content_block){.kind = BLOCK_IMAGE,
                                                     .mime_type = mime_type,
                                                     .text = {bytes, size}});
}

int haft_audio(haft_call *call, const char *mime_type, const void *bytes, size_t size)
{
    return content_add_media(call, "audio",
                             &(struct content_block){.kind = BLOCK_AUDIO,
                                                     .mime_type = mime_type,
                                                     .text = {bytes, size}});
}

/* For revisions without audio: converts it to the contents of a resource. */
static int audio_replace(haft_call *call, struct content_block *block)
{
    block->kind = BLOCK_BYTE_CONTENTS;
    block->uri = haft_arena_printf(call->arena, "audio:%zu", call->content.n);
    return block->uri ? 0 : HAFT_ENOMEM;
}

/* ---- resources ---- */

int haft_embed(haft_call *call, const haft_contents *contents)
{
    const char *text = contents->text;
    struct content_block block = {.kind = text ? BLOCK_TEXT_CONTENTS : BLOCK_BYTE_CONTENTS,
                                  .uri = contents->uri,
                                  .mime_type = contents->mime_type,
                                  .text = {text ? text : contents->bytes, contents->size}};

    if (!block.text.data && block.text.size)
        return HAFT_EINVAL;
    /* The URI of a resource being read is the client's, so it is not checked. */
    if (!contents->uri || (!hf_content_is_bare(call) && !content_check_uri(call, contents->uri)))
        return HAFT_EINVAL;
    if (text && !block.text.size)
        block.text.size = strlen(text);
    return hf_content_add(call, &block);
}

/* A link must have a name: the default is the last part of its URI. */
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
    struct content_link own = {.uri = link->uri,
                               .title = link->title,
                               .description = link->description,
                               .mime_type = link->mime_type,
                               .size = link->size,
                               .icons = {link->icons, link->n_icons}};

    if (hf_content_is_bare(call) || !content_check_uri(call, link->uri))
        return HAFT_EINVAL;
    for (size_t i = 0; i < link->n_icons; i++)
        if (!content_check_uri(call, link->icons[i].src))
            return HAFT_EINVAL;
    own.name = link_name(call, link);
    return own.name
               ? hf_content_add(call, &(struct content_block){.kind = BLOCK_LINK, .link = &own})
               : HAFT_ENOMEM;
}

/* For revisions without links: converts it to text. */
static int link_replace(haft_call *call, struct content_block *block)
{
    const char *text =
        haft_arena_printf(call->arena, "%s: %s", block->link->name, block->link->uri);

    if (!text)
        return HAFT_ENOMEM;
    *block =
        (struct content_block){.kind = BLOCK_TEXT, .text = {text, strlen(text)}, .in_arena = true};
    return 0;
}
