/* import/document.h - what the files of this room share: a document, references, and schemas. */
#ifndef HAFT_SRC_IMPORT_DOCUMENT_H
#define HAFT_SRC_IMPORT_DOCUMENT_H

#include <yyjson.h>

#include "import/import.h"

enum import_version { IMPORT_2_0, IMPORT_3_0, IMPORT_3_1 };

struct import_schemes;
struct import_cache; /* references and definitions that have been met (reference.c) */

/* A document that is being imported. */
struct import_document {
    struct import *import;
    const struct import_options *options;
    enum import_version version;
    yyjson_val *root;
    struct import_cache *cache;
    const struct import_schemes *schemes; /* security schemes */
};

/* Makes the cache, in the import's arena; NULL without memory.  Its scratch memory is freed with
 * hf_import_cache_finish, which accepts NULL. */
struct import_cache *hf_import_cache_new(struct import *import, const haft_allocator *allocator);
void hf_import_cache_finish(struct import_cache *cache);

/* Follows local references, also chains of them.  Returns the value, or NULL with the reason: an external reference,
 * a missing one, or a circle of references only. */
yyjson_val *hf_import_resolve(const struct import_document *document, yyjson_val *value,
                              haft_reason *reterr_reason);

/* ---- schemas (shape.c) ---- */

enum import_use {
    IMPORT_INPUT, /* without readOnly properties */
    IMPORT_OUTPUT /* without writeOnly properties */
};

/* A schema that is being written, with the definitions that it uses. */
struct import_shaper {
    const struct import_document *document;
    enum import_use use;
    yyjson_mut_doc *out;
    yyjson_mut_val *definitions; /* "$defs", whose values are raw JSON; NULL while there are none */
    haft_reason reason;          /* of the first failure */
    size_t serial;               /* set on first use */
    size_t bytes;                /* of the definitions */
};

/* Converts a schema to 2020-12; references become "#/$defs/NAME", and what they name is converted
 * once.  Returns NULL on failure, with shaper->reason. */
yyjson_mut_val *hf_import_shape(struct import_shaper *shaper, yyjson_val *schema);

/* ---- arguments (plan.c): where each argument of an operation goes ---- */

/* Makes the plan of an operation, and adds its arguments to the object schema `input`: `properties` and
 * `required`.  `item` is the path item, `operation` the operation object.  Returns 0, HAFT_ENOMEM, or HAFT_EINVAL with
 * the reason: the operation is then refused. */
int hf_import_make_plan(struct import_shaper *shaper, struct import_operation *target,
                        yyjson_val *item, yyjson_val *operation, yyjson_mut_val *input,
                        haft_reason *reterr_reason);

/* Finds what successful responses contain, and the schema of the output; sets target->answer, ->wrapped, and
 * *ret_schema to the unconverted JSON schema or NULL. */
int hf_import_make_answer(const struct import_document *document, struct import_operation *target,
                          yyjson_val *operation, yyjson_val **ret_schema,
                          haft_reason *reterr_reason);

#endif
