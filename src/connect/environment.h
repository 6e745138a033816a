/* connect/environment.h - the environment of a child process. */
#ifndef HAFT_SRC_CONNECT_ENVIRONMENT_H
#define HAFT_SRC_CONNECT_ENVIRONMENT_H

#include "base/base.h"

/* Whether a variable of this name probably holds a secret. */
bool hf_environment_is_secret(const char *name, size_t size);

/* The program's environment without secrets, in the arena; NULL without memory.  `named` are names of further variables
 * that may hold secrets, each between two "="; ordinary ones, such as HOME, stay.  NULL for none. */
char **hf_environment_public(haft_arena *arena, const char *named);

#endif
