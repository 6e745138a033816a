/* expect gcc: .*haft::detail::plain_rules.* has no member named 'min' */
/* expect clang: no member named 'min' in 'haft::detail::plain_rules' */
/* A bound of a bool. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(bool, lit, "Whether it is on", .min = 1));
