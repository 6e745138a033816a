/* schema/walk/fill.h - fills in the defaults of a schema without a C type, after validation.
 *
 * Absent members with a default get it: in objects, in items of arrays, through references and in
 * the alternative that matches. Defaults are filled in themselves. */
#ifndef HAFT_SRC_FILL_H
#define HAFT_SRC_FILL_H

#include "schema/model/node.h"

/* *ret_value is a copy in the arena, or `value` itself if nothing was missing. Returns 0,
 * HAFT_ENOMEM, or HAFT_EDEPTH or HAFT_ESTEPS if the defaults are endlessly recursive. */
int hf_schema_fill(const haft_schema *schema, yyjson_val *value, haft_arena *arena,
                   yyjson_val **ret_value);

/* The same, starting at one node of the schema. */
int hf_schema_fill_by(const haft_schema *schema, const struct node *node, yyjson_val *value,
                      haft_arena *arena, yyjson_val **ret_value);

#endif
