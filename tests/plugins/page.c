/* page.c - a plugin with two tools that have a user interface: one has its app here, the other's is nowhere. */
#include <haft.h>

static int read_own(haft_call *call, const char *uri)
{
    (void)uri;
    return haft_text(call, "<!doctype html>");
}

static const haft_resource own_page =
    HAFT_INIT(haft_resource, .uri = "ui://plugin/own", .name = "own", .mime_type = HAFT_UI_TYPE,
              .read = read_own);
static const haft_ui own_ui = HAFT_INIT(haft_ui, .resource = "ui://plugin/own");
static const haft_ui lost_ui = HAFT_INIT(haft_ui, .resource = "ui://plugin/lost");

static int show_own(haft_call *call)
{
    return haft_text(call, "own");
}

static int show_lost(haft_call *call)
{
    return haft_text(call, "lost");
}

HAFT_TOOL_BARE(show_own, "Has its app", .ui = &own_ui);
HAFT_TOOL_BARE(show_lost, "Has no app", .ui = &lost_ui);

static const haft_tool *const page_tools[] = {&show_own_tool, &show_lost_tool, NULL};
static const haft_resource *const page_resources[] = {&own_page, NULL};

HAFT_PLUGIN_WITH(.name = "page", .tools = page_tools, .resources = page_resources);
