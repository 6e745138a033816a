/* arguments.h - converts command-line arguments to a tool's arguments, guided by its schema. */
#ifndef HAFT_ARGUMENTS_H
#define HAFT_ARGUMENTS_H

#include "json/json.h"

/* Writes, to an empty buffer, the object that `words` (key=value, key:=JSON, a lone -) describe
 * under an input schema, which may be NULL. Returns 0, or a haft_status with the error in
 * *reterr_reason: HAFT_EINVAL for invalid words, HAFT_ENOTFOUND if a file cannot be read. */
int arguments_build(yyjson_val *schema, char *const *words, size_t n, haft_buffer *ret_json,
                    haft_reason *reterr_reason);

/* Converts a text to a value under a schema; `root` is the document for its references. NULL with
 * the reason. */
yyjson_mut_val *argument_value(yyjson_mut_doc *doc, yyjson_val *root, yyjson_val *schema,
                               const char *text, size_t size, haft_reason *reterr_reason);

/* Describes the type of a schema: "integer", "red|green", "string[]". */
void argument_type(yyjson_val *root, yyjson_val *schema, haft_buffer *out);

/* Reads a whole file; returns a haft_status. */
int file_read(const char *path, haft_buffer *ret_text);

#endif
