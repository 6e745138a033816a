/* schema/walk/quick.h - the fast lane: values that are plainly all right. */
#ifndef HAFT_SRC_QUICK_H
#define HAFT_SRC_QUICK_H

#include "schema/model/node.h"

/* Works out the node's lane, when all else about the node is settled. */
void hf_quick_prepare(struct node *node);

/* True: the value fits the schema and, unless `to` is NULL, has been decoded into it.  False says
 * nothing: the walk decides. */
bool hf_quick_accept(const haft_schema *schema, yyjson_val *value, haft_arena *arena, char *to);

/* Whether the lane can take a value of the schema from its text: no part that every value has is
 * beyond it. */
bool hf_quick_reads(const haft_schema *schema);

/* Decodes the value at the start of the text into `to`, which is all 0.  Returns the text of the
 * value, which takes *ret_size bytes, as it is in the arena then: a NUL stands for the quote at the
 * end of each string.  NULL says nothing, and neither does what is in `to` by then. */
const char *hf_quick_read(const haft_schema *schema, const char *text, size_t size,
                          size_t max_depth, haft_arena *arena, char *to, size_t *ret_size);

#endif
