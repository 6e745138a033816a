/* haft/cpp/convert.hpp - values of C++ from their shadows (table.hpp), and the other way.
 *
 * The library has checked a shadow that it decoded.  A value that is written into a shadow is copied into an
 * arena, and checked when the library encodes it. */
#ifndef HAFT_CPP_CONVERT_HPP
#define HAFT_CPP_CONVERT_HPP

#include <cstring>
#include <new>
#include <stdexcept>

#include <haft/cpp/table.hpp>

namespace haft::detail
{

/* Memory for what a shadow points to; std::bad_alloc without it. */
class writer
{
  public:
    explicit writer(haft_arena *arena) : arena_(arena)
    {
    }

    void *take(std::size_t count, std::size_t size)
    {
        void *memory = count ? haft_arena_zalloc(arena_, count, size) : nullptr;

        if (count && !memory)
            throw std::bad_alloc();
        return memory;
    }

    /* Text of C ends at its first NUL, so it must not have any other. */
    const char *copy(std::string_view text)
    {
        const char *copied;

        if (text.find('\0') != text.npos)
            throw std::invalid_argument("a string contains U+0000");
        copied = haft_arena_copy(arena_, text.data() ? text.data() : "", text.size());
        if (!copied)
            throw std::bad_alloc();
        return copied;
    }

    haft_arena *arena() const
    {
        return arena_;
    }

  private:
    haft_arena *arena_;
};

/* A buffer of the library, as long as this lives. */
class buffer
{
  public:
    explicit buffer(std::size_t limit = std::size_t{1} << 26)
    {
        haft_buffer_init(&own_, nullptr, limit);
    }
    ~buffer()
    {
        haft_buffer_finish(&own_);
    }
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;

    haft_buffer *get()
    {
        return &own_;
    }

    /* Returns the text written so far; throws std::bad_alloc or std::length_error if a part of it did not fit. */
    std::string text() const
    {
        if (own_.status == HAFT_ENOMEM)
            throw std::bad_alloc();
        if (own_.status)
            throw std::length_error(haft_strerror(own_.status));
        return own_.size ? std::string(own_.data, own_.size) : std::string();
    }

