/* haft/cpp/client.hpp - a client of a server in the same process, for tests, or of one elsewhere.
 *
 *     haft::client client(server);
 *     add_sum sum = client.call<add_sum>("add", add_args{2, 40});
 *
 *     haft::client other = haft::connect("https://example.com/mcp");
 *     haft::client child = haft::connect(haft::command{"./adder", "--quiet"});
 *
 * A server in the same process must outlive the client.  A client is one thread's.  An exception that leaves
 * one of the functions given to it is thrown again by the function of the client that was called. */
#ifndef HAFT_CPP_CLIENT_HPP
#define HAFT_CPP_CLIENT_HPP

#include <haft/client.h>
#include <haft/connect.h>

#include <climits>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <haft/cpp/authorizer.hpp>
#include <haft/cpp/declare.hpp>
#include <haft/cpp/question.hpp>
#include <haft/cpp/schema.hpp>
#include <haft/cpp/server.hpp>

namespace haft
{

using client_options = options<haft_client_options>;
using target = options<haft_target>;

/* How a request ended. */
struct result {
    bool is_error = false;   /* whether the tool reported an error */
    int error_code = 0;      /* of the protocol; 0 for none */
    std::string text;        /* blocks of text, separated by line ends; of an error its message */
    std::string structured;  /* structured content as JSON; "" for none */
    std::string value;       /* the whole result as JSON; "" after an error of the protocol */
    std::string task;        /* id of the task that the result is about; "" for none */
    std::string task_status; /* "working", "input_required" and so on; "" for none */
};

/* An item of a list: a tool, a resource, a template or a prompt. */
struct offered {
    std::string name;                        /* its name */
    std::optional<std::string> title;        /* its name for people */
    std::optional<std::string> description;  /* what it is for */
    std::optional<std::string> uri;          /* of a resource */
    std::optional<std::string> uri_template; /* of a template */
    std::optional<json> input_schema;        /* of a tool, as JSON */
};

namespace detail
{

HAFT_STRUCT(listed_item, HAFT_FIELD(std::string, name, "Name"),
            HAFT_FIELD(std::optional<std::string>, title, "Title"),
            HAFT_FIELD(std::optional<std::string>, description, "Description"),
            HAFT_FIELD(std::optional<std::string>, uri, "URI"),
            HAFT_NAMED("uriTemplate",
                       HAFT_FIELD(std::optional<std::string>, uri_template, "URI template")),
            HAFT_NAMED("inputSchema", HAFT_FIELD(std::optional<json>, input_schema, "Schema")));
HAFT_OPTIONS(listed_item, .extra = HAFT_EXTRA_IGNORE);
HAFT_STRUCT(listed, HAFT_FIELD(std::vector<listed_item>, all, "Items"));

} /* namespace detail */

/* A program and its arguments. */
struct command {
    command(std::initializer_list<std::string> all) : words(all)
    {
    }
    explicit command(std::vector<std::string> all) : words(std::move(all))
    {
    }

    std::vector<std::string> words; /* the program first */
};

/* Receives a question of the server, and answers it at once or later. */
using ask_function = std::function<void(question)>;

/* Receives a notification, with its parameters as JSON; "" for none. */
using notify_function = std::function<void(const std::string &method, const std::string &params)>;

/* Receives a line. */
using line_function = std::function<void(const std::string &line)>;

/* What haft::connect does apart from the defaults. */
struct connect_options {
    client_options client; /* haft/client.h; its functions and context are not used */
    haft::target target;   /* haft/connect.h, without the server */
    std::shared_ptr<haft::authorizer> authorizer; /* access over HTTP; none */
    ask_function ask;         /* answers questions of the server; without it they are refused */
    notify_function notify;   /* receives notifications; without it they are ignored */
    line_function error_line; /* lines of a program's standard error; without it they go to ours */
};

/* Progress of a request; total is 0 if it is unknown. */
using progress_function =
    std::function<void(double progress, double total, const std::string &message)>;

class client
{
  public:
    explicit client(server &to, const haft_client_options *options = nullptr)
        : own_(haft_client_new(to.get(), options))
    {
        if (!own_)
            throw error(HAFT_EINVAL, "the client cannot be made: is its revision known?");
    }
    client(server &to, const haft_client_options &options) : client(to, &options)
    {
    }

    /* A tool with arguments as JSON. */
    result call(const std::string &tool, const std::string &arguments = "{}")
    {
        haft_result raw;

        return finish(haft_client_call(own_.get(), tool.c_str(), arguments.c_str(), &raw), raw);
    }

