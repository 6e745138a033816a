/* platform.c - libhaft-core has no processes: calls of isolated tools fail, and the log says
 * why. */
#include "engine/offer/platform.h"

int hf_platform_start(haft_server *server)
{
    (void)server;
    return 0;
}
