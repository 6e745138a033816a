/* schema/walk/walk.h - one pass over a value, guided by its node: validates, and decodes if there
 * is a struct.
 *
 * A walk applies the rules of one node to a value. It returns a verdict and, unless it is quiet,
 * adds an issue for every violation. With a place, it also stores the value in the C member that
 * the node was declared for. */
#ifndef HAFT_SRC_WALK_H
#define HAFT_SRC_WALK_H

#include "json/json.h"
#include "schema/model/node.h"

/* The result of a walk; verdicts of parts are ORed. As in Zod, a type mismatch aborts: later checks
 * are skipped. An explicit abort also skips the checks of sizes. */
enum verdict { PASS = 0, FAIL = 1, ABORT = 3, ABORT_ALL = 7 };

/* The path from the root to a value, on the C stack. */
struct path {
    const struct path *up;
    const char *key; /* NULL for an index */
    size_t index;
};

/* The schema resources entered so far, for $dynamicRef. */
struct scope {
    const struct scope *up;
    const struct resource *resource;
};

/* Which properties (by position) or items have been evaluated, for unevaluated*. */
struct seen {
    uint64_t *bits;
    size_t n;
};

struct walk {
    const haft_schema *schema;
    haft_arena *arena;
    haft_issues *issues; /* NULL: quiet, only the verdict matters and the first failure ends the
                          * walk */
    struct pattern_scratch scratch;
    const struct scope *scope;
    size_t steps;  /* remaining */
    size_t depth;  /* of the value */
    size_t frames; /* of the C stack */
    int status;    /* HAFT_ENOMEM, HAFT_ESTEPS or HAFT_EDEPTH: the walk must stop */
};

/* Where a decoded value is stored: in the struct at `base`, at the member's offsets. If `base` is
 * NULL, it is not stored. */
struct place {
    char *base;
    const struct member *member;
};

#define NOWHERE ((struct place){NULL, NULL})

/* The member of a case, relative to the struct that contains the choice at `offset`. */
static inline struct member hf_member_inside(const struct member *member, size_t offset)
{
    struct member inside = *member;

    inside.offset += offset;
    inside.count += inside.count == NO_MEMBER ? 0 : offset;
    inside.keys += inside.keys == NO_MEMBER ? 0 : offset;
    return inside;
}

/* Visits `value` (NULL: absent, JavaScript's undefined).  `seen` may be NULL. */
unsigned hf_walk(struct walk *w, const struct node *node, yyjson_val *value, const struct path *at,
                 struct seen *seen, struct place place);

unsigned hf_walk_object(struct walk *w, const struct node *node, yyjson_val *value,
                        const struct path *at, struct seen *seen, struct place place);
unsigned hf_walk_array(struct walk *w, const struct node *node, yyjson_val *value,
                       const struct path *at, struct seen *seen, struct place place);
unsigned hf_walk_rules(struct walk *w, const struct node *node, yyjson_val *value,
                       const struct path *at, struct seen *seen, struct place place);

/* Runs the checks in order. `verdict` is the verdict so far; `size` is the number of an array's
 * items or an object's properties. Returns the combined verdict. */
unsigned hf_walk_checks(struct walk *w, const struct node *node, yyjson_val *value,
                        const struct path *at, unsigned verdict, size_t size, struct place place);

/* A walk that reports nothing and stores nothing. */
unsigned hf_walk_quiet(struct walk *w, const struct node *node, yyjson_val *value,
                       const struct path *at, struct seen *seen);

/* The index of the option that accepts the tag; n_nodes if there is none. */
size_t hf_walk_find_tagged(struct walk *w, const struct rule *rule, yyjson_val *tag);

/* The dynamic anchor of that name in the outermost resource in scope that has one. */
const struct node *hf_walk_find_dynamic(const struct walk *w, const struct rule *rule);

/* Finds a property by name; NULL if there is none. */
const struct property *hf_object_property(const struct object *object, const char *name,
                                          size_t size);

/* Performs a walk for the public functions: sets *issues and returns the overall status. */
int hf_walk_run(const haft_schema *schema, const struct node *node, yyjson_val *value,
                haft_arena *arena, struct place place, haft_issues *issues);

/* The status of a finished walk. An error that stopped it replaces the issues found so far. */
int hf_walk_finish(struct walk *w, unsigned verdict);

/* Stops the walk with a status: all further verdicts are failures. */
unsigned hf_walk_stop(struct walk *w, int status);

/* ---- evaluated members (walk_seen.c) ---- */

/* Creates an empty set for the members of a container, in the walk's arena. */
bool hf_seen_init(struct walk *w, struct seen *seen, const yyjson_val *value);
bool hf_seen_copy(struct walk *w, struct seen *to, const struct seen *from);
void hf_seen_merge(struct seen *to, const struct seen *from);

static inline void seen_add(struct seen *seen, size_t i)
{
    if (seen && i < seen->n)
        seen->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static inline bool seen_has(const struct seen *seen, size_t i)
{
    return i < seen->n && (seen->bits[i / 64] >> i % 64 & 1);
}

/* ---- issues (report.c) ---- */

/* Each adds one issue and returns its verdict, and does nothing if the walk is quiet. */
COLD unsigned hf_report_type(struct walk *w, const struct path *at, const struct node *node,
                             const char *expected, const char *format, const yyjson_val *value,
                             unsigned verdict);
COLD unsigned hf_report_value(struct walk *w, const struct path *at, const struct node *node);
COLD unsigned hf_report_size(struct walk *w, const struct path *at, const struct check *check,
                             const char *origin, bool big, bool exact);
COLD unsigned hf_report_bound(struct walk *w, const struct path *at, const struct check *check,
                              const yyjson_val *bound, const char *origin, bool big,
                              const char *note);
COLD unsigned hf_report_multiple(struct walk *w, const struct path *at, const struct check *check);
COLD unsigned hf_report_format(struct walk *w, const struct path *at, const struct check *check);
COLD unsigned hf_report_keys(struct walk *w, const struct path *at, const struct object *object,
                             yyjson_val **keys, size_t n);
COLD unsigned hf_report_key(struct walk *w, const struct path *at, const char *origin,
                            const haft_issues *issues);
COLD unsigned hf_report_duplicate(struct walk *w, const struct path *at, yyjson_val *key);
unsigned hf_report_union(struct walk *w, const struct path *at, const haft_issues *branches,
                         size_t n);
COLD unsigned hf_report_overlap(struct walk *w, const struct path *at);
COLD unsigned hf_report_discriminator(struct walk *w, const struct path *at,
                                      const struct rule *rule);
COLD unsigned hf_report_custom(struct walk *w, const struct path *at, const char *message,
                               unsigned verdict);

/* Sets a custom message for the last issue, if there is one. */
COLD void hf_report_message(struct walk *w, const char *message);

/* The same with a note and the pattern that it refers to. */
COLD void hf_report_note(struct walk *w, const char *note, const char *pattern);

/* Appends the issues of a part of the walk; HAFT_ENOMEM stops the walk. */
void hf_issues_append(struct walk *w, const haft_issues *from);

/* "string", "number", "null", "undefined", ... */
const char *hf_json_type_name(const yyjson_val *value);

#endif
