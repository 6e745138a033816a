/* haft/cpp/authorizer.hpp - access of a client to a server over HTTP (haft/authorize.h).
 *
 *     haft::connect_options options;
 *     options.authorizer = haft::bearer(token);
 *
 * An authorizer is shared by the clients that use it, and freed with the last of them. */
#ifndef HAFT_CPP_AUTHORIZER_HPP
#define HAFT_CPP_AUTHORIZER_HPP

#include <haft/authorize.h>

#include <functional>
#include <memory>
#include <string>

#include <haft/cpp/error.hpp>
#include <haft/cpp/server.hpp>

namespace haft
{

using oauth_options = options<haft_oauth_options>;

/* An authorizer: haft::bearer or haft::oauth. */
class authorizer
{
  public:
    explicit authorizer(haft_authorizer *own) noexcept : own_(own)
    {
    }

    haft_authorizer *get() const noexcept
    {
        return own_.get();
    }

  private:
    friend std::shared_ptr<authorizer> oauth(oauth_options options,
                                             std::function<void(const std::string &url)> open_url);

    struct free_authorizer {
        void operator()(haft_authorizer *own) const
        {
            haft_authorizer_free(own);
        }
    };

    /* Called by the library: no exception may leave it. */
    static int show(void *context, const char *url) noexcept
    {
        try {
            static_cast<authorizer *>(context)->open_url_(url);
            return 0;
        } catch (...) {
            return HAFT_EFAIL;
        }
    }

    std::function<void(const std::string &url)> open_url_;
    std::unique_ptr<haft_authorizer, free_authorizer> own_;
};

/* Always sends the same token.  haft::error if it cannot be in a header. */
inline std::shared_ptr<authorizer> bearer(const std::string &token)
{
    haft_authorizer *own = haft_bearer_new(token.c_str());

    if (!own)
        throw error(HAFT_EINVAL, "the token cannot be sent in a header");
    return std::make_shared<authorizer>(own);
}

/* Logs in by OAuth.  open_url shows the URL of a login to a person; without it, the URL is printed on
 * standard error.  With one, the options must not have functions of C or a context. */
inline std::shared_ptr<authorizer> oauth(
    oauth_options options = {}, std::function<void(const std::string &url)> open_url = nullptr)
{
    std::shared_ptr<authorizer> made = std::make_shared<authorizer>(nullptr);
    haft_reason reason{};

    if (open_url) {
        made->open_url_ = std::move(open_url);
        options.open_url = authorizer::show;
        options.context = made.get();
    }
    made->own_.reset(haft_oauth_new(&options, &reason));
    if (!made->own_)
        detail::check(reason.code < 0 ? reason.code : int{HAFT_EINVAL}, reason);
    return made;
}

} /* namespace haft */

#endif
