/* haft/cpp/rules.hpp - which C++ types a field may have, and the rules that each of them takes.
 *
 * The rules are those of haft/declare.h, by the same names.  A list has those of its items besides
 * (`.items.min = 1`), and a map those of its values (`.values.max = 9`).  Rules that are not named
 * are as wide as the member's type: an `int` is between INT_MIN and INT_MAX. */
#ifndef HAFT_CPP_RULES_HPP
#define HAFT_CPP_RULES_HPP

extern "C++" {

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <haft/declare.h>

namespace haft
{

/* Any JSON value, as its text: the way out for what has no type. */
struct json {
    std::string text = "null"; /* the value as JSON */
};

namespace detail
{

/* Finds what a declaration says of T, by the namespace of T. */
template <class T> struct tag {
};

enum class form {
    none,
    boolean,
    integer,
    number,
    text,
    bytes,
    enumeration,
    object,
    choice,
    pointer,
    array,
    map,
    json,
    optional
};

template <class T> struct is_character : std::false_type {
};
template <> struct is_character<char> : std::true_type {
};
template <> struct is_character<wchar_t> : std::true_type {
};
template <> struct is_character<char16_t> : std::true_type {
};
template <> struct is_character<char32_t> : std::true_type {
};

template <class T, class = void> struct is_map : std::false_type {
};
template <class T>
struct is_map<T, std::void_t<typename T::key_type, typename T::mapped_type>>
    : std::is_same<typename T::key_type, std::string> {
};

template <class T> constexpr form scalar_form()
{
    if (std::is_same_v<T, bool>)
        return form::boolean;
    if (std::is_integral_v<T>)
        return is_character<T>::value ? form::none : form::integer;
    if (std::is_same_v<T, double> || std::is_same_v<T, float>)
        return form::number;
    return std::is_enum_v<T> && !std::is_same_v<T, std::byte> ? form::enumeration : form::none;
}

/* A class is taken for a declared one, which the table finds out (table.hpp): it may not be complete yet. */
template <class T, class = void> struct form_of {
    static constexpr form value = std::is_class_v<T> ? form::object : scalar_form<T>();
};
template <class T> struct form_of<T, std::enable_if_t<is_map<T>::value>> {
    static constexpr form value = form::map;
};
template <> struct form_of<std::string> {
    static constexpr form value = form::text;
};
template <> struct form_of<std::string_view> {
    static constexpr form value = form::text;
};
template <> struct form_of<const char *> {
    static constexpr form value = form::text;
};
template <> struct form_of<json> {
    static constexpr form value = form::json;
};
template <class T> struct form_of<std::optional<T>> {
    static constexpr form value = form::optional;
};
template <class T> struct form_of<std::unique_ptr<T>> {
    static constexpr form value = form::pointer;
};
template <class... T> struct form_of<std::variant<T...>> {
    static constexpr form value = form::choice;
};
template <class T> struct form_of<std::vector<T>> {
    static constexpr form value = std::is_same_v<T, unsigned char> || std::is_same_v<T, std::byte>
                                      ? form::bytes
                                      : form::array;
};

/* The element type of a container; any other type itself. */
template <class T, form = form_of<T>::value> struct inside {
    using type = T;
};
template <class T> struct inside<T, form::array> {
    using type = typename T::value_type;
};
template <class T> struct inside<T, form::map> {
    using type = typename T::mapped_type;
};
template <class T> struct inside<T, form::optional> {
    using type = typename T::value_type;
};
template <class T> struct inside<T, form::pointer> {
    using type = typename T::element_type;
};

/* ---- whether a member of the type can be declared, and the sentence for one that cannot ---- */

template <class T> constexpr bool can_be_member();

template <class T> constexpr bool can_be_item()
{
    return form_of<T>::value != form::optional && form_of<T>::value != form::map &&
           form_of<T>::value != form::bytes && can_be_member<T>();
}

template <class T> struct alternatives_fit;
template <class... T> struct alternatives_fit<std::variant<T...>> {
    static constexpr bool value = ((form_of<T>::value != form::optional &&
                                    form_of<T>::value != form::choice && can_be_member<T>()) &&
                                   ...);
};

template <class T> constexpr bool can_be_member()
{
    constexpr form is = form_of<T>::value;

    if constexpr (is == form::array || is == form::map)
        return can_be_item<typename inside<T>::type>();
    else if constexpr (is == form::optional)
        return form_of<typename inside<T>::type>::value != form::optional &&
               form_of<typename inside<T>::type>::value != form::pointer &&
               can_be_member<typename inside<T>::type>();
    else if constexpr (is == form::pointer)
        return form_of<typename inside<T>::type>::value == form::object;
    else if constexpr (is == form::choice)
        return alternatives_fit<T>::value;
    else
        return is != form::none;
}

/* ---- rules ---- */

struct plain_rules : haft_plain_rules {
    constexpr plain_rules() : haft_plain_rules{}
    {
    }
};

template <class T> struct integer_rules : haft_integer_rules {
    /* The range of an unsigned 64-bit integer ends with that of int64_t, which the library decodes into. */
    static constexpr std::int64_t least =
        std::is_signed_v<T> ? std::int64_t{std::numeric_limits<std::make_signed_t<T>>::min()} : 0;
    static constexpr std::int64_t most =
        sizeof(T) < sizeof(std::int64_t) ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                         : INT64_MAX;

    constexpr integer_rules() : haft_integer_rules{}
    {
        min = least;
        max = most;
        above = INT64_MIN;
        below = INT64_MAX;
    }
};

template <class T> struct number_rules : haft_number_rules {
    constexpr number_rules() : haft_number_rules{}
    {
        min = -double{std::numeric_limits<T>::max()};
        max = double{std::numeric_limits<T>::max()};
        above = -DBL_MAX;
        below = DBL_MAX;
    }
};

struct string_rules : haft_string_rules {
    constexpr string_rules() : haft_string_rules{}
    {
        max = SIZE_MAX;
    }
};

template <class Item> struct array_rules : haft_array_rules {
    Item items;

    constexpr array_rules() : haft_array_rules{}, items{}
    {
        max = SIZE_MAX;
    }
};

template <class Value> struct map_rules : haft_map_rules {
    Value values;

    constexpr map_rules() : haft_map_rules{}, values{}
    {
        max = SIZE_MAX;
    }
};

struct choice_rules : plain_rules {
    const char *tag =
        nullptr; /* the property that decides; NULL: the first alternative that fits */

    constexpr choice_rules() = default;
};

template <class T, form = form_of<T>::value> struct rules_for {
    using type = plain_rules;
};
template <class T> struct rules_for<T, form::integer> {
    using type = integer_rules<T>;
};
template <class T> struct rules_for<T, form::number> {
    using type = number_rules<T>;
};
template <class T> struct rules_for<T, form::text> {
    using type = string_rules;
};
template <class T> struct rules_for<T, form::choice> {
    using type = choice_rules;
};
template <class T> struct rules_for<T, form::optional> {
    using type = typename rules_for<typename inside<T>::type>::type;
};
template <class T> struct rules_for<T, form::array> {
    using type = array_rules<typename rules_for<typename inside<T>::type>::type>;
};
template <class T> struct rules_for<T, form::map> {
    using type = map_rules<typename rules_for<typename inside<T>::type>::type>;
};

template <class T> using rules_of = typename rules_for<T>::type;

/* ---- defaults ---- */

struct fallback {
    std::int64_t integer = 0;
    double number = 0;
    bool boolean = false;
    const char *text = nullptr;
};

/* Of a scalar its value, of anything else JSON. */
template <class T, class Value> constexpr bool is_default_for()
{
    using V = std::decay_t<Value>;
    constexpr form is = form_of<T>::value;

    if constexpr (is == form::optional)
        return false;
    else if constexpr (is == form::boolean)
        return std::is_same_v<V, bool>;
    else if constexpr (is == form::integer)
        return scalar_form<V>() == form::integer;
    else if constexpr (is == form::number)
        return scalar_form<V>() == form::integer || scalar_form<V>() == form::number;
    else if constexpr (is == form::enumeration)
        return std::is_same_v<V, T>;
    else
        return std::is_convertible_v<V, const char *>;
}

template <class T, class Value> constexpr fallback make_fallback(Value value)
{
    fallback made;

    if constexpr (!is_default_for<T, Value>())
        return made; /* and an assertion has said so */
    else if constexpr (form_of<T>::value == form::boolean)
        made.boolean = value;
    else if constexpr (form_of<T>::value == form::integer || form_of<T>::value == form::enumeration)
        made.integer = static_cast<std::int64_t>(value);
    else if constexpr (form_of<T>::value == form::number)
        made.number = static_cast<double>(value);
    else
        made.text = value;
    return made;
}

/* ---- what a declaration is made into ---- */

template <class M> struct member_type;
template <class T, class C> struct member_type<T C::*> {
    using type = T;
};

template <auto Member> struct field {
    using type = typename member_type<decltype(Member)>::type;
    static constexpr auto member = Member;

    const char *name;
    const char *header;
    haft_presence presence;
    bool nullable;
    fallback otherwise;
    rules_of<type> rules;
};

template <class... Fields> struct description {
    const char *name;
    std::tuple<Fields...> fields;
};

template <class... Fields>
constexpr description<Fields...> describe(const char *name, Fields... fields)
{
    return {name, std::tuple<Fields...>{fields...}};
}

} /* namespace detail */
} /* namespace haft */

} /* extern "C++" */

#endif