    /* The same, with its progress. */
    result call(const std::string &tool, const std::string &arguments, progress_function progress)
    {
        options<haft_client_exchange> exchange;
        watcher watching{std::move(progress), nullptr};
        haft_result raw;

        exchange.tool = tool.c_str();
        exchange.arguments = arguments.c_str();
        exchange.progress = &watcher::report;
        exchange.context = &watching;
        int64_t id = haft_client_begin(own_.get(), &exchange);
        int status =
            id < 0 ? static_cast<int>(id) : haft_client_wait(own_.get(), id, UINT_MAX, &raw);
        if (status == HAFT_PENDING)
            haft_client_cancel(own_.get(), id); /* which would report to this frame */
        if (watching.thrown)
            std::rethrow_exception(watching.thrown);
        return finish(status, raw);
    }

    /* A tool with arguments of a declared type; Out is what its handler gives.  haft::tool_error with the
     * text of an error. */
    template <class Out, class In> Out call(const std::string &tool, const In &in)
    {
        result got = call(tool, schema_of<In>().encode(in));

        if (got.is_error)
            throw tool_error(got.text);
        if constexpr (std::is_same_v<Out, std::string>)
            return got.text;
        else
            return schema_of<Out>().decode(got.structured);
    }

    /* Everything of a kind; all pages. */
    std::vector<offered> list(haft_offer kind)
    {
        haft_result raw;

        finish(haft_client_list(own_.get(), kind, &raw));
        if (raw.is_error)
            throw error(HAFT_EFAIL, raw.text);
        detail::listed got =
            schema_of<detail::listed>().decode("{\"all\":" + detail::json_of(raw.content) + "}");
        std::vector<offered> all;
        for (detail::listed_item &item : got.all)
            all.push_back({std::move(item.name), std::move(item.title), std::move(item.description),
                           std::move(item.uri), std::move(item.uri_template),
                           std::move(item.input_schema)});
        return all;
    }
    /* All tools. */
    std::vector<offered> tools()
    {
        return list(HAFT_OFFER_TOOL);
    }

    /* A resource: its text is that of all its contents. */
    result read(const std::string &uri)
    {
        haft_result raw;

        return finish(haft_client_read(own_.get(), uri.c_str(), &raw), raw);
    }

    /* A prompt with arguments as JSON: the text is that of its messages. */
    result prompt(const std::string &name, const std::string &arguments = "{}")
    {
        haft_result raw;

        return finish(haft_client_get(own_.get(), name.c_str(), arguments.c_str(), &raw), raw);
    }

    /* The state of a task, as a result with `task` and `task_status`. */
    result task_get(const std::string &id)
    {
        haft_result raw;

        return finish(haft_client_task_get(own_.get(), id.c_str(), &raw), raw);
    }
    /* Answers questions of a task: an object with an answer for each key, as JSON. */
    void task_update(const std::string &id, const std::string &responses)
    {
        haft_result raw;

        check_about(haft_client_task_update(own_.get(), id.c_str(), responses.c_str(), &raw), raw);
    }
    /* Asks the server to cancel a task. */
    void task_cancel(const std::string &id)
    {
        haft_result raw;

        check_about(haft_client_task_cancel(own_.get(), id.c_str(), &raw), raw);
    }
    /* Waits for the end of a task, and returns the result of its tool. */
    result task_wait(const std::string &id)
    {
        haft_result raw;

        return finish(haft_client_task_wait(own_.get(), id.c_str(), &raw), raw);
    }

    /* Any method. */
    result request(const std::string &method, const std::string &params = "{}")
    {
        haft_result raw;

        return finish(haft_client_request(own_.get(), method.c_str(), params.c_str(), &raw), raw);
    }

    /* The revision in use. */
    std::string revision() const
    {
        return haft_client_revision(own_.get());
    }

    haft_client *get() const noexcept
    {
        return own_.get();
    }

  private:
    friend client connect(const std::string &url, connect_options options);
    friend client connect(const command &program, connect_options options);
    friend client connect(server &to, connect_options options);

    /* What the functions of a connected client need; it stays where it is. */
    struct state {
        explicit state(connect_options &&given) : options(std::move(given))
        {
        }

        connect_options options;
        std::string url;
        std::vector<std::string> words;
        std::vector<const char *> pointers; /* to the words, and NULL */
        std::exception_ptr thrown;
    };

