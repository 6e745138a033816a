/* arguments.h - words of a command line as a tool's arguments: its schema says what each becomes. */
#ifndef HAFT_ARGUMENTS_H
#define HAFT_ARGUMENTS_H

#include "json/json.h"

/* Writes, to an empty buffer, the object that `words` (key=value, key:=JSON, a lone -) make under
 * an input schema, which may be NULL.  0, or a haft_status with what is wrong in *reterr_reason:
 * HAFT_EINVAL when the words are, HAFT_ENOTFOUND when a file cannot be read. */
int arguments_build(yyjson_val *schema, char *const *words, size_t n, haft_buffer *ret_json,
                    haft_reason *reterr_reason);

/* The value that a text stands for under a schema; `root` is where its references point into.  NULL
 * with the reason. */
yyjson_mut_val *argument_value(yyjson_mut_doc *doc, yyjson_val *root, yyjson_val *schema,
                               const char *text, size_t size, haft_reason *reterr_reason);

/* What may stand under a schema, for people: "integer", "red|green", "string[]". */
void argument_type(yyjson_val *root, yyjson_val *schema, haft_buffer *out);

/* Why a tool with this schema cannot be called over HTTP: a header that it asks for is none, or is
 * asked for where no argument is.  NULL when it can be. */
const char *parameters_fault(yyjson_val *schema);
/* The headers that repeat arguments: names and values by turns, then NULL.  NULL without memory. */
const char *const *parameters_of(yyjson_val *schema, yyjson_val *arguments, haft_arena *arena);

/* The whole of a file; a haft_status. */
int file_read(const char *path, haft_buffer *ret_text);

#endif
