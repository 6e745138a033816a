/* haft/declare_macros.h - what the declarations of haft/declare.h expand to.  Not for use.
 *
 * A field macro makes a tuple
 *     (presence, default, nullness, wire name, header, written, KIND, name, type, description and rules...)
 * so that one list of fields can be read several times: as members, as checks of those members, and
 * as table entries.  Wrappers such as HAFT_OPTIONAL replace one place of the tuple. */
#ifndef HAFT_DECLARE_MACROS_H
#define HAFT_DECLARE_MACROS_H

#include <haft/declare_each.h>

/* A rule that is named overrides its default, which is what is meant here. */
#if defined __clang__
#define HAFT_OVERRIDES_BEGIN_                                                                      \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Winitializer-overrides\"")
#define HAFT_OVERRIDES_END_ _Pragma("clang diagnostic pop")
#elif defined __GNUC__
#define HAFT_OVERRIDES_BEGIN_                                                                      \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"")
#define HAFT_OVERRIDES_END_ _Pragma("GCC diagnostic pop")
#else
#define HAFT_OVERRIDES_BEGIN_
#define HAFT_OVERRIDES_END_
#endif

/* C++ reads the fields, too, and checks them by the same lines: haft/cpp/declare_c.hpp. */
#if defined __cplusplus
#define HAFT_ASSERT_ static_assert
#else
#define HAFT_ASSERT_ _Static_assert
#endif

