/* haft/declare.h - one declaration gives a C struct, its validator, its decoder and encoder, and
 * its JSON Schema.
 *
 *     HAFT_STRUCT(search_args,
 *         HAFT_STRING(query, "Substring to match against product names"),
 *         HAFT_OPTIONAL(HAFT_INTEGER(limit, "How many to return", .max = 50)));
 *
 * declares `search_args` with members `const char *query`, `bool has_limit` and `int64_t limit`,
 * and the constant `search_args_type` that haft_schema_compile takes.  Nothing is registered and
 * nothing runs at start-up.  Up to 64 fields.  The member each field makes:
 *
 *     HAFT_BOOLEAN(x, "...")           bool x
 *     HAFT_INTEGER(x, "...", rules)    int64_t x
 *     HAFT_NUMBER(x, "...", rules)     double x
 *     HAFT_STRING(x, "...", rules)     const char *x            UTF-8; U+0000 inside is an issue
 *     HAFT_BYTES(x, "...")             const unsigned char *x, size_t x_size    base64 on the wire
 *     HAFT_ENUM(x, T, "...")           T x                      T of HAFT_ENUMERATION or HAFT_ENUM_NAMES
 *     HAFT_OBJECT(x, T, "...")         T x                      T of HAFT_STRUCT or HAFT_LIST
 *     HAFT_UNION(x, T, "...")          T x                      T of HAFT_CHOICE
 *     HAFT_POINTER(x, T, "...")        T *x                     for a struct that contains itself
 *     HAFT_ARRAY(x, FIELD, "...", r)   size_t n_x, ITEM *x
 *     HAFT_FIXED(x, N, FIELD, "...")   ITEM x[N]                exactly N items
 *     HAFT_MAP(x, FIELD, "...", r)     size_t n_x, const char **x_keys, ITEM *x
 *     HAFT_JSON(x, "...")              haft_value *x             any value: the way out
 *     HAFT_OPTIONAL(FIELD)             bool has_x before it (a pointer is NULL instead)
 *     HAFT_NULLABLE(FIELD)             bool null_x before it
 *     HAFT_DEFAULT(FIELD, value)       always set; of an array, map, object or union it is JSON
 *     HAFT_NAMED("wire-name", FIELD)   another name on the wire
 *     HAFT_HEADER("Region", FIELD)     also sent as a header: x-mcp-header
 *     HAFT_EXTENDS(Base)               Base base, its fields on the same level; comes first
 *
 * The first thing after a field's name and type is its description: it is the only documentation a
 * model gets, so it is not optional.  Then come rules as designated initialisers, `.min = 1`; a
 * rule that the kind does not have does not compile. */
#ifndef HAFT_DECLARE_H
#define HAFT_DECLARE_H

#include <float.h>
#include <haft/format.h>
#include <haft/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the tables that a declaration makes ----------------------------------- */

typedef enum haft_kind {
    HAFT_KIND_BOOLEAN,
    HAFT_KIND_INTEGER,
    HAFT_KIND_NUMBER,
    HAFT_KIND_STRING,
    HAFT_KIND_BYTES,
    HAFT_KIND_ENUM,
    HAFT_KIND_OBJECT,
    HAFT_KIND_UNION,
    HAFT_KIND_POINTER,
    HAFT_KIND_ARRAY,
    HAFT_KIND_MAP,
    HAFT_KIND_JSON,
    HAFT_KIND_EXTENDS,
    HAFT_KIND_FIXED
} haft_kind;

typedef enum haft_presence {
    HAFT_PRESENCE_REQUIRED, /* absent is an issue */
    HAFT_PRESENCE_OPTIONAL, /* absent leaves has_x false */
    HAFT_PRESENCE_DEFAULT   /* absent takes the default */
} haft_presence;

/* How a member is stored, where that is not as its kind says. */
typedef enum haft_storage {
    HAFT_STORAGE_KIND,     /* int64_t, double, const char *, a pointer to items, ... */
    HAFT_STORAGE_SIGNED,   /* an integer of `width` bytes */
    HAFT_STORAGE_UNSIGNED, /* the same without a sign */
    HAFT_STORAGE_FLOAT,    /* float */
    HAFT_STORAGE_TEXT,     /* char x[width], NUL-terminated */
    HAFT_STORAGE_INLINE    /* the items themselves, in `width` bytes */
} haft_storage;

