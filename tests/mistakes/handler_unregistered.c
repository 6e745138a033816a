/* expect gcc: 'dim_tool' defined but not used */
/* expect clang: unused variable 'dim_tool' */
/* A tool that nothing uses. */
#include <haft.h>

HAFT_STRUCT(lamp, HAFT_STRING(room, "Where it hangs"));

static int dim(haft_call *call, const lamp *in, lamp *out)
{
    (void)call;
    *out = *in;
    return 0;
}
HAFT_TOOL(dim, lamp, lamp, "Dims a lamp");
