/* schema/emit/emit.h - a compiled schema as JSON Schema: the parts that two files share. */
#ifndef HAFT_SRC_EMIT_H
#define HAFT_SRC_EMIT_H

#include "schema/model/node.h"

struct emit {
    const haft_schema *schema;
    haft_emit_options options;
    haft_buffer *buffer;
    const struct node **defs; /* nodes under $defs, in the order they were met */
    size_t n_defs;
    size_t depth;
};

/* A JSON object that is being written: whether a comma is due. */
struct object_writer {
    struct emit *e;
    bool any;
};

void hf_emit_text(struct object_writer *object, const char *key, const char *text);
void hf_emit_size(struct object_writer *object, const char *key, size_t size);
void hf_emit_json(struct object_writer *object, const char *key, const yyjson_val *value);
void hf_emit_flag(struct object_writer *object, const char *key, bool value);

/* The members that the checks of a node become.  What no single keyword can say (a second pattern, a
 * second divisor) is counted in the return value and written by hf_emit_check_parts into an allOf. */
size_t hf_emit_checks(struct object_writer *object, const struct node *node);
void hf_emit_check_parts(struct emit *e, const struct node *node, bool *comma);

/* Whether a check says that a number is an integer. */
bool hf_emits_integer(const struct node *node);

#endif
