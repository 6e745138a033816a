/* haft/cpp/server.hpp - a server that owns its tools.
 *
 *     haft::server server("adder", "1.0.0");
 *
 *     server.tool("add", "Adds two numbers", add, haft::read_only());
 *     return server.main(argc, argv);
 *
 * `tool` throws haft::error if a tool is invalid.  A server may be moved, not copied.  Tools may
 * be added from any thread while it serves. */
#ifndef HAFT_CPP_SERVER_HPP
#define HAFT_CPP_SERVER_HPP

#include <mutex>

#include <haft/run.h>
#include <haft/server.h>

#include <haft/cpp/offer.hpp>
#include <haft/cpp/option.hpp>
#include <haft/cpp/tool.hpp>

namespace haft
{

/* A struct of C that begins with its size, all else zero: `haft::options<haft_server_options> o;` */
template <class T> struct options : T {
    options() : T{}
    {
        this->struct_size = sizeof(T);
    }
};

using server_options = options<haft_server_options>;

class server
{
  public:
    server(const std::string &name, const std::string &version,
           const haft_server_options *options = nullptr)
        : state_(std::make_unique<state>())
    {
        state_->own = haft_server_new_with(name.c_str(), version.c_str(), options);
        if (!state_->own)
            throw error(HAFT_EINVAL,
                        "the server cannot be made: it needs a name and valid options");
    }
    server(const std::string &name, const std::string &version, const haft_server_options &options)
        : server(name, version, &options)
    {
    }

    /* Adds a tool: haft/cpp/tool.hpp has what `function` may be, and the options.  It is copied or moved
     * into the server; several threads may call it at once, unless it is haft::quick().  Returns the
     * server. */
    template <class F, class... Options>
    server &tool(std::string_view name, std::string_view description, F &&function,
                 Options... options)
    {
        using handler = std::decay_t<F>;

        static_assert(
            (detail::is_tool_option<Options>::value && ...),
            "haft: what follows a tool's function are options: haft::read_only(), haft::title(...)");
        if constexpr (detail::check_handler<handler>() &&
                      (detail::is_tool_option<Options>::value && ...)) {
            auto made = std::make_unique<detail::tool_of<handler>>(std::forward<F>(function));

            made->tool.name = made->keep(name);
            made->tool.description = made->keep(description);
            (options.apply(*made), ...);
            haft_tool *tool = &made->tool;
            keep(std::move(made), [tool](haft_server *own) { return haft_add(own, tool); });
        }
        return *this;
    }

    /* A tool without a description is not one. */
    template <class F> server &tool(std::string_view, F &&)
    {
        static_assert(sizeof(F) == 0,
                      "haft: a tool needs a description: it is all that a model knows of it");
        return *this;
    }

    /* Adds a resource, or a template when the URI has variables, "users://{id}/profile": haft/cpp/offer.hpp has
     * what `function` may be. */
    template <class F>
    server &resource(std::string_view uri, std::string_view name, std::string_view description,
                     std::string_view mime_type, F &&function)
    {
        using reader = std::decay_t<F>;

        if constexpr (detail::check_reader<reader>()) {
            auto made = std::make_unique<detail::resource_of<reader>>(std::forward<F>(function));
            haft_resource *resource = &made->resource;
            bool is_template = uri.find('{') != uri.npos;

            resource->uri = made->keep(uri);
            resource->name = made->keep(name);
            resource->description = made->keep(description);
            resource->mime_type = made->keep(mime_type);
            keep(std::move(made), [=](haft_server *own) {
                return is_template ? haft_template_add(own, resource)
                                   : haft_resource_add(own, resource);
            });
        }
        return *this;
    }

    /* Adds a prompt, whose arguments are strings. */
    template <class F>
    server &prompt(std::string_view name, std::string_view description, F &&function)
    {
        using handler = std::decay_t<F>;

        if constexpr (detail::check_prompt<handler>()) {
            auto made = std::make_unique<detail::prompt_of<handler>>(std::forward<F>(function));
            haft_prompt *prompt = &made->prompt;

            prompt->name = made->keep(name);
            prompt->description = made->keep(description);
            keep(std::move(made), [=](haft_server *own) { return haft_prompt_add(own, prompt); });
        }
        return *this;
    }

    /* A tool declared in C; it must outlive the server. */
    server &add(const haft_tool &tool)
    {
        detail::check(haft_add(get(), &tool), *haft_server_error(get()));
        return *this;
    }

    void remove_tool(const std::string &name)
    {
        detail::check(haft_offer_remove(get(), HAFT_OFFER_TOOL, name.c_str()),
                      *haft_server_error(get()));
    }

    /* Adds an option or an operand of the program's own, bound to a variable that outlives the server:
     * haft/cpp/option.hpp has its types.  `name` is "--root", "FILE" for an operand, or "" for an option
     * that only its haft::variable sets.  Returns the server. */
    template <class T, class... Rules>
    server &option(std::string_view name, T &target, std::string_view help, Rules... rules)
    {
        get();
        detail::option_row &row = state_->options.add();

        row.name = name;
        row.help = help;
        detail::bind_option(row, target);
        (rules.apply(row), ...);
        return *this;
    }

    /* Sets the variables of the options now, for a program whose tools depend on them.  Returns true if they
     * have been set; false if the command line asks for help or is wrong.  Call main with the same arguments
     * in either case: it prints the help, or what is wrong. */
    bool read_options(int argc, char **argv)
    {
        haft_server *own = get();

        return !state_->options.read(own, argc, argv);
    }

    /* The command line that every server has, over standard input and output or HTTP.  The server is gone
     * afterwards: everything else of it throws.  Returns the exit status. */
    int main(int argc, char **argv)
    {
        read_options(argc, argv);
        return haft_main(state_->release(), argc, argv);
    }

    /* Serves one client on standard input and output; for programs with a command line of their own. */
    int serve_stdio(const haft_stdio_options *options = nullptr)
    {
        return haft_stdio_serve(get(), options);
    }

    /* What the functions of haft/server.h take. */
    haft_server *get() const
    {
        if (!state_ || !state_->own)
            throw std::logic_error("haft::server: it has been moved from, or main has run");
        return state_->own;
    }

  private:
    struct state {
        haft_server *own = nullptr;
        std::mutex lock;
        std::vector<std::unique_ptr<detail::held>> offers;
        detail::option_table options;

        ~state()
        {
            haft_server_free(own); /* before what it offers */
        }
        haft_server *release()
        {
            return std::exchange(own, nullptr);
        }
    };

    /* Keeps what is offered as long as the server, also when it is refused: a message may name it. */
    template <class Add> void keep(std::unique_ptr<detail::held> made, Add add)
    {
        haft_server *own = get();
        std::lock_guard<std::mutex> guard(state_->lock);

        state_->offers.push_back(std::move(made));
        detail::check(add(own), *haft_server_error(own));
    }

    std::unique_ptr<state> state_;
};

} /* namespace haft */

#endif
