/* word.c - a plugin with one tool, which says which version it is of.  WORD is 1 or 2. */
#include <haft.h>

static int word(haft_call *call)
{
    return haft_text(call, "word %d", WORD);
}
HAFT_TOOL_BARE(word, "Says which version it is of");

HAFT_PLUGIN(&word_tool);
