/* expect: the default of lamp.level must be an integer */
/* A default of another type. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_DEFAULT(HAFT_INTEGER(level, "Percent"), "full"));
