/* haft/json.h - strict reading and compact writing of JSON values. */
#ifndef HAFT_JSON_H
#define HAFT_JSON_H

#include <haft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A JSON value.  It is a yyjson_val, so the functions of <yyjson.h> can inspect it. */
typedef struct yyjson_val haft_value;

/* Reads JSON text strictly: valid UTF-8, no duplicate keys, at most max_depth levels of nesting (0:
 * 64).  Returns the value, which belongs to the arena, or NULL with the reason in *reterr_error
 * (which may be NULL). */
haft_value *haft_json_read(const char *text, size_t size, size_t max_depth, haft_arena *arena,
                           haft_reason *reterr_error);

/* Appends a value as compact JSON.  If value is NULL, the buffer's status becomes HAFT_EINVAL. */
void haft_json_write(const haft_value *value, haft_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
