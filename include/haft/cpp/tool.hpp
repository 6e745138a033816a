/* haft/cpp/tool.hpp - a function or a lambda as a tool: what it may take and give, and what becomes of
 * its exceptions.
 *
 *     Out f(const In &)                 Out f()
 *     Out f(haft::call &, const In &)   Out f(haft::call &)
 *
 * In is a declared type, by reference or by value.  Out is
 *
 *     a declared type                   structured content, checked against its schema
 *     std::vector<T>                    the same, a list
 *     a number, bool, enum, map ...     the same, {"result": value}
 *     std::string, std::string_view     text
 *     void                              what the handler adds itself, by haft::call */
#ifndef HAFT_CPP_TOOL_HPP
#define HAFT_CPP_TOOL_HPP

#include <chrono>
#include <deque>

#include <haft/tool.h>

#include <haft/cpp/call.hpp>

namespace haft
{
namespace detail
{

/* {"result": value}, for what is not an object by itself. */
template <class T> struct boxed {
    T result{};
};

template <class T> constexpr auto haft_fields_(tag<boxed<T>>)
{
    return describe("result",
                    field<&boxed<T>::result>{
                        "result", nullptr, HAFT_PRESENCE_REQUIRED, false, {}, rules_of<T>{}});
}

/* ---- what a handler takes and gives ---- */

template <class... Args> struct arguments {
    static constexpr bool are_known = false;
    using in = void;
};
template <> struct arguments<> {
    static constexpr bool are_known = true, takes_call = false, may_change = false;
    using in = void;
};
template <> struct arguments<call &> {
    static constexpr bool are_known = true, takes_call = true, may_change = false;
    using in = void;
};
template <class In> struct arguments<In> {
    static constexpr bool are_known = true, takes_call = false;
    static constexpr bool may_change =
        std::is_lvalue_reference_v<In> && !std::is_const_v<std::remove_reference_t<In>>;
    using in = std::decay_t<In>;
};
template <class In> struct arguments<call &, In> : arguments<In> {
    static constexpr bool takes_call = true;
};
template <> struct arguments<call &, call &> {
    static constexpr bool are_known = false;
    using in = void;
};

template <class F, class = void> struct signature {
    static constexpr bool is_known = false;
};
template <class R, class... Args> struct signature<R(Args...), void> : arguments<Args...> {
    static constexpr bool is_known = true;
    using result = R;
};
template <class R, class... Args> struct signature<R (*)(Args...), void> : signature<R(Args...)> {
};
template <class R, class... Args>
struct signature<R (*)(Args...) noexcept, void> : signature<R(Args...)> {
};
template <class F> struct method;
template <class C, class R, class... Args>
struct method<R (C::*)(Args...)> : signature<R(Args...)> {
};
template <class C, class R, class... Args>
struct method<R (C::*)(Args...) const> : signature<R(Args...)> {
};
template <class C, class R, class... Args>
struct method<R (C::*)(Args...) noexcept> : signature<R(Args...)> {
};
template <class C, class R, class... Args>
struct method<R (C::*)(Args...) const noexcept> : signature<R(Args...)> {
};
template <class F>
struct signature<F, std::void_t<decltype(&F::operator())>> : method<decltype(&F::operator())> {
};

template <class T> constexpr bool is_input()
{
    if constexpr (std::is_void_v<T>)
        return true;
    else if constexpr (form_of<T>::value == form::object)
        return is_declared<T>::value;
    else
        return false;
}

template <class T> constexpr bool is_text()
{
    if constexpr (std::is_void_v<T>)
        return false;
    else
        return form_of<T>::value == form::text;
}

template <class T> constexpr bool is_output()
{
    if constexpr (std::is_void_v<T>)
        return true;
    else if constexpr (form_of<T>::value == form::object)
        return is_declared<T>::value;
    else
        return form_of<T>::value != form::optional && form_of<T>::value != form::pointer &&
               can_be_member<T>();
}

/* Every sentence of what can be wrong with a handler. */
template <class F> constexpr bool check_handler()
{
    using s = signature<F>;

    static_assert(s::is_known,
                  "haft: a tool is a function, a lambda or an object with one operator(); "
                  "a generic lambda has no types for a schema");
    if constexpr (s::is_known) {
        static_assert(
            s::are_known,
            "haft: a tool takes (const In &), (haft::call &, const In &), (haft::call &) or ()");
        if constexpr (s::are_known) {
            constexpr bool in = is_input<typename s::in>();
            constexpr bool out = is_output<std::decay_t<typename s::result>>();

            static_assert(in, "haft: what a tool takes must be a type declared by HAFT_STRUCT");
            static_assert(!in || !s::may_change,
                          "haft: a tool takes its arguments by const reference or by value");
            static_assert(
                out,
                "haft: a tool gives a type declared by HAFT_STRUCT, text, a number, a bool, an "
                "enum, a list, a map or nothing");
            return in && out && !s::may_change;
        }
    }
    return false;
}

/* The output schema of a tool whose handler returns this type. */
template <class Out> constexpr const haft_type *output_type()
{
    if constexpr (std::is_void_v<Out> || is_text<Out>())
        return nullptr;
    else if constexpr (form_of<Out>::value == form::object)
        return &object_table<Out>::type;
    else if constexpr (form_of<Out>::value == form::array)
        return &list_table<at_root<Out>>::type;
    else
        return &object_table<boxed<Out>>::type;
}

template <class In> constexpr const haft_type *input_type()
{
    if constexpr (std::is_void_v<In>)
        return nullptr;
    else
        return &object_table<In>::type;
}

/* ---- the tool ---- */

/* An offered item that a server owns, and the strings that it points to. */
struct held {
    std::deque<std::string> texts; /* whose addresses stay */

