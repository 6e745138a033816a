/* platform.c - libhaft runs isolated calls in processes of their own. */
#include "engine/offer/platform.h"

#include "process/isolate.h"

int hf_platform_start(haft_server *server)
{
    return hf_isolate_start(server);
}
