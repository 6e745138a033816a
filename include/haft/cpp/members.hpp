/* haft/cpp/members.hpp - what C++ knows of the fields of haft/declare.h, whose structs are those of C, and of the names
 * of enums: the types that a member may have, how it is stored, and what of its table entry follows from them. */
#ifndef HAFT_CPP_MEMBERS_HPP
#define HAFT_CPP_MEMBERS_HPP

extern "C++" {

#include <initializer_list>

#include <haft/cpp/rules.hpp>

namespace haft::detail
{

/* All that a field says besides its rules and its default. */
struct entry {
    const char *name = nullptr;
    haft_kind kind = HAFT_KIND_JSON;
    haft_presence presence = HAFT_PRESENCE_REQUIRED;
    bool nullable = false;
    const char *header = nullptr;
    std::size_t offset = 0, has = 0, null = 0, count = 0, keys = 0;
    const haft_type *type = nullptr;
    const haft_field *item = nullptr;
    std::size_t stride = 0, width = 0;
    haft_storage storage = HAFT_STORAGE_KIND;
};

/* The table of a type that is declared in C's way; table.hpp defines it. */
template <class T> struct c_table {
    static const haft_type type;
};

struct no_item {
};

template <class Rules, class Item> struct c_field {
    entry place;
    fallback otherwise;
    Rules rules;
    Item item;
};

template <class Rules, class Item>
constexpr c_field<Rules, Item> make_c_field(const entry &place, const fallback &otherwise,
                                            const Rules &rules, const Item &item)
{
    return {place, otherwise, rules, item};
}

template <class Value> constexpr fallback make_c_fallback(Value value)
{
    fallback made;

    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
        made.integer = static_cast<std::int64_t>(value);
        made.number = static_cast<double>(value);
        made.boolean = made.number < 0 || made.number > 0;
    } else {
        made.text = value;
    }
    return made;
}

template <class... Cases> struct c_choice {
    const char *name, *tag;
    std::tuple<Cases...> fields;
};

template <class... Cases>
constexpr c_choice<Cases...> make_c_choice(const char *name, const char *tag, Cases... cases)
{
    return {name, tag, std::tuple<Cases...>{cases...}};
}

constexpr entry make_c_case(const char *name, std::size_t offset, const haft_type *type)
{
    entry made;

    made.name = name;
    made.kind = HAFT_KIND_OBJECT;
    made.offset = offset;
    made.type = type;
    return made;
}

/* ---- members and items: Member may be a reference to one ---- */

template <class T> constexpr bool is_c_integer()
{
    return scalar_form<T>() == form::integer && !std::is_const_v<T>;
}

/* Whether a member can be that of a field: the kind's own type, or one that is narrower. */
template <haft_kind Kind, class Member, class Own> constexpr bool fits()
{
    using M = std::remove_reference_t<Member>;

    if (Kind == HAFT_KIND_INTEGER)
        return is_c_integer<M>();
    if (Kind == HAFT_KIND_NUMBER && std::is_same_v<M, float>)
        return true;
    if (Kind == HAFT_KIND_STRING && std::is_array_v<M>)
        return std::is_same_v<std::remove_extent_t<M>, char>;
    return std::is_same_v<M, Own>;
}

template <haft_kind Kind, class Member> constexpr haft_storage stored()
{
    using M = std::remove_reference_t<Member>;

    if (Kind == HAFT_KIND_INTEGER)
        return std::is_signed_v<M> ? HAFT_STORAGE_SIGNED : HAFT_STORAGE_UNSIGNED;
    if (Kind == HAFT_KIND_NUMBER && std::is_same_v<M, float>)
        return HAFT_STORAGE_FLOAT;
    if (Kind == HAFT_KIND_STRING && std::is_array_v<M>)
        return HAFT_STORAGE_TEXT;
    if ((Kind == HAFT_KIND_ARRAY || Kind == HAFT_KIND_FIXED) && std::is_array_v<M>)
        return HAFT_STORAGE_INLINE;
    return HAFT_STORAGE_KIND;
}

template <haft_kind Kind, class Member> constexpr entry make_c_entry()
{
    using M = std::remove_reference_t<Member>;
    entry made;

    made.kind = Kind;
    made.width = sizeof(M);
    made.storage = stored<Kind, M>();
    if constexpr (Kind == HAFT_KIND_ARRAY || Kind == HAFT_KIND_FIXED || Kind == HAFT_KIND_MAP)
        made.stride = sizeof(std::declval<M &>()[0]);
    return made;
}

template <haft_kind Kind> struct c_rules_for {
    using type = plain_rules;
};
template <> struct c_rules_for<HAFT_KIND_INTEGER> {
    using type = integer_rules<std::int64_t>;
};
template <> struct c_rules_for<HAFT_KIND_NUMBER> {
    using type = number_rules<double>;
};
template <> struct c_rules_for<HAFT_KIND_STRING> {
    using type = string_rules;
};
template <> struct c_rules_for<HAFT_KIND_ARRAY> {
    using type = array_rules<plain_rules>;
};
template <> struct c_rules_for<HAFT_KIND_FIXED> {
    using type = array_rules<plain_rules>;
};
template <> struct c_rules_for<HAFT_KIND_MAP> {
    using type = map_rules<plain_rules>;
};
template <haft_kind Kind> using c_rules = typename c_rules_for<Kind>::type;

/* Of a scalar its value, of anything else text. */
template <haft_kind Kind, class Value> constexpr bool is_c_default()
{
    using V = std::decay_t<Value>;

    if (Kind == HAFT_KIND_BOOLEAN)
        return std::is_same_v<V, bool> || std::is_same_v<V, int>;
    if (Kind == HAFT_KIND_INTEGER)
        return scalar_form<V>() == form::integer;
    if (Kind == HAFT_KIND_NUMBER)
        return scalar_form<V>() == form::integer || scalar_form<V>() == form::number;
    if (Kind == HAFT_KIND_ENUM)
        return scalar_form<V>() == form::integer || std::is_enum_v<V>;
    return std::is_convertible_v<V, const char *>;
}

/* ---- names of enums ---- */

struct enumerator {
    const char *name;
    std::int64_t number;

    template <class Number>
    constexpr enumerator(const char *name_, Number number_)
        : name(name_), number(static_cast<std::int64_t>(number_))
    {
    }
};

template <std::size_t N> struct enumerators {
    const char *name;
    std::size_t size; /* of the enum */
    const char *names[N];
    std::int64_t numbers[N];
};

template <class T, class... Rest>
constexpr enumerators<sizeof...(Rest)> enumerate(const char *name, Rest... rest)
{
    return {name, sizeof(T), {rest.name...}, {rest.number...}};
}

/* An integer of C may have names as an enum has.  As other names of its type may have others, its names are found by
 * the name of the type. */
constexpr std::uint64_t hash(const char *text)
{
    std::uint64_t made = 14695981039346656037u;

    for (; *text; text++)
        made = (made ^ static_cast<unsigned char>(*text)) * 1099511628211u;
    return made;
}

template <class T, std::uint64_t Name> struct named_integer {
};
template <class T, std::uint64_t Name>
using enum_tag = std::conditional_t<std::is_enum_v<T>, tag<T>, named_integer<T, Name>>;

template <class Names> struct named_integer_table {
    static const haft_type type;
};

template <class T, class Names> constexpr const haft_type *c_enum_type()
{
    if constexpr (std::is_enum_v<T>)
        return &c_table<T>::type;
    else
        return &named_integer_table<Names>::type;
}

/* ---- names as they are written ---- */

constexpr bool is_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
}

/* Behind the comma that ends the first thing of a list, or at the list's end. */
constexpr const char *after_first(const char *list)
{
    int depth = 0;

    for (char quote = 0; *list; list++) {
        if (quote && *list == '\\' && list[1])
            list++;
        else if (quote)
            quote = *list == quote ? '\0' : quote;
        else if (*list == '"' || *list == '\'')
            quote = *list;
        else if (*list == ',' && !depth)
            return list + 1;
        else
            depth += (*list == '(') - (*list == ')');
    }
    return list;
}

/* Whether `written`, a list of `name` or `(name, "text")`, has these names: not when one of them is a macro for
 * something else.  NULL is a thing that has none. */
constexpr bool as_written(const char *written, std::initializer_list<const char *> names)
{
    for (const char *name : names) {
        const char *at = written;

        while (*at == ' ' || *at == '(')
            at++;
        for (; name && *name && *name == *at; name++)
            at++;
        if (name && (*name || is_name(*at)))
            return false;
        written = after_first(written);
    }
    return true;
}

constexpr bool all_named(std::initializer_list<const char *> names)
{
    for (const char *name : names)
        if (name && !*name)
            return false;
    return true;
}

} /* namespace haft::detail */

} /* extern "C++" */

#endif
