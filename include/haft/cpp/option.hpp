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
 *     int64_t, double              a number
 *     std::chrono::milliseconds    a time, "30s"
 *     std::string                  text; haft::kind makes it a path, an address or a secret
 *     std::vector<std::string>     text, repeated; its default is what it contains
 *
 * The server sets the variables, which must outlive it, when main or read_options is called. */
#ifndef HAFT_CPP_OPTION_HPP
#define HAFT_CPP_OPTION_HPP

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <haft/option.h>

#include <haft/cpp/error.hpp>

namespace haft
{

namespace detail
{

/* What haft fills in for one option. */
union option_value {
    bool flag;
    int64_t integer;
    double number;
    const char *text;
    const char *const *list;
};

struct option_row {
    haft_option option = {};
    std::string name, help, takes, variable, initial;
    std::function<void(const option_value &)> store;
};

/* How a variable of each type is filled in, and what its default is. */
inline void bind(option_row &row, bool &target)
{
    row.option.kind = HAFT_OPTION_KIND_FLAG;
    row.initial = target ? "true" : "";
    row.store = [&target](const option_value &value) { target = value.flag; };
}

inline void bind(option_row &row, int64_t &target)
{
    row.option.kind = HAFT_OPTION_KIND_INTEGER;
    row.initial = std::to_string(target);
    row.store = [&target](const option_value &value) { target = value.integer; };
}

inline void bind(option_row &row, double &target)
{
    haft_buffer text;

    row.option.kind = HAFT_OPTION_KIND_NUMBER;
    haft_buffer_init(&text, nullptr, 64);
    haft_buffer_json_number(&text, target);
    row.initial.assign(text.data ? text.data : "", text.size);
    haft_buffer_finish(&text);
    row.store = [&target](const option_value &value) { target = value.number; };
}

inline void bind(option_row &row, std::chrono::milliseconds &target)
{
    row.option.kind = HAFT_OPTION_KIND_DURATION;
    row.initial = std::to_string(target.count());
    row.store = [&target](const option_value &value) {
        target = std::chrono::milliseconds(value.integer);
    };
}

inline void bind(option_row &row, std::string &target)
{
    row.option.kind = HAFT_OPTION_KIND_STRING;
    row.initial = target;
    row.store = [&target](const option_value &value) {
        if (value.text)
            target = value.text;
    };
}

inline void bind(option_row &row, std::vector<std::string> &target)
{
    row.option.kind = HAFT_OPTION_KIND_LIST;
    row.store = [&target](const option_value &value) {
        if (!value.list)
            return;
        target.clear();
        for (const char *const *text = value.list; *text; text++)
            target.emplace_back(*text);
    };
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

    /* 0 if the variables have been set. */
    int read(haft_server *server, int argc, char **argv)
    {
        if (rows_.empty())
            return 0;
        if (!added_)
            hand_over(server);
        int status = haft_options_read(server, argc, argv);
        for (size_t i = 0; !status && i < rows_.size(); i++)
            rows_[i].store(values_[i]);
        return status;
    }

  private:
    static const char *text(const std::string &own)
    {
        return own.empty() ? nullptr : own.c_str();
    }

    void hand_over(haft_server *server)
    {
        values_.resize(rows_.size());
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

/* What may follow an option's description. */
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

/* Bounds the value of an option: a number, milliseconds or bytes. */
inline auto bounds(int64_t min, int64_t max)
{
    return detail::option_rule{[min, max](detail::option_row &row) {
        row.option.min = min;
        row.option.max = max;
    }};
}

/* Makes it an error if an option is not given. */
inline auto required()
{
    return detail::option_rule{[](detail::option_row &row) { row.option.required = true; }};
}

/* Gives an option another kind with the same type of variable: HAFT_OPTION_KIND_SIZE for an int64_t; for a
 * std::string, HAFT_OPTION_KIND_PATH, HAFT_OPTION_KIND_ADDRESS or HAFT_OPTION_KIND_SECRET, which has no name and needs
 * a variable.  Throws std::logic_error for any other. */
inline auto kind(haft_option_kind of)
{
    return detail::option_rule{[of](detail::option_row &row) { detail::change_kind(row, of); }};
}

} /* namespace haft */

#endif
