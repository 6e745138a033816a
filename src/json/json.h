/* json/json.h - additions to yyjson: strict reading into an arena, and comparison of values. */
#ifndef HAFT_SRC_JSON_H
#define HAFT_SRC_JSON_H

#include <haft/json.h>
#include <yyjson.h>

#include "base/base.h"

/* Reads JSON without checking depth or duplicate keys, for callers that walk the value anyway. The
 * value lives in the arena. Returns 0, or HAFT_EPARSE, HAFT_EUTF8 or HAFT_ENOMEM with the position
 * in *reterr_offset. */
int hf_json_parse(const char *text, size_t size, haft_arena *arena, yyjson_val **ret_value,
                  size_t *reterr_offset, const char **reterr_reason);

/* An allocator for yyjson whose memory is the arena's: what it frees is freed with the arena. */
yyjson_alc hf_json_arena(haft_arena *arena);

/* Checks depth and duplicate keys. Returns 0, HAFT_EDEPTH, or HAFT_EINVAL with the duplicate key in
 * *reterr_key. */
int hf_json_check(yyjson_val *value, size_t max_depth, haft_arena *arena, yyjson_val **reterr_key);

/* Whether a value nests deeper than `max_depth`. */
bool hf_json_is_deep(yyjson_val *value, size_t max_depth);

/* The same for unparsed text, because a parsed value can take sixteen times the memory of its
 * text. */
bool hf_json_text_is_deep(const char *text, size_t size, size_t max_depth);

/* Returns 1 with the key in *ret_key if an object has a duplicate key, 0 if not, or HAFT_ENOMEM. */
int hf_json_duplicate(yyjson_val *object, haft_arena *arena, yyjson_val **ret_key);

/* The absolute limit of nesting, regardless of configured limits: functions that walk a value
 * recurse this far. */
enum { JSON_MAX_DEPTH = 512 };

/* Compares values as JSON Schema defines it: 1 equals 1.0, and the order of keys is irrelevant.
 * Returns 1, 0 or HAFT_ENOMEM. Neither value may nest deeper than JSON_MAX_DEPTH. */
int hf_json_equal(yyjson_val *left, yyjson_val *right, haft_arena *arena);

/* A hash; equal values have equal hashes. */
uint64_t hf_json_hash(yyjson_val *value);

/* Compares two numbers exactly, without rounding integers to doubles. Returns -1, 0 or 1. */
int hf_json_compare(const yyjson_val *left, const yyjson_val *right);

/* Whether a number has no fractional part. */
bool hf_json_is_integral(const yyjson_val *number);

double hf_json_double(const yyjson_val *number);

/* A copy of a value, with its strings, in an arena; NULL if memory runs out or the value is NULL. */
yyjson_val *hf_json_copy(yyjson_val *value, haft_arena *arena);

/* The number of bytes that haft_json_write appends for the value. */
size_t hf_json_size(const yyjson_val *value);

#endif
