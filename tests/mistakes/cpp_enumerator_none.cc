/* expect: an enumerator of paint has no name */
/* A comma too many. */
#include <haft.hpp>

HAFT_ENUM_CLASS(paint, red, blue, );
