/* test.hpp - cmocka for C++.  An exception that gets out of a test fails it. */
#ifndef HAFT_TESTS_CPP_TEST_HPP
#define HAFT_TESTS_CPP_TEST_HPP

#include <exception>
#include <string>

extern "C" {
#include "support/test.h"
}

inline void equal_text(const std::string &got, const std::string &expected)
{
    assert_string_equal(got.c_str(), expected.c_str());
}

/* Runs it, and gives the what() of the exception that it must throw. */
template <class Exception, class F> std::string text_of(F function)
{
    try {
        function();
    } catch (const Exception &e) {
        return e.what();
    }
    return "nothing was thrown";
}

template <void function()> void guarded(void **)
{
    try {
        function();
    } catch (const std::exception &e) {
        fail_msg("exception: %s", e.what());
    }
}

#define CPP_TEST(name)                                                                             \
    {                                                                                              \
#name, guarded < name>, nullptr, nullptr, nullptr                                          \
    }

#endif
