/* expect: unknown type name 'position' */
/* A type that was not declared. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_OBJECT(place, position, "Where it hangs"));
