/* haft/cpp/refine.hpp - checks across fields: what HAFT_REFINE takes. */
#ifndef HAFT_CPP_REFINE_HPP
#define HAFT_CPP_REFINE_HPP

extern "C++" {

#include <exception>
#include <string>
#include <type_traits>

#include <haft/declare.h>

namespace haft
{

/* What a refinement reports to.  It lives until the refinement returns. */
class refinement
{
  public:
    explicit refinement(haft_refinement *to) : to_(to)
    {
    }

    /* Adds an issue at `path` below the value, "items.0.name"; "" is the value itself. */
    void issue(const std::string &path, const std::string &text)
    {
        haft_refinement_add_issue(to_, path.c_str(), "%s", text.c_str());
    }

    haft_refinement *get() const
    {
        return to_;
    }

  private:
    haft_refinement *to_;
};

namespace detail
{

template <class T, class F>
inline constexpr bool is_refinement = std::is_invocable_v<F, refinement &, const T &> ||
                                      std::is_invocable_v<F, haft_refinement *, const T *>;

/* The library is C: no exception may pass. */
template <class T, class F> void refine(F check, haft_refinement *to, const T &value) noexcept
{
    try {
        if constexpr (std::is_invocable_v<F, refinement &, const T &>) {
            refinement wrapped(to);
            check(wrapped, value);
        } else if constexpr (std::is_invocable_v<F, haft_refinement *, const T *>) {
            check(to, &value);
        }
    } catch (...) {
        haft_refinement_add_issue(to, "", "The value could not be checked");
    }
}

} /* namespace detail */
} /* namespace haft */

} /* extern "C++" */

#endif
