/* haft/cpp/layout.hpp - what a declaration says of a type, and where the slots of its shadow are (table.hpp). */
#ifndef HAFT_CPP_LAYOUT_HPP
#define HAFT_CPP_LAYOUT_HPP

#include <array>

#include <haft/cpp/declare.hpp>

namespace haft::detail
{

template <class T, class = void> struct is_declared : std::false_type {
};
template <class T>
struct is_declared<T, std::void_t<decltype(haft_fields_(tag<T>{}))>> : std::true_type {
};

template <class T, class = void> struct is_named_enum : std::false_type {
};
template <class T>
struct is_named_enum<T, std::void_t<decltype(haft_enum_(tag<T>{}))>> : std::true_type {
};

/* What a declaration says; one sentence for a type that has none. */
template <class T> constexpr auto find_description()
{
    static_assert(is_declared<T>::value,
                  "haft: this type is not declared: HAFT_STRUCT or HAFT_SCHEMA must name it");
    if constexpr (is_declared<T>::value)
        return haft_fields_(tag<T>{});
    else
        return description<>{"", {}};
}

template <class T> constexpr auto find_enumerators()
{
    static_assert(
        is_named_enum<T>::value,
        "haft: this enum has no names: HAFT_ENUM_CLASS or HAFT_ENUM_NAMES must give them");
    if constexpr (is_named_enum<T>::value)
        return haft_enum_(tag<T>{});
    else
        return enumerators<1>{"", sizeof(T), {""}, {0}};
}

template <class T> inline constexpr auto description_of = find_description<T>();
template <class T> inline constexpr auto enumerators_of = find_enumerators<T>();
template <class T>
inline constexpr std::size_t n_fields_of =
    std::tuple_size_v<std::decay_t<decltype(description_of<T>.fields)>>;
template <class T, std::size_t I>
using field_at = std::tuple_element_t<I, std::decay_t<decltype(description_of<T>.fields)>>;

template <class Field> struct is_c_field : std::false_type {
};
template <class Rules, class Item> struct is_c_field<c_field<Rules, Item>> : std::true_type {
};

/* Whether T has the fields of haft/declare.h: it is its own shadow. */
template <class T> constexpr bool is_of_c()
{
    if constexpr (n_fields_of < T >> 0)
        return is_c_field<field_at<T, 0>>::value;
    else
        return false;
}

/* ---- slots: what a member is in the shadow ---- */

/* Every slot is made of these. */
inline constexpr std::size_t slot_align = alignof(std::int64_t) > alignof(double)
                                              ? alignof(std::int64_t)
                                              : alignof(double);

struct array_slot {
    void *items;
    std::size_t count;
};

struct map_slot {
    void *items;
    std::size_t count;
    const char **keys;
};

template <class Slot> struct optional_slot {
    Slot value;
    bool has, null;
};

template <std::size_t Size> struct choice_slot {
    int kind;
    alignas(slot_align) unsigned char as[Size];
};

template <std::size_t Size> struct object_slot {
    alignas(slot_align) unsigned char bytes[Size];
};

template <class T> struct layout;

template <class T, form = form_of<T>::value> struct slot_for;
template <class T> using slot_of = typename slot_for<T>::type;

template <class T> struct slot_for<T, form::boolean> {
    using type = bool;
};
template <class T> struct slot_for<T, form::integer> {
    using type = std::int64_t;
};
template <class T> struct slot_for<T, form::number> {
    using type = double;
};
template <class T> struct slot_for<T, form::text> {
    using type = const char *;
};
template <class T> struct slot_for<T, form::bytes> {
    using type = array_slot;
};
template <class T> struct slot_for<T, form::enumeration> {
    using type = T;
};
template <class T> struct slot_for<T, form::object> {
    using type = object_slot<layout<T>::size>;
};
template <class T> struct slot_for<T, form::pointer> {
    using type = void *;
};
template <class T> struct slot_for<T, form::array> {
    using type = array_slot;
};
template <class T> struct slot_for<T, form::map> {
    using type = map_slot;
};
template <class T> struct slot_for<T, form::json> {
    using type = haft_value *;
};
template <class T> struct slot_for<T, form::optional> {
    using type = optional_slot<slot_of<typename inside<T>::type>>;
};
template <class... T> struct slot_for<std::variant<T...>, form::choice> {
    static constexpr std::size_t sizes[] = {sizeof(slot_of<T>)...};
    static constexpr std::size_t largest()
    {
        std::size_t most = 0;

        for (std::size_t size : sizes)
            most = size > most ? size : most;
        return most;
    }
    using type = choice_slot<largest()>;
};

/* Where the slots of a declared type are. */
template <class T, class Indices = std::make_index_sequence<n_fields_of<T>>> struct slots;
template <class T, std::size_t... I> struct slots<T, std::index_sequence<I...>> {
    static constexpr std::size_t n = sizeof...(I);

    /* The offsets, and at the end the size. */
    static constexpr std::array<std::size_t, n + 1> place()
    {
        constexpr std::size_t sizes[] = {sizeof(slot_of<typename field_at<T, I>::type>)..., 1};
        constexpr std::size_t aligns[] = {alignof(slot_of<typename field_at<T, I>::type>)...,
                                          slot_align};
        std::array<std::size_t, n + 1> made{};
        std::size_t at = 0;

        for (std::size_t i = 0; i <= n; i++) {
            at = (at + aligns[i] - 1) / aligns[i] * aligns[i];
            made[i] = at;
            at += sizes[i];
        }
        return made;
    }
};

template <class T, bool = is_of_c<T>()> struct layout_for {
    static constexpr auto offsets = slots<T>::place();
    static constexpr std::size_t size = offsets[n_fields_of<T>];
};
template <class T> struct layout_for<T, true> {
    static_assert(std::is_trivially_copyable_v<T>,
                  "haft: a struct with the fields of C must be one of C");
    static constexpr std::size_t size = sizeof(T);
};
template <class T> struct layout : layout_for<T> {
};

} /* namespace haft::detail */

#endif
