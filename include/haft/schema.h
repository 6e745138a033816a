/* haft/schema.h - compiled schemas and what can be done with them.
 *
 * A schema is made in one of three ways: from a declared C type (haft/declare.h), from builder
 * functions (haft/build.h), or from a JSON Schema document (haft_schema_parse).  All three give the
 * same thing: an immutable haft_schema that any number of threads may use at once.  What it
 * advertises (haft_schema_emit) and what it enforces come from that one form, so they cannot disagree. */
#ifndef HAFT_SCHEMA_H
#define HAFT_SCHEMA_H

#include <haft/base.h>
#include <haft/issue.h>
#include <haft/json.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_schema haft_schema;
typedef struct haft_type haft_type; /* a declared C type, see haft/declare.h */

/* ---- making one ---------------------------------------------------------- */

/* Another document that a `$ref` may point into, by its address.  Nothing is ever fetched. */
typedef struct haft_document {
    const char *uri;
    const char *json;
    size_t size;
} haft_document;

/* Whether a JSON Schema document's `format` decides. */
typedef enum haft_format_mode {
    HAFT_FORMATS_ASSERT,  /* yes: a known format must be met (the default) */
    HAFT_FORMATS_ANNOTATE /* no, unless the dialect says so: the specification's default */
} haft_format_mode;

/* What becomes of a JSON Schema document's `default`. */
typedef enum haft_default_mode {
    HAFT_DEFAULTS_FILL,    /* a property that is absent gets it, and it must fit (the default) */
    HAFT_DEFAULTS_ANNOTATE /* nothing: the specification's way */
} haft_default_mode;

/* Zero means the stated default. */
typedef struct haft_schema_options {
    size_t struct_size;              /* its sizeof */
    const haft_allocator *allocator; /* malloc */
    size_t max_depth;                /* nesting of a schema and of a value: 64 */
    size_t max_subschemas;           /* 10,000 */
    size_t max_steps;                /* node visits of one validation: 10,000,000 */
    size_t max_issues;               /* issues reported: 32 */
    size_t max_memory;               /* bytes the compiled schema may take: 64 MiB */
    uint32_t pattern_steps;          /* of one match: 100,000 */
    haft_format_mode formats;
    const char *dialect;            /* of a document without `$schema`: 2020-12's address */
    const haft_document *documents; /* what `$ref` and `$schema` may name besides haft's own */
    size_t n_documents;
    haft_default_mode defaults;
} haft_schema_options;

/* Each returns 0 and a schema to be freed, or an error with the reason in *reterr_error (which may
 * be NULL).  The type must outlive the schema; the text of a document need not.  `options` may be
 * NULL. */
int haft_schema_compile(const haft_type *type, const haft_schema_options *options,
                        haft_schema **ret_schema, haft_reason *reterr_error);
int haft_schema_parse(const char *json, size_t size, const haft_schema_options *options,
                      haft_schema **ret_schema, haft_reason *reterr_error);

/* As haft_schema_parse, of a value that has been read already. */
int haft_schema_parse_json(haft_value *json, const haft_schema_options *options,
                           haft_schema **ret_schema, haft_reason *reterr_error);
void haft_schema_free(haft_schema *schema);

/* ---- the five readings --------------------------------------------------- */

/* 0 when the value fits; HAFT_EISSUES with what is wrong in *reterr_issues; HAFT_ENOMEM or
 * HAFT_ESTEPS when it could not be told.  Issues live in the arena.  The text form also answers
 * HAFT_EPARSE, HAFT_EDEPTH and HAFT_EUTF8, each with one issue that says where. */
int haft_schema_validate(const haft_schema *schema, haft_value *value, haft_arena *arena,
                         haft_issues *reterr_issues);
int haft_schema_validate_text(const haft_schema *schema, const char *text, size_t size,
                              haft_arena *arena, haft_issues *reterr_issues);

/* The same, and on success fills *ret_value, an object of the declared type; what it points to
 * lives in the arena, and (for the first form) in `value`.  On failure *ret_value is unspecified.
 * For a schema without a C type *ret_value is a haft_value *: the value with its defaults, a copy in the arena
 * if it lacks any. */
int haft_schema_decode(const haft_schema *schema, haft_value *value, haft_arena *arena,
                       void *ret_value, haft_issues *reterr_issues);
int haft_schema_decode_text(const haft_schema *schema, const char *text, size_t size,
                            haft_arena *arena, void *ret_value, haft_issues *reterr_issues);

/* Appends an object of the declared type as JSON, checked as it goes: what does not fit its own
 * schema is HAFT_EISSUES, and what was appended is taken back. */
int haft_schema_encode(const haft_schema *schema, const void *value, haft_arena *arena,
                       haft_buffer *buffer, haft_issues *reterr_issues);

typedef enum haft_dialect { HAFT_2020_12, HAFT_DRAFT_07 } haft_dialect;

/* Zero: 2020-12, without `$schema`, nested types inlined. */
typedef struct haft_emit_options {
    size_t struct_size; /* its sizeof */
    haft_dialect dialect;
    bool with_dialect; /* write `$schema` */
    bool use_defs;     /* nested declared types under `$defs`; what recurses always is */
} haft_emit_options;

/* Appends the JSON Schema.  A document comes out as it came in; asked for in a dialect it is not
 * written in, it is HAFT_EDIALECT. */
int haft_schema_emit(const haft_schema *schema, const haft_emit_options *options,
                     haft_buffer *buffer);

/* Appends a table of the schema for people. */
int haft_schema_print(const haft_schema *schema, haft_buffer *buffer);

/* ---- for refinements ----------------------------------------------------- */

/* What a check across fields reports to. */
typedef struct haft_refinement haft_refinement;

/* Adds an issue of code custom at `path` below the refined value ("items.0.name"; "" or NULL for
 * the value itself). */
void haft_refinement_add_issue(haft_refinement *refinement, const char *path, const char *format,
                               ...) HAFT_PRINTF_(3, 4);

#ifdef __cplusplus
}
#endif
#endif
