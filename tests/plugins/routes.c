/* routes.c - a plugin with routes, a policy around one of them, a kind of policy and a tool, of which
 * there are two versions that differ in what the tool says.  ROUTES is 1 or 2. */
#include <haft.h>

HAFT_STRUCT(word_key, HAFT_STRING(word, "The word"));
HAFT_STRUCT(word, HAFT_STRING(text, "The same"));

static int get_word(haft_call *call, const word_key *in, word *out)
{
    (void)call;
    out->text = in->word;
    return 0;
}
HAFT_ROUTE(get_word, "GET", "/words/{word}", word_key, word, "Gives a word back",
           .policies = "stamp", .quick = true);

static int closed(haft_call *call)
{
    return haft_text(call, "It is open.");
}
HAFT_ROUTE_BARE(closed, "GET", "/closed", "Closed when a policy says so");

static int stamp_outbound(haft_call *call, void *data)
{
    (void)data;
    return haft_response_set_header(call, "X-Stamp", "plugin");
}
static const haft_policy stamp =
    HAFT_INIT(haft_policy, .name = "stamp", .outbound = stamp_outbound);

HAFT_STRUCT(deny_options, HAFT_STRING(why, "What is answered"));

static int deny_inbound(haft_call *call, void *data)
{
    const deny_options *options = data;
    int status = haft_problem(call, 403, "%s", options->why);

    return status ? status : HAFT_STOP;
}

static int make_deny(haft_gateway *gateway, const void *options, haft_arena *arena,
                     haft_policy *ret_policy, haft_reason *reterr_reason)
{
    (void)gateway;
    (void)arena;
    (void)reterr_reason;
    ret_policy->inbound = deny_inbound;
    ret_policy->data = (void *)(uintptr_t)options;
    return 0;
}
static const haft_policy_kind deny =
    HAFT_INIT(haft_policy_kind, .name = "deny", .options = &deny_options_type, .make = make_deny);

static int say(haft_call *call)
{
    return haft_text(call, "%d", ROUTES);
}
HAFT_TOOL_BARE(say, "Says which version it is of");

HAFT_PLUGIN_WITH(.name = "routes", .tools = HAFT_TOOLS(&say_tool),
                 .gateway = HAFT_GATEWAY_PART(.routes = HAFT_ROUTES(&get_word_route, &closed_route),
                                              .policies = HAFT_POLICIES(&stamp),
                                              .policy_kinds = HAFT_POLICY_KINDS(&deny)));
