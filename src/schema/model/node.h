/* schema/model/node.h - the compiled form, which every front end produces and every function on
 * schemas reads.
 *
 * A node is a set of rules grouped by what they apply to: the accepted JSON types, the ordered
 * checks of a scalar or a size, the shape of an object or an array, the accepted values, and the
 * logic that combines other nodes. That is JSON Schema's own model; Zod's schemas are a subset of
 * it, and a C struct is a node whose properties know their members. A node does not depend on the
 * front end that created it. Nodes are immutable once hf_schema_finish has run, and live in their
 * schema's arena. */
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

/* The number of type names in JSON Schema, where number precedes integer. */
enum { TYPE_NAMES = 7 };
size_t hf_type_names(unsigned types, const char *ret_names[TYPE_NAMES]);

/* How a value is stored in a C member; STORE_NONE for schemas without a C type. */
enum store {
    STORE_NONE,
    STORE_BOOLEAN, /* bool */
    STORE_INTEGER, /* int64_t */
    STORE_NUMBER,  /* double */
    STORE_STRING,  /* const char * */
    STORE_BYTES,   /* const unsigned char *, and a size_t at member.count */
    STORE_ENUM,    /* int, the index in node.values; with node.numbers, an integer of node.size
                 * bytes */
    STORE_STRUCT,  /* the struct itself */
    STORE_CHOICE,  /* int kind, and the case at the branch's member */
    STORE_ARRAY,   /* pointer to items, size_t at member.count */
    STORE_MAP,     /* pointer to values, keys at member.keys, size_t at member.count */
    STORE_JSON,    /* haft_value * */
    STORE_POINTER, /* pointer to the struct; NULL if absent */
    STORE_INLINE,  /* items inline, in node.size bytes; size_t at member.count, if there is one */
    /* Scalars narrower than their kind. */
    STORE_SIGNED,   /* signed integer of node.size bytes, fewer than int64_t */
    STORE_UNSIGNED, /* unsigned integer of node.size bytes, up to eight */
    STORE_FLOAT,    /* float */
    STORE_TEXT      /* char[node.size], NUL-terminated */
};

#define NO_MEMBER SIZE_MAX

/* Offsets in the struct that holds a value; NO_MEMBER if there is no such member. */
struct member {
    size_t offset; /* of x */
    size_t has;    /* of has_x */
    size_t null;   /* of null_x */
    size_t count;  /* of n_x or x_size */
    size_t keys;   /* of x_keys */
};

struct node;
struct haft_refinement;

/* A check. Checks run in order, each only on values of its type, and all of them report. */
enum check_op {
    CHECK_MIN_LENGTH, /* size; strings, in code points */
    CHECK_MAX_LENGTH,
    CHECK_LENGTH,
    CHECK_PATTERN,   /* pattern */
    CHECK_FORMAT,    /* format, with pattern if a pattern decides the format; size = 1 for base64
                     * that is decoded and so must be canonical */
    CHECK_STARTS,    /* text */
    CHECK_ENDS,      /* text */
    CHECK_INCLUDES,  /* text, starting at code point `size` */
    CHECK_CONTENT,   /* text = contentEncoding or NULL; size = 1 when contentMediaType is JSON */
    CHECK_MAX_BYTES, /* size in bytes of UTF-8; a text with more code points than that is reported
                      * as too long instead */
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
    CHECK_REFINE /* refine; any value that passed so far */
};

struct check {
    uint8_t op; /* enum check_op */
    bool exclusive;
    bool aborts;         /* later checks do not run if it fails */
    const char *message; /* custom message; NULL for the standard one */
    size_t size;
    const char *text;
    size_t text_size;
    yyjson_val bound, bound2; /* numbers, exactly as parsed */
    const struct pattern *pattern;
    const struct format *format;
    /* Checks the value (and the struct decoded from it, if any); adds issues through the
     * refinement. */
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
    bool demanded;        /* made required again: the issue is "expected nonoptional" */
    yyjson_val *fallback; /* default of PRESENCE_DEFAULT, or of a document's property */
    const char *header;   /* x-mcp-header; NULL if there is none */
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
    EXTRA_REJECT, /* issue: unrecognized_keys */
    EXTRA_IGNORE, /* passes, and the emitted schema permits it */
    EXTRA_CHECK   /* must match extra_node: catchall, additionalProperties, a record's values */
};

