/* haft/cpp/option.hpp - options of a program's own, bound to variables.
 *
 *     std::string root = ".";
 *     std::chrono::milliseconds patience(5000);
 *
 *     server.option("--root", root, "directory to read from", haft::takes("DIR"));
 *     server.option("--patience", patience, "time limit", haft::variable("READER_PATIENCE"));
 *     return server.main(argc, argv);
 *
 * The type of the variable decides what the option takes, and its value is the default:
 *
 *     bool                         a flag
 *     int, int64_t, double, ...    a number in the range of the type
 *     an enum with names           one of them: HAFT_ENUM_CLASS, HAFT_ENUM_NAMES, HAFT_ENUMERATION
 *     std::chrono::milliseconds    a duration, "30s"; also a finer unit, or seconds in double
 *     std::string                  text; haft::kind makes it a path, an address or a secret
 *     std::vector<std::string>     text, repeated
 *     std::optional<T>             one of these, without a default
 *
 * The server sets the variables, which must outlive it, when main or read_options is called. */
#ifndef HAFT_CPP_OPTION_HPP
#define HAFT_CPP_OPTION_HPP

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <haft/option.h>

#include <haft/cpp/declare.hpp>
#include <haft/cpp/error.hpp>

namespace haft
{

namespace detail
{

/* The value of one option, as haft fills it in. */
union option_value {
    bool flag;
    int number;
    int64_t integer;
    double real;
    const char *text;
    const char *const *list;
};

/* Bytes of a value that haft has not filled in; no pointer, flag or enumerator has them. */
enum { OPTION_UNTOUCHED = 0xA5 };

struct option_row {
    haft_option option = {};
    std::string name, help, takes, variable, initial;
    std::function<void(const option_value &)> store;
};

template <class T> struct is_option_duration : std::false_type {
};
template <class Rep, class Period>
struct is_option_duration<std::chrono::duration<Rep, Period>> : std::true_type {
};

/* Whether values of the type can be stored, and are not taken for something else. */
template <class T> constexpr bool is_option_type()
{
    return scalar_form<T>() != form::none || is_option_duration<T>::value ||
           std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::string>>;
}

inline std::string text_of_real(double value)
{
    haft_buffer text;

    haft_buffer_init(&text, nullptr, 64);
    haft_buffer_json_number(&text, value);
    std::string made(text.data ? text.data : "", text.size);
    haft_buffer_finish(&text);
    return made;
}

/* As a user would write it: in the largest unit that leaves nothing over. */
inline std::string text_of_duration(int64_t ms)
{
    static constexpr struct {
        int64_t worth;
        const char *name;
    } units[] = {{3600000, "h"}, {60000, "m"}, {1000, "s"}, {1, "ms"}};
    int i = 0;

    while (ms % units[i].worth || (!ms && units[i].worth > 1))
        i++;
    return std::to_string(ms / units[i].worth) + units[i].name;
}

/* A list as an environment variable has it; "" if that cannot be written. */
inline std::string text_of_list(const std::vector<std::string> &list)
{
    std::string made;

    for (const std::string &one : list) {
        if (one.empty() || one.find(',') != one.npos)
            return "";
        made += (made.empty() ? "" : ",") + one;
    }
    return made;
}

template <class T> const haft_type *option_enum()
{
    static const haft_type type = [] {
        haft_type made = make_enum(enumerators_of<T>);

        made.size = sizeof(int); /* what option_value has */
        return made;
    }();

    return &type;
}

/* The kind of an option, and the bounds of its type where they can be said. */
template <class T> void describe_option(haft_option &option)
{
    constexpr double exact = 9007199254740992; /* 2^53 */

    if constexpr (std::is_same_v<T, bool>) {
        option.kind = HAFT_OPTION_KIND_FLAG;
    } else if constexpr (std::is_enum_v<T>) {
        option.kind = HAFT_OPTION_KIND_ENUM;
        option.type = option_enum<T>();
    } else if constexpr (std::is_integral_v<T>) {
        using limits = std::numeric_limits<T>;

        option.kind = HAFT_OPTION_KIND_INTEGER;
        if constexpr (!std::is_signed_v<T> || sizeof(T) < sizeof(int64_t)) {
            option.min = static_cast<double>(limits::min());
            option.max = std::min(static_cast<double>(limits::max()), exact);
        }
    } else if constexpr (std::is_floating_point_v<T>) {
        option.kind = HAFT_OPTION_KIND_NUMBER;
    } else if constexpr (is_option_duration<T>::value) {
        static_assert(
            std::is_convertible_v<std::chrono::milliseconds, T>,
            "haft: a duration option is in std::chrono::milliseconds or finer, or counts in "
            "double: it must hold 1ms");
        option.kind = HAFT_OPTION_KIND_DURATION;
    } else if constexpr (std::is_same_v<T, std::string>) {
        option.kind = HAFT_OPTION_KIND_STRING;
    } else {
        option.kind = HAFT_OPTION_KIND_LIST;
    }
}

/* A default as text; "" for none. */
template <class T> std::string option_text(const T &value)
{
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "";
    } else if constexpr (std::is_enum_v<T>) {
        constexpr const auto &names = enumerators_of<T>;

        for (std::size_t i = 0; i < sizeof names.names / sizeof *names.names; i++)
            if (names.numbers[i] == static_cast<int64_t>(value))
                return names.names[i];
        return "";
    } else if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        return text_of_real(static_cast<double>(value));
    } else if constexpr (is_option_duration<T>::value) {
        return text_of_duration(std::chrono::ceil<std::chrono::milliseconds>(value).count());
    } else if constexpr (std::is_same_v<T, std::string>) {
        return value;
    } else {
        return text_of_list(value);
    }
}

