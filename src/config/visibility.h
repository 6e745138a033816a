/* config/visibility.h - which tools are offered, as the settings have it. */
#ifndef HAFT_SRC_VISIBILITY_H
#define HAFT_SRC_VISIBILITY_H

#include "config/settings.h"

/* Hides what the settings, the program, or a variable TOOL_<NAME>_DISABLED hides.  What the program
 * said (settings->program) must outlive the server. */
int hf_visibility_apply(haft_server *server, const struct settings *settings);

/* Warns of variables TOOL_<NAME>_DISABLED that have another value than true or false, which hides the
 * tool, or that no tool of these servers has. `at` returns the i-th, NULL past the last. */
void hf_visibility_doubt(haft_server *own, haft_server *(*at)(const void *context, size_t i),
                         const void *context);

#endif
