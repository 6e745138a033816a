/* passing.c - a plugin with one tool, which hides its names. */
#include <haft.h>

static int passing(haft_call *call)
{
    return haft_text(call, "passing by");
}
HAFT_TOOL_BARE(passing, "Comes and goes");

HAFT_PLUGIN(&passing_tool);
