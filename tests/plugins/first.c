/* first.c - a plugin as version 1 of the interface has it: without the last member, of which there is
 * nothing to be read. */
#include <haft.h>
#include <stddef.h>

static int old(haft_call *call)
{
    return haft_text(call, "old");
}
HAFT_TOOL_BARE(old, "Is of an old plugin");

const haft_plugin haft_plugin_definition = {
    .abi = 1,
    .sizes = {(unsigned)offsetof(haft_plugin, gateway), (unsigned)sizeof(haft_tool),
              (unsigned)sizeof(haft_resource), (unsigned)sizeof(haft_prompt),
              (unsigned)sizeof(haft_type), (unsigned)sizeof(haft_field)},
    .tools = HAFT_TOOLS(&old_tool),
    .gateway = (const struct haft_gateway_part *)(uintptr_t)16};
