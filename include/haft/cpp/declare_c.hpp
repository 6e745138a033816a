/* haft/cpp/declare_c.hpp - the fields of haft/declare.h in C++: the members, checks and tables that they give in C.
 * Not for use.
 *
 * The tuples are those of haft/declare_macros.h, and so are the members and the checks.  What C asks by _Generic is
 * asked of a template here (haft/cpp/members.hpp), and the table is filled in by assignments. */
#ifndef HAFT_CPP_DECLARE_C_HPP
#define HAFT_CPP_DECLARE_C_HPP

#include <haft/cpp/members.hpp>

/* ---- members ---- */

/* In C++ a name that has been used in a struct cannot become another thing there: `region region;` is an error.  So
 * the types of the members get names of their own first, in a struct beside it. */
#define HAFT_CPP_TYPES_(T, F, ...)                                                                 \
    extern "C++" {                                                                                 \
    struct T##_types_ {                                                                            \
        HAFT_EACH_(F, T, __VA_ARGS__)                                                              \
    };                                                                                             \
    }
#define HAFT_CPP_TYPE_(T, tuple) HAFT_CPP_TYPE2_ tuple
#define HAFT_CPP_TYPE2_(presence, dv, null, wire, header, written, kind, name, type, ...)          \
    HAFT_CPP_TYPE_##kind##_(name, type)
#define HAFT_CPP_TYPE_CPP_(name, type)
#define HAFT_CPP_TYPE_FOUND_(name, type)
#define HAFT_CPP_TYPE_BOOLEAN_(name, type)
#define HAFT_CPP_TYPE_INTEGER_(name, type)
#define HAFT_CPP_TYPE_NUMBER_(name, type)
#define HAFT_CPP_TYPE_STRING_(name, type)
#define HAFT_CPP_TYPE_BYTES_(name, type)
#define HAFT_CPP_TYPE_ENUM_(name, type) typedef type name##_is_;
#define HAFT_CPP_TYPE_OBJECT_(name, type) typedef type name##_is_;
#define HAFT_CPP_TYPE_UNION_(name, type) typedef type name##_is_;
#define HAFT_CPP_TYPE_POINTER_(name, type) typedef type *name##_is_;
#define HAFT_CPP_TYPE_ARRAY_(name, type) typedef HAFT_the_item_is_no_field_ type name##_is_;
#define HAFT_CPP_TYPE_FIXED_(name, type) HAFT_CPP_TYPE_FIXED2_(name, HAFT_STRIP_ type)
#define HAFT_CPP_TYPE_MAP_(name, type) typedef HAFT_the_item_is_no_field_ type name##_is_;
#define HAFT_CPP_TYPE_JSON_(name, type)
#define HAFT_CPP_TYPE_EXTENDS_(name, type) typedef type name##_is_;
#define HAFT_CPP_TYPE_FIXED2_(...) HAFT_CPP_TYPE_FIXED3_(__VA_ARGS__)
#define HAFT_CPP_TYPE_FIXED3_(name, n, item) typedef HAFT_the_item_is_no_field_ item name##_is_;
#define HAFT_CASE_TYPE_(T, pair) HAFT_CASE_TYPE2_ pair
#define HAFT_CASE_TYPE2_(wire, under_name, name, type) typedef type name##_is_;

#undef HAFT_MEMBER_ENUM_
#define HAFT_MEMBER_ENUM_(name, ...) haft_types_::name##_is_ name;
#undef HAFT_MEMBER_OBJECT_
#define HAFT_MEMBER_OBJECT_(name, ...) haft_types_::name##_is_ name;
#undef HAFT_MEMBER_UNION_
#define HAFT_MEMBER_UNION_(name, ...) haft_types_::name##_is_ name;
#undef HAFT_MEMBER_POINTER_
#define HAFT_MEMBER_POINTER_(name, ...) haft_types_::name##_is_ name;
#undef HAFT_MEMBER_EXTENDS_
#define HAFT_MEMBER_EXTENDS_(name, ...) haft_types_::name##_is_ name;
#undef HAFT_MEMBER_ARRAY_
#define HAFT_MEMBER_ARRAY_(name, ...)                                                              \
    size_t n_##name;                                                                               \
    haft_types_::name##_is_ *name;
