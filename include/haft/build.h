/* haft/build.h - schemas made at run time, with Zod's vocabulary.
 *
 *     haft_builder *b = haft_builder_new(NULL);
 *     haft_def *user = haft_def_object(b,
 *         "name",  haft_def_min_length(haft_def_string(b), 1),
 *         "email", haft_def_formatted(b, HAFT_FORMAT_EMAIL),
 *         "age",   haft_def_optional(haft_def_at_least(haft_def_int(b), 0)),
 *         NULL);
 *     int status = haft_schema_build(b, user, &schema, &error);
 *
 * Every function returns a new definition and leaves its argument as it was, so a definition may be
 * used in several places.  Definitions belong to their builder; texts are copied.  The first
 * failure (no memory, a pattern that does not compile, a rule that does not fit its type) is kept
 * by the builder and comes out of haft_schema_build; until then a failed definition is NULL, and every
 * function takes NULL and gives NULL. */
#ifndef HAFT_BUILD_H
#define HAFT_BUILD_H

#include <haft/format.h>
#include <haft/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define HAFT_SENTINEL_ __attribute__((sentinel))
#else
#define HAFT_SENTINEL_
#endif

typedef struct haft_builder haft_builder;
typedef struct haft_def haft_def;

/* Limits and allocator are the options'; NULL for the defaults.  NULL without memory. */
haft_builder *haft_builder_new(const haft_schema_options *options);
void haft_builder_free(haft_builder *builder);

/* Compiles `root` and frees the builder with all its definitions, whether it succeeds or not. */
int haft_schema_build(haft_builder *builder, haft_def *root, haft_schema **ret_schema,
                      haft_reason *reterr_error);

/* ---- scalars ---- */
haft_def *haft_def_string(haft_builder *builder);
haft_def *haft_def_formatted(haft_builder *builder, haft_format format); /* z.email() ... */
haft_def *haft_def_number(haft_builder *builder);
haft_def *haft_def_int(haft_builder *builder); /* z.int(): within 2^53 - 1 */
haft_def *haft_def_int32(haft_builder *builder);
haft_def *haft_def_uint32(haft_builder *builder);
haft_def *haft_def_int64(haft_builder *builder);
haft_def *haft_def_uint64(haft_builder *builder);
haft_def *haft_def_float32(haft_builder *builder);
haft_def *haft_def_float64(haft_builder *builder);
haft_def *haft_def_boolean(haft_builder *builder);
haft_def *haft_def_null(haft_builder *builder);
haft_def *haft_def_any(haft_builder *builder);
haft_def *haft_def_never(haft_builder *builder);

/* Values as JSON text: haft_def_literal(b, "5"), haft_def_literals(b, "[\"a\", 1, null]"). */
haft_def *haft_def_literal(haft_builder *builder, const char *json);
haft_def *haft_def_literals(haft_builder *builder, const char *json_array);
haft_def *haft_def_enum(haft_builder *builder, const char *first, ...) HAFT_SENTINEL_;

/* ---- rules of strings ---- */
haft_def *haft_def_min_length(haft_def *def, size_t length);
haft_def *haft_def_max_length(haft_def *def, size_t length);
haft_def *haft_def_length(haft_def *def, size_t length);
haft_def *haft_def_pattern(haft_def *def, const char *pattern, const char *flags);
haft_def *haft_def_starts_with(haft_def *def, const char *text);
haft_def *haft_def_ends_with(haft_def *def, const char *text);
haft_def *haft_def_includes(haft_def *def, const char *text, size_t from);
haft_def *haft_def_format(haft_def *def, haft_format format); /* z.string().email() ... */

/* ---- rules of numbers ---- */
haft_def *haft_def_at_least(haft_def *def, double bound);
haft_def *haft_def_at_most(haft_def *def, double bound);
haft_def *haft_def_above(haft_def *def, double bound);
haft_def *haft_def_below(haft_def *def, double bound);
haft_def *haft_def_multiple_of(haft_def *def, double divisor);
/* Bounds that a double cannot hold. */
haft_def *haft_def_at_least_int64(haft_def *def, int64_t bound);
haft_def *haft_def_at_most_int64(haft_def *def, int64_t bound);

