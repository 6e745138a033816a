/* schema/emit/emit.h - a compiled schema as JSON Schema: the parts that two files share. */
#ifndef HAFT_SRC_EMIT_H
#define HAFT_SRC_EMIT_H

#include "json/writer.h"
#include "schema/model/node.h"

struct emit {
    const haft_schema *schema;
    haft_emit_options options;
    struct json_writer json;
    const struct node **defs; /* nodes under $defs, in the order they were met */
    size_t n_defs;
    size_t depth;
};

/* Members of the object that is open.  What has a NULL is left out. */
void hf_emit_text(struct emit *e, const char *key, const char *text);
void hf_emit_size(struct emit *e, const char *key, size_t size);
void hf_emit_json(struct emit *e, const char *key, const yyjson_val *value);
void hf_emit_flag(struct emit *e, const char *key, bool value);

/* The members that the checks of a node become.  What no single keyword can say (a second pattern, a
 * second divisor) is counted in the return value and written by hf_emit_check_parts into an allOf. */
size_t hf_emit_checks(struct emit *e, const struct node *node);
void hf_emit_check_parts(struct emit *e, const struct node *node);

/* Whether a check says that a number is an integer. */
bool hf_emits_integer(const struct node *node);

#endif
