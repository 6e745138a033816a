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
 * Every function returns a new definition and leaves its argument unchanged, so a definition can be
 * used in several places.  Definitions belong to their builder; strings are copied.  The builder
 * keeps the first error (no memory, a pattern that does not compile, a rule that the type does not
 * have), and haft_schema_build returns it.  Until then a failed definition is NULL, and every
 * function that gets NULL returns NULL.
 *
 * A builder may be used by one thread at a time. */
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

/* A builder, which owns definitions. */
typedef struct haft_builder haft_builder;
/* A definition: a part of a schema. */
typedef struct haft_def haft_def;

/* Creates a builder with the limits and the allocator of the options (NULL: defaults), and frees
 * one that was not built. haft_builder_new returns NULL if memory runs out. haft_builder_free
 * accepts NULL. */
haft_builder *haft_builder_new(const haft_schema_options *options);
void haft_builder_free(haft_builder *builder);

/* Compiles the definition `root`, and frees the builder with all definitions, on success and on
 * failure.  Returns 0 and a schema that the caller frees, or an error with the reason in
 * *reterr_error (which may be NULL). */
int haft_schema_build(haft_builder *builder, haft_def *root, haft_schema **ret_schema,
                      haft_reason *reterr_error);

/* ---- scalars ---- */
/* Define a scalar.  Integers are JSON numbers without a fraction; those of 32 and 64 bits have the
 * range of the C type. */
haft_def *haft_def_string(haft_builder *builder);
haft_def *haft_def_formatted(haft_builder *builder, haft_format format); /* z.email(), ... */
haft_def *haft_def_number(haft_builder *builder); /* z.number(): any finite number */
haft_def *haft_def_int(haft_builder *builder);    /* z.int(): from -(2^53 - 1) to 2^53 - 1 */
haft_def *haft_def_int32(haft_builder *builder);
haft_def *haft_def_uint32(haft_builder *builder);
haft_def *haft_def_int64(haft_builder *builder);
haft_def *haft_def_uint64(haft_builder *builder);
haft_def *haft_def_float32(haft_builder *builder);
haft_def *haft_def_float64(haft_builder *builder);
haft_def *haft_def_boolean(haft_builder *builder);
haft_def *haft_def_null(haft_builder *builder);
haft_def *haft_def_any(haft_builder *builder);   /* z.any(): every value */
haft_def *haft_def_never(haft_builder *builder); /* z.never(): no value */

/* Define one or more constants, as JSON text: haft_def_literal(b, "5"), haft_def_literals(b,
 * "[\"a\", 1, null]"). haft_def_enum takes strings, ending with NULL. */
haft_def *haft_def_literal(haft_builder *builder, const char *json);
haft_def *haft_def_literals(haft_builder *builder, const char *json_array);
haft_def *haft_def_enum(haft_builder *builder, const char *first, ...) HAFT_SENTINEL_;

/* ---- rules for strings ---- */
/* Add a rule to a string.  Lengths are in code points.  The pattern is a regular expression of
 * ECMA-262 with its flags ("iu"; NULL for none). haft_def_includes searches from code point
 * `from`. */
haft_def *haft_def_min_length(haft_def *def, size_t length);
haft_def *haft_def_max_length(haft_def *def, size_t length);
haft_def *haft_def_length(haft_def *def, size_t length);
haft_def *haft_def_pattern(haft_def *def, const char *pattern, const char *flags);
haft_def *haft_def_starts_with(haft_def *def, const char *text);
haft_def *haft_def_ends_with(haft_def *def, const char *text);
haft_def *haft_def_includes(haft_def *def, const char *text, size_t from);
haft_def *haft_def_format(haft_def *def, haft_format format); /* z.string().email(), ... */

/* ---- rules for numbers ---- */
/* Add a rule to a number: a minimum, a maximum, a bound that the number must be greater or less
 * than, or a divisor. */
haft_def *haft_def_at_least(haft_def *def, double bound);
haft_def *haft_def_at_most(haft_def *def, double bound);
haft_def *haft_def_above(haft_def *def, double bound);
haft_def *haft_def_below(haft_def *def, double bound);
haft_def *haft_def_multiple_of(haft_def *def, double divisor);
/* Add a minimum or a maximum that a double cannot represent. */
haft_def *haft_def_at_least_int64(haft_def *def, int64_t bound);
haft_def *haft_def_at_most_int64(haft_def *def, int64_t bound);

/* ---- arrays, tuples, records ---- */
/* Define an array whose items match `item`, or add a rule to an array: a minimum, maximum or exact
 * number of items, or that no two items are equal. */
haft_def *haft_def_array(haft_builder *builder, haft_def *item);
haft_def *haft_def_min_items(haft_def *def, size_t count);
haft_def *haft_def_max_items(haft_def *def, size_t count);
haft_def *haft_def_items(haft_def *def, size_t count);
haft_def *haft_def_unique(haft_def *def);
/* Define a tuple or a record.  The items of a tuple are listed, ending with NULL; further items
 * match `rest`, which is NULL if there are none.  A record is an object whose keys and values match
 * two definitions. */
