/* schema/build/build.h - the internal interface of the schema builder.
 *
 * A definition consists of a node, whether its key may be absent, and its builder. A node is
 * immutable once a definition uses it: functions that add to a definition copy the node, so
 * definitions can be shared. Builder, definitions and nodes live in the arena of the schema being
 * built; haft_schema_build adds to the schema only the nodes reachable from the root. */
#ifndef HAFT_SRC_BUILD_H
#define HAFT_SRC_BUILD_H

#include <haft/build.h>

#include "json/json.h"
#include "schema/model/node.h"

/* A definition that is resolved later. All copies of its node refer to the node in `slot`. */
struct lazy {
    struct lazy *next;
    const struct node **slot; /* nodes of the RULE_REF */
    const haft_def *resolved; /* NULL until resolved */
};

struct haft_builder {
    haft_schema *schema;
    struct lazy *lazies;
    haft_reason error; /* first error; code 0 if none */
};

struct haft_def {
    haft_builder *builder;
    struct node *node;
    uint8_t presence;     /* enum presence */
    bool native;          /* the first check belongs to the type itself: z.int(), z.email() */
    yyjson_val *fallback; /* value of PRESENCE_DEFAULT */
    struct lazy *lazy;    /* NULL unless the definition is lazy */
};

/* ---- build.c ---- */

/* The id of a node that is not part of the schema yet. */
#define NO_ID UINT32_MAX

/* Creates a node that accepts everything and is not part of the schema yet. Returns NULL after a
 * failure. */
struct node *hf_build_node(haft_builder *builder);

/* Creates a definition that accepts everything. Returns NULL without a builder, without memory, or
 * after a failure. */
haft_def *hf_def_new(haft_builder *builder);

/* Copies a definition; the second function also copies its node, for modification. */
haft_def *hf_def_again(const haft_def *def);
haft_def *hf_def_copy(const haft_def *def);

/* Records the first failure and returns NULL. */
void *hf_build_fail(haft_builder *builder, int code, const char *path, const char *format, ...)
    HAFT_PRINTF_(4, 5);
void *hf_build_no_memory(haft_builder *builder);

/* Whether a definition may be part of another one: it is not NULL, has the same builder, and
 * nothing has failed. `path` names the part in the error. */
bool hf_build_accepts(haft_builder *builder, const haft_def *part, const char *path);

/* Copies text, which must be UTF-8; allocates zeroed memory; parses JSON. All return NULL after a
 * failure. */
const char *hf_build_text(haft_builder *builder, const char *text, const char *path);
void *hf_build_room(haft_builder *builder, size_t count, size_t size);
yyjson_val *hf_build_json(haft_builder *builder, const char *json, const char *path);

/* The kind of a node for error messages: "a string", "an array", ... */
const char *hf_node_kind(const struct node *node);

/* ---- value.c: arrays of JSON values ---- */

/* Creates an array of the items; NULL without memory. Duplicate items are rejected. */
yyjson_val *hf_values_array(haft_builder *builder, yyjson_val *const *items, size_t n);

/* Copies the object with a member added or replaced. `object` may be NULL. */
yyjson_val *hf_values_member(haft_builder *builder, yyjson_val *object, const char *name,
                             yyjson_val *value);

struct value_list {
    yyjson_val **items;
    size_t n, capacity;
};

bool hf_values_add(haft_builder *builder, struct value_list *list, yyjson_val *value);

/* Appends the only values that a node accepts: those of an enum, a literal, null, or a union of
 * these. Returns 1 if there are such, 0 if not, or HAFT_ENOMEM. */
int hf_values_of(haft_builder *builder, const struct node *node, struct value_list *list);

/* ---- union.c ---- */

/* Determines the tags that select each option of a discriminated union. */
int hf_discriminate(haft_builder *builder, const struct rule *rule, const char *path);

/* ---- finish.c ---- */

/* Returns the node, or its target if it is nothing but a lazy reference. */
struct node *hf_build_root(const haft_def *root);

/* Adds the nodes reachable from the root to the schema and completes what required all
 * definitions. */
int hf_build_reach(haft_builder *builder, struct node *root);

#endif
