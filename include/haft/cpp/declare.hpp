/* haft/cpp/declare.hpp - the declarations of haft/declare.h in C++.
 *
 *     HAFT_STRUCT(search_args,
 *         HAFT_FIELD(std::string, query, "Part of a product's name", .min = 1),
 *         HAFT_FIELD(std::optional<int>, limit, "How many to return", .max = 50),
 *         HAFT_DEFAULT(HAFT_FIELD(bool, exact, "Whether case matters"), false),
 *         HAFT_FIELD((std::map<std::string, double>), prices, "By currency"));
 *
 * declares `struct search_args` with those members, of any type that docs/cpp.md lists; a type that
 * has a comma stands in parentheses.  haft::server::tool and haft::schema_of (haft.hpp) do the rest.
 * The fields of haft/declare.h give the members that they give in C, so that a header may be of both
 * languages; a struct has fields of one of the two kinds.
 *
 *     HAFT_SCHEMA(T, HAFT_MEMBER(query, "..."), ...)       for a struct that exists already
 *     HAFT_ENUM_CLASS(order, name, (price, "by-price"))    enum class order { name, price }
 *     HAFT_ENUM_NAMES(order, name, (price, "by-price"))    for an enum that exists already
 *     HAFT_ENUM_NAMES(region, HAFT_VALUE(EAST, "east"))    the same as in C
 *     HAFT_REFINE(T, fn)                                   void fn(haft::refinement &, const T &)
 *
 * All of them go where T is declared: in its namespace, outside of classes and functions.  C's
 * headers include this one. */
#ifndef HAFT_CPP_DECLARE_HPP
#define HAFT_CPP_DECLARE_HPP

#include <haft/cpp/declare_c.hpp>
#include <haft/cpp/refine.hpp>

