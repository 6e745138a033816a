/* schema/document/document.h - what the files of the JSON Schema front end share.
 *
 * A document is compiled in two passes.  The scan walks everything that is a schema, by the
 * table of keywords, and notes where it stands: its place in the text and the resource (`$id`)
 * that addresses are resolved against.  Compiling then makes one node for each place that is
 * asked for, so that a reference is a pointer to a node that may not be filled in yet.  Both
 * passes are queues: however deep a document nests, the C stack does not. */
#ifndef HAFT_SRC_DOCUMENT_H
#define HAFT_SRC_DOCUMENT_H

#include <haft/schema.h>

#include "schema/document/dialect.h"
#include "schema/document/map.h"
#include "schema/document/keyword.h"
#include "schema/model/node.h"

/* A text that schemas are in: the document itself, one of the caller's, or a metaschema. */
struct source {
    struct source *next;
    const char *uri; /* where it was found; "" for the document itself */
    const char *text;
    size_t size;
    yyjson_val *json;     /* once it has been read */
    struct base *base;    /* once it has been scanned */
    haft_reason *failure; /* why it could not be */
    bool
        is_metaschema; /* one of haft's own, whose defaults describe and do not fill in: they never end */
};

/* An `$anchor`, a `$dynamicAnchor`, or an old draft's `$id` that is a fragment. */
struct mark {
    struct mark *next;
    const char *name;
    struct location *location;
    bool dynamic;
};

/* A schema resource: what its references are resolved against and its anchors are found in. */
struct base {
    struct base *next;
    const char *uri; /* "" when it has none */
    const struct source *source;
    const struct dialect *dialect;
    struct location *root;
    struct name_map names; /* of its marks */
    struct mark *marks;
    bool recursive;            /* `$recursiveAnchor` */
    struct resource *resource; /* what its nodes carry; NULL until the first is made */
};

/* A schema and where it stands. */
struct location {
    struct location *next;    /* in the order of the scan */
    struct location *waiting; /* in the order of compiling */
    yyjson_val *value;
    const struct location *parent; /* NULL for a source's root */
    const char *step;              /* the JSON pointer from the parent */
    size_t depth;
    bool may_switch; /* draft-04: it may be a boolean here */
    struct base *base;
    struct node *node; /* NULL until it is asked for */
};

struct document {
    struct haft_schema *schema;
    const struct haft_schema_options *options;
    haft_arena *scratch; /* all of this: gone when the schema stands */
    haft_reason *error;
    const struct dialect *dialect; /* of a source that names none */
    struct source *sources;
    struct base *bases;
    struct name_map by_uri;     /* to struct base */
    struct name_map by_value;   /* to struct location, by the address of the value */
    struct name_map by_dialect; /* to struct dialect, of metaschemas that are not built in */
    struct location *first, *last;
    struct location *first_waiting, *last_waiting;
};

/* ---- locations and errors (location.c) ---- */

/* Fills the error in with the JSON pointer of the keyword (NULL: of the schema itself) and returns
 * the code.  The path begins with the source's address, unless that is the document itself. */
int hf_document_fail(struct document *doc, const struct location *where, const char *keyword,
                     int code, const char *format, ...) HAFT_PRINTF_(5, 6);
int hf_document_no_memory(struct document *doc);
/* That path; "" for the document itself, or without memory. */
const char *hf_location_path(struct document *doc, const struct location *where,
                             const char *keyword);

struct location *hf_location_of(const struct document *doc, const yyjson_val *value);
/* The node of a location; it is filled in later, by hf_compile_waiting.  NULL with the error set. */
struct node *hf_location_node(struct document *doc, struct location *location);

/* ---- sources (source.c) ---- */

/* Adds one; NULL without memory. */
struct source *hf_source_add(struct document *doc, const char *uri, const char *text, size_t size);

/* The source of an address (NULL when there is none), and its value. */
int hf_source_find(struct document *doc, const char *uri, struct source **ret_source);
int hf_source_read(struct document *doc, struct source *source);

/* ---- the scan (scan.c) ---- */

int hf_scan_source(struct document *doc, struct source *source);

/* Adds a schema that the scan did not meet: a reference led into a keyword that is not known. */
int hf_scan_location(struct document *doc, const struct location *parent, const char *step,
                     yyjson_val *value, struct location **ret_location);

/* ---- dialects (document_dialect.c) ---- */

/* The dialect of a `$schema` that stands at the location (NULL: of the options). */
int hf_dialect_find(struct document *doc, const struct location *where, const char *text,
                    size_t size, const struct dialect **ret_dialect);

/* ---- references (ref.c) ---- */

/* Finds what a reference at the location leads to.  *ret_mark is the anchor it names, or NULL. */
int hf_reference_resolve(struct document *doc, const struct location *from, const char *keyword,
                         yyjson_val *reference, struct location **ret_to, struct mark **ret_mark);

/* ---- compiling (compile.c) ---- */

/* Fills in all nodes that have been asked for. */
int hf_compile_waiting(struct document *doc);

/* HAFT_ESCHEMA when a schema leads back to itself for the same value, so that a check never
 * ends. */
int hf_check_cycles(struct document *doc);

#endif
