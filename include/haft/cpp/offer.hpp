/* haft/cpp/offer.hpp - functions and lambdas as resources and prompts.
 *
 *     std::string read()                               std::string get()
 *     std::string read(std::string_view uri)           std::string get(const In &)
 *     ... with haft::call & in front                   ... with haft::call & in front
 *
 * What a reader returns is the resource's text, and what a prompt returns is a message of the user.  With void
 * they add it themselves: haft::call::embed, or haft::call::say and then text. */
#ifndef HAFT_CPP_OFFER_HPP
#define HAFT_CPP_OFFER_HPP

#include <haft/server.h>

#include <haft/cpp/tool.hpp>

namespace haft::detail
{

template <class F>
inline constexpr bool is_reader =
    std::is_invocable_v<F &, call &, std::string_view> || std::is_invocable_v<F &, call &> ||
    std::is_invocable_v<F &, std::string_view> || std::is_invocable_v<F &>;

template <class F> decltype(auto) invoke_reader(F &function, call &own, const char *uri)
{
    if constexpr (std::is_invocable_v<F &, call &, std::string_view>)
        return function(own, std::string_view(uri));
    else if constexpr (std::is_invocable_v<F &, call &>)
        return function(own);
    else if constexpr (std::is_invocable_v<F &, std::string_view>)
        return function(std::string_view(uri));
    else
        return function();
}

template <class F> struct resource_of : held {
    haft_resource resource{};
    F function;

    explicit resource_of(F f) : function(std::move(f))
    {
        resource.struct_size = sizeof resource;
        resource.read = run;
        resource.data = this;
    }

    static int run(haft_call *raw, const char *uri) noexcept
    {
        try {
            auto *self = static_cast<resource_of *>(haft_tool_data(raw));
            call own(raw);
            using out = decltype(invoke_reader(self->function, own, uri));

            if constexpr (std::is_void_v<out>)
                invoke_reader(self->function, own, uri);
            else
                put_text<std::decay_t<out>>(own, invoke_reader(self->function, own, uri));
            return 0;
        } catch (...) {
            return answer_exception(raw);
        }
    }
};

template <class F> struct prompt_of : held {
    using s = signature<F>;
    using out = std::decay_t<typename s::result>;

    haft_prompt prompt{};
    F function;

    explicit prompt_of(F f) : function(std::move(f))
    {
        prompt.struct_size = sizeof prompt;
        prompt.arguments = input_type<typename s::in>();
        prompt.get = run;
        prompt.data = this;
    }

    static int run(haft_call *raw, const void *shadow) noexcept
    {
        try {
            auto *self = static_cast<prompt_of *>(haft_tool_data(raw));
            call own(raw);
            decoded<typename s::in> arguments(shadow);

            if constexpr (std::is_void_v<out>) {
                invoke_handler(self->function, own, arguments);
            } else {
                out text = invoke_handler(self->function, own, arguments);

                own.say("user");
                put_text<out>(own, text);
            }
            return 0;
        } catch (...) {
            return answer_exception(raw);
        }
    }
};

template <class F> constexpr bool check_reader()
{
    static_assert(
        is_reader<F>,
        "haft: a resource is read by (), (std::string_view), (haft::call &) or both with the call first");
    return is_reader<F>;
}

/* As a tool, but what it gives is text. */
template <class F> constexpr bool check_prompt()
{
    if constexpr (check_handler<F>()) {
        using out = std::decay_t<typename signature<F>::result>;

        static_assert(std::is_void_v<out> || is_text<out>(),
                      "haft: a prompt gives text or nothing");
        return std::is_void_v<out> || is_text<out>();
    }
    return false;
}

} /* namespace haft::detail */

#endif
