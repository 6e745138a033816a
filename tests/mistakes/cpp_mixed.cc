/* expect: lamp has fields of C and HAFT_FIELD: it must be one of the two */
/* Fields of both languages. */
#include <haft.hpp>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs"),
    HAFT_FIELD(int, level, "Percent"));
