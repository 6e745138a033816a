/* schema/fields/fields.h - the internal interface of the compiler for declared types. */
#ifndef HAFT_SRC_FIELDS_H
#define HAFT_SRC_FIELDS_H

#include <haft/declare.h>

#include "schema/model/node.h"

struct compile {
    haft_schema *schema;
    struct known *known;
    haft_reason *error;
    size_t depth;
    int status; /* sticky: after a failure the functions below do nothing */
};

/* Records the first failure. Returns NULL, for callers that return a node. */
struct node *hf_fields_fail(struct compile *c, int status, const char *path, const char *text);

/* Creates a node for a value of these types, stored as `store`; NULL after a failure. */
struct node *hf_fields_node(struct compile *c, unsigned types, enum store store, size_t size);

/* Zeroed memory in the schema's arena; NULL after a failure. */
void *hf_fields_take(struct compile *c, size_t count, size_t size);

void hf_fields_check(struct compile *c, struct node *node, const struct check *what);

/* Whether text is NULL or valid UTF-8, since it is sent to clients as JSON. */
bool hf_fields_is_text(struct compile *c, const char *text);

/* Parses JSON text of the declaration; NULL if it is invalid. */
yyjson_val *hf_fields_json(struct compile *c, const char *text);

/* ---- view.c: declarations compiled with an earlier header ---- */

/* Returns the type, or an extended copy if it lacks members; NULL after a failure. */
const haft_type *hf_fields_type(struct compile *c, const haft_type *given);

/* The same for one of its fields. */
const haft_field *hf_fields_at(struct compile *c, const haft_type *type, size_t i);

/* Its options; zeroed if it has none. */
struct haft_type_options hf_fields_options(const haft_type *type);

/* A field as the program declared it: only its first members, up to `type`, may be read. */
static inline const haft_field *field_given(const haft_type *type, size_t i)
{
    return (const haft_field *)(const void *)((const char *)type->fields + i * type->field_size);
}

/* ---- member.c: the C members of fields, which may be narrower than their kind ---- */

struct node *hf_fields_integer(struct compile *c, const haft_field *field);
struct node *hf_fields_number(struct compile *c, const haft_field *field);
struct node *hf_fields_string(struct compile *c, const haft_field *field);
struct node *hf_fields_enum(struct compile *c, const haft_type *type);

/* Creates the node of an array without its items and rules; the narrowed rules are in
 * *ret_rules. */
struct node *hf_fields_array(struct compile *c, const haft_field *field,
                             struct haft_array_rules *ret_rules);

/* Creates a JSON array of the strings. */
yyjson_val *hf_fields_texts(struct compile *c, const char *const *texts, size_t n);

/* ---- rules.c: constraints and annotations of fields ---- */

void hf_fields_check_size(struct compile *c, struct node *node, enum check_op op, size_t size);
void hf_fields_add_integer_rules(struct compile *c, struct node *node,
                                 const struct haft_integer_rules *rules);
void hf_fields_add_number_rules(struct compile *c, struct node *node,
                                const struct haft_number_rules *rules);
void hf_fields_add_string_rules(struct compile *c, struct node *node,
                                const struct haft_string_rules *rules);
/* NULL and HAFT_FORMAT_NONE add nothing. */
void hf_fields_add_pattern(struct compile *c, struct node *node, const char *pattern);
void hf_fields_add_format(struct compile *c, struct node *node, haft_format format);
void hf_fields_add_words(struct compile *c, struct node *node,
                         const struct haft_plain_rules *words);

/* The default of a field as JSON, as a client would send it; NULL after a failure. */
yyjson_val *hf_fields_default(struct compile *c, const haft_field *field);

#endif
