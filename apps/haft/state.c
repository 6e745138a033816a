/* state.c - the directory in which the program keeps logins and what it has seen of servers. */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool make_directories(char *path)
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

/* Below the directory that a variable names, or below the home directory. */
static bool path_below(const char *variable, const char *usual, const char *name, char *ret_path,
                       size_t room)
{
    const char *named = getenv(variable), *home = getenv("HOME");
    int size = named && *named == '/' ? snprintf(ret_path, room, "%s/haft/%s", named, name)
               : home && *home == '/' ? snprintf(ret_path, room, "%s/%s/haft/%s", home, usual, name)
                                      : -1;

    return size > 0 && (size_t)size < room;
}

bool state_path(const char *name, char *ret_path, size_t room)
{
    return path_below("XDG_STATE_HOME", ".local/state", name, ret_path, room) &&
           make_directories(ret_path);
}

bool config_path(const char *name, char *ret_path, size_t room)
{
    return path_below("XDG_CONFIG_HOME", ".config", name, ret_path, room);
}

int state_check(const char *name, char *ret_path, size_t room)
{
    char *slash;
    int error;

    *ret_path = '\0';
    errno = ENOENT;
    if (!state_path(name, ret_path, room))
        return errno;
    slash = strrchr(ret_path, '/');
    *slash = '\0';
    error = access(ret_path, W_OK | X_OK) ? errno : 0;
    *slash = '/';
    return error;
}
