/* expect gcc: makes pointer from integer */
/* expect clang: incompatible integer to pointer conversion */
/* A rule whose value is of another type. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs", .pattern = 5));
