/* expect: HAFT_the_item_is_no_field_\|at least one argument\|passing no argument */
/* An array of nothing. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_ARRAY(tags, "Labels"),
    HAFT_INTEGER(level, "Percent"));
