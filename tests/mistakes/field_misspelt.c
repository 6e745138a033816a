/* expect: HAFT_this_is_no_field_ */
/* A kind of field that there is not. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRNG(room, "Where it hangs"),
    HAFT_INTEGER(level, "Percent"));
