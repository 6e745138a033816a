/* expect gcc: no member named 'rom'; did you mean 'room' */
/* expect clang: no member named 'rom' */
/* A handler reads a member that was not declared. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs"));

static int dim(haft_call *call, const lamp *in, lamp *out)
{
    (void)call;
    out->room = in->rom;
    return 0;
}
HAFT_TOOL(dim, lamp, lamp, "Dims a lamp");

const haft_tool *tool(void);
const haft_tool *tool(void)
{
    return &dim_tool;
}
