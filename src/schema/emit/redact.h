/* schema/emit/redact.h - values without their secrets. */
#ifndef HAFT_SRC_REDACT_H
#define HAFT_SRC_REDACT_H

#include "schema/model/node.h"

/* Appends the value as JSON with "***" in place of secrets. If the schema has secrets, everything
 * that it does not describe is also replaced: a secret may have a misspelt key. The value need not
 * be valid; the schema may be NULL. */
void hf_schema_put_redacted(const haft_schema *schema, const yyjson_val *value, haft_buffer *out);

#endif
