/* arguments_schema.h - what the command line needs to know about a schema. */
#ifndef HAFT_ARGUMENTS_SCHEMA_H
#define HAFT_ARGUMENTS_SCHEMA_H

#include "arguments.h"

/* Types as bits. NUMBER includes INTEGER. */
enum {
    TAKES_NULL = 1 << 0,
    TAKES_BOOLEAN = 1 << 1,
    TAKES_INTEGER = 1 << 2,
    TAKES_FRACTION = 1 << 3,
    TAKES_STRING = 1 << 4,
    TAKES_ARRAY = 1 << 5,
    TAKES_OBJECT = 1 << 6,
    TAKES_NUMBER = TAKES_INTEGER | TAKES_FRACTION,
    TAKES_ALL = (1 << 7) - 1
};

/* Follows a schema's references within its document; returns the schema itself if there are
 * none. */
yyjson_val *schema_resolve(yyjson_val *root, yyjson_val *schema);

unsigned schema_types(yyjson_val *root, yyjson_val *schema);

/* The schema of an object's member, anywhere in the schema; NULL if there is none. */
yyjson_val *schema_property(yyjson_val *root, yyjson_val *schema, const char *name, size_t size);

/* Whether the schema forbids additional members. */
bool schema_is_closed(yyjson_val *root, yyjson_val *schema);

/* Calls `each` with every value of an enumeration; returns false if it is not one. */
typedef void choice_function(void *context, yyjson_val *value);
bool schema_choices(yyjson_val *root, yyjson_val *schema, choice_function *each, void *context);

#endif
