/* connect/environment.h - the environment of a child process. */
#ifndef HAFT_SRC_CONNECT_ENVIRONMENT_H
#define HAFT_SRC_CONNECT_ENVIRONMENT_H

#include "base/base.h"

/* Whether a variable of this name probably holds a secret. */
bool hf_environment_is_secret(const char *name, size_t size);

/* The program's environment without secrets, in the arena; NULL without memory. */
char **hf_environment_public(haft_arena *arena);

#endif
