/* schema/quick.h - the fast lane: values that are plainly all right. */
#ifndef HAFT_SRC_QUICK_H
#define HAFT_SRC_QUICK_H

#include "schema/node.h"

/* True: the value fits the schema and, unless `to` is NULL, has been decoded into it.  False says
 * nothing: the walk decides. */
bool quick_accept(const haft_schema *schema, yyjson_val *value, haft_arena *arena, char *to);

#endif