    held() = default;
    held(const held &) = delete;
    held &operator=(const held &) = delete;
    virtual ~held() = default;

    const char *keep(std::string_view text)
    {
        return texts.emplace_back(text).c_str();
    }
};

struct held_tool : held {
    haft_tool tool{};
    haft_ui ui{};
};

/* Answers the exception that is being handled.  Returns the status of the call. */
inline int answer_exception(haft_call *own) noexcept
{
    try {
        throw;
    } catch (const ask_again &) {
        return HAFT_AGAIN;
    } catch (const tool_error &e) {
        return haft_error(own, "%s", e.what());
    } catch (const std::bad_alloc &) {
        return HAFT_ENOMEM;
    } catch (const error &e) {
        haft_log(own, HAFT_ERROR, "%s", e.what());
        return e.code() < 0 ? e.code() : HAFT_EFAIL;
    } catch (const std::exception &e) {
        haft_log(own, HAFT_ERROR, "exception: %s", e.what());
    } catch (...) {
        haft_log(own, HAFT_ERROR, "an exception that is not a std::exception");
    }
    return HAFT_EFAIL;
}

template <class Out> void put_text(call &own, const Out &text)
{
    if constexpr (std::is_pointer_v<Out>)
        own.text(text ? text : "");
    else
        own.text(text);
}

template <class Out> void put_result(const Out &value, void *result, writer &to)
{
    if constexpr (form_of<Out>::value == form::object)
        write_object(value, static_cast<unsigned char *>(result), to);
    else
        write_value<Out>(value, *static_cast<slot_of<Out> *>(result), to);
}

/* The arguments of a call.  They live until the result has been copied, because a handler may return a
 * reference or a std::string_view into them. */
template <class In> struct decoded {
    In value{};

    explicit decoded(const void *shadow)
    {
        read_object(static_cast<const unsigned char *>(shadow), value);
    }
};
template <> struct decoded<void> {
    explicit decoded(const void *)
    {
    }
};

template <class F, class In>
decltype(auto) invoke_handler(F &function, call &own, decoded<In> &arguments)
{
    constexpr bool takes_call = signature<F>::takes_call;

    (void)own;
    (void)arguments;
    if constexpr (std::is_void_v<In> && takes_call)
        return function(own);
    else if constexpr (std::is_void_v<In>)
        return function();
    else if constexpr (takes_call)
        return function(own, std::move(arguments.value));
    else
        return function(std::move(arguments.value));
}

template <class F> struct tool_of : held_tool {
    using s = signature<F>;
    using in = typename s::in;
    using out = std::decay_t<typename s::result>;

    F function;

    explicit tool_of(F f) : function(std::move(f))
    {
        tool.struct_size = sizeof tool;
        tool.input = input_type<in>();
        tool.output = output_type<out>();
        tool.call = run;
        tool.data = this;
    }

    static int run(haft_call *raw, const void *shadow, void *result) noexcept
    {
        try {
            auto *self = static_cast<tool_of *>(haft_tool_data(raw));
            call own(raw);
            decoded<in> arguments(shadow);

            (void)result;
            if constexpr (std::is_void_v<out>) {
                invoke_handler(self->function, own, arguments);
            } else if constexpr (is_text<out>()) {
                put_text<out>(own, invoke_handler(self->function, own, arguments));
            } else {
                writer to(haft_call_arena(raw));

                put_result<out>(invoke_handler(self->function, own, arguments), result, to);
            }
            return 0;
        } catch (...) {
            return answer_exception(raw);
        }
    }
};

template <class Apply> struct tool_option {
    Apply apply;
};
template <class Apply> tool_option(Apply) -> tool_option<Apply>;

template <class T> struct is_tool_option : std::false_type {
};
template <class Apply> struct is_tool_option<tool_option<Apply>> : std::true_type {
};

inline haft_hint hint(bool yes)
{
    return yes ? HAFT_YES : HAFT_NO;
}

} /* namespace detail */

/* ---- options of a tool, after its function ---- */

/* Title for people, which clients show instead of the name. */
inline auto title(std::string text)
{
    return detail::tool_option{[text](detail::held_tool &t) { t.tool.title = t.keep(text); }};
}
/* Changes nothing. */
inline auto read_only(bool yes = true)
{
    return detail::tool_option{
        [yes](detail::held_tool &t) { t.tool.annotations.read_only = detail::hint(yes); }};
}
/* May destroy, not only add. */
inline auto destructive(bool yes = true)
{
    return detail::tool_option{
        [yes](detail::held_tool &t) { t.tool.annotations.destructive = detail::hint(yes); }};
}
/* Twice is once. */
inline auto idempotent(bool yes = true)
{
    return detail::tool_option{
        [yes](detail::held_tool &t) { t.tool.annotations.idempotent = detail::hint(yes); }};
}
/* Reaches beyond this program. */
inline auto open_world(bool yes = true)
{
    return detail::tool_option{
        [yes](detail::held_tool &t) { t.tool.annotations.open_world = detail::hint(yes); }};
}
/* Never blocks: runs on the thread that reads. */
inline auto quick()
{
    return detail::tool_option{[](detail::held_tool &t) { t.tool.quick = true; }};
}

/* Time limit of a call; zero: the server's. */
inline auto timeout(std::chrono::milliseconds time)
{
    return detail::tool_option{
        [time](detail::held_tool &t) { t.tool.timeout_ms = static_cast<unsigned>(time.count()); }};
}
/* Limits the calls of each client: `calls` per interval. */
inline auto rate(unsigned calls, std::chrono::milliseconds per)
{
    return detail::tool_option{[calls, per](detail::held_tool &t) {
        t.tool.rate = {calls, static_cast<unsigned>(per.count())};
    }};
}
/* Limits how many calls run at the same time, and how many wait. */
inline auto cap(unsigned running, unsigned waiting = 0)
{
    return detail::tool_option{[running, waiting](detail::held_tool &t) {
        t.tool.max_running = running;
        t.tool.max_waiting = waiting;
    }};
}
/* Reads "5" as 5 where no string is accepted. */
inline auto lenient(bool yes = true)
{
    return detail::tool_option{[yes](detail::held_tool &t) { t.tool.lenient = detail::hint(yes); }};
}
/* Each call runs in a process of its own. */
inline auto isolated(std::size_t memory = 0)
{
    return detail::tool_option{[memory](detail::held_tool &t) {
        t.tool.isolate = true;
        t.tool.isolate_memory = memory;
    }};
}
/* Scopes that a call requires, separated by spaces: haft/access.h. */
inline auto scopes(std::string text)
{
    return detail::tool_option{[text](detail::held_tool &t) { t.tool.scopes = t.keep(text); }};
}
/* The app that shows the tool's results, a resource ui://..., and who may call the tool: "model", "app" or both
 * if it is empty: haft/ui.h. */
inline auto ui(std::string resource, std::string visibility = {})
{
    return detail::tool_option{[resource, visibility](detail::held_tool &t) {
        t.ui.struct_size = sizeof t.ui;
        t.ui.resource = resource.empty() ? nullptr : t.keep(resource);
        t.ui.visibility = visibility.empty() ? nullptr : t.keep(visibility);
        t.tool.ui = &t.ui;
    }};
}
/* Calls become tasks, if the client supports them or, with HAFT_TASK_REQUIRED, always; `crash` is
 * what happens to a task whose process has ended: haft/task.h. */
inline auto task(haft_task_mode mode = HAFT_TASK_OPTIONAL, haft_task_crash crash = HAFT_TASK_FAIL)
{
    return detail::tool_option{[mode, crash](detail::held_tool &t) {
        t.tool.task = mode;
        t.tool.task_crash = crash;
    }};
}
/* `_meta`: a JSON object. */
inline auto meta(std::string json)
{
    return detail::tool_option{[json](detail::held_tool &t) { t.tool.meta = t.keep(json); }};
}

} /* namespace haft */

#endif
