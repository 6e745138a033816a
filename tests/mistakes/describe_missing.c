/* expect: lamp.room needs a description\|at least one argument\|passing no argument */
/* No description. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room),
    HAFT_INTEGER(level, "Percent"));
