/* registry.h - the tools of the home, one line each in registry.c. */
#ifndef HOME_REGISTRY_H
#define HOME_REGISTRY_H

#include "home.h"

/* When a tool is offered. */
enum tool_offer {
    OFFER_ALWAYS,
    OFFER_SPEECH,  /* ENABLE_SPEECH_FEATURES, or the demo home */
    OFFER_TEMPLATE /* --render-template, and not with --entities */
};

struct tool_row {
    const haft_tool *const *tool;
    enum tool_offer offer;
};

extern const struct tool_row home_tools[]; /* ends with a row without a tool */

/* Whether the options ask for a tool. */
bool home_registry_offers(const struct home_options *options, enum tool_offer offer);
/* Adds the tools that the options ask for.  Returns 0 or an error, with the reason in haft_server_error. */
int home_add_tools(haft_server *server, const struct home_options *options);

/* Ends the file of a tool: registry.c refers to it by its name. */
#define HOME_EXPORT(fn) const haft_tool *const home_tool_##fn = &fn##_tool

#endif
