/* expect: lamp: this is not a field: HAFT_STRNG(room, */
/* A kind of field that there is not. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRNG(room, "Where it hangs"),
    HAFT_INTEGER(level, "Percent"));
