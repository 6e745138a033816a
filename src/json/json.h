/* json/json.h - what haft needs over yyjson: strict reading into an arena, and comparing values. */
#ifndef HAFT_SRC_JSON_H
#define HAFT_SRC_JSON_H

#include <haft/json.h>
#include <yyjson.h>

#include "base/base.h"

/* Reads JSON without a look at depth or duplicate keys, for callers that walk the value anyway.
 * The value lives in the arena.  0, HAFT_EPARSE, HAFT_EUTF8, HAFT_ENOMEM; *reterr_offset says
 * where. */
int hf_json_parse(const char *text, size_t size, haft_arena *arena, yyjson_val **ret_value,
                  size_t *reterr_offset, const char **reterr_reason);

/* 0; HAFT_EDEPTH; or HAFT_EINVAL with the key that an object has twice in *reterr_key. */
int hf_json_check(yyjson_val *value, size_t max_depth, haft_arena *arena, yyjson_val **reterr_key);

/* Whether a value nests deeper than that. */
bool hf_json_is_deep(yyjson_val *value, size_t max_depth);

/* The same of text that has not been read: a value a byte takes sixteen times its size. */
bool hf_json_text_is_deep(const char *text, size_t size, size_t max_depth);

/* 1 when an object has a key twice, with that key in *ret_key; 0 when not; HAFT_ENOMEM. */
int hf_json_duplicate(yyjson_val *object, haft_arena *arena, yyjson_val **ret_key);

/* How deep a value may nest, whatever limit is asked for: what walks it recurses this far. */
enum { JSON_MAX_DEPTH = 512 };

/* Equal as JSON Schema has it: 1 is 1.0, the order of keys does not matter.  1, 0 or HAFT_ENOMEM.
 * Neither nests deeper than JSON_MAX_DEPTH. */
int hf_json_equal(yyjson_val *left, yyjson_val *right, haft_arena *arena);

/* Equal values have equal hashes. */
uint64_t hf_json_hash(yyjson_val *value);

/* -1, 0 or 1, exactly: integers are not rounded to doubles.  Both are numbers. */
int hf_json_compare(const yyjson_val *left, const yyjson_val *right);

/* Whether a number has no fractional part. */
bool hf_json_is_integral(const yyjson_val *number);

double hf_json_double(const yyjson_val *number);

/* The bytes that haft_json_write appends for the value. */
size_t hf_json_size(const yyjson_val *value);

#endif
