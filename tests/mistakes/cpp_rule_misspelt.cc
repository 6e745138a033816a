/* expect: no member named 'mx' */
/* A rule that does not exist. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(int, level, "Percent", .min = 0, .mx = 100));