    struct free_client {
        void operator()(haft_client *own) const
        {
            haft_client_free(own);
        }
    };

    /* Where the progress of one call goes. */
    struct watcher {
        static void report(void *context, double progress, double total,
                           const char *message) noexcept
        {
            watcher *watching = static_cast<watcher *>(context);

            try {
                if (!watching->thrown)
                    watching->function(progress, total, message);
            } catch (...) {
                watching->thrown = std::current_exception();
            }
        }

        progress_function function;
        std::exception_ptr thrown;
    };

    explicit client(std::unique_ptr<state> made) : state_(std::move(made))
    {
        connect_options &given = state_->options;
        haft_reason reason{};

        given.client.ask = given.ask ? &asked : nullptr;
        given.client.notify = given.notify ? &notified : nullptr;
        given.client.answer = nullptr;
        given.client.watch = nullptr;
        given.client.context = state_.get();
        given.target.on_error_line = given.error_line ? &said : nullptr;
        given.target.context = state_.get();
        if (given.authorizer)
            given.target.authorizer = given.authorizer->get();
        own_.reset(haft_client_connect(&given.target, &given.client, &reason));
        if (state_->thrown)
            std::rethrow_exception(state_->thrown);
        if (!own_)
            detail::check(reason.code < 0 ? reason.code : int{HAFT_EFAIL}, reason);
    }

    /* Runs a function of the program within a function of the library. */
    template <class Function> static int guard(void *context, Function function) noexcept
    {
        state *its = static_cast<state *>(context);

        try {
            function(its->options);
            return 0;
        } catch (...) {
            its->thrown = std::current_exception();
            return HAFT_EFAIL;
        }
    }
    static int asked(void *context, haft_question *own) noexcept
    {
        bool ended = false;
        int status = guard(context, [&](connect_options &given) {
            question it(own);

            try {
                given.ask(it);
            } catch (...) {
                ended = it.ended();
                throw;
            }
        });

        return ended ? 0 : status; /* an open one is refused */
    }
    static void notified(void *context, const char *method, haft_value *params) noexcept
    {
        guard(context,
              [&](connect_options &given) { given.notify(method, detail::json_of(params)); });
    }
    static void said(void *context, const char *line, std::size_t size) noexcept
    {
        guard(context, [&](connect_options &given) { given.error_line(std::string(line, size)); });
    }

    /* Throws what a function of the program threw, or what a status stands for. */
    void finish(int status)
    {
        if (state_ && state_->thrown)
            std::rethrow_exception(std::exchange(state_->thrown, nullptr));
        detail::check(status, status < 0 ? haft_client_error(own_.get(), nullptr) : nullptr);
        if (status == HAFT_PENDING)
            throw error(HAFT_EBUSY, "there is no answer yet: haft_client_wait");
    }
    result finish(int status, const haft_result &raw)
    {
        finish(status);
        const char *task = haft_result_task(&raw), *its_state = haft_result_task_status(&raw);
        return {raw.is_error,
                raw.error_code,
                raw.text ? raw.text : "",
                detail::json_of(raw.structured),
                detail::json_of(raw.value),
                task ? task : "",
                its_state ? its_state : ""};
    }
    /* Throws an error of the server as well. */
    void check_about(int status, const haft_result &raw)
    {
        finish(status);
        if (raw.is_error)
            throw error(HAFT_EFAIL, raw.text);
    }

    std::unique_ptr<state> state_; /* NULL for a client of haft_client_new */
    std::unique_ptr<haft_client, free_client> own_;
};

/* Connects to a URL: http, https or unix.  haft::error with the reason. */
inline client connect(const std::string &url, connect_options options = {})
{
    auto made = std::make_unique<client::state>(std::move(options));

    made->url = url;
    made->options.target.url = made->url.c_str();
    return client(std::move(made));
}

/* Starts a program, and ends it with the client. */
inline client connect(const command &program, connect_options options = {})
{
    auto made = std::make_unique<client::state>(std::move(options));

    made->words = program.words;
    for (const std::string &word : made->words)
        made->pointers.push_back(word.c_str());
    made->pointers.push_back(nullptr);
    made->options.target.command = made->pointers.data();
    return client(std::move(made));
}

/* Connects to a server in this process, which must outlive the client. */
inline client connect(server &to, connect_options options = {})
{
    auto made = std::make_unique<client::state>(std::move(options));

    made->options.target.server = to.get();
    return client(std::move(made));
}

} /* namespace haft */

#endif
