/* bikes_plugin.c - a plugin that offers nothing, but serves the API while it is loaded.
 *
 * Its variables tell the configuration where the API is: upstreams.json has ${BIKES_URL} and
 * ${BIKES_KEY}. */
#include "bikes.h"

#include <haft/plugin.h>
#include <stdio.h>
#include <stdlib.h>

static const char bikes_key[] = "bikes-demo-key";

static int open_bikes(haft_server *server)
{
    const char *url;
    char base[128];
    int status = bikes_serve(bikes_key, &url);

    (void)server;
    if (status)
        return status;
    snprintf(base, sizeof base, "%s/v1", url);
    if (!setenv("BIKES_URL", base, 1) && !setenv("BIKES_KEY", bikes_key, 1))
        return 0;
    bikes_stop();
    return HAFT_ENOMEM;
}

static void close_bikes(void)
{
    bikes_stop();
}

HAFT_PLUGIN_WITH(.name = "bikes", .version = "1.0.0", .start = open_bikes, .stop = close_bikes);
