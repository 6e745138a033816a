/* schema/model/node.h - the compiled form: what every front end makes and every reading reads.
 *
 * A node is a set of rules sorted by what they apply to: the JSON types that may pass, the ordered
 * checks of a scalar or a size, the shape of an object or an array, the accepted values, and the
 * logic that joins other nodes.  That is JSON Schema's own model; Zod's schemas are a part of it,
 * and a C struct is a node whose properties know their members.  Nothing in it says which front end
 * made it.  Nodes are immutable once hf_schema_finish has run, and live in their schema's arena. */
#ifndef HAFT_SRC_NODE_H
#define HAFT_SRC_NODE_H

#include <haft/schema.h>
#include <yyjson.h>

#include "base/base.h"
#include "schema/text/format.h"
#include "schema/text/pattern.h"

enum json_type {
    TYPE_NULL = 1,
    TYPE_BOOLEAN = 2,
    TYPE_INTEGER = 4,
    TYPE_FRACTION = 8, /* a number with a fractional part */
    TYPE_STRING = 16,
    TYPE_ARRAY = 32,
    TYPE_OBJECT = 64,
    TYPE_NUMBER = TYPE_INTEGER | TYPE_FRACTION,
    TYPE_ANY = 127
};

/* The names of types in JSON Schema, number before integer; how many. */
enum { TYPE_NAMES = 7 };
size_t hf_type_names(unsigned types, const char *ret_names[TYPE_NAMES]);

/* How a value is kept in a C member; STORE_NONE for a schema that was not declared. */
enum store {
    STORE_NONE,
    STORE_BOOLEAN, /* bool */
    STORE_INTEGER, /* int64_t */
    STORE_NUMBER,  /* double */
    STORE_STRING,  /* const char * */
    STORE_BYTES,   /* const unsigned char *, and a size_t at member.count */
    STORE_ENUM, /* int, the index in node.values; with node.numbers an integer of node.size bytes */
    STORE_STRUCT,  /* the struct itself */
    STORE_CHOICE,  /* int kind, and the case at the branch's member */
    STORE_ARRAY,   /* pointer to items, size_t at member.count */
    STORE_MAP,     /* pointer to values, keys at member.keys, size_t at member.count */
    STORE_JSON,    /* haft_value * */
    STORE_POINTER, /* pointer to the struct; NULL when absent */
    STORE_INLINE, /* the items themselves, in node.size bytes; size_t at member.count, if anywhere */
    /* Scalars that are narrower than their kind; none of the above is. */
    STORE_SIGNED,   /* an integer of node.size bytes, fewer than an int64_t has */
    STORE_UNSIGNED, /* one without a sign, also of as many */
    STORE_FLOAT,    /* float */
    STORE_TEXT      /* char[node.size], NUL-terminated */
};

#define NO_MEMBER SIZE_MAX

/* Offsets in the struct that holds a value; NO_MEMBER where there is none. */
struct member {
    size_t offset; /* of x */
    size_t has;    /* of has_x */
    size_t null;   /* of null_x */
    size_t count;  /* of n_x or x_size */
    size_t keys;   /* of x_keys */
};

struct node;
struct haft_refinement;

/* One check.  They run in order, each only on values of its type, and all of them report. */
enum check_op {
    CHECK_MIN_LENGTH, /* size; strings, in code points */
    CHECK_MAX_LENGTH,
    CHECK_LENGTH,
    CHECK_PATTERN,  /* pattern */
    CHECK_FORMAT,   /* format, and pattern when the format is decided by one; size = 1 for base64
                       that is decoded and so must be canonical */
    CHECK_STARTS,   /* text */
    CHECK_ENDS,     /* text */
    CHECK_INCLUDES, /* text, from code point `size` on */
    CHECK_CONTENT,  /* text = contentEncoding or NULL; size = 1 when contentMediaType is JSON */
    CHECK_MAX_BYTES, /* size; of UTF-8.  A text of more code points than that is the length's to report */
    CHECK_MIN,       /* bound; numbers */
    CHECK_MAX,
    CHECK_MULTIPLE_OF,
    CHECK_INT_FORMAT, /* text = "safeint", "int32", ...: an integer within bound and bound2 */
    CHECK_FLOAT_FORMAT,
    CHECK_MIN_ITEMS, /* size; arrays */
    CHECK_MAX_ITEMS,
    CHECK_ITEMS,
    CHECK_UNIQUE,
    CHECK_MIN_PROPERTIES, /* size; objects */
    CHECK_MAX_PROPERTIES,
    CHECK_REFINE /* refine; any value that has passed so far */
};

