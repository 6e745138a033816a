/* gateway/command.h - a gateway behind a command line. */
#ifndef HAFT_SRC_GATEWAY_COMMAND_H
#define HAFT_SRC_GATEWAY_COMMAND_H

#include "gateway/gateway.h"

/* haft_gateway_main.  `address` is where HTTP is served unless another is given, NULL: nowhere; `unable` the
 * exit status when it cannot serve, 0 for 1. */
int gateway_command(haft_gateway *gateway, const char *address, int unable, int argc, char **argv);

#endif
