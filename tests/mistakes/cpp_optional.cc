/* expect: lamp.level may be absent: it must be a std::optional */
/* An int is always there. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_OPTIONAL(HAFT_FIELD(int, level, "Percent")));
