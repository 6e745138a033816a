/* refused.c - plugins with something wrong.  WRONG says what. */
#include <haft.h>

int haft_nothing_like_it(haft_call *call);

static int fine(haft_call *call)
{
#if WRONG == SYMBOL
    return haft_nothing_like_it(call);
#else
    return haft_text(call, "fine");
#endif
}
HAFT_TOOL_BARE(fine, "Nothing is wrong with it");

#if WRONG == ABI
const haft_plugin haft_plugin_definition = {.abi = 77, .tools = HAFT_TOOLS(&fine_tool)};
#elif WRONG == SIZES
const haft_plugin haft_plugin_definition = {
    .abi = HAFT_PLUGIN_ABI, .sizes = {1, 2, 3}, .tools = HAFT_TOOLS(&fine_tool)};
#elif WRONG == HANDLER
static const haft_tool idle_tool =
    HAFT_INIT(haft_tool, .name = "idle", .description = "Has no handler");
HAFT_PLUGIN(&fine_tool, &idle_tool);
#elif WRONG == NAME
static const haft_tool odd_tool = HAFT_INIT(haft_tool, .name = "not a name", .call = fine_call_);
HAFT_PLUGIN(&fine_tool, &odd_tool);
#elif WRONG == SCHEMA
HAFT_STRUCT(odd_args, HAFT_STRING(text, "A text", .pattern = "("));
static const haft_tool odd_tool =
    HAFT_INIT(haft_tool, .name = "odd", .call = fine_call_, .input = &odd_args_type);
HAFT_PLUGIN(&fine_tool, &odd_tool);
#elif WRONG == TWICE
HAFT_PLUGIN(&fine_tool, &fine_tool);
#elif WRONG == TAKEN
static const haft_tool echo_tool = HAFT_INIT(haft_tool, .name = "echo", .call = fine_call_);
HAFT_PLUGIN(&fine_tool, &echo_tool);
#elif WRONG == START
static int start(haft_server *server)
{
    (void)server;
    return HAFT_EBUSY;
}
HAFT_PLUGIN_WITH(.tools = HAFT_TOOLS(&fine_tool), .start = start);
#elif WRONG == SYMBOL
HAFT_PLUGIN(&fine_tool);
#else
extern const haft_tool *const what_is_this;
const haft_tool *const what_is_this = &fine_tool;
#endif
