/* haft/cpp/table.hpp - the tables of haft/declare.h for types of C++, made by the compiler.
 *
 * The library decodes into structs of C and encodes those.  So every declared type T has a shadow: a
 * struct of C with a slot for each member of T, whose table is compiled, checked and advertised like
 * that of a type declared in C.  layout.hpp has the shadow's layout and this file its table, which are constants;
 * convert.hpp carries values from one to the other.  Nothing runs at start-up. */
#ifndef HAFT_CPP_TABLE_HPP
#define HAFT_CPP_TABLE_HPP

#include <haft/cpp/layout.hpp>

namespace haft::detail
{

/* ---- where a value is declared: as a member, or inside of one ---- */

template <class T, std::size_t I> struct at_member {
    using type = typename field_at<T, I>::type;
    static constexpr const auto &said = std::get<I>(description_of<T>.fields);
    static constexpr auto rules()
    {
        return said.rules;
    }
    static constexpr const char *name = said.name;
};

template <class Where> struct at_item {
    using type = typename inside<typename Where::type>::type;
    static constexpr auto rules()
    {
        if constexpr (form_of<typename Where::type>::value == form::map)
            return Where::rules().values;
        else
            return Where::rules().items;
    }
    static constexpr const char *name = Where::name;
};

template <class Where> struct at_value {
    using type = typename inside<typename Where::type>::type;
    static constexpr auto rules()
    {
        return Where::rules();
    }
    static constexpr const char *name = Where::name;
};

template <class Where, std::size_t I> struct at_alternative {
    using type = std::variant_alternative_t<I, typename Where::type>;
    static constexpr auto rules()
    {
        return rules_of<type>{};
    }
    static constexpr const char *name = Where::name;
};

/* A value that is all by itself. */
template <class T> struct at_root {
    using type = T;
    static constexpr auto rules()
    {
        return rules_of<T>{};
    }
    static constexpr const char *name = "result";
};

/* ---- the tables, constants each ---- */

template <class T> struct enum_table {
    static const haft_type type;
};
template <class T, class = std::make_index_sequence<n_fields_of<T>>> struct struct_table;
template <class T, std::size_t... I> struct struct_table<T, std::index_sequence<I...>> {
    static const haft_field fields[];
    static const haft_type_options options;
    static const haft_refine_hook refine;
    static const haft_type type;
};
template <class Where> struct item_table {
    static const haft_field field;
};
template <class Where> struct list_table {
    static const haft_field items;
    static const haft_type type;
};
template <class Where, class = std::make_index_sequence<std::variant_size_v<typename Where::type>>>
struct choice_table;
template <class Where, std::size_t... I> struct choice_table<Where, std::index_sequence<I...>> {
    static const haft_field cases[];
    static const haft_type type;
};

/* The table of a declared struct: there is one of each. */
template <class T>
using object_table = std::conditional_t<is_of_c<T>(), c_table<T>, struct_table<T>>;

/* Unions are filled in by their member's name, which C++ has since 2020 and both compilers had before. */
#if defined __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++20-designator"
#elif defined __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#if __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Wc++20-extensions"
#endif
#endif

using rules_union = decltype(haft_field::rules);
using fallback_union = decltype(haft_field::fallback);

constexpr rules_union put_rules(const haft_plain_rules &rules)
{
    return {.plain = rules};
}
constexpr rules_union put_rules(const haft_integer_rules &rules)
{
    return {.integer = rules};
}
constexpr rules_union put_rules(const haft_number_rules &rules)
{
    return {.number = rules};
}
constexpr rules_union put_rules(const haft_string_rules &rules)
{
    return {.string = rules};
}
constexpr rules_union put_rules(const haft_array_rules &rules)
{
    return {.array = rules};
}
constexpr rules_union put_rules(const haft_map_rules &rules)
{
    return {.map = rules};
}

constexpr fallback_union put_fallback(haft_kind kind, const fallback &value)
{
    if (kind == HAFT_KIND_BOOLEAN)
        return {.boolean = value.boolean};
    if (kind == HAFT_KIND_NUMBER)
        return {.number = value.number};
    if (kind == HAFT_KIND_INTEGER || kind == HAFT_KIND_ENUM)
        return {.integer = value.integer};
    return {.text = value.text};
}

template <class Rules>
constexpr haft_field put_entry(const entry &e, const fallback &value, const Rules &rules)
{
    return {.name = e.name,
            .kind = e.kind,
            .presence = e.presence,
            .nullable = e.nullable,
            .header = e.header,
            .offset = e.offset,
            .has = e.has,
            .null = e.null,
            .count = e.count,
            .keys = e.keys,
            .type = e.type,
            .item = e.item,
            .stride = e.stride,
            .width = e.width,
            .storage = e.storage,
            .fallback = put_fallback(e.kind, value),
            .rules = put_rules(rules)};
}

constexpr haft_type put_type(const char *name, haft_shape shape, std::size_t size,
                             const haft_field *fields, std::size_t n_fields, const char *tag,
                             const haft_type_options *options = nullptr,
                             const haft_refine_hook *refine = nullptr)
{
    return {.struct_size = sizeof(haft_type),
            .field_size = sizeof(haft_field),
            .name = name,
            .shape = shape,
            .size = size,
            .fields = fields,
            .n_fields = n_fields,
            .values = nullptr,
            .n_values = 0,
            .options = options,
            .refine = refine,
            .tag = tag,
            .numbers = nullptr};
}

#if defined __clang__
#pragma clang diagnostic pop
#elif defined __GNUC__
#pragma GCC diagnostic pop
#endif

/* Rules that an int could not keep end where the int does. */
template <class T, class Rules> constexpr Rules narrowed(Rules rules)
{
    if constexpr (form_of<T>::value == form::integer) {
        rules.min = rules.min < Rules::least ? Rules::least : rules.min;
        rules.max = rules.max > Rules::most ? Rules::most : rules.max;
    }
    return rules;
}

/* Kind, place and what is inside, for a value whose slot is at `base`. */
template <class Where> constexpr entry make_entry(std::size_t base, bool is_item)
{
    using T = typename Where::type;
    constexpr form is = form_of<T>::value;
    entry e;

    e.name = Where::name;
    e.offset = base;
    if constexpr (is == form::boolean) {
        e.kind = HAFT_KIND_BOOLEAN;
    } else if constexpr (is == form::integer) {
        e.kind = HAFT_KIND_INTEGER;
    } else if constexpr (is == form::number) {
        e.kind = HAFT_KIND_NUMBER;
    } else if constexpr (is == form::text) {
        e.kind = HAFT_KIND_STRING;
    } else if constexpr (is == form::json) {
        e.kind = HAFT_KIND_JSON;
    } else if constexpr (is == form::bytes) {
        e.kind = HAFT_KIND_BYTES;
        e.count = base + offsetof(array_slot, count);
    } else if constexpr (is == form::enumeration) {
        e.kind = HAFT_KIND_ENUM;
        e.type = &enum_table<T>::type;
    } else if constexpr (is == form::object) {
        e.kind = HAFT_KIND_OBJECT;
        e.type = &object_table<T>::type;
    } else if constexpr (is == form::pointer) {
        e.kind = HAFT_KIND_POINTER;
        e.type = &object_table<typename inside<T>::type>::type;
        e.presence = HAFT_PRESENCE_OPTIONAL;
    } else if constexpr (is == form::choice) {
        e.kind = HAFT_KIND_UNION;
        e.type = &choice_table<Where>::type;
    } else if constexpr (is == form::optional) {
        using slot = slot_of<T>;
        e = make_entry<at_value<Where>>(base + offsetof(slot, value), false);
        e.presence = HAFT_PRESENCE_OPTIONAL;
        e.has = base + offsetof(slot, has);
        e.null = base + offsetof(slot, null);
    } else if constexpr (is == form::array) {
        if (is_item) { /* two sizes do not fit one item: a list of its own */
            e.kind = HAFT_KIND_OBJECT;
            e.type = &list_table<Where>::type;
        } else {
            e.kind = HAFT_KIND_ARRAY;
            e.count = base + offsetof(array_slot, count);
            e.item = &item_table<at_item<Where>>::field;
            e.stride = sizeof(slot_of<typename inside<T>::type>);
        }
    } else if constexpr (is == form::map) {
        e.kind = HAFT_KIND_MAP;
        e.count = base + offsetof(map_slot, count);
        e.keys = base + offsetof(map_slot, keys);
        e.item = &item_table<at_item<Where>>::field;
        e.stride = sizeof(slot_of<typename inside<T>::type>);
    }
    return e;
}

/* The rules of a list in a list are the list's own. */
template <class Where> constexpr haft_field make_item()
{
    constexpr entry e = make_entry<Where>(0, true);

    if constexpr (e.kind == HAFT_KIND_OBJECT)
        return put_entry(e, {}, haft_plain_rules{});
    else
        return put_entry(e, {}, narrowed<typename Where::type>(Where::rules()));
}

template <class T, std::size_t I> struct c_item_table {
    static const haft_field field;
};

template <class T, std::size_t I> constexpr haft_field make_c_member()
{
    constexpr const auto &said = std::get<I>(description_of<T>.fields);
    entry e = said.place;

    if constexpr (!std::is_same_v<std::decay_t<decltype(said.item)>, no_item>)
        e.item = &c_item_table<T, I>::field;
    return put_entry(e, said.otherwise, said.rules);
}

template <class T, std::size_t I> constexpr haft_field make_c_item()
{
    constexpr const auto &item = std::get<I>(description_of<T>.fields).item;

    return put_entry(item.place, item.otherwise, item.rules);
}

template <class T, std::size_t I> constexpr haft_field make_cpp_member()
{
    using where = at_member<T, I>;
    constexpr const auto &said = where::said;
    entry e = make_entry<where>(layout<T>::offsets[I], false);

    e.header = said.header;
    if (said.presence == HAFT_PRESENCE_DEFAULT)
        e.presence = said.presence;
    if (said.nullable) { /* HAFT_OPTIONAL around it: it may also be absent */
        e.nullable = true;
        e.presence = said.presence;
    }
    using V = typename where::type;
    if constexpr (form_of<V>::value == form::optional)
        return put_entry(e, said.otherwise, narrowed<typename inside<V>::type>(where::rules()));
    else
        return put_entry(e, said.otherwise, narrowed<V>(where::rules()));
}

template <class T, std::size_t I> constexpr haft_field make_member()
{
    if constexpr (is_of_c<T>())
        return make_c_member<T, I>();
    else
        return make_cpp_member<T, I>();
}

template <std::size_t N> constexpr haft_type make_enum(const enumerators<N> &said)
{
    haft_type type = put_type(said.name, HAFT_SHAPE_ENUM, said.size, nullptr, 0, nullptr);

    type.values = said.names;
    type.n_values = N;
    type.numbers = said.numbers;
    return type;
}

template <class Where, std::size_t I> constexpr haft_field make_case()
{
    using slot = slot_of<typename Where::type>;
    using alternative = at_alternative<Where, I>;
    constexpr const char *tag = Where::rules().tag;
    entry e = make_entry<alternative>(offsetof(slot, as), false);

    if constexpr (tag != nullptr) {
        static_assert(form_of<typename alternative::type>::value == form::object,
                      "haft: the alternatives of a tagged std::variant must be declared types");
        if constexpr (form_of<typename alternative::type>::value == form::object)
            e.name = description_of<typename alternative::type>.name;
    }
    e.presence = HAFT_PRESENCE_REQUIRED;
    return put_entry(e, {}, narrowed<typename alternative::type>(alternative::rules()));
}

template <class T, class = void> struct options_of {
    static constexpr haft_type_options value{};
};
template <class T> struct options_of<T, std::void_t<decltype(haft_options_(tag<T>{}))>> {
    static constexpr haft_type_options value = haft_options_(tag<T>{});
};

/* The refinement that HAFT_REFINE has declared for T, or NULL: convert.hpp. */
template <class T> constexpr haft_refine_call *refine_hook();

template <class T> const haft_type enum_table<T>::type = make_enum(enumerators_of<T>);

template <class Names> inline constexpr auto names_of = Names::get();
template <class Names>
const haft_type named_integer_table<Names>::type = make_enum(names_of<Names>);

template <class T, std::size_t... I>
const haft_field struct_table<T, std::index_sequence<I...>>::fields[] = {make_member<T, I>()...};
template <class T, std::size_t... I>
const haft_type_options struct_table<T, std::index_sequence<I...>>::options = options_of<T>::value;
template <class T, std::size_t... I>
const haft_refine_hook struct_table<T, std::index_sequence<I...>>::refine = {refine_hook<T>()};
template <class T, std::size_t... I>
const haft_type struct_table<T, std::index_sequence<I...>>::type = put_type(description_of<T>.name,
                                                                            HAFT_SHAPE_STRUCT,
                                                                            layout<T>::size, fields,
                                                                            sizeof...(I), nullptr,
                                                                            &options, &refine);

template <class T, std::size_t I> const haft_field c_item_table<T, I>::field = make_c_item<T, I>();

/* Choices and lists, which C alone has as types. */
template <class T, class = void> struct is_c_choice : std::false_type {
};
template <class T>
struct is_c_choice<T, std::void_t<decltype(haft_choice_(tag<T>{}))>> : std::true_type {
};
template <class T, class = void> struct is_c_list : std::false_type {
};
template <class T>
struct is_c_list<T, std::void_t<decltype(haft_list_(tag<T>{}))>> : std::true_type {
};

template <class T> inline constexpr auto choice_of = haft_choice_(tag<T>{});
template <class T> inline constexpr auto list_of = haft_list_(tag<T>{});
template <class T> using cases_of = std::decay_t<decltype(choice_of<T>.fields)>;

template <class T, class = std::make_index_sequence<std::tuple_size_v<cases_of<T>>>>
struct c_choice_table;
template <class T, std::size_t... I> struct c_choice_table<T, std::index_sequence<I...>> {
    static const haft_field cases[];
    static constexpr std::size_t n = sizeof...(I);
};
template <class T, std::size_t... I>
const haft_field c_choice_table<T, std::index_sequence<I...>>::cases[] = {
    put_entry(std::get<I>(choice_of<T>.fields), {}, haft_plain_rules{})...};

template <class T> struct c_list_table {
    static const haft_field item, items;
};
template <class T>
const haft_field c_list_table<T>::item = put_entry(std::get<0>(list_of<T>.fields).item.place, {},
                                                   std::get<0>(list_of<T>.fields).item.rules);

template <class T> constexpr haft_field make_c_list()
{
    entry e = std::get<0>(list_of<T>.fields).place;

    e.item = &c_list_table<T>::item;
    return put_entry(e, {}, std::get<0>(list_of<T>.fields).rules);
}
template <class T> const haft_field c_list_table<T>::items = make_c_list<T>();

template <class T> constexpr haft_type make_c_type()
{
    if constexpr (std::is_enum_v<T>) {
        return make_enum(enumerators_of<T>);
    } else if constexpr (is_c_choice<T>::value) {
        return put_type(choice_of<T>.name, HAFT_SHAPE_CHOICE, sizeof(T), c_choice_table<T>::cases,
                        c_choice_table<T>::n, choice_of<T>.tag);
    } else if constexpr (is_c_list<T>::value) {
        return put_type(list_of<T>.name, HAFT_SHAPE_LIST, sizeof(T), &c_list_table<T>::items, 1,
                        nullptr);
    } else {
        using table = struct_table<T>;

        static_assert(is_of_c<T>(), "haft: a field of C takes a type of C");
        return put_type(description_of<T>.name, HAFT_SHAPE_STRUCT, sizeof(T), table::fields,
                        n_fields_of<T>, nullptr, &table::options, &table::refine);
    }
}

template <class T> const haft_type c_table<T>::type = make_c_type<T>();

template <class Where> const haft_field item_table<Where>::field = make_item<Where>();

template <class Where>
const haft_field list_table<Where>::items = put_entry(make_entry<Where>(0, false), {},
                                                      Where::rules());
template <class Where>
const haft_type list_table<Where>::type = put_type(Where::name, HAFT_SHAPE_LIST, sizeof(array_slot),
                                                   &items, 1, nullptr);

template <class Where, std::size_t... I>
const haft_field choice_table<Where, std::index_sequence<I...>>::cases[] = {
    make_case<Where, I>()...};
template <class Where, std::size_t... I>
const haft_type choice_table<Where, std::index_sequence<I...>>::type =
    put_type(Where::name, HAFT_SHAPE_CHOICE, sizeof(slot_of<typename Where::type>), cases,
             sizeof...(I), Where::rules().tag);

} /* namespace haft::detail */

#endif
