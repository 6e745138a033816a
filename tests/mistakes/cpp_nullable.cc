/* expect: lamp.level may be null: it must be a std::optional */
/* An int has no null. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_NULLABLE(HAFT_FIELD(int, level, "Percent")));
