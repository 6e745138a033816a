/* haft/cpp/call.hpp - what a handler can do besides returning: haft/call.h for C++.
 *
 * A haft::call is there until the handler returns.  Functions that fail throw. */
#ifndef HAFT_CPP_CALL_HPP
#define HAFT_CPP_CALL_HPP

#include <functional>
#include <utility>

#include <haft/access.h>
#include <haft/call.h>
#include <haft/server.h>

#include <haft/cpp/convert.hpp>
#include <haft/cpp/error.hpp>

namespace haft
{

namespace detail
{

/* Leaves a handler that has asked something: it is called again with the answer.  Not an exception
 * that a handler would take for its own. */
struct ask_again {
};

} /* namespace detail */

class call
{
  public:
    explicit call(haft_call *own) : own_(own)
    {
    }

    /* ---- answering: each appends a block to the result ---- */

    void text(std::string_view text)
    {
        detail::check(haft_text_bytes(own_, text.data() ? text.data() : "", text.size()));
    }
    void image(const std::string &mime_type, const void *bytes, std::size_t size)
    {
        detail::check(haft_image(own_, mime_type.c_str(), bytes, size));
    }
    void audio(const std::string &mime_type, const void *bytes, std::size_t size)
    {
        detail::check(haft_audio(own_, mime_type.c_str(), bytes, size));
    }
    void link(const haft_link &link)
    {
        detail::check(haft_resource_link(own_, &link));
    }
    void embed(const haft_contents &contents)
    {
        detail::check(haft_embed(own_, &contents));
    }
    /* Structured content as JSON text. */
    void structured(std::string_view json)
    {
        detail::check(haft_json(own_, json.data(), json.size()));
    }

    /* In a prompt: starts a message of the "user" or the "assistant", which the next block belongs to. */
    void say(const std::string &role)
    {
        detail::check(haft_prompt_say(own_, role.c_str()));
    }

    /* ---- looking around ---- */

    /* The value of a variable in the URI template of a resource; "" when there is none of that name. */
    std::string_view variable(const std::string &name) const
    {
        const char *text = haft_variable(own_, name.c_str());

        return text ? text : "";
    }
    std::string_view name() const
    {
        return haft_call_name(own_);
    }
    std::string_view client_name() const
    {
        return haft_client_name(own_);
    }
    std::string_view client_version() const
    {
        return haft_client_version(own_);
    }
    std::string_view revision() const
    {
        return haft_call_revision(own_);
    }
    /* "" when it is not known. */
    std::string_view principal() const
    {
        const char *text = haft_call_principal(own_);

        return text ? text : "";
    }
    /* The identity of the client; NULL when it is not known: haft/access.h. */
    const haft_identity *identity() const
    {
        return haft_call_identity(own_);
    }
    /* Whether the client has a scope, directly or through one that includes it. */
    bool has_scope(const std::string &scope) const
    {
        return haft_call_has_scope(own_, scope.c_str());
    }
    bool client_can(const std::string &capability) const
    {
        return haft_client_can(own_, capability.c_str());
    }
    bool cancelled() const
    {
        return haft_call_cancelled(own_);
    }
    /* Milliseconds until the deadline; -1 when there is none. */
    std::int64_t time_left() const
    {
        return haft_call_time_left(own_);
    }

    /* ---- reporting ---- */

    /* `total` is 0 when it is not known. */
    void progress(double done, double total = 0, const std::string &text = {})
    {
        haft_progress(own_, done, total, text.empty() ? nullptr : "%s", text.c_str());
    }
    /* To the client. */
    void message(haft_level level, const std::string &text)
    {
        haft_message(own_, level, nullptr, "%s", text.c_str());
    }
    /* To the server's own log. */
    void log(haft_level level, const std::string &text)
    {
        haft_log(own_, level, "%s", text.c_str());
    }

    /* ---- asking ---- */

    /* A form for the person behind the client, of a declared type with flat fields.  Nothing when the
     * person said no or closed it.  As long as the answer is not there this does not return: the handler
     * is left, and called again from its start when it has come.  haft::error of HAFT_ECAPABILITY when
     * the client cannot be asked. */
    template <class T> std::optional<T> ask(const std::string &key, const std::string &question)
    {
        detail::object_slot<detail::layout<T>::size> shadow{};
        int status = haft_elicit(own_, key.c_str(), question.c_str(),
                                 &detail::object_table<T>::type, shadow.bytes);
        std::optional<T> answer;

        detail::check(status);
        if (status == HAFT_AGAIN)
            throw detail::ask_again();
        if (status == HAFT_ACCEPTED)
            detail::read_object(shadow.bytes, answer.emplace());
        return answer;
    }

    /* What the functions of haft/call.h take. */
    haft_call *get() const noexcept
    {
        return own_;
    }

  private:
    haft_call *own_;
};

/* Has a function called while it exists, as soon as the call is cancelled, and at once if it is so already:
 *
 *     std::condition_variable woken;
 *     haft::on_cancel wake(call, [&] { woken.notify_all(); });
 *
 * The function runs on another thread (haft_call_on_cancel).  It must return soon; what it throws is ignored.
 * When the object is gone, the function is not running and is not called any more.  A call has one at a time. */
class on_cancel
{
  public:
    on_cancel(call &of, std::function<void()> function)
        : own_(of.get()), function_(std::move(function))
    {
        haft_call_on_cancel(own_, run, this);
    }
    ~on_cancel()
    {
        haft_call_on_cancel(own_, nullptr, nullptr);
    }
    on_cancel(const on_cancel &) = delete;
    on_cancel &operator=(const on_cancel &) = delete;

  private:
    static void run(haft_call *, void *self) noexcept
    {
        try {
            static_cast<on_cancel *>(self)->function_();
        } catch (...) {
        }
    }

    haft_call *own_;
    std::function<void()> function_;
};

} /* namespace haft */

#endif
