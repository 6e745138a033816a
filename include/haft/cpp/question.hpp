/* haft/cpp/question.hpp - a question of a server, which a client answers at once or later. */
#ifndef HAFT_CPP_QUESTION_HPP
#define HAFT_CPP_QUESTION_HPP

#include <haft/client.h>

#include <memory>
#include <string>
#include <type_traits>

#include <haft/cpp/convert.hpp>
#include <haft/cpp/error.hpp>
#include <haft/cpp/schema.hpp>

namespace haft
{

namespace detail
{

inline std::string json_of(const haft_value *value)
{
    buffer text;

    if (value)
        haft_json_write(value, text.get());
    return text.text();
}

} /* namespace detail */

/* A question.  It can be copied and kept, and is answered once, on the client's thread; nothing may be done
 * with it afterwards. */
class question
{
  public:
    explicit question(haft_question *own) : own_(own), ended_(std::make_shared<bool>(false))
    {
    }

    /* elicitation/create, sampling/createMessage or roots/list. */
    std::string method() const
    {
        return haft_question_method(own_);
    }
    /* The parameters as JSON; "" for none. */
    std::string params() const
    {
        return detail::json_of(haft_question_params(own_));
    }
    /* Values for the members of a form, as JSON. */
    std::string defaults() const
    {
        detail::buffer text;

        detail::check(haft_question_defaults(own_, text.get()));
        return text.text();
    }

    /* Answers a form with its default values, with JSON, or with a value of a declared type.  haft::error
     * if the content does not match the form. */
    void accept() const
    {
        end(haft_question_accept(own_, nullptr));
    }
    void accept(const std::string &content) const
    {
        end(haft_question_accept(own_, content.c_str()));
    }
    template <class T, std::enable_if_t<!std::is_convertible_v<T, std::string>, int> = 0>
    void accept(const T &content) const
    {
        accept(schema_of<T>().encode(content));
    }

    void decline() const
    {
        end(haft_question_decline(own_));
    }
    void cancel() const
    {
        end(haft_question_cancel(own_));
    }
    /* Answers any question with the complete result, as JSON. */
    void answer(const std::string &result) const
    {
        end(haft_question_answer(own_, result.c_str()));
    }
    void refuse(int code, const std::string &message) const
    {
        end(haft_question_refuse(own_, code, message.c_str()));
    }

    /* Whether it has been answered. */
    bool ended() const noexcept
    {
        return *ended_;
    }

    haft_question *get() const noexcept
    {
        return own_;
    }

  private:
    void end(int status) const
    {
        *ended_ = !status || status == HAFT_ECLOSED;
        detail::check(status);
    }

    haft_question *own_;
    std::shared_ptr<bool> ended_; /* of all copies */
};

} /* namespace haft */

#endif
