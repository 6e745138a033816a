/* runtime/manifest.h - what tools/list says, as a table for people. */
#ifndef HAFT_SRC_MANIFEST_H
#define HAFT_SRC_MANIFEST_H

#include "json/json.h"

/* Appends the table of an array of tools as they are on the wire. */
int manifest_write(yyjson_val *tools, haft_arena *arena, haft_buffer *buffer);

#endif
