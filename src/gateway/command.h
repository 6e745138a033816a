/* gateway/command.h - a gateway behind a command line. */
#ifndef HAFT_SRC_GATEWAY_COMMAND_H
#define HAFT_SRC_GATEWAY_COMMAND_H

#include "gateway/gateway.h"

/* haft_gateway_main; `unable` is the exit status when it cannot serve, 0 for 1. */
int gateway_command(haft_gateway *gateway, int unable, int argc, char **argv);

#endif
