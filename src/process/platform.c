/* platform.c - libhaft runs isolated calls in separate processes. */
#include "engine/offer/platform.h"

#include "process/isolate.h"

int hf_platform_start(haft_server *server)
{
    return hf_isolate_start(server);
}
