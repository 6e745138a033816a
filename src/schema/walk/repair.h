/* schema/walk/repair.h - converts values that models send with the wrong type.
 *
 * A model may send "5" for 5, or an object as its JSON text. Such text is parsed where the schema
 * does not accept a string, and nowhere else. The result is validated like any other value. */
#ifndef HAFT_SRC_REPAIR_H
#define HAFT_SRC_REPAIR_H

#include "json/json.h"
#include "schema/model/node.h"

enum { REPAIRS_LISTED = 32 };

struct repair {
    const haft_step *path;
    size_t n_path;
    const char *to; /* type that the text was converted to, as "number" */
};

struct repairs {
    struct repair list[REPAIRS_LISTED]; /* the first of them */
    size_t n;
};

/* Repairs what it can. Returns the number of repairs, with the value in *ret_value: a copy in the
 * arena, or `value` itself if there are none. Errors: HAFT_ENOMEM; HAFT_ESTEPS if it takes too many
 * steps. Valid values are never changed. */
int hf_schema_repair(const haft_schema *schema, yyjson_val *value, haft_arena *arena,
                     struct repairs *ret_repairs, yyjson_val **ret_value);

/* Like haft_schema_decode, or haft_schema_validate if `to` is NULL. If *value has issues, it is
 * repaired and tried again; if the repaired value is valid, it replaces *value, otherwise the
 * issues are those of the original. ret_repairs->n is 0 unless repairs made the value valid. */
int hf_schema_read_leniently(const haft_schema *schema, yyjson_val **value, haft_arena *arena,
                             void *to, haft_issues *reterr_issues, struct repairs *ret_repairs);

/* A query or path parameter. */
struct text_field {
    const char *name;
    size_t name_size;
    const char *value;
    size_t value_size;
};

/* Builds an object for the schema from strings: each is converted to the type of its field, and
 * array fields collect all strings of their name. Strings that cannot be converted are kept, for
 * the validation that follows. Names and values end in a NUL that their sizes do not include, and
 * must outlive the result. The work is quadratic in n, which the caller must bound. Returns 0,
 * HAFT_ENOMEM, HAFT_ESTEPS, or HAFT_EUTF8 for invalid UTF-8. */
int hf_schema_from_texts(const haft_schema *schema, const struct text_field *fields, size_t n,
                         haft_arena *arena, yyjson_val **ret_value);

/* The types that a node may accept, as bits, determined without a value: a superset. */
unsigned hf_node_accepts(const struct node *node);

#endif