struct check {
    uint8_t op; /* enum check_op */
    bool exclusive;
    bool aborts;         /* the checks after it do not run when it fails */
    const char *message; /* instead of the standard one; NULL for that */
    size_t size;
    const char *text;
    size_t text_size;
    yyjson_val bound, bound2; /* numbers, exact as they were read */
    const struct pattern *pattern;
    const struct format *format;
    /* Looks at the value (and the struct decoded from it, when there is one); adds issues through
     * the refinement. */
    void (*refine)(struct haft_refinement *refinement, const yyjson_val *json, const void *value,
                   void *data);
    void *refine_data;
};

enum presence { PRESENCE_REQUIRED, PRESENCE_OPTIONAL, PRESENCE_DEFAULT };

struct property {
    const char *name;
    size_t size;
    const struct node *node;
    uint8_t presence;     /* enum presence */
    bool demanded;        /* was optional once: absence is "expected nonoptional" */
    yyjson_val *fallback; /* of PRESENCE_DEFAULT, and of a document's property that has one */
    const char *header;   /* x-mcp-header; NULL when there is none */
    struct member member;
};

struct pattern_property {
    const struct pattern *pattern;
    const struct node *node;
};

/* dependentRequired, dependentSchemas and the older dependencies. */
struct dependent {
    const char *name;
    size_t size;
    const char *const *required;
    size_t n_required;
    const struct node *node; /* or NULL */
};

enum extra {
    EXTRA_REJECT, /* an issue: unrecognized_keys */
    EXTRA_IGNORE, /* passes, and is not advertised as an error */
    EXTRA_CHECK   /* must fit extra_node: catchall, additionalProperties, a record's values */
};

struct object {
    struct property *properties;
    size_t n_properties;
    uint32_t *slots; /* open-addressed index + 1 by hash of the name; made by hf_schema_finish */
    size_t n_slots;  /* a power of two; 0 when there are few properties */
    uint8_t extra;   /* enum extra */
    bool simple;     /* properties and nothing else to look at; made by hf_schema_finish */
    bool record;     /* Zod's record: "expected record", invalid_key for a bad name */
    const struct node *extra_node;
    const struct pattern_property *patterns;
    size_t n_patterns;
    const char *const *required; /* names that are required and not among the properties */
    size_t n_required;
    const struct node *names; /* propertyNames */
    const struct dependent *dependents;
    size_t n_dependents;
    const struct node *unevaluated;
};

struct array {
    const struct node *const *prefix;
    size_t n_prefix;
    size_t n_required;        /* Zod's tuple: how many of the prefix must be there */
    bool tuple;               /* Zod's tuple: "expected tuple", sizes checked first */
    bool closed;              /* no item after the prefix */
    const struct node *items; /* the items after the prefix; NULL for any */
    const struct node *contains;
    size_t min_contains, max_contains; /* 1 and SIZE_MAX unless said otherwise */
    bool contains_evaluates;           /* 2020-12: what matched counts as evaluated */
    const struct node *unevaluated;
};

enum rule_op {
    RULE_ALL,           /* nodes: every one */
    RULE_ANY,           /* nodes: at least one */
    RULE_ONE,           /* nodes: exactly one */
    RULE_DISCRIMINATED, /* nodes: the one whose `text` property has the value */
    RULE_NOT,           /* nodes[0] must not */
    RULE_IF,            /* nodes[0] ? nodes[1] : nodes[2]; either of the last two may be NULL */
    RULE_REF,           /* nodes[0] */
    RULE_DYNAMIC_REF    /* nodes[0], or the outermost dynamic anchor `text` in scope */
};

struct rule {
    uint8_t op; /* enum rule_op */
    const struct node **nodes;
    size_t n_nodes;
    const char *text;       /* the discriminator, or the dynamic anchor */
    yyjson_val **tags;      /* RULE_DISCRIMINATED: one array of accepted values a node */
    struct member member;   /* STORE_CHOICE: where the case is */
    struct member *members; /* the same of each node, where cases need not be structs; else NULL */
};

/* Dynamic anchors of a schema resource ($id); 2019-09's $recursiveAnchor is one named "". */
struct anchor {
    const char *name;
    const struct node *node;
};

struct resource {
    const char *uri;
    struct anchor *anchors;
    size_t n_anchors;
};

/* What is said about a value and does not decide whether it passes. */
struct meta {
    const char *name; /* of the declared type, for $defs */
    const char *title, *description;
    yyjson_val *fallback; /* `default` */
    yyjson_val *examples; /* an array */
    bool deprecated, read_only, write_only;
    yyjson_val *extra; /* an object of further members, as they are advertised */
};

/* What the fast lane (quick.c) asks of a value: the node's checks, as bounds of what passes. */
struct quick {
    uint8_t types;                                 /* bits by yyjson_type: what it decides */
    uint8_t narrow;                                /* the same, kept in a member that is narrow */
    bool reals;                                    /* numbers need not be integers */
    int64_t least, most;                           /* of an integer */
    size_t least_bytes, most_bytes;                /* of a string */
    size_t least_items, most_items;                /* of an array */
    bool (*format)(const char *text, size_t size); /* of a string; NULL for any */
    size_t size;                                   /* that all of the format are of, or 0 */
};

