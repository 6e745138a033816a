/* expect: an enumerator of paint has no name */
/* A comma too many. */
#include <haft.h>

HAFT_ENUMERATION(paint, red, blue, );
