/* gateway/command.h - a gateway with a command line. */
#ifndef HAFT_SRC_GATEWAY_COMMAND_H
#define HAFT_SRC_GATEWAY_COMMAND_H

#include "gateway/gateway.h"

/* Differences of a program from haft_gateway_main. */
struct gateway_program {
    const char *address;                             /* default HTTP address; NULL for none */
    int unable;                                      /* exit status if it cannot serve; 0 means 1 */
    int (*operand)(void *context, const char *word); /* as in struct app */
    void *context;
};

int hf_gateway_command(haft_gateway *gateway, const struct gateway_program *program, int argc,
                       char **argv);

#endif
