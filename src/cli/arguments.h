/* cli/arguments.h - what the words of a command line ask for. */
#ifndef HAFT_SRC_ARGUMENTS_H
#define HAFT_SRC_ARGUMENTS_H

#include "cli/command.h"

/* Reads them into the command, which has room for all of them in `given`.  0; HAFT_EINVAL with a complaint;
 * HAFT_ENOMEM. */
int hf_arguments_read(struct command *command, int argc, char **argv,
                      struct complaints *complaints);

/* Whether they ask for nothing but a page about the program. */
bool hf_arguments_ask_help(const struct command *command);

#endif
