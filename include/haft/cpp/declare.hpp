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
 *     HAFT_ENUM_NAMES(order, name, price)                  for an enum that exists already
 *     HAFT_REFINE(T, fn)                                   void fn(haft::refinement &, const T &)
 *
 * All of them go where T is declared: in its namespace, outside of classes and functions.  C's
 * headers include this one. */
#ifndef HAFT_CPP_DECLARE_HPP
#define HAFT_CPP_DECLARE_HPP

#include <haft/cpp/refine.hpp>
#include <haft/cpp/rules.hpp>

#define HAFT_FIELD(type, name, ...) (REQUIRED, 0, MEMBER, #name, nullptr, CPP, name, type, __VA_ARGS__)
#define HAFT_MEMBER(name, ...) (REQUIRED, 0, MEMBER, #name, nullptr, FOUND, name, 0, __VA_ARGS__)

#undef HAFT_STRUCT
#define HAFT_STRUCT(T, ...)                                                                        \
    HAFT_FORWARD(T);                                                                               \
    struct T {                                                                                     \
        HAFT_EACH_(HAFT_MEMBER_, T, __VA_ARGS__)                                                   \
    };                                                                                             \
    HAFT_DESCRIBE_(T, __VA_ARGS__)

#undef HAFT_SCHEMA
#define HAFT_SCHEMA(T, ...) HAFT_DESCRIBE_(T, __VA_ARGS__)

#undef HAFT_FORWARD
#define HAFT_FORWARD(T) typedef struct T T

#define HAFT_ENUM_CLASS(T, ...)                                                                    \
    enum class T { HAFT_EACH_(HAFT_CPP_ENUMERATOR_, T, __VA_ARGS__) };                             \
    HAFT_ENUM_NAMES(T, __VA_ARGS__)

