/* gateway/command.h - a gateway behind a command line. */
#ifndef HAFT_SRC_GATEWAY_COMMAND_H
#define HAFT_SRC_GATEWAY_COMMAND_H

#include "gateway/gateway.h"

/* How a program differs from what haft_gateway_main does. */
struct gateway_program {
    const char *address; /* where HTTP is served unless another is given; NULL: nowhere */
    int unable;          /* exit status when it cannot serve; 0: 1 */
    int (*operand)(void *context, const char *word); /* as in struct app */
    void *context;
};

int hf_gateway_command(haft_gateway *gateway, const struct gateway_program *program, int argc,
                       char **argv);

#endif
