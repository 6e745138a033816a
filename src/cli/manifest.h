/* cli/manifest.h - what tools/list says, as a table for people. */
#ifndef HAFT_SRC_MANIFEST_H
#define HAFT_SRC_MANIFEST_H

#include <haft/server.h>

#include "json/json.h"

/* What a tool's annotations say of it: "read-only, closed-world"; nothing when they say nothing. */
void hf_manifest_put_hints(yyjson_val *tool, haft_buffer *buffer);

/* Whether a schema's objects must have a property. */
bool hf_manifest_requires(yyjson_val *schema, const char *name);

/* Appends the table of an array of tools as they are on the wire. */
int hf_manifest_write(yyjson_val *tools, haft_arena *arena, haft_buffer *buffer);

/* The same as a paragraph for each, with what a call of it passes. */
int hf_manifest_write_details(haft_server *server, yyjson_val *tools, haft_buffer *buffer);

#endif
