/* first.c - a plugin as an earlier version of the interface has it: without the last member, of which there is
 * nothing to be read. */
#include <haft.h>
#include <stddef.h>

static int old(haft_call *call)
{
    return haft_text(call, "old");
}
HAFT_TOOL_BARE(old, "Is of an old plugin");

const haft_plugin haft_plugin_definition = {
    .abi = HAFT_PLUGIN_ABI,
    .sizes = {(unsigned)offsetof(haft_plugin, stop), (unsigned)sizeof(haft_tool),
              (unsigned)sizeof(haft_resource), (unsigned)sizeof(haft_prompt),
              (unsigned)sizeof(haft_type), (unsigned)sizeof(haft_field)},
    .tools = HAFT_TOOLS(&old_tool),
    .stop = (void (*)(void))(uintptr_t)16};
