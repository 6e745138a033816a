/* expect: for C alone */
/* A tool in C++. */
#include <haft.h>

static int dim(haft_call *call)
{
    return haft_text(call, "dim");
}
HAFT_TOOL_BARE(dim, "Dims a lamp");
