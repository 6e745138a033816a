/* haft/declare.h - one declaration defines a C struct, its validator, its decoder and encoder, and
 * its JSON Schema.
 *
 *     HAFT_STRUCT(search_args,
 *         HAFT_STRING(query, "Substring to match against product names"),
 *         HAFT_OPTIONAL(HAFT_INTEGER(limit, "How many to return", .max = 50)));
 *
 * declares `search_args` with the members `const char *query`, `bool has_limit` and `int64_t
 * limit`, and the constant `search_args_type` for haft_schema_compile.  Nothing is registered, and
 * no code runs at start-up.  HAFT_BOOLEAN and the macros next to it declare fields; a struct has at
 * most 64.
 *
 * The first argument after a field's name and type is its description.  It is required, because it
 * is the only documentation that a model gets.  Rules follow as designated initializers, `.min =
 * 1`; a rule that the kind does not have does not compile. */
#ifndef HAFT_DECLARE_H
#define HAFT_DECLARE_H

#include <float.h>
#include <haft/format.h>
#include <haft/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the tables that a declaration makes ----------------------------------- */

/* Kinds of fields. */
typedef enum haft_kind {
    HAFT_KIND_BOOLEAN, /* HAFT_BOOLEAN */
    HAFT_KIND_INTEGER, /* HAFT_INTEGER */
    HAFT_KIND_NUMBER,  /* HAFT_NUMBER */
    HAFT_KIND_STRING,  /* HAFT_STRING */
    HAFT_KIND_BYTES,   /* HAFT_BYTES */
    HAFT_KIND_ENUM,    /* HAFT_ENUM */
    HAFT_KIND_OBJECT,  /* HAFT_OBJECT */
    HAFT_KIND_UNION,   /* HAFT_UNION */
    HAFT_KIND_POINTER, /* HAFT_POINTER */
    HAFT_KIND_ARRAY,   /* HAFT_ARRAY */
    HAFT_KIND_MAP,     /* HAFT_MAP */
    HAFT_KIND_JSON,    /* HAFT_JSON */
    HAFT_KIND_EXTENDS, /* HAFT_EXTENDS */
    HAFT_KIND_FIXED    /* HAFT_FIXED */
} haft_kind;

/* Whether a field may be absent. */
typedef enum haft_presence {
    HAFT_PRESENCE_REQUIRED, /* if absent, an issue */
    HAFT_PRESENCE_OPTIONAL, /* if absent, has_x is false */
    HAFT_PRESENCE_DEFAULT   /* if absent, it has the default */
} haft_presence;

/* How a member is stored, if not in the way of its kind. */
typedef enum haft_storage {
    /* the way of its kind: int64_t, double, const char *, a pointer to items, ... */
    HAFT_STORAGE_KIND,
    HAFT_STORAGE_SIGNED,   /* signed integer of `width` bytes */
    HAFT_STORAGE_UNSIGNED, /* unsigned integer of `width` bytes */
    HAFT_STORAGE_FLOAT,    /* float */
    HAFT_STORAGE_TEXT,     /* char x[width], NUL-terminated */
    HAFT_STORAGE_INLINE    /* items inside the struct, in `width` bytes */
} haft_storage;

/* Documentation that every kind of field can have. */
#define HAFT_WORDS_                                                                                \
    const char *description; /* for the model */                                                   \
    const char *title;       /* for a user interface */                                            \
    const char *examples;    /* JSON array of example values */                                    \
    bool deprecated;         /* should no longer be used */                                        \
    bool secret; /* `writeOnly`, and "***" in the audit log */

/* Rules of each kind of field, which follow its description as designated initializers.  A rule
 * that is not set allows everything that the type can hold.  HAFT_BOOLEAN, HAFT_BYTES, HAFT_ENUM,
 * HAFT_OBJECT, HAFT_UNION, HAFT_POINTER and HAFT_JSON have only the members of haft_plain_rules. */
struct haft_plain_rules {
    HAFT_WORDS_
};
struct haft_integer_rules {
    HAFT_WORDS_
    int64_t min, max;     /* minimum and maximum */
    int64_t above, below; /* exclusive minimum and maximum */
    int64_t multiple_of;  /* divisor */
};
struct haft_number_rules {
    HAFT_WORDS_
    double min, max;     /* minimum and maximum */
    double above, below; /* exclusive minimum and maximum */
    double multiple_of;  /* divisor */
};
struct haft_string_rules {
    HAFT_WORDS_
    size_t min, max;                      /* minimum and maximum length in code points */
    const char *pattern;                  /* regular expression of ECMA-262 */
    haft_format format;                   /* named format */
    const char *starts, *ends, *includes; /* required prefix, suffix and substring */
};
struct haft_array_rules {
    HAFT_WORDS_
    size_t min, max; /* minimum and maximum number of items */
    bool unique;     /* no two items are equal */
};
struct haft_map_rules {
    HAFT_WORDS_
    size_t min, max;  /* minimum and maximum number of entries */
    const char *keys; /* regular expression that every key must match */
};

