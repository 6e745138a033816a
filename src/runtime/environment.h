/* runtime/environment.h - what an operator says about a server without touching the program. */
#ifndef HAFT_SRC_ENVIRONMENT_H
#define HAFT_SRC_ENVIRONMENT_H

#include <haft/server.h>

/* HAFT_TOOLS, HAFT_READ_ONLY and TOOL_<NAME>_DISABLED; what is given here wins over the first two, NULL and
 * false to leave it to them. */
int environment_apply(haft_server *server, const char *tools, bool read_only);

#endif
