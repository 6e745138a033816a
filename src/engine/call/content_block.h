/* engine/call/content_block.h - a block of a result, and the table of kinds.
 *
 * docs/internals/content.md describes how to add a kind. */
#ifndef HAFT_SRC_ENGINE_CALL_CONTENT_BLOCK_H
#define HAFT_SRC_ENGINE_CALL_CONTENT_BLOCK_H

#include <stddef.h>

#include "engine/offer/member_rows.h"
#include "engine/offer/server.h"

enum block_kind {
    BLOCK_TEXT,
    BLOCK_IMAGE,
    BLOCK_AUDIO,
    BLOCK_LINK,
    BLOCK_TEXT_CONTENTS, /* contents of a resource */
    BLOCK_BYTE_CONTENTS,
    BLOCK_OBJECT,   /* JSON from elsewhere, parsed */
    BLOCK_RENDERED, /* blocks of an earlier result for the same revision: `text` is their JSON */
    BLOCK_KINDS
};

/* A link to a resource. */
struct content_link {
    const char *uri, *name, *title, *description, *mime_type;
    int64_t size; /* 0 if unknown */
    struct icons icons;
};

/* A block. Its data is in the call's arena; text and strings end in a NUL. */
struct content_block {
    struct content_block *next;
    enum block_kind kind;
    bool in_arena; /* while it is added: its text is in the call's arena, */
    bool is_utf8;  /* and has been checked */
    const char *role;
    struct text text; /* text or bytes */
    const char *uri, *mime_type;
    const struct content_link *link;
    yyjson_val *object; /* of BLOCK_OBJECT */
    const struct annotations *annotations;
    yyjson_val *meta; /* `_meta` */
};

/* ---- the table (content_kinds.c) ---- */

enum { BLOCK_MEMBERS = 8 };

struct block_row {
    const char *open; /* JSON before the members */
    size_t open_size;
    bool nests;   /* its members are in a nested object, the contents of a resource */
    bool of_link; /* its members are in the struct content_link */
    /* Converts it to the nearest kind that every revision has; NULL if every revision has this one.
     * Returns 0 or an error. */
    int (*replace)(haft_call *call, struct content_block *block);
    size_t column; /* offset of the bool in struct revision_row that says which revisions have it */
    struct member_row members[BLOCK_MEMBERS];
};

extern const struct block_row hf_block_rows[BLOCK_KINDS];

/* ---- functions for all kinds (content_write.c) ---- */

/* Writes a block. `bare`: the contents of a resource are not wrapped in a block. */
void hf_block_write(const struct content_block *block, bool bare, haft_buffer *out);
/* The size of a block as JSON, without annotations and `_meta`. */
size_t hf_block_size(const struct content_block *block, bool bare);
/* An upper bound of that, without reading the text; HAFT_EUTF8 if a string is not UTF-8. */
int hf_block_check(const struct content_block *block, uint64_t *ret_size);
/* Copies the data of a block into the arena. Returns 0 or HAFT_ENOMEM. */
int hf_block_copy(struct content_block *block, haft_arena *arena);

/* The JSON of a block with nothing but text, which is the most common. */
#define BLOCK_TEXT_OPEN "{\"type\":\"text\""
enum { BLOCK_TEXT_FRAME = sizeof BLOCK_TEXT_OPEN ",\"text\":}" - 1 };

static inline void text_block_write(haft_buffer *out, const char *text, size_t size)
{
    buffer_literal(out, BLOCK_TEXT_OPEN ",\"text\":");
    haft_buffer_json_string(out, text, size);
    buffer_literal(out, "}");
}

#endif
