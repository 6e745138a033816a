/* script.c - the scripts that the server runs, which the build makes of the files in lua/. */
#include <redis_scripts.h>

#include "store/redis/room.h"

struct redis_script_text hf_redis_script(enum redis_script script)
{
    static const struct redis_script_text texts[] = {
        [REDIS_REQUEST] = {script_request, sizeof script_request},
        [REDIS_TAKE] = {script_take, sizeof script_take},
        [REDIS_SCAN] = {script_scan, sizeof script_scan},
    };

    return texts[script];
}