haft_def *haft_def_tuple(haft_builder *builder, haft_def *rest, haft_def *first, ...)
    HAFT_SENTINEL_;
haft_def *haft_def_record(haft_builder *builder, haft_def *key, haft_def *value);
/* Defines a record.  Unlike with haft_def_record, the keys of an enum may be absent. */
haft_def *haft_def_partial_record(haft_builder *builder, haft_def *key, haft_def *value);

/* ---- objects ---- */
/* Define or change an object. haft_def_object and haft_def_extend take names and definitions in
 * turn, ending with NULL.  Unknown keys are issues unless the object is loose or has a
 * catch-all. */
haft_def *haft_def_object(haft_builder *builder, ...) HAFT_SENTINEL_;
haft_def *haft_def_strict(haft_def *object); /* unknown keys are issues (the default) */
haft_def *haft_def_loose(haft_def *object);  /* unknown keys are accepted */
haft_def *haft_def_catchall(haft_def *object,
                            haft_def *value); /* unknown keys must match `value` */
haft_def *haft_def_extend(haft_def *object, ...) HAFT_SENTINEL_; /* adds or replaces members */
haft_def *haft_def_merge(haft_def *object,
                         haft_def *other); /* adds or replaces the members of another object */
haft_def *haft_def_pick(haft_def *object, const char *first, ...)
    HAFT_SENTINEL_; /* keeps only the named members */
haft_def *haft_def_omit(haft_def *object, const char *first, ...)
    HAFT_SENTINEL_;                            /* removes the named members */
haft_def *haft_def_partial(haft_def *object);  /* makes all members optional */
haft_def *haft_def_required(haft_def *object); /* makes all members required */
haft_def *haft_def_keyof(haft_def *object);    /* an enum of the names of the members */

/* ---- alternatives ---- */
/* Define alternatives, ending with NULL.  A union accepts a value that matches at least one of
 * them; an xor accepts a value that matches exactly one; in a discriminated union the value of
 * `key` selects the alternative. */
haft_def *haft_def_union(haft_builder *builder, haft_def *first, ...) HAFT_SENTINEL_;
haft_def *haft_def_xor(haft_builder *builder, haft_def *first, ...) HAFT_SENTINEL_;
haft_def *haft_def_discriminated(haft_builder *builder, const char *key, haft_def *first, ...)
    HAFT_SENTINEL_;
/* Defines values that match both definitions.  A key is unknown if it is unknown to both. */
haft_def *haft_def_intersection(haft_def *left, haft_def *right);

/* Define a schema that contains itself: haft_def_lazy returns a definition that haft_def_resolve
 * defines later. */
haft_def *haft_def_lazy(haft_builder *builder);
void haft_def_resolve(haft_def *lazy, haft_def *def);

/* ---- presence, metadata, checks ---- */
/* Change whether a value may be absent or null, its default, and its documentation.  A default and
 * examples are JSON text. */
haft_def *haft_def_optional(haft_def *def);                   /* may be absent */
haft_def *haft_def_nullable(haft_def *def);                   /* may be null */
haft_def *haft_def_nullish(haft_def *def);                    /* may be absent or null */
haft_def *haft_def_default(haft_def *def, const char *json);  /* used if the value is absent */
haft_def *haft_def_describe(haft_def *def, const char *text); /* description for the model */
haft_def *haft_def_title(haft_def *def, const char *text);    /* title for a user interface */
haft_def *haft_def_examples(haft_def *def,
                            const char *json_array); /* JSON array of example values */
haft_def *haft_def_deprecated(haft_def *def);        /* marks it as deprecated */
haft_def *haft_def_read_only(haft_def *def);         /* marks it as read-only */
/* Marks a value as a secret: `writeOnly` in the JSON Schema, and "***" in the audit log. */
haft_def *haft_def_secret(haft_def *def);
/* Adds a member to the emitted JSON Schema, as JSON text. */
haft_def *haft_def_meta(haft_def *def, const char *key, const char *json);
/* Replaces the message of the latest check, or of the type if there is no check yet.  The message
 * of a type also applies to later checks without a message of their own. */
haft_def *haft_def_message(haft_def *def, const char *text);
/* Adds a check of the program: the value passes if `check` returns true.  A message of NULL is
 * "Invalid input". */
haft_def *haft_def_refine(haft_def *def, bool (*check)(const haft_value *value, void *data),
                          void *data, const char *message);
/* Adds a check of the program that reports issues with haft_refinement_add_issue. */
haft_def *haft_def_super_refine(haft_def *def,
                                void (*check)(haft_refinement *refinement, const haft_value *value,
                                              void *data),
                                void *data);

#ifdef __cplusplus
}
#endif
#endif
