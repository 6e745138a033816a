/* haft/schema.h - compiled schemas: validation, decoding, encoding and JSON Schema.
 *
 * A schema is made in one of three ways: from a declared C type (haft/declare.h), with builder
 * functions (haft/build.h), or from a JSON Schema document (haft_schema_parse).  All three give the
 * same thing: an immutable haft_schema that any number of threads may use at once.  What it
 * advertises (haft_schema_emit) and what it enforces come from that one form, so they cannot
 * disagree. */
#ifndef HAFT_SCHEMA_H
#define HAFT_SCHEMA_H

#include <haft/base.h>
#include <haft/issue.h>
#include <haft/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A compiled schema.  Immutable: any number of threads may use it at once. */
typedef struct haft_schema haft_schema;
typedef struct haft_type haft_type; /* a declared C type, see haft/declare.h */

/* ---- compiling ---------------------------------------------------------- */

/* A document that a `$ref` may refer to.  The library never fetches documents. */
typedef struct haft_document {
    const char *uri;  /* address of the document */
    const char *json; /* text of the document */
    size_t size;      /* bytes of the text */
} haft_document;

/* Whether `format` in a JSON Schema document is a rule. */
typedef enum haft_format_mode {
    HAFT_FORMATS_ASSERT,  /* a known format is a rule (the default) */
    HAFT_FORMATS_ANNOTATE /* it is not, unless the dialect says so, as in the specification */
} haft_format_mode;

/* What `default` in a JSON Schema document does. */
typedef enum haft_default_mode {
    HAFT_DEFAULTS_FILL,    /* an absent property gets it; it must be valid (the default) */
    HAFT_DEFAULTS_ANNOTATE /* nothing, as in the specification */
} haft_default_mode;

/* Options and limits of a schema.  Zero means the default in each description. */
typedef struct haft_schema_options {
    size_t struct_size;              /* set by HAFT_INIT or HAFT_WITH */
    const haft_allocator *allocator; /* malloc */
    size_t max_depth;                /* maximum nesting of a schema and of a value: 64 */
    size_t max_subschemas;           /* maximum number of subschemas: 10,000 */
    size_t max_steps;                /* node visits of one validation: 10,000,000 */
    size_t max_issues;               /* maximum number of reported issues: 32 */
    size_t max_memory;               /* maximum size of the compiled schema in bytes: 64 MiB */
    uint32_t pattern_steps;          /* steps of one pattern match: 100,000 */
    haft_format_mode formats;        /* whether formats of a document are rules */
    const char *dialect;             /* dialect of a document without `$schema`: 2020-12 */
    const haft_document *documents; /* for `$ref` and `$schema`, in addition to the built-in ones */
    size_t n_documents;             /* number of documents */
    haft_default_mode defaults;     /* whether defaults of a document are filled in */
} haft_schema_options;

/* Compile a declared type or a JSON Schema document. options may be NULL.  Each returns 0 and a
 * schema that the caller frees with haft_schema_free, or an error with the reason in *reterr_error
 * (which may be NULL).  The type must outlive the schema; the text of a document need not. */
int haft_schema_compile(const haft_type *type, const haft_schema_options *options,
                        haft_schema **ret_schema, haft_reason *reterr_error);
int haft_schema_parse(const char *json, size_t size, const haft_schema_options *options,
                      haft_schema **ret_schema, haft_reason *reterr_error);

/* Compiles a JSON Schema document that has been parsed, and frees a schema. haft_schema_parse_json
 * returns as haft_schema_parse. haft_schema_free accepts NULL. */
int haft_schema_parse_json(haft_value *json, const haft_schema_options *options,
                           haft_schema **ret_schema, haft_reason *reterr_error);
void haft_schema_free(haft_schema *schema);

/* ---- using a schema --------------------------------------------------- */

/* Validate a value.  Each returns 0 if the value matches; HAFT_EISSUES with the issues in
 * *reterr_issues, which belong to the arena; or HAFT_ENOMEM or HAFT_ESTEPS if validation could not
 * finish. haft_schema_validate_text parses the text first, and also returns HAFT_EPARSE,
 * HAFT_EDEPTH and HAFT_EUTF8, with one issue that says where. */
int haft_schema_validate(const haft_schema *schema, haft_value *value, haft_arena *arena,
                         haft_issues *reterr_issues);
int haft_schema_validate_text(const haft_schema *schema, const char *text, size_t size,
                              haft_arena *arena, haft_issues *reterr_issues);

/* Validate a value and decode it into *ret_value, an object of the declared type.  What it points
 * to lives in the arena and, for haft_schema_decode, in `value`.  For a schema without a C type,
 * *ret_value is a haft_value *: the value with its defaults, a copy in the arena if any were
 * missing.  Each returns as haft_schema_validate; on failure *ret_value is unspecified. */
int haft_schema_decode(const haft_schema *schema, haft_value *value, haft_arena *arena,
                       void *ret_value, haft_issues *reterr_issues);
int haft_schema_decode_text(const haft_schema *schema, const char *text, size_t size,
                            haft_arena *arena, void *ret_value, haft_issues *reterr_issues);

/* Appends an object of the declared type as JSON, and validates it.  Returns 0; HAFT_EISSUES if it
 * does not match its own schema, and nothing is appended; or an error as haft_schema_validate. */
int haft_schema_encode(const haft_schema *schema, const void *value, haft_arena *arena,
                       haft_buffer *buffer, haft_issues *reterr_issues);

/* Dialects of JSON Schema that haft_schema_emit writes. */
typedef enum haft_dialect {
    HAFT_2020_12, /* draft 2020-12 */
    HAFT_DRAFT_07 /* draft 7 */
} haft_dialect;

/* Options of haft_schema_emit.  Zero: 2020-12, without `$schema`, nested types inlined. */
typedef struct haft_emit_options {
    size_t struct_size;   /* set by HAFT_INIT or HAFT_WITH */
    haft_dialect dialect; /* dialect to write */
    bool with_dialect;    /* write `$schema` */
    bool use_defs;        /* write nested declared types under `$defs`; recursive ones always are */
} haft_emit_options;

/* Appends the JSON Schema. options may be NULL.  A schema from a document is written as it was
 * read.  Returns 0, an error of the buffer, or HAFT_EDIALECT if a document is asked for in another
 * dialect. */
int haft_schema_emit(const haft_schema *schema, const haft_emit_options *options,
                     haft_buffer *buffer);

/* Appends a table of the schema for people to read.  Returns 0 or an error of the buffer. */
int haft_schema_print(const haft_schema *schema, haft_buffer *buffer);

/* ---- for refinements ----------------------------------------------------- */

/* A check across fields that is running, to which it reports issues. */
typedef struct haft_refinement haft_refinement;

/* Adds an issue with the code custom at `path` below the refined value ("items.0.name"; "" or NULL
 * for the value itself). */
void haft_refinement_add_issue(haft_refinement *refinement, const char *path, const char *format,
                               ...) HAFT_PRINTF_(3, 4);

#ifdef __cplusplus
}
#endif
#endif