template <class T> T option_get(const option_value &value)
{
    if constexpr (std::is_same_v<T, bool>) {
        return value.flag;
    } else if constexpr (std::is_enum_v<T>) {
        return static_cast<T>(value.number);
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(value.integer);
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(value.real);
    } else if constexpr (is_option_duration<T>::value) {
        return std::chrono::milliseconds(value.integer);
    } else if constexpr (std::is_same_v<T, std::string>) {
        return value.text ? value.text : "";
    } else {
        T made;

        for (const char *const *text = value.list; text && *text; text++)
            made.emplace_back(*text);
        return made;
    }
}

/* Binds an option to a variable: its kind, its default, and how it is stored. */
template <class T> void bind_option(option_row &row, T &target)
{
    static_assert(is_option_type<T>(),
                  "haft: the variable of an option is a bool, an integer, a double, an enum, a "
                  "std::chrono::milliseconds, a std::string, a std::vector<std::string>, or a "
                  "std::optional of one of them");
    if constexpr (is_option_type<T>()) {
        describe_option<T>(row.option);
        row.initial = option_text(target);
        row.store = [&target](const option_value &value) { target = option_get<T>(value); };
    }
}

template <class T> void bind_option(option_row &row, std::optional<T> &target)
{
    static_assert(is_option_type<T>(),
                  "haft: an option cannot have this type in its std::optional");
    if constexpr (is_option_type<T>()) {
        describe_option<T>(row.option);
        row.initial = target ? option_text(*target) : "";
        row.store = [&target](const option_value &value) { target = option_get<T>(value); };
    }
}

/* The options of a server, as the table that haft reads once they are all there. */
class option_table
{
  public:
    option_row &add()
    {
        if (added_)
            throw std::logic_error("haft::server: options are added before main and read_options");
        return rows_.emplace_back();
    }

    /* Returns 0 if the variables have been set. */
    int read(haft_server *server, int argc, char **argv)
    {
        if (rows_.empty())
            return 0;
        if (!added_)
            hand_over(server);
        int status = haft_options_read(server, argc, argv);
        for (size_t i = 0; !status && i < rows_.size(); i++)
            if (is_set(values_[i]))
                rows_[i].store(values_[i]);
        return status;
    }

  private:
    static const char *text(const std::string &own)
    {
        return own.empty() ? nullptr : own.c_str();
    }

    /* An option without a default that is not given leaves its value untouched. */
    static bool is_set(const option_value &value)
    {
        unsigned char bytes[sizeof value];
        bool set = false;

        std::memcpy(bytes, &value, sizeof value);
        for (unsigned char byte : bytes)
            set = set || byte != OPTION_UNTOUCHED;
        return set;
    }

