/* schema/document/document.h - the internal interface of the JSON Schema front end.
 *
 * A document is compiled in two passes. The scan visits every schema, guided by the table of
 * keywords, and records its location: its place in the text and the resource (`$id`) that
 * references are resolved against. Compiling then creates one node per requested location, so a
 * reference is a pointer to a node that may not be filled in yet. Both passes use queues instead of
 * recursion, so that deeply nested documents do not exhaust the C stack. */
#ifndef HAFT_SRC_DOCUMENT_H
#define HAFT_SRC_DOCUMENT_H

#include <haft/schema.h>

#include "schema/document/dialect.h"
#include "schema/document/map.h"
#include "schema/document/keyword.h"
#include "schema/model/node.h"

/* A text that contains schemas: the document itself, one supplied by the caller, or a
 * metaschema. */
struct source {
    struct source *next;
    const char *uri; /* its URI; "" for the document itself */
    const char *text;
    size_t size;
    yyjson_val *json;     /* set once it has been parsed */
    struct base *base;    /* set once it has been scanned */
    haft_reason *failure; /* why that failed */
    bool is_metaschema; /* built-in; its defaults are annotations and are not filled in, as they are
                        * recursive */
};

/* An `$anchor`, a `$dynamicAnchor`, or an old draft's `$id` that is a fragment. */
struct mark {
    struct mark *next;
    const char *name;
    struct location *location;
    bool dynamic;
};

/* A schema resource: references are resolved against its URI, and it owns anchors. */
struct base {
    struct base *next;
    const char *uri; /* "" if it has none */
    const struct source *source;
    const struct dialect *dialect;
    struct location *root;
    struct name_map names; /* marks by name */
    struct mark *marks;
    bool recursive;            /* `$recursiveAnchor` */
    struct resource *resource; /* resource of its nodes; NULL until the first node is created */
};

/* A schema and its location. */
struct location {
    struct location *next;    /* in scan order */
    struct location *waiting; /* in compilation order */
    yyjson_val *value;
    const struct location *parent; /* NULL for the root of a source */
    const char *step;              /* JSON pointer from the parent */
    size_t depth;
    bool may_switch; /* draft-04: a boolean is allowed here */
    struct base *base;
    struct node *node; /* NULL until requested */
};

struct document {
    struct haft_schema *schema;
    const struct haft_schema_options *options;
    haft_arena *scratch; /* holds all of this; freed when the schema is complete */
    haft_reason *error;
    const struct dialect *dialect; /* default for sources without $schema */
    struct source *sources;
    struct base *bases;
    struct name_map by_uri;     /* to struct base */
    struct name_map by_value;   /* to struct location, by the value's memory address */
    struct name_map by_dialect; /* to struct dialect, for metaschemas that are not built in */
    struct location *first, *last;
    struct location *first_waiting, *last_waiting;
};

/* ---- locations and errors (location.c) ---- */

/* Fills in the error with the JSON pointer of the keyword (NULL: of the schema itself) and returns
 * the code. The path starts with the source's URI, except for the document itself. */
int hf_document_fail(struct document *doc, const struct location *where, const char *keyword,
                     int code, const char *format, ...) HAFT_PRINTF_(5, 6);
int hf_document_no_memory(struct document *doc);
/* Returns that path; "" for the document itself, or without memory. */
const char *hf_location_path(struct document *doc, const struct location *where,
                             const char *keyword);

struct location *hf_location_of(const struct document *doc, const yyjson_val *value);
/* Returns the node of a location, which hf_compile_waiting fills in later. NULL with the error
 * set. */
struct node *hf_location_node(struct document *doc, struct location *location);

/* ---- sources (source.c) ---- */

/* Adds a source; NULL without memory. */
struct source *hf_source_add(struct document *doc, const char *uri, const char *text, size_t size);

/* Finds a source by URI (NULL if there is none), and its value. */
int hf_source_find(struct document *doc, const char *uri, struct source **ret_source);
int hf_source_read(struct document *doc, struct source *source);

/* ---- the scan (scan.c) ---- */

int hf_scan_source(struct document *doc, struct source *source);

/* Adds a schema that the scan did not reach: a reference points into an unknown keyword. */
int hf_scan_location(struct document *doc, const struct location *parent, const char *step,
                     yyjson_val *value, struct location **ret_location);

/* ---- dialects (document_dialect.c) ---- */

/* Finds the dialect for a `$schema` at the location (NULL: from the options). */
int hf_dialect_find(struct document *doc, const struct location *where, const char *text,
                    size_t size, const struct dialect **ret_dialect);

/* ---- references (ref.c) ---- */

/* Resolves a reference at the location. *ret_mark is the anchor that it names, or NULL. */
int hf_reference_resolve(struct document *doc, const struct location *from, const char *keyword,
                         yyjson_val *reference, struct location **ret_to, struct mark **ret_mark);

/* ---- compiling (compile.c) ---- */

/* Fills in all requested nodes. */
int hf_compile_waiting(struct document *doc);

/* Returns HAFT_ESCHEMA if a schema refers back to itself for the same value, which would never
 * end. */
int hf_check_cycles(struct document *doc);

#endif
