/* schema/walk/repair.h - values as models send them, brought to what the schema asks for.
 *
 * A model that means 5 may say "5", and an object may come as its JSON text.  A repair reads such a
 * text where the schema accepts no string, and nowhere else.  It decides nothing: what it makes is
 * validated as any other value. */
#ifndef HAFT_SRC_REPAIR_H
#define HAFT_SRC_REPAIR_H

#include "json/json.h"
#include "schema/model/node.h"

enum { REPAIRS_LISTED = 32 };

struct repair {
    const haft_step *path;
    size_t n_path;
    const char *to; /* "number": what the text was read as */
};

struct repairs {
    struct repair list[REPAIRS_LISTED]; /* the first of them */
    size_t n;
};

/* Repairs what can be.  Returns how many repairs there are, with the value in *ret_value: a copy in
 * the arena, or `value` itself when there are none.  Or HAFT_ENOMEM, HAFT_ESTEPS when it would take
 * too long.  A value that is valid is never changed. */
int hf_schema_repair(const haft_schema *schema, yyjson_val *value, haft_arena *arena,
                     struct repairs *ret_repairs, yyjson_val **ret_value);

/* haft_schema_decode, or haft_schema_validate when `to` is NULL, of *value; when it has issues, of the repaired
 * value, which then takes its place in *value.  When that is not right either, the issues are those
 * of the value as it came.  ret_repairs->n is 0 unless repairs made it right. */
int hf_schema_read_leniently(const haft_schema *schema, yyjson_val **value, haft_arena *arena,
                             void *to, haft_issues *reterr_issues, struct repairs *ret_repairs);

/* A parameter of a query or a path. */
struct text_field {
    const char *name;
    size_t name_size;
    const char *value;
    size_t value_size;
};

/* An object for the schema out of texts: each is read as what its field asks for, and one that asks
 * for an array gets all texts of its name.  What is not right is left as it is, for the validation
 * that follows to say.  Names and values end in a NUL that their sizes do not count, and must live
 * as long as what is made.  The work grows with the square of n, which the caller bounds.  0,
 * HAFT_ENOMEM, HAFT_ESTEPS or, for bytes that are no UTF-8, HAFT_EUTF8. */
int hf_schema_from_texts(const haft_schema *schema, const struct text_field *fields, size_t n,
                         haft_arena *arena, yyjson_val **ret_value);

/* Bits of the types that a node lets pass, as far as can be told without a value: never too few. */
unsigned hf_node_accepts(const struct node *node);

#endif
