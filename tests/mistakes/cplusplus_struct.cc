/* expect: for C alone */
/* A declaration in C++. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs"),
    HAFT_INTEGER(level, "Percent"));
