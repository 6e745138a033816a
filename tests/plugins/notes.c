/* notes.c - a plugin whose tools and route require scopes, for gateways that identify their clients. */
#include <haft.h>
#include <haft/access.h>

static int whoami(haft_call *call)
{
    const haft_identity *identity = haft_call_identity(call);

    return haft_text(call, "%s with %s",
                     identity && identity->subject ? identity->subject : "nobody",
                     identity && identity->scopes ? identity->scopes : "no scopes");
}
HAFT_TOOL_BARE(whoami, "Says who calls");

static int list_notes(haft_call *call)
{
    return haft_text(call, "%s", haft_call_has_scope(call, "notes:write") ? "yours" : "read only");
}
HAFT_TOOL_BARE(list_notes, "Wants to read", .scopes = "notes:read");

static int add_note(haft_call *call)
{
    return haft_text(call, "Noted.");
}
HAFT_TOOL_BARE(add_note, "Wants to write", .scopes = "notes:write");

static int all_notes(haft_call *call)
{
    return haft_text(call, "%s sends %s", haft_call_identity(call)->subject,
                     haft_request_header(call, "authorization") ? "a token" : "nothing");
}
HAFT_ROUTE_BARE(all_notes, "GET", "/notes", "Wants to write", .scopes = "notes:write");

HAFT_PLUGIN_WITH(.name = "notes",
                 .tools = HAFT_TOOLS(&whoami_tool, &list_notes_tool, &add_note_tool),
                 .gateway = HAFT_GATEWAY_PART(.routes = HAFT_ROUTES(&all_notes_route)));
