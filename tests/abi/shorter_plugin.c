/* shorter_plugin.c - plugins, to be compiled with headers of an earlier version: with a tool, or for gateways. */
#include <haft.h>

#if defined FOR_GATEWAYS
static int inbound(haft_call *call, void *data)
{
    (void)data;
    return haft_call_set_principal(call, "somebody");
}
static const haft_policy known = HAFT_INIT(haft_policy, .name = "known", .inbound = inbound);

/* Routes are the last member, which an earlier version does not have. */
HAFT_PLUGIN_WITH(.gateway = HAFT_GATEWAY_PART(.policies = HAFT_POLICIES(&known)));
#else
HAFT_STRUCT(greet_args, HAFT_STRING(name, "Whom to greet"));

static int greet(haft_call *call, const greet_args *in)
{
    return haft_text(call, "Hello, %s!", in->name);
}
HAFT_TOOL_IN(greet, greet_args, "Greets somebody");
HAFT_PLUGIN(&greet_tool);
#endif
