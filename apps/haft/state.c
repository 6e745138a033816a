/* state.c - the directory in which the program keeps logins and what it has seen of servers. */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Creates the directories of a path, except its last part. */
static bool make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) && errno != EEXIST) {
            *slash = '/';
            return false;
        }
        *slash = '/';
    }
    return true;
}

bool state_path(const char *name, char *ret_path, size_t room)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int size = state && *state == '/' ? snprintf(ret_path, room, "%s/haft/%s", state, name)
               : home && *home == '/'
                   ? snprintf(ret_path, room, "%s/.local/state/haft/%s", home, name)
                   : -1;

    return size > 0 && (size_t)size < room && make_directories(ret_path);
}
