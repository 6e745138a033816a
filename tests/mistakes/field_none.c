/* expect: HAFT_this_is_no_field_ */
/* A comma too many. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs"),
    HAFT_INTEGER(level, "Percent"), );
