/* schema/emit/emit.h - shared parts of the JSON Schema emitter. */
#ifndef HAFT_SRC_EMIT_H
#define HAFT_SRC_EMIT_H

#include "json/writer.h"
#include "schema/model/node.h"

struct emit {
    const haft_schema *schema;
    haft_emit_options options;
    struct json_writer json;
    const struct node **defs; /* nodes under $defs, in order of discovery */
    size_t n_defs;
    size_t depth;
};

/* Write members of the open object. NULL values are omitted. */
void hf_emit_text(struct emit *e, const char *key, const char *text);
void hf_emit_size(struct emit *e, const char *key, size_t size);
void hf_emit_json(struct emit *e, const char *key, const yyjson_val *value);
void hf_emit_flag(struct emit *e, const char *key, bool value);

/* Writes the keywords for a node's checks. Checks that need the same keyword again (a second
 * pattern, a second divisor) are counted in the return value and written by hf_emit_check_parts
 * into an allOf. */
size_t hf_emit_checks(struct emit *e, const struct node *node);
void hf_emit_check_parts(struct emit *e, const struct node *node);

/* Whether a check restricts numbers to integers. */
bool hf_emits_integer(const struct node *node);

#endif
