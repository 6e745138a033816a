/* engine/call/content.h - the result of a call as a list of blocks.
 *
 * A block is checked when it is added, and written as JSON once, with the response. */
#ifndef HAFT_SRC_ENGINE_CALL_CONTENT_H
#define HAFT_SRC_ENGINE_CALL_CONTENT_H

#include "engine/call/content_block.h"

/* The blocks of a result, and their size as JSON. Sizes are computed only on request, or if the
 * blocks might exceed the limit. */
struct content {
    struct content_block *first, *last; /* NULL if empty; see hf_content_first */
    struct content_block *counted;      /* last block that `size` includes */
    size_t n;
    bool mirrors;     /* the only block is the text of the structured content, and has not been
                       * created */
    uint64_t size;    /* size of the blocks up to `counted` */
    uint64_t pending; /* maximum size of the blocks after it */
    int status;       /* first error; nothing is added after it */
};

/* Appends a copy of a block. Exceeding the limit of a result and invalid UTF-8 are errors, which
 * are sticky. */
int hf_content_add(haft_call *call, const struct content_block *draft);
/* The same for text that is UTF-8; `in_arena`: it is in the call's arena, with a NUL. */
int hf_content_add_text(haft_call *call, const char *text, size_t size, bool in_arena);
/* Adds the first block, with the structured content as its text; it is copied only if a block is
 * needed. */
int hf_content_mirror(haft_call *call);
/* Sets the structured content, as haft_json does; with `wrapped` as {"result": value}. */
int hf_content_set_structured(haft_call *call, const yyjson_val *value, bool wrapped);
/* Removes the blocks; an error remains. */
void hf_content_clear(haft_call *call);

/* Whether the call reads a resource, whose contents are not wrapped in blocks. */
bool hf_content_is_bare(const haft_call *call);

/* Returns the first block, for iteration; NULL if there is none. Must also be called before the
 * structured content changes. */
struct content_block *hf_content_first(haft_call *call);
/* Writes the blocks as the client gets them, separated by commas. */
void hf_content_write(haft_call *call, haft_buffer *out);
/* The size of that. */
size_t hf_content_size(haft_call *call);
/* The text of all blocks, one line each; NULL without memory, or if the blocks are incomplete. */
const char *hf_content_text(haft_call *call);
/* The text of the last block; NULL if it has none. */
const char *hf_content_last_text(haft_call *call);

#endif