/* What every kind of field can say besides its rules. */
#define HAFT_WORDS_                                                                                \
    const char *description;                                                                       \
    const char *title;                                                                             \
    const char *examples; /* a JSON array */                                                       \
    bool deprecated;                                                                               \
    bool secret; /* not to be written down: writeOnly, and "***" in the audit */

/* The rules of each kind.  Those not named are as wide as the type. */
struct haft_plain_rules {
    HAFT_WORDS_
};
struct haft_integer_rules {
    HAFT_WORDS_
    int64_t min, max;     /* inclusive */
    int64_t above, below; /* exclusive */
    int64_t multiple_of;
};
struct haft_number_rules {
    HAFT_WORDS_
    double min, max;
    double above, below;
    double multiple_of;
};
struct haft_string_rules {
    HAFT_WORDS_
    size_t min, max; /* in code points */
    const char *pattern;
    haft_format format;
    const char *starts, *ends, *includes;
};
struct haft_array_rules {
    HAFT_WORDS_
    size_t min, max;
    bool unique;
};
struct haft_map_rules {
    HAFT_WORDS_
    size_t min, max;
    const char *keys; /* a pattern that every key must match */
};

typedef struct haft_field haft_field;

struct haft_field {
    const char *name; /* on the wire */
    haft_kind kind;
    haft_presence presence;
    bool nullable;
    const char *header;
    size_t offset;         /* of x */
    size_t has;            /* of has_x, when optional and no pointer */
    size_t null;           /* of null_x, when nullable */
    size_t count;          /* of n_x or x_size */
    size_t keys;           /* of x_keys */
    const haft_type *type; /* of an enum, object, union or pointer; of the base that is extended */
    const haft_field *item; /* of an array or a map */
    size_t stride;          /* of an item */
    size_t width;           /* of the member, in bytes; read where its storage is not the kind's */
    haft_storage storage;
    union {
        int64_t integer;
        double number;
        bool boolean;
        const char *text; /* a string; JSON for what has no scalar */
    } fallback;
    union {
        struct haft_plain_rules plain; /* every rules struct starts with it */
        struct haft_integer_rules integer;
        struct haft_number_rules number;
        struct haft_string_rules string;
        struct haft_array_rules array;
        struct haft_map_rules map;
    } rules;
};

/* What becomes of a key that no field names. */
typedef enum haft_extra {
    HAFT_EXTRA_REJECT, /* an issue that names the accepted keys */
    HAFT_EXTRA_IGNORE  /* passes unseen, and the schema says so */
} haft_extra;

struct haft_type_options {
    size_t struct_size; /* 0: none are given */
    haft_extra extra;
    const char *title, *description;
};

typedef void haft_refine_call(haft_refinement *refinement, const void *value);

struct haft_refine_hook {
    haft_refine_call *call;
};

typedef enum haft_shape {
    HAFT_SHAPE_STRUCT,
    HAFT_SHAPE_ENUM,
    HAFT_SHAPE_CHOICE,
    HAFT_SHAPE_LIST
} haft_shape;

struct haft_type {
    size_t struct_size, field_size; /* of this struct, and of each of the fields and their items */
    const char *name;
    haft_shape shape;
    size_t size;
    const haft_field *fields; /* of a struct; the cases of a choice; the one array of a list */
    size_t n_fields;
    const char *const *values; /* of an enum */
    size_t n_values;
    const struct haft_type_options *options;
    const struct haft_refine_hook *refine;
    const char *tag; /* of a choice: the property that decides */
    const int64_t *numbers; /* of an enum: the number of each of the values; NULL: 0, 1, 2, ... */
};

/* ---- declaring ---------------------------------------------------------------- */

/* typedef struct T { ... } T; and T_type. */
#define HAFT_STRUCT(T, ...) HAFT_STRUCT_AS_(STRUCT, T, __VA_ARGS__)

/* T_type alone, for a struct that exists already.  Each field is checked against the member of its
 * name: one that is missing or of another type does not compile.  Where a struct of HAFT_STRUCT would have
 *     int64_t          it may have any integer but char; what it cannot hold is an issue, and the schema says so
 *     double           float
 *     const char *     char x[N], for at most N - 1 bytes of UTF-8
 *     ITEM *           ITEM x[N], for at most N items; items may be narrower, too
 * An enum that exists already gets its names by HAFT_ENUM_NAMES. */
