/* expect: lamp has no fields, or a comma too many */
/* A comma too many. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs"),
    HAFT_INTEGER(level, "Percent"), );
