/* haft/cpp/schema.hpp - compiled schemas: haft::schema of a JSON Schema document, haft::schema_of<T> of a
 * declared type.
 *
 *     haft::schema_of<search_args> schema;
 *     search_args in = schema.decode(R"({"query": "mug"})");
 *
 * Both may be moved, and used by several threads at once. */
#ifndef HAFT_CPP_SCHEMA_HPP
#define HAFT_CPP_SCHEMA_HPP

#include <memory>

#include <haft/schema.h>

#include <haft/cpp/convert.hpp>
#include <haft/cpp/error.hpp>

namespace haft
{

namespace detail
{

struct schema_free {
    void operator()(haft_schema *schema) const
    {
        haft_schema_free(schema);
    }
};

struct arena_free {
    void operator()(haft_arena *arena) const
    {
        haft_arena_free(arena);
    }
};

using owned_arena = std::unique_ptr<haft_arena, arena_free>;

inline owned_arena new_arena(std::size_t limit = std::size_t{1} << 26)
{
    owned_arena arena(haft_arena_new(nullptr, limit));

    if (!arena)
        throw std::bad_alloc();
    return arena;
}

/* Issues of an arena, as values. */
inline std::vector<issue> copy_issues(const haft_issues &issues)
{
    std::vector<issue> copied;

    for (std::size_t i = 0; i < issues.count; i++) {
        buffer path;

        haft_issue_path(&issues.list[i], path.get());
        copied.push_back({path.text(), issues.list[i].message, issues.list[i].code});
    }
    return copied;
}

[[noreturn]] inline void throw_invalid(int status, const haft_issues &issues)
{
    buffer text;

    if (status == HAFT_ENOMEM)
        throw std::bad_alloc();
    if (!issues.count)
        throw error(status, haft_strerror(status));
    haft_issues_text(&issues, text.get());
    throw invalid(status, text.text(), copy_issues(issues));
}

} /* namespace detail */

class schema
{
  public:
    /* Of a JSON Schema document; haft::error when it is not one. */
    explicit schema(std::string_view document, const haft_schema_options *options = nullptr)
    {
        haft_schema *made = nullptr;
        haft_reason reason{};

        detail::check(haft_schema_parse(document.data(), document.size(), options, &made, &reason),
                      reason);
        own_.reset(made);
    }

    /* Every issue of JSON text; none if it fits.  haft::error when that cannot be told. */
    std::vector<issue> validate(std::string_view text) const
    {
        detail::owned_arena arena = detail::new_arena();
        haft_issues issues{};
        int status =
            haft_schema_validate_text(get(), text.data(), text.size(), arena.get(), &issues);

        if (status && !issues.count)
            detail::throw_invalid(status, issues);
        return status ? detail::copy_issues(issues) : std::vector<issue>();
    }

    /* The JSON Schema. */
    std::string json(const haft_emit_options *options = nullptr) const
    {
        detail::buffer text;

        detail::check(haft_schema_emit(get(), options, text.get()));
        return text.text();
    }

    /* A table of it, for people. */
    std::string table() const
    {
        detail::buffer text;

        detail::check(haft_schema_print(get(), text.get()));
        return text.text();
    }

    const haft_schema *get() const noexcept
    {
        return own_.get();
    }

  protected:
    explicit schema(haft_schema *made) : own_(made)
    {
    }

  private:
    std::unique_ptr<haft_schema, detail::schema_free> own_;
};

template <class T> class schema_of : public schema
{
  public:
    /* haft::error when a rule is not valid: a pattern that does not compile, a wrong default. */
    explicit schema_of(const haft_schema_options *options = nullptr) : schema(compile(options))
    {
    }

    /* A value out of JSON text; haft::invalid with every issue. */
    T decode(std::string_view text) const
    {
        static_assert(!detail::borrows<T>(),
                      "haft: what a std::string_view points to lives in a call alone: "
                      "to decode without one, the member must be a std::string");
        detail::owned_arena arena = detail::new_arena();
        haft_issues issues{};
        detail::object_slot<detail::layout<T>::size> shadow{};
        int status = haft_schema_decode_text(get(), text.data(), text.size(), arena.get(),
                                             shadow.bytes, &issues);
        T value{};

        if (status)
            detail::throw_invalid(status, issues);
        detail::read_object(shadow.bytes, value);
        return value;
    }

    /* JSON text; haft::invalid for a value that does not fit. */
    std::string encode(const T &value) const
    {
        detail::owned_arena arena = detail::new_arena();
        detail::writer to(arena.get());
        detail::buffer text;
        haft_issues issues{};
        detail::object_slot<detail::layout<T>::size> shadow{};
        int status;

        detail::write_object(value, shadow.bytes, to);
        status = haft_schema_encode(get(), shadow.bytes, arena.get(), text.get(), &issues);
        if (status)
            detail::throw_invalid(status, issues);
        return text.text();
    }

  private:
    static haft_schema *compile(const haft_schema_options *options)
    {
        haft_schema *made = nullptr;
        haft_reason reason{};

        detail::check(haft_schema_compile(&detail::object_table<T>::type, options, &made, &reason),
                      reason);
        return made;
    }
};

/* The table of a type with the fields of C, for the functions of haft.h. */
template <class T> const haft_type &type_of()
{
    static_assert(
        detail::is_of_c<T>(),
        "haft: only a struct with the fields of C is one of C; haft::schema_of<T> has the schema of any");
    return detail::object_table<T>::type;
}

} /* namespace haft */

#endif
