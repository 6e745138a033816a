/* expect: refinement check must be void check(haft_refinement \*, const lamp \*) */
/* The refinement looks at another type. */
#include <haft.h>

HAFT_STRUCT(lamp, HAFT_STRING(room, "Where it hangs"));
HAFT_STRUCT(light, HAFT_INTEGER(level, "Percent"));

static void check(haft_refinement *refinement, const light *value)
{
    if (value->level > 100)
        haft_refinement_add_issue(refinement, "level", "too bright");
}
HAFT_REFINE(lamp, check);