struct object {
    struct property *properties;
    size_t n_properties;
    uint32_t *slots; /* open-addressed hash index by name, value + 1; built by hf_schema_finish */
    size_t n_slots;  /* a power of two; 0 if there are few properties */
    uint8_t extra;   /* enum extra */
    bool simple;     /* has properties and no other rules; set by hf_schema_finish */
    bool record;     /* Zod's record: "expected record", invalid_key for an invalid name */
    const struct node *extra_node;
    const struct pattern_property *patterns;
    size_t n_patterns;
    const char *const *required; /* required names that are not among the properties */
    size_t n_required;
    const struct node *names; /* propertyNames */
    const struct dependent *dependents;
    size_t n_dependents;
    const struct node *unevaluated;
};

struct array {
    const struct node *const *prefix;
    size_t n_prefix;
    size_t n_required;        /* Zod's tuple: required items of the prefix */
    bool tuple;               /* Zod's tuple: "expected tuple", sizes are checked first */
    bool closed;              /* no item after the prefix */
    const struct node *items; /* items after the prefix; NULL accepts any */
    const struct node *contains;
    size_t min_contains, max_contains; /* default 1 and SIZE_MAX */
    bool contains_evaluates;           /* 2020-12: matching items are evaluated */
    const struct node *unevaluated;
};

enum rule_op {
    RULE_ALL,           /* nodes: all must match */
    RULE_ANY,           /* nodes: at least one must match */
    RULE_ONE,           /* nodes: exactly one must match */
    RULE_DISCRIMINATED, /* nodes: the one selected by the property `text` */
    RULE_NOT,           /* nodes[0] must not match */
    RULE_IF,            /* nodes[0] ? nodes[1] : nodes[2]; either of the last two may be NULL */
    RULE_REF,           /* nodes[0] */
    RULE_DYNAMIC_REF    /* nodes[0], or the outermost dynamic anchor `text` in scope */
};

