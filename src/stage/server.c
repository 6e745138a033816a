/* server.c - a server is the engine's, with the stages that come with the library. */
#include "stage/rate.h"

haft_server *haft_server_new_with(const char *name, const char *version,
                                  const haft_server_options *options)
{
    return server_make(name, version, options, &rate_stage);
}

haft_server *haft_server_new(const char *name, const char *version)
{
    return haft_server_new_with(name, version, NULL);
}

void haft_server_free(haft_server *server)
{
    if (!server)
        return;
    limiter_free(atomic_load(&server->limiter));
    server_unmake(server);
}
