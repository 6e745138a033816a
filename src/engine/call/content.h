/* engine/call/content.h - the result of a call as a list of blocks.
 *
 * A block is checked when it is added, and becomes JSON once, when the response is written. */
#ifndef HAFT_SRC_ENGINE_CALL_CONTENT_H
#define HAFT_SRC_ENGINE_CALL_CONTENT_H

#include "engine/call/content_block.h"

/* The blocks of a result, and how long they are as JSON.  Blocks are counted only when somebody
 * asks, or when they might not fit. */
struct content {
    struct content_block *first, *last; /* NULL if there are none; see hf_content_first */
    struct content_block *counted;      /* the last one that `size` includes */
    size_t n;
    bool mirrors;     /* the only block has the structured content as its text, and is not made */
    uint64_t size;    /* bytes of the blocks up to `counted` */
    uint64_t pending; /* maximum bytes of those behind it */
    int status;       /* the first error; nothing is added after it */
};

/* Copies a block to the end of the list.  What does not fit the limit of a result, or has strings
 * that are not UTF-8, is an error, which stays. */
int hf_content_add(haft_call *call, const struct content_block *draft);
/* The same of text that is UTF-8; `in_arena`: in the call's, with a NUL at its end. */
int hf_content_add_text(haft_call *call, const char *text, size_t size, bool in_arena);
/* Adds the first block, with the structured content as its text: a copy is made only when a block
 * is needed for it. */
int hf_content_mirror(haft_call *call);
/* Removes the blocks; an error stays. */
void hf_content_clear(haft_call *call);

/* Whether it is the contents of a resource that is being read. */
bool hf_content_is_bare(const haft_call *call);

/* The first block, from which readers walk; NULL if there is none.  To be called also before the
 * structured content changes. */
struct content_block *hf_content_first(haft_call *call);
/* The blocks as the client gets them, separated by commas. */
void hf_content_write(haft_call *call, haft_buffer *out);
/* How many bytes those are. */
size_t hf_content_size(haft_call *call);
/* The texts of all blocks, a line each; NULL without memory, or when a block is missing. */
const char *hf_content_text(haft_call *call);
/* The text of the last block; NULL if it has none. */
const char *hf_content_last_text(haft_call *call);

#endif
