/* schema/walk/fill.h - the defaults of a schema without a C type, put into a value that has passed.
 *
 * What is absent and has a default gets it: in objects, in the items of arrays, behind references and in the
 * alternative that the value is.  Defaults are themselves filled in. */
#ifndef HAFT_SRC_FILL_H
#define HAFT_SRC_FILL_H

#include "schema/model/node.h"

/* The value in *ret_value: a copy in the arena, or `value` itself when nothing is missing.  0, HAFT_ENOMEM, or
 * HAFT_EDEPTH and HAFT_ESTEPS when it does not come to an end. */
int hf_schema_fill(const haft_schema *schema, yyjson_val *value, haft_arena *arena,
                   yyjson_val **ret_value);

/* The same by one of its nodes. */
int hf_schema_fill_by(const haft_schema *schema, const struct node *node, yyjson_val *value,
                      haft_arena *arena, yyjson_val **ret_value);

#endif
