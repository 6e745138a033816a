/* schema/build/build.h - what the files of the builder share.
 *
 * A definition is a node, whether its key may be absent, and the builder it belongs to.  Nodes are
 * never changed once a definition shows them: a function that adds to one works on a copy, so
 * definitions may be shared.  Builder, definitions and nodes live in the arena of the schema that
 * they become; only the nodes that the root reaches are counted as the schema's, by haft_schema_build. */
#ifndef HAFT_SRC_BUILD_H
#define HAFT_SRC_BUILD_H

#include <haft/build.h>

#include "json/json.h"
#include "schema/model/node.h"

/* A definition that is given later.  All copies of its node refer to the node in `slot`. */
struct lazy {
    struct lazy *next;
    const struct node **slot; /* the nodes of the RULE_REF */
    const haft_def *resolved; /* NULL until then */
};

struct haft_builder {
    haft_schema *schema;
    struct lazy *lazies;
    haft_reason error; /* the first; code 0 for none */
};

struct haft_def {
    haft_builder *builder;
    struct node *node;
    uint8_t presence;     /* enum presence */
    bool native;          /* the first check is the type's own: z.int(), z.email() */
    yyjson_val *fallback; /* of PRESENCE_DEFAULT */
    struct lazy *lazy;    /* NULL for what is given already */
};

/* ---- build.c ---- */

/* The id of a node that is not counted yet. */
#define NO_ID UINT32_MAX

/* A node that accepts everything, not counted yet; NULL after a failure. */
struct node *hf_build_node(haft_builder *builder);

/* A definition of anything; NULL without a builder, without memory, or after a failure. */
haft_def *hf_def_new(haft_builder *builder);

/* The same definition; with a node of its own that may be changed, for the second. */
haft_def *hf_def_again(const haft_def *def);
haft_def *hf_def_copy(const haft_def *def);

/* Keep the first failure, and return NULL. */
void *hf_build_fail(haft_builder *builder, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);
void *hf_build_no_memory(haft_builder *builder);

/* Whether a definition may be used as part of another one: it is there, of the same builder, and
 * nothing has failed.  `path` says which part. */
bool hf_build_accepts(haft_builder *builder, const haft_def *part, const char *path);

/* A copy of text that must be UTF-8; memory that is cleared; JSON as a value.  NULL after a
 * failure. */
const char *hf_build_text(haft_builder *builder, const char *text, const char *path);
void *hf_build_room(haft_builder *builder, size_t count, size_t size);
yyjson_val *hf_build_json(haft_builder *builder, const char *json, const char *path);

/* "a string", "an array", ...: what a node is, for a sentence about it. */
const char *hf_node_kind(const struct node *node);

/* ---- value.c: rows of JSON values ---- */

/* An array of the items; NULL without memory.  Items that are given twice are refused. */
yyjson_val *hf_values_array(haft_builder *builder, yyjson_val *const *items, size_t n);

/* The object with one member more, or with that member's value replaced.  `object` may be NULL. */
yyjson_val *hf_values_member(haft_builder *builder, yyjson_val *object, const char *name,
                             yyjson_val *value);

struct value_list {
    yyjson_val **items;
    size_t n, capacity;
};

bool hf_values_add(haft_builder *builder, struct value_list *list, yyjson_val *value);

/* Appends the only values that fit the node: of an enum, a literal, null, or a union of those.  1
 * when there are such, 0 when not, HAFT_ENOMEM. */
int hf_values_of(haft_builder *builder, const struct node *node, struct value_list *list);

/* ---- union.c ---- */

/* Fills in what each option of a discriminated union is chosen by. */
int hf_discriminate(haft_builder *builder, const struct rule *rule, const char *path);

/* ---- finish.c ---- */

/* The node itself, or the one that it stands for when it is lazy and nothing else. */
struct node *hf_build_root(const haft_def *root);

/* Counts the nodes that the root reaches and completes what had to wait for all definitions. */
int hf_build_reach(haft_builder *builder, struct node *root);

#endif
