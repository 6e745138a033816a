/* state.h - files that the program keeps between runs. */
#ifndef HAFT_STATE_H
#define HAFT_STATE_H

#include <stdbool.h>
#include <stddef.h>

/* The directory of the program's state, with a name below it: $XDG_STATE_HOME/haft/NAME or
 * ~/.local/state/haft/NAME. Creates missing directories with mode 0700. Returns false if there is no
 * home directory, or if a directory cannot be created. */
bool state_path(const char *name, char *ret_path, size_t room);
/* The same for its configuration: $XDG_CONFIG_HOME/haft/NAME or ~/.config/haft/NAME. Creates
 * nothing. */
bool config_path(const char *name, char *ret_path, size_t room);

/* Creates the directories of a path, except its last part, with mode 0700.  Returns false with
 * errno. */
bool make_directories(char *path);

/* Whether a file of this name can be written there. Returns 0, or an errno with the path, which is ""
 * without a home directory. */
int state_check(const char *name, char *ret_path, size_t room);

#endif
