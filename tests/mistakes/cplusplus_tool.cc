/* expect: for C alone: in C++ a function is given to haft::server::tool, of haft.hpp */
/* A tool in C++. */
#include <haft.h>

static int dim(haft_call *call)
{
    return haft_text(call, "dim");
}
HAFT_TOOL_BARE(dim, "Dims a lamp");