typedef struct haft_field haft_field;

/* A field of a declared type; HAFT_STRUCT and HAFT_SCHEMA make them.  A member x of the C struct may have
 * companions: has_x, null_x, n_x, x_size and x_keys. */
struct haft_field {
    const char *name;       /* name on the wire */
    haft_kind kind;         /* kind of field */
    haft_presence presence; /* whether it may be absent */
    bool nullable;          /* whether it may be null */
    const char *header;     /* header that also carries it (HAFT_HEADER); NULL for none */
    size_t offset;          /* offset of x */
    size_t has;             /* offset of has_x, of an optional field that is not a pointer */
    size_t null;            /* offset of null_x, of a nullable field */
    size_t count;           /* offset of n_x or x_size */
    size_t keys;            /* offset of x_keys */
    const haft_type *type;  /* type of an enum, object, union or pointer; of the extended base */
    const haft_field *item; /* item of an array or a map */
    size_t stride;          /* size of an item */
    size_t width;           /* size of the member in bytes, if its storage is not that of its kind */
    haft_storage storage;   /* how the member is stored */
    union {
        int64_t integer;
        double number;
        bool boolean;
        const char *text; /* a string; JSON for what has no scalar */
    } fallback; /* default value; text is a string, or JSON for a value that is not a scalar */
    union {
        struct haft_plain_rules plain; /* every rules struct starts with it */
        struct haft_integer_rules integer;
        struct haft_number_rules number;
        struct haft_string_rules string;
        struct haft_array_rules array;
        struct haft_map_rules map;
    } rules; /* rules of the kind; all begin with haft_plain_rules */
};

/* What happens to a key that matches no field. */
typedef enum haft_extra {
    HAFT_EXTRA_REJECT, /* an issue that lists the accepted keys */
    HAFT_EXTRA_IGNORE  /* it is ignored, and the schema says so */
} haft_extra;

/* Options of a declared type (HAFT_OPTIONS). */
struct haft_type_options {
    size_t struct_size; /* size of this struct; 0: no options */
    haft_extra extra;   /* what happens to unknown keys */
    /* title and description in the JSON Schema; each may be NULL */
    const char *title, *description;
};

/* A check across the fields of an object of a declared type. */
typedef void haft_refine_call(haft_refinement *refinement, const void *value);

/* The check of a declared type (HAFT_REFINE). */
struct haft_refine_hook {
    haft_refine_call *call; /* the check; NULL for none */
};

/* Shapes of declared types. */
typedef enum haft_shape {
    HAFT_SHAPE_STRUCT, /* HAFT_STRUCT, HAFT_SCHEMA */
    HAFT_SHAPE_ENUM,   /* HAFT_ENUMERATION, HAFT_ENUM_NAMES */
    HAFT_SHAPE_CHOICE, /* HAFT_CHOICE */
    HAFT_SHAPE_LIST    /* HAFT_LIST */
} haft_shape;

/* A declared type: the table that a declaration defines, T_type. */
struct haft_type {
    size_t struct_size, field_size;          /* sizes of this struct, and of each field and item */
    const char *name;                        /* name of the type */
    haft_shape shape;                        /* shape of the type */
    size_t size;                             /* sizeof of the C type */
    const haft_field *fields;                /* fields of a struct; cases of a choice; the array of a list */
    size_t n_fields;                         /* number of fields */
    const char *const *values;               /* names of an enum */
    size_t n_values;                         /* number of names */
    const struct haft_type_options *options; /* options of a struct; may be NULL */
    const struct haft_refine_hook *refine;   /* check across fields; may be NULL */
    const char *tag;                         /* property that selects the case of a choice; NULL: the first case that matches, a field of any kind */
    const int64_t *numbers;                  /* values of an enum's names; NULL: 0, 1, 2, ... */
};

/* ---- declaring ---------------------------------------------------------------- */

/* Declares a struct and its schema: typedef struct T { ... } T; and the constant T_type.  The
 * fields are those of HAFT_STRING and the macros next to it, at most 64. */
#define HAFT_STRUCT(T, ...) HAFT_STRUCT_AS_(STRUCT, T, __VA_ARGS__)