struct node {
    uint8_t types;  /* enum json_type bits that pass */
    uint8_t store;  /* enum store */
    bool never;     /* nothing passes */
    bool nullable;  /* null passes without a further look */
    bool c_string;  /* U+0000 is an issue: the value is kept NUL-terminated */
    bool plain;     /* types, structure and checks only: the short way; made by hf_schema_finish */
    bool list;      /* it is a list type: see `inner` */
    bool tracks;    /* an unevaluated* hangs on it: keep what has been evaluated */
    bool recursive; /* reached through itself: emitted by reference */
    bool secret;    /* its value is not to be written down */
    uint32_t id;    /* dense, from 0; made by hf_schema_finish */
    /* Made by hf_schema_finish. */
    struct quick quick;
    size_t size;          /* of the C value; an item's stride */
    const char *expected; /* what invalid_type says; NULL to derive it from types */
    const char *message;  /* instead of the standard sentence of the type issue */
    struct check *checks;
    size_t n_checks;
    struct object *object;
    struct array *array;
    yyjson_val *values;     /* enum or const: a JSON array; NULL when any value does */
    bool single;            /* `values` is one constant */
    const int64_t *numbers; /* STORE_ENUM: what the values are in C; NULL: their indexes */
    struct rule *rules;
    size_t n_rules;
    struct meta *meta;
    const struct resource *resource; /* where it stands in a document; NULL elsewhere */
    const struct node *as;           /* it is this declared type, in one place where it is used */
    struct member inner; /* of a list type: where its items and their count are inside it */
    struct node *all;    /* the schema's list of nodes, newest first */
};

struct haft_schema {
    haft_arena *arena; /* all of it */
    struct node *root;
    struct node *nodes; /* all of them, by node.all */
    size_t n_nodes;
    struct pattern *patterns;
    /* A JSON Schema document is advertised as it came; NULL when made otherwise. */
    const char *document;
    size_t document_size;
    /* Where a document has an `x-mcp-header` that `properties` alone do not lead to; NULL: nowhere. */
    const char *stray_header;
    int draft;    /* the document's: 4, 6, 7, 2019 or 2020 */
    bool typed;   /* it has a C type: haft_schema_decode and haft_schema_encode may be used */
    bool secrets; /* a node is secret; made by hf_schema_finish */
    bool headers; /* a property is also a header; made by hf_schema_finish */
    bool
        fills; /* it has defaults and no C type, so values are filled in; made by hf_schema_finish */
    bool refines; /* a refinement reads the C value: validation decodes into scratch */
    /* Every part of a value is met by a rule, so keys and depth are seen on the way. */
    bool covered;
    bool reads; /* values can be taken from their text (quick_text.c) */
    size_t max_depth, max_nodes, max_steps, max_issues;
    uint32_t pattern_steps;
};

/* ---- making one (schema.c) ---- */

/* An empty schema with the options' limits; NULL without memory. */
haft_schema *hf_schema_new(const haft_schema_options *options);

/* A node that accepts everything, counted; NULL without memory or past max_nodes. */
struct node *hf_node_new(haft_schema *schema);

/* Counts a node of the schema's arena that hf_node_new did not make; HAFT_ETOOBIG past max_nodes. */
int hf_node_adopt(haft_schema *schema, struct node *node);

/* Appends a copy of the check; HAFT_ENOMEM. */
int hf_node_add_check(haft_schema *schema, struct node *node, const struct check *check);

/* Appends a rule over `n` nodes and returns it; NULL without memory. */
struct rule *hf_node_add_rule(haft_schema *schema, struct node *node, enum rule_op op,
                              const struct node *const *nodes, size_t n);

/* The node's meta, object or array, made when it has none yet; NULL without memory. */
struct meta *hf_node_meta(haft_schema *schema, struct node *node);
struct object *hf_node_object(haft_schema *schema, struct node *node);
struct array *hf_node_array(haft_schema *schema, struct node *node);

/* Compiles a pattern or finds the format's, and appends the check. */
int hf_node_add_pattern(haft_schema *schema, struct node *node, const char *source, size_t size,
                        const char *flags, haft_reason *reterr_error);
int hf_node_add_format(haft_schema *schema, struct node *node, const struct format *format,
                       haft_reason *reterr_error);

/* Whether a minimum of the node is greater than a maximum (bounds.c). */
bool hf_node_bounds_cross(const struct node *node);
#define BOUNDS_CROSS "the minimum is greater than the maximum, so no value is valid"

/* JSON text as a value in the schema's arena; NULL with *reterr_error filled in. */
yyjson_val *hf_schema_json(haft_schema *schema, const char *text, size_t size,
                           haft_reason *reterr_error);

#endif