struct rule {
    uint8_t op; /* enum rule_op */
    const struct node **nodes;
    size_t n_nodes;
    const char *text;       /* discriminator, or dynamic anchor */
    yyjson_val **tags;      /* RULE_DISCRIMINATED: an array of accepted values per node */
    struct member member;   /* STORE_CHOICE: the member for the case */
    struct member *members; /* the same for each node, if cases need not be structs; else NULL */
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

/* Annotations, which do not affect validation. */
struct meta {
    const char *name; /* name of the declared type, for $defs */
    const char *title, *description;
    yyjson_val *fallback; /* `default` */
    yyjson_val *examples; /* an array */
    bool deprecated, read_only, write_only;
    yyjson_val *extra; /* further members to emit */
};

/* The node's checks as bounds, for the fast path (quick.c). */
struct quick {
    uint8_t types;                                 /* bits by yyjson_type: supported types */
    uint8_t narrow;                                /* the same, stored in narrow members */
    bool reals;                                    /* numbers may be fractional */
    int64_t least, most;                           /* bounds of an integer */
    size_t least_bytes, most_bytes;                /* bounds of a string's size */
    size_t least_items, most_items;                /* bounds of an array's length */
    bool (*format)(const char *text, size_t size); /* format of a string; NULL for any */
    size_t size;                                   /* fixed size of strings of the format, or 0 */
};

struct node {
    uint8_t types;  /* enum json_type bits that are accepted */
    uint8_t store;  /* enum store */
    bool never;     /* accepts nothing */
    bool nullable;  /* accepts null without further checks */
    bool c_string;  /* U+0000 is an issue: the value is stored NUL-terminated */
    bool plain;     /* only types, structure and checks, which have a shorter code path; set by
                     * hf_schema_finish */
    bool list;      /* a list type: see `inner` */
    bool tracks;    /* an unevaluated* keyword depends on it: record what was evaluated */
    bool recursive; /* contains itself: emitted by reference */
    bool secret;    /* value must not appear in logs */
    uint32_t id;    /* consecutive, from 0; assigned by hf_schema_finish */
    /* Set by hf_schema_finish. */
    struct quick quick;
    size_t size;          /* size of the C value; stride of items */
    const char *expected; /* text of invalid_type; NULL to derive it from types */
    const char *message;  /* custom message of the type issue */
    struct check *checks;
    size_t n_checks;
    struct object *object;
    struct array *array;
    yyjson_val *values;     /* enum or const: a JSON array; NULL accepts any value */
    bool single;            /* `values` is a single constant */
    const int64_t *numbers; /* STORE_ENUM: C values of the enumerators; NULL if they are indexes */
    struct rule *rules;
    size_t n_rules;
    struct meta *meta;
    const struct resource *resource; /* resource in a document; NULL elsewhere */
    const struct node *as;           /* the declared type of which this is one use */
    struct member inner;             /* list type: its items and count */
    struct node *all;                /* list of the schema's nodes, newest first */
};

struct haft_schema {
    haft_arena *arena; /* owns everything */
    struct node *root;
    struct node *nodes; /* all nodes, linked by node.all */
    size_t n_nodes;
    struct pattern *patterns;
    /* The JSON Schema document, which is emitted as received; NULL for other front ends. */
    const char *document;
    size_t document_size;
    /* Location of an `x-mcp-header` in a document that is not reached through `properties` alone;
     * NULL if there is none. */
    const char *stray_header;
    int draft;    /* draft of the document: 4, 6, 7, 2019 or 2020 */
    bool typed;   /* has a C type, so haft_schema_decode and haft_schema_encode can be used */
    bool secrets; /* has a secret node; set by hf_schema_finish */
    bool headers; /* has a property that is also a header; set by hf_schema_finish */
    bool fills;   /* has defaults and no C type, so values are filled in; set by hf_schema_finish */
    bool refines; /* a refinement reads the C value, so validation decodes into scratch memory */
    /* Every part of a value is visited by a rule, so duplicate keys and depth are checked during
     * the walk. */
    bool covered;
    bool reads; /* values can be decoded directly from text (quick_text.c) */
    size_t max_depth, max_nodes, max_steps, max_issues;
    uint32_t pattern_steps;
};

/* ---- construction (schema.c) ---- */

/* Creates an empty schema with the limits of the options; NULL without memory. */
haft_schema *hf_schema_new(const haft_schema_options *options);

/* Creates a node that accepts everything and adds it to the schema; NULL without memory or beyond
 * max_nodes. */
struct node *hf_node_new(haft_schema *schema);

/* Adds a node that hf_node_new did not create; HAFT_ETOOBIG beyond max_nodes. */
int hf_node_adopt(haft_schema *schema, struct node *node);

/* Appends a copy of the check. Returns 0 or HAFT_ENOMEM. */
int hf_node_add_check(haft_schema *schema, struct node *node, const struct check *check);

/* Appends a rule over `n` nodes and returns it; NULL without memory. */
struct rule *hf_node_add_rule(haft_schema *schema, struct node *node, enum rule_op op,
                              const struct node *const *nodes, size_t n);

/* The node's meta, object or array, created on first use; NULL without memory. */
struct meta *hf_node_meta(haft_schema *schema, struct node *node);
struct object *hf_node_object(haft_schema *schema, struct node *node);
struct array *hf_node_array(haft_schema *schema, struct node *node);

/* Compiles a pattern, or finds that of the format, and appends the check. */
int hf_node_add_pattern(haft_schema *schema, struct node *node, const char *source, size_t size,
                        const char *flags, haft_reason *reterr_error);
int hf_node_add_format(haft_schema *schema, struct node *node, const struct format *format,
                       haft_reason *reterr_error);

/* Whether a minimum of the node is greater than a maximum (bounds.c). */
bool hf_node_bounds_cross(const struct node *node);
#define BOUNDS_CROSS "the minimum is greater than the maximum, so no value is valid"

/* Parses JSON into the schema's arena; NULL with *reterr_error filled in. */
yyjson_val *hf_schema_json(haft_schema *schema, const char *text, size_t size,
                           haft_reason *reterr_error);

#endif
