/* expect: lamp has no fields, or a comma too many */
/* No field at all. */
#include <haft.h>

HAFT_STRUCT(lamp, );