#undef HAFT_MEMBER_FIXED3_
#define HAFT_MEMBER_FIXED3_(name, n, item) haft_types_::name##_is_ name[n];
#undef HAFT_MEMBER_MAP_
#define HAFT_MEMBER_MAP_(name, ...)                                                                \
    size_t n_##name;                                                                               \
    const char **name##_keys;                                                                      \
    haft_types_::name##_is_ *name;
#undef HAFT_CASE_MEMBER2_
#define HAFT_CASE_MEMBER2_(wire, under_name, name, type) haft_types_::name##_is_ name;

/* ---- checks ---- */
#undef HAFT_OF_
#define HAFT_OF_(T, name) (::std::declval<T &>().name)
#undef HAFT_IS_
#define HAFT_IS_(T, member, type)                                                                  \
    static_assert(::std::is_same_v<decltype(T::member), type>,                                     \
                  #T "." #member " must be declared as " #type);
#undef HAFT_FITS_
#define HAFT_FITS_(kind, x, type)                                                                  \
    ::haft::detail::fits<HAFT_KIND_##kind, decltype(x), HAFT_CTYPE_##kind##_(type)>()
#undef HAFT_ITEMS_
#define HAFT_ITEMS_(kind, x, type) ::haft::detail::stored<HAFT_KIND_ARRAY, decltype(x)>()
#undef HAFT_CHECK_DV_DEFAULT_
#define HAFT_CHECK_DV_DEFAULT_(T, kind, name, dv)                                                  \
    static_assert(::haft::detail::is_c_default<HAFT_KIND_##kind, decltype(dv)>(),                  \
                  "the default of " #T "." #name " must be of its kind, or JSON in a string");

/* ---- the table entry ---- */
#define HAFT_C_FIELD_(T, presence_, dv, null_, wire, header_, written, kind_, name_, type_, ...)   \
    , ::haft::detail::make_c_field(                                                                \
          [] {                                                                                     \
              auto entry_ = ::haft::detail::make_c_entry<HAFT_KIND_##kind_, decltype(T::name_)>(); \
              entry_.name = wire;                                                                  \
              entry_.presence = HAFT_PRESENCE_##presence_;                                         \
              entry_.header = header_;                                                             \
              entry_.offset = offsetof(T, name_);                                                  \
              HAFT_C_HAS_##presence_##_(T, kind_, name_)                                           \
              HAFT_C_NULL_##null_##_(T, name_)                                                     \
              HAFT_C_AT_##kind_##_(T, name_)                                                       \
              HAFT_C_TYPE_##kind_##_(type_)                                                        \
              return entry_;                                                                       \
          }(),                                                                                     \
          ::haft::detail::make_c_fallback(dv), HAFT_C_RULES_(kind_, __VA_ARGS__),                  \
          HAFT_C_ITEM_##kind_##_(T, name_, type_))
#define HAFT_C_ITEM_(...) HAFT_C_ITEM2_(__VA_ARGS__)
#define HAFT_C_ITEM2_(T, member, presence_, dv, null_, wire, header_, written, kind_, name_, type_, ...)\
    ::haft::detail::make_c_field(                                                                  \
        [] {                                                                                       \
            auto entry_ = ::haft::detail::make_c_entry<HAFT_KIND_##kind_,                          \
                                                       decltype(HAFT_OF_(T, member)[0])>();        \
            entry_.name = wire;                                                                    \
            entry_.presence = HAFT_PRESENCE_##presence_;                                           \
            HAFT_C_ITEM_NULL_##null_##_                                                            \
            HAFT_C_TYPE_##kind_##_(type_)                                                          \
            return entry_;                                                                         \
        }(),                                                                                       \
        ::haft::detail::fallback{}, HAFT_C_RULES_(kind_, __VA_ARGS__), ::haft::detail::no_item{})
#define HAFT_C_RULES_(kind, ...)                                                                   \
    [] {                                                                                           \
        ::haft::detail::c_rules<HAFT_KIND_##kind> rules_;                                          \
        HAFT_RULES_(__VA_ARGS__)                                                                   \
        return rules_;                                                                             \
    }()
#define HAFT_C_ITEM_NULL_SOLID_
#define HAFT_C_ITEM_NULL_NULLABLE_ entry_.nullable = true;
#define HAFT_C_NULL_SOLID_(T, name)
#define HAFT_C_NULL_NULLABLE_(T, name)                                                             \
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
#define HAFT_C_HAS_FIXED_(T, name) entry_.has = offsetof(T, has_##name);
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
#define HAFT_C_AT_FIXED_(T, name)
#define HAFT_C_AT_MAP_(T, name)                                                                    \
    entry_.count = offsetof(T, n_##name);                                                          \
    entry_.keys = offsetof(T, name##_keys);
#define HAFT_C_AT_JSON_(T, name)
#define HAFT_C_AT_EXTENDS_(T, name)
#define HAFT_C_TYPE_BOOLEAN_(T)
#define HAFT_C_TYPE_INTEGER_(T)
#define HAFT_C_TYPE_NUMBER_(T)
#define HAFT_C_TYPE_STRING_(T)
#define HAFT_C_TYPE_BYTES_(T)
#define HAFT_C_TYPE_ENUM_(T)                                                                       \
    struct names_ {                                                                                \
        static constexpr auto get()                                                                \
        {                                                                                          \
            return haft_enum_(HAFT_ENUM_TAG_(T){});                                                \
        }                                                                                          \
    };                                                                                             \
    entry_.type = ::haft::detail::c_enum_type<T, names_>();
#define HAFT_C_TYPE_OBJECT_(T) entry_.type = &::haft::detail::c_table<T>::type;
#define HAFT_C_TYPE_UNION_(T) entry_.type = &::haft::detail::c_table<T>::type;
#define HAFT_C_TYPE_POINTER_(T) entry_.type = &::haft::detail::c_table<T>::type;
#define HAFT_C_TYPE_ARRAY_(T)
#define HAFT_C_TYPE_FIXED_(T)
#define HAFT_C_TYPE_MAP_(T)
#define HAFT_C_TYPE_JSON_(T)
#define HAFT_C_TYPE_EXTENDS_(T) entry_.type = &::haft::detail::c_table<T>::type;
#define HAFT_C_ITEM_BOOLEAN_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_INTEGER_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_NUMBER_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_STRING_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_BYTES_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_ENUM_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_OBJECT_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_UNION_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_POINTER_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_ARRAY_(T, member, type) HAFT_C_ITEM_(T, member, HAFT_STRIP_ type)
#define HAFT_C_ITEM_FIXED_(T, member, type) HAFT_C_ITEM_FIXED2_(T, member, HAFT_STRIP_ type)
#define HAFT_C_ITEM_MAP_(T, member, type) HAFT_C_ITEM_(T, member, HAFT_STRIP_ type)
#define HAFT_C_ITEM_JSON_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_EXTENDS_(T, member, type) ::haft::detail::no_item{}
#define HAFT_C_ITEM_FIXED2_(...) HAFT_C_ITEM_FIXED3_(__VA_ARGS__)
#define HAFT_C_ITEM_FIXED3_(T, member, n, item) HAFT_C_ITEM_(T, member, HAFT_STRIP_ item)

/* ---- enumerations and choices ---- */
#define HAFT_C_ENUMERATOR_(T, name, text) , ::haft::detail::enumerator{&text[1], name}
#define HAFT_C_CASE_(T, pair) HAFT_C_CASE2_(T, HAFT_STRIP_ pair)
#define HAFT_C_CASE2_(...) HAFT_C_CASE3_(__VA_ARGS__)
#define HAFT_C_CASE3_(T, wire, under_name, name, type_)                                            \
    , ::haft::detail::make_c_case(wire, offsetof(T, as), &::haft::detail::c_table<type_>::type)

#endif