#define HAFT_ENUM_NAMES(T, ...)                                                                    \
    extern "C++" {                                                                                 \
    static_assert(::std::is_enum_v<T>, #T " must be an enum");                                     \
    inline constexpr auto haft_enum_(::haft::detail::tag<T>)                                       \
    {                                                                                              \
        return ::haft::detail::enumerate<T>(#T HAFT_EACH_(HAFT_CPP_ENUM_NAME_, T, __VA_ARGS__));   \
    }                                                                                              \
    }                                                                                              \
    static_assert(true, "")

#undef HAFT_ENUMERATION
#define HAFT_ENUMERATION(T, ...)                                                                   \
    typedef enum T { HAFT_EACH_(HAFT_ENUMERATOR_, T, __VA_ARGS__) T##_count_ } T;                  \
    extern "C++" {                                                                                 \
    inline constexpr auto haft_enum_(::haft::detail::tag<T>)                                       \
    {                                                                                              \
        return ::haft::detail::enumerate<T>(#T HAFT_EACH_(HAFT_CPP_C_NAME_, T, __VA_ARGS__));      \
    }                                                                                              \
    }                                                                                              \
    static_assert(sizeof(T) == sizeof(int), "an enum is stored as an int")

#undef HAFT_CHOICE
#define HAFT_CHOICE(T, tagname, ...)                                                               \
    typedef struct T {                                                                             \
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
#define HAFT_LIST(T, item, ...)                                                                    \
    typedef struct T {                                                                             \
        HAFT_EACH_(HAFT_MEMBER_, T, HAFT_ARRAY(items, item, __VA_ARGS__))                          \
    } T;                                                                                           \
    extern "C++" inline constexpr auto haft_list_(::haft::detail::tag<T>)                          \
    {                                                                                              \
        return ::haft::detail::describe(                                                           \
            #T HAFT_EACH_(HAFT_CPP_FIELD_, T, HAFT_ARRAY(items, item, __VA_ARGS__)));              \
    }                                                                                              \
    static_assert(true, "")

#undef HAFT_OPTIONS
#define HAFT_OPTIONS(T, ...)                                                                       \
    extern "C++" inline constexpr ::haft_type_options haft_options_(::haft::detail::tag<T>)        \
    {                                                                                              \
        ::haft_type_options rules_{};                                                              \
        rules_.struct_size = sizeof rules_;                                                        \
        HAFT_RULES_(nullptr, __VA_ARGS__)                               \
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

/* A member declared by HAFT_FIELD says by its type that it may be null: it needs no null_x. */
#undef HAFT_AS_NULLABLE_
#define HAFT_AS_NULLABLE_(presence, dv, null, ...) (presence, dv, NULLABLE_##null, __VA_ARGS__)
#define HAFT_NULL_MEMBER_(name)
#define HAFT_NULL_NULLABLE_MEMBER_(name)
#define HAFT_NULL_NULLABLE_SOLID_(name) bool null_##name;
#define HAFT_MAY_BE_NULL_SOLID_ false
#define HAFT_MAY_BE_NULL_MEMBER_ false
#define HAFT_MAY_BE_NULL_NULLABLE_MEMBER_ true

/* In C++ a member may only have the name of its type if it says what that is. */
#undef HAFT_CASE_MEMBER2_
#define HAFT_CASE_MEMBER2_(name, type) struct type name;
#undef HAFT_MEMBER_ENUM_
#define HAFT_MEMBER_ENUM_(name, type, ...) enum type name;
#undef HAFT_MEMBER_OBJECT_
#define HAFT_MEMBER_OBJECT_(name, type, ...) struct type name;
#undef HAFT_MEMBER_UNION_
#define HAFT_MEMBER_UNION_(name, type, ...) struct type name;
#undef HAFT_MEMBER_EXTENDS_
#define HAFT_MEMBER_EXTENDS_(name, type, ...) struct type name;
#undef HAFT_MEMBER_POINTER_
#define HAFT_MEMBER_POINTER_(name, type, ...) struct type *name;
#undef HAFT_CTYPE_ENUM_
#define HAFT_CTYPE_ENUM_(type) enum type
#undef HAFT_CTYPE_OBJECT_
#define HAFT_CTYPE_OBJECT_(type) struct type
#undef HAFT_CTYPE_UNION_
#define HAFT_CTYPE_UNION_(type) struct type
#undef HAFT_CTYPE_POINTER_
#define HAFT_CTYPE_POINTER_(type) struct type *

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
#define HAFT_CPP_SAME2_(presence, dv, null, wire, header, kind, ...) &&HAFT_IS_CPP_##kind##_
#define HAFT_CPP_ANY_(T, tuple) HAFT_CPP_ANY2_ tuple
#define HAFT_CPP_ANY2_(presence, dv, null, wire, header, kind, ...) || HAFT_IS_CPP_##kind##_
#define HAFT_IS_CPP_CPP_ true
#define HAFT_IS_CPP_FOUND_ true
#define HAFT_IS_CPP_BOOLEAN_ false
#define HAFT_IS_CPP_INTEGER_ false
#define HAFT_IS_CPP_NUMBER_ false
#define HAFT_IS_CPP_STRING_ false
#define HAFT_IS_CPP_BYTES_ false
#define HAFT_IS_CPP_ENUM_ false
#define HAFT_IS_CPP_OBJECT_ false
#define HAFT_IS_CPP_UNION_ false
#define HAFT_IS_CPP_POINTER_ false
#define HAFT_IS_CPP_ARRAY_ false
#define HAFT_IS_CPP_MAP_ false
#define HAFT_IS_CPP_JSON_ false
#define HAFT_IS_CPP_EXTENDS_ false

/* ---- assertions ---- */
#define HAFT_CPP_CHECK_(T, tuple) HAFT_CPP_CHECK2_(T, HAFT_STRIP_ tuple)
#define HAFT_CPP_CHECK2_(...) HAFT_CPP_CHECK3_(__VA_ARGS__)
#define HAFT_CPP_CHECK3_(T, presence, dv, null, wire, header, kind, name, type, ...)               \
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
/* Those of C have been checked by C, if anybody has. */
#define HAFT_CPP_CHECK_BOOLEAN_(...)
#define HAFT_CPP_CHECK_INTEGER_(...)
#define HAFT_CPP_CHECK_NUMBER_(...)
#define HAFT_CPP_CHECK_STRING_(...)
#define HAFT_CPP_CHECK_BYTES_(...)
#define HAFT_CPP_CHECK_ENUM_(...)
#define HAFT_CPP_CHECK_OBJECT_(...)
#define HAFT_CPP_CHECK_UNION_(...)
#define HAFT_CPP_CHECK_POINTER_(...)
#define HAFT_CPP_CHECK_ARRAY_(...)
#define HAFT_CPP_CHECK_MAP_(...)
#define HAFT_CPP_CHECK_JSON_(...)
#define HAFT_CPP_CHECK_EXTENDS_(...)

/* ---- the fields ---- */
#define HAFT_CPP_FIELD_(T, tuple) HAFT_CPP_FIELD2_(T, HAFT_STRIP_ tuple)
#define HAFT_CPP_FIELD2_(...) HAFT_CPP_FIELD3_(__VA_ARGS__)
#define HAFT_CPP_FIELD3_(T, presence, dv, null, wire, header, kind, name, type, ...)               \
    HAFT_CPP_FIELD_##kind##_(T, presence, dv, null, wire, header, name, type, __VA_ARGS__)
#define HAFT_CPP_FIELD_CPP_(T, presence, dv, null, wire, header, name, type, ...)                  \
    , ::haft::detail::field<&T::name>                                                              \
    {                                                                                              \
        wire, header, HAFT_PRESENCE_##presence, HAFT_MAY_BE_NULL_##null##_,                        \
            ::haft::detail::make_fallback<decltype(T::name)>(dv), [] {                             \
                ::haft::detail::rules_of<decltype(T::name)> rules_;                                \
                HAFT_RULES_(__VA_ARGS__)                                                           \
                return rules_;                                                                     \
            }()                                                                                    \
    }
#define HAFT_CPP_FIELD_FOUND_ HAFT_CPP_FIELD_CPP_
/* Those of C, with the offsets that they have there. */
#define HAFT_C_FIELD_(T, presence_, dv, null, wire, header_, kind_, name_, type_, ...)              \
    , ::haft::detail::make_c_field(                                                                \
          [] {                                                                                     \
              ::haft::detail::entry entry_;                                                        \
              entry_.name = wire;                                                                  \
              entry_.kind = HAFT_KIND_##kind_;                                                     \
              entry_.presence = HAFT_PRESENCE_##presence_;                                          \
              entry_.header = header_;                                                             \
              entry_.offset = offsetof(T, name_);                                                  \
              HAFT_C_HAS_##presence_##_(T, kind_, name_)                                            \
              HAFT_C_NULL_##null##_(T, name_)                                                      \
              HAFT_C_AT_##kind_##_(T, name_)                                                       \
              HAFT_C_TYPE_##kind_##_(type_)                                                        \
              return entry_;                                                                       \
          }(),                                                                                     \
          ::haft::detail::make_c_fallback(dv),                                                     \
          [] {                                                                                     \
              ::haft::detail::HAFT_C_RULES_##kind_##_ rules_;                                      \
              HAFT_RULES_(__VA_ARGS__)                                                             \
              return rules_;                                                                       \
          }(),                                                                                     \
          HAFT_C_ITEM_##kind_##_(type_))
#define HAFT_C_ITEM_(presence_, dv, null, wire, header_, kind_, name_, type_, ...)                  \
    ::haft::detail::make_c_field(                                                                  \
        [] {                                                                                       \
            ::haft::detail::entry entry_;                                                          \
            entry_.name = wire;                                                                    \
            entry_.kind = HAFT_KIND_##kind_;                                                       \
            entry_.presence = HAFT_PRESENCE_##presence_;                                            \
            HAFT_C_ITEM_NULL_##null##_                                                             \
            HAFT_C_TYPE_##kind_##_(type_)                                                          \
            return entry_;                                                                         \
        }(),                                                                                       \
        ::haft::detail::fallback{},                                                                \
        [] {                                                                                       \
            ::haft::detail::HAFT_C_RULES_##kind_##_ rules_;                                        \
            HAFT_RULES_(__VA_ARGS__)                                                               \
            return rules_;                                                                         \
        }(),                                                                                       \
        ::haft::detail::no_item{})
#define HAFT_C_ITEM_NULL_SOLID_
#define HAFT_C_ITEM_NULL_NULLABLE_SOLID_ entry_.nullable = true;
#define HAFT_C_NULL_SOLID_(T, name)
#define HAFT_C_NULL_NULLABLE_SOLID_(T, name)                                                       \
    entry_.nullable = true;                                                                        \
    entry_.null = offsetof(T, null_##name);
#define HAFT_C_HAS_REQUIRED_(T, kind, name)
#define HAFT_C_HAS_DEFAULT_(T, kind, name)
#define HAFT_C_HAS_OPTIONAL_(T, kind, name) HAFT_C_HAS_##kind##_(T, name)
#define HAFT_C_HAS_BOOLEAN_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_INTEGER_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_NUMBER_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_STRING_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_BYTES_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_ENUM_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_OBJECT_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_UNION_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_POINTER_(T, name)
#define HAFT_C_HAS_ARRAY_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_MAP_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_JSON_(T, name) entry_.has = offsetof(T, has_##name);
#define HAFT_C_HAS_EXTENDS_(T, name)
#define HAFT_C_AT_BOOLEAN_(T, name)
#define HAFT_C_AT_INTEGER_(T, name)
#define HAFT_C_AT_NUMBER_(T, name)
#define HAFT_C_AT_STRING_(T, name)
#define HAFT_C_AT_BYTES_(T, name) entry_.count = offsetof(T, name##_size);
#define HAFT_C_AT_ENUM_(T, name)
#define HAFT_C_AT_OBJECT_(T, name)
#define HAFT_C_AT_UNION_(T, name)
#define HAFT_C_AT_POINTER_(T, name)
#define HAFT_C_AT_ARRAY_(T, name) entry_.count = offsetof(T, n_##name);
#define HAFT_C_AT_MAP_(T, name)                                                               \
    entry_.count = offsetof(T, n_##name);                                                          \
    entry_.keys = offsetof(T, name##_keys);
#define HAFT_C_AT_JSON_(T, name)
#define HAFT_C_AT_EXTENDS_(T, name)
#define HAFT_C_TYPE_BOOLEAN_(T)
#define HAFT_C_TYPE_INTEGER_(T)
#define HAFT_C_TYPE_NUMBER_(T)
#define HAFT_C_TYPE_STRING_(T)
#define HAFT_C_TYPE_BYTES_(T)
#define HAFT_C_TYPE_ENUM_(T) entry_.type = &::haft::detail::c_table<enum T>::type;
#define HAFT_C_TYPE_OBJECT_(T) entry_.type = &::haft::detail::c_table<struct T>::type;
#define HAFT_C_TYPE_UNION_(T) entry_.type = &::haft::detail::c_table<struct T>::type;
#define HAFT_C_TYPE_POINTER_(T) entry_.type = &::haft::detail::c_table<struct T>::type;
#define HAFT_C_TYPE_ARRAY_(T) entry_.stride = sizeof(HAFT_the_item_is_no_field_ T);
#define HAFT_C_TYPE_MAP_(T) entry_.stride = sizeof(HAFT_the_item_is_no_field_ T);
#define HAFT_C_TYPE_JSON_(T)
#define HAFT_C_TYPE_EXTENDS_(T) entry_.type = &::haft::detail::c_table<struct T>::type;
#define HAFT_C_RULES_BOOLEAN_ plain_rules
#define HAFT_C_RULES_INTEGER_ integer_rules<::std::int64_t>
#define HAFT_C_RULES_NUMBER_ number_rules<double>
#define HAFT_C_RULES_STRING_ string_rules
#define HAFT_C_RULES_BYTES_ plain_rules
#define HAFT_C_RULES_ENUM_ plain_rules
#define HAFT_C_RULES_OBJECT_ plain_rules
#define HAFT_C_RULES_UNION_ plain_rules
#define HAFT_C_RULES_POINTER_ plain_rules
#define HAFT_C_RULES_ARRAY_ array_rules<::haft::detail::plain_rules>
#define HAFT_C_RULES_MAP_ map_rules<::haft::detail::plain_rules>
#define HAFT_C_RULES_JSON_ plain_rules
#define HAFT_C_RULES_EXTENDS_ plain_rules
#define HAFT_C_ITEM_BOOLEAN_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_INTEGER_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_NUMBER_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_STRING_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_BYTES_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_ENUM_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_OBJECT_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_UNION_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_POINTER_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_ARRAY_(type) HAFT_C_ITEM_ type
#define HAFT_C_ITEM_MAP_(type) HAFT_C_ITEM_ type
#define HAFT_C_ITEM_JSON_(type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_EXTENDS_(type) ::haft::detail::no_item{}
#define HAFT_CPP_FIELD_BOOLEAN_(T, presence, dv, null, wire, header, name, ...)                                 \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, BOOLEAN, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_INTEGER_(T, presence, dv, null, wire, header, name, ...)                                 \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, INTEGER, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_NUMBER_(T, presence, dv, null, wire, header, name, ...)                                  \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, NUMBER, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_STRING_(T, presence, dv, null, wire, header, name, ...)                                  \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, STRING, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_BYTES_(T, presence, dv, null, wire, header, name, ...)                                   \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, BYTES, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_ENUM_(T, presence, dv, null, wire, header, name, ...)                                    \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, ENUM, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_OBJECT_(T, presence, dv, null, wire, header, name, ...)                                  \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, OBJECT, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_UNION_(T, presence, dv, null, wire, header, name, ...)                                   \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, UNION, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_POINTER_(T, presence, dv, null, wire, header, name, ...)                                 \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, POINTER, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_ARRAY_(T, presence, dv, null, wire, header, name, ...)                                   \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, ARRAY, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_MAP_(T, presence, dv, null, wire, header, name, ...)                                     \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, MAP, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_JSON_(T, presence, dv, null, wire, header, name, ...)                                    \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, JSON, name, __VA_ARGS__)
#define HAFT_CPP_FIELD_EXTENDS_(T, presence, dv, null, wire, header, name, ...)                                 \
    HAFT_C_FIELD_(T, presence, dv, null, wire, header, EXTENDS, name, __VA_ARGS__)
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

/* ---- enumerations and choices ---- */
#define HAFT_C_CASE_(T, pair) HAFT_C_CASE2_(T, HAFT_STRIP_ pair)
#define HAFT_C_CASE2_(...) HAFT_C_CASE3_(__VA_ARGS__)
#define HAFT_C_CASE3_(T, name, type_)                                                              \
    , ::haft::detail::make_c_case(#name, offsetof(T, as), &::haft::detail::c_table<struct type_>::type)
#define HAFT_CPP_ENUMERATOR_(T, item) HAFT_CPP_ENUMERATOR2_(HAFT_UNPACKED_(item), 0)
#define HAFT_CPP_ENUMERATOR2_(...) HAFT_CPP_ENUMERATOR3_(__VA_ARGS__)
#define HAFT_CPP_ENUMERATOR3_(name, ...) name,
#define HAFT_CPP_ENUM_NAME_(T, item) HAFT_CPP_ENUM_NAME2_(T, HAFT_UNPACKED_(item), 0)
#define HAFT_CPP_ENUM_NAME2_(...) HAFT_CPP_ENUM_NAME3_(__VA_ARGS__)
#define HAFT_CPP_ENUM_NAME3_(T, name, ...)                                                         \
    , ::haft::detail::enumerator<T>{::haft::detail::wire_name(#name, __VA_ARGS__), T::name}
#define HAFT_CPP_C_NAME_(T, name) , ::haft::detail::enumerator<T>{#name, T##_##name}

#endif
