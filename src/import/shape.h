/* import/shape.h - what the files that convert schemas share.
 *
 * What a reference names is a definition.  It is converted once for each use and kept as text, with the
 * definitions that it refers to itself: the "$defs" of an operation are then copied. */
#ifndef HAFT_SRC_IMPORT_SHAPE_H
#define HAFT_SRC_IMPORT_SHAPE_H

#include "import/document.h"
#include "json/json.h"
#include "schema/document/map.h"

enum {
    IMPORT_DEPTH = 64,             /* default of import_options.max_depth */
    IMPORT_SCHEMA_LIMIT = 1 << 20, /* bytes of one schema with its definitions */
    IMPORT_DEFINITION_NAME = 128,  /* bytes of a name in "$defs" */
    IMPORT_TEXT = 1024             /* bytes of a description in a schema */
};

struct import_cache {
    haft_arena *arena;      /* the import's */
    haft_arena *work;       /* for one definition or operation at a time */
    struct name_map texts;  /* to struct import_reference, by the text of "$ref" */
    struct name_map values; /* to struct import_definition, by the address of the schema */
    size_t serials;         /* shapers and walks so far */
};

/* A definition as it is written for one use. */
struct import_form {
    const char *text; /* NULL until it has been converted */
    size_t size;
    struct import_definition **uses; /* definitions that it refers to */
    size_t n_uses;
    int status; /* why it cannot be converted */
    const char *failure;
    size_t shaper, walk; /* serials of those that have met it last */
};

struct import_definition {
    const char *name; /* in "$defs" */
    yyjson_val *schema;
    struct import_form forms[IMPORT_OUTPUT + 1];
};

/* A conversion of one schema, down to its references. */
struct shape_walk {
    struct import_shaper *shaper;
    yyjson_mut_doc *out;
    size_t serial;
    struct import_definition *definition; /* being converted; NULL for any other schema */
    struct shape_use *uses;               /* in the work arena, the latest first */
    size_t n_uses;
};

struct shape_use {
    struct import_definition *definition;
    struct shape_use *next;
};

/* Returns the schema, or NULL with shaper->reason. */
yyjson_mut_val *hf_shape_schema(struct shape_walk *walk, yyjson_val *schema, size_t depth);

/* Sets shaper->reason, unless it is set; returns NULL. */
yyjson_mut_val *hf_shape_fail(struct shape_walk *walk, int code, const char *format, ...)
    HAFT_PRINTF_(3, 4);
yyjson_mut_val *hf_shape_no_memory(struct shape_walk *walk);

/* Adds a member; a NULL value is a failed allocation.  False on failure. */
bool hf_shape_put(struct shape_walk *walk, yyjson_mut_val *object, const char *key,
                  yyjson_mut_val *value);

/* hf_import_resolve for the text of a reference; *text is then the last of a chain.  For a `schema` it ends
 * where the reference has siblings that mean something. */
yyjson_val *hf_import_follow(const struct import_document *document, bool schema, yyjson_val **text,
                             haft_reason *reterr_reason);

/* The definition for the value of "$ref"; NULL with shaper->reason. */
struct import_definition *hf_shape_define(struct shape_walk *walk, yyjson_val *reference);

/* Whether clients, which are stricter than haft, accept a pattern that haft accepts (pattern.c). */
bool hf_import_pattern_is_strict(const char *text, size_t size);

/* Text for a model: without characters that people cannot see, and cut at `most` bytes, with an
 * ellipsis.  *size is its size, before and after.  NULL without memory. */
const char *hf_import_clean(haft_arena *arena, const char *text, size_t *size, size_t most);

static inline size_t import_max_depth(const struct import_document *document)
{
    return document->options->max_depth ? document->options->max_depth : IMPORT_DEPTH;
}

#endif
