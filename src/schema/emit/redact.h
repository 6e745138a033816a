/* schema/emit/redact.h - a value as it may be written down. */
#ifndef HAFT_SRC_REDACT_H
#define HAFT_SRC_REDACT_H

#include "schema/model/node.h"

/* Appends the value as JSON with "***" in the place of what is secret.  In a schema that has
 * secrets, so is all that it does not describe: a secret under a misspelt key is one still.  The
 * value need not be valid; the schema may be NULL. */
void hf_schema_put_redacted(const haft_schema *schema, const yyjson_val *value, haft_buffer *out);

#endif
