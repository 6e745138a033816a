/* expect: refinement bright must be void bright(haft::refinement &, const lamp &) */
/* A refinement of another type. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(int, level, "Percent"));

static void bright(haft::refinement &, int)
{
}
HAFT_REFINE(lamp, bright);
