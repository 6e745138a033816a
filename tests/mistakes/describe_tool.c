/* expect: tool dim needs a description\|at least one argument\|passing no argument */
/* No description of a tool. */
#include <haft.h>

static int dim(haft_call *call)
{
    return haft_text(call, "dim");
}
HAFT_TOOL_BARE(dim);