/* A description is the only documentation that a model gets. */
#define HAFT_DESCRIBED_(what, type, text, ...)                                                     \
    HAFT_ASSERT_(sizeof #text > 1, what " needs a description");

/* Tools and routes are declared in C alone.  C++ is told so before it stumbles over what is in the macros. */
#if defined __cplusplus
#define HAFT_C_ALONE_                                                                              \
    static_assert(false, "for C alone: in C++ a function is given to haft::server::tool, of haft.hpp");
#else
#define HAFT_C_ALONE_
#endif

/* `written` is the name as it is written, `name` what a macro of that name has made of it. */
#define HAFT_TUPLE_(kind, written, name, type, ...)                                                \
    (REQUIRED, 0, SOLID, written, NULL, written, kind, name, type, __VA_ARGS__)
#define HAFT_STRIP_(...) __VA_ARGS__
#define HAFT_AS_OPTIONAL_(presence, ...) (OPTIONAL, __VA_ARGS__)
#define HAFT_AS_NULLABLE_(presence, dv, null, ...) (presence, dv, NULLABLE, __VA_ARGS__)
#define HAFT_AS_DEFAULT_(...) HAFT_AS_DEFAULT2_(__VA_ARGS__)
#define HAFT_AS_DEFAULT2_(value, presence, dv, ...) (DEFAULT, value, __VA_ARGS__)
#define HAFT_AS_NAMED_(...) HAFT_AS_NAMED2_(__VA_ARGS__)
#define HAFT_AS_NAMED2_(name, presence, dv, null, wire, ...) (presence, dv, null, name, __VA_ARGS__)
#define HAFT_AS_HEADER_(...) HAFT_AS_HEADER2_(__VA_ARGS__)
#define HAFT_AS_HEADER2_(name, presence, dv, null, wire, header, ...)                              \
    (presence, dv, null, wire, name, __VA_ARGS__)

/* ---- the check that what is listed is fields ---- */
/* First of all, so that it is this that is reported.  A thing in parentheses is a field: 1, anything else 0. */
#define HAFT_LISTED_(T, tuple) HAFT_LISTED2_(HAFT_SECOND_(HAFT_PROBE_ tuple, 0, 0), T, tuple)
#define HAFT_LISTED2_(...) HAFT_LISTED3_(__VA_ARGS__)
#define HAFT_LISTED3_(is_field, T, tuple) HAFT_LISTED_##is_field##_(T, tuple)
#define HAFT_PROBE_(...) 0, 1
#define HAFT_SECOND_(...) HAFT_SECOND2_(__VA_ARGS__)
#define HAFT_SECOND2_(a, b, ...) b
#define HAFT_LISTED_0_(T, thing)                                                                   \
    HAFT_ASSERT_(sizeof #thing > 1, #T " has no fields, or a comma too many between them");        \
    HAFT_ASSERT_(sizeof #thing == 1, #T ": this is not a field: " #thing);
#define HAFT_LISTED_1_(T, tuple)

/* The same, and no name of a member is a macro for something else: x.errno would not be it. */
#define HAFT_MEMBERS_(T, tuple) HAFT_LISTED_(T, tuple) HAFT_WRITTEN_AS_ tuple
#define HAFT_WRITTEN_AS_(presence, dv, null, wire, header, written, kind, name, ...)               \
    HAFT_ASSERT_(sizeof written == sizeof #name,                                                   \
                   "the field name " written " is a macro: name it otherwise, in HAFT_NAMED(\""    \
                   written "\", ...)");

/* The hooks that HAFT_OPTIONS and HAFT_REFINE may fill in later, and the table itself: tentative
 * definitions, so that a struct can refer to its own type. */
#define HAFT_HOOKS_(T)                                                                             \
    HAFT_C_ALONE_                                                                                  \
    HAFT_MAYBE_UNUSED_ static const struct haft_type_options T##_options_;                         \
    HAFT_MAYBE_UNUSED_ static const struct haft_refine_hook T##_refine_;                           \
    HAFT_MAYBE_UNUSED_ static const haft_type T##_type

#define HAFT_STRUCT_AS_(shape, T, ...)                                                             \
    HAFT_C_ALONE_                                                                                  \
    HAFT_EACH_(HAFT_MEMBERS_, T, __VA_ARGS__)                                                      \
    HAFT_FORWARD(T);                                                                               \
    struct T {                                                                                     \
        HAFT_EACH_(HAFT_MEMBER_, T, __VA_ARGS__)                                                   \
    };                                                                                             \
    HAFT_TABLE_(shape, T, __VA_ARGS__)
#define HAFT_TABLE_(shape_, T, ...)                                                                \
    HAFT_EACH_(HAFT_CHECK_, T, __VA_ARGS__)                                                        \
    HAFT_OVERRIDES_BEGIN_                                                                          \
    static const haft_field T##_fields_[] = {HAFT_EACH_(HAFT_FIELD_, T, __VA_ARGS__)};             \
    HAFT_OVERRIDES_END_                                                                            \
    HAFT_MAYBE_UNUSED_ static const haft_type T##_type = {                                         \
        HAFT_TYPE_SIZES_,                                                                          \
        .name = #T,                                                                                \
        .shape = HAFT_SHAPE_##shape_,                                                              \
        .size = sizeof(T),                                                                         \
        .fields = T##_fields_,                                                                     \
        .n_fields = sizeof T##_fields_ / sizeof T##_fields_[0],                                    \
        .options = &T##_options_,                                                                  \
        .refine = &T##_refine_}

#define HAFT_TYPE_SIZES_                                                                           \
    .struct_size = sizeof(haft_type), .field_size = sizeof(haft_field)

/* ---- the members ---- */
/* What is no field is left with this name in front of it, which is then the error message. */
#define HAFT_MEMBER_(T, tuple) HAFT_this_is_no_field_ tuple
#define HAFT_this_is_no_field_(presence, dv, null, wire, header, written, kind, name, ...)                  \
    HAFT_HAS_##presence##_(kind, name) HAFT_NULL_##null##_(name) HAFT_MEMBER_##kind##_(name, __VA_ARGS__)
#define HAFT_HAS_REQUIRED_(kind, name)
#define HAFT_HAS_DEFAULT_(kind, name)
#define HAFT_HAS_OPTIONAL_(kind, name) HAFT_HAS_##kind##_(name)
#define HAFT_NULL_SOLID_(name)
#define HAFT_NULL_NULLABLE_(name) bool null_##name;
#define HAFT_HAS_BOOLEAN_(name) bool has_##name;
#define HAFT_HAS_INTEGER_(name) bool has_##name;
#define HAFT_HAS_NUMBER_(name) bool has_##name;
#define HAFT_HAS_STRING_(name) bool has_##name;
#define HAFT_HAS_BYTES_(name) bool has_##name;
#define HAFT_HAS_ENUM_(name) bool has_##name;
#define HAFT_HAS_OBJECT_(name) bool has_##name;
#define HAFT_HAS_UNION_(name) bool has_##name;
#define HAFT_HAS_POINTER_(name)
#define HAFT_HAS_ARRAY_(name) bool has_##name;
#define HAFT_HAS_MAP_(name) bool has_##name;
#define HAFT_HAS_JSON_(name) bool has_##name;
#define HAFT_HAS_FIXED_(name) bool has_##name;
#define HAFT_HAS_EXTENDS_(name)
#define HAFT_MEMBER_BOOLEAN_(name, type, ...) bool name;
#define HAFT_MEMBER_INTEGER_(name, type, ...) int64_t name;
#define HAFT_MEMBER_NUMBER_(name, type, ...) double name;
#define HAFT_MEMBER_STRING_(name, type, ...) const char *name;
#define HAFT_MEMBER_ENUM_(name, type, ...) type name;
#define HAFT_MEMBER_OBJECT_(name, type, ...) type name;
#define HAFT_MEMBER_UNION_(name, type, ...) type name;
#define HAFT_MEMBER_POINTER_(name, type, ...) type *name;
#define HAFT_MEMBER_JSON_(name, type, ...) haft_value *name;
#define HAFT_MEMBER_EXTENDS_(name, type, ...) type name;
#define HAFT_MEMBER_BYTES_(name, type, ...)                                                        \
    const unsigned char *name;                                                                     \
    size_t name##_size;
#define HAFT_MEMBER_ARRAY_(name, item, ...)                                                        \
    size_t n_##name;                                                                               \
    HAFT_the_item_is_no_field_ item *name;
#define HAFT_MEMBER_FIXED_(name, sized, ...) HAFT_MEMBER_FIXED2_(name, HAFT_STRIP_ sized)
#define HAFT_MEMBER_FIXED2_(...) HAFT_MEMBER_FIXED3_(__VA_ARGS__)
#define HAFT_MEMBER_FIXED3_(name, n, item) HAFT_the_item_is_no_field_ item name[n];
#define HAFT_MEMBER_MAP_(name, item, ...)                                                          \
    size_t n_##name;                                                                               \
    const char **name##_keys;                                                                      \
    HAFT_the_item_is_no_field_ item *name;

#define HAFT_the_item_is_no_field_(presence, dv, null, wire, header, written, kind, name, type, ...)        \
    HAFT_CTYPE_##kind##_(type)
#define HAFT_CTYPE_BOOLEAN_(type) bool
#define HAFT_CTYPE_INTEGER_(type) int64_t
#define HAFT_CTYPE_NUMBER_(type) double
#define HAFT_CTYPE_STRING_(type) const char *
#define HAFT_CTYPE_ENUM_(type) type
#define HAFT_CTYPE_OBJECT_(type) type
#define HAFT_CTYPE_UNION_(type) type
#define HAFT_CTYPE_POINTER_(type) type *
#define HAFT_CTYPE_JSON_(type) haft_value *
/* Two sizes do not fit one item: the name of this type is the error message. */
#define HAFT_CTYPE_ARRAY_(type) struct haft_an_array_of_arrays_needs_HAFT_LIST_
#define HAFT_CTYPE_FIXED_(type) struct haft_an_array_of_arrays_needs_HAFT_LIST_
#define HAFT_CTYPE_MAP_(type) struct haft_an_array_of_maps_needs_a_HAFT_STRUCT_around_each_
#define HAFT_CTYPE_BYTES_(type) struct haft_an_array_of_bytes_needs_a_HAFT_STRUCT_around_each_

/* ---- the check that a member has the type its field says ---- */
#define HAFT_CHECK_(T, tuple) HAFT_CHECK2_(T, HAFT_STRIP_ tuple)
#define HAFT_CHECK2_(...) HAFT_CHECK3_(__VA_ARGS__)
#define HAFT_CHECK3_(T, presence, dv, null, wire, header, written, kind, name, ...)                         \
    HAFT_DESCRIBED_(#T "." #name, __VA_ARGS__, 0)                                                  \
    HAFT_CHECK_HAS_##presence##_(T, kind, name) HAFT_CHECK_NULL_##null##_(T, name)                 \
        HAFT_CHECK_##kind##_(T, name, __VA_ARGS__) HAFT_CHECK_DV_##presence##_(T, kind, name, dv)
#define HAFT_CHECK_HAS_REQUIRED_(T, kind, name)
#define HAFT_CHECK_HAS_DEFAULT_(T, kind, name)
#define HAFT_CHECK_HAS_OPTIONAL_(T, kind, name) HAFT_CHECK_HAS_##kind##_(T, name)
#define HAFT_CHECK_HAS_BOOLEAN_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_INTEGER_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_NUMBER_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_STRING_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_BYTES_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_ENUM_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_OBJECT_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_UNION_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_POINTER_(T, name)
#define HAFT_CHECK_HAS_ARRAY_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_MAP_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_JSON_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_FIXED_(T, name) HAFT_IS_(T, has_##name, bool)
#define HAFT_CHECK_HAS_EXTENDS_(T, name)
#define HAFT_CHECK_NULL_SOLID_(T, name)
#define HAFT_CHECK_NULL_NULLABLE_(T, name) HAFT_IS_(T, null_##name, bool)
#define HAFT_IS_(T, member, type)                                                                  \
    _Static_assert(_Generic(&((T *)0)->member, type *: 1, default: 0),                             \
                   #T "." #member " must be declared as " #type);
#define HAFT_CHECK_BOOLEAN_(T, name, type, ...) HAFT_MUST_(T, name, BOOLEAN, type)
#define HAFT_CHECK_INTEGER_(T, name, type, ...) HAFT_MUST_(T, name, INTEGER, type)
#define HAFT_CHECK_NUMBER_(T, name, type, ...) HAFT_MUST_(T, name, NUMBER, type)
#define HAFT_CHECK_STRING_(T, name, type, ...) HAFT_MUST_(T, name, STRING, type)
#define HAFT_CHECK_ENUM_(T, name, type, ...) HAFT_MUST_(T, name, ENUM, type)
#define HAFT_CHECK_OBJECT_(T, name, type, ...) HAFT_MUST_(T, name, OBJECT, type)
#define HAFT_CHECK_UNION_(T, name, type, ...) HAFT_MUST_(T, name, UNION, type)
#define HAFT_CHECK_POINTER_(T, name, type, ...) HAFT_MUST_(T, name, POINTER, type)
#define HAFT_CHECK_JSON_(T, name, type, ...) HAFT_MUST_(T, name, JSON, type)
#define HAFT_CHECK_EXTENDS_(T, name, type, ...) HAFT_MUST_(T, name, OBJECT, type)
#define HAFT_CHECK_BYTES_(T, name, type, ...)                                                      \
    HAFT_IS_(T, name, const unsigned char *) HAFT_IS_(T, name##_size, size_t)
#define HAFT_CHECK_ARRAY_(T, name, item, ...)                                                      \
    HAFT_IS_(T, n_##name, size_t) HAFT_ITEMS_MUST_(T, name, HAFT_STRIP_ item)
#define HAFT_CHECK_MAP_(T, name, item, ...)                                                        \
    HAFT_IS_(T, n_##name, size_t) HAFT_IS_(T, name##_keys, const char **)                          \
        HAFT_ITEMS_MUST_(T, name, HAFT_STRIP_ item)                                                \
            HAFT_ITEMS_ARE_(T, name, HAFT_STORAGE_KIND, "a pointer to the values", HAFT_STRIP_ item)
#define HAFT_CHECK_FIXED_(T, name, sized, ...) HAFT_CHECK_FIXED2_(T, name, HAFT_STRIP_ sized)
#define HAFT_CHECK_FIXED2_(...) HAFT_CHECK_FIXED3_(__VA_ARGS__)
#define HAFT_CHECK_FIXED3_(T, name, n, item)                                                       \
    HAFT_ITEMS_MUST_(T, name, HAFT_STRIP_ item)                                                    \
    HAFT_ITEMS_ARE_(T, name, HAFT_STORAGE_INLINE, "an array of " #n, HAFT_STRIP_ item)             \
    HAFT_ASSERT_(sizeof HAFT_OF_(T, name) == (n) * sizeof HAFT_OF_(T, name)[0],                    \
                   #T "." #name " must be declared as an array of " #n);

/* A member, or an item of one, and what its field takes: each kind's own type, or one that is narrower. */
#define HAFT_OF_(T, name) (((T *)0)->name)
#define HAFT_MUST_(T, name, kind, type)                                                            \
    HAFT_ASSERT_(HAFT_FITS_(kind, HAFT_OF_(T, name), type),                                        \
                   #T "." #name " must be declared as " HAFT_WANTS_##kind##_(type));
#define HAFT_ITEMS_MUST_(...) HAFT_ITEMS_MUST2_(__VA_ARGS__)
#define HAFT_ITEMS_MUST2_(T, name, presence, dv, null, wire, header, written, kind, item, type, ...)\
    HAFT_ASSERT_(HAFT_FITS_(kind, HAFT_OF_(T, name)[0], type),                                     \
                   "an item of " #T "." #name " must be declared as " HAFT_WANTS_##kind##_(type));
#define HAFT_ITEMS_ARE_(...) HAFT_ITEMS_ARE2_(__VA_ARGS__)
#define HAFT_ITEMS_ARE2_(T, name, storage, what, presence, dv, null, wire, header, written, kind, item, type, ...)\
    HAFT_ASSERT_(HAFT_ITEMS_(kind, HAFT_OF_(T, name), type) == storage,                            \
                   #T "." #name " must be declared as " what);
#define HAFT_FITS_(kind, x, type) HAFT_FITS_##kind##_(x, type)
#define HAFT_FITS_BOOLEAN_(x, type) _Generic(&(x), bool *: 1, default: 0)
#define HAFT_FITS_INTEGER_(x, type) _Generic(&(x), HAFT_SIGNED_(*, 1), HAFT_UNSIGNED_(*, 1), default: 0)
#define HAFT_FITS_NUMBER_(x, type) _Generic(&(x), double *: 1, float *: 1, default: 0)
#define HAFT_FITS_STRING_(x, type) _Generic(&(x), const char **: 1, char(*)[sizeof(x)]: 1, default: 0)
#define HAFT_FITS_ENUM_(x, type) _Generic(&(x), type *: 1, default: 0)
#define HAFT_FITS_OBJECT_(x, type) _Generic(&(x), type *: 1, default: 0)
#define HAFT_FITS_UNION_(x, type) _Generic(&(x), type *: 1, default: 0)
#define HAFT_FITS_POINTER_(x, type) _Generic(&(x), type **: 1, default: 0)
#define HAFT_FITS_JSON_(x, type) _Generic(&(x), haft_value **: 1, default: 0)
#define HAFT_WANTS_BOOLEAN_(type) "bool"
#define HAFT_WANTS_INTEGER_(type) "int64_t, int, size_t or another integer"
#define HAFT_WANTS_NUMBER_(type) "double or float"
#define HAFT_WANTS_STRING_(type) "const char * or an array of char"
#define HAFT_WANTS_ENUM_(type) #type
#define HAFT_WANTS_OBJECT_(type) #type
#define HAFT_WANTS_UNION_(type) #type
#define HAFT_WANTS_POINTER_(type) #type " *"
#define HAFT_WANTS_JSON_(type) "haft_value *"
#define HAFT_SIGNED_(p, is)                                                                        \
    signed char p: is, short p: is, int p: is, long p: is, long long p: is
#define HAFT_UNSIGNED_(p, is)                                                                      \
    unsigned char p: is, unsigned short p: is, unsigned p: is, unsigned long p: is, unsigned long long p: is

/* How a member is stored: haft_storage. */
#define HAFT_STORED_BOOLEAN_(x, type) HAFT_STORAGE_KIND
#define HAFT_STORED_INTEGER_(x, type)                                                              \
    _Generic(&(x), HAFT_SIGNED_(*, HAFT_STORAGE_SIGNED), HAFT_UNSIGNED_(*, HAFT_STORAGE_UNSIGNED),   \
             default: HAFT_STORAGE_KIND)
#define HAFT_STORED_NUMBER_(x, type)                                                               \
    _Generic(&(x), float *: HAFT_STORAGE_FLOAT, default: HAFT_STORAGE_KIND)
#define HAFT_STORED_STRING_(x, type)                                                               \
    _Generic(&(x), const char **: HAFT_STORAGE_KIND, default: HAFT_STORAGE_TEXT)
#define HAFT_STORED_BYTES_(x, type) HAFT_STORAGE_KIND
#define HAFT_STORED_ENUM_(x, type) HAFT_STORAGE_KIND
#define HAFT_STORED_OBJECT_(x, type) HAFT_STORAGE_KIND
#define HAFT_STORED_UNION_(x, type) HAFT_STORAGE_KIND
#define HAFT_STORED_POINTER_(x, type) HAFT_STORAGE_KIND
#define HAFT_STORED_ARRAY_(x, item) HAFT_STORED_ITEMS_(x, HAFT_STRIP_ item)
#define HAFT_STORED_FIXED_(x, sized) HAFT_STORAGE_INLINE
#define HAFT_STORED_MAP_(x, item) HAFT_STORAGE_KIND
#define HAFT_STORED_JSON_(x, type) HAFT_STORAGE_KIND
#define HAFT_STORED_EXTENDS_(x, type) HAFT_STORAGE_KIND
#define HAFT_STORED_ITEMS_(...) HAFT_STORED_ITEMS2_(__VA_ARGS__)
#define HAFT_STORED_ITEMS2_(x, presence, dv, null, wire, header, written, kind, name, type, ...)   \
    HAFT_ITEMS_##kind##_(x, type)

/* Whether the member is a pointer to such items, or an array of them. */
#define HAFT_POINTS_TO_(x, ...) _Generic(&(x), __VA_ARGS__, default: HAFT_STORAGE_INLINE)
#define HAFT_ITEMS_(kind, x, type) HAFT_ITEMS_##kind##_(x, type)
#define HAFT_ITEMS_BOOLEAN_(x, type) HAFT_POINTS_TO_(x, bool **: HAFT_STORAGE_KIND)
#define HAFT_ITEMS_INTEGER_(x, type)                                                               \
    HAFT_POINTS_TO_(x, HAFT_SIGNED_(**, HAFT_STORAGE_KIND), HAFT_UNSIGNED_(**, HAFT_STORAGE_KIND))
#define HAFT_ITEMS_NUMBER_(x, type)                                                                \
    HAFT_POINTS_TO_(x, double **: HAFT_STORAGE_KIND, float **: HAFT_STORAGE_KIND)
#define HAFT_ITEMS_STRING_(x, type)                                                                \
    HAFT_POINTS_TO_(x, const char ***: HAFT_STORAGE_KIND, char(**)[sizeof(x)[0]]: HAFT_STORAGE_KIND)
#define HAFT_ITEMS_ENUM_(x, type) HAFT_POINTS_TO_(x, type **: HAFT_STORAGE_KIND)
#define HAFT_ITEMS_OBJECT_(x, type) HAFT_POINTS_TO_(x, type **: HAFT_STORAGE_KIND)
#define HAFT_ITEMS_UNION_(x, type) HAFT_POINTS_TO_(x, type **: HAFT_STORAGE_KIND)
#define HAFT_ITEMS_POINTER_(x, type) HAFT_POINTS_TO_(x, type ***: HAFT_STORAGE_KIND)
#define HAFT_ITEMS_JSON_(x, type) HAFT_POINTS_TO_(x, haft_value ***: HAFT_STORAGE_KIND)

/* ---- the check that a default is of its field's kind ---- */
#define HAFT_CHECK_DV_REQUIRED_(T, kind, name, dv)
#define HAFT_CHECK_DV_OPTIONAL_(T, kind, name, dv)
#define HAFT_CHECK_DV_DEFAULT_(T, kind, name, dv) HAFT_CHECK_DV_##kind##_(T, name, dv)
#define HAFT_DEFAULT_IS_(T, name, dv, what, ...)                                                   \
    _Static_assert(_Generic((dv), __VA_ARGS__, default: 0),                                        \
                   "the default of " #T "." #name " must be " what);
#define HAFT_INTS_                                                                                 \
    int : 1, unsigned : 1, long : 1, unsigned long : 1, long long : 1, unsigned long long : 1
#define HAFT_TEXTS_ char * : 1, const char * : 1
#define HAFT_CHECK_DV_BOOLEAN_(T, name, dv)                                                        \
    HAFT_DEFAULT_IS_(T, name, dv, "a boolean", int : 1, bool : 1)
#define HAFT_CHECK_DV_INTEGER_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "an integer", HAFT_INTS_)
#define HAFT_CHECK_DV_NUMBER_(T, name, dv)                                                         \
    HAFT_DEFAULT_IS_(T, name, dv, "a number", HAFT_INTS_, float : 1, double : 1)
#define HAFT_CHECK_DV_STRING_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "a string", HAFT_TEXTS_)
#define HAFT_CHECK_DV_ENUM_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "an enumerator", HAFT_INTS_)
#define HAFT_CHECK_DV_BYTES_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "JSON in a string", HAFT_TEXTS_)
#define HAFT_CHECK_DV_OBJECT_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "JSON in a string", HAFT_TEXTS_)
#define HAFT_CHECK_DV_UNION_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "JSON in a string", HAFT_TEXTS_)
#define HAFT_CHECK_DV_POINTER_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "JSON in a string", HAFT_TEXTS_)
#define HAFT_CHECK_DV_ARRAY_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "JSON in a string", HAFT_TEXTS_)
#define HAFT_CHECK_DV_FIXED_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "JSON in a string", HAFT_TEXTS_)
#define HAFT_CHECK_DV_MAP_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "JSON in a string", HAFT_TEXTS_)
#define HAFT_CHECK_DV_JSON_(T, name, dv) HAFT_DEFAULT_IS_(T, name, dv, "JSON in a string", HAFT_TEXTS_)

/* ---- the table entry ---- */
#define HAFT_FIELD_(T, tuple) HAFT_FIELD2_(T, HAFT_STRIP_ tuple)
#define HAFT_FIELD2_(...) HAFT_FIELD3_(__VA_ARGS__)
#define HAFT_FIELD3_(T, presence_, dv, null_, wire, header_, written, kind_, name_, type_, ...)    \
    {.name = wire,                                                                                 \
     .kind = HAFT_KIND_##kind_,                                                                    \
     .presence = HAFT_PRESENCE_##presence_,                                                        \
     .header = header_,                                                                            \
     .offset = offsetof(T, name_),                                                                 \
     .storage = HAFT_STORED_##kind_##_(HAFT_OF_(T, name_), type_),                                 \
     .width = sizeof HAFT_OF_(T, name_),                                                           \
     HAFT_AT_HAS_##presence_##_(T, kind_, name_) HAFT_AT_NULL_##null_##_(T, name_)                 \
         HAFT_AT_##kind_##_(T, name_) HAFT_FALLBACK_##presence_##_(kind_, dv)                      \
             HAFT_TYPE_##kind_##_(HAFT_OF_(T, name_), type_)                                       \
                 .rules.HAFT_RULES_##kind_##_ = {HAFT_WIDE_##kind_##_ .description = __VA_ARGS__}},
#define HAFT_ITEM_(...) HAFT_ITEM2_(__VA_ARGS__)
#define HAFT_ITEM2_(x, presence_, dv, null_, wire, header_, written, kind_, name_, type_, ...)     \
    {.name = wire,                                                                                 \
     .kind = HAFT_KIND_##kind_,                                                                    \
     .presence = HAFT_PRESENCE_##presence_,                                                        \
     .storage = HAFT_STORED_##kind_##_(x, type_),                                                  \
     .width = sizeof(x),                                                                           \
     HAFT_ITEM_NULL_##null_##_ HAFT_TYPE_##kind_##_(x, type_).rules.HAFT_RULES_##kind_##_ = {      \
         HAFT_WIDE_##kind_##_ .description = __VA_ARGS__}}
#define HAFT_ITEM_NULL_SOLID_
#define HAFT_ITEM_NULL_NULLABLE_ .nullable = true,
#define HAFT_AT_HAS_REQUIRED_(T, kind, name)
#define HAFT_AT_HAS_DEFAULT_(T, kind, name)
#define HAFT_AT_HAS_OPTIONAL_(T, kind, name) HAFT_AT_HAS_##kind##_(T, name)
#define HAFT_AT_HAS_BOOLEAN_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_INTEGER_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_NUMBER_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_STRING_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_BYTES_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_ENUM_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_OBJECT_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_UNION_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_POINTER_(T, name)
#define HAFT_AT_HAS_ARRAY_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_MAP_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_JSON_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_FIXED_(T, name) .has = offsetof(T, has_##name),
#define HAFT_AT_HAS_EXTENDS_(T, name)
#define HAFT_AT_NULL_SOLID_(T, name)
#define HAFT_AT_NULL_NULLABLE_(T, name) .nullable = true, .null = offsetof(T, null_##name),
#define HAFT_AT_BOOLEAN_(T, name)
#define HAFT_AT_INTEGER_(T, name)
#define HAFT_AT_NUMBER_(T, name)
#define HAFT_AT_STRING_(T, name)
#define HAFT_AT_BYTES_(T, name) .count = offsetof(T, name##_size),
#define HAFT_AT_ENUM_(T, name)
#define HAFT_AT_OBJECT_(T, name)
#define HAFT_AT_UNION_(T, name)
#define HAFT_AT_POINTER_(T, name)
#define HAFT_AT_ARRAY_(T, name) .count = offsetof(T, n_##name),
#define HAFT_AT_MAP_(T, name) .count = offsetof(T, n_##name), .keys = offsetof(T, name##_keys),
#define HAFT_AT_FIXED_(T, name)
#define HAFT_AT_JSON_(T, name)
#define HAFT_AT_EXTENDS_(T, name)
#define HAFT_FALLBACK_REQUIRED_(kind, dv)
#define HAFT_FALLBACK_OPTIONAL_(kind, dv)
#define HAFT_FALLBACK_DEFAULT_(kind, dv) HAFT_FALLBACK2_##kind##_(dv)
#define HAFT_FALLBACK2_BOOLEAN_(dv) .fallback.boolean = (dv),
#define HAFT_FALLBACK2_INTEGER_(dv) .fallback.integer = (dv),
#define HAFT_FALLBACK2_NUMBER_(dv) .fallback.number = (dv),
#define HAFT_FALLBACK2_ENUM_(dv) .fallback.integer = (dv),
#define HAFT_FALLBACK2_STRING_(dv) .fallback.text = (dv),
#define HAFT_FALLBACK2_BYTES_(dv) .fallback.text = (dv),
#define HAFT_FALLBACK2_OBJECT_(dv) .fallback.text = (dv),
#define HAFT_FALLBACK2_UNION_(dv) .fallback.text = (dv),
#define HAFT_FALLBACK2_POINTER_(dv) .fallback.text = (dv),
#define HAFT_FALLBACK2_ARRAY_(dv) .fallback.text = (dv),
#define HAFT_FALLBACK2_FIXED_(dv) .fallback.text = (dv),
#define HAFT_FALLBACK2_MAP_(dv) .fallback.text = (dv),
#define HAFT_FALLBACK2_JSON_(dv) .fallback.text = (dv),
#define HAFT_TYPE_BOOLEAN_(x, T)
#define HAFT_TYPE_INTEGER_(x, T)
#define HAFT_TYPE_NUMBER_(x, T)
#define HAFT_TYPE_STRING_(x, T)
#define HAFT_TYPE_BYTES_(x, T)
#define HAFT_TYPE_ENUM_(x, T) .type = &T##_type,
#define HAFT_TYPE_OBJECT_(x, T) .type = &T##_type,
#define HAFT_TYPE_UNION_(x, T) .type = &T##_type,
#define HAFT_TYPE_POINTER_(x, T) .type = &T##_type,
#define HAFT_TYPE_JSON_(x, T)
#define HAFT_TYPE_EXTENDS_(x, T) .type = &T##_type,
#define HAFT_TYPE_ARRAY_(x, tuple)                                                                 \
    .item = &(const haft_field)HAFT_ITEM_((x)[0], HAFT_STRIP_ tuple), .stride = sizeof(x)[0],
#define HAFT_TYPE_MAP_(x, tuple) HAFT_TYPE_ARRAY_(x, tuple)
#define HAFT_TYPE_FIXED_(x, sized) HAFT_TYPE_FIXED2_(x, HAFT_STRIP_ sized)
#define HAFT_TYPE_FIXED2_(...) HAFT_TYPE_FIXED3_(__VA_ARGS__)
#define HAFT_TYPE_FIXED3_(x, n, tuple) HAFT_TYPE_ARRAY_(x, tuple)
#define HAFT_RULES_BOOLEAN_ plain
#define HAFT_RULES_INTEGER_ integer
#define HAFT_RULES_NUMBER_ number
#define HAFT_RULES_STRING_ string
#define HAFT_RULES_BYTES_ plain
#define HAFT_RULES_ENUM_ plain
#define HAFT_RULES_OBJECT_ plain
#define HAFT_RULES_UNION_ plain
#define HAFT_RULES_POINTER_ plain
#define HAFT_RULES_ARRAY_ array
#define HAFT_RULES_FIXED_ array
#define HAFT_RULES_MAP_ map
#define HAFT_RULES_JSON_ plain
#define HAFT_RULES_EXTENDS_ plain
#define HAFT_WIDE_BOOLEAN_
#define HAFT_WIDE_INTEGER_ .min = INT64_MIN, .max = INT64_MAX, .above = INT64_MIN, .below = INT64_MAX,
#define HAFT_WIDE_NUMBER_ .min = -DBL_MAX, .max = DBL_MAX, .above = -DBL_MAX, .below = DBL_MAX,
#define HAFT_WIDE_STRING_ .max = SIZE_MAX,
#define HAFT_WIDE_BYTES_
#define HAFT_WIDE_ENUM_
#define HAFT_WIDE_OBJECT_
#define HAFT_WIDE_UNION_
#define HAFT_WIDE_POINTER_
#define HAFT_WIDE_ARRAY_ .max = SIZE_MAX,
#define HAFT_WIDE_FIXED_ .max = SIZE_MAX,
#define HAFT_WIDE_MAP_ .max = SIZE_MAX,
#define HAFT_WIDE_JSON_
#define HAFT_WIDE_EXTENDS_

/* ---- enumerations and choices ---- */
#define HAFT_ENUMERATOR_(T, name, text) name,
#define HAFT_ENUM_NAME_(T, name, text) &text[1],
#define HAFT_ENUM_CHECK_(T, name, text)                                                            \
    HAFT_ASSERT_(sizeof text > 2, "an enumerator of " #T " has no name");
#define HAFT_PLUS_ONE_(T, name) + 1
#define HAFT_VALUE_CHECK_(T, pair) HAFT_VALUE_CHECK2_(HAFT_SECOND_(HAFT_PROBE_ pair, 0, 0), T, pair)
#define HAFT_VALUE_CHECK2_(...) HAFT_VALUE_CHECK3_(__VA_ARGS__)
#define HAFT_VALUE_CHECK3_(is_value, T, pair) HAFT_VALUE_##is_value##_(T, pair)
#define HAFT_VALUE_0_(T, thing)                                                                    \
    _Static_assert(0, #T ": this is not a HAFT_VALUE(enumerator, \"name\"): " #thing);
#define HAFT_VALUE_1_(T, pair) HAFT_VALUE_HELD_(T, HAFT_STRIP_ pair)
#define HAFT_VALUE_HELD_(...) HAFT_VALUE_HELD2_(__VA_ARGS__)
#define HAFT_VALUE_HELD2_(T, number, text)                                                         \
    HAFT_ASSERT_((int64_t)(T)(number) == (int64_t)(number), #T " cannot hold " #number);
#define HAFT_VALUE_NAME_(T, pair) HAFT_VALUE_NAME2_ pair
#define HAFT_VALUE_NAME2_(number, text) text,
#define HAFT_VALUE_NUMBER_(T, pair) HAFT_VALUE_NUMBER2_ pair
#define HAFT_VALUE_NUMBER2_(number, text) (number),
#define HAFT_CASE_ENUM_(T, pair) HAFT_CASE_ENUM2_(T, HAFT_STRIP_ pair)
#define HAFT_CASE_ENUM2_(...) HAFT_CASE_ENUM3_(__VA_ARGS__)
#define HAFT_CASE_ENUM3_(T, wire, under_name, name, type) T##under_name,
#define HAFT_CASE_CHECK_(T, pair) HAFT_CASE_CHECK2_ pair
#define HAFT_CASE_CHECK2_(wire, under_name, name, type)                                            \
    HAFT_ASSERT_(sizeof wire == sizeof #name, "the case name " wire " is a macro: name it otherwise");
#define HAFT_CASE_MEMBER_(T, pair) HAFT_CASE_MEMBER2_ pair
#define HAFT_CASE_MEMBER2_(wire, under_name, name, type) type name;
#define HAFT_CASE_FIELD_(T, pair) HAFT_CASE_FIELD2_(T, HAFT_STRIP_ pair)
#define HAFT_CASE_FIELD2_(...) HAFT_CASE_FIELD3_(__VA_ARGS__)
#define HAFT_CASE_FIELD3_(T, wire, under_name, name_, type_)                                       \
    {.name = wire, .kind = HAFT_KIND_OBJECT, .offset = offsetof(T, as), .type = &type_##_type},

#endif
