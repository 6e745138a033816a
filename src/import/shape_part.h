/* import/shape_part.h - keywords of a schema that are converted together (shape_part.c). */
#ifndef HAFT_SRC_IMPORT_SHAPE_PART_H
#define HAFT_SRC_IMPORT_SHAPE_PART_H

#include "import/shape.h"

/* Keywords that depend on others of the same schema. */
enum shape_part {
    SHAPE_TYPE,
    SHAPE_ENUM,
    SHAPE_DEFAULT,
    SHAPE_DESCRIPTION,
    SHAPE_NULLABLE,
    SHAPE_X_NULLABLE,
    SHAPE_MINIMUM,
    SHAPE_MAXIMUM,
    SHAPE_ABOVE,
    SHAPE_BELOW,
    SHAPE_PROPERTIES,
    SHAPE_REQUIRED,
    SHAPE_ITEMS,
    SHAPE_PREFIX,
    SHAPE_REF,
    SHAPE_PARTS
};

/* A schema that is being converted. */
struct shape_schema {
    yyjson_val *from;
    yyjson_mut_val *to;
    yyjson_val *parts[SHAPE_PARTS]; /* NULL if absent */
    size_t depth;
};

/* Writes the parts.  With `nullable`, schema->to may be another object then.  False on failure. */
bool hf_shape_put_parts(struct shape_walk *walk, struct shape_schema *schema);

/* Adds the alternatives of "oneOf" or "anyOf" (discriminator.c).  False on failure. */
bool hf_shape_put_choice(struct shape_walk *walk, struct shape_schema *schema, const char *name,
                         yyjson_val *list);

/* Adds a reference to a definition. */
bool hf_shape_put_definition(struct shape_walk *walk, yyjson_mut_val *object,
                             struct import_definition *definition);

/* ---- building (shape.c); all of these are false or NULL on failure, with the reason ---- */

/* Adds a member under a key of the document. */
bool hf_shape_put_named(struct shape_walk *walk, yyjson_mut_val *object, yyjson_val *key,
                        yyjson_mut_val *value);
bool hf_shape_append(struct shape_walk *walk, yyjson_mut_val *array, yyjson_mut_val *value);
bool hf_shape_copy(struct shape_walk *walk, yyjson_mut_val *object, const char *key,
                   yyjson_val *value);
/* The items of an array without repetitions, strings only if wanted; long ones are not compared. */
yyjson_mut_val *hf_shape_distinct(struct shape_walk *walk, yyjson_val *array, bool strings);
/* Adds a list of schemas, unless it is empty. */
bool hf_shape_put_list(struct shape_walk *walk, struct shape_schema *schema, const char *name,
                       yyjson_val *list);

#endif
