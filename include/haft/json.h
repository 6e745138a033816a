/* haft/json.h - JSON values that have been read, strictly. */
#ifndef HAFT_JSON_H
#define HAFT_JSON_H

#include <haft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A JSON value: yyjson's own, so that the functions of <yyjson.h> can take it apart. */
typedef struct yyjson_val haft_value;

/* Reads JSON text strictly: UTF-8, no duplicate keys, at most max_depth levels (0: 64).  The value
 * lives in the arena.  NULL with the reason in *reterr_error (which may be NULL). */
haft_value *haft_json_read(const char *text, size_t size, size_t max_depth, haft_arena *arena,
                           haft_reason *reterr_error);

/* Appends a value as compact JSON.  NULL is none: the buffer gets HAFT_EINVAL. */
void haft_json_write(const haft_value *value, haft_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