  private:
    haft_buffer own_;
};

template <class T> void read_object(const unsigned char *shadow, T &value);
template <class T> void write_object(const T &value, unsigned char *shadow, writer &to);

template <class T> void read_value(const slot_of<T> &slot, T &value, bool required = false);
template <class T>
void write_value(const T &value, slot_of<T> &slot, writer &to, bool required = false);

/* ---- alternatives ---- */

template <class T, std::size_t... I>
void read_choice(const slot_of<T> &slot, T &value, std::index_sequence<I...>)
{
    const auto read = [&](auto index) {
        constexpr std::size_t at = decltype(index)::value;
        using alternative = std::variant_alternative_t<at, T>;

        if (slot.kind == static_cast<int>(at))
            read_value<alternative>(*reinterpret_cast<const slot_of<alternative> *>(slot.as),
                                    value.template emplace<at>());
    };

    (read(std::integral_constant<std::size_t, I>{}), ...);
}

template <class T> void write_choice(const T &value, slot_of<T> &slot, writer &to)
{
    slot.kind = static_cast<int>(value.index()); /* -1 for one without a value, which is refused */
    if (value.valueless_by_exception())
        return;
    std::visit(
        [&](const auto &alternative) {
            using one = std::decay_t<decltype(alternative)>;

            write_value<one>(alternative, *reinterpret_cast<slot_of<one> *>(slot.as), to);
        },
        value);
}

/* ---- containers ---- */

template <class T> void read_array(const array_slot &slot, T &value)
{
    using item = typename inside<T>::type;
    const auto *items = static_cast<const slot_of<item> *>(slot.items);

    value.clear();
    value.reserve(slot.count);
    for (std::size_t i = 0; i < slot.count; i++) {
        item one{};

        read_value<item>(items[i], one);
        value.push_back(std::move(one));
    }
}

template <class T> void write_array(const T &value, array_slot &slot, writer &to)
{
    using item = typename inside<T>::type;
    auto *items = static_cast<slot_of<item> *>(to.take(value.size(), sizeof(slot_of<item>)));

    slot.items = items;
    slot.count = value.size();
    for (const auto &one : value)
        write_value<item>(one, *items++, to);
}

template <class T> void read_map(const map_slot &slot, T &value)
{
    using item = typename inside<T>::type;
    const auto *items = static_cast<const slot_of<item> *>(slot.items);

    value.clear();
    for (std::size_t i = 0; i < slot.count; i++)
        read_value<item>(items[i], value[slot.keys[i]]);
}

template <class T> void write_map(const T &value, map_slot &slot, writer &to)
{
    using item = typename inside<T>::type;
    auto *items = static_cast<slot_of<item> *>(to.take(value.size(), sizeof(slot_of<item>)));
    auto *keys = static_cast<const char **>(to.take(value.size(), sizeof(const char *)));

    slot.items = items;
    slot.count = value.size();
    slot.keys = keys;
    for (const auto &one : value) {
        *keys++ = to.copy(one.first);
        write_value<item>(one.second, *items++, to);
    }
}

/* ---- one value ---- */

/* `required` is an optional that must be there, and may be null. */
template <class T> void read_value(const slot_of<T> &slot, T &value, bool required)
{
    constexpr form is = form_of<T>::value;

    if constexpr (is == form::boolean || is == form::enumeration) {
        value = slot;
    } else if constexpr (is == form::integer || is == form::number) {
        value = static_cast<T>(slot); /* which is within the bounds of T */
    } else if constexpr (is == form::text) {
        value = slot ? slot : "";
    } else if constexpr (is == form::bytes) {
        const auto *bytes = static_cast<const typename T::value_type *>(slot.items);
        value.assign(bytes, bytes + slot.count);
    } else if constexpr (is == form::json) {
        buffer text;
        haft_json_write(slot, text.get());
        value.text = text.text();
    } else if constexpr (is == form::object) {
        read_object(slot.bytes, value);
    } else if constexpr (is == form::array) {
        read_array(slot, value);
    } else if constexpr (is == form::map) {
        read_map(slot, value);
    } else if constexpr (is == form::choice) {
        read_choice(slot, value, std::make_index_sequence<std::variant_size_v<T>>{});
    } else if constexpr (is == form::pointer) {
        value = slot ? std::make_unique<typename inside<T>::type>() : nullptr;
        if (value)
            read_object(static_cast<const unsigned char *>(slot), *value);
    } else if constexpr (is == form::optional) {
        value.reset();
        if ((required || slot.has) && !slot.null)
            read_value<typename inside<T>::type>(slot.value, value.emplace());
    }
}

template <class T> void write_value(const T &value, slot_of<T> &slot, writer &to, bool required)
{
    constexpr form is = form_of<T>::value;

    if constexpr (is == form::boolean || is == form::enumeration) {
        slot = value;
    } else if constexpr (is == form::integer) {
        if constexpr (sizeof(T) >= sizeof(std::int64_t) && std::is_unsigned_v<T>)
            if (value > static_cast<T>(INT64_MAX))
                throw std::out_of_range("an integer is above 9223372036854775807");
        slot = static_cast<std::int64_t>(value);
    } else if constexpr (is == form::number) {
        slot = static_cast<double>(value);
    } else if constexpr (std::is_same_v<T, const char *>) {
        slot = value ? to.copy(value) : nullptr;
    } else if constexpr (is == form::text) {
        slot = to.copy(value);
    } else if constexpr (is == form::bytes) {
        slot.items = to.take(value.size(), 1);
        slot.count = value.size();
        if (!value.empty())
            std::memcpy(slot.items, value.data(), value.size());
    } else if constexpr (is == form::json) {
        haft_reason reason;
        slot = haft_json_read(value.text.data(), value.text.size(), 0, to.arena(), &reason);
        if (!slot)
            throw std::invalid_argument(reason.text);
    } else if constexpr (is == form::object) {
        write_object(value, slot.bytes, to);
    } else if constexpr (is == form::array) {
        write_array(value, slot, to);
    } else if constexpr (is == form::map) {
        write_map(value, slot, to);
    } else if constexpr (is == form::choice) {
        write_choice(value, slot, to);
    } else if constexpr (is == form::pointer) {
        using pointed = typename inside<T>::type;
        slot = value ? to.take(1, layout<pointed>::size) : nullptr;
        if (value)
            write_object(*value, static_cast<unsigned char *>(slot), to);
    } else if constexpr (is == form::optional) {
        slot.has = required || value.has_value();
        slot.null = !value.has_value();
        if (value)
            write_value<typename inside<T>::type>(*value, slot.value, to);
    }
}

/* ---- declared types ---- */

template <class T, std::size_t I> constexpr bool is_required()
{
    return std::get<I>(description_of<T>.fields).nullable &&
           std::get<I>(description_of<T>.fields).presence == HAFT_PRESENCE_REQUIRED;
}

template <class T, std::size_t... I>
void read_members(const unsigned char *shadow, T &value, std::index_sequence<I...>)
{
    (read_value<typename field_at<T, I>::type>(
         *reinterpret_cast<const slot_of<typename field_at<T, I>::type> *>(shadow +
                                                                           layout<T>::offsets[I]),
         value.*field_at<T, I>::member, is_required<T, I>()),
     ...);
}

template <class T, std::size_t... I>
void write_members(const T &value, unsigned char *shadow, writer &to, std::index_sequence<I...>)
{
    (write_value<typename field_at<T, I>::type>(
         value.*field_at<T, I>::member,
         *reinterpret_cast<slot_of<typename field_at<T, I>::type> *>(shadow +
                                                                     layout<T>::offsets[I]),
         to, is_required<T, I>()),
     ...);
}

template <class T> void read_object(const unsigned char *shadow, T &value)
{
    if constexpr (is_of_c<T>())
        std::memcpy(&value, shadow, sizeof value);
    else
        read_members(shadow, value, std::make_index_sequence<n_fields_of<T>>{});
}

template <class T> void write_object(const T &value, unsigned char *shadow, writer &to)
{
    if constexpr (is_of_c<T>())
        std::memcpy(shadow, &value, sizeof value);
    else
        write_members(value, shadow, to, std::make_index_sequence<n_fields_of<T>>{});
}

/* ---- what points into memory that is not its own ---- */

template <class T, class... Seen> constexpr bool borrows();

template <class T, class... Seen, std::size_t... I>
constexpr bool members_borrow(std::index_sequence<I...>)
{
    return (borrows<typename field_at<T, I>::type, T, Seen...>() || ...);
}

template <class T, class... Seen> constexpr bool object_borrows()
{
    if constexpr (is_of_c<T>())
        return true;
    else
        return members_borrow<T, Seen...>(std::make_index_sequence<n_fields_of<T>>{});
}

template <class T, class... Seen, std::size_t... I>
constexpr bool alternatives_borrow(std::index_sequence<I...>)
{
    return (borrows<std::variant_alternative_t<I, T>, Seen...>() || ...);
}

/* Whether a T has a std::string_view or a const char * in it, or is a struct of C.  Seen are the types that it is in. */
template <class T, class... Seen> constexpr bool borrows()
{
    constexpr form is = form_of<T>::value;

    if constexpr (is == form::text)
        return !std::is_same_v<T, std::string>;
    else if constexpr (is == form::choice)
        return alternatives_borrow<T, Seen...>(std::make_index_sequence<std::variant_size_v<T>>{});
    else if constexpr ((std::is_same_v<T, Seen> || ...))
        return false;
    else if constexpr (is == form::object)
        return object_borrows<T, Seen...>();
    else if constexpr (!std::is_same_v<typename inside<T>::type, T>)
        return borrows<typename inside<T>::type, Seen...>();
    else
        return false;
}

/* ---- refinements ---- */

template <class T, class = void> struct is_refined : std::false_type {
};
template <class T>
struct is_refined<T, std::void_t<decltype(haft_refine_(std::declval<haft_refinement *>(),
                                                       std::declval<const T &>()))>>
    : std::true_type {
};

template <class T> void refine_shadow(haft_refinement *refinement, const void *shadow) noexcept
{
    try {
        T value{};

        read_object(static_cast<const unsigned char *>(shadow), value);
        haft_refine_(refinement, value);
    } catch (...) {
        haft_refinement_add_issue(refinement, "", "The value could not be checked");
    }
}

template <class T> constexpr haft_refine_call *refine_hook()
{
    if constexpr (is_refined<T>::value)
        return refine_shadow<T>;
    else
        return nullptr;
}

} /* namespace haft::detail */

#endif
