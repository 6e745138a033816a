/* schema/quick.h - the fast lane: values that are plainly all right. */
#ifndef HAFT_SRC_QUICK_H
#define HAFT_SRC_QUICK_H

#include "schema/node.h"

/* Works out the node's lane, when all else about the node is settled. */
void quick_prepare(struct node *node);

/* True: the value fits the schema and, unless `to` is NULL, has been decoded into it.  False says
 * nothing: the walk decides. */
bool quick_accept(const haft_schema *schema, yyjson_val *value, haft_arena *arena, char *to);

#endif