#define HAFT_FIELD(type, name, ...)                                                                \
    (REQUIRED, 0, MEMBER, #name, nullptr, #name, CPP, name, type, __VA_ARGS__)
#define HAFT_MEMBER(name, ...)                                                                     \
    (REQUIRED, 0, MEMBER, #name, nullptr, #name, FOUND, name, 0, __VA_ARGS__)

#undef HAFT_STRUCT
#define HAFT_STRUCT(T, ...)                                                                        \
    HAFT_EACH_(HAFT_MEMBERS_, T, __VA_ARGS__)                                                      \
    HAFT_FORWARD(T);                                                                               \
    HAFT_CPP_TYPES_(T, HAFT_CPP_TYPE_, __VA_ARGS__)                                                \
    struct T {                                                                                     \
        typedef T##_types_ haft_types_;                                                            \
        HAFT_EACH_(HAFT_MEMBER_, T, __VA_ARGS__)                                                   \
    };                                                                                             \
    HAFT_DESCRIBE_(T, __VA_ARGS__)

#undef HAFT_SCHEMA
#define HAFT_SCHEMA(T, ...)                                                                        \
    HAFT_EACH_(HAFT_LISTED_, T, __VA_ARGS__)                                                       \
    HAFT_DESCRIBE_(T, __VA_ARGS__)

#undef HAFT_FORWARD
#define HAFT_FORWARD(T) typedef struct T T

#define HAFT_ENUM_CLASS(T, ...)                                                                    \
    HAFT_ENUM_WRITTEN_(T, #__VA_ARGS__, __VA_ARGS__)                                               \
    enum class T { HAFT_EACH_(HAFT_CPP_ENUMERATOR_, T, __VA_ARGS__) };                             \
    HAFT_ENUM_FUNCTION_(T, HAFT_TEXT_(T) HAFT_EACH_(HAFT_CPP_NUMBER_, T, __VA_ARGS__))

#undef HAFT_ENUM_NAMES
#define HAFT_ENUM_NAMES(T, ...)                                                                    \
    static_assert(::std::is_enum_v<T> || ::haft::detail::is_c_integer<T>(),                        \
                  #T " must be an enum or an integer");                                            \
    HAFT_ENUM_WRITTEN_(T, #__VA_ARGS__, __VA_ARGS__)                                               \
    HAFT_EACH_(HAFT_CPP_HELD_, T, __VA_ARGS__)                                                     \
    HAFT_ENUM_FUNCTION_(T, HAFT_TEXT_(T) HAFT_EACH_(HAFT_CPP_NUMBER_, T, __VA_ARGS__))

/* Three things, so that it is not taken for a name and its text. */
#undef HAFT_VALUE
#define HAFT_VALUE(enumerator, name) (VALUE, enumerator, name)

#undef HAFT_ENUMERATION
#define HAFT_ENUMERATION(T, ...)                                                                   \
    HAFT_WRITTEN_(_##__VA_ARGS__)(HAFT_ENUM_CHECK_, T, _##__VA_ARGS__)                             \
    typedef enum T {                                                                               \
        HAFT_WRITTEN_(_##__VA_ARGS__)(HAFT_ENUMERATOR_, T, _##__VA_ARGS__) T##_count_              \
    } T;                                                                                           \
    static_assert(0 HAFT_EACH_(HAFT_PLUS_ONE_, T, __VA_ARGS__) == T##_count_,                      \
                  "a macro in the enumeration " #T " stands for several names: write them out");   \
    HAFT_ENUM_FUNCTION_(                                                                           \
        T, #T HAFT_WRITTEN_(_##__VA_ARGS__)(HAFT_C_ENUMERATOR_, T, _##__VA_ARGS__))

#undef HAFT_CHOICE
#define HAFT_CHOICE(T, tagname, ...)                                                               \
    HAFT_EACH_(HAFT_CASE_CHECK_, T, __VA_ARGS__)                                                   \
    HAFT_CPP_TYPES_(T, HAFT_CASE_TYPE_, __VA_ARGS__)                                               \
    typedef struct T {                                                                             \
        typedef T##_types_ haft_types_;                                                            \
        enum T##_kind { HAFT_EACH_(HAFT_CASE_ENUM_, T, __VA_ARGS__) T##_count_ } kind;             \
        union {                                                                                    \
            HAFT_EACH_(HAFT_CASE_MEMBER_, T, __VA_ARGS__)                                          \
        } as;                                                                                      \
    } T;                                                                                           \
    extern "C++" inline constexpr auto haft_choice_(::haft::detail::tag<T>)                        \
    {                                                                                              \
        return ::haft::detail::make_c_choice(#T,                                                   \
                                             tagname HAFT_EACH_(HAFT_C_CASE_, T, __VA_ARGS__));    \
    }                                                                                              \
    static_assert(true, "")

#undef HAFT_LIST
#define HAFT_LIST(T, item, ...) HAFT_CPP_LIST_(T, HAFT_ARRAY(items, item, __VA_ARGS__))
#define HAFT_CPP_LIST_(T, field)                                                                   \
    HAFT_FORWARD(T);                                                                               \
    HAFT_CPP_TYPES_(T, HAFT_CPP_TYPE_, field)                                                      \
    struct T {                                                                                     \
        typedef T##_types_ haft_types_;                                                            \
        HAFT_MEMBER_(T, field)                                                                     \
    };                                                                                             \
    extern "C++" inline constexpr auto haft_list_(::haft::detail::tag<T>)                          \
    {                                                                                              \
        return ::haft::detail::describe(#T HAFT_CPP_FIELD_(T, field));                             \
    }                                                                                              \
    static_assert(true, "")

#undef HAFT_OPTIONS
#define HAFT_OPTIONS(T, ...)                                                                       \
    extern "C++" inline constexpr ::haft_type_options haft_options_(::haft::detail::tag<T>)        \
    {                                                                                              \
        ::haft_type_options rules_{};                                                              \
        rules_.struct_size = sizeof rules_;                                                        \
        HAFT_RULES_(nullptr, __VA_ARGS__)                                                          \
        return rules_;                                                                             \
    }                                                                                              \
    static_assert(true, "")

#undef HAFT_REFINE
#define HAFT_REFINE(T, fn)                                                                         \
    static_assert(::haft::detail::is_refinement<T, decltype(&fn)>,                                 \
                  "refinement " #fn " must be void " #fn "(haft::refinement &, const " #T " &)");  \
    extern "C++" inline void haft_refine_(::haft_refinement *refinement_, const T &value_)         \
    {                                                                                              \
        ::haft::detail::refine(&fn, refinement_, value_);                                          \
    }                                                                                              \
    static_assert(true, "")

/* ---- behind the macros ---- */

/* A field is one of C, or a member of any type; a struct has fields of one of the two. */
#define HAFT_SIDE_CPP_ MEMBER
#define HAFT_SIDE_FOUND_ MEMBER
#define HAFT_SIDE_BOOLEAN_ C
#define HAFT_SIDE_INTEGER_ C
#define HAFT_SIDE_NUMBER_ C
#define HAFT_SIDE_STRING_ C
#define HAFT_SIDE_BYTES_ C
#define HAFT_SIDE_ENUM_ C
#define HAFT_SIDE_OBJECT_ C
#define HAFT_SIDE_UNION_ C
#define HAFT_SIDE_POINTER_ C
#define HAFT_SIDE_ARRAY_ C
#define HAFT_SIDE_FIXED_ C
#define HAFT_SIDE_MAP_ C
#define HAFT_SIDE_JSON_ C
#define HAFT_SIDE_EXTENDS_ C

/* A member declared by HAFT_FIELD says by its type that it may be null: it needs no null_x. */
#undef HAFT_AS_NULLABLE_
#define HAFT_AS_NULLABLE_(presence, dv, null, ...) (presence, dv, HAFT_NULLABLE_##null##_, __VA_ARGS__)
#define HAFT_NULLABLE_SOLID_ NULLABLE
#define HAFT_NULLABLE_NULLABLE_ NULLABLE
#define HAFT_NULLABLE_MEMBER_ MAYBE
#define HAFT_NULLABLE_MAYBE_ MAYBE
#define HAFT_NULL_MEMBER_(name)
#define HAFT_NULL_MAYBE_(name)
#define HAFT_MAY_BE_NULL_MEMBER_ false
#define HAFT_MAY_BE_NULL_MAYBE_ true
#define HAFT_HAS_CPP_(name)
#define HAFT_HAS_FOUND_(name)
#define HAFT_MEMBER_CPP_(name, type, ...) HAFT_UNPACKED_(type) name{};

/* A type with or without parentheses around it, without them. */
#define HAFT_UNPACKED_(type) HAFT_UNPACK2_(HAFT_NO_, HAFT_PACK_ type)
#define HAFT_UNPACK2_(a, ...) HAFT_UNPACK3_(a, __VA_ARGS__)
#define HAFT_UNPACK3_(a, ...) a##__VA_ARGS__
#define HAFT_PACK_(...) HAFT_PACK_ __VA_ARGS__
#define HAFT_NO_HAFT_PACK_

/* The second reading of the fields: assertions, and a function that the type's namespace has. */
#define HAFT_DESCRIBE_(T, ...)                                                                     \
    extern "C++" {                                                                                 \
    HAFT_EACH_(HAFT_CPP_CHECK_, T, __VA_ARGS__)                                                    \
    static_assert((true HAFT_EACH_(HAFT_CPP_SAME_, T, __VA_ARGS__)) ||                             \
                      !(false HAFT_EACH_(HAFT_CPP_ANY_, T, __VA_ARGS__)),                          \
                  #T " has fields of C and HAFT_FIELD: it must be one of the two");                \
    inline constexpr auto haft_fields_(::haft::detail::tag<T>)                                     \
    {                                                                                              \
        return ::haft::detail::describe(#T HAFT_EACH_(HAFT_CPP_FIELD_, T, __VA_ARGS__));           \
    }                                                                                              \
    }                                                                                              \
    static_assert(true, "")

#define HAFT_CPP_SAME_(T, tuple) HAFT_CPP_SAME2_ tuple
#define HAFT_CPP_SAME2_(presence, dv, null, wire, header, written, kind, ...) &&HAFT_IS_CPP_(HAFT_SIDE_##kind##_)
#define HAFT_CPP_ANY_(T, tuple) HAFT_CPP_ANY2_ tuple
#define HAFT_CPP_ANY2_(presence, dv, null, wire, header, written, kind, ...) || HAFT_IS_CPP_(HAFT_SIDE_##kind##_)
#define HAFT_IS_CPP_(side) HAFT_IS_CPP2_(side)
#define HAFT_IS_CPP2_(side) HAFT_IS_CPP_##side##_
#define HAFT_IS_CPP_MEMBER_ true
#define HAFT_IS_CPP_C_ false

/* Leaves out an entry that is not a field; HAFT_LISTED_ has reported it. */
#define HAFT_IF_FIELD_(F, T, tuple) HAFT_IF_FIELD2_(HAFT_SECOND_(HAFT_PROBE_ tuple, 0, 0), F, T, tuple)
#define HAFT_IF_FIELD2_(...) HAFT_IF_FIELD3_(__VA_ARGS__)
#define HAFT_IF_FIELD3_(is_field, F, T, tuple) HAFT_IF_FIELD_##is_field##_(F, T, tuple)
#define HAFT_IF_FIELD_0_(F, T, thing)
#define HAFT_IF_FIELD_1_(F, T, tuple) F(T, HAFT_STRIP_ tuple)

/* ---- assertions ---- */
#define HAFT_CPP_CHECK_(T, tuple) HAFT_IF_FIELD_(HAFT_CPP_CHECK2_, T, tuple)
#define HAFT_CPP_CHECK2_(...) HAFT_CPP_CHECK3_(__VA_ARGS__)
#define HAFT_CPP_CHECK3_(T, presence, dv, null, wire, header, written, kind, ...)                  \
    HAFT_CPP_CHECK4_(HAFT_SIDE_##kind##_, T, presence, dv, null, wire, header, written, kind, __VA_ARGS__)
#define HAFT_CPP_CHECK4_(...) HAFT_CPP_CHECK5_(__VA_ARGS__)
#define HAFT_CPP_CHECK5_(side, ...) HAFT_##side##_CHECK_(__VA_ARGS__)
#define HAFT_C_CHECK_(...) HAFT_CHECK3_(__VA_ARGS__)
#define HAFT_MEMBER_CHECK_(T, presence, dv, null, wire, header, written, kind, name, type, ...)    \
    HAFT_CPP_CHECK_##kind##_(T, presence, dv, null, name, type, __VA_ARGS__, 0)
#define HAFT_CPP_CHECK_CPP_(T, presence, dv, null, name, type, ...)                                \
    static_assert(::std::is_same_v<decltype(T::name), HAFT_UNPACKED_(type)>,                       \
                  #T "." #name " must be declared as " #type);                                     \
    HAFT_CPP_CHECK_FOUND_(T, presence, dv, null, name, type, __VA_ARGS__)
#define HAFT_CPP_CHECK_FOUND_(T, presence, dv, null, name, type, ...)                              \
    static_assert(::haft::detail::can_be_member<decltype(T::name)>(),                              \
                  #T "." #name ": haft has no JSON for this type; docs/cpp.md has those it has");  \
    HAFT_CPP_CHECK_WORDS_(#T "." #name, __VA_ARGS__)                                               \
    HAFT_CPP_CHECK_HAS_##presence##_(T, dv, name)                                                  \
    static_assert(!HAFT_MAY_BE_NULL_##null##_ ||                                                   \
                      ::haft::detail::form_of<decltype(T::name)>::value ==                         \
                          ::haft::detail::form::optional,                                          \
                  #T "." #name " may be null: it must be a std::optional");
#define HAFT_CPP_CHECK_WORDS_(what, text, ...)                                                     \
    static_assert(sizeof #text > 1 && sizeof "" text > 1, what " needs a description");
#define HAFT_CPP_CHECK_HAS_REQUIRED_(T, dv, name)
#define HAFT_CPP_CHECK_HAS_OPTIONAL_(T, dv, name)                                                  \
    static_assert(::haft::detail::form_of<decltype(T::name)>::value ==                             \
                      ::haft::detail::form::optional,                                              \
                  #T "." #name " may be absent: it must be a std::optional");
#define HAFT_CPP_CHECK_HAS_DEFAULT_(T, dv, name)                                                   \
    static_assert(::haft::detail::is_default_for<decltype(T::name), decltype(dv)>(),               \
                  "the default of " #T "." #name " must be of its type, or JSON in a string");
/* ---- the fields ---- */
#define HAFT_CPP_FIELD_(T, tuple) HAFT_IF_FIELD_(HAFT_CPP_FIELD2_, T, tuple)
#define HAFT_CPP_FIELD2_(...) HAFT_CPP_FIELD3_(__VA_ARGS__)
#define HAFT_CPP_FIELD3_(T, presence, dv, null, wire, header, written, kind, ...)                  \
    HAFT_CPP_FIELD4_(HAFT_SIDE_##kind##_, T, presence, dv, null, wire, header, written, kind, __VA_ARGS__)
#define HAFT_CPP_FIELD4_(...) HAFT_CPP_FIELD5_(__VA_ARGS__)
#define HAFT_CPP_FIELD5_(side, ...) HAFT_##side##_FIELD_(__VA_ARGS__)
#define HAFT_MEMBER_FIELD_(T, presence, dv, null, wire, header, written, kind, name, type, ...)    \
    , ::haft::detail::field<&T::name>                                                              \
    {                                                                                              \
        wire, header, HAFT_PRESENCE_##presence, HAFT_MAY_BE_NULL_##null##_,                        \
            ::haft::detail::make_fallback<decltype(T::name)>(dv), [] {                             \
                ::haft::detail::rules_of<decltype(T::name)> rules_;                                \
                HAFT_RULES_(__VA_ARGS__)                                                           \
                return rules_;                                                                     \
            }()                                                                                    \
    }

/* A description and rules, `"...", .min = 1, .max = 9`, as assignments to rules_: they may come in any
 * order, in C++17 too. */
#define HAFT_RULES_(...)                                                                           \
    HAFT_RULES_PICK_(__VA_ARGS__, HAFT_R12_, HAFT_R11_, HAFT_R10_, HAFT_R9_, HAFT_R8_, HAFT_R7_,   \
                     HAFT_R6_, HAFT_R5_, HAFT_R4_, HAFT_R3_, HAFT_R2_, HAFT_R1_, HAFT_R0_, 0)      \
    (__VA_ARGS__)
#define HAFT_RULES_PICK_(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, N, ...) N
#define HAFT_R0_(d) rules_.description = d;
#define HAFT_R1_(d_, a) HAFT_R0_(d_) rules_ a;
#define HAFT_R2_(d_, a, b) HAFT_R1_(d_, a) rules_ b;
#define HAFT_R3_(d_, a, b, c) HAFT_R2_(d_, a, b) rules_ c;
#define HAFT_R4_(d_, a, b, c, d) HAFT_R3_(d_, a, b, c) rules_ d;
#define HAFT_R5_(d_, a, b, c, d, e) HAFT_R4_(d_, a, b, c, d) rules_ e;
#define HAFT_R6_(d_, a, b, c, d, e, f) HAFT_R5_(d_, a, b, c, d, e) rules_ f;
#define HAFT_R7_(d_, a, b, c, d, e, f, g) HAFT_R6_(d_, a, b, c, d, e, f) rules_ g;
#define HAFT_R8_(d_, a, b, c, d, e, f, g, h) HAFT_R7_(d_, a, b, c, d, e, f, g) rules_ h;
#define HAFT_R9_(d_, a, b, c, d, e, f, g, h, i) HAFT_R8_(d_, a, b, c, d, e, f, g, h) rules_ i;
#define HAFT_R10_(d_, a, b, c, d, e, f, g, h, i, j) HAFT_R9_(d_, a, b, c, d, e, f, g, h, i) rules_ j;
#define HAFT_R11_(d_, a, b, c, d, e, f, g, h, i, j, k) HAFT_R10_(d_, a, b, c, d, e, f, g, h, i, j) rules_ k;
#define HAFT_R12_(d_, a, b, c, d, e, f, g, h, i, j, k, l) HAFT_R11_(d_, a, b, c, d, e, f, g, h, i, j, k) rules_ l;

/* ---- enumerators: HAFT_VALUE(number, "text"), (name, "text") or name ---- */
#define HAFT_ENUM_TAG_(T) ::haft::detail::enum_tag<T, ::haft::detail::hash(HAFT_TEXT_(T))>
#define HAFT_TEXT_(...) HAFT_TEXT2_(__VA_ARGS__)
#define HAFT_TEXT2_(...) #__VA_ARGS__
#define HAFT_ENUM_FUNCTION_(T, ...)                                                                \
    extern "C++" inline constexpr auto haft_enum_(HAFT_ENUM_TAG_(T))                               \
    {                                                                                              \
        return ::haft::detail::enumerate<T>(__VA_ARGS__);                                          \
    }                                                                                              \
    static_assert(true, "")
#define HAFT_ENUM_WRITTEN_(T, written, ...)                                                        \
    static_assert(::haft::detail::all_named({HAFT_EACH_(HAFT_CPP_NAME_, T, __VA_ARGS__)}),         \
                  "an enumerator of " #T " has no name");                                          \
    static_assert(::haft::detail::as_written(written, {HAFT_EACH_(HAFT_CPP_NAME_, T, __VA_ARGS__)}),\
                  "the name of an enumerator of " #T " is a macro: name it otherwise, (name, \"text\")");
#define HAFT_OF_THREE_(F, ...) HAFT_OF_THREE2_(__VA_ARGS__, F##_VALUE_, F##_PAIR_, F##_PLAIN_, 0)
#define HAFT_OF_THREE2_(a, b, c, N, ...) N
#define HAFT_CPP_NAME_(T, item) HAFT_CPP_EACH_(HAFT_NAME, T, HAFT_UNPACKED_(item))
#define HAFT_CPP_ENUMERATOR_(T, item) HAFT_CPP_EACH_(HAFT_NEW, T, HAFT_UNPACKED_(item))
#define HAFT_CPP_NUMBER_(T, item) HAFT_CPP_EACH_(HAFT_ENUMERATE, T, HAFT_UNPACKED_(item))
#define HAFT_CPP_HELD_(T, item) HAFT_CPP_EACH_(HAFT_HELD, T, HAFT_UNPACKED_(item))
#define HAFT_CPP_EACH_(...) HAFT_CPP_EACH2_(__VA_ARGS__)
#define HAFT_CPP_EACH2_(F, T, ...) HAFT_OF_THREE_(F, __VA_ARGS__)(T, __VA_ARGS__)
#define HAFT_NAME_PLAIN_(T, name) #name,
#define HAFT_NAME_PAIR_(T, name, text) #name,
#define HAFT_NAME_VALUE_(T, value, number, text) nullptr,
#define HAFT_NEW_PLAIN_(T, name) name,
#define HAFT_NEW_PAIR_(T, name, text) name,
#define HAFT_ENUMERATE_PLAIN_(T, name) , ::haft::detail::enumerator{#name, T::name}
#define HAFT_ENUMERATE_PAIR_(T, name, text) , ::haft::detail::enumerator{text, T::name}
#define HAFT_ENUMERATE_VALUE_(T, value, number, text) , ::haft::detail::enumerator{text, number}
#define HAFT_HELD_PLAIN_(T, name)
#define HAFT_HELD_PAIR_(T, name, text)
#define HAFT_HELD_VALUE_(T, value, number, text) HAFT_VALUE_HELD2_(T, number, text)

#endif
