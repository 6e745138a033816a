/* haft/cpp/client.hpp - a client of a server in the same process, for tests.
 *
 *     haft::client client(server);
 *     add_sum sum = client.call<add_sum>("add", add_args{2, 40});
 *
 * The server must outlive it.  A client is one thread's. */
#ifndef HAFT_CPP_CLIENT_HPP
#define HAFT_CPP_CLIENT_HPP

#include <haft/client.h>

#include <haft/cpp/schema.hpp>
#include <haft/cpp/server.hpp>

namespace haft
{

using client_options = options<haft_client_options>;

/* How a request ended. */
struct result {
    bool is_error = false;  /* whether the tool reported an error */
    int error_code = 0;     /* of the protocol; 0 for none */
    std::string text;       /* blocks of text, separated by line ends; of an error its message */
    std::string structured; /* structured content as JSON; "" for none */
    std::string value;      /* the whole result as JSON; "" after an error of the protocol */
};

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

        finish(haft_client_call(own_.get(), tool.c_str(), arguments.c_str(), &raw));
        return copy(raw);
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

    /* Any method. */
    result request(const std::string &method, const std::string &params = "{}")
    {
        haft_result raw;

        finish(haft_client_request(own_.get(), method.c_str(), params.c_str(), &raw));
        return copy(raw);
    }

    haft_client *get() const noexcept
    {
        return own_.get();
    }

  private:
    struct free_client {
        void operator()(haft_client *own) const
        {
            haft_client_free(own);
        }
    };

    static void finish(int status)
    {
        detail::check(status);
        if (status == HAFT_PENDING)
            throw error(HAFT_EBUSY, "there is no answer yet: haft_client_wait");
    }

    static std::string json_of(const haft_value *value)
    {
        detail::buffer text;

        if (value)
            haft_json_write(value, text.get());
        return text.text();
    }

    static result copy(const haft_result &raw)
    {
        return {raw.is_error, raw.error_code, raw.text ? raw.text : "", json_of(raw.structured),
                json_of(raw.value)};
    }

    std::unique_ptr<haft_client, free_client> own_;
};

} /* namespace haft */

#endif
