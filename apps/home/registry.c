/* registry.c - the tools of the home.  A tool is a file in tools/ and a line here. */
#include "registry.h"

/*  name             offered when */
#define HOME_TOOLS(X)                                                                              \
    X(example, OFFER_ALWAYS)

#define TOOL_DECLARED(name, offer) extern const haft_tool *const home_tool_##name;
HOME_TOOLS(TOOL_DECLARED)
#undef TOOL_DECLARED

const struct tool_row home_tools[] = {
#define TOOL_ROW(name, offer) {&home_tool_##name, offer},
    HOME_TOOLS(TOOL_ROW)
#undef TOOL_ROW
    {NULL, OFFER_ALWAYS},
};
