/* schema/walk/quick.h - the fast path: accepts values that are obviously valid. */
#ifndef HAFT_SRC_QUICK_H
#define HAFT_SRC_QUICK_H

#include "schema/model/node.h"

/* Computes the node's bounds for the fast path, once the node is otherwise complete. */
void hf_quick_prepare(struct node *node);

/* Returns true if the value is valid; it has then been decoded into `to`, unless that is NULL.
 * False means undecided: the walk has to check the value. */
bool hf_quick_accept(const haft_schema *schema, yyjson_val *value, haft_arena *arena, char *to);

/* Whether the fast path can decode values of the schema from text, that is, supports all required
 * parts. */
bool hf_quick_reads(const haft_schema *schema);

/* Decodes the value at the start of the text into `to`, which must be zeroed. Returns a copy of the
 * value's text in the arena, of *ret_size bytes, in which the closing quote of each string is
 * replaced by NUL. NULL means undecided, and the contents of `to` are then undefined. */
const char *hf_quick_read(const haft_schema *schema, const char *text, size_t size,
                          size_t max_depth, haft_arena *arena, char *to, size_t *ret_size);

#endif