/* ---- arrays, tuples, records ---- */
haft_def *haft_def_array(haft_builder *builder, haft_def *item);
haft_def *haft_def_min_items(haft_def *def, size_t count);
haft_def *haft_def_max_items(haft_def *def, size_t count);
haft_def *haft_def_items(haft_def *def, size_t count);
haft_def *haft_def_unique(haft_def *def);
/* `rest` may be NULL: nothing follows. */
haft_def *haft_def_tuple(haft_builder *builder, haft_def *rest, haft_def *first, ...)
    HAFT_SENTINEL_;
haft_def *haft_def_record(haft_builder *builder, haft_def *key, haft_def *value);
/* As record, but the keys of an enum need not all be there. */
haft_def *haft_def_partial_record(haft_builder *builder, haft_def *key, haft_def *value);

/* ---- objects ---- */
/* Names and definitions in turn.  Unknown keys are an issue unless relaxed below. */
haft_def *haft_def_object(haft_builder *builder, ...) HAFT_SENTINEL_;
haft_def *haft_def_strict(haft_def *object); /* unknown keys: an issue */
haft_def *haft_def_loose(haft_def *object);  /* unknown keys: pass */
haft_def *haft_def_catchall(haft_def *object, haft_def *value);
haft_def *haft_def_extend(haft_def *object, ...) HAFT_SENTINEL_;
haft_def *haft_def_merge(haft_def *object, haft_def *other);
haft_def *haft_def_pick(haft_def *object, const char *first, ...) HAFT_SENTINEL_;
haft_def *haft_def_omit(haft_def *object, const char *first, ...) HAFT_SENTINEL_;
haft_def *haft_def_partial(haft_def *object);
haft_def *haft_def_required(haft_def *object);
haft_def *haft_def_keyof(haft_def *object);

/* ---- alternatives ---- */
haft_def *haft_def_union(haft_builder *builder, haft_def *first, ...) HAFT_SENTINEL_;
haft_def *haft_def_xor(haft_builder *builder, haft_def *first, ...) HAFT_SENTINEL_;
haft_def *haft_def_discriminated(haft_builder *builder, const char *key, haft_def *first, ...)
    HAFT_SENTINEL_;
/* A key is unknown when it is to both sides. */
haft_def *haft_def_intersection(haft_def *left, haft_def *right);

/* A definition that is given later, for one that contains itself. */
haft_def *haft_def_lazy(haft_builder *builder);
void haft_def_resolve(haft_def *lazy, haft_def *def);

/* ---- presence, words, checks ---- */
haft_def *haft_def_optional(haft_def *def);
haft_def *haft_def_nullable(haft_def *def);
haft_def *haft_def_nullish(haft_def *def);
haft_def *haft_def_default(haft_def *def, const char *json);
haft_def *haft_def_describe(haft_def *def, const char *text);
haft_def *haft_def_title(haft_def *def, const char *text);
haft_def *haft_def_examples(haft_def *def, const char *json_array);
haft_def *haft_def_deprecated(haft_def *def);
haft_def *haft_def_read_only(haft_def *def);
/* Not to be written down: writeOnly, and "***" in the audit. */
haft_def *haft_def_secret(haft_def *def);
/* Any further member, as it is advertised. */
haft_def *haft_def_meta(haft_def *def, const char *key, const char *json);
/* Instead of the standard sentence of the latest check, or of the type when there is none yet; a
 * type's is also that of the checks after it that have none of their own. */
haft_def *haft_def_message(haft_def *def, const char *text);
/* A check of the user's: true passes.  `message` NULL for "Invalid input". */
haft_def *haft_def_refine(haft_def *def, bool (*check)(const haft_value *value, void *data),
                          void *data, const char *message);
/* One that adds its own issues with haft_refinement_add_issue. */
haft_def *haft_def_super_refine(haft_def *def,
                                void (*check)(haft_refinement *refinement, const haft_value *value,
                                              void *data),
                                void *data);

#ifdef __cplusplus
}
#endif
#endif
