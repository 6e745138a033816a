/* haft/cpp/error.hpp - what haft's C++ interface throws, and what a handler may. */
#ifndef HAFT_CPP_ERROR_HPP
#define HAFT_CPP_ERROR_HPP

#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <haft/base.h>
#include <haft/issue.h>

namespace haft
{

/* A function of the library has failed: `code` is its status, what() says why. */
class error : public std::runtime_error
{
  public:
    error(int code, const std::string &text) : std::runtime_error(text), code_(code)
    {
    }

    /* Returns the status code, such as HAFT_EINVAL. */
    int code() const noexcept
    {
        return code_;
    }

  private:
    int code_;
};

/* One thing that is wrong with a value. */
struct issue {
    std::string path;     /* "items.0.name"; "" is the value itself */
    std::string message;  /* sentence about the problem */
    haft_issue_code code; /* kind of the problem */
};

/* A value does not fit its schema; what() has every issue. */
class invalid : public error
{
  public:
    invalid(int code, const std::string &text, std::vector<issue> issues)
        : error(code, text), issues_(std::move(issues))
    {
    }

    /* Returns every problem of the value. */
    const std::vector<issue> &issues() const noexcept
    {
        return issues_;
    }

  private:
    std::vector<issue> issues_;
};

/* For handlers: an error whose text the model reads.  The text of any other exception goes to the
 * server's log, and the model only learns that the tool failed. */
class tool_error : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

namespace detail
{

/* Throws the exception for a negative status. */
inline void check(int status, const char *what = nullptr)
{
    if (status == HAFT_ENOMEM)
        throw std::bad_alloc();
    if (status < 0)
        throw error(status, what && *what ? what : haft_strerror(status));
}

/* The same with the path of the reason in front, unless its text begins with that. */
inline void check(int status, const haft_reason &reason)
{
    std::string text = reason.text;

    if (status < 0 && *reason.path && text.find(std::string("Tool ") + reason.path) != 0)
        text = std::string(reason.path) + ": " + text;
    check(status, text.c_str());
}

} /* namespace detail */
} /* namespace haft */

#endif