#define HAFT_SCHEMA(T, ...)                                                                        \
    HAFT_C_ALONE_                                                                                  \
    HAFT_EACH_(HAFT_LISTED_, T, __VA_ARGS__)                                                       \
    HAFT_HOOKS_(T);                                                                                \
    HAFT_TABLE_(STRUCT, T, __VA_ARGS__)

/* Names a struct before it is declared, for two that contain each other. */
#define HAFT_FORWARD(T)                                                                            \
    typedef struct T T;                                                                            \
    HAFT_HOOKS_(T)

/* typedef enum T { T_a, T_b } T; on the wire the strings "a" and "b".  Names are taken as they are written, also
 * those that are macros: HAFT_ENUMERATION(sig, SIGTERM) is sig_SIGTERM and "SIGTERM". */
#define HAFT_ENUMERATION(T, ...)                                                                   \
    HAFT_C_ALONE_                                                                                  \
    HAFT_WRITTEN_(_##__VA_ARGS__)(HAFT_ENUM_CHECK_, T, _##__VA_ARGS__)                             \
    typedef enum T {                                                                               \
        HAFT_WRITTEN_(_##__VA_ARGS__)(HAFT_ENUMERATOR_, T, _##__VA_ARGS__) T##_count_              \
    } T;                                                                                           \
    _Static_assert(0 HAFT_EACH_(HAFT_PLUS_ONE_, T, __VA_ARGS__) == T##_count_,                     \
                   "a macro in the enumeration " #T " stands for several names: write them out");  \
    static const char *const T##_names_[] = {                                                      \
        HAFT_WRITTEN_(_##__VA_ARGS__)(HAFT_ENUM_NAME_, T, _##__VA_ARGS__)};                        \
    _Static_assert(sizeof(T) == sizeof(int), "an enum is stored as an int");                       \
    HAFT_MAYBE_UNUSED_ static const haft_type T##_type = {HAFT_TYPE_SIZES_,                        \
                                                          .name = #T,                              \
                                                          .shape = HAFT_SHAPE_ENUM,                \
                                                          .size = sizeof(T),                       \
                                                          .values = T##_names_,                    \
                                                          .n_values = T##_count_}

/* T_type alone, for an enum that exists already, with the names that go on the wire:
 *
 *     typedef enum region { EAST = 1, WEST = 2 } region;
 *     HAFT_ENUM_NAMES(region, HAFT_VALUE(EAST, "us-east-1"), HAFT_VALUE(WEST, "us-west-2")); */
#define HAFT_ENUM_NAMES(T, ...)                                                                    \
    HAFT_C_ALONE_                                                                                  \
    HAFT_EACH_(HAFT_VALUE_CHECK_, T, __VA_ARGS__)                                                  \
    static const char *const T##_names_[] = {HAFT_EACH_(HAFT_VALUE_NAME_, T, __VA_ARGS__)};        \
    static const int64_t T##_numbers_[] = {HAFT_EACH_(HAFT_VALUE_NUMBER_, T, __VA_ARGS__)};        \
    HAFT_MAYBE_UNUSED_ static const haft_type T##_type = {                                         \
        HAFT_TYPE_SIZES_,                                                                          \
        .name = #T,                                                                                \
        .shape = HAFT_SHAPE_ENUM,                                                                  \
        .size = sizeof(T),                                                                         \
        .values = T##_names_,                                                                      \
        .n_values = sizeof T##_names_ / sizeof T##_names_[0],                                      \
        .numbers = T##_numbers_}
#define HAFT_VALUE(enumerator, name) (enumerator, name)

/* A tagged union: an object whose property `tagname` says which of the cases it is.  T has
 * `enum T_kind kind` (T_a, T_b) and a member per case, `as.a`. */
#define HAFT_CHOICE(T, tagname, ...)                                                               \
    HAFT_C_ALONE_                                                                                  \
    HAFT_EACH_(HAFT_CASE_CHECK_, T, __VA_ARGS__)                                                   \
    typedef struct T {                                                                             \
        enum T##_kind { HAFT_EACH_(HAFT_CASE_ENUM_, T, __VA_ARGS__) T##_count_ } kind;             \
        union {                                                                                    \
            HAFT_EACH_(HAFT_CASE_MEMBER_, T, __VA_ARGS__)                                          \
        } as;                                                                                      \
    } T;                                                                                           \
    static const haft_field T##_cases_[] = {HAFT_EACH_(HAFT_CASE_FIELD_, T, __VA_ARGS__)};         \
    HAFT_MAYBE_UNUSED_ static const haft_type T##_type = {HAFT_TYPE_SIZES_,                        \
                                                          .name = #T,                              \
                                                          .shape = HAFT_SHAPE_CHOICE,              \
                                                          .size = sizeof(T),                       \
                                                          .tag = tagname,                          \
                                                          .fields = T##_cases_,                    \
                                                          .n_fields = T##_count_}
#define HAFT_CASE(name, type) (#name, _##name, name, type)

/* A list that is a type of its own: typedef struct T { size_t n_items; ITEM *items; } T.  For
 * arrays of arrays, and for a value that is an array all by itself. */
#define HAFT_LIST(T, item, ...) HAFT_STRUCT_AS_(LIST, T, HAFT_ARRAY(items, item, __VA_ARGS__))

/* Options of a struct, after its declaration: HAFT_OPTIONS(T, .extra = HAFT_EXTRA_IGNORE); */
#define HAFT_OPTIONS(T, ...)                                                                       \
    static const struct haft_type_options T##_options_ = {                                         \
        .struct_size = sizeof(struct haft_type_options), __VA_ARGS__}

/* A check across fields, after the declaration: void fn(haft_refinement *, const T *), which calls
 * haft_refinement_add_issue for what is wrong.  It runs when every field has passed. */
#define HAFT_REFINE(T, fn)                                                                         \
    _Static_assert(_Generic(&fn, void (*)(haft_refinement *, const T *): 1, default: 0),           \
                   "refinement " #fn " must be void " #fn "(haft_refinement *, const " #T " *)");  \
    static void T##_refine_call_(haft_refinement *refinement_, const void *value_)                 \
    {                                                                                              \
        fn(refinement_, (const T *)value_);                                                        \
    }                                                                                              \
    static const struct haft_refine_hook T##_refine_ = {T##_refine_call_}

/* The fields. */
#define HAFT_BOOLEAN(name, ...) HAFT_TUPLE_(BOOLEAN, #name, name, bool, __VA_ARGS__)
#define HAFT_INTEGER(name, ...) HAFT_TUPLE_(INTEGER, #name, name, int64_t, __VA_ARGS__)
#define HAFT_NUMBER(name, ...) HAFT_TUPLE_(NUMBER, #name, name, double, __VA_ARGS__)
#define HAFT_STRING(name, ...) HAFT_TUPLE_(STRING, #name, name, string, __VA_ARGS__)
#define HAFT_BYTES(name, ...) HAFT_TUPLE_(BYTES, #name, name, bytes, __VA_ARGS__)
#define HAFT_ENUM(name, T, ...) HAFT_TUPLE_(ENUM, #name, name, T, __VA_ARGS__)
#define HAFT_OBJECT(name, T, ...) HAFT_TUPLE_(OBJECT, #name, name, T, __VA_ARGS__)
#define HAFT_UNION(name, T, ...) HAFT_TUPLE_(UNION, #name, name, T, __VA_ARGS__)
#define HAFT_POINTER(name, T, ...) HAFT_TUPLE_(POINTER, #name, name, T, __VA_ARGS__)
#define HAFT_ARRAY(name, item, ...) HAFT_TUPLE_(ARRAY, #name, name, item, __VA_ARGS__)
#define HAFT_FIXED(name, n, item, ...) HAFT_TUPLE_(FIXED, #name, name, (n, item), __VA_ARGS__)
#define HAFT_MAP(name, item, ...) HAFT_TUPLE_(MAP, #name, name, item, __VA_ARGS__)
#define HAFT_JSON(name, ...) HAFT_TUPLE_(JSON, #name, name, json, __VA_ARGS__)
#define HAFT_EXTENDS(Base) HAFT_TUPLE_(EXTENDS, "base", base, Base, "")
#define HAFT_OPTIONAL(field) HAFT_AS_OPTIONAL_ field
#define HAFT_NULLABLE(field) HAFT_AS_NULLABLE_ field
#define HAFT_DEFAULT(field, value) HAFT_AS_DEFAULT_(value, HAFT_STRIP_ field)
#define HAFT_NAMED(wire, field) HAFT_AS_NAMED_(wire, HAFT_STRIP_ field)
#define HAFT_HEADER(header, field) HAFT_AS_HEADER_(header, HAFT_STRIP_ field)

#ifdef __cplusplus
}
#endif

#include <haft/declare_macros.h>

#endif
