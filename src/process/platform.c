/* platform.c - libhaft runs isolated calls in processes of their own. */
#include "engine/offer/platform.h"

#include "process/isolate.h"

int platform_start(haft_server *server)
{
    return isolate_start(server);
}