    void hand_over(haft_server *server)
    {
        values_.resize(rows_.size());
        std::memset(static_cast<void *>(values_.data()), OPTION_UNTOUCHED,
                    values_.size() * sizeof(option_value));
        for (option_row &row : rows_) {
            haft_option option = row.option;

            option.struct_size = sizeof option;
            option.offset = options_.size() * sizeof(option_value);
            option.name = text(row.name);
            option.help = text(row.help);
            option.takes = text(row.takes);
            option.variable = text(row.variable);
            option.initial = option.required ? nullptr : text(row.initial);
            options_.push_back(option);
        }
        table_.struct_size = sizeof table_;
        table_.size = values_.size() * sizeof(option_value);
        table_.options = options_.data();
        table_.n_options = options_.size();
        table_.version = HAFT_VERSION_NUMBER;
        added_ = true;
        haft_options_add(server, &table_, values_.data()); /* main reports what is wrong */
    }

    std::deque<option_row> rows_;
    std::vector<haft_option> options_;
    std::vector<option_value> values_;
    haft_option_table table_ = {};
    bool added_ = false;
};

/* A rule that may follow the description of an option. */
template <class Apply> struct option_rule {
    Apply apply;
};
template <class Apply> option_rule(Apply) -> option_rule<Apply>;

inline void change_kind(option_row &row, haft_option_kind kind)
{
    bool text = row.option.kind == HAFT_OPTION_KIND_STRING;
    bool fits = kind == row.option.kind ||
                (row.option.kind == HAFT_OPTION_KIND_INTEGER && kind == HAFT_OPTION_KIND_SIZE) ||
                (text && (kind == HAFT_OPTION_KIND_PATH || kind == HAFT_OPTION_KIND_ADDRESS ||
                          kind == HAFT_OPTION_KIND_SECRET));

    if (!fits)
        throw std::logic_error("haft::kind: the variable of " + row.name +
                               " has another type than this kind");
    row.option.kind = kind;
    if (kind == HAFT_OPTION_KIND_SIZE && row.option.min < 0)
        row.option.min = 0;
}

inline void change_bounds(option_row &row, double min, double max)
{
    bool has = row.option.min < 0 || row.option.max > 0; /* of the variable's type */

    if (has && (min < row.option.min || max > row.option.max))
        throw std::logic_error("haft::bounds: the variable of " + row.name +
                               " cannot hold all of these values");
    row.option.min = min;
    row.option.max = max;
}

} /* namespace detail */

/* Names the environment variable that also sets an option: server.option(..., haft::variable("READER_ROOT")). */
inline auto variable(const std::string &name)
{
    return detail::option_rule{[name](detail::option_row &row) { row.variable = name; }};
}

/* Names the value of an option in --help: "DIR". */
inline auto takes(const std::string &name)
{
    return detail::option_rule{[name](detail::option_row &row) { row.takes = name; }};
}

/* Bounds the value of an option: a number, milliseconds or bytes.  Throws std::logic_error if its
 * variable cannot hold them. */
template <class Min, class Max> auto bounds(Min min, Max max)
{
    static_assert(std::is_arithmetic_v<Min> && std::is_arithmetic_v<Max>,
                  "haft: the bounds of an option are numbers");
    return detail::option_rule{[min, max](detail::option_row &row) {
        detail::change_bounds(row, static_cast<double>(min), static_cast<double>(max));
    }};
}

/* Makes it an error if an option is not given. */
inline auto required()
{
    return detail::option_rule{[](detail::option_row &row) { row.option.required = true; }};
}

/* Gives an option another kind with the same type of variable: HAFT_OPTION_KIND_SIZE for an integer; for a
 * std::string, HAFT_OPTION_KIND_PATH, HAFT_OPTION_KIND_ADDRESS or HAFT_OPTION_KIND_SECRET, whose name is "" and
 * which needs a variable.  Throws std::logic_error for any other. */
inline auto kind(haft_option_kind of)
{
    return detail::option_rule{[of](detail::option_row &row) { detail::change_kind(row, of); }};
}

} /* namespace haft */

#endif
