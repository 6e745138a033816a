/* expect: expected expression */
/* A rule where the description should be. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, .min = 1),
    HAFT_INTEGER(level, "Percent"));