/* Declares the schema T_type of a struct that exists already.  Each field is checked against the
 * member of its name: one that is missing or has another type does not compile.  Instead of the
 * member that HAFT_STRUCT would declare, the struct may have:
 *
 *     int64_t          any integer type but char; values out of its range are issues, and the schema says so
 *     double           float
 *     const char *     char x[N], for at most N - 1 bytes of UTF-8
 *     ITEM *           ITEM x[N], for at most N items; items may also be narrower
 *
 * HAFT_ENUM_NAMES declares the names of an enum that exists already. */
#define HAFT_SCHEMA(T, ...)                                                                        \
    HAFT_C_ALONE_                                                                                  \
    HAFT_EACH_(HAFT_LISTED_, T, __VA_ARGS__)                                                       \
    HAFT_HOOKS_(T);                                                                                \
    HAFT_TABLE_(STRUCT, T, __VA_ARGS__)

/* Declares the name of a struct before HAFT_STRUCT, for two structs that contain each other. */
#define HAFT_FORWARD(T)                                                                            \
    typedef struct T T;                                                                            \
    HAFT_HOOKS_(T)

/* Declares an enum and its schema: typedef enum T { T_a, T_b } T; and T_type.  On the wire the
 * values are the strings "a" and "b".  Names are used as they are written, also if they are macros:
 * HAFT_ENUMERATION(sig, SIGTERM) declares sig_SIGTERM, "SIGTERM". */
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

/* Declares the schema T_type of an enum that exists already, with the names on the wire:
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

/* Declares a tagged union: an object whose property `tagname` says which case it is.  T has `enum
 * T_kind kind` (T_a, T_b) and a member for each case, `as.a`.  HAFT_CASE names a case and its
 * struct. */
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

/* Declares an array as a type of its own: typedef struct T { size_t n_items; ITEM *items; } T.  For
 * arrays of arrays, and for a value that is itself an array. */
#define HAFT_LIST(T, item, ...) HAFT_STRUCT_AS_(LIST, T, HAFT_ARRAY(items, item, __VA_ARGS__))

/* Sets options of a declared struct, after its declaration: HAFT_OPTIONS(T, .extra =
 * HAFT_EXTRA_IGNORE); */
#define HAFT_OPTIONS(T, ...)                                                                       \
    static const struct haft_type_options T##_options_ = {                                         \
        .struct_size = sizeof(struct haft_type_options), __VA_ARGS__}

/* Adds a check across the fields of a declared struct, after its declaration: void
 * fn(haft_refinement *, const T *), which calls haft_refinement_add_issue for each problem.  It
 * runs if every field is valid. */
#define HAFT_REFINE(T, fn)                                                                         \
    _Static_assert(_Generic(&fn, void (*)(haft_refinement *, const T *): 1, default: 0),           \
                   "refinement " #fn " must be void " #fn "(haft_refinement *, const " #T " *)");  \
    static void T##_refine_call_(haft_refinement *refinement_, const void *value_)                 \
    {                                                                                              \
        fn(refinement_, (const T *)value_);                                                        \
    }                                                                                              \
    static const struct haft_refine_hook T##_refine_ = {T##_refine_call_}

/* Fields of HAFT_STRUCT and HAFT_SCHEMA.  The first argument is the name, x below; the description
 * comes after the name and the type.  Rules follow as designated initializers.
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
 *     HAFT_JSON(x, "...")              haft_value *x            any JSON value
 *     HAFT_EXTENDS(Base)               Base base                first; its fields on the same level */
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

/* Change a field of HAFT_STRUCT or HAFT_SCHEMA.
 *
 *     HAFT_OPTIONAL(FIELD)             bool has_x before the member (a pointer is NULL instead)
 *     HAFT_NULLABLE(FIELD)             bool null_x before the member
 *     HAFT_DEFAULT(FIELD, value)       always set; JSON text for an array, map, object or union
 *     HAFT_NAMED("wire-name", FIELD)   another name on the wire
 *     HAFT_HEADER("Region", FIELD)     also sent as a header: x-mcp-header */
#define HAFT_OPTIONAL(field) HAFT_AS_OPTIONAL_ field
#define HAFT_NULLABLE(field) HAFT_AS_NULLABLE_ field
#define HAFT_DEFAULT(field, value) HAFT_AS_DEFAULT_(value, HAFT_STRIP_ field)
#define HAFT_NAMED(wire, field) HAFT_AS_NAMED_(wire, HAFT_STRIP_ field)
#define HAFT_HEADER(header, field) HAFT_AS_HEADER_(header, HAFT_STRIP_ field)

#ifdef __cplusplus
}
#endif

#include <haft/declare_macros.h>

#ifdef __cplusplus
#include <haft/cpp/declare.hpp>
#endif

#endif
